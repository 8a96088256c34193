/* Protocol rules of the memory's answers: each broken one is found and named, legal answers break none. */

#include <string.h>

#include "tb/observers/axi_answers.h"
#include "tests/unit/test.h"

struct bench {
    struct device dev;
    struct axi_answers answers;
    struct axi_outputs out;
    struct axi_inputs in;
    uint64_t cycle;
};

static struct bench *bench_new(void) {
    struct bench *b = test_new(sizeof *b);
    b->dev.config = nvdla_config_find("medium_512");
    axi_answers_init(&b->answers, &b->dev, 0);
    b->in.arready = b->in.awready = b->in.wready = true;
    b->out.rready = b->out.bready = true;
    return b;
}

/* One clock, after which nothing is valid any longer. */
static void clock_once(struct bench *b) {
    axi_answers_clock(&b->answers, b->cycle++, &b->out, &b->in);
    b->out.arvalid = b->out.awvalid = b->out.wvalid = b->out.wlast = false;
    b->in.rvalid = b->in.bvalid = b->in.rlast = false;
}

static void request_read(struct bench *b, int id, int beats) {
    b->out.arvalid = true;
    b->out.arid = (uint8_t)id;
    b->out.arlen = (uint8_t)(beats - 1);
    clock_once(b);
}

static void answer_read(struct bench *b, int id, bool last) {
    b->in.rvalid = true;
    b->in.rid = (uint8_t)id;
    b->in.rlast = last;
    clock_once(b);
}

static void request_write(struct bench *b, int id) {
    b->out.awvalid = true;
    b->out.awid = (uint8_t)id;
    clock_once(b);
}

static void give_beat(struct bench *b, bool last) {
    b->out.wvalid = true;
    b->out.wlast = last;
    clock_once(b);
}

static void respond(struct bench *b, int id) {
    b->in.bvalid = true;
    b->in.bid = (uint8_t)id;
    clock_once(b);
}

/* The only finding so far is that rule (NULL: there is none); the list is emptied. */
static void expect(struct bench *b, const char *rule) {
    assert_int_equal(b->dev.finding_count, rule ? 1 : 0);
    if (rule)
        assert_string_equal(b->dev.findings[0].rule, rule);
    device_release(&b->dev);
}

TEST_ON(legal_answers_have_no_findings, struct bench *b, bench_new()) {
    request_read(b, 1, 3);
    request_read(b, 2, 1);
    answer_read(b, 1, false);
    answer_read(b, 2, true); /* other IDs may overtake and interleave */
    answer_read(b, 1, false);
    answer_read(b, 1, true);
    give_beat(b, true); /* data before its address */
    request_write(b, 4);
    respond(b, 4);
    request_write(b, 4);
    request_write(b, 5);
    give_beat(b, false);
    give_beat(b, true);
    give_beat(b, true);
    respond(b, 5);
    respond(b, 4);
    expect(b, NULL);
}

TEST_ON(read_beats_fit_their_requests, struct bench *b, bench_new()) {
    answer_read(b, 3, true);
    expect(b, "axi-r-id");
    request_read(b, 1, 2);
    answer_read(b, 1, true); /* a beat was lost */
    expect(b, "axi-r-last");
    answer_read(b, 1, true);
    expect(b, NULL);
    request_read(b, 1, 2);
    answer_read(b, 1, false);
    answer_read(b, 1, false); /* one was repeated */
    expect(b, "axi-r-last");
    answer_read(b, 1, true);
    expect(b, "axi-r-id");
}

TEST_ON(answers_of_an_id_keep_their_order, struct bench *b, bench_new()) {
    request_read(b, 1, 1);
    request_read(b, 1, 4);
    answer_read(b, 1, false); /* the longer one first */
    expect(b, "axi-r-last");
}

TEST_ON(responses_follow_the_last_beat, struct bench *b, bench_new()) {
    respond(b, 1);
    expect(b, "axi-b-id");
    request_write(b, 1);
    give_beat(b, false);
    respond(b, 1);
    expect(b, "axi-b-early");
    give_beat(b, true); /* this one has its response already */
    expect(b, NULL);
    respond(b, 1);
    expect(b, "axi-b-id");
    request_write(b, 2);
    give_beat(b, true);
    respond(b, 2);
    expect(b, NULL);
}

TEST_ON(answers_hold_until_they_are_taken, struct bench *b, bench_new()) {
    b->out.rready = b->out.bready = false;
    request_read(b, 1, 1);
    answer_read(b, 1, true);
    clock_once(b);
    expect(b, "axi-r-stable");
    request_write(b, 1);
    give_beat(b, true);
    respond(b, 1);
    respond(b, 2);
    expect(b, "axi-b-stable");
    axi_answers_reset(&b->answers);
    clock_once(b);
    expect(b, NULL);
}
