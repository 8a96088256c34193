/* The streams inside an RTL (tb/streams.csv): their layout in tb_top's vectors, and the order in which their beats
 * bring the cube of a launch.
 *
 * A row of tb/streams.csv gives a stream's unit and tap, its format, the bits of a lane, the lanes of a beat by
 * configuration, and the name of its order. A row of a table of taps (rtl/taps.csv) says where an RTL has it. Only the
 * order is code: it steps from one beat of the launch to the next, given the registers.
 *
 * Columns of a table of taps, as Verilog expressions over names below the design: valid (there is a beat), end (the
 * launch ends with it; may be empty), data (the lanes), and the stream's fields: address (for CBUF_DAT, CBUF_WT and
 * CBUF_MASK where a port of CBUF takes two atoms a clock: 32 bits for each, all ones if not written); select (one bit
 * for each cell; of CBUF_DAT_WIDE and CBUF_WR_WIDE, which write into one entry, for each of its atoms); index; flags
 * (of CSC and CMAC: bits 0 to 3 stripe start, stripe end, channel end, layer end; of writes into CBUF: slot, and from
 * bit 8 on whether the slots above it become 0). late: the clocks by which the data come after the rest, if any. A row
 * `stripes,specified`: convolutions have the stripes of chapter 40. */
#pragma once

#include "layers/tracker.h"
#include "layers/view.h"
#include "nvdla/config.h"
#include "observe/tap.h"
#include "tap_streams.h"

/* Layout of a beat in a stream's vector in one configuration. */
struct stream_layout {
    int lanes, words;                  /* the lanes begin in word 0; no lanes: the configuration lacks the stream */
    int width, bits;                   /* of an element, of a lane */
    int address, select, index, flags; /* first word of other fields; -1: the stream has none */
};

/* The layout of a stream in a configuration. */
struct stream_layout rtl_stream_layout(const struct nvdla_config *config, enum rtl_stream stream);

/* Adjacent lanes of a beat. Those that come before others of lower places wait in a slot, from 1 on (0: they do not);
 * they begin with a word. */
struct stream_part {
    size_t first, count;
    struct tap_place place; /* of the first lane; without cycle */
    size_t slot;
};

enum { STREAM_PARTS = 32 };

enum { SLOT_WORDS = 16 /* most that lanes that wait have */ };

#define STREAM_NO_ATOM UINT32_MAX /* the address of an atom that a beat of CBUF does not write */

/* Input and output of an order for one beat. */
struct stream_beat {
    /* In: the stream's vector; NULL while the tap only counts, unless the form says that the order reads it. */
    const uint32_t *words;
    const struct stream_layout *layout;
    bool ends; /* the RTL marks it as the last one of its launch */
    /* Out: the place of its first element (without cycle), the lanes that belong to the cube, and whether the launch
     * ends with it. While the tap only counts, only `last` matters. */
    struct tap_place place;
    size_t first, count;
    bool along_x; /* lanes go along x, else along channels */
    bool last;
    /* After this beat, what waits in `release` slots from `slot` on (after the last one: the first) is passed on, in
     * their order. */
    size_t slot, release;
    bool *waits; /* one for each slot, for the order alone; false when the launch begins */
    /* A beat whose lanes wait, are not adjacent, or not in one place, has parts instead of first, count and place. */
    size_t parts;
    struct stream_part part[STREAM_PARTS];
};

/* Adds a part. */
static inline void stream_add(struct stream_beat *beat, size_t first, size_t count, struct tap_place place) {
    beat->part[beat->parts++] = (struct stream_part){first, count, place, 0};
}

/* Adds a part that waits in slot `slot`, counted from 0. */
static inline void stream_keep(struct stream_beat *beat, size_t first, size_t count, struct tap_place place,
                               size_t slot) {
    beat->part[beat->parts++] = (struct stream_part){first, count, place, slot + 1};
}

/* Layout of the elements in the beats of a launch. */
struct stream_form {
    enum tap_format format;
    int width, bits; /* of an element (0: floating point), of a lane */
    size_t lanes;    /* of a beat */
    bool fp17;       /* lanes are FP17; listeners get FP32 */
    bool unheard;    /* the model has no such stream, so listeners cannot have it */
    bool read;       /* the order reads the vector of every beat */
    size_t slots;    /* in which lanes wait */
};

/* A launch as shown to an order; valid while it begins. */
struct stream_launch {
    const struct nvdla_config *config;
    const struct layer_tracker *tracker;
    const struct launch *launch;
    struct registers_view view; /* its registers */
    int kind;                   /* of the order */
    size_t lanes;               /* of a beat, as tb/streams.csv says */
    bool specified;             /* see conv_order() */
    struct stream_form *form;   /* from tb/streams.csv; an order changes it where it depends on the layer's precision */
};

enum { STREAM_STATE = 264 };

/* Position of a stream in its launch: an order's private state. */
struct stream_state {
    _Alignas(8) unsigned char bytes[STREAM_STATE];
};

struct stream_order {
    /* A launch begins. False: it brings nothing on this stream. */
    bool (*begin)(struct stream_state *state, const struct stream_launch *launch);
    /* Describes the beat and advances past it. */
    void (*next)(struct stream_state *state, struct stream_beat *beat);
    int kind; /* what distinguishes streams with the same functions, for begin() */
};

/* Of the lanes of a beat, `lanes` from lane `lane` of an atom on: the number that are channels. */
static inline size_t stream_lanes(size_t channels, size_t atom, size_t surface, size_t lane, size_t lanes) {
    const size_t valid = tap_lanes(channels, atom, surface);
    return lane >= valid ? 0 : lanes < valid - lane ? lanes : valid - lane;
}

/* The form of a stream whose lanes have 16 bits unless the layer is INT8: unchanged for INT8, else half as many lanes
 * of INT16 or FP16. */
static inline void stream_widen(struct stream_form *form, enum nvdla_precision precision) {
    if (precision == NVDLA_INT8)
        return;
    *form = (struct stream_form){.format = tap_format_of(precision),
                                 .width = precision == NVDLA_FP16 ? 0 : 16,
                                 .bits = 16,
                                 .lanes = form->lanes / 2};
}

/* The orders in tb/streams.csv: NAME there is order_NAME here. */
extern const struct stream_order order_cdma_data, order_cdma_entries, order_cdma_weights, order_cdma_masks;
extern const struct stream_order order_conv_atoms, order_conv_weights, order_conv_sums_a, order_conv_sums_b;
extern const struct stream_order order_cacc_cube;
extern const struct stream_order order_sdp_cube, order_sdp_table, order_sdp_out;
extern const struct stream_order order_cdp_elements, order_cdp_sum, order_cdp_answer, order_cdp_factor,
    order_cdp_product;
extern const struct stream_order order_cdp_element_rows, order_cdp_sum_rows, order_cdp_answer_rows,
    order_cdp_factor_rows, order_cdp_product_rows;
extern const struct stream_order order_pdp_in_atoms, order_pdp_in_lanes, order_pdp_in_beats, order_pdp_row,
    order_pdp_row_lanes, order_pdp_out;
