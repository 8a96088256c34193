/* The RTL as a device: the clock loop. See rtl_device.h.
 *
 * Clock n, seen from here: step() lets rising edge n pass, puts the inputs of clock n + 1, lets the design settle and
 * reads its outputs of clock n + 1; then observe() decides which transfers the coming edge makes and computes the
 * inputs after it. So a call that waits for an acceptance returns before the edge that makes it, and the next call's
 * request follows without a gap. Inputs behave like registers of a testbench on the same clock.
 *
 * A clock in which no valid is 1 and no answer of the memory is due costs one vpi_get_value and a comparison.
 */
#include "tb/rtl_device.h"

#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/registers.h"
#include "nvdla/xalloc.h"
#include "replay/copies.h"
#include "tb/axi_memory.h"
#include "tb/csb_master.h"
#include "tb/observers/account_board.h"
#include "tb/observers/axi_monitor.h"
#include "tb/observers/cbuf_board.h"
#include "tb/observers/checks.h"
#include "tb/observers/flight.h"
#include "tb/observers/marks.h"
#include "tb/observers/meter.h"
#include "tb/observers/observer.h"
#include "tb/observers/rtl_tap.h"
#include "tb/observers/timeline.h"
#include "tb/observers/unknown.h"
#include "tb/observers/waits.h"
#include "tb/observers/waves.h"
#include "tb/provenance.h"
#include "tb/signals.h"
#include "tb/vpi_access.h"

/* Clocks of the reset sequence (chapter 10 section 3): high, low, then high and idle before the first access, beyond
 * the time that CDMA takes to fill CBUF with zeros through two ports. */
enum { RESET_HIGH = 20, RESET_LOW = 20, RESET_IDLE = 32 };

enum { RECENT = 2000 /* clocks for which launches that are done still count: a failure is seen a little later */ };

enum { SLOW_READ = 200 /* clocks that a read may take beyond the latency of the memory */ };

enum { REST_CLOCKS = 200 /* without traffic until the memory counts as at rest: chapter 80 section 9.7 */ };

/* Clocks without movement after which a run counts as hung: where the links between the engines are seen, and where
 * only the ports are. A layer that computes from CBUF alone and writes nothing (comparison of outputs, large pooling
 * behind a convolution) shows nothing on the ports for long. */
enum { STILL_LINKS = 100000, STILL_PORTS = 2000000 };

enum { AXI_VALIDS = OUT_ARVALID | OUT_AWVALID | OUT_WVALID };

struct port {
    struct axi_memory *memory;
    struct axi_outputs out;
    struct axi_inputs in;
    uint32_t valids; /* AXI_VALIDS of this port in outs word 0 */
    uint64_t next;   /* clock at which the port must be looked at even if no valid is 1 */
};

struct rtl_device {
    struct device base;
    struct simulator simulator;
    struct clock_source clock; /* the simulator's, or one that measures it */
    struct rtl_options options;
    struct signal_layout layout;
    struct vpi_access vpi;
    struct provenance *prov;
    struct csb_master csb;
    struct port ports[AXI_PORTS];
    struct observers observers;

    uint32_t in[SIGNAL_IN_WORDS];                            /* inputs of the next clock */
    uint32_t driven[SIGNAL_IN_WORDS];                        /* inputs as last put */
    uint32_t aval[SIGNAL_OUT_WORDS], bval[SIGNAL_OUT_WORDS]; /* outs of this clock, as far as they were taken */
    const uint32_t *streams[STREAM_COUNT];                   /* where the simulator has them; NULL: ask VPI */
    uint32_t stream[STREAM_WORDS];                           /* the one that VPI read last */
    struct sampled now;                                      /* what the observers see of it */
    uint32_t flags;                                          /* outs word 0, unknown bits as 0 */
    bool csb_driven;                                         /* in holds a request */
    bool released;                                           /* reset is over: the clocks count */
    bool adopted;                                            /* the next reset was done before */
    uint64_t cycle;  /* of the coming rising edge, 0 = first with dla_reset_rstn = 1 */
    uint64_t clocks; /* since the simulation began */
    uint64_t last_traffic;
    uint64_t last_moved; /* a transfer on an AXI port */
    uint32_t links_seen; /* bits of outs word 0 since the links were last looked at */
    struct device_link links[SIGNAL_LINKS];
    struct link_beats link_beats;
    struct device_waits waits;
    bool op_started;
    uint64_t op_start, last_rise;
    bool coverage_open;
    double cpu_start, cpu_reset; /* CPU seconds of the process when the device was opened; and of opening and reset */
    struct rtl_tap *tap;
    struct cbuf_board *board; /* NULL: there is none */
    struct checks *checks;    /* likewise */
    struct flight *flight;
    uint64_t copy_due; /* clock in which to think of a copy, or in one that was woken to stop; UINT64_MAX: never */

    struct axi_monitor monitors[AXI_PORTS];
    struct unknown unknown;
    struct marks *marks; /* NULL: this simulator has no waves */
    struct waves waves;
    struct meter meter;
    struct rtl_statistics statistics;
};

static struct rtl_device *rtl_of(struct device *dev) {
    return (struct rtl_device *)dev;
}

/* Called by the simulator right after the rising edge. */
static void put_inputs(void *arg) {
    struct rtl_device *rtl = arg;
    if (rtl->observers.edges && rtl->released)
        for (int i = 0; i < rtl->observers.count; i++)
            if (rtl->observers.item[i].edge)
                rtl->observers.item[i].edge(rtl->observers.item[i].context, rtl->cycle);
    const size_t size = (size_t)rtl->layout.in_words * sizeof rtl->in[0];
    if (!memcmp(rtl->in, rtl->driven, size))
        return;
    memcpy(rtl->driven, rtl->in, size);
    vpi_access_put(&rtl->vpi, rtl->driven);
}

/* Puts the CSB request, if there is one, into the inputs of the next clock. */
static void drive_csb(struct rtl_device *rtl) {
    const struct csb_master *csb = &rtl->csb;
    const bool valid = csb->state == CSB_REQUEST;
    if (!valid && !rtl->csb_driven)
        return;
    rtl->csb_driven = valid;
    const struct csb_inputs inputs = {valid, csb->write, csb->nposted, csb->address, csb->value};
    signals_encode_csb(&inputs, rtl->in);
}

static void observe_csb(struct rtl_device *rtl, const s_vpi_vecval *words) {
    struct csb_master *csb = &rtl->csb;
    struct csb_outputs out;
    const bool busy = csb->state != CSB_IDLE;
    rtl->aval[1] = (uint32_t)words[1].aval;
    signals_decode_csb(rtl->aval, &out);
    const bool accepted = csb_master_clock(csb, &rtl->base, rtl->cycle, out.ready, out.valid, out.complete, out.data);
    if (!csb->write) {
        for (int i = 0; busy && csb->state == CSB_IDLE && i < rtl->observers.count; i++)
            if (rtl->observers.item[i].read)
                rtl->observers.item[i].read(rtl->observers.item[i].context, csb->address, csb->value, rtl->cycle);
        return;
    }
    if (!accepted)
        return;
    if (provenance_register_write(rtl->prov, csb->address, csb->value, rtl->cycle) && !rtl->op_started) {
        rtl->op_started = true;
        rtl->op_start = rtl->cycle;
    }
    for (int i = 0; i < rtl->observers.count; i++)
        if (rtl->observers.item[i].write)
            rtl->observers.item[i].write(rtl->observers.item[i].context, csb->address, csb->value, rtl->cycle);
}

static bool transfers(const struct axi_outputs *out, const struct axi_inputs *in) {
    return (out->arvalid && in->arready) || (in->rvalid && out->rready) || (out->awvalid && in->awready) ||
           (out->wvalid && in->wready) || (in->bvalid && out->bready);
}

static void observe_port(struct rtl_device *rtl, int p, const s_vpi_vecval *words) {
    struct port *port = &rtl->ports[p];
    const int end = port->valids & rtl->flags ? rtl->layout.port[p].wdata + rtl->layout.port[p].bytes / 4 : 1;
    for (int i = rtl->layout.port[p].ids; i < end; i++)
        rtl->aval[i] = (uint32_t)words[i].aval;
    signals_decode_port(&rtl->layout, p, rtl->aval, &port->out);
    bool again = false;
    for (int i = 0; i < rtl->observers.count; i++)
        if (rtl->observers.item[i].port && rtl->observers.item[i].port(rtl->observers.item[i].context, &rtl->now, p))
            again = true;
    if (transfers(&port->out, &port->in))
        rtl->last_moved = rtl->cycle;
    axi_memory_clock(port->memory, rtl->cycle, &port->out, &port->in);
    signals_encode_port(&rtl->layout, p, &port->in, rtl->in);
    port->next = again ? 0 : axi_memory_next(port->memory);
    rtl->last_traffic = rtl->cycle;
}

/* Shows the whole clock to the observers that want every one. */
static void show_clock(struct rtl_device *rtl, const s_vpi_vecval *words) {
    if (rtl->now.bval) {
        for (int i = 0; i < rtl->layout.out_words; i++) {
            rtl->aval[i] = (uint32_t)words[i].aval;
            rtl->bval[i] = (uint32_t)words[i].bval;
        }
    }
    for (int i = 0; i < rtl->observers.count; i++)
        if (rtl->observers.item[i].clock)
            rtl->observers.item[i].clock(rtl->observers.item[i].context, &rtl->now);
    rtl->aval[0] = rtl->flags;
}

/* Shows the streams that move in this clock. */
static void show_moves(struct rtl_device *rtl, const uint32_t *words) {
    for (int i = 0; i < rtl->observers.count; i++)
        if (rtl->observers.item[i].moved)
            rtl->observers.item[i].moved(rtl->observers.item[i].context, rtl->cycle, words);
}

/* What a stream shows in this clock; see struct stream_source. */
static const uint32_t *read_stream(void *context, enum rtl_stream stream, int count) {
    struct rtl_device *rtl = context;
    if (rtl->streams[stream])
        return rtl->streams[stream];
    vpi_access_get_stream(&rtl->vpi, stream, rtl->stream, count);
    return rtl->stream;
}

/* The streams that the design shows. */
static struct stream_source stream_source(struct rtl_device *rtl) {
    struct stream_source source = {.context = rtl, .read = rtl->vpi.taps ? read_stream : NULL};
    for (int i = 0; i < STREAM_COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        source.has[i] = rtl->vpi.streams[i] != NULL;
        if (source.has[i] && rtl->simulator.signal)
            rtl->streams[i] = rtl->simulator.signal(rtl->simulator.context, name);
    }
    return source;
}

/* Reads the outputs of this clock and decides what the coming edge does. */
static void observe(struct rtl_device *rtl) {
    const s_vpi_vecval *words = vpi_access_get(&rtl->vpi);
    const uint32_t before = rtl->flags;
    rtl->flags = rtl->aval[0] = (uint32_t)words[0].aval & ~(uint32_t)words[0].bval;
    if (!rtl->released)
        return;
    rtl->now.cycle = rtl->cycle;
    rtl->now.flags = rtl->flags;
    rtl->now.interrupt = rtl->flags & OUT_INTR;
    rtl->links_seen |= rtl->flags;
    uint32_t moves[2 * MOVE_WORDS], moving = 0; /* the words stay valid until the next access only */
    for (int i = 0; rtl->observers.moves && i < 2 * MOVE_WORDS; i++)
        moving |= moves[i] = (uint32_t)words[rtl->layout.out_words + i].aval;
    link_beats_add(&rtl->link_beats, rtl->flags >> OUT_LINKS_LSB);
    if (rtl->observers.clocks)
        show_clock(rtl, words);
    if (rtl->flags & ~before & OUT_INTR)
        rtl->last_rise = rtl->cycle;
    if (rtl->csb.state != CSB_IDLE || (rtl->flags & (OUT_CSB_VALID | OUT_CSB_COMPLETE)))
        observe_csb(rtl, words);
    for (int p = 0; p < rtl->layout.ports; p++)
        if ((rtl->flags & rtl->ports[p].valids) || rtl->cycle >= rtl->ports[p].next)
            observe_port(rtl, p, words);
    if (moving)
        show_moves(rtl, moves);
    for (int i = 0; rtl->observers.settled && i < rtl->observers.count; i++)
        if (rtl->observers.item[i].settled)
            rtl->observers.item[i].settled(rtl->observers.item[i].context);
}

/* Has a copy of the process made if one is due; this returns in the copy too when it is woken. */
static void consider_copy(struct rtl_device *rtl, bool arming) {
    struct copies *copies = rtl->options.copies;
    if (copies_woken(copies)) {
        rtl->base.stop = rtl->base.stop || rtl->cycle >= rtl->copy_due;
        return;
    }
    struct device_launch running[DEVICE_LAUNCHES];
    uint64_t starts[DEVICE_LAUNCHES];
    const uint64_t recent = rtl->cycle > RECENT ? rtl->cycle - RECENT : 0;
    const size_t count = flight_at(rtl->flight, recent, running, DEVICE_LAUNCHES);
    for (size_t i = 0; i < count; i++)
        starts[i] = running[i].start;
    rtl->copy_due = copies_consider(copies, rtl->cycle, arming, starts, count);
    if (copies_woken(copies))
        rtl->cpu_start = meter_cpu_seconds(); /* that of the process begins anew */
}

/* One clock. */
static void step(struct rtl_device *rtl) {
    if (rtl->cycle >= rtl->copy_due)
        consider_copy(rtl, false);
    const uint64_t calls = rtl->vpi.calls;
    drive_csb(rtl);
    rtl->clock.clock(rtl->clock.context, put_inputs, rtl);
    rtl->clocks++;
    if (rtl->released)
        rtl->cycle++;
    observe(rtl);
    const uint64_t spent = rtl->vpi.calls - calls;
    if (spent == 1)
        rtl->statistics.quiet_cycles++;
    if (spent > rtl->statistics.most_vpi_per_cycle)
        rtl->statistics.most_vpi_per_cycle = spent;
}

static bool rtl_reset(struct device *dev, struct error *err) {
    struct rtl_device *rtl = rtl_of(dev);
    (void)err;
    if (rtl->adopted) {
        rtl->adopted = false;
        return true;
    }
    provenance_free(rtl->prov);
    rtl->prov = provenance_new(dev->config);
    for (int i = 0; i < rtl->observers.count; i++)
        if (rtl->observers.item[i].reset)
            rtl->observers.item[i].reset(rtl->observers.item[i].context);
    rtl->released = false;
    rtl->cycle = 0;
    rtl->last_traffic = rtl->last_moved = 0;
    rtl->op_started = false;
    rtl->last_rise = 0;
    dev->stop = false;
    rtl->copy_due = UINT64_MAX;
    if (rtl->options.copies) {
        consider_copy(rtl, false); /* the first one: what goes wrong before any layer can be looked at, too */
        if (!copies_woken(rtl->options.copies))
            rtl->copy_due = UINT64_MAX; /* no more of them until the design is ready */
    }
    rtl->csb.state = CSB_IDLE;
    signals_encode_reset(&rtl->layout, true, rtl->in);
    for (int i = 0; i < RESET_HIGH; i++)
        step(rtl);
    signals_encode_reset(&rtl->layout, false, rtl->in);
    for (int i = 0; i < RESET_LOW; i++)
        step(rtl);
    signals_encode_reset(&rtl->layout, true, rtl->in);
    for (int p = 0; p < rtl->layout.ports; p++) {
        struct port *port = &rtl->ports[p];
        axi_memory_reset(port->memory, rtl->prov, &port->in);
        signals_encode_port(&rtl->layout, p, &port->in, rtl->in);
        port->next = axi_memory_next(port->memory);
    }
    step(rtl);
    rtl->released = true;
    observe(rtl);
    const int flush = dev->config->cbuf_banks * dev->config->cbuf_bank_depth / 2;
    for (int i = 0; i < flush + RESET_IDLE; i++)
        step(rtl);
    for (int i = 0; i < SIGNAL_LINKS; i++)
        rtl->links[i] = (struct device_link){.name = signal_links[i]};
    rtl->links_seen = 0; /* of the zero fill */
    rtl->link_beats = (struct link_beats){{0}};
    if (rtl->options.copies && !copies_woken(rtl->options.copies))
        rtl->copy_due = 0;
    rtl->cpu_reset = meter_cpu_seconds() - rtl->cpu_start;
    return true;
}

/* Whatever the memory's options are, the testbench drives the same inputs until the first transfer, but for the readys
 * that it begins with: those have to be the same. */
static bool rtl_adopt(struct device *dev, const struct axi_options *options) {
    struct rtl_device *rtl = rtl_of(dev);
    if (rtl->last_traffic || rtl->last_moved)
        return false;
    for (int p = 0; p < rtl->layout.ports; p++) {
        struct port *port = &rtl->ports[p];
        struct axi_inputs in;
        const bool fresh = !axi_memory_busy(port->memory);
        axi_memory_set(port->memory, options);
        axi_memory_reset(port->memory, rtl->prov, &in);
        if (!fresh || in.arready != port->in.arready || in.awready != port->in.awready || in.wready != port->in.wready)
            return false;
    }
    rtl->options.axi = *options;
    rtl->cpu_start = meter_cpu_seconds() - rtl->cpu_reset; /* as if it had been reset in this process */
    rtl->adopted = true;
    return true;
}

/* Steps until the access leaves a state; false with a message after limit clocks. */
static bool csb_wait(struct rtl_device *rtl, enum csb_state state, uint64_t limit, struct error *err) {
    for (uint64_t i = 0; i < limit; i++) {
        step(rtl);
        if (rtl->csb.state != state)
            return true;
    }
    char name[64];
    nvdla_register_name(rtl->base.config, rtl->csb.address, name, sizeof name);
    const bool write = rtl->csb.write;
    rtl->csb.state = CSB_IDLE;
    return error_set(err, "%s: CSB %s of %s at cycle %llu: %s for %llu clocks", rtl->base.name,
                     write ? "write" : "read", name, (unsigned long long)rtl->cycle,
                     state == CSB_REQUEST ? "csb2nvdla_ready stayed 0"
                     : write              ? "no nvdla2csb_wr_complete"
                                          : "no nvdla2csb_valid",
                     (unsigned long long)limit);
}

static bool rtl_csb_write(struct device *dev, uint32_t address, uint32_t value, bool nposted, struct error *err) {
    struct rtl_device *rtl = rtl_of(dev);
    if (rtl->options.copies && (value & 1)) {
        const struct nvdla_register *reg = nvdla_register_at(dev->config, address);
        if (reg && !strcmp(reg->name, "D_OP_ENABLE"))
            consider_copy(rtl, true);
    }
    csb_master_start(&rtl->csb, true, nposted, address, value);
    return csb_wait(rtl, CSB_REQUEST, CSB_WRITE_LIMIT, err) &&
           (!nposted || csb_wait(rtl, CSB_RESPONSE, CSB_WRITE_LIMIT, err));
}

static bool rtl_csb_read(struct device *dev, uint32_t address, uint32_t *value, struct error *err) {
    struct rtl_device *rtl = rtl_of(dev);
    csb_master_start(&rtl->csb, false, false, address, 0);
    if (!csb_wait(rtl, CSB_REQUEST, CSB_READ_LIMIT, err) || !csb_wait(rtl, CSB_RESPONSE, CSB_READ_LIMIT, err))
        return false;
    *value = rtl->csb.value;
    return true;
}

static enum device_state rtl_advance(struct device *dev, uint64_t cycles, bool until_interrupt, struct error *err) {
    struct rtl_device *rtl = rtl_of(dev);
    (void)err;
    for (uint64_t i = 0; i < cycles; i++) {
        if (until_interrupt && (rtl->flags & OUT_INTR))
            return DEVICE_INTERRUPT;
        if (dev->stop)
            break;
        step(rtl);
    }
    return until_interrupt && (rtl->flags & OUT_INTR) ? DEVICE_INTERRUPT : DEVICE_RUNNING;
}

/* Writes down which links have moved since it was last called. */
static void look_at_links(struct rtl_device *rtl) {
    for (int i = 0; i < SIGNAL_LINKS; i++) {
        if (rtl->links_seen >> (OUT_LINKS_LSB + i) & 1) {
            rtl->links[i].moved = true;
            rtl->links[i].last = rtl->last_moved = rtl->cycle;
        }
    }
    rtl->links_seen = 0;
}

static uint64_t rtl_still(struct device *dev) {
    struct rtl_device *rtl = rtl_of(dev);
    look_at_links(rtl);
    for (int p = 0; p < rtl->layout.ports; p++)
        if (axi_memory_owes(rtl->ports[p].memory, &rtl->ports[p].in))
            return 0;
    return rtl->cycle - rtl->last_moved;
}

static const struct device_link *rtl_links(struct device *dev, size_t *count) {
    struct rtl_device *rtl = rtl_of(dev);
    look_at_links(rtl);
    *count = SIGNAL_LINKS;
    return rtl->vpi.links ? rtl->links : NULL;
}

static const struct device_waits *rtl_waits(struct device *dev) {
    struct rtl_device *rtl = rtl_of(dev);
    struct device_waits *waits = &rtl->waits;
    uint32_t words[WAITS_WORDS];
    waits_begin(waits, rtl->cycle);
    waits->launches = provenance_launches(rtl->prov);
    if (rtl->vpi.waits) {
        vpi_access_get_waits(&rtl->vpi, words);
        waits_words(waits, words);
    } else if (rtl->vpi.links) {
        uint64_t last[SIGNAL_LINKS];
        look_at_links(rtl);
        for (int i = 0; i < SIGNAL_LINKS; i++)
            last[i] = rtl->links[i].moved ? rtl->links[i].last : 0;
        waits_links(waits, &rtl->link_beats, last);
    }
    for (int p = 0; p < rtl->layout.ports; p++)
        waits_port(waits, (enum memory_space)p, rtl->ports[p].memory, rtl->layout.port[p].bytes, dev->config->mem_atom);
    if (rtl->last_moved > waits->moved)
        waits->moved = rtl->last_moved;
    return waits;
}

static bool rtl_interrupt(struct device *dev) {
    return rtl_of(dev)->flags & OUT_INTR;
}

static bool rtl_at_rest(struct device *dev) {
    const struct rtl_device *rtl = rtl_of(dev);
    for (int p = 0; p < rtl->layout.ports; p++)
        if (axi_memory_busy(rtl->ports[p].memory))
            return false;
    return rtl->cycle - rtl->last_traffic >= REST_CLOCKS;
}

static uint64_t rtl_time(struct device *dev) {
    return rtl_of(dev)->cycle;
}

static void rtl_statistics(struct device *dev, struct device_statistics *statistics) {
    struct rtl_device *rtl = rtl_of(dev);
    rtl->statistics.vpi_calls = rtl->vpi.calls;
    *statistics = (struct device_statistics){
        .cycles = rtl->cycle,
        .op_start = rtl->op_started ? rtl->op_start : 0,
        .op_cycles = rtl->op_started && rtl->last_rise > rtl->op_start ? rtl->last_rise - rtl->op_start : 0,
        .cpu_seconds = meter_cpu_seconds() - rtl->cpu_start,
        .rtl = &rtl->statistics,
    };
    for (int p = 0; p < rtl->layout.ports; p++) {
        const struct axi_counts *counts = axi_memory_counts(rtl->ports[p].memory);
        for (int id = 0; id < AXI_IDS; id++) {
            statistics->read_beats[id] += counts->read_beats[id];
            statistics->write_beats[id] += counts->write_beats[id];
        }
        statistics->outside += counts->outside;
    }
    if (rtl->options.measure)
        rtl->statistics.eval_share = meter_share(&rtl->meter, rtl->clocks, statistics->cpu_seconds);
}

static bool rtl_record_waves(struct device *dev, const struct wave_options *options, struct error *err) {
    return waves_begin(&rtl_of(dev)->waves, options, err);
}

static void rtl_record_taps(struct device *dev) {
    struct rtl_device *rtl = rtl_of(dev);
    if (rtl->tap)
        rtl_tap_record(rtl->tap, true);
    if (rtl->board)
        cbuf_board_compare(rtl->board, true);
    if (rtl->checks)
        checks_mute(rtl->checks, false);
}

static size_t rtl_in_flight(struct device *dev, uint64_t cycle, struct device_launch *launches, size_t room) {
    const struct rtl_device *rtl = rtl_of(dev);
    return rtl->flight ? flight_at(rtl->flight, cycle, launches, room) : 0;
}

static void rtl_note(struct device *dev, size_t stream, const char *name, const char *text) {
    if (rtl_of(dev)->marks)
        marks_note(rtl_of(dev)->marks, stream, name, text);
}

static bool rtl_finish(struct device *dev, struct error *err) {
    struct rtl_device *rtl = rtl_of(dev);
    bool good = true;
    for (int i = 0; i < rtl->observers.count; i++) {
        const struct observer *observer = &rtl->observers.item[i];
        if (observer->end && !observer->end(observer->context, good ? err : NULL))
            good = false;
    }
    if (rtl->coverage_open)
        rtl->simulator.coverage_write(rtl->simulator.context, rtl->options.coverage_path);
    rtl->coverage_open = false;
    return good;
}

static void rtl_destroy(struct device *dev) {
    struct rtl_device *rtl = rtl_of(dev);
    rtl_finish(dev, NULL);
    for (int i = 0; i < rtl->observers.count; i++)
        if (rtl->observers.item[i].release)
            rtl->observers.item[i].release(rtl->observers.item[i].context);
    vpi_access_close(&rtl->vpi);
    for (int p = 0; p < rtl->layout.ports; p++)
        axi_memory_free(rtl->ports[p].memory);
    provenance_free(rtl->prov);
    waits_begin(&rtl->waits, 0);
    device_release(dev);
    free(rtl);
}

static const struct device_ops rtl_ops = {
    .reset = rtl_reset,
    .adopt = rtl_adopt,
    .csb_write = rtl_csb_write,
    .csb_read = rtl_csb_read,
    .advance = rtl_advance,
    .interrupt = rtl_interrupt,
    .at_rest = rtl_at_rest,
    .time = rtl_time,
    .still = rtl_still,
    .links = rtl_links,
    .waits = rtl_waits,
    .statistics = rtl_statistics,
    .record_waves = rtl_record_waves,
    .record_taps = rtl_record_taps,
    .in_flight = rtl_in_flight,
    .note = rtl_note,
    .finish = rtl_finish,
    .destroy = rtl_destroy,
};

static void hear_layer(void *marks, const char *scope, int event) {
    marks_layer(marks, scope, (enum check_event)event);
}

/* Waves and what stands in them, in every simulator that has them: a recording may begin later, too. */
static bool open_waves(struct rtl_device *rtl, struct error *err) {
    if (rtl->simulator.wave_open) {
        rtl->marks = marks_new(rtl->base.config, &rtl->prov, rtl->simulator.checks_connect != NULL);
        observers_add(&rtl->observers, marks_observer(rtl->marks));
    }
    waves_init(&rtl->waves, &rtl->simulator, rtl->base.config, rtl->marks, &rtl->statistics.wave_cycles);
    if (rtl->simulator.wave_open)
        observers_add(&rtl->observers, waves_observer(&rtl->waves));
    return !rtl->options.wave.path || waves_begin(&rtl->waves, &rtl->options.wave, err);
}

/* The observers of this run. */
static bool open_observers(struct rtl_device *rtl, struct error *err) {
    struct device *dev = &rtl->base;
    if (rtl->simulator.four_state) {
        observers_add(&rtl->observers, unknown_observer(&rtl->unknown, dev, &rtl->layout));
        rtl->now.aval = rtl->aval;
        rtl->now.bval = rtl->bval;
    }
    for (int p = 0; p < rtl->layout.ports; p++) {
        axi_monitor_init(&rtl->monitors[p], dev, p);
        observers_add(&rtl->observers, axi_monitor_observer(&rtl->monitors[p]));
        rtl->now.out[p] = &rtl->ports[p].out;
        rtl->now.in[p] = &rtl->ports[p].in;
    }
    if (rtl->options.taps) {
        const struct stream_source source = stream_source(rtl);
        struct rtl_tap *tap = rtl_tap_new(dev->config, rtl->options.taps, &source);
        rtl_tap_record(tap, !rtl->options.taps_later);
        rtl->tap = tap;
        observers_add(&rtl->observers, rtl_tap_observer(tap));
        for (int p = 0; p < rtl->layout.ports; p++)
            axi_memory_listen(rtl->ports[p].memory, rtl_tap_axi(tap));
    }
    if (rtl->options.cbuf) {
        const struct stream_source source = stream_source(rtl);
        rtl->board = cbuf_board_new(dev->config, &source, rtl->options.cbuf);
        if (rtl->board) {
            cbuf_board_compare(rtl->board, !rtl->options.taps_later);
            observers_add(&rtl->observers, cbuf_board_observer(rtl->board));
        }
    }
    if (rtl->options.account) {
        const struct stream_source source = stream_source(rtl);
        struct account_board *board = account_board_new(dev->config, &source, rtl->options.account);
        if (board)
            observers_add(&rtl->observers, account_board_observer(board));
    }
    if (rtl->options.timeline) {
        struct timeline_counter *counter = timeline_counter_new(dev->config, rtl->vpi.links);
        observers_add(&rtl->observers, timeline_observer(counter));
        for (int p = 0; p < rtl->layout.ports; p++)
            axi_memory_listen(rtl->ports[p].memory, timeline_axi(counter));
        rtl->statistics.timeline = timeline_counted(counter);
    }
    if (!open_waves(rtl, err))
        return false;
    if (rtl->options.beats)
        for (int p = 0; p < rtl->layout.ports; p++)
            axi_memory_listen(rtl->ports[p].memory, *rtl->options.beats);
    if (rtl->options.copies) {
        const struct axi_options *axi = &rtl->options.axi;
        rtl->flight =
            flight_new(dev->config, SLOW_READ + (uint64_t)axi->read_latency + axi->latency_max + axi->page_miss);
        observers_add(&rtl->observers, flight_observer(rtl->flight));
        for (int p = 0; p < rtl->layout.ports; p++)
            axi_memory_listen(rtl->ports[p].memory, flight_axi(rtl->flight));
    }
    const bool later = rtl->options.taps_later && rtl->simulator.checks_connect; /* they are evidence, too */
    if (rtl->options.checks || later) {
        rtl->checks = checks_open(dev, &rtl->simulator, &rtl->cycle, err);
        if (!rtl->checks)
            return false;
        checks_mute(rtl->checks, !rtl->options.checks);
        observers_add(&rtl->observers, checks_observer(rtl->checks));
        if (rtl->marks)
            checks_listen(rtl->checks, hear_layer, rtl->marks);
    } else if (rtl->marks && rtl->simulator.checks_connect)
        rtl->simulator.checks_connect(rtl->simulator.context, NULL, hear_layer, rtl->marks);
    rtl->clock = rtl->simulator.clock;
    if (rtl->options.measure)
        rtl->clock = meter_wrap(&rtl->meter, rtl->clock);
    return true;
}

static bool open_parts(struct rtl_device *rtl, struct error *err) {
    struct device *dev = &rtl->base;
    const struct nvdla_config *config = dev->config;
    for (int p = 0; p < rtl->layout.ports; p++) {
        struct port *port = &rtl->ports[p];
        dev->memory[p] = memory_new();
        port->memory = axi_memory_new(dev, &rtl->options.axi, rtl->layout.port[p].bytes, config->mem_atom, p, NULL);
        port->valids = (uint32_t)AXI_VALIDS << (p * PORT_FLAGS);
    }
    for (int u = 0; u < NVDLA_UNIT_COUNT; u++)
        if (nvdla_has_unit(config, (enum nvdla_unit)u))
            dev->units |= 1u << u;
    if (!vpi_access_open(&rtl->vpi, &rtl->layout, config, err))
        return false;
    for (size_t i = 0; i < rtl->options.fault_count; i++)
        if (rtl->options.faults[i] > rtl->simulator.fault_count)
            return rtl->simulator.fault_count
                       ? error_set(err, "--fault: found %u, the faults of this simulator are 1 to %u",
                                   rtl->options.faults[i], rtl->simulator.fault_count)
                       : error_set(
                             err,
                             "--fault: no faults are planted in this simulator; scripts/plant.py makes an RTL that "
                             "has them");
    dev->still_limit = rtl->vpi.links ? STILL_LINKS : STILL_PORTS;
    uint32_t pins[SIGNAL_PIN_WORDS];
    if (!signals_pins(rtl->options.pins, pins, err) || !open_observers(rtl, err))
        return false;
    if (rtl->options.coverage_path) {
        if (!rtl->simulator.coverage_write)
            return error_set(err, "this simulator was built without coverage; build its coverage variant with 'make "
                                  "simulator VARIANT=coverage'");
        if (!file_write(rtl->options.coverage_path, "", 0, err)) /* better now than when everything was played */
            return false;
        rtl->coverage_open = true;
    }
    vpi_access_put_pins(&rtl->vpi, pins);
    signals_encode_reset(&rtl->layout, true, rtl->in);
    memcpy(rtl->driven, rtl->in, sizeof rtl->driven);
    vpi_access_put(&rtl->vpi, rtl->driven);
    rtl->vpi.calls = 0;
    return true;
}

struct device *rtl_device_new(const struct nvdla_config *config, const struct rtl_options *options,
                              const struct simulator *simulator, const char *name, struct error *err) {
    struct rtl_device *rtl = xcalloc(1, sizeof *rtl);
    rtl->base.ops = &rtl_ops;
    rtl->base.name = name;
    rtl->base.config = config;
    rtl->simulator = *simulator;
    rtl->statistics.faults_met = simulator->faults_met;
    rtl->statistics.fault_count = simulator->fault_count;
    rtl->options = *options;
    rtl->layout = signal_layout(config);
    rtl->cpu_start = meter_cpu_seconds();
    if (!open_parts(rtl, err)) {
        rtl_destroy(&rtl->base);
        return NULL;
    }
    return &rtl->base;
}
