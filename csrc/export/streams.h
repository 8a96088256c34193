/* Converts a sequence of operations to streams, for formats that require them. */
#pragma once

#include "trace/program.h"

/* A sequential program with one stream per unit. Order is kept where the trace waits: after every poll and every wait
 * for an interrupt, all streams wait for the same event before they continue. A wait, the checks of S_INTR_STATUS after
 * it and the write that clears it become intr_notify, because a player of streams services interrupts itself. An
 * interrupt masked by S_INTR_MASK causes no notification: a check of it together with an unmasked one is dropped, and
 * *changed counts these checks; a check of it alone cannot be expressed. A program with streams is returned unchanged.
 * Like program_in_order, the result takes over blobs and texts; prog can only be freed afterwards. NULL with FILE:LINE
 * of what cannot be expressed. */
struct program *program_in_streams(struct program *prog, size_t *changed, struct error *err);
