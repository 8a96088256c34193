/* Builds the simulators of a night and copies them. See builds.h. */
#include "regress/engine/builds.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/plan/option_sets.h"
#include "regress/plan/paths.h"
#include "run/simulators/simulators.h"

/* A simulator with a profile takes this part less time. */
static const double PROFILE_SAVES = 0.15;

/* A simulator that is written while it is copied is copied again: so often, with so long a pause. */
enum { TRIES = 100, PAUSE_MS = 100 };

struct build {
    char *config, *rtl_name;
    enum simulator_variant variant;
    bool kept;          /* the folder of the night has it */
    char *reason, *log; /* of a failure; NULL: it is there */
};

struct builds {
    struct build *builds;
    size_t count;
    struct option_sets sets; /* of the tests */
    char *folder;            /* of the night; NULL: not known yet */
    void (*report)(const char *line);
};

/* Finds out which simulator a test plays on, or is debugged with; false if it needs none, or its options cannot be
 * read, which shows when it is started. free(*rtl_name) */
static bool simulator_of(struct option_sets *sets, const struct test *test, bool debug, char **rtl_name,
                         enum simulator_variant *variant) {
    struct set_options taken;
    struct error err;
    const bool read = set_options_take(sets, test, "", &taken, &err) && taken.options.dut != DUT_MODEL;
    taken.options.debug = debug;
    if (read) {
        *rtl_name = xstrdup(taken.options.rtl_name);
        *variant = run_variant(&taken.options, test->config);
    }
    set_options_leave(&taken);
    return read;
}

static struct build *find(const struct builds *builds, const char *config, const char *rtl_name,
                          enum simulator_variant variant) {
    for (size_t i = 0; i < builds->count; i++) {
        struct build *build = &builds->builds[i];
        if (build->variant == variant && strcmp(build->config, config) == 0 && strcmp(build->rtl_name, rtl_name) == 0)
            return build;
    }
    return NULL;
}

/* ---- the copies ---- */

/* The copy of a simulator. free() it. */
static char *copy_path(const char *folder, const struct build *build) {
    char *name = simulator_name(build->config, build->rtl_name, build->variant),
         *path = xprintf("%s/" BUILDS_FOLDER "/%s", folder, name);
    free(name);
    return path;
}

static bool same_state(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Copies a file; *n: its size. False with a message, and no copy. */
static bool copy_file(const char *from, const char *to, size_t *n, struct error *err) {
    const int in = open(from, O_RDONLY | O_CLOEXEC);
    const int out = in < 0 ? -1 : open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
    ssize_t copied = 1;
    bool well = in >= 0 && out >= 0;
    if (!well)
        error_set(err, "%s: %s", in < 0 ? from : to, strerror(errno));
    for (*n = 0; well && copied != 0; *n += copied > 0 ? (size_t)copied : 0) {
        enum { CHUNK = 64 << 20 };
        copied = sendfile(out, in, NULL, CHUNK);
        if (copied < 0 && errno != EINTR)
            well = error_set(err, "%s: %s", to, strerror(errno));
    }
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0 && well)
        well = error_set(err, "%s: %s", to, strerror(errno));
    if (out >= 0 && !well)
        unlink(to);
    return well;
}

/* Copies a program as it is at one moment. */
static bool copy_program(const char *from, const char *to, struct error *err) {
    struct stat before, after;
    for (int i = 0; i < TRIES; i++) {
        size_t n;
        if (i > 0)
            usleep(PAUSE_MS * 1000);
        if (stat(from, &before) != 0 || access(from, X_OK) != 0) {
            error_set(err, "%s: %s", from, strerror(errno));
            continue;
        }
        if (!copy_file(from, to, &n, err))
            return false;
        if (stat(from, &after) == 0 && same_state(&before, &after) && n == (size_t)after.st_size)
            return (chmod(to, 0755) == 0 && access(to, X_OK) == 0) ||
                   error_set(err, "%s: %s; --out has to name a folder from which programs can run", to,
                             strerror(errno));
        error_set(err, "%s: it keeps changing", from);
    }
    return false;
}

static bool keep(struct build *build, const char *folder, struct error *err) {
    char from[SIMULATOR_PATH];
    char *to = copy_path(folder, build);
    build->kept = simulator_path(build->config, build->rtl_name, build->variant, from, sizeof from, err) &&
                  copy_program(from, to, err);
    free(to);
    return build->kept || error_prefix(err, "the night's copy of a simulator cannot be made: ");
}

static bool same_content(const char *a, const char *b) {
    char *content[2] = {NULL, NULL};
    size_t n[2];
    struct stat info[2];
    const bool same = stat(a, &info[0]) == 0 && stat(b, &info[1]) == 0 && info[0].st_size == info[1].st_size &&
                      file_read(a, &content[0], &n[0], NULL) && file_read(b, &content[1], &n[1], NULL) &&
                      n[0] == n[1] && memcmp(content[0], content[1], n[0]) == 0;
    free(content[0]);
    free(content[1]);
    return same;
}

/* True if the night has begun with a copy of it. */
static bool was_kept(const struct builds *builds, const struct build *build) {
    char path[SIMULATOR_PATH];
    struct error err;
    if (!builds->folder)
        return false;
    char *copy = copy_path(builds->folder, build);
    const bool there = access(copy, X_OK) == 0;
    if (there && simulator_path(build->config, build->rtl_name, build->variant, path, sizeof path, &err) &&
        access(path, F_OK) == 0 && !same_content(copy, path)) {
        char *line = xprintf("%s has changed since the night began, which keeps using its copy of the old one", path);
        builds->report(line);
        free(line);
    }
    free(copy);
    return there;
}

bool builds_keep(struct builds *builds, const char *folder, struct error *err) {
    char *copies = xprintf("%s/" BUILDS_FOLDER, folder);
    bool well = directory_make(copies, err);
    free(copies);
    if (!builds->folder)
        builds->folder = xstrdup(folder);
    for (size_t i = 0; well && i < builds->count; i++)
        if (!builds->builds[i].reason && !builds->builds[i].kept)
            well = keep(&builds->builds[i], folder, err);
    return well;
}

void builds_remove(const char *folder) {
    char *copies = xprintf("%s/" BUILDS_FOLDER, folder);
    DIR *directory = opendir(copies);
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
    rmdir(copies);
    free(copies);
}

/* ---- the builds ---- */

/* True if the tests on a simulator save more than its profile takes, by their history. */
static bool profile_pays(struct builds *builds, const struct test_list *tests, const bool *done,
                         const struct build *build) {
    const double cost = simulator_profile_cost(build->config, build->rtl_name, build->variant);
    double seconds = 0;
    for (size_t i = 0; cost >= 0 && i < tests->count; i++) {
        const struct test *test = &tests->tests[i];
        enum simulator_variant variant;
        char *rtl_name;
        if ((done && done[i]) || test->expected_seconds <= 0 || strcmp(test->config, build->config) != 0 ||
            !simulator_of(&builds->sets, test, false, &rtl_name, &variant))
            continue;
        if (variant == build->variant && strcmp(rtl_name, build->rtl_name) == 0)
            seconds += test->expected_seconds;
        free(rtl_name);
    }
    return cost >= 0 && seconds * PROFILE_SAVES > cost;
}

/* Makes a simulator; one that cannot be made with a profile is made without. */
static void make(struct builds *builds, struct build *build, bool profile) {
    struct error err;
    bool made = update_simulator(build->config, build->rtl_name, build->variant, profile, &build->log, &err);
    if (!made && profile) {
        char *line = xprintf("%s with a profile; it is built without one", err.text);
        builds->report(line);
        free(line);
        free(build->log);
        made = update_simulator(build->config, build->rtl_name, build->variant, false, &build->log, &err);
    }
    if (made)
        return;
    build->reason = xstrdup(err.text);
    char *line = xprintf("%s%s%s", err.text, build->log[0] ? "; the end of make's output:\n" : "", build->log);
    builds->report(line);
    free(line);
}

static struct build *add(struct builds *builds, const char *config, char *rtl_name, enum simulator_variant variant) {
    builds->builds = xgrow(builds->builds, builds->count, sizeof *builds->builds);
    struct build *build = &builds->builds[builds->count++];
    *build = (struct build){.config = xstrdup(config), .rtl_name = rtl_name, .variant = variant};
    return build;
}

/* The build of a simulator, made now if it is new. Takes rtl_name. tests: that will play on it, except those that are
 * done. */
static struct build *need(struct builds *builds, const char *config, char *rtl_name, enum simulator_variant variant,
                          const struct test_list *tests, const bool *done) {
    struct build *build = find(builds, config, rtl_name, variant);
    if (build) {
        free(rtl_name);
        return build;
    }
    build = add(builds, config, rtl_name, variant);
    build->kept = was_kept(builds, build);
    if (!build->kept)
        make(builds, build, tests && profile_pays(builds, tests, done, build));
    return build;
}

struct builds *builds_make(const struct test_list *tests, const bool *done, const char *folder,
                           void (*report)(const char *line)) {
    struct builds *builds = xcalloc(1, sizeof *builds);
    *builds = (struct builds){.folder = folder ? xstrdup(folder) : NULL, .report = report};
    for (size_t i = 0; i < tests->count; i++) {
        char *rtl_name;
        enum simulator_variant variant;
        if (!(done && done[i]) && simulator_of(&builds->sets, &tests->tests[i], false, &rtl_name, &variant))
            need(builds, tests->tests[i].config, rtl_name, variant, tests, done);
    }
    return builds;
}

bool builds_possible(const struct test_list *tests, const bool *done, void (*report)(const char *line)) {
    struct builds *seen = xcalloc(1, sizeof *seen);
    bool possible = true;
    for (size_t i = 0; i < tests->count; i++) {
        const char *config = tests->tests[i].config;
        enum simulator_variant variant;
        struct error err;
        char *rtl_name;
        if ((done && done[i]) || !simulator_of(&seen->sets, &tests->tests[i], false, &rtl_name, &variant))
            continue;
        if (find(seen, config, rtl_name, variant)) {
            free(rtl_name);
            continue;
        }
        add(seen, config, rtl_name, variant);
        if (!simulator_known(config, rtl_name, variant, &err)) {
            report(err.text);
            possible = false;
        }
    }
    builds_free(seen);
    return possible;
}

char *builds_directory(const struct builds *builds) {
    char *directory = NULL;
    bool one = builds->count > 0;
    for (size_t i = 0; one && i < builds->count; i++) {
        char *list = simulator_filelist(builds->builds[i].config, builds->builds[i].rtl_name),
             *folder = list ? paths_folder(list) : NULL;
        one = folder && (!directory || strcmp(directory, folder) == 0);
        free(directory);
        directory = folder;
        free(list);
    }
    if (one)
        return directory;
    free(directory);
    return NULL;
}

const char *builds_debug(struct builds *builds, const struct test *test) {
    enum simulator_variant variant;
    char *rtl_name;
    struct error err;
    if (!simulator_of(&builds->sets, test, true, &rtl_name, &variant))
        return "it is not played on RTL";
    struct build *build = need(builds, test->config, rtl_name, variant, NULL, NULL);
    if (!build->reason && !build->kept && !keep(build, builds->folder, &err)) {
        build->reason = xstrdup(err.text);
        builds->report(err.text);
    }
    return build->reason;
}

void builds_free(struct builds *builds) {
    for (size_t i = 0; i < builds->count; i++) {
        free(builds->builds[i].config);
        free(builds->builds[i].rtl_name);
        free(builds->builds[i].reason);
        free(builds->builds[i].log);
    }
    free(builds->builds);
    option_sets_free(&builds->sets);
    free(builds->folder);
    free(builds);
}

static bool any_failed(const struct builds *builds) {
    bool any = false;
    for (size_t i = 0; i < builds->count; i++)
        any = any || builds->builds[i].reason;
    return any;
}

bool builds_failed(struct builds *builds, const struct test *test, const char *folder, struct result *result) {
    enum simulator_variant variant;
    char *rtl_name;
    if (!any_failed(builds) || !simulator_of(&builds->sets, test, false, &rtl_name, &variant))
        return false;
    const struct build *build = find(builds, test->config, rtl_name, variant);
    free(rtl_name);
    if (!build || !build->reason)
        return false;
    *result = (struct result){.verdict = VERDICT_ERROR,
                              .trace = test_name(test),
                              .path = test_trace(test, folder),
                              .config = xstrdup(test->config),
                              .dut = xstrdup(test->dut),
                              .seed = test->seed,
                              .reason = xstrdup(build->reason),
                              .command = test_command(test),
                              .output = xstrdup(build->log)};
    return true;
}

bool builds_check(const struct test *test, const char *folder, struct error *err) {
    struct build build;
    struct option_sets sets = {0};
    const bool simulated = simulator_of(&sets, test, false, &build.rtl_name, &build.variant);
    option_sets_free(&sets);
    if (!simulated)
        return true;
    build.config = test->config;
    char *path = copy_path(folder, &build);
    const bool there = access(path, X_OK) == 0 || error_set(err, "%s: %s", path, strerror(errno));
    free(build.rtl_name);
    free(path);
    return there;
}
