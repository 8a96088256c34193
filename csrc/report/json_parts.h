/* The parts of json.h's value, each in a file of its own. */
#pragma once

#include <inttypes.h>
#include <jansson.h>

#include "dram/system.h"
#include "replay/player.h"
#include "report/json_text.h"
#include "report/layers.h"

static inline json_t *json_u64(uint64_t value) {
    return json_integer((json_int_t)value);
}

static inline json_t *json_hex(uint64_t value) {
    return json_sprintf("0x%08" PRIx64, value);
}

/* Clocks and addresses that 0 says are not known, and texts that may be NULL: null. */
static inline json_t *json_known(uint64_t value) {
    return value ? json_u64(value) : json_null();
}

static inline json_t *json_text_or_null(const char *text) {
    return text ? json_text(text) : json_null();
}

/* The hang, like the text of hang_text.h; the DRAM behind the RTL. */
json_t *json_hang(const struct hang *hang);
json_t *json_memory(const struct memory_statistics *memory);

/* The layers; engines, clients and launches over time (layers->timeline); toggles by instance (layers->activity). */
json_t *json_layers(const struct report *report, const struct report_layers *layers);
json_t *json_timeline(const struct report *report, const struct report_layers *layers);
json_t *json_activity(const struct report_layers *layers);
