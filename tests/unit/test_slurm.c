/* What the runner and its jobs on a Slurm cluster tell each other: chunks and news as files, squeue's lines, and how
 * work is divided. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#undef test_free /* of cmocka */

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/engine/slurm_commands.h"
#include "regress/engine/slurm_files.h"

static char *make_folder(void) {
    char *folder = xstrdup("/tmp/test_slurm.XXXXXX");
    struct error err;
    assert_non_null(mkdtemp(folder));
    assert_true(slurm_folders(folder, &err));
    return folder;
}

static void remove_folder(char *folder) {
    char *command = xprintf("rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    free(command);
    free(folder);
}

/* ---- chunks ---- */

static void chunks_are_read_as_written(void **state) {
    (void)state;
    struct test tests[] = {{.key = (char *)"item/a", .seed = 7}, {.key = (char *)"item/b", .seed = 8}};
    for (size_t i = 0; i < 2; i++) {
        tests[i].item = (char *)"item";
        tests[i].trace = (char *)"/t/a b.nvt";
        tests[i].config = (char *)"small";
        tests[i].dut = (char *)"both";
        tests[i].memory = (char *)"";
        tests[i].expected_seconds = -1;
    }
    const struct chunk out = {.tests = tests, .numbers = (size_t[]){12, 3}, .count = 2, .end = 1234567890};
    struct chunk in;
    struct error err;
    char *folder = make_folder();
    assert_int_equal(slurm_chunk_count(folder), 0);
    assert_true(chunk_write(folder, 9, &out, &err));
    assert_int_equal(slurm_chunk_count(folder), 10);
    assert_true(chunk_read(folder, 9, &in, &err));
    assert_int_equal(in.count, 2);
    assert_int_equal(in.numbers[0], 12);
    assert_int_equal(in.numbers[1], 3);
    assert_string_equal(in.tests[1].key, "item/b");
    assert_string_equal(in.tests[0].trace, "/t/a b.nvt");
    assert_int_equal(in.tests[1].seed, 8);
    assert_true(in.end == 1234567890);
    chunk_free(&in);
    char *results = slurm_path(folder, "results", 9);
    assert_int_equal(access(results, W_OK), 0);
    free(results);
    remove_folder(folder);
}

static void bad_chunks_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "chunks/0:1: found '', expected the end of the night"},
        {"end x\n", "chunks/0:1: found 'end x'"},
        {"end 0\n", "chunks/0:1: found the end of the file, expected a test"},
        {"end 0\nx {}\n", "chunks/0:2: found 'x', expected the number of a test"},
        {"end 0\n1\n", "chunks/0:2: found '1', expected the number of a test"},
        {"end 0\n1 {\"key\":\n", "chunks/0:2: "},
    };
    char *folder = make_folder(), *path = slurm_path(folder, "chunks", 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct chunk chunk;
        struct error err;
        assert_true(file_write(path, cases[i].text, strlen(cases[i].text), &err));
        assert_false(chunk_read(folder, 0, &chunk, &err));
        if (!strstr(err.text, cases[i].message))
            fail_msg("%s: expected %s", err.text, cases[i].message);
    }
    free(path);
    remove_folder(folder);
}

/* Loads of the chunks; returns the heaviest. */
static double heaviest(const double *seconds, size_t count, const size_t *chunk_of, size_t chunks) {
    double most = 0;
    for (size_t k = 0; k < chunks; k++) {
        double load = 0;
        size_t tests = 0;
        for (size_t i = 0; i < count; i++) {
            load += chunk_of[i] == k ? seconds[i] : 0;
            tests += chunk_of[i] == k;
        }
        assert_true(tests > 0);
        most = load > most ? load : most;
    }
    return most;
}

static void work_is_divided(void **state) {
    (void)state;
    enum { COUNT = 200 };
    double seconds[COUNT];
    size_t chunk_of[COUNT];
    for (size_t i = 0; i < COUNT; i++)
        seconds[i] = 1 + (double)(i * 37 % 50); /* 5100 in all */
    size_t chunks = chunks_cut(seconds, COUNT, 300, 1, chunk_of);
    assert_int_equal(chunks, 17);
    assert_true(heaviest(seconds, COUNT, chunk_of, chunks) <= 310);
    /* enough for all processors, unless jobs got too short for that */
    assert_int_equal(chunks_cut(seconds, COUNT, 300, 40, chunk_of), 40);
    assert_int_equal(chunks_cut(seconds, COUNT, 300, 4000, chunk_of), 5100 / CHUNK_SHORTEST);
    /* what is asked for may be shorter; a test is not divided */
    chunks = chunks_cut(seconds, COUNT, 50, 1, chunk_of);
    assert_int_equal(chunks, 102);
    assert_true(heaviest(seconds, COUNT, chunk_of, chunks) <= 55);
    assert_int_equal(chunks_cut(seconds, COUNT, 1, 1, chunk_of), COUNT);
    assert_int_equal(chunks_cut(seconds, 1, 300, 2, chunk_of), 1);
    assert_int_equal(chunk_of[0], 0);
}

/* ---- news ---- */

static struct news pass_on(const struct news *news) {
    struct news back;
    char *line = news_line(news);
    const size_t n = strlen(line);
    assert_int_equal(line[n - 1], '\n');
    line[n - 1] = '\0';
    assert_null(strchr(line, '\n'));
    assert_true(news_parse(line, &back));
    for (size_t cut = 0; cut < n - 1; cut++) { /* of a line that is torn nothing is believed */
        struct news torn;
        line[n - 2 - cut] = '\0';
        assert_false(news_parse(line, &torn));
    }
    free(line);
    assert_int_equal(back.kind, news->kind);
    return back;
}

static void news_come_as_they_were(void **state) {
    (void)state;
    struct news back = pass_on(&(struct news){.kind = NEWS_BEGUN, .text = (char *)"n\n1"});
    assert_string_equal(back.text, "n\n1");
    news_free(&back);
    back = pass_on(&(struct news){.kind = NEWS_STARTED, .test = 17});
    assert_int_equal(back.test, 17);
    back = pass_on(&(struct news){.kind = NEWS_PROGRESS, .test = 17, .part = 0.25});
    assert_true(back.part == 0.25);
    struct news done = {.kind = NEWS_DONE, .test = 0};
    done.result =
        (struct result){.verdict = VERDICT_HANG, .config = (char *)"small", .reason = (char *)"it\n\"hangs\""};
    back = pass_on(&done);
    assert_int_equal(back.result.verdict, VERDICT_HANG);
    assert_string_equal(back.result.reason, "it\n\"hangs\"");
    news_free(&back);
    back = pass_on(&(struct news){.kind = NEWS_REFUSED, .text = (char *)"no folder"});
    assert_string_equal(back.text, "no folder");
    news_free(&back);
    back = pass_on(&(struct news){.kind = NEWS_ENDED});
    news_free(&back);
}

static void what_is_no_news_is_refused(void **state) {
    (void)state;
    static const char *const lines[] = {"",
                                        "x",
                                        "[]",
                                        "{}",
                                        "{\"started\":-1}",
                                        "{\"started\":\"1\"}",
                                        "{\"begun\":1}",
                                        "{\"done\":1}",
                                        "{\"done\":1,\"result\":{}}",
                                        "{\"done\":1,\"result\":{\"verdict\":\"FINE\",\"config\":\"small\"}}"};
    struct news news;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_false(news_parse(lines[i], &news));
}

/* ---- Slurm's commands ---- */

static void queue_lines_are_read(void **state) {
    (void)state;
    struct task task;
    assert_true(task_parse("41|3|RUNNING|0|None|nv-1.20|node7|", "nv-1", &task));
    assert_string_equal(task.job, "41");
    assert_int_equal(task.first, 20);
    assert_int_equal(task.chunk, 23);
    assert_int_equal(task.state, TASK_RUNNING);
    assert_string_equal(task.node, "node7");
    assert_true(task_parse("41|0|PENDING|0|Resources|nv-1.0||", "nv-1", &task));
    assert_int_equal(task.state, TASK_PENDING);
    assert_true(task_parse("41|0|COMPLETING|0|None|nv-1.0|n1|", "nv-1", &task));
    assert_int_equal(task.state, TASK_COMPLETING);
    static const struct {
        const char *line, *end;
    } ends[] = {
        {"41|0|COMPLETED|0|None|nv-1.0|n1|", "COMPLETED on node n1"},
        {"41|0|FAILED|512|NonZeroExitCode|nv-1.0|n1|", "FAILED, exit status 2 on node n1"},
        {"41|0|NODE_FAIL|0|NodeDown|nv-1.0|n1|", "NODE_FAIL (NodeDown) on node n1"},
        {"41|0|OUT_OF_MEMORY|9|OutOfMemory|nv-1.0|n1|", "OUT_OF_MEMORY, signal 9 (OutOfMemory) on node n1"},
        {"41|0|TIMEOUT|0|TimeLimit|nv-1.0|n1|", "TIMEOUT (TimeLimit) on node n1"},
        {"41|0|CANCELLED|0|None|nv-1.0||", "CANCELLED"},
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        assert_true(task_parse(ends[i].line, "nv-1", &task));
        assert_int_equal(task.state, TASK_ENDED);
        char *end = task_end(&task);
        assert_string_equal(end, ends[i].end);
        free(end);
    }
    static const char *const others[] = {
        "",
        "41|0|RUNNING|0|None|nv-2.0|n1|",
        "41|0|RUNNING|0|None|nv-10.0|n1|",
        "41|0|RUNNING|0|None|nv-1|n1|",
        "41|0|RUNNING|0|None|nv-1.x|n1|",
        "9|N/A|FAILED|1|BadConstraints|nv-1.0||",
        "41|0|RUNNING|0|None|nv-1.0",
        "slurm_load_jobs error: Unable to contact slurm controller (connect failure)",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(task_parse(others[i], "nv-1", &task));
}

static void words_are_split_as_by_a_shell(void **state) {
    (void)state;
    struct words words = {0};
    struct error err;
    assert_true(words_split("  --a=1 '--b=x y'\t--c=\"it's\" d\\ e '' ", &words, &err));
    assert_int_equal(words.count, 5);
    assert_string_equal(words.items[0], "--a=1");
    assert_string_equal(words.items[1], "--b=x y");
    assert_string_equal(words.items[2], "--c=it's");
    assert_string_equal(words.items[3], "d e");
    assert_string_equal(words.items[4], "");
    words_free(&words);
    assert_false(words_split("--a 'b", &words, &err));
    assert_string_equal(err.text, "--a 'b: the quote ' is not closed");
    words_free(&words);
    assert_true(words_split(" ", &words, &err));
    assert_int_equal(words.count, 0);
}

/* Runs a command of the shell to its end. */
static void shell(struct command *command, const char *script) {
    struct words words = {0};
    struct error err;
    words_add(&words, "sh");
    words_add(&words, "-c");
    words_add(&words, "%s", script);
    assert_true(command_start(command, &words, &err));
    words_free(&words);
    command_wait(command, 30);
}

static void commands_tell_what_they_say(void **state) {
    (void)state;
    struct command command = {0};
    shell(&command, "echo 12; echo 'sbatch: error: A' >&2; echo 'sbatch: error: invalid partition B' >&2; exit 1");
    assert_int_equal(command.status, 1);
    assert_string_equal(command.text, "12\n");
    assert_string_equal(command.words, "A; invalid partition B");
    assert_false(slurm_will_pass(&command));
    shell(&command, "echo 'slurm_load_jobs error: Unable to contact slurm controller (connect failure)' >&2; exit 1");
    assert_true(slurm_will_pass(&command));
    shell(&command, "echo 'sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit "
                    "limit, user'\"'\"'s size and/or time limits)' >&2; exit 1");
    assert_true(slurm_will_pass(&command));
    shell(&command, "exit 3");
    assert_string_equal(command.words, "it ended with status 3");
    shell(&command, "/nowhere/squeue");
    assert_int_equal(command.status, 127);
    command_free(&command);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_are_read_as_written),
        cmocka_unit_test(bad_chunks_are_refused),
        cmocka_unit_test(work_is_divided),
        cmocka_unit_test(news_come_as_they_were),
        cmocka_unit_test(what_is_no_news_is_refused),
        cmocka_unit_test(queue_lines_are_read),
        cmocka_unit_test(words_are_split_as_by_a_shell),
        cmocka_unit_test(commands_tell_what_they_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
