/* Computes labelled pictures in several processes, and plays a sample of them on the RTL. See accuracy.h. */
#include "run/accuracy/accuracy.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/random.h"
#include "nvdla/xalloc.h"
#include "run/accuracy/predict.h"
#include "run/jobs/jobs.h"
#include "run/network/open.h"
#include "run/process/process.h"
#include "run/process/progress.h"
#include "trace/formats.h"

/* ---- on the model ---- */

/* What the processes share, followed by the outcomes. */
struct shared {
    size_t next; /* the picture that the next free process takes */
    size_t done;
    struct picture_outcome outcomes[];
};

struct work {
    struct accuracy *accuracy;
    struct predictor *predictor;
    struct shared *shared;
    struct progress progress;
};

static char *picture_path(const struct accuracy *accuracy, size_t picture) {
    return xprintf("%s/%s", accuracy->options->inputs, accuracy->labels.items[picture].file);
}

/* True if class a comes before class b: greater, or equal and with a lower number. A NaN comes after all numbers. */
static bool before(const float *values, size_t a, size_t b) {
    const bool a_number = values[a] == values[a], b_number = values[b] == values[b];
    if (a_number != b_number)
        return a_number;
    if (a_number && values[a] != values[b])
        return values[a] > values[b];
    return a < b;
}

/* Finds the greatest classes and the rank of the label. */
static void rank(struct picture_outcome *outcome, const float *values, size_t count, unsigned label) {
    size_t found = 0;
    outcome->rank = 0;
    for (size_t i = 0; i < count; i++) {
        outcome->rank += i != label && before(values, i, label);
        size_t at = found;
        for (; at > 0 && before(values, i, outcome->top[at - 1]); at--)
            if (at < ACCURACY_TOP)
                outcome->top[at] = outcome->top[at - 1];
        if (at < ACCURACY_TOP)
            outcome->top[at] = (unsigned)i;
        found += found < ACCURACY_TOP;
    }
}

static void compute(struct work *work, size_t picture) {
    struct accuracy *accuracy = work->accuracy;
    struct picture_outcome *outcome = &work->shared->outcomes[picture];
    char *path = picture_path(accuracy, picture);
    struct stat status;
    if (stat(path, &status) != 0) {
        error_set(&outcome->why, "%s: %s", path, strerror(errno));
        outcome->state = PICTURE_MISSING;
        free(path);
        return;
    }
    float *values = predictor_run(work->predictor, path, &outcome->why);
    if (values)
        rank(outcome, values, accuracy->class_count, accuracy->labels.items[picture].label);
    outcome->state = values ? PICTURE_DONE : PICTURE_DAMAGED;
    free(values);
    free(path);
}

/* A process: takes one picture after the other. */
static int compute_some(void *context) {
    struct work *work = context;
    size_t picture;
    while ((picture = __atomic_fetch_add(&work->shared->next, 1, __ATOMIC_RELAXED)) < work->accuracy->labels.count) {
        compute(work, picture);
        __atomic_fetch_add(&work->shared->done, 1, __ATOMIC_RELAXED);
    }
    return EXIT_OK;
}

static void show_progress(void *context) {
    struct work *work = context;
    progress_count(&work->progress, "accuracy", __atomic_load_n(&work->shared->done, __ATOMIC_RELAXED),
                   work->accuracy->labels.count, "pictures");
}

/* All pictures, on as many processes as there are jobs. False with a message if one of them ends early. */
static bool compute_all(struct work *work, struct error *err) {
    const size_t jobs = (size_t)work->accuracy->options->run->jobs;
    pid_t *processes = xcalloc(jobs, sizeof *processes);
    size_t started = 0;
    bool fine = true;
    fflush(NULL);
    work->progress = progress_start();
    while (fine && started < jobs && started < work->accuracy->labels.count) {
        processes[started] = process_start(compute_some, work, err);
        fine = processes[started] >= 0;
        started += fine;
    }
    for (size_t i = 0; i < started; i++) {
        const int status = process_wait(processes[i], show_progress, work);
        if (status != EXIT_OK && fine)
            fine = error_set(err, "a process that computes pictures ended with status %d%s, expected 0", status,
                             status > 128 ? " (128 + the signal)" : "");
    }
    progress_clear(&work->progress);
    free(processes);
    return fine;
}

/* ---- on the RTL ---- */

/* Chooses pictures that were computed; all of them if there are not more. */
static void choose(struct accuracy *accuracy) {
    const size_t wanted = accuracy->options->rtl;
    size_t *pictures = xcalloc(accuracy->labels.count, sizeof *pictures), count = 0;
    uint64_t state = accuracy->options->run->seed;
    for (size_t i = 0; i < accuracy->labels.count; i++)
        if (accuracy->outcomes[i].state == PICTURE_DONE)
            pictures[count++] = i;
    accuracy->rtl_count = wanted < count ? wanted : count;
    accuracy->rtl = xcalloc(accuracy->rtl_count + 1, sizeof *accuracy->rtl);
    for (size_t i = 0; i < accuracy->rtl_count; i++) {
        const size_t at = i + random_below(&state, (uint32_t)(count - i));
        accuracy->rtl[i].picture = pictures[at];
        pictures[at] = pictures[i];
    }
    free(pictures);
}

/* Writes the trace of a picture: picture-LINE.nvt.gz, by the line of its label. */
static bool write_trace(struct accuracy *accuracy, struct loadable *loadable, struct rtl_outcome *rtl,
                        struct error *err) {
    const char *out = accuracy->options->run->out;
    struct compile_options own = *accuracy->options->compile;
    char *source = picture_path(accuracy, rtl->picture);
    own.input.sources = (struct words){0};
    words_put(&own.input.sources, source);
    struct program *prog = compile_loadable(loadable, &own, err);
    rtl->trace = xprintf("%s/picture-%d.nvt.gz", out, accuracy->labels.items[rtl->picture].line);
    const bool fine = prog && directory_make(out, err) && trace_write(prog, rtl->trace, err);
    program_free(prog);
    words_free(&own.input.sources);
    free(source);
    return fine;
}

static void on_ended(void *context, struct result *result) {
    struct accuracy *accuracy = context;
    for (size_t i = 0; i < accuracy->rtl_count; i++) {
        struct rtl_outcome *rtl = &accuracy->rtl[i];
        if (rtl->ended || strcmp(rtl->trace, result->path) != 0)
            continue;
        rtl->ended = true;
        rtl->status = verdict_status(result->verdict);
        rtl->verdict = xstrdup(verdict_names[result->verdict]);
        rtl->reason = xstrdup(result->reason ? result->reason : "");
    }
    result_free(result);
}

/* Plays the sample. Returns the exit status, or EXIT_BAD_INPUT with a message. */
static int play_sample(struct accuracy *accuracy, struct loadable *loadable, struct error *err) {
    struct run_options *run = accuracy->options->run;
    const struct jobs_listener listener = {.ended = on_ended, .context = accuracy};
    choose(accuracy);
    err->text[0] = '\0';
    for (size_t i = 0; i < accuracy->rtl_count; i++) {
        if (!write_trace(accuracy, loadable, &accuracy->rtl[i], err))
            return EXIT_BAD_INPUT;
        words_put(&run->traces, accuracy->rtl[i].trace);
    }
    if (accuracy->rtl_count == 0)
        return EXIT_OK;
    struct jobs *jobs = jobs_open(run, &listener);
    return jobs ? jobs_close(jobs) : EXIT_BAD_INPUT;
}

/* ---- the folder ---- */

static bool is_picture(const char *name) {
    static const char *const suffixes[] = {".pgm", ".ppm", ".pnm", ".png", ".jpg", ".jpeg"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof suffixes / sizeof *suffixes; i++)
        if (strcasecmp(dot, suffixes[i]) == 0)
            return true;
    return false;
}

static int fts_order(const FTSENT **left, const FTSENT **right) {
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

/* Finds the pictures in the folder, and folders in it, that no label names. False with a message. */
static bool find_unlabelled(struct accuracy *accuracy, struct error *err) {
    char *folder = xstrdup(accuracy->options->inputs), *roots[] = {folder, NULL};
    const size_t n = strlen(folder);
    bool fine = true;
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, fts_order);
    for (FTSENT *entry; fine && tree && (entry = fts_read(tree));) {
        if (entry->fts_level == 0 && entry->fts_info != FTS_D && entry->fts_info != FTS_DP)
            fine = error_set(err, "--inputs: %s: %s", folder,
                             entry->fts_errno ? strerror(entry->fts_errno) : "is not a folder; expected one");
        const char *name = entry->fts_pathlen > n ? entry->fts_path + n : "";
        name += strspn(name, "/");
        if (entry->fts_info == FTS_F && is_picture(name) && !labels_name(&accuracy->labels, name))
            words_put(&accuracy->unlabelled, name);
    }
    if (!tree)
        fine = error_set(err, "--inputs: %s: %s", folder, strerror(errno));
    else
        fts_close(tree);
    free(folder);
    return fine;
}

/* ---- the whole ---- */

struct accuracy_counts accuracy_count(const struct accuracy *accuracy) {
    struct accuracy_counts counts = {0};
    for (size_t i = 0; i < accuracy->labels.count; i++) {
        const struct picture_outcome *outcome = &accuracy->outcomes[i];
        counts.done += outcome->state == PICTURE_DONE;
        counts.top1 += outcome->state == PICTURE_DONE && outcome->rank == 0;
        counts.top5 += outcome->state == PICTURE_DONE && outcome->rank < ACCURACY_TOP;
        counts.missing += outcome->state == PICTURE_MISSING;
        counts.damaged += outcome->state == PICTURE_DAMAGED;
    }
    for (size_t i = 0; i < accuracy->rtl_count; i++)
        counts.differ += !accuracy->rtl[i].ended || accuracy->rtl[i].status != EXIT_OK;
    return counts;
}

/* Computes, plays and prints. Returns the exit status, or EXIT_BAD_INPUT with a message. */
static int evaluate(struct work *work, struct loadable *loadable, struct error *err) {
    struct accuracy *accuracy = work->accuracy;
    if (!compute_all(work, err))
        return EXIT_BAD_INPUT;
    err->text[0] = '\0';
    const int played = accuracy->options->rtl ? play_sample(accuracy, loadable, err) : EXIT_OK;
    if (err->text[0] || played > 128) /* ended by a signal: the outcome is not whole */
        return played;
    const struct accuracy_counts counts = accuracy_count(accuracy);
    (accuracy->options->json ? accuracy_print_json : accuracy_print)(stdout, accuracy);
    return worse_status(played, counts.missing + counts.damaged > 0 ? EXIT_BAD_INPUT : EXIT_OK);
}

/* With the network and all labels read. */
static int prepare(struct work *work, struct loadable *loadable, struct error *err) {
    struct accuracy *accuracy = work->accuracy;
    const struct accuracy_options *options = accuracy->options;
    work->predictor = predictor_new(loadable, options->compile, err);
    if (!work->predictor)
        return EXIT_BAD_INPUT;
    accuracy->class_count = predictor_classes(work->predictor);
    accuracy->config = predictor_config(work->predictor);
    if ((options->classes && !classes_read(options->classes, &accuracy->classes, err)) ||
        !labels_read(options->labels, &accuracy->classes, accuracy->class_count, &accuracy->labels, err) ||
        !find_unlabelled(accuracy, err))
        return EXIT_BAD_INPUT;
    const size_t size = sizeof *work->shared + accuracy->labels.count * sizeof *work->shared->outcomes;
    work->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (work->shared == MAP_FAILED) {
        error_set(err, "memory for %zu pictures: %s", accuracy->labels.count, strerror(errno));
        return EXIT_BAD_INPUT;
    }
    accuracy->outcomes = work->shared->outcomes;
    const int status = evaluate(work, loadable, err);
    munmap(work->shared, size);
    return status;
}

int accuracy_run(const struct accuracy_options *options) {
    struct accuracy accuracy = {.options = options};
    struct work work = {.accuracy = &accuracy};
    struct error err = {0};
    int status = EXIT_BAD_INPUT;
    options->compile->config = options->run->config;
    quantised_input(options->network, options->compile);
    struct loadable *loadable = network_open(options->network, &options->compile->config, &err);
    if (loadable)
        status = prepare(&work, loadable, &err);
    if (err.text[0])
        fprintf(stderr, "nvcosim accuracy: %s\n", err.text);
    predictor_free(work.predictor);
    loadable_free(loadable);
    for (size_t i = 0; i < accuracy.rtl_count; i++) {
        free(accuracy.rtl[i].trace);
        free(accuracy.rtl[i].verdict);
        free(accuracy.rtl[i].reason);
    }
    free(accuracy.rtl);
    labels_free(&accuracy.labels);
    words_free(&accuracy.classes);
    words_free(&accuracy.unlabelled);
    return status;
}
