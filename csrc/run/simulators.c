/* Simulators: their names, their builds by make. */
#include "run/simulators.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "run/places.h"
#include "run/process.h"
#include "run/progress.h"

/* FOLDER/NAME into path. */
static bool join(const char *folder, const char *name, char *path, size_t size, struct error *err) {
    const int n = snprintf(path, size, "%s/%s", folder, name);
    return n >= 0 && (size_t)n < size ? true : error_set(err, "%s/%s: the path is too long", folder, name);
}

bool simulator_side_path(const char *name, char *path, size_t size, struct error *err) {
    struct places places;
    if (!places_find(&places, err))
        return false;
    const bool ok = join(places.build ? places.build : places.ready, name, path, size, err);
    places_free(&places);
    return ok;
}

/* Seconds since which a file is as it is; 0 if it is not there. */
static time_t written(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 ? s.st_mtime : 0;
}

bool simulator_path(const char *config, const char *rtl_name, enum simulator_variant variant, char *path, size_t size,
                    struct error *err) {
    struct places places;
    char file[256];
    if (!places_find(&places, err))
        return false;
    snprintf(file, sizeof file, "nvcosim-%s%s%s%s%s", config, rtl_name[0] ? "-" : "", rtl_name, variant ? "-" : "",
             simulator_variant_names[variant]);
    bool ok = join(places.ready, file, path, size, err);
    if (ok && places.cached && places.build && access(path, F_OK) != 0)
        ok = join(places.build, file, path, size, err);
    places_free(&places);
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

struct build {
    struct progress progress;
    const char *what;
};

static void show_seconds(void *context) {
    struct build *build = context;
    if (progress_due(&build->progress))
        progress_show(&build->progress, "building %s: %.0f s", build->what, process_clock() - build->progress.start);
}

/* Runs make; what it prints goes to a log that is shown if it fails. */
static bool run_make(const struct words *arguments, const char *what, struct error *err) {
    struct build build = {.progress = progress_start(), .what = what};
    const int log = memfd_create("build log", MFD_CLOEXEC);
    if (log < 0)
        return error_set(err, "no memory for the build log: %s", strerror(errno));
    unsetenv("MAKEFLAGS");
    unsetenv("MAKELEVEL");
    unsetenv("MFLAGS");
    const int status = process_run_group(arguments->items, log, show_seconds, &build, err);
    progress_clear(&build.progress);
    if (status > 0) {
        show_log(log);
        error_set(err, "the simulator could not be built; make's output is above");
    }
    close(log);
    return status == 0;
}

/* One build at a time in a folder: two would write the same files. -1 with a message. */
static int lock_builds(const char *folder, struct error *err) {
    char *path = xprintf("%s/.lock", folder);
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0)
        error_set(err, "%s: %s", path, strerror(errno));
    else if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        fprintf(stderr, "another build runs in %s: waiting for it ...\n", folder);
        while (flock(lock, LOCK_EX) != 0 && errno == EINTR)
            continue;
    }
    free(path);
    return lock;
}

bool simulators_can_be_built(struct error *err) {
    struct places places;
    if (!places_find(&places, err))
        return false;
    const bool ok = places_prepare(&places, err);
    places_free(&places);
    return ok;
}

/* True if a simulator is there and, in the cache, not older than the program: nobody runs make there after an update.
 * plain: the simulator that `nvcosim build` has made of another RTL, after which its variants are made again; NULL:
 * none.
 */
static bool up_to_date(const struct places *places, const char *path, const char *plain) {
    const time_t made = written(path);
    if (plain && made < written(plain))
        return false;
    return made && (!places->cached || strncmp(path, places->build, strlen(places->build)) != 0 ||
                    made >= written("/proc/self/exe"));
}

/* Makes it unless it is there and `missing` asks for that. plain: see up_to_date. */
static bool make_locked(const char *config, const char *rtl_name, enum simulator_variant variant,
                        const struct words *variables, const char *missing, const char *plain, struct error *err) {
    struct places places;
    if (!places_find(&places, err))
        return false;
    const int lock = places_prepare(&places, err) ? lock_builds(places.build, err) : -1;
    if (lock < 0) {
        places_free(&places);
        return false;
    }
    struct words arguments = {0};
    words_add(&arguments, "make");
    words_add(&arguments, "-C");
    words_add(&arguments, "%s", places.sources);
    words_add(&arguments, "--no-print-directory");
    words_add(&arguments, "simulator");
    if (places.cached)
        words_add(&arguments, "B=%s", places.build);
    words_add(&arguments, "CONFIG=%s", config);
    words_add(&arguments, "NAME=%s", rtl_name);
    words_add(&arguments, "VARIANT=%s", simulator_variant_names[variant]);
    for (size_t i = 0; variables && i < variables->count; i++)
        words_add(&arguments, "%s", variables->items[i]);
    char *what = xprintf("%s%s%s%s%s", config, rtl_name[0] ? " " : "", rtl_name, variant ? " " : "",
                         simulator_variant_names[variant]);
    const bool ok = (missing && up_to_date(&places, missing, plain)) || run_make(&arguments, what, err);
    free(what);
    words_free(&arguments);
    places_free(&places);
    close(lock);
    return ok;
}

bool make_simulator(const char *config, const char *rtl_name, enum simulator_variant variant,
                    const struct words *variables, struct error *err) {
    return make_locked(config, rtl_name, variant, variables, NULL, NULL, err);
}

/* Reads the variables of a foreign RTL; a missing file means that it was never built. */
static bool read_variables(const char *config, const char *rtl_name, struct words *variables, struct error *err) {
    char path[SIMULATOR_PATH];
    char *text;
    size_t n;
    if (!variables_path(config, rtl_name, path, sizeof path, err))
        return false;
    if (access(path, R_OK) != 0)
        return error_set(err,
                         "no RTL named %s was built for configuration %s; build it with: nvcosim build --config %s "
                         "--filelist FILE.f --name %s",
                         rtl_name, config, config, rtl_name);
    if (!file_read(path, &text, &n, err))
        return false;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        if (line[0])
            words_add(variables, "%s", line);
    free(text);
    return true;
}

bool simulator_has_taps(const char *config, const char *rtl_name) {
    struct words variables = {0};
    struct error err;
    bool has = rtl_name[0] == '\0';
    if (!has && read_variables(config, rtl_name, &variables, &err))
        for (size_t i = 0; i < variables.count; i++)
            has = has || (strncmp(variables.items[i], "TAPS=", 5) == 0 && variables.items[i][5]);
    words_free(&variables);
    return has;
}

bool ensure_simulator(const char *config, const char *rtl_name, enum simulator_variant variant, struct error *err) {
    static const char *const with[VARIANT_COUNT] = {
        "", " with waves", " with line coverage", " with toggle coverage", " with checks", " with taps"};
    char path[SIMULATOR_PATH], built[SIMULATOR_PATH];
    struct places places;
    if (!simulator_path(config, rtl_name, variant, path, sizeof path, err) ||
        !simulator_path(config, rtl_name, VARIANT_PLAIN, built, sizeof built, err) || !places_find(&places, err))
        return false;
    const char *plain = rtl_name[0] ? built : NULL;
    const bool there = up_to_date(&places, path, plain); /* whether it is a simulator shows when it is started */
    const bool can_build = there || places_prepare(&places, err);
    places_free(&places);
    if (there || !can_build)
        return there;
    struct words variables = {0};
    if (rtl_name[0] && !read_variables(config, rtl_name, &variables, err)) {
        words_free(&variables);
        return false;
    }
    if (rtl_name[0])
        fprintf(stderr, "building the simulator of rtl:%s (%s)%s (once, about a minute) ...\n", rtl_name, config,
                with[variant]);
    else
        fprintf(stderr, "building the %s simulator%s (once, about a minute) ...\n", config, with[variant]);
    bool ok = make_locked(config, rtl_name, variant, &variables, path, plain, err);
    words_free(&variables);
    if (ok && access(path, F_OK) != 0)
        ok = error_set(err, "%s: make succeeded, but the simulator is not there", path);
    return ok;
}
