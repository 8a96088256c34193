/* Arithmetic of SDP, the parts alone: the vectors of 50-sdp sections 13.1 to 13.4, conversions of section 6, the
 * table's access port and counters (55-lut sections 3.1 and 9). */

#include "model/sdp_convert.h"
#include "model/sdp_stage.h"
#include "model/sdp_table.h"
#include "nvdla/fp_inline.h"
#include "tests/unit/test.h"

enum { OFF = -1 };

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

/* Elements of a line on which a vector stands everywhere: the first and the last of a chunk are others. */
enum { LINE = 300 };

static int32_t apply_to_line(const struct sdp_stage *stage, int32_t in, int32_t alu, int32_t mul) {
    int32_t data[LINE], alus[LINE], muls[LINE];
    for (int i = 0; i < LINE; i++) {
        data[i] = in;
        alus[i] = alu;
        muls[i] = mul;
    }
    sdp_stage_apply(stage, data, stage->alu_bypass ? NULL : alus, stage->mul_bypass ? NULL : muls, LINE);
    for (int i = 1; i < LINE; i++)
        assert_int_equal(data[i], data[0]);
    return data[0];
}

static int32_t prepared(struct sdp_operand_format format, uint16_t operand) {
    int16_t in = (int16_t)operand;
    int32_t out;
    sdp_prepare_operands(&format, &in, &out, 1);
    return out;
}

/* ---- X stage ---- */

struct stage_vector {
    int32_t in;
    int alu; /* algorithm or OFF */
    uint16_t alu_operand;
    unsigned alu_shift;
    bool mul, prelu;
    uint16_t mul_operand;
    unsigned mul_shift;
    bool relu;
    int32_t out;
};

/* Section 13.1, and shifts in between. */
TEST(x_stage_of_integers) {
    static const struct stage_vector vectors[] = {
        {100, SDP_SUM, 0x0017, 2, false, false, 0, 0, false, 192},
        {100, SDP_MAX, 0x0007, 4, false, false, 0, 0, false, 112},
        {100, SDP_MIN, 0x0007, 4, false, false, 0, 0, false, 100},
        {10, SDP_EQUAL, 0x0005, 0, false, false, 0, 0, false, 15},
        {INT32_MAX, SDP_SUM, 0x0001, 0, false, false, 0, 0, false, INT32_MAX},
        {INT32_MAX, SDP_SUM, 0x0001, 0, true, true, 0x0002, 0, false, INT32_MIN},
        {0, SDP_SUM, 0x4000, 20, false, false, 0, 0, false, INT32_MAX},
        {0, SDP_SUM, 0xffff, 40, false, false, 0, 0, false, INT32_MIN},
        {0, SDP_SUM, 0xffff, 63, false, false, 0, 0, false, INT32_MIN},
        {0, SDP_SUM, 0xffff, 31, false, false, 0, 0, false, INT32_MIN},
        {7, SDP_SUM, 0x0000, 63, false, false, 0, 0, false, 7},
        {5, OFF, 0, 0, true, false, 1, 1, false, 3},
        {-5, OFF, 0, 0, true, false, 1, 1, false, -3},
        {-1, OFF, 0, 0, true, false, 1, 1, false, -1},
        {-6, OFF, 0, 0, true, false, 1, 2, false, -2},
        {7, OFF, 0, 0, true, false, 1, 2, false, 2},
        {100, OFF, 0, 0, false, false, 0, 4, false, 6},
        {-104, OFF, 0, 0, false, false, 0, 4, false, -7},
        {-1000, OFF, 0, 0, true, true, 0x004d, 3, false, -9625},
        {1000, OFF, 0, 0, true, true, 0x004d, 3, false, 1000},
        {-3, OFF, 0, 0, true, false, 2, 0, true, 0},
        {0x40000000, OFF, 0, 0, true, false, 0x7fff, 0, false, INT32_MAX},
        {INT32_MAX, OFF, 0, 0, true, false, 0x7fff, 63, false, 0},
        {INT32_MIN, SDP_SUM, 0x8000, 0, true, false, 0x8000, 48, false, 0},
        {INT32_MIN, SDP_SUM, 0x8000, 16, true, false, 0x8000, 48, false, 1},
    };
    for (size_t i = 0; i < COUNT(vectors); i++) {
        const struct stage_vector *v = &vectors[i];
        struct sdp_stage stage = {.alu_bypass = v->alu == OFF,
                                  .mul_bypass = !v->mul,
                                  .prelu = v->prelu,
                                  .relu = v->relu,
                                  .algorithm = v->alu == OFF ? SDP_MAX : (enum sdp_algorithm)v->alu,
                                  .shift = v->mul_shift};
        int32_t alu = prepared((struct sdp_operand_format){SDP_SHIFTED, v->alu_shift, 0, 0}, v->alu_operand);
        int32_t mul = prepared((struct sdp_operand_format){SDP_SIGNED, 0, 0, 0}, v->mul_operand);
        assert_int_equal(apply_to_line(&stage, v->in, alu, mul), v->out);
    }
}

struct fp_vector {
    uint32_t in;
    int alu; /* algorithm or OFF */
    uint16_t alu_operand;
    bool mul, prelu;
    uint16_t mul_operand;
    bool relu, flush_nans;
    uint32_t out;
};

/* Section 13.2. */
TEST(x_stage_of_fp16) {
    static const struct fp_vector vectors[] = {
        {0x3f800000, SDP_SUM, 0x3800, false, false, 0, false, false, 0x3fc00000},
        {0x3f800000, SDP_SUM, 0x0001, false, false, 0, false, false, 0x3f800000},
        {0x3f800000, SDP_SUM, 0x7c00, false, false, 0, false, false, 0x7f7fffff},
        {0x3f800000, SDP_SUM, 0x7e01, false, false, 0, false, false, 0x7f800201},
        {0x3f800000, SDP_SUM, 0x7e01, false, false, 0, false, true, 0x3f800000},
        {0xbf800000, SDP_SUM, 0x3c00, false, false, 0, false, false, 0x80000000},
        {0x3f800000, SDP_SUM, 0xbc00, false, false, 0, false, false, 0x00000000},
        {0x4b800000, SDP_SUM, 0x3c00, false, false, 0, false, false, 0x4b800000},
        {0x4b800001, SDP_SUM, 0x3c00, false, false, 0, false, false, 0x4b800002},
        {0x7f7fffff, SDP_SUM, 0x7bff, false, false, 0, false, false, 0x7f7fffff},
        {0x00000001, SDP_SUM, 0x0000, false, false, 0, false, false, 0x00000000},
        {0x7f800000, SDP_SUM, 0x3c00, false, false, 0, false, false, 0x7f800000},
        {0x0d000000, OFF, 0, true, false, 0x0001, false, false, 0x01000000},
        {0x00800000, OFF, 0, true, false, 0xb800, false, false, 0x80000000},
        {0x7f000000, OFF, 0, true, false, 0x4400, false, false, 0x7f7fffff},
        {0x40490fdb, OFF, 0, true, true, 0x2e66, false, false, 0x40490fdb},
        {0xc0490fdb, OFF, 0, true, true, 0x2e66, false, false, 0xbea0cf6e},
        {0x80000000, SDP_MAX, 0x0000, false, false, 0, false, false, 0x00000000},
        {0x00000000, SDP_MAX, 0x8000, false, false, 0, false, false, 0x00000000},
        {0x00000000, SDP_MIN, 0x8000, false, false, 0, false, false, 0x80000000},
        {0x3f800000, SDP_EQUAL, 0x3c00, false, false, 0, false, false, 0x00000000},
        {0x3f800000, SDP_EQUAL, 0x3c01, false, false, 0, false, false, 0x00000001},
        {0xbf800000, OFF, 0, false, false, 0, true, false, 0x00000000},
        {0x80000000, OFF, 0, false, false, 0, true, false, 0x00000000},
        {0xff800001, OFF, 0, false, false, 0, true, false, 0xff800001},
    };
    for (size_t i = 0; i < COUNT(vectors); i++) {
        const struct fp_vector *v = &vectors[i];
        struct sdp_stage stage = {.alu_bypass = v->alu == OFF,
                                  .mul_bypass = !v->mul,
                                  .prelu = v->prelu,
                                  .relu = v->relu,
                                  .floating_point = true,
                                  .algorithm = v->alu == OFF ? SDP_MAX : (enum sdp_algorithm)v->alu,
                                  .shift = 13}; /* has no effect */
        struct sdp_operand_format format = {.form = v->flush_nans ? SDP_FP16_WITHOUT_NAN : SDP_FP16};
        int32_t alu = prepared(format, v->alu_operand), mul = prepared(format, v->mul_operand);
        assert_int_equal((uint32_t)apply_to_line(&stage, (int32_t)v->in, alu, mul), v->out);
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

static const struct sdp_operand_format plain = {.form = SDP_SIGNED}, fp16 = {.form = SDP_FP16};

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
    for (size_t i = 0; i < COUNT(vectors); i++)
        assert_int_equal(prepared(vectors[i].format, (uint16_t)vectors[i].in), vectors[i].out);
}

struct ew_vector {
    int32_t in;
    bool mul, prelu;
    int32_t mul_operand;
    unsigned truncate;
    int alu; /* algorithm or OFF */
    int32_t alu_operand;
    int32_t out;
};

static void check_ew(bool floating_point, const struct ew_vector *v) {
    struct sdp_stage stage = {.alu_bypass = v->alu == OFF,
                              .mul_bypass = !v->mul,
                              .prelu = v->prelu,
                              .ew = true,
                              .floating_point = floating_point,
                              .algorithm = v->alu == OFF ? SDP_MAX : (enum sdp_algorithm)v->alu,
                              .shift = v->truncate};
    assert_int_equal((uint32_t)apply_to_line(&stage, v->in, v->alu_operand, v->mul_operand), (uint32_t)v->out);
}

/* Section 13.3. */
TEST(ew_stage_of_integers) {
    const struct ew_vector vectors[] = {
        {1000, true, false, 77, 3, SDP_SUM, 5, 9630},
        {-1000, true, false, 77, 3, SDP_SUM, 5, -9620},
        {-1, true, false, 1, 1, OFF, 0, -1},
        {INT32_MAX, true, false, INT32_MAX, 0, OFF, 0, INT32_MAX},
        {INT32_MAX, true, false, INT32_MAX, 31, OFF, 0, 0x7ffffffe},
        {INT32_MIN, true, false, INT32_MIN, 63, OFF, 0, 1},
        {INT32_MIN, true, false, INT32_MIN, 64, OFF, 0, 0},
        {INT32_MIN, true, false, INT32_MIN, 1023, OFF, 0, 0},
        {INT32_MIN, false, false, 0, 9, SDP_SUM, -1, INT32_MIN},
        {100, true, true, 7, 2, OFF, 0, 100},
        {-100, true, true, 7, 2, OFF, 0, -175},
        {50, false, false, 0, 0, SDP_SUM, 68, 118},
        {50, false, false, 0, 0, SDP_SUM, -83, -33},
        {50, false, false, 0, 0, SDP_MAX, INT32_MAX, INT32_MAX},
        {50, false, false, 0, 0, SDP_MIN, prepared(plain, 0xff9c), -100},
        {50, false, false, 0, 0, SDP_EQUAL, 50, 0},
        {50, false, false, 0, 0, SDP_EQUAL, 51, 1},
        {12, true, false, -6, 1, SDP_SUM, prepared(plain, 3), -33},
    };
    for (size_t i = 0; i < COUNT(vectors); i++)
        check_ew(false, &vectors[i]);
}

/* Section 13.3. */
TEST(ew_stage_of_fp16) {
    const struct sdp_operand_format flushed = {.form = SDP_FP16_WITHOUT_NAN};
    const struct ew_vector vectors[] = {
        {0x3f800000, true, false, 0x40400000, 7, SDP_SUM, 0x3e800000, 0x40500000},
        {0x3f800000, true, false, prepared(fp16, 0xc000), 7, SDP_SUM, prepared(fp16, 0x3800), (int32_t)0xbfc00000},
        {0x3f800000, false, false, 0, 0, SDP_SUM, prepared(fp16, 0x7e00), 0x7f800200},
        {0x3f800000, false, false, 0, 0, SDP_SUM, prepared(flushed, 0x7e00), 0x3f800000},
        {0x3f800000, false, false, 0, 0, SDP_SUM, 0x7fc00000, 0x7fc00000},
        {(int32_t)0xbf800000, true, true, 0x3dcccccd, 0, OFF, 0, (int32_t)0xbdcccccd},
        {0x3f800000, true, true, 0x3dcccccd, 0, OFF, 0, 0x3f800000},
        {INT32_MIN, false, false, 0, 0, SDP_EQUAL, 0, 1},
        {0x40490fdb, false, false, 0, 0, SDP_SUM, (int32_t)0xc0490fda, 0x34800000},
        {0x00800000, false, false, 0, 0, SDP_SUM, (int32_t)0x80800001, INT32_MIN},
    };
    for (size_t i = 0; i < COUNT(vectors); i++)
        check_ew(true, &vectors[i]);
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

/* Section 13.4, both columns of flags. */
TEST(convertor_from_int8) {
    static const struct convertor_vector vectors[] = {
        {NVDLA_INT8, NVDLA_INT8, 1000, 10, 3, 4, 0x7f, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, 1000, 10, 3, 5, 0x5d, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, -1000, 10, 3, 5, 0xa1, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, 5, 0, 1, 1, 0x03, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, -5, 0, 1, 1, 0xfd, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, 1000000, 0, 1, 4, 0x7f, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, 1000000, 0, 1, 3, 0x7f, 1, 1},
        {NVDLA_INT8, NVDLA_INT8, INT32_MAX, 0, 1, 15, 0x7f, 0, 1},
        {NVDLA_INT8, NVDLA_INT8, 131070, 0, 1, 1, 0x7f, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, 131071, 0, 1, 1, 0x7f, 0, 1},
        {NVDLA_INT8, NVDLA_INT8, 131073, 0, 1, 1, 0x7f, 0, 1},
        {NVDLA_INT8, NVDLA_INT8, -131072, 0, 1, 1, 0x80, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, -131073, 0, 1, 1, 0x80, 0, 1},
        {NVDLA_INT8, NVDLA_INT8, 65535, 0, 1, 0, 0x7f, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, 65536, 0, 1, 0, 0x7f, 0, 1},
        {NVDLA_INT8, NVDLA_INT8, -65537, 0, 1, 0, 0x80, 0, 1},
        {NVDLA_INT8, NVDLA_INT8, 70000, 0, 1, 0, 0x7f, 1, 1},
        {NVDLA_INT8, NVDLA_INT8, 200, 0, 1, 0, 0x7f, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, 12345, 9, 0, 0, 0x00, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, INT32_MIN, INT32_MAX, INT16_MIN, 40, 0x7f, 0, 0},
        {NVDLA_INT8, NVDLA_INT8, INT32_MIN, INT32_MAX, INT16_MIN, 0, 0x7f, 1, 1},
        {NVDLA_INT8, NVDLA_INT8, INT32_MIN, INT32_MAX, INT16_MIN, 63, 0x00, 0, 0},
        {NVDLA_INT8, NVDLA_INT16, INT32_MIN, INT32_MAX, INT16_MIN, 40, 0x0080, 0, 0},
    };
    for (size_t i = 0; i < COUNT(vectors); i++) {
        check_convertor(&vectors[i], false, vectors[i].full);
        check_convertor(&vectors[i], true, vectors[i].small);
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

/* Section 13.4; OUT FP16 flags the largest number. */
TEST(convertor_from_int16) {
    static const struct convertor_vector vectors[] = {
        {NVDLA_INT16, NVDLA_INT16, 70000, 0, 1, 1, 0x7fff, 0, 0},
        {NVDLA_INT16, NVDLA_INT16, 70000, 0, 1, 0, 0x7fff, 1, 1},
        {NVDLA_INT16, NVDLA_INT16, -3, 0, 1, 0, 0xfffd, 0, 0},
        {NVDLA_INT16, NVDLA_FP16, 2049, 0, 1, 0, 0x6800, 0, 0},
        {NVDLA_INT16, NVDLA_FP16, 2051, 0, 1, 0, 0x6802, 0, 0},
        {NVDLA_INT16, NVDLA_FP16, 65519, 0, 1, 0, 0x7bff, 1, 1},
        {NVDLA_INT16, NVDLA_FP16, 65520, 0, 1, 0, 0x7bff, 1, 1},
        {NVDLA_INT16, NVDLA_FP16, 65535, 0, 1, 0, 0x7bff, 1, 1},
        {NVDLA_INT16, NVDLA_FP16, -65536, 0, 1, 0, 0xfbff, 1, 1},
        {NVDLA_INT16, NVDLA_FP16, INT32_MAX, 0, 1, 0, 0x7bff, 1, 1},
        {NVDLA_INT16, NVDLA_FP16, INT32_MAX, 0, 1, 31, 0x3c00, 0, 0},
    };
    for (size_t i = 0; i < COUNT(vectors); i++)
        check_convertor(&vectors[i], false, vectors[i].full);
}

/* Section 13.4; offset, scale and shift have no effect. */
TEST(convertor_from_fp16) {
    static const struct {
        uint32_t in;
        enum nvdla_precision out;
        uint16_t result;
        unsigned flag;
    } vectors[] = {
        {0x3f800000, NVDLA_FP16, 0x3c00, 0},  {0x477fe000, NVDLA_FP16, 0x7bff, 1},
        {0x477ff000, NVDLA_FP16, 0x7bff, 1},  {0xff800000, NVDLA_FP16, 0xfbff, 1},
        {0x33800000, NVDLA_FP16, 0x0001, 0},  {0x33000000, NVDLA_FP16, 0x0000, 0},
        {0x33000001, NVDLA_FP16, 0x0001, 0},  {0x387fe000, NVDLA_FP16, 0x0400, 0},
        {0x387ff000, NVDLA_FP16, 0x0400, 0},  {0x7f800201, NVDLA_FP16, 0x7e01, 0},
        {0x7fc00000, NVDLA_FP16, 0x7c00, 0},  {0x40200000, NVDLA_INT16, 0x0003, 0},
        {0xc0200000, NVDLA_INT16, 0xfffd, 0}, {0x46fffe00, NVDLA_INT16, 0x7fff, 0},
        {0x47000000, NVDLA_INT16, 0x7fff, 0}, {0xc7000000, NVDLA_INT16, 0x8000, 0},
        {0x7f800201, NVDLA_INT16, 0x8000, 0}, {0x3f000000, NVDLA_INT16, 0x0001, 0},
        {0x3effe000, NVDLA_INT16, 0x0000, 0}, {0x3effffff, NVDLA_INT16, 0x0001, 0}, /* double rounding */
    };
    for (size_t i = 0; i < COUNT(vectors); i++) {
        struct convertor_vector v = {NVDLA_FP16, vectors[i].out,    (int32_t)vectors[i].in, 17, 99,
                                     5,          vectors[i].result, vectors[i].flag,        0};
        check_convertor(&v, false, v.full);
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
    int32_t data[8];
    sdp_load(NVDLA_INT8, bytes, data, 8);
    assert_int_equal(data[0], -128);
    assert_int_equal(data[3], 124);
    sdp_load(NVDLA_INT16, bytes, data, 4);
    assert_int_equal(data[0], -128);
    assert_int_equal(data[1], 0x7c00);
    sdp_load(NVDLA_FP16, bytes, data, 4);
    assert_int_equal((uint32_t)data[0], 0xff800380);
    assert_int_equal((uint32_t)data[1], 0x7f7fffff);
    assert_int_equal((uint32_t)data[2], 0xff800201);
    assert_int_equal((uint32_t)data[3], 0x33800000);
    struct fp16_specials specials = {10, 20};
    fp16_count_specials(bytes, 4, &specials);
    assert_int_equal(specials.nan, 12);
    assert_int_equal(specials.infinity, 21);
    sdp_flush_nans(data, 4);
    assert_int_equal(data[0], 0);
    assert_int_equal((uint32_t)data[1], 0x7f7fffff);
    assert_int_equal(data[2], 0);
}

/* ---- table ---- */

enum { READ_LE = 0, READ_LO = 1 << 16, WRITE_LE = 1 << 17, WRITE_LO = 1 << 17 | 1 << 16 };

/* 55-lut section 3.1: both directions advance, whatever the direction set. */
TEST(access_port_advances_with_every_access) {
    struct sdp_table table = {.address = 0};
    sdp_table_select(&table, WRITE_LE | 3);
    sdp_table_write(&table, WRITE_LE | 3, 0x12345);
    assert_int_equal(sdp_table_read(&table, WRITE_LE | 3), 0);
    sdp_table_write(&table, WRITE_LE | 3, 7);
    assert_int_equal(table.address, 6);
    assert_int_equal(table.entries.le[3], 0x2345);
    assert_int_equal(table.entries.le[5], 7);
    sdp_table_select(&table, READ_LE | 3);
    assert_int_equal(sdp_table_read(&table, READ_LE | 3), 0x2345);
    sdp_table_write(&table, READ_LE | 3, 99); /* dropped, but counts */
    assert_int_equal(sdp_table_read(&table, READ_LE | 3), 7);
    assert_int_equal(table.entries.le[4], 0);
}

TEST(access_port_beyond_the_table) {
    struct sdp_table table = {.address = 0};
    sdp_table_select(&table, WRITE_LE | 64);
    sdp_table_write(&table, WRITE_LE | 64, 0xffff);
    sdp_table_write(&table, WRITE_LE | 64, 0xfffe);
    assert_int_equal(table.entries.le[64], -1);
    assert_int_equal(table.entries.lo[0], 0);
    assert_int_equal(sdp_table_read(&table, WRITE_LE | 64), 0);
    sdp_table_select(&table, WRITE_LO | 256);
    sdp_table_write(&table, WRITE_LO | 256, 5);
    assert_int_equal(sdp_table_read(&table, READ_LO | 256), 0);
    assert_int_equal(table.entries.lo[256], 5);
    sdp_table_select(&table, WRITE_LO | 1023);
    sdp_table_write(&table, WRITE_LO | 1023, 1);
    sdp_table_write(&table, WRITE_LO | 1023, 2); /* address 0 */
    assert_int_equal(table.entries.lo[0], 2);
}

/* 55-lut section 9, on set A of section 10.1. */
TEST(table_counters) {
    struct lut_entries entries;
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        entries.le[k] = (int16_t)(1000 * k - 32000);
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        entries.lo[k] = (int16_t)(k * k / 4 - 5000);
    struct lut_settings settings = {
        .le_linear = true,
        .over_first_lo = true,
        .range[LUT_LE] = {-1024, 1024, 5, {100, 3}, {-100, -2}},
        .range[LUT_LO] = {-32768, 32768, 8, {7, 4}, {9, 0}},
    };
    int32_t data[] = {-1024, -1023, 0, 1024, 32767, 40000, -40000};
    static const int32_t expected[] = {-1156, -31969, 0, -644, 11384, 76472, -519200};
    struct sdp_table_counters counters = {.underflow = 0};
    sdp_table_apply(&settings, &entries, false, data, COUNT(data), &counters);
    for (size_t i = 0; i < COUNT(data); i++)
        assert_int_equal(data[i], expected[i]);
    assert_int_equal(counters.underflow, 1);
    assert_int_equal(counters.overflow, 1);
    assert_int_equal(counters.hybrid, 5);
    assert_int_equal(counters.le_hit, 2);
    assert_int_equal(counters.lo_hit, 5);
}

/* 55-lut section 10.2. */
TEST(table_of_fp16) {
    struct lut_entries entries = {.le[0] = (int16_t)0xc200, .lo[128] = 0, .lo[256] = 0x3bff};
    struct lut_settings settings = {
        .le_linear = true,
        .under_first_lo = true,
        .over_first_lo = true,
        .hybrid_first_lo = true,
        .range[LUT_LE] = {(int32_t)0xbf800000, 0x3f800000, -5, {0x3800, 0}, {0x4000, 0}},
        .range[LUT_LO] = {(int32_t)0xc0800000, 0x40800000, -5, {0x3400, 0}, {(int16_t)0xbc00, 0}},
    };
    int32_t data[] = {0, 0x40800000, 0x42c80000, 0x7f800201};
    struct sdp_table_counters counters = {.underflow = 0};
    sdp_table_apply(&settings, &entries, true, data, COUNT(data), &counters);
    assert_int_equal(data[0], 0);
    assert_int_equal(data[1], 0x3f7fe000);
    assert_int_equal((uint32_t)data[2], 0xc2be0000);
    assert_int_equal(data[3], 0x7f800201);
    assert_int_equal(counters.underflow, 1);
    assert_int_equal(counters.overflow, 2);
    assert_int_equal(counters.hybrid, 1);
}
