/* The defaults of the simulated memory, in one place for testbench and command line. */
#include "device/rtl_options.h"

#include <string.h>

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

char *wave_save_path(const char *wave_path) {
    size_t length = strlen(wave_path);
    if (length > 4 && !strcmp(wave_path + length - 4, ".fst"))
        length -= 4;
    return xprintf("%.*s.gtkw", (int)length, wave_path);
}
