/* Runs modules of python/nvcosim/rtl. See prepare.h. */
#include "run/simulators/prepare.h"

#include "run/simulators/python_output.h"

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
    size_t n;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        words_put(&arguments, given[i]);
    for (size_t i = 0; i < prepare->pins->count; i++)
        words_put(&arguments, prepare->pins->items[i]);
    char *output = python_output("rtl.prepare", &arguments, &n, err);
    words_free(&arguments);
    return output;
}

char *compare_cfgrom(const char *config, const char *name, struct error *err) {
    struct words arguments = {0};
    size_t n;
    words_put(&arguments, config);
    words_put(&arguments, name);
    char *output = python_output("rtl.cfgrom", &arguments, &n, err);
    words_free(&arguments);
    return output;
}
