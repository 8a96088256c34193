/* Streams of the convolution path: what CDMA writes into CBUF, atom by atom, and the beats between CSC, CMAC and CACC,
 * which come in the order of layers/conv_order.h. */
#include "layers/conv_order.h"
#include "layers/view.h"
#include "nvdla/sizes.h"
#include "nvdla_offsets.h"
#include "tb/observers/stream.h"

/* ---- CDMA ---- */

struct atoms_state {
    uint64_t left; /* memory atoms of the launch */
    size_t lanes;
};

_Static_assert(sizeof(struct atoms_state) <= STREAM_STATE, "state of a stream");

/* Where a clock brings several atoms they are not heard: they have places of their own. */
static bool begin_atoms(struct stream_state *state, const struct stream_launch *at, uint64_t atoms) {
    at->form->unheard = at->config->dbb_data_bits > 8 * at->config->mem_atom;
    *(struct atoms_state *)state->bytes = (struct atoms_state){.left = atoms, .lanes = at->lanes};
    return atoms > 0;
}

static struct conv_atoms atoms_of(const struct stream_launch *at) {
    const struct registers_view view = launch_view(at->config, at->launch);
    return conv_atoms(&view);
}

static bool begin_data(struct stream_state *state, const struct stream_launch *at) {
    return begin_atoms(state, at, at->launch->fetches_data ? atoms_of(at).data : 0);
}

static bool begin_weights(struct stream_state *state, const struct stream_launch *at) {
    return begin_atoms(state, at, at->launch->fetches_weights ? atoms_of(at).weights : 0);
}

static bool begin_masks(struct stream_state *state, const struct stream_launch *at) {
    return begin_atoms(state, at, at->launch->fetches_weights ? atoms_of(at).masks : 0);
}

static void next_atom(struct stream_state *state, struct stream_beat *beat) {
    struct atoms_state *atoms = (struct atoms_state *)state->bytes;
    beat->place = (struct tap_place){.channel = -1, .y = -1, .x = -1};
    if (beat->words)
        beat->place.address = beat->words[beat->layout->address];
    beat->first = 0;
    beat->count = atoms->lanes;
    beat->last = --atoms->left == 0;
}

const struct stream_order order_cdma_data = {begin_data, next_atom};
const struct stream_order order_cdma_weights = {begin_weights, next_atom};
const struct stream_order order_cdma_masks = {begin_masks, next_atom};

/* ---- CSC and CMAC ---- */

struct conv_state {
    struct launch_turn turn; /* of CSC */
    bool over;               /* the launch should have ended */
    struct conv_order order;
    struct conv_operation operation;
    size_t beat; /* of the operation: atom or kernel */
};

_Static_assert(sizeof(struct conv_state) <= STREAM_STATE, "state of a stream");

static struct conv_state *conv_of(struct stream_state *state) {
    return (struct conv_state *)state->bytes;
}

/* The n-th layer that CMAC runs is the n-th that CSC runs. */
static bool begin_conv(struct stream_state *state, const struct stream_launch *at) {
    struct conv_state *conv = conv_of(state);
    const struct launch *launch = layer_tracker_turn(at->tracker, NVDLA_CSC, &conv->turn);
    conv->over = true;
    at->form->unheard = !conv_order_known(at->config); /* the beats are counted */
    if (!launch || at->form->unheard)
        return true;
    const struct registers_view view = launch_view(at->config, launch);
    conv->over = false;
    conv->order = conv_order(&view);
    conv->operation = conv_order_first(&conv->order);
    conv->beat = 0;
    return true;
}

/* Goes to the next beat, of which an operation has `beats`. */
static void step(struct conv_state *conv, size_t beats) {
    if (++conv->beat < beats)
        return;
    conv->beat = 0;
    conv->over = conv->operation.layer_end;
    if (!conv->over)
        conv->operation = conv_order_next(&conv->order, &conv->operation);
}

/* A beat that the layer does not have. */
static void surplus(struct stream_beat *beat) {
    beat->place = (struct tap_place){.channel = -1, .y = -1, .x = -1, .reduction = -1};
    beat->first = 0;
    beat->count = 1;
}

/* The atom or the sums of an output position; the launch ends where the design says so. */
static void next_position(struct conv_state *conv, struct stream_beat *beat, size_t channel) {
    const struct conv_operation *operation = &conv->operation;
    const size_t position = operation->first + conv->beat;
    beat->place = (struct tap_place){.channel = (int32_t)channel,
                                     .y = (int32_t)(position / conv->order.out_width),
                                     .x = (int32_t)(position % conv->order.out_width),
                                     .reduction = (int32_t)operation->index};
    if (beat->words)
        beat->place.flags = beat->words[beat->layout->flags];
    beat->first = 0;
}

static void next_conv_atom(struct stream_state *state, struct stream_beat *beat) {
    struct conv_state *conv = conv_of(state);
    if (conv->over) {
        surplus(beat);
        return;
    }
    next_position(conv, beat, conv->operation.channel);
    beat->count = conv->operation.channels;
    beat->lines = conv->operation.lines;
    beat->line_step = conv_operation_lane(&conv->order, 1);
    step(conv, conv->operation.positions);
}

static void next_sums(struct conv_state *conv, struct stream_beat *beat, size_t half) {
    if (conv->over) {
        surplus(beat);
        return;
    }
    const size_t cells = conv->order.atomic_k / 2, before = half * cells;
    next_position(conv, beat, conv->operation.kernel + before);
    beat->count = conv->operation.kernels > before ? lesser(conv->operation.kernels - before, cells) : 0;
    step(conv, conv->operation.positions);
}

static void next_sums_a(struct stream_state *state, struct stream_beat *beat) {
    next_sums(conv_of(state), beat, 0);
}

static void next_sums_b(struct stream_state *state, struct stream_beat *beat) {
    next_sums(conv_of(state), beat, 1);
}

/* Cell of a one-hot selection of two words; -1: of no cell, or several. */
static int cell_of(const uint32_t *words) {
    const uint64_t select = words[0] | (uint64_t)words[1] << 32;
    return select != 0 && (select & (select - 1)) == 0 ? __builtin_ctzll(select) : -1;
}

/* The weights of one kernel, lanes outside its block included, which CSC masks: they must be 0. Data lanes outside the
 * block are don't-care. 40-convolution-core section 4.7. */
static void next_conv_weights(struct stream_state *state, struct stream_beat *beat) {
    struct conv_state *conv = conv_of(state);
    const struct conv_operation *operation = &conv->operation;
    if (conv->over) {
        surplus(beat);
        return;
    }
    const int cell = beat->words ? cell_of(beat->words + beat->layout->select) : -1;
    beat->place = (struct tap_place){.channel = cell < 0 ? -1 : (int32_t)operation->kernel + cell,
                                     .y = (int32_t)operation->row,
                                     .x = (int32_t)operation->channel,
                                     .reduction = (int32_t)operation->index};
    beat->first = 0;
    beat->count = beat->line_step = conv_operation_lane(&conv->order, 1);
    beat->lines = conv->order.rows_together;
    beat->along_x = true;
    step(conv, operation->kernels);
    beat->last = conv->over;
}

const struct stream_order order_conv_atoms = {begin_conv, next_conv_atom};
const struct stream_order order_conv_weights = {begin_conv, next_conv_weights};
const struct stream_order order_conv_sums_a = {begin_conv, next_sums_a};
const struct stream_order order_conv_sums_b = {begin_conv, next_sums_b};
