/* A plan of a regression: a YAML file that says which traces and random layers run, on what, with which memory, and
 * what is known to fail. docs/plans.md describes it.
 */
#ifndef REGRESS_PLAN_H
#define REGRESS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "regress/test.h"

struct plan; /* what the file says, with the line of everything */

/* Reads a plan. NULL with FILE:LINE:COLUMN: what was found, what was expected. name: of the file, for messages and to
 * find what is named relative to it; text: its content, n bytes. */
struct plan *plan_parse(const char *name, const char *text, size_t n, struct error *err);
struct plan *plan_read(const char *path, struct error *err);
void plan_free(struct plan *plan);

/* What the plan says of the night itself; 0 or NULL where it says nothing. */
struct plan_settings {
    const char *name;      /* of the plan: its member `name`, or the file name without suffix */
    const char *database;  /* path of the database */
    int jobs;              /* processes at a time */
    int debug_reports;     /* failures that nvcosim debug looks at: `triage: debug` */
    double debug_seconds;  /* wall time for all of them */
    double shrink_seconds; /* wall time to shrink the smallest case of one bucket */
    double night_seconds;  /* wall time of the night: no test starts after it */
};
struct plan_settings plan_settings(const struct plan *plan);

/* The tests of a night, in the order of the plan. seed: of the night; random layers and reseeds without a fixed seed
 * draw theirs from it. today: YYYY-MM-DD, for known failures. select: a tag expression ('fast and not random'), NULL:
 * all. False with a message: a glob that matches nothing, a trace that cannot be read, an expression that is none, two
 * tests of the same key. */
struct test_list {
    struct test *tests;
    size_t count;
};
bool plan_expand(const struct plan *plan, uint64_t seed, const char *today, const char *select, struct test_list *list,
                 struct error *err);
void test_list_free(struct test_list *list);

#endif
