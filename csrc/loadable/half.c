/* FP16 to and from binary32. */
#include <math.h>
#include <string.h>

#include "loadable/half.h"

uint16_t half_from_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    const uint32_t magnitude = bits & 0x7fffffff;
    if (magnitude > 0x7f800000)
        return sign | 0x7e00;
    const int exponent = (int)(magnitude >> 23) - 127 + 15; /* as FP16 stores it */
    if (exponent >= 31)
        return sign | 0x7c00;
    if (exponent < -10)
        return sign;
    /* Without its hidden bit a normal number's mantissa carries into the exponent when it is rounded up. */
    if (exponent > 0)
        return (uint16_t)(sign | (((uint32_t)exponent << 23 | (magnitude & 0x7fffff)) + 0x1000) >> 13);
    const unsigned shift = (unsigned)(14 - exponent); /* of the mantissa with its hidden bit, 14 to 24 */
    return (uint16_t)(sign | (((magnitude & 0x7fffff) | 0x800000) + (UINT32_C(1) << (shift - 1))) >> shift);
}

float half_to_float(uint16_t half) {
    const int exponent = half >> 10 & 31, mantissa = half & 1023;
    const float sign = half & 0x8000 ? -1.0F : 1.0F;
    if (exponent == 31)
        return mantissa ? NAN : sign * INFINITY;
    return exponent ? ldexpf(sign * (float)(mantissa + 1024), exponent - 25) : ldexpf(sign * (float)mantissa, -24);
}
