/* Register accesses, interrupts and findings. See events_parts.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/engines.h"
#include "nvdla/text.h"
#include "replay/hang_triage.h"
#include "report/events_parts.h"

enum { TRACK_ACCESSES = 1, TRACK_INTERRUPT, TRACK_MARKS = 1, TRACK_FINDINGS };
enum { BURST_MOST = 128 /* writes */, BURST_GAP = 64 /* clocks */, REGISTER_NAME = 96 };

/* ---- register accesses ---- */

/* "SDP.D_OP_ENABLE" into unit and name. */
static void split_name(const struct events *events, uint32_t address, char unit[REGISTER_NAME],
                       char name[REGISTER_NAME]) {
    char whole[REGISTER_NAME];
    nvdla_register_name(events->report->input.prog->config, address, whole, sizeof whole);
    const char *dot = strchr(whole, '.');
    snprintf(unit, REGISTER_NAME, "%.*s", dot ? (int)(dot - whole) : 0, whole);
    snprintf(name, REGISTER_NAME, "%s", dot ? dot + 1 : whole);
}

/* The end of the writes from `first` on that make one slice: to one unit, without a long pause, without repeating a
 * register unless at once (the contents of a table). */
static size_t burst_end(const struct events *events, size_t first) {
    const struct timeline *timeline = events->timeline;
    const struct timeline_access *accesses = timeline->accesses;
    char unit[REGISTER_NAME], other[REGISTER_NAME], name[REGISTER_NAME];
    split_name(events, accesses[first].address, unit, name);
    size_t end = first + 1;
    for (size_t distinct = 1; end < timeline->access_count && accesses[end].write && distinct < BURST_MOST; end++) {
        if (accesses[end].cycle - accesses[end - 1].cycle > BURST_GAP)
            return end;
        if (accesses[end].address == accesses[end - 1].address)
            continue;
        distinct++;
        split_name(events, accesses[end].address, other, name);
        if (strcmp(unit, other) != 0)
            return end;
        for (size_t i = first; i < end; i++)
            if (accesses[i].address == accesses[end].address)
                return end;
    }
    return end;
}

static size_t write_burst(struct events *events, size_t first) {
    const struct timeline_access *accesses = events->timeline->accesses;
    const size_t end = burst_end(events, first);
    char unit[REGISTER_NAME], name[REGISTER_NAME], title[3 * REGISTER_NAME];
    split_name(events, accesses[first].address, unit, name);
    if (end - first == 1)
        snprintf(title, sizeof title, "%s.%s = 0x%x", unit, name, accesses[first].value);
    else
        snprintf(title, sizeof title, "%s: %zu writes", unit, end - first);
    events_slice(events, EVENTS_HOST, TRACK_ACCESSES, accesses[first].cycle, accesses[end - 1].cycle + 1, "write",
                 title);
    for (size_t i = first, same = 1; i < end; i++, same++) {
        if (i + 1 < end && accesses[i + 1].address == accesses[i].address)
            continue;
        split_name(events, accesses[i].address, unit, name);
        fprintf(events->out, ",\"%s\":\"0x%x", name, accesses[i].value);
        if (same > 1)
            fprintf(events->out, " (the last of %zu)", same);
        fputc('"', events->out);
        same = 0;
    }
    fputs("}}", events->out);
    return end;
}

static void write_read(struct events *events, const struct timeline_access *access) {
    char unit[REGISTER_NAME], name[REGISTER_NAME], title[3 * REGISTER_NAME];
    split_name(events, access->address, unit, name);
    snprintf(title, sizeof title, "read %s.%s: 0x%x", unit, name, access->value);
    events_slice(events, EVENTS_HOST, TRACK_ACCESSES, access->cycle, access->last + 1,
                 access->count > 1 ? "poll" : "read", title);
    fprintf(events->out, ",\"reads\":%u}}", access->count);
}

/* ---- interrupts ---- */

static void write_interrupt(struct events *events, const struct timeline_interrupt *interrupt) {
    struct text name = {0};
    text_put(&name, "dla_intr");
    for (int bit = 0; bit < 32; bit++) {
        const enum nvdla_interrupt which = nvdla_interrupt_at(bit);
        if (interrupt->bits >> bit & 1 && which != INTERRUPT_COUNT)
            text_printf(&name, " %s", nvdla_interrupts[which].names[(unsigned)bit - nvdla_interrupts[which].bit]);
    }
    events_slice(events, EVENTS_HOST, TRACK_INTERRUPT, interrupt->rise,
                 interrupt->fall ? interrupt->fall : events->timeline->cycles, "interrupt", name.text);
    fprintf(events->out, ",\"cleared\":\"0x%08x\"}}", interrupt->bits);
    free(name.text);
}

/* A line on a track for what was too much to be kept. */
static void write_dropped(struct events *events, int track, uint64_t dropped, const char *what) {
    char name[96];
    if (dropped == 0)
        return;
    snprintf(name, sizeof name, "%" PRIu64 " further %s are not shown", dropped, what);
    events_begin(events, 'i', EVENTS_HOST, track, events->timeline->cycles);
    fprintf(events->out, ",\"s\":\"t\",\"cat\":\"note\",\"name\":\"%s\"}", name);
}

void events_host(struct events *events) {
    const struct timeline *timeline = events->timeline;
    events_track(events, EVENTS_HOST, TRACK_ACCESSES, "register bus");
    events_track(events, EVENTS_HOST, TRACK_INTERRUPT, "interrupt");
    for (size_t i = 0; i < timeline->access_count;)
        if (timeline->accesses[i].write)
            i = write_burst(events, i);
        else
            write_read(events, &timeline->accesses[i++]);
    for (size_t i = 0; i < timeline->interrupt_count; i++)
        write_interrupt(events, &timeline->interrupts[i]);
    write_dropped(events, TRACK_ACCESSES, timeline->accesses_dropped, "accesses");
    write_dropped(events, TRACK_INTERRUPT, timeline->interrupts_dropped, "interrupts");
}

/* ---- findings ---- */

static void write_mark(struct events *events, int track, uint64_t clock, const char *category, const char *text) {
    events_begin(events, 'i', EVENTS_FINDINGS, track, clock);
    fprintf(events->out, ",\"s\":\"p\",\"cat\":\"%s\",\"name\":", category);
    events_text(events, text);
    fputs("}", events->out);
}

void events_findings(struct events *events) {
    const struct report *report = events->report;
    const struct report_input *in = &report->input;
    const struct mismatch *first = report->mismatch_count > 0 ? &report->mismatches[0] : NULL;
    const struct hang *hang = in->played[0].result->hang;
    const struct device *dev = in->played[0].dev;
    uint64_t clock = 0;
    const char *what = "first wrong byte";
    events_track(events, EVENTS_FINDINGS, TRACK_MARKS, "where it went wrong");
    events_track(events, EVENTS_FINDINGS, TRACK_FINDINGS, "findings");
    if (in->diagnosis && in->diagnosis->cycle)
        write_mark(events, TRACK_MARKS, in->diagnosis->cycle, "first sign", in->diagnosis->walk.sentence);
    if (in->wrong) {
        clock = in->wrong->beat.cycle;
        what = "first wrong beat";
    } else if (hang && hang->triage) {
        clock = hang->triage->cycle;
        what = "last movement";
    } else if (first) {
        clock = report_cycle(report, 0, first->space, first->first, first->output);
        const struct report_span *span =
            first->output ? report_layer_span(&events->layers, first->output->launch) : NULL;
        if (!clock && span) { /* never written: at the latest, it should have been by then */
            clock = span->end;
            what = "end of the layer with the first wrong byte";
        }
    }
    if (clock)
        write_mark(events, TRACK_MARKS, clock, what, report_reason(report));
    for (size_t i = 0; i < dev->finding_count; i++)
        write_mark(events, TRACK_FINDINGS, dev->findings[i].cycle, dev->findings[i].rule, dev->findings[i].text);
}
