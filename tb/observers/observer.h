/* What looks at a simulated RTL without taking part: protocol checks, waves, X checks, taps. The device (rtl_device.c)
 * drives the design and hands each of its observers what it saw; an observer that asks for nothing in a plain run costs
 * nothing there.
 */
#ifndef TB_OBSERVERS_OBSERVER_H
#define TB_OBSERVERS_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "tb/axi.h"

/* One clock: what stands on the pins when the coming rising edge decides. */
struct sampled {
    bool interrupt;                           /* dla_intr */
    uint64_t cycle;                           /* of that edge; 0 = the first with dla_reset_rstn = 1 */
    uint32_t flags;                           /* outs word 0 (signals.h), unknown bits as 0 */
    const uint32_t *aval, *bval;              /* the words of outs (signals.h) in four states; NULL: two states */
    const struct axi_outputs *out[AXI_PORTS]; /* of the ports looked at in this clock */
    const struct axi_inputs *in[AXI_PORTS];
};

/* Any function may be NULL. */
struct observer {
    void *context;
    /* The design is about to be reset: forget what is in flight. */
    void (*reset)(void *context);
    /* Right after rising edge `cycle`, before the inputs change. */
    void (*edge)(void *context, uint64_t cycle);
    /* Each clock after reset, once the outputs have settled. */
    void (*clock)(void *context, const struct sampled *now);
    /* Each clock in which a stream inside the design moves, after everything else: MOVE_WORDS with a bit for each
     * stream that does, then as many with one for each whose launch ends. */
    void (*moved)(void *context, uint64_t cycle, const uint32_t *words);
    /* Each clock in which something happens on a port, before the memory answers. Returns true if the next clock of
     * the port must be looked at, even if nothing is valid in it. */
    bool (*port)(void *context, const struct sampled *now, int port);
    /* A register write has been accepted; byte address from the NVDLA base. */
    void (*write)(void *context, uint32_t address, uint32_t value, uint64_t cycle);
    /* A register read has been answered. */
    void (*read)(void *context, uint32_t address, uint32_t value, uint64_t cycle);
    /* Each clock after reset, after all of the above. */
    void (*settled)(void *context);
    /* The run is over: closes files. False with a message if something could not be written. */
    bool (*end)(void *context, struct error *err);
    /* Frees what the observer owns. */
    void (*release)(void *context);
};

enum { OBSERVERS = 16 };

struct observers {
    struct observer item[OBSERVERS];
    int count;
    int edges, clocks, moves, settled; /* how many have such a function */
};

/* Adds an observer; there is room for OBSERVERS. */
static inline void observers_add(struct observers *list, struct observer observer) {
    list->item[list->count++] = observer;
    list->edges += observer.edge != NULL;
    list->clocks += observer.clock != NULL;
    list->moves += observer.moved != NULL;
    list->settled += observer.settled != NULL;
}

#endif
