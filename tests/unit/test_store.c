/* The database of regressions: what is kept is on the disk and is kept once, several processes write at a time, older
 * databases are brought up to date in one piece, and files that are none are refused with a word that helps. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/store/migrate.h"
#include "regress/store/revision.h"
#include "regress/store/signature.h"
#include "regress/store/store.h"
#include "run/process/process.h"

#include <cmocka.h> /* behind regress/plan/test.h: it has a macro test_free() */

enum { WRITERS = 4, TESTS = 40 };

static char folder[] = "/tmp/test_store_XXXXXX";

static char *path_of(const char *name) {
    return xprintf("%s/%s", folder, name);
}

static struct test_list some_tests(size_t count) {
    struct test_list list = {.tests = xcalloc(count, sizeof *list.tests), .count = count};
    for (size_t i = 0; i < count; i++) {
        list.tests[i] = (struct test){.key = xprintf("item/t%zu", i),
                                      .item = xstrdup("item"),
                                      .trace = xprintf("traces/small/t%zu.nvt.gz", i),
                                      .config = xstrdup("small"),
                                      .dut = xstrdup("both"),
                                      .memory = xstrdup(""),
                                      .seed = INT64_MAX - i,
                                      .expected_seconds = -1};
        words_add(&list.tests[i].tags, "fast");
        words_add(&list.tests[i].tags, "conv");
    }
    return list;
}

static int64_t begin(struct store *store, const struct test_list *tests) {
    struct error err;
    const struct night_facts facts = {.kind = "regress",
                                      .plan = "nightly",
                                      .plan_path = "plans/nightly.yml",
                                      .plan_text = "name: nightly\n",
                                      .version = "1.2",
                                      .engine = "local",
                                      .command = "nvcosim regress nightly",
                                      .folder = "/nights/1",
                                      .seed = 7};
    const int64_t night = store_begin(store, &facts, tests, &err);
    if (night < 0)
        fail_msg("%s", err.text);
    return night;
}

static struct result passed(size_t number) {
    struct result result = {.verdict = VERDICT_PASS,
                            .trace = xprintf("t%zu", number),
                            .path = xstrdup("t.nvt.gz"),
                            .config = xstrdup("small"),
                            .dut = xstrdup("rtl+model"),
                            .reason = xstrdup(""),
                            .coverage = xstrdup("0123456789abcdefff01"),
                            .report = xstrdup("/nights/1/reports/t/report.json"),
                            .page = xstrdup("/elsewhere/report.html"),
                            .macs = 77,
                            .seconds = 1.5 + (double)number,
                            .cpu_seconds = 1.25,
                            .memory_peak = 4096,
                            .device_count = 1};
    result.devices[0] = (struct result_device){
        .name = xstrdup("rtl"), .outcome = xstrdup("passed"), .clocked = true, .cycles = 13043, .op_cycles = 183};
    return result;
}

static void keep(struct store *store, int64_t night, size_t number) {
    struct error err;
    struct result result = passed(number);
    if (!store_result(store, night, number, "host", &result, &err))
        fail_msg("%s", err.text);
    result_free(&result);
}

static struct store *opened(const char *path) {
    struct error err;
    struct store *store = store_open(path, true, &err);
    if (!store)
        fail_msg("%s", err.text);
    return store;
}

/* The first column of the first row as text; free() it. */
static char *ask(struct store *store, const char *sql) {
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(store_database(store), sql, -1, &statement, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(store_database(store)));
    const int code = sqlite3_step(statement);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    char *answer = xstrdup(code != SQLITE_ROW ? sqlite3_errmsg(store_database(store)) : text ? text : "NULL");
    sqlite3_finalize(statement);
    return answer;
}

static void expect(struct store *store, const char *sql, const char *expected) {
    char *answer = ask(store, sql);
    if (strcmp(answer, expected) != 0)
        fail_msg("%s: found %s, expected %s", sql, answer, expected);
    free(answer);
}

static void night_and_results(void **state) {
    (void)state;
    char *path = path_of("a/b/nights.db"); /* folders are made */
    struct store *store = opened(path);
    struct test_list tests = some_tests(3), read;
    struct error err;
    bool *done;
    char host[256] = "", facts[400];
    gethostname(host, sizeof host - 1);
    snprintf(facts, sizeof facts, "runningregressnightly7%s111", host);
    expect(store, "PRAGMA journal_mode", "wal");
    expect(store, "PRAGMA synchronous", "2");
    expect(store, "PRAGMA user_version", "2");
    tests.tests[1].generator = xstrdup("mix");
    tests.tests[1].layer_seed = 17;
    tests.tests[2].known = xstrdup("issue 123");
    const int64_t night = begin(store, &tests);
    assert_int_equal(night, 1);
    keep(store, night, 2);
    expect(store,
           "SELECT state || kind || plan || seed || host || (cores > 0) || (started LIKE '20__-__-__T__:__:__Z') || "
           "(birth <> '') FROM night",
           facts);
    expect(store,
           "SELECT group_concat(ifnull(layer_seed, '-') || ifnull(known, '-') || trace || '/' || seed || tags) FROM "
           "result",
           "--t0/9223372036854775807 fast conv ,17-t1/9223372036854775806 fast conv ,-issue 123t2/9223372036854775805 "
           "fast conv ");
    expect(store,
           "SELECT verdict || cycles || '/' || op_cycles || '/' || macs || '/' || seconds || '/' || memory_peak "
           "|| host || hex(coverage) || report || page FROM result WHERE number = 2",
           "PASS13043/183/77/3.5/4096host0123456789ABCDEFFF01reports/t/report.json/elsewhere/report.html");
    expect(store, "SELECT count(*) FROM result WHERE result LIKE '%coverage%'", "0");
    if (!store_tests(store, night, &read, &done, &err))
        fail_msg("%s", err.text);
    assert_int_equal(read.count, 3);
    assert_true(!done[0] && !done[1] && done[2]);
    assert_string_equal(read.tests[1].key, "item/t1");
    test_list_free(&read);
    free(done);
    struct result again = passed(2);
    assert_false(store_result(store, night, 2, "host", &again, &err));
    assert_non_null(strstr(err.text, "test 2 of night 1 has its result already: PASS"));
    assert_false(store_result(store, night, 3, "host", &again, &err));
    assert_non_null(strstr(err.text, "night 1 has no test 3"));
    assert_false(store_result(store, 9, 0, "host", &again, &err));
    assert_non_null(strstr(err.text, "there is no night 9"));
    result_free(&again);
    assert_true(store_expect(store, &tests, &err));
    assert_true(tests.tests[0].expected_seconds < 0 && tests.tests[2].expected_seconds == 3.5);
    assert_true(store_state(store, night, "interrupted", 2.5, &err) && store_state(store, night, "running", 1, &err));
    assert_false(store_state(store, night, "odd", 1, &err));
    assert_true(store_state(store, night, "done", 0, &err));
    expect(store, "SELECT state || seconds || (ended >= started) FROM night", "done3.51");
    test_list_free(&tests);
    store_close(store);
    free(path);
}

static void expected_time_is_the_median(void **state) {
    (void)state;
    static const double took[] = {9, 1, 2, 100, 3, 4}; /* the first is too long ago */
    char *path = path_of("median.db");
    struct store *store = opened(path);
    struct test_list tests = some_tests(1);
    struct error err;
    for (size_t i = 0; i < sizeof took / sizeof *took; i++) {
        const int64_t night = begin(store, &tests);
        struct result result = passed(0);
        result.seconds = took[i];
        assert_true(store_result(store, night, 0, "host", &result, &err));
        result_free(&result);
    }
    assert_true(store_expect(store, &tests, &err));
    assert_true(tests.tests[0].expected_seconds == 3);
    test_list_free(&tests);
    store_close(store);
    free(path);
}

/* ---- several processes ---- */

/* A night with all its results in a process of its own; says each that is kept. Returns its exit status. */
static int write_night(const char *path, int told) {
    struct error err = {.text = ""};
    struct store *store = store_open(path, true, &err);
    struct test_list tests = some_tests(TESTS);
    const int64_t night = store ? begin(store, &tests) : -1;
    bool well = store != NULL;
    for (size_t i = 0; well && i < TESTS; i++) {
        const int32_t fact[2] = {(int32_t)night, (int32_t)i};
        struct result result = passed(i);
        well = store_result(store, night, i, "host", &result, &err) && write(told, fact, sizeof fact) == sizeof fact;
        result_free(&result);
    }
    well = well && store_state(store, night, "done", 1, &err);
    if (!well)
        fprintf(stderr, "%s\n", err.text);
    store_close(store);
    test_list_free(&tests);
    return well ? 0 : 1;
}

static pid_t start_writer(const char *path, int told) {
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(write_night(path, told));
    return pid;
}

static void four_writers(void **state) {
    (void)state;
    char *path = path_of("writers.db");
    pid_t pids[WRITERS];
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    for (int i = 0; i < WRITERS; i++) /* the first of them makes the database */
        pids[i] = start_writer(path, ends[1]);
    for (int i = 0; i < WRITERS; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    struct store *store = opened(path);
    expect(store, "SELECT count(*) FROM night WHERE state = 'done'", "4");
    expect(store, "SELECT count(*) || '/' || count(DISTINCT night) FROM result WHERE verdict = 'PASS'", "160/4");
    expect(store, "PRAGMA integrity_check", "ok");
    expect(store, "SELECT count(*) FROM pragma_foreign_key_check", "0");
    store_close(store);
    close(ends[0]);
    close(ends[1]);
    free(path);
}

static void killed_writer_loses_nothing(void **state) {
    (void)state;
    char *path = path_of("killed.db");
    struct error err;
    for (int round = 0; round < 5; round++) {
        int ends[2], status, facts = 0;
        int32_t fact[2] = {0, 0};
        assert_int_equal(pipe(ends), 0);
        const pid_t pid = start_writer(path, ends[1]);
        close(ends[1]);
        while (read(ends[0], fact, sizeof fact) == sizeof fact)
            if (++facts == 3 * round + 1)
                kill(pid, SIGKILL);
        assert_int_equal(waitpid(pid, &status, 0), pid);
        close(ends[0]);
        struct store *store = opened(path);
        char *sql = xprintf("SELECT count(*) >= %d FROM result WHERE night = %d AND verdict = 'PASS'", facts, fact[0]);
        expect(store, sql, "1");
        free(sql);
        expect(store, "PRAGMA integrity_check", "ok");
        if (WIFSIGNALED(status)) { /* it may have been done just then */
            sql = xprintf("SELECT state = 'done' OR id = %" PRId64 " FROM night WHERE id = %d",
                          store_unfinished(store, "nightly", &err), fact[0]);
            expect(store, sql, "1");
            free(sql);
        }
        assert_int_equal(store_unfinished(store, "other", &err), 0);
        store_close(store);
    }
    free(path);
}

static void who_runs_is_not_resumed(void **state) {
    (void)state;
    char *path = path_of("running.db");
    struct store *store = opened(path);
    struct test_list tests = some_tests(1);
    struct error err;
    assert_int_equal(store_unfinished(store, "nightly", &err), 0);
    const int64_t first = begin(store, &tests), second = begin(store, &tests);
    assert_int_equal(store_unfinished(store, "nightly", &err), -1);
    assert_non_null(strstr(err.text, "is still running as process"));
    assert_true(store_state(store, first, "interrupted", 0, &err));
    assert_int_equal(store_unfinished(store, "nightly", &err), first);
    sqlite3_exec(store_database(store), "UPDATE night SET state = 'done' WHERE id = 1", NULL, NULL, NULL);
    /* another process that has the same number by now */
    sqlite3_exec(store_database(store), "UPDATE night SET birth = birth || '0'", NULL, NULL, NULL);
    assert_int_equal(store_unfinished(store, "nightly", &err), second);
    sqlite3_exec(store_database(store), "UPDATE night SET host = 'far'", NULL, NULL, NULL);
    assert_int_equal(store_unfinished(store, "nightly", &err), -1);
    assert_non_null(strstr(err.text, "runs on far as process"));
    assert_true(store_state(store, second, "running", 0, &err));
    assert_int_equal(store_unfinished(store, "nightly", &err), -1);
    assert_non_null(strstr(err.text, "is still running"));
    test_list_free(&tests);
    store_close(store);
    free(path);
}

/* A child that has ended and was not waited for does not run. */
static void zombie_does_not_run(void **state) {
    (void)state;
    char *path = path_of("zombie.db");
    struct error err;
    siginfo_t info;
    const pid_t pid = fork();
    if (pid == 0) {
        struct test_list tests = some_tests(1);
        begin(opened(path), &tests);
        _exit(0);
    }
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    struct store *store = opened(path);
    assert_int_equal(store_unfinished(store, "nightly", &err), 1);
    store_close(store);
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    free(path);
}

/* ---- versions ---- */

#define OLD_TEXT                                                                                                       \
    "CREATE TABLE night (id INTEGER PRIMARY KEY, plan TEXT); CREATE TABLE result (night INTEGER, verdict TEXT)"
static const char *const steps[] = {
    "ALTER TABLE night ADD COLUMN host TEXT NOT NULL DEFAULT ''",
    "CREATE TABLE fault (number INTEGER); UPDATE result SET verdict = upper(verdict)",
    "CREATE TABLE fault (number INTEGER)", /* fails: it is there */
};
static const struct schema versions[] = {
    {.application = 99, .version = 1, .text = OLD_TEXT, .steps = steps},
    {.application = 99,
     .version = 3,
     .text = "CREATE TABLE night (id INTEGER PRIMARY KEY, plan TEXT, host TEXT NOT NULL DEFAULT ''); CREATE TABLE "
             "result (night INTEGER, verdict TEXT); CREATE TABLE fault (number INTEGER)",
     .steps = steps},
    {.application = 99, .version = 4, .text = "", .steps = steps},
};

static char *shape(sqlite3 *database) {
    struct text text = {0};
    sqlite3_stmt *statement;
    sqlite3_prepare_v2(database,
                       "SELECT s.name || '.' || c.name || ' ' || c.type || ifnull(c.dflt_value, '') || c.\"notnull\" "
                       "FROM sqlite_schema s, pragma_table_info(s.name) c ORDER BY 1",
                       -1, &statement, NULL);
    while (sqlite3_step(statement) == SQLITE_ROW)
        text_printf(&text, "%s\n", sqlite3_column_text(statement, 0));
    sqlite3_finalize(statement);
    return text.text;
}

static void steps_make_what_the_text_makes(void **state) {
    (void)state;
    sqlite3 *old, *fresh;
    enum schema_state found;
    int version;
    sqlite3_open(":memory:", &old);
    sqlite3_open(":memory:", &fresh);
    assert_int_equal(schema_look(old, &versions[0], &found, &version), SQLITE_OK);
    assert_int_equal(found, SCHEMA_EMPTY);
    assert_int_equal(schema_bring(old, &versions[0]), SQLITE_OK);
    sqlite3_exec(old, "INSERT INTO result VALUES (1, 'pass')", NULL, NULL, NULL);
    assert_int_equal(schema_look(old, &versions[1], &found, &version), SQLITE_OK);
    assert_true(found == SCHEMA_OLDER && version == 1);
    assert_int_equal(schema_bring(old, &versions[1]), SQLITE_OK);
    assert_int_equal(schema_bring(fresh, &versions[1]), SQLITE_OK);
    char *a = shape(old), *b = shape(fresh);
    assert_string_equal(a, b);
    assert_int_equal(schema_look(old, &versions[0], &found, &version), SQLITE_OK);
    assert_true(found == SCHEMA_NEWER && version == 3);
    /* A step that fails leaves nothing. */
    assert_int_equal(schema_bring(old, &versions[2]), SQLITE_ERROR);
    assert_int_equal(sqlite3_exec(old, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(schema_look(old, &versions[1], &found, &version), SQLITE_OK);
    assert_true(found == SCHEMA_PRESENT && version == 3);
    assert_int_equal(sqlite3_exec(old, "SELECT 1 / (verdict = 'PASS') FROM result", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(old, "PRAGMA application_id = 98", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(schema_look(old, &versions[1], &found, &version), SQLITE_OK);
    assert_int_equal(found, SCHEMA_FOREIGN);
    sqlite3_close(old);
    sqlite3_close(fresh);
    free(a);
    free(b);
}

/* ---- what is no database ---- */

static void expect_refused(const char *path, bool create, const char *word) {
    struct error err;
    if (store_open(path, create, &err))
        fail_msg("%s is taken", path);
    if (!strstr(err.text, word))
        fail_msg("%s: expected: %s", err.text, word);
}

static void files_that_are_no_database(void **state) {
    (void)state;
    struct error err;
    char *text = path_of("notes.txt"), *foreign = path_of("foreign.db"), *newer = path_of("newer.db"),
         *fifo = path_of("fifo"), *empty = path_of("empty.db"), *none = path_of("none.db"),
         *below = path_of("notes.txt/x"), *broken = path_of("broken.db");
    static const char words[] = "this is a text of more than sixteen bytes\n";
    assert_true(file_write(text, words, sizeof words - 1, &err) && file_write(empty, "", 0, &err));
    assert_int_equal(mkfifo(fifo, 0600), 0);
    expect_refused(text, true, "this is not a SQLite database");
    char *still;
    size_t n;
    assert_true(file_read(text, &still, &n, &err) && strcmp(still, words) == 0);
    free(still);
    expect_refused(folder, true, "this is a folder");
    expect_refused(fifo, true, "this is not a regular file");
    expect_refused(none, false, "there is no such database");
    expect_refused(below, true, "notes.txt");
    assert_int_equal(open("/sys/nights.db", O_RDWR | O_CREAT | O_CLOEXEC, 0600), -1); /* no one may, not even root */
    char *why = xprintf("/sys/nights.db: the database cannot be opened: %s", strerror(errno));
    expect_refused("/sys/nights.db", true, why);
    free(why);
    expect_refused(empty, false, "the database is empty");
    assert_true(access(none, F_OK) != 0);
    sqlite3 *database;
    sqlite3_open(foreign, &database);
    sqlite3_exec(database, "CREATE TABLE recipes (name)", NULL, NULL, NULL);
    sqlite3_close(database);
    expect_refused(foreign, true, "none of nvcosim regress");
    store_close(opened(newer));
    sqlite3_open(newer, &database);
    sqlite3_exec(database, "PRAGMA user_version = 3", NULL, NULL, NULL);
    sqlite3_close(database);
    expect_refused(newer, true, "made by a newer nvcosim: found version 3 of the schema, this one knows up to 2");
    assert_null(store_open_read_only(newer, &err));
    assert_non_null(strstr(err.text, "made by a newer nvcosim"));
    /* The pages after the first are gone. */
    struct store *store = opened(broken);
    struct test_list tests = some_tests(20);
    begin(store, &tests);
    store_close(store);
    assert_int_equal(truncate(broken, 4096 * 2), 0);
    store = store_open(broken, true, &err);
    if (store) {
        bool *done;
        struct test_list read;
        assert_false(store_tests(store, 1, &read, &done, &err));
        store_close(store);
    }
    assert_non_null(strstr(err.text, "it is damaged"));
    test_list_free(&tests);
    char *const all[] = {text, foreign, newer, fifo, empty, none, below, broken};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void read_only_file(void **state) {
    (void)state;
    char *inner = path_of("locked"), *path = path_of("locked/nights.db");
    struct error err, other;
    store_close(opened(path));
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(inner, 0555), 0);
    const uid_t me = geteuid();
    if (me == 0) /* root may do everything */
        assert_int_equal(seteuid(65534), 0);
    struct store *store = store_open(path, true, &err);
    struct store *reader = store_open_read_only(path, &other);
    if (me == 0)
        assert_int_equal(seteuid(0), 0);
    assert_null(store);
    assert_non_null(strstr(err.text, "the file can only be read"));
    if (!reader)
        fail_msg("%s", other.text);
    expect(reader, "SELECT count(*) FROM night", "0");
    store_close(reader);
    assert_int_equal(chmod(inner, 0755), 0);
    free(inner);
    free(path);
}

static void full_disk_leaves_nothing_half_done(void **state) {
    (void)state;
    char *path = path_of("full.db");
    struct store *store = opened(path);
    struct test_list few = some_tests(2), many = some_tests(2000);
    struct error err;
    const int64_t night = begin(store, &few);
    keep(store, night, 0);
    expect(store, "PRAGMA max_page_count = 40", "40");
    const struct night_facts facts = {.kind = "regress",
                                      .plan = "nightly",
                                      .plan_path = "",
                                      .plan_text = "",
                                      .version = "",
                                      .engine = "local",
                                      .command = "",
                                      .folder = ""};
    assert_int_equal(store_begin(store, &facts, &many, &err), -1);
    assert_non_null(strstr(err.text, "no space is left on its disk"));
    expect(store, "SELECT count(*) || '/' || (SELECT count(*) FROM result) FROM night", "1/2");
    keep(store, night, 1);
    expect(store, "PRAGMA integrity_check", "ok");
    test_list_free(&few);
    test_list_free(&many);
    store_close(store);
    free(path);
}

static void reader_cannot_write(void **state) {
    (void)state;
    char *path = path_of("reader.db");
    struct error err;
    store_close(opened(path));
    struct store *store = store_open_read_only(path, &err);
    assert_non_null(store);
    assert_int_not_equal(sqlite3_exec(store_database(store), "DELETE FROM night", NULL, NULL, NULL), SQLITE_OK);
    store_close(store);
    free(path);
}

static void many_tests_at_once(void **state) {
    (void)state;
    char *path = path_of("many.db");
    struct store *store = opened(path);
    struct test_list tests = some_tests(5000);
    const double start = process_clock();
    begin(store, &tests);
    const double took = process_clock() - start;
    print_message("5000 tests begin in %.3f s\n", took);
    assert_true(took < 10);
    expect(store, "SELECT count(*) FROM result", "5000");
    test_list_free(&tests);
    store_close(store);
    free(path);
}

/* ---- small parts ---- */

static void signatures(void **state) {
    (void)state;
    struct result result = {.verdict = VERDICT_PASS, .reason = xstrdup("")};
    assert_null(result_signature(&result));
    const struct {
        enum verdict verdict;
        int status;
        const char *limit, *expected;
    } cases[] = {
        {VERDICT_FAIL, 1, NULL, "check"},
        {VERDICT_HANG, 3, "--still", "hang"},
        {VERDICT_HANG, 3, "--max-seconds", "limit"},
        {VERDICT_HANG, 3, NULL, "hang"},
        {VERDICT_CRASH, 128 + SIGSEGV, NULL, "crash:SIGSEGV"},
        {VERDICT_CRASH, 3, NULL, "crash:3"},
        {VERDICT_REFUSED, 2, NULL, "refused"},
        {VERDICT_ERROR, 2, NULL, "error"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        result.limit = cases[i].limit ? xstrdup(cases[i].limit) : NULL;
        result.verdict = cases[i].verdict;
        result.exit_status = cases[i].status;
        char *signature = result_signature(&result);
        assert_string_equal(signature, cases[i].expected);
        free(signature);
        free(result.limit);
    }
    result.limit = NULL;
    result.verdict = VERDICT_FAIL;
    result.mismatch = (struct result_mismatch){.space = xstrdup("primary"), .unit = xstrdup("SDP")};
    char *value = result_signature(&result);
    assert_string_equal(value, "value:SDP");
    free(value);
    result_add_finding(&result, "rtl", &(struct finding){.rule = "axi-aw-stable", .owner = {-1, -1}, .text = "text"});
    value = result_signature(&result);
    assert_string_equal(value, "rule:axi-aw-stable");
    free(value);
    result_free(&result);
}

/* Words of the reason tell those apart whose signature says little. */
static void likenesses(void **state) {
    (void)state;
    const struct {
        enum verdict verdict;
        int status;
        const char *dut, *reason, *expected;
    } cases[] = {
        {VERDICT_PASS, 0, "rtl+model", "", NULL},
        {VERDICT_FAIL, 1, "rtl+model", "a check failed", "check"},
        {VERDICT_FAIL, 1, "model", "CRC at 0x80001fe0 is 12", "check: CRC at # is #"},
        {VERDICT_CRASH, 128 + SIGABRT, "rtl+model", "ended: %Error: /a/b.sv:17: no  end",
         "crash:SIGABRT: ended: %Error: ... no end"},
        {VERDICT_ERROR, 2, "both", "", "error"},
        {VERDICT_ERROR, 2, "both", "SDP3 is missing", "error: SDP# is missing"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct result result = {.verdict = cases[i].verdict, .exit_status = cases[i].status};
        result.reason = xstrdup(cases[i].reason);
        result.dut = xstrdup(cases[i].dut);
        char *likeness = result_likeness(&result);
        if (cases[i].expected)
            assert_string_equal(likeness, cases[i].expected);
        else
            assert_null(likeness);
        free(likeness);
        result_free(&result);
    }
}

static void revision_of_a_folder(void **state) {
    (void)state;
    char *tree = path_of("tree"), *command = xprintf("cd %s && mkdir tree && cd tree && git init -q . && echo 1 >a && "
                                                     "git add a && git -c user.name=n -c user.email=e commit -qm c",
                                                     folder);
    struct revision revision = revision_of(folder);
    assert_null(revision.commit);
    assert_int_equal(revision.dirty, -1);
    assert_int_equal(system(command), 0);
    revision = revision_of(tree);
    assert_non_null(revision.commit);
    assert_int_equal(strlen(revision.commit), 40);
    assert_int_equal(revision.dirty, 0);
    free(revision.commit);
    free(command);
    /* A night that is begun outside of git tells the revision of its plan. */
    char *here = getcwd(NULL, 0), *path = path_of("outside.db"), *plan = path_of("tree/plan.yml");
    const struct night_facts facts = {.kind = "regress",
                                      .plan = "p",
                                      .plan_path = plan,
                                      .plan_text = "",
                                      .version = "",
                                      .engine = "local",
                                      .command = "",
                                      .folder = ""};
    struct test_list none = {0};
    struct error err;
    assert_int_equal(chdir(folder), 0);
    struct store *store = opened(path);
    assert_int_equal(store_begin(store, &facts, &none, &err), 1);
    expect(store, "SELECT length(revision) || dirty || (directory LIKE '%/tree') FROM night", "4001");
    store_close(store);
    assert_int_equal(chdir(here), 0);
    free(here);
    free(path);
    free(plan);
    command = xprintf("cd %s && echo 2 >untracked", tree);
    assert_int_equal(system(command), 0);
    revision = revision_of(tree);
    assert_int_equal(revision.dirty, 0);
    free(revision.commit);
    free(command);
    command = xprintf("cd %s && echo 2 >a", tree);
    assert_int_equal(system(command), 0);
    revision = revision_of(tree);
    assert_int_equal(revision.dirty, 1);
    free(revision.commit);
    free(command);
    free(tree);
}

static int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    char *command = xprintf("rm -rf %s", folder);
    const int status = system(command);
    free(command);
    return status;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(night_and_results),
        cmocka_unit_test(expected_time_is_the_median),
        cmocka_unit_test(four_writers),
        cmocka_unit_test(killed_writer_loses_nothing),
        cmocka_unit_test(who_runs_is_not_resumed),
        cmocka_unit_test(zombie_does_not_run),
        cmocka_unit_test(steps_make_what_the_text_makes),
        cmocka_unit_test(files_that_are_no_database),
        cmocka_unit_test(read_only_file),
        cmocka_unit_test(full_disk_leaves_nothing_half_done),
        cmocka_unit_test(reader_cannot_write),
        cmocka_unit_test(many_tests_at_once),
        cmocka_unit_test(likenesses),
        cmocka_unit_test(signatures),
        cmocka_unit_test(revision_of_a_folder),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
