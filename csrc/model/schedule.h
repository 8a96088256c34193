/* Which layer can run next. A layer runs in one piece once every unit that takes part is armed with the group its
 * CONSUMER points at, the registers of the units fit together and every memory port that it needs answers. What the
 * hardware would wait for in vain simply never becomes ready: its units stay RUNNING and the device is idle.
 */
#ifndef MODEL_SCHEDULE_H
#define MODEL_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/machine.h"
#include "model/pdp.h"
#include "model/rubik.h"

/* What the model does in one piece. */
enum action {
    ACTION_NONE,
    ACTION_CDMA,
    ACTION_CSC_START,
    ACTION_SDP_RDMA_EMPTY, /* armed with nothing to read */
    ACTION_SDP,            /* with the convolution core if it is flying */
    ACTION_SDP_PDP,
    ACTION_PDP,
    ACTION_CDP,
    ACTION_BDMA,
    ACTION_RUBIK
};

/* What can run next, with the layers that it consists of. */
struct work {
    const struct model_limits *limits; /* to layers */
    enum action action;
    struct sdp_layer sdp;
    struct pdp_layer pdp;
    struct cdp_layer cdp;
    struct rubik_layer rubik;
    enum nvdla_unit too_large; /* unit whose layer is ready but too large; NVDLA_UNIT_COUNT: none */
    uint64_t size, most;       /* of that layer, and the limit */
    const char *measure;       /* what they count */
};

/* Finds it: ACTION_NONE if there is none. Of several the one that comes first in enum action. */
void schedule_find(const struct model *model, struct work *work);

/* Which clients are answered: those of CDMA in the layer of group CONSUMER, and those of BDMA by port. */
struct cdma_served schedule_cdma_served(const struct model *model);
struct bdma_served schedule_bdma_served(const struct model *model);

/* The weight engine of CDMA has more to fetch for the layers that are armed, and is answered. */
bool schedule_weights_come(const struct model *model);

/* Warns of what armed units wait for in vain: ports that do not answer, contents of CBUF, operands left over. */
void schedule_explain(struct model *model);

#endif
