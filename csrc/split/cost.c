/* Expected clocks of launches: the MAC array's, those of the memory port, those of the pipes. */
#include "split/cost.h"

#include "layers/cubes.h"
#include "layers/traffic.h"
#include "nvdla/clients.h"

static uint64_t parts(uint64_t all, uint64_t part) {
    return part ? (all + part - 1) / part : all;
}

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Clocks of the memory port for all clients of the launch. */
static uint64_t port_clocks(const struct nvdla_config *config, const struct launch *launch) {
    uint64_t bytes = 0;
    for (enum nvdla_client client = 0; client < NVDLA_CLIENT_COUNT; client++)
        if (nvdla_clients[client].unit == launch->unit)
            bytes += launch_atoms(config, launch, client) * (uint64_t)config->mem_atom;
    return parts(bytes, (uint64_t)config->dbb_data_bits / 8);
}

/* The MAC array takes a whole block of channels for a whole group of kernels, whether it is full or not; 16-bit types
 * take half of the kernels at a time. */
static uint64_t mac_clocks(const struct nvdla_config *config, const struct launch *launch) {
    const struct registers_view view = launch_view(config, launch);
    const uint64_t kernels = FIELD(&view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_KERNEL) + 1;
    const uint64_t channels = FIELD(&view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1;
    const bool wide = nvdla_has_16_bits(config) && FIELD(&view, CSC, D_MISC_CFG, PROC_PRECISION) != NVDLA_INT8;
    const uint64_t group = (uint64_t)config->atomic_k / (wide ? 2 : 1);
    return launch_macs(launch) / kernels / channels * parts(kernels, group) *
           parts(channels, (uint64_t)config->atomic_c);
}

static uint64_t volume(const struct cube *cube) {
    return (uint64_t)cube->width * (uint64_t)cube->height * (uint64_t)cube->channels;
}

/* Of a unit that takes so many elements of the cube a clock. */
static uint64_t pipe_clocks(const struct nvdla_config *config, const struct launch *launch, int throughput) {
    struct cube cube;
    bool primary;
    const bool there = launch->unit == NVDLA_PDP_RDMA || launch->unit == NVDLA_SDP_RDMA
                           ? launch_input_cube(config, launch, &cube, &primary)
                           : launch_output_cube(config, launch, &cube, &primary);
    return there ? parts(volume(&cube), (uint64_t)throughput) : 0;
}

static uint64_t bdma_clocks(const struct nvdla_config *config, const struct launch *launch) {
    struct launch_block block;
    uint64_t bytes = 0;
    for (size_t i = 0; launch_block(config, launch, i, &block); i++)
        bytes += volume(&block.source);
    return parts(bytes, (uint64_t)config->dbb_data_bits / 8);
}

uint64_t launch_clocks(const struct nvdla_config *config, const struct launch *launch) {
    const uint64_t port = port_clocks(config, launch);
    switch (launch->unit) {
    case NVDLA_CSC:
        return mac_clocks(config, launch);
    case NVDLA_SDP:
    case NVDLA_SDP_RDMA:
        return most(port, pipe_clocks(config, launch, config->sdp_bs_throughput));
    case NVDLA_PDP:
    case NVDLA_PDP_RDMA:
        return most(port, pipe_clocks(config, launch, config->pdp_throughput));
    case NVDLA_CDP:
    case NVDLA_CDP_RDMA:
        return most(port, pipe_clocks(config, launch, config->cdp_throughput));
    case NVDLA_BDMA:
        return bdma_clocks(config, launch);
    default:
        return port;
    }
}
