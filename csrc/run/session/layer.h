/* A random layer as the trace of a job: written by the process that plays it. */
#ifndef RUN_SESSION_LAYER_H
#define RUN_SESSION_LAYER_H

#include "nvdla/config.h"
#include "nvdla/error.h"
#include "run/options/options.h"

/* Writes the layer to that path, as a whole or not at all, if there is no file yet; its folder is made. Another process
 * may do the same now. False with a message. */
bool layer_write(const struct run_layer *layer, const struct nvdla_config *config, const char *path, struct error *err);

#endif
