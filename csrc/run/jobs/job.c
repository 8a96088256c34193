/* One trace, one process. See job.h. */
#include "run/jobs/job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "report/report.h"
#include "run/options/foreign.h"
#include "run/process/process.h"
#include "run/process/progress.h"
#include "run/session/judge.h"
#include "run/session/session.h"
#include "run/simulators/simulators.h"

/* File descriptors of a simulator: to the runner, and the ledger. */
enum { RESULT_FD = 3, LEDGER_FD, FILES };

/* Only the end of a simulator's output is kept: this much, when it is more than the most. */
enum { OUTPUT_KEPT = 4096, OUTPUT_MOST = 1 << 16, CHUNK = 1 << 14, CHUNKS = 8 };

/* A job must send less result than this, and print less. */
enum { RESULT_LIMIT = 64 << 20, OUTPUT_LIMIT = 256 << 20 };

/* Give up on the result pipe after this many lines that are not JSON. Interval between progress reads. */
enum { GARBAGE_MOST = 16 };
#define PROGRESS_SECONDS 0.05

/* Seconds that a job at its time limit has to write its report. */
enum { GRACE = 5 };

/* Allocations are limited to 1.5 times the limit on resident memory, which is checked a few times a second, plus room
 * for stacks and libraries. */
enum { MEMORY_ROOM = 256 << 20 };

/* Clocks of waves before and after the failure. */
enum { WAVES_BEFORE = 300, WAVES_AFTER = 50, WAVES_BEFORE_HANG = 3000 };

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
    for (size_t i = 0; i < options->given.count; i++)
        words_put(line, options->given.items[i]);
    words_add(line, "--config=%s", child->job->config->name);
    if (options->coverage && coverage_is_file(options->coverage))
        words_add(line, "--coverage=%s", options->coverage);
    else if (options->coverage)
        words_add(line, "--coverage=%s/%s.dat", options->coverage, child->job->name);
    if (options->outputs) {
        char *folder = outputs_folder(options, child->job->name);
        words_add(line, "--outputs=%s", folder);
        free(folder);
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
        return error_set(err, "a pipe cannot be made: %s", strerror(errno));
    for (int i = 0; i < 2; i++)
        ends[i] = high(ends[i]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return true;
}

bool job_simulator(const struct run_options *options, const char *config, char *path, size_t size, struct error *err) {
    const enum simulator_variant variant = run_variant(options, config);
    if (!options->simulators)
        return simulator_path(config, options->rtl_name, variant, path, size, err);
    char *name = simulator_name(config, options->rtl_name, variant);
    const int n = snprintf(path, size, "%s/%s", options->simulators, name);
    free(name);
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
    char *folder = report_folder(options, job->name);
    const bool clean = access(folder, F_OK) != 0 || report_clean(folder, err);
    free(folder);
    return clean;
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
    char *name = text_shown(job->name);
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
    free(name);
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

/* ---- result ---- */

static void set_text(char **text, char *value) {
    free(*text);
    *text = value;
}

/* Bytes as text: 1.50 GiB. Returns text. */
static char *size_text(uint64_t bytes, char *text, size_t size) {
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    snprintf(text, size, "%.*f %s", unit == 0 || value == (double)(uint64_t)value ? 0 : 2, value, units[unit]);
    return text;
}

/* True if a process said at its end that it ran out of memory. */
static bool ran_out_of_memory(const struct job *job) {
    static const char *const words[] = {"out of memory", "bad_alloc", "allocate memory", "no memory", "MemoryError"};
    for (size_t i = 0; job->output.text && i < sizeof words / sizeof *words; i++)
        if (memmem(job->output.text, job->output.n, words[i], strlen(words[i])))
            return true;
    return false;
}

/* Why a simulator gave no valid verdict. */
static char *crash_reason(const struct run_options *options, const struct job *job, const struct result *result,
                          int wait_status) {
    char limit[32];
    const bool said = result->verdict != VERDICT_CRASH;
    const char *who = options->dut == DUT_MODEL ? "the process of the model" : "the simulator";
    struct text text = {0};
    if (WIFSIGNALED(wait_status)) {
        const int number = WTERMSIG(wait_status);
        text_printf(&text, "%s was ended by signal %d (%s)", who, number, strsignal(number));
        if (number == SIGKILL)
            text_printf(&text, "; perhaps memory ran out");
        if (number == SIGBUS && options->rtl.wave.path)
            text_printf(&text, "; perhaps the disk of the waves is full");
    } else
        text_printf(&text, "%s ended with status %d", who, WEXITSTATUS(wait_status));
    if (said)
        text_printf(&text, " after its verdict %s", verdict_names[result->verdict]);
    else
        text_printf(&text, "%s", WIFSIGNALED(wait_status) ? " before it gave a verdict" : " and gave no verdict");
    if (job->max_memory && ran_out_of_memory(job))
        text_printf(&text, "; it ran out of memory, its limit is %s", size_text(job->max_memory, limit, sizeof limit));
    if (!said && job->record) {
        char garbage[80];
        text_printf(&text, "; what it sent is not a result: %s", text_shown_into(job->record, garbage, sizeof garbage));
    } else if (!said && job->lines.n > 0) {
        char garbage[80];
        text_printf(&text, "; what it sent is not a whole line: %s",
                    text_shown_bytes(job->lines.text, job->lines.n, garbage, sizeof garbage));
    }
    char *words = text_last_line(job->output.text, job->output.n);
    if (words[0])
        text_printf(&text, ": %s", words);
    free(words);
    return text.text;
}

/* A result made by the runner, for a job that left none. */
static struct result empty_result(const struct run_options *options, const struct job *job, enum verdict verdict) {
    return (struct result){
        .verdict = verdict,
        .trace = xstrdup(job->name),
        .path = xstrdup(job->path),
        .config = xstrdup(job->config->name),
        .dut = options->dut == DUT_MODEL ? xstrdup("model")
                                         : xprintf("rtl%s%s%s", options->rtl_name[0] ? ":" : "", options->rtl_name,
                                                   options->dut == DUT_BOTH ? "+model" : ""),
        .seed = options->seed,
    };
}

/* Compares the device under test as results name it: the part before the first "+". */
static bool same_rtl(const char *dut, const struct run_options *options) {
    char wanted[RTL_NAME_MAX + 8];
    snprintf(wanted, sizeof wanted, "rtl%s%s", options->rtl_name[0] ? ":" : "", options->rtl_name);
    const size_t n = strlen(wanted);
    return !dut || options->dut == DUT_MODEL || (strncmp(dut, wanted, n) == 0 && (dut[n] == '\0' || dut[n] == '+'));
}

/* The limit that the job exceeded, as text. */
static char *limit_reason(const struct job *job) {
    char used[32], most[32], garbage[80];
    switch (job->exceeded) {
    case LIMIT_SECONDS:
        return xprintf("not done after %.6g second%s, its time limit%s", job->max_seconds,
                       job->max_seconds == 1 ? "" : "s",
                       process_clock() - job->ended > GRACE ? "; it did not obey SIGTERM" : "");
    case LIMIT_MEMORY:
        return xprintf("ended with %s resident, its memory limit is %s", size_text(job->memory, used, sizeof used),
                       size_text(job->max_memory, most, sizeof most));
    case LIMIT_OUTPUT:
        return xprintf("ended after printing %s", size_text(OUTPUT_LIMIT, most, sizeof most));
    default:
        if (job->garbage <= GARBAGE_MOST)
            return xprintf("ended because its result is longer than %s", size_text(RESULT_LIMIT, most, sizeof most));
        return xprintf("ended because what it sent is not a result: %s",
                       text_shown_into(job->record ? job->record : "", garbage, sizeof garbage));
    }
}

/* Keeps the end of the process's output, to be shown. */
static void keep_output(const struct job *job, struct result *result) {
    set_text(&result->output, xstrndup(job->output.text ? job->output.text : "", job->output.n));
}

/* A reason of the runner's own. Takes the text over. */
static void set_reason(struct result *result, char *reason) {
    set_text(&result->reason, reason);
    result->named.count = 0;
}

/* The simulator was ended before it could say what it waits for. */
static void note_gates(const struct run_options *options, const struct job *job, struct result *result) {
    const char *note = result->verdict == VERDICT_HANG ? foreign_gates_of(options, job->config->name) : NULL;
    if (note)
        words_add(&result->notes, "%s", note);
}

/* The result of a job: what it sent, if that is consistent. */
static struct result read_result(const struct run_options *options, const struct job *job, int wait_status) {
    struct result result;
    json_t *json = job->record ? json_loads(job->record, 0, NULL) : NULL;
    if (!result_read(json, &result)) {
        result = empty_result(options, job, job->exceeded == LIMIT_SECONDS ? VERDICT_HANG : VERDICT_CRASH);
        note_gates(options, job, &result);
    }
    const bool in_time = WIFEXITED(wait_status) && result.verdict == VERDICT_PASS; /* when it was asked to end */
    if (job->exceeded == LIMIT_SECONDS ? !in_time : job->exceeded != LIMIT_NONE) {
        result.verdict = job->exceeded == LIMIT_SECONDS ? VERDICT_HANG : VERDICT_CRASH;
        set_reason(&result, limit_reason(job));
        set_text(&result.limit, result.verdict == VERDICT_HANG ? xstrdup("--max-seconds") : NULL);
        if (result.verdict == VERDICT_CRASH)
            keep_output(job, &result);
    } else if (result.verdict == VERDICT_CRASH || !WIFEXITED(wait_status) ||
               WEXITSTATUS(wait_status) != verdict_status(result.verdict)) {
        char *reason = crash_reason(options, job, &result, wait_status);
        result.verdict = VERDICT_CRASH;
        set_reason(&result, reason);
        keep_output(job, &result);
    } else if (result.verdict != VERDICT_ERROR &&
               (strcmp(result.config, job->config->name) != 0 || !same_rtl(result.dut, options))) {
        result.verdict = VERDICT_ERROR;
        char *rtl = options->rtl_name[0] ? xprintf("rtl:%s of ", options->rtl_name) : xstrdup("");
        set_reason(&result, xprintf("the simulator is %s of configuration %s, but %s%s is needed; rebuild it",
                                    result.dut ? result.dut : "rtl", result.config, rtl, job->config->name));
        free(rtl);
    }
    if (result.verdict == VERDICT_PASS && result.reason && result.dut && result.trace && result.path &&
        strcmp(result.trace, job->name) == 0 && strcmp(result.path, job->path) == 0)
        result.same = json_incref(json); /* nothing in it will change */
    json_decref(json);
    set_text(&result.trace, xstrdup(job->name));
    set_text(&result.path, xstrdup(job->path));
    if (!result.reason)
        result.reason = xstrdup("");
    if (!result.dut)
        result.dut = xstrdup("");
    return result;
}

/* The command to repeat the trace. */
static char *again(const struct run_options *options, const struct job *job) {
    return job->command ? xstrdup(job->command) : run_options_command(options, job->path, NULL, "");
}

/* The command that finds the engine to blame, if both devices played. */
static char *debug_command(const struct run_options *options, const struct job *job, const struct result *result) {
    const bool wrong = result->verdict == VERDICT_FAIL || result->verdict == VERDICT_HANG;
    return wrong && options->dut == DUT_BOTH && !options->debug ? run_options_command(options, job->path, "debug", "")
                                                                : NULL;
}

/* The command that records waves around the failure on the RTL; NULL if its place is not known. */
static char *wave_command(const struct run_options *options, const struct job *job, const struct result *result) {
    uint64_t cycle = result->mismatch.cycle, before = WAVES_BEFORE, after = WAVES_AFTER;
    if (options->dut == DUT_MODEL || options->rtl.wave.path || options->debug)
        return NULL;
    for (size_t i = 0; cycle == 0 && i < result->finding_count; i++)
        if (strcmp(result->findings[i].device, "model") != 0)
            cycle = result->findings[i].cycle;
    if (cycle == 0 && result->verdict == VERDICT_HANG) {
        cycle = result->devices[0].stopped     ? result->devices[0].stopped
                : result->devices[0].op_cycles ? result->devices[0].cycles
                                               : 0;
        before = WAVES_BEFORE_HANG;
        after = result->devices[0].stopped ? WAVES_AFTER : 0;
    }
    if (cycle == 0)
        return NULL;
    char *file = text_quoted(job->name);
    char *more = xprintf(" --wave=%s.fst --wave-from=%" PRIu64 " --wave-to=%" PRIu64, file,
                         cycle > before ? cycle - before : 0, cycle + after);
    char *line = run_options_command(options, job->path, NULL, more);
    free(more);
    free(file);
    return line;
}

/* The report of a job that could not write one itself. */
static void report_crash(const struct run_options *options, struct result *result) {
    struct error err;
    char *folder = report_folder(options, result->trace), *json = xprintf("%s/report.json", folder),
         *text = xprintf("%s/report.txt", folder), *content = result_json(result);
    bool ok = directory_make(folder, &err) && file_write(json, content, strlen(content), &err);
    free(content);
    content =
        xprintf("%s %s\n%s\n\ntrace %s, configuration %s, on %s\n\n%s", verdict_names[result->verdict], result->trace,
                result->reason, result->path, result->config, result->dut, result->output ? result->output : "");
    ok = ok && file_write(text, content, strlen(content), &err);
    if (ok)
        set_text(&result->report, xstrdup(json));
    else
        words_add(&result->notes, "no report: %s", err.text);
    free(content);
    free(text);
    free(json);
    free(folder);
}

/* Exit of a process, and what it used. */
struct job_end {
    int wait_status;
    double seconds, cpu_seconds;
    uint64_t memory_peak; /* bytes resident */
};

/* Waits for a process that has ended. */
static struct job_end leave(struct job *job) {
    int wait_status;
    struct rusage usage;
    while (wait4(job->pid, &wait_status, 0, &usage) < 0 && errno == EINTR)
        continue;
    if (job->result_end >= 0)
        close(job->result_end);
    if (job->output_end >= 0)
        close(job->output_end);
    job->result_end = job->output_end = -1;
    job->state = JOB_DONE;
    return (struct job_end){.wait_status = wait_status,
                            .seconds = process_clock() - job->start,
                            .cpu_seconds = process_cpu_seconds(&usage),
                            .memory_peak = (uint64_t)usage.ru_maxrss * 1024};
}

int job_abandon(struct job *job) {
    return process_status(leave(job).wait_status);
}

/* Judges a job whose process ended this way. */
static struct result conclude(struct job *job, const struct run_options *options, const struct job_end *end) {
    if (end->memory_peak > job->memory)
        job->memory = end->memory_peak;
    if (job->max_memory && job->memory > job->max_memory && !job->exceeded)
        job->exceeded = LIMIT_MEMORY; /* between two looks */
    struct result result = read_result(options, job, end->wait_status);
    result.exit_status = process_status(end->wait_status);
    result.seconds = end->seconds;
    result.cpu_seconds = end->cpu_seconds;
    result.memory_peak = job->memory;
    if (!options->no_report && (result.verdict == VERDICT_CRASH || (job->exceeded && !result.report)))
        report_crash(options, &result);
    set_text(&result.command, again(options, job));
    if (result.verdict != VERDICT_PASS)
        set_text(&result.wave_command, wave_command(options, job, &result));
    set_text(&result.debug_command, debug_command(options, job, &result));
    return result;
}

struct result job_result(struct job *job, const struct run_options *options) {
    const struct job_end end = leave(job);
    return conclude(job, options, &end);
}

bool job_noted(struct job *job, const struct run_options *options, const char *line, struct result *result) {
    struct result said;
    if (!result_parse(line, &said))
        return false;
    set_text(&job->record, xstrdup(line));
    const struct job_end end = {.wait_status = W_EXITCODE(verdict_status(said.verdict), 0),
                                .seconds = said.seconds,
                                .cpu_seconds = said.cpu_seconds,
                                .memory_peak = said.memory_peak};
    *result = conclude(job, options, &end);
    result_free(&said);
    return true;
}

struct result job_failed(const struct job *job, const struct run_options *options, const char *reason) {
    struct result result = empty_result(options, job, VERDICT_ERROR);
    result.reason = xstrdup(reason);
    set_text(&result.command, again(options, job));
    return result;
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
