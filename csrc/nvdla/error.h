/* Errors as values: a function that can fail returns false (or NULL) and leaves one message for a person.
 *
 * A message says where ("FILE:LINE: " when a file is to blame), what was found, what was expected, what to do.
 */
#ifndef NVDLA_ERROR_H
#define NVDLA_ERROR_H

#include <stdbool.h>

struct error {
    char text[1024];
};

/* Stores the message (cut at the end of the buffer if it is longer). Returns false, so that callers can write
 * `return error_set(err, ...)`. err may be NULL when nobody reads the message. */
bool error_set(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts text in front of the message that is already there, e.g. the name of the file being read. Returns false. */
bool error_prefix(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
