/* Finds the commit since which a trace fails: the search, and the process that removes the checkout. See bisect.h. */
#include "regress/bisect/bisect.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/bisect/bisect_parts.h"
#include "run/options/options.h"
#include "run/process/process.h"

/* ---- the cleaner: the checkout is removed however this process ends ---- */

static volatile sig_atomic_t cleaner_pipe = -1;
static volatile pid_t cleaner;

/* Makes the cleaner start and waits for it. Called by signal handlers too. */
static void clean(void) {
    if (cleaner_pipe < 0)
        return;
    const ssize_t written = write(cleaner_pipe, "\n", 1);
    (void)written; /* if that fails, it has ended already */
    close(cleaner_pipe);
    cleaner_pipe = -1;
    while (waitpid(cleaner, NULL, 0) < 0 && errno == EINTR)
        continue;
}

struct cleaner {
    const struct bisect *bisect;
    int from; /* pipe */
};

static void on_signal(int number) {
    clean();
    signal(number, SIG_DFL);
    raise(number);
}

static int become_cleaner(void *context) {
    static char script[] = "trap '' HUP INT TERM PIPE; read -r line; cd /\n"
                           "git -C \"$1\" worktree remove --force --force \"$2/tree\"\n"
                           "for i in 1 2 3 4 5; do rm -rf \"$2\" && break; sleep 0.2; done\n"
                           "git -C \"$1\" worktree prune\n";
    const struct bisect *bisect = ((const struct cleaner *)context)->bisect;
    const int null = open("/dev/null", O_WRONLY);
    setsid();
    prctl(PR_SET_PDEATHSIG, 0);
    dup2(((const struct cleaner *)context)->from, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    return process_exec((char *[]){"/bin/sh", "-c", script, "nvcosim-bisect", bisect->top, bisect->folder, NULL});
}

/* Starts the process that removes the checkout when it reads a line, or when this process is gone, even by SIGKILL. It
 * has a session of its own, so that Ctrl-C does not reach it. */
static bool start_cleaner(const struct bisect *bisect, struct error *err) {
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, "no pipe: %s", strerror(errno));
    cleaner = process_start(become_cleaner, &(struct cleaner){bisect, ends[0]}, err);
    close(ends[0]);
    if (cleaner < 0) {
        close(ends[1]);
        return false;
    }
    cleaner_pipe = ends[1];
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &(struct sigaction){.sa_handler = on_signal}, NULL);
    return true;
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
    bisect_say(bisect, bad ? "bad " : "good", hash, &look, "");
    const enum bisect_state state = look.state;
    if (bad && state == BISECT_BAD) {
        bisect->wanted = bisect->options->any_failure ? NULL : xstrdup(look.signature);
        look_free(&look);
        return true;
    }
    bool fine = false;
    if (state == BISECT_SKIP)
        error_set(err, "%s '%s' cannot be judged: %s", bad ? "--bad" : "--good", given, look.text);
    else if (bad)
        error_set(err, "--bad '%s' passes: %s does not fail there; is it the right trace, with the right options?",
                  given, bisect->options->trace);
    else if (state != BISECT_GOOD)
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

/* How many steps are left by what git says: ", about 3 steps left". */
static char *steps_left(const char *said) {
    const char *at = strstr(said, "(roughly ");
    const int steps = at ? atoi(at + 9) : 0;
    return steps > 0 ? xprintf(", about %d more after it", steps) : xstrdup("");
}

/* Searches until git knows the commit. Returns what git says at the end, free() it; NULL with a message. */
static char *search(struct bisect *bisect, char *said, struct error *err) {
    for (int step = 1;; step++) {
        if (git_found(said) || git_skipped_remain(said))
            return said;
        char *hash = GIT_WELL(bisect->tree, err, "rev-parse", "HEAD");
        struct look look;
        if (!hash || !look_at(bisect, hash, &look, err)) {
            free(said);
            free(hash);
            return NULL;
        }
        char *left = steps_left(said), *what = xprintf("step %d%s:", step, left);
        const char *more = look.state == BISECT_OTHERWISE
                               ? ": fails in another way than --bad, and is skipped (--any-failure counts it as bad)"
                           : look.state == BISECT_SKIP ? ": skipped"
                                                       : "";
        bisect_say(bisect, what, hash, &look, more);
        free(left);
        free(what);
        free(hash);
        free(said);
        int status;
        said = GIT(bisect->tree, &status, err, "bisect",
                   look.state == BISECT_GOOD  ? "good"
                   : look.state == BISECT_BAD ? "bad"
                                              : "skip");
        look_free(&look);
        keep_log(bisect);
        if (!said)
            return NULL;
        if (status != 0 && !git_skipped_remain(said)) {
            error_set(err, "git bisect: %s", said);
            free(said);
            return NULL;
        }
    }
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
    if (!(bisect->bad = git_commit(bisect->top, options->bad, err)) ||
        !(bisect->good = git_commit(bisect->top, options->good, err)))
        return false;
    if (strcmp(bisect->good, bisect->bad) == 0)
        return error_set(err, "--good and --bad are the same commit, %.*s", SHORT_HASH, bisect->good);
    char *text = GIT(bisect->top, &status, err, "merge-base", "--is-ancestor", bisect->bad, bisect->good);
    if (!text)
        return false;
    free(text);
    if (status == 0)
        return error_set(err, "--bad '%s' comes before --good '%s', expected it after; are they swapped?", options->bad,
                         options->good);
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
    printf("%s commit%s of %s, played with %s on %s; logs: %s\n", text, strcmp(text, "1") == 0 ? "" : "s", bisect->top,
           options->trace, options->config, bisect->out);
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
    const int status = said ? bisect_conclude(bisect, said) : EXIT_BAD_INPUT;
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
