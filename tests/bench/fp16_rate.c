/* How fast the model's arithmetic on FP16 is beside the plain definitions of the chapters (tests/naive), which go
 * element by element: the convolution core, the input transform of Winograd, the stages of SDP, the tables, pooling.
 *
 * Both forms of each kind are measured in turn; prints the medians of several rounds in millions of operations per
 * second of CPU time, and their ratio. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/cacc_fp16.h"
#include "model/cmac_fp16.h"
#include "model/pdp_pool.h"
#include "model/pra.h"
#include "model/sdp_convert.h"
#include "model/sdp_stage.h"
#include "model/sdp_table.h"
#include "nvdla/bytes.h"
#include "nvdla/fp.h"
#include "tests/naive/naive_fp.h"
#include "tests/naive/naive_lut.h"
#include "tests/naive/naive_parts.h"
#include "tests/unit/random.h"

enum { COUNT = 4096, ATOM = 64, KERNELS = CMAC_FP16_LANES, CHANNELS = 64, TILE = 16, ROUNDS = 9 };
#define LONG_ENOUGH 0.01 /* seconds */

/* Elements of all kinds: FP16 patterns near a normal distribution, and what SDP makes of them. */
static uint16_t elements[COUNT];
static int32_t numbers[COUNT], operands[COUNT], results[COUNT];
static uint16_t converted[COUNT];
static volatile int64_t sink;

static void fill(void) {
    uint64_t seed = 1;
    for (size_t i = 0; i < COUNT; i++) {
        int32_t sum = 0;
        for (int n = 0; n < 4; n++)
            sum += (int8_t)rnd(&seed);
        elements[i] = sum == 0 ? 0 : (uint16_t)(fp16_from_integer(sum) - (9 << 10));
        numbers[i] = (int32_t)fp16_to_fp32(elements[i]);
        operands[i] = (int32_t)fp16_to_fp32((uint16_t)(0x3000 + (rnd(&seed) & 0x8fff)));
    }
}

/* ---- convolution ---- */

static struct cmac_fp16_weights weights;

static void place_weights(void) {
    cmac_fp16_weights_begin(&weights, KERNELS, ATOM, 1);
    cmac_fp16_weights_clear(&weights);
    cmac_fp16_weights_place(&weights, 0, 0, (const int16_t *)elements, ATOM, KERNELS, ATOM);
}

static void convolve(bool tile) {
    const struct cmac_piece piece = {.offset = 0, .count = ATOM};
    const size_t outputs = tile ? CMAC_FP16_OUTPUTS : 1;
    struct cacc_fp16_lanes accumulators[CMAC_FP16_OUTPUTS] = {{{0}, {0}}};
    struct cmac_fp16_data data;
    struct cmac_fp16_sums sums;
    for (size_t at = 0; at < COUNT; at += ATOM) {
        cmac_fp16_data_read(&data, &weights, (const int16_t *)elements + at, &piece, 1);
        cmac_fp16_atom(&weights, 0, 0, 0, &data, tile, &sums);
        for (size_t o = 0; o < outputs; o++)
            cacc_fp16_add_lanes(&accumulators[o], sums.exponent, sums.mantissa[o]);
    }
    sink = accumulators[0].mantissa[0];
}

static void convolve_naively(bool tile) {
    const int outputs = tile ? CMAC_FP16_OUTPUTS : 1;
    for (size_t k = 0; k < KERNELS; k++) {
        struct naive_float_acc accumulators[CMAC_FP16_OUTPUTS] = {{0, 0}};
        int32_t weight[ATOM], data[ATOM];
        for (size_t i = 0; i < ATOM; i++)
            weight[i] = elements[k * ATOM + i];
        for (size_t at = 0; at < COUNT; at += ATOM) {
            for (size_t i = 0; i < ATOM; i++)
                data[i] = elements[at + i];
            struct naive_float_sum sum = naive_atom_fp16(weight, data, ATOM, tile);
            for (int o = 0; o < outputs; o++)
                accumulators[o] = naive_accumulate_fp16(accumulators[o], sum.exponent, sum.mantissa[o]);
        }
        sink = accumulators[0].q;
    }
}

static void direct(void) {
    convolve(false);
}

static void direct_naive(void) {
    convolve_naively(false);
}

static void winograd(void) {
    convolve(true);
}

static void winograd_naive(void) {
    convolve_naively(true);
}

static void transform(void) {
    for (size_t at = 0; at < COUNT; at += TILE * CHANNELS)
        pra_transform((const int16_t *)elements + at, 4 * CHANNELS, CHANNELS, CHANNELS, NVDLA_FP16, 0,
                      (int16_t *)converted + at);
}

static void transform_naive(void) {
    for (size_t at = 0; at < COUNT; at += TILE) {
        int32_t tile[TILE];
        for (size_t e = 0; e < TILE; e++)
            tile[e] = elements[at + e];
        naive_input_transform(NVDLA_FP16, 0, tile);
        converted[at] = (uint16_t)tile[0];
    }
}

/* ---- SDP ---- */

static void stage(void) {
    const struct sdp_stage x = {.algorithm = SDP_SUM, .relu = true, .floating_point = true};
    sdp_load(NVDLA_FP16, (const uint8_t *)elements, results, COUNT);
    sdp_stage_apply(&x, results, operands, operands, COUNT);
    const struct sdp_convertor convertor = {.proc = NVDLA_FP16, .out = NVDLA_FP16};
    sink = (int64_t)sdp_convert(&convertor, results, (uint8_t *)converted, COUNT);
}

static void stage_naive(void) {
    for (size_t i = 0; i < COUNT; i++) {
        uint32_t value = naive_from_fp16(&naive_fp32, elements[i]);
        value = naive_add(&naive_fp32, value, (uint32_t)operands[i]);
        value = naive_mul(&naive_fp32, value, (uint32_t)operands[i]);
        value = value >> 31 && !naive_is_nan(&naive_fp32, value) ? 0 : value;
        converted[i] = (uint16_t)naive_fp32_to_fp16(value);
    }
}

/* ---- tables ---- */

/* Both tables over -1 .. 1, as FP32: LE coarse, LO fine. */
static const struct lut_settings lut = {
    .le_linear = true,
    .hybrid_first_lo = true,
    .range = {{.start = 0xbf800000, .end = 0x3f800000, .select = -5, .under = {0x3c00, 0}, .over = {0x3c00, 0}},
              {.start = 0xbe800000, .end = 0x3e800000, .select = -9, .under = {0x3c00, 0}, .over = {0x3c00, 0}}},
};
static struct lut_entries entries;
static struct naive_tables naive_entries;
static struct naive_lut naive_lut;

static void fill_tables(void) {
    for (size_t i = 0; i < LUT_LE_ENTRIES; i++)
        entries.le[i] = (int16_t)(naive_entries.le[i] = elements[i]);
    for (size_t i = 0; i < LUT_LO_ENTRIES; i++)
        entries.lo[i] = (int16_t)(naive_entries.lo[i] = elements[i + LUT_LE_ENTRIES]);
    naive_lut = (struct naive_lut){.tables = &naive_entries, .le_linear = true, .hybrid_priority = 1};
    for (int t = 0; t < 2; t++) {
        naive_lut.select[t] = lut.range[t].select;
        naive_lut.start[t] = lut.range[t].start;
        naive_lut.end[t] = lut.range[t].end;
        naive_lut.scale[t][0] = naive_lut.scale[t][1] = 0x3c00;
    }
}

static void sdp_lut(void) {
    struct sdp_table_counters counters = {.hybrid = 0};
    memcpy(results, numbers, sizeof results);
    sdp_table_apply(&lut, &entries, true, results, COUNT, &counters);
    sink = (int64_t)counters.hybrid;
}

static void sdp_lut_naive(void) {
    for (size_t i = 0; i < COUNT; i++)
        results[i] = (int32_t)naive_look_up_sdp_fp16(&naive_lut, (uint32_t)numbers[i]).value;
}

static void cdp_lut(void) {
    struct lut_counters counters = {.hybrid = 0};
    lut_apply_cdp_fp16(&lut, &entries, (const uint32_t *)numbers, (uint32_t *)results, COUNT, &counters);
    sink = (int64_t)counters.hybrid;
}

static void cdp_lut_naive(void) {
    for (size_t i = 0; i < COUNT; i++)
        results[i] = (int32_t)naive_look_up_cdp_fp16(&naive_lut, (uint32_t)numbers[i]).value;
}

/* ---- PDP ---- */

enum { WIDTH = COUNT / CHANNELS / 4, SIZE = 2 }; /* four lines; windows of 2x2 */

static void pool(void) {
    const struct pdp_kernel kernel = {.precision = NVDLA_FP16,
                                      .method = PDP_AVERAGE,
                                      .width = SIZE,
                                      .height = SIZE,
                                      .stride_width = SIZE,
                                      .stride_height = SIZE,
                                      .reciprocal_width = 0x7800,
                                      .reciprocal_height = 0x7800};
    static uint32_t rows[SIZE][COUNT], total[COUNT];
    const void *both[] = {rows[0], rows[1]};
    for (size_t y = 0; y < 4; y += SIZE) {
        for (size_t r = 0; r < SIZE; r++)
            pdp_pool_width(&kernel, elements + (y + r) * WIDTH * CHANNELS, WIDTH, 0, rows[r], WIDTH / SIZE, CHANNELS);
        pdp_pool_height(&kernel, both, SIZE, WIDTH / SIZE * CHANNELS, total, converted);
    }
}

static void pool_naive(void) {
    const size_t line = WIDTH * CHANNELS;
    for (size_t y = 0; y < 4; y += SIZE) {
        for (size_t i = 0; i < line / SIZE; i++) {
            uint32_t rows[SIZE];
            for (size_t r = 0; r < SIZE; r++) {
                const uint16_t *at = elements + (y + r) * line + i / CHANNELS * SIZE * CHANNELS + i % CHANNELS;
                rows[r] = naive_add(&naive_fp17, naive_from_fp16(&naive_fp17, at[0]),
                                    naive_from_fp16(&naive_fp17, at[CHANNELS]));
            }
            uint32_t mean = naive_mul(&naive_fp17, naive_add(&naive_fp17, rows[0], rows[1]), 0x7800);
            converted[i] = (uint16_t)naive_fp17_to_fp16(naive_mul(&naive_fp17, mean, 0x7800));
        }
    }
}

/* ---- measuring ---- */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs a second. */
static double rate(void (*run)(void)) {
    const double start = now();
    double end = start;
    unsigned runs = 0;
    for (; end - start < LONG_ENOUGH; end = now(), runs++)
        run();
    return runs / (end - start);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void) {
    static const struct {
        const char *name;
        void (*model)(void), (*naive)(void);
        double operations; /* of a run */
    } kinds[] = {
        {"convolution, products", direct, direct_naive, (double)COUNT * KERNELS},
        {"Winograd, products", winograd, winograd_naive, (double)COUNT * KERNELS},
        {"Winograd, input transform, elements", transform, transform_naive, COUNT},
        {"SDP, sum, product, ReLU, elements", stage, stage_naive, COUNT},
        {"SDP, table, elements", sdp_lut, sdp_lut_naive, COUNT},
        {"CDP, table, elements", cdp_lut, cdp_lut_naive, COUNT},
        {"PDP, average of 2x2, elements", pool, pool_naive, COUNT},
    };
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    double model[KINDS][ROUNDS], naive[KINDS][ROUNDS];
    fill();
    place_weights();
    fill_tables();
    for (size_t r = 0; r < ROUNDS; r++) {
        for (size_t i = 0; i < KINDS; i++) {
            model[i][r] = rate(kinds[i].model) * kinds[i].operations;
            naive[i][r] = rate(kinds[i].naive) * kinds[i].operations;
        }
    }
    printf("the model's FP16 beside the plain definitions, millions a second: medians of %d rounds\n", ROUNDS);
    printf("  %-38s %10s %10s %8s\n", "", "model", "plain", "ratio");
    for (size_t i = 0; i < KINDS; i++) {
        qsort(model[i], ROUNDS, sizeof model[i][0], by_size);
        qsort(naive[i], ROUNDS, sizeof naive[i][0], by_size);
        const double fast = model[i][ROUNDS / 2], slow = naive[i][ROUNDS / 2];
        printf("  %-38s %10.1f %10.1f %7.1fx\n", kinds[i].name, 1e-6 * fast, 1e-6 * slow, fast / slow);
    }
    cmac_fp16_weights_free(&weights);
    return 0;
}
