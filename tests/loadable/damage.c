/* Damages a loadable, or the description of a quantised network (NET.graph), in every way that counts and compiles the
 * rest (a loadable: model included): cut at every length, every byte inverted, every byte with one bit
 * changed. Each must compile or be refused with a message, soon, and without much memory, whatever sizes the file then
 * tells.
 *
 * usage: damage NET CONFIG [STEP]     STEP: only every so many lengths and bytes
 * Ends with "N passed, N failed". */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/read.h"
#include "quantised/write.h"
#include "run/network/compile.h"

/* Of processor time and of memory. The sanitizers need some times what the program needs without them: 1 s, 500 MB. */
static const double seconds_max = 6;
static const long kilobytes_max = 1000000;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* The most that there has been. */
static long kilobytes(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static double longest;    /* seconds of an attempt */
static bool is_described; /* the file's format */

static struct compile_options options = {.base = COMPILE_BASE, .secondary_base = COMPILE_SECONDARY_BASE};

/* Whether n bytes of a quantised network compile to a loadable that can be read. */
static bool compile_quantised(const char *bytes, size_t n, struct error *err) {
    struct graph *graph = described_parse("damaged.graph", bytes, n, err);
    struct lowered *lowered = graph ? lower_graph(graph, options.config, err) : NULL;
    autotext struct text file = {0};
    struct loadable *loadable = NULL;
    if (lowered) {
        file = lowered_write(lowered);
        loadable = loadable_parse("damaged.nvdla", file.text, file.n, err);
    }
    const bool good = loadable != NULL;
    loadable_free(loadable);
    lowered_free(lowered);
    graph_free(graph);
    return good;
}

/* Compiles n bytes, in room of their own so that a sanitizer sees what lies behind. Returns whether all went well;
 * *refused counts what did not compile. */
static bool attempt(const char *what, size_t at, const char *bytes, size_t n, size_t *refused) {
    struct error err = {.text = ""};
    autofree char *copy = xmalloc(n);
    memcpy(copy, bytes, n);
    const double start = now();
    struct loadable *loadable = is_described ? NULL : loadable_parse("damaged.nvdla", copy, n, &err);
    autoprogram struct program *prog = loadable ? compile_loadable(loadable, &options, &err) : NULL;
    const bool compiles = is_described ? compile_quantised(copy, n, &err) : prog != NULL;
    const double took = now() - start;
    bool good = compiles || err.text[0];
    *refused += !compiles;
    if (!good)
        printf("%s %zu: refused without a message\n", what, at);
    longest = took > longest ? took : longest;
    if (took > seconds_max || kilobytes() > kilobytes_max) {
        printf("%s %zu: %.1f s, %ld kB; expected at most %.0f s and %ld kB: %s\n", what, at, took, kilobytes(),
               seconds_max, kilobytes_max, compiles ? "compiles" : err.text);
        good = false;
    }
    loadable_free(loadable);
    return good;
}

int main(int argc, char **argv) {
    struct error err;
    char *bytes;
    size_t n, passed = 0, failed = 0, refused = 0;
    if (argc < 3 || !file_read(argv[1], &bytes, &n, &err))
        return 2;
    const size_t step = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
    is_described = text_ends_with(argv[1], ".graph");
    options.config = nvdla_config_find(argv[2]);
    words_add(&options.input.sources, "zero");
    for (size_t i = 0; i < n; i += step) {
        const char kept = bytes[i];
        bool good = attempt("cut to", i, bytes, i, &refused);
        bytes[i] = (char)~kept;
        good = attempt("inverted byte", i, bytes, n, &refused) && good;
        bytes[i] = (char)(kept ^ 1 << i % 8);
        good = attempt("changed bit in byte", i, bytes, n, &refused) && good;
        bytes[i] = kept;
        good ? passed++ : failed++;
    }
    printf("%zu of %zu were refused; at most %.1f s, %ld kB\n", refused, 3 * (passed + failed), longest, kilobytes());
    printf("%zu passed, %zu failed\n", passed, failed);
    free(bytes);
    input_options_free(&options.input);
    return failed || !passed;
}
