/* Files of networks. See read.h. */
#include "quantised/read.h"

#include <stdlib.h>

#include "memory/file.h"

struct graph *graph_read(const char *path, struct error *err) {
    char *bytes;
    size_t n;
    if (!file_read(path, &bytes, &n, err))
        return NULL;
    struct graph *graph =
        text_ends_with(path, ".onnx") ? onnx_parse(path, bytes, n, err) : tflite_parse(path, bytes, n, err);
    if (graph)
        graph->file = bytes;
    else
        free(bytes);
    return graph;
}
