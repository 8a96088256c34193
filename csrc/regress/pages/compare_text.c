/* Prints a comparison as text, JSON or CSV. See compare.h. */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/pages/compare.h"
#include "regress/pages/query_print.h"
#include "regress/pages/review.h"
#include "regress/store/query.h"

enum { SHOWN = 20 /* tests of a list, unless all are asked for */ };

/* ---- the head ---- */

static void print_side(const struct compare_side *side, const char *letter, const struct table_style *style) {
    struct text text = {0};
    text_printf(&text, "%s  night %" PRId64 "%s, %s, %.10s %.5s", letter, side->night, side->chosen, side->plan,
                side->started, strlen(side->started) > 11 ? side->started + 11 : "");
    if (side->revision)
        text_printf(&text, ", revision %.10s%s", side->revision, side->dirty ? "*" : "");
    if (strcmp(side->state, "done") != 0)
        text_printf(&text, ", %s", side->state);
    text_printf(&text, ": %zu tests", side->tests);
    char *shown = text_shown(text.text);
    if (style->width > 0)
        shown[text_fitting(shown, (size_t)style->width)] = '\0';
    fprintf(style->out, "%s\n", shown);
    free(shown);
    free(text.text);
}

/* ---- lists of tests ---- */

static enum table_colour colour_of(const struct compare_result *result) {
    return !result->there || result->verdict == REVIEW_NOT_RUN ? COLOUR_DIM
           : result->verdict == VERDICT_PASS                   ? COLOUR_GOOD
           : result->known                                     ? COLOUR_ODD
                                                               : COLOUR_BAD;
}

static void put_verdict(struct table *table, const struct compare_result *result) {
    table_cell(table, colour_of(result), "%s", result->there ? review_verdict_text(result->verdict) : "-");
}

static void put_cycles(struct table *table, const struct compare_result *result) {
    if (result->cycles > 0)
        table_cell(table, COLOUR_NONE, "%" PRId64, result->cycles);
    else
        table_cell(table, COLOUR_NONE, "%s", "");
}

/* A ratio with three digits after the point. good: what is better, 1 more, -1 less; 0: no colour. */
static void put_ratio(struct table *table, double ratio, int good) {
    if (ratio <= 0) {
        table_cell(table, COLOUR_NONE, "%s", "");
        return;
    }
    const double edge = 0.0005;
    table_cell(table,
               good == 0          ? COLOUR_NONE
               : ratio > 1 + edge ? (good > 0 ? COLOUR_GOOD : COLOUR_BAD)
               : ratio < 1 - edge ? (good > 0 ? COLOUR_BAD : COLOUR_GOOD)
                                  : COLOUR_NONE,
               "%.3f", ratio);
}

static void print_title(const struct table_style *style, const char *title, size_t count) {
    fprintf(style->out, "\n%s (%zu)\n", title, count);
}

/* Tests of one change. */
static void print_change(const struct comparison *comparison, const struct table_style *style, const char *title,
                         enum compare_change change, bool all) {
    const size_t count = comparison->changes[change], most = all ? count : SHOWN;
    size_t shown = 0;
    if (count == 0)
        return;
    print_title(style, title, count);
    struct table *table = table_new(style);
    table_column(table, "A", false, 0, 0);
    table_column(table, "B", false, 0, 0);
    table_column(table, "test", false, 24, 0);
    table_column(table, "looks like", false, 12, 1);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_pair *pair = &comparison->pairs[i];
        if (pair->change != change || shown++ >= most)
            continue;
        table_row(table);
        put_verdict(table, &pair->a);
        put_verdict(table, &pair->b);
        table_cell(table, COLOUR_NONE, "%s", pair->name);
        const char *before = pair->a.signature, *now = pair->b.signature;
        if (before && now && strcmp(before, now) != 0)
            table_cell(table, COLOUR_NONE, "%s, was %s", now, before);
        else
            table_cell(table, COLOUR_NONE, "%s", now ? now : before ? before : "");
        if (change == COMPARE_NEW_FAILURE && pair->b.reason && pair->b.reason[0])
            table_note(table, "%s", pair->b.reason);
    }
    table_print(table);
    table_free(table);
    if (shown > most)
        fprintf(style->out, "... and %zu more (--all shows them)\n", shown - most);
}

static void print_extremes(const struct table_style *style, const char *title, const struct compare_pair *const *pairs,
                           size_t count) {
    if (count == 0)
        return;
    print_title(style, title, count);
    struct table *table = table_new(style);
    table_column(table, "B/A", true, 0, 0);
    table_column(table, "cycles A", true, 0, 0);
    table_column(table, "cycles B", true, 0, 0);
    table_column(table, "speed B/A", true, 0, 1);
    table_column(table, "test", false, 24, 0);
    for (size_t i = 0; i < count && i < COMPARE_EXTREMES; i++) {
        table_row(table);
        put_ratio(table, pairs[i]->cycles_ratio, -1);
        put_cycles(table, &pairs[i]->a);
        put_cycles(table, &pairs[i]->b);
        put_ratio(table, pairs[i]->speed_ratio, pairs[i]->speed_counts);
        table_cell(table, COLOUR_NONE, "%s", pairs[i]->name);
    }
    table_print(table);
    table_free(table);
}

static void print_means(const struct comparison *comparison, const struct table_style *style) {
    if (comparison->mean_count == 0)
        return;
    fputs("\nGeometric means of B/A over tests that pass in both\n", style->out);
    struct table *table = table_new(style);
    table_column(table, "of", false, 0, 0);
    table_column(table, "", false, 12, 0);
    table_column(table, "tests", true, 0, 0);
    table_column(table, "cycles", true, 0, 0);
    table_column(table, "more", true, 0, 2);
    table_column(table, "fewer", true, 0, 2);
    table_column(table, "speed", true, 0, 0);
    for (size_t i = 0; i < comparison->mean_count; i++) {
        const struct compare_mean *mean = &comparison->means[i];
        table_row(table);
        table_cell(table, COLOUR_DIM, "%s", mean->kind[0] ? mean->kind : mean->name);
        table_cell(table, COLOUR_NONE, "%s", mean->kind[0] ? mean->name : "");
        table_cell(table, COLOUR_NONE, "%zu", mean->count > mean->speed_count ? mean->count : mean->speed_count);
        put_ratio(table, mean->cycles, -1);
        table_cell(table, COLOUR_NONE, "%zu", mean->slower);
        table_cell(table, COLOUR_NONE, "%zu", mean->faster);
        put_ratio(table, mean->speed, mean->speed_counts);
    }
    table_print(table);
    table_free(table);
    if (comparison->other_work > 0)
        fprintf(style->out, "%zu %s in both with other layers or seeds: cycles and speed are not compared.\n",
                comparison->other_work, comparison->other_work == 1 ? "test passes" : "tests pass");
}

static void print_all(const struct comparison *comparison, const struct table_style *style) {
    print_title(style, "All tests", comparison->count);
    struct table *table = table_new(style);
    table_column(table, "A", false, 0, 0);
    table_column(table, "B", false, 0, 0);
    table_column(table, "cycles A", true, 0, 2);
    table_column(table, "cycles B", true, 0, 0);
    table_column(table, "B/A", true, 0, 0);
    table_column(table, "kHz A", true, 0, 4);
    table_column(table, "kHz B", true, 0, 3);
    table_column(table, "B/A", true, 0, 1);
    table_column(table, "test", false, 24, 0);
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_pair *pair = &comparison->pairs[i];
        table_row(table);
        put_verdict(table, &pair->a);
        put_verdict(table, &pair->b);
        put_cycles(table, &pair->a);
        put_cycles(table, &pair->b);
        put_ratio(table, pair->cycles_ratio, -1);
        for (int side = 0; side < 2; side++) {
            const double speed = side ? pair->b.speed : pair->a.speed;
            if (speed > 0)
                table_cell(table, COLOUR_NONE, "%.1f", speed / 1000);
            else
                table_cell(table, COLOUR_NONE, "%s", "");
        }
        put_ratio(table, pair->speed_ratio, pair->speed_counts);
        table_cell(table, COLOUR_NONE, "%s", pair->name);
    }
    table_print(table);
    table_free(table);
}

void compare_print(const struct comparison *comparison, const struct table_style *style, bool all) {
    const enum table_colour colour = compare_worse(comparison) ? COLOUR_BAD : COLOUR_GOOD;
    char *sentence = compare_sentence(comparison);
    print_side(&comparison->a, "A", style);
    print_side(&comparison->b, "B", style);
    fprintf(style->out, "%s%s%s: %s\n", style_begin(style, colour), compare_worse(comparison) ? "WORSE" : "NOT WORSE",
            style_end(style, colour), sentence);
    free(sentence);
    print_change(comparison, style, "New failures", COMPARE_NEW_FAILURE, all);
    print_change(comparison, style, "Fails otherwise", COMPARE_OTHERWISE, all);
    print_change(comparison, style, "Fixed", COMPARE_FIXED, all);
    print_change(comparison, style, "Fails in both", COMPARE_STILL, all);
    print_change(comparison, style, "Now fails as known", COMPARE_KNOWN, all);
    print_change(comparison, style, "Not run in both", COMPARE_OPEN, all);
    print_means(comparison, style);
    print_extremes(style, "More cycles, the most first", comparison->slower, comparison->slower_count);
    print_extremes(style, "Fewer cycles, the fewest first", comparison->faster, comparison->faster_count);
    print_change(comparison, style, "Only in A", COMPARE_ONLY_A, all);
    print_change(comparison, style, "Only in B", COMPARE_ONLY_B, all);
    if (all)
        print_all(comparison, style);
}

/* ---- data ---- */

/* Text as JSON has it: bytes that are not UTF-8 are shown. */
static json_t *json_text(const char *text) {
    if (!text)
        return json_null();
    json_t *json = json_string(text);
    if (!json) {
        char *shown = text_shown(text);
        json = json_string(shown);
        free(shown);
    }
    return json;
}

static json_t *json_figure(double value) {
    return value > 0 ? json_real(value) : json_null();
}

static json_t *json_side(const struct compare_side *side) {
    json_t *json = json_object();
    json_object_set_new(json, "given", json_text(side->given));
    json_object_set_new(json, "night", json_integer(side->night));
    json_object_set_new(json, "plan", json_text(side->plan));
    json_object_set_new(json, "started", json_text(side->started));
    json_object_set_new(json, "state", json_text(side->state));
    json_object_set_new(json, "revision", json_text(side->revision));
    json_object_set_new(json, "dirty", json_boolean(side->dirty));
    json_object_set_new(json, "tests", json_integer((json_int_t)side->tests));
    json_object_set_new(json, "passed", json_integer((json_int_t)side->passed));
    json_object_set_new(json, "failed", json_integer((json_int_t)side->failed));
    json_object_set_new(json, "known", json_integer((json_int_t)side->known));
    json_object_set_new(json, "open", json_integer((json_int_t)side->open));
    return json;
}

static void add_result(json_t *json, const struct compare_result *result, const char *letter) {
    const struct {
        const char *name;
        json_t *value;
    } members[] = {
        {"key", json_text(result->key)},
        {"verdict", result->there && result->verdict != REVIEW_NOT_RUN ? json_string(verdict_names[result->verdict])
                                                                       : json_null()},
        {"signature", json_text(result->signature)},
        {"cycles", result->cycles > 0 ? json_integer(result->cycles) : json_null()},
        {"speed", json_figure(result->speed)},
    };
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        char *name = xprintf("%s_%s", members[i].name, letter);
        json_object_set_new(json, name, members[i].value);
        free(name);
    }
}

static json_t *json_tests(const struct comparison *comparison) {
    json_t *tests = json_array();
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_pair *pair = &comparison->pairs[i];
        json_t *test = json_object();
        json_object_set_new(test, "test", json_text(pair->name));
        json_object_set_new(test, "change", json_string(compare_changes[pair->change]));
        json_object_set_new(test, "item", json_text(pair->item));
        json_object_set_new(test, "config", json_text(pair->config));
        add_result(test, &pair->a, "a");
        add_result(test, &pair->b, "b");
        json_object_set_new(test, "cycles_ratio", json_figure(pair->cycles_ratio));
        json_object_set_new(test, "speed_ratio", json_figure(pair->speed_ratio));
        json_object_set_new(test, "reason", json_text(pair->b.reason));
        json_array_append_new(tests, test);
    }
    return tests;
}

static json_t *json_means(const struct comparison *comparison) {
    json_t *means = json_array();
    for (size_t i = 0; i < comparison->mean_count; i++) {
        const struct compare_mean *mean = &comparison->means[i];
        json_t *json = json_object();
        json_object_set_new(json, "kind", json_string(mean->kind[0] ? mean->kind : "all"));
        json_object_set_new(json, "name", mean->kind[0] ? json_text(mean->name) : json_null());
        json_object_set_new(json, "tests", json_integer((json_int_t)mean->count));
        json_object_set_new(json, "more", json_integer((json_int_t)mean->slower));
        json_object_set_new(json, "fewer", json_integer((json_int_t)mean->faster));
        json_object_set_new(json, "cycles", json_figure(mean->cycles));
        json_object_set_new(json, "speed_tests", json_integer((json_int_t)mean->speed_count));
        json_object_set_new(json, "speed", json_figure(mean->speed));
        json_array_append_new(means, json);
    }
    return means;
}

void compare_json(const struct comparison *comparison) {
    json_t *json = json_object(), *changes = json_object();
    for (int i = 0; i < COMPARE_CHANGES; i++)
        json_object_set_new(changes, compare_changes[i], json_integer((json_int_t)comparison->changes[i]));
    json_object_set_new(json, "a", json_side(&comparison->a));
    json_object_set_new(json, "b", json_side(&comparison->b));
    json_object_set_new(json, "worse", json_boolean(compare_worse(comparison)));
    json_object_set_new(json, "over_limit", json_integer((json_int_t)comparison->over));
    json_object_set_new(json, "changes", changes);
    json_object_set_new(json, "means", json_means(comparison));
    json_object_set_new(json, "tests", json_tests(comparison));
    json_dumpf(json, stdout, JSON_COMPACT | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(json);
}

bool compare_csv(const struct comparison *comparison, struct store *store, struct error *err) {
    static const char sql[] =
        "SELECT value ->> 'test' AS test, value ->> 'change' AS change, value ->> 'item' AS item, value ->> 'config' "
        "AS config, value ->> 'verdict_a' AS verdict_a, value ->> 'verdict_b' AS verdict_b, value ->> 'cycles_a' AS "
        "cycles_a, value ->> 'cycles_b' AS cycles_b, value ->> 'cycles_ratio' AS cycles_ratio, value ->> 'speed_a' AS "
        "speed_a, value ->> 'speed_b' AS speed_b, value ->> 'speed_ratio' AS speed_ratio, value ->> 'signature_a' AS "
        "signature_a, value ->> 'signature_b' AS signature_b, value ->> 'reason' AS reason FROM json_each(?)";
    json_t *tests = json_tests(comparison);
    char *text = json_dumps(tests, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(tests);
    struct query query = query_begin(store_database(store), err, sql, "s", text);
    if (!query.failed && query_print(query.statement, QUERY_CSV, &(struct table_style){.out = stdout}) != SQLITE_DONE)
        query_next(&query); /* fails again, and keeps the message */
    const bool fine = query_end(&query);
    free(text);
    return fine;
}
