/* What CACC delivers: the results of a layer in the order in which its rows leave, all kernels of a group for a
 * position, then the next position, then the next group. Winograd goes tile by tile, two lines at a time; with batches
 * two columns that share 64 bytes leave together. Spec: 40-convolution-core section 4.6. */
#include "layers/view.h"
#include "nvdla/sizes.h"
#include "nvdla_offsets.h"
#include "tb/observers/stream.h"

enum { OUTPUTS = 4, BAND = 4 }; /* of a Winograd tile; lines of a band of tiles */

struct cacc_state {
    size_t columns, lines, channels, batches; /* of the launch */
    size_t kernels;                           /* of a group */
    size_t lanes;                             /* of a beat */
    bool winograd;
    size_t odd_address, odd_line, odd_surface; /* bit 5 of the address and the strides */
    size_t group, position, output, lane;      /* of the next beat; output: of a tile */
    size_t batch, second;                      /* second: of the columns that leave together */
};

_Static_assert(sizeof(struct cacc_state) <= STREAM_STATE, "state of a stream");

static struct cacc_state *cacc_of(struct stream_state *state) {
    return (struct cacc_state *)state->bytes;
}

static bool begin_cacc(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view view = launch_view(at->config, at->launch);
    const bool wide = nvdla_has_16_bits(at->config) && FIELD(&view, CACC, D_MISC_CFG, PROC_PRECISION) != NVDLA_INT8;
    if (wide && FIELD(&view, CACC, D_MISC_CFG, PROC_PRECISION) == NVDLA_FP16) {
        at->form->format = TAP_FP32;
        at->form->width = 0;
    }
    *cacc_of(state) = (struct cacc_state){
        .columns = FIELD(&view, CACC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1,
        .lines = FIELD(&view, CACC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1,
        .channels = VALUE(&view, CACC, D_DATAOUT_SIZE_1) + 1,
        .batches = at->config->batch_max > 1 ? VALUE(&view, CACC, D_BATCH_NUMBER) + 1 : 1,
        .kernels = (size_t)at->config->atomic_k / (wide ? 2 : 1),
        .lanes = at->lanes,
        .winograd = at->config->winograd && FIELD(&view, CACC, D_MISC_CFG, CONV_MODE) != 0,
        .odd_address = VALUE(&view, CACC, D_DATAOUT_ADDR) >> 5 & 1,
        .odd_line = VALUE(&view, CACC, D_LINE_STRIDE) >> 5 & 1,
        .odd_surface = VALUE(&view, CACC, D_SURF_STRIDE) >> 5 & 1,
    };
    return true;
}

/* Where the next beat's position lies. A band of tiles is gone through column by column, the upper tile first. */
static void find_place(const struct cacc_state *at, struct tap_place *place) {
    size_t y = at->position / at->columns, x = at->position % at->columns + at->second;
    if (at->winograd) {
        const size_t tile = at->position;
        y = tile / at->columns * BAND + tile % 2 * 2 + at->output / 2;
        x = tile % at->columns / 2 * 2 + at->output % 2;
    }
    place->batch = (int32_t)at->batch;
    place->channel = (int32_t)(at->group * at->kernels + at->lane);
    place->y = (int32_t)y;
    place->x = (int32_t)x;
}

/* The column leaves together with the next one. */
static bool has_second(const struct cacc_state *at) {
    const size_t y = at->position / at->columns, x = at->position % at->columns;
    const size_t odd = at->odd_address ^ (x & 1) ^ (y & at->odd_line) ^ (at->group & at->odd_surface);
    return at->batches > 1 && !odd && x + 1 < at->columns;
}

/* Goes on by one row of all kernels of the group; true behind the launch's last one. */
static bool next_row(struct cacc_state *at) {
    const bool pair = !at->winograd && has_second(at);
    if (at->winograd && ++at->output < OUTPUTS)
        return false;
    at->output = 0;
    if (pair && at->second == 0) {
        at->second = 1;
        return false;
    }
    at->second = 0;
    if (++at->batch < at->batches)
        return false;
    at->batch = 0;
    at->position += pair ? 2 : 1;
    if (at->position < at->columns * at->lines / (at->winograd ? OUTPUTS : 1))
        return false;
    at->position = 0;
    return ++at->group * at->kernels >= at->channels;
}

static void next_result(struct stream_state *state, struct stream_beat *beat) {
    struct cacc_state *at = cacc_of(state);
    find_place(at, &beat->place);
    beat->count = stream_lanes(at->channels, at->kernels, at->group, at->lane, at->lanes);
    at->lane += at->lanes;
    if (at->lane >= at->kernels) {
        at->lane = 0;
        beat->last = next_row(at);
    }
}

const struct stream_order order_cacc_cube = {begin_cacc, next_result};
