/* How much a launch moves and computes: atoms on each AXI ID, multiplications. */
#include "layers/traffic.h"

#include "layers/cubes.h"
#include "layers/view.h"
#include "nvdla/pixel.h"
#include "nvdla_offsets.h"

static int cdiv(int a, int b) {
    return (a + b - 1) / b;
}

/* Atoms of one operand DMA of SDP_RDMA; cfg is the value of D_BRDMA_CFG, D_NRDMA_CFG or D_ERDMA_CFG (same fields).
 * Spec: 50-sdp section 4. */
static uint64_t operand_atoms(const struct nvdla_config *config, const struct sdp_layer *layer, uint32_t cfg) {
    const bool disabled = (cfg & SDP_RDMA_D_BRDMA_CFG__BRDMA_DISABLE_MASK) != 0;
    const uint32_t use = (cfg & SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_USE_MASK) >> SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_USE_LSB;
    const bool two_bytes = (cfg & SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_SIZE_MASK) != 0;
    const bool per_element = (cfg & SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_MODE_MASK) != 0;
    if (disabled)
        return 0;
    const int operand_atom = layer->lanes * (use == 2 ? 2 : 1) * (two_bytes ? 2 : 1); /* bytes: OA of chapter 50 */
    if (!per_element)
        return (uint64_t)cdiv(layer->groups * operand_atom, config->mem_atom);
    return (uint64_t)layer->groups * (uint64_t)layer->height *
           (uint64_t)cdiv(layer->width * operand_atom, config->mem_atom);
}

static uint64_t volume(int64_t width, int height, int surfaces) {
    return (uint64_t)width * (uint64_t)height * (uint64_t)surfaces;
}

static uint64_t sdp_rdma_atoms(const struct nvdla_config *config, const struct launch *launch, int axi_id) {
    const struct sdp_layer layer = sdp_layer(config, launch);
    switch (axi_id) {
    case 1:
        if (FIELD(launch, SDP_RDMA_D_FEATURE_MODE_CFG, FLYING_MODE) != 0)
            return 0;
        return volume(layer.width, layer.height, sdp_surfaces(&layer, layer.in));
    case 5:
        return operand_atoms(config, &layer, launch_register(launch, SDP_RDMA_D_BRDMA_CFG));
    case 6:
        return operand_atoms(config, &layer, launch_register(launch, SDP_RDMA_D_NRDMA_CFG));
    case 7:
        return config->sdp_ew_throughput ? operand_atoms(config, &layer, launch_register(launch, SDP_RDMA_D_ERDMA_CFG))
                                         : 0;
    default:
        return 0;
    }
}

/* Atoms of one image line, all planes: those that hold X_OFFSET pixels (modulo an atom in the second plane) and the
 * line behind them. Chapter 30 section 5.4. */
static uint64_t image_line_atoms(const struct nvdla_config *config, const struct launch *launch) {
    const struct nvdla_pixel_format *format =
        nvdla_pixel_format(config, FIELD(launch, CDMA_D_DATAIN_FORMAT, PIXEL_FORMAT));
    const int width = (int)FIELD(launch, CDMA_D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1;
    int atoms = 0;
    for (int plane = 0; format && plane < format->planes; plane++) {
        const int bytes = format->pixel_bytes[plane];
        int offset = (int)FIELD(launch, CDMA_D_PIXEL_OFFSET, PIXEL_X_OFFSET);
        if (plane > 0)
            offset %= config->mem_atom / bytes;
        atoms += cdiv((offset + width) * bytes, config->mem_atom);
    }
    return (uint64_t)atoms;
}

/* Atoms of weights, with compression also of WMB and of WGS, which has 32 bits for every kernel group. Chapter 30
 * section 8. */
static uint64_t weight_atoms(const struct nvdla_config *config, const struct launch *launch) {
    const uint32_t atom = (uint32_t)config->mem_atom;
    const uint64_t weights = launch_register(launch, CDMA_D_WEIGHT_BYTES) / atom;
    if (!config->weight_compression || FIELD(launch, CDMA_D_WEIGHT_FORMAT, WEIGHT_FORMAT) == 0)
        return weights;
    const int bytes = launch_element_bytes(config, FIELD(launch, CDMA_D_MISC_CFG, PROC_PRECISION));
    const int groups = cdiv((int)FIELD(launch, CDMA_D_WEIGHT_SIZE_1, WEIGHT_KERNEL) + 1, config->atomic_k / bytes);
    return weights + launch_register(launch, CDMA_D_WMB_BYTES) / atom + (uint64_t)cdiv(groups * 4, config->mem_atom);
}

/* What Winograd reads of `size` lines or columns: those behind the tiles are not fetched. Chapter 30 section 5.5. */
static int winograd_extent(int size, int extended, int stride, int pad) {
    const int reach = extended * stride - pad;
    return reach < 0 ? 0 : reach < size ? reach : size;
}

static uint64_t cdma_atoms(const struct nvdla_config *config, const struct launch *launch, int axi_id) {
    struct cube cube;
    bool primary;
    if (axi_id == 9 && launch->fetches_weights)
        return weight_atoms(config, launch);
    if (axi_id != 8 || !launch->fetches_data)
        return 0;
    if (launch_input_cube(config, launch, &cube, &primary)) {
        if (config->winograd && FIELD(launch, CDMA_D_MISC_CFG, CONV_MODE) != 0) {
            cube.width = winograd_extent(cube.width, (int)FIELD(launch, CDMA_D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT) + 1,
                                         (int)FIELD(launch, CDMA_D_CONV_STRIDE, CONV_X_STRIDE) + 1,
                                         (int)FIELD(launch, CDMA_D_ZERO_PADDING, PAD_LEFT));
            cube.height =
                winograd_extent(cube.height, (int)FIELD(launch, CDMA_D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) + 1,
                                (int)FIELD(launch, CDMA_D_CONV_STRIDE, CONV_Y_STRIDE) + 1,
                                (int)FIELD(launch, CDMA_D_ZERO_PADDING, PAD_TOP));
        }
        return volume(cube.width, cube.height, cube_surfaces(&cube)) * (uint64_t)cube.batches;
    }
    return (FIELD(launch, CDMA_D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1) * image_line_atoms(config, launch);
}

/* A layer moves whole atoms of a feature cube on one side, and those or planar lines on the other. */
static uint64_t rubik_atoms(const struct nvdla_config *config, const struct launch *launch, bool write) {
    const struct rubik_layer layer = rubik_layer(config, launch);
    const bool planes = layer.mode == (write ? RUBIK_SPLIT : RUBIK_MERGE);
    if (planes)
        return volume(layer.planar_atoms, layer.height, layer.channels);
    return volume(layer.width * layer.x_stride, layer.height * layer.y_stride, layer.surfaces);
}

uint64_t launch_atoms(const struct nvdla_config *config, const struct launch *launch, int axi_id, bool write) {
    struct cube cube;
    bool primary;
    if (!write && launch->unit == NVDLA_SDP_RDMA)
        return sdp_rdma_atoms(config, launch, axi_id);
    if (!write && launch->unit == NVDLA_CDMA)
        return cdma_atoms(config, launch, axi_id);
    if (launch->unit == NVDLA_RBK)
        return axi_id == 4 ? rubik_atoms(config, launch, write) : 0;
    if (!write && launch->unit == NVDLA_PDP_RDMA && axi_id == 2 && launch_input_cube(config, launch, &cube, &primary))
        return volume(pdp_read_columns(launch), cube.height, cube_surfaces(&cube));
    if (!write && launch->unit == NVDLA_CDP_RDMA && axi_id == 3 && launch_input_cube(config, launch, &cube, &primary))
        return volume(cube.width, cube.height, cube_surfaces(&cube));
    const bool writer = (launch->unit == NVDLA_SDP && axi_id == 1) || (launch->unit == NVDLA_PDP && axi_id == 2) ||
                        (launch->unit == NVDLA_CDP && axi_id == 3);
    if (!write || !writer || !launch_output_cube(config, launch, &cube, &primary))
        return 0;
    const int batches = cube.batches > 1 ? cube.batches : 1;
    return volume(cube.width, cube.height, cube_surfaces(&cube)) * (uint64_t)batches;
}

uint64_t launch_macs(const struct launch *launch) {
    if (launch->unit != NVDLA_CSC)
        return 0;
    const uint64_t kernels = FIELD(launch, CSC_D_WEIGHT_SIZE_EXT_1, WEIGHT_KERNEL) + 1;
    const uint64_t channels = FIELD(launch, CSC_D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1;
    if (FIELD(launch, CSC_D_MISC_CFG, CONV_MODE) != 0)
        return (FIELD(launch, CSC_D_ATOMICS, ATOMICS) / 4 + 1) * kernels * channels * 16;
    const uint64_t taps = (uint64_t)(FIELD(launch, CSC_D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT) + 1) *
                          (FIELD(launch, CSC_D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + 1);
    const uint64_t positions = (uint64_t)(FIELD(launch, CSC_D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1) *
                               (FIELD(launch, CSC_D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1);
    return positions * kernels * channels * taps * (FIELD(launch, CSC_D_BATCH_NUMBER, BATCHES) + 1);
}
