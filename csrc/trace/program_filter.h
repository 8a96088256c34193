/* Changes register values of the launches of a program. */
#pragma once

#include "trace/program.h"

/* The value a D register shall have when a launch is armed. */
struct launch_setting {
    enum nvdla_unit unit;
    int ordinal;
    uint32_t offset; /* offset of the register in its unit's window */
    uint32_t value;
};

/* Changes the program so that these launches are armed with these values, and all others with their old values.
 * Existing register writes get another value; where a launch inherits the value of an earlier one, a write is inserted
 * before it is armed. */
void program_set_launches(struct program *prog, const struct launch_setting *settings, size_t count);
