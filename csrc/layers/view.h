/* Reading the fields of what launches hold. */
#ifndef LAYERS_VIEW_H
#define LAYERS_VIEW_H

#include "layers/tracker.h"
#include "nvdla_offsets.h"

/* Field of a register of a launch; the names are those of nvdla_offsets.h. */
#define FIELD(launch, reg, field) ((launch_register(launch, reg) & reg##__##field##_MASK) >> reg##__##field##_LSB)

#endif
