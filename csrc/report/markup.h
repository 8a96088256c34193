/* Parts of HTML pages: frame with common styles and script, escaped text, formatted numbers. A page is one file that
 * needs no network. */
#ifndef REPORT_MARKUP_H
#define REPORT_MARKUP_H

#include <stdint.h>
#include <stdio.h>

/* Everything up to the content of <body>. status, title: of the window; css: beyond base.css. */
void html_begin(FILE *out, const char *status, const char *title, const char *css);
/* The end of the page. js: runs after base.js, in the same script. */
void html_end(FILE *out, const char *js);

/* Text escaped for HTML, XML and terminals; legal in content and in attributes of both. */
void html_text(FILE *out, const char *text);
void html_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "1,234,567" / "12.3 KB" into text. Returns text. */
enum { HTML_NUMBER = 32 };
char *html_count(uint64_t value, char text[HTML_NUMBER]);
char *html_bytes(uint64_t value, char text[HTML_NUMBER]);

/* A round distance (1, 2 or 5 times a power of ten) between ticks of an axis, such that span has at most `most` of
 * them. span > 0. */
double html_step(double span, int most);

/* Opens a section with its heading and an optional sentence (or NULL); close it with "</section>". */
void html_section(FILE *out, const char *id, const char *title, const char *about);

#endif
