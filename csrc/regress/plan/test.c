/* One test as JSON, as words of a command line, as a command to paste. See test.h. */
#include "regress/plan/test.h"

#include <ctype.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* Bytes of a file name that systems take, and those of a name that leave room for what is put around it. */
enum { NAME_MOST = 200, NAME_HASH = 16 };

void test_free(struct test *test) {
    free(test->key);
    free(test->item);
    free(test->trace);
    free(test->generator);
    free(test->config);
    free(test->dut);
    free(test->memory);
    free(test->known);
    free(test->known_until);
    words_free(&test->options);
    words_free(&test->tags);
    *test = (struct test){0};
}

/* ---- JSON ---- */

enum member_kind { MEMBER_TEXT, MEMBER_TEXT_OR_NOTHING, MEMBER_COUNT, MEMBER_SECONDS, MEMBER_WORDS };

/* Every member of struct test, once. */
static const struct member {
    const char *name;
    enum member_kind kind;
    size_t offset;
} members[] = {
    {"key", MEMBER_TEXT, offsetof(struct test, key)},
    {"item", MEMBER_TEXT, offsetof(struct test, item)},
    {"trace", MEMBER_TEXT, offsetof(struct test, trace)},
    {"generator", MEMBER_TEXT_OR_NOTHING, offsetof(struct test, generator)},
    {"layer_seed", MEMBER_COUNT, offsetof(struct test, layer_seed)},
    {"config", MEMBER_TEXT, offsetof(struct test, config)},
    {"dut", MEMBER_TEXT, offsetof(struct test, dut)},
    {"memory", MEMBER_TEXT, offsetof(struct test, memory)},
    {"seed", MEMBER_COUNT, offsetof(struct test, seed)},
    {"options", MEMBER_WORDS, offsetof(struct test, options)},
    {"tags", MEMBER_WORDS, offsetof(struct test, tags)},
    {"max_seconds", MEMBER_SECONDS, offsetof(struct test, max_seconds)},
    {"max_cycles", MEMBER_COUNT, offsetof(struct test, max_cycles)},
    {"max_memory", MEMBER_COUNT, offsetof(struct test, max_memory)},
    {"known", MEMBER_TEXT_OR_NOTHING, offsetof(struct test, known)},
    {"known_until", MEMBER_TEXT_OR_NOTHING, offsetof(struct test, known_until)},
    {"expected_seconds", MEMBER_SECONDS, offsetof(struct test, expected_seconds)},
};
enum { MEMBERS = sizeof members / sizeof members[0] };

static json_t *words_json(const struct words *words) {
    json_t *array = json_array();
    for (size_t i = 0; i < words->count; i++)
        json_array_append_new(array, json_string(words->items[i]));
    return array;
}

static json_t *member_json(const void *at, enum member_kind kind) {
    switch (kind) {
    case MEMBER_COUNT:
        return json_integer((json_int_t) * (const uint64_t *)at);
    case MEMBER_SECONDS:
        return json_real(*(const double *)at);
    case MEMBER_WORDS:
        return words_json(at);
    case MEMBER_TEXT:
    case MEMBER_TEXT_OR_NOTHING:
        break;
    }
    const char *text = *(char *const *)at;
    return text ? json_string(text) : NULL;
}

char *test_json(const struct test *test) {
    json_t *json = json_object();
    for (size_t i = 0; i < MEMBERS; i++) {
        json_t *value = member_json((const char *)test + members[i].offset, members[i].kind);
        if (value)
            json_object_set_new(json, members[i].name, value);
    }
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    if (!text)
        xexhausted();
    return text;
}

static bool take_words(struct words *words, const json_t *value) {
    if (!json_is_array(value))
        return false;
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *word = json_string_value(json_array_get(value, i));
        if (!word)
            return false;
        words_add(words, "%s", word);
    }
    return true;
}

static bool take_member(void *at, enum member_kind kind, const json_t *value) {
    switch (kind) {
    case MEMBER_COUNT:
        *(uint64_t *)at = (uint64_t)json_integer_value(value);
        return json_is_integer(value) && json_integer_value(value) >= 0;
    case MEMBER_SECONDS:
        *(double *)at = json_number_value(value);
        return json_is_number(value);
    case MEMBER_WORDS:
        return take_words(at, value);
    case MEMBER_TEXT:
    case MEMBER_TEXT_OR_NOTHING:
        break;
    }
    if (!value && kind == MEMBER_TEXT_OR_NOTHING)
        return true;
    if (!json_is_string(value))
        return false;
    *(char **)at = xstrdup(json_string_value(value));
    return true;
}

bool test_parse(const char *line, struct test *test, struct error *err) {
    static const char *const expected[] = {[MEMBER_TEXT] = "a text",
                                           [MEMBER_TEXT_OR_NOTHING] = "a text, or no such member",
                                           [MEMBER_COUNT] = "a whole number from 0",
                                           [MEMBER_SECONDS] = "a number of seconds",
                                           [MEMBER_WORDS] = "a list of texts"};
    json_error_t reason;
    *test = (struct test){0};
    json_t *json = json_loads(line, JSON_REJECT_DUPLICATES, &reason);
    if (!json_is_object(json)) {
        error_set(err, "found '%.60s', expected a test as a JSON object%s%s", line, json ? "" : ": ",
                  json ? "" : reason.text);
        json_decref(json);
        return false;
    }
    for (size_t i = 0; i < MEMBERS; i++) {
        const json_t *value = json_object_get(json, members[i].name);
        if (take_member((char *)test + members[i].offset, members[i].kind, value))
            continue;
        char *found = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : xstrdup("nothing");
        error_set(err, "member %s of a test: found %.100s, expected %s", members[i].name, found ? found : "?",
                  expected[members[i].kind]);
        free(found);
        json_decref(json);
        test_free(test);
        return false;
    }
    json_decref(json);
    return true;
}

/* ---- names and commands ---- */

char *test_trace(const struct test *test, const char *folder) {
    return test->generator ? xprintf("%s/%s", folder, test->trace) : xstrdup(test->trace);
}

uint64_t test_hash(const char *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return hash;
}

char *test_name(const struct test *test) {
    struct text name = {0};
    bool behind = false; /* the '/' between item, which has no '.', and the rest */
    text_add(&name, "", 0);
    for (const char *c = test->key; *c; c++)
        if (*c == '/' && !behind) {
            behind = true;
            text_add(&name, ".", 1);
        } else if (isalnum((unsigned char)*c) || strchr("_-.,@+", *c))
            text_add(&name, c, 1);
        else
            text_printf(&name, "~%02x", (unsigned)(unsigned char)*c);
    if (name.n > NAME_MOST) { /* '~' and what is no hex digit: no other name looks like that */
        name.n = NAME_MOST - NAME_HASH - 2;
        text_printf(&name, "~=%016" PRIx64, test_hash(test->key));
    }
    return name.text;
}

void test_options(const struct test *test, struct words *words) {
    words_add(words, "--config=%s", test->config);
    words_add(words, "--dut=%s", test->dut);
    words_add(words, "--seed=%" PRIu64, test->seed);
    for (size_t i = 0; i < test->options.count; i++)
        words_put(words, test->options.items[i]);
    if (test->max_cycles)
        words_add(words, "--max-cycles=%" PRIu64, test->max_cycles);
    if (test->max_seconds > 0) { /* the option takes whole seconds */
        const uint64_t seconds = (uint64_t)test->max_seconds;
        words_add(words, "--max-seconds=%" PRIu64, seconds + ((double)seconds < test->max_seconds));
    }
}

void test_words(const struct test *test, const char *folder, struct words *words) {
    char *name = test_name(test);
    test_options(test, words);
    words_add(words, "--out=%s/reports", folder);
    words_add(words, "--name=%s", name);
    words_add(words, "--functional-coverage"); /* a tenth of a millisecond */
    free(name);
}

static void add_word(struct text *line, const char *word) {
    char *quoted = text_quoted(word);
    text_put(line, " ");
    text_put(line, quoted);
    free(quoted);
}

char *test_command(const struct test *test) {
    struct text line = {0};
    struct words words = {0};
    if (test->generator)
        text_printf(&line, "nvcosim gen -q --config=%s --engine=%s --seed=%" PRIu64 " --out=layers && ", test->config,
                    test->generator, test->layer_seed);
    text_printf(&line, "nvcosim run");
    test_options(test, &words);
    for (size_t i = 0; i < words.count; i++)
        add_word(&line, words.items[i]);
    words_free(&words);
    add_word(&line, test->trace);
    return line.text;
}
