/* Golden files: what a test makes must be the text in tests/unit/golden. With UPDATE=1 in the environment it is written
 * there instead, to be looked at in git diff and committed. */
#pragma once

#include "memory/file.h"
#include "tests/unit/test.h"

static inline void golden(const char *name, const char *text) {
    char *path = xprintf("tests/unit/golden/%s", name), *wanted = NULL;
    struct error err;
    size_t size = 0, same = 0;
    if (getenv("UPDATE") ? !file_write(path, text, strlen(text), &err) : !file_read(path, &wanted, &size, &err))
        fail_msg("%s (run from the top of the tree; UPDATE=1 writes it)", err.text);
    int line = 1;
    for (; wanted && same < size && text[same] == wanted[same]; same++)
        line += text[same] == '\n';
    if (wanted && (same < size || text[same]))
        fail_msg("%s:%d: found from there on (UPDATE=1 writes the file, if the change is meant):\n%.400s", path, line,
                 text + same);
    free(wanted);
    free(path);
}
