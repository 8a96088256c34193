/* Which layer can run next. A layer runs in one piece once every unit that takes part is armed with its group CONSUMER,
 * the registers of the units fit together and every memory port it needs answers. A layer that the hardware would wait
 * for in vain never becomes ready: its units stay RUNNING and the device is idle. */
#pragma once

#include "model/machine.h"
#include "model/pdp.h"
#include "model/rubik.h"

/* Steps of the model. */
enum action {
    ACTION_NONE,
    ACTION_CDMA,
    ACTION_CSC_START,
    ACTION_SDP_RDMA_EMPTY, /* armed with nothing to read */
    ACTION_SDP,            /* including the convolution core if it is flying */
    ACTION_SDP_PDP,
    ACTION_PDP,
    ACTION_CDP,
    ACTION_BDMA,
    ACTION_RUBIK
};

/* What can run next, with its layers. */
struct work {
    const struct model_limits *limits; /* to layers */
    enum action action;
    struct sdp_layer sdp;
    struct pdp_layer pdp;
    struct cdp_layer cdp;
    struct rubik_layer rubik;
    enum nvdla_unit too_large; /* unit whose layer is ready but too large; NVDLA_UNIT_COUNT: none */
    uint64_t size, most;       /* size of that layer, and the limit */
    const char *measure;       /* what is counted */
};

/* Finds what can run next; ACTION_NONE if there is nothing. Of several, the first in enum action. */
void schedule_find(const struct model *model, struct work *work);

/* Which clients are answered: those of CDMA for the layer of group CONSUMER, and those of BDMA by port. */
struct cdma_served schedule_cdma_served(const struct model *model);
struct bdma_served schedule_bdma_served(const struct model *model);

/* CDMA's weight engine has more to fetch for the armed layers, and is answered. */
bool schedule_weights_come(const struct model *model);

/* Warns of what armed units wait for in vain: ports that do not answer, contents of CBUF, unused operands. */
void schedule_explain(struct model *model);
