/* The project's own format as text in memory; traces/FORMAT.md is its manual. */
#ifndef TRACE_NVT_H
#define TRACE_NVT_H

#include "trace/lex.h"
#include "trace/program.h"

/* The program as .nvt text, malloc'd, *n bytes and a terminating zero. A function of the program alone: no time, no
 * path in it. */
char *nvt_text(const struct program *prog, size_t *n);

/* A trace that is written piece by piece, so that the whole of it need not be in memory. head: configuration, mode,
 * names of streams and events, and every blob that an operation will name; its own operations do not count. err
 * outlives the writer. NULL with a message. */
struct nvt_writer;
struct nvt_writer *nvt_writer_open(const struct program *head, const char *path, struct error *err);
/* Writes an operation, and before its first use the blob that it names. A failure shows when the writer is closed. */
void nvt_writer_put(struct nvt_writer *writer, const struct op *op);
/* Ends the file and gives it its name, if all went well so far; else removes it. Returns whether the file is there. */
bool nvt_writer_close(struct nvt_writer *writer, bool fine, struct error *err);

/* The configuration that the header names; no more than the header is read. NULL with a message. */
const struct nvdla_config *nvt_config(struct lines *lines, struct error *err);

/* Stream that an operation belongs to where the text does not say: the unit of a register, "interrupt", "memory";
 * "main" in a sequential program. */
const char *nvt_default_stream(const struct program *prog, const struct op *op);

#endif
