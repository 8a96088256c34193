/* The page of a night: index.html in its folder. One file with styles, script, data and pictures inside, which needs no
 * network; what one looks for every morning comes first: verdict, buckets of failures, what is new since the night
 * before. Names and messages are escaped.
 *
 * Pages about more than one night share the parts in page_parts.h. */
#ifndef REGRESS_PAGES_PAGE_H
#define REGRESS_PAGES_PAGE_H

#include "regress/pages/review.h"

/* Writes the page as a whole or not at all. path: in the folder of the night, where the reports are that it links to.
 * False with a message. */
bool page_write(const struct review *review, const char *path, struct error *err);

#endif
