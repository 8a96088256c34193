/* What a device shows of its inside when nothing moves any more: handshakes, states, counters, and what its memory
 * still owes. Facts only; replay/hang_triage.h reasons about them. What is measured, and where, stands in
 * rtl/waits.csv.
 */
#ifndef DEVICE_WAITS_H
#define DEVICE_WAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory/space.h"
#include "nvdla_waits.h"

struct layer_tracker;

/* A handshake between two engines. */
struct wait_pair {
    enum wait_index index;
    const char *name, *from, *to; /* "CSC to CMAC, atoms", "CSC", "CMAC" */
    bool counted;                 /* moved and last are known */
    bool seen;                    /* valid, ready and since are known too */
    bool valid, ready;
    uint64_t moved; /* elements since reset */
    uint64_t last;  /* clock of the last of them, 0: none */
    uint64_t since; /* clock since which valid and ready are what they are */
};

/* The state of a state machine. */
struct wait_state {
    const char *engine, *name; /* "CDMA data", "fetch" */
    char value[16];            /* name of the value, "Busy"; "": the state machine has no such value */
    uint32_t number;
    uint64_t since;
};

/* Credits, places, elements to come. */
struct wait_counter {
    enum wait_counter_index index;
    const char *engine, *name; /* "CSC", "credits of CACC" */
    uint32_t value;
};

/* A burst on an AXI port that has not been answered to the end. */
struct wait_burst {
    enum memory_space port;
    bool write;
    int id;
    uint64_t address; /* of the next beat */
    int beats;        /* still to come; of a write whose data is there 0 */
    uint64_t since;   /* clock in which the address was taken */
};

struct device_waits {
    uint64_t cycle;                       /* now */
    uint64_t moved;                       /* clock of the last movement */
    bool inside;                          /* pairs, states and counters were read from inside the design */
    const struct layer_tracker *launches; /* that were armed so far */
    struct wait_pair pairs[WAIT_COUNT];
    struct wait_state states[WAIT_STATE_COUNT];
    struct wait_counter counters[WAIT_COUNTER_COUNT];
    struct wait_burst *bursts; /* by port, reads before writes */
    size_t burst_count;
    uint64_t read_asked[2][16], read_given[2][16]; /* beats on port and ID: addresses taken, data given */
    uint64_t written[2][16], acknowledged[2][16];  /* beats taken with their address, bursts answered */
};

#endif
