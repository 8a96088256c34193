/* Configurations of NVDLA (chapter 10 section 1). Generated from configurations.csv, like the RTL's packages. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nvdla_map { NVDLA_MAP_FULL, NVDLA_MAP_SMALL, NVDLA_MAP_COUNT };

struct nvdla_config {
    const char *name;
    enum nvdla_map map; /* register map */
    int int16, fp16, weight_compression, winograd, batch_max;
    int atomic_c, atomic_k; /* MAC array: input channels, kernels (INT8) */
    int mem_atom;           /* bytes of one feature-cube atom */
    int cbuf_banks, cbuf_bank_bytes, cbuf_bank_depth;
    int sdp_bs_throughput, sdp_bn_throughput, sdp_ew_throughput, sdp_lut; /* elements per cycle; 0: stage absent */
    int pdp_throughput, cdp_throughput;                                   /* elements per cycle; 0: engine absent */
    int bdma, rubik, secondary_memory;                                    /* 1: built */
    int dbb_data_bits, dbb_burst_beats, dbb_latency;                      /* primary AXI port */
    int cvsram_data_bits, cvsram_burst_beats, cvsram_latency;             /* secondary AXI port, 0: absent */
    int addr_bits;
};

/* Optional features. */
enum nvdla_feature {
    FEATURE_INT16,
    FEATURE_FP16,
    FEATURE_COMPRESSION, /* weight compression */
    FEATURE_WINOGRAD,
    FEATURE_BATCHES, /* several cubes per convolution */
    FEATURE_BS,      /* stages of SDP, with their operand DMA */
    FEATURE_BN,
    FEATURE_EW,
    FEATURE_SDP_LUT, /* look-up table at the end of EW */
    FEATURE_PDP,
    FEATURE_CDP,
    FEATURE_BDMA,
    FEATURE_RUBIK,
    FEATURE_SECONDARY_MEMORY,
    FEATURE_COUNT
};

/* Whether the configuration has the feature; if so, model and RTL implement it. Spec: 10-system section 1. */
bool nvdla_has(const struct nvdla_config *config, enum nvdla_feature feature);

/* Whether a table row applies to the configuration: the int at that offset of struct nvdla_config is not 0.
 * NVDLA_ALWAYS: applies to all. */
bool nvdla_config_meets(const struct nvdla_config *config, size_t condition);
#define NVDLA_ALWAYS SIZE_MAX

/* Codes of every precision register. Configurations without 16-bit types always process INT8. */
enum nvdla_precision { NVDLA_INT8, NVDLA_INT16, NVDLA_FP16 };

/* Bytes of an element. */
static inline int nvdla_element_bytes(enum nvdla_precision precision) {
    return precision == NVDLA_INT8 ? 1 : 2;
}

/* True if the configuration has 16-bit types, so that precision registers count. */
static inline bool nvdla_has_16_bits(const struct nvdla_config *config) {
    return nvdla_has(config, FEATURE_INT16) || nvdla_has(config, FEATURE_FP16);
}

/* Whether the code of a precision register stands for a type of the configuration. */
static inline bool nvdla_has_precision(const struct nvdla_config *config, uint32_t code) {
    return code == NVDLA_INT8 || (code == NVDLA_INT16 && nvdla_has(config, FEATURE_INT16)) ||
           (code == NVDLA_FP16 && nvdla_has(config, FEATURE_FP16));
}

/* The type by which the code of a precision register works: INT8 if the configuration lacks the code's; with all types,
 * code 3 is undefined and stays. Spec: 10-system section 1.1. */
static inline enum nvdla_precision nvdla_precision_of(const struct nvdla_config *config, uint32_t code) {
    const bool all = nvdla_has(config, FEATURE_INT16) && nvdla_has(config, FEATURE_FP16);
    return all || nvdla_has_precision(config, code) ? (enum nvdla_precision)code : NVDLA_INT8;
}

/* Elements a cycle of SDP's pipe: those of its first stage. */
static inline int nvdla_sdp_lanes(const struct nvdla_config *config) {
    return config->sdp_bs_throughput   ? config->sdp_bs_throughput
           : config->sdp_bn_throughput ? config->sdp_bn_throughput
           : config->sdp_ew_throughput ? config->sdp_ew_throughput
                                       : 1;
}

extern const struct nvdla_config nvdla_configs[];
extern const int nvdla_config_count;

/* Returns the configuration of that name, or by values as in config_text.h; NULL if there is none. */
const struct nvdla_config *nvdla_config_find(const char *name);
