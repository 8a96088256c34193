/* Escapes text. See escape.h. */
#include "report/escape.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"

void escape_text(FILE *out, const char *text) {
    char *shown = text_shown(text);
    for (const char *c = shown; *c; c++) {
        /* U+FFFE and U+FFFF, which XML forbids */
        if (!strncmp(c, "\xef\xbf\xbe", 3) || !strncmp(c, "\xef\xbf\xbf", 3)) {
            fputs("\xef\xbf\xbd", out);
            c += 2;
            continue;
        }
        switch (*c) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        case '\'':
            fputs("&#39;", out);
            break;
        default:
            fputc(*c, out);
        }
    }
    free(shown);
}
