/* The journal: the final output and the reads of each launch, recorded from the model. With it, beats of another device
 * can be judged as they happen (replay/first_wrong.h), even if a later launch writes to the same place.
 *
 * It observes the model's own writes and reads, so it is correct even if register values are known only inside the
 * model, because writes to an armed group are dropped. A launch is recorded when it is done. It costs one byte per byte
 * of output, and 32 per run of bytes, written or read, that does not continue the one before; for reads twice that. */
#pragma once

#include "device/device.h"
#include "memory/space.h"
#include "nvdla/clients.h"
#include "observe/tap.h"

struct journal;

struct journal *journal_new(void);
/* The observed memories must no longer be written. */
void journal_free(struct journal *journal);

/* Creates a listener for the taps of the model, whose `done` records a launch. */
struct tap_listener journal_listener(struct journal *journal);

/* Starts to observe the memories of the model. Accesses before this call are not recorded. */
void journal_watch(struct journal *journal, const struct device *model);

/* Visits launches of a unit in the order in which they finished, which can differ from their ordinals: groups
 * alternate, whichever was armed first. Returns the ordinal of the first launch from position *next on (0: start) that
 * has written to that memory, -1 if none, and advances *next past it. *bytes: number of bytes written there; bytes
 * written twice count twice. */
int journal_next(const struct journal *journal, enum nvdla_unit unit, enum memory_space space, size_t *next,
                 uint64_t *bytes);

/* A byte of a launch from journal_next. */
enum journal_byte {
    JOURNAL_LEAVES,   /* the final value is known */
    JOURNAL_OVERLAPS, /* written more than once: earlier values may differ */
    JOURNAL_OUTSIDE,  /* not written */
};
enum journal_byte journal_look(const struct journal *journal, enum nvdla_unit unit, int ordinal,
                               enum memory_space space, uint64_t address, uint8_t *value);

/* The same for the launches that a client reads for. */
int journal_next_read(const struct journal *journal, enum nvdla_client client, enum memory_space space, size_t *next,
                      uint64_t *bytes);

/* Number of reads of a byte by a launch from journal_next_read. */
enum journal_read { JOURNAL_NEVER, JOURNAL_ONCE, JOURNAL_OFTEN };

/* *at: index of the byte among those that the launch reads, 0 .. journal_read_bytes() - 1 over both memories. */
enum journal_read journal_look_read(const struct journal *journal, enum nvdla_client client, int ordinal,
                                    enum memory_space space, uint64_t address, size_t *at);
size_t journal_read_bytes(const struct journal *journal, enum nvdla_client client, int ordinal);

/* Walks along the reads of such a launch in one memory, in the model's order. All zero: at the first. */
struct journal_walk {
    size_t run;      /* of bytes that follow each other */
    uint64_t offset; /* in it */
};

/* The address of the next byte read; moves *walk by n bytes of the same run. False: the launch has read all. */
bool journal_walk_read(const struct journal *journal, enum nvdla_client client, int ordinal, enum memory_space space,
                       struct journal_walk *walk, size_t n, uint64_t *address);

/* True if any launch of the client reads a byte. */
bool journal_reads(const struct journal *journal, enum nvdla_client client, enum memory_space space, uint64_t address);

/* Memory use of the journal in bytes, and number of launches with output. */
size_t journal_size(const struct journal *journal, size_t *launches);
