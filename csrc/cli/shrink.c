/* nvcosim shrink: a failing trace, made smaller while it keeps failing. Every attempt is an `nvcosim run` of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/commands.h"
#include "gen/gen.h"
#include "gen/shrink.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "run/options.h"
#include "run/session.h"
#include "trace/formats.h"

enum { KEY_ATTEMPTS = 0x1000 };

enum { ATTEMPTS = 300, ATTEMPTS_MAX = 100000, TIMEOUT = 200000, TABLE_SIZE = 64, PATH_SIZE = 4096, FILES_OPEN = 16 };

enum { DIRECTORY_SIZE = 512, FILE_SIZE = DIRECTORY_SIZE + 512 /* a file in it */ };

static const char doc[] =
    "Plays a failing trace again and again, smaller every time, and keeps what still fails in the same way: memory "
    "that "
    "differs, a failed check, a finding of the same rule, or a hang of the same devices.\v"
    "A trace of `nvcosim gen` loses layers, gets smaller sizes and kernels of one element, plain operands and "
    "settings. "
    "Any other trace loses whole layers only. Memory options (--stall, --latency, ...) are dropped when the failure "
    "does "
    "not need them. A trace that does nothing for 200000 clocks counts as hung (--timeout).\n"
    "\n"
    "Examples:\n"
    "  nvcosim shrink cases/small_mix_17.nvt.gz\n"
    "  nvcosim shrink --stall 300 --seed 5 --out small.nvt --attempts 1000 cases/small_mix_17.nvt.gz\n"
    "\n"
    "Exit status: that of the smallest trace found, 1 or 3; 0 if TRACE passes; 2 bad input or usage.";

/* How a run ends. Runs fail alike if all of this is equal. */
struct failure {
    int status;     /* of `nvcosim run` */
    char kind[160]; /* "hang of rtl", "mismatch", "check", "finding RULE" */
};

struct arguments {
    struct run_options run; /* first: the parser of the run options fills it */
    uint64_t attempts;
    const char *out;
    bool quiet;
    /* the search */
    char directory[DIRECTORY_SIZE]; /* of the attempts */
    struct failure wanted;
    char reason[512];   /* of the last run that failed as wanted */
    struct words given; /* run options of the attempts */
    int total;
    struct shrink shrink;
};

/* ---- one run -------------------------------------------------------------------------------------------------------
 */

static void set_kind(struct failure *failure, json_t *report) {
    json_t *devices = json_object_get(report, "devices"), *device;
    size_t i, n = 0;
    const char *finding = NULL;
    bool failed_check = false;
    char hung[100] = "";
    json_array_foreach(devices, i, device) {
        json_t *findings = json_object_get(device, "findings");
        const char *name = json_string_value(json_object_get(device, "device"));
        bool hangs = json_object_get(device, "message") != NULL;
        if (hangs && n < sizeof hung)
            n += (size_t)snprintf(hung + n, sizeof hung - n, "%s%s", n ? " and " : "", name ? name : "?");
        failed_check = failed_check || json_array_size(json_object_get(device, "failures")) > 0;
        if (!finding && json_array_size(findings) > 0)
            finding = json_string_value(json_object_get(json_array_get(findings, 0), "rule"));
    }
    if (n > 0)
        snprintf(failure->kind, sizeof failure->kind, "hang of %s", hung);
    else if (json_array_size(json_object_get(report, "mismatches")) > 0)
        snprintf(failure->kind, sizeof failure->kind, "mismatch");
    else if (failed_check)
        snprintf(failure->kind, sizeof failure->kind, "check");
    else
        snprintf(failure->kind, sizeof failure->kind, "finding %s", finding ? finding : "?");
}

/* The child's side: what the run prints goes to a file. */
static int child(const struct arguments *args, const char *path, const char *out, const char *log) {
    struct words line = {0};
    int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    bool ok = file >= 0 && dup2(file, STDOUT_FILENO) >= 0 && dup2(file, STDERR_FILENO) >= 0 &&
              words_add(&line, "nvcosim run") && words_add(&line, "--timeout=%d", TIMEOUT);
    for (size_t i = 0; ok && i < args->given.count; i++)
        ok = words_add(&line, "%s", args->given.items[i]);
    ok = ok && words_add(&line, "--out=%s", out) && words_add(&line, "--no-progress") && words_add(&line, "--") &&
         words_add(&line, "%s", path);
    return ok ? run_main((int)line.count, line.items) : EXIT_BAD_INPUT;
}

/* Copies what the last run printed to stderr, but not where its report was: that folder goes. */
static void show_log(const char *log) {
    char *text;
    size_t n;
    if (!file_read(log, &text, &n, NULL))
        return;
    for (const char *line = text, *end = text + n, *next; line < end; line = next) {
        next = memchr(line, '\n', (size_t)(end - line));
        next = next ? next + 1 : end;
        if (strncmp(line, "  report: ", strlen("  report: ")) != 0)
            fwrite(line, 1, (size_t)(next - line), stderr);
    }
    free(text);
}

/* Plays a file. False with a message if that was not possible. reason: 512 bytes, "" if it passes. */
static bool play_file(struct arguments *args, const char *path, struct failure *failure, char *reason,
                      struct error *err) {
    char out[FILE_SIZE], log[FILE_SIZE], name[400], report[2 * FILE_SIZE];
    int status;
    const pid_t parent = getpid();
    snprintf(out, sizeof out, "%s/out", args->directory);
    snprintf(log, sizeof log, "%s/log", args->directory);
    snprintf(report, sizeof report, "%s/%s/report.json", out, trace_name(path, name, sizeof name));
    unlink(report);
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        if (getppid() != parent)
            _exit(EXIT_HUNG);
        status = child(args, path, out, log);
        fflush(NULL);
        _exit(status);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            pid = -1;
    if (pid < 0)
        return error_set(err, "fork: %s", strerror(errno));
    *failure = (struct failure){.status = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_HUNG};
    reason[0] = '\0';
    if (failure->status == EXIT_BAD_INPUT) {
        show_log(log);
        return error_set(err, "%s could not be played", path);
    }
    json_t *json = failure->status == EXIT_OK ? NULL : json_load_file(report, 0, NULL);
    const char *text = json_string_value(json_object_get(json, "reason"));
    if (json)
        set_kind(failure, json);
    else
        snprintf(failure->kind, sizeof failure->kind, failure->status == EXIT_OK ? "" : "simulator broken down");
    snprintf(reason, 512, "%s", text ? text : failure->kind);
    json_decref(json);
    return true;
}

static bool same_failure(const struct failure *a, const struct failure *b) {
    return a->status == b->status && strcmp(a->kind, b->kind) == 0;
}

/* Plays a file; true if it fails as wanted, whose reason is kept. */
static bool fails_as_wanted(struct arguments *args, const char *path) {
    struct failure failure;
    char reason[512];
    struct error err;
    if (!play_file(args, path, &failure, reason, &err) || !same_failure(&failure, &args->wanted))
        return false;
    memcpy(args->reason, reason, sizeof args->reason);
    return true;
}

static bool try_program(void *context, const struct program *prog) {
    struct arguments *args = context;
    char path[FILE_SIZE];
    struct error err;
    snprintf(path, sizeof path, "%s/case.nvt", args->directory);
    bool fails = trace_write(prog, path, &err) && fails_as_wanted(args, path);
    if (!args->quiet && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%d of %d attempts left, %zu operations%s\033[K", args->shrink.attempts, args->total,
                prog->count, fails ? " still fail" : " no longer fail");
    return fails;
}

/* ---- options of the run that the failure does not need
 * --------------------------------------------------------------- */

static bool is_memory_option(const char *word) {
    static const char *const names[] = {"--seed=", "--latency",    "--write-latency=", "--page-",
                                        "--stall", "--bandwidth=", "--reorder"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strncmp(word, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Options that only --latency-kind allows: they go with it. */
static bool is_kind_option(const char *word) {
    return strncmp(word, "--latency-kind=", 15) == 0 || strncmp(word, "--latency-max=", 14) == 0 ||
           strncmp(word, "--page-", 7) == 0;
}

/* The failure without these words: those with drop[i]. Keeps them out if it stays. */
static bool drop_words(struct arguments *args, const bool *drop, const char *path) {
    struct words kept = {0}, given = args->given;
    bool ok = true, any = false;
    for (size_t i = 0; ok && i < given.count; i++) {
        any = any || drop[i];
        ok = drop[i] || words_add(&kept, "%s", given.items[i]);
    }
    args->given = kept;
    if (ok && any && args->shrink.attempts-- > 0 && fails_as_wanted(args, path)) {
        words_free(&given);
        return true;
    }
    args->given = given;
    words_free(&kept);
    return false;
}

static void drop_options(struct arguments *args, const char *path) {
    bool drop[TABLE_SIZE] = {false};
    size_t count = args->given.count < TABLE_SIZE ? args->given.count : TABLE_SIZE;
    for (size_t i = 0; i < count; i++)
        drop[i] = is_memory_option(args->given.items[i]);
    if (drop_words(args, drop, path))
        return;
    for (size_t i = 0; i < args->given.count && i < TABLE_SIZE;) {
        bool one[TABLE_SIZE] = {false};
        one[i] = is_memory_option(args->given.items[i]);
        for (size_t k = 0; is_kind_option(args->given.items[i]) && k < args->given.count && k < TABLE_SIZE; k++)
            one[k] = is_kind_option(args->given.items[k]);
        if (!one[i] || !drop_words(args, one, path))
            i++;
    }
}

/* ---- the search ----------------------------------------------------------------------------------------------------
 */

/* Shrinks by the description in the trace's comments. False if there is none, or what it describes does not fail. */
static bool shrink_described(struct arguments *args, const struct program *prog, const char *out, struct error *err) {
    struct gen_case gen;
    char path[FILE_SIZE];
    if (!gen_case_read(&gen, prog, err))
        return false;
    struct program *built = gen_build(&gen, out, err);
    if (!built)
        return error_prefix(err, "the layers that the comments describe are not legal: ");
    snprintf(path, sizeof path, "%s/case.nvt", args->directory);
    bool same = trace_write(built, path, err) && fails_as_wanted(args, path);
    program_free(built);
    if (!same)
        return error_set(err, "the layers that the comments describe do not fail in that way");
    shrink_case(&args->shrink, &gen);
    built = gen_build(&gen, out, err);
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
    printf("  %zu register writes, %zu bytes of input\n", writes, bytes);
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_NOTE && strncmp(prog->ops[i].text, "gen layer", 9) == 0)
            printf("  %s\n", prog->ops[i].text + 4);
}

static int search(struct arguments *args, struct program *prog, const char *path, const char *out) {
    struct error err;
    if (!play_file(args, path, &args->wanted, args->reason, &err)) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    if (args->wanted.status == EXIT_OK) {
        printf("%s passes: nothing to shrink\n", path);
        return EXIT_OK;
    }
    if (!args->quiet)
        printf("%s: %s: %s\n", path, args->wanted.kind, args->reason);
    drop_options(args, path);
    bool good = shrink_described(args, prog, out, &err);
    if (!good) {
        if (!args->quiet)
            printf("  %s: only whole layers are taken out\n", err.text);
        shrink_program(&args->shrink, prog);
        good = trace_write(prog, out, &err);
    }
    if (!args->quiet && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (!good) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    struct program *small = trace_read(out, &(struct trace_options){0}, &err);
    printf("%s: %s: %s\n", out, args->wanted.kind, args->reason);
    if (small)
        describe(small);
    program_free(small);
    printf("  %d attempts; play it with: nvcosim run",
           args->total - (args->shrink.attempts < 0 ? 0 : args->shrink.attempts));
    for (size_t i = 0; i < args->given.count; i++)
        printf(" %s", args->given.items[i]);
    printf(" %s\n", out);
    return args->wanted.status;
}

static int remove_entry(const char *path, const struct stat *stat, int type, struct FTW *place) {
    (void)stat;
    (void)type;
    (void)place;
    return remove(path);
}

static int shrink_trace(struct arguments *args) {
    const char *path = args->run.traces.items[0], *root = getenv("TMPDIR");
    char out[PATH_SIZE], name[400];
    struct error err;
    struct program *prog = read_trace(&args->run, path, &err);
    if (!prog) {
        fprintf(stderr, "%s\n", err.text);
        return EXIT_BAD_INPUT;
    }
    if (args->out)
        snprintf(out, sizeof out, "%s", args->out);
    else
        snprintf(out, sizeof out, "%s-shrunk.nvt", trace_name(path, name, sizeof name));
    int n = snprintf(args->directory, sizeof args->directory, "%s/nvcosim_XXXXXX", root && *root ? root : "/tmp");
    bool fits = n > 0 && (size_t)n < sizeof args->directory;
    if (!fits)
        errno = ENAMETOOLONG;
    if (!fits || !mkdtemp(args->directory)) {
        fprintf(stderr, "nvcosim: %s: %s\n", args->directory, strerror(errno));
        program_free(prog);
        return EXIT_BAD_INPUT;
    }
    args->total = (int)args->attempts;
    args->shrink = (struct shrink){.fails = try_program, .context = args, .attempts = args->total};
    int status = search(args, prog, path, out);
    nftw(args->directory, remove_entry, FILES_OPEN, FTW_DEPTH | FTW_PHYS);
    program_free(prog);
    return status;
}

/* ---- command line --------------------------------------------------------------------------------------------------
 */

/* The options of run that an attempt takes over, behind the command's own. */
static void make_table(struct argp_option *table) {
    static const struct argp_option own[] = {
        {.name = "out",
         .key = 'o',
         .arg = "FILE",
         .doc = "Where the smallest trace goes, .nvt or .nvt.gz (default: NAME-shrunk.nvt)"},
        {.name = "attempts", .key = KEY_ATTEMPTS, .arg = "N", .doc = "Runs at most (default 300)"},
        {.name = "quiet", .key = 'q', .doc = "Print the result only"},
    };
    static const char *const left_out[] = {"out",  "jobs",        "stats", "verbose",   "quiet",
                                           "name", "no-progress", "wave",  "wave-from", "wave-to"};
    size_t n = 0;
    for (; n < sizeof own / sizeof own[0]; n++)
        table[n] = own[n];
    for (const struct argp_option *option = run_option_table; option->name || option->doc; option++) {
        bool wanted = option->name != NULL && n + 1 < TABLE_SIZE;
        for (size_t i = 0; wanted && i < sizeof left_out / sizeof left_out[0]; i++)
            wanted = strcmp(option->name, left_out[i]) != 0;
        if (wanted) {
            table[n] = *option;
            table[n++].group = 1;
        }
    }
    table[n] = (struct argp_option){0};
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *args = state->input;
    switch (key) {
    case 'o':
        args->out = arg;
        if (!text_ends_with(arg, ".nvt") && !text_ends_with(arg, ".nvt.gz"))
            argp_error(state, "--out: found '%s', expected a name that ends in .nvt or .nvt.gz", arg);
        else if (strlen(arg) >= PATH_SIZE)
            argp_error(state, "--out: the path is too long");
        return 0;
    case 'q':
        args->quiet = true;
        return 0;
    case KEY_ATTEMPTS:
        if (!parse_number(arg, ATTEMPTS_MAX, &args->attempts) || args->attempts == 0)
            argp_error(state, "--attempts: found '%s', expected a number from 1 to %d", arg, ATTEMPTS_MAX);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 0)
            argp_error(state, "found '%s', expected one trace", arg);
        return run_option_parse(key, arg, state);
    default:
        return run_option_parse(key, arg, state);
    }
}

int shrink_main(int argc, char **argv) {
    struct argp_option table[TABLE_SIZE];
    make_table(table);
    const struct argp argp = {.options = table, .parser = parse, .args_doc = "TRACE", .doc = doc};
    struct arguments args = {.attempts = ATTEMPTS};
    run_options_init(&args.run);
    int status = EXIT_BAD_INPUT;
    if (argp_parse(&argp, argc, argv, 0, NULL, &args) == 0) {
        args.given = args.run.given;
        args.run.given = (struct words){0};
        status = shrink_trace(&args);
    }
    words_free(&args.given);
    run_options_free(&args.run);
    return status;
}
