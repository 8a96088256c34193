#include "reference.h"

#include <stdlib.h>

#include "model/cdp.h"
#include "nvdla_offsets.h"

struct reference {
    struct device device[REFERENCE_SIDES]; /* memories alone; the operations are never called */
    struct register_group cdp, rdma;
    struct lut_entries lut;
    uint64_t beats;
    struct dma_outside outside;
};

static bool make_memories(struct device *device, const struct nvdla_config *config) {
    *device = (struct device){.name = "cdp", .config = config};
    for (int space = 0; space < (config->secondary_memory ? 2 : 1); space++) {
        device->memory[space] = memory_new();
        if (!device->memory[space]) {
            return false;
        }
        memory_declare(device->memory[space], 0, UINT64_MAX);
    }
    return true;
}

struct reference *reference_new(const char *name, struct reference_shape *shape) {
    const struct nvdla_config *config = nvdla_config_find(name);
    struct reference *ref = config ? calloc(1, sizeof *ref) : NULL;
    if (!ref) {
        return NULL;
    }
    bool ok =
        make_memories(&ref->device[REFERENCE_MODEL], config) && make_memories(&ref->device[REFERENCE_RTL], config);
    ok = register_group_init(&ref->cdp, config, NVDLA_CDP) && ok;
    ok = register_group_init(&ref->rdma, config, NVDLA_CDP_RDMA) && ok;
    if (!ok) {
        reference_free(ref);
        return NULL;
    }
    *shape = (struct reference_shape){
        .atom = config->mem_atom, .cdp = config->cdp_throughput, .memories = config->secondary_memory ? 2 : 1};
    return ref;
}

void reference_free(struct reference *ref) {
    register_group_free(&ref->cdp);
    register_group_free(&ref->rdma);
    for (int side = 0; side < REFERENCE_SIDES; side++) {
        for (int space = 0; space < SPACE_COUNT; space++) {
            if (ref->device[side].memory[space]) {
                memory_free(ref->device[side].memory[space]);
            }
        }
    }
    free(ref);
}

static struct memory *memory_of(struct reference *ref, enum reference_side side, bool primary) {
    return ref->device[side].memory[primary ? SPACE_PRIMARY : SPACE_SECONDARY];
}

void reference_read(struct reference *ref, enum reference_side side, bool primary, uint64_t address, void *bytes,
                    size_t n) {
    memory_read(memory_of(ref, side, primary), address, bytes, n);
}

void reference_write(struct reference *ref, enum reference_side side, bool primary, uint64_t address, const void *bytes,
                     size_t n) {
    memory_write(memory_of(ref, side, primary), address, bytes, n, NULL, NULL);
}

void reference_load(struct reference *ref, bool primary, uint64_t address, const void *bytes, size_t n) {
    reference_write(ref, REFERENCE_MODEL, primary, address, bytes, n);
    reference_write(ref, REFERENCE_RTL, primary, address, bytes, n);
}

bool reference_difference(struct reference *ref, bool *primary, uint64_t *address) {
    for (int space = 0; space < SPACE_COUNT; space++) {
        const struct memory *model = ref->device[REFERENCE_MODEL].memory[space];
        const struct memory *rtl = ref->device[REFERENCE_RTL].memory[space];
        if (model && memory_next_difference(model, rtl, 0, address)) {
            *primary = space == SPACE_PRIMARY;
            return true;
        }
    }
    return false;
}

void reference_register_write(struct reference *ref, bool rdma, uint32_t offset, uint32_t value) {
    if (!rdma && offset == CDP_S_LUT_ACCESS_DATA) {
        cdp_lut_write(&ref->cdp, &ref->lut, value);
    } else {
        register_group_write(rdma ? &ref->rdma : &ref->cdp, offset, value);
    }
}

uint32_t reference_register_read(struct reference *ref, bool rdma, uint32_t offset) {
    if (!rdma && offset == CDP_S_LUT_ACCESS_DATA) {
        return cdp_lut_read(&ref->cdp, &ref->lut);
    }
    return register_group_read(rdma ? &ref->rdma : &ref->cdp, offset);
}

bool reference_run(struct reference *ref) {
    if (!register_group_running(&ref->cdp) || !register_group_running(&ref->rdma)) {
        return false;
    }
    struct cdp_layer layer;
    struct device *device = &ref->device[REFERENCE_MODEL];
    cdp_layer_decode(&layer, device->config, &ref->cdp, &ref->rdma);
    bool one = !device->memory[SPACE_SECONDARY];
    struct dma input, output;
    struct cdp_idle_units idle;
    struct cdp_counts counts;
    cdp_idle_units_reset(&idle);
    dma_init(&input, device, &ref->outside, one || layer.source_primary, NVDLA_CDP_RDMA, 3, 0, &ref->beats);
    dma_init(&output, device, &ref->outside, one || layer.destination_primary, NVDLA_CDP, 3, 0, &ref->beats);
    bool ok = cdp_run(&layer, &ref->lut, &idle, &input, &output, &counts);
    cdp_counts_load(&counts, &ref->cdp);
    register_group_done(&ref->cdp);
    register_group_done(&ref->rdma);
    return ok;
}
