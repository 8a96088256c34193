/* Recording the model, gathering what the testbench has seen, and the verdict in words; see diagnose.h. */
#include "run/diagnose.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "observe/recorder.h"
#include "replay/hang.h"
#include "replay/hang_triage.h"
#include "run/judge.h"
#include "triage/triage.h"

enum { SIGNS_MOST = 16 };

struct model_options model_options_of(const struct run_options *options) {
    return (struct model_options){.allow_outside = options->rtl.axi.allow_outside,
                                  .allow_undefined = options->allow_undefined,
                                  .threads = (size_t)options->threads};
}

/* Plays the trace on a model that delivers its streams. */
static bool record_model(const struct run_options *options, const struct program *prog, struct taps *taps,
                         struct error *err) {
    struct model_options model_options = model_options_of(options);
    struct play_options play_options = options->play;
    struct play_result result;
    play_options.seed = options->seed;
    play_options.stop_at_first = false;
    model_options.taps = taps->listeners[TAPS_MODEL];
    triage_begin_with(taps->folder[TAPS_RTL], taps->recorder[TAPS_MODEL]);
    struct device *model = model_new(prog->config, &model_options);
    play(prog, model, &play_options, &result);
    play_result_free(&result);
    model->ops->destroy(model);
    return taps_close_side(taps, TAPS_MODEL, err);
}

/* ---- what the testbench has seen ---- */

struct signs {
    struct triage_sign item[SIGNS_MOST];
    size_t count;
};

static struct triage_sign *add_sign(struct signs *signs) {
    return signs->count < SIGNS_MOST ? &signs->item[signs->count++] : NULL;
}

/* Failing checks inside the RTL, broken rules of AXI, accesses outside regions. */
static void add_findings(struct signs *signs, const struct device *dev) {
    for (size_t i = 0; i < dev->finding_count; i++) {
        const struct finding *finding = &dev->findings[i];
        struct triage_sign *sign = add_sign(signs);
        if (!sign)
            return;
        sign->engine = triage_engine_named(finding->text);
        sign->cycle = finding->cycle;
        snprintf(sign->name, sizeof sign->name, "%s", finding->rule);
        snprintf(sign->text, sizeof sign->text, "cycle %" PRIu64 ", rule %s: %s", finding->cycle, finding->rule,
                 finding->text);
    }
}

/* Checks of registers that fail: the engine whose register it is. */
static void add_failures(struct signs *signs, const struct report_input *input) {
    const struct play_result *result = input->played[0].result;
    for (size_t i = 0; i < result->failure_count; i++) {
        const struct op *op = &input->prog->ops[result->failures[i].op];
        struct triage_sign *sign = op->kind == OP_MEM_CHECK || op->kind == OP_MEM_CRC ? NULL : add_sign(signs);
        char name[64];
        if (!sign)
            continue;
        const enum nvdla_unit unit = nvdla_unit_at(input->prog->config, op->address);
        nvdla_register_name(input->prog->config, op->address, name, sizeof name);
        sign->engine = unit < NVDLA_UNIT_COUNT ? triage_engine(unit) : NULL;
        snprintf(sign->name, sizeof sign->name, "%s", name);
        snprintf(sign->text, sizeof sign->text, "%s reads 0x%08x, expected 0x%08x", name, result->failures[i].got,
                 result->failures[i].expected);
    }
}

/* The client that writes wrong first: all that is known of an RTL whose inside is not seen. */
static void add_wrong(struct signs *signs, const struct wrong_beat *wrong) {
    struct triage_sign *sign = wrong && wrong->beat.owner.unit >= 0 ? add_sign(signs) : NULL;
    if (!sign)
        return;
    sign->engine = triage_engine((enum nvdla_unit)wrong->beat.owner.unit);
    sign->cycle = wrong->beat.cycle;
    snprintf(sign->name, sizeof sign->name, "%s", nvdla_client_name(wrong->beat.id, true));
    snprintf(sign->text, sizeof sign->text,
             "its client %s writes the first wrong beat, cycle %" PRIu64 ", address 0x%" PRIx64,
             nvdla_client_name(wrong->beat.id, true), wrong->beat.cycle, wrong->address);
}

static bool hang_sign(const struct play_result *result, struct triage_sign *sign) {
    if (result->outcome != PLAY_HUNG)
        return false;
    const struct hang_triage *triage = result->hang ? result->hang->triage : NULL;
    *sign = (struct triage_sign){.engine = triage ? triage->engine : NULL,
                                 .cycle = triage ? triage->cycle : result->statistics.cycles};
    snprintf(sign->text, sizeof sign->text, "%s", triage ? triage->sentence : "nothing moves any more");
    return true;
}

/* What the scoreboards have seen: passages that need no model. */
static size_t passages_of(const struct taps *taps, struct triage_passage *passages) {
    const struct scoreboard_difference *first = &taps->cbuf.first;
    size_t count = taps->cbuf.compared > 0, from = 0;
    struct triage_passage *cbuf = &passages[0];
    *cbuf = (struct triage_passage){
        .engine = "cbuf", .name = "CBUF", .differs = first->port, .cycle = first->cycle, .address = first->address};
    while (from + 1 < first->bytes && first->expected[from] == first->got[from])
        from++;
    if (first->port) {
        scoreboard_number(first->expected, from, first->bytes, cbuf->expected, sizeof cbuf->expected);
        scoreboard_number(first->got, from, first->bytes, cbuf->got, sizeof cbuf->got);
        snprintf(cbuf->text, sizeof cbuf->text, "entry 0x%" PRIx64 " was written with %s, %s reads %s", first->address,
                 cbuf->expected, first->port, cbuf->got);
    }
    for (size_t i = 0; i < taps->spoilt_count; i++) {
        const struct mif_difference *spoilt = &taps->spoilt[i];
        struct triage_passage *passage = &passages[count++];
        char *text = taps_spoilt_text(spoilt);
        *passage = (struct triage_passage){.engine = "mcif",
                                           .name = nvdla_clients[spoilt->client].name,
                                           .differs = true,
                                           .cycle = spoilt->cycle,
                                           .address = spoilt->address};
        snprintf(passage->text, sizeof passage->text, "%s", text);
        free(text);
    }
    return count;
}

bool diagnose(const struct run_options *options, const struct report_input *input, struct taps *taps,
              struct diagnosis *diagnosis, struct error *err) {
    struct signs signs = {.count = 0};
    struct triage_passage passages[1 + NVDLA_CLIENT_COUNT];
    struct triage_sign hang;
    if (!taps_close_side(taps, TAPS_RTL, err) || !record_model(options, input->prog, taps, err))
        return false;
    add_findings(&signs, input->played[0].dev);
    add_failures(&signs, input);
    add_wrong(&signs, input->wrong);
    const bool hung = hang_sign(input->played[0].result, &hang);
    const struct triage_input facts = {.config = input->prog->config,
                                       .launches = input->launches,
                                       .rtl = taps->folder[TAPS_RTL],
                                       .model = taps->folder[TAPS_MODEL],
                                       .passages = passages,
                                       .passage_count = passages_of(taps, passages),
                                       .hang = hung ? &hang : NULL,
                                       .signs = signs.item,
                                       .sign_count = signs.count};
    return triage(&facts, diagnosis, err);
}

void name_diagnosis(const struct diagnosis *diagnosis, struct result *result) {
    words_add(&result->notes, "%s", diagnosis->walk.sentence);
    for (size_t i = 0; i < diagnosis->evidence.count && strstr(diagnosis->evidence.items[i], " = 0x") == NULL; i++)
        words_add(&result->notes, "%s", diagnosis->evidence.items[i]);
}
