/* What a log of several tasks allows to say. See device_logs.h. */
#include "doctor/device_logs.h"

#include <stdarg.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"

enum { STRAYS_LEAST = 4 }; /* so many lines out of order are another task; fewer may be lines that were lost */

static bool is_unfinished(const struct driver_log *log) {
    return driver_log_has_task(log) && !log->ended && (!log->layers || log->done < log->layers);
}

/* Whether the log of a task stops where registers are read or written, and nothing says that this does not return. */
static bool stops_at_access(const struct driver_log *log) {
    const bool polls = log->current != LOG_NONE && log->operations[log->current].type == TYPE_CONV;
    return !log->stall.number && !log->environment.number &&
           (log->last == LAST_PREPARING || log->last == LAST_PROGRAM || (log->last == LAST_ENABLE && !polls));
}

/* How surely a task is one that did not end well. */
enum rank {
    RANK_ENDED,
    RANK_REFUSED, /* by what came before it */
    RANK_CUT,     /* the driver works: the log may just have been cut there */
    RANK_ACCESS,  /* the same, or an access to a register does not return */
    RANK_WAITS,
    RANK_FAILED /* as the driver or the kernel says */
};

static enum rank rank_of(const struct driver_log *log) {
    if (driver_log_failed(log))
        return RANK_FAILED;
    if (!is_unfinished(log))
        return log->busy.number || log->environment.number ? RANK_REFUSED : RANK_ENDED;
    if (log->null_pointer.number || log->stall.number || log->unclaimed.number || log->environment.number)
        return RANK_FAILED;
    return log->last == LAST_BUSY ? RANK_CUT : stops_at_access(log) ? RANK_ACCESS : RANK_WAITS;
}

/* The last one of the tasks that failed most surely; else the last one. */
static struct driver_log *decisive(struct way *way) {
    size_t chosen = way->count - 1;
    enum rank most = RANK_ENDED;
    for (size_t i = 0; i < way->count; i++) {
        const enum rank rank = rank_of(&way->logs[i]);
        if (rank >= most) {
            most = rank;
            chosen = i;
        }
    }
    return &way->logs[chosen];
}

/* Whether both have the same cause first. */
static bool first_alike(const struct log_diagnosis *a, const struct log_diagnosis *b) {
    return a->verdict == b->verdict && !a->cause_count == !b->cause_count &&
           (!a->cause_count || a->causes[0].cause == b->causes[0].cause);
}

static bool alike(const struct log_diagnosis *a, const struct log_diagnosis *b) {
    return a->layer == b->layer && first_alike(a, b);
}

__attribute__((format(printf, 2, 3))) static void unknown(struct log_diagnosis *diagnosis, const char *format, ...) {
    va_list arguments;
    log_diagnosis_free(diagnosis);
    *diagnosis = (struct log_diagnosis){.verdict = VERDICT_UNKNOWN, .task = LOG_NONE, .layer = LOG_NONE};
    va_start(arguments, format);
    char *note = xvprintf(format, arguments);
    va_end(arguments);
    words_put(&diagnosis->notes, note);
    free(note);
}

/* The same log as that of a device whose first task this is. */
static struct driver_log without_earlier(const struct driver_log *log) {
    struct driver_log first = *log;
    first.tasks = 1;
    first.worked = first.flushed = false;
    first.units_worked = 0;
    first.earlier_rounds = first.earlier_events = 0;
    for (size_t i = 0; i < log->count; i++) {
        const struct log_operation *op = &log->operations[i];
        first.flushed = first.flushed || (op->type == TYPE_CONV && op->armed);
        if (op->type != LOG_NONE && op->completed)
            first.units_worked |= 1u << op->type;
    }
    return first;
}

/* Of several devices the tasks before may be those of another one: what they show must not matter. */
static bool depends_on_earlier(const struct device_logs *devices, struct driver_log *log, struct loadable *loadable,
                               const struct nvdla_config *config, const struct log_diagnosis *diagnosis) {
    struct log_diagnosis other;
    struct error err;
    if (devices->probes < 2 || log->tasks < 2 || diagnosis->verdict != VERDICT_HANG)
        return false;
    struct driver_log first = without_earlier(log);
    const bool same = log_diagnose(&first, loadable, config, &other, &err) && alike(diagnosis, &other);
    log->operations = first.operations;
    log->count = first.count;
    log_diagnosis_free(&other);
    return !same;
}

/* Whether another task of the same boot stands as surely, and for another cause: one of them may only be cut. */
static bool is_undecided(struct way *way, struct driver_log *log, struct loadable *loadable,
                         const struct nvdla_config *config, const struct log_diagnosis *diagnosis) {
    bool undecided = false;
    for (size_t i = 0; i < way->count && rank_of(log) > RANK_CUT && !undecided; i++) {
        struct log_diagnosis other;
        struct error err;
        if (&way->logs[i] == log || rank_of(&way->logs[i]) != rank_of(log) ||
            way->closed[i] != way->closed[log - way->logs])
            continue;
        undecided = !log_diagnose(&way->logs[i], loadable, config, &other, &err) || !first_alike(diagnosis, &other);
        log_diagnosis_free(&other);
    }
    return undecided;
}

/* Where lines of one task may be missing, or between those of another one. */
static void doubt(const struct device_logs *devices, const struct way *way, const struct driver_log *log,
                  struct log_diagnosis *diagnosis) {
    const unsigned long open = task_books_open(&devices->books), tasks = task_books_tasks(&devices->books);
    const unsigned strays = task_books_show_order(&devices->books) ? way->strays : 0;
    /* of a task whose beginning is missing; a counter that wrapped below 0 prepares operations again */
    const bool between = tasks > 1 && tasks > devices->books.begun && log->wrapped == LOG_NONE;
    const unsigned sticky = tasks > 1 ? 0 : 1; /* a bit that sticks completes one operation */
    const enum verdict verdict = diagnosis->verdict;
    if (verdict == VERDICT_GOOD && devices->runs_open)
        unknown(diagnosis, "the run that begins in line %llu has no end in the log: it hangs, or the log is cut",
                (unsigned long long)devices->run_line);
    else if (verdict == VERDICT_GOOD && open)
        unknown(diagnosis, "%lu of the tasks in this log have no end", open);
    else if (verdict == VERDICT_DATA && (way->reloaded || between || strays > sticky))
        unknown(diagnosis, "an operation completes that was not armed, where lines of another run may be between those "
                           "of this one");
    else if (strays >= STRAYS_LEAST && (between || verdict == VERDICT_GOOD))
        unknown(diagnosis,
                "%u lines cannot come where they are: those of a task whose beginning is missing are between them",
                strays);
    else if (verdict == VERDICT_HANG && devices->books.begun && !driver_log_has_task(log))
        unknown(diagnosis, "a process waits for an interrupt; the tasks that begin in this log have ended");
    else if (verdict == VERDICT_HANG && tasks > 1 && stops_at_access(log) && !log->fault.number)
        unknown(diagnosis, "one of the tasks stops at an access to a register: it does not return, or the lines of "
                           "this task end there because the log is cut");
}

/* What a log of several tasks allows to say. */
static void weaken(struct device_logs *devices, struct way *way, const struct driver_log *log,
                   struct log_diagnosis *diagnosis) {
    doubt(devices, way, log, diagnosis);
    bool others = devices->open_most > 1;
    for (size_t i = 0; i < way->count; i++)
        others = others || (&way->logs[i] != log && is_unfinished(&way->logs[i]));
    for (size_t i = 0; i < diagnosis->cause_count && others; i++)
        if (diagnosis->causes[i].certainty == CERTAIN)
            diagnosis->causes[i].certainty = LIKELY;
    if (devices->open_most > 1)
        words_add(&diagnosis->notes, "%u tasks ran at the same time; the order of their lines tells them apart",
                  devices->open_most);
    if (log->line && way->count > 1)
        words_add(&diagnosis->notes, "this is the task that begins in line %llu; the log has others",
                  (unsigned long long)log->line);
}

bool device_logs_diagnose(struct device_logs *devices, struct loadable *loadable, const struct nvdla_config *config,
                          struct log_diagnosis *diagnosis, struct driver_log **log, struct error *err) {
    bool equal = !devices->mixed;
    for (size_t i = 0; i < devices->way_count && equal; i++) {
        struct log_diagnosis other;
        struct driver_log *chosen = decisive(&devices->ways[i]);
        if (!log_diagnose(chosen, loadable, config, &other, err)) {
            log_diagnosis_free(&other);
            return false;
        }
        if (i == 0) {
            *diagnosis = other;
            *log = chosen;
            continue;
        }
        equal = alike(diagnosis, &other);
        log_diagnosis_free(&other);
    }
    if (!equal) {
        unknown(diagnosis, "lines of %u tasks are mixed: which line belongs to which task is open", devices->open_most);
        diagnosis->mixed_tasks = devices->open_most;
        *log = &devices->empty;
        return true;
    }
    if (depends_on_earlier(devices, *log, loadable, config, diagnosis))
        unknown(diagnosis,
                "the driver has %u devices: whether the task before was one of the same device decides what this "
                "hang shows (registers that worked, interrupts that came, groups of units)",
                devices->probes);
    else if (is_undecided(&devices->ways[0], *log, loadable, config, diagnosis))
        unknown(diagnosis, "several tasks stop in this log, not all for one cause: diagnose the log of each by itself");
    weaken(devices, &devices->ways[0], *log, diagnosis);
    return true;
}
