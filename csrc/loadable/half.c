/* IEEE half precision with the runtime's rounding. See half.h. */
#include "loadable/half.h"

#include <math.h>

enum { HALF_INFINITY = 0x7c00, HALF_MANTISSA = 10, HALF_BIAS = 15, HALF_SMALLEST = -24 };

float half_to_float(uint16_t half) {
    const int exponent = half >> HALF_MANTISSA & 0x1f, mantissa = half & 0x3ff;
    float value;
    if (exponent == 0)
        value = ldexpf((float)mantissa, HALF_SMALLEST);
    else if (exponent == 0x1f)
        value = mantissa ? NAN : INFINITY;
    else
        value = ldexpf((float)(mantissa | 0x400), exponent - HALF_BIAS - HALF_MANTISSA);
    return half & 0x8000 ? -value : value;
}

uint16_t float_to_half(float value) {
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    if (isnan(value))
        return sign | HALF_INFINITY | 0x200;
    const float magnitude = fabsf(value);
    if (magnitude >= 65520.0f)
        return sign | HALF_INFINITY;
    if (magnitude == 0)
        return sign;
    int exponent;
    frexpf(magnitude, &exponent); /* magnitude < 2^exponent */
    /* The distance of neighbouring halves there is a power of two, so the rounded value is exact. */
    const int step = exponent - 1 > -HALF_BIAS + 1 ? exponent - 1 - HALF_MANTISSA : HALF_SMALLEST;
    const unsigned steps = (unsigned)roundf(ldexpf(magnitude, -step));
    return (uint16_t)(sign | (steps + ((unsigned)(step - HALF_SMALLEST) << HALF_MANTISSA)));
}
