/* Reads a plan: from a tree of YAML nodes to struct plan, with the place of everything that is wrong. */
#include "regress/plan/plan.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/plan/paths.h"
#include "regress/plan/plan_values.h"

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

static void words_of_plan_free(struct plan_words *words) {
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i].text);
    free(words->items);
}

static bool read_triage(const struct plan_reader *reader, const struct yaml_node *map) {
    static const char *const keys[] = {"debug", "debug_seconds", "shrink_seconds", NULL};
    struct plan_settings *settings = &reader->plan->settings;
    if (!value_keys(reader, map, "triage", keys))
        return false;
    const struct yaml_node *debug = yamltree_member(map, "debug"),
                           *debug_seconds = yamltree_member(map, "debug_seconds"),
                           *shrink_seconds = yamltree_member(map, "shrink_seconds");
    uint64_t reports = PLAN_DEBUG;
    if (debug && !value_number(reader, debug, "triage: debug", 0, 100000, &reports))
        return false;
    settings->debug_reports = (int)reports;
    return (!debug_seconds ||
            value_seconds(reader, debug_seconds, "triage: debug_seconds", false, &settings->debug_seconds)) &&
           (!shrink_seconds ||
            value_seconds(reader, shrink_seconds, "triage: shrink_seconds", false, &settings->shrink_seconds));
}

static bool read_memories(const struct plan_reader *reader, const struct yaml_node *map) {
    struct plan *plan = reader->plan;
    if (map->kind != YAML_MAP)
        return value_refuse(reader, map, "memories", "a mapping of names to lists of options of nvcosim run");
    for (size_t i = 0; i < map->count; i += 2) {
        const struct yaml_node *name = map->nodes[i];
        if (!value_is_name(name->text, "") || strcmp(name->text, "default") == 0)
            return value_refuse(reader, name, "memories",
                                VALUE_NAME ", and not default, which is the memory without options");
        plan->memories = xgrow(plan->memories, plan->memory_count, sizeof *plan->memories);
        struct plan_memory *memory = &plan->memories[plan->memory_count++];
        *memory = (struct plan_memory){.name = xstrdup(name->text)};
        if (!value_words(reader, map->nodes[i + 1], name->text,
                         "a list of options of nvcosim run, such as [--latency=200]", value_check_option, true,
                         &memory->options) ||
            !value_check_fit(reader, "both", &memory->options, NULL, value_place(name), name->text))
            return false;
    }
    return true;
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

static bool read_known(const struct plan_reader *reader, const struct yaml_node *map) {
    static const char *const keys[] = {"test", "reason", "until", NULL};
    struct plan *plan = reader->plan;
    if (!value_keys(reader, map, "known_failures", keys))
        return false;
    for (size_t i = 0; keys[i]; i++)
        if (!yamltree_member(map, keys[i]))
            return plan_fail(plan, value_place(map), reader->err,
                             "known_failures: found an entry without the key %s, expected test, reason and until",
                             keys[i]);
    const struct yaml_node *until = yamltree_member(map, "until");
    plan->knowns = xgrow(plan->knowns, plan->known_count, sizeof *plan->knowns);
    struct plan_known *known = &plan->knowns[plan->known_count++];
    *known = (struct plan_known){.place = value_place(map)};
    if (!value_words(reader, yamltree_member(map, "test"), "test", "a pattern of names of tests, or a list of such",
                     NULL, false, &known->tests) ||
        !value_text(reader, yamltree_member(map, "reason"), "reason", &known->reason))
        return false;
    if (!value_is_text(until) || !is_date(until->text))
        return value_refuse(reader, until, "until", "the last day on which it is known, YYYY-MM-DD");
    known->until = xstrdup(until->text);
    return true;
}

/* ---- the plan ---- */

static bool read_list(const struct plan_reader *reader, const struct yaml_node *list, const char *what,
                      bool (*read)(const struct plan_reader *, const struct yaml_node *)) {
    if (list->kind != YAML_LIST || list->count == 0)
        return value_refuse(reader, list, what, "a list of at least one mapping (lines that begin with '-')");
    for (size_t i = 0; i < list->count; i++)
        if (!read(reader, list->nodes[i]))
            return false;
    return true;
}

static bool read_database(const struct plan_reader *reader, const struct yaml_node *node) {
    char *text, *path;
    if (!value_text(reader, node, "database", &text))
        return false;
    path = paths_variables(text, reader->err);
    free(text);
    if (!path)
        return value_refuse_text(reader, node, "database");
    reader->plan->database = paths_from(reader->plan->folder, path);
    free(path);
    return true;
}

static bool read_plan(const struct plan_reader *reader, const struct yaml_node *map) {
    static const char *const keys[] = {"name",          "database",       "jobs",   "night_seconds",
                                       "slurm_options", "limits",         "triage", "memories",
                                       "items",         "known_failures", NULL};
    struct plan *plan = reader->plan;
    struct plan_settings *settings = &plan->settings;
    const struct yaml_node *nodes[sizeof keys / sizeof keys[0] - 1];
    uint64_t jobs = 0;
    if (!value_keys(reader, map, "plan", keys))
        return false;
    for (size_t i = 0; keys[i]; i++)
        nodes[i] = yamltree_member(map, keys[i]);
    enum { NAME, DATABASE, JOBS, NIGHT_SECONDS, SLURM_OPTIONS, LIMITS, TRIAGE, MEMORIES, ITEMS, KNOWN };
    if (!nodes[ITEMS])
        return plan_fail(plan, value_place(map), reader->err,
                         "plan: found no key items, expected it: what is to be run");
    if ((nodes[NAME] && !value_text(reader, nodes[NAME], "name", &plan->name)) ||
        (nodes[DATABASE] && !read_database(reader, nodes[DATABASE])) ||
        (nodes[JOBS] && !value_number(reader, nodes[JOBS], "jobs", 1, 1024, &jobs)) ||
        (nodes[NIGHT_SECONDS] &&
         !value_seconds(reader, nodes[NIGHT_SECONDS], "night_seconds", true, &settings->night_seconds)) ||
        (nodes[SLURM_OPTIONS] && !value_text(reader, nodes[SLURM_OPTIONS], "slurm_options", &plan->slurm_options)) ||
        (nodes[LIMITS] && !value_limits(reader, nodes[LIMITS], &plan->limits)) ||
        (nodes[TRIAGE] && !read_triage(reader, nodes[TRIAGE])) ||
        (nodes[MEMORIES] && !read_memories(reader, nodes[MEMORIES])) ||
        !read_list(reader, nodes[ITEMS], "items", plan_read_item) ||
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
    const struct plan_reader reader = {.plan = plan, .err = err};
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

struct plan *plan_read(const char *path, char **text, struct error *err) {
    struct file_reader *file = file_reader_open(path, err);
    char *bytes = xmalloc(YAML_BYTES + 2); /* one more than a plan may have, and a zero */
    struct plan *plan = NULL;
    size_t n = 0;
    ssize_t more = file ? 1 : -1;
    while (more > 0 && n <= YAML_BYTES) {
        more = file_reader_read(file, bytes + n, YAML_BYTES + 1 - n, err);
        n += more > 0 ? (size_t)more : 0;
    }
    file_reader_close(file);
    bytes[n] = '\0';
    if (more >= 0)
        plan = plan_parse(path, bytes, n, err);
    *text = plan ? xstrndup(bytes, n) : NULL;
    free(bytes);
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
