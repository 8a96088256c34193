/* How large a layer of the model may be.
 */
#ifndef MODEL_LIMITS_H
#define MODEL_LIMITS_H

#include <stdint.h>

/* Larger layers are not carried out: they hang, with a finding. No memory of a replay holds such cubes, and wild
 * register values must not keep the model busy for days. 0: the model's own limit. */
struct model_limits {
    uint64_t atoms;    /* read and written by a layer */
    uint64_t products; /* of a convolution */
    uint64_t elements; /* of the input of a convolution, padding included */
};

#endif
