/* The runner: starts what plays each trace, a simulator or this program for the model alone, takes its result as data,
 * prints it, and counts. */
#include "run/jobs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "report/report.h"
#include "run/process.h"
#include "run/progress.h"
#include "run/result.h"
#include "run/session.h"
#include "run/simulators.h"
#include "trace/program.h"

/* File descriptor that a simulator finds its way to the runner at. */
enum { RESULT_FD = 3 };

/* Of what a simulator prints only the end is kept. */
enum { OUTPUT_KEPT = 4096, CHUNK = 4096 };

/* Clocks of waves before and after the place where it went wrong. */
enum { WAVES_BEFORE = 300, WAVES_AFTER = 50, WAVES_BEFORE_HANG = 3000 };

enum { TICK_MS = 250 };

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE };

struct job {
    const char *path;
    char *name;
    const struct nvdla_config *config;
    enum job_state state;
    pid_t pid;
    int result_end, output_end; /* read ends of the pipes; -1: closed */
    double start;
    bool timed_out;
    struct text lines, output; /* lines: what came over the result's pipe and is not a whole line yet */
    char *record;              /* the last line that was whole and no progress */
    size_t layer, layers;      /* what it said last of how far it is */
    double rate;
    char *at;
    enum verdict verdict;
};

struct run {
    const struct run_options *options;
    struct job *jobs;
    size_t count, started, running, done;
    size_t verdicts[VERDICT_COUNT];
    struct progress progress;
    struct warning_kinds warnings;
    struct result_style style;
    int results; /* file of --results, -1: none */
    int worst;
    bool failed; /* results could not be written */
    bool ending; /* the jobs were told to end: without a verdict they are lost */
    size_t lost;
    int signals; /* signalfd */
};

/* ---- before anything is played ---- */

/* Name for the trace that no earlier job has. */
static void name_job(struct job *jobs, size_t index) {
    char base[400];
    trace_name(jobs[index].path, base, sizeof base);
    char *name = xstrdup(base);
    for (int copy = 2;; copy++) {
        bool taken = false;
        for (size_t i = 0; i < index && !taken; i++)
            taken = strcmp(jobs[i].name, name) == 0;
        if (!taken)
            break;
        free(name);
        name = xprintf("%s-%d", base, copy);
    }
    jobs[index].name = name;
}

/* Every configuration has a model, not every one has RTL of this project; another RTL may have any. */
static bool check_config(const struct run_options *options, const struct nvdla_config *config) {
    char names[256];
    if (options->dut == DUT_MODEL || options->rtl_name[0] || !config || config->rtl)
        return true;
    fprintf(stderr,
            "nvcosim: configuration %s has no RTL here: play it on the model alone with --dut model, or on another "
            "RTL with --dut rtl:NAME; there is RTL for %s\n",
            config->name, config_names(true, names, sizeof names));
    return false;
}

/* Reads every trace; false if any cannot be run. */
static bool validate(struct run *run) {
    bool ok = true;
    for (size_t i = 0; i < run->count; i++) {
        struct error err;
        progress_count(&run->progress, "reading", i, run->count, "traces");
        struct program *prog = read_trace(run->options, run->jobs[i].path, &err);
        if (!prog || !check_config(run->options, prog->config)) {
            progress_clear(&run->progress);
            if (!prog)
                fprintf(stderr, "%s\n", err.text);
            ok = false;
            program_free(prog);
            continue;
        }
        run->jobs[i].config = prog->config;
        for (size_t w = 0; w < prog->warning_count && !run->options->quiet; w++) {
            progress_clear(&run->progress);
            warning_print(&run->warnings, prog->warnings[w], run->options->verbose);
        }
        program_free(prog);
    }
    progress_clear(&run->progress);
    return ok;
}

/* The options given that the device under test has no use for. */
static void warn_of_idle_options(const struct run_options *options) {
    for (size_t i = 0; i < options->given.count && !options->quiet; i++) {
        const char *word = options->given.items[i];
        if (!run_option_applies(word, options->dut))
            fprintf(stderr, "nvcosim: warning: %s has no effect with --dut %s\n", word,
                    options->dut == DUT_MODEL ? "model" : "rtl");
    }
}

/* Makes the folder of the reports, if it is named; false if nothing can be written there. */
static bool prepare_reports(const struct run_options *options) {
    struct error err;
    bool ok = !options->out || directory_make(options->out, &err);
    if (!ok)
        fprintf(stderr, "nvcosim: --out: %s\n", err.text);
    else if (options->out && access(options->out, W_OK) != 0) {
        fprintf(stderr, "nvcosim: --out: %s: %s\n", options->out, strerror(errno));
        ok = false;
    }
    return ok;
}

/* Makes the folder of a wave file; false if the file cannot be written there. */
static bool prepare_waves(const char *path, struct error *err) {
    char *folder = xstrdup(path), *slash = strrchr(folder, '/');
    if (slash)
        *(slash == folder ? slash + 1 : slash) = '\0';
    struct error reason;
    struct stat info;
    bool ok = !slash || directory_make(folder, &reason) || error_set(err, "--wave: %s: %s", path, reason.text);
    if (ok && stat(path, &info) == 0 ? S_ISDIR(info.st_mode) || access(path, W_OK) != 0
                                     : ok && access(slash ? folder : ".", W_OK) != 0)
        ok = error_set(err, "--wave: %s: cannot be written", path);
    free(folder);
    return ok;
}

/* Simulators and what they need to run: the folders of the waves and of the coverage data. */
static bool prepare_simulators(const struct run *run, struct error *err) {
    const struct run_options *options = run->options;
    if (options->rtl.wave_path && !prepare_waves(options->rtl.wave_path, err))
        return false;
    for (size_t i = 0; i < run->count; i++)
        if (!ensure_simulator(run->jobs[i].config->name, options->rtl_name, run_variant(options), err))
            return false;
    return !options->coverage || coverage_is_file(options->coverage) || directory_make(options->coverage, err) ||
           error_prefix(err, "--coverage: ");
}

/* Opens the file of --results, empty. */
static bool open_results(struct run *run) {
    const char *path = run->options->results;
    run->results = -1;
    if (!path)
        return true;
    const bool to_stdout = strcmp(path, "-") == 0;
    run->results =
        to_stdout ? dup(STDOUT_FILENO) : open(path, O_WRONLY | O_CREAT | O_APPEND | O_TRUNC | O_CLOEXEC, 0666);
    if (run->results < 0)
        fprintf(stderr, "nvcosim: --results: %s: %s\n", path, strerror(errno));
    return run->results >= 0;
}

/* ---- starting a job ---- */

struct child {
    const struct run *run;
    const struct job *job;
    const char *simulator;
    int result, output; /* write ends */
};

/* The command line of the simulator for one trace. */
static void command_line(const struct child *child, struct words *line) {
    const struct run_options *options = child->run->options;
    words_add(line, "%s", child->simulator);
    for (size_t i = 0; i < options->given.count; i++)
        words_add(line, "%s", options->given.items[i]);
    words_add(line, "--config=%s", child->job->config->name);
    if (options->coverage && coverage_is_file(options->coverage))
        words_add(line, "--coverage=%s", options->coverage);
    else if (options->coverage)
        words_add(line, "--coverage=%s/%s.dat", options->coverage, child->job->name);
    words_add(line, "--name=%s", child->job->name);
    words_add(line, "--result-fd=%d", RESULT_FD);
    if (child->run->progress.terminal)
        words_add(line, "--progress");
    words_add(line, "--");
    words_add(line, "%s", child->job->path);
}

/* Plays the trace in this process, on the model alone. */
static int play_here(const struct child *child) {
    char *trace[] = {(char *)child->job->path, NULL};
    struct run_options one = *child->run->options;
    one.traces = (struct words){.items = trace, .count = 1};
    one.name = child->job->name;
    one.result_fd = RESULT_FD;
    one.progress = child->run->progress.terminal;
    return play_one(&one, NULL, NULL, NULL);
}

/* The child: becomes the simulator or plays on the model. */
static int play_job(void *context) {
    const struct child *child = context;
    const int null = open("/dev/null", O_RDONLY);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(child->output, STDOUT_FILENO);
    dup2(child->output, STDERR_FILENO);
    dup2(child->result, RESULT_FD);
    for (int fd = RESULT_FD + 1; fd <= child->result || fd <= child->output; fd++)
        close(fd);
    if (child->run->options->dut == DUT_MODEL)
        return play_here(child);
    struct words line = {0};
    command_line(child, &line);
    const int status = process_exec(line.items);
    fprintf(stderr, "%s: %s\n", child->simulator, strerror(errno));
    return status;
}

/* A pipe whose ends are not below RESULT_FD + 1 and not handed on by exec; the read end does not block. */
static bool make_pipe(int ends[2], struct error *err) {
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, "a pipe cannot be made: %s", strerror(errno));
    for (int i = 0; i < 2; i++) {
        const int high = fcntl(ends[i], F_DUPFD_CLOEXEC, RESULT_FD + 1);
        if (high >= 0) {
            close(ends[i]);
            ends[i] = high;
        }
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return true;
}

static bool start(struct run *run, struct job *job, struct error *err) {
    const struct run_options *options = run->options;
    char simulator[SIMULATOR_PATH] = "";
    int result[2], output[2];
    if (options->dut != DUT_MODEL &&
        !simulator_path(job->config->name, options->rtl_name, run_variant(options), simulator, sizeof simulator, err))
        return false;
    char *folder = report_folder(options, job->name);
    const bool clean = report_clean(folder, err); /* this run owns it: no report of an earlier one stays */
    free(folder);
    if (!clean || !make_pipe(result, err))
        return false;
    if (!make_pipe(output, err)) {
        close(result[0]);
        close(result[1]);
        return false;
    }
    struct child child = {.run = run, .job = job, .simulator = simulator, .result = result[1], .output = output[1]};
    job->start = process_clock();
    job->pid = process_start(play_job, &child, err);
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
    run->running++;
    return true;
}

/* ---- what a job says ---- */

static void take_progress(struct job *job, const json_t *json) {
    const char *device = json_string_value(json_object_get(json, "device"));
    job->layer = (size_t)json_integer_value(json_object_get(json, "layer"));
    job->layers = (size_t)json_integer_value(json_object_get(json, "layers"));
    job->rate = json_number_value(json_object_get(json, "rate"));
    free(job->at);
    job->at =
        xprintf("%s on %s: layer %zu of %zu, %lld cycles, %.0f cycles/s", job->name, device ? device : "?", job->layer,
                job->layers, (long long)json_integer_value(json_object_get(json, "cycles")), job->rate);
}

static void take_line(struct job *job, const char *line) {
    json_t *json = json_loads(line, 0, NULL);
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
    for (; (end = strchr(rest, '\n')) != NULL; rest = end + 1) {
        *end = '\0';
        take_line(job, rest);
    }
    job->lines.n -= (size_t)(rest - job->lines.text);
    memmove(job->lines.text, rest, job->lines.n + 1);
}

/* Takes what is there to read; closes the pipe at its end. */
static void drain(int *end, struct text *text) {
    char chunk[CHUNK];
    for (ssize_t n; *end >= 0;) {
        n = read(*end, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0)
            text_add(text, chunk, (size_t)n);
        else if (n == 0) {
            close(*end);
            *end = -1;
        } else
            return;
    }
}

/* Output goes to stderr as it comes if only one job runs at a time, else when the job is done; its end is kept. */
static void take_output(struct run *run, struct job *job) {
    const size_t before = job->output.n;
    drain(&job->output_end, &job->output);
    if (run->options->jobs == 1 && job->output.n > before) {
        progress_clear(&run->progress);
        fwrite(job->output.text + before, 1, job->output.n - before, stderr);
    }
    if (job->output.n > 16 * OUTPUT_KEPT) {
        job->output.n = OUTPUT_KEPT;
        memmove(job->output.text, job->output.text + (16 * OUTPUT_KEPT - OUTPUT_KEPT), OUTPUT_KEPT);
        job->output.text[OUTPUT_KEPT] = '\0';
    }
}

/* ---- when a job is done ---- */

static void set_text(char **text, char *value) {
    free(*text);
    *text = value;
}

/* The last line that was printed, "" if nothing was. free() it. */
static char *last_line(const struct text *output) {
    if (!output->text)
        return xstrdup("");
    size_t end = output->n;
    while (end > 0 && output->text[end - 1] == '\n')
        end--;
    size_t start = end;
    while (start > 0 && output->text[start - 1] != '\n')
        start--;
    return xstrndup(output->text + start, end - start);
}

/* Why a simulator did not come to a verdict that holds. */
static char *crash_reason(const struct run *run, const struct job *job, const struct result *result, int wait_status) {
    const bool said = result->verdict != VERDICT_CRASH;
    const char *who = run->options->dut == DUT_MODEL ? "the process of the model" : "the simulator";
    struct text text = {0};
    if (WIFSIGNALED(wait_status)) {
        const int number = WTERMSIG(wait_status);
        text_printf(&text, "%s was ended by signal %d (%s)", who, number, strsignal(number));
        if (number == SIGKILL)
            text_printf(&text, "; perhaps memory ran out");
        if (number == SIGBUS && run->options->rtl.wave_path)
            text_printf(&text, "; perhaps the disk of the waves is full");
    } else
        text_printf(&text, "%s ended with status %d", who, WEXITSTATUS(wait_status));
    if (said)
        text_printf(&text, " after its verdict %s", verdict_names[result->verdict]);
    else
        text_printf(&text, "%s", WIFSIGNALED(wait_status) ? " before it gave a verdict" : " and gave no verdict");
    char *words = last_line(&job->output);
    if (words[0])
        text_printf(&text, ": %s", words);
    free(words);
    return text.text;
}

/* A result of the runner's own, for a job that left none. */
static struct result empty_result(const struct run *run, const struct job *job, enum verdict verdict) {
    const struct run_options *options = run->options;
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

/* The device under test, as results name it: what stands before the first "+". */
static bool same_rtl(const char *dut, const struct run_options *options) {
    char wanted[RTL_NAME_MAX + 8];
    snprintf(wanted, sizeof wanted, "rtl%s%s", options->rtl_name[0] ? ":" : "", options->rtl_name);
    const size_t n = strlen(wanted);
    return !dut || options->dut == DUT_MODEL || (strncmp(dut, wanted, n) == 0 && (dut[n] == '\0' || dut[n] == '+'));
}

/* What came of a job: what it said, if that can be believed. */
static struct result read_result(const struct run *run, const struct job *job, int wait_status) {
    struct result result;
    if (!job->record || !result_parse(job->record, &result))
        result = empty_result(run, job, job->timed_out ? VERDICT_HANG : VERDICT_CRASH);
    if (job->timed_out && result.verdict != VERDICT_PASS) {
        result.verdict = VERDICT_HANG;
        set_text(&result.reason,
                 xprintf("not done after %" PRIu64 " seconds (--max-seconds)", run->options->max_seconds));
    } else if (result.verdict == VERDICT_CRASH || !WIFEXITED(wait_status) ||
               WEXITSTATUS(wait_status) != verdict_status(result.verdict)) {
        char *reason = crash_reason(run, job, &result, wait_status);
        result.verdict = VERDICT_CRASH;
        set_text(&result.reason, reason);
        set_text(&result.output, xstrndup(job->output.text ? job->output.text : "", job->output.n));
    } else if (result.verdict != VERDICT_ERROR &&
               (strcmp(result.config, job->config->name) != 0 || !same_rtl(result.dut, run->options))) {
        result.verdict = VERDICT_ERROR;
        set_text(&result.reason,
                 xprintf("the simulator says that it is %s of configuration %s, %s is asked for; build it again",
                         result.dut ? result.dut : "rtl", result.config, job->config->name));
    }
    set_text(&result.trace, xstrdup(job->name));
    set_text(&result.path, xstrdup(job->path));
    if (!result.reason)
        result.reason = xstrdup("");
    if (!result.dut)
        result.dut = xstrdup("");
    return result;
}

/* The command that plays the trace again, with further words. */
static char *command(const struct run_options *options, const struct job *job, const char *more) {
    struct text text = {0};
    text_printf(&text, "nvcosim run");
    for (size_t i = 0; i < options->given.count; i++) {
        const char *word = options->given.items[i];
        if (strcmp(word, "--quiet") == 0 || (more[0] && strncmp(word, "--wave", strlen("--wave")) == 0))
            continue;
        char *quoted = text_quoted(word);
        text_printf(&text, " %s", quoted);
        free(quoted);
    }
    char *path = text_quoted(job->path);
    text_printf(&text, "%s %s", more, path);
    free(path);
    return text.text;
}

/* The command that records waves around the place where it went wrong on the RTL; NULL if that is not known. */
static char *wave_command(const struct run_options *options, const struct job *job, const struct result *result) {
    uint64_t cycle = result->mismatch.cycle, before = WAVES_BEFORE, after = WAVES_AFTER;
    if (options->dut == DUT_MODEL || options->rtl.wave_path)
        return NULL;
    for (size_t i = 0; cycle == 0 && i < result->finding_count; i++)
        if (strcmp(result->findings[i].device, "model") != 0)
            cycle = result->findings[i].cycle;
    if (cycle == 0 && result->verdict == VERDICT_HANG) {
        cycle = result->devices[0].op_cycles ? result->devices[0].cycles : 0;
        before = WAVES_BEFORE_HANG;
        after = 0;
    }
    if (cycle == 0)
        return NULL;
    char *file = text_quoted(job->name);
    char *more = xprintf(" --wave=%s.fst --wave-from=%" PRIu64 " --wave-to=%" PRIu64, file,
                         cycle > before ? cycle - before : 0, cycle + after);
    char *line = command(options, job, more);
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

/* Adds a line to the results: whole, or not at all. */
static void write_result(struct run *run, const struct result *result) {
    if (run->results < 0)
        return;
    char *json = result_json(result), *line = xprintf("%s\n", json);
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
    free(line);
    free(json);
}

static void count_result(struct run *run, const struct result *result) {
    run->done++;
    run->verdicts[result->verdict]++;
    run->worst = worse_status(run->worst, verdict_status(result->verdict));
}

static void finish(struct run *run, struct job *job, struct result *result) {
    job->state = JOB_DONE;
    job->verdict = result->verdict;
    count_result(run, result);
    set_text(&result->command, command(run->options, job, ""));
    if (result->verdict != VERDICT_PASS)
        set_text(&result->wave_command, wave_command(run->options, job, result));
    write_result(run, result);
    progress_clear(&run->progress);
    result_print(result, &run->style, &run->warnings);
    result_free(result);
}

/* Takes a job in whose process has ended. */
static void collect(struct run *run, struct job *job) {
    int wait_status;
    struct rusage usage;
    while (wait4(job->pid, &wait_status, 0, &usage) < 0 && errno == EINTR)
        continue;
    drain(&job->result_end, &job->lines);
    take_lines(job);
    take_output(run, job);
    if (job->result_end >= 0)
        close(job->result_end);
    if (job->output_end >= 0)
        close(job->output_end);
    job->result_end = job->output_end = -1;
    run->running--;
    if (run->ending && !job->record) {
        job->state = JOB_DONE;
        run->lost++;
        return;
    }
    struct result result = read_result(run, job, wait_status);
    result.exit_status = process_status(wait_status);
    result.seconds = process_clock() - job->start;
    result.cpu_seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    if (result.verdict == VERDICT_CRASH || (job->timed_out && !result.report))
        report_crash(run->options, &result);
    if (run->options->jobs > 1 && job->output.n > 0) {
        progress_clear(&run->progress);
        fwrite(job->output.text, 1, job->output.n, stderr);
    }
    finish(run, job, &result);
}

/* ---- all of them ---- */

/* The last of the running jobs that said how far it is. */
static const struct job *talking(const struct run *run) {
    for (size_t i = run->started; i-- > 0;)
        if (run->jobs[i].state == JOB_RUNNING && run->jobs[i].at)
            return &run->jobs[i];
    return NULL;
}

static void show_progress(struct run *run) {
    if (!progress_due(&run->progress))
        return;
    const struct job *job = talking(run);
    double done = (double)run->done, total = (double)run->count;
    char left[48];
    for (size_t i = 0; i < run->started; i++)
        if (run->jobs[i].state == JOB_RUNNING && run->jobs[i].layers > 0)
            done += (double)(run->jobs[i].layer > 0 ? run->jobs[i].layer - 1 : 0) / (double)run->jobs[i].layers;
    progress_left(&run->progress, done, total, left, sizeof left);
    if (run->count > 1)
        progress_show(&run->progress, "%zu of %zu traces done%s%s%s", run->done, run->count, left, job ? "; " : "",
                      job ? job->at : "");
    else
        progress_show(&run->progress, "%s%s", job ? job->at : run->jobs[0].name, left);
}

/* True if the process of a job has ended; its status can still be waited for. */
static bool has_ended(const struct job *job) {
    siginfo_t info = {.si_pid = 0};
    while (waitid(P_PID, (id_t)job->pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0)
        if (errno != EINTR)
            return true;
    return info.si_pid == job->pid;
}

static void hand_on(const struct run *run, int number) {
    for (size_t i = 0; i < run->started; i++)
        if (run->jobs[i].state == JOB_RUNNING)
            kill(run->jobs[i].pid, number);
}

/* The signal among those that have come that asks to end the run, 0 if none does. SIGUSR1 is for simulators that record
 * waves; the others block it. */
static int asked_to_end(const struct run *run) {
    struct signalfd_siginfo info;
    int number = 0;
    while (read(run->signals, &info, sizeof info) == sizeof info) {
        if (info.ssi_signo == SIGUSR1)
            hand_on(run, SIGUSR1);
        else if (info.ssi_signo != SIGCHLD)
            number = (int)info.ssi_signo;
    }
    return number;
}

/* Waits for something to happen and takes it in. Returns the signal that asks to end the run, 0 if none does. */
static int await(struct run *run) {
    struct pollfd *fds = xcalloc(2 * run->running + 1, sizeof *fds);
    size_t n = 0;
    fds[n++] = (struct pollfd){.fd = run->signals, .events = POLLIN};
    for (size_t i = 0; i < run->started; i++) {
        const struct job *job = &run->jobs[i];
        if (job->state == JOB_RUNNING) {
            fds[n++] = (struct pollfd){.fd = job->result_end, .events = POLLIN};
            fds[n++] = (struct pollfd){.fd = job->output_end, .events = POLLIN};
        }
    }
    poll(fds, n, run->progress.terminal || run->options->max_seconds ? TICK_MS : -1);
    free(fds);
    const int number = asked_to_end(run); /* before the look at who has ended: no end is missed */
    for (size_t i = 0; i < run->started; i++) {
        struct job *job = &run->jobs[i];
        if (job->state != JOB_RUNNING)
            continue;
        drain(&job->result_end, &job->lines);
        take_lines(job);
        take_output(run, job);
        if (has_ended(job))
            collect(run, job);
    }
    return number;
}

/* Ends the jobs that take longer than --max-seconds. */
static void end_late(struct run *run) {
    for (size_t i = 0; i < run->started; i++) {
        struct job *job = &run->jobs[i];
        if (job->state == JOB_RUNNING && !job->timed_out &&
            process_clock() - job->start > (double)run->options->max_seconds) {
            job->timed_out = true;
            kill(job->pid, SIGTERM);
        }
    }
}

/* Ends the running jobs by that signal and waits until they are gone; those that have come to a verdict count. Returns
 * the exit status. */
static int end_all(struct run *run, int number) {
    run->ending = true;
    hand_on(run, number);
    while (run->running > 0)
        await(run);
    progress_clear(&run->progress);
    fprintf(stderr, "nvcosim: %s: ended with %zu trace%s running, %zu of %zu done\n", strsignal(number), run->lost,
            run->lost == 1 ? "" : "s", run->done, run->count);
    return 128 + number;
}

static void print_counts(const struct run *run) {
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

static int play_all(struct run *run) {
    int to_end;
    run->progress = progress_start();
    while (run->done < run->count) {
        if (run->started < run->count && run->running < (size_t)run->options->jobs) {
            struct job *job = &run->jobs[run->started++];
            struct error err;
            if (!start(run, job, &err)) {
                struct result result = empty_result(run, job, VERDICT_ERROR);
                result.reason = xstrdup(err.text);
                finish(run, job, &result);
            }
            continue;
        }
        to_end = await(run);
        if (to_end != 0)
            return end_all(run, to_end);
        if (run->options->max_seconds)
            end_late(run);
        show_progress(run);
    }
    warning_kinds_print(&run->warnings);
    if (run->count > 1)
        print_counts(run);
    return run->failed ? EXIT_BAD_INPUT : run->worst;
}

/* SIGINT, SIGTERM, SIGUSR1 and the ends of children are read from a file descriptor while traces play. */
static int play_with_signals(struct run *run) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    run->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (run->signals < 0) {
        fprintf(stderr, "nvcosim: signalfd: %s\n", strerror(errno));
        return EXIT_BAD_INPUT;
    }
    const int status = play_all(run);
    close(run->signals);
    return status;
}

static bool prepare(struct run *run) {
    const struct run_options *options = run->options;
    struct error err;
    if (!check_config(options, options->config) || !validate(run) || !prepare_reports(options))
        return false;
    if (options->dut != DUT_MODEL && !prepare_simulators(run, &err)) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return false;
    }
    warn_of_idle_options(options);
    return true;
}

int jobs_run(const struct run_options *options) {
    const bool lines_to_stderr = options->results && strcmp(options->results, "-") == 0;
    FILE *out = lines_to_stderr ? stderr : stdout;
    struct run run = {
        .options = options,
        .count = options->traces.count,
        .progress = progress_start(),
        .style = {.out = out,
                  .colour = terminal_has_colour(fileno(out)),
                  .quiet = options->quiet,
                  .verbose = options->verbose,
                  .stats = options->stats},
    };
    process_obey_signals();
    run.jobs = xcalloc(run.count, sizeof *run.jobs);
    for (size_t i = 0; i < run.count; i++) {
        run.jobs[i] = (struct job){.path = options->traces.items[i], .result_end = -1, .output_end = -1};
        name_job(run.jobs, i);
    }
    const int status = open_results(&run) && prepare(&run) ? play_with_signals(&run) : EXIT_BAD_INPUT;
    if (run.results >= 0)
        close(run.results);
    for (size_t i = 0; i < run.count; i++) {
        free(run.jobs[i].name);
        free(run.jobs[i].lines.text);
        free(run.jobs[i].output.text);
        free(run.jobs[i].record);
        free(run.jobs[i].at);
    }
    free(run.jobs);
    warning_kinds_free(&run.warnings);
    return status;
}
