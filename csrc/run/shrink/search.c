/* The attempts of a search, and which of them fail as the trace does; see search.h. */
#include "run/shrink/search.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/gen.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/process/process.h"
#include "run/result/result.h"
#include "run/session/model_plays.h"
#include "run/session/session.h"
#include "trace/formats.h"

enum {
    STILL = 200000,
    GIVEN_MOST = 64,
    FILE_SIZE = SHRINK_DIRECTORY_SIZE + 512 /* path of a file in the directory */
};

/* ---- one run --------------------------------------------------------------------------------- */

/* How a trace fails, from its result. */
static void set_kind(struct failure *failure, const struct result *result) {
    const size_t size = sizeof failure->kind;
    bool failed_check = false;
    size_t n = 0;
    failure->kind[0] = '\0';
    if (result->verdict == VERDICT_PASS)
        return;
    if (result->verdict == VERDICT_CRASH) {
        snprintf(failure->kind, size, "crash with status %d", result->exit_status);
        return;
    }
    for (int i = 0; i < result->device_count; i++) {
        const struct result_device *device = &result->devices[i];
        if ((strcmp(device->outcome, "hung") == 0 || strcmp(device->outcome, "broken") == 0) && n < size)
            n += (size_t)snprintf(failure->kind + n, size - n, "%s%s", n ? " and " : "hang of ", device->name);
        failed_check = failed_check || device->failures > 0;
    }
    if (n > 0)
        return;
    if (result->mismatch.space && !result->mismatch.golden)
        snprintf(failure->kind, size, "mismatch");
    else if (failed_check)
        snprintf(failure->kind, size, "check");
    else if (result->finding_count > 0)
        snprintf(failure->kind, size, "finding %s", result->findings[0].rule);
    else
        snprintf(failure->kind, size, "%s", result->verdict == VERDICT_HANG ? "time-out" : result->reason);
}

/* One attempt, as its child process sees it: output and result go to two files. */
struct attempt {
    const struct shrink_search *args;
    const char *path, *out, *log, *results;
};

static int play_attempt(void *context) {
    const struct attempt *attempt = context;
    struct words line = {0};
    const int file = open(attempt->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file < 0 || dup2(file, STDOUT_FILENO) < 0 || dup2(file, STDERR_FILENO) < 0)
        return EXIT_BAD_INPUT;
    words_add(&line, "nvcosim run");
    words_add(&line, "--still=%d", STILL);
    for (size_t i = 0; i < attempt->args->given.count; i++)
        words_add(&line, "%s", attempt->args->given.items[i]);
    if (attempt->args->run.simulators)
        words_add(&line, "--simulators=%s", attempt->args->run.simulators);
    if (attempt->args->run.max_seconds)
        words_add(&line, "--max-seconds=%" PRIu64, attempt->args->run.max_seconds);
    words_add(&line, "--out=%s", attempt->out);
    words_add(&line, "--results=%s", attempt->results);
    words_add(&line, "--");
    words_add(&line, "%s", attempt->path);
    return attempt->args->play((int)line.count, line.items);
}

static bool time_is_over(const struct shrink_search *args) {
    return args->end > 0 && process_clock() >= args->end;
}

/* Progress while an attempt runs. */
struct waiting {
    const struct shrink_search *args;
    pid_t pid;
};

static void end_in_time(void *context) {
    const struct waiting *waiting = context;
    if (time_is_over(waiting->args))
        kill(waiting->pid, SIGTERM);
}

/* Copies what the last run printed to stderr. */
static void show_log(const char *log) {
    char *text;
    size_t n;
    if (!file_read(log, &text, &n, NULL))
        return;
    fwrite(text, 1, n, stderr);
    free(text);
}

/* Plays a file. False with a message if that fails. reason: 512 bytes, "" if the trace passes. */
static bool play_file(struct shrink_search *args, const char *path, struct failure *failure, char *reason,
                      struct error *err) {
    char out[FILE_SIZE], log[FILE_SIZE], results[FILE_SIZE], *text = NULL;
    struct result result = {.verdict = VERDICT_ERROR};
    size_t n;
    snprintf(out, sizeof out, "%s/out", args->directory);
    snprintf(log, sizeof log, "%s/log", args->directory);
    snprintf(results, sizeof results, "%s/results", args->directory);
    unlink(results);
    struct attempt attempt = {.args = args, .path = path, .out = out, .log = log, .results = results};
    const pid_t pid = process_start(play_attempt, &attempt, err);
    if (pid < 0)
        return false;
    failure->status = process_wait(pid, end_in_time, &(struct waiting){.args = args, .pid = pid});
    if (time_is_over(args))
        return error_set(err, "%s: not done in the %" PRIu64 " seconds of --seconds", path, args->seconds);
    const bool played = file_read(results, &text, &n, NULL) && result_parse(text, &result);
    free(text);
    if (!played || verdict_status(result.verdict) == EXIT_BAD_INPUT) {
        if (played)
            fprintf(stderr, "%s %s: %s\n", verdict_names[result.verdict], result.trace, result.reason);
        else
            show_log(log);
        result_free(&result);
        return error_set(err, "%s could not be played", path);
    }
    set_kind(failure, &result);
    snprintf(failure->who, sizeof failure->who, "%s", result.disagrees.who ? result.disagrees.who : "");
    snprintf(reason, 512, "%s", result.reason);
    result_free(&result);
    return true;
}

static bool same_failure(const struct failure *a, const struct failure *b) {
    return a->status == b->status && strcmp(a->kind, b->kind) == 0 && strcmp(a->who, b->who) == 0;
}

/* Plays a file; true if it fails in the wanted way; keeps the reason. */
static bool fails_as_wanted(struct shrink_search *args, const char *path) {
    struct failure failure;
    char reason[512];
    struct error err;
    if (time_is_over(args)) { /* as if all attempts had been made */
        args->total -= args->shrink.attempts > 0 ? args->shrink.attempts : 0;
        args->shrink.attempts = 0;
        return false;
    }
    if (!play_file(args, path, &failure, reason, &err) || !same_failure(&failure, &args->wanted))
        return false;
    memcpy(args->reason, reason, sizeof args->reason);
    return true;
}

static bool try_program(void *context, struct program *prog) {
    struct shrink_search *args = context;
    char path[FILE_SIZE];
    struct error err;
    if (args->described)
        random_checks_add(prog);
    snprintf(path, sizeof path, "%s/case.nvt", args->directory);
    bool fails = trace_write(prog, path, &err) && fails_as_wanted(args, path);
    if (progress_due(&args->progress)) {
        char left[48];
        const int done = args->total - args->shrink.attempts;
        progress_show(&args->progress, "attempt %d of at most %d%s; %zu operations %s", done, args->total,
                      progress_left(&args->progress, done, args->total, left, sizeof left), prog->count,
                      fails ? "still fail" : "no longer fail");
    }
    return fails;
}

/* ---- options of the run that the failure does not need --------------------------------------- */

static bool is_memory_option(const char *word) {
    static const char *const names[] = {"--seed=", "--latency",    "--write-latency=", "--page-",
                                        "--stall", "--bandwidth=", "--reorder",        "--bus-fault="};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* --latency-kind and the options that need it: dropped together. */
static bool is_kind_option(const char *word) {
    return strncmp(word, "--latency-kind=", 15) == 0 || strncmp(word, "--latency-max=", 14) == 0 ||
           strncmp(word, "--page-", 7) == 0;
}

/* Tries without the words with drop[i]; drops them for good if the failure remains. */
static bool drop_words(struct shrink_search *args, const bool *drop, const char *path) {
    struct words kept = {0}, given = args->given;
    for (size_t i = 0; i < given.count; i++)
        if (!drop[i])
            words_add(&kept, "%s", given.items[i]);
    args->given = kept;
    if (kept.count < given.count && args->shrink.attempts-- > 0 && fails_as_wanted(args, path)) {
        words_free(&given);
        return true;
    }
    args->given = given;
    words_free(&kept);
    return false;
}

static void drop_options(struct shrink_search *args, const char *path) {
    if (args->keep_options)
        return;
    bool drop[GIVEN_MOST] = {false};
    size_t count = args->given.count < GIVEN_MOST ? args->given.count : GIVEN_MOST;
    for (size_t i = 0; i < count; i++)
        drop[i] = is_memory_option(args->given.items[i]);
    if (drop_words(args, drop, path))
        return;
    for (size_t i = 0; i < args->given.count && i < GIVEN_MOST;) {
        bool one[GIVEN_MOST] = {false};
        one[i] = is_memory_option(args->given.items[i]);
        for (size_t k = 0; is_kind_option(args->given.items[i]) && k < args->given.count && k < GIVEN_MOST; k++)
            one[k] = is_kind_option(args->given.items[k]);
        if (!one[i] || !drop_words(args, one, path))
            i++;
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

/* Shrinks by the description in the trace's comments. False if there is none, or if the described layers do not
 * fail. */
static bool shrink_described(struct shrink_search *args, const struct program *prog, const char *out,
                             struct error *err) {
    struct gen_case gen;
    char path[FILE_SIZE];
    if (!gen_case_read(&gen, prog, err))
        return false;
    struct program *built = gen_build(&gen, out, err);
    if (!built)
        return error_prefix(err, "the layers that the comments describe are not legal: ");
    random_checks_add(built);
    snprintf(path, sizeof path, "%s/case.nvt", args->directory);
    bool same = trace_write(built, path, err) && fails_as_wanted(args, path);
    program_free(built);
    if (!same)
        return error_set(err, "the layers that the comments describe do not fail in that way");
    args->described = true;
    shrink_case(&args->shrink, &gen);
    built = gen_build(&gen, out, err);
    if (built)
        random_checks_add(built);
    bool good = built && trace_write(built, out, err);
    program_free(built);
    return good;
}

static void describe(const struct program *prog) {
    size_t writes = 0, bytes = 0;
    for (size_t i = 0; i < prog->count; i++) {
        writes += prog->ops[i].kind == OP_WRITE;
        bytes += prog->ops[i].kind == OP_MEM_LOAD ? prog->ops[i].blob->size : 0;
    }
    printf("  %zu %s, %zu %s of input\n", writes, text_plural(writes, "register write", "register writes"), bytes,
           text_plural(bytes, "byte", "bytes"));
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_NOTE && strncmp(prog->ops[i].text, "gen layer", 9) == 0)
            printf("  %s\n", prog->ops[i].text + 4);
}

static int search(struct shrink_search *args, struct program *prog, const char *path, const char *out) {
    struct error err;
    if (!play_file(args, path, &args->wanted, args->reason, &err)) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    if (args->wanted.status == EXIT_OK) {
        text_print_line(stdout, "%s passes: nothing to shrink", path);
        return EXIT_OK;
    }
    if (!args->quiet)
        text_print_line(stdout, "%s: %s: %s", path, args->wanted.kind, args->reason);
    drop_options(args, path);
    bool good = shrink_described(args, prog, out, &err);
    if (!good) {
        if (!args->quiet)
            text_print_line(stdout, "  %s: only whole layers are taken out", err.text);
        shrink_program(&args->shrink, prog);
        good = trace_write(prog, out, &err);
    }
    progress_clear(&args->progress);
    if (!good) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    autoprogram struct program *small = trace_read(out, &(struct trace_options){0}, &err);
    text_print_line(stdout, "%s: %s: %s", out, args->wanted.kind, args->reason);
    if (small)
        describe(small);
    printf("  %d attempts%s; play it with: nvcosim run",
           args->total - (args->shrink.attempts < 0 ? 0 : args->shrink.attempts),
           time_is_over(args) ? ", then time ran out" : "");
    for (size_t i = 0; i <= args->given.count; i++) {
        autofree char *word = text_quoted(i < args->given.count ? args->given.items[i] : out);
        printf(" %s", word);
    }
    printf("\n");
    return args->wanted.status;
}

/* NAME-shrunk.nvt beside the trace. */
static void default_out(const char *path, char *out, size_t size) {
    char name[400];
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    while (end > 0 && path[end - 1] != '/')
        end--;
    snprintf(out, size, "%.*s%s-shrunk.nvt", (int)end, path, trace_name(path, name, sizeof name));
}

/* True if the file can be written; checked before hundreds of runs. */
static bool prepare_out(const char *out, struct error *err) {
    char *folder = xstrdup(out), *slash = strrchr(folder, '/');
    if (slash)
        *(slash == folder ? slash + 1 : slash) = '\0';
    const bool ok = access(slash ? folder : ".", W_OK) == 0;
    if (!ok)
        error_set(err, "%s: %m; --out FILE names another place", out);
    free(folder);
    return ok;
}

int shrink_search(struct shrink_search *args) {
    const char *path = args->run.traces.items[0];
    char out[SHRINK_PATH_SIZE];
    struct error err;
    autoprogram struct program *prog = read_trace(&args->run, path, &err);
    if (!prog) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    if (args->out)
        snprintf(out, sizeof out, "%s", args->out);
    else
        default_out(path, out, sizeof out);
    if (!prepare_out(out, &err) || !directory_temporary(args->directory, sizeof args->directory, &err)) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    process_obey_signals();
    args->progress = progress_start();
    args->total = (int)args->attempts;
    args->end = args->seconds ? process_clock() + (double)args->seconds : 0;
    args->shrink = (struct shrink){.fails = try_program, .context = args, .attempts = args->total};
    int status = search(args, prog, path, out);
    directory_remove(args->directory);
    return status;
}
