/* Names of taps, and delivery from the owner of a stream to its listeners. See tap.h. */
#include "observe/tap.h"

const char *const tap_names[TAP_COUNT] = {
    [TAP_CDMA_CVT] = "CDMA_CVT",       [TAP_CBUF_DAT] = "CBUF_DAT",     [TAP_CBUF_WT] = "CBUF_WT",
    [TAP_CBUF_MASK] = "CBUF_MASK",     [TAP_CSC_DAT] = "CSC_DAT",       [TAP_CSC_WT] = "CSC_WT",
    [TAP_CMAC_SUM] = "CMAC_SUM",       [TAP_CACC_OUT] = "CACC_OUT",     [TAP_CACC_SAT] = "CACC_SAT",
    [TAP_SDP_IN] = "SDP_IN",           [TAP_SDP_X1] = "SDP_X1",         [TAP_SDP_X2] = "SDP_X2",
    [TAP_EW_ALU_CVT] = "EW_ALU_CVT",   [TAP_EW_MUL_CVT] = "EW_MUL_CVT", [TAP_SDP_LUT_IN] = "SDP_LUT_IN",
    [TAP_SDP_LUT_OUT] = "SDP_LUT_OUT", [TAP_SDP_CVT_IN] = "SDP_CVT_IN", [TAP_SDP_OUT] = "SDP_OUT",
    [TAP_PDP_IN] = "PDP_IN",           [TAP_PDP_ROW] = "PDP_ROW",       [TAP_PDP_OUT] = "PDP_OUT",
    [TAP_CDP_IN] = "CDP_IN",           [TAP_CDP_SUM] = "CDP_SUM",       [TAP_LUT_HIT] = "LUT_HIT",
    [TAP_LUT_OUT] = "LUT_OUT",         [TAP_CDP_CVT_IN] = "CDP_CVT_IN", [TAP_CDP_OUT] = "CDP_OUT",
    [TAP_AXI_READ] = "AXI_READ",       [TAP_AXI_WRITE] = "AXI_WRITE",   [TAP_MIF_READ] = "MIF_READ",
    [TAP_MIF_WRITE] = "MIF_WRITE",
};

const char *const tap_format_names[TAP_FORMATS] = {
    [TAP_INT8] = "INT8", [TAP_INT16] = "INT16", [TAP_FP16] = "FP16",           [TAP_INT32] = "INT32",
    [TAP_FP32] = "FP32", [TAP_INT64] = "INT64", [TAP_CMAC_FP16] = "CMAC_FP16",
};

const char *const mif_fault_names[] = {
    [MIF_ADDRESS] = "address", [MIF_BYTES] = "bytes", [MIF_UNASKED] = "unasked", [MIF_UNANSWERED] = "unanswered"};

void tap_listen(struct tap_listeners *listeners, struct tap_listener listener) {
    listeners->item[listeners->count++] = listener;
}

void tap_done(const struct tap_listeners *listeners, enum nvdla_unit unit, int ordinal, unsigned group) {
    for (int i = 0; i < listeners->count; i++)
        if (listeners->item[i].done)
            listeners->item[i].done(listeners->item[i].context, unit, ordinal, group);
}

void tap_reset(const struct tap_listeners *listeners) {
    for (int i = 0; i < listeners->count; i++)
        if (listeners->item[i].reset)
            listeners->item[i].reset(listeners->item[i].context);
}

void tap_memory(const struct tap_listeners *listeners, const struct mif_difference *difference) {
    for (int i = 0; i < listeners->count; i++)
        if (listeners->item[i].memory)
            listeners->item[i].memory(listeners->item[i].context, difference);
}

struct tap_out tap_open(const struct tap_listeners *listeners, const struct tap_stream *stream) {
    struct tap_out out = {.count = 0, .stream = *stream};
    for (int i = 0; i < listeners->count; i++) {
        const struct tap_sink sink = listeners->item[i].open(listeners->item[i].context, stream);
        if (sink.elements)
            out.sink[out.count++] = sink;
    }
    return out;
}

void tap_convertor(const struct tap_out *out, const struct convertor *convertor, int bits) {
    for (int i = 0; i < out->count; i++)
        if (out->sink[i].convertor)
            out->sink[i].convertor(out->sink[i].context, convertor, bits);
}

void tap_clipped(const struct tap_out *out, uint64_t count) {
    for (int i = 0; i < out->count; i++)
        if (out->sink[i].clipped)
            out->sink[i].clipped(out->sink[i].context, count);
}
