/* Fuzzes the reader of input.txn, and the data-line files that such a trace names. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct error err = {.text = ""};
    fuzz_round_trip(trace_parse_txn(FUZZ_DIRECTORY "input.txn", (const char *)data, n, NULL, &err), &err);
    blob_free(trace_parse_data_lines(FUZZ_DIRECTORY "t.dat", (const char *)data, n, &err));
    return 0;
}
