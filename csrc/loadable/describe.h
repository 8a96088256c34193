/* What an operation does, in words, and how much work it is. Spec: 87-loadables section 4. */
#pragma once

#include "loadable/dla_task.h"
#include "nvdla/config.h"

/* "int8", "int16", "fp16", "?". */
const char *precision_name(unsigned precision);

/* "5x5, stride 1", "x1 add per kernel ReLU", "max 2x2, stride 2", ... free() it. */
char *operation_description(const struct operation *op);

/* Multiplications of a convolution; 0 for other types. */
uint64_t operation_multiplications(const struct operation *op);

/* Clocks of a convolution in a configuration if its MAC array never waits; 0 for other types. */
uint64_t operation_mac_clocks(const struct operation *op, const struct nvdla_config *config);

/* Least clocks of an operation of any type: that of the MAC array, or of the traffic of its cubes through the memory
 * port, whichever is more. At least 1. */
uint64_t operation_least_clocks(const struct operation *op, const struct nvdla_config *config);
