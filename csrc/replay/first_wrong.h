/* The first wrong beat: every write of a device is compared, as it happens, with what the journal says that its launch
 * leaves there (replay/journal.h). The first that is wrong stops the device.
 *
 * Wrong is a beat of an ID that has no client, or when no launch has anything left to write; a byte outside the output
 * of its launch; another value than the launch leaves; a strobe that leaves a byte of an atom out that does not have
 * its value already. A launch that writes a byte more than once may write any value first. Of BDMA no beat can be
 * assigned to a launch: its bytes must be what some launch leaves there. Of launches that the journal does not have,
 * because the model did not come to them, nothing is known.
 */
#ifndef REPLAY_FIRST_WRONG_H
#define REPLAY_FIRST_WRONG_H

#include "device/beat.h"
#include "device/device.h"
#include "replay/journal.h"

enum wrong_kind {
    WRONG_NONE,
    WRONG_OWNER,    /* nobody has anything to write */
    WRONG_OUTSIDE,  /* not in the output of its launch */
    WRONG_LEFT_OUT, /* not enabled, and what memory has there is wrong */
    WRONG_VALUE,
};

enum { WRONG_BYTES = 64 /* widest bus */ };

struct wrong_beat {
    enum wrong_kind kind;
    struct axi_beat beat;          /* its data is `got` */
    uint64_t address;              /* of the first wrong byte */
    uint64_t wrong;                /* bit i: the byte at beat.address + i is wrong */
    uint64_t known;                /* bit i: expected[i] is known */
    uint8_t got[WRONG_BYTES];      /* what is on the bus; of bytes that are left out what memory holds */
    uint8_t expected[WRONG_BYTES]; /* what the launch leaves there */
};

struct first_wrong {
    const struct nvdla_config *config;
    const struct journal *journal; /* NULL: nothing is judged */
    struct device *dev;            /* stopped at the first wrong beat; its memory holds the beat already */
    struct wrong_beat found;       /* kind WRONG_NONE: none yet */
    uint64_t beats;                /* judged so far */
};

/* Hears the beats of the device. first outlives it. */
struct axi_listener first_wrong_listener(struct first_wrong *first);

#endif
