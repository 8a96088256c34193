/* Text in the pages and pictures that C writes. */
#pragma once

#include <stdio.h>

/* Text escaped for HTML, XML and terminals; legal in content and in attributes of both. */
void escape_text(FILE *out, const char *text);
