/* Is the corpus any good? Faults are planted into a copy of an RTL, all into one simulator, one of them chosen for each
 * run, and the tests are played until one notices it (docs/qualify.md).
 *
 * A run of each test without any fault shows which faults could have changed something in it (struct result, faults):
 * a fault is played with these tests only, the shortest first. */
#ifndef REGRESS_FAULTS_QUALIFY_H
#define REGRESS_FAULTS_QUALIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/config.h"
#include "nvdla/text.h"
#include "regress/store/store.h"
#include "run/options/rtl_source.h"

struct qualify_options {
    const struct nvdla_config *config;
    struct rtl_source source; /* no file list: the project's own RTL */
    struct words folders;     /* that get faults, by turns; none: all places are alike */
    uint32_t count;           /* of faults */
    uint64_t seed;
    const char *name;        /* of the simulator: rtl:NAME */
    const char *equivalents; /* file of faults that change nothing; NULL: none */
    const char *plan;        /* whose tests are played; NULL: traces */
    const char *select;      /* which of them; NULL: all of the configuration */
    struct words traces;
    const char *database; /* NULL: the plan's, or that of OUT */
    const char *out;      /* folder of nights */
    const char *command;  /* as it was given */
    int jobs;
    int together; /* faults that are played at a time with those that have survived the first tests; 1: each alone */
    int at_least; /* per cent of the faults that are not equivalent that must be noticed */
    bool resume;
};

/* Does it and prints the result on stdout. Returns the exit status: 1 if fewer faults are noticed than at_least asks
 * for, 128 + N if it was ended by signal N. */
int qualify_run(const struct qualify_options *options);

#endif
