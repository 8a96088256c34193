/* State of a device in which nothing moves: handshakes, states, counters, and answers its memory still owes. Facts
 * only; replay/hang_triage.h reasons about them. rtl/waits.csv lists what is measured, and where. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "memory/space.h"
#include "nvdla_waits.h"

struct layer_tracker;

/* A handshake between two engines. */
struct wait_pair {
    enum wait_index index;
    const char *name, *from, *to; /* "CSC to CMAC, atoms", "CSC", "CMAC" */
    bool counted;                 /* moved and last are valid */
    bool seen;                    /* valid, ready and since are valid, too */
    bool valid, ready;
    uint64_t moved; /* elements since reset */
    uint64_t last;  /* clock of the last of them, 0: none */
    uint64_t since; /* clock since which valid and ready have been unchanged */
};

/* The state of a state machine. */
struct wait_state {
    const char *engine, *name; /* "CDMA data", "fetch" */
    char value[16];            /* name of the value, "Busy"; "": not a state of this machine */
    uint32_t number;
    uint64_t since;
};

/* A counter: credits, places, remaining elements. */
struct wait_counter {
    enum wait_counter_index index;
    const char *engine, *name; /* "CSC", "credits of CACC" */
    uint32_t value;
};

/* An unanswered or partly answered burst on an AXI port. */
struct wait_burst {
    enum memory_space port;
    bool write;
    int id;
    uint64_t address; /* of the next beat */
    int beats;        /* remaining; 0 for a write whose data is complete */
    uint64_t since;   /* clock in which the address was accepted */
};

struct device_waits {
    uint64_t cycle;                       /* now */
    uint64_t moved;                       /* clock of the last movement */
    bool inside;                          /* pairs, states and counters were read inside the design */
    bool borders;                         /* pairs between the engines were, and no more */
    const struct layer_tracker *launches; /* launches armed so far */
    struct wait_pair pairs[WAIT_COUNT];
    struct wait_state states[WAIT_STATE_COUNT];
    struct wait_counter counters[WAIT_COUNTER_COUNT];
    struct wait_burst *bursts; /* by port, reads before writes */
    size_t burst_count;
    uint64_t read_asked[2][16], read_given[2][16]; /* beats on port and ID: addresses accepted, data transferred */
    uint64_t written[2][16], acknowledged[2][16];  /* beats accepted with their address, bursts answered */
};
