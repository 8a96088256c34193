/* Faults of the bus and of the memory behind it, made on purpose in the simulated AXI memory: --bus-fault
 * KIND[:PARAMETER]. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bus_fault_kind {
    BUS_FAULT_NONE,
    BUS_FAULT_SAME_ID,       /* every n-th read burst changes places with the one before it with the same ID */
    BUS_FAULT_EARLY,         /* write responses at once after the address, data n clocks later */
    BUS_FAULT_LOST_BEAT,     /* every n-th write beat is not stored */
    BUS_FAULT_REPEATED_BEAT, /* every n-th read beat has the data of the one before it */
    BUS_FAULT_STROBES,       /* all bytes of a beat are stored, whatever its strobes are */
    BUS_FAULT_ADDRESS,       /* address bit n is always 0 */
    BUS_FAULT_WRAP,          /* requests of one ID that follow each other wrap at blocks of n bytes */
    BUS_FAULT_STALE,         /* reads see a write to every second line of 64 bytes only n clocks after it */
    BUS_FAULT_NARROW,        /* the upper half of the data lanes is not connected */
    BUS_FAULT_SWAPPED,       /* the halves of the data lanes are exchanged */
    BUS_FAULT_EDGE, /* the interrupt, a level, is taken as an edge: one that rises while the line is 1 is lost */
    BUS_FAULT_KINDS
};

struct bus_fault {
    enum bus_fault_kind kind;
    uint32_t parameter; /* n */
};

struct bus_fault_info {
    const char *name;
    const char *unit; /* of the parameter; NULL: it has none */
    uint32_t usual, least, most;
    const char *rule;    /* of AXI that forbids it; NULL: no rule of the bus does */
    const char *visible; /* to a monitor on the port, which does not know the memory; NULL: it sees nothing wrong */
};
extern const struct bus_fault_info bus_fault_infos[BUS_FAULT_KINDS];

/* Parses "KIND" or "KIND:PARAMETER". False with a message in text that says what was found and expected. */
bool bus_fault_parse(const char *argument, struct bus_fault *fault, char *text, size_t size);
