/* Plays the pieces of a trace (split/split.h) in parallel: one verdict, one report, the sum of cycles. */
#pragma once

#include "run/options/options.h"

struct pieces_options {
    size_t pieces; /* number wanted; 0: as many as possible */
    size_t sample; /* number to play, chosen by the seed of the run, with longer ones more likely; 0: all */
};

/* Cuts every trace of the options and plays its pieces. Returns the exit status. */
int pieces_run(const struct run_options *options, const struct pieces_options *pieces);
