/* Results in the database of regressions, and how long tests have taken by them. See store.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nvdla/xalloc.h"
#include "regress/store/query.h"
#include "regress/store/signature.h"
#include "regress/store/store.h"
#include "regress/store/store_sql.h"

enum { HISTORY = 5 /* results by which the time of a test is expected */ };

/* What of a path lies below a folder; NULL: it does not. */
static const char *path_below(const char *folder, const char *path) {
    const size_t n = strlen(folder);
    return n > 0 && strncmp(path, folder, n) == 0 && path[n] == '/' ? path + n + 1 : NULL;
}

/* A path inside the folder of the night without the folder, another one as it is; NULL stays NULL. free() it. */
static char *inside(const char *folder, const char *path) {
    if (!path)
        return NULL;
    const char *below = path_below(folder, path);
    if (below)
        return xstrdup(below);
    char *real = realpath(path, NULL), *base = realpath(folder, NULL);
    below = path_below(base ? base : folder, real ? real : path);
    char *rest = xstrdup(below ? below : path);
    free(real);
    free(base);
    return rest;
}

/* "SDP #0 surface 0, line 1, column 2, channel 3: primary 0xa0000000, 128 bytes, cycle 8339"; NULL: nothing differs. */
static char *describe(const struct result_mismatch *mismatch) {
    struct text text = {0};
    if (!mismatch->space)
        return NULL;
    if (mismatch->unit)
        text_printf(&text, "%s #%d %s: ", mismatch->unit, mismatch->launch, mismatch->element ? mismatch->element : "");
    text_printf(&text, "%s 0x%" PRIx64 ", %" PRIu64 " byte%s", mismatch->space, mismatch->address, mismatch->bytes,
                mismatch->bytes == 1 ? "" : "s");
    if (mismatch->golden)
        text_printf(&text, ", from a golden");
    if (mismatch->cycle)
        text_printf(&text, ", cycle %" PRIu64, mismatch->cycle);
    return text.text;
}

static unsigned digit_of(char digit) {
    return (unsigned)(digit < 'a' ? digit - '0' : digit - 'a' + 10);
}

/* Bytes of hex digits; NULL: there are none, or other characters. free() it. */
static unsigned char *bytes_of(const char *hex, size_t *n) {
    *n = hex ? strlen(hex) / 2 : 0;
    if (*n == 0 || strspn(hex, "0123456789abcdef") != 2 * *n)
        return NULL;
    unsigned char *bytes = xmalloc(*n);
    for (size_t i = 0; i < *n; i++)
        bytes[i] = (unsigned char)(digit_of(hex[2 * i]) << 4 | digit_of(hex[2 * i + 1]));
    return bytes;
}

/* Figures that were not measured are NULL. */
static void set_measured(sqlite3_stmt *statement, const char *name, bool measured, uint64_t value) {
    if (measured)
        set_number(statement, name, (int64_t)value);
    else
        set_text(statement, name, NULL);
}

/* The folder of the night; NULL with a message. */
static char *folder_of(struct store *store, int64_t night, struct error *err) {
    struct query query = query_begin(store->database, err, "SELECT folder FROM night WHERE id = ?", "i", night);
    char *folder = query_next(&query) ? query_copy(&query, "folder") : NULL;
    if (query_end(&query) && !folder)
        error_set(err, "%s: there is no night %" PRId64, store->path, night);
    return folder;
}

/* Why no row was changed. Returns false. */
static bool explain_unchanged(struct store *store, int64_t night, size_t number, struct error *err) {
    struct query query = query_begin(store->database, err, "SELECT verdict FROM result WHERE night = ? AND number = ?",
                                     "ii", night, (int64_t)number);
    if (query_next(&query))
        error_set(err, "%s: test %zu of night %" PRId64 " has its result already: %s", store->path, number, night,
                  query_text(&query, "verdict"));
    else if (!query.failed)
        error_set(err, "%s: night %" PRId64 " has no test %zu", store->path, night, number);
    query_end(&query);
    return false;
}

/* Makes the statement ready that keeps results of a night. False with a message. */
static bool ready_to_keep(struct store *store, int64_t night, const char *doing, struct error *err) {
    if (!store->keep)
        store->keep = store_prepare(
            store,
            "UPDATE result SET verdict = :verdict, reason = :reason, signature = :signature, mismatch = :mismatch, "
            "cycles = :cycles, op_cycles = :op_cycles, macs = :macs, seconds = :seconds, cpu_seconds = :cpu_seconds, "
            "memory_peak = :memory_peak, coverage = :coverage, host = :host, ended = strftime('%Y-%m-%dT%H:%M:%SZ', "
            ":at, 'unixepoch'), report = :report, page = :page, command = :command, debug_command = :debug_command, "
            "result = :result WHERE night = :night AND number = :number AND verdict IS NULL",
            doing, err);
    if (store->keep && (!store->folder || store->night != night)) {
        free(store->folder);
        store->folder = folder_of(store, night, err);
        store->night = night;
    }
    return store->keep && store->folder;
}

/* Keeps a row with the statement that is ready. */
static bool keep_row(struct store *store, const struct store_row *row, const char *doing, struct error *err) {
    sqlite3_stmt *statement = store->keep;
    const struct result *result = row->result;
    const char *folder = store->folder;
    struct result plain = *result;
    plain.coverage = NULL;
    const struct result_device *first = &result->devices[0];
    const bool clocked = result->device_count > 0 && first->clocked, played = result->device_count > 0;
    char *signature = result_signature(result), *mismatch = describe(&result->mismatch),
         *report = inside(folder, result->report), *page = inside(folder, result->page), *json = result_json(&plain);
    size_t n;
    unsigned char *coverage = bytes_of(result->coverage, &n);
    set_text(statement, ":verdict", verdict_names[result->verdict]);
    set_text(statement, ":reason", result->reason);
    set_text(statement, ":signature", signature);
    set_text(statement, ":mismatch", mismatch);
    set_measured(statement, ":cycles", clocked, first->cycles);
    set_measured(statement, ":op_cycles", clocked, first->op_cycles);
    set_measured(statement, ":macs", played, result->macs);
    set_real(statement, ":seconds", result->seconds);
    set_real(statement, ":cpu_seconds", result->cpu_seconds);
    set_measured(statement, ":memory_peak", result->memory_peak > 0, result->memory_peak);
    set_blob(statement, ":coverage", coverage, n);
    set_text(statement, ":host", row->host);
    set_number(statement, ":at", row->at ? row->at : (int64_t)time(NULL));
    set_text(statement, ":report", report);
    set_text(statement, ":page", page);
    set_text(statement, ":command", result->command);
    set_text(statement, ":debug_command", result->debug_command);
    set_text(statement, ":result", json);
    set_number(statement, ":night", store->night);
    set_number(statement, ":number", (int64_t)row->number);
    bool well = store_step(store, statement, doing, err);
    if (well && sqlite3_changes(store->database) == 0)
        well = explain_unchanged(store, store->night, row->number, err);
    sqlite3_clear_bindings(statement);
    free(signature);
    free(mismatch);
    free(report);
    free(page);
    free(json);
    free(coverage);
    return well;
}

bool store_results(struct store *store, int64_t night, const struct store_row *rows, size_t count, struct error *err) {
    static const char doing[] = "a result cannot be kept";
    if (!ready_to_keep(store, night, doing, err) || !store_transaction(store, doing, err))
        return false;
    bool well = true;
    store_check(store, false);
    for (size_t i = 0; well && i < count; i++)
        well = keep_row(store, &rows[i], doing, err);
    store_check(store, true);
    return store_end(store, well, doing, err);
}

bool store_result(struct store *store, int64_t night, size_t number, const char *host, const struct result *result,
                  struct error *err) {
    static const char doing[] = "a result cannot be kept";
    const struct store_row row = {.number = number, .host = host, .result = result};
    const bool well =
        store_run(store, "PRAGMA synchronous = NORMAL", doing, err) && store_results(store, night, &row, 1, err);
    return store_run(store, "PRAGMA synchronous = FULL", doing, well ? err : NULL) && well;
}

/* ---- how long tests have taken ---- */

static int compare_seconds(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median; of two in the middle the greater. */
static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare_seconds);
    return values[count / 2];
}

bool store_expect(struct store *store, struct test_list *tests, struct error *err) {
    static const char doing[] = "the history of the tests cannot be read";
    sqlite3_stmt *statement = store_prepare(
        store,
        "SELECT seconds FROM result WHERE key = :key AND verdict NOT IN ('CRASH', 'ERROR') ORDER BY night "
        "DESC LIMIT :most",
        doing, err);
    bool well = statement != NULL;
    for (size_t i = 0; well && i < tests->count; i++) {
        double seconds[HISTORY];
        int count = 0, code;
        set_text(statement, ":key", tests->tests[i].key);
        set_number(statement, ":most", HISTORY);
        while ((code = sqlite3_step(statement)) == SQLITE_ROW)
            seconds[count++] = sqlite3_column_double(statement, 0);
        well = code == SQLITE_DONE || store_error(store, doing, err);
        sqlite3_reset(statement);
        tests->tests[i].expected_seconds = count > 0 ? median(seconds, count) : -1;
    }
    sqlite3_finalize(statement);
    return well;
}
