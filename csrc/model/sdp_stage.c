/* ALU, multiplier and ReLU of the stages. See sdp_stage.h. */
#include "model/sdp_stage.h"

#include "nvdla/fixed.h"
#include "nvdla/fp.h"
#include "nvdla/wide.h"

/* Elements processed together. */
enum { CHUNK = 256 };

/* ---- operands ---- */

/* The ALU operand after its left shift. From 47 places on the result is the same: 0 or one of the limits. */
static inline int32_t shifted(int16_t operand, unsigned shift) {
    return (int32_t)fixed_saturate((int64_t)operand * (INT64_C(1) << (shift > 47 ? 47 : shift)), 32);
}

static inline int32_t converted(const struct sdp_operand_format *format, int16_t operand) {
    return (int32_t)fixed_convert(operand, format->offset, format->scale, format->shift, 32);
}

WIDE static void fp_operands(const int16_t *in, int32_t *out, size_t count, bool without_nan) {
    for (size_t i = 0; i < count; i++) {
        const uint16_t pattern = (uint16_t)in[i];
        const bool dropped = without_nan && (pattern & FP16_MAGNITUDE) > FP16_INFINITY;
        out[i] = (int32_t)(dropped ? 0 : fp16_to_fp32(pattern));
    }
}

void sdp_prepare_operands(const struct sdp_operand_format *format, const int16_t *in, int32_t *out, size_t count) {
    const struct sdp_operand_format settings = *format;
    switch (settings.form) {
    case SDP_SIGNED:
        for (size_t i = 0; i < count; i++)
            out[i] = in[i];
        break;
    case SDP_SHIFTED:
        for (size_t i = 0; i < count; i++)
            out[i] = shifted(in[i], settings.shift);
        break;
    case SDP_CONVERTED:
        for (size_t i = 0; i < count; i++)
            out[i] = converted(&settings, in[i]);
        break;
    case SDP_FP16:
    case SDP_FP16_WITHOUT_NAN:
        fp_operands(in, out, count, settings.form == SDP_FP16_WITHOUT_NAN);
        break;
    }
}

/* ---- integers ---- */

/* The ALU of an X stage: 33 bits, exact. EQUAL adds. */
static inline void x_alu(enum sdp_algorithm algorithm, const int32_t *data, const int32_t *operand, int64_t *result,
                         size_t count) {
    switch (algorithm) {
    case SDP_MAX:
        for (size_t i = 0; i < count; i++)
            result[i] = data[i] > operand[i] ? data[i] : operand[i];
        break;
    case SDP_MIN:
        for (size_t i = 0; i < count; i++)
            result[i] = data[i] < operand[i] ? data[i] : operand[i];
        break;
    case SDP_SUM:
    case SDP_EQUAL:
        for (size_t i = 0; i < count; i++)
            result[i] = (int64_t)data[i] + operand[i];
        break;
    }
}

/* The multiplication of an X stage and what follows: 33-bit input. The shift also acts without the multiplier. */
static inline void x_multiply(const struct sdp_stage *stage, const int64_t *value, const int32_t *operand,
                              int32_t *result, size_t count) {
    const struct fixed_rounding rounding = fixed_rounding(stage->shift);
    if (stage->mul_bypass) {
        for (size_t i = 0; i < count; i++)
            result[i] = (int32_t)fixed_saturate(fixed_round(rounding, value[i]), 32);
    } else if (!stage->prelu) {
        for (size_t i = 0; i < count; i++)
            result[i] = (int32_t)fixed_saturate(fixed_round(rounding, value[i] * operand[i]), 32);
    } else {
        for (size_t i = 0; i < count; i++) {
            int32_t product = (int32_t)fixed_saturate(fixed_round(rounding, value[i] * operand[i]), 32);
            result[i] = value[i] >= 0 ? (int32_t)fixed_sign_extend(value[i], 32) : product;
        }
    }
}

static inline void x_relu(int32_t *data, size_t count) {
    for (size_t i = 0; i < count; i++)
        data[i] = data[i] < 0 ? 0 : data[i];
}

WIDE static void x_integer(const struct sdp_stage *stage, int32_t *data, const int32_t *alu, const int32_t *mul,
                           size_t count) {
    int64_t value[CHUNK];
    for (size_t at = 0; at < count; at += CHUNK) {
        size_t part = count - at < CHUNK ? count - at : CHUNK;
        if (stage->alu_bypass)
            for (size_t i = 0; i < part; i++)
                value[i] = data[at + i];
        else
            x_alu(stage->algorithm, data + at, alu + at, value, part);
        x_multiply(stage, value, stage->mul_bypass ? NULL : mul + at, data + at, part);
    }
    if (stage->relu)
        x_relu(data, count);
}

/* The multiplication of EW; elements that skip it are not shifted. */
static void y_multiply(const struct sdp_stage *stage, int32_t *data, const int32_t *operand, size_t count) {
    const bool prelu = stage->prelu;
    const unsigned shift = stage->shift;
    for (size_t i = 0; i < count; i++) {
        int64_t product = fixed_round_shift((int64_t)data[i] * operand[i], shift);
        data[i] = prelu && data[i] >= 0 ? data[i] : (int32_t)fixed_saturate(product, 32);
    }
}

WIDE static void y_alu(enum sdp_algorithm algorithm, int32_t *data, const int32_t *operand, size_t count) {
    switch (algorithm) {
    case SDP_MAX:
        for (size_t i = 0; i < count; i++)
            data[i] = data[i] > operand[i] ? data[i] : operand[i];
        break;
    case SDP_MIN:
        for (size_t i = 0; i < count; i++)
            data[i] = data[i] < operand[i] ? data[i] : operand[i];
        break;
    case SDP_SUM:
        for (size_t i = 0; i < count; i++)
            data[i] = (int32_t)fixed_saturate((int64_t)data[i] + operand[i], 32);
        break;
    case SDP_EQUAL:
        for (size_t i = 0; i < count; i++)
            data[i] = data[i] != operand[i];
        break;
    }
}

/* ---- FP32 patterns ---- */

WIDE static void fp_alu(enum sdp_algorithm algorithm, int32_t *restrict data, const int32_t *restrict operand,
                        size_t count) {
    switch (algorithm) {
    case SDP_MAX:
        for (size_t i = 0; i < count; i++)
            data[i] = (int32_t)fp32_extreme((uint32_t)data[i], (uint32_t)operand[i], false);
        break;
    case SDP_MIN:
        for (size_t i = 0; i < count; i++)
            data[i] = (int32_t)fp32_extreme((uint32_t)data[i], (uint32_t)operand[i], true);
        break;
    case SDP_SUM:
        for (size_t i = 0; i < count; i++)
            data[i] = (int32_t)fp32_add((uint32_t)data[i], (uint32_t)operand[i]);
        break;
    case SDP_EQUAL: /* of the patterns; the result is an integer */
        for (size_t i = 0; i < count; i++)
            data[i] = data[i] != operand[i];
        break;
    }
}

WIDE static void fp_multiply(bool prelu, int32_t *restrict data, const int32_t *restrict operand, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const int32_t product = (int32_t)fp32_mul((uint32_t)data[i], (uint32_t)operand[i]);
        data[i] = prelu && data[i] >= 0 ? data[i] : product;
    }
}

static void fp_relu(int32_t *data, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const bool nan = ((uint32_t)data[i] & FP32_MAGNITUDE) > FP32_NAN;
        data[i] = data[i] < 0 && !nan ? 0 : data[i];
    }
}

/* ---- stages ---- */

static void x_floating_point(const struct sdp_stage *stage, int32_t *data, const int32_t *alu, const int32_t *mul,
                             size_t count) {
    if (!stage->alu_bypass)
        fp_alu(stage->algorithm, data, alu, count);
    if (!stage->mul_bypass)
        fp_multiply(stage->prelu, data, mul, count);
    if (stage->relu)
        fp_relu(data, count);
}

static void y_integer(const struct sdp_stage *stage, int32_t *data, const int32_t *alu, const int32_t *mul,
                      size_t count) {
    if (!stage->mul_bypass)
        y_multiply(stage, data, mul, count);
    if (!stage->alu_bypass)
        y_alu(stage->algorithm, data, alu, count);
}

static void y_floating_point(const struct sdp_stage *stage, int32_t *data, const int32_t *alu, const int32_t *mul,
                             size_t count) {
    if (!stage->mul_bypass)
        fp_multiply(stage->prelu, data, mul, count);
    if (!stage->alu_bypass)
        fp_alu(stage->algorithm, data, alu, count);
}

void sdp_stage_apply(const struct sdp_stage *stage, int32_t *data, const int32_t *alu, const int32_t *mul,
                     size_t count) {
    if (stage->bypass)
        return;
    if (stage->ew && stage->floating_point)
        y_floating_point(stage, data, alu, mul, count);
    else if (stage->ew)
        y_integer(stage, data, alu, mul, count);
    else if (stage->floating_point)
        x_floating_point(stage, data, alu, mul, count);
    else
        x_integer(stage, data, alu, mul, count);
}
