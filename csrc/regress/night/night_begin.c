/* Begins a night, or takes up one that was interrupted. See night_parts.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/night/night.h"
#include "regress/night/night_parts.h"
#include "regress/night/recover.h"
#include "regress/plan/paths.h"
#include "regress/store/query.h"
#include "run/process/process.h"
#include "run/result/ledger.h"
#include "run/simulators/version.h"

/* ---- what is to be done ---- */

static bool read_plan(struct night *night, struct error *err) {
    night->plan = plan_read(night->options->plan, &night->plan_text, err);
    night->plan_path = paths_absolute(night->options->plan);
    return night->plan != NULL;
}

static void settle(struct night *night) {
    const struct night_options *options = night->options;
    if (night->plan)
        night->settings = plan_settings(night->plan);
    night->jobs = options->jobs ? options->jobs : night->settings.jobs ? night->settings.jobs : process_cores();
    if (night->database)
        return;
    char *usual = xprintf("%s/" NIGHTS_DATABASE, options->out ? options->out : NIGHTS_FOLDER);
    night->database = paths_absolute(options->database          ? options->database
                                     : night->settings.database ? night->settings.database
                                                                : usual);
    free(usual);
}

/* The date as the seed of a night: 20261231. */
static uint64_t seed_of(const char *date) {
    return strtoull(date, NULL, 10) * 10000 + strtoull(date + 5, NULL, 10) * 100 + strtoull(date + 8, NULL, 10);
}

static bool expand(struct night *night, struct error *err) {
    char today[PLAN_DATE];
    plan_today(today);
    night->seed = night->options->seed_given ? night->options->seed : seed_of(today);
    if (!plan_expand(night->plan, night->seed, today, night->options->select, &night->tests, err))
        return false;
    for (size_t i = 0; i < night->tests.warnings.count; i++)
        fprintf(stderr, "nvcosim: warning: %s\n", night->tests.warnings.items[i]);
    return night->tests.count > 0 ||
           error_set(err, "%s: no test%s%s", night->options->plan, night->options->select ? " is selected by " : "",
                     night->options->select ? night->options->select : "");
}

/* Expected durations, where there is a database already. */
static bool expect(struct night *night, struct error *err) {
    if (night->store)
        return store_expect(night->store, &night->tests, err);
    for (size_t i = 0; i < night->tests.count; i++)
        night->tests.tests[i].expected_seconds = -1;
    if (access(night->database, F_OK) != 0)
        return true;
    struct store *store = store_open_read_only(night->database, err);
    const bool well = store && store_expect(store, &night->tests, err);
    store_close(store);
    return well;
}

/* ---- the folder ---- */

static bool make_folder(struct night *night, const char *name, struct error *err) {
    char *path = xprintf("%s/%s", night->folder, name);
    const bool well = directory_make(path, err);
    free(path);
    return well;
}

/* Locks the night for this process, until it ends in whatever way; other processes of this machine, and of those that
 * share the folder, see the lock. */
static bool lock_night(struct night *night, struct error *err) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char *path = xprintf("%s/lock", night->folder);
    night->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    bool well = night->lock >= 0 || error_set(err, "%s: %s", path, strerror(errno));
    if (well && fcntl(night->lock, F_SETLK, &lock) != 0) {
        const bool taken = errno == EACCES || errno == EAGAIN;
        well = error_set(err, "%s: %s", path, strerror(errno));
        if (taken && fcntl(night->lock, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK)
            error_set(err, "night %" PRId64 " is still running as process %d; end that one first", night->id,
                      (int)lock.l_pid);
    }
    free(path);
    return well;
}

/* OUT/night-ID, which is known once the night has its number. */
static bool take_folder(struct night *night, const char *out, struct error *err) {
    char *name = xprintf("/night-%" PRId64, night->id);
    night->folder = text_ends_with(out, name) ? xstrdup(out) : xprintf("%s%s", out, name);
    free(name);
    const bool well = store_folder(night->store, night->id, night->folder, err);
    if (!well || !make_folder(night, "reports", err) || !lock_night(night, err))
        return false;
    night->ledger = ledger_open(night->folder, true, err);
    return night->ledger >= 0;
}

/* ---- a new night, or an interrupted one ---- */

static bool begin(struct night *night, struct error *err) {
    char *out = paths_absolute(night->options->out ? night->options->out : NIGHTS_FOLDER),
         *directory = builds_directory(night->builds);
    const struct night_facts facts = {.kind = "regress",
                                      .plan = night->settings.name,
                                      .plan_path = night->plan_path,
                                      .plan_text = night->plan_text,
                                      .selected = night->options->select,
                                      .version = nvcosim_version(),
                                      .engine = night->engine,
                                      .command = night->options->command,
                                      .folder = out,
                                      .seed = night->seed,
                                      .directory = directory};
    bool well = directory_make(out, err);
    night->store = well ? store_open(night->database, true, err) : NULL;
    well = night->store && expect(night, err);
    night->id = well ? store_begin(night->store, &facts, &night->tests, err) : -1;
    well = night->id > 0 && take_folder(night, out, err);
    free(directory);
    free(out);
    return well;
}

/* False with a message if the night cannot be resumed. */
static bool check_night(const struct night *night, struct query *row, struct error *err) {
    const char *kind = query_text(row, "kind"), *state = query_text(row, "state");
    if (strcmp(kind, "regress") != 0)
        return error_set(err, "night %" PRId64 " is one of nvcosim %s", night->id, kind);
    if (strcmp(state, "done") == 0)
        return error_set(err, "night %" PRId64 " is done: nothing is left to resume", night->id);
    if (strcmp(state, "running") != 0)
        return true;
    const char *host = query_text(row, "host");
    const int64_t pid = query_number(row, "pid");
    switch (store_runner(host, pid, query_text(row, "birth"))) {
    case RUNNER_ELSEWHERE:
        return error_set(err, "night %" PRId64 " runs on %s; resume it there", night->id, host);
    case RUNNER_LIVES:
        return error_set(err, "night %" PRId64 " is still running as process %" PRId64 "; end that one first",
                         night->id, pid);
    case RUNNER_GONE:
        break;
    }
    return true;
}

/* Takes the night as the database has it. */
static bool take_night(struct night *night, struct query *row, struct error *err) {
    plan_free(night->plan);
    free(night->plan_text);
    free(night->plan_path);
    night->plan_path = query_copy(row, "plan_path");
    night->plan_text = query_copy(row, "plan_text");
    night->selected = query_copy(row, "selected");
    night->seed = (uint64_t)query_number(row, "seed");
    night->engine = query_copy(row, "engine");
    night->plan = plan_parse(night->plan_path, night->plan_text, strlen(night->plan_text), err);
    if (!night->plan)
        return false;
    settle(night);
    return night->options->dry_run || take_folder(night, query_text(row, "folder"), err);
}

static bool read_night(struct night *night, struct error *err) {
    struct query row =
        query_begin(store_database(night->store), err,
                    "SELECT kind, plan_path, plan_text, selected, seed, state, host, pid, birth, engine, "
                    "folder FROM night WHERE id = ?",
                    "i", night->id);
    const bool found = query_next(&row), well = found && check_night(night, &row, err) && take_night(night, &row, err);
    if (query_end(&row) && !found)
        error_set(err, "%s: there is no night %" PRId64, night->database, night->id);
    return well;
}

/* A trace that is gone, or whose path depends on where one is, would be reported as a failure of the RTL. */
static bool check_traces(const struct night *night, struct error *err) {
    for (size_t i = 0; i < night->tests.count; i++) {
        const struct test *test = &night->tests.tests[i];
        if (!night->done[i] && !test->generator && access(test->trace, R_OK) != 0)
            return error_set(err, "%s: %s: the trace of %s, which is still to run; nothing was resumed", test->trace,
                             strerror(errno), test->key);
    }
    return true;
}

static bool resume(struct night *night, struct error *err) {
    if (!recover_nights(night->database, err))
        return false;
    night->store = store_open(night->database, false, err);
    if (!night->store)
        return false;
    night->id = night->options->resumed;
    if (night->id == 0 && (night->id = store_unfinished(night->store, night->settings.name, err)) == 0)
        return error_set(err, "%s: no night of plan %s is left to resume", night->database, night->settings.name);
    if (night->id < 0 || !read_night(night, err) ||
        !store_tests(night->store, night->id, &night->tests, &night->done, err))
        return false;
    return check_traces(night, err) && expect(night, err) &&
           (night->options->dry_run || store_state(night->store, night->id, "running", 0, err));
}

bool night_prepare(struct night *night, void (*report)(const char *line), struct error *err) {
    const struct night_options *options = night->options;
    if (options->plan && !read_plan(night, err))
        return false;
    settle(night);
    if (options->resume) {
        if (!resume(night, err))
            return false;
    } else {
        night->engine = xstrdup(options->engine ? options->engine : "local");
        if (!expand(night, err))
            return false;
    }
    if (!night_on_slurm(night) && (options->slurm || options->chunk_seconds))
        return error_set(err, "%s is for nights on Slurm (--engine=slurm), and this one is not",
                         options->slurm ? "--slurm-options" : "--chunk-seconds");
    if (options->dry_run)
        return expect(night, err);
    if (!expect(night, err))
        return false;
    night->builds = builds_make(&night->tests, night->done, night->folder, report);
    return (options->resume || begin(night, err)) && builds_keep(night->builds, night->folder, err);
}
