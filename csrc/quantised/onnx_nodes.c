/* ONNX operators as nodes of the graph: what all of them need, and the one form that their inputs are brought into. See
 * onnx_reading.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/onnx_reading.h"

/* ---- nodes ---- */

int onnx_activation(struct onnx_reading *at, size_t i, enum takes takes) {
    const struct onnx_value *value = onnx_input(at, i);
    if (!value || value->tensor == GRAPH_NONE)
        return onnx_none(at, "found its input %zu to be no result of a node before, expected one", i);
    const bool later = takes == ANY || takes == UNSCALED; /* its scale becomes known with that of the result */
    if (!at->tensors[value->tensor].quantised && !later)
        return onnx_none(
            at,
            "found its input \"%s\" as float32, expected it quantised: QuantizeLinear and DequantizeLinear "
            "before it",
            value->name);
    const struct onnx_tensor *about = &at->tensors[value->tensor];
    if (about->flat && takes == CUBES && about->c > 1 && about->h * about->w > 1)
        return onnx_none(at,
                         "found its input \"%s\" to be a cube made a row, expected that only before Gemm and MatMul",
                         value->name);
    return value->tensor;
}

static struct node *add_node(struct onnx_reading *at, enum node_kind kind, int input, int output) {
    struct graph *graph = at->graph;
    graph->nodes = xgrow(graph->nodes, graph->node_count, sizeof *graph->nodes);
    struct node *node = &graph->nodes[graph->node_count++];
    *node = (struct node){.kind = kind,
                          .number = at->number,
                          .output = output,
                          .low = -INFINITY,
                          .high = INFINITY,
                          .groups = 1,
                          .x = axis_of(1),
                          .y = axis_of(1),
                          .c = axis_of(1)};
    node->inputs[node->input_count++] = input;
    at->tensors[output].producer = graph->node_count;
    return node;
}

struct node *onnx_node_new(struct onnx_reading *at, enum node_kind kind, int input, const int sides[AXES], int rank) {
    struct onnx_value *value = onnx_result(at);
    if (!value || (value->tensor = onnx_tensor_new(at, value->name, sides, rank)) == GRAPH_NONE)
        return &at->no_node;
    value->real = true;
    return add_node(at, kind, input, value->tensor);
}

static void copy_scale(struct onnx_reading *at, int from, int to) {
    at->graph->tensors[to].scales[0] = at->graph->tensors[from].scales[0];
    at->graph->tensors[to].zero = at->graph->tensors[from].zero;
    at->tensors[to].quantised = at->tensors[from].quantised;
    at->tensors[to].shifted = at->tensors[from].shifted;
}

bool onnx_pad_input(struct onnx_reading *at, struct axis axes[AXES]) {
    struct tensor padded = *graph_tensor(at->graph, at->in);
    for (int i = HEIGHT; i <= WIDTH; i++)
        padded.sides[i] += axes[i].before + axes[i].after;
    const int to = onnx_tensor_new(at, padded.name, padded.sides, padded.rank);
    if (to == GRAPH_NONE)
        return false;
    struct node *pad = add_node(at, NODE_PAD, at->in, to);
    for (int i = HEIGHT; i <= WIDTH; i++) {
        pad->axes[i].before = axes[i].before;
        pad->axes[i].after = axes[i].after;
        axes[i].before = axes[i].after = 0;
    }
    copy_scale(at, at->in, to);
    at->in = to;
    return true;
}

struct node *onnx_node_like(struct onnx_reading *at, enum node_kind kind, int input) {
    const struct tensor *t = graph_tensor(at->graph, input);
    return onnx_node_new(at, kind, input, t->sides, t->rank);
}

int onnx_output(const struct onnx_reading *at) {
    return at->graph->nodes[at->graph->node_count - 1].output;
}

bool onnx_keep_scale(struct onnx_reading *at, int from) {
    if (at->failed)
        return false;
    copy_scale(at, from, onnx_output(at));
    at->values[at->value_count - 1]->real = onnx_input(at, 0)->real;
    return true;
}

int64_t onnx_axis(const struct onnx_reading *at, int64_t none, size_t rank) {
    const int64_t axis = onnx_attribute_or(at, "axis", none);
    return axis < 0 ? axis + (int64_t)rank : axis;
}

unsigned onnx_axes(struct onnx_reading *at, size_t rank, size_t *count) {
    int64_t axes[ONNX_DIMS_MAX];
    unsigned bits = 0;
    *count = onnx_list(at, "axes", 1, axes);
    for (size_t i = 0; i < *count; i++)
        bits |= 1U << ((axes[i] < 0 ? axes[i] + (int64_t)rank : axes[i]) & 31);
    return bits;
}

bool onnx_limits(struct onnx_reading *at, double *low, double *high) {
    *low = onnx_number(at, "min", 1, -INFINITY);
    *high = onnx_number(at, "max", 2, INFINITY);
    return !(isnan(*low) || isnan(*high)) ||
           onnx_refuse(at, "found limits that are not one constant each, expected such");
}

bool onnx_alias(struct onnx_reading *at, int tensor, bool real) {
    return onnx_define_as(at, &(struct onnx_value){.tensor = tensor, .real = real});
}

size_t onnx_readers(const struct onnx_reading *at, const char *name) {
    size_t count = 0;
    for (size_t n = 0; n < at->file->n_node; n++)
        for (size_t i = 0; i < at->file->node[n]->n_input; i++)
            count += strcmp(at->file->node[n]->input[i], name) == 0;
    return count;
}

struct node *onnx_unfinished(const struct onnx_reading *at, const struct onnx_value *value) {
    const struct onnx_tensor *about = value && value->tensor != GRAPH_NONE ? &at->tensors[value->tensor] : NULL;
    if (!about || about->quantised || !about->producer || onnx_readers(at, value->name) != 1)
        return NULL;
    struct node *node = &at->graph->nodes[about->producer - 1];
    if (node->kind == NODE_TRANSPOSE || node->kind == NODE_RESHAPE)
        return NULL;
    return isinf(node->low) && isinf(node->high) ? node : NULL;
}

/* ---- windows ---- */

/* A whole number of a list along height and width, or width alone. */
static bool window_number(struct onnx_reading *at, const char *name, size_t spatial, size_t place, int least,
                          int *number) {
    const Onnx__Attribute *list = onnx_attribute(at, name);
    if (!list)
        return true;
    if (list->n_ints < spatial)
        return onnx_refuse(at, "found %zu numbers in %s, expected %zu", list->n_ints, name, spatial);
    const int64_t value = list->ints[place];
    if (value < least || value > TENSOR_SIDE_MAX)
        return onnx_refuse(at, "found %" PRId64 " in %s, expected %d to %d", value, name, least, TENSOR_SIDE_MAX);
    *number = (int)value;
    return true;
}

static bool set_padding(struct onnx_reading *at, struct axis *axis, size_t spatial, size_t place, int in) {
    const Onnx__Attribute *automatic = onnx_attribute(at, "auto_pad"), *pads = onnx_attribute(at, "pads");
    const char *form = automatic && automatic->has_s ? (const char *)automatic->s.data : "";
    const size_t n = automatic && automatic->has_s ? automatic->s.len : 0;
    if (n == 10 && (memcmp(form, "SAME_UPPER", n) == 0 || memcmp(form, "SAME_LOWER", n) == 0)) {
        axis_pad_same(axis, in);
        const int less = axis->before;
        if (form[5] == 'L') {
            axis->before = axis->after;
            axis->after = less;
        }
        return true;
    }
    if (n != 0 && !(n == 5 && memcmp(form, "VALID", n) == 0) && !(n == 6 && memcmp(form, "NOTSET", n) == 0))
        return onnx_refuse(at, "found another auto_pad, expected SAME_UPPER, SAME_LOWER, VALID or NOTSET");
    if (!pads || n == 5)
        return true;
    if (pads->n_ints != 2 * spatial)
        return onnx_refuse(at, "found %zu numbers in pads, expected %zu", pads->n_ints, 2 * spatial);
    const int64_t before = pads->ints[place], after = pads->ints[place + spatial];
    if (before < 0 || after < 0 || before > TENSOR_SIDE_MAX || after > TENSOR_SIDE_MAX)
        return onnx_refuse(at, "found padding of %" PRId64 " and %" PRId64 ", expected 0 to %d", before, after,
                           TENSOR_SIDE_MAX);
    axis->before = (int)before;
    axis->after = (int)after;
    return true;
}

bool onnx_window(struct onnx_reading *at, int tensor, struct axis axes[AXES], int sides[AXES]) {
    const struct tensor *in = graph_tensor(at->graph, tensor);
    if (in->rank < 3)
        return onnx_refuse(at, "found its input with %d dimensions, expected 3 or 4", in->rank);
    const size_t spatial = (size_t)in->rank - 2;
    for (int i = HEIGHT; i <= WIDTH; i++) {
        struct axis *axis = &axes[i];
        const size_t place = (size_t)i + spatial - WIDTH - 1; /* in lists; of height, that may have no place */
        if (i + (int)spatial > WIDTH && (!window_number(at, "kernel_shape", spatial, place, 1, &axis->size) ||
                                         !window_number(at, "strides", spatial, place, 1, &axis->stride) ||
                                         !window_number(at, "dilations", spatial, place, 1, &axis->dilation) ||
                                         !set_padding(at, axis, spatial, place, in->sides[i])))
            return false;
        sides[i] = axis_result(axis, in->sides[i]);
        if (in->sides[i] + axis->before + axis->after < (axis->size - 1) * axis->dilation + 1)
            return onnx_refuse(at, "found a window of %d in %d elements, expected it inside", axis->size, in->sides[i]);
    }
    if (onnx_attribute_or(at, "ceil_mode", 0) != 0)
        return onnx_refuse(at, "found ceil_mode, expected sizes rounded down");
    return true;
}

/* ---- one form ---- */

/* Operators; on constants alone; what they take as their first input; and where integer forms have what. */
struct known_operator {
    const char *name;
    onnx_operator *read, *fold;
    enum takes takes;
    enum node_kind kind; /* where readers serve several */
    /* Of an integer form: the first input, how many have a scale and a zero point behind them, which is the bias (0:
     * none), and where the scale of the result is. */
    size_t first, scaled, bias, result;
};

static const struct known_operator operators[] = {
    {"Add", onnx_read_add, NULL, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"ArgMax", onnx_read_arg_max, NULL, CUBES, NODE_KINDS, 0, 0, 0, 0},
    {"AveragePool", onnx_read_pool, NULL, CUBES, NODE_AVERAGE_POOL, 0, 0, 0, 0},
    {"BatchNormalization", onnx_read_normalisation, NULL, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"Cast", onnx_read_identity, onnx_fold_cast, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"Clip", onnx_read_clip, onnx_fold_clip, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"Concat", onnx_read_concatenation, onnx_fold_concat, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"Constant", onnx_read_constant, NULL, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"Conv", onnx_read_conv, NULL, ROWS, NODE_KINDS, 0, 0, 0, 0},
    {"DequantizeLinear", onnx_read_dequantize, onnx_fold_dequantize, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"Dropout", onnx_read_identity, NULL, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"Flatten", onnx_read_sides, onnx_fold_sides, ANY, NODE_KINDS, 0, 0, 0, 0},
    {"Gemm", onnx_read_product, NULL, ROWS, NODE_KINDS, 0, 0, 0, 0},
    {"GlobalAveragePool", onnx_read_global_average, NULL, CUBES, NODE_KINDS, 0, 0, 0, 0},
    {"Identity", onnx_read_identity, onnx_fold_identity, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"LogSoftmax", onnx_read_softmax, NULL, CUBES, NODE_LOG_SOFTMAX, 0, 0, 0, 0},
    {"MatMul", onnx_read_product, NULL, ROWS, NODE_KINDS, 0, 0, 0, 0},
    {"MaxPool", onnx_read_pool, NULL, UNSCALED, NODE_MAX_POOL, 0, 0, 0, 0},
    {"Pad", onnx_read_pad, NULL, CUBES, NODE_KINDS, 0, 0, 0, 0},
    {"QGemm", onnx_read_product, NULL, ROWS, NODE_KINDS, 0, 2, 6, 7},
    {"QLinearAdd", onnx_read_add, NULL, OTHERWISE, NODE_KINDS, 0, 2, 0, 6},
    {"QLinearAveragePool", onnx_read_pool, NULL, CUBES, NODE_AVERAGE_POOL, 0, 1, 0, 3},
    {"QLinearConcat", onnx_read_concatenation, NULL, OTHERWISE, NODE_KINDS, 2, SIZE_MAX, 0, 0},
    {"QLinearConv", onnx_read_conv, NULL, ROWS, NODE_KINDS, 0, 2, 8, 6},
    {"QLinearGlobalAveragePool", onnx_read_global_average, NULL, CUBES, NODE_KINDS, 0, 1, 0, 3},
    {"QLinearMatMul", onnx_read_product, NULL, ROWS, NODE_KINDS, 0, 2, 0, 6},
    {"QLinearSigmoid", onnx_read_curve, NULL, CUBES, NODE_KINDS, 0, 1, 0, 3},
    {"QLinearSoftmax", onnx_read_softmax, NULL, CUBES, NODE_SOFTMAX, 0, 1, 0, 3},
    {"QuantizeLinear", onnx_read_quantize, onnx_fold_quantize, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"ReduceMean", onnx_read_mean, NULL, CUBES, NODE_KINDS, 0, 0, 0, 0},
    {"Relu", onnx_read_relu, NULL, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"Reshape", onnx_read_sides, onnx_fold_sides, ANY, NODE_KINDS, 0, 0, 0, 0},
    {"Sigmoid", onnx_read_curve, NULL, CUBES, NODE_KINDS, 0, 0, 0, 0},
    {"Slice", NULL, onnx_fold_slice, OTHERWISE, NODE_KINDS, 0, 0, 0, 0},
    {"Softmax", onnx_read_softmax, NULL, CUBES, NODE_SOFTMAX, 0, 0, 0, 0},
    {"Squeeze", onnx_read_sides, onnx_fold_sides, ANY, NODE_KINDS, 0, 0, 0, 0},
    {"Transpose", onnx_read_transpose, onnx_fold_transpose, ANY, NODE_KINDS, 0, 0, 0, 0},
    {"Unsqueeze", onnx_read_sides, onnx_fold_sides, ANY, NODE_KINDS, 0, 0, 0, 0},
};

static const struct known_operator *find_operator(const Onnx__Node *node) {
    for (size_t i = 0; node->op_type && i < sizeof operators / sizeof operators[0]; i++)
        if (strcmp(node->op_type, operators[i].name) == 0)
            return &operators[i];
    return NULL;
}

/* What a name stands for, as an operand; absent if it is empty or nothing. */
static struct onnx_value operand(const struct onnx_reading *at, size_t i) {
    const struct onnx_value *value =
        i < at->node->n_input && *at->node->input[i] ? onnx_find(at, at->node->input[i]) : NULL;
    return value ? *value : (struct onnx_value){.tensor = GRAPH_NONE};
}

/* Scale and zero point of a tensor, from two inputs of the node. */
static bool scale_tensor(struct onnx_reading *at, int tensor, size_t i) {
    const struct onnx_value scale = operand(at, i), zero = operand(at, i + 1);
    if (!scale.constant || (zero.name && !zero.constant))
        return onnx_refuse(at, "found its input %zu not to be a constant, expected one", scale.constant ? i + 1 : i);
    return onnx_set_scale(at, tensor, scale.constant, zero.constant);
}

/* Operand i of an integer form, with its scale and zero point, as one of real numbers. */
static bool scaled_operand(struct onnx_reading *at, size_t i, struct onnx_value *value) {
    const struct onnx_value scale = operand(at, i + 1), zero = operand(at, i + 2);
    *value = operand(at, i);
    value->scale = value->constant ? scale.constant : NULL;
    value->zero = value->constant ? zero.constant : NULL;
    value->axis = GRAPH_NONE;
    value->real = true;
    const size_t scales = value->scale ? onnx_count(value->scale) : 0,
                 zeros = value->zero ? onnx_count(value->zero) : 1;
    if (value->scale && (value->scale->data_type != ONNX_FLOAT || scales == 0 || (zeros != 1 && zeros != scales)))
        return onnx_refuse(at,
                           "found %zu scales and %zu zero points of its input %zu, expected float32, as many of both",
                           scales, zeros, i);
    return value->tensor == GRAPH_NONE || scale_tensor(at, value->tensor, i + 1);
}

/* Brings the node's inputs into one form. */
static bool settle_operands(struct onnx_reading *at, const struct known_operator *known) {
    const size_t step = known->scaled ? 3 : 1, inputs = at->node->n_input;
    for (size_t i = 0; i < inputs; i++)
        if (*at->node->input[i] && !onnx_find(at, at->node->input[i]))
            return onnx_refuse(at, "found its input %zu to be no result of a node before, expected one", i);
    at->operand_count = 0;
    for (size_t i = known->first; i + step <= inputs && at->operand_count < (step == 3 ? known->scaled : inputs);
         i += step) {
        if (at->operand_count == NODE_INPUTS_MAX)
            return onnx_refuse(at, "found more than %d inputs, expected no more", NODE_INPUTS_MAX);
        struct onnx_value *value = &at->operands[at->operand_count++];
        *value = operand(at, i);
        if (step == 3 && !scaled_operand(at, i, value))
            return false;
    }
    if (known->bias)
        at->operands[at->operand_count++] = operand(at, known->bias);
    return true;
}

bool onnx_check_operators(struct onnx_reading *at) {
    struct strangers strangers = {0};
    for (size_t n = 0; n < at->file->n_node; n++) {
        const Onnx__Node *node = at->file->node[n];
        const char *name = node->op_type ? node->op_type : "?";
        char shown[64];
        if (!find_operator(node) &&
            strangers_add(&strangers, text_shown_bytes(name, strlen(name), shown, sizeof shown)))
            at->number = n;
    }
    if (!strangers.found)
        return true;
    char *text = strangers_text(&strangers, at->file->n_node);
    at->node = at->file->node[at->number];
    onnx_refuse(at, "%s", text);
    free(text);
    return false;
}

/* Whether all inputs that are there are constants. */
static bool all_constant(const struct onnx_reading *at) {
    bool all = onnx_input(at, 0) != NULL;
    for (size_t i = 0; i < at->operand_count; i++)
        all = all && (!onnx_input(at, i) || onnx_input(at, i)->constant);
    return all;
}

bool onnx_read_node(struct onnx_reading *at) {
    const struct known_operator *known = find_operator(at->node);
    if (!settle_operands(at, known))
        return false;
    if (known->fold && all_constant(at))
        return known->fold(at) && !at->failed;
    if (!known->read)
        return onnx_refuse(at, "found it on a tensor that is computed, expected a constant");
    at->kind = known->kind;
    if (known->takes != OTHERWISE && (at->in = onnx_activation(at, 0, known->takes)) == GRAPH_NONE)
        return false;
    if (!known->read(at) || at->failed)
        return false;
    if (!known->scaled)
        return true;
    at->values[at->value_count - 1]->real = false;
    return scale_tensor(at, onnx_output(at), known->result);
}
