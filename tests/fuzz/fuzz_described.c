/* Fuzzes the reader of described graphs and what lowers their networks: to a loadable, which has to be readable. */
#include "loadable/loadable.h"
#include "quantised/read.h"
#include "quantised/write.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const char *const configs[] = {"full", "small", "large"};
    struct error err = {.text = ""};
    /* A copy of its own: reading behind its end is found. */
    uint8_t *bytes = malloc(n ? n : 1);
    memcpy(bytes, data, n);
    struct graph *graph = described_parse("fuzz", bytes, n, &err);
    struct lowered *lowered = graph ? lower_graph(graph, nvdla_config_find(configs[n % 3]), &err) : NULL;
    if (!lowered && !err.text[0])
        abort();
    if (lowered) {
        struct text file = lowered_write(lowered);
        struct loadable *loadable = loadable_parse("fuzz.nvdla", file.text, file.n, &err);
        if (!loadable)
            abort();
        loadable_free(loadable);
        free(file.text);
    }
    lowered_free(lowered);
    graph_free(graph);
    free(bytes);
    return 0;
}
