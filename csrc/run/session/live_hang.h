/* Reports a launch of a live session that never ends. */
#pragma once

#include "live/live_device.h"

/* Prints to stderr which launches are armed, since when nothing moves, and what they wait for, as `run` does for a
 * trace. */
void live_hang_print(const struct live_device *live);
