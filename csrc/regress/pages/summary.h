/* The summary of a night for people: what --notify gets on its standard input. Plain text, the subject in its first
 * line, then an empty one. */
#ifndef REGRESS_PAGES_SUMMARY_H
#define REGRESS_PAGES_SUMMARY_H

#include "regress/pages/review.h"

/* The text; free() it. page: where index.html is, NULL: none was written. */
char *summary_text(const struct review *review, const char *page);

#endif
