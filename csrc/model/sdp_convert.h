/* Elements of SDP between memory and the pipe: what MRDMA makes of the bytes it reads, and the output convertor.
 *
 * In memory elements are little-endian. Spec: 50-sdp sections 3.2, 3.3, 5.3, 6.4 and 10.
 */
#ifndef MODEL_SDP_CONVERT_H
#define MODEL_SDP_CONVERT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/config.h"

/* Bytes of an element. */
size_t sdp_element_bytes(enum nvdla_precision precision);

/* Loads `count` elements into the pipe: integers sign-extended, FP16 as FP32. Section 3.2. */
void sdp_load(enum nvdla_precision in, const uint8_t *bytes, int32_t *data, size_t count);

/* NAN_TO_ZERO: NaNs among FP32 patterns become +0. Section 3.3. */
void sdp_flush_nans(int32_t *data, size_t count);

/* NaNs and infinities among FP16 elements. Section 10. */
struct sdp_specials {
    uint64_t nan, infinity;
};
void sdp_count_specials(const uint8_t *bytes, size_t count, struct sdp_specials *specials);

enum { SDP_INTEGER_BITS = 17 }; /* of what integers are clamped to before they become FP16 */

/* Settings of the output convertor. */
struct sdp_convertor {
    enum nvdla_precision proc, out; /* not FP16 to INT8 */
    int32_t offset;                 /* these three count for integers only */
    int16_t scale;
    unsigned shift;       /* 0..63 */
    bool flags_any_clamp; /* any clamp of the 17-bit step raises the saturation flag; else only one by more than 1 */
};

/* Converts `count` elements to the bytes of their output precision. Returns how many of them raise the saturation flag,
 * which looks at the 17-bit step only (FP16 output: at the result).
 *
 * Sections 5.3, 6.4 and 10; the small configurations have flags_any_clamp. */
uint64_t sdp_convert(const struct sdp_convertor *convertor, const int32_t *data, uint8_t *bytes, size_t count);

/* Passes the low bits of `count` elements in the width of the output precision, as the convertor does in compare mode.
 */
void sdp_pass_low_bits(enum nvdla_precision out, const int32_t *data, uint8_t *bytes, size_t count);

#endif
