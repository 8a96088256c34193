/* The corners of values that a trace reaches on the model. */
#pragma once

#include "coverage/corners.h"
#include "trace/program.h"

/* Plays the program on the model, as far as it gets. launches: see corners_new. */
struct corners *model_corners(const struct program *prog, const struct layer_tracker *launches);
