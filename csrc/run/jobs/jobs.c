/* The runner: plays the jobs, several at a time, prints, writes and counts the results. */
#include "run/jobs/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "run/jobs/job.h"
#include "run/jobs/pool.h"
#include "run/jobs/prepare.h"
#include "run/network/outputs.h"
#include "run/process/process.h"
#include "run/process/progress.h"
#include "run/session/session.h"
#include "run/simulators/background.h"

#define TICK_SECONDS 0.25 /* between two updates of the progress line */

struct jobs {
    const struct run_options *options;
    const struct jobs_listener *listener; /* NULL: results are printed and written */
    struct job *jobs;
    size_t count, started, done;
    bool *there; /* of each job: its trace exists */
    struct pool pool;
    size_t verdicts[VERDICT_COUNT];
    struct progress progress;
    struct warning_kinds warnings;
    struct result_style style;
    int results; /* file of --results, -1: none */
    int worst;
    bool failed; /* results could not be written */
    bool ending; /* the jobs were asked to end: those without a verdict are lost */
    size_t lost;
    char *to_debug; /* configuration of the first failure that nvcosim debug can explain, NULL: none */
};

/* ---- results ---- */

/* Opens the file of --results, empty. */
static bool open_results(struct jobs *run) {
    const char *path = run->options->results;
    run->results = -1;
    if (!path)
        return true;
    const bool to_stdout = strcmp(path, "-") == 0;
    run->results =
        to_stdout ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC | O_CLOEXEC, 0666);
    if (run->results < 0)
        fprintf(stderr, "nvcosim: --results: %s: %m\n", path);
    return run->results >= 0;
}

/* Adds a line to the results: completely, or not at all. */
static void write_result(struct jobs *run, const struct result *result) {
    if (run->results < 0)
        return;
    autofree char *json = result_json(result), *line = xprintf("%s\n", json);
    const off_t end = lseek(run->results, 0, SEEK_END);
    const size_t n = strlen(line);
    errno = 0;
    const ssize_t written = write(run->results, line, n);
    if (written != (ssize_t)n && !run->failed) {
        fprintf(stderr, "nvcosim: --results: %s: %s\n", run->options->results,
                errno ? strerror(errno) : "no space for a whole line");
        run->failed = true;
    }
    if (written > 0 && written != (ssize_t)n && end >= 0 && ftruncate(run->results, end) != 0)
        fprintf(stderr, "nvcosim: --results: %s: its last line is cut\n", run->options->results);
}

static void count_result(struct jobs *run, const struct result *result) {
    run->done++;
    run->verdicts[result->verdict]++;
    run->worst = worse_status(run->worst, verdict_status(result->verdict));
    const bool debuggable = result->verdict == VERDICT_FAIL || result->verdict == VERDICT_HANG;
    if (!run->to_debug && debuggable && result->debug_command)
        run->to_debug = xstrdup(result->config);
}

static void finish(struct jobs *run, struct result *result) {
    count_result(run, result);
    progress_clear(&run->progress);
    if (run->listener) {
        run->listener->ended(run->listener->context, result);
        return;
    }
    write_result(run, result);
    result_print(result, &run->style, &run->warnings);
    result_free(result);
}

/* If only one job runs, its output goes to stderr immediately. */
static void on_progress(void *context, struct job *job, size_t printed) {
    struct jobs *run = context;
    if (printed > 0 && run->options->jobs == 1) {
        progress_clear(&run->progress);
        fwrite(job->output.text + job->output.n - printed, 1, printed, stderr);
    }
}

/* Shows the outputs of a trace. False with a message. */
static bool show_outputs(const struct jobs *run, const struct job *job, struct error *err) {
    autoprogram struct program *prog = read_trace(run->options, job->path, err);
    if (!prog)
        return false;
    autofree char *folder = outputs_folder(run->options, job->name);
    return outputs_show(run->options->quiet ? NULL : run->style.out, prog, folder, &run->options->style, err);
}

/* Handles a job whose process has ended. */
static void on_ended(void *context, struct job *job) {
    struct jobs *run = context;
    if (run->ending && !job->record) {
        job_abandon(job);
        run->lost++;
        return;
    }
    struct result result = job_result(job, run->options);
    if (run->options->jobs > 1 && job->output.n > 0) {
        progress_clear(&run->progress);
        fwrite(job->output.text, 1, job->output.n, stderr);
    }
    const bool played = result.verdict != VERDICT_ERROR && result.verdict != VERDICT_CRASH;
    struct error err;
    finish(run, &result);
    if (run->options->outputs && played && !show_outputs(run, job, &err)) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        run->failed = true;
    }
    job_free(job);
}

/* ---- all of them ---- */

/* The last of the running jobs that report progress. */
static const struct job *talking(const struct jobs *run) {
    for (size_t i = run->count; i-- > 0;)
        if (run->jobs[i].state == JOB_RUNNING && run->jobs[i].at)
            return &run->jobs[i];
    return NULL;
}

/* Share of a trace in the whole work, in clocks: its layers, and a constant for every trace. */
static double weight(const struct job *job) {
    enum { EVERY_TRACE = 1000 };
    return job->work + EVERY_TRACE;
}

static void show_progress(struct jobs *run) {
    if (run->pool.count == 0 || !progress_due(&run->progress))
        return;
    const struct job *job = talking(run);
    double done = 0, total = 0, rate = 0;
    size_t rates = 0;
    char left[48], number[24];
    for (size_t i = 0; i < run->count; i++) {
        const struct job *each = &run->jobs[i];
        total += weight(each);
        done += each->state == JOB_DONE ? weight(each) : each->state == JOB_RUNNING ? weight(each) * each->part : 0;
        rate += each->state == JOB_RUNNING ? each->rate : 0;
        rates += each->state == JOB_RUNNING && each->rate > 0;
    }
    progress_left(&run->progress, done, total, left, sizeof left);
    autofree char *speed =
        rates > 1 ? xprintf(", %s cycles/s", progress_number(rate, number, sizeof number)) : xstrdup("");
    if (run->count > 1)
        progress_show(&run->progress, "%zu of %zu traces done%s%s%s%s", run->done, run->count, speed, left,
                      job ? "; " : "", job ? job->at : "");
    else
        progress_show(&run->progress, "%s%s", job ? job->at : run->jobs[0].name, left);
}

/* Waits for something to happen, for at most that many seconds (negative: without limit), and handles it. Returns the
 * signal that asks to end the run, or 0. */
static int await(struct jobs *run, double seconds) {
    const struct job_listener listener = {.progress = on_progress, .ended = on_ended, .context = run};
    return pool_wait(&run->pool, seconds, &listener);
}

/* Ends the running jobs with that signal and waits for them; verdicts that they reach count. Returns the exit status.
 */
static int end_all(struct jobs *run, int number) {
    run->ending = true;
    for (int with = number; run->pool.count > 0;
         with = await(run, -1) ? SIGKILL : 0) /* a second signal ends the wait */
        if (with)
            pool_signal(&run->pool, with);
    progress_clear(&run->progress);
    fprintf(stderr, "nvcosim: %s: ended with %zu trace%s running, %zu of %zu done\n", strsignal(number), run->lost,
            run->lost == 1 ? "" : "s", run->done, run->count);
    return 128 + number;
}

static void print_counts(const struct jobs *run) {
    const size_t *verdicts = run->verdicts, refused = verdicts[VERDICT_REFUSED] + verdicts[VERDICT_ERROR];
    FILE *out = run->style.out;
    fprintf(out, "%zu passed, %zu failed, %zu hung", verdicts[VERDICT_PASS], verdicts[VERDICT_FAIL] + refused,
            verdicts[VERDICT_HANG]);
    if (verdicts[VERDICT_CRASH] > 0)
        fprintf(out, ", %zu crashed", verdicts[VERDICT_CRASH]);
    if (refused > 0)
        fprintf(out, "; %zu of the failed refused or not played", refused);
    fputc('\n', out);
}

/* Starts the first waiting job whose trace exists. False if there is none, or none can start now. */
static bool start_next(struct jobs *run) {
    size_t next = 0;
    while (next < run->count && (run->jobs[next].state != JOB_WAITING || !run->there[next]))
        next++;
    if (next == run->count || !pool_ready(&run->pool, &run->jobs[next], run->options))
        return false;
    struct job *job = &run->jobs[next];
    struct error err;
    run->pool.to_come = run->count - ++run->started;
    if (!pool_start(&run->pool, job, run->options, run->progress.terminal, &err)) {
        struct result result = job_failed(job, run->options, err.text);
        job->state = JOB_DONE;
        finish(run, &result);
    }
    if (run->pool.to_come == 0)
        servers_dismiss(&run->pool.servers);
    return true;
}

static int play_all(struct jobs *run) {
    int to_end;
    run->progress = progress_start();
    while (run->done < run->count) {
        if (run->pool.count < (size_t)run->options->jobs && start_next(run))
            continue;
        to_end = await(run, run->progress.terminal ? TICK_SECONDS : -1);
        if (to_end != 0)
            return end_all(run, to_end);
        show_progress(run);
    }
    warning_kinds_print(&run->warnings);
    if (run->count > 1 && !run->listener)
        print_counts(run);
    if (run->to_debug && !run->options->debug && !run->options->no_background)
        build_waves_in_background(run->to_debug, run->options->rtl_name, run->options->background);
    return run->failed ? EXIT_BAD_INPUT : run->worst;
}

int jobs_run(const struct run_options *options) {
    struct jobs *jobs = jobs_open(options, NULL);
    return jobs ? jobs_close(jobs) : EXIT_BAD_INPUT;
}

static void jobs_free(struct jobs *run) {
    if (run->results >= 0)
        close(run->results);
    for (size_t i = 0; i < run->count; i++)
        job_free(&run->jobs[i]);
    free(run->jobs);
    free(run->to_debug);
    free(run->there);
    warning_kinds_free(&run->warnings);
    free(run);
}

static void add_jobs(struct jobs *run, const struct words *paths, bool there) {
    run->count = paths->count;
    run->jobs = xcalloc(run->count, sizeof *run->jobs);
    run->there = xcalloc(run->count, sizeof *run->there);
    for (size_t i = 0; i < run->count; i++) {
        run->jobs[i] = (struct job){.path = paths->items[i],
                                    .config = run->listener ? run->listener->config : NULL,
                                    .max_seconds = (double)run->options->max_seconds,
                                    .result_end = -1,
                                    .output_end = -1};
        run->there[i] = there;
    }
}

/* Prepares what any trace of that configuration needs. */
static bool prepare_for(struct jobs *run, const struct nvdla_config *config) {
    struct job any = {.path = "", .config = config};
    const bool fine = prepare_jobs(run->options, &any, 1, &run->warnings);
    free(any.name);
    return fine;
}

struct jobs *jobs_open(const struct run_options *options, const struct jobs_listener *listener) {
    const bool to_come = listener && listener->to_come;
    const bool lines_to_stderr = options->results && strcmp(options->results, "-") == 0;
    FILE *out = lines_to_stderr ? stderr : stdout;
    struct jobs *run = xmalloc(sizeof *run);
    *run = (struct jobs){
        .options = options,
        .listener = listener,
        .progress = progress_start(),
        .style = {.out = out,
                  .colour = terminal_has_colour(fileno(out)),
                  .quiet = options->quiet,
                  .verbose = options->verbose,
                  .stats = options->stats,
                  .shown = options->shown},
    };
    process_obey_signals();
    sigset_t by_hand; /* kept for the simulators while traces are read and simulators built */
    sigemptyset(&by_hand);
    sigaddset(&by_hand, SIGUSR1);
    sigprocmask(SIG_BLOCK, &by_hand, NULL);
    if (!to_come)
        add_jobs(run, &options->traces, true);
    struct error err;
    if (open_results(run) &&
        (to_come ? prepare_for(run, listener->config) : prepare_jobs(options, run->jobs, run->count, &run->warnings))) {
        /* From now on SIGINT, SIGTERM, SIGUSR1 and the ends of children are read from a file descriptor. */
        if (pool_open(&run->pool, false, &err)) {
            if (to_come)
                pool_expect(&run->pool, options, listener->config);
            return run;
        }
        fprintf(stderr, "nvcosim: %s\n", err.text);
    }
    jobs_free(run);
    return NULL;
}

void jobs_expect(struct jobs *run, const struct words *paths) {
    add_jobs(run, paths, false);
    prepare_names(run->jobs, run->count);
}

void jobs_there(struct jobs *run, size_t index) {
    run->there[index] = true;
}

int jobs_look(struct jobs *run) {
    const int to_end = await(run, 0);
    if (to_end != 0)
        return end_all(run, to_end);
    /* The caller needs a core too. It must not be forked, so only programs are started. */
    while (run->options->dut != DUT_MODEL && run->pool.count + 1 < (size_t)run->options->jobs && start_next(run))
        ;
    return 0;
}

void jobs_abandon(struct jobs *run) {
    if (run->pool.count > 0)
        end_all(run, SIGTERM);
    pool_close(&run->pool);
    jobs_free(run);
}

int jobs_close(struct jobs *run) {
    for (size_t i = 0; i < run->count; i++)
        run->there[i] = true;
    const int status = play_all(run);
    pool_close(&run->pool);
    jobs_free(run);
    return status;
}
