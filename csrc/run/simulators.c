/* Simulators: their names, their builds by make. */
#include "run/simulators.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "run/process.h"
#include "run/progress.h"

/* Directory of the running program, "/..../build". */
static bool executable_directory(char *text, size_t size, struct error *err) {
    ssize_t n = readlink("/proc/self/exe", text, size - 1);
    if (n <= 0)
        return error_set(err, "/proc/self/exe: %s; the simulators are looked for beside nvcosim", strerror(errno));
    text[n] = '\0';
    char *slash = strrchr(text, '/');
    if (slash)
        *slash = '\0';
    return true;
}

bool simulator_side_path(const char *name, char *path, size_t size, struct error *err) {
    if (!executable_directory(path, size, err))
        return false;
    size_t n = strlen(path);
    if (n + 1 + strlen(name) + 1 > size)
        return error_set(err, "%s/%s: the path is too long", path, name);
    path[n] = '/';
    strcpy(path + n + 1, name);
    return true;
}

bool simulator_path(const char *config, const char *rtl_name, enum simulator_variant variant, char *path, size_t size,
                    struct error *err) {
    char file[256];
    snprintf(file, sizeof file, "nvcosim-%s%s%s%s%s", config, rtl_name[0] ? "-" : "", rtl_name, variant ? "-" : "",
             simulator_variant_names[variant]);
    return simulator_side_path(file, path, size, err);
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

/* One build at a time in a tree: two would write the same files. -1 with a message. */
static int lock_builds(const char *tree, struct error *err) {
    char *path = xprintf("%s/build/.lock", tree);
    const int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (lock < 0)
        error_set(err, "%s: %s", path, strerror(errno));
    else if (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        fprintf(stderr, "another build runs in %s: waiting for it ...\n", tree);
        while (flock(lock, LOCK_EX) != 0 && errno == EINTR)
            continue;
    }
    free(path);
    return lock;
}

bool source_tree(char *directory, size_t size, struct error *err) {
    char makefile[SIMULATOR_PATH + 16];
    if (!executable_directory(directory, size, err))
        return false;
    char *slash = strrchr(directory, '/');
    if (slash)
        *slash = '\0';
    snprintf(makefile, sizeof makefile, "%s/Makefile", directory);
    if (access(makefile, R_OK) != 0)
        return error_set(err,
                         "%s: not found; simulators can only be built from the source tree that nvcosim was built in",
                         makefile);
    return true;
}

/* Makes it unless it is there and `missing` asks for that. */
static bool make_locked(const char *config, const char *rtl_name, enum simulator_variant variant,
                        const struct words *variables, const char *missing, struct error *err) {
    char directory[SIMULATOR_PATH];
    if (!source_tree(directory, sizeof directory, err))
        return false;
    const int lock = lock_builds(directory, err);
    if (lock < 0)
        return false;
    struct words arguments = {0};
    words_add(&arguments, "make");
    words_add(&arguments, "-C");
    words_add(&arguments, "%s", directory);
    words_add(&arguments, "--no-print-directory");
    words_add(&arguments, "simulator");
    words_add(&arguments, "CONFIG=%s", config);
    words_add(&arguments, "NAME=%s", rtl_name);
    words_add(&arguments, "VARIANT=%s", simulator_variant_names[variant]);
    for (size_t i = 0; variables && i < variables->count; i++)
        words_add(&arguments, "%s", variables->items[i]);
    char *what = xprintf("%s%s%s%s%s", config, rtl_name[0] ? " " : "", rtl_name, variant ? " " : "",
                         simulator_variant_names[variant]);
    const bool ok = (missing && access(missing, F_OK) == 0) || run_make(&arguments, what, err);
    free(what);
    words_free(&arguments);
    close(lock);
    return ok;
}

bool make_simulator(const char *config, const char *rtl_name, enum simulator_variant variant,
                    const struct words *variables, struct error *err) {
    return make_locked(config, rtl_name, variant, variables, NULL, err);
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

bool ensure_simulator(const char *config, const char *rtl_name, enum simulator_variant variant, struct error *err) {
    static const char *const with[VARIANT_COUNT] = {"", " with waves", " with line coverage", " with toggle coverage",
                                                    " with checks"};
    char path[SIMULATOR_PATH], directory[SIMULATOR_PATH];
    if (!simulator_path(config, rtl_name, variant, path, sizeof path, err))
        return false;
    if (access(path, F_OK) == 0) /* whether it is one shows when it is started */
        return true;
    if (!source_tree(directory, sizeof directory, err))
        return false;
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
    bool ok = make_locked(config, rtl_name, variant, &variables, path, err);
    words_free(&variables);
    if (ok && access(path, F_OK) != 0)
        ok = error_set(err, "%s: make succeeded, but the simulator is not there", path);
    return ok;
}
