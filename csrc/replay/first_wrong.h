/* The first wrong beat: every write of a device is compared, as it happens, with what the journal says that its launch
 * leaves there (replay/journal.h). The first that is wrong stops the device.
 *
 * Each client writes for its launches in the order in which the model has done them, and for each as many atoms: so the
 * n-th atom of an AXI ID on a port belongs to the launch in whose share it falls. Wrong is a beat of an ID that has no
 * client, or when no launch has anything left to write; a byte outside of what its launch writes; another value than
 * the launch leaves; a strobe that leaves a byte of an atom out that does not have its value already. A launch that
 * writes a byte more than once may write any value first. Where the model has not come to its end (it hung), nothing is
 * known of the launches that it did not come to.
 *
 * Of reads before that it keeps the first wrong one, with the launches told apart in the same way: the run goes on, but
 * whatever comes out wrong afterwards may come of it. Wrong is an atom of a client whose launches have read everything
 * (tb/provenance.h), one that its launch does not read, and one that its launch reads once and has read already. In
 * which order a launch reads is the design's choice.
 */
#ifndef REPLAY_FIRST_WRONG_H
#define REPLAY_FIRST_WRONG_H

#include "device/beat.h"
#include "device/device.h"
#include "nvdla/clients.h"
#include "replay/journal.h"

enum wrong_kind {
    WRONG_NONE,
    WRONG_OWNER,    /* nobody has anything to write */
    WRONG_OUTSIDE,  /* not where its launch writes */
    WRONG_LEFT_OUT, /* not enabled, and what memory has there is wrong */
    WRONG_VALUE,
};

enum { WRONG_BYTES = 64 /* widest bus */ };

struct wrong_beat {
    enum wrong_kind kind;
    struct axi_beat beat;          /* its data is `got`, its owner the launch in whose share it falls */
    uint64_t address;              /* of the first wrong byte */
    uint64_t wrong;                /* bit i: the byte at beat.address + i is wrong */
    uint64_t known;                /* bit i: expected[i] is known */
    uint8_t got[WRONG_BYTES];      /* what is on the bus; of bytes that are left out what memory holds */
    uint8_t expected[WRONG_BYTES]; /* what the launch leaves there */
};

enum wrong_read_kind {
    READ_RIGHT,
    READ_NOBODY,    /* no launch has anything left to read */
    READ_ELSEWHERE, /* its launch reads nothing there */
    READ_AGAIN,     /* its launch reads that once, and has */
};

struct wrong_read {
    enum wrong_read_kind kind;
    struct axi_beat beat; /* its data is NULL, its owner the launch in whose share it falls */
};

struct first_wrong {
    const struct nvdla_config *config;
    const struct journal *journal; /* NULL: nothing is judged */
    bool complete;                 /* the journal has all launches of the program */
    struct device *dev;            /* stopped at the first wrong beat; its memory holds the beat already */
    struct wrong_beat found;       /* kind WRONG_NONE: none yet */
    bool goes_on;                  /* the device is not stopped */
    uint64_t beats;                /* judged so far */
    struct wrong_read read;        /* kind READ_RIGHT: none is wrong yet */
    struct read_share {
        size_t next;   /* place of journal_next_read */
        int ordinal;   /* of the launch whose turn it is */
        uint64_t left; /* bytes that it still has to read */
        uint8_t *seen; /* a bit for each atom that it has read */
    } reads[NVDLA_CLIENT_COUNT][SPACE_COUNT];
    struct wrong_share {
        size_t next;   /* place of journal_next */
        int ordinal;   /* of the launch whose turn it is */
        uint64_t left; /* bytes that it still has to write */
    } shares[NVDLA_CLIENT_COUNT][SPACE_COUNT];
};

/* Hears the beats of the device, from its reset on. first outlives it. */
struct axi_listener first_wrong_listener(struct first_wrong *first);

/* Frees what it has noted. */
void first_wrong_close(struct first_wrong *first);

#endif
