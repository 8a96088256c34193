/* The launches of a program, and other register values for them. */
#ifndef TRACE_REWRITE_H
#define TRACE_REWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/layers.h"
#include "trace/program.h"

/* Everything that the register writes of a program arm, tagged with the index of the operation. NULL only when memory
 * is exhausted. */
struct layer_tracker *program_launches(const struct program *prog);

/* The value that a D register is to have when a launch is armed. */
struct launch_setting {
    enum nvdla_unit unit;
    int ordinal;
    uint32_t offset; /* of the register in its unit's window */
    uint32_t value;
};

/* Changes the program so that these launches are armed with these values, and all others with what they had. Register
 * writes that are there get another value; where a launch inherits the value of an earlier one, a write is added before
 * it is armed. Returns false when memory is exhausted; the program is then still one. */
bool program_set_launches(struct program *prog, const struct launch_setting *settings, size_t count);

#endif
