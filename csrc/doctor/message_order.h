/* The order in which the driver prints its messages: whether one can be the next of a task. Spec: 86-driver-log
 * sections 2 and 3. */
#pragma once

#include "doctor/driver_log.h"

/* Whether a message about tasks, operations or rounds can be the next one of this task. */
bool message_may_follow(const struct driver_log *log, const struct message *message);
/* Whether it cannot, even if the device did anything wrong: it is of another task, or lines are missing. */
bool message_breaks_order(const struct driver_log *log, const struct message *message);
