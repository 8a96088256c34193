/* Who waits for whom when a run hangs, and which engine is at the end of the chain: facts and verdict as plain data,
 * for the reports (report/hang_text.h, report/json.h, the page) and for the triage of `nvcosim debug`.
 *
 * The reasoning follows the elements. Every link between two engines has a number of elements that its launch's
 * registers require, and a number that the elements which have come in before it allow (what is due). An engine that
 * has got all its input, could hand over its output, and does not, is the guilty one; so is one that handed over more
 * than its registers say. An engine whose input is missing waits for the engine before it, one whose output is not
 * taken for the engine behind it, and the search goes on there.
 */
#ifndef REPLAY_HANG_TRIAGE_H
#define REPLAY_HANG_TRIAGE_H

#include "device/waits.h"

struct hang;

/* A link between two engines and how far it came: what has moved of its launch, and what its registers require. */
struct hang_link {
    const struct wait_pair *pair; /* of struct device_waits: names, valid, ready, since when */
    int ordinal;              /* the launch that its last element belongs to, of the engine that the link serves; -1:
                               * nothing was armed */
    bool counted;             /* the numbers below are known */
    uint64_t moved, required; /* elements of that launch */
    uint64_t owed;            /* elements of all launches armed that have not moved */
    int64_t beyond;           /* elements that moved beyond all launches armed */
    bool stuck;               /* valid and not ready, or elements are owed */
};

/* An engine of the design, and what it is doing. */
struct hang_engine {
    const char *name;      /* "CDMA data", "SDP_RDMA" */
    const char *folder;    /* under rtl/: "cdma"; "memory", "trace" for what is outside the design */
    bool seen;             /* it has something to do with the launches armed */
    bool running;          /* a layer of it is active */
    int armed;             /* launches armed and not ended */
    const char *waits_for; /* name of the engine; NULL: it has nothing to do, or waits for nothing */
    char text[200];        /* what it does or waits for, for a person */
};

/* One step of the chain of waits. */
struct hang_step {
    const struct hang_engine *engine;
    uint64_t since; /* clock since which it has waited; 0: not known */
    char text[200];
};

struct hang_triage {
    const struct device_waits *waits; /* what was seen; outlives the triage */
    bool inside;                      /* the inside of the design was seen; else its ports only */
    const char *engine;      /* folder under rtl/ of the engine at the end of the chain: "csc"; "trace": the program
                              * waits for what it has not started; NULL: cannot be told */
    const char *unit;        /* its name: "CSC"; NULL likewise */
    int ordinal;             /* the launch of it that does not end, -1: none */
    uint64_t cycle;          /* of the last movement anywhere in the design */
    char sentence[400];      /* the verdict in one sentence */
    struct hang_step *chain; /* from the engine whose interrupt does not come to the one at the end */
    size_t chain_count;
    struct hang_engine *engines; /* in the order of the data path */
    size_t engine_count;
    struct hang_link *links; /* those that the launches armed use, in the order of the data path */
    size_t link_count;
};

/* Reasons about what the device shows and what its registers say. NULL: it shows nothing (the model). */
struct hang_triage *hang_triage_new(const struct hang *hang);

/* triage may be NULL. */
void hang_triage_free(struct hang_triage *triage);

#endif
