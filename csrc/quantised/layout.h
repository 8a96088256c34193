/* Transposes of a network are a matter of names: which side of a cube is its height, width and channels. */
#ifndef QUANTISED_LAYOUT_H
#define QUANTISED_LAYOUT_H

#include "quantised/graph.h"

/* Takes every NODE_TRANSPOSE away. The graph's inputs get the sides that convolutions and pooling expect, tensors
 * between transposes that cancel keep theirs, and each output is what a last transpose would have read. False
 * with a message that names the node that would have to move elements. */
bool layout_settle(struct graph *graph, struct error *err);

#endif
