/* nvcosim play-list: plays tests that another program sends, one a line, and sends their results back
 * (docs/results.md).
 *
 * Tests cannot affect each other: all that a test starts ends with it, and with this process, however that ends; its
 * limits are enforced. The other program decides what is played, in which order, and what becomes of the results. */
#pragma once

#include <stdbool.h>

struct list_options {
    int jobs;               /* tests at a time */
    int ledger;             /* where results are noted at once (run/result/ledger.h), at least 16; 0: nowhere */
    bool progress;          /* tests report how far they are */
    const char *simulators; /* folder of the simulators to use; NULL: those that are built */
};

/* Plays what arrives on stdin and answers on stdout. Returns the exit status: 0 if the list ended in order. */
int list_play(const struct list_options *options);
