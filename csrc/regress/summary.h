/* The summary of a night for people: what --notify gets on its standard input. Plain text, the subject in its first
 * line, then an empty one.
 */
#ifndef REGRESS_SUMMARY_H
#define REGRESS_SUMMARY_H

#include "regress/store.h"

/* The text; free() it. page: where index.html is, NULL: none was written. NULL with a message. */
char *summary_text(struct store *store, int64_t night, const char *page, struct error *err);

#endif
