/* Fuzzes the .nvt reader. Inputs with a run of a million bytes or more are left out: legal, but slow. */
#include "tests/fuzz/fuzz.h"

static int has_long_run(const uint8_t *data, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t digits = 0;
        while (data[i] == '*' && i + 1 + digits < n && data[i + 1 + digits] > ' ')
            digits++;
        if (digits > 6)
            return 1;
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    struct error err = {.text = ""};
    if (!has_long_run(data, n))
        fuzz_round_trip(trace_parse(trace_read_nvt, FUZZ_DIRECTORY "t.nvt", (const char *)data, n, NULL, &err), &err);
    return 0;
}
