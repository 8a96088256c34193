/* What the files of the rule tables share, inside csrc/model. */
#ifndef MODEL_RULES_TABLE_H
#define MODEL_RULES_TABLE_H

#include "model/rules.h"
#include "nvdla_offsets.h"

struct rule {
    enum rule_effect effect;
    bool (*broken)(const struct rules_view *view);
    struct {
        enum nvdla_unit unit;
        uint32_t offset; /* 0: none */
    } shown[2];          /* the registers that a message shows */
    const char *text;    /* the rule and where it stands */
};

struct rule_table {
    const struct rule *rules;
    size_t count;
};

#define RULE_TABLE(rules) ((struct rule_table){rules, sizeof(rules) / sizeof *(rules)})

/* Tables of single units and of layers; empty for units that have none. */
struct rule_table rules_of_convolution(enum nvdla_unit unit);
struct rule_table rules_of_post_processing(enum nvdla_unit unit);
struct rule_table rules_of_convolution_layer(void);
struct rule_table rules_of_post_processing_layer(enum nvdla_unit leader);

/* Value of a register, and one field of it, by the names of nvdla_offsets.h: FIELD(view, SDP, D_CVT_SHIFT, CVT_SHIFT).
 */
uint32_t rules_value(const struct rules_view *view, enum nvdla_unit unit, uint32_t offset);
#define VALUE(view, unit, reg) rules_value(view, NVDLA_##unit, unit##_##reg)
#define FIELD(view, unit, reg, field)                                                                                  \
    ((VALUE(view, unit, reg) & unit##_##reg##__##field##_MASK) >> unit##_##reg##__##field##_LSB)

/* True if precision registers count. */
static inline bool rules_wide(const struct rules_view *view) {
    return nvdla_has_16_bits(view->config);
}

/* A RAM_TYPE that selects a port which the configuration lacks. */
static inline bool rules_no_port(const struct rules_view *view, uint32_t ram_type) {
    return ram_type == 0 && !view->config->secondary_memory;
}

#endif
