/* The driver's scheduler without hardware: assigns the layers of a task to the engines' groups, programs, arms and
 * awaits them in an order that is legal at any speed of the engines. Spec: 87-loadables section 5. */
#pragma once

#include "loadable/emit.h"

/* State from task to task. Zero-initialise, then set emitter and prompt. */
struct scheduler {
    struct emitter emitter;
    bool prompt; /* arms what waits for a result before it programs another convolution; the driver does not */
    size_t done[TYPE_COUNT], rdma_done[TYPE_COUNT]; /* layers completed since reset: the engines' consumer pointers */
    int launches[TYPE_COUNT];                       /* armings since reset */
};

/* Callback for layers. */
struct scheduler_host {
    /* Called after the accesses that await a layer and clear its interrupt. launch: ordinal of its unit
     * (layers/tracker.h). False ends the schedule, with a message. May be NULL. */
    bool (*completed)(void *context, const struct dla_task *task, size_t operation, int launch, struct error *err);
    void *context;
};

/* Appends the accesses of a whole task to the emitter's program. False with a message if the task can never finish. */
bool schedule_task(struct scheduler *scheduler, const struct dla_task *task, const struct scheduler_host *host,
                   struct error *err);
