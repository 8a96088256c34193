#include "nvdla/layers.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/pixel.h"
#include "nvdla_offsets.h"

/* Precision codes of every D_DATA_FORMAT register, and axes of a cube. */
enum { INT8 = 0, INT16 = 1 };
enum { WIDTH, HEIGHT, CHANNEL };

/* What a unit's registers hold, and its launches. */
struct shadow {
    size_t word_count;
    uint32_t *words[2]; /* by group; registers without groups are kept alike in both */
    size_t *launches;   /* indices in layer_tracker.launches */
    size_t launch_count, launch_room;
};

struct layer_tracker {
    const struct nvdla_config *config;
    struct shadow units[NVDLA_UNIT_COUNT];
    struct launch *launches;
    size_t launch_count, launch_room;
};

/* Field of a register of a launch; the names are those of nvdla_offsets.h. */
#define FIELD(launch, reg, field) ((launch_register(launch, reg) & reg##__##field##_MASK) >> reg##__##field##_LSB)

/* ---- tracking ------------------------------------------------------------------------------------------------------
 */

static void *must(void *block) {
    if (!block)
        abort();
    return block;
}

struct layer_tracker *layer_tracker_new(const struct nvdla_config *config) {
    struct layer_tracker *tracker = calloc(1, sizeof *tracker);
    if (!tracker)
        return NULL;
    tracker->config = config;
    const struct nvdla_register_map *map = &nvdla_register_maps[config->map];
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        const size_t word = (reg->address - nvdla_unit_base(config, reg->unit)) / 4;
        if (nvdla_has_unit(config, reg->unit) && word >= tracker->units[reg->unit].word_count)
            tracker->units[reg->unit].word_count = word + 1;
    }
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        for (int group = 0; group < 2; group++) {
            struct shadow *shadow = &tracker->units[unit];
            shadow->words[group] = calloc(shadow->word_count + 1, sizeof(uint32_t));
            if (!shadow->words[group]) {
                layer_tracker_free(tracker);
                return NULL;
            }
        }
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        if (!nvdla_has_unit(config, reg->unit))
            continue;
        for (int group = 0; group < 2; group++)
            tracker->units[reg->unit].words[group][(reg->address - nvdla_unit_base(config, reg->unit)) / 4] =
                reg->reset;
    }
    return tracker;
}

void layer_tracker_free(struct layer_tracker *tracker) {
    if (!tracker)
        return;
    for (size_t i = 0; i < tracker->launch_count; i++)
        free(tracker->launches[i].registers);
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        free(tracker->units[unit].words[0]);
        free(tracker->units[unit].words[1]);
        free(tracker->units[unit].launches);
    }
    free(tracker->launches);
    free(tracker);
}

/* Records a launch of a unit with the registers of a group. */
static struct launch *record(struct layer_tracker *tracker, enum nvdla_unit unit, int group, size_t tag) {
    struct shadow *shadow = &tracker->units[unit];
    if (tracker->launch_count == tracker->launch_room) {
        tracker->launch_room = tracker->launch_room ? tracker->launch_room * 2 : 64;
        tracker->launches = must(realloc(tracker->launches, tracker->launch_room * sizeof *tracker->launches));
    }
    if (shadow->launch_count == shadow->launch_room) {
        shadow->launch_room = shadow->launch_room ? shadow->launch_room * 2 : 16;
        shadow->launches = must(realloc(shadow->launches, shadow->launch_room * sizeof *shadow->launches));
    }
    struct launch *launch = &tracker->launches[tracker->launch_count];
    *launch = (struct launch){.unit = unit,
                              .ordinal = (int)shadow->launch_count,
                              .group = group,
                              .tag = tag,
                              .word_count = shadow->word_count};
    launch->registers = must(malloc(shadow->word_count * sizeof(uint32_t)));
    memcpy(launch->registers, shadow->words[group], shadow->word_count * sizeof(uint32_t));
    shadow->launches[shadow->launch_count++] = tracker->launch_count++;
    return launch;
}

/* True if writing this value to this register arms *group (on entry: the group that PRODUCER selects). */
static bool arms(const struct nvdla_register *reg, uint32_t offset, uint32_t value, int *group) {
    if ((value & 1) == 0)
        return false;
    if (reg->unit == NVDLA_BDMA) {
        *group = offset == BDMA_CFG_LAUNCH1;
        return offset == BDMA_CFG_LAUNCH0 || offset == BDMA_CFG_LAUNCH1;
    }
    return reg->grouped && strcmp(reg->name, "D_OP_ENABLE") == 0;
}

/* Gives a launch of CDP the cube size that the registers of CDP_RDMA hold. */
static void take_cube_size(struct launch *cdp, const uint32_t *rdma) {
    cdp->cube_size[WIDTH] = rdma[CDP_RDMA_D_DATA_CUBE_WIDTH / 4];
    cdp->cube_size[HEIGHT] = rdma[CDP_RDMA_D_DATA_CUBE_HEIGHT / 4];
    cdp->cube_size[CHANNEL] = rdma[CDP_RDMA_D_DATA_CUBE_CHANNEL / 4];
}

/* Decides what a launch of CDMA fetches, from the launch before it (NULL: none). Chapter 30 section 9.3. */
static void take_fetches(struct launch *cdma, const struct launch *before) {
    cdma->fetches_data = true;
    cdma->fetches_weights = true;
    if (!before)
        return;
    const uint32_t banks = launch_register(cdma, CDMA_D_BANK) ^ launch_register(before, CDMA_D_BANK);
    const bool same_mode =
        FIELD(cdma, CDMA_D_MISC_CFG, CONV_MODE) == FIELD(before, CDMA_D_MISC_CFG, CONV_MODE) &&
        FIELD(cdma, CDMA_D_DATAIN_FORMAT, DATAIN_FORMAT) == FIELD(before, CDMA_D_DATAIN_FORMAT, DATAIN_FORMAT);
    const bool same_data_banks = (banks & ((1u << CDMA_D_BANK__WEIGHT_BANK_LSB) - 1)) == 0;
    if (same_data_banks && same_mode && FIELD(before, CDMA_D_MISC_CFG, SKIP_DATA_RLS))
        cdma->fetches_data = FIELD(cdma, CDMA_D_MISC_CFG, DATA_REUSE) == 0;
    if (banks == 0 && FIELD(before, CDMA_D_MISC_CFG, SKIP_WEIGHT_RLS))
        cdma->fetches_weights = FIELD(cdma, CDMA_D_MISC_CFG, WEIGHT_REUSE) == 0;
}

const struct launch *layer_tracker_write(struct layer_tracker *tracker, uint32_t address, uint32_t value, size_t tag) {
    const struct nvdla_register *reg = nvdla_register_at(tracker->config, address);
    if (!reg)
        return NULL;
    struct shadow *shadow = &tracker->units[reg->unit];
    const uint32_t offset = address - nvdla_unit_base(tracker->config, reg->unit);
    const size_t word = offset / 4;
    /* All units with groups have S_POINTER at the same offset. */
    int group = reg->grouped ? (int)(shadow->words[0][SDP_S_POINTER / 4] & SDP_S_POINTER__PRODUCER_MASK) : 0;
    const uint32_t stored = (shadow->words[group][word] & ~reg->stored_mask) | (value & reg->stored_mask);
    shadow->words[group][word] = stored;
    if (!reg->grouped)
        shadow->words[1][word] = stored;
    if (!arms(reg, offset, value, &group))
        return NULL;
    struct launch *launch = record(tracker, reg->unit, group, tag);
    launch->registers[word] |= 1;
    if (reg->unit == NVDLA_CDP) {
        const struct launch *rdma = layer_tracker_find(tracker, NVDLA_CDP_RDMA, launch->ordinal);
        take_cube_size(launch, rdma ? rdma->registers : tracker->units[NVDLA_CDP_RDMA].words[group]);
    } else if (reg->unit == NVDLA_CDP_RDMA && (size_t)launch->ordinal < tracker->units[NVDLA_CDP].launch_count) {
        take_cube_size(&tracker->launches[tracker->units[NVDLA_CDP].launches[launch->ordinal]], launch->registers);
    } else if (reg->unit == NVDLA_CDMA) {
        take_fetches(launch, layer_tracker_find(tracker, NVDLA_CDMA, launch->ordinal - 1));
    }
    return launch;
}

size_t layer_tracker_count(const struct layer_tracker *tracker) {
    return tracker->launch_count;
}

const struct launch *layer_tracker_launch(const struct layer_tracker *tracker, size_t index) {
    return index < tracker->launch_count ? &tracker->launches[index] : NULL;
}

const struct launch *layer_tracker_find(const struct layer_tracker *tracker, enum nvdla_unit unit, int ordinal) {
    if ((unsigned)unit >= NVDLA_UNIT_COUNT || ordinal < 0 || (size_t)ordinal >= tracker->units[unit].launch_count)
        return NULL;
    return &tracker->launches[tracker->units[unit].launches[ordinal]];
}

uint32_t launch_register(const struct launch *launch, uint32_t offset) {
    return offset / 4 < launch->word_count ? launch->registers[offset / 4] : 0;
}

/* ---- geometry ------------------------------------------------------------------------------------------------------
 */

/* Bytes of an element; configurations without 16-bit types process INT8 whatever the registers say. */
static int element_bytes(const struct nvdla_config *config, uint32_t precision) {
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

/* Sizes of an SDP or SDP_RDMA layer. */
struct sdp_layer {
    int width, height, channels;
    int in, proc, out; /* element bytes */
    int lanes;         /* elements of a processing group: E of chapter 50 */
    int groups;        /* NS of chapter 50 */
    int batches;
};

static struct sdp_layer sdp_layer(const struct nvdla_config *config, const struct launch *launch) {
    struct sdp_layer layer = {.batches = 1};
    uint32_t batch;
    if (launch->unit == NVDLA_SDP) {
        layer.width = size_of(launch, SDP_D_DATA_CUBE_WIDTH);
        layer.height = size_of(launch, SDP_D_DATA_CUBE_HEIGHT);
        layer.channels = size_of(launch, SDP_D_DATA_CUBE_CHANNEL);
        layer.proc = element_bytes(config, FIELD(launch, SDP_D_DATA_FORMAT, PROC_PRECISION));
        layer.out = element_bytes(config, FIELD(launch, SDP_D_DATA_FORMAT, OUT_PRECISION));
        layer.in = layer.proc;
        batch = FIELD(launch, SDP_D_FEATURE_MODE_CFG, BATCH_NUMBER);
    } else {
        layer.width = size_of(launch, SDP_RDMA_D_DATA_CUBE_WIDTH);
        layer.height = size_of(launch, SDP_RDMA_D_DATA_CUBE_HEIGHT);
        layer.channels = size_of(launch, SDP_RDMA_D_DATA_CUBE_CHANNEL);
        layer.in = element_bytes(config, FIELD(launch, SDP_RDMA_D_FEATURE_MODE_CFG, IN_PRECISION));
        layer.proc = element_bytes(config, FIELD(launch, SDP_RDMA_D_FEATURE_MODE_CFG, PROC_PRECISION));
        layer.out = element_bytes(config, FIELD(launch, SDP_RDMA_D_FEATURE_MODE_CFG, OUT_PRECISION));
        batch = FIELD(launch, SDP_RDMA_D_FEATURE_MODE_CFG, BATCH_NUMBER);
    }
    if (config->batch_max > 1)
        layer.batches = (int)batch + 1;
    layer.lanes = config->mem_atom / layer.proc;
    layer.groups = cdiv(layer.channels, layer.lanes);
    return layer;
}

/* Surfaces that a cube of elements of `bytes` has in an SDP layer: INT8 processing moves both 16-bit surfaces of every
 * group. */
static int sdp_surfaces(const struct sdp_layer *layer, int bytes) {
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

/* Columns that PDP_RDMA reads of one line of a surface: strips overlap by kernel width - stride. */
static int64_t pdp_read_columns(const struct launch *launch) {
    const int strips = (int)FIELD(launch, PDP_RDMA_D_OPERATION_MODE_CFG, SPLIT_NUM) + 1;
    if (strips == 1)
        return size_of(launch, PDP_RDMA_D_DATA_CUBE_IN_WIDTH);
    const int overlap = (int)FIELD(launch, PDP_RDMA_D_POOLING_KERNEL_CFG, KERNEL_WIDTH) -
                        (int)FIELD(launch, PDP_RDMA_D_POOLING_KERNEL_CFG, KERNEL_STRIDE_WIDTH);
    return strip_columns(launch_register(launch, PDP_RDMA_D_PARTIAL_WIDTH_IN), strips, overlap);
}

/* Sizes of a RUBIK layer. Spec: 66-rubik sections 2 and 3. */
struct rubik_layer {
    enum { RUBIK_CONTRACT, RUBIK_SPLIT, RUBIK_MERGE } mode;
    int width, height;      /* of the input */
    int channels, surfaces; /* of the output; contract: of one phase */
    int x_stride, y_stride; /* contract: deconvolution stride, else 1 */
    int element;            /* bytes */
    int planar_atoms;       /* of a planar line */
};

static struct rubik_layer rubik_layer(const struct nvdla_config *config, const struct launch *launch) {
    struct rubik_layer layer = {
        .mode = FIELD(launch, RBK_D_MISC_CFG, RUBIK_MODE),
        .width = (int)FIELD(launch, RBK_D_DATAIN_SIZE_0, DATAIN_WIDTH) + 1,
        .height = (int)FIELD(launch, RBK_D_DATAIN_SIZE_0, DATAIN_HEIGHT) + 1,
        .channels = size_of(launch, RBK_D_DATAOUT_SIZE_1),
        .x_stride = 1,
        .y_stride = 1,
        .element = element_bytes(config, FIELD(launch, RBK_D_MISC_CFG, IN_PRECISION)),
    };
    if (layer.mode == RUBIK_CONTRACT) {
        layer.x_stride = (int)FIELD(launch, RBK_D_DECONV_STRIDE, DECONV_X_STRIDE) + 1;
        layer.y_stride = (int)FIELD(launch, RBK_D_DECONV_STRIDE, DECONV_Y_STRIDE) + 1;
    }
    layer.surfaces = cdiv(layer.channels * layer.element, config->mem_atom);
    layer.planar_atoms = cdiv(layer.width * layer.element, config->mem_atom);
    return layer;
}

/* The feature cube that RUBIK reads (split; contract: with the phases one behind the other, where the registers say
 * so). False if it reads planes. */
static bool rubik_input_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube) {
    const struct rubik_layer layer = rubik_layer(config, launch);
    place(config, launch, RBK_D_DAIN_ADDR_LOW, RBK_D_DAIN_LINE_STRIDE, RBK_D_DAIN_SURF_STRIDE, true, cube);
    cube->width = layer.width;
    cube->height = layer.height;
    cube->channels = layer.channels;
    cube->element_bytes = layer.element;
    if (layer.mode == RUBIK_SPLIT)
        return true;
    cube->channels = layer.x_stride * layer.y_stride * layer.surfaces * config->mem_atom / layer.element;
    return layer.mode == RUBIK_CONTRACT &&
           launch_register(launch, RBK_D_CONTRACT_STRIDE_0) == (uint32_t)layer.surfaces * cube->surface_stride;
}

/* The feature cube that RUBIK writes (contract, merge). False if it writes planes. */
static bool rubik_output_cube(const struct nvdla_config *config, const struct launch *launch, struct cube *cube) {
    const struct rubik_layer layer = rubik_layer(config, launch);
    place(config, launch, RBK_D_DAOUT_ADDR_LOW, RBK_D_DAOUT_LINE_STRIDE, RBK_D_DAOUT_SURF_STRIDE, true, cube);
    cube->width = layer.width * layer.x_stride;
    cube->height = layer.height * layer.y_stride;
    cube->channels = layer.channels;
    cube->element_bytes = layer.element;
    return layer.mode == RUBIK_CONTRACT || layer.mode == RUBIK_MERGE;
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
        *primary = is_primary(config, FIELD(launch, SDP_D_DST_DMA_CFG, DST_RAM_TYPE));
        return true;
    }
    case NVDLA_PDP:
        place(config, launch, PDP_D_DST_BASE_ADDR_LOW, PDP_D_DST_LINE_STRIDE, PDP_D_DST_SURFACE_STRIDE, false, cube);
        cube->width = pdp_out_width(launch);
        cube->height = size_of(launch, PDP_D_DATA_CUBE_OUT_HEIGHT);
        cube->channels = size_of(launch, PDP_D_DATA_CUBE_OUT_CHANNEL);
        cube->element_bytes = element_bytes(config, FIELD(launch, PDP_D_DATA_FORMAT, INPUT_DATA));
        *primary = is_primary(config, FIELD(launch, PDP_D_DST_RAM_CFG, DST_RAM_TYPE));
        return true;
    case NVDLA_CDP:
        place(config, launch, CDP_D_DST_BASE_ADDR_LOW, CDP_D_DST_LINE_STRIDE, CDP_D_DST_SURFACE_STRIDE, false, cube);
        cube->width = (int)launch->cube_size[WIDTH] + 1;
        cube->height = (int)launch->cube_size[HEIGHT] + 1;
        cube->channels = (int)launch->cube_size[CHANNEL] + 1;
        cube->element_bytes = element_bytes(config, FIELD(launch, CDP_D_DATA_FORMAT, INPUT_DATA_TYPE));
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
        cube->element_bytes = element_bytes(config, FIELD(launch, CDMA_D_MISC_CFG, IN_PRECISION));
        cube->packed_1x1 = cube->width == 1 && cube->height == 1 && FIELD(launch, CDMA_D_DAIN_MAP, SURF_PACKED) != 0;
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
        cube->element_bytes = element_bytes(config, FIELD(launch, PDP_RDMA_D_DATA_FORMAT, INPUT_DATA));
        *primary = is_primary(config, FIELD(launch, PDP_RDMA_D_SRC_RAM_CFG, SRC_RAM_TYPE));
        return true;
    case NVDLA_CDP_RDMA:
        place(config, launch, CDP_RDMA_D_SRC_BASE_ADDR_LOW, CDP_RDMA_D_SRC_LINE_STRIDE, CDP_RDMA_D_SRC_SURFACE_STRIDE,
              false, cube);
        cube->width = size_of(launch, CDP_RDMA_D_DATA_CUBE_WIDTH);
        cube->height = size_of(launch, CDP_RDMA_D_DATA_CUBE_HEIGHT);
        cube->channels = size_of(launch, CDP_RDMA_D_DATA_CUBE_CHANNEL);
        cube->element_bytes = element_bytes(config, FIELD(launch, CDP_RDMA_D_DATA_FORMAT, INPUT_DATA));
        *primary = is_primary(config, FIELD(launch, CDP_RDMA_D_SRC_DMA_CFG, SRC_RAM_TYPE));
        return true;
    case NVDLA_RBK:
        *primary = is_primary(config, launch_register(launch, RBK_D_DAIN_RAM_TYPE));
        return rubik_input_cube(config, launch, cube);
    default:
        return false;
    }
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

static uint64_t cdma_atoms(const struct nvdla_config *config, const struct launch *launch, int axi_id) {
    struct cube cube;
    bool primary;
    if (axi_id == 9 && launch->fetches_weights)
        return launch_register(launch, CDMA_D_WEIGHT_BYTES) / (uint32_t)config->mem_atom;
    if (axi_id != 8 || !launch->fetches_data)
        return 0;
    if (launch_input_cube(config, launch, &cube, &primary))
        return volume(cube.width, cube.height, cube_surfaces(&cube));
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
    const int batches = launch->unit == NVDLA_SDP ? sdp_layer(config, launch).batches : 1;
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
