/* The parts of a night (night.h) share one state: how it is begun or resumed (night_begin.c), its tests (night.c), and
 * its end (night_end.c). */
#ifndef REGRESS_NIGHT_NIGHT_PARTS_H
#define REGRESS_NIGHT_NIGHT_PARTS_H

#include "regress/engine/builds.h"
#include "regress/engine/engine.h"
#include "regress/engine/schedule.h"
#include "regress/night/live.h"
#include "regress/store/store.h"

struct night_options;

struct ended {
    size_t test;
    int64_t at; /* seconds since 1970 */
    char *host;
    struct result result;
};

struct night {
    const struct night_options *options;
    struct plan *plan;
    struct plan_settings settings;
    char *plan_text, *plan_path, *selected, *engine;
    uint64_t seed;
    char *database, *folder; /* folder: of the night, absolute */
    int jobs;
    struct store *store;
    int64_t id;
    int lock;   /* file that is locked while the night runs */
    int ledger; /* run/result/ledger.h; -1: not open */
    struct test_list tests;
    bool *done; /* by an earlier call; NULL: none */
    struct builds *builds;
    struct schedule schedule;
    struct live *live;
    struct ended *ended; /* results that so far are only in the ledger, and not printed */
    size_t ended_count;
    double stored; /* process_clock() of the last time */
    bool lost;     /* results could not be kept in the database */
    bool broken;   /* something that is to be written could not be */
    double start;
};

/* True if the tests of the night run on a Slurm cluster. */
bool night_on_slurm(const struct night *night);

/* Something could not be written: a line for a person, and the night's exit status says so. */
void night_complain(struct night *night, const char *text);

/* Everything before the first test: plan, tests, folder, simulators. report: gets lines about builds. False with a
 * message. */
bool night_prepare(struct night *night, void (*report)(const char *line), struct error *err);

/* Everything after the last test: buckets, state, page, JUnit XML, summary. Returns the exit status. */
int night_end(struct night *night, enum engine_end end, int signal);

#endif
