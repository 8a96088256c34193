/* The player on a scripted device: the cases of player.txt, then what they cannot say. */
#include "replay/player.h"
#include "report/hang_text.h"
#include "run/session/run_progress.h"
#include "tests/unit/test.h"
#include "trace/formats.h"

enum { REGISTERS = 0x40000 / 4, LOG_MAX = 4096, SCRIPT_MAX = 16, ACCESS_CLOCKS = 4 };

/* What the script does: `delay` clocks after the n-th write to `trigger` (or after reset, trigger UINT32_MAX), bits
 * rise in S_INTR_STATUS. */
struct act {
    uint32_t trigger;
    uint64_t delay;
    uint32_t bits;
    bool armed;
    uint64_t at;
};

struct access {
    bool write, nposted;
    uint32_t address, value;
};

/* A device of registers that keep what is written, a GLB, and a script of interrupts. */
struct fake {
    struct device dev;
    struct device_ops ops;
    uint32_t registers[REGISTERS];
    struct act script[SCRIPT_MAX];
    size_t script_count;
    struct access log[LOG_MAX];
    size_t log_count;
    uint64_t clock;
    uint64_t last_act;
    uint32_t stuck;      /* status bits that cannot be cleared */
    bool knows_idle;     /* advance() tells DEVICE_IDLE */
    size_t broken_after; /* accesses until csb calls fail, 0 never */
    uint32_t status_address, mask_address;
    uint32_t counter;      /* address of a register that counts thousands of clocks; 0: none */
    bool quiet;            /* layers at work have no traffic */
    uint64_t moving_until; /* something moves inside the device until then, with fake_still */
    int played;            /* calls of fake_played */
};

static struct fake *fake_of(struct device *dev) {
    return (struct fake *)dev;
}

static void run_script(struct fake *fake) {
    for (size_t i = 0; i < fake->script_count; i++) {
        struct act *act = &fake->script[i];
        if (act->armed && fake->clock >= act->at) {
            fake->registers[fake->status_address / 4] |= act->bits;
            fake->last_act = act->at;
            act->armed = false;
            act->trigger = 1; /* no register: never again */
        }
    }
}

static void trigger(struct fake *fake, uint32_t address) {
    for (size_t i = 0; i < fake->script_count; i++) {
        struct act *act = &fake->script[i];
        if (act->trigger == address && !act->armed) {
            act->armed = true;
            act->at = fake->clock + act->delay;
            return;
        }
    }
}

static bool fake_reset(struct device *dev, struct error *err) {
    struct fake *fake = fake_of(dev);
    (void)err;
    for (size_t i = 0; i < fake->script_count; i++)
        trigger(fake, UINT32_MAX);
    return true;
}

static bool log_access(struct fake *fake, bool write, uint32_t address, uint32_t value, bool nposted,
                       struct error *err) {
    if (fake->broken_after && fake->log_count >= fake->broken_after)
        return error_set(err, "the CSB does not answer");
    assert_true(fake->log_count < LOG_MAX);
    fake->log[fake->log_count++] = (struct access){write, nposted, address, value};
    fake->clock += ACCESS_CLOCKS;
    return true;
}

static bool fake_write(struct device *dev, uint32_t address, uint32_t value, bool nposted, struct error *err) {
    struct fake *fake = fake_of(dev);
    if (!log_access(fake, true, address, value, nposted, err))
        return false;
    if (address == fake->status_address)
        fake->registers[address / 4] &= ~value | fake->stuck;
    else
        fake->registers[address / 4] = value;
    trigger(fake, address);
    run_script(fake);
    return true;
}

static bool fake_read(struct device *dev, uint32_t address, uint32_t *value, struct error *err) {
    struct fake *fake = fake_of(dev);
    run_script(fake);
    *value = fake->counter && address == fake->counter ? (uint32_t)(fake->clock / 1000) : fake->registers[address / 4];
    return log_access(fake, false, address, *value, false, err);
}

static bool fake_interrupt(struct device *dev) {
    struct fake *fake = fake_of(dev);
    return (fake->registers[fake->status_address / 4] & ~fake->registers[fake->mask_address / 4]) != 0;
}

static enum device_state fake_advance(struct device *dev, uint64_t cycles, bool until_interrupt, struct error *err) {
    struct fake *fake = fake_of(dev);
    (void)err;
    bool pending = false;
    for (size_t i = 0; i < fake->script_count; i++)
        pending = pending || fake->script[i].armed;
    for (uint64_t i = 0; i < cycles; i++) {
        if (until_interrupt && fake_interrupt(dev))
            return DEVICE_INTERRUPT;
        if (fake->knows_idle && !pending)
            return DEVICE_IDLE;
        fake->clock++;
        run_script(fake);
    }
    return DEVICE_RUNNING;
}

static bool fake_at_rest(struct device *dev) {
    struct fake *fake = fake_of(dev);
    for (size_t i = 0; i < fake->script_count && !fake->quiet; i++)
        if (fake->script[i].armed)
            return false;
    return fake->clock > fake->last_act + 200;
}

static uint64_t fake_time(struct device *dev) {
    return fake_of(dev)->clock;
}

static uint64_t fake_still(struct device *dev) {
    const struct fake *fake = fake_of(dev);
    return fake->clock <= fake->moving_until ? 0 : fake->clock - fake->moving_until;
}

static const struct device_link *fake_links(struct device *dev, size_t *count) {
    static const struct device_link links[] = {{{"CSC to CMAC", ENGINE_CSC, ENGINE_CMAC}, true, 1234},
                                               {{"CACC to SDP", ENGINE_CACC, ENGINE_SDP}, false, 0}};
    (void)dev;
    *count = 2;
    return links;
}

static void fake_statistics(struct device *dev, struct device_statistics *statistics) {
    *statistics = (struct device_statistics){.cycles = fake_of(dev)->clock};
}

static void fake_played(struct device *dev) {
    fake_of(dev)->played++;
}

static const struct device_ops fake_ops = {
    .reset = fake_reset,
    .csb_write = fake_write,
    .csb_read = fake_read,
    .advance = fake_advance,
    .interrupt = fake_interrupt,
    .at_rest = fake_at_rest,
    .time = fake_time,
    .statistics = fake_statistics,
    .played = fake_played,
};

struct fixture {
    struct fake *fake;
    struct program *prog;
    bool sequential; /* of a case */
    struct play_options options;
    struct play_result result;
};

static uint32_t reg(const char *unit, const char *name) {
    const struct nvdla_register *found = nvdla_register_find(nvdla_config_find("small"), nvdla_unit_find(unit), name);
    assert_non_null(found);
    return found->address;
}

static void fixture_release(struct fixture *f) {
    play_result_free(&f->result);
    program_free(f->prog);
    device_release(&f->fake->dev);
}
TEST_KEEPS(fixture_keep, struct fixture, fixture_release)

static struct fixture *fixture_new(void) {
    struct fake *fake = test_new(sizeof *fake);
    struct fixture *f = fixture_keep(test_new(sizeof *f));
    f->fake = fake;
    fake->ops = fake_ops;
    fake->dev =
        (struct device){.ops = &fake->ops, .name = "fake", .config = nvdla_config_find("small"), .units = UINT32_MAX};
    fake->dev.memory[SPACE_PRIMARY] = memory_new();
    fake->status_address = reg("GLB", "S_INTR_STATUS");
    fake->mask_address = reg("GLB", "S_INTR_MASK");
    f->prog = program_new(nvdla_config_find("small"), "t.cfg");
    play_options_default(&f->options);
    f->options.still = 50000;
    return f;
}

#define TEST_PLAY(label) TEST_ON(label, struct fixture *f, fixture_new())

static struct op *add(struct fixture *f, const char *stream, enum op_kind kind) {
    struct op op = op_make(kind, (int)f->prog->count + 1);
    op.stream = (uint16_t)program_stream(f->prog, stream);
    return program_append(f->prog, &op);
}

static void register_op(struct fixture *f, enum op_kind kind, uint32_t address, uint32_t value) {
    struct op *op = add(f, "SDP", kind);
    op->address = address;
    op->value = value;
}

/* A program that ends by itself ends in a device at rest, which is asked once what it still holds; others are not. */
static enum play_outcome run(struct fixture *f) {
    f->fake->played = 0;
    const enum play_outcome outcome = play(f->prog, &f->fake->dev, &f->options, &f->result);
    hang_explain(&f->result);
    if (outcome == PLAY_PASSED)
        assert_int_equal(f->fake->played, 1);
    if (outcome == PLAY_HUNG && f->result.hang->reason != HANG_AT_END)
        assert_int_equal(f->fake->played, 0);
    return outcome;
}

/* ---- the cases of player.txt ---- */

static const struct {
    const char *word, *name;
} short_names[] = {{"A", "SDP.D_DATA_CUBE_WIDTH"},
                   {"B", "PDP.D_DATA_CUBE_IN_WIDTH"},
                   {"ON", "SDP.D_OP_ENABLE"},
                   {"STATUS", "GLB.S_INTR_STATUS"},
                   {"MASK", "GLB.S_INTR_MASK"},
                   {"take", "wait high\npoll GLB.S_INTR_STATUS =="},
                   {"clear", "reg_write GLB.S_INTR_STATUS 0xffffffff\npoll GLB.S_INTR_STATUS == 0 attempts=10"}};
enum { SHORT_NAMES = sizeof short_names / sizeof *short_names };

/* The name of the register of a word of n characters: a short one, or UNIT.REGISTER. */
static uint32_t register_named(const char *word, size_t n) {
    char name[80], unit[32];
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    for (size_t i = 0; i < SHORT_NAMES; i++)
        if (strcmp(name, short_names[i].word) == 0)
            snprintf(name, sizeof name, "%s", short_names[i].name);
    const size_t dot = strcspn(name, ".");
    snprintf(unit, sizeof unit, "%.*s", (int)dot, name);
    return reg(unit, name + dot + (name[dot] == '.'));
}

/* Applies WORD or WORD=VALUE of `with`. */
static void apply(struct fixture *f, const char *word) {
    struct fake *fake = f->fake;
    const size_t n = strcspn(word, "=");
    const char *text = word[n] ? word + n + 1 : "1";
    const uint64_t value = strtoull(text, NULL, 0);
    const struct {
        const char *name;
        void *to;
        size_t bytes;
    } settings[] = {{"sequential", &f->sequential, sizeof f->sequential},
                    {"strict", &f->options.strict, sizeof f->options.strict},
                    {"first", &f->options.stop_at_first, sizeof f->options.stop_at_first},
                    {"still", &f->options.still, sizeof f->options.still},
                    {"timeout", &f->options.timeout, sizeof f->options.timeout},
                    {"cycles", &f->options.max_cycles, sizeof f->options.max_cycles},
                    {"interval", &f->options.poll_interval, sizeof f->options.poll_interval},
                    {"stopped", &fake->dev.stop, sizeof fake->dev.stop},
                    {"timeless", &fake->dev.timeless, sizeof fake->dev.timeless},
                    {"limit", &fake->dev.still_limit, sizeof fake->dev.still_limit},
                    {"idle", &fake->knows_idle, sizeof fake->knows_idle},
                    {"quiet", &fake->quiet, sizeof fake->quiet},
                    {"stuck", &fake->stuck, sizeof fake->stuck},
                    {"broken", &fake->broken_after, sizeof fake->broken_after},
                    {"moving", &fake->moving_until, sizeof fake->moving_until}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (strncmp(word, settings[i].name, n) == 0 && !settings[i].name[n]) {
            memcpy(settings[i].to, &value, settings[i].bytes); /* the low bytes */
            return;
        }
    if (strcmp(word, "watched") == 0) { /* knows whether something moves */
        fake->ops.still = fake_still;
        fake->ops.links = fake_links;
    } else if (strcmp(word, "finding") == 0) {
        device_report(&fake->dev, &(struct finding){.cycle = 5, .rule = "rule", .owner = {-1, -1}}, "text");
    } else if (strncmp(word, "units=", 6) == 0) {
        fake->dev.units = 1u << nvdla_unit_find(text);
    } else if (strncmp(word, "counter=", 8) == 0) {
        fake->counter = register_named(text, strlen(text));
    } else if (strncmp(word, "raise=", 6) == 0) {
        const size_t plus = strcspn(text, "+");
        char *end;
        struct act act = {.trigger = strncmp(text, "reset", plus) == 0 ? UINT32_MAX : register_named(text, plus)};
        act.delay = strtoull(text + plus, &end, 10);
        act.bits = (uint32_t)strtoul(end + 1, NULL, 0);
        fake->script[fake->script_count++] = act;
    } else {
        fake->registers[register_named(word, n) / 4] = (uint32_t)value;
    }
}

/* Appends the operations of `play` as lines of .nvt. */
static void append_play(FILE *trace, char *text) {
    for (char *op; (op = strsep(&text, ";")) != NULL;) {
        for (char *word; (word = strsep(&op, " ")) != NULL;) {
            const char *full = word;
            for (size_t i = 0; i < SHORT_NAMES; i++)
                if (strcmp(word, short_names[i].word) == 0)
                    full = short_names[i].name;
            fprintf(trace, "%s ", full);
            if (strcmp(word, "take") == 0) /* clears what it has checked */
                fprintf(trace, "%s attempts=10\n%s", strsep(&op, " "), short_names[SHORT_NAMES - 1].name);
        }
        fputc('\n', trace);
    }
}

/* All writes in their order: A=0x1,B=0x2! */
static void list_writes(const struct fixture *f, char text[400]) {
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < f->fake->log_count; i++) {
        const struct access *access = &f->fake->log[i];
        char full[80];
        const char *name = nvdla_register_name(f->fake->dev.config, access->address, full, sizeof full);
        for (size_t s = 0; s < SHORT_NAMES; s++)
            if (strcmp(name, short_names[s].name) == 0)
                name = short_names[s].word;
        if (access->write)
            n += (size_t)snprintf(text + n, 400 - n, "%s%s=0x%x%s", n ? "," : "", name, access->value,
                                  access->nposted ? "!" : "");
    }
}

/* Compares a WORD=VALUE of `gives`. */
static void compare(const struct fixture *f, int line, const char *word, uint64_t clocks) {
    const struct play_result *result = &f->result;
    const struct play_failure none = {0}, *failure = result->failure_count > 0 ? &result->failures[0] : &none;
    const size_t n = strcspn(word, "=");
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {{"checks", result->checks_done},
                  {"failures", result->failure_count},
                  {"interrupts", result->interrupts},
                  {"skipped", result->checks_skipped},
                  {"volatile", result->volatile_mismatches},
                  {"op", failure->op},
                  {"got", failure->got},
                  {"expected", failure->expected},
                  {"wrong", failure->count},
                  {"first", failure->first},
                  {"accesses", f->fake->log_count},
                  {"clock", clocks}};
    char *end, text[400];
    if (strncmp(word, "writes=", 7) == 0) {
        list_writes(f, text);
        if (strcmp(word + 7, text) != 0)
            fail_msg("player.txt:%d: found writes=%s", line, text);
        return;
    }
    uint64_t got = UINT64_MAX;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strncmp(word, counts[i].name, n) == 0 && !counts[i].name[n])
            got = counts[i].value;
    if (got == UINT64_MAX)
        got = f->fake->registers[register_named(word, n) / 4];
    const uint64_t low = strtoull(word + n + 1, &end, 0), high = *end == '.' ? strtoull(end + 2, NULL, 0) : low;
    if (got < low || got > high)
        fail_msg("player.txt:%d: found %.*s=0x%llx (%llu), expected %s", line, (int)n, word, (unsigned long long)got,
                 (unsigned long long)got, word);
}

/* Plays the trace of a case, `size` characters, and compares what it gives with the text. */
static void gives(struct fixture *f, int line, const char *trace, int size, char *text) {
    static const char *const outcomes[] = {[PLAY_PASSED] = "passed",
                                           [PLAY_CHECK_FAILED] = "failed",
                                           [PLAY_HUNG] = "hung",
                                           [PLAY_STOPPED] = "stopped",
                                           [PLAY_BROKEN] = "broken"};
    struct error err = {.text = ""};
    char *nvt =
        kept(xprintf("nvt 1\nconfig small\nmode %s\n%.*s", f->sequential ? "sequential" : "streams", size, trace));
    program_free(f->prog);
    f->prog = trace_parse(trace_read_nvt, "t.nvt", nvt, strlen(nvt), &(struct trace_options){0}, &err);
    if (!f->prog)
        fail_msg("player.txt:%d: %s", line, err.text);
    play_result_free(&f->result);
    f->fake->log_count = 0;
    const uint64_t start = f->fake->clock;
    const enum play_outcome outcome = run(f);
    const char *expected = strsep(&text, " ");
    if (outcome >= sizeof outcomes / sizeof *outcomes || strcmp(outcomes[outcome], expected) != 0)
        fail_msg("player.txt:%d: found outcome %d: %s", line, (int)outcome, f->result.message);
    assert_int_equal(f->result.statistics.cycles, f->fake->clock);
    for (char *word; (word = strsep(&text, " ")) != NULL;)
        compare(f, line, word, f->fake->clock - start);
}

TEST(cases_end_as_they_say) {
    struct fixture *f = NULL;
    char *text = test_text("tests/unit/player.txt"), *trace = NULL;
    size_t size;
    FILE *ops = xmemstream(&trace, &size);
    int line = 1, played = 0;
    for (char *row; (row = strsep(&text, "\n")) != NULL; line++) {
        char *result = strstr(row, "=> ");
        if (row[0] == '#')
            continue;
        if (result)
            *result = '\0';
        if (row[0] != ' ') {
            f = fixture_new();
            rewind(ops);
        } else if (strncmp(row, " with ", 6) == 0) {
            row += 6;
            for (char *word; (word = strsep(&row, " ")) != NULL && *word;)
                apply(f, word);
        } else if (strncmp(row, " says ", 6) == 0) {
            const char *message = f->result.message, *part = strchr(row + 6, ' ') + 1;
            const bool good = strncmp(row + 6, "not ", 4) == 0    ? !strstr(message, part)
                              : strncmp(row + 6, "only ", 5) == 0 ? strcmp(message, part) == 0
                                                                  : strstr(message, row + 6) != NULL;
            if (!good)
                fail_msg("player.txt:%d: found '%s'", line, message);
        } else if (row + 1 != result) {
            append_play(ops, row + 1);
        }
        if (result) {
            fflush(ops);
            gives(f, line, trace, (int)size, result + 3);
            played++;
        }
    }
    xmemstream_close(ops);
    free(trace);
    assert_true(played > 50);
}

/* ---- reads ---- */

/* All ones: no field of GLB.S_INTR_MASK has the highest bits, all bits of CFGROM's words are one field. */
TEST_PLAY(a_read_that_cannot_be_is_noted) {
    const uint32_t mask = reg("GLB", "S_INTR_MASK");
    f->fake->registers[mask / 4] = UINT32_MAX;
    register_op(f, OP_READ_CHECK, mask, 0);
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_true(f->result.strange.found);
    assert_int_equal(f->result.strange.address, mask);
    assert_int_equal(f->result.strange.got, UINT32_MAX);
    assert_int_equal(f->result.strange.bits >> 30, 3);
    assert_int_equal(f->result.strange.bits & 1, 0);
}

/* Reads a mask that the trace has written, and a register of a group that has another value than its reset gives. */
static const struct strange_read *read_back(struct fixture *f, bool armed) {
    const uint32_t mask = reg("GLB", "S_INTR_MASK"), width = reg("SDP", "D_DATA_CUBE_WIDTH");
    register_op(f, OP_WRITE, mask, 0x3);
    if (armed)
        register_op(f, OP_WRITE, reg("SDP", "D_OP_ENABLE"), 1);
    f->fake->registers[width / 4] = 4;
    register_op(f, OP_READ_CHECK, mask, 0x3);
    register_op(f, OP_READ_CHECK, width, 4);
    assert_int_equal(run(f), PLAY_PASSED);
    return &f->result.strange;
}

TEST_PLAY(a_read_that_differs_from_what_is_certain_is_noted) {
    const struct strange_read *strange = read_back(f, false);
    assert_true(strange->found && strange->known);
    assert_int_equal(strange->address, reg("SDP", "D_DATA_CUBE_WIDTH"));
    assert_int_equal(strange->bits, 4);
    assert_int_equal(strange->expected, 0);
}

/* Writes to an armed group are lost, so nothing is certain of it. */
TEST_PLAY(nothing_is_certain_of_a_unit_that_was_armed) {
    assert_false(read_back(f, true)->found);
}

TEST_PLAY(excepted_bits_are_not_compared) {
    const uint32_t a = reg("SDP", "D_DATA_CUBE_WIDTH"), b = reg("SDP", "D_DATA_CUBE_HEIGHT");
    const struct read_exception exceptions[] = {{a, 0x0f, ""}, {a, 0x10, ""}};
    register_op(f, OP_WRITE, a, 0x105);
    register_op(f, OP_WRITE, b, 0x105);
    register_op(f, OP_READ_CHECK, a, 0x11a);
    register_op(f, OP_POLL, a, 0x100);
    register_op(f, OP_READ_CHECK, a, 0x105);
    register_op(f, OP_READ_CHECK, b, 0x105);
    f->options.exceptions = exceptions;
    f->options.exception_count = 2;
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.excepted, 2);
    play_result_free(&f->result);
    register_op(f, OP_READ_CHECK, a, 0x305);
    register_op(f, OP_READ_CHECK, b, 0x10a);
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_int_equal(f->result.failure_count, 2);
    assert_int_equal(f->result.excepted, 2);
}

/* ---- memory ---- */

/* The same numbers for the same seed. */
TEST_PLAY(random_fills_follow_the_seed) {
    uint8_t bytes[3][5001];
    struct op *op = add(f, "memory", OP_MEM_FILL);
    op->base = 0x80020004;
    op->size = sizeof bytes[0];
    op->pattern = PATTERN_RANDOM;
    for (int i = 0; i < 3; i++) {
        f->options.seed += i == 2;
        assert_int_equal(run(f), PLAY_PASSED);
        play_result_free(&f->result);
        memory_read(f->fake->dev.memory[SPACE_PRIMARY], op->base, bytes[i], sizeof bytes[i]);
    }
    assert_memory_equal(bytes[0], bytes[1], sizeof bytes[0]);
    assert_memory_not_equal(bytes[0], bytes[2], sizeof bytes[0]);
}

TEST_PLAY(loads_reserve_and_release_declare_regions) {
    struct memory *mem = f->fake->dev.memory[SPACE_PRIMARY];
    for (uint64_t i = 0; i < 2; i++) {
        struct op *op = add(f, "memory", OP_MEM_RESERVE);
        op->base = 0x80000000 + 0x1000 * i;
        op->size = 0x100;
    }
    add(f, "memory", OP_MEM_RELEASE)->base = 0x80000000;
    struct op *load = add(f, "memory", OP_MEM_LOAD);
    load->base = 0x80002000;
    struct blob *blob = program_blob(f->prog, blob_new("x.dat"));
    blob_append(blob, 0, "a", 1);
    blob_append(blob, 16, "cccc", 4);
    load->blob = blob;
    assert_int_equal(run(f), PLAY_PASSED);
    assert_false(memory_any_declared(mem, 0x80000000, 0x100));
    assert_true(memory_all_declared(mem, 0x80001000, 0x100));
    assert_true(memory_all_declared(mem, 0x80002000, 20));
    assert_false(memory_any_declared(mem, 0x80002014, 8));
}

TEST_PLAY(memory_that_the_device_has_not_is_an_error) {
    struct op *op = add(f, "memory", OP_MEM_CRC);
    op->base = 0x50000000;
    op->size = 4;
    op->space = SPACE_SECONDARY;
    assert_int_equal(run(f), PLAY_BROKEN);
    assert_non_null(strstr(f->result.message, "t.cfg:1"));
    assert_non_null(strstr(f->result.message, "secondary"));
}

/* ---- runs that do not end well ---- */

TEST_PLAY(an_idle_device_hangs_at_once) {
    f->fake->knows_idle = true;
    add(f, "SDP", OP_SYNC_WAIT)->event = program_event(f->prog, "never");
    assert_int_equal(run(f), PLAY_HUNG);
    assert_true(f->fake->clock < 100 + 18 * ACCESS_CLOCKS); /* what the message reads: GLB, S_STATUS, MCIF's weights */
    assert_non_null(strstr(f->result.message, "nothing in the trace raises it"));
}

/* The limit of a run without --timeout: it is far from what any memory makes of a layer, and there without layers. */
TEST_PLAY(an_endless_run_has_a_limit) {
    struct progress_layer sums[] = {{.clocks = 100}, {.clocks = 600}, {.clocks = 700}};
    const struct run_progress none = {0}, progress = {.sums = sums, .layer_count = 3};
    struct axi_options axi;
    axi_options_default(&axi);
    assert_int_equal(endless_clocks(&none, &axi), 1000000);
    const uint64_t quiet = endless_clocks(&progress, &axi);
    assert_in_range(quiet, 500 * 1000, 4000 * 1000);
    axi.stall[STALL_R] = 900;
    assert_in_range(endless_clocks(&progress, &axi), 9 * (quiet - 1000000), 11 * quiet);
    axi.stall[STALL_W] = 1000;
    axi.bandwidth = 1;
    sums[2].clocks = UINT64_MAX / 2;
    assert_int_equal(endless_clocks(&progress, &axi), INT64_MAX);
}

TEST_PLAY(only_the_first_findings_are_kept) {
    for (unsigned i = 0; i < 130; i++)
        device_report(&f->fake->dev, &(struct finding){.cycle = i, .rule = "rule", .owner = {-1, -1}}, "finding %u", i);
    assert_int_equal(f->fake->dev.finding_count, 100);
    assert_int_equal(f->fake->dev.findings_dropped, 30);
    assert_string_equal(f->fake->dev.findings[99].text, "finding 99");
}
