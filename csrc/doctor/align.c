/* The schedule of a task without its accesses: what is armed after which completions. See align.h. */
#include "doctor/align.h"

#include <stdio.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"

/* Operations of the log that are not the task's; describes the first in text. */
static size_t contradictions(const struct driver_log *log, const struct dla_task *task, char text[CONTRADICTION]) {
    size_t found = 0;
    text[0] = '\0';
    for (size_t i = 0; i < log->count; i++) {
        const int type = log->operations[i].type;
        if (type == LOG_NONE || (i < task->count && task->operations[i].type == (unsigned)type))
            continue;
        if (found++ == 0)
            snprintf(text, CONTRADICTION, "operation %zu is %s in the log, %s in the loadable", i,
                     driver_unit_names[type],
                     i < task->count ? driver_unit_names[task->operations[i].type] : "missing");
    }
    if (log->layers > 0 && (size_t)log->layers != task->count && found++ == 0)
        snprintf(text, CONTRADICTION, "the log counts %ld layers, the loadable %zu", log->layers, task->count);
    return found;
}

/* ---- where the beginning is missing ---- */

struct schedule {
    struct driver_log *log;
    const struct dla_task *task;
    bool *completed, *programmed, *armed;
};

/* The operation before that one in the list of its unit, LOG_NONE: the first. */
static int before_in_list(const struct dla_task *task, int operation) {
    const unsigned type = task->operations[operation].type;
    int before = LOG_NONE, at = task->network.heads[type];
    for (size_t steps = 0; at != LOG_NONE && at != operation && steps < task->count; steps++) {
        before = at;
        at = task->operations[at].consumers[type].operation;
    }
    return at == operation ? before : LOG_NONE;
}

/* Marks what must have completed before an operation could complete, or (armed) be armed. */
static void completed_before(struct schedule *schedule, int operation, bool *visited) {
    const struct dla_task *task = schedule->task;
    if (visited[operation])
        return;
    visited[operation] = true;
    const int before = before_in_list(task, operation);
    if (before != LOG_NONE && schedule->completed[operation]) {
        schedule->completed[before] = true;
        completed_before(schedule, before, visited);
    }
    for (size_t i = 0; i < task->count; i++) {
        const struct operation *from = &task->operations[i];
        for (int type = 0; type <= TYPE_COUNT; type++) {
            const struct op_edge edge = type < TYPE_COUNT ? from->consumers[type] : from->fused_parent;
            if (edge.operation != operation || edge.event != EVENT_COMPLETED)
                continue;
            schedule->completed[i] = true;
            completed_before(schedule, (int)i, visited);
        }
    }
}

static bool is_raised(const struct schedule *schedule, size_t operation, unsigned event) {
    return event == EVENT_PROGRAMMED ? schedule->programmed[operation]
           : event == EVENT_ARMED    ? schedule->armed[operation]
                                     : schedule->completed[operation];
}

/* Whether all edges to an operation are released. */
static bool is_free(const struct schedule *schedule, size_t operation) {
    const struct dla_task *task = schedule->task;
    for (size_t i = 0; i < task->count; i++)
        for (int type = 0; type <= TYPE_COUNT; type++) {
            const struct op_edge edge =
                type < TYPE_COUNT ? task->operations[i].consumers[type] : task->operations[i].fused_parent;
            if (edge.operation == (int)operation && !is_raised(schedule, i, edge.event))
                return false;
        }
    return true;
}

/* An operation is programmed once all but one before it in its list have completed. */
static void program_lists(struct schedule *schedule) {
    const struct dla_task *task = schedule->task;
    for (unsigned type = 0; type < TYPE_COUNT; type++) {
        int at = task->network.heads[type], open = 0;
        for (size_t steps = 0; at != LOG_NONE && open < 2 && steps < task->count; steps++) {
            schedule->programmed[at] = true;
            open += !schedule->completed[at];
            at = task->operations[at].consumers[type].operation;
        }
    }
}

static void infer_armed(struct schedule *schedule) {
    const size_t count = schedule->task->count;
    program_lists(schedule);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < count; i++)
            if (schedule->programmed[i] && !schedule->armed[i] && is_free(schedule, i))
                changed = schedule->armed[i] = true;
    }
    for (size_t i = 0; i < count; i++) {
        struct log_operation *op = &schedule->log->operations[i];
        if (op->type == LOG_NONE)
            op->type = (int)schedule->task->operations[i].type;
        /* What the log shows being programmed it shows being armed and completing too. */
        if (schedule->completed[i] && !op->completed && !op->prepared)
            op->completed = 1;
        if (schedule->armed[i] && !op->completed && !op->prepared)
            op->armed = op->prepared = op->programmed = op->inferred = true;
    }
}

static void infer(struct driver_log *log, const struct dla_task *task) {
    struct schedule schedule = {.log = log,
                                .task = task,
                                .completed = xcalloc(task->count, sizeof(bool)),
                                .programmed = xcalloc(task->count, sizeof(bool)),
                                .armed = xcalloc(task->count, sizeof(bool))};
    bool *visited = xcalloc(task->count, sizeof *visited);
    for (size_t i = 0; i < task->count; i++)
        schedule.completed[i] = log->operations[i].completed > 0;
    for (size_t i = 0; i < task->count; i++)
        if (log->operations[i].completed || log->operations[i].armed)
            completed_before(&schedule, (int)i, visited);
    for (size_t i = 0; i < task->count; i++) {
        const int before = before_in_list(task, (int)i);
        const int two_before = before == LOG_NONE ? LOG_NONE : before_in_list(task, before);
        if (log->operations[i].prepared && two_before != LOG_NONE) {
            schedule.completed[two_before] = true;
            completed_before(&schedule, two_before, visited);
        }
    }
    infer_armed(&schedule);
    free(visited);
    free(schedule.completed);
    free(schedule.programmed);
    free(schedule.armed);
}

/* ---- the task ---- */

static void add_feeders(struct driver_log *log, const struct dla_task *task) {
    while (log->count < task->count) {
        log->operations = xgrow(log->operations, log->count, sizeof *log->operations);
        log->operations[log->count++] = (struct log_operation){
            .type = LOG_NONE, .group = LOG_NONE, .feeds = LOG_NONE, .fed_by = LOG_NONE, .edge = LOG_NONE};
    }
    for (size_t i = 0; i < task->count; i++) {
        const int parent = task->operations[i].fused_parent.operation;
        if (parent < 0 || (size_t)parent >= task->count)
            continue;
        log->operations[i].fed_by = parent;
        log->operations[parent].feeds = (int)i;
    }
}

/* The place in the order of submission of the task that fits best, -1: the loadable has none for the engines. */
static int choose(const struct driver_log *log, const struct loadable *loadable, bool *readable, struct error *err) {
    char text[CONTRADICTION];
    size_t engines = 0, fewest = SIZE_MAX;
    int best = LOG_NONE;
    for (size_t i = 0; i < loadable->order_count; i++)
        engines += loadable->tasks[loadable->order[i]].interface == INTERFACE_DLA;
    size_t number = 0;
    for (size_t i = 0; i < loadable->order_count; i++) {
        struct dla_task task;
        if (loadable->tasks[loadable->order[i]].interface != INTERFACE_DLA)
            continue;
        *readable = dla_task_read(loadable, i, &task, err);
        if (!*readable)
            return LOG_NONE;
        /* The count of tasks since the probe decides between tasks that fit alike. */
        const bool due = log->probed && log->tasks > 0 && number == (log->tasks - 1) % engines;
        const size_t found = 2 * contradictions(log, &task, text) + !due;
        if (found < fewest) {
            fewest = found;
            best = (int)i;
        }
        dla_task_free(&task);
        number++;
    }
    return best;
}

bool align(struct driver_log *log, const struct loadable *loadable, struct dla_task *task,
           char contradiction[CONTRADICTION], struct error *err) {
    bool readable = true;
    const int best = choose(log, loadable, &readable, err);
    *task = (struct dla_task){0};
    contradiction[0] = '\0';
    if (!readable)
        return false;
    if (best == LOG_NONE)
        return error_set(err, "%s: found no task for the engines in it; expected the network that the log is about",
                         loadable->path);
    if (!dla_task_read(loadable, (size_t)best, task, err))
        return false;
    if (contradictions(log, task, contradiction) > 0)
        return true;
    add_feeders(log, task);
    if (!log->begun && log->messages > 0 && !log->ended)
        infer(log, task);
    return true;
}
