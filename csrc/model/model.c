/* The reference model as a device: register decode, GLB, advance(), creation and statistics. See model.h. */
#include "model/model.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/execute.h"
#include "model/machine.h"
#include "model/schedule.h"
#include "nvdla/engines.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

static const struct model_limits own_limits = {
    .atoms = UINT64_C(1) << 24, .products = UINT64_C(1) << 37, .elements = UINT64_C(1) << 26};

static struct model *model_of(struct device *dev) {
    return (struct model *)dev;
}

static bool implements(const struct model *model, enum nvdla_unit unit) {
    return unit < NVDLA_UNIT_COUNT && (model->dev.units >> unit & 1);
}

static bool interrupt_line(const struct model *model) {
    return (model->interrupt_status & ~register_group_value(&model->units[NVDLA_GLB], GLB_S_INTR_MASK)) != 0;
}

/* ---- registers ---- */

static bool model_reset(struct device *dev, struct error *err) {
    (void)err;
    struct model *model = model_of(dev);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        if (implements(model, unit))
            register_group_reset(&model->units[unit]);
        model->reported[unit] = false;
    }
    checker_reset(&model->checker);
    model->interrupt_status = 0;
    model->lut = (struct lut_entries){0};
    cdp_idle_units_reset(&model->cdp_idle, dev->config);
    cbuf_reset(&model->cbuf);
    cdma_reset(&model->cdma);
    csc_reset(&model->csc);
    bdma_reset(&model->bdma);
    register_group_load(&model->units[NVDLA_CDMA], CDMA_S_CBUF_FLUSH_STATUS, 1);
    model->cacc_saturation = 0;
    model->sdp_counted = (struct sdp_result){.saturated = 0};
    model->sdp_table = (struct sdp_table){.address = 0};
    model->rdma_stuck = false;
    tap_reset(&model->taps);
    model->steps = 0;
    model->outside.count = 0;
    return true;
}

/* ---- accesses ---- */

enum { SPACE_MASK = 0x3fffc, WINDOW_MASK = 0xffc };

/* A write to a register that only stores, or arms a group. */
static bool write_plain(struct model *model, enum nvdla_unit unit, uint32_t offset, uint32_t value, struct error *err) {
    switch (register_group_write(&model->units[unit], offset, value)) {
    case REGISTER_STORED:
        return true;
    case REGISTER_ARMED:
        return checker_launched(&model->checker, unit, err) && checker_started(&model->checker, err);
    case REGISTER_DROPPED:
        checker_dropped(&model->checker, unit, offset, value);
        return true;
    }
    return true;
}

/* True for the registers of an existing look-up table. */
static bool table_register(const struct model *model, enum nvdla_unit unit, uint32_t offset) {
    return (unit == NVDLA_CDP && offset >= CDP_S_LUT_ACCESS_CFG && offset < CDP_D_OP_ENABLE) ||
           (unit == NVDLA_SDP && offset >= SDP_S_LUT_ACCESS_CFG && offset < SDP_D_OP_ENABLE &&
            nvdla_has(model->dev.config, FEATURE_EW));
}

/* Entry that S_LUT_ACCESS_DATA is about to access. */
static unsigned table_address(const struct model *model, enum nvdla_unit unit) {
    return unit == NVDLA_SDP ? model->sdp_table.address
                             : REGISTER_FIELD(register_group_value(&model->units[unit], CDP_S_LUT_ACCESS_CFG),
                                              CDP_S_LUT_ACCESS_CFG__LUT_ADDR);
}

static bool write_table(struct model *model, enum nvdla_unit unit, uint32_t offset, uint32_t value, struct error *err) {
    struct register_group *regs = &model->units[unit];
    if (!checker_table_write(&model->checker, unit, offset, value, table_address(model, unit), err))
        return false;
    if (unit == NVDLA_CDP && offset == CDP_S_LUT_ACCESS_DATA) {
        cdp_lut_write(regs, &model->lut, value);
    } else if (unit == NVDLA_SDP && offset == SDP_S_LUT_ACCESS_DATA) {
        sdp_table_write(&model->sdp_table, register_group_value(regs, SDP_S_LUT_ACCESS_CFG), value);
    } else {
        register_group_write(regs, offset, value);
        if (unit == NVDLA_SDP && offset == SDP_S_LUT_ACCESS_CFG)
            sdp_table_select(&model->sdp_table, value);
    }
    return true;
}

static bool model_write(struct device *dev, uint32_t address, uint32_t value, bool nposted, struct error *err) {
    (void)nposted;
    struct model *model = model_of(dev);
    enum nvdla_unit unit = nvdla_unit_at(dev->config, address & SPACE_MASK);
    uint32_t offset = address & WINDOW_MASK;
    model->steps++;
    if (!implements(model, unit))
        return true;
    if (unit == NVDLA_GLB && offset == GLB_S_INTR_SET) {
        model->interrupt_status |= value & model->interrupt_bits;
        return true;
    }
    if (unit == NVDLA_GLB && offset == GLB_S_INTR_STATUS) {
        model->interrupt_status &= ~value;
        return true;
    }
    if (table_register(model, unit, offset))
        return write_table(model, unit, offset, value, err);
    if (unit == NVDLA_BDMA) {
        register_group_write(&model->units[unit], offset, value);
        if (!checker_bdma_write(&model->checker, &model->bdma, offset, value, err))
            return false;
        bdma_write(&model->bdma, dev->config, &model->units[unit], offset, value);
        return true;
    }
    return write_plain(model, unit, offset, value, err);
}

static bool model_read(struct device *dev, uint32_t address, uint32_t *value, struct error *err) {
    checker_read(&model_of(dev)->checker);
    (void)err;
    struct model *model = model_of(dev);
    enum nvdla_unit unit = nvdla_unit_at(dev->config, address & SPACE_MASK);
    uint32_t offset = address & WINDOW_MASK;
    model->steps++;
    if (!implements(model, unit))
        *value = 0;
    else if (unit == NVDLA_GLB && offset == GLB_S_INTR_STATUS)
        *value = model->interrupt_status;
    else if (unit == NVDLA_CDP && offset == CDP_S_LUT_ACCESS_DATA)
        *value = cdp_lut_read(&model->units[unit], &model->lut);
    else if (unit == NVDLA_SDP && offset == SDP_S_LUT_ACCESS_DATA && table_register(model, unit, offset))
        *value = sdp_table_read(&model->sdp_table, register_group_value(&model->units[unit], SDP_S_LUT_ACCESS_CFG));
    else if (unit == NVDLA_BDMA && offset == BDMA_STATUS)
        *value = bdma_status(&model->bdma);
    else
        *value = register_group_read(&model->units[unit], offset);
    return true;
}

/* ---- advance ---- */

/* Reports, once, a layer that only its size keeps from running. */
static void report_too_large(struct model *model, const struct work *work) {
    if (model->reported[work->too_large])
        return;
    model->reported[work->too_large] = true;
    const struct finding finding = {
        .rule = "layer-size",
        .kind = FINDING_SIZE,
        .owner = {.unit = (int16_t)work->too_large, .ordinal = model_ordinal(model, work->too_large)}};
    device_report(&model->dev, &finding, "has %" PRIu64 " %s; the model carries out layers of at most %" PRIu64,
                  work->size, work->measure, work->most);
}

static enum device_state model_advance(struct device *dev, uint64_t cycles, bool until_interrupt, struct error *err) {
    (void)cycles;
    struct model *model = model_of(dev);
    if (until_interrupt && interrupt_line(model))
        return DEVICE_INTERRUPT;
    if (!checker_started(&model->checker, err))
        return DEVICE_FAILED;
    struct work work;
    schedule_find(model, &work);
    if (work.too_large != NVDLA_UNIT_COUNT)
        report_too_large(model, &work);
    if (work.action != ACTION_NONE)
        execute(model, &work);
    checker_waited(&model->checker);
    if (work.action == ACTION_NONE)
        return DEVICE_IDLE;
    return until_interrupt && interrupt_line(model) ? DEVICE_INTERRUPT : DEVICE_RUNNING;
}

/* True if a launch has broken a rule whose result is open. */
static bool has_undefined(const struct device *dev) {
    for (size_t i = 0; i < dev->warning_count; i++)
        if (dev->warnings[i].effect == RULE_REFUSED)
            return true;
    return false;
}

static void model_explain(struct device *dev) {
    struct model *model = model_of(dev);
    const bool undefined = has_undefined(dev) || model->rdma_stuck;
    const size_t before = dev->warning_count;
    checker_explain(&model->checker);
    schedule_explain(model);
    /* What waits for ever here need not do so on the hardware. */
    for (size_t i = before; undefined && i < dev->warning_count; i++) {
        dev->warnings[i].effect = RULE_REFUSED;
        device_warning_word(dev->config, &dev->warnings[i]);
    }
}

static void model_played(struct device *dev) {
    checker_played(&model_of(dev)->checker);
}

static bool model_interrupt(struct device *dev) {
    return interrupt_line(model_of(dev));
}

static bool model_at_rest(struct device *dev) {
    struct work work;
    schedule_find(model_of(dev), &work);
    return work.action == ACTION_NONE;
}

/* Layers take no clocks: one that can run is about to move. */
static uint64_t model_still(struct device *dev) {
    return model_at_rest(dev) ? UINT64_MAX : 0;
}

static uint64_t model_time(struct device *dev) {
    return model_of(dev)->steps;
}

static void model_statistics(struct device *dev, struct device_statistics *statistics) {
    struct model *model = model_of(dev);
    model->statistics = (struct model_statistics){model->csc.tables.hits, model->csc.tables.builds};
    *statistics = (struct device_statistics){.outside = model->outside.count,
                                             .cpu_seconds = (double)model->busy / CLOCKS_PER_SEC,
                                             .model = &model->statistics};
    for (int id = 0; id < AXI_IDS; id++) {
        statistics->read_beats[id] = model->read_beats[id];
        statistics->write_beats[id] = model->write_beats[id];
    }
}

/* ---- life ---- */

static bool model_finish(struct device *dev, struct error *err) {
    (void)err;
    pool_rest(model_of(dev)->pool);
    return true;
}

static void model_destroy(struct device *dev) {
    autofree struct model *model = model_of(dev);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        register_group_free(&model->units[unit]);
    csc_free(&model->csc);
    csc_run_free(model->core);
    for (int i = 0; i < ORDERED_STREAMS; i++)
        ordered_tap_free(&model->ordered[i]);
    pool_free(model->pool);
    cdma_free(&model->cdma);
    cbuf_free(&model->cbuf);
    device_release(dev);
}

static const struct device_ops model_ops = {
    .reset = model_reset,
    .csb_write = model_write,
    .csb_read = model_read,
    .advance = model_advance,
    .interrupt = model_interrupt,
    .at_rest = model_at_rest,
    .explain = model_explain,
    .played = model_played,
    .time = model_time,
    .still = model_still,
    .statistics = model_statistics,
    .finish = model_finish,
    .destroy = model_destroy,
};

/* Existing bits of S_INTR_STATUS. Sources of units that the configuration lacks have mask bits, but no status. Chapter
 * 10 section 7. */
static uint32_t interrupt_bits(const struct nvdla_config *config) {
    uint32_t bits = 0;
    for (int i = 0; i < INTERRUPT_COUNT; i++)
        if (nvdla_has_unit(config, nvdla_interrupts[i].unit))
            bits |= UINT32_C(3) << nvdla_interrupts[i].bit;
    return bits;
}

struct device *model_new(const struct nvdla_config *config, const struct model_options *options) {
    struct model *model = xcalloc(1, sizeof *model);
    struct device *dev = &model->dev;
    dev->ops = &model_ops;
    dev->name = "model";
    dev->config = config;
    model->outside.allowed = options->allow_outside;
    checker_init(&model->checker, dev, model->units, options->allow_undefined);
    model->limits = (struct model_limits){
        .atoms = options->limits.atoms ? options->limits.atoms : own_limits.atoms,
        .products = options->limits.products ? options->limits.products : own_limits.products,
        .elements = options->limits.elements ? options->limits.elements : own_limits.elements,
    };
    dev->timeless = true;
    dev->specified_stripes = options->specified_stripes;
    model->taps = options->taps;
    model->interrupt_bits = interrupt_bits(config);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        if (nvdla_has_unit(config, unit)) {
            dev->units |= UINT32_C(1) << unit;
            register_group_init(&model->units[unit], config, unit);
        }
    }
    cbuf_init(&model->cbuf, config);
    cdma_init(&model->cdma, config);
    csc_init(&model->csc, config);
    model->csc.errata = options->errata;
    model->pool = pool_new(options->threads > 1 ? options->threads : 1);
    model->core = csc_run_new(model->pool, !options->registers_only);
    dev->memory[SPACE_PRIMARY] = memory_new();
    if (nvdla_has(config, FEATURE_SECONDARY_MEMORY))
        dev->memory[SPACE_SECONDARY] = memory_new();
    return dev;
}
