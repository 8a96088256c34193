/* Checks of random cases: their register reads must match the model. */
#pragma once

#include "trace/program.h"

/* Turns each register read of the program into a check of the value on the model: status, and counters of events in the
 * data, which memory does not show. For programs of gen_build(), whose reads do not depend on time. A program that the
 * model cannot finish is left unchanged. */
void random_checks_add(struct program *prog);
