/* Internal state of the RTL as a device, shared by rtl_open.c, which opens it, and its clock loop, rtl_device.c. */
#pragma once

#include "device/device.h"
#include "device/rtl_options.h"
#include "replay/copies.h"
#include "tb/axi_memory.h"
#include "tb/csb_master.h"
#include "tb/observers/account_board.h"
#include "tb/observers/axi_answers.h"
#include "tb/observers/axi_monitor.h"
#include "tb/observers/cbuf_board.h"
#include "tb/observers/checks.h"
#include "tb/observers/flight.h"
#include "tb/observers/marks.h"
#include "tb/observers/meter.h"
#include "tb/observers/observer.h"
#include "tb/observers/rtl_tap.h"
#include "tb/observers/unknown.h"
#include "tb/observers/waits.h"
#include "tb/observers/waves.h"
#include "tb/provenance.h"
#include "tb/signals.h"
#include "tb/simulator.h"
#include "tb/vpi_access.h"

enum { AXI_VALIDS = OUT_ARVALID | OUT_AWVALID | OUT_WVALID };

struct port {
    struct axi_memory *memory;
    struct axi_outputs out;
    struct axi_inputs in;
    uint32_t valids; /* AXI_VALIDS of this port in outs word 0 */
    uint64_t next;   /* clock in which the port must be handled even if no valid is 1 */
};

struct rtl_device {
    struct device base;
    struct simulator simulator;
    struct clock_source clock; /* the simulator's, or a measuring one */
    struct rtl_options options;
    struct signal_layout layout;
    struct vpi_access vpi;
    struct provenance *prov;
    struct csb_master csb;
    struct port ports[AXI_PORTS];
    struct observers observers;

    uint32_t in[SIGNAL_IN_WORDS];                            /* inputs of the next clock */
    uint32_t driven[SIGNAL_IN_WORDS];                        /* inputs as last put */
    uint32_t aval[SIGNAL_OUT_WORDS], bval[SIGNAL_OUT_WORDS]; /* outs of this clock, as far as they were read */
    const uint32_t *streams[STREAM_COUNT]; /* where the simulator keeps them; NULL: read through VPI */
    uint32_t stream[STREAM_WORDS];         /* the last one read through VPI */
    struct sampled now;                    /* as shown to the observers */
    uint32_t flags;                        /* outs word 0, unknown bits as 0 */
    bool csb_driven;                       /* in holds a request */
    bool released;                         /* reset is over: the clocks count */
    bool adopted;                          /* the next reset has been done already */
    uint64_t cycle;                        /* of the coming rising edge, 0 = first with dla_reset_rstn = 1 */
    uint64_t clocks;                       /* since the simulation began */
    uint64_t last_traffic;
    uint64_t last_moved; /* a transfer on an AXI port */
    uint32_t links_seen; /* bits of outs word 0 since the last look at the links */
    struct device_link links[SIGNAL_LINKS];
    struct link_beats link_beats;
    struct device_waits waits;
    bool op_started;
    uint64_t op_start, last_rise;
    bool edge;           /* the interrupt rose, and its status was not read since */
    uint32_t glb_status; /* byte address of that register */
    bool coverage_open;
    double cpu_start, cpu_reset; /* CPU seconds of the process at opening; and of opening and reset */
    struct rtl_tap *tap;
    struct cbuf_board *board; /* NULL: none */
    struct checks *checks;    /* NULL: none */
    struct flight *flight;
    uint64_t copy_due; /* clock in which to consider a copy, or, in a woken copy, to stop; UINT64_MAX: never */

    struct axi_monitor monitors[AXI_PORTS];
    struct axi_answers answers[AXI_PORTS];
    struct unknown unknown;
    struct marks *marks; /* NULL: this simulator has no waves */
    struct waves waves;
    struct meter meter;
    struct rtl_statistics statistics;
    struct timeline_counter *timeline; /* an observer; NULL: not counted */
};

static inline struct rtl_device *rtl_of(struct device *dev) {
    return (struct rtl_device *)dev;
}

extern const struct device_ops rtl_ops;
