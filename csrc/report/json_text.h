/* Text in JSON, and JSON as text.
 */
#ifndef REPORT_JSON_TEXT_H
#define REPORT_JSON_TEXT_H

#include <jansson.h>

/* A string of text that may hold a file name: where it is not UTF-8, bytes of 0x80 and above become '?'. */
json_t *json_text(const char *text);

/* The value as text, as json_dumps() does with these flags; the value is released. free() it. */
char *json_to_text(json_t *json, size_t flags);

#endif
