/* Reads INT8 networks as graphs, whose transposes are a matter of names: which side of a cube is its height, width and
 * channels. Spec: 88-quantised-networks section 1. */
#pragma once

#include "nvdla/element_order.h"
#include "quantised/graph.h"

/* Reads the description that python/nvcosim/networks makes of a TFLite or an ONNX file, n bytes that must outlive the
 * graph: a line of JSON, then the bytes of constants. path is for messages. NULL with a message. */
struct graph *described_parse(const char *path, const void *bytes, size_t n, struct error *err);

/* Takes every NODE_TRANSPOSE away. The graph's inputs get the sides that convolutions and pooling expect, tensors
 * between transposes that cancel keep theirs, and each output is what a last transpose would have read. False
 * with a message that names the node that would have to move elements. */
bool layout_settle(struct graph *graph, struct error *err);

/* Leaves to who fills and reads the ends what is no INT8 there: a QUANTIZE of an input, a DEQUANTIZE to an output, a
 * change to or from uint8. False with a message. */
bool ends_settle(struct graph *graph, struct error *err);

/* The order of the file's elements of an input, or of output `end - input_count`, of a settled graph. */
struct element_order layout_of_end(const struct graph *graph, size_t end);
