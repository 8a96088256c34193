/* The player on a scripted device: order of operations, interrupts, waits, memory, checks, time-outs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/player.h"
#include "report/hang_text.h"
#include "run/session/run_progress.h"
#include "tests/unit/test.h"

enum { REGISTERS = 0x40000 / 4, LOG_MAX = 4096, SCRIPT_MAX = 16, ACCESS_CLOCKS = 4 };
enum { HANG_READS = 2 + 11 + 5 }; /* registers that the message of a hang reads: GLB, S_STATUS, MCIF weights */

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

/* The same, of a device that knows whether something moves. */
static const struct device_ops watched_ops = {
    .reset = fake_reset,
    .csb_write = fake_write,
    .csb_read = fake_read,
    .advance = fake_advance,
    .interrupt = fake_interrupt,
    .at_rest = fake_at_rest,
    .time = fake_time,
    .still = fake_still,
    .links = fake_links,
    .statistics = fake_statistics,
    .played = fake_played,
};

struct fixture {
    struct fake *fake;
    struct program *prog;
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
    fake->dev =
        (struct device){.ops = &fake_ops, .name = "fake", .config = nvdla_config_find("small"), .units = UINT32_MAX};
    fake->dev.memory[SPACE_PRIMARY] = memory_new();
    fake->status_address = reg("GLB", "S_INTR_STATUS");
    fake->mask_address = reg("GLB", "S_INTR_MASK");
    f->prog = program_new(nvdla_config_find("small"), "t.cfg");
    play_options_default(&f->options);
    f->options.still = 50000;
    return f;
}

#define TEST_PLAY(label) TEST_ON(label, struct fixture *f, fixture_new)

static void script(struct fixture *f, uint32_t trigger_address, uint64_t delay, uint32_t bits) {
    f->fake->script[f->fake->script_count++] = (struct act){.trigger = trigger_address, .delay = delay, .bits = bits};
}

static struct op *add(struct fixture *f, const char *stream, enum op_kind kind) {
    struct op op = op_make(kind, (int)f->prog->count + 1);
    op.stream = (uint16_t)program_stream(f->prog, stream);
    return program_append(f->prog, &op);
}

static void write_op(struct fixture *f, const char *stream, uint32_t address, uint32_t value) {
    struct op *op = add(f, stream, OP_WRITE);
    op->address = address;
    op->value = value;
}

static struct op *check_op(struct fixture *f, const char *stream, enum op_kind kind, uint32_t address, uint32_t value) {
    struct op *op = add(f, stream, kind);
    op->address = address;
    op->value = value;
    return op;
}

static struct op *event_op(struct fixture *f, const char *stream, enum op_kind kind, const char *event) {
    int index = program_event(f->prog, event);
    struct op *op = add(f, stream, kind);
    op->event = index;
    return op;
}

static void notify_op(struct fixture *f, int bit, const char *event) {
    event_op(f, "interrupt", OP_INTR_NOTIFY, event)->bit = bit;
}

static struct op *crc_op(struct fixture *f, uint64_t base, uint64_t size, uint32_t crc, const char *after) {
    struct op *op = add(f, "memory", OP_MEM_CRC);
    op->base = base;
    op->size = size;
    op->value = crc;
    op->after = after ? program_event(f->prog, after) : -1;
    return op;
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

/* Number of the access that wrote this, -1 if none did. */
static int written(const struct fixture *f, uint32_t address, uint32_t value) {
    for (size_t i = 0; i < f->fake->log_count; i++)
        if (f->fake->log[i].write && f->fake->log[i].address == address && f->fake->log[i].value == value)
            return (int)i;
    return -1;
}

/* ---- order ---- */

TEST_PLAY(sequential_operations_keep_file_order) {
    f->prog->sequential = true;
    uint32_t width = reg("SDP", "D_DATA_CUBE_WIDTH");
    write_op(f, "main", width, 1);
    add(f, "main", OP_NOTE)->text = "a comment";
    write_op(f, "main", width, 2);
    f->prog->ops[2].nposted = true;
    check_op(f, "main", OP_READ_CHECK, width, 2);
    check_op(f, "main", OP_READ, width, 0);
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->fake->log_count, 4);
    assert_int_equal(f->fake->log[0].value, 1);
    assert_false(f->fake->log[0].nposted);
    assert_int_equal(f->fake->log[1].value, 2);
    assert_true(f->fake->log[1].nposted);
    assert_int_equal(f->result.checks_done, 1);
}

TEST_PLAY(streams_overtake_a_stream_that_waits) {
    uint32_t a = reg("SDP", "D_DATA_CUBE_WIDTH"), b = reg("PDP", "D_DATA_CUBE_IN_WIDTH");
    event_op(f, "SDP", OP_SYNC_WAIT, "go");
    write_op(f, "SDP", a, 1);
    write_op(f, "PDP", b, 1);
    event_op(f, "PDP", OP_SYNC_NOTIFY, "go");
    write_op(f, "PDP", b, 2);
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(written(f, b, 1), 0);
    assert_int_equal(written(f, a, 1), 1); /* first in the file as soon as it can go */
    assert_int_equal(written(f, b, 2), 2);
}

TEST_PLAY(an_event_raised_early_stays_raised) {
    event_op(f, "PDP", OP_SYNC_NOTIFY, "go");
    event_op(f, "SDP", OP_SYNC_WAIT, "go");
    event_op(f, "CDP", OP_SYNC_WAIT, "go");
    assert_int_equal(run(f), PLAY_PASSED);
}

TEST_PLAY(a_poll_holds_only_its_stream) {
    uint32_t a = reg("SDP", "D_DATA_CUBE_WIDTH"), b = reg("PDP", "D_DATA_CUBE_IN_WIDTH");
    check_op(f, "SDP", OP_POLL, b, 7);
    write_op(f, "SDP", a, 1);
    write_op(f, "PDP", b, 5);
    write_op(f, "PDP", b, 7);
    assert_int_equal(run(f), PLAY_PASSED);
    assert_true(written(f, a, 1) > written(f, b, 7));
    assert_int_equal(f->result.checks_done, 1);
}

/* All ones: no field of GLB.S_INTR_MASK has the highest bits, all bits of CFGROM's words are one field. */
TEST_PLAY(a_read_that_cannot_be_is_noted) {
    const uint32_t mask = reg("GLB", "S_INTR_MASK");
    f->fake->registers[mask / 4] = UINT32_MAX;
    check_op(f, "SDP", OP_READ_CHECK, mask, 0);
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
    write_op(f, "SDP", mask, 0x3);
    if (armed)
        write_op(f, "SDP", reg("SDP", "D_OP_ENABLE"), 1);
    f->fake->registers[width / 4] = 4;
    check_op(f, "SDP", OP_READ_CHECK, mask, 0x3);
    check_op(f, "SDP", OP_READ_CHECK, width, 4);
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

TEST_PLAY(a_poll_with_a_limit_fails_and_play_goes_on) {
    uint32_t a = reg("SDP", "D_DATA_CUBE_WIDTH");
    check_op(f, "SDP", OP_POLL, a, 7)->attempts = 5;
    write_op(f, "SDP", a, 1);
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_int_equal(f->result.failure_count, 1);
    assert_int_equal(f->result.failures[0].op, 0);
    assert_int_equal(f->result.failures[0].got, 0);
    assert_int_equal(f->result.failures[0].expected, 7);
    assert_int_equal(written(f, a, 1), 5);
    assert_true(f->fake->clock > 4 * f->options.poll_interval);
}

TEST_PLAY(relations_and_masks_are_honoured) {
    uint32_t a = reg("SDP", "D_DATA_CUBE_WIDTH");
    write_op(f, "SDP", a, 0x105);
    check_op(f, "SDP", OP_READ_CHECK, a, 0x206)->mask = 0xf;
    f->prog->ops[1].relation = RELATION_LESS_EQUAL;
    check_op(f, "SDP", OP_READ_CHECK, a, 0x204)->mask = 0xf;
    f->prog->ops[2].relation = RELATION_GREATER_EQUAL;
    check_op(f, "SDP", OP_READ_CHECK, a, 0xf05)->mask = 0xff;
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.checks_done, 3);
}

/* ---- interrupts of programs with streams ---- */

TEST_PLAY(interrupts_raise_their_events) {
    uint32_t enable = reg("SDP", "D_OP_ENABLE"), a = reg("SDP", "D_DATA_CUBE_WIDTH");
    script(f, enable, 1000, 1);
    write_op(f, "SDP", enable, 1);
    notify_op(f, 0, "sdp_0");
    event_op(f, "SDP", OP_SYNC_WAIT, "sdp_0");
    write_op(f, "SDP", a, 9);
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.interrupts, 1);
    assert_true(written(f, a, 9) > written(f, f->fake->status_address, 1));
    assert_int_equal(f->fake->registers[f->fake->status_address / 4], 0);
}

/* net_lenet programs groups that a running layer holds behind a wait in another stream. */
TEST_PLAY(a_wait_for_an_interrupt_holds_what_follows_in_the_file) {
    uint32_t enable = reg("SDP", "D_OP_ENABLE"), a = reg("PDP", "D_DATA_CUBE_IN_WIDTH");
    script(f, enable, 1000, 1);
    write_op(f, "SDP", enable, 1);
    notify_op(f, 0, "sdp_0");
    event_op(f, "SDP", OP_SYNC_WAIT, "sdp_0");
    write_op(f, "PDP", a, 9);
    assert_int_equal(run(f), PLAY_PASSED);
    assert_true(written(f, a, 9) > written(f, f->fake->status_address, 1));
}

/* Queues that cannot go in file order go as they can. */
TEST_PLAY(streams_overtake_when_the_device_rests_without_the_interrupt) {
    uint32_t enable = reg("PDP", "D_OP_ENABLE"), a = reg("SDP", "D_DATA_CUBE_WIDTH");
    script(f, enable, 100, 1);
    notify_op(f, 0, "sdp_0");
    event_op(f, "SDP", OP_SYNC_WAIT, "sdp_0");
    write_op(f, "SDP", a, 9);
    write_op(f, "PDP", enable, 1);
    assert_int_equal(run(f), PLAY_PASSED);
    assert_true(written(f, a, 9) > written(f, f->fake->status_address, 1));
}

TEST_PLAY(masked_interrupts_are_left_alone) {
    uint32_t enable = reg("SDP", "D_OP_ENABLE");
    script(f, enable, 100, 0x50001);
    write_op(f, "GLB", f->fake->mask_address, 0x3f03fe);
    write_op(f, "SDP", enable, 1);
    notify_op(f, 0, "sdp_0");
    add(f, "memory", OP_CHECK_EVENT)->after = program_event(f->prog, "sdp_0");
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->fake->registers[f->fake->status_address / 4], 0x50000);
    assert_int_equal(f->result.interrupts, 1);
}

TEST_PLAY(groups_may_be_swapped_once) {
    uint32_t enable = reg("SDP", "D_OP_ENABLE"), a = reg("SDP", "D_DATA_CUBE_WIDTH");
    script(f, enable, 100, 2);
    script(f, enable, 900, 1);
    notify_op(f, 0, "sdp_0");
    notify_op(f, 1, "sdp_1");
    write_op(f, "SDP", enable, 1);
    write_op(f, "SDP", enable, 1);
    event_op(f, "SDP", OP_SYNC_WAIT, "sdp_1");
    write_op(f, "SDP", a, 1);
    event_op(f, "SDP", OP_SYNC_WAIT, "sdp_0");
    write_op(f, "SDP", a, 2);
    assert_int_equal(run(f), PLAY_PASSED);
    assert_true(written(f, f->fake->status_address, 2) < written(f, a, 1));
    assert_true(written(f, a, 1) < written(f, f->fake->status_address, 1));
}

TEST_PLAY(the_oldest_notification_of_a_source_comes_first) {
    uint32_t enable = reg("SDP", "D_OP_ENABLE"), a = reg("SDP", "D_DATA_CUBE_WIDTH");
    script(f, enable, 100, 1);
    script(f, a, 100, 1);
    notify_op(f, 0, "first");
    notify_op(f, 0, "second");
    write_op(f, "SDP", enable, 1);
    event_op(f, "SDP", OP_SYNC_WAIT, "first");
    write_op(f, "SDP", a, 2);
    event_op(f, "PDP", OP_SYNC_WAIT, "second");
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.interrupts, 2);
}

TEST_PLAY(an_interrupt_before_its_notification_is_remembered) {
    uint32_t a = reg("SDP", "D_DATA_CUBE_WIDTH");
    script(f, UINT32_MAX, 50, 1);
    check_op(f, "SDP", OP_POLL, a, 3)->attempts = 100;
    event_op(f, "SDP", OP_INTR_NOTIFY, "late")->bit = 0;
    event_op(f, "SDP", OP_SYNC_WAIT, "late");
    event_op(f, "PDP", OP_SYNC_WAIT, "late");
    assert_int_equal(run(f), PLAY_CHECK_FAILED); /* the poll */
    assert_int_equal(f->result.failure_count, 1);
    assert_int_equal(f->result.interrupts, 1);
}

TEST_PLAY(any_interrupt_satisfies_a_notification_without_source) {
    uint32_t enable = reg("SDP", "D_OP_ENABLE");
    script(f, enable, 10, 0x10);
    write_op(f, "SDP", enable, 1);
    notify_op(f, -1, "any");
    event_op(f, "SDP", OP_SYNC_WAIT, "any");
    assert_int_equal(run(f), PLAY_PASSED);
}

TEST_PLAY(a_check_comes_before_what_waits_for_the_same_event) {
    uint32_t enable = reg("SDP", "D_OP_ENABLE");
    script(f, enable, 100, 1);
    notify_op(f, 0, "done");
    write_op(f, "SDP", enable, 1);
    event_op(f, "SDP", OP_SYNC_WAIT, "done");
    struct op *fill = add(f, "SDP", OP_MEM_FILL);
    fill->base = 0x80000000;
    fill->size = 16;
    fill->fill = 0xff;
    crc_op(f, 0x80000000, 16, 0xecbb4b55, "done"); /* crc32 of 16 zero bytes */
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.checks_done, 1);
}

/* ---- sequential programs ---- */

static void clear_and_read_back(struct fixture *f) {
    write_op(f, "main", f->fake->status_address, 0xffffffff);
    check_op(f, "main", OP_POLL, f->fake->status_address, 0)->attempts = 10;
}

static void wait_op(struct fixture *f) {
    add(f, "main", OP_WAIT)->level = 1;
}

static void wait_for(struct fixture *f, uint32_t bits) {
    wait_op(f);
    check_op(f, "main", OP_POLL, f->fake->status_address, bits)->attempts = 10;
    clear_and_read_back(f);
}

TEST_PLAY(four_waits_take_four_interrupts) {
    uint32_t enable = reg("SDP", "D_OP_ENABLE");
    f->prog->sequential = true;
    write_op(f, "main", enable, 1);
    static const uint32_t bits[] = {0x10000, 0x40000, 0x100000, 1};
    for (size_t i = 0; i < 4; i++) {
        script(f, UINT32_MAX, 500 * (i + 1), bits[i]);
        wait_for(f, bits[i]);
    }
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.checks_done, 8);
    assert_int_equal(f->result.interrupts, 0);
}

TEST_PLAY(merged_and_reordered_interrupts_satisfy_the_waits) {
    f->prog->sequential = true;
    script(f, UINT32_MAX, 500, 0x140000);
    script(f, UINT32_MAX, 2500, 0x10001);
    wait_for(f, 0x10000);
    wait_for(f, 0x40000);
    wait_for(f, 0x100000);
    wait_for(f, 1);
    assert_int_equal(run(f), PLAY_PASSED);
}

TEST_PLAY(bare_waits_survive_merged_interrupts) {
    f->prog->sequential = true;
    script(f, UINT32_MAX, 500, 0x50000);
    script(f, UINT32_MAX, 1500, 0x100001);
    for (int i = 0; i < 4; i++) {
        wait_op(f);
        clear_and_read_back(f);
    }
    assert_int_equal(run(f), PLAY_PASSED);
}

TEST_PLAY(an_interrupt_after_the_clear_does_not_fail_the_read_back) {
    f->prog->sequential = true;
    script(f, UINT32_MAX, 500, 0x10000);
    script(f, f->fake->status_address, 1, 1); /* rises as the first clear is written */
    wait_for(f, 0x10000);
    wait_for(f, 1);
    assert_int_equal(run(f), PLAY_PASSED);
}

TEST_PLAY(a_bit_that_can_not_be_cleared_fails_the_read_back) {
    f->prog->sequential = true;
    f->fake->stuck = 1;
    script(f, UINT32_MAX, 500, 1);
    wait_for(f, 1);
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_int_equal(f->result.failure_count, 1);
    assert_int_equal(f->result.failures[0].op, 3);
}

TEST_PLAY(a_wrong_interrupt_fails_the_check) {
    f->prog->sequential = true;
    f->fake->knows_idle = true;
    script(f, UINT32_MAX, 500, 2);
    wait_for(f, 1);
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_int_equal(f->result.failures[0].got, 2);
    assert_int_equal(f->result.failures[0].expected, 1);
}

TEST_PLAY(a_poll_of_the_status_waits_without_a_wait) {
    f->prog->sequential = true;
    script(f, UINT32_MAX, 3000, 0x40);
    check_op(f, "main", OP_POLL, f->fake->status_address, 0x40)->mask = 0x40;
    assert_int_equal(run(f), PLAY_PASSED);
}

TEST_PLAY(a_wait_for_low_ends_when_the_line_falls) {
    f->prog->sequential = true;
    script(f, UINT32_MAX, 100, 1);
    wait_op(f);
    write_op(f, "main", f->fake->mask_address, 1);
    add(f, "main", OP_WAIT)->level = 0;
    assert_int_equal(run(f), PLAY_PASSED);
}

/* ---- reads that are not compared ---- */

TEST_PLAY(volatile_reads_are_informational_unless_strict) {
    uint32_t a = reg("SDP", "S_STATUS");
    check_op(f, "SDP", OP_READ_CHECK, a, 1)->volatile_read = true;
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.volatile_mismatches, 1);
    play_result_free(&f->result);
    f->options.strict = true;
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
}

TEST_PLAY(excepted_bits_are_not_compared) {
    const uint32_t a = reg("SDP", "D_DATA_CUBE_WIDTH"), b = reg("SDP", "D_DATA_CUBE_HEIGHT");
    const struct read_exception exceptions[] = {{a, 0x0f, ""}, {a, 0x10, ""}};
    write_op(f, "SDP", a, 0x105);
    write_op(f, "SDP", b, 0x105);
    check_op(f, "SDP", OP_READ_CHECK, a, 0x11a);
    check_op(f, "SDP", OP_POLL, a, 0x100);
    check_op(f, "SDP", OP_READ_CHECK, a, 0x105);
    check_op(f, "SDP", OP_READ_CHECK, b, 0x105);
    f->options.exceptions = exceptions;
    f->options.exception_count = 2;
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.excepted, 2);
    play_result_free(&f->result);
    check_op(f, "SDP", OP_READ_CHECK, a, 0x305);
    check_op(f, "SDP", OP_READ_CHECK, b, 0x10a);
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_int_equal(f->result.failure_count, 2);
    assert_int_equal(f->result.excepted, 2);
}

TEST_PLAY(registers_of_units_that_are_not_there_are_counted) {
    f->fake->dev.units = 1u << NVDLA_SDP;
    check_op(f, "SDP", OP_READ_CHECK, reg("SDP", "S_STATUS"), 0)->at_end = true;
    check_op(f, "CDMA", OP_READ_CHECK, reg("CDMA", "S_STATUS"), 5)->at_end = true;
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.checks_done, 1);
    assert_int_equal(f->result.checks_skipped, 1);
}

TEST_PLAY(counters_of_waiting_are_compared_where_there_are_clocks) {
    check_op(f, "SDP", OP_READ_CHECK, reg("SDP", "D_PERF_WDMA_WRITE_STALL"), 5)->volatile_read = true;
    check_op(f, "CDMA", OP_READ_CHECK, reg("CDMA", "D_PERF_WT_READ_LATENCY"), 5)->volatile_read = true;
    check_op(f, "CDP", OP_READ_CHECK, reg("CDP", "D_PERF_LUT_LE_HIT"), 0)->volatile_read = true;
    f->options.strict = true;
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_int_equal(f->result.failure_count, 2);
    play_result_free(&f->result);
    f->fake->dev.timeless = true;
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.checks_done, 1);
    assert_int_equal(f->result.checks_skipped, 2);
}

TEST_PLAY(operations_at_the_end_wait_for_rest) {
    uint32_t enable = reg("SDP", "D_OP_ENABLE");
    script(f, enable, 5000, 1);
    check_op(f, "SDP", OP_READ_CHECK, f->fake->status_address, 0)->at_end = true;
    write_op(f, "SDP", enable, 1);
    assert_int_equal(run(f), PLAY_PASSED);
    assert_true(f->fake->clock > 5000);
    assert_int_equal(f->result.interrupts, 1); /* a late one is serviced too */
}

/* ---- runs that end before their end ---- */

TEST_PLAY(the_first_failing_check_ends_the_run_if_asked) {
    uint32_t a = reg("SDP", "D_DATA_CUBE_WIDTH");
    check_op(f, "SDP", OP_READ_CHECK, a, 7);
    write_op(f, "SDP", a, 1);
    check_op(f, "SDP", OP_READ_CHECK, a, 7)->at_end = true;
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_int_equal(f->result.failure_count, 2);
    play_result_free(&f->result);
    f->fake->log_count = 0;
    f->fake->registers[a / 4] = 0;
    f->options.stop_at_first = true;
    assert_int_equal(run(f), PLAY_STOPPED);
    assert_int_equal(f->result.failure_count, 1);
    assert_int_equal(f->fake->log_count, 1);
}

TEST_PLAY(a_device_that_is_stopped_ends_the_run) {
    uint32_t a = reg("SDP", "D_DATA_CUBE_WIDTH");
    write_op(f, "SDP", a, 1);
    f->fake->dev.stop = true;
    assert_int_equal(run(f), PLAY_STOPPED);
    assert_int_equal(f->fake->log_count, 0);
}

TEST_PLAY(a_finding_ends_the_run_if_asked) {
    uint32_t a = reg("SDP", "D_DATA_CUBE_WIDTH");
    write_op(f, "SDP", a, 1);
    device_report(&f->fake->dev, &(struct finding){.cycle = 5, .rule = "rule", .owner = {-1, -1}}, "text");
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    play_result_free(&f->result);
    f->options.stop_at_first = true;
    assert_int_equal(run(f), PLAY_STOPPED);
    assert_int_equal(f->fake->log_count, 1); /* of the first run */
}

/* ---- memory ---- */

static struct blob *two_chunks(struct fixture *f) {
    struct blob *blob = program_blob(f->prog, blob_new("x.dat"));
    blob_append(blob, 0, "aaaaaaaa", 8);
    blob_append(blob, 16, "cccc", 4);
    blob_append(blob, 4, "bb", 2);
    return blob;
}

TEST_PLAY(loads_keep_gaps_and_later_chunks_win) {
    struct memory *mem = f->fake->dev.memory[SPACE_PRIMARY];
    struct op *load = add(f, "memory", OP_MEM_LOAD);
    load->base = 0x80000000;
    load->blob = two_chunks(f);
    memory_write(mem, 0x80000008, "gap", 3, NULL, NULL);
    struct op *check = add(f, "memory", OP_MEM_CHECK);
    check->base = 0x80000000;
    check->blob = f->prog->ops[0].blob;
    assert_int_equal(run(f), PLAY_PASSED);
    char bytes[20];
    memory_read(mem, 0x80000000, bytes, sizeof bytes);
    assert_memory_equal(bytes, "aaaabbaagap\0\0\0\0\0cccc", 20);
    assert_true(memory_all_declared(mem, 0x80000000, 20));
    assert_false(memory_any_declared(mem, 0x80000014, 8));
}

TEST_PLAY(a_memory_check_counts_wrong_bytes) {
    struct op *check = add(f, "memory", OP_MEM_CHECK);
    check->base = 0x80000000;
    check->blob = two_chunks(f);
    memory_write(f->fake->dev.memory[SPACE_PRIMARY], 0x80000000, "aaaabXaagap\0\0\0\0\0ccXX", 20, NULL, NULL);
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_int_equal(f->result.failures[0].count, 3);
    assert_int_equal(f->result.failures[0].first, 0x80000005);
}

TEST_PLAY(fill_patterns) {
    static const enum mem_pattern patterns[] = {PATTERN_BYTE, PATTERN_ADDRESS, PATTERN_RANDOM};
    for (size_t i = 0; i < 3; i++) {
        struct op *op = add(f, "memory", OP_MEM_FILL);
        op->base = 0x80000004 + 0x10000 * i;
        op->size = 5001;
        op->pattern = patterns[i];
        op->fill = 0x5a;
    }
    assert_int_equal(run(f), PLAY_PASSED);
    struct memory *mem = f->fake->dev.memory[SPACE_PRIMARY];
    uint8_t bytes[3][5002];
    for (size_t i = 0; i < 3; i++)
        memory_read(mem, 0x80000004 + 0x10000 * i, bytes[i], 5002);
    for (size_t i = 0; i < 5001; i++) {
        assert_int_equal(bytes[0][i], 0x5a);
        assert_int_equal(bytes[1][i], (4 + i) & 0xff);
    }
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(bytes[i][5001], 0);
    struct play_result second;
    play(f->prog, &f->fake->dev, &f->options, &second);
    play_result_free(&second);
    uint8_t again[5001];
    memory_read(mem, 0x80020004, again, sizeof again);
    assert_memory_equal(again, bytes[2], sizeof again);
    f->options.seed++;
    play(f->prog, &f->fake->dev, &f->options, &second);
    play_result_free(&second);
    memory_read(mem, 0x80020004, again, sizeof again);
    assert_memory_not_equal(again, bytes[2], sizeof again);
}

TEST_PLAY(reserve_and_release_declare_regions) {
    struct memory *mem = f->fake->dev.memory[SPACE_PRIMARY];
    for (uint64_t i = 0; i < 2; i++) {
        struct op *op = add(f, "memory", OP_MEM_RESERVE);
        op->base = 0x80000000 + 0x1000 * i;
        op->size = 0x100;
    }
    struct op *release = add(f, "memory", OP_MEM_RELEASE);
    release->base = 0x80000000;
    assert_int_equal(run(f), PLAY_PASSED);
    assert_false(memory_any_declared(mem, 0x80000000, 0x100));
    assert_true(memory_all_declared(mem, 0x80001000, 0x100));
}

TEST_PLAY(a_wrong_crc_is_a_failure) {
    crc_op(f, 0x80000000, 9, 0xcbf43926, NULL);
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_int_equal(f->result.failures[0].expected, 0xcbf43926);
    play_result_free(&f->result);
    memory_write(f->fake->dev.memory[SPACE_PRIMARY], 0x80000000, "123456789", 9, NULL, NULL);
    assert_int_equal(run(f), PLAY_PASSED);
}

TEST_PLAY(memory_that_the_device_has_not_is_an_error) {
    crc_op(f, 0x50000000, 4, 0, NULL)->space = SPACE_SECONDARY;
    assert_int_equal(run(f), PLAY_BROKEN);
    assert_non_null(strstr(f->result.message, "t.cfg:1"));
    assert_non_null(strstr(f->result.message, "secondary"));
}

/* ---- runs that do not end well ---- */

TEST_PLAY(a_hang_names_what_every_stream_waits_for) {
    f->fake->registers[reg("SDP", "S_STATUS") / 4] = 0x20000;
    f->fake->registers[reg("CDP", "S_STATUS") / 4] = 1;
    f->fake->registers[reg("MCIF", "CFG_RD_WEIGHT_0") / 4] = 0x01000101;
    write_op(f, "GLB", f->fake->mask_address, 0x3f03fe);
    notify_op(f, 0, "never");
    event_op(f, "SDP", OP_SYNC_WAIT, "never");
    check_op(f, "PDP", OP_POLL, reg("PDP", "S_STATUS"), 1);
    crc_op(f, 0x80000000, 4, 0, "never");
    assert_int_equal(run(f), PLAY_HUNG);
    const char *message = f->result.message;
    assert_non_null(strstr(message, "nothing moved for 5000"));
    assert_non_null(strstr(message, "stream SDP stands at t.cfg:3: a wait for event never"));
    assert_non_null(strstr(message, "stream PDP stands at t.cfg:4: a poll of PDP.S_STATUS"));
    assert_non_null(strstr(message, "t.cfg:5 waits for event never"));
    assert_non_null(strstr(message, "event never is outstanding: raised by interrupt SDP_0"));
    assert_non_null(strstr(message, "GLB.S_INTR_STATUS 0x00000000, GLB.S_INTR_MASK 0x003f03fe, dla_intr 0"));
    assert_non_null(strstr(message, "armed and not finished: SDP group 1 (after the other group), CDP group 0\n"));
    assert_non_null(strstr(message, "blocked: MCIF.CFG_RD_WEIGHT_0 has RD_WEIGHT_PDP 0, so"));
    assert_null(strstr(message, "RD_WEIGHT_SDP 0"));
}

TEST_PLAY(an_idle_device_hangs_at_once) {
    f->fake->knows_idle = true;
    event_op(f, "SDP", OP_SYNC_WAIT, "never");
    assert_int_equal(run(f), PLAY_HUNG);
    assert_true(f->fake->clock < 100 + HANG_READS * ACCESS_CLOCKS);
    assert_non_null(strstr(f->result.message, "nothing in the trace raises it"));
}

TEST_PLAY(the_reads_of_a_poll_count_for_both_limits) {
    f->options.poll_interval = 1; /* most of the time goes into the reads */
    f->options.still = 5000;
    check_op(f, "SDP", OP_POLL, reg("SDP", "S_STATUS"), 1);
    assert_int_equal(run(f), PLAY_HUNG);
    assert_in_range(f->fake->clock, 5000, 5000 + (2 + HANG_READS) * ACCESS_CLOCKS);
    play_result_free(&f->result);
    f->options.still = 0;
    f->options.timeout = 7000;
    const uint64_t before = f->fake->clock;
    assert_int_equal(run(f), PLAY_HUNG);
    assert_in_range(f->fake->clock - before, 7000, 7000 + (2 + HANG_READS) * ACCESS_CLOCKS);
    assert_non_null(strstr(f->result.message, "no operation got done for 70"));
}

TEST_PLAY(a_device_in_which_something_moves_has_all_time) {
    f->fake->dev.ops = &watched_ops;
    f->fake->dev.still_limit = 3000;
    f->options.still = 0; /* the device's own limit */
    f->fake->moving_until = 20000000;
    script(f, reg("SDP", "D_OP_ENABLE"), 20001000, 1);
    write_op(f, "SDP", reg("SDP", "D_OP_ENABLE"), 1);
    notify_op(f, 0, "done");
    event_op(f, "SDP", OP_SYNC_WAIT, "done");
    assert_int_equal(run(f), PLAY_PASSED);
    assert_true(f->fake->clock > 20000000);
}

TEST_PLAY(a_device_in_which_nothing_moves_hangs_after_its_limit) {
    f->fake->dev.ops = &watched_ops;
    f->fake->dev.still_limit = 3000;
    f->options.still = 0;
    f->fake->moving_until = 100000;
    event_op(f, "SDP", OP_SYNC_WAIT, "never");
    assert_int_equal(run(f), PLAY_HUNG);
    assert_in_range(f->fake->clock, 103000, 103000 + HANG_READS * ACCESS_CLOCKS);
    assert_int_equal(f->result.hang->reason, HANG_STILL);
    assert_int_equal(f->result.hang->clocks, 3000);
    const char *message = f->result.message;
    assert_non_null(strstr(message, "nothing moved for 3000 clocks (limit of --still)\n"));
    assert_non_null(strstr(message, "no unit is armed: the trace waits for a layer that it has not started"));
    assert_non_null(
        strstr(message, "last moved between engines (about): CSC to CMAC at cycle 1234; never: CACC to SDP\n"));
}

/* Nothing in the trace waits for the last layer, and there is no traffic while it computes. */
TEST_PLAY(a_noted_interrupt_is_waited_for_at_the_end) {
    f->fake->quiet = true;
    script(f, reg("SDP", "D_OP_ENABLE"), 45000, 1); /* the limit of --still is 50000 */
    write_op(f, "SDP", reg("SDP", "D_OP_ENABLE"), 1);
    notify_op(f, 0, "done");
    assert_int_equal(run(f), PLAY_PASSED);
    assert_in_range(f->fake->clock, 45000, 46000);
    assert_int_equal(f->fake->registers[f->fake->status_address / 4], 0); /* served */
}

TEST_PLAY(a_noted_interrupt_that_never_comes_is_not_waited_for_for_ever) {
    notify_op(f, 0, "never");
    assert_int_equal(run(f), PLAY_PASSED);
    assert_in_range(f->fake->clock, 50000, 51000);
}

TEST_PLAY(a_layer_that_nobody_notes_has_its_time_while_something_moves) {
    f->fake->dev.ops = &watched_ops;
    f->fake->quiet = true;
    f->fake->moving_until = 300000;
    write_op(f, "SDP", reg("SDP", "D_OP_ENABLE"), 1);
    assert_int_equal(run(f), PLAY_PASSED);
    assert_in_range(f->fake->clock, 300000, 301000);
}

TEST_PLAY(a_time_out_ends_what_moves) {
    f->fake->dev.ops = &watched_ops;
    f->fake->moving_until = UINT64_MAX;
    f->options.timeout = 200000;
    event_op(f, "SDP", OP_SYNC_WAIT, "never");
    assert_int_equal(run(f), PLAY_HUNG);
    assert_int_equal(f->result.hang->reason, HANG_TIMEOUT);
    assert_in_range(f->fake->clock, 200000, 200000 + HANG_READS * ACCESS_CLOCKS);
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

/* A poll that reads something new each time waits for something that happens. */
TEST_PLAY(polls_of_what_changes_do_not_hang) {
    f->fake->counter = reg("SDP", "D_STATUS");
    f->options.still = 3000;
    f->options.poll_interval = 500;
    check_op(f, "SDP", OP_POLL, f->fake->counter, 100);
    assert_int_equal(run(f), PLAY_PASSED);
    assert_in_range(f->fake->clock, 100000, 102000);
}

TEST_PLAY(an_interrupt_that_cannot_be_cleared_is_a_hang) {
    f->options.still = 500;
    f->fake->stuck = 4;
    f->fake->registers[f->fake->status_address / 4] = 4;
    event_op(f, "SDP", OP_SYNC_WAIT, "never");
    assert_int_equal(run(f), PLAY_HUNG);
    assert_int_equal(f->result.hang->reason, HANG_STILL);
}

TEST_PLAY(a_sequential_wait_hangs_with_a_report) {
    f->prog->sequential = true;
    wait_op(f);
    assert_int_equal(run(f), PLAY_HUNG);
    assert_non_null(strstr(f->result.message, "stream main stands at t.cfg:1: a wait for dla_intr = 1"));
}

TEST_PLAY(the_cycle_limit_ends_a_run) {
    f->options.max_cycles = 1000;
    event_op(f, "SDP", OP_SYNC_WAIT, "never");
    assert_int_equal(run(f), PLAY_HUNG);
    assert_int_equal(f->fake->clock, 1000 + HANG_READS * ACCESS_CLOCKS);
    assert_non_null(strstr(f->result.message, "not over after 1000 cycles"));
}

TEST_PLAY(a_broken_device_ends_a_run) {
    f->fake->broken_after = 1;
    write_op(f, "SDP", reg("SDP", "S_POINTER"), 0);
    write_op(f, "SDP", reg("SDP", "S_POINTER"), 1);
    assert_int_equal(run(f), PLAY_BROKEN);
    assert_string_equal(f->result.message, "the CSB does not answer");
}

TEST_PLAY(findings_of_the_device_fail_the_run) {
    device_report(&f->fake->dev, &(struct finding){.cycle = 12, .rule = "axi-aw-stable", .owner = {-1, -1}},
                  "awaddr changed");
    assert_int_equal(run(f), PLAY_CHECK_FAILED);
    assert_int_equal(f->result.failure_count, 0);
}

TEST_PLAY(only_the_first_findings_are_kept) {
    for (unsigned i = 0; i < 130; i++)
        device_report(&f->fake->dev, &(struct finding){.cycle = i, .rule = "rule", .owner = {-1, -1}}, "finding %u", i);
    assert_int_equal(f->fake->dev.finding_count, 100);
    assert_int_equal(f->fake->dev.findings_dropped, 30);
    assert_string_equal(f->fake->dev.findings[99].text, "finding 99");
}

TEST_PLAY(an_empty_program_passes) {
    assert_int_equal(run(f), PLAY_PASSED);
    assert_int_equal(f->result.statistics.cycles, f->fake->clock);
}
