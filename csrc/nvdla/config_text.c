/* Configurations by words: reading, one object for the same values, the shortest text. See config_text.h. */
#include "nvdla/config_text.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

#define PARAMETER(key, spec, member, small, full, meaning)                                                             \
    {key, spec, #member, offsetof(struct nvdla_config, member), {full, small}, meaning}

/* In the order in which a text names them: a later one may depend on earlier ones. */
const struct nvdla_parameter nvdla_parameters[] = {
    PARAMETER("int16", NULL, int16, "0", "0 1", "16-bit integers"),
    PARAMETER("fp16", NULL, fp16, "0", "0 1", "16-bit floating point"),
    PARAMETER("compression", "WEIGHT_COMPRESSION", weight_compression, "0 1", "0 1", "compressed weights"),
    PARAMETER("winograd", "WINOGRAD", winograd, "0", "0 1", "Winograd convolution"),
    PARAMETER("batch", NULL, batch_max, "1", "1 32", "cubes of one convolution"),
    PARAMETER("c", "MAC_ATOMIC_C_SIZE", atomic_c, "8 16 32 64", "16 32 64", "input channels of the MAC array"),
    PARAMETER("k", "MAC_ATOMIC_K_SIZE", atomic_k, "8 16 32", "8 16 32", "kernels of the MAC array"),
    PARAMETER("atom", "MEMORY_ATOMIC_SIZE", mem_atom, "8 16 32", "8 16 32", "bytes of an atom of a feature cube"),
    PARAMETER("banks", "CBUF_BANK_NUMBER", cbuf_banks, "16 32", "16", "banks of CBUF"),
    PARAMETER("bank_width", "CBUF_BANK_WIDTH", cbuf_bank_bytes, "8 16 32 64", "16 32 64",
              "bytes of an entry of a bank"),
    PARAMETER("bank_depth", "CBUF_BANK_DEPTH", cbuf_bank_depth, "128 256 512", "512",
              "entries of a bank, which cbuf sets"),
    PARAMETER("bs", "SDP_BS_THROUGHPUT", sdp_bs_throughput, "0 1 2 4 8 16", "4 8 16",
              "elements a clock of SDP's BS; 0: no BS"),
    PARAMETER("bn", "SDP_BN_THROUGHPUT", sdp_bn_throughput, "0 1 2 4 8 16", "4 8 16",
              "elements a clock of SDP's BN; 0: no BN"),
    PARAMETER("ew", "SDP_EW_THROUGHPUT", sdp_ew_throughput, "0 1 2 4", "4", "elements a clock of SDP's EW; 0: no EW"),
    PARAMETER("lut", "SDP_LUT", sdp_lut, "0 1", "1", "table after EW"),
    PARAMETER("pdp", "PDP_THROUGHPUT", pdp_throughput, "0 1 2 4 8", "2 4 8", "elements a clock of PDP; 0: no PDP"),
    PARAMETER("cdp", "CDP_THROUGHPUT", cdp_throughput, "0 1 2 4 8", "2 4 8", "elements a clock of CDP; 0: no CDP"),
    PARAMETER("bdma", "BDMA", bdma, "0", "0 1", "BDMA"),
    PARAMETER("rubik", "RUBIK", rubik, "0", "0 1", "RUBIK"),
    PARAMETER("bus", "PRIMARY_MEMIF_WIDTH", dbb_data_bits, "64 128 256 512", "128 256 512", "bits of the AXI port"),
    PARAMETER("burst", "PRIMARY_MEMIF_MAX_BURST_LENGTH", dbb_burst_beats, "1 4", "1", "beats of its longest burst"),
    PARAMETER("latency", "PRIMARY_MEMIF_LATENCY", dbb_latency, "16-4096", "1200",
              "clocks of latency that its reads bridge"),
    PARAMETER("secondary", "SECONDARY_MEMIF", secondary_memory, "0 1", "0 1", "port of a second memory"),
    PARAMETER("secondary_bus", "SECONDARY_MEMIF_WIDTH", cvsram_data_bits, "0 64 128 256 512", "0 128 256 512",
              "bits of the second port"),
    PARAMETER("secondary_burst", "SECONDARY_MEMIF_MAX_BURST_LENGTH", cvsram_burst_beats, "0 1 4", "0 4",
              "beats of its longest burst"),
    PARAMETER("secondary_latency", "SECONDARY_MEMIF_LATENCY", cvsram_latency, "0 16-4096", "0 128",
              "clocks of latency that its reads bridge"),
    PARAMETER("address_bits", "MEM_ADDRESS_WIDTH", addr_bits, "32 64", "64", "bits of an address"),
};
const size_t nvdla_parameter_count = sizeof nvdla_parameters / sizeof *nvdla_parameters;

/* What comes with a number of multipliers. Banks of CBUF are as wide as the channels of an atom. */
static const struct {
    int macs, atomic_c, atomic_k, mem_atom, banks, sdp, pdp, port, latency;
} arrays[] = {{32, 8, 4, 4, 32, 1, 1, 64, 64},         {64, 8, 8, 8, 32, 1, 1, 64, 64},
              {128, 16, 8, 8, 32, 1, 1, 64, 64},       {256, 32, 8, 8, 32, 2, 1, 64, 64},
              {512, 32, 16, 16, 32, 4, 2, 128, 256},   {1024, 32, 32, 32, 32, 8, 4, 256, 1024},
              {2048, 64, 32, 32, 16, 16, 8, 256, 1024}};

enum { NUMBER_MOST = 1 << 30 };

static int *value_at(struct nvdla_config *config, const struct nvdla_parameter *parameter) {
    return (int *)((char *)config + parameter->offset);
}

int nvdla_parameter_value(const struct nvdla_config *config, const struct nvdla_parameter *parameter) {
    return *(const int *)((const char *)config + parameter->offset);
}

/* In the map of full throughputs follow the array, as 16-bit types need them, and what smaller arrays lack goes. */
static void set_array(struct nvdla_config *config, int atomic_c, int atomic_k) {
    const bool full = config->map == NVDLA_MAP_FULL;
    config->atomic_c = config->cbuf_bank_bytes = atomic_c;
    config->atomic_k = config->mem_atom = atomic_k;
    config->dbb_data_bits = (full ? 16 : 8) * atomic_k;
    if (config->secondary_memory)
        config->cvsram_data_bits = config->dbb_data_bits;
    if (!full)
        return;
    config->sdp_bs_throughput = config->sdp_bn_throughput = atomic_k / 2;
    config->pdp_throughput = config->cdp_throughput = atomic_k / 4;
    config->winograd = config->winograd && atomic_c == 64 && atomic_k == 32;
    config->bdma = config->bdma && atomic_k == 32;
    config->rubik = config->rubik && atomic_k == 32;
}

static bool set_macs(struct nvdla_config *config, long macs) {
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        if (arrays[i].macs != macs)
            continue;
        config->int16 = config->fp16 = config->winograd = config->weight_compression = 0;
        config->batch_max = 1;
        set_array(config, arrays[i].atomic_c, arrays[i].atomic_k);
        config->mem_atom = arrays[i].mem_atom;
        config->cbuf_banks = arrays[i].banks;
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

/* The port of the second memory, like the first one, or none. */
static void set_secondary(struct nvdla_config *config, bool present) {
    if (!present)
        config->cvsram_data_bits = config->cvsram_burst_beats = config->cvsram_latency = 0;
    else if (!config->secondary_memory) {
        config->cvsram_data_bits = config->dbb_data_bits;
        config->cvsram_burst_beats = config->dbb_burst_beats;
        config->cvsram_latency = config->dbb_latency;
    }
    config->secondary_memory = present;
}

/* A number, with K or M; -1 if it is none. */
static long number_of(const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (value > NUMBER_MOST)
        return -1;
    if (*end == 'K' || *end == 'M')
        value *= *end++ == 'K' ? 1024L : 1024L * 1024;
    return end == text || *end || value < 0 || value > NUMBER_MOST ? -1 : value;
}

/* The number of multipliers in the list that is nearest to another one. */
static int nearest_macs(long macs) {
    int best = arrays[0].macs;
    for (size_t i = 1; i < sizeof arrays / sizeof *arrays; i++)
        if (labs(arrays[i].macs - macs) < labs(best - macs))
            best = arrays[i].macs;
    return best;
}

static bool read_macs(struct nvdla_config *config, const char *value, struct error *err) {
    int c = 0, k = 0, end = 0;
    if (sscanf(value, "%4dx%4d%n", &c, &k, &end) == 2 && !value[end] && c > 0 && k > 0)
        set_array(config, c, k);
    else if (!set_macs(config, number_of(value)))
        return error_set(err,
                         "macs=%s: expected 32, 64, 128, 256, 512, 1024 or 2048 (the nearest is %d), or channels by "
                         "kernels such as 32x16",
                         value, nearest_macs(number_of(value)));
    return true;
}

static bool read_cbuf(struct nvdla_config *config, const char *value, struct error *err) {
    const long bytes = number_of(value), row = (long)config->cbuf_banks * config->cbuf_bank_bytes;
    const int most = row > 0 ? 65536 / config->cbuf_banks : 0;
    if (row <= 0 || bytes % row || bytes / row < 16 || bytes / row > most)
        return error_set(err, "cbuf=%s: expected 16 to %d times the %ld bytes of a row of %d banks, such as 128K",
                         value, most, row, config->cbuf_banks);
    config->cbuf_bank_depth = (int)(bytes / row);
    return true;
}

static const struct nvdla_parameter *find(const char *key) {
    for (size_t i = 0; i < nvdla_parameter_count; i++)
        if (strcmp(nvdla_parameters[i].key, key) == 0)
            return &nvdla_parameters[i];
    return NULL;
}

static bool unknown(const char *key, struct error *err) {
    struct guess guess = {.word = key, .n = strlen(key)};
    autotext struct text keys = {0};
    char hint[96];
    for (size_t i = 0; i < nvdla_parameter_count; i++) {
        guess_try(&guess, nvdla_parameters[i].key);
        text_printf(&keys, ", %s", nvdla_parameters[i].key);
    }
    error_set(err, "found '%s', expected macs, cbuf, port, sdp%s%s", key, keys.text, guess_hint(&guess, hint));
    return false;
}

bool nvdla_config_set(struct nvdla_config *config, const char *key, const char *value, struct error *err) {
    if (strcmp(key, "macs") == 0)
        return read_macs(config, value, err);
    if (strcmp(key, "cbuf") == 0)
        return read_cbuf(config, value, err);
    const bool sdp = strcmp(key, "sdp") == 0;
    const struct nvdla_parameter *parameter = find(sdp ? "bs" : strcmp(key, "port") == 0 ? "bus" : key);
    if (!parameter)
        return unknown(key, err);
    const long number = number_of(value);
    if (number < 0 || number > 65536)
        return error_set(err, "%s=%s: expected a number from 0 to 65536", key, value);
    const bool alike = config->secondary_memory && config->cvsram_data_bits == config->dbb_data_bits;
    if (strcmp(key, "secondary") == 0)
        set_secondary(config, number != 0);
    else
        *value_at(config, parameter) = (int)number;
    if (alike && strcmp(parameter->key, "bus") == 0)
        config->cvsram_data_bits = config->dbb_data_bits;
    if (sdp)
        config->sdp_bn_throughput = (int)number;
    return true;
}

/* ---- the text with the fewest changes ---- */

/* What makes a configuration of another one of its map. */
static char *difference(const struct nvdla_config *from, const struct nvdla_config *to) {
    struct nvdla_config now = *from;
    struct text text = {0};
    char value[32];
    text_put(&text, from->name);
    snprintf(value, sizeof value, "%dx%d", to->atomic_c, to->atomic_k);
    if ((now.atomic_c != to->atomic_c || now.atomic_k != to->atomic_k) && read_macs(&now, value, NULL))
        text_printf(&text, "+macs-%s", value);
    for (size_t i = 0; i < nvdla_parameter_count; i++) {
        const struct nvdla_parameter *parameter = &nvdla_parameters[i];
        snprintf(value, sizeof value, "%d", nvdla_parameter_value(to, parameter));
        if (nvdla_parameter_value(&now, parameter) != nvdla_parameter_value(to, parameter) &&
            nvdla_config_set(&now, parameter->key, value, NULL))
            text_printf(&text, "+%s-%s", parameter->key, value);
    }
    return text.text;
}

static size_t changes(const char *text) {
    size_t n = 0;
    for (; (text = strchr(text, '+')); text++)
        n++;
    return n;
}

/* The text with the fewest changes, in characters that file names and make take. To be freed. */
static char *shortest(const struct nvdla_config *config) {
    char *best = NULL;
    for (int i = 0; i < nvdla_config_count; i++) {
        char *text = nvdla_configs[i].map == config->map ? difference(&nvdla_configs[i], config) : NULL;
        const bool shorter = text && (!best || changes(text) < changes(best));
        free(shorter ? best : text);
        best = shorter ? text : best;
    }
    return best;
}

/* ---- one object for the same values ---- */

struct known {
    struct nvdla_config config;
    struct known *next;
};

static bool same_values(const struct nvdla_config *a, const struct nvdla_config *b) {
    bool same = a->map == b->map;
    for (size_t i = 0; same && i < nvdla_parameter_count; i++)
        same = nvdla_parameter_value(a, &nvdla_parameters[i]) == nvdla_parameter_value(b, &nvdla_parameters[i]);
    return same;
}

static const struct nvdla_config *intern(const struct nvdla_config *config) {
    static struct known *lists[256]; /* by a sum of the values */
    unsigned sum = 0;
    for (size_t i = 0; i < nvdla_parameter_count; i++)
        sum = sum * 37 + (unsigned)nvdla_parameter_value(config, &nvdla_parameters[i]);
    struct known **const all = &lists[(sum ^ sum >> 8 ^ sum >> 16) % 256];
    for (int i = 0; i < nvdla_config_count; i++)
        if (same_values(&nvdla_configs[i], config))
            return &nvdla_configs[i];
    for (const struct known *known = *all; known; known = known->next)
        if (same_values(&known->config, config))
            return &known->config;
    struct known *made = xmalloc(sizeof *made);
    *made = (struct known){.config = *config, .next = *all};
    made->config.name = shortest(config);
    *all = made;
    return &made->config;
}

static const struct nvdla_config *named(const char *name) {
    for (int i = 0; i < nvdla_config_count; i++)
        if (strcmp(nvdla_configs[i].name, name) == 0)
            return &nvdla_configs[i];
    return NULL;
}

const struct nvdla_config *nvdla_config_base(const struct nvdla_config *config) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(config->name, "+"), config->name);
    return named(name);
}

static bool no_such(const char *name, struct error *err) {
    autotext struct text names = {0};
    for (int i = 0; i < nvdla_config_count; i++)
        text_printf(&names, "%s%s", i ? ", " : "", nvdla_configs[i].name);
    error_set(err, "there is no configuration '%s'; expected one of %s, or NAME,KEY=VALUE,...", name, names.text);
    return false;
}

int nvdla_config_turn(const char *key) {
    static const char *const first[] = {"base", "macs", "sdp"};
    for (int turn = 0; turn < 3; turn++)
        if (strcmp(key, first[turn]) == 0)
            return turn;
    if (strcmp(key, "cbuf") == 0 || strncmp(key, "secondary_", 10) == 0)
        return 5;
    return strcmp(key, "secondary") == 0 ? 4 : 3;
}

static bool set_words(const char *text, int turn, struct nvdla_config *config, struct error *err) {
    char *const words = xstrdup(text), *rest = words;
    bool good = true;
    for (char *value; good && (value = strsep(&rest, ","));) {
        const char *const key = strsep(&value, "=");
        if (!value)
            good = error_set(err, "found '%s', expected KEY=VALUE", key);
        else if (nvdla_config_turn(key) == turn)
            good = nvdla_config_set(config, key, value, err);
    }
    free(words);
    return good;
}

static bool read_into(char *text, struct nvdla_config *config, struct error *err) {
    const char *const name = strsep(&text, ",");
    const struct nvdla_config *base = named(name);
    if (!base)
        return no_such(name, err);
    *config = *base;
    bool good = true;
    for (int turn = 0; text && good && turn < NVDLA_CONFIG_TURNS; turn++)
        good = set_words(text, turn, config, err);
    return good;
}

const struct nvdla_config *nvdla_config_read(const char *text, struct error *err) {
    struct nvdla_config config;
    autofree char *words = xstrdup(text);
    for (char *at = strchr(words, '+') ? words : NULL; at && (at = strpbrk(at, "+-")); at++) /* a name */
        *at = *at == '+' ? ',' : '=';
    const bool is_file = text_ends_with(text, ".spec") || text_ends_with(text, ".yml") || text_ends_with(text, ".yaml");
    const bool good = is_file ? nvdla_config_file(text, &config, NULL, err) : read_into(words, &config, err);
    return good ? intern(&config) : NULL;
}

const struct nvdla_config *nvdla_config_find(const char *name) {
    return nvdla_config_read(name, NULL);
}
