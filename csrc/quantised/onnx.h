/* Reads ONNX files with INT8 networks: QDQ (operators of float32 between DequantizeLinear and QuantizeLinear) and
 * QOperator (QLinearConv and its like). What they say is the same network, and becomes the same graph as a TFLite
 * file's: height, width, channels, INT8. UINT8 values become INT8, less 128. */
#ifndef QUANTISED_ONNX_H
#define QUANTISED_ONNX_H

#include "quantised/graph.h"

/* NULL with a message that names the operator or the tensor that is not supported. */
struct graph *onnx_read(const char *path, struct error *err);
/* The same of n bytes; path is for messages. */
struct graph *onnx_parse(const char *path, const void *bytes, size_t n, struct error *err);

#endif
