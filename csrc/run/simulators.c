#include "run/simulators.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/file.h"

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
static void show_log(FILE *log) {
    char buffer[4096];
    size_t n;
    rewind(log);
    while ((n = fread(buffer, 1, sizeof buffer, log)) > 0)
        fwrite(buffer, 1, n, stderr);
}

static bool run_make(const struct words *arguments, struct error *err) {
    FILE *log = tmpfile();
    if (!log)
        return error_set(err, "no temporary file for the build log: %s", strerror(errno));
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        unsetenv("MAKEFLAGS");
        unsetenv("MAKELEVEL");
        unsetenv("MFLAGS");
        dup2(fileno(log), STDOUT_FILENO);
        dup2(fileno(log), STDERR_FILENO);
        execvp("make", arguments->items);
        fprintf(stderr, "make: %s\n", strerror(errno));
        _exit(127);
    }
    int status = -1;
    bool ok = pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!ok) {
        show_log(log);
        error_set(err, "the simulator could not be built; make's output is above");
    }
    fclose(log);
    return ok;
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

bool make_simulator(const char *config, const char *rtl_name, enum simulator_variant variant,
                    const struct words *variables, struct error *err) {
    char directory[SIMULATOR_PATH];
    if (!source_tree(directory, sizeof directory, err))
        return false;
    struct words arguments = {0};
    bool ok = words_add(&arguments, "make") && words_add(&arguments, "-C") && words_add(&arguments, "%s", directory) &&
              words_add(&arguments, "--no-print-directory") && words_add(&arguments, "simulator") &&
              words_add(&arguments, "CONFIG=%s", config) && words_add(&arguments, "NAME=%s", rtl_name) &&
              words_add(&arguments, "VARIANT=%s", simulator_variant_names[variant]);
    for (size_t i = 0; ok && variables && i < variables->count; i++)
        ok = words_add(&arguments, "%s", variables->items[i]);
    ok = ok ? run_make(&arguments, err) : error_set(err, "out of memory");
    words_free(&arguments);
    return ok;
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
    bool ok = true;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line && ok; line = strsep(&rest, "\n"))
        if (line[0])
            ok = words_add(variables, "%s", line);
    free(text);
    return ok ? true : error_set(err, "out of memory");
}

bool ensure_simulator(const char *config, const char *rtl_name, enum simulator_variant variant, struct error *err) {
    static const char *const with[VARIANT_COUNT] = {"", " with waves", " with line coverage", " with toggle coverage",
                                                    " with checks"};
    char path[SIMULATOR_PATH], directory[SIMULATOR_PATH];
    if (!simulator_path(config, rtl_name, variant, path, sizeof path, err))
        return false;
    if (access(path, X_OK) == 0)
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
    bool ok = make_simulator(config, rtl_name, variant, &variables, err);
    words_free(&variables);
    if (ok && access(path, X_OK) != 0)
        ok = error_set(err, "%s: make succeeded, but the simulator is not there", path);
    return ok;
}
