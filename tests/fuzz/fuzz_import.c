/* Fuzzes the readers of captures, of the records of logs among them, and what becomes of accesses. The first byte
 * chooses format and options; what is imported must be a trace that can be read. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/lift.h"
#include "tests/fuzz/fuzz.h"

static const char *const formats[] = {NULL, "kmd", "txn", "samples", "vcd"};
enum { FORMATS = sizeof formats / sizeof *formats };

static char in[64];

/* The input instead of the records that Python makes of it. */
static int start_nothing(const char *module, const struct words *arguments, pid_t *pid, struct error *err) {
    (void)module;
    (void)arguments;
    (void)err;
    *pid = 0;
    return open(in, O_RDONLY | O_CLOEXEC);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static char out[64];
    static int file = -1;
    struct error err = {.text = ""};
    if (n == 0)
        return 0;
    if (file < 0) {
        file = memfd_create("capture", 0);
        snprintf(in, sizeof in, "/proc/self/fd/%d", file);
        snprintf(out, sizeof out, "/tmp/nvcosim-fuzz-%d.nvt", (int)getpid());
    }
    if (ftruncate(file, 0) != 0 || pwrite(file, data + 1, n - 1, 0) != (ssize_t)n - 1)
        abort();
    const unsigned choice = data[0];
    const struct lift_map map = {.from = 0x80000000, .to = 0x90000000, .size = 0x1000000};
    const struct source_options options = {.config = nvdla_config_find(choice & 0x40 ? "full" : "small"),
                                           .start = start_nothing,
                                           .has_base = (choice & 0x10) != 0,
                                           .base = 0xfe800000,
                                           .force = (choice & 0x20) != 0};
    const struct lift_options lift_options = {
        .config = options.config, .maps = &map, .map_count = choice >> 7, .path = out, .title = "fuzzed"};
    struct source *source =
        source_open((const char *const[]){in}, 1, formats[(choice & 0xf) % FORMATS], &options, &err);
    struct lift_summary summary = {0};
    const bool good = source && lift(source, &lift_options, &summary, &err);
    if (!good && !err.text[0])
        abort(); /* an error without a message */
    lift_summary_free(&summary);
    source_close(source);
    if (good) {
        const struct trace_options trace = {.config = options.config};
        autoprogram struct program *prog = trace_read(out, &trace, &err);
        if (!prog) {
            fprintf(stderr, "%s\n", err.text);
            abort();
        }
        unlink(out);
    }
    return 0;
}
