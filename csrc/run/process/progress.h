/* The progress line on a terminal. It appears after two seconds, is overwritten in place, and is erased at the end.
 * Without a terminal on stderr there is no line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct progress {
    double start, last; /* process_clock() */
    bool terminal, shown;
};

struct progress progress_start(void);

/* True if the line may be shown now: two seconds after the start at the earliest, five times a second at most. */
bool progress_due(struct progress *progress);

/* Shows a line, cut to the width of the terminal. */
void progress_show(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Erases the line, before anything else is printed. */
void progress_clear(struct progress *progress);

/* ", 1:05 left" for `done` of `total` equal parts since the start; "" if `done` is 0. Returns text. */
char *progress_left(const struct progress *progress, double done, double total, char *text, size_t size);

/* A number with about three digits: 999, 12.3k, 1.23M. Returns text. */
char *progress_number(double value, char *text, size_t size);

/* The whole sequence for a loop: if due, shows "WHAT: DONE of TOTAL THINGS, 0:12 left". */
void progress_count(struct progress *progress, const char *what, size_t done, size_t total, const char *things);

/* Columns of a terminal; 0 if the file is not a terminal. */
int terminal_columns(int file);

/* True if a stream shows colours: it is a terminal, NO_COLOR is unset, and TERM is not dumb. */
bool terminal_has_colour(int file);
