/* Puts two nights side by side: pairs of tests, what changed, figures. See compare.h. */
#include "regress/pages/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/clients.h"
#include "nvdla/engines.h"
#include "nvdla/xalloc.h"
#include "regress/pages/compare_side.h"
#include "regress/pages/review.h"

const char *const compare_changes[COMPARE_CHANGES] = {
    [COMPARE_NEW_FAILURE] = "new failure", [COMPARE_OTHERWISE] = "fails otherwise",
    [COMPARE_STILL] = "fails in both",     [COMPARE_FIXED] = "fixed",
    [COMPARE_OPEN] = "not run in both",    [COMPARE_KNOWN] = "now fails as known",
    [COMPARE_PASSES] = "passes in both",   [COMPARE_ONLY_A] = "only in A",
    [COMPARE_ONLY_B] = "only in B",
};

/* ---- pairs ---- */

static bool fails(const struct compare_result *result) {
    return result->there && result->verdict > VERDICT_PASS;
}

static enum compare_change change_of(const struct compare_pair *pair) {
    const struct compare_result *a = &pair->a, *b = &pair->b;
    if (fails(b) && fails(a))
        return a->signature && b->signature && strcmp(a->signature, b->signature) != 0 ? COMPARE_OTHERWISE
                                                                                       : COMPARE_STILL;
    if (fails(b))
        return b->known ? COMPARE_KNOWN : COMPARE_NEW_FAILURE;
    if (!b->there)
        return COMPARE_ONLY_A;
    if (!a->there)
        return COMPARE_ONLY_B;
    if (b->verdict == REVIEW_NOT_RUN || a->verdict == REVIEW_NOT_RUN)
        return COMPARE_OPEN;
    return fails(a) ? COMPARE_FIXED : COMPARE_PASSES;
}

static void add_pair(struct comparison *comparison, const struct side_test *a, const struct side_test *b,
                     bool other_seeds) {
    const struct side_test *shown = b->result.there ? b : a;
    comparison->pairs = xgrow(comparison->pairs, comparison->count, sizeof *comparison->pairs);
    struct compare_pair *pair = &comparison->pairs[comparison->count++];
    *pair = (struct compare_pair){.name = shown->name,
                                  .item = shown->item,
                                  .config = shown->config,
                                  .engines = a->engines | b->engines,
                                  .a = a->result,
                                  .b = b->result};
    pair->change = change_of(pair);
    comparison->changes[pair->change]++;
    if (pair->change != COMPARE_PASSES)
        return;
    pair->same_work =
        a->has_layer == b->has_layer && a->layer_seed == b->layer_seed && (other_seeds || a->seed == b->seed);
    comparison->other_work += !pair->same_work;
    if (!pair->same_work)
        return;
    if (a->result.cycles > 0 && b->result.cycles > 0)
        pair->cycles_ratio = (double)b->result.cycles / (double)a->result.cycles;
    if (a->result.speed > 0 && b->result.speed > 0)
        pair->speed_ratio = b->result.speed / a->result.speed;
    pair->speed_counts = fmin(a->result.cpu_seconds, b->result.cpu_seconds) >= COMPARE_SPEED_SECONDS;
    comparison->over += comparison->limit >= 0 && pair->cycles_ratio > 1 + comparison->limit / 100;
}

static void pair_up(struct comparison *comparison, const struct side_tests *a, const struct side_tests *b,
                    bool other_seeds) {
    static const struct side_test absent;
    for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
        const int order = i == a->count ? 1 : j == b->count ? -1 : strcmp(a->tests[i].name, b->tests[j].name);
        add_pair(comparison, order <= 0 ? &a->tests[i] : &absent, order >= 0 ? &b->tests[j] : &absent, other_seeds);
        i += order <= 0;
        j += order >= 0;
    }
}

static int by_change(const void *left, const void *right) {
    const struct compare_pair *a = left, *b = right;
    return a->change != b->change ? (int)a->change - (int)b->change : strcmp(a->name, b->name);
}

/* ---- figures ---- */

static void count_mean(struct comparison *comparison, const char *kind, const char *name,
                       const struct compare_pair *pair) {
    struct compare_mean *mean = comparison->means;
    const struct compare_mean *const end = mean + comparison->mean_count;
    while (mean < end && (strcmp(mean->kind, kind) != 0 || strcmp(mean->name, name) != 0))
        mean++;
    if (mean == end) {
        const size_t at = comparison->mean_count++;
        comparison->means = xgrow(comparison->means, at, sizeof *mean);
        mean = &comparison->means[at];
        *mean = (struct compare_mean){.kind = kind, .name = name};
    }
    if (pair->cycles_ratio > 0) { /* logarithms until all are there */
        mean->count++;
        mean->slower += pair->cycles_ratio > 1;
        mean->faster += pair->cycles_ratio < 1;
        mean->cycles += log(pair->cycles_ratio);
    }
    if (pair->speed_ratio > 0) {
        mean->speed_count++;
        mean->speed += log(pair->speed_ratio);
        mean->long_count += pair->speed_counts;
    }
}

static int kind_place(const char *kind) {
    static const char *const kinds[] = {"", "item", "config", "engine"};
    int place = 0;
    while (strcmp(kinds[place], kind) != 0)
        place++;
    return place;
}

static int by_kind(const void *left, const void *right) {
    const struct compare_mean *a = left, *b = right;
    const int order = kind_place(a->kind) - kind_place(b->kind);
    return order ? order : strcmp(a->name, b->name);
}

static void make_means(struct comparison *comparison) {
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_pair *pair = &comparison->pairs[i];
        if (pair->cycles_ratio <= 0 && pair->speed_ratio <= 0)
            continue;
        count_mean(comparison, "", "all", pair);
        count_mean(comparison, "item", pair->item, pair);
        count_mean(comparison, "config", pair->config, pair);
        for (int engine = 0; engine < ENGINE_COUNT; engine++)
            if (pair->engines >> engine & 1)
                count_mean(comparison, "engine", engine == ENGINE_CACC ? "conv" : nvdla_engines[engine].folder, pair);
    }
    for (size_t i = 0; i < comparison->mean_count; i++) {
        struct compare_mean *mean = &comparison->means[i];
        mean->cycles = mean->count ? exp(mean->cycles / (double)mean->count) : 0;
        mean->speed = mean->speed_count ? exp(mean->speed / (double)mean->speed_count) : 0;
        mean->speed_counts = 2 * mean->long_count >= mean->speed_count;
    }
    if (comparison->mean_count > 0)
        qsort(comparison->means, comparison->mean_count, sizeof *comparison->means, by_kind);
}

static int most_first(const void *left, const void *right) {
    const struct compare_pair *a = *(const struct compare_pair *const *)left,
                              *b = *(const struct compare_pair *const *)right;
    const double x = fabs(log(a->cycles_ratio)), y = fabs(log(b->cycles_ratio));
    return x != y ? (x < y) - (x > y) : strcmp(a->name, b->name);
}

static void find_extremes(struct comparison *comparison) {
    comparison->slower = xcalloc(comparison->count, sizeof(const struct compare_pair *));
    comparison->faster = xcalloc(comparison->count, sizeof(const struct compare_pair *));
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_pair *pair = &comparison->pairs[i];
        if (pair->cycles_ratio > 1)
            comparison->slower[comparison->slower_count++] = pair;
        else if (pair->cycles_ratio > 0 && pair->cycles_ratio < 1)
            comparison->faster[comparison->faster_count++] = pair;
    }
    qsort(comparison->slower, comparison->slower_count, sizeof(const struct compare_pair *), most_first);
    qsort(comparison->faster, comparison->faster_count, sizeof(const struct compare_pair *), most_first);
}

/* ---- all of it ---- */

static bool same_choice(const struct request *a, const struct request *b) {
    for (int i = 0; i < BY_PLAN; i++)
        if ((a->patterns[i] == NULL) != (b->patterns[i] == NULL) ||
            (a->patterns[i] && strcmp(a->patterns[i], b->patterns[i]) != 0))
            return false;
    return true;
}

/* Finds both nights; "previous" is before the other one. */
static bool find_nights(struct comparison *comparison, sqlite3 *db, const struct request *a, const struct request *b,
                        struct error *err) {
    const bool a_waits = strcmp(a->night, "previous") == 0;
    if (a_waits && strcmp(b->night, "previous") == 0)
        return error_set(err, "found 'previous' twice, expected another night to compare it with");
    if (!a_waits && (comparison->a.night = find_night(db, a, 0, err)) < 0)
        return false;
    if ((comparison->b.night = find_night(db, b, comparison->a.night, err)) < 0)
        return false;
    if (a_waits && (comparison->a.night = find_night(db, a, comparison->b.night, err)) < 0)
        return false;
    if (comparison->a.night == comparison->b.night && same_choice(a, b))
        return error_set(err,
                         "'%s' and '%s' are the same, night %" PRId64 "; expected two nights, or two choices such as "
                         "%" PRId64 ":dut=both and %" PRId64 ":dut=rtl:mine",
                         comparison->a.given, comparison->b.given, comparison->a.night, comparison->a.night,
                         comparison->a.night);
    return true;
}

/* The key of a test of a side. */
static const char *example_of(const struct comparison *comparison, bool of_a) {
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_result *result = of_a ? &comparison->pairs[i].a : &comparison->pairs[i].b;
        if (result->there)
            return result->key;
    }
    return "none";
}

static bool compare_sides(struct comparison *comparison, sqlite3 *db, const struct request *a, const struct request *b,
                          struct error *err) {
    bool drop[CHOICES_OF_KEY], other_seeds = false;
    for (int i = 0; i < CHOICES_OF_KEY; i++) {
        drop[i] = a->patterns[i] || b->patterns[i];
        other_seeds = other_seeds || drop[i];
    }
    /* Both sides are compared whole where both choose the same: their keys have to stay apart. */
    for (int i = 0; i < CHOICES_OF_KEY; i++)
        if (drop[i] && a->patterns[i] && b->patterns[i] && strcmp(a->patterns[i], b->patterns[i]) == 0)
            drop[i] = false;
    struct side_tests of_a = {0}, of_b = {0};
    const bool fine = find_nights(comparison, db, a, b, err) && read_side(comparison, db, &comparison->a, err) &&
                      read_side(comparison, db, &comparison->b, err) &&
                      take_side(comparison, db, &comparison->a, a, drop, &of_a, err) &&
                      take_side(comparison, db, &comparison->b, b, drop, &of_b, err);
    if (fine) {
        pair_up(comparison, &of_a, &of_b, other_seeds);
        qsort(comparison->pairs, comparison->count, sizeof *comparison->pairs, by_change);
        make_means(comparison);
        find_extremes(comparison);
    }
    free(of_a.tests);
    free(of_b.tests);
    if (fine && comparison->count == of_a.count + of_b.count)
        return error_set(err,
                         "'%s' and '%s' have no test in common, such as %s and %s: there is nothing to compare; where "
                         "they differ in item, config, dut or memory, both have to choose by it",
                         comparison->a.given, comparison->b.given, example_of(comparison, true),
                         example_of(comparison, false));
    return fine;
}

struct comparison *compare_read(struct store *store, const char *a, const char *b, double limit, struct error *err) {
    struct comparison *comparison = xcalloc(1, sizeof *comparison);
    struct request of_a = {0}, of_b = {0};
    comparison->limit = limit;
    comparison->a.given = compare_keep(comparison, a);
    comparison->b.given = compare_keep(comparison, b);
    comparison->a.chosen = comparison->a.given + strcspn(a, ":");
    comparison->b.chosen = comparison->b.given + strcspn(b, ":");
    const bool fine = request_read(a, &of_a, err) && request_read(b, &of_b, err) &&
                      compare_sides(comparison, store_database(store), &of_a, &of_b, err);
    request_free(&of_a);
    request_free(&of_b);
    if (fine)
        return comparison;
    compare_free(comparison);
    return NULL;
}

void compare_free(struct comparison *comparison) {
    if (!comparison)
        return;
    free(comparison->pairs);
    free(comparison->means);
    free(comparison->slower);
    free(comparison->faster);
    words_free(&comparison->strings);
    free(comparison);
}

bool compare_worse(const struct comparison *comparison) {
    return comparison->changes[COMPARE_NEW_FAILURE] > 0 || comparison->over > 0;
}

char *compare_sentence(const struct comparison *comparison) {
    const size_t *changes = comparison->changes;
    struct text text = {0};
    text_printf(&text, "%zu new %s, %zu fixed, %zu %s in both", changes[COMPARE_NEW_FAILURE],
                changes[COMPARE_NEW_FAILURE] == 1 ? "failure" : "failures", changes[COMPARE_FIXED],
                changes[COMPARE_STILL] + changes[COMPARE_OTHERWISE],
                changes[COMPARE_STILL] + changes[COMPARE_OTHERWISE] == 1 ? "fails" : "fail");
    if (changes[COMPARE_OTHERWISE])
        text_printf(&text, " (%zu otherwise)", changes[COMPARE_OTHERWISE]);
    text_printf(&text, ", %zu %s in both", changes[COMPARE_PASSES], changes[COMPARE_PASSES] == 1 ? "passes" : "pass");
    if (changes[COMPARE_KNOWN])
        text_printf(&text, ", %zu now %s as known", changes[COMPARE_KNOWN],
                    changes[COMPARE_KNOWN] == 1 ? "fails" : "fail");
    if (changes[COMPARE_OPEN])
        text_printf(&text, ", %zu not run in both", changes[COMPARE_OPEN]);
    if (changes[COMPARE_ONLY_A])
        text_printf(&text, ", %zu only in A", changes[COMPARE_ONLY_A]);
    if (changes[COMPARE_ONLY_B])
        text_printf(&text, ", %zu only in B", changes[COMPARE_ONLY_B]);
    text_printf(&text, ".");
    if (comparison->limit >= 0)
        text_printf(&text, " %zu %s more than %g %% more cycles.", comparison->over,
                    comparison->over == 1 ? "test takes" : "tests take", comparison->limit);
    return text.text;
}
