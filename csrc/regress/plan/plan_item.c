/* Reads the items of a plan: which traces or random layers, on what. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "nvdla/xalloc.h"
#include "regress/plan/plan_options.h"
#include "regress/plan/plan_values.h"
#include "run/options/options.h"

static bool check_config(const struct plan_reader *reader, const struct yaml_node *node, const char *what) {
    if (nvdla_config_find(node->text))
        return true;
    struct guess guess = {.word = node->text, .n = strlen(node->text)};
    char names[256], hint[96], expected[400];
    for (int i = 0; i < nvdla_config_count; i++)
        guess_try(&guess, nvdla_configs[i].name);
    snprintf(expected, sizeof expected, "a configuration: %s%s", config_names(names, sizeof names),
             guess_hint(&guess, hint));
    return value_refuse(reader, node, what, expected);
}

static bool check_dut(const struct plan_reader *reader, const struct yaml_node *node, const char *what) {
    const char *text = node->text;
    if (strcmp(text, "both") == 0 || strcmp(text, "model") == 0 || strcmp(text, "rtl") == 0 ||
        (strncmp(text, "rtl:", 4) == 0 && rtl_name_valid(text + 4)))
        return true;
    return value_refuse(reader, node, what, "both, model, rtl, or rtl:NAME of an RTL that `nvcosim build` has made");
}

static bool check_memory(const struct plan_reader *reader, const struct yaml_node *node, const char *what) {
    const struct plan *plan = reader->plan;
    if (strcmp(node->text, "default") == 0 || plan_memory_find(plan, node->text))
        return true;
    struct guess guess = {.word = node->text, .n = strlen(node->text)};
    struct text expected = {0};
    char hint[96];
    guess_try(&guess, "default");
    text_printf(&expected, "default or a name of the plan's memories");
    for (size_t i = 0; i < plan->memory_count; i++) {
        guess_try(&guess, plan->memories[i].name);
        text_printf(&expected, "%s%s", i ? ", " : ": ", plan->memories[i].name);
    }
    text_printf(&expected, "%s", guess_hint(&guess, hint));
    value_refuse(reader, node, what, expected.text);
    free(expected.text);
    return false;
}

static bool check_tag(const struct plan_reader *reader, const struct yaml_node *node, const char *what) {
    return value_is_name(node->text, ".:") ||
           value_refuse(reader, node, what, VALUE_NAME ", or a list of such; '.' and ':' may be in it");
}

static bool check_engines(const struct plan_reader *reader, const struct yaml_node *node, const char *what) {
    return gen_engines(node->text) != 0 ||
           value_refuse(
               reader, node, what,
               "conv, img, sdp, pdp, cdp, bdma, rubik, deconv, several of them with commas between, or mix; or a "
               "list of such");
}

/* "17" or "1-500". */
static bool read_range(const struct plan_reader *reader, const struct yaml_node *node, struct plan_item *item) {
    struct plan_range range;
    bool good = value_is_text(node);
    if (good) {
        char *first = xstrdup(node->text), *dash = strchr(first, '-');
        if (dash)
            *dash = '\0';
        good = text_number(first, INT64_MAX, &range.first) &&
               text_number(dash ? dash + 1 : first, INT64_MAX, &range.last) && range.first <= range.last &&
               range.last - range.first < PLAN_LAYERS;
        free(first);
    }
    if (!good)
        return value_refuse(reader, node, "seeds",
                            "a seed, or a range of at most 100000 such as 1-500, or a list of these");
    for (size_t i = 0; i < item->range_count; i++)
        if (range.first <= item->ranges[i].last && item->ranges[i].first <= range.last)
            return plan_fail(reader->plan, value_place(node), reader->err,
                             "seeds: found '%s', expected no seed of %" PRIu64 "-%" PRIu64 ", which was given before",
                             node->text, item->ranges[i].first, item->ranges[i].last);
    item->ranges = xgrow(item->ranges, item->range_count, sizeof *item->ranges);
    item->ranges[item->range_count++] = range;
    return true;
}

static bool read_ranges(const struct plan_reader *reader, const struct yaml_node *node, struct plan_item *item) {
    if (node->kind != YAML_LIST)
        return read_range(reader, node, item);
    for (size_t i = 0; i < node->count; i++)
        if (!read_range(reader, node->nodes[i], item))
            return false;
    return node->count > 0 || value_refuse(reader, node, "seeds", "at least one seed or range");
}

static bool read_random(const struct plan_reader *reader, const struct yaml_node *map, struct plan_item *item) {
    static const char *const keys[] = {"engines", "count", "seeds", NULL};
    if (!value_keys(reader, map, "random", keys))
        return false;
    const struct yaml_node *engines = yamltree_member(map, "engines"), *count = yamltree_member(map, "count"),
                           *seeds = yamltree_member(map, "seeds");
    if (!engines)
        return plan_fail(reader->plan, value_place(map), reader->err,
                         "random: expected the key engines, such as engines: mix");
    if (!count == !seeds)
        return plan_fail(reader->plan, value_place(map), reader->err,
                         "random: found %s, expected either count (layers with seeds of the night) or seeds (the same "
                         "layers every night, such as 1-500)",
                         count ? "both count and seeds" : "neither count nor seeds");
    return value_words(reader, engines, "engines", "names of engines", check_engines, false, &item->engines) &&
           (count ? value_number(reader, count, "count", 1, PLAN_LAYERS, &item->layers)
                  : read_ranges(reader, seeds, item));
}

/* A word that the plan does not give. */
static void add_default(struct plan_words *words, const char *text, struct place place) {
    words->items = xgrow(words->items, words->count, sizeof *words->items);
    words->items[words->count++] = (struct plan_word){.text = xstrdup(text), .place = place};
}

static bool read_seed(const struct plan_reader *reader, const struct yaml_node *node, struct plan_item *item) {
    item->seed_of_night = item->layers > 0;
    item->seed = 1;
    if (!node)
        return true;
    item->seed_of_night = value_is_text(node) && strcmp(node->text, "night") == 0;
    return item->seed_of_night || (value_is_text(node) && text_number(node->text, INT64_MAX, &item->seed)) ||
           value_refuse(reader, node, "seed",
                        "a number from 0 to 2^63-1, or night: one drawn from the seed of the night");
}

/* Are the item's options of use to that dut, and do they go together with the memory settings? */
static bool check_options(const struct plan_reader *reader, const struct plan_item *item, const struct plan_word *dut) {
    const enum dut kind = (enum dut)plan_dut(dut->text);
    struct plan_words applies = {0}; /* its words belong to the item */
    bool good = true;
    for (size_t i = 0; good && i < item->options.count; i++) {
        const struct plan_word *word = &item->options.items[i];
        if (run_option_applies(word->text, kind)) {
            applies.items = xgrow(applies.items, applies.count, sizeof *applies.items);
            applies.items[applies.count++] = *word;
        } else if (item->duts.count == 1)
            good = plan_fail(reader->plan, word->place, reader->err, "options: %s has no effect with dut %s",
                             word->text, dut->text);
    }
    good = good && value_check_fit(reader, dut->text, &applies, NULL, dut->place, "options");
    for (size_t i = 0; good && kind != DUT_MODEL && i < item->memories.count; i++) {
        const struct plan_word *name = &item->memories.items[i];
        const struct plan_memory *memory = plan_memory_find(reader->plan, name->text);
        good = !memory || value_check_fit(reader, dut->text, &applies, &memory->options, name->place,
                                          "options and memories together");
    }
    free(applies.items);
    return good;
}

/* What only traces have, and what only RTL has. */
static bool check_item(const struct plan_reader *reader, const struct yaml_node *map, const struct plan_item *item) {
    static const char *const of_traces[] = {"optional", "exclude"};
    const struct yaml_node *memories = yamltree_member(map, "memories");
    for (size_t i = 0; item->traces.count == 0 && i < 2; i++)
        if (yamltree_member(map, of_traces[i]))
            return plan_fail(reader->plan, value_place(yamltree_member(map, of_traces[i])), reader->err,
                             "%s: it is of items with the key traces; this one has random layers", of_traces[i]);
    if (memories && item->duts.count == 1 && strcmp(item->duts.items[0].text, "model") == 0)
        return plan_fail(reader->plan, value_place(memories), reader->err,
                         "memories: the model has none; leave the key out, or play on another dut than model");
    for (size_t i = 0; i < item->duts.count; i++)
        if (!check_options(reader, item, &item->duts.items[i]))
            return false;
    return true;
}

/* The keys of an item whose values are words. */
static bool read_lists(const struct plan_reader *reader, const struct yaml_node *map, struct plan_item *item) {
    static const struct {
        const char *key, *expected;
        value_check *check;
        bool again;
        size_t offset;
    } lists[] = {
        {"traces", "a pattern of file names, or a list of such", NULL, false, offsetof(struct plan_item, traces)},
        {"exclude", "a pattern of names of traces, or a list of such", NULL, false,
         offsetof(struct plan_item, exclude)},
        {"config", "the name of a configuration, or a list of such", check_config, false,
         offsetof(struct plan_item, configs)},
        {"dut", "both, model, rtl, rtl:NAME, or a list of such", check_dut, false, offsetof(struct plan_item, duts)},
        {"memories", "names of the plan's memories, or default", check_memory, false,
         offsetof(struct plan_item, memories)},
        {"tags", "words, or a list of such", check_tag, false, offsetof(struct plan_item, tags)},
        {"options", "a list of options of nvcosim run, such as [--strict]", value_check_option, true,
         offsetof(struct plan_item, options)},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        const struct yaml_node *node = yamltree_member(map, lists[i].key);
        if (node && !value_words(reader, node, lists[i].key, lists[i].expected, lists[i].check, lists[i].again,
                                 (struct plan_words *)((char *)item + lists[i].offset)))
            return false;
    }
    return true;
}

bool plan_read_item(const struct plan_reader *reader, const struct yaml_node *map) {
    static const char *const keys[] = {"name",    "traces", "random", "config", "dut",      "memories", "tags",
                                       "options", "seed",   "reseed", "limits", "optional", "exclude",  NULL};
    struct plan *plan = reader->plan;
    if (!value_keys(reader, map, "items", keys))
        return false;
    const struct yaml_node *name = yamltree_member(map, "name"), *traces = yamltree_member(map, "traces"),
                           *random = yamltree_member(map, "random"), *node;
    if (!name)
        return plan_fail(plan, value_place(map), reader->err,
                         "items: found an item without the key name, expected one");
    if (!value_is_text(name) || !value_is_name(name->text, ""))
        return value_refuse(reader, name, "name", VALUE_NAME);
    for (size_t i = 0; i < plan->item_count; i++)
        if (strcmp(plan->items[i].name.text, name->text) == 0)
            return plan_fail(plan, value_place(name), reader->err,
                             "name: found '%s' again; it is that of the item in line %d", name->text,
                             plan->items[i].name.place.line);
    if (!traces == !random)
        return plan_fail(plan, value_place(map), reader->err,
                         "item %s: found %s, expected either traces (patterns of file names) or random (layers)",
                         name->text, traces ? "both traces and random" : "neither traces nor random");
    plan->items = xgrow(plan->items, plan->item_count, sizeof *plan->items);
    struct plan_item *item = &plan->items[plan->item_count++];
    *item = (struct plan_item){.name = {.text = xstrdup(name->text), .place = value_place(name)}};
    if (!read_lists(reader, map, item))
        return false;
    if (item->duts.count == 0)
        add_default(&item->duts, "both", item->name.place);
    if (item->memories.count == 0)
        add_default(&item->memories, "default", item->name.place);
    if (random && item->configs.count == 0)
        add_default(&item->configs, "small", item->name.place);
    item->limits = plan->limits;
    node = yamltree_member(map, "limits");
    if ((random && !read_random(reader, random, item)) || !read_seed(reader, yamltree_member(map, "seed"), item) ||
        (node && !value_limits(reader, node, &item->limits)))
        return false;
    node = yamltree_member(map, "reseed");
    if (node && !value_number(reader, node, "reseed", 0, PLAN_RESEED, &item->reseed))
        return false;
    node = yamltree_member(map, "optional");
    return (!node || value_bool(reader, node, "optional", &item->optional)) && check_item(reader, map, item);
}
