/* Fuzzes the .cfg reader, and the packet files that such a trace names. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct error err = {.text = ""};
    struct trace_options options = {.config = n % 2 ? nvdla_config_find("full") : NULL};
    fuzz_round_trip(trace_parse_cfg(FUZZ_DIRECTORY "t.cfg", (const char *)data, n, &options, &err), &err);
    blob_free(trace_parse_packets(FUZZ_DIRECTORY "t.dat", (const char *)data, n, &err));
    return 0;
}
