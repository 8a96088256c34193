/* Largest layers that the model computes. */
#pragma once

#include <stdint.h>

/* Larger layers are not executed: they hang, with a finding. No replay's memory holds such cubes, and wild register
 * values must not keep the model busy for days. 0: the model's default limit. */
struct model_limits {
    uint64_t atoms;    /* read and written by a layer */
    uint64_t products; /* of a convolution */
    uint64_t elements; /* of the input of a convolution, including padding */
};
