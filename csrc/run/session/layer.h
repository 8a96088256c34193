/* A random layer as the trace of a job, written by the process that plays it. */
#ifndef RUN_SESSION_LAYER_H
#define RUN_SESSION_LAYER_H

#include "nvdla/config.h"
#include "nvdla/error.h"
#include "run/options/options.h"

/* Writes the layer to that path, atomically, unless the file exists; creates its folder. Another process may do the
 * same at the same time. False with a message. */
bool layer_write(const struct run_layer *layer, const struct nvdla_config *config, const char *path, struct error *err);

#endif
