/* nvcosim bisect: finds the commit of an RTL since which a trace fails. `git bisect` searches in a checkout of its own
 * in a temporary folder, which is removed however this ends. Each revision that it asks for is built as another RTL in
 * today's harness, and played. */
#ifndef REGRESS_BISECT_BISECT_H
#define REGRESS_BISECT_BISECT_H

#include <stdbool.h>

#include "nvdla/text.h"

struct bisect_options {
    const char *repo;       /* a folder in the repository */
    const char *good, *bad; /* names of commits */
    const char *filelist;   /* relative to the top of the repository; NULL: rtl/nvdla.f, as this project has it */
    const char *top, *taps; /* as of nvcosim build; NULL: none is given */
    struct words verilator; /* further options of Verilator */
    const char *prepare;    /* command of the shell that runs in each checkout before it is built; NULL: none */
    const char *config, *trace;
    struct words run; /* further options of nvcosim run */
    const char *out;  /* folder of logs and reports */
    bool first_parent, any_failure;
};

/* Does it. Returns the exit status: 0 the commit is found, 1 only skipped ones remain, 2 it cannot be done; 128 + N:
 * ended by signal N. */
int bisect_run(const struct bisect_options *options);

#endif
