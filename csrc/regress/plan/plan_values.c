/* Values of a plan. See plan_values.h. */
#include "regress/plan/plan_values.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "regress/plan/plan_options.h"
#include "regress/plan/select.h"

enum { NAME_MOST = 64, TEXT_MOST = 400 };

struct place value_place(const struct yaml_node *node) {
    return (struct place){node->line, node->column};
}

bool value_refuse(const struct plan_reader *reader, const struct yaml_node *node, const char *what,
                  const char *expected) {
    char shown[YAML_SHOW];
    return plan_fail(reader->plan, value_place(node), reader->err, "%s: found %s, expected %s", what,
                     yamltree_show(node, shown), expected);
}

bool value_refuse_text(const struct plan_reader *reader, const struct yaml_node *node, const char *what) {
    char text[sizeof reader->err->text];
    memcpy(text, reader->err->text, sizeof text);
    return plan_fail(reader->plan, value_place(node), reader->err, "%s: %s", what, text);
}

/* ---- values ---- */

bool value_is_text(const struct yaml_node *node) {
    return node->kind == YAML_TEXT && (node->text[0] != '\0' || !node->plain);
}

bool value_text(const struct plan_reader *reader, const struct yaml_node *node, const char *what, char **text) {
    if (!value_is_text(node) || node->text[0] == '\0' || strlen(node->text) > TEXT_MOST)
        return value_refuse(reader, node, what, "a text of 1 to 400 bytes");
    *text = xstrdup(node->text);
    return true;
}

bool value_is_name(const char *text, const char *more) {
    const size_t n = strlen(text);
    if (n == 0 || n > NAME_MOST || !isalnum((unsigned char)text[0]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)text[i]) && !strchr("_-", text[i]) && !strchr(more, text[i]))
            return false;
    return !select_is_operator(text);
}

bool value_bool(const struct plan_reader *reader, const struct yaml_node *node, const char *what, bool *value) {
    static const char *const words[] = {"no", "yes", "false", "true", "off", "on"};
    for (size_t i = 0; node->kind == YAML_TEXT && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(node->text, words[i]) == 0) {
            *value = i % 2;
            return true;
        }
    return value_refuse(reader, node, what, "yes or no");
}

bool value_number(const struct plan_reader *reader, const struct yaml_node *node, const char *what, uint64_t min,
                  uint64_t max, uint64_t *value) {
    char expected[80];
    if (value_is_text(node) && text_number(node->text, max, value) && *value >= min)
        return true;
    snprintf(expected, sizeof expected, "a number from %" PRIu64 " to %" PRIu64, min, max);
    return value_refuse(reader, node, what, expected);
}

bool value_amount(const struct plan_reader *reader, const struct yaml_node *node, const char *what, const char *letters,
                  uint64_t step, const char *expected, uint64_t *value) {
    uint64_t factor = 1;
    if (value_is_text(node)) {
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
    return value_refuse(reader, node, what, expected);
}

bool value_seconds(const struct plan_reader *reader, const struct yaml_node *node, const char *what, bool or_none,
                   double *value) {
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    if (value_is_text(node)) {
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
    return value_refuse(reader, node, what,
                        or_none ? "seconds, or a time such as 90s, 5m, 2h, or none"
                                : "seconds, or a time such as 90s, 5m, 2h");
}

/* ---- lists ---- */

void value_add(struct plan_words *words, const struct yaml_node *node) {
    words->items = xgrow(words->items, words->count, sizeof *words->items);
    words->items[words->count++] = (struct plan_word){.text = xstrdup(node->text), .place = value_place(node)};
}

bool value_words(const struct plan_reader *reader, const struct yaml_node *node, const char *what, const char *expected,
                 value_check *check, bool again, struct plan_words *words) {
    const struct yaml_node *const one[] = {node};
    const struct yaml_node *const *nodes = node->kind == YAML_LIST ? (const struct yaml_node *const *)node->nodes : one;
    const size_t count = node->kind == YAML_LIST ? node->count : 1;
    if (node->kind == YAML_MAP || count == 0)
        return value_refuse(reader, node, what, expected);
    for (size_t i = 0; i < count; i++) {
        if (!value_is_text(nodes[i]) || nodes[i]->text[0] == '\0')
            return value_refuse(reader, nodes[i], what, expected);
        if (check && !check(reader, nodes[i], what))
            return false;
        for (size_t k = 0; !again && k < words->count; k++)
            if (strcmp(words->items[k].text, nodes[i]->text) == 0)
                return plan_fail(reader->plan, value_place(nodes[i]), reader->err, "%s: found '%s' twice", what,
                                 nodes[i]->text);
        value_add(words, nodes[i]);
    }
    return true;
}

bool value_check_option(const struct plan_reader *reader, const struct yaml_node *node, const char *what) {
    return plan_option_allowed(node->text, reader->err) || value_refuse_text(reader, node, what);
}

/* ---- mappings ---- */

bool value_keys(const struct plan_reader *reader, const struct yaml_node *map, const char *what,
                const char *const *keys) {
    struct text expected = {0};
    bool good = true;
    for (size_t k = 0; keys[k]; k++)
        text_printf(&expected, "%s%s", k ? ", " : "", keys[k]);
    if (map->kind != YAML_MAP) {
        char *text = xprintf("a mapping with some of the keys %s", expected.text);
        good = value_refuse(reader, map, what, text);
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
            good = plan_fail(reader->plan, value_place(key), reader->err, "%s: found the key %s, expected one of %s%s",
                             what, yamltree_show(key, shown), expected.text, guess_hint(&guess, hint));
    }
    free(expected.text);
    return good;
}

bool value_limits(const struct plan_reader *reader, const struct yaml_node *map, struct plan_limits *limits) {
    static const char *const keys[] = {"seconds", "cycles", "memory", NULL};
    if (!value_keys(reader, map, "limits", keys))
        return false;
    const struct yaml_node *seconds = yamltree_member(map, "seconds"), *cycles = yamltree_member(map, "cycles"),
                           *memory = yamltree_member(map, "memory");
    return (!seconds || value_seconds(reader, seconds, "limits: seconds", true, &limits->seconds)) &&
           (!cycles || value_amount(reader, cycles, "limits: cycles", "kMG", 1000,
                                    "core clocks, at least 1, such as 500000 or 20M (k, M, G: thousands), or none",
                                    &limits->cycles)) &&
           (!memory ||
            value_amount(reader, memory, "limits: memory", "KMGT", 1024,
                         "bytes, at least 1, such as 512M or 2G (K, M, G, T: times 1024), or none", &limits->memory));
}

/* Do the options fit together, for that dut? Else the message is about the place of the culprit: an option of the item,
 * or what it names. more: options beside the words, at a place of their own. */
bool value_check_fit(const struct plan_reader *reader, const char *dut, const struct plan_words *words,
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
