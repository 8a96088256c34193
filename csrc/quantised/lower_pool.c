/* Pooling: averages are sums of windows channel by channel, by convolutions with weights of 1; PDP finds the greatest.
 * See lowering.h. */
#include <stdlib.h>

#include "nvdla/buffer_sizes.h"
#include "nvdla/xalloc.h"
#include "quantised/lowering.h"

static int diagonal_weight(const struct convolution *c, int k, struct tap tap) {
    return c->first_kernel + k == c->first_channel + tap.c;
}

/* ---- sums of whole cubes ---- */

/* A sum of that many elements is 128 * an INT8 + an INT8. */
enum { ELEMENTS_OF_PART = 127, PARTS_MAX = 4096 };

/* Weight of an atom in a row for the sum of each of its channels; c->cube has the atoms that count. */
static int weight_of_sum(const struct convolution *c, int k, struct tap tap) {
    return tap.c % c->atom == k && atom_of_window(c, tap) < c->cube.w * c->cube.h;
}

/* The same for planes with the low and the high parts of sums in turn. */
static int weight_of_planes(const struct convolution *c, int k, struct tap tap) {
    enum { HIGH = -128 };
    return weight_of_sum(c, k, tap) * (atom_of_window(c, tap) % 2 ? HIGH : 1);
}

static void set_window(struct convolution *c, struct view window) {
    c->from = window;
    c->x = axis_of(window.w);
    c->y = axis_of(window.h);
}

/* The sum of n atoms from one on as two planes, which are atoms in a row: low + 128 * -high. */
static bool lower_part(struct lowering *at, const struct convolution *whole, struct view first, int n,
                       struct view low) {
    const struct view high = view_channels(at, low, at->atom, low.c);
    struct convolution c = *whole;
    set_window(&c, window_of_atoms(at, first, n));
    c.cube = (struct view){.w = n, .h = 1};
    c.weight = weight_of_sum;
    c.targets = NULL;
    c.stages = stages_none();
    c.stages.x2 = stage_registers(0, -1, 7);
    c.to = high;
    c.to.c = low.c;
    if (!lower_convolution(at, &c))
        return false;
    c.stages.operand = c.to;
    c.stages.x2 = stage_per_point(7);
    c.to = low;
    return lower_convolution(at, &c);
}

/* The sums of an atom of channels whose pixels do not fit CBUF: of parts of them first. */
static bool lower_sum_by_parts(struct lowering *at, struct convolution c, struct view atom) {
    const int pixels = atom.w * atom.h, parts = (pixels + ELEMENTS_OF_PART - 1) / ELEMENTS_OF_PART;
    if (parts > PARTS_MAX)
        return lowering_refuse(at, "found an average of %d elements; the accelerator has at most %d here", pixels,
                               PARTS_MAX * ELEMENTS_OF_PART);
    struct view window = window_of_atoms(at, atom, 2 * parts);
    const int atoms = window.w * window.h * view_surfaces(at, &window);
    const struct view planes = view_new(at, MEMORY_OF_CUBES, 1, 1, atoms * at->atom);
    for (int i = 0; i < parts; i++) {
        const int first = i * ELEMENTS_OF_PART, n = least(ELEMENTS_OF_PART, pixels - first);
        struct view part = atom;
        part.offset += (uint32_t)(first * at->atom);
        if (!lower_part(at, &c, part, n, view_channels(at, planes, 2 * i * at->atom, c.to.c)))
            return false;
    }
    window.storage = planes.storage;
    window.offset = planes.offset;
    set_window(&c, window);
    c.cube = (struct view){.w = 2 * parts, .h = 1};
    c.weight = weight_of_planes;
    return lower_convolution(at, &c);
}

/* The sums of all pixels of c->from, by c->stages to c->to, which is one pixel. */
static bool lower_sums(struct lowering *at, struct convolution c) {
    const struct view window = window_of_cube(at, c.from);
    if (window.w <= KERNEL_MAX && window.h <= KERNEL_MAX) {
        set_window(&c, window);
        c.weight = diagonal_weight;
        return lower_by_atoms(at, &c, 1, 1);
    }
    const int pixels = c.from.w * c.from.h;
    const struct view atoms = window_of_atoms(at, c.from, pixels);
    const int beyond = atoms.w * atoms.h * view_surfaces(at, &atoms) - pixels;
    const struct view cube = view_in_a_row(at, c.from, beyond), to = c.to;
    for (int k = 0; k < to.c; k += at->atom) {
        struct view first = view_channels(at, cube, k, at->atom);
        c.first_kernel = k;
        c.to = view_channels(at, to, k, least(at->atom, to.c - k));
        c.cube = cube;
        c.weight = weight_of_sum;
        set_window(&c, window_of_atoms(at, first, pixels));
        const bool whole = convolution_fits(at, &c);
        if (k == 0)
            lowering_note(at, whole ? "%d pixels in a row" : "%d pixels in parts, whose sums have two bytes", pixels);
        if (!(whole ? lower_convolution(at, &c) : lower_sum_by_parts(at, c, first)))
            return false;
    }
    return true;
}

/* ---- averages ---- */

/* Outputs first .. first + n - 1 along an axis whose windows have the same number of elements inside, stride apart. */
struct window_run {
    int first, n, begin, inside;
};

static struct window_run run_at(const struct axis *axis, int size, int first, int results) {
    const struct input_span span = span_of(axis, size, first, 1);
    struct window_run run = {.first = first, .n = 1, .begin = span.begin, .inside = span.size};
    for (; first + run.n < results; run.n++) {
        const struct input_span next = span_of(axis, size, first + run.n, 1);
        if (next.size != run.inside || next.begin != run.begin + run.n * axis->stride)
            break;
    }
    return run;
}

/* Windows that are larger than those of convolutions: each as a cube of its own. */
static bool lower_large_windows(struct lowering *at, const struct convolution *whole, struct window_run rows,
                                struct window_run columns) {
    for (int y = 0; y < rows.n; y++)
        for (int x = 0; x < columns.n; x++) {
            struct convolution c = *whole;
            c.from = view_part(at, c.from, columns.begin + x * c.x.stride, rows.begin + y * c.y.stride, columns.inside,
                               rows.inside);
            c.to = view_part(at, c.to, columns.first + x, rows.first + y, 1, 1);
            if (!lower_sums(at, c))
                return false;
        }
    return true;
}

static bool average_part(struct lowering *at, struct convolution c, struct window_run rows, struct window_run columns) {
    struct average_fit fit;
    const int n = rows.inside * columns.inside;
    if (!fit_average(n, &fit))
        return lowering_refuse(at, "found windows of %d elements, whose average the multipliers cannot compute", n);
    lowering_note(at, "%d x %d windows of %d x %d: sum * %d * %d / 2^%u, exact", rows.n, columns.n, rows.inside,
                  columns.inside, fit.p, fit.m, fit.shift);
    if (fit.p > 1)
        c.stages.x1 = stage_registers(0, fit.p, 0);
    c.stages.x2 = stage_registers(0, fit.m, fit.shift);
    if (c.to.w == 1 && c.to.h == 1 && n == c.from.w * c.from.h)
        return lower_sums(at, c);
    if (rows.inside > KERNEL_MAX || columns.inside > KERNEL_MAX)
        return lower_large_windows(at, &c, rows, columns);
    const int height = (rows.n - 1) * c.y.stride + rows.inside, width = (columns.n - 1) * c.x.stride + columns.inside;
    c.from = view_part(at, c.from, columns.begin, rows.begin, width, height);
    c.to = view_part(at, c.to, columns.first, rows.first, columns.n, rows.n);
    c.x = (struct axis){.size = columns.inside, .stride = c.x.stride, .dilation = 1};
    c.y = (struct axis){.size = rows.inside, .stride = c.y.stride, .dilation = 1};
    return lower_by_atoms(at, &c, 1, 1);
}

/* A convolution that adds up the elements of each window, channel by channel. */
static struct convolution sums_of(struct lowering *at, const struct node *node, struct view from) {
    struct convolution c = convolution_of(at, from, (struct view){0}, diagonal_weight);
    c.x = node->x;
    c.y = node->y;
    return c;
}

bool lower_average_node(struct lowering *at, const struct node *node, struct view from) {
    struct convolution c = sums_of(at, node, from);
    c.to = view_define(at, node->output);
    struct window_run rows, columns;
    for (int y = 0; y < c.to.h; y += rows.n) {
        rows = run_at(&node->y, c.from.h, y, c.to.h);
        for (int x = 0; x < c.to.w; x += columns.n) {
            columns = run_at(&node->x, c.from.w, x, c.to.w);
            if (!average_part(at, c, rows, columns))
                return false;
        }
    }
    lower_limits(at, c.to, node_limits(at->graph, node), false);
    return true;
}

bool lower_mean_node(struct lowering *at, const struct node *node, struct view from) {
    const struct tensor *in = node_input(at->graph, node, 0), *out = node_output(at->graph, node);
    const int n = in->w * in->h;
    struct convolution c = sums_of(at, node, from);
    autofree struct kernel_target *targets = xcalloc((size_t)out->c, sizeof *targets);
    for (int k = 0; k < out->c; k++)
        targets[k] = (struct kernel_target){.factor = multiplier_of((double)in->scales[0] / (double)out->scales[0] / n),
                                            .bias = -(int64_t)in->zero * n,
                                            .least = (int64_t)n * INT8_MIN,
                                            .most = (int64_t)n * INT8_MAX};
    bool fine = fit_stages(at, node, targets, &c);
    if (fine) {
        c.to = view_define(at, node->output);
        fine = lower_sums(at, c);
    }
    return fine;
}

/* ---- the greatest, by PDP ---- */

enum { POOL_MAX = 8 };

/* The stride in PDP's registers: outputs that are further apart are computed one by one. */
static unsigned pdp_stride(const struct axis *axis) {
    return axis->stride > POOL_MAX ? 1 : (unsigned)axis->stride;
}

/* out: the part of `to` that is computed, from column and row `left` and `top` on. */
static void one_pdp(struct lowering *at, const struct axis *x, const struct axis *y, struct view from, struct view out,
                    int left, int top) {
    const struct input_span columns = span_of(x, from.w, left, out.w), rows = span_of(y, from.h, top, out.h);
    const struct view in = view_part(at, from, columns.begin, rows.begin, columns.size, rows.size);
    struct operation *op = lowering_op(at, TYPE_PDP);
    op->src = cube_of(at, &in);
    op->dst = cube_of(at, &out);
    op->src.line_stride = in.line;
    op->dst.line_stride = out.line;
    op->pdp = (struct pdp_op){.split = 1,
                              .mode = 1,
                              .pool_width = (unsigned)(x->size - 1),
                              .pool_height = (unsigned)(y->size - 1),
                              .stride_x = pdp_stride(x),
                              .stride_y = pdp_stride(y),
                              .pad_left = (unsigned)columns.before,
                              .pad_right = (unsigned)columns.after,
                              .pad_top = (unsigned)rows.before,
                              .pad_bottom = (unsigned)rows.after};
    op->pdp.in_first = op->pdp.in_mid = op->pdp.in_last = 1;
    op->pdp.out_first = op->pdp.out_mid = op->pdp.out_last = 1;
}

/* In as many launches as PDP's line buffer and strides take. */
static void lower_pdp(struct lowering *at, const struct axis *x, const struct axis *y, struct view from,
                      struct view to) {
    const int columns = x->stride > POOL_MAX ? 1 : pdp_buffer_columns(y->size, pdp_stride(y)),
              rows = y->stride > POOL_MAX ? 1 : to.h;
    for (int top = 0; top < to.h; top += rows)
        for (int left = 0; left < to.w; left += columns) {
            const struct view out = view_part(at, to, left, top, least(columns, to.w - left), rows);
            one_pdp(at, x, y, from, out, left, top);
        }
}

/* A window of POOL_MAX at most, and the rest for the windows over its results. */
static struct axis take_window(struct axis *axis) {
    struct axis part = axis_of(least(axis->size, POOL_MAX));
    part.before = least(axis->before, part.size - 1);
    part.after = least(axis->after, part.size - 1);
    axis->size -= part.size - 1;
    axis->before -= part.before;
    axis->after -= part.after;
    return part;
}

bool lower_max_node(struct lowering *at, const struct node *node, struct view from) {
    struct axis x = node->x, y = node->y;
    const struct view to = view_define(at, node->output);
    lowering_note(at, x.size > POOL_MAX || y.size > POOL_MAX ? "PDP, exact, windows of windows" : "PDP, exact");
    while (x.size > POOL_MAX || y.size > POOL_MAX) {
        const struct axis across = take_window(&x), down = take_window(&y);
        const struct view part =
            view_new(at, MEMORY_OF_CUBES, axis_result(&across, from.w), axis_result(&down, from.h), from.c);
        lower_pdp(at, &across, &down, from, part);
        from = part;
    }
    lower_pdp(at, &x, &y, from, to);
    lower_limits(at, to, node_limits(at->graph, node), false);
    return true;
}
