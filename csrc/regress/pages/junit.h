/* The results of a night as JUnit XML, which Jenkins, GitLab and most others read.
 *
 * A suite for each item of the plan, named PLAN.ITEM; a case for each test. FAIL and HANG are failures, CRASH, REFUSED
 * and ERROR are errors; known failures and tests that have not run are skipped, with the reason. What does not pass has
 * the commands that do it again in its system-out. */
#ifndef REGRESS_PAGES_JUNIT_H
#define REGRESS_PAGES_JUNIT_H

#include "regress/pages/review.h"

/* Writes the file as a whole or not at all. False with a message. */
bool junit_write(const struct review *review, const char *path, struct error *err);

#endif
