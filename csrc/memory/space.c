/* Names of the two memories. See space.h. */
#include "memory/space.h"

const char *memory_space_name(enum memory_space space) {
    return space == SPACE_PRIMARY ? "primary" : "secondary";
}
