/* Starts commands in Python. */
#include "cli/commands.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/options/options.h"
#include "run/simulators/install_paths.h"
#include "run/simulators/python_output.h"

/* Path of this program; "" if it is not known. */
static void own_path(char path[PATH_MAX]) {
    const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
    path[n > 0 ? n : 0] = '\0';
}

/* Python always ignores SIGPIPE. The command needs to know what the caller wants. */
static void pass_on_pipe_signal(void) {
    struct sigaction action;
    if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
        setenv("NVCOSIM_SIGPIPE", "ignored", 1);
    else
        unsetenv("NVCOSIM_SIGPIPE");
}

static int fail(const char *name, const char *path, const char *advice) {
    const char *why = strerror(errno);
    autofree char *shown = text_shown(path);
    fprintf(stderr, "nvcosim %s: %s: %s; %s\n", name, shown, why, advice);
    return EXIT_BAD_INPUT;
}

int python_command(const char *name, char **argv) {
    struct install_paths paths;
    struct error err;
    autowords struct words words = {0};
    char program[PATH_MAX];
    if (!install_paths_find(&paths, &err)) {
        fprintf(stderr, "nvcosim %s: %s\n", name, err.text);
        return EXIT_BAD_INPUT;
    }
    autofree char *script = xprintf("%s/python/command.py", paths.sources ? paths.sources : paths.ready);
    install_paths_free(&paths);
    own_path(program);
    words_put(&words, PYTHON);
    words_put(&words, "-E");
    words_put(&words, "-s");
    words_put(&words, script);
    words_put(&words, program);
    words_put(&words, name);
    for (size_t i = 1; argv[i]; i++)
        words_put(&words, argv[i]);
    pass_on_pipe_signal();
    fflush(NULL);
    int status = EXIT_BAD_INPUT;
    if (access(script, R_OK) != 0)
        status = fail(name, script,
                      "the command is written in Python, and lies beside the sources that nvcosim was built from or "
                      "installed with");
    else {
        execv(PYTHON, words.items);
        status = fail(name, PYTHON, "the command is written in Python; install the packages python3 and python3-yaml");
    }
    return status;
}
