/* What the tests of the model share: a device, register access by unit and in-window offset, memory by the back door.
 */
#pragma once

#include "model/model.h"
#include "nvdla/lut.h"
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

enum { SOURCE = 0x100000, DESTINATION = 0x200000, REGION = 0x40000 };

/* With room for the input of a layer at SOURCE and its output at DESTINATION. */
static inline struct device *bench_of_layer(const char *config) {
    struct device *dev = bench_new(config);
    memory_declare(dev->memory[SPACE_PRIMARY], SOURCE, REGION);
    memory_declare(dev->memory[SPACE_PRIMARY], DESTINATION, REGION);
    return dev;
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

/* Writes both tables through that port. */
static inline void load_tables(struct device *dev, enum nvdla_unit unit, const int16_t *le, const int16_t *lo) {
    for (uint32_t table = 0; table < LUT_TABLES; table++) {
        put(dev, unit, SDP_S_LUT_ACCESS_CFG, 0x20000 | table << 16);
        for (int k = 0; k < (table ? LUT_LO_ENTRIES : LUT_LE_ENTRIES); k++)
            put(dev, unit, SDP_S_LUT_ACCESS_DATA, (uint16_t)(table ? lo : le)[k]);
    }
}

static inline void sdp_arm(struct device *dev) {
    put(dev, NVDLA_SDP_RDMA, SDP_RDMA_D_OP_ENABLE, 1);
    put(dev, NVDLA_SDP, SDP_D_OP_ENABLE, 1);
}
