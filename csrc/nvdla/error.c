/* Error messages. See error.h. */
#include "nvdla/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nvdla/text.h"

static bool store(struct error *err, enum error_kind kind, const char *format, va_list args) {
    if (!err)
        return false;
    char text[sizeof err->text]; /* the arguments may point into err->text */
    vsnprintf(text, sizeof text, format, args);
    text_shown_into(text, err->text, sizeof err->text);
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
    char text[sizeof err->text], shown[sizeof err->text];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    text_shown_into(text, shown, sizeof shown);
    const size_t used = strlen(shown);
    snprintf(shown + used, sizeof shown - used, "%s", err->text);
    memcpy(err->text, shown, sizeof shown);
    return false;
}
