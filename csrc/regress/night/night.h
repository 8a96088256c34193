/* One night: a plan, its tests, an engine that runs them, the database that stores their results, and what is written
 * when all are done. */
#ifndef REGRESS_NIGHT_NIGHT_H
#define REGRESS_NIGHT_NIGHT_H

#include <stdbool.h>
#include <stdint.h>

#include "regress/store/store.h"

struct night_options {
    const char *plan;     /* file; NULL: that of the resumed night */
    const char *select;   /* expression over tags; NULL: all */
    const char *out;      /* folder of nights; NULL: NIGHTS_FOLDER */
    const char *database; /* NULL: the plan's, or NIGHTS_DATABASE in the folder of nights */
    const char *notify;   /* command of the shell that gets the summary on its standard input; NULL: none */
    const char *engine;   /* "local" or "slurm"; NULL: local; a night that is resumed has its own */
    const char *slurm;    /* words for sbatch; NULL: the plan's */
    int chunk_seconds;    /* wall time of one job of Slurm; 0: the default */
    const char *command;  /* as it was given */
    int jobs;             /* at a time; 0: the plan's, or a process for each core */
    bool seed_given;
    uint64_t seed; /* of the night; not given: of the date */
    bool resume;
    int64_t resumed; /* number of the night; 0: the last of the plan that is not done */
    bool dry_run;    /* only print what would run */
};

/* Does it. Returns the exit status: 0 all passed or failed as known; else the worst, as nvcosim run has it; 2 also if
 * something could not be read, kept or written; 128 + N: interrupted by signal N. */
int night_run(const struct night_options *options);

#endif
