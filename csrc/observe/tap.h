/* Taps: the element streams between the parts of an engine and between engines, for whoever wants to hear them. A
 * listener opens the streams that it wants, one launch at a time, and gets their elements in batches; any number of
 * listeners can hear the same stream. The model delivers the streams below in its own order of computation, which is
 * that of the hardware behind CACC; the testbench delivers those of an RTL (tb/observers/rtl_tap.h).
 *
 * A batch is `rows` rows of `lanes` elements. Rows follow one another along x, lanes along channels. With nobody
 * listening a tap costs one comparison for each batch.
 */
#ifndef OBSERVE_TAP_H
#define OBSERVE_TAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/clients.h"
#include "nvdla/convertor.h"
#include "nvdla/registers.h"

/* Where a stream stands in the pipeline, in the order of the data path. Integers of `width` bits, floating point where
 * the layer is FP16. */
enum tap {
    TAP_CDMA_CVT,  /* input elements of a convolution as fetched, before the input convertor; 17 bits */
    TAP_CBUF_DAT,  /* memory atoms that CDMA writes into CBUF for data, behind its convertor, lanes without channel
                    * included; place.address: byte of CBUF. Winograd: channel, y and x of the extended cube, of the
                    * first of four pixels */
    TAP_CBUF_WT,   /* the same for weights */
    TAP_CBUF_MASK, /* the same for the mask bits of compressed weights (WMB), as bytes */
    TAP_CSC_DAT,   /* atoms that CSC hands to CMAC, in the order of issue (layers/conv_order.h); place.y and x: output
                    * position, channel: first input channel, reduction: number of the atomic operation. Image: the
                    * input lines of an atom one after the other, each with the same place; Winograd: so the sixteen
                    * positions of the transformed tile, y and x: the first of its four results */
    TAP_CSC_WT,    /* weights that CSC hands to CMAC's cells, kernel by kernel for each atomic operation; place.channel:
                    * kernel, y: row of the kernel (Winograd: position of the tile), x: input channel, reduction as
                    * before. All lanes: those outside the kernel's block are masked, which counts as 0 */
    TAP_CMAC_SUM,  /* partial sums of CMAC_A's or CMAC_B's cells, one row an atom; place.channel: kernel, y, x and
                    * reduction as before. Winograd: a row for each of the four results. FP16: TAP_CMAC_FP16 */
    TAP_CACC_OUT,  /* accumulators before CLIP_TRUNCATE; 34 or 48 bits; none in FP16, which has no such step */
    TAP_CACC_SAT,  /* what CACC delivers; 32 bits */
    TAP_SDP_IN,    /* input of SDP after type expansion, NaN flushed if the layer says so; 32 bits */
    TAP_SDP_X1,    /* behind BS; 32 bits */
    TAP_SDP_X2,    /* behind BN; 32 bits */
    TAP_EW_ALU_CVT, /* operands of EW from memory before their convertors; 16 bits */
    TAP_EW_MUL_CVT,
    TAP_SDP_CVT_IN, /* before the output convertor of SDP; 32 bits */
    TAP_SDP_OUT,    /* elements written or handed to PDP; 8 or 16 bits */
    TAP_PDP_IN,     /* elements that PDP pools */
    TAP_PDP_ROW,    /* results of the columns of a line, as they go into the line buffer */
    TAP_PDP_OUT,
    TAP_CDP_IN,     /* elements before the input convertor */
    TAP_CDP_SUM,    /* sums of a window that enter the table */
    TAP_LUT_HIT,    /* how CDP's two tables answer them: enum lut_flags of nvdla/lut.h */
    TAP_LUT_OUT,    /* what CDP's table gives for them */
    TAP_CDP_CVT_IN, /* before the output convertor; 25 or 33 bits */
    TAP_CDP_OUT,
    TAP_AXI_READ,  /* atoms that a client's beats of read data hold, as bytes, where its requests are seen those that it
                    * has asked for; of an RTL only, as those below */
    TAP_AXI_WRITE, /* atoms that a client writes */
    TAP_MIF_READ,  /* the same atoms at the engine's side of the memory interface */
    TAP_MIF_WRITE,
    TAP_COUNT
};

extern const char *const tap_names[TAP_COUNT]; /* "CACC_OUT", ... */

/* Streams of atoms between engines and memory, one for each client. */
static inline bool tap_is_memory(enum tap tap) {
    return tap >= TAP_AXI_READ;
}

/* Streams whose places are addresses: of memory, or of CBUF. */
static inline bool tap_has_address(enum tap tap) {
    return tap_is_memory(tap) || (tap >= TAP_CBUF_DAT && tap <= TAP_CBUF_MASK);
}

/* Streams whose values a setting of a convertor, a truncation or a clip depends on: those that histograms count. */
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

/* How an element stands in memory, little endian. */
enum tap_format {
    TAP_INT8,
    TAP_INT16,
    TAP_FP16,
    TAP_INT32,
    TAP_FP32,
    TAP_INT64,
    TAP_CMAC_FP16, /* what CMAC gives CACC in FP16: an exponent of 6 bits above a signed mantissa of 38 bits, mantissa *
                    * 2^(exponent - 50); exponent 63: NaN. In 64 bits, sign-extended */
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
    int ordinal; /* launch of the unit; -1: not known (an RTL does not tell) */
    enum tap tap;
    int client; /* TAP_AXI_*, TAP_MIF_*: AXI ID; else 0 */
    enum tap_format format;
    int width; /* bits of an integer stream; 0: floating point, or bytes of memory */
};

/* Where the first element of a batch stands. -1 where it is not known. */
struct tap_place {
    int32_t batch, channel, y, x; /* in the cube of the layer; the channel of a convolution's result is its kernel */
    int32_t reduction;            /* of partial sums: atomic operations that are in them; 0: whole values */
    uint64_t address;             /* of the atom (TAP_AXI_*, TAP_MIF_*: in memory, TAP_CBUF_*: in CBUF); else 0 */
    uint32_t flags; /* CSC_DAT, CMAC_SUM: CONV_* of layers/conv_order.h, as they go with the atom; else 0 */
    uint64_t cycle; /* clock of the beat, counted from reset; of an RTL only, else 0 */
};

struct tap_position {
    struct tap_stream stream;
    struct tap_place place;
};

/* Takes the elements of one stream. */
struct tap_sink {
    /* rows x lanes elements at `values`, which is valid during the call only; `stride` elements from row to row. */
    void (*elements)(void *context, const struct tap_position *at, const void *values, size_t rows, size_t lanes,
                     size_t stride);
    /* Before the first element: the convertor that the stream enters, and the bits of its results that other settings
     * are to be tried for (0: none). May be NULL. */
    void (*convertor)(void *context, const struct convertor *convertor, int bits);
    /* After the last element: how many of them the convertor clipped, as the hardware counts them. May be NULL. */
    void (*clipped)(void *context, uint64_t count);
    void *context;
};

/* What the memory interface of an RTL does to an atom on its way between an engine and the AXI port. */
enum mif_fault {
    MIF_ADDRESS,   /* it is read or written elsewhere */
    MIF_BYTES,     /* its bytes change on the way */
    MIF_UNASKED,   /* the port moves an atom that the client has not asked for, or not given */
    MIF_UNANSWERED /* the client gets an atom that the memory has not given */
};

enum { TAP_ATOM = 64 /* bytes of the largest atom */ };

/* The first such atom of a client. */
struct mif_difference {
    enum nvdla_client client;
    enum mif_fault fault;
    uint64_t cycle;                            /* in which it is seen */
    int ordinal;                               /* launch of the client's unit; -1: not known */
    uint64_t address;                          /* that the client asked for; MIF_UNASKED: of the port */
    uint64_t port_address;                     /* at the AXI port */
    uint8_t expected[TAP_ATOM], got[TAP_ATOM]; /* MIF_BYTES: the atom before and behind the interface */
};

extern const char *const mif_fault_names[]; /* "address", "bytes", "unasked", "unanswered" */

/* Somebody who hears streams. */
struct tap_listener {
    void *context;
    /* A stream begins or goes on. Returns where its elements go; elements NULL: nowhere. */
    struct tap_sink (*open)(void *context, const struct tap_stream *stream);
    /* The launch is done; may be NULL. group: of registers. */
    void (*done)(void *context, enum nvdla_unit unit, int ordinal, unsigned group);
    /* The device is reset: everything heard so far belongs to the past; may be NULL. */
    void (*reset)(void *context);
    /* The memory interface has spoilt an atom, the first one of that client; may be NULL. Of an RTL only. */
    void (*memory)(void *context, const struct mif_difference *difference);
};

enum { TAP_LISTENERS = 4 };

/* Those of a device. */
struct tap_listeners {
    struct tap_listener item[TAP_LISTENERS];
    int count;
};

/* Adds one; there is room for TAP_LISTENERS. */
void tap_listen(struct tap_listeners *listeners, struct tap_listener listener);
void tap_done(const struct tap_listeners *listeners, enum nvdla_unit unit, int ordinal, unsigned group);
void tap_reset(const struct tap_listeners *listeners);
void tap_memory(const struct tap_listeners *listeners, const struct mif_difference *difference);

/* What the owner of a stream holds: all zero, nobody listens. */
struct tap_out {
    int count;
    struct tap_sink sink[TAP_LISTENERS];
    struct tap_stream stream;
};

/* Opens a stream with all listeners. */
struct tap_out tap_open(const struct tap_listeners *listeners, const struct tap_stream *stream);

/* Tells all sinks of the convertor; see struct tap_sink. */
void tap_convertor(const struct tap_out *out, const struct convertor *convertor, int bits);

/* Tells all sinks how many elements were clipped; see struct tap_sink. */
void tap_clipped(const struct tap_out *out, uint64_t count);

/* Hands a batch to all sinks. */
void tap_send_all(const struct tap_out *out, struct tap_place place, const void *values, size_t rows, size_t lanes,
                  size_t stride);

static inline void tap_send(const struct tap_out *out, struct tap_place place, const void *values, size_t rows,
                            size_t lanes, size_t stride) {
    if (out->count > 0)
        tap_send_all(out, place, values, rows, lanes, stride);
}

/* Of `channels` channels in surfaces of `lanes`, how many belong to surface 0, 1, ... */
static inline size_t tap_lanes(size_t channels, size_t lanes, size_t surface) {
    const size_t before = surface * lanes;
    return channels <= before ? 0 : channels - before < lanes ? channels - before : lanes;
}

#endif
