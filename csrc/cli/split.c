/* nvcosim split: cuts a trace into pieces that can run in parallel. */
#include <inttypes.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "cli/with_trace.h"
#include "export/folder.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/network/open.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/process/progress.h"
#include "run/session/session.h"
#include "split/split.h"
#include "trace/formats.h"
#include "trace/network.h"

enum { THREADS_MAX = 64 };

struct split_command {
    struct compile_options compile;
    struct trace_options trace;
    struct split_options split;
    const char *in, *out;
};

#define OF(member) offsetof(struct split_command, member)

static const struct argument option_table[] = {
    TRACE_OPTIONS(OF(trace)),
    OPTION("out", "DIR", "The folder for the pieces, which must be new or empty", TEXT_AT(OF(out), NULL),
           .letter = 'o'),
    OPTION("pieces", "N", "N pieces of about the same expected length; all (the default): as many as possible",
           TAKEN_AT(OF(split.pieces), argument_pieces)),
    OPTION("idle-only", NULL,
           "Cut only where the trace itself leaves every unit idle; by default, layers armed ahead of a cut are armed "
           "after it",
           FLAG_AT(OF(split.idle_only))),
    OPTION("whole-memory", NULL,
           "Put all declared memory into every piece, not only the pages that it touches and their neighbours",
           FLAG_AT(OF(split.whole_memory))),
    OPTION("allow-undefined", NULL, "Play settings whose result the spec leaves undefined on the model",
           FLAG_AT(OF(split.allow_undefined))),
    OPTION("seed", "N", "Seed of the trace's random fills (default 1)", NUMBER_AT(OF(split.seed), 0, UINT64_MAX)),
    OPTION("threads", "N", "Threads of the model (default 1)", NUMBER_AT(OF(split.threads), 1, THREADS_MAX)),
    {0},
};

static const char doc[] =
    "Cuts a trace, or a compiled network (NET.nvdla), into pieces: separate traces that begin with the memory and "
    "registers of the model at the cut, and end with a check of everything they wrote. They run anywhere, in any "
    "order, in parallel. If every piece equals the model, so does the whole, with the exceptions in docs/split.md: "
    "overlap across a cut, and timing.\v"
    "A cut is at a place where no unit is armed and the convolution buffer holds nothing that the next layer reuses. "
    "Layers that the trace arms ahead of a cut are armed after it.\n"
    "`nvcosim run --pieces N` does it all in one step.\n"
    "\n"
    "Examples:\n"
    "  nvcosim split net.nvt.gz -o pieces && nvcosim run -j 8 pieces/*.nvt.gz\n"
    "  nvcosim split net.nvdla --input cat.png --pieces 16 -o pieces\n"
    "\n"
    "Exit status: 0 written; 2 bad input or usage, or a trace that cannot be cut: nothing is written.";

static void check(void *input, struct argp_state *state) {
    const struct split_command *arguments = input;
    if (!arguments->in)
        argp_error(state, "expected the name of a trace or of a loadable (.nvdla)");
    else if (!arguments->out)
        argp_error(state, "-o is missing; expected the folder for the pieces");
}

static struct program *read_program(struct split_command *arguments, struct error *err) {
    if (!is_network(arguments->in))
        return trace_read(arguments->in, &arguments->trace, err);
    arguments->compile.config = arguments->trace.config;
    quantised_input(arguments->in, &arguments->compile);
    struct loadable *loadable = network_open(arguments->in, &arguments->compile.config, err);
    struct program *prog = loadable ? compile_loadable(loadable, &arguments->compile, err) : NULL;
    loadable_free(loadable);
    return prog;
}

struct split_writing {
    const struct split *split;
    struct folder *folder;
};

static bool write_piece(void *context, size_t index, struct program *piece, struct memory *const memory[SPACE_COUNT],
                        struct error *err) {
    (void)memory;
    struct split_writing *writing = context;
    autofree char *file = split_file_name(writing->split, index, ".nvt.gz");
    autofree char *path = xprintf("%s/%s", writing->folder->beside, file);
    words_add(&writing->folder->files, "%s", file);
    const bool fine = trace_write(piece, path, err);
    program_free(piece);
    return fine;
}

static void show_progress(void *context, const struct device *model, size_t done, size_t total) {
    (void)model;
    progress_count(context, "cutting", done, total, "operations");
}

static void print_pieces(const struct split *split) {
    uint64_t all = 0;
    for (size_t i = 0; i < split->piece_count; i++)
        all += split->pieces[i].clocks;
    for (size_t i = 0; i < split->piece_count; i++) {
        const struct split_piece *piece = &split->pieces[i];
        autofree char *file = split_file_name(split, i, ".nvt.gz"), *name = split_piece_name(split, i);
        text_print_line(stdout, "%s  %3zu layer%s  %5.1f %% of the expected clocks  %s", file, piece->count,
                        piece->count == 1 ? " " : "s", all ? 100.0 * (double)piece->clocks / (double)all : 0.0, name);
    }
    split_print_counts(stdout, split);
}

static bool split_file(struct split_command *arguments, struct error *err) {
    char name[256];
    struct folder folder;
    struct progress progress = progress_start();
    struct program *prog = read_program(arguments, err);
    arguments->split.progress = show_progress;
    arguments->split.progress_context = &progress;
    print_warnings(prog);
    struct split *split =
        prog ? split_new(prog, trace_name(arguments->in, name, sizeof name), &arguments->split, err) : NULL;
    progress_clear(&progress);
    if (!split || !folder_open(&folder, arguments->out, err)) {
        split_free(split);
        return false;
    }
    struct split_writing writing = {.split = split, .folder = &folder};
    bool good = split_make(split, &arguments->split, write_piece, &writing, err);
    progress_clear(&progress);
    good = folder_close(&folder, good, err);
    if (good)
        print_pieces(split);
    if (good && split->failed > 0)
        fprintf(stderr, "nvcosim: warning: %zu check%s of the trace fail%s on the model; pieces with them fail, too\n",
                split->failed, split->failed == 1 ? "" : "s", split->failed == 1 ? "s" : "");
    split_free(split);
    return good;
}

int split_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "TRACE",
                                           .doc = doc,
                                           .operands = OPERAND_AT(OF(in), "one trace"),
                                           .more = {{.options = compile_arguments, .member = OF(compile), .group = 7}},
                                           .check = check};
    struct split_command arguments = {.split = {.seed = 1}};
    struct error err;
    int status = EXIT_BAD_INPUT;
    compile_options_init(&arguments.compile);
    if (command_read(&command, argc, argv, &arguments)) {
        if (split_file(&arguments, &err))
            status = EXIT_OK;
        else
            fprintf(stderr, "%s\n", err.text);
    }
    compile_options_free(&arguments.compile);
    return status;
}
