/* Results: what goes out as a line of JSON comes in again, and what is none is refused. */
#include "run/options/options.h"
#include "run/result/result.h"
#include "tests/unit/test.h"

/* The result of a line with every member, whose text is *text. */
static struct result full_result(char **text) {
    struct result result;
    *text = test_text("tests/unit/golden/result.json");
    if (!result_parse(*text, &result))
        fail_msg("%s is not read", *text);
    return result;
}

TEST(test_round_trip) {
    char *text;
    struct result in = full_result(&text);
    char *again = kept(result_json(&in));
    assert_null(strchr(again, '\n'));
    assert_memory_equal(again, text, strlen(text) - strlen("}\n")); /* the version follows */
    assert_string_equal(in.trace, "a\nname");
    assert_int_equal(in.verdict, VERDICT_FAIL);
    assert_true(in.seed == (uint64_t)INT64_MAX && in.mismatch.address == 0x5a0000000 && in.mismatch.launch == 3);
    assert_true(in.seconds == 1.25 && in.compared && in.devices[0].clocked && !in.devices[1].clocked);
    assert_true(in.devices[0].eval_share == 0.75 && in.finding_count == 1 && in.findings[0].cycle == 77);
    assert_true(in.named.count == 1 && in.named.items[0].at == 25 && in.named.items[0].launch.ordinal == 3);
    assert_int_equal(in.named.items[0].launch.unit, NVDLA_SDP);
    assert_string_equal(in.findings[0].unit, "SDP");
    assert_string_equal(in.findings[0].instance, "u_sdp.u_out");
    assert_int_equal(in.findings[0].launch, 2);
    for (int id = 0; id < AXI_IDS; id++)
        assert_true(in.devices[0].read_beats[id] == (uint64_t)id &&
                    in.devices[0].write_beats[id] == (uint64_t)(100 + id));
    assert_true(in.fault_count == 2 && in.faults[0] == 3 && in.faults[1] == 200);
    assert_true(in.memory_peak == 5ull << 30);
    assert_string_equal(in.coverage, "00ff");
    assert_null(in.wave_command);
    /* what is added is what was read */
    result_add_finding(&in, "rtl",
                       &(struct finding){.cycle = 77,
                                         .rule = "check-Stay",
                                         .owner = {NVDLA_SDP, 2},
                                         .instance = "u_sdp.u_out",
                                         .text = "u_sdp.u_out: SDP launch 2"});
    result_add_fault(&in, 200);
    assert_true(in.finding_count == 2 && in.fault_count == 3 && in.faults[2] == 200);
    json_t *json = json_loads(kept(result_json(&in)), 0, NULL), *findings = json_object_get(json, "findings");
    assert_true(json_equal(json_array_get(findings, 0), json_array_get(findings, 1)));
    json_decref(json);
    result_free(&in);
}

static bool same_json(const char *a, const char *b) {
    json_t *first = json_loads(a, 0, NULL), *second = json_loads(b, 0, NULL);
    const bool same = first && json_equal(first, second);
    json_decref(first);
    json_decref(second);
    return same;
}

/* What is taken from the JSON that a result was read from says the same as what is made anew. */
TEST(test_same_again) {
    char *text;
    struct result in = full_result(&text);
    json_t *json = json_loads(kept(result_json(&in)), 0, NULL);
    json_object_del(json, "command");
    in.exit_status = 7;
    in.seconds = 2.5;
    in.cpu_seconds = 3;
    in.memory_peak = 1ull << 40;
    free(in.command);
    in.command = xstrdup("nvcosim run 'a \"b\" \\'");
    for (int covered = 1; covered >= 0; covered--) {
        if (!covered) {
            free(in.coverage);
            in.coverage = NULL;
        }
        in.same = NULL;
        char *anew = kept(result_json(&in));
        in.same = json;
        char *again = kept(result_json(&in));
        assert_true(same_json(again, anew));
    }
    free(in.reason);
    in.reason = xstrdup("changed");
    char *taken = kept(result_json(&in));
    assert_null(strstr(taken, "changed")); /* it is not made anew */
    result_free(&in);
}

TEST(test_refused) {
    static const char *const lines[] = {"",
                                        "PASS x",
                                        "{}",
                                        "[]",
                                        "{\"verdict\":\"PASS\"}",
                                        "{\"verdict\":\"FINE\",\"config\":\"small\"}",
                                        "{\"verdict\":\"PASS\",\"config\":7}",
                                        "{\"verdict\":\"PASS\",\"config\":\"small\""};
    struct result result;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_false(result_parse(lines[i], &result));
    assert_true(result_parse("{\"verdict\":\"PASS\",\"config\":\"small\"}", &result));
    assert_null(result.dut);
    result_free(&result);
}

TEST(test_statuses) {
    static const int order[] = {EXIT_OK, EXIT_DIFFERENT, EXIT_HUNG, EXIT_CRASHED, EXIT_BAD_INPUT};
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++)
            assert_int_equal(worse_status(order[i], order[k]), order[i > k ? i : k]);
    assert_int_equal(verdict_status(VERDICT_CRASH), 4);
}

static void assert_text(char *got, const char *expected) {
    assert_string_equal(got, expected);
    free(got);
}

TEST(test_texts) {
    assert_text(text_shown("a\nb\tc\x1b[31m\x7f"), "a\\nb\\tc\\x1b[31m\\x7f");
    assert_text(text_shown("caf\xc3\xa9 \xc2\x9b"), "caf\xc3\xa9 \\xc2\\x9b");
    assert_text(text_quoted("--out=a/b.cfg"), "--out=a/b.cfg");
    assert_text(text_quoted(""), "''");
    assert_text(text_quoted("it's $x"), "'it'\\''s $x'");
    uint64_t value = 0;
    assert_true(text_number("0x10", 16, &value) && value == 16);
    assert_false(text_number("17", 16, &value) || text_number("-1", 16, &value) || text_number("1 ", 16, &value));
    autowords struct words words = {0};
    for (int i = 0; i < 100; i++)
        words_add(&words, "word %d", i);
    assert_true(words.count == 100 && strcmp(words.items[99], "word 99") == 0 && words.items[100] == NULL);
}
