/* The journal: what each launch leaves in memory and what it reads there, as the model has played it. Another device's
 * beats can then be judged while they happen (replay/first_wrong.h), also where a later launch writes to the same
 * place.
 *
 * It hears of the model's own writes and reads, so that it holds for launches whose registers nobody outside the model
 * knows, too: what software writes to a group that is still armed is dropped. A launch is written down when it is done.
 * That costs one byte for each byte that it leaves, and 32 for each run of bytes, left or read, that does not join the
 * one before it.
 */
#ifndef REPLAY_JOURNAL_H
#define REPLAY_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/device.h"
#include "memory/space.h"
#include "nvdla/clients.h"
#include "observe/tap.h"

struct journal;

struct journal *journal_new(void);
/* No memory that it listens to may be written any more. */
void journal_free(struct journal *journal);

/* Makes a listener for the taps of the model, whose `done` writes a launch down. */
struct tap_listener journal_listener(struct journal *journal);

/* Listens to the memories of the model. Until this is called launches leave and read nothing. */
void journal_watch(struct journal *journal, const struct device *model);

/* Launches of a unit in the order in which they were done, which need not be that of their ordinals: groups take turns,
 * whichever was armed first. Returns the ordinal of the first at or behind the place *next (0: of all) that has written
 * to that memory, -1 if none has, and sets *next to the place behind it; *bytes: how many bytes it has written there,
 * those that it has written twice counted twice. */
int journal_next(const struct journal *journal, enum nvdla_unit unit, enum memory_space space, size_t *next,
                 uint64_t *bytes);

/* What the journal says of a byte that a launch of journal_next writes. */
enum journal_byte {
    JOURNAL_LEAVES,   /* the launch leaves this value there */
    JOURNAL_OVERLAPS, /* it writes there more than once: any value may come first */
    JOURNAL_OUTSIDE,  /* it does not write there */
};
enum journal_byte journal_look(const struct journal *journal, enum nvdla_unit unit, int ordinal,
                               enum memory_space space, uint64_t address, uint8_t *value);

/* The same of the launches that a client reads for. */
int journal_next_read(const struct journal *journal, enum nvdla_client client, enum memory_space space, size_t *next,
                      uint64_t *bytes);

/* How often a launch of journal_next_read reads a byte. */
enum journal_read { JOURNAL_NEVER, JOURNAL_ONCE, JOURNAL_OFTEN };

/* *at: which of the bytes that the launch reads it is, 0 .. journal_read_bytes() - 1 in both memories together. */
enum journal_read journal_look_read(const struct journal *journal, enum nvdla_client client, int ordinal,
                                    enum memory_space space, uint64_t address, size_t *at);
size_t journal_read_bytes(const struct journal *journal, enum nvdla_client client, int ordinal);

/* Bytes that the journal takes, and launches that leave something. */
size_t journal_size(const struct journal *journal, size_t *launches);

#endif
