/* Text in JSON.
 */
#ifndef REPORT_JSON_TEXT_H
#define REPORT_JSON_TEXT_H

#include <jansson.h>

/* A string of text that may hold a file name: where it is not UTF-8, bytes of 0x80 and above become '?'. */
json_t *json_text(const char *text);

#endif
