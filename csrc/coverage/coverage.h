/* Functional coverage: which kinds of layers a set of traces holds, and which it never does.
 *
 * The layers of a trace (nvdla/layers.h) are sorted into named bins. An engine has aspects (SDP: source, method of the
 * BS ALU, width, ...), an aspect has values; a layer counts in one bin of every aspect that applies to it, and in one
 * bin of every cross, which is a tuple of aspects worth seeing together. Bins are named
 *
 *     ENGINE.layers                                sdp.layers
 *     ENGINE.ASPECT=VALUE                          sdp.bs_alu=max
 *     ENGINE.ASPECT*ASPECT=VALUE,VALUE             sdp.source*destination=memory,pdp
 *
 * and carry what they need of a configuration (an EW stage, a second memory, ...): bins that none of the configurations
 * seen so far can reach are left out of the table. What the registers say counts, not what the hardware did;
 * only the sizes of compressed kernel groups are looked up in the memory that the trace loads.
 */
#ifndef COVERAGE_COVERAGE_H
#define COVERAGE_COVERAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "nvdla/text.h"
#include "trace/program.h"

struct coverage;
struct layer_tracker;

/* An empty count of every bin. */
struct coverage *coverage_new(void);
void coverage_free(struct coverage *coverage);

/* Counts the layers of a trace. */
void coverage_add(struct coverage *coverage, const struct program *prog);

/* Which bins a trace exercises: COVERAGE_MARK bytes that tell lists of bins apart (those of one version of the program
 * are the same), then bit N % 8 of byte N / 8 for bin N, in the order of the table. Such bytes may be kept for years.
 * launches: of the trace, all of them. *n bytes; free() them. It takes 50
 * microseconds. */
enum { COVERAGE_MARK = 8 };
unsigned char *coverage_bits(const struct program *prog, const struct layer_tracker *launches, size_t *n);

/* Counts one more in every bin that such bytes name. False, and nothing is counted, if they were made with another list
 * of bins, or are not whole. */
bool coverage_add_bits(struct coverage *coverage, const unsigned char *bits, size_t n);

/* Adds the counts of a file that coverage_write left: a line "BIN COUNT" for every bin that is not 0, # starts a
 * comment. Nothing is added if the file has an error. */
bool coverage_merge(struct coverage *coverage, const char *path, struct error *err);
bool coverage_write(const struct coverage *coverage, const char *path, struct error *err);

/* Count of a bin by its name; false if there is no such bin. */
bool coverage_count(const struct coverage *coverage, const char *bin, uint64_t *count);

/* How many bins the configurations seen can reach (all of them, before the first trace), and how many are not 0. */
struct coverage_total {
    size_t reachable, exercised;
};
struct coverage_total coverage_total(const struct coverage *coverage);

/* A row of the table: an aspect or a cross ("sdp.bs_alu", "sdp.bs_alu*bs_mul"). */
struct coverage_row {
    const char *name;
    struct coverage_total total; /* of its bins */
    struct words holes;          /* values of the bins that can be reached and were never exercised: "max", "max,off" */
};

/* Rows by index, in the order of the table; false behind the last one. words_free() the holes. */
bool coverage_row(const struct coverage *coverage, size_t index, struct coverage_row *row);

/* The table: per engine, aspect and cross how many of its bins were exercised, and the names of those that never were.
 * free() it. */
char *coverage_text(const struct coverage *coverage);

#endif
