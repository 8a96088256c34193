/* Fuzzes the reader of driver logs, its alignment with a network and the diagnosis. The first byte: with or without the
 * network, with or without a clock. */
#include <stdio.h>
#include <stdlib.h>

#include "doctor/device_logs.h"
#include "run/network/compile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct loadable *network(void) {
    struct error err;
    struct loadable *loadable = loadable_read("traces/loadables/own_concat_small_int8/net.nvdla", &err);
    if (!loadable || !loadable_place(loadable, COMPILE_BASE, COMPILE_SECONDARY_BASE, 64, &err)) {
        fprintf(stderr, "%s\n", err.text);
        abort();
    }
    return loadable;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static struct loadable *loadable;
    static FILE *out;
    struct device_logs devices;
    struct driver_log *log;
    struct log_diagnosis diagnosis = {0};
    struct error err = {.text = ""};
    if (!loadable) {
        loadable = network();
        out = fopen("/dev/null", "w");
    }
    if (n == 0 || !out)
        return 0;
    device_logs_begin(&devices);
    const char *at = (const char *)data + 1, *end = (const char *)data + n;
    for (uint64_t line = 1; at < end; line++) {
        size_t length = 0;
        while (at + length < end && at[length] != '\n')
            length++;
        messages_in_line((struct span){at, length}, line, device_logs_message, &devices);
        at += length + (at + length < end);
    }
    if (!device_logs_diagnose(&devices, data[0] & 1 ? loadable : NULL, nvdla_config_find("small"), &diagnosis, &log,
                              &err))
        abort();
    log_diagnosis_print(out, "fuzzed", log, &diagnosis, data[0] & 2 ? 250 : 0);
    log_diagnosis_print_json(out, log, &diagnosis, data[0] & 2 ? 250 : 0);
    log_diagnosis_free(&diagnosis);
    device_logs_free(&devices);
    return 0;
}
