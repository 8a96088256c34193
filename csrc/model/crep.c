#include "model/crep.h"

#include <stdlib.h>
#include <string.h>

#include "model/cmac.h"

static void crep_free(struct crep *crep) {
    if (crep) {
        free(crep->column);
        free(crep->row);
        free(crep->offset);
        free(crep->column_inside);
        free(crep->row_inside);
        free(crep);
    }
}

static struct crep *compile(const struct crep_shape *shape) {
    struct crep *crep = calloc(1, sizeof *crep);
    if (!crep) {
        return NULL;
    }
    crep->shape = *shape;
    crep->elements = shape->rows * shape->runs * shape->run;
    crep->padded = (crep->elements + CMAC_VECTOR - 1) / CMAC_VECTOR * CMAC_VECTOR;
    crep->column = malloc(shape->out_width * sizeof *crep->column);
    crep->column_inside = malloc(shape->out_width * sizeof *crep->column_inside);
    crep->row = malloc(shape->out_height * sizeof *crep->row);
    crep->row_inside = malloc(shape->out_height * sizeof *crep->row_inside);
    crep->offset = malloc(shape->rows * shape->runs * sizeof *crep->offset);
    if (!crep->column || !crep->column_inside || !crep->row || !crep->row_inside || !crep->offset) {
        crep_free(crep);
        return NULL;
    }
    size_t window = (shape->runs - 1) * shape->run_spacing + shape->run;
    for (size_t x = 0; x < shape->out_width; x++) {
        size_t start = x * shape->column_step;
        crep->column[x] = (int32_t)start - (int32_t)shape->left;
        crep->column_inside[x] = start >= shape->left && start - shape->left + window <= shape->line;
    }
    size_t height = (shape->rows - 1) * shape->row_spacing + 1;
    for (size_t y = 0; y < shape->out_height; y++) {
        size_t start = y * shape->row_step;
        crep->row[y] = (int32_t)start - (int32_t)shape->top;
        crep->row_inside[y] = start >= shape->top && start - shape->top + height <= shape->lines;
    }
    for (size_t r = 0; r < shape->rows; r++) {
        for (size_t i = 0; i < shape->runs; i++) {
            /* Not read, and perhaps not an int32_t, where no window is inside the input. */
            crep->offset[r * shape->runs + i] =
                height <= shape->lines ? (int32_t)(r * shape->row_spacing * shape->line + i * shape->run_spacing) : 0;
        }
    }
    return crep;
}

static void fill(int16_t *out, int16_t value, size_t n) {
    for (size_t i = 0; i < n; i++) {
        out[i] = value;
    }
}

/* Copies `n` elements of a line from element `from` on; those outside the line are pads. */
static void clipped(const int16_t *line, size_t size, int64_t from, size_t n, int16_t pad, int16_t *out) {
    size_t before = from >= 0 ? 0 : from <= -(int64_t)n ? n : (size_t)-from;
    size_t first = from > 0 ? (size_t)from : 0;
    size_t inside = first >= size ? 0 : size - first;
    inside = inside < n - before ? inside : n - before;
    fill(out, pad, before);
    memcpy(out + before, line + (inside ? first : 0), inside * sizeof *out);
    fill(out + before + inside, pad, n - before - inside);
}

void crep_window(const struct crep *crep, const int16_t *input, int16_t pad, size_t x, size_t y, int16_t *window) {
    const struct crep_shape *shape = &crep->shape;
    size_t runs = shape->runs, run = shape->run;
    if (crep->column_inside[x] && crep->row_inside[y]) {
        const int16_t *base = input + (size_t)crep->row[y] * shape->line + (size_t)crep->column[x];
        for (size_t i = 0; i < shape->rows * runs; i++) {
            memcpy(window, base + crep->offset[i], run * sizeof *window);
            window += run;
        }
        return;
    }
    for (size_t r = 0; r < shape->rows; r++) {
        int64_t line = crep->row[y] + (int64_t)(r * shape->row_spacing);
        if (line < 0 || line >= (int64_t)shape->lines) {
            fill(window, pad, runs * run);
            window += runs * run;
            continue;
        }
        for (size_t i = 0; i < runs; i++) {
            int64_t from = crep->column[x] + (int64_t)(i * shape->run_spacing);
            clipped(input + (size_t)line * shape->line, shape->line, from, run, pad, window);
            window += run;
        }
    }
}

const struct crep *crep_find(struct crep_cache *cache, const struct crep_shape *shape) {
    size_t at = 0;
    while (at < cache->count && memcmp(&cache->tables[at]->shape, shape, sizeof *shape) != 0) {
        at++;
    }
    struct crep *found;
    if (at < cache->count) {
        found = cache->tables[at];
    } else {
        found = compile(shape);
        if (!found) {
            return NULL;
        }
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
    for (size_t i = 0; i < cache->count; i++) {
        crep_free(cache->tables[i]);
    }
    cache->count = 0;
}
