/* ONNX operators as nodes of the graph. See onnx.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/onnx_reading.h"

/* ---- nodes ---- */

/* What an operator takes as its input: a cube; or a cube made a row; or one whose scale is not known yet, too. */
enum takes { CUBES, ROWS, UNSCALED };

/* A tensor that an operator reads; GRAPH_NONE with a message. */
static int activation_input(struct onnx_reading *at, size_t i, enum takes takes) {
    const struct onnx_value *value = onnx_input(at, i);
    if (!value || value->tensor == GRAPH_NONE) {
        onnx_refuse(at, "found its input %zu to be no result of a node before, expected one", i);
        return GRAPH_NONE;
    }
    const bool later = takes == UNSCALED && !value->real; /* its scale becomes known with that of the result */
    if (!at->tensors[value->tensor].quantised && !later) {
        onnx_refuse(at,
                    "found its input \"%s\" as float32, expected it quantised: QuantizeLinear and DequantizeLinear "
                    "before it",
                    value->name);
        return GRAPH_NONE;
    }
    const struct onnx_tensor *about = &at->tensors[value->tensor];
    if (about->flat && takes == CUBES && about->c > 1 && about->h * about->w > 1) {
        onnx_refuse(at, "found its input \"%s\" to be a cube made a row, expected that only before Gemm and MatMul",
                    value->name);
        return GRAPH_NONE;
    }
    return value->tensor;
}

/* Defines output 0 as a new tensor that a new node computes. NULL with a message. */
static struct node *node_new(struct onnx_reading *at, enum node_kind kind, int input, const int sides[3], int rank) {
    struct graph *graph = at->graph;
    if (at->node->n_output < 1) {
        onnx_refuse(at, "found no output, expected one");
        return NULL;
    }
    struct onnx_value *value = onnx_define(at, at->node->output[0]);
    if (!value || (value->tensor = onnx_tensor_new(at, value->name, sides, rank)) == GRAPH_NONE)
        return NULL;
    value->real = true;
    graph->nodes = xgrow(graph->nodes, graph->node_count, sizeof *graph->nodes);
    struct node *node = &graph->nodes[graph->node_count++];
    const struct axis point = {.size = 1, .stride = 1, .dilation = 1};
    *node = (struct node){.kind = kind, .number = at->number, .output = value->tensor, .x = point, .y = point};
    node->inputs[node->input_count++] = input;
    at->tensors[value->tensor].producer = graph->node_count;
    return node;
}

static int output_of(const struct onnx_reading *at) {
    return at->graph->nodes[at->graph->node_count - 1].output;
}

/* The result has the scale of a tensor. */
static bool keep_scale(struct onnx_reading *at, int from) {
    const int to = output_of(at);
    at->graph->tensors[to].scales[0] = at->graph->tensors[from].scales[0];
    at->graph->tensors[to].zero = at->graph->tensors[from].zero;
    at->tensors[to].quantised = at->tensors[from].quantised;
    at->tensors[to].shifted = at->tensors[from].shifted;
    at->values[at->value_count - 1]->real = onnx_input(at, 0)->real;
    return true;
}

/* A new name for a tensor. */
static bool alias(struct onnx_reading *at, int tensor, bool real) {
    struct onnx_value *value = at->node->n_output ? onnx_define(at, at->node->output[0]) : NULL;
    if (!value)
        return onnx_refuse(at, "found no output, expected one");
    value->tensor = tensor;
    value->real = real;
    return true;
}

/* Sets the scales of the inputs and the output of an operator on integers, from its inputs that say them. */
static bool scale_from(struct onnx_reading *at, int tensor, size_t scale, size_t zero) {
    const Onnx__Tensor *s = onnx_constant(at, scale, false), *z = onnx_constant(at, zero, true);
    return s && !at->failed && onnx_set_scale(at, tensor, s, z);
}

/* The same of the result, which is integers then. */
static bool result_scale(struct onnx_reading *at, size_t scale, size_t zero) {
    at->values[at->value_count - 1]->real = false;
    return scale_from(at, output_of(at), scale, zero);
}

static int integer_input(struct onnx_reading *at, size_t i, size_t scale, size_t zero, enum takes takes) {
    const struct onnx_value *value = onnx_input(at, i);
    if (value && value->tensor != GRAPH_NONE && !scale_from(at, value->tensor, scale, zero))
        return GRAPH_NONE;
    return activation_input(at, i, takes);
}

/* ---- windows ---- */

/* The i-th of a list of whole numbers along height and width; of one axis, width. */
static bool window_number(struct onnx_reading *at, const char *name, int spatial, int axis, int least, int *number) {
    const Onnx__Attribute *list = onnx_attribute(at, name);
    const int at_list = axis - (2 - spatial);
    if (!list || at_list < 0)
        return true;
    if (list->n_ints < (size_t)spatial)
        return onnx_refuse(at, "found %zu numbers in %s, expected %d", list->n_ints, name, spatial);
    const int64_t value = list->ints[at_list];
    if (value < least || value > TENSOR_SIDE_MAX)
        return onnx_refuse(at, "found %" PRId64 " in %s, expected %d to %d", value, name, least, TENSOR_SIDE_MAX);
    *number = (int)value;
    return true;
}

static bool set_padding(struct onnx_reading *at, struct axis *axis, int spatial, int which, int in) {
    const Onnx__Attribute *automatic = onnx_attribute(at, "auto_pad"), *pads = onnx_attribute(at, "pads");
    const int place = which - (2 - spatial);
    const char *form = automatic && automatic->has_s ? (const char *)automatic->s.data : "";
    const size_t n = automatic && automatic->has_s ? automatic->s.len : 0;
    if (n > 4 && memcmp(form, "SAME", 4) == 0) {
        const int64_t results = ((int64_t)in + axis->stride - 1) / axis->stride;
        const int64_t total = (results - 1) * axis->stride + (int64_t)(axis->size - 1) * axis->dilation + 1 - in;
        const int more = total > 0 && total <= TENSOR_SIDE_MAX ? (int)total : 0;
        axis->before = form[n - 1] == 'R' && n == 10 && form[5] == 'L' ? more - more / 2 : more / 2;
        axis->after = more - axis->before;
        return true;
    }
    if (!pads || place < 0 || (n == 5 && memcmp(form, "VALID", 5) == 0))
        return true;
    if (pads->n_ints != 2 * (size_t)spatial)
        return onnx_refuse(at, "found %zu numbers in pads, expected %d", pads->n_ints, 2 * spatial);
    const int64_t before = pads->ints[place], after = pads->ints[place + spatial];
    if (before < 0 || after < 0 || before > TENSOR_SIDE_MAX || after > TENSOR_SIDE_MAX)
        return onnx_refuse(at, "found padding of %" PRId64 " and %" PRId64 ", expected 0 to %d", before, after,
                           TENSOR_SIDE_MAX);
    axis->before = (int)before;
    axis->after = (int)after;
    return true;
}

/* The window of an operator, and the size of what comes out. */
static bool read_window(struct onnx_reading *at, int tensor, struct axis axes[2], int sides[3]) {
    const struct tensor *in = graph_tensor(at->graph, tensor);
    const int spatial = in->rank - 2, from[] = {in->h, in->w};
    if (spatial < 1)
        return onnx_refuse(at, "found its input with %d dimensions, expected 3 or 4", in->rank);
    for (int i = 0; i < 2; i++) {
        axes[i].stride = axes[i].dilation = 1;
        if (!window_number(at, "kernel_shape", spatial, i, 1, &axes[i].size) ||
            !window_number(at, "strides", spatial, i, 1, &axes[i].stride) ||
            !window_number(at, "dilations", spatial, i, 1, &axes[i].dilation) ||
            !set_padding(at, &axes[i], spatial, i, from[i]))
            return false;
        sides[i] = axis_result(&axes[i], from[i]);
        if (from[i] + axes[i].before + axes[i].after < (axes[i].size - 1) * axes[i].dilation + 1)
            return onnx_refuse(at, "found a window of %d in %d elements, expected it inside", axes[i].size, from[i]);
    }
    if (onnx_attribute_or(at, "ceil_mode", 0) != 0)
        return onnx_refuse(at, "found ceil_mode, expected sizes rounded down");
    return true;
}

/* ---- weights ---- */

/* Operands of a convolution or a product; scales NULL: those of dequantised values. */
struct operands {
    int in;
    const Onnx__Tensor *weights, *scale, *zero, *bias;
};

/* Elements of dequantised constants: their weights, scale, zero points. */
static bool real_operands(struct onnx_reading *at, enum takes takes, struct operands *operands) {
    const struct onnx_value *weights = onnx_input(at, 1), *bias = onnx_input(at, 2);
    operands->in = activation_input(at, 0, takes);
    if (operands->in == GRAPH_NONE)
        return false;
    if (!weights || !weights->constant || !weights->scale)
        return onnx_refuse(at, "found its weights not to be a constant behind DequantizeLinear, expected such");
    if (bias && !bias->constant)
        return onnx_refuse(at, "found its bias not to be a constant, expected one");
    *operands =
        (struct operands){operands->in, weights->constant, weights->scale, weights->zero, bias ? bias->constant : NULL};
    return true;
}

static bool check_weights(struct onnx_reading *at, const struct operands *o, size_t kernels) {
    const int type = o->weights->data_type;
    const size_t scales = onnx_count(o->scale), zeros = o->zero ? onnx_count(o->zero) : 0;
    if ((type != ONNX_INT8 && type != ONNX_UINT8) || o->scale->data_type != ONNX_FLOAT)
        return onnx_refuse(at, "found weights of type %d, expected 2 (uint8) or 3 (int8) with scales of float32", type);
    if (scales != 1 && scales != kernels)
        return onnx_refuse(at, "found %zu scales of its weights, expected 1 or %zu, one for each kernel", scales,
                           kernels);
    for (size_t i = 0; i < zeros; i++)
        if ((o->zero->data_type != ONNX_INT8 && o->zero->data_type != ONNX_UINT8) ||
            onnx_integer(o->zero, i) != (type == ONNX_UINT8 ? 128 : 0))
            return onnx_refuse(at,
                               "found a zero point of %" PRId64 " of its weights, expected %d: quantise weights "
                               "symmetrically",
                               onnx_integer(o->zero, i), type == ONNX_UINT8 ? 128 : 0);
    if (!zeros && type == ONNX_UINT8)
        return onnx_refuse(at, "found a zero point of 0 of its weights, expected 128: quantise weights symmetrically");
    for (size_t i = 0; i < scales; i++)
        if (!(isfinite(onnx_float(o->scale, i)) && onnx_float(o->scale, i) > 0))
            return onnx_refuse(at, "found scale %g of its weights, expected a finite number above 0",
                               (double)onnx_float(o->scale, i));
    if (o->bias &&
        (onnx_count(o->bias) != kernels || (o->bias->data_type != ONNX_INT32 && o->bias->data_type != ONNX_FLOAT)))
        return onnx_refuse(at, "found a bias of %zu values, expected %zu of int32 or float32", onnx_count(o->bias),
                           kernels);
    return true;
}

/* Elements are indexed by the graph's order: place(layout, i) is that of element i in the file. */
struct layout {
    size_t kernels, channels, rows, columns;
    bool transposed, depthwise;
};

static size_t place(const struct layout *l, size_t i) {
    if (l->depthwise) { /* [row][column][kernel] */
        const size_t k = i % l->kernels, tap = i / l->kernels;
        return k * l->rows * l->columns + tap;
    }
    const size_t taps = l->rows * l->columns, size = taps * l->channels, k = i / size, rest = i % size;
    const size_t in_file = rest % l->channels * taps + rest / l->channels; /* [channel][row][column] */
    return l->transposed ? in_file * l->kernels + k : k * size + in_file;
}

/* Adds weights and bias to the node that was made last. */
static bool add_weights(struct onnx_reading *at, const struct operands *o, const struct layout *l, const int *dims,
                        int rank) {
    const size_t scales = onnx_count(o->scale);
    void *elements;
    const int weights = onnx_constant_new(at, o->weights, TENSOR_INT8, dims, rank, &elements);
    if (weights == GRAPH_NONE)
        return false;
    struct tensor *tensor = &at->graph->tensors[weights];
    tensor->scales = xrealloc(tensor->scales, scales * sizeof *tensor->scales);
    tensor->scale_count = scales;
    tensor->sliced = l->depthwise ? rank - 1 : 0;
    for (size_t i = 0; i < scales; i++)
        tensor->scales[i] = onnx_float(o->scale, i);
    for (size_t i = 0; i < tensor->count; i++)
        ((int8_t *)elements)[i] =
            (int8_t)(onnx_integer(o->weights, place(l, i)) - (o->weights->data_type == ONNX_UINT8 ? 128 : 0));
    struct node *node = &at->graph->nodes[at->graph->node_count - 1];
    node->inputs[node->input_count++] = weights;
    if (!o->bias)
        return true;
    const int count = (int)l->kernels;
    const int bias = onnx_constant_new(at, o->bias, TENSOR_INT32, &count, 1, &elements);
    if (bias == GRAPH_NONE)
        return false;
    node->inputs[node->input_count++] = bias;
    for (size_t k = 0; k < l->kernels; k++) {
        const double step = (double)graph_tensor(at->graph, o->in)->scales[0] *
                            (double)graph_tensor(at->graph, weights)->scales[scales == 1 ? 0 : k];
        const double value = o->bias->data_type == ONNX_FLOAT ? round((double)onnx_float(o->bias, k) / step)
                                                              : (double)onnx_integer(o->bias, k);
        if (!(fabs(value) <= INT32_MAX))
            return onnx_refuse(at, "found a bias of %g steps, expected one of 32 bits", value);
        ((int32_t *)elements)[k] = (int32_t)value;
    }
    return true;
}

static bool make_convolution(struct onnx_reading *at, const struct operands *o) {
    const struct tensor *in = graph_tensor(at->graph, o->in);
    const Onnx__Tensor *w = o->weights;
    const int rank = in->rank, channels = in->c;
    struct axis axes[2] = {{.size = 1}, {.size = 1}};
    int sides[3];
    if (rank < 3 || (int)w->n_dims != rank || onnx_count(w) == 0)
        return onnx_refuse(at, "found weights of %zu dimensions, expected the %d of its input", w->n_dims, rank);
    const int64_t group = onnx_attribute_or(at, "group", 1);
    const bool depthwise = group > 1 && group == channels && w->dims[1] == 1;
    if (group != 1 && !depthwise)
        return onnx_refuse(at, "found %" PRId64 " groups of %d channels, expected 1, or one for each channel", group,
                           channels);
    if (!depthwise && w->dims[1] != channels)
        return onnx_refuse(at, "found weights of %" PRId64 " channels, expected %d", w->dims[1], channels);
    for (int i = 4 - rank; i < 2; i++)
        axes[i].size = (int)w->dims[i + rank - 2];
    if (!read_window(at, o->in, axes, sides))
        return false;
    const struct layout l = {.kernels = (size_t)w->dims[0],
                             .channels = depthwise ? 1 : (size_t)channels,
                             .rows = (size_t)axes[0].size,
                             .columns = (size_t)axes[1].size,
                             .depthwise = depthwise};
    sides[2] = (int)l.kernels;
    if (l.kernels * l.channels * l.rows * l.columns != onnx_count(w))
        return onnx_refuse(at, "found %zu weights, expected those of its kernel_shape", onnx_count(w));
    if (!check_weights(at, o, l.kernels))
        return false;
    struct node *node = node_new(at, depthwise ? NODE_DEPTHWISE : NODE_CONV, o->in, sides, rank);
    if (!node)
        return false;
    node->y = axes[0];
    node->x = axes[1];
    const int dims[2][4] = {{sides[2], axes[0].size, axes[1].size, channels},
                            {1, axes[0].size, axes[1].size, sides[2]}};
    return add_weights(at, o, &l, dims[depthwise], 4);
}

static bool make_product(struct onnx_reading *at, const struct operands *o, bool transposed) {
    const struct tensor *in = graph_tensor(at->graph, o->in);
    const struct onnx_tensor *about = &at->tensors[o->in];
    const Onnx__Tensor *w = o->weights;
    if (in->rank != 2 || w->n_dims != 2 || w->dims[transposed] != (int64_t)in->count || onnx_count(w) == 0)
        return onnx_refuse(at,
                           "found an input of %d dimensions and %zu elements and weights of %zu dimensions, "
                           "expected 2 and 2 of the same length",
                           in->rank, in->count, w->n_dims);
    const struct layout l = {.kernels = (size_t)w->dims[!transposed],
                             .channels = (size_t)(about->flat ? about->c : in->c),
                             .rows = (size_t)(about->flat ? about->h : 1),
                             .columns = (size_t)(about->flat ? about->w : 1),
                             .transposed = !transposed};
    const int sides[] = {1, 1, (int)l.kernels}, dims[] = {(int)l.kernels, (int)in->count};
    if (!check_weights(at, o, l.kernels))
        return false;
    struct node *node = node_new(at, NODE_FULLY_CONNECTED, o->in, sides, 2);
    if (!node)
        return false;
    node->x.size = graph_tensor(at->graph, o->in)->w;
    node->y.size = graph_tensor(at->graph, o->in)->h;
    return add_weights(at, o, &l, dims, 2);
}

static bool read_conv(struct onnx_reading *at) {
    struct operands o;
    return real_operands(at, CUBES, &o) && make_convolution(at, &o);
}

static bool read_gemm(struct onnx_reading *at) {
    const Onnx__Attribute *alpha = onnx_attribute(at, "alpha"), *beta = onnx_attribute(at, "beta");
    struct operands o;
    if ((alpha && alpha->f != 1.0F) || (beta && beta->f != 1.0F) || onnx_attribute_or(at, "transA", 0) != 0)
        return onnx_refuse(at, "found alpha, beta or transA, expected 1, 1 and 0");
    return real_operands(at, ROWS, &o) && make_product(at, &o, onnx_attribute_or(at, "transB", 0) != 0);
}

static bool read_matmul(struct onnx_reading *at) {
    struct operands o;
    return real_operands(at, ROWS, &o) && make_product(at, &o, false);
}

/* Inputs: value, scale, zero, weights, scale, zero, then as said. */
static bool integer_operands(struct onnx_reading *at, size_t bias, struct operands *o) {
    o->in = integer_input(at, 0, 1, 2, ROWS);
    o->weights = o->in == GRAPH_NONE ? NULL : onnx_constant(at, 3, false);
    o->scale = o->weights ? onnx_constant(at, 4, false) : NULL;
    o->zero = o->scale ? onnx_constant(at, 5, true) : NULL;
    o->bias = bias && o->scale ? onnx_constant(at, bias, true) : NULL;
    return !at->failed;
}

static bool read_qlinear_conv(struct onnx_reading *at) {
    struct operands o;
    return integer_operands(at, 8, &o) && make_convolution(at, &o) && result_scale(at, 6, 7);
}

static bool read_qlinear_matmul(struct onnx_reading *at) {
    struct operands o;
    return integer_operands(at, 0, &o) && make_product(at, &o, false) && result_scale(at, 6, 7);
}

static bool read_qgemm(struct onnx_reading *at) {
    struct operands o;
    return integer_operands(at, 6, &o) && make_product(at, &o, onnx_attribute_or(at, "transB", 0) != 0) &&
           result_scale(at, 7, 8);
}

/* ---- elements ---- */

/* A constant of int8 or uint8 as a tensor, its sides those of the last dimensions of a tensor of that rank. */
static int constant_input(struct onnx_reading *at, const Onnx__Tensor *from, const Onnx__Tensor *scale,
                          const Onnx__Tensor *zero, int rank) {
    int64_t sides[] = {1, 1, 1, 1}; /* batch, channels, height, width */
    const size_t count = onnx_count(from), dims = from->n_dims;
    int8_t *elements;
    if ((from->data_type != ONNX_INT8 && from->data_type != ONNX_UINT8) || dims > (size_t)rank) {
        onnx_refuse(at,
                    "found a constant of type %d with %zu dimensions, expected 2 (uint8) or 3 (int8) with at most %d",
                    from->data_type, dims, rank);
        return GRAPH_NONE;
    }
    for (size_t i = 0; i < dims; i++) {
        const size_t place = (size_t)rank - dims + i;
        sides[rank == 3 && place == 2 ? 3 : place] = from->dims[i];
    }
    const int shape[] = {(int)sides[0], (int)sides[2], (int)sides[3], (int)sides[1]};
    if (sides[0] != 1) {
        onnx_refuse(at, "found a batch of %" PRId64 " in a constant, expected 1", sides[0]);
        return GRAPH_NONE;
    }
    const int index = onnx_constant_new(at, from, TENSOR_INT8, shape, 4, (void **)&elements);
    if (index == GRAPH_NONE || !onnx_set_scale(at, index, scale, zero))
        return GRAPH_NONE;
    struct tensor *tensor = &at->graph->tensors[index];
    const size_t c = (size_t)shape[3], pixels = count / c;
    tensor->h = shape[1];
    tensor->w = shape[2];
    tensor->c = shape[3];
    for (size_t i = 0; i < count; i++)
        elements[i] = (int8_t)(onnx_integer(from, i % c * pixels + i / c) - (from->data_type == ONNX_UINT8 ? 128 : 0));
    return index;
}

/* An addend: computed, or a constant beside one that is; scale 0: of float32, otherwise the input that says it. */
static int addend(struct onnx_reading *at, size_t i, size_t other, size_t scale) {
    const struct onnx_value *value = onnx_input(at, i), *beside = onnx_input(at, other);
    if (!value || !value->constant || !beside || beside->tensor == GRAPH_NONE)
        return scale ? integer_input(at, i, scale, scale + 1, CUBES) : activation_input(at, i, CUBES);
    const Onnx__Tensor *step = scale ? onnx_constant(at, scale, false) : value->scale;
    const Onnx__Tensor *zero = scale ? onnx_constant(at, scale + 1, true) : value->zero;
    if (!step || at->failed) {
        onnx_refuse(at, "found constant \"%s\" not behind DequantizeLinear, expected it there", value->name);
        return GRAPH_NONE;
    }
    return constant_input(at, value->constant, step, zero, graph_tensor(at->graph, beside->tensor)->rank);
}

static bool make_add(struct onnx_reading *at, int a, int b) {
    if (a == GRAPH_NONE || b == GRAPH_NONE)
        return false;
    const struct tensor *first = graph_tensor(at->graph, a), *second = graph_tensor(at->graph, b);
    const int sides[] = {first->h > second->h ? first->h : second->h, first->w > second->w ? first->w : second->w,
                         first->c > second->c ? first->c : second->c};
    struct node *node = node_new(at, NODE_ADD, a, sides, first->data ? second->rank : first->rank);
    if (node)
        node->inputs[node->input_count++] = b;
    return node != NULL;
}

static bool read_add(struct onnx_reading *at) {
    const int a = addend(at, 0, 1, 0);
    return make_add(at, a, a == GRAPH_NONE ? a : addend(at, 1, 0, 0));
}

static bool read_qlinear_add(struct onnx_reading *at) {
    const int a = addend(at, 0, 3, 1);
    return make_add(at, a, a == GRAPH_NONE ? a : addend(at, 3, 0, 4)) && result_scale(at, 6, 7);
}

/* Nodes of the file that read a name. */
static size_t readers(const struct onnx_reading *at, const char *name) {
    size_t count = 0;
    for (size_t n = 0; n < at->file->n_node; n++)
        for (size_t i = 0; i < at->file->node[n]->n_input; i++)
            count += strcmp(at->file->node[n]->input[i], name) == 0;
    return count;
}

/* RELU and its like: of the node before, if that is not quantised yet. */
static bool make_activation(struct onnx_reading *at, enum activation activation) {
    const struct onnx_value *value = onnx_input(at, 0);
    const struct onnx_tensor *about = value && value->tensor != GRAPH_NONE ? &at->tensors[value->tensor] : NULL;
    if (about && !about->quantised && about->producer) {
        struct node *node = &at->graph->nodes[about->producer - 1];
        if (node->activation != ACTIVATION_NONE || readers(at, value->name) != 1)
            return onnx_refuse(at,
                               "found its input \"%s\" with another activation or reader, expected none: quantise "
                               "it before",
                               value->name);
        node->activation = activation;
        return alias(at, value->tensor, true);
    }
    const int in = activation_input(at, 0, CUBES);
    if (in == GRAPH_NONE)
        return false;
    if (!value->real)
        return onnx_refuse(at, "found it on integers, expected DequantizeLinear before it");
    const struct tensor *t = graph_tensor(at->graph, in);
    const int sides[] = {t->h, t->w, t->c};
    if (activation == ACTIVATION_RELU_1)
        return onnx_refuse(at, "found limits -1 and 1 of a quantised value, expected 0 and 6");
    return node_new(at, activation == ACTIVATION_RELU6 ? NODE_RELU6 : NODE_RELU, in, sides, t->rank) != NULL;
}

static bool read_relu(struct onnx_reading *at) {
    return make_activation(at, ACTIVATION_RELU);
}

/* Limit i of Clip: an attribute in old files, an input in others. */
static double clip_limit(struct onnx_reading *at, const char *name, size_t i, double none) {
    const Onnx__Attribute *attribute = onnx_attribute(at, name);
    const struct onnx_value *value = onnx_input(at, i);
    if (attribute)
        return (double)attribute->f;
    if (!value || !value->constant || onnx_count(value->constant) != 1)
        return none;
    if (value->scale) {
        bool shifted;
        const int zero = onnx_zero(value->zero, &shifted);
        return (double)onnx_float(value->scale, 0) *
               (double)(onnx_integer(value->constant, 0) - (shifted ? zero + 128 : zero));
    }
    return value->constant->data_type == ONNX_FLOAT ? (double)onnx_float(value->constant, 0)
                                                    : (double)onnx_integer(value->constant, 0);
}

static bool read_clip(struct onnx_reading *at) {
    const double low = clip_limit(at, "min", 1, -INFINITY), high = clip_limit(at, "max", 2, INFINITY);
    if (low == 0 && high >= 3e38)
        return make_activation(at, ACTIVATION_RELU);
    if (low == 0 && fabs(high - 6) < 1e-6)
        return make_activation(at, ACTIVATION_RELU6);
    if (low == -1 && high == 1)
        return make_activation(at, ACTIVATION_RELU_1);
    return onnx_refuse(at, "found limits %g and %g, expected 0 and none, 0 and 6, or -1 and 1", low, high);
}

static bool make_curve(struct onnx_reading *at, enum node_kind kind, int in) {
    if (in == GRAPH_NONE)
        return false;
    const struct tensor *t = graph_tensor(at->graph, in);
    const int sides[] = {t->h, t->w, t->c}, rank = t->rank;
    const int64_t axis = onnx_attribute_or(at, "axis", rank == 2 ? 1 : -1);
    if (kind == NODE_SOFTMAX && (axis < 0 ? axis + rank : axis) != 1)
        return onnx_refuse(at, "found axis %" PRId64 ", expected 1, the channels", axis);
    struct node *node = node_new(at, kind, in, sides, rank);
    if (node)
        node->beta = 1;
    return node != NULL;
}

static bool read_softmax(struct onnx_reading *at) {
    return make_curve(at, NODE_SOFTMAX, activation_input(at, 0, CUBES));
}

static bool read_sigmoid(struct onnx_reading *at) {
    return make_curve(at, NODE_LOGISTIC, activation_input(at, 0, CUBES));
}

static bool read_qlinear_softmax(struct onnx_reading *at) {
    return make_curve(at, NODE_SOFTMAX, integer_input(at, 0, 1, 2, CUBES)) && result_scale(at, 3, 4);
}

static bool read_qlinear_sigmoid(struct onnx_reading *at) {
    return make_curve(at, NODE_LOGISTIC, integer_input(at, 0, 1, 2, CUBES)) && result_scale(at, 3, 4);
}

/* ---- pooling ---- */

static bool make_pool(struct onnx_reading *at, enum node_kind kind, int in) {
    struct axis axes[2] = {{.size = 1}, {.size = 1}};
    int sides[3];
    if (in == GRAPH_NONE || !read_window(at, in, axes, sides))
        return false;
    sides[2] = graph_tensor(at->graph, in)->c;
    const bool padded = axes[0].before || axes[0].after || axes[1].before || axes[1].after;
    if (kind == NODE_AVERAGE_POOL && padded && onnx_attribute_or(at, "count_include_pad", 0) != 0)
        return onnx_refuse(at, "found an average that counts padding, expected count_include_pad 0");
    if (axes[0].dilation != 1 || axes[1].dilation != 1)
        return onnx_refuse(at, "found dilation, expected none");
    struct node *node = node_new(at, kind, in, sides, graph_tensor(at->graph, in)->rank);
    if (!node)
        return false;
    node->y = axes[0];
    node->x = axes[1];
    return keep_scale(at, in);
}

static bool read_max_pool(struct onnx_reading *at) {
    return make_pool(at, NODE_MAX_POOL, activation_input(at, 0, UNSCALED));
}

static bool read_average_pool(struct onnx_reading *at) {
    return make_pool(at, NODE_AVERAGE_POOL, activation_input(at, 0, CUBES));
}

static bool read_qlinear_average_pool(struct onnx_reading *at) {
    return make_pool(at, NODE_AVERAGE_POOL, integer_input(at, 0, 1, 2, CUBES)) && result_scale(at, 3, 4);
}

static bool make_mean(struct onnx_reading *at, int in, bool keep) {
    if (in == GRAPH_NONE)
        return false;
    const struct tensor *t = graph_tensor(at->graph, in);
    const int sides[] = {1, 1, t->c}, w = t->w, h = t->h;
    if (t->rank != 4)
        return onnx_refuse(at, "found its input with %d dimensions, expected 4", t->rank);
    struct node *node = node_new(at, NODE_MEAN, in, sides, keep ? 4 : 2);
    if (!node)
        return false;
    node->x.size = w;
    node->y.size = h;
    return true;
}

static bool read_global_average(struct onnx_reading *at) {
    return make_mean(at, activation_input(at, 0, CUBES), true);
}

static bool read_qlinear_global_average(struct onnx_reading *at) {
    if (onnx_attribute_or(at, "channels_last", 0) != 0)
        return onnx_refuse(at, "found channels_last, expected channels first");
    return make_mean(at, integer_input(at, 0, 1, 2, CUBES), true) && result_scale(at, 3, 4);
}

static bool read_mean(struct onnx_reading *at) {
    const Onnx__Attribute *attribute = onnx_attribute(at, "axes");
    const Onnx__Tensor *list = attribute ? NULL : onnx_constant(at, 1, true);
    const size_t count = attribute ? attribute->n_ints : list ? onnx_count(list) : 0;
    unsigned found = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t axis = attribute ? attribute->ints[i] : onnx_integer(list, i);
        found |= 1U << ((axis < 0 ? axis + 4 : axis) & 7);
    }
    if (found != (1U << 2 | 1U << 3))
        return onnx_refuse(at, "found a mean over other axes, expected height and width (2, 3) of 4");
    return make_mean(at, activation_input(at, 0, CUBES), onnx_attribute_or(at, "keepdims", 1) != 0);
}

/* ---- shapes ---- */

/* A tensor with the same elements: a row of n, or n x h x w of a row. */
static bool make_reshape(struct onnx_reading *at, const int sides[3], int rank) {
    const int in = activation_input(at, 0, UNSCALED);
    if (in == GRAPH_NONE)
        return false;
    const struct tensor from = *graph_tensor(at->graph, in);
    const struct onnx_tensor before = at->tensors[in];
    if ((size_t)sides[0] * (size_t)sides[1] * (size_t)sides[2] != from.count)
        return onnx_refuse(at, "found %d x %d x %d (h, w, c) elements, expected the %zu of its input", sides[0],
                           sides[1], sides[2], from.count);
    const bool flat = rank == 2 && from.rank > 2, same = sides[2] == from.c || before.flat;
    const bool plain = sides[2] == 1 || sides[0] * sides[1] == 1;
    if (!flat && !(same && sides[0] * sides[1] == from.h * from.w) && !(from.rank == 2 && !before.flat && plain))
        return onnx_refuse(at,
                           "found %d x %d x %d (h, w, c) made %d x %d x %d, expected a row of it: another order of "
                           "elements is not supported",
                           from.h, from.w, from.c, sides[0], sides[1], sides[2]);
    if (!node_new(at, NODE_RESHAPE, in, sides, rank))
        return false;
    const int out = output_of(at);
    at->tensors[out].flat = flat || (before.flat && rank == 2);
    at->tensors[out].h = before.flat ? before.h : from.h;
    at->tensors[out].w = before.flat ? before.w : from.w;
    at->tensors[out].c = before.flat ? before.c : from.c;
    return keep_scale(at, in);
}

static bool read_flatten(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    if (onnx_attribute_or(at, "axis", 1) != 1)
        return onnx_refuse(at, "found another axis than 1, expected that");
    const int n = in && in->tensor != GRAPH_NONE ? (int)graph_tensor(at->graph, in->tensor)->count : 1;
    return make_reshape(at, (const int[]){1, 1, n}, 2);
}

static bool read_reshape(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *shape = onnx_constant(at, 1, false);
    int64_t dims[4] = {1, 1, 1, 1}, known = 1;
    if (!shape || !in || in->tensor == GRAPH_NONE)
        return onnx_refuse(at, "found no input that a node computes, expected one");
    const size_t rank = onnx_count(shape);
    const struct tensor *t = graph_tensor(at->graph, in->tensor);
    const int64_t old[] = {1, t->rank == 2 ? (int64_t)t->count : t->c, t->rank == 3 ? t->w : t->h, t->w};
    if (rank < 2 || rank > 4 || shape->data_type != ONNX_INT64)
        return onnx_refuse(at, "found a shape of %zu numbers, expected 2 to 4 of int64", rank);
    for (size_t i = 0; i < rank; i++) {
        const int64_t side = onnx_integer(shape, i);
        dims[i] = side == 0 ? old[i] : side;
        if (dims[i] < -1 || dims[i] == 0 || dims[i] > TENSOR_ELEMENTS_MAX)
            return onnx_refuse(at, "found a size of %" PRId64 ", expected -1 or 1 to %d", side, TENSOR_ELEMENTS_MAX);
        known = dims[i] > 0 && known <= TENSOR_ELEMENTS_MAX ? known * dims[i] : known;
    }
    for (size_t i = 0; i < rank; i++)
        if (dims[i] == -1) {
            dims[i] = (int64_t)t->count / known;
            known *= dims[i] > 0 ? dims[i] : 1;
        }
    if (dims[0] != 1 || known != (int64_t)t->count)
        return onnx_refuse(at, "found a batch of %" PRId64 " and %" PRId64 " elements, expected 1 and %zu", dims[0],
                           known, t->count);
    const int sides[] = {(int)(rank == 4 ? dims[2] : 1),
                         (int)(rank == 4   ? dims[3]
                               : rank == 3 ? dims[2]
                                           : 1),
                         (int)dims[1]};
    return make_reshape(at, sides, (int)rank);
}

static bool read_pad(struct onnx_reading *at) {
    enum { PADS = 8 };
    const int in = activation_input(at, 0, CUBES);
    const Onnx__Attribute *attribute = onnx_attribute(at, "pads"), *mode = onnx_attribute(at, "mode");
    const Onnx__Tensor *list = attribute || in == GRAPH_NONE ? NULL : onnx_constant(at, 1, false);
    int64_t pads[PADS];
    if (in == GRAPH_NONE || at->failed)
        return false;
    const struct tensor t = *graph_tensor(at->graph, in);
    if (t.rank != 4 || (attribute ? attribute->n_ints : onnx_count(list)) != PADS ||
        (mode && (mode->s.len != 8 || memcmp(mode->s.data, "constant", 8) != 0)))
        return onnx_refuse(at, "found padding of another form, expected constants around 4 dimensions");
    const double value = clip_limit(at, "value", 2, 0);
    if (value != (onnx_input(at, 0)->real ? 0.0 : (double)(t.zero + (at->tensors[in].shifted ? 128 : 0))))
        return onnx_refuse(at, "found padding with %g, expected what stands for 0", value);
    for (int i = 0; i < PADS; i++) {
        pads[i] = attribute ? attribute->ints[i] : onnx_integer(list, (size_t)i);
        if (pads[i] < 0 || pads[i] > TENSOR_SIDE_MAX || (i % 4 == 0 && pads[i] != 0))
            return onnx_refuse(at, "found padding of %" PRId64 " in dimension %d, expected 0 to %d, 0 in the batch",
                               pads[i], i % 4, TENSOR_SIDE_MAX);
    }
    const int sides[] = {t.h + (int)(pads[2] + pads[6]), t.w + (int)(pads[3] + pads[7]),
                         t.c + (int)(pads[1] + pads[5])};
    struct node *node = node_new(at, NODE_PAD, in, sides, 4);
    if (!node)
        return false;
    node->y.before = (int)pads[2];
    node->y.after = (int)pads[6];
    node->x.before = (int)pads[3];
    node->x.after = (int)pads[7];
    node->c.before = (int)pads[1];
    node->c.after = (int)pads[5];
    return keep_scale(at, in);
}

/* Inputs first, first + step, ...: with a scale and a zero point behind each if step is 3. */
static bool make_concatenation(struct onnx_reading *at, size_t first, size_t step) {
    static const int axes[] = {0, 3, 1, 2}; /* of the graph, by the file's */
    int inputs[NODE_INPUTS_MAX], sides[3] = {0}, rank = 0, along = 0;
    size_t count = 0;
    for (size_t i = first; i + step <= at->node->n_input; i += step) {
        if (count == NODE_INPUTS_MAX)
            return onnx_refuse(at, "found more than %d inputs, expected no more", NODE_INPUTS_MAX);
        const int in = step == 3 ? integer_input(at, i, i + 1, i + 2, CUBES) : activation_input(at, i, CUBES);
        if (in == GRAPH_NONE)
            return false;
        const struct tensor *t = graph_tensor(at->graph, in);
        const int64_t axis = onnx_attribute_or(at, "axis", 1), from_first = axis < 0 ? axis + t->rank : axis;
        if (from_first < 1 || from_first >= t->rank)
            return onnx_refuse(at, "found axis %" PRId64 ", expected channels, height or width", axis);
        along = axes[t->rank == 3 && from_first == 2 ? 3 : from_first];
        if (count == 0) {
            sides[0] = t->h;
            sides[1] = t->w;
            sides[2] = t->c;
            rank = t->rank;
        } else
            sides[along - 1] += along == 1 ? t->h : along == 2 ? t->w : t->c;
        inputs[count++] = in;
    }
    if (count == 0)
        return onnx_refuse(at, "found no inputs, expected some");
    struct node *node = node_new(at, NODE_CONCATENATION, inputs[0], sides, rank);
    if (!node)
        return false;
    memcpy(node->inputs, inputs, count * sizeof *inputs);
    node->input_count = count;
    node->concat_axis = along;
    return true;
}

static bool read_concatenation(struct onnx_reading *at) {
    return make_concatenation(at, 0, 1);
}

static bool read_qlinear_concatenation(struct onnx_reading *at) {
    return make_concatenation(at, 2, 3) && result_scale(at, 0, 1);
}

/* ---- quantisation ---- */

static void rename_tensor(struct onnx_reading *at, int tensor) {
    char shown[64];
    const char *name = at->node->output[0];
    struct tensor *t = &at->graph->tensors[tensor];
    free(t->name);
    t->name = xstrdup(text_shown_bytes(name, strlen(name), shown, sizeof shown));
}

static bool read_quantize(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *scale = onnx_constant(at, 1, false), *zero = onnx_constant(at, 2, true);
    if (!in || in->tensor == GRAPH_NONE || !in->real || !scale || at->failed)
        return onnx_refuse(at, "found its input to be no float32 that a node computes, expected such: constants have "
                               "to be quantised");
    const struct tensor *t = graph_tensor(at->graph, in->tensor);
    bool shifted;
    const bool same = onnx_count(scale) == 1 && scale->data_type == ONNX_FLOAT &&
                      t->scales[0] == onnx_float(scale, 0) && t->zero == onnx_zero(zero, &shifted);
    if (!at->tensors[in->tensor].quantised || same) {
        if (!onnx_set_scale(at, in->tensor, scale, zero) || !alias(at, in->tensor, false))
            return false;
        if (at->tensors[in->tensor].producer || readers(at, in->name) == 1)
            rename_tensor(at, in->tensor);
        return true;
    }
    const int tensor = in->tensor, sides[] = {t->h, t->w, t->c};
    if (!node_new(at, NODE_QUANTIZE, tensor, sides, t->rank))
        return false;
    at->values[at->value_count - 1]->real = false;
    return onnx_set_scale(at, output_of(at), scale, zero);
}

static bool read_dequantize(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *scale = onnx_constant(at, 1, false), *zero = onnx_constant(at, 2, true);
    if (!in || !scale || at->failed)
        return onnx_refuse(at, "found no input, expected one that a node computes");
    if (in->tensor != GRAPH_NONE)
        return onnx_set_scale(at, in->tensor, scale, zero) && alias(at, in->tensor, true);
    const Onnx__Tensor *constant = in->constant;
    struct onnx_value *value = at->node->n_output ? onnx_define(at, at->node->output[0]) : NULL;
    if (!value)
        return onnx_refuse(at, "found no output, expected one");
    value->constant = constant;
    value->scale = scale;
    value->zero = zero;
    value->real = true;
    return true;
}

static bool read_constant(struct onnx_reading *at) {
    const Onnx__Attribute *attribute = onnx_attribute(at, "value");
    if (!attribute || !attribute->t || !onnx_check_constant(at, attribute->t))
        return onnx_refuse(at, "found no tensor as its value, expected one");
    struct onnx_value *value = at->node->n_output ? onnx_define(at, at->node->output[0]) : NULL;
    if (!value)
        return onnx_refuse(at, "found no output, expected one");
    value->constant = attribute->t;
    value->real = attribute->t->data_type == ONNX_FLOAT;
    return true;
}

static bool read_identity(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    if (!in || in->tensor == GRAPH_NONE)
        return onnx_refuse(at, "found no input that a node computes, expected one");
    return alias(at, in->tensor, in->real);
}

bool onnx_read_node(struct onnx_reading *at) {
    static const struct {
        const char *name;
        bool (*read)(struct onnx_reading *at);
    } operators[] = {
        {"Add", read_add},
        {"AveragePool", read_average_pool},
        {"Clip", read_clip},
        {"Concat", read_concatenation},
        {"Constant", read_constant},
        {"Conv", read_conv},
        {"DequantizeLinear", read_dequantize},
        {"Flatten", read_flatten},
        {"Gemm", read_gemm},
        {"GlobalAveragePool", read_global_average},
        {"Identity", read_identity},
        {"MatMul", read_matmul},
        {"MaxPool", read_max_pool},
        {"Pad", read_pad},
        {"QGemm", read_qgemm},
        {"QLinearAdd", read_qlinear_add},
        {"QLinearAveragePool", read_qlinear_average_pool},
        {"QLinearConcat", read_qlinear_concatenation},
        {"QLinearConv", read_qlinear_conv},
        {"QLinearGlobalAveragePool", read_qlinear_global_average},
        {"QLinearMatMul", read_qlinear_matmul},
        {"QLinearSigmoid", read_qlinear_sigmoid},
        {"QLinearSoftmax", read_qlinear_softmax},
        {"QuantizeLinear", read_quantize},
        {"ReduceMean", read_mean},
        {"Relu", read_relu},
        {"Reshape", read_reshape},
        {"Sigmoid", read_sigmoid},
        {"Softmax", read_softmax},
    };
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (at->node->op_type && strcmp(at->node->op_type, operators[i].name) == 0)
            return operators[i].read(at) && !at->failed;
    return onnx_refuse(at, "found an operator that is not supported; docs/networks.md lists those that are");
}
