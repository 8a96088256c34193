/* Fuzzes the .cfg reader, and the packet files that such a trace names. */
#include "tests/fuzz/fuzz.h"
#include "trace/side_files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct error err = {.text = ""};
    struct trace_options options = {.config = n % 2 ? nvdla_config_find("full") : NULL};
    fuzz_round_trip(trace_parse(trace_read_cfg, FUZZ_DIRECTORY "t.cfg", (const char *)data, n, &options, &err), &err);
    struct lines lines;
    lines_open_text(&lines, FUZZ_DIRECTORY "t.dat", (const char *)data, n, &err);
    blob_free(packets_parse(&lines, &err));
    return 0;
}
