/* Shared by the files that make nodes of ONNX operators. See onnx.h. */
#ifndef QUANTISED_ONNX_NODES_H
#define QUANTISED_ONNX_NODES_H

#include "quantised/onnx_reading.h"

/* What an operator takes as its input: a cube; or a cube made a row; or one of integers whose scale is not known yet,
 * too; or of real numbers. */
enum takes { CUBES, ROWS, UNSCALED, ANY };

/* A tensor that an operator reads; GRAPH_NONE with a message. */
int onnx_activation(struct onnx_reading *at, size_t i, enum takes takes);
/* Defines output 0 as a new tensor that a new node computes. NULL with a message. */
struct node *onnx_node_new(struct onnx_reading *at, enum node_kind kind, int input, const int sides[3], int rank);
/* The tensor that the last node computes. */
int onnx_output(const struct onnx_reading *at);
/* The result has the scale of a tensor. */
bool onnx_keep_scale(struct onnx_reading *at, int from);
/* The graph's axis of a dimension of the file: batch, channels, height, width; without height if there are 3. */
int onnx_axis(int rank, int64_t dimension);
/* A new name for a tensor. */
bool onnx_alias(struct onnx_reading *at, int tensor, bool real);
/* Nodes of the file that read a name. */
size_t onnx_readers(const struct onnx_reading *at, const char *name);
/* The node that computes real results which nothing quantised yet, if an operator may change them: nothing else reads
 * them. NULL: none. */
struct node *onnx_unfinished(const struct onnx_reading *at, const struct onnx_value *value);
/* The window of an operator, and the size of what comes out. */
bool onnx_window(struct onnx_reading *at, int tensor, struct axis axes[2], int sides[3]);
/* Adds a constant to the bias of a convolution: one value for each kernel, or one. */
bool onnx_add_to_bias(struct onnx_reading *at, struct node *node, const struct onnx_value *value);

/* Operators, from the node's operands. */
bool onnx_read_add(struct onnx_reading *at);
bool onnx_read_average_pool(struct onnx_reading *at);
bool onnx_read_clip(struct onnx_reading *at);
bool onnx_read_concatenation(struct onnx_reading *at);
bool onnx_read_constant(struct onnx_reading *at);
bool onnx_read_conv(struct onnx_reading *at);
bool onnx_read_dequantize(struct onnx_reading *at);
bool onnx_read_flatten(struct onnx_reading *at);
bool onnx_read_gemm(struct onnx_reading *at);
bool onnx_read_global_average(struct onnx_reading *at);
bool onnx_read_identity(struct onnx_reading *at);
bool onnx_read_matmul(struct onnx_reading *at);
bool onnx_read_max_pool(struct onnx_reading *at);
bool onnx_read_mean(struct onnx_reading *at);
bool onnx_read_normalisation(struct onnx_reading *at);
bool onnx_read_pad(struct onnx_reading *at);
bool onnx_read_quantize(struct onnx_reading *at);
bool onnx_read_relu(struct onnx_reading *at);
bool onnx_read_reshape(struct onnx_reading *at);
bool onnx_read_sigmoid(struct onnx_reading *at);
bool onnx_read_softmax(struct onnx_reading *at);
bool onnx_read_squeeze(struct onnx_reading *at);
bool onnx_read_transpose(struct onnx_reading *at);

#endif
