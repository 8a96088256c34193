/* Fuzzes the model's registers: inputs are register accesses, small legal layers, enables and time, on small, large and
 * full. Nothing may crash the model or keep it busy, whatever is programmed; what hangs must be explained. */
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/model.h"
#include "nvdla/registers.h"
#include "tests/unit/legal_layers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* Steps of the model for one input, and layers small enough that an input takes milliseconds. */
enum { MOST_STEPS = 200 };
static const struct model_limits limits = {.atoms = 1 << 14, .products = 1 << 22, .elements = 1 << 18};

struct fuzz {
    struct device *dev;
    const uint8_t *at, *end;
    int steps;
    bool refused;
};

static uint32_t byte(struct fuzz *f) {
    return f->at < f->end ? *f->at++ : 0;
}

static void write_register(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct fuzz *f = context;
    struct error err = {.text = ""};
    uint32_t address = nvdla_unit_base(f->dev->config, unit) + offset;
    if (!f->refused && !f->dev->ops->csb_write(f->dev, address, value, false, &err)) {
        f->refused = true;
        assert(err.kind == ERROR_REFUSED && err.text[0]);
    }
}

/* A register of the map, by the next two bytes: unit, then register of the unit. */
static const struct nvdla_register *pick(struct fuzz *f) {
    const struct nvdla_register_map *map = &nvdla_register_maps[f->dev->config->map];
    enum nvdla_unit unit = byte(f) % NVDLA_UNIT_COUNT;
    size_t first = 0, count = 0;
    for (size_t i = 0; i < map->count; i++)
        if (map->registers[i].unit == unit)
            first = count++ ? first : i;
    uint32_t index = byte(f);
    return count ? &map->registers[first + index % count] : NULL;
}

static void put(struct fuzz *f, const struct nvdla_register *reg, uint32_t value) {
    if (reg)
        write_register(f, reg->unit, reg->address - nvdla_unit_base(f->dev->config, reg->unit), value);
}

static uint32_t word(struct fuzz *f) {
    uint32_t value = byte(f);
    value |= byte(f) << 8;
    value |= byte(f) << 16;
    return value | byte(f) << 24;
}

/* All groups of all units, before a legal layer is written. */
static void select_group(struct fuzz *f, uint32_t group) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if ((f->dev->units >> unit & 1) && nvdla_register_find(f->dev->config, unit, "D_OP_ENABLE"))
            write_register(f, unit, SDP_S_POINTER, group);
}

static enum device_state advance(struct fuzz *f) {
    struct error err = {.text = ""};
    if (f->refused || f->steps++ >= MOST_STEPS)
        return DEVICE_IDLE;
    enum device_state state = f->dev->ops->advance(f->dev, 100, false, &err);
    if (state == DEVICE_FAILED) {
        f->refused = true;
        assert(err.kind == ERROR_REFUSED && err.text[0]);
    }
    return state;
}

static void step(struct fuzz *f) {
    struct error err = {.text = ""};
    const struct nvdla_config *config = f->dev->config;
    struct legal_sink sink = {write_register, f};
    uint32_t command = byte(f), argument;
    const struct nvdla_register *reg;
    const int layer = (int)(command >> 4) % LEGAL_LAYERS;
    switch (command & 15) {
    case 0:
    case 1:
        if (legal_layer_exists(config, layer)) {
            select_group(f, command & 1);
            legal_layer(config, layer, sink);
        }
        break;
    case 2:
    case 3:
        if (legal_layer_exists(config, layer))
            legal_layer_enable(config, layer, sink);
        break;
    case 4:
        reg = pick(f);
        put(f, reg, word(f));
        break;
    case 5:
        reg = pick(f);
        put(f, reg, byte(f));
        break;
    case 6:
        reg = pick(f);
        argument = byte(f);
        put(f, reg, (argument & 31 ? UINT32_C(1) << (argument & 31) : 0) - (argument >> 7));
        break;
    case 7: /* one bit of the value */
        reg = pick(f);
        argument = byte(f);
        if (reg) {
            uint32_t value = 0;
            f->dev->ops->csb_read(f->dev, reg->address, &value, &err);
            put(f, reg, value ^ UINT32_C(1) << (argument & 31));
        }
        break;
    case 8:
        select_group(f, command >> 4 & 1);
        break;
    case 9:
        write_register(f, NVDLA_GLB, GLB_S_INTR_STATUS, UINT32_MAX);
        break;
    case 10:
        argument = command >> 4;
        while (argument-- > 0 && advance(f) == DEVICE_RUNNING) {
        }
        break;
    case 11:
        if (command >> 4 == 0)
            f->dev->ops->reset(f->dev, &err);
        break;
    default:
        reg = pick(f);
        put(f, reg, 1); /* many of them enables */
        break;
    }
}

/* True if a unit has a layer that its turn has come for. */
static bool anything_runs(struct device *dev) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        uint32_t status = 0;
        struct error err = {.text = ""};
        if ((dev->units >> unit & 1) && nvdla_register_find(dev->config, unit, "D_OP_ENABLE"))
            dev->ops->csb_read(dev, nvdla_unit_base(dev->config, unit) + SDP_S_STATUS, &status, &err);
        if ((status & 3) == 1 || (status >> 16 & 3) == 1)
            return true;
    }
    return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const char *const configs[] = {"small", "large", "full"};
    struct error err = {.text = ""};
    struct fuzz f = {.at = data, .end = data + n};
    uint32_t kind = byte(&f);
    struct model_options options = {
        .allow_outside = kind & 8, .allow_undefined = kind & 4, .threads = kind & 16 ? 2 : 1, .limits = limits};
    f.dev = model_new(nvdla_config_find(configs[(kind & 3) % 3]), &options);
    if (!f.dev->ops->reset(f.dev, &err))
        abort();
    for (int space = 0; space < SPACE_COUNT; space++) {
        if (f.dev->memory[space]) {
            memory_declare(f.dev->memory[space], 0, LEGAL_MEMORY);
            memory_fill(f.dev->memory[space], LEGAL_SOURCE, LEGAL_DESTINATION - LEGAL_SOURCE, 3);
            memory_fill(f.dev->memory[space], LEGAL_MASKS, LEGAL_SIZES - LEGAL_MASKS, 0xff);
        }
    }
    while (f.at < f.end && !f.refused)
        step(&f);
    while (advance(&f) == DEVICE_RUNNING) {
    }
    if (!f.refused && f.steps < MOST_STEPS && anything_runs(f.dev)) {
        f.dev->ops->explain(f.dev);
        assert(f.dev->warning_count + f.dev->finding_count > 0);
    }
    f.dev->ops->destroy(f.dev);
    return 0;
}
