/* ONNX convolutions and products, and what becomes a part of their weights and bias. See onnx_reading.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "quantised/onnx_reading.h"

/* Operands of a convolution or a product. */
struct operands {
    const struct onnx_value *weights, *bias; /* bias NULL: none */
};

static bool read_operands(struct onnx_reading *at, struct operands *o) {
    *o = (struct operands){onnx_input(at, 1), onnx_input(at, 2)};
    if (!o->weights || !o->weights->constant || !o->weights->scale)
        return onnx_refuse(at, "found its weights not to be a constant behind DequantizeLinear, expected such");
    return !o->bias || o->bias->constant || onnx_refuse(at, "found its bias not to be a constant, expected one");
}

/* What graph_check() cannot see. axis: of the file's weights, along which the kernels are. */
static bool check_weights(struct onnx_reading *at, const struct operands *o, size_t kernels, int axis) {
    const Onnx__Tensor *scale = o->weights->scale, *zero = o->weights->zero;
    const int type = o->weights->constant->data_type, none = type == ONNX_UINT8 ? 128 : 0;
    const size_t scales = onnx_count(scale), zeros = zero ? onnx_count(zero) : 0;
    if ((type != ONNX_INT8 && type != ONNX_UINT8) || scale->data_type != ONNX_FLOAT)
        return onnx_refuse(at, "found weights of %s, expected uint8 or int8 with scales of float32",
                           onnx_type_name(type));
    if (scales != 1 && scales != kernels)
        return onnx_refuse(at, "found %zu scales of its weights, expected 1 or %zu, one for each kernel", scales,
                           kernels);
    if (scales > 1 && o->weights->axis != axis && o->weights->axis != GRAPH_NONE)
        return onnx_refuse(at, "found its weights quantised along dimension %d, expected %d", o->weights->axis, axis);
    for (size_t i = 0; i < zeros || i < scales; i++) {
        const int64_t point = zero && i < zeros ? onnx_integer(zero, i) : 0;
        if (point != none || (zero && zero->data_type != ONNX_INT8 && zero->data_type != ONNX_UINT8))
            return onnx_refuse(at,
                               "found a zero point of %" PRId64 " of its weights, expected %d: quantise weights "
                               "symmetrically",
                               point, none);
        if (i < scales && !(isfinite(onnx_float(scale, i)) && onnx_float(scale, i) > 0))
            return onnx_refuse(at, "found scale %g of its weights, expected a finite number above 0",
                               (double)onnx_float(scale, i));
    }
    if (o->bias &&
        (onnx_count(o->bias->constant) != kernels || (!o->bias->real && o->bias->constant->data_type != ONNX_INT32)))
        return onnx_refuse(at, "found a bias of %zu values, expected %zu of int32 or float32",
                           onnx_count(o->bias->constant), kernels);
    return true;
}

/* The bias of a convolution, made of zeros if there is none; NULL with a message. */
static int32_t *bias_of(struct onnx_reading *at, struct node *node) {
    const struct strided shape = {.rank = 1, .sides = {node_output(at->graph, node)->c}};
    void *elements;
    if (node->input_count < 3) {
        node->inputs[2] = onnx_constant_new(at, "bias", TENSOR_INT32, &shape, &elements);
        if (node->inputs[2] == GRAPH_NONE)
            return NULL;
        node->input_count = 3;
    }
    return (int32_t *)node_input(at->graph, node, 2)->data;
}

/* Adds real values to the bias of a convolution, in steps of its sums. ONNX Runtime's rule: divided in float32, rounded
 * to the nearest, ties to even. */
static bool add_to_bias(struct onnx_reading *at, struct node *node, const double *values) {
    int32_t *bias = bias_of(at, node);
    const struct tensor *in = node_input(at->graph, node, 0), *weights = node_input(at->graph, node, 1);
    for (int k = 0; bias && k < node_output(at->graph, node)->c; k++) {
        const float step = in->scales[0] * kernel_scale(weights, (size_t)k);
        const double value = bias[k] + (double)nearbyintf((float)values[k] / step);
        if (!(fabs(value) <= INT32_MAX))
            return onnx_refuse(at, "found a bias of %g steps, expected one of 32 bits", value);
        bias[k] = (int32_t)value;
    }
    node->real_bias = true;
    return bias != NULL;
}

bool onnx_add_to_bias(struct onnx_reading *at, struct node *node, const struct onnx_value *value) {
    const size_t kernels = (size_t)graph_tensor(at->graph, node->output)->c, count = onnx_count(value->constant);
    double *values = xcalloc(kernels, sizeof *values);
    for (size_t k = 0; k < kernels; k++)
        values[k] = onnx_real(value, count == 1 ? 0 : k);
    const bool fine = add_to_bias(at, node, values);
    free(values);
    return fine;
}

/* Adds weights and bias to a node. A bias of int32 is in steps of the sums already. */
static bool add_weights(struct onnx_reading *at, struct node *node, const struct operands *o,
                        const struct strided *order) {
    const size_t scales = onnx_count(o->weights->scale);
    const int weights = onnx_integers_new(at, "weights", o->weights->constant, order);
    if (at->failed)
        return false;
    struct tensor *tensor = &at->graph->tensors[weights];
    tensor->scales = xrealloc(tensor->scales, scales * sizeof *tensor->scales);
    tensor->scale_count = scales;
    tensor->sliced = node->kind == NODE_DEPTHWISE ? tensor->rank - 1 : 0;
    for (size_t i = 0; i < scales; i++)
        tensor->scales[i] = onnx_float(o->weights->scale, i);
    node->inputs[node->input_count++] = weights;
    if (!o->bias || o->bias->constant->data_type != ONNX_INT32)
        return !o->bias || onnx_add_to_bias(at, node, o->bias);
    int32_t *bias = bias_of(at, node);
    if (bias)
        memcpy(bias, o->bias->constant->raw_data.data, o->bias->constant->raw_data.len);
    return bias != NULL;
}

bool onnx_read_conv(struct onnx_reading *at) {
    struct operands o;
    if (!read_operands(at, &o))
        return false;
    const struct tensor *in = graph_tensor(at->graph, at->in);
    const Onnx__Tensor *w = o.weights->constant;
    const int rank = in->rank, channels = in->c;
    struct axis axes[AXES] = {axis_of(1), axis_of(1), axis_of(1), axis_of(1)};
    int sides[AXES] = {1};
    if (rank < 3 || (int)w->n_dims != rank || onnx_count(w) == 0)
        return onnx_refuse(at, "found weights of %zu dimensions, expected the %d of its input", w->n_dims, rank);
    const int64_t group = onnx_attribute_or(at, "group", 1);
    const bool depthwise = group > 1 && group == channels;
    if (group < 1 || group > channels || channels % group)
        return onnx_refuse(at, "found %" PRId64 " groups of %d channels, expected as many channels in each", group,
                           channels);
    const int depth = channels / (int)group;
    if (w->dims[1] != depth)
        return onnx_refuse(at, "found weights of %" PRId64 " channels, expected %d", w->dims[1], depth);
    for (int i = 2; i < rank; i++)
        axes[graph_axis(at->graph, rank, i)].size = (int)w->dims[i];
    if (!onnx_window(at, at->in, axes, sides))
        return false;
    const int rows = axes[HEIGHT].size, columns = axes[WIDTH].size, taps = rows * columns;
    const int kernels = sides[CHANNELS] = (int)w->dims[0];
    if ((size_t)kernels * (size_t)depth * (size_t)rows * (size_t)columns != onnx_count(w))
        return onnx_refuse(at, "found %zu weights, expected those of its kernel_shape", onnx_count(w));
    if (!check_weights(at, &o, (size_t)kernels, 0))
        return false;
    struct node *node = onnx_node_new(at, depthwise ? NODE_DEPTHWISE : NODE_CONV, at->in, sides, rank);
    memcpy(node->axes, axes, sizeof axes);
    node->groups = depthwise ? 1 : (int)group;
    const struct strided orders[] = {
        {AXES, {kernels, rows, columns, depth}, {depth * taps, columns, 1, taps}, 0},
        {AXES, {1, rows, columns, kernels}, {0, columns, 1, taps}, 0},
    };
    return add_weights(at, node, &o, &orders[depthwise]);
}

/* MatMul and Gemm. */
bool onnx_read_product(struct onnx_reading *at) {
    const Onnx__Attribute *alpha = onnx_attribute(at, "alpha"), *beta = onnx_attribute(at, "beta");
    const bool transposed = onnx_attribute_or(at, "transB", 0) != 0;
    struct operands o;
    if ((alpha && alpha->f != 1.0F) || (beta && beta->f != 1.0F) || onnx_attribute_or(at, "transA", 0) != 0)
        return onnx_refuse(at, "found alpha, beta or transA, expected 1, 1 and 0");
    if (!read_operands(at, &o))
        return false;
    const struct tensor *in = graph_tensor(at->graph, at->in);
    const struct onnx_tensor *about = &at->tensors[at->in];
    const Onnx__Tensor *w = o.weights->constant;
    if (in->rank != 2 || w->n_dims != 2 || w->dims[transposed] != (int64_t)in->count || onnx_count(w) == 0)
        return onnx_refuse(at,
                           "found an input of %d dimensions and %zu elements and weights of %zu dimensions, "
                           "expected 2 and 2 of the same length",
                           in->rank, in->count, w->n_dims);
    const int kernels = (int)w->dims[!transposed], sides[AXES] = {1, 1, 1, kernels};
    const int64_t c = about->flat ? about->c : in->c, h = about->flat ? about->h : 1,
                  columns = about->flat ? about->w : 1;
    const int64_t step = transposed ? 1 : kernels; /* in the file: from element to element of a kernel */
    const struct strided order = {
        .rank = AXES,
        .sides = {kernels, h, columns, c},
        .strides = {transposed ? (int64_t)in->count : 1, columns * step, step, h * columns * step}};
    if (!check_weights(at, &o, (size_t)kernels, !transposed))
        return false;
    struct node *node = onnx_node_new(at, NODE_FULLY_CONNECTED, at->in, sides, 2);
    node->x.size = graph_tensor(at->graph, at->in)->w;
    node->y.size = graph_tensor(at->graph, at->in)->h;
    return add_weights(at, node, &o, &order);
}

/* (x - mean) * scale / sqrt(variance + epsilon) + bias of the kernels before it: another scale of their weights, which
 * may be below 0, and a part of their bias. */
bool onnx_read_normalisation(struct onnx_reading *at) {
    struct node *node = onnx_unfinished(at, onnx_input(at, 0));
    const Onnx__Attribute *attribute = onnx_attribute(at, "epsilon");
    const double epsilon = attribute ? (double)attribute->f : (double)1e-5F;
    if (!node || (node->kind != NODE_CONV && node->kind != NODE_DEPTHWISE && node->kind != NODE_FULLY_CONNECTED))
        return onnx_refuse(at, "found it not behind a convolution, expected one whose result nothing else reads: fold "
                               "it into the weights before quantising");
    if (onnx_attribute_or(at, "training_mode", 0) != 0 || onnx_attribute_or(at, "spatial", 1) != 1)
        return onnx_refuse(at, "found it as in training, expected that of inference");
    const size_t kernels = (size_t)node_output(at->graph, node)->c;
    for (size_t i = 1; i < 5; i++)
        if (!onnx_constant(at, i, false) || onnx_count(onnx_input(at, i)->constant) != kernels)
            return onnx_refuse(at, "found its input %zu not to be one number for each of %zu channels", i, kernels);
    struct tensor *weights = &at->graph->tensors[node->inputs[1]];
    const size_t taps = weights->count / kernels;
    const bool apart = node->kind == NODE_DEPTHWISE;
    double *bias = xcalloc(kernels, sizeof *bias);
    float *scales = xcalloc(kernels, sizeof *scales);
    bool fine = true;
    for (size_t k = 0; k < kernels && fine; k++) {
        const double factor = onnx_real(onnx_input(at, 1), k) / sqrt(onnx_real(onnx_input(at, 4), k) + epsilon);
        scales[k] = kernel_scale(weights, k) * (factor == 0 ? 1 : (float)factor);
        bias[k] = onnx_real(onnx_input(at, 2), k) - onnx_real(onnx_input(at, 3), k) * factor;
        if (!isfinite(factor) || scales[k] == 0 || !isfinite(scales[k]))
            fine = onnx_refuse(at, "found a factor of %g for kernel %zu, expected a finite one", factor, k);
        for (size_t i = 0; i < taps && factor == 0; i++)
            ((int8_t *)weights->data)[apart ? i * kernels + k : k * taps + i] = 0;
        if (factor == 0 && node->input_count > 2)
            ((int32_t *)node_input(at->graph, node, 2)->data)[k] = 0;
    }
    free(weights->scales);
    weights->scales = scales;
    weights->scale_count = kernels;
    fine = fine && add_to_bias(at, node, bias);
    free(bias);
    return fine && onnx_alias(at, node->output, true);
}
