/* Counts over a whole log, in whatever order several tasks print into it: begins and ends of tasks, and how often each
 * operation is prepared, armed and completed. Where they do not come out even, a task has no end, or no beginning.
 * Spec: 86-driver-log section 3. Memory is bounded: OPERATIONS_MAX operations. */
#pragma once

#include <stddef.h>

#include "doctor/messages.h"

struct operation_counts {
    unsigned long prepared, armed, completed;
    unsigned long counted; /* as "N HWLs done", at index N - 1 */
};

struct task_books {
    unsigned long begun, initiated; /* tasks */
    long unended; /* probes and tasks that began, without those that ended: each probe has one end too */
    unsigned long rounds_outside; /* lines of rounds after the end of all tasks: of one without a beginning */
    bool lines_before;            /* of a task, before the first one begins */
    unsigned long long kinds;     /* bit 1 << enum message_kind: such a message came */
    size_t count;
    struct operation_counts *operations; /* of all tasks together, by index */
};

void task_books_message(struct task_books *books, const struct message *message);
/* So many tasks print into the log, at least: those that begin in it, and those whose beginning is missing. */
unsigned long task_books_tasks(const struct task_books *books);
/* So many of several tasks have no end, at least. 0: all comes out even. */
unsigned long task_books_open(const struct task_books *books);
/* Whether the log has all kinds of lines whose order tells tasks apart: a port may print less, a paste may be chosen.
 */
bool task_books_show_order(const struct task_books *books);
void task_books_free(struct task_books *books);
