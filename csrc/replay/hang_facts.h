/* Why a run was given up, as facts: what every stream waited for, which units were armed, what the device had found.
 * The words are the report's (report/hang_text.h).
 */
#ifndef REPLAY_HANG_FACTS_H
#define REPLAY_HANG_FACTS_H

#include "device/device.h"
#include "trace/program.h"

struct hang_triage;

enum hang_reason {
    HANG_STILL,      /* nothing moved for so long */
    HANG_TIMEOUT,    /* no operation got done for so long */
    HANG_MAX_CYCLES, /* the run took too long */
    HANG_IDLE,       /* the device knows that nothing will ever change */
    HANG_AT_END,     /* an operation at the end of the trace waits for what cannot come any more */
};

/* A stream that is not at its end. */
struct hang_stream {
    size_t stream, op;   /* its number, and its next operation in the program */
    size_t index, count; /* of that operation in the stream, from 0; of its operations */
    bool unit_absent;    /* the operation polls a unit that the device does not implement */
};

/* A group of a unit that was armed and is not done. */
struct hang_armed {
    enum nvdla_unit unit;
    int group;
    bool behind; /* the other group */
};

/* A client of the memory whose requests are never answered, because its weight is 0. */
struct hang_blocked {
    const struct nvdla_register *reg;
    const struct nvdla_field *field;
};

enum { HANG_ARMED = 2 * NVDLA_UNIT_COUNT, HANG_BLOCKED = 16 };

struct hang {
    enum hang_reason reason;
    uint64_t clocks; /* HANG_STILL, HANG_TIMEOUT, HANG_MAX_CYCLES */
    size_t op;       /* HANG_AT_END */
    const struct program *prog;
    const struct device *dev;
    uint64_t now, last_done; /* device time, and when the last operation got done */
    size_t done, total;      /* operations */
    struct hang_stream *streams;
    size_t stream_count;
    size_t *checks; /* operations that wait for an event, file order */
    size_t check_count;
    int *events; /* that have not been raised */
    size_t event_count;
    bool answers; /* GLB answered; the three below count */
    uint32_t intr_status, intr_mask;
    bool intr_line;
    uint32_t kept; /* interrupts of a sequential program that were cleared and not asked for */
    struct hang_armed armed[HANG_ARMED];
    size_t armed_count;
    struct hang_blocked blocked[HANG_BLOCKED];
    size_t blocked_count;
    const struct device_waits *waits; /* what the device shows of its inside, NULL: nothing */
    struct hang_triage *triage;       /* who waits for whom, replay/hang_triage.h; NULL: cannot be told */
};

#endif
