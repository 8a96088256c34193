/* What cannot be asked of another's RTL: it is neither this project's nor a copy of it. */
#pragma once

#include "run/options/options.h"

/* False with a message if the options ask for something inside the RTL that is known not to be there. */
bool foreign_can_play(const struct run_options *options, const char *config, struct error *err);

/* Prints to stderr what `nvcosim serve` cannot show of the RTL; nothing if it is not known to be another's. */
void foreign_announce_served(const struct run_options *options, const char *config);

/* Prints to stderr how the counted lines of another's RTL are shown, if lines are counted. */
void foreign_announce_coverage(const struct run_options *options, const char *config);

/* A hint for a run that does not end: clock gates of a foreign RTL may close, and under Verilator they may then fail to
 * open again. NULL if they stay open. pins: NAME=VALUE; the last of a name counts. */
const char *foreign_gates_note(bool foreign, const struct words *pins);

/* The same for a simulator by name, with the pins that it was built with. */
const char *foreign_gates_of(const struct run_options *options, const char *config);
