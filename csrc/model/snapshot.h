/* The state of a model between two layers, as register writes that bring a device there from reset.
 *
 * For cutting programs into pieces (split/split.h). It does not include memory, nor state that no register write can
 * restore: the contents of CBUF, statistics, and the group that CONSUMER points at. model_at_ease(), model_cbuf_free()
 * and model_weights_in_front() say whether that matters. */
#pragma once

#include "device/device.h"

/* True while a launch of the unit, counted from 0 since reset, is armed and not done. BDMA: launched and not done. */
bool model_is_armed(const struct device *model, enum nvdla_unit unit, int ordinal);

/* Launches of the unit that the model has accepted since reset. */
int model_launches(const struct device *model, enum nvdla_unit unit);

/* The group that the engine uses next, 0 or 1. */
unsigned model_consumer(const struct device *model, enum nvdla_unit unit);

/* True if nothing is armed and BDMA's queue is empty. */
bool model_at_ease(const struct device *model);

/* True if CBUF holds nothing that a layer could reuse. */
bool model_cbuf_free(const struct device *model);

/* True if weights that CSC neither has released nor will release precede those of the next convolution, which would use
 * them as its own: WEIGHT_BYTES was more than the kernels take, and CSC_D_BANK, d_bank, is unchanged (98-measured-rules
 * section 8, 20-data-formats "Illegal or undefined programming"). */
bool model_weights_in_front(const struct device *model, uint32_t d_bank);

/* Calls `write` for register writes that bring a device from reset to these registers: shared ones, the loaded part of
 * tables, both groups of each unit, PRODUCER, mask and pending interrupts. CONSUMER is group 0. */
void model_registers(const struct device *model, void (*write)(void *context, uint32_t address, uint32_t value),
                     void *context);
