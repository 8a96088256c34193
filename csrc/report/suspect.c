/* The facts behind who disagrees with whom, and the words. See suspect.h. */
#include "report/suspect.h"

#include <stdio.h>
#include <string.h>

#include "nvdla/text.h"
#include "replay/hang_facts.h"
#include "trace/formats.h"

enum { FEW = 8 /* golden bytes of which at most one in so many is wrong are more likely wrong themselves */ };

#define REPORT_IT "the model or one of its rules is the suspect; please report it with this trace"

/* ---- facts ---- */

/* It may be no hang. */
static bool is_cut(const struct play_result *result) {
    return result->outcome == PLAY_HUNG && result->hang && result->hang->cut;
}

static bool waits(const struct play_result *result) {
    return (result->outcome == PLAY_HUNG && !is_cut(result)) || result->outcome == PLAY_BROKEN;
}

static bool same_failure(const struct play_failure *a, const struct play_failure *b) {
    return a->op == b->op && a->got == b->got && a->first == b->first && a->count == b->count;
}

static bool fails_too(const struct play_result *result, const struct play_failure *failure) {
    for (size_t i = 0; i < result->failure_count; i++)
        if (same_failure(&result->failures[i], failure))
            return true;
    return false;
}

/* Not by the launch: an RTL's is known by counting, which errs where groups are armed out of their turn. */
static bool same_access(const struct finding *a, const struct finding *b) {
    return a->kind == b->kind && a->owner.unit == b->owner.unit && strcmp(a->rule, b->rule) == 0;
}

/* The finding of a device that is the same access, or NULL. */
static const struct finding *finds_too(const struct device *dev, const struct finding *finding) {
    for (size_t i = 0; i < dev->finding_count; i++)
        if (same_access(&dev->findings[i], finding))
            return &dev->findings[i];
    return NULL;
}

/* The golden byte for an address; false: no memory check of the trace looks there. */
static bool golden_byte(const struct program *prog, enum memory_space space, uint64_t address, uint8_t *byte) {
    for (size_t n = prog->count; n-- > 0;) {
        const struct op *op = &prog->ops[n];
        if (op->kind != OP_MEM_CHECK || op->space != space || address < op->base)
            continue;
        for (size_t i = op->blob->chunk_count; i-- > 0;) {
            const struct blob_chunk *chunk = &op->blob->chunks[i];
            const uint64_t at = address - op->base;
            if (at < chunk->offset || at - chunk->offset >= chunk->size)
                continue;
            *byte = op->blob->bytes[chunk->start + (at - chunk->offset)];
            return true;
        }
    }
    return false;
}

/* True for a recording of nvcosim serve: what it expects is what its device did, perhaps this RTL, so that it says
 * nothing of the model. */
static bool is_recording(const struct program *prog) {
    return prog->count > 0 && prog->ops[0].kind == OP_NOTE &&
           strncmp(prog->ops[0].text, RECORDING_NOTE, strlen(RECORDING_NOTE)) == 0;
}

/* What the golden bytes say of the first wrong beat, at which the RTL was stopped. */
static void judge_beat(const struct report *report, struct dissent_facts *facts) {
    const struct wrong_beat *wrong = report->input.wrong;
    const unsigned at = (unsigned)(wrong->address - wrong->beat.address);
    uint8_t golden;
    facts->bytes_differ = true;
    if (!(wrong->known >> at & 1) ||
        !golden_byte(report->input.prog, (enum memory_space)wrong->beat.port, wrong->address, &golden))
        return;
    facts->rtl_fails = golden != wrong->got[at];
    facts->model_fails = golden != wrong->expected[at] && !is_recording(report->input.prog);
}

static void add_findings(const struct report_input *in, struct dissent_facts *facts) {
    const struct device *rtl = in->played[0].dev, *model = in->played[1].dev;
    for (size_t i = 0; i < rtl->finding_count; i++) {
        const bool access = rtl->findings[i].kind == FINDING_ACCESS, shared = finds_too(model, &rtl->findings[i]);
        facts->both_fail |= access && shared;
        facts->rule_broken |= access && shared; /* layers that were apart now meet, in an order of the device's own */
        facts->rtl_fails |= access && !shared;
        facts->rtl_breaks |= !access;
    }
    for (size_t i = 0; i < model->finding_count && in->played[0].result->outcome != PLAY_STOPPED; i++)
        facts->model_fails |= !finds_too(rtl, &model->findings[i]);
}

/* The first rule that the trace breaks and after which the layer hangs, or the next one hangs or is wrong; NULL: none.
 */
static const struct device_warning *broken_rule(const struct device *model) {
    for (size_t i = 0; i < model->warning_count; i++) {
        const struct device_warning *warning = &model->warnings[i];
        if (warning->effect == RULE_HANGS || (warning->effect == RULE_WARNS && strstr(warning->rule, "the next ")))
            return warning;
    }
    return NULL;
}

static struct dissent_facts gather(const struct report *report) {
    const struct report_input *in = &report->input;
    struct dissent_facts facts = {.rtl = true, .model = in->played_count > 1};
    for (int i = 0; i < in->played_count; i++)
        if (in->played[i].result->outcome == PLAY_REFUSED)
            facts.model = false;
    if (!facts.model)
        return facts;
    const struct play_result *rtl = in->played[0].result, *model = in->played[1].result;
    const bool stopped = rtl->outcome == PLAY_STOPPED || is_cut(rtl) || in->wrong; /* later checks were not done */
    facts.rtl_waits = waits(rtl);
    facts.model_waits = waits(model);
    facts.bytes_differ = report->mismatch_count > 0 && !is_cut(rtl);
    facts.rtl_breaks = in->objection != NULL; /* of two devices: it does not end */
    facts.checked = model->checks_done > 0;
    facts.rule_broken = broken_rule(in->played[1].dev) != NULL;
    add_findings(in, &facts);
    if (in->wrong) {
        judge_beat(report, &facts);
        return facts;
    }
    for (size_t i = 0; i < rtl->failure_count; i++) {
        const bool shared = fails_too(model, &rtl->failures[i]);
        facts.both_fail |= shared;
        facts.rtl_fails |= !shared;
    }
    const bool told = !stopped && !facts.rtl_waits && !is_recording(in->prog);
    for (size_t i = 0; i < model->failure_count && told; i++)
        facts.model_fails |= !fails_too(rtl, &model->failures[i]);
    return facts;
}

/* ---- what of the trace ---- */

static void suspect(const struct report *report, struct dissent *to, const char *what, enum certainty certainty,
                    const struct op *op) {
    to->what = what;
    to->what_certainty = certainty;
    if (op)
        op_position(report->input.prog, op, to->position, sizeof to->position);
}

/* The write of the address register from which a launch came to an address: of those of its unit the largest that is
 * not above; NULL: none. */
static const struct op *address_write(const struct report *report, const struct launch *launch, uint64_t address) {
    const struct program *prog = report->input.prog;
    const struct op *found = NULL;
    for (size_t i = launch->tag; i-- > 0;) {
        const struct op *op = &prog->ops[i];
        const bool base = op->kind == OP_WRITE && nvdla_unit_at(prog->config, op->address) == launch->unit &&
                          nvdla_register_is(prog->config, op->address, REGISTER_ADDRESS);
        if (base && op->value <= (uint32_t)address && (!found || op->value > found->value) &&
            launch_register(launch, op->address - nvdla_unit_base(prog->config, launch->unit)) == op->value)
            found = op;
    }
    return found;
}

/* An access outside regions that both make: the register with its address, or else the arming of the launch. */
static bool suspect_access(const struct report *report, struct dissent *to) {
    const struct report_input *in = &report->input;
    const struct device *rtl = in->played[0].dev, *model = in->played[1].dev;
    for (size_t i = 0; i < rtl->finding_count; i++) {
        const struct finding *finding = rtl->findings[i].kind == FINDING_ACCESS ? &rtl->findings[i] : NULL;
        const struct finding *shared = finding ? finds_too(model, finding) : NULL;
        if (!shared)
            continue;
        const struct launch *launch =
            layer_tracker_find(in->launches, (enum nvdla_unit)shared->owner.unit, shared->owner.ordinal);
        const struct op *base = launch ? address_write(report, launch, finding->address) : NULL;
        suspect(report, to, "programming", LIKELY, base ? base : launch ? &in->prog->ops[launch->tag] : NULL);
        return true;
    }
    return false;
}

/* RTL and model make different things of a broken rule: the launch that breaks it. */
static void suspect_rule(const struct report *report, struct dissent *to) {
    const struct report_input *in = &report->input;
    const struct device_warning *warning = broken_rule(in->played[1].dev);
    const struct launch *launch = layer_tracker_find(in->launches, warning->unit, warning->ordinal);
    suspect(report, to, "programming", LIKELY, launch ? &in->prog->ops[launch->tag] : NULL);
}

/* Both wait: the launch of which the model knows that it hangs, or what the trace waits at. */
static void suspect_hang(const struct report *report, struct dissent *to) {
    const struct report_input *in = &report->input;
    const struct device *model = in->played[1].dev;
    const struct hang *hang = in->played[1].result->hang;
    const struct op *at = hang && hang->stream_count > 0 ? &in->prog->ops[hang->streams[0].op] : NULL;
    for (size_t i = 0; i < model->warning_count; i++) {
        const struct device_warning *warning = &model->warnings[i];
        const struct launch *launch = layer_tracker_find(in->launches, warning->unit, warning->ordinal);
        if (warning->effect == RULE_HANGS && launch) {
            at = &in->prog->ops[launch->tag];
            break;
        }
    }
    suspect(report, to, "programming", LIKELY, at);
}

/* A check that both fail in the same way. */
static void suspect_check(const struct report *report, struct dissent *to) {
    int played;
    const struct play_failure *failure = report_first_failure(report, &played);
    struct memory_origin origin;
    if (!failure)
        return;
    const struct op *op = &report->input.prog->ops[failure->op];
    if (op->kind == OP_MEM_CRC) {
        suspect(report, to, "golden", POSSIBLE, op);
        return;
    }
    if (op->kind != OP_MEM_CHECK) {
        suspect(report, to, "check", LIKELY, op);
        return;
    }
    const bool few = failure->count * FEW <= op->blob->size;
    const bool written = memory_origin_of(report_memory(report, played, op->space), failure->first, &origin);
    if (!few && (!written || origin.unit < 0))
        suspect(report, to, "programming", POSSIBLE, op);
    else
        suspect(report, to, "golden", few ? LIKELY : POSSIBLE, op);
}

/* ---- words ---- */

static const char *trace_words(const struct dissent *dissent, bool hang) {
    if (hang)
        return "likely its programming";
    if (strcmp(dissent->what, "check") == 0)
        return "likely its check";
    if (strcmp(dissent->what, "golden") == 0)
        return dissent->what_certainty == LIKELY ? "likely its golden bytes"
                                                 : "its golden bytes, what it loads, or its programming";
    return dissent->what_certainty == LIKELY
               ? "likely its programming, or a region that it does not declare"
               : "no layer writes there: its golden bytes, or the address of an output or of the check";
}

static void say(const struct report *report, const struct dissent_facts *facts, struct dissent *to) {
    const struct report_input *in = &report->input;
    char *text = to->sentence;
    const size_t size = sizeof to->sentence;
    const bool both_wait = facts->rtl_waits && facts->model_waits;
    switch (to->kind) {
    case DISSENT_NONE:
        break;
    case DISSENT_OPEN:
        if (in->played_count > 1 && !facts->model)
            snprintf(text, size, "nothing is compared: the model refuses what the specification leaves open");
        else if (is_cut(in->played[0].result))
            snprintf(text, size, "--max-cycles ended the run while things moved: raise it to see whether it hangs");
        else if (in->played_count == 1)
            snprintf(text, size, "only the %s was played: it or the trace is wrong", in->played[0].dev->name);
        break;
    case DISSENT_TRACE:
        snprintf(text, size, "RTL and model %s: %s%s%s%s",
                 to->disputed ? "make different things of a rule that the trace breaks"
                 : both_wait  ? "both wait"
                              : "agree, the trace expects otherwise",
                 to->what ? trace_words(to, both_wait || to->disputed) : "its checks", to->position[0] ? " (" : "",
                 to->position, to->position[0] ? ")" : "");
        break;
    case DISSENT_MODEL:
        snprintf(text, size, "%s: " REPORT_IT,
                 facts->model_waits ? "the model alone waits, the RTL ends"
                                    : "the model alone differs, RTL and trace agree");
        break;
    case DISSENT_RTL:
        snprintf(text, size, "%s",
                 facts->rtl_waits                         ? "the RTL alone waits, the model ends"
                 : facts->rtl_breaks && !facts->rtl_fails ? "the RTL alone breaks a rule"
                 : to->certainty == CERTAIN               ? "the RTL alone differs, model and trace agree"
                                            : "RTL and model differ, and no check of the trace looks there");
        break;
    case DISSENT_ALL:
        snprintf(text, size, "RTL, model and trace all differ");
        break;
    }
    if (in->bus_fault && dissent_accuses_rtl(to->kind) && text[0])
        report_add(text, size, "; its memory is broken on purpose: --bus-fault %s", in->bus_fault);
}

struct dissent suspect_find(const struct report *report, bool failed) {
    const struct dissent_facts facts = gather(report);
    struct dissent found = dissent_decide(&facts, failed);
    if (found.kind == DISSENT_TRACE) {
        if (facts.rtl_waits && !found.disputed)
            suspect_hang(report, &found);
        else if (!suspect_access(report, &found))
            (found.disputed ? suspect_rule : suspect_check)(report, &found);
    }
    say(report, &facts, &found);
    return found;
}
