/* Makes and caches compiled representations of convolutions. See crep.h. */
#include "model/crep.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/sizes.h"
#include "nvdla/xalloc.h"

static size_t even(size_t n) {
    return n + n % 2;
}

/* A direction of the copy: where window n starts. Windows that start past the input see only padding, so one halo of a
 * window's size serves them all. */
static size_t start_of(size_t n, size_t step, size_t before, size_t size) {
    return lesser(n * step, before + size);
}

/* Size of the copy in one direction. */
static size_t stored(size_t windows, size_t step, size_t before, size_t size, size_t window) {
    size_t end = start_of(windows - 1, step, before, size) + window;
    return end > before + size ? end : before + size;
}

static size_t stored_line(const struct crep_shape *shape) {
    size_t window = (shape->columns - 1) * shape->column_spacing + shape->column;
    return stored(shape->out_width, shape->column_step, shape->left, shape->line, window);
}

static size_t stored_lines(const struct crep_shape *shape) {
    size_t window = (shape->rows - 1) * shape->row_spacing + 1;
    return stored(shape->out_height, shape->row_step, shape->top, shape->lines, window);
}

size_t crep_stored(const struct crep_shape *shape) {
    size_t elements;
    return __builtin_mul_overflow(stored_line(shape), stored_lines(shape), &elements) ? SIZE_MAX : elements;
}

static void crep_free(struct crep *crep) {
    if (crep) {
        free(crep->column);
        free(crep->row);
        free(crep->runs);
        free(crep->chunks);
        free(crep->pieces);
        free(crep->ends);
        free(crep);
    }
}

/* Offset of column s of kernel row r. */
static size_t offset_of(const struct crep *crep, size_t r, size_t s) {
    return r * crep->shape.row_spacing * crep->stored_line + s * crep->shape.column_spacing;
}

/* Appends `pairs` pairs from `offset` on to the runs, starting new chunks as needed. */
static void append_run(struct crep *crep, size_t offset, size_t pairs, size_t column) {
    while (pairs > 0) {
        struct crep_chunk *chunk = crep->chunk_count > 0 ? &crep->chunks[crep->chunk_count - 1] : NULL;
        if (!chunk || chunk->column != column || crep->pairs - chunk->pair == CMAC_PAIRS) {
            chunk = &crep->chunks[crep->chunk_count++];
            *chunk = (struct crep_chunk){.run = crep->run_count, .pair = crep->pairs, .column = column};
        }
        size_t part = lesser(pairs, CMAC_PAIRS - (crep->pairs - chunk->pair));
        crep->runs[crep->run_count++] = (struct cmac_run){.offset = offset, .pairs = part};
        chunk->runs++;
        crep->pairs += part;
        offset += 2 * part;
        pairs -= part;
    }
}

/* The runs; packed[r * columns + s] is where each column of the kernel is in their order. */
static void compile_runs(struct crep *crep, size_t *packed) {
    const struct crep_shape *shape = &crep->shape;
    size_t offset = 0, length = 0, column = 0; /* of the current run */
    for (size_t r = 0; r < shape->rows; r++) {
        for (size_t s = 0; s < shape->columns; s++) {
            size_t at = offset_of(crep, r, s);
            if (shape->tile || offset + length != at) {
                append_run(crep, offset, even(length) / 2, column);
                offset = at;
                length = 0;
                column = shape->tile ? s : 0;
            }
            packed[r * shape->columns + s] = 2 * crep->pairs + length;
            length += shape->column;
        }
    }
    append_run(crep, offset, even(length) / 2, column);
}

/* The pieces: channel blocks, then kernel rows, then columns (40-convolution-core sections 4.1 and 4.4). */
static void compile_pieces(struct crep *crep, const size_t *packed) {
    const struct crep_shape *shape = &crep->shape;
    size_t columns_together = shape->tile ? shape->columns : 1, pieces = 0;
    for (size_t first = 0; first < shape->column; first += shape->block) {
        size_t count = lesser(shape->block, shape->column - first);
        for (size_t r = 0; r < shape->rows; r += shape->rows_together) {
            size_t rows = lesser(shape->rows_together, shape->rows - r);
            for (size_t s = 0; s < shape->columns; s += columns_together) {
                for (size_t i = 0; i < rows * columns_together; i++) {
                    size_t row = r + i % rows, column = s + i / rows;
                    crep->pieces[pieces++] =
                        (struct cmac_piece){.offset = offset_of(crep, row, column) + first,
                                            .packed = packed[row * shape->columns + column] + first,
                                            .count = count};
                    crep->elements += count;
                }
                crep->ends[crep->atoms++] = pieces;
            }
        }
    }
}

static struct crep *compile(const struct crep_shape *shape) {
    struct crep *crep = xcalloc(1, sizeof *crep);
    crep->shape = *shape;
    crep->stored_line = stored_line(shape);
    crep->stored_lines = stored_lines(shape);
    size_t places = shape->rows * shape->columns, blocks = ceil_div(shape->column, shape->block);
    size_t chunks = places * (even(shape->column) / 2 / CMAC_PAIRS + 2);
    autofree size_t *packed = xmalloc(places * sizeof *packed);
    crep->column = xmalloc(shape->out_width * sizeof *crep->column);
    crep->row = xmalloc(shape->out_height * sizeof *crep->row);
    crep->runs = xmalloc((chunks + places) * sizeof *crep->runs);
    crep->chunks = xcalloc(chunks, sizeof *crep->chunks);
    crep->pieces = xmalloc(blocks * places * sizeof *crep->pieces);
    crep->ends = xmalloc(blocks * places * sizeof *crep->ends);
    for (size_t x = 0; x < shape->out_width; x++)
        crep->column[x] = start_of(x, shape->column_step, shape->left, shape->line);
    for (size_t y = 0; y < shape->out_height; y++)
        crep->row[y] = start_of(y, shape->row_step, shape->top, shape->lines) * crep->stored_line;
    compile_runs(crep, packed);
    compile_pieces(crep, packed);
    return crep;
}

const struct crep *crep_find(struct crep_cache *cache, const struct crep_shape *shape) {
    size_t at = 0;
    while (at < cache->count && memcmp(&cache->tables[at]->shape, shape, sizeof *shape) != 0)
        at++;
    struct crep *found;
    if (at < cache->count) {
        found = cache->tables[at];
        cache->hits++;
    } else {
        found = compile(shape);
        cache->builds++;
        if (cache->count == CREP_CACHED) {
            at = CREP_CACHED - 1;
            crep_free(cache->tables[at]);
        } else {
            cache->count++;
        }
    }
    memmove(cache->tables + 1, cache->tables, at * sizeof(struct crep *));
    cache->tables[0] = found;
    return found;
}

void crep_cache_free(struct crep_cache *cache) {
    for (size_t i = 0; i < cache->count; i++)
        crep_free(cache->tables[i]);
    cache->count = 0;
}
