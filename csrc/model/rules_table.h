/* Shared by the files of the rules, private to csrc/model. The rules are in rules_NAME.csv, whose conditions are
 * expressions over registers and the functions of rules_NAME.c; scripts/gen_rules.py has the columns. */
#pragma once

#include "device/device.h"
#include "layers/view.h"
#include "nvdla_offsets.h"

struct rule {
    enum rule_effect effect;
    bool (*broken)(const struct registers_view *view);
    const char *text, *section; /* what is wrong; the section that says so */
    struct rule_register {
        enum nvdla_unit unit;
        uint32_t offset;                               /* 0: none */
    } shown[WARNING_REGISTERS];                        /* the registers that break it */
    bool of_before;                                    /* those of the launch before, which the message names */
    bool (*spoils)(const struct registers_view *view); /* the next launch hangs or is wrong; NULL: it does not */
};

/* Defines a condition of a rule: a function of the registers, `view`. */
#define CONDITION(name, ...)                                                                                           \
    static bool name(const struct registers_view *view) {                                                              \
        return __VA_ARGS__;                                                                                            \
    }

/* The sets, by file. */
extern const struct rule_set rules_cdma, rules_csc, rules_core;
extern const struct rule_set rules_sdp, rules_sdp_rdma, rules_sdp_table, rules_sdp_operands, rules_sdp_flying,
    rules_sdp_to_pdp;
extern const struct rule_set rules_pdp, rules_pdp_rdma, rules_pdp_layer;
extern const struct rule_set rules_cdp, rules_cdp_rdma, rules_cdp_layer;
extern const struct rule_set rules_rubik;

/* True if precision registers count. */
static inline bool wide(const struct registers_view *view) {
    return nvdla_has_16_bits(view->config);
}

static inline bool has(const struct registers_view *view, enum nvdla_feature feature) {
    return nvdla_has(view->config, feature);
}

static inline bool has_precision(const struct registers_view *view, uint32_t precision) {
    return nvdla_has_precision(view->config, precision);
}

/* Bytes of an atom. */
static inline uint32_t atom(const struct registers_view *view) {
    return (uint32_t)view->config->mem_atom;
}

/* A RAM_TYPE that selects an absent port. */
static inline bool no_port(const struct registers_view *view, uint32_t ram_type) {
    return ram_type == 0 && !nvdla_has(view->config, FEATURE_SECONDARY_MEMORY);
}

/* True if an address or stride has bits below an atom, which only the small register map can express. */
static inline bool rules_misaligned(const struct registers_view *view, uint64_t bytes) {
    return bytes % atom(view) != 0;
}
