/* TFLite files: FlatBuffers, read through loadable/flat.h. See tflite.h. */
#include "quantised/tflite.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadable/flat.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/layout.h"

enum { TFLITE_VERSION = 3, BUILTIN_CODES = 256 };
enum { CODE_CUSTOM = 32 };
enum { TYPE_FLOAT32 = 0, TYPE_INT32 = 2, TYPE_UINT8 = 3, TYPE_INT8 = 9 };

static const char *const type_names[] = {"float32", "float16",  "int32",   "uint8",  "int64",   "text",
                                         "bool",    "int16",    "complex", "int8",   "float64", "complex128",
                                         "uint64",  "resource", "variant", "uint32", "uint16",  "int4"};
enum { TYPE_NAMES = sizeof type_names / sizeof type_names[0] };

/* Values of uint8, as at the ends of many networks, are taken as int8: less this. */
enum { UNSIGNED_ZERO = 128 };

/* Activations by their code, and their limits. */
enum { ACTIVATION_NONE, ACTIVATION_RELU, ACTIVATION_RELU_1, ACTIVATION_RELU6 };
static const double activations[][2] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-1, 1}, {0, 6}};

/* Operators by their code: what they are here, and the last version whose INT8 form is the one of chapter 88. */
struct known_operator {
    int code;
    enum node_kind kind;
    unsigned version;
};

static const struct known_operator operators[] = {
    {0, NODE_ADD, 3},
    {1, NODE_AVERAGE_POOL, 3},
    {2, NODE_CONCATENATION, 3},
    {3, NODE_CONV, 6},
    {4, NODE_DEPTHWISE, 6},
    {6, NODE_DEQUANTIZE, 5},
    {9, NODE_FULLY_CONNECTED, 12},
    {14, NODE_LOGISTIC, 3},
    {17, NODE_MAX_POOL, 3},
    {19, NODE_RELU, 3},
    {20, NODE_CLIP, 1},
    {21, NODE_RELU6, 3},
    {22, NODE_RESHAPE, 1},
    {25, NODE_SOFTMAX, 3},
    {34, NODE_PAD, 4},
    {39, NODE_TRANSPOSE, 4},
    {40, NODE_MEAN, 3},
    {114, NODE_QUANTIZE, 3},
};

/* Names of frequent operators that are refused; others are named by their number. */
static const struct {
    int code;
    const char *name;
} others[] = {
    {18, "MUL"},
    {41, "SUB"},
    {42, "DIV"},
    {28, "TANH"},
    {36, "GATHER"},
    {45, "STRIDED_SLICE"},
    {49, "SPLIT"},
    {53, "CAST"},
    {55, "MAXIMUM"},
    {57, "MINIMUM"},
    {60, "PADV2"},
    {67, "TRANSPOSE_CONV"},
    {70, "EXPAND_DIMS"},
    {23, "RESIZE_BILINEAR"},
    {97, "RESIZE_NEAREST_NEIGHBOR"},
    {98, "LEAKY_RELU"},
    {54, "PRELU"},
    {117, "HARD_SWISH"},
    {126, "BATCH_MATMUL"},
    {CODE_CUSTOM, "CUSTOM"},
    {83, "PACK"},
    {77, "SHAPE"},
    {82, "REDUCE_MAX"},
    {74, "SUM"},
    {76, "RSQRT"},
    {16, "LSTM"},
    {5, "DEPTH_TO_SPACE"},
    {26, "SPACE_TO_DEPTH"},
    {27, "SVDF"},
    {24, "RNN"},
    {35, "UNIDIRECTIONAL_SEQUENCE_RNN"},
    {44, "UNIDIRECTIONAL_SEQUENCE_LSTM"},
    {52, "BIDIRECTIONAL_SEQUENCE_LSTM"},
    {37, "BATCH_TO_SPACE_ND"},
    {38, "SPACE_TO_BATCH_ND"},
    {43, "SQUEEZE"},
    {47, "EXP"},
    {50, "LOG_SOFTMAX"},
    {56, "ARG_MAX"},
    {65, "SLICE"},
    {75, "SQRT"},
    {88, "UNPACK"},
    {99, "SQUARED_DIFFERENCE"},
    {111, "ELU"},
    {118, "IF"},
    {119, "WHILE"},
    {129, "CALL_ONCE"},
    {142, "VAR_HANDLE"},
    {143, "READ_VARIABLE"},
    {144, "ASSIGN_VARIABLE"},
    {150, "GELU"},
};

struct reading {
    struct flat flat;
    struct graph *graph;
    struct flat_vector codes, buffers;
    uint64_t computed; /* elements of tensors so far */
    int activation;    /* of the node that is being read */
};

static int number(struct reading *at, const struct flat_table *table, unsigned k, size_t bytes, const char *field) {
    return (int)(uint32_t)flat_number(&at->flat, table, k, bytes, field);
}

/* A number whose default is 1. */
static int number_or_1(struct reading *at, const struct flat_table *table, unsigned k, const char *field) {
    return flat_has(&at->flat, table, k) ? number(at, table, k, 4, field) : 1;
}

/* ---- tensors ---- */

static void read_shape(struct reading *at, const struct flat_table *entry, struct tensor *tensor) {
    const struct flat_vector shape = flat_vector(&at->flat, entry, 0, 4, "shape");
    tensor->count = 1;
    tensor->h = tensor->w = tensor->c = 1;
    tensor->rank = (int)shape.count;
    if (shape.count > 4) {
        flat_fail(&at->flat, entry->at, "tensor %zu \"%s\": found %zu dimensions, expected at most 4", entry->index,
                  tensor->name, shape.count);
        return;
    }
    for (size_t i = 0; i < shape.count; i++) {
        const int32_t side = (int32_t)flat_element(&at->flat, &shape, i, 4);
        if (at->flat.failed)
            return;
        if (side < 1 || (uint64_t)tensor->count * (uint64_t)side > TENSOR_ELEMENTS_MAX) {
            flat_fail(&at->flat, entry->at,
                      "tensor %zu \"%s\": found a size of %d in dimension %zu, expected 1 or more and at most %d "
                      "elements in all",
                      entry->index, tensor->name, side, i, TENSOR_ELEMENTS_MAX);
            return;
        }
        tensor->dims[i] = side;
        tensor->count *= (size_t)side;
    }
    tensor->c = shape.count > 0 ? tensor->dims[shape.count - 1] : 1;
    tensor->w = shape.count > 2 ? tensor->dims[shape.count - 2] : 1;
    tensor->h = shape.count > 3 ? tensor->dims[1] : 1;
}

static void read_quantisation(struct reading *at, const struct flat_table *entry, int lowered, struct tensor *tensor) {
    const struct flat_table quantisation = flat_table(&at->flat, entry, 4, "quantisation");
    const struct flat_vector scales = flat_vector(&at->flat, &quantisation, 2, 4, "scales");
    const struct flat_vector zeros = flat_vector(&at->flat, &quantisation, 3, 8, "zero points");
    tensor->scale_count = scales.count ? scales.count : 1;
    tensor->scales = xcalloc(tensor->scale_count, sizeof *tensor->scales);
    tensor->scales[0] = 1;
    for (size_t i = 0; i < scales.count && !at->flat.failed; i++) {
        const uint32_t bits = (uint32_t)flat_element(&at->flat, &scales, i, 4);
        memcpy(&tensor->scales[i], &bits, sizeof bits);
        if (tensor->type == TENSOR_INT8 && !(isfinite(tensor->scales[i]) && tensor->scales[i] > 0))
            flat_fail(&at->flat, entry->at, "tensor %zu \"%s\": found scale %g, expected a finite number above 0",
                      entry->index, tensor->name, (double)tensor->scales[i]);
    }
    tensor->sliced = number(at, &quantisation, 6, 4, "quantised dimension");
    for (size_t i = 0; i < zeros.count && !at->flat.failed; i++) {
        const int64_t zero = (int64_t)flat_element(&at->flat, &zeros, i, 8), low = INT8_MIN + lowered;
        if (tensor->type == TENSOR_INT8 &&
            (zero < low || zero > INT8_MAX + lowered || (i && zero - lowered != tensor->zero)))
            flat_fail(&at->flat, entry->at,
                      "tensor %zu \"%s\": found zero point %" PRId64 ", expected %" PRId64
                      " to %d, the same for all slices",
                      entry->index, tensor->name, zero, low, INT8_MAX + lowered);
        tensor->zero = (int)(zero - lowered);
    }
    if (!zeros.count)
        tensor->zero = -lowered;
}

/* Keeps a copy of 32-bit constants: in the file they may be unaligned. */
static const void *aligned_copy(struct graph *graph, const void *bytes, size_t n) {
    void *copy = xmalloc(n);
    memcpy(copy, bytes, n);
    graph->owned = xgrow(graph->owned, graph->owned_count, sizeof *graph->owned);
    graph->owned[graph->owned_count++] = copy;
    return copy;
}

static void read_data(struct reading *at, const struct flat_table *entry, struct tensor *tensor) {
    const uint32_t index = (uint32_t)flat_number(&at->flat, entry, 2, 4, "buffer");
    if (at->flat.failed)
        return;
    if (index >= at->buffers.count) {
        flat_fail(&at->flat, entry->at, "tensor %zu \"%s\": found buffer %u, expected one of the file's %zu",
                  entry->index, tensor->name, index, at->buffers.count);
        return;
    }
    const struct flat_table buffer = flat_entry(&at->flat, &at->buffers, index, "buffer");
    const struct flat_vector data = flat_vector(&at->flat, &buffer, 0, 1, "data");
    const size_t bytes = tensor->count * (tensor->type == TENSOR_INT8 ? 1 : 4);
    if (at->flat.failed)
        return;
    if (data.count == 0) {
        at->computed += tensor->count;
        if (at->computed > GRAPH_ELEMENTS_MAX)
            flat_fail(&at->flat, entry->at, "found more than %d elements in all tensors, expected no more",
                      GRAPH_ELEMENTS_MAX);
        return;
    }
    if (data.count != bytes) {
        flat_fail(&at->flat, entry->at, "tensor %zu \"%s\": found %zu bytes of data, expected %zu", entry->index,
                  tensor->name, data.count, bytes);
        return;
    }
    const uint8_t *from = at->flat.bytes + data.at;
    tensor->data = tensor->type == TENSOR_INT8 ? from : aligned_copy(at->graph, from, bytes);
}

static void read_tensor(struct reading *at, const struct flat_table *entry, struct tensor *tensor) {
    const struct flat_text name = flat_text(&at->flat, entry, 3, "name");
    char shown[64];
    tensor->name = xstrdup(text_shown_bytes(name.text ? name.text : "", name.n, shown, sizeof shown));
    const int type = number(at, entry, 1, 1, "type");
    tensor->type = type == TYPE_INT8 || type == TYPE_UINT8 ? TENSOR_INT8
                   : type == TYPE_INT32                    ? TENSOR_INT32
                                                           : TENSOR_FLOAT;
    if (type != TYPE_INT8 && type != TYPE_UINT8 && type != TYPE_INT32 && type != TYPE_FLOAT32)
        flat_fail(&at->flat, entry->at,
                  "tensor %zu \"%s\": found %s, expected int8, uint8, int32 or float32: quantise the whole network to "
                  "INT8",
                  entry->index, tensor->name, type >= 0 && type < TYPE_NAMES ? type_names[type] : "an unknown type");
    read_shape(at, entry, tensor);
    read_quantisation(at, entry, type == TYPE_UINT8 ? UNSIGNED_ZERO : 0, tensor);
    read_data(at, entry, tensor);
    if (type == TYPE_UINT8 && tensor->data)
        flat_fail(&at->flat, entry->at, "tensor %zu \"%s\": found constants of uint8, expected int8", entry->index,
                  tensor->name);
}

static void read_tensors(struct reading *at, const struct flat_table *subgraph) {
    struct graph *graph = at->graph;
    const struct flat_vector list = flat_vector(&at->flat, subgraph, 0, 4, "tensors");
    if (list.count > TENSORS_MAX)
        flat_fail(&at->flat, list.at, "found %zu tensors, expected at most %d", list.count, TENSORS_MAX);
    if (at->flat.failed)
        return;
    graph->tensors = xcalloc(list.count, sizeof *graph->tensors);
    while (graph->tensor_count < list.count && !at->flat.failed) {
        const struct flat_table entry = flat_entry(&at->flat, &list, graph->tensor_count, "tensor");
        read_tensor(at, &entry, &graph->tensors[graph->tensor_count++]);
    }
}

/* ---- operators ---- */

static bool refuse(struct reading *at, const struct flat_table *entry, const struct node *node, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool refuse(struct reading *at, const struct flat_table *entry, const struct node *node, const char *format,
                   ...) {
    va_list arguments;
    va_start(arguments, format);
    char *what = xvprintf(format, arguments);
    va_end(arguments);
    const char *tensor = node->output == GRAPH_NONE ? "?" : at->graph->tensors[node->output].name;
    flat_fail(&at->flat, entry->at, "node %zu, %s, tensor \"%s\": %s", entry->index, node_names[node->kind], tensor,
              what);
    free(what);
    return false;
}

/* The constant int32 values of an input; NULL with a message. */
static const int32_t *constant(struct reading *at, const struct flat_table *entry, const struct node *node, size_t i,
                               size_t least, const char *what) {
    const struct tensor *tensor =
        i < node->input_count && node->inputs[i] != GRAPH_NONE ? graph_tensor(at->graph, node->inputs[i]) : NULL;
    if (tensor && tensor->type == TENSOR_INT32 && tensor->data && tensor->count >= least)
        return tensor->data;
    refuse(at, entry, node, "found no constant int32 of at least %zu values as its %s, expected such", least, what);
    return NULL;
}

/* Padding and result of windows, SAME or VALID. Spec: section 2.2. */
static void set_padding(struct axis *axis, int padding, int in) {
    enum { SAME = 0 };
    axis->before = axis->after = 0;
    if (padding != SAME || axis->stride < 1 || axis->size < 1 || axis->dilation < 1)
        return;
    const int64_t results = ((int64_t)in + axis->stride - 1) / axis->stride;
    const int64_t total = (results - 1) * axis->stride + (int64_t)(axis->size - 1) * axis->dilation + 1 - in;
    if (total <= 0 || total > TENSOR_SIDE_MAX)
        return;
    axis->before = (int)(total / 2);
    axis->after = (int)(total - total / 2);
}

static bool read_window(struct reading *at, const struct flat_table *entry, const struct flat_table *options,
                        struct node *node) {
    const bool pool = node->kind == NODE_AVERAGE_POOL || node->kind == NODE_MAX_POOL;
    const bool depthwise = node->kind == NODE_DEPTHWISE;
    const unsigned activation = pool ? 5 : depthwise ? 4 : 3, dilation = depthwise ? 5 : 4;
    const struct tensor *in = node_input(at->graph, node, 0);
    if (pool) {
        node->x.size = number(at, options, 3, 4, "width of windows");
        node->y.size = number(at, options, 4, 4, "height of windows");
    } else {
        const struct tensor *weights = node_input(at->graph, node, 1);
        if (weights->rank != 4)
            return refuse(at, entry, node, "found weights of %d dimensions, expected 4", weights->rank);
        node->y.size = weights->dims[1];
        node->x.size = weights->dims[2];
    }
    node->x.stride = number(at, options, 1, 4, "stride");
    node->y.stride = number(at, options, 2, 4, "stride");
    node->x.dilation = pool ? 1 : number_or_1(at, options, dilation, "dilation");
    node->y.dilation = pool ? 1 : number_or_1(at, options, dilation + 1, "dilation");
    at->activation = number(at, options, activation, 1, "activation");
    const int padding = number(at, options, 0, 1, "padding");
    if (padding > 1)
        return refuse(at, entry, node, "found padding %d, expected 0 (SAME) or 1 (VALID)", padding);
    set_padding(&node->x, padding, in->w);
    set_padding(&node->y, padding, in->h);
    return true;
}

static struct axis whole_axis(int size) {
    return (struct axis){.size = size, .stride = 1, .dilation = 1};
}

static bool read_fully_connected(struct reading *at, const struct flat_table *entry, const struct flat_table *options,
                                 struct node *node) {
    const struct tensor *in = node_input(at->graph, node, 0);
    const int format = number(at, options, 1, 1, "format of weights");
    if (format != 0)
        return refuse(at, entry, node, "found format %d of its weights, expected 0 (plain)", format);
    at->activation = number(at, options, 0, 1, "activation");
    /* With keep_num_dims, and weights for the last dimension: for each pixel. */
    const struct tensor *weights = node_input(at->graph, node, 1);
    const bool pixels =
        number(at, options, 2, 1, "keep_num_dims") != 0 && weights->rank == 2 && weights->dims[1] == in->c;
    node->x = whole_axis(pixels ? 1 : in->w);
    node->y = whole_axis(pixels ? 1 : in->h);
    return true;
}

static bool read_mean(struct reading *at, const struct flat_table *entry, struct node *node) {
    const struct tensor *in = node_input(at->graph, node, 0);
    const int32_t *axes = constant(at, entry, node, 1, 1, "axes");
    if (!axes)
        return false;
    int found = 0;
    for (size_t i = 0; i < node_input(at->graph, node, 1)->count; i++)
        found |= 1 << ((axes[i] < 0 ? axes[i] + in->rank : axes[i]) & 7);
    if (in->rank != 4 || found != (1 << 1 | 1 << 2))
        return refuse(at, entry, node, "found a mean over other axes, expected height and width (1, 2) of 4");
    node->x = whole_axis(in->w);
    node->y = whole_axis(in->h);
    node->c = whole_axis(1);
    node->input_count = 1;
    return true;
}

static bool read_transpose(struct reading *at, const struct flat_table *entry, struct node *node) {
    const struct tensor *in = node_input(at->graph, node, 0), *out = node_output(at->graph, node);
    const int32_t *order = constant(at, entry, node, 1, (size_t)in->rank, "order");
    unsigned seen = 0;
    if (!order)
        return false;
    if (in->data)
        return refuse(at, entry, node, "found a constant, expected a tensor that is computed");
    for (int i = 0; i < 4; i++)
        node->order[i] = i;
    for (int i = 0; i < in->rank; i++) {
        /* Dimensions are counted from the last, the channels, but for the batch. */
        const int to = i ? i + 4 - in->rank : 0, from = order[i] > 0 ? order[i] + 4 - in->rank : order[i];
        if (order[i] >= in->rank || from < 0 || seen & 1U << from || (i == 0 && from != 0) || out->rank != in->rank ||
            out->dims[i] != in->dims[order[i]])
            return refuse(at, entry, node,
                          "found dimension %d at place %d, expected each once, the batch first, and the "
                          "output's sides",
                          order[i], i);
        seen |= 1U << from;
        node->order[to] = from;
    }
    node->input_count = 1;
    return true;
}

static bool read_pad(struct reading *at, const struct flat_table *entry, struct node *node) {
    const int rank = node_input(at->graph, node, 0)->rank;
    const int32_t *pads = constant(at, entry, node, 1, 2 * (size_t)rank, "padding");
    struct axis batch = whole_axis(1), *const axes[] = {&batch, &node->y, &node->x, &node->c};
    if (!pads)
        return false;
    for (int i = 1; i < 4; i++)
        *axes[i] = whole_axis(1);
    for (int i = 0; i < rank; i++) {
        struct axis *axis = i == 0 && rank > 1 ? &batch : axes[i + 4 - rank];
        axis->before = pads[2 * i];
        axis->after = pads[2 * i + 1];
        if (axis->before < 0 || axis->before > TENSOR_SIDE_MAX || axis->after < 0 || axis->after > TENSOR_SIDE_MAX ||
            (axis == &batch && (batch.before || batch.after)))
            return refuse(at, entry, node,
                          "found padding of %d and %d in dimension %d, expected 0 to %d, 0 in the batch", axis->before,
                          axis->after, i, TENSOR_SIDE_MAX);
    }
    node->input_count = 1;
    return true;
}

static bool read_concatenation(struct reading *at, const struct flat_table *entry, const struct flat_table *options,
                               struct node *node) {
    const struct tensor *out = node_output(at->graph, node);
    int axis = number(at, options, 0, 4, "axis");
    axis = axis < 0 ? axis + out->rank : axis;
    at->activation = number(at, options, 1, 1, "activation");
    /* Dimensions are counted from the last, the channels: the graph's axes are those of 4. */
    node->axis = axis + 4 - out->rank;
    if (axis < 1 || axis >= out->rank)
        return refuse(at, entry, node, "found axis %d of %d, expected height, width or channels", axis, out->rank);
    return true;
}

static bool read_options(struct reading *at, const struct flat_table *entry, struct node *node) {
    const struct flat_table options = flat_table(&at->flat, entry, 4, "options");
    uint32_t bits;
    switch (node->kind) {
    case NODE_CONV:
    case NODE_DEPTHWISE:
    case NODE_AVERAGE_POOL:
    case NODE_MAX_POOL:
        return read_window(at, entry, &options, node);
    case NODE_FULLY_CONNECTED:
        return read_fully_connected(at, entry, &options, node);
    case NODE_ADD:
        at->activation = number(at, &options, 0, 1, "activation");
        return true;
    case NODE_MEAN:
        return read_mean(at, entry, node);
    case NODE_PAD:
        return read_pad(at, entry, node);
    case NODE_TRANSPOSE:
        return read_transpose(at, entry, node);
    case NODE_CONCATENATION:
        return read_concatenation(at, entry, &options, node);
    case NODE_RESHAPE:
        node->input_count = 1;
        return true;
    case NODE_SOFTMAX:
        node->axis = 3;
        bits = (uint32_t)flat_number(&at->flat, &options, 0, 4, "beta");
        memcpy(&node->beta, &bits, sizeof bits);
        return (isfinite(node->beta) && node->beta > 0) ||
               refuse(at, entry, node, "found beta %g, expected a finite number above 0", (double)node->beta);
    default:
        return true;
    }
}

/* Inputs or outputs as indices of tensors, GRAPH_NONE for absent ones. */
static bool read_indices(struct reading *at, const struct flat_table *entry, unsigned k, const char *what, int *list,
                         size_t *count, size_t most) {
    const struct flat_vector indices = flat_vector(&at->flat, entry, k, 4, what);
    if (indices.count > most)
        return flat_fail(&at->flat, entry->at, "node %zu: found %zu %s, expected at most %zu", entry->index,
                         indices.count, what, most);
    for (size_t i = 0; i < indices.count && !at->flat.failed; i++) {
        const int32_t index = (int32_t)flat_element(&at->flat, &indices, i, 4);
        if (index < GRAPH_NONE || (index >= 0 && (size_t)index >= at->graph->tensor_count))
            return flat_fail(&at->flat, entry->at, "%s %zu: found tensor %d in its %s, expected one of the %zu",
                             entry->what, entry->index, index, what, at->graph->tensor_count);
        list[i] = index;
    }
    *count = indices.count;
    return !at->flat.failed;
}

/* An operator's code in the file's list. */
struct operator_code {
    int code;
    unsigned version;
    char name[64];
};

static bool read_code(struct reading *at, const struct flat_table *entry, struct operator_code *operator) {
    const size_t index = (size_t)flat_number(&at->flat, entry, 0, 4, "operator code");
    if (at->flat.failed)
        return false;
    if (index >= at->codes.count)
        return flat_fail(&at->flat, entry->at, "node %zu: found operator code %zu, expected one of the file's %zu",
                         entry->index, index, at->codes.count);
    const struct flat_table code = flat_entry(&at->flat, &at->codes, index, "operator code");
    const int old = (int8_t)flat_number(&at->flat, &code, 0, 1, "code"), new = number(at, &code, 3, 4, "code");
    const struct flat_text custom = flat_text(&at->flat, &code, 1, "custom code");
    operator->code = old> new ? old : new;
    operator->version =(unsigned) number_or_1(at, &code, 2, "version");
    snprintf(operator->name, sizeof operator->name, "operator %d", operator->code);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].code == operator->code)
            snprintf(operator->name, sizeof operator->name, "%s", others[i].name);
    if (custom.text && custom.n)
        text_shown_bytes(custom.text, custom.n, operator->name, sizeof operator->name);
    return !at->flat.failed;
}

static const struct known_operator *find_operator(const struct operator_code *code) {
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (operators[i].code == code->code)
            return &operators[i];
    return NULL;
}

/* The name of the tensor that a node computes. */
static const char *output_name(struct reading *at, const struct flat_table *subgraph, const struct flat_table *entry,
                               char shown[64]) {
    const struct flat_vector tensors = flat_vector(&at->flat, subgraph, 0, 4, "tensors"),
                             outputs = flat_vector(&at->flat, entry, 2, 4, "outputs");
    const size_t output =
        outputs.count && !at->flat.failed ? (size_t)flat_element(&at->flat, &outputs, 0, 4) : SIZE_MAX;
    if (at->flat.failed || output >= tensors.count)
        return "?";
    const struct flat_table tensor = flat_entry(&at->flat, &tensors, output, "tensor");
    const struct flat_text name = flat_text(&at->flat, &tensor, 3, "name");
    return text_shown_bytes(name.text ? name.text : "", name.n, shown, 64);
}

/* What a network with some operators is, for whom its refusal surprises. */
static const char *kind_of_network(const struct text *names) {
    const char *all = names->text;
    if (strstr(all, "ethos-u"))
        return ". Vela has compiled this file for an Ethos-U: take the file that it was made from";
    if (strstr(all, "VAR_HANDLE") || strstr(all, "READ_VARIABLE"))
        return ". It is a streaming network, which keeps variables from one call to the next";
    if (strstr(all, "LSTM") || strstr(all, "SVDF") || strstr(all, "RNN"))
        return ". It is a recurrent network, which keeps a state, of int16, from one step to the next";
    return "";
}

/* Refuses a file with operators that are not supported, before anything else is judged: all of them, in one message. */
static bool check_operators(struct reading *at, const struct flat_vector *subgraphs) {
    struct text names = {0};
    size_t others_found = 0, all = 0, place = 0, number_of_first = 0;
    char tensor[64] = "", shown[64];
    bool seen[256] = {false};
    struct operator_code first = {0}, code;
    for (size_t g = 0; g < subgraphs->count && !at->flat.failed; g++) {
        const struct flat_table subgraph = flat_entry(&at->flat, subgraphs, g, "subgraph");
        const struct flat_vector list = flat_vector(&at->flat, &subgraph, 3, 4, "operators");
        for (size_t i = 0; i < list.count && !at->flat.failed; i++) {
            const struct flat_table entry = flat_entry(&at->flat, &list, i, "node");
            all++;
            if (!read_code(at, &entry, &code) || find_operator(&code))
                continue;
            if (!others_found++) {
                first = code;
                place = entry.at;
                number_of_first = i;
                snprintf(tensor, sizeof tensor, "%s", output_name(at, &subgraph, &entry, shown));
            }
            if (code.code == CODE_CUSTOM ? !names.text || !strstr(names.text, code.name) : !seen[code.code & 255])
                text_printf(&names, "%s%s", names.text ? ", " : "", code.name);
            seen[code.code & 255] = true;
        }
    }
    if (others_found && !at->flat.failed)
        flat_fail(&at->flat, place,
                  "node %zu, %s version %u, tensor \"%s\": found an operator that is not supported; docs/networks.md "
                  "lists those that are. Such are %zu of %zu nodes: %.512s%s",
                  number_of_first, first.name, first.version, tensor, others_found, all, names.text,
                  kind_of_network(&names));
    free(names.text);
    return !at->flat.failed;
}

static bool read_node(struct reading *at, const struct flat_table *entry, struct node *node) {
    static const size_t needed[NODE_KINDS] = {
        [NODE_CONV] = 2, [NODE_DEPTHWISE] = 2, [NODE_FULLY_CONNECTED] = 2, [NODE_ADD] = 2};
    int outputs[1] = {GRAPH_NONE};
    size_t output_count = 0;
    node->number = entry->index;
    if (!read_indices(at, entry, 1, "inputs", node->inputs, &node->input_count, NODE_INPUTS_MAX) ||
        !read_indices(at, entry, 2, "outputs", outputs, &output_count, 1))
        return false;
    node->output = outputs[0];
    struct operator_code code;
    const struct known_operator *known = read_code(at, entry, &code) ? find_operator(&code) : NULL;
    if (!known)
        return false;
    node->kind = known->kind;
    if (code.version < 1 || code.version > known->version)
        return refuse(at, entry, node, "found version %u, expected 1 to %u", code.version, known->version);
    at->activation = known->kind == NODE_RELU    ? ACTIVATION_RELU
                     : known->kind == NODE_CLIP  ? ACTIVATION_RELU_1
                     : known->kind == NODE_RELU6 ? ACTIVATION_RELU6
                                                 : ACTIVATION_NONE;
    const size_t inputs = needed[node->kind] ? needed[node->kind] : 1;
    if (node->output == GRAPH_NONE || node->input_count < inputs)
        return refuse(at, entry, node, "found %zu inputs and %zu outputs, expected at least %zu and 1",
                      node->input_count, output_count, inputs);
    const size_t all = node->kind == NODE_CONCATENATION ? node->input_count : inputs;
    for (size_t i = 0; i < all; i++)
        if (node->inputs[i] == GRAPH_NONE)
            return refuse(at, entry, node, "found input %zu absent, expected a tensor", i);
    for (size_t i = 0; i < all; i++) {
        const struct tensor *in = node_input(at->graph, node, i);
        if (in->rank > 0 && in->dims[0] != 1 && in->data == NULL && in->rank > 1)
            return refuse(at, entry, node, "found a batch of %d in input \"%s\", expected 1", in->dims[0], in->name);
    }
    if (!read_options(at, entry, node) || at->flat.failed)
        return false;
    if (at->activation < ACTIVATION_NONE || at->activation > ACTIVATION_RELU6)
        return refuse(at, entry, node,
                      "found activation %d, expected 0 (none), 1 (RELU), 2 (RELU_N1_TO_1) or 3 (RELU6)",
                      at->activation);
    node->groups = 1;
    if (node->kind == NODE_CONV)
        node->groups = node_input(at->graph, node, 0)->c / node_input(at->graph, node, 1)->dims[3];
    node->low = activations[at->activation][0];
    node->high = activations[at->activation][1];
    return true;
}

static void read_nodes(struct reading *at, const struct flat_table *subgraph) {
    struct graph *graph = at->graph;
    const struct flat_vector list = flat_vector(&at->flat, subgraph, 3, 4, "operators");
    if (list.count > NODES_MAX)
        flat_fail(&at->flat, list.at, "found %zu nodes, expected at most %d", list.count, NODES_MAX);
    if (at->flat.failed)
        return;
    graph->nodes = xcalloc(list.count, sizeof *graph->nodes);
    while (graph->node_count < list.count && !at->flat.failed) {
        const struct flat_table entry = flat_entry(&at->flat, &list, graph->node_count, "node");
        if (!read_node(at, &entry, &graph->nodes[graph->node_count]))
            return;
        graph->node_count++;
    }
}

/* ---- the whole ---- */

static int *read_ends(struct reading *at, const struct flat_table *subgraph, unsigned k, const char *what,
                      size_t *count) {
    enum { ENDS_MAX = 64 };
    int *list = xcalloc(ENDS_MAX, sizeof *list);
    if (!read_indices(at, subgraph, k, what, list, count, ENDS_MAX))
        return list;
    if (*count == 0)
        flat_fail(&at->flat, subgraph->at, "found no %s of the network, expected at least one", what);
    for (size_t i = 0; i < *count; i++)
        if (list[i] == GRAPH_NONE)
            flat_fail(&at->flat, subgraph->at, "found an absent tensor in the %s of the network", what);
    return list;
}

static void replace(int *list, size_t count, int old, int new, bool *found) {
    for (size_t i = 0; i < count; i++)
        if (list[i] == old) {
            list[i] = new;
            *found = true;
        }
}

static size_t count_readers(const struct graph *graph, int tensor) {
    size_t count = 0;
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].input_count; i++)
            count += graph->nodes[n].inputs[i] == tensor;
    return count;
}

/* A QUANTIZE between uint8 and int8. */
static bool changes_nothing(const struct graph *graph, const struct node *node) {
    const struct tensor *in = node_input(graph, node, 0), *out = node_output(graph, node);
    return node->kind == NODE_QUANTIZE && in->type == TENSOR_INT8 && out->type == TENSOR_INT8 &&
           in->scales[0] == out->scales[0] && in->zero == out->zero;
}

/* Takes a node away from the inputs or outputs of the network. */
static bool cut_end(struct graph *graph, const struct node *node) {
    const bool same = changes_nothing(graph, node);
    bool cut = false;
    if (node->kind == NODE_QUANTIZE &&
        (same ? count_readers(graph, node->inputs[0]) == 1 : node_input(graph, node, 0)->type == TENSOR_FLOAT))
        replace(graph->inputs, graph->input_count, node->inputs[0], node->output, &cut);
    if (!cut && (same ? count_readers(graph, node->output) == 0 : node->kind == NODE_DEQUANTIZE))
        replace(graph->outputs, graph->output_count, node->output, node->inputs[0], &cut);
    return cut;
}

/* A SOFTMAX or LOGISTIC of float32 behind a DEQUANTIZE takes the integers, as the processor's task does. */
static void take_integers(struct graph *graph) {
    for (size_t n = 0; n < graph->node_count; n++) {
        struct node *node = &graph->nodes[n];
        struct tensor *out = &graph->tensors[node->output];
        for (size_t k = 0; k < n && node_of_processor(node) && out->type == TENSOR_FLOAT && !out->data; k++)
            if (graph->nodes[k].kind == NODE_DEQUANTIZE && graph->nodes[k].output == node->inputs[0]) {
                node->inputs[0] = graph->nodes[k].inputs[0];
                out->type = TENSOR_INT8;
                out->scales[0] = 1 / 256.0F;
                out->scale_count = 1;
                out->zero = INT8_MIN;
            }
    }
}

/* The accelerator's inputs and outputs are INT8: a QUANTIZE of an input, a DEQUANTIZE to an output, a change to or from
 * uint8 are left to who fills and reads them. */
static bool cut_ends(struct reading *at) {
    struct graph *graph = at->graph;
    size_t kept = 0;
    take_integers(graph);
    for (size_t n = 0; n < graph->node_count; n++) {
        const struct node *node = &graph->nodes[n];
        const bool unread = node->kind == NODE_DEQUANTIZE && count_readers(graph, node->output) == 0;
        if (cut_end(graph, node) || unread)
            continue;
        if (node->kind == NODE_DEQUANTIZE ||
            (node->kind == NODE_QUANTIZE && node_input(graph, node, 0)->type == TENSOR_FLOAT)) {
            char where[NODE_TEXT];
            return error_set(at->flat.err,
                             "%s: found it inside the network, expected it only at an input or an output: the "
                             "accelerator computes INT8",
                             node_text(graph, node, where));
        }
        graph->nodes[kept++] = *node;
    }
    graph->node_count = kept;
    return true;
}

static bool check_ends(struct reading *at) {
    struct graph *graph = at->graph;
    for (size_t i = 0; i < graph->input_count + graph->output_count; i++) {
        const bool in = i < graph->input_count;
        const struct tensor *tensor =
            graph_tensor(graph, in ? graph->inputs[i] : graph->outputs[i - graph->input_count]);
        if (tensor->type != TENSOR_INT8 || tensor->data)
            return error_set(at->flat.err, "%s: found %s \"%s\" to be %s, expected computed int8", graph->path,
                             in ? "input" : "output", tensor->name, tensor->data ? "a constant" : "no int8");
        if (tensor->rank > 1 && tensor->dims[0] != 1)
            return error_set(at->flat.err, "%s: found a batch of %d in \"%s\", expected 1", graph->path,
                             tensor->dims[0], tensor->name);
        for (size_t k = 0; k < i && k < graph->input_count; k++)
            if (in && graph->inputs[k] == graph->inputs[i])
                return error_set(at->flat.err, "%s: found input \"%s\" twice, expected each once", graph->path,
                                 tensor->name);
    }
    return true;
}

static void read_model(struct reading *at) {
    if (at->flat.n < 8 || memcmp(at->flat.bytes + 4, "TFL3", 4) != 0) {
        flat_fail(&at->flat, 4, "found no identifier TFL3, expected a TFLite file");
        return;
    }
    const struct flat_table root = flat_root(&at->flat, "TFLite file");
    const int version = number(at, &root, 0, 4, "version");
    if (!at->flat.failed && version != TFLITE_VERSION)
        flat_fail(&at->flat, root.at, "found version %d of the format, expected %d", version, TFLITE_VERSION);
    at->codes = flat_vector(&at->flat, &root, 1, 4, "operator codes");
    at->buffers = flat_vector(&at->flat, &root, 4, 4, "buffers");
    const struct flat_vector subgraphs = flat_vector(&at->flat, &root, 2, 4, "subgraphs");
    if (!at->flat.failed && check_operators(at, &subgraphs) && subgraphs.count != 1)
        flat_fail(&at->flat, root.at, "found %zu subgraphs, expected 1", subgraphs.count);
    if (at->flat.failed)
        return;
    const struct flat_table subgraph = flat_entry(&at->flat, &subgraphs, 0, "subgraph");
    read_tensors(at, &subgraph);
    at->graph->inputs = read_ends(at, &subgraph, 1, "inputs", &at->graph->input_count);
    at->graph->outputs = read_ends(at, &subgraph, 2, "outputs", &at->graph->output_count);
    if (!at->flat.failed)
        read_nodes(at, &subgraph);
}

struct graph *tflite_parse(const char *path, const void *bytes, size_t n, struct error *err) {
    struct reading at = {.flat = flat_open(path, bytes, n, err), .graph = xcalloc(1, sizeof *at.graph)};
    at.graph->path = text_shown(path);
    read_model(&at);
    if (!at.flat.failed && layout_settle(at.graph, err) && cut_ends(&at) && check_ends(&at) &&
        graph_check(at.graph, err))
        return at.graph;
    graph_free(at.graph);
    return NULL;
}

struct graph *tflite_read(const char *path, struct error *err) {
    char *bytes;
    size_t n;
    if (!file_read(path, &bytes, &n, err))
        return NULL;
    struct graph *graph = tflite_parse(path, bytes, n, err);
    if (graph)
        graph->file = bytes;
    else
        free(bytes);
    return graph;
}
