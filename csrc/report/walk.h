/* The way of a wrong value through the data path: streams in the order in which values pass through them, what the
 * comparison of both sides found in each, and the step where the value went wrong.
 *
 * Plain data; who makes it keeps it until the reports that show it are written.
 */
#ifndef REPORT_WALK_H
#define REPORT_WALK_H

#include <stddef.h>
#include <stdint.h>

enum walk_state {
    WALK_EQUAL,
    WALK_DIFFERS,
    WALK_SHORT, /* one side ended before the other; equal as far as both go */
    WALK_UNSEEN /* nothing was recorded there */
};

struct walk_step {
    const char *engine; /* folder under rtl/ */
    const char *stream; /* name of the tap */
    enum walk_state state;
    uint64_t elements; /* that were compared */
    uint64_t cycle;    /* clock of the first element that differs or is missing, in the RTL; 0: not known */
    char text[256];    /* what was found, for people */
};

struct walk {
    struct walk_step *steps; /* in the order of the data path */
    size_t count;
    size_t first;       /* the guilty step; count: there is none */
    char sentence[512]; /* the verdict */
};

#endif
