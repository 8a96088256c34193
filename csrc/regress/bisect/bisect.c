/* Finds the commit since which a trace fails. See bisect.h. */
#include "regress/bisect/bisect.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/bisect/bisect_cache.h"
#include "regress/plan/test.h"
#include "regress/store/signature.h"
#include "run/process/process.h"
#include "run/process/progress.h"
#include "run/result/result.h"
#include "run/simulators/simulators.h"

enum { SHORT = 10 /* letters of a hash for a person */, LINE_SHOWN = 200 /* columns of a line of a log */ };

enum state { STATE_GOOD, STATE_BAD, STATE_OTHERWISE /* it fails in another way than bad */, STATE_SKIP };

/* A revision that was looked at. */
struct look {
    enum state state;
    bool cached;     /* its simulator was there */
    char *signature; /* of the failure; NULL */
    char *text;      /* for a person: "FAIL value:SDP", "it does not build: see ..." */
    double build_seconds, run_seconds;
};

struct bisect {
    const struct bisect_options *options;
    char *program;     /* nvcosim itself */
    char *top;         /* of the repository */
    char *good, *bad;  /* full hashes */
    char *folder;      /* temporary: tree/, gen/ and list.f */
    char *tree;        /* checkout in it */
    char *out;         /* absolute */
    char *wanted;      /* signature at bad; NULL: any failure */
    const char *doing; /* for progress */
    struct progress progress;
};

/* ---- the end: the checkout goes however it comes ---- */

static volatile sig_atomic_t cleaner_pipe = -1;
static volatile pid_t cleaner;

/* Lets the cleaner work and waits for it. Called by signal handlers too. */
static void clean(void) {
    if (cleaner_pipe < 0)
        return;
    const ssize_t written = write(cleaner_pipe, "\n", 1);
    (void)written; /* it has gone already, if that fails */
    close(cleaner_pipe);
    cleaner_pipe = -1;
    while (waitpid(cleaner, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static void on_signal(int number) {
    clean();
    signal(number, SIG_DFL);
    raise(number);
}

/* Starts the process that removes the checkout when it is told to, or when this one is gone (SIGKILL). It is in a
 * session of its own, so that Ctrl-C does not reach it. */
static bool start_cleaner(const struct bisect *bisect, struct error *err) {
    static const char script[] = "trap '' HUP INT TERM PIPE; read -r line; cd /\n"
                                 "git -C \"$1\" worktree remove --force --force \"$2/tree\"\n"
                                 "for i in 1 2 3 4 5; do rm -rf \"$2\" && break; sleep 0.2; done\n"
                                 "git -C \"$1\" worktree prune\n";
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, "no pipe: %s", strerror(errno));
    cleaner = fork();
    if (cleaner < 0) {
        close(ends[0]);
        close(ends[1]);
        return error_set(err, "no process: %s", strerror(errno));
    }
    if (cleaner == 0) {
        setsid();
        const int null = open("/dev/null", O_WRONLY);
        dup2(ends[0], STDIN_FILENO);
        dup2(null, STDOUT_FILENO);
        dup2(null, STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", script, "nvcosim-bisect", bisect->top, bisect->folder, (char *)NULL);
        _exit(127);
    }
    close(ends[0]);
    cleaner_pipe = ends[1];
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = on_signal}, NULL);
    return true;
}

/* ---- other programs ---- */

static void tick(void *context) {
    struct bisect *bisect = context;
    if (bisect->doing && progress_due(&bisect->progress))
        progress_show(&bisect->progress, "%s: %.0f s", bisect->doing, process_clock() - bisect->progress.start);
}

/* Runs a program, its output into a file. Returns its status, -1 with a message. */
static int run_into(struct bisect *bisect, const struct words *words, const char *log, struct error *err) {
    const int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0) {
        error_set(err, "%s: %s", log, strerror(errno));
        return -1;
    }
    bisect->progress = progress_start();
    const int status = process_run_group(words->items, file, tick, bisect, err);
    progress_clear(&bisect->progress);
    close(file);
    return status;
}

/* Runs git in a folder. Returns what it prints, stdout and stderr, without the last line end; free() it. NULL with a
 * message if it cannot be run. status: of git. */
static char *git_text(const char *folder, int *status, struct error *err, const char *const *more) {
    /* What the environment says of a repository is not said of this one; hooks are of the user's work. */
    static const char *const before[] = {"env",
                                         "-u",
                                         "GIT_DIR",
                                         "-u",
                                         "GIT_WORK_TREE",
                                         "-u",
                                         "GIT_INDEX_FILE",
                                         "LC_ALL=C",
                                         "GIT_TERMINAL_PROMPT=0",
                                         "git",
                                         "-c",
                                         "core.hooksPath=/dev/null",
                                         "-c",
                                         "advice.detachedHead=false",
                                         "-C"};
    struct words words = {0};
    struct stat found;
    char *text = NULL;
    const int output = memfd_create("git", MFD_CLOEXEC);
    if (output < 0) {
        error_set(err, "no memory for what git says: %s", strerror(errno));
        return NULL;
    }
    for (size_t i = 0; i < sizeof before / sizeof *before; i++)
        words_add(&words, "%s", before[i]);
    words_add(&words, "%s", folder);
    for (; *more; more++)
        words_add(&words, "%s", *more);
    *status = process_run_group(words.items, output, NULL, NULL, err);
    if (*status >= 0 && fstat(output, &found) == 0) {
        text = xcalloc((size_t)found.st_size + 1, 1);
        if (pread(output, text, (size_t)found.st_size, 0) != found.st_size)
            text[0] = '\0';
        for (size_t n = strlen(text); n > 0 && text[n - 1] == '\n'; n--)
            text[n - 1] = '\0';
    }
    close(output);
    words_free(&words);
    return text;
}
#define GIT(folder, status, err, ...) git_text(folder, status, err, (const char *const[]){__VA_ARGS__, NULL})

/* The same where git has to succeed. */
static char *git_well(const char *folder, struct error *err, const char *const *more) {
    int status;
    char *text = git_text(folder, &status, err, more);
    if (text && status != 0) {
        error_set(err, "git %s: %s", more[0], text);
        free(text);
        return NULL;
    }
    return text;
}
#define GIT_WELL(folder, err, ...) git_well(folder, err, (const char *const[]){__VA_ARGS__, NULL})

/* The full hash of a commit; free() it. */
static char *commit_of(const char *folder, const char *name, struct error *err) {
    int status;
    char *wanted = xprintf("%s^{commit}", name);
    char *text = GIT(folder, &status, err, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted);
    free(wanted);
    if (text && status == 0)
        return text;
    if (text)
        error_set(err, "'%s': found no such commit in %s, expected a branch, a tag or a hash", name, folder);
    free(text);
    return NULL;
}

/* ---- the simulator of a revision ---- */

/* The name that the RTL of the checkout has for nvcosim: what it is built from decides it, so that the same is built
 * once. free() it; NULL with a message. */
static char *rtl_name(const struct bisect *bisect, struct error *err) {
    const struct bisect_options *options = bisect->options;
    struct stat program;
    struct text all = {0};
    char *tree = GIT_WELL(bisect->tree, err, "rev-parse", "HEAD^{tree}");
    if (!tree)
        return NULL;
    if (stat(bisect->program, &program) != 0)
        memset(&program, 0, sizeof program);
    text_printf(&all, "%s\n%s\n%s\n%s\n%s\n%s\n%lld %lld\n", tree, options->config,
                options->filelist ? options->filelist : "", options->top ? options->top : "",
                options->taps ? options->taps : "", options->prepare ? options->prepare : "",
                (long long)program.st_size, (long long)program.st_mtime);
    for (size_t i = 0; i < options->verilator.count; i++)
        text_printf(&all, "%s\n", options->verilator.items[i]);
    char *name = xprintf("bisect_%016" PRIx64, test_hash(all.text));
    free(all.text);
    free(tree);
    return name;
}

/* Runs a command of the shell in the checkout. */
static bool run_shell(struct bisect *bisect, const char *command, const char *log, struct error *err) {
    struct words words = {0};
    words_add(&words, "sh");
    words_add(&words, "-c");
    words_add(&words, "cd \"$1\" && eval \"$2\"");
    words_add(&words, "sh");
    words_add(&words, "%s", bisect->tree);
    words_add(&words, "%s", command);
    const int status = run_into(bisect, &words, log, err);
    words_free(&words);
    return status == 0;
}

/* The file list of the checkout; free() it. NULL with a message if it has none. */
static char *file_list(struct bisect *bisect, const char *log, struct error *err) {
    const struct bisect_options *options = bisect->options;
    char *list = xprintf("%s/%s", bisect->tree, options->filelist ? options->filelist : "rtl/nvdla.f");
    if (access(list, R_OK) != 0) {
        error_set(err, "it has no %s", list + strlen(bisect->tree) + 1);
        free(list);
        return NULL;
    }
    if (options->filelist)
        return list;
    /* This project's RTL: a package that its own tables give comes before its list. */
    char *command = xprintf("python3 scripts/gen_tables.py sv ../gen %s", options->config);
    const bool made = run_shell(bisect, command, log, err);
    free(command);
    char *text = xprintf("gen/nvdla_pkg.sv\n-F tree/rtl/nvdla.f\n");
    free(list);
    list = xprintf("%s/list.f", bisect->folder);
    if (!made)
        error_set(err, "its scripts/gen_tables.py makes no package");
    const bool written = made && file_write(list, text, strlen(text), err);
    free(text);
    if (written)
        return list;
    free(list);
    return NULL;
}

/* Takes away what a simulator was built in; the simulator stays. */
static void remove_objects(struct bisect *bisect, const char *name) {
    char folder[SIMULATOR_PATH];
    struct words words = {0};
    struct error err;
    char *relative = xprintf("sim/nvcosim-%s-%s", bisect->options->config, name);
    if (simulator_side_path(relative, folder, sizeof folder, &err)) {
        words_add(&words, "rm");
        words_add(&words, "-rf");
        words_add(&words, "%s", folder);
        process_run_group(words.items, STDERR_FILENO, NULL, NULL, &err);
    }
    words_free(&words);
    free(relative);
}

static void trim_cache(void) {
    char folder[SIMULATOR_PATH];
    struct error err;
    if (simulator_side_path("", folder, sizeof folder, &err))
        bisect_cache_trim(folder, BISECT_KEPT);
}

/* Builds the simulator of the checkout. False with what is wrong. */
static bool build_tree(struct bisect *bisect, const char *name, const char *log, struct error *err) {
    const struct bisect_options *options = bisect->options;
    if (options->prepare && !run_shell(bisect, options->prepare, log, err))
        return error_set(err, "--prepare fails on it");
    char *list = file_list(bisect, log, err);
    if (!list)
        return false;
    struct words words = {0};
    words_add(&words, "%s", bisect->program);
    words_add(&words, "build");
    words_add(&words, "--config=%s", options->config);
    words_add(&words, "--filelist=%s", list);
    words_add(&words, "--name=%s", name);
    if (options->top)
        words_add(&words, "--top=%s", options->top);
    if (options->taps)
        words_add(&words, "--taps=%s", options->taps);
    for (size_t i = 0; i < options->verilator.count; i++)
        words_add(&words, "--verilator-option=%s", options->verilator.items[i]);
    const int status = run_into(bisect, &words, log, err);
    words_free(&words);
    free(list);
    remove_objects(bisect, name);
    trim_cache();
    return status == 0 || error_set(err, "it does not build");
}

/* ---- one revision ---- */

/* Plays the trace. False if there is no result, with a message. */
static bool play_trace(struct bisect *bisect, const char *name, const char *hash, const char *log,
                       struct result *result, struct error *err) {
    const struct bisect_options *options = bisect->options;
    char *results = xprintf("%s/%.12s.json", bisect->out, hash), *text = NULL;
    struct words words = {0};
    size_t n;
    unlink(results);
    words_add(&words, "%s", bisect->program);
    words_add(&words, "run");
    for (size_t i = 0; i < options->run.count; i++)
        words_add(&words, "%s", options->run.items[i]);
    words_add(&words, "--config=%s", options->config);
    words_add(&words, "--dut=rtl:%s", name);
    words_add(&words, "--out=%s/%.12s", bisect->out, hash);
    words_add(&words, "--only-failed");
    words_add(&words, "--results=%s", results);
    words_add(&words, "--");
    words_add(&words, "%s", options->trace);
    const int status = run_into(bisect, &words, log, err);
    const bool played = status >= 0 && file_read(results, &text, &n, NULL) && result_parse(text, result);
    words_free(&words);
    free(results);
    free(text);
    return played || error_set(err, "it gives no result (status %d)", status);
}

/* Why a revision is skipped: the message, the line of the log that says most, and where that is; free() it. */
static char *why_skipped(const char *message, const char *log) {
    char *text = NULL, *last = NULL, *rest;
    size_t n;
    if (file_read(log, &text, &n, NULL)) {
        const char *told = "";
        bool error = false; /* the first error of a tool; else the last line */
        rest = text;
        for (char *line; !error && (line = strsep(&rest, "\n"));) {
            error = strncmp(line, "%Error", 6) == 0 || strstr(line, "error: ") || strstr(line, "Error: ");
            told = error || line[0] ? line : told;
        }
        last = text_shown(told);
        last[text_fitting(last, LINE_SHOWN)] = '\0';
    }
    char *why = last && last[0] ? xprintf("%s: %s (%s)", message, last, log) : xprintf("%s (%s)", message, log);
    free(last);
    free(text);
    return why;
}

static void look_free(struct look *look) {
    free(look->signature);
    free(look->text);
    *look = (struct look){0};
}

static void judge(const struct bisect *bisect, const struct result *result, struct look *look) {
    look->signature = result_signature(result);
    look->text = xprintf("%s%s%s", verdict_names[result->verdict], look->signature ? " " : "",
                         look->signature ? look->signature : "");
    if (result->verdict == VERDICT_PASS)
        look->state = STATE_GOOD;
    else if (result->verdict == VERDICT_ERROR) {
        free(look->text);
        look->text = xprintf("it can not be played: %s", result->reason);
        look->state = STATE_SKIP;
    } else
        look->state = !bisect->wanted || strcmp(bisect->wanted, look->signature) == 0 ? STATE_BAD : STATE_OTHERWISE;
}

/* Builds and plays what the checkout holds. False with a message if nothing can go on. */
static bool look_at(struct bisect *bisect, const char *hash, struct look *look, struct error *err) {
    char path[SIMULATOR_PATH];
    struct error why;
    *look = (struct look){.state = STATE_SKIP};
    char *name = rtl_name(bisect, err);
    if (!name || !simulator_path(bisect->options->config, name, VARIANT_PLAIN, path, sizeof path, err)) {
        free(name);
        return false;
    }
    char *build_log = xprintf("%s/%.12s.build.log", bisect->out, hash),
         *run_log = xprintf("%s/%.12s.run.log", bisect->out, hash), doing[64];
    unlink(build_log);
    unlink(run_log);
    look->cached = access(path, X_OK) == 0;
    if (look->cached)
        bisect_cache_use(path);
    snprintf(doing, sizeof doing, "building %.*s", SHORT, hash);
    bisect->doing = doing;
    double start = process_clock();
    if (!look->cached && !build_tree(bisect, name, build_log, &why))
        look->text = why_skipped(why.text, build_log);
    else {
        struct result result = {.verdict = VERDICT_ERROR};
        look->build_seconds = process_clock() - start;
        start = process_clock();
        snprintf(doing, sizeof doing, "playing %.*s", SHORT, hash);
        if (play_trace(bisect, name, hash, run_log, &result, &why))
            judge(bisect, &result, look);
        else
            look->text = why_skipped(why.text, run_log);
        look->run_seconds = process_clock() - start;
        result_free(&result);
    }
    bisect->doing = NULL;
    free(build_log);
    free(run_log);
    free(name);
    return true;
}

/* "1a2b3c4d5e 2026-01-31 subject"; free() it. */
static char *title_of(const struct bisect *bisect, const char *hash) {
    struct error err;
    char *text = GIT_WELL(bisect->top, &err, "log", "-1", "--no-show-signature", "--format=%cs %s", hash);
    char *shown = text_shown(text ? text : "");
    free(text);
    shown[text_fitting(shown, 60)] = '\0';
    char *title = xprintf("%.*s %s", SHORT, hash, shown);
    free(shown);
    return title;
}

static void say(const struct bisect *bisect, const char *what, const char *hash, const struct look *look,
                const char *counts) {
    static const enum {
        GREEN,
        RED,
        YELLOW
    } colours[] = {[STATE_GOOD] = GREEN, [STATE_BAD] = RED, [STATE_OTHERWISE] = YELLOW, [STATE_SKIP] = YELLOW};
    static const char *const codes[] = {[GREEN] = "\033[32m", [RED] = "\033[31m", [YELLOW] = "\033[33m"};
    const bool colour = terminal_has_colour(STDOUT_FILENO);
    char *title = title_of(bisect, hash);
    printf("%s %s\n  %s%s%s%s", what, title, colour ? codes[colours[look->state]] : "", look->text,
           colour ? "\033[0m" : "", counts);
    if (look->cached)
        printf(" (built before, run %.1f s)\n", look->run_seconds);
    else if (look->run_seconds > 0)
        printf(" (build %.1f s, run %.1f s)\n", look->build_seconds, look->run_seconds);
    else
        putchar('\n');
    fflush(stdout);
    free(title);
}

/* ---- the ends ---- */

/* Looks at the end that is said to be bad or good. */
static bool check_end(struct bisect *bisect, const char *hash, const char *given, bool bad, struct error *err) {
    struct look look;
    char *text = GIT_WELL(bisect->tree, err, "checkout", "--quiet", "--force", "--detach", hash);
    if (!text)
        return false;
    free(text);
    if (!look_at(bisect, hash, &look, err))
        return false;
    say(bisect, bad ? "bad " : "good", hash, &look, "");
    const enum state state = look.state;
    if (bad && state == STATE_BAD) {
        bisect->wanted = bisect->options->any_failure ? NULL : xstrdup(look.signature);
        look_free(&look);
        return true;
    }
    bool fine = false;
    if (state == STATE_SKIP)
        error_set(err, "%s '%s' can not be judged: %s", bad ? "--bad" : "--good", given, look.text);
    else if (bad)
        error_set(err, "--bad '%s' passes: %s does not fail there; is it the right trace, with the right options?",
                  given, bisect->options->trace);
    else if (state != STATE_GOOD)
        error_set(err, "--good '%s' fails (%s): there is no change from good to bad; expected an older revision", given,
                  look.text);
    else
        fine = true;
    look_free(&look);
    return fine;
}

/* ---- the search ---- */

/* Keeps what was decided: git can replay it. */
static void keep_log(const struct bisect *bisect) {
    struct error err;
    char *text = GIT_WELL(bisect->tree, &err, "bisect", "log"), *path = xprintf("%s/bisect.log", bisect->out);
    if (text && !file_write(path, text, strlen(text), &err))
        fprintf(stderr, "nvcosim bisect: %s\n", err.text);
    free(path);
    free(text);
}

static bool ends_in(const char *text, const char *words) {
    return strstr(text, words) != NULL;
}

/* How many steps are left by what git says: ", about 3 steps left". */
static char *steps_left(const char *said) {
    const char *at = strstr(said, "(roughly ");
    const int steps = at ? atoi(at + 9) : 0;
    return steps > 0 ? xprintf(", about %d more after it", steps) : xstrdup("");
}

/* Goes on until git knows. Returns what git says at the end, free() it; NULL with a message. */
static char *search(struct bisect *bisect, char *said, struct error *err) {
    for (int step = 1;; step++) {
        if (ends_in(said, "is the first bad commit") || ends_in(said, "first bad commit could be any of"))
            return said;
        char *hash = GIT_WELL(bisect->tree, err, "rev-parse", "HEAD");
        struct look look;
        if (!hash || !look_at(bisect, hash, &look, err)) {
            free(said);
            free(hash);
            return NULL;
        }
        char *left = steps_left(said), *what = xprintf("step %d%s:", step, left);
        const char *more = look.state == STATE_OTHERWISE
                               ? ": fails in another way than --bad, and is skipped (--any-failure counts it as bad)"
                           : look.state == STATE_SKIP ? ": skipped"
                                                      : "";
        say(bisect, what, hash, &look, more);
        free(left);
        free(what);
        free(hash);
        free(said);
        int status;
        said = GIT(bisect->tree, &status, err, "bisect",
                   look.state == STATE_GOOD  ? "good"
                   : look.state == STATE_BAD ? "bad"
                                             : "skip");
        look_free(&look);
        keep_log(bisect);
        if (!said)
            return NULL;
        if (status != 0 && !ends_in(said, "first bad commit could be any of")) {
            error_set(err, "git bisect: %s", said);
            free(said);
            return NULL;
        }
    }
}

/* Prints the lines of git about a commit. */
static void print_git(const struct bisect *bisect, const char *indent, const char *const *more) {
    struct error err;
    char *text = git_well(bisect->top, &err, more), *rest = text;
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        for (char *tab = line; (tab = strchr(tab, '\t'));)
            *tab = ' ';
        char *shown = text_shown(line);
        if (shown[0])
            printf("%s%s\n", indent, shown);
        free(shown);
    }
    free(text);
}

static void print_debug(const struct bisect *bisect, const char *hash) {
    const struct bisect_options *options = bisect->options;
    char *checkout = xprintf("%s/tree-%.*s", bisect->out, SHORT, hash), *repo = text_quoted(bisect->top),
         *tree = text_quoted(checkout), *trace = text_quoted(options->trace);
    printf("debug it with:\n  git -C %s worktree add --detach %s %.*s\n", repo, tree, SHORT, hash);
    if (options->prepare) {
        char *prepare = text_quoted(options->prepare);
        printf("  (cd %s && eval %s)\n", tree, prepare);
        free(prepare);
    }
    struct text given = {0};
    for (size_t i = 0; i < options->run.count; i++) {
        char *word = text_quoted(options->run.items[i]);
        text_printf(&given, " %s", word);
        free(word);
    }
    if (options->filelist) {
        printf("  nvcosim build --config=%s --filelist=%s/%s --name=bad", options->config, tree, options->filelist);
        if (options->top)
            printf(" --top=%s", options->top);
        for (size_t i = 0; i < options->verilator.count; i++) {
            char *word = text_quoted(options->verilator.items[i]);
            printf(" --verilator-option=%s", word);
            free(word);
        }
        printf("\n  nvcosim debug --config=%s --dut=rtl:bad%s %s\n", options->config, given.text ? given.text : "",
               trace);
    } else
        printf("  make -C %s build && %s/build/nvcosim debug --config=%s%s %s\n", tree, tree, options->config,
               given.text ? given.text : "", trace);
    free(given.text);
    free(checkout);
    free(repo);
    free(tree);
    free(trace);
}

/* Says what was found; the exit status. */
static int conclude(const struct bisect *bisect, const char *said) {
    char hash[65] = "";
    if (ends_in(said, "first bad commit could be any of")) {
        printf("the first bad commit is one of these; those between could not be judged:\n");
        char *copy = xstrdup(said), *rest = copy;
        for (char *line; (line = strsep(&rest, "\n"));)
            if (strlen(line) >= 40 && strspn(line, "0123456789abcdef") == strlen(line))
                print_git(bisect, "  ", (const char *const[]){"log", "-1", "--format=%h %an, %cs: %s", line, NULL});
        free(copy);
        printf("logs: %s\n", bisect->out);
        return EXIT_DIFFERENT;
    }
    const char *at = strstr(said, " is the first bad commit");
    while (at > said && strchr("0123456789abcdef", at[-1]))
        at--;
    snprintf(hash, sizeof hash, "%.*s", (int)strspn(at, "0123456789abcdef"), at);
    printf("%s is the first bad commit\n", hash);
    print_git(bisect, "  ",
              (const char *const[]){"log", "-1", "--no-show-signature", "--format=author: %an <%ae>, %ad%nsubject: %s",
                                    "--date=iso", hash, NULL});
    printf("  files:\n");
    print_git(bisect, "    ",
              (const char *const[]){"diff-tree", "-r", "-m", "--first-parent", "--root", "--no-commit-id",
                                    "--name-status", hash, NULL});
    print_debug(bisect, hash);
    printf("logs and reports: %s\n", bisect->out);
    return EXIT_OK;
}

/* ---- all of it ---- */

/* Makes a folder for the checkout. */
static bool make_folder(struct bisect *bisect, struct error *err) {
    const char *root = getenv("TMPDIR");
    bisect->folder = xprintf("%s/nvcosim-bisect-XXXXXX", root && root[0] == '/' ? root : "/tmp");
    if (!mkdtemp(bisect->folder))
        return error_set(err, "%s: %s; TMPDIR names another place", bisect->folder, strerror(errno));
    bisect->tree = xprintf("%s/tree", bisect->folder);
    return true;
}

/* What can be known before anything is built. */
static bool look_ahead(struct bisect *bisect, struct error *err) {
    const struct bisect_options *options = bisect->options;
    int status;
    bisect->top = GIT(options->repo, &status, err, "rev-parse", "--show-toplevel");
    if (!bisect->top)
        return false;
    if (status != 0 || bisect->top[0] != '/')
        return error_set(err, "%s: %s; --repo DIR names a checkout of the RTL", options->repo, bisect->top);
    if (!(bisect->bad = commit_of(bisect->top, options->bad, err)) ||
        !(bisect->good = commit_of(bisect->top, options->good, err)))
        return false;
    if (strcmp(bisect->good, bisect->bad) == 0)
        return error_set(err, "--good and --bad are the same commit, %.*s", SHORT, bisect->good);
    char *text = GIT(bisect->top, &status, err, "merge-base", "--is-ancestor", bisect->bad, bisect->good);
    if (!text)
        return false;
    free(text);
    if (status == 0)
        return error_set(err,
                         "--bad '%s' comes before --good '%s', expected it behind; are they mistaken for each other?",
                         options->bad, options->good);
    if (!options->filelist) {
        char *place = xprintf("%s:scripts/gen_tables.py", bisect->bad);
        text = GIT(bisect->top, &status, err, "cat-file", "-e", place);
        free(place);
        free(text);
        if (!text || status != 0)
            return error_set(err,
                             "%s is no repository of nvcosim: expected --filelist FILE.f, what to compile, relative "
                             "to the top of the repository",
                             bisect->top);
    }
    if (!directory_make(options->out, err))
        return false;
    bisect->out = realpath(options->out, NULL);
    bisect->program = realpath("/proc/self/exe", NULL);
    return bisect->out && bisect->program ? make_folder(bisect, err)
                                          : error_set(err, "%s: %s", options->out, strerror(errno));
}

static char *first_step(struct bisect *bisect, struct error *err) {
    int status;
    const char *words[8] = {"bisect", "start"};
    size_t n = 2;
    if (bisect->options->first_parent)
        words[n++] = "--first-parent";
    words[n++] = bisect->bad;
    words[n++] = bisect->good;
    words[n] = NULL;
    char *said = git_text(bisect->tree, &status, err, words);
    if (said && status != 0) {
        error_set(err, "git bisect: %s", said);
        free(said);
        said = NULL;
    }
    return said;
}

static int bisect_all(struct bisect *bisect, struct error *err) {
    const struct bisect_options *options = bisect->options;
    char *range = xprintf("%s..%s", bisect->good, bisect->bad), *text;
    text = options->first_parent ? GIT_WELL(bisect->top, err, "rev-list", "--count", "--first-parent", range)
                                 : GIT_WELL(bisect->top, err, "rev-list", "--count", range);
    free(range);
    if (!text)
        return EXIT_BAD_INPUT;
    printf("%s commits of %s, played with %s on %s; logs: %s\n", text, bisect->top, options->trace, options->config,
           bisect->out);
    fflush(stdout);
    free(text);
    text = GIT_WELL(bisect->top, err, "worktree", "add", "--quiet", "--force", "--detach", bisect->tree, bisect->bad);
    if (!text)
        return EXIT_BAD_INPUT;
    free(text);
    if (!check_end(bisect, bisect->bad, options->bad, true, err) ||
        !check_end(bisect, bisect->good, options->good, false, err))
        return EXIT_BAD_INPUT;
    char *said = first_step(bisect, err);
    if (said)
        said = search(bisect, said, err);
    const int status = said ? conclude(bisect, said) : EXIT_BAD_INPUT;
    free(said);
    return status;
}

int bisect_run(const struct bisect_options *options) {
    struct bisect bisect = {.options = options};
    struct error err;
    int status = EXIT_BAD_INPUT;
    process_obey_signals();
    if (look_ahead(&bisect, &err) && start_cleaner(&bisect, &err)) {
        status = bisect_all(&bisect, &err);
        clean();
    }
    if (status == EXIT_BAD_INPUT)
        fprintf(stderr, "nvcosim bisect: %s\n", err.text);
    char *const texts[] = {bisect.program, bisect.top,  bisect.good, bisect.bad,
                           bisect.folder,  bisect.tree, bisect.out,  bisect.wanted};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    return status;
}
