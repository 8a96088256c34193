/* Streams of SDP, which bring the elements of a cube one position after the other: all lanes of a surface, then the
 * next x, y, surface; in Winograd order four lines of two columns, with batches pairs of columns that share 64 bytes of
 * the first batch. A beat brings some lanes of a position, or all. */
#include "tb/observers/stream.h"

#include "layers/cubes.h"
#include "layers/view.h"

enum { BAND = 4 }; /* lines that Winograd order takes together */

struct cube_state {
    size_t columns, lines, channels, batches; /* of the launch */
    size_t atom;                              /* lanes of a position */
    size_t lanes;                             /* of a beat */
    size_t odd_base, odd_line, odd_surface;   /* atoms to the first batch's address and its strides, their lowest bit */
    size_t surface, y, x;                     /* of the block of columns that the next beat is in */
    size_t row, batch, column, lane;          /* of the next beat, in its block */
    bool winograd, silent;                    /* silent: no lane counts */
};

_Static_assert(sizeof(struct cube_state) <= STREAM_STATE, "state of a stream");

static struct cube_state *cube_of(struct stream_state *state) {
    return (struct cube_state *)state->bytes;
}

static void begin(struct stream_state *state, const struct stream_launch *at, const struct sdp_cubes *sdp) {
    const struct cube *to = &sdp->destination.cube;
    const size_t atom = (size_t)at->config->mem_atom;
    *cube_of(state) = (struct cube_state){
        .columns = (size_t)sdp->shape.width,
        .lines = (size_t)sdp->shape.height,
        .channels = (size_t)sdp->shape.channels,
        .batches = (size_t)sdp->shape.batches,
        .atom = (size_t)sdp->shape.lanes,
        .lanes = at->lanes,
        .odd_base = to->base / atom & 1,
        .odd_line = to->line_stride / atom & 1,
        .odd_surface = to->surface_stride / atom & 1,
        .winograd = sdp->shape.winograd,
    };
}

/* What is in the pipe: 32-bit integers, or FP32. */
static bool begin_sdp(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view view = launch_view(at->config, at->launch);
    const struct sdp_cubes sdp = sdp_cubes(&view);
    begin(state, at, &sdp);
    if (sdp.shape.proc == NVDLA_FP16) {
        at->form->format = TAP_FP32;
        at->form->width = 0;
    }
    return true;
}

/* Results that are only compared with 0 reach nobody. */
static bool begin_sdp_out(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view view = launch_view(at->config, at->launch);
    const struct sdp_cubes sdp = sdp_cubes(&view);
    begin(state, at, &sdp);
    cube_of(state)->silent = sdp.compare;
    at->form->format = tap_format_of(sdp.shape.out);
    at->form->width = sdp.shape.out == NVDLA_FP16 ? 0 : 8 * nvdla_element_bytes(sdp.shape.out);
    return true;
}

/* Columns of the present block. */
static size_t block(const struct cube_state *at) {
    const size_t odd = at->odd_base ^ (at->x & 1) ^ (at->y & at->odd_line) ^ (at->surface & at->odd_surface);
    const bool pair = at->winograd || (at->batches > 1 && !odd);
    return pair && at->x + 1 < at->columns ? 2 : 1;
}

/* Counts up; true where a loop of `count` turns is through. */
static bool through(size_t *index, size_t count) {
    if (++*index < count)
        return false;
    *index = 0;
    return true;
}

static void next_of_cube(struct stream_state *state, struct stream_beat *beat) {
    struct cube_state *at = cube_of(state);
    beat->place = (struct tap_place){.batch = (int32_t)at->batch,
                                     .channel = (int32_t)(at->surface * at->atom + at->lane),
                                     .y = (int32_t)(at->y + at->row),
                                     .x = (int32_t)(at->x + at->column)};
    beat->count = at->silent ? 0 : stream_lanes(at->channels, at->atom, at->surface, at->lane, at->lanes);
    at->lane += at->lanes;
    if (at->lane < at->atom)
        return;
    at->lane = 0;
    const size_t columns = block(at), rows = at->winograd ? BAND : 1;
    if (!through(&at->column, columns) || !through(&at->batch, at->batches) || !through(&at->row, rows))
        return;
    at->x += columns;
    if (at->x < at->columns)
        return;
    at->x = 0;
    at->y += rows;
    if (at->y < at->lines)
        return;
    at->y = 0;
    beat->last = ++at->surface * at->atom >= at->channels;
}

const struct stream_order order_sdp_cube = {begin_sdp, next_of_cube};
const struct stream_order order_sdp_out = {begin_sdp_out, next_of_cube};
