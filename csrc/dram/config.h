/* Parameters of a DRAM and of the way to it: --memory NAME or FILE, with changes after commas.
 *
 * A file is YAML: a mapping of the keys of dram_parameters, with the timing in a mapping `timing` and the way between
 * NVDLA and the controller in `interconnect`. Times are clocks of the memory ("16"), or "13.75 ns", "7.8 us", which are
 * rounded up to clocks. A clock is that of the command bus, half the data rate.
 *
 * The mapping of addresses is a text, most significant field first: "row rank bank column:3 group column:4 channel". A
 * field is NAME or NAME:BITS; each name may have one part without bits, which gets what its other parts leave. Columns
 * count bursts; the bytes of a burst are the lowest address bits and are not named. A field of one value needs no part.
 * Addresses beyond the capacity wrap. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

/* Clocks of the memory. JEDEC's names; see docs/memory.md for what each means here. */
struct dram_timing {
    uint32_t tCL, tCWL, tRCD, tRP, tRAS, tRC;
    uint32_t tCCD_S, tCCD_L, tRRD_S, tRRD_L, tFAW;
    uint32_t tWTR_S, tWTR_L, tRTP, tWR, tRTRS, tRTW, tREFI, tRFC;
};

enum dram_field { DRAM_ROW, DRAM_RANK, DRAM_BANK, DRAM_GROUP, DRAM_COLUMN, DRAM_CHANNEL, DRAM_FIELDS };
enum dram_page { DRAM_OPEN, DRAM_CLOSED };
enum dram_arbiter { DRAM_ROUND_ROBIN, DRAM_PRIORITY, DRAM_WEIGHT };

enum { DRAM_PARTS = 16, DRAM_CHANNELS = 8, DRAM_RANKS = 4, DRAM_QUEUE = 256, DRAM_TEXT = 256 };

struct dram_config {
    char name[64];                               /* as given, without changes; "": there is no DRAM */
    uint32_t clock_khz, core_khz;                /* of the memory's command bus; of NVDLA and its AXI */
    uint32_t channels, ranks, groups;            /* groups: bank groups of a rank, 1 if the memory has none */
    uint32_t banks, rows, columns;               /* of a group; of a bank; of a row, in words of the data pins */
    uint32_t width, burst;                       /* data pins of a channel; words of a burst */
    enum dram_page page;                         /* rows stay open, or are closed after their last waiting access */
    uint32_t queue;                              /* accesses that a channel chooses from: that many reads, and writes */
    uint32_t age;                                /* clocks after which an access is not overtaken in its bank */
    uint32_t act_clocks, cas_clocks, pre_clocks; /* that a command occupies the command bus */
    bool refresh;
    struct dram_timing t;
    char mapping[DRAM_TEXT];
    struct dram_part {
        uint8_t field, bits;
    } parts[DRAM_PARTS]; /* from the least significant bit after those of a burst */
    uint32_t part_count;
    uint32_t bus_width;     /* bits that the interconnect moves per core clock and direction; 0: as wide as the port */
    uint32_t reads, writes; /* AXI transactions in flight on the interconnect */
    uint32_t in_flight;     /* transactions of all masters on the interconnect, reads and writes; 0: no limit */
    uint32_t latency;       /* core clocks of the interconnect, request and answer together */
    bool merge;             /* reads and writes of one burst share an access */
    enum dram_arbiter arbiter; /* between NVDLA and other masters */
    uint32_t weight, priority; /* of NVDLA */
    char library[DRAM_TEXT];   /* shared object instead of this project's DRAM (dram/library.h); "": none */
    char library_parameters[DRAM_TEXT];
};

/* Bytes of one access. */
static inline uint32_t dram_burst_bytes(const struct dram_config *dram) {
    return dram->width / 8 * dram->burst;
}

/* Bytes per second of the data pins, all channels. */
double dram_pin_bandwidth(const struct dram_config *config);

/* Most clocks of the core that a read takes while nothing else is in the memory. */
uint64_t dram_read_clocks(const struct dram_config *config);

/* Reads "NAME[,KEY=VALUE...]" or "FILE[,KEY=VALUE...]". A name is one that needs no file; a text with a '/' or a '.' is
 * a file. False with a message: place, what was found, what was expected. */
bool dram_config_read(const char *argument, struct dram_config *config, struct error *err);
