#include "nvdla/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(struct error *err, const char *format, ...) {
    if (!err)
        return false;
    char text[sizeof err->text]; /* the arguments may point into err->text */
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    memcpy(err->text, text, sizeof text);
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
