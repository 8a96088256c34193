/* Text about a hang; see hang_text.h. */
#include "report/hang_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "nvdla/clients.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "replay/hang_facts.h"
#include "replay/hang_triage.h"

enum {
    MOST_SHOWN = 8, /* maximum number of waiting checks, of findings */
    POSITION = 512, /* bytes of a "FILE:LINE" */
    INTERRUPTS = 32,
    NAME = 256, /* bytes of a name from a trace */
};

/* The name of a stream or an event, escaped by text_shown. */
static const char *shown(const char *name, char text[NAME]) {
    return text_shown_into(name, text, NAME);
}

static void print_reason(const struct hang *hang, FILE *out) {
    char position[POSITION];
    switch (hang->reason) {
    case HANG_STILL:
        fprintf(out, "nothing moved for %" PRIu64 " clocks (limit of --still)", hang->clocks);
        return;
    case HANG_TIMEOUT:
        fprintf(out, "no operation got done for %" PRIu64 " clocks (limit of --timeout)", hang->clocks);
        return;
    case HANG_MAX_CYCLES:
        fprintf(out, "the run was not over after %" PRIu64 " cycles (limit of --max-cycles)", hang->clocks);
        return;
    case HANG_IDLE:
        fputs("the device is idle and nothing that the trace waits for can still happen", out);
        return;
    case HANG_AT_END:
        if (hang->prog->ops[hang->op].kind == OP_INTR_NOTIFY) {
            fprintf(out, "%s: interrupt %s is never raised, its layer does not end",
                    op_position(hang->prog, &hang->prog->ops[hang->op], position, sizeof position),
                    nvdla_interrupt_name(hang->prog->ops[hang->op].bit));
            return;
        }
        fprintf(out, "%s: this operation at the end of the trace waits for something that can no longer happen",
                op_position(hang->prog, &hang->prog->ops[hang->op], position, sizeof position));
        return;
    }
}

static void print_stream(const struct hang *hang, const struct hang_stream *stream, FILE *out) {
    const struct program *prog = hang->prog;
    const struct op *op = &prog->ops[stream->op];
    char position[POSITION], name[NAME];
    fprintf(out, "  stream %s stands at %s: ", shown(prog->streams[stream->stream], name),
            op_position(prog, op, position, sizeof position));
    switch (op->kind) {
    case OP_POLL:
        nvdla_register_name(prog->config, op->address, name, sizeof name);
        fprintf(out, "a poll of %s, (value & 0x%08x) %s 0x%08x%s", name, op->mask, relation_text(op->relation),
                op->value & op->mask, stream->unit_absent ? " (a unit that this device does not implement)" : "");
        break;
    case OP_WAIT:
        fprintf(out, "a wait for dla_intr = %d", op->level);
        break;
    case OP_SYNC_WAIT:
        fprintf(out, "a wait for event %s", shown(prog->events[op->event], name));
        break;
    default:
        fputs("its next operation", out);
        break;
    }
    fprintf(out, " (operation %zu of %zu)\n", stream->index + 1, stream->count);
}

static void print_event(const struct program *prog, int event, FILE *out) {
    char text[NAME];
    fprintf(out, "  event %s is outstanding: ", shown(prog->events[event], text));
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        char position[POSITION];
        if (op->event != event || (op->kind != OP_INTR_NOTIFY && op->kind != OP_SYNC_NOTIFY))
            continue;
        op_position(prog, op, position, sizeof position);
        if (op->kind == OP_SYNC_NOTIFY) {
            fprintf(out, "raised by stream %s, %s\n", shown(prog->streams[op->stream], text), position);
            return;
        }
        const char *name = op->bit < 0 ? "any" : nvdla_interrupt_name(op->bit);
        fprintf(out, "raised by interrupt %s, %s\n", name ? name : "?", position);
        return;
    }
    fputs("nothing in the trace raises it\n", out);
}

static void print_interrupts(FILE *out, uint32_t bits) {
    bool any = false;
    for (int bit = 0; bit < INTERRUPTS; bit++) {
        const char *name = bits >> bit & 1u ? nvdla_interrupt_name(bit) : NULL;
        if (!name)
            continue;
        fprintf(out, "%s%s", any ? " " : " (", name);
        any = true;
    }
    fputs(any ? ")" : "", out);
}

static void print_armed(const struct hang *hang, FILE *out) {
    if (hang->armed_count == 0) {
        fputs("  no unit is armed: the trace waits for a layer that it never started, or that is done\n", out);
        return;
    }
    fputs("  armed and not finished: ", out);
    for (size_t i = 0; i < hang->armed_count; i++) {
        const struct hang_armed *armed = &hang->armed[i];
        fprintf(out, "%s%s group %d%s", i ? ", " : "", nvdla_unit_names[armed->unit], armed->group,
                armed->behind ? " (after the other group)" : "");
    }
    fputc('\n', out);
}

/* The first link that stopped is the best hint: all armed units wait for the one that failed. */
static void print_links(const struct device *dev, FILE *out) {
    size_t count = 0, moved = 0;
    const struct device_link *links = dev->ops->links ? dev->ops->links((struct device *)dev, &count) : NULL;
    for (size_t i = 0; links && i < count; i++)
        if (links[i].moved)
            fprintf(out, "%s %s at cycle %" PRIu64,
                    moved++ ? "," : "  last moved between engines (about):", links[i].link.name, links[i].last);
    if (!moved)
        return;
    for (size_t i = 0, still = 0; i < count; i++)
        if (!links[i].moved)
            fprintf(out, "%s %s", still++ ? "," : "; never:", links[i].link.name);
    fputc('\n', out);
}

/* Findings of the device may be the cause of the hang. */
static void print_findings(const struct device *dev, FILE *out) {
    size_t count = dev->finding_count < MOST_SHOWN ? dev->finding_count : MOST_SHOWN;
    for (size_t i = 0; i < count; i++)
        fprintf(out, "  %s: %s\n", dev->findings[i].rule, dev->findings[i].text);
    if (dev->finding_count > count)
        fprintf(out, "  and %zu more findings\n", dev->finding_count - count);
}

/* The chain of waits, from the engine that does not end. */
static void print_chain(const struct hang_triage *triage, FILE *out) {
    for (size_t i = 0; i < triage->chain_count; i++) {
        const struct hang_step *step = &triage->chain[i];
        if (!step->text[0])
            continue;
        fprintf(out, "  %*s%s %s", 2 * (int)i, "", step->engine->name, step->text);
        if (step->since)
            fprintf(out, ", since cycle %" PRIu64, step->since);
        fputc('\n', out);
    }
}

static void print_engines(const struct hang_triage *triage, FILE *out) {
    fputs("  engine        armed  waits for     state\n", out);
    for (size_t i = 0; i < triage->engine_count; i++) {
        const struct hang_engine *engine = &triage->engines[i];
        if (!engine->seen)
            continue;
        fprintf(out, "  %-13s %5d  %-13s", engine->name, engine->armed, engine->waits_for ? engine->waits_for : "-");
        for (int s = 0; triage->inside && s < WAIT_STATE_COUNT; s++) {
            const struct wait_state *state = &triage->waits->states[s];
            if (strcmp(state->engine, engine->name) == 0)
                fprintf(out, " %s: %s;", state->name, state->value[0] ? state->value : "no legal state");
        }
        fprintf(out, " %s\n", engine->text);
    }
}

/* Links with an element offered and not accepted, or still missing. */
static void print_stuck(const struct hang_triage *triage, FILE *out) {
    bool any = false;
    for (size_t i = 0; i < triage->link_count; i++) {
        const struct hang_link *link = &triage->links[i];
        const struct wait_pair *pair = link->pair;
        if (!link->stuck)
            continue;
        if (!any)
            fputs("  stalled links:\n", out);
        any = true;
        fprintf(out, "    %s to %s, %s:", pair->from, pair->to, pair->name);
        if (link->counted)
            fprintf(out, " %" PRIu64 " of %" PRIu64 " (launch %d)", link->moved, link->required, link->ordinal);
        if (pair->seen)
            fprintf(out, ", valid %d ready %d since cycle %" PRIu64, pair->valid, pair->ready, pair->since);
        fprintf(out, pair->last ? ", last moved at cycle %" PRIu64 "\n" : ", never moved\n", pair->last);
    }
}

static void print_counters(const struct hang_triage *triage, FILE *out) {
    for (size_t e = 0; triage->inside && e < triage->engine_count; e++) {
        const struct hang_engine *engine = &triage->engines[e];
        bool any = false;
        for (int i = 0; engine->seen && i < WAIT_COUNTER_COUNT; i++) {
            const struct wait_counter *counter = &triage->waits->counters[i];
            if (!counter->value || strcmp(counter->engine, engine->name) != 0)
                continue;
            if (any)
                fputc(',', out);
            else
                fprintf(out, "  counters of %s:", engine->name);
            fprintf(out, " %s %u", counter->name, counter->value);
            any = true;
        }
        fputs(any ? "\n" : "", out);
    }
}

static void print_bursts(const struct device_waits *waits, FILE *out) {
    for (size_t i = 0; i < waits->burst_count && i < MOST_SHOWN; i++) {
        const struct wait_burst *burst = &waits->bursts[i];
        fprintf(out,
                "  outstanding on the %s port: %s of %s (AXI ID %d) at 0x%" PRIx64 ", %d beats left, %" PRIu64
                " clocks old\n",
                memory_space_name(burst->port), burst->write ? "write" : "read",
                nvdla_client_name(burst->id % AXI_IDS, burst->write), burst->id, burst->address, burst->beats,
                waits->cycle - burst->since);
    }
    if (waits->burst_count > MOST_SHOWN)
        fprintf(out, "  and %zu more bursts outstanding\n", waits->burst_count - MOST_SHOWN);
}

char *hang_text(const struct hang *hang) {
    const struct program *prog = hang->prog;
    char *text = NULL;
    size_t size;
    FILE *out = xmemstream(&text, &size);
    print_reason(hang, out);
    if (hang->triage)
        fprintf(out, ": %s", hang->triage->sentence);
    fputc('\n', out);
    if (hang->triage)
        print_chain(hang->triage, out);
    fprintf(out,
            "  device %s at cycle %" PRIu64 ", last operation done at cycle %" PRIu64 ", %zu of %zu operations done\n",
            hang->dev->name, hang->now, hang->last_done, hang->done, hang->total);
    for (size_t i = 0; i < hang->stream_count; i++)
        print_stream(hang, &hang->streams[i], out);
    for (size_t i = 0; i < hang->check_count && i < MOST_SHOWN; i++) {
        const struct op *op = &prog->ops[hang->checks[i]];
        char position[POSITION], name[NAME];
        fprintf(out, "  %s waits for event %s\n", op_position(prog, op, position, sizeof position),
                shown(prog->events[op->after], name));
    }
    if (hang->check_count > MOST_SHOWN)
        fprintf(out, "  and %zu more checks wait for events\n", hang->check_count - MOST_SHOWN);
    for (size_t i = 0; i < hang->event_count; i++)
        print_event(prog, hang->events[i], out);
    if (hang->answers) {
        fprintf(out, "  GLB.S_INTR_STATUS 0x%08x", hang->intr_status);
        print_interrupts(out, hang->intr_status);
        fprintf(out, ", GLB.S_INTR_MASK 0x%08x, dla_intr %d\n", hang->intr_mask, hang->intr_line);
    }
    if (hang->kept) {
        fprintf(out, "  interrupts cleared and not asked for yet: 0x%08x", hang->kept);
        print_interrupts(out, hang->kept);
        fputs("\n", out);
    }
    if (hang->answers)
        print_armed(hang, out);
    print_links(hang->dev, out);
    for (size_t i = 0; i < hang->blocked_count; i++)
        fprintf(out, "  blocked: %s.%s has %s 0, so these requests are never answered\n",
                nvdla_unit_names[hang->blocked[i].reg->unit], hang->blocked[i].reg->name, hang->blocked[i].field->name);
    if (hang->triage) {
        print_engines(hang->triage, out);
        print_stuck(hang->triage, out);
        print_counters(hang->triage, out);
        print_bursts(hang->waits, out);
    }
    print_findings(hang->dev, out);
    xmemstream_close(out);
    return text;
}

void hang_explain(struct play_result *result) {
    if (result->hang && !result->message)
        result->message = hang_text(result->hang);
}
