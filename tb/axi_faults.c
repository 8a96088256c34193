/* Faults of the bus on purpose: device/bus_fault.h. See axi_memory.h. */
#include <string.h>

#include "nvdla/xalloc.h"
#include "tb/axi_state.h"

enum { JOINED = 256, STALE_LINE = 64 }; /* beats of the longest burst that a bridge makes; bytes of a line of a cache */

/* Whether this transfer is the n-th. */
static bool is_turn(struct axi_memory *mem) {
    return ++mem->faulty % mem->options.fault.parameter == 0;
}

/* The address that memory sees of a beat. Requests of one ID and direction to consecutive addresses are one stream,
 * which BUS_FAULT_WRAP keeps in the block where it began. */
uint64_t axi_fault_address(struct axi_memory *mem, uint64_t address, int id, bool write) {
    const uint64_t block = mem->options.fault.parameter;
    if (has_fault(mem, BUS_FAULT_ADDRESS))
        return address & ~(UINT64_C(1) << block);
    if (!has_fault(mem, BUS_FAULT_WRAP))
        return address;
    struct joined *joined = &mem->joined[write][id];
    if (address != joined->next || joined->beats == JOINED)
        *joined = (struct joined){.block = address & ~(block - 1)};
    joined->next = address + (uint64_t)mem->bytes;
    joined->beats++;
    return joined->block | (address & (block - 1));
}

/* What the lanes make of a beat on its way. */
static void faulty_lanes(const struct axi_memory *mem, uint8_t *data) {
    const size_t half = (size_t)mem->bytes / 2;
    uint8_t low[AXI_BYTES];
    if (has_fault(mem, BUS_FAULT_NARROW))
        memset(data + half, 0, half);
    if (!has_fault(mem, BUS_FAULT_SWAPPED))
        return;
    memcpy(low, data, half);
    memcpy(data, data + half, half);
    memcpy(data + half, low, half);
}

/* A read beat as the design gets it. */
void axi_fault_read(struct axi_memory *mem, uint8_t *data) {
    faulty_lanes(mem, data);
    if (!has_fault(mem, BUS_FAULT_REPEATED_BEAT))
        return;
    uint8_t given[AXI_BYTES];
    memcpy(given, data, (size_t)mem->bytes);
    if (is_turn(mem))
        memcpy(data, mem->last, (size_t)mem->bytes);
    memcpy(mem->last, given, (size_t)mem->bytes);
}

/* Every n-th burst changes places with the burst of the same ID before it, if that has not begun. */
void axi_fault_order(struct axi_memory *mem, struct read *read) {
    for (unsigned i = mem->read_count; i-- > 0;) {
        struct read *before = &mem->reads[(mem->read_head + i) % READS];
        if (before == read || before->id != read->id)
            continue;
        if (before->left == before->beats && is_turn(mem)) {
            const struct read moved = *before;
            before->address = read->address;
            before->left = before->beats = read->beats;
            read->address = moved.address;
            read->left = read->beats = moved.beats;
        }
        return;
    }
}

/* Stores what is due; to make room, the oldest even if it is not. */
void axi_fault_store(struct axi_memory *mem, uint64_t cycle, bool make_room) {
    while (mem->delayed_count && (make_room || mem->delayed[mem->delayed_head].due <= cycle)) {
        const struct delayed *delayed = &mem->delayed[mem->delayed_head];
        write_beat(mem, delayed->address, &delayed->beat, &delayed->origin);
        mem->delayed_head = (mem->delayed_head + 1) % DELAYED;
        mem->delayed_count--;
        make_room = false;
    }
}

/* Writes a beat into memory, or not, or later. */
void axi_fault_write(struct axi_memory *mem, uint64_t cycle, uint64_t address, const struct beat *beat,
                     const struct memory_origin *origin) {
    struct beat stored = *beat;
    faulty_lanes(mem, stored.data);
    const uint64_t lanes = mem->bytes == 64 ? UINT64_MAX : ((uint64_t)1 << mem->bytes) - 1;
    if (has_fault(mem, BUS_FAULT_STROBES))
        stored.strobe = lanes;
    if (has_fault(mem, BUS_FAULT_NARROW))
        stored.strobe &= lanes >> (mem->bytes / 2);
    if (has_fault(mem, BUS_FAULT_LOST_BEAT) && is_turn(mem))
        return;
    const bool is_late = has_fault(mem, BUS_FAULT_EARLY) ||
                         (has_fault(mem, BUS_FAULT_STALE) && address / STALE_LINE % 2 == 1); /* the cache has it */
    if (!is_late) {
        write_beat(mem, axi_fault_address(mem, address, (uint8_t)origin->axi_id, true), &stored, origin);
        return;
    }
    if (!mem->delayed)
        mem->delayed = xcalloc(DELAYED, sizeof *mem->delayed);
    if (mem->delayed_count == DELAYED)
        axi_fault_store(mem, cycle, true);
    mem->delayed[(mem->delayed_head + mem->delayed_count++) % DELAYED] = (struct delayed){
        .due = cycle + mem->options.fault.parameter, .address = address, .origin = *origin, .beat = stored};
}
