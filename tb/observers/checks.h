/* Checks of the RTL (rtl/common/nvdla_check.svh) as findings: which instance, which engine, which layer it runs.
 *
 * A check that fails, fails again in every clock: the first times are reported, the others only counted. Register
 * groups announce the layers that they start and finish, so that a finding names the launch of the engine it stands in;
 * what belongs to no engine (memory interface, CBUF, register bus) names the launches that run.
 */
#ifndef TB_OBSERVERS_CHECKS_H
#define TB_OBSERVERS_CHECKS_H

#include "device/device.h"
#include "tb/observers/observer.h"
#include "tb/simulator.h"

/* What a register group announces: event_kind of nvdla_check_layer. */
enum check_event { CHECK_GROUP_EXISTS, CHECK_LAYER_STARTS, CHECK_LAYER_DONE };

struct checks;

/* The unit that a hierarchical name belongs to, -1 if to none. */
int checks_unit(const char *scope);

/* Lets the simulator report what fails.
 *
 * dev    receives the findings; their rule names live as long as the checks
 * cycle  the clock that goes on
 * NULL with a message if the design of this simulator holds no checks.
 */
struct checks *checks_open(struct device *dev, const struct simulator *simulator, const uint64_t *cycle,
                           struct error *err);

/* Further ears for the layers that start and end. */
void checks_listen(struct checks *checks, void (*layer)(void *arg, const char *scope, int event), void *arg);

/* While they are muted, what fails is no finding. */
void checks_mute(struct checks *checks, bool muted);

/* The observer owns the checks. When the design is reset, launches are counted from 0 again. */
struct observer checks_observer(struct checks *checks);

/* A register group, by its hierarchical name, starts or finishes a layer. */
void checks_layer(struct checks *checks, const char *scope, enum check_event event);

/* Check `name` failed. scope: the hierarchical name of its block, "TOP.tb_top.dut.u_sdp.u_x.Name". of_others: see
 * struct finding. */
void checks_failed(struct checks *checks, const char *name, const char *scope, bool of_others);

#endif
