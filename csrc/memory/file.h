/* Files on disk, whole or piece by piece, gzip or plain. Names ending in .gz are written as gzip (zlib); on reading it
 * is detected by content. */
#pragma once

#include <sys/types.h>

#include "memory/memory.h"
#include "nvdla/error.h"

/* A file that is read piece by piece, with a cost that depends neither on its size nor on the unpacked size. */
struct file_reader;

/* Opens a regular file, gzip or plain. Refuses a device or a pipe, which may never end. NULL with a message. */
struct file_reader *file_reader_open(const char *path, struct error *err);
/* The same for an open file or pipe, which the reader closes; path is its name in messages. */
struct file_reader *file_reader_take(int fd, const char *path, struct error *err);
/* Reads at most n bytes. Returns how many, 0 at the end, -1 with a message (read error, truncated or corrupt gzip
 * stream). */
ssize_t file_reader_read(struct file_reader *reader, void *bytes, size_t n, struct error *err);
void file_reader_close(struct file_reader *reader);

/* Reads a whole file, unpacking gzip. *bytes is malloc'd: n bytes and a terminating 0. A missing file, a read error and
 * a truncated or corrupt gzip stream each have their own message. */
bool file_read(const char *path, char **bytes, size_t *n, struct error *err);

/* A file that is written piece by piece, as gzip if its name ends in .gz (without time stamp: same content, same
 * bytes). It is written beside the target and renamed at the end, so a failure leaves no partial file. */
struct file_writer;

/* NULL with a message. */
struct file_writer *file_writer_open(const char *path, struct error *err);
bool file_writer_put(struct file_writer *writer, const void *bytes, size_t n, struct error *err);
/* True if the file is packed. */
bool file_writer_packs(const struct file_writer *writer);
/* What follows resembles this sample: if searching for repetitions gains nothing (weights of networks), it is switched
 * off, which is ten times as fast. n = 0: ordinary text again. */
bool file_writer_like(struct file_writer *writer, const void *sample, size_t n, struct error *err);
/* Ends the file: gives it its name if there was no error, otherwise removes it. Returns whether the file exists. */
bool file_writer_close(struct file_writer *writer, bool fine, struct error *err);

/* Writes a whole file that way. */
bool file_write(const char *path, const void *bytes, size_t n, struct error *err);

/* The same for a file in an existing directory. */
bool file_write_in(const char *directory, const char *name, const void *bytes, size_t n, struct error *err);

/* Writes [address, address + n) as raw bytes, gzip by name. */
bool memory_dump(const struct memory *mem, uint64_t address, uint64_t n, const char *path, struct error *err);

/* Creates a directory and its parents; existing directories are fine. */
bool directory_make(const char *path, struct error *err);

/* Whether there is a folder of that name. */
bool directory_exists(const char *path);

/* Creates an empty directory in $TMPDIR, in /tmp or else here, and puts its path into the text of that size. */
bool directory_temporary(char *path, size_t size, struct error *err);

/* Removes a directory with all that is in it, as far as possible. */
void directory_remove(const char *path);
