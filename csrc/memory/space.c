/* Names of the two memories. See space.h. */
#include "memory/space.h"

#include <string.h>

const char *memory_space_name(enum memory_space space) {
    return space == SPACE_PRIMARY ? "primary" : "secondary";
}

bool memory_space_find(const char *name, enum memory_space *space) {
    for (int i = 0; i < SPACE_COUNT; i++) {
        *space = (enum memory_space)i;
        if (strcmp(name, memory_space_name(*space)) == 0)
            return true;
    }
    return false;
}
