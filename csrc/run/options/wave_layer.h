/* The layer that --wave-layer means: which launches it is made of. */
#ifndef RUN_OPTIONS_WAVE_LAYER_H
#define RUN_OPTIONS_WAVE_LAYER_H

#include "device/rtl_options.h"
#include "layers/tracker.h"
#include "nvdla/error.h"

/* True if a launch is one of the layers that a trace is counted in: its output goes to memory. */
bool launch_is_layer(const struct nvdla_config *config, const struct launch *launch);

/* True if the text has the form of a layer: "3", the third that is armed of those that write memory, or "SDP#3", launch
 * 3 of that unit, from 0, as reports name it. */
bool wave_layer_valid(const char *text);

/* The launches of that layer, those that feed it included. Returns the list, free() it, and its length in *count; NULL
 * with a message if the trace has no such layer. */
struct wave_launch *wave_layer_launches(const struct layer_tracker *tracker, const char *text, size_t *count,
                                        struct error *err);

#endif
