/* Readers and the writer of trace files. A reader returns a complete program or NULL with a message "FILE:LINE: ..."; a
 * file with any error is not played.
 *
 *   NAME.cfg          trace test of the configurable branch, chapter 80 section 3 (default configuration small)
 *   input.txn, *.txn  trace player, chapter 80 section 1 (default configuration full)
 *   *.txn.raw         the same in its raw form, chapter 80 section 2.2
 *   *.nvt, *.nvt.gz   this project's own format, traces/FORMAT.md (its header names the configuration)
 *
 * Each may be compressed (.gz). Instead of a file, a directory may be given. It must hold exactly one NAME.cfg or
 * input.txn, or else exactly one trace of another name. */
#pragma once

#include "trace/lex.h"
#include "trace/program.h"

/* Beginning of the first comment of a recording of nvcosim serve. */
#define RECORDING_TITLE "a live session"
#define RECORDING_NOTE "imported from " RECORDING_TITLE

struct trace_options {
    const struct nvdla_config *config; /* NULL: the format's default (an .nvt header's own) */
    bool no_golden;                    /* ignore NAME_golden_*.dat and NAME_regs.csv next to a .cfg */
};

/* Reads a trace of any format, chosen by name. A file without operations other than comments and reservations is an
 * error: an emptied file must not pass. */
struct program *trace_read(const char *path, const struct trace_options *options, struct error *err);

/* The default configuration for a trace, from its name or its header, without reading the rest. *named: the header
 * names it, so it can only be replaced by one with the same register map. NULL with a message. */
const struct nvdla_config *trace_config(const char *path, bool *named, struct error *err);

/* The readers of the formats, over lines from a file or a text. Side files are looked up relative to lines->path's
 * directory. */
typedef struct program *trace_reader(struct lines *lines, const struct trace_options *options, struct error *err);
trace_reader trace_read_cfg, trace_read_txn, trace_read_txn_raw, trace_read_nvt;

/* Reads a trace from a text, as if it were the file of that path. */
struct program *trace_parse(trace_reader *reader, const char *path, const char *text, size_t n,
                            const struct trace_options *options, struct error *err);

/* Display name of a trace, also for report directories: the file name without directory and suffix, or the directory's
 * name for a directory or a file named input.txn. Returns text. */
char *trace_name(const char *path, char *text, size_t size);

/* Writes a program as .nvt (gzip when the name ends in .gz), memory content inline. Reading it back gives the same
 * program, and writing that gives the same bytes. */
bool trace_write(const struct program *prog, const char *path, struct error *err);
