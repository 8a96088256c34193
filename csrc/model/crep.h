/* CREP, the compiled representation of a convolution: which elements of the input each output position needs, prepared
 * once per layer shape. Element k of a position is input[base of the position + offset[k]]; the offsets are shared by
 * all positions.
 *
 * The input is a copy with a halo: lines of elements surrounded by the pad value, so that no window leaves it. A base
 * is the sum of a column's and a line's part. Offsets are run-length coded, in two orders:
 *   runs    for sums in any order: as few and as long as the kernel allows, each a whole number of pairs of elements,
 *           in chunks that CMAC can add up without overflow;
 *   pieces  in hardware order with the ends of the atomic operations, for sums that saturate or round.
 * Tables hold no addresses and no data, so layers of the same shape share them, whatever their precision. Spec:
 * 95-compiled-representation (padding strategy 1 of B.5), 40-convolution-core sections 3 and 4. */
#pragma once

#include "model/cmac.h"

/* The key of a table. All members are size_t, so that keys compare as bytes. An element is one number of the input. A
 * column of the kernel is the elements of one pixel, or of a whole kernel row if those are contiguous. */
struct crep_shape {
    size_t line, lines;           /* input: elements of a line, lines */
    size_t left, top;             /* padding: elements, lines */
    size_t column_step, row_step; /* from one output position to the next: elements, lines */
    size_t columns, column,
        column_spacing;       /* of a kernel row: columns, elements of each, elements from start to start */
    size_t rows, row_spacing; /* of the kernel: rows, lines from row to row */
    size_t block;             /* most elements of a column in one atomic operation */
    size_t rows_together;     /* rows in one atomic operation (post-extension) */
    size_t tile; /* 1: Winograd: an atomic operation takes its block of every column, and each column has its own sums;
                    otherwise 0 */
    size_t out_width, out_height; /* positions */
};

/* Runs [run, run + runs), whose weights start at pair `pair`; they add to the sum of column `column` (0 except for
 * Winograd). */
struct crep_chunk {
    size_t run, runs, pair, column;
};

struct crep {
    struct crep_shape shape;
    size_t stored_line, stored_lines; /* of the copy with its halo */
    size_t *column;                   /* [out_width]: bases are column[x] + row[y] */
    size_t *row;                      /* [out_height] */
    struct cmac_run *runs;
    struct crep_chunk *chunks;
    size_t run_count, chunk_count;
    size_t pairs; /* of all runs */
    struct cmac_piece *pieces;
    size_t *ends; /* [atoms]: number of pieces up to the end of each atomic operation */
    size_t atoms;
    size_t elements; /* of all pieces */
};

/* Elements of the input copy that a shape needs, including the halo; SIZE_MAX if too many to count. */
size_t crep_stored(const struct crep_shape *shape);

/* Tables of the most recently used shapes, and the number of cache hits. */
enum { CREP_CACHED = 32 };

struct crep_cache {
    struct crep *tables[CREP_CACHED]; /* most recently used first */
    size_t count;
    uint64_t hits, builds;
};

/* The table of a shape, compiled if it is new; valid until CREP_CACHED other shapes were asked for. crep_stored() of
 * the shape must be below 2^31. */
const struct crep *crep_find(struct crep_cache *cache, const struct crep_shape *shape);
void crep_cache_free(struct crep_cache *cache);
