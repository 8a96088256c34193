/* Ranges that a convertor passes, and settings for a range. See convertor.h. */
#include "nvdla/convertor.h"

#include <math.h>

#include "nvdla/fixed.h"

enum { MOST_SHIFT = 63, LARGEST_SCALE = INT16_MAX };

int64_t convertor_apply(const struct convertor *convertor, int64_t value) {
    return fixed_convert(value, convertor->offset, convertor->scale, convertor->shift, convertor->bits);
}

double convertor_step(const struct convertor *convertor) {
    return ldexp(1, (int)convertor->shift) / fabs((double)convertor->scale);
}

double convertor_value(const struct convertor *convertor, int64_t result) {
    double step = ldexp(1, (int)convertor->shift) / (double)convertor->scale;
    return (double)convertor->offset + (double)result * step;
}

/* floor(a / b); b is not 0. */
static __int128 floor_divide(__int128 a, __int128 b) {
    __int128 quotient = a / b;
    return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

static __int128 ceil_divide(__int128 a, __int128 b) {
    return -floor_divide(-a, b);
}

static int64_t narrow(__int128 value) {
    return value > INT64_MAX ? INT64_MAX : value < INT64_MIN ? INT64_MIN : (int64_t)value;
}

struct convertor_interval convertor_keeps(const struct convertor *convertor) {
    if (convertor->scale == 0)
        return (struct convertor_interval){INT64_MIN, INT64_MAX};
    /* Largest and smallest product that is not clipped; ties round away from zero and are clipped. */
    __int128 end = (__int128)1 << (convertor->bits - 1), half = convertor->shift > 0 ? 1 : 0;
    unsigned places = convertor->shift > 0 ? convertor->shift - 1 : 0;
    __int128 above = (half ? 2 * end - 1 : end) << places, below = -((half ? 2 * end + 1 : end + 1) << places);
    __int128 most = above - 1, least = below + 1, scale = convertor->scale;
    __int128 high = floor_divide(scale > 0 ? most : least, scale), low = ceil_divide(scale > 0 ? least : most, scale);
    return (struct convertor_interval){narrow(low + convertor->offset), narrow(high + convertor->offset)};
}

struct convertor convertor_for_bin(int bin, int bits, bool asymmetric) {
    double range = ldexp(1, asymmetric ? bits : bits - 1) - 1;
    double ratio = ldexp(range, -(bin + 1));
    int shift = MOST_SHIFT;
    while (shift > 0 && round(ldexp(ratio, shift)) > LARGEST_SCALE)
        shift--;
    double scale = round(ldexp(ratio, shift));
    return (struct convertor){.offset = asymmetric ? INT64_C(1) << bin : 0,
                              .scale = scale > LARGEST_SCALE ? LARGEST_SCALE : (int32_t)scale,
                              .shift = (unsigned)shift,
                              .bits = bits};
}
