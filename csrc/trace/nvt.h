/* The project's own format as text in memory; traces/FORMAT.md is its manual. */
#ifndef TRACE_NVT_H
#define TRACE_NVT_H

#include "trace/lex.h"
#include "trace/program.h"

/* The program as .nvt text, malloc'd, *n bytes and a terminating zero. A function of the program alone: no time, no
 * path in it. */
char *nvt_text(const struct program *prog, size_t *n);

/* The configuration that the header names; no more than the header is read. NULL with a message. */
const struct nvdla_config *nvt_config(struct lines *lines, struct error *err);

/* Stream that an operation belongs to where the text does not say: the unit of a register, "interrupt", "memory";
 * "main" in a sequential program. */
const char *nvt_default_stream(const struct program *prog, const struct op *op);

#endif
