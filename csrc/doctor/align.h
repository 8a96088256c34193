/* A log and the schedule of the network that ran. Spec: 87-loadables section 5, 86-driver-log section 3. */
#pragma once

#include "doctor/driver_log.h"
#include "loadable/loadable.h"

/* Finds the task of the loadable, with placed memories, that the log is about, and reads it into *task. Adds to the
 * log who feeds whom on the fly and, where the beginning of the log is missing, the operations that are armed by the
 * schedule. *contradiction: "" or why no task fits; then the log is left as it is. False with a message. */
enum { CONTRADICTION = 160 };
bool align(struct driver_log *log, const struct loadable *loadable, struct dla_task *task,
           char contradiction[CONTRADICTION], struct error *err);
