/* Master of the configuration bus: one access at a time, posted writes back to back. A pure state machine, one call per
 * clock.
 *
 * The owner starts an access, drives csb2nvdla_* according to the state and calls csb_master_clock() with what the
 * design drives. An unrequested response is a finding: "csb-read-unrequested", "csb-complete-unrequested".
 *
 * Spec: 10-system section 4. */
#pragma once

#include "device/device.h"

enum { CSB_READ_LIMIT = 10000, CSB_WRITE_LIMIT = 100000 /* clocks until a response is overdue */ };

enum csb_state {
    CSB_IDLE,
    CSB_REQUEST,  /* csb2nvdla_valid is 1 */
    CSB_RESPONSE, /* accepted, waiting for the response */
};

struct csb_master {
    enum csb_state state;
    bool write, nposted;
    uint32_t address; /* byte address from the NVDLA base; the bus has bits 17:2 */
    uint32_t value;   /* write data; after a read: the result */
    unsigned reports; /* findings so far */
};

/* Starts an access; the state must be CSB_IDLE. */
void csb_master_start(struct csb_master *csb, bool write, bool nposted, uint32_t address, uint32_t value);

/* Handles one clock in which csb2nvdla_* were driven according to the state.
 *
 *     ready, valid, complete, data   csb2nvdla_ready, nvdla2csb_valid, nvdla2csb_wr_complete, nvdla2csb_data
 *     return                         true if the request was accepted in this clock
 *
 * The state returns to CSB_IDLE when a posted write is accepted or the response arrives. */
bool csb_master_clock(struct csb_master *csb, struct device *dev, uint64_t cycle, bool ready, bool valid, bool complete,
                      uint32_t data);
