/* Reads TFLite files with INT8 networks. Spec: 88-quantised-networks section 1. */
#ifndef QUANTISED_TFLITE_H
#define QUANTISED_TFLITE_H

#include "quantised/graph.h"

/* Every offset and count is checked; an operator, version or option that is not supported is refused by name. NULL with
 * a message. */
struct graph *tflite_read(const char *path, struct error *err);
/* The same of n bytes, which must outlive the graph; path is for messages. */
struct graph *tflite_parse(const char *path, const void *bytes, size_t n, struct error *err);

#endif
