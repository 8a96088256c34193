/* A job of the cluster: its tests run like those of a night on one machine, and their results go into a file, line by
 * line, each on the disk before the next test starts. See worker.h. */
#include "regress/engine/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "regress/engine/builds.h"
#include "regress/engine/engine.h"
#include "regress/engine/slurm_files.h"
#include "run/options/options.h"
#include "run/process/process.h"

/* How often a test says how far it is. */
enum { PROGRESS_SECONDS = 3 };

/* How often a job checks whether the runner has given it up. */
enum { LOOK_SECONDS = 5 };

struct worker {
    struct chunk chunk;
    char *path;  /* of the results */
    char *order; /* path of the chunk: the job ends when it is removed */
    double looked;
    int file;
    double *reported; /* process_clock() of the last progress of each test */
};

/* Adds a line to the results: whole or not at all; sync: it is on the disk when this returns. */
static bool add_news(const struct worker *worker, const struct news *news, bool sync) {
    char *line = news_line(news);
    const size_t n = strlen(line);
    const off_t end = lseek(worker->file, 0, SEEK_END);
    errno = 0;
    const ssize_t written = write(worker->file, line, n);
    bool ok = written == (ssize_t)n && (!sync || fsync(worker->file) == 0);
    free(line);
    if (ok)
        return true;
    fprintf(stderr, "nvcosim: %s: %s\n", worker->path, errno ? strerror(errno) : "no space for a whole line");
    if (written > 0 && written != (ssize_t)n && end >= 0 && ftruncate(worker->file, end) != 0)
        fprintf(stderr, "nvcosim: %s: its last line is cut\n", worker->path);
    return false;
}

static void on_started(void *context, size_t test, const char *host) {
    const struct worker *worker = context;
    (void)host;
    add_news(worker, &(struct news){.kind = NEWS_STARTED, .test = worker->chunk.numbers[test]}, true);
}

static void on_progress(void *context, size_t test, double part) {
    const struct worker *worker = context;
    const double now = process_clock();
    if (now - worker->reported[test] < PROGRESS_SECONDS)
        return;
    worker->reported[test] = now;
    add_news(worker, &(struct news){.kind = NEWS_PROGRESS, .test = worker->chunk.numbers[test], .part = part}, false);
}

static bool on_ended(void *context, size_t test, const char *host, struct result *result) {
    const struct worker *worker = context;
    (void)host;
    return add_news(worker, &(struct news){.kind = NEWS_DONE, .test = worker->chunk.numbers[test], .result = *result},
                    true);
}

/* A job that Slurm has lost, with its node, may work all the same. Its tests run elsewhere now. */
static void on_tick(void *context) {
    struct worker *worker = context;
    const double now = process_clock();
    if (now - worker->looked < LOOK_SECONDS)
        return;
    worker->looked = now;
    if (access(worker->order, F_OK) == 0 || errno != ENOENT)
        return;
    fprintf(stderr, "nvcosim: %s is gone: the runner has given this job up\n", worker->order);
    raise(SIGTERM); /* as scancel does */
}

/* Everything that the tests need has to be here: a node that misses the shared folder must not judge them. */
static bool check_node(const struct chunk *chunk, const char *folder, struct error *err) {
    bool there = true;
    for (size_t i = 0; there && i < chunk->count; i++) {
        const struct test *test = &chunk->tests[i];
        char *path = test_trace(test, folder);
        there = test->generator || access(path, R_OK) == 0 || error_set(err, "%s: %s", path, strerror(errno));
        there = there && builds_check(test, folder, err);
        free(path);
    }
    return there ||
           error_prefix(err, "traces and simulators have to be on a folder that all nodes share, and this one lacks ");
}

/* Processors that Slurm has given to the job. */
static int processors(void) {
    uint64_t number;
    const char *text = getenv("SLURM_CPUS_PER_TASK");
    return text && text_number(text, 1024, &number) && number > 0 ? (int)number : 1;
}

static int run_chunk(struct worker *worker, const char *folder) {
    const struct chunk *chunk = &worker->chunk;
    struct engine_job job = {.tests = chunk->tests, .count = chunk->count, .jobs = processors(), .folder = folder};
    job.listener = (struct engine_listener){
        .started = on_started, .progress = on_progress, .ended = on_ended, .tick = on_tick, .context = worker};
    size_t *order = xcalloc(chunk->count, sizeof *order);
    for (size_t i = 0; i < chunk->count; i++)
        order[i] = i;
    job.order = order;
    if (chunk->end != 0)
        job.end = fmax(process_clock() + chunk->end - (double)time(NULL), 1e-9);
    struct error err;
    int number = 0, status = EXIT_OK;
    enum engine_end end = ENGINE_FAILED;
    if (check_node(chunk, folder, &err))
        end = engine_local(&job, &number, &err);
    if (end == ENGINE_FAILED) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        add_news(worker, &(struct news){.kind = NEWS_REFUSED, .text = err.text}, true);
        status = EXIT_BAD_INPUT;
    } else if (number != 0)
        status = 128 + number;
    else
        add_news(worker, &(struct news){.kind = NEWS_ENDED}, true);
    free(order);
    return status;
}

int worker_main(const char *folder, size_t number) {
    struct worker worker = {.path = slurm_path(folder, "results", number),
                            .order = slurm_path(folder, "chunks", number)};
    struct error err;
    char host[256] = "";
    int status = EXIT_BAD_INPUT;
    gethostname(host, sizeof host - 1);
    const char *node = getenv("SLURMD_NODENAME");
    worker.file = open(worker.path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (worker.file < 0)
        fprintf(stderr,
                "nvcosim: %s: %s on this node; the folder of the night (--out) has to be one that all nodes share\n",
                worker.path, strerror(errno));
    else if (!chunk_read(folder, number, &worker.chunk, &err)) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        add_news(&worker, &(struct news){.kind = NEWS_REFUSED, .text = err.text}, true);
    } else {
        worker.reported = xcalloc(worker.chunk.count, sizeof *worker.reported);
        if (add_news(&worker, &(struct news){.kind = NEWS_BEGUN, .text = (char *)(node ? node : host)}, true))
            status = run_chunk(&worker, folder);
    }
    if (worker.file >= 0)
        close(worker.file);
    free(worker.reported);
    chunk_free(&worker.chunk);
    free(worker.order);
    free(worker.path);
    return status;
}
