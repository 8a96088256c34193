/* Streams of CACC and SDP: the elements of a cube in the order of layers/result_order.h. A beat has some or all lanes
 * of a position. */
#include "tb/observers/stream.h"

#include "layers/cubes.h"
#include "layers/result_order.h"
#include "layers/view.h"
#include "nvdla_offsets.h"

struct cube_state {
    struct result_order at;
    size_t lanes, lane; /* of a beat; the next beat's first one */
    bool silent;        /* no lane counts */
};

_Static_assert(sizeof(struct cube_state) <= STREAM_STATE, "state of a stream");

static struct cube_state *cube_of(struct stream_state *state) {
    return (struct cube_state *)state->bytes;
}

static void begin(struct stream_state *state, const struct stream_launch *at, const struct result_order *order) {
    *cube_of(state) = (struct cube_state){.at = *order, .lanes = at->lanes};
}

/* The form of what CACC delivers, and of SDP's pipe: 32-bit integers, or FP32. */
static void set_form(struct stream_form *form, bool fp16) {
    if (fp16) {
        form->format = TAP_FP32;
        form->width = 0;
    }
}

static bool begin_cacc(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view *view = &at->view;
    const struct result_order order = result_order_cacc(view);
    begin(state, at, &order);
    set_form(at->form, nvdla_precision_of(at->config, FIELD(view, CACC, D_MISC_CFG, PROC_PRECISION)) == NVDLA_FP16);
    return true;
}

static bool begin_sdp(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view *view = &at->view;
    const struct result_order order = result_order_sdp(view);
    begin(state, at, &order);
    set_form(at->form, sdp_cubes(view).shape.proc == NVDLA_FP16);
    return true;
}

/* What enters and leaves the table of EW, in layers that use it. */
static bool begin_sdp_table(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view *view = &at->view;
    return !FIELD(view, SDP, D_DP_EW_CFG, EW_BYPASS) && !FIELD(view, SDP, D_DP_EW_CFG, EW_LUT_BYPASS) &&
           begin_sdp(state, at);
}

/* Results that are only compared with 0 are not delivered. */
static bool begin_sdp_out(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view *view = &at->view;
    const struct sdp_cubes sdp = sdp_cubes(view);
    const struct result_order order = result_order_sdp(view);
    begin(state, at, &order);
    cube_of(state)->silent = sdp.compare;
    at->form->format = tap_format_of(sdp.shape.out);
    at->form->width = sdp.shape.out == NVDLA_FP16 ? 0 : 8 * nvdla_element_bytes(sdp.shape.out);
    return true;
}

static void next_of_cube(struct stream_state *state, struct stream_beat *beat) {
    struct cube_state *cube = cube_of(state);
    const struct result_order *at = &cube->at;
    beat->place = (struct tap_place){.batch = (int32_t)at->batch,
                                     .channel = (int32_t)(at->surface * at->lanes + cube->lane),
                                     .y = (int32_t)(at->y + at->row),
                                     .x = (int32_t)(at->x + at->column)};
    beat->count = cube->silent ? 0 : stream_lanes(at->channels, at->lanes, at->surface, cube->lane, cube->lanes);
    cube->lane += cube->lanes;
    if (cube->lane < at->lanes)
        return;
    cube->lane = 0;
    beat->last = !result_order_next(&cube->at);
}

const struct stream_order order_cacc_cube = {.begin = begin_cacc, .next = next_of_cube};
const struct stream_order order_sdp_cube = {.begin = begin_sdp, .next = next_of_cube};
const struct stream_order order_sdp_table = {.begin = begin_sdp_table, .next = next_of_cube};
const struct stream_order order_sdp_out = {.begin = begin_sdp_out, .next = next_of_cube};
