/* CACC: the vectors of 40-convolution-core sections 11.4 and 11.5. */

#include "model/cacc.h"
#include "model/cacc_fp16.h"
#include "nvdla/fixed.h"
#include "tests/naive/naive_parts.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

/* Section 11.4: the final step. */
TEST(integer_delivery) {
    for (struct vectors v = vectors_of("cacc", "integer"); vectors_next(&v);) {
        const unsigned truncate = (unsigned)v.number[3];
        bool saturated = !v.number[5];
        int64_t sum = cacc_add(v.number[2], v.number[1], (int)v.number[0]);
        assert_true(vectors_equal(&v, cacc_deliver(sum, truncate, &saturated), v.number[4]));
        assert_true(vectors_equal(&v, saturated, v.number[5]));
        int32_t out;
        assert_true(vectors_equal(&v, (int64_t)cacc_deliver_all(&sum, &out, 1, truncate), v.number[5]));
        assert_true(vectors_equal(&v, out, v.number[4]));
    }
}

/* Section 11.4: partial sums. */
TEST(accumulators_saturate_at_every_step) {
    assert_int_equal(cacc_add(8589934591, 2097151, 34), 8589934591);
    assert_int_equal(cacc_add(-8589934591, -1, 34), -8589934592);
    assert_int_equal(cacc_add(-8589934592, -1, 34), -8589934592);
    assert_int_equal(cacc_add(140737488355326, 1, 48), 140737488355327);
}

/* Section 11.4: 8300 atomic operations of 2^20 in full, the even and the odd kernel of a cell. */
TEST(odd_kernels_of_int8_have_narrow_accumulators) {
    const struct nvdla_config *full = nvdla_config_find("full");
    static const int32_t delivered[] = {543948800, 536870912};
    for (size_t k = 0; k < 2; k++) {
        int64_t sum = 0;
        for (int i = 0; i < 8300; i++)
            sum = cacc_add(sum, 1 << 20, cacc_width(full, NVDLA_INT8, k));
        bool saturated;
        assert_int_equal(cacc_deliver(sum, 4, &saturated), delivered[k]);
        assert_int_equal(cacc_width(full, NVDLA_INT16, k), 48);
        assert_int_equal(cacc_width(nvdla_config_find("small"), NVDLA_INT8, k), 34);
    }
}

/* Many sums at once, of any size, give what one by one gives. */
TEST(deliveries_of_many_sums) {
    enum { COUNT = 77 };
    uint64_t seed = 1;
    for (unsigned truncate = 0; truncate < 32; truncate++) {
        int64_t sums[COUNT];
        int32_t out[COUNT];
        uint64_t saturated = 0;
        for (unsigned bits = 20; bits <= 48; bits += 4) {
            for (size_t i = 0; i < COUNT; i++) {
                sums[i] = (int64_t)rnd64(&seed) >> (64 - bits);
                sums[i] = i % 7 == 0 ? sums[i] & -(INT64_C(1) << truncate) : sums[i];
                sums[i] += truncate > 0 && i % 5 == 0 ? INT64_C(1) << (truncate - 1) : 0;
                sums[i] = fixed_saturate(sums[i], 48);
            }
            uint64_t counted = cacc_deliver_all(sums, out, COUNT, truncate);
            saturated = 0;
            for (size_t i = 0; i < COUNT; i++) {
                bool flag;
                assert_int_equal(out[i], cacc_deliver(sums[i], truncate, &flag));
                saturated += flag;
            }
            assert_int_equal(counted, saturated);
        }
    }
}

/* A 48-bit accumulator as section 11.5 writes it: exponent, mantissa. */
static struct cacc_fp16 accumulator(uint64_t bits) {
    return (struct cacc_fp16){(int32_t)(bits >> 40), fixed_sign_extend((int64_t)bits, 40)};
}

static void add(struct cacc_fp16 *sum, int32_t exponent, int64_t mantissa) {
    struct cacc_fp16_lanes lanes = {{sum->exponent}, {sum->mantissa}};
    const int32_t exponents[CACC_FP16_LANES] = {exponent};
    const int64_t mantissas[CACC_FP16_LANES] = {mantissa};
    cacc_fp16_add_lanes(&lanes, exponents, mantissas);
    *sum = (struct cacc_fp16){(int32_t)lanes.exponent[0], lanes.mantissa[0]};
}

/* Rounded away from zero, the mantissa needs a bit more (positive) or one redundant bit goes (negative): section 9.5's
 * two special cases. The addend is 1.75 of the accumulator's last place. */
TEST(floating_point_rounding_changes_the_exponent) {
    const int64_t half = INT64_C(1) << 38;
    struct cacc_fp16 sum = {73, 2 * half - 2};
    add(&sum, 20, 7);
    assert_int_equal(sum.exponent, 74);
    assert_int_equal(sum.mantissa, half);
    assert_int_equal(cacc_fp16_deliver(&sum), 0x45000000);

    sum = (struct cacc_fp16){73, -half - 2};
    add(&sum, 20, 7);
    assert_int_equal(sum.exponent, 72);
    assert_int_equal(sum.mantissa, -2 * half);
    assert_int_equal(cacc_fp16_deliver(&sum), 0xc4800000);
}

TEST(floating_point_vectors) {
    for (struct vectors v = vectors_of("cacc", "fp16"); vectors_next(&v);) {
        struct cacc_fp16 sum = accumulator((uint64_t)v.number[1]), after = accumulator((uint64_t)v.number[2]);
        add(&sum, (int32_t)(v.number[0] >> 38), v.number[0] & ((INT64_C(1) << 38) - 1));
        assert_true(vectors_equal(&v, sum.exponent, after.exponent));
        assert_true(vectors_equal(&v, sum.mantissa, after.mantissa));
        assert_true(vectors_equal(&v, cacc_fp16_deliver(&sum), v.number[3]));
    }
}

/* Sums of random length, magnitude and sign in all lanes, against the plain definition: to cancel, to vanish below one
 * another, to round; rarely a NaN. */
TEST(lanes_equal_single_sums) {
    uint64_t seed = 5;
    for (int round = 0; round < 3000; round++) {
        struct naive_float_acc single[CACC_FP16_LANES];
        struct cacc_fp16_lanes lanes;
        const unsigned spread = 1 + below(&seed, 57), widest = 1 + below(&seed, 38), nans = round % 3 == 0 ? 40 : 0;
        for (size_t k = 0; k < CACC_FP16_LANES; k++) {
            /* Any normalised number, so that every distance of exponents is met. */
            uint64_t bits = rnd64(&seed);
            int64_t mantissa = (int64_t)(bits >> 26 | UINT64_C(1) << 38) & ((INT64_C(1) << 39) - 1);
            if (bits & 1)
                mantissa = bits & 2 ? -(INT64_C(1) << 39) : ~mantissa;
            bool zero = below(&seed, 2) == 0;
            single[k] = (struct naive_float_acc){zero ? 0 : (int32_t)below(&seed, 255), zero ? 0 : mantissa};
            lanes.exponent[k] = single[k].p;
            lanes.mantissa[k] = single[k].q;
        }
        for (int step = 0; step < 6; step++) {
            int32_t exponents[CACC_FP16_LANES];
            int64_t mantissas[CACC_FP16_LANES];
            for (size_t k = 0; k < CACC_FP16_LANES; k++) {
                exponents[k] = nans > 0 && below(&seed, nans) == 0 ? 63 : (int32_t)below(&seed, spread);
                mantissas[k] = (int64_t)rnd64(&seed) >> (64 - 1 - below(&seed, widest));
                if (below(&seed, 8) == 0)
                    mantissas[k] = -(INT64_C(1) << below(&seed, 35));
                if (below(&seed, 8) == 0)
                    mantissas[k] = single[k].q == 0 ? 0 : -(single[k].q >> 4);
                const int64_t counts = exponents[k] == 63 ? mantissas[k] : fixed_sign_extend(mantissas[k], 36);
                single[k] = naive_accumulate_fp16(single[k], exponents[k], counts);
            }
            cacc_fp16_add_lanes(&lanes, exponents, mantissas);
            for (size_t k = 0; k < CACC_FP16_LANES; k++) {
                assert_int_equal(lanes.exponent[k], single[k].p);
                assert_int_equal(lanes.mantissa[k], single[k].q);
            }
        }
    }
}
