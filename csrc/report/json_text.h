/* Strings in JSON, and JSON as text. */
#pragma once

#include <jansson.h>

/* A JSON string from text that may contain a file name: if it is not UTF-8, bytes of 0x80 and above become '?'. */
json_t *json_text(const char *text);

/* The value as text, like json_dumps() with these flags; releases the value. free() the text. */
char *json_to_text(json_t *json, size_t flags);
