/* Submits chunks as arrays of jobs, and deals with an answer of sbatch that got lost. See slurm_parts.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nvdla/xalloc.h"
#include "regress/engine/slurm_files.h"
#include "regress/engine/slurm_parts.h"
#include "run/process/process.h"

/* The sbatch of the first chunks that wait has done its work. */
void slurm_have_submitted(struct slurm *slurm, const char *job) {
    slurm->submissions = xgrow(slurm->submissions, slurm->submission_count, sizeof *slurm->submissions);
    struct submission *submission = &slurm->submissions[slurm->submission_count++];
    *submission = (struct submission){.first = slurm->submitted, .count = slurm->batch};
    snprintf(submission->job, sizeof submission->job, "%s", job);
    size_t tests = 0;
    for (size_t i = 0; i < slurm->batch; i++) {
        struct work *work = &slurm->work[slurm->submitted++];
        work->state = WORK_SUBMITTED;
        snprintf(work->task.job, sizeof work->task.job, "%s", job);
        work->task.first = submission->first;
        work->task.chunk = slurm->submitted - 1;
        tests += work->count;
    }
    slurm_say(slurm, "job %s of Slurm: %zu task%s with %zu test%s", job, slurm->batch, slurm->batch == 1 ? "" : "s",
              tests, tests == 1 ? "" : "s");
    slurm->batch = 0;
    slurm->unsure = false;
    slurm->rejected = 0;
    slurm->retry = 0;
}

/* Each chunk is written once: where it is not known whether sbatch has failed, its job may speak already. */
static bool write_batch(struct slurm *slurm) {
    struct error err;
    const double end = slurm->job->end == 0 ? 0 : (double)time(NULL) + slurm->job->end - process_clock();
    for (; slurm->written < slurm->submitted + slurm->batch; slurm->written++) {
        const struct work *work = &slurm->work[slurm->written];
        struct chunk chunk = {.tests = xcalloc(work->count, sizeof *chunk.tests),
                              .numbers = work->tests,
                              .count = work->count,
                              .end = end};
        for (size_t i = 0; i < work->count; i++)
            chunk.tests[i] = slurm->job->tests[work->tests[i]];
        const bool ok = chunk_write(slurm->job->folder, slurm->written, &chunk, &err);
        free(chunk.tests);
        if (!ok) {
            slurm_fail(slurm, "%s", err.text);
            return false;
        }
    }
    return true;
}

void slurm_submit(struct slurm *slurm) {
    struct words words = {0};
    const size_t waiting = slurm->work_count - slurm->submitted;
    slurm->batch = waiting < slurm->batch_most ? waiting : slurm->batch_most;
    if (!write_batch(slurm))
        return;
    struct text logs = {0}; /* % begins a pattern there */
    for (const char *at = slurm->job->folder; *at; at++)
        text_printf(&logs, *at == '%' ? "%%%%" : "%c", *at);
    words_add(&words, "sbatch");
    words_add(&words, "--parsable");
    words_add(&words, "--nodes=1");
    words_add(&words, "--ntasks=1");
    for (size_t i = 0; i < slurm->options.count; i++)
        words_add(&words, "%s", slurm->options.items[i]);
    if (slurm->exclude.n)
        words_add(&words, "--exclude=%s", slurm->exclude.text);
    words_add(&words, "--no-requeue"); /* what is undone is seen here, and goes to a new job */
    words_add(&words, "--job-name=%s.%zu", slurm->name, slurm->submitted);
    words_add(&words, "--array=0-%zu", slurm->batch - 1);
    words_add(&words, "--chdir=%s/slurm", slurm->job->folder);
    words_add(&words, "--output=%s/slurm/logs/%zu.%%a.log", logs.text, slurm->submitted);
    words_add(&words, "%s", slurm->script);
    words_add(&words, "%zu", slurm->submitted);
    free(logs.text);
    slurm_ask(slurm, ASKED_SUBMIT, &words);
}

void slurm_take_submit(struct slurm *slurm) {
    struct command *command = &slurm->command;
    const double now = process_clock();
    if (command->status == 0 && command->text[0]) {
        command->text[strcspn(command->text, ";\n")] = '\0'; /* JOB or JOB;CLUSTER */
        slurm->next_queue = fmin(slurm->next_queue, now + QUEUE_SHORTEST);
        slurm_have_submitted(slurm, command->text);
        return;
    }
    if (slurm_is_missing(slurm, "sbatch"))
        return;
    if (strstr(command->words, "Invalid job array specification") && slurm->batch > 1) {
        slurm->batch_most = slurm->batch / 2; /* MaxArraySize is smaller here */
        slurm->batch = 0;
        return;
    }
    if (!slurm_will_pass(command)) {
        slurm->batch = 0;
        slurm_fail(slurm, "sbatch: %s%s%s", command->words,
                   slurm->bad.count ? "; nodes left out because jobs end there before they begin a test: " : "",
                   slurm->bad.count ? slurm->exclude.text : "");
        return;
    }
    if (slurm->rejected == 0)
        slurm_say(slurm, "sbatch: %s; it is tried again", command->words);
    slurm->next_submit = slurm_try_again(slurm, &slurm->rejected);
    slurm->next_queue = now;
    slurm->unsure = true;
    if (now - slurm->rejected > GIVE_UP_SECONDS && !slurm_any_live(slurm))
        slurm_fail(slurm, "Slurm has taken no job for %d minutes, sbatch: %s; --resume continues where this ended",
                   GIVE_UP_SECONDS / 60, command->words);
}
