/* A plan in memory, which plan_read.c reads and expand.c turns into tests. Every value that may still prove wrong keeps
 * its place in the file. */
#ifndef REGRESS_PLAN_PLAN_PARTS_H
#define REGRESS_PLAN_PLAN_PARTS_H

#include "regress/plan/plan.h"

struct place {
    int line, column;
};

struct plan_word {
    char *text;
    struct place place;
};

struct plan_words {
    struct plan_word *items;
    size_t count;
};

struct plan_limits {
    double seconds;          /* 0: none */
    uint64_t cycles, memory; /* likewise */
};

struct plan_memory {
    char *name;
    struct plan_words options; /* of nvcosim run */
};

struct plan_range {
    uint64_t first, last; /* seeds of layers */
};

struct plan_item {
    struct plan_word name;
    struct plan_words traces; /* patterns; count 0: random layers */
    struct plan_words exclude;
    bool optional;
    struct plan_words engines; /* as gen_engines() reads them */
    uint64_t layers;           /* of each engine and configuration, with seeds of the night; 0: those of the ranges */
    struct plan_range *ranges;
    size_t range_count;
    struct plan_words configs;  /* count 0: each trace's own; small for random layers */
    struct plan_words duts;     /* at least one */
    struct plan_words memories; /* at least one; "default" or a name of plan.memories */
    struct plan_words tags, options;
    bool seed_of_night;
    uint64_t seed; /* --seed, unless that of the night is wanted */
    uint64_t reseed;
    struct plan_limits limits;
};

struct plan_known {
    struct plan_words tests; /* patterns of keys */
    char *reason, *until;
    struct place place;
};

struct plan {
    char *file;   /* name for messages */
    char *folder; /* that relative paths begin at, absolute */
    char *name, *database, *slurm_options;
    struct plan_settings settings; /* without its texts */
    struct plan_limits limits;     /* of items that do not give theirs */
    struct plan_memory *memories;
    size_t memory_count;
    struct plan_item *items;
    size_t item_count;
    struct plan_known *knowns;
    size_t known_count;
};

/* Layers of one item, seeds of one range, plays of one test beyond the first, tests of a plan: the most. */
enum { PLAN_LAYERS = 100000, PLAN_RESEED = 10000, PLAN_TESTS = 200000 };

/* The memory setting of that name; NULL: there is none, or it is "default". */
const struct plan_memory *plan_memory_find(const struct plan *plan, const char *name);

/* Sets err to "FILE:LINE:COLUMN: text" of a place in the plan. Returns false. */
bool plan_fail(const struct plan *plan, struct place place, struct error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
