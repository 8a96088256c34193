/* Steps (steps.h) on the model: registers, layers, memory, and what becomes of them. The head of model.txt has a list
 * of them. */
#pragma once

#include "model_bench.h"
#include "tests/unit/register_steps.h"

/* The refusal of the device at hand; nothing is written to it after that. */
static bool refused;
static struct device_warning refusal;

static inline void note_refusal(const struct error *err) {
    assert_int_equal(err->kind, ERROR_REFUSED);
    refused = true;
    refusal.unit = (enum nvdla_unit)err->unit;
    refusal.ordinal = err->ordinal;
    snprintf(refusal.text, sizeof refusal.text, "%.*s", (int)sizeof refusal.text - 1, err->text);
}

/* A write that may be refused. */
static inline void try_write(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct device *dev = context;
    struct error err = {.text = ""};
    if (!refused && !dev->ops->csb_write(dev, nvdla_unit_base(dev->config, unit) + offset, value, false, &err))
        note_refusal(&err);
}

/* Lets all layers run that can. */
static inline void run_out(struct device *dev) {
    struct error err = {.text = ""};
    enum device_state state = DEVICE_RUNNING;
    while (!refused && state == DEVICE_RUNNING) {
        state = dev->ops->advance(dev, 1000, false, &err);
        if (state == DEVICE_FAILED)
            note_refusal(&err);
    }
    assert_true(state == DEVICE_IDLE || refused);
}

static inline void select_groups(struct device *dev, uint32_t group) {
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if ((dev->units >> unit & 1) && nvdla_register_find(dev->config, unit, "D_OP_ENABLE"))
            try_write(dev, unit, SDP_S_POINTER, group);
}

/* All that has been reported: warnings, and last the refusal. */
static inline size_t told_count(const struct device *dev) {
    return dev->warning_count + refused;
}

static inline const struct device_warning *told(const struct device *dev, size_t i) {
    return i < dev->warning_count ? &dev->warnings[i] : &refusal;
}

static inline uint32_t enable_of(const struct device *dev, enum nvdla_unit unit) {
    return nvdla_register_find(dev->config, unit, "D_OP_ENABLE")->address - nvdla_unit_base(dev->config, unit);
}

static inline void push(struct device *dev, uint32_t count, uint32_t source, uint32_t destination, uint32_t command) {
    for (uint32_t i = 0; i < count; i++)
        PUT(dev, NVDLA_BDMA, {BDMA_CFG_SRC_ADDR_LOW, source + 32 * i}, {BDMA_CFG_DST_ADDR_LOW, destination + 32 * i},
            {BDMA_CFG_CMD, command}, {BDMA_CFG_OP, 1});
}

static inline bool register_step(struct device *dev, const struct step *step, FILE *found) {
    if (!step_is_writes(step))
        return false;
    for (size_t i = 0; i < step->count; i++) {
        const struct legal_write change = legal_write_of(dev->config, step->word[i]);
        if (strchr(step->word[i], '='))
            try_write(dev, change.unit, change.offset, change.value);
        else
            fprintf(found, "%s0x%x", i ? " " : "", get(dev, change.unit, change.offset));
    }
    return true;
}

static inline bool layer_step(struct device *dev, const struct step *step) {
    const struct legal_sink sink = {try_write, dev};
    const bool run = step_is(step, "run");
    if (run || step_is(step, "layer") || step_is(step, "enable")) {
        const char *name = step->word[1];
        for (int starts = step_is(step, "enable"); starts <= !step_is(step, "layer"); starts++)
            legal_lines(dev->config, legal_named(name, strlen(name)), starts, sink);
        if (run)
            run_out(dev);
    } else if (step_is(step, "arm"))
        for (size_t i = 1; i < step->count; i++)
            try_write(dev, nvdla_unit_find(step->word[i]), enable_of(dev, nvdla_unit_find(step->word[i])), 1);
    else if (step_is(step, "push"))
        push(dev, (uint32_t)step_number(step, 1), (uint32_t)step_number(step, 2), (uint32_t)step_number(step, 3),
             (uint32_t)step_number(step, 4));
    else if (step_is(step, "group"))
        select_groups(dev, (uint32_t)step_number(step, 1));
    else if (step_is(step, "table"))
        table_port(dev, nvdla_unit_find(step->word[1]), step->text + strlen(step->word[1]) + 1);
    else if (step_is(step, "reset"))
        assert_true(dev->ops->reset(dev, NULL));
    else if (step_is(step, "pass"))
        run_out(dev);
    else
        return false;
    return true;
}

static inline bool time_step(struct device *dev, const struct step *step, FILE *found) {
    static const char *const states[] = {[DEVICE_RUNNING] = "running",
                                         [DEVICE_INTERRUPT] = "interrupt",
                                         [DEVICE_IDLE] = "idle",
                                         [DEVICE_FAILED] = "failed"};
    const bool ends = step_is(step, "ends");
    if (ends || step_is(step, "advance")) {
        const enum device_state state = advance(dev);
        if (!ends || state != DEVICE_INTERRUPT)
            fputs(states[state], found);
        else
            fprintf(found, "0x%x", pending_interrupts(dev));
    } else if (step_is(step, "pending"))
        fprintf(found, "0x%x", pending_interrupts(dev));
    else if (step_is(step, "line"))
        fprintf(found, "%d", dev->ops->interrupt(dev));
    else if (step_is(step, "rest"))
        fprintf(found, "%d", dev->ops->at_rest(dev));
    if (ends || step_is(step, "clear"))
        clear_interrupts(dev);
    return ends || step_is(step, "advance") || step_is(step, "pending") || step_is(step, "line") ||
           step_is(step, "rest") || step_is(step, "clear");
}

/* The address of a word, and its memory. */
static inline struct memory *step_memory(struct device *dev, const struct step *step, size_t i, uint64_t *address) {
    const bool secondary = strncmp(step->word[i], "cv:", 3) == 0;
    *address = strtoull(step->word[i] + (secondary ? 3 : 0), NULL, 0);
    return dev->memory[secondary ? SPACE_SECONDARY : SPACE_PRIMARY];
}

static inline bool filling_step(struct device *dev, const struct step *step) {
    uint64_t at, seed;
    struct memory *mem = step_memory(dev, step, 1, &at);
    if (step_is(step, "declare")) {
        memory_declare(mem, at, step_number(step, 2));
    } else if (step_is(step, "random")) {
        memory_declare(mem, at, step_number(step, 2));
        seed = at;
        for (uint64_t i = 0; i < step_number(step, 2); i++)
            memory_write(mem, at + i, &(uint8_t){(uint8_t)rnd(&seed)}, 1, NULL, NULL);
    } else if (step_is(step, "fill")) {
        memory_fill(mem, at, step_number(step, 2), (uint8_t)step_number(step, 3));
    } else if (step_is(step, "count")) {
        for (uint64_t i = 0; i < step_number(step, 2); i++)
            memory_write(mem, at + i, &(uint8_t){(uint8_t)(step_number(step, 3) * i + step_number(step, 4))}, 1, NULL,
                         NULL);
    } else if (step_is(step, "copy")) {
        uint64_t to;
        struct memory *second = step_memory(dev, step, 2, &to);
        uint8_t bytes[0x1000];
        const size_t n = step_number(step, 3);
        assert_true(n <= sizeof bytes);
        memory_read(mem, at, bytes, n);
        memory_declare(second, to, n);
        memory_write(second, to, bytes, n, NULL, NULL);
    } else if (step_is(step, "set")) {
        assert_int_equal(strlen(step->word[2]) % 2, 0);
        memory_declare(mem, at, strlen(step->word[2]) / 2);
        for (const char *hex = step->word[2]; *hex; hex += 2, at++) {
            const char digits[3] = {hex[0], hex[1]};
            memory_write(mem, at, &(uint8_t){(uint8_t)strtoul(digits, NULL, 16)}, 1, NULL, NULL);
        }
    } else
        return false;
    return true;
}

static inline bool memory_step(struct device *dev, const struct step *step, FILE *found) {
    uint64_t at, other;
    struct memory *mem = step_memory(dev, step, 1, &at), *second;
    uint8_t a[0x1000], b[0x1000];
    struct memory_origin origin;
    if (step_is(step, "bytes")) {
        for (uint64_t i = 0; i < step_number(step, 2); i++) {
            memory_read(mem, at + i, a, 1);
            fprintf(found, "%02x", a[0]);
        }
    } else if (step_is(step, "crc")) {
        fprintf(found, "%08x", memory_crc32(mem, at, step_number(step, 2)));
    } else if (step_is(step, "same")) {
        const size_t n = step_number(step, 3);
        second = step_memory(dev, step, 2, &other);
        assert_true(n > 0 && n <= sizeof a);
        memory_read(mem, at, a, n);
        memory_read(second, other, b, n);
        fputs(memcmp(a, b, n) ? "no" : "yes", found);
    } else if (step_is(step, "origin")) {
        if (!memory_origin_of(mem, at, &origin))
            fputs("none", found);
        else
            fprintf(found, "%s %d %d", origin.unit < 0 ? "trace" : nvdla_unit_names[origin.unit], origin.axi_id,
                    origin.ordinal);
    } else
        return false;
    return true;
}

static inline bool report_step(struct device *dev, const struct step *step, FILE *found) {
    struct device_statistics statistics;
    dev->ops->statistics(dev, &statistics);
    if (step_is(step, "findings")) {
        for (size_t i = 0; i < dev->finding_count; i++)
            fprintf(found, "%s%s", i ? " " : "", dev->findings[i].rule);
        fprintf(found, "%s", dev->finding_count ? "" : "none");
    } else if (step_is(step, "text")) {
        assert_true(step_number(step, 1) < dev->finding_count);
        fputs(dev->findings[step_number(step, 1)].text, found);
    } else if (step_is(step, "beats")) {
        const uint64_t id = step_number(step, 1);
        assert_true(id < AXI_IDS);
        fprintf(found, "%" PRIu64 " %" PRIu64, statistics.read_beats[id], statistics.write_beats[id]);
    } else if (step_is(step, "outside")) {
        fprintf(found, "%" PRIu64, statistics.outside);
    } else if (step_is(step, "told")) {
        fprintf(found, "%zu", told_count(dev));
    } else if (step_is(step, "warned")) {
        assert_true(step_number(step, 1) < told_count(dev));
        fputs(told(dev, step_number(step, 1))->text, found);
    } else
        return false;
    return true;
}

static inline bool model_step(void *context, const struct step *step, FILE *found) {
    struct device *dev = context;
    return register_step(dev, step, found) || layer_step(dev, step) || time_step(dev, step, found) ||
           filling_step(dev, step) || memory_step(dev, step, found) || report_step(dev, step, found);
}
