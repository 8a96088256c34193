/* The sections of the page (html.h), each in a file of its own, and what they share. */
#ifndef REPORT_HTML_PARTS_H
#define REPORT_HTML_PARTS_H

#include <stdint.h>
#include <stdio.h>

#include "report/layers.h"
#include "report/outcome.h"

/* A page that is being written. */
struct page {
    FILE *out;
    const struct report *report;
    struct report_layers layers;
};

/* Text with nothing in it that HTML or a terminal would obey. */
void html_text(FILE *out, const char *text);
void html_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* "1,234,567" / "12.3 KB" into text. Returns text. */
enum { HTML_NUMBER = 32 };
char *html_count(uint64_t value, char text[HTML_NUMBER]);
char *html_bytes(uint64_t value, char text[HTML_NUMBER]);

/* Opens a section of the page, with its heading and a sentence about it (NULL: none); close it with "</section>". */
void html_section(FILE *out, const char *id, const char *title, const char *about);

/* The way of the wrong value, what hung, and the maps of what differs: only where there are such. */
void html_walk(const struct page *page);
void html_hang(const struct page *page);
void html_maps(const struct page *page);

/* Engines and memory over time; bandwidth over time; the layers. */
void html_timeline(const struct page *page);
void html_layers(const struct page *page);

#endif
