/* cpio's form newc, as Linux's Documentation/driver-api/early-userspace/buffer-format.rst has it; see archive.h. */
#include "run/guest/archive.h"

#include <string.h>

enum { ALIGN = 4, FOLDER = 040755, FILE_MODE = 0100644 };

static void align(FILE *out) {
    while (ftell(out) % ALIGN != 0)
        fputc('\0', out);
}

static void put(FILE *out, const char *name, unsigned mode, const void *bytes, size_t n) {
    /* magic, inode, mode, uid, gid, links, time, size, device (4), length of the name, check */
    fprintf(out, "070701%08x%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x", 0U, mode, 0U, 0U, 1U, 0U, n, 0U, 0U,
            0U, 0U, strlen(name) + 1, 0U);
    fwrite(name, strlen(name) + 1, 1, out);
    align(out);
    fwrite(bytes, 1, n, out);
    align(out);
}

void archive_put(FILE *out, const char *name, const void *bytes, size_t n) {
    put(out, name, bytes ? FILE_MODE : FOLDER, bytes ? bytes : "", n);
}

void archive_end(FILE *out) {
    put(out, "TRAILER!!!", 0, "", 0);
}

void archive_begin(FILE *out) {
    fseek(out, 0, SEEK_END);
    align(out);
}
