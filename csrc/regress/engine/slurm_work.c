/* The work on the cluster: tests in chunks, and which of them are open. See slurm_parts.h. */
#include <stdio.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "regress/engine/slurm_files.h"
#include "regress/engine/slurm_parts.h"
#include "run/process/process.h"

enum {
    CHUNK_SECONDS = 300,
    GUESSED_SECONDS = 10, /* of a test without a history */
};

void slurm_say(const struct slurm *slurm, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *line = xvprintf(format, arguments), *shown = text_shown(line);
    va_end(arguments);
    if (slurm->job->listener.message)
        slurm->job->listener.message(slurm->job->listener.context, shown);
    else
        fprintf(stderr, "nvcosim: %s\n", shown);
    free(shown);
    free(line);
}

void slurm_fail(struct slurm *slurm, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *line = xvprintf(format, arguments);
    va_end(arguments);
    if (!slurm->failed)
        error_set(&slurm->error, "%s", line);
    slurm->failed = true;
    free(line);
}

bool slurm_night_is_over(const struct slurm *slurm) {
    return slurm->job->end != 0 && process_clock() >= slurm->job->end;
}

bool slurm_is_live(const struct work *work) {
    return work->state == WORK_SUBMITTED || work->state == WORK_RUNNING || work->state == WORK_ENDED;
}

bool slurm_any_live(const struct slurm *slurm) {
    for (size_t i = slurm->old; i < slurm->submitted; i++)
        if (slurm_is_live(&slurm->work[i]))
            return true;
    return false;
}

bool slurm_is_open(const struct slurm *slurm, size_t test) {
    return slurm->wanted[test] && !slurm->done[test];
}

size_t slurm_open_tests(const struct slurm *slurm, const struct work *work) {
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++)
        count += slurm_is_open(slurm, work->tests[i]);
    return count;
}

/* Adds a chunk, to be submitted. */
struct work *slurm_add_work(struct slurm *slurm, size_t most) {
    slurm->work = xgrow(slurm->work, slurm->work_count, sizeof *slurm->work);
    struct work *work = &slurm->work[slurm->work_count++];
    *work = (struct work){.tests = xcalloc(most, sizeof *work->tests), .started = xcalloc(most, sizeof *work->started)};
    return work;
}

/* Divides the open tests among chunks. */
void slurm_cut(struct slurm *slurm) {
    const double chunk_seconds = slurm->job->chunk_seconds > 0 ? slurm->job->chunk_seconds : CHUNK_SECONDS;
    size_t *tests = xcalloc(slurm->left, sizeof *tests), *chunk_of = xcalloc(slurm->left, sizeof *chunk_of), count = 0;
    for (size_t i = 0; i < slurm->job->count; i++)
        if (slurm_is_open(slurm, slurm->job->order[i]))
            tests[count++] = slurm->job->order[i];
    double *seconds = xcalloc(count, sizeof *seconds);
    for (size_t i = 0; i < count; i++)
        seconds[i] =
            slurm->job->seconds && slurm->job->seconds[tests[i]] > 0 ? slurm->job->seconds[tests[i]] : GUESSED_SECONDS;
    const size_t chunks = chunks_cut(seconds, count, chunk_seconds, slurm->processors, chunk_of),
                 first = slurm->work_count;
    size_t *sizes = xcalloc(chunks, sizeof *sizes);
    for (size_t i = 0; i < count; i++)
        sizes[chunk_of[i]]++;
    for (size_t k = 0; k < chunks; k++)
        slurm_add_work(slurm, sizes[k]);
    for (size_t i = 0; i < count; i++) {
        struct work *work = &slurm->work[first + chunk_of[i]];
        work->tests[work->count++] = tests[i];
    }
    free(sizes);
    free(seconds);
    free(chunk_of);
    free(tests);
}
