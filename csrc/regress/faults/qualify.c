/* Qualifies a corpus: a night of kind 'qualify', from the planted copy of the RTL to the table. See qualify.h. */
#include "regress/faults/qualify.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/engine/builds.h"
#include "regress/faults/campaign.h"
#include "regress/faults/faults.h"

#include "regress/pages/page.h"
#include "regress/plan/paths.h"
#include "regress/store/query.h"
#include "regress/store/store.h"
#include "run/process/process.h"
#include "run/simulators/install_paths.h"
#include "run/simulators/simulators.h"
#include "run/simulators/version.h"

struct qualification {
    const struct qualify_options *options;
    char *planted; /* folder of the copy */
    int lock;      /* of that folder */
    struct plan *plan;
    char *plan_path, *plan_text;
    struct plan_settings settings;
    struct test_list tests;
    bool *done; /* tests that an earlier call has played without a fault; NULL: none */
    struct faults faults;
    struct equivalents equivalents;
    char *database, *folder; /* folder: of the night, absolute */
    struct store *store;
    int64_t night;
    double start;
};

/* ---- which tests ---- */

/* A plan with the traces of the command line. free() it. */
static char *plan_of_traces(const struct qualify_options *options) {
    struct text text = {0};
    text_printf(&text, "items:\n  - name: traces\n    config: %s\n    traces:\n", options->config->name);
    for (size_t i = 0; i < options->traces.count; i++) {
        char *path = paths_absolute(options->traces.items[i]);
        text_printf(&text, "      - \"");
        for (const char *c = path; *c; c++)
            text_printf(&text, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
        text_printf(&text, "\"\n");
        free(path);
    }
    return text.text;
}

static bool same_test(const struct test *a, const struct test *b) {
    bool same = strcmp(a->trace, b->trace) == 0 && a->seed == b->seed && a->options.count == b->options.count;
    for (size_t i = 0; same && i < a->options.count; i++)
        same = strcmp(a->options.items[i], b->options.items[i]) == 0;
    return same;
}

/* Keeps the tests of the configuration that play on an RTL, whichever, each once, and lets them play on the copy. */
static void settle_tests(struct qualification *q) {
    struct test_list *list = &q->tests;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        struct test *test = &list->tests[i];
        bool wanted = strcmp(test->config, q->options->config->name) == 0 && strcmp(test->dut, "model") != 0;
        for (size_t k = 0; wanted && k < kept; k++)
            wanted = !same_test(&list->tests[k], test);
        if (!wanted) {
            test_free(test);
            continue;
        }
        free(test->dut);
        test->dut = xprintf("rtl:%s", q->options->name);
        words_add(&test->options, "--stop-at-first");
        words_add(&test->options, "--no-report");
        list->tests[kept++] = *test;
    }
    list->count = kept;
}

static bool read_tests(struct qualification *q, struct error *err) {
    const struct qualify_options *options = q->options;
    char today[PLAN_DATE];
    size_t n;
    if (options->plan) {
        if (!file_read(options->plan, &q->plan_text, &n, err))
            return false;
        q->plan_path = paths_absolute(options->plan);
    } else {
        q->plan_text = plan_of_traces(options);
        q->plan_path = paths_absolute("qualify.yml"); /* what names in it are relative to */
    }
    q->plan = plan_parse(q->plan_path, q->plan_text, strlen(q->plan_text), err);
    if (!q->plan || !plan_expand(q->plan, options->seed, plan_today(today), options->select, &q->tests, err))
        return false;
    q->settings = plan_settings(q->plan);
    settle_tests(q);
    return q->tests.count > 0 ||
           error_set(err, "%s: no test of configuration %s plays on an RTL%s%s", q->plan_path, options->config->name,
                     options->select ? "; --select " : "", options->select ? options->select : "");
}

/* ---- the copy ---- */

/* One campaign at a time with a simulator of that name. */
static bool lock_copy(struct qualification *q, struct error *err) {
    char *path = xprintf("%s/lock", q->planted);
    q->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    bool well = q->lock >= 0 || error_set(err, "%s: %s", path, strerror(errno));
    if (well && !process_lock(q->lock))
        well = error_set(err, "another nvcosim qualify uses the simulator rtl:%s; choose another --name",
                         q->options->name);
    free(path);
    return well;
}

/* Runs scripts/plant.py, which says on stderr what it does. */
static bool plant(const struct qualification *q, const char *filelist, struct error *err) {
    const struct qualify_options *options = q->options;
    struct install_paths places;
    struct words words = {0};
    if (!install_paths_find(&places, err))
        return false;
    if (!places.sources) {
        install_paths_free(&places);
        return error_set(err, "there are no sources here to plant faults with (scripts/plant.py)");
    }
    words_add(&words, "python3");
    words_add(&words, "%s/scripts/plant.py", places.sources);
    words_add(&words, "%s", q->planted);
    words_add(&words, "--count=%u", options->count);
    words_add(&words, "--seed=%" PRIu64, options->seed);
    words_add(&words, "--config=%s", options->config->name);
    words_add(&words, "--random-start");
    if (options->source.top)
        words_add(&words, "--top=%s", options->source.top);
    if (filelist)
        words_add(&words, "--filelist=%s", filelist);
    for (size_t i = 0; i < options->source.verilator.count; i++)
        words_add(&words, "--verilator-option=%s", options->source.verilator.items[i]);
    for (size_t i = 0; i < options->folders.count; i++)
        words_add(&words, "%s", options->folders.items[i]);
    const int status = process_run_group(words.items, STDERR_FILENO, NULL, NULL, err);
    words_free(&words);
    install_paths_free(&places);
    return status == 0 || (status > 0 && error_set(err, "no faults could be planted; the reason is above"));
}

static void print_message(const char *line) {
    fprintf(stderr, "nvcosim qualify: %s\n", line);
}

/* Builds the simulator of the copy, and the one with checks if a test asks for it; the night plays on copies of them.
 */
static bool build(const struct qualification *q, struct error *err) {
    const struct qualify_options *options = q->options;
    struct words variables = {0};
    words_add(&variables, "FILELIST=%s/faults.f", q->planted);
    words_add(&variables, "TAPS=");
    rtl_source_variables(&options->source, NULL, &variables);
    fprintf(stderr, "building rtl:%s, configuration %s, with %zu faults ...\n", options->name, options->config->name,
            q->faults.count);
    bool well = make_simulator(options->config->name, options->name, VARIANT_PLAIN, &variables, err);
    words_free(&variables);
    if (well) {
        struct builds *builds = builds_make(&q->tests, NULL, q->folder, print_message);
        well = builds_keep(builds, q->folder, err);
        builds_free(builds);
    }
    return well;
}

static void print_stale(const struct equivalent *entry) {
    fprintf(stderr,
            "nvcosim qualify: the list of equivalents is stale in line %d: the RTL no longer has such a place: %s: "
            "%s\n",
            entry->line, entry->file, entry->statement);
}

/* Plants, and reads what was planted. */
static bool make_copy(struct qualification *q, struct error *err) {
    const struct qualify_options *options = q->options;
    char side[128], folder[SIMULATOR_PATH], *filelist = NULL;
    snprintf(side, sizeof side, "qualify/%s-%s", options->config->name, options->name);
    if (!simulators_can_be_built(err) || !simulator_side_path(side, folder, sizeof folder, err) ||
        !directory_make(folder, err))
        return false;
    q->planted = realpath(folder, NULL);
    if (!q->planted || !lock_copy(q, err))
        return q->planted ? false : error_set(err, "%s: %s", folder, strerror(errno));
    if (options->source.filelist && !(filelist = realpath(options->source.filelist, NULL)))
        return error_set(err, "%s: %s", options->source.filelist, strerror(errno));
    bool well = plant(q, filelist, err);
    free(filelist);
    char *table = xprintf("%s/faults.json", q->planted);
    well = well && faults_read(table, &q->faults, err);
    free(table);
    if (well && q->faults.count == 0)
        well = error_set(err, "the RTL has no place for a fault");
    if (well)
        faults_exempt(&q->faults, &q->equivalents, print_stale);
    return well;
}

/* ---- the night ---- */

static bool begin(struct qualification *q, const char *plan, struct error *err) {
    const struct qualify_options *options = q->options;
    char *out = paths_absolute(options->out);
    const struct night_facts facts = {.kind = "qualify",
                                      .plan = plan,
                                      .plan_path = q->plan_path,
                                      .plan_text = q->plan_text,
                                      .selected = options->select,
                                      .version = nvcosim_version(),
                                      .engine = "local",
                                      .command = options->command,
                                      .folder = out,
                                      .seed = options->seed};
    q->night = store_begin(q->store, &facts, &q->tests, err);
    bool well = q->night > 0;
    if (well) {
        q->folder = xprintf("%s/night-%" PRId64, out, q->night);
        well = directory_make(q->folder, err) && store_folder(q->store, q->night, q->folder, err) &&
               faults_begin(q->store, q->night, &q->faults, err);
    }
    free(out);
    return well;
}

/* Takes an interrupted night as the database has it; its tests replace those of the command line. */
static bool resume(struct qualification *q, const char *plan, struct error *err) {
    q->night = store_unfinished(q->store, plan, err);
    if (q->night <= 0)
        return q->night < 0 ? false : error_set(err, "%s: no qualification %s is left to resume", q->database, plan);
    struct query query =
        query_begin(store_database(q->store), err, "SELECT folder, seed FROM night WHERE id = ?", "i", q->night);
    bool well = query_next(&query);
    if (well) {
        q->folder = query_copy(&query, "folder");
        const uint64_t seed = (uint64_t)query_number(&query, "seed");
        well = seed == q->options->seed ||
               error_set(err, "night %" PRId64 " has seed %" PRIu64 ", not %" PRIu64, q->night, seed, q->options->seed);
    }
    well = query_end(&query) && well;
    test_list_free(&q->tests);
    return well && store_tests(q->store, q->night, &q->tests, &q->done, err) &&
           faults_resume(q->store, q->night, &q->faults, err) && store_state(q->store, q->night, "running", 0, err);
}

static bool open_night(struct qualification *q, struct error *err) {
    const struct qualify_options *options = q->options;
    q->database = options->database      ? paths_absolute(options->database)
                  : q->settings.database ? xstrdup(q->settings.database)
                                         : xprintf("%s/" NIGHTS_DATABASE, options->out);
    char *plan = xprintf("qualify-%s", options->plan ? q->settings.name : options->config->name);
    q->store = directory_make(options->out, err) ? store_open(q->database, !options->resume, err) : NULL;
    const bool well = q->store && (options->resume ? resume(q, plan, err) : begin(q, plan, err));
    free(plan);
    return well;
}

/* ---- the end ---- */

static int end_night(struct qualification *q, enum engine_end end, int signal) {
    struct error err;
    const bool whole = end == ENGINE_DONE;
    bool well = store_state(q->store, q->night, whole ? "done" : "interrupted", process_clock() - q->start, &err);
    if (!well)
        fprintf(stderr, "nvcosim qualify: %s\n", err.text);
    if (whole)
        builds_remove(q->folder);
    faults_print(stdout, &q->faults);
    const double share = faults_share(&q->faults);
    char *page = xprintf("%s/index.html", q->folder);
    struct review *review = review_read(store_database(q->store), q->night, &err);
    if (!review || !page_write(review, page, &err)) {
        fprintf(stderr, "nvcosim qualify: %s\n", err.text);
        well = false;
    }
    review_free(review);
    printf("\n%.1f %% of the faults that are not known to be equivalent are noticed; night %" PRId64 " in %s\n", share,
           q->night, q->database);
    printf("%s\nTo look at fault N: nvcosim debug --config %s --dut rtl:%s --fault N TRACE\n", page,
           q->options->config->name, q->options->name);
    free(page);
    if (!whole)
        printf("\nNot everything was played. To continue, give the same command with --resume\n");
    if (signal)
        return 128 + signal;
    return !whole || !well ? EXIT_BAD_INPUT : share < q->options->at_least ? EXIT_DIFFERENT : EXIT_OK;
}

static void free_all(struct qualification *q) {
    store_close(q->store);
    faults_free(&q->faults);
    equivalents_free(&q->equivalents);
    test_list_free(&q->tests);
    plan_free(q->plan);
    free(q->done);
    free(q->plan_path);
    free(q->plan_text);
    free(q->planted);
    free(q->database);
    free(q->folder);
    if (q->lock >= 0)
        close(q->lock);
}

int qualify_run(const struct qualify_options *options) {
    struct qualification q = {.options = options, .lock = -1, .start = process_clock()};
    struct error err;
    int status = EXIT_BAD_INPUT, signal = 0;
    process_obey_signals();
    if (read_tests(&q, &err) &&
        (!options->equivalents || equivalents_read(options->equivalents, &q.equivalents, &err)) &&
        make_copy(&q, &err) && open_night(&q, &err) && build(&q, &err)) {
        struct campaign campaign = {.store = q.store,
                                    .night = q.night,
                                    .folder = q.folder,
                                    .tests = &q.tests,
                                    .done = q.done,
                                    .faults = &q.faults,
                                    .jobs = options->jobs,
                                    .together = options->together};
        const enum engine_end end = campaign_run(&campaign, &signal, &err);
        if (end == ENGINE_FAILED)
            fprintf(stderr, "nvcosim qualify: %s\n", err.text);
        status = end_night(&q, end, signal);
    } else
        fprintf(stderr, "nvcosim qualify: %s\n", err.text);
    free_all(&q);
    return status;
}
