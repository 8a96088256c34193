/* Checks of the RTL (rtl/common/nvdla_check.svh) as findings with their instance, engine and current layer.
 *
 * A failing check fails again in every clock: the first failures are reported, the others only counted. Register groups
 * announce the layers that they start and finish, so that a finding can name the launch of its engine; one outside of
 * engines (memory interface, CBUF, register bus) names the running launches. */
#pragma once

#include "device/device.h"
#include "tb/observers/observer.h"
#include "tb/simulator.h"

/* Events of a register group: event_kind of nvdla_check_layer. */
enum check_event { CHECK_GROUP_EXISTS, CHECK_LAYER_STARTS, CHECK_LAYER_DONE };

struct checks;

/* The unit that a hierarchical name belongs to, or -1. */
int checks_unit(const char *scope);

/* Connects to the simulator's checks.
 *
 *     dev    receives the findings; their rule names live as long as the checks
 *     cycle  the current clock
 *
 * NULL with a message if the design of this simulator has no checks. */
struct checks *checks_open(struct device *dev, const struct simulator *simulator, const uint64_t *cycle,
                           struct error *err);

/* Adds a listener for layers that start and end. */
void checks_listen(struct checks *checks, void (*layer)(void *arg, const char *scope, int event), void *arg);

/* While muted, failing checks are not findings. */
void checks_mute(struct checks *checks, bool muted);

/* The run is over and nothing moves: what the design still holds is a finding (NVDLA_FINAL), unless a layer runs, which
 * may wait for another one with all that it has. */
void checks_end(struct checks *checks);

/* The observer owns the checks. A reset of the design restarts the count of launches at 0. */
struct observer checks_observer(struct checks *checks);

/* A register group, given by its hierarchical name, starts or finishes a layer. */
void checks_layer(struct checks *checks, const char *scope, enum check_event event);

/* Check `name` failed. scope: the hierarchical name of its block, "TOP.tb_top.dut.u_sdp.u_x.Name". of_others: see
 * struct finding. */
void checks_failed(struct checks *checks, const char *name, const char *scope, bool of_others);
