/* Quantised networks in memory. See graph.h. */
#include "quantised/graph.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

bool is_quantised(const char *path) {
    return text_ends_with(path, ".tflite") || text_ends_with(path, ".onnx");
}

void graph_free(struct graph *graph) {
    if (!graph)
        return;
    for (size_t i = 0; i < graph->tensor_count; i++) {
        free(graph->tensors[i].name);
        free(graph->tensors[i].scales);
    }
    for (size_t i = 0; i < graph->owned_count; i++)
        free(graph->owned[i]);
    free(graph->owned);
    free(graph->tensors);
    free(graph->nodes);
    free(graph->inputs);
    free(graph->outputs);
    free(graph->orders);
    free(graph->file);
    free(graph->path);
    free(graph);
}

/* "PATH: node 3, CONV_2D, tensor \"x\"": a node in messages; the tensor is its output. Returns text. */
enum { NODE_TEXT = 512 };
static const char *node_text(const struct graph *graph, const struct node *node, char text[NODE_TEXT]) {
    snprintf(text, NODE_TEXT, "%s: node %zu, %s, tensor \"%s\"", graph->path, node->number, node_name(node),
             node_output(graph, node)->name);
    return text;
}

bool node_refuse(const struct graph *graph, const struct node *node, struct error *err, const char *format, ...) {
    char where[NODE_TEXT];
    va_list arguments;
    va_start(arguments, format);
    autofree char *what = xvprintf(format, arguments);
    va_end(arguments);
    error_set(err, "%s: %s", node_text(graph, node, where), what);
    return false;
}

void *graph_own(struct graph *graph, size_t bytes) {
    return *xadd(graph->owned, graph->owned_count) = xcalloc(bytes + 1, 1);
}

void strided_copy(const struct strided *from, const void *bytes, size_t element, void *to) {
    int64_t counter[STRIDED_SIDES] = {0}, place = from->start, count = 1;
    for (size_t d = 0; d < from->rank; d++)
        count *= from->sides[d];
    for (uint8_t *next = to; count-- > 0; next += element) {
        memcpy(next, (const uint8_t *)bytes + (size_t)place * element, element);
        for (size_t d = from->rank; d-- > 0;) {
            place += from->strides[d];
            if (++counter[d] < from->sides[d])
                break;
            place -= from->strides[d] * from->sides[d];
            counter[d] = 0;
        }
    }
}

size_t graph_readers(const struct graph *graph, int tensor) {
    size_t count = 0;
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].input_count; i++)
            count += graph->nodes[n].inputs[i] == tensor;
    return count;
}

struct node *graph_reader(const struct graph *graph, int tensor, const struct node *after) {
    for (size_t n = after ? (size_t)(after - graph->nodes) + 1 : 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].input_count; i++)
            if (graph->nodes[n].inputs[i] == tensor)
                return &graph->nodes[n];
    return NULL;
}

struct node *graph_producer(const struct graph *graph, int tensor) {
    for (size_t n = 0; n < graph->node_count; n++)
        if (graph->nodes[n].output == tensor)
            return &graph->nodes[n];
    return NULL;
}

/* ---- values ---- */

static int limit_code(const struct tensor *out, double limit) {
    const double code = out->zero + round(limit / (double)out->scales[0]);
    return code < INT8_MIN ? INT8_MIN : code > INT8_MAX ? INT8_MAX : (int)code;
}

struct limits node_limits(const struct graph *graph, const struct node *node) {
    const struct tensor *out = node_output(graph, node);
    return (struct limits){limit_code(out, node->low), limit_code(out, node->high)};
}

double kernel_factor(const struct graph *graph, const struct node *node, size_t k) {
    const struct tensor *in = node_input(graph, node, 0), *weights = node_input(graph, node, 1);
    const double out = (double)node_output(graph, node)->scales[0];
    const float of_kernel = fabsf(kernel_scale(weights, k));
    if (node->kind == NODE_FULLY_CONNECTED && weights->scale_count == 1)
        return (double)(in->scales[0] * of_kernel) / out;
    return (double)in->scales[0] * (double)of_kernel / out;
}

int32_t kernel_bias(const struct graph *graph, const struct node *node, size_t k) {
    if (node->input_count < 3 || node->inputs[2] == GRAPH_NONE)
        return 0;
    return ((const int32_t *)node_input(graph, node, 2)->data)[k];
}

/* ---- checks ---- */

struct node_check {
    const struct graph *graph;
    const struct node *node;
    const struct tensor *in, *out; /* the node's first input and output */
    struct error *err;
};

#define refuse(at, ...) node_refuse((at)->graph, (at)->node, (at)->err, __VA_ARGS__)

static bool check_values(const struct node_check *at, int index, const char *what) {
    const struct tensor *tensor = graph_tensor(at->graph, index);
    if (tensor->type != TENSOR_INT8)
        return refuse(at, "found its %s \"%s\" to be %s, expected int8: quantise the whole network to INT8", what,
                      tensor->name, tensor->type == TENSOR_FLOAT ? "float32" : "int32");
    if (tensor->scale_count != 1 && !tensor->data)
        return refuse(at, "found %zu scales of its %s \"%s\", expected one", tensor->scale_count, what, tensor->name);
    if (tensor->data && tensor->count != (size_t)tensor->h * (size_t)tensor->w * (size_t)tensor->c)
        return refuse(at, "found %zu elements of its %s \"%s\", expected %d x %d x %d (h, w, c) and a batch of 1",
                      tensor->count, what, tensor->name, tensor->h, tensor->w, tensor->c);
    return true;
}

static bool same_scale(const struct tensor *a, const struct tensor *b) {
    return a->scales[0] == b->scales[0] && a->zero == b->zero;
}

static bool same_shape(const struct tensor *a, const struct tensor *b) {
    return a->h == b->h && a->w == b->w && a->c == b->c;
}

static bool check_addition(const struct node_check *at) {
    const struct tensor *out = at->out, *a = at->in, *b = node_input(at->graph, at->node, 1);
    if (!check_values(at, at->node->inputs[1], "input"))
        return false;
    for (int i = HEIGHT; i <= CHANNELS; i++) {
        const int first = a->sides[i], second = b->sides[i], most = first > second ? first : second;
        if ((first != most && first != 1) || (second != most && second != 1) || out->sides[i] != most)
            return refuse(at,
                          "found inputs of %d x %d x %d and %d x %d x %d (h, w, c) and an output of %d x %d x %d, "
                          "expected the same sides, or 1, which is repeated",
                          a->h, a->w, a->c, b->h, b->w, b->c, out->h, out->w, out->c);
    }
    return true;
}

static bool check_axis(const struct node_check *at, const struct axis *axis, int in, int out, const char *name) {
    if (axis->size < 1 || axis->stride < 1 || axis->dilation < 1 || axis->before < 0 || axis->after < 0 ||
        axis->size > TENSOR_SIDE_MAX || axis->stride > TENSOR_SIDE_MAX || axis->dilation > TENSOR_SIDE_MAX)
        return refuse(at, "found a window of %d with stride %d and dilation %d in %s, expected 1 to %d of each",
                      axis->size, axis->stride, axis->dilation, name, TENSOR_SIDE_MAX);
    const int64_t room = (int64_t)in + axis->before + axis->after - (int64_t)(axis->size - 1) * axis->dilation - 1;
    if (room < 0 || room / axis->stride + 1 != out)
        return refuse(at, "found %d outputs in %s, expected %lld from %d inputs, windows of %d and stride %d", out,
                      name, room < 0 ? 0 : (long long)(room / axis->stride + 1), in, axis->size, axis->stride);
    return true;
}

static bool check_weights(const struct node_check *at, size_t expected, size_t kernels) {
    const struct tensor *weights = node_input(at->graph, at->node, 1);
    if (!weights->data || weights->type != TENSOR_INT8)
        return refuse(at, "found weights \"%s\" that are not constants of int8, expected such", weights->name);
    if (weights->count != expected)
        return refuse(at, "found %zu weights, expected %zu", weights->count, expected);
    if (weights->zero != 0)
        return refuse(at, "found a zero point of %d of its weights, expected 0: quantise weights symmetrically",
                      weights->zero);
    if (weights->scale_count != 1 && weights->scale_count != kernels)
        return refuse(at, "found %zu scales of its weights, expected 1 or %zu, one for each kernel",
                      weights->scale_count, kernels);
    const int sliced = at->node->kind == NODE_DEPTHWISE ? weights->rank - 1 : 0;
    if (weights->scale_count > 1 && weights->sliced != sliced)
        return refuse(at, "found its weights quantised along dimension %d, expected %d", weights->sliced, sliced);
    for (size_t k = 0; k < weights->scale_count; k++) {
        const double factor = kernel_factor(at->graph, at->node, k);
        if (!(factor >= 0 && factor < 65536))
            return refuse(at, "found scales with a factor of %g from sums to results, expected less than 65536",
                          factor);
    }
    if (at->node->input_count > 2 && at->node->inputs[2] != GRAPH_NONE) {
        const struct tensor *bias = node_input(at->graph, at->node, 2);
        if (!bias->data || bias->type != TENSOR_INT32 || bias->count != kernels)
            return refuse(at, "found a bias \"%s\" of %zu values, expected a constant of %zu int32", bias->name,
                          bias->count, kernels);
    }
    return true;
}

static bool check_convolution(const struct node_check *at) {
    const struct node *node = at->node;
    const struct tensor *in = at->in, *out = at->out;
    const size_t taps = (size_t)node->x.size * (size_t)node->y.size;
    if (!check_axis(at, &node->y, in->h, out->h, "height") || !check_axis(at, &node->x, in->w, out->w, "width"))
        return false;
    if (node->kind == NODE_DEPTHWISE) {
        if (out->c % in->c)
            return refuse(at, "found %d output channels, expected a multiple of the %d of its input", out->c, in->c);
        return check_weights(at, taps * (size_t)out->c, (size_t)out->c);
    }
    if (node->groups < 1 || in->c % node->groups || out->c % node->groups)
        return refuse(at, "found %d groups of %d channels and %d kernels, expected as many in each", node->groups,
                      in->c, out->c);
    return check_weights(at, taps * (size_t)(in->c / node->groups) * (size_t)out->c, (size_t)out->c);
}

static bool check_pool(const struct node_check *at) {
    const struct node *node = at->node;
    const struct tensor *in = at->in, *out = at->out;
    if (node->kind == NODE_MEAN && (node->c.size != 1 || node->x.size != in->w || node->y.size != in->h))
        return refuse(at, "found a mean over other axes, expected height and width");
    if (in->c != out->c)
        return refuse(at, "found %d channels of its output, expected the %d of its input", out->c, in->c);
    if (node->kind != NODE_MEAN && !same_scale(in, out))
        return refuse(at, "found other scales of its output than of its input, expected the same");
    return check_axis(at, &node->y, in->h, out->h, "height") && check_axis(at, &node->x, in->w, out->w, "width");
}

static bool check_concatenation(const struct node_check *at) {
    const struct node *node = at->node;
    const struct tensor *out = at->out;
    int sum = 0;
    for (size_t i = 0; i < node->input_count; i++) {
        const struct tensor *in = node_input(at->graph, node, i);
        if (!check_values(at, node->inputs[i], "input"))
            return false;
        for (int a = HEIGHT; a <= CHANNELS; a++)
            if (a != node->axis && in->sides[a] != out->sides[a])
                return refuse(
                    at, "found input \"%s\" of another size than the output, expected another only along its axis",
                    in->name);
        sum += in->sides[node->axis];
    }
    const int whole = out->sides[node->axis];
    return sum == whole || refuse(at, "found inputs of %d along its axis, expected the %d of its output", sum, whole);
}

static bool check_pad(const struct node_check *at) {
    const struct node *node = at->node;
    const struct tensor *in = at->in, *out = at->out;
    if (!same_scale(in, out))
        return refuse(at, "found other scales of its output than of its input, expected the same");
    for (int i = HEIGHT; i <= CHANNELS; i++)
        if (in->sides[i] + node->axes[i].before + node->axes[i].after != out->sides[i])
            return refuse(at, "found an output of %d x %d x %d, expected the padded input", out->h, out->w, out->c);
    return true;
}

static bool check_reshape(const struct node_check *at) {
    return (at->in->count == at->out->count && same_scale(at->in, at->out)) ||
           refuse(at, "found %zu elements of its output, expected the %zu of its input, and its scales", at->out->count,
                  at->in->count);
}

static bool check_elements(const struct node_check *at) {
    return same_shape(at->in, at->out) ||
           refuse(at, "found an output of another size than its input, expected the same");
}

static bool along_channels(const struct node_check *at) {
    return at->node->axis == CHANNELS ||
           refuse(at, "found it along %s, expected along the channels", at->node->axis == HEIGHT ? "height" : "width");
}

static bool check_softmax(const struct node_check *at) {
    return along_channels(at) && check_elements(at);
}

static bool check_arg_max(const struct node_check *at) {
    const struct tensor *in = at->in, *out = at->out;
    if (!along_channels(at))
        return false;
    if (out->type != TENSOR_INDEX || out->h != in->h || out->w != in->w || out->c != 1)
        return refuse(at, "found an output of another form, expected an index for each pixel");
    return graph_readers(at->graph, at->node->output) == 0 ||
           refuse(at, "found another node that reads its indices, expected it at an output");
}

static const struct {
    const char *name;
    bool (*check)(const struct node_check *at);
} kinds[NODE_KINDS] = {
    [NODE_CONV] = {"CONV_2D", check_convolution},
    [NODE_DEPTHWISE] = {"DEPTHWISE_CONV_2D", check_convolution},
    [NODE_FULLY_CONNECTED] = {"FULLY_CONNECTED", check_convolution},
    [NODE_ADD] = {"ADD", check_addition},
    [NODE_AVERAGE_POOL] = {"AVERAGE_POOL_2D", check_pool},
    [NODE_MAX_POOL] = {"MAX_POOL_2D", check_pool},
    [NODE_MEAN] = {"MEAN", check_pool},
    [NODE_RESHAPE] = {"RESHAPE", check_reshape},
    [NODE_PAD] = {"PAD", check_pad},
    [NODE_CONCATENATION] = {"CONCATENATION", check_concatenation},
    [NODE_RELU] = {"RELU", check_elements},
    [NODE_RELU6] = {"RELU6", check_elements},
    [NODE_CLIP] = {"CLIP", check_elements},
    [NODE_SOFTMAX] = {"SOFTMAX", check_softmax},
    [NODE_LOG_SOFTMAX] = {"LOG_SOFTMAX", check_softmax},
    [NODE_ARG_MAX] = {"ARG_MAX", check_arg_max},
    [NODE_LOGISTIC] = {"LOGISTIC", check_elements},
    [NODE_QUANTIZE] = {"QUANTIZE", check_elements},
    [NODE_DEQUANTIZE] = {"DEQUANTIZE", check_elements},
    [NODE_TRANSPOSE] = {"TRANSPOSE", check_elements},
};

const char *node_name(const struct node *node) {
    return kinds[node->kind].name;
}

static bool check_node(const struct node_check *at) {
    const struct node *node = at->node;
    const bool is_float = node->kind == NODE_QUANTIZE || node->kind == NODE_DEQUANTIZE;
    if (!(is_float && at->in->type == TENSOR_FLOAT) && !check_values(at, node->inputs[0], "input"))
        return false;
    if (!(is_float && at->out->type == TENSOR_FLOAT) && node->kind != NODE_ARG_MAX &&
        !check_values(at, node->output, "output"))
        return false;
    return kinds[node->kind].check(at);
}

bool graph_check(const struct graph *graph, struct error *err) {
    autofree bool *known = xcalloc(graph->tensor_count + 1, sizeof *known);
    bool fine = true;
    for (size_t i = 0; i < graph->tensor_count; i++)
        known[i] = graph->tensors[i].data != NULL;
    for (size_t i = 0; i < graph->input_count; i++)
        known[graph->inputs[i]] = true;
    for (size_t n = 0; fine && n < graph->node_count; n++) {
        const struct node *node = &graph->nodes[n];
        const struct node_check at = {graph, node, node_input(graph, node, 0), node_output(graph, node), err};
        for (size_t i = 0; fine && i < node->input_count; i++)
            if (node->inputs[i] != GRAPH_NONE && !known[node->inputs[i]])
                fine = node_refuse(graph, node, err,
                                   "found input \"%s\", which nothing before computes; expected nodes in order",
                                   node_input(graph, node, i)->name);
        if (fine && known[node->output])
            fine = node_refuse(graph, node, err,
                               "found an output that is already known, expected each tensor computed once");
        fine = fine && check_node(&at);
        known[node->output] = true;
    }
    for (size_t i = 0; fine && i < graph->output_count; i++)
        if (!known[graph->outputs[i]])
            fine = error_set(err, "%s: found output \"%s\", which no node computes; expected one that does",
                             graph->path, graph_tensor(graph, graph->outputs[i])->name);
    return fine;
}
