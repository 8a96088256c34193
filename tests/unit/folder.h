/* A folder of a test, which is removed with all that is in it. */
#pragma once

#include "memory/file.h"
#include "tests/unit/test.h"

static inline void release_folder(void *path) {
    directory_remove(path);
    free(path);
}

/* The path of a new empty folder, kept until the test ends. */
static inline char *folder_new(void) {
    struct error err;
    char *path = xmalloc(400);
    test_keep(path, release_folder);
    if (!directory_temporary(path, 400, &err))
        fail_msg("%s", err.text);
    return path;
}
