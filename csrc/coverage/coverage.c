/* Lays out the bins, counts the layers of traces in them, makes bits of the counts. See coverage.h. */
#include "coverage/coverage.h"

#include <stdlib.h>
#include <string.h>

#include "coverage/coverage_sort.h"
#include "nvdla/xalloc.h"

/* The bins of an aspect or of a cross. */
struct row {
    size_t first;
    int values[COVERAGE_CROSS_ASPECTS]; /* number of values of each aspect */
};

/* Rows and bins of an engine: the bin of its layers, its aspects in order, its crosses in order. */
struct section {
    size_t layers; /* bin */
    size_t first_row;
};

struct coverage {
    uint64_t *counts; /* of the bins */
    size_t bin_count;
    struct row *rows;
    size_t row_count;
    struct section sections[COVERAGE_ENGINES];
};

/* ---- where the bins lie ---------------------------------------------------------------------- */

int coverage_values_count(const struct coverage_aspect *aspect) {
    int count = 1;
    for (const char *c = aspect->values ? aspect->values : ""; *c; c++)
        count += *c == ' ';
    return aspect->values ? count : nvdla_config_count;
}

/* The aspects of a row of an engine: an aspect alone is a tuple of one. False after the last row. */
static bool row_aspects(const struct coverage_engine *engine, size_t index, struct coverage_cross *of) {
    if (index < engine->aspect_count)
        *of = (struct coverage_cross){.aspects = {(int)index}, .aspect_count = 1};
    else if (index < engine->aspect_count + engine->cross_count)
        *of = engine->crosses[index - engine->aspect_count];
    else
        return false;
    return true;
}

/* Adds a row with a bin for every combination of values; the last aspect varies fastest. */
static void add_row(struct coverage *coverage, const struct coverage_engine *engine, const struct coverage_cross *of) {
    struct row *row = xadd(coverage->rows, coverage->row_count);
    size_t count = 1;
    *row = (struct row){.first = coverage->bin_count};
    for (int i = 0; i < of->aspect_count; i++) {
        row->values[i] = coverage_values_count(&engine->aspects[of->aspects[i]]);
        count *= (size_t)row->values[i];
    }
    coverage->bin_count += count;
}

struct coverage *coverage_new(void) {
    struct coverage *coverage = xcalloc(1, sizeof *coverage);
    for (int e = 0; e < COVERAGE_ENGINES; e++) {
        struct coverage_cross of;
        coverage->sections[e] = (struct section){coverage->bin_count++, coverage->row_count};
        for (size_t i = 0; row_aspects(coverage_engines[e], i, &of); i++)
            add_row(coverage, coverage_engines[e], &of);
    }
    coverage->counts = xcalloc(coverage->bin_count, sizeof *coverage->counts);
    return coverage;
}

void coverage_free(struct coverage *coverage) {
    if (!coverage)
        return;
    free(coverage->counts);
    free(coverage->rows);
    free(coverage);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Counts a sample in the row of a tuple, unless one of its aspects does not apply. */
static void count_tuple(struct coverage *coverage, const struct row *row, const struct coverage_cross *of,
                        const int *sample) {
    size_t index = 0;
    for (int i = 0; i < of->aspect_count; i++) {
        const int value = sample[of->aspects[i]];
        if (value < 0)
            return;
        if (value >= row->values[i])
            abort(); /* the classifier and the table disagree */
        index = index * (size_t)row->values[i] + (size_t)value;
    }
    coverage->counts[row->first + index]++;
}

static void take(void *context, const struct coverage_sample *sample) {
    struct coverage *coverage = context;
    const struct section *section = &coverage->sections[sample->engine];
    struct coverage_cross of;
    coverage->counts[section->layers]++;
    for (size_t i = 0; row_aspects(coverage_engines[sample->engine], i, &of); i++)
        count_tuple(coverage, &coverage->rows[section->first_row + i], &of, sample->values);
}

static void take_corners(struct coverage *coverage, const struct corners *corners) {
    const struct section *section = &coverage->sections[COVERAGE_VALUES];
    int aspect;
    uint32_t values;
    for (size_t i = 0; corners && corners_reached(corners, i, &aspect, &values); i++) {
        coverage->counts[section->layers]++;
        for (int value = 0; values >> value; value++)
            if (values >> value & 1)
                coverage->counts[coverage->rows[section->first_row + (size_t)aspect].first + (size_t)value]++;
    }
}

void coverage_add(struct coverage *coverage, const struct program *prog, const struct layer_tracker *launches,
                  const struct corners *corners) {
    coverage_sort(prog, launches, take, coverage);
    take_corners(coverage, corners);
}

const uint64_t *coverage_counts(const struct coverage *coverage, size_t *n) {
    *n = coverage->bin_count;
    return coverage->counts;
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* FNV-1a of a text and its end. */
static uint64_t hashed(uint64_t hash, const char *text) {
    const size_t n = strlen(text) + 1;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash;
}

uint64_t coverage_mark(void) {
    static uint64_t mark; /* it takes most of the time of bits */
    if (mark)
        return mark;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int e = 0; e < COVERAGE_ENGINES; e++) {
        const struct coverage_engine *engine = coverage_engines[e];
        hash = hashed(hash, engine->name);
        for (size_t i = 0; i < engine->aspect_count; i++) {
            hash = hashed(hash, engine->aspects[i].name);
            for (int c = 0; !engine->aspects[i].values && c < nvdla_config_count; c++)
                hash = hashed(hash, nvdla_configs[c].name);
            if (engine->aspects[i].values)
                hash = hashed(hash, engine->aspects[i].values);
        }
        for (size_t i = 0; i < engine->cross_count; i++)
            for (int j = 0; j < engine->crosses[i].aspect_count; j++)
                hash = hashed(hash, engine->aspects[engine->crosses[i].aspects[j]].name);
    }
    return mark = hash ? hash : 1;
}

unsigned char *coverage_bits(const struct program *prog, const struct layer_tracker *launches,
                             const struct corners *corners, size_t *n) {
    struct coverage *coverage = coverage_new();
    const uint64_t mark = coverage_mark();
    *n = COVERAGE_MARK + (coverage->bin_count + 7) / 8;
    unsigned char *bits = xcalloc(*n, 1);
    for (int i = 0; i < COVERAGE_MARK; i++)
        bits[i] = (unsigned char)(mark >> 8 * (COVERAGE_MARK - 1 - i));
    coverage_add(coverage, prog, launches, corners);
    for (size_t i = 0; i < coverage->bin_count; i++)
        bits[COVERAGE_MARK + i / 8] |= (unsigned char)((coverage->counts[i] > 0) << i % 8);
    coverage_free(coverage);
    return bits;
}
