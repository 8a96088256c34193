/* ONNX operators on elements, pooling, and changes between integers and what they stand for. See onnx_reading.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/onnx_reading.h"

/* ---- elements ---- */

/* A constant of int8 or uint8 as a tensor, its sides those of the last dimensions of a tensor of that rank. */
static int constant_input(struct onnx_reading *at, const struct onnx_value *value, int rank) {
    const Onnx__Tensor *from = value->constant;
    struct strided order = {.rank = AXES, .sides = {1, 1, 1, 1}};
    const int dims = (int)from->n_dims;
    if ((from->data_type != ONNX_INT8 && from->data_type != ONNX_UINT8) || dims > rank)
        return onnx_none(at, "found a constant of %s with %d dimensions, expected uint8 or int8 with at most %d",
                         onnx_type_name(from->data_type), dims, rank);
    int64_t stride = 1;
    for (int i = dims; i-- > 0; stride *= from->dims[i]) {
        const int axis = graph_axis(at->graph, rank, rank - dims + i);
        order.sides[axis] = from->dims[i];
        order.strides[axis] = stride;
    }
    if (order.sides[BATCH] != 1)
        return onnx_none(at, "found a batch of %d in a constant, expected 1", (int)order.sides[BATCH]);
    const int index = onnx_integers_new(at, value->name, from, &order);
    if (index == GRAPH_NONE || !onnx_set_scale(at, index, value->scale, value->zero))
        return GRAPH_NONE;
    struct tensor *tensor = &at->graph->tensors[index];
    memcpy(tensor->sides, tensor->dims, sizeof tensor->dims);
    return index;
}

int onnx_addend(struct onnx_reading *at, size_t i, enum takes takes, int rank) {
    const struct onnx_value *value = onnx_input(at, i);
    if (!value || !value->constant)
        return onnx_activation(at, i, takes);
    if (value->scale)
        return constant_input(at, value, rank);
    return onnx_none(at, "found constant \"%s\" not behind DequantizeLinear, expected it there", value->name);
}

/* Dimensions of the tensor that a node computes and that an input stands for; 0: it is none. */
static int rank_of_input(const struct onnx_reading *at, size_t i) {
    const struct onnx_value *value = onnx_input(at, i);
    return value && value->tensor != GRAPH_NONE ? graph_tensor(at->graph, value->tensor)->rank : 0;
}

/* Whether a constant has one value for all elements of a tensor, or one for each channel. */
static bool for_channels(const Onnx__Tensor *constant, const struct tensor *tensor) {
    const size_t after = (size_t)tensor->rank - 2, rank = constant->n_dims;
    const int64_t count = (int64_t)onnx_count(constant);
    return count == 1 || (count == tensor->c && rank > after && rank <= (size_t)tensor->rank &&
                          constant->dims[rank - 1 - after] == count);
}

bool onnx_read_add(struct onnx_reading *at) {
    for (size_t i = 0; i < 2; i++) {
        const struct onnx_value *value = onnx_input(at, i), *beside = onnx_input(at, 1 - i);
        struct node *node = value && value->constant ? onnx_unfinished(at, beside) : NULL;
        if (node && node->kind <= NODE_FULLY_CONNECTED && for_channels(value->constant, node_output(at->graph, node)))
            return onnx_add_to_bias(at, node, value) && onnx_alias(at, node->output, true);
    }
    const int rank_a = rank_of_input(at, 0), rank_b = rank_of_input(at, 1);
    const int a = rank_b ? onnx_addend(at, 0, CUBES, rank_b) : onnx_activation(at, 0, CUBES);
    const int b = a == GRAPH_NONE ? a : rank_a ? onnx_addend(at, 1, CUBES, rank_a) : onnx_activation(at, 1, CUBES);
    if (a == GRAPH_NONE || b == GRAPH_NONE)
        return false;
    const struct tensor *first = graph_tensor(at->graph, a), *second = graph_tensor(at->graph, b);
    int sides[AXES];
    for (int i = 0; i < AXES; i++)
        sides[i] = first->sides[i] > second->sides[i] ? first->sides[i] : second->sides[i];
    struct node *node = onnx_node_new(at, NODE_ADD, a, sides, first->data ? second->rank : first->rank);
    node->inputs[1] = b;
    node->input_count = 2;
    return true;
}

/* Whether limits of integers can be those of the node that computes a tensor: it has stages for limits, and nothing
 * reads the tensor by another name. */
static struct node *limited(const struct onnx_reading *at, const struct onnx_value *value) {
    const size_t producer = at->tensors[value->tensor].producer;
    struct node *node = producer ? &at->graph->nodes[producer - 1] : NULL;
    size_t names = 0, chain = 0; /* each name but the last is read by the operator that made the next one */
    for (size_t i = 0; i < at->value_count; i++)
        if (at->values[i]->tensor == value->tensor) {
            names += onnx_readers(at, at->values[i]->name);
            chain++;
        }
    for (size_t i = 0; i < at->file->n_output; i++) {
        const struct onnx_value *output = onnx_find(at, at->file->output[i]->name);
        names += output && output->tensor == value->tensor;
    }
    return node && names == chain && node->kind <= NODE_ADD ? node : NULL;
}

/* Limits of real values, or of the integers that stand for them: of the node before, or a node of their own. */
static bool make_limits(struct onnx_reading *at, double low, double high) {
    const struct onnx_value *value = onnx_input(at, 0);
    if (!(low <= high))
        return onnx_refuse(at, "found limits %g and %g, expected two in order", low, high);
    struct node *node =
        value && value->tensor != GRAPH_NONE && !value->real ? limited(at, value) : onnx_unfinished(at, value);
    if (node) {
        node->low = fmax(node->low, low);
        node->high = fmin(node->high, high);
        return onnx_alias(at, node->output, value->real);
    }
    const int in = onnx_activation(at, 0, CUBES);
    if (in == GRAPH_NONE)
        return false;
    const enum node_kind relu = isinf(high) ? NODE_RELU : high == 6 ? NODE_RELU6 : NODE_CLIP;
    node = onnx_node_like(at, low != 0 ? NODE_CLIP : relu, in);
    node->low = low;
    node->high = high;
    return value->real || onnx_keep_scale(at, in);
}

bool onnx_read_relu(struct onnx_reading *at) {
    const struct onnx_value *value = onnx_input(at, 0);
    if (value && !value->real)
        return onnx_refuse(at, "found it on integers, expected DequantizeLinear before it");
    return make_limits(at, 0, INFINITY);
}

bool onnx_read_clip(struct onnx_reading *at) {
    const struct onnx_value *value = onnx_input(at, 0);
    double low, high;
    if (!onnx_limits(at, &low, &high))
        return false;
    if (value && value->tensor != GRAPH_NONE && !value->real) {
        const struct onnx_tensor *about = &at->tensors[value->tensor];
        const struct tensor *tensor = graph_tensor(at->graph, value->tensor);
        const double zero = tensor->zero + (about->shifted ? 128 : 0), scale = (double)tensor->scales[0];
        const double least = about->shifted ? 0 : INT8_MIN, most = least + UINT8_MAX;
        if (low <= least && high >= most)
            return onnx_alias(at, value->tensor, false);
        if (!about->quantised)
            return onnx_refuse(at, "found it on integers without a scale, expected QuantizeLinear before it");
        low = (fmax(low, least) - zero) * scale;
        high = (fmin(high, most) - zero) * scale;
    } else if (high >= 3e38)
        high = INFINITY;
    else if (fabs(high - 6) < 1e-6)
        high = 6;
    return make_limits(at, low, high);
}

/* ---- the processor ---- */

bool onnx_read_curve(struct onnx_reading *at) {
    onnx_node_like(at, NODE_LOGISTIC, at->in);
    return true;
}

bool onnx_read_softmax(struct onnx_reading *at) {
    const struct tensor *t = graph_tensor(at->graph, at->in);
    const bool old = at->opset < 13; /* over all elements from an axis on */
    const int64_t axis = onnx_axis(at, old ? 1 : -1, (size_t)t->rank);
    if (axis < 1 || axis >= t->rank || (old && axis != t->rank - 1 && (axis != 1 || t->count != (size_t)t->c)))
        return onnx_refuse(at, "found axis %" PRId64 "%s, expected 1, the channels", axis,
                           old ? " with those behind it, as before opset 13" : "");
    struct node *node = onnx_node_like(at, at->kind, at->in);
    node->axis = graph_axis(at->graph, node_output(at->graph, node)->rank, (int)axis);
    node->beta = 1;
    return true;
}

/* A node that makes one element of each axis in `taken`, and whose output has these dimensions no more, or with 1. */
static bool take_away(struct onnx_reading *at, enum node_kind kind, unsigned taken) {
    const struct tensor from = *graph_tensor(at->graph, at->in);
    const bool keep = onnx_attribute_or(at, "keepdims", 1) != 0;
    struct tensor to = {.sides = {1, 1, 1, 1}, .rank = from.rank};
    int left[AXES], count = 0;
    for (int d = 0; d < from.rank; d++)
        if (keep || !(taken & 1U << graph_axis(at->graph, from.rank, d)))
            left[count++] = graph_axis(at->graph, from.rank, d);
    for (int d = 1; d < count; d++)
        to.sides[graph_axis(at->graph, count, d)] = taken & 1U << left[d] ? 1 : from.sides[left[d]];
    if (from.rank < 2 || (!keep && taken & 1U << BATCH))
        return onnx_refuse(at, "found it to take the batch away, expected that to stay");
    struct node *node = onnx_node_new(at, kind, at->in, to.sides, count);
    node->taken = taken;
    for (int i = 0; i < AXES; i++)
        if (taken & 1U << i) {
            node->axes[i].size = from.sides[i];
            node->axis = i;
        }
    return !at->failed;
}

bool onnx_read_arg_max(struct onnx_reading *at) {
    const int rank = graph_tensor(at->graph, at->in)->rank;
    const int64_t axis = onnx_axis(at, 0, (size_t)rank);
    if (axis < 1 || axis >= rank || onnx_attribute_or(at, "select_last_index", 0) != 0)
        return onnx_refuse(at,
                           "found axis %" PRId64 " or select_last_index, expected 1, the channels, and the first of "
                           "equals",
                           axis);
    if (!take_away(at, NODE_ARG_MAX, 1U << graph_axis(at->graph, rank, (int)axis)))
        return false;
    at->graph->tensors[onnx_output(at)].type = TENSOR_INDEX;
    at->tensors[onnx_output(at)].quantised = true;
    at->values[at->value_count - 1]->real = false;
    return true;
}

/* ---- pooling ---- */

bool onnx_read_pool(struct onnx_reading *at) {
    struct axis axes[AXES] = {axis_of(1), axis_of(1), axis_of(1), axis_of(1)};
    int sides[AXES];
    if (!onnx_window(at, at->in, axes, sides))
        return false;
    sides[CHANNELS] = graph_tensor(at->graph, at->in)->c;
    const struct axis *y = &axes[HEIGHT], *x = &axes[WIDTH];
    if (at->kind == NODE_AVERAGE_POOL && (y->before || y->after || x->before || x->after) &&
        onnx_attribute_or(at, "count_include_pad", 0) != 0 && !onnx_pad_input(at, axes))
        return false;
    if (y->dilation != 1 || x->dilation != 1)
        return onnx_refuse(at, "found dilation, expected none");
    struct node *node = onnx_node_new(at, at->kind, at->in, sides, graph_tensor(at->graph, at->in)->rank);
    memcpy(node->axes, axes, sizeof axes);
    return onnx_keep_scale(at, at->in);
}

bool onnx_read_global_average(struct onnx_reading *at) {
    if (onnx_attribute_or(at, "channels_last", 0) != 0)
        return onnx_refuse(at, "found channels_last, expected channels first");
    return take_away(at, NODE_MEAN, 1U << HEIGHT | 1U << WIDTH);
}

/* Without a list, over all dimensions. Behind transposes it shows later whether the channels remain. */
bool onnx_read_mean(struct onnx_reading *at) {
    const int rank = graph_tensor(at->graph, at->in)->rank;
    size_t count;
    const unsigned listed = onnx_axes(at, (size_t)rank, &count);
    unsigned taken = 0;
    for (int i = 0; i < rank; i++)
        if (!count || listed & 1U << i)
            taken |= 1U << graph_axis(at->graph, rank, i);
    if (listed >> rank || (!count && onnx_attribute_or(at, "noop_with_empty_axes", 0) != 0))
        return onnx_refuse(at, "found axes that its %d dimensions do not have, or none, expected height and width",
                           rank);
    bool transposed = false;
    for (size_t n = 0; n < at->graph->node_count; n++)
        transposed |= at->graph->nodes[n].kind == NODE_TRANSPOSE;
    if (!transposed && taken & 1U << CHANNELS && graph_tensor(at->graph, at->in)->c > 1)
        return onnx_refuse(at, "found a mean over other axes, expected height and width (2, 3) of 4");
    return !at->failed && take_away(at, NODE_MEAN, taken);
}

/* ---- quantisation ---- */

static void rename_tensor(struct onnx_reading *at, int tensor) {
    char shown[64];
    const char *name = at->node->output[0];
    struct tensor *t = &at->graph->tensors[tensor];
    free(t->name);
    t->name = xstrdup(text_shown_bytes(name, strlen(name), shown, sizeof shown));
}

bool onnx_read_quantize(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *scale = onnx_constant(at, 1, false), *zero = onnx_constant(at, 2, true);
    if (!in || in->tensor == GRAPH_NONE || !in->real || !scale || at->failed)
        return onnx_refuse(at, "found its input to be no float32 that a node computes, expected such");
    const struct tensor *t = graph_tensor(at->graph, in->tensor);
    bool shifted;
    const bool same = onnx_count(scale) == 1 && scale->data_type == ONNX_FLOAT &&
                      t->scales[0] == onnx_float(scale, 0) && t->zero == onnx_zero(zero, &shifted);
    if (!at->tensors[in->tensor].quantised || same) {
        if (!onnx_set_scale(at, in->tensor, scale, zero) || !onnx_alias(at, in->tensor, false))
            return false;
        if (at->tensors[in->tensor].producer || onnx_readers(at, in->name) == 1)
            rename_tensor(at, in->tensor);
        return true;
    }
    onnx_node_like(at, NODE_QUANTIZE, in->tensor);
    if (at->failed)
        return false;
    at->values[at->value_count - 1]->real = false;
    return onnx_set_scale(at, onnx_output(at), scale, zero);
}

bool onnx_read_dequantize(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *scale = onnx_constant(at, 1, false), *zero = onnx_constant(at, 2, true);
    if (!in || !scale || at->failed)
        return onnx_refuse(at, "found no input, expected one that a node computes");
    if (in->tensor == GRAPH_NONE)
        return onnx_refuse(at, "found no input that a node computes, expected one");
    /* Without a zero point, that of its input's type. */
    const struct onnx_tensor *about = &at->tensors[in->tensor];
    static uint8_t point;
    static const Onnx__Tensor none = {.data_type = ONNX_INT8, .raw_data = {1, &point}};
    return onnx_set_scale(at, in->tensor, scale, zero || about->shifted ? zero : &none) &&
           onnx_alias(at, in->tensor, true);
}

/* A tensor, or since version 12 a number or a list of numbers. */
bool onnx_read_constant(struct onnx_reading *at) {
    static const char *const names[] = {"value_float", "value_floats", "value_int", "value_ints"};
    const Onnx__Attribute *value = onnx_attribute(at, "value");
    for (int i = 0; !value && i < 4; i++) {
        const Onnx__Attribute *numbers = onnx_attribute(at, names[i]);
        if (!numbers)
            continue;
        const bool real = i < 2, list = i % 2;
        const void *const sources[] = {&numbers->f, numbers->floats, &numbers->i, numbers->ints};
        const int64_t count = (int64_t)(!list ? 1 : real ? numbers->n_floats : numbers->n_ints);
        Onnx__Tensor *made = onnx_make(at, real ? ONNX_FLOAT : ONNX_INT64, &count, list);
        if (made && count)
            memcpy(made->raw_data.data, sources[i], made->raw_data.len);
        return made && onnx_define_plain(at, made);
    }
    if (!value || !value->t || !onnx_check_constant(at, value->t))
        return onnx_refuse(at, "found no tensor as its value, expected one");
    return onnx_define_plain(at, value->t);
}

/* Also Dropout, which does nothing when it does not train, and Cast of float32 to float32. */
bool onnx_read_identity(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0), *trains = onnx_input(at, 2);
    const int type = (int)onnx_attribute_or(at, "to", ONNX_FLOAT);
    if (!in || in->tensor == GRAPH_NONE)
        return onnx_refuse(at, "found no input that a node computes, expected one");
    const bool index = graph_tensor(at->graph, in->tensor)->type == TENSOR_INDEX;
    if (strcmp(at->node->op_type, "Cast") == 0 && !index && (!in->real || type != ONNX_FLOAT))
        return onnx_refuse(at, "found %s made %s, expected float32 to stay so", in->real ? "float32" : "integers",
                           onnx_type_name(type));
    if (trains && (!trains->constant || onnx_count(trains->constant) != 1 || onnx_real(trains, 0) != 0))
        return onnx_refuse(at, "found training_mode, expected that of inference");
    return onnx_alias(at, in->tensor, in->real);
}
