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
 * from a device that plays the trace; without one they are not in the table. python/nvcosim/coverage.py names the bins
 * and prints the table. */
#pragma once

#include "coverage/corners.h"
#include "coverage/coverage_bins.h"
#include "trace/program.h"

struct coverage;

/* An empty count of every bin. */
struct coverage *coverage_new(void);
void coverage_free(struct coverage *coverage);

/* Counts the layers of a trace. launches: all of it. corners: of its values, NULL: it was not played. */
void coverage_add(struct coverage *coverage, const struct program *prog, const struct layer_tracker *launches,
                  const struct corners *corners);

/* Counts of the n bins in table order: of each engine its layers, its aspects, its crosses; of these every combination
 * of values, the last aspect fastest. */
const uint64_t *coverage_counts(const struct coverage *coverage, size_t *n);

/* How many values an aspect has. */
int coverage_values_count(const struct coverage_aspect *aspect);

/* A hash of everything that defines the bins: the same bins in the same order have the same mark. Never 0. */
uint64_t coverage_mark(void);

/* The bins that a trace exercises: the mark in COVERAGE_MARK bytes (each version of the program has its list of bins),
 * then bit N % 8 of byte N / 8 for bin N, in table order. The bytes may be stored for years. launches and corners: see
 * coverage_add. *n bytes; free() them. It takes 50 microseconds. */
enum { COVERAGE_MARK = 8 };
unsigned char *coverage_bits(const struct program *prog, const struct layer_tracker *launches,
                             const struct corners *corners, size_t *n);
