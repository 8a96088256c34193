/* The plays of a qualification: every test once without any fault, then each fault with the tests that could notice it.
 */
#ifndef REGRESS_FAULTS_CAMPAIGN_H
#define REGRESS_FAULTS_CAMPAIGN_H

#include "regress/engine/engine.h"
#include "regress/faults/faults.h"
#include "regress/plan/plan.h"
#include "regress/store/store.h"

struct campaign {
    struct store *store;
    int64_t night;
    const char *folder; /* of the night; FOLDER/plays.jsonl keeps what was played with faults, for --resume */
    const struct test_list *tests;
    const bool *done; /* tests whose result without a fault is in the database; NULL: none */
    struct faults *faults;
    int jobs;     /* processes at a time */
    int together; /* at most so many faults at a time, see campaign.c; 1: each alone */
};

/* Finds the state of the open faults, and stores each as soon as it is known. ENGINE_INTERRUPTED: by *signal.
 * ENGINE_FAILED with a message. */
enum engine_end campaign_run(struct campaign *campaign, int *signal, struct error *err);

#endif
