/* Processes that look at failures of a night, several at a time: `nvcosim debug`, and `nvcosim shrink` with a check
 * that its trace fails in the same way. */
#ifndef REGRESS_NIGHT_FAILURE_TRIAGE_H
#define REGRESS_NIGHT_FAILURE_TRIAGE_H

#include "regress/engine/builds.h"
#include "regress/night/discoveries.h"
#include "regress/store/store.h"

struct triage_job {
    struct store *store;
    int64_t night;
    const char *folder; /* of the night */
    const struct test_list *tests;
    struct builds *builds;
    int jobs;                         /* processes at a time */
    struct plan_settings settings;    /* debug_reports, debug_seconds, shrink_seconds */
    void (*report)(const char *line); /* for a person */
};

/* A failure to look at. */
struct triage_target {
    size_t number; /* of its test */
    const char *signature;
    uint64_t cycles; /* of the run that failed; 0: not known */
    bool debugged;   /* the signature is nvcosim debug's, which has to give the same for the shrunk trace */
};

/* Looks at the targets, in their order. Each adds a discovery, except those that a signal ended or that were not begun
 * in time. Debug ends after debug_seconds, those of earlier calls included; each shrink has shrink_seconds. *signal:
 * that ended it, 0: none. False with a message if nothing can be started. */
bool triage_debug(const struct triage_job *job, const struct triage_target *targets, size_t count,
                  struct discoveries *discoveries, int *signal, struct error *err);
bool triage_shrink(const struct triage_job *job, const struct triage_target *targets, size_t count,
                   struct discoveries *discoveries, int *signal, struct error *err);

#endif
