/* A quantised network: tensors of INT8 and the operators between them, as TFLite and ONNX files have them. Layout is
 * height, width, channels (NHWC) with one picture. Spec: 88-quantised-networks sections 1 and 2. */
#ifndef QUANTISED_GRAPH_H
#define QUANTISED_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

enum tensor_type { TENSOR_INT8, TENSOR_INT32, TENSOR_FLOAT };

enum { GRAPH_NONE = -1, TENSOR_SIDE_MAX = 8192, TENSORS_MAX = 16384, NODES_MAX = 4096, NODE_INPUTS_MAX = 64 };

/* Most elements of a tensor, and of all tensors that are computed: bounds the memory that a damaged file can take. */
enum { TENSOR_ELEMENTS_MAX = 1 << 24, GRAPH_ELEMENTS_MAX = 1 << 26 };

struct tensor {
    char *name; /* as it may be shown */
    enum tensor_type type;
    int rank, dims[4]; /* as in the file */
    int h, w, c;       /* 1 where the rank is smaller */
    float *scales;     /* one, or one for each slice of a constant's dimension `sliced`; at least one */
    size_t scale_count;
    int sliced;
    int zero;
    const void *data; /* of a constant: elements in the file's order; NULL: computed */
    size_t count;     /* elements */
};

enum node_kind {
    NODE_CONV,
    NODE_DEPTHWISE,
    NODE_FULLY_CONNECTED,
    NODE_ADD,
    NODE_AVERAGE_POOL,
    NODE_MAX_POOL,
    NODE_MEAN, /* over height and width */
    NODE_RESHAPE,
    NODE_PAD,
    NODE_CONCATENATION,
    NODE_RELU,
    NODE_RELU6,
    NODE_CLIP,
    NODE_SOFTMAX,
    NODE_LOGISTIC,
    NODE_QUANTIZE,
    NODE_DEQUANTIZE,
    NODE_TRANSPOSE, /* only until layout.h takes them away */
    NODE_KINDS
};

extern const char *const node_names[NODE_KINDS]; /* "CONV_2D", ... */

/* Windows of a convolution or of pooling along one axis. */
struct axis {
    int size;     /* window, 1 or more */
    int stride;   /* 1 or more */
    int dilation; /* 1 or more */
    int before;   /* padding in front */
    int after;    /* padding at the other end */
};

struct node {
    enum node_kind kind;
    size_t number; /* in the file, from 0 */
    int inputs[NODE_INPUTS_MAX];
    size_t input_count; /* convolutions: input, weights, bias (GRAPH_NONE: zeros) */
    int output;
    double low, high; /* limits of the results, in what they stand for: an activation's */
    bool real_bias;   /* was float32 in the file */
    struct axis x, y; /* of windows; NODE_PAD: before and after are the padding */
    struct axis c;    /* NODE_PAD, NODE_MEAN: the same along the channels */
    int groups;       /* NODE_CONV: of channels and of kernels, which read only those */
    int axis;         /* NODE_CONCATENATION, NODE_SOFTMAX: 1 height, 2 width, 3 channels */
    int order[4];     /* NODE_TRANSPOSE: for each axis of the output (0 batch, 1, 2, 3), that of the input */
    float beta;       /* NODE_SOFTMAX */
};

struct graph {
    char *path;
    struct tensor *tensors;
    size_t tensor_count;
    struct node *nodes;
    size_t node_count;
    int *inputs, *outputs; /* tensors */
    size_t input_count, output_count;
    void *file;   /* bytes that constants point into */
    void **owned; /* further allocations that constants point into */
    size_t owned_count;
};

void graph_free(struct graph *graph);
/* True for NAME.tflite and NAME.onnx. */
bool is_quantised(const char *path);

/* "PATH: node 3, CONV_2D, tensor \"x\"": a node in messages; the tensor is its output. Returns text. */
enum { NODE_TEXT = 512 };
const char *node_text(const struct graph *graph, const struct node *node, char text[NODE_TEXT]);

/* Checks the nodes of a graph that a reader has made: shapes, types, quantisation, order. False with a message that
 * names the node. */
bool graph_check(const struct graph *graph, struct error *err);

/* Limits of a node's output, inside -128..127. */
struct limits {
    int low, high;
};
struct limits node_limits(const struct graph *graph, const struct node *node);

/* Real factor of a sum of the products of kernel k: input scale * weight scale / output scale, in the precision in
 * which TFLite computes it. Only for convolutions and NODE_FULLY_CONNECTED. */
double kernel_factor(const struct graph *graph, const struct node *node, size_t k);

int32_t kernel_bias(const struct graph *graph, const struct node *node, size_t k);

/* Size of the result of windows over n elements. */
static inline int axis_result(const struct axis *axis, int n) {
    return (n + axis->before + axis->after - (axis->size - 1) * axis->dilation - 1) / axis->stride + 1;
}

/* Whether a FULLY_CONNECTED takes its whole input as a row, and not the channels of each pixel. */
static inline bool node_takes_row(const struct graph *graph, const struct node *node) {
    const struct tensor *in = &graph->tensors[node->inputs[0]];
    return node->kind == NODE_FULLY_CONNECTED && node->x.size == in->w && node->y.size == in->h;
}

static inline bool node_of_processor(const struct node *node) {
    return node->kind == NODE_SOFTMAX || node->kind == NODE_LOGISTIC;
}

static inline const struct tensor *graph_tensor(const struct graph *graph, int index) {
    return &graph->tensors[index];
}

static inline const struct tensor *node_input(const struct graph *graph, const struct node *node, size_t i) {
    return &graph->tensors[node->inputs[i]];
}

static inline const struct tensor *node_output(const struct graph *graph, const struct node *node) {
    return &graph->tensors[node->output];
}

#endif
