/* input.txn of the trace player, with its memory files (80-trace-formats section 1). */
#ifndef EXPORT_TXN_H
#define EXPORT_TXN_H

#include <stdint.h>

#include "trace/program.h"

/* What a sequential program (order.h) is when it has been written as input.txn and read again: the same operations,
 * but
 *   - fills are loads of their bytes (seed: of random ones), loads and checks with gaps are one for each range;
 *   - reservations and releases are gone (the reader reserves the whole windows), CRC checks must have become bytes
 *     (bytes.h), `end` is nothing but the last place;
 *   - a poll of one attempt is a check; values have no bits outside their masks;
 *   - whether a read is informational is a matter of its register: *changed counts reads for which that is new. An
 *     informational check of another register is a read whose result is not used.
 * NULL with FILE:LINE and what would fit if an operation cannot be said. */
struct program *txn_form(const struct program *ordered, uint64_t seed, size_t *changed, struct error *err);

/* Writes such a program into a folder, which must be new or empty: input.txn, plusargs.txt if it is needed, memory
 * files. The trace is read again before the folder gets its name. False with a message; nothing is left behind then. */
bool export_txn(const struct program *form, const char *path, struct error *err);

#endif
