/* Why a run ended as hung, as data: what every stream waits for, which units are armed, what the device reports.
 * report/hang_text.h makes the text. */
#pragma once

#include "device/device.h"
#include "trace/program.h"

struct hang_triage;

/* A register read that cannot be right: bits of it are 1 that no field has, or differ from what they are for certain
 * (replay/known_registers.h). */
struct strange_read {
    bool found;
    bool known; /* bits differ from `expected`; else no field has them */
    uint32_t address, got, bits, expected;
    uint64_t cycle; /* device time */
};

enum hang_reason {
    HANG_STILL,      /* nothing moved for --still clocks */
    HANG_TIMEOUT,    /* no operation completed for --timeout clocks */
    HANG_MAX_CYCLES, /* the run exceeded --max-cycles */
    HANG_IDLE,       /* the device reports that nothing will ever change */
    HANG_AT_END,     /* an operation at the end of the trace waits for something that can no longer happen */
};

/* An unfinished stream. */
struct hang_stream {
    size_t stream, op;   /* its number, and its next operation in the program */
    size_t index, count; /* of that operation in the stream, from 0; of its operations */
    bool unit_absent;    /* the operation polls a unit that the device does not implement */
};

/* An armed group of a unit that is not done. */
struct hang_armed {
    enum nvdla_unit unit;
    int group;
    bool behind; /* the other group */
};

/* A memory client that never gets a response because its weight is 0. */
struct hang_blocked {
    const struct nvdla_register *reg;
    const struct nvdla_field *field;
};

enum { HANG_ARMED = 2 * NVDLA_UNIT_COUNT, HANG_BLOCKED = 16 };

struct hang {
    enum hang_reason reason;
    uint64_t clocks; /* HANG_STILL, HANG_TIMEOUT, HANG_MAX_CYCLES */
    bool cut;        /* HANG_MAX_CYCLES while things move: it may be no hang */
    size_t op;       /* HANG_AT_END */
    const struct program *prog;
    const struct device *dev;
    uint64_t now, last_done; /* device time, now and at the last completed operation */
    size_t done, total;      /* operations */
    struct hang_stream *streams;
    size_t stream_count;
    size_t *checks; /* operations that wait for an event, file order */
    size_t check_count;
    int *events; /* that have not been raised */
    size_t event_count;
    bool answers; /* GLB answered, and no register read what cannot be; the three below and `armed` count */
    uint32_t intr_status, intr_mask;
    bool intr_line;
    uint32_t kept; /* interrupts of a sequential program that were cleared and never requested */
    struct hang_armed armed[HANG_ARMED];
    size_t armed_count;
    struct hang_blocked blocked[HANG_BLOCKED];
    size_t blocked_count;
    const struct device_waits *waits; /* internal state of the device, NULL: not visible */
    struct hang_triage *triage;       /* chain of waits (replay/hang_triage.h), NULL: unknown */
};
