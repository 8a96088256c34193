/* The compiled representation of a convolution: which elements of the input each output position needs, prepared once
 * per layer shape. The window of a position is base address plus a list of relative offsets that all positions share.
 *
 * The input is an array of lines whose elements stand in the order x, channel (images: the bytes of the line). Offsets
 * are kept in run-length form: a kernel row is one run of neighbouring elements, or one run per column if columns are
 * dilated. Base = row base * elements of a line + column base. Windows that leave the input are marked; their outside
 * elements are the pad value. Tables hold no addresses and no data, so layers of the same shape share them.
 * Spec: 95-compiled-representation (padding strategy 2 of B.5), 40-convolution-core sections 3.1 and 3.2.
 */
#ifndef MODEL_CREP_H
#define MODEL_CREP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The key of a table. All members are size_t, so that keys compare as bytes. */
struct crep_shape {
    size_t line, lines;            /* input: elements of a line, lines */
    size_t column_step, left;      /* elements: from one output column to the next, in front of the line (left pad) */
    size_t runs, run, run_spacing; /* of a kernel row: number of runs, elements of each, elements from start to start */
    size_t rows, row_spacing;      /* of the kernel: number, lines from row to row (dilation) */
    size_t row_step, top;          /* lines: from one output row to the next, above the input (top pad) */
    size_t out_width, out_height;  /* positions */
};

struct crep {
    struct crep_shape shape;
    size_t elements; /* of a window: rows * runs * run */
    size_t padded;   /* elements rounded up to CMAC_VECTOR: the row size of windows and weights */
    int32_t *column; /* [out_width]: element of the line where the window starts; negative in the left pad */
    int32_t *row;    /* [out_height]: input line where the window starts; negative in the top pad */
    int32_t *offset; /* [rows * runs]: of each run from the window's start, for windows inside the input */
    bool *column_inside, *row_inside; /* windows of this column / row stay inside lines / the input */
};

/* Copies the window of output position (x, y) to window[0 .. elements-1]. */
void crep_window(const struct crep *crep, const int16_t *input, int16_t pad, size_t x, size_t y, int16_t *window);

/* Tables of the shapes used last. */
enum { CREP_CACHED = 32 };

struct crep_cache {
    struct crep *tables[CREP_CACHED]; /* the one used last comes first */
    size_t count;
};

/* The table of a shape, compiled if it is new; valid until CREP_CACHED other shapes were asked for. NULL only when
 * memory is exhausted. */
const struct crep *crep_find(struct crep_cache *cache, const struct crep_shape *shape);
void crep_cache_free(struct crep_cache *cache);

#endif
