/* Protocol rules: each broken one is found and named, legal traffic breaks none. Of the design axi_monitor.txt, of the
 * memory axi_answers.txt. */
#include "tb/observers/axi_answers.h"
#include "tb/observers/axi_monitor.h"
#include "tests/unit/axi_steps.h"
#include "tests/unit/test.h"

struct bench {
    struct device dev;
    struct axi_monitor mon;
    struct axi_answers answers;
    struct axi_outputs out;
    struct axi_inputs in;
    uint64_t cycle;
};

static void bench_release(struct bench *b) {
    device_release(&b->dev);
}
TEST_KEEPS(bench_keep, struct bench, bench_release)

static struct bench *bench_new(const char *config, int port) {
    struct bench *b = bench_keep(test_new(sizeof *b));
    b->dev.config = nvdla_config_find(config);
    axi_monitor_init(&b->mon, &b->dev, port);
    axi_answers_init(&b->answers, &b->dev, port);
    b->in.arready = b->in.awready = b->in.wready = true;
    b->out.rready = b->out.bready = true;
    return b;
}

/* The rules found so far, with the clock if it is not the last one; the list is emptied. */
static void print_findings(struct bench *b, FILE *found) {
    for (size_t i = 0; i < b->dev.finding_count; i++) {
        fprintf(found, "%s%s", i ? " " : "", b->dev.findings[i].rule);
        if (b->dev.findings[i].cycle + 1 != b->cycle)
            fprintf(found, "@%llu", (unsigned long long)b->dev.findings[i].cycle);
    }
    device_release(&b->dev);
}

/* ---- the design ---- */

/* A title begins with the configuration and the port: "full 1, addresses". */
static void *begin(const char *title) {
    char config[32];
    int port;
    assert_int_equal(sscanf(title, "%31s %d", config, &port), 2);
    return bench_new(config, port);
}

static bool monitor_step(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    if (step_is(step, "clock")) {
        for (uint64_t i = 0; i < (step->count > 1 ? step_number(step, 1) : 1); i++)
            axi_monitor_clock(&b->mon, b->cycle++, &b->out, &b->in);
        print_findings(b, found);
    } else if (step_is(step, "holds"))
        fprintf(found, "%d", axi_monitor_holds(&b->mon));
    else if (step_is(step, "byte"))
        b->out.wdata[step_number(step, 1)] ^= 1;
    else
        return axi_design_step(&b->out, step) || axi_memory_step(&b->in, step);
    return true;
}

TEST(broken_rules_of_the_design_are_found) {
    steps_play("tests/unit/axi_monitor.txt", &(struct steps_player){begin, monitor_step});
}

TEST_ON(legal_traffic_has_no_findings, struct bench *b, bench_new("small_256_full", 0)) {
    for (int i = 0; i < 1000; i++) {
        b->in.arready = i % 3 != 0;
        b->in.awready = b->in.wready = i % 2;
        if (b->in.arready || i == 0) {
            b->out.arid = i % 2 ? 1 : 9;
            b->out.araddr = 0x1000 + 32 * (uint64_t)(i % 128);
        }
        b->out.arvalid = b->out.awvalid = b->out.wvalid = b->out.wlast = true;
        b->out.awid = 1;
        b->out.awaddr = 0x2000;
        b->out.wstrb = 0xff;
        b->in.rvalid = b->in.rlast = b->in.bvalid = i > 10;
        if (i % 3 == 0) { /* what was offered stays until it is taken */
            b->out.araddr = 0x5000;
            b->out.arid = 5;
            axi_monitor_clock(&b->mon, b->cycle++, &b->out, &b->in);
            b->in.arready = true;
        }
        axi_monitor_clock(&b->mon, b->cycle++, &b->out, &b->in);
    }
    assert_int_equal(b->dev.finding_count, 0);
}

TEST(ids_have_a_client) {
    for (int id = 0; id < 256; id++) {
        struct bench *b = bench_new("small", 0);
        b->out = (struct axi_outputs){.arvalid = true, .arid = (uint8_t)id, .araddr = 0x1000, .rready = true};
        axi_monitor_clock(&b->mon, b->cycle++, &b->out, &b->in);
        const bool reads = id == 1 || id == 2 || id == 3 || id == 5 || id == 6 || id == 8 || id == 9;
        assert_int_equal(b->dev.finding_count, !reads);
        b->out = (struct axi_outputs){.awvalid = true, .awid = (uint8_t)id, .awaddr = 0x1000, .rready = true};
        axi_monitor_clock(&b->mon, b->cycle++, &b->out, &b->in);
        const bool writes = id >= 1 && id <= 3;
        assert_int_equal(b->dev.finding_count, !reads + !writes);
        assert_true(reads || strcmp(b->dev.findings[0].rule, "axi-ar-id") == 0);
        assert_true(writes || strcmp(b->dev.findings[b->dev.finding_count - 1].rule, "axi-aw-id") == 0);
    }
}

TEST_ON(a_repeated_finding_is_only_counted, struct bench *b, bench_new("small", 0)) {
    b->out.arvalid = b->in.rvalid = b->in.rlast = true;
    b->out.arid = 15;
    for (int i = 0; i < 100; i++)
        axi_monitor_clock(&b->mon, b->cycle++, &b->out, &b->in);
    assert_in_range(b->dev.finding_count, 1, 10);
    assert_int_equal(b->dev.finding_count + b->dev.findings_dropped, 100);
}

/* ---- the memory ---- */

/* A step is a clock, after which nothing is valid any longer. */
static bool answer_step(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    if (step_is(step, "take") || step_is(step, "refuse"))
        return axi_design_step(&b->out, step);
    if (step_is(step, "reset"))
        axi_answers_reset(&b->answers);
    else if (!step_is(step, "clock") && !axi_design_step(&b->out, step) && !axi_memory_step(&b->in, step))
        return false;
    axi_answers_clock(&b->answers, b->cycle++, &b->out, &b->in);
    print_findings(b, found);
    b->out.arvalid = b->out.awvalid = b->out.wvalid = b->out.wlast = false;
    b->in.rvalid = b->in.bvalid = b->in.rlast = false;
    return true;
}

TEST(broken_rules_of_the_memory_are_found) {
    steps_play("tests/unit/axi_answers.txt", &(struct steps_player){begin, answer_step});
}
