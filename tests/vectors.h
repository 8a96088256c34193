/* Vectors of the chapters. A row of docs/nvdla/vectors/NAME.tsv is a kind and cells behind it, which the head of the
 * file explains; a cell is a number, decimal or 0x, or a word. Paths are those from the top of the tree.
 *
 *     for (struct vectors v = vectors_of("floats", "fp17_add"); vectors_next(&v);)
 *         failed += !vectors_equal(&v, fp17_add((uint32_t)v.number[0], (uint32_t)v.number[1]), v.number[2]);
 */
#pragma once

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VECTOR_CELLS = 48 };

struct vectors {
    const char *kind;
    char path[80];
    FILE *file;
    int line, found;
    char row[1000];
    int cells;
    const char *cell[VECTOR_CELLS]; /* those beyond `cells` are empty */
    int64_t number[VECTOR_CELLS];   /* 0 for a word */
};

/* Ends the program where the file cannot be read. */
static inline struct vectors vectors_of(const char *name, const char *kind) {
    struct vectors v = {};
    v.kind = kind;
    snprintf(v.path, sizeof v.path, "docs/nvdla/vectors/%s.tsv", name);
    v.file = fopen(v.path, "r");
    if (!v.file) {
        fprintf(stderr, "%s: %s (run from the top of the tree)\n", v.path, strerror(errno));
        exit(1);
    }
    return v;
}

/* The next row of the kind. A kind without a row ends the program. */
static inline bool vectors_next(struct vectors *v) {
    while (fgets(v->row, sizeof v->row, v->file)) {
        char *rest = v->row;
        v->line++;
        v->row[strcspn(v->row, "\n")] = '\0';
        if (strcmp(strsep(&rest, "\t"), v->kind) != 0)
            continue;
        v->found++;
        v->cells = 0;
        for (int i = 0; i < VECTOR_CELLS; i++) {
            v->cells += rest != NULL;
            v->cell[i] = rest ? strsep(&rest, "\t") : "";
            v->number[i] = strtoll(v->cell[i], NULL, 0);
        }
        return true;
    }
    fclose(v->file);
    if (v->found == 0) {
        fprintf(stderr, "%s: found no row '%s', expected one\n", v->path, v->kind);
        exit(1);
    }
    return false;
}

/* False where a result is not that of the row, and says so. */
static inline bool vectors_equal(const struct vectors *v, int64_t got, int64_t want) {
    if (got != want)
        printf("FAIL %s:%d: found 0x%" PRIx64 " (%" PRId64 "), expected 0x%" PRIx64 "\n", v->path, v->line,
               (uint64_t)got, got, (uint64_t)want);
    return got == want;
}
