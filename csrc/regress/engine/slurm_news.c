/* Reads the files of news of the jobs as they grow. See slurm_parts.h. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "regress/engine/slurm_files.h"
#include "regress/engine/slurm_parts.h"
#include "run/process/process.h"

enum { READ_SECONDS = 1 /* between looks at the files */ };

void slurm_keep_result(struct slurm *slurm, size_t test, const char *host, struct result *result) {
    const struct engine_listener *listener = &slurm->job->listener;
    if (!slurm_is_open(slurm, test))
        return;
    if (!listener->ended(listener->context, test, host, result)) {
        slurm->broken = true;
        return;
    }
    slurm->done[test] = true;
    slurm->left--;
}

static void take_news_of_test(struct slurm *slurm, struct work *work, struct news *news) {
    const struct engine_listener *listener = &slurm->job->listener;
    const char *node = work->node ? work->node : "";
    if (news->test >= slurm->limit)
        return;
    work->any = true;
    if (news->kind == NEWS_STARTED)
        for (size_t i = 0; i < work->count; i++)
            work->started[i] = work->started[i] || work->tests[i] == news->test;
    if (news->kind == NEWS_DONE) {
        work->reported++;
        slurm_keep_result(slurm, news->test, node, &news->result);
    } else if (!slurm_is_open(slurm, news->test) || work < slurm->work + slurm->old) /* it no longer runs */
        return;
    else if (news->kind == NEWS_STARTED && listener->started)
        listener->started(listener->context, news->test, node);
    else if (news->kind == NEWS_PROGRESS && listener->progress)
        listener->progress(listener->context, news->test, news->part);
}

static void take_news(struct slurm *slurm, struct work *work, struct news *news) {
    char **text = news->kind == NEWS_BEGUN ? &work->node : &work->refused;
    switch (news->kind) {
    case NEWS_BEGUN:
    case NEWS_REFUSED:
        free(*text);
        *text = news->text;
        news->text = NULL;
        break;
    case NEWS_ENDED:
        work->closed = true;
        break;
    default:
        take_news_of_test(slurm, work, news);
    }
}

/* Takes in what a job has said since the last look. The file is opened anew each time: then, and only then, NFS asks
 * its server what there is. */
void slurm_read_news(struct slurm *slurm, size_t number) {
    struct work *work = &slurm->work[number];
    char *path = slurm_path(slurm->job->folder, "results", number);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct text text = {0};
    char bytes[1 << 14];
    for (ssize_t n; file >= 0 && (n = pread(file, bytes, sizeof bytes, work->at + (off_t)text.n)) > 0;)
        text_add(&text, bytes, (size_t)n);
    size_t taken = 0;
    for (char *end; taken < text.n && !slurm->broken; taken = (size_t)(end + 1 - text.text)) {
        char *line = text.text + taken;
        end = memchr(line, '\n', text.n - taken);
        if (!end)
            break;
        *end = '\0';
        struct news news;
        if (news_parse(line, &news)) {
            take_news(slurm, work, &news);
            news_free(&news);
        }
    }
    work->at += (off_t)taken;
    free(text.text);
    if (file >= 0)
        close(file);
    free(path);
}

/* Takes in what is new in all files in which something may be. */
void slurm_read_all(struct slurm *slurm) {
    for (size_t i = 0; i < slurm->submitted && !slurm->broken; i++) {
        const struct work *work = &slurm->work[i];
        const bool may_speak = work->state == WORK_RUNNING || work->state == WORK_ENDED || work->followed ||
                               (work->state == WORK_SUBMITTED && slurm->silent != 0) ||
                               (i < slurm->old && slurm->leftovers);
        if (may_speak)
            slurm_read_news(slurm, i);
    }
    slurm->next_read = process_clock() + READ_SECONDS;
}
