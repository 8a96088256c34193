/* Elements of recorded streams by their position, on both sides, as lines of evidence. */
#pragma once

#include "nvdla/clients.h"
#include "observe/tap_compare.h"
#include "report/diagnosis.h"
#include "triage/triage_input.h"

enum { SIDES = 2 /* RTL, model */ };

/* Attributes to match; -1: any. batch: for streams that have one. */
struct wanted {
    int ordinal;
    int32_t channel, y, x, reduction, batch;
};

/* Opens a stream in a folder of records; NULL if it cannot be read. */
struct tap_reader *recorded_open(const char *folder, const struct tap_stream *stream);

/* Calls `take` for the matching elements of a recorded stream until it returns false; false if there is no such
 * stream. */
bool recorded_each(const char *folder, enum nvdla_unit unit, enum tap tap, int client, const struct wanted *wanted,
                   bool (*take)(void *context, const struct tap_element *element), void *context);

/* One element of each side. */
struct both {
    bool seen[SIDES];
    bool unknown;                   /* the RTL does not show this stream */
    struct tap_element side[SIDES]; /* RTL, model */
};

struct both recorded_find(const struct triage_input *input, enum nvdla_unit unit, enum tap tap,
                          const struct wanted *wanted);

/* Adds a line: the value of a stream at the position. */
void recorded_show(const char *name, const struct both *found, struct diagnosis *to);

/* Adds "input: 0x80001000, read at cycle 812 by CDP: 0x1f"; if it was not read, what was read next to it. */
void recorded_show_read(const struct triage_input *input, enum nvdla_client client, const char *what, uint64_t address,
                        struct diagnosis *to);
