/* The small legal layers of legal_layers.txt: what tests of the rules and the fuzzers of the registers start from.
 * Groups are the caller's. Programs that use them run at the top of the tree. */
#pragma once

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/config.h"
#include "nvdla/lut.h"
#include "nvdla/registers.h"
#include "nvdla_offsets.h"

enum { LEGAL_LAYERS = 15 };

enum {
    LEGAL_SOURCE = 0x1000,
    LEGAL_DESTINATION = 0x8000,
    LEGAL_MASKS = 0x9000,
    LEGAL_SIZES = 0xa000,
    LEGAL_MEMORY = 0xb000
};

/* Where the writes go. */
struct legal_sink {
    void (*write)(void *context, enum nvdla_unit unit, uint32_t offset, uint32_t value);
    void *context;
};

static inline void legal_damaged(const char *line) {
    fprintf(stderr, "tests/unit/legal_layers.txt (is this the top of the tree?): cannot be read at '%.60s'\n", line);
    abort();
}

static inline const char *legal_text(void) {
    static char *text;
    struct error err;
    size_t n;
    if (!text && !file_read("tests/unit/legal_layers.txt", &text, &n, &err))
        legal_damaged(err.text);
    return text;
}

static inline const char *legal_next(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

/* The first line of a layer or part by its name; of n letters. */
static inline const char *legal_named(const char *name, size_t n) {
    for (const char *line = legal_text(); *line; line = legal_next(line))
        if (strncmp(line, name, n) == 0 && isspace((unsigned char)line[n]))
            return line;
    legal_damaged(name);
    return NULL;
}

/* That of a layer by its number. */
static inline const char *legal_numbered(int layer) {
    for (const char *line = legal_text(); *line; line = legal_next(line))
        if (isupper((unsigned char)line[0]) && layer-- == 0)
            return line;
    legal_damaged("the number of a layer");
    return NULL;
}

static inline int legal_layer_find(const char *name) {
    const char *wanted = legal_named(name, strlen(name));
    for (int layer = 0; layer < LEGAL_LAYERS; layer++)
        if (legal_numbered(layer) == wanted)
            return layer;
    legal_damaged(name);
    return -1;
}

/* True if the configuration has what the layer needs. */
static inline bool legal_layer_exists(const struct nvdla_config *config, int layer) {
    static const struct {
        const char *name;
        enum nvdla_feature feature;
    } needs[] = {{"batches", FEATURE_BATCHES},   {"compression", FEATURE_COMPRESSION},
                 {"winograd", FEATURE_WINOGRAD}, {"table", FEATURE_SDP_LUT},
                 {"rubik", FEATURE_RUBIK},       {"bdma", FEATURE_BDMA}};
    char name[32];
    if (sscanf(legal_numbered(layer), "%*s needs %31s", name) != 1)
        return true;
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        if (strcmp(name, needs[i].name) == 0)
            return nvdla_has(config, needs[i].feature);
    legal_damaged(name);
    return false;
}

/* A value from the text that follows '='. */
static inline uint32_t legal_value(const struct nvdla_config *config, const char *text) {
    const uint32_t entry = (uint32_t)config->atomic_c * (nvdla_has_16_bits(config) ? 2 : 1);
    uint32_t value = 0;
    for (char operation = '+';; operation = *text++) {
        char *end = (char *)text + 1;
        const uint32_t x = *text == 'A'   ? (uint32_t)config->mem_atom
                           : *text == 'K' ? (uint32_t)config->atomic_k
                           : *text == 'E' ? entry
                                          : (uint32_t)strtoul(text, &end, 0);
        value = operation == '*' ? value * x : operation == '/' ? value / x : operation == '-' ? value - x : value + x;
        text = end;
        if (!*text || !strchr("+-*/", *text))
            return value;
    }
}

struct legal_write {
    enum nvdla_unit unit;
    uint32_t offset, value, address;
};

/* UNIT.REGISTER=VALUE, or UNIT.REGISTER. */
static inline struct legal_write legal_write_of(const struct nvdla_config *config, const char *word) {
    char unit[32], name[64], value[64] = "0";
    const struct nvdla_register *reg = NULL;
    if (sscanf(word, "%31[^.].%63[^=]=%63s", unit, name, value) >= 2)
        reg = nvdla_register_find(config, nvdla_unit_find(unit), name);
    if (!reg) {
        legal_damaged(word);
        return (struct legal_write){0};
    }
    return (struct legal_write){reg->unit, reg->address - nvdla_unit_base(config, reg->unit),
                                legal_value(config, value), reg->address};
}

/* Loads both tables; the access ports of SDP and CDP have the same layouts. */
static inline void legal_table(struct legal_sink sink, enum nvdla_unit unit) {
    sink.write(sink.context, unit, SDP_S_LUT_ACCESS_CFG, 0x20000);
    for (uint32_t i = 0; i < LUT_LE_ENTRIES; i++)
        sink.write(sink.context, unit, SDP_S_LUT_ACCESS_DATA, i);
    sink.write(sink.context, unit, SDP_S_LUT_ACCESS_CFG, 0x30000);
    for (uint32_t i = 0; i < LUT_LO_ENTRIES; i++)
        sink.write(sink.context, unit, SDP_S_LUT_ACCESS_DATA, 2 * i);
}

/* The writes of a line, behind the name of their unit. */
static inline void legal_writes(const struct nvdla_config *config, const char *line, struct legal_sink sink) {
    char unit_name[32], name[64], value[32];
    int used;
    const char *end = strchr(line, '\n');
    if (sscanf(line, "%31s%n", unit_name, &used) != 1)
        legal_damaged(line);
    const enum nvdla_unit unit = nvdla_unit_find(unit_name);
    for (line += used; line < end; line += used) {
        const struct nvdla_register *reg = NULL;
        if (sscanf(line, " %63[^= ]=%31s%n", name, value, &used) == 2)
            reg = nvdla_register_find(config, unit, name);
        if (!reg)
            legal_damaged(line);
        else
            sink.write(sink.context, unit, reg->address - nvdla_unit_base(config, unit), legal_value(config, value));
    }
}

/* The lines of a layer or part from its first one on, and those of its parts: the writes that start it, or the others.
 */
static inline void legal_lines(const struct nvdla_config *config, const char *line, bool starts,
                               struct legal_sink sink) {
    const char *part = line + strcspn(line, "=\n");
    for (part += *part == '='; *part == ' '; part += strcspn(part, " \n")) {
        part++;
        legal_lines(config, legal_named(part, strcspn(part, " \n")), starts, sink);
    }
    for (line = legal_next(line); *line == ' '; line = legal_next(line)) {
        static const char start[] = "  start ";
        const bool is_start = strncmp(line, start, strlen(start)) == 0;
        char unit[32];
        if (is_start != starts)
            continue;
        if (sscanf(line, "  table %31s", unit) == 1)
            legal_table(sink, nvdla_unit_find(unit));
        else
            legal_writes(config, is_start ? line + strlen(start) : line, sink);
    }
}

/* Writes the registers of a layer that exists in the configuration. */
static inline void legal_layer(const struct nvdla_config *config, int layer, struct legal_sink sink) {
    legal_lines(config, legal_numbered(layer), false, sink);
}

/* Writes what starts the layer: the D_OP_ENABLE of its units; CFG_OP and CFG_LAUNCH0 of BDMA. */
static inline void legal_layer_enable(const struct nvdla_config *config, int layer, struct legal_sink sink) {
    legal_lines(config, legal_numbered(layer), true, sink);
}
