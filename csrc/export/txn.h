/* Writer of input.txn of the trace player, with its memory files (80-trace-formats section 1). */
#pragma once

#include "trace/program.h"

/* Converts a sequential program (order.h) to the form it has after writing and reading input.txn: the same operations,
 * except that
 *   - fills become loads (seed: of random ones), loads and checks with gaps become one per range;
 *   - reservations and releases are dropped (the reader reserves the whole windows); CRC checks must already be bytes
 *     (bytes.h); `end` only means the last position;
 *   - a poll of one attempt becomes a check; values have no bits outside their masks;
 *   - whether a read is informational depends on its register: *changed counts reads for which this changes. An
 *     informational check of another register becomes a read whose result is ignored. NULL with FILE:LINE and an
 *       alternative if an operation cannot be expressed. */
struct program *txn_form(const struct program *ordered, uint64_t seed, size_t *changed, struct error *err);

/* Writes such a program into a folder, which must be new or empty: input.txn, plusargs.txt if needed, memory files.
 * Reads the trace back before the folder gets its name. False with a message; then nothing is written. */
bool export_txn(const struct program *form, const char *path, struct error *err);
