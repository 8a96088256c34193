/* A quantised network: tensors of INT8 and the operators between them, as TFLite and ONNX files have them. Layout is
 * height, width, channels (NHWC) with one picture. Spec: 88-quantised-networks sections 1 and 2. */
#pragma once

#include "nvdla/error.h"
#include "nvdla/text.h"

enum tensor_type { TENSOR_INT8, TENSOR_INT32, TENSOR_FLOAT, TENSOR_INDEX }; /* TENSOR_INDEX: of NODE_ARG_MAX, 16 bits */

/* What the file has of an input; here all are TENSOR_INT8. */
enum file_type { FILE_INT8, FILE_UINT8, FILE_FLOAT };

enum { GRAPH_NONE = -1, TENSOR_SIDE_MAX = 8192, TENSORS_MAX = 16384, NODES_MAX = 4096, NODE_INPUTS_MAX = 64 };

/* Sides of a tensor, axes of a node. */
enum { BATCH, HEIGHT, WIDTH, CHANNELS, AXES };

/* Most elements of a tensor, and of all tensors that are computed: bounds the memory that a damaged file can take. */
enum { TENSOR_ELEMENTS_MAX = 1 << 24, GRAPH_ELEMENTS_MAX = 1 << 26 };

struct tensor {
    char *name; /* as it may be shown */
    enum tensor_type type;
    enum file_type in_file;
    int rank, dims[AXES]; /* as in the file */
    union {               /* 1 where the rank is smaller */
        struct {
            int n, h, w, c;
        };
        int sides[AXES];
    };
    float *scales; /* one, or one for each slice of a constant's dimension `sliced`; at least one */
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
    NODE_LOG_SOFTMAX,
    NODE_ARG_MAX,
    NODE_LOGISTIC,
    NODE_QUANTIZE,
    NODE_DEQUANTIZE,
    NODE_TRANSPOSE, /* only until layout_settle() takes them away */
    NODE_KINDS
};

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
    union {           /* windows; NODE_PAD: before and after are the padding; NODE_MEAN: 1 or the side */
        struct {
            struct axis n, y, x, c;
        };
        struct axis axes[AXES];
    };
    int groups;      /* NODE_CONV: of channels and of kernels, which read only those */
    int axis;        /* NODE_CONCATENATION, of the processor: along which */
    unsigned taken;  /* NODE_MEAN, NODE_ARG_MAX: a bit for each axis that becomes one element */
    int order[AXES]; /* NODE_TRANSPOSE: for each axis of the output, that of the input */
    float beta;      /* NODE_SOFTMAX */
};

struct graph {
    char *path;
    struct tensor *tensors;
    size_t tensor_count;
    struct node *nodes;
    size_t node_count;
    int *inputs, *outputs; /* tensors */
    size_t input_count, output_count;
    bool channels_first; /* in the file: batch, channels, height, width */
    int (*orders)[AXES]; /* of inputs, then of outputs: for each axis of the file's, that of the tensor */
    void *file;          /* bytes that constants point into */
    void **owned;        /* further allocations that constants point into */
    size_t owned_count;
};

void graph_free(struct graph *graph);

/* True for NAME.tflite and NAME.onnx. */
bool is_quantised(const char *path);

/* "CONV_2D", ... */
const char *node_name(const struct node *node);

/* Message "PATH: node 3, CONV_2D, tensor \"x\": ...", the tensor is its output; returns false. */
bool node_refuse(const struct graph *graph, const struct node *node, struct error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Memory that lives as long as the graph, set to 0. */
void *graph_own(struct graph *graph, size_t bytes);
/* Where elements come from: element (i, j, ...) of those sides from `start` + i * strides[0] + j * strides[1] ... */
enum { STRIDED_SIDES = 8 };
struct strided {
    size_t rank;
    int64_t sides[STRIDED_SIDES], strides[STRIDED_SIDES], start;
};
/* Copies elements of that many bytes. */
void strided_copy(const struct strided *from, const void *bytes, size_t element, void *to);

/* How often nodes read a tensor. */
size_t graph_readers(const struct graph *graph, int tensor);
/* The next node that reads a tensor, after a node or (NULL) from the first on; NULL: none. */
struct node *graph_reader(const struct graph *graph, int tensor, const struct node *after);
/* The node that computes a tensor; NULL: none. */
struct node *graph_producer(const struct graph *graph, int tensor);

/* Checks the nodes of a graph that a reader has made: shapes, types, quantisation, order. False with a message that
 * names the node. */
bool graph_check(const struct graph *graph, struct error *err);

/* Limits of a node's output, inside -128..127. */
struct limits {
    int low, high;
};
struct limits node_limits(const struct graph *graph, const struct node *node);

/* Scale of the weights of a kernel; below 0 where a BatchNormalization has such a factor. */
static inline float kernel_scale(const struct tensor *weights, size_t k) {
    return weights->scales[weights->scale_count == 1 ? 0 : k];
}

/* Real factor, without its sign, of a sum of the products of kernel k: input scale * weight scale / output scale, in
 * the precision in which TFLite computes it. Only for convolutions and NODE_FULLY_CONNECTED. */
double kernel_factor(const struct graph *graph, const struct node *node, size_t k);

int32_t kernel_bias(const struct graph *graph, const struct node *node, size_t k);

/* A window that takes that many elements. */
static inline struct axis axis_of(int size) {
    return (struct axis){.size = size, .stride = 1, .dilation = 1};
}

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
    return node->kind >= NODE_SOFTMAX && node->kind <= NODE_LOGISTIC;
}

/* The axis of a dimension of the file. */
static inline int graph_axis(const struct graph *graph, int rank, int dimension) {
    const int from_last = dimension + AXES - rank;
    if (dimension == 0 && rank > 1)
        return BATCH;
    return !graph->channels_first ? from_last : dimension == 1 ? CHANNELS : from_last - 1;
}

static inline const struct tensor *graph_tensor(const struct graph *graph, int index) {
    return &graph->tensors[index];
}

/* Of the values of a tensor of int8, or of indices. */
static inline size_t tensor_bytes(const struct tensor *tensor) {
    return tensor->count * (tensor->type == TENSOR_INDEX ? sizeof(uint16_t) : 1);
}

static inline const struct tensor *node_input(const struct graph *graph, const struct node *node, size_t i) {
    return &graph->tensors[node->inputs[i]];
}

static inline const struct tensor *node_output(const struct graph *graph, const struct node *node) {
    return &graph->tensors[node->output];
}
