#include "model/rules.h"

#include <stdio.h>
#include <string.h>

#include "model/rules_table.h"
#include "nvdla/registers.h"

uint32_t rules_value(const struct rules_view *view, enum nvdla_unit unit, uint32_t offset) {
    return register_group_of(&view->units[unit], view->group[unit], offset);
}

/* "UNIT.REGISTER = 0x... (fields)". Returns the characters written. */
static size_t show(const struct rules_view *view, enum nvdla_unit unit, uint32_t offset, char *text, size_t size) {
    char fields[200];
    uint32_t address = nvdla_unit_base(view->config, unit) + offset, value = rules_value(view, unit, offset);
    const struct nvdla_register *reg = nvdla_register_at(view->config, address);
    nvdla_register_decode(reg, value, fields, sizeof fields);
    int n = snprintf(text, size, "%s.%s = 0x%x (%s)", nvdla_unit_names[unit], reg ? reg->name : "?", (unsigned)value,
                     fields);
    return n < 0 ? 0 : (size_t)n < size ? (size_t)n : size - 1;
}

static void tell(const struct rules_view *view, const struct rule *rule, rules_report *report, void *context) {
    static const char *const effects[] = {"", "; the hardware hangs", "; the hardware hangs",
                                          "; the result is undefined"};
    char text[600];
    size_t at = 0;
    for (size_t i = 0; i < 2 && rule->shown[i].offset != 0; i++) {
        at += (size_t)snprintf(text + at, sizeof text - at, "%s", i ? ", " : "");
        at += show(view, rule->shown[i].unit, rule->shown[i].offset, text + at, sizeof text - at);
    }
    snprintf(text + at, sizeof text - at, ": %s%s", rule->text, effects[rule->effect]);
    report(context, rule->effect, text);
}

static void check(const struct rules_view *view, struct rule_table table, rules_report *report, void *context) {
    for (int effect = RULE_REFUSED; effect >= RULE_WARNS; effect--) {
        for (size_t i = 0; i < table.count; i++) {
            const struct rule *rule = &table.rules[i];
            if ((int)rule->effect == effect && rule->broken(view)) {
                tell(view, rule, report, context);
            }
        }
    }
}

void rules_check_unit(const struct rules_view *view, enum nvdla_unit unit, rules_report *report, void *context) {
    check(view, rules_of_convolution(unit), report, context);
    check(view, rules_of_post_processing(unit), report, context);
}

void rules_check_layer(const struct rules_view *view, enum nvdla_unit leader, rules_report *report, void *context) {
    check(view, leader == NVDLA_CSC ? rules_of_convolution_layer() : rules_of_post_processing_layer(leader), report,
          context);
}
