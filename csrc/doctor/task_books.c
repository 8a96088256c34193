/* See task_books.h. */
#include "doctor/task_books.h"

#include <stdlib.h>

#include "loadable/dla_task.h"
#include "nvdla/xalloc.h"

static struct operation_counts *counts_of(struct task_books *books, long index) {
    static struct operation_counts damaged; /* a number that no task has */
    if (index < 0 || index >= OPERATIONS_MAX)
        return &damaged;
    while (books->count <= (size_t)index) {
        books->operations = xgrow(books->operations, books->count, sizeof *books->operations);
        books->operations[books->count++] = (struct operation_counts){0};
    }
    return &books->operations[index];
}

void task_books_message(struct task_books *books, const struct message *message) {
    books->kinds |= 1ull << message->kind;
    if (message->kind > MESSAGE_PROBE && message->kind < MESSAGE_ASSERTION && message->kind != MESSAGE_RESET)
        books->lines_before = books->lines_before || (books->begun == 0 && message->kind != MESSAGE_NETWORK);
    switch (message->kind) {
    case MESSAGE_NETWORK:
        books->begun++;
        books->unended++;
        break;
    case MESSAGE_INITIATED:
        books->initiated++;
        break;
    case MESSAGE_PROBE:
        books->unended++;
        break;
    case MESSAGE_RESET:
    case MESSAGE_TASK_FAILED:
        books->unended--;
        break;
    case MESSAGE_ROUND_UNIT:
        books->rounds_outside += books->begun > 0 && books->unended <= 0;
        break;
    case MESSAGE_PREPARE:
        counts_of(books, message->numbers[0])->prepared++;
        break;
    case MESSAGE_ENABLE:
        counts_of(books, message->numbers[0])->armed++;
        break;
    case MESSAGE_COMPLETED:
        counts_of(books, message->numbers[0])->completed++;
        break;
    case MESSAGE_LAYERS:
        counts_of(books, message->numbers[0] - 1)->counted++;
        break;
    default:
        break;
    }
}

static unsigned long most(unsigned long a, unsigned long b) {
    return a > b ? a : b;
}

enum {
    TWICE_LEAST = 2,   /* numbers of "N HWLs done" that come again; one may be a line that was printed twice */
    OUTSIDE_LEAST = 12 /* lines of rounds after a task's end: two rounds of six units */
};

unsigned long task_books_tasks(const struct task_books *books) {
    unsigned long tasks = most(books->begun + books->lines_before, books->initiated);
    unsigned twice = 0;
    for (size_t i = 0; i < books->count; i++) {
        tasks = most(tasks, most(books->operations[i].prepared, books->operations[i].armed));
        twice += books->operations[i].counted > books->begun + books->lines_before;
    }
    return twice < TWICE_LEAST ? tasks : most(tasks, books->begun + books->lines_before + 1);
}

unsigned long task_books_open(const struct task_books *books) {
    const unsigned long tasks = task_books_tasks(books);
    const long without_end = books->unended + (tasks > 1 ? (long)(tasks - books->begun) : 0);
    unsigned long open = without_end > 0 ? (unsigned long)without_end : books->rounds_outside >= OUTSIDE_LEAST;
    for (size_t i = 0; i < books->count; i++) {
        const struct operation_counts *op = &books->operations[i];
        const unsigned long started = most(op->prepared, op->armed);
        if (tasks > 1 && started > op->completed)
            open = most(open, started - op->completed);
        if (op->completed > tasks)
            open = most(open, op->completed - tasks);
    }
    return open;
}

bool task_books_show_order(const struct task_books *books) {
    static const enum message_kind needed[] = {MESSAGE_PREPARE,     MESSAGE_PREPARING,  MESSAGE_GROUP,
                                               MESSAGE_PROGRAM,     MESSAGE_ENABLE,     MESSAGE_ENABLED,
                                               MESSAGE_ENABLED_END, MESSAGE_ROUND_UNIT, MESSAGE_ROUND_LEFT};
    bool all = true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        all = all && books->kinds >> needed[i] & 1;
    return all;
}

void task_books_free(struct task_books *books) {
    free(books->operations);
    books->operations = NULL;
    books->count = 0;
}
