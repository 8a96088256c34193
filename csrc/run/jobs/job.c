/* One trace, one process. See job.h. */
#include "run/jobs/job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "report/report.h"
#include "run/process/process.h"
#include "run/process/progress.h"
#include "run/session/judge.h"
#include "run/session/session.h"
#include "run/simulators/simulators.h"

/* File descriptors of a simulator: to the runner, and the ledger. */
enum { RESULT_FD = 3, LEDGER_FD, FILES };

/* Only the end of a simulator's output is kept: this much, when it is more than the most. */
enum { OUTPUT_KEPT = 4096, OUTPUT_MOST = 1 << 16, CHUNK = 1 << 14, CHUNKS = 8 };

/* Interval between progress reads. */
#define PROGRESS_SECONDS 0.05

/* Allocations are limited to 1.5 times the limit on resident memory, which is checked a few times a second, plus room
 * for stacks and libraries. */
enum { MEMORY_ROOM = 256 << 20 };

/* ---- starting ---- */

struct child {
    const struct run_options *options;
    const struct job *job;
    bool progress;
    const char *simulator;
    struct server *server;          /* that can start it; NULL: none */
    struct process_program program; /* its files, group and limits */
};

/* The command line of the simulator for one trace. */
static void command_line(const struct child *child, struct words *line) {
    const struct run_options *options = child->options;
    words_put(line, child->simulator);
    run_options_pass(options, line);
    words_add(line, "--config=%s", child->job->config->name);
    if (options->coverage && coverage_is_file(options->coverage))
        words_add(line, "--coverage=%s", options->coverage);
    else if (options->coverage)
        words_add(line, "--coverage=%s/%s.dat", options->coverage, child->job->name);
    if (options->outputs) {
        autofree char *folder = outputs_folder(options, child->job->name);
        words_add(line, "--outputs=%s", folder);
    }
    words_add(line, "--name=%s", child->job->name);
    words_add(line, "--result-fd=%d", RESULT_FD);
    if (child->job->ledger)
        words_add(line, "--ledger=%d,%zu,%.6f", LEDGER_FD, child->job->number, child->job->start);
    if (child->progress)
        words_add(line, "--progress");
    if (child->job->layer.generator)
        words_add(line, "--layer=%" PRIu64 ",%s", child->job->layer.seed, child->job->layer.generator);
    words_add(line, "--");
    words_put(line, child->job->path);
}

/* The options for playing in this process; trace: room for the words. */
static struct run_options options_here(const struct child *child, char *trace[2]) {
    const struct job *job = child->job;
    struct run_options one = *child->options;
    trace[0] = (char *)job->path;
    trace[1] = NULL;
    one.traces = (struct words){.items = trace, .count = 1};
    one.name = job->name;
    one.result_fd = RESULT_FD;
    one.layer = job->layer;
    if (job->layer.generator)
        one.config = job->config;
    if (job->ledger)
        one.ledger = (struct run_ledger){.file = LEDGER_FD, .test = job->number, .start = job->start};
    return one;
}

/* Plays the trace in this process, on the model only. */
static int play_here(const struct child *child) {
    const struct run_options *options = child->options;
    char *trace[2];
    struct run_options one = options_here(child, trace);
    one.progress = child->progress;
    char *folder = options->outputs ? outputs_folder(options, child->job->name) : NULL;
    one.outputs = folder;
    const int status = play_one(&one, NULL, NULL, NULL);
    free(folder);
    return status;
}

/* Files, group and limits of a job's process. A simulator that crashes leaves no core file: a night of them fills the
 * disk. */
static struct process_program confinement(const struct job *job, const int *files) {
    return (struct process_program){.files = files,
                                    .file_count = job->ledger ? FILES : LEDGER_FD,
                                    .own_group = job->own_group,
                                    .no_core = job->own_group,
                                    .data_limit =
                                        job->max_memory ? job->max_memory + job->max_memory / 2 + MEMORY_ROOM : 0};
}

/* The child that plays on the model. */
static int play_job(void *context) {
    const struct child *child = context;
    process_confine(&child->program);
    process_take_files(&child->program);
    return play_here(child);
}

/* Starts the process; files: its descriptors. Returns its ID, -1 with a message. */
static pid_t start_process(struct child *child, const int *files, struct error *err) {
    child->program = confinement(child->job, files);
    if (child->options->dut == DUT_MODEL)
        return process_start(play_job, child, err);
    struct words line = {0};
    command_line(child, &line);
    child->program.words = line.items;
    pid_t pid = child->server ? server_start(child->server, &child->program) : -1;
    if (pid < 0)
        pid = process_spawn(&child->program, err);
    words_free(&line);
    return pid;
}

/* The file as a descriptor of at least FILES that exec closes. */
static int high(int file) {
    const int moved = file < 0 || file >= FILES ? file : fcntl(file, F_DUPFD_CLOEXEC, FILES);
    if (moved != file && moved >= 0)
        close(file);
    return moved < 0 ? file : moved;
}

/* A pipe with ends of at least FILES that exec closes; the read end does not block. */
static bool make_pipe(int ends[2], struct error *err) {
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, "a pipe cannot be made: %m");
    for (int i = 0; i < 2; i++)
        ends[i] = high(ends[i]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return true;
}

bool job_simulator(const struct run_options *options, const char *config, char *path, size_t size, struct error *err) {
    const enum simulator_variant variant = run_variant(options, config);
    if (!options->simulators)
        return simulator_path(config, options->rtl_name, variant, path, size, err);
    autofree char *name = simulator_name(config, options->rtl_name, variant);
    const int n = snprintf(path, size, "%s/%s", options->simulators, name);
    return (n >= 0 && (size_t)n < size) || error_set(err, "%s: the path is too long", options->simulators);
}

/* Starts the process with its pipes. */
static bool start_between_pipes(struct child *child, struct job *job, struct error *err) {
    int result[2], output[2];
    if (!make_pipe(result, err))
        return false;
    if (!make_pipe(output, err)) {
        close(result[0]);
        close(result[1]);
        return false;
    }
    const int null = high(open("/dev/null", O_RDONLY | O_CLOEXEC));
    const int files[FILES] = {null, output[1], output[1], result[1], job->ledger};
    job->start = process_clock();
    job->pid = start_process(child, files, err);
    if (null >= 0)
        close(null);
    close(result[1]);
    close(output[1]);
    job->result_end = result[0];
    job->output_end = output[0];
    if (job->pid < 0) {
        close(result[0]);
        close(output[0]);
        return false;
    }
    job->state = JOB_RUNNING;
    return true;
}

/* This run owns the folder of the report: removes an earlier one. */
static bool clean_report(const struct job *job, const struct run_options *options, struct error *err) {
    if (job->clean)
        return true;
    autofree char *folder = report_folder(options, job->name);
    return access(folder, F_OK) != 0 || report_clean(folder, err);
}

bool job_start(struct job *job, const struct run_options *options, bool progress, struct server *server,
               struct error *err) {
    char simulator[SIMULATOR_PATH] = "";
    if (options->dut != DUT_MODEL && !job_simulator(options, job->config->name, simulator, sizeof simulator, err))
        return false;
    struct child child = {
        .options = options, .job = job, .progress = progress, .simulator = simulator, .server = server};
    return clean_report(job, options, err) && start_between_pipes(&child, job, err);
}

/* ---- what it sends ---- */

static void take_progress(struct job *job, const json_t *json) {
    enum { NAME_SHOWN = 24 };
    const char *device = json_string_value(json_object_get(json, "device"));
    char cycles[24], rate[24];
    autofree char *name = text_shown(job->name);
    progress_number((double)json_integer_value(json_object_get(json, "cycles")), cycles, sizeof cycles);
    job->rate = json_number_value(json_object_get(json, "rate"));
    progress_number(job->rate, rate, sizeof rate);
    job->part = json_number_value(json_object_get(json, "part"));
    free(job->at);
    const char *layer = json_string_value(json_object_get(json, "name")); /* of a network */
    job->at = xprintf("%.*s on %s: layer %lld of %lld%s%s%s, %s cycles, %s cycles/s", NAME_SHOWN, name,
                      device ? device : "?", (long long)json_integer_value(json_object_get(json, "layer")),
                      (long long)json_integer_value(json_object_get(json, "layers")), layer ? " (" : "",
                      layer ? layer : "", layer ? ")" : "", cycles, rate);
}

void job_signal(const struct job *job, int number) {
    kill(job->own_group ? -job->pid : job->pid, number);
}

/* Ends a job for a limit. One that takes too long may still write what it knows. */
static void exceed(struct job *job, enum job_limit limit) {
    if (job->exceeded)
        return;
    job->exceeded = limit;
    job->ended = process_clock();
    job_signal(job, limit == LIMIT_SECONDS ? SIGTERM : SIGKILL);
}

/* Handles a line: the result, progress, or something else, which is shown if nothing better comes. */
static void take_line(struct job *job, const char *line) {
    static const char beginning[] = "{\"verdict\""; /* starts every result of ours, which need not be parsed twice */
    json_t *json = NULL;
    if (strncmp(line, beginning, sizeof beginning - 1) != 0) {
        const double now = process_clock();
        if (line[0] != '{' && ++job->garbage > GARBAGE_MOST) {
            exceed(job, LIMIT_RESULT);
            return;
        }
        if (line[0] == '{' && !strstr(line, "\"verdict\"") && now - job->heard < PROGRESS_SECONDS)
            return;
        job->heard = now;
        json = line[0] == '{' ? json_loads(line, 0, NULL) : NULL;
    }
    if (json && !json_object_get(json, "verdict"))
        take_progress(job, json);
    else {
        free(job->record);
        job->record = xstrdup(line);
    }
    json_decref(json);
}

static void take_lines(struct job *job) {
    char *rest = job->lines.text, *end;
    if (!rest)
        return;
    for (size_t n = job->lines.n; !job->exceeded && (end = memchr(rest, '\n', n)) != NULL; rest = end + 1) {
        *end = '\0';
        n -= (size_t)(end + 1 - rest);
        take_line(job, rest);
    }
    job->lines.n -= (size_t)(rest - job->lines.text);
    memmove(job->lines.text, rest, job->lines.n + 1);
}

/* Reads from a pipe, up to a limit that is at least the size of an ordinary pipe, so that one busy writer does not
 * block the others; closes it at its end. Returns the number of bytes. */
static size_t drain(int *end, struct text *text) {
    char chunk[CHUNK];
    size_t taken = 0;
    for (int i = 0; i < CHUNKS && *end >= 0; i++) {
        const ssize_t n = read(*end, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0) {
            text_add(text, chunk, (size_t)n);
            taken += (size_t)n;
        } else if (n == 0) {
            close(*end);
            *end = -1;
        } else
            break;
        if (n < (ssize_t)sizeof chunk) /* the pipe is empty for now */
            break;
    }
    return taken;
}

/* Keeps only the end of what is printed. */
static void shorten(struct text *output) {
    if (output->n > OUTPUT_MOST) {
        memmove(output->text, output->text + output->n - OUTPUT_KEPT, OUTPUT_KEPT + 1);
        output->n = OUTPUT_KEPT;
    }
}

size_t job_listen(struct job *job) {
    shorten(&job->output);
    const size_t printed = drain(&job->output_end, &job->output);
    const size_t said = drain(&job->result_end, &job->lines);
    if (said > 0)
        take_lines(job);
    job->printed += printed;
    job->said += said;
    if (job->said > RESULT_LIMIT)
        exceed(job, LIMIT_RESULT);
    else if (job->printed > OUTPUT_LIMIT)
        exceed(job, LIMIT_OUTPUT);
    return printed;
}

uint64_t job_memory(const struct job *job) {
    return job->max_memory ? process_memory(job->pid) : 0;
}

void job_check(struct job *job, uint64_t memory) {
    const double now = process_clock();
    if (memory > job->memory)
        job->memory = memory;
    if (job->max_memory && memory > job->max_memory)
        exceed(job, LIMIT_MEMORY);
    if (job->max_seconds > 0 && now - job->start > job->max_seconds)
        exceed(job, LIMIT_SECONDS);
    if (job->exceeded == LIMIT_SECONDS && now - job->ended > GRACE)
        job_signal(job, SIGKILL);
}

void job_free(struct job *job) {
    free(job->name);
    free(job->command);
    free(job->lines.text);
    free(job->output.text);
    free(job->record);
    free(job->at);
    job->name = job->command = job->record = job->at = NULL;
    job->lines = job->output = (struct text){0};
}
