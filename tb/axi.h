/* One AXI port of the design in one clock: the signals that the design drives and those that the memory drives. Plain
 * data shared by the signal vectors (signals.h), the memory (axi_memory.h) and the protocol checks (axi_monitor.h).
 *
 * A transfer happens in a clock in which valid and ready are both 1 at the rising edge. Spec: 70-memory-interface
 * section 2; there are no size, burst or response pins. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "nvdla/clients.h"

enum { AXI_BYTES = 64, /* widest data bus, bytes */ AXI_PORTS = 2 /* primary, secondary: enum memory_space */ };

/* Driven by the design. Payload members are defined only while their valid is true. */
struct axi_outputs {
    bool arvalid, rready, awvalid, wvalid, wlast, bready;
    uint8_t arid, arlen; /* arlen, awlen: beats - 1, 0..15 */
    uint8_t awid, awlen;
    uint64_t araddr, awaddr;
    uint64_t wstrb; /* bit i: byte lane i */
    uint8_t wdata[AXI_BYTES];
};

/* Driven by the memory. */
struct axi_inputs {
    bool arready, rvalid, rlast, awready, wready, bvalid;
    uint8_t rid, bid;
    uint8_t rdata[AXI_BYTES];
};

/* What went over a port. */
struct axi_counts {
    uint64_t read_beats[AXI_IDS], write_beats[AXI_IDS]; /* by the low 4 bits of the ID */
    uint64_t given[AXI_IDS], acknowledged[AXI_IDS];     /* answered read beats; written bursts */
    uint64_t outside;                                   /* accesses outside the declared regions */
};

enum { AXI_LISTENERS = 4 }; /* most of a memory */
