/* The order in which the tests of a night start, and the time that they are expected to take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "regress/engine/schedule.h" /* before cmocka.h, which has a macro test_free */

#include <cmocka.h>

/* Tests of small on RTL and model; seconds < 0: no history. */
static struct test example(const char *trace, const char *memory, double seconds) {
    return (struct test){.trace = (char *)trace,
                         .config = (char *)"small",
                         .dut = (char *)"both",
                         .memory = (char *)memory,
                         .expected_seconds = seconds};
}

/* A file of so many bytes. */
static void write_trace(const char *path, size_t n) {
    struct error err;
    char *bytes = calloc(n, 1);
    assert_true(file_write(path, bytes, n, &err));
    free(bytes);
}

static void the_longest_first(void **state) {
    (void)state;
    struct test tests[] = {example("none", "", 2), example("none", "", 5), example("none", "", 3),
                           example("none", "", 5)};
    const struct test_list list = {.tests = tests, .count = 4};
    struct schedule schedule = schedule_make(&list, NULL);
    assert_int_equal(schedule.count, 4);
    assert_int_equal(schedule.unknown, 0);
    assert_int_equal(schedule.order[0], 1);
    assert_int_equal(schedule.order[1], 3);
    assert_int_equal(schedule.order[2], 2);
    assert_int_equal(schedule.order[3], 0);
    assert_float_equal(schedule_span(&schedule, 1), 15, 1e-9);
    assert_float_equal(schedule_span(&schedule, 2), 8, 1e-9);
    assert_float_equal(schedule_span(&schedule, 9), 5, 1e-9);
    schedule_free(&schedule);
}

static void what_is_done_is_left_out(void **state) {
    (void)state;
    struct test tests[] = {example("none", "", 2), example("none", "", 5), example("none", "", -1)};
    const struct test_list list = {.tests = tests, .count = 3};
    const bool done[] = {false, true, false};
    struct schedule schedule = schedule_make(&list, done);
    assert_int_equal(schedule.count, 2);
    assert_int_equal(schedule.unknown, 1);
    assert_int_equal(schedule.order[0], 2); /* the mean of its kind: 3.5 */
    assert_float_equal(schedule.seconds[2], 3.5, 1e-9);
    schedule_free(&schedule);
}

/* Without a history the size of the trace tells: by those of its kind, else by all, else by the size alone. */
static void the_size_stands_for_history(void **state) {
    (void)state;
    char folder[] = "/tmp/schedule-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    write_trace("a", 100);
    write_trace("b", 300);
    struct test tests[] = {example("a", "", -1),    example("b", "", -1),     example("a", "", 1),
                           example("a", "slow", 4), example("b", "slow", -1), example("b", "other", -1)};
    const struct test_list none = {.tests = tests, .count = 2}, all = {.tests = tests, .count = 6};
    struct schedule schedule = schedule_make(&none, NULL);
    assert_int_equal(schedule.order[0], 1);
    assert_float_equal(schedule.seconds[1], 0, 0);
    schedule_free(&schedule);
    schedule = schedule_make(&all, NULL);
    assert_float_equal(schedule.seconds[0], 1, 1e-9);
    assert_float_equal(schedule.seconds[1], 3, 1e-9);
    assert_float_equal(schedule.seconds[4], 12, 1e-9);
    assert_float_equal(schedule.seconds[5], 7.5, 1e-9);
    assert_int_equal(schedule.order[0], 4);
    assert_int_equal(schedule.order[1], 5);
    schedule_free(&schedule);
    unlink("a");
    unlink("b");
    rmdir(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_longest_first),
        cmocka_unit_test(what_is_done_is_left_out),
        cmocka_unit_test(the_size_stands_for_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
