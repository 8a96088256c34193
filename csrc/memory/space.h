/* The two memories of NVDLA, at the primary (DBB) and the secondary (CVSRAM) AXI port (10-system, section 2). */
#pragma once

#include <stdbool.h>

enum memory_space { SPACE_PRIMARY, SPACE_SECONDARY, SPACE_COUNT };

/* "primary", "secondary": in messages, reports and .nvt. */
const char *memory_space_name(enum memory_space space);
/* The memory of that name; false if there is none. */
bool memory_space_find(const char *name, enum memory_space *space);
