/* The history of the database for a person: all nights, or the results of a test in each of them. */
#ifndef REGRESS_PAGES_HISTORY_H
#define REGRESS_PAGES_HISTORY_H

#include "regress/pages/query_print.h"
#include "regress/store/store.h"

struct history_options {
    int64_t limit; /* nights, the last ones */
    enum query_form form;
    struct table_style style;
};

/* Prints the nights, the last one at the end. False with a message. */
bool history_nights(struct store *store, const struct history_options *options, struct error *err);

/* Prints the history of the tests that a word names: a key, a pattern of keys, the name of a trace or a pattern of
 * such, or the file of a trace. False with a message, which names what is near if there is no such test. */
bool history_tests(struct store *store, const char *word, const struct history_options *options, struct error *err);

/* Nine levels of a value as a text, least to most (0 to 8), -1: a gap; for tests. free() it. */
char *history_sparkline(const double *values, const bool *present, size_t count, bool utf8);

#endif
