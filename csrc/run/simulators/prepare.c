/* Runs python/nvcosim/rtl/prepare.py. See prepare.h. */
#include "run/simulators/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "run/process/process.h"
#include "run/simulators/install_paths.h"

char *prepare_rtl(const struct prepare *prepare, struct error *err) {
    const char *const arguments[] = {"python3",
                                     "-m",
                                     "nvcosim.rtl.prepare",
                                     prepare->option,
                                     prepare->config,
                                     prepare->path,
                                     prepare->out,
                                     prepare->top ? prepare->top : "NV_nvdla",
                                     prepare->rams ? prepare->rams : "",
                                     prepare->print ? "print" : "",
                                     prepare->adapter ? prepare->adapter : "",
                                     prepare->port_map ? prepare->port_map : ""};
    struct install_paths paths;
    struct words words = {0};
    int status;
    if (!install_paths_find(&paths, err))
        return NULL;
    words_put(&words, "env");
    words_add(&words, "PYTHONPATH=%s/python", paths.sources ? paths.sources : paths.ready);
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        words_put(&words, arguments[i]);
    for (size_t i = 0; i < prepare->pins->count; i++)
        words_put(&words, prepare->pins->items[i]);
    char *output = process_output(words.items, &status, err);
    if (output && status != 0) {
        char *last = text_last_line(output, strlen(output));
        error_set(err, "%s", last);
        free(last);
        free(output);
        output = NULL;
    }
    words_free(&words);
    install_paths_free(&paths);
    return output;
}
