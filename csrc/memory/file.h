/* Files on disk, whole or piece by piece, and memory images. Names ending in .gz are gzip (zlib), detected by content
 * on reading. */
#ifndef MEMORY_FILE_H
#define MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "memory/memory.h"
#include "nvdla/error.h"

/* A file that is read piece by piece: what it costs does not depend on its size, nor on what a gzip stream unpacks to.
 */
struct file_reader;

/* Opens a regular file, gzip or not, by its content. A device or a pipe, which may never end, is refused. NULL with a
 * message. */
struct file_reader *file_reader_open(const char *path, struct error *err);
/* The same of an open file or pipe, which is closed at the end; path is its name in messages. */
struct file_reader *file_reader_take(int fd, const char *path, struct error *err);
/* Reads at most n bytes. Returns how many, 0 at the end, -1 with a message (read error, truncated or corrupt gzip
 * stream). */
ssize_t file_reader_read(struct file_reader *reader, void *bytes, size_t n, struct error *err);
void file_reader_close(struct file_reader *reader);

/* Reads a whole file, unpacking gzip. *bytes is malloc'd with one extra 0 byte behind the n bytes. A missing file, a
 * read error, a truncated or corrupt gzip stream each give their own message. */
bool file_read(const char *path, char **bytes, size_t *n, struct error *err);

/* A file that is written piece by piece, gzip if the name ends in .gz (no time stamp inside: same bytes every time). It
 * is written beside the target and renamed at the end, so a failure leaves no half-written file.
 */
struct file_writer;

/* NULL with a message. */
struct file_writer *file_writer_open(const char *path, struct error *err);
bool file_writer_put(struct file_writer *writer, const void *bytes, size_t n, struct error *err);
/* True if what it writes is packed. */
bool file_writer_packs(const struct file_writer *writer);
/* What comes next is like this sample: where looking for repetitions gains nothing (weights of networks) it is left
 * out, which is ten times as fast. n = 0: it is ordinary text again. */
bool file_writer_like(struct file_writer *writer, const void *sample, size_t n, struct error *err);
/* Ends the file and gives it its name, if all went well so far; else removes it. Returns whether the file is there. */
bool file_writer_close(struct file_writer *writer, bool fine, struct error *err);

/* Writes a whole file in that way. */
bool file_write(const char *path, const void *bytes, size_t n, struct error *err);

/* The same for the file of that name in a directory, which must exist. */
bool file_write_in(const char *directory, const char *name, const void *bytes, size_t n, struct error *err);

/* Dumps [address, address + n) as raw bytes, gzip by name. */
bool memory_dump(const struct memory *mem, uint64_t address, uint64_t n, const char *path, struct error *err);

/* Creates a directory and its parents; existing ones are fine. */
bool directory_make(const char *path, struct error *err);

#endif
