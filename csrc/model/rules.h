/* The rules of legal programming: the lists "Illegal or undefined programming" of the chapters, as far as they concern
 * register settings, and the effect of breaking each.
 *
 * A set of rules is about the registers of one unit, or of several units whose layers belong together. Only registers
 * of armed groups are checked. Rules that depend on more than registers (a table in use, a partner that is not armed,
 * an arbiter weight of 0) are in checker.h. Spec: the lists at the end of the chapters 10 to 70, 98-measured-rules
 * section 3. */
#pragma once

#include "device/device.h"
#include "layers/view.h"

enum { RULE_UNITS = 5 };

/* When the registers of a set are ready to be checked. */
enum rules_moment {
    RULES_AT_LAUNCH, /* once the n-th launches of its units are armed: they belong together */
    RULES_AT_START   /* once its units are armed in their groups CONSUMER */
};

struct rule;

struct rule_set {
    enum rules_moment moment;
    enum nvdla_unit units[RULE_UNITS]; /* [0]: the one whose launch breaks the rules */
    size_t unit_count;
    bool (*applies)(const struct registers_view *view); /* the layers belong together; NULL: always */
    const struct rule *rules;
    size_t rule_count;
};

enum { RULE_SETS = 16 };
extern const struct rule_set *const rule_sets[RULE_SETS];

/* The sets whose layers look up values in a table. */
extern const struct rule_set *const rules_of_sdp_table, *const rules_of_cdp_table;

/* The registers of BDMA, which become a descriptor when CFG_OP is written. */
extern const struct rule_set rules_of_descriptor;

/* Called for each broken rule, worst first. The ordinal is relative: 0, or -1 for the launch before; the callee fills
 * in the launch and the text. spoils: the result of the next launch is open. */
typedef void rules_report(void *context, bool spoils, struct device_warning *warning);

/* Checks a set whose units exist in the configuration, are armed in the groups of the view, and belong together. */
void rules_check(const struct rule_set *set, const struct registers_view *view, rules_report *report, void *context);
