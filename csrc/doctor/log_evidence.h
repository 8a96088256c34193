/* Inside a diagnosis of a log: what log_diagnosis.c and log_waiting.c share. */
#pragma once

#include "doctor/align.h"
#include "doctor/log_verdict.h"

struct doctor {
    struct driver_log *log;
    struct log_diagnosis *diagnosis;
    const struct nvdla_config *config; /* NULL: unknown */
    const struct dla_task *task;       /* NULL: unknown */
    bool small_network;                /* the loadable is made for atoms of 8 bytes */
    char contradiction[CONTRADICTION];
};

/* Adds a cause, or evidence to one that is there. */
void doctor_blame(const struct doctor *doctor, enum cause cause, enum certainty certainty, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void doctor_blame_line(const struct doctor *doctor, enum cause cause, enum certainty certainty,
                       const struct log_line *line);
void doctor_set_layer(const struct doctor *doctor, int layer, const char *engine);

/* NULL: the log has none of that number. */
const struct log_operation *doctor_operation(const struct doctor *doctor, int index);
const char *doctor_unit(const struct doctor *doctor, int index); /* of the operation, as the driver prints it */

bool log_is_armed(const struct log_operation *op);
/* Whether an operation can run: armed, and so is what feeds it on the fly. */
bool doctor_in_flight(const struct doctor *doctor, const struct log_operation *op);
/* The lowest operation in flight, LOG_NONE: none. */
int doctor_first_in_flight(const struct doctor *doctor);

/* Whether the task is the first one behind the driver's probe. */
bool log_is_fresh(const struct driver_log *log);
/* Whether there are more rounds than bits explain. A round takes all bits that are there, so as many rounds as bits may
 * be empty because their interrupts were served before, also by the task before. */
bool log_has_too_many_rounds(const struct driver_log *log);
/* Whether the driver is woken without end. */
bool log_is_woken_for_nothing(const struct driver_log *log);

/* Causes of a driver that waits for events; that polls the flush before it arms a convolution; that stands at an access
 * to a register; of a done bit that came too early. */
void doctor_waiting(const struct doctor *doctor);
void doctor_flush(const struct doctor *doctor, int layer);
void doctor_dead_access(const struct doctor *doctor);
void doctor_blame_early(const struct doctor *doctor);
