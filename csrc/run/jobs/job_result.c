/* The result of a job: what it sent, or what its end shows. See job.h. */
#include "run/jobs/job.h"

#include <errno.h>
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
#include "run/options/foreign.h"
#include "run/process/process.h"
#include "run/session/judge.h"

/* Clocks of waves before and after the failure. */
enum { WAVES_BEFORE = 300, WAVES_AFTER = 50, WAVES_BEFORE_HANG = 3000 };

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
        text_printf(&text, "; it sent something that is not a result: %s",
                    text_shown_into(job->record, garbage, sizeof garbage));
    } else if (!said && job->lines.n > 0) {
        char garbage[80];
        text_printf(&text, "; it sent an incomplete line: %s",
                    text_shown_bytes(job->lines.text, job->lines.n, garbage, sizeof garbage));
    }
    autofree char *words = text_last_line(job->output.text, job->output.n);
    if (words[0])
        text_printf(&text, ": %s", words);
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
        return xprintf("ended because it sent something that is not a result: %s",
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
        autofree char *rtl = options->rtl_name[0] ? xprintf("rtl:%s of ", options->rtl_name) : xstrdup("");
        set_reason(&result, xprintf("the simulator is %s of configuration %s, but %s%s is needed; rebuild it",
                                    result.dut ? result.dut : "rtl", result.config, rtl, job->config->name));
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
    autofree char *file = text_quoted(job->name);
    autofree char *more = xprintf(" --wave=%s.fst --wave-from=%" PRIu64 " --wave-to=%" PRIu64, file,
                                  cycle > before ? cycle - before : 0, cycle + after);
    return run_options_command(options, job->path, NULL, more);
}

/* The report of a job that could not write one itself. */
static void report_crash(const struct run_options *options, struct result *result) {
    struct error err;
    autofree char *folder = report_folder(options, result->trace), *json = xprintf("%s/report.json", folder),
                  *text = xprintf("%s/report.txt", folder), *value = result_json(result);
    autofree char *content =
        xprintf("%s %s\n%s\n\ntrace %s, configuration %s, on %s\n\n%s", verdict_names[result->verdict], result->trace,
                result->reason, result->path, result->config, result->dut, result->output ? result->output : "");
    if (directory_make(folder, &err) && file_write(json, value, strlen(value), &err) &&
        file_write(text, content, strlen(content), &err))
        set_text(&result->report, xstrdup(json));
    else
        words_add(&result->notes, "no report: %s", err.text);
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
