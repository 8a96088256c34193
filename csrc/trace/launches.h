/* The launches of a program: the list of layers that its register writes arm. */
#ifndef TRACE_LAUNCHES_H
#define TRACE_LAUNCHES_H

#include "layers/tracker.h"
#include "trace/program.h"

/* Everything that the register writes of a program arm, tagged with the index of the operation. */
struct layer_tracker *program_launches(const struct program *prog);

#endif
