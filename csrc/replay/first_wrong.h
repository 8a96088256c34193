/* The first wrong beat: every write of a device is compared at once with the final result of its launch according to
 * the journal (replay/journal.h). The first wrong one stops the device.
 *
 * Each client writes for its launches in the same order as the model, and the same number of atoms for each, which
 * assigns the n-th atom of an AXI ID on a port to a launch. Wrong are: a beat with an ID without a client, or after all
 * launches have written everything; a byte outside its launch's output; a value other than the launch's result; a
 * strobe that skips a byte whose value in memory is not the result already. If a launch writes a byte more than once,
 * only the last value counts. If the model hung, launches that it did not reach are not judged.
 *
 * Reads are judged by replay/read_judge.h. The device continues after a wrong one, but later errors may be its result.
 */
#pragma once

#include "device/beat.h"
#include "device/device.h"
#include "nvdla/clients.h"
#include "replay/journal.h"
#include "replay/read_judge.h"

enum wrong_kind {
    WRONG_NONE,
    WRONG_OWNER,    /* no launch has anything left to write */
    WRONG_OUTSIDE,  /* outside its launch's output */
    WRONG_LEFT_OUT, /* not enabled, and memory has a wrong value */
    WRONG_VALUE,
};

enum { WRONG_BYTES = 64 /* widest bus */ };

struct wrong_beat {
    enum wrong_kind kind;
    struct axi_beat beat;          /* its data is `got`, its owner the launch that it is assigned to */
    uint64_t address;              /* of the first wrong byte */
    uint64_t wrong;                /* bit i: the byte at beat.address + i is wrong */
    uint64_t known;                /* bit i: expected[i] is known */
    uint8_t got[WRONG_BYTES];      /* data on the bus; for skipped bytes the content of memory */
    uint8_t expected[WRONG_BYTES]; /* the launch's result */
};

struct first_wrong {
    const struct nvdla_config *config;
    const struct journal *journal; /* NULL: nothing is judged */
    bool complete;                 /* the journal has all launches of the program */
    struct device *dev;            /* stopped at the first wrong beat, which is already in its memory */
    struct wrong_beat found;       /* kind WRONG_NONE: none yet */
    bool goes_on;                  /* the device is not stopped */
    uint64_t beats;                /* judged so far */
    struct read_judge reads;       /* up to the first wrong beat, after which errors may be its result */
    struct wrong_share {
        size_t next;   /* place of journal_next */
        int ordinal;   /* of the current launch */
        uint64_t left; /* bytes that it still has to write */
    } shares[NVDLA_CLIENT_COUNT][SPACE_COUNT];
};

/* Starts to observe the beats of the device, from its reset on. first must outlive it. */
struct axi_listener first_wrong_listener(struct first_wrong *first);

/* Frees its notes. */
void first_wrong_close(struct first_wrong *first);
