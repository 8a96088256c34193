/* Simulators: their names, their builds by make. */
#include "run/simulators/simulators.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "run/process/process.h"
#include "run/process/progress.h"
#include "run/simulators/install_paths.h"

const char *const simulator_variant_names[VARIANT_COUNT] = {
    [VARIANT_PLAIN] = "",        [VARIANT_WAVES] = "waves",   [VARIANT_COVERAGE] = "coverage",
    [VARIANT_TOGGLE] = "toggle", [VARIANT_CHECKS] = "checks", [VARIANT_TAPS] = "taps"};

bool rtl_name_valid(const char *name) {
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    if (n == 0 || n >= RTL_NAME_MAX || name[n] != '\0')
        return false;
    for (int variant = VARIANT_PLAIN + 1; variant < VARIANT_COUNT; variant++)
        if (strcmp(name, simulator_variant_names[variant]) == 0)
            return false;
    return true;
}

enum { LOG_KEPT = 4096 /* of the log of a failed build */ };

/* Time to compile once with counters and to train, measured, for each byte of Verilated C++. */
static const double PROFILE_SECONDS_PER_BYTE = 12e-6;

/* FOLDER/NAME into path. */
static bool join(const char *folder, const char *name, char *path, size_t size, struct error *err) {
    const int n = snprintf(path, size, "%s/%s", folder, name);
    return n >= 0 && (size_t)n < size ? true : error_set(err, "%s/%s: the path is too long", folder, name);
}

bool simulator_side_path(const char *name, char *path, size_t size, struct error *err) {
    struct install_paths paths;
    if (!install_paths_find(&paths, err))
        return false;
    const bool ok = join(paths.build ? paths.build : paths.ready, name, path, size, err);
    install_paths_free(&paths);
    return ok;
}

/* Time of a file's last change; 0 if it does not exist. */
static time_t written(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 ? s.st_mtime : 0;
}

char *simulator_name(const char *config, const char *rtl_name, enum simulator_variant variant) {
    return xprintf("nvcosim-%s%s%s%s%s", config, rtl_name[0] ? "-" : "", rtl_name, variant ? "-" : "",
                   simulator_variant_names[variant]);
}

bool simulator_path(const char *config, const char *rtl_name, enum simulator_variant variant, char *path, size_t size,
                    struct error *err) {
    struct install_paths paths;
    if (!install_paths_find(&paths, err))
        return false;
    autofree char *file = simulator_name(config, rtl_name, variant);
    bool ok = join(paths.ready, file, path, size, err);
    if (ok && paths.cached && paths.build && access(path, F_OK) != 0)
        ok = join(paths.build, file, path, size, err);
    install_paths_free(&paths);
    return ok;
}

bool variables_path(const char *config, const char *rtl_name, char *path, size_t size, struct error *err) {
    char file[256];
    snprintf(file, sizeof file, "%s-%s.variables", config, rtl_name);
    return simulator_side_path(file, path, size, err);
}

/* Copies a log to stderr. */
static void show_log(int log) {
    char buffer[4096];
    ssize_t n;
    lseek(log, 0, SEEK_SET);
    while ((n = read(log, buffer, sizeof buffer)) > 0)
        fwrite(buffer, 1, (size_t)n, stderr);
}

/* The last lines of a log. free() it. */
static char *end_of_log(int log) {
    char text[LOG_KEPT + 1];
    const off_t size = lseek(log, 0, SEEK_END);
    const ssize_t n = pread(log, text, LOG_KEPT, size > LOG_KEPT ? size - LOG_KEPT : 0);
    text[n > 0 ? n : 0] = '\0';
    const char *line = size > LOG_KEPT ? strchr(text, '\n') : NULL;
    return xstrdup(line ? line + 1 : text);
}

/* Copies the lines of a log that begin with "warning:" to stderr. */
static void show_warnings(int log) {
    FILE *in = fdopen(dup(log), "r");
    char line[1024];
    if (in && fseek(in, 0, SEEK_SET) == 0)
        while (fgets(line, sizeof line, in))
            if (strncmp(line, "warning: ", 9) == 0)
                fprintf(stderr, "nvcosim: %s", line);
    if (in)
        fclose(in);
}

struct build {
    struct progress progress;
    const char *what;
    double seconds; /* expected; 0: unknown */
};

static void show_seconds(void *context) {
    struct build *build = context;
    const double done = process_clock() - build->progress.start;
    char left[48];
    if (progress_due(&build->progress))
        progress_show(&build->progress, "building %s: %.0f s%s", build->what, done,
                      progress_left(&build->progress, done, build->seconds, left, sizeof left));
}

/* Seconds that the last build of a simulator took; 0: unknown. */
static double seconds_of(const struct install_paths *paths, const char *name) {
    autofree char *path = xprintf("%s/sim/%s/seconds", paths->build ? paths->build : paths->ready, name), *text = NULL;
    size_t n;
    struct error err;
    return access(path, R_OK) == 0 && file_read(path, &text, &n, &err) ? strtod(text, NULL) : 0;
}

enum { FULL_SECONDS = 900 /* of another's full, if no build of it is known */ };

/* Seconds that a build will take: as its last one, or by that of the simulator without a variant; 0: unknown. */
static double expected_seconds(const char *config, const char *rtl_name, enum simulator_variant variant) {
    static const double more[VARIANT_COUNT] = {[VARIANT_WAVES] = 2,
                                               [VARIANT_COVERAGE] = 1.5,
                                               [VARIANT_TOGGLE] = 2,
                                               [VARIANT_CHECKS] = 1.5,
                                               [VARIANT_TAPS] = 1.2};
    struct install_paths paths;
    struct error err;
    if (!install_paths_find(&paths, &err))
        return 0;
    autofree char *name = simulator_name(config, rtl_name, variant),
                  *plain = simulator_name(config, rtl_name, VARIANT_PLAIN);
    const double last = seconds_of(&paths, name), seconds = last > 0 ? last : more[variant] * seconds_of(&paths, plain);
    install_paths_free(&paths);
    return seconds > 0 || rtl_name[0] == '\0' || strcmp(config, "full") != 0 ? seconds : FULL_SECONDS;
}

/* "40 seconds", "a minute", "3 minutes"; returns text. */
static const char *duration(double seconds, char *text, size_t size) {
    if (seconds == 0 || (seconds >= 55 && seconds < 90))
        return "a minute";
    if (seconds < 90)
        snprintf(text, size, "%.0f seconds", seconds < 10 ? 10 : 10 * (double)(long)(seconds / 10 + 0.5));
    else
        snprintf(text, size, "%.0f minutes", seconds / 60);
    return text;
}

const char *simulator_build_time(const char *config, const char *rtl_name, enum simulator_variant variant, char *text,
                                 size_t size) {
    return duration(expected_seconds(config, rtl_name, variant), text, size);
}

/* Runs make with its output in a log. If it fails, shows the log, or hands its last lines over; if it succeeds, shows
 * its warnings. */
static bool run_make(const struct words *arguments, const char *what, double seconds, char **kept, struct error *err) {
    struct build build = {.progress = progress_start(), .what = what, .seconds = seconds};
    const int log = memfd_create("build log", MFD_CLOEXEC);
    if (log < 0)
        return error_set(err, "no memory for the build log: %m");
    unsetenv("MAKEFLAGS");
    unsetenv("MAKELEVEL");
    unsetenv("MFLAGS");
    const int status = process_run_group(arguments->items, log, show_seconds, &build, err);
    progress_clear(&build.progress);
    if (status > 0 && kept) {
        *kept = end_of_log(log);
        error_set(err, "the simulator %s could not be built", what);
    } else if (status > 0) {
        show_log(log);
        error_set(err, "the simulator could not be built; make's output is above");
    } else
        show_warnings(log);
    close(log);
    return status == 0;
}

/* Says that another process builds, and how long its build, which has touched the lock at its beginning, still takes.
 * seconds: of such a build, 0: unknown. */
static void print_waiting(int lock, const char *folder, const char *name, double seconds) {
    struct stat begun;
    struct timespec now;
    char left[48] = "";
    clock_gettime(CLOCK_REALTIME, &now);
    const double more =
        seconds > 0 && fstat(lock, &begun) == 0 ? seconds - (double)(now.tv_sec - begun.st_mtim.tv_sec) : 0;
    if (more >= 1)
        snprintf(left, sizeof left, ", about %.0f s more", more);
    fprintf(stderr, "another build runs in %s%s%s: waiting for it%s ...\n", folder, name[0] ? "/" : "", name, left);
}

/* Locks FOLDER/NAME.lock, for one build at a time: two would write the same files. seconds: see print_waiting(). -1
 * with a message. */
static int lock_builds(const char *folder, const char *name, double seconds, struct error *err) {
    autofree char *path = xprintf("%s/%s.lock", folder, name);
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0)
        error_set(err, "%s: %m", path);
    else if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        print_waiting(lock, folder, name, seconds);
        while (flock(lock, LOCK_EX) != 0 && errno == EINTR)
            continue;
    }
    if (lock >= 0)
        futimens(lock, NULL);
    return lock;
}

bool simulators_can_be_built(struct error *err) {
    struct install_paths paths;
    if (!install_paths_find(&paths, err))
        return false;
    const bool ok = install_paths_prepare(&paths, err);
    install_paths_free(&paths);
    return ok;
}

/* True if a simulator exists and, in the cache, is not older than the program: after an update, no one runs make there.
 * Variants of another RTL are built again after `nvcosim build` has built its simulator. */
static bool up_to_date(const struct install_paths *paths, const char *config, const char *rtl_name, const char *path) {
    char plain[SIMULATOR_PATH];
    struct error err;
    const time_t made = written(path);
    if (rtl_name[0] && simulator_path(config, rtl_name, VARIANT_PLAIN, plain, sizeof plain, &err) &&
        made < written(plain))
        return false;
    return made && (!paths->cached || strncmp(path, paths->build, strlen(paths->build)) != 0 ||
                    made >= written("/proc/self/exe"));
}

/* The first file of a list of Verilator's that has changed since; NULL if none has, or if there is no list. A missing
 * file does not count: the RTL of a revision is checked out only for its build. free() it. */
static char *changed_file(const struct install_paths *paths, const char *name, const char *list_name) {
    autofree char *path = xprintf("%s/sim/%s/%s", paths->build ? paths->build : paths->ready, name, list_name);
    FILE *list = fopen(path, "r");
    char line[SIMULATOR_PATH + 256], *changed = NULL;
    while (list && !changed && fgets(line, sizeof line, list)) {
        long long size, seconds, nanoseconds;
        int at = 0;
        struct stat s;
        /* S, size, inode, two times of the inode, two of the content, in newer versions "sum", "path" */
        if (sscanf(line, "S %lld %*d %*d %*d %lld %lld \"%n", &size, &seconds, &nanoseconds, &at) != 3 || !at)
            continue;
        char *end = strrchr(line + at, '"');
        if (!end)
            continue;
        *end = '\0';
        const char *source = strrchr(line, '"') + 1;
        autofree char *file =
            source[0] == '/' || !paths->sources ? xstrdup(source) : xprintf("%s/%s", paths->sources, source);
        if (stat(file, &s) == 0 && S_ISREG(s.st_mode) &&
            (s.st_size != size || s.st_mtim.tv_sec != seconds || s.st_mtim.tv_nsec != nanoseconds))
            changed = xstrdup(source);
    }
    if (list)
        fclose(list);
    return changed;
}

/* The first source of a simulator that has changed since its build, by Verilator's list of files it read and by that of
 * the tables behind them; NULL if none has, or if it was not built here. free() it. */
static char *changed_source(const struct install_paths *paths, const char *name) {
    char *changed = changed_file(paths, name, "Vtb_top__verFiles.dat");
    return changed ? changed : changed_file(paths, name, "tables");
}

/* True if the simulator NAME exists at path and need not be built again. */
static bool is_current(const struct install_paths *paths, const char *config, const char *rtl_name, const char *name,
                       const char *path) {
    autofree char *changed = up_to_date(paths, config, rtl_name, path) ? changed_source(paths, name) : NULL;
    return !changed && up_to_date(paths, config, rtl_name, path);
}

/* Words to run one of make's targets in the source tree. Variables go through the environment, where names of files are
 * only names: make would interpret them on its command line. */
static void make_words(const struct install_paths *paths, const char *target, const char *config, const char *rtl_name,
                       enum simulator_variant variant, const struct words *variables, struct words *words) {
    words_add(words, "env");
    for (size_t i = 0; variables && i < variables->count; i++)
        words_add(words, "%s", variables->items[i]);
    words_add(words, "make");
    words_add(words, "-C");
    words_add(words, "%s", paths->sources);
    words_add(words, "--no-print-directory");
    words_add(words, "%s", target);
    if (paths->cached)
        words_add(words, "B=%s", paths->build);
    words_add(words, "CONFIG=%s", config);
    words_add(words, "NAME=%s", rtl_name);
    words_add(words, "VARIANT=%s", simulator_variant_names[variant]);
}

/* Runs make for a simulator whose variants share their folder's lock: first for what all simulators share, then for the
 * simulator itself, while others may be built. unless_current: not if it exists and its sources have not changed,
 * because another process may have built it meanwhile. log: as for run_make(). */
static bool make_locked(const char *config, const char *rtl_name, enum simulator_variant variant,
                        const struct words *variables, const char *unless_current, char **log, struct error *err) {
    struct install_paths paths;
    if (!install_paths_find(&paths, err))
        return false;
    autofree char *name = simulator_name(config, rtl_name, variant), *folder = xprintf("%s/sim", paths.build);
    autowords struct words shared = {0}, own = {0};
    make_words(&paths, "simulator-base", config, rtl_name, variant, variables, &shared);
    make_words(&paths, "simulator", config, rtl_name, variant, variables, &own);
    bool ok = install_paths_prepare(&paths, err) && directory_make(folder, err);
    const double seconds = expected_seconds(config, rtl_name, variant);
    int lock = ok ? lock_builds(folder, name, seconds, err) : -1;
    ok = lock >= 0;
    if (ok && !(unless_current && is_current(&paths, config, rtl_name, name, unless_current))) {
        const int base = lock_builds(paths.build, "", 0, err);
        ok = base >= 0 && run_make(&shared, name, 0, log, err);
        close(base);
        ok = ok && run_make(&own, name, seconds, log, err);
    }
    if (lock >= 0)
        close(lock);
    install_paths_free(&paths);
    return ok;
}

bool make_simulator(const char *config, const char *rtl_name, enum simulator_variant variant,
                    const struct words *variables, struct error *err) {
    return make_locked(config, rtl_name, variant, variables, NULL, NULL, err);
}

/* Reads the variables of a foreign RTL. A missing file means that it was never built. */
static bool read_variables(const char *config, const char *rtl_name, struct words *variables, struct error *err) {
    char path[SIMULATOR_PATH];
    char *text;
    size_t n;
    if (!variables_path(config, rtl_name, path, sizeof path, err))
        return false;
    if (access(path, R_OK) != 0)
        return error_set(err,
                         "no RTL named %s was built for configuration %s; build it with: nvcosim build --config %s "
                         "%s --name %s",
                         rtl_name, config, config, strcmp(rtl_name, "nvidia") == 0 ? "--vmod DIR" : "--filelist FILE.f",
                         rtl_name);
    if (!file_read(path, &text, &n, err))
        return false;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        if (line[0])
            words_add(variables, "%s", line);
    free(text);
    return true;
}

bool remake_simulator(const char *config, const char *rtl_name, enum simulator_variant variant,
                      const struct words *variables, struct error *err) {
    autowords struct words all = {0};
    bool ok = !rtl_name[0] || read_variables(config, rtl_name, &all, err);
    for (size_t i = 0; i < variables->count; i++)
        words_add(&all, "%s", variables->items[i]);
    ok = ok && make_simulator(config, rtl_name, variant, &all, err);
    return ok;
}

char *simulator_variable(const char *config, const char *rtl_name, const char *name) {
    const size_t n = strlen(name);
    autowords struct words variables = {0};
    struct error err;
    char *value = NULL;
    if (rtl_name[0] && read_variables(config, rtl_name, &variables, &err))
        for (size_t i = 0; !value && i < variables.count; i++)
            if (strncmp(variables.items[i], name, n) == 0 && variables.items[i][n] == '=' && variables.items[i][n + 1])
                value = xstrdup(variables.items[i] + n + 1);
    return value;
}

bool simulator_is_foreign(const char *config, const char *rtl_name) {
    autofree char *foreign = simulator_variable(config, rtl_name, "FOREIGN");
    return foreign && strcmp(foreign, "true") == 0;
}

bool simulator_has_taps(const char *config, const char *rtl_name) {
    autofree char *taps = simulator_variable(config, rtl_name, "TAPS");
    return rtl_name[0] == '\0' || taps;
}

bool simulator_can_check(const char *config, const char *rtl_name, struct error *err) {
    autofree char *checks = simulator_variable(config, rtl_name, "HAS_CHECKS");
    return !checks || strcmp(checks, "false") != 0 ||
           error_set(err,
                     "--checks: the RTL of rtl:%s has no checks: its sources have none "
                     "(rtl/common/nvdla_check.svh); leave --checks out",
                     rtl_name);
}

bool simulator_is_current(const char *config, const char *rtl_name, enum simulator_variant variant) {
    char path[SIMULATOR_PATH];
    struct install_paths paths;
    struct error err;
    if (!simulator_path(config, rtl_name, variant, path, sizeof path, &err) || !install_paths_find(&paths, &err))
        return false;
    autofree char *name = simulator_name(config, rtl_name, variant);
    const bool current = is_current(&paths, config, rtl_name, name, path);
    install_paths_free(&paths);
    return current;
}

/* A simulator in words: "the small simulator with waves". free() it. */
static char *simulator_words(const char *config, const char *rtl_name, enum simulator_variant variant) {
    static const char *const with[VARIANT_COUNT] = {
        "", " with waves", " with line coverage", " with toggle coverage", " with checks", " with taps"};
    return rtl_name[0] ? xprintf("the simulator of rtl:%s (%s)%s", rtl_name, config, with[variant])
                       : xprintf("the %s simulator%s", config, with[variant]);
}

/* Builds a simulator that is missing, whose sources have changed, or in any case (update). */
static bool build_simulator(const char *config, const char *rtl_name, enum simulator_variant variant, bool update,
                            bool profile, char **log, struct error *err) {
    char path[SIMULATOR_PATH];
    struct install_paths paths;
    if (!simulator_path(config, rtl_name, variant, path, sizeof path, err) || !install_paths_find(&paths, err))
        return false;
    const bool there =
        up_to_date(&paths, config, rtl_name, path); /* whether it is a simulator shows when it is started */
    const bool from_sources = paths.sources && !paths.cached;
    const bool can_build = there || install_paths_prepare(&paths, err);
    autofree char *name = simulator_name(config, rtl_name, variant);
    autofree char *changed = there && !update && paths.sources ? changed_source(&paths, name) : NULL;
    install_paths_free(&paths);
    if ((there && !changed && !(update && from_sources)) || !can_build)
        return there;
    autowords struct words variables = {0};
    if (rtl_name[0] && !read_variables(config, rtl_name, &variables, err))
        return written(path); /* it was put there by hand */
    if (profile)
        words_add(&variables, "PROFILE=1");
    autofree char *what = simulator_words(config, rtl_name, variant);
    char about[32];
    if (!there)
        fprintf(stderr, "building %s (once, about %s) ...\n", what,
                duration(expected_seconds(config, rtl_name, variant), about, sizeof about));
    else if (changed)
        fprintf(stderr, "%s has changed since %s was built: rebuilding it ...\n", changed, what);
    bool ok = make_locked(config, rtl_name, variant, &variables, update ? NULL : path, log, err);
    if (ok && access(path, F_OK) != 0)
        ok = error_set(err, "%s: make succeeded, but the simulator does not exist", path);
    return ok;
}

bool simulator_known(const char *config, const char *rtl_name, enum simulator_variant variant, struct error *err) {
    char path[SIMULATOR_PATH];
    autowords struct words variables = {0};
    return simulator_path(config, rtl_name, variant, path, sizeof path, err) &&
           (!rtl_name[0] || written(path) || read_variables(config, rtl_name, &variables, err));
}

bool ensure_simulator(const char *config, const char *rtl_name, enum simulator_variant variant, struct error *err) {
    return build_simulator(config, rtl_name, variant, false, false, NULL, err);
}

bool update_simulator(const char *config, const char *rtl_name, enum simulator_variant variant, bool profile,
                      char **log, struct error *err) {
    *log = NULL;
    const bool ok = build_simulator(config, rtl_name, variant, true, profile, log, err);
    if (!*log)
        *log = xstrdup("");
    return ok;
}

double simulator_profile_cost(const char *config, const char *rtl_name, enum simulator_variant variant) {
    autofree char *name = simulator_name(config, rtl_name, variant), *relative = xprintf("sim/%s", name);
    char path[SIMULATOR_PATH];
    struct error err;
    double bytes = 0;
    DIR *folder = simulator_side_path(relative, path, sizeof path, &err) ? opendir(path) : NULL;
    struct stat status;
    for (const struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
        if (text_ends_with(entry->d_name, ".cpp") && fstatat(dirfd(folder), entry->d_name, &status, 0) == 0)
            bytes += (double)status.st_size;
    if (folder)
        closedir(folder);
    return bytes > 0 ? bytes * PROFILE_SECONDS_PER_BYTE : -1;
}
