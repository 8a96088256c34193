/* Parameters of a DRAM and of the way to it: --memory NAME or FILE, with changes after commas (docs/memory.md).
 *
 * python/nvcosim/dram.py reads and checks them. It prints a line of numbers, which C takes: times are clocks of the
 * memory, which are those of the command bus, half the data rate. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "nvdla/text.h"

/* Clocks of the memory. JEDEC's names; see docs/memory.md for what each means here. */
struct dram_timing {
    uint32_t tCL, tCWL, tRCD, tRP, tRAS, tRC;
    uint32_t tCCD_S, tCCD_L, tRRD_S, tRRD_L, tFAW;
    uint32_t tWTR_S, tWTR_L, tRTP, tWR, tRTRS, tRTW, tREFI, tRFC;
};

enum dram_field { DRAM_ROW, DRAM_RANK, DRAM_BANK, DRAM_GROUP, DRAM_COLUMN, DRAM_CHANNEL, DRAM_FIELDS };
enum dram_page { DRAM_OPEN, DRAM_CLOSED };
enum dram_arbiter { DRAM_ROUND_ROBIN, DRAM_PRIORITY, DRAM_WEIGHT };

enum { DRAM_PARTS = 16, DRAM_CHANNELS = 8, DRAM_RANKS = 4, DRAM_TEXT = 256 };

struct dram_config {
    char name[64]; /* as given, without changes; "": there is no DRAM */
    /* Numbers only, in the order in which python/nvcosim/dram.py prints them, up to `library`. */
    uint32_t clock_khz, core_khz;                /* of the memory's command bus; of NVDLA and its AXI */
    uint32_t channels, ranks, groups;            /* groups: bank groups of a rank, 1 if the memory has none */
    uint32_t banks, rows, columns;               /* of a group; of a bank; of a row, in words of the data pins */
    uint32_t width, burst;                       /* data pins of a channel; words of a burst */
    enum dram_page page;                         /* rows stay open, or are closed after their last waiting access */
    uint32_t queue;                              /* accesses that a channel chooses from: that many reads, and writes */
    uint32_t age;                                /* clocks after which an access is not overtaken in its bank */
    uint32_t act_clocks, cas_clocks, pre_clocks; /* that a command occupies the command bus */
    uint32_t refresh;                            /* 0: there is none */
    enum dram_arbiter arbiter;                   /* between NVDLA and other masters */
    uint32_t weight, priority;                   /* of NVDLA */
    struct dram_timing t;
    uint32_t bus_width;     /* bits that the interconnect moves per core clock and direction; 0: as wide as the port */
    uint32_t reads, writes; /* AXI transactions in flight on the interconnect */
    uint32_t in_flight;     /* transactions of all masters on the interconnect, reads and writes; 0: no limit */
    uint32_t latency;       /* core clocks of the interconnect, request and answer together */
    uint32_t merge;         /* 1: reads and writes of one burst share an access */
    uint32_t part_count;
    struct dram_part {
        uint32_t field, bits;
    } parts[DRAM_PARTS];     /* of an address, from the least significant bit after those of a burst; others wrap */
    char library[DRAM_TEXT]; /* shared object instead of this project's DRAM (dram/library.h); "": none */
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

/* Runs a module of python/nvcosim: python_output() of run/simulators. */
typedef char *dram_start(const char *module, const struct words *arguments, size_t *n, struct error *err);

/* The line of python/nvcosim/dram.py for "NAME[,KEY=VALUE...]" or "FILE[,KEY=VALUE...]"; free() it. A name is one that
 * needs no file; a text with a '/' or a '.' is a file. Python is started unless it is a name without changes. NULL with
 * a message: place, what was found, what was expected. */
char *dram_config_line(const char *argument, dram_start *start, struct error *err);

/* Takes the line for that argument. False with a message; the name is empty then. */
bool dram_config_read(const char *argument, const char *line, struct dram_config *config, struct error *err);
