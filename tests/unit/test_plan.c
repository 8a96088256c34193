/* Plans: what a file says becomes tests, and errors are reported with their place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#undef test_free /* of cmocka */

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/plan/plan.h"

static const char today[] = "2026-06-15";

/* A folder with traces: plan.yml lies in FOLDER/plans, traces in FOLDER/traces. */
static char folder[200], plan_file[240];

static void put(const char *name, const char *text) {
    struct error err;
    char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *strrchr(path, '/') = '\0';
    assert_true(directory_make(path, &err));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(file_write(path, text, strlen(text), &err));
}

static int set_up(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/test_plan.XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    static const char small[] = "nvt 1\nconfig small\nmode streams\n", full[] = "nvt 1\nconfig full\nmode streams\n";
    put("traces/small/a_1.nvt.gz", small);
    put("traces/small/a_2.nvt.gz", small);
    put("traces/small/b_1.nvt", small);
    put("traces/full/f_1.nvt", full);
    put("traces/cfg/c_1/c_1.cfg", "");
    put("traces/txn/t_1/input.txn", "");
    put("traces/odd/notes.txt", "");
    put("traces/broken/x.nvt", "nvt 7\n");
    put("traces/twins/1/a.nvt", small);
    put("traces/twins/2/a.nvt", small);
    put("plans/plan.yml", "");
    snprintf(plan_file, sizeof plan_file, "%s/plans/plan.yml", folder);
    setenv("PLAN_TRACES", "../traces", 1);
    unsetenv("PLAN_NOTHING");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    char *command = xprintf("rm -rf '%s'", folder);
    const int status = system(command);
    free(command);
    return status;
}

/* The tests of a plan, which is right. */
static struct test_list expand(const char *text, uint64_t seed, const char *select) {
    struct error err = {.text = ""};
    struct test_list list;
    struct plan *plan = plan_parse(plan_file, text, strlen(text), &err);
    if (!plan)
        fail_msg("%s", err.text);
    if (!plan_expand(plan, seed, today, select, &list, &err))
        fail_msg("%s", err.text);
    plan_free(plan);
    return list;
}

/* What is said of a plan, which is wrong; behind the path of the plan. The text is static. */
static const char *refusal(const char *text, const char *select) {
    static struct error err;
    struct test_list list;
    err.text[0] = '\0';
    struct plan *plan = plan_parse(plan_file, text, strlen(text), &err);
    if (plan && plan_expand(plan, 1, today, select, &list, &err))
        fail_msg("not refused:\n%s", text);
    plan_free(plan);
    const size_t n = strlen(plan_file);
    return strncmp(err.text, plan_file, n) == 0 ? err.text + n : err.text;
}

static void assert_keys(const struct test_list *list, const char *keys) {
    struct text all = {0};
    text_add(&all, "", 0);
    for (size_t i = 0; i < list->count; i++)
        text_printf(&all, "%s%s", i ? " " : "", list->tests[i].key);
    assert_string_equal(all.text, keys);
    free(all.text);
}

static void everything_is_multiplied_in_order(void **state) {
    (void)state;
    struct test_list list = expand("memories: {slow: [--latency=200], rough: [--stall=300, --reorder]}\n"
                                   "limits: {seconds: 5m, memory: 2G}\n"
                                   "items:\n"
                                   "- name: c\n"
                                   "  traces: [../traces/small/a_*, '${PLAN_TRACES}/small/*']\n"
                                   "  dut: [both, 'rtl:mine', model]\n"
                                   "  memories: [default, rough]\n"
                                   "  options: [--strict, --pin=a=1]\n"
                                   "  exclude: a_2\n"
                                   "  reseed: 1\n"
                                   "  tags: [x, y]\n"
                                   "  limits: {cycles: 20M, memory: none}\n",
                                   7, NULL);
    assert_keys(&list, "c/a_1 c/a_1+1 c/a_1@rough c/a_1@rough+1 c/a_1,rtl-mine c/a_1,rtl-mine+1 c/a_1,rtl-mine@rough "
                       "c/a_1,rtl-mine@rough+1 c/a_1,model c/a_1,model+1 "
                       "c/b_1 c/b_1+1 c/b_1@rough c/b_1@rough+1 c/b_1,rtl-mine c/b_1,rtl-mine+1 c/b_1,rtl-mine@rough "
                       "c/b_1,rtl-mine@rough+1 c/b_1,model c/b_1,model+1");
    const struct test *test = &list.tests[3];
    char path[300];
    snprintf(path, sizeof path, "%s/traces/small/a_1.nvt.gz", folder);
    assert_string_equal(test->trace, path);
    assert_string_equal(test->item, "c");
    assert_null(test->generator);
    assert_string_equal(test->config, "small");
    assert_string_equal(test->dut, "both");
    assert_string_equal(test->memory, "rough");
    assert_int_equal(test->options.count, 4);
    assert_string_equal(test->options.items[0], "--stall=300");
    assert_string_equal(test->options.items[3], "--pin=a=1");
    assert_int_equal(test->tags.count, 2);
    assert_true(test->max_seconds == 300);
    assert_int_equal(test->max_cycles, 20000000);
    assert_int_equal(test->max_memory, 0);
    assert_true(test->expected_seconds < 0);
    assert_int_equal(list.tests[0].seed, 1);
    assert_int_equal(list.tests[2].seed, 1);
    assert_int_equal(test->seed, plan_seed(7, "c/a_1@rough+1"));
    assert_int_equal(list.tests[8].options.count, 1); /* the model has neither memory nor pins */
    assert_string_equal(list.tests[8].memory, "");
    test_list_free(&list);
}

static void a_trace_keeps_its_configuration_unless_another_is_asked_for(void **state) {
    (void)state;
    struct test_list list = expand("items:\n"
                                   "- {name: s, traces: ../traces/small/b_1.nvt, config: [small, large]}\n"
                                   "- {name: f, traces: ../traces/full/*, dut: model}\n"
                                   "- {name: c, traces: ../traces/cfg/*/*.cfg}\n"
                                   "- {name: d, traces: ../traces/cfg/*, config: large}\n"
                                   "- {name: t, traces: ../traces/txn/*/input.txn, dut: 'rtl:theirs', seed: 5}\n",
                                   1, NULL);
    assert_keys(&list, "s/b_1 s/b_1,large f/f_1,model c/c_1 d/c_1,large t/t_1,rtl-theirs");
    static const char *const configs[] = {"small", "large", "full", "small", "large", "full"};
    for (size_t i = 0; i < list.count; i++)
        assert_string_equal(list.tests[i].config, configs[i]);
    assert_int_equal(list.tests[5].seed, 5);
    test_list_free(&list);
}

static void random_layers_follow_the_seed_of_the_night(void **state) {
    (void)state;
    static const char plan[] = "memories: {slow: [--latency=200]}\n"
                               "items:\n"
                               "- name: r\n"
                               "  random: {engines: [mix, 'sdp,pdp'], count: 2}\n"
                               "  config: [small, large]\n"
                               "  memories: [default, slow]\n"
                               "- {name: fixed, random: {engines: mix, seeds: [3-4, 9]}}\n";
    struct test_list list = expand(plan, 7, NULL), again = expand(plan, 7, NULL), other = expand(plan, 8, NULL);
    assert_int_equal(list.count, 2 * 2 * 2 * 2 + 3);
    assert_string_equal(list.tests[0].key, "r/mix-0001");
    assert_string_equal(list.tests[1].key, "r/mix-0001@slow");
    assert_string_equal(list.tests[4].key, "r/sdp-pdp-0001");
    assert_string_equal(list.tests[8].key, "r/mix-0001,large");
    assert_string_equal(list.tests[16].key, "fixed/mix-s3");
    assert_string_equal(list.tests[18].trace, "layers/small_mix_9.nvt.gz");
    assert_int_equal(list.tests[18].layer_seed, 9);
    assert_int_equal(list.tests[18].seed, 1);
    assert_string_equal(list.tests[4].generator, "sdp,pdp");
    assert_string_equal(list.tests[0].trace, list.tests[1].trace); /* one layer, two memories */
    assert_int_equal(list.tests[0].layer_seed, plan_seed(7, "layer r/mix-0001"));
    assert_int_not_equal(list.tests[0].seed, list.tests[1].seed);
    for (size_t i = 0; i < list.count; i++) {
        assert_string_equal(list.tests[i].key, other.tests[i].key);
        assert_int_equal(list.tests[i].seed, again.tests[i].seed);
        assert_int_equal(list.tests[i].layer_seed, again.tests[i].layer_seed);
        if (i < 16) {
            assert_int_not_equal(list.tests[i].seed, other.tests[i].seed);
            assert_int_not_equal(list.tests[i].layer_seed, other.tests[i].layer_seed);
        } else
            assert_int_equal(list.tests[i].layer_seed, other.tests[i].layer_seed);
    }
    test_list_free(&list);
    test_list_free(&again);
    test_list_free(&other);
}

static void the_seeds_of_a_night_stay(void **state) {
    (void)state;
    assert_int_equal(test_hash(""), UINT64_C(0xcbf29ce484222325));
    assert_int_equal(test_hash("a"), UINT64_C(0xaf63dc4c8601ec8c));
    assert_int_equal(plan_seed(1, "layer random/mix-0001"), UINT64_C(0x7cab5a3f));
}

static void known_failures_excuse_until_their_day(void **state) {
    (void)state;
    struct test_list list = expand("memories: {slow: [--latency=200]}\n"
                                   "items:\n"
                                   "- {name: c, traces: ../traces/small/*, memories: [default, slow]}\n"
                                   "known_failures:\n"
                                   "- {test: 'c/a_*@slow', reason: issue 1, until: 2026-06-15}\n"
                                   "- {test: ['c/b_?', 'c/zzz'], reason: issue 2, until: 2026-06-14}\n"
                                   "- {test: 'd/*', reason: issue 3, until: 2027-01-01}\n"
                                   "- {test: 'c/a_1@*', reason: issue 4, until: 2027-01-01}\n",
                                   1, NULL);
    assert_keys(&list, "c/a_1 c/a_1@slow c/a_2 c/a_2@slow c/b_1 c/b_1@slow");
    for (size_t i = 0; i < list.count; i++)
        if (i == 1 || i == 3) {
            assert_string_equal(list.tests[i].known, "issue 1");
            assert_string_equal(list.tests[i].known_until, "2026-06-15");
        } else
            assert_null(list.tests[i].known);
    assert_int_equal(list.warnings.count, 2);
    assert_non_null(strstr(list.warnings.items[0], "plan.yml:6:3: known failure (issue 2): it was known until "
                                                   "2026-06-14; 1 test has to pass again"));
    assert_non_null(strstr(list.warnings.items[1], "plan.yml:7:3: known failure (issue 3): no test of the plan"));
    test_list_free(&list);
}

static void what_is_optional_may_be_missing(void **state) {
    (void)state;
    struct test_list list = expand(
        "items:\n"
        "- {name: a, traces: ../traces/small/*, exclude: zzz}\n"
        "- {name: b, traces: [../traces/none/*, '${PLAN_NOTHING}/x'], optional: yes}\n"
        "- {name: e, traces: '${PLAN_NOTHING}/x', optional: yes}\n"
        "- {name: d, traces: [../traces/none/*, '../traces/{small,full/none,cfg}/{b_*,*1,*.nvt}'], optional: yes}\n"
        "- {name: c, traces: '${PLAN_NOTHING:-../traces}/small/b_1*'}\n",
        1, NULL);
    assert_keys(&list, "a/a_1 a/a_2 a/b_1 d/c_1 d/b_1 c/b_1");
    assert_int_equal(list.warnings.count, 3);
    assert_non_null(strstr(list.warnings.items[0], ":2:49: exclude: 'zzz' matches the name of no trace"));
    assert_non_null(strstr(list.warnings.items[1], ":3:22: traces: found no file that matches "));
    assert_non_null(
        strstr(list.warnings.items[2], ":4:21: traces: the variable PLAN_NOTHING of the environment is not set"));
    test_list_free(&list);
}

static void the_night_has_its_settings(void **state) {
    (void)state;
    static const char text[] = "name: nightly run\ndatabase: ../nights.db\njobs: 3\nnight_seconds: 8h\n"
                               "slurm_options: --partition=night\n"
                               "triage: {debug: 0, debug_seconds: 90, shrink_seconds: 1.5m}\n"
                               "items: [{name: a, random: {engines: mix, count: 1}}]\n",
                      little[] = "items: [{name: a, random: {engines: mix, count: 1}}]\n";
    struct error err;
    struct plan *plan = plan_parse(plan_file, text, strlen(text), &err);
    assert_non_null(plan);
    struct plan_settings settings = plan_settings(plan);
    char path[300];
    snprintf(path, sizeof path, "%s/nights.db", folder);
    assert_string_equal(settings.name, "nightly run");
    assert_string_equal(settings.database, path);
    assert_string_equal(settings.slurm_options, "--partition=night");
    assert_int_equal(settings.jobs, 3);
    assert_int_equal(settings.debug_reports, 0);
    assert_true(settings.debug_seconds == 90 && settings.shrink_seconds == 90 && settings.night_seconds == 8 * 3600);
    plan_free(plan);
    plan = plan_parse(plan_file, little, strlen(little), &err);
    settings = plan_settings(plan);
    assert_string_equal(settings.name, "plan");
    assert_null(settings.database);
    assert_null(settings.slurm_options);
    assert_int_equal(settings.jobs, 0);
    assert_int_equal(settings.debug_reports, PLAN_DEBUG);
    assert_true(settings.night_seconds == 0);
    plan_free(plan);
    char *content;
    assert_null(plan_read("/nonexistent/plan.yml", &content, &err));
    assert_null(content);
    assert_non_null(strstr(err.text, "/nonexistent/plan.yml: "));
}

static void a_selection_leaves_what_it_names(void **state) {
    (void)state;
    static const char plan[] = "memories: {slow: [--latency=200]}\n"
                               "items:\n"
                               "- {name: c, traces: ../traces/small/*, memories: [default, slow], tags: [fast, own]}\n"
                               "- {name: m, traces: ../traces/full/*, dut: model, tags: slower}\n"
                               "- {name: r, random: {engines: [mix, sdp], seeds: 1-2}, tags: [random]}\n";
    static const char *const cases[][2] = {
        {"fast and not slow", "c/a_1 c/a_2 c/b_1"},
        {"slow", "c/a_1@slow c/a_2@slow c/b_1@slow"},
        {"default and fast", "c/a_1 c/a_2 c/b_1"},
        {"m", "m/f_1,model"},
        {"model or r and r/sdp-*", "m/f_1,model r/sdp-s1 r/sdp-s2"},
        {"(model OR r) AND *1*", "m/f_1,model r/mix-s1 r/sdp-s1"},
        {"not(fast or not random)and not r/mix-s?", "r/sdp-s1 r/sdp-s2"},
        {"not not full", "m/f_1,model"},
        {"c/b_1", "c/b_1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct test_list list = expand(plan, 1, cases[i][0]);
        assert_keys(&list, cases[i][1]);
        test_list_free(&list);
    }
    static const char *const wrong[][2] = {
        {"", "--select: found the end, expected a tag, a name, a pattern, not, or (\n  \n  ^"},
        {"fast and", "--select: found the end, expected a tag, a name, a pattern, not, or (\n  fast and\n          ^"},
        {"fast and ) or",
         "--select: found ')', expected a tag, a name, a pattern, not, or (\n  fast and ) or\n           ^"},
        {"fast slow", "--select: found 'slow', expected and, or, or the end\n  fast slow\n       ^"},
        {"(fast or slow", "--select: found '(' without its ')'\n  (fast or slow\n  ^"},
        {"(fast fast)", "--select: found 'fast', expected and, or, or )\n  (fast fast)\n        ^"},
        {"fast and not", "expected a tag, a name, a pattern, not, or (\n  fast and not\n              ^"},
        {"fast and not radnom", "as its key; did you mean random?\n  fast and not radnom\n               ^"},
        {"fast and random", "no test of the plan is chosen by this\n  fast and random\n  ^"},
        {"\xc3\xa4\x1b ", "\n  \xc3\xa4\\x1b \n  ^"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const char *text = refusal(plan, wrong[i][0]);
        if (!strstr(text, wrong[i][1]))
            fail_msg("'%s':\n%s\nexpected\n%s", wrong[i][0], text, wrong[i][1]);
    }
    char deep[402] = "";
    for (int i = 0; i < 60; i++)
        strcat(deep, "(");
    assert_non_null(strstr(refusal(plan, deep), "more than 50 parentheses"));
    memset(deep, 'x', 401);
    deep[401] = '\0';
    assert_non_null(strstr(refusal(plan, deep), "found 401 bytes, expected at most 400"));
}

static void what_is_wrong_is_told_with_its_place(void **state) {
    (void)state;
#define ITEM(rest) "items:\n- {name: a, " rest "}\n"
#define RANDOM "random: {engines: mix, count: 1}"
    static const char *const cases[][2] = {
        {"", ":1:1: found nothing; expected a document"},
        {"- a\n", ":1:1: plan: found a list, expected a mapping with some of the keys name, database, "},
        {"itmes: []\n", ":1:1: plan: found the key 'itmes', expected one of name, database, jobs, night_seconds, "
                        "slurm_options, limits, triage, memories, items, known_failures; did you mean items?"},
        {"name: x\n", ":1:1: plan: found no key items"},
        {"name: x\nname: y\n", ":2:1: found the key 'name' again; it is in line 1 already"},
        {"items:\n  - a\n b: c\n",
         ":3:2: not YAML: did not find expected key (while parsing a block mapping, which begins in "
         "line 1); keys of one mapping, and the '-' of one list, begin in the same column"},
        {"items:\n\t- a\n",
         ":2:1: not YAML: found character that cannot start any token (while scanning for the next token, "
         "which begins in line 2); a line is indented with blanks, not with tabs"},
        {"items: [\n", ":2:1: not YAML: "},
        {"[s: ", ":2:1: not YAML: "},
        {"a: \x01\n", ":1:4: found a control character (0x01); expected text"},
        {"a: b\nc: \xff\n", ":2:4: found a byte that is not UTF-8 (0xff); expected text in UTF-8"},
        {"name: \"a\\0b\"\n", ":1:7: found a text with a zero character in it"},
        {"name: !!int 3\n", ":1:7: found a tag"},
        {"name: *x\n", ":1:7: found *x; expected the name of an anchor, there is no &x before it"},
        {"items: &x [*x]\n", ":1:12: found *x inside of &x, a circle"},
        {"items: {<<: {a: b}}\n", ":1:9: found the merge key '<<'"},
        {"? [a]\n: b\n", ":1:3: found a list or a mapping as a key"},
        {"name: a\n---\nname: b\n", ":2:1: found a second document"},
        {"a: [[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]\n", ":1:19: found more than 16 lists and mappings in one another"},
        {"name:\n" ITEM(RANDOM), ":1:6: name: found nothing, expected a text of 1 to 400 bytes"},
        {"jobs: 0\n" ITEM(RANDOM), ":1:7: jobs: found '0', expected a number from 1 to 1024"},
        {"database: '${PLAN_NOTHING}/x'\n" ITEM(RANDOM),
         ":1:11: database: the variable PLAN_NOTHING of the environment is not set; set it, or give a text for this "
         "case: ${PLAN_NOTHING:-TEXT}"},
        {"database: '${2X}'\n" ITEM(RANDOM), ":1:11: database: found '${2X}', expected ${NAME} or ${NAME:-TEXT}"},
        {"database: '${PLAN_TRACES'\n" ITEM(RANDOM), ":1:11: database: found '${PLAN_TRACES', expected"},
        {"night_seconds: 5x\n" ITEM(RANDOM),
         ":1:16: night_seconds: found '5x', expected seconds, or a time such as 90s, 5m, 2h, or none"},
        {"night_seconds: 5.\n" ITEM(RANDOM), ":1:16: night_seconds: found '5.'"},
        {"night_seconds: -5\n" ITEM(RANDOM), ":1:16: night_seconds: found '-5'"},
        {"limits: {memory: 2X}\n" ITEM(RANDOM), ":1:18: limits: memory: found '2X', expected bytes"},
        {"limits: {memory: 9999999999T}\n" ITEM(RANDOM), ":1:18: limits: memory: found '9999999999T'"},
        {"limits: {cycles: 0}\n" ITEM(RANDOM), ":1:18: limits: cycles: found '0', expected core clocks, at least 1"},
        {"limits: {second: 1}\n" ITEM(RANDOM),
         ":1:10: limits: found the key 'second', expected one of seconds, cycles, memory; did you mean seconds?"},
        {"limits: 5\n" ITEM(RANDOM), ":1:9: limits: found '5', expected a mapping with some of the keys seconds, "},
        {"triage: {debug: x}\n" ITEM(RANDOM), ":1:17: triage: debug: found 'x', expected a number from 0 to 100000"},
        {"triage: {shrink_seconds: none}\n" ITEM(RANDOM),
         ":1:26: triage: shrink_seconds: found 'none', expected seconds, or a time such as 90s, 5m, 2h"},
        {"memories: [a]\n" ITEM(RANDOM), ":1:11: memories: found a list, expected a mapping of names"},
        {"memories: {default: [--reorder]}\n" ITEM(RANDOM), ":1:12: memories: found 'default', expected a name"},
        {"memories: {or: [--reorder]}\n" ITEM(RANDOM), ":1:12: memories: found 'or', expected a name"},
        {"memories: {a: []}\n" ITEM(RANDOM), ":1:15: a: found a list, expected a list of options of nvcosim run"},
        {"memories: {a: [--latecy=2]}\n" ITEM(RANDOM),
         ":1:16: a: found --latecy, which is not an option of nvcosim run; did you mean latency?"},
        {"memories: {a: [--latency]}\n" ITEM(RANDOM), ":1:16: a: found '--latency', expected --latency=N"},
        {"memories: {a: [--reorder=1]}\n" ITEM(RANDOM), ":1:16: a: found '--reorder=1', expected --reorder, which "},
        {"memories: {a: [--reorder, --stall=1000]}\n" ITEM(RANDOM),
         ":1:27: a: --stall: found '1000', expected a number from 0 to 999"},
        {"memories: {a: [--latency-max=90]}\n" ITEM(RANDOM), ":1:16: a: --latency-max: needs --latency-kind uniform"},
        {"memories: {a: [--seed=3]}\n" ITEM(RANDOM),
         ":1:16: a: found --seed, which regress sets itself: use the keys seed and reseed of the item"},
        {"items: []\n", ":1:8: items: found a list, expected a list of at least one mapping"},
        {"items: [x]\n", ":1:9: items: found 'x', expected a mapping with some of the keys name, traces, "},
        {"items:\n- " RANDOM "\n", ":2:3: items: found an item without the key name"},
        {"items:\n- {name: a b, " RANDOM "}\n", ":2:10: name: found 'a b', expected a name of letters"},
        {"items:\n- &i {name: a, " RANDOM "}\n- *i\n",
         ":2:13: name: found 'a' again; it is that of the item in line 2"},
        {ITEM("tags: x"), ":2:3: item a: found neither traces nor random, expected either traces"},
        {ITEM("traces: x, " RANDOM), ":2:3: item a: found both traces and random, expected either traces"},
        {ITEM("traces: ''"), ":2:21: traces: found '', expected a pattern of file names"},
        {ITEM("traces: [x, x]"), ":2:25: traces: found 'x' twice"},
        {ITEM("traces: [../traces/none*]"), "; `optional: yes` makes this a warning"},
        {ITEM("traces: ../traces/odd/*"), "notes.txt: not the name of a trace; expected NAME.cfg"},
        {ITEM("traces: ../traces/broken/x.nvt"), "x.nvt:1: found \"7\"; expected version 1 of the format"},
        {ITEM("traces: ../traces/twins/*/a.nvt"), ":2:10: item a: found two tests called a/a: "},
        {ITEM("traces: ../traces/small/*, exclude: '*'"), ": found no test in this plan"},
        {ITEM("traces: ../traces/small/*, config: [small, lagre]"),
         ":2:56: config: found 'lagre', expected a configuration: full, small, small_256, small_256_full, medium_512, "
         "medium_1024_full, large, large_compressed; did you mean large?"},
        {ITEM("traces: ../traces/small/*, config: full, dut: model"),
         ":2:48: config: found full, whose register map is not that of small, which "},
        {ITEM("traces: ../traces/full/*, config: small"),
         ":2:47: config: found small, whose register map is not that of full"},
        {ITEM(RANDOM ", dut: RTL"), ":2:52: dut: found 'RTL', expected both, model, rtl, or rtl:NAME"},
        {ITEM(RANDOM ", dut: model, memories: default"), ":2:69: memories: the model has none"},
        {ITEM(RANDOM ", memories: slwo"),
         ":2:57: memories: found 'slwo', expected default or a name of the plan's memories"},
        {"memories: {slow: [--latency=2]}\n" ITEM(RANDOM ", memories: slwo"),
         ":3:57: memories: found 'slwo', expected default or a name of the plan's memories: slow; did you mean slow?"},
        {ITEM(RANDOM ", tags: [and]"), ":2:54: tags: found 'and', expected a name"},
        {ITEM(RANDOM ", options: -v"),
         ":2:56: options: found '-v', expected an option of nvcosim run in its long form"},
        {ITEM(RANDOM ", options: [--strict, --threads=x]"), ":2:67: options: --threads: found 'x', expected a number"},
        {ITEM(RANDOM ", options: [--strict, --pin=a], dut: [both, model]"),
         ":2:67: options: --pin: found 'a', expected NAME=VALUE"},
        {ITEM(RANDOM ", options: [--strict, --reorder], dut: model"),
         ":2:67: options: --reorder has no effect with dut model"},
        {ITEM(RANDOM ", options: --checks, dut: model"), ":2:56: options: --checks: the model has none"},
        {"memories: {u: [--latency-kind=uniform, --latency-max=90]}\n" ITEM(RANDOM
                                                                            ", memories: u, options: --latency=91"),
         ":3:57: options and memories together: --latency-max: kind uniform needs a value of at least the read "
         "latency"},
        {ITEM(RANDOM ", seed: x"), ":2:53: seed: found 'x', expected a number from 0 to 2^63-1, or night"},
        {ITEM(RANDOM ", seed: 9223372036854775808"), ":2:53: seed: found '9223372036854775808'"},
        {ITEM(RANDOM ", reseed: 10001"), ":2:55: reseed: found '10001', expected a number from 0 to 10000"},
        {ITEM(RANDOM ", optional: yes"), ":2:57: optional: it is of items with the key traces"},
        {ITEM("traces: ../traces/small/*, optional: ja"), ":2:50: optional: found 'ja', expected yes or no"},
        {ITEM("random: {count: 1}"), ":2:21: random: expected the key engines"},
        {ITEM("random: {engines: mix}"), ":2:21: random: found neither count nor seeds, expected either count"},
        {ITEM("random: {engines: mix, count: 1, seeds: 1}"), ":2:21: random: found both count and seeds"},
        {ITEM("random: {engines: 'sdp,xdp', count: 1}"), ":2:31: engines: found 'sdp,xdp', expected conv, img, sdp"},
        {ITEM("random: {engines: bdma, count: 1}"),
         ":2:31: engines: found 'bdma', but configuration small has no bdma"},
        {ITEM("random: {engines: mix, count: 100001}"),
         ":2:43: count: found '100001', expected a number from 1 to 100000"},
        {ITEM("random: {engines: mix, count: 100000}, reseed: 2"), ":2:10: item a: found more than 200000 tests"},
        {ITEM("random: {engines: mix, seeds: 5-1}"), ":2:43: seeds: found '5-1', expected a seed, or a range"},
        {ITEM("random: {engines: mix, seeds: [1-5, 5]}"), ":2:49: seeds: found '5', expected no seed of 1-5, which "},
        {ITEM("random: {engines: mix, seeds: []}"), ":2:43: seeds: found a list, expected at least one seed or range"},
        {ITEM(RANDOM) "known_failures: [{test: x, reason: y}]\n",
         ":3:18: known_failures: found an entry without the key until, expected test, reason and until"},
        {ITEM(RANDOM) "known_failures: [{test: x, reason: y, until: 2026-02-29}]\n",
         ":3:46: until: found '2026-02-29', expected the last day on which it is known, YYYY-MM-DD"},
        {ITEM(RANDOM) "known_failures: [{test: x, reason: y, until: 1-2-3}]\n", ":3:46: until: found '1-2-3'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *text = refusal(cases[i][0], NULL);
        if (cases[i][1][0] == ':' && cases[i][1][1] != ' ' ? strncmp(text, cases[i][1], strlen(cases[i][1])) != 0
                                                           : !strstr(text, cases[i][1]))
            fail_msg("%s\nis told as\n%s\nexpected\n%s", cases[i][0], text, cases[i][1]);
    }
}

static void aliases_cannot_blow_up(void **state) {
    (void)state;
    struct text text = {0};
    text_printf(&text, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 10; i++) {
        text_printf(&text, "a%d: &a%d [", i, i);
        for (int k = 0; k < 10; k++)
            text_printf(&text, "%s*a%d", k ? ", " : "", i - 1);
        text_printf(&text, "]\n");
    }
    assert_non_null(strstr(refusal(text.text, NULL), ": found more than 100000 values, aliases counted as what they "));
    text.n = 0;
    for (int i = 0; i < 1001; i++)
        text_printf(&text, "a%d: b\n", i);
    assert_non_null(strstr(refusal(text.text, NULL), ":1001:1: found more than 1000 keys in one mapping"));
    while (text.n <= 1 << 20)
        text_printf(&text, "# a comment that is long, long\n");
    assert_non_null(strstr(refusal(text.text, NULL), ": found more than 1048576 bytes"));
    free(text.text);
    struct test_list list = expand("items:\n"
                                   "- {name: a, tags: &t [x, y], traces: &p ../traces/small/*}\n"
                                   "- {name: b, tags: *t, traces: *p}\n",
                                   1, "b and y");
    assert_keys(&list, "b/a_1 b/a_2 b/b_1");
    test_list_free(&list);
}

static void a_folder_may_be_called_like_a_pattern(void **state) {
    (void)state;
    static const char text[] = "items: [{name: a, traces: 'x/*'}, {name: b, traces: '../[o]*/x/*'}]";
    char file[300];
    struct error err = {.text = ""};
    struct test_list list;
    put("[odd]*/x/t.nvt", "nvt 1\nconfig small\nmode streams\n");
    put("odd/x/u.nvt", "nvt 1\nconfig small\nmode streams\n");
    snprintf(file, sizeof file, "%s/[odd]*/plan.yml", folder);
    struct plan *plan = plan_parse(file, text, strlen(text), &err);
    if (!plan || !plan_expand(plan, 1, today, NULL, &list, &err))
        fail_msg("%s", err.text);
    assert_keys(&list, "a/t b/u");
    plan_free(plan);
    test_list_free(&list);
}

/* Of this repository; unit tests run in its folder. */
static void the_plans_of_this_project_are_right(void **state) {
    (void)state;
    static const char *const files[] = {"plans/smoke.yml", "plans/nightly.yml"};
    setenv("NVDLA_CONFORMANCE", "/nonexistent", 1);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct error err = {.text = ""};
        struct test_list list;
        char *content;
        struct plan *plan = plan_read(files[i], &content, &err);
        if (!plan || !plan_expand(plan, 20261122, today, NULL, &list, &err))
            fail_msg("%s", err.text);
        assert_in_range(list.count, 1000, 30000);
        assert_non_null(strstr(content, "conformance"));
        free(content);
        assert_int_equal(list.warnings.count, i == 0 ? 0 : 6); /* one for each configuration of added traces */
        test_list_free(&list);
        plan_free(plan);
    }
}

/* The blocks of docs/plans.md that begin with the name of a plan. */
static void the_plans_of_the_manual_are_right(void **state) {
    (void)state;
    static const char *const names[] = {"my", "nightly"};
    struct error err = {.text = ""};
    char *manual;
    size_t n, found = 0;
    assert_true(file_read("docs/plans.md", &manual, &n, &err));
    for (const char *at = strstr(manual, "\n    name: "); at; at = strstr(at, "\n    name: ")) {
        struct text example = {0};
        for (at++; *at == '\n' || strncmp(at, "    ", 4) == 0; at += strcspn(at, "\n") + 1)
            text_printf(&example, "%.*s\n", (int)strcspn(at, "\n"), at);
        struct plan *plan = plan_parse(plan_file, example.text, example.n, &err);
        if (!plan)
            fail_msg("%s", err.text);
        assert_in_range(found, 0, 1);
        assert_string_equal(plan_settings(plan).name, names[found++]);
        plan_free(plan);
        free(example.text);
        at--;
    }
    assert_int_equal(found, 2);
    free(manual);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_is_multiplied_in_order),
        cmocka_unit_test(a_trace_keeps_its_configuration_unless_another_is_asked_for),
        cmocka_unit_test(random_layers_follow_the_seed_of_the_night),
        cmocka_unit_test(the_seeds_of_a_night_stay),
        cmocka_unit_test(known_failures_excuse_until_their_day),
        cmocka_unit_test(what_is_optional_may_be_missing),
        cmocka_unit_test(the_night_has_its_settings),
        cmocka_unit_test(a_selection_leaves_what_it_names),
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
        cmocka_unit_test(aliases_cannot_blow_up),
        cmocka_unit_test(a_folder_may_be_called_like_a_pattern),
        cmocka_unit_test(the_plans_of_this_project_are_right),
        cmocka_unit_test(the_plans_of_the_manual_are_right),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
