/* Streams of PDP in the order strip, surface, line, column, lanes: its input, the column results of each line that is
 * in some window, and its output. */
#include "layers/cubes.h"
#include "layers/view.h"
#include "nvdla_offsets.h"
#include "tb/observers/stream.h"

enum pdp_stream { PDP_STREAM_IN, PDP_STREAM_ROW, PDP_STREAM_OUT };

struct pdp_state {
    enum pdp_stream stream;
    struct pdp_strips in, out;
    int overlap; /* columns that strips share */
    int kernel, stride, pad_top, height, out_height;
    size_t channels, atom, lanes; /* of the layer; of a position; of a beat */
    int strip, x0, columns;       /* the strip, its first column and its number of columns on this stream */
    int lines;                    /* on this stream */
    size_t surface, lane;
    int y, x; /* of the next beat; x within the strip */
};

_Static_assert(sizeof(struct pdp_state) <= STREAM_STATE, "state of a stream");

static struct pdp_state *pdp_of(struct stream_state *state) {
    return (struct pdp_state *)state->bytes;
}

static void begin_strip(struct pdp_state *at) {
    const struct pdp_strip strip = pdp_strip(&at->in, &at->out, at->overlap, at->strip);
    at->x0 = at->stream == PDP_STREAM_IN ? strip.column : strip.out_column;
    at->columns = at->stream == PDP_STREAM_IN ? strip.width : strip.out_width;
}

/* The first line on the stream that is not before y. */
static int next_line(const struct pdp_state *at, int y) {
    if (at->stream == PDP_STREAM_ROW)
        while (y < at->height && !pdp_line_counts(y, at->kernel, at->stride, at->pad_top, at->out_height))
            y++;
    return y;
}

/* The form of a stream for the layer's precision. Row results have lanes of the same width in all precisions; those of
 * FP16 have an internal format. */
static void set_form(struct stream_form *form, enum pdp_stream stream, enum nvdla_precision precision) {
    if (stream != PDP_STREAM_ROW) {
        stream_widen(form, precision);
    } else if (precision != NVDLA_INT8) {
        form->format = TAP_INT32;
        form->width = form->bits;
        form->unheard = precision == NVDLA_FP16;
    }
}

static bool begin(struct stream_state *state, const struct stream_launch *launch) {
    const struct registers_view *view = &launch->view;
    const enum pdp_stream stream = (enum pdp_stream)launch->kind;
    const struct pdp_cubes cubes = pdp_cubes(view);
    struct pdp_state *at = pdp_of(state);
    set_form(launch->form, stream, cubes.precision);
    *at = (struct pdp_state){
        .stream = stream,
        .in = cubes.in,
        .out = cubes.out,
        .overlap = (int)FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_WIDTH) -
                   (int)FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH),
        .kernel = (int)FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_HEIGHT) + 1,
        .stride = (int)FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_HEIGHT) + 1,
        .pad_top = (int)FIELD(view, PDP, D_POOLING_PADDING_CFG, PAD_TOP),
        .height = cubes.in_height,
        .out_height = cubes.destination.cube.height,
        .channels = (size_t)cubes.destination.cube.channels,
        .atom = (size_t)(launch->config->mem_atom / nvdla_element_bytes(cubes.precision)),
        .lanes = launch->form->lanes,
    };
    at->lines = stream == PDP_STREAM_OUT ? at->out_height : at->height;
    at->y = next_line(at, 0);
    begin_strip(at);
    return true;
}

/* True for streams of whole atoms: everything from memory, and elements of 16 bits from SDP. */
static bool whole_atoms(const struct stream_launch *launch) {
    const struct pdp_cubes cubes = pdp_cubes(&launch->view);
    return cubes.from_memory || cubes.precision != NVDLA_INT8;
}

static bool begin_in_atoms(struct stream_state *state, const struct stream_launch *launch) {
    return whole_atoms(launch) && begin(state, launch);
}

static bool begin_in_beats(struct stream_state *state, const struct stream_launch *launch) {
    return !whole_atoms(launch) && begin(state, launch);
}

/* PDP's own lanes: in a beat half as many of those that have 16 bits. */
static bool begin_row_lanes(struct stream_state *state, const struct stream_launch *launch) {
    begin(state, launch);
    if (launch->form->format == TAP_INT32)
        pdp_of(state)->lanes /= 2;
    return true;
}

static void next(struct stream_state *state, struct stream_beat *beat) {
    struct pdp_state *at = pdp_of(state);
    beat->place =
        (struct tap_place){.channel = (int32_t)(at->surface * at->atom + at->lane), .y = at->y, .x = at->x0 + at->x};
    beat->count = stream_lanes(at->channels, at->atom, at->surface, at->lane, at->lanes);
    at->lane += at->lanes;
    if (at->lane < at->atom)
        return;
    at->lane = 0;
    if (++at->x < at->columns)
        return;
    at->x = 0;
    at->y = next_line(at, at->y + 1);
    if (at->y < at->lines)
        return;
    at->y = next_line(at, 0);
    if (++at->surface * at->atom < at->channels)
        return;
    at->surface = 0;
    beat->last = ++at->strip == at->in.count;
    begin_strip(at);
}

const struct stream_order order_pdp_in_atoms = {begin_in_atoms, next, PDP_STREAM_IN};
/* The same atoms, some lanes at a time. */
const struct stream_order order_pdp_in_lanes = {begin_in_atoms, next, PDP_STREAM_IN};
const struct stream_order order_pdp_in_beats = {begin_in_beats, next, PDP_STREAM_IN};
const struct stream_order order_pdp_row = {begin, next, PDP_STREAM_ROW};
const struct stream_order order_pdp_row_lanes = {begin_row_lanes, next, PDP_STREAM_ROW};
const struct stream_order order_pdp_out = {begin, next, PDP_STREAM_OUT};
