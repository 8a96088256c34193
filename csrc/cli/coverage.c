/* nvcosim coverage: counts the kinds of layers in traces and lists those that never occur. */
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
    const char *out;
    bool bits, play;
    struct words merge, traces;
};

#define OF(member) offsetof(struct coverage_options, member)

static const struct argument option_table[] = {
    CONFIG_OF_TRACE(OF(config)),
    OPTION("merge", "FILE", "Add the counts of an earlier run; may be repeated", WORDS_AT(OF(merge))),
    OPTION("out", "FILE", "Write the counts, one line `BIN COUNT` each", TEXT_AT(OF(out), NULL), .letter = 'o'),
    OPTION("play", NULL,
           "Play each trace on the model, and count which corners its values reach, too: ends of ranges, ties and "
           "clipping "
           "of convertors, ends of tables, special numbers of FP16",
           FLAG_AT(OF(play))),
    OPTION("bits", NULL,
           "Instead of traces: read the bins of tests from stdin, a line of hex digits each (docs/results.md: "
           "coverage), and print JSON",
           FLAG_AT(OF(bits))),
    {0},
};

static const char doc[] =
    "Counts which kinds of layers the traces hold (engine, mode, size classes, padding, stride, operands, formats, "
    "reuse, fused chains and combinations of them) and prints a table that names what was never exercised. Kinds that "
    "the traces' configurations cannot have are left out.\v"
    "Examples:\n"
    "  nvcosim coverage traces/conformance/small/*.nvt.gz\n"
    "  nvcosim coverage --play -o monday.txt random/*.nvt.gz\n"
    "  nvcosim coverage --merge monday.txt --merge tuesday.txt -o week.txt";

static void check(void *input, struct argp_state *state) {
    const struct coverage_options *options = input;
    const bool any = options->traces.count > 0 || options->merge.count > 0;
    if (options->bits && (any || options->out || options->play))
        argp_error(state, "--bits: found traces or other options as well; expected --bits alone");
    if (!options->bits && !any)
        argp_error(state, "no trace is given; expected at least one .cfg, .txn, .nvt or .nvt.gz file, or a "
                          "directory that holds one, or --merge FILE");
}

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

static bool merge_files(const struct coverage_options *options, struct coverage *coverage) {
    bool ok = true;
    for (size_t i = 0; i < options->merge.count; i++) {
        struct error err;
        if (!coverage_merge(coverage, options->merge.items[i], &err)) {
            fprintf(stderr, "nvcosim: --merge: %s\n", err.text);
            ok = false;
        }
    }
    return ok;
}

static int print(const struct coverage_options *options, const struct coverage *coverage) {
    struct error err;
    char *text = coverage_text(coverage);
    fputs(text, stdout);
    free(text);
    if (!options->out || coverage_write(coverage, options->out, &err))
        return EXIT_OK;
    fprintf(stderr, "nvcosim: %s\n", err.text);
    return EXIT_BAD_INPUT;
}

int coverage_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "TRACE...\n--merge FILE...\n--bits",
                                           .doc = doc,
                                           .operands = OPERANDS_AT(OF(traces)),
                                           .check = check};
    struct coverage_options options = {0};
    struct coverage *coverage = NULL;
    int status = EXIT_BAD_INPUT;
    if (!command_read(&command, argc, argv, &options))
        return status;
    if (options.bits) {
        facts_of_coverage(stdin, stdout);
        status = EXIT_OK;
    } else {
        coverage = coverage_new();
        if (merge_files(&options, coverage) && add_traces(&options, coverage))
            status = print(&options, coverage);
    }
    coverage_free(coverage);
    words_free(&options.merge);
    words_free(&options.traces);
    return status;
}
