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

bool text_ends_with(const char *text, const char *suffix);

#endif
