/* nvcosim coverage: counts the kinds of layers in traces and lists those that never occur. */
#include <stdlib.h>

#include "cli/commands.h"
#include "coverage/coverage.h"
#include "run/list/facts.h"
#include "run/options/arguments.h"
#include "run/process/progress.h"
#include "run/session/session.h"

enum { KEY_MERGE = 0x100, KEY_BITS };

struct coverage_options {
    const struct nvdla_config *config;
    const char *out;
    bool bits;
    struct words merge, traces;
};

static const struct argp_option option_table[] = {
    OPTION("merge", KEY_MERGE, "FILE", "Add the counts of an earlier run; may be repeated"),
    OPTION("out", 'o', "FILE", "Write the counts, one line `BIN COUNT` each"),
    OPTION("bits", KEY_BITS, NULL,
           "Instead of traces: read the bins of tests from stdin, a line of hex digits each (docs/results.md: "
           "coverage), and print JSON"),
    {0},
};

static const char doc[] =
    "Counts which kinds of layers the traces hold (engine, mode, size classes, padding, stride, operands, formats, "
    "reuse, fused chains and combinations of them) and prints a table that names what was never exercised. Kinds that "
    "the traces' configurations cannot have are left out.\v"
    "Examples:\n"
    "  nvcosim coverage traces/conformance/small/*.nvt.gz\n"
    "  nvcosim coverage -o monday.txt random/*.nvt.gz\n"
    "  nvcosim coverage --merge monday.txt --merge tuesday.txt -o week.txt";

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct coverage_options *options = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = (void *)&options->config;
        return 0;
    case KEY_MERGE:
        words_add(&options->merge, "%s", arg);
        break;
    case KEY_BITS:
        options->bits = true;
        return 0;
    case 'o':
        options->out = arg;
        return 0;
    case ARGP_KEY_ARG:
        words_add(&options->traces, "%s", arg);
        break;
    case ARGP_KEY_END:
        if (options->bits) {
            if (options->traces.count > 0 || options->merge.count > 0 || options->out)
                argp_error(state, "--bits: found traces or other options as well; expected --bits alone");
            return 0;
        }
        if (options->traces.count == 0 && options->merge.count == 0)
            argp_error(state, "no trace is given; expected at least one .cfg, .txn, .nvt or .nvt.gz file, or a "
                              "directory that holds one, or --merge FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* Counts every trace. Prints all errors; false if there was one. */
static bool add_traces(const struct coverage_options *options, struct coverage *coverage) {
    const struct run_options run = {.config = options->config, .no_golden = true};
    bool ok = true;
    struct progress progress = progress_start();
    for (size_t i = 0; i < options->traces.count; i++) {
        struct error err;
        progress_count(&progress, "reading", i, options->traces.count, "traces");
        struct program *prog = read_trace(&run, options->traces.items[i], &err);
        if (prog) {
            coverage_add(coverage, prog);
        } else {
            progress_clear(&progress);
            fprintf(stderr, "%s\n", err.text);
        }
        ok = ok && prog;
        program_free(prog);
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
    static const struct argp_child children[] = {{.argp = &config_of_trace_argp}, {0}};
    static const struct argp argp = {.children = children,
                                     .options = option_table,
                                     .parser = parse,
                                     .args_doc = "TRACE...\n--merge FILE...\n--bits",
                                     .doc = doc};
    struct coverage_options options = {0};
    struct coverage *coverage = NULL;
    int status = EXIT_BAD_INPUT;
    if (argp_parse(&argp, argc, argv, 0, NULL, &options) == 0 && options.bits) {
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
