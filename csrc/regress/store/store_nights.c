/* Nights and their tests in the database of regressions. See store.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/store/query.h"
#include "regress/store/revision.h"
#include "regress/store/store.h"
#include "regress/store/store_sql.h"
#include "run/process/process.h"
#include "trace/formats.h"

#define NOW "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"

/* ---- this process and others ---- */

static char *host_name(void) {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return xstrdup(name);
}

/* The boot of the host and when the process started after it: no other process of the same number has both. NULL if
 * there is no such process, or it is a zombie. free() it. */
static char *birth_of(int64_t pid) {
    enum { STATE = 1, START = 20 /* fields after the name, see proc(5) */ };
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
    set_number(statement, ":cores", process_cores());
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

/* The folder of what is tested: the one that is given, else that of the runner, or of the plan if only that is in git.
 * free() the folder and the commit. */
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
