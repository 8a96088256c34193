/* The rules of legal programming: what the "Illegal or undefined programming" lists of the chapters say of register
 * settings, and what happens when a setting breaks one.
 *
 * A rule looks at the registers of armed groups only. Most need one unit; the others need the units of a layer side by
 * side. Spec: the lists at the end of the chapters 10 to 70, 98-measured-rules section 3.
 */
#ifndef MODEL_RULES_H
#define MODEL_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/register_group.h"
#include "nvdla/config.h"

enum rule_effect {
    RULE_WARNS,  /* a chapter defines the result: the layer is carried out */
    RULE_WAITS,  /* a part of the unit waits for ever, as its engine knows by itself */
    RULE_HANGS,  /* the unit waits for ever */
    RULE_REFUSED /* the spec leaves the result open */
};

/* Register values as the rules see them. */
struct rules_view {
    const struct nvdla_config *config;
    const struct register_group *units; /* by enum nvdla_unit; those that the configuration has */
    unsigned group[NVDLA_UNIT_COUNT];   /* group of each unit that the layer is in */
};

/* Called for each broken rule, the worst ones first. text: registers with their values, the rule, the chapter. */
typedef void rules_report(void *context, enum rule_effect effect, const char *text);

/* Checks what the registers of one unit say of the layer that is armed in its group of the view. */
void rules_check_unit(const struct rules_view *view, enum nvdla_unit unit, rules_report *report, void *context);

/* Checks the units of a layer against each other. leader: the unit whose layer it is: NVDLA_CSC (with CDMA, CMAC_A,
 * CMAC_B and CACC), NVDLA_SDP (with SDP_RDMA, where the layer uses it), NVDLA_PDP and NVDLA_CDP (with their RDMA). */
void rules_check_layer(const struct rules_view *view, enum nvdla_unit leader, rules_report *report, void *context);

#endif
