/* Runs modules of python/nvcosim/rtl. See prepare.h. */
#include "run/simulators/prepare.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "run/process/process.h"
#include "run/simulators/install_paths.h"

/* The output of nvcosim.rtl.MODULE (malloc'd), or NULL with its last line. */
static char *output_of(const char *module, const struct words *arguments, struct error *err) {
    struct install_paths paths;
    struct words words = {0};
    int status;
    if (!install_paths_find(&paths, err))
        return NULL;
    char *program = realpath("/proc/self/exe", NULL);
    words_put(&words, "env");
    words_add(&words, "NVCOSIM_PROGRAM=%s", program ? program : "");
    free(program);
    words_add(&words, "PYTHONPATH=%s/python", paths.sources ? paths.sources : paths.ready);
    words_put(&words, "python3");
    words_put(&words, "-m");
    words_add(&words, "nvcosim.rtl.%s", module);
    for (size_t i = 0; i < arguments->count; i++)
        words_put(&words, arguments->items[i]);
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

char *prepare_rtl(const struct prepare *prepare, struct error *err) {
    const char *const given[] = {prepare->option,
                                 prepare->config,
                                 prepare->path,
                                 prepare->out,
                                 prepare->top ? prepare->top : "NV_nvdla",
                                 prepare->rams ? prepare->rams : "",
                                 prepare->print ? "print" : "",
                                 prepare->adapter ? prepare->adapter : "",
                                 prepare->port_map ? prepare->port_map : ""};
    struct words arguments = {0};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        words_put(&arguments, given[i]);
    for (size_t i = 0; i < prepare->pins->count; i++)
        words_put(&arguments, prepare->pins->items[i]);
    char *output = output_of("prepare", &arguments, err);
    words_free(&arguments);
    return output;
}

char *compare_cfgrom(const char *config, const char *name, struct error *err) {
    struct words arguments = {0};
    words_put(&arguments, config);
    words_put(&arguments, name);
    char *output = output_of("cfgrom", &arguments, err);
    words_free(&arguments);
    return output;
}
