/* The cubes that launches read and write: sizes, strides, addresses and ports from their registers. */
#include "layers/cubes.h"

#include "layers/view.h"
#include "nvdla_offsets.h"

/* Precision codes of every D_DATA_FORMAT register, and axes of a cube. */
enum { INT8 = 0 };
enum { WIDTH, HEIGHT, CHANNEL };

int launch_element_bytes(const struct nvdla_config *config, uint32_t precision) {
    return precision == INT8 || (!config->int16 && !config->fp16) ? 1 : 2;
}

static int size_of(const struct launch *launch, uint32_t offset) {
    return (int)(launch_register(launch, offset) & 0x1fff) + 1;
}

static int cdiv(int a, int b) {
    return (a + b - 1) / b;
}

/* True if a RAM_TYPE bit selects the primary port; without a secondary port there is no other. */
static bool is_primary(const struct nvdla_config *config, uint32_t ram_type) {
    return ram_type != 0 || !config->secondary_memory;
}

/* Fills base and strides from registers whose low word, line and surface stride lie at these offsets; the high word is
 * behind the low one, in CDMA and RUBIK before it. SDP and CDMA drop the bits below an atom before they add (drop_low);
 * PDP and CDP round the sums. Chapter 20 section 9. */
static void place(const struct nvdla_config *config, const struct launch *launch, uint32_t low, uint32_t line,
                  uint32_t surface, bool drop_low, struct cube *cube) {
    const uint32_t high = launch->unit == NVDLA_CDMA || launch->unit == NVDLA_RBK ? low - 4 : low + 4;
    cube->base = launch_register(launch, low);
    if (config->addr_bits > 32)
        cube->base |= (uint64_t)launch_register(launch, high) << 32;
    cube->line_stride = launch_register(launch, line);
    cube->surface_stride = launch_register(launch, surface);
    cube->atom = config->mem_atom;
    cube->align = config->mem_atom;
    if (drop_low) {
        const uint32_t keep = ~((uint32_t)config->mem_atom - 1);
        cube->base &= ~((uint64_t)config->mem_atom - 1);
        cube->line_stride &= keep;
        cube->surface_stride &= keep;
    }
}

struct sdp_layer sdp_layer(const struct nvdla_config *config, const struct launch *launch) {
    struct sdp_layer layer = {.batches = 1};
    uint32_t batch;
    if (launch->unit == NVDLA_SDP) {
        layer.width = size_of(launch, SDP_D_DATA_CUBE_WIDTH);
        layer.height = size_of(launch, SDP_D_DATA_CUBE_HEIGHT);
        layer.channels = size_of(launch, SDP_D_DATA_CUBE_CHANNEL);
        layer.proc = launch_element_bytes(config, FIELD(launch, SDP_D_DATA_FORMAT, PROC_PRECISION));
        layer.out = launch_element_bytes(config, FIELD(launch, SDP_D_DATA_FORMAT, OUT_PRECISION));
        layer.in = layer.proc;
        batch = FIELD(launch, SDP_D_FEATURE_MODE_CFG, BATCH_NUMBER);
    } else {
        layer.width = size_of(launch, SDP_RDMA_D_DATA_CUBE_WIDTH);
        layer.height = size_of(launch, SDP_RDMA_D_DATA_CUBE_HEIGHT);
        layer.channels = size_of(launch, SDP_RDMA_D_DATA_CUBE_CHANNEL);
        layer.in = launch_element_bytes(config, FIELD(launch, SDP_RDMA_D_FEATURE_MODE_CFG, IN_PRECISION));
        layer.proc = launch_element_bytes(config, FIELD(launch, SDP_RDMA_D_FEATURE_MODE_CFG, PROC_PRECISION));
        layer.out = launch_element_bytes(config, FIELD(launch, SDP_RDMA_D_FEATURE_MODE_CFG, OUT_PRECISION));
        batch = FIELD(launch, SDP_RDMA_D_FEATURE_MODE_CFG, BATCH_NUMBER);
    }
    if (config->batch_max > 1)
        layer.batches = (int)batch + 1;
    layer.lanes = config->mem_atom / layer.proc;
    layer.groups = cdiv(layer.channels, layer.lanes);
    return layer;
}

int sdp_surfaces(const struct sdp_layer *layer, int bytes) {
    return bytes > layer->proc ? 2 * layer->groups : layer->groups;
}

/* SDP writes to memory unless its results go to PDP or are only compared (chapter 50 sections 8.4 and 9). */
static bool sdp_writes(const struct launch *launch) {
    const bool compares = FIELD(launch, SDP_D_DP_EW_CFG, EW_BYPASS) == 0 &&
                          FIELD(launch, SDP_D_DP_EW_CFG, EW_ALU_BYPASS) == 0 &&
                          FIELD(launch, SDP_D_DP_EW_CFG, EW_ALU_ALGO) == 3;
    return FIELD(launch, SDP_D_FEATURE_MODE_CFG, OUTPUT_DST) == 0 && !compares;
}

/* Columns of a cube cut into strips: first + (strips - 2) * middle + last (chapter 60 section 7), where `partial` is a
 * D_PARTIAL_WIDTH register and every strip but the first has `overlap` more columns (less, if negative; never below 0).
 */
static int64_t strip_columns(uint32_t partial, int strips, int overlap) {
    const int first = (int)(partial & 0x3ff) + 1;
    const int last = (int)(partial >> 10 & 0x3ff) + 1 + overlap;
    const int middle = (int)(partial >> 20 & 0x3ff) + 1 + overlap;
    return first + (int64_t)(strips - 2) * (middle > 0 ? middle : 0) + (last > 0 ? last : 0);
}

static int pdp_out_width(const struct launch *launch) {
    const int strips = (int)FIELD(launch, PDP_D_OPERATION_MODE_CFG, SPLIT_NUM) + 1;
    if (strips == 1)
        return size_of(launch, PDP_D_DATA_CUBE_OUT_WIDTH);
    return (int)strip_columns(launch_register(launch, PDP_D_PARTIAL_WIDTH_OUT), strips, 0);
}

/* Width of the input cube of PDP_RDMA. */
static int pdp_in_width(const struct launch *launch) {
    const int strips = (int)FIELD(launch, PDP_RDMA_D_OPERATION_MODE_CFG, SPLIT_NUM) + 1;
    if (strips == 1)
        return size_of(launch, PDP_RDMA_D_DATA_CUBE_IN_WIDTH);
    return (int)strip_columns(launch_register(launch, PDP_RDMA_D_PARTIAL_WIDTH_IN), strips, 0);
}

int64_t pdp_read_columns(const struct launch *launch) {
    const int strips = (int)FIELD(launch, PDP_RDMA_D_OPERATION_MODE_CFG, SPLIT_NUM) + 1;
    if (strips == 1)
        return size_of(launch, PDP_RDMA_D_DATA_CUBE_IN_WIDTH);
    const int overlap = (int)FIELD(launch, PDP_RDMA_D_POOLING_KERNEL_CFG, KERNEL_WIDTH) -
                        (int)FIELD(launch, PDP_RDMA_D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH);
    return strip_columns(launch_register(launch, PDP_RDMA_D_PARTIAL_WIDTH_IN), strips, overlap);
}

struct rubik_layer rubik_layer(const struct nvdla_config *config, const struct launch *launch) {
    struct rubik_layer layer = {
        .mode = FIELD(launch, RBK_D_MISC_CFG, RUBIK_MODE),
        .width = (int)FIELD(launch, RBK_D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1,
        .height = (int)FIELD(launch, RBK_D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1,
        .channels = size_of(launch, RBK_D_DATAOUT_SIZE_1),
        .x_stride = 1,
        .y_stride = 1,
        .element = launch_element_bytes(config, FIELD(launch, RBK_D_MISC_CFG, IN_PRECISION)),
    };
    if (layer.mode == RUBIK_CONTRACT) {
        layer.x_stride = (int)FIELD(launch, RBK_D_DECONV_STRIDE, DECONV_X_STRIDE) + 1;
        layer.y_stride = (int)FIELD(launch, RBK_D_DECONV_STRIDE, DECONV_Y_STRIDE) + 1;
    }
    layer.surfaces = cdiv(layer.channels * layer.element, config->mem_atom);
    layer.planar_atoms = cdiv(layer.width * layer.element, config->mem_atom);
    return layer;
}

/* One side of a RUBIK layer: a feature cube or planes, whose strides lie at these offsets. Planar lines are moved in
 * whole atoms. */
static void rubik_cube(const struct nvdla_config *config, const struct launch *launch, const struct rubik_layer *layer,
                       uint32_t low, uint32_t line, uint32_t surface, bool planar, struct cube *cube) {
    place(config, launch, low, line, surface, true, cube);
    cube->width = layer->width;
    cube->height = layer->height;
    cube->channels = layer->channels;
    cube->element_bytes = layer->element;
    if (planar) {
        cube->atom = cube->align = layer->element;
        cube->min_columns = layer->planar_atoms * config->mem_atom / layer->element;
    }
}

/* What RUBIK reads; contract: with the phases one behind the other, false if the registers do not say so. */
static bool rubik_input_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube) {
    const struct rubik_layer layer = rubik_layer(config, launch);
    const bool planar = layer.mode == RUBIK_MERGE;
    rubik_cube(config, launch, &layer, RBK_D_DAIN_ADDR_LOW, RBK_D_DAIN_LINE_STRIDE,
               planar ? RBK_D_DAIN_PLANAR_STRIDE : RBK_D_DAIN_SURF_STRIDE, planar, cube);
    if (layer.mode != RUBIK_CONTRACT)
        return layer.mode == RUBIK_SPLIT || layer.mode == RUBIK_MERGE;
    cube->channels = layer.x_stride * layer.y_stride * layer.surfaces * config->mem_atom / layer.element;
    return launch_register(launch, RBK_D_CONTRACT_STRIDE_0) == (uint32_t)layer.surfaces * cube->surface_stride;
}

static bool rubik_output_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube) {
    const struct rubik_layer layer = rubik_layer(config, launch);
    const bool planar = layer.mode == RUBIK_SPLIT;
    rubik_cube(config, launch, &layer, RBK_D_DAOUT_ADDR_LOW, RBK_D_DAOUT_LINE_STRIDE,
               planar ? RBK_D_DAOUT_PLANAR_STRIDE : RBK_D_DAOUT_SURF_STRIDE, planar, cube);
    cube->width *= layer.x_stride;
    cube->height *= layer.y_stride;
    return layer.mode <= RUBIK_MERGE;
}

/* Batches of a CDMA launch: of a direct convolution on feature cubes, else one. */
static int cdma_batches(const struct nvdla_config *config, const struct launch *launch) {
    if (config->batch_max <= 1 || FIELD(launch, CDMA_D_MISC_CFG, CONV_MODE) != 0 ||
        FIELD(launch, CDMA_D_DATAIN_FORMAT, DATAIN_FORMAT) != 0)
        return 1;
    return (int)FIELD(launch, CDMA_D_BATCH_NUMBER, BATCHES) + 1;
}

bool launch_output_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube,
                        bool *primary) {
    *cube = (struct cube){0};
    switch (launch->unit) {
    case NVDLA_SDP: {
        if (!sdp_writes(launch))
            return false;
        const struct sdp_layer layer = sdp_layer(config, launch);
        place(config, launch, SDP_D_DST_BASE_ADDR_LOW, SDP_D_DST_LINE_STRIDE, SDP_D_DST_SURFACE_STRIDE, true, cube);
        cube->width = layer.width;
        cube->height = layer.height;
        cube->channels = layer.channels;
        cube->element_bytes = layer.out;
        cube->min_surfaces = sdp_surfaces(&layer, layer.out);
        cube->packed_1x1 = layer.width == 1 && layer.height == 1 && layer.batches == 1;
        cube->batches = layer.batches;
        cube->batch_stride = launch_register(launch, SDP_D_DST_BATCH_STRIDE) & ~((uint32_t)config->mem_atom - 1);
        *primary = is_primary(config, FIELD(launch, SDP_D_DST_DMA_CFG, DST_RAM_TYPE));
        return true;
    }
    case NVDLA_PDP:
        place(config, launch, PDP_D_DST_BASE_ADDR_LOW, PDP_D_DST_LINE_STRIDE, PDP_D_DST_SURFACE_STRIDE, false, cube);
        cube->width = pdp_out_width(launch);
        cube->height = size_of(launch, PDP_D_DATA_CUBE_OUT_HEIGHT);
        cube->channels = size_of(launch, PDP_D_DATA_CUBE_OUT_CHANNEL);
        cube->element_bytes = launch_element_bytes(config, FIELD(launch, PDP_D_DATA_FORMAT, INPUT_DATA));
        *primary = is_primary(config, FIELD(launch, PDP_D_DST_RAM_CFG, DST_RAM_TYPE));
        return true;
    case NVDLA_CDP:
        place(config, launch, CDP_D_DST_BASE_ADDR_LOW, CDP_D_DST_LINE_STRIDE, CDP_D_DST_SURFACE_STRIDE, false, cube);
        cube->width = (int)launch->cube_size[WIDTH] + 1;
        cube->height = (int)launch->cube_size[HEIGHT] + 1;
        cube->channels = (int)launch->cube_size[CHANNEL] + 1;
        cube->element_bytes = launch_element_bytes(config, FIELD(launch, CDP_D_DATA_FORMAT, INPUT_DATA_TYPE));
        *primary = is_primary(config, FIELD(launch, CDP_D_DST_DMA_CFG, DST_RAM_TYPE));
        return true;
    case NVDLA_RBK:
        *primary = is_primary(config, launch_register(launch, RBK_D_DAOUT_RAM_TYPE));
        return rubik_output_cube(config, launch, cube);
    default:
        return false;
    }
}

bool launch_input_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube,
                       bool *primary) {
    *cube = (struct cube){0};
    switch (launch->unit) {
    case NVDLA_CDMA:
        if (!launch->fetches_data || FIELD(launch, CDMA_D_DATAIN_FORMAT, DATAIN_FORMAT) != 0)
            return false;
        place(config, launch, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_LINE_STRIDE, CDMA_D_SURF_STRIDE, true, cube);
        cube->width = (int)FIELD(launch, CDMA_D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1;
        cube->height = (int)FIELD(launch, CDMA_D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1;
        cube->channels = size_of(launch, CDMA_D_DATAIN_SIZE_1);
        cube->element_bytes = launch_element_bytes(config, FIELD(launch, CDMA_D_MISC_CFG, IN_PRECISION));
        cube->packed_1x1 = cube->width == 1 && cube->height == 1 && FIELD(launch, CDMA_D_DAIN_MAP, SURF_PACKED) != 0;
        cube->batches = cdma_batches(config, launch);
        cube->batch_stride = launch_register(launch, CDMA_D_BATCH_STRIDE) & ~((uint32_t)config->mem_atom - 1);
        *primary = is_primary(config, FIELD(launch, CDMA_D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE));
        return true;
    case NVDLA_SDP_RDMA: {
        if (FIELD(launch, SDP_RDMA_D_FEATURE_MODE_CFG, FLYING_MODE) != 0)
            return false;
        const struct sdp_layer layer = sdp_layer(config, launch);
        place(config, launch, SDP_RDMA_D_SRC_BASE_ADDR_LOW, SDP_RDMA_D_SRC_LINE_STRIDE, SDP_RDMA_D_SRC_SURFACE_STRIDE,
              true, cube);
        cube->width = layer.width;
        cube->height = layer.height;
        cube->channels = layer.channels;
        cube->element_bytes = layer.in;
        cube->min_surfaces = sdp_surfaces(&layer, layer.in);
        cube->packed_1x1 = layer.width == 1 && layer.height == 1;
        *primary = is_primary(config, FIELD(launch, SDP_RDMA_D_SRC_DMA_CFG, SRC_RAM_TYPE));
        return true;
    }
    case NVDLA_PDP_RDMA:
        place(config, launch, PDP_RDMA_D_SRC_BASE_ADDR_LOW, PDP_RDMA_D_SRC_LINE_STRIDE, PDP_RDMA_D_SRC_SURFACE_STRIDE,
              false, cube);
        cube->width = pdp_in_width(launch);
        cube->height = size_of(launch, PDP_RDMA_D_DATA_CUBE_IN_HEIGHT);
        cube->channels = size_of(launch, PDP_RDMA_D_DATA_CUBE_IN_CHANNEL);
        cube->element_bytes = launch_element_bytes(config, FIELD(launch, PDP_RDMA_D_DATA_FORMAT, INPUT_DATA));
        *primary = is_primary(config, FIELD(launch, PDP_RDMA_D_SRC_RAM_CFG, SRC_RAM_TYPE));
        return true;
    case NVDLA_CDP_RDMA:
        place(config, launch, CDP_RDMA_D_SRC_BASE_ADDR_LOW, CDP_RDMA_D_SRC_LINE_STRIDE, CDP_RDMA_D_SRC_SURFACE_STRIDE,
              false, cube);
        cube->width = size_of(launch, CDP_RDMA_D_DATA_CUBE_WIDTH);
        cube->height = size_of(launch, CDP_RDMA_D_DATA_CUBE_HEIGHT);
        cube->channels = size_of(launch, CDP_RDMA_D_DATA_CUBE_CHANNEL);
        cube->element_bytes = launch_element_bytes(config, FIELD(launch, CDP_RDMA_D_DATA_FORMAT, INPUT_DATA));
        *primary = is_primary(config, FIELD(launch, CDP_RDMA_D_SRC_DMA_CFG, SRC_RAM_TYPE));
        return true;
    case NVDLA_RBK:
        *primary = is_primary(config, launch_register(launch, RBK_D_DAIN_RAM_TYPE));
        return rubik_input_cube(config, launch, cube);
    default:
        return false;
    }
}

bool launch_block(const struct nvdla_config *config, const struct launch *launch, size_t index,
                  struct launch_block *block) {
    if (index >= launch->block_count)
        return false;
    /* as if these were the registers of the launch, so that they are read in the same way; the store engine counts 13
     * bits of the repeats */
    const struct launch one = {
        .unit = NVDLA_BDMA, .word_count = LAUNCH_BLOCK_WORDS, .registers = &launch->blocks[index * LAUNCH_BLOCK_WORDS]};
    struct cube cube = {.width = size_of(&one, BDMA_CFG_LINE),
                        .height = size_of(&one, BDMA_CFG_LINE_REPEAT),
                        .channels = size_of(&one, BDMA_CFG_SURF_REPEAT) * config->mem_atom,
                        .element_bytes = 1};
    block->source = block->destination = cube;
    place(config, &one, BDMA_CFG_SRC_ADDR_LOW, BDMA_CFG_SRC_LINE, BDMA_CFG_SRC_SURF, true, &block->source);
    place(config, &one, BDMA_CFG_DST_ADDR_LOW, BDMA_CFG_DST_LINE, BDMA_CFG_DST_SURF, true, &block->destination);
    block->source_primary = is_primary(config, FIELD(&one, BDMA_CFG_CMD, SRC_RAM_TYPE));
    block->destination_primary = is_primary(config, FIELD(&one, BDMA_CFG_CMD, DST_RAM_TYPE));
    return true;
}
