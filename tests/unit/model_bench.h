/* What the tests of the model share: a device, register access by unit and in-window offset, memory by the back door.
 */
#ifndef TESTS_MODEL_BENCH_H
#define TESTS_MODEL_BENCH_H

#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"
#include "tests/unit/random.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"

static inline void bench_release(struct device *dev) {
    dev->ops->destroy(dev);
}
TEST_KEEPS(bench_keep, struct device, bench_release)

/* Engines are tested here, rules in test_rules.c. */
static inline struct device *bench_with(const char *config, bool allow_outside) {
    struct error err = {.text = ""};
    struct model_options options = {.allow_undefined = true, .allow_outside = allow_outside};
    struct device *dev = bench_keep(model_new(nvdla_config_find(config), &options));
    assert_true(dev->ops->reset(dev, &err));
    return dev;
}

static inline struct device *bench_new(const char *config) {
    return bench_with(config, false);
}

/* Accesses outside the declared regions are no findings. */
static inline struct device *bench_lenient(const char *config) {
    return bench_with(config, true);
}

static inline void put(struct device *dev, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    assert_true(dev->ops->csb_write(dev, nvdla_unit_base(dev->config, unit) + offset, value, false, NULL));
}

/* Writes registers of a unit: PUT(dev, unit, {offset, value}, ...). */
#define PUT(dev, unit, ...) FOR_ROWS(put(dev, unit, offset_, value_), __VA_ARGS__)

static inline uint32_t get(struct device *dev, enum nvdla_unit unit, uint32_t offset) {
    uint32_t value = 0xdeadbeef;
    assert_true(dev->ops->csb_read(dev, nvdla_unit_base(dev->config, unit) + offset, &value, NULL));
    return value;
}

static inline enum device_state advance(struct device *dev) {
    return dev->ops->advance(dev, 1000, true, NULL);
}

static inline uint32_t pending_interrupts(struct device *dev) {
    return get(dev, NVDLA_GLB, GLB_S_INTR_STATUS);
}

static inline void clear_interrupts(struct device *dev) {
    put(dev, NVDLA_GLB, GLB_S_INTR_STATUS, UINT32_MAX);
}

/* Declares a region and fills it with random bytes. */
static inline void random_region(struct device *dev, uint64_t *state, uint64_t address, size_t n) {
    memory_declare(dev->memory[SPACE_PRIMARY], address, n);
    for (size_t i = 0; i < n; i += 4) {
        uint32_t word = rnd(state);
        memory_write(dev->memory[SPACE_PRIMARY], address + i, &word, n - i < 4 ? n - i : 4, NULL, NULL);
    }
}

static inline uint8_t byte_at(struct device *dev, uint64_t address) {
    uint8_t byte = 0;
    memory_read(dev->memory[SPACE_PRIMARY], address, &byte, 1);
    return byte;
}

/* Uses the access port of the tables of SDP or CDP, whose registers have the same layout. Words of the text: Cn writes
 * S_LUT_ACCESS_CFG, Wn S_LUT_ACCESS_DATA; Pn and En expect that of both; numbers in hexadecimal. */
static inline void table_port(struct device *dev, enum nvdla_unit unit, const char *text) {
    for (char *end; *text; text = end + strspn(end, " ")) {
        const uint32_t value = (uint32_t)strtoul(text + 1, &end, 16);
        const uint32_t offset = strchr("CP", *text) ? SDP_S_LUT_ACCESS_CFG : SDP_S_LUT_ACCESS_DATA;
        if (strchr("CW", *text))
            put(dev, unit, offset, value);
        else if (get(dev, unit, offset) != value)
            fail_msg("%s: found another value, expected '%s'", nvdla_unit_names[unit], text);
    }
}

/* Programs SDP and SDP_RDMA to copy a cube from memory: everything bypassed, convertor neutral, both ports MC, the cube
 * at `source` and `destination` packed. Tests change what they are about. */
static inline void sdp_copy(struct device *dev, uint32_t width, uint32_t height, uint32_t channels, uint32_t source,
                            uint32_t destination) {
    uint32_t line = width * (uint32_t)dev->config->mem_atom;
    PUT(dev, NVDLA_SDP, {SDP_D_DATA_CUBE_WIDTH, width - 1}, {SDP_D_DATA_CUBE_HEIGHT, height - 1},
        {SDP_D_DATA_CUBE_CHANNEL, channels - 1}, {SDP_D_DST_BASE_ADDR_LOW, destination}, {SDP_D_DST_BASE_ADDR_HIGH, 0},
        {SDP_D_DST_LINE_STRIDE, line}, {SDP_D_DST_SURFACE_STRIDE, line * height}, {SDP_D_DP_BS_CFG, 1},
        {SDP_D_DP_BN_CFG, 1}, {SDP_D_DP_EW_CFG, 1}, {SDP_D_FEATURE_MODE_CFG, 0}, {SDP_D_DST_DMA_CFG, 1},
        {SDP_D_DATA_FORMAT, 0}, {SDP_D_CVT_OFFSET, 0}, {SDP_D_CVT_SCALE, 1}, {SDP_D_CVT_SHIFT, 0},
        {SDP_D_PERF_ENABLE, 0});
    PUT(dev, NVDLA_SDP_RDMA, {SDP_RDMA_D_DATA_CUBE_WIDTH, width - 1}, {SDP_RDMA_D_DATA_CUBE_HEIGHT, height - 1},
        {SDP_RDMA_D_DATA_CUBE_CHANNEL, channels - 1}, {SDP_RDMA_D_SRC_BASE_ADDR_LOW, source},
        {SDP_RDMA_D_SRC_BASE_ADDR_HIGH, 0}, {SDP_RDMA_D_SRC_LINE_STRIDE, line},
        {SDP_RDMA_D_SRC_SURFACE_STRIDE, line * height}, {SDP_RDMA_D_BRDMA_CFG, 0x21}, {SDP_RDMA_D_NRDMA_CFG, 0x21},
        {SDP_RDMA_D_ERDMA_CFG, 0x21}, {SDP_RDMA_D_FEATURE_MODE_CFG, 0}, {SDP_RDMA_D_SRC_DMA_CFG, 1});
}

static inline void sdp_arm(struct device *dev) {
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE, 1);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
}

/* Selects a group of SDP and SDP_RDMA. */
static inline void sdp_group(struct device *dev, uint32_t group) {
    put(dev, NVDLA_SDP, SDP_S_POINTER, group);
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_S_POINTER, group);
}

/* A pooling layer for pdp_program(). */
struct pooling {
    uint32_t width, height, channels, out_width, out_height;
    uint32_t method; /* 0 average, 1 max, 2 min */
    uint32_t kernel_width, kernel_height, stride_width, stride_height;
    uint32_t left, top, right, bottom;
    uint32_t reciprocal_width, reciprocal_height;
    uint32_t pad[8]; /* [1..7] */
    uint32_t source, destination;
    uint32_t source_line, source_surface, destination_line, destination_surface;
    uint32_t splits, partial_in, partial_out; /* splits 0 or 1: none */
    uint32_t on_the_fly;
    uint32_t format; /* 0 INT8, 1 INT16, 2 FP16 */
    uint32_t nan_to_zero;
};

/* Programs PDP and PDP_RDMA with a pooling layer, both ports MC. */
static inline void pdp_program(struct device *dev, const struct pooling *p) {
    uint32_t split = p->splits > 0 ? p->splits - 1 : 0;
    PUT(dev, NVDLA_PDP, {PDP_D_DATA_CUBE_IN_WIDTH, p->width - 1}, {PDP_D_DATA_CUBE_IN_HEIGHT, p->height - 1},
        {PDP_D_DATA_CUBE_IN_CHANNEL, p->channels - 1}, {PDP_D_DATA_CUBE_OUT_WIDTH, p->out_width - 1},
        {PDP_D_DATA_CUBE_OUT_HEIGHT, p->out_height - 1}, {PDP_D_DATA_CUBE_OUT_CHANNEL, p->channels - 1},
        {PDP_D_OPERATION_MODE_CFG, p->method | (p->on_the_fly ? 0u : 1u) << 4 | split << 8},
        {PDP_D_NAN_FLUSH_TO_ZERO, p->nan_to_zero}, {PDP_D_PARTIAL_WIDTH_IN, p->partial_in},
        {PDP_D_PARTIAL_WIDTH_OUT, p->partial_out},
        {PDP_D_POOLING_KERNEL_CFG, (p->kernel_width - 1) | (p->kernel_height - 1) << 8 | (p->stride_width - 1) << 16 |
                                       (p->stride_height - 1) << 20},
        {PDP_D_RECIP_KERNEL_WIDTH, p->reciprocal_width}, {PDP_D_RECIP_KERNEL_HEIGHT, p->reciprocal_height},
        {PDP_D_POOLING_PADDING_CFG, p->left | p->top << 4 | p->right << 8 | p->bottom << 12},
        {PDP_D_DST_BASE_ADDR_LOW, p->destination}, {PDP_D_DST_LINE_STRIDE, p->destination_line},
        {PDP_D_DST_SURFACE_STRIDE, p->destination_surface}, {PDP_D_DST_RAM_CFG, 1}, {PDP_D_DATA_FORMAT, p->format});
    for (uint32_t n = 1; n < 8; n++)
        put(dev, NVDLA_PDP, PDP_D_POOLING_PADDING_VALUE_1_CFG + 4 * (n - 1), p->pad[n]);
    PUT(dev, NVDLA_PDP_RDMA, {PDP_RDMA_D_DATA_CUBE_IN_WIDTH, p->width - 1},
        {PDP_RDMA_D_DATA_CUBE_IN_HEIGHT, p->height - 1}, {PDP_RDMA_D_DATA_CUBE_IN_CHANNEL, p->channels - 1},
        {PDP_RDMA_D_FLYING_MODE, 1}, {PDP_RDMA_D_SRC_BASE_ADDR_LOW, p->source},
        {PDP_RDMA_D_SRC_LINE_STRIDE, p->source_line}, {PDP_RDMA_D_SRC_SURFACE_STRIDE, p->source_surface},
        {PDP_RDMA_D_SRC_RAM_CFG, 1}, {PDP_RDMA_D_DATA_FORMAT, p->format}, {PDP_RDMA_D_OPERATION_MODE_CFG, split},
        {PDP_RDMA_D_POOLING_KERNEL_CFG, (p->kernel_width - 1) | (p->stride_width - 1) << 4},
        {PDP_RDMA_D_PARTIAL_WIDTH_IN, p->partial_in});
}

static inline void pdp_arm(struct device *dev) {
    put(dev, NVDLA_PDP_RDMA, PDP_RDMA_D_OP_ENABLE, 1);
    put(dev, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
}

#endif
