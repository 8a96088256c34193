/* Failures on the RTL: detects them immediately (--stop-at-first), and repeats the run from shortly before, in a copy
 * of the process that wakes up and records (replay/copies.h). */
#pragma once

#include "replay/copies.h"
#include "replay/first_wrong.h"
#include "replay/journal.h"
#include "replay/player.h"
#include "report/outcome.h"
#include "run/options/options.h"
#include "run/session/taps.h"

struct second_look {
    const struct run_options *options;
    struct journal *journal; /* NULL: beats are not judged */
    struct first_wrong first;
    struct axi_listener beats;
    struct copies *copies;    /* NULL: none are made */
    struct wave_options wave; /* what a copy records */
    struct play_options *play;
    struct taps *taps; /* opened in a copy that wakes up, */
    const char *trace; /* for the trace of that name; options->debug only */
};

/* Prepares what the options ask for. The caller first sets look->wave, play (which a waking copy changes), taps and
 * trace. The arguments must outlive it. */
void second_look_open(struct second_look *look, const struct run_options *options, const struct nvdla_config *config);

/* Ends the copies. */
void second_look_close(struct second_look *look);

/* To be called when the run on the RTL is over. If it failed, and there are copies, wakes the right one, which repeats
 * the run up to the failure, and waits for its end. Returns true if that copy has delivered the result
 * (options->debug), with its exit status in *status. */
bool second_look(struct second_look *look, const struct report_input *input, struct words *notes, int *status);

/* True in a copy that has woken up. */
bool second_look_is_copy(const struct second_look *look);

/* Ends a copy that was woken only to record. Its exit status is 0 if it reached its goal and its recordings are
 * written. */
void second_look_leave(const struct second_look *look, const struct played *rtl) __attribute__((noreturn));
