/* A random layer as the trace of a job, written by the process that plays it. */
#pragma once

#include "gen/gen.h"
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "run/options/options.h"

/* The program of a random case, NULL with a message if it cannot be built. varied: NULL, or the name of a combination
 * of values that are set in it (gen/vary.h). errata: it may have layers that NVIDIA's hardware computes wrongly;
 * otherwise another case is drawn instead of one that has, and a varied one is not built. */
struct program *layer_program(const struct nvdla_config *config, uint32_t engines, uint64_t seed, const char *varied,
                              bool errata, const char *path, struct gen_case *drawn, struct error *err);

/* Writes the layer to that path, atomically, unless the file exists; creates its folder. Another process may do the
 * same at the same time. errata: see layer_program. False with a message. */
bool layer_write(const struct run_layer *layer, const struct nvdla_config *config, bool errata, const char *path,
                 struct error *err);
