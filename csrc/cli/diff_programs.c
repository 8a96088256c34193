/* Two programs, read as traces or as captures, then compared. See diff_programs.h. */
#include "cli/diff_programs.h"

#include <stdio.h>
#include <string.h>

#include "compare/programming.h"
#include "run/options/options.h"
#include "trace/formats.h"

static bool has_suffix(const char *path, const char *const *suffixes) {
    for (; *suffixes; suffixes++) {
        char packed[16];
        snprintf(packed, sizeof packed, "%s.gz", *suffixes);
        if (text_ends_with(path, *suffixes) || text_ends_with(path, packed))
            return true;
    }
    return false;
}

static bool is_trace(const char *path) {
    return has_suffix(path, (const char *const[]){".cfg", ".txn", ".txn.raw", ".nvt", NULL});
}

bool diff_is_program(const struct diff_programs *options, const char *path) {
    return options->from || is_trace(path) ||
           has_suffix(path, (const char *const[]){".log", ".txt", ".csv", ".vcd", ".fst", NULL});
}

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

/* Reads a capture. NULL with a message. */
static struct program *read_capture(const struct diff_programs *options, const char *path, struct error *err) {
    struct source_options source_options = options->source;
    source_options.config = options->config ? options->config : nvdla_config_find("small");
    struct source *source = source_open((const char *const[]){path}, 1, options->from, &source_options, err);
    struct program *prog = source ? program_new(source_options.config, path) : NULL;
    struct memory *written[SPACE_COUNT];
    struct access access;
    int got = 0;
    for (int space = 0; space < SPACE_COUNT; space++)
        written[space] = memory_new();
    const bool in_lines = source && strcmp(source_place(source), "line") == 0;
    while (source && (got = source_next(source, &access, err)) > 0)
        take_access(prog, &access, written, in_lines);
    if (source && got == 0 && source_notes(source)->dropped_count)
        text_print_line(stderr, "nvcosim diff: warning: %s: parts of it were dropped; nvcosim import says which", path);
    for (int space = 0; space < SPACE_COUNT; space++)
        memory_free(written[space]);
    source_close(source);
    if (got == 0)
        return prog;
    program_free(prog);
    return NULL;
}

static struct program *read_program(const struct diff_programs *options, const char *path, struct error *err) {
    return !options->from && is_trace(path) ? trace_read(path, &(struct trace_options){.config = options->config}, err)
                                            : read_capture(options, path, err);
}

int diff_programs(const struct diff_programs *options, const char *a, const char *b) {
    const char *const paths[2] = {a, b};
    struct program *programs[2] = {NULL, NULL};
    struct programming_difference difference;
    struct error err;
    bool fine = true;
    for (int i = 0; i < 2 && fine; i++) {
        programs[i] = read_program(options, paths[i], &err);
        fine = programs[i] != NULL;
    }
    fine = fine && programming_compare(stdout, (const struct program *const *)programs, &difference, &err);
    if (!fine)
        fprintf(stderr, "nvcosim diff: %s\n", err.text);
    program_free(programs[0]);
    program_free(programs[1]);
    return !fine ? EXIT_BAD_INPUT : programming_differs(&difference) ? EXIT_DIFFERENT : EXIT_OK;
}
