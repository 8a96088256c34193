/* Questions to the controller, one at a time: sinfo, squeue, scancel, scontrol. See slurm_parts.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/engine/slurm_files.h"
#include "regress/engine/slurm_parts.h"
#include "run/process/process.h"

enum {
    QUEUE_LONGEST = 15,      /* seconds between questions about the queue, and QUEUE_SHORTEST; a twentieth of the time
                                since the start between them */
    COMPLETING_SECONDS = 90, /* after which processes that do not end count as ended */
    RETRY_SHORTEST = 2,      /* before what failed is tried again, doubled each time */
    RETRY_LONGEST = 60,
    CANCEL_SECONDS = 20, /* for a command at the end */
};

void slurm_ask(struct slurm *slurm, enum asked asked, struct words *words) {
    struct error err;
    slurm->asked = asked;
    if (!command_start(&slurm->command, words, &err))
        slurm_fail(slurm, "%s", err.text);
    words_free(words);
}

/* What an unanswered question means; when it is asked again. */
double slurm_try_again(struct slurm *slurm, double *since) {
    const double now = process_clock();
    if (*since == 0)
        *since = now;
    slurm->retry = slurm->retry == 0 ? RETRY_SHORTEST : fmin(2 * slurm->retry, RETRY_LONGEST);
    return now + slurm->retry;
}

bool slurm_is_missing(struct slurm *slurm, const char *program) {
    if (slurm->command.status != 127)
        return false;
    slurm->gone = true;
    slurm_fail(
        slurm,
        "%s: command not found; --engine slurm needs Slurm's commands in PATH (Debian: slurm-client), --engine local "
        "does not",
        program);
    return true;
}

void slurm_ask_processors(struct slurm *slurm) {
    struct words words = {0};
    words_add(&words, "sinfo");
    words_add(&words, "--noheader");
    words_add(&words, "--format=%%C");
    slurm_ask(slurm, ASKED_PROCESSORS, &words);
}

/* Lines of allocated/idle/other/total. */
static void take_processors(struct slurm *slurm) {
    unsigned allocated, idle, other, total;
    if (slurm_is_missing(slurm, "sinfo"))
        return;
    for (const char *line = slurm->command.text; line && *line;
         line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (sscanf(line, "%u/%u/%u/%u", &allocated, &idle, &other, &total) == 4)
            slurm->processors += total - other;
}

static void ask_queue(struct slurm *slurm) {
    struct words words = {0};
    squeue_words(&words);
    slurm_ask(slurm, ASKED_QUEUE, &words);
}

/* Takes in what Slurm says of a chunk's job. */
static void take_task(struct work *work, const struct task *task) {
    const double now = process_clock();
    work->task = *task;
    if (work->state == WORK_OVER || work->state == WORK_ENDED)
        return;
    if (task->state == TASK_COMPLETING && work->completing == 0)
        work->completing = now;
    const bool stuck = task->state == TASK_COMPLETING && (work->closed || now - work->completing > COMPLETING_SECONDS);
    if (task->state == TASK_ENDED || stuck) {
        work->state = WORK_ENDED;
        work->ended = now;
    } else if (task->state != TASK_PENDING)
        work->state = WORK_RUNNING;
}

/* A person should know if every job waits for something that may never come. */
static void say_waiting(struct slurm *slurm, const char *reason, size_t count) {
    static const char *const usual[] = {"None", "Resources", "Priority", "BeginTime", ""};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(reason, usual[i]) == 0)
            return;
    if (slurm->waiting && strcmp(slurm->waiting, reason) == 0)
        return;
    free(slurm->waiting);
    slurm->waiting = xstrdup(reason);
    slurm_say(slurm, "%zu job%s of Slurm wait%s, and none runs: %s", count, count == 1 ? "" : "s",
              count == 1 ? "s" : "", reason);
}

static bool has_word(const struct words *words, const char *word) {
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->items[i], word) == 0)
            return true;
    return false;
}

static void take_leftover(struct slurm *slurm, const struct task *task, size_t *count) {
    if (task->state != TASK_PENDING && task->state != TASK_RUNNING)
        return;
    ++*count;
    if (!has_word(&slurm->to_cancel, task->job))
        words_add(&slurm->to_cancel, "%s", task->job);
}

static void take_lines(struct slurm *slurm, bool *seen) {
    size_t pending = 0, leftovers = 0;
    bool running = false;
    char reason[sizeof((struct task *)0)->reason] = "", *rest = slurm->command.text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        struct task task;
        if (!task_parse(line, slurm->name, &task))
            continue;
        if (task.chunk < slurm->old)
            take_leftover(slurm, &task, &leftovers);
        else if (slurm->unsure && task.first == slurm->submitted)
            slurm_have_submitted(slurm, task.job);
        if (task.chunk < slurm->old || task.chunk >= slurm->submitted)
            continue;
        seen[task.chunk] = true;
        take_task(&slurm->work[task.chunk], &task);
        running = running || task.state == TASK_RUNNING;
        pending += task.state == TASK_PENDING;
        if (task.state == TASK_PENDING)
            memcpy(reason, task.reason, sizeof reason);
    }
    if (pending > 0 && !running)
        say_waiting(slurm, reason, pending);
    if (slurm->leftovers && leftovers == 0) {
        slurm_read_all(slurm);
        slurm->leftovers = false;
        for (size_t i = 0; i < slurm->old; i++)
            chunk_give_up(slurm->job->folder, i);
    } else if (slurm->leftovers && !slurm->leftovers_said) {
        slurm->leftovers_said = true;
        slurm_say(slurm, "%zu job%s of Slurm that an earlier call submitted %s cancelled", leftovers,
                  leftovers == 1 ? "" : "s", leftovers == 1 ? "is" : "are");
    }
}

static void take_queue(struct slurm *slurm) {
    const double now = process_clock();
    if (slurm_is_missing(slurm, "squeue"))
        return;
    if (slurm->command.status != 0) {
        if (slurm->silent == 0)
            slurm_say(slurm, "squeue: %s; results of jobs that run still come in, and it is tried again",
                      slurm->command.words);
        slurm->next_queue = slurm_try_again(slurm, &slurm->silent);
        if (now - slurm->silent > GIVE_UP_SECONDS) {
            slurm_fail(slurm, "Slurm has not answered for %d minutes, squeue: %s; --resume continues where this ended",
                       GIVE_UP_SECONDS / 60, slurm->command.words);
            slurm->gone = true;
        }
        return;
    }
    if (slurm->silent != 0)
        slurm_say(slurm, "Slurm answers again");
    slurm->silent = 0;
    slurm->retry = slurm->rejected != 0 ? slurm->retry : 0;
    slurm->next_queue = now + fmin(fmax((now - slurm->start) / 20, QUEUE_SHORTEST), QUEUE_LONGEST);
    bool *seen = xcalloc(slurm->work_count, sizeof *seen);
    take_lines(slurm, seen);
    slurm->unsure = false;
    for (size_t i = slurm->old; i < slurm->submitted; i++) {
        struct work *work = &slurm->work[i];
        if (!seen[i] && (work->state == WORK_SUBMITTED || work->state == WORK_RUNNING)) {
            work->state = WORK_ENDED; /* so long ago that Slurm has forgotten it, or with its controller's memory */
            work->ended = now;
            work->task.name[0] = '\0';
            work->task.state = TASK_ENDED;
        }
    }
    free(seen);
}

static void ask_cancel(struct slurm *slurm) {
    struct words words = {0};
    words_add(&words, "scancel");
    words_add(&words, "--quiet");
    for (size_t i = 0; i < slurm->to_cancel.count; i++)
        words_add(&words, "%s", slurm->to_cancel.items[i]);
    words_free(&slurm->to_cancel);
    slurm_ask(slurm, ASKED_CANCEL, &words);
}

/* Jobs that wait keep off the bad nodes; of tasks that run already scontrol says that it is too late. */
static void ask_exclude(struct slurm *slurm) {
    struct words words = {0};
    char *job = slurm->to_exclude.items[--slurm->to_exclude.count];
    slurm->to_exclude.items[slurm->to_exclude.count] = NULL;
    words_add(&words, "scontrol");
    words_add(&words, "update");
    words_add(&words, "JobId=%s", job);
    words_add(&words, "ExcNodeList=%s", slurm->exclude.text);
    free(job);
    slurm_ask(slurm, ASKED_EXCLUDE, &words);
}

/* The night is over: jobs that have not begun never will, the others end after the test they are at. */
static void cancel_pending(struct slurm *slurm) {
    struct words words = {0};
    words_add(&words, "scancel");
    words_add(&words, "--quiet");
    words_add(&words, "--state=PENDING");
    for (size_t i = 0; i < slurm->submission_count; i++)
        words_add(&words, "%s", slurm->submissions[i].job);
    slurm->pending_cancelled = true;
    slurm_say(slurm, "the night is over: jobs of Slurm that have not begun are cancelled");
    slurm_ask(slurm, ASKED_CANCEL, &words);
}

void slurm_take_answer(struct slurm *slurm) {
    switch (slurm->asked) {
    case ASKED_PROCESSORS:
        take_processors(slurm);
        break;
    case ASKED_QUEUE:
        take_queue(slurm);
        break;
    case ASKED_SUBMIT:
        slurm_take_submit(slurm);
        break;
    case ASKED_CANCEL:
    case ASKED_EXCLUDE: /* squeue shows its effect */
        break;
    }
}

/* Asks what is to be asked next, if anything. */
void slurm_ask_next(struct slurm *slurm) {
    const double now = process_clock();
    const bool live = slurm_any_live(slurm);
    if (slurm_night_is_over(slurm) && !slurm->pending_cancelled && slurm->submission_count > 0 && live)
        cancel_pending(slurm);
    else if (slurm->to_cancel.count > 0)
        ask_cancel(slurm);
    else if (slurm->to_exclude.count > 0)
        ask_exclude(slurm);
    else if (now >= slurm->next_queue && (live || slurm->leftovers || slurm->unsure))
        ask_queue(slurm);
    else if (slurm->submitted < slurm->work_count && now >= slurm->next_submit && !slurm->unsure && !slurm->failed &&
             !slurm_night_is_over(slurm))
        slurm_submit(slurm);
}

/* True if a job may have something to do. */
static bool may_run(const struct work *work) {
    return work->task.state != TASK_ENDED && !work->closed && work->reported < work->count;
}

/* Cancels every job that may still run or begin. */
void slurm_cancel_all(struct slurm *slurm) {
    struct words words = {0};
    struct error err;
    command_wait(&slurm->command, CANCEL_SECONDS);
    if (slurm->command.text && slurm->asked == ASKED_SUBMIT && slurm->batch > 0)
        slurm_take_submit(slurm);
    words_add(&words, "scancel");
    words_add(&words, "--quiet");
    const size_t before = words.count;
    for (size_t i = 0; i < slurm->submission_count; i++) {
        const struct submission *submission = &slurm->submissions[i];
        bool needed = false;
        for (size_t k = submission->first; k < submission->first + submission->count; k++)
            needed = needed || may_run(&slurm->work[k]);
        if (needed)
            words_add(&words, "%s", submission->job);
    }
    const bool jobs = words.count > before;
    if (jobs && command_start(&slurm->command, &words, &err)) {
        command_wait(&slurm->command, CANCEL_SECONDS);
        if (slurm->command.status != 0) {
            struct text text = {0};
            for (size_t i = before; i < words.count; i++)
                text_printf(&text, " %s", words.items[i]);
            slurm_say(
                slurm,
                "scancel: %s; the jobs continue, `scancel%s` ends them, and --resume takes in what they have done",
                slurm->command.words, text.text);
            free(text.text);
        }
    }
    words_free(&words);
    if (slurm->unsure) { /* whether sbatch has made that job */
        words_add(&words, "scancel");
        words_add(&words, "--quiet");
        words_add(&words, "--name=%s.%zu", slurm->name, slurm->submitted);
        if (command_start(&slurm->command, &words, &err))
            command_wait(&slurm->command, CANCEL_SECONDS);
        words_free(&words);
    }
}
