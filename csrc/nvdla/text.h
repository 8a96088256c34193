/* Strings: one that grows, lists of words, numbers as text, and text made safe to show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A growing string, always terminated. Zero-initialise; free() text. */
struct text {
    char *text;
    size_t n, capacity;
};
/* A local one that is freed where its block ends: autotext struct text text = {0}; */
#define autotext __attribute__((cleanup(text_free)))
void text_free(struct text *text);
void text_add(struct text *text, const void *bytes, size_t n);
void text_put(struct text *text, const char *more);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Search for the word that was meant: the candidate with the fewest letters changed, left out, added or swapped with
 * their neighbour (case is ignored). Zero-initialise, then set word and n. */
struct guess {
    const char *word; /* n bytes */
    size_t n;
    char best[64]; /* "" until one is near: at most 2 letters differ, and fewer than half of the word */
    size_t distance;
};
void guess_try(struct guess *guess, const char *candidate);
/* "; did you mean X?", or "" if nothing is near. The result is in text. */
char *guess_hint(const struct guess *guess, char text[96]);

/* The word that goes with a number. */
const char *text_plural(uint64_t n, const char *one, const char *many);

bool text_ends_with(const char *text, const char *suffix);

/* A name or a message as it may be shown in a line: control characters, and bytes that are not UTF-8, as \n, \t, \r or
 * \xHH. So a line stays one line and cannot send commands to the terminal. free() it. */
char *text_shown(const char *text);
/* Prints a line for the user, converted by text_shown(), and ends it. */
void text_print_line(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* text_shown() into out, cut at size but not inside an escape; of a text, or of n bytes that may include zeros. Returns
 * out. */
char *text_shown_into(const char *text, char *out, size_t size);
char *text_shown_bytes(const char *text, size_t n, char *out, size_t size);

/* Terminal columns of a UTF-8 text, one per character. */
size_t text_columns(const char *text);

/* The text as one word of a shell's command line, quoted if necessary. free() it. */
char *text_quoted(const char *text);

/* Parses a number, decimal or 0x..., 0 <= value <= max. Returns false for any other text. */
bool text_number(const char *text, uint64_t max, uint64_t *value);

/* The last line of n bytes that is not empty, without the blanks before it; "" if there is none. free() it. */
char *text_last_line(const char *text, size_t n);

/* Words, NULL-terminated, owned. Zero-initialise. */
struct words {
    char **items;
    size_t count;
};
void words_add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_put(struct words *words, const char *word); /* unchanged */
void words_free(struct words *words);
/* A local list that is freed where its block ends: autowords struct words words = {0}; */
#define autowords __attribute__((cleanup(words_free)))
