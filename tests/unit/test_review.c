/* What a night says (regress/pages/review.h), and that everything written about it stays whole and bounded whatever the
 * database holds. What it looks like: tests/regress/outputs.py, tests/regress/page.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/pages/junit.h"
#include "regress/pages/page.h"
#include "regress/pages/review.h"
#include "regress/pages/summary.h"
#include "regress/store/store.h"
#include "report/markup.h"

#include <cmocka.h> /* behind regress/plan/test.h: it has a macro test_free() */

struct fixture {
    char folder[32];
    struct store *store;
};

static int setup(void **state) {
    struct fixture *f = xcalloc(1, sizeof *f);
    struct error err;
    strcpy(f->folder, "/tmp/test_review_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    char *path = xprintf("%s/nights.db", f->folder);
    f->store = store_open(path, true, &err);
    free(path);
    assert_non_null(f->store);
    *state = f;
    return 0;
}

static int teardown(void **state) {
    struct fixture *f = *state;
    static const char *const files[] = {"index.html", "junit.xml", "nights.db", "nights.db-wal", "nights.db-shm"};
    store_close(f->store);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char *path = xprintf("%s/%s", f->folder, files[i]);
        unlink(path);
        free(path);
    }
    assert_int_equal(rmdir(f->folder), 0);
    free(f);
    return 0;
}

static void run(const struct fixture *f, const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(store_database(f->store), sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

static void add_night(const struct fixture *f, int id, const char *plan, const char *selected, const char *state) {
    char *sql = sqlite3_mprintf("INSERT INTO night (id, kind, plan, plan_path, plan_text, selected, seed, state, "
                                "started, host, cores, pid, birth, version, directory, engine, command, folder) VALUES "
                                "(%d, 'regress', %Q, 'p.yml', '', %Q, -1, %Q, '2026-01-31T23:59:59Z', 'h', 2, 1, '', "
                                "'1', '/', 'local', 'nvcosim regress', '/nights/night-%d')",
                                id, plan, selected, state, id);
    run(f, sql);
    sqlite3_free(sql);
}

static void add_test(const struct fixture *f, int night, int number, const char *key, const char *verdict,
                     const char *reason, int cycles) {
    char *sql = sqlite3_mprintf("INSERT INTO result (night, number, key, test, item, trace, path, config, dut, memory, "
                                "seed, tags, verdict, reason, cycles, command) VALUES (%d, %d, %Q, '{', 'item', 't', "
                                "'t', 'small', 'both', '', 1, ' ', %Q, %Q, %d, 'nvcosim run t')",
                                night, number, key, verdict, reason, cycles);
    run(f, sql);
    sqlite3_free(sql);
}

static struct review *review_of(const struct fixture *f, int night) {
    struct error err;
    struct review *review = review_read(store_database(f->store), night, &err);
    if (!review)
        fail_msg("%s", err.text);
    return review;
}

/* Writes a file about the night and reads it. free() it. */
static char *written(const struct fixture *f, const struct review *review, const char *name,
                     bool (*write)(const struct review *, const char *, struct error *)) {
    struct error err;
    size_t n = 0;
    char *path = xprintf("%s/%s", f->folder, name), *text = NULL;
    if (!write(review, path, &err) || !file_read(path, &text, &n, &err))
        fail_msg("%s", err.text);
    assert_int_equal(strlen(text), n);
    free(path);
    return text;
}

static void a_night_without_tests_is_written(void **state) {
    const struct fixture *f = *state;
    add_night(f, 1, "empty", NULL, "running");
    struct review *review = review_of(f, 1);
    char *page = written(f, review, "index.html", page_write), *junit = written(f, review, "junit.xml", junit_write),
         *summary = summary_text(review, NULL);
    review_free(review);
    assert_non_null(strstr(page, "The night has no tests."));
    assert_non_null(strstr(junit, "<testsuites name=\"empty\" tests=\"0\""));
    assert_memory_equal(summary, "RUNNING empty night 1: The night has no tests.\n\n", 48);
    assert_non_null(strstr(summary, "seed 18446744073709551615"));
    free(page);
    free(junit);
    free(summary);
}

static void the_night_before_is_of_the_same_plan_and_selection(void **state) {
    const struct fixture *f = *state;
    add_night(f, 1, "p", NULL, "done");
    add_night(f, 2, "p", "fast", "done");
    add_night(f, 3, "other", NULL, "done");
    add_night(f, 4, "p", NULL, "interrupted");
    add_night(f, 5, "p", NULL, "done");
    for (int night = 1; night <= 5; night++) {
        add_test(f, night, 0, "item/breaks", night == 5 ? "FAIL" : "PASS", "wrong", 100);
        add_test(f, night, 1, "item/heals", night == 5 ? "PASS" : "HANG", "", 100);
        add_test(f, night, 2, "item/slower", "PASS", "", night == 5 ? 150 : 100);
        add_test(f, night, 3, night == 1 ? "item/gone" : "item/comes", night == 5 ? "CRASH" : NULL, "signal", 0);
    }
    struct review *review = review_of(f, 5);
    assert_int_equal(review->before, 1);
    assert_int_equal(review->gone, 1);
    assert_int_equal(review->new_failures, 2);
    assert_int_equal(review->new_passes, 1);
    assert_true(review->tests[0].new_failure && review->tests[0].before == VERDICT_PASS);
    assert_true(review->tests[1].new_pass && review->tests[1].ratio == 0);
    assert_true(review->tests[2].ratio == 1.5);
    assert_true(review->tests[3].new_failure && !review->tests[3].was_there);
    assert_string_equal(review->tests[0].past, "PPPF");
    assert_string_equal(review->tests[1].past, "HHHP");
    assert_string_equal(review->tests[3].past, "...C");
    assert_string_equal(review->tests[3].name, "comes");
    char *sentence = review_sentence(review);
    assert_string_equal(sentence, "2 of 4 tests fail, 2 of them new since night 1; 2 pass.");
    free(sentence);
    review_free(review);
}

/* A bucket of known failures alone counts neither in the sentence nor beside the failures. */
static void page_and_sentence_count_the_same_buckets(void **state) {
    const struct fixture *f = *state;
    add_night(f, 1, "p", NULL, "done");
    for (int i = 0; i < 3; i++) {
        char key[] = "item/0", sql[400];
        key[5] = (char)('0' + i);
        add_test(f, 1, i, key, "FAIL", "wrong", 100);
        snprintf(sql, sizeof sql,
                 "UPDATE result SET bucket = %d, known = %s WHERE number = %d; INSERT INTO bucket (night, number, "
                 "signature, title, count, smallest, command) VALUES (1, %d, 's%d', 't', 1, %d, 'c')",
                 i + 1, i == 2 ? "'issue 7'" : "NULL", i, i + 1, i, i);
        run(f, sql);
    }
    struct review *review = review_of(f, 1);
    char *page = written(f, review, "index.html", page_write);
    review_free(review);
    assert_non_null(strstr(page, "2 of 3 tests fail in 2 buckets; 1 fails as known; 0 pass."));
    assert_non_null(strstr(page, "<small>in 2 buckets, 0 new</small>"));
    free(page);
}

/* Hundreds of traces in the command are shown as their number, and copied whole. */
static void a_long_command_is_shown_short(void **state) {
    const struct fixture *f = *state;
    struct text command = {0};
    text_printf(&command, "nvcosim qualify --count 60 --name=own");
    add_night(f, 1, "p", NULL, "done");
    for (int i = 0; i < 300; i++) {
        char key[32];
        snprintf(key, sizeof key, "item/t%03d", i);
        add_test(f, 1, i, key, "PASS", "", 1);
        text_printf(&command, i % 2 ? " 'a b/t%03d.nvt.gz'" : " some/where/t%03d.nvt.gz", i);
    }
    char *update =
        sqlite3_mprintf("UPDATE result SET trace = substr(key, 6); UPDATE night SET command = %Q", command.text);
    run(f, update);
    struct review *review = review_of(f, 1);
    char *page = written(f, review, "index.html", page_write);
    assert_string_equal(review->command, command.text);
    review_free(review);
    assert_non_null(strstr(page, "<code>nvcosim qualify --count 60 --name=own (300 traces)</code>"));
    assert_non_null(strstr(page, "some/where/t298.nvt.gz"));
    assert_null(strstr(page, "<code>nvcosim qualify --count 60 --name=own some"));
    sqlite3_free(update);
    free(command.text);
    free(page);
}

/* A reason of many megabytes would make a file that no one reads. */
static void texts_are_bounded(void **state) {
    const struct fixture *f = *state;
    enum { LONG = 300000 };
    char *reason = xmalloc(LONG + 1);
    for (size_t i = 0; i < LONG; i += 3) /* U+20AC */
        memcpy(reason + i, "\xe2\x82\xac", 3);
    reason[LONG] = '\0';
    memcpy(reason, "\x01<\"\xff", 4); /* and half a character behind it */
    add_night(f, 1, "p", NULL, "done");
    add_test(f, 1, 0, "item/</script>", "FAIL", reason, 0);
    struct review *review = review_of(f, 1);
    char *junit = written(f, review, "junit.xml", junit_write), *page = written(f, review, "index.html", page_write),
         *summary = summary_text(review, NULL);
    review_free(review);
    assert_true(strlen(junit) < 20000);
    assert_true(strlen(summary) < 2000);
    assert_true(strlen(page) < 80000);
    const char *start = strstr(junit, "message=\"\\x01&lt;&quot;\\xff\\x82\\xac\xe2\x82\xac");
    assert_non_null(start);
    /* Cut between characters: whole ones up to the mark of the cut. */
    const char *end = strstr(start, " ...\"");
    assert_non_null(end);
    assert_memory_equal(end - 3, "\xe2\x82\xac", 3);
    assert_null(strstr(page, "item/</script>"));
    free(reason);
    free(junit);
    free(page);
    free(summary);
}

static void what_is_not_there_is_told(void **state) {
    const struct fixture *f = *state;
    struct error err;
    assert_null(review_read(store_database(f->store), 7, &err));
    assert_non_null(strstr(err.text, "no night 7 in the database"));
    add_night(f, 1, "p", NULL, "done");
    struct review *review = review_of(f, 1);
    assert_false(junit_write(review, "/nowhere/junit.xml", &err));
    assert_non_null(strstr(err.text, "/nowhere/junit.xml"));
    assert_false(page_write(review, "/nowhere/index.html", &err));
    assert_non_null(strstr(err.text, "/nowhere/index.html"));
    review_free(review);
    run(f, "DROP TABLE bucket");
    assert_null(review_read(store_database(f->store), 1, &err));
    assert_non_null(strstr(err.text, "nights.db: found 'no such table: bucket"));
}

static void numbers_are_for_people(void **state) {
    (void)state;
    char text[REVIEW_DURATION];
    assert_string_equal(review_duration(0.25, text), "250 ms");
    assert_string_equal(review_duration(59.94, text), "59.9 s");
    assert_string_equal(review_duration(59.96, text), "1 min 0 s");
    assert_string_equal(review_duration(3599.6, text), "1 h 0 min");
    assert_true(html_step(100, 6) == 20 && html_step(60, 6) == 10 && html_step(61, 6) == 20 &&
                html_step(301, 6) == 100);
    assert_true(html_step(0.3, 3) > 0.0999 && html_step(0.3, 3) < 0.1001);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_night_without_tests_is_written, setup, teardown),
        cmocka_unit_test_setup_teardown(the_night_before_is_of_the_same_plan_and_selection, setup, teardown),
        cmocka_unit_test_setup_teardown(page_and_sentence_count_the_same_buckets, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_command_is_shown_short, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_are_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_not_there_is_told, setup, teardown),
        cmocka_unit_test(numbers_are_for_people),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
