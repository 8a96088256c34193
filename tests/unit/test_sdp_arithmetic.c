/* Arithmetic of SDP, the parts alone: the vectors of 50-sdp sections 13.1 to 13.4, conversions of section 6.
 * The table: cases of model.txt. */

#include "model/sdp_convert.h"
#include "model/sdp_stage.h"
#include "nvdla/fp.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

/* Elements of a line on which a vector stands everywhere: the first and the last of a chunk are others. */
enum { LINE = 300 };

static int32_t apply_to_line(const struct sdp_stage *stage, int32_t in, int32_t alu, int32_t mul) {
    int32_t data[LINE + 1], alus[LINE + 1], muls[LINE + 1];
    for (int i = 0; i <= LINE; i++) {
        data[i] = in;
        alus[i] = alu;
        muls[i] = mul;
    }
    sdp_stage_apply(stage, data, stage->alu_bypass ? NULL : alus, stage->mul_bypass ? NULL : muls, LINE);
    for (int i = 1; i < LINE; i++)
        assert_int_equal(data[i], data[0]);
    assert_int_equal(data[LINE], in); /* behind the line */
    return data[0];
}

static int32_t prepared(struct sdp_operand_format format, uint16_t operand) {
    const int16_t in[2] = {(int16_t)operand, 1};
    int32_t out[2] = {0, 77};
    sdp_prepare_operands(&format, in, out, 1);
    assert_int_equal(out[1], 77); /* one is asked for */
    return out[0];
}

/* ---- X stage ---- */

/* A stage whose ALU algorithm has this name; "-": none. */
static struct sdp_stage stage_with(const char *alu, bool mul, bool prelu, bool relu) {
    static const char *const names[] = {[SDP_MAX] = "max", [SDP_MIN] = "min", [SDP_SUM] = "sum", [SDP_EQUAL] = "equal"};
    struct sdp_stage stage = {.alu_bypass = strcmp(alu, "-") == 0, .mul_bypass = !mul, .prelu = prelu, .relu = relu};
    while (!stage.alu_bypass && strcmp(names[stage.algorithm], alu) != 0)
        assert_true(++stage.algorithm < sizeof names / sizeof names[0]);
    return stage;
}

/* Section 13.1, and shifts in between. */
TEST(x_stage_of_integers) {
    for (struct vectors v = vectors_of("sdp", "x_integer"); vectors_next(&v);) {
        const int64_t *n = v.number;
        struct sdp_stage stage = stage_with(v.cell[1], n[4], n[5], n[8]);
        stage.shift = (unsigned)n[7];
        int32_t alu = prepared((struct sdp_operand_format){SDP_SHIFTED, (unsigned)n[3], 0, 0}, (uint16_t)n[2]);
        int32_t mul = prepared((struct sdp_operand_format){SDP_SIGNED, 0, 0, 0}, (uint16_t)n[6]);
        assert_true(vectors_equal(&v, apply_to_line(&stage, (int32_t)n[0], alu, mul), n[9]));
    }
}

/* Section 13.2. */
TEST(x_stage_of_fp16) {
    for (struct vectors v = vectors_of("sdp", "x_fp16"); vectors_next(&v);) {
        const int64_t *n = v.number;
        struct sdp_stage stage = stage_with(v.cell[1], n[3], n[4], n[6]);
        stage.floating_point = true;
        stage.shift = 13; /* has no effect */
        struct sdp_operand_format format = {.form = n[7] ? SDP_FP16_WITHOUT_NAN : SDP_FP16};
        int32_t alu = prepared(format, (uint16_t)n[2]), mul = prepared(format, (uint16_t)n[5]);
        assert_true(vectors_equal(&v, (uint32_t)apply_to_line(&stage, (int32_t)n[0], alu, mul), n[8]));
    }
}

TEST(bypassed_stage_changes_nothing) {
    struct sdp_stage stage = {.bypass = true, .relu = true, .shift = 4};
    int32_t data[2] = {-100, 100};
    sdp_stage_apply(&stage, data, NULL, NULL, 2);
    assert_int_equal(data[0], -100);
    assert_int_equal(data[1], 100);
}

/* ---- EW ---- */

/* Operand convertor: the halves of section 13.3 that come from memory. */
TEST(ew_operand_convertor) {
    static const struct {
        struct sdp_operand_format format;
        int16_t in;
        int32_t out;
    } vectors[] = {
        {{SDP_CONVERTED, 2, 10, 3}, 100, 68},
        {{SDP_CONVERTED, 2, 10, 3}, -100, -83},
        {{SDP_CONVERTED, 0, INT32_MIN, 0x7fff}, 0x7fff, INT32_MAX},
        {{SDP_CONVERTED, 1, 1, 2}, -5, -6},
        {{SDP_CONVERTED, 63, INT32_MIN, INT16_MIN}, INT16_MAX, 0},
        {{SDP_SIGNED, 0, 0, 0}, -100, -100},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        assert_int_equal(prepared(vectors[i].format, (uint16_t)vectors[i].in), vectors[i].out);
}

/* Section 13.3. */
TEST(ew_stages) {
    for (int fp16 = 0; fp16 < 2; fp16++)
        for (struct vectors v = vectors_of("sdp", fp16 ? "ew_fp16" : "ew_integer"); vectors_next(&v);) {
            const int64_t *n = v.number;
            struct sdp_stage stage = stage_with(v.cell[5], n[1], n[2], false);
            stage.ew = true;
            stage.floating_point = fp16;
            stage.shift = (unsigned)n[4];
            const int32_t got = apply_to_line(&stage, (int32_t)n[0], (int32_t)n[6], (int32_t)n[3]);
            assert_true(vectors_equal(&v, got, (int32_t)n[7]));
        }
}

/* ---- output convertor ---- */

struct convertor_vector {
    enum nvdla_precision proc, out;
    int32_t in, offset;
    int16_t scale;
    unsigned shift;
    uint16_t result;      /* INT8: the low byte */
    unsigned full, small; /* saturation flag of full, and of the others where they have it */
};

static void check_convertor(const struct convertor_vector *v, bool flags_any_clamp, unsigned flag) {
    struct sdp_convertor convertor = {v->proc, v->out, v->offset, v->scale, v->shift, flags_any_clamp};
    size_t size = (size_t)nvdla_element_bytes(v->out);
    int32_t data[LINE];
    uint8_t bytes[2 * LINE];
    for (int i = 0; i < LINE; i++)
        data[i] = v->in;
    assert_int_equal(sdp_convert(&convertor, data, bytes, LINE), flag * LINE);
    for (size_t i = 0; i < LINE; i++) {
        assert_int_equal(bytes[i * size], v->result & 0xff);
        if (size == 2)
            assert_int_equal(bytes[i * size + 1], v->result >> 8);
    }
}

static enum nvdla_precision precision_of(const char *name) {
    return strcmp(name, "int8") == 0 ? NVDLA_INT8 : strcmp(name, "int16") == 0 ? NVDLA_INT16 : NVDLA_FP16;
}

/* Section 13.4; OUT FP16 flags the largest number. */
TEST(convertors) {
    for (struct vectors row = vectors_of("sdp", "convertor"); vectors_next(&row);) {
        const int64_t *n = row.number;
        const struct convertor_vector v = {precision_of(row.cell[0]),
                                           precision_of(row.cell[1]),
                                           (int32_t)n[2],
                                           (int32_t)n[3],
                                           (int16_t)n[4],
                                           (unsigned)n[5],
                                           (uint16_t)n[6],
                                           (unsigned)n[7],
                                           (unsigned)n[8]};
        check_convertor(&v, false, v.full);
        if (v.proc == NVDLA_INT8)
            check_convertor(&v, true, v.small);
    }
}

/* Section 10: the flag is a comparison of the clamped with the cut value; here computed as written there. */
TEST(saturation_flags_at_their_borders) {
    for (unsigned shift = 0; shift <= 14; shift++) {
        for (int64_t whole = 65533; whole <= 65539; whole++) {
            for (int64_t rest = -1; rest <= 1; rest++) {
                for (int64_t sign = -1; sign <= 1; sign += 2) {
                    int64_t one = INT64_C(1) << shift, p = sign * (whole * one + rest * (one / 2));
                    int64_t magnitude = (2 * (p < 0 ? -p : p) + one) / (2 * one),
                            rounded = p < 0 ? -magnitude : magnitude;
                    int64_t floor = p >= 0 ? p / one : -((-p + one - 1) / one);
                    int64_t t = rounded > 65535 ? 65535 : rounded < -65536 ? -65536 : rounded;
                    bool outside = floor > 65535 || floor < -65536 || t != rounded;
                    bool full = floor - t > 1 || t - floor > 1;
                    struct convertor_vector v = {NVDLA_INT16, NVDLA_INT16, (int32_t)p, 0, 1, shift, 0, full, outside};
                    v.result = (uint16_t)(p < 0 ? INT16_MIN : INT16_MAX);
                    check_convertor(&v, false, v.full);
                    check_convertor(&v, true, v.small);
                }
            }
        }
    }
}

TEST(compare_mode_passes_the_low_bits) {
    const int32_t data[2] = {0x12345678, -1};
    uint8_t bytes[4];
    sdp_pass_low_bits(NVDLA_INT16, data, bytes, 2);
    assert_int_equal(bytes[0] | bytes[1] << 8, 0x5678);
    sdp_pass_low_bits(NVDLA_INT8, data, bytes, 2);
    assert_int_equal(bytes[0], 0x78);
    assert_int_equal(bytes[1], 0xff);
}

/* ---- input ---- */

/* Sections 3.2 and 6.1: FP16 infinity becomes the largest number, NaN keeps its payload in the low bits. */
TEST(input_formats) {
    static const uint8_t bytes[] = {0x80, 0xff, 0x00, 0x7c, 0x01, 0xfe, 0x01, 0x00};
    static const int32_t int8[] = {-128, -1, 0, 124, 1, -2, 1, 0}, int16[] = {-128, 0x7c00, -511, 1};
    static const uint32_t fp16[] = {0xff800380, 0x7f7fffff, 0xff800201, 0x33800000}, flushed[] = {0, 0x7f7fffff, 0};
    int32_t data[8];
    sdp_load(NVDLA_INT8, bytes, data, 8);
    assert_memory_equal(data, int8, sizeof int8);
    sdp_load(NVDLA_INT16, bytes, data, 4);
    assert_memory_equal(data, int16, sizeof int16);
    sdp_load(NVDLA_FP16, bytes, data, 4);
    assert_memory_equal(data, fp16, sizeof fp16);
    struct fp16_specials specials = {10, 20};
    fp16_count_specials(bytes, 4, &specials);
    assert_int_equal(specials.nan, 12);
    assert_int_equal(specials.infinity, 21);
    sdp_flush_nans(data, 4);
    assert_memory_equal(data, flushed, sizeof flushed);
}
