/* TFLite's integers, node by node. See interpret.h. */
#include "quantised/interpret.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "loadable/elementary.h"
#include "nvdla/xalloc.h"

int8_t **values_new(const struct graph *graph) {
    int8_t **values = xcalloc(graph->tensor_count + 1, sizeof *values);
    for (size_t i = 0; i < graph->tensor_count; i++) {
        const struct tensor *tensor = &graph->tensors[i];
        if (tensor->type != TENSOR_INT8 && tensor->type != TENSOR_INDEX)
            continue;
        values[i] = xcalloc(tensor_bytes(tensor) + 1, 1);
        if (tensor->data)
            memcpy(values[i], tensor->data, tensor->count);
    }
    return values;
}

void values_free(const struct graph *graph, int8_t **values) {
    for (size_t i = 0; i < graph->tensor_count; i++)
        free(values[i]);
    free(values);
}

static int clamp(int64_t value, struct limits limits) {
    return value < limits.low ? limits.low : value > limits.high ? limits.high : (int)value;
}

/* The part of a window that is inside: taps first .. last - 1, and the place of tap 0. */
struct window {
    int place, first, last;
};

static struct window window_at(const struct axis *axis, int result, int n) {
    struct window window = {.place = result * axis->stride - axis->before, .first = 0, .last = axis->size};
    while (window.first < window.last && window.place + window.first * axis->dilation < 0)
        window.first++;
    while (window.last > window.first && window.place + (window.last - 1) * axis->dilation >= n)
        window.last--;
    return window;
}

/* The node that is being computed. */
struct computing {
    const struct graph *graph;
    const struct node *node;
    const struct tensor *in, *out;
    int8_t *const *values;
    const int8_t *from;
    int8_t *to;
    enum rounding_rule rule;
    struct limits limits;
};

static const int8_t *element(const struct computing *at, int y, int x) {
    return at->from + ((size_t)y * (size_t)at->in->w + (size_t)x) * (size_t)at->in->c;
}

/* A sum in steps of the output, between its limits. */
static int8_t requantised(const struct computing *at, struct multiplier factor, int64_t sum) {
    return (int8_t)clamp(at->out->zero + (int64_t)multiplier_apply(factor, sum, at->rule), at->limits);
}

/* ---- convolutions ---- */

/* Sums of all kernels at an output position; positions outside have the value of the zero point. */
static void add_products(const struct computing *at, struct window rows, struct window columns, int32_t *sums) {
    const struct node *node = at->node;
    const int8_t *weights = node_input(at->graph, node, 1)->data;
    const int channels = at->in->c, kernels = at->out->c, zero = at->in->zero, multiple = kernels / channels;
    const int depth = channels / (node->kind == NODE_DEPTHWISE ? 1 : node->groups);
    const size_t kernel = (size_t)node->y.size * (size_t)node->x.size * (size_t)depth;
    for (int r = rows.first; r < rows.last; r++)
        for (int s = columns.first; s < columns.last; s++) {
            const size_t tap = (size_t)r * (size_t)node->x.size + (size_t)s;
            const int8_t *x = element(at, rows.place + r * node->y.dilation, columns.place + s * node->x.dilation);
            if (node->kind == NODE_DEPTHWISE) {
                for (int k = 0; k < kernels; k++)
                    sums[k] += weights[tap * (size_t)kernels + (size_t)k] * (x[k / multiple] - zero);
                continue;
            }
            for (int k = 0; k < kernels; k++) {
                const int8_t *w = weights + (size_t)k * kernel + tap * (size_t)depth;
                const int8_t *group = x + k / (kernels / node->groups) * depth;
                int32_t sum = 0;
                for (int c = 0; c < depth; c++)
                    sum += w[c] * (group[c] - zero);
                sums[k] += sum;
            }
        }
}

static void convolve(const struct computing *at) {
    const struct node *node = at->node;
    const size_t kernels = (size_t)at->out->c;
    autofree struct multiplier *multipliers = xcalloc(kernels, sizeof *multipliers);
    autofree int32_t *sums = xcalloc(kernels, sizeof *sums);
    int8_t *to = at->to;
    for (size_t k = 0; k < kernels; k++)
        multipliers[k] = multiplier_of(kernel_factor(at->graph, node, k));
    for (int y = 0; y < at->out->h; y++)
        for (int x = 0; x < at->out->w; x++) {
            memset(sums, 0, kernels * sizeof *sums);
            add_products(at, window_at(&node->y, y, at->in->h), window_at(&node->x, x, at->in->w), sums);
            for (size_t k = 0; k < kernels; k++) {
                const int64_t sum = (int64_t)sums[k] + kernel_bias(at->graph, node, k);
                *to++ =
                    requantised(at, multipliers[k], kernel_scale(node_input(at->graph, node, 1), k) < 0 ? -sum : sum);
            }
        }
}

/* ---- pooling ---- */

static int pooled(const struct computing *at, struct window rows, struct window columns, int c) {
    const int64_t n = (int64_t)(rows.last - rows.first) * (columns.last - columns.first);
    int64_t sum = 0;
    int most = INT8_MIN;
    for (int r = rows.first; r < rows.last; r++)
        for (int s = columns.first; s < columns.last; s++) {
            const int value = element(at, rows.place + r, columns.place + s)[c];
            sum += value;
            most = value > most ? value : most;
        }
    if (at->node->kind == NODE_MAX_POOL || n == 0)
        return most;
    if (at->node->kind == NODE_AVERAGE_POOL)
        return average_of(sum, n);
    const double factor = (double)at->in->scales[0] / (double)at->out->scales[0] / (double)n;
    return (int)(at->out->zero + (int64_t)multiplier_apply(multiplier_of(factor), sum - n * at->in->zero, at->rule));
}

static void pool(const struct computing *at) {
    int8_t *to = at->to;
    for (int y = 0; y < at->out->h; y++)
        for (int x = 0; x < at->out->w; x++)
            for (int c = 0; c < at->out->c; c++)
                *to++ = (int8_t)clamp(
                    pooled(at, window_at(&at->node->y, y, at->in->h), window_at(&at->node->x, x, at->in->w), c),
                    at->limits);
}

/* ---- elements ---- */

struct addition addition_of(const struct graph *graph, const struct node *node) {
    enum { SHIFT = 20 };
    const struct tensor *a = node_input(graph, node, 0), *b = node_input(graph, node, 1),
                        *out = node_output(graph, node);
    const double scale_a = (double)a->scales[0], scale_b = (double)b->scales[0];
    const double twice = 2 * fmax(scale_a, scale_b);
    return (struct addition){.of_a = multiplier_of(scale_a / twice),
                             .of_b = multiplier_of(scale_b / twice),
                             .of_sum = multiplier_of(twice / (ldexp(1, SHIFT) * (double)out->scales[0])),
                             .zero_a = a->zero,
                             .zero_b = b->zero,
                             .zero_out = out->zero,
                             .limits = node_limits(graph, node)};
}

int add_elements(const struct addition *addition, int a, int b) {
    enum { STEPS = 1 << 20 };
    const int64_t left = multiplier_apply(addition->of_a, (int64_t)(a - addition->zero_a) * STEPS, RULE_MICRO);
    const int64_t right = multiplier_apply(addition->of_b, (int64_t)(b - addition->zero_b) * STEPS, RULE_MICRO);
    return clamp(addition->zero_out + (int64_t)multiplier_apply(addition->of_sum, left + right, RULE_MICRO),
                 addition->limits);
}

/* The place in a tensor of an element of the output; sides of 1 are repeated. */
static size_t repeated(const struct tensor *t, int y, int x, int c) {
    y = t->h == 1 ? 0 : y;
    x = t->w == 1 ? 0 : x;
    return ((size_t)y * (size_t)t->w + (size_t)x) * (size_t)t->c + (size_t)(t->c == 1 ? 0 : c);
}

static void add(const struct computing *at) {
    const struct addition addition = addition_of(at->graph, at->node);
    const struct tensor *b = node_input(at->graph, at->node, 1);
    const int8_t *other = at->values[at->node->inputs[1]];
    int8_t *to = at->to;
    for (int y = 0; y < at->out->h; y++)
        for (int x = 0; x < at->out->w; x++)
            for (int c = 0; c < at->out->c; c++)
                *to++ =
                    (int8_t)add_elements(&addition, at->from[repeated(at->in, y, x, c)], other[repeated(b, y, x, c)]);
}

static void rescale(const struct computing *at) {
    const struct multiplier multiplier = multiplier_of((double)at->in->scales[0] / (double)at->out->scales[0]);
    for (size_t i = 0; i < at->out->count; i++)
        at->to[i] = requantised(at, multiplier, at->from[i] - at->in->zero);
}

static void logistic(const struct computing *at) {
    for (size_t i = 0; i < at->out->count; i++) {
        const double x = (double)at->in->scales[0] * (at->from[i] - at->in->zero);
        const double share = 1 / (1 + (double)elementary_exp((float)-x));
        at->to[i] = (int8_t)clamp((int64_t)round(share / (double)at->out->scales[0]) + at->out->zero, at->limits);
    }
}

/* Over the channels of each position. Spec: section 2.5. */
static void softmax(const struct computing *at) {
    const size_t channels = (size_t)at->in->c;
    const float step = at->in->scales[0] * at->node->beta;
    float table[256];
    for (int d = 0; d < 256; d++)
        table[d] = elementary_exp(-step * (float)d);
    for (size_t i = 0; i < at->in->count; i += channels) {
        const int8_t *from = at->from + i;
        int most = INT8_MIN;
        float sum = 0;
        for (size_t c = 0; c < channels; c++)
            most = from[c] > most ? from[c] : most;
        for (size_t c = 0; c < channels; c++)
            sum += table[most - from[c]];
        const float share = 1 / (sum * at->out->scales[0]), rest = elementary_log(sum), zero = (float)at->out->zero;
        for (size_t c = 0; c < channels; c++) {
            const float real = (float)(from[c] - most) * step - rest;
            at->to[i + c] = (int8_t)clamp(at->node->kind == NODE_LOG_SOFTMAX
                                              ? (int64_t)floorf(real / at->out->scales[0] + zero + 0.5f)
                                              : (int64_t)truncf(table[most - from[c]] * share + 0.5f) + at->out->zero,
                                          at->limits);
        }
    }
}

/* The first of equals, in 16 bits. */
static void arg_max(const struct computing *at) {
    const size_t channels = (size_t)at->in->c;
    for (size_t i = 0; i < at->out->count; i++) {
        const int8_t *from = at->from + i * channels;
        uint16_t best = 0;
        for (size_t c = 1; c < channels; c++)
            best = from[c] > from[best] ? (uint16_t)c : best;
        memcpy(at->to + i * sizeof best, &best, sizeof best);
    }
}

/* ---- moves ---- */

static void move(const struct computing *at, const struct tensor *in, const int8_t *from, const int place[AXES]) {
    for (int y = 0; y < in->h; y++)
        for (int x = 0; x < in->w; x++)
            memcpy(at->to +
                       ((size_t)(y + place[HEIGHT]) * (size_t)at->out->w + (size_t)(x + place[WIDTH])) *
                           (size_t)at->out->c +
                       place[CHANNELS],
                   from + ((size_t)y * (size_t)in->w + (size_t)x) * (size_t)in->c, (size_t)in->c);
}

static void concatenate(const struct computing *at) {
    const struct node *node = at->node;
    int place[AXES] = {0};
    for (size_t i = 0; i < node->input_count; i++) {
        const struct tensor *in = node_input(at->graph, node, i);
        const struct multiplier multiplier = multiplier_of((double)in->scales[0] / (double)at->out->scales[0]);
        autofree int8_t *scaled = xmalloc(in->count);
        for (size_t k = 0; k < in->count; k++)
            scaled[k] = requantised(at, multiplier, at->values[node->inputs[i]][k] - in->zero);
        move(at, in, scaled, place);
        place[node->axis] += in->sides[node->axis];
    }
}

static void reshape(const struct computing *at) {
    memcpy(at->to, at->from, at->out->count);
}

static void pad(const struct computing *at) {
    const struct node *node = at->node;
    memset(at->to, at->out->zero, at->out->count);
    move(at, at->in, at->from, (const int[]){0, node->y.before, node->x.before, node->c.before});
}

void interpret_node(const struct graph *graph, const struct node *node, enum rounding_rule rule,
                    int8_t *const *values) {
    static void (*const of_kinds[NODE_KINDS])(const struct computing *) = {
        [NODE_CONV] = convolve,
        [NODE_DEPTHWISE] = convolve,
        [NODE_FULLY_CONNECTED] = convolve,
        [NODE_ADD] = add,
        [NODE_AVERAGE_POOL] = pool,
        [NODE_MAX_POOL] = pool,
        [NODE_MEAN] = pool,
        [NODE_RESHAPE] = reshape,
        [NODE_PAD] = pad,
        [NODE_CONCATENATION] = concatenate,
        [NODE_SOFTMAX] = softmax,
        [NODE_LOG_SOFTMAX] = softmax,
        [NODE_ARG_MAX] = arg_max,
        [NODE_LOGISTIC] = logistic,
    };
    const struct computing at = {.graph = graph,
                                 .node = node,
                                 .in = node_input(graph, node, 0),
                                 .out = node_output(graph, node),
                                 .values = values,
                                 .from = values[node->inputs[0]],
                                 .to = values[node->output],
                                 .rule = rule,
                                 .limits = node_limits(graph, node)};
    (of_kinds[node->kind] ? of_kinds[node->kind] : rescale)(&at);
}
