/* AXI ID to unit and launch; see provenance.h. */
#include "tb/provenance.h"

#include <stdio.h>
#include <stdlib.h>

#include "layers/cubes.h"
#include "layers/traffic.h"
#include "nvdla/registers.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

enum { PORTS = 2 };

/* Position of a client on a port: the launch being served and its remaining bytes. */
struct cursor {
    int32_t ordinal; /* -1: none yet */
    uint64_t left;
};

struct provenance {
    const struct nvdla_config *config;
    struct layer_tracker *tracker;
    struct cursor cursors[NVDLA_CLIENT_COUNT][PORTS];
};

struct provenance *provenance_new(const struct nvdla_config *config) {
    struct provenance *prov = xcalloc(1, sizeof *prov);
    prov->config = config;
    prov->tracker = layer_tracker_new(config);
    for (int c = 0; c < NVDLA_CLIENT_COUNT; c++)
        for (int p = 0; p < PORTS; p++)
            prov->cursors[c][p].ordinal = -1;
    return prov;
}

void provenance_free(struct provenance *prov) {
    if (!prov)
        return;
    layer_tracker_free(prov->tracker);
    free(prov);
}

bool provenance_register_write(struct provenance *prov, uint32_t address, uint32_t value, uint64_t cycle) {
    return layer_tracker_write(prov->tracker, address, value, (size_t)cycle) != NULL;
}

const struct launch *provenance_launch(const struct provenance *prov, enum nvdla_unit unit, int ordinal) {
    return layer_tracker_find(prov->tracker, unit, ordinal);
}

/* Atoms that the descriptors of a launch of BDMA move on a port. */
static uint64_t block_atoms(const struct provenance *prov, const struct launch *launch, int port, bool write) {
    struct launch_block block;
    uint64_t atoms = 0;
    for (size_t i = 0; launch_block(prov->config, launch, i, &block); i++) {
        const struct cube *cube = write ? &block.destination : &block.source;
        if ((write ? block.destination_primary : block.source_primary) == (port == 0))
            atoms += (uint64_t)cube->width * (uint64_t)cube->height * (uint64_t)cube_surfaces(cube);
    }
    return atoms;
}

/* Bytes of a launch on a port. */
static uint64_t share(const struct provenance *prov, const struct launch *launch, int port, enum nvdla_client client) {
    const struct nvdla_client_facts *facts = &nvdla_clients[client];
    const uint64_t atom = (uint64_t)prov->config->mem_atom;
    if (launch->unit == NVDLA_BDMA)
        return block_atoms(prov, launch, port, facts->write) * atom;
    const bool primary =
        !prov->config->secondary_memory || (launch_register(launch, facts->ram_register) & facts->ram_mask);
    return primary == (port == 0) ? launch_atoms(prov->config, launch, client) * atom : 0;
}

struct owner provenance_move(struct provenance *prov, int port, int id, bool write, size_t bytes) {
    struct owner owner = {-1, -1};
    const enum nvdla_client client = nvdla_client_find(id, write);
    if (client == NVDLA_CLIENT_COUNT)
        return owner;
    owner.unit = (int16_t)nvdla_clients[client].unit;
    struct cursor *cursor = &prov->cursors[client][port];
    while (!cursor->left) {
        const struct launch *next = layer_tracker_find(prov->tracker, (enum nvdla_unit)owner.unit, cursor->ordinal + 1);
        if (!next)
            return owner;
        cursor->ordinal++;
        cursor->left = share(prov, next, port, client);
    }
    owner.ordinal = cursor->ordinal;
    cursor->left -= bytes < cursor->left ? bytes : cursor->left;
    return owner;
}

const struct layer_tracker *provenance_launches(const struct provenance *prov) {
    return prov->tracker;
}

char *owner_name(struct owner owner, int id, char *text, int size) {
    if (owner.unit < 0)
        snprintf(text, (size_t)size, "AXI ID %d (no such client)", id);
    else if (owner.ordinal < 0)
        snprintf(text, (size_t)size, "%s (no launch)", nvdla_unit_names[owner.unit]);
    else
        snprintf(text, (size_t)size, "%s launch %d", nvdla_unit_names[owner.unit], (int)owner.ordinal);
    return text;
}
