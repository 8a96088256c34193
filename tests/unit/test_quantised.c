/* Quantised networks: TFLite's multiplication, SDP's factors, descriptors as bytes, FlatBuffers that are written. */
#include "loadable/descriptors.h"
#include "loadable/flat.h"
#include "loadable/flat_write.h"
#include "nvdla/fixed.h"
#include "quantised/fit.h"
#include "tests/unit/test.h"

TEST(test_multiplier) {
    const struct multiplier half = multiplier_of(0.5), three = multiplier_of(3), none = multiplier_of(1e-12);
    assert_int_equal(half.mantissa, 1 << 30);
    assert_int_equal(half.exponent, 0);
    assert_true(multiplier_value(three) == 3);
    assert_int_equal(none.mantissa, 0);
    /* Halves: up with one rounding, away from zero with two. */
    assert_int_equal(multiplier_apply(half, 3, RULE_CPU), 2);
    assert_int_equal(multiplier_apply(half, -3, RULE_CPU), -1);
    assert_int_equal(multiplier_apply(multiplier_of(0.25), -6, RULE_CPU), -1);
    assert_int_equal(multiplier_apply(multiplier_of(0.25), -6, RULE_MICRO), -2);
    assert_int_equal(multiplier_apply(three, 7, RULE_MICRO), 21);
    assert_int_equal(multiplier_apply(multiplier_of(1 << 20), INT32_MAX, RULE_CPU), INT32_MAX);
}

/* What SDP computes from a sum. */
static int64_t sdp(const struct kernels_fit *fit, const struct kernel_fit *kernel, int64_t sum) {
    const int64_t first = (sum + kernel->h * (INT64_C(1) << fit->s)) * kernel->p;
    return fixed_round_shift((first + kernel->r * (INT64_C(1) << fit->a)) * kernel->m, fit->n);
}

TEST(test_kernels) {
    const struct limits limits = {-128, 127};
    struct kernel_target targets[] = {
        {.factor = multiplier_of(0.0123456), .bias = 1234567, .least = -200000, .most = 200000},
        {.factor = multiplier_of(0.0001), .bias = -70000, .least = -900000, .most = 900000},
        {.factor = multiplier_of(1e-7), .bias = 1 << 30, .least = 0, .most = 0},
    };
    struct kernels_fit fit = kernels_fit_new(targets, 3, 0, limits);
    struct error err;
    assert_true(fit_kernels(&fit, &err));
    assert_false(targets[1].dead);
    assert_true(targets[2].dead);
    assert_int_equal(sdp(&fit, &fit.kernels[2], 0), multiplier_apply(targets[2].factor, targets[2].bias, RULE_CPU));
    size_t differ = 0;
    for (int64_t sum = targets[1].least; sum <= targets[1].most; sum += 7)
        differ +=
            sdp(&fit, &fit.kernels[1], sum) != multiplier_apply(targets[1].factor, sum + targets[1].bias, RULE_CPU);
    assert_true(differ < 60); /* of 257,143 */
    kernels_fit_free(&fit);
    struct kernel_target huge = {.factor = multiplier_of(0.5), .least = -INT64_C(3000000000), .most = 0};
    fit = kernels_fit_new(&huge, 1, 0, limits);
    assert_false(fit_kernels(&fit, &err));
    assert_non_null(strstr(err.text, "more than 31 bits"));
    kernels_fit_free(&fit);
}

/* Factors of which many results lie half way between two integers, or nearly: all sums give TFLite's result. */
TEST(test_halves) {
    static const double factors[] = {0.5,     0x3p-10,     (double)(0.01F * 0.3F) / (double)0.05F, 0.06, 0.001,
                                     1.0 / 3, 0.0155408731 /* of the greatest shift there are few pairs of factors */};
    const struct limits limits = {-128, 127};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        struct kernel_target target = {
            .factor = multiplier_of(factors[i]), .bias = 77, .least = -400000, .most = 400000};
        struct kernels_fit fit = kernels_fit_new(&target, 1, -3, limits);
        struct error err;
        assert_true(fit_kernels(&fit, &err));
        for (int64_t sum = target.least; sum <= target.most; sum++) {
            const int64_t exact = multiplier_apply(target.factor, sum + target.bias, RULE_CPU);
            if (exact >= -125 && exact <= 130)
                assert_int_equal(sdp(&fit, &fit.kernels[0], sum), exact);
        }
        kernels_fit_free(&fit);
    }
}

/* A sum that is nearly half way to a result that no sum has. */
TEST(test_greatest_sum) {
    const struct limits limits = {-128, 127};
    struct kernel_target target = {.factor = multiplier_of(0.01615645274402694), .bias = 588, .least = -8925};
    struct kernels_fit fit = kernels_fit_new(&target, 1, -128, limits);
    struct error err;
    assert_true(fit_kernels(&fit, &err));
    for (int64_t sum = -500; sum <= 0; sum++)
        assert_int_equal(sdp(&fit, &fit.kernels[0], sum), multiplier_apply(target.factor, sum + target.bias, RULE_CPU));
    kernels_fit_free(&fit);
}

/* What SDP computes for a kernel that shares its factor with others. */
static int64_t uniform_sdp(const struct kernels_fit *fit, const struct kernel_fit *kernel, bool relu, int64_t sum) {
    const int64_t first = (sum + kernel->r + kernel->h * (INT64_C(1) << fit->s)) * fit->p;
    assert_true(first == (int32_t)first);
    return fixed_saturate(fixed_round_shift(((relu && first < 0 ? 0 : first) - fit->offset) * fit->m, fit->n), 8);
}

/* Kernels with one factor: all sums give TFLite's result, with ReLU and without, biases with and without a rest. */
TEST(test_uniform) {
    static const double factors[] = {0.5, 0x3p-10, (double)(0.01F * 0.3F) / (double)0.05F, 0.06, 0.0011};
    static const struct limits limits[] = {{-128, 127}, {-3, 127}, {-3, 50}};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
            const struct multiplier factor = multiplier_of(factors[i]), dead = multiplier_of(1e-7);
            struct kernel_target targets[] = {
                {.factor = factor, .bias = i % 2 ? 65543 : 77, .least = -100000, .most = 100000},
                {.factor = factor, .bias = -4321, .least = -3000, .most = 200000},
                {.factor = dead, .bias = 1 << 28}};
            struct kernels_fit fit = kernels_fit_new(targets, 3, -3, limits[l]);
            assert_true(fit_uniform(&fit));
            assert_int_equal(fit.rests, i % 2);
            assert_int_equal(fit.dead, 1);
            for (size_t k = 0; k < 3; k++)
                for (int64_t sum = targets[k].least; sum <= targets[k].most; sum++) {
                    const int64_t found = uniform_sdp(&fit, &fit.kernels[k], l > 0, sum);
                    assert_int_equal(found > limits[l].high ? limits[l].high : found,
                                     kernel_reference(&targets[k], sum, -3, limits[l]));
                }
            kernels_fit_free(&fit);
        }
    struct kernel_target different[] = {{.factor = multiplier_of(0.5), .least = -500, .most = 500},
                                        {.factor = multiplier_of(0.25), .least = -500, .most = 500}};
    struct kernels_fit fit = kernels_fit_new(different, 2, 0, limits[0]);
    assert_false(fit_uniform(&fit));
    kernels_fit_free(&fit);
}

TEST(test_averages) {
    static const int sizes[] = {1, 2, 3, 6, 7, 9, 64, 100, 125, 1000, 1024};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct average_fit fit;
        assert_true(fit_average(sizes[i], &fit));
        for (int sum = -128 * sizes[i]; sum <= 127 * sizes[i]; sum++)
            assert_int_equal(fixed_round_shift((int64_t)sum * fit.p * fit.m, fit.shift), average_of(sum, sizes[i]));
    }
}

static void check_encoding(struct operation op) {
    uint8_t bytes[OPERATION_BYTES] = {0}, surface[SURFACE_BYTES] = {0}, dependency[DEPENDENCY_BYTES];
    uint8_t again[OPERATION_BYTES] = {0}, surface_again[SURFACE_BYTES] = {0}, dependency_again[DEPENDENCY_BYTES];
    struct operation decoded = {0};
    operation_encode(&op, bytes, surface);
    dependency_encode(&op, 5, dependency);
    dependency_decode(dependency, &decoded);
    operation_decode(bytes, surface, false, &decoded);
    assert_int_equal(decoded.counter, op.counter);
    assert_int_equal(decoded.fused_parent.operation, op.fused_parent.operation);
    assert_int_equal(decoded.src.line_stride, op.src.line_stride);
    assert_int_equal(decoded.dst.offset, op.dst.offset);
    operation_encode(&decoded, again, surface_again);
    dependency_encode(&decoded, 5, dependency_again);
    assert_memory_equal(bytes, again, sizeof bytes);
    assert_memory_equal(surface, surface_again, sizeof surface);
    assert_memory_equal(dependency, dependency_again, sizeof dependency);
}

TEST(test_descriptors) {
    struct operation op = {.type = TYPE_CONV, .counter = 3, .fused_parent = {-1, EVENT_ARMED}};
    op.consumers[TYPE_SDP] = (struct op_edge){7, EVENT_PROGRAMMED};
    op.src = (struct data_cube){.position = 2, .offset = 0x1234, .size = 99, .width = 5, .line_stride = 0x10203};
    op.dst = (struct data_cube){.type = CUBE_ON_THE_FLY, .position = -1, .offset = 8, .channel = 17};
    op.conv = (struct conv_op){.entry_per_slice = 300,
                               .data_bank = 31,
                               .weight_bank = 1,
                               .pad_value = -77,
                               .bytes_per_kernel = 70000,
                               .pad_bottom = 9,
                               .dilation_y = 4,
                               .out_precision = 2,
                               .in_cvt = {-3, 5, true, -100000},
                               .u_offset = -8};
    check_encoding(op);
    op.type = TYPE_SDP;
    op.sdp = (struct sdp_op){.lut = -1, .out_cvt = {77, 12, true, -5}, .batch = 1};
    op.sdp.units[SDP_X2] = (struct sdp_unit){.enable = true,
                                             .type = 3,
                                             .mode = 1,
                                             .shift = 40,
                                             .alu_operand = -9,
                                             .mul_operand = 8,
                                             .cube = {.position = 1, .offset = 256}};
    check_encoding(op);
    op.type = TYPE_PDP;
    op.pdp = (struct pdp_op){.in_first = 3, .split = 1, .mode = 1, .pool_width = 2, .padding_value = {-1, 2}};
    check_encoding(op);
}

/* What is written is read again: numbers of all sizes, text, vectors, tables in tables. */
TEST(test_flat) {
    static const uint64_t numbers[] = {1, UINT64_MAX, 3};
    const struct flat_field inner[] = {flat_of_number(8, UINT64_C(0x123456789abcdef0)), flat_of_text("name")};
    const struct flat_record record = {inner, 2};
    const struct flat_field root[] = {flat_of_number(1, 200),
                                      {.kind = FLAT_ABSENT},
                                      flat_of_vector(8, numbers, 3),
                                      flat_of_tables(&record, 1),
                                      flat_of_number(2, 0xabcd)};
    struct text file = flat_write((struct flat_record){root, 5}, "TEST");
    struct error err = {.text = ""};
    struct flat flat = flat_open("file", file.text, file.n, &err);
    const struct flat_table table = flat_root(&flat, "test");
    assert_int_equal(flat_number(&flat, &table, 0, 1, "a"), 200);
    assert_false(flat_has(&flat, &table, 1));
    assert_int_equal(flat_number(&flat, &table, 4, 2, "d"), 0xabcd);
    const struct flat_vector vector = flat_vector(&flat, &table, 2, 8, "numbers");
    assert_int_equal(vector.count, 3);
    assert_int_equal(vector.at % 8, 0);
    assert_true(flat_element(&flat, &vector, 1, 8) == UINT64_MAX);
    const struct flat_vector tables = flat_vector(&flat, &table, 3, 4, "tables");
    const struct flat_table entry = flat_entry(&flat, &tables, 0, "entry");
    assert_true(flat_number(&flat, &entry, 0, 8, "n") == UINT64_C(0x123456789abcdef0));
    assert_memory_equal(flat_text(&flat, &entry, 1, "name").text, "name", 5);
    assert_false(flat.failed);
    free(file.text);
}
