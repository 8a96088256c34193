/* The lines that a list of tests arrives in (docs/results.md): each is read into a set of options, a test, or an order.
 */
#pragma once

#include <jansson.h>

#include "run/jobs/job.h"

/* Options of nvcosim run, parsed once for all tests that differ only in trace and seed. */
struct list_set {
    struct words words;
    struct run_options options; /* refer to the words */
    size_t seed;                /* index of --seed in options.given */
    char *why;                  /* they cannot be used; NULL: they can */
};

/* A test, from its line until its result is sent. */
struct list_test {
    struct job job; /* first: a job of the pool is a test */
    struct run_options options;
    const struct list_set *set;
    char *seed;   /* a word of options.given */
    json_t *line; /* whose texts the job refers to */
    char *noted;  /* its result, from the ledger; NULL: it is to be played */
    double shown; /* part of its work that was reported last */
    struct result result;
};

struct list_input {
    struct list_set **sets; /* by their numbers; NULL: not given */
    size_t set_count;
    size_t line;      /* number of lines read */
    bool complete;    /* no more tests come */
    struct text text; /* received */
    size_t read;      /* bytes of it that were lines */
};

enum list_order { LIST_NOTHING, LIST_TEST, LIST_STOP, LIST_KILL };

/* Reads the next whole line of input->text. *order: what it asks for; LIST_NOTHING if there is no whole line (*more is
 * false then) or it is only to be remembered. *test: of LIST_TEST; list_test_free() it. False with a message that
 * begins with the line's number. */
bool list_next(struct list_input *input, enum list_order *order, struct list_test **test, bool *more,
               struct error *err);

void list_test_free(struct list_test *test);
/* No test of it may be left. */
void list_input_free(struct list_input *input);
