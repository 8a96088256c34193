/* Streams of the convolution path: what CDMA writes into CBUF, atom by atom, and the beats between CSC, CMAC and CACC,
 * in the order of layers/conv_order.h. */
#include "layers/conv_order.h"
#include "layers/cubes.h"
#include "layers/view.h"
#include "nvdla/sizes.h"
#include "nvdla_offsets.h"
#include "tb/observers/stream.h"

/* ---- CDMA ---- */

enum { PAIR = 2 }; /* atoms that a wide port of CBUF takes in a clock */

struct atoms_state {
    uint64_t left;                 /* memory atoms of the launch */
    size_t lanes;                  /* of an atom */
    size_t line, line_atoms, atom; /* of an image: elements and atoms of a line; the next one of these. line 0: none */
    bool pairs;
};

_Static_assert(sizeof(struct atoms_state) <= STREAM_STATE, "state of a stream");

/* The addresses of a wide port show whether it gets one atom or two. */
static bool begin_atoms(struct stream_state *state, const struct stream_launch *at, uint64_t atoms,
                        enum nvdla_precision precision) {
    const bool pairs = at->lanes > (size_t)at->config->mem_atom;
    stream_widen(at->form, precision);
    at->form->read = pairs;
    *(struct atoms_state *)state->bytes =
        (struct atoms_state){.left = atoms, .lanes = at->form->lanes / (pairs ? PAIR : 1), .pairs = pairs};
    return atoms > 0;
}

static bool begin_data(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view *view = &at->view;
    const struct cdma_cubes cubes = cdma_cubes(view);
    if (!begin_atoms(state, at, at->launch->fetches_data ? conv_atoms(view).data : 0, cubes.proc))
        return false;
    struct atoms_state *atoms = (struct atoms_state *)state->bytes;
    atoms->line = conv_image_elements(&cubes);
    atoms->line_atoms = conv_image_atoms(view);
    return true;
}

static bool begin_weights(struct stream_state *state, const struct stream_launch *at) {
    return begin_atoms(state, at, at->launch->fetches_weights ? conv_atoms(&at->view).weights : 0,
                       cdma_cubes(&at->view).proc);
}

static bool begin_masks(struct stream_state *state, const struct stream_launch *at) {
    return begin_atoms(state, at, at->launch->fetches_weights ? conv_atoms(&at->view).masks : 0, NVDLA_INT8);
}

/* The lanes of the next atom that hold elements. */
static size_t next_lanes(struct atoms_state *atoms) {
    if (atoms->line == 0)
        return atoms->lanes;
    const size_t before = lesser(atoms->atom * atoms->lanes, atoms->line);
    atoms->atom = (atoms->atom + 1) % atoms->line_atoms;
    return lesser(atoms->line - before, atoms->lanes);
}

static void next_pair(struct atoms_state *atoms, struct stream_beat *beat) {
    const uint32_t *addresses = beat->words + beat->layout->address;
    struct tap_place place = beat->place;
    for (size_t i = 0; i < PAIR; i++) {
        if (addresses[i] == STREAM_NO_ATOM || atoms->left == 0)
            continue;
        place.address = addresses[i];
        stream_add(beat, i * atoms->lanes, next_lanes(atoms), place);
        atoms->left--;
    }
    beat->last = atoms->left == 0;
}

static void next_atom(struct stream_state *state, struct stream_beat *beat) {
    struct atoms_state *atoms = (struct atoms_state *)state->bytes;
    beat->place = (struct tap_place){.channel = -1, .y = -1, .x = -1};
    if (atoms->pairs) {
        next_pair(atoms, beat);
        return;
    }
    if (beat->words)
        beat->place.address = beat->words[beat->layout->address];
    beat->count = next_lanes(atoms);
    beat->last = --atoms->left == 0;
}

/* Data that come entry by entry, some atoms of it at a time, in any order within the slices that are being written.
 * They wait until they can be passed on slice by slice in the order of their addresses. Atoms without a source, which
 * are 0, do not count: those that fill up the end of a slice and, where three surfaces share an entry, the fourth of
 * it. 30-cdma-cbuf section 5. */
struct entries_state {
    size_t lanes, slots;   /* of an atom; atoms of an entry */
    size_t ring;           /* the following in atoms: of the ring of data */
    size_t slice, sourced; /* of a slice; up to its last one with a source */
    size_t holes;          /* from this one on, the last of each entry has no source */
    size_t line;           /* elements of a line of an image; 0: of other data */
    uint64_t left;         /* atoms with a source that have not come */
    bool begun;            /* the launch's first entry is known: */
    size_t first, at;      /* the slice's first in the ring; the next one in the slice */
};

_Static_assert(sizeof(struct entries_state) <= STREAM_STATE, "state of a stream");

static bool begin_entries(struct stream_state *state, const struct stream_launch *at) {
    const struct registers_view *view = &at->view;
    const struct cdma_cubes cubes = cdma_cubes(view);
    const size_t atom = (size_t)at->config->mem_atom, slots = at->lanes / atom;
    const size_t bands = cubes.mode == CDMA_WINOGRAD ? 4 : 1; /* lines of a slice */
    const size_t slices = (cubes.mode == CDMA_WINOGRAD ? cubes.extended_height / bands : cubes.height) * cubes.batches;
    const size_t surfaces = ceil_div(cubes.channels * (size_t)nvdla_element_bytes(cubes.proc), atom);
    const bool holes = cubes.mode == CDMA_FEATURE && surfaces % slots == 3;
    const uint64_t atoms = at->launch->fetches_data ? conv_atoms(view).data : 0;
    stream_widen(at->form, cubes.proc);
    const size_t lanes = at->form->lanes / slots, line = conv_image_elements(&cubes);
    const size_t sourced = line    ? ceil_div(line, lanes)
                           : holes ? ceil_div(surfaces, slots) * slots * cubes.width
                                   : (size_t)(atoms / (slices ? slices : 1));
    const struct entries_state entries = {
        .lanes = lanes,
        .slots = slots,
        .ring = (FIELD(view, CDMA, D_BANK, DATA_BANK) + 1) * (size_t)at->config->cbuf_bank_depth *
                (size_t)at->config->cbuf_bank_bytes / atom,
        .slice = ((size_t)VALUE(view, CDMA, D_ENTRY_PER_SLICE) + 1) * slots * bands,
        .holes = holes ? surfaces / slots * slots * cubes.width : SIZE_MAX,
        .sourced = sourced,
        .line = line,
        .left = line && atoms ? slices * sourced : atoms,
    };
    at->form->read = true;
    at->form->slots = entries.ring;
    *(struct entries_state *)state->bytes = entries;
    return atoms > 0;
}

/* The lanes of an atom of a slice that hold elements. */
static size_t sourced_lanes(const struct entries_state *entries, size_t at) {
    if (at >= entries->sourced || (at >= entries->holes && at % entries->slots == entries->slots - 1))
        return 0;
    return entries->line ? lesser(entries->line - lesser(at * entries->lanes, entries->line), entries->lanes)
                         : entries->lanes;
}

/* Past what has come of the slices, without gaps. */
static void pass_entries(struct entries_state *entries, struct stream_beat *beat) {
    beat->slot = (entries->first + entries->at) % entries->ring;
    while (entries->left > 0) {
        const size_t slot = (entries->first + entries->at) % entries->ring;
        const bool sourced = sourced_lanes(entries, entries->at) > 0;
        if (sourced && !beat->waits[slot])
            return;
        beat->waits[slot] = false;
        entries->left -= sourced;
        beat->release++;
        if (++entries->at < entries->slice)
            continue;
        entries->at = 0;
        entries->first = (entries->first + entries->slice) % entries->ring;
    }
}

static void next_entry(struct stream_state *state, struct stream_beat *beat) {
    struct entries_state *entries = (struct entries_state *)state->bytes;
    const size_t place = beat->words[beat->layout->address], bytes = (size_t)beat->layout->lanes / entries->slots;
    const size_t entry = place / bytes;
    if (!entries->begun)
        entries->first = entry;
    entries->begun = true;
    for (size_t i = 0; i < entries->slots; i++) {
        const size_t slot = (entry + i) % entries->ring;
        const size_t lanes =
            sourced_lanes(entries, (slot + entries->ring - entries->first) % entries->ring % entries->slice);
        if (lanes == 0 || !(beat->words[beat->layout->select] >> i & 1))
            continue;
        beat->waits[slot] = true;
        stream_keep(beat, i * entries->lanes, lanes,
                    (struct tap_place){.channel = -1, .y = -1, .x = -1, .address = place + i * bytes}, slot);
    }
    pass_entries(entries, beat);
    beat->last = entries->left == 0;
}

const struct stream_order order_cdma_data = {.begin = begin_data, .next = next_atom};
const struct stream_order order_cdma_entries = {.begin = begin_entries, .next = next_entry};
const struct stream_order order_cdma_weights = {.begin = begin_weights, .next = next_atom};
const struct stream_order order_cdma_masks = {.begin = begin_masks, .next = next_atom};

/* ---- CSC and CMAC ---- */

struct conv_state {
    struct launch_turn turn; /* of CSC */
    bool over;               /* the launch should have ended */
    struct conv_order order;
    struct conv_operation operation;
    size_t beat;   /* of the operation: atom, or cells that have their weights */
    size_t values; /* of a kernel in a beat of sums: results of a tile */
    size_t half;   /* of the cells, whose sums they are */
};

_Static_assert(sizeof(struct conv_state) <= STREAM_STATE, "state of a stream");

static struct conv_state *conv_of(struct stream_state *state) {
    return (struct conv_state *)state->bytes;
}

/* The n-th layer of CMAC is the n-th of CSC. */
static void begin_layer(struct conv_state *conv, const struct stream_launch *at) {
    const struct launch *launch = layer_tracker_turn(at->tracker, NVDLA_CSC, &conv->turn);
    conv->over = true;
    conv->order.precision = NVDLA_INT8;
    if (!launch)
        return;
    const struct registers_view view = launch_view(at->config, launch);
    conv->over = false;
    conv->order = conv_order(&view, at->specified);
    conv->operation = conv_order_first(&conv->order);
    conv->beat = 0;
}

/* Atoms of data, and of the weights of a cell: lanes of 8 bits, in a configuration with 16-bit types twice as many as
 * an atom has elements. */
static bool begin_conv(struct stream_state *state, const struct stream_launch *at) {
    struct conv_state *conv = conv_of(state);
    begin_layer(conv, at);
    stream_widen(at->form, conv->order.precision);
    return true;
}

/* Advances to the next beat of an operation with `beats` beats. */
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
    beat->count = 1;
}

/* The place of the atom or the sums of an output position; the launch ends where the design says so. */
static struct tap_place position_of(const struct conv_state *conv, const struct stream_beat *beat, size_t channel) {
    const struct conv_place at = conv_operation_place(&conv->order, &conv->operation, conv->beat);
    return (struct tap_place){.batch = (int32_t)at.batch,
                              .channel = (int32_t)channel,
                              .y = (int32_t)at.y,
                              .x = (int32_t)at.x,
                              .reduction = (int32_t)conv->operation.index,
                              .flags = beat->words ? beat->words[beat->layout->flags] : 0};
}

static void next_conv_atom(struct stream_state *state, struct stream_beat *beat) {
    struct conv_state *conv = conv_of(state);
    const struct conv_operation *operation = &conv->operation;
    if (conv->over) {
        surplus(beat);
        return;
    }
    const struct tap_place place = position_of(conv, beat, operation->channel);
    for (size_t part = 0; part < conv_operation_parts(&conv->order, operation); part++)
        stream_add(beat, conv_operation_lane(&conv->order, part), operation->channels, place);
    step(conv, conv_operation_atoms(&conv->order, operation));
}

const struct stream_order order_conv_atoms = {.begin = begin_conv, .next = next_conv_atom};

/* ---- weights ---- */

/* The cell of a one-hot selection of two words; -1: none, or several. */
static int cell_of(const uint32_t *words) {
    const uint64_t select = words[0] | (uint64_t)words[1] << 32;
    return select != 0 && (select & (select - 1)) == 0 ? __builtin_ctzll(select) : -1;
}

/* The weights of a cell's kernels (none, or several cells: after those of the layer), including lanes outside their
 * block: CSC masks these, so they must be 0. Data lanes outside the block are don't-care. 40-convolution-core section
 * 4.7. */
static void next_conv_weights(struct stream_state *state, struct stream_beat *beat) {
    struct conv_state *conv = conv_of(state);
    const struct conv_operation *operation = &conv->operation;
    if (conv->over) {
        surplus(beat);
        return;
    }
    const struct conv_order *order = &conv->order;
    const size_t lanes = conv_operation_lane(order, 1), before = conv->beat * order->cell;
    const size_t kernels = lesser(operation->kernels - before, order->cell);
    const int cell = beat->words ? cell_of(beat->words + beat->layout->select) : -1;
    const size_t kernel = cell < 0 ? order->kernels : operation->kernel + (size_t)cell * order->cell;
    for (size_t k = 0; k < kernels; k++)
        for (size_t part = 0; part < conv_order_parts(order); part++) {
            const struct tap_place place = {.channel = (int32_t)(kernel + k),
                                            .y = (int32_t)(operation->row + part),
                                            .x = (int32_t)operation->channel,
                                            .reduction = (int32_t)operation->index};
            stream_add(beat, k * order->lanes + conv_operation_lane(order, part), lanes, place);
        }
    beat->along_x = true;
    step(conv, ceil_div(operation->kernels, order->cell));
    beat->last = conv->over;
}

const struct stream_order order_conv_weights = {.begin = begin_conv, .next = next_conv_weights};

/* ---- sums ---- */

/* The values of nvdla_conv_pkg.sv. */
enum { VALUE_BITS = 44, INT16_BITS = 38 };

/* Lanes are values; with Winograd, a cell has one for each result of a tile; in INT8 layers, such a value has two
 * lanes, the sums of two kernels. */
static bool begin_sums(struct stream_state *state, const struct stream_launch *at) {
    struct conv_state *conv = conv_of(state);
    struct stream_form *form = at->form;
    begin_layer(conv, at);
    conv->half = (size_t)at->kind;
    if (conv->order.precision != NVDLA_INT8) {
        const bool integer = conv->order.precision == NVDLA_INT16;
        *form = (struct stream_form){.format = integer ? TAP_INT64 : TAP_CMAC_FP16,
                                     .width = integer ? INT16_BITS : 0,
                                     .bits = VALUE_BITS,
                                     .lanes = form->lanes / 2};
    }
    conv->values = conv->over ? 0 : form->lanes / (conv->order.group / 2);
    return true;
}

/* The sums of one half's cells, kernel by kernel; of a tile, result by result. */
static void next_sums(struct stream_state *state, struct stream_beat *beat) {
    struct conv_state *conv = conv_of(state);
    if (conv->over) {
        surplus(beat);
        return;
    }
    const struct conv_order *order = &conv->order;
    const struct conv_operation *operation = &conv->operation;
    const size_t most = order->group / 2, before = conv->half * most;
    const size_t kernels = operation->kernels > before ? lesser(operation->kernels - before, most) : 0;
    const struct tap_place first = position_of(conv, beat, operation->kernel + before);
    const size_t together = conv->values == 1 ? most : order->cell; /* kernels with adjacent lanes */
    for (size_t n = 0; n < (order->winograd ? CONV_OUTPUTS : 1); n++)
        for (size_t k = 0; k < kernels || (k == 0 && n == 0); k += together) {
            struct tap_place place = first;
            place.channel += (int32_t)k;
            place.y += (int32_t)n / 2;
            place.x += (int32_t)n % 2;
            stream_add(beat, k * conv->values + n * order->cell, lesser(kernels - k, together), place);
        }
    step(conv, conv_operation_atoms(order, operation));
}

const struct stream_order order_conv_sums_a = {begin_sums, next_sums, 0};
const struct stream_order order_conv_sums_b = {begin_sums, next_sums, 1};
