/* Converts a program with streams to one sequence of operations, for formats without streams. */
#pragma once

#include "trace/program.h"

/* One legal interleaving of the streams (80-trace-formats section 3.3), the one the player (replay/player.h) uses where
 * the device does not decide: of all operations that can run next, the first in file order. The result is a sequential
 * program:
 *
 *   - where a stream waits for an event of an intr_notify, where the next launch with the same interrupt is armed, and
 *     after the last operation: a poll of S_INTR_STATUS for that bit, and a write that clears only this bit; for an
 *     interrupt of any source a `wait`, and a write that clears what is pending;
 *   - events between streams, check_event: nothing, the order implies them;
 *   - operations with `after`: after the operation that raises their event;
 *   - operations with `end`: last, still marked so. Before a check of S_INTR_STATUS among them a write clears the
 *     unmasked interrupts that nothing has waited for, as in the player.
 *
 * This does not depend on a device: an interrupt is waited for once its launch, and those that feed it, have been
 * armed. A sequential program is returned unchanged, except that operations with `end` move to the end. The result
 * takes over blobs and texts; prog can only be freed afterwards. If there is no order: NULL with a message that names
 * the two operations that wait for each other. */
struct program *program_in_order(struct program *prog, struct error *err);
