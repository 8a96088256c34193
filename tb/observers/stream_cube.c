/* Streams that bring the elements of a cube one position after the other: all lanes of a surface, then the next x, y,
 * surface. A beat brings some lanes of a position, or all. */
#include "tb/observers/stream.h"

#include "layers/cubes.h"
#include "layers/view.h"
#include "nvdla_offsets.h"

struct cube_state {
    size_t columns, lines, channels; /* of the launch */
    size_t atom;                     /* lanes of a position */
    size_t lanes;                    /* of a beat */
    size_t surface, y, x, lane;      /* of the next beat */
    bool silent;                     /* no lane counts */
};

_Static_assert(sizeof(struct cube_state) <= STREAM_STATE, "state of a stream");

static struct cube_state *cube_of(struct stream_state *state) {
    return (struct cube_state *)state->bytes;
}

static bool begin_sdp(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view view = launch_view(at->config, at->launch);
    *cube_of(state) = (struct cube_state){
        .columns = VALUE(&view, SDP, D_DATA_CUBE_WIDTH) + 1,
        .lines = VALUE(&view, SDP, D_DATA_CUBE_HEIGHT) + 1,
        .channels = VALUE(&view, SDP, D_DATA_CUBE_CHANNEL) + 1,
        .atom = (size_t)at->config->mem_atom,
        .lanes = at->lanes,
    };
    return true;
}

/* Results that are only compared with 0 reach nobody. */
static bool begin_sdp_out(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view view = launch_view(at->config, at->launch);
    begin_sdp(state, at);
    cube_of(state)->silent = sdp_cubes(&view).compare;
    return true;
}

static void next_of_cube(struct stream_state *state, struct stream_beat *beat) {
    struct cube_state *at = cube_of(state);
    beat->place = (struct tap_place){
        .channel = (int32_t)(at->surface * at->atom + at->lane), .y = (int32_t)at->y, .x = (int32_t)at->x};
    beat->count = at->silent ? 0 : stream_lanes(at->channels, at->atom, at->surface, at->lane, at->lanes);
    at->lane += at->lanes;
    if (at->lane >= at->atom) {
        at->lane = 0;
        if (++at->x == at->columns) {
            at->x = 0;
            if (++at->y == at->lines) {
                at->y = 0;
                beat->last = ++at->surface * at->atom >= at->channels;
            }
        }
    }
}

const struct stream_order order_sdp_cube = {begin_sdp, next_of_cube};
const struct stream_order order_sdp_out = {begin_sdp_out, next_of_cube};
