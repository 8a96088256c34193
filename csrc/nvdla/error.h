/* Errors as values: a function that can fail returns false (or NULL) and leaves one message for the user.
 *
 * A message says where ("FILE:LINE: " when a file is to blame), what was found, what was expected, what to do. */
#pragma once

#include <stdbool.h>

enum error_kind {
    ERROR_FAILED,  /* bad input, or something is broken */
    ERROR_REFUSED, /* well-formed request whose result the spec leaves open; nothing is broken */
};

struct error {
    char text[1024];
    enum error_kind kind;
    int unit, ordinal; /* ERROR_REFUSED: unit of the launch, enum nvdla_unit */
};

/* Stores the message of a failure: one line, control characters as in text_shown(), cut at the end of the buffer.
 * Returns false, so that callers can write `return error_set(err, ...)`. err may be NULL. */
bool error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Stores the reason why a launch is refused, without the name of the launch. Returns false. */
bool error_refuse(struct error *err, int unit, int ordinal, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Puts text before the stored message, such as the name of the file being read. Returns false. */
bool error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));
