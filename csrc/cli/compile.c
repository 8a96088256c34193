/* nvcosim compile: turns a compiled network into a trace. */
#include <stdlib.h>

#include "cli/commands.h"
#include "loadable/runtime_picture.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "run/network/open.h"
#include "run/network/predict.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/session/session.h"
#include "trace/formats.h"

enum { THREADS_MAX = 64 };

struct compile_command {
    struct compile_options compile;
    const char *in, *out, *writes;
    bool explain, check, values;
};

#define OF(member) offsetof(struct compile_command, member)

static const struct argument option_table[] = {
    CONFIG_OF_LOADABLE(OF(compile.config)),
    OPTION("output", "FILE",
           "The trace: a name that ends in .nvt or .nvt.gz; of a quantised network, the loadable: .nvdla; of --input, "
           "the picture as NVIDIA's runtime reads it: .pgm or, for colours, .jpg",
           TEXT_AT(OF(out), NULL), .letter = 'o'),
    OPTION("writes", "FILE",
           "List the register accesses, one a line: W UNIT.REGISTER VALUE for writes, P UNIT.REGISTER BITS for polls",
           TEXT_AT(OF(writes), NULL)),
    OPTION("threads", "N", "Threads of the model (default: one per processor)",
           NUMBER_AT(OF(compile.threads), 1, THREADS_MAX)),
    OPTION("explain", NULL,
           "Print for each node of a quantised network the layers, shifts and multipliers that it became, and the "
           "error they cost",
           FLAG_AT(OF(explain))),
    OPTION("check", NULL,
           "Play a quantised network on the model and compare each node with a reference interpreter of TFLite's "
           "integers",
           FLAG_AT(OF(check))),
    OPTION("values", NULL,
           "For each picture named by a line of stdin: print the values of the output, which the model computes, "
           "as a line of JSON (docs/networks.md)",
           FLAG_AT(OF(values))),
    {0},
};

static const char doc[] =
    "Turns a compiled network (a loadable, .nvdla) into a trace: memories with weights and input, every register "
    "access of the driver, and checks of each layer's output, which the model computes. Turns a quantised network "
    "(.tflite) into a loadable or a trace.\v"
    "The trace needs no driver and no operating system: `nvcosim run` plays it on RTL and model. If the file does not "
    "show which configuration the network was compiled for, --config names it. Layers that the driver computes on the "
    "CPU (power, softmax) are computed here; the trace holds their results.\n"
    "\n"
    "Examples:\n"
    "  nvcosim compile lenet.nvdla --input digit.png -o lenet.nvt.gz\n"
    "  nvcosim compile net.nvdla --config large --input zero -o net.nvt.gz\n"
    "  nvcosim compile net.nvdla --input random:1 --writes accesses.txt\n"
    "  nvcosim compile net.nvdla --input digit.png -o digit.pgm\n"
    "  nvcosim compile net.tflite -o net.nvdla\n"
    "  nvcosim compile net.tflite --explain --check --input random:1";

/* For a name of --output: a picture for NVIDIA's runtime is wanted, no trace. */
static bool is_picture(const char *path) {
    return path && (text_ends_with(path, ".pgm") || text_ends_with(path, ".jpg"));
}

static void check(void *input, struct argp_state *state) {
    const struct compile_command *arguments = input;
    const bool quantised = arguments->in && is_quantised(arguments->in);
    if (!arguments->in)
        argp_error(state, "expected the name of a loadable (.nvdla) or of a quantised network (.tflite)");
    else if (!quantised && (arguments->explain || arguments->check))
        argp_error(state, "--explain and --check are for quantised networks; expected the name of one, NET.tflite");
    else if (arguments->values && (arguments->out || arguments->writes || arguments->explain || arguments->check ||
                                   arguments->compile.input.sources.count))
        argp_error(state, "--values: found another option for what is made of NET, or --input; expected none");
    else if (arguments->values)
        return;
    else if (!arguments->out && !arguments->writes && !arguments->explain && !arguments->check)
        argp_error(state, "expected -o FILE.nvt.gz or --writes FILE: where the trace goes");
    else if (is_picture(arguments->out) &&
             (quantised || arguments->writes || arguments->compile.input.sources.count != 1))
        argp_error(state, "-o %s: expected a loadable (.nvdla), and --input with one picture", arguments->out);
    else if (is_picture(arguments->out) || (quantised && arguments->out && text_ends_with(arguments->out, ".nvdla")))
        return;
    else if (arguments->out && !text_ends_with(arguments->out, ".nvt") && !text_ends_with(arguments->out, ".nvt.gz"))
        argp_error(state, "found '%s', expected the name of the output to end in .nvt or .nvt.gz%s", arguments->out,
                   quantised ? ", or .nvdla" : "");
}

static bool is_loadable(const char *path) {
    return path && text_ends_with(path, ".nvdla");
}

/* What only quantised networks have. False with a message. */
static bool compile_quantised(struct compile_command *arguments, struct error *err) {
    struct quantised quantised;
    bool good = quantised_compile(arguments->in, &arguments->compile.config, &quantised, err);
    quantised_input(arguments->in, &arguments->compile);
    if (good && arguments->explain)
        quantised_explain(stdout, &quantised);
    good = good && (!arguments->check || quantised_check(stdout, &quantised, &arguments->compile, err));
    if (good && is_loadable(arguments->out))
        good = loadable_has_atoms(arguments->out, arguments->compile.config, err) &&
               file_write(arguments->out, quantised.file.text, quantised.file.n, err);
    quantised_free(&quantised);
    return good;
}

/* Computes pictures. */
static bool predict(struct compile_command *arguments, struct error *err) {
    quantised_input(arguments->in, &arguments->compile);
    struct loadable *loadable = network_open(arguments->in, &arguments->compile.config, err);
    const bool good = loadable && predict_lines(stdin, stdout, loadable, &arguments->compile, err);
    loadable_free(loadable);
    return good;
}

/* The picture of --input for NVIDIA's runtime. */
static bool convert_picture(struct compile_command *arguments, struct error *err) {
    struct loadable *loadable = network_open(arguments->in, &arguments->compile.config, err);
    const bool good =
        loadable && runtime_picture_write(loadable, arguments->compile.input.sources.items[0], arguments->out, err);
    loadable_free(loadable);
    return good;
}

static bool compile_file(struct compile_command *arguments, struct error *err) {
    const char *trace = is_loadable(arguments->out) ? NULL : arguments->out;
    if (is_quantised(arguments->in) && !compile_quantised(arguments, err))
        return false;
    if (!trace && !arguments->writes)
        return true;
    struct loadable *loadable = network_open(arguments->in, &arguments->compile.config, err);
    autoprogram struct program *prog = loadable ? compile_loadable(loadable, &arguments->compile, err) : NULL;
    print_warnings(prog);
    const bool good = prog && (!trace || trace_write(prog, trace, err)) &&
                      (!arguments->writes || compile_list_writes(prog, arguments->writes, err));
    loadable_free(loadable);
    return good;
}

int compile_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "NET",
                                           .doc = doc,
                                           .operands = OPERAND_AT(OF(in), "one loadable"),
                                           .more = {{.options = compile_arguments, .member = OF(compile)}},
                                           .check = check};
    struct compile_command arguments = {0};
    struct error err;
    compile_options_init(&arguments.compile);
    if (!command_read(&command, argc, argv, &arguments))
        return EXIT_BAD_INPUT;
    const bool good = arguments.values            ? predict(&arguments, &err)
                      : is_picture(arguments.out) ? convert_picture(&arguments, &err)
                                                  : compile_file(&arguments, &err);
    compile_options_free(&arguments.compile);
    if (!good)
        fprintf(stderr, "%s\n", err.text);
    return good ? EXIT_OK : EXIT_BAD_INPUT;
}
