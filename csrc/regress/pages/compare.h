/* Two nights side by side, or two selections of tests of one: what fails now, what was fixed, and how cycles and the
 * speed of simulation changed. Text, page and data are made from one of these, so that they agree.
 *
 * A side is NIGHT[:NAME=VALUE,...]. NIGHT is the number of a night, "latest" (the last one that is done), "previous"
 * (the last done one of the same plan and selection before the other side), or a git revision, of which the last night
 * counts. The names are item, config, dut, memory, tag (patterns with * and ?), which choose tests, and plan, which
 * chooses the night. Tests are paired by their keys; where a side chooses by item, config, dut or memory, both sides'
 * keys are compared without that part. */
#ifndef REGRESS_PAGES_COMPARE_H
#define REGRESS_PAGES_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "nvdla/text.h"
#include "regress/pages/table.h"
#include "regress/store/store.h"

enum { COMPARE_EXTREMES = 10 /* tests that changed most, which are shown */ };

/* CPU time of a run from which on its speed is worth a colour: of shorter ones it is mostly noise of the machine. */
#define COMPARE_SPEED_SECONDS 1.0

/* Strings are owned by the comparison; NULL where the database has NULL. */
struct compare_side {
    const char *given; /* as the side was asked for */
    int64_t night;
    const char *plan, *started, *revision, *folder, *state, *version, *host;
    const char *chosen; /* ":NAME=VALUE,...", "" */
    bool dirty;
    size_t tests, passed, failed, known, open; /* of those that were chosen */
};

struct compare_result {
    bool there;
    int verdict; /* enum verdict, or REVIEW_NOT_RUN */
    bool known;  /* the failure is one that the plan knows */
    const char *key, *signature, *reason, *page, *command, *debug_command;
    int64_t cycles; /* 0: none */
    double cpu_seconds;
    double speed; /* core clocks a second of CPU time; 0: not known */
};

enum compare_change {
    COMPARE_NEW_FAILURE, /* fails in B, and is not known to; in A it passed, did not run or was not there */
    COMPARE_OTHERWISE,   /* fails in both, with different signatures */
    COMPARE_STILL,       /* fails in both alike */
    COMPARE_FIXED,       /* failed in A, passes in B */
    COMPARE_OPEN,        /* has no result in B, or passes there and has none in A */
    COMPARE_KNOWN,       /* fails in B as it is known to; in A it did not */
    COMPARE_PASSES,      /* in both */
    COMPARE_ONLY_A,
    COMPARE_ONLY_B, /* and it does not fail there */
    COMPARE_CHANGES
};
/* "new failure", "fails otherwise", ... */
extern const char *const compare_changes[COMPARE_CHANGES];

struct compare_pair {
    const char *name;          /* the key, without what the sides choose by */
    const char *item, *config; /* of B, where it is there; else of A */
    unsigned engines;          /* bit enum nvdla_engine: whose data it moves */
    struct compare_result a, b;
    enum compare_change change;
    bool same_work;      /* the same layer, with the same seeds unless the sides differ in what is played */
    double cycles_ratio; /* B to A, both passed doing the same work; 0: not to be compared */
    double speed_ratio;  /* likewise; 0 */
    bool speed_counts;   /* both took COMPARE_SPEED_SECONDS */
};

/* Geometric means over tests. */
struct compare_mean {
    const char *kind, *name; /* "item", "conformance"; "", "all" of all tests */
    size_t count, slower, faster, speed_count, long_count /* those whose speed counts */;
    double cycles, speed; /* of the ratios, B to A; 0: none */
    bool speed_counts;    /* that of at least half of the tests does */
};

struct comparison {
    struct compare_side a, b;
    struct compare_pair *pairs; /* by change, then as in the plan of B */
    size_t count;
    size_t changes[COMPARE_CHANGES];
    struct compare_mean *means; /* all tests first */
    size_t mean_count;
    const struct compare_pair **slower, **faster; /* those that changed most come first */
    size_t slower_count, faster_count;
    size_t other_work; /* pairs that passed twice and are not the same work */
    double limit;      /* per cent; negative: none */
    size_t over;       /* tests that take more cycles by more than that */
    struct words strings;
};

/* Reads both sides. limit: how much more cycles a test may take in B, per cent; negative: any. NULL with a message: a
 * side that names no night or chooses no test, or both that name the same. */
struct comparison *compare_read(struct store *store, const char *a, const char *b, double limit, struct error *err);
void compare_free(struct comparison *comparison);

/* Whether B is worse than A: it has new failures, or tests over the limit. */
bool compare_worse(const struct comparison *comparison);
/* "5 new failures, 3 fixed, ..."; free() it. */
char *compare_sentence(const struct comparison *comparison);

/* For a person. all: every test, not only those that changed. */
void compare_print(const struct comparison *comparison, const struct table_style *style, bool all);
/* Everything as one JSON object, or the tests between commas, to stdout; the latter false with a message. */
void compare_json(const struct comparison *comparison);
bool compare_csv(const struct comparison *comparison, struct store *store, struct error *err);

/* The page. path NULL: compare-A-B.html where the folder of B's night is. Returns where it is, free() it; NULL with a
 * message. */
char *compare_page(const struct comparison *comparison, const char *path, struct error *err);

#endif
