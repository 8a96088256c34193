/* exp, log and pow by basic operations. See elementary.h. The Makefile forbids fused multiply-adds here, which round
 * differently on some processors. */
#include "loadable/elementary.h"

#include <math.h>
#include <stdbool.h>

/* ln 2 in two parts: the first has 32 bits, so its product with an exponent is exact. */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW 0x1.a39ef35793c76p-33

/* e^x for x from -800 to 800. */
static double exponential(double x) {
    enum { TERMS = 15 };
    const double k = floor(x / 0x1.62e42fefa39efp-1 + 0.5);
    const double rest = (x - k * LN2_HIGH) - k * LN2_LOW; /* at most 0.35 */
    double sum = 1;
    for (int i = TERMS; i > 0; i--)
        sum = 1 + rest / i * sum;
    return ldexp(sum, (int)k);
}

/* ln x for positive x. */
static double logarithm(double x) {
    enum { LAST = 25 };
    int exponent;
    double m = frexp(x, &exponent);
    if (m < 0.70710678) {
        m *= 2;
        exponent--;
    }
    /* ln m = 2 (s + s^3 / 3 + s^5 / 5 + ...), s at most 0.172 */
    const double s = (m - 1) / (m + 1), square = s * s;
    double sum = 0;
    for (int i = LAST; i > 1; i -= 2)
        sum = (sum + 1.0 / i) * square;
    return exponent * LN2_HIGH + (2 * s * (1 + sum) + exponent * LN2_LOW);
}

float elementary_exp(float x) {
    if (isnan(x))
        return NAN;
    return (float)exponential(x > 800 ? 800 : x < -800 ? -800 : (double)x);
}

float elementary_log(float x) {
    if (isnan(x) || x < 0)
        return NAN;
    if (x == 0)
        return -INFINITY;
    return isinf(x) ? x : (float)logarithm((double)x);
}

static double whole_power(double x, unsigned n) {
    double result = 1;
    for (; n; n >>= 1) {
        if (n & 1)
            result *= x;
        x *= x;
    }
    return result;
}

/* x^y for positive, finite x. */
static double power(double x, double y) {
    enum { WHOLE_MAX = 256 };
    const double size = fabs(y);
    if (size <= WHOLE_MAX && size == floor(size)) {
        const double whole = whole_power(x, (unsigned)size);
        return y < 0 ? 1 / whole : whole;
    }
    if (y == 0.5)
        return sqrt(x);
    const double exponent = y * logarithm(x);
    return exponential(exponent > 800 ? 800 : exponent < -800 ? -800 : exponent);
}

float elementary_pow(float x, float y) {
    if (y == 0 || x == 1)
        return 1;
    if (isnan(x) || isnan(y))
        return NAN;
    const bool whole = floorf(y) == y, odd = whole && fabsf(fmodf(y, 2)) == 1;
    const float size = fabsf(x);
    if (isinf(y)) {
        if (size == 1)
            return 1;
        return (size > 1) == (y > 0) ? INFINITY : 0;
    }
    if (x < 0 && !whole && !isinf(x))
        return NAN;
    const float magnitude =
        size == 0 || isinf(size) ? ((size == 0) == (y > 0) ? 0 : INFINITY) : (float)power((double)size, (double)y);
    return signbit(x) && odd ? -magnitude : magnitude;
}
