/* Sources of captures: a stream of accesses in file order, for all formats, in bounded memory.
 *
 * A source reads one file format (log.c, txn.c, samples.c, wave.c) and does not interpret the accesses; lift.h converts
 * them to a program. */
#pragma once

#include "import/access.h"
#include "nvdla/error.h"

struct source;

/* Opens a capture, gzip or not: one file, or several consecutive ones (a rotated log). format: a name of --from; NULL:
 * by its content. NULL with a message about the file or the options. */
struct source *source_open(const char *const *paths, size_t count, const char *format,
                           const struct source_options *options, struct error *err);
void source_close(struct source *source);

const char *source_format(const struct source *source);
/* Unit of access.line: "line" or "time". */
const char *source_place(const struct source *source);

/* The next access: 1; the end: 0; an error: -1 with "FILE:LINE: ...", the capture cannot be used (without force). */
int source_next(struct source *source, struct access *access, struct error *err);

const struct source_notes *source_notes(const struct source *source);

/* Bytes read so far and size of the file, both compressed if it is compressed, for the progress. */
void source_progress(const struct source *source, uint64_t *done, uint64_t *total);
