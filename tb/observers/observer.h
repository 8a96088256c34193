/* Observers of a simulated RTL, which do not take part: protocol checks, waves, X checks, taps. The device
 * (rtl_device.c) drives the design and shows each observer what it saw. Functions that are NULL cost nothing. */
#pragma once

#include <stddef.h>

#include "nvdla/error.h"
#include "tb/axi.h"

/* One clock: the values on the pins at the coming rising edge. */
struct sampled {
    bool interrupt;                           /* dla_intr */
    uint64_t cycle;                           /* of that edge; 0 = the first with dla_reset_rstn = 1 */
    uint32_t flags;                           /* outs word 0 (signals.h), unknown bits as 0 */
    const uint32_t *aval, *bval;              /* outs in four states; NULL: two states */
    const struct axi_outputs *out[AXI_PORTS]; /* of the ports active in this clock */
    const struct axi_inputs *in[AXI_PORTS];
};

/* Any function may be NULL. */
struct observer {
    void *context;
    /* The design is about to be reset: forget everything in flight. */
    void (*reset)(void *context);
    /* Immediately after rising edge `cycle`, before the inputs change. */
    void (*edge)(void *context, uint64_t cycle);
    /* Each clock after reset, once the outputs have settled. */
    void (*clock)(void *context, const struct sampled *now);
    /* Each clock in which a stream inside the design moves, after everything else: MOVE_WORDS with a bit for each
     * moving stream, then as many with a bit for each whose launch ends. */
    void (*moved)(void *context, uint64_t cycle, const uint32_t *words);
    /* Each clock with activity on a port, before the memory answers. Returns true if it must also be called for the
     * next clock of the port, even without activity. */
    bool (*port)(void *context, const struct sampled *now, int port);
    /* A register write was accepted; byte address from the NVDLA base. */
    void (*write)(void *context, uint32_t address, uint32_t value, uint64_t cycle);
    /* A register read was answered. */
    void (*read)(void *context, uint32_t address, uint32_t value, uint64_t cycle);
    /* Each clock after reset, after all of the above. */
    void (*settled)(void *context);
    /* The run is over: close files. False with a message if something could not be written. */
    bool (*end)(void *context, struct error *err);
    /* Frees what the observer owns. */
    void (*release)(void *context);
};

enum { OBSERVERS = 16 };

struct observers {
    struct observer item[OBSERVERS];
    int count;
    int edges, clocks, moves, settled; /* number of observers with such a function */
};

/* Adds an observer. At most OBSERVERS. */
static inline void observers_add(struct observers *list, struct observer observer) {
    list->item[list->count++] = observer;
    list->edges += observer.edge != NULL;
    list->clocks += observer.clock != NULL;
    list->moves += observer.moved != NULL;
    list->settled += observer.settled != NULL;
}
