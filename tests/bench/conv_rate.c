/* How fast the model carries out a convolution: multiply-accumulates per second of a 3x3 layer of 256 channels and 256
 * kernels on a 14x14 input (Winograd: 16x16) with one pixel of padding, from memory to memory: CDMA, the convolution
 * core and SDP with its convertor.
 *
 * usage: conv_rate CONFIG KIND [THREADS]     KIND: one of kinds[]
 * Prints GMAC/s of CPU time and of wall-clock time, the medians of several layers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/model.h"
#include "nvdla/fp.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"
#include "tests/unit/random.h"

enum {
    CHANNELS = 256,
    KERNELS = 256,
    PAD = 1,
    LAYERS = 11,
    SOURCE = 0x100000,
    WEIGHTS = 0x800000,
    RESULTS = 0x2000000
};
#define WARM_UP 0.1 /* seconds */

/* fp16: as networks have it, a bell curve around 0; fp16_alike: all products of like exponents; fp16_relu: no data is
 * below 0; winograd is of INT16. */
static const struct kind {
    const char *name;
    enum nvdla_precision precision;
    bool winograd, alike, relu;
} kinds[] = {
    {"int8", NVDLA_INT8, false, false, false},         {"int16", NVDLA_INT16, false, false, false},
    {"fp16", NVDLA_FP16, false, false, false},         {"fp16_alike", NVDLA_FP16, false, true, false},
    {"fp16_relu", NVDLA_FP16, false, false, true},     {"winograd", NVDLA_INT16, true, false, false},
    {"fp16_winograd", NVDLA_FP16, true, false, false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* What the registers are made from, true sizes. */
struct bench {
    struct device *dev;
    const struct kind *kind;
    enum nvdla_precision precision;
    bool winograd;
    uint32_t size, element; /* of the output and of a line; bytes */
};

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void put(const struct bench *b, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    b->dev->ops->csb_write(b->dev, nvdla_unit_base(b->dev->config, unit) + offset, value, false, NULL);
}

/* A number below 1 in FP16, near a normal distribution with a deviation of 0.29. */
static uint16_t bell(uint64_t bits) {
    int32_t sum = 0;
    for (unsigned i = 0; i < 4; i++)
        sum += (int8_t)(bits >> (8 + 8 * i));
    return sum == 0 ? 0 : (uint16_t)(fp16_from_integer(sum) - (9 << 10));
}

/* Memory of small numbers: sums that SDP does not clamp, FP16 without infinities. */
static void fill(const struct bench *b, uint64_t address, uint64_t elements, bool weights) {
    struct memory *memory = b->dev->memory[SPACE_PRIMARY];
    uint64_t seed = weights;
    memory_declare(memory, address, elements * b->element);
    for (uint64_t i = 0; i < elements; i++) {
        uint64_t bits = rnd64(&seed);
        uint16_t value = (uint16_t)(bits >> 40);
        if (b->kind->alike)
            value = (uint16_t)((value & 0x87ff) | 0x3800);
        else if (b->precision == NVDLA_FP16)
            value = bell(bits);
        if (b->kind->relu && !weights && value >> 15)
            value = 0;
        memory_write(memory, address + i * b->element, &value, b->element, NULL, NULL);
    }
}

static void program(const struct bench *b) {
    const struct nvdla_config *config = b->dev->config;
    uint32_t atom = (uint32_t)config->mem_atom, taps = b->winograd ? 16 : 9, size = b->size, extended = size + 4;
    uint32_t bytes = KERNELS * taps * CHANNELS * b->element;
    uint32_t entry = (uint32_t)config->atomic_c * (config->int16 ? 2 : 1);
    uint32_t entries = (b->winograd ? extended : size) * CHANNELS * b->element / entry;
    uint32_t depth = (uint32_t)(config->cbuf_bank_bytes * config->cbuf_bank_depth) / entry;
    uint32_t banks = (entries * (b->winograd ? extended : size) + depth - 1) / depth;
    uint32_t misc = b->winograd | (uint32_t)b->precision << 8 | (uint32_t)b->precision << 12;
    uint32_t bank = (banks - 1) | ((uint32_t)config->cbuf_banks - banks - 1) << 16;
    uint32_t in = (size - 1) | (size - 1) << 16, ext = b->winograd ? (extended - 1) | (extended - 1) << 16 : in;
    uint32_t line = size * atom;
    const struct {
        enum nvdla_unit unit;
        uint32_t offset, value;
    } values[] = {
        {NVDLA_CDMA, CDMA_D_MISC_CFG, misc},
        {NVDLA_CDMA, CDMA_D_DATAIN_SIZE_0, in},
        {NVDLA_CDMA, CDMA_D_DATAIN_SIZE_1, CHANNELS - 1},
        {NVDLA_CDMA, CDMA_D_DATAIN_SIZE_EXT_0, ext},
        {NVDLA_CDMA, CDMA_D_DAIN_RAM_TYPE, 1},
        {NVDLA_CDMA, CDMA_D_DAIN_ADDR_LOW_0, SOURCE},
        {NVDLA_CDMA, CDMA_D_LINE_STRIDE, line},
        {NVDLA_CDMA, CDMA_D_SURF_STRIDE, line * size},
        {NVDLA_CDMA, CDMA_D_DAIN_MAP, 0x10001},
        {NVDLA_CDMA, CDMA_D_ENTRY_PER_SLICE, entries - 1},
        {NVDLA_CDMA, CDMA_D_WEIGHT_SIZE_0, taps * CHANNELS * b->element - 1},
        {NVDLA_CDMA, CDMA_D_WEIGHT_SIZE_1, KERNELS - 1},
        {NVDLA_CDMA, CDMA_D_WEIGHT_RAM_TYPE, 1},
        {NVDLA_CDMA, CDMA_D_WEIGHT_ADDR_LOW, WEIGHTS},
        {NVDLA_CDMA, CDMA_D_WEIGHT_BYTES, bytes},
        {NVDLA_CDMA, CDMA_D_ZERO_PADDING, PAD | 3 << 8 | PAD << 16 | 3 << 24},
        {NVDLA_CDMA, CDMA_D_BANK, bank},
        {NVDLA_CSC, CSC_D_MISC_CFG, misc},
        {NVDLA_CSC, CSC_D_DATAIN_SIZE_EXT_0, ext},
        {NVDLA_CSC, CSC_D_ENTRY_PER_SLICE, entries - 1},
        {NVDLA_CSC, CSC_D_WEIGHT_SIZE_EXT_0, 2 | 2 << 16},
        {NVDLA_CSC, CSC_D_WEIGHT_SIZE_EXT_1, (CHANNELS - 1) | (KERNELS - 1) << 16},
        {NVDLA_CSC, CSC_D_WEIGHT_BYTES, bytes},
        {NVDLA_CSC, CSC_D_DATAOUT_SIZE_0, in},
        {NVDLA_CSC, CSC_D_ATOMICS, size * size - 1},
        {NVDLA_CSC, CSC_D_RELEASE, (b->winograd ? extended : size) - 1},
        {NVDLA_CSC, CSC_D_ZERO_PADDING, PAD | PAD << 16},
        {NVDLA_CSC, CSC_D_BANK, bank},
        {NVDLA_CMAC_A, CMAC_A_D_MISC_CFG, misc},
        {NVDLA_CMAC_B, CMAC_B_D_MISC_CFG, misc},
        {NVDLA_CACC, CACC_D_MISC_CFG, misc},
        {NVDLA_SDP, SDP_D_DATA_CUBE_WIDTH, size - 1},
        {NVDLA_SDP, SDP_D_DATA_CUBE_HEIGHT, size - 1},
        {NVDLA_SDP, SDP_D_DATA_CUBE_CHANNEL, KERNELS - 1},
        {NVDLA_SDP, SDP_D_DST_BASE_ADDR_LOW, RESULTS},
        {NVDLA_SDP, SDP_D_DST_LINE_STRIDE, line},
        {NVDLA_SDP, SDP_D_DST_SURFACE_STRIDE, line * size},
        {NVDLA_SDP, SDP_D_DP_BS_CFG, 1},
        {NVDLA_SDP, SDP_D_DP_BN_CFG, 1},
        {NVDLA_SDP, SDP_D_DP_EW_CFG, 1},
        {NVDLA_SDP, SDP_D_FEATURE_MODE_CFG, 1 | (uint32_t)b->winograd << 2},
        {NVDLA_SDP, SDP_D_DST_DMA_CFG, 1},
        {NVDLA_SDP, SDP_D_DATA_FORMAT, (uint32_t)b->precision | (uint32_t)b->precision << 2},
        {NVDLA_SDP, SDP_D_CVT_SCALE, 1},
        {NVDLA_SDP, SDP_D_CVT_SHIFT, 8},
        {NVDLA_SDP, SDP_D_OP_ENABLE, 1},
        {NVDLA_CACC, CACC_D_OP_ENABLE, 1},
        {NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE, 1},
        {NVDLA_CMAC_B, CMAC_B_D_OP_ENABLE, 1},
        {NVDLA_CSC, CSC_D_OP_ENABLE, 1},
        {NVDLA_CDMA, CDMA_D_OP_ENABLE, 1},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        put(b, values[i].unit, values[i].offset, values[i].value);
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Seconds that a layer took. */
struct took {
    double cpu, wall;
};

/* One layer in group `group`; 0 if it does not end. */
static struct took run_layer(const struct bench *b, uint32_t group) {
    static const enum nvdla_unit units[] = {NVDLA_CDMA, NVDLA_CSC, NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CACC, NVDLA_SDP};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        put(b, units[i], CSC_S_POINTER, group);
    program(b);
    const double cpu = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
    for (;;) {
        enum device_state state = b->dev->ops->advance(b->dev, UINT64_MAX, true, NULL);
        uint32_t status = 0;
        b->dev->ops->csb_read(b->dev, nvdla_unit_base(b->dev->config, NVDLA_GLB) + GLB_S_INTR_STATUS, &status, NULL);
        put(b, NVDLA_GLB, GLB_S_INTR_STATUS, status);
        if (status & 3)
            return (struct took){now(CLOCK_PROCESS_CPUTIME_ID) - cpu, now(CLOCK_MONOTONIC) - wall};
        if (state == DEVICE_IDLE || state == DEVICE_FAILED)
            return (struct took){0, 0};
    }
}

int main(int argc, char **argv) {
    const struct nvdla_config *config = argc > 2 ? nvdla_config_find(argv[1]) : NULL;
    const struct kind *kind = kinds;
    while (config && kind < kinds + KINDS && strcmp(argv[2], kind->name) != 0)
        kind++;
    if (!config || kind == kinds + KINDS) {
        fprintf(stderr, "usage: conv_rate CONFIG KIND [THREADS]\nKIND:");
        for (size_t i = 0; i < KINDS; i++)
            fprintf(stderr, " %s", kinds[i].name);
        fprintf(stderr, "\n");
        return 1;
    }
    struct error err;
    struct model_options options = {.threads = argc > 3 ? strtoul(argv[3], NULL, 10) : 1};
    struct bench b = {.dev = model_new(config, &options),
                      .kind = kind,
                      .precision = kind->precision,
                      .winograd = kind->winograd,
                      .size = kind->winograd ? 16 : 14,
                      .element = kind->precision == NVDLA_INT8 ? 1 : 2};
    if (!b.dev->ops->reset(b.dev, &err)) {
        fprintf(stderr, "conv_rate: %s\n", err.text);
        return 1;
    }
    fill(&b, SOURCE, (uint64_t)b.size * b.size * CHANNELS, false);
    fill(&b, WEIGHTS, (uint64_t)(b.winograd ? 16 : 9) * CHANNELS * KERNELS, true);
    memory_declare(b.dev->memory[SPACE_PRIMARY], RESULTS, (uint64_t)b.size * b.size * KERNELS * b.element);
    double cpu[LAYERS], wall[LAYERS];
    uint32_t layer = 0;
    /* New threads start on the core of the one that made them and take a while to spread. */
    for (double begin = now(CLOCK_MONOTONIC);
         now(CLOCK_MONOTONIC) - begin < WARM_UP && run_layer(&b, layer % 2).wall > 0; layer++) {
    }
    for (uint32_t i = 0; i < LAYERS; i++) {
        const struct took took = run_layer(&b, layer++ % 2);
        cpu[i] = took.cpu;
        wall[i] = took.wall;
    }
    qsort(cpu, LAYERS, sizeof cpu[0], by_size);
    qsort(wall, LAYERS, sizeof wall[0], by_size);
    if (wall[0] <= 0 || b.dev->finding_count > 0) {
        fprintf(stderr, "conv_rate: the layer does not run%s%s\n", b.dev->finding_count ? ": " : "",
                b.dev->finding_count ? b.dev->findings[0].text : "");
        return 1;
    }
    double windows = (double)b.size * b.size / (b.winograd ? 4 : 1), taps = b.winograd ? 16 : 9;
    const double products = 1e-9 * windows * taps * CHANNELS * KERNELS;
    printf("%.3f %.3f\n", products / cpu[LAYERS / 2], products / wall[LAYERS / 2]);
    b.dev->ops->destroy(b.dev);
    return 0;
}
