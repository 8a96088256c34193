/* An interconnect that has a limit of open transactions: on the bus, from an address to its last answer, and of other
 * masters, there are never more, each master gets its turn, and with one place reads and writes alternate. */
#include "tb/axi_memory.h"
#include "tests/unit/memories.h"
#include "tests/unit/test.h"

enum { BASE = 0x80000000, SIZE = 0x10000, CLOCKS = 30000, BYTES = 8 };

struct seen {
    unsigned reads, writes, together; /* ended; the most that were open at a time */
    unsigned same_kind;               /* places that went to the same kind twice although the other waited */
    uint64_t others[2];               /* transactions of other masters that ended */
};

/* Requests of other masters that have begun and not ended. */
static uint64_t others_open(const struct memory_statistics *statistics, uint64_t ended[2]) {
    uint64_t open = 0;
    for (size_t m = 1; m < statistics->master_count; m++) {
        const struct memory_master *master = &statistics->masters[m];
        ended[m - 1] = master->read.count + master->write.count;
        open += (master->read_bytes + master->write_bytes) / 64 - ended[m - 1];
    }
    return open;
}

static uint32_t random_step(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Plays bursts of one and two beats, as fast as they are taken; `eager`: without pauses. */
static struct seen play(const char *memory, const char *const *streams, bool eager) {
    struct axi_options options;
    struct error err = {.text = ""};
    axi_options_default(&options);
    options.dram = memory_of(memory);
    bool good = true;
    for (; good && streams && *streams; streams++)
        good = traffic_read(*streams, &options.traffic, &err);
    if (!good)
        fail_msg("%s", err.text);
    struct device dev = {.config = nvdla_config_find("small")};
    dev.memory[0] = memory_new();
    memory_declare(dev.memory[0], BASE, SIZE);
    struct provenance *prov = provenance_new(dev.config);
    struct axi_memory *mem = axi_memory_new(&dev, &options, BYTES, BYTES, 0, NULL);
    struct axi_outputs out = {.rready = true, .bready = true};
    struct axi_inputs in;
    struct seen seen = {0};
    unsigned open = 0, beats = 0; /* beats: of W that are to come */
    uint32_t random = 7;
    int last_write = -1; /* the kind of the last address */
    axi_memory_reset(mem, prov, &in);
    for (uint64_t cycle = 0; cycle < CLOCKS; cycle++) {
        const bool ar = out.arvalid && in.arready, aw = out.awvalid && in.awready, w = out.wvalid && in.wready;
        const bool last = in.rvalid && out.rready && in.rlast, response = in.bvalid && out.bready;
        if ((ar && last_write == 0 && out.awvalid && !aw) || (aw && last_write == 1 && out.arvalid && !ar))
            seen.same_kind++;
        if (ar != aw)
            last_write = aw;
        open += ar + aw;
        axi_memory_clock(mem, cycle, &out, &in);
        const uint64_t others = others_open(axi_memory_statistics(mem, cycle), seen.others);
        seen.together = open + others > seen.together ? (unsigned)(open + others) : seen.together;
        open -= last + response; /* a place is free in the clock after */
        seen.reads += last;
        seen.writes += response;
        beats = beats - w + (aw ? out.awlen + 1u : 0);
        if ((ar || !out.arvalid) && (out.arvalid = eager || random_step(&random) % 4 == 0)) {
            out.arlen = (uint8_t)(random_step(&random) % 2);
            out.araddr = BASE + random_step(&random) % (SIZE / 64) * 64;
        }
        if ((aw || !out.awvalid) && (out.awvalid = eager || random_step(&random) % 4 == 0)) {
            out.awlen = (uint8_t)(random_step(&random) % 2);
            out.awaddr = BASE + random_step(&random) % (SIZE / 64) * 64;
        }
        out.wvalid = beats > 0;
        out.wstrb = 0xff;
        out.rready = random_step(&random) % 4 != 0;
        out.bready = random_step(&random) % 4 != 0;
    }
    axi_memory_free(mem);
    provenance_free(prov);
    device_release(&dev);
    return seen;
}

TEST(never_more_are_open_and_each_gets_its_turn) {
    static const char *const crowd[] = {"rate=20000,outstanding=64,pattern=random,writes=300",
                                        "rate=20000,outstanding=64,base=1G", NULL},
                             *const calm[] = {"rate=300", NULL}, *const *const streams[] = {NULL, crowd, calm};
    static const char *const memories[] = {"ddr4-2400,in_flight=1", "ddr4-2400,in_flight=2", "ddr4-2400,in_flight=3",
                                           "ddr4-2400,in_flight=4", "ddr4-2400,in_flight=5", "ddr4-2400,in_flight=6"};
    for (unsigned places = 1; places <= 6; places++)
        for (size_t i = 0; i < 3; i++)
            for (int eager = 0; eager < 2; eager++) {
                const struct seen seen = play(memories[places - 1], streams[i], eager);
                assert_int_equal(seen.together, places);
                assert_true(seen.reads > 100 && seen.writes > 100);
                assert_true(i == 0 || seen.others[0] > 100);
                assert_true(i != 1 || seen.others[1] > 100);
            }
}

TEST(with_one_place_reads_and_writes_alternate) {
    assert_int_equal(play("ddr4-2400,in_flight=1", NULL, true).same_kind, 0);
}

/* More places than there are transactions only cost the clock in which a first address waits for its place. */
TEST(places_for_all_cost_little) {
    const struct seen free = play("ddr4-2400", NULL, true), many = play("ddr4-2400,in_flight=512", NULL, true);
    assert_true(free.reads > 1000);
    assert_true(many.reads * 20 > free.reads * 19 && many.writes * 20 > free.writes * 19);
}
