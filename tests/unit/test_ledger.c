/* The ledger of a night: what was noted by whom, what a killed process leaves of a line, and what of it comes into the
 * database, once. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "regress/night/recover.h"
#include "regress/store/store.h"
#include "run/result/ledger.h"

#include <cmocka.h> /* behind regress/plan/test.h: it has a macro test_free() */

static char folder[] = "/tmp/test_ledger_XXXXXX";

static int opened(void) {
    struct error err;
    const int file = ledger_open(folder, true, &err);
    if (file < 0)
        fail_msg("%s", err.text);
    return file;
}

static struct ledger read_back(int file) {
    struct ledger ledger;
    struct error err;
    if (!ledger_read(file, &ledger, &err))
        fail_msg("%s", err.text);
    return ledger;
}

static void put(int file, const void *bytes, size_t n) {
    assert_int_equal(write(file, bytes, n), (ssize_t)n);
}

static void lines_that_are_cut_spoil_no_other(void **state) {
    (void)state;
    const int file = opened();
    assert_true(ledger_note(file, 3, NULL, "{\"a\":1}"));
    put(file, "\n{\"test\":4,\"at\":5,\"result\":{\"verd", 31);
    assert_true(ledger_note(file, 5, "node \303\274", "{\"b\":\"x\"}"));
    put(file, "\0\0\0\0", 4);
    put(file, "\n{\"test\":-1,\"result\":{}}\n{\"test\":6,\"result\":7}\n[]\n", 51);
    assert_true(ledger_note(file, 7, NULL, "{}"));
    struct ledger ledger = read_back(file);
    assert_int_equal(ledger.count, 3);
    assert_int_equal(ledger.entries[0].test, 3);
    assert_null(ledger.entries[0].host);
    assert_string_equal(ledger.entries[0].result, "{\"a\":1}");
    assert_string_equal(ledger.entries[1].host, "node \303\274");
    assert_string_equal(ledger.entries[1].result, "{\"b\":\"x\"}");
    assert_true(ledger.entries[1].at > 1700000000);
    assert_int_equal(ledger.entries[2].test, 7);
    ledger_free(&ledger);
    ledger_close(file, folder, true);
}

static void without_a_ledger(void **state) {
    (void)state;
    struct error err;
    assert_int_equal(ledger_open(folder, false, &err), -1);
    assert_non_null(strstr(err.text, "/ledger: No such file or directory"));
    assert_true(recover_nights("/tmp/no such/database", &err));
}

#define LINE(verdict, more)                                                                                            \
    "{\"verdict\":\"" verdict "\",\"config\":\"small\",\"dut\":\"model\",\"reason\":\"\",\"compared\":true,"           \
    "\"memory_peak\":4096,\"seconds\":2.5" more "}"

static struct test_list some_tests(size_t count) {
    struct test_list list = {.tests = xcalloc(count, sizeof *list.tests), .count = count};
    for (size_t i = 0; i < count; i++)
        list.tests[i] = (struct test){.key = xprintf("item/t%zu", i),
                                      .item = xstrdup("item"),
                                      .trace = xprintf("t%zu.nvt.gz", i),
                                      .config = xstrdup("small"),
                                      .dut = xstrdup("model"),
                                      .memory = xstrdup(""),
                                      .expected_seconds = -1};
    return list;
}

/* The only column of all rows, one after the other; free() it. */
static char *ask(struct store *store, const char *sql) {
    sqlite3_stmt *row;
    struct text text = {0};
    assert_int_equal(sqlite3_prepare_v2(store_database(store), sql, -1, &row, NULL), SQLITE_OK);
    while (sqlite3_step(row) == SQLITE_ROW)
        text_printf(&text, "%s ", (const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    return text.text;
}

static void the_database_gets_each_result_once(void **state) {
    (void)state;
    char *path = xprintf("%s/n.db", folder);
    struct error err;
    struct test_list tests = some_tests(4);
    const struct night_facts facts = {.kind = "regress",
                                      .plan = "p",
                                      .plan_path = "p.yml",
                                      .plan_text = "",
                                      .version = "1",
                                      .engine = "local",
                                      .command = "c",
                                      .folder = folder};
    struct store *store = store_open(path, true, &err);
    const int64_t night = store_begin(store, &facts, &tests, &err);
    assert_true(night > 0);
    const int file = opened();
    assert_true(ledger_note(file, 0, NULL, LINE("PASS", "")));
    assert_true(ledger_note(file, 1, NULL, LINE("PASS", "")));
    assert_true(
        ledger_note(file, 1, "node",
                    LINE("CRASH", ",\"exit_status\":139,\"command\":\"nvcosim run t1.nvt.gz\""))); /* it knows better */
    assert_true(ledger_note(file, 2, NULL, "{\"odd\":1}"));
    assert_true(ledger_note(file, 9, NULL, LINE("PASS", "")));
    for (int i = 0; i < 2; i++) {
        assert_true(recover_night(store, night, folder, file, &err));
        char *said = ask(store, "SELECT number || verdict || seconds || (host = 'node') || (command LIKE 'nvcosim run "
                                "%t_.nvt.gz') FROM result WHERE verdict IS NOT NULL ORDER BY number");
        assert_string_equal(said, "0PASS2.501 1CRASH2.511 ");
        free(said);
        assert_int_equal(lseek(file, 0, SEEK_END), 0);
        assert_true(ledger_note(file, 0, "late", LINE("FAIL", ""))); /* it has its result */
    }
    ledger_close(file, folder, true);
    unlink(path);
    store_close(store);
    test_list_free(&tests);
    free(path);
}

int main(void) {
    if (!mkdtemp(folder))
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_that_are_cut_spoil_no_other),
        cmocka_unit_test(without_a_ledger),
        cmocka_unit_test(the_database_gets_each_result_once),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char *command = xprintf("rm -rf %s", folder);
    const int removed = system(command);
    free(command);
    return failed || removed;
}
