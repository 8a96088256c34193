/* Runs modules of python/nvcosim. See python_output.h. */
#include "run/simulators/python_output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "run/process/process.h"
#include "run/simulators/install_paths.h"

/* The command that runs a module. False with a message. */
static bool add_command(struct words *words, const char *module, const struct words *arguments, struct error *err) {
    struct install_paths paths;
    if (!install_paths_find(&paths, err))
        return false;
    autofree char *program = realpath("/proc/self/exe", NULL);
    words_put(words, "env");
    words_add(words, "NVCOSIM_PROGRAM=%s", program ? program : "");
    words_add(words, "PYTHONPATH=%s/python", paths.sources ? paths.sources : paths.ready);
    words_put(words, PYTHON);
    words_put(words, "-m");
    words_add(words, "nvcosim.%s", module);
    for (size_t i = 0; i < arguments->count; i++)
        words_put(words, arguments->items[i]);
    install_paths_free(&paths);
    return true;
}

char *python_output(const char *module, const struct words *arguments, size_t *n, struct error *err) {
    autowords struct words words = {0};
    int status;
    if (!add_command(&words, module, arguments, err))
        return NULL;
    char *output = process_output(words.items, n, &status, err);
    if (output && status != 0) {
        autofree char *last = text_last_line(output, *n);
        if (*last)
            error_set(err, "%s%s", last, status == 127 ? "; nvcosim needs it: install the package python3" : "");
        else
            error_set(err, "%s -m nvcosim.%s: ended with status %d, expected a message", PYTHON, module, status);
        free(output);
        output = NULL;
    }
    return output;
}

int python_start(const char *module, const struct words *arguments, pid_t *pid, struct error *err) {
    autowords struct words words = {0};
    int ends[2];
    if (!add_command(&words, module, arguments, err))
        return -1;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        error_set(err, "no pipe for the output of %s: %m", PYTHON);
        return -1;
    }
    const int high = fcntl(ends[1], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int files[] = {STDIN_FILENO, high, high};
    *pid = process_spawn(&(struct process_program){.words = words.items, .files = files, .file_count = 3}, err);
    close(high);
    close(ends[1]);
    if (*pid < 0)
        close(ends[0]);
    return *pid < 0 ? -1 : ends[0];
}
