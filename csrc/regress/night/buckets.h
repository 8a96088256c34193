/* The failures of a night in buckets: those that look alike, so that a person looks at one of each.
 *
 * Every failure has a coarse signature by its result alone (signature.h; those without an RTL and a model to compare,
 * crashes and errors by the words of their reason too). `nvcosim debug` then looks at some of them, and names engine
 * and tap. Failures of the same coarse signature that it has not looked at belong to the bucket of those that it has,
 * if these agree; else they are one of their own. Failures that are known have buckets apart, and nobody looks at them.
 */
#ifndef REGRESS_NIGHT_BUCKETS_H
#define REGRESS_NIGHT_BUCKETS_H

#include "regress/engine/builds.h"
#include "regress/store/store.h"

struct buckets_job {
    struct store *store;
    int64_t night;
    const char *folder; /* of the night */
    const struct test_list *tests;
    struct builds *builds;
    int jobs;                      /* processes at a time */
    struct plan_settings settings; /* debug_reports, debug_seconds, shrink_seconds */
    bool look;                     /* debug and shrink; else what they found before counts */
    void (*tell)(void *context, const char *line);
    void *context;
};

/* Looks at failures, and writes the buckets of the night and what its results belong to, in one transaction: those of
 * an earlier call go. Debug and shrink go on where an earlier call was ended; what goes wrong with them is told in the
 * bucket. The same failures give the same buckets in the same order: those that are not known to fail first, the
 * largest first, then by signature. *signal: that ended the looking, else 0; the buckets are written all the same.
 * False with a message if they could not be. */
bool buckets_make(const struct buckets_job *job, int *signal, struct error *err);

#endif
