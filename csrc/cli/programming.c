/* nvcosim programming: for nvcosim diff, which is written in Python. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "compare/programming.h"
#include "import/source.h"
#include "nvdla/text.h"
#include "run/options/arguments.h"
#include "run/options/options.h"
#include "run/simulators/python_output.h"
#include "trace/formats.h"

struct programming_options {
    const char *path;
    const struct nvdla_config *config; /* NULL: as the trace says; of a capture small */
    bool capture;
    const char *from; /* format of a capture, NULL: by its content */
    struct source_options source;
};

#define OF(member) offsetof(struct programming_options, member)

static void base_option(void *member, const char *arg, struct argp_state *state) {
    struct source_options *source = member;
    if (!text_number(arg, UINT64_MAX, &source->base))
        argp_error(state, "--base: found '%s', expected an address", arg);
    source->has_base = true;
}

static const char doc[] = "Prints the programming of a trace or a capture as JSON.";

static const struct argument option_table[] = {
    CONFIG_OF_TRACE(OF(config)),
    OPTION("capture", NULL, "FILE is a capture of a driver", FLAG_AT(OF(capture))),
    OPTION("base", "ADDR", "Address of the registers in a capture", TAKEN_AT(OF(source), base_option)),
    OPTION("from", "FORMAT", "Format of a capture", TEXT_AT(OF(from), "the name of a format")),
    OPTION("columns", "LIST", "Columns of a CSV capture", TEXT_AT(OF(source.columns), NULL)),
    OPTION("separator", "CHAR", "Separator of a CSV capture", TEXT_AT(OF(source.separator), NULL)),
    OPTION("scope", "NAME", "Module with NVDLA's ports in a wave dump", TEXT_AT(OF(source.scope), NULL)),
    OPTION("clock", "NAME", "Its clock", TEXT_AT(OF(source.clock), NULL)),
    OPTION("dialect", "NAME", "Dialect of a .txn capture", TEXT_AT(OF(source.dialect), NULL)),
    {0},
};

/* Appends what a capture says about the programming: writes of registers, and content of memory that the design did not
 * write itself. */
static void take_access(struct program *prog, const struct access *access, struct memory *const written[SPACE_COUNT],
                        bool in_lines) {
    const int line = in_lines && access->line <= INT32_MAX ? (int)access->line : 0;
    struct op op = op_make(access->kind == ACCESS_WRITE ? OP_WRITE : OP_MEM_LOAD, line);
    switch (access->kind) {
    case ACCESS_WRITE:
        op.address = (uint32_t)access->address;
        op.value = access->value;
        break;
    case ACCESS_MEMORY_WRITE:
        memory_declare(written[access->space], access->address, access->size);
        return;
    case ACCESS_MEMORY_READ:
    case ACCESS_MEMORY_LOAD:
        if (memory_any_declared(written[access->space], access->address, access->size))
            return;
        op.space = access->space;
        op.base = access->address;
        struct blob *blob = program_blob(prog, blob_new(NULL));
        blob_append(blob, 0, access->bytes, access->size);
        op.blob = blob;
        break;
    default:
        return;
    }
    program_append(prog, &op);
}

/* NULL with a message. */
static struct program *read_capture(const struct programming_options *options, struct error *err) {
    struct source_options source_options = options->source;
    source_options.config = options->config ? options->config : nvdla_config_find("small");
    source_options.start = python_start;
    struct source *source = source_open((const char *const[]){options->path}, 1, options->from, &source_options, err);
    struct program *prog = source ? program_new(source_options.config, options->path) : NULL;
    struct memory *written[SPACE_COUNT];
    struct access access;
    int got = 0;
    for (int space = 0; space < SPACE_COUNT; space++)
        written[space] = memory_new();
    const bool in_lines = source && strcmp(source_place(source), "line") == 0;
    while (source && (got = source_next(source, &access, err)) > 0)
        take_access(prog, &access, written, in_lines);
    if (source && got == 0 && source_notes(source)->dropped_count)
        text_print_line(stderr, "nvcosim diff: warning: %s: parts of it were dropped; nvcosim import says which",
                        options->path);
    for (int space = 0; space < SPACE_COUNT; space++)
        memory_free(written[space]);
    source_close(source);
    if (got == 0)
        return prog;
    program_free(prog);
    return NULL;
}

int programming_main(int argc, char **argv) {
    static const struct command command = {
        .options = option_table, .usage = "FILE", .doc = doc, .operands = OPERAND_AT(OF(path), "one file")};
    struct programming_options options = {0};
    struct error err;
    if (!command_read(&command, argc, argv, &options))
        return EXIT_BAD_INPUT;
    struct program *prog = options.capture
                               ? read_capture(&options, &err)
                               : trace_read(options.path, &(struct trace_options){.config = options.config}, &err);
    if (prog)
        programming_print(stdout, prog);
    else
        fprintf(stderr, "nvcosim diff: %s\n", err.text);
    program_free(prog);
    return prog ? EXIT_OK : EXIT_BAD_INPUT;
}
