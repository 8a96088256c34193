/* The state of the AXI memory, for axi_memory.c and axi_faults.c. */
#pragma once

#include "device/device.h"
#include "device/rtl_options.h"
#include "dram/system.h"
#include "tb/axi.h"
#include "tb/provenance.h"

/* Capacities: reads and write bursts are limited to 256 by the design (chapter 70 section 3.3); a ready falls when its
 * ring is full. */
enum { READS = 512, WRITES = 512, BEATS = 64, IDS = 256, DELAYED = 4096 };

/* IDs whose order the answers of a DRAM keep: the others share theirs. */
enum { ORDERED_IDS = 64 };

/* DRAM page model: 2-KiB pages, 8 banks, one open page each. */
enum { PAGE_SHIFT = 11, BANKS = 8 };

struct read {
    struct owner owner;
    uint64_t address; /* of the next beat */
    uint64_t due;     /* first clock in which the design may sample the beat */
    uint64_t since;   /* its AR was taken */
    uint8_t id, left; /* beats not offered yet */
    uint8_t beats;
};

struct address {
    uint64_t address; /* of the next beat */
    uint64_t since;   /* its AW was taken */
    uint8_t id, left;
    uint8_t beats;
};

struct beat {
    uint64_t strobe;
    uint8_t data[AXI_BYTES];
};

struct response {
    uint64_t due;
    uint64_t since, address;
    uint8_t id;
    bool taken;
};

/* A write that memory sees later: BUS_FAULT_EARLY, BUS_FAULT_STALE. */
struct delayed {
    uint64_t due, address;
    struct memory_origin origin;
    struct beat beat;
};

/* A stream of requests that a bridge joins to one burst. */
struct joined {
    uint64_t block, next; /* where it stays; the address after its last beat */
    unsigned beats;
};

struct region_reports {
    struct owner owner;
    int id, count;
};

/* Answers of the DRAM that were not offered yet, by ID. */
struct arrived {
    uint16_t counts[ORDERED_IDS];
    uint64_t ids; /* bit i: counts[i] is not 0 */
};

struct axi_memory {
    struct axi_listener listeners[AXI_LISTENERS];
    int listener_count;
    struct device *dev;
    struct memory *content;
    struct axi_options options;
    int bytes, atom, port;
    struct provenance *prov;
    uint64_t random[AXI_STREAMS];
    struct memory_system *system; /* NULL: latencies */
    bool limited;                 /* the interconnect has a limit for all masters */
    struct axi_counts counts;
    struct region_reports read_reports, write_reports;
    struct delayed *delayed; /* writes that are late on purpose; ring; NULL: not needed */
    uint8_t last[AXI_BYTES]; /* data of the read beat before, for one that is repeated on purpose */

    /* From here on all is 0 after a reset. */
    struct read reads[READS]; /* ring in AR order; left == 0: answered out of order */
    unsigned read_head, read_count;
    struct address writes[WRITES]; /* AW accepted, data not complete */
    unsigned write_head, write_count;
    struct beat beats[BEATS]; /* W accepted before its AW */
    unsigned beat_head, beat_count;
    struct response responses[WRITES]; /* ring in order of completion */
    unsigned response_head, response_count;

    struct arrived read_arrived, write_arrived;
    bool read_granted, write_granted; /* a place is there for the address that waits */
    bool write_first;                 /* the last place went to a read */
    uint64_t read_free, write_free;   /* clocks from which the interconnect takes the next beat */

    uint64_t open_page[BANKS]; /* page number + 1, 0 closed */
    uint32_t tokens;           /* of the bandwidth bucket, 1000 per data beat */
    uint64_t token_cycle;
    bool write_turn; /* the next token goes to W */
    bool wready_paid;
    bool offering; /* an R beat or a B is on the bus */
    uint64_t next;

    /* Faults on purpose. */
    uint64_t faulty; /* transfers that could be faulty so far */
    unsigned delayed_head, delayed_count;
    struct joined joined[2][IDS]; /* reads, writes */
};

static inline bool has_fault(const struct axi_memory *mem, enum bus_fault_kind kind) {
    return mem->options.fault.kind == kind;
}

/* Writes a beat into memory. */
static inline void write_beat(struct axi_memory *mem, uint64_t address, const struct beat *beat,
                              const struct memory_origin *origin) {
    uint8_t strobe[AXI_BYTES / 8];
    for (int i = 0; i < AXI_BYTES / 8; i++)
        strobe[i] = (uint8_t)(beat->strobe >> (8 * i));
    memory_write(mem->content, address, beat->data, (size_t)mem->bytes,
                 __builtin_popcountll(beat->strobe) == mem->bytes ? NULL : strobe, origin);
}

/* axi_faults.c: what a fault on purpose (device/bus_fault.h) does. */
uint64_t axi_fault_address(struct axi_memory *mem, uint64_t address, int id, bool write);
void axi_fault_read(struct axi_memory *mem, uint8_t *data);
void axi_fault_order(struct axi_memory *mem, struct read *read);
void axi_fault_write(struct axi_memory *mem, uint64_t cycle, uint64_t address, const struct beat *beat,
                     const struct memory_origin *origin);
void axi_fault_store(struct axi_memory *mem, uint64_t cycle, bool make_room);
