/* Configurations as files: NVIDIA's .spec, and YAML. See config_text.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/clients.h"
#include "nvdla/config_text.h"
#include "nvdla/text.h"

enum { LINE = 1024 };

/* Without effect on this project's RTL, which has no such choice, or derives it. */
static const char *const ignored_specs[] = {"RETIMING",       "RUBIK_CONTRACT",       "RUBIK_RESHAPE",
                                            "MAX_BATCH_SIZE", "NUM_DMA_READ_CLIENTS", "NUM_DMA_WRITE_CLIENTS"};
/* Stages whose ENABLE says nothing that the throughput does not. */
static const char *const stage_specs[] = {"SDP_BS", "SDP_BN", "SDP_EW", "PDP", "CDP"};

/* The rest of a word behind NAME_, NULL if it does not begin so. */
static const char *behind(const char *word, const char *name) {
    const size_t n = name ? strlen(name) : 0;
    return n && strncmp(word, name, n) == 0 && word[n] == '_' ? word + n + 1 : NULL;
}

static bool is_switch(const char *value) {
    return strcmp(value, "ENABLE") == 0 || strcmp(value, "DISABLE") == 0;
}

/* KEY and VALUE of a parameter that a word sets; false: it is none. */
static bool parameter_of(const char *word, const char **key, const char **value) {
    for (size_t i = 0; i < nvdla_parameter_count; i++) {
        const char *rest = behind(word, nvdla_parameters[i].spec);
        if (!rest || (strspn(rest, "0123456789") != strlen(rest) && strcmp(rest, "x") != 0 && !is_switch(rest)))
            continue;
        *key = nvdla_parameters[i].key;
        *value = strcmp(rest, "x") == 0 || strcmp(rest, "DISABLE") == 0 ? "0"
                 : strcmp(rest, "ENABLE") == 0                          ? "1"
                                                                        : rest;
        return true;
    }
    return false;
}

/* Whether a stage is switched off: its throughput is 0 then. */
static bool stage_of(const char *word, char key[16], const char **value) {
    for (size_t i = 0; i < sizeof stage_specs / sizeof *stage_specs; i++) {
        *value = behind(word, stage_specs[i]);
        if (*value && is_switch(*value)) {
            const char *name = strrchr(stage_specs[i], '_');
            snprintf(key, 16, "%s", name ? name + 1 : stage_specs[i]);
            for (char *c = key; *c; c++)
                *c = (char)(*c | 0x20);
            return true;
        }
    }
    return false;
}

static bool is_ignored(const char *word) {
    bool found = strncmp(word, "NV_", 3) == 0;
    for (size_t i = 0; i < sizeof ignored_specs / sizeof *ignored_specs; i++)
        found = found || behind(word, ignored_specs[i]);
    return found;
}

/* off: stages that are switched off, to be set to 0 at the end, in words " bs bn". */
static bool read_word(const char *word, struct nvdla_config *config, struct text *off, struct text *ignored,
                      struct error *err) {
    const char *key, *value;
    char stage[16];
    if (strcmp(word, "FEATURE_DATA_TYPE_INT8") == 0 || strcmp(word, "WEIGHT_DATA_TYPE_INT8") == 0)
        return true;
    if (strcmp(word, "BATCH_DISABLE") == 0 || strcmp(word, "BATCH_ENABLE") == 0)
        return nvdla_config_set(config, "batch", word[6] == 'E' ? "32" : "1", err);
    if (stage_of(word, stage, &value)) {
        if (strcmp(value, "DISABLE") == 0)
            text_printf(off, " %s", stage);
        return true;
    }
    if (is_ignored(word)) {
        if (ignored)
            text_printf(ignored, "%s%s", ignored->n ? ", " : "", word);
        return true;
    }
    if (parameter_of(word, &key, &value))
        return nvdla_config_set(config, key, value, err);
    return error_set(err, "found '%s', expected a word of NVIDIA's spec/defs, such as MAC_ATOMIC_C_SIZE_32", word);
}

static bool read_spec_line(char *line, struct nvdla_config *config, struct text *off, struct text *ignored,
                           struct error *err) {
    char word[128];
    line[strcspn(line, "\r\n")] = '\0';
    line += strspn(line, " \t");
    if (!*line || strncmp(line, "//", 2) == 0 || strncmp(line, "#include", 8) == 0)
        return true;
    if (sscanf(line, "#define %127s", word) != 1)
        return error_set(err, "found '%.80s', expected #define WORD", line);
    return read_word(word, config, off, ignored, err);
}

static bool read_yaml_line(char *line, int turn, struct nvdla_config *config, struct error *err) {
    char key[64], value[64], rest[2];
    line[strcspn(line, "#\r\n")] = '\0';
    const int found = sscanf(line, " %63[^ :] : %63s %1s", key, value, rest);
    if (found < 1)
        return true;
    if (found != 2)
        return error_set(err, "found '%.80s', expected KEY: VALUE", line);
    if (nvdla_config_turn(key) != turn)
        return true;
    if (strcmp(key, "base") != 0)
        return nvdla_config_set(config, key, value, err);
    const struct nvdla_config *base =
        strchr(value, '.') ? NULL : nvdla_config_read(value, err); /* a file might name itself */
    if (strchr(value, '.'))
        return error_set(err, "base: found '%s', expected a configuration by name or by values", value);
    if (base)
        *config = *base;
    return base != NULL;
}

bool nvdla_config_file(const char *path, struct nvdla_config *config, struct text *ignored, struct error *err) {
    const bool spec = text_ends_with(path, ".spec");
    autotext struct text off = {0};
    FILE *in = fopen(path, "r");
    if (!in)
        return error_set(err, "%s: cannot open: %m", path);
    *config = *nvdla_config_find("small");
    char line[LINE];
    bool good = true;
    int number = 0;
    for (int turn = 0; good && turn < (spec ? 1 : NVDLA_CONFIG_TURNS); turn++) {
        rewind(in);
        for (number = 0; good && fgets(line, sizeof line, in); number++)
            good = spec ? read_spec_line(line, config, &off, ignored, err) : read_yaml_line(line, turn, config, err);
    }
    if (!good)
        error_prefix(err, "%s:%d: ", path, number);
    fclose(in);
    for (char *at = off.text ? off.text + 1 : NULL, *key; good && at && (key = strsep(&at, " "));)
        good = nvdla_config_set(config, key, "0", err);
    return good;
}

void nvdla_config_print_spec(FILE *out, const struct nvdla_config *config) {
    fprintf(out, "#define FEATURE_DATA_TYPE_INT8\n#define WEIGHT_DATA_TYPE_INT8\n#define BATCH_DISABLE\n");
    for (size_t i = 0; i < nvdla_parameter_count; i++) {
        const struct nvdla_parameter *parameter = &nvdla_parameters[i];
        const int value = nvdla_parameter_value(config, parameter);
        if (!parameter->spec)
            continue;
        if (strchr(parameter->spec, '_') && strcmp(parameter->legal[NVDLA_MAP_SMALL], "0 1") != 0)
            fprintf(out, value ? "#define %s_%d\n" : "#define %s_x\n", parameter->spec, value);
        else
            fprintf(out, "#define %s_%s\n", parameter->spec, value ? "ENABLE" : "DISABLE");
    }
    const int throughputs[] = {config->sdp_bs_throughput, config->sdp_bn_throughput, config->sdp_ew_throughput,
                               config->pdp_throughput, config->cdp_throughput};
    for (size_t i = 0; i < sizeof throughputs / sizeof *throughputs; i++)
        fprintf(out, "#define %s_%s\n", stage_specs[i], throughputs[i] ? "ENABLE" : "DISABLE");
    fprintf(out,
            "#define RUBIK_CONTRACT_DISABLE\n#define RUBIK_RESHAPE_DISABLE\n#define RETIMING_DISABLE\n"
            "#define MAX_BATCH_SIZE_x\n#define NUM_DMA_READ_CLIENTS_%d\n#define NUM_DMA_WRITE_CLIENTS_%d\n"
            "#include \"projects.spec\"\n",
            __builtin_popcount(nvdla_client_ids(config, false)), __builtin_popcount(nvdla_client_ids(config, true)));
}
