/* Simulators that the tests of a night need: built, or brought up to date, before anything runs, each once.
 */
#ifndef REGRESS_BUILDS_H
#define REGRESS_BUILDS_H

#include "nvdla/error.h"
#include "regress/plan.h"
#include "run/result.h"

struct builds;

/* Builds what the tests need that are not done (done: NULL: none is). A build that fails is told and does not end
 * anything. folder: of the night. */
struct builds *builds_make(const struct test_list *tests, const bool *done,
                           void (*tell)(void *context, const char *line), void *context);
void builds_free(struct builds *builds);

/* True if the test's simulator is not there: *result says so (ERROR, the end of the build's log), the caller frees it.
 */
bool builds_failed(const struct builds *builds, const struct test *test, const char *folder, struct result *result);

/* False with a message if the simulator that a test plays on is not there, without looking how old it is. */
bool builds_check(const struct test *test, struct error *err);

#endif
