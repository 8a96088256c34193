/* A data beat on an AXI port, with its client: plain data from the testbench's memories (tb/axi_memory.h) to listeners,
 * also outside the testbench (replay/first_wrong.h). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct owner {
    int16_t unit;    /* enum nvdla_unit; -1: an ID without client */
    int32_t ordinal; /* launch of that unit; -1 if no launch accounts for the beat */
};

struct axi_beat {
    int port; /* enum memory_space */
    bool write;
    int id;
    struct owner owner;
    uint64_t cycle;   /* in which a write reaches the memory, or a read is first offered */
    uint64_t address; /* of byte 0 of the bus */
    int bytes;        /* of the bus, 8..64 */
    const uint8_t *data;
    uint64_t strobe; /* valid bytes; of reads all */
};

/* A listener for every beat: reads when they are offered, writes when they have reached the memory. */
struct axi_listener {
    void (*beat)(void *context, const struct axi_beat *beat);
    void *context;
};
