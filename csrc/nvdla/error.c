/* Messages of failures, kept where the caller wants them; see error.h. */
#include "nvdla/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static bool store(struct error *err, enum error_kind kind, const char *format, va_list args) {
    if (!err)
        return false;
    char text[sizeof err->text]; /* the arguments may point into err->text */
    vsnprintf(text, sizeof text, format, args);
    memcpy(err->text, text, sizeof text);
    err->kind = kind;
    return false;
}

bool error_set(struct error *err, const char *format, ...) {
    va_list args;
    va_start(args, format);
    store(err, ERROR_FAILED, format, args);
    va_end(args);
    return false;
}

bool error_refuse(struct error *err, int unit, int ordinal, const char *format, ...) {
    va_list args;
    va_start(args, format);
    store(err, ERROR_REFUSED, format, args);
    va_end(args);
    if (err) {
        err->unit = unit;
        err->ordinal = ordinal;
    }
    return false;
}

bool error_prefix(struct error *err, const char *format, ...) {
    if (!err)
        return false;
    char text[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s", err->text);
    memcpy(err->text, text, sizeof text);
    return false;
}
