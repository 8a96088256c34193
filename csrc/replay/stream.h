/* The player's state of a program in progress. The analysis of hangs reads it. */
#pragma once

#include "device/device.h"
#include "replay/hang_facts.h"
#include "replay/known_registers.h"
#include "trace/program.h"

struct play_failure;
struct play_options;
struct play_result;

enum {
    INTERRUPT_BITS = 32,
    REST_LONG = 20000, /* idle clocks after which a sequential wait assumes that no further interrupt will arrive */
};

enum step { STEP_DONE, STEP_BLOCKED, STEP_BROKEN };

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

/* Reads a register; notes the first strange value. */
bool player_read(struct player *p, uint32_t address, uint32_t *value);
/* Counts a check; records the failure if it does not hold. */
void player_check(struct player *p, bool holds, const struct play_failure *failure);
/* Executes an operation on memory (player_memory.c). False with a message. */
bool player_memory(struct player *p, const struct op *op);

/* player_interrupts.c; event -1: none */
void player_raise(struct player *p, int event);
void player_notify(struct player *p, const struct op *op);
bool player_service(struct player *p, bool *found);
bool player_clear(struct player *p, const struct op *op);
enum step player_await(struct player *p, const struct op *op);

/* player_time.c */
void player_moved(struct player *p);
void player_went_on(struct player *p);
uint64_t player_stillness(const struct player *p);
uint64_t player_still_limit(const struct player *p);
void player_show(const struct player *p);
void player_note_goes(struct player *p, size_t index);
void player_hung(struct player *p, enum hang_reason reason, uint64_t clocks);
bool player_limit(struct player *p);
enum device_state player_pass(struct player *p, uint64_t cycles, bool until_interrupt);
