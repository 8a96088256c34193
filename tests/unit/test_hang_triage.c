/* The chain of waits on made-up stops of a small convolution and of an SDP layer from memory: which engine is named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/tracker.h"
#include "nvdla/clients.h"
#include "replay/hang_facts.h"
#include "replay/hang_triage.h"
#include "tb/observers/waits.h"
#include "tests/unit/register_text.h"
#include "tests/unit/test.h"

enum { WIDTH = 4, HEIGHT = 4, ATOMS = WIDTH * HEIGHT, BEATS = 8 * ATOMS /* of one lane */, WEIGHT_ATOMS = 8 };

struct stop {
    struct program prog;
    struct device dev;
    struct device_waits waits;
    struct layer_tracker *launches;
    struct hang hang;
    struct hang_triage *triage;
};

static void put(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    struct stop *s = context;
    const uint32_t address = nvdla_unit_base(s->prog.config, unit) + offset;
    layer_tracker_write(s->launches, address, value, layer_tracker_count(s->launches));
}

static void set(struct stop *s, const char *text) {
    register_text(s->prog.config, text, put, s);
}

/* Arms a unit; running: its launch has not ended. */
static void arm(struct stop *s, enum nvdla_unit unit, bool running) {
    put(s, unit,
        nvdla_register_find(s->prog.config, unit, "D_OP_ENABLE")->address - nvdla_unit_base(s->prog.config, unit), 1);
    if (running)
        s->hang.armed[s->hang.armed_count++] = (struct hang_armed){.unit = unit};
}

static void moved(struct stop *s, enum wait_index pair, uint64_t elements) {
    s->waits.pairs[pair].moved = elements;
    s->waits.pairs[pair].last = elements ? 1000 : 0;
}

#define MOVED(s, ...) FOR_ROWS(moved(s, (enum wait_index)offset_, value_), __VA_ARGS__)

static void offered(struct stop *s, enum wait_index pair, bool valid, bool ready) {
    s->waits.pairs[pair].valid = valid;
    s->waits.pairs[pair].ready = ready;
}

static void set_state(struct stop *s, enum wait_state_index index, const char *value) {
    snprintf(s->waits.states[index].value, sizeof s->waits.states[index].value, "%s", value);
}

TEST_KEEPS(keep_launches, struct layer_tracker, layer_tracker_free)

static struct stop *begin(const char *config) {
    struct stop *s = test_new(sizeof *s);
    s->prog.config = nvdla_config_find(config);
    s->launches = keep_launches(layer_tracker_new(s->prog.config));
    waits_begin(&s->waits, 5000);
    s->waits.moved = 1000;
    s->waits.inside = true;
    s->waits.launches = s->launches;
    for (int i = 0; i < WAIT_COUNT; i++)
        s->waits.pairs[i].counted = s->waits.pairs[i].seen = true;
    s->hang = (struct hang){.prog = &s->prog, .dev = &s->dev, .waits = &s->waits, .answers = true};
    set_state(s, WAIT_STATE_CDMA_DAT, "Idle");
    set_state(s, WAIT_STATE_CDMA_WT, "Idle");
    set_state(s, WAIT_STATE_CSC, "Run");
    s->waits.counters[WAIT_COUNTER_CREDITS].value = 4 * 8;
    return s;
}

static void end(struct stop *s, const char *engine) {
    s->triage = hang_triage_new(&s->hang);
    assert_non_null(s->triage);
    assert_string_equal(nvdla_engine_folder(s->triage->engine), engine);
    hang_triage_free(s->triage);
    waits_begin(&s->waits, 0);
}

/* A 1x1 convolution of 4 x 4 x 8 with 8 kernels, everything moved but the interrupt of SDP: tests take back what does
 * not. */
static struct stop *convolution(void) {
    struct stop *s = begin("small");
    set(s, "CDMA: D_DATAIN_SIZE_0=0x30003 D_DATAIN_SIZE_1=7 D_WEIGHT_SIZE_0=7 D_WEIGHT_SIZE_1=7 D_WEIGHT_BYTES=64 "
           "CSC: D_ATOMICS=15 D_WEIGHT_SIZE_EXT_1=0x70007 CACC: D_DATAOUT_SIZE_0=0x30003 D_DATAOUT_SIZE_1=7 "
           "SDP: D_DATA_CUBE_WIDTH=3 D_DATA_CUBE_HEIGHT=3 D_DATA_CUBE_CHANNEL=7 D_FEATURE_MODE_CFG=1");
    arm(s, NVDLA_CDMA, false);
    arm(s, NVDLA_CSC, true);
    arm(s, NVDLA_CMAC_A, true);
    arm(s, NVDLA_CMAC_B, true);
    arm(s, NVDLA_CACC, true);
    arm(s, NVDLA_SDP, true);
    MOVED(s, {WAIT_ASK_CDMA_DAT, ATOMS}, {WAIT_TAKE_CDMA_DAT, ATOMS}, {WAIT_READ_CDMA_DAT, ATOMS},
          {WAIT_DATA_CDMA_DAT, ATOMS}, {WAIT_ASK_CDMA_WT, WEIGHT_ATOMS}, {WAIT_TAKE_CDMA_WT, WEIGHT_ATOMS},
          {WAIT_READ_CDMA_WT, WEIGHT_ATOMS}, {WAIT_DATA_CDMA_WT, WEIGHT_ATOMS}, {WAIT_CBUF_DAT, ATOMS},
          {WAIT_CBUF_WT, WEIGHT_ATOMS}, {WAIT_SLICES, HEIGHT}, {WAIT_KERNELS, 8}, {WAIT_INTR_CDMA_DAT, 1},
          {WAIT_INTR_CDMA_WT, 1}, {WAIT_LAYER_CDMA, 1}, {WAIT_ATOMS, ATOMS}, {WAIT_ROWS, ATOMS}, {WAIT_SUMS, ATOMS},
          {WAIT_SUM_ROWS, ATOMS}, {WAIT_RESULTS, BEATS}, {WAIT_CREDITS, ATOMS}, {WAIT_SDP_SOURCE, BEATS},
          {WAIT_SDP_X1, BEATS}, {WAIT_SDP_X2, BEATS}, {WAIT_SDP_OUT, BEATS}, {WAIT_CMD_SDP, ATOMS},
          {WAIT_PUT_SDP, ATOMS}, {WAIT_LAST_SDP, 1}, {WAIT_WRITE_SDP, ATOMS}, {WAIT_BEAT_SDP, ATOMS},
          {WAIT_ACK_SDP, ATOMS}, {WAIT_DONE_SDP, 1}, {WAIT_INTR_CACC, 1});
    s->waits.read_asked[0][8] = s->waits.read_given[0][8] = ATOMS;
    s->waits.read_asked[0][9] = s->waits.read_given[0][9] = WEIGHT_ATOMS;
    s->waits.written[0][1] = s->waits.acknowledged[0][1] = ATOMS;
    return s;
}

/* Nothing has passed from CSC on. */
static void nothing_behind_csc(struct stop *s) {
    static const enum wait_index none[] = {WAIT_ATOMS,   WAIT_ROWS,       WAIT_SUMS,     WAIT_SUM_ROWS,  WAIT_RESULTS,
                                           WAIT_CREDITS, WAIT_SDP_SOURCE, WAIT_SDP_X1,   WAIT_SDP_X2,    WAIT_SDP_OUT,
                                           WAIT_CMD_SDP, WAIT_PUT_SDP,    WAIT_LAST_SDP, WAIT_WRITE_SDP, WAIT_BEAT_SDP,
                                           WAIT_ACK_SDP, WAIT_DONE_SDP,   WAIT_INTR_CACC};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        moved(s, none[i], 0);
    s->waits.written[0][1] = s->waits.acknowledged[0][1] = 0;
    offered(s, WAIT_RESULTS, false, true);
    s->waits.counters[WAIT_COUNTER_HEIGHT].value = HEIGHT;
    s->waits.counters[WAIT_COUNTER_LEFT].value = 8;
}

TEST_ON(csc_with_all_it_needs_is_guilty, struct stop *s, convolution()) {
    nothing_behind_csc(s);
    s->waits.counters[WAIT_COUNTER_SLICES].value = HEIGHT;
    s->waits.counters[WAIT_COUNTER_KERNELS].value = 8;
    end(s, "csc");
}

TEST_ON(a_line_that_cdma_does_not_report, struct stop *s, convolution()) {
    nothing_behind_csc(s);
    moved(s, WAIT_SLICES, HEIGHT - 1);
    s->waits.counters[WAIT_COUNTER_SLICES].value = HEIGHT - 1;
    s->waits.counters[WAIT_COUNTER_KERNELS].value = 8;
    end(s, "cdma");
}

TEST_ON(kernels_that_cdma_does_not_report, struct stop *s, convolution()) {
    nothing_behind_csc(s);
    moved(s, WAIT_KERNELS, 0);
    s->waits.counters[WAIT_COUNTER_SLICES].value = HEIGHT;
    end(s, "cdma");
}

/* The requests were taken and the memory was never asked. */
TEST_ON(requests_that_the_memory_interface_loses, struct stop *s, convolution()) {
    nothing_behind_csc(s);
    arm(s, NVDLA_CDMA, false);
    MOVED(s, {WAIT_SLICES, 0}, {WAIT_TAKE_CDMA_DAT, 8}, {WAIT_DATA_CDMA_DAT, 8}, {WAIT_CBUF_DAT, 8});
    s->waits.read_asked[0][8] = s->waits.read_given[0][8] = 8;
    end(s, "mcif");
}

TEST_ON(sums_that_cmac_loses, struct stop *s, convolution()) {
    MOVED(s, {WAIT_SUMS, ATOMS - 1}, {WAIT_SUM_ROWS, ATOMS - 1}, {WAIT_RESULTS, BEATS - 8}, {WAIT_CREDITS, ATOMS - 1},
          {WAIT_SDP_SOURCE, BEATS - 8}, {WAIT_SDP_OUT, BEATS - 8});
    s->waits.counters[WAIT_COUNTER_CREDITS].value = 4 * 8 - 1;
    end(s, "cmac");
}

TEST_ON(credits_that_cacc_keeps, struct stop *s, convolution()) {
    moved(s, WAIT_CREDITS, ATOMS - 3);
    s->waits.counters[WAIT_COUNTER_CREDITS].value = 4 * 8 - 3;
    end(s, "cacc");
}

TEST_ON(results_that_sdp_does_not_take, struct stop *s, convolution()) {
    MOVED(s, {WAIT_RESULTS, 8}, {WAIT_CREDITS, 1});
    s->waits.counters[WAIT_COUNTER_CREDITS].value = 4 * 8 - ATOMS + 1;
    offered(s, WAIT_RESULTS, true, false);
    MOVED(s, {WAIT_SDP_SOURCE, 8}, {WAIT_SDP_OUT, 8}, {WAIT_PUT_SDP, 1}, {WAIT_CMD_SDP, 4}, {WAIT_LAST_SDP, 0},
          {WAIT_BEAT_SDP, 0}, {WAIT_WRITE_SDP, 0}, {WAIT_ACK_SDP, 0});
    s->waits.written[0][1] = s->waits.acknowledged[0][1] = 0;
    end(s, "sdp");
}

/* Everything has been written: whose is the interrupt? */
TEST_ON(a_layer_that_does_not_end, struct stop *s, convolution()) {
    s->hang.armed_count = 0;
    s->hang.armed[s->hang.armed_count++] = (struct hang_armed){.unit = NVDLA_SDP};
    moved(s, WAIT_INTR_SDP, 1);
    end(s, "sdp");
    s = convolution();
    s->hang.armed_count = 0;
    moved(s, WAIT_DONE_SDP, 0);
    end(s, "mcif"); /* all was acknowledged but the layer */
    s = convolution();
    s->hang.armed_count = 0;
    end(s, "sdp"); /* that too, and there is no interrupt */
    s = convolution();
    s->hang.armed_count = 0;
    moved(s, WAIT_INTR_SDP, 1);
    end(s, "trace"); /* all has ended */
    s = convolution();
    s->hang.armed_count = 0;
    moved(s, WAIT_INTR_SDP, 1);
    s->hang.intr_status = 1;
    s->hang.intr_line = false;
    end(s, "glb");
}

TEST(a_partner_that_was_not_armed) {
    struct stop *s = begin("small");
    set(s, "SDP: D_FEATURE_MODE_CFG=1");
    arm(s, NVDLA_SDP, true);
    end(s, "trace");
}

/* Reads 4 x 4 atoms and writes them; only the port is seen. */
static struct stop *ports(uint64_t asked, uint64_t given, uint64_t written) {
    struct stop *s = begin("small");
    set(s, "SDP_RDMA: D_DATA_CUBE_WIDTH=3 D_DATA_CUBE_HEIGHT=3 D_DATA_CUBE_CHANNEL=7 D_FEATURE_MODE_CFG=0 "
           "SDP: D_DATA_CUBE_WIDTH=3 D_DATA_CUBE_HEIGHT=3 D_DATA_CUBE_CHANNEL=7");
    arm(s, NVDLA_SDP_RDMA, true);
    arm(s, NVDLA_SDP, true);
    s->waits.inside = false;
    for (int i = 0; i < WAIT_COUNT; i++)
        s->waits.pairs[i].counted = s->waits.pairs[i].seen = false;
    s->waits.pairs[WAIT_READ_SDP] = (struct wait_pair){.name = "requests", .counted = true, .moved = asked};
    s->waits.pairs[WAIT_DATA_SDP] = (struct wait_pair){.name = "data", .counted = true, .moved = given};
    s->waits.pairs[WAIT_BEAT_SDP] = (struct wait_pair){.name = "results", .counted = true, .moved = written};
    s->waits.read_asked[0][1] = asked;
    s->waits.read_given[0][1] = given;
    return s;
}

TEST(ports_alone_tell_much) {
    struct stop *s = ports(ATOMS, ATOMS, 3);
    s->triage = hang_triage_new(&s->hang);
    assert_int_equal(s->triage->engine, ENGINE_SDP); /* has read everything and not written it */
    assert_false(s->triage->inside);
    hang_triage_free(s->triage);
    end(s, "sdp");
    s = ports(10, 10, 10);
    s->triage = hang_triage_new(&s->hang);
    assert_int_equal(s->triage->engine, ENGINE_SDP_RDMA); /* what it read is written, and it asks for no more */
    hang_triage_free(s->triage);
    end(s, "sdp");
    s = ports(12, 10, 10);
    s->waits.bursts = calloc(1, sizeof *s->waits.bursts);
    s->waits.bursts[s->waits.burst_count++] = (struct wait_burst){.id = 1, .beats = 2};
    end(s, "memory");
}

/* A convolution of which only the ports are seen. SDP has written nothing. */
static struct stop *convolution_at_ports(void) {
    struct stop *s = convolution();
    nothing_behind_csc(s);
    s->waits.inside = false;
    for (int i = 0; i < WAIT_COUNT; i++)
        s->waits.pairs[i].counted = s->waits.pairs[i].seen = false;
    static const enum wait_index seen[] = {WAIT_READ_CDMA_DAT, WAIT_DATA_CDMA_DAT, WAIT_READ_CDMA_WT, WAIT_DATA_CDMA_WT,
                                           WAIT_BEAT_SDP};
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        s->waits.pairs[seen[i]].counted = true;
    return s;
}

/* Of a convolution the borders between engines are seen, and nothing comes from CACC. It keeps whole rows if other sums
 * have followed those that complete them; else their stripe may be incomplete, for want of atoms. */
TEST(rows_that_cacc_keeps) {
    for (int others = 0; others < 2; others++) {
        struct stop *s = convolution();
        nothing_behind_csc(s);
        s->waits.inside = false;
        s->waits.borders = true;
        moved(s, WAIT_ATOMS, 6);
        moved(s, WAIT_SUMS, 6);
        moved(s, WAIT_ROWS, 4);
        moved(s, WAIT_SUM_ROWS, 4);
        s->waits.pairs[WAIT_SUMS].last += (uint64_t)others;
        end(s, others ? "cacc" : "csc");
    }
}

/* CDMA needs no other unit to end a layer of which it has read everything. */
TEST_ON(cdma_that_has_read_everything_and_goes_on, struct stop *s, convolution_at_ports()) {
    end(s, "sdp");
    s = convolution_at_ports();
    s->hang.armed[s->hang.armed_count++] = (struct hang_armed){.unit = NVDLA_CDMA};
    end(s, "cdma");
}

/* The trace waits for interrupts of SDP's group 0 and of CDMA's weights. Both layers have ended. */
TEST(an_interrupt_that_only_the_trace_misses) {
    enum { CDMA_WT_0 = 18, SDP_0 = 0 };
    assert_string_equal(nvdla_interrupt_name(CDMA_WT_0), "CDMA_WT_0");
    assert_string_equal(nvdla_interrupt_name(SDP_0), "SDP_0");
    struct op ops[2] = {op_make(OP_INTR_NOTIFY, 1), op_make(OP_INTR_NOTIFY, 2)};
    ops[0].bit = SDP_0;
    ops[0].event = 0;
    ops[1].bit = CDMA_WT_0;
    ops[1].event = 1;
    int outstanding[] = {0, 1};
    for (int taken = 0; taken < 2; taken++) {
        struct stop *s = convolution_at_ports();
        s->waits.pairs[WAIT_BEAT_SDP].moved = ATOMS;
        s->hang.armed_count = 0;
        s->prog.ops = ops;
        s->prog.count = 2;
        s->hang.intr_status = taken ? 0 : 1u << CDMA_WT_0; /* raised, and not served yet */
        s->hang.events = outstanding + taken;
        s->hang.event_count = (size_t)(2 - taken);
        end(s, taken ? "cdma" : "sdp");
    }
}

/* The chain leads from the engine whose end does not come to the guilty one, and says how far each link came. */
TEST_ON(the_chain_is_told, struct stop *s, convolution()) {
    nothing_behind_csc(s);
    s->waits.counters[WAIT_COUNTER_SLICES].value = HEIGHT;
    s->waits.counters[WAIT_COUNTER_KERNELS].value = 8;
    s->triage = hang_triage_new(&s->hang);
    static const char *const units[] = {"SDP", "CACC", "CMAC", "CSC"};
    assert_int_equal(s->triage->chain_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(s->triage->chain[i].engine->name, units[i]);
    assert_int_equal(s->triage->cycle, 1000);
    assert_int_equal(s->triage->ordinal, 0);
    assert_non_null(strstr(s->triage->sentence,
                           "CSC (launch 0) has its input and weights (4 of 4 lines, 8 of 8 kernels) and "
                           "has given 0 of 16 atoms; nothing has moved since cycle 1000"));
    bool found = false;
    for (size_t i = 0; i < s->triage->link_count; i++) {
        const struct hang_link *link = &s->triage->links[i];
        if (link->pair->index != WAIT_ATOMS)
            continue;
        found = true;
        assert_true(link->stuck && link->counted);
        assert_int_equal(link->moved, 0);
        assert_int_equal(link->required, ATOMS);
        assert_int_equal(link->owed, ATOMS);
    }
    assert_true(found);
    hang_triage_free(s->triage);
    end(s, "csc");
}

/* RUBIK of full merges 64 x 2 pixels of 32 channels; beats of the memory interface hold two atoms. Everything moved but
 * its interrupt. */
static struct stop *merge(void) {
    enum { PLANAR = 2 * 2 * 32, FEATURE = 64 * 2 };
    struct stop *s = begin("full");
    s->waits.counters[WAIT_COUNTER_CREDITS].value = 8 * 32;
    set(s, "RBK: D_MISC_CFG=2 D_DATAIN_SIZE_0=0x1003f D_DATAIN_SIZE_1=31 D_DATAOUT_SIZE_1=31");
    arm(s, NVDLA_RBK, true);
    MOVED(s, {WAIT_ASK_RUBIK, PLANAR}, {WAIT_DUE_RUBIK, PLANAR / 2}, {WAIT_TAKE_RUBIK, PLANAR},
          {WAIT_READ_RUBIK, PLANAR / 2}, {WAIT_DATA_RUBIK, PLANAR / 2}, {WAIT_CMD_RUBIK, FEATURE},
          {WAIT_PUT_RUBIK, FEATURE}, {WAIT_PACK_RUBIK, FEATURE / 2}, {WAIT_WRITE_RUBIK, FEATURE / 2},
          {WAIT_BEAT_RUBIK, FEATURE / 2}, {WAIT_LAST_RUBIK, 1}, {WAIT_ACK_RUBIK, 1}, {WAIT_DONE_RUBIK, 1},
          {WAIT_LAYER_RBK, 1});
    const int read = nvdla_clients[NVDLA_READ_RUBIK].id, write = nvdla_clients[NVDLA_WRITE_RUBIK].id;
    s->waits.read_asked[0][read] = s->waits.read_given[0][read] = PLANAR / 2;
    s->waits.written[0][write] = s->waits.acknowledged[0][write] = FEATURE / 2;
    return s;
}

TEST_ON(rubik_that_does_not_end, struct stop *s, merge()) {
    end(s, "rubik");
}

TEST_ON(atoms_that_rubik_keeps, struct stop *s, merge()) {
    MOVED(s, {WAIT_PUT_RUBIK, 126}, {WAIT_PACK_RUBIK, 63}, {WAIT_WRITE_RUBIK, 60}, {WAIT_BEAT_RUBIK, 63},
          {WAIT_DONE_RUBIK, 0});
    s->waits.written[0][nvdla_clients[NVDLA_WRITE_RUBIK].id] = 60;
    end(s, "mcif"); /* beats without a request */
    s = merge();
    MOVED(s, {WAIT_PUT_RUBIK, 126}, {WAIT_PACK_RUBIK, 63}, {WAIT_WRITE_RUBIK, 63}, {WAIT_BEAT_RUBIK, 63},
          {WAIT_DONE_RUBIK, 0});
    s->waits.written[0][nvdla_clients[NVDLA_WRITE_RUBIK].id] = 63;
    end(s, "rubik");
}

/* A beat of two atoms has come for RUBIK and given one. */
static struct stop *half_a_beat(void) {
    struct stop *s = merge();
    MOVED(s, {WAIT_TAKE_RUBIK, 127}, {WAIT_PUT_RUBIK, 0}, {WAIT_PACK_RUBIK, 0}, {WAIT_WRITE_RUBIK, 0},
          {WAIT_BEAT_RUBIK, 0}, {WAIT_CMD_RUBIK, 0}, {WAIT_LAST_RUBIK, 0}, {WAIT_DONE_RUBIK, 0});
    s->waits.written[0][nvdla_clients[NVDLA_WRITE_RUBIK].id] = 0;
    return s;
}

TEST_ON(a_beat_of_two_atoms_that_gives_one, struct stop *s, half_a_beat()) {
    end(s, "mcif");
}

TEST_ON(a_clock_that_stands, struct stop *s, half_a_beat()) {
    set_state(s, WAIT_STATE_RUBIK_CLOCK, "Stands");
    end(s, "rubik");
    s = half_a_beat();
    set_state(s, WAIT_STATE_RUBIK_CLOCK, "Runs");
    set_state(s, WAIT_STATE_BDMA_CLOCK, "Stands"); /* it has no layer */
    end(s, "mcif");
}
