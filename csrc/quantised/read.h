/* Reads files of INT8 networks as graphs, whose transposes are a matter of names: which side of a cube is its height,
 * width and channels. An operator, a version, an option or a tensor that is not supported is refused by its name. Spec:
 * 88-quantised-networks section 1. */
#pragma once

#include "nvdla/element_order.h"
#include "quantised/graph.h"

/* Reads a TFLite file of n bytes, which must outlive the graph; path is for messages. Every offset and count is
 * checked. NULL with a message. */
struct graph *tflite_parse(const char *path, const void *bytes, size_t n, struct error *err);

/* The same of the description that python/nvcosim/networks/onnx makes of an ONNX file: a line of JSON, then the bytes
 * of constants. */
struct graph *described_parse(const char *path, const void *bytes, size_t n, struct error *err);

/* Takes every NODE_TRANSPOSE away. The graph's inputs get the sides that convolutions and pooling expect, tensors
 * between transposes that cancel keep theirs, and each output is what a last transpose would have read. False
 * with a message that names the node that would have to move elements. */
bool layout_settle(struct graph *graph, struct error *err);

/* The order of the file's elements of an input, or of output `end - input_count`, of a settled graph. */
struct element_order layout_of_end(const struct graph *graph, size_t end);
