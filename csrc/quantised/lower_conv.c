/* Convolutions and what becomes one, where they do not fit CBUF in parts. See lowering.h. */
#include <stdlib.h>
#include <string.h>

#include "nvdla/buffer_sizes.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/lowering.h"

enum { STRIDE_MAX = 8, DILATION_MAX = 32 };

struct convolution convolution_of(const struct lowering *at, struct view from, struct view to,
                                  weight_function *weight) {
    return (struct convolution){.from = from,
                                .to = to,
                                .x = axis_of(1),
                                .y = axis_of(1),
                                .weight = weight,
                                .node = &at->graph->nodes[at->node],
                                .graph = at->graph,
                                .atom = at->atom,
                                .stages = stages_none(),
                                .launches = 1};
}

/* Sets strides that do not matter to 1. False with a message if the accelerator has no such windows; it may have no
 * such strides. */
static bool settle_window(const struct lowering *at, struct convolution *c) {
    if (c->to.w == 1)
        c->x.stride = 1;
    if (c->to.h == 1)
        c->y.stride = 1;
    const struct axis *axes[] = {&c->x, &c->y};
    for (int i = 0; i < 2; i++)
        if (axes[i]->size > KERNEL_MAX || axes[i]->dilation > DILATION_MAX)
            return lowering_refuse(at, "found windows of %d with dilation %d; the accelerator has at most %d and %d",
                                   axes[i]->size, axes[i]->dilation, KERNEL_MAX, DILATION_MAX);
    return true;
}

/* ---- launches that do not fit CBUF ---- */

/* The same for a rectangle of the output. */
static bool lower_rectangle(struct lowering *at, const struct convolution *whole, int x, int y, int w, int h) {
    struct convolution c = *whole;
    const struct input_span columns = span_of(&c.x, c.from.w, x, w), rows = span_of(&c.y, c.from.h, y, h);
    c.from = view_part(at, c.from, columns.begin, rows.begin, columns.size, rows.size);
    c.to = view_part(at, c.to, x, y, w, h);
    c.stages.operand = view_part(at, c.stages.operand, x, y, w, h);
    c.x.before = columns.before;
    c.x.after = columns.after;
    c.y.before = rows.before;
    c.y.after = rows.after;
    return lower_convolution(at, &c);
}

static bool lower_rectangles(struct lowering *at, const struct convolution *c, int w, int h) {
    for (int y = 0; y < c->to.h; y += h)
        for (int x = 0; x < c->to.w; x += w)
            if (!lower_rectangle(at, c, x, y, least(w, c->to.w - x), least(h, c->to.h - y)))
                return false;
    return true;
}

/* Strides that the accelerator does not have: each column or row of the output by itself. */
static bool lower_far_windows(struct lowering *at, const struct convolution *c) {
    const bool wide = c->x.stride > STRIDE_MAX;
    lowering_note(at, "each %s by itself: strides above %d", wide ? "column" : "row", STRIDE_MAX);
    return lower_rectangles(at, c, wide ? 1 : c->to.w, wide ? c->to.h : 1);
}

static int weight_of_part(const struct convolution *c, int k, struct tap tap) {
    return c->whole->weight(c->whole, c->first_kernel - c->whole->first_kernel + k, tap);
}

/* A stage whose operands begin at any kernel: a copy of them, as they have to be aligned. */
static struct sdp_unit stage_moved(struct lowering *at, struct sdp_unit stage, int kernel, int n) {
    if (!stage.enable || stage.mode != PER_KERNEL)
        return stage;
    const size_t size = stage.cube.line_stride, each = size / (size_t)at->atom;
    const size_t from = stage.cube.offset + (size_t)kernel * each;
    void *bytes = lowering_constant(at, size, &stage.cube.offset);
    memcpy(bytes, at->out->constants + from, (size_t)n * each);
    return stage;
}

/* The kernels of an atom of output, n at a time into atoms of their own; a convolution of 1 x 1 then merges those. */
static bool lower_atom_by_kernels(struct lowering *at, const struct convolution *whole, int first, int count, int n) {
    enum { ATOM_MAX = 1024 };
    int channels[ATOM_MAX];
    const int parts = (count + n - 1) / n;
    const struct view merged = view_new(at, MEMORY_OF_CUBES, whole->to.w, whole->to.h, parts * at->atom);
    for (int i = 0; i < parts; i++) {
        struct convolution c = *whole;
        const int kernel = whole->first_kernel + first + i * n, here = least(n, count - i * n);
        channels[i] = n;
        c.whole = whole;
        c.weight = weight_of_part;
        c.first_operand = c.first_kernel = kernel;
        c.to = view_channels(at, merged, i * at->atom, here);
        c.stages.x1 = stage_moved(at, c.stages.x1, kernel - whole->first_operand, here);
        c.stages.x2 = stage_moved(at, c.stages.x2, kernel - whole->first_operand, here);
        if (!lower_convolution(at, &c))
            return false;
    }
    return lower_joining(at, merged, channels, view_channels(at, whole->to, first, count));
}

/* Most kernels, fewer than an atom, that fit CBUF beside the input of one row of output; 0: not one. */
static int most_kernels(const struct lowering *at, const struct convolution *c) {
    struct convolution part = *c;
    for (int n = at->atom - 1; n > 0; n--) {
        part.to.c = least(n, c->to.c);
        if (most_rows(at, &part) > 0)
            return n;
    }
    return 0;
}

bool convolution_fits(const struct lowering *at, const struct convolution *c) {
    return most_rows(at, c) > 0 || most_kernels(at, c) > 0;
}

static bool lower_by_kernels(struct lowering *at, const struct convolution *c, int n) {
    lowering_note(at, "%d %s at a time: a group does not fit CBUF", n, text_plural((size_t)n, "kernel", "kernels"));
    for (int k = 0; k < c->to.c; k += at->atom)
        if (!lower_atom_by_kernels(at, c, k, least(at->atom, c->to.c - k), n))
            return false;
    return true;
}

/* Columns of output of a part, of which a row fits CBUF; 0: not even one column does. */
static int most_columns(const struct lowering *at, const struct convolution *c) {
    for (int n = c->to.w - 1; n > 0; n = n > 64 ? n / 2 : n - 1) {
        struct convolution part = *c;
        part.from.w = most_inputs(&c->x, c->from.w, c->to.w, n);
        part.to.w = n;
        if (most_rows(at, &part) > 0)
            return n;
    }
    return 0;
}

bool lower_convolution(struct lowering *at, struct convolution *c) {
    if (!settle_window(at, c))
        return false;
    if (c->x.stride > STRIDE_MAX || c->y.stride > STRIDE_MAX)
        return lower_far_windows(at, c);
    const int most = most_rows(at, c);
    if (most > 0) {
        lower_launches(at, c, most);
        return true;
    }
    const int columns = most_columns(at, c);
    if (columns > 0) {
        lowering_note(at, "in bands of %d columns: lines of its input do not fit CBUF", columns);
        return lower_rectangles(at, c, columns, c->to.h);
    }
    struct convolution column = *c;
    if (c->to.w > 1) {
        column.from.w = least((c->x.size - 1) * c->x.dilation + 1, c->from.w);
        column.to.w = 1;
    }
    const int kernels = most_kernels(at, &column);
    if (kernels > 0)
        return lower_by_kernels(at, c, kernels);
    return lowering_refuse(
        at,
        "found a window of %d lines of %d x %d and a kernel of %zu bytes, which do not fit the %zu bytes of CBUF of "
        "configuration %s together",
        (c->y.size - 1) * c->y.dilation + 1, column.from.w, c->from.c, kernel_bytes(c),
        cbuf_bank_bytes(at->config) * (size_t)at->config->cbuf_banks, at->config->name);
}

/* ---- few channels ---- */

/* Weight of a kernel that copies one element of the window: channel of the gathered cube = (row, column, channel). */
static int gathering_weight(const struct convolution *c, int k, struct tap tap) {
    return k == (tap.r * c->x.size + tap.s) * c->from.c + tap.c;
}

/* Weight of the node at an element of the gathered cube; 0 past its last row. */
static int gathered_weight(const struct convolution *c, int k, struct tap tap) {
    const struct tensor *weights = node_input(c->graph, c->node, 1);
    const int rows = weights->dims[1], line = weights->dims[2] * weights->dims[3];
    const int row = tap.r * c->node->y.stride + tap.c / line;
    return row < rows ? ((const int8_t *)weights->data)[(k * rows + row) * line + tap.c % line] : 0;
}

/* Splits a convolution of few channels where that takes fewer clocks: one that copies the columns of a window, and as
 * many rows as the window moves, into channels of one atom, and *c, which then reads that cube row by row. */
static bool gather_channels(struct lowering *at, struct convolution *c) {
    enum { LAUNCH_CLOCKS = 400 };
    if (!settle_window(at, c))
        return false;
    const struct axis y = c->y;
    const int rows = c->node->y.stride;
    if (c->node->kind != NODE_CONV || c->from.c > at->atom || rows > STRIDE_MAX ||
        rows * c->x.size * c->from.c > at->atom || c->x.dilation != 1 || y.dilation != 1 || y.before % rows != 0)
        return true;
    const int channels = rows * c->x.size * c->from.c, gathered = (c->from.h + rows - 1) / rows;
    struct convolution copy = *c, rest = *c;
    copy.y = (struct axis){.size = rows, .stride = rows, .dilation = 1};
    copy.weight = gathering_weight;
    copy.targets = NULL;
    copy.stages = stages_none();
    copy.to = (struct view){.w = c->to.w, .h = gathered, .c = channels};
    rest.from = copy.to;
    rest.weight = gathered_weight;
    rest.x = axis_of(1);
    rest.y = (struct axis){.size = (y.size + rows - 1) / rows, .stride = 1, .dilation = 1, .before = y.before / rows};
    if (convolution_clocks(at, &copy) + convolution_clocks(at, &rest) + LAUNCH_CLOCKS >= convolution_clocks(at, c) ||
        most_rows(at, &copy) == 0)
        return true;
    rest.from = copy.to = view_new(at, MEMORY_OF_CUBES, copy.to.w, copy.to.h, copy.to.c);
    lowering_note(at, "%d rows of its windows gathered into %d channels first", rows, channels);
    *c = rest;
    return lower_convolution(at, &copy);
}

/* ---- whole cubes as one window ---- */

/* A cube of other sides, for which the accelerator has windows. */
struct view window_of_cube(const struct lowering *at, struct view view) {
    const int pixels = view.w * view.h;
    const bool packed = view.h == 1 || view.line == (uint32_t)(view.w * at->atom);
    for (int w = KERNEL_MAX; packed && (view.w > KERNEL_MAX || view.h > KERNEL_MAX) && w > 0; w--)
        if (pixels % w == 0 && pixels / w <= KERNEL_MAX) {
            view.w = w;
            view.h = pixels / w;
            view.line = (uint32_t)(w * at->atom);
        }
    return view;
}

struct view window_of_atoms(const struct lowering *at, struct view first, int atoms) {
    const int surfaces = CHANNELS_MAX / at->atom;
    int64_t least = INT64_MAX;
    struct view best = first;
    for (int h = 1; h <= KERNEL_MAX; h++)
        for (int w = 1; w <= KERNEL_MAX; w++) {
            const int deep = (atoms + w * h - 1) / (w * h);
            if (deep > surfaces || (int64_t)deep * w * h >= least)
                continue;
            least = (int64_t)deep * w * h;
            best.w = w;
            best.h = h;
            best.c = deep * at->atom;
        }
    best.line = (uint32_t)(best.w * at->atom);
    best.surface = best.line * (uint32_t)best.h;
    return best;
}

struct view view_in_a_row(struct lowering *at, struct view view, int beyond) {
    const uint32_t line = (uint32_t)(view.w * at->atom);
    const bool packed = (view.h == 1 || view.line == line) &&
                        (view_surfaces(at, &view) == 1 || view.surface == line * (uint32_t)view.h);
    if (packed && beyond == 0)
        return view;
    const struct view row = view_new(at, MEMORY_OF_CUBES, view.w, view.h, view.c);
    at->out->storages[row.storage].size += (uint64_t)beyond * (uint64_t)at->atom;
    lower_copy(at, view, row);
    return row;
}

/* Weight of a node that reads the atoms of a cube in a row. */
static int weight_of_atoms(const struct convolution *c, int k, struct tap tap) {
    const int8_t *data = node_input(c->graph, c->node, 1)->data;
    const int pixels = c->cube.w * c->cube.h, atom = atom_of_window(c, tap);
    const int of_cube = atom / pixels * c->atom + tap.c % c->atom;
    const size_t kernel = (size_t)pixels * (size_t)c->cube.c;
    return of_cube < c->cube.c
               ? data[(size_t)k * kernel + (size_t)(atom % pixels) * (size_t)c->cube.c + (size_t)of_cube]
               : 0;
}

/* Makes a node's window the whole cube. */
static void set_whole_window(struct lowering *at, struct convolution *c, struct view cube) {
    c->from = window_of_cube(at, cube);
    if (c->from.w > KERNEL_MAX || c->from.h > KERNEL_MAX || c->from.c > CHANNELS_MAX) {
        const int atoms = cube.w * cube.h * view_surfaces(at, &cube);
        c->from = window_of_atoms(at, cube, atoms);
        c->cube = view_in_a_row(at, cube, c->from.w * c->from.h * view_surfaces(at, &c->from) - atoms);
        c->from.storage = c->cube.storage;
        c->from.offset = c->cube.offset;
        c->weight = weight_of_atoms;
        lowering_note(at, "its %d atoms as a window of %d x %d with %d channels", atoms, c->from.h, c->from.w,
                      c->from.c);
    }
    c->x.size = c->from.w;
    c->y.size = c->from.h;
}

/* ---- nodes ---- */

/* Weights in the order kernel, row, column, channel of the cube in memory. */
static int plain_weight(const struct convolution *c, int k, struct tap tap) {
    const int8_t *data = node_input(c->graph, c->node, 1)->data;
    return data[(((size_t)k * (size_t)c->y.size + (size_t)tap.r) * (size_t)c->x.size + (size_t)tap.s) *
                    (size_t)c->from.c +
                (size_t)tap.c];
}

/* Kernel k reads one channel of the input. */
static int depthwise_weight(const struct convolution *c, int k, struct tap tap) {
    const struct tensor *weights = node_input(c->graph, c->node, 1), *in = node_input(c->graph, c->node, 0);
    const int kernel = c->first_kernel + k, multiple = weights->dims[3] / in->c;
    if (kernel / multiple != c->first_channel + tap.c)
        return 0;
    return (
        (const int8_t *)weights
            ->data)[((size_t)tap.r * (size_t)c->x.size + (size_t)tap.s) * (size_t)weights->dims[3] + (size_t)kernel];
}

/* Kernel k reads the channels of its group. */
static int grouped_weight(const struct convolution *c, int k, struct tap tap) {
    const struct tensor *weights = node_input(c->graph, c->node, 1);
    const int kernel = c->first_kernel + k, depth = weights->dims[3];
    const int place = c->first_channel + tap.c - kernel / (weights->dims[0] / c->node->groups) * depth;
    if (place < 0 || place >= depth)
        return 0;
    return ((const int8_t *)weights->data)[((kernel * c->y.size + tap.r) * c->x.size + tap.s) * depth + place];
}

/* Bias with the zero point folded in, and the range of the sums of raw products. */
static void set_targets(struct lowering *at, const struct node *node, struct kernel_target *targets) {
    const struct tensor *in = node_input(at->graph, node, 0), *weights = node_input(at->graph, node, 1);
    const int8_t *data = weights->data;
    const size_t kernels = (size_t)node_output(at->graph, node)->c, taps = weights->count / kernels;
    const bool depthwise = node->kind == NODE_DEPTHWISE;
    if (node->real_bias)
        lowering_note(at, "bias of float32, rounded to INT32 in steps of input scale * weight scale, ties to even");
    for (size_t k = 0; k < kernels; k++) {
        const int sign = kernel_scale(weights, k) < 0 ? -1 : 1;
        int64_t sum = 0;
        targets[k] =
            (struct kernel_target){.factor = multiplier_of(kernel_factor(at->graph, node, k)), .negative = sign < 0};
        for (size_t i = 0; i < taps; i++) {
            const int w = sign * (depthwise ? data[i * kernels + k] : data[k * taps + i]);
            sum += w;
            targets[k].least += w * (w > 0 ? INT8_MIN : INT8_MAX);
            targets[k].most += w * (w > 0 ? INT8_MAX : INT8_MIN);
        }
        targets[k].bias = sign * (int64_t)kernel_bias(at->graph, node, k) - in->zero * sum;
    }
}

/* Padding that the accelerator does not have: a cube with it. */
static bool pad_far(struct lowering *at, struct convolution *c) {
    if (c->x.before <= PAD_MAX && c->x.after <= PAD_AFTER_MAX && c->y.before <= PAD_MAX && c->y.after <= PAD_AFTER_MAX)
        return true;
    const struct view to = view_new(at, MEMORY_OF_CUBES, c->x.before + c->from.w + c->x.after,
                                    c->y.before + c->from.h + c->y.after, c->from.c);
    if (to.w > TENSOR_SIDE_MAX || to.h > TENSOR_SIDE_MAX)
        return lowering_refuse(at, "found an input of %d x %d with its padding; the accelerator has at most %d", to.h,
                               to.w, TENSOR_SIDE_MAX);
    lowering_note(at, "padded to %d x %d by a copy", to.h, to.w);
    lower_padding(at, c->from, to, c->x.before, c->y.before, c->pad_value);
    c->from = to;
    c->x.before = c->x.after = c->y.before = c->y.after = 0;
    return true;
}

/* The view that a node reads; the padding of a PAD before it becomes the convolution's. */
static bool input_view(struct lowering *at, const struct node *node, struct convolution *c) {
    c->x = node->x;
    c->y = node->y;
    const struct node *pad = graph_producer(at->graph, node->inputs[0]);
    if (pad && at->nodes[pad - at->graph->nodes].folded) {
        c->x.before += pad->x.before;
        c->x.after += pad->x.after;
        c->y.before += pad->y.before;
        c->y.after += pad->y.after;
        return true;
    }
    if (node_takes_row(at->graph, node)) {
        set_whole_window(at, c, c->from);
        return true;
    }
    return view_use(at, node->inputs[0], &c->from) && pad_far(at, c);
}

/* Clocks of a launch of n atoms of channels: the multipliers take products with zeros too; at least those of writing
 * its registers. Spec: 88-quantised-networks sections 3.2 and 4. */
static int launch_clocks(const struct lowering *at, const struct convolution *whole, int n) {
    enum { SHORTEST_STRIPE = 8, REGISTER_CLOCKS = 220 };
    const size_t channels = (size_t)(n * at->atom), outputs = (size_t)(whole->to.w * whole->to.h);
    const size_t stripe = outputs > SHORTEST_STRIPE ? outputs : SHORTEST_STRIPE;
    const size_t taps = (size_t)whole->x.size * (size_t)whole->y.size;
    const size_t multiply = stripe * taps * ceil_div(channels, (size_t)at->config->atomic_c) *
                            ceil_div(channels, (size_t)at->config->atomic_k);
    const size_t fetch = taps * channels * channels / (size_t)(at->config->dbb_data_bits / 8);
    const size_t clocks = multiply > fetch ? multiply : fetch;
    return clocks > REGISTER_CLOCKS ? (int)clocks : REGISTER_CLOCKS;
}

/* Atoms of output channels in a launch: two where that takes fewer clocks and fits CBUF whole. */
static int atoms_of_launch(const struct lowering *at, const struct convolution *whole) {
    struct convolution two = *whole;
    two.from.c = two.to.c = 2 * at->atom;
    const bool fits = whole->to.c > at->atom && most_rows(at, &two) == two.to.h;
    return fits && launch_clocks(at, whole, 2) < 2 * launch_clocks(at, whole, 1) ? 2 : 1;
}

bool lower_by_atoms(struct lowering *at, const struct convolution *whole, int inputs, int outputs) {
    struct convolution settled = *whole;
    if (!settle_window(at, &settled))
        return false;
    const int atom = at->atom, channels = whole->to.c;
    const int most = outputs % atom ? atoms_of_launch(at, &settled) * atom : outputs;
    for (int k = 0; k < channels; k += most) {
        struct convolution c = settled;
        const int kernels = least(most, channels - k);
        const int first = k / outputs * inputs / atom * atom, last = ((k + kernels - 1) / outputs + 1) * inputs - 1;
        const int end = (last / atom + 1) * atom;
        c.first_kernel = k;
        c.first_channel = first;
        c.launches = (unsigned)((channels + most - 1) / most);
        c.from = view_channels(at, whole->from, first, least(end, whole->from.c) - first);
        c.to = view_channels(at, whole->to, k, kernels);
        c.stages.operand = view_channels(at, c.stages.operand, k, kernels);
        if (!lower_convolution(at, &c))
            return false;
    }
    return true;
}

bool lower_conv_node(struct lowering *at, const struct node *node, struct view from) {
    const struct tensor *in = node_input(at->graph, node, 0), *out = node_output(at->graph, node);
    const bool depthwise = node->kind == NODE_DEPTHWISE;
    const int groups = depthwise ? in->c : node->groups;
    weight_function *const weight = depthwise ? depthwise_weight : groups > 1 ? grouped_weight : plain_weight;
    struct convolution c = convolution_of(at, from, (struct view){0}, weight);
    c.pad_value = in->zero;
    if (!input_view(at, node, &c))
        return false;
    autofree struct kernel_target *targets = xcalloc((size_t)out->c, sizeof *targets);
    set_targets(at, node, targets);
    bool fine = fit_stages(at, node, targets, &c);
    if (fine) {
        const struct limits limits = node_limits(at->graph, node);
        c.to = view_define(at, node->output);
        if (depthwise || groups > 1)
            fine = lower_by_atoms(at, &c, in->c / groups, out->c / groups);
        else
            fine = gather_channels(at, &c) && lower_convolution(at, &c);
        /* What the convolution's own stages cannot limit. */
        lower_limits(at, c.to, limits, limits.low == out->zero);
    }
    return fine;
}
