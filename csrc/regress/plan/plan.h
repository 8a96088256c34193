/* The plan of a regression: a YAML file that says which traces and random layers run, on which device, with which
 * memory settings, and what is known to fail. docs/plans.md describes it. */
#ifndef REGRESS_PLAN_PLAN_H
#define REGRESS_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "regress/plan/test.h"

struct plan; /* what the file says, with the line of everything */

/* Reads a plan. NULL with FILE:LINE:COLUMN: what was found, what was expected. name: of the file, for messages and to
 * find what is named relative to it; text: its content, n bytes. */
struct plan *plan_parse(const char *name, const char *text, size_t n, struct error *err);
/* The same for a file. *text: its content, to be kept; NULL with a message. free() it. */
struct plan *plan_read(const char *path, char **text, struct error *err);
void plan_free(struct plan *plan);

/* The settings of the night in the plan, or their defaults. The texts live as long as the plan. */
struct plan_settings {
    const char *name;          /* of the plan: its member `name`, or the file name without suffix */
    const char *database;      /* path of the database, absolute; NULL: the plan says nothing */
    const char *slurm_options; /* words for sbatch; NULL: the plan says nothing */
    int jobs;                  /* processes at a time; 0: the plan says nothing */
    int debug_reports;         /* failures that nvcosim debug looks at: `triage: debug`; default PLAN_DEBUG, 0: none */
    double debug_seconds;      /* wall time for all of them; default PLAN_DEBUG_SECONDS, 0: none */
    double shrink_seconds; /* to shrink the smallest case of one bucket; default PLAN_SHRINK_SECONDS, 0: it is not */
    double night_seconds;  /* wall time of the night: no test starts after it; 0: no limit */
};
enum { PLAN_DEBUG = 20, PLAN_DEBUG_SECONDS = 600, PLAN_SHRINK_SECONDS = 60 };
struct plan_settings plan_settings(const struct plan *plan);

/* The tests of a night, in the order of the plan. seed: of the night; random layers and reseeds without a fixed seed
 * draw theirs from it and the key. today: YYYY-MM-DD, for known failures. select: an expression (select.h), NULL: all.
 * False with a message: a glob that matches nothing, a trace that cannot be read, a configuration that it does not fit,
 * an expression that is none (three lines: the expression, and a caret below it), two tests of the same key. */
struct test_list {
    struct test *tests;
    size_t count;
    struct words warnings; /* for a person to read before anything runs: an optional glob that matches nothing, a known
                              failure that has expired or matches no test */
};
bool plan_expand(const struct plan *plan, uint64_t seed, const char *today, const char *select, struct test_list *list,
                 struct error *err);
void test_list_free(struct test_list *list);

/* The date for plan_expand(), local time. Returns text. */
enum { PLAN_DATE = 16 };
char *plan_today(char text[PLAN_DATE]);

/* A seed, 1 to 2^32, that the seed of the night and a text decide: of a test's key, its --seed; of "layer KEY", KEY
 * without DUT, memory setting and reseed, that of its layer. */
uint64_t plan_seed(uint64_t night, const char *text);

#endif
