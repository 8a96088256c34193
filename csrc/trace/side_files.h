/* Files that a trace names or that are in its directory. */
#pragma once

#include "nvdla/error.h"
#include "trace/lex.h"
#include "trace/program.h"

/* PATH's directory joined with NAME, or NAME if absolute. malloc'd. */
char *path_beside(const char *path, struct span name);

/* Reads a memory file: packets (chapter 80 section 3.4) or plain data lines (section 1.6). NULL with a message if it
 * cannot be read or is truncated, and for packets without content. */
struct blob *packet_file_read(const char *path, struct error *err);
struct blob *data_file_read(const char *path, size_t most, size_t *found, struct error *err);

/* The same from open lines. Keeps the first `most` bytes; *found: number of bytes in the file. A file without content
 * gives an empty blob. */
struct blob *packets_parse(struct lines *lines, struct error *err);
struct blob *data_lines_parse(struct lines *lines, size_t most, size_t *found, struct error *err);

/* The packet files of one trace, each read once. Zero-initialise; release the lists with packet_files_free. */
struct packet_files {
    char **names;
    struct blob **blobs;
    size_t count;
};
/* The blob of the packet file `name` in the directory of `path`, owned by the program. line: of the command that names
 * it. A file without content is an error. */
const struct blob *packet_files_get(struct packet_files *files, struct program *prog, const char *path, int line,
                                    struct span name, struct error *err);
void packet_files_free(struct packet_files *files);

/* The part of a blob below `size`, as a new blob of that name. */
struct blob *blob_cut(const struct blob *blob, uint64_t size);
