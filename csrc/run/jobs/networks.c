/* Networks among the traces of a run; see networks.h. */
#include "run/jobs/networks.h"

#include <stdlib.h>
#include <string.h>

#include "loadable/loadable.h"
#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "run/network/open.h"
#include "run/session/session.h"
#include "trace/formats.h"
#include "trace/network.h"

/* The trace of network `index`, in the folder of reports; of several networks with one name, numbered from 2 on. */
static char *trace_of_network(const struct run_options *run, size_t index) {
    const struct words *traces = &run->traces;
    const char *folder = run->out ? run->out : REPORT_FOLDER;
    char name[256], *path = NULL;
    trace_name(traces->items[index], name, sizeof name);
    for (int copy = 1; !path; copy++) {
        path = copy == 1 ? xprintf("%s/%s.nvt.gz", folder, name) : xprintf("%s/%s-%d.nvt.gz", folder, name, copy);
        for (size_t i = 0; path && i < traces->count; i++)
            if (strcmp(traces->items[i], path) == 0) {
                free(path);
                path = NULL;
            }
    }
    return path;
}

/* Compiles network `index` of the traces and replaces its path by that of its trace. False with a message. */
static bool compile_network(struct run_options *run, struct compile_options *compile, size_t index, struct error *err) {
    char **path = &run->traces.items[index], *trace = trace_of_network(run, index);
    const char *folder = run->out ? run->out : REPORT_FOLDER;
    quantised_input(*path, compile);
    struct loadable *loadable = network_open(*path, &compile->config, err);
    autoprogram struct program *prog = loadable ? compile_loadable(loadable, compile, err) : NULL;
    print_warnings(prog);
    const bool fine = prog && directory_make(folder, err) && trace_write(prog, trace, err);
    loadable_free(loadable);
    if (fine) {
        free(*path);
        *path = trace;
    } else {
        free(trace);
    }
    return fine;
}

bool networks_compile(struct run_options *run, struct compile_options *compile, char **outputs, struct error *err) {
    const char *folder = run->out ? run->out : REPORT_FOLDER;
    for (size_t i = 0; i < run->traces.count; i++) {
        char name[256];
        if (!is_network(run->traces.items[i]))
            continue;
        if (!run->outputs)
            run->outputs = *outputs =
                run->traces.count > 1
                    ? xprintf("%s/outputs", folder)
                    : xprintf("%s/%s.outputs", folder, trace_name(run->traces.items[i], name, sizeof name));
        if (!compile_network(run, compile, i, err))
            return false;
    }
    return true;
}
