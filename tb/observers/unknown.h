/* Unknown bits (X, Z) on the design's outputs, in a simulator that shows them: findings "x-on-csb" and "x-on-axi". */
#pragma once

#include "device/device.h"
#include "tb/observers/observer.h"
#include "tb/signals.h"

struct unknown {
    struct device *dev; /* receives the findings */
    const struct signal_layout *layout;
    unsigned reports;
};

/* An observer that checks every clock's outputs; unknown outlives it. */
struct observer unknown_observer(struct unknown *unknown, struct device *dev, const struct signal_layout *layout);
