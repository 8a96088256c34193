#include "model/rules.h"

#include <stdio.h>
#include <string.h>

#include "model/rules_table.h"
#include "nvdla/registers.h"

const struct rule_set *const rule_sets[RULE_SETS] = {
    &rules_cdma,         &rules_csc,        &rules_core,       &rules_sdp,  &rules_sdp_rdma, &rules_sdp_table,
    &rules_sdp_operands, &rules_sdp_flying, &rules_sdp_to_pdp, &rules_pdp,  &rules_pdp_rdma, &rules_pdp_layer,
    &rules_cdp,          &rules_cdp_rdma,   &rules_cdp_layer,  &rules_rubik};

const struct rule_set *const rules_of_sdp_table = &rules_sdp_table, *const rules_of_cdp_table = &rules_cdp_layer;

struct register_group rules_registers(const struct rules_view *view, enum nvdla_unit unit) {
    struct register_group registers = view->units[unit];
    registers.consumer = view->group[unit];
    return registers;
}

uint32_t rules_value(const struct rules_view *view, enum nvdla_unit unit, uint32_t offset) {
    return register_group_of(&view->units[unit], view->group[unit], offset);
}

/* "UNIT.REGISTER = 0x... (fields)". Returns the characters written. */
static size_t show(const struct rules_view *view, enum nvdla_unit unit, uint32_t offset, char *text, size_t size) {
    char fields[100];
    uint32_t address = nvdla_unit_base(view->config, unit) + offset, value = rules_value(view, unit, offset);
    const struct nvdla_register *reg = nvdla_register_at(view->config, address);
    nvdla_register_decode(reg, value, fields, sizeof fields);
    int n = snprintf(text, size, "%s.%s = 0x%x (%s)", nvdla_unit_names[unit], reg ? reg->name : "?", (unsigned)value,
                     fields);
    return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

char *rules_effect(char *text, size_t size, enum rule_effect effect) {
    static const char *const effects[] = {"", "; the hardware hangs", "; the result is undefined"};
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", effects[effect]);
    return text;
}

static void tell(const struct rules_view *view, const struct rule *rule, rules_report *report, void *context) {
    char text[640];
    size_t at = 0;
    for (size_t i = 0; i < RULE_SHOWS && rule->shown[i].offset != 0; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s", i ? ", " : "");
        at += show(view, rule->shown[i].unit, rule->shown[i].offset, text + at, sizeof text - at);
    }
    snprintf(text + at, sizeof text - at, ": %s", rule->text);
    report(context, rule->effect, rules_effect(text, sizeof text, rule->effect));
}

void rules_check(const struct rule_set *set, const struct rules_view *view, rules_report *report, void *context) {
    for (int effect = RULE_REFUSED; effect >= RULE_WARNS; effect--) {
        for (size_t i = 0; i < set->rule_count; i++) {
            const struct rule *rule = &set->rules[i];
            if ((int)rule->effect == effect && rule->broken(view)) {
                tell(view, rule, report, context);
            }
        }
    }
}
