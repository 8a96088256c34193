/* Fuzzes the reader of described graphs and what lowers their networks. */
#include "quantised/read.h"
#include "tests/fuzz/fuzz_network.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    fuzz_network(described_parse, data, n);
    return 0;
}
