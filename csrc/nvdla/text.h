/* Strings: one that grows, lists of words, numbers as text, and questions that are asked in several places. */
#ifndef NVDLA_TEXT_H
#define NVDLA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing string, always terminated. Zero-initialise; free text. */
struct text {
    char *text;
    size_t n, capacity;
};
void text_add(struct text *text, const void *bytes, size_t n);
void text_printf(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool text_ends_with(const char *text, const char *suffix);

/* The text with control characters shown: a line end as \n, an escape as \x1b. What names a file in a line for people
 * goes through this: a line stays one line, and no terminal obeys it. free() it. */
char *text_shown(const char *text);

/* The text as one word of a shell's command line, in quotes if it needs them. free() it. */
char *text_quoted(const char *text);

/* Parses a number, decimal or 0x..., 0 <= value <= max. Returns false if the text is no such number. */
bool text_number(const char *text, uint64_t max, uint64_t *value);

/* Words, NULL-terminated, owned. Zero-initialise. */
struct words {
    char **items;
    size_t count;
};
void words_add(struct words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
void words_free(struct words *words);

#endif
