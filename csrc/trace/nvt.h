/* The project's own format as text in memory; traces/FORMAT.md is its manual. */
#pragma once

#include "trace/lex.h"
#include "trace/program.h"

/* The command of each operation but OP_NOTE, and its operands. */
extern const struct nvt_command {
    const char *name, *usage;
} nvt_commands[OP_CHECK_EVENT + 1];

/* The program as .nvt text, malloc'd, *n bytes and a terminating zero. Depends on the program only: contains no time
 * and no path. */
char *nvt_text(const struct program *prog, size_t *n);

/* Writes a trace piece by piece, so that it need not be in memory as a whole. head: configuration, mode, names of
 * streams and events, and every blob that an operation will name; its operations are ignored. err must outlive the
 * writer. NULL with a message. */
struct nvt_writer;
struct nvt_writer *nvt_writer_open(const struct program *head, const char *path, struct error *err);
/* Writes an operation, and before it its blob on first use. Errors are reported when the writer is closed. */
void nvt_writer_put(struct nvt_writer *writer, const struct op *op);
/* Finishes the file and renames it to its final name, or removes it after an error. True on success. */
bool nvt_writer_close(struct nvt_writer *writer, bool fine, struct error *err);

/* The configuration that the header names; reads only the header. NULL with a message. */
const struct nvdla_config *nvt_config(struct lines *lines, struct error *err);

/* Default stream of an operation: the unit of a register, "interrupt", "memory"; "main" in a sequential program. */
const char *nvt_default_stream(const struct program *prog, const struct op *op);
