#include "reference.h"

#include <stdlib.h>
#include <string.h>

#include "model/pdp.h"
#include "nvdla_offsets.h"

struct reference {
    struct device device[REFERENCE_SIDES]; /* memories alone; the operations are never called */
    struct register_group pdp, rdma;
    uint64_t beats;
    struct dma_outside outside;
};

static bool make_memories(struct device *device, const struct nvdla_config *config) {
    *device = (struct device){.name = "pdp", .config = config};
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
    ok = register_group_init(&ref->pdp, config, NVDLA_PDP) && ok;
    ok = register_group_init(&ref->rdma, config, NVDLA_PDP_RDMA) && ok;
    if (!ok) {
        reference_free(ref);
        return NULL;
    }
    *shape = (struct reference_shape){.atom = config->mem_atom,
                                      .pdp = config->pdp_throughput,
                                      .sdp = config->sdp_bs_throughput,
                                      .memories = config->secondary_memory ? 2 : 1,
                                      .latency = config->dbb_latency};
    return ref;
}

void reference_free(struct reference *ref) {
    register_group_free(&ref->pdp);
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
    register_group_write(rdma ? &ref->rdma : &ref->pdp, offset, value);
}

uint32_t reference_register_read(struct reference *ref, bool rdma, uint32_t offset) {
    return register_group_read(rdma ? &ref->rdma : &ref->pdp, offset);
}

struct stream {
    const uint8_t *bytes;
    size_t line; /* bytes of a line */
};

static void next_line(void *context, uint8_t *bytes) {
    struct stream *stream = context;
    memcpy(bytes, stream->bytes, stream->line);
    stream->bytes += stream->line;
}

bool reference_run(struct reference *ref, const uint8_t *stream, size_t stream_bytes, const char **reason) {
    if (!register_group_running(&ref->pdp)) {
        *reason = "PDP is not armed";
        return false;
    }
    struct pdp_layer layer;
    pdp_layer_decode(&layer, ref->device[REFERENCE_MODEL].config, &ref->pdp, &ref->rdma);
    if (!layer.valid || (layer.from_memory && !register_group_running(&ref->rdma))) {
        *reason = "the registers do not fit together";
        return false;
    }
    struct device *device = &ref->device[REFERENCE_MODEL];
    bool one = !device->memory[SPACE_SECONDARY];
    struct dma input, output;
    dma_init(&output, device, &ref->outside, one || layer.destination_primary, NVDLA_PDP, 2, 0, &ref->beats);
    uint64_t nans = 0;
    bool ok;
    if (layer.from_memory) {
        dma_init(&input, device, &ref->outside, one || layer.source_primary, NVDLA_PDP_RDMA, 2, 0, &ref->beats);
        ok = pdp_run_from_memory(&layer, &input, &output, &nans);
        register_group_done(&ref->rdma);
    } else {
        struct stream lines = {stream, (size_t)layer.width * layer.atom};
        if (stream_bytes != lines.line * (size_t)layer.height * (size_t)layer.surfaces) {
            *reason = "the stream is not the cube";
            return false;
        }
        ok = pdp_run(&layer, (struct pdp_source){next_line, &lines}, &output, &nans);
    }
    register_group_done(&ref->pdp);
    *reason = "out of memory";
    return ok;
}
