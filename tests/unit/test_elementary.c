/* The processor's exp, log and pow: against the same functions in extended precision, special arguments, and the bits
 * that every machine must get. */
#include <math.h>

#include "loadable/elementary.h"
#include "nvdla/random.h"
#include "tests/unit/test.h"

static float of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

enum { TRIES = 200000 };

static void expect_equal(const char *name, float found, float expected, float x, float y) {
    if (bits_of(found) != bits_of(expected) && !(isnan(found) && isnan(expected)))
        fail_msg("%s of %a, %a: found %a, expected %a", name, (double)x, (double)y, (double)found, (double)expected);
}

/* The exact result, rounded; where it lies closer to a tie than the promised error, its other neighbour too. */
static void expect_rounded(const char *name, float found, long double exact, float x, float y) {
    const long double error = exact * 0x1p-44L;
    if (bits_of(found) != bits_of((float)(exact - error)))
        expect_equal(name, found, (float)(exact + error), x, y);
}

TEST(correctly_rounded) {
    uint64_t seed = 1;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t random = random_next(&seed);
        const float wide = of_bits((uint32_t)random), x = (float)((double)(random >> 40) / (1 << 17) - 104);
        expect_rounded("exp", elementary_exp(x), expl((long double)x), x, 0);
        expect_rounded("exp", elementary_exp(wide), expl((long double)wide), wide, 0);
        if (wide > 0)
            expect_rounded("log", elementary_log(wide), logl((long double)wide), wide, 0);
        const float base = (float)((double)(random >> 44) / 1024 + 0.001),
                    power = (float)((double)(random & 0xffff) / 8192 - 4);
        expect_rounded("pow", elementary_pow(base, power), powl((long double)base, (long double)power), base, power);
    }
}

TEST(exact_powers) {
    uint64_t seed = 2;
    for (int i = 0; i < TRIES; i++) {
        const float x = of_bits((uint32_t)(random_next(&seed) >> 40) | 0x3f000000);
        expect_equal("pow", elementary_pow(x, 1), x, x, 1);
        expect_equal("pow", elementary_pow(x, 2), x * x, x, 2);
        expect_equal("pow", elementary_pow(-x, 2), x * x, -x, 2);
        expect_equal("pow", elementary_pow(x, -1), 1 / x, x, -1);
        expect_equal("pow", elementary_pow(x, 0.5F), sqrtf(x), x, 0.5F);
        expect_equal("pow", elementary_pow(-x, 3), -elementary_pow(x, 3), -x, 3);
    }
}

/* Annex F, which libm follows there. */
TEST(special_arguments) {
    static const float specials[] = {0,           -0.0F, 1,         -1,       2,         -2,     3,    -3,
                                     0.5F,        -0.5F, 0x1p-149F, 1e30F,    -1e30F,    1e-30F, 33,   -33,
                                     16777217.0F, 128,   -150,      INFINITY, -INFINITY, NAN,    -104, 89};
    enum { COUNT = sizeof specials / sizeof *specials };
    for (int i = 0; i < COUNT; i++) {
        expect_equal("exp", elementary_exp(specials[i]), expf(specials[i]), specials[i], 0);
        expect_equal("log", elementary_log(specials[i]), logf(specials[i]), specials[i], 0);
        for (int k = 0; k < COUNT; k++)
            expect_equal("pow", elementary_pow(specials[i], specials[k]), powf(specials[i], specials[k]), specials[i],
                         specials[k]);
    }
}

/* A sum over many results, the same with every compiler, library and processor. */
TEST(same_bits_everywhere) {
    uint64_t seed = 3;
    uint32_t sum = 0;
    for (int i = 0; i < TRIES; i++) {
        const uint64_t random = random_next(&seed);
        const float x = (float)((double)(random >> 40) / (1 << 20) - 8),
                    y = (float)((double)(random & 0xffffff) / (1 << 20));
        sum = sum * 31 + bits_of(elementary_exp(x));
        sum = sum * 31 + bits_of(elementary_log(y));
        sum = sum * 31 + bits_of(elementary_pow(y, x));
    }
    assert_int_equal(sum, 0x1a87db76);
}
