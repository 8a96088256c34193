/* Moves that change which channel an element is in: RESHAPE to other channels, CONCATENATION of channels inside an
 * atom, inputs of ADD that are repeated. Convolutions with weights of 1 take elements out of atoms. See lowering.h. */
#include "quantised/lowering.h"

static int gcd(int a, int b) {
    return b ? gcd(b, a % b) : a;
}

/* ---- reshape ---- */

/* Kernel k takes element first_kernel + k of a row of pixels; the cube read begins at channel first_channel. */
static int element_weight(const struct convolution *c, int k, struct tap tap) {
    return tap.s * c->cube.c + c->first_channel + tap.c == c->first_kernel + k;
}

/* One atom of channels in every `step`-th pixel of the result. */
struct column {
    int pixel, channel, step, rows;
};

/* Its elements lie in the same places of each `period` pixels of the source, both cubes packed. */
static bool lower_column(struct lowering *at, struct view from, struct view to, struct column column, int period,
                         unsigned launches) {
    const int atom = at->atom, n = least(atom, to.c - column.channel);
    const int first = column.pixel * to.c + column.channel, pixel = first / from.c, last = (first + n - 1) / from.c;
    struct view source = from, target = view_channels(at, to, column.channel, n);
    const bool single = pixel == last; /* one pixel of the source: not all of its channels are read */
    const int begin = single ? first % from.c / atom * atom : 0;
    const int end = single ? (first % from.c + n - 1) / atom * atom + atom : from.c;
    source.line = (uint32_t)(period * atom);
    source = view_channels(at, source, begin, least(end, from.c) - begin);
    source.offset += (uint32_t)(pixel * atom);
    source.w = last - pixel + 1;
    target.line = (uint32_t)(column.step * atom);
    target.offset += (uint32_t)(column.pixel * atom);
    target.w = 1;
    for (int row = 0; row < column.rows; row += TENSOR_SIDE_MAX) {
        source.h = target.h = least(column.rows - row, TENSOR_SIDE_MAX);
        if (single && first % from.c == begin && source.c == n) {
            lower_copy(at, source, target);
        } else {
            struct convolution c = convolution_of(at, source, target, element_weight);
            c.x.size = source.w;
            c.launches = launches;
            c.cube = from;
            c.first_kernel = first - pixel * from.c;
            c.first_channel = begin;
            if (!lower_convolution(at, &c))
                return false;
        }
        source.offset += (uint32_t)source.h * source.line;
        target.offset += (uint32_t)target.h * target.line;
    }
    return true;
}

bool lower_reordering(struct lowering *at, struct view from, int tensor) {
    const struct view to = view_define(at, tensor);
    const bool packed = to.h == 1 || to.line == (uint32_t)(to.w * at->atom);
    const struct view result = packed ? to : view_new(at, MEMORY_OF_CUBES, to.w, to.h, to.c);
    const int common = gcd(from.c, to.c), step = from.c / common, period = to.c / common;
    const int64_t columns = (int64_t)step * view_surfaces(at, &to);
    if (columns > INT16_MAX)
        return lowering_refuse(at,
                               "found %d channels reshaped to %d, which takes %lld layers; a loadable has at most %d",
                               from.c, to.c, (long long)columns, INT16_MAX);
    for (int pixel = 0; pixel < step; pixel++)
        for (int channel = 0; channel < to.c; channel += at->atom) {
            const struct column column = {pixel, channel, step, to.w * to.h / step};
            if (!lower_column(at, from, result, column, period, (unsigned)columns))
                return false;
        }
    if (!packed)
        lower_copy(at, result, to);
    lowering_note(at, "elements of %d channels moved to %d, each atom of channels by %d launches", from.c, to.c, step);
    return true;
}

/* ---- channels side by side ---- */

/* Channel of the cube with parts in atoms of their own, for a channel of the joined ones. */
static int wide_channel(const struct convolution *c, int channel) {
    int wide = 0;
    for (const int *here = c->joined; channel >= *here; here++) {
        channel -= *here;
        wide += (*here + c->atom - 1) / c->atom * c->atom;
    }
    return wide + channel;
}

static int joining_weight(const struct convolution *c, int k, struct tap tap) {
    return wide_channel(c, c->first_kernel + k) == c->first_channel + tap.c;
}

bool lower_joining(struct lowering *at, struct view wide, const int *channels, struct view to) {
    for (int k = 0; k < to.c; k += at->atom) {
        const int n = least(at->atom, to.c - k);
        struct convolution c = convolution_of(at, wide, view_channels(at, to, k, n), joining_weight);
        c.launches = (unsigned)view_surfaces(at, &to);
        c.joined = channels;
        c.first_kernel = k;
        c.first_channel = wide_channel(&c, k) / at->atom * at->atom;
        const int end = wide_channel(&c, k + n - 1) / at->atom * at->atom + at->atom;
        c.from = view_channels(at, wide, c.first_channel, end - c.first_channel);
        if (!lower_convolution(at, &c))
            return false;
    }
    return true;
}

/* ---- repetition ---- */

static int first_channel_weight(const struct convolution *c, int k, struct tap tap) {
    (void)c;
    (void)k;
    return tap.c == 0;
}

bool lower_repetition(struct lowering *at, struct view *view, int w, int h, int c) {
    const struct view from = *view;
    if (from.w == w && from.h == h && from.c == c)
        return true;
    const struct view to = view_new(at, MEMORY_OF_CUBES, w, h, c);
    struct view done = view_part(at, to, 0, 0, from.w, from.h);
    if (from.c == c) {
        lower_copy(at, from, done);
    } else {
        struct convolution channels = convolution_of(at, from, done, first_channel_weight);
        if (!lower_convolution(at, &channels))
            return false;
    }
    while (done.w < w) { /* the part that has been written, once more */
        const int n = least(done.w, w - done.w);
        lower_copy(at, view_part(at, to, 0, 0, n, done.h), view_part(at, to, done.w, 0, n, done.h));
        done.w += n;
    }
    while (done.h < h) {
        const int n = least(done.h, h - done.h);
        lower_copy(at, view_part(at, to, 0, 0, w, n), view_part(at, to, 0, done.h, w, n));
        done.h += n;
    }
    lowering_note(at, "%d x %d x %d repeated to %d x %d x %d (h, w, c)", from.h, from.w, from.c, h, w, c);
    *view = to;
    return true;
}
