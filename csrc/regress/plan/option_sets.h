/* The options of `nvcosim run` that tests are played with, parsed once for all tests that differ only in trace and
 * seed: a night has hundreds of tests to a set. */
#ifndef REGRESS_PLAN_OPTION_SETS_H
#define REGRESS_PLAN_OPTION_SETS_H

#include "regress/plan/test.h"

struct option_set;

struct option_sets {
    struct option_set **sets; /* the one that was used last comes first */
    size_t count;
};

/* What one test has of a set. Zero-initialise. */
struct set_options {
    struct option_set *set;
    struct run_options options; /* shares all that the set owns, except `given` */
    char *seed;                 /* a word of options.given */
};

/* Takes the options of a test, reports going to FOLDER/reports. False with a message: nothing was taken then, and the
 * options are those of run_options_init(). */
bool set_options_take(struct option_sets *sets, const struct test *test, const char *folder, struct set_options *taken,
                      struct error *err);
void set_options_leave(struct set_options *taken);

/* No options of them may be in use. */
void option_sets_free(struct option_sets *sets);

#endif
