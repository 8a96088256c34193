/* Accumulation of FP16 layers: alignment, addition and delivery as FP32. See cacc_fp16.h. */
#include "model/cacc_fp16.h"

#include <stdbool.h>
#include <string.h>

#include "nvdla/fixed.h"
#include "nvdla/wide.h"

enum { NAN_EXPONENT = 255, CMAC_NAN = 63, MANTISSA_BITS = 40, ADDEND_BITS = 36, SUM_BITS = 44, PAYLOAD_LSB = 29 };

enum { SOME = 8 }; /* lanes of a vector */

typedef int64_t longs __attribute__((vector_size(SOME * sizeof(int64_t))));
typedef uint64_t unsigned_longs __attribute__((vector_size(SOME * sizeof(uint64_t))));
typedef double doubles __attribute__((vector_size(SOME * sizeof(double))));

/* Vectors are passed by address: clang cannot pass them by value where the caller uses other vectors. */

/* Bits of a number of at most 50 bits; 0 for 0 and -1. */
INLINED void width(const longs *value, longs *to) {
    const longs magnitude = *value ^ (*value >> 63);
    /* 2^52 + 2 * magnitude + 1 as a double, minus 2^52: its exponent is the number of bits. */
    const longs one = (longs){0} + 0x4330000000000000;
    const doubles number = (doubles)(one | (magnitude << 1) | 1) - (doubles)one;
    *to = (longs)((unsigned_longs)number >> 52) - 1023;
}

/* a where the mask is all ones, b where it is 0. */
#define SELECT(mask, a, b) (((a) & (mask)) | ((b) & ~(mask)))

/* Numbers alone: what NaNs give is not used. */
INLINED void add_numbers(longs *exponent, longs *mantissa, const longs *e, const longs *m) {
    const longs zero = {0}, ones = zero + ((INT64_C(1) << MANTISSA_BITS) - 1);
    const longs half = zero + (INT64_C(1) << (MANTISSA_BITS - 2));
    const longs addend = *m << (64 - ADDEND_BITS) >> (64 - ADDEND_BITS);
    longs used;
    width(&addend, &used);
    const longs free_bits = ADDEND_BITS - 1 - used;
    const longs a = addend << (free_bits + 4), pa = (*e + 47 - free_bits) & (addend != 0);
    const longs b = *mantissa, pb = *exponent & (b != 0);
    const longs distance = pa - pb, first = distance < 0;
    const longs shift = (distance ^ first) - first; /* of the smaller operand */
    const longs large = SELECT(first, b, a), small = SELECT(first, a, b);
    /* The first 40 dropped bits. */
    const longs further = shift - MANTISSA_BITS, near = further < 0;
    const longs limit = further > 63;
    const longs dropped = (small << (-further & near) >> SELECT(limit, zero + 63, further & ~near)) & ones;
    const longs rest = (dropped & (ones >> 2)) != 0;
    const longs cut = dropped >> (MANTISSA_BITS - 2) << 1 | (rest & 1);
    const longs shifted = small >> SELECT(shift > 63, zero + 63, shift);
    const longs sum = (large + shifted) << 3 | cut;
    width(&sum, &used);
    const longs left = SUM_BITS - 1 - used;
    const longs c = sum << left;
    longs q = c >> 4, power = SELECT(first, pb, pa) + 1 - left;
    /* Half away from zero. */
    const longs below = q >> 63 & ((c & 7) - 1) >> 63;
    q += (c >> 3 & 1) & ~below;
    /* A negative number is normalised only below -half. */
    const longs over = q == 2 * half, under = q == -half;
    q = SELECT(over, half, q - (half & under));
    power += (under - over);
    *exponent = power & 255 & (q != 0);
    *mantissa = q;
}

WIDE static void add_all(struct cacc_fp16_lanes *accumulators, const int32_t *exponents, const int64_t *mantissas) {
    for (size_t k = 0; k < CACC_FP16_LANES; k += SOME) {
        longs exponent, mantissa, e = {0}, m;
        memcpy(&exponent, accumulators->exponent + k, sizeof exponent);
        memcpy(&mantissa, accumulators->mantissa + k, sizeof mantissa);
        for (size_t i = 0; i < SOME; i++)
            e[i] = exponents[k + i];
        memcpy(&m, mantissas + k, sizeof m);
        add_numbers(&exponent, &mantissa, &e, &m);
        memcpy(accumulators->exponent + k, &exponent, sizeof exponent);
        memcpy(accumulators->mantissa + k, &mantissa, sizeof mantissa);
    }
}

void cacc_fp16_add_lanes(struct cacc_fp16_lanes *accumulators, const int32_t *exponents, const int64_t *mantissas) {
    bool nans = false;
    for (size_t k = 0; k < CACC_FP16_LANES; k++)
        nans |= (exponents[k] == CMAC_NAN) | (accumulators->exponent[k] == NAN_EXPONENT);
    if (!nans) {
        add_all(accumulators, exponents, mantissas);
        return;
    }
    const struct cacc_fp16_lanes before = *accumulators;
    add_all(accumulators, exponents, mantissas);
    for (size_t k = 0; k < CACC_FP16_LANES; k++) {
        const bool kept = before.exponent[k] == NAN_EXPONENT;
        if (!kept && exponents[k] != CMAC_NAN)
            continue;
        const int64_t payload = fixed_sign_extend(mantissas[k] >> 27, MANTISSA_BITS - PAYLOAD_LSB);
        accumulators->exponent[k] = NAN_EXPONENT;
        accumulators->mantissa[k] =
            kept ? before.mantissa[k] & -(INT64_C(1) << PAYLOAD_LSB) : payload * (INT64_C(1) << PAYLOAD_LSB);
    }
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
    /* A carry out of the significand leaves it 0 and adds 1 to the exponent. */
    return sign | ((power << 23) + (significand - (UINT32_C(1) << 23)));
}
