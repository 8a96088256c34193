/* A diagnosis as text and as JSON. See log_diagnosis.h. */
#include <inttypes.h>
#include <jansson.h>

#include "doctor/log_diagnosis.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

static const char *const verdicts[] = {"hang", "data", "good", "error", "unknown"};
static const char *const certainties[] = {"certain", "likely", "possible"};

static void print_list(FILE *out, const char *title, const struct words *words) {
    if (!words->count)
        return;
    fprintf(out, "%s: ", title);
    for (size_t i = 0; i < words->count; i++)
        fprintf(out, "%s%s", i ? ", " : "", words->items[i]);
    putc('\n', out);
}

#define MEGAHERTZ_ASSUMED 100.0

/* Waits below this many times its clocks do not show that a layer hangs: the memory of a board may be slower. */
#define SLOW 20.0

/* Seconds that the log waited after the last arming; 0: it does not show them. */
static double waited_seconds(const struct driver_log *log, const struct log_diagnosis *diagnosis) {
    if (diagnosis->verdict != VERDICT_HANG)
        return 0;
    const double shown = log->time_of_arming >= 0 ? log->last_time - log->time_of_arming : 0;
    return log->blocked && (double)log->blocked_seconds > shown ? (double)log->blocked_seconds : shown;
}

static void print_waited(FILE *out, const struct driver_log *log, const struct log_diagnosis *diagnosis,
                         double megahertz) {
    const double clock = megahertz > 0 ? megahertz : MEGAHERTZ_ASSUMED, waited = waited_seconds(log, diagnosis);
    const uint64_t estimated = diagnosis->estimated_clocks, needed = estimated ? estimated : diagnosis->least_clocks;
    const char *how = estimated ? "takes about" : "needs at least";
    if (needed)
        fprintf(out, "the layer %s %" PRIu64 " clocks: %.3f ms at %g MHz%s\n", how, needed,
                (double)needed / clock / 1e3, clock, megahertz > 0 ? "" : " (assumed; --clock gives it)");
    if (waited > 0 && log->blocked)
        fprintf(out, "a process waits for more than %ld seconds\n", log->blocked_seconds);
    else if (waited > 0)
        fprintf(out, "the log ends %.3f ms after the last arming\n", waited * 1e3);
    if (waited > 0 && needed)
        fprintf(out, "that is %.0f clocks, %.3g times what the layer %s%s\n", waited * clock * 1e6,
                waited * clock * 1e6 / (double)needed, estimated ? "takes" : how,
                waited * clock * 1e6 < SLOW * (double)needed ? "; it may only be slow, or the log was cut: wait longer"
                                                             : "");
}

void log_diagnosis_print(FILE *out, const char *name, const struct driver_log *log,
                         const struct log_diagnosis *diagnosis, double megahertz) {
    fprintf(out, "%s: %s", name, verdicts[diagnosis->verdict]);
    if (diagnosis->layer != LOG_NONE) {
        fprintf(out, " at ");
        if (diagnosis->task != LOG_NONE)
            fprintf(out, "task %d, ", diagnosis->task);
        fprintf(out, "layer %d: %s", diagnosis->layer, diagnosis->name);
    }
    if (diagnosis->mixed_tasks)
        fprintf(out, ": lines of %u tasks are mixed", diagnosis->mixed_tasks);
    putc('\n', out);
    if (log->layers)
        fprintf(out, "%ld of %ld layers done, %" PRIu64 " %s of events, %" PRIu64 " of them empty\n", log->done,
                log->layers, log->rounds, text_plural(log->rounds, "round", "rounds"), log->empty_rounds);
    print_list(out, "armed", &diagnosis->armed);
    print_list(out, "due", &diagnosis->due);
    if (diagnosis->layer != LOG_NONE)
        print_waited(out, log, diagnosis, megahertz);
    for (size_t i = 0; i < diagnosis->notes.count; i++)
        fprintf(out, "note: %s\n", diagnosis->notes.items[i]);
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        const struct likely_cause *cause = &diagnosis->causes[i];
        fprintf(out, "%s: %s\n", certainties[cause->certainty], cause_names[cause->cause]);
        for (size_t k = 0; k < cause->evidence.count; k++)
            fprintf(out, "    %s\n", cause->evidence.items[k]);
    }
    if (diagnosis->verdict == VERDICT_HANG && diagnosis->cause_count > 1)
        fprintf(out, "the log cannot decide between these: send /proc/interrupts before and after, and S_INTR_STATUS, "
                     "S_STATUS and S_POINTER of all units read with devmem\n");
}

static json_t *json_words(const struct words *words) {
    json_t *list = json_array();
    for (size_t i = 0; i < words->count; i++)
        json_array_append_new(list, json_string(words->items[i]));
    return list;
}

void log_diagnosis_print_json(FILE *out, const struct driver_log *log, const struct log_diagnosis *diagnosis,
                              double megahertz) {
    const double waited = waited_seconds(log, diagnosis);
    json_t *causes = json_array();
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        const struct likely_cause *cause = &diagnosis->causes[i];
        json_array_append_new(causes,
                              json_pack("{ss ss so}", "cause", cause_names[cause->cause], "certainty",
                                        certainties[cause->certainty], "evidence", json_words(&cause->evidence)));
    }
    json_t *json =
        json_pack("{ss so so ss? ss? so so so so}", "verdict", verdicts[diagnosis->verdict], "task",
                  diagnosis->task == LOG_NONE ? json_null() : json_integer(diagnosis->task), "layer",
                  diagnosis->layer == LOG_NONE ? json_null() : json_integer(diagnosis->layer), "name", diagnosis->name,
                  "engine", diagnosis->engine, "armed", json_words(&diagnosis->armed), "due",
                  json_words(&diagnosis->due), "notes", json_words(&diagnosis->notes), "causes", causes);
    if (!json)
        xexhausted();
    if (diagnosis->least_clocks)
        json_object_set_new(json, "least_clocks", json_integer((json_int_t)diagnosis->least_clocks));
    if (diagnosis->estimated_clocks)
        json_object_set_new(json, "estimated_clocks", json_integer((json_int_t)diagnosis->estimated_clocks));
    if (waited > 0)
        json_object_set_new(json, "waited_seconds", json_real(waited));
    json_object_set_new(json, "megahertz", json_real(megahertz > 0 ? megahertz : MEGAHERTZ_ASSUMED));
    json_object_set_new(json, "megahertz_given", json_boolean(megahertz > 0));
    json_dumpf(json, out, JSON_INDENT(1));
    putc('\n', out);
    json_decref(json);
}
