/* Results: what goes out as a line of JSON comes in again, and what is none is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "nvdla/clients.h"
#include "nvdla/xalloc.h"
#include "run/options/options.h"
#include "run/result/result.h"
#include "run/result/result_members.h"

static struct result full_result(void) {
    struct result result = {
        .trace = xstrdup("a\nname"),
        .path = xstrdup("dir/a\nname.cfg"),
        .config = xstrdup("small"),
        .dut = xstrdup("rtl+model"),
        .seed = INT64_MAX,
        .verdict = VERDICT_FAIL,
        .reason = xstrdup("one \"byte\" differs"),
        .compared = true,
        .operations = 496,
        .launches = 2,
        .layers = 1,
        .macs = 1ull << 40,
        .device_count = 2,
        .mismatch = {.space = xstrdup("primary"),
                     .address = 0x5a0000000,
                     .bytes = 128,
                     .unit = xstrdup("SDP"),
                     .element = xstrdup("surface 0, line 1"),
                     .launch = 3,
                     .cycle = 8285},
        .warnings_dropped = 7,
        .report = xstrdup("out/x/report.json"),
        .exit_status = 1,
        .seconds = 1.25,
        .cpu_seconds = 0.5,
        .memory_peak = 5ull << 30,
        .coverage = xstrdup("00ff"),
        .command = xstrdup("nvcosim run x"),
    };
    words_add(&result.warnings, "x.cfg:%d: SDP launch 0", 34);
    words_add(&result.notes, "a note");
    result_add_finding(&result, "rtl",
                       &(struct finding){.cycle = 77,
                                         .rule = "check-Stay",
                                         .owner = {NVDLA_SDP, 2},
                                         .instance = "u_sdp.u_out",
                                         .text = "u_sdp.u_out: SDP launch 2"});
    result_add_fault(&result, 3);
    result_add_fault(&result, 200);
    for (int i = 0; i < 2; i++)
        result.devices[i] = (struct result_device){.name = xstrdup(i ? "model" : "rtl"),
                                                   .outcome = xstrdup("passed"),
                                                   .checks = 430,
                                                   .clocked = i == 0,
                                                   .cycles = i ? 0 : 13043,
                                                   .cpu_seconds = 0.022,
                                                   .eval_share = 0.75};
    for (int id = 0; id < AXI_IDS; id++) {
        result.devices[0].read_beats[id] = (uint64_t)id;
        result.devices[0].write_beats[id] = (uint64_t)(100 + id);
    }
    return result;
}

static void test_round_trip(void **state) {
    (void)state;
    struct result out = full_result(), in;
    char *first = result_json(&out);
    assert_null(strchr(first, '\n'));
    assert_true(result_parse(first, &in));
    char *second = result_json(&in);
    assert_string_equal(first, second);
    assert_string_equal(in.trace, "a\nname");
    assert_int_equal(in.verdict, VERDICT_FAIL);
    assert_true(in.seed == (uint64_t)INT64_MAX && in.mismatch.address == 0x5a0000000 && in.mismatch.launch == 3);
    assert_true(in.seconds == 1.25 && in.compared && in.devices[0].clocked && !in.devices[1].clocked);
    assert_true(in.devices[0].eval_share == 0.75 && in.finding_count == 1 && in.findings[0].cycle == 77);
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
    free(first);
    free(second);
    result_free(&out);
    result_free(&in);
}

/* A result as most are: of a trace that passed. */
static struct result passing_result(void) {
    struct result result = full_result();
    result_free(&(struct result){.mismatch = result.mismatch,
                                 .findings = result.findings,
                                 .finding_count = result.finding_count,
                                 .trace = result.trace,
                                 .path = result.path,
                                 .reason = result.reason});
    result.mismatch = (struct result_mismatch){0};
    result.finding_count = 0;
    result.findings = NULL;
    for (int id = 0; id < AXI_IDS; id++) /* of clients that have a name */
        for (int write = 0; write < 2; write++)
            if (nvdla_client_find(id, write) == NVDLA_CLIENT_COUNT)
                (write ? result.devices[0].write_beats : result.devices[0].read_beats)[id] = 0;
    result.seed = 20261231;
    result.verdict = VERDICT_PASS;
    result.trace = xstrdup("item.name");
    result.path = xstrdup("/dir/name.nvt.gz");
    result.reason = xstrdup("");
    return result;
}

/* What the reader of such lines alone understands, the reader of JSON understands alike, whatever became of the line.
 */
static void check_scan(const char *line) {
    struct result scanned, parsed;
    char *other = xprintf(" %s", line); /* is left to the reader of JSON */
    assert_false(result_scan(other, &scanned));
    if (result_scan(line, &scanned)) {
        assert_true(result_parse(other, &parsed));
        char *first = result_json(&scanned), *second = result_json(&parsed);
        assert_string_equal(first, second);
        free(first);
        free(second);
        result_free(&scanned);
        result_free(&parsed);
    }
    free(other);
}

static void test_scan(void **state) {
    (void)state;
    static const char wrong[] = "\"\\{}[],:.0a9-ex \x01\x7f\xc3";
    struct result out = passing_result(), in;
    char *line = result_json(&out);
    assert_true(result_scan(line, &in));
    char *again = result_json(&in);
    assert_string_equal(again, line);
    free(again);
    result_free(&in);
    check_scan(line);
    const size_t n = strlen(line);
    for (size_t at = 0; at < n; at++) {
        const char kept = line[at];
        for (const char *c = wrong; *c; c++) {
            line[at] = *c;
            check_scan(line);
        }
        line[at] = '\0'; /* it ends there */
        check_scan(line);
        line[at] = kept;
        char *shorter = xprintf("%.*s%s", (int)at, line, line + at + 1);
        check_scan(shorter);
        free(shorter);
    }
    result_free(&out);
    out = full_result();
    char *failing = result_json(&out);
    assert_false(result_scan(failing, &in)); /* all of it is left to the reader of JSON */
    free(failing);
    free(line);
    result_free(&out);
}

/* What is taken from the line that a result was read from says the same as what is made anew. */
static void test_line_again(void **state) {
    (void)state;
    struct result out = full_result(), in;
    free(out.command);
    free(out.notes.items[0]);
    out.command = NULL;
    out.notes.items[0] = xstrdup(",\"coverage\":\"0\" ,\"exit_status\":1 ,\"operations\":1 }");
    char *line = result_json(&out);
    assert_true(result_parse(line, &in));
    in.exit_status = 7;
    in.seconds = 2.5;
    in.cpu_seconds = 3;
    in.memory_peak = 1ull << 40;
    in.command = xstrdup("nvcosim run 'a \"b\" \\'");
    for (int covered = 1; covered >= 0; covered--) {
        if (!covered) {
            free(in.coverage);
            in.coverage = NULL;
        }
        in.line = NULL;
        char *anew = result_json(&in);
        in.line = line;
        char *again = result_json(&in);
        assert_string_equal(again, anew);
        free(anew);
        free(again);
    }
    free(in.reason);
    in.reason = xstrdup("changed");
    in.line = line;
    char *taken = result_json(&in);
    assert_null(strstr(taken, "changed")); /* it is not made anew */
    free(taken);
    in.line = xstrdup("{\"verdict\": \"PASS\"}"); /* of another process: made anew */
    char *anew = result_json(&in);
    assert_non_null(strstr(anew, "\"exit_status\":7"));
    free(anew);
    free(line);
    result_free(&out);
    result_free(&in);
}

static void test_refused(void **state) {
    (void)state;
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

static void test_statuses(void **state) {
    (void)state;
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

static void test_texts(void **state) {
    (void)state;
    assert_text(text_shown("a\nb\tc\x1b[31m\x7f"), "a\\nb\\tc\\x1b[31m\\x7f");
    assert_text(text_shown("caf\xc3\xa9 \xc2\x9b"), "caf\xc3\xa9 \\xc2\\x9b");
    assert_text(text_quoted("--out=a/b.cfg"), "--out=a/b.cfg");
    assert_text(text_quoted(""), "''");
    assert_text(text_quoted("it's $x"), "'it'\\''s $x'");
    uint64_t value = 0;
    assert_true(text_number("0x10", 16, &value) && value == 16);
    assert_false(text_number("17", 16, &value) || text_number("-1", 16, &value) || text_number("1 ", 16, &value));
    struct words words = {0};
    for (int i = 0; i < 100; i++)
        words_add(&words, "word %d", i);
    assert_true(words.count == 100 && strcmp(words.items[99], "word 99") == 0 && words.items[100] == NULL);
    words_free(&words);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_scan),     cmocka_unit_test(test_line_again),
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_statuses), cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
