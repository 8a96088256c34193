/* Streams of CDP: line, block of eight columns, surface, column, lanes. The sizes are those of CDP_RDMA. */
#include "layers/cubes.h"
#include "layers/view.h"
#include "tb/observers/stream.h"

enum { COLUMNS = 8 /* of a block */ };

struct cdp_state {
    int width, height, left, y, x; /* left: first column of the block; x: within it */
    size_t channels, atom, lanes;  /* of the layer; of a position; of a beat */
    size_t surface, lane;
};

_Static_assert(sizeof(struct cdp_state) <= STREAM_STATE, "state of a stream");

/* Differences between the streams. */
enum cdp_stream {
    CDP_ELEMENTS,
    CDP_SUM,
    CDP_SUM_UNWIDENED, /* CDP_SUM, but without square sum the elements of FP16 are FP17 */
    CDP_ANSWER,
    CDP_FACTOR,
    CDP_PRODUCT
};

/* The form of a stream for the layer's precision: a beat has half as many elements of 16 bits. */
static void set_form(struct stream_form *form, enum cdp_stream stream, enum nvdla_precision precision) {
    const bool fp16 = precision == NVDLA_FP16;
    if (stream == CDP_ELEMENTS) {
        stream_widen(form, precision);
        return;
    }
    if (precision == NVDLA_INT8)
        return;
    form->lanes /= 2;
    if (stream == CDP_PRODUCT)
        form->bits *= 2;
    if (stream == CDP_ANSWER)
        return;
    if (fp16)
        form->format = TAP_FP32;
    form->fp17 = fp16 && stream != CDP_SUM;
    if (stream == CDP_SUM)
        form->width = cdp_sum_bits(precision);
    else if (stream == CDP_PRODUCT)
        form->width = cdp_product_bits(precision);
    else if (fp16)
        form->width = 0;
}

static bool begin(struct stream_state *state, const struct stream_launch *launch) {
    const struct cdp_cubes cubes = cdp_cubes(&launch->view);
    const bool unwidened = launch->kind == CDP_SUM_UNWIDENED;
    set_form(launch->form, unwidened ? CDP_SUM : (enum cdp_stream)launch->kind, cubes.precision);
    if (unwidened && cubes.precision == NVDLA_FP16)
        launch->form->fp17 = FIELD(&launch->view, CDP, D_FUNC_BYPASS, SQSUM_BYPASS);
    *(struct cdp_state *)state->bytes = (struct cdp_state){
        .width = cubes.width,
        .height = cubes.height,
        .channels = (size_t)cubes.channels,
        .atom = (size_t)(launch->config->mem_atom / nvdla_element_bytes(cubes.precision)),
        .lanes = launch->form->lanes,
    };
    launch->form->slots = COLUMNS * (size_t)launch->config->mem_atom; /* enough for any lanes */
    return true;
}

/* Past a surface of a block. */
static void next_surface(struct cdp_state *at, struct stream_beat *beat) {
    if (++at->surface * at->atom < at->channels)
        return;
    at->surface = 0;
    at->left += COLUMNS;
    if (at->left < at->width)
        return;
    at->left = 0;
    beat->last = ++at->y == at->height;
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
    next_surface(at, beat);
}

/* Row by row of lanes, each through all columns of the block. They wait until they can be passed on in the order of
 * next(). */
static void next_in_rows(struct stream_state *state, struct stream_beat *beat) {
    struct cdp_state *at = (struct cdp_state *)state->bytes;
    const size_t rows = at->atom / at->lanes;
    const int columns = at->width - at->left < COLUMNS ? at->width - at->left : COLUMNS;
    const struct tap_place place = {
        .channel = (int32_t)(at->surface * at->atom + at->lane), .y = at->y, .x = at->left + at->x};
    stream_keep(beat, 0, stream_lanes(at->channels, at->atom, at->surface, at->lane, at->lanes), place,
                (size_t)at->x * rows + at->lane / at->lanes);
    if (++at->x < columns)
        return;
    at->x = 0;
    at->lane += at->lanes;
    if (at->lane < at->atom)
        return;
    at->lane = 0;
    beat->release = (size_t)columns * rows;
    next_surface(at, beat);
}

const struct stream_order order_cdp_elements = {begin, next, CDP_ELEMENTS};
const struct stream_order order_cdp_sum = {begin, next, CDP_SUM};
const struct stream_order order_cdp_answer = {begin, next, CDP_ANSWER};
const struct stream_order order_cdp_factor = {begin, next, CDP_FACTOR};
const struct stream_order order_cdp_product = {begin, next, CDP_PRODUCT};
const struct stream_order order_cdp_element_rows = {begin, next_in_rows, CDP_ELEMENTS};
const struct stream_order order_cdp_sum_rows = {begin, next_in_rows, CDP_SUM_UNWIDENED};
const struct stream_order order_cdp_answer_rows = {begin, next_in_rows, CDP_ANSWER};
const struct stream_order order_cdp_factor_rows = {begin, next_in_rows, CDP_FACTOR};
const struct stream_order order_cdp_product_rows = {begin, next_in_rows, CDP_PRODUCT};
