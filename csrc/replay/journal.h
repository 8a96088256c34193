/* The journal: what each launch leaves in memory, as the model has played it. Another device's writes can then be
 * judged while they happen (replay/first_wrong.h), also where a later launch writes to the same place.
 *
 * A launch is written down when it is done: the bytes of its output cube, of BDMA those of all its descriptors. It
 * costs as much memory as the launches write, and 32 bytes for each line of a cube that does not join the line before
 * it.
 */
#ifndef REPLAY_JOURNAL_H
#define REPLAY_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "layers/tracker.h"
#include "memory/space.h"
#include "observe/tap.h"

struct journal;

/* launches: of the program (trace/launches.h), which outlive the journal. */
struct journal *journal_new(const struct layer_tracker *launches);
void journal_free(struct journal *journal);

/* Makes a listener for the taps of the model, whose `done` writes a launch down. */
struct tap_listener journal_listener(struct journal *journal);

/* The model whose memory is meant, once there is one. It is asked for bytes while it plays only. */
void journal_watch(struct journal *journal, const struct device *model);

/* What the journal says of a byte that a launch writes. */
enum journal_byte {
    JOURNAL_LEAVES,    /* the launch leaves this value there */
    JOURNAL_OVERLAPS,  /* it writes there more than once (lines or descriptors overlap): any value may come first */
    JOURNAL_OUTSIDE,   /* it does not write there */
    JOURNAL_UNWRITTEN, /* the launch is not in the journal: the model has not come to its end */
};
enum journal_byte journal_look(const struct journal *journal, enum nvdla_unit unit, int ordinal,
                               enum memory_space space, uint64_t address, uint8_t *value);

/* True if some launch of the unit leaves that value there, or may. */
bool journal_any(const struct journal *journal, enum nvdla_unit unit, enum memory_space space, uint64_t address,
                 uint8_t value);

/* Bytes that the journal takes, and launches that stand in it. */
size_t journal_size(const struct journal *journal, size_t *launches);

#endif
