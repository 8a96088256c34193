/* The chain of waits when a run hangs, and the engine at its end: facts and verdict as data, for the reports
 * (report/hang_text.h, report/json.h, the HTML page) and for the triage of `nvcosim debug`.
 *
 * The search follows the elements. For every link between two engines, the registers of its launch require a number of
 * elements, and the elements received so far make a number due. An engine is guilty if it has all its input and could
 * pass on its output but does not, or if it passed on more than its registers require. An engine with missing input
 * waits for the engine before it, one with blocked output for the engine after it, and the search continues there. */
#pragma once

#include "device/waits.h"
#include "nvdla/engines.h"

struct hang;

/* A link between two engines and its progress: elements moved for its launch, and elements that its registers
 * require. */
struct hang_link {
    const struct wait_pair *pair; /* of struct device_waits: names, valid, ready, since when */
    int ordinal;  /* the launch of its last element, of the engine that the link serves; -1: nothing was armed */
    bool counted; /* the numbers below are known */
    uint64_t moved, required; /* elements of that launch */
    uint64_t owed;            /* missing elements of all armed launches */
    int64_t beyond;           /* elements in excess of all armed launches */
    bool stuck;               /* valid and not ready, or elements are owed */
};

/* An engine of the design and its state. */
struct hang_engine {
    const char *name;      /* "CDMA data", "SDP_RDMA" */
    const char *folder;    /* folder under rtl/: "cdma"; "memory" or "trace" outside the design */
    bool seen;             /* the armed launches use it */
    bool running;          /* a layer of it is active */
    int armed;             /* launches armed and not ended */
    const char *waits_for; /* name of the engine; NULL: it has nothing to do, or waits for nothing */
    char text[200];        /* text: what it does or waits for */
};

/* One step of the chain of waits. */
struct hang_step {
    const struct hang_engine *engine;
    uint64_t since; /* start of the wait; 0: unknown */
    char text[200];
};

struct hang_triage {
    const struct device_waits *waits; /* state of the device; outlives the triage */
    bool inside;                      /* the inside of the design is visible, not only its ports */
    enum nvdla_engine engine; /* at the end of the chain; ENGINE_TRACE: the program waits for something it has not
                                 started; ENGINE_COUNT: unknown */
    int ordinal;              /* its launch that does not end, -1: none */
    size_t ordinal_at;        /* byte of the sentence at which its number stands */
    uint64_t cycle;           /* of the last movement anywhere in the design */
    char sentence[400];       /* the verdict in one sentence */
    struct hang_step *chain;  /* from the engine with the missing interrupt to the end of the chain */
    size_t chain_count;
    struct hang_engine *engines; /* of enum nvdla_engine, in the order of the data path */
    size_t engine_count;
    struct hang_link *links; /* those used by the armed launches, in the order of the data path */
    size_t link_count;
};

/* Finds the chain from the state of the device and its registers. NULL: the device shows no state (the model). */
struct hang_triage *hang_triage_new(const struct hang *hang);

/* triage may be NULL. */
void hang_triage_free(struct hang_triage *triage);
