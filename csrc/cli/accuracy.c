/* nvcosim accuracy: top-1 and top-5 of a network over labelled pictures, on the model and, for a sample, on the RTL. */
#include "run/accuracy/accuracy.h"
#include "cli/commands.h"
#include "run/options/arguments.h"
#include "run/process/process.h"

enum { KEY_INPUTS = 0x3000, KEY_LABELS, KEY_CLASSES, KEY_RTL, KEY_LIST, KEY_JSON };

enum { LIST = 20, PICTURES_MOST = 100000000 };

static const char doc[] =
    "Computes a network (.nvdla, .tflite, .onnx) for all labelled pictures on the model, and plays a random sample of "
    "them on the RTL too. Prints top-1, top-5, the confusion matrix, and the pictures that are not recognised.\v"
    "The file of --labels has a line \"FILE LABEL\" or \"FILE,LABEL\" for each picture: FILE in the folder of "
    "--inputs, "
    "LABEL the number of a class from 0, or its name in the file of --classes. Both may be in double quotes. A first "
    "line \"file,label\" is skipped.\n"
    "\n"
    "The network has one input, one picture, and one output, whose elements are the classes. Of equal elements the "
    "first counts as the greatest. Percentages are of the pictures that were computed.\n"
    "\n"
    "Traces and reports of the sample go to DIR/picture-LINE, by the line of the label. RTL and model are compared in "
    "all of memory and after each layer.\n"
    "\n"
    "Examples:\n"
    "  nvcosim accuracy net.nvdla --inputs pictures --labels labels.txt\n"
    "  nvcosim accuracy net.tflite --inputs pictures --labels labels.csv --classes names.txt -j 8\n"
    "  nvcosim accuracy net.nvdla --inputs pictures --labels labels.txt --rtl 5 --seed 7 --json\n"
    "\n"
    "Exit status: 0; 1 if RTL and model differ for a picture; 2 if labels have no picture, pictures cannot be "
    "computed, bad input or usage; 3 and 4 as of nvcosim run. Pictures that are not recognised do not change it.";

static const struct argp_option own[] = {
    OPTION("inputs", KEY_INPUTS, "FOLDER", "The pictures (PGM, PPM, PNG, JPEG), of the size of the network's input"),
    OPTION("labels", KEY_LABELS, "FILE", "The label of each picture: lines FILE LABEL, or CSV"),
    OPTION("classes", KEY_CLASSES, "FILE", "Names of the classes, one a line"),
    OPTION("rtl", KEY_RTL, "N", "Play N of the pictures, chosen by --seed, on the RTL too (default 0)"),
    OPTION("list", KEY_LIST, "N", "List at most N pictures of each kind of failure (default 20); --json lists all"),
    OPTION("jobs", 'j', "N",
           "Compute on N processes, and play N traces of the sample at a time (default: one for each core)"),
    OPTION("json", KEY_JSON, NULL, "Print an object of JSON"),
    {0},
};

/* Options of `run` that `accuracy` does not take: those of one trace, and those for what it prints itself. */
static const char *const left_out[] = {
    "jobs",          "wave",    "wave-from", "wave-to",   "wave-layer",    "wave-scope",  "wave-plain", "saif",
    "timeline",      "results", "coverage",  "histogram", "coverage-kind", "checks",      "tap",        "taps",
    "stop-at-first", "outputs", "labels",    "top",       "npy",           "dimg",        "stats",      "verbose",
    "name",          "quiet",   "no-golden", "html",      "strict",        "only-failed", "debug",      NULL};

struct arguments {
    struct accuracy_options accuracy;
    struct run_options run;
    struct compile_options compile;
};

static void check(struct arguments *args, struct argp_state *state) {
    if (args->run.traces.count != 1)
        argp_error(state, "found %zu networks, expected one: NET.nvdla, NET.tflite or NET.onnx",
                   args->run.traces.count);
    else if (!args->accuracy.inputs || !args->accuracy.labels)
        argp_error(state, "%s is not given; expected --inputs FOLDER and --labels FILE",
                   args->accuracy.inputs ? "--labels" : "--inputs");
    else if (args->compile.input.sources.count > 0)
        argp_error(state, "--input: found a picture; expected --inputs with a folder, and --labels");
    else if (args->accuracy.rtl > 0 && args->run.dut != DUT_BOTH)
        argp_error(state, "--dut: RTL and model are compared; use --dut both or --dut rtl:NAME");
}

static error_t parse(int key, char *arg, struct argp_state *state) {
    struct arguments *args = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &args->compile;
        return run_option_parse_into(&args->run, key, arg, state);
    case KEY_INPUTS:
        args->accuracy.inputs = argument_text(state, "inputs", arg, "the name of a folder");
        return 0;
    case KEY_LABELS:
        args->accuracy.labels = argument_text(state, "labels", arg, "the name of a file");
        return 0;
    case KEY_CLASSES:
        args->accuracy.classes = argument_text(state, "classes", arg, "the name of a file");
        return 0;
    case KEY_RTL:
        args->accuracy.rtl = (size_t)argument_number(state, "rtl", arg, 0, PICTURES_MOST);
        return 0;
    case KEY_LIST:
        args->accuracy.list = (size_t)argument_number(state, "list", arg, 0, PICTURES_MOST);
        return 0;
    case KEY_JSON:
        args->accuracy.json = true;
        return 0;
    case ARGP_KEY_END:
        check(args, state);
        __attribute__((fallthrough));
    default:
        return run_option_parse_into(&args->run, key, arg, state);
    }
}

int accuracy_main(int argc, char **argv) {
    static const struct argp_child children[] = {{.argp = &compile_argp, .group = 7}, {0}};
    struct argp_option table[RUN_OPTIONS_MOST];
    run_option_table_with(table, own, left_out);
    const struct argp argp = {.children = children, .options = table, .parser = parse, .args_doc = "NET", .doc = doc};
    struct arguments args = {.accuracy = {.list = LIST}};
    int status = EXIT_BAD_INPUT;
    run_options_init(&args.run);
    compile_options_init(&args.compile);
    args.run.jobs = process_cores();
    args.accuracy.run = &args.run;
    args.accuracy.compile = &args.compile;
    if (argp_parse(&argp, argc, argv, 0, NULL, &args) == 0) {
        struct words network = args.run.traces; /* the run plays the traces of the sample */
        args.run.traces = (struct words){0};
        args.run.out = args.run.out ? args.run.out : REPORT_FOLDER;
        args.accuracy.network = network.items[0];
        status = accuracy_run(&args.accuracy);
        words_free(&network);
    }
    run_options_free(&args.run);
    compile_options_free(&args.compile);
    return status;
}
