/* Reading the parameters of a DRAM. See config.h. */
#include "dram/config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "dram/ddr4-2400.embed.h"
#include "dram/library.h"
#include "dram/lpddr4-3200.embed.h"
#include "dram/zcu102.embed.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

static const struct {
    const char *name, *text;
} known[] = {
    {"ddr4-2400", ddr4_2400_yml},
    {"lpddr4-3200", lpddr4_3200_yml},
    {"zcu102", zcu102_yml},
};

enum { KNOWN = sizeof known / sizeof known[0], MOST = 1 << 24, LINK_MOST = 512 };

enum parameter_kind { COUNT, POWER, FREQUENCY, TIME, YES_NO, CHOICE, TEXT };

struct parameter {
    const char *section, *key; /* section: NULL, "timing" or "interconnect" */
    enum parameter_kind kind;
    size_t offset;
    uint32_t least, most;
    const char *choices; /* of a CHOICE, in the order of its enum */
    bool needed;         /* by a DRAM; others have the default of default_config() */
};

#define AT(member) offsetof(struct dram_config, member)
#define TIMING(name, demanded) {"timing", #name, TIME, AT(t.name), 0, MOST, NULL, demanded}

static const struct parameter parameters[] = {
    {NULL, "clock_mhz", FREQUENCY, AT(clock_khz), 1, 10000, NULL, true},
    {NULL, "core_mhz", FREQUENCY, AT(core_khz), 1, 10000, NULL, false},
    {NULL, "channels", POWER, AT(channels), 1, DRAM_CHANNELS, NULL, true},
    {NULL, "ranks", POWER, AT(ranks), 1, DRAM_RANKS, NULL, true},
    {NULL, "bank_groups", POWER, AT(groups), 1, 8, NULL, true},
    {NULL, "banks", POWER, AT(banks), 1, 16, NULL, true},
    {NULL, "rows", POWER, AT(rows), 1, MOST, NULL, true},
    {NULL, "columns", POWER, AT(columns), 1, 1 << 16, NULL, true},
    {NULL, "width", POWER, AT(width), 8, 512, NULL, true},
    {NULL, "burst", POWER, AT(burst), 2, 32, NULL, true},
    {NULL, "page", CHOICE, AT(page), 0, 0, "open closed", false},
    {NULL, "queue", COUNT, AT(queue), 1, DRAM_QUEUE, NULL, false},
    {NULL, "age", COUNT, AT(age), 1, MOST, NULL, false},
    {NULL, "act_clocks", COUNT, AT(act_clocks), 1, 16, NULL, false},
    {NULL, "cas_clocks", COUNT, AT(cas_clocks), 1, 16, NULL, false},
    {NULL, "pre_clocks", COUNT, AT(pre_clocks), 1, 16, NULL, false},
    {NULL, "refresh", YES_NO, AT(refresh), 0, 0, NULL, false},
    {NULL, "mapping", TEXT, AT(mapping), 0, 0, NULL, true},
    {NULL, "arbiter", CHOICE, AT(arbiter), 0, 0, "round-robin priority weight", false},
    {NULL, "weight", COUNT, AT(weight), 1, 1000, NULL, false},
    {NULL, "priority", COUNT, AT(priority), 0, 1000, NULL, false},
    {NULL, "library", TEXT, AT(library), 0, 0, NULL, false},
    {NULL, "library_parameters", TEXT, AT(library_parameters), 0, 0, NULL, false},
    TIMING(tCL, true),
    TIMING(tCWL, true),
    TIMING(tRCD, true),
    TIMING(tRP, true),
    TIMING(tRAS, true),
    TIMING(tRC, true),
    TIMING(tCCD_S, true),
    TIMING(tCCD_L, true),
    TIMING(tRRD_S, true),
    TIMING(tRRD_L, true),
    TIMING(tFAW, true),
    TIMING(tWTR_S, true),
    TIMING(tWTR_L, true),
    TIMING(tRTP, true),
    TIMING(tWR, true),
    TIMING(tRTRS, false),
    TIMING(tRTW, false),
    TIMING(tREFI, true),
    TIMING(tRFC, true),
    {"interconnect", "bus_width", COUNT, AT(bus_width), 0, 4096, NULL, false},
    {"interconnect", "reads", COUNT, AT(reads), 1, LINK_MOST, NULL, false},
    {"interconnect", "writes", COUNT, AT(writes), 1, LINK_MOST, NULL, false},
    {"interconnect", "in_flight", COUNT, AT(in_flight), 1, LINK_MOST, NULL, false},
    {"interconnect", "latency", COUNT, AT(latency), 0, 1000000, NULL, false},
    {"interconnect", "merge", YES_NO, AT(merge), 0, 0, NULL, false},
};

enum { PARAMETERS = sizeof parameters / sizeof parameters[0] };

static const char *const field_names[DRAM_FIELDS] = {"row", "rank", "bank", "group", "column", "channel"};

/* The names that need no file. */
static const char *dram_names(void) {
    return "ddr4-2400, lpddr4-3200, zcu102";
}

static struct dram_config default_config(void) {
    return (struct dram_config){.core_khz = 1000000,
                                .queue = 32,
                                .age = 2000,
                                .act_clocks = 1,
                                .cas_clocks = 1,
                                .pre_clocks = 1,
                                .refresh = true,
                                .t = {.tRTRS = 2},
                                .reads = LINK_MOST,
                                .writes = LINK_MOST,
                                .merge = true,
                                .weight = 1};
}

double dram_pin_bandwidth(const struct dram_config *config) {
    return 2.0 * config->clock_khz * 1e3 * config->width / 8 * config->channels;
}

uint64_t dram_read_clocks(const struct dram_config *config) {
    const struct dram_timing *t = &config->t;
    const uint64_t memory = (uint64_t)t->tRFC + t->tRAS + 2 * t->tRP + t->tRCD + t->tCL + config->burst;
    return config->latency + (memory * config->core_khz + config->clock_khz - 1) / config->clock_khz + 4;
}

/* ---- single values ---- */

/* A time in clocks: a whole number, or a number with ns or us. False if the text is neither. */
static bool parse_time(const char *text, uint32_t khz, uint32_t *clocks) {
    char *end;
    uint64_t whole;
    if (text_number(text, MOST, &whole)) {
        *clocks = (uint32_t)whole;
        return true;
    }
    const double number = strtod(text, &end);
    end += strspn(end, " ");
    const double ns = strcmp(end, "ns") == 0 ? number : strcmp(end, "us") == 0 ? number * 1e3 : -1;
    const double value = ceil(ns * khz * 1e-6 - 1e-6);
    if (end == text || !(ns >= 0) || value > MOST)
        return false;
    *clocks = (uint32_t)value;
    return true;
}

/* A frequency in MHz as kHz. */
static bool parse_frequency(const char *text, const struct parameter *parameter, uint32_t *khz) {
    char *end;
    const double mhz = strtod(text, &end);
    if (end == text || *end || !(mhz >= parameter->least && mhz <= parameter->most))
        return false;
    *khz = (uint32_t)lround(mhz * 1e3);
    return true;
}

static bool parse_choice(const char *text, const char *choices, uint32_t *value) {
    const size_t n = strlen(text);
    *value = 0;
    for (const char *at = choices; *at; at += strcspn(at, " "), at += *at == ' ', ++*value)
        if (n && strcspn(at, " ") == n && memcmp(at, text, n) == 0)
            return true;
    return false;
}

/* What a parameter accepts. */
static const char *expected(const struct parameter *parameter, char text[96]) {
    static const char *const words[] = {
        [COUNT] = "a number",   [POWER] = "a power of two",
        [FREQUENCY] = "MHz",    [TIME] = "clocks of the memory, or a time as 13.75 ns or 7.8 us",
        [YES_NO] = "yes or no", [TEXT] = "a text of less than 256 characters"};
    if (parameter->kind == CHOICE)
        snprintf(text, 96, "one of: %s", parameter->choices);
    else if (parameter->kind == COUNT || parameter->kind == POWER || parameter->kind == FREQUENCY)
        snprintf(text, 96, "%s from %u to %u", words[parameter->kind], parameter->least, parameter->most);
    else
        snprintf(text, 96, "%s", words[parameter->kind]);
    return text;
}

/* Sets a member from a text; false if it does not fit. Times need clock_khz before. */
static bool set_value(struct dram_config *config, const struct parameter *parameter, const char *text) {
    void *member = (char *)config + parameter->offset;
    uint32_t value = 0;
    uint64_t number;
    bool good = true;
    if (parameter->kind == TEXT) {
        if (strlen(text) >= DRAM_TEXT)
            return false;
        memset(member, 0, DRAM_TEXT);
        memcpy(member, text, strlen(text));
        return true;
    }
    if (parameter->kind == YES_NO) {
        good = parse_choice(text, "no yes", &value);
        memcpy(member, &(bool){value == 1}, sizeof(bool));
        return good;
    }
    if (parameter->kind == COUNT || parameter->kind == POWER) {
        good = text_number(text, parameter->most, &number) && number >= parameter->least;
        value = good ? (uint32_t)number : 0;
        good = good && (parameter->kind == COUNT || (value & (value - 1)) == 0);
    } else if (parameter->kind == TIME)
        good = parse_time(text, config->clock_khz, &value);
    else if (parameter->kind == FREQUENCY)
        good = parse_frequency(text, parameter, &value);
    else
        good = parse_choice(text, parameter->choices, &value);
    memcpy(member, &value, sizeof value);
    return good;
}

static const struct parameter *find_parameter(const char *section, const char *key, size_t n) {
    for (size_t i = 0; i < PARAMETERS; i++)
        if (strlen(parameters[i].key) == n && memcmp(parameters[i].key, key, n) == 0 &&
            (!section || (parameters[i].section ? strcmp(parameters[i].section, section) == 0 : !*section)))
            return &parameters[i];
    return NULL;
}

/* ---- mapping ---- */

static uint32_t log2_of(uint32_t power) {
    return (uint32_t)__builtin_ctz(power ? power : 1);
}

static uint32_t field_bits(const struct dram_config *config, int field) {
    const uint32_t sizes[DRAM_FIELDS] = {config->rows,
                                         config->ranks,
                                         config->banks,
                                         config->groups,
                                         config->columns >= config->burst ? config->columns / config->burst : 1,
                                         config->channels};
    return log2_of(sizes[field]);
}

/* Splits the text into parts, least significant first; bits 255: the rest of the field. */
static bool split_mapping(struct dram_config *config, struct error *err) {
    char text[DRAM_TEXT], *rest = text;
    memcpy(text, config->mapping, sizeof text);
    struct dram_part parts[DRAM_PARTS];
    uint32_t count = 0;
    for (char *word; (word = strsep(&rest, " "));) {
        const size_t n = strcspn(word, ":");
        uint64_t bits = UINT8_MAX;
        int field = 0;
        if (!*word)
            continue;
        while (field < DRAM_FIELDS && (strlen(field_names[field]) != n || memcmp(field_names[field], word, n) != 0))
            field++;
        if (field == DRAM_FIELDS || (word[n] && (!text_number(word + n + 1, 32, &bits) || !bits)))
            return error_set(err,
                             "mapping: found '%s', expected row, rank, bank, group, column or channel, or NAME:BITS "
                             "with 1 to 32 bits",
                             word);
        if (count == DRAM_PARTS)
            return error_set(err, "mapping: found more than %d parts, '%s'", DRAM_PARTS, config->mapping);
        parts[count++] = (struct dram_part){.field = (uint8_t)field, .bits = (uint8_t)bits};
    }
    for (uint32_t i = 0; i < count; i++)
        config->parts[i] = parts[count - 1 - i];
    config->part_count = count;
    return true;
}

/* Gives open parts their bits, and checks that each field has all of its bits. */
static bool complete_mapping(struct dram_config *config, struct error *err) {
    for (int field = 0; field < DRAM_FIELDS; field++) {
        const uint32_t all = field_bits(config, field);
        uint32_t given = 0;
        struct dram_part *open = NULL;
        for (uint32_t i = 0; i < config->part_count; i++) {
            struct dram_part *part = &config->parts[i];
            if (part->field != field)
                continue;
            if (part->bits == UINT8_MAX && open)
                return error_set(err, "mapping: found %s twice without bits in '%s'", field_names[field],
                                 config->mapping);
            if (part->bits == UINT8_MAX)
                open = part;
            else
                given += part->bits;
        }
        if (open && given <= all)
            open->bits = (uint8_t)(all - given);
        else if (given != all)
            return error_set(err, "mapping: found %u bits for %s in '%s', expected %u", given, field_names[field],
                             config->mapping, all);
    }
    return true;
}

/* ---- the whole ---- */

static bool check_timing(const struct dram_config *config, struct error *err) {
    const struct dram_timing *t = &config->t;
    if (t->tRC < t->tRAS + t->tRP)
        return error_set(err, "tRC: found %u clocks, expected at least tRAS + tRP, %u", t->tRC, t->tRAS + t->tRP);
    if (t->tFAW < t->tRRD_S)
        return error_set(err, "tFAW: found %u clocks, expected at least tRRD_S, %u", t->tFAW, t->tRRD_S);
    if (t->tCCD_L < t->tCCD_S || t->tRRD_L < t->tRRD_S || t->tWTR_L < t->tWTR_S)
        return error_set(err, "tCCD_L, tRRD_L and tWTR_L: expected at least tCCD_S, tRRD_S and tWTR_S");
    if (t->tCCD_S < config->burst / 2)
        return error_set(err, "tCCD_S: found %u clocks, expected at least those of a burst, %u", t->tCCD_S,
                         config->burst / 2);
    if (!t->tCL || !t->tCWL || !t->tRCD || !t->tRP || !t->tRAS)
        return error_set(err, "tCL, tCWL, tRCD, tRP, tRAS: expected at least 1 clock each");
    if (config->refresh && t->tREFI < 2 * (uint64_t)t->tRFC)
        return error_set(err, "tREFI: found %u clocks, expected at least twice tRFC, %u", t->tREFI, 2 * t->tRFC);
    return true;
}

/* Computes what follows from the values. */
static bool dram_config_check(struct dram_config *config, struct error *err) {
    if (config->library[0])
        return dram_library_check(config->library, err);
    if (config->columns < config->burst)
        return error_set(err, "columns: found %u, expected at least a burst, %u", config->columns, config->burst);
    if (!config->t.tRTW) /* data of the read, two clocks of turning round, data of the write */
        config->t.tRTW =
            config->t.tCL + config->burst / 2 + 2 - (config->t.tCWL < config->t.tCL ? config->t.tCWL : config->t.tCL);
    return check_timing(config, err) && split_mapping(config, err) && complete_mapping(config, err);
}

/* What is being read. */
struct reading {
    const char *file;
    yaml_document_t document;
    struct dram_config *config;
    size_t lines[PARAMETERS]; /* of the parameters that were found; 0: not found */
    struct error *err;
};

/* Sets the message "FILE:LINE:COLUMN: WHAT". Returns false. */
__attribute__((format(printf, 3, 4))) static bool fail(const struct reading *reading, yaml_mark_t mark,
                                                       const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    autofree char *what = xvprintf(format, arguments);
    va_end(arguments);
    error_set(reading->err, "%s:%zu:%zu: %s", reading->file, mark.line + 1, mark.column + 1, what);
    return false;
}

/* The text of a scalar; NULL of a list, of a mapping, and of a text with a zero character. */
static const char *text_of(const yaml_node_t *node) {
    const char *text = node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
    return text && strlen(text) == node->data.scalar.length ? text : NULL;
}

static bool unknown_key(const struct reading *reading, const yaml_node_t *node, const char *key) {
    struct guess guess = {.word = key, .n = strlen(key)};
    char hint[96];
    for (size_t i = 0; i < PARAMETERS; i++)
        guess_try(&guess, parameters[i].key);
    return fail(reading, node->start_mark, "found the key '%s', expected a parameter of a memory (docs/memory.md)%s",
                key, guess_hint(&guess, hint));
}

static bool read_value(struct reading *reading, const struct parameter *parameter, const yaml_node_t *key,
                       const yaml_node_t *value) {
    char wanted[96], shown[64] = "a list, a mapping or a zero character";
    const char *text = text_of(value);
    size_t *line = &reading->lines[parameter - parameters];
    if (*line)
        return fail(reading, key->start_mark, "found the key '%s' again; it is in line %zu already", parameter->key,
                    *line);
    *line = key->start_mark.line + 1;
    if (text && set_value(reading->config, parameter, text))
        return true;
    const char *quote = text ? "'" : "";
    if (text)
        text_shown_into(text, shown, sizeof shown);
    return fail(reading, value->start_mark, "%s: found %s%s%s, expected %s", parameter->key, quote, shown, quote,
                expected(parameter, wanted));
}

/* The values of a mapping. times: only those that need the frequency, or only the others. */
static bool read_map(struct reading *reading, const yaml_node_t *map, const char *section, bool times) {
    for (const yaml_node_pair_t *pair = map->data.mapping.pairs.start; pair < map->data.mapping.pairs.top; pair++) {
        const yaml_node_t *name = yaml_document_get_node(&reading->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&reading->document, pair->value);
        const char *key = text_of(name);
        if (!key)
            return fail(reading, name->start_mark, "found a list or a mapping as a key, expected a word");
        if (!*section && (strcmp(key, "source") == 0 || strcmp(key, "name") == 0))
            continue;
        if (!*section && (strcmp(key, "timing") == 0 || strcmp(key, "interconnect") == 0)) {
            if (value->type != YAML_MAPPING_NODE)
                return fail(reading, value->start_mark, "%s: found a single value or a list, expected a mapping", key);
            if (!read_map(reading, value, key, times))
                return false;
            continue;
        }
        const struct parameter *parameter = find_parameter(section, key, strlen(key));
        if (!parameter)
            return unknown_key(reading, name, key);
        if ((parameter->kind == TIME) == times && !read_value(reading, parameter, name, value))
            return false;
    }
    return true;
}

static bool not_yaml(const struct reading *reading, const yaml_parser_t *parser) {
    if (parser->error == YAML_MEMORY_ERROR)
        xexhausted();
    if (parser->error == YAML_READER_ERROR)
        return error_set(reading->err, "%s: byte %zu: found 0x%02x, expected text in UTF-8", reading->file,
                         parser->problem_offset, (unsigned)parser->problem_value);
    const char *context = parser->context ? parser->context : "", *comma = parser->context ? ", " : "";
    return fail(reading, parser->problem_mark, "not YAML: %s%s%s; expected the parameters of a memory (docs/memory.md)",
                parser->problem, comma, context);
}

/* The values of a document, which is complete. */
static bool read_document(struct reading *reading, const yaml_node_t *root) {
    if (!root || root->type != YAML_MAPPING_NODE)
        return error_set(reading->err, "%s: expected a mapping with the parameters of a memory (docs/memory.md)",
                         reading->file);
    if (!read_map(reading, root, "", false) || !read_map(reading, root, "", true))
        return false;
    for (size_t i = 0; i < PARAMETERS; i++)
        if (parameters[i].needed && !reading->lines[i] && (!reading->config->library[0] || i == 0))
            return error_set(reading->err, "%s: the parameter %s%s%s is missing (docs/memory.md)", reading->file,
                             parameters[i].section ? parameters[i].section : "", parameters[i].section ? "." : "",
                             parameters[i].key);
    return true;
}

static bool read_text(const char *file, const char *text, size_t n, struct dram_config *config, struct error *err) {
    struct reading reading = {.file = file, .config = config, .err = err};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        xexhausted();
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, n);
    bool good = true;
    for (int i = 0; good && i < 2; i++) { /* what follows the document is empty */
        if (!yaml_parser_load(&parser, &reading.document)) {
            good = not_yaml(&reading, &parser);
            break;
        }
        const yaml_node_t *root = yaml_document_get_root_node(&reading.document);
        good = i == 0 ? read_document(&reading, root)
                      : !root || fail(&reading, root->start_mark, "found a second document, expected one");
        yaml_document_delete(&reading.document);
    }
    yaml_parser_delete(&parser);
    return good;
}

/* Applies "KEY=VALUE,...". */
static bool change(struct dram_config *config, const char *changes, struct error *err) {
    char *words = xstrdup(changes), *rest = words, text[96];
    bool good = true;
    for (char *word; good && (word = strsep(&rest, ","));) {
        char *equal = strchr(word, '=');
        const struct parameter *parameter = equal ? find_parameter(NULL, word, (size_t)(equal - word)) : NULL;
        if (!parameter)
            good = error_set(err, "found '%s', expected KEY=VALUE with a parameter of docs/memory.md", word);
        else if (!set_value(config, parameter, equal + 1))
            good = error_set(err, "%s: found '%s', expected %s", parameter->key, equal + 1, expected(parameter, text));
    }
    free(words);
    return good;
}

/* Reads the file or the named memory. */
static bool read_named(const char *name, struct dram_config *config, struct error *err) {
    autofree char *text = NULL;
    size_t n;
    for (size_t i = 0; i < KNOWN; i++)
        if (strcmp(known[i].name, name) == 0)
            return read_text(name, known[i].text, strlen(known[i].text), config, err);
    if (!strpbrk(name, "./")) {
        struct guess guess = {.word = name, .n = strlen(name)};
        char hint[96];
        for (size_t i = 0; i < KNOWN; i++)
            guess_try(&guess, known[i].name);
        return error_set(err, "found '%s', expected %s, or a file such as ./%s.yml%s", name, dram_names(), name,
                         guess_hint(&guess, hint));
    }
    return file_read(name, &text, &n, err) && read_text(name, text, n, config, err);
}

bool dram_config_read(const char *argument, struct dram_config *config, struct error *err) {
    const size_t n = strcspn(argument, ",");
    autofree char *name = xstrndup(argument, n);
    struct dram_config read = default_config();
    const bool good = read_named(name, &read, err) && (!argument[n] || change(&read, argument + n + 1, err)) &&
                      (dram_config_check(&read, err) || error_prefix(err, "%s: ", name));
    if (good) {
        const char *base = strrchr(name, '/');
        snprintf(read.name, sizeof read.name, "%s", base ? base + 1 : name);
        *config = read;
    }
    return good;
}
