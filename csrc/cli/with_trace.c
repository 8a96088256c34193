/* Reads the trace of a command. See with_trace.h. */
#include "cli/with_trace.h"

#include <stdio.h>

#include "run/session/session.h"

int with_trace(const char *path, const struct trace_options *options,
               bool (*use)(struct program *prog, void *context, struct error *err), void *context) {
    struct error err;
    autoprogram struct program *prog = trace_read(path, options, &err);
    print_warnings(prog);
    const bool fine = prog && use(prog, context, &err);
    if (!fine)
        fprintf(stderr, "%s\n", err.text);
    return fine ? EXIT_OK : EXIT_BAD_INPUT;
}
