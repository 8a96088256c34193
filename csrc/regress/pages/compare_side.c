/* Reads one side of a comparison: which night it names, which tests it chooses. See compare_side.h. */
#include "regress/pages/compare_side.h"

#include <ctype.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/pages/review.h"
#include "regress/store/query.h"
#include "regress/store/revision.h"

static const char *const choice_names[CHOICES] = {"item", "config", "dut", "memory", "tag", "plan"};

const char *compare_keep(struct comparison *comparison, const char *text) {
    if (!text)
        return NULL;
    words_add(&comparison->strings, "%s", text);
    return comparison->strings.items[comparison->strings.count - 1];
}

/* ---- what a side asks for ---- */

void request_free(struct request *request) {
    free(request->night);
    for (int i = 0; i < CHOICES; i++)
        free(request->patterns[i]);
}

bool request_read(const char *text, struct request *request, struct error *err) {
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
    struct query query =
        query_begin(db, err,
                    "SELECT max(b.id) AS id FROM night AS n JOIN night AS b ON b.id < n.id AND b.plan = n.plan AND "
                    "b.kind = n.kind AND b.selected IS n.selected AND b.state = 'done' WHERE n.id = ?",
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

int64_t find_night(sqlite3 *db, const struct request *request, int64_t other, struct error *err) {
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

bool read_side(struct comparison *comparison, sqlite3 *db, struct compare_side *side, struct error *err) {
    struct query query = query_begin(db, err,
                                     "SELECT plan, started, revision, folder, state, version, host, dirty FROM night "
                                     "WHERE id = ?",
                                     "i", side->night);
    if (query_next(&query)) {
        side->plan = compare_keep(comparison, query_text(&query, "plan"));
        side->started = compare_keep(comparison, query_text(&query, "started"));
        side->revision = compare_keep(comparison, query_text(&query, "revision"));
        side->folder = compare_keep(comparison, query_text(&query, "folder"));
        side->state = compare_keep(comparison, query_text(&query, "state"));
        side->version = compare_keep(comparison, query_text(&query, "version"));
        side->host = compare_keep(comparison, query_text(&query, "host"));
        side->dirty = query_number(&query, "dirty") == 1;
    }
    return query_end(&query);
}

/* ---- tests of a side ---- */

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
    /* From the end: the parts that stay are added again below. */
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
    *test = (struct side_test){.name = compare_keep(comparison, name),
                               .number = query_number(row, "number"),
                               .item = compare_keep(comparison, query_text(row, "item")),
                               .config = compare_keep(comparison, query_text(row, "config")),
                               .seed = query_number(row, "seed"),
                               .layer_seed = query_number(row, "layer_seed"),
                               .has_layer = !query_is_null(row, "layer_seed"),
                               .engines = engines_of(query_text(row, "reads"), query_text(row, "writes")),
                               .result = {.there = true,
                                          .verdict = verdict_find(query_text(row, "verdict")),
                                          .known = !query_is_null(row, "known"),
                                          .key = compare_keep(comparison, query_text(row, "key")),
                                          .signature = compare_keep(comparison, query_text(row, "signature")),
                                          .reason = compare_keep(comparison, query_text(row, "reason")),
                                          .page = compare_keep(comparison, query_text(row, "page")),
                                          .command = compare_keep(comparison, query_text(row, "command")),
                                          .debug_command = compare_keep(comparison, query_text(row, "debug_command")),
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

bool take_side(struct comparison *comparison, sqlite3 *db, struct compare_side *side, const struct request *request,
               const bool *drop, struct side_tests *tests, struct error *err) {
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
