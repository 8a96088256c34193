/* The two-table look-up: the vectors of 55-lut section 10 and random settings against a second computation. */
#include <math.h>

#include "naive_lut.h"
#include "nvdla/fp.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"

/* ---- vectors ---- */

struct vector {
    int64_t x;
    int32_t value;
};

static void check(const struct lut_arithmetic *arithmetic, const struct lut_settings *settings,
                  const struct lut_entries *entries, const struct vector *vectors, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_int_equal(lut_look_up(arithmetic, settings, entries, vectors[i].x).value, vectors[i].value);
}

#define CHECK(arithmetic, settings, entries, vectors)                                                                  \
    check(arithmetic, settings, entries, vectors, sizeof(vectors) / sizeof(vectors)[0])

static void fill_sdp(struct lut_entries *entries) {
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        entries->le[k] = (int16_t)(1000 * k - 32000);
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        entries->lo[k] = (int16_t)(k * k / 4 - 5000);
}

static const struct lut_settings set_a = {
    .le_linear = true,
    .over_first_lo = true,
    .range = {{-1024, 1024, 5, {100, 3}, {-100, -2}}, {-32768, 32768, 8, {7, 4}, {9, 0}}},
};

static const struct lut_settings set_b = {
    .range = {{0, INT32_MAX, 0, {16, 0}, {-100, -2}}, {-100, 156, 0, {7, 4}, {9, 0}}},
};

struct detail {
    int64_t x;
    enum lut_table selected;
    enum lut_answer answer;
    int index;
    uint64_t numerator, denominator; /* of the fraction */
    int32_t value;
};

static void check_details(const struct lut_arithmetic *arithmetic, const struct lut_settings *settings,
                          const struct lut_entries *entries, const struct detail *details, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct detail *want = &details[i];
        struct lut_result got = lut_look_up(arithmetic, settings, entries, want->x);
        assert_int_equal(got.selected, want->selected);
        assert_int_equal(got.answer[got.selected], want->answer);
        assert_int_equal(got.index, want->index);
        assert_int_equal(got.fraction * want->denominator, want->numerator << arithmetic->fraction_bits);
        assert_int_equal(got.value, want->value);
    }
}

TEST(sdp_linear_vectors) {
    static const struct detail details[] = {
        {-1024, LUT_LO, LUT_HIT, 124, 0, 1, -1156},
        {-1023, LUT_LE, LUT_HIT, 0, 1, 32, -31969},
        {0, LUT_LE, LUT_HIT, 32, 0, 1, 0},
        {1, LUT_LE, LUT_HIT, 32, 1, 32, 31},
        {33, LUT_LE, LUT_HIT, 33, 1, 32, 1031},
        {1023, LUT_LE, LUT_HIT, 63, 31, 32, 31969},
        {1024, LUT_LO, LUT_HIT, 132, 0, 1, -644},
        {1025, LUT_LO, LUT_HIT, 132, 1, 256, -644},
        {-2000, LUT_LO, LUT_HIT, 120, 48, 256, -1389},
        {30000, LUT_LO, LUT_HIT, 245, 48, 256, 10029},
        {32767, LUT_LO, LUT_HIT, 255, 255, 256, 11384},
        {32768, LUT_LO, LUT_OVER, 256, 0, 1, 11384},
        {40000, LUT_LO, LUT_OVER, 256, 0, 1, 76472},
        {0x7fffffff, LUT_LO, LUT_OVER, 256, 0, 1, INT32_MAX},
        {-32767, LUT_LO, LUT_HIT, 0, 1, 256, -5000},
        {-32768, LUT_LE, LUT_UNDER, 0, 0, 1, -428800},
        {-40000, LUT_LE, LUT_UNDER, 0, 0, 1, -519200},
        {INT32_MIN, LUT_LE, LUT_UNDER, 0, 0, 1, INT32_MIN},
    };
    struct lut_entries entries;
    fill_sdp(&entries);
    check_details(&lut_sdp, &set_a, &entries, details, sizeof details / sizeof details[0]);
}

TEST(sdp_priorities) {
    static const struct vector vectors[] = {
        {-40000, -8164}, {40000, -15558400}, {0, -904}, {33, -896}, {INT32_MIN, -939514760}, {INT32_MAX, -2147451648},
    };
    struct lut_entries entries;
    fill_sdp(&entries);
    struct lut_settings settings = set_a;
    settings.under_first_lo = true;
    settings.over_first_lo = false;
    settings.hybrid_first_lo = true;
    CHECK(&lut_sdp, &settings, &entries, vectors);
}

TEST(sdp_exponential_vectors) {
    static const struct detail details[] = {
        {0, LUT_LO, LUT_HIT, 100, 0, 1, -2500},       {1, LUT_LE, LUT_HIT, 0, 0, 1, -32000},
        {2, LUT_LE, LUT_HIT, 1, 0, 1, -31000},        {3, LUT_LE, LUT_HIT, 1, 1, 2, -30500},
        {7, LUT_LE, LUT_HIT, 2, 3, 4, -29250},        {100, LUT_LE, LUT_HIT, 6, 36, 64, -25438},
        {155, LUT_LE, LUT_HIT, 7, 27, 128, -24789},   {156, LUT_LE, LUT_HIT, 7, 28, 128, -24781},
        {1000, LUT_LE, LUT_HIT, 9, 488, 512, -22047}, {-1, LUT_LO, LUT_HIT, 99, 0, 1, -2550},
        {-99, LUT_LO, LUT_HIT, 1, 0, 1, -5000},       {-100, LUT_LE, LUT_UNDER, 0, 0, 1, -33616},
        {-200, LUT_LE, LUT_UNDER, 0, 0, 1, -35216},
    };
    static const struct vector far[] = {{INT32_MAX, -1000}};
    struct lut_entries entries;
    fill_sdp(&entries);
    check_details(&lut_sdp, &set_b, &entries, details, sizeof details / sizeof details[0]);
    CHECK(&lut_sdp, &set_b, &entries, far);
}

TEST(sdp_index_offset) {
    static const struct vector four[] = {
        {-200, -35456}, {1000, -26047}, {8, -2084},   {15, -1694},
        {16, -32000},   {17, -31938},   {31, -31063}, {INT32_MAX, -5000},
    };
    static const struct vector minus_forty[] = {
        {1, 8000}, {0x7fffff, 31000}, {0x800000, 31000}, {0x1000000, INT32_MAX}};
    static const struct vector two[] = {{-999, -4984},  {-990, -3400},  {-969, 10376},
                                        {-968, -47552}, {-967, -47536}, {5, -31750}};
    struct lut_entries entries;
    fill_sdp(&entries);
    struct lut_settings settings = set_b;
    settings.le_index_offset = 4;
    CHECK(&lut_sdp, &settings, &entries, four);
    settings.le_index_offset = -40;
    CHECK(&lut_sdp, &settings, &entries, minus_forty);
    settings.le_index_offset = 2;
    settings.range[LUT_LO].start = -1000;
    settings.range[LUT_LO].select = -3;
    settings.range[LUT_LO].end = -968;
    CHECK(&lut_sdp, &settings, &entries, two);
}

TEST(sdp_sigmoid) {
    static const struct vector vectors[] = {{-8192, 11}, {-10000, -8}, {8192, 32756}, {9000, 32765}, {20000, 32883}};
    struct lut_entries entries = {0};
    entries.lo[0] = 11;
    entries.lo[256] = 32756;
    struct lut_settings settings = {
        .le_linear = true,
        .under_first_lo = true,
        .over_first_lo = true,
        .range = {{-1024, 1024, 5, {0, 0}, {0, 0}}, {-8192, 8192, 6, {352, 15}, {352, 15}}},
    };
    CHECK(&lut_sdp, &settings, &entries, vectors);
}

static void fill_cdp(struct lut_entries *entries) {
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        entries->le[k] = (int16_t)(30000 - 400 * k);
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        entries->lo[k] = (int16_t)(100 * k - 10000);
}

static const struct lut_settings set_cdp = {
    .hybrid_first_lo = true,
    .range = {{0, INT64_C(1) << 36, 0, {100, 2}, {-3, 8}}, {0, 1 << 18, 10, {0, 5}, {5, 0}}},
};

TEST(cdp_int16_vectors) {
    static const struct detail details[] = {
        {0, LUT_LE, LUT_UNDER, 0, 0, 1, 29975},
        {1, LUT_LO, LUT_HIT, 0, 0x40, 0x10000, -10000},
        {3, LUT_LO, LUT_HIT, 0, 0xc0, 0x10000, -10000},
        {1023, LUT_LO, LUT_HIT, 0, 0xffc0, 0x10000, -9900},
        {1024, LUT_LO, LUT_HIT, 1, 0, 0x10000, -9900},
        {1536, LUT_LO, LUT_HIT, 1, 0x8000, 0x10000, -9850},
        {100000, LUT_LO, LUT_HIT, 97, 0xa800, 0x10000, -234},
        {262143, LUT_LO, LUT_HIT, 255, 0xffc0, 0x10000, 15600},
        {262144, LUT_LE, LUT_HIT, 18, 0, 0x10000, 22800},
        {262145, LUT_LE, LUT_HIT, 18, 0, 0x10000, 22800},
        {300000, LUT_LE, LUT_HIT, 18, 0x24f8, 0x10000, 22742},
        {INT64_C(0x1fffffffff), LUT_LE, LUT_HIT, 36, 0xffff, 0x10000, 15200},
    };
    static const struct detail hybrid_le[] = {
        {1, LUT_LE, LUT_HIT, 0, 0, 1, 30000},
        {3, LUT_LE, LUT_HIT, 1, 0x8000, 0x10000, 29400},
        {5, LUT_LE, LUT_HIT, 2, 0x4000, 0x10000, 29100},
        {1000, LUT_LE, LUT_HIT, 9, 0xf400, 0x10000, 26019},
        {100000, LUT_LE, LUT_HIT, 16, 0x86a0, 0x10000, 23390},
    };
    static const struct vector offset_eight[] = {{0, 23600},   {100, -9990}, {255, -9975},
                                                 {256, 30000}, {300, 29931}, {1000, 29219}};
    struct lut_entries entries;
    fill_cdp(&entries);
    check_details(&lut_cdp_int16, &set_cdp, &entries, details, sizeof details / sizeof details[0]);
    struct lut_settings settings = set_cdp;
    settings.hybrid_first_lo = false;
    check_details(&lut_cdp_int16, &settings, &entries, hybrid_le, sizeof hybrid_le / sizeof hybrid_le[0]);
    settings.le_index_offset = 8;
    CHECK(&lut_cdp_int16, &settings, &entries, offset_eight);
}

TEST(cdp_int8_vectors) {
    static const struct vector exponential[] = {
        {0, 29975},    {1, 30000},    {7, 28900},    {100, 27375},
        {4095, 25200}, {4096, 25200}, {5000, 25112}, {0x1fffff, 21600},
    };
    static const struct detail linear[] = {
        {-1, LUT_LE, LUT_HIT, 24, 0xc000, 0x10000, 20100},  {-100, LUT_LE, LUT_UNDER, 0, 0, 1, 30000},
        {-99, LUT_LE, LUT_HIT, 0, 0x4000, 0x10000, 29900},  {5, LUT_LE, LUT_HIT, 26, 0x4000, 0x10000, 19500},
        {155, LUT_LE, LUT_HIT, 63, 0xc000, 0x10000, 4500},  {156, LUT_LO, LUT_HIT, 9, 0xc000, 0x10000, -9025},
        {200, LUT_LO, LUT_HIT, 12, 0x8000, 0x10000, -8750}, {-256, LUT_LE, LUT_UNDER, 0, 0, 1, 26100},
    };
    struct lut_entries entries;
    fill_cdp(&entries);
    struct lut_settings settings = set_cdp;
    settings.hybrid_first_lo = false;
    settings.range[LUT_LO].select = 4;
    settings.range[LUT_LE].end = 0xfffff;
    CHECK(&lut_cdp_int8, &settings, &entries, exponential);
    settings.le_linear = true;
    settings.range[LUT_LE] = (struct lut_range){-100, 156, 2, {100, 2}, {-3, 8}};
    check_details(&lut_cdp_int8, &settings, &entries, linear, sizeof linear / sizeof linear[0]);
}

/* Section "Illegal or undefined programming": -32 shifts LE left by 32 and LO not at all; two top bits do not count. */
TEST(cdp_int8_select_of_six_bits) {
    struct lut_entries entries;
    fill_cdp(&entries);
    struct lut_settings settings = {.le_linear = true, .hybrid_first_lo = true};
    settings.range[LUT_LE].select = -32;
    settings.range[LUT_LO].select = -32;
    struct lut_result result = lut_look_up(&lut_cdp_int8, &settings, &entries, 77);
    assert_int_equal(result.answer[LUT_LE], LUT_OVER);
    assert_int_equal(result.answer[LUT_LO], LUT_HIT);
    assert_int_equal(result.index, 77);
    assert_int_equal(result.fraction, 0);
    settings.range[LUT_LO].select = 0x40 | 3;
    assert_int_equal(lut_look_up(&lut_cdp_int8, &settings, &entries, 77).index, 9);
    settings.range[LUT_LO].select = -128 | 3;
    assert_int_equal(lut_look_up(&lut_cdp_int8, &settings, &entries, 77).index, 9);
}

/* START + 2^OFFSET has 39 bits: 2^38 turns negative, 2^39 vanishes. */
TEST(cdp_line_start_wraps) {
    struct lut_entries entries = {0};
    struct lut_settings settings = {.le_index_offset = 38};
    settings.range[LUT_LE].under = (struct lut_slope){1, 0};
    settings.range[LUT_LO].start = 1000;
    assert_int_equal(lut_look_up(&lut_cdp_int8, &settings, &entries, 1).value, 32767);
    settings.le_index_offset = 39;
    assert_int_equal(lut_look_up(&lut_cdp_int8, &settings, &entries, 1).value, 1);
    settings.le_index_offset = 37;
    assert_int_equal(lut_look_up(&lut_cdp_int8, &settings, &entries, 1).value, -32768);
}

/* ---- FP16 ---- */

static uint16_t fp16(double value) {
    union {
        float number;
        uint32_t pattern;
    } fp32 = {(float)value};
    return fp32_to_fp16(fp32.pattern);
}

struct fp_vector {
    uint32_t x, value;
};

typedef struct lut_result look_up_fp16(const struct lut_settings *, const struct lut_entries *, uint32_t);

static void check_fp(look_up_fp16 *look_up, const struct lut_settings *settings, const struct lut_entries *entries,
                     const struct fp_vector *vectors, size_t count) {
    for (size_t i = 0; i < count; i++)
        assert_int_equal((uint32_t)look_up(settings, entries, vectors[i].x).value, vectors[i].value);
}

#define CHECK_FP(look_up, settings, entries, vectors)                                                                  \
    check_fp(look_up, settings, entries, vectors, sizeof(vectors) / sizeof(vectors)[0])

struct fp_detail {
    uint32_t x;
    enum lut_table selected;
    enum lut_answer answer;
    int index;
    uint64_t fraction;
    uint32_t value;
};

static void check_fp_details(look_up_fp16 *look_up, const struct lut_settings *settings,
                             const struct lut_entries *entries, const struct fp_detail *details, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct fp_detail *want = &details[i];
        struct lut_result got = look_up(settings, entries, want->x);
        assert_int_equal(got.selected, want->selected);
        assert_int_equal(got.answer[got.selected], want->answer);
        assert_int_equal(got.index, want->index);
        assert_int_equal(got.fraction, want->fraction);
        assert_int_equal((uint32_t)got.value, want->value);
    }
}

#define CHECK_FP_DETAILS(look_up, settings, entries, details)                                                          \
    check_fp_details(look_up, settings, entries, details, sizeof(details) / sizeof(details)[0])

/* Section 10.2. */
static const struct lut_settings set_sdp_fp16 = {
    .le_linear = true,
    .under_first_lo = true,
    .over_first_lo = true,
    .hybrid_first_lo = true,
    .range = {{0xbf800000, 0x3f800000, -5, {0x3800, 0}, {0x4000, 0}},
              {0xc0800000, 0x40800000, -5, {0x3400, 0}, {(int16_t)0xbc00, 0}}},
};

static void fill_sdp_fp16(struct lut_entries *entries) {
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        entries->le[k] = (int16_t)fp16(-3 + k / 8.0);
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        entries->lo[k] = (int16_t)fp16(tanh((k - 128) / 32.0));
}

TEST(sdp_fp16_linear_vectors) {
    static const struct fp_detail details[] = {
        {0xc0800000, LUT_LO, LUT_UNDER, 0, 0, 0xbf7fe000},
        {0xc0a00000, LUT_LO, LUT_UNDER, 0, 0, 0xbfa00000},
        {0x00000000, LUT_LO, LUT_HIT, 128, 0, 0x00000000},
        {0x3dcccccd, LUT_LO, LUT_HIT, 131, 0x199980000, 0x3dcc0000},
        {0xbeaaaa3b, LUT_LO, LUT_HIT, 117, 0x2aae40000, 0xbea48000},
        {0x40800000, LUT_LO, LUT_OVER, 256, 0, 0x3f7fe000},
        {0x42c80000, LUT_LO, LUT_OVER, 256, 0, 0xc2be0000},
        {0x7f800201, LUT_LO, LUT_UNDER, 0, 0, 0x7f800201},
        {0x1e3ce508, LUT_LO, LUT_HIT, 128, 0, 0x00000000},
    };
    struct lut_entries entries;
    fill_sdp_fp16(&entries);
    CHECK_FP_DETAILS(lut_look_up_sdp_fp16, &set_sdp_fp16, &entries, details);
    struct lut_result first = lut_look_up_sdp_fp16(&set_sdp_fp16, &entries, 0xc07f5c29);
    assert_int_equal(first.index, 0);
    assert_int_equal((uint32_t)first.value, 0xbf7fe000);
    struct lut_result last = lut_look_up_sdp_fp16(&set_sdp_fp16, &entries, 0x407ffe5d);
    assert_int_equal(last.index, 255);
    assert_int_equal((uint32_t)last.value, 0x3f7fe000);
}

TEST(sdp_fp16_exponential_vectors) {
    static const struct fp_detail details[] = {
        {0x3fc00000, LUT_LE, LUT_HIT, 20, UINT64_C(1) << 34, 0xbee00000},
        {0x56b5e621, LUT_LE, LUT_OVER, 64, 0, 0xcf7fe000},
        {0xc1200000, LUT_LE, LUT_UNDER, 0, 0, 0xc1000000},
        {0x00000000, LUT_LO, LUT_HIT, 128, 0, 0x00000000},
        {0x80000000, LUT_LO, LUT_HIT, 128, 0, 0x00000000},
    };
    static const struct {
        uint32_t x;
        enum lut_table selected;
        int index;
        uint32_t value;
    } hits[] = {
        {0x33d6bf95, LUT_LO, 128, 0},
        {0x35800b31, LUT_LE, 0, 0xc0400000},
        {0x40400000, LUT_LE, 21, 0xbea00000},
        {0x49742400, LUT_LE, 39, 0x3ffe8000},
    };
    struct lut_entries entries;
    fill_sdp_fp16(&entries);
    struct lut_settings settings = set_sdp_fp16;
    settings.le_linear = settings.under_first_lo = settings.over_first_lo = settings.hybrid_first_lo = false;
    settings.le_index_offset = -20;
    settings.range[LUT_LE].start = 0;
    settings.range[LUT_LE].end = 0x7f7fffff;
    CHECK_FP_DETAILS(lut_look_up_sdp_fp16, &settings, &entries, details);
    for (size_t i = 0; i < sizeof hits / sizeof hits[0]; i++) {
        struct lut_result got = lut_look_up_sdp_fp16(&settings, &entries, hits[i].x);
        assert_int_equal(got.selected, hits[i].selected);
        assert_int_equal(got.answer[got.selected], LUT_HIT);
        assert_int_equal(got.index, hits[i].index);
        assert_int_equal((uint32_t)got.value, hits[i].value);
    }
}

/* Section 10.4. */
static struct lut_settings fill_cdp_fp16(struct lut_entries *entries) {
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        entries->le[k] = (int16_t)fp16(pow(1 + 1e-4 * pow(2, k - 20), -0.75));
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        entries->lo[k] = (int16_t)fp16(pow(1 + 1e-4 * k / 4, -0.75));
    return (struct lut_settings){
        .hybrid_first_lo = true,
        .le_index_offset = -20,
        .range = {{0, 0x55776214, 0, {0, 0}, {0, 0}}, {0, 0x42800000, -2, {0, 0}, {(int16_t)0xb800, 0}}},
    };
}

TEST(cdp_fp16_vectors) {
    static const struct fp_vector vectors[] = {
        {0x00000000, 0x07c00}, {0x33d6bf95, 0x07c00}, {0x3e99999a, 0x07c00}, {0x427ff5c3, 0x07bf6},
        {0x447a0000, 0x07b73}, {0x5368d4a5, 0x02c74}, {0x7f8002aa, 0x0feaa}, {0xbf800000, 0x07c00},
    };
    static const struct fp_detail details[] = {
        {0x4121999a, LUT_LO, LUT_HIT, 40, 0x6666, 0x07bfe},
        {0x42800000, LUT_LE, LUT_HIT, 26, 0, 0x07bf6},
        {0x56b5e621, LUT_LE, LUT_OVER, 64, 0, 0x02000},
    };
    struct lut_entries entries;
    struct lut_settings settings = fill_cdp_fp16(&entries);
    CHECK_FP(lut_look_up_cdp_fp16, &settings, &entries, vectors);
    CHECK_FP_DETAILS(lut_look_up_cdp_fp16, &settings, &entries, details);
}

/* The underflow line of LE exponential starts at START + 2^OFFSET: 0 for OFFSET -127, and for -128 that in CDP, but the
 * pattern of infinity in SDP, from which the distance saturates. */
TEST(fp16_line_start) {
    struct lut_entries entries = {.le = {0x3c00}};
    struct lut_settings settings = {.range = {{.under = {0x4000, 0}}, {.start = 0x7f000000}}};
    const uint32_t x = 0xbf800000;
    static const struct {
        int offset;
        uint32_t sdp, cdp;
    } cases[] = {
        {0, 0xc0400000, 0x18200},
        {-1, 0xc0000000, 0x18000},
        {-127, 0xbf800000, 0x17c00},
        {-128, 0xcf7fe000, 0x17c00},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        settings.le_index_offset = cases[i].offset;
        assert_int_equal((uint32_t)lut_look_up_sdp_fp16(&settings, &entries, x).value, cases[i].sdp);
        assert_int_equal((uint32_t)lut_look_up_cdp_fp16(&settings, &entries, x).value, cases[i].cdp);
    }
    settings.le_linear = true;
    assert_int_equal((uint32_t)lut_look_up_sdp_fp16(&settings, &entries, x).value, 0xbf800000);
}

/* All eight bits of SELECT count; an index beyond the table and a fraction below its last bit end properly. */
TEST(fp16_extreme_selects) {
    struct lut_entries entries = {.lo = {0x3c00, 0x4000}};
    struct lut_settings settings = {.hybrid_first_lo = true, .le_linear = true};
    settings.range[LUT_LE].start = 0x7f7fffff; /* LE underflows */
    static const struct {
        int select;
        uint32_t x;
        enum lut_answer answer;
        int index;
        uint64_t fraction;
    } cases[] = {
        {127, 0x3f800000, LUT_HIT, 0, 0},          {-128, 0x3f800000, LUT_OVER, 256, 0},
        {-128, 0x00800000, LUT_HIT, 4, 0},         {-8, 0x3f7fffff, LUT_HIT, 255, 0x7fff80000},
        {-8, 0x3f800000, LUT_OVER, 256, 0},        {120, 0x7f7fffff, LUT_HIT, 255, 0x7fff80000},
        {34, 0x3f800000, LUT_HIT, 0, 2},           {36, 0x3f800000, LUT_HIT, 0, 0},
        {23, 0x4b7fffff, LUT_HIT, 1, 0x7fffff000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        settings.range[LUT_LO].select = cases[i].select;
        struct lut_result got = lut_look_up_sdp_fp16(&settings, &entries, cases[i].x);
        assert_int_equal(got.selected, LUT_LO);
        assert_int_equal(got.answer[LUT_LO], cases[i].answer);
        assert_int_equal(got.index, cases[i].index);
        assert_int_equal(got.fraction, cases[i].fraction);
        assert_int_equal(lut_look_up_cdp_fp16(&settings, &entries, cases[i].x).answer[LUT_LO], cases[i].answer);
    }
}

/* ---- counters ---- */

TEST(every_pair_of_answers_has_its_counter) {
    static const struct {
        enum lut_answer le, lo;
        struct lut_counters want;
    } cases[] = {
        {LUT_UNDER, LUT_UNDER, {.underflow = 1}}, {LUT_OVER, LUT_OVER, {.overflow = 1}},
        {LUT_HIT, LUT_UNDER, {.le_hit = 1}},      {LUT_HIT, LUT_OVER, {.le_hit = 1}},
        {LUT_UNDER, LUT_HIT, {.lo_hit = 1}},      {LUT_OVER, LUT_HIT, {.lo_hit = 1}},
        {LUT_HIT, LUT_HIT, {.hybrid = 1}},        {LUT_UNDER, LUT_OVER, {.hybrid = 1}},
        {LUT_OVER, LUT_UNDER, {.hybrid = 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct lut_counters counters = {0};
        struct lut_result result = {.answer = {cases[i].le, cases[i].lo}};
        lut_count(&counters, &result);
        assert_memory_equal(&counters, &cases[i].want, sizeof counters);
        const int flags = lut_flags(&result);
        assert_true(flags == LUT_BOTH_UNDER  ? counters.underflow == 1
                    : flags == LUT_BOTH_OVER ? counters.overflow == 1
                    : flags == LUT_LE_ONLY   ? counters.le_hit == 1
                    : flags == LUT_LO_ONLY   ? counters.lo_hit == 1
                                             : flags == 0 && counters.hybrid == 1);
    }
}

/* ---- random settings ---- */

static int64_t rnd_signed(uint64_t *state, int bits) {
    uint64_t value = (uint64_t)rnd(state) << 32 | rnd(state);
    int64_t wide = (int64_t)(value >> (64 - bits));
    return wide - (INT64_C(1) << (bits - 1));
}

/* Half of the values small, the others of all sizes up to `bits`. */
static int64_t rnd_sized(uint64_t *state, int bits) {
    return rnd_signed(state, rnd(state) & 1 ? 12 : 2 + (int)(rnd(state) % (uint32_t)(bits - 1)));
}

static struct lut_slope rnd_slope(uint64_t *state) {
    return (struct lut_slope){(int16_t)rnd_sized(state, 16), (int)(rnd(state) % 32) - 16};
}

static void rnd_settings(uint64_t *state, struct lut_settings *s, int bits, int most_select) {
    uint32_t flags = rnd(state);
    *s = (struct lut_settings){
        .le_linear = flags & 1,
        .under_first_lo = flags & 2,
        .over_first_lo = flags & 4,
        .hybrid_first_lo = flags & 8,
        .le_index_offset = (int)rnd_sized(state, 8),
    };
    if (flags & 16)
        s->le_index_offset = (int)(rnd(state) % 42) - 1;
    for (int t = 0; t < LUT_TABLES; t++) {
        struct lut_range *range = &s->range[t];
        range->start = rnd_sized(state, bits);
        range->end = rnd_sized(state, bits);
        do {
            range->select = flags & 32 ? (int)rnd_signed(state, 8) : (int)(rnd(state) % 24) - 8;
        } while (most_select && (range->select > most_select || range->select == -64));
        range->under = rnd_slope(state);
        range->over = rnd_slope(state);
    }
}

static void rnd_entries(uint64_t *state, struct lut_entries *entries) {
    for (int k = 0; k < LUT_LE_ENTRIES; k++)
        entries->le[k] = (int16_t)rnd(state);
    for (int k = 0; k < LUT_LO_ENTRIES; k++)
        entries->lo[k] = (int16_t)rnd(state);
    entries->le[rnd(state) % 65] = INT16_MIN;
    entries->lo[rnd(state) % 257] = INT16_MAX;
}

/* An input: anything, or near the border of a table. Inputs of CDP, INT8 have 21 bits and may be negative. */
static int64_t rnd_input(uint64_t *state, const struct lut_settings *s, int64_t lowest, int64_t highest, int bits) {
    int64_t x = rnd_sized(state, bits);
    const struct lut_range *range = &s->range[rnd(state) & 1];
    if (rnd(state) & 1)
        x = (rnd(state) & 1 ? range->start : range->end) + rnd_sized(state, 10);
    return x < lowest ? lowest : x > highest ? highest : x;
}

static void compare(const struct lut_arithmetic *arithmetic, bool sdp, bool wide, int bits, int most_select,
                    int64_t lowest, int64_t highest) {
    uint64_t state = 55;
    size_t seen[3][3] = {{0}};
    for (int round = 0; round < 400; round++) {
        struct lut_settings settings;
        struct lut_entries entries;
        rnd_settings(&state, &settings, bits, most_select);
        rnd_entries(&state, &entries);
        for (int i = 0; i < 50; i++) {
            int64_t x = rnd_input(&state, &settings, lowest, highest, bits);
            struct lut_result got = lut_look_up(arithmetic, &settings, &entries, x);
            struct lut_result want = naive_lut(sdp, wide, &settings, &entries, x);
            assert_int_equal(got.answer[LUT_LE], want.answer[LUT_LE]);
            assert_int_equal(got.answer[LUT_LO], want.answer[LUT_LO]);
            assert_int_equal(got.selected, want.selected);
            assert_int_equal(got.index, want.index);
            assert_int_equal(got.fraction, want.fraction);
            assert_int_equal(got.value, want.value);
            seen[got.answer[LUT_LE]][got.answer[LUT_LO]]++;
        }
    }
    for (int le = 0; le < 3; le++)
        for (int lo = 0; lo < 3; lo++)
            assert_true(seen[le][lo] > 50);
}

TEST(random_cdp_int8) {
    compare(&lut_cdp_int8, false, false, 24, 0, -256, (1 << 21) - 1);
}

TEST(random_cdp_int8_with_start_of_38_bits) {
    compare(&lut_cdp_int8, false, false, 38, 0, -256, (1 << 21) - 1);
}

TEST(random_cdp_int16) {
    compare(&lut_cdp_int16, false, true, 38, 63, -65536, (INT64_C(1) << 37) - 1);
}

TEST(random_sdp) {
    compare(&lut_sdp, true, false, 32, 31, INT32_MIN, INT32_MAX);
}

/* An FP32 pattern: mostly of a magnitude between 2^-20 and 2^20, or near `near`, or anything at all. */
static uint32_t rnd_fp32(uint64_t *state, uint32_t near) {
    uint32_t pattern = rnd(state);
    switch (rnd(state) % 8) {
    case 0:
        return pattern;
    case 1:
    case 2:
        return near + pattern % 64 - 32;
    default:
        return (pattern & 0x807fffff) | (107 + rnd(state) % 40) << 23;
    }
}

static void compare_fp16(bool sdp) {
    uint64_t state = 16;
    size_t seen[3][3] = {{0}};
    for (int round = 0; round < 800; round++) {
        struct lut_settings settings;
        struct lut_entries entries;
        rnd_settings(&state, &settings, 32, 0);
        rnd_entries(&state, &entries);
        for (int t = 0; t < LUT_TABLES; t++) {
            settings.range[t].start = rnd(&state) % 4 ? rnd_fp32(&state, 0x3f800000) : 0;
            settings.range[t].end = rnd_fp32(&state, (uint32_t)settings.range[t].start);
            settings.range[t].select = rnd(&state) % 4 ? (int)(rnd(&state) % 30) - 15 : (int)(rnd(&state) % 256) - 128;
        }
        settings.le_index_offset = rnd(&state) % 4 ? (int)(rnd(&state) % 40) - 30 : (int)(rnd(&state) % 256) - 128;
        for (int i = 0; i < 50; i++) {
            uint32_t x = rnd_fp32(&state, (uint32_t)settings.range[rnd(&state) & 1].start);
            struct lut_result got =
                sdp ? lut_look_up_sdp_fp16(&settings, &entries, x) : lut_look_up_cdp_fp16(&settings, &entries, x);
            struct lut_result want = naive_lut_fp16(sdp, &settings, &entries, x);
            assert_int_equal(got.answer[LUT_LE], want.answer[LUT_LE]);
            assert_int_equal(got.answer[LUT_LO], want.answer[LUT_LO]);
            assert_int_equal(got.selected, want.selected);
            assert_int_equal(got.index, want.index);
            assert_int_equal(got.fraction, want.fraction);
            assert_int_equal(got.value, want.value);
            seen[got.answer[LUT_LE]][got.answer[LUT_LO]]++;
        }
    }
    for (int le = 0; le < 3; le++)
        for (int lo = 0; lo < 3; lo++)
            assert_true(seen[le][lo] > 50);
}

TEST(random_sdp_fp16) {
    compare_fp16(true);
}

TEST(random_cdp_fp16) {
    compare_fp16(false);
}

TEST(apply_looks_every_element_up) {
    uint64_t seed = 7;
    struct lut_settings settings;
    struct lut_entries entries;
    rnd_entries(&seed, &entries);
    int64_t x[100];
    int32_t y[100];
    for (int round = 0; round < 20; round++) {
        rnd_settings(&seed, &settings, 22, 0);
        struct lut_counters got = {.hybrid = 3}, want = {.hybrid = 3};
        for (int i = 0; i < 100; i++)
            x[i] = rnd_input(&seed, &settings, -256, (1 << 21) - 1, 22);
        lut_apply(&lut_cdp_int8, &settings, &entries, x, y, 100, &got);
        for (int i = 0; i < 100; i++) {
            struct lut_result result = lut_look_up(&lut_cdp_int8, &settings, &entries, x[i]);
            assert_int_equal(y[i], result.value);
            lut_count(&want, &result);
        }
        assert_memory_equal(&got, &want, sizeof got);
        assert_int_equal(got.underflow + got.overflow + got.hybrid + got.le_hit + got.lo_hit, 103);
    }
    uint32_t pattern[100], value[100];
    struct lut_counters got = {0}, want = {0};
    for (int i = 0; i < 100; i++)
        pattern[i] = rnd_fp32(&seed, 0);
    lut_apply_cdp_fp16(&settings, &entries, pattern, value, 100, &got);
    for (int i = 0; i < 100; i++) {
        struct lut_result result = lut_look_up_cdp_fp16(&settings, &entries, pattern[i]);
        assert_int_equal(value[i], result.value);
        lut_count(&want, &result);
    }
    assert_memory_equal(&got, &want, sizeof got);
}
