/* The order in which tests start, and how long they are expected to take: the longest first, so that no core idles at
 * the end while a long test that started last runs. */
#ifndef REGRESS_ENGINE_SCHEDULE_H
#define REGRESS_ENGINE_SCHEDULE_H

#include <stdbool.h>

#include "regress/plan/plan.h"

struct schedule {
    size_t *order; /* indices of the tests that are not done */
    size_t count;
    double *seconds; /* wall time of each test of the list: by history (test->expected_seconds); without one by the size
                        of its trace and the time of others of its kind; 0: nothing is known about these */
    size_t unknown;  /* of those in `order`, how many have no history */
};

/* done: NULL: none is. */
struct schedule schedule_make(const struct test_list *tests, const bool *done);
void schedule_free(struct schedule *schedule);

/* Seconds that the tests in `order` take when `jobs` run at a time. */
double schedule_span(const struct schedule *schedule, int jobs);

#endif
