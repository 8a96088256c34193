/* Counts what the timeline of a run shows (device/timeline.h): from the flags of every clock the links between the
 * engines, the interrupt and the register bus, from the ports who waits for the memory and for whom the memory waits,
 * from the memories the beats and the launches that they belong to.
 */
#ifndef TB_OBSERVERS_TIMELINE_H
#define TB_OBSERVERS_TIMELINE_H

#include "device/timeline.h"
#include "nvdla/config.h"
#include "tb/axi_memory.h"
#include "tb/observers/observer.h"

struct timeline_counter;

/* links: the design shows its links in outs. */
struct timeline_counter *timeline_counter_new(const struct nvdla_config *config, bool links);

/* What was counted so far; it goes on changing with every clock and lives as long as the counter. */
const struct timeline *timeline_counted(const struct timeline_counter *counter);

/* Frees the counter when it is released. */
struct observer timeline_observer(struct timeline_counter *counter);

/* What the memories tell it of their beats (axi_memory_listen). */
struct axi_listener timeline_axi(struct timeline_counter *counter);

#endif
