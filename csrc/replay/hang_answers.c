/* Answers of engines: what stops them. See hang_reasoning.h. */
#include "replay/hang_reasoning.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct hang_answer hang_answer(struct hang_answer f, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(f.text, sizeof f.text, format, args);
    va_end(args);
    return f;
}

uint64_t hang_waited(const struct reasoning *r, enum wait_index index) {
    const struct wait_pair *p = pair(r, index);
    return p->seen && p->since > p->last ? p->since : p->last;
}

struct hang_answer hang_waits_for_input(const struct reasoning *r, enum nvdla_engine from, enum wait_index index) {
    const struct link_flow *f = flow(r, index);
    return hang_waits_for(from, hang_waited(r, index), "waits for %s: received %" PRIu64 " of %" PRIu64,
                          pair(r, index)->name, f->moved_of, f->required_of);
}

struct hang_answer hang_waits_for_output(const struct reasoning *r, enum nvdla_engine to, enum wait_index index) {
    return hang_waits_for(to, pair(r, index)->since, "offers %s that %s does not take", pair(r, index)->name,
                          nvdla_engines[to].name);
}

struct hang_answer hang_owes(const struct reasoning *r, enum wait_index index) {
    const struct link_flow *f = flow(r, index);
    return hang_guilty(COMPLETE, f->ordinal, "has all its input but sent %" PRIu64 " of %" PRIu64 " %s", f->moved_of,
                       f->required_of, pair(r, index)->name);
}

struct hang_answer hang_ended_early(const struct reasoning *r, enum wait_index index) {
    const struct link_flow *f = flow(r, index);
    return hang_guilty(COMPLETE, f->ordinal, "ended its layer after %" PRIu64 " of %" PRIu64 " %s", f->moved_of,
                       f->required_of, pair(r, index)->name);
}

struct hang_answer hang_too_many(const struct reasoning *r, enum wait_index index) {
    return hang_guilty(EXCESS, flow(r, index)->ordinal, "sent %" PRIu64 " %s more than its registers say",
                       flow(r, index)->beyond, pair(r, index)->name);
}

struct hang_answer hang_does_not_end(const struct reasoning *r, enum nvdla_unit unit) {
    return hang_guilty(COMPLETE, hang_current(r, unit), "received and sent everything, but does not end its layer");
}
