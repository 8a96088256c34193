/* Taps: the element streams inside engines and between them. A listener opens the streams it wants, one launch at a
 * time, and gets their elements in batches; a stream can have several listeners. The model delivers the streams below
 * in its order of computation, which after CACC is that of the hardware; the testbench delivers those of an RTL
 * (tb/observers/rtl_tap.h).
 *
 * A batch is `rows` rows of `lanes` elements. Rows follow one another along x, lanes along channels. Without listeners
 * a tap costs one comparison per batch. */
#pragma once

#include "nvdla/clients.h"
#include "nvdla/convertor.h"
#include "nvdla/registers.h"

/* The streams, in the order of the data path. Integers of `width` bits; floating point in FP16 layers. */
enum tap {
    TAP_CDMA_CVT,  /* input elements of a convolution as fetched, before the input convertor; 17 bits */
    TAP_CBUF_DAT,  /* memory atoms of data that CDMA writes into CBUF, after its convertor, including lanes without
                      channel; place.address: byte of CBUF. Winograd: channel, y and x of the first of four pixels in the
                      extended cube */
    TAP_CBUF_WT,   /* the same for weights */
    TAP_CBUF_MASK, /* the same for the mask bits of compressed weights (WMB), as bytes */
    TAP_CSC_DAT,  /* atoms that CSC sends to CMAC, in issue order (layers/conv_order.h); place.y and x: output position,
                     channel: first input channel, reduction: number of the atomic operation. Image: the input lines of
                     an atom one after the other, all with the same place. Winograd: likewise the sixteen positions of
                     the transformed tile, with y and x of the first of its four results */
    TAP_CSC_WT,   /* weights that CSC sends to CMAC's cells, kernel by kernel for each atomic operation; place.channel:
                     kernel, y: row of the kernel (Winograd: position of the tile), x: input channel, reduction as above.
                     All lanes: those outside the kernel's block are masked and count as 0 */
    TAP_CMAC_SUM, /* partial sums of CMAC_A's or CMAC_B's cells, one row per atom; place.channel: kernel; y, x and
                     reduction as above. Winograd: a row for each of the four results. FP16: TAP_CMAC_FP16 */
    TAP_CACC_OUT, /* accumulators before CLIP_TRUNCATE; 34 or 48 bits; not in FP16, which has no such step */
    TAP_CACC_SAT, /* what CACC delivers; 32 bits */
    TAP_SDP_IN,   /* input of SDP after type expansion, with NaN flushed if the layer asks for it; 32 bits */
    TAP_SDP_X1,   /* after BS; 32 bits */
    TAP_SDP_X2,   /* after BN; 32 bits */
    TAP_EW_ALU_CVT, /* operands of EW from memory before their convertors; 16 bits */
    TAP_EW_MUL_CVT,
    TAP_SDP_LUT_IN, /* what enters EW's table, and what it gives; 32 bits; only of layers that use the table */
    TAP_SDP_LUT_OUT,
    TAP_SDP_CVT_IN, /* before the output convertor of SDP; 32 bits */
    TAP_SDP_OUT,    /* elements written or handed to PDP; 8 or 16 bits */
    TAP_PDP_IN,     /* elements that PDP pools */
    TAP_PDP_ROW,    /* results of the columns of a line, as stored in the line buffer */
    TAP_PDP_OUT,
    TAP_CDP_IN,     /* elements before the input convertor */
    TAP_CDP_SUM,    /* sums of a window that enter the table */
    TAP_LUT_HIT,    /* answers of CDP's two tables: enum lut_flags of nvdla/lut.h */
    TAP_LUT_OUT,    /* results of CDP's table */
    TAP_CDP_CVT_IN, /* before the output convertor; 25 or 33 bits */
    TAP_CDP_OUT,
    TAP_AXI_READ, /* atoms of a client's read data, as bytes; if its requests are visible, only those it asked for. This
                     and all below: of an RTL only */
    TAP_AXI_WRITE, /* atoms that a client writes */
    TAP_MIF_READ,  /* the same atoms at the engine's side of the memory interface */
    TAP_MIF_WRITE,
    TAP_COUNT
};

extern const char *const tap_names[TAP_COUNT]; /* "CACC_OUT", ... */

/* Streams of atoms between engines and memory, one per client. */
static inline bool tap_is_memory(enum tap tap) {
    return tap >= TAP_AXI_READ;
}

/* Streams whose places are addresses, in memory or in CBUF. */
static inline bool tap_has_address(enum tap tap) {
    return tap_is_memory(tap) || (tap >= TAP_CBUF_DAT && tap <= TAP_CBUF_MASK);
}

/* Streams that histograms count: those that settings of a convertor, a truncation or a clip depend on. */
static inline bool tap_has_statistics(enum tap tap) {
    switch (tap) {
    case TAP_CDMA_CVT:
    case TAP_CACC_OUT:
    case TAP_CACC_SAT:
    case TAP_SDP_IN:
    case TAP_EW_ALU_CVT:
    case TAP_EW_MUL_CVT:
    case TAP_SDP_CVT_IN:
    case TAP_SDP_OUT:
    case TAP_PDP_OUT:
    case TAP_CDP_IN:
    case TAP_CDP_CVT_IN:
    case TAP_CDP_OUT:
        return true;
    default:
        return false;
    }
}

/* Format of an element in memory, little endian. */
enum tap_format {
    TAP_INT8,
    TAP_INT16,
    TAP_FP16,
    TAP_INT32,
    TAP_FP32,
    TAP_INT64,
    TAP_CMAC_FP16, /* CMAC to CACC in FP16: a 6-bit exponent above a signed 38-bit mantissa, mantissa * 2^(exponent -
                      50); exponent 63: NaN. Sign-extended to 64 bits */
    TAP_FORMATS
};

extern const char *const tap_format_names[TAP_FORMATS]; /* "INT8", ... */

/* Bytes of an element. */
static inline size_t tap_element_bytes(enum tap_format format) {
    switch (format) {
    case TAP_INT8:
        return 1;
    case TAP_INT16:
    case TAP_FP16:
        return 2;
    case TAP_INT64:
    case TAP_CMAC_FP16:
        return 8;
    default:
        return 4;
    }
}

/* The format of elements of a layer's precision. */
static inline enum tap_format tap_format_of(enum nvdla_precision precision) {
    return precision == NVDLA_INT8 ? TAP_INT8 : precision == NVDLA_INT16 ? TAP_INT16 : TAP_FP16;
}

/* A stream of one launch. */
struct tap_stream {
    enum nvdla_unit unit;
    int ordinal; /* launch of the unit; -1: unknown (an RTL does not say) */
    enum tap tap;
    int client; /* TAP_AXI_*, TAP_MIF_*: AXI ID; otherwise 0 */
    enum tap_format format;
    int width; /* bits of an integer stream; 0: floating point, or bytes of memory */
};

/* Place of the first element of a batch. -1: unknown. Without gaps, so that places can be compared as bytes. */
struct tap_place {
    int32_t batch, channel, y, x; /* in the cube of the layer; the channel of a convolution's result is its kernel */
    int32_t reduction;            /* convolution: number of the atomic operation; otherwise 0 */
    uint32_t flags;   /* CSC_DAT, CMAC_SUM: CONV_* of layers/conv_order.h, sent with the atom; otherwise 0 */
    uint64_t address; /* of the atom (TAP_AXI_*, TAP_MIF_*: in memory, TAP_CBUF_*: in CBUF); otherwise 0 */
    uint64_t cycle;   /* clock of the beat, from reset; of an RTL only, otherwise 0 */
};

struct tap_position {
    struct tap_stream stream;
    struct tap_place place;
};

/* Takes the elements of one stream. */
struct tap_sink {
    /* rows x lanes elements at `values`; rows are `stride` elements apart, and place is that of the first. All of it is
     * valid during the call only. */
    void (*elements)(void *context, const struct tap_stream *stream, const struct tap_place *place, const void *values,
                     size_t rows, size_t lanes, size_t stride);
    /* Before the first element: the convertor that the stream enters, and the width of its results for which other
     * settings are tried (0: none). May be NULL. */
    void (*convertor)(void *context, const struct convertor *convertor, int bits);
    /* After the last element: how many of them the convertor clipped, counted as in hardware. May be NULL. */
    void (*clipped)(void *context, uint64_t count);
    void *context;
};

/* Errors of an RTL's memory interface with an atom between engine and AXI port. */
enum mif_fault {
    MIF_ADDRESS,   /* read or written at another address */
    MIF_BYTES,     /* its bytes change on the way */
    MIF_UNASKED,   /* the port moves an atom that the client neither asked for nor gave */
    MIF_UNANSWERED /* the client gets an atom that the memory did not deliver */
};

enum { TAP_ATOM = 64 /* bytes of the largest atom */ };

/* The first such atom of a client. */
struct mif_difference {
    enum nvdla_client client;
    enum mif_fault fault;
    uint64_t cycle;                            /* clock in which it is seen */
    int ordinal;                               /* launch of the client's unit; -1: unknown */
    uint64_t address;                          /* address at the client; MIF_UNASKED: at the port */
    uint64_t port_address;                     /* address at the AXI port */
    uint8_t expected[TAP_ATOM], got[TAP_ATOM]; /* MIF_BYTES: the atom before and after the interface */
};

extern const char *const mif_fault_names[]; /* "address", "bytes", "unasked", "unanswered" */

/* A listener. */
struct tap_listener {
    void *context;
    /* A stream begins or continues. Returns where its elements go; elements NULL: nowhere. */
    struct tap_sink (*open)(void *context, const struct tap_stream *stream);
    /* The launch is finished; may be NULL. group: of registers. */
    void (*done)(void *context, enum nvdla_unit unit, int ordinal, unsigned group);
    /* The device is reset: everything received so far is obsolete; may be NULL. */
    void (*reset)(void *context);
    /* The first atom of a client that the memory interface corrupted; may be NULL. Of an RTL only. */
    void (*memory)(void *context, const struct mif_difference *difference);
};

enum { TAP_LISTENERS = 4 };

/* The listeners of a device. */
struct tap_listeners {
    struct tap_listener item[TAP_LISTENERS];
    int count;
};

/* Adds a listener; there is room for TAP_LISTENERS. */
void tap_listen(struct tap_listeners *listeners, struct tap_listener listener);
void tap_done(const struct tap_listeners *listeners, enum nvdla_unit unit, int ordinal, unsigned group);
void tap_reset(const struct tap_listeners *listeners);
void tap_memory(const struct tap_listeners *listeners, const struct mif_difference *difference);

/* Held by the owner of a stream. All zero: no listeners. */
struct tap_out {
    int count;
    struct tap_sink sink[TAP_LISTENERS];
    struct tap_stream stream;
};

/* Opens a stream with all listeners. */
struct tap_out tap_open(const struct tap_listeners *listeners, const struct tap_stream *stream);

/* Passes the convertor to all sinks; see struct tap_sink. */
void tap_convertor(const struct tap_out *out, const struct convertor *convertor, int bits);

/* Passes the number of clipped elements to all sinks; see struct tap_sink. */
void tap_clipped(const struct tap_out *out, uint64_t count);

/* Passes a batch to all sinks. */
static inline void tap_send_at(const struct tap_out *out, const struct tap_place *place, const void *values,
                               size_t rows, size_t lanes, size_t stride) {
    for (int i = 0; i < out->count; i++)
        out->sink[i].elements(out->sink[i].context, &out->stream, place, values, rows, lanes, stride);
}

static inline void tap_send(const struct tap_out *out, struct tap_place place, const void *values, size_t rows,
                            size_t lanes, size_t stride) {
    tap_send_at(out, &place, values, rows, lanes, stride);
}

/* How many of `channels` channels, in surfaces of `lanes`, are in surface 0, 1, ... */
static inline size_t tap_lanes(size_t channels, size_t lanes, size_t surface) {
    const size_t before = surface * lanes;
    return channels <= before ? 0 : channels - before < lanes ? channels - before : lanes;
}
