/* Judges the result of playing a trace: what differs, the status, and the reason in a line. See verdict.h. */
#include "report/verdict.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/engines.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "replay/hang_facts.h"
#include "replay/hang_triage.h"
#include "report/suspect.h"

/* ---- areas that differ ---- */

/* The declared region around the first byte of a mismatch, over the regions of all devices; else the 4-KiB page. *run
 * is limited to that area. */
static void find_region(const struct memory *const *memories, int memory_count, struct mismatch *found, uint64_t *run) {
    const uint64_t address = found->first;
    uint64_t next = UINT64_MAX; /* first address of the regions after it */
    for (int i = 0; i < memory_count; i++) {
        for (size_t r = 0; r < memory_region_count(memories[i]); r++) {
            uint64_t base, size;
            memory_region(memories[i], r, &base, &size);
            if (base > address && base < next)
                next = base;
            if (address < base || address - base >= size)
                continue;
            /* The part around the byte, if a region is too large for a dump. */
            const uint64_t skipped = (address - base) / REPORT_DUMP_MAX * REPORT_DUMP_MAX;
            found->kind = AREA_REGION;
            found->base = base + skipped;
            found->size = size - skipped < REPORT_DUMP_MAX ? size - skipped : REPORT_DUMP_MAX;
            if (found->size - (address - found->base) < *run)
                *run = found->size - (address - found->base);
            return;
        }
    }
    found->kind = AREA_OUTSIDE;
    found->base = address & ~(uint64_t)(MEMORY_PAGE - 1);
    found->size = MEMORY_PAGE;
    if (found->size - (address - found->base) < *run)
        *run = found->size - (address - found->base);
    if (next - address < *run)
        *run = next - address;
}

static bool same_area(const struct mismatch *a, const struct mismatch *b) {
    return a->space == b->space && a->kind == b->kind &&
           (a->kind == AREA_LAUNCH ? a->output == b->output : a->base == b->base);
}

/* Counts bytes of an area that differ, first..last of them. */
static void add_difference(struct report *report, const struct mismatch *found) {
    for (size_t i = report->mismatch_count; i-- > 0;) {
        struct mismatch *mismatch = &report->mismatches[i];
        if (same_area(mismatch, found)) {
            mismatch->count += found->count;
            mismatch->last = found->last;
            return;
        }
    }
    *xadd(report->mismatches, report->mismatch_count) = *found;
}

/* Visits the bytes that differ, in runs of one area. */
static void compare_space(struct report *report, enum memory_space space) {
    const struct memory *memories[PLAYED_MAX];
    uint64_t address = 0, run;
    if (report_memories(report, space, memories) < PLAYED_MAX)
        return;
    while (memory_next_difference(memories[0], memories[1], address, &address)) {
        struct mismatch found = {.space = space, .first = address};
        struct memory_difference difference;
        found.output = writers_walk(report->writers, space, address, memories, PLAYED_MAX, &run);
        if (found.output) {
            found.kind = AREA_LAUNCH;
            found.base = found.output->cube.base;
            found.size = cube_extent(&found.output->cube);
        } else {
            find_region(memories, PLAYED_MAX, &found, &run);
        }
        memory_compare(memories[0], memories[1], address, run, &difference);
        found.count = difference.count;
        found.last = difference.last;
        add_difference(report, &found);
        if (run > UINT64_MAX - address)
            break;
        address += run;
    }
}

/* Layers in order of arming, because an error in one may spread to all later ones; then other areas by address. */
static int mismatch_order(const void *left, const void *right) {
    const struct mismatch *a = left, *b = right;
    if (!a->output != !b->output)
        return a->output ? -1 : 1;
    if (a->output && a->output->launch->tag != b->output->launch->tag)
        return a->output->launch->tag < b->output->launch->tag ? -1 : 1;
    if (a->output && a->output->block != b->output->block)
        return a->output->block < b->output->block ? -1 : 1;
    if (a->space != b->space)
        return a->space < b->space ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static void compare_memories(struct report *report) {
    for (int space = 0; space < SPACE_COUNT && report->input.played_count > 1 && !report_stopped(report); space++)
        compare_space(report, (enum memory_space)space);
    if (report->mismatch_count > 0)
        qsort(report->mismatches, report->mismatch_count, sizeof *report->mismatches, mismatch_order);
}

/* ---- status and reason ---- */

/* Adds to the reason a text and the launches in it. */
static void add_reason(struct report *report, const char *text, const struct named_launches *named) {
    named_append(&report->named, named, strlen(report->reason));
    report_add(report->reason, sizeof report->reason, "%s", text);
}

/* A finding of a device. */
static void add_finding(struct report *report, const struct device *dev, const struct finding *finding) {
    report_add(report->reason, sizeof report->reason, "%s: %s at cycle %" PRIu64 ": ", dev->name, finding->rule,
               finding->cycle);
    add_reason(report, finding->text, &finding->named);
}

/* A refusal, a hang, or an error of the device. The first line of a hang's message ends with the sentence of its
 * triage. */
static void set_stop_reason(struct report *report, const struct played *stopped) {
    const struct play_result *result = stopped->result;
    const struct hang_triage *triage = result->hang ? result->hang->triage : NULL;
    const char *message = result->message ? result->message : "the device failed";
    struct named_launches named = {.count = 0};
    char text[REPORT_LINE];
    report_add(report->reason, sizeof report->reason, "%s: ", stopped->dev->name);
    if (result->outcome == PLAY_REFUSED) {
        report_warning_named(report, &result->refusal, text, sizeof text, &named);
        message = text;
    } else if (triage && triage->ordinal >= 0 && nvdla_engines[triage->engine].unit < NVDLA_UNIT_COUNT)
        named_add(&named, (int)nvdla_engines[triage->engine].unit, triage->ordinal,
                  strcspn(message, "\n") - strlen(triage->sentence) + triage->ordinal_at);
    add_reason(report, message, &named);
}

static uint64_t total_mismatches(const struct report *report) {
    uint64_t count = 0;
    for (size_t i = 0; i < report->mismatch_count; i++)
        count += report->mismatches[i].count;
    return count;
}

/* The worst outcome without memory to compare: refused, then hung or broken. NULL: all were played. */
static const struct played *not_played(const struct report *report) {
    const struct played *found = NULL;
    for (int i = 0; i < report->input.played_count; i++) {
        const struct played *played = &report->input.played[i];
        if (played->result->outcome == PLAY_REFUSED)
            return played;
        if (!found && (played->result->outcome == PLAY_HUNG || played->result->outcome == PLAY_BROKEN))
            found = played;
    }
    return found;
}

/* Adds ": SDP #0 surface 0, line 0, column 0, channel 0; written by SDP #0 at cycle 135, AXI ID 1". */
static void add_place(struct report *report, int played, enum memory_space space, uint64_t address,
                      const struct launch_output *output) {
    struct named_launches named = {.count = 0};
    char text[1024] = "", element[256], origin[512];
    if (output) {
        report_add(text, sizeof text, ": ");
        report_add_launch(text, sizeof text, output->launch, &named);
        report_add(text, sizeof text, " %s", report_element(output, address, element, sizeof element));
    }
    report_add(text, sizeof text, "; ");
    struct named_launches writers = {.count = 0};
    report_origin_named(report, played, space, address, output, origin, sizeof origin, &writers);
    named_append(&named, &writers, strlen(text));
    report_add(text, sizeof text, "%s", origin);
    add_reason(report, text, &named);
}

/* Bytes that are wrong: the first wrong beat, memory that differs, a check that failed. False: none are. */
static bool find_wrong_data(struct report *report) {
    const struct report_input *in = &report->input;
    const struct play_failure *failure;
    struct named_launches named = {.count = 0};
    char text[REPORT_LINE];
    int played;
    if (in->wrong) {
        report_wrong_named(report, text, sizeof text, &named);
        add_reason(report, text, &named);
        return true;
    }
    if (report->mismatch_count > 0) {
        const struct mismatch *first = &report->mismatches[0];
        report_add(report->reason, sizeof report->reason, "%" PRIu64 " %s between %s and %s, first at %s 0x%" PRIx64,
                   total_mismatches(report), text_plural(total_mismatches(report), "byte differs", "bytes differ"),
                   in->played[0].dev->name, in->played[1].dev->name, memory_space_name(first->space), first->first);
        add_place(report, 0, first->space, first->first, first->output);
        return true;
    }
    failure = report_first_failure(report, &played);
    const struct op *op = failure ? &in->prog->ops[failure->op] : NULL;
    if (!failure || (report->sign == SIGN_CHECK && op->kind == OP_READ_CHECK))
        return false;
    report_failure(report, &in->played[played], failure, text, sizeof text);
    add_reason(report, text, &named);
    if (op->kind == OP_MEM_CHECK)
        add_place(report, played, op->space, failure->first, report_output(report, op->space, failure->first));
    return true;
}

/* The first finding in time of the devices, the RTL's before the model's, which has no clock; NULL: none. A failing
 * check inside the RTL is closest to the fault, so of findings in the same clock it is the first. */
static const struct finding *first_finding(const struct report_input *in, const struct device **of) {
    const struct finding *first = NULL;
    for (int i = 0; i < in->played_count && !first; i++) {
        *of = in->played[i].dev;
        for (size_t n = 0; n < (*of)->finding_count; n++) {
            const struct finding *finding = &(*of)->findings[n];
            if (!first || finding->cycle < first->cycle ||
                (finding->cycle == first->cycle && finding->kind == FINDING_CHECK && first->kind != FINDING_CHECK))
                first = finding;
        }
    }
    return first;
}

/* The first check of a register of the first device that failed; NULL: none. */
static const struct play_failure *first_register(const struct report_input *in) {
    const struct play_result *result = in->played[0].result;
    for (size_t i = 0; i < result->failure_count; i++)
        if (in->prog->ops[result->failures[i].op].kind == OP_READ_CHECK)
            return &result->failures[i];
    return NULL;
}

static uint64_t earliest(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* A read of a register that cannot be right, not after that clock. Of a trace that does not pass only: a device of
 * others may have fields that the specification does not know. */
static bool find_strange_read(struct report *report, uint64_t before) {
    const struct report_input *in = &report->input;
    const struct strange_read *strange = &in->played[0].result->strange;
    int played;
    char text[REPORT_LINE];
    if (!strange->found || strange->cycle > before || (strange->known && strange->cycle == before) ||
        (before == UINT64_MAX && !not_played(report) && report->mismatch_count == 0 &&
         !report_first_failure(report, &played)))
        return false;
    report->sign = SIGN_READ;
    report_add(report->reason, sizeof report->reason, "%s: cycle %" PRIu64 ": %s", in->played[0].dev->name,
               strange->cycle, report_strange_read(report, strange, text, sizeof text));
    return true;
}

/* What went wrong first in time, before bytes and standstill: a finding, or a check of a register. False: nothing. */
static bool find_first_sign(struct report *report) {
    const struct report_input *in = &report->input;
    const struct device *of = NULL;
    const struct finding *finding = first_finding(in, &of);
    const struct play_failure *check = first_register(in);
    const uint64_t beat = in->wrong ? in->wrong->beat.cycle : UINT64_MAX;
    const bool by_check = check && (!finding || of != in->played[0].dev || check->cycle < finding->cycle);
    const uint64_t timed = finding && of == in->played[0].dev ? finding->cycle : UINT64_MAX;
    if (find_strange_read(report, earliest(timed, earliest(check ? check->cycle : UINT64_MAX, beat))))
        return true;
    if ((!finding && !check) || (by_check ? check->cycle : finding->cycle) > beat)
        return false;
    if (by_check) {
        struct named_launches named = {.count = 0};
        char text[REPORT_LINE];
        report->sign = SIGN_CHECK;
        add_reason(report, report_failure(report, &in->played[0], check, text, sizeof text), &named);
    } else {
        report->sign = SIGN_FINDING;
        report->finding = finding;
        add_finding(report, of, finding);
    }
    return true;
}

/* The first sign, then the consequences. */
static void find_reason(struct report *report) {
    const struct report_input *in = &report->input;
    const struct played *stopped = not_played(report);
    if (stopped && stopped->result->outcome == PLAY_REFUSED) {
        set_stop_reason(report, stopped);
        return;
    }
    const bool sign = find_first_sign(report);
    const size_t before = strlen(report->reason);
    if (sign)
        report_add(report->reason, sizeof report->reason, "; then ");
    const size_t after = strlen(report->reason);
    if (stopped)
        set_stop_reason(report, stopped);
    else if (find_wrong_data(report))
        report->wrong_data = true;
    else if (in->objection)
        report_add(report->reason, sizeof report->reason, "%s", in->objection);
    if (strlen(report->reason) == after)
        report->reason[before] = '\0';
}

static enum report_status find_status(const struct report *report) {
    const struct played *stopped = not_played(report);
    if (stopped)
        return stopped->result->outcome == PLAY_REFUSED ? REPORT_REFUSED : REPORT_HUNG;
    return report->reason[0] ? REPORT_FAILED : REPORT_PASSED;
}

struct report *report_new(const struct report_input *input) {
    struct report *report = xcalloc(1, sizeof *report);
    report->input = *input;
    report->writers = writers_new(input->launches);
    if (input->wrong && report_wrong_launch(report))
        report->wrong_output = writers_of_launch(report->writers, report_wrong_launch(report),
                                                 (enum memory_space)input->wrong->beat.port, input->wrong->address);
    compare_memories(report);
    find_reason(report);
    report->reason[strcspn(report->reason, "\n")] = '\0';
    report->status = find_status(report);
    report->dissent = suspect_find(report, report->status != REPORT_PASSED);
    return report;
}

void report_free(struct report *report) {
    if (!report)
        return;
    writers_free(report->writers);
    free(report->mismatches);
    free(report);
}
