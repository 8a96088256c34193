/* Traces that are played in pieces (split/split.h), side by side: one verdict, one report, the cycles summed. */
#ifndef RUN_JOBS_PIECES_H
#define RUN_JOBS_PIECES_H

#include <stddef.h>

#include "run/options/options.h"

struct pieces_options {
    size_t pieces; /* wanted; 0: as many as there can be */
    size_t sample; /* so many of them, chosen by the seed of the run, the longer the likelier; 0: all */
};

/* Cuts every trace of the options and plays its pieces. Returns the exit status. */
int pieces_run(const struct run_options *options, const struct pieces_options *pieces);

#endif
