/* The player's state of a program in progress. The analysis of hangs reads it. */
#pragma once

#include "device/device.h"
#include "replay/hang_facts.h"
#include "replay/known_registers.h"
#include "trace/program.h"

struct play_options;
struct play_result;

enum { INTERRUPT_BITS = 32 };

struct stream {
    size_t *ops; /* indices into program.ops, file order */
    size_t count, next;
    bool poll_failed; /* the next operation is a poll that did not hold; wait for time to pass */
    uint32_t poll_tries;
    uint32_t poll_got; /* value of its last attempt */
    size_t noted;      /* 1 + the waiting operation reported to the device, 0: none */
};

struct player {
    const struct program *prog;
    struct device *dev;
    const struct play_options *options;
    struct play_result *result;
    struct error err;
    struct strange_read strange; /* the first */
    struct known_registers known;
    struct stream *streams;
    bool *raised;     /* by event */
    size_t *deferred; /* operations that wait for their event, file order */
    size_t deferred_count;
    size_t *notifies; /* OP_INTR_NOTIFY that wait for their interrupt, in order of issue */
    size_t notify_count;
    size_t *at_end;
    size_t at_end_count;
    uint64_t unclaimed[INTERRUPT_BITS]; /* interrupts serviced before a notification for them */
    size_t done, total;
    uint64_t progress_time;        /* device time of the last completed operation */
    uint64_t moved_time;           /* the same, or of a poll's new value, or of an assigned interrupt */
    uint64_t waited, still;        /* clocks advanced since these, for a device without a clock */
    uint32_t glb_status, glb_mask; /* byte addresses */

    /* sequential programs */
    uint32_t kept;         /* interrupt bits cleared but not expected yet */
    uint32_t asked;        /* bits that checks expected since the last clear */
    uint32_t last_cleared; /* bits that the last write to S_INTR_STATUS cleared */
    bool cleared_once;
    bool waited_since_clear;
    uint64_t rest_clocks; /* idle clocks of the device during the wait at the cursor */
    bool overtake;        /* streams also overtake waits for interrupts, because file order got stuck */
};

/* The unit of a register address, if the device implements it. */
static inline bool unit_is_there(const struct player *p, uint32_t address) {
    enum nvdla_unit unit = nvdla_unit_at(p->prog->config, address);
    return unit < NVDLA_UNIT_COUNT && (p->dev->units >> unit & 1u) != 0;
}
