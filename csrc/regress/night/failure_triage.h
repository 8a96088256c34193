/* Processes that look at failures of a night, several at a time: `nvcosim debug`, and `nvcosim shrink` with a check
 * that what it makes fails in the same way.
 */
#ifndef REGRESS_NIGHT_FAILURE_TRIAGE_H
#define REGRESS_NIGHT_FAILURE_TRIAGE_H

#include "regress/night/buckets.h"
#include "regress/night/discoveries.h"

/* A failure to look at. */
struct look_target {
    size_t number; /* of its test */
    const char *signature;
    uint64_t cycles; /* of the run that failed; 0: not known */
    bool debugged;   /* nvcosim debug gave the signature: it has to give the same for what is shrunk */
};

/* Looks at the targets, in their order; each gives a discovery but those that were ended by a signal or not begun in
 * time. Debug ends when debug_seconds are over, with those of earlier calls; each shrink has shrink_seconds. Returns
 * the signal that ended it, 0: none. False with a message if nothing can be started. */
bool looks_debug(const struct buckets_job *job, const struct look_target *targets, size_t count,
                 struct discoveries *discoveries, int *signal, struct error *err);
bool looks_shrink(const struct buckets_job *job, const struct look_target *targets, size_t count,
                  struct discoveries *discoveries, int *signal, struct error *err);

#endif
