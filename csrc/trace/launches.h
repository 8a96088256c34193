/* The launches of a program: the layers that its register writes arm. */
#pragma once

#include "layers/tracker.h"
#include "trace/program.h"

/* All launches of a program, each tagged with the index of the operation that arms it. */
struct layer_tracker *program_launches(const struct program *prog);
