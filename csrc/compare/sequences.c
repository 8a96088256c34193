/* Least sum of costs by dynamic programming over all beginnings. See sequences.h. */
#include "compare/sequences.h"

#include <stdint.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"

enum { PAIRS_MOST = 16 << 20 };
enum step { STEP_PAIR, STEP_FIRST, STEP_SECOND };

/* Fills steps[i * (m + 1) + k]: the last step of the cheapest way to i elements of the first and k of the second. */
static void find_steps(const struct sequences *sequences, size_t skipped, size_t n, size_t m, uint8_t *steps) {
    uint64_t *costs = xcalloc(m + 1, sizeof *costs); /* of the current row; right of k still the row above */
    for (size_t k = 1; k <= m; k++) {
        costs[k] = k * sequences->gap;
        steps[k] = STEP_SECOND;
    }
    for (size_t i = 1; i <= n; i++) {
        uint64_t diagonal = costs[0];
        costs[0] = i * sequences->gap;
        steps[i * (m + 1)] = STEP_FIRST;
        for (size_t k = 1; k <= m; k++) {
            uint64_t best = diagonal + sequences->cost(sequences->context, skipped + i - 1, skipped + k - 1);
            enum step step = STEP_PAIR;
            diagonal = costs[k];
            if (costs[k] + sequences->gap < best) {
                best = costs[k] + sequences->gap;
                step = STEP_FIRST;
            }
            if (costs[k - 1] + sequences->gap < best) {
                best = costs[k - 1] + sequences->gap;
                step = STEP_SECOND;
            }
            costs[k] = best;
            steps[i * (m + 1) + k] = (uint8_t)step;
        }
    }
    free(costs);
}

bool sequences_pair(const struct sequences *sequences, size_t *partners) {
    size_t n = sequences->counts[0], m = sequences->counts[1], skipped = 0;
    for (size_t i = 0; i < n; i++)
        partners[i] = i < m ? i : NO_PARTNER;
    while (skipped < n && skipped < m && sequences->cost(sequences->context, skipped, skipped) == 0)
        skipped++;
    while (n > skipped && m > skipped && sequences->cost(sequences->context, n - 1, m - 1) == 0)
        partners[--n] = --m;
    n -= skipped;
    m -= skipped;
    if (n && m > PAIRS_MOST / n) {
        for (size_t i = 0; i < sequences->counts[0]; i++)
            partners[i] = i < sequences->counts[1] ? i : NO_PARTNER;
        return false;
    }
    uint8_t *steps = xcalloc((n + 1) * (m + 1), 1);
    find_steps(sequences, skipped, n, m, steps);
    for (size_t i = n, k = m; i > 0;) {
        const enum step step = (enum step)steps[i * (m + 1) + k];
        i -= step != STEP_SECOND;
        k -= step != STEP_FIRST;
        if (step != STEP_SECOND)
            partners[skipped + i] = step == STEP_PAIR ? skipped + k : NO_PARTNER;
    }
    free(steps);
    return true;
}
