/* The ports of NVDLA as signals that are sampled, by a clock or by an analyser: register accesses on CSB, or on APB or
 * AXI4-Lite in front of it, and memory on AXI (80-trace-formats section 6.5). Formats (wave.c, table.c) set the values,
 * and call sampler_sample_*; sampler_take() returns what has become complete.
 *
 * Ports of NVDLA have their published names. Those of APB and AXI4-Lite are known by the ends of names, in upper or
 * lower case (S_AXI_AWVALID). */
#pragma once

#include "import/source_parts.h"

enum port {
    BUS_CLOCK,
    CSB_VALID,
    CSB_READY,
    CSB_ADDRESS,
    CSB_DATA,
    CSB_WRITE,
    READ_VALID,
    READ_DATA,
    INTERRUPT,
    CORE_CLOCK,
    APB_SELECT,
    APB_ENABLE,
    APB_WRITE,
    APB_ADDRESS,
    APB_WDATA,
    APB_RDATA,
    APB_READY,
    APB_ERROR,
    LITE_AWVALID,
    LITE_AWREADY,
    LITE_AWADDR,
    LITE_WVALID,
    LITE_WREADY,
    LITE_WDATA,
    LITE_WSTRB,
    LITE_BVALID,
    LITE_BREADY,
    LITE_BRESP,
    LITE_ARVALID,
    LITE_ARREADY,
    LITE_ARADDR,
    LITE_RVALID,
    LITE_RREADY,
    LITE_RDATA,
    LITE_RRESP,
    AXI_PORTS, /* of the primary port; the secondary port follows */
    AXI_AWVALID = AXI_PORTS,
    AXI_AWREADY,
    AXI_AWLEN,
    AXI_AWADDR,
    AXI_WVALID,
    AXI_WREADY,
    AXI_WDATA,
    AXI_WSTRB,
    AXI_ARVALID,
    AXI_ARREADY,
    AXI_ARID,
    AXI_ARLEN,
    AXI_ARADDR,
    AXI_RVALID,
    AXI_RREADY,
    AXI_RID,
    AXI_RLAST,
    AXI_RDATA,
    AXI_END,
    AXI_COUNT = AXI_END - AXI_PORTS,
    PORTS = AXI_PORTS + SPACE_COUNT * AXI_COUNT
};

enum { SIGNAL_BITS = 512, BURST_IDS = 256 };

/* A signal's value: bits, and whether any of them is x or z. */
struct value {
    uint8_t bytes[SIGNAL_BITS / 8];
    bool unknown;
};

/* The signal of a port. */
struct signal {
    unsigned width; /* 0: not in the capture */
    int rank;       /* how well its name fits */
    char name[64];
    struct value now, later;
    bool changed;
};

/* Queue of requests; grows. */
struct request {
    uint64_t address, time;
    uint32_t value;
    unsigned beats, beat; /* of a burst */
    bool is_write, answered, known;
};
struct queue {
    struct request *items;
    size_t first, count, capacity;
};

enum bus { BUS_CSB, BUS_APB, BUS_LITE };

struct sampler {
    struct signal signals[PORTS];
    enum bus bus;
    uint64_t time;                    /* of the sample, for access.line */
    struct queue bus_queue;           /* register accesses not yet returned; AXI4-Lite: reads */
    struct queue lite_writes;         /* address and data may come one after the other */
    struct queue writes[SPACE_COUNT]; /* bursts waiting for data */
    struct queue reads[SPACE_COUNT][BURST_IDS];
    /* Complete accesses. */
    struct access *ready;
    uint8_t (*data)[2][SIGNAL_BITS / 8]; /* of memory accesses: bytes, enabled */
    size_t ready_first, ready_count, ready_capacity;
    uint32_t level;
    uint64_t early;  /* AXI write beats before their address */
    uint64_t failed; /* register accesses that were answered with an error, or write a part of a register */
};

void sampler_free(struct sampler *sampler);

/* How well a signal's name fits a port: 0 not at all. The name is without path and range. */
int sampler_fits(const struct source *source, int port, struct span name);
/* The name under which a port is looked for, for messages. */
const char *sampler_port_name(const struct source *source, int port, char *text, size_t size);
/* Gives a port its signal, if it has none that fits better. False, with *other its name, if one fits as well. */
bool sampler_define(struct sampler *sampler, int port, struct span name, int rank, unsigned width);
/* Checks that all signals of a register bus are there, and chooses it. clocked: the clock too. -1 with a message. */
int sampler_check(struct source *source, struct sampler *sampler, bool clocked, const char *scope, struct error *err);

/* Samples what signals are now; core: AXI, else the register bus. */
void sampler_sample(struct sampler *sampler, bool core);
/* Makes the changes of all signals their values. */
void sampler_step(struct sampler *sampler);

/* The next complete access: 1; 0: there is none; -1: with a message. */
int sampler_take(struct source *source, struct sampler *sampler, struct access *access, struct error *err);
/* At the end of a capture: reports what has not become complete. */
void sampler_finish(struct source *source, struct sampler *sampler);
