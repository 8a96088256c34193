/* A test of a night as JSON and back, its name, its options and its command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#undef test_free /* of cmocka */

#include "nvdla/xalloc.h"
#include "regress/plan/test.h"

static struct test sample(void) {
    struct test test = {.key = xstrdup("c/rand \"x\"\n@slow+2"),
                        .item = xstrdup("c"),
                        .trace = xstrdup("/folder of traces/r\xc3\xa4nd.nvt.gz"),
                        .config = xstrdup("small"),
                        .dut = xstrdup("rtl:mine"),
                        .memory = xstrdup("slow"),
                        .seed = INT64_MAX,
                        .max_seconds = 0.1,
                        .max_cycles = 20000000,
                        .max_memory = UINT64_C(2) << 30,
                        .known = xstrdup("issue 1"),
                        .known_until = xstrdup("2026-12-31"),
                        .expected_seconds = -1};
    words_add(&test.options, "--latency=200");
    words_add(&test.options, "--pin=a=1");
    words_add(&test.tags, "x");
    return test;
}

static struct test layer(void) {
    struct test test = {.key = xstrdup("random/sdp-pdp-0017"),
                        .item = xstrdup("random"),
                        .trace = xstrdup("layers/small_sdp-pdp_77.nvt.gz"),
                        .generator = xstrdup("sdp,pdp"),
                        .layer_seed = 77,
                        .config = xstrdup("small"),
                        .dut = xstrdup("both"),
                        .memory = xstrdup(""),
                        .seed = 5,
                        .expected_seconds = 1.0 / 3};
    return test;
}

static void json_is_read_back(void **state) {
    (void)state;
    struct test tests[] = {sample(), layer()};
    for (size_t i = 0; i < 2; i++) {
        struct test again;
        struct error err;
        char *line = test_json(&tests[i]);
        assert_null(strchr(line, '\n'));
        if (!test_parse(line, &again, &err))
            fail_msg("%s", err.text);
        char *second = test_json(&again);
        assert_string_equal(line, second);
        assert_string_equal(again.key, tests[i].key);
        assert_string_equal(again.trace, tests[i].trace);
        assert_int_equal(again.seed, tests[i].seed);
        assert_int_equal(again.layer_seed, tests[i].layer_seed);
        assert_int_equal(again.max_memory, tests[i].max_memory);
        assert_int_equal(again.options.count, tests[i].options.count);
        assert_true(again.max_seconds == tests[i].max_seconds);
        assert_true(again.expected_seconds == tests[i].expected_seconds);
        assert_int_equal(!again.known, !tests[i].known);
        assert_int_equal(!again.generator, !tests[i].generator);
        free(line);
        free(second);
        test_free(&again);
        test_free(&tests[i]);
    }
}

static void what_is_no_test_is_told(void **state) {
    (void)state;
    struct test test = layer(), again;
    char *line = test_json(&test);
    static const struct {
        const char *old, *now, *expected;
    } cases[] = {
        {"{", "", "expected a test as a JSON object: "},
        {"\"key\":", "\"kay\":", "member key of a test: found nothing, expected a text"},
        {"\"layer_seed\":77", "\"layer_seed\":-77",
         "member layer_seed of a test: found -77, expected a whole number from 0"},
        {"\"layer_seed\":77", "\"layer_seed\":\"x\"",
         "member layer_seed of a test: found \"x\", expected a whole number"},
        {"\"generator\":\"sdp,pdp\"", "\"generator\":1",
         "member generator of a test: found 1, expected a text, or no such"},
        {"\"tags\":[]", "\"tags\":[1]", "member tags of a test: found [1], expected a list of texts"},
        {"\"max_seconds\":0.0", "\"max_seconds\":[]",
         "member max_seconds of a test: found [], expected a number of sec"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error err = {.text = ""};
        const char *at = strstr(line, cases[i].old);
        assert_non_null(at);
        char *wrong = xprintf("%.*s%s%s", (int)(at - line), line, cases[i].now, at + strlen(cases[i].old));
        assert_false(test_parse(wrong, &again, &err));
        if (!strstr(err.text, cases[i].expected))
            fail_msg("%s", err.text);
        free(wrong);
    }
    struct error err;
    assert_false(test_parse("[]", &again, &err));
    free(line);
    test_free(&test);
}

static char *name_of(const char *key) {
    struct test test = {.key = (char *)key};
    return test_name(&test);
}

static void names_are_those_of_files(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"c/rand_000@slow+2", "c.rand_000@slow+2"},
        {"c/a.b,large,rtl-mine", "c.a.b,large,rtl-mine"},
        {"c/a b", "c.a~20b"},
        {"c/a/b", "c.a~2fb"},
        {"c/~20", "c.~7e20"},
        {"c/\xc3\xa4#?%", "c.~c3~a4~23~3f~25"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *name = name_of(cases[i][0]);
        assert_string_equal(name, cases[i][1]);
        free(name);
    }
    char long_key[300];
    memset(long_key, 'x', sizeof long_key);
    long_key[1] = '/';
    long_key[299] = '\0';
    char *name = name_of(long_key);
    long_key[298] = 'y';
    char *other = name_of(long_key);
    assert_int_equal(strlen(name), 200);
    assert_string_not_equal(name, other);
    free(name);
    free(other);
}

static void the_words_play_the_test(void **state) {
    (void)state;
    struct test tests[] = {sample(), layer()};
    static const char *const expected[][11] = {
        {"--config=small", "--dut=rtl:mine", "--seed=9223372036854775807", "--latency=200", "--pin=a=1",
         "--max-cycles=20000000", "--max-seconds=1", "--out=/nights/1/reports", "--name=c.rand~20~22x~22~0a@slow+2",
         "--functional-coverage"},
        {"--config=small", "--dut=both", "--seed=5", "--out=/nights/1/reports", "--name=random.sdp-pdp-0017",
         "--functional-coverage"},
    };
    static const char *const traces[] = {"/folder of traces/r\xc3\xa4nd.nvt.gz",
                                         "/nights/1/layers/small_sdp-pdp_77.nvt.gz"};
    static const char *const commands[] = {
        "nvcosim run --config=small --dut=rtl:mine --seed=9223372036854775807 --latency=200 --pin=a=1 "
        "--max-cycles=20000000 --max-seconds=1 '/folder of traces/r\xc3\xa4nd.nvt.gz'",
        "nvcosim gen -q --config=small --engine=sdp,pdp --seed=77 --out=layers && nvcosim run --config=small "
        "--dut=both "
        "--seed=5 layers/small_sdp-pdp_77.nvt.gz"};
    for (size_t i = 0; i < 2; i++) {
        struct words words = {0};
        size_t count = 0;
        test_words(&tests[i], "/nights/1", &words);
        for (; expected[i][count]; count++)
            assert_string_equal(words.items[count], expected[i][count]);
        assert_int_equal(words.count, count);
        char *trace = test_trace(&tests[i], "/nights/1"), *command = test_command(&tests[i]);
        assert_string_equal(trace, traces[i]);
        assert_string_equal(command, commands[i]);
        free(trace);
        free(command);
        words_free(&words);
        test_free(&tests[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_is_read_back),
        cmocka_unit_test(what_is_no_test_is_told),
        cmocka_unit_test(names_are_those_of_files),
        cmocka_unit_test(the_words_play_the_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
