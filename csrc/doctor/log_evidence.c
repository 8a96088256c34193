/* What the parts of a diagnosis ask a log, and how they name causes. See log_evidence.h. */
#include "doctor/log_evidence.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

enum { MANY_ROUNDS = 20 }; /* empty ones: without end */

const char *const cause_names[CAUSE_COUNT] = {
    "good",        "data",       "harmless",      "interrupt-never", "interrupt-lost", "interrupt-stuck",
    "arming-lost", "done-lost",  "flush",         "pointer-stuck",   "status-zero",    "status-sticky",
    "reads-ones",  "reads-zero", "configuration", "loadable",        "busy",           "environment",
};

void doctor_blame(const struct doctor *doctor, enum cause cause, enum certainty certainty, const char *format, ...) {
    struct log_diagnosis *diagnosis = doctor->diagnosis;
    size_t i = 0;
    while (i < diagnosis->cause_count && diagnosis->causes[i].cause != cause)
        i++;
    if (i == diagnosis->cause_count)
        diagnosis->causes[diagnosis->cause_count++] = (struct likely_cause){.cause = cause, .certainty = certainty};
    va_list arguments;
    va_start(arguments, format);
    char *text = xvprintf(format, arguments);
    va_end(arguments);
    struct words *evidence = &diagnosis->causes[i].evidence;
    if (!evidence->count || strcmp(evidence->items[evidence->count - 1], text) != 0)
        words_put(evidence, text);
    free(text);
}

void doctor_blame_line(const struct doctor *doctor, enum cause cause, enum certainty certainty,
                       const struct log_line *line) {
    doctor_blame(doctor, cause, certainty, "line %llu: %s", (unsigned long long)line->number, line->text);
}

void doctor_set_layer(const struct doctor *doctor, int layer, const char *engine) {
    doctor->diagnosis->layer = layer;
    doctor->diagnosis->engine = engine;
}

const struct log_operation *doctor_operation(const struct doctor *doctor, int index) {
    return index >= 0 && (size_t)index < doctor->log->count ? &doctor->log->operations[index] : NULL;
}

const char *doctor_unit(const struct doctor *doctor, int index) {
    const struct log_operation *op = doctor_operation(doctor, index);
    return op && op->type != LOG_NONE ? driver_unit_names[op->type] : "operation";
}

bool log_is_armed(const struct log_operation *op) {
    return op->armed && !op->completed;
}

bool doctor_in_flight(const struct doctor *doctor, const struct log_operation *op) {
    const struct log_operation *feeder = doctor_operation(doctor, op->fed_by);
    return log_is_armed(op) && (!feeder || feeder->completed || feeder->armed);
}

int doctor_first_in_flight(const struct doctor *doctor) {
    for (size_t i = 0; i < doctor->log->count; i++)
        if (doctor_in_flight(doctor, &doctor->log->operations[i]))
            return (int)i;
    return LOG_NONE;
}

bool log_is_fresh(const struct driver_log *log) {
    return log->probed && log->begun && log->tasks == 1;
}

bool log_has_too_many_rounds(const struct driver_log *log) {
    return log->earlier_rounds + log->rounds >= log->earlier_events + log->events + MANY_ROUNDS;
}

bool log_is_woken_for_nothing(const struct driver_log *log) {
    return log->empty_at_end >= MANY_ROUNDS && log_has_too_many_rounds(log);
}
