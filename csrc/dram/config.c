/* The parameters of a DRAM as numbers. See config.h. */
#include "dram/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dram/library.h"
#include "nvdla/xalloc.h"

enum { NUMBERS = (offsetof(struct dram_config, library) - offsetof(struct dram_config, clock_khz)) / sizeof(uint32_t) };

/* The memories that need no file. */
static const struct {
    const char *name, *line;
} known[] = {
#include "dram/memories.inc"
};

double dram_pin_bandwidth(const struct dram_config *config) {
    return 2.0 * config->clock_khz * 1e3 * config->width / 8 * config->channels;
}

uint64_t dram_read_clocks(const struct dram_config *config) {
    const struct dram_timing *t = &config->t;
    const uint64_t memory = (uint64_t)t->tRFC + t->tRAS + 2 * t->tRP + t->tRCD + t->tCL + config->burst;
    return config->latency + (memory * config->core_khz + config->clock_khz - 1) / config->clock_khz + 4;
}

char *dram_config_line(const char *argument, dram_start *start, struct error *err) {
    autowords struct words words = {0};
    size_t n;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i].name, argument) == 0)
            return xstrdup(known[i].line);
    words_put(&words, argument);
    return start("dram", &words, &n, err);
}

/* A number, and the character behind it. */
static bool take_number(const char **at, char behind, uint32_t *number) {
    char *end;
    const unsigned long long value = strtoull(*at, &end, 10);
    if (**at < '0' || **at > '9' || *end != behind || value > UINT32_MAX)
        return false;
    *number = (uint32_t)value;
    *at = end + 1;
    return true;
}

/* A text, LENGTH:TEXT. */
static bool take_text(const char **at, char text[DRAM_TEXT]) {
    uint32_t n;
    if (!take_number(at, ':', &n) || n >= DRAM_TEXT || strnlen(*at, n) < n)
        return false;
    memcpy(text, *at, n);
    *at += n;
    return true;
}

/* False if it is no such line. */
static bool take_line(const char *line, struct dram_config *config) {
    uint32_t numbers[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++)
        if (!take_number(&line, ' ', &numbers[i]))
            return false;
    memcpy((char *)config + offsetof(struct dram_config, clock_khz), numbers, sizeof numbers);
    return take_text(&line, config->library) && take_text(&line, config->library_parameters) && !*line &&
           config->part_count <= DRAM_PARTS;
}

bool dram_config_read(const char *argument, const char *line, struct dram_config *config, struct error *err) {
    autofree char *name = xstrndup(argument, strcspn(argument, ","));
    const char *slash = strrchr(name, '/');
    *config = (struct dram_config){.name = ""};
    if (!take_line(line, config))
        return error_set(err, "%s: found '%s', expected a line of python/nvcosim/dram.py", name, line);
    if (config->library[0] && !dram_library_check(config->library, err))
        return error_prefix(err, "%s: ", name);
    snprintf(config->name, sizeof config->name, "%s", slash ? slash + 1 : name);
    return true;
}
