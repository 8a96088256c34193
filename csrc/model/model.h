/* The reference model of NVDLA: functional, bit exact, untimed. Registers and layers behave as chapters 10 (system), 30
 * and 40 (convolution), 50 (SDP), 55 and 62 (CDP and its table), 60 (PDP) say; armed layers run inside device
 * advance(), so software sees interrupts only after the data is in memory.
 */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "replay/device.h"

/* Creates a model of the configuration. Returns NULL with a message when memory is exhausted.
 *
 * allow_outside  accesses outside every region are counted in device_statistics.outside and no findings
 * threads        1 or more: threads that compute a convolution; the results do not depend on them
 */
struct device *model_new(const struct nvdla_config *config, bool allow_outside, size_t threads, struct error *err);

#endif
