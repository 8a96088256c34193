/* Text in the pages and pictures that C writes. */
#ifndef REPORT_ESCAPE_H
#define REPORT_ESCAPE_H

#include <stdio.h>

/* Text escaped for HTML, XML and terminals; legal in content and in attributes of both. */
void escape_text(FILE *out, const char *text);

#endif
