/* From register writes to launches: a shadow of every unit's registers, and their values when a write armed a group.
 * See tracker.h. */
#include "layers/tracker.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* BDMA: most descriptors in the queue (64-bdma section 4). */
enum { BLOCKS = 21 };

/* A unit's registers and launches. */
struct shadow {
    size_t word_count;
    uint32_t *words[2]; /* by group; registers without groups are the same in both */
    size_t *launches;   /* indices in layer_tracker.launches */
    size_t launch_count;
};

struct layer_tracker {
    const struct nvdla_config *config;
    struct shadow units[NVDLA_UNIT_COUNT];
    uint32_t blocks[BLOCKS * LAUNCH_BLOCK_WORDS]; /* BDMA descriptors not yet in a launch */
    size_t block_count;
    struct launch *launches;
    size_t launch_count;
};

struct layer_tracker *layer_tracker_new(const struct nvdla_config *config) {
    struct layer_tracker *tracker = xcalloc(1, sizeof *tracker);
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
            shadow->words[group] = xcalloc(shadow->word_count, sizeof(uint32_t));
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
        free(tracker->launches[i].rdma);
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
    tracker->launches = xgrow(tracker->launches, tracker->launch_count, sizeof *tracker->launches);
    shadow->launches = xgrow(shadow->launches, shadow->launch_count, sizeof *shadow->launches);
    struct launch *launch = &tracker->launches[tracker->launch_count];
    *launch = (struct launch){.unit = unit,
                              .ordinal = (int)shadow->launch_count,
                              .group = group,
                              .tag = tag,
                              .word_count = shadow->word_count};
    launch->registers = xmalloc(shadow->word_count * sizeof(uint32_t));
    memcpy(launch->registers, shadow->words[group], shadow->word_count * sizeof(uint32_t));
    shadow->launches[shadow->launch_count++] = tracker->launch_count++;
    return launch;
}

/* True if writing this value to this register arms *group (on entry: the group selected by PRODUCER). */
static bool arms(const struct nvdla_register *reg, uint32_t offset, uint32_t value, int *group) {
    if ((value & 1) == 0)
        return false;
    if (reg->unit == NVDLA_BDMA) {
        *group = offset == BDMA_CFG_LAUNCH1;
        return offset == BDMA_CFG_LAUNCH0 || offset == BDMA_CFG_LAUNCH1;
    }
    return reg->grouped && strcmp(reg->name, "D_OP_ENABLE") == 0;
}

bool register_write_arms(const struct nvdla_config *config, uint32_t address, uint32_t value) {
    const struct nvdla_register *reg = nvdla_register_at(config, address);
    int group;
    return reg && arms(reg, reg->address - nvdla_unit_base(config, reg->unit), value, &group);
}

/* CFG_OP of BDMA: a descriptor pushed into a full queue is lost. */
static void push_block(struct layer_tracker *tracker) {
    if (tracker->block_count == BLOCKS)
        return;
    memcpy(&tracker->blocks[tracker->block_count++ * LAUNCH_BLOCK_WORDS], tracker->units[NVDLA_BDMA].words[0],
           LAUNCH_BLOCK_WORDS * sizeof tracker->blocks[0]);
}

/* Gives a launch of BDMA all descriptors pushed since the previous one. */
static void take_blocks(struct layer_tracker *tracker, struct launch *launch) {
    const size_t size = tracker->block_count * LAUNCH_BLOCK_WORDS * sizeof tracker->blocks[0];
    if (size == 0)
        return;
    launch->blocks = xmalloc(size);
    memcpy(launch->blocks, tracker->blocks, size);
    launch->block_count = tracker->block_count;
    tracker->block_count = 0;
}

/* Gives a launch of CDP the registers of CDP_RDMA. */
static void take_rdma(struct launch *cdp, const uint32_t *rdma, size_t count) {
    free(cdp->rdma);
    cdp->rdma = xmalloc(count * sizeof *rdma);
    memcpy(cdp->rdma, rdma, count * sizeof *rdma);
    cdp->rdma_word_count = count;
}

/* Decides what a launch of CDMA fetches, given the previous launch (NULL: none). Chapter 30 section 9.3. */
static void take_fetches(const struct nvdla_config *config, struct launch *launch, const struct launch *launch_before) {
    launch->fetches_data = true;
    launch->fetches_weights = true;
    if (!launch_before)
        return;
    const struct registers_view cdma = launch_view(config, launch), before = launch_view(config, launch_before);
    const uint32_t banks = VALUE(&cdma, CDMA, D_BANK) ^ VALUE(&before, CDMA, D_BANK);
    const bool same_mode =
        FIELD(&cdma, CDMA, D_MISC_CFG, CONV_MODE) == FIELD(&before, CDMA, D_MISC_CFG, CONV_MODE) &&
        FIELD(&cdma, CDMA, D_DATAIN_FORMAT, DATAIN_FORMAT) == FIELD(&before, CDMA, D_DATAIN_FORMAT, DATAIN_FORMAT);
    const bool same_data_banks = (banks & ((1u << CDMA_D_BANK__WEIGHT_BANK_LSB) - 1)) == 0;
    if (same_data_banks && same_mode && FIELD(&before, CDMA, D_MISC_CFG, SKIP_DATA_RLS))
        launch->fetches_data = FIELD(&cdma, CDMA, D_MISC_CFG, DATA_REUSE) == 0;
    if (banks == 0 && FIELD(&before, CDMA, D_MISC_CFG, SKIP_WEIGHT_RLS))
        launch->fetches_weights = FIELD(&cdma, CDMA, D_MISC_CFG, WEIGHT_REUSE) == 0;
}

const struct launch *layer_tracker_write(struct layer_tracker *tracker, uint32_t address, uint32_t value, size_t tag) {
    const struct nvdla_register *reg = nvdla_register_at(tracker->config, address);
    if (!reg)
        return NULL;
    struct shadow *shadow = &tracker->units[reg->unit];
    const uint32_t offset = address - nvdla_unit_base(tracker->config, reg->unit);
    const size_t word = offset / 4;
    /* S_POINTER has the same offset in all units with groups. */
    int group = reg->grouped ? (int)(shadow->words[0][SDP_S_POINTER / 4] & SDP_S_POINTER__PRODUCER_MASK) : 0;
    const uint32_t mask = nvdla_stored_mask(tracker->config, reg);
    const uint32_t stored = (shadow->words[group][word] & ~mask) | (value & mask);
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
        const struct shadow *programmed = &tracker->units[NVDLA_CDP_RDMA];
        take_rdma(launch, rdma ? rdma->registers : programmed->words[group], programmed->word_count);
    } else if (reg->unit == NVDLA_CDP_RDMA && (size_t)launch->ordinal < tracker->units[NVDLA_CDP].launch_count) {
        take_rdma(&tracker->launches[tracker->units[NVDLA_CDP].launches[launch->ordinal]], launch->registers,
                  launch->word_count);
    } else if (reg->unit == NVDLA_CDMA) {
        take_fetches(tracker->config, launch, layer_tracker_find(tracker, NVDLA_CDMA, launch->ordinal - 1));
    } else if (reg->unit == NVDLA_BDMA) {
        take_blocks(tracker, launch);
    }
    return launch;
}

const struct nvdla_config *layer_tracker_config(const struct layer_tracker *tracker) {
    return tracker->config;
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

void layer_tracker_trim(struct layer_tracker *tracker, size_t keep) {
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        const struct shadow *shadow = &tracker->units[unit];
        for (size_t i = shadow->launch_count > keep ? shadow->launch_count - keep : 0; i-- > 0;) {
            struct launch *launch = &tracker->launches[shadow->launches[i]];
            if (!launch->registers)
                break; /* so are all earlier ones */
            free(launch->registers);
            free(launch->rdma);
            free(launch->blocks);
            launch->registers = launch->rdma = launch->blocks = NULL;
            launch->word_count = launch->rdma_word_count = launch->block_count = 0;
        }
    }
}

const struct launch *layer_tracker_turn(const struct layer_tracker *tracker, enum nvdla_unit unit,
                                        struct launch_turn *turn) {
    int ordinal = turn->next_of[turn->group];
    const struct launch *launch = layer_tracker_find(tracker, unit, ordinal);
    while (launch && launch->group != turn->group)
        launch = layer_tracker_find(tracker, unit, ++ordinal);
    if (launch) {
        turn->next_of[turn->group] = ordinal + 1;
        turn->group = !turn->group;
    }
    return launch;
}

uint32_t launch_register(const struct launch *launch, uint32_t offset) {
    return offset / 4 < launch->word_count ? launch->registers[offset / 4] : 0;
}

void launch_view_add(struct registers_view *view, const struct launch *launch) {
    if (launch)
        view->units[launch->unit] = (struct view_unit){launch->registers, launch->word_count};
}

struct registers_view launch_view(const struct nvdla_config *config, const struct launch *launch) {
    struct registers_view view = {.config = config};
    launch_view_add(&view, launch);
    if (launch->unit == NVDLA_CDP)
        view.units[NVDLA_CDP_RDMA] = (struct view_unit){launch->rdma, launch->rdma_word_count};
    return view;
}

uint32_t launch_block_register(const struct launch *launch, size_t index, uint32_t offset) {
    if (index >= launch->block_count || offset / 4 >= LAUNCH_BLOCK_WORDS)
        return launch_register(launch, offset);
    return launch->blocks[index * LAUNCH_BLOCK_WORDS + offset / 4];
}
