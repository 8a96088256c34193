/* Configurations without an RTL. See variant.h. */
#include "estimate/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* What comes with a number of multipliers. Banks of CBUF are as wide as the channels of an atom. */
static const struct {
    int macs, atomic_c, atomic_k, mem_atom, banks, sdp, pdp, port, latency;
} arrays[] = {{32, 8, 4, 4, 32, 1, 1, 64, 64},         {64, 8, 8, 8, 32, 1, 1, 64, 64},
              {128, 16, 8, 8, 32, 1, 1, 64, 64},       {256, 32, 8, 8, 32, 2, 1, 64, 64},
              {512, 32, 16, 16, 32, 4, 2, 128, 256},   {1024, 32, 32, 32, 32, 8, 4, 256, 1024},
              {2048, 64, 32, 32, 16, 16, 8, 256, 1024}};

static bool set_macs(struct nvdla_config *config, int macs) {
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].macs != macs)
            continue;
        config->int16 = config->fp16 = config->winograd = config->weight_compression = 0;
        config->batch_max = 1;
        config->atomic_c = arrays[i].atomic_c;
        config->atomic_k = arrays[i].atomic_k;
        config->mem_atom = arrays[i].mem_atom;
        config->cbuf_banks = arrays[i].banks;
        config->cbuf_bank_bytes = arrays[i].atomic_c;
        config->cbuf_bank_depth = 512;
        config->sdp_bs_throughput = config->sdp_bn_throughput = arrays[i].sdp;
        config->pdp_throughput = config->cdp_throughput = arrays[i].pdp;
        config->dbb_data_bits = arrays[i].port;
        config->dbb_burst_beats = 1;
        config->dbb_latency = arrays[i].latency;
        return true;
    }
    return false;
}

static bool set_cbuf(struct nvdla_config *config, long bytes) {
    const long row = (long)config->cbuf_banks * config->cbuf_bank_bytes, depth = bytes / row;
    if (bytes % row || depth < 16 || depth > 65536 / config->cbuf_banks)
        return false;
    config->cbuf_bank_depth = (int)depth;
    return true;
}

/* A number with K or M; -1 if it is none. */
static long number_of(const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*end == 'K' || *end == 'M')
        value *= *end++ == 'K' ? 1024L : 1024L * 1024;
    return end == text || *end || value < 1 || value > 1L << 30 ? -1 : value;
}

static bool set(struct config_variant *variant, const char *key, const char *value, struct error *err) {
    struct nvdla_config *config = &variant->config;
    const long number = number_of(value);
    if (strcmp(key, "macs") == 0) {
        variant->other_atoms = true;
        return set_macs(config, (int)number) ||
               error_set(err, "macs=%s: expected 32, 64, 128, 256, 512, 1024 or 2048", value);
    }
    if (strcmp(key, "cbuf") == 0)
        return set_cbuf(config, number) ||
               error_set(err, "cbuf=%s: expected a multiple of the %d bytes of a row of %d banks, such as 128K", value,
                         config->cbuf_banks * config->cbuf_bank_bytes, config->cbuf_banks);
    const struct {
        const char *key;
        int *value;
        long most;
    } keys[] = {{"port", &config->dbb_data_bits, 1024},
                {"latency", &config->dbb_latency, 65536},
                {"sdp", &config->sdp_bs_throughput, 64},
                {"pdp", &config->pdp_throughput, 64}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (strcmp(key, keys[i].key) != 0)
            continue;
        *keys[i].value = (int)number;
        return (number >= 1 && number <= keys[i].most) ||
               error_set(err, "%s=%s: expected a number from 1 to %ld", key, value, keys[i].most);
    }
    return error_set(err, "found '%s', expected macs, cbuf, port, latency, sdp or pdp", key);
}

/* Sizes that fit each other. */
static bool is_whole(const struct config_variant *variant, struct error *err) {
    const struct nvdla_config *config = &variant->config;
    const int atom = config->mem_atom * 8;
    if (config->dbb_data_bits % atom || config->mem_atom % config->sdp_bs_throughput ||
        config->mem_atom % config->pdp_throughput)
        return error_set(err, "%s: expected a port of a multiple of %d bits, and sdp and pdp that divide %d",
                         variant->name, atom, config->mem_atom);
    return true;
}

bool config_variant_read(const char *text, struct config_variant *variant, struct error *err) {
    char *copy = xstrdup(text), *rest = copy;
    const char *const name = strsep(&rest, ",");
    const struct nvdla_config *base = nvdla_config_find(name);
    bool good = base || error_set(err, "there is no configuration '%s'", name);
    *variant = (struct config_variant){0};
    snprintf(variant->name, sizeof variant->name, "%s", text);
    if (base)
        variant->config = *base;
    for (char *value; good && (value = strsep(&rest, ","));) {
        const char *const key = strsep(&value, "=");
        good = value ? set(variant, key, value, err) : error_set(err, "found '%s', expected KEY=VALUE", key);
    }
    good = good && is_whole(variant, err);
    variant->config.name = variant->name;
    free(copy);
    return good || error_prefix(err, "--config: ");
}
