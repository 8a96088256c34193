#include "layers/layers.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/pixel.h"
#include "nvdla_offsets.h"

/* Precision codes of every D_DATA_FORMAT register, and axes of a cube. */
enum { INT8 = 0, INT16 = 1 };
enum { WIDTH, HEIGHT, CHANNEL };

/* BDMA: registers that a descriptor takes, and descriptors that fit (64-bdma section 4). */
enum { BLOCK_WORDS = BDMA_CFG_OP / 4, BLOCKS = 21 };

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
    uint32_t blocks[BLOCKS * BLOCK_WORDS]; /* descriptors of BDMA that no launch has taken */
    size_t block_count;
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
    for (size_t i = 0; i < tracker->launch_count; i++) {
        free(tracker->launches[i].registers);
        free(tracker->launches[i].blocks);
    }
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

/* CFG_OP of BDMA: what is pushed into a full queue is lost. */
static void push_block(struct layer_tracker *tracker) {
    if (tracker->block_count == BLOCKS)
        return;
    memcpy(&tracker->blocks[tracker->block_count++ * BLOCK_WORDS], tracker->units[NVDLA_BDMA].words[0],
           BLOCK_WORDS * sizeof tracker->blocks[0]);
}

/* Gives a launch of BDMA all that was pushed since the one before. */
static void take_blocks(struct layer_tracker *tracker, struct launch *launch) {
    const size_t size = tracker->block_count * BLOCK_WORDS * sizeof tracker->blocks[0];
    if (size == 0)
        return;
    launch->blocks = must(malloc(size));
    memcpy(launch->blocks, tracker->blocks, size);
    launch->block_count = tracker->block_count;
    tracker->block_count = 0;
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
    if (reg->unit == NVDLA_BDMA && offset == BDMA_CFG_OP && (value & 1))
        push_block(tracker);
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
    } else if (reg->unit == NVDLA_BDMA) {
        take_blocks(tracker, launch);
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

/* ---- which launches make a layer -----------------------------------------------------------------------------------
 */

/* cfg, alu, mul: registers of one stage of SDP, whose common fields lie alike. True if it takes an operand from memory.
 */
static bool stage_reads(uint32_t cfg, uint32_t alu, uint32_t mul) {
    return (cfg & SDP_D_DP_BS_CFG__BS_BYPASS_MASK) == 0 &&
           (((cfg & SDP_D_DP_BS_CFG__BS_ALU_BYPASS_MASK) == 0 && (alu & SDP_D_DP_BS_ALU_CFG__BS_ALU_SRC_MASK)) ||
            ((cfg & SDP_D_DP_BS_CFG__BS_MUL_BYPASS_MASK) == 0 && (mul & SDP_D_DP_BS_MUL_CFG__BS_MUL_SRC_MASK)));
}

static bool sdp_flies(const struct nvdla_config *config, const struct launch *launch) {
    (void)config;
    return FIELD(launch, SDP_D_FEATURE_MODE_CFG, FLYING_MODE) != 0;
}

static bool sdp_reads(const struct nvdla_config *config, const struct launch *launch) {
    return !sdp_flies(config, launch) ||
           stage_reads(launch_register(launch, SDP_D_DP_BS_CFG), launch_register(launch, SDP_D_DP_BS_ALU_CFG),
                       launch_register(launch, SDP_D_DP_BS_MUL_CFG)) ||
           stage_reads(launch_register(launch, SDP_D_DP_BN_CFG), launch_register(launch, SDP_D_DP_BN_ALU_CFG),
                       launch_register(launch, SDP_D_DP_BN_MUL_CFG)) ||
           (config->sdp_ew_throughput &&
            stage_reads(launch_register(launch, SDP_D_DP_EW_CFG), launch_register(launch, SDP_D_DP_EW_ALU_CFG),
                        launch_register(launch, SDP_D_DP_EW_MUL_CFG)));
}

static bool sdp_feeds_pdp(const struct nvdla_config *config, const struct launch *launch) {
    (void)config;
    return FIELD(launch, SDP_D_FEATURE_MODE_CFG, OUTPUT_DST) != 0;
}

static bool pdp_reads(const struct nvdla_config *config, const struct launch *launch) {
    (void)config;
    return FIELD(launch, PDP_D_OPERATION_MODE_CFG, FLYING_MODE) != 0;
}

static bool pdp_flies(const struct nvdla_config *config, const struct launch *launch) {
    return !pdp_reads(config, launch);
}

static bool always(const struct nvdla_config *config, const struct launch *launch) {
    (void)config;
    (void)launch;
    return true;
}

typedef bool chosen_function(const struct nvdla_config *config, const struct launch *launch);

/* If launch is the n-th of its unit that is chosen, gives n; else -1. */
static int rank(const struct layer_tracker *tracker, const struct launch *launch, chosen_function *chosen) {
    int n = 0;
    if (!chosen(tracker->config, launch))
        return -1;
    for (int i = 0; i < launch->ordinal; i++)
        n += chosen(tracker->config, layer_tracker_find(tracker, launch->unit, i));
    return n;
}

/* The n-th launch of a unit that is chosen. */
static const struct launch *ranked(const struct layer_tracker *tracker, enum nvdla_unit unit, int n,
                                   chosen_function *chosen) {
    const struct launch *launch = n < 0 ? NULL : layer_tracker_find(tracker, unit, 0);
    for (int i = 0; launch; launch = layer_tracker_find(tracker, unit, ++i))
        if (chosen(tracker->config, launch) && n-- == 0)
            break;
    return launch;
}

const struct launch *layer_tracker_feeder(const struct layer_tracker *tracker, const struct launch *launch,
                                          enum nvdla_unit unit) {
    const bool conv = unit >= NVDLA_CDMA && unit <= NVDLA_CACC;
    if (launch->unit == NVDLA_SDP && (conv || unit == NVDLA_SDP_RDMA))
        return ranked(tracker, unit, rank(tracker, launch, conv ? sdp_flies : sdp_reads), always);
    if (launch->unit == NVDLA_CDP && unit == NVDLA_CDP_RDMA)
        return layer_tracker_find(tracker, unit, launch->ordinal);
    if (launch->unit != NVDLA_PDP)
        return NULL;
    if (unit == NVDLA_PDP_RDMA)
        return ranked(tracker, unit, rank(tracker, launch, pdp_reads), always);
    const struct launch *sdp = ranked(tracker, NVDLA_SDP, rank(tracker, launch, pdp_flies), sdp_feeds_pdp);
    return !sdp || unit == NVDLA_SDP ? sdp : layer_tracker_feeder(tracker, sdp, unit);
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

uint32_t launch_block_register(const struct launch *launch, size_t index, uint32_t offset) {
    if (index >= launch->block_count || offset / 4 >= BLOCK_WORDS)
        return launch_register(launch, offset);
    return launch->blocks[index * BLOCK_WORDS + offset / 4];
}

bool launch_block(const struct nvdla_config *config, const struct launch *launch, size_t index,
                  struct launch_block *block) {
    if (index >= launch->block_count)
        return false;
    /* as if these were the registers of the launch, so that they are read in the same way; the store engine counts 13
     * bits of the repeats */
    const struct launch one = {
        .unit = NVDLA_BDMA, .word_count = BLOCK_WORDS, .registers = &launch->blocks[index * BLOCK_WORDS]};
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
    const int bytes = element_bytes(config, FIELD(launch, CDMA_D_MISC_CFG, PROC_PRECISION));
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
