/* Features of outputs, and how alike they are. See bus_likeness.h. */
#include "doctor/bus_likeness.h"

#include <math.h>
#include <stdlib.h>

/* Likeness falls to 1/e when features differ by this on average. */
#define FEATURE_SCALE 0.2

/* Weights of equal bytes and of equal features in the likeness to a run; at most their sum if not all bytes are equal.
 */
#define WEIGHT_BYTES 0.55
#define WEIGHT_FEATURES 0.4

/* The atlas knows other networks only. */
#define WEIGHT_ATLAS 0.5

struct atlas_row {
    struct bus_fault fault;
    double features[FEATURES];
};

static const struct atlas_row atlas[] = {
#include "doctor/atlas.inc"
};

/* Parameters to try, the usual one first; n-th ones are continued with all numbers. */
static const uint32_t bursts[] = {4, 2, 8, 3, 16, 5, 32, 6, 64, 7, 1, 10};
static const uint32_t beats[] = {64, 32, 128, 16, 256, 8, 100, 4, 50, 10, 2, 512, 1000, 20};
static const uint32_t clocks[] = {2000, 500, 1000, 5000, 200, 100, 10000, 300, 3000, 20000, 50, 50000, 100000};
static const uint32_t bits[] = {12, 13, 11, 14, 10, 15, 9, 16, 8, 17, 7, 18, 6, 19, 5, 20, 4, 21, 3, 22, 23, 24};
static const uint32_t blocks[] = {256, 4096, 32, 64, 128, 512, 1024, 2048, 16, 8};

static bool is_among(const uint32_t *values, size_t count, uint32_t value) {
    while (count && values[count - 1] != value)
        count--;
    return count > 0;
}

/* The number-th of the values; then, if `goes_on`, of 1, 2, 3, ... without those. */
static bool take(const uint32_t *values, size_t count, unsigned number, bool goes_on, uint32_t *parameter) {
    if (number < count)
        *parameter = values[number];
    else if (goes_on) {
        uint32_t value = 1;
        for (unsigned left = number - (unsigned)count;; value++)
            if (!is_among(values, count, value) && left-- == 0)
                break;
        *parameter = value;
    }
    return number < count || goes_on;
}

bool fault_trial(enum bus_fault_kind kind, unsigned number, struct bus_fault *fault) {
    *fault = (struct bus_fault){.kind = kind};
    switch (kind) {
    case BUS_FAULT_SAME_ID:
        return take(bursts, sizeof bursts / sizeof *bursts, number, true, &fault->parameter);
    case BUS_FAULT_LOST_BEAT:
    case BUS_FAULT_REPEATED_BEAT:
        return take(beats, sizeof beats / sizeof *beats, number, true, &fault->parameter);
    case BUS_FAULT_EARLY:
    case BUS_FAULT_STALE:
        return take(clocks, sizeof clocks / sizeof *clocks, number, false, &fault->parameter);
    case BUS_FAULT_ADDRESS:
        return take(bits, sizeof bits / sizeof *bits, number, false, &fault->parameter);
    case BUS_FAULT_WRAP:
        return take(blocks, sizeof blocks / sizeof *blocks, number, false, &fault->parameter);
    case BUS_FAULT_STROBES:
    case BUS_FAULT_NARROW:
    case BUS_FAULT_SWAPPED:
        return number == 0;
    default:
        return false;
    }
}

/* ---- features ---- */

void output_features(const struct output_bytes *bytes, const struct output_pattern patterns[PATTERN_KINDS],
                     double features[FEATURES]) {
    size_t first = 0, zeros = 0, run = 0, longest = 0, atoms = 0, last = SIZE_MAX;
    double difference = 0;
    const size_t wrong = output_wrong(bytes, &first), atom = bytes->atom ? bytes->atom : 1;
    for (size_t i = 0; i < bytes->n; i++) {
        const bool is_wrong = bytes->found[i] != bytes->expected[i];
        difference += abs((int8_t)bytes->found[i] - (int8_t)bytes->expected[i]);
        zeros += bytes->found[i] == 0;
        run = is_wrong ? run + 1 : 0;
        longest = run > longest ? run : longest;
        atoms += is_wrong && i / atom != last;
        last = is_wrong ? i / atom : last;
    }
    const double n = bytes->n ? (double)bytes->n : 1, all_atoms = ceil(n / (double)atom);
    size_t at = 0;
    features[at++] = (double)wrong / n;
    for (int kind = 0; kind < PATTERN_KINDS; kind++)
        features[at++] = patterns[kind].share;
    features[at++] = wrong ? fmin(difference / (double)wrong / 128, 1) : 0;
    features[at++] = (double)first / n;
    features[at++] = (double)atoms / all_atoms;
    features[at++] = (double)zeros / n;
    features[at] = (double)longest / n;
}

_Static_assert(FEATURES == 1 + (int)PATTERN_KINDS + 5, "as output_features fills them");

static double alike(const double a[FEATURES], const double b[FEATURES]) {
    double difference = 0;
    for (int i = 0; i < FEATURES; i++)
        difference += fabs(a[i] - b[i]);
    return exp(-difference / FEATURES / FEATURE_SCALE);
}

/* ---- ranking ---- */

static void offer(struct fault_ranking *ranking, const struct bus_fault *fault, double likeness, bool played) {
    struct fault_likeness *kind = &ranking->kinds[fault->kind];
    if (kind->played > played || (kind->played == played && kind->likeness >= likeness))
        return;
    kind->fault = *fault;
    kind->likeness = likeness;
    kind->played = played;
}

void ranking_by_atlas(struct fault_ranking *ranking, const double features[FEATURES]) {
    for (size_t i = 0; i < sizeof atlas / sizeof *atlas; i++)
        offer(ranking, &atlas[i].fault, WEIGHT_ATLAS * alike(features, atlas[i].features), false);
}

/* Share of the bytes that are wrong on either side and equal. */
static double equal_share(const struct output_bytes *bytes, const uint8_t *left) {
    size_t wrong = 0, equal = 0;
    for (size_t i = 0; i < bytes->n; i++) {
        const bool counts = bytes->found[i] != bytes->expected[i] || left[i] != bytes->expected[i];
        wrong += counts;
        equal += counts && bytes->found[i] == left[i];
    }
    return wrong ? (double)equal / (double)wrong : 1;
}

static void count_run(struct fault_ranking *ranking, const struct bus_fault *fault, bool same) {
    struct fault_likeness *kind = &ranking->kinds[fault->kind];
    const struct bus_fault_info *info = &bus_fault_infos[fault->kind];
    if (!info->unit || fault->parameter == info->usual) {
        kind->usual_is_same = same;
        return;
    }
    kind->others++;
    kind->others_same += same;
}

void ranking_by_run(struct fault_ranking *ranking, const struct output_bytes *bytes, const uint8_t *left,
                    const struct bus_fault *fault) {
    struct output_bytes other = *bytes;
    struct output_pattern patterns[PATTERN_KINDS];
    double features[2][FEATURES];
    const double equal = equal_share(bytes, left);
    output_patterns(bytes, patterns);
    output_features(bytes, patterns, features[0]);
    other.found = left;
    output_patterns(&other, patterns);
    output_features(&other, patterns, features[1]);
    count_run(ranking, fault, equal == 1);
    offer(ranking, fault, equal == 1 ? 1 : WEIGHT_BYTES * equal + WEIGHT_FEATURES * alike(features[0], features[1]),
          true);
}

bool ranking_is_exact(const struct fault_ranking *ranking) {
    for (int kind = 0; kind < BUS_FAULT_KINDS; kind++)
        if (ranking->kinds[kind].likeness == 1)
            return true;
    return false;
}

/* How likely it is that a fault of that kind left the bytes: as likely with the usual parameter as with all others. */
static double weight(const struct fault_likeness *kind) {
    if (kind->likeness < 1)
        return kind->likeness;
    const double others = kind->others ? (double)kind->others_same / kind->others : kind->usual_is_same;
    return 1 + (kind->usual_is_same + others) / 2;
}

void ranking_order(const struct fault_ranking *ranking, enum bus_fault_kind order[BUS_FAULT_KINDS - 1]) {
    for (int kind = BUS_FAULT_NONE + 1; kind < BUS_FAULT_KINDS; kind++) {
        int at = kind - 1;
        for (; at > 0 && weight(&ranking->kinds[order[at - 1]]) < weight(&ranking->kinds[kind]); at--)
            order[at] = order[at - 1];
        order[at] = (enum bus_fault_kind)kind;
    }
}
