/* Options of a simulated RTL: how its AXI memory behaves, what its static inputs are, what is recorded. Plain data; the
 * testbench (tb/) obeys it, the command line fills it.
 */
#ifndef DEVICE_RTL_OPTIONS_H
#define DEVICE_RTL_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device/beat.h"
#include "nvdla_names.h"

struct tap_listeners; /* observe/tap.h, which the testbench knows */
struct scoreboard;    /* observe/scoreboard.h, likewise */
struct copies;        /* replay/copies.h, likewise */

struct device;
struct error;
struct nvdla_config;

enum latency_kind { LATENCY_FIXED, LATENCY_UNIFORM, LATENCY_PAGE };

/* How the AXI memory behaves. Everything random comes from `seed`. All latencies in core clocks. */
struct axi_options {
    uint64_t seed;
    enum latency_kind latency_kind;
    uint32_t read_latency;        /* AR accepted to first R beat offered; default 32 (minimum of the uniform range) */
    uint32_t write_latency;       /* last W beat accepted to B offered; default 4 */
    uint32_t latency_max;         /* LATENCY_UNIFORM: reads take read_latency .. latency_max */
    uint32_t page_hit, page_miss; /* LATENCY_PAGE: 2-KiB pages, 8 banks; added to read_latency / write_latency */
    uint32_t stall[5];            /* per mille of clocks in which AR, R, AW, W, B is held back */
    uint32_t bandwidth; /* per mille of clocks in which a data beat may move, 1000 = no cap; one bucket for R and W
                           together */
    bool reorder;       /* responses of different IDs may overtake each other */
    bool allow_outside; /* accesses outside declared regions are counted but do not fail the run */
};

enum { STALL_AR, STALL_R, STALL_AW, STALL_W, STALL_B };

void axi_options_default(struct axi_options *options);

/* Random streams of a port: that of each channel, and one for latencies and order. */
enum { STREAM_ORDER = STALL_B + 1, AXI_STREAMS };

/* The state in which a stream of a port begins (nvdla/random.h). */
uint64_t axi_options_stream(const struct axi_options *options, int port, int stream);

/* Draws whether a channel is held back in a clock. */
bool axi_options_stalled(const struct axi_options *options, int channel, uint64_t *stream);

/* What is recorded of the signals. Only a simulator built for waves can. */
struct wave_options {
    const char *path;  /* FST file, NULL for none */
    uint64_t from, to; /* cycles, to 0 = to the end */
    /* Launches of one layer: the window is instead from the first of them to be armed until all are done, and
     * WAVE_AFTER_LAYER clocks more. */
    const struct wave_launch *launches;
    size_t launch_count; /* 0: by cycle */
    /* Only the signals below these: "PREFIX" or "PREFIX:DEPTH" with a hierarchical name below tb_top or from TOP on,
     * DEPTH 1 = only those of that scope itself; NULL-terminated, or NULL for everything. */
    const char *const *scopes;
    bool plain; /* what Verilator records by itself: no marks, no save file; to measure what these cost */
};

struct wave_launch {
    enum nvdla_unit unit;
    int ordinal; /* of the unit, from 0 */
};

enum { WAVE_AFTER_LAYER = 200 /* clocks */ };

struct rtl_options {
    struct axi_options axi;
    const char *const *pins; /* "NAME=VALUE" for static inputs, NULL-terminated; NULL for the defaults */
    const uint32_t *faults;  /* planted faults that are there, from 1 (scripts/plant.py) */
    size_t fault_count;
    const struct tap_listeners *taps; /* hear the RTL's streams; NULL: nobody does */
    struct account *account;          /* receives what that of CDMA, CSC and CACC finds; NULL: there is none */
    struct scoreboard *cbuf;          /* receives what the scoreboard of CBUF finds; NULL: there is none */
    bool taps_later;                  /* but not before device_ops.record_taps, from when on checks that fail are
                                       * findings, too, where the simulator holds them */
    const struct axi_listener *beats; /* hears of every beat on the AXI ports; NULL: nobody does */
    struct copies *copies;            /* of the process, to be made while it plays; NULL: none */
    bool timeline;                    /* count what moves and who waits, over time and by launch (device/timeline.h) */
    struct wave_options wave;
    const char *coverage_path; /* what Verilator counted, written at the end; NULL for none; only a simulator built
                                  for it can */
    bool checks;               /* failing checks of the RTL are findings; only a simulator built with them can */
    bool measure;              /* sample the share of time spent inside the design's evaluation */
};

/* Opens the RTL that the executable was built with. */
typedef struct device *(*rtl_open)(void *context, const struct nvdla_config *config, const struct rtl_options *options,
                                   struct error *err);

/* Text that is the same for two sets of options with which a design and its testbench are in the same state after the
 * reset, whatever their memories at that many ports do later; NULL with recordings that belong to one trace. The caller
 * frees it. */
char *rtl_options_reset_key(const struct rtl_options *options, int ports);

/* Name of the GTKWave save file that is written beside a wave file: NAME.gtkw for NAME.fst. The caller frees it. */
char *wave_save_path(const char *wave_path);

#endif
