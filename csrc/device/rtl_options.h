/* Options of a simulated RTL: behaviour of its AXI memory, its static inputs, what is recorded. Plain data, filled by
 * the command line and read by the testbench (tb/). */
#pragma once

#include "device/beat.h"
#include "device/bus_fault.h"
#include "dram/config.h"
#include "dram/traffic.h"
#include "nvdla_names.h"

struct tap_listeners; /* observe/tap.h */
struct scoreboard;    /* observe/scoreboard.h */
struct copies;        /* replay/copies.h */

struct device;
struct error;
struct nvdla_config;

enum latency_kind { LATENCY_FIXED, LATENCY_UNIFORM, LATENCY_PAGE };

/* Behaviour of the AXI memory. All randomness comes from `seed`. All latencies are in core clocks. */
struct axi_options {
    uint64_t seed;
    enum latency_kind latency_kind;
    uint32_t read_latency;        /* AR accepted to first R beat offered; default 32 (minimum of the uniform range) */
    uint32_t write_latency;       /* last W beat accepted to B offered; default 4 */
    uint32_t latency_max;         /* LATENCY_UNIFORM: reads take read_latency .. latency_max */
    uint32_t page_hit, page_miss; /* LATENCY_PAGE: 2-KiB pages, 8 banks; added to read_latency / write_latency */
    uint32_t stall[5];            /* per mille of clocks in which AR, R, AW, W, B is held back */
    uint32_t bandwidth;      /* per mille of clocks in which a data beat may move, 1000: no limit; R and W share it */
    struct bus_fault fault;  /* on purpose */
    struct dram_config dram; /* behind the primary port, instead of latencies; name "": none */
    struct traffic_options traffic; /* of other masters at the DRAM */
    bool reorder;                   /* responses with different IDs may overtake each other */
    bool allow_outside;             /* accesses outside declared regions are counted but do not fail the run */
};

enum { STALL_AR, STALL_R, STALL_AW, STALL_W, STALL_B };

void axi_options_default(struct axi_options *options);

/* Random streams of a port: one per channel, and one for latencies and order. */
enum { STREAM_ORDER = STALL_B + 1, AXI_STREAMS };

/* Initial state of a port's stream (nvdla/random.h). */
uint64_t axi_options_stream(const struct axi_options *options, int port, int stream);

/* Draws whether a channel is held back in a clock. */
bool axi_options_stalled(const struct axi_options *options, int channel, uint64_t *stream);

/* Which signals are recorded. Needs a simulator built for waves. */
struct wave_options {
    const char *path;  /* FST file, NULL: none */
    const char *saif;  /* activity in these waves, as a SAIF file; NULL: none */
    uint64_t from, to; /* cycles, to 0: until the end */
    /* Launches of a layer. If set, the window is from the first arming among them until all are done, plus
     * WAVE_AFTER_LAYER clocks. */
    const struct wave_launch *launches;
    size_t launch_count; /* 0: by cycle */
    /* Only the signals below these, "PREFIX" or "PREFIX:DEPTH", with a hierarchical name below tb_top or from TOP on;
     * DEPTH 1: only signals of that scope itself. NULL-terminated; NULL: everything. */
    const char *const *scopes;
    bool plain; /* only Verilator's own output, without marks and save file; to measure their cost */
};

struct wave_launch {
    enum nvdla_unit unit;
    int ordinal; /* of the unit, from 0 */
};

enum { WAVE_AFTER_LAYER = 200 /* clocks */ };

struct rtl_options {
    struct axi_options axi;
    const char *const *pins; /* "NAME=VALUE" for static inputs, NULL-terminated; NULL for the defaults */
    const uint32_t *faults;  /* active planted faults, from 1 (scripts/plant.py) */
    size_t fault_count;
    const struct tap_listeners *taps; /* listen to the RTL's streams; NULL: not used */
    struct account *account;          /* receives the findings of CDMA's, CSC's and CACC's scoreboard; NULL: not used */
    struct scoreboard *cbuf;          /* receives the findings of CBUF's scoreboard; NULL: not used */
    bool taps_later; /* only from device_ops.record_taps on; from then on failing checks are findings, too, if the
                        simulator has them */
    const struct axi_listener *beats; /* is called for every beat on the AXI ports; NULL: not used */
    struct copies *copies;            /* copies of the process to be made during the run; NULL: none */
    bool timeline;                    /* count movements and waits, over time and by launch (device/timeline.h) */
    struct wave_options wave;
    const char *coverage_path; /* coverage counts, written at the end; NULL: none; needs a simulator built for it */
    bool checks;               /* failing checks of the RTL are findings; needs a simulator built with them */
    bool measure;              /* sample the share of time inside the design's evaluation */
};

/* Opens the RTL that the executable was built with. */
typedef struct device *(*rtl_open)(void *context, const struct nvdla_config *config, const struct rtl_options *options,
                                   struct error *err);

/* A key that is equal for two sets of options if design and testbench are in the same state after reset, whatever the
 * memories at that many ports do later; NULL if recordings belong to one trace. The caller frees it. */
char *rtl_options_reset_key(const struct rtl_options *options, int ports);

/* Name of the GTKWave save file written beside a wave file: NAME.gtkw for NAME.fst. The caller frees it. */
char *wave_save_path(const char *wave_path);
