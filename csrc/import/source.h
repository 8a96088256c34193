/* Where captures come from: a stream of accesses in the order of the file, whatever its format, in bounded memory.
 *
 * A source reads one file of a format (mmiotrace.c, kmd.c, vp.c, ...) and knows nothing of what the accesses mean;
 * lift.h makes a program of them.
 */
#ifndef IMPORT_SOURCE_H
#define IMPORT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "import/access.h"
#include "nvdla/error.h"

struct source;

/* Opens a capture, gzip or not: one file, or several that go on one after the other (a log that was rotated). format:
 * "mmiotrace", "kmd", "vp", "txn", "csv", "vcd", "fst", "cfg", "pattern"; NULL: by its content. NULL with a message
 * that says what is wrong with the file or the options. */
struct source *source_open(const char *const *paths, size_t count, const char *format,
                           const struct source_options *options, struct error *err);
void source_close(struct source *source);

const char *source_format(const struct source *source);
/* What the line of an access counts: "line", "time". */
const char *source_place(const struct source *source);

/* The next access: 1; the end: 0; -1 with FILE:LINE and what is wrong: the capture cannot be used (without force). */
int source_next(struct source *source, struct access *access, struct error *err);

const struct source_notes *source_notes(const struct source *source);

/* Bytes of the file that have been read, and its size (compressed: both of the compressed file), for the progress. */
void source_progress(const struct source *source, uint64_t *done, uint64_t *total);

#endif
