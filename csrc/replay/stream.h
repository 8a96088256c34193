/* What the player knows of a program in progress; shared with the search for the reason of a hang, which only reads it.
 */
#ifndef REPLAY_STREAM_H
#define REPLAY_STREAM_H

#include "device/device.h"
#include "trace/program.h"

struct play_options;
struct play_result;

enum { INTERRUPT_BITS = 32 };

struct stream {
    size_t *ops; /* indices into program.ops, file order */
    size_t count, next;
    bool poll_failed; /* the next operation is a poll that did not hold; wait for time to pass */
    uint32_t poll_tries;
    uint32_t poll_got; /* what its last try read */
    size_t noted;      /* 1 + the operation that the device was told it waits for, 0: none */
};

struct player {
    const struct program *prog;
    struct device *dev;
    const struct play_options *options;
    struct play_result *result;
    struct error err;
    struct stream *streams;
    bool *raised;     /* by event */
    size_t *deferred; /* operations that wait for their event, file order */
    size_t deferred_count;
    size_t *notifies; /* OP_INTR_NOTIFY that wait for their interrupt, in order of issue */
    size_t notify_count;
    size_t *at_end;
    size_t at_end_count;
    uint64_t unclaimed[INTERRUPT_BITS]; /* interrupts serviced before anybody asked for them */
    size_t done, total;
    uint64_t progress_time;        /* device time when the last operation got done */
    uint64_t moved_time;           /* the same, or when a poll read something new, or an interrupt was handed on */
    uint64_t waited, still;        /* clocks that the device was given since these, for a device without a clock */
    uint32_t glb_status, glb_mask; /* byte addresses */

    /* sequential programs */
    uint32_t kept;         /* interrupt bits cleared but not asked for yet */
    uint32_t asked;        /* bits that checks expected since the last clear */
    uint32_t last_cleared; /* bits that the last write to S_INTR_STATUS cleared */
    bool cleared_once;
    bool waited_since_clear;
    uint64_t rest_clocks; /* clocks that the device has been at rest during the wait at the cursor */
    bool overtake;        /* streams overtake waits for interrupts, too: file order stood still */
};

/* The unit of a register address, if the device implements it. */
static inline bool unit_is_there(const struct player *p, uint32_t address) {
    enum nvdla_unit unit = nvdla_unit_at(p->prog->config, address);
    return unit < NVDLA_UNIT_COUNT && (p->dev->units >> unit & 1u) != 0;
}

#endif
