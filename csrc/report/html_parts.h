/* The sections of the page (html.h), each in a file of its own, with the page that they write to. */
#ifndef REPORT_HTML_PARTS_H
#define REPORT_HTML_PARTS_H

#include <stdio.h>

#include "report/layers.h"
#include "report/markup.h"
#include "report/outcome.h"

/* A page that is being written. */
struct page {
    FILE *out;
    const struct report *report;
    struct report_layers layers;
};

/* The way of the wrong value, what hung, and the maps of what differs: only where there are such. */
void html_walk(const struct page *page);
void html_hang(const struct page *page);
void html_maps(const struct page *page);

/* Engines and memory over time; bandwidth over time; the layers. */
void html_timeline(const struct page *page);
/* How often the bits of each engine changed: if a SAIF file was written. */
void html_activity(const struct page *page);
void html_layers(const struct page *page);

#endif
