/* The reference model of NVDLA: functional, bit exact, untimed. Registers behave as chapters 10, 50, 60 say; armed
 * layers run inside device advance(), so software sees interrupts only after the data is in memory.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "replay/device.h"

/* Creates a model of the configuration. Returns NULL with a message if the configuration is not simulated yet. */
struct device *model_new(const struct nvdla_config *config, struct error *err);

#endif
