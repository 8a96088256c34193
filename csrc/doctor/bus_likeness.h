/* Which fault of a bus a wrong output is most like: its features beside those of outputs that runs with each fault
 * left, of the same network (played for it) or of the networks of the atlas (atlas.inc, made by scripts/atlas.py). */
#pragma once

#include "device/bus_fault.h"
#include "doctor/output_pattern.h"

enum { FEATURES = 14 };

/* Each 0 to 1: wrong bytes; the shares of the patterns, in the order of their kinds; mean difference of the wrong bytes
 * / 128; place of the first wrong byte; wrong atoms; zeros among all bytes; bytes of the longest wrong run. */
void output_features(const struct output_bytes *bytes, const struct output_pattern patterns[PATTERN_KINDS],
                     double features[FEATURES]);

struct fault_likeness {
    struct bus_fault fault;       /* of that kind, the most similar one */
    double likeness;              /* 0 to 1; 1: a run of the same network left the same bytes */
    bool played;                  /* by a run of the same network, otherwise by the atlas */
    bool usual_is_same;           /* the run with the usual parameter left the same bytes */
    unsigned others, others_same; /* runs with other parameters; those that left the same bytes */
};

struct fault_ranking {
    struct fault_likeness kinds[BUS_FAULT_KINDS]; /* [BUS_FAULT_NONE] has no likeness */
};

/* The number-th fault of a kind to play, from 0: usual parameters first. False if there are no more, or if no run of a
 * compiled network can show the kind. */
bool fault_trial(enum bus_fault_kind kind, unsigned number, struct bus_fault *fault);

/* Ranks by the atlas. */
void ranking_by_atlas(struct fault_ranking *ranking, const double features[FEATURES]);

/* Takes a run into account, which left those bytes instead of bytes->found. */
void ranking_by_run(struct fault_ranking *ranking, const struct output_bytes *bytes, const uint8_t *left,
                    const struct bus_fault *fault);

/* Whether some run left the same bytes. */
bool ranking_is_exact(const struct fault_ranking *ranking);

/* The kinds, the most similar first. Of kinds that leave the same bytes, the one that does it with the usual parameter,
 * and with more of the others that were played. */
void ranking_order(const struct fault_ranking *ranking, enum bus_fault_kind order[BUS_FAULT_KINDS - 1]);
