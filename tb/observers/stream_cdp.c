/* Streams of CDP: line, block of eight columns, surface, column, lanes. The sizes are those of CDP_RDMA.
 */
#include "layers/cubes.h"
#include "tb/observers/stream.h"

enum { COLUMNS = 8 /* of a block */ };

struct cdp_state {
    int width, height, left, y, x; /* left: first column of the block; x: within it */
    size_t channels, atom, lanes;  /* of the layer; of a position; of a beat */
    size_t surface, lane;
};

_Static_assert(sizeof(struct cdp_state) <= STREAM_STATE, "state of a stream");

static bool begin(struct stream_state *state, const struct stream_launch *launch) {
    const struct registers_view view = launch_view(launch->config, launch->launch);
    const struct cdp_cubes cubes = cdp_cubes(&view);
    *(struct cdp_state *)state->bytes = (struct cdp_state){
        .width = cubes.width,
        .height = cubes.height,
        .channels = (size_t)cubes.channels,
        .atom = (size_t)launch->config->mem_atom,
        .lanes = launch->lanes,
    };
    return true;
}

static void next(struct stream_state *state, struct stream_beat *beat) {
    struct cdp_state *at = (struct cdp_state *)state->bytes;
    beat->place =
        (struct tap_place){.channel = (int32_t)(at->surface * at->atom + at->lane), .y = at->y, .x = at->left + at->x};
    beat->count = stream_lanes(at->channels, at->atom, at->surface, at->lane, at->lanes);
    at->lane += at->lanes;
    if (at->lane < at->atom)
        return;
    at->lane = 0;
    if (++at->x < COLUMNS && at->left + at->x < at->width)
        return;
    at->x = 0;
    if (++at->surface * at->atom < at->channels)
        return;
    at->surface = 0;
    at->left += COLUMNS;
    if (at->left < at->width)
        return;
    at->left = 0;
    beat->last = ++at->y == at->height;
}

const struct stream_order order_cdp = {begin, next};
