/* Protocol rules: each broken one is found and named, legal traffic breaks none. */

#include <stdio.h>
#include <stdlib.h>
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

/* Traffic as steps, one behind the other:
 *
 *     ar, aw ID ADDRESS BEATS   offers a burst           w STROBE, wlast STROBE   offers a beat of data
 *     idle                      offers nothing           busy, ready              the slave takes nothing, anything
 *     no-aw, take-ar, take-aw   one of these alone       r, no-r                  the slave ends a read, or not
 *     clock [N]                 passes                   fine                     there was no finding
 *     axi-...                   the last clock broke this rule and no other
 */
static void step(struct bench *b, const char *text) {
    char name[32];
    int at = 0;
    assert_int_equal(sscanf(text, "%31s%n", name, &at), 1);
    char *rest = (char *)(uintptr_t)text + at;
    uint64_t n[3] = {0};
    for (int i = 0; i < 3; i++)
        n[i] = strtoull(rest, &rest, 0);
    if (strcmp(name, "ar") == 0)
        ar(b, (int)n[0], n[1], (int)n[2]);
    else if (strcmp(name, "aw") == 0)
        aw(b, (int)n[0], n[1], (int)n[2]);
    else if (strcmp(name, "w") == 0 || strcmp(name, "wlast") == 0)
        w(b, n[0], name[1] != '\0');
    else if (strcmp(name, "idle") == 0)
        idle(b);
    else if (strcmp(name, "no-aw") == 0)
        b->out.awvalid = false;
    else if (strcmp(name, "busy") == 0 || strcmp(name, "ready") == 0)
        b->in.arready = b->in.awready = b->in.wready = name[0] == 'r';
    else if (strcmp(name, "take-ar") == 0)
        b->in.arready = true;
    else if (strcmp(name, "take-aw") == 0)
        b->in.awready = true;
    else if (strcmp(name, "r") == 0 || strcmp(name, "no-r") == 0)
        b->in.rvalid = b->in.rlast = name[0] == 'r';
    else if (strcmp(name, "clock") == 0)
        for (uint64_t i = 0; i < (n[0] ? n[0] : 1); i++)
            clock_with(b);
    else
        expect(b, strcmp(name, "fine") == 0 ? NULL : name);
}

static void play(const char *config, int port, const char *steps) {
    struct bench b;
    char *copy = strdup(steps), *rest = copy;
    bench_init(&b, config, port);
    for (char *text; (text = strsep(&rest, ";")) != NULL;)
        step(&b, text);
    free(copy);
}

TEST(valid_must_stay_until_ready) {
    play("small", 0,
         "busy; ar 1 0x1000 1; clock 2; fine; idle; clock; axi-ar-stable; aw 1 0x1000 1; clock; idle; clock; "
         "axi-aw-stable; wlast 0xff; clock; idle; clock; axi-w-stable");
}

TEST(an_offer_that_is_not_taken_is_held) {
    struct bench b;
    bench_init(&b, "small", 0);
    step(&b, "busy");
    step(&b, "ar 1 0x1000 1");
    step(&b, "clock");
    assert_true(axi_monitor_holds(&b.mon));
    step(&b, "idle");
    step(&b, "clock");
    step(&b, "axi-ar-stable");
    assert_false(axi_monitor_holds(&b.mon));
}

TEST(payload_must_not_change_until_ready) {
    /* The change counts also in the clock of acceptance. */
    play("small", 0,
         "busy; ar 1 0x1000 1; clock; ar 1 0x1008 1; clock; axi-ar-stable; ar 5 0x1008 1; take-ar; clock; "
         "axi-ar-stable; idle; aw 1 0x1000 1; clock; aw 2 0x1000 1; clock; axi-aw-stable; take-aw; clock; "
         "idle");
    struct bench b;
    bench_init(&b, "small", 0);
    step(&b, "busy");
    step(&b, "wlast 0xff");
    step(&b, "clock");
    b.out.wdata[7] = 1;
    step(&b, "clock");
    step(&b, "axi-w-stable");
}

TEST(wlast_stands_at_the_last_beat) {
    /* At the third of four beats; not at the second of two. */
    play("small_256_full", 0,
         "aw 1 0x1000 4; w 0xff; clock; no-aw; clock; wlast 0xff; clock; axi-w-last; "
         "aw 1 0x1000 2; w 0xff; clock; no-aw; clock; axi-w-last");
    /* Data ahead of its address. */
    play("small_256_full", 0,
         "w 0xff; clock; wlast 0xff; clock; w 0xff; clock; wlast 0xff; clock; w 0xff; clock; "
         "wlast 0xff; clock; idle; aw 1 0x1000 2; clock 3; fine; idle; wlast 0xff; clock; idle; "
         "aw 1 0x1000 2; clock; axi-w-last");
}

TEST(write_data_does_not_run_away_from_its_addresses) {
    char steps[80];
    snprintf(steps, sizeof steps, "wlast 0xff; clock %d; fine; clock; axi-w-lead", MONITOR_W_LEAD);
    play("small", 0, steps);
}

TEST(strobes_cover_whole_atoms) {
    play("small", 0, "aw 1 0x1000 1; wlast 0x7f; clock; axi-w-strobe; wlast 0; clock; axi-w-strobe");
    play("full", 1, "aw 1 0x1020 1; wlast 0xffffffff00000000; clock; fine; wlast 0xffff0000; clock; axi-w-strobe");
}

TEST(bursts_stay_inside_4_kib_and_the_maximum_length) {
    play("small_256_full", 0,
         "ar 1 0x1fe0 4; clock; fine; ar 1 0x1ff0 4; clock; axi-ar-4k; ar 1 0x1000 5; clock; "
         "axi-ar-length; idle; aw 1 0x1ff8 2; clock; axi-aw-4k");
    play("small", 0, "aw 1 0x1000 2; clock; axi-aw-length");
}

TEST(addresses_are_aligned) {
    /* Those of PDP and CDP, 2 and 3, need not be when they write: chapter 20 section 9. */
    play("small", 0,
         "ar 2 0x1003 1; clock; axi-ar-align; idle; aw 1 0x1003 1; clock; axi-aw-align; aw 2 0x1003 1; clock; "
         "aw 3 0x1003 1; clock; fine");
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
    play("large", 0, "ar 7 0x1000 1; clock; fine");               /* has the EW stage */
    play("full", 0, "ar 0 0x1000 1; aw 4 0x1000 1; clock; fine"); /* has BDMA and RUBIK */
}

TEST(at_most_256_bursts_are_in_flight) {
    /* One ends, one begins. */
    play("small", 0,
         "ar 1 0x1000 1; clock 256; r; clock; fine; no-r; clock; axi-outstanding; idle; "
         "aw 1 0x1000 1; wlast 0xff; clock 256; fine; clock; axi-outstanding");
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
