/* The line on a terminal that says how far something is. It appears when that has taken two seconds, is written over
 * again and again, and is gone at the end; where stderr is no terminal there is none.
 */
#ifndef RUN_PROCESS_PROGRESS_H
#define RUN_PROCESS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    double start, last; /* process_clock() */
    bool terminal, shown;
};

struct progress progress_start(void);

/* True if the line may be shown now: not sooner than two seconds after the start, not more than five times a second. */
bool progress_due(struct progress *progress);

/* Shows a line, cut to the width of the terminal. */
void progress_show(struct progress *progress, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Takes the line away, before anything else is printed. */
void progress_clear(struct progress *progress);

/* ", 1:05 left" for `done` of `total` equal parts since the start, "" while nothing is done. Returns text. */
char *progress_left(const struct progress *progress, double done, double total, char *text, size_t size);

/* A number in three digits or so: 999, 12.3k, 1.23M. Returns text. */
char *progress_number(double value, char *text, size_t size);

/* All of it for a loop: due, then "WHAT: DONE of TOTAL THINGS, 0:12 left". */
void progress_count(struct progress *progress, const char *what, size_t done, size_t total, const char *things);

/* Columns of a terminal; 0: it is none. */
int terminal_columns(int file);

/* True if the locale of the environment has UTF-8, installed or not. */
bool locale_is_utf8(void);

/* True if a stream shows colours: a terminal, and neither NO_COLOR nor TERM=dumb. */
bool terminal_has_colour(int file);

#endif
