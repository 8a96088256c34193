/* The two-table look-up: the vectors of 55-lut section 10 and settings beyond the usual. Random layers with tables are
 * compared by tests/naive. */
#include "nvdla/fp.h"
#include "nvdla/lut.h"
#include "tests/lut_tables.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

/* ---- vectors ---- */

/* The kinds of lut.tsv, with the look-up. */
static const struct kind {
    const char *name;
    bool sdp;
    const struct lut_arithmetic *arithmetic; /* not of FP16 */
} kinds[] = {
    {"sdp", true, &lut_sdp},
    {"sigmoid", true, &lut_sdp},
    {"cdp_int16", false, &lut_cdp_int16},
    {"cdp_int8", false, &lut_cdp_int8},
    {"sdp_fp16", true, NULL},
    {"cdp_fp16", false, NULL},
};

static struct lut_result look_up(const struct kind *kind, const struct lut_settings *settings,
                                 const struct lut_entries *entries, int64_t x) {
    return kind->arithmetic ? lut_look_up(kind->arithmetic, settings, entries, x)
           : kind->sdp      ? lut_look_up_sdp_fp16(settings, entries, (uint32_t)x)
                            : lut_look_up_cdp_fp16(settings, entries, (uint32_t)x);
}

static struct lut_settings settings_of(const int64_t *n) {
    struct lut_settings settings = {n[0], n[1], n[2], n[3], (int)n[4], {{0}}};
    for (int t = 0; t < LUT_TABLES; t++) {
        const int64_t *r = n + 5 + 7 * t;
        settings.range[t] =
            (struct lut_range){r[0], r[1], (int)r[2], {(int16_t)r[3], (int)r[4]}, {(int16_t)r[5], (int)r[6]}};
    }
    return settings;
}

TEST(vectors_of_chapter_55) {
    static const char *const tables[] = {"le", "lo"}, *const answers[] = {"under", "hit", "over"};
    for (struct vectors set = vectors_of("lut", "set"); vectors_next(&set);) {
        const struct kind *kind = kinds;
        while (strcmp(kind->name, set.cell[1]) != 0)
            assert_true(++kind < kinds + sizeof kinds / sizeof kinds[0]);
        const struct lut_settings settings = settings_of(set.number + 2);
        struct lut_entries entries;
        lut_tables(kind->name, (uint16_t *)entries.le, (uint16_t *)entries.lo);
        for (struct vectors v = vectors_of("lut", set.cell[0]); vectors_next(&v);) {
            const struct lut_result got = look_up(kind, &settings, &entries, v.number[0]);
            const int64_t one = INT64_C(1) << (kind->sdp ? 35 : 16);
            assert_true(vectors_equal(&v, got.value, (int32_t)v.number[1]));
            if (v.cells > 2) {
                assert_string_equal(tables[got.selected], v.cell[2]);
                assert_string_equal(answers[got.answer[got.selected]], v.cell[3]);
                assert_true(vectors_equal(&v, got.index, v.number[4]));
            }
            if (v.cells > 5)
                assert_true(vectors_equal(&v, (int64_t)got.fraction, v.number[5] * (one / v.number[6])));
        }
    }
}

/* Section "Illegal or undefined programming": -32 shifts LE left by 32 and LO not at all; two top bits do not count. */
TEST(cdp_int8_select_of_six_bits) {
    struct lut_entries entries;
    lut_tables("cdp_int8", (uint16_t *)entries.le, (uint16_t *)entries.lo);
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
