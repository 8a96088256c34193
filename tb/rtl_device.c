/* The RTL as a device: the clock loop. See rtl_state.h.
 *
 * Clock n: step() lets rising edge n pass, puts the inputs of clock n + 1, lets the design settle and reads its outputs
 * of clock n + 1; then observe() decides which transfers the coming edge makes and computes the inputs after it. So a
 * call that waits for an acceptance returns before the edge that makes it, and the next call's request follows without
 * a gap. Inputs behave like registers of a testbench on the same clock.
 *
 * A clock in which no valid is 1 and no answer of the memory is due costs only a read of the outputs and a comparison.
 */
#include <stdlib.h>
#include <string.h>

#include "nvdla/registers.h"
#include "nvdla/xalloc.h"
#include "tb/observers/timeline.h"
#include "tb/rtl_state.h"

/* Clocks of the reset sequence (chapter 10 section 3): high, low, then high and idle before the first access, after the
 * zero fill of CBUF by CDMA through two ports. */
enum { RESET_HIGH = 20, RESET_LOW = 20, RESET_IDLE = 32 };

enum { RECENT = 2000 /* clocks for which finished launches still count: a failure shows a little later */ };

enum { REST_CLOCKS = 200 /* clocks without traffic until the memory counts as idle: chapter 80 section 9.7 */ };

/* Called by the simulator immediately after the rising edge. */
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

/* Puts the CSB request, if any, into the inputs of the next clock. */
static void drive_csb(struct rtl_device *rtl) {
    const struct csb_master *csb = &rtl->csb;
    const bool valid = csb->state == CSB_REQUEST;
    if (!valid && !rtl->csb_driven)
        return;
    rtl->csb_driven = valid;
    const struct csb_inputs inputs = {valid, csb->write, csb->nposted, csb->address, csb->value};
    signals_encode_csb(&inputs, rtl->in);
}

/* The interrupt as the software sees it: a level; or, by a fault on purpose, edges that are lost while one is served.
 */
static bool interrupt_line(const struct rtl_device *rtl) {
    return rtl->options.axi.fault.kind == BUS_FAULT_EDGE ? rtl->edge : (rtl->flags & OUT_INTR) != 0;
}

static void observe_csb(struct rtl_device *rtl) {
    struct csb_master *csb = &rtl->csb;
    struct csb_outputs out;
    const bool busy = csb->state != CSB_IDLE;
    rtl->aval[1] = rtl->vpi.outs[1];
    signals_decode_csb(rtl->aval, &out);
    const bool accepted = csb_master_clock(csb, &rtl->base, rtl->cycle, out.ready, out.valid, out.complete, out.data);
    if (!csb->write) {
        rtl->edge = rtl->edge && !(accepted && csb->address == rtl->glb_status);
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

static void observe_port(struct rtl_device *rtl, int p) {
    struct port *port = &rtl->ports[p];
    const int end = port->valids & rtl->flags ? rtl->layout.port[p].wdata + rtl->layout.port[p].bytes / 4 : 1;
    for (int i = rtl->layout.port[p].ids; i < end; i++)
        rtl->aval[i] = rtl->vpi.outs[i];
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

/* Shows the whole clock to the observers of every clock. */
static void show_clock(struct rtl_device *rtl) {
    if (rtl->now.bval) {
        for (int i = 0; i < rtl->layout.out_words; i++) {
            rtl->aval[i] = rtl->vpi.outs[i];
            rtl->bval[i] = rtl->vpi.unknown ? rtl->vpi.unknown[i] : 0;
        }
    }
    for (int i = 0; i < rtl->observers.count; i++)
        if (rtl->observers.item[i].clock)
            rtl->observers.item[i].clock(rtl->observers.item[i].context, &rtl->now);
    rtl->aval[0] = rtl->flags;
}

/* Shows the moving streams of this clock. */
static void show_moves(struct rtl_device *rtl, const uint32_t *words) {
    for (int i = 0; i < rtl->observers.count; i++)
        if (rtl->observers.item[i].moved)
            rtl->observers.item[i].moved(rtl->observers.item[i].context, rtl->cycle, words);
}

/* Reads the outputs of this clock and decides what the coming edge does. */
static void observe(struct rtl_device *rtl) {
    const uint32_t before = rtl->flags;
    vpi_access_get(&rtl->vpi);
    rtl->flags = rtl->aval[0] = rtl->vpi.outs[0] & ~(rtl->vpi.unknown ? rtl->vpi.unknown[0] : 0);
    if (!rtl->released)
        return;
    rtl->now.cycle = rtl->cycle;
    rtl->now.flags = rtl->flags;
    rtl->now.interrupt = rtl->flags & OUT_INTR;
    rtl->links_seen |= rtl->flags;
    const uint32_t *moves = rtl->vpi.outs + rtl->layout.out_words;
    uint32_t moving = 0;
    for (int i = 0; rtl->observers.moves && i < 2 * MOVE_WORDS; i++)
        moving |= moves[i];
    link_beats_add(&rtl->link_beats, rtl->flags >> OUT_LINKS_LSB);
    if (rtl->observers.clocks)
        show_clock(rtl);
    if (rtl->flags & ~before & OUT_INTR) {
        rtl->last_rise = rtl->cycle;
        rtl->edge = true;
    }
    if (rtl->csb.state != CSB_IDLE || (rtl->flags & (OUT_CSB_VALID | OUT_CSB_COMPLETE)))
        observe_csb(rtl);
    for (int p = 0; p < rtl->layout.ports; p++)
        if ((rtl->flags & rtl->ports[p].valids) || rtl->cycle >= rtl->ports[p].next)
            observe_port(rtl, p);
    if (moving)
        show_moves(rtl, moves);
    for (int i = 0; rtl->observers.settled && i < rtl->observers.count; i++)
        if (rtl->observers.item[i].settled)
            rtl->observers.item[i].settled(rtl->observers.item[i].context);
}

/* Makes a copy of the process if one is due. Also returns in the copy when it wakes up. */
static void consider_copy(struct rtl_device *rtl, bool arming) {
    struct copies *copies = rtl->options.copies;
    if (copies_woken(copies)) {
        rtl->base.stop = rtl->base.stop || rtl->cycle >= rtl->copy_due;
        return;
    }
    struct device_launch running[DEVICE_LAUNCHES];
    uint64_t starts[DEVICE_LAUNCHES] = {0};
    const uint64_t recent = rtl->cycle > RECENT ? rtl->cycle - RECENT : 0;
    const size_t count = flight_at(rtl->flight, recent, running, DEVICE_LAUNCHES);
    for (size_t i = 0; i < count; i++)
        starts[i] = running[i].start;
    rtl->copy_due = copies_consider(copies, rtl->cycle, arming, starts, count);
    if (copies_woken(copies))
        rtl->cpu_start = meter_cpu_seconds(); /* the original's is restarted */
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
    rtl->edge = false;
    rtl->glb_status = nvdla_register_find(dev->config, NVDLA_GLB, "S_INTR_STATUS")->address;
    dev->stop = false;
    rtl->copy_due = UINT64_MAX;
    if (rtl->options.copies) {
        consider_copy(rtl, false); /* the first one: also for failures before any layer starts */
        if (!copies_woken(rtl->options.copies))
            rtl->copy_due = UINT64_MAX; /* no more until the design is ready */
    }
    rtl->csb.state = CSB_IDLE;
    signals_encode_reset(&rtl->layout, true, rtl->in);
    for (int i = 0; i < RESET_HIGH; i++)
        step(rtl);
    for (uint32_t n = 1; n <= rtl->simulator.fault_count; n++) /* until now registers held anything */
        rtl->simulator.faults_met[n] = (uint8_t)((rtl->simulator.faults_met[n] & 1) << 2);
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
        rtl->links[i] = (struct device_link){.link = signal_links[i]};
    rtl->links_seen = 0; /* of the zero fill */
    rtl->link_beats = (struct link_beats){{0}};
    if (rtl->options.copies && !copies_woken(rtl->options.copies))
        rtl->copy_due = 0;
    rtl->cpu_reset = meter_cpu_seconds() - rtl->cpu_start;
    return true;
}

/* Until the first transfer, the testbench drives the same inputs for all memory options, except the initial readys:
 * those must be equal. */
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
    if (rtl->options.copies && register_write_arms(dev->config, address, value))
        consider_copy(rtl, true);
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
        if (until_interrupt && interrupt_line(rtl))
            return DEVICE_INTERRUPT;
        if (dev->stop)
            break;
        step(rtl);
    }
    return until_interrupt && interrupt_line(rtl) ? DEVICE_INTERRUPT : DEVICE_RUNNING;
}

/* Notes which links have moved since the last call. */
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
    return interrupt_line(rtl_of(dev));
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
    rtl->statistics.timeline = rtl->timeline ? timeline_counted(rtl->timeline) : NULL;
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
    rtl->statistics.memory = axi_memory_statistics(rtl->ports[0].memory, rtl->cycle);
    if (rtl->options.measure)
        rtl->statistics.eval_share = meter_share(&rtl->meter, rtl->clocks, statistics->cpu_seconds);
}

static bool rtl_record_waves(struct device *dev, const struct wave_options *options, struct error *err) {
    return waves_begin(&rtl_of(dev)->waves, options, err);
}

static bool rtl_show_waves(struct device *dev, const struct wave_view *view, struct error *err) {
    return waves_show(&rtl_of(dev)->waves, view, err);
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

static void rtl_played(struct device *dev) {
    struct rtl_device *rtl = rtl_of(dev);
    if (rtl->checks)
        checks_end(rtl->checks);
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
    autofree struct rtl_device *rtl = rtl_of(dev);
    rtl_finish(dev, NULL);
    for (int i = 0; i < rtl->observers.count; i++)
        if (rtl->observers.item[i].release)
            rtl->observers.item[i].release(rtl->observers.item[i].context);
    vpi_access_close(&rtl->vpi);
    for (int p = 0; p < rtl->layout.ports; p++)
        axi_memory_free(rtl->ports[p].memory);
    provenance_free(rtl->prov);
    activity_free(&rtl->waves.activity);
    waits_begin(&rtl->waits, 0);
    device_release(dev);
}

const struct device_ops rtl_ops = {
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
    .show_waves = rtl_show_waves,
    .record_taps = rtl_record_taps,
    .in_flight = rtl_in_flight,
    .note = rtl_note,
    .played = rtl_played,
    .finish = rtl_finish,
    .destroy = rtl_destroy,
};
