/* NVDLA's floating point: the vectors of 60-pdp section 6 and 50-sdp section 13, the borders of 50-sdp section 6 and
 * 62-cdp section 5, and random operands against the machine's own arithmetic where both have to agree. */
#include <math.h>
#include <string.h>

#include "nvdla/fp.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

struct binary {
    uint32_t a, b, want;
};

struct unary {
    uint32_t a, want;
};

static void check_binary(uint32_t (*operation)(uint32_t, uint32_t), const struct binary *vectors, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_int_equal(operation(vectors[i].a, vectors[i].b), vectors[i].want);
}

/* ---- FP17: 60-pdp section 6 ---- */

TEST(fp17_add_vectors) {
    static const struct binary vectors[] = {
        {0x07c00, 0x07c00, 0x08000}, {0x07c00, 0x17c00, 0x00000}, {0x17c00, 0x07c00, 0x10000},
        {0x10000, 0x00000, 0x10000}, {0x00000, 0x10000, 0x00000}, {0x07c00, 0x05000, 0x07c00},
        {0x07c01, 0x05000, 0x07c02}, {0x07c00, 0x05001, 0x07c01}, {0x0fbff, 0x0fbff, 0x0fbff},
        {0x0fc01, 0x07c00, 0x0fc01}, {0x07c00, 0x1fc02, 0x1fc02}, {0x00400, 0x10401, 0x10000},
        {0x08414, 0x07902, 0x084b4}, {0x1606b, 0x082e8, 0x082e4}, {0x18b29, 0x086e4, 0x1876e},
    };
    check_binary(fp17_add, vectors, COUNT(vectors));
}

TEST(fp17_mul_vectors) {
    static const struct binary vectors[] = {
        {0x08000, 0x07555, 0x07955}, {0x08200, 0x07555, 0x07c00}, {0x0fbff, 0x0fbff, 0x0fbff},
        {0x00400, 0x00400, 0x00000}, {0x07c01, 0x05000, 0x05001}, {0x1809f, 0x00400, 0x1089f},
        {0x0c920, 0x036b8, 0x0844e}, {0x005d3, 0x039e2, 0x00000},
    };
    check_binary(fp17_mul, vectors, COUNT(vectors));
}

/* A register can hold exponent 0 with a mantissa: it is the normal number 1.m * 2^-31. */
TEST(fp17_takes_exponent_0_as_normal) {
    static const struct binary sums[] = {
        {0x00200, 0x00000, 0x00000}, /* its own exponent is 0: nothing but zero comes out */
        {0x00200, 0x00200, 0x00600}, /* 1.5 + 1.5 = 3.0 times 2^-31 */
        {0x00400, 0x00200, 0x00700}, /* 2 + 1.5 */
    };
    static const struct binary products[] = {
        {0x00200, 0x08000, 0x00600},
        {0x00200, 0x07c00, 0x00000},
        {0x00000, 0x08000, 0x00000},
    };
    check_binary(fp17_add, sums, COUNT(sums));
    check_binary(fp17_mul, products, COUNT(products));
    assert_int_equal(fp17_to_fp32(0x00200), 0x30400000);
}

TEST(nan_operands) {
    static const struct binary vectors[] = {
        {0x0fc01, 0x1fc02, 0x0fc01}, {0x1fc02, 0x0fc01, 0x1fc02}, {0x00000, 0x0fc03, 0x0fc03}};
    check_binary(fp17_add, vectors, COUNT(vectors));
    check_binary(fp17_mul, vectors, COUNT(vectors));
    assert_int_equal(fp32_add(0x7f800001, 0xff800002), 0x7f800001);
    assert_int_equal(fp32_mul(0, 0xff800002), 0xff800002);
    assert_int_equal(fp32_sub(0, 0x7f800002), 0xff800002);
    assert_int_equal(fp32_max(0x7f800001, 0x7f800002), 0x7f800001);
    assert_int_equal(fp32_min(0x3f800000, 0xff800002), 0xff800002);
    assert_int_equal(fp16_max(0x7c01, 0x7c02), 0x7c01);
    assert_int_equal(fp16_min(0x3c00, 0xfc02), 0xfc02);
    assert_true(fp16_is_nan(0xfc01) && fp17_is_nan(0x0fc01) && fp32_is_nan(0x7f800001));
    assert_false(fp16_is_nan(0xfc00) || fp17_is_nan(0x0fc00) || fp32_is_nan(0x7f800000));
}

TEST(fp16_fp17_conversions) {
    static const struct unary wider[] = {
        {0x0001, 0x01c00}, {0x03ff, 0x043fe}, {0x7c00, 0x0fbff}, {0xfc00, 0x1fbff}, {0x0000, 0x00000},
        {0x8000, 0x10000}, {0x0400, 0x04400}, {0x7bff, 0x0bbff}, {0x7c01, 0x0fc01}, {0xfe05, 0x1fe05},
    };
    static const struct unary narrower[] = {
        {0x0bc00, 0x7bff}, {0x043ff, 0x0400}, {0x01800, 0x0000}, {0x01c00, 0x0001}, {0x01e00, 0x0002},
        {0x1bc00, 0xfbff}, {0x0fbff, 0x7bff}, {0x1fc03, 0xfc03}, {0x0bbff, 0x7bff}, {0x04400, 0x0400},
        {0x10000, 0x8000}, {0x01801, 0x0001}, {0x017ff, 0x0000}, {0x11400, 0x8000},
    };
    for (size_t i = 0; i < COUNT(wider); i++)
        assert_int_equal(fp16_to_fp17((uint16_t)wider[i].a), wider[i].want);
    for (size_t i = 0; i < COUNT(narrower); i++)
        assert_int_equal(fp17_to_fp16(narrower[i].a), narrower[i].want);
    for (uint32_t a = 0; a < 0x10000; a++) {
        uint16_t back = fp17_to_fp16(fp16_to_fp17((uint16_t)a));
        assert_int_equal(back, (a & 0x7fff) == 0x7c00 ? a - 1 : a);
    }
}

/* 62-cdp section 5. */
TEST(fp17_fp32_conversions) {
    static const struct unary narrower[] = {
        {0x7f800201, 0x0fe01}, {0xff8003ff, 0x1ffff}, {0x7fc00000, 0x0fc00}, /* low ten bits only */
        {0x4f800000, 0x0fbff}, {0xcf800000, 0x1fbff}, {0x7f800000, 0x0fbff}, {0x4f7fe000, 0x0fbff},
        {0x4f7fefff, 0x0fbff}, {0x4f7ff000, 0x0fbff}, {0x30800000, 0x00400}, {0x30801000, 0x00400},
        {0x30803000, 0x00402}, {0x307fffff, 0x00400}, {0x307ff000, 0x00400}, {0x307fe000, 0x00400},
        {0x307fdfff, 0x00000}, {0xb0000000, 0x10000}, {0x2b000000, 0x00000}, {0x80000000, 0x10000},
        {0x3f800000, 0x07c00}, {0x3f801000, 0x07c00}, {0x3f801001, 0x07c01}, {0x3f803000, 0x07c02},
        {0x3ffff000, 0x08000},
    };
    static const struct unary wider[] = {
        {0x00000, 0x00000000}, {0x10000, 0x80000000}, {0x07c00, 0x3f800000}, {0x0fbff, 0x4f7fe000},
        {0x00400, 0x30800000}, {0x1fe01, 0xff800201}, {0x0fc01, 0x7f800001},
    };
    for (size_t i = 0; i < COUNT(narrower); i++)
        assert_int_equal(fp32_to_fp17(narrower[i].a), narrower[i].want);
    for (size_t i = 0; i < COUNT(wider); i++)
        assert_int_equal(fp17_to_fp32(wider[i].a), wider[i].want);
    for (uint32_t a = 0; a < 0x20000; a++) {
        uint32_t exponent = a >> 10 & 63;
        if (exponent > 0 && exponent < 63)
            assert_int_equal(fp32_to_fp17(fp17_to_fp32(a)), a);
    }
}

/* ---- FP32 and FP16: 50-sdp sections 6 and 13 ---- */

TEST(fp16_to_fp32_borders) {
    static const struct unary vectors[] = {
        {0x0000, 0x00000000}, {0x8000, 0x80000000}, {0x0001, 0x33800000}, {0x83ff, 0xb87fc000},
        {0x0400, 0x38800000}, {0x7bff, 0x477fe000}, {0x7c00, 0x7f7fffff}, {0xfc00, 0xff7fffff},
        {0x7e01, 0x7f800201}, {0xfc01, 0xff800001}, {0x3800, 0x3f000000}, {0x2e66, 0x3dccc000},
    };
    for (size_t i = 0; i < COUNT(vectors); i++)
        assert_int_equal(fp16_to_fp32((uint16_t)vectors[i].a), vectors[i].want);
}

/* Sections 13.2 and 13.3, the operand converted as the stage does. */
TEST(fp32_stage_vectors) {
    static const struct {
        uint32_t a;
        uint16_t b;
        uint32_t want;
    } sums[] =
        {
            {0x3f800000, 0x3800, 0x3fc00000}, {0x3f800000, 0x0001, 0x3f800000}, {0x3f800000, 0x7c00, 0x7f7fffff},
            {0x3f800000, 0x7e01, 0x7f800201}, {0xbf800000, 0x3c00, 0x80000000}, {0x3f800000, 0xbc00, 0x00000000},
            {0x4b800000, 0x3c00, 0x4b800000}, {0x4b800001, 0x3c00, 0x4b800002}, {0x7f7fffff, 0x7bff, 0x7f7fffff},
            {0x00000001, 0x0000, 0x00000000}, {0x7f800000, 0x3c00, 0x7f800000}, {0x3f800000, 0x7e00, 0x7f800200},
        },
      products[] = {
          {0x0d000000, 0x0001, 0x01000000}, {0x00800000, 0xb800, 0x80000000}, {0x7f000000, 0x4400, 0x7f7fffff},
          {0xc0490fdb, 0x2e66, 0xbea0cf6e}, {0x3f800000, 0xc000, 0xc0000000},
      };
    for (size_t i = 0; i < COUNT(sums); i++)
        assert_int_equal(fp32_add(sums[i].a, fp16_to_fp32(sums[i].b)), sums[i].want);
    for (size_t i = 0; i < COUNT(products); i++)
        assert_int_equal(fp32_mul(products[i].a, fp16_to_fp32(products[i].b)), products[i].want);
    static const struct binary register_sums[] = {
        {0x40400000, 0x3e800000, 0x40500000}, {0xc0000000, 0x3f000000, 0xbfc00000},
        {0x3f800000, 0x7fc00000, 0x7fc00000}, {0x40490fdb, 0xc0490fda, 0x34800000},
        {0x00800000, 0x80800001, 0x80000000},
    };
    check_binary(fp32_add, register_sums, COUNT(register_sums));
    assert_int_equal(fp32_mul(0xbf800000, 0x3dcccccd), 0xbdcccccd);
    assert_int_equal(fp32_max(0x80000000, 0x00000000), 0x00000000);
    assert_int_equal(fp32_max(0x00000000, 0x80000000), 0x00000000);
    assert_int_equal(fp32_min(0x00000000, 0x80000000), 0x80000000);
}

/* Section 6.2: the pattern of infinity is a number, kept by sums that do not carry. */
TEST(fp32_infinity_pattern_in_sums) {
    static const struct binary vectors[] = {
        {0x7f800000, 0x3f800000, 0x7f800000}, {0x7f800000, 0x7f000000, 0x7fc00000},
        {0x7f800000, 0x7f7fffff, 0x7f7fffff}, {0x7f800000, 0x7f800000, 0x7f7fffff},
        {0xff800000, 0xbf800000, 0xff800000}, {0x7f7fffff, 0x73000000, 0x7f7fffff},
    };
    check_binary(fp32_add, vectors, COUNT(vectors));
}

TEST(fp32_mul_borders) {
    static const struct binary vectors[] = {
        /* overflow by rounding; exponents that add up to 382, and one less */
        {0x7f7fffff, 0x3f800001, 0x7f7fffff},
        {0x7e800000, 0x40800000, 0x7f7fffff},
        {0x7e800000, 0x40000000, 0x7f000000},
        /* to 128; to 127, and the product stays below 2, reaches 2, or is rounded up to 2; to 126 */
        {0x20000000, 0x20000000, 0x00800000},
        {0x20000000, 0x1f800000, 0x00000000},
        {0x20400000, 0x1fc00000, 0x00900000},
        {0x20412345, 0x1fa9a949, 0x00800000},
        {0x1fffffff, 0x1fffffff, 0x00000000},
        /* zeros keep the sign of the product */
        {0x20400000, 0x9f400000, 0x80000000},
        {0x3f800000, 0x80000000, 0x80000000},
        {0x80000000, 0xff7fffff, 0x00000000},
    };
    check_binary(fp32_mul, vectors, COUNT(vectors));
}

/* Section 13.4. */
TEST(fp32_to_fp16_vectors) {
    static const struct unary vectors[] = {
        {0x3f800000, 0x3c00}, {0x477fe000, 0x7bff}, {0x477ff000, 0x7bff}, {0xff800000, 0xfbff}, {0x33800000, 0x0001},
        {0x33000000, 0x0000}, {0x33000001, 0x0001}, {0x387fe000, 0x0400}, {0x387ff000, 0x0400}, {0x7f800201, 0x7e01},
        {0x7fc00000, 0x7c00}, {0x47800000, 0x7bff}, {0x38800000, 0x0400}, {0xb3000000, 0x8000}, {0x32ffffff, 0x0000},
        {0x3f801000, 0x3c00}, {0x3f803000, 0x3c02}, {0x33c00000, 0x0002},
    };
    for (size_t i = 0; i < COUNT(vectors); i++)
        assert_int_equal(fp32_to_fp16(vectors[i].a), vectors[i].want);
}

TEST(fp16_to_int16_vectors) {
    static const struct {
        uint32_t a; /* FP32 */
        int16_t want;
    } vectors[] = {
        {0x40200000, 3},         {0xc0200000, -3},        {0x46fffe00, INT16_MAX}, {0x47000000, INT16_MAX},
        {0xc7000000, INT16_MIN}, {0x7f800201, INT16_MIN}, {0x3f000000, 1},         {0x3effe000, 0},
        {0x3effffff, 1},         {0xc77fe000, INT16_MIN}, {0x00000000, 0},         {0x80000000, 0},
        {0x33800000, 0},         {0xbf000000, -1},        {0x46ffe000, 32752},     {0xbfc00000, -2},
    };
    for (size_t i = 0; i < COUNT(vectors); i++)
        assert_int_equal(fp16_to_int16(fp32_to_fp16(vectors[i].a)), vectors[i].want);
}

TEST(fp16_from_integer_vectors) {
    static const struct {
        int32_t value;
        uint16_t want;
    } vectors[] = {
        {2049, 0x6800},   {2051, 0x6802},  {65519, 0x7bff}, {65520, 0x7bff}, {65535, 0x7bff},
        {-65536, 0xfbff}, {0, 0x0000},     {1, 0x3c00},     {-1, 0xbc00},    {2047, 0x67ff},
        {-2048, 0xe800},  {65504, 0x7bff}, {65487, 0x7bfe}, {65488, 0x7bfe}, {65489, 0x7bff},
    };
    for (size_t i = 0; i < COUNT(vectors); i++)
        assert_int_equal(fp16_from_integer(vectors[i].value), vectors[i].want);
}

/* 55-lut section 6, F17. */
TEST(fp17_from_fraction_rounds_to_eleven_bits) {
    static const struct {
        uint64_t numerator;
        unsigned bits;
        uint32_t want;
    } vectors[] = {
        {0, 16, 0x00000},
        {1, 16, 0x03c00},
        {0x8000, 16, 0x07800},
        {0xffff, 16, 0x07c00},                /* rounds up to 1.0 */
        {0xffe0, 16, 0x07bff},                /* eleven ones: exact */
        {0xfff0, 16, 0x07c00},                /* a tie, to even */
        {0xffd0, 16, 0x07bfe},                /* a tie between 7fe and 7ff */
        {UINT64_C(1) << 5, 35, 0x00400},      /* 2^-30 */
        {(UINT64_C(1) << 5) - 1, 35, 0x00000} /* below */
    };
    for (size_t i = 0; i < COUNT(vectors); i++)
        assert_int_equal(fp17_from_fraction(vectors[i].numerator, vectors[i].bits), vectors[i].want);
}

/* ---- against the machine ---- */

static float number_of(uint32_t pattern) {
    float number;
    memcpy(&number, &pattern, sizeof number);
    return number;
}

static uint32_t pattern_of(float number) {
    uint32_t pattern;
    memcpy(&pattern, &number, sizeof pattern);
    return pattern;
}

/* A normal number of an exponent that keeps sums and products of two normal; often one close to `other`. */
static uint32_t random_normal(uint64_t *state, uint32_t other) {
    uint32_t pattern = (rnd(state) & 0x807fffff) | (100 + rnd(state) % 55) << 23;
    switch (rnd(state) % 4) {
    case 0:
        return other ^ UINT32_C(0x80000000) ^ (rnd(state) & 7);
    case 1:
        return pattern & 0xfff00000;
    default:
        return pattern;
    }
}

TEST(fp32_agrees_with_the_machine) {
    uint64_t seed = 32;
    uint32_t b = 0x3f800000;
    for (int i = 0; i < 200000; i++) {
        uint32_t a = random_normal(&seed, b);
        b = random_normal(&seed, a);
        uint32_t sum = fp32_add(a, b);
        if (number_of(a) + number_of(b) != 0)
            assert_int_equal(sum, pattern_of(number_of(a) + number_of(b)));
        else
            assert_int_equal(sum, a & UINT32_C(0x80000000));
        assert_int_equal(fp32_sub(a, b), fp32_add(a, b ^ UINT32_C(0x80000000)));
        assert_int_equal(fp32_mul(a, b), pattern_of(number_of(a) * number_of(b)));
        assert_int_equal(fp32_max(a, b), number_of(a) > number_of(b) ? a : b);
        assert_int_equal(fp32_min(a, b), number_of(a) < number_of(b) ? a : b);
    }
}

/* Value of an FP17 pattern that is not a NaN. */
static double value_of(uint32_t a) {
    int exponent = (int)(a >> 10 & 63);
    double magnitude = exponent == 0 && (a & 0x3ff) == 0 ? 0 : ldexp(0x400 | (a & 0x3ff), exponent - 31 - 10);
    return a >> 16 ? -magnitude : magnitude;
}

/* FP17 pattern of a number, to nearest even, by the machine's rounding to integers. */
static uint32_t fp17_of(double number) {
    uint32_t sign = signbit(number) ? 0x10000 : 0;
    int exponent;
    double significand = nearbyint(ldexp(frexp(fabs(number), &exponent), 11)); /* 1024 to 2048 */
    if (number == 0)
        return sign;
    if (significand >= 2048) {
        significand /= 2;
        exponent++;
    }
    exponent += 30;
    if (exponent <= 0)
        return sign;
    return exponent >= 63 ? sign | 0xfbff : sign | (uint32_t)exponent << 10 | ((uint32_t)significand & 0x3ff);
}

/* A double is exact for products, and for sums as far as FP17 can see. */
TEST(fp17_agrees_with_the_machine) {
    uint64_t seed = 17;
    for (int i = 0; i < 200000; i++) {
        uint32_t a = (rnd(&seed) & 0x103ff) | (1 + rnd(&seed) % 62) << 10;
        uint32_t b = (rnd(&seed) & 0x103ff) | (1 + rnd(&seed) % 62) << 10;
        if (rnd(&seed) & 1)
            b = (b & 0x103ff) | (a & 0xfc00);
        double sum = value_of(a) + value_of(b);
        /* A sum that is below the smallest normal number before it is rounded is zero. */
        uint32_t want = fabs(sum) < ldexp(1, -30) ? ((b & 0xffff) > (a & 0xffff) ? b : a) & 0x10000 : fp17_of(sum);
        assert_int_equal(fp17_add(a, b), want);
        assert_int_equal(fp17_mul(a, b), fp17_of(value_of(a) * value_of(b)));
    }
}
