/* Protocol rules: each broken one is found and named, legal traffic breaks none. */

#include <string.h>

#include "tb/observers/axi_monitor.h"
#include "tests/unit/test.h"

struct bench {
    struct device dev;
    struct axi_monitor mon;
    struct axi_outputs out;
    struct axi_inputs in;
    uint64_t cycle;
};

static void bench_init(struct bench *b, const char *config, int port) {
    memset(b, 0, sizeof *b);
    b->dev.config = nvdla_config_find(config);
    axi_monitor_init(&b->mon, &b->dev, port);
    b->in.arready = b->in.awready = b->in.wready = true;
    b->out.rready = b->out.bready = true;
}

static void clock_with(struct bench *b) {
    axi_monitor_clock(&b->mon, b->cycle++, &b->out, &b->in);
}

static void ar(struct bench *b, int id, uint64_t address, int beats) {
    b->out.arvalid = true;
    b->out.arid = (uint8_t)id;
    b->out.araddr = address;
    b->out.arlen = (uint8_t)(beats - 1);
}

static void aw(struct bench *b, int id, uint64_t address, int beats) {
    b->out.awvalid = true;
    b->out.awid = (uint8_t)id;
    b->out.awaddr = address;
    b->out.awlen = (uint8_t)(beats - 1);
}

static void w(struct bench *b, uint64_t strobe, bool last) {
    b->out.wvalid = true;
    b->out.wstrb = strobe;
    b->out.wlast = last;
}

static void idle(struct bench *b) {
    b->out.arvalid = b->out.awvalid = b->out.wvalid = false;
}

/* The rules found so far are exactly these, in order; then the list is emptied. */
static void expect(struct bench *b, const char *rule) {
    if (!rule) {
        assert_int_equal(b->dev.finding_count, 0);
        return;
    }
    assert_int_equal(b->dev.finding_count, 1);
    assert_string_equal(b->dev.findings[0].rule, rule);
    assert_int_equal(b->dev.findings[0].cycle, b->cycle - 1);
    device_release(&b->dev);
}

TEST(legal_traffic_has_no_findings) {
    struct bench b;
    bench_init(&b, "small_256_full", 0);
    for (int i = 0; i < 1000; i++) {
        b.in.arready = i % 3 != 0;
        b.in.awready = b.in.wready = i % 2;
        if (b.in.arready || i == 0)
            ar(&b, i % 2 ? 1 : 9, 0x1000 + 32 * (uint64_t)(i % 128), 1);
        aw(&b, 1, 0x2000, 1);
        w(&b, 0xff, true);
        b.in.rvalid = b.in.rlast = i > 10;
        b.in.bvalid = i > 10;
        if (i % 3 == 0) { /* what was offered stays until it is taken */
            b.out.araddr = 0x5000;
            b.out.arid = 5;
            clock_with(&b);
            b.in.arready = true;
        }
        clock_with(&b);
    }
    expect(&b, NULL);
}

TEST(valid_must_stay_until_ready) {
    struct bench b;
    bench_init(&b, "small", 0);
    b.in.arready = b.in.awready = b.in.wready = false;
    ar(&b, 1, 0x1000, 1);
    clock_with(&b);
    assert_true(axi_monitor_holds(&b.mon));
    clock_with(&b);
    expect(&b, NULL);
    idle(&b);
    clock_with(&b);
    expect(&b, "axi-ar-stable");
    assert_false(axi_monitor_holds(&b.mon));
    aw(&b, 1, 0x1000, 1);
    clock_with(&b);
    idle(&b);
    clock_with(&b);
    expect(&b, "axi-aw-stable");
    w(&b, 0xff, true);
    clock_with(&b);
    idle(&b);
    clock_with(&b);
    expect(&b, "axi-w-stable");
}

TEST(payload_must_not_change_until_ready) {
    struct bench b;
    bench_init(&b, "small", 0);
    b.in.arready = b.in.awready = b.in.wready = false;
    ar(&b, 1, 0x1000, 1);
    clock_with(&b);
    ar(&b, 1, 0x1008, 1);
    clock_with(&b);
    expect(&b, "axi-ar-stable");
    ar(&b, 5, 0x1008, 1);
    b.in.arready = true; /* the change counts also in the clock of acceptance */
    clock_with(&b);
    expect(&b, "axi-ar-stable");
    idle(&b);
    aw(&b, 1, 0x1000, 1);
    clock_with(&b);
    aw(&b, 2, 0x1000, 1);
    clock_with(&b);
    expect(&b, "axi-aw-stable");
    b.in.awready = true;
    clock_with(&b);
    idle(&b);
    w(&b, 0xff, true);
    clock_with(&b);
    b.out.wdata[7] = 1;
    clock_with(&b);
    expect(&b, "axi-w-stable");
}

TEST(wlast_stands_at_the_last_beat) {
    struct bench b;
    bench_init(&b, "small_256_full", 0);
    aw(&b, 1, 0x1000, 4);
    w(&b, 0xff, false);
    clock_with(&b);
    b.out.awvalid = false;
    clock_with(&b);
    w(&b, 0xff, true); /* third of four */
    clock_with(&b);
    expect(&b, "axi-w-last");
    aw(&b, 1, 0x1000, 2);
    w(&b, 0xff, false);
    clock_with(&b);
    b.out.awvalid = false;
    clock_with(&b); /* second of two without wlast */
    expect(&b, "axi-w-last");
    /* Data ahead of its address. */
    for (int i = 0; i < 3; i++) {
        w(&b, 0xff, false);
        clock_with(&b);
        w(&b, 0xff, true);
        clock_with(&b);
    }
    idle(&b);
    aw(&b, 1, 0x1000, 2);
    for (int i = 0; i < 3; i++)
        clock_with(&b);
    expect(&b, NULL);
    idle(&b);
    w(&b, 0xff, true);
    clock_with(&b);
    idle(&b);
    aw(&b, 1, 0x1000, 2);
    clock_with(&b);
    expect(&b, "axi-w-last");
}

TEST(write_data_does_not_run_away_from_its_addresses) {
    struct bench b;
    bench_init(&b, "small", 0);
    w(&b, 0xff, true);
    for (int i = 0; i < MONITOR_W_LEAD; i++)
        clock_with(&b);
    expect(&b, NULL);
    clock_with(&b);
    expect(&b, "axi-w-lead");
}

TEST(strobes_cover_whole_atoms) {
    struct bench b;
    bench_init(&b, "small", 0);
    aw(&b, 1, 0x1000, 1);
    w(&b, 0x7f, true);
    clock_with(&b);
    expect(&b, "axi-w-strobe");
    w(&b, 0, true);
    clock_with(&b);
    expect(&b, "axi-w-strobe");
    bench_init(&b, "full", 1);
    aw(&b, 1, 0x1020, 1);
    w(&b, 0xffffffff00000000, true);
    clock_with(&b);
    expect(&b, NULL);
    w(&b, 0x00000000ffff0000, true);
    clock_with(&b);
    expect(&b, "axi-w-strobe");
}

TEST(bursts_stay_inside_4_kib_and_the_maximum_length) {
    struct bench b;
    bench_init(&b, "small_256_full", 0);
    ar(&b, 1, 0x1fe0, 4);
    clock_with(&b);
    expect(&b, NULL);
    ar(&b, 1, 0x1ff0, 4);
    clock_with(&b);
    expect(&b, "axi-ar-4k");
    ar(&b, 1, 0x1000, 5);
    clock_with(&b);
    expect(&b, "axi-ar-length");
    idle(&b);
    aw(&b, 1, 0x1ff8, 2);
    clock_with(&b);
    expect(&b, "axi-aw-4k");
    bench_init(&b, "small", 0);
    aw(&b, 1, 0x1000, 2);
    clock_with(&b);
    expect(&b, "axi-aw-length");
}

TEST(addresses_are_aligned) {
    struct bench b;
    bench_init(&b, "small", 0);
    ar(&b, 2, 0x1003, 1);
    clock_with(&b);
    expect(&b, "axi-ar-align");
    idle(&b);
    aw(&b, 1, 0x1003, 1);
    clock_with(&b);
    expect(&b, "axi-aw-align");
    aw(&b, 2, 0x1003, 1); /* PDP, CDP: chapter 20 section 9 */
    clock_with(&b);
    aw(&b, 3, 0x1003, 1);
    clock_with(&b);
    expect(&b, NULL);
}

TEST(ids_have_a_client) {
    struct bench b;
    for (int id = 0; id < 256; id++) {
        bench_init(&b, "small", 0);
        ar(&b, id, 0x1000, 1);
        clock_with(&b);
        const bool reads = id == 1 || id == 2 || id == 3 || id == 5 || id == 6 || id == 8 || id == 9;
        expect(&b, reads ? NULL : "axi-ar-id");
        idle(&b);
        aw(&b, id, 0x1000, 1);
        clock_with(&b);
        expect(&b, id >= 1 && id <= 3 ? NULL : "axi-aw-id");
    }
    bench_init(&b, "large", 0); /* has the EW stage */
    ar(&b, 7, 0x1000, 1);
    clock_with(&b);
    expect(&b, NULL);
    bench_init(&b, "full", 0); /* has BDMA and RUBIK */
    ar(&b, 0, 0x1000, 1);
    aw(&b, 4, 0x1000, 1);
    clock_with(&b);
    expect(&b, NULL);
}

TEST(at_most_256_bursts_are_in_flight) {
    struct bench b;
    bench_init(&b, "small", 0);
    ar(&b, 1, 0x1000, 1);
    for (int i = 0; i < 256; i++)
        clock_with(&b);
    b.in.rvalid = b.in.rlast = true; /* one ends, one begins */
    clock_with(&b);
    expect(&b, NULL);
    b.in.rvalid = false;
    clock_with(&b);
    expect(&b, "axi-outstanding");
    idle(&b);
    aw(&b, 1, 0x1000, 1);
    w(&b, 0xff, true);
    for (int i = 0; i < 256; i++)
        clock_with(&b);
    expect(&b, NULL);
    clock_with(&b);
    expect(&b, "axi-outstanding");
}

TEST(a_repeated_finding_is_only_counted) {
    struct bench b;
    bench_init(&b, "small", 0);
    ar(&b, 15, 0x1000, 1);
    b.in.rvalid = b.in.rlast = true;
    for (int i = 0; i < 100; i++)
        clock_with(&b);
    assert_in_range(b.dev.finding_count, 1, 10);
    assert_int_equal(b.dev.finding_count + b.dev.findings_dropped, 100);
    device_release(&b.dev);
}
