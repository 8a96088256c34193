/* An AXI slave memory for one port of the design: a pure state machine, one call per clock.
 *
 * Handshakes. AR, AW and W are accepted one per clock unless stalled; a W beat may come before its AW. A write becomes
 * visible when both its AW and its beat have been accepted, before its B. A read returns the content of the memory at
 * the time its beat is offered. Read data comes in request order over all IDs, one beat per clock. With `reorder` only
 * the order of each ID is kept, and beats of different IDs may interleave.
 *
 * Latency (chapter 10: an output is high in cycle k if it is sampled high at the k-th rising edge after the event): AR
 * accepted in clock t, first R beat sampled by the design in clock t + read_latency; last W beat (or AW, if later)
 * accepted in clock t, B sampled in clock t + write_latency. Latencies below 1 act as 1.
 *
 * Stalls. Ready of AR, AW and W is drawn at random in each clock in which the channel's valid is 1, and otherwise keeps
 * its value: each transfer sees independent back-pressure, and no signal changes on an idle bus. R and B draw in each
 * clock in which a new beat could be offered. Each channel of each port has its own random stream.
 *
 * Regions. A write with an enabled byte outside the declared regions and a read beat entirely outside them are reported
 * ("region-write", "region-read") or, with allow_outside, only counted. All bytes are stored either way.
 *
 * DRAM. With axi_options.dram, the primary port has a DRAM behind an interconnect (dram/system.h) instead of latencies:
 * answers keep the order of each ID, and the first one that is complete is offered.
 *
 * Faults on purpose (device/bus_fault.h) change the data and order of transfers and the time of write responses; ready
 * and valid keep their rules.
 *
 * Spec: 70-memory-interface sections 2 and 8. */
#pragma once

#include "device/beat.h"
#include "device/device.h"
#include "device/rtl_options.h"
#include "dram/system.h"
#include "memory/memory.h"
#include "tb/axi.h"
#include "tb/provenance.h"

struct axi_memory;

/* A burst with an accepted address that has not been answered completely. */
struct axi_burst {
    bool write;
    int id;
    uint64_t address; /* of the next beat */
    int beats;        /* remaining beats from the memory (read) or the design (write); 0: only the B */
    uint64_t since;   /* clock in which its address was accepted; for a write with all beats: its last beat */
};

/* Creates the memory of one port.
 *
 *     dev      receives the findings; its memory[port] is the content
 *     bytes    data bus, 8..64
 *     atom     bytes of a memory atom of the configuration
 *     port     0 primary, 1 secondary
 *     prov     identifies the owner of a beat; shared by the ports */
struct axi_memory *axi_memory_new(struct device *dev, const struct axi_options *options, int bytes, int atom, int port,
                                  struct provenance *prov);
void axi_memory_free(struct axi_memory *mem);

/* Adds a listener for every beat, called after those added before. At most AXI_LISTENERS. */
void axi_memory_listen(struct axi_memory *mem, struct axi_listener listener);

/* Forgets everything in flight and restarts the random streams; prov replaces the earlier one. Content and counts stay.
 * To be called once before the first clock. in: receives what the memory drives in that clock. */
void axi_memory_reset(struct axi_memory *mem, struct provenance *prov, struct axi_inputs *in);

/* Changes the options, from the next reset on. */
void axi_memory_set(struct axi_memory *mem, const struct axi_options *options);

/* One clock. out: what the design drives in it. in: on entry what the memory drives in it, on return in the next. */
void axi_memory_clock(struct axi_memory *mem, uint64_t cycle, const struct axi_outputs *out, struct axi_inputs *in);

/* The first clock in which axi_memory_clock() must be called even if the design's valids are all 0; UINT64_MAX if there
 * is none. */
uint64_t axi_memory_next(const struct axi_memory *mem);

/* True while the memory will answer without any action of the design. in: what it drives now; an answer that the design
 * does not accept does not count. */
bool axi_memory_owes(const struct axi_memory *mem, const struct axi_inputs *in);

/* True while a read or write of the design is not answered. */
bool axi_memory_busy(const struct axi_memory *mem);

const struct axi_counts *axi_memory_counts(const struct axi_memory *mem);

/* What the DRAM counted up to a clock; NULL: there is none. Valid until the next call. */
const struct memory_statistics *axi_memory_statistics(const struct axi_memory *mem, uint64_t cycle);

/* The bursts that are not answered, reads first, each in address order; the caller frees them. */
struct axi_burst *axi_memory_bursts(const struct axi_memory *mem, size_t *count);
