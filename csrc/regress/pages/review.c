/* Reads a night and those before it from the database. See review.h. */
#include "regress/pages/review.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "regress/store/query.h"

enum { ALTERNATIONS = 4 /* changes between pass and fail that make a test flaky */ };

/* A past night of the plan. */
struct past {
    int64_t night;
    char *revision; /* NULL: not known, or with changes that are not committed */
};

/* The result of a test in a past night. */
struct outcome {
    bool there;
    int verdict;
    int64_t seed, layer_seed;
};

/* Where the test of a key is. */
struct place {
    const char *key;
    size_t index;
};

struct reader {
    struct review *review;
    sqlite3 *db;
    struct error *err;
    struct place *places; /* by key */
    int64_t *buckets;     /* number of the bucket of each test, negative: none */
    struct past past[REVIEW_PAST];
    int past_count;
    struct outcome *outcomes; /* of each test REVIEW_PAST */
};

/* ---- strings that the review owns ---- */

/* Takes a string. */
static const char *own(struct review *review, char *text) {
    review->strings = xgrow(review->strings, review->string_count, sizeof *review->strings);
    return review->strings[review->string_count++] = text;
}

/* A copy, cut between characters if it is too long for people. */
static const char *keep(struct review *review, const char *text) {
    if (!text)
        return NULL;
    size_t n = strnlen(text, REVIEW_TEXT + 1);
    const bool whole = n <= REVIEW_TEXT;
    while (!whole && n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80)
        n--;
    return own(review, xprintf("%.*s%s", (int)n, text, whole ? "" : " ..."));
}

static const char *text_of(struct reader *reader, struct query *row, const char *column) {
    return keep(reader->review, query_text(row, column));
}

/* A text of a row and where it goes. */
struct text_column {
    const char *name;
    const char **to;
};
static void take_texts(struct reader *reader, struct query *row, const struct text_column *columns, size_t count) {
    for (size_t i = 0; i < count; i++)
        *columns[i].to = text_of(reader, row, columns[i].name);
}
#define TAKE_TEXTS(reader, row, ...)                                                                                   \
    take_texts(reader, row, (const struct text_column[]){__VA_ARGS__},                                                 \
               sizeof((const struct text_column[]){__VA_ARGS__}) / sizeof(struct text_column))

static int verdict_of(const char *name) {
    const int verdict = verdict_find(name);
    return !name ? REVIEW_NOT_RUN : verdict < 0 ? VERDICT_ERROR : verdict;
}

static bool failing(int verdict) {
    return verdict != REVIEW_NOT_RUN && verdict != VERDICT_PASS;
}

/* ---- the night ---- */

static bool read_night(struct reader *reader, int64_t night) {
    struct review *review = reader->review;
    struct query query =
        query_begin(reader->db, reader->err,
                    "SELECT seed, kind, plan, plan_path, selected, state, started, ended, host, version, revision, "
                    "engine, command, folder, seconds, cores, dirty FROM night WHERE id = ?",
                    "i", night);
    const bool found = query_next(&query);
    if (found) {
        TAKE_TEXTS(reader, &query, {"kind", &review->kind}, {"plan", &review->plan}, {"plan_path", &review->plan_path},
                   {"selected", &review->selected}, {"state", &review->state}, {"started", &review->started},
                   {"ended", &review->ended}, {"host", &review->host}, {"version", &review->version},
                   {"revision", &review->revision}, {"engine", &review->engine}, {"folder", &review->folder});
        review->command = own(review, query_copy(&query, "command")); /* whole, to be copied */
        review->night = night;
        review->seed = (uint64_t)query_number(&query, "seed");
        review->seconds = query_real(&query, "seconds");
        review->cores = query_number(&query, "cores");
        review->dirty = query_number(&query, "dirty") != 0;
        review->qualify = strcmp(review->kind, "qualify") == 0;
    }
    if (!query_end(&query))
        return false;
    if (!found)
        return error_set(reader->err, "no night %" PRId64 " in the database, expected one of: SELECT id FROM night",
                         night);
    return true;
}

/* The night to compare with. */
static bool find_before(struct reader *reader) {
    struct review *review = reader->review;
    struct query query = query_begin(reader->db, reader->err,
                                     "SELECT id, started, revision, folder FROM night WHERE id < ? AND plan = ? AND "
                                     "kind = ? AND selected IS ? AND state = 'done' ORDER BY id DESC LIMIT 1",
                                     "isss", review->night, review->plan, review->kind, review->selected);
    if (query_next(&query)) {
        review->before = query_number(&query, "id");
        TAKE_TEXTS(reader, &query, {"started", &review->before_started}, {"revision", &review->before_revision},
                   {"folder", &review->before_folder});
    }
    return query_end(&query);
}

/* ---- the tests ---- */

static bool read_tests(struct reader *reader) {
    struct review *review = reader->review;
    struct query query = query_begin(
        reader->db, reader->err,
        "SELECT number, key, item, trace, config, dut, memory, tags, reason, signature, mismatch, host, report, page, "
        "command, debug_command, known, CASE WHEN json_valid(test) THEN json_extract(test, '$.known') END AS excuse, "
        "CASE WHEN json_valid(test) THEN json_extract(test, '$.known_until') END AS excuse_until, verdict, seed, "
        "layer_seed, cycles, seconds, cpu_seconds, memory_peak, bucket FROM result WHERE night = ? ORDER BY number",
        "i", review->night);
    while (query_next(&query)) {
        review->tests = xgrow(review->tests, review->test_count, sizeof *review->tests);
        reader->buckets = xgrow(reader->buckets, review->test_count, sizeof *reader->buckets);
        struct review_test *test = &review->tests[review->test_count++];
        *test = (struct review_test){.number = query_number(&query, "number"), .before = REVIEW_NOT_RUN, .bucket = -1};
        TAKE_TEXTS(reader, &query, {"key", &test->key}, {"item", &test->item}, {"trace", &test->trace},
                   {"config", &test->config}, {"dut", &test->dut}, {"memory", &test->memory}, {"tags", &test->tags},
                   {"reason", &test->reason}, {"signature", &test->signature}, {"mismatch", &test->mismatch},
                   {"host", &test->host}, {"report", &test->report}, {"page", &test->page}, {"command", &test->command},
                   {"debug_command", &test->debug_command}, {"known", &test->known}, {"excuse", &test->excuse},
                   {"excuse_until", &test->excuse_until});
        const size_t item = strlen(test->item);
        test->name = !strncmp(test->key, test->item, item) && test->key[item] == '/' && test->key[item + 1]
                         ? test->key + item + 1
                         : test->key;
        test->verdict = verdict_of(query_text(&query, "verdict"));
        test->seed = query_number(&query, "seed");
        test->random = !query_is_null(&query, "layer_seed");
        test->layer_seed = query_number(&query, "layer_seed");
        test->cycles = query_number(&query, "cycles");
        test->seconds = query_real(&query, "seconds");
        test->cpu_seconds = query_real(&query, "cpu_seconds");
        test->memory_peak = query_number(&query, "memory_peak");
        reader->buckets[review->test_count - 1] = query_is_null(&query, "bucket") ? -1 : query_number(&query, "bucket");
        test->state = test->verdict == REVIEW_NOT_RUN ? REVIEW_OPEN
                      : test->verdict == VERDICT_PASS ? REVIEW_PASSED
                      : test->known                   ? REVIEW_KNOWN
                                                      : REVIEW_FAILED;
    }
    return query_end(&query);
}

static int key_order(const void *left, const void *right) {
    return strcmp(((const struct place *)left)->key, ((const struct place *)right)->key);
}

static void sort_keys(struct reader *reader) {
    const struct review *review = reader->review;
    reader->places = xmalloc(review->test_count * sizeof *reader->places);
    for (size_t i = 0; i < review->test_count; i++)
        reader->places[i] = (struct place){review->tests[i].key, i};
    qsort(reader->places, review->test_count, sizeof *reader->places, key_order);
}

/* The test of that key, NULL if the night has none. */
static struct review_test *find_key(const struct reader *reader, const char *key) {
    const struct review *review = reader->review;
    const struct place wanted = {.key = key},
                       *found = bsearch(&wanted, reader->places, review->test_count, sizeof wanted, key_order);
    return found ? &review->tests[found->index] : NULL;
}

/* ---- the nights before ---- */

/* Reads the results of a past night. past: its index; negative: it is too long ago to have one. */
static bool read_outcomes(struct reader *reader, int64_t night, int past) {
    struct review *review = reader->review;
    struct query query =
        query_begin(reader->db, reader->err,
                    "SELECT key, verdict, seed, layer_seed, cycles FROM result WHERE night = ?", "i", night);
    while (query_next(&query)) {
        struct review_test *test = find_key(reader, query_text(&query, "key"));
        if (!test) {
            review->gone += night == review->before;
            continue;
        }
        const struct outcome outcome = {true, verdict_of(query_text(&query, "verdict")), query_number(&query, "seed"),
                                        query_number(&query, "layer_seed")};
        if (past >= 0)
            reader->outcomes[(size_t)(test - review->tests) * REVIEW_PAST + (size_t)past] = outcome;
        if (night == review->before) {
            test->was_there = true;
            test->before = outcome.verdict;
            test->same = outcome.seed == test->seed && outcome.layer_seed == test->layer_seed;
            test->cycles_before = query_number(&query, "cycles");
        }
    }
    return query_end(&query);
}

static bool read_past(struct reader *reader) {
    const struct review *review = reader->review;
    struct query nights =
        query_begin(reader->db, reader->err,
                    "SELECT * FROM (SELECT id, CASE WHEN dirty THEN NULL ELSE revision END AS "
                    "revision FROM night WHERE id <= ? AND plan = ? AND kind = ? ORDER BY id DESC LIMIT ?) ORDER "
                    "BY id",
                    "issi", review->night, review->plan, review->kind, (int64_t)REVIEW_PAST);
    while (query_next(&nights))
        reader->past[reader->past_count++] =
            (struct past){query_number(&nights, "id"), query_copy(&nights, "revision")};
    if (!query_end(&nights))
        return false;
    reader->outcomes = xcalloc(review->test_count * REVIEW_PAST, sizeof *reader->outcomes);
    bool has_before = review->before == 0;
    for (int p = 0; p < reader->past_count; p++) {
        has_before = has_before || reader->past[p].night == review->before;
        if (!read_outcomes(reader, reader->past[p].night, p))
            return false;
    }
    return has_before || read_outcomes(reader, review->before, -1);
}

/* A letter for each past night. */
static void set_past(const struct reader *reader, struct review_test *test, const struct outcome *outcomes) {
    for (int p = 0; p < reader->past_count; p++)
        test->past[p] =
            outcomes[p].there && outcomes[p].verdict != REVIEW_NOT_RUN ? verdict_names[outcomes[p].verdict][0] : '.';
}

/* Two nights of the same revision in which the same test with the same seeds came to different verdicts. */
static bool find_difference(struct reader *reader, struct review_test *test, const struct outcome *outcomes) {
    for (int b = reader->past_count - 1; b > 0; b--)
        for (int a = b - 1; a >= 0; a--) {
            const struct outcome *earlier = &outcomes[a], *later = &outcomes[b];
            const char *revision = reader->past[a].revision, *same = reader->past[b].revision;
            if (earlier->there && later->there && earlier->verdict != REVIEW_NOT_RUN &&
                later->verdict != REVIEW_NOT_RUN && earlier->verdict != later->verdict && revision && same &&
                strcmp(revision, same) == 0 && earlier->seed == later->seed &&
                earlier->layer_seed == later->layer_seed) {
                char *text = xprintf("%s in night %" PRId64 ", %s in night %" PRId64 ": same revision, same seeds",
                                     verdict_names[earlier->verdict], reader->past[a].night,
                                     verdict_names[later->verdict], reader->past[b].night);
                test->flaky = REVIEW_DIFFERS;
                test->flaky_text = keep(reader->review, text);
                free(text);
                return true;
            }
        }
    return false;
}

/* Passing and failing by turns. Random layers that are others in each night do so without being flaky. */
static void find_alternation(struct reader *reader, struct review_test *test, const struct outcome *outcomes) {
    const struct outcome *last = NULL;
    int changes = 0, runs = 0;
    bool seeds_differ = false;
    for (int p = 0; p < reader->past_count; p++) {
        if (!outcomes[p].there || outcomes[p].verdict == REVIEW_NOT_RUN)
            continue;
        runs++;
        if (last && last->layer_seed == outcomes[p].layer_seed) {
            changes += failing(last->verdict) != failing(outcomes[p].verdict);
            seeds_differ = seeds_differ || last->seed != outcomes[p].seed;
        }
        last = &outcomes[p];
    }
    if (changes < ALTERNATIONS)
        return;
    char *text = xprintf("changed %d times between passing and failing in %d nights%s", changes, runs,
                         seeds_differ ? ", with other seeds" : "");
    test->flaky = REVIEW_ALTERNATES;
    test->flaky_text = keep(reader->review, text);
    free(text);
}

static void compare(struct reader *reader) {
    struct review *review = reader->review;
    for (size_t i = 0; i < review->test_count; i++) {
        struct review_test *test = &review->tests[i];
        const struct outcome *outcomes = &reader->outcomes[i * REVIEW_PAST];
        set_past(reader, test, outcomes);
        if (!find_difference(reader, test, outcomes))
            find_alternation(reader, test, outcomes);
        if (review->before == 0)
            continue;
        if (test->same && test->verdict == VERDICT_PASS && test->before == VERDICT_PASS && test->cycles > 0 &&
            test->cycles_before > 0)
            test->ratio = (double)test->cycles / (double)test->cycles_before;
        test->new_failure = test->state == REVIEW_FAILED && !failing(test->before);
        test->new_pass = test->state == REVIEW_PASSED && test->was_there && failing(test->before);
    }
}

/* ---- buckets and faults ---- */

static bool all_known(const struct review_bucket *bucket) {
    return bucket->known > 0 && (int64_t)bucket->known >= bucket->count;
}

static int bucket_order(const void *left, const void *right) {
    const struct review_bucket *a = left, *b = right;
    if (all_known(a) != all_known(b))
        return all_known(a) ? 1 : -1;
    if (a->fresh != b->fresh)
        return a->fresh ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static bool read_buckets(struct reader *reader) {
    struct review *review = reader->review;
    struct query query = query_begin(
        reader->db, reader->err,
        "SELECT number, signature, title, engine, tap, kind, shrunk, command, page, count, shrunk_cycles, smallest, "
        "(SELECT min(night) FROM bucket AS b JOIN night AS n ON b.night = n.id WHERE b.signature = bucket.signature "
        "AND n.plan = ?2 AND n.kind = ?3 AND n.id <= ?1) AS first, (SELECT count(DISTINCT night) FROM bucket AS b JOIN "
        "night AS n ON b.night = n.id WHERE b.signature = bucket.signature AND n.plan = ?2 AND n.kind = ?3 AND n.id <= "
        "?1) AS nights, EXISTS (SELECT 1 FROM bucket AS b WHERE b.night = ?4 AND b.signature = bucket.signature) AS "
        "was_there, shrunk_command, note FROM bucket WHERE night = ?1 ORDER BY number",
        "issi", review->night, review->plan, review->kind, review->before);
    while (query_next(&query)) {
        review->buckets = xgrow(review->buckets, review->bucket_count, sizeof *review->buckets);
        struct review_bucket *bucket = &review->buckets[review->bucket_count++];
        *bucket = (struct review_bucket){.number = query_number(&query, "number"),
                                         .count = query_number(&query, "count"),
                                         .shrunk_cycles = query_number(&query, "shrunk_cycles"),
                                         .first = query_number(&query, "first"),
                                         .nights = query_number(&query, "nights"),
                                         .fresh = review->before > 0 && !query_number(&query, "was_there"),
                                         .smallest = -1};
        TAKE_TEXTS(reader, &query, {"signature", &bucket->signature}, {"title", &bucket->title},
                   {"engine", &bucket->engine}, {"tap", &bucket->tap}, {"kind", &bucket->kind},
                   {"shrunk", &bucket->shrunk}, {"command", &bucket->command}, {"page", &bucket->page},
                   {"shrunk_command", &bucket->shrunk_command}, {"note", &bucket->note});
        const int64_t smallest = query_number(&query, "smallest");
        for (size_t i = 0; i < review->test_count && bucket->smallest < 0; i++)
            if (review->tests[i].number == smallest)
                bucket->smallest = (int)i;
    }
    if (!query_end(&query))
        return false;
    for (size_t i = 0; i < review->test_count; i++)
        if (review->tests[i].state == REVIEW_KNOWN)
            for (size_t b = 0; b < review->bucket_count; b++)
                review->buckets[b].known += review->buckets[b].number == reader->buckets[i];
    for (size_t b = 0; b < review->bucket_count; b++)
        review->buckets[b].fresh = review->buckets[b].fresh && !all_known(&review->buckets[b]);
    if (review->bucket_count > 0)
        qsort(review->buckets, review->bucket_count, sizeof *review->buckets, bucket_order);
    for (size_t i = 0; i < review->test_count; i++) {
        struct review_test *test = &review->tests[i];
        for (size_t b = 0; b < review->bucket_count && test->bucket < 0 && reader->buckets[i] >= 0; b++)
            if (review->buckets[b].number == reader->buckets[i])
                test->bucket = (int)b;
    }
    return true;
}

static bool read_faults(struct reader *reader) {
    struct review *review = reader->review;
    struct query query =
        query_begin(reader->db, reader->err,
                    "SELECT number, folder, file, module, original, changed, statement, state, noticed_by, verdict, "
                    "reason, line, runs FROM fault WHERE night = ? ORDER BY folder, file, line, number",
                    "i", review->night);
    while (query_next(&query)) {
        review->faults = xgrow(review->faults, review->fault_count, sizeof *review->faults);
        struct review_fault *fault = &review->faults[review->fault_count++];
        *fault = (struct review_fault){.number = query_number(&query, "number"),
                                       .line = query_number(&query, "line"),
                                       .runs = query_number(&query, "runs")};
        TAKE_TEXTS(reader, &query, {"folder", &fault->folder}, {"file", &fault->file}, {"module", &fault->module},
                   {"original", &fault->original}, {"changed", &fault->changed}, {"statement", &fault->statement},
                   {"state", &fault->state}, {"noticed_by", &fault->noticed_by}, {"verdict", &fault->verdict},
                   {"reason", &fault->reason});
        if (!fault->state)
            review->fault_open++;
        else if (strcmp(fault->state, "noticed") == 0)
            review->noticed++;
        else if (strcmp(fault->state, "survived") == 0)
            review->survived++;
        else if (strcmp(fault->state, "unreached") == 0)
            review->unreached++;
        else
            review->equivalent++;
    }
    return query_end(&query);
}

/* ---- coverage ---- */

/* Bins of tests that another version of nvcosim ran, before --resume, are left out. */
static bool read_coverage(struct reader *reader) {
    struct review *review = reader->review;
    struct query query =
        query_begin(reader->db, reader->err, "SELECT coverage FROM result WHERE night = ? AND coverage IS NOT NULL",
                    "i", review->night);
    while (query_next(&query)) {
        size_t n;
        const void *bits = query_blob(&query, "coverage", &n);
        if (!review->coverage)
            review->coverage = coverage_new();
        if (bits)
            review->covered += coverage_add_bits(review->coverage, bits, n);
    }
    return query_end(&query);
}

/* ---- trends ---- */

static bool read_trends(struct reader *reader) {
    struct review *review = reader->review;
    struct query query = query_begin(
        reader->db, reader->err,
        "SELECT id, count(number) AS tests, sum(verdict = 'PASS') AS passed, sum(verdict <> 'PASS' AND known IS NULL) "
        "AS failed, sum(verdict <> 'PASS' AND known IS NOT NULL) AS known, sum(number IS NOT NULL AND verdict IS NULL) "
        "AS open, sum(CASE WHEN dut <> 'model' THEN cycles END) AS cycles, sum(CASE WHEN dut <> 'model' THEN "
        "cpu_seconds END) AS cpu_seconds, (SELECT count(*) FROM fault WHERE fault.night = id) AS faults, (SELECT "
        "count(*) FROM fault WHERE fault.night = id AND fault.state = 'noticed') AS noticed, (SELECT count(*) FROM "
        "fault WHERE fault.night = id AND fault.state = 'equivalent') AS equivalent, night.seconds AS seconds, "
        "started, revision, folder, state FROM night LEFT JOIN result ON result.night = id WHERE id IN (SELECT id FROM "
        "night WHERE id <= ? AND plan = ? AND kind = ? AND selected IS ? ORDER BY id DESC LIMIT ?) GROUP BY id ORDER "
        "BY id",
        "isssi", review->night, review->plan, review->kind, review->selected, (int64_t)REVIEW_TRENDS);
    while (query_next(&query)) {
        review->trends = xgrow(review->trends, review->trend_count, sizeof *review->trends);
        struct review_trend *trend = &review->trends[review->trend_count++];
        *trend = (struct review_trend){.night = query_number(&query, "id"),
                                       .tests = query_number(&query, "tests"),
                                       .passed = query_number(&query, "passed"),
                                       .failed = query_number(&query, "failed"),
                                       .known = query_number(&query, "known"),
                                       .open = query_number(&query, "open"),
                                       .cycles = query_number(&query, "cycles"),
                                       .cpu_seconds = query_real(&query, "cpu_seconds"),
                                       .faults = query_number(&query, "faults"),
                                       .noticed = query_number(&query, "noticed"),
                                       .equivalent = query_number(&query, "equivalent"),
                                       .seconds = query_real(&query, "seconds"),
                                       .started = text_of(reader, &query, "started"),
                                       .revision = text_of(reader, &query, "revision"),
                                       .folder = text_of(reader, &query, "folder"),
                                       .state = text_of(reader, &query, "state")};
    }
    return query_end(&query);
}

static bool read_speeds(struct reader *reader) {
    struct review *review = reader->review;
    struct query query = query_begin(
        reader->db, reader->err,
        "SELECT night, config, sum(cycles) / sum(cpu_seconds) AS hertz FROM result WHERE night IN (SELECT id FROM "
        "night WHERE id <= ? AND plan = ? AND kind = ? AND selected IS ? ORDER BY id DESC LIMIT ?) AND dut "
        "<> 'model' AND cycles > 0 AND cpu_seconds > 0 GROUP BY config, night ORDER BY config, night",
        "isssi", review->night, review->plan, review->kind, review->selected, (int64_t)REVIEW_TRENDS);
    while (query_next(&query)) {
        int trend = 0;
        while ((size_t)trend + 1 < review->trend_count && review->trends[trend].night != query_number(&query, "night"))
            trend++;
        review->speeds = xgrow(review->speeds, review->speed_count, sizeof *review->speeds);
        review->speeds[review->speed_count++] =
            (struct review_speed){trend, text_of(reader, &query, "config"), query_real(&query, "hertz")};
    }
    return query_end(&query);
}

/* ---- all of it ---- */

static void count(struct review *review) {
    for (size_t i = 0; i < review->test_count; i++) {
        const struct review_test *test = &review->tests[i];
        review->passed += test->state == REVIEW_PASSED;
        review->failed += test->state == REVIEW_FAILED;
        review->known += test->state == REVIEW_KNOWN;
        review->open += test->state == REVIEW_OPEN;
        if (test->verdict != REVIEW_NOT_RUN)
            review->verdicts[test->verdict]++;
        review->new_failures += test->new_failure;
        review->new_passes += test->new_pass;
        review->flaky += test->flaky != REVIEW_STEADY;
        review->expired += test->excuse && !test->known;
        review->excused_pass += test->known && test->state == REVIEW_PASSED;
        review->cycles += test->cycles;
        review->cpu_seconds += test->cpu_seconds;
    }
    for (size_t i = 0; i < review->bucket_count; i++) {
        review->fresh_buckets += review->buckets[i].fresh;
        review->failed_buckets += !all_known(&review->buckets[i]);
    }
}

static bool read_all(struct reader *reader, int64_t night) {
    if (!read_night(reader, night) || !find_before(reader) || !read_tests(reader))
        return false;
    sort_keys(reader);
    if (!read_past(reader))
        return false;
    compare(reader);
    if (!read_buckets(reader) || !read_faults(reader) || !read_coverage(reader) || !read_trends(reader) ||
        !read_speeds(reader))
        return false;
    count(reader->review);
    return true;
}

struct review *review_read(sqlite3 *db, int64_t night, struct error *err) {
    struct reader reader = {.review = xcalloc(1, sizeof *reader.review), .db = db, .err = err};
    /* One transaction, unless the caller is within one: what is read belongs together. */
    const bool own = sqlite3_get_autocommit(db) && sqlite3_exec(db, "BEGIN", NULL, NULL, NULL) == SQLITE_OK;
    const bool fine = read_all(&reader, night);
    if (own)
        sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
    for (int i = 0; i < reader.past_count; i++)
        free(reader.past[i].revision);
    free(reader.places);
    free(reader.buckets);
    free(reader.outcomes);
    if (fine)
        return reader.review;
    review_free(reader.review);
    return NULL;
}

void review_free(struct review *review) {
    if (!review)
        return;
    for (size_t i = 0; i < review->string_count; i++)
        free(review->strings[i]);
    free(review->strings);
    free(review->tests);
    free(review->buckets);
    free(review->faults);
    free(review->trends);
    free(review->speeds);
    coverage_free(review->coverage);
    free(review);
}
