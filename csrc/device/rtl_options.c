/* Defaults of the simulated memory, for testbench and command line. */
#include "device/rtl_options.h"

#include <string.h>

#include "nvdla/random.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

void axi_options_default(struct axi_options *options) {
    *options = (struct axi_options){
        .seed = 1,
        .latency_kind = LATENCY_FIXED,
        .read_latency = 32,
        .write_latency = 4,
        .page_miss = 24,
        .bandwidth = 1000,
    };
}

uint64_t axi_options_stream(const struct axi_options *options, int port, int stream) {
    uint64_t seed = options->seed * 2 + (uint64_t)port, state;
    do
        state = random_next(&seed);
    while (stream-- > 0);
    return state;
}

bool axi_options_stalled(const struct axi_options *options, int channel, uint64_t *stream) {
    const uint32_t share = options->stall[channel];
    return share && random_below(stream, 1000) < share;
}

char *rtl_options_reset_key(const struct rtl_options *options, int ports) {
    static const int readys[] = {STALL_AR, STALL_AW, STALL_W}; /* what the memory drives before the first transfer */
    struct text key = {0};
    if (options->taps || options->account || options->cbuf || options->taps_later || options->beats ||
        options->copies || options->wave.path || options->coverage_path)
        return NULL;
    text_printf(&key, "reset %s%s%s", options->timeline ? "timeline " : "", options->checks ? "checks " : "",
                options->measure ? "measure " : "");
    for (const char *const *pin = options->pins; pin && *pin; pin++)
        text_printf(&key, "%s ", *pin);
    for (int port = 0; port < ports; port++)
        for (size_t i = 0; i < sizeof readys / sizeof *readys; i++) {
            uint64_t stream = axi_options_stream(&options->axi, port, readys[i]);
            text_printf(&key, "%c", axi_options_stalled(&options->axi, readys[i], &stream) ? '-' : '+');
        }
    for (size_t i = 0; i < options->fault_count; i++)
        text_printf(&key, "%u ", options->faults[i]);
    return key.text;
}

char *wave_save_path(const char *wave_path) {
    size_t length = strlen(wave_path);
    if (length > 4 && !strcmp(wave_path + length - 4, ".fst"))
        length -= 4;
    return xprintf("%.*s.gtkw", (int)length, wave_path);
}
