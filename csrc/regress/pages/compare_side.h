/* The parts of a comparison (compare.h): a side is read by compare_side.c, compare_read.c puts both side by side. */
#ifndef REGRESS_PAGES_COMPARE_SIDE_H
#define REGRESS_PAGES_COMPARE_SIDE_H

#include "regress/pages/compare.h"

/* What sides choose by. A test is the same one in both sides without the first ones of these. */
enum choice { BY_ITEM, BY_CONFIG, BY_DUT, BY_MEMORY, BY_TAG, BY_PLAN, CHOICES };
enum { CHOICES_OF_KEY = BY_MEMORY + 1 };

struct request {
    char *night;             /* in front of the ':' */
    char *patterns[CHOICES]; /* NULL: any */
};

struct side_test {
    const char *name; /* what pairs it */
    int64_t number;   /* in its night */
    const char *item, *config;
    int64_t seed, layer_seed;
    bool has_layer;
    unsigned engines;
    struct compare_result result;
};

struct side_tests {
    struct side_test *tests;
    size_t count;
};

/* Reads "NIGHT[:NAME=VALUE,...]". False with a message; free it either way. */
bool request_read(const char *text, struct request *request, struct error *err);
void request_free(struct request *request);

/* The night that a request names; "previous" is the one before `other`. -1 with a message. */
int64_t find_night(sqlite3 *db, const struct request *request, int64_t other, struct error *err);

/* Reads the facts about the side's night. */
bool read_side(struct comparison *comparison, sqlite3 *db, struct compare_side *side, struct error *err);

/* Reads the tests that the request chooses, by name. drop: the parts of keys that pairs do not have in common. */
bool take_side(struct comparison *comparison, sqlite3 *db, struct compare_side *side, const struct request *request,
               const bool *drop, struct side_tests *tests, struct error *err);

/* A copy that the comparison owns; NULL stays NULL. */
const char *compare_keep(struct comparison *comparison, const char *text);

#endif
