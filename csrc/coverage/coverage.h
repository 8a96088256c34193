/* Functional coverage: which kinds of layers a set of traces contains, and which are missing.
 *
 * The layers of a trace are sorted into named bins. An engine has aspects (SDP: source, method of the BS ALU, width,
 * ...), an aspect has values; a layer counts in one bin of every aspect that applies to it, and in one bin of every
 * cross, which is a tuple of aspects worth seeing together. Bins are named
 *
 *     ENGINE.layers                                sdp.layers
 *     ENGINE.ASPECT=VALUE                          sdp.bs_alu=max
 *     ENGINE.ASPECT*ASPECT=VALUE,VALUE             sdp.source*destination=memory,pdp
 *
 * A bin also records what it needs of a configuration (an EW stage, a second memory, ...): bins that no configuration
 * seen so far can reach are not in the table. Bins depend on registers, not on what the hardware did; only the sizes of
 * compressed kernel groups come from the memory that the trace loads, and the corners of values (coverage/corners.h)
 * from a device that plays the trace; without one they are not in the table. */
#pragma once

#include "coverage/corners.h"
#include "nvdla/error.h"
#include "nvdla/text.h"
#include "trace/program.h"

struct coverage;

/* An empty count of every bin. */
struct coverage *coverage_new(void);
void coverage_free(struct coverage *coverage);

/* Counts the layers of a trace. launches: all of it. corners: of its values, NULL: it was not played. */
void coverage_add(struct coverage *coverage, const struct program *prog, const struct layer_tracker *launches,
                  const struct corners *corners);

/* The bins that a trace exercises: COVERAGE_MARK bytes that identify the list of bins (each version of the program has
 * one), then bit N % 8 of byte N / 8 for bin N, in table order. The bytes may be stored for years. launches and
 * corners: see coverage_add. *n bytes; free() them. It takes 50 microseconds. */
enum { COVERAGE_MARK = 8 };
unsigned char *coverage_bits(const struct program *prog, const struct layer_tracker *launches,
                             const struct corners *corners, size_t *n);

/* Adds one to every bin named by such bytes. False, with nothing counted, if they belong to another list of bins or are
 * incomplete. */
bool coverage_add_bits(struct coverage *coverage, const unsigned char *bits, size_t n);

/* Adds the counts of a file written by coverage_write: a line "BIN COUNT" for every bin that is not 0, # starts a
 * comment. Nothing is added if the file has an error. */
bool coverage_merge(struct coverage *coverage, const char *path, struct error *err);
bool coverage_write(const struct coverage *coverage, const char *path, struct error *err);

/* Count of a bin by name; false if there is no such bin. */
bool coverage_count(const struct coverage *coverage, const char *bin, uint64_t *count);

/* Number of bins that the configurations seen can reach (before the first trace: all bins), and how many of them are
 * not 0. */
struct coverage_total {
    size_t reachable, exercised;
};
struct coverage_total coverage_total(const struct coverage *coverage);

/* A row of the table: an aspect or a cross ("sdp.bs_alu", "sdp.bs_alu*bs_mul"). */
struct coverage_row {
    const char *name;
    struct coverage_total total; /* of its bins */
    struct words holes;          /* values of the reachable bins that were never exercised: "max", "max,off" */
};

/* Rows by index, in table order; false after the last one. Free the holes with words_free(). */
bool coverage_row(const struct coverage *coverage, size_t index, struct coverage_row *row);

/* The table: for each engine, aspect and cross, how many of its bins were exercised, and the names of the others.
 * free() it. */
char *coverage_text(const struct coverage *coverage);
