/* The chain of waits; see hang_triage.h. Each engine is judged from its own links; then the chain is followed from the
 * engine that does not end. */
#include "replay/hang_triage.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "layers/cubes.h"
#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"
#include "replay/hang_reasoning.h"

#define LAUNCH " (launch "

enum { STILL_CLOCKS = 1000 }; /* clocks without movement after which nothing is in transit */

/* The state of the memory interface for the engine that waits for it. */
static struct hang_answer judge_for(const struct reasoning *r, enum nvdla_engine engine, enum nvdla_engine asker) {
    const struct hang_answer best = hang_judge(r, engine);
    if (engine != ENGINE_MCIF || (!r->waits->inside && !r->waits->borders))
        return best;
    const struct hang_answer own =
        hang_of_clients(r, asker, hang_nothing("answered every request of %s", nvdla_engines[asker].name));
    return own.kind == NOTHING ? best : own;
}

/* The start of the chain: of the unfinished engines that write memory, the one armed first; else the first other one on
 * the data path. ENGINE_COUNT: all have ended. */
static enum nvdla_engine find_start(const struct reasoning *r) {
    enum nvdla_engine start = ENGINE_COUNT;
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < HANG_CLIENTS; i++) {
        const struct client_links *writer = &hang_client_links[i];
        if (writer->interrupt == WAIT_COUNT)
            continue;
        const enum nvdla_unit unit = nvdla_engines[writer->engine].unit;
        int ordinal = hang_current(r, unit);
        if (ordinal < 0 && hang_owed(r, writer->interrupt))
            ordinal = hang_launch_count(r, unit) - 1;
        const struct launch *launch = ordinal < 0 ? NULL : hang_launch(r, unit, ordinal);
        if (launch && launch->tag < first) {
            start = writer->engine;
            first = launch->tag;
        }
    }
    for (enum nvdla_engine engine = 0; start == ENGINE_COUNT && engine < ENGINE_COUNT; engine++) {
        const bool works =
            hang_jobs(r, nvdla_engines[engine].unit) > 0 || (engine == ENGINE_CMAC && hang_jobs(r, NVDLA_CMAC_B) > 0);
        if (works && hang_judge(r, engine).kind != NOTHING)
            start = engine;
    }
    return start;
}

/* Two engines wait for each other's counts of CBUF: finds the one that withholds. */
static enum nvdla_engine break_tie(const struct reasoning *r, enum nvdla_engine cdma) {
    if (cdma == ENGINE_CDMA_DAT) {
        const uint64_t held = pair(r, WAIT_SLICES)->moved - pair(r, WAIT_FREE_SLICES)->moved;
        return held > counter(r, WAIT_COUNTER_SLICES) ? ENGINE_CSC : ENGINE_CDMA_DAT;
    }
    const struct launch *launch = hang_launch(r, NVDLA_CDMA, hang_current(r, NVDLA_CDMA));
    if (!launch)
        return ENGINE_CDMA_WT;
    const struct registers_view view = launch_view(r->config, launch);
    const uint64_t held = pair(r, WAIT_WT_ENTRIES)->moved - pair(r, WAIT_FREE_WEIGHTS)->moved;
    const uint64_t need = ceil_div(counter(r, WAIT_COUNTER_KERNELS) * (size_t)cdma_cubes(&view).kernel_bytes,
                                   (size_t)r->config->cbuf_bank_bytes * (nvdla_has_16_bits(r->config) ? 2 : 1));
    return held > need + 1 ? ENGINE_CSC : ENGINE_CDMA_WT;
}

static void add_step(struct hang_triage *t, enum nvdla_engine engine, const struct hang_answer *f) {
    struct hang_step *step = &t->chain[t->chain_count++];
    *step = (struct hang_step){.engine = &t->engines[engine], .since = f->since};
    snprintf(step->text, sizeof step->text, "%s", f->text);
}

/* Ends the sentence with the last movement, if there was one. */
static void add_stillness(struct hang_triage *t) {
    const size_t n = strlen(t->sentence);
    if (t->cycle)
        snprintf(t->sentence + n, sizeof t->sentence - n, "; nothing has moved since cycle %" PRIu64, t->cycle);
}

static void blame(struct hang_triage *t, enum nvdla_engine engine, const struct hang_answer *f, const char *text) {
    /* Adds a note if the inside is not visible. */
    const char *how = t->inside || engine == ENGINE_TRACE ? "" : " (as far as links and ports show)";
    char launch[32] = "";
    t->engine = engine;
    t->ordinal = f ? f->ordinal : -1;
    if (t->ordinal >= 0)
        snprintf(launch, sizeof launch, LAUNCH "%d)", t->ordinal);
    t->ordinal_at = strlen(nvdla_engines[engine].name) + strlen(LAUNCH);
    snprintf(t->sentence, sizeof t->sentence, "%s%s %s%s", nvdla_engines[engine].name, launch, text, how);
    add_stillness(t);
}

static const enum wait_index interrupt_links[INTERRUPT_COUNT] = {
#define LINK(i, u) [INTERRUPT_##i] = WAIT_INTR_##i,
    FOR_INTERRUPTS(LINK)};

/* An interrupt that was raised more often than layers were armed, or for a group that was not. ENGINE_COUNT: none. */
static enum nvdla_engine find_false_interrupt(const struct reasoning *r, struct hang_answer *f) {
    for (enum nvdla_engine engine = 0; engine < ENGINE_COUNT; engine++) {
        const enum nvdla_interrupt interrupt = nvdla_engines[engine].interrupt;
        if (interrupt == INTERRUPT_COUNT)
            continue;
        const enum nvdla_unit unit = nvdla_engines[engine].unit;
        const enum wait_index link = interrupt_links[interrupt];
        bool armed[2] = {false, false};
        const struct launch *launch;
        for (int ordinal = 0; (launch = hang_launch(r, unit, ordinal)); ordinal++)
            armed[launch->group & 1] = true;
        if (flow(r, link)->beyond) {
            *f = hang_guilty(EXCESS, hang_launch_count(r, unit) - 1,
                             "raised its interrupt %" PRIu64 " times for %d layers", pair(r, link)->moved,
                             hang_launch_count(r, unit));
            return engine;
        }
        for (unsigned group = 0; group < 2; group++) {
            if (!(r->hang->intr_status >> nvdla_interrupts[interrupt].bit >> group & 1) || armed[group] ||
                (pair(r, link)->counted && !pair(r, link)->moved))
                continue; /* counted but never raised: GLB invented it */
            *f = hang_guilty(LOST, hang_launch_count(r, unit) - 1, "raised interrupt %s of a group that is not armed",
                             nvdla_interrupts[interrupt].names[group]);
            return engine;
        }
    }
    return ENGINE_COUNT;
}

/* An engine without a clock, or one that produced too much, or less than it took, is guilty wherever the chain leads:
 * others only show its effect. ENGINE_COUNT: none. */
static enum nvdla_engine find_lost(const struct reasoning *r, struct hang_answer *f) {
    for (enum strength strength = STOPPED; strength >= LOST; strength--)
        for (enum nvdla_engine engine = ENGINE_MCIF; engine < ENGINE_GLB; engine++) {
            *f = hang_judge(r, engine);
            if (f->kind == GUILTY && f->strength == strength)
                return engine;
        }
    return find_false_interrupt(r, f);
}

/* A stream polls a register of an idle engine, which does not show the expected value. */
static bool blame_polled(const struct reasoning *r, struct hang_triage *t) {
    for (size_t i = 0; i < r->hang->stream_count; i++) {
        const struct op *op = &r->hang->prog->ops[r->hang->streams[i].op];
        const struct nvdla_register *reg =
            op->kind == OP_POLL && !r->hang->streams[i].unit_absent ? nvdla_register_at(r->config, op->address) : NULL;
        for (enum nvdla_engine engine = 0; reg && engine < ENGINE_COUNT; engine++) {
            if (!nvdla_engines[engine].waits || nvdla_engines[engine].unit != reg->unit || hang_jobs(r, reg->unit) > 0)
                continue;
            const struct hang_answer f =
                hang_guilty(COMPLETE, -1, "is polled for %s.%s, has no layer, and does not show what is expected",
                            nvdla_unit_names[reg->unit], reg->name);
            add_step(t, engine, &f);
            blame(t, engine, &f, f.text);
            return true;
        }
    }
    return false;
}

/* Number of interrupts of that bit taken by the trace, and whether it waits for one more. */
static int interrupts_taken(const struct hang *hang, int bit, bool *waits) {
    int taken = 0;
    for (size_t i = 0; i < hang->prog->count; i++) {
        const struct op *op = &hang->prog->ops[i];
        if (op->kind != OP_INTR_NOTIFY || op->bit != bit)
            continue;
        bool outstanding = false;
        for (size_t k = 0; k < hang->event_count; k++)
            outstanding = outstanding || hang->events[k] == op->event;
        *waits = *waits || outstanding;
        taken += !outstanding;
    }
    return taken;
}

/* The trace waits for the interrupt of a layer that ended without one. */
static bool blame_silent(const struct reasoning *r, struct hang_triage *t) {
    for (int bit = 0; bit < 32; bit++) {
        const enum nvdla_interrupt interrupt = nvdla_interrupt_at(bit);
        const enum nvdla_unit unit = nvdla_interrupt_unit(bit);
        if (interrupt == INTERRUPT_COUNT || hang_jobs(r, unit) > 0 || (r->hang->intr_status >> bit & 1))
            continue;
        const enum nvdla_engine engine = nvdla_interrupts[interrupt].engine;
        const int group = bit - (int)nvdla_interrupts[interrupt].bit;
        int armed = 0, last = -1;
        const struct launch *launch;
        for (int ordinal = 0; (launch = hang_launch(r, unit, ordinal)); ordinal++)
            if (launch->group == group) {
                armed++;
                last = ordinal;
            }
        bool waits = false;
        if (armed <= interrupts_taken(r->hang, bit, &waits) || !waits)
            continue;
        /* The interrupt follows the last write. */
        struct hang_answer f = hang_none();
        for (size_t k = 0; k < HANG_CLIENTS && f.kind == NOTHING; k++)
            if (hang_client_links[k].engine == engine && hang_client_links[k].interrupt != WAIT_COUNT)
                f = hang_judge_silenced(r, &hang_client_links[k]);
        if (f.kind == WAITS) {
            add_step(t, engine, &f);
            char text[280];
            snprintf(text, sizeof text, "does not continue: %s %s", nvdla_engines[engine].name, f.text);
            blame(t, ENGINE_TRACE, NULL, text);
            return true;
        }
        f = hang_guilty(COMPLETE, last, "ended its layer, but raised no interrupt %s", nvdla_interrupt_name(bit));
        add_step(t, engine, &f);
        blame(t, engine, &f, f.text);
        return true;
    }
    return false;
}

static bool has_layers(enum nvdla_engine engine) {
    return engine < ENGINE_COUNT && nvdla_engines[engine].unit != NVDLA_UNIT_COUNT;
}

/* All units are idle: an engine lost something, the program waits in vain, or GLB is wrong. */
static void blame_without_start(const struct reasoning *r, struct hang_triage *t) {
    struct hang_answer f = {0};
    const enum nvdla_engine culprit = find_lost(r, &f);
    if (culprit != ENGINE_COUNT) {
        add_step(t, culprit, &f);
        blame(t, culprit, &f, f.text);
        return;
    }
    if (blame_polled(r, t) || blame_silent(r, t))
        return;
    f = hang_judge_glb(r);
    add_step(t, ENGINE_GLB, &f);
    if (f.kind == GUILTY)
        blame(t, ENGINE_GLB, &f, f.text);
    else
        blame(t, ENGINE_TRACE, NULL,
              "the trace waits for work that it never started, or that is done: every unit is idle");
}

static void follow(const struct reasoning *r, struct hang_triage *t) {
    bool seen[ENGINE_COUNT] = {false};
    enum nvdla_engine at = find_start(r), asker = ENGINE_COUNT, last = ENGINE_COUNT;
    struct hang_answer f = {0}, lost;
    t->chain = xcalloc(ENGINE_COUNT + 1, sizeof *t->chain);
    if (at == ENGINE_COUNT) {
        blame_without_start(r, t);
        return;
    }
    for (; at != ENGINE_COUNT && !seen[at]; asker = at, at = f.on) {
        f = judge_for(r, at, asker);
        last = at;
        seen[at] = true;
        add_step(t, at, &f);
        if (f.kind != WAITS)
            break;
    }
    const bool circle = f.kind == WAITS;
    const enum nvdla_engine culprit = find_lost(r, &lost);
    if (culprit != ENGINE_COUNT) {
        if (culprit != last || circle) {
            lost.since = 0;
            add_step(t, culprit, &lost);
        }
        blame(t, culprit, &lost, lost.text);
    } else if (f.kind == GUILTY) {
        blame(t, last, &f, f.text);
    } else if (circle && (seen[ENGINE_CDMA_DAT] || seen[ENGINE_CDMA_WT]) && seen[ENGINE_CSC]) {
        const enum nvdla_engine held = break_tie(r, seen[ENGINE_CDMA_WT] ? ENGINE_CDMA_WT : ENGINE_CDMA_DAT);
        blame(t, held, &f,
              held == ENGINE_CSC ? "does not release what it used in CBUF" : "has room in CBUF and does not use it");
    } else if (last == ENGINE_TRACE && blame_polled(r, t)) {
        return;
    } else if (last == ENGINE_TRACE && t->chain_count > 1) {
        const struct hang_step *step = &t->chain[t->chain_count - 2];
        char text[280];
        snprintf(text, sizeof text, "does not continue: %s %s", step->engine->name, step->text);
        blame(t, ENGINE_TRACE, NULL, text);
    } else if (last == ENGINE_MEMORY) {
        blame(t, ENGINE_MEMORY, NULL, "owes answers");
    } else if (asker != ENGINE_COUNT && f.kind == NOTHING) {
        /* The last one has given everything, so the one before it wants too much. */
        const struct hang_step *step = &t->chain[t->chain_count - 2];
        const struct hang_answer wants = {.kind = GUILTY, .ordinal = hang_current(r, nvdla_engines[asker].unit)};
        blame(t, asker, &wants, step->text);
    } else if (circle && has_layers(at == ENGINE_MCIF ? asker : at)) {
        char text[280];
        snprintf(text, sizeof text, "waits in a circle: %s", f.text);
        blame(t, at == ENGINE_MCIF ? asker : at, &f, text);
    } else {
        snprintf(t->sentence, sizeof t->sentence, "the engines wait for each other in a circle");
        add_stillness(t);
    }
}

/* ---- the verdict ---- */

static void describe_engines(const struct reasoning *r, struct hang_triage *t) {
    t->engines = xcalloc(ENGINE_COUNT, sizeof *t->engines);
    t->engine_count = ENGINE_COUNT;
    for (enum nvdla_engine engine = 0; engine < ENGINE_COUNT; engine++) {
        const struct hang_answer f = hang_judge(r, engine);
        struct hang_engine *e = &t->engines[engine];
        *e = (struct hang_engine){
            .name = nvdla_engines[engine].name,
            .folder = nvdla_engines[engine].folder,
            .armed = hang_jobs(r, nvdla_engines[engine].unit),
            .waits_for = f.kind == WAITS ? nvdla_engines[f.on].name : NULL,
        };
        e->seen = has_layers(engine) ? hang_launch_count(r, nvdla_engines[engine].unit) > 0 : engine != ENGINE_TRACE;
        e->seen = e->seen && nvdla_engines[engine].waits;
        e->running = e->armed > 0;
        snprintf(e->text, sizeof e->text, "%s", f.text);
    }
}

static void describe_links(const struct reasoning *r, struct hang_triage *t) {
    t->links = xcalloc(WAIT_COUNT, sizeof *t->links);
    for (int i = 0; i < WAIT_COUNT; i++) {
        const struct wait_pair *p = &r->waits->pairs[i];
        const struct link_flow *f = &r->flows[i];
        if (!p->counted || (!p->moved && !p->valid && !f->owed))
            continue;
        t->links[t->link_count++] = (struct hang_link){
            .pair = p,
            .ordinal = f->ordinal,
            .counted = f->known,
            .moved = f->moved_of,
            .required = f->required_of,
            .owed = f->owed,
            .beyond = (int64_t)f->beyond,
            .stuck = (p->seen && p->valid && !p->ready) || (f->known && f->owed),
        };
    }
}

struct hang_triage *hang_triage_new(const struct hang *hang) {
    if (!hang->waits || !hang->waits->launches)
        return NULL;
    struct reasoning r = {.hang = hang, .waits = hang->waits, .config = hang->prog->config};
    r.moving = r.waits->cycle - r.waits->moved < STILL_CLOCKS;
    struct hang_triage *t = xcalloc(1, sizeof *t);
    *t = (struct hang_triage){.waits = hang->waits,
                              .inside = hang->waits->inside,
                              .engine = ENGINE_COUNT,
                              .ordinal = -1,
                              .cycle = hang->waits->moved};
    for (int i = 0; i < WAIT_COUNT; i++)
        r.flows[i] = hang_flow_find(&r, (enum wait_index)i);
    describe_engines(&r, t);
    describe_links(&r, t);
    follow(&r, t);
    return t;
}

void hang_triage_free(struct hang_triage *triage) {
    if (!triage)
        return;
    free(triage->chain);
    free(triage->engines);
    free(triage->links);
    free(triage);
}
