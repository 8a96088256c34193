/* A program as one sequence of operations, for formats and programs that know no streams. */
#ifndef EXPORT_ORDER_H
#define EXPORT_ORDER_H

#include "trace/program.h"

/* One legal interleaving of the streams (80-trace-formats section 3.3), the one that the player (replay/player.h) plays
 * where the device does not decide: of the streams whose next operation can go, the lowest operation in file order
 * goes. The result is a sequential program:
 *
 *   - where a stream waits for an event of an intr_notify, where the next launch is armed that raises the same
 *     interrupt, and behind the last operation: a poll of S_INTR_STATUS for that bit, and a write that clears this bit
 *     alone; for one of any source a `wait`, and a write that clears what is there;
 *   - events between streams, check_event: nothing, they are the order itself;
 *   - operations with `after`: behind what raises their event;
 *   - operations with `end`: last, still marked so. Before a check of S_INTR_STATUS among them a write clears the
 *     unmasked interrupts that nobody has waited for, as the player does.
 *
 * Nothing is known of the device here: an interrupt is waited for when the launch that raises it has been armed with
 * those that feed it. A sequential program comes back as it is, its operations with `end` behind the others. The
 * result takes blobs and texts over; of prog nothing but the release is left to do. NULL with a message that names the
 * two operations that wait for each other if there is no order. */
struct program *program_in_order(struct program *prog, struct error *err);

#endif
