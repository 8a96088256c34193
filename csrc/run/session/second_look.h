/* What happens when a run on the RTL fails: how it is seen at once (--stop-at-first), and how the run is looked at
 * again from shortly before, by a copy of the process that wakes and records (replay/copies.h).
 */
#ifndef RUN_SESSION_SECOND_LOOK_H
#define RUN_SESSION_SECOND_LOOK_H

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
    struct wave_options wave; /* that a copy records */
    struct play_options *play;
    struct taps *taps; /* opened in a copy that wakes, */
    const char *trace; /* for the trace of that name; options->debug only */
};

/* Sets up what options ask for. look->wave, play (which a copy that wakes changes), taps and trace are the caller's to
 * set before. What it is given outlives it. */
void second_look_open(struct second_look *look, const struct run_options *options, const struct nvdla_config *config);

/* Ends the copies. */
void second_look_close(struct second_look *look);

/* The run on the RTL is over. Where it has failed, and there are copies, the right one wakes and plays it again to the
 * failure; this waits for its end. Returns true if that copy has delivered the result (options->debug): *status is then
 * its exit status. */
bool second_look(struct second_look *look, const struct report_input *input, struct words *notes, int *status);

/* True in a copy that has woken. */
bool second_look_is_copy(const struct second_look *look);

/* Ends a copy that was woken to record and no more. Its exit status is 0 if it got where it was sent and what it
 * recorded is written. */
void second_look_leave(const struct second_look *look, const struct played *rtl) __attribute__((noreturn));

#endif
