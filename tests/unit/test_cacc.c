/* CACC: the vectors of 40-convolution-core sections 11.4 and 11.5. */

#include "model/cacc.h"
#include "model/cacc_fp16.h"
#include "nvdla/fixed.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"

/* Section 11.4: the final step. */
TEST(integer_delivery) {
    static const struct {
        int bits;
        int64_t in, accumulator;
        unsigned truncate;
        int32_t out;
        bool saturated;
    } vectors[] = {
        {34, 5, 0, 1, 3, false},
        {34, -5, 0, 1, -3, false},
        {34, 3, 0, 1, 2, false},
        {34, -3, 0, 1, -2, false},
        {34, 2, 0, 2, 1, false},
        {34, -2, 0, 2, -1, false},
        {34, -6, 0, 2, -2, false},
        {34, -7, 0, 2, -2, false},
        {34, 1000, 2147482647, 0, INT32_MAX, false},
        {34, 1001, 2147482647, 0, INT32_MAX, true},
        {34, 0, INT32_MIN, 0, INT32_MIN, false},
        {34, -1, INT32_MIN, 0, INT32_MIN, true},
        {34, 0, -4294967297, 1, INT32_MIN, true},
        {34, 0, 4294967294, 1, INT32_MAX, false},
        {34, 3, -8388610, 24, -1, false},
        {34, 131071, -8589934590, 18, -32768, false},
        {34, 2097151, 8589934591, 2, INT32_MAX, true},
        {34, -2097152, -8589934592, 2, INT32_MIN, false},
        {34, 0, 8589934591, 31, 4, false},
        {34, 0, -8589934592, 31, -4, false},
        {48, 12345678901, 98765432109, 10, 108506944, false},
        {48, 0, 549755813759, 8, INT32_MAX, false},
        {48, 0, 549755813760, 8, INT32_MAX, true},
        {48, -1, -549755813888, 8, INT32_MIN, true},
        {48, 137438953471, 140737488355327, 31, 65536, false},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        bool saturated = !vectors[i].saturated;
        int64_t sum = cacc_add(vectors[i].accumulator, vectors[i].in, vectors[i].bits);
        assert_int_equal(cacc_deliver(sum, vectors[i].truncate, &saturated), vectors[i].out);
        assert_int_equal(saturated, vectors[i].saturated);
        int32_t out;
        assert_int_equal(cacc_deliver_all(&sum, &out, 1, vectors[i].truncate), vectors[i].saturated);
        assert_int_equal(out, vectors[i].out);
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

/* Rounded away from zero, the mantissa needs a bit more (positive) or one redundant bit goes (negative): section 9.5's
 * two special cases. The addend is 1.75 of the accumulator's last place. */
TEST(floating_point_rounding_changes_the_exponent) {
    const int64_t half = INT64_C(1) << 38;
    struct cacc_fp16 sum = {73, 2 * half - 2};
    cacc_fp16_add(&sum, 20, 7);
    assert_int_equal(sum.exponent, 74);
    assert_int_equal(sum.mantissa, half);
    assert_int_equal(cacc_fp16_deliver(&sum), 0x45000000);

    sum = (struct cacc_fp16){73, -half - 2};
    cacc_fp16_add(&sum, 20, 7);
    assert_int_equal(sum.exponent, 72);
    assert_int_equal(sum.mantissa, -2 * half);
    assert_int_equal(cacc_fp16_deliver(&sum), 0xc4800000);
}

TEST(floating_point_vectors) {
    static const struct {
        uint64_t in, before, after;
        uint32_t out;
    } vectors[] = {
        {0x60000100000, 0, 0x394000000000, 0x3c800000},
        {0x63ffff00000, 0, 0x388000000000, 0xbc800000},
        {0xe00ffc00400, 0, 0x647fe0020000, 0x527fc004},
        {0x00000000004, 0, 0x0f4000000000, 0x27800000},
        {0x70123456789, 0x3c5a5a5a5a5a, 0x4948d42cb513, 0x4491a859},
        {0x70123456789, 0x3ca5a5a5a5a5, 0x4948ce870f6d, 0x44919d0e},
        {0x70000000001, 0x464000000000, 0x464000000200, 0x43000000},
        {0x73fffffffff, 0x464000000000, 0x457ffffffc00, 0x43000000},
        {0x70040000000, 0x478000000000, 0x468000000000, 0xc3800000},
        {0x00000000000, 0x467fffffffff, 0x467fffffffff, 0x43800000},
        {0x00000000000, 0x464000004000, 0x464000004000, 0x43000001},
        {0x00000000000, 0x464000003fff, 0x464000003fff, 0x43000000},
        {0x78400000000, 0x47c000000000, 0x4c7e00000000, 0x467c0000},
        {0xfc918000000, 0x464000000000, 0xff2460000000, 0x7f800123},
        {0x70000000001, 0xffb560000000, 0xffb560000000, 0xff8001ab},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        struct cacc_fp16 sum = accumulator(vectors[i].before), after = accumulator(vectors[i].after);
        cacc_fp16_add(&sum, (unsigned)(vectors[i].in >> 38), (int64_t)(vectors[i].in & ((UINT64_C(1) << 38) - 1)));
        assert_int_equal(sum.exponent, after.exponent);
        assert_int_equal(sum.mantissa, after.mantissa);
        assert_int_equal(cacc_fp16_deliver(&sum), vectors[i].out);
    }
}

/* Sums of random length, magnitude and sign in all lanes: to cancel, to vanish below one another, to round; rarely a
 * NaN. */
TEST(lanes_equal_single_sums) {
    uint64_t seed = 5;
    for (int round = 0; round < 3000; round++) {
        struct cacc_fp16 single[CACC_FP16_LANES];
        struct cacc_fp16_lanes lanes;
        const unsigned spread = 1 + below(&seed, 57), widest = 1 + below(&seed, 38), nans = round % 3 == 0 ? 40 : 0;
        for (size_t k = 0; k < CACC_FP16_LANES; k++) {
            /* Any normalised number, so that every distance of exponents is met. */
            uint64_t bits = rnd64(&seed);
            int64_t mantissa = (int64_t)(bits >> 26 | UINT64_C(1) << 38) & ((INT64_C(1) << 39) - 1);
            if (bits & 1)
                mantissa = bits & 2 ? -(INT64_C(1) << 39) : ~mantissa;
            bool zero = below(&seed, 2) == 0;
            single[k] = (struct cacc_fp16){zero ? 0 : (int32_t)below(&seed, 255), zero ? 0 : mantissa};
            lanes.exponent[k] = single[k].exponent;
            lanes.mantissa[k] = single[k].mantissa;
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
                    mantissas[k] = single[k].mantissa == 0 ? 0 : -(single[k].mantissa >> 4);
                cacc_fp16_add(&single[k], (unsigned)exponents[k], mantissas[k]);
            }
            cacc_fp16_add_lanes(&lanes, exponents, mantissas);
            for (size_t k = 0; k < CACC_FP16_LANES; k++) {
                assert_int_equal(lanes.exponent[k], single[k].exponent);
                assert_int_equal(lanes.mantissa[k], single[k].mantissa);
            }
        }
    }
}
