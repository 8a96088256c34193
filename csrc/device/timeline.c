/* Look-ups in a timeline. See timeline.h. */
#include "device/timeline.h"

const struct timeline_traffic *timeline_traffic_of(const struct timeline_launch *launch, enum nvdla_client client) {
    for (int i = 0; i < launch->traffic_count; i++)
        if (launch->traffic[i].client == client)
            return &launch->traffic[i];
    return NULL;
}

uint64_t timeline_end(const struct timeline_launch *launch) {
    if (launch->done)
        return launch->done;
    bool complete = launch->traffic_count > 0;
    for (int i = 0; i < launch->traffic_count; i++)
        complete =
            complete && launch->traffic[i].expected > 0 && launch->traffic[i].bytes >= launch->traffic[i].expected;
    return complete ? launch->last : 0;
}
