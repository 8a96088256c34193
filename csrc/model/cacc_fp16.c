/* Accumulation of FP16 layers: alignment, addition and delivery as FP32. See cacc_fp16.h. */
#include "model/cacc_fp16.h"

#include <stdbool.h>

#include "nvdla/fixed.h"

enum { NAN_EXPONENT = 255, CMAC_NAN = 63, MANTISSA_BITS = 40, ADDEND_BITS = 36, SUM_BITS = 44, PAYLOAD_LSB = 29 };

/* Redundant sign bits of a signed number of `bits` bits: 0..bits-1. */
static inline int redundant(int64_t value, int bits) {
    uint64_t magnitude = (uint64_t)(value < 0 ? ~value : value);
    return magnitude == 0 ? bits - 1 : bits - 65 + __builtin_clzll(magnitude);
}

/* Shifts right; *cut gets the first two dropped bits and the OR of the next 38. */
static inline int64_t shift_out(int64_t value, int shift, int64_t *cut) {
    const int64_t ones = (INT64_C(1) << MANTISSA_BITS) - 1, rest = ones >> 2;
    int further = shift - MANTISSA_BITS < 63 ? shift - MANTISSA_BITS : 63;
    int64_t dropped = further <= 0 ? (value & ((INT64_C(1) << shift) - 1)) << -further : value >> further & ones;
    *cut = dropped >> (MANTISSA_BITS - 2) << 1 | ((dropped & rest) != 0);
    return value >> (shift < 63 ? shift : 63);
}

void cacc_fp16_add(struct cacc_fp16 *accumulator, unsigned exponent, int64_t mantissa) {
    if (accumulator->exponent == NAN_EXPONENT) {
        accumulator->mantissa &= -(INT64_C(1) << PAYLOAD_LSB);
        return;
    }
    if (exponent == CMAC_NAN) {
        accumulator->exponent = NAN_EXPONENT;
        accumulator->mantissa =
            fixed_sign_extend(mantissa >> 27, MANTISSA_BITS - PAYLOAD_LSB) * (INT64_C(1) << PAYLOAD_LSB);
        return;
    }
    int64_t addend = fixed_sign_extend(mantissa, ADDEND_BITS);
    int left = redundant(addend, ADDEND_BITS);
    int64_t a = addend * (INT64_C(16) << left), b = accumulator->mantissa, cut = 0;
    int pa = addend == 0 ? 0 : (int)exponent + 47 - left, pb = b == 0 ? 0 : accumulator->exponent;
    int power = pa;
    if (pa < pb) {
        power = pb;
        a = shift_out(a, pb - pa, &cut);
    } else if (pb < pa) {
        b = shift_out(b, pa - pb, &cut);
    }
    int64_t sum = (a + b) * 8 | cut;
    left = redundant(sum, SUM_BITS);
    power += 1 - left;
    int64_t c = sum * (INT64_C(1) << left), q = c >> 4;
    bool up = (c & 8) != 0 && (q >= 0 || (c & 7) != 0);
    const int64_t half = INT64_C(1) << (MANTISSA_BITS - 2);
    if (up && q == 2 * half - 1) {
        q = half;
        power++;
    } else if (up && q == -half - 1) {
        q = -2 * half;
        power--;
    } else {
        q += up;
    }
    accumulator->exponent = q == 0 ? 0 : power & 255;
    accumulator->mantissa = q;
}

uint32_t cacc_fp16_deliver(const struct cacc_fp16 *accumulator) {
    int64_t q = accumulator->mantissa;
    uint32_t sign = q < 0 ? UINT32_C(1) << 31 : 0;
    if (accumulator->exponent == NAN_EXPONENT)
        return sign | UINT32_C(0x7f800000) | (uint32_t)(q >> PAYLOAD_LSB & 0x3ff);
    if (q == 0)
        return 0;
    uint64_t magnitude = (uint64_t)(q < 0 ? -q : q);
    uint32_t power = (uint32_t)accumulator->exponent + 64;
    if (magnitude >> (MANTISSA_BITS - 1)) { /* -2^39 */
        magnitude >>= 1;
        power++;
    }
    uint32_t significand = (uint32_t)(magnitude >> 15) + (uint32_t)(magnitude >> 14 & 1);
    /* A carry out of the significand leaves 0 in it and adds 1 to the exponent. */
    return sign | ((power << 23) + (significand - (UINT32_C(1) << 23)));
}
