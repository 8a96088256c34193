/* Reads a plan: from a tree of YAML nodes to struct plan, with the place of everything that is wrong. */
#include "regress/plan.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/paths.h"
#include "regress/plan_options.h"
#include "regress/plan_parts.h"
#include "regress/select.h"
#include "regress/yamltree.h"

enum { NAME_MOST = 64, TEXT_MOST = 400 };

struct reader {
    struct plan *plan;
    struct error *err;
};

const struct plan_memory *plan_memory_find(const struct plan *plan, const char *name) {
    for (size_t i = 0; i < plan->memory_count; i++)
        if (strcmp(plan->memories[i].name, name) == 0)
            return &plan->memories[i];
    return NULL;
}

bool plan_fail(const struct plan *plan, struct place place, struct error *err, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = xvprintf(format, arguments);
    va_end(arguments);
    yamltree_fail(err, plan->file, place.line, place.column, "%s", text);
    free(text);
    return false;
}

static struct place place_of(const struct yaml_node *node) {
    return (struct place){node->line, node->column};
}

/* "found X, expected EXPECTED" */
static bool refuse(const struct reader *reader, const struct yaml_node *node, const char *what, const char *expected) {
    char shown[YAML_SHOW];
    return plan_fail(reader->plan, place_of(node), reader->err, "%s: found %s, expected %s", what,
                     yamltree_show(node, shown), expected);
}

/* Puts the place of a node in front of a message that is there. */
static bool refuse_text(const struct reader *reader, const struct yaml_node *node, const char *what) {
    char text[sizeof reader->err->text];
    memcpy(text, reader->err->text, sizeof text);
    return plan_fail(reader->plan, place_of(node), reader->err, "%s: %s", what, text);
}

/* ---- values ---- */

static bool is_text(const struct yaml_node *node) {
    return node->kind == YAML_TEXT && (node->text[0] != '\0' || !node->plain);
}

/* A text for people. */
static bool take_text(const struct reader *reader, const struct yaml_node *node, const char *what, char **text) {
    if (!is_text(node) || node->text[0] == '\0' || strlen(node->text) > TEXT_MOST)
        return refuse(reader, node, what, "a text of 1 to 400 bytes");
    *text = xstrdup(node->text);
    return true;
}

/* A name of letters, digits and some of "_-" (and of `more`), beginning with a letter or digit. */
static bool is_name(const char *text, const char *more) {
    const size_t n = strlen(text);
    if (n == 0 || n > NAME_MOST || !isalnum((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_-", text[i]) && !strchr(more, text[i]))
            return false;
    return !select_is_operator(text);
}
#define NAME_EXPECTED                                                                                                  \
    "a name of letters, digits, '_' and '-', at most 64, that begins with a letter or digit and is not and, or, not"

static bool take_bool(const struct reader *reader, const struct yaml_node *node, const char *what, bool *value) {
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on"};
    for (size_t i = 0; node->kind == YAML_TEXT && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(node->text, words[i]) == 0) {
            *value = i % 2;
            return true;
        }
    return refuse(reader, node, what, "yes or no");
}

static bool take_number(const struct reader *reader, const struct yaml_node *node, const char *what, uint64_t min,
                        uint64_t max, uint64_t *value) {
    char expected[80];
    if (is_text(node) && text_number(node->text, max, value) && *value >= min)
        return true;
    snprintf(expected, sizeof expected, "a number from %" PRIu64 " to %" PRIu64, min, max);
    return refuse(reader, node, what, expected);
}

/* A number with a letter behind it, each of `letters` `step` times the one before; none: without a limit. */
static bool take_amount(const struct reader *reader, const struct yaml_node *node, const char *what,
                        const char *letters, uint64_t step, const char *expected, uint64_t *value) {
    uint64_t factor = 1;
    if (is_text(node)) {
        if (strcmp(node->text, "none") == 0) {
            *value = 0;
            return true;
        }
        char *digits = xstrdup(node->text);
        const size_t n = strlen(digits);
        const char *letter = n > 1 ? strchr(letters, digits[n - 1]) : NULL;
        if (letter) {
            digits[n - 1] = '\0';
            for (const char *c = letters; c <= letter; c++)
                factor *= step;
        }
        const bool good = text_number(digits, INT64_MAX / factor, value) && *value > 0;
        free(digits);
        if (good) {
            *value *= factor;
            return true;
        }
    }
    return refuse(reader, node, what, expected);
}

/* Seconds: 90, 1.5, 90s, 5m, 2h, 1d; none, where there may be no limit: 0. */
static bool take_seconds(const struct reader *reader, const struct yaml_node *node, const char *what, bool or_none,
                         double *value) {
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    if (is_text(node)) {
        const char *text = node->text;
        if (or_none && strcmp(text, "none") == 0) {
            *value = 0;
            return true;
        }
        const size_t whole = strspn(text, "0123456789"),
                     part = text[whole] == '.' ? 1 + strspn(text + whole + 1, "0123456789") : 0;
        const char *end = text + whole + part;
        double unit = *end == '\0';
        for (size_t i = 0; i < sizeof units / sizeof units[0] && *end; i++)
            if (*end == units[i].letter && end[1] == '\0')
                unit = units[i].seconds;
        if (whole > 0 && whole < 10 && part != 1 && part < 10 && unit > 0) {
            *value = strtod(text, NULL) * unit;
            return true;
        }
    }
    return refuse(reader, node, what,
                  or_none ? "seconds, or a time such as 90s, 5m, 2h, or none"
                          : "seconds, or a time such as 90s, 5m, 2h");
}

/* ---- lists ---- */

static void add_word(struct plan_words *words, const struct yaml_node *node) {
    words->items = xgrow(words->items, words->count, sizeof *words->items);
    words->items[words->count++] = (struct plan_word){.text = xstrdup(node->text), .place = place_of(node)};
}

static void words_of_plan_free(struct plan_words *words) {
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i].text);
    free(words->items);
}

/* One element; false with a message. */
typedef bool element_check(const struct reader *reader, const struct yaml_node *node, const char *what);

/* A text, or a list of texts, at least one, none twice unless `again`. */
static bool take_words(const struct reader *reader, const struct yaml_node *node, const char *what,
                       const char *expected, element_check *check, bool again, struct plan_words *words) {
    const struct yaml_node *const one[] = {node};
    const struct yaml_node *const *nodes = node->kind == YAML_LIST ? (const struct yaml_node *const *)node->nodes : one;
    const size_t count = node->kind == YAML_LIST ? node->count : 1;
    if (node->kind == YAML_MAP || count == 0)
        return refuse(reader, node, what, expected);
    for (size_t i = 0; i < count; i++) {
        if (!is_text(nodes[i]) || nodes[i]->text[0] == '\0')
            return refuse(reader, nodes[i], what, expected);
        if (check && !check(reader, nodes[i], what))
            return false;
        for (size_t k = 0; !again && k < words->count; k++)
            if (strcmp(words->items[k].text, nodes[i]->text) == 0)
                return plan_fail(reader->plan, place_of(nodes[i]), reader->err, "%s: found '%s' twice", what,
                                 nodes[i]->text);
        add_word(words, nodes[i]);
    }
    return true;
}

static bool check_option(const struct reader *reader, const struct yaml_node *node, const char *what) {
    return plan_option_allowed(node->text, reader->err) || refuse_text(reader, node, what);
}

static bool check_config(const struct reader *reader, const struct yaml_node *node, const char *what) {
    if (nvdla_config_find(node->text))
        return true;
    struct guess guess = {.word = node->text, .n = strlen(node->text)};
    char names[256], hint[96], expected[400];
    for (int i = 0; i < nvdla_config_count; i++)
        guess_try(&guess, nvdla_configs[i].name);
    snprintf(expected, sizeof expected, "a configuration: %s%s", config_names(false, names, sizeof names),
             guess_hint(&guess, hint));
    return refuse(reader, node, what, expected);
}

static bool check_dut(const struct reader *reader, const struct yaml_node *node, const char *what) {
    const char *text = node->text;
    if (strcmp(text, "both") == 0 || strcmp(text, "model") == 0 || strcmp(text, "rtl") == 0 ||
        (strncmp(text, "rtl:", 4) == 0 && rtl_name_valid(text + 4)))
        return true;
    return refuse(reader, node, what, "both, model, rtl, or rtl:NAME of an RTL that `nvcosim build` has made");
}

static bool check_memory(const struct reader *reader, const struct yaml_node *node, const char *what) {
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
    refuse(reader, node, what, expected.text);
    free(expected.text);
    return false;
}

static bool check_tag(const struct reader *reader, const struct yaml_node *node, const char *what) {
    return is_name(node->text, ".:") ||
           refuse(reader, node, what, NAME_EXPECTED ", or a list of such; '.' and ':' may be in it");
}

static bool check_engines(const struct reader *reader, const struct yaml_node *node, const char *what) {
    return gen_engines(node->text) != 0 ||
           refuse(reader, node, what,
                  "conv, img, sdp, pdp, cdp, bdma, rubik, deconv, several of them with commas between, or mix; or a "
                  "list of such");
}

/* ---- mappings ---- */

/* Is it a mapping that has no other keys than these (NULL at the end)? */
static bool check_keys(const struct reader *reader, const struct yaml_node *map, const char *what,
                       const char *const *keys) {
    struct text expected = {0};
    bool good = true;
    for (size_t k = 0; keys[k]; k++)
        text_printf(&expected, "%s%s", k ? ", " : "", keys[k]);
    if (map->kind != YAML_MAP) {
        char *text = xprintf("a mapping with some of the keys %s", expected.text);
        good = refuse(reader, map, what, text);
        free(text);
    }
    for (size_t i = 0; good && i < map->count; i += 2) {
        const struct yaml_node *key = map->nodes[i];
        struct guess guess = {.word = key->text, .n = strlen(key->text)};
        char shown[YAML_SHOW], hint[96];
        bool known = false;
        for (size_t k = 0; keys[k]; k++) {
            known = known || strcmp(keys[k], key->text) == 0;
            guess_try(&guess, keys[k]);
        }
        if (!known)
            good = plan_fail(reader->plan, place_of(key), reader->err, "%s: found the key %s, expected one of %s%s",
                             what, yamltree_show(key, shown), expected.text, guess_hint(&guess, hint));
    }
    free(expected.text);
    return good;
}

static bool read_limits(const struct reader *reader, const struct yaml_node *map, struct plan_limits *limits) {
    static const char *const keys[] = {"seconds", "cycles", "memory", NULL};
    if (!check_keys(reader, map, "limits", keys))
        return false;
    const struct yaml_node *seconds = yamltree_member(map, "seconds"), *cycles = yamltree_member(map, "cycles"),
                           *memory = yamltree_member(map, "memory");
    return (!seconds || take_seconds(reader, seconds, "limits: seconds", true, &limits->seconds)) &&
           (!cycles || take_amount(reader, cycles, "limits: cycles", "kMG", 1000,
                                   "core clocks, at least 1, such as 500000 or 20M (k, M, G: thousands), or none",
                                   &limits->cycles)) &&
           (!memory ||
            take_amount(reader, memory, "limits: memory", "KMGT", 1024,
                        "bytes, at least 1, such as 512M or 2G (K, M, G, T: times 1024), or none", &limits->memory));
}

static bool read_triage(const struct reader *reader, const struct yaml_node *map) {
    static const char *const keys[] = {"debug", "debug_seconds", "shrink_seconds", NULL};
    struct plan_settings *settings = &reader->plan->settings;
    if (!check_keys(reader, map, "triage", keys))
        return false;
    const struct yaml_node *debug = yamltree_member(map, "debug"),
                           *debug_seconds = yamltree_member(map, "debug_seconds"),
                           *shrink_seconds = yamltree_member(map, "shrink_seconds");
    uint64_t reports = PLAN_DEBUG;
    if (debug && !take_number(reader, debug, "triage: debug", 0, 100000, &reports))
        return false;
    settings->debug_reports = (int)reports;
    return (!debug_seconds ||
            take_seconds(reader, debug_seconds, "triage: debug_seconds", false, &settings->debug_seconds)) &&
           (!shrink_seconds ||
            take_seconds(reader, shrink_seconds, "triage: shrink_seconds", false, &settings->shrink_seconds));
}

/* Do the options fit together, for that dut? Else the message is about the place of the culprit: an option of the item,
 * or what it names. more: options beside the words, at a place of their own. */
static bool check_fit(const struct reader *reader, const char *dut, const struct plan_words *words,
                      const struct plan_words *more, struct place place, const char *what) {
    const size_t count = words->count + (more ? more->count : 0);
    char **list = xcalloc(count + 1, sizeof *list);
    size_t culprit;
    for (size_t i = 0; i < count; i++)
        list[i] = i < words->count ? words->items[i].text : more->items[i - words->count].text;
    bool good = plan_options_fit(dut, list, count, &culprit, reader->err);
    if (!good) {
        char text[sizeof reader->err->text];
        memcpy(text, reader->err->text, sizeof text);
        good = plan_fail(reader->plan, culprit < words->count ? words->items[culprit].place : place, reader->err,
                         "%s: %s", what, text);
    }
    free(list);
    return good;
}

static bool read_memories(const struct reader *reader, const struct yaml_node *map) {
    struct plan *plan = reader->plan;
    if (map->kind != YAML_MAP)
        return refuse(reader, map, "memories", "a mapping of names to lists of options of nvcosim run");
    for (size_t i = 0; i < map->count; i += 2) {
        const struct yaml_node *name = map->nodes[i];
        if (!is_name(name->text, "") || strcmp(name->text, "default") == 0)
            return refuse(reader, name, "memories",
                          NAME_EXPECTED ", and not default, which is the memory without options");
        plan->memories = xgrow(plan->memories, plan->memory_count, sizeof *plan->memories);
        struct plan_memory *memory = &plan->memories[plan->memory_count++];
        *memory = (struct plan_memory){.name = xstrdup(name->text)};
        if (!take_words(reader, map->nodes[i + 1], name->text,
                        "a list of options of nvcosim run, such as [--latency=200]", check_option, true,
                        &memory->options) ||
            !check_fit(reader, "both", &memory->options, NULL, place_of(name), name->text))
            return false;
    }
    return true;
}

/* ---- items ---- */

/* "17" or "1-500". */
static bool read_range(const struct reader *reader, const struct yaml_node *node, struct plan_item *item) {
    struct plan_range range;
    bool good = is_text(node);
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
        return refuse(reader, node, "seeds", "a seed, or a range of at most 100000 such as 1-500, or a list of these");
    for (size_t i = 0; i < item->range_count; i++)
        if (range.first <= item->ranges[i].last && item->ranges[i].first <= range.last)
            return plan_fail(reader->plan, place_of(node), reader->err,
                             "seeds: found '%s', expected no seed of %" PRIu64 "-%" PRIu64 ", which is there already",
                             node->text, item->ranges[i].first, item->ranges[i].last);
    item->ranges = xgrow(item->ranges, item->range_count, sizeof *item->ranges);
    item->ranges[item->range_count++] = range;
    return true;
}

static bool read_ranges(const struct reader *reader, const struct yaml_node *node, struct plan_item *item) {
    if (node->kind != YAML_LIST)
        return read_range(reader, node, item);
    for (size_t i = 0; i < node->count; i++)
        if (!read_range(reader, node->nodes[i], item))
            return false;
    return node->count > 0 || refuse(reader, node, "seeds", "at least one seed or range");
}

static bool read_random(const struct reader *reader, const struct yaml_node *map, struct plan_item *item) {
    static const char *const keys[] = {"engines", "count", "seeds", NULL};
    if (!check_keys(reader, map, "random", keys))
        return false;
    const struct yaml_node *engines = yamltree_member(map, "engines"), *count = yamltree_member(map, "count"),
                           *seeds = yamltree_member(map, "seeds");
    if (!engines)
        return plan_fail(reader->plan, place_of(map), reader->err,
                         "random: expected the key engines, such as engines: mix");
    if (!count == !seeds)
        return plan_fail(reader->plan, place_of(map), reader->err,
                         "random: found %s, expected either count (layers with seeds of the night) or seeds (the same "
                         "layers every night, such as 1-500)",
                         count ? "both count and seeds" : "neither count nor seeds");
    return take_words(reader, engines, "engines", "names of engines", check_engines, false, &item->engines) &&
           (count ? take_number(reader, count, "count", 1, PLAN_LAYERS, &item->layers)
                  : read_ranges(reader, seeds, item));
}

/* A word that the plan does not give. */
static void add_default(struct plan_words *words, const char *text, struct place place) {
    words->items = xgrow(words->items, words->count, sizeof *words->items);
    words->items[words->count++] = (struct plan_word){.text = xstrdup(text), .place = place};
}

static bool read_seed(const struct reader *reader, const struct yaml_node *node, struct plan_item *item) {
    item->seed_of_night = item->layers > 0;
    item->seed = 1;
    if (!node)
        return true;
    item->seed_of_night = is_text(node) && strcmp(node->text, "night") == 0;
    return item->seed_of_night || (is_text(node) && text_number(node->text, INT64_MAX, &item->seed)) ||
           refuse(reader, node, "seed", "a number from 0 to 2^63-1, or night: one drawn from the seed of the night");
}

/* Are the item's options of use to that dut, and do they go together with the memory settings? */
static bool check_options(const struct reader *reader, const struct plan_item *item, const struct plan_word *dut) {
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
    good = good && check_fit(reader, dut->text, &applies, NULL, dut->place, "options");
    for (size_t i = 0; good && kind != DUT_MODEL && i < item->memories.count; i++) {
        const struct plan_word *name = &item->memories.items[i];
        const struct plan_memory *memory = plan_memory_find(reader->plan, name->text);
        good = !memory ||
               check_fit(reader, dut->text, &applies, &memory->options, name->place, "options and memories together");
    }
    free(applies.items);
    return good;
}

/* What only traces have, and what only RTL has. */
static bool check_item(const struct reader *reader, const struct yaml_node *map, const struct plan_item *item) {
    static const char *const of_traces[] = {"optional", "exclude"};
    const struct yaml_node *memories = yamltree_member(map, "memories");
    for (size_t i = 0; item->traces.count == 0 && i < 2; i++)
        if (yamltree_member(map, of_traces[i]))
            return plan_fail(reader->plan, place_of(yamltree_member(map, of_traces[i])), reader->err,
                             "%s: it is of items with the key traces; this one has random layers", of_traces[i]);
    if (memories && item->duts.count == 1 && strcmp(item->duts.items[0].text, "model") == 0)
        return plan_fail(reader->plan, place_of(memories), reader->err,
                         "memories: the model has none; leave the key out, or play on another dut than model");
    for (size_t i = 0; i < item->duts.count; i++)
        if (!check_options(reader, item, &item->duts.items[i]))
            return false;
    return true;
}

static bool read_item(const struct reader *reader, const struct yaml_node *map) {
    static const char *const keys[] = {"name",    "traces", "random", "config", "dut",      "memories", "tags",
                                       "options", "seed",   "reseed", "limits", "optional", "exclude",  NULL};
    struct plan *plan = reader->plan;
    if (!check_keys(reader, map, "items", keys))
        return false;
    const struct yaml_node *name = yamltree_member(map, "name"), *traces = yamltree_member(map, "traces"),
                           *random = yamltree_member(map, "random"), *node;
    if (!name)
        return plan_fail(plan, place_of(map), reader->err, "items: found an item without the key name, expected one");
    if (!is_text(name) || !is_name(name->text, ""))
        return refuse(reader, name, "name", NAME_EXPECTED);
    for (size_t i = 0; i < plan->item_count; i++)
        if (strcmp(plan->items[i].name.text, name->text) == 0)
            return plan_fail(plan, place_of(name), reader->err,
                             "name: found '%s' again; it is that of the item in line %d", name->text,
                             plan->items[i].name.place.line);
    if (!traces == !random)
        return plan_fail(plan, place_of(map), reader->err,
                         "item %s: found %s, expected either traces (patterns of file names) or random (layers)",
                         name->text, traces ? "both traces and random" : "neither traces nor random");
    plan->items = xgrow(plan->items, plan->item_count, sizeof *plan->items);
    struct plan_item *item = &plan->items[plan->item_count++];
    *item = (struct plan_item){.name = {.text = xstrdup(name->text), .place = place_of(name)}};
    static const struct {
        const char *key, *expected;
        element_check *check;
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
        {"options", "a list of options of nvcosim run, such as [--strict]", check_option, true,
         offsetof(struct plan_item, options)},
    };
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        node = yamltree_member(map, lists[i].key);
        if (node && !take_words(reader, node, lists[i].key, lists[i].expected, lists[i].check, lists[i].again,
                                (struct plan_words *)((char *)item + lists[i].offset)))
            return false;
    }
    if (item->duts.count == 0)
        add_default(&item->duts, "both", item->name.place);
    if (item->memories.count == 0)
        add_default(&item->memories, "default", item->name.place);
    if (random && item->configs.count == 0)
        add_default(&item->configs, "small", item->name.place);
    item->limits = plan->limits;
    node = yamltree_member(map, "limits");
    if ((random && !read_random(reader, random, item)) || !read_seed(reader, yamltree_member(map, "seed"), item) ||
        (node && !read_limits(reader, node, &item->limits)))
        return false;
    node = yamltree_member(map, "reseed");
    if (node && !take_number(reader, node, "reseed", 0, PLAN_RESEED, &item->reseed))
        return false;
    node = yamltree_member(map, "optional");
    return (!node || take_bool(reader, node, "optional", &item->optional)) && check_item(reader, map, item);
}

/* ---- known failures ---- */

/* Is it a day, YYYY-MM-DD? */
static bool is_date(const char *text) {
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (strlen(text) != 10)
        return false;
    for (int i = 0; i < 10; i++)
        if (i == 4 || i == 7 ? text[i] != '-' : !isdigit((unsigned char)text[i]))
            return false;
    const int year = atoi(text), month = atoi(text + 5), day = atoi(text + 8);
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + (month == 2 && leap);
}

static bool read_known(const struct reader *reader, const struct yaml_node *map) {
    static const char *const keys[] = {"test", "reason", "until", NULL};
    struct plan *plan = reader->plan;
    if (!check_keys(reader, map, "known_failures", keys))
        return false;
    for (size_t i = 0; keys[i]; i++)
        if (!yamltree_member(map, keys[i]))
            return plan_fail(plan, place_of(map), reader->err,
                             "known_failures: found an entry without the key %s, expected test, reason and until",
                             keys[i]);
    const struct yaml_node *until = yamltree_member(map, "until");
    plan->knowns = xgrow(plan->knowns, plan->known_count, sizeof *plan->knowns);
    struct plan_known *known = &plan->knowns[plan->known_count++];
    *known = (struct plan_known){.place = place_of(map)};
    if (!take_words(reader, yamltree_member(map, "test"), "test", "a pattern of names of tests, or a list of such",
                    NULL, false, &known->tests) ||
        !take_text(reader, yamltree_member(map, "reason"), "reason", &known->reason))
        return false;
    if (!is_text(until) || !is_date(until->text))
        return refuse(reader, until, "until", "the last day on which it is known, YYYY-MM-DD");
    known->until = xstrdup(until->text);
    return true;
}

/* ---- the plan ---- */

static bool read_list(const struct reader *reader, const struct yaml_node *list, const char *what,
                      bool (*read)(const struct reader *, const struct yaml_node *)) {
    if (list->kind != YAML_LIST || list->count == 0)
        return refuse(reader, list, what, "a list of at least one mapping (lines that begin with '-')");
    for (size_t i = 0; i < list->count; i++)
        if (!read(reader, list->nodes[i]))
            return false;
    return true;
}

static bool read_database(const struct reader *reader, const struct yaml_node *node) {
    char *text, *path;
    if (!take_text(reader, node, "database", &text))
        return false;
    path = paths_variables(text, reader->err);
    free(text);
    if (!path)
        return refuse_text(reader, node, "database");
    reader->plan->database = paths_from(reader->plan->folder, path);
    free(path);
    return true;
}

static bool read_plan(const struct reader *reader, const struct yaml_node *map) {
    static const char *const keys[] = {"name",          "database",       "jobs",   "night_seconds",
                                       "slurm_options", "limits",         "triage", "memories",
                                       "items",         "known_failures", NULL};
    struct plan *plan = reader->plan;
    struct plan_settings *settings = &plan->settings;
    const struct yaml_node *nodes[sizeof keys / sizeof keys[0] - 1];
    uint64_t jobs = 0;
    if (!check_keys(reader, map, "plan", keys))
        return false;
    for (size_t i = 0; keys[i]; i++)
        nodes[i] = yamltree_member(map, keys[i]);
    enum { NAME, DATABASE, JOBS, NIGHT_SECONDS, SLURM_OPTIONS, LIMITS, TRIAGE, MEMORIES, ITEMS, KNOWN };
    if (!nodes[ITEMS])
        return plan_fail(plan, place_of(map), reader->err, "plan: found no key items, expected it: what is to be run");
    if ((nodes[NAME] && !take_text(reader, nodes[NAME], "name", &plan->name)) ||
        (nodes[DATABASE] && !read_database(reader, nodes[DATABASE])) ||
        (nodes[JOBS] && !take_number(reader, nodes[JOBS], "jobs", 1, 1024, &jobs)) ||
        (nodes[NIGHT_SECONDS] &&
         !take_seconds(reader, nodes[NIGHT_SECONDS], "night_seconds", true, &settings->night_seconds)) ||
        (nodes[SLURM_OPTIONS] && !take_text(reader, nodes[SLURM_OPTIONS], "slurm_options", &plan->slurm_options)) ||
        (nodes[LIMITS] && !read_limits(reader, nodes[LIMITS], &plan->limits)) ||
        (nodes[TRIAGE] && !read_triage(reader, nodes[TRIAGE])) ||
        (nodes[MEMORIES] && !read_memories(reader, nodes[MEMORIES])) ||
        !read_list(reader, nodes[ITEMS], "items", read_item) ||
        (nodes[KNOWN] && !read_list(reader, nodes[KNOWN], "known_failures", read_known)))
        return false;
    settings->jobs = (int)jobs;
    return true;
}

/* The file's name without folder and suffix. */
static char *name_of_file(const char *file) {
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    return dot && dot > base ? xstrndup(base, (size_t)(dot - base)) : xstrdup(base);
}

struct plan *plan_parse(const char *name, const char *text, size_t n, struct error *err) {
    struct plan *plan = xcalloc(1, sizeof *plan);
    const struct reader reader = {.plan = plan, .err = err};
    struct yamltree yaml;
    plan->file = xstrdup(name);
    plan->folder = paths_folder(name);
    plan->settings = (struct plan_settings){
        .debug_reports = PLAN_DEBUG, .debug_seconds = PLAN_DEBUG_SECONDS, .shrink_seconds = PLAN_SHRINK_SECONDS};
    const bool good = yamltree_parse(&yaml, name, text, n, err) && read_plan(&reader, yaml.root);
    yamltree_free(&yaml);
    if (!good) {
        plan_free(plan);
        return NULL;
    }
    if (!plan->name)
        plan->name = name_of_file(name);
    return plan;
}

struct plan *plan_read(const char *path, struct error *err) {
    char *text;
    size_t n;
    if (!file_read(path, &text, &n, err))
        return NULL;
    struct plan *plan = plan_parse(path, text, n, err);
    free(text);
    return plan;
}

void plan_free(struct plan *plan) {
    if (!plan)
        return;
    for (size_t i = 0; i < plan->item_count; i++) {
        struct plan_item *item = &plan->items[i];
        struct plan_words *const lists[] = {&item->traces, &item->exclude,  &item->engines, &item->configs,
                                            &item->duts,   &item->memories, &item->tags,    &item->options};
        for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
            words_of_plan_free(lists[k]);
        free(item->name.text);
        free(item->ranges);
    }
    for (size_t i = 0; i < plan->memory_count; i++) {
        free(plan->memories[i].name);
        words_of_plan_free(&plan->memories[i].options);
    }
    for (size_t i = 0; i < plan->known_count; i++) {
        words_of_plan_free(&plan->knowns[i].tests);
        free(plan->knowns[i].reason);
        free(plan->knowns[i].until);
    }
    free(plan->items);
    free(plan->memories);
    free(plan->knowns);
    free(plan->file);
    free(plan->folder);
    free(plan->name);
    free(plan->database);
    free(plan->slurm_options);
    free(plan);
}

struct plan_settings plan_settings(const struct plan *plan) {
    struct plan_settings settings = plan->settings;
    settings.name = plan->name;
    settings.database = plan->database;
    settings.slurm_options = plan->slurm_options;
    return settings;
}
