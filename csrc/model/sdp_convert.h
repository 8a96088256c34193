/* Elements of SDP between memory and the pipe: MRDMA's input conversion, and the output convertor.
 *
 * In memory elements are little-endian. Spec: 50-sdp sections 3.2, 3.3, 5.3, 6.4 and 10. */
#pragma once

#include "nvdla/config.h"

/* Loads `count` elements into the pipe: integers sign-extended, FP16 as FP32. Section 3.2. */
void sdp_load(enum nvdla_precision in, const uint8_t *bytes, int32_t *data, size_t count);

/* NAN_TO_ZERO: NaNs among FP32 patterns become +0. Section 3.3. */
void sdp_flush_nans(int32_t *data, size_t count);

enum { SDP_INTEGER_BITS = 17 }; /* limit of integers before they become FP16 */

/* Settings of the output convertor. */
struct sdp_convertor {
    enum nvdla_precision proc, out; /* not FP16 to INT8 */
    int32_t offset;                 /* these three are for integers only */
    int16_t scale;
    unsigned shift;       /* 0..63 */
    bool flags_any_clamp; /* any clamp of the 17-bit step raises the saturation flag; otherwise only one by more than 1
                           */
};

/* Converts `count` elements to the bytes of their output precision. Returns how many of them raise the saturation flag,
 * which depends on the 17-bit step only (FP16 output: on the result).
 *
 * Sections 5.3, 6.4 and 10; the small configurations have flags_any_clamp. */
uint64_t sdp_convert(const struct sdp_convertor *convertor, const int32_t *data, uint8_t *bytes, size_t count);

/* Passes the low bits of `count` elements at the width of the output precision, like the convertor in compare mode. */
void sdp_pass_low_bits(enum nvdla_precision out, const int32_t *data, uint8_t *bytes, size_t count);
