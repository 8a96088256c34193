/* The second reading as a device of the player. Layers run when the player lets time pass, all that can: while a
 * program waits for one, hardware has long done the others. */
#include "naive.h"
#include "replay/player.h"
#include "report/hang_text.h"

struct naive_device {
    struct device dev; /* first member */
    struct naive *m;
    uint64_t time; /* accesses and layers */
};

static struct naive_device *of(struct device *dev) {
    struct naive_device *device = (struct naive_device *)dev;
    device->time++;
    return device;
}

static bool still_good(const struct naive *m, struct error *err) {
    return !m->failed || error_set(err, "%s", m->message);
}

static bool reset(struct device *dev, struct error *err) {
    return still_good(of(dev)->m, err);
}

static bool csb_write(struct device *dev, uint32_t address, uint32_t value, bool nposted, struct error *err) {
    (void)nposted;
    naive_write(of(dev)->m, address, value);
    return still_good(of(dev)->m, err);
}

static bool csb_read(struct device *dev, uint32_t address, uint32_t *value, struct error *err) {
    *value = naive_read(of(dev)->m, address);
    return still_good(of(dev)->m, err);
}

static bool interrupt(struct device *dev) {
    const struct naive *m = of(dev)->m;
    return (m->interrupts & ~m->units[NVDLA_GLB].words[0][GLB_S_INTR_MASK / 4]) != 0;
}

static enum device_state advance(struct device *dev, uint64_t cycles, bool until_interrupt, struct error *err) {
    (void)cycles;
    bool any = false;
    if (until_interrupt && interrupt(dev))
        return DEVICE_INTERRUPT;
    while (naive_step(of(dev)->m))
        any = true;
    if (!still_good(of(dev)->m, err))
        return DEVICE_FAILED;
    return interrupt(dev) ? DEVICE_INTERRUPT : any ? DEVICE_RUNNING : DEVICE_IDLE;
}

static bool at_rest(struct device *dev) {
    (void)dev;
    return true;
}

static uint64_t now(struct device *dev) {
    return of(dev)->time;
}

static void statistics(struct device *dev, struct device_statistics *counts) {
    (void)dev;
    *counts = (struct device_statistics){0};
}

/* Registers of groups that are not computed here are read and not compared. A recorded program compares no setting
 * either: its variations (naive_shake.h) write others. */
static size_t list_exceptions(const struct program *prog, struct read_exception *list) {
    const struct nvdla_register_map *map = &nvdla_register_maps[prog->config->map];
    size_t count = 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct nvdla_register *reg = &map->registers[i];
        const bool setting = reg->stored_mask != 0 && reg->unit != NVDLA_GLB;
        if (prog->sequential ? reg->grouped || setting
                             : reg->grouped && !naive_computes(reg->unit, reg->address & 0xfff))
            list[count++] = (struct read_exception){reg->address, UINT32_MAX, ""};
    }
    return count;
}

static bool explain(const struct program *prog, const struct play_result *result, struct error *err) {
    char position[512], name[128];
    if (result->failure_count == 0)
        return error_set(err, "%s", result->message ? result->message : "the player stops");
    const struct play_failure *failure = &result->failures[0];
    const struct op *op = &prog->ops[failure->op];
    op_position(prog, op, position, sizeof position);
    if (op->kind == OP_MEM_CHECK)
        return error_set(err, "%s: %" PRIu64 " bytes differ, first at %s 0x%" PRIx64, position, failure->count,
                         memory_space_name(op->space), failure->first);
    return error_set(err, "%s: %s is 0x%x, expected 0x%x", position,
                     op->kind == OP_MEM_CRC ? "CRC" : nvdla_register_name(prog->config, op->address, name, sizeof name),
                     failure->got, failure->expected);
}

bool naive_play(struct naive *m, const struct program *prog, uint64_t seed, struct error *err) {
    static const struct device_ops ops = {.reset = reset,
                                          .csb_write = csb_write,
                                          .csb_read = csb_read,
                                          .advance = advance,
                                          .interrupt = interrupt,
                                          .at_rest = at_rest,
                                          .time = now,
                                          .statistics = statistics};
    struct naive_device device = {
        .dev = {.ops = &ops, .name = "naive", .config = prog->config, .units = UINT32_MAX, .timeless = true}, .m = m};
    for (int space = 0; space < SPACE_COUNT; space++)
        device.dev.memory[space] = m->memory[space];
    struct read_exception *exceptions = xcalloc(nvdla_register_maps[prog->config->map].count, sizeof *exceptions);
    struct play_options options;
    struct play_result result = {0};
    play_options_default(&options);
    options.seed = seed;
    options.exceptions = exceptions;
    options.exception_count = list_exceptions(prog, exceptions);
    const bool passed = play(prog, &device.dev, &options, &result) == PLAY_PASSED;
    if (!passed) {
        hang_explain(&result);
        explain(prog, &result, err);
    }
    play_result_free(&result);
    free(exceptions);
    return passed;
}
