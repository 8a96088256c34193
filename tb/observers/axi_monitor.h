/* Protocol rules for everything the design drives on one AXI port. Each violation is a finding (device_report) with the
 * name of the rule; repeated violations are only counted after a few reports.
 *
 *     axi-ar-stable, axi-aw-stable, axi-w-stable   valid fell, or its payload changed, before ready
 *     axi-w-last          wlast is not at the beat given by awlen
 *     axi-w-lead          more than MONITOR_W_LEAD whole bursts of write data ahead of their addresses
 *     axi-w-strobe        strobe 0, or not constant over an atom
 *     axi-ar-4k, axi-aw-4k         a burst crosses 4 KiB
 *     axi-ar-length, axi-aw-length a burst longer than the configuration's maximum
 *     axi-ar-align        araddr not a multiple of the bus width
 *     axi-aw-align        awaddr not a multiple of the atom (PDP and CDP may show low bits: chapter 20 section 9)
 *     axi-ar-id, axi-aw-id         an ID without client in this configuration, or bits 7:4 not 0
 *     axi-outstanding     more than 256 read or write bursts in flight
 *
 * Spec: 70-memory-interface sections 2, 3 and 4. */
#pragma once

#include "device/device.h"
#include "tb/axi.h"
#include "tb/observers/observer.h"

enum {
    MONITOR_W_LEAD = 16,       /* bursts; the public designs lead by 1 or 2, AXI has no limit */
    MONITOR_OUTSTANDING = 256, /* bursts per direction */
    MONITOR_RULES = 15,
};

struct axi_monitor {
    struct device *dev; /* receives the findings */
    int port;           /* 0 primary, 1 secondary */
    int bytes, atom;    /* data bus, memory atom */
    int burst_beats;
    uint32_t read_ids, write_ids; /* bit per ID that has a client */

    struct axi_outputs held; /* payload of the channels that wait for ready */
    bool ar_held, aw_held, w_held;
    uint8_t lengths[MONITOR_OUTSTANDING * 2]; /* ring of beats of bursts with incomplete data; AW order */
    unsigned length_head, length_count;
    uint8_t early[MONITOR_W_LEAD]; /* ring of beats of whole bursts ahead of their AW */
    unsigned early_head, early_count;
    unsigned beat;          /* beats of the current W burst so far */
    unsigned reads, writes; /* bursts in flight */
    unsigned reports[MONITOR_RULES];
};

void axi_monitor_init(struct axi_monitor *mon, struct device *dev, int port);

/* Forgets everything in flight (reset of the design). */
void axi_monitor_reset(struct axi_monitor *mon);

/* Checks one clock of the design and the memory. */
void axi_monitor_clock(struct axi_monitor *mon, uint64_t cycle, const struct axi_outputs *out,
                       const struct axi_inputs *in);

/* True if a channel waits for ready: the next clock must be checked even if nothing is valid in it. */
bool axi_monitor_holds(const struct axi_monitor *mon);

/* The observer that feeds mon with the clocks of its port; mon must outlive it. */
struct observer axi_monitor_observer(struct axi_monitor *mon);
