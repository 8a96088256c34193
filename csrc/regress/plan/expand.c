/* Makes the tests of a night from a plan: finds the traces, draws the seeds, multiplies by configurations, duts, memory
 * settings and reseeds, and marks what is known to fail. See plan.h. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gen/gen.h"
#include "nvdla/random.h"
#include "nvdla/xalloc.h"
#include "regress/plan/paths.h"
#include "regress/plan/plan.h"
#include "regress/plan/plan_options.h"
#include "regress/plan/plan_parts.h"
#include "regress/plan/select.h"
#include "trace/formats.h"

struct expansion {
    const struct plan *plan;
    const struct plan_item *item;
    uint64_t night; /* seed of the night */
    struct test_list *list;
    struct error *err;
};

/* What the tests of one trace or layer on one configuration have in common. */
struct base {
    char *key; /* ITEM/NAME[,CONFIG] */
    const char *trace, *generator;
    uint64_t layer_seed;
    const struct nvdla_config *config;
    struct place place; /* of the configuration, or of what the trace comes from */
};

uint64_t plan_seed(uint64_t night, const char *text) {
    uint64_t state = night, hash = random_next(&state) ^ test_hash(text);
    return (random_next(&hash) >> 32) + 1;
}

/* ---- tests of a trace or a layer ---- */

static void add_options(struct words *options, const struct plan_words *words, const char *dut) {
    for (size_t i = 0; i < words->count; i++)
        if (run_option_applies(words->items[i].text, (enum dut)plan_dut(dut)))
            words_add(options, "%s", words->items[i].text);
}

/* Adds a test. reseed: 0 of the first play. */
static bool add_test(const struct expansion *expansion, const struct base *base, const char *dut, const char *memory,
                     uint64_t reseed) {
    const struct plan_item *item = expansion->item;
    const struct plan_memory *setting = plan_memory_find(expansion->plan, memory);
    struct test_list *list = expansion->list;
    if (list->count == PLAN_TESTS)
        return plan_fail(expansion->plan, item->name.place, expansion->err,
                         "item %s: found more than %d tests in this plan", item->name.text, PLAN_TESTS);
    struct text key = {0};
    text_printf(&key, "%s", base->key);
    if (strcmp(dut, "both") != 0) /* rtl:mine is rtl-mine in a key */
        text_printf(&key, ",%s%s", strncmp(dut, "rtl:", 4) == 0 ? "rtl-" : dut,
                    strncmp(dut, "rtl:", 4) == 0 ? dut + 4 : "");
    if (setting)
        text_printf(&key, "@%s", memory);
    if (reseed)
        text_printf(&key, "+%" PRIu64, reseed);
    list->tests = xgrow(list->tests, list->count, sizeof *list->tests);
    struct test *test = &list->tests[list->count++];
    *test = (struct test){
        .key = key.text,
        .item = xstrdup(item->name.text),
        .trace = xstrdup(base->trace),
        .generator = base->generator ? xstrdup(base->generator) : NULL,
        .layer_seed = base->layer_seed,
        .config = xstrdup(base->config->name),
        .dut = xstrdup(dut),
        .memory = xstrdup(setting ? memory : ""),
        .seed = reseed || item->seed_of_night ? plan_seed(expansion->night, key.text) : item->seed,
        .max_seconds = item->limits.seconds,
        .max_cycles = item->limits.cycles,
        .max_memory = item->limits.memory,
        .expected_seconds = -1,
    };
    if (setting)
        add_options(&test->options, &setting->options, dut);
    add_options(&test->options, &item->options, dut);
    for (size_t i = 0; i < item->tags.count; i++)
        words_add(&test->tags, "%s", item->tags.items[i].text);
    return true;
}

static bool add_tests(const struct expansion *expansion, const struct base *base) {
    const struct plan_item *item = expansion->item;
    for (size_t d = 0; d < item->duts.count; d++) {
        const struct plan_word *dut = &item->duts.items[d];
        const bool model = strcmp(dut->text, "model") == 0; /* which has no memory settings */
        for (size_t m = 0; m < (model ? 1 : item->memories.count); m++)
            for (uint64_t reseed = 0; reseed <= item->reseed; reseed++)
                if (!add_test(expansion, base, dut->text, model ? "default" : item->memories.items[m].text, reseed))
                    return false;
    }
    return true;
}

/* ---- traces ---- */

/* Adds the tests of a trace. place: of the pattern that has matched it. */
static bool add_trace(const struct expansion *expansion, const char *path, struct place place) {
    const struct plan *plan = expansion->plan;
    const struct plan_item *item = expansion->item;
    struct error reason;
    char name[400], *shown = text_shown(path);
    const bool plain = strcmp(shown, path) == 0;
    free(shown);
    if (!plain)
        return plan_fail(plan, place, expansion->err,
                         "traces: the name of the file %s has control characters or is not UTF-8; give it another",
                         path);
    bool named = false;
    const struct nvdla_config *own = trace_config(path, &named, &reason);
    if (!own)
        return plan_fail(plan, place, expansion->err, "traces: %s", reason.text);
    trace_name(path, name, sizeof name);
    for (size_t i = 0; i < (item->configs.count ? item->configs.count : 1); i++) {
        const struct plan_word *asked = item->configs.count ? &item->configs.items[i] : NULL;
        struct base base = {.trace = path,
                            .config = asked ? nvdla_config_find(asked->text) : own,
                            .place = asked ? asked->place : place};
        if (named && base.config->map != own->map)
            return plan_fail(plan, base.place, expansion->err,
                             "config: found %s, whose register map is not that of %s, which %s was made for",
                             base.config->name, own->name, path);
        base.key = base.config == own ? xprintf("%s/%s", item->name.text, name)
                                      : xprintf("%s/%s,%s", item->name.text, name, base.config->name);
        const bool good = add_tests(expansion, &base);
        free(base.key);
        if (!good)
            return false;
    }
    return true;
}

/* The files of one pattern. Of an optional item it may match none, or name no variable: *missing then names what was
 * not found first. */
static bool match(const struct expansion *expansion, const struct plan_word *pattern, struct words *paths,
                  char **missing) {
    const struct plan *plan = expansion->plan;
    const size_t before = paths->count;
    struct error reason;
    char *text = paths_variables(pattern->text, &reason);
    const bool good = !text || paths_match(plan->folder, text, paths, &reason);
    if (text && good && paths->count == before) {
        char *seen = paths_from(plan->folder, text);
        error_set(&reason, "found no file that matches %s", seen);
        free(seen);
    }
    free(text);
    if (good && paths->count > before)
        return true;
    plan_fail(plan, pattern->place, expansion->err, "traces: %s%s", reason.text,
              !good                        ? ""
              : !expansion->item->optional ? "; `optional: yes` makes this a warning"
                                           : "; the item is optional, nothing of it runs");
    if (good && expansion->item->optional && !*missing)
        *missing = xstrdup(expansion->err->text);
    return good && expansion->item->optional;
}

/* Does a pattern of `exclude` match the name of the trace? used[]: which ones ever did. */
static bool is_excluded(const struct plan_words *exclude, const char *path, bool *used) {
    char name[400];
    bool excluded = false;
    trace_name(path, name, sizeof name);
    for (size_t i = 0; i < exclude->count; i++)
        if (fnmatch(exclude->items[i].text, name, 0) == 0)
            excluded = used[i] = true;
    return excluded;
}

static bool contains(const struct words *words, size_t count, const char *text) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(words->items[i], text) == 0)
            return true;
    return false;
}

static bool add_traces(const struct expansion *expansion) {
    const struct plan_item *item = expansion->item;
    const struct plan_words *exclude = &item->exclude;
    bool *used = xcalloc(exclude->count, sizeof *used), good = true;
    struct words paths = {0};
    char *missing = NULL;
    for (size_t p = 0; good && p < item->traces.count; p++) {
        const size_t before = paths.count;
        good = match(expansion, &item->traces.items[p], &paths, &missing);
        for (size_t i = before; good && i < paths.count; i++)
            if (!is_excluded(exclude, paths.items[i], used) && !contains(&paths, before, paths.items[i]))
                good = add_trace(expansion, paths.items[i], item->traces.items[p].place);
    }
    if (good && paths.count == 0)
        words_add(&expansion->list->warnings, "%s", missing);
    for (size_t i = 0; good && i < exclude->count; i++)
        if (!used[i] && paths.count > 0)
            words_add(&expansion->list->warnings, "%s:%d:%d: exclude: '%s' matches the name of no trace",
                      expansion->plan->file, exclude->items[i].place.line, exclude->items[i].place.column,
                      exclude->items[i].text);
    words_free(&paths);
    free(missing);
    free(used);
    return good;
}

/* ---- random layers ---- */

/* Adds the tests of one layer; seed NULL: drawn from that of the night. */
static bool add_layer(const struct expansion *expansion, const struct nvdla_config *config,
                      const struct plan_word *engines, uint64_t number, const uint64_t *seed) {
    const struct plan_item *item = expansion->item;
    char name[GEN_ENGINES_NAME];
    gen_engines_name(gen_engines(engines->text), name, sizeof name);
    struct base base = {.generator = engines->text, .config = config, .place = engines->place};
    const char *comma = strcmp(config->name, "small") != 0 ? "," : "", *other = comma[0] ? config->name : "";
    if (seed) {
        base.key = xprintf("%s/%s-s%" PRIu64 "%s%s", item->name.text, name, *seed, comma, other);
        base.layer_seed = *seed;
    } else {
        base.key = xprintf("%s/%s-%04" PRIu64 "%s%s", item->name.text, name, number, comma, other);
        char *of_layer = xprintf("layer %s", base.key);
        base.layer_seed = plan_seed(expansion->night, of_layer);
        free(of_layer);
    }
    char *trace = xprintf("layers/%s_%s_%" PRIu64 ".nvt.gz", config->name, name, base.layer_seed);
    base.trace = trace;
    const bool good = add_tests(expansion, &base);
    free(trace);
    free(base.key);
    return good;
}

/* An engine that is asked for by name must exist in the configuration. */
static bool check_engines(const struct expansion *expansion, const struct nvdla_config *config,
                          const struct plan_word *engines) {
    const uint32_t wanted = gen_engines(engines->text), has = gen_config_engines(config);
    char lacks[GEN_ENGINES_NAME], names[GEN_ENGINES_NAME];
    if (wanted == GEN_ENGINES_ALL || (wanted & ~has) == 0)
        return true;
    return plan_fail(expansion->plan, engines->place, expansion->err,
                     "engines: found '%s', but configuration %s has no %s; expected some of %s, or mix", engines->text,
                     config->name, gen_engines_name(wanted & ~has, lacks, sizeof lacks),
                     gen_engines_name(has, names, sizeof names));
}

static bool add_layers(const struct expansion *expansion, const struct nvdla_config *config,
                       const struct plan_word *engines) {
    const struct plan_item *item = expansion->item;
    if (!check_engines(expansion, config, engines))
        return false;
    for (uint64_t i = 1; i <= item->layers; i++)
        if (!add_layer(expansion, config, engines, i, NULL))
            return false;
    for (size_t r = 0; r < item->range_count; r++)
        for (uint64_t seed = item->ranges[r].first;; seed++) {
            if (!add_layer(expansion, config, engines, 0, &seed))
                return false;
            if (seed == item->ranges[r].last)
                break;
        }
    return true;
}

static bool add_random(const struct expansion *expansion) {
    const struct plan_item *item = expansion->item;
    for (size_t c = 0; c < item->configs.count; c++)
        for (size_t e = 0; e < item->engines.count; e++)
            if (!add_layers(expansion, nvdla_config_find(item->configs.items[c].text), &item->engines.items[e]))
                return false;
    return true;
}

/* ---- all of them ---- */

static int by_key(const void *a, const void *b) {
    return strcmp((*(const struct test *const *)a)->key, (*(const struct test *const *)b)->key);
}

static bool check_keys(const struct expansion *expansion) {
    const struct test_list *list = expansion->list;
    const struct plan *plan = expansion->plan;
    const struct test **sorted = xcalloc(list->count, sizeof *sorted);
    bool good = true;
    for (size_t i = 0; i < list->count; i++)
        sorted[i] = &list->tests[i];
    qsort(sorted, list->count, sizeof *sorted, by_key);
    for (size_t i = 1; good && i < list->count; i++) {
        if (strcmp(sorted[i - 1]->key, sorted[i]->key) != 0)
            continue;
        struct place place = {0};
        for (size_t k = 0; k < plan->item_count; k++)
            if (strcmp(plan->items[k].name.text, sorted[i]->item) == 0)
                place = plan->items[k].name.place;
        good = plan_fail(plan, place, expansion->err,
                         "item %s: found two tests called %s: %s and %s; give one of them an item of its own",
                         sorted[i]->item, sorted[i]->key, sorted[i - 1]->trace, sorted[i]->trace);
    }
    free(sorted);
    return good;
}

static bool is_known(const struct plan_known *known, const char *key) {
    for (size_t i = 0; i < known->tests.count; i++)
        if (fnmatch(known->tests.items[i].text, key, 0) == 0)
            return true;
    return false;
}

/* Marks the known failures. Expired ones excuse nothing, and are warned about. */
static void mark_known(const struct expansion *expansion, const char *today) {
    struct test_list *list = expansion->list;
    const struct plan *plan = expansion->plan;
    for (size_t k = 0; k < plan->known_count; k++) {
        const struct plan_known *known = &plan->knowns[k];
        const bool expired = strcmp(today, known->until) > 0;
        size_t count = 0;
        for (size_t i = 0; i < list->count; i++) {
            struct test *test = &list->tests[i];
            if (!is_known(known, test->key))
                continue;
            count++;
            if (!expired && !test->known) {
                test->known = xstrdup(known->reason);
                test->known_until = xstrdup(known->until);
            }
        }
        if (count == 0)
            words_add(&list->warnings, "%s:%d:%d: known failure (%s): no test of the plan is called like that",
                      plan->file, known->place.line, known->place.column, known->reason);
        else if (expired)
            words_add(&list->warnings, "%s:%d:%d: known failure (%s): it was known until %s; %zu test%s to pass again",
                      plan->file, known->place.line, known->place.column, known->reason, known->until, count,
                      count == 1 ? " has" : "s have");
    }
}

/* Leaves the chosen tests in the list. */
static bool choose(const struct expansion *expansion, const char *select) {
    struct test_list *list = expansion->list;
    bool *chosen = xcalloc(list->count, sizeof *chosen);
    const bool good = select_tests(select, list->tests, list->count, chosen, expansion->err);
    size_t count = 0;
    for (size_t i = 0; good && i < list->count; i++)
        if (chosen[i])
            list->tests[count++] = list->tests[i];
        else
            test_free(&list->tests[i]);
    if (good)
        list->count = count;
    free(chosen);
    return good;
}

bool plan_expand(const struct plan *plan, uint64_t seed, const char *today, const char *select, struct test_list *list,
                 struct error *err) {
    struct expansion expansion = {.plan = plan, .night = seed, .list = list, .err = err};
    bool good = true;
    *list = (struct test_list){0};
    for (size_t i = 0; good && i < plan->item_count; i++) {
        expansion.item = &plan->items[i];
        good = expansion.item->traces.count ? add_traces(&expansion) : add_random(&expansion);
    }
    good = good && check_keys(&expansion);
    if (good && list->count == 0)
        good = error_set(err, "%s: found no test in this plan, expected at least one", plan->file);
    if (good) {
        mark_known(&expansion, today);
        good = !select || choose(&expansion, select);
    }
    if (!good)
        test_list_free(list);
    return good;
}

char *plan_today(char text[PLAN_DATE]) {
    const time_t now = time(NULL);
    struct tm date;
    localtime_r(&now, &date);
    strftime(text, PLAN_DATE, "%Y-%m-%d", &date);
    return text;
}

void test_list_free(struct test_list *list) {
    for (size_t i = 0; i < list->count; i++)
        test_free(&list->tests[i]);
    free(list->tests);
    words_free(&list->warnings);
    *list = (struct test_list){0};
}
