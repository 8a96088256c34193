/* Reads the registers of a model at rest. See snapshot.h. */
#include "model/snapshot.h"

#include "model/machine.h"
#include "nvdla_offsets.h"

static const struct model *model_of(const struct device *dev) {
    return (const struct model *)dev;
}

bool model_is_armed(const struct device *dev, enum nvdla_unit unit, int ordinal) {
    const struct model *model = model_of(dev);
    const struct bdma *bdma = &model->bdma;
    const struct register_group *group = &model->units[unit];
    if (unit == NVDLA_BDMA)
        return (bdma->loading.count > 0 && bdma->ordinal == ordinal) ||
               (bdma->waiting && bdma->waiting_ordinal == ordinal);
    return (group->op_en[0] && group->ordinal[0] == ordinal) || (group->op_en[1] && group->ordinal[1] == ordinal);
}

int model_launches(const struct device *dev, enum nvdla_unit unit) {
    const struct model *model = model_of(dev);
    return unit == NVDLA_BDMA ? model->bdma.launches : model->units[unit].launches;
}

unsigned model_consumer(const struct device *dev, enum nvdla_unit unit) {
    return model_of(dev)->units[unit].consumer;
}

bool model_cbuf_free(const struct device *dev) {
    const struct model *model = model_of(dev);
    const struct cbuf *cbuf = &model->cbuf;
    const struct csc *csc = &model->csc;
    return model->cdma.data == CDMA_IDLE && !csc->started && csc->left == 0 && cbuf->data.held == 0 &&
           cbuf->data.slices == 0 && cbuf->weights.held == 0 && cbuf->weights.mask_held == 0 &&
           cbuf->weights.kernels == 0 && !model->cdma.last_skip_data && !model->cdma.last_skip_weights &&
           !csc->last_skip_weights;
}

bool model_weights_in_front(const struct device *dev, uint32_t d_bank) {
    const struct model *model = model_of(dev);
    const struct cbuf *cbuf = &model->cbuf;
    const struct csc *csc = &model->csc;
    const size_t weights = csc->last_skip_weights ? csc->last_weight_bytes / cbuf->atom : 0;
    const size_t masks = csc->last_skip_weights ? csc->last_mask_bytes / cbuf->atom : 0;
    return REGISTER_FIELD(d_bank, CSC_D_BANK__DATA_BANK) + 1 == csc->last_data_banks &&
           REGISTER_FIELD(d_bank, CSC_D_BANK__WEIGHT_BANK) + 1 == csc->last_weight_banks &&
           (cbuf->weights.held > weights || cbuf->weights.mask_held > masks);
}

bool model_at_ease(const struct device *dev) {
    const struct model *model = model_of(dev);
    const struct bdma *bdma = &model->bdma;
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (model->units[unit].op_en[0] || model->units[unit].op_en[1])
            return false;
    return bdma->queue.count == 0 && bdma->loading.count == 0 && !bdma->waiting && !bdma->busy[0] && !bdma->busy[1];
}

/* ---- registers ---- */

struct snapshot {
    const struct model *model;
    void (*write)(void *context, uint32_t address, uint32_t value);
    void *context;
};

static void put(const struct snapshot *snapshot, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    snapshot->write(snapshot->context, nvdla_unit_base(snapshot->model->dev.config, unit) + offset, value);
}

/* Registers whose writes do more than store; they are restored otherwise, or need not be. */
static bool acts(enum nvdla_unit unit, uint32_t offset) {
    switch (unit) {
    case NVDLA_GLB:
        return true;
    case NVDLA_BDMA:
        return offset == BDMA_CFG_OP || offset == BDMA_CFG_LAUNCH0 || offset == BDMA_CFG_LAUNCH1;
    case NVDLA_CDP:
        return offset == CDP_S_LUT_ACCESS_CFG || offset == CDP_S_LUT_ACCESS_DATA;
    case NVDLA_SDP:
        return offset == SDP_S_LUT_ACCESS_CFG || offset == SDP_S_LUT_ACCESS_DATA;
    default:
        return false;
    }
}

/* The registers of words [from, to) of a group that differ from their reset values. */
static void put_words(const struct snapshot *snapshot, const struct register_group *group, unsigned g, size_t from,
                      size_t to) {
    for (size_t word = from; word < to; word++) {
        const struct register_word *kind = &group->words[word];
        const uint32_t value = group->value[g][word] & kind->stored;
        if (value != (kind->reset & kind->stored) && !acts(group->unit, (uint32_t)word * 4))
            put(snapshot, group->unit, (uint32_t)word * 4, value);
    }
}

static void put_pointer(const struct snapshot *snapshot, enum nvdla_unit unit, unsigned producer) {
    put(snapshot, unit, SDP_S_POINTER, producer << SDP_S_POINTER__PRODUCER_LSB);
}

/* True if a register of the group differs from its reset value. */
static bool group_is_set(const struct register_group *group, unsigned g) {
    for (size_t word = group->first_d + 1; word < group->word_count; word++)
        if ((group->value[g][word] ^ group->words[word].reset) & group->words[word].stored)
            return true;
    return false;
}

/* S_POINTER has the same offset in all units with groups. */
static void put_unit(const struct snapshot *snapshot, const struct register_group *group) {
    const size_t pointer = SDP_S_POINTER / 4;
    if (group->first_d == group->word_count) {
        put_words(snapshot, group, 0, 0, group->word_count);
        return;
    }
    put_words(snapshot, group, 0, pointer + 1, group->first_d);
    for (unsigned g = 0; g < 2; g++) {
        if (!group_is_set(group, g))
            continue;
        put_pointer(snapshot, group->unit, g);
        put_words(snapshot, group, g, group->first_d + 1, group->word_count);
    }
    put_pointer(snapshot, group->unit, group->producer);
}

/* The written entries of a table, and the register that selects entries with its last value. SDP and CDP have the same
 * fields. */
static void put_table(const struct snapshot *snapshot, enum nvdla_unit unit, const struct lut_entries *entries,
                      const bool *loaded) {
    const struct register_group *group = &snapshot->model->units[unit];
    const uint32_t left = register_group_value(group, SDP_S_LUT_ACCESS_CFG);
    for (int lo = 0; lo < 2; lo++) {
        const size_t count = lo ? LUT_LO_ENTRIES : LUT_LE_ENTRIES;
        const bool *there = loaded + (lo ? LUT_LE_ENTRIES : 0);
        const int16_t *entry = lo ? entries->lo : entries->le;
        bool follows = false; /* the access port points at this entry */
        for (size_t i = 0; i < count; i++) {
            if (there[i] && !follows)
                put(snapshot, unit, SDP_S_LUT_ACCESS_CFG,
                    SDP_S_LUT_ACCESS_CFG__LUT_ACCESS_TYPE_MASK |
                        (uint32_t)lo << SDP_S_LUT_ACCESS_CFG__LUT_TABLE_ID_LSB | (uint32_t)i);
            if (there[i])
                put(snapshot, unit, SDP_S_LUT_ACCESS_DATA, (uint16_t)entry[i]);
            follows = there[i];
        }
    }
    if (left != 0)
        put(snapshot, unit, SDP_S_LUT_ACCESS_CFG, left);
}

void model_registers(const struct device *dev, void (*write)(void *context, uint32_t address, uint32_t value),
                     void *context) {
    const struct model *model = model_of(dev);
    const struct snapshot snapshot = {.model = model, .write = write, .context = context};
    const uint32_t mask = register_group_value(&model->units[NVDLA_GLB], GLB_S_INTR_MASK);
    if (mask != 0)
        put(&snapshot, NVDLA_GLB, GLB_S_INTR_MASK, mask);
    if (model->interrupt_status != 0)
        put(&snapshot, NVDLA_GLB, GLB_S_INTR_SET, model->interrupt_status);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        if ((dev->units >> unit & 1) == 0)
            continue;
        if (unit == NVDLA_CDP)
            put_table(&snapshot, unit, &model->lut, model->checker.cdp.loaded);
        if (unit == NVDLA_SDP && nvdla_has(dev->config, FEATURE_EW))
            put_table(&snapshot, unit, &model->sdp_table.entries, model->checker.sdp.loaded);
        put_unit(&snapshot, &model->units[unit]);
    }
}
