/* A cache of parsed options. See option_sets.h. */
#include "regress/plan/option_sets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* Sets that are kept when they are not used: with planted faults nearly every test has one of its own. */
enum { SETS_KEPT = 64 };

struct option_set {
    struct test test; /* what the options were read from: texts and options are copies */
    struct words words;
    struct run_options options; /* refer to the words */
    size_t users, seed;         /* seed: index in options.given */
};

static bool same_words(const struct words *a, const struct words *b) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->items[i], b->items[i]) == 0;
    return same;
}

static bool fits(const struct option_set *set, const struct test *test) {
    return strcmp(set->test.config, test->config) == 0 && strcmp(set->test.dut, test->dut) == 0 &&
           set->test.max_cycles == test->max_cycles && set->test.max_seconds == test->max_seconds &&
           same_words(&set->test.options, &test->options);
}

static void set_free(struct option_set *set) {
    test_free(&set->test);
    run_options_free(&set->options);
    words_free(&set->words);
    free(set);
}

static struct option_set *set_read(const struct test *test, const char *folder, struct error *err) {
    static const char seed[] = "--seed=";
    struct option_set *set = xcalloc(1, sizeof *set);
    set->test = (struct test){.config = xstrdup(test->config),
                              .dut = xstrdup(test->dut),
                              .max_cycles = test->max_cycles,
                              .max_seconds = test->max_seconds};
    for (size_t i = 0; i < test->options.count; i++)
        words_add(&set->test.options, "%s", test->options.items[i]);
    test_words(test, folder, &set->words);
    words_add(&set->words, "--only-failed");
    words_add(&set->words, "%s", test->trace);
    run_options_init(&set->options);
    if (!run_options_read(&set->options, &set->words, err)) {
        set_free(set);
        return NULL;
    }
    while (strncmp(set->options.given.items[set->seed], seed, sizeof seed - 1) != 0)
        set->seed++;
    return set;
}

/* Moves a set to the front. */
static void bring(struct option_sets *sets, size_t index) {
    struct option_set *set = sets->sets[index];
    memmove(&sets->sets[1], &sets->sets[0], index * sizeof(struct option_set *));
    sets->sets[0] = set;
}

/* Frees the sets that were used longest ago, unless they are in use. */
static void forget(struct option_sets *sets) {
    while (sets->count > SETS_KEPT && sets->sets[sets->count - 1]->users == 0)
        set_free(sets->sets[--sets->count]);
}

static struct option_set *find(struct option_sets *sets, const struct test *test, const char *folder,
                               struct error *err) {
    for (size_t i = 0; i < sets->count; i++)
        if (fits(sets->sets[i], test)) {
            bring(sets, i);
            return sets->sets[0];
        }
    struct option_set *set = set_read(test, folder, err);
    if (!set)
        return NULL;
    forget(sets);
    sets->sets = xgrow(sets->sets, sets->count, sizeof(struct option_set *));
    sets->sets[sets->count] = set;
    bring(sets, sets->count++);
    return set;
}

bool set_options_take(struct option_sets *sets, const struct test *test, const char *folder, struct set_options *taken,
                      struct error *err) {
    *taken = (struct set_options){.set = find(sets, test, folder, err)};
    run_options_init(&taken->options);
    if (!taken->set)
        return false;
    const struct words *given = &taken->set->options.given;
    taken->set->users++;
    taken->options = taken->set->options;
    taken->options.seed = test->seed;
    taken->options.name = NULL; /* a job has its own */
    taken->options.traces = (struct words){0};
    taken->options.given.items = xmalloc((given->count + 1) * sizeof(char *));
    memcpy(taken->options.given.items, given->items, (given->count + 1) * sizeof(char *));
    taken->options.given.items[taken->set->seed] = taken->seed = xprintf("--seed=%" PRIu64, test->seed);
    return true;
}

void set_options_leave(struct set_options *taken) {
    if (!taken->set)
        return;
    taken->set->users--;
    free(taken->options.given.items);
    free(taken->seed);
    taken->set = NULL;
}

void option_sets_free(struct option_sets *sets) {
    for (size_t i = 0; i < sets->count; i++)
        set_free(sets->sets[i]);
    free(sets->sets);
    *sets = (struct option_sets){0};
}
