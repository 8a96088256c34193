/* Runs modules of python/nvcosim. See python_output.h. */
#include "run/simulators/python_output.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "run/process/process.h"
#include "run/simulators/install_paths.h"

char *python_output(const char *module, const struct words *arguments, size_t *n, struct error *err) {
    struct install_paths paths;
    autowords struct words words = {0};
    int status;
    if (!install_paths_find(&paths, err))
        return NULL;
    autofree char *program = realpath("/proc/self/exe", NULL);
    words_put(&words, "env");
    words_add(&words, "NVCOSIM_PROGRAM=%s", program ? program : "");
    words_add(&words, "PYTHONPATH=%s/python", paths.sources ? paths.sources : paths.ready);
    words_put(&words, PYTHON);
    words_put(&words, "-m");
    words_add(&words, "nvcosim.%s", module);
    for (size_t i = 0; i < arguments->count; i++)
        words_put(&words, arguments->items[i]);
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
    install_paths_free(&paths);
    return output;
}
