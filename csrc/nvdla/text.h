/* Strings: one that grows, and questions that are asked in several places. */
#ifndef NVDLA_TEXT_H
#define NVDLA_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* A growing string, always terminated. Zero-initialise; free text. */
struct text {
    char *text;
    size_t n, capacity;
};
void text_add(struct text *text, const void *bytes, size_t n);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A name or a message as it may be shown on a terminal and in a file of lines: control characters as \n, \t, \r or
 * \xHH, and so bytes that are not UTF-8; everything else as it is. Cut at size, never inside an escape. Returns out. */
char *text_shown(const char *text, char *out, size_t size);
/* The same over n bytes that may hold a zero. */
char *text_shown_n(const char *text, size_t n, char *out, size_t size);

/* The search for the word that was meant: the candidate nearest to it, by the letters to be changed, left out, added or
 * swapped with their neighbour (upper and lower case are the same). Zero-initialise but for word and n. */
struct guess {
    const char *word; /* n bytes */
    size_t n;
    char best[64]; /* "" while none is near: at most 2 letters, and fewer than half of the word */
    size_t distance;
};
void guess_try(struct guess *guess, const char *candidate);
/* "; did you mean X?", or "" if nothing is near. The result is in text. */
char *guess_hint(const struct guess *guess, char text[96]);

bool text_ends_with(const char *text, const char *suffix);

#endif
