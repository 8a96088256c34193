/* Names, parameters and rules of the bus faults. See bus_fault.h. */
#include "device/bus_fault.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"

const struct bus_fault_info bus_fault_infos[BUS_FAULT_KINDS] = {
    [BUS_FAULT_NONE] = {.name = "none"},
    [BUS_FAULT_SAME_ID] = {"same-id", "every n-th burst", 4, 1, 1000000, "answers of one ID keep the order of requests",
                           "axi-r-last, where the two bursts have different lengths"},
    [BUS_FAULT_EARLY] = {"early-response", "clocks", 2000, 1, 1000000, "a write response follows the last beat",
                         "axi-b-early, where the response precedes the last beat"},
    [BUS_FAULT_LOST_BEAT] = {"lost-beat", "every n-th beat", 64, 1, 1000000, "an accepted beat is stored", NULL},
    [BUS_FAULT_REPEATED_BEAT] = {"repeated-beat", "every n-th beat", 64, 1, 1000000,
                                 "each beat of a burst has the data of its own address", NULL},
    [BUS_FAULT_STROBES] = {"strobes", NULL, 0, 0, 0, "bytes without strobe keep their value", NULL},
    [BUS_FAULT_ADDRESS] = {"address", "bit", 12, 3, 63, NULL, NULL},
    [BUS_FAULT_WRAP] = {"wrap", "bytes", 256, 8, 4096, "bursts of type INCR do not wrap", NULL},
    [BUS_FAULT_STALE] = {"stale", "clocks", 2000, 1, 1000000, NULL, NULL},
    [BUS_FAULT_NARROW] = {"narrow", NULL, 0, 0, 0, NULL, NULL},
    [BUS_FAULT_SWAPPED] = {"swapped", NULL, 0, 0, 0, NULL, NULL},
    [BUS_FAULT_EDGE] = {"interrupt-edge", NULL, 0, 0, 0, NULL, NULL},
};

static bool unknown_kind(const char *argument, size_t n, char *text, size_t size) {
    autotext struct text names = {0};
    for (int kind = BUS_FAULT_NONE + 1; kind < BUS_FAULT_KINDS; kind++)
        text_printf(&names, "%s%s",
                    kind == BUS_FAULT_KINDS - 1 ? " or "
                    : names.n                   ? ", "
                                                : "",
                    bus_fault_infos[kind].name);
    snprintf(text, size, "found '%.*s', expected %s", (int)n, argument, names.text);
    return false;
}

bool bus_fault_parse(const char *argument, struct bus_fault *fault, char *text, size_t size) {
    const size_t n = strcspn(argument, ":");
    int kind = BUS_FAULT_NONE + 1;
    while (kind < BUS_FAULT_KINDS &&
           (strlen(bus_fault_infos[kind].name) != n || memcmp(bus_fault_infos[kind].name, argument, n) != 0))
        kind++;
    if (kind == BUS_FAULT_KINDS)
        return unknown_kind(argument, n, text, size);
    const struct bus_fault_info *info = &bus_fault_infos[kind];
    uint64_t value = info->usual;
    if (argument[n] && !info->unit) {
        snprintf(text, size, "found '%s', expected %s without a parameter", argument, info->name);
        return false;
    }
    if (argument[n] && (!text_number(argument + n + 1, info->most, &value) || value < info->least)) {
        snprintf(text, size, "found '%s', expected %s:N (%s), N from %" PRIu32 " to %" PRIu32, argument, info->name,
                 info->unit, info->least, info->most);
        return false;
    }
    if (kind == BUS_FAULT_WRAP && (value & (value - 1))) {
        snprintf(text, size, "found '%s', expected a power of two", argument);
        return false;
    }
    *fault = (struct bus_fault){.kind = (enum bus_fault_kind)kind, .parameter = (uint32_t)value};
    return true;
}
