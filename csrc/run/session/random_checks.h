/* Random cases as they are played: what they read must be what the model reads. */
#ifndef RUN_SESSION_RANDOM_CHECKS_H
#define RUN_SESSION_RANDOM_CHECKS_H

#include "trace/program.h"

/* Makes each register read of the program a check of what the model reads there: status, and counters of what the
 * layers' values did, of which memory tells nothing. For a program of gen_build, whose reads do not depend on time; one
 * that the model does not play to its end is left as it is. */
void random_checks_add(struct program *prog);

#endif
