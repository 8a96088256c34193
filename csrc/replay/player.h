/* The player: runs a program on a device and keeps the result of every check. It never prints.
 *
 * Order of play (chapter 80 sections 3.3 and 9). Of all streams that can continue, the one whose next operation is
 * first in the file does; a wait for an outstanding interrupt blocks later operations in all streams. If no stream can
 * continue, time passes on the device until its interrupt or the next polling interval. In a program with streams the
 * player services interrupts: it reads S_INTR_STATUS and S_INTR_MASK, assigns each unmasked bit to the oldest waiting
 * OP_INTR_NOTIFY of that source (one swap of groups is tolerated), and writes the bits back. A sequential trace does
 * that itself. */
#pragma once

#include "device/device.h"
#include "replay/hang_facts.h"
#include "trace/program.h"

/* Bits of a register that reads do not compare: a known difference of the device. */
struct read_exception {
    uint32_t address; /* byte offset in the register map */
    uint32_t mask;
    const char *reason; /* text of the user's or ours, "" without */
};

struct play_options {
    const struct read_exception *exceptions;
    size_t exception_count;
    uint64_t max_cycles; /* whole run, 0 = no limit */
    uint64_t timeout;    /* clocks without a completed operation until the run ends; default 0 = no limit */
    /* Clocks without movement until the run counts as hung: no operation completes, no poll reads a new value, and the
     * device reports no movement (device.h, still). 0, the default: device.still_limit. */
    uint64_t still;
    uint32_t poll_interval; /* clocks between two attempts of a poll; default 55 */
    uint32_t poll_attempts; /* for polls without a limit: 0 until time-out; default 0 */
    bool strict;            /* volatile reads are compared too */
    bool stop_at_first;     /* the run ends at the first check that fails, and at the first finding of the device */
    uint64_t seed;          /* PATTERN_RANDOM fills */
    /* Called now and then with the number of completed operations and the current layer; may be NULL. */
    void (*progress)(void *context, const struct device *dev, size_t done, size_t total);
    void *progress_context;
    /* Called before each attempt at an operation of a stream or of the end, with its index; may be NULL. */
    void (*trying)(void *context, const struct device *dev, size_t op);
    void *trying_context;
    /* Called with each comment of the trace when it is reached; may be NULL. */
    void (*note)(void *context, struct device *dev, const char *text);
    void *note_context;
};

enum play_outcome {
    PLAY_PASSED,
    PLAY_CHECK_FAILED, /* a check of the trace failed, or the device has findings */
    PLAY_HUNG,         /* nothing moves, or a limit of the run is reached */
    PLAY_STOPPED,      /* stopped early on request: stop_at_first, device.stop */
    PLAY_BROKEN,       /* the device failed */
    PLAY_REFUSED,      /* the device refuses settings that the spec leaves undefined */
};

/* A failed check. */
struct play_failure {
    size_t op;              /* index into the program */
    uint64_t cycle;         /* device time */
    uint32_t got, expected; /* register value or CRC */
    uint64_t first, count;  /* OP_MEM_CHECK: first wrong address, number of wrong bytes */
};

struct play_result {
    enum play_outcome outcome;
    char *message; /* PLAY_BROKEN, PLAY_REFUSED: lines of text; else NULL */
    struct hang
        *hang; /* PLAY_HUNG: the reason; report/hang_text.h makes its text. Valid while device and program are */
    struct device_warning refusal; /* PLAY_REFUSED: which launch, and why */
    struct play_failure *failures;
    size_t failure_count;
    size_t checks_done;          /* executed checks */
    size_t checks_skipped;       /* register checks of units and counters that the device does not implement */
    size_t volatile_mismatches;  /* informational reads that differed */
    struct strange_read strange; /* the first; a sign, not a failure */
    size_t excepted;             /* reads that differ in bits of play_options.exceptions */
    uint64_t interrupts;         /* serviced */
    struct device_statistics statistics;
};

void play_options_default(struct play_options *options);

/* Plays the whole program, from device reset. Returns the outcome, also in result; free that with play_result_free. */
enum play_outcome play(const struct program *prog, struct device *dev, const struct play_options *options,
                       struct play_result *result);
void play_result_free(struct play_result *result);

/* Reads whether a group of a unit is armed, by its status register. False: there is no answer. */
bool player_group_armed(struct device *dev, enum nvdla_unit unit, int group, bool *armed);
