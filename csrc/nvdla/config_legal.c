/* Which configurations an RTL exists for. See config_text.h. Spec: 10-system section 1.1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/config_text.h"

enum {
    SIDE_MOST = 1024,   /* so that products stay small */
    MOVED_ATOM = 32,    /* of BDMA, RUBIK and Winograd */
    TILE_LANES = 64,    /* a tile of Winograd: four channels of 16 positions */
    LEAST_KERNELS = 16, /* with 16-bit types: CACC has a row for each of 32 batches */
};

/* Distance of a value from the nearest one of a list, which it stores. */
static int nearest(const char *list, int value, int *near) {
    int best = -1;
    for (const char *at = list; *at;) {
        char *end;
        const int low = (int)strtol(at, &end, 10), high = *end == '-' ? (int)strtol(end + 1, &end, 10) : low;
        const int inside = value < low ? low : value > high ? high : value, distance = abs(value - inside);
        if (best < 0 || distance < best) {
            best = distance;
            *near = inside;
        }
        at = end + strspn(end, " ");
    }
    return best;
}

/* "8, 16 or 32", "16 to 4096". */
static const char *listed(const char *list, char *text, size_t size) {
    size_t n = 0;
    for (const char *at = list; *at && n < size; at++) {
        const char *const word = *at == '-' ? " to " : *at != ' ' ? NULL : strchr(at + 1, ' ') ? ", " : " or ";
        n += (size_t)(word ? snprintf(text + n, size - n, "%s", word) : snprintf(text + n, size - n, "%c", *at));
    }
    return text;
}

struct relation {
    bool holds;
    const char *key;
    int value, expected;
    const char *to; /* what it depends on */
    int other;
};

/* Names the first relation that does not hold, and the others that depend on the same parameter. */
static bool related(const struct relation *relations, size_t count, struct error *err) {
    autotext struct text others = {0};
    const struct relation *first = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct relation *r = &relations[i];
        if (!r->holds && !first)
            first = r;
        else if (!r->holds && strcmp(first->to, r->to) == 0 && strcmp(first->key, r->key) != 0)
            text_printf(&others, "; %s=%d: expected %d", r->key, r->value, r->expected);
    }
    return !first || error_set(err, "%s=%d: expected %d, with %s=%d%s", first->key, first->value, first->expected,
                               first->to, first->other, others.text ? others.text : "");
}

bool nvdla_config_legal(const struct nvdla_config *config, struct error *err) {
    for (size_t i = 0; i < nvdla_parameter_count; i++) {
        const struct nvdla_parameter *parameter = &nvdla_parameters[i];
        const int value = nvdla_parameter_value(config, parameter);
        char values[64], cbuf[32] = "";
        int near = 0;
        const char *const legal = parameter->legal[config->map];
        if (!nearest(legal, value, &near))
            continue;
        if (parameter->offset == offsetof(struct nvdla_config, cbuf_bank_depth))
            snprintf(cbuf, sizeof cbuf, ", cbuf=%dK", near * config->cbuf_banks * config->cbuf_bank_bytes / 1024);
        return error_set(err, "%s=%d (%s): expected %s in the register map of %s; the nearest is %d%s", parameter->key,
                         value, parameter->meaning, listed(legal, values, sizeof values),
                         config->map == NVDLA_MAP_FULL ? "full" : "small", near, cbuf);
    }
    const bool full = config->map == NVDLA_MAP_FULL, lanes_16 = nvdla_has_16_bits(config);
    const char *const type = config->int16 ? "int16" : "fp16";
    const int k = config->atomic_k, lanes = nvdla_sdp_lanes(config);
    const int atom = config->mem_atom, bus = config->dbb_data_bits, second = config->secondary_memory;
#define EQUAL(key, value, wanted, to, other) {(value) == (wanted), key, value, wanted, to, other}
#define AT_MOST(key, value, most, to, other) {(value) <= (most), key, value, most, to, other}
    const struct relation relations[] = {
        {!lanes_16 || k >= LEAST_KERNELS, "k", k, LEAST_KERNELS, type, 1},
        EQUAL("bs", config->sdp_bs_throughput, lanes_16 ? k / 2 : config->sdp_bs_throughput, "k", k),
        EQUAL("bn", config->sdp_bn_throughput, lanes_16 ? k / 2 : config->sdp_bn_throughput, "k", k),
        EQUAL("pdp", config->pdp_throughput, lanes_16 ? k / 4 : config->pdp_throughput, "k", k),
        EQUAL("cdp", config->cdp_throughput, lanes_16 ? k / 4 : config->cdp_throughput, "k", k),
        AT_MOST("winograd", config->winograd, lanes_16, "int16", config->int16),
        AT_MOST("winograd", config->winograd, config->atomic_c >= TILE_LANES, "c", config->atomic_c),
        AT_MOST("winograd", config->winograd, atom == MOVED_ATOM, "atom", atom),
        AT_MOST("batch", config->batch_max, lanes_16 ? config->batch_max : 1, "int16", config->int16),
        EQUAL("bus", bus, full ? 16 * atom : bus, "atom", atom),
        AT_MOST("bdma", config->bdma, atom == MOVED_ATOM, "atom", atom),
        AT_MOST("rubik", config->rubik, atom == MOVED_ATOM, "atom", atom),
        EQUAL("atom", atom, k, "k", k),
        AT_MOST("k", k, config->atomic_c, "c", config->atomic_c),
        EQUAL("bank_width", config->cbuf_bank_bytes, config->atomic_c, "c", config->atomic_c),
        AT_MOST("bs", config->sdp_bs_throughput, atom / 2, "atom", atom),
        AT_MOST("bn", config->sdp_bn_throughput, atom / 2, "atom", atom),
        AT_MOST("ew", config->sdp_ew_throughput, lanes, config->sdp_bs_throughput ? "bs" : "bn", lanes),
        EQUAL("lut", config->sdp_lut, config->sdp_ew_throughput > 0, "ew", config->sdp_ew_throughput),
        AT_MOST("pdp", config->pdp_throughput, atom / 4, "atom", atom),
        AT_MOST("cdp", config->cdp_throughput, atom / 4, "atom", atom),
        EQUAL("secondary_bus", config->cvsram_data_bits, second ? bus : 0, second ? "bus" : "secondary",
              second ? bus : 0),
        AT_MOST("secondary_burst", config->cvsram_burst_beats, second ? 4 : 0, "secondary", second),
        AT_MOST("secondary_latency", config->cvsram_latency, second ? 4096 : 0, "secondary", second),
        AT_MOST("secondary", second, config->cvsram_burst_beats, "secondary_burst", config->cvsram_burst_beats),
        AT_MOST("secondary", second, config->cvsram_latency, "secondary_latency", config->cvsram_latency),
    };
#undef EQUAL
#undef AT_MOST
    return related(relations, sizeof relations / sizeof *relations, err);
}

bool nvdla_config_divides(const struct nvdla_config *config, struct error *err) {
    static const char may_be_zero[] =
        " int16 fp16 winograd compression bs bn ew lut pdp cdp bdma rubik secondary secondary_bus "
        "secondary_burst secondary_latency ";
    for (size_t i = 0; i < nvdla_parameter_count; i++) {
        const struct nvdla_parameter *parameter = &nvdla_parameters[i];
        char word[32];
        snprintf(word, sizeof word, " %s ", parameter->key);
        if (nvdla_parameter_value(config, parameter) == 0 && !strstr(may_be_zero, word))
            return error_set(err, "%s=0 (%s): expected at least 1", parameter->key, parameter->meaning);
    }
    const int *const sides[] = {&config->atomic_c, &config->atomic_k, &config->mem_atom, &config->cbuf_banks,
                                &config->cbuf_bank_bytes};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        if (*sides[i] > SIDE_MOST)
            return error_set(err, "%s: found a size of %d, expected at most %d for array, atom and banks", config->name,
                             *sides[i], SIDE_MOST);
    const int atom = config->mem_atom * 8;
    const int bus = config->dbb_data_bits;
    if ((bus % atom && atom % bus) || bus < 8 || config->mem_atom % nvdla_sdp_lanes(config) ||
        (config->pdp_throughput && config->mem_atom % config->pdp_throughput))
        return error_set(err, "%s: expected a port of a multiple or a part of %d bits, and sdp and pdp that divide %d",
                         config->name, atom, config->mem_atom);
    return true;
}
