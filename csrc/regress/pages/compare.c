/* Reads two nights and puts them side by side. See compare.h. */
#include "regress/pages/compare.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/clients.h"
#include "nvdla/engines.h"
#include "nvdla/xalloc.h"
#include "regress/pages/review.h"
#include "regress/store/query.h"
#include "regress/store/revision.h"

const char *const compare_changes[COMPARE_CHANGES] = {
    [COMPARE_NEW_FAILURE] = "new failure", [COMPARE_OTHERWISE] = "fails otherwise",
    [COMPARE_STILL] = "fails in both",     [COMPARE_FIXED] = "fixed",
    [COMPARE_OPEN] = "not run in both",    [COMPARE_KNOWN] = "now fails as known",
    [COMPARE_PASSES] = "passes in both",   [COMPARE_ONLY_A] = "only in A",
    [COMPARE_ONLY_B] = "only in B",
};

static const char *keep(struct comparison *comparison, const char *text) {
    if (!text)
        return NULL;
    words_add(&comparison->strings, "%s", text);
    return comparison->strings.items[comparison->strings.count - 1];
}

/* ---- what a side asks for ---- */

/* What sides choose by. A test is the same one in both sides without the first ones of these. */
enum choice { BY_ITEM, BY_CONFIG, BY_DUT, BY_MEMORY, BY_TAG, BY_PLAN, CHOICES };
static const char *const choice_names[CHOICES] = {"item", "config", "dut", "memory", "tag", "plan"};
enum { CHOICES_OF_KEY = BY_MEMORY + 1 };

struct request {
    char *night;             /* in front of the ':' */
    char *patterns[CHOICES]; /* NULL: any */
};

static void request_free(struct request *request) {
    free(request->night);
    for (int i = 0; i < CHOICES; i++)
        free(request->patterns[i]);
}

static bool request_read(const char *text, struct request *request, struct error *err) {
    const size_t n = strcspn(text, ":");
    *request = (struct request){.night = xstrndup(text, n)};
    if (n == 0)
        return error_set(err,
                         "'%s': found no night, expected NIGHT or NIGHT:NAME=VALUE,...; NIGHT is a number, latest, "
                         "previous or a git revision",
                         text);
    char *copy = xstrdup(text[n] ? text + n + 1 : ""), *rest = copy;
    bool fine = true;
    for (char *word = text[n] ? strsep(&rest, ",") : NULL; word && fine; word = strsep(&rest, ",")) {
        const size_t name = strcspn(word, "=");
        int choice = 0;
        while (choice < CHOICES &&
               (strlen(choice_names[choice]) != name || strncmp(choice_names[choice], word, name) != 0))
            choice++;
        if (!word[name] || choice == CHOICES)
            fine = error_set(err, "'%s': found '%s', expected item=, config=, dut=, memory=, tag= or plan= and a value",
                             text, word);
        else if (request->patterns[choice])
            fine = error_set(err, "'%s': found a second %s=; a pattern such as * chooses several", text,
                             choice_names[choice]);
        else
            request->patterns[choice] = xstrdup(word + name + 1);
    }
    free(copy);
    return fine;
}

/* ---- the night that a side names ---- */

static int64_t one_number(sqlite3 *db, struct error *err, const char *sql, const char *a, const char *b) {
    struct query query = query_begin(db, err, sql, "ss", a, b);
    const int64_t number = query_next(&query) ? query_number(&query, "id") : 0;
    return query_end(&query) ? number : -1;
}

/* The night before another one that it can be compared with; 0: none. */
static int64_t previous_of(sqlite3 *db, int64_t night, struct error *err) {
    struct query query = query_begin(db, err,
                                     "SELECT max(b.id) AS id FROM night AS n JOIN night AS b ON b.id < n.id AND b.plan "
                                     "= n.plan AND b.kind = n.kind AND "
                                     "b.selected IS n.selected AND b.state = 'done' WHERE n.id = ?",
                                     "i", night);
    const int64_t number = query_next(&query) ? query_number(&query, "id") : 0;
    return query_end(&query) ? number : -1;
}

/* The last night of a revision, by the first letters of its name; 0: none, -1 with a message also if they are those of
 * several. */
static int64_t night_of_revision(sqlite3 *db, const char *letters, const char *plan, struct error *err) {
    struct query query = query_begin(
        db, err,
        "SELECT count(DISTINCT revision) AS count, group_concat(DISTINCT substr(revision, 1, 12)) AS names FROM night "
        "WHERE substr(revision, 1, length(?1)) = ?1 AND plan GLOB ?2",
        "ss", letters, plan);
    bool one = true;
    if (query_next(&query) && query_number(&query, "count") > 1)
        one = error_set(err, "'%s': several revisions begin like that: %s", letters, query_text(&query, "names"));
    if (!query_end(&query) || !one)
        return -1;
    return one_number(db, err,
                      "SELECT id FROM night WHERE substr(revision, 1, length(?1)) = ?1 AND plan GLOB ?2 ORDER BY state "
                      "= 'done' DESC, id DESC LIMIT 1",
                      letters, plan);
}

static int64_t find_night(sqlite3 *db, const struct request *request, int64_t other, struct error *err) {
    enum { LETTERS_LEAST = 4 };
    const char *name = request->night, *plan = request->patterns[BY_PLAN] ? request->patterns[BY_PLAN] : "*";
    const char *file = sqlite3_db_filename(db, NULL);
    int64_t night = 0;
    uint64_t number;
    if (strcmp(name, "previous") == 0) {
        night = previous_of(db, other, err);
        if (night == 0)
            error_set(err, "'previous': no night before night %" PRId64 " has its plan and selection and is done",
                      other);
        return night ? night : -1;
    }
    if (strcmp(name, "latest") == 0) {
        night =
            one_number(db, err,
                       "SELECT id FROM night WHERE state = 'done' AND kind = 'regress' AND plan GLOB ?1 AND ?2 = '' "
                       "ORDER BY id DESC LIMIT 1",
                       plan, "");
        if (night == 0)
            error_set(err, "'latest': %s has no night of nvcosim regress%s%s that is done", file,
                      request->patterns[BY_PLAN] ? " of plan " : "", request->patterns[BY_PLAN] ? plan : "");
        return night ? night : -1;
    }
    if (text_number(name, INT64_MAX, &number) && isdigit((unsigned char)name[0]))
        night = one_number(db, err, "SELECT id FROM night WHERE id = CAST(?1 AS INTEGER) AND plan GLOB ?2", name, plan);
    if (night == 0 && strlen(name) >= LETTERS_LEAST && strspn(name, "0123456789abcdef") == strlen(name))
        night = night_of_revision(db, name, plan, err);
    if (night == 0) {
        char *commit = revision_named(".", name);
        if (commit)
            night = night_of_revision(db, commit, plan, err);
        if (night == 0)
            error_set(err,
                      "'%s': %s%.12s%s%s; expected the number of a night, latest, previous or a git revision that a "
                      "night has; nvcosim history shows all nights",
                      name, commit ? "no night has revision " : "found no such night in ", commit ? commit : "",
                      commit ? " in " : "", file);
        free(commit);
    }
    return night ? night : -1;
}

static bool read_side(struct comparison *comparison, sqlite3 *db, struct compare_side *side, struct error *err) {
    struct query query = query_begin(db, err,
                                     "SELECT plan, started, revision, folder, state, version, host, dirty FROM night "
                                     "WHERE id = ?",
                                     "i", side->night);
    if (query_next(&query)) {
        side->plan = keep(comparison, query_text(&query, "plan"));
        side->started = keep(comparison, query_text(&query, "started"));
        side->revision = keep(comparison, query_text(&query, "revision"));
        side->folder = keep(comparison, query_text(&query, "folder"));
        side->state = keep(comparison, query_text(&query, "state"));
        side->version = keep(comparison, query_text(&query, "version"));
        side->host = keep(comparison, query_text(&query, "host"));
        side->dirty = query_number(&query, "dirty") == 1;
    }
    return query_end(&query);
}

/* ---- tests of a side ---- */

struct side_test {
    const char *name; /* what pairs it */
    int64_t number;   /* in its night */
    const char *item, *config;
    int64_t seed, layer_seed;
    bool has_layer;
    unsigned engines;
    struct compare_result result;
};

struct side_tests {
    struct side_test *tests;
    size_t count;
};

/* Takes an ending off, if it is there. */
static void strip(char *text, const char *mark, const char *ending) {
    const size_t n = strlen(text), m = strlen(mark), e = strlen(ending);
    if (e > 0 && n > m + e && strcmp(text + n - e, ending) == 0 && strncmp(text + n - e - m, mark, m) == 0)
        text[n - e - m] = '\0';
}

/* The key (regress/plan/test.h) without the parts that the sides choose by; free() it. */
static char *pair_name(const char *key, const char *item, const char *config, const char *dut, const char *memory,
                       const bool *drop) {
    const size_t n = strlen(item);
    char *rest = xstrdup(strncmp(key, item, n) == 0 && key[n] == '/' ? key + n + 1 : key);
    char *plus = strrchr(rest, '+'), *reseed = NULL, *written = xstrdup(dut);
    for (char *c = written; (c = strchr(c, ':'));)
        *c = '-';
    if (plus && plus[1] && strspn(plus + 1, "0123456789") == strlen(plus + 1)) {
        reseed = xstrdup(plus);
        *plus = '\0';
    }
    struct text ends = {0};
    /* From the end on: what stays goes behind what is left. */
    char *before = xstrdup(rest);
    strip(rest, "@", memory);
    const bool has_memory = strcmp(before, rest) != 0;
    free(before);
    before = xstrdup(rest);
    strip(rest, ",", written);
    const bool has_dut = strcmp(before, rest) != 0;
    free(before);
    before = xstrdup(rest);
    strip(rest, ",", config);
    const bool has_config = strcmp(before, rest) != 0;
    free(before);
    if (!drop[BY_ITEM])
        text_printf(&ends, "%s/", item);
    text_printf(&ends, "%s", rest);
    if (has_config && !drop[BY_CONFIG])
        text_printf(&ends, ",%s", config);
    if (has_dut && !drop[BY_DUT])
        text_printf(&ends, ",%s", written);
    if (has_memory && !drop[BY_MEMORY])
        text_printf(&ends, "@%s", memory);
    text_printf(&ends, "%s", reseed ? reseed : "");
    free(rest);
    free(reseed);
    free(written);
    return ends.text;
}

/* Whose data a test moves, as bits of enum nvdla_engine: convolutions with the SDP after them count as CACC. */
static unsigned engines_of(const char *reads, const char *writes) {
    _Static_assert(ENGINE_COUNT <= 32, "a bit for each engine");
    unsigned engines = 0;
    for (int i = 0; writes && i < NVDLA_CLIENT_COUNT; i++) {
        char name[32];
        snprintf(name, sizeof name, "\"%s\"", nvdla_clients[i].name);
        if (nvdla_clients[i].write && strstr(writes, name))
            engines |= 1u << nvdla_clients[i].engine;
    }
    if (reads && strstr(reads, "\"CDMA_DAT\""))
        engines = (engines & ~(1u << ENGINE_SDP)) | 1u << ENGINE_CACC;
    return engines;
}

static int verdict_of(const char *word) {
    for (int i = 0; word && i < VERDICT_COUNT; i++)
        if (strcmp(word, verdict_names[i]) == 0)
            return i;
    return REVIEW_NOT_RUN;
}

static bool is_chosen(const struct request *request, const char *const *values, const char *tags) {
    for (int i = 0; i < CHOICES_OF_KEY; i++)
        if (request->patterns[i] && fnmatch(request->patterns[i], values[i], 0) != 0)
            return false;
    bool found = !request->patterns[BY_TAG];
    char *copy = xstrdup(tags), *rest = copy;
    for (const char *tag = strsep(&rest, " "); tag && !found; tag = strsep(&rest, " "))
        found = tag[0] && fnmatch(request->patterns[BY_TAG], tag, 0) == 0;
    free(copy);
    return found;
}

static const char tests_sql[] =
    "SELECT key, item, config, dut, memory, tags, verdict, known, signature, reason, page, command, debug_command, "
    "number, seed, layer_seed, cycles, cpu_seconds, iif(json_valid(result), json_extract(result, "
    "'$.devices[0].read_beats'), NULL) AS reads, iif(json_valid(result), json_extract(result, "
    "'$.devices[0].write_beats'), NULL) AS writes FROM result WHERE night = ? ORDER BY number";

static void take_test(struct comparison *comparison, struct compare_side *side, struct side_tests *tests,
                      struct query *row, const bool *drop) {
    char *name = pair_name(query_text(row, "key"), query_text(row, "item"), query_text(row, "config"),
                           query_text(row, "dut"), query_text(row, "memory"), drop);
    tests->tests = xgrow(tests->tests, tests->count, sizeof *tests->tests);
    struct side_test *test = &tests->tests[tests->count++];
    *test = (struct side_test){.name = keep(comparison, name),
                               .number = query_number(row, "number"),
                               .item = keep(comparison, query_text(row, "item")),
                               .config = keep(comparison, query_text(row, "config")),
                               .seed = query_number(row, "seed"),
                               .layer_seed = query_number(row, "layer_seed"),
                               .has_layer = !query_is_null(row, "layer_seed"),
                               .engines = engines_of(query_text(row, "reads"), query_text(row, "writes")),
                               .result = {.there = true,
                                          .verdict = verdict_of(query_text(row, "verdict")),
                                          .known = !query_is_null(row, "known"),
                                          .key = keep(comparison, query_text(row, "key")),
                                          .signature = keep(comparison, query_text(row, "signature")),
                                          .reason = keep(comparison, query_text(row, "reason")),
                                          .page = keep(comparison, query_text(row, "page")),
                                          .command = keep(comparison, query_text(row, "command")),
                                          .debug_command = keep(comparison, query_text(row, "debug_command")),
                                          .cycles = query_number(row, "cycles"),
                                          .cpu_seconds = query_real(row, "cpu_seconds")}};
    free(name);
    struct compare_result *result = &test->result;
    if (result->cycles > 0 && result->cpu_seconds > 0)
        result->speed = (double)result->cycles / result->cpu_seconds;
    side->tests++;
    side->open += result->verdict == REVIEW_NOT_RUN;
    side->passed += result->verdict == VERDICT_PASS;
    if (result->verdict > VERDICT_PASS)
        *(result->known ? &side->known : &side->failed) += 1;
}

static int by_name(const void *left, const void *right) {
    const struct side_test *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static bool take_side(struct comparison *comparison, sqlite3 *db, struct compare_side *side,
                      const struct request *request, const bool *drop, struct side_tests *tests, struct error *err) {
    struct query query = query_begin(db, err, tests_sql, "i", side->night);
    while (query_next(&query)) {
        const char *values[CHOICES_OF_KEY] = {query_text(&query, "item"), query_text(&query, "config"),
                                              query_text(&query, "dut"), query_text(&query, "memory")};
        if (is_chosen(request, values, query_text(&query, "tags")))
            take_test(comparison, side, tests, &query, drop);
    }
    if (!query_end(&query))
        return false;
    if (tests->count == 0)
        return error_set(err,
                         "'%s': night %" PRId64
                         " has no such test; nvcosim history --sql 'SELECT DISTINCT item, config, "
                         "dut, memory FROM result WHERE night = %" PRId64 "' shows what it has",
                         side->given, side->night, side->night);
    qsort(tests->tests, tests->count, sizeof *tests->tests, by_name);
    for (size_t i = 1; i < tests->count; i++)
        if (strcmp(tests->tests[i - 1].name, tests->tests[i].name) == 0)
            return error_set(err,
                             "'%s': chooses both %s and %s, expected one of them; choose by item, config, dut or "
                             "memory as well, with the same names in both sides",
                             side->given, tests->tests[i - 1].result.key, tests->tests[i].result.key);
    return true;
}

/* ---- pairs ---- */

static bool fails(const struct compare_result *result) {
    return result->there && result->verdict > VERDICT_PASS;
}

static enum compare_change change_of(const struct compare_pair *pair) {
    const struct compare_result *a = &pair->a, *b = &pair->b;
    if (fails(b) && fails(a))
        return a->signature && b->signature && strcmp(a->signature, b->signature) != 0 ? COMPARE_OTHERWISE
                                                                                       : COMPARE_STILL;
    if (fails(b))
        return b->known ? COMPARE_KNOWN : COMPARE_NEW_FAILURE;
    if (!b->there)
        return COMPARE_ONLY_A;
    if (!a->there)
        return COMPARE_ONLY_B;
    if (b->verdict == REVIEW_NOT_RUN || a->verdict == REVIEW_NOT_RUN)
        return COMPARE_OPEN;
    return fails(a) ? COMPARE_FIXED : COMPARE_PASSES;
}

static void add_pair(struct comparison *comparison, const struct side_test *a, const struct side_test *b,
                     bool other_seeds) {
    const struct side_test *shown = b->result.there ? b : a;
    comparison->pairs = xgrow(comparison->pairs, comparison->count, sizeof *comparison->pairs);
    struct compare_pair *pair = &comparison->pairs[comparison->count++];
    *pair = (struct compare_pair){.name = shown->name,
                                  .item = shown->item,
                                  .config = shown->config,
                                  .engines = a->engines | b->engines,
                                  .a = a->result,
                                  .b = b->result};
    pair->change = change_of(pair);
    comparison->changes[pair->change]++;
    if (pair->change != COMPARE_PASSES)
        return;
    pair->same_work =
        a->has_layer == b->has_layer && a->layer_seed == b->layer_seed && (other_seeds || a->seed == b->seed);
    comparison->other_work += !pair->same_work;
    if (!pair->same_work)
        return;
    if (a->result.cycles > 0 && b->result.cycles > 0)
        pair->cycles_ratio = (double)b->result.cycles / (double)a->result.cycles;
    if (a->result.speed > 0 && b->result.speed > 0)
        pair->speed_ratio = b->result.speed / a->result.speed;
    pair->speed_counts = fmin(a->result.cpu_seconds, b->result.cpu_seconds) >= COMPARE_SPEED_SECONDS;
    comparison->over += comparison->limit >= 0 && pair->cycles_ratio > 1 + comparison->limit / 100;
}

static void pair_up(struct comparison *comparison, const struct side_tests *a, const struct side_tests *b,
                    bool other_seeds) {
    static const struct side_test absent;
    for (size_t i = 0, j = 0; i < a->count || j < b->count;) {
        const int order = i == a->count ? 1 : j == b->count ? -1 : strcmp(a->tests[i].name, b->tests[j].name);
        add_pair(comparison, order <= 0 ? &a->tests[i] : &absent, order >= 0 ? &b->tests[j] : &absent, other_seeds);
        i += order <= 0;
        j += order >= 0;
    }
}

static int by_change(const void *left, const void *right) {
    const struct compare_pair *a = left, *b = right;
    return a->change != b->change ? (int)a->change - (int)b->change : strcmp(a->name, b->name);
}

/* ---- figures ---- */

static void count_mean(struct comparison *comparison, const char *kind, const char *name,
                       const struct compare_pair *pair) {
    struct compare_mean *mean = comparison->means;
    const struct compare_mean *const end = mean + comparison->mean_count;
    while (mean < end && (strcmp(mean->kind, kind) != 0 || strcmp(mean->name, name) != 0))
        mean++;
    if (mean == end) {
        const size_t at = comparison->mean_count++;
        comparison->means = xgrow(comparison->means, at, sizeof *mean);
        mean = &comparison->means[at];
        *mean = (struct compare_mean){.kind = kind, .name = name};
    }
    if (pair->cycles_ratio > 0) { /* logarithms until all are there */
        mean->count++;
        mean->slower += pair->cycles_ratio > 1;
        mean->faster += pair->cycles_ratio < 1;
        mean->cycles += log(pair->cycles_ratio);
    }
    if (pair->speed_ratio > 0) {
        mean->speed_count++;
        mean->speed += log(pair->speed_ratio);
        mean->long_count += pair->speed_counts;
    }
}

static int kind_place(const char *kind) {
    static const char *const kinds[] = {"", "item", "config", "engine"};
    int place = 0;
    while (strcmp(kinds[place], kind) != 0)
        place++;
    return place;
}

static int by_kind(const void *left, const void *right) {
    const struct compare_mean *a = left, *b = right;
    const int order = kind_place(a->kind) - kind_place(b->kind);
    return order ? order : strcmp(a->name, b->name);
}

static void make_means(struct comparison *comparison) {
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_pair *pair = &comparison->pairs[i];
        if (pair->cycles_ratio <= 0 && pair->speed_ratio <= 0)
            continue;
        count_mean(comparison, "", "all", pair);
        count_mean(comparison, "item", pair->item, pair);
        count_mean(comparison, "config", pair->config, pair);
        for (int engine = 0; engine < ENGINE_COUNT; engine++)
            if (pair->engines >> engine & 1)
                count_mean(comparison, "engine", engine == ENGINE_CACC ? "conv" : nvdla_engines[engine].folder, pair);
    }
    for (size_t i = 0; i < comparison->mean_count; i++) {
        struct compare_mean *mean = &comparison->means[i];
        mean->cycles = mean->count ? exp(mean->cycles / (double)mean->count) : 0;
        mean->speed = mean->speed_count ? exp(mean->speed / (double)mean->speed_count) : 0;
        mean->speed_counts = 2 * mean->long_count >= mean->speed_count;
    }
    if (comparison->mean_count > 0)
        qsort(comparison->means, comparison->mean_count, sizeof *comparison->means, by_kind);
}

static int most_first(const void *left, const void *right) {
    const struct compare_pair *a = *(const struct compare_pair *const *)left,
                              *b = *(const struct compare_pair *const *)right;
    const double x = fabs(log(a->cycles_ratio)), y = fabs(log(b->cycles_ratio));
    return x != y ? (x < y) - (x > y) : strcmp(a->name, b->name);
}

static void find_extremes(struct comparison *comparison) {
    comparison->slower = xcalloc(comparison->count, sizeof(const struct compare_pair *));
    comparison->faster = xcalloc(comparison->count, sizeof(const struct compare_pair *));
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_pair *pair = &comparison->pairs[i];
        if (pair->cycles_ratio > 1)
            comparison->slower[comparison->slower_count++] = pair;
        else if (pair->cycles_ratio > 0 && pair->cycles_ratio < 1)
            comparison->faster[comparison->faster_count++] = pair;
    }
    qsort(comparison->slower, comparison->slower_count, sizeof(const struct compare_pair *), most_first);
    qsort(comparison->faster, comparison->faster_count, sizeof(const struct compare_pair *), most_first);
}

/* ---- all of it ---- */

static bool same_choice(const struct request *a, const struct request *b) {
    for (int i = 0; i < BY_PLAN; i++)
        if ((a->patterns[i] == NULL) != (b->patterns[i] == NULL) ||
            (a->patterns[i] && strcmp(a->patterns[i], b->patterns[i]) != 0))
            return false;
    return true;
}

/* Finds both nights; "previous" is before the other one. */
static bool find_nights(struct comparison *comparison, sqlite3 *db, const struct request *a, const struct request *b,
                        struct error *err) {
    const bool a_waits = strcmp(a->night, "previous") == 0;
    if (a_waits && strcmp(b->night, "previous") == 0)
        return error_set(err, "found 'previous' twice, expected another night to compare it with");
    if (!a_waits && (comparison->a.night = find_night(db, a, 0, err)) < 0)
        return false;
    if ((comparison->b.night = find_night(db, b, comparison->a.night, err)) < 0)
        return false;
    if (a_waits && (comparison->a.night = find_night(db, a, comparison->b.night, err)) < 0)
        return false;
    if (comparison->a.night == comparison->b.night && same_choice(a, b))
        return error_set(err,
                         "'%s' and '%s' are the same, night %" PRId64 "; expected two nights, or two choices such as "
                         "%" PRId64 ":dut=both and %" PRId64 ":dut=rtl:mine",
                         comparison->a.given, comparison->b.given, comparison->a.night, comparison->a.night,
                         comparison->a.night);
    return true;
}

/* The key of a test of a side. */
static const char *example_of(const struct comparison *comparison, bool of_a) {
    for (size_t i = 0; i < comparison->count; i++) {
        const struct compare_result *result = of_a ? &comparison->pairs[i].a : &comparison->pairs[i].b;
        if (result->there)
            return result->key;
    }
    return "none";
}

static bool compare_sides(struct comparison *comparison, sqlite3 *db, const struct request *a, const struct request *b,
                          struct error *err) {
    bool drop[CHOICES_OF_KEY], other_seeds = false;
    for (int i = 0; i < CHOICES_OF_KEY; i++) {
        drop[i] = a->patterns[i] || b->patterns[i];
        other_seeds = other_seeds || drop[i];
    }
    /* Both sides are compared whole where both choose the same: their keys have to stay apart. */
    for (int i = 0; i < CHOICES_OF_KEY; i++)
        if (drop[i] && a->patterns[i] && b->patterns[i] && strcmp(a->patterns[i], b->patterns[i]) == 0)
            drop[i] = false;
    struct side_tests of_a = {0}, of_b = {0};
    const bool fine = find_nights(comparison, db, a, b, err) && read_side(comparison, db, &comparison->a, err) &&
                      read_side(comparison, db, &comparison->b, err) &&
                      take_side(comparison, db, &comparison->a, a, drop, &of_a, err) &&
                      take_side(comparison, db, &comparison->b, b, drop, &of_b, err);
    if (fine) {
        pair_up(comparison, &of_a, &of_b, other_seeds);
        qsort(comparison->pairs, comparison->count, sizeof *comparison->pairs, by_change);
        make_means(comparison);
        find_extremes(comparison);
    }
    free(of_a.tests);
    free(of_b.tests);
    if (fine && comparison->count == of_a.count + of_b.count)
        return error_set(err,
                         "'%s' and '%s' have no test in common, such as %s and %s: there is nothing to compare; where "
                         "they differ in item, config, dut or memory, both have to choose by it",
                         comparison->a.given, comparison->b.given, example_of(comparison, true),
                         example_of(comparison, false));
    return fine;
}

struct comparison *compare_read(struct store *store, const char *a, const char *b, double limit, struct error *err) {
    struct comparison *comparison = xcalloc(1, sizeof *comparison);
    struct request of_a = {0}, of_b = {0};
    comparison->limit = limit;
    comparison->a.given = keep(comparison, a);
    comparison->b.given = keep(comparison, b);
    comparison->a.chosen = comparison->a.given + strcspn(a, ":");
    comparison->b.chosen = comparison->b.given + strcspn(b, ":");
    const bool fine = request_read(a, &of_a, err) && request_read(b, &of_b, err) &&
                      compare_sides(comparison, store_database(store), &of_a, &of_b, err);
    request_free(&of_a);
    request_free(&of_b);
    if (fine)
        return comparison;
    compare_free(comparison);
    return NULL;
}

void compare_free(struct comparison *comparison) {
    if (!comparison)
        return;
    free(comparison->pairs);
    free(comparison->means);
    free(comparison->slower);
    free(comparison->faster);
    words_free(&comparison->strings);
    free(comparison);
}

bool compare_worse(const struct comparison *comparison) {
    return comparison->changes[COMPARE_NEW_FAILURE] > 0 || comparison->over > 0;
}

char *compare_sentence(const struct comparison *comparison) {
    const size_t *changes = comparison->changes;
    struct text text = {0};
    text_printf(&text, "%zu new %s, %zu fixed, %zu %s in both", changes[COMPARE_NEW_FAILURE],
                changes[COMPARE_NEW_FAILURE] == 1 ? "failure" : "failures", changes[COMPARE_FIXED],
                changes[COMPARE_STILL] + changes[COMPARE_OTHERWISE],
                changes[COMPARE_STILL] + changes[COMPARE_OTHERWISE] == 1 ? "fails" : "fail");
    if (changes[COMPARE_OTHERWISE])
        text_printf(&text, " (%zu otherwise)", changes[COMPARE_OTHERWISE]);
    text_printf(&text, ", %zu %s in both", changes[COMPARE_PASSES], changes[COMPARE_PASSES] == 1 ? "passes" : "pass");
    if (changes[COMPARE_KNOWN])
        text_printf(&text, ", %zu now %s as known", changes[COMPARE_KNOWN],
                    changes[COMPARE_KNOWN] == 1 ? "fails" : "fail");
    if (changes[COMPARE_OPEN])
        text_printf(&text, ", %zu not run in both", changes[COMPARE_OPEN]);
    if (changes[COMPARE_ONLY_A])
        text_printf(&text, ", %zu only in A", changes[COMPARE_ONLY_A]);
    if (changes[COMPARE_ONLY_B])
        text_printf(&text, ", %zu only in B", changes[COMPARE_ONLY_B]);
    text_printf(&text, ".");
    if (comparison->limit >= 0)
        text_printf(&text, " %zu %s more than %g %% more cycles.", comparison->over,
                    comparison->over == 1 ? "test takes" : "tests take", comparison->limit);
    return text.text;
}
