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

struct again {
    const struct run_options *options;
    struct journal *journal; /* NULL: beats are not judged */
    struct first_wrong first;
    struct axi_listener beats;
    struct copies *copies;    /* NULL: none are made */
    struct wave_options wave; /* that a copy records */
    struct play_options *play;
    struct taps *taps; /* opened in a copy that wakes, */
    const char *trace; /* for the trace of that name; options->debug only */
    int status;        /* of the copy that took the result over; -1: none did */
};

/* Sets up what options ask for. again->wave, play (which a copy that wakes changes), taps and trace are the caller's to
 * set before. What it is given outlives it. */
void again_open(struct again *again, const struct run_options *options, const struct nvdla_config *config);

/* Ends the copies. */
void again_close(struct again *again);

/* What this process was woken for; NULL: it is no copy. */
const struct wake *again_woken(const struct again *again);

/* Where the run on the RTL has failed, and there are copies: plays it again from the right one to the failure. In that
 * copy it does not return, or, where the engine to blame is looked for (options->debug), returns at once: that process
 * then judges, reports and says the result. */
void again_look(struct again *again, const struct report_input *input, struct words *notes);

#endif
