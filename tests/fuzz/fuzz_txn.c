/* Fuzzes the reader of input.txn, and the data-line files that such a trace names. */
#include "tests/fuzz/fuzz.h"
#include "trace/side_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct error err = {.text = ""};
    fuzz_round_trip(trace_parse(trace_read_txn, FUZZ_DIRECTORY "input.txn", (const char *)data, n, NULL, &err), &err);
    struct lines lines;
    size_t found;
    lines_open_text(&lines, FUZZ_DIRECTORY "t.dat", (const char *)data, n, &err);
    blob_free(data_lines_parse(&lines, n / 8, &found, &err));
    return 0;
}
