/* A compiled network as JSON: its layers, memories and tensors (docs/networks.md). python/nvcosim/commands/info.py
 * shows it. */
#pragma once

#include <stdio.h>

#include "loadable/loadable.h"
#include "nvdla/config.h"

/* Prints it. config: NULL: as the file determines. False with a message. */
bool network_info(FILE *out, struct loadable *loadable, const struct nvdla_config *config, struct error *err);
