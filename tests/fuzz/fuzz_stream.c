/* Fuzzes reading from a file, in pieces of any size, packed or not, whole or cut: the same program or the same message
 * as from the text in memory, and from a file that is cut inside its gzip stream none. */
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "tests/fuzz/fuzz.h"

/* Where the input's file lies: a directory of this process. */
static const char *path_of(int packed) {
    static char directory[] = "/tmp/fuzz_stream_XXXXXX", path[2][sizeof directory + 8];
    if (!path[0][0]) {
        if (!mkdtemp(directory))
            abort();
        snprintf(path[0], sizeof path[0], "%s/t", directory);
        snprintf(path[1], sizeof path[1], "%s/t.gz", directory);
    }
    return path[packed];
}

static struct program *read_in_pieces(trace_reader *reader, const char *path, size_t piece, struct error *err) {
    struct lines lines;
    struct program *prog = NULL;
    if (lines_open_file(&lines, path, err)) {
        lines.piece = piece;
        prog = reader(&lines, NULL, err);
    }
    lines_close(&lines);
    return prog;
}

static void compare(const struct program *a, const struct program *b) {
    size_t n, m;
    autofree char *first = nvt_text(a, &n), *second = nvt_text(b, &m);
    if (n != m || memcmp(first, second, n) != 0)
        abort();
}

/* The first two bytes of an input choose format, packing, cut and size of the pieces; the others are the text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static trace_reader *const readers[] = {trace_read_cfg, trace_read_txn, trace_read_nvt, trace_read_nvt};
    struct error text_err = {.text = ""}, file_err = {.text = ""};
    if (n < 2)
        return 0;
    trace_reader *reader = readers[data[0] & 3];
    const int packed = data[0] >> 2 & 1, cut = (data[0] & 0xf0) == 0xf0;
    const size_t piece = data[1] ? data[1] : 65536;
    const char *path = path_of(packed);
    autofree char *text = NULL;
    size_t length = 0;
    if (!file_write(path, data + 2, n - 2, &file_err))
        abort();
    if (cut && truncate(path, (off_t)(n / 2)) != 0)
        abort();
    const int readable = file_read(path, &text, &length, &text_err);
    autoprogram struct program *file = read_in_pieces(reader, path, piece, &file_err);
    autoprogram struct program *memory = readable ? trace_parse(reader, path, text, length, NULL, &text_err) : NULL;
    if (!file != !memory || (!file && !file_err.text[0]))
        abort();
    if (file)
        compare(file, memory);
    else if (readable && strcmp(file_err.text, text_err.text) != 0)
        abort();
    return 0;
}
