/* Archives of cpio's form newc, which Linux unpacks as its first file system: what one run adds to a guest. */
#ifndef RUN_GUEST_ARCHIVE_H
#define RUN_GUEST_ARCHIVE_H

#include <stddef.h>
#include <stdio.h>

#include "nvdla/error.h"

/* Writes an entry: a folder (bytes NULL), or a file of n bytes. */
void archive_put(FILE *out, const char *name, const void *bytes, size_t n);
/* Ends the archive. */
void archive_end(FILE *out);
/* Begins one behind what is in the file, which may be another archive, packed or not. */
void archive_begin(FILE *out);

#endif
