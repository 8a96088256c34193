/* The player: runs a program on a device and keeps what every check found. It never prints.
 *
 * Order of play (chapter 80 sections 3.3 and 9). Among the streams whose next operation can go, the one whose operation
 * stands first in the file goes; a wait for an interrupt that is to come holds the operations behind it in all streams.
 * When none can go, time passes on the device until its interrupt or the next polling interval. In a program with
 * streams the player services interrupts: it reads S_INTR_STATUS and S_INTR_MASK, hands each unmasked bit to the oldest
 * waiting OP_INTR_NOTIFY of that source (one swap of groups is tolerated), writes the bits back. In a sequential
 * program the trace does that itself.
 */
#ifndef REPLAY_PLAYER_H
#define REPLAY_PLAYER_H

#include "device/device.h"
#include "replay/hang_facts.h"
#include "trace/program.h"

struct play_options {
    uint64_t max_cycles; /* whole run, 0 = no limit */
    uint64_t timeout; /* clocks without any operation getting done before the run is given up; default 0 = no limit */
    /* Clocks in which nothing moves before the run counts as hung: no operation gets done, no poll reads anything new,
     * and nothing moves in the device as far as it can tell (device.h, still). 0, the default: device.still_limit. */
    uint64_t still;
    uint32_t poll_interval; /* clocks between two attempts of a poll; default 55 */
    uint32_t poll_attempts; /* for polls that name no limit: 0 until time-out; default 0 */
    bool strict;            /* volatile reads are compared too */
    bool stop_at_first;     /* the run ends at the first check that fails, and at the first finding of the device */
    uint64_t seed;          /* PATTERN_RANDOM fills */
    /* Called now and then with the operations done and the layer running; may be NULL. */
    void (*progress)(void *context, const struct device *dev, size_t done, size_t total);
    void *progress_context;
    /* Called before each attempt at an operation of a stream or of the end, with its index; may be NULL. */
    void (*trying)(void *context, const struct device *dev, size_t op);
    void *trying_context;
    /* Called with each comment of the trace when its place comes; may be NULL. */
    void (*note)(void *context, struct device *dev, const char *text);
    void *note_context;
};

enum play_outcome {
    PLAY_PASSED,
    PLAY_CHECK_FAILED, /* a check of the trace failed, or the device has findings */
    PLAY_HUNG,         /* nothing moves any more, or a limit of the run is reached */
    PLAY_STOPPED,      /* ended before its end, because somebody wants it so: stop_at_first, device.stop */
    PLAY_BROKEN,       /* the device failed */
    PLAY_REFUSED,      /* the device does not carry out what the spec leaves undefined */
};

/* One check that did not hold. */
struct play_failure {
    size_t op;              /* index into the program */
    uint32_t got, expected; /* register value or CRC */
    uint64_t first, count;  /* OP_MEM_CHECK: first wrong address, number of wrong bytes */
};

struct play_result {
    enum play_outcome outcome;
    char *message;     /* PLAY_BROKEN, PLAY_REFUSED: lines for a person; else NULL */
    struct hang *hang; /* PLAY_HUNG: why; report/hang_text.h has words for it. Valid while device and program are */
    struct device_warning refusal; /* PLAY_REFUSED: which launch, and why */
    struct play_failure *failures;
    size_t failure_count;
    size_t checks_done;         /* checks that were executed */
    size_t checks_skipped;      /* register checks of units and counters that the device does not implement */
    size_t volatile_mismatches; /* informational reads that differed */
    uint64_t interrupts;        /* serviced */
    struct device_statistics statistics;
};

void play_options_default(struct play_options *options);

/* Plays the whole program, from device reset. Returns the outcome, also in result; release it with play_result_free. */
enum play_outcome play(const struct program *prog, struct device *dev, const struct play_options *options,
                       struct play_result *result);
void play_result_free(struct play_result *result);

#endif
