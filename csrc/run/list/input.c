/* Reads the lines of a list of tests. See input.h. */
#include "run/list/input.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/config_text.h"
#include "nvdla/xalloc.h"

enum { SETS_MOST = 1 << 20, LINE_MOST = 16 << 20 };

/* ---- members of a line ---- */

enum kind { KIND_TEXT, KIND_NUMBER, KIND_REAL, KIND_TRUTH, KIND_LIST, KIND_OBJECT };

/* A member that a line may have. */
struct expected {
    const char *key;
    enum kind kind;
    bool needed;
};

static const char *const kind_names[] = {
    [KIND_TEXT] = "a text",
    [KIND_NUMBER] = "a whole number, 0 or more",
    [KIND_REAL] = "a number, 0 or more",
    [KIND_TRUTH] = "true or false",
    [KIND_LIST] = "a list of texts",
    [KIND_OBJECT] = "an object",
};

/* A whole number of 64 bits: a number of JSON, which has 63 of them, or a text of digits. */
static bool number(const json_t *value, uint64_t *result) {
    const char *text = json_string_value(value);
    *result = json_is_integer(value) ? (uint64_t)json_integer_value(value) : 0;
    return text ? text_number(text, UINT64_MAX, result) : json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool is_of(const json_t *value, enum kind kind) {
    uint64_t ignored;
    switch (kind) {
    case KIND_TEXT:
        return json_string_length(value) > 0 && strlen(json_string_value(value)) == json_string_length(value);
    case KIND_NUMBER:
        return number(value, &ignored);
    case KIND_REAL:
        return json_is_number(value) && json_number_value(value) >= 0;
    case KIND_TRUTH:
        return json_is_boolean(value);
    case KIND_LIST:
        for (size_t i = 0; i < json_array_size(value); i++)
            if (!is_of(json_array_get(value, i), KIND_TEXT))
                return false;
        return json_is_array(value);
    case KIND_OBJECT:
        return json_is_object(value);
    }
    return false;
}

/* True if an object has the expected members, of their kinds, and no others. */
static bool has(const json_t *object, const struct expected *expected, size_t count, struct error *err) {
    void *at = json_object_iter((json_t *)object);
    for (; at; at = json_object_iter_next((json_t *)object, at)) {
        const char *key = json_object_iter_key(at);
        size_t i = 0;
        while (i < count && strcmp(expected[i].key, key) != 0)
            i++;
        if (i == count) {
            autotext struct text keys = {0};
            for (i = 0; i < count; i++)
                text_printf(&keys, "%s%s", i ? ", " : "", expected[i].key);
            error_set(err, "found a member '%s', expected %s", key, keys.text);
            return false;
        }
        if (!is_of(json_object_iter_value(at), expected[i].kind))
            return error_set(err, "\"%s\": expected %s", key, kind_names[expected[i].kind]);
    }
    for (size_t i = 0; i < count; i++)
        if (expected[i].needed && !json_object_get(object, expected[i].key))
            return error_set(err, "there is no member '%s'", expected[i].key);
    return true;
}

static uint64_t number_of(const json_t *object, const char *key) {
    uint64_t value = 0;
    number(json_object_get(object, key), &value);
    return value;
}

static const char *text_of(const json_t *object, const char *key) {
    return json_string_value(json_object_get(object, key));
}

/* ---- sets of options ---- */

static void set_free(struct list_set *set) {
    run_options_free(&set->options);
    words_free(&set->words);
    free(set->why);
    free(set);
}

/* Parses the options; each test has a seed of its own, at the place of --seed or at the end. */
static struct list_set *set_read(const json_t *words) {
    static const char seed[] = "--seed=", any_trace[] = "trace";
    struct list_set *set = xcalloc(1, sizeof *set);
    struct error err;
    bool seeded = false;
    for (size_t i = 0; i < json_array_size(words); i++) {
        words_put(&set->words, json_string_value(json_array_get(words, i)));
        seeded = seeded || strncmp(set->words.items[i], seed, sizeof seed - 1) == 0;
    }
    if (!seeded)
        words_add(&set->words, "%s1", seed);
    for (size_t i = 0; i < set->words.count && !set->why; i++)
        if (set->words.items[i][0] != '-')
            set->why = xprintf("found '%s' among options, expected --NAME or --NAME=VALUE", set->words.items[i]);
    words_put(&set->words, any_trace);
    run_options_init(&set->options);
    if (!set->why && !run_options_read(&set->options, &set->words, &err))
        set->why = xstrdup(err.text);
    const struct words *given = &set->options.given;
    while (!set->why && strncmp(given->items[set->seed], seed, sizeof seed - 1) != 0)
        set->seed++;
    return set;
}

static bool take_set(struct list_input *input, const json_t *line, struct error *err) {
    static const struct expected expected[] = {{"options", KIND_NUMBER, true}, {"words", KIND_LIST, true}};
    if (!has(line, expected, sizeof expected / sizeof *expected, err))
        return false;
    const uint64_t number = number_of(line, "options");
    if (number >= SETS_MOST)
        return error_set(err, "\"options\": found %" PRIu64 ", expected a number below %d", number, SETS_MOST);
    while (input->set_count <= number)
        *xadd(input->sets, input->set_count) = NULL;
    if (input->sets[number])
        return error_set(err, "options %" PRIu64 " were given before", number);
    input->sets[number] = set_read(json_object_get(line, "words"));
    return true;
}

/* ---- tests ---- */

void list_test_free(struct list_test *test) {
    job_free(&test->job);
    result_free(&test->result);
    if (test->seed)
        free(test->options.given.items);
    free(test->seed);
    free(test->noted);
    json_decref(test->line);
    free(test);
}

/* The options of a test: it shares all that the set owns, except `given`. */
static void take_options(struct list_test *test, uint64_t seed) {
    const struct words *given = &test->set->options.given;
    test->options = test->set->options;
    test->options.seed = seed;
    test->options.name = NULL; /* a job has its own */
    test->options.traces = (struct words){0};
    if (test->set->why)
        return;
    test->options.given.items = xmalloc((given->count + 1) * sizeof(char *));
    memcpy(test->options.given.items, given->items, (given->count + 1) * sizeof(char *));
    test->options.given.items[test->set->seed] = test->seed = xprintf("--seed=%" PRIu64, seed);
}

static bool check_test(const struct list_input *input, const json_t *line, struct error *err) {
    static const struct expected members[] = {
        {"test", KIND_NUMBER, true},   {"trace", KIND_TEXT, true},        {"name", KIND_TEXT, true},
        {"config", KIND_TEXT, true},   {"options", KIND_NUMBER, true},    {"seed", KIND_NUMBER, false},
        {"command", KIND_TEXT, false}, {"max_seconds", KIND_REAL, false}, {"max_memory", KIND_NUMBER, false},
        {"layer", KIND_OBJECT, false}, {"clean", KIND_TRUTH, false},      {"noted", KIND_OBJECT, false},
    };
    static const struct expected layer[] = {{"generator", KIND_TEXT, true}, {"seed", KIND_NUMBER, true}};
    if (!has(line, members, sizeof members / sizeof *members, err))
        return false;
    if (json_object_get(line, "layer") &&
        !has(json_object_get(line, "layer"), layer, sizeof layer / sizeof *layer, err))
        return error_prefix(err, "\"layer\": ");
    const struct nvdla_config *config = nvdla_config_read(text_of(line, "config"), err);
    if (!config || !nvdla_config_legal(config, err))
        return false;
    const uint64_t set = number_of(line, "options");
    return (set < input->set_count && input->sets[set]) ||
           error_set(err, "\"options\": found %" PRIu64 ", which no line before gives", set);
}

/* Reads a test. NULL with a message. */
static struct list_test *test_read(const struct list_input *input, json_t *line, struct error *err) {
    if (!check_test(input, line, err))
        return NULL;
    struct list_test *test = xcalloc(1, sizeof *test);
    const json_t *layer = json_object_get(line, "layer"), *noted = json_object_get(line, "noted");
    const char *command = text_of(line, "command");
    test->line = json_incref(line);
    test->set = input->sets[number_of(line, "options")];
    test->noted = noted ? json_dumps(noted, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    test->job = (struct job){.path = text_of(line, "trace"),
                             .name = xstrdup(text_of(line, "name")),
                             .command = command ? xstrdup(command) : NULL,
                             .config = nvdla_config_find(text_of(line, "config")),
                             .max_seconds = json_number_value(json_object_get(line, "max_seconds")),
                             .max_memory = number_of(line, "max_memory"),
                             .layer = {.generator = layer ? text_of(layer, "generator") : NULL,
                                       .seed = layer ? number_of(layer, "seed") : 0},
                             .number = number_of(line, "test"),
                             .clean = json_is_true(json_object_get(line, "clean")),
                             .result_end = -1,
                             .output_end = -1};
    take_options(test, json_object_get(line, "seed") ? number_of(line, "seed") : test->set->options.seed);
    return test;
}

/* ---- lines ---- */

static bool take_line(struct list_input *input, json_t *line, enum list_order *order, struct list_test **test,
                      struct error *err) {
    static const char *const orders[] = {"end", "stop", "kill"};
    if (json_object_get(line, "test")) {
        if (input->complete)
            return error_set(err, "found a test after {\"end\": true}");
        *order = LIST_TEST;
        *test = test_read(input, line, err);
        return *test;
    }
    if (json_object_get(line, "words"))
        return take_set(input, line, err);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
        if (json_object_size(line) == 1 && json_is_true(json_object_get(line, orders[i]))) {
            *order = i == 0 ? LIST_NOTHING : i == 1 ? LIST_STOP : LIST_KILL;
            input->complete = true;
            return true;
        }
    return error_set(err,
                     "expected a test, options with their words, or {\"end\": true}, {\"stop\": true} or {\"kill\": "
                     "true} (docs/results.md)");
}

bool list_next(struct list_input *input, enum list_order *order, struct list_test **test, bool *more,
               struct error *err) {
    struct text *text = &input->text;
    const char *end = text->n ? memchr(text->text + input->read, '\n', text->n - input->read) : NULL;
    json_error_t wrong;
    *order = LIST_NOTHING;
    *more = end;
    if (!end) {
        text->n -= input->read;
        if (text->n)
            memmove(text->text, text->text + input->read, text->n + 1);
        input->read = 0;
        return text->n <= LINE_MOST ||
               error_set(err, "line %zu: it is longer than %d MiB", input->line + 1, LINE_MOST >> 20);
    }
    const char *begin = text->text + input->read;
    input->line++;
    input->read = (size_t)(end + 1 - text->text);
    json_t *line = json_loadb(begin, (size_t)(end - begin), 0, &wrong);
    bool well = line ? take_line(input, line, order, test, err) : error_set(err, "%s", wrong.text);
    json_decref(line);
    return well || error_prefix(err, "line %zu: ", input->line);
}

void list_input_free(struct list_input *input) {
    for (size_t i = 0; i < input->set_count; i++)
        if (input->sets[i])
            set_free(input->sets[i]);
    free(input->sets);
    free(input->text.text);
    *input = (struct list_input){0};
}
