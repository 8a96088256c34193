/* Chooses cuts. With one worker per piece: the fewest pieces below a limit of length. With fewer workers, cuts are
 * added one by one where they make the workers finish soonest: pieces of whole layers are seldom equal and workers
 * never equally fast, so the last pieces must be short. See cuts.h. */
#include "split/cuts.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"

enum {
    MAKING_SHARE = 32,      /* share of all work that it takes to make the pieces */
    PIECE_WORK = 3000,      /* work of a simulator to start and end a piece */
    SLOWER_SHARE = 10,      /* share by which a slow worker takes longer for a piece */
    SLOW_LOOKS = 2,         /* workers tried as the slow one */
    ADDED_MOST = 8,         /* cuts chosen one by one; further ones are even */
    LOOKS_MOST = 1 << 16,   /* attempts with other cuts */
    WORKERS_COUNTED = 1024, /* above this, as good as one worker per piece */
};

/* ---- the longest piece as short as can be ---- */

/* The cuts for the fewest pieces of at most length `most`, as far as possible. Returns the number of pieces. */
static size_t cut_by(const struct cuts_wanted *wanted, uint64_t most, size_t *cuts) {
    uint64_t piece = 0, since = 0; /* work of the piece, and of its part after the last possible cut */
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

/* Completion of a choice of cuts, summed over equally fast workers and over one slow worker at a time. */
struct finish {
    uint64_t last;  /* worker's end */
    double squares; /* sum over the ends of all workers: even ends are closer to an improvement */
};

static bool better(const struct finish *a, const struct finish *b) {
    return a->last < b->last || (a->last == b->last && a->squares < b->squares);
}

/* Distributes pieces: the first ones to the workers that do not make them, the others to the next free worker. `slow`
 * is the worker that takes longer. */
static void deal(const uint64_t *work, size_t pieces, uint64_t making, uint64_t *ends, size_t workers, size_t slow,
                 struct finish *finish) {
    uint64_t last = 0;
    for (size_t w = 0; w < workers; w++)
        ends[w] = w == 0 ? making : 0;
    for (size_t p = 0; p < pieces; p++) {
        size_t worker = p + 1 < workers ? p + 1 : 0;
        for (size_t w = 1; w < workers && p + 1 >= workers; w++)
            if (ends[w] < ends[worker])
                worker = w;
        const uint64_t takes = work[p] + PIECE_WORK;
        ends[worker] += worker == slow ? takes + takes / SLOWER_SHARE : takes;
    }
    for (size_t w = 0; w < workers; w++) {
        last = ends[w] > last ? ends[w] : last;
        finish->squares += (double)ends[w] * (double)ends[w];
    }
    finish->last += last;
}

static struct finish finish_of(const struct cuts_wanted *wanted, const size_t *cuts, size_t count, size_t slowest) {
    const size_t pieces = count + 1;
    size_t workers = wanted->workers == 0 || wanted->workers > pieces ? pieces : wanted->workers;
    workers = workers > WORKERS_COUNTED ? WORKERS_COUNTED : workers;
    autofree uint64_t *work = xcalloc(pieces, sizeof *work), *ends = xcalloc(workers, sizeof *ends);
    uint64_t all = 0;
    struct finish finish = {0};
    for (size_t l = 0, piece = 0; l < wanted->layers; l++) {
        work[piece] += wanted->work[l];
        all += wanted->work[l];
        piece += piece < count && cuts[piece] == l;
    }
    qsort(work + workers - 1, pieces - (workers - 1), sizeof *work, longer_first);
    for (size_t slow = 0; slow <= slowest; slow++)
        deal(work, pieces, all / MAKING_SHARE, ends, workers, slow > 0 ? slow - 1 : SIZE_MAX, &finish);
    return finish;
}

/* ---- all is done as soon as can be ---- */

struct search {
    const struct cuts_wanted *wanted;
    size_t *cuts, count, looks;
};

static void put_in(struct search *search, size_t layer) {
    size_t at = search->count++;
    for (; at > 0 && search->cuts[at - 1] > layer; at--)
        search->cuts[at] = search->cuts[at - 1];
    search->cuts[at] = layer;
}

static void take_out(struct search *search, size_t layer) {
    size_t at = 0;
    while (search->cuts[at] != layer)
        at++;
    for (search->count--; at < search->count; at++)
        search->cuts[at] = search->cuts[at + 1];
}

/* Adds the cut with the largest benefit. False if no more cuts are possible. */
static bool add_cut(struct search *search) {
    const struct cuts_wanted *wanted = search->wanted;
    size_t place = SIZE_MAX, next = 0;
    struct finish best = {0};
    for (size_t l = 0; l + 1 < wanted->layers; l++) {
        const bool cut = next < search->count && search->cuts[next] == l;
        next += cut;
        if (cut || !wanted->allowed[l] || (place != SIZE_MAX && search->looks >= LOOKS_MOST))
            continue;
        put_in(search, l);
        const struct finish finish = finish_of(wanted, search->cuts, search->count, SLOW_LOOKS);
        search->looks++;
        take_out(search, l);
        if (place == SIZE_MAX || better(&finish, &best)) {
            best = finish;
            place = l;
        }
    }
    if (place != SIZE_MAX)
        put_in(search, place);
    return place != SIZE_MAX;
}

static size_t cut_for_workers(const struct cuts_wanted *wanted, size_t *cuts) {
    struct cuts_wanted coarse = *wanted;
    coarse.pieces = wanted->pieces > ADDED_MOST ? wanted->pieces - ADDED_MOST : 1;
    struct search search = {.wanted = wanted, .cuts = cuts, .count = cut_evenly(&coarse, cuts)};
    while (search.count + 1 < wanted->pieces && add_cut(&search))
        ;
    return search.count;
}

size_t cuts_choose(const struct cuts_wanted *wanted, size_t *cuts) {
    size_t count = 0;
    if (wanted->pieces > 0)
        return wanted->workers > 0 ? cut_for_workers(wanted, cuts) : cut_evenly(wanted, cuts);
    for (size_t l = 0; l + 1 < wanted->layers; l++)
        if (wanted->allowed[l])
            cuts[count++] = l;
    return count;
}
