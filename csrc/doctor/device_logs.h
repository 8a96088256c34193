/* A log in which several runs and devices print: follows each device's task by itself. The lines do not name the
 * device; the order in which the driver prints tells them apart. Where it allows several ways, all of them are
 * followed, up to WAYS_MOST; where it allows none, or too many, the lines are mixed. Memory is bounded. Spec:
 * 86-driver-log section 3. */
#pragma once

#include "doctor/driver_log.h"
#include "doctor/log_diagnosis.h"
#include "doctor/task_books.h"

enum { DEVICES_MOST = 8, WAYS_MOST = 256, WAYS_CHEAP = 64, STEPS_MOST = 1000000 };

/* One way to tell the lines apart. */
struct way {
    struct driver_log logs[DEVICES_MOST]; /* of tasks that are open or failed; the last one also of those that ended */
    bool closed[DEVICES_MOST];            /* a probe came after it */
    size_t count;
    uint64_t key;    /* of its state: equal for ways whose next lines can be the same */
    bool reloaded;   /* a probe came while a task was open: another device, unless what follows is all of the new one */
    bool strict;     /* several tasks are open: a line must be the next one of one of them */
    unsigned strays; /* lines that the open task cannot print there, whatever the device does */
};

struct device_logs {
    struct way *ways;
    size_t way_count;
    uint64_t steps;     /* of ways, while there were more than WAYS_CHEAP; bounded by STEPS_MOST */
    unsigned open_most; /* tasks that were open at a time */
    unsigned probes;    /* without a task between them: of so many devices */
    struct task_books books;
    bool mixed;              /* from here on no line can be told apart */
    unsigned runs_open;      /* of the runtime, without their end and without a line of the driver behind them */
    uint64_t run_line;       /* where the last one begins */
    struct driver_log empty; /* what is shown of mixed lines */
};

void device_logs_begin(struct device_logs *devices);
void device_logs_message(void *context, const struct message *message); /* context: the struct device_logs */

/* Both for all lines of a log. False with a message. Free it either way. */
bool device_logs_read(struct device_logs *devices, const char *path, struct error *err);
void device_logs_free(struct device_logs *devices);

/* As log_diagnose, of the last task that did not end well, or of the last one. *log: what the diagnosis is about. */
bool device_logs_diagnose(struct device_logs *devices, struct loadable *loadable, const struct nvdla_config *config,
                          struct log_diagnosis *diagnosis, struct driver_log **log, struct error *err);
