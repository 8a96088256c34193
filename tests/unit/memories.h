/* Memories of unit tests: the Makefile finds their strings, and has python/nvcosim/dram.py read each once. */
#pragma once

#include "dram/config.h"
#include "tests/unit/test.h"

static inline struct dram_config memory_of(const char *argument) {
    static const struct {
        const char *argument, *line;
    } rows[] = {
#include "tests/unit/memories.inc"
    };
    struct dram_config config = {.name = ""};
    struct error err = {.text = "it is in no file of MEMORY_TESTS (Makefile)"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].argument, argument) == 0)
            dram_config_read(argument, rows[i].line, &config, &err);
    if (!config.name[0])
        fail_msg("%s: %s", argument, err.text);
    return config;
}
