/* The reference model of NVDLA: functional, bit exact, untimed. Registers and layers behave as chapters 10 (system), 30
 * and 40 (convolution), 50 and 55 (SDP and the tables), 60 (PDP), 62 (CDP), 64 (BDMA), 66 (RUBIK), 70 (memory) and 98
 * say; armed layers run inside device advance(), so software sees interrupts only after the data is in memory. */
#pragma once

#include "device/device.h"
#include "model/limits.h"
#include "observe/tap.h"

struct model_options {
    bool allow_outside; /* accesses outside every region are counted in device_statistics.outside, but are not findings
                         */
    bool allow_undefined; /* settings whose result the spec leaves open cause a warning and are tried, not refused */
    struct tap_listeners taps; /* hear the streams of every layer; must outlive the model */
    bool specified_stripes;    /* see struct device */
    bool errata;               /* computes erratum E1 of NVIDIA's RTL (nvdla/errata.h) as that RTL does */
    bool registers_only;       /* only registers matter, not data: convolutions deliver zeros */
    size_t threads; /* threads that compute a convolution; 0 or 1: only the caller's. Results do not depend on it */
    struct model_limits limits;
};

/* Creates a model of the configuration. */
struct device *model_new(const struct nvdla_config *config, const struct model_options *options);
