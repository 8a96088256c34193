/* NVDLA as a PCI function over vfio-user: what each message of a client does to a device. One client at a time.
 *
 * Interrupts: INTx is a level that masks itself when it is sent, until the client unmasks it; MSI is sent when the line
 * rises, and again if it survives a write to S_INTR_STATUS or S_INTR_MASK. Accesses to BAR0 are of 32 bits; smaller
 * reads get their part of the word, smaller writes are refused. */
#pragma once

#include "live/channel.h"
#include "live/control.h"
#include "live/dma.h"
#include "live/live_device.h"
#include "live/pci.h"
#include "live/transfer.h"

struct function {
    struct live_device *live;
    struct channel channel;
    struct pci pci;
    struct live_dma dma;
    int events[2]; /* eventfd of INTx and of MSI, -1: none */
    bool intx_masked;
    bool line;      /* level that was last shown to the client */
    bool again;     /* MSI: the line may have to be sent again */
    bool versioned; /* the versions were exchanged */
    bool posted;    /* the last message wants no reply: others may follow it closely */
    bool kept;      /* channel.message was received and not served yet */
    bool looked;    /* into the memory for contents, at the first launch */
    bool own_clock; /* the client owns the clock: time passes when it says so (control.h) */
    bool failed;    /* err says why the session cannot continue */
    struct error err;
    struct transfer transfer; /* of its memory */
    uint64_t interrupts;      /* sent */
    uint64_t refused;         /* commands */
};

/* Serves a client on a connected socket from now on. stop: as in channel_open(). */
void function_open(struct function *function, struct live_device *live, int socket, int stop, bool own_clock);
/* Ends the session: maps, descriptors, socket. */
void function_close(struct function *function);

/* Serves what has arrived. False at the end of the session; function->err.text says why, "" if the client left. */
bool function_serve(struct function *function);

/* True while the device waits for memory that the client has been asked for: its time must not pass. */
static inline bool function_waits(const struct function *function) {
    return transfer_waits(&function->transfer);
}

/* Shows the client what the device has done since the last call: what it wrote, and its interrupt. False as above. */
bool function_show(struct function *function);
