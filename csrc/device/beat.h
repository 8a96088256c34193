/* A data beat on an AXI port as it goes by, and whose it is: plain data from the testbench's memories (tb/axi_memory.h)
 * to whoever wants to hear of every beat, which may live outside the testbench (replay/first_wrong.h).
 */
#ifndef DEVICE_BEAT_H
#define DEVICE_BEAT_H

#include <stdbool.h>
#include <stdint.h>

struct owner {
    int16_t unit;    /* enum nvdla_unit; -1 for an ID without client */
    int32_t ordinal; /* launch of that unit; -1 if no launch accounts for the beat */
};

struct axi_beat {
    int port; /* enum memory_space */
    bool write;
    int id;
    struct owner owner;
    uint64_t cycle;   /* in which a write reaches the memory, or the first in which a read is offered */
    uint64_t address; /* of byte 0 of the bus */
    int bytes;        /* of the bus, 8..64 */
    const uint8_t *data;
    uint64_t strobe; /* bytes that count; of reads all */
};

/* Who wants to know of every beat: reads when they are offered, writes when they reach the memory, which then holds
 * them. */
struct axi_listener {
    void (*beat)(void *context, const struct axi_beat *beat);
    void *context;
};

#endif
