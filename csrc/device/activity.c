/* A list of the design's parts. See activity.h. */
#include "device/activity.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"

void activity_add(struct activity *activity, const char *instance, uint64_t bits, uint64_t toggles) {
    *xadd(activity->parts, activity->count) =
        (struct activity_part){.instance = xstrdup(instance), .bits = bits, .toggles = toggles};
}

void activity_free(struct activity *activity) {
    for (size_t i = 0; i < activity->count; i++)
        free(activity->parts[i].instance);
    free(activity->parts);
    *activity = (struct activity){0};
}
