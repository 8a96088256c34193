/* Sorts the elements of streams into corners. See corners.h. */
#include "coverage/corners.h"

#include <stdlib.h>

#include "coverage/coverage_engines.h"
#include "layers/lut_registers.h"
#include "nvdla/xalloc.h"

/* low and high: beyond half of the range. */
#define INTEGER "lowest low negative zero positive high highest"
/* Of a convertor: values that it clips, the last ones that it does not, and ties by the sign of their result. */
#define CONVERTED "below lowest tie_negative tie_positive highest above"
/* FP16; FP32 by the ranges of FP16, beyond: above them; results in FP16. Engines make no infinity: exponents of 255
 * with mantissa 0 are large numbers (50-sdp section 5.1). */
#define HALF "zero denormal normal largest infinity nan"
#define SINGLE "zero denormal normal beyond nan"
#define RESULT "zero denormal normal largest nan"
/* Relative to both tables: start underflows and first does not, last hits and end does not. */
#define TABLE                                                                                                          \
    "le_below le_start le_first le_inside le_last le_end le_above lo_below lo_start lo_first lo_inside lo_last "       \
    "lo_end lo_above"
#define ANSWERS "hybrid both_under both_over le_only lo_only"
/* Sums of a line of a window: of the lowest or highest elements alone; ties of their division if it is the only line.
 */
#define AVERAGE "lowest highest tie_negative tie_positive"

#define FP16 COVERAGE_NEEDS_FP16
#define EW COVERAGE_NEEDS_EW
#define LUT COVERAGE_NEEDS_LUT

/* Stream, function that sorts its elements, name, values, what they need. Integers and floating point of a stream are
 * two aspects. */
/* clang-format off */
#define VALUES(A) \
    A(CDMA_CVT, sort_converted, "cdma_convertor", CONVERTED, 0) \
    A(CDMA_CVT, sort_half, "cdma_fp16", HALF, FP16) \
    A(CACC_OUT, sort_truncated, "cacc_truncation", "below@int16 above@int16 tie_negative tie_positive", 0) \
    A(CACC_SAT, sort_integer, "cacc", "lowest@int16 low negative zero positive high highest@int16", 0) \
    A(CACC_SAT, sort_single, "cacc_fp32", SINGLE, FP16) \
    A(SDP_X1, sort_integer, "sdp_x1", INTEGER, 0) \
    A(SDP_X1, sort_single, "sdp_x1_fp32", SINGLE, FP16) \
    A(SDP_X2, sort_integer, "sdp_x2", INTEGER, 0) \
    A(SDP_X2, sort_single, "sdp_x2_fp32", SINGLE, FP16) \
    A(EW_ALU_CVT, sort_converted, "ew_alu_convertor", CONVERTED, EW) \
    A(EW_MUL_CVT, sort_converted, "ew_mul_convertor", CONVERTED, EW) \
    A(SDP_LUT_IN, sort_place, "sdp_table", TABLE, LUT) \
    A(SDP_CVT_IN, sort_converted, "sdp_convertor", CONVERTED, 0) \
    A(SDP_CVT_IN, sort_single, "sdp_y_fp32", SINGLE, EW | FP16) \
    A(SDP_OUT, sort_integer, "sdp_out", INTEGER, 0) \
    A(SDP_OUT, sort_result, "sdp_out_fp16", RESULT, FP16) \
    A(PDP_ROW, sort_average, "pdp_average", AVERAGE, 0) \
    A(PDP_OUT, sort_integer, "pdp_out", INTEGER, 0) \
    A(PDP_OUT, sort_half, "pdp_out_fp16", HALF, FP16) \
    A(CDP_IN, sort_converted, "cdp_in_convertor", CONVERTED, 0) \
    A(CDP_IN, sort_half, "cdp_in_fp16", HALF, FP16) \
    A(CDP_SUM, sort_place, "cdp_table", TABLE, 0) \
    A(CDP_SUM, sort_single, "cdp_sum_fp32", SINGLE, FP16) \
    A(LUT_HIT, sort_answer, "cdp_answer", ANSWERS, 0) \
    A(LUT_OUT, sort_integer, "cdp_factor", INTEGER, 0) \
    A(CDP_CVT_IN, sort_converted, "cdp_out_convertor", CONVERTED, 0) \
    A(CDP_OUT, sort_result, "cdp_out_fp16", RESULT, FP16)
/* clang-format on */

/* A stream of a launch under one aspect. */
struct corner_stream {
    int aspect;
    uint32_t values; /* reached */
    enum tap_format format;
    int64_t lowest, highest;                     /* ends of the range of integers; what a convertor does not clip */
    struct convertor convertor;                  /* scale 0: none */
    int64_t step;                                /* of its results, in units of the values, at least 1 */
    struct convertor_interval table[LUT_TABLES]; /* high: the first input above the table */
};

struct corners {
    const struct layer_tracker *launches;
    struct corner_stream **streams;
    size_t count;
};

/* ---- sorting --------------------------------------------------------------------------------- */

static int64_t integer(enum tap_format format, const void *elements, size_t i) {
    switch (format) {
    case TAP_INT8:
        return ((const int8_t *)elements)[i];
    case TAP_INT16:
        return ((const int16_t *)elements)[i];
    case TAP_INT32:
        return ((const int32_t *)elements)[i];
    default:
        return ((const int64_t *)elements)[i];
    }
}

static void sort_integer(struct corner_stream *stream, const void *elements, size_t count) {
    enum { LOWEST, LOW, NEGATIVE, ZERO, POSITIVE, HIGH, HIGHEST };
    for (size_t i = 0; i < count; i++) {
        const int64_t x = integer(stream->format, elements, i);
        stream->values |= 1u << (x <= stream->lowest       ? LOWEST
                                 : x >= stream->highest    ? HIGHEST
                                 : x < stream->lowest / 2  ? LOW
                                 : x > stream->highest / 2 ? HIGH
                                 : x == 0                  ? ZERO
                                 : x < 0                   ? NEGATIVE
                                                           : POSITIVE);
    }
}

/* -1, 1: product / 2^shift is a tie, by its sign; 0: it is not. */
static int tie(__int128 product, unsigned shift) {
    const unsigned __int128 fraction = (unsigned __int128)product & (((unsigned __int128)1 << shift) - 1);
    return shift == 0 || fraction != (unsigned __int128)1 << (shift - 1) ? 0 : product < 0 ? -1 : 1;
}

enum { BELOW = 1, LOWEST = 2, TIE_NEGATIVE = 4, TIE_POSITIVE = 8, HIGHEST = 16, ABOVE = 32 };

/* The corners of a convertor that a value reaches; its results are the lowest or highest within a step of the ends. */
static unsigned converted(const struct corner_stream *stream, int64_t x) {
    const struct convertor *convertor = &stream->convertor;
    const bool falling = convertor->scale < 0;
    const int half = tie((__int128)(x - convertor->offset) * convertor->scale, convertor->shift);
    if (x < stream->lowest || x > stream->highest)
        return (x < stream->lowest) == falling ? ABOVE : BELOW;
    return (half < 0   ? TIE_NEGATIVE
            : half > 0 ? TIE_POSITIVE
                       : 0u) |
           (x - stream->lowest < stream->step ? falling ? HIGHEST : LOWEST : 0u) |
           (stream->highest - x < stream->step ? falling ? LOWEST : HIGHEST : 0u);
}

static void sort_converted(struct corner_stream *stream, const void *elements, size_t count) {
    for (size_t i = 0; i < count && stream->convertor.scale; i++)
        stream->values |= converted(stream, integer(stream->format, elements, i));
}

static void sort_truncated(struct corner_stream *stream, const void *elements, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const unsigned at = converted(stream, integer(stream->format, elements, i));
        stream->values |= (at & BELOW ? 1u : 0) | (at & ABOVE ? 2u : 0) | (at & (TIE_NEGATIVE | TIE_POSITIVE));
    }
}

static void sort_average(struct corner_stream *stream, const void *elements, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const int64_t x = integer(stream->format, elements, i);
        const int half = tie((__int128)x * stream->convertor.scale, stream->convertor.shift);
        stream->values |= (x <= stream->lowest ? 1u : 0) | (x >= stream->highest ? 2u : 0) | (half < 0 ? 4u : 0) |
                          (half > 0 ? 8u : 0);
    }
}

static void sort_place(struct corner_stream *stream, const void *elements, size_t count) {
    enum { BEFORE, START, FIRST, INSIDE, LAST, END, AFTER, PLACES };
    for (size_t i = 0; i < count; i++)
        for (int t = 0; t < LUT_TABLES; t++) {
            const int64_t x = integer(stream->format, elements, i), end = stream->table[t].high;
            const int64_t from = x - stream->table[t].low;
            stream->values |= 1u << (t * PLACES + (from < 0       ? BEFORE
                                                   : from == 0    ? START
                                                   : from == 1    ? FIRST
                                                   : x < end - 1  ? INSIDE
                                                   : x == end - 1 ? LAST
                                                   : x == end     ? END
                                                                  : AFTER));
        }
}

static void sort_answer(struct corner_stream *stream, const void *elements, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const int64_t flags = integer(stream->format, elements, i);
        stream->values |= 1u << (flags == LUT_BOTH_UNDER  ? 1
                                 : flags == LUT_BOTH_OVER ? 2
                                 : flags == LUT_LE_ONLY   ? 3
                                 : flags == LUT_LO_ONLY   ? 4
                                                          : 0);
    }
}

/* The index of a magnitude, an FP16 pattern, in HALF. */
static int half(unsigned x) {
    return x == 0 ? 0 : x < 0x400 ? 1 : x < 0x7bff ? 2 : x == 0x7bff ? 3 : x == 0x7c00 ? 4 : 5;
}

static void sort_half(struct corner_stream *stream, const void *elements, size_t count) {
    for (size_t i = 0; i < count; i++)
        stream->values |= 1u << half(((const uint16_t *)elements)[i] & 0x7fff);
}

static void sort_result(struct corner_stream *stream, const void *elements, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const int index = half(((const uint16_t *)elements)[i] & 0x7fff);
        stream->values |= 1u << (index > 3 ? index - 1 : index);
    }
}

static void sort_single(struct corner_stream *stream, const void *elements, size_t count) {
    enum { TWO_TO_MINUS_14 = 0x38800000, LARGEST_OF_FP16 = 0x477fe000, INFINITY_PATTERN = 0x7f800000 };
    for (size_t i = 0; i < count; i++) {
        const uint32_t x = ((const uint32_t *)elements)[i] & INT32_MAX;
        stream->values |= 1u << (x == 0                  ? 0
                                 : x < TWO_TO_MINUS_14   ? 1
                                 : x <= LARGEST_OF_FP16  ? 2
                                 : x <= INFINITY_PATTERN ? 3
                                                         : 4);
    }
}

#define VALUE_ASPECT(tap, sort, name, list, features) ASPECT_IF(name, list, features),
#define VALUE_ROW(tap, sort, ...) {TAP_##tap, sort},
static const struct coverage_aspect values_aspects[] = {VALUES(VALUE_ASPECT)};
static const struct {
    enum tap tap;
    /* Adds to the stream's values those that `count` elements reach. */
    void (*sort)(struct corner_stream *stream, const void *elements, size_t count);
} rows[] = {VALUES(VALUE_ROW)};

const struct coverage_engine coverage_values = {
    .name = "values", .what = "stream", .aspects = values_aspects, .aspect_count = COUNT(values_aspects)};

/* ---- streams --------------------------------------------------------------------------------- */

static void take_convertor(void *context, const struct convertor *convertor, int bits) {
    struct corner_stream *stream = context;
    const struct convertor_interval keeps = convertor_keeps(convertor);
    (void)bits;
    stream->convertor = *convertor;
    stream->lowest = keeps.low;
    stream->highest = keeps.high;
    if (convertor->scale)
        stream->step = convertor_step(convertor) < 1 ? 1 : (int64_t)convertor_step(convertor);
}

/* Of EW's operands, if it works. Spec: 50-sdp section 5.2. */
static void set_convertor(struct corner_stream *stream, const struct registers_view *view, bool alu) {
    const uint32_t base = alu ? SDP_D_DP_EW_ALU_CFG : SDP_D_DP_EW_MUL_CFG;
    const uint32_t first = alu ? SDP_D_DP_EW_ALU_CVT_OFFSET_VALUE : SDP_D_DP_EW_MUL_CVT_OFFSET_VALUE;
    const struct convertor convertor = {.offset = (int32_t)view_value(view, NVDLA_SDP, first),
                                        .scale = (int16_t)view_value(view, NVDLA_SDP, first + 4),
                                        .shift = view_value(view, NVDLA_SDP, first + 8) & 63,
                                        .bits = 32};
    if (!(view_value(view, NVDLA_SDP, base) & SDP_D_DP_EW_ALU_CFG__EW_ALU_CVT_BYPASS_MASK))
        take_convertor(stream, &convertor, 0);
}

/* The division by the width of an average. Spec: 60-pdp section 5.3. */
static void set_average(struct corner_stream *stream, const struct registers_view *view) {
    const int64_t width = FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_WIDTH) + 1;
    stream->highest = width * (stream->format == TAP_INT16 ? INT8_MAX : INT16_MAX);
    stream->lowest = -stream->highest - width;
    if (FIELD(view, PDP, D_POOLING_KERNEL_CFG, KERNEL_HEIGHT) == 0)
        stream->convertor = (struct convertor){
            .scale = (int32_t)FIELD(view, PDP, D_RECIP_KERNEL_WIDTH, RECIP_KERNEL_WIDTH), .shift = 16};
}

/* Where tables begin and end: a linear one after its last interval, a logarithmic one where its slope starts. Spec:
 * 55-lut sections 4 and 5. */
static void set_tables(struct corner_stream *stream, const struct lut_settings *lut) {
    static const int64_t intervals[LUT_TABLES] = {LUT_LE_ENTRIES - 1, LUT_LO_ENTRIES - 1};
    for (int t = 0; t < LUT_TABLES; t++) {
        const struct lut_range *range = &lut->range[t];
        const bool linear = (t == LUT_LO || lut->le_linear) && range->select >= 0 && range->select < 32;
        stream->table[t] = (struct convertor_interval){
            range->start, linear ? range->start + (intervals[t] << range->select) : range->end};
    }
}

/* What the registers of the launch say about the stream. False if it has no corners. */
static bool set_stream(struct corner_stream *stream, const struct tap_stream *of, const struct corners *corners) {
    const struct launch *launch = layer_tracker_find(corners->launches, of->unit, of->ordinal);
    struct lut_settings lut;
    if (of->width > 0) {
        stream->highest = ((int64_t)1 << (of->width - 1)) - 1;
        stream->lowest = -stream->highest - 1;
    }
    if (!launch || launch->word_count == 0)
        return false;
    const struct registers_view view = launch_view(layer_tracker_config(corners->launches), launch);
    switch (of->tap) {
    case TAP_EW_ALU_CVT:
    case TAP_EW_MUL_CVT:
        set_convertor(stream, &view, of->tap == TAP_EW_ALU_CVT);
        break;
    case TAP_PDP_ROW:
        set_average(stream, &view);
        return FIELD(&view, PDP, D_OPERATION_MODE_CFG, POOLING_METHOD) == 0;
    case TAP_SDP_LUT_IN:
    case TAP_CDP_SUM:
        lut = lut_of(&view, of->tap == TAP_CDP_SUM ? NVDLA_CDP : NVDLA_SDP);
        set_tables(stream, &lut);
        break;
    default:
        break;
    }
    return true;
}

static void take_elements(void *context, const struct tap_stream *of, const struct tap_place *place, const void *values,
                          size_t count, size_t lanes, size_t stride) {
    struct corner_stream *stream = context;
    (void)place;
    for (size_t i = 0; i < count; i++)
        rows[stream->aspect].sort(stream, (const uint8_t *)values + i * stride * tap_element_bytes(of->format), lanes);
}

static struct tap_sink open_stream(void *context, const struct tap_stream *of) {
    struct corners *corners = context;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct corner_stream stream = {.aspect = (int)i, .format = of->format};
        const bool is_floating =
            rows[i].sort == sort_half || rows[i].sort == sort_result || rows[i].sort == sort_single;
        if (rows[i].tap != of->tap || is_floating != (of->width == 0) || !set_stream(&stream, of, corners))
            continue;
        struct corner_stream *kept = *xadd(corners->streams, corners->count) = xmalloc(sizeof *kept);
        *kept = stream;
        const bool convertor = rows[i].sort == sort_converted || rows[i].sort == sort_truncated;
        return (struct tap_sink){
            .elements = take_elements, .convertor = convertor ? take_convertor : NULL, .context = kept};
    }
    return (struct tap_sink){.elements = NULL};
}

struct corners *corners_new(const struct layer_tracker *launches) {
    struct corners *corners = xcalloc(1, sizeof *corners);
    corners->launches = launches;
    return corners;
}

void corners_free(struct corners *corners) {
    for (size_t i = 0; corners && i < corners->count; i++)
        free(corners->streams[i]);
    if (corners)
        free(corners->streams);
    free(corners);
}

struct tap_listener corners_listener(struct corners *corners) {
    return (struct tap_listener){.context = corners, .open = open_stream};
}

bool corners_reached(const struct corners *corners, size_t index, int *aspect, uint32_t *values) {
    if (index >= corners->count)
        return false;
    *aspect = corners->streams[index]->aspect;
    *values = corners->streams[index]->values;
    return true;
}
