/* What a night would run, and for how long: a table on stdout. */
#ifndef REGRESS_NIGHT_DRY_RUN_H
#define REGRESS_NIGHT_DRY_RUN_H

#include "regress/plan/plan.h"

/* A line for each test that is not done (done: NULL: none is), the longest first, then counts by configuration, device
 * under test and memory setting, and the time that they take, `jobs` at a time; 0: one after the other, for a cluster
 * of unknown size. */
void dry_run_print(const struct test_list *tests, const bool *done, int jobs);

#endif
