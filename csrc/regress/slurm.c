/* The tests of a night as jobs of a Slurm cluster: arrays of jobs that last some minutes each, whose results come by
 * files on a folder that all nodes share (slurm_files.h). The runner follows these files, asks squeue what became of
 * the jobs, and submits anew what a job has left undone when it ended, by itself or with its node.
 *
 * Nothing that a job has said is lost, whatever happens to the job, the controller or the runner: results are taken
 * from the files alone, each once; a runner that comes back (--resume) reads all files of the night first and cancels
 * what an earlier one had submitted. Jobs are known by their names, NAME.FIRST, where NAME is made once for the folder
 * of a night and FIRST is the chunk of the array's first task: so also those are found whose number got lost with an
 * answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/engine.h"
#include "regress/slurm_commands.h"
#include "regress/slurm_files.h"
#include "run/process.h"

enum {
    TICK_MS = 100,
    READ_SECONDS = 1,        /* between looks at the files */
    QUEUE_SHORTEST = 2,      /* between questions to the controller: a twentieth of the time since the start, */
    QUEUE_LONGEST = 15,      /* within these */
    GRACE_SECONDS = 4,       /* until what an ended job has said is seen for certain */
    COMPLETING_SECONDS = 90, /* after which processes that do not end count as ended */
    RETRY_SHORTEST = 2,      /* before what failed is tried again, doubled each time */
    RETRY_LONGEST = 60,
    GIVE_UP_SECONDS = 1800, /* without an answer of the controller */
    CANCEL_SECONDS = 20,    /* for a command at the end */
    ARRAY_MOST = 1000,      /* tasks of one array: Slurm's own default for MaxArraySize is 1001 */
    ATTEMPTS = 3,           /* jobs that may end under one test */
    FRUITLESS = 4,          /* jobs that may end one after the other before any of their tests starts */
    CHUNK_SECONDS = 300,
    GUESSED_SECONDS = 10, /* of a test of which nothing is known */
};

enum work_state {
    WORK_WAITING, /* to be submitted */
    WORK_SUBMITTED,
    WORK_RUNNING,
    WORK_ENDED, /* says Slurm: what its job has said may not have been seen yet */
    WORK_OVER,
};

/* A chunk, and the job that runs it. Its place in slurm->work is its number. */
struct work {
    enum work_state state;
    size_t *tests;
    bool *started; /* of each of them */
    size_t count;
    unsigned fruitless; /* jobs that ended before a test started, one after the other, until this one */
    bool followed;      /* it may still say something, though it is over: its node was lost, perhaps it is not */
    bool closed;        /* it said that it has come to its end */
    bool any;           /* it said anything of a test */
    size_t told;        /* results that it has told */
    off_t at;           /* place in its file behind the last whole line */
    char *node;
    char *refused;     /* why it did not go on, in its own words */
    struct task task;  /* as Slurm showed it last */
    double ended;      /* process_clock() of the end, as Slurm has it */
    double completing; /* since when its processes are being ended, 0: they are not */
};

/* An array of jobs. */
struct submission {
    size_t first, count; /* chunks */
    char job[32];        /* its number, "" where the answer of sbatch got lost */
};

enum asked { ASKED_PROCESSORS, ASKED_QUEUE, ASKED_SUBMIT, ASKED_CANCEL, ASKED_EXCLUDE };

struct slurm {
    const struct engine_job *job;
    struct words options; /* for sbatch, by the user */
    struct text exclude;  /* nodes that get no job, comma between: those of the user and those below */
    struct words bad;     /* nodes on which jobs do not come to a test */
    char *name;           /* of the jobs of the night */
    char *script;         /* of all jobs */
    size_t limit;         /* tests of the night have numbers below */
    bool *wanted, *done;  /* tests that are to run; that have results */
    unsigned *failures;   /* jobs that ended under a test */
    size_t left;          /* tests without a result */
    struct work *work;
    size_t work_count;
    size_t old;       /* chunks below are an earlier runner's */
    size_t submitted; /* chunks below have been submitted */
    size_t written;   /* chunks below have their files */
    struct submission *submissions;
    size_t submission_count;
    size_t processors;
    struct command command;
    enum asked asked;
    size_t batch;      /* chunks of the sbatch that runs, or that failed and may have done its work all the same */
    size_t batch_most; /* of one array */
    bool unsure;       /* whether it has: squeue knows */
    bool leftovers;    /* jobs of an earlier runner may be there */
    bool leftovers_told;
    bool pending_cancelled;             /* the night is over: what has not begun will not */
    struct words to_cancel, to_exclude; /* numbers of jobs: to be cancelled; that are to keep off the bad nodes */
    double start, next_read, next_queue, next_submit, retry;
    double silent;   /* since when the controller has not answered, 0: it does */
    double rejected; /* since when no job is taken, 0: they are */
    char *waiting;   /* reason that all jobs wait for, if it was told */
    bool broken;     /* the listener could not keep a result */
    bool failed;     /* no more can be submitted: error tells why */
    bool gone;       /* the controller is: nothing more will be known of jobs */
    struct error error;
    int signals;
};

/* ---- talk ---- */

__attribute__((format(printf, 2, 3))) static void say(const struct slurm *slurm, const char *format, ...) {
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

/* The first failure is the one that is told. */
__attribute__((format(printf, 2, 3))) static void fail(struct slurm *slurm, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *line = xvprintf(format, arguments);
    va_end(arguments);
    if (!slurm->failed)
        error_set(&slurm->error, "%s", line);
    slurm->failed = true;
    free(line);
}

static bool night_is_over(const struct slurm *slurm) {
    return slurm->job->end != 0 && process_clock() >= slurm->job->end;
}

static bool is_live(const struct work *work) {
    return work->state == WORK_SUBMITTED || work->state == WORK_RUNNING || work->state == WORK_ENDED;
}

static bool any_live(const struct slurm *slurm) {
    for (size_t i = slurm->old; i < slurm->submitted; i++)
        if (is_live(&slurm->work[i]))
            return true;
    return false;
}

static bool is_open(const struct slurm *slurm, size_t test) {
    return slurm->wanted[test] && !slurm->done[test];
}

static size_t open_tests(const struct slurm *slurm, const struct work *work) {
    size_t count = 0;
    for (size_t i = 0; i < work->count; i++)
        count += is_open(slurm, work->tests[i]);
    return count;
}

/* ---- what jobs say ---- */

static void keep_result(struct slurm *slurm, size_t test, const char *host, struct result *result) {
    const struct engine_listener *listener = &slurm->job->listener;
    if (!is_open(slurm, test))
        return;
    if (!listener->done(listener->context, test, host, result)) {
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
        work->told++;
        keep_result(slurm, news->test, node, &news->result);
    } else if (!is_open(slurm, news->test) || work < slurm->work + slurm->old) /* it does not run any more */
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
static void read_news(struct slurm *slurm, size_t number) {
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
static void read_all(struct slurm *slurm) {
    for (size_t i = 0; i < slurm->submitted && !slurm->broken; i++) {
        const struct work *work = &slurm->work[i];
        const bool may_speak = work->state == WORK_RUNNING || work->state == WORK_ENDED || work->followed ||
                               (work->state == WORK_SUBMITTED && slurm->silent != 0) ||
                               (i < slurm->old && slurm->leftovers);
        if (may_speak)
            read_news(slurm, i);
    }
    slurm->next_read = process_clock() + READ_SECONDS;
}

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

/* ---- work ---- */

/* Adds a chunk, to be submitted. */
static struct work *add_work(struct slurm *slurm, size_t most) {
    slurm->work = xgrow(slurm->work, slurm->work_count, sizeof *slurm->work);
    struct work *work = &slurm->work[slurm->work_count++];
    *work = (struct work){.tests = xcalloc(most, sizeof *work->tests), .started = xcalloc(most, sizeof *work->started)};
    return work;
}

/* Divides the open tests among chunks. */
static void cut_all(struct slurm *slurm) {
    const double chunk_seconds = slurm->job->chunk_seconds > 0 ? slurm->job->chunk_seconds : CHUNK_SECONDS;
    size_t *tests = xcalloc(slurm->left, sizeof *tests), *chunk_of = xcalloc(slurm->left, sizeof *chunk_of), count = 0;
    for (size_t i = 0; i < slurm->job->count; i++)
        if (is_open(slurm, slurm->job->order[i]))
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
        add_work(slurm, sizes[k]);
    for (size_t i = 0; i < count; i++) {
        struct work *work = &slurm->work[first + chunk_of[i]];
        work->tests[work->count++] = tests[i];
    }
    free(sizes);
    free(seconds);
    free(chunk_of);
    free(tests);
}

/* ---- jobs that end ---- */

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
    keep_result(slurm, number, work->node ? work->node : work->task.node, &result);
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
    say(slurm, "node %s gets no further jobs: the one there ended before it began a test: %s", node, cause);
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

/* What a job has left undone is submitted anew: each test that had begun by itself, for it may be the one that ends
 * jobs, the others together. */
static void again(struct slurm *slurm, size_t number, const char *cause) {
    const bool preempted = strcmp(slurm->work[number].task.name, "PREEMPTED") == 0;
    const size_t count = slurm->work[number].count;
    const bool any = slurm->work[number].any;
    const unsigned fruitless = any ? 0 : slurm->work[number].fruitless + !preempted;
    size_t others = 0;
    if (fruitless > FRUITLESS) {
        fail(slurm, "%u jobs ended one after the other before they began a test, the last one: %s", fruitless, cause);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct work *work = &slurm->work[number]; /* add_work() moves it */
        const size_t test = work->tests[i];
        if (!is_open(slurm, test))
            continue;
        if (!work->started[i]) {
            others++;
            continue;
        }
        slurm->failures[test] += !preempted;
        if (slurm->failures[test] >= ATTEMPTS)
            give_up_test(slurm, work, test, cause);
        else {
            struct work *alone = add_work(slurm, 1);
            alone->tests[alone->count++] = test;
        }
    }
    if (others == 0)
        return;
    struct work *rest = add_work(slurm, others);
    const struct work *work = &slurm->work[number];
    rest->fruitless = fruitless;
    for (size_t i = 0; i < count; i++)
        if (is_open(slurm, work->tests[i]) && !work->started[i])
            rest->tests[rest->count++] = work->tests[i];
}

/* Takes leave of a job that has ended. */
static void finish_work(struct slurm *slurm, size_t number) {
    struct work *work = &slurm->work[number];
    const size_t left = open_tests(slurm, work);
    work->state = WORK_OVER;
    if (left == 0 || night_is_over(slurm))
        return;
    char *cause = end_cause(slurm, work);
    const bool at_fault = strcmp(work->task.name, "FAILED") == 0;
    work->followed = !work->closed;
    chunk_give_up(slurm->job->folder, number);
    say(slurm, "job %s_%zu of Slurm ended with %zu of %zu tests undone: %s", work->task.job, number - work->task.first,
        left, work->count, cause);
    if (!work->any && at_fault && work->task.node[0])
        leave_out_node(slurm, work, cause);
    again(slurm, number, cause);
    free(cause);
}

/* Judges all jobs by what they have said and what Slurm has. */
static void settle(struct slurm *slurm) {
    const double now = process_clock();
    for (size_t i = slurm->old; i < slurm->submitted && !slurm->broken; i++) {
        struct work *work = &slurm->work[i];
        if (!is_live(work))
            continue;
        if (open_tests(slurm, work) == 0) {
            if (work->task.state == TASK_PENDING && work->task.job[0]) /* a job that was believed lost did it */
                words_add(&slurm->to_cancel, "%s_%zu", work->task.job, i - work->task.first);
            work->state = WORK_OVER;
        } else if (work->state == WORK_ENDED && (work->closed || now - work->ended > GRACE_SECONDS)) {
            read_news(slurm, i);
            finish_work(slurm, i);
        }
    }
}

/* ---- questions to the controller ---- */

static void ask(struct slurm *slurm, enum asked asked, struct words *words) {
    struct error err;
    slurm->asked = asked;
    if (!command_start(&slurm->command, words, &err))
        fail(slurm, "%s", err.text);
    words_free(words);
}

/* What an unanswered question means; when it is asked again. */
static double try_again(struct slurm *slurm, double *since) {
    const double now = process_clock();
    if (*since == 0)
        *since = now;
    slurm->retry = slurm->retry == 0 ? RETRY_SHORTEST : fmin(2 * slurm->retry, RETRY_LONGEST);
    return now + slurm->retry;
}

static bool is_missing(struct slurm *slurm, const char *program) {
    if (slurm->command.status != 127)
        return false;
    slurm->gone = true;
    fail(slurm,
         "%s: command not found; --engine slurm needs Slurm's commands in PATH (Debian: slurm-client), --engine local "
         "does not",
         program);
    return true;
}

static void ask_processors(struct slurm *slurm) {
    struct words words = {0};
    words_add(&words, "sinfo");
    words_add(&words, "--noheader");
    words_add(&words, "--format=%%C");
    ask(slurm, ASKED_PROCESSORS, &words);
}

/* Lines of allocated/idle/other/total. */
static void take_processors(struct slurm *slurm) {
    unsigned allocated, idle, other, total;
    if (is_missing(slurm, "sinfo"))
        return;
    for (const char *line = slurm->command.text; line && *line;
         line = strchr(line, '\n'), line = line ? line + 1 : NULL)
        if (sscanf(line, "%u/%u/%u/%u", &allocated, &idle, &other, &total) == 4)
            slurm->processors += total - other;
}

static void ask_queue(struct slurm *slurm) {
    struct words words = {0};
    squeue_words(&words);
    ask(slurm, ASKED_QUEUE, &words);
}

/* The sbatch of the first chunks that wait has done its work. */
static void have_submitted(struct slurm *slurm, const char *job) {
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
    say(slurm, "job %s of Slurm: %zu task%s with %zu test%s", job, slurm->batch, slurm->batch == 1 ? "" : "s", tests,
        tests == 1 ? "" : "s");
    slurm->batch = 0;
    slurm->unsure = false;
    slurm->rejected = 0;
    slurm->retry = 0;
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

/* Where every job waits for something that may never come, a person should know. */
static void tell_waiting(struct slurm *slurm, const char *reason, size_t count) {
    static const char *const usual[] = {"None", "Resources", "Priority", "BeginTime", ""};
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        if (strcmp(reason, usual[i]) == 0)
            return;
    if (slurm->waiting && strcmp(slurm->waiting, reason) == 0)
        return;
    free(slurm->waiting);
    slurm->waiting = xstrdup(reason);
    say(slurm, "%zu job%s of Slurm wait%s, and none runs: %s", count, count == 1 ? "" : "s", count == 1 ? "s" : "",
        reason);
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
            have_submitted(slurm, task.job);
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
        tell_waiting(slurm, reason, pending);
    if (slurm->leftovers && leftovers == 0) {
        read_all(slurm);
        slurm->leftovers = false;
        for (size_t i = 0; i < slurm->old; i++)
            chunk_give_up(slurm->job->folder, i);
    } else if (slurm->leftovers && !slurm->leftovers_told) {
        slurm->leftovers_told = true;
        say(slurm, "%zu job%s of Slurm that an earlier call submitted %s cancelled", leftovers,
            leftovers == 1 ? "" : "s", leftovers == 1 ? "is" : "are");
    }
}

static void take_queue(struct slurm *slurm) {
    const double now = process_clock();
    if (is_missing(slurm, "squeue"))
        return;
    if (slurm->command.status != 0) {
        if (slurm->silent == 0)
            say(slurm, "squeue: %s; results of jobs that run still come in, and it is tried again",
                slurm->command.words);
        slurm->next_queue = try_again(slurm, &slurm->silent);
        if (now - slurm->silent > GIVE_UP_SECONDS) {
            fail(slurm, "Slurm has not answered for %d minutes, squeue: %s; --resume goes on where this ended",
                 GIVE_UP_SECONDS / 60, slurm->command.words);
            slurm->gone = true;
        }
        return;
    }
    if (slurm->silent != 0)
        say(slurm, "Slurm answers again");
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
            fail(slurm, "%s", err.text);
            return false;
        }
    }
    return true;
}

static void ask_submit(struct slurm *slurm) {
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
    ask(slurm, ASKED_SUBMIT, &words);
}

static void take_submit(struct slurm *slurm) {
    struct command *command = &slurm->command;
    const double now = process_clock();
    if (command->status == 0 && command->text[0]) {
        command->text[strcspn(command->text, ";\n")] = '\0'; /* JOB or JOB;CLUSTER */
        slurm->next_queue = fmin(slurm->next_queue, now + QUEUE_SHORTEST);
        have_submitted(slurm, command->text);
        return;
    }
    if (is_missing(slurm, "sbatch"))
        return;
    if (strstr(command->words, "Invalid job array specification") && slurm->batch > 1) {
        slurm->batch_most = slurm->batch / 2; /* MaxArraySize is smaller here */
        slurm->batch = 0;
        return;
    }
    if (!slurm_will_pass(command)) {
        slurm->batch = 0;
        fail(slurm, "sbatch: %s%s%s", command->words,
             slurm->bad.count ? "; nodes left out because jobs end there before they begin a test: " : "",
             slurm->bad.count ? slurm->exclude.text : "");
        return;
    }
    if (slurm->rejected == 0)
        say(slurm, "sbatch: %s; it is tried again", command->words);
    slurm->next_submit = try_again(slurm, &slurm->rejected);
    slurm->next_queue = now;
    slurm->unsure = true;
    if (now - slurm->rejected > GIVE_UP_SECONDS && !any_live(slurm))
        fail(slurm, "Slurm has taken no job for %d minutes, sbatch: %s; --resume goes on where this ended",
             GIVE_UP_SECONDS / 60, command->words);
}

static void ask_cancel(struct slurm *slurm) {
    struct words words = {0};
    words_add(&words, "scancel");
    words_add(&words, "--quiet");
    for (size_t i = 0; i < slurm->to_cancel.count; i++)
        words_add(&words, "%s", slurm->to_cancel.items[i]);
    words_free(&slurm->to_cancel);
    ask(slurm, ASKED_CANCEL, &words);
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
    ask(slurm, ASKED_EXCLUDE, &words);
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
    say(slurm, "the night is over: jobs of Slurm that have not begun are cancelled");
    ask(slurm, ASKED_CANCEL, &words);
}

static void take_answer(struct slurm *slurm) {
    switch (slurm->asked) {
    case ASKED_PROCESSORS:
        take_processors(slurm);
        break;
    case ASKED_QUEUE:
        take_queue(slurm);
        break;
    case ASKED_SUBMIT:
        take_submit(slurm);
        break;
    case ASKED_CANCEL:
    case ASKED_EXCLUDE: /* squeue shows what came of it */
        break;
    }
}

/* Asks what is to be asked next, if anything. */
static void ask_next(struct slurm *slurm) {
    const double now = process_clock();
    const bool live = any_live(slurm);
    if (night_is_over(slurm) && !slurm->pending_cancelled && slurm->submission_count > 0 && live)
        cancel_pending(slurm);
    else if (slurm->to_cancel.count > 0)
        ask_cancel(slurm);
    else if (slurm->to_exclude.count > 0)
        ask_exclude(slurm);
    else if (now >= slurm->next_queue && (live || slurm->leftovers || slurm->unsure))
        ask_queue(slurm);
    else if (slurm->submitted < slurm->work_count && now >= slurm->next_submit && !slurm->unsure && !slurm->failed &&
             !night_is_over(slurm))
        ask_submit(slurm);
}

/* ---- the end ---- */

/* True if a job may have something to do. */
static bool may_run(const struct work *work) {
    return work->task.state != TASK_ENDED && !work->closed && work->told < work->count;
}

/* Cancels every job that may still run or begin. */
static void cancel_all(struct slurm *slurm) {
    struct words words = {0};
    struct error err;
    command_wait(&slurm->command, CANCEL_SECONDS);
    if (slurm->command.text && slurm->asked == ASKED_SUBMIT && slurm->batch > 0)
        take_submit(slurm);
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
            say(slurm, "scancel: %s; the jobs go on, `scancel%s` ends them, and --resume takes in what they have done",
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

static int asked_to_end(const struct slurm *slurm) {
    struct signalfd_siginfo info;
    int number = 0;
    while (read(slurm->signals, &info, sizeof info) == sizeof info)
        number = (int)info.ssi_signo;
    return number;
}

/* One turn of the loop. */
static void step(struct slurm *slurm) {
    if (process_clock() >= slurm->next_read)
        read_all(slurm);
    if (slurm->job->listener.tick)
        slurm->job->listener.tick(slurm->job->listener.context);
    if (command_ended(&slurm->command))
        take_answer(slurm);
    settle(slurm);
    if (slurm->command.pid == 0 && !slurm->broken && !slurm->gone)
        ask_next(slurm);
}

static int wait_signal(const struct slurm *slurm) {
    struct pollfd fd = {.fd = slurm->signals, .events = POLLIN};
    poll(&fd, 1, TICK_MS);
    return asked_to_end(slurm);
}

/* True if nothing more will come. */
static bool is_stuck(const struct slurm *slurm) {
    const bool more = slurm->submitted < slurm->work_count && !slurm->failed && !night_is_over(slurm);
    return slurm->gone || (!any_live(slurm) && !more && (slurm->command.pid == 0 || slurm->asked != ASKED_SUBMIT));
}

/* Until the question that was asked is answered, and jobs of an earlier runner are gone. Returns a signal, or 0. */
static int wait_for_answer(struct slurm *slurm) {
    int number = 0;
    while (number == 0 && !slurm->failed && !slurm->broken &&
           (slurm->command.pid != 0 || slurm->leftovers || slurm->to_cancel.count > 0)) {
        number = wait_signal(slurm);
        step(slurm);
    }
    return number;
}

static enum engine_end run_all(struct slurm *slurm, int *signal, struct error *err) {
    read_all(slurm);
    ask_processors(slurm);
    *signal = wait_for_answer(slurm);
    if (*signal == 0 && !slurm->failed && !slurm->broken && slurm->left > 0)
        cut_all(slurm);
    while (*signal == 0 && slurm->left > 0 && !slurm->broken && !is_stuck(slurm)) {
        *signal = wait_signal(slurm);
        step(slurm);
    }
    cancel_all(slurm);
    if (!slurm->broken)
        read_all(slurm);
    if (slurm->broken)
        return error_set(err, "a result could not be kept"), ENGINE_FAILED;
    if (slurm->left == 0)
        return ENGINE_DONE;
    if (*signal == 0 && slurm->failed) {
        *err = slurm->error;
        return ENGINE_FAILED;
    }
    return ENGINE_INTERRUPTED;
}

/* ---- the beginning ---- */

/* The name of the jobs of this night, made by the first runner. */
static bool find_name(struct slurm *slurm, struct error *err) {
    char *path = xprintf("%s/slurm/name", slurm->job->folder), *text = NULL;
    size_t n;
    bool ok = true;
    slurm->leftovers = access(path, F_OK) == 0;
    if (slurm->leftovers) {
        ok = file_read(path, &text, &n, err);
        if (ok) {
            text[strcspn(text, "\n")] = '\0';
            ok = text[0] || error_set(err, "%s: found nothing, expected the name of the night's jobs", path);
        }
    } else {
        uint64_t number = 0;
        if (getrandom(&number, sizeof number, 0) != sizeof number)
            number = (uint64_t)time(NULL);
        text = xprintf("nvcosim-%08x", (unsigned)number);
        char *line = xprintf("%s\n", text);
        ok = file_write(path, line, strlen(line), err);
        free(line);
    }
    slurm->name = text;
    free(path);
    return ok;
}

/* Writes what all jobs run: this program on their chunk. */
static bool write_script(struct slurm *slurm, struct error *err) {
    char program[4096];
    const ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    if (n < 0)
        return error_set(err, "/proc/self/exe: %s", strerror(errno));
    program[n] = '\0';
    char *quoted = text_quoted(program), *folder = text_quoted(slurm->job->folder);
    struct text text = {0};
    text_printf(&text,
                "#!/bin/sh\n"
                "# A job of `nvcosim regress --engine slurm`: runs chunk FIRST + number of the task in its array.\n"
                "# usage: job.sh FIRST\n"
                "program=%s\n"
                "if [ ! -x \"$program\" ]; then\n"
                "    echo \"$program is not there on this node: it has to be on a folder that all nodes share\" >&2\n"
                "    exit 127\n"
                "fi\n"
                "exec \"$program\" regress --worker=%s $(($1 + SLURM_ARRAY_TASK_ID))\n",
                quoted, folder);
    slurm->script = xprintf("%s/slurm/job.sh", slurm->job->folder);
    const bool ok = file_write(slurm->script, text.text, text.n, err);
    free(text.text);
    free(folder);
    free(quoted);
    return ok;
}

/* The nodes that an option of sbatch leaves out, NULL if it is another one. next: the word behind it, or NULL. */
static const char *excluded(const char *word, const char *next) {
    static const char form[] = "--exclude=";
    if (strcmp(word, "--exclude") == 0 || strcmp(word, "-x") == 0)
        return next;
    if (strncmp(word, form, strlen(form)) == 0)
        return word + strlen(form);
    return strncmp(word, "-x", 2) == 0 ? word + 2 : NULL;
}

/* Nodes that the user leaves out: of several lists sbatch takes the last one alone. */
static void find_excluded(struct slurm *slurm) {
    for (char *const *word = slurm->options.items; word && *word; word++) {
        const char *list = excluded(word[0], word[1]);
        if (list)
            text_printf(&slurm->exclude, "%s%s", slurm->exclude.n ? "," : "", list);
    }
}

static bool prepare(struct slurm *slurm, struct error *err) {
    const struct engine_job *job = slurm->job;
    for (size_t i = 0; i < job->count; i++)
        if (job->order[i] >= slurm->limit)
            slurm->limit = job->order[i] + 1;
    slurm->wanted = xcalloc(slurm->limit, sizeof *slurm->wanted);
    slurm->done = xcalloc(slurm->limit, sizeof *slurm->done);
    slurm->failures = xcalloc(slurm->limit, sizeof *slurm->failures);
    for (size_t i = 0; i < job->count; i++)
        slurm->wanted[job->order[i]] = true;
    if (job->slurm_options && !words_split(job->slurm_options, &slurm->options, err))
        return error_prefix(err, "--slurm-options: ");
    find_excluded(slurm);
    if (!slurm_folders(job->folder, err) || !find_name(slurm, err) || !write_script(slurm, err))
        return false;
    slurm->old = slurm->submitted = slurm->written = slurm_chunk_count(job->folder);
    for (size_t i = 0; i < slurm->old; i++)
        add_work(slurm, 0)->state = WORK_OVER;
    return true;
}

static void release(struct slurm *slurm) {
    for (size_t i = 0; i < slurm->work_count; i++) {
        free(slurm->work[i].tests);
        free(slurm->work[i].started);
        free(slurm->work[i].node);
        free(slurm->work[i].refused);
    }
    free(slurm->work);
    free(slurm->submissions);
    free(slurm->wanted);
    free(slurm->done);
    free(slurm->failures);
    free(slurm->name);
    free(slurm->script);
    free(slurm->waiting);
    free(slurm->exclude.text);
    words_free(&slurm->options);
    words_free(&slurm->bad);
    words_free(&slurm->to_cancel);
    words_free(&slurm->to_exclude);
    command_free(&slurm->command);
}

enum engine_end engine_slurm(const struct engine_job *job, int *signal, struct error *err) {
    struct slurm slurm = {.job = job, .left = job->count, .batch_most = ARRAY_MOST, .start = process_clock()};
    enum engine_end end = ENGINE_FAILED;
    sigset_t set, before;
    *signal = 0;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, &before);
    slurm.signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (slurm.signals < 0)
        error_set(err, "signalfd: %s", strerror(errno));
    else if (prepare(&slurm, err))
        end = run_all(&slurm, signal, err);
    if (slurm.signals >= 0)
        close(slurm.signals);
    release(&slurm);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return end;
}
