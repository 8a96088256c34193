/* The memory system behind NVDLA's port: interconnect, arbiter between the masters, and the DRAM (dram/dram.h) or a
 * shared object in its place. Timing only: data are those of memory/memory.h.
 *
 * Times at this interface are clocks of the core. NVDLA's transactions come in by memory_system_submit() and are
 * answered by memory_system_done(); an interconnect of `latency` clocks, half of them before the controller and half
 * after it, carries at most config.reads and config.writes of them, and with config.in_flight so many of all masters
 * together: NVDLA's count from memory_system_take() to memory_system_give(), of other masters requests. A transaction
 * is cut into the bursts of the DRAM that it touches. With config.merge, a read of a burst that another read of NVDLA
 * already waits for shares its access.
 */
#pragma once

#include "dram/config.h"
#include "dram/dram.h"
#include "dram/traffic.h"
#include "nvdla/error.h"
#include "nvdla/text.h"

struct memory_system;

enum { SYSTEM_TAGS = 1024, LATENCY_BINS = 24, SYSTEM_CLIENTS = 32 };

/* Latencies from the request to the answer, in core clocks: bin n counts those below 2^n, and not below 2^(n-1). */
struct memory_latency {
    uint64_t count, sum, most;
    uint64_t bins[LATENCY_BINS];
};

/* What a master did; NVDLA is master 0, those of --traffic follow. */
struct memory_master {
    char name[TRAFFIC_NAME];
    uint64_t read_bytes, write_bytes;
    struct memory_latency read, write;
    uint64_t waited; /* memory clocks in which the data pins moved for it while NVDLA waited; of NVDLA: for itself */
};

struct memory_statistics {
    char name[64];   /* of the memory */
    uint64_t cycles; /* core clocks since reset */
    double core_mhz, pin_bandwidth;
    struct dram_counts dram; /* zeros if a shared object is in its place */
    uint64_t merged;         /* reads of NVDLA that shared an access */
    uint64_t waited_refresh; /* memory clocks of refresh while NVDLA waited */
    struct memory_master masters[1 + TRAFFIC_MOST];
    size_t master_count;
    struct memory_latency clients[SYSTEM_CLIENTS]; /* of NVDLA: AXI ID, + 16 for writes */
};

/* False with a message if a shared object or a recorded list cannot be read. */
struct memory_system *memory_system_new(const struct dram_config *config, const struct traffic_options *traffic,
                                        uint64_t seed, struct error *err);
void memory_system_free(struct memory_system *system);

/* True if the interconnect takes another transaction. */
bool memory_system_ready(const struct memory_system *system, bool write);

/* With config.in_flight: true if NVDLA may open another transaction. If not, and it waits for that, it gets the next
 * place, or the one after it if another master waits too. */
bool memory_system_may_take(struct memory_system *system, bool waits);
void memory_system_take(struct memory_system *system);
void memory_system_give(struct memory_system *system);

/* A transaction of NVDLA at a clock up to which the system has advanced. tag: below SYSTEM_TAGS, not in use. id: AXI ID
 */
void memory_system_submit(struct memory_system *system, uint64_t cycle, bool write, int id, uint64_t address,
                          uint32_t bytes, uint32_t tag);

/* Lets everything up to that clock happen. */
void memory_system_advance(struct memory_system *system, uint64_t cycle);

/* Takes an answer that is complete in that clock. False: there is none. */
bool memory_system_done(struct memory_system *system, uint64_t cycle, uint32_t *tag, bool *write);

/* A clock before which no answer can come and no place becomes free that NVDLA waits for, at least cycle + 1;
 * UINT64_MAX: nothing of NVDLA is on its way. */
uint64_t memory_system_next(const struct memory_system *system, uint64_t cycle);

const struct memory_statistics *memory_system_statistics(struct memory_system *system, uint64_t cycle);

/* Mean of the latencies; 0 if there is none. */
double memory_latency_mean(const struct memory_latency *latency);

/* Adds lines that begin with two blanks. */
void memory_statistics_print(struct text *text, const struct memory_statistics *statistics);
