/* Prints the history of nights and of tests. See history.h. */
#include "regress/pages/history.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/store/query.h"
#include "report/json_text.h"
#include "trace/formats.h"

enum { WIDE = 100 /* terminal that has room for the time of day */ };

/* ---- small texts ---- */

/* The text of a column, "" of NULL; until the next row. */
static const char *words(struct query *row, const char *column) {
    const char *text = query_text(row, column);
    return text ? text : "";
}

/* "2026-01-31T23:59:59Z" as a day, or a day and a time. */
static void put_date(struct table *table, const char *date, bool time) {
    if (strlen(date) < 16)
        table_cell(table, COLOUR_NONE, "%s", date);
    else if (time)
        table_cell(table, COLOUR_NONE, "%.10s %.5s", date, date + 11);
    else
        table_cell(table, COLOUR_NONE, "%.10s", date);
}

/* The first letters of a revision, with a star if files had changes. */
static void put_revision(struct table *table, const char *revision, bool dirty) {
    table_cell(table, COLOUR_NONE, "%.8s%s", revision, dirty ? "*" : "");
}

/* "45s", "7m03", "1h07" */
static void put_duration(struct table *table, double seconds) {
    const long all = lround(seconds), minutes = all / 60;
    if (minutes == 0)
        table_cell(table, COLOUR_NONE, "%lds", all);
    else if (minutes < 60)
        table_cell(table, COLOUR_NONE, "%ldm%02ld", minutes, all % 60);
    else
        table_cell(table, COLOUR_NONE, "%ldh%02ld", minutes / 60, minutes % 60);
}

/* "1.23 M" */
static void put_speed(struct table *table, double value) {
    static const char *const units[] = {"", " k", " M", " G"};
    size_t unit = 0;
    for (; value >= 1000 && unit + 1 < sizeof units / sizeof *units; unit++)
        value /= 1000;
    table_cell(table, COLOUR_NONE, "%.*f%s", value < 10 && unit ? 2 : value < 100 && unit ? 1 : 0, value, units[unit]);
}

/* ---- sparklines ---- */

char *history_sparkline(const double *values, const bool *present, size_t count, bool utf8) {
    enum { LEVELS = 8 };
    static const char *const blocks[LEVELS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, *const letters[LEVELS] = {
                                                                                            "_", ".", "-", ":",
                                                                                            "=", "+", "*", "#"};
    struct text text = {0};
    double least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        least = present[i] ? fmin(least, values[i]) : least;
        most = present[i] ? fmax(most, values[i]) : most;
    }
    for (size_t i = 0; i < count; i++) {
        const double part = most > least ? (values[i] - least) / (most - least) : 0.5;
        const int level = present[i] ? (int)lround(part * (LEVELS - 1)) : 0;
        text_printf(&text, "%s", !present[i] ? " " : (utf8 ? blocks : letters)[level]);
    }
    text_add(&text, "", 0);
    return text.text;
}

/* How a result counts. */
static enum table_colour colour_of(const char *verdict, bool known) {
    if (!verdict[0])
        return COLOUR_DIM;
    return strcmp(verdict, "PASS") == 0 ? COLOUR_GOOD : known ? COLOUR_ODD : COLOUR_BAD;
}

/* A result as one character: high it passed, low it failed, between: as it is known to; a dot: it did not run. */
static const char *mark_of(const char *verdict, bool known, bool utf8, char letter[2]) {
    const enum table_colour colour = colour_of(verdict, known);
    if (colour == COLOUR_DIM)
        return utf8 ? "·" : ".";
    if (utf8)
        return colour == COLOUR_GOOD ? "█" : colour == COLOUR_ODD ? "▄" : "▁";
    letter[0] = colour == COLOUR_GOOD ? '#' : verdict[0];
    letter[1] = '\0';
    return letter;
}

/* ---- nights ---- */

static const char nights_sql[] =
    "WITH chosen AS (SELECT * FROM night ORDER BY id DESC LIMIT ?), counts AS (SELECT night, sum(verdict = 'PASS') AS "
    "passed, sum(verdict NOT IN ('PASS', 'HANG') AND known IS NULL) AS failed, sum(verdict = 'HANG' AND known IS NULL) "
    "AS hung, sum(verdict <> 'PASS' AND known IS NOT NULL) AS known, sum(verdict IS NULL) AS open FROM result WHERE "
    "night IN (SELECT id FROM chosen) GROUP BY night) SELECT id AS night, started, plan, kind, state, ifnull(passed, "
    "0) AS passed, ifnull(failed, 0) AS failed, ifnull(hung, 0) AS hung, ifnull(known, 0) AS known, ifnull(open, 0) AS "
    "open, seconds, revision, dirty, host, pid, birth FROM chosen LEFT JOIN counts ON night = id ORDER BY id";

static void add_night_columns(struct table *table) {
    table_column(table, "id", true, 0, 0);
    table_column(table, "date (UTC)", false, 0, 0);
    table_column(table, "plan", false, 5, 0);
    table_column(table, "kind", false, 0, 3);
    table_column(table, "state", false, 0, 0);
    table_column(table, "pass", true, 0, 0);
    table_column(table, "fail", true, 0, 0);
    table_column(table, "hang", true, 0, 0);
    table_column(table, "known", true, 0, 1);
    table_column(table, "open", true, 0, 3);
    table_column(table, "time", true, 0, 0);
    table_column(table, "revision", false, 0, 1);
}

/* A count that is only worth showing if it is not 0. */
static void put_count(struct table *table, int64_t count, enum table_colour colour, const char *zero) {
    if (count)
        table_cell(table, colour, "%" PRId64, count);
    else
        table_cell(table, COLOUR_DIM, "%s", zero);
}

/* The state in a short word. */
static const char *state_of(struct query *night) {
    const char *state = words(night, "state");
    if (strcmp(state, "running") != 0)
        return strcmp(state, "done") == 0 ? "done" : "stopped";
    return store_runner(words(night, "host"), query_number(night, "pid"), words(night, "birth")) == RUNNER_GONE
               ? "killed"
               : "running";
}

static void add_night(struct table *table, struct query *night, bool time) {
    const char *state = state_of(night), *kind = words(night, "kind");
    table_row(table);
    table_cell(table, COLOUR_NONE, "%" PRId64, query_number(night, "night"));
    put_date(table, words(night, "started"), time);
    table_cell(table, COLOUR_NONE, "%s", words(night, "plan"));
    table_cell(table, COLOUR_NONE, "%s", strcmp(kind, "regress") == 0 ? "" : kind);
    table_cell(table, strcmp(state, "done") == 0 ? COLOUR_NONE : COLOUR_ODD, "%s", state);
    put_count(table, query_number(night, "passed"), COLOUR_GOOD, "0");
    put_count(table, query_number(night, "failed"), COLOUR_BAD, "0");
    put_count(table, query_number(night, "hung"), COLOUR_BAD, "0");
    put_count(table, query_number(night, "known"), COLOUR_ODD, "");
    put_count(table, query_number(night, "open"), COLOUR_ODD, "");
    put_duration(table, query_real(night, "seconds"));
    put_revision(table, words(night, "revision"), query_number(night, "dirty") != 0);
}

/* Prints all rows as values; true if the caller has nothing to do but end the query. */
static bool print_values(struct query *query, const struct history_options *options) {
    if (!query->failed && options->form == QUERY_TABLE)
        return false;
    if (!query->failed && query_print(query->statement, options->form, &options->style) != SQLITE_DONE)
        query_next(query); /* fails again, and keeps the message */
    return true;
}

bool history_nights(struct store *store, const struct history_options *options, struct error *err) {
    struct query query = query_begin(store_database(store), err, nights_sql, "i", options->limit);
    if (print_values(&query, options))
        return query_end(&query);
    struct table *table = table_new(&options->style);
    const bool wide = options->style.width == 0 || options->style.width >= WIDE;
    add_night_columns(table);
    while (query_next(&query))
        add_night(table, &query, wide);
    table_print(table);
    table_free(table);
    return query_end(&query);
}

/* ---- tests ---- */

/* The past of the tests whose keys are in a list as JSON. */
static const char tests_sql[] =
    "SELECT key, night, started, revision, dirty, config, dut, memory, seed, layer_seed, verdict, known, cycles, "
    "change_percent, seconds, cycles_per_second, signature, reason, path FROM (SELECT r.key, n.id AS night, n.started, "
    "n.revision, n.dirty, r.config, r.dut, r.memory, r.seed, r.layer_seed, r.verdict, r.known, r.cycles, CASE WHEN "
    "r.verdict IN ('PASS', 'FAIL') AND lag(r.verdict) OVER w IN ('PASS', 'FAIL') AND (r.config, r.seed, r.layer_seed) "
    "IS (lag(r.config) OVER w, lag(r.seed) OVER w, lag(r.layer_seed) OVER w) THEN round(100.0 * (r.cycles - "
    "lag(r.cycles) OVER w) / lag(r.cycles) OVER w, 2) END AS change_percent, r.seconds, r.cycles / "
    "nullif(r.cpu_seconds, 0) AS cycles_per_second, r.signature, r.reason, r.path, row_number() OVER (PARTITION BY "
    "r.key ORDER BY n.id DESC) AS age FROM json_each(?) AS k JOIN result AS r ON r.key = k.value JOIN night AS n ON "
    "n.id = r.night WINDOW w AS (PARTITION BY r.key ORDER BY n.id)) WHERE age <= ? ORDER BY key, night";

/* Its columns that are kept as text. */
enum test_text {
    TEST_KEY,
    TEST_NIGHT,
    TEST_STARTED,
    TEST_REVISION,
    TEST_CONFIG,
    TEST_DUT,
    TEST_MEMORY,
    TEST_SEED,
    TEST_LAYER_SEED,
    TEST_VERDICT,
    TEST_KNOWN,
    TEST_SIGNATURE,
    TEST_REASON,
    TEST_PATH,
    TEST_TEXTS
};
static const char *const kept_columns[TEST_TEXTS] = {"key",   "night",     "started", "revision",   "config",
                                                     "dut",   "memory",    "seed",    "layer_seed", "verdict",
                                                     "known", "signature", "reason",  "path"};

/* What is the same in all nights of a test is printed above its table, what changes is a column. */
static const struct setting {
    enum test_text column;
    const char *name;
} settings[] = {{TEST_CONFIG, "config"},
                {TEST_DUT, "dut"},
                {TEST_MEMORY, "memory"},
                {TEST_SEED, "seed"},
                {TEST_LAYER_SEED, "layer seed"}};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* The past of one test while it is gathered. */
struct past {
    const struct table_style *style;
    bool varies[SETTINGS];
    struct night_of_test {
        char *texts[TEST_TEXTS];
        double cycles, change, seconds, speed;
        bool clocked, changed, ran, known, dirty;
    } *nights;
    size_t count;
};

static void past_forget(struct past *past) {
    for (size_t i = 0; i < past->count; i++)
        for (int c = 0; c < TEST_TEXTS; c++)
            free(past->nights[i].texts[c]);
    free(past->nights);
    *past = (struct past){.style = past->style};
}

static void past_add(struct past *past, struct query *row) {
    past->nights = xgrow(past->nights, past->count, sizeof *past->nights);
    struct night_of_test *night = &past->nights[past->count++];
    *night = (struct night_of_test){.cycles = query_real(row, "cycles"),
                                    .change = query_real(row, "change_percent"),
                                    .seconds = query_real(row, "seconds"),
                                    .speed = query_real(row, "cycles_per_second"),
                                    .clocked = !query_is_null(row, "cycles"),
                                    .changed = !query_is_null(row, "change_percent"),
                                    .ran = !query_is_null(row, "verdict"),
                                    .known = !query_is_null(row, "known"),
                                    .dirty = query_number(row, "dirty") != 0};
    for (int c = 0; c < TEST_TEXTS; c++)
        night->texts[c] = (c == TEST_SEED || c == TEST_LAYER_SEED) && !query_is_null(row, kept_columns[c])
                              ? xprintf("%" PRIu64, (uint64_t)query_number(row, kept_columns[c]))
                              : xstrdup(words(row, kept_columns[c]));
    for (int s = 0; s < SETTINGS; s++)
        if (strcmp(night->texts[settings[s].column], past->nights[0].texts[settings[s].column]) != 0)
            past->varies[s] = true;
}

/* "conformance/rand_sdp_000@slow" and below it what it is. */
static void print_head(const struct past *past) {
    const struct night_of_test *last = &past->nights[past->count - 1];
    const struct table_style *style = past->style;
    char *key = text_shown(last->texts[TEST_KEY]), *path = text_shown(last->texts[TEST_PATH]);
    fprintf(style->out, "%s%s%s\n", style->colour ? "\033[1m" : "", key, style->colour ? "\033[0m" : "");
    fprintf(style->out, "  %s", path);
    const char *before = ":";
    for (int s = 0; s < SETTINGS; s++) {
        char *value = text_shown(last->texts[settings[s].column]);
        if (!past->varies[s] && value[0]) {
            fprintf(style->out, "%s %s %s", before, settings[s].name, value);
            before = ",";
        }
        free(value);
    }
    fputs("\n", style->out);
    free(key);
    free(path);
}

/* Sparklines of as many nights as there is room for. */
static void print_lines(const struct past *past) {
    enum { ROOM = 40 /* of names and figures beside the line */, LEAST = 20 };
    const struct table_style *style = past->style;
    const size_t room = style->width > ROOM + LEAST ? (size_t)(style->width - ROOM)
                        : style->width              ? LEAST
                                                    : past->count,
                 from = past->count > room ? past->count - room : 0, count = past->count - from;
    double *cycles = xcalloc(count, sizeof *cycles), least = INFINITY, most = -INFINITY;
    bool *present = xcalloc(count, sizeof *present);
    size_t passed = 0, ran = 0;
    fputs("  verdicts  ", style->out);
    for (size_t i = 0; i < count; i++) {
        const struct night_of_test *night = &past->nights[from + i];
        const char *verdict = night->texts[TEST_VERDICT];
        const enum table_colour colour = colour_of(verdict, night->known);
        char letter[2];
        fprintf(style->out, "%s%s%s", style_begin(style, colour), mark_of(verdict, night->known, style->utf8, letter),
                style_end(style, colour));
        cycles[i] = night->cycles;
        present[i] = night->clocked;
        ran += night->ran;
        passed += colour == COLOUR_GOOD;
        least = present[i] ? fmin(least, cycles[i]) : least;
        most = present[i] ? fmax(most, cycles[i]) : most;
    }
    fprintf(style->out, "  %zu of %zu passed\n", passed, ran);
    if (least <= most) {
        char *line = history_sparkline(cycles, present, count, style->utf8);
        fprintf(style->out, "  cycles    %s  %.0f", line, least);
        fprintf(style->out, most > least ? " to %.0f\n" : "\n", most);
        free(line);
    }
    free(cycles);
    free(present);
}

static void add_test_columns(struct table *table) {
    table_column(table, "night", true, 0, 0);
    table_column(table, "date (UTC)", false, 0, 0);
    table_column(table, "revision", false, 0, 3);
    for (int s = 0; s < SETTINGS; s++)
        table_column(table, settings[s].name, false, 6, 1);
    table_column(table, "verdict", false, 0, 0);
    table_column(table, "cycles", true, 0, 1);
    table_column(table, "change", true, 0, 1);
    table_column(table, "seconds", true, 0, 1);
    table_column(table, "cycles/s", true, 0, 5);
    table_column(table, "why", false, 12, 1);
}

static void add_figures(struct table *table, const struct night_of_test *night) {
    if (night->clocked)
        table_cell(table, COLOUR_NONE, "%.0f", night->cycles);
    else
        table_cell(table, COLOUR_NONE, "%s", "");
    if (night->changed && night->change != 0)
        table_cell(table, night->change > 0 ? COLOUR_ODD : COLOUR_GOOD, "%+.2f %%", night->change);
    else
        table_cell(table, COLOUR_DIM, "%s", night->changed ? "=" : "");
    if (night->ran)
        table_cell(table, COLOUR_NONE, "%.2f", night->seconds);
    else
        table_cell(table, COLOUR_NONE, "%s", "");
    if (night->speed > 0)
        put_speed(table, night->speed);
    else
        table_cell(table, COLOUR_NONE, "%s", "");
}

static void print_past(const struct past *past) {
    struct table *table = table_new(past->style);
    add_test_columns(table);
    for (size_t i = 0; i < past->count; i++) {
        const struct night_of_test *night = &past->nights[i];
        const char *verdict = night->texts[TEST_VERDICT];
        const enum table_colour colour = colour_of(verdict, night->known);
        table_row(table);
        table_cell(table, COLOUR_NONE, "%s", night->texts[TEST_NIGHT]);
        put_date(table, night->texts[TEST_STARTED], false);
        put_revision(table, night->texts[TEST_REVISION], night->dirty);
        for (int s = 0; s < SETTINGS; s++)
            table_cell(table, COLOUR_NONE, "%s", past->varies[s] ? night->texts[settings[s].column] : "");
        table_cell(table, colour, "%s", night->ran ? verdict : "not run");
        add_figures(table, night);
        table_cell(table, COLOUR_NONE, "%s", night->texts[TEST_SIGNATURE]);
        if (colour == COLOUR_ODD)
            table_note(table, "known: %s; %s", night->texts[TEST_KNOWN], night->texts[TEST_REASON]);
        else if (night->texts[TEST_REASON][0])
            table_note(table, "%s", night->texts[TEST_REASON]);
    }
    print_head(past);
    print_lines(past);
    table_print(table);
    table_free(table);
}

/* ---- which tests ---- */

/* Adds the keys that a query finds to a list of JSON. */
static bool find_keys(struct store *store, json_t *keys, const char *sql, const char *word, struct error *err) {
    struct query query = query_begin(store_database(store), err, sql, "s", word);
    while (query_next(&query))
        json_array_append_new(keys, json_text(words(&query, "key")));
    return query_end(&query);
}

/* The keys that a word names; an empty list: none; NULL with a message. */
static json_t *keys_of(struct store *store, const char *word, struct error *err) {
    char name[512];
    const struct {
        const char *sql, *word;
    } ways[] = {
        {"SELECT DISTINCT key FROM result WHERE key = ?", word},
        {"SELECT DISTINCT key FROM result WHERE key GLOB ? ORDER BY key", word},
        {"SELECT DISTINCT key FROM result WHERE trace = ? ORDER BY key", word},
        {"SELECT DISTINCT key FROM result WHERE trace GLOB ? ORDER BY key", word},
        {"SELECT DISTINCT key FROM result WHERE trace = ? ORDER BY key", trace_name(word, name, sizeof name)},
    };
    json_t *keys = json_array();
    bool well = true;
    for (size_t i = 0; well && i < sizeof ways / sizeof *ways && json_array_size(keys) == 0; i++)
        well = find_keys(store, keys, ways[i].sql, ways[i].word, err);
    if (well)
        return keys;
    json_decref(keys);
    return NULL;
}

/* Says that there is no such test, and what is near: one that is spelled alike, or some that have the word in them.
 * Returns false. */
static bool say_none(struct store *store, const char *word, struct error *err) {
    enum { SHOWN = 5 };
    struct guess guess = {.word = word, .n = strlen(word)};
    struct text near = {0};
    char hint[96];
    size_t count = 0, alike = 0;
    struct query query = query_begin(store_database(store), err,
                                     "SELECT key AS name, 1 AS is_key FROM (SELECT DISTINCT key FROM result) UNION ALL "
                                     "SELECT trace, 0 FROM (SELECT DISTINCT trace FROM result) ORDER BY 1",
                                     "");
    while (query_next(&query)) {
        const char *name = words(&query, "name");
        count++;
        guess_try(&guess, name);
        if (query_number(&query, "is_key") && strcasestr(name, word) && alike++ < SHOWN)
            text_printf(&near, "%s%s", alike > 1 ? ", " : "", name);
    }
    if (query_end(&query)) {
        const char *path = sqlite3_db_filename(store_database(store), "main");
        if (count == 0)
            error_set(err, "%s: found no test at all; nvcosim regress runs some", path);
        else if (alike)
            error_set(err, "%s: found no test and no trace '%s'; with it in their names: %s%s", path, word, near.text,
                      alike > SHOWN ? ", ..." : "");
        else
            error_set(err, "%s: found no test and no trace '%s'%s", path, word,
                      guess.best[0] ? guess_hint(&guess, hint) : "; nvcosim history '*' shows all tests");
    }
    free(near.text);
    return false;
}

/* ---- all of it ---- */

static bool print_tests(struct store *store, const char *keys, const struct history_options *options,
                        struct error *err) {
    struct query query = query_begin(store_database(store), err, tests_sql, "si", keys, options->limit);
    if (print_values(&query, options))
        return query_end(&query);
    struct past past = {.style = &options->style};
    bool first = true;
    while (query_next(&query)) {
        if (past.count > 0 && strcmp(past.nights[0].texts[TEST_KEY], words(&query, "key")) != 0) {
            fputs(first ? "" : "\n", options->style.out);
            print_past(&past);
            past_forget(&past);
            first = false;
        }
        past_add(&past, &query);
    }
    if (past.count > 0) {
        fputs(first ? "" : "\n", options->style.out);
        print_past(&past);
    }
    past_forget(&past);
    return query_end(&query);
}

bool history_tests(struct store *store, const char *word, const struct history_options *options, struct error *err) {
    json_t *keys = keys_of(store, word, err);
    if (!keys)
        return false;
    bool well;
    if (json_array_size(keys) > 0) {
        char *list = json_dumps(keys, JSON_COMPACT);
        well = print_tests(store, list, options, err);
        free(list);
    } else
        well = say_none(store, word, err);
    json_decref(keys);
    return well;
}
