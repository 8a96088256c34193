/* AXI protocol rules of the memory's side; see axi_answers.h. */
#include "tb/observers/axi_answers.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum rule { R_ID, R_LAST, R_STABLE, B_ID, B_EARLY, B_STABLE, RULE_COUNT };

_Static_assert((int)RULE_COUNT == (int)ANSWER_RULES, "a counter per rule");

static const char *const rule_names[RULE_COUNT] = {"axi-r-id", "axi-r-last",  "axi-r-stable",
                                                   "axi-b-id", "axi-b-early", "axi-b-stable"};

enum { REPORTS_PER_RULE = 4 };

__attribute__((format(printf, 4, 5))) static void broken(struct axi_answers *answers, uint64_t cycle, enum rule rule,
                                                         const char *format, ...) {
    if (answers->reports[rule]++ >= REPORTS_PER_RULE) {
        answers->dev->findings_dropped++;
        return;
    }
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct finding finding = {.cycle = cycle, .rule = rule_names[rule], .kind = FINDING_AXI, .owner = {-1, -1}};
    device_report(answers->dev, &finding, "the memory on the %s port: %s",
                  memory_space_name((enum memory_space)answers->port), text);
}

void axi_answers_init(struct axi_answers *answers, struct device *dev, int port) {
    const struct nvdla_config *config = dev->config;
    *answers = (struct axi_answers){
        .dev = dev, .port = port, .bytes = (port ? config->cvsram_data_bits : config->dbb_data_bits) / 8};
}

void axi_answers_reset(struct axi_answers *answers) {
    struct axi_answers fresh = {.dev = answers->dev, .port = answers->port, .bytes = answers->bytes};
    memcpy(fresh.reports, answers->reports, sizeof fresh.reports);
    *answers = fresh;
}

/* What was offered and not taken must still be there. */
static void check_held(struct axi_answers *answers, uint64_t cycle, const struct axi_inputs *in) {
    const struct axi_inputs *held = &answers->held;
    if (answers->r_held && !in->rvalid)
        broken(answers, cycle, R_STABLE, "rvalid fell before rready (rid %d)", held->rid);
    else if (answers->r_held && (in->rid != held->rid || in->rlast != held->rlast ||
                                 memcmp(in->rdata, held->rdata, (size_t)answers->bytes) != 0))
        broken(answers, cycle, R_STABLE, "rid, rdata or rlast changed before rready (rid %d to %d)", held->rid,
               in->rid);
    if (answers->b_held && !in->bvalid)
        broken(answers, cycle, B_STABLE, "bvalid fell before bready (bid %d)", held->bid);
    else if (answers->b_held && in->bid != held->bid)
        broken(answers, cycle, B_STABLE, "bid %d changed to %d before bready", held->bid, in->bid);
}

/* A beat belongs to the oldest open request of its ID. */
static void check_read(struct axi_answers *answers, uint64_t cycle, const struct axi_inputs *in) {
    struct open_read *read = NULL;
    for (unsigned i = 0; i < answers->read_count && !read; i++) {
        struct open_read *open = &answers->reads[(answers->read_head + i) % ANSWER_OPEN];
        read = open->left && open->id == in->rid ? open : NULL;
    }
    if (!read) {
        broken(answers, cycle, R_ID, "a read beat with rid %d, of which no request is open", in->rid);
        return;
    }
    read->left--;
    if (in->rlast && read->left)
        broken(answers, cycle, R_LAST, "rlast, but the request has %d more beats (rid %d)", read->left, in->rid);
    else if (!in->rlast && !read->left)
        broken(answers, cycle, R_LAST, "no rlast at the last beat of the request (rid %d)", in->rid);
    while (answers->read_count && !answers->reads[answers->read_head].left) {
        answers->read_head = (answers->read_head + 1) % ANSWER_OPEN;
        answers->read_count--;
    }
}

static void check_response(struct axi_answers *answers, uint64_t cycle, int id) {
    if (answers->due[id]) {
        answers->due[id]--;
        return;
    }
    if (answers->incomplete[id] > answers->answered_early[id]) {
        broken(answers, cycle, B_EARLY, "a write response before the last beat of its burst (bid %d)", id);
        answers->answered_early[id]++;
        return;
    }
    broken(answers, cycle, B_ID, "a write response with bid %d, of which no write is open", id);
}

/* All data of a write has arrived. */
static void complete(struct axi_answers *answers, int id) {
    if (answers->answered_early[id])
        answers->answered_early[id]--;
    else
        answers->due[id]++;
}

static void take_requests(struct axi_answers *answers, const struct axi_outputs *out, const struct axi_inputs *in) {
    if (out->arvalid && in->arready && answers->read_count < ANSWER_OPEN)
        answers->reads[(answers->read_head + answers->read_count++) % ANSWER_OPEN] =
            (struct open_read){.id = out->arid, .left = (uint8_t)(out->arlen + 1)};
    if (out->awvalid && in->awready) {
        if (answers->ahead) {
            answers->ahead--;
            complete(answers, out->awid);
        } else if (answers->write_count < ANSWER_OPEN) {
            answers->writes[(answers->write_head + answers->write_count++) % ANSWER_OPEN] = out->awid;
            answers->incomplete[out->awid]++;
        }
    }
    if (!(out->wvalid && in->wready && out->wlast))
        return;
    if (!answers->write_count) {
        answers->ahead++;
        return;
    }
    const int id = answers->writes[answers->write_head];
    answers->write_head = (answers->write_head + 1) % ANSWER_OPEN;
    answers->write_count--;
    answers->incomplete[id]--;
    complete(answers, id);
}

void axi_answers_clock(struct axi_answers *answers, uint64_t cycle, const struct axi_outputs *out,
                       const struct axi_inputs *in) {
    if (answers->r_held || answers->b_held)
        check_held(answers, cycle, in);
    if (in->rvalid && out->rready)
        check_read(answers, cycle, in);
    if (in->bvalid && !answers->b_held)
        check_response(answers, cycle, in->bid);
    answers->r_held = in->rvalid && !out->rready;
    answers->b_held = in->bvalid && !out->bready;
    if (answers->r_held || answers->b_held)
        answers->held = *in;
    take_requests(answers, out, in);
}

static void reset_answers(void *context) {
    axi_answers_reset(context);
}

static bool port_answers(void *context, const struct sampled *now, int port) {
    struct axi_answers *answers = context;
    if (port == answers->port)
        axi_answers_clock(answers, now->cycle, now->out[port], now->in[port]);
    return false;
}

struct observer axi_answers_observer(struct axi_answers *answers) {
    return (struct observer){.context = answers, .reset = reset_answers, .port = port_answers};
}
