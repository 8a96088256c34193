/* Files that a trace names or that lie beside it.
 */
#ifndef TRACE_SIDE_FILES_H
#define TRACE_SIDE_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "trace/lex.h"
#include "trace/program.h"

/* NAME beside PATH: PATH's directory joined with NAME (an absolute NAME as it is). malloc'd. */
char *path_beside(const char *path, struct span name);

/* Reads a side file that a trace names; only regular files. *bytes is malloc'd and zero-terminated. */
bool side_file_read(const char *path, char **bytes, size_t *n, struct error *err);

/* The packet files of one trace, each read once. Zero-initialise; release the lists with packet_files_free. */
struct packet_files {
    char **names;
    struct blob **blobs;
    size_t count;
};
/* The blob of the packet file `name` beside `path`, owned by the program. line: of the command that names it. A
 * file without a byte of content is an error. */
const struct blob *packet_files_get(struct packet_files *files, struct program *prog, const char *path, int line,
                                    struct span name, struct error *err);
void packet_files_free(struct packet_files *files);

/* The part of a blob below `size`, as a new blob of that name. */
struct blob *blob_cut(const struct blob *blob, uint64_t size);

#endif
