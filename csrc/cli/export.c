/* nvcosim export: writes a trace for another testbench, or for silicon. */
#include <string.h>

#include "cli/commands.h"
#include "cli/with_trace.h"
#include "export/bytes.h"
#include "export/cfg.h"
#include "export/order.h"
#include "export/program_c.h"
#include "export/streams.h"
#include "export/txn.h"
#include "model/model.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "trace/formats.h"

enum target { TARGET_NONE, TARGET_C, TARGET_UIO, TARGET_TXN, TARGET_CFG, TARGET_NVT };

struct export_options {
    struct trace_options trace;
    enum target target;
    uint64_t seed;
    const char *in, *out;
};

#define OF(member) offsetof(struct export_options, member)

static const struct argument option_table[] = {
    TRACE_OPTIONS(OF(trace)),
    OPTION("to", "FORMAT",
           "c: a bare-metal program in one C99 file; uio: the same as a Linux user-space program; txn: a folder with "
           "input.txn for the trace player; cfg: a folder with a trace test, NAME.cfg; nvt: the trace with its streams "
           "merged into one sequence",
           CHOICE_AT(OF(target), "c, uio, txn, cfg or nvt"), .least = TARGET_C),
    OPTION("out", "FILE", "The file or folder to write", TEXT_AT(OF(out), NULL), .letter = 'o'),
    OPTION("seed", "N", "Seed of the trace's random fills (default 1)", NUMBER_AT(OF(seed), 0, UINT64_MAX)),
    {0},
};

static const char doc[] =
    "Writes a trace in another format, to take a failing case to silicon, to an FPGA or to another testbench.\v"
    "The C program holds the trace as a table for a small interpreter, and memory content as arrays. It performs every "
    "check of the trace. Base addresses, cache hooks, delays and messages are macros (docs/export.md).\n"
    "\n"
    "Examples:\n"
    "  nvcosim export t.nvt.gz --to c -o t.c\n"
    "  nvcosim export t.cfg --to uio -o t.c\n"
    "  nvcosim export t.nvt.gz --to txn -o folder\n"
    "  nvcosim export driver.nvt.gz --to cfg -o test\n"
    "\n"
    "Exit status: 0 written; 2 bad input or usage, or the format cannot express the trace: nothing is written.";

static void check(void *input, struct argp_state *state) {
    const struct export_options *options = input;
    if (!options->in)
        argp_error(state, "no trace is given; expected a .cfg, .txn, .nvt or .nvt.gz file, or a directory that holds "
                          "one");
    else if (options->target == TARGET_NONE)
        argp_error(state, "--to is missing; expected c, uio, txn, cfg or nvt");
    else if (!options->out)
        argp_error(state, "-o is missing; expected the file or folder to write");
}

/* Replaces CRCs by the bytes that the model computes. */
static bool bytes_of_model(struct program *ordered, uint64_t seed, struct error *err) {
    const struct model_options model_options = {.allow_outside = true, .allow_undefined = true};
    struct device *model = model_new(ordered->config, &model_options);
    const bool good = crc_to_bytes(ordered, model, seed, err);
    model->ops->destroy(model);
    return good;
}

static bool export_as_txn(const struct export_options *options, struct program *ordered, struct error *err) {
    size_t changed = 0;
    if (!bytes_of_model(ordered, options->seed, err))
        return false;
    autoprogram struct program *form = txn_form(ordered, options->seed, &changed, err);
    const bool good = form && export_txn(form, options->out, err);
    if (good && changed > 0)
        fprintf(stderr,
                "nvcosim: note: in input.txn the register decides whether a read is compared: for %zu read%s this "
                "differs from the trace (docs/export.md)\n",
                changed, changed == 1 ? "" : "s");
    return good;
}

static bool export_as_cfg(const struct export_options *options, struct program *prog, struct error *err) {
    size_t changed = 0, masked = 0;
    autoprogram struct program *streams = program_in_streams(prog, &masked, err);
    autoprogram struct program *form = streams ? cfg_form(streams, &changed, err) : NULL;
    const bool good = form && export_cfg(form, options->out, err);
    if (good && changed > 0)
        fprintf(stderr, "nvcosim: note: a .cfg has no informational reads: %zu of the trace %s not compared there\n",
                changed, changed == 1 ? "is" : "are");
    if (good && masked > 0)
        fprintf(stderr, "nvcosim: note: a .cfg cannot check interrupts masked by S_INTR_MASK: %zu check%s left out\n",
                masked, masked == 1 ? " is" : "s are");
    if (good && strcmp(prog->config->name, "small") != 0)
        fprintf(stderr, "nvcosim: note: a .cfg does not name its configuration; it is read with --config %s\n",
                prog->config->name);
    return good;
}

/* Exports to a format that is one sequence. */
static bool export_ordered(const struct export_options *options, struct program *prog, struct error *err) {
    autoprogram struct program *ordered = program_in_order(prog, err);
    bool good = false;
    if (ordered && options->target == TARGET_TXN)
        good = export_as_txn(options, ordered, err);
    else if (ordered && options->target == TARGET_NVT)
        good = trace_write(ordered, options->out, err);
    else if (ordered)
        good = export_c(ordered, options->target == TARGET_C ? PLATFORM_BARE : PLATFORM_LINUX, options->seed,
                        options->out, err);
    return good;
}

static bool export_trace(struct program *prog, void *context, struct error *err) {
    const struct export_options *options = context;
    return options->target == TARGET_CFG ? export_as_cfg(options, prog, err) : export_ordered(options, prog, err);
}

int export_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "TRACE",
                                           .doc = doc,
                                           .operands = OPERAND_AT(OF(in), "one trace"),
                                           .check = check};
    struct export_options options = {.seed = 1};
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    return with_trace(options.in, &options.trace, export_trace, &options);
}
