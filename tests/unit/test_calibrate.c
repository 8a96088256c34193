/* Recommendations from histograms: the worked example and the corner cases of chapter 90, and programs with other
 * settings. */
#include <math.h>

#include "trace_test.h"

#include "layers/tracker.h"
#include "nvdla_offsets.h"
#include "report/calibrate.h"
#include "tests/unit/test.h"
#include "trace/launches.h"
#include "trace/program_filter.h"

static const struct convertor present = {.offset = 0, .scale = 0, .shift = 0, .bits = 8};

static void begin(struct histogram *histogram, int bits) {
    histogram_init(histogram, 34);
    histogram_convertor(histogram, &present, bits);
}

/* Puts `count` values into a bin, near its lower edge; one of them is `extreme` if that is not 0. */
static void fill(struct histogram *histogram, int bin, int count, bool negative, int64_t extreme) {
    for (int i = 0; i < count; i++) {
        int64_t edge = INT64_C(1) << bin, value = edge + edge * (i + 1) / (20 * count);
        value = negative ? -value - 1 : value;
        value = i == 0 && extreme != 0 ? extreme : value;
        histogram_int64(histogram, &value, 1, 1, 1);
    }
}

/* The accumulators of section B.5: the published bins, minimum and maximum. */
static void worked_example(struct histogram *histogram, int bits) {
    static const int positive[] = {0, 0, 0, 0, 0, 2, 0, 0, 1, 2, 3, 8, 17, 46, 87, 172, 266, 310, 120, 5};
    static const int negative[] = {0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 4, 9, 19, 39, 72, 184, 279, 294, 101, 3};
    begin(histogram, bits);
    for (int bin = 0; bin < 20; bin++) {
        fill(histogram, bin, positive[bin], false, bin == 19 ? 591643 : 0);
        fill(histogram, bin, negative[bin], true, bin == 19 ? -552003 : 0);
    }
    assert_int_equal(histogram->count, 2048);
    assert_int_equal(histogram->minimum, -552003);
    assert_int_equal(histogram->maximum, 591643);
}

static struct calibrate_setting recommend(const struct histogram *histogram, double clip, enum calibrate_kind kind) {
    const struct calibrate_options options = {.clip = clip, .kind = kind, .offset_bits = 32};
    return calibrate_convertor(histogram, &present, &options);
}

static void assert_setting(const struct calibrate_setting *setting, int64_t offset, int scale, unsigned shift) {
    assert_true(setting->convertor.offset == offset);
    assert_int_equal(setting->convertor.scale, scale);
    assert_int_equal(setting->convertor.shift, shift);
}

/* ---- B.5 and B.10 ---- */

TEST(worked_example_B5) {
    struct histogram histogram;
    worked_example(&histogram, 8);
    static const struct {
        double clip;
        int bin;
        unsigned shift;
        uint64_t above;
    } rows[] = {{0, 19, 28, 0}, {0.001, 19, 28, 0}, {0.01, 18, 27, 8}, {0.05, 18, 27, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct calibrate_setting setting = recommend(&histogram, rows[i].clip, CALIBRATE_SYMMETRIC);
        assert_int_equal(setting.bin, rows[i].bin);
        assert_setting(&setting, 0, 32512, rows[i].shift);
        assert_int_equal(setting.above, rows[i].above);
    }
    struct calibrate_setting setting = recommend(&histogram, 0, CALIBRATE_SYMMETRIC);
    assert_int_equal(setting.saturated, 0);
    /* Half a step: 2^20 / 127 / sqrt(12). */
    assert_true(fabs(setting.expected.error - 2383.4) < 0.1);
    setting = recommend(&histogram, 0.01, CALIBRATE_SYMMETRIC);
    assert_int_equal(setting.saturated, 8);
    /* 2040 values err by half a step, 2^19 / 127 / sqrt(12), 8 by 1.5 * 2^19 - 2^19. */
    double half = 4128.252 / sqrt(12);
    assert_true(fabs(setting.expected.error - sqrt((2040 * half * half + 8 * 262144.0 * 262144.0) / 2048)) < 0.1);
    assert_true(setting.expected.signal / setting.expected.error > 1);
    assert_int_equal(calibrate_truncate(&histogram), 0);
}

TEST(settings_of_16_bits) {
    struct histogram histogram;
    worked_example(&histogram, 16);
    struct calibrate_setting setting = recommend(&histogram, 0, CALIBRATE_SYMMETRIC);
    assert_setting(&setting, 0, 32767, 20);
    assert_int_equal(setting.saturated, 0);
}

TEST(the_tail_may_be_exactly_the_share) {
    struct histogram histogram;
    begin(&histogram, 8);
    fill(&histogram, 3, 75, false, 0);
    fill(&histogram, 9, 24, true, 0);
    fill(&histogram, 12, 1, false, 0);
    assert_int_equal(calibrate_bin(&histogram, 0), 12);
    assert_int_equal(calibrate_bin(&histogram, 0.0099), 12);
    assert_int_equal(calibrate_bin(&histogram, 0.01), 9);
    assert_int_equal(calibrate_bin(&histogram, 0.25), 3);
    assert_int_equal(calibrate_bin(&histogram, 1), 0);
    assert_int_equal(calibrate_bin(&histogram, 7), 0);
}

TEST(values_without_bin_have_a_setting) {
    struct histogram histogram;
    static const int64_t values[] = {0, -1, 0};
    begin(&histogram, 8);
    histogram_int64(&histogram, values, 1, 3, 3);
    struct calibrate_setting setting = recommend(&histogram, 0, CALIBRATE_SYMMETRIC);
    assert_setting(&setting, 0, 32512, 9);
    assert_int_equal(setting.saturated, 0);
}

TEST(the_least_error_is_looked_for) {
    struct histogram histogram;
    worked_example(&histogram, 8);
    const struct calibrate_options options = {.minimum_error = true, .offset_bits = 32};
    struct calibrate_setting setting = calibrate_convertor(&histogram, &present, &options);
    assert_int_equal(setting.bin, 19);
    /* One value far out costs less than coarse steps for a million others. */
    begin(&histogram, 8);
    histogram.positive[10] = 1000000000;
    histogram.positive[14] = 1;
    histogram.count = 1000000001;
    histogram.maximum = 20000;
    histogram.minimum = 1024;
    setting = calibrate_convertor(&histogram, &present, &options);
    assert_int_equal(setting.bin, 10);
    assert_int_equal(setting.above, 1);
}

TEST(asymmetric_where_nothing_is_negative_B5) {
    struct histogram histogram;
    begin(&histogram, 8);
    fill(&histogram, 10, 100, false, 0);
    fill(&histogram, 3, 100, false, 0);
    struct calibrate_setting setting = recommend(&histogram, 0, CALIBRATE_ASYMMETRIC);
    assert_setting(&setting, 1 << 10, 32640, 18);
    assert_int_equal(convertor_apply(&setting.convertor, 0), -128);
    assert_int_equal(setting.saturated, 0);
    struct calibrate_options options = {.kind = CALIBRATE_ASYMMETRIC, .offset_bits = 11};
    setting = calibrate_convertor(&histogram, &present, &options); /* 1024 does not fit */
    assert_setting(&setting, 0, 32512, 19);
    options.offset_bits = 32;
    options.minimum_error = true;
    setting = calibrate_convertor(&histogram, &present, &options);
    assert_true(setting.convertor.offset > 0);
    fill(&histogram, 2, 1, true, 0);
    setting = recommend(&histogram, 0, CALIBRATE_ASYMMETRIC);
    assert_setting(&setting, 0, 32512, 19);
}

TEST(the_middle_of_the_extremes_may_be_0) {
    struct histogram histogram;
    static const int64_t values[] = {40, 200, 90};
    begin(&histogram, 8);
    histogram_int64(&histogram, values, 1, 3, 3);
    struct calibrate_setting setting = recommend(&histogram, 0, CALIBRATE_CENTRED);
    assert_setting(&setting, 120, 32512, 15); /* 127/128: 80 and less on either side */
    assert_int_equal(setting.saturated, 0);
    const struct calibrate_options options = {.kind = CALIBRATE_CENTRED, .offset_bits = 7};
    setting = calibrate_convertor(&histogram, &present, &options);
    assert_setting(&setting, 0, 32512, 16);
}

TEST(a_better_setting_stays) {
    struct histogram histogram;
    static const int64_t values[] = {-100, 120, 90};
    const struct calibrate_options options = {.offset_bits = 32};
    struct convertor identity = {.scale = 1, .bits = 8};
    begin(&histogram, 8);
    histogram_int64(&histogram, values, 1, 3, 3);
    struct calibrate_setting setting = calibrate_convertor(&histogram, &identity, &options);
    assert_true(setting.present);
    assert_setting(&setting, 0, 1, 0);
    assert_true(setting.expected.error == 0);
    static const int64_t beyond = 128;
    histogram_int64(&histogram, &beyond, 1, 1, 1);
    setting = calibrate_convertor(&histogram, &identity, &options);
    assert_false(setting.present);
    assert_setting(&setting, 0, 32512, 16);
}

/* Values that are expected to saturate lie evenly in their bin, up to the extremes. */
TEST(saturation_is_expected_by_parts_of_bins) {
    struct histogram histogram;
    struct convertor half = {.scale = 1, .bits = 8, .shift = 1}; /* keeps -256 .. 254 */
    begin(&histogram, 8);
    fill(&histogram, 7, 64, false, 255);
    assert_true(fabs(calibrate_expect(&histogram, &half).saturated - 0.5) < 1e-9);
    fill(&histogram, 8, 10, false, 511);
    assert_true(fabs(calibrate_expect(&histogram, &half).saturated - 10.5) < 1e-9);
    fill(&histogram, 8, 10, true, -260);
    assert_true(fabs(calibrate_expect(&histogram, &half).saturated - 20.5) < 1e-9);
}

TEST(truncation_only_where_32_bits_saturate_B9) {
    static const struct {
        int64_t value;
        unsigned truncate;
    } rows[] = {{INT32_MAX, 0},
                {INT32_MIN, 0},
                {INT64_C(1) << 31, 1},
                {(INT64_C(1) << 32) - 2, 1},
                {(INT64_C(1) << 32) - 1, 2}, /* rounding up saturates */
                {-(INT64_C(1) << 32), 1},
                {-(INT64_C(1) << 32) - 2, 2},
                {(INT64_C(1) << 47) - 1, 17}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct histogram histogram;
        histogram_init(&histogram, 48);
        histogram_int64(&histogram, &rows[i].value, 1, 1, 1);
        assert_int_equal(calibrate_truncate(&histogram), rows[i].truncate);
    }
}

/* ---- programs ---- */

#define ARM(group, rest)                                                                                               \
    "reg_write(NVDLA_SDP.S_POINTER_0, 0x" group ");\n" rest "reg_write(NVDLA_SDP.D_OP_ENABLE_0, 0x1);\n"

/* What launches have after the change. */
static void assert_launches(const struct program *prog, uint32_t offset, const uint32_t *values, int count) {
    struct layer_tracker *layers = program_launches(prog);
    for (int i = 0; i < count; i++)
        assert_int_equal(launch_register(layer_tracker_find(layers, NVDLA_SDP, i), offset), values[i]);
    layer_tracker_free(layers);
}

/* Launches 0 and 2 of group 0, 1 and 3 of group 1; 2 and 3 inherit. */
static const char text[] =
    ARM("0", "reg_write(NVDLA_SDP.D_CVT_SHIFT_0, 0x3);\nreg_write(NVDLA_SDP.D_CVT_SCALE_0, 0x5);\n")
        ARM("1", "reg_write(NVDLA_SDP.D_CVT_SHIFT_0, 0x4);\n") ARM("0", "") ARM("1", "");

TEST_IN_FOLDER(launches_get_their_own_values) {
    struct program *prog = parse_good(state, trace_read_cfg, "t.cfg", text);
    size_t count = prog->count;
    const struct launch_setting settings[] = {
        {NVDLA_SDP, 0, SDP_D_CVT_SHIFT, 9}, {NVDLA_SDP, 0, SDP_D_CVT_SCALE, 7}, {NVDLA_SDP, 3, SDP_D_CVT_SHIFT, 11}};
    program_set_launches(prog, settings, 3);
    assert_launches(prog, SDP_D_CVT_SHIFT, (const uint32_t[]){9, 4, 3, 11}, 4);
    assert_launches(prog, SDP_D_CVT_SCALE, (const uint32_t[]){7, 0, 5, 0}, 4);
    /* Launch 2 keeps what it had by writes of its own, launch 3 gets one. */
    assert_int_equal(prog->count, count + 3);
    check_round_trip(prog);
    /* Again: now every write is there. */
    program_set_launches(prog, settings, 3);
    assert_int_equal(prog->count, count + 3);
    assert_launches(prog, SDP_D_CVT_SHIFT, (const uint32_t[]){9, 4, 3, 11}, 4);
}

TEST_IN_FOLDER(a_program_without_settings_stays) {
    struct program *prog = parse_good(state, trace_read_cfg, "t.cfg", text);
    struct program *same = parse_good(state, trace_read_cfg, "t.cfg", text);
    const struct launch_setting as_it_is = {NVDLA_SDP, 2, SDP_D_CVT_SHIFT, 3};
    program_set_launches(prog, NULL, 0);
    program_set_launches(prog, &as_it_is, 1);
    assert_true(program_equal(prog, same));
}
