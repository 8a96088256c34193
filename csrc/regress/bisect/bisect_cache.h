/* The simulators that nvcosim bisect has built, kept beside the others (nvcosim-CONFIG-bisect_HASH) so that no revision
 * is built twice: a cache of bounded size. */
#ifndef REGRESS_BISECT_BISECT_CACHE_H
#define REGRESS_BISECT_BISECT_CACHE_H

#include <stddef.h>

enum { BISECT_KEPT = 32 /* as many as a search among four thousand million commits looks at */ };

/* Notes that a simulator is used now. */
void bisect_cache_use(const char *path);

/* Removes the simulators of a folder that were used longest ago, with all their files, until `most` remain. What cannot
 * be removed stays. */
void bisect_cache_trim(const char *folder, size_t most);

#endif
