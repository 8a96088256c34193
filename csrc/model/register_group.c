/* Ping-pong groups: PRODUCER, CONSUMER, arming, masks and resets. See register_group.h. */
#include "model/register_group.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

/* S_STATUS and S_POINTER have the same offsets and fields in every grouped unit. */
enum { WORD_STATUS = SDP_S_STATUS / 4, WORD_POINTER = SDP_S_POINTER / 4 };

static bool grouped(const struct register_group *group) {
    return group->first_d < group->word_count;
}

void register_group_init(struct register_group *group, const struct nvdla_config *config, enum nvdla_unit unit) {
    const struct nvdla_register_map *map = &nvdla_register_maps[config->map];
    uint32_t base = nvdla_unit_base(config, unit);
    size_t count = 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        size_t word = reg->unit == unit ? (reg->address - base) / 4 + 1 : 0;
        count = word > count ? word : count;
    }
    *group = (struct register_group){.unit = unit, .word_count = count, .first_d = count};
    group->words = xcalloc(count, sizeof *group->words);
    group->value[0] = xcalloc(count, sizeof *group->value[0]);
    group->value[1] = xcalloc(count, sizeof *group->value[1]);
    const struct nvdla_register *enable = nvdla_register_find(config, unit, "D_OP_ENABLE");
    if (enable)
        group->first_d = (enable->address - base) / 4;
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        if (reg->unit == unit) {
            size_t word = (reg->address - base) / 4;
            group->words[word].stored = nvdla_stored_mask(config, reg);
            group->words[word].reset = reg->reset;
            group->words[word].counter = word > group->first_d && reg->stored_mask == 0;
        }
    }
    register_group_reset(group);
}

void register_group_free(struct register_group *group) {
    free(group->words);
    free(group->value[0]);
    free(group->value[1]);
    group->words = NULL;
    group->value[0] = group->value[1] = NULL;
    group->word_count = 0;
}

void register_group_reset(struct register_group *group) {
    for (size_t i = 0; i < group->word_count; i++)
        group->value[0][i] = group->value[1][i] = group->words[i].reset;
    group->producer = 0;
    group->consumer = 0;
    group->op_en[0] = false;
    group->op_en[1] = false;
    group->ordinal[0] = -1;
    group->ordinal[1] = -1;
    group->launches = 0;
}

/* STATUS_g of section 6: 0 IDLE, 1 RUNNING, 2 PENDING. */
static uint32_t status(const struct register_group *group, unsigned g) {
    if (!group->op_en[g])
        return 0;
    return group->consumer == g ? 1 : 2;
}

uint32_t register_group_read(const struct register_group *group, uint32_t offset) {
    size_t word = offset / 4;
    if (word >= group->word_count)
        return 0;
    if (word > group->first_d)
        return group->value[group->producer][word];
    if (grouped(group)) {
        if (word == group->first_d)
            return group->op_en[group->producer];
        if (word == WORD_STATUS)
            return status(group, 0) << SDP_S_STATUS__STATUS_0_LSB | status(group, 1) << SDP_S_STATUS__STATUS_1_LSB;
        if (word == WORD_POINTER)
            return group->producer << SDP_S_POINTER__PRODUCER_LSB | group->consumer << SDP_S_POINTER__CONSUMER_LSB;
    }
    return group->value[0][word];
}

/* Arms group PRODUCER: a new launch, whose counters start at 0. */
static void arm(struct register_group *group) {
    unsigned g = group->producer;
    group->op_en[g] = true;
    group->ordinal[g] = group->launches++;
    for (size_t i = group->first_d; i < group->word_count; i++)
        if (group->words[i].counter)
            group->value[g][i] = 0;
}

enum register_write register_group_write(struct register_group *group, uint32_t offset, uint32_t value) {
    size_t word = offset / 4;
    if (word >= group->word_count)
        return REGISTER_STORED;
    uint32_t stored = group->words[word].stored;
    if (word < group->first_d) {
        if (grouped(group) && word == WORD_POINTER)
            group->producer = REGISTER_FIELD(value, SDP_S_POINTER__PRODUCER);
        else
            group->value[0][word] = group->value[1][word] = (group->value[0][word] & ~stored) | (value & stored);
        return REGISTER_STORED;
    }
    if (group->op_en[group->producer])
        return REGISTER_DROPPED;
    if (word == group->first_d) {
        if (REGISTER_FIELD(value, SDP_D_OP_ENABLE__OP_EN) == 0)
            return REGISTER_STORED;
        arm(group);
        return REGISTER_ARMED;
    }
    uint32_t *kept = &group->value[group->producer][word];
    *kept = (*kept & ~stored) | (value & stored);
    group->ordinal[group->producer] = -1;
    return REGISTER_STORED;
}

bool register_group_running(const struct register_group *group) {
    return group->op_en[group->consumer];
}

uint32_t register_group_of(const struct register_group *group, unsigned g, uint32_t offset) {
    size_t word = offset / 4;
    return word < group->word_count ? group->value[g][word] : 0;
}

struct view_unit register_group_words(const struct register_group *group, unsigned g) {
    return (struct view_unit){group->value[g], group->word_count};
}

struct registers_view register_group_view(const struct register_group *group, const struct nvdla_config *config) {
    struct registers_view view = {.config = config};
    view.units[group->unit] = register_group_words(group, group->consumer);
    return view;
}

uint32_t register_group_value(const struct register_group *group, uint32_t offset) {
    return register_group_of(group, group->consumer, offset);
}

int register_group_ordinal(const struct register_group *group) {
    return group->ordinal[group->consumer];
}

void register_group_load(struct register_group *group, uint32_t offset, uint64_t value) {
    size_t word = offset / 4;
    if (word < group->word_count)
        group->value[group->consumer][word] = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
}

unsigned register_group_done(struct register_group *group) {
    unsigned released = group->consumer;
    group->op_en[released] = false;
    group->consumer ^= 1;
    return released;
}
