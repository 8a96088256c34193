/* Applies a set of rules to register values and words what is broken. See rules.h. */
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

/* Adds text at the end; what does not fit is left out. */
static void append(char *text, size_t size, const char *more) {
    size_t length = strlen(text);
    snprintf(text + length, size - length, "%s", more);
}

/* "UNIT.REGISTER = 0x... (fields)", without the fields if the only one is a number */
static void show(const struct registers_view *view, const struct rule_register *shown, char *text, size_t size) {
    char name[64], fields[256], one[264];
    uint32_t address = nvdla_unit_base(view->config, shown->unit) + shown->offset;
    uint32_t value = view_value(view, shown->unit, shown->offset);
    nvdla_register_name(view->config, address, name, sizeof name);
    const struct nvdla_register *reg = nvdla_register_at(view->config, address);
    snprintf(one, sizeof one, "%s = 0x%x", name, (unsigned)value);
    append(text, size, one);
    if (reg && reg->field_count > 0 && (reg->field_count > 1 || reg->fields[0].enum_count > 0)) {
        nvdla_register_decode(reg, value, fields, sizeof fields);
        snprintf(one, sizeof one, " (%s)", fields);
        append(text, size, one);
    }
}

static void tell(const struct registers_view *view, const struct rule *rule, rules_report *report, void *context) {
    char text[RULES_TEXT] = "";
    for (size_t i = 0; i < RULE_SHOWS && rule->shown[i].offset != 0; i++) {
        append(text, sizeof text, i ? ", " : "");
        show(view, &rule->shown[i], text, sizeof text);
    }
    append(text, sizeof text, ": ");
    append(text, sizeof text, rule->text);
    report(context, rule->effect, text);
}

void rules_check(const struct rule_set *set, const struct registers_view *view, rules_report *report, void *context) {
    for (int effect = RULE_REFUSED; effect >= RULE_WARNS; effect--) {
        for (size_t i = 0; i < set->rule_count; i++) {
            const struct rule *rule = &set->rules[i];
            if ((int)rule->effect == effect && rule->broken(view))
                tell(view, rule, report, context);
        }
    }
}
