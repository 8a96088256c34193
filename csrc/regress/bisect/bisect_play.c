/* Builds and plays one revision. See bisect_parts.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/bisect/bisect.h"
#include "regress/bisect/bisect_cache.h"
#include "regress/bisect/bisect_parts.h"
#include "regress/plan/test.h"
#include "regress/store/signature.h"
#include "run/process/process.h"
#include "run/result/result.h"
#include "run/simulators/simulators.h"

enum { LINE_SHOWN = 200 /* columns of a line of a log */ };

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

/* Removes what a simulator was built in, and the lock of its builds; the simulator stays. */
static void remove_objects(struct bisect *bisect, const char *name) {
    char folder[SIMULATOR_PATH];
    struct words words = {0};
    struct error err;
    char *relative = xprintf("sim/nvcosim-%s-%s", bisect->options->config, name);
    if (simulator_side_path(relative, folder, sizeof folder, &err)) {
        words_add(&words, "rm");
        words_add(&words, "-rf");
        words_add(&words, "%s", folder);
        words_add(&words, "%s.lock", folder);
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

void look_free(struct look *look) {
    free(look->signature);
    free(look->text);
    *look = (struct look){0};
}

static void judge(const struct bisect *bisect, const struct result *result, struct look *look) {
    look->signature = result_signature(result);
    look->text = xprintf("%s%s%s", verdict_names[result->verdict], look->signature ? " " : "",
                         look->signature ? look->signature : "");
    if (result->verdict == VERDICT_PASS)
        look->state = BISECT_GOOD;
    else if (result->verdict == VERDICT_ERROR) {
        free(look->text);
        look->text = xprintf("it cannot be played: %s", result->reason);
        look->state = BISECT_SKIP;
    } else
        look->state = !bisect->wanted || strcmp(bisect->wanted, look->signature) == 0 ? BISECT_BAD : BISECT_OTHERWISE;
}

bool look_at(struct bisect *bisect, const char *hash, struct look *look, struct error *err) {
    char path[SIMULATOR_PATH];
    struct error why;
    *look = (struct look){.state = BISECT_SKIP};
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
    snprintf(doing, sizeof doing, "building %.*s", SHORT_HASH, hash);
    bisect->doing = doing;
    double start = process_clock();
    if (!look->cached && !build_tree(bisect, name, build_log, &why))
        look->text = why_skipped(why.text, build_log);
    else {
        struct result result = {.verdict = VERDICT_ERROR};
        look->build_seconds = process_clock() - start;
        start = process_clock();
        snprintf(doing, sizeof doing, "playing %.*s", SHORT_HASH, hash);
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
