/* Transposes of a network are a matter of names: which side of a cube is its height, width and channels. */
#ifndef QUANTISED_LAYOUT_H
#define QUANTISED_LAYOUT_H

#include "nvdla/element_order.h"
#include "quantised/graph.h"

/* Takes every NODE_TRANSPOSE away. The graph's inputs get the sides that convolutions and pooling expect, tensors
 * between transposes that cancel keep theirs, and each output is what a last transpose would have read. False
 * with a message that names the node that would have to move elements. */
bool layout_settle(struct graph *graph, struct error *err);

/* The order of the file's elements of an input, or of output `end - input_count`, of a settled graph. */
struct element_order layout_of_end(const struct graph *graph, size_t end);

#endif
