/* nvcosim import: turns a recording of driver accesses into a trace. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "import/lift.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/process/progress.h"
#include "run/session/lint.h"
#include "run/simulators/python_output.h"
#include "trace/formats.h"

/* Exit statuses of this command: how much of the capture could be imported. */
enum { IMPORT_OK = EXIT_OK, IMPORT_PARTIAL = EXIT_DIFFERENT, IMPORT_REFUSED = EXIT_BAD_INPUT };

struct import_options {
    struct source_options source;
    struct lift_options lift;
    struct lift_map *maps;
    struct lift_image *images;
    struct words paths; /* of images */
    struct words captures;
    const char *format;
    bool quiet, no_lint;
};

static const char doc[] =
    "Turns a recording of driver accesses into a trace: register traffic from Linux, the virtual platform, waves of "
    "another simulation or a bus analyser, with memory if the capture has it. Several files form one capture, in "
    "order.\v"
    "Reads that repeat until a status changes become polls, interrupt services become waits, other reads become checks "
    "unless they depend on time. Unknown memory is filled at random, so that RTL and model can be compared. The "
    "summary and the comments of the trace list every guess.\n"
    "\n"
    "Examples:\n"
    "  nvcosim import --config small dmesg.log -o t.nvt.gz\n"
    "  nvcosim import --config small --base 0x43c80000 analyser.csv\n"
    "  nvcosim import --config full --scope tb.dut --clock clk waves.fst\n"
    "  nvcosim import --config small --mem 0x90000000=in.bin mmiotrace.txt\n"
    "\n"
    "Exit status: 0 everything was imported; 1 a trace is written, but something was dropped or is missing, or lint "
    "finds "
    "errors, which is printed; 2 nothing is written.";

/* "FROM:TO:SIZE" */
static void map_option(void *member, const char *arg, struct argp_state *state) {
    struct import_options *options = member;
    char *copy = xstrdup(arg), *to = strchr(copy, ':'), *size = to ? strchr(to + 1, ':') : NULL;
    struct lift_map map = {0};
    if (size)
        *to++ = *size++ = '\0';
    const bool good = size && text_number(copy, UINT64_MAX, &map.from) && text_number(to, UINT64_MAX, &map.to) &&
                      text_number(size, UINT64_MAX, &map.size);
    free(copy);
    if (!good)
        argp_error(state, "--map: found '%s', expected FROM:TO:SIZE", arg);
    *xadd(options->maps, options->lift.map_count) = map;
    options->lift.maps = options->maps;
}

/* "[SPACE:]ADDRESS=FILE" */
static void image_option(struct import_options *options, const char *arg, bool golden, struct argp_state *state) {
    struct lift_image image = {.golden = golden, .space = SPACE_PRIMARY};
    char *copy = xstrdup(arg), *at = copy, *equals = strchr(copy, '='), *colon = strchr(copy, ':');
    bool good = equals != NULL && equals[1] != '\0';
    if (good && colon && colon < equals) {
        *colon = '\0';
        good = memory_space_find(copy, &image.space);
        at = colon + 1;
    }
    if (good) {
        *equals = '\0';
        good = text_number(at, UINT64_MAX, &image.address);
    }
    if (good) {
        words_add(&options->paths, "%s", equals + 1);
        *xadd(options->images, options->lift.image_count) = image;
    }
    free(copy);
    if (!good)
        argp_error(state, "--%s: found '%s', expected ADDRESS=FILE", golden ? "golden" : "mem", arg);
}

static void memory_option(void *member, const char *arg, struct argp_state *state) {
    image_option(member, arg, false, state);
}

static void golden_option(void *member, const char *arg, struct argp_state *state) {
    image_option(member, arg, true, state);
}

static void signal_option(void *signals, const char *arg, struct argp_state *state) {
    if (!strchr(arg, '='))
        argp_error(state, "--signal: found '%s', expected PORT=NAME", arg);
    words_put(signals, arg);
}

#define OF(member) offsetof(struct import_options, member)

static const struct argument option_table[] = {
    CONFIG_SMALL(OF(lift.config)),
    {.doc = "Input", .group = 1},
    OPTION("from", "FORMAT",
           "mmiotrace, rwmmio, kmd (register prints of the kernel driver), vp (log of the virtual platform), txn, csv, "
           "samples (a row of signals for each sample of a logic analyser), vcd, fst, pattern, cfg, nvt (default: by "
           "its content)",
           TEXT_AT(OF(format), NULL)),
    OPTION("base", "ADDRESS", "Address of the registers in the capture", NUMBER_AT(OF(source.base), 0, UINT64_MAX),
           .also = OF(source.has_base)),
    OPTION("size", "BYTES", "Size of the register window (default 0x40000)", NUMBER_AT(OF(source.size), 0, UINT64_MAX)),
    OPTION("scope", "NAME", "Wave dumps: scope with the ports of NVDLA (tb.u_nvdla)", TEXT_AT(OF(source.scope), NULL)),
    OPTION("clock", "NAME",
           "Wave dumps: name of the clock (default dla_csb_clk and dla_core_clk, pclk, aclk or clk); none: each time "
           "stamp is a sample",
           TEXT_AT(OF(source.clock), NULL)),
    OPTION("signal", "PORT=NAME",
           "Wave dumps, samples: name of the signal, or column, for a port of NVDLA, APB or AXI4-Lite; may be repeated",
           TAKEN_AT(OF(source.signals), signal_option)),
    OPTION(
        "columns", "LIST",
        "CSV: numbers of the columns, from 1 (time:1,type:2,address:3,data:4; default: by the names in the first row)",
        TEXT_AT(OF(source.columns), NULL)),
    OPTION("separator", "CHARACTER", "CSV: character between cells, or tab", TEXT_AT(OF(source.separator), NULL)),
    OPTION("radix", "N", "Samples: radix of the numbers, 2, 10 or 16, where no row names it (default 16)",
           TEXT_AT(OF(source.radix), NULL)),
    OPTION("dialect", "NAME",
           "txn: until (word tokens as captured), byte (byte addresses), player (the trace player's own; default: by "
           "its content)",
           TEXT_AT(OF(source.dialect), NULL)),
    OPTION("pattern", "FILE", "Patterns of the lines of a log (docs/import.md)", TEXT_AT(OF(source.pattern), NULL)),
    OPTION("force", NULL, "Continue where accesses are missing or wrong", FLAG_AT(OF(source.force))),
    {.doc = "Output", .group = 2},
    OPTION("map", "FROM:TO:SIZE", "Move memory, in accesses and in registers that hold addresses; may be repeated",
           TAKEN_AT(0, map_option)),
    OPTION("mem", "[SPACE:]ADDRESS=FILE",
           "Initial content of memory (raw bytes, gzip or not; address as captured; SPACE primary or secondary); may "
           "be repeated",
           TAKEN_AT(0, memory_option)),
    OPTION("golden", "[SPACE:]ADDRESS=FILE",
           "What memory must hold at the end, in the same forms: a result of the board; may be repeated",
           TAKEN_AT(0, golden_option)),
    OPTION("out", "FILE", "The trace, .nvt or .nvt.gz (default: name of the capture, .nvt.gz)",
           TEXT_AT(OF(lift.path), NULL), .letter = 'o'),
    OPTION("accesses", "FILE", "Write the register accesses, one a line", TEXT_AT(OF(lift.accesses), NULL)),
    OPTION("no-lint", NULL, "Do not check the programming", FLAG_AT(OF(no_lint))),
    OPTION("quiet", NULL, "Print only dropped accesses and errors", FLAG_AT(OF(quiet)), .letter = 'q'),
    {0},
};

static void check(void *input, struct argp_state *state) {
    struct import_options *options = input;
    if (options->captures.count == 0)
        argp_error(state, "no capture is given");
    if (options->source.pattern && !options->format)
        options->format = "pattern";
}

/* Progress display. */
struct import_watch {
    struct source *source;
    struct progress progress;
};

static void show_progress(void *context) {
    struct import_watch *watch = context;
    uint64_t done, total;
    if (!progress_due(&watch->progress))
        return;
    source_progress(watch->source, &done, &total);
    if (done <= total) {
        char left[48];
        progress_left(&watch->progress, (double)done, (double)total, left, sizeof left);
        progress_show(&watch->progress, "importing: %" PRIu64 " %% of %" PRIu64 " MB%s", total ? 100 * done / total : 0,
                      total / 1000000, left);
    } else
        progress_show(&watch->progress, "importing: %" PRIu64 " MB read", done / 1000000);
}

static void print_words(const char *head, const struct words *words, uint64_t count, FILE *out) {
    for (size_t i = 0; i < words->count; i++)
        text_print_line(out, "%s%s", head, words->items[i]);
    if (count > words->count)
        fprintf(out, "%sand %" PRIu64 " more\n", head, count - words->count);
}

static void print_summary(const struct import_options *options, const struct source *source,
                          const struct lift_summary *summary) {
    const struct source_notes *notes = source_notes(source);
    autofree char *name = text_shown(options->captures.items[0]);
    printf("%s: %s, %" PRIu64 " writes and %" PRIu64 " reads", name, source_format(source), summary->writes,
           summary->reads);
    if (summary->untils > 0)
        printf(", %" PRIu64 " untils", summary->untils);
    if (notes->outside > 0)
        printf(", %" PRIu64 " accesses of other devices left out", notes->outside);
    printf("\n  %" PRIu64 " launches, %" PRIu64 " interrupt waits, %" PRIu64 " polls (of %" PRIu64 " reads), %" PRIu64
           " checks, %" PRIu64 " reads that are not compared, %" PRIu64 " tables\n",
           summary->launches, summary->waits, summary->polls, summary->poll_reads, summary->checks,
           summary->volatile_reads, summary->tables);
    printf("  memory: %" PRIu64 " reads and %" PRIu64 " writes; %" PRIu64 " bytes known at first, %" PRIu64
           " filled at random, %" PRIu64 " to be checked\n",
           summary->memory_reads, summary->memory_writes, summary->loaded_bytes, summary->seeded_bytes,
           summary->golden_bytes);
    for (size_t i = 0; i < summary->layers.count; i++)
        printf("  %s\n", summary->layers.items[i]);
    if (summary->layers_dropped > 0)
        printf("  and %" PRIu64 " more %s\n", summary->layers_dropped,
               text_plural(summary->layers_dropped, "launch", "launches"));
    print_words("  guessed: ", &notes->guessed, notes->guessed_count, stdout);
    print_words("  guessed: ", &summary->guessed, summary->guessed.count, stdout);
}

/* Lints the trace. Findings are printed; the trace is kept, because the driver did program this. Returns whether there
 * are no errors. */
static bool lint_trace(const struct import_options *options) {
    struct error err;
    struct lint lint;
    const struct trace_options trace = {.config = options->lift.config};
    autoprogram struct program *prog = trace_read(options->lift.path, &trace, &err);
    if (!prog) {
        fprintf(stderr, "nvcosim: the trace that was written cannot be read: %s\n", err.text);
        return false;
    }
    lint_program(prog, 1, &lint);
    for (size_t i = 0; i < lint.count; i++) {
        autofree char *text = lint_text(&lint.findings[i]);
        fprintf(stderr, "%s\n", text);
    }
    if (!options->quiet)
        printf("  lint: %zu %s, %zu %s\n", lint.errors, text_plural(lint.errors, "error", "errors"),
               lint.count - lint.errors, text_plural(lint.count - lint.errors, "warning", "warnings"));
    const bool good = lint.errors == 0;
    lint_free(&lint);
    return good;
}

/* Other commands recognise a trace by its name. */
static bool is_named_as_trace(const char *path) {
    return text_ends_with(path, ".nvt") || text_ends_with(path, ".nvt.gz");
}

/* Warns about captures that seem to stop early. */
static void warn_of_ends(const struct lift_summary *summary) {
    if (summary->launches == 0)
        fprintf(stderr, "nvcosim: warning: the capture enables no unit, so the trace computes nothing; did it stop "
                        "early?\n");
    else if (summary->unawaited > 0)
        fprintf(stderr,
                "nvcosim: warning: after the last %" PRIu64 " launches the capture neither waits nor polls, so the "
                "trace does not check what they write; did it stop early?\n",
                summary->unawaited);
}

static int import_capture(struct import_options *options) {
    struct error err;
    struct lift_summary summary = {0};
    options->source.config = options->lift.config;
    options->source.start = python_start;
    struct import_watch watch = {.progress = progress_start()};
    watch.source = source_open((const char *const *)options->captures.items, options->captures.count, options->format,
                               &options->source, &err);
    if (!watch.source) {
        fprintf(stderr, "nvcosim: %s\n", err.text);
        return IMPORT_REFUSED;
    }
    options->lift.progress = show_progress;
    options->lift.context = &watch;
    const bool good = lift(watch.source, &options->lift, &summary, &err);
    progress_clear(&watch.progress);
    const struct source_notes *notes = source_notes(watch.source);
    int status = IMPORT_REFUSED;
    if (good) {
        status = notes->dropped_count > 0 || summary.incomplete.count > 0 ? IMPORT_PARTIAL : IMPORT_OK;
        if (!options->quiet)
            print_summary(options, watch.source, &summary);
        print_words("nvcosim: dropped: ", &notes->dropped, notes->dropped_count, stderr);
        print_words("nvcosim: incomplete: ", &summary.incomplete, summary.incomplete.count, stderr);
        warn_of_ends(&summary);
        const bool named = is_named_as_trace(options->lift.path);
        if (!named)
            text_print_line(stderr,
                            "nvcosim: warning: %s: rename it to NAME.nvt or NAME.nvt.gz; the other commands take no "
                            "trace of that name",
                            options->lift.path);
        if (named && !options->no_lint && !lint_trace(options))
            status = IMPORT_PARTIAL;
        if (named && !options->quiet) {
            autofree char *word = text_quoted(options->lift.path);
            text_print_line(stdout, "%s: play it with: nvcosim run --config %s %s", options->lift.path,
                            options->lift.config->name, word);
        }
    } else
        fprintf(stderr, "nvcosim: %s\n", err.text);
    lift_summary_free(&summary);
    source_close(watch.source);
    return status;
}

/* Traces need no lifting: they are programs already. */
static int import_program(const struct import_options *options) {
    struct error err;
    const struct trace_options trace = {.config = options->lift.config};
    autoprogram struct program *prog = NULL;
    if (options->captures.count > 1)
        error_set(&err, "found '%s', expected one trace", options->captures.items[1]);
    else if (options->lift.map_count > 0 || options->lift.image_count > 0 || options->lift.accesses)
        error_set(&err, "--map, --mem, --golden and --accesses are for captures; %s is a program",
                  options->captures.items[0]);
    else
        prog = trace_read(options->captures.items[0], &trace, &err);
    const bool good = prog && trace_write(prog, options->lift.path, &err);
    if (!good)
        fprintf(stderr, "nvcosim: %s\n", err.text);
    return good ? IMPORT_OK : IMPORT_REFUSED;
}

/* True for a trace instead of a capture: by --from, else by its name. */
static bool is_program(const struct import_options *options) {
    static const char *const endings[] = {".cfg", ".cfg.gz", ".nvt", ".nvt.gz"};
    bool named = false;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        named = named || text_ends_with(options->captures.items[0], endings[i]);
    return options->format ? strcmp(options->format, "cfg") == 0 || strcmp(options->format, "nvt") == 0 : named;
}

/* Default output: the name of the capture with the ending .nvt.gz. */
static char *default_path(const char *capture) {
    static const char *const endings[] = {".gz", ".txt", ".log", ".csv", ".vcd", ".fst", ".txn", ".cfg", ".nvt"};
    const char *slash = strrchr(capture, '/');
    autofree char *name = xstrdup(slash ? slash + 1 : capture);
    for (int twice = 0; twice < 2; twice++)
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
            if (text_ends_with(name, endings[i]) && strlen(name) > strlen(endings[i]))
                name[strlen(name) - strlen(endings[i])] = '\0';
    return xprintf("%s.nvt.gz", name);
}

int import_main(int argc, char **argv) {
    static const struct command command = {.options = option_table,
                                           .usage = "CAPTURE...",
                                           .doc = doc,
                                           .operands = OPERANDS_AT(OF(captures)),
                                           .check = check};
    struct import_options options = {.lift = {.config = nvdla_config_find("small")}};
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    char *path = options.lift.path ? NULL : default_path(options.captures.items[0]);
    if (path)
        options.lift.path = path;
    for (size_t i = 0; i < options.lift.image_count; i++)
        options.images[i].path = options.paths.items[i];
    options.lift.images = options.images;
    options.lift.title = options.captures.items[0];
    const int status = is_program(&options) ? import_program(&options) : import_capture(&options);
    free(path);
    free(options.maps);
    free(options.images);
    words_free(&options.paths);
    words_free(&options.captures);
    words_free(&options.source.signals);
    return status;
}
