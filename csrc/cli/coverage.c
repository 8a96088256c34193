/* nvcosim coverage-bins: counts the kinds of layers in traces for nvcosim coverage, which is written in Python. */
#include <stdlib.h>

#include "cli/commands.h"
#include "coverage/coverage.h"
#include "run/list/facts.h"
#include "run/options/arguments.h"
#include "run/process/progress.h"
#include "run/session/model_plays.h"
#include "run/session/session.h"
#include "trace/launches.h"

struct coverage_options {
    const struct nvdla_config *config;
    bool play;
    struct words traces;
};

#define OF(member) offsetof(struct coverage_options, member)

static const struct argument option_table[] = {
    CONFIG_OF_TRACE(OF(config)),
    OPTION("play", NULL, "Play each trace on the model, and count which corners its values reach", FLAG_AT(OF(play))),
    {0},
};

static void add_trace(const struct coverage_options *options, struct coverage *coverage, const struct program *prog) {
    struct layer_tracker *launches = program_launches(prog);
    struct corners *corners = options->play ? model_corners(prog, launches) : NULL;
    coverage_add(coverage, prog, launches, corners);
    corners_free(corners);
    layer_tracker_free(launches);
}

/* Counts every trace. Prints all errors; false if there was one. */
static bool add_traces(const struct coverage_options *options, struct coverage *coverage) {
    const struct run_options run = {.config = options->config, .no_golden = true};
    bool ok = true;
    struct progress progress = progress_start();
    for (size_t i = 0; i < options->traces.count; i++) {
        struct error err;
        progress_count(&progress, "reading", i, options->traces.count, "traces");
        autoprogram struct program *prog = read_trace(&run, options->traces.items[i], &err);
        if (prog) {
            add_trace(options, coverage, prog);
        } else {
            progress_clear(&progress);
            fprintf(stderr, "%s\n", err.text);
        }
        ok = ok && prog;
    }
    progress_clear(&progress);
    return ok;
}

int coverage_bins_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "[TRACE...]",
                                           .doc = "Prints the bins of functional coverage and their counts as JSON.",
                                           .operands = OPERANDS_AT(OF(traces))};
    struct coverage_options options = {0};
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    struct coverage *coverage = coverage_new();
    const bool ok = add_traces(&options, coverage);
    if (ok)
        facts_of_coverage(stdout, coverage);
    coverage_free(coverage);
    words_free(&options.traces);
    return ok ? EXIT_OK : EXIT_BAD_INPUT;
}
