/* Counts the timeline of a run (device/timeline.h): the links between the engines, the interrupt and the register bus
 * from the flags of every clock; waits of engines for memory and of memory for engines from the ports; beats and their
 * launches from the memories. */
#pragma once

#include "device/timeline.h"
#include "nvdla/config.h"
#include "tb/axi_memory.h"
#include "tb/observers/observer.h"

struct timeline_counter;

/* links: the design shows its links in outs. */
struct timeline_counter *timeline_counter_new(const struct nvdla_config *config, bool links);

/* The counts up to now, also those that are added only when something changes. The result lives as long as the
 * counter. */
const struct timeline *timeline_counted(struct timeline_counter *counter);

/* Releasing the observer frees the counter. */
struct observer timeline_observer(struct timeline_counter *counter);

/* Listener for the beats of the memories (axi_memory_listen). */
struct axi_listener timeline_axi(struct timeline_counter *counter);
