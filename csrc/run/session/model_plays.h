/* What the model alone says about a program. */
#pragma once

#include "coverage/corners.h"
#include "trace/program.h"

/* The corners of values that a trace reaches, as far as the model gets. launches: see corners_new. */
struct corners *model_corners(const struct program *prog, const struct layer_tracker *launches);

/* Turns each register read of the program into a check of the value on the model: status, and counters of events in the
 * data, which memory does not show. For programs of gen_build(), whose reads do not depend on time. A program that the
 * model cannot finish is left unchanged. */
void random_checks_add(struct program *prog);
