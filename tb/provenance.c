/* AXI ID to unit and launch; see provenance.h. */
#include "tb/provenance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/tracker.h"
#include "layers/traffic.h"
#include "nvdla/registers.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

enum { IDS = 10, PORTS = 2 };

/* A client of an AXI ID: the unit whose launches it serves and the register field that chooses its port (1 = primary).
 */
struct client {
    int16_t unit;
    uint32_t ram_register, ram_mask; /* mask 0: no port is chosen that launch_atoms knows of */
};

static const struct client clients[2][IDS] = {
    {
        {NVDLA_BDMA, 0, 0},
        {NVDLA_SDP_RDMA, SDP_RDMA_D_SRC_DMA_CFG, SDP_RDMA_D_SRC_DMA_CFG__SRC_RAM_TYPE_MASK},
        {NVDLA_PDP_RDMA, PDP_RDMA_D_SRC_RAM_CFG, PDP_RDMA_D_SRC_RAM_CFG__SRC_RAM_TYPE_MASK},
        {NVDLA_CDP_RDMA, CDP_RDMA_D_SRC_DMA_CFG, CDP_RDMA_D_SRC_DMA_CFG__SRC_RAM_TYPE_MASK},
        {NVDLA_RBK, RBK_D_DAIN_RAM_TYPE, RBK_D_DAIN_RAM_TYPE__DATAIN_RAM_TYPE_MASK},
        {NVDLA_SDP_RDMA, SDP_RDMA_D_BRDMA_CFG, SDP_RDMA_D_BRDMA_CFG__BRDMA_RAM_TYPE_MASK},
        {NVDLA_SDP_RDMA, SDP_RDMA_D_NRDMA_CFG, SDP_RDMA_D_NRDMA_CFG__NRDMA_RAM_TYPE_MASK},
        {NVDLA_SDP_RDMA, SDP_RDMA_D_ERDMA_CFG, SDP_RDMA_D_ERDMA_CFG__ERDMA_RAM_TYPE_MASK},
        {NVDLA_CDMA, CDMA_D_DAIN_RAM_TYPE, CDMA_D_DAIN_RAM_TYPE__DATAIN_RAM_TYPE_MASK},
        {NVDLA_CDMA, CDMA_D_WEIGHT_RAM_TYPE, CDMA_D_WEIGHT_RAM_TYPE__WEIGHT_RAM_TYPE_MASK},
    },
    {
        {NVDLA_BDMA, 0, 0},
        {NVDLA_SDP, SDP_D_DST_DMA_CFG, SDP_D_DST_DMA_CFG__DST_RAM_TYPE_MASK},
        {NVDLA_PDP, PDP_D_DST_RAM_CFG, PDP_D_DST_RAM_CFG__DST_RAM_TYPE_MASK},
        {NVDLA_CDP, CDP_D_DST_DMA_CFG, CDP_D_DST_DMA_CFG__DST_RAM_TYPE_MASK},
        {NVDLA_RBK, RBK_D_DAOUT_RAM_TYPE, RBK_D_DAOUT_RAM_TYPE__DATAOUT_RAM_TYPE_MASK},
        {-1, 0, 0},
        {-1, 0, 0},
        {-1, 0, 0},
        {-1, 0, 0},
        {-1, 0, 0},
    },
};

/* Where an ID stands on a port: the launch being served and the atoms of it that have not moved yet. */
struct cursor {
    int32_t ordinal; /* -1: none yet */
    uint64_t left;
};

struct provenance {
    const struct nvdla_config *config;
    struct layer_tracker *tracker;
    struct cursor cursors[2][PORTS][IDS];
};

struct provenance *provenance_new(const struct nvdla_config *config) {
    struct provenance *prov = xcalloc(1, sizeof *prov);
    prov->config = config;
    prov->tracker = layer_tracker_new(config);
    for (int w = 0; w < 2; w++)
        for (int p = 0; p < PORTS; p++)
            for (int id = 0; id < IDS; id++)
                prov->cursors[w][p][id].ordinal = -1;
    return prov;
}

void provenance_free(struct provenance *prov) {
    if (!prov)
        return;
    layer_tracker_free(prov->tracker);
    free(prov);
}

bool provenance_register_write(struct provenance *prov, uint32_t address, uint32_t value, uint64_t cycle) {
    layer_tracker_write(prov->tracker, address, value, (size_t)cycle);
    const struct nvdla_register *reg = nvdla_register_at(prov->config, address);
    return reg && (value & 1) && !strcmp(reg->name, "D_OP_ENABLE");
}

/* Atoms of a launch on a port. */
static uint64_t share(const struct provenance *prov, const struct launch *launch, int port, int id, bool write) {
    const struct client *client = &clients[write][id];
    const bool primary = !prov->config->secondary_memory || !client->ram_mask ||
                         (launch_register(launch, client->ram_register) & client->ram_mask);
    return primary == (port == 0) ? launch_atoms(prov->config, launch, id, write) : 0;
}

struct owner provenance_move(struct provenance *prov, int port, int id, bool write, unsigned atoms) {
    struct owner owner = {-1, -1};
    if (id < 0 || id >= IDS || clients[write][id].unit < 0)
        return owner;
    owner.unit = clients[write][id].unit;
    struct cursor *cursor = &prov->cursors[write][port][id];
    while (!cursor->left) {
        const struct launch *next = layer_tracker_find(prov->tracker, (enum nvdla_unit)owner.unit, cursor->ordinal + 1);
        if (!next)
            return owner;
        cursor->ordinal++;
        cursor->left = share(prov, next, port, id, write);
    }
    owner.ordinal = cursor->ordinal;
    cursor->left -= atoms < cursor->left ? atoms : cursor->left;
    return owner;
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
