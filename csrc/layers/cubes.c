/* Decodes the registers of every engine that moves data into cubes. What several engines share (13-bit sizes,
 * precisions, strides that lose their low bits, RAM types) is at the top. */
#include "layers/cubes.h"

#include "nvdla/sizes.h"

/* A register of a unit that is read through a variable. */
struct cube_place {
    enum nvdla_unit unit;
    uint32_t low, high, line, surface; /* in-window byte offsets */
};
#define PLACE(unit, low, high, line, surface)                                                                          \
    &(const struct cube_place) {                                                                                       \
        NVDLA_##unit, unit##_##low, unit##_##high, unit##_##line, unit##_##surface                                     \
    }

/* A size register holds size - 1 in 13 bits. */
#define SIZE(view, unit, reg) ((int)(VALUE(view, unit, reg) & 0x1fff) + 1)

static int groups_of(int channels, int lanes) {
    return (int)ceil_div((size_t)channels, (size_t)lanes);
}

static enum nvdla_precision precision_of(const struct registers_view *view, uint32_t code) {
    return nvdla_precision_of(view->config, code);
}

/* An address or a stride without the bits inside an atom. SDP, CDMA, BDMA and RUBIK drop them before adding; PDP and
 * CDP round the sums. Spec: 20-data-formats section 9. */
static uint64_t aligned(const struct registers_view *view, uint64_t bytes) {
    return bytes & ~((uint64_t)view->config->mem_atom - 1);
}

static uint64_t aligned_address(const struct registers_view *view, enum nvdla_unit unit, uint32_t low, uint32_t high) {
    return aligned(view, view_address(view, unit, low, high));
}

/* A cube with the base and the strides of its registers. */
static struct memory_cube place(const struct registers_view *view, const struct cube_place *at, bool drop_low,
                                uint32_t ram_type) {
    struct cube cube = {
        .base = view_address(view, at->unit, at->low, at->high),
        .line_stride = view_value(view, at->unit, at->line),
        .surface_stride = view_value(view, at->unit, at->surface),
        .atom = view->config->mem_atom,
        .align = view->config->mem_atom,
    };
    if (drop_low) {
        cube.base = aligned(view, cube.base);
        cube.line_stride = (uint32_t)aligned(view, cube.line_stride);
        cube.surface_stride = (uint32_t)aligned(view, cube.surface_stride);
    }
    return (struct memory_cube){cube, ram_type != 0};
}

static void set_size(struct cube *cube, int width, int height, int channels, enum nvdla_precision precision) {
    cube->width = width;
    cube->height = height;
    cube->channels = channels;
    cube->element_bytes = nvdla_element_bytes(precision);
}

/* ---- SDP ------------------------------------------------------------------------------------- */

/* winograd, batch: fields of the mode register, valid in some configurations only. */
static void set_mode(const struct registers_view *view, struct sdp_shape *shape, uint32_t winograd, uint32_t batch) {
    shape->winograd = nvdla_has(view->config, FEATURE_WINOGRAD) && winograd;
    shape->batches = nvdla_has(view->config, FEATURE_BATCHES) ? (int)batch + 1 : 1;
    shape->lanes = view->config->mem_atom / nvdla_element_bytes(shape->proc);
    shape->surfaces = groups_of(shape->channels, shape->lanes);
}

int sdp_memory_surfaces(const struct sdp_shape *shape, enum nvdla_precision precision) {
    return nvdla_element_bytes(precision) > nvdla_element_bytes(shape->proc) ? 2 : 1;
}

static void set_sdp_size(struct cube *cube, const struct sdp_shape *shape, enum nvdla_precision precision) {
    set_size(cube, shape->width, shape->height, shape->channels, precision);
    cube->min_surfaces = shape->surfaces * sdp_memory_surfaces(shape, precision);
    cube->packed_1x1 = shape->width == 1 && shape->height == 1;
}

struct sdp_cubes sdp_cubes(const struct registers_view *view) {
    enum { ALGO_EQUAL = 3 };
    struct sdp_cubes cubes = {
        .shape = {.flying = FIELD(view, SDP, D_FEATURE_MODE_CFG, FLYING_MODE) != 0,
                  .width = SIZE(view, SDP, D_DATA_CUBE_WIDTH),
                  .height = SIZE(view, SDP, D_DATA_CUBE_HEIGHT),
                  .channels = SIZE(view, SDP, D_DATA_CUBE_CHANNEL),
                  .proc = precision_of(view, FIELD(view, SDP, D_DATA_FORMAT, PROC_PRECISION)),
                  .out = precision_of(view, FIELD(view, SDP, D_DATA_FORMAT, OUT_PRECISION))},
        .to_pdp = FIELD(view, SDP, D_FEATURE_MODE_CFG, OUTPUT_DST) != 0,
        .compare = FIELD(view, SDP, D_DP_EW_CFG, EW_BYPASS) == 0 && FIELD(view, SDP, D_DP_EW_CFG, EW_ALU_BYPASS) == 0 &&
                   FIELD(view, SDP, D_DP_EW_CFG, EW_ALU_ALGO) == ALGO_EQUAL,
        .destination =
            place(view, PLACE(SDP, D_DST_BASE_ADDR_LOW, D_DST_BASE_ADDR_HIGH, D_DST_LINE_STRIDE, D_DST_SURFACE_STRIDE),
                  true, FIELD(view, SDP, D_DST_DMA_CFG, DST_RAM_TYPE)),
    };
    struct sdp_shape *shape = &cubes.shape;
    struct cube *destination = &cubes.destination.cube;
    set_mode(view, shape, FIELD(view, SDP, D_FEATURE_MODE_CFG, WINOGRAD),
             FIELD(view, SDP, D_FEATURE_MODE_CFG, BATCH_NUMBER));
    shape->in = shape->proc;
    set_sdp_size(destination, shape, shape->out);
    destination->packed_1x1 = destination->packed_1x1 && shape->batches == 1;
    destination->batches = shape->batches;
    destination->batch_stride = (uint32_t)aligned(view, VALUE(view, SDP, D_DST_BATCH_STRIDE));
    return cubes;
}

/* The operand DMAs have the same layout at different offsets. */
static const struct {
    uint32_t cfg;
    struct cube_place place;
} operand_registers[SDP_STAGES] = {
    {SDP_RDMA_D_BRDMA_CFG,
     {NVDLA_SDP_RDMA, SDP_RDMA_D_BS_BASE_ADDR_LOW, SDP_RDMA_D_BS_BASE_ADDR_HIGH, SDP_RDMA_D_BS_LINE_STRIDE,
      SDP_RDMA_D_BS_SURFACE_STRIDE}},
    {SDP_RDMA_D_NRDMA_CFG,
     {NVDLA_SDP_RDMA, SDP_RDMA_D_BN_BASE_ADDR_LOW, SDP_RDMA_D_BN_BASE_ADDR_HIGH, SDP_RDMA_D_BN_LINE_STRIDE,
      SDP_RDMA_D_BN_SURFACE_STRIDE}},
    {SDP_RDMA_D_ERDMA_CFG,
     {NVDLA_SDP_RDMA, SDP_RDMA_D_EW_BASE_ADDR_LOW, SDP_RDMA_D_EW_BASE_ADDR_HIGH, SDP_RDMA_D_EW_LINE_STRIDE,
      SDP_RDMA_D_EW_SURFACE_STRIDE}},
};

static struct sdp_operands operands_of(const struct registers_view *view, enum sdp_stage_index stage) {
    enum { USE_MUL, USE_ALU, USE_BOTH }; /* values of DATA_USE */
    const uint32_t cfg = view_value(view, NVDLA_SDP_RDMA, operand_registers[stage].cfg);
    const uint32_t use = REGISTER_FIELD(cfg, SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_USE);
    const struct memory_cube at =
        place(view, &operand_registers[stage].place, true, REGISTER_FIELD(cfg, SDP_RDMA_D_BRDMA_CFG__BRDMA_RAM_TYPE));
    return (struct sdp_operands){
        .enabled = !REGISTER_FIELD(cfg, SDP_RDMA_D_BRDMA_CFG__BRDMA_DISABLE),
        .components = use == USE_BOTH ? 2 : 1,
        .has_alu = use == USE_ALU || use == USE_BOTH,
        .has_mul = use == USE_MUL || use == USE_BOTH,
        .component_bytes = REGISTER_FIELD(cfg, SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_SIZE) ? 2 : 1,
        .per_element = REGISTER_FIELD(cfg, SDP_RDMA_D_BRDMA_CFG__BRDMA_DATA_MODE),
        .primary = at.primary,
        .base = at.cube.base,
        .line_stride = at.cube.line_stride,
        .surface_stride = at.cube.surface_stride,
    };
}

bool sdp_has_stage(const struct nvdla_config *config, enum sdp_stage_index stage) {
    return nvdla_has(config, (enum nvdla_feature)(FEATURE_BS + (int)stage));
}

struct sdp_rdma_cubes sdp_rdma_cubes(const struct registers_view *view) {
    const uint32_t mode = VALUE(view, SDP_RDMA, D_FEATURE_MODE_CFG);
    struct sdp_rdma_cubes cubes = {
        .shape = {.flying = REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__FLYING_MODE),
                  .width = SIZE(view, SDP_RDMA, D_DATA_CUBE_WIDTH),
                  .height = SIZE(view, SDP_RDMA, D_DATA_CUBE_HEIGHT),
                  .channels = SIZE(view, SDP_RDMA, D_DATA_CUBE_CHANNEL),
                  .in = precision_of(view, REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__IN_PRECISION)),
                  .proc = precision_of(view, REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__PROC_PRECISION)),
                  .out = precision_of(view, REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__OUT_PRECISION))},
        .source = place(
            view, PLACE(SDP_RDMA, D_SRC_BASE_ADDR_LOW, D_SRC_BASE_ADDR_HIGH, D_SRC_LINE_STRIDE, D_SRC_SURFACE_STRIDE),
            true, FIELD(view, SDP_RDMA, D_SRC_DMA_CFG, SRC_RAM_TYPE)),
    };
    for (enum sdp_stage_index stage = SDP_BS; stage < SDP_STAGES; stage++)
        if (sdp_has_stage(view->config, stage))
            cubes.operands[stage] = operands_of(view, stage);
    set_mode(view, &cubes.shape, REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__WINOGRAD),
             REGISTER_FIELD(mode, SDP_RDMA_D_FEATURE_MODE_CFG__BATCH_NUMBER));
    set_sdp_size(&cubes.source.cube, &cubes.shape, cubes.shape.in);
    return cubes;
}

/* ---- PDP ------------------------------------------------------------------------------------- */

int64_t pdp_strip_columns(const struct pdp_strips *strips, int overlap) {
    if (strips->count == 1)
        return strips->first;
    const int middle = strips->middle + overlap, last = strips->last + overlap;
    return strips->first + (int64_t)(strips->count - 2) * (middle > 0 ? middle : 0) + (last > 0 ? last : 0);
}

struct pdp_strip pdp_strip(const struct pdp_strips *in, const struct pdp_strips *out, int overlap, int index) {
    if (index == 0)
        return (struct pdp_strip){.width = in->first, .out_width = out->first};
    const bool last = index == in->count - 1;
    return (struct pdp_strip){
        .column = in->first + (index - 1) * in->middle - overlap,
        .width = (last ? in->last : in->middle) + overlap,
        .out_column = out->first + (index - 1) * out->middle,
        .out_width = last ? out->last : out->middle,
    };
}

bool pdp_line_counts(int y, int kernel, int stride, int pad_top, int out_height) {
    const int behind = y + pad_top - kernel; /* the first window that ends at y or below begins after this line */
    const int row = behind < 0 ? 0 : behind / stride + 1;
    return row < out_height && row * stride - pad_top <= y;
}

/* partial: a D_PARTIAL_WIDTH register; all have the same fields. */
static struct pdp_strips strips_of(uint32_t split_num, int width, uint32_t partial) {
    if (split_num == 0)
        return (struct pdp_strips){.count = 1, .first = width};
    return (struct pdp_strips){
        .count = (int)split_num + 1,
        .first = (int)REGISTER_FIELD(partial, PDP_D_PARTIAL_WIDTH_IN__PARTIAL_WIDTH_IN_FIRST) + 1,
        .middle = (int)REGISTER_FIELD(partial, PDP_D_PARTIAL_WIDTH_IN__PARTIAL_WIDTH_IN_MID) + 1,
        .last = (int)REGISTER_FIELD(partial, PDP_D_PARTIAL_WIDTH_IN__PARTIAL_WIDTH_IN_LAST) + 1,
    };
}

struct pdp_cubes pdp_cubes(const struct registers_view *view) {
    const uint32_t split = FIELD(view, PDP, D_OPERATION_MODE_CFG, SPLIT_NUM);
    struct pdp_cubes cubes = {
        .from_memory = FIELD(view, PDP, D_OPERATION_MODE_CFG, FLYING_MODE) != 0,
        .precision = precision_of(view, FIELD(view, PDP, D_DATA_FORMAT, INPUT_DATA)),
        .in_width = SIZE(view, PDP, D_DATA_CUBE_IN_WIDTH),
        .in_height = SIZE(view, PDP, D_DATA_CUBE_IN_HEIGHT),
        .in_channels = SIZE(view, PDP, D_DATA_CUBE_IN_CHANNEL),
        .out_width = SIZE(view, PDP, D_DATA_CUBE_OUT_WIDTH),
        .destination =
            place(view, PLACE(PDP, D_DST_BASE_ADDR_LOW, D_DST_BASE_ADDR_HIGH, D_DST_LINE_STRIDE, D_DST_SURFACE_STRIDE),
                  false, FIELD(view, PDP, D_DST_RAM_CFG, DST_RAM_TYPE)),
    };
    cubes.in = strips_of(split, cubes.in_width, VALUE(view, PDP, D_PARTIAL_WIDTH_IN));
    cubes.out = strips_of(split, cubes.out_width, VALUE(view, PDP, D_PARTIAL_WIDTH_OUT));
    set_size(&cubes.destination.cube, (int)pdp_strip_columns(&cubes.out, 0), SIZE(view, PDP, D_DATA_CUBE_OUT_HEIGHT),
             SIZE(view, PDP, D_DATA_CUBE_OUT_CHANNEL), cubes.precision);
    return cubes;
}

struct pdp_rdma_cubes pdp_rdma_cubes(const struct registers_view *view) {
    struct pdp_rdma_cubes cubes = {
        .precision = precision_of(view, FIELD(view, PDP_RDMA, D_DATA_FORMAT, INPUT_DATA)),
        .in = strips_of(FIELD(view, PDP_RDMA, D_OPERATION_MODE_CFG, SPLIT_NUM),
                        SIZE(view, PDP_RDMA, D_DATA_CUBE_IN_WIDTH), VALUE(view, PDP_RDMA, D_PARTIAL_WIDTH_IN)),
        .kernel_width = (int)FIELD(view, PDP_RDMA, D_POOLING_KERNEL_CFG, KERNEL_WIDTH) + 1,
        .stride_width = (int)FIELD(view, PDP_RDMA, D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH) + 1,
        .source = place(
            view, PLACE(PDP_RDMA, D_SRC_BASE_ADDR_LOW, D_SRC_BASE_ADDR_HIGH, D_SRC_LINE_STRIDE, D_SRC_SURFACE_STRIDE),
            false, FIELD(view, PDP_RDMA, D_SRC_RAM_CFG, SRC_RAM_TYPE)),
    };
    set_size(&cubes.source.cube, (int)pdp_strip_columns(&cubes.in, 0), SIZE(view, PDP_RDMA, D_DATA_CUBE_IN_HEIGHT),
             SIZE(view, PDP_RDMA, D_DATA_CUBE_IN_CHANNEL), cubes.precision);
    return cubes;
}

/* ---- CDP ------------------------------------------------------------------------------------- */

struct cdp_cubes cdp_cubes(const struct registers_view *view) {
    struct cdp_cubes cubes = {
        .width = SIZE(view, CDP_RDMA, D_DATA_CUBE_WIDTH),
        .height = SIZE(view, CDP_RDMA, D_DATA_CUBE_HEIGHT),
        .channels = SIZE(view, CDP_RDMA, D_DATA_CUBE_CHANNEL),
        .precision = precision_of(view, FIELD(view, CDP, D_DATA_FORMAT, INPUT_DATA_TYPE)),
        .rdma_precision = precision_of(view, FIELD(view, CDP_RDMA, D_DATA_FORMAT, INPUT_DATA)),
        .source = place(
            view, PLACE(CDP_RDMA, D_SRC_BASE_ADDR_LOW, D_SRC_BASE_ADDR_HIGH, D_SRC_LINE_STRIDE, D_SRC_SURFACE_STRIDE),
            false, FIELD(view, CDP_RDMA, D_SRC_DMA_CFG, SRC_RAM_TYPE)),
        .destination =
            place(view, PLACE(CDP, D_DST_BASE_ADDR_LOW, D_DST_BASE_ADDR_HIGH, D_DST_LINE_STRIDE, D_DST_SURFACE_STRIDE),
                  false, FIELD(view, CDP, D_DST_DMA_CFG, DST_RAM_TYPE)),
    };
    set_size(&cubes.source.cube, cubes.width, cubes.height, cubes.channels, cubes.rdma_precision);
    set_size(&cubes.destination.cube, cubes.width, cubes.height, cubes.channels, cubes.precision);
    return cubes;
}

int cdp_product_bits(enum nvdla_precision precision) {
    return precision == NVDLA_INT8 ? 25 : precision == NVDLA_INT16 ? 33 : 0;
}

int cdp_sum_bits(enum nvdla_precision precision) {
    return precision == NVDLA_INT8 ? 22 : precision == NVDLA_INT16 ? 37 : 0;
}

/* ---- CDMA ------------------------------------------------------------------------------------ */

static enum cdma_mode cdma_mode(const struct registers_view *view) {
    if (nvdla_has(view->config, FEATURE_WINOGRAD) && FIELD(view, CDMA, D_MISC_CFG, CONV_MODE) != 0)
        return CDMA_WINOGRAD;
    return FIELD(view, CDMA, D_DATAIN_FORMAT, DATAIN_FORMAT) ? CDMA_IMAGE : CDMA_FEATURE;
}

/* Feature input and Winograd. Their addresses and strides lose their low bits, unlike those of pixel planes. */
static void set_cube(const struct registers_view *view, struct cdma_cubes *cubes) {
    cubes->channels = (size_t)SIZE(view, CDMA, D_DATAIN_SIZE_1);
    cubes->base[0] = aligned(view, cubes->base[0]);
    cubes->line_stride[0] = aligned(view, cubes->line_stride[0]);
    cubes->surface_stride = aligned(view, VALUE(view, CDMA, D_SURF_STRIDE));
}

static void set_feature(const struct registers_view *view, struct cdma_cubes *cubes) {
    set_cube(view, cubes);
    cubes->packed_1x1 = cubes->width == 1 && cubes->height == 1 && FIELD(view, CDMA, D_DAIN_MAP, SURF_PACKED) != 0;
    if (nvdla_has(view->config, FEATURE_BATCHES)) {
        cubes->batches = FIELD(view, CDMA, D_BATCH_NUMBER, BATCHES) + 1;
        cubes->batch_stride = aligned(view, VALUE(view, CDMA, D_BATCH_STRIDE));
    }
}

static void set_winograd(const struct registers_view *view, struct cdma_cubes *cubes) {
    set_cube(view, cubes);
    cubes->stride_x = FIELD(view, CDMA, D_CONV_STRIDE, CONV_X_STRIDE) + 1;
    cubes->stride_y = FIELD(view, CDMA, D_CONV_STRIDE, CONV_Y_STRIDE) + 1;
    cubes->extended_width = FIELD(view, CDMA, D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT) + 1;
    cubes->extended_height = FIELD(view, CDMA, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) + 1;
}

static void set_image(const struct registers_view *view, struct cdma_cubes *cubes) {
    cubes->pixel = nvdla_pixel_format(view->config, FIELD(view, CDMA, D_DATAIN_FORMAT, PIXEL_FORMAT));
    cubes->base[1] = view_address(view, NVDLA_CDMA, CDMA_D_DAIN_ADDR_LOW_1, CDMA_D_DAIN_ADDR_HIGH_1);
    cubes->line_stride[1] = VALUE(view, CDMA, D_LINE_UV_STRIDE);
    cubes->x_offset = FIELD(view, CDMA, D_PIXEL_OFFSET, PIXEL_X_OFFSET);
}

static void set_weights(const struct registers_view *view, struct cdma_cubes *cubes) {
    const struct nvdla_config *config = view->config;
    const uint64_t atom = (uint64_t)config->mem_atom;
    cubes->weight_primary = FIELD(view, CDMA, D_WEIGHT_RAM_TYPE, WEIGHT_RAM_TYPE) != 0;
    cubes->weights = aligned_address(view, NVDLA_CDMA, CDMA_D_WEIGHT_ADDR_LOW, CDMA_D_WEIGHT_ADDR_HIGH);
    cubes->weight_atoms = VALUE(view, CDMA, D_WEIGHT_BYTES) / atom;
    cubes->kernel_bytes = (uint64_t)VALUE(view, CDMA, D_WEIGHT_SIZE_0) + 1;
    cubes->kernels = (uint64_t)VALUE(view, CDMA, D_WEIGHT_SIZE_1) + 1;
    cubes->kernel_group = (uint64_t)config->atomic_k / (uint64_t)nvdla_element_bytes(cubes->proc);
    cubes->compressed =
        nvdla_has(config, FEATURE_COMPRESSION) && FIELD(view, CDMA, D_WEIGHT_FORMAT, WEIGHT_FORMAT) != 0;
    if (cubes->compressed) {
        cubes->masks = aligned_address(view, NVDLA_CDMA, CDMA_D_WMB_ADDR_LOW, CDMA_D_WMB_ADDR_HIGH);
        cubes->mask_atoms = VALUE(view, CDMA, D_WMB_BYTES) / atom;
        cubes->sizes = aligned_address(view, NVDLA_CDMA, CDMA_D_WGS_ADDR_LOW, CDMA_D_WGS_ADDR_HIGH);
    }
}

struct cdma_cubes cdma_cubes(const struct registers_view *view) {
    struct cdma_cubes cubes = {
        .mode = cdma_mode(view),
        .in = precision_of(view, FIELD(view, CDMA, D_MISC_CFG, IN_PRECISION)),
        .proc = precision_of(view, FIELD(view, CDMA, D_MISC_CFG, PROC_PRECISION)),
        .data_primary = FIELD(view, CDMA, D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE) != 0,
        .width = FIELD(view, CDMA, D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1,
        .height = FIELD(view, CDMA, D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1,
        .batches = 1,
        .base = {view_address(view, NVDLA_CDMA, CDMA_D_DAIN_ADDR_LOW_0, CDMA_D_DAIN_ADDR_HIGH_0)},
        .line_stride = {VALUE(view, CDMA, D_LINE_STRIDE)},
        .pad_left = FIELD(view, CDMA, D_ZERO_PADDING, PAD_LEFT),
        .pad_right = FIELD(view, CDMA, D_ZERO_PADDING, PAD_RIGHT),
        .pad_top = FIELD(view, CDMA, D_ZERO_PADDING, PAD_TOP),
    };
    switch (cubes.mode) {
    case CDMA_FEATURE:
        set_feature(view, &cubes);
        break;
    case CDMA_IMAGE:
        set_image(view, &cubes);
        break;
    case CDMA_WINOGRAD:
        set_winograd(view, &cubes);
        break;
    }
    set_weights(view, &cubes);
    return cubes;
}

struct memory_cube cdma_feature(const struct cdma_cubes *cubes, const struct nvdla_config *config) {
    struct cube cube = {
        .base = cubes->base[0],
        .line_stride = (uint32_t)cubes->line_stride[0],
        .surface_stride = (uint32_t)cubes->surface_stride,
        .atom = config->mem_atom,
        .align = config->mem_atom,
        .packed_1x1 = cubes->packed_1x1,
        .batches = (int)cubes->batches,
        .batch_stride = (uint32_t)cubes->batch_stride,
    };
    set_size(&cube, (int)cubes->width, (int)cubes->height, (int)cubes->channels, cubes->in);
    return (struct memory_cube){cube, cubes->data_primary};
}

/* ---- RUBIK and BDMA -------------------------------------------------------------------------- */

/* Planar lines are moved in whole atoms. */
static void set_planar(const struct rubik_cubes *cubes, struct cube *cube) {
    cube->atom = cube->align = (int)cubes->element;
    cube->min_columns = (int)(cubes->planar_atoms * cubes->lanes);
}

struct rubik_cubes rubik_cubes(const struct registers_view *view) {
    const enum nvdla_precision precision = precision_of(view, FIELD(view, RBK, D_MISC_CFG, IN_PRECISION));
    const size_t element = (size_t)nvdla_element_bytes(precision), atom = (size_t)view->config->mem_atom;
    struct rubik_cubes cubes = {
        .mode = (enum rubik_mode)FIELD(view, RBK, D_MISC_CFG, RUBIK_MODE),
        .width = (int)FIELD(view, RBK, D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1,
        .height = (int)FIELD(view, RBK, D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1,
        .in_channels = SIZE(view, RBK, D_DATAIN_SIZE_1),
        .out_channels = SIZE(view, RBK, D_DATAOUT_SIZE_1),
        .x_stride = 1,
        .y_stride = 1,
        .element = element,
        .lanes = atom / element,
        .phase = VALUE(view, RBK, D_CONTRACT_STRIDE_0),
    };
    const struct cube_place *source =
                                PLACE(RBK, D_DAIN_ADDR_LOW, D_DAIN_ADDR_HIGH, D_DAIN_LINE_STRIDE, D_DAIN_SURF_STRIDE),
                            *planes =
                                PLACE(RBK, D_DAIN_ADDR_LOW, D_DAIN_ADDR_HIGH, D_DAIN_LINE_STRIDE, D_DAIN_PLANAR_STRIDE);
    const struct cube_place *to = PLACE(RBK, D_DAOUT_ADDR_LOW, D_DAOUT_ADDR_HIGH, D_DAOUT_LINE_STRIDE,
                                        D_DAOUT_SURF_STRIDE),
                            *to_planes = PLACE(RBK, D_DAOUT_ADDR_LOW, D_DAOUT_ADDR_HIGH, D_DAOUT_LINE_STRIDE,
                                               D_DAOUT_PLANAR_STRIDE);
    int in_channels = cubes.out_channels;
    cubes.surfaces = groups_of(cubes.out_channels, (int)cubes.lanes);
    cubes.planar_atoms = ceil_div((size_t)cubes.width, cubes.lanes);
    if (cubes.mode == RUBIK_CONTRACT) {
        cubes.x_stride = (int)FIELD(view, RBK, D_DECONV_STRIDE, DECONV_X_STRIDE) + 1;
        cubes.y_stride = (int)FIELD(view, RBK, D_DECONV_STRIDE, DECONV_Y_STRIDE) + 1;
        in_channels = cubes.x_stride * cubes.y_stride * cubes.surfaces * (int)cubes.lanes;
    }
    cubes.source = place(view, cubes.mode == RUBIK_MERGE ? planes : source, true,
                         FIELD(view, RBK, D_DAIN_RAM_TYPE, DATAIN_RAM_TYPE));
    cubes.destination = place(view, cubes.mode == RUBIK_SPLIT ? to_planes : to, true,
                              FIELD(view, RBK, D_DAOUT_RAM_TYPE, DATAOUT_RAM_TYPE));
    set_size(&cubes.source.cube, cubes.width, cubes.height, in_channels, precision);
    set_size(&cubes.destination.cube, cubes.width * cubes.x_stride, cubes.height * cubes.y_stride, cubes.out_channels,
             precision);
    if (cubes.mode == RUBIK_MERGE)
        set_planar(&cubes, &cubes.source.cube);
    if (cubes.mode == RUBIK_SPLIT)
        set_planar(&cubes, &cubes.destination.cube);
    return cubes;
}

struct bdma_cubes bdma_cubes(const struct registers_view *view) {
    struct bdma_cubes cubes = {
        .atoms = VALUE(view, BDMA, CFG_LINE) + 1,
        .lines = VALUE(view, BDMA, CFG_LINE_REPEAT) + 1,
        .surfaces = VALUE(view, BDMA, CFG_SURF_REPEAT) + 1,
        .source = place(view, PLACE(BDMA, CFG_SRC_ADDR_LOW, CFG_SRC_ADDR_HIGH, CFG_SRC_LINE, CFG_SRC_SURF), true,
                        FIELD(view, BDMA, CFG_CMD, SRC_RAM_TYPE)),
        .destination = place(view, PLACE(BDMA, CFG_DST_ADDR_LOW, CFG_DST_ADDR_HIGH, CFG_DST_LINE, CFG_DST_SURF), true,
                             FIELD(view, BDMA, CFG_CMD, DST_RAM_TYPE)),
    };
    const int height = SIZE(view, BDMA, CFG_LINE_REPEAT),
              channels = SIZE(view, BDMA, CFG_SURF_REPEAT) * view->config->mem_atom;
    set_size(&cubes.source.cube, SIZE(view, BDMA, CFG_LINE), height, channels, NVDLA_INT8);
    set_size(&cubes.destination.cube, SIZE(view, BDMA, CFG_LINE), height, channels, NVDLA_INT8);
    return cubes;
}

/* ---- launches -------------------------------------------------------------------------------- */

/* Without a secondary port all memory is primary. */
static bool is_primary(const struct nvdla_config *config, bool primary) {
    return primary || !nvdla_has(config, FEATURE_SECONDARY_MEMORY);
}

static bool found(const struct nvdla_config *config, struct memory_cube at, struct cube *cube, bool *primary) {
    *cube = at.cube;
    *primary = is_primary(config, at.primary);
    return true;
}

bool launch_output_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube,
                        bool *primary) {
    const struct registers_view view = launch_view(config, launch);
    *cube = (struct cube){0};
    switch (launch->unit) {
    case NVDLA_SDP: {
        const struct sdp_cubes sdp = sdp_cubes(&view);
        return !sdp.to_pdp && !sdp.compare && found(config, sdp.destination, cube, primary);
    }
    case NVDLA_PDP:
        return found(config, pdp_cubes(&view).destination, cube, primary);
    case NVDLA_CDP:
        return found(config, cdp_cubes(&view).destination, cube, primary);
    case NVDLA_RBK: {
        const struct rubik_cubes rubik = rubik_cubes(&view);
        return found(config, rubik.destination, cube, primary) && rubik.mode != RUBIK_UNDEFINED;
    }
    default:
        return false;
    }
}

/* For contract only if the phases are consecutive in memory. */
static bool rubik_reads_a_cube(const struct rubik_cubes *rubik) {
    return rubik->mode != RUBIK_UNDEFINED &&
           (rubik->mode != RUBIK_CONTRACT ||
            rubik->phase == (uint32_t)rubik->surfaces * rubik->source.cube.surface_stride);
}

bool launch_input_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube,
                       bool *primary) {
    const struct registers_view view = launch_view(config, launch);
    *cube = (struct cube){0};
    switch (launch->unit) {
    case NVDLA_CDMA: {
        const struct cdma_cubes cdma = cdma_cubes(&view);
        return launch->fetches_data && cdma.mode != CDMA_IMAGE &&
               found(config, cdma_feature(&cdma, config), cube, primary);
    }
    case NVDLA_SDP_RDMA: {
        const struct sdp_rdma_cubes rdma = sdp_rdma_cubes(&view);
        return !rdma.shape.flying && found(config, rdma.source, cube, primary);
    }
    case NVDLA_PDP_RDMA:
        return found(config, pdp_rdma_cubes(&view).source, cube, primary);
    case NVDLA_CDP_RDMA:
        return found(config, cdp_cubes(&view).source, cube, primary);
    case NVDLA_RBK: {
        const struct rubik_cubes rubik = rubik_cubes(&view);
        return found(config, rubik.source, cube, primary) && rubik_reads_a_cube(&rubik);
    }
    default:
        return false;
    }
}

bool launch_block(const struct nvdla_config *config, const struct launch *launch, size_t index,
                  struct launch_block *block) {
    if (index >= launch->block_count)
        return false;
    /* as if these were the launch's registers, so that they are read the same way */
    const struct launch one = {
        .unit = NVDLA_BDMA, .word_count = LAUNCH_BLOCK_WORDS, .registers = &launch->blocks[index * LAUNCH_BLOCK_WORDS]};
    const struct registers_view view = launch_view(config, &one);
    const struct bdma_cubes cubes = bdma_cubes(&view);
    block->source = cubes.source.cube;
    block->destination = cubes.destination.cube;
    block->source_primary = is_primary(config, cubes.source.primary);
    block->destination_primary = is_primary(config, cubes.destination.primary);
    return true;
}
