/* Chooses cuts. The fewest pieces of which none is longer than a limit are a beginning; then each cut is moved while
 * that makes the workers end sooner, because pieces of whole layers seldom come out even. See cuts.h. */
#include "split/cuts.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"

enum {
    MAKING_SHARE = 64,      /* of all the work: what it takes to make the pieces */
    LONGEST_COUNTS = 8,     /* of the longest piece: what counts against it */
    LOOKS_MOST = 1 << 16,   /* at pieces with other cuts */
    WORKERS_COUNTED = 1024, /* more are as good as one for each piece */
};

/* ---- the longest piece as short as can be ---- */

/* The cuts of the fewest pieces of which none is longer than `most`, unless it cannot be cut. Returns how many pieces
 * there are. */
static size_t cut_by(const struct cuts_wanted *wanted, uint64_t most, size_t *cuts) {
    uint64_t piece = 0, since = 0; /* work of the piece, and of it behind the last place for a cut */
    size_t count = 0, place = SIZE_MAX;
    for (size_t l = 0; l < wanted->layers; l++) {
        piece += wanted->work[l];
        since += wanted->work[l];
        if (piece > most && place != SIZE_MAX) {
            cuts[count++] = place;
            piece = since;
            place = SIZE_MAX;
        }
        if (l + 1 < wanted->layers && wanted->allowed[l]) {
            place = l;
            since = 0;
        }
    }
    return count + 1;
}

static size_t cut_evenly(const struct cuts_wanted *wanted, size_t *cuts) {
    uint64_t low = 0, high = 1;
    for (size_t l = 0; l < wanted->layers; l++)
        high += wanted->work[l];
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (cut_by(wanted, middle, cuts) <= wanted->pieces)
            high = middle;
        else
            low = middle;
    }
    return cut_by(wanted, high, cuts) - 1;
}

/* ---- when all is done ---- */

static int longer_first(const void *left, const void *right) {
    const uint64_t *a = left, *b = right;
    return *a < *b ? 1 : -(*a > *b);
}

struct finish {
    uint64_t last;    /* worker's end */
    uint64_t longest; /* piece */
    double squares;   /* of all workers' ends: the more even they are, the nearer to a better way */
};

/* What is expected is not what comes; pieces that are short even that out. */
static uint64_t worth(const struct finish *finish) {
    return finish->last + finish->longest / LONGEST_COUNTS;
}

static bool better(const struct finish *a, const struct finish *b) {
    return worth(a) < worth(b) || (worth(a) == worth(b) && a->squares < b->squares);
}

static struct finish finish_of(const struct cuts_wanted *wanted, const size_t *cuts, size_t count) {
    const size_t pieces = count + 1;
    size_t workers = wanted->workers == 0 || wanted->workers > pieces ? pieces : wanted->workers;
    workers = workers > WORKERS_COUNTED ? WORKERS_COUNTED : workers;
    uint64_t *work = xcalloc(pieces, sizeof *work), *ends = xcalloc(workers, sizeof *ends), all = 0;
    struct finish finish = {0};
    for (size_t l = 0, piece = 0; l < wanted->layers; l++) {
        work[piece] += wanted->work[l];
        all += wanted->work[l];
        piece += piece < count && cuts[piece] == l;
    }
    for (size_t p = 0; p < pieces; p++)
        finish.longest = work[p] > finish.longest ? work[p] : finish.longest;
    ends[0] = all / MAKING_SHARE;
    for (size_t w = 1; w < workers; w++)
        ends[w] = work[w - 1];
    qsort(work + workers - 1, pieces - (workers - 1), sizeof *work, longer_first);
    for (size_t p = workers - 1; p < pieces; p++) {
        size_t first = 0;
        for (size_t w = 1; w < workers; w++)
            if (ends[w] < ends[first])
                first = w;
        ends[first] += work[p];
    }
    for (size_t w = 0; w < workers; w++) {
        finish.last = ends[w] > finish.last ? ends[w] : finish.last;
        finish.squares += (double)ends[w] * (double)ends[w];
    }
    free(work);
    free(ends);
    return finish;
}

uint64_t cuts_last(const struct cuts_wanted *wanted, const size_t *cuts, size_t count) {
    return finish_of(wanted, cuts, count).last;
}

/* Moves a cut to the best place between its neighbours. True if that is another one. */
static bool move_cut(const struct cuts_wanted *wanted, size_t *cuts, size_t count, size_t cut, struct finish *best,
                     size_t *looks) {
    const size_t from = cut > 0 ? cuts[cut - 1] + 1 : 0, end = cut + 1 < count ? cuts[cut + 1] : wanted->layers - 1;
    const size_t before = cuts[cut];
    size_t place = before;
    for (size_t l = from; l < end && *looks < LOOKS_MOST; l++) {
        if (!wanted->allowed[l] || l == before)
            continue;
        cuts[cut] = l;
        ++*looks;
        const struct finish finish = finish_of(wanted, cuts, count);
        if (better(&finish, best)) {
            *best = finish;
            place = l;
        }
    }
    cuts[cut] = place;
    return place != before;
}

size_t cuts_choose(const struct cuts_wanted *wanted, size_t *cuts) {
    size_t count = 0, looks = 0;
    for (size_t l = 0; wanted->pieces == 0 && l + 1 < wanted->layers; l++)
        if (wanted->allowed[l])
            cuts[count++] = l;
    if (wanted->pieces == 0)
        return count;
    count = cut_evenly(wanted, cuts);
    struct finish best = finish_of(wanted, cuts, count);
    for (bool moved = wanted->workers > 0; moved;) {
        moved = false;
        for (size_t cut = 0; cut < count; cut++)
            moved |= move_cut(wanted, cuts, count, cut, &best, &looks);
    }
    return count;
}
