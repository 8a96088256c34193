/* Applies a set of rules to register values and describes broken ones. See rules.h. */
#include "model/rules.h"

#include <stdio.h>

#include "model/rules_table.h"
#include "nvdla/registers.h"

const struct rule_set *const rule_sets[RULE_SETS] = {
    &rules_cdma,         &rules_csc,        &rules_core,       &rules_sdp,  &rules_sdp_rdma, &rules_sdp_table,
    &rules_sdp_operands, &rules_sdp_flying, &rules_sdp_to_pdp, &rules_pdp,  &rules_pdp_rdma, &rules_pdp_layer,
    &rules_cdp,          &rules_cdp_rdma,   &rules_cdp_layer,  &rules_rubik};

const struct rule_set *const rules_of_sdp_table = &rules_sdp_table, *const rules_of_cdp_table = &rules_cdp_layer;

/* A register with several fields, or with a field that has named values, is shown with its fields. */
static struct warning_register show(const struct registers_view *view, const struct rule_register *shown) {
    const uint32_t address = nvdla_unit_base(view->config, shown->unit) + shown->offset;
    const struct nvdla_register *reg = nvdla_register_at(view->config, address);
    return (struct warning_register){.address = address,
                                     .value = view_value(view, shown->unit, shown->offset),
                                     .fields = reg && reg->field_count > 0 &&
                                               (reg->field_count > 1 || reg->fields[0].enum_count > 0)};
}

static void report_broken(const struct registers_view *view, const struct rule *rule, rules_report *report,
                          void *context) {
    struct device_warning warning = {
        .ordinal = rule->of_before ? -1 : 0, .effect = rule->effect, .section = rule->section};
    while (warning.register_count < WARNING_REGISTERS && rule->shown[warning.register_count].offset != 0) {
        warning.registers[warning.register_count] =
            show(rule->of_before ? view->before : view, &rule->shown[warning.register_count]);
        warning.register_count++;
    }
    snprintf(warning.rule, sizeof warning.rule, "%s", rule->text);
    report(context, rule->spoils && rule->spoils(view), &warning);
}

void rules_check(const struct rule_set *set, const struct registers_view *view, rules_report *report, void *context) {
    for (int effect = RULE_REFUSED; effect >= RULE_ERRATUM; effect--) {
        for (size_t i = 0; i < set->rule_count; i++) {
            const struct rule *rule = &set->rules[i];
            if ((int)rule->effect == effect && rule->broken(view))
                report_broken(view, rule, report, context);
        }
    }
}
