/* A device (device.h) under a live driver: register accesses as they come, time in slices, the interrupt line, and
 * which launches are armed and done. */
#pragma once

#include <stdio.h>

#include "device/device.h"
#include "layers/tracker.h"
#include "live/judge.h"
#include "live/recording.h"

enum { LIVE_INTERRUPT_BITS = 32 };

/* A launch that an interrupt bit of GLB will end. */
struct live_launch {
    bool armed;
    enum nvdla_unit unit;
    int ordinal, group;
    uint64_t clock; /* when it was armed */
};

/* What the caller wants to hear. */
struct live_listener {
    /* A launch is about to be armed; its registers are complete. */
    void (*arming)(void *context, const struct launch *launch);
    /* True if the client has left, for whom clocks pass. */
    bool (*left)(void *context);
    void *context;
};

/* What the owner wants to hear. */
struct live_owner {
    /* The device forgets a session: at a reset, and at the end (live_device_end). False with a message. NULL: not
     * called. */
    bool (*ended)(void *context, struct error *err);
    /* A launch does not end (live_device_hung). NULL: not called. */
    void (*hung)(void *context);
    void *context;
};

/* Keeps the device, and the client that waits for it, where they are; returns when they are to run on. */
struct live_holder {
    void (*hold)(void *context); /* NULL: no client is served */
    void *context;
};

struct live_device {
    struct device *dev;
    struct live_holder holder;
    struct live_owner owner; /* may be set once it is open */
    struct layer_tracker *tracker;
    struct live_listener listener;
    struct live_launch launches[LIVE_INTERRUPT_BITS];
    uint32_t status;                          /* S_INTR_STATUS as far as it was looked at and not cleared since */
    uint32_t glb;                             /* address of GLB's registers */
    bool fresh;                               /* nothing was written since the reset */
    bool moving;                              /* something may happen without another access */
    bool hung;                                /* it was reported so, and nothing was written since */
    uint64_t quiet;                           /* slices since the last write */
    uint64_t hangs, failures;                 /* sessions that ended hung, or because the device failed or refused */
    uint64_t reads, writes, layers, findings; /* since it was opened; findings: printed */
    uint64_t clocks;                          /* of earlier resets */
    FILE *log;                                /* NULL: launches are not printed */
    struct recording *recording;              /* NULL: none */
    struct judge *judge;                      /* may be set once it is open; NULL: none */
    bool stop;                                /* set by the owner: no client is served any longer */
};

/* Takes an opened device and resets it. log: launches are printed there as they are armed and done; NULL: not.
 * recording: gets the accesses; NULL: none. False with a message. live_device_close() destroys the device. */
bool live_device_open(struct live_device *live, struct device *dev, FILE *log, struct recording *recording,
                      struct error *err);
void live_device_close(struct live_device *live);

/* Ends the session: the owner hears of it if anything was written since the last reset. False with its message. */
bool live_device_end(struct live_device *live, struct error *err);

/* Brings the device to its state after reset, with its memory as it is; ends session and part of the recording. */
bool live_device_reset(struct live_device *live, struct error *err);

/* A register access of 32 bits; address: in bytes from the start of the window, a multiple of 4. */
bool live_device_write(struct live_device *live, uint32_t address, uint32_t value, struct error *err);
bool live_device_read(struct live_device *live, uint32_t address, uint32_t *value, struct error *err);

/* Lets a short time pass if anything is at work, so short that an access need not wait long for its end. False with a
 * message if the device failed. live->moving: call it again. */
bool live_device_work(struct live_device *live, struct error *err);

/* Lets so many clocks pass, fewer if the interrupt rises (until_interrupt), if a device without clocks has nothing to
 * do, or if the client leaves. */
bool live_device_run(struct live_device *live, uint64_t clocks, bool until_interrupt, struct error *err);

/* Level of the interrupt line. */
bool live_device_interrupt(struct live_device *live);

/* True if a launch is armed and nothing moves: without another access it will never end. */
bool live_device_waits(const struct live_device *live);
/* It has waited so long that the driver will not do anything either: reports that to the owner, unless launches have
 * ended whose interrupt was not seen. False with a message if the device failed. */
bool live_device_hung(struct live_device *live, struct error *err);

/* Prints findings since the last call to stderr. */
void live_device_print_findings(struct live_device *live);

/* Clocks since it was opened, over all resets. */
uint64_t live_device_clocks(const struct live_device *live);
