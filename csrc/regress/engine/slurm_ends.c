/* Jobs that have ended: what they left undone is submitted again; a test that ends every job is given up. See
 * slurm_parts.h. */
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/engine/slurm_files.h"
#include "regress/engine/slurm_parts.h"
#include "run/process/process.h"

enum {
    GRACE_SECONDS = 4, /* until what an ended job has said is seen for certain */
    ATTEMPTS = 3,      /* jobs that may end under one test */
    FRUITLESS = 4,     /* jobs that may end one after the other before any of their tests starts */
};

/* The end of what a job has printed, at most that much; "" where there is nothing, NULL where there is no log. */
static char *log_end(const struct slurm *slurm, const struct task *task, size_t most) {
    char *path = xprintf("%s/slurm/logs/%zu.%zu.log", slurm->job->folder, task->first, task->chunk - task->first);
    char *text = NULL;
    size_t n;
    struct error err;
    if (task->name[0] && file_read(path, &text, &n, &err) && n > most)
        memmove(text, text + n - most, most + 1);
    free(path);
    return text;
}

/* A result for a test that every job which began it has ended under. */
static void give_up_test(struct slurm *slurm, const struct work *work, size_t number, const char *cause) {
    const struct test *test = &slurm->job->tests[number];
    struct result result = {
        .verdict = VERDICT_CRASH,
        .trace = test_name(test),
        .path = test_trace(test, slurm->job->folder),
        .config = xstrdup(test->config),
        .dut = xstrdup(strcmp(test->dut, "both") == 0 ? "rtl+model" : test->dut),
        .seed = test->seed,
        .reason = xprintf("%u jobs of Slurm ended while it ran, the last one: %s", slurm->failures[number], cause),
        .output = log_end(slurm, &work->task, 4096),
        .command = test_command(test),
    };
    slurm_keep_result(slurm, number, work->node ? work->node : work->task.node, &result);
    result_free(&result);
}

/* A node on which a job ended before a test began gets no further jobs. */
static void leave_out_node(struct slurm *slurm, const struct work *work, const char *cause) {
    const char *node = work->task.node;
    for (size_t i = 0; i < slurm->bad.count; i++)
        if (strcmp(slurm->bad.items[i], node) == 0)
            return;
    words_add(&slurm->bad, "%s", node);
    text_printf(&slurm->exclude, "%s%s", slurm->exclude.n ? "," : "", node);
    slurm_say(slurm, "node %s gets no further jobs: the one there ended before it began a test: %s", node, cause);
    for (size_t i = 0; i < slurm->submission_count; i++)
        if (slurm->submissions[i].job[0])
            words_add(&slurm->to_exclude, "%s", slurm->submissions[i].job);
}

/* Why a job has ended with tests undone; free() it. */
static char *end_cause(const struct slurm *slurm, const struct work *work) {
    char *end = task_end(&work->task), *log = log_end(slurm, &work->task, 512), *cause = NULL;
    if (work->refused)
        cause = xprintf("%s: %s", end, work->refused);
    else if (!work->any && !work->node && work->task.name[0] && work->task.node[0] && (!log || !log[0]))
        cause = xprintf("%s, without a word: does the node see %s?", end, slurm->job->folder);
    else if (!work->any && log && log[0]) {
        size_t n = strlen(log);
        while (n > 0 && log[n - 1] == '\n')
            log[--n] = '\0';
        const char *last = strrchr(log, '\n');
        cause = xprintf("%s: %s", end, last ? last + 1 : log);
    }
    free(log);
    if (!cause)
        return end;
    free(end);
    return cause;
}

/* What a job has left undone is submitted again: each test that had begun alone, for it may be the one that ends jobs,
 * the others together. */
static void again(struct slurm *slurm, size_t number, const char *cause) {
    const bool preempted = strcmp(slurm->work[number].task.name, "PREEMPTED") == 0;
    const size_t count = slurm->work[number].count;
    const bool any = slurm->work[number].any;
    const unsigned fruitless = any ? 0 : slurm->work[number].fruitless + !preempted;
    size_t others = 0;
    if (fruitless > FRUITLESS) {
        slurm_fail(slurm, "%u jobs ended one after the other before they began a test, the last one: %s", fruitless,
                   cause);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct work *work = &slurm->work[number]; /* slurm_add_work() moves it */
        const size_t test = work->tests[i];
        if (!slurm_is_open(slurm, test))
            continue;
        if (!work->started[i]) {
            others++;
            continue;
        }
        slurm->failures[test] += !preempted;
        if (slurm->failures[test] >= ATTEMPTS)
            give_up_test(slurm, work, test, cause);
        else {
            struct work *alone = slurm_add_work(slurm, 1);
            alone->tests[alone->count++] = test;
        }
    }
    if (others == 0)
        return;
    struct work *rest = slurm_add_work(slurm, others);
    const struct work *work = &slurm->work[number];
    rest->fruitless = fruitless;
    for (size_t i = 0; i < count; i++)
        if (slurm_is_open(slurm, work->tests[i]) && !work->started[i])
            rest->tests[rest->count++] = work->tests[i];
}

/* Closes a job that has ended. */
static void finish_work(struct slurm *slurm, size_t number) {
    struct work *work = &slurm->work[number];
    const size_t left = slurm_open_tests(slurm, work);
    work->state = WORK_OVER;
    if (left == 0 || slurm_night_is_over(slurm))
        return;
    char *cause = end_cause(slurm, work);
    const bool at_fault = strcmp(work->task.name, "FAILED") == 0;
    work->followed = !work->closed;
    chunk_give_up(slurm->job->folder, number);
    slurm_say(slurm, "job %s_%zu of Slurm ended with %zu of %zu tests undone: %s", work->task.job,
              number - work->task.first, left, work->count, cause);
    if (!work->any && at_fault && work->task.node[0])
        leave_out_node(slurm, work, cause);
    again(slurm, number, cause);
    free(cause);
}

/* Judges all jobs by what they have said and what Slurm has. */
void slurm_settle(struct slurm *slurm) {
    const double now = process_clock();
    for (size_t i = slurm->old; i < slurm->submitted && !slurm->broken; i++) {
        struct work *work = &slurm->work[i];
        if (!slurm_is_live(work))
            continue;
        if (slurm_open_tests(slurm, work) == 0) {
            if (work->task.state == TASK_PENDING && work->task.job[0]) /* a job that was believed lost did it */
                words_add(&slurm->to_cancel, "%s_%zu", work->task.job, i - work->task.first);
            work->state = WORK_OVER;
        } else if (work->state == WORK_ENDED && (work->closed || now - work->ended > GRACE_SECONDS)) {
            slurm_read_news(slurm, i);
            finish_work(slurm, i);
        }
    }
}
