/* nvcosim diff: compares two memory images by byte or by cube element, two recorded element streams or folders of them,
 * or the programming of two traces or captures. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/diff_programs.h"
#include "memory/file.h"
#include "nvdla/cube.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "observe/tap_compare.h"
#include "run/options/arguments.h"
#include "run/options/options.h"

struct diff_options {
    const char *a, *b;
    uint64_t base; /* address of the first byte of both images */
    bool base_given;
    struct cube cube;
    bool by_cube, cube_base_given;
    struct diff_programs programs;
};

static const char doc[] = "Compares two memory images (raw or gzip): prints the first difference and the number of "
                          "bytes that differ. Also compares two element streams recorded by run --tap (NAME.tap), or "
                          "two folders of them: prints the first element that differs. Of two traces, or two "
                          "captures of a driver, it compares the programming, launch by launch.\v"
                          "CUBE is a list of KEY=VALUE with commas between:\n"
                          "  base=A          address of the cube (default: that of --base)\n"
                          "  w=W,h=H,c=C     width, height and channels\n"
                          "  line=L,surf=S   strides of lines and surfaces, in bytes\n"
                          "  atom=N          bytes of an atom\n"
                          "  bytes=1|2       bytes of an element (default 1)\n"
                          "  batches=N       number of cubes (default 1)\n"
                          "  batch=B         bytes from one cube to the next\n"
                          "\n"
                          "Traces (.nvt, .cfg, .txn) and captures (.log, .txt, .csv, .vcd, .fst, or any with --from): "
                          "every register of every launch, by name and field, tables, and the memory that launches "
                          "read. Polls, waits, groups and the order of units do not count. Addresses that differ, and "
                          "registers without effect in their launch, are named but are no difference.\n"
                          "\n"
                          "Examples:\n"
                          "  nvcosim diff mine.nvt.gz theirs.nvt.gz\n"
                          "  nvcosim diff --config small boot1.log boot2.log\n"
                          "  nvcosim diff rtl.bin.gz model.bin.gz\n"
                          "  nvcosim diff --base 0x80010000 a.bin b.bin\n"
                          "  nvcosim diff nvcosim-out/TRACE/taps/rtl nvcosim-out/TRACE/taps/model\n"
                          "  nvcosim diff --cube w=8,h=8,c=32,line=64,surf=512,atom=8 a.bin b.bin\n"
                          "\n"
                          "Exit status: 0 equal, 1 different, 2 bad input or usage.";

enum {
    CUBE_BASE,
    CUBE_W,
    CUBE_H,
    CUBE_C,
    CUBE_LINE,
    CUBE_SURF,
    CUBE_ATOM,
    CUBE_BYTES,
    CUBE_BATCHES,
    CUBE_BATCH,
    CUBE_KEYS
};

static void cube_option(void *member, const char *given, struct argp_state *state) {
    struct diff_options *options = member;
    char *copy = xstrdup(given), *arg = copy;
    char base[] = "base", w[] = "w", h[] = "h", c[] = "c", line[] = "line", surf[] = "surf", atom[] = "atom",
         bytes[] = "bytes", batches[] = "batches", batch[] = "batch";
    char *const names[CUBE_KEYS + 1] = {base, w, h, c, line, surf, atom, bytes, batches, batch, NULL};
    static const uint64_t limits[CUBE_KEYS] = {UINT64_MAX, 1 << 16, 1 << 16, 1 << 16, UINT32_MAX,
                                               UINT32_MAX, 1024,    2,       32,      UINT32_MAX};
    uint64_t values[CUBE_KEYS] = {[CUBE_BYTES] = 1, [CUBE_BATCHES] = 1};
    bool has[CUBE_KEYS] = {[CUBE_BASE] = true, [CUBE_BYTES] = true, [CUBE_BATCHES] = true, [CUBE_BATCH] = true};
    while (*arg) {
        char *value;
        int key = getsubopt(&arg, names, &value);
        if (key < 0)
            argp_error(
                state,
                "--cube: found '%s', expected base=, w=, h=, c=, line=, surf=, atom=, bytes=, batches= or batch=",
                value);
        else if (!value || !text_number(value, limits[key], &values[key]))
            argp_error(state, "--cube: %s: found '%s', expected a number up to 0x%" PRIx64, names[key],
                       value ? value : "", limits[key]);
        else {
            has[key] = true;
            options->cube_base_given = options->cube_base_given || key == CUBE_BASE;
        }
    }
    for (int key = 0; key < CUBE_KEYS; key++)
        if (!has[key])
            argp_error(state, "--cube: %s= is missing", names[key]);
    if (!values[CUBE_W] || !values[CUBE_H] || !values[CUBE_C] || !values[CUBE_ATOM] || !values[CUBE_BYTES] ||
        !values[CUBE_BATCHES])
        argp_error(state, "--cube: w, h, c, atom, bytes and batches are at least 1");
    free(copy);
    options->by_cube = true;
    options->cube = (struct cube){
        .base = values[CUBE_BASE],
        .width = (int)values[CUBE_W],
        .height = (int)values[CUBE_H],
        .channels = (int)values[CUBE_C],
        .line_stride = (uint32_t)values[CUBE_LINE],
        .surface_stride = (uint32_t)values[CUBE_SURF],
        .atom = (int)values[CUBE_ATOM],
        .element_bytes = (int)values[CUBE_BYTES],
        .batches = (int)values[CUBE_BATCHES],
        .batch_stride = (uint32_t)values[CUBE_BATCH],
    };
}

static void base_option(void *member, const char *arg, struct argp_state *state) {
    struct diff_options *options = member;
    if (!text_number(arg, UINT64_MAX, &options->base))
        argp_error(state, "--base: found '%s', expected an address", arg);
    options->base_given = options->programs.source.has_base = true;
    options->programs.source.base = options->base;
}

#define OF(member) offsetof(struct diff_options, member)

static const struct argument option_table[] = {
    CONFIG_OF_TRACE(OF(programs.config)),
    OPTION("base", "ADDR",
           "Address of the first byte of both images (default 0, or the cube's base); of the registers in captures",
           TAKEN_AT(0, base_option)),
    OPTION("cube", "CUBE", "Compare only the bytes of a feature cube, and name the elements; see below",
           TAKEN_AT(0, cube_option)),
    OPTION("from", "FORMAT", "Format of two captures, as for nvcosim import (default: by their content)",
           TEXT_AT(OF(programs.from), "the name of a format")),
    OPTION("columns", "LIST", "Columns of CSV captures", TEXT_AT(OF(programs.source.columns), NULL)),
    OPTION("separator", "CHAR", "Separator of CSV captures", TEXT_AT(OF(programs.source.separator), NULL)),
    OPTION("scope", "NAME", "Module with NVDLA's ports in wave dumps", TEXT_AT(OF(programs.source.scope), NULL)),
    OPTION("clock", "NAME", "Its clock", TEXT_AT(OF(programs.source.clock), NULL)),
    OPTION("dialect", "NAME", "Dialect of .txn captures", TEXT_AT(OF(programs.source.dialect), NULL)),
    {0},
};

static void check(void *input, struct argp_state *state) {
    struct diff_options *options = input;
    if (!options->b)
        argp_error(state, "expected two images, streams or folders to compare");
    if (options->by_cube && !options->base_given)
        options->base = options->cube.base;
    if (options->by_cube && !options->cube_base_given)
        options->cube.base = options->base;
}

struct image {
    char *bytes;
    size_t size;
};

/* Compares the images; returns the number of relevant bytes that differ. */
static size_t compare(const struct diff_options *options, const struct image *a, const struct image *b) {
    size_t size = a->size < b->size ? a->size : b->size, count = 0, first = 0;
    struct cube_element element = {0};
    for (size_t i = 0; i < size; i++) {
        if (a->bytes[i] == b->bytes[i])
            continue;
        struct cube_element at;
        if (options->by_cube && !cube_locate(&options->cube, options->base + i, &at))
            continue;
        if (count++ == 0) {
            first = i;
            if (options->by_cube)
                element = at;
        }
    }
    if (count == 0)
        return 0;
    printf("first difference at 0x%08" PRIx64 ": %s has 0x%02x, %s has 0x%02x", options->base + first, options->a,
           (unsigned char)a->bytes[first], options->b, (unsigned char)b->bytes[first]);
    if (options->by_cube) {
        printf("; ");
        if (options->cube.batches > 1)
            printf("batch %d, ", element.batch);
        printf("surface %d, line %d, column %d, channel %d", element.surface, element.line, element.column,
               element.channel);
        if (options->cube.element_bytes > 1)
            printf(", byte %d", element.byte);
        if (element.channel >= options->cube.channels)
            printf(" (padding of the last atom)");
    }
    printf("\n%zu %s\n", count, text_plural(count, "byte differs", "bytes differ"));
    return count;
}

static int diff(const struct diff_options *options) {
    struct error err;
    struct image a = {0}, b = {0};
    if (!file_read(options->a, &a.bytes, &a.size, &err) || !file_read(options->b, &b.bytes, &b.size, &err)) {
        fprintf(stderr, "nvcosim diff: %s\n", err.text);
        free(a.bytes);
        return EXIT_BAD_INPUT;
    }
    int status = EXIT_OK;
    if (a.size != b.size) {
        printf("the sizes differ: %s has %zu %s, %s has %zu %s\n", options->a, a.size,
               text_plural(a.size, "byte", "bytes"), options->b, b.size, text_plural(b.size, "byte", "bytes"));
        status = EXIT_DIFFERENT;
    }
    uint64_t end = options->cube.base + (options->by_cube ? cube_extent(&options->cube) : 0);
    if (options->by_cube &&
        (options->cube.base < options->base || end - options->base > a.size || end - options->base > b.size)) {
        fprintf(stderr, "nvcosim diff: the cube, 0x%" PRIx64 " to 0x%" PRIx64 ", does not lie inside both images\n",
                options->cube.base, end);
        status = EXIT_BAD_INPUT;
    } else {
        if (compare(options, &a, &b) > 0)
            status = EXIT_DIFFERENT;
        if (status == EXIT_OK)
            printf("equal\n");
    }
    free(a.bytes);
    free(b.bytes);
    return status;
}

/* ---- element streams ---- */

struct streams {
    int status;
    size_t compared;
    struct text only[2]; /* names of streams that only one folder has */
};

static void compare_streams(struct streams *streams, const char *name, const char *a, const char *b) {
    struct tap_difference difference;
    struct error err;
    char text[512];
    if (!tap_compare(a, b, &difference, &err)) {
        fprintf(stderr, "nvcosim diff: %s\n", err.text);
        streams->status = EXIT_BAD_INPUT;
        return;
    }
    streams->compared++;
    const int skipped = difference.skipped_a + difference.skipped_b;
    if (skipped > 0)
        printf("%s: %d launch%s at the beginning of %s left out, which %s does not have\n", name, skipped,
               skipped > 1 ? "es" : "", difference.skipped_a ? "A" : "B", difference.skipped_a ? "B" : "A");
    printf("%s: %s\n", name, tap_difference_text(&difference, "A", "B", text, sizeof text));
    if (difference.differs && streams->status == EXIT_OK)
        streams->status = EXIT_DIFFERENT;
}

static void compare_pair(void *context, const struct tap_pair *pair) {
    struct streams *streams = context;
    if (pair->a && pair->b)
        compare_streams(streams, pair->name, pair->a, pair->b);
    else
        text_printf(&streams->only[pair->b != NULL], " %s", pair->name);
}

static int diff_folders(const char *a, const char *b) {
    struct streams streams = {.status = EXIT_OK};
    tap_pairs(a, b, compare_pair, &streams);
    for (int i = 0; i < 2; i++) {
        if (streams.only[i].text)
            printf("only in %s:%s\n", i ? b : a, streams.only[i].text);
        free(streams.only[i].text);
    }
    if (streams.compared == 0 && streams.status == EXIT_OK) {
        fprintf(stderr, "nvcosim diff: found no element stream (UNIT.TAP.tap) that both %s and %s have\n", a, b);
        return EXIT_BAD_INPUT;
    }
    return streams.status;
}

static bool is_stream(const char *path) {
    static const char ending[] = ".tap";
    const size_t length = strlen(path);
    return length >= sizeof ending && strcmp(path + length + 1 - sizeof ending, ending) == 0;
}

static int diff_any(const struct diff_options *options) {
    const char *a = options->a, *b = options->b;
    if (directory_exists(a) && directory_exists(b))
        return diff_folders(a, b);
    if (!options->by_cube && diff_is_program(&options->programs, a) && diff_is_program(&options->programs, b))
        return diff_programs(&options->programs, a, b);
    if (!is_stream(a) || !is_stream(b))
        return diff(options);
    struct streams streams = {.status = EXIT_OK};
    compare_streams(&streams, "elements", a, b);
    return streams.status;
}

int diff_main(int argc, char **argv) {
    static const struct command command = {
        .options = option_table,
        .usage = "A B",
        .doc = doc,
        .operands = {.member = OF(a), .most = 2, .expected = "two images, streams or folders"},
        .check = check};
    struct diff_options options = {0};
    return command_read(&command, argc, argv, &options) ? diff_any(&options) : EXIT_BAD_INPUT;
}
