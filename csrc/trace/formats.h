/* Readers and the writer of trace files. A reader returns a complete program or NULL with a message "FILE:LINE: ...";
 * nothing is played from a file that has an error anywhere.
 *
 *   NAME.cfg          trace test of the configurable branch, chapter 80 section 3 (default configuration small)
 *   input.txn, *.txn  trace player, chapter 80 section 1 (default configuration full)
 *   *.nvt, *.nvt.gz   this project's own format, traces/FORMAT.md (its header names the configuration)
 *
 * Each may be compressed (.gz). A directory may be given in place of the file: it holds exactly one NAME.cfg or
 * input.txn, or none of these and exactly one trace of another name.
 */
#ifndef TRACE_FORMATS_H
#define TRACE_FORMATS_H

#include "trace/lex.h"
#include "trace/program.h"

struct trace_options {
    const struct nvdla_config *config; /* NULL: the format's default (an .nvt header's own) */
    bool no_golden;                    /* leave NAME_golden_*.dat and NAME_regs.csv beside a .cfg out */
};

/* Reads a trace of any format, chosen by name. A file without operations (comments and reservations apart) is an error:
 * playing an emptied file must not pass. */
struct program *trace_read(const char *path, const struct trace_options *options, struct error *err);

/* The configuration that a trace is read for when none is asked for, by its name or its header: what follows is not
 * read. *named: its header says so, and one with another register map cannot take its place. NULL with a message. */
const struct nvdla_config *trace_config(const char *path, bool *named, struct error *err);

/* The readers of the formats, over lines from a file or a text. Side files are looked up relative to lines->path's
 * directory. */
typedef struct program *trace_reader(struct lines *lines, const struct trace_options *options, struct error *err);
trace_reader trace_read_cfg, trace_read_txn, trace_read_nvt;

/* Reads a trace from a text, as if it were the file of that path. */
struct program *trace_parse(trace_reader *reader, const char *path, const char *text, size_t n,
                            const struct trace_options *options, struct error *err);

/* Writes a program as .nvt (gzip when the name ends in .gz), memory content inline. Reading it back gives the same
 * program, and writing that gives the same bytes. */
bool trace_write(const struct program *prog, const char *path, struct error *err);

#endif
