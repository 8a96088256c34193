/* Checks of the RTL (rtl/common/nvdla_check.svh) as findings: which instance, which engine, which layer it runs.
 *
 * A check that fails, fails again in every clock: the first times are reported, the others only counted. Register
 * groups announce the layers that they start and finish, so that a finding names the launch of the engine it stands in;
 * what belongs to no engine (memory interface, CBUF, register bus) names the launches that run.
 */
#ifndef TB_CHECKS_H
#define TB_CHECKS_H

#include "device/device.h"

/* What a register group announces: event_kind of nvdla_check_layer. */
enum check_event { CHECK_GROUP_EXISTS, CHECK_LAYER_STARTS, CHECK_LAYER_DONE };

struct checks;

/* dev receives the findings; it may outlive the checks' use, not the checks: rule names are theirs. */
struct checks *checks_new(struct device *dev);
void checks_free(struct checks *checks);

/* The design was reset: launches are counted from 0 again. */
void checks_reset(struct checks *checks);

/* A register group, by its hierarchical name, starts or finishes a layer. */
void checks_layer(struct checks *checks, const char *scope, enum check_event event);

/* Check `name` failed in the clock `cycle`. scope: the hierarchical name of its block, "TOP.tb_top.dut.u_sdp.u_x.Name".
 */
void checks_failed(struct checks *checks, const char *name, const char *scope, uint64_t cycle);

#endif
