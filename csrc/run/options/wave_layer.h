/* The launches that make up the layer of --wave-layer. */
#pragma once

#include "device/rtl_options.h"
#include "layers/tracker.h"
#include "nvdla/error.h"

/* True if a launch counts as a layer of the trace: its output goes to memory. */
bool launch_is_layer(const struct nvdla_config *config, const struct launch *launch);

/* True if the text has the form of a layer: "3", the third armed one of those that write memory, or "SDP#3", launch 3
 * of that unit, from 0, as in reports. */
bool wave_layer_valid(const char *text);

/* The launches of that layer, including those that feed it. Returns the list, free() it, with its length in *count;
 * NULL with a message if the trace has no such layer. */
struct wave_launch *wave_layer_launches(const struct layer_tracker *tracker, const char *text, size_t *count,
                                        struct error *err);
