/* The vectors of the chapters. */
#include "naive_fp.h"
#include "naive_lut.h"
#include "naive_parts.h"
#include "tests/lut_tables.h"
#include "tests/vectors.h"

struct tally {
    size_t passed, failed;
};

static void expect(struct tally *tally, const struct vectors *v, int64_t got, int64_t want) {
    if (vectors_equal(v, got, want))
        tally->passed++;
    else
        tally->failed++;
}

/* ---- floating point ---- */

/* Vectors of a kind, whose operands are a and b. */
#define FLOATS(kind, result)                                                                                           \
    for (struct vectors v = vectors_of("floats", #kind); vectors_next(&v);) {                                          \
        const uint32_t a = (uint32_t)v.number[0];                                                                      \
        __attribute__((unused)) const uint32_t b = (uint32_t)v.number[1];                                              \
        expect(tally, &v, result, (uint32_t)v.number[v.cells - 1]);                                                    \
    }

static void floats(struct tally *tally) {
    const struct naive_format *single = &naive_fp32, *seventeen = &naive_fp17;
    FLOATS(fp16_to_fp17, naive_from_fp16(seventeen, a))
    FLOATS(fp16_to_fp32, naive_from_fp16(single, a))
    FLOATS(fp17_add, naive_add(seventeen, a, b))
    FLOATS(fp17_mul, naive_mul(seventeen, a, b))
    FLOATS(fp17_to_fp16, naive_fp17_to_fp16(a))
    FLOATS(fp17_to_fp32, naive_fp17_to_fp32(a))
    FLOATS(fp32_add, naive_add(single, a, b))
    FLOATS(fp32_add_fp16, naive_add(single, a, naive_from_fp16(single, b)))
    FLOATS(fp32_max, naive_max32(a, b))
    FLOATS(fp32_min, naive_min32(a, b))
    FLOATS(fp32_mul, naive_mul(single, a, b))
    FLOATS(fp32_mul_fp16, naive_mul(single, a, naive_from_fp16(single, b)))
    FLOATS(fp32_sub, naive_sub(single, a, b))
    FLOATS(fp32_to_fp16, naive_fp32_to_fp16(a))
    FLOATS(fp32_to_fp17, naive_fp32_to_fp17(a))
    FLOATS(fp32_to_int16, (uint32_t)naive_fp16_to_int16(naive_fp32_to_fp16(a)))
    FLOATS(fraction_to_fp17, naive_fraction17(a, (int)b))
    FLOATS(integer_to_fp16, naive_int_to_fp16((int32_t)a))
}

/* ---- convolution ---- */

static const char *const precisions[] = {"int8", "int16", "fp16"};

/* What CMAC sends for an atom; all: whose lanes are alike. */
static void atoms(struct tally *tally, bool all) {
    for (struct vectors v = vectors_of("cmac", all ? "fp16_all" : "fp16"); vectors_next(&v);) {
        int32_t weights[64] = {0}, data[64] = {0};
        for (int lane = 0; lane < (all ? 64 : v.cells / 2); lane++) {
            const int64_t *its = v.number + 1 + (all ? 0 : 2 * lane);
            weights[lane] = (int32_t)its[0];
            data[lane] = (int32_t)its[1];
        }
        const struct naive_float_sum sum = naive_atom_fp16(weights, data, 64, false);
        const uint64_t raw = (uint64_t)sum.exponent << 38 | ((uint64_t)sum.mantissa[0] & ((UINT64_C(1) << 38) - 1));
        expect(tally, &v, (int64_t)raw, v.number[0]);
    }
}

static void accumulators(struct tally *tally) {
    for (struct vectors v = vectors_of("cacc", "fp16"); vectors_next(&v);) {
        const uint64_t sum = (uint64_t)v.number[0], before = (uint64_t)v.number[1], mask = (UINT64_C(1) << 40) - 1;
        struct naive_float_acc acc = {(int)(before >> 40), naive_sign_extend(before, 40)};
        acc = naive_accumulate_fp16(acc, (int)(sum >> 38), naive_sign_extend(sum, 38));
        expect(tally, &v, (int64_t)((uint64_t)acc.p << 40 | ((uint64_t)acc.q & mask)), v.number[2]);
        expect(tally, &v, (uint32_t)naive_deliver_fp16(acc), v.number[3]);
    }
    for (struct vectors v = vectors_of("cacc", "integer"); vectors_next(&v);) {
        bool saturated;
        const int64_t acc = (int64_t)naive_saturate((wide)v.number[1] + v.number[2], (int)v.number[0]);
        expect(tally, &v, naive_deliver_integer(acc, (int)v.number[3], &saturated), v.number[4]);
        expect(tally, &v, saturated, v.number[5]);
    }
}

static void tiles(struct tally *tally, enum nvdla_precision precision) {
    for (struct vectors v = vectors_of("input_tiles", precisions[precision]); vectors_next(&v);) {
        int32_t tile[16];
        for (int i = 0; i < 16; i++)
            tile[i] = (int32_t)v.number[1 + i];
        naive_input_transform(precision, v.number[0] > 2 ? 2 : (int)v.number[0], tile);
        for (int i = 0; i < 16; i++)
            expect(tally, &v, tile[i], v.number[17 + i]);
    }
}

static void conversions(struct tally *tally, enum nvdla_precision precision) {
    for (struct vectors v = vectors_of("convertor", precisions[precision]); vectors_next(&v);) {
        const struct naive_convertor cvt = {.enabled = true,
                                            .in = NVDLA_INT16,
                                            .proc = precision,
                                            .offset = {v.number[1]},
                                            .scale = (int16_t)v.number[2],
                                            .truncate = (int)v.number[3]};
        expect(tally, &v, naive_convert(&cvt, (int32_t)v.number[0], 0), v.number[4]);
    }
}

/* ---- tables ---- */

static int64_t look_up(const struct naive_lut *lut, const char *kind, int64_t x) {
    const bool fp16 = strstr(kind, "fp16") != NULL;
    if (strncmp(kind, "cdp", 3) != 0)
        return fp16 ? naive_look_up_sdp_fp16(lut, (uint32_t)x).value : naive_look_up_sdp_integer(lut, (int32_t)x).value;
    const enum nvdla_precision precision = strcmp(kind, "cdp_int8") == 0 ? NVDLA_INT8 : NVDLA_INT16;
    return fp16 ? naive_look_up_cdp_fp16(lut, (uint32_t)x).value
                : naive_look_up_cdp_integer(lut, x, precision, false).value;
}

static void tables(struct tally *tally) {
    for (struct vectors set = vectors_of("lut", "set"); vectors_next(&set);) {
        const int64_t *n = set.number + 2;
        struct naive_tables samples;
        struct naive_lut lut = {.tables = &samples,
                                .le_linear = n[0],
                                .under_priority = (int)n[1],
                                .over_priority = (int)n[2],
                                .hybrid_priority = (int)n[3],
                                .le_offset = (int)n[4]};
        for (int t = 0; t < 2; t++) {
            const int64_t *its = n + 5 + 7 * t;
            lut.start[t] = its[0];
            lut.end[t] = its[1];
            lut.select[t] = (int)its[2];
            for (int i = 0; i < 2; i++) {
                lut.scale[t][i] = (uint16_t)its[3 + 2 * i];
                lut.shift[t][i] = (int)its[4 + 2 * i];
            }
        }
        lut_tables(set.cell[1], samples.le, samples.lo);
        for (struct vectors v = vectors_of("lut", set.cell[0]); vectors_next(&v);)
            expect(tally, &v, look_up(&lut, set.cell[1], v.number[0]), v.number[1]);
    }
}

void naive_vectors(size_t *passed, size_t *failed) {
    struct tally tally = {0};
    floats(&tally);
    atoms(&tally, false);
    atoms(&tally, true);
    accumulators(&tally);
    for (enum nvdla_precision precision = NVDLA_INT8; precision <= NVDLA_FP16; precision++) {
        tiles(&tally, precision);
        conversions(&tally, precision);
    }
    tables(&tally);
    *passed += tally.passed;
    *failed += tally.failed;
}
