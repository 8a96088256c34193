/* Pieces that several sections of pages need. See page_parts.h. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "regress/pages/page_parts.h"

void page_badge(FILE *out, int verdict, bool known) {
    static const char *const signs[VERDICT_COUNT] = {
        [VERDICT_PASS] = "&#10003;",   [VERDICT_FAIL] = "&#10007;",         [VERDICT_HANG] = "&#9646;&#9646;",
        [VERDICT_REFUSED] = "&#8856;", [VERDICT_CRASH] = "&#9889;&#65038;", [VERDICT_ERROR] = "!"};
    const bool open = verdict == REVIEW_NOT_RUN;
    fprintf(out, "<span class=\"badge %s%s\"><span aria-hidden=\"true\">%s</span> %s</span>",
            open                      ? "open"
            : verdict == VERDICT_PASS ? "pass"
                                      : "bad",
            known ? " known" : "", open ? "&#8211;" : signs[verdict], review_verdict_text(verdict));
}

void page_command(FILE *out, const char *command, const char *whole) {
    fputs("<div class=\"paste\"><code>", out);
    html_text(out, command);
    fputs("</code><button type=\"button\" class=\"copy\"", out);
    if (whole) {
        fputs(" data-whole=\"", out);
        html_text(out, whole);
        fputs("\"", out);
    }
    fputs(" hidden>copy</button></div>\n", out);
}

void page_past(FILE *out, const char *past) {
    size_t failures = 0, runs = 0;
    for (const char *c = past; *c; c++) {
        runs += *c != '.';
        failures += *c != '.' && *c != 'P';
    }
    fprintf(out,
            "<span class=\"past\" role=\"img\" aria-label=\"failed in %zu of %zu nights: %s\" title=\"%s, oldest "
            "night first\">",
            failures, runs, past, past);
    for (const char *c = past; *c; c++)
        fputs(*c == 'P' ? "<i></i>" : *c == '.' ? "<i class=\"o\"></i>" : "<i class=\"f\"></i>", out);
    fputs("</span>", out);
}

void page_link(FILE *out, const char *path) {
    fputs("<a href=\"", out);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        if (isascii(*c) && (isalnum(*c) || strchr("/._~-", *c)))
            fputc(*c, out);
        else
            fprintf(out, "%%%02X", *c);
    fputs("\">", out);
}

char *page_of_night(const struct review *review, const char *folder) {
    const char *own = strrchr(review->folder, '/'), *other = folder ? strrchr(folder, '/') : NULL;
    if (!own || !other || own - review->folder != other - folder ||
        strncmp(review->folder, folder, (size_t)(own - review->folder)) != 0)
        return NULL;
    return xprintf("../%s/index.html", other + 1);
}

void page_night_link(FILE *out, const struct review *review, int64_t night, const char *folder) {
    char *path = page_of_night(review, folder);
    if (path)
        page_link(out, path);
    fprintf(out, "night %" PRId64 "%s", night, path ? "</a>" : "");
    free(path);
}

void page_json_text(FILE *out, const char *text, size_t n) {
    fputc('"', out);
    for (size_t i = 0; i < n; i++) {
        const char c = text[i];
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c == '<' || c == '>' || c == '&' || (unsigned char)c < 0x20)
            fprintf(out, "\\u%04x", (unsigned)c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}
