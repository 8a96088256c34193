/* The import in progress: accesses become records of a temporary file (lift.c), and these a trace (lift_write.c). */
#pragma once

#include <stdio.h>

#include "nvdla/config.h"
#include "nvdla/error.h"

struct lift_options;
struct lift_summary;

enum {
    RECORD_SLOT = 255,   /* kinds of records that are not operations: a place of memory, */
    RECORD_LAUNCH = 254, /* the note on a launch */
};

/* A record of the temporary file. */
struct record {
    uint8_t kind; /* enum op_kind, or RECORD_SLOT */
    bool volatile_read;
    uint8_t relation;              /* of a poll */
    uint32_t address, value, mask; /* address: number of a place, or unit of a launch; value: its group */
    int32_t line;
    uint32_t text; /* bytes of text after it */
};

/* Consecutive reads of one register. */
struct loop {
    uint32_t address, last, changed; /* changed: bits that differ between the reads */
    uint64_t count, line;            /* count 0: no reads */
    bool checked;
    uint32_t mask;
};

struct lift {
    const struct lift_options *options;
    const struct nvdla_config *config;
    struct source *source;
    struct lift_summary *summary;
    struct lift_memory *memory;
    struct relocate *relocate;
    struct layer_tracker *tracker;
    FILE *records;
    FILE *accesses;
    struct loop loop;
    bool nothing_read; /* the last register access was a read of S_INTR_STATUS without set bits */
    uint32_t pending;  /* interrupts waited for and not yet cleared */
    uint32_t running;  /* interrupts of groups that are armed and not known to be done */
    uint32_t ever;     /* interrupts of groups that were armed at some time */
    uint32_t known;    /* outstanding interrupts of groups that are done according to S_STATUS */
    uint32_t mask;     /* S_INTR_MASK */
    /* Masks of units (1 << enum nvdla_unit): those whose first group is known, or guessed from the first one armed; and
     * of these those that start with group 1. */
    uint32_t turn_known, turn_guessed, turn_second;
    uint32_t producers;   /* units whose PRODUCER is 1 */
    uint32_t programmed;  /* units with writes to registers of a group */
    uint32_t began_first; /* those of them whose first such write was to group 0 */
    uint32_t armed;       /* units */
    bool waited;          /* the last operation is a wait for the line to rise */
    uint64_t table_words; /* of the current upload */
    enum nvdla_unit table_unit;
    struct error *err;
};

static inline bool is_register(const struct lift *lift, uint32_t address, enum nvdla_unit unit, uint32_t offset) {
    return nvdla_has_unit(lift->config, unit) && address == nvdla_unit_base(lift->config, unit) + offset;
}

/* Writes the trace from the records. False with a message. */
bool lift_write(struct lift *lift);
