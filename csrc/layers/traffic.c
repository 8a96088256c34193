/* Data that a launch moves and work that it does: atoms of each memory client, multiplications. See traffic.h. */
#include "layers/traffic.h"

#include "layers/cubes.h"
#include "layers/view.h"
#include "nvdla/sizes.h"

static uint64_t volume(uint64_t width, uint64_t height, uint64_t surfaces) {
    return width * height * surfaces;
}

/* Atoms of a cube, all batches, with lines of `columns` columns. */
static uint64_t cube_atoms(const struct cube *cube, int64_t columns) {
    const int batches = cube->batches > 1 ? cube->batches : 1;
    return volume((uint64_t)columns, (uint64_t)cube->height, (uint64_t)cube_surfaces(cube)) * (uint64_t)batches;
}

/* Atoms of one operand DMA of SDP_RDMA. Spec: 50-sdp section 4. */
static uint64_t operand_atoms(const struct nvdla_config *config, const struct sdp_rdma_cubes *rdma,
                              enum sdp_stage_index stage) {
    const struct sdp_shape *shape = &rdma->shape;
    const struct sdp_operands *operands = &rdma->operands[stage];
    const size_t atom = (size_t)config->mem_atom, surfaces = (size_t)shape->surfaces;
    /* bytes: OA of chapter 50 */
    const size_t operand_atom = (size_t)shape->lanes * (size_t)operands->components * operands->component_bytes;
    if (!operands->enabled)
        return 0;
    if (!operands->per_element)
        return ceil_div(surfaces * operand_atom, atom);
    return volume(ceil_div((size_t)shape->width * operand_atom, atom), (uint64_t)shape->height, surfaces);
}

static uint64_t sdp_rdma_atoms(const struct registers_view *view, enum nvdla_client client) {
    const struct sdp_rdma_cubes rdma = sdp_rdma_cubes(view);
    switch (client) {
    case NVDLA_READ_SDP:
        return rdma.shape.flying ? 0 : cube_atoms(&rdma.source.cube, rdma.source.cube.width);
    case NVDLA_READ_SDP_B:
        return operand_atoms(view->config, &rdma, SDP_BS);
    case NVDLA_READ_SDP_N:
        return operand_atoms(view->config, &rdma, SDP_BN);
    case NVDLA_READ_SDP_E:
        return operand_atoms(view->config, &rdma, SDP_EW);
    default:
        return 0;
    }
}

/* Atoms of one image line, all planes: those that hold X_OFFSET pixels (modulo an atom in the second plane) followed by
 * the line. Chapter 30 section 5.4. */
static uint64_t image_line_atoms(const struct cdma_cubes *cdma, size_t atom) {
    uint64_t atoms = 0;
    for (int plane = 0; cdma->pixel && plane < cdma->pixel->planes; plane++) {
        const size_t bytes = (size_t)cdma->pixel->pixel_bytes[plane];
        const size_t offset = plane > 0 ? cdma->x_offset % (atom / bytes) : cdma->x_offset;
        atoms += ceil_div((offset + cdma->width) * bytes, atom);
    }
    return atoms;
}

/* Atoms of weights; if compressed, also of WMB and of WGS, which has 32 bits per kernel group. Chapter 30 section 8. */
static uint64_t cdma_weight_atoms(const struct registers_view *view) {
    const struct cdma_cubes cdma = cdma_cubes(view);
    const size_t groups = ceil_div(cdma.kernels, cdma.kernel_group);
    const size_t sizes = ceil_div(groups * 4, (size_t)view->config->mem_atom);
    return cdma.weight_atoms + (cdma.compressed ? cdma.mask_atoms + sizes : 0);
}

/* Lines or columns that Winograd reads of `size`: those beyond the tiles are not fetched. Chapter 30 section 5.5. */
static int winograd_extent(int size, size_t extended, size_t stride, size_t pad) {
    const int reach = (int)(extended * stride) - (int)pad;
    return reach < 0 ? 0 : reach < size ? reach : size;
}

static uint64_t cdma_data_atoms(const struct registers_view *view) {
    const struct cdma_cubes cdma = cdma_cubes(view);
    const size_t atom = (size_t)view->config->mem_atom;
    if (cdma.mode == CDMA_IMAGE)
        return cdma.height * image_line_atoms(&cdma, atom);
    struct cube cube = cdma_feature(&cdma, view->config).cube;
    if (cdma.mode == CDMA_WINOGRAD) {
        cube.width = winograd_extent(cube.width, cdma.extended_width, cdma.stride_x, cdma.pad_left);
        cube.height = winograd_extent(cube.height, cdma.extended_height, cdma.stride_y, cdma.pad_top);
    }
    return cube_atoms(&cube, cube.width);
}

/* A layer moves whole atoms of a feature cube on one side, and atoms or planar lines on the other. */
static uint64_t rubik_atoms(const struct registers_view *view, bool write) {
    const struct rubik_cubes rubik = rubik_cubes(view);
    if (rubik.mode == (write ? RUBIK_SPLIT : RUBIK_MERGE))
        return volume(rubik.planar_atoms, (uint64_t)rubik.height, (uint64_t)rubik.out_channels);
    return volume((uint64_t)(rubik.width * rubik.x_stride), (uint64_t)(rubik.height * rubik.y_stride),
                  (uint64_t)rubik.surfaces);
}

/* Strips overlap by kernel width minus stride. */
static uint64_t pdp_rdma_atoms(const struct registers_view *view) {
    const struct pdp_rdma_cubes rdma = pdp_rdma_cubes(view);
    return cube_atoms(&rdma.source.cube, pdp_strip_columns(&rdma.in, rdma.kernel_width - rdma.stride_width));
}

uint64_t launch_atoms(const struct nvdla_config *config, const struct launch *launch, enum nvdla_client client) {
    const struct registers_view view = launch_view(config, launch);
    struct cube cube;
    bool primary;
    if (launch->unit != nvdla_clients[client].unit)
        return 0;
    switch (client) {
    case NVDLA_READ_SDP:
    case NVDLA_READ_SDP_B:
    case NVDLA_READ_SDP_N:
    case NVDLA_READ_SDP_E:
        return sdp_rdma_atoms(&view, client);
    case NVDLA_READ_CDMA_DAT:
        return launch->fetches_data ? cdma_data_atoms(&view) : 0;
    case NVDLA_READ_CDMA_WT:
        return launch->fetches_weights ? cdma_weight_atoms(&view) : 0;
    case NVDLA_READ_PDP:
        return pdp_rdma_atoms(&view);
    case NVDLA_READ_CDP:
        return launch_input_cube(config, launch, &cube, &primary) ? cube_atoms(&cube, cube.width) : 0;
    case NVDLA_READ_RUBIK:
    case NVDLA_WRITE_RUBIK:
        return rubik_atoms(&view, client == NVDLA_WRITE_RUBIK);
    case NVDLA_WRITE_SDP:
    case NVDLA_WRITE_PDP:
    case NVDLA_WRITE_CDP:
        return launch_output_cube(config, launch, &cube, &primary) ? cube_atoms(&cube, cube.width) : 0;
    case NVDLA_READ_BDMA:
    case NVDLA_WRITE_BDMA:
    case NVDLA_CLIENT_COUNT:
        break;
    }
    return 0;
}

uint64_t launch_macs(const struct launch *launch) {
    if (launch->unit != NVDLA_CSC)
        return 0;
    const struct registers_view view = launch_view(NULL, launch);
    const uint64_t kernels = FIELD(&view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_KERNEL) + 1;
    const uint64_t channels = FIELD(&view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1;
    if (FIELD(&view, CSC, D_MISC_CFG, CONV_MODE) != 0)
        return (FIELD(&view, CSC, D_ATOMICS, ATOMICS) / 4 + 1) * kernels * channels * 16;
    const uint64_t taps = (uint64_t)(FIELD(&view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT) + 1) *
                          (FIELD(&view, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + 1);
    const uint64_t positions = (uint64_t)(FIELD(&view, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1) *
                               (FIELD(&view, CSC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1);
    return positions * kernels * channels * taps * (FIELD(&view, CSC, D_BATCH_NUMBER, BATCHES) + 1);
}

/* The MAC array processes a whole block of channels for a whole group of kernels, full or not; 16-bit types process
 * half of the kernels at a time. */
static uint64_t array_clocks(const struct nvdla_config *config, const struct launch *launch) {
    const struct registers_view view = launch_view(config, launch);
    const uint64_t kernels = FIELD(&view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_KERNEL) + 1;
    const uint64_t channels = FIELD(&view, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1;
    const bool wide = nvdla_precision_of(config, FIELD(&view, CSC, D_MISC_CFG, PROC_PRECISION)) != NVDLA_INT8;
    const size_t group = (size_t)config->atomic_k / (wide ? 2 : 1);
    return launch_macs(launch) / (kernels * channels) * ceil_div(kernels, group) *
           ceil_div(channels, (size_t)config->atomic_c);
}

/* For a unit that processes that many elements of the cube per clock. */
static uint64_t pipe_clocks(const struct nvdla_config *config, const struct launch *launch, int throughput) {
    struct cube cube;
    bool primary;
    const bool there = launch->unit == NVDLA_PDP_RDMA || launch->unit == NVDLA_SDP_RDMA
                           ? launch_input_cube(config, launch, &cube, &primary)
                           : launch_output_cube(config, launch, &cube, &primary);
    if (!there)
        return 0;
    return ceil_div(volume((uint64_t)cube.width, (uint64_t)cube.height, (uint64_t)cube.channels), (size_t)throughput);
}

/* Elements that SDP processes per clock. */
static int sdp_throughput(const struct nvdla_config *config, const struct launch *launch) {
    const struct registers_view view = launch_view(config, launch);
    const bool ew =
        nvdla_has(config, FEATURE_EW) && launch->unit == NVDLA_SDP && !FIELD(&view, SDP, D_DP_EW_CFG, EW_BYPASS);
    return ew ? config->sdp_ew_throughput : nvdla_sdp_lanes(config);
}

static uint64_t bdma_bytes(const struct nvdla_config *config, const struct launch *launch) {
    struct launch_block block;
    uint64_t bytes = 0;
    for (size_t i = 0; launch_block(config, launch, i, &block); i++)
        bytes += volume((uint64_t)block.source.width, (uint64_t)block.source.height, (uint64_t)block.source.channels);
    return bytes;
}

/* Beats; a written one counts `written` times. */
static uint64_t count_beats(const struct nvdla_config *config, const struct launch *launch, uint64_t written) {
    uint64_t bytes = launch->unit == NVDLA_BDMA ? bdma_bytes(config, launch) : 0;
    for (enum nvdla_client client = 0; client < NVDLA_CLIENT_COUNT; client++)
        bytes += launch_atoms(config, launch, client) * (uint64_t)config->mem_atom *
                 (nvdla_clients[client].write ? written : 1);
    return ceil_div(bytes, (size_t)config->dbb_data_bits / 8);
}

uint64_t launch_beats(const struct nvdla_config *config, const struct launch *launch) {
    return count_beats(config, launch, 1);
}

uint64_t launch_work(const struct nvdla_config *config, const struct launch *launch) {
    enum { WRITTEN_WORK = 2 };
    return count_beats(config, launch, WRITTEN_WORK);
}

uint64_t launch_clocks(const struct nvdla_config *config, const struct launch *launch) {
    const uint64_t port = launch_beats(config, launch);
    uint64_t unit = 0;
    switch (launch->unit) {
    case NVDLA_CSC:
        unit = array_clocks(config, launch);
        break;
    case NVDLA_SDP:
    case NVDLA_SDP_RDMA:
        unit = pipe_clocks(config, launch, sdp_throughput(config, launch));
        break;
    case NVDLA_PDP:
    case NVDLA_PDP_RDMA:
        unit = pipe_clocks(config, launch, config->pdp_throughput);
        break;
    case NVDLA_CDP:
    case NVDLA_CDP_RDMA:
        unit = pipe_clocks(config, launch, config->cdp_throughput);
        break;
    default:
        break;
    }
    return port > unit ? port : unit;
}
