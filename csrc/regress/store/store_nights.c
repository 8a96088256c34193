/* Nights, their tests and results in the database of regressions. See store.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/store/query.h"
#include "regress/store/revision.h"
#include "regress/store/signature.h"
#include "regress/store/store.h"
#include "regress/store/store_sql.h"
#include "run/session/session.h"

enum { HISTORY = 5 /* results that tell how long a test takes */ };

#define NOW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"

/* ---- this process and others ---- */

static int cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

static char *host_name(void) {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return xstrdup(name);
}

/* Boot of the host and when the process started after it, which no other process of the same number has in common with
 * it. NULL if there is no such process, or it has ended and nobody has taken leave of it yet. free() it. */
static char *birth_of(int64_t pid) {
    enum { STATE = 1, START = 20 /* fields behind the name, see proc(5) */ };
    struct error err;
    char *path = xprintf("/proc/%" PRId64 "/stat", pid), *stat = NULL, *boot = NULL, *birth = NULL;
    size_t n;
    if (file_read(path, &stat, &n, &err) && file_read("/proc/sys/kernel/random/boot_id", &boot, &n, &err)) {
        char *rest = strrchr(stat, ')'), *word = NULL;
        char state = 'X';
        for (int field = 0; rest && field <= START; field++) {
            word = strsep(&rest, " ");
            if (field == STATE)
                state = word[0];
        }
        boot[strcspn(boot, "\n")] = '\0';
        if (word && state != 'Z' && state != 'X')
            birth = xprintf("%s/%s", boot, word);
    }
    free(path);
    free(stat);
    free(boot);
    return birth;
}

/* ---- begin and end ---- */

/* Sets host, cores, pid and birth of the runner; free() what `held` names when the statement has run. */
static void set_runner(sqlite3_stmt *statement, char *held[2]) {
    held[0] = host_name();
    held[1] = birth_of(getpid());
    set_text(statement, ":host", held[0]);
    set_number(statement, ":cores", cores());
    set_number(statement, ":pid", getpid());
    set_text(statement, ":birth", held[1] ? held[1] : "");
}

static bool add_night(struct store *store, const struct night_facts *facts, const char *directory,
                      const struct revision *revision, const char *doing, struct error *err) {
    sqlite3_stmt *statement = store_prepare(
        store,
        "INSERT INTO night (kind, plan, plan_path, plan_text, selected, seed, state, started, host, cores, pid, birth, "
        "version, directory, revision, dirty, engine, command, folder) VALUES (:kind, :plan, :plan_path, :plan_text, "
        ":selected, :seed, 'running', " NOW ", :host, :cores, :pid, :birth, :version, :directory, :revision, "
        "nullif(:dirty, -1), :engine, :command, :folder)",
        doing, err);
    if (!statement)
        return false;
    char *held[2];
    set_text(statement, ":kind", facts->kind);
    set_text(statement, ":plan", facts->plan);
    set_text(statement, ":plan_path", facts->plan_path);
    set_text(statement, ":plan_text", facts->plan_text);
    set_text(statement, ":selected", facts->selected);
    set_number(statement, ":seed", (int64_t)facts->seed);
    set_runner(statement, held);
    set_text(statement, ":version", facts->version);
    set_text(statement, ":directory", directory);
    set_text(statement, ":revision", revision->commit);
    set_number(statement, ":dirty", revision->dirty);
    set_text(statement, ":engine", facts->engine);
    set_text(statement, ":command", facts->command);
    set_text(statement, ":folder", facts->folder);
    const bool well = store_step(store, statement, doing, err);
    sqlite3_finalize(statement);
    free(held[0]);
    free(held[1]);
    return well;
}

static void set_test(sqlite3_stmt *statement, const struct test *test, const char *json, const char *tags) {
    char name[512];
    set_text(statement, ":key", test->key);
    set_text(statement, ":test", json);
    set_text(statement, ":item", test->item);
    sqlite3_bind_text(statement, sqlite3_bind_parameter_index(statement, ":trace"),
                      trace_name(test->trace, name, sizeof name), -1, SQLITE_TRANSIENT);
    set_text(statement, ":path", test->trace);
    set_text(statement, ":config", test->config);
    set_text(statement, ":dut", test->dut);
    set_text(statement, ":memory", test->memory ? test->memory : "");
    set_number(statement, ":seed", (int64_t)test->seed);
    if (test->generator)
        set_number(statement, ":layer_seed", (int64_t)test->layer_seed);
    else
        set_text(statement, ":layer_seed", NULL);
    set_text(statement, ":tags", tags);
    set_text(statement, ":known", test->known);
}

static bool add_tests(struct store *store, int64_t night, const struct test_list *tests, const char *doing,
                      struct error *err) {
    store_check(store, false);
    sqlite3_stmt *statement =
        store_prepare(store,
                      "INSERT INTO result (night, number, key, test, item, trace, path, config, dut, memory, seed, "
                      "layer_seed, tags, known) VALUES (:night, :number, :key, :test, :item, :trace, :path, :config, "
                      ":dut, :memory, :seed, :layer_seed, :tags, :known)",
                      doing, err);
    bool well = statement != NULL;
    for (size_t i = 0; well && i < tests->count; i++) {
        const struct test *test = &tests->tests[i];
        char *json = test_json(test);
        struct text tags = {0};
        text_add(&tags, " ", 1);
        for (size_t j = 0; j < test->tags.count; j++)
            text_printf(&tags, "%s ", test->tags.items[j]);
        set_number(statement, ":night", night);
        set_number(statement, ":number", (int64_t)i);
        set_test(statement, test, json, tags.text);
        well = store_step(store, statement, doing, err);
        free(json);
        free(tags.text);
    }
    sqlite3_finalize(statement);
    store_check(store, true);
    return well;
}

/* Where what is tested stands: the folder that is named, else that of the runner, or of the plan if only that one is in
 * git. free() the folder and the commit. */
static char *tested_folder(const struct night_facts *facts, struct revision *revision) {
    const char *slash = strrchr(facts->plan_path, '/');
    char *plan = xstrndup(facts->plan_path, slash ? (size_t)(slash - facts->plan_path) + 1 : 0),
         *folder = realpath(facts->directory ? facts->directory : ".", NULL);
    *revision = folder ? revision_of(folder) : (struct revision){.dirty = -1};
    if (!revision->commit && !facts->directory && plan[0]) {
        *revision = revision_of(plan);
        if (revision->commit) {
            free(folder);
            folder = realpath(plan, NULL);
        }
    }
    free(plan);
    return folder;
}

int64_t store_begin(struct store *store, const struct night_facts *facts, const struct test_list *tests,
                    struct error *err) {
    static const char doing[] = "the night cannot be begun";
    struct revision revision;
    char *folder = tested_folder(facts, &revision);
    int64_t night = -1;
    if (store_transaction(store, doing, err)) {
        bool well = add_night(store, facts, folder ? folder : "", &revision, doing, err);
        night = sqlite3_last_insert_rowid(store->database);
        well = well && add_tests(store, night, tests, doing, err);
        if (!store_end(store, well, doing, err))
            night = -1;
    }
    free(revision.commit);
    free(folder);
    return night;
}

bool store_state(struct store *store, int64_t night, const char *state, double seconds, struct error *err) {
    static const char doing[] = "the state of the night cannot be kept";
    const bool running = strcmp(state, "running") == 0;
    sqlite3_stmt *statement = store_prepare(store,
                                            running ? "UPDATE night SET state = :state, seconds = seconds + :seconds, "
                                                      "host = :host, cores = :cores, pid = :pid, birth = :birth "
                                                      "WHERE id = :night"
                                                    : "UPDATE night SET state = :state, seconds = seconds + :seconds, "
                                                      "ended = " NOW " WHERE id = :night",
                                            doing, err);
    if (!statement)
        return false;
    char *held[2] = {NULL, NULL};
    set_text(statement, ":state", state);
    set_real(statement, ":seconds", seconds);
    set_number(statement, ":night", night);
    if (running)
        set_runner(statement, held);
    bool well = store_step(store, statement, doing, err);
    if (well && sqlite3_changes(store->database) == 0)
        well = error_set(err, "%s: there is no night %" PRId64, store->path, night);
    sqlite3_finalize(statement);
    free(held[0]);
    free(held[1]);
    return well;
}

bool store_folder(struct store *store, int64_t night, const char *folder, struct error *err) {
    static const char doing[] = "the folder of the night cannot be kept";
    sqlite3_stmt *statement = store_prepare(store, "UPDATE night SET folder = :folder WHERE id = :night", doing, err);
    if (!statement)
        return false;
    set_text(statement, ":folder", folder);
    set_number(statement, ":night", night);
    const bool well = store_step(store, statement, doing, err);
    sqlite3_finalize(statement);
    return well;
}

/* ---- results ---- */

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

/* Bytes of hex digits; NULL: there are none, or something else stands there. free() it. */
static unsigned char *bytes_of(const char *hex, size_t *n) {
    *n = hex ? strlen(hex) / 2 : 0;
    if (*n == 0 || strspn(hex, "0123456789abcdef") != 2 * *n)
        return NULL;
    unsigned char *bytes = xmalloc(*n);
    for (size_t i = 0; i < *n; i++)
        bytes[i] = (unsigned char)(digit_of(hex[2 * i]) << 4 | digit_of(hex[2 * i + 1]));
    return bytes;
}

/* Figures that nobody measured are NULL. */
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
            "memory_peak = :memory_peak, coverage = :coverage, host = :host, "
            "ended = strftime('%Y-%m-%dT%H:%M:%SZ', :at, 'unixepoch'), report = :report, "
            "page = :page, command = :command, debug_command = :debug_command, result = :result "
            "WHERE night = :night AND number = :number AND verdict IS NULL",
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

/* ---- what is there ---- */

enum runner store_runner(const char *host, int64_t pid, const char *birth) {
    char *here = host_name(), *found = birth_of(pid);
    const enum runner runner = strcmp(host, here) != 0              ? RUNNER_ELSEWHERE
                               : found && strcmp(found, birth) == 0 ? RUNNER_LIVES
                                                                    : RUNNER_GONE;
    free(here);
    free(found);
    return runner;
}

/* True if the runner of a night that is 'running' is gone; false with a message. */
static bool is_gone(const struct store *store, struct query *night, struct error *err) {
    const int64_t id = query_number(night, "id"), pid = query_number(night, "pid");
    const char *host = query_text(night, "host"), *started = query_text(night, "started");
    switch (store_runner(host, pid, query_text(night, "birth"))) {
    case RUNNER_ELSEWHERE:
        return error_set(err, "%s: night %" PRId64 ", begun %s, runs on %s as process %" PRId64 "; resume it there",
                         store->path, id, started, host, pid);
    case RUNNER_LIVES:
        return error_set(err,
                         "%s: night %" PRId64 ", begun %s, is still running as process %" PRId64 "; end that one first",
                         store->path, id, started, pid);
    case RUNNER_GONE:
        break;
    }
    return true;
}

int64_t store_unfinished(struct store *store, const char *plan, struct error *err) {
    struct query query = query_begin(store->database, err,
                                     "SELECT id, host, pid, birth, started, state FROM night WHERE plan = ? AND state "
                                     "<> 'done' ORDER BY id DESC",
                                     "s", plan);
    int64_t found = 0;
    while (found <= 0 && query_next(&query)) {
        const bool runs = strcmp(query_text(&query, "state"), "running") == 0;
        found = !runs || is_gone(store, &query, err) ? query_number(&query, "id") : -1;
    }
    return query_end(&query) ? found : -1;
}

bool store_tests(struct store *store, int64_t night, struct test_list *tests, bool **done, struct error *err) {
    *tests = (struct test_list){0};
    *done = NULL;
    struct query query = query_begin(store->database, err,
                                     "SELECT number, test, verdict IS NOT NULL AS done FROM result WHERE night = ? "
                                     "ORDER BY number",
                                     "i", night);
    bool well = true;
    while (well && query_next(&query)) {
        const size_t at = tests->count;
        tests->tests = xgrow(tests->tests, at, sizeof *tests->tests);
        *done = xgrow(*done, at, sizeof **done);
        well = query_number(&query, "number") == (int64_t)at
                   ? test_parse(query_text(&query, "test"), &tests->tests[at], err)
                   : error_set(err, "a test is missing");
        if (!well)
            error_prefix(err, "%s: night %" PRId64 ", test %zu: ", store->path, night, at);
        (*done)[at] = query_number(&query, "done") != 0;
        tests->count += well;
    }
    well = query_end(&query) && well;
    if (!well) {
        test_list_free(tests);
        free(*done);
        *done = NULL;
    }
    return well;
}

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
