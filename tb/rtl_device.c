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
#include <time.h>

#include "memory/file.h"
#include "nvdla/registers.h"
#include "tb/axi_memory.h"
#include "tb/axi_monitor.h"
#include "tb/checks.h"
#include "tb/csb_master.h"
#include "tb/provenance.h"
#include "tb/signals.h"
#include "tb/vpi_access.h"
#include "tb/waves.h"

/* Clocks of the reset sequence (chapter 10 section 3): high, low, then high and idle before the first access, beyond
 * the time that CDMA takes to fill CBUF with zeros through two ports. */
enum { RESET_HIGH = 20, RESET_LOW = 20, RESET_IDLE = 32 };

enum { REST_CLOCKS = 200 /* without traffic until the memory counts as at rest: chapter 80 section 9.7 */ };

enum {
    SAMPLE_INTERVAL = 31, /* clocks between two measured ones; a prime, so that periodic traffic is sampled evenly */
    SAMPLES_NEEDED = 100, /* fewer say nothing about the whole run */
    SAMPLE_LIMIT_NS = 500000, /* a longer one was interrupted by the operating system */
    UNKNOWN_REPORTS = 8,
    WAVE_CYCLE = 1000, /* wave time units (ps) of a clock: 1 ns on the screen is 1 cycle */
};

enum { AXI_VALIDS = OUT_ARVALID | OUT_AWVALID | OUT_WVALID };

struct port {
    struct axi_memory *memory;
    struct axi_monitor monitor;
    struct axi_outputs out;
    struct axi_inputs in;
    uint32_t valids; /* AXI_VALIDS of this port in outs word 0 */
    uint64_t next;   /* clock at which the port must be looked at even if no valid is 1 */
};

/* Sampled time of the design's own evaluation. */
struct meter {
    bool enabled, running;
    unsigned countdown;
    uint64_t put_ns;    /* inside put_inputs in the clock being measured */
    unsigned reads;     /* of the timer */
    double overhead_ns; /* of one reading of the timer */
    double eval_ns;     /* sum over samples */
    uint64_t samples;
    double cpu_start;
};

struct rtl_device {
    struct device base;
    struct simulator simulator;
    struct rtl_options options;
    struct signal_layout layout;
    struct vpi_access vpi;
    struct provenance *prov;
    struct checks *checks; /* NULL unless asked for */
    struct csb_master csb;
    struct port ports[AXI_PORTS];

    uint32_t in[SIGNAL_IN_WORDS];     /* inputs of the next clock */
    uint32_t driven[SIGNAL_IN_WORDS]; /* inputs as last put */
    uint32_t flags;                   /* outs word 0 of this clock, unknown bits as 0 */
    bool released;                    /* reset is over: the clocks count */
    uint64_t cycle;                   /* of the coming rising edge, 0 = first with dla_reset_rstn = 1 */
    uint64_t clocks;                  /* since the simulation began */
    uint64_t last_traffic;
    bool op_started;
    uint64_t op_start, last_rise;
    uint64_t quiet_cycles, most_calls;
    unsigned unknown_reports;
    bool waves_open, waves_dumped, coverage_open;
    uint64_t wave_base; /* wave time of cycle 0 */
    struct meter meter;
};

static struct rtl_device *rtl_of(struct device *dev) {
    return (struct rtl_device *)dev;
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wave_dump(struct rtl_device *rtl, uint64_t offset) {
    if (!rtl->released || rtl->cycle < rtl->options.wave_from ||
        (rtl->options.wave_to && rtl->cycle > rtl->options.wave_to))
        return;
    rtl->simulator.wave_dump(rtl->simulator.context, rtl->wave_base + rtl->cycle * WAVE_CYCLE + offset);
    rtl->waves_dumped = true;
}

/* Called by the simulator right after the rising edge. */
static void put_inputs(void *arg) {
    struct rtl_device *rtl = arg;
    if (rtl->waves_open)
        wave_dump(rtl, 0);
    const size_t size = (size_t)rtl->layout.in_words * sizeof rtl->in[0];
    if (!memcmp(rtl->in, rtl->driven, size))
        return;
    const uint64_t start = rtl->meter.running ? now_ns() : 0;
    memcpy(rtl->driven, rtl->in, size);
    vpi_access_put(&rtl->vpi, rtl->driven);
    if (rtl->meter.running) {
        rtl->meter.put_ns = now_ns() - start;
        rtl->meter.reads = 2;
    }
}

/* One clock of the simulator, measured now and then. */
static void clock_design(struct rtl_device *rtl) {
    struct meter *meter = &rtl->meter;
    const struct simulator *simulator = &rtl->simulator;
    if (!meter->enabled || --meter->countdown) {
        simulator->clock(simulator->context, put_inputs, rtl);
        return;
    }
    meter->countdown = SAMPLE_INTERVAL;
    meter->running = true;
    meter->put_ns = 0;
    meter->reads = 1;
    const uint64_t start = now_ns();
    simulator->clock(simulator->context, put_inputs, rtl);
    const uint64_t ns = now_ns() - start - meter->put_ns;
    meter->running = false;
    if (ns < SAMPLE_LIMIT_NS) {
        meter->eval_ns += (double)ns - meter->reads * meter->overhead_ns;
        meter->samples++;
    }
}

/* Puts the CSB request, if there is one, into the inputs of the next clock. */
static void drive_csb(struct rtl_device *rtl) {
    const struct csb_master *csb = &rtl->csb;
    uint32_t flags = rtl->in[0] & ~(uint32_t)IN_CSB_VALID;
    if (csb->state == CSB_REQUEST) {
        flags &= ~(0xffff0000u | IN_CSB_WRITE | IN_CSB_NPOSTED);
        flags |= csb->address << 14 | IN_CSB_VALID;
        if (csb->write) {
            flags |= IN_CSB_WRITE | (csb->nposted ? IN_CSB_NPOSTED : 0);
            rtl->in[1] = csb->value;
        }
    }
    rtl->in[0] = flags;
}

static void check_unknown(struct rtl_device *rtl, const s_vpi_vecval *words) {
    uint32_t aval[SIGNAL_OUT_WORDS], bval[SIGNAL_OUT_WORDS], any = 0;
    for (int i = 0; i < rtl->layout.out_words; i++) {
        aval[i] = (uint32_t)words[i].aval;
        bval[i] = (uint32_t)words[i].bval;
        any |= bval[i];
    }
    const char *name;
    const char *rule = any ? signals_unknown(&rtl->layout, aval, bval, &name) : NULL;
    if (!rule)
        return;
    if (rtl->unknown_reports++ < UNKNOWN_REPORTS)
        device_report(&rtl->base, rtl->cycle, rule, "%s is unknown (X or Z)", name);
    else
        rtl->base.findings_dropped++;
}

static void observe_csb(struct rtl_device *rtl, const s_vpi_vecval *words) {
    struct csb_master *csb = &rtl->csb;
    const uint32_t flags = rtl->flags;
    if (!csb_master_clock(csb, &rtl->base, rtl->cycle, flags & OUT_CSB_READY, flags & OUT_CSB_VALID,
                          flags & OUT_CSB_COMPLETE, (uint32_t)words[1].aval) ||
        !csb->write)
        return;
    if (provenance_register_write(rtl->prov, csb->address, csb->value, rtl->cycle) && !rtl->op_started) {
        rtl->op_started = true;
        rtl->op_start = rtl->cycle;
    }
}

static void observe_port(struct rtl_device *rtl, int p, const s_vpi_vecval *words) {
    struct port *port = &rtl->ports[p];
    uint32_t out[SIGNAL_OUT_WORDS];
    out[0] = rtl->flags;
    const int end = port->valids & rtl->flags ? rtl->layout.port[p].wdata + rtl->layout.port[p].bytes / 4 : 1;
    for (int i = rtl->layout.port[p].ids; i < end; i++)
        out[i] = (uint32_t)words[i].aval;
    signals_decode_port(&rtl->layout, p, out, &port->out);
    axi_monitor_clock(&port->monitor, rtl->cycle, &port->out, &port->in);
    axi_memory_clock(port->memory, rtl->cycle, &port->out, &port->in);
    signals_encode_port(&rtl->layout, p, &port->in, rtl->in);
    port->next = axi_monitor_holds(&port->monitor) ? 0 : axi_memory_next(port->memory);
    rtl->last_traffic = rtl->cycle;
}

/* Reads the outputs of this clock and decides what the coming edge does. */
static void observe(struct rtl_device *rtl) {
    const s_vpi_vecval *words = vpi_access_get(&rtl->vpi);
    const uint32_t before = rtl->flags;
    rtl->flags = (uint32_t)words[0].aval & ~(uint32_t)words[0].bval;
    if (!rtl->released)
        return;
    if (rtl->simulator.four_state)
        check_unknown(rtl, words);
    if (rtl->flags & ~before & OUT_INTR)
        rtl->last_rise = rtl->cycle;
    if (rtl->csb.state != CSB_IDLE || (rtl->flags & (OUT_CSB_VALID | OUT_CSB_COMPLETE)))
        observe_csb(rtl, words);
    for (int p = 0; p < rtl->layout.ports; p++)
        if ((rtl->flags & rtl->ports[p].valids) || rtl->cycle >= rtl->ports[p].next)
            observe_port(rtl, p, words);
}

/* One clock. */
static void step(struct rtl_device *rtl) {
    const uint64_t calls = rtl->vpi.calls;
    drive_csb(rtl);
    clock_design(rtl);
    if (rtl->waves_open)
        wave_dump(rtl, WAVE_CYCLE / 2);
    rtl->clocks++;
    if (rtl->released)
        rtl->cycle++;
    observe(rtl);
    const uint64_t spent = rtl->vpi.calls - calls;
    if (spent == 1)
        rtl->quiet_cycles++;
    if (spent > rtl->most_calls)
        rtl->most_calls = spent;
}

static bool rtl_reset(struct device *dev, struct error *err) {
    struct rtl_device *rtl = rtl_of(dev);
    struct provenance *prov = provenance_new(dev->config);
    if (!prov)
        return error_set(err, "out of memory");
    provenance_free(rtl->prov);
    rtl->prov = prov;
    if (rtl->checks)
        checks_reset(rtl->checks);
    rtl->wave_base += rtl->cycle * WAVE_CYCLE;
    rtl->released = false;
    rtl->cycle = 0;
    rtl->last_traffic = 0;
    rtl->op_started = false;
    rtl->last_rise = 0;
    rtl->csb.state = CSB_IDLE;
    memset(rtl->in, 0, sizeof rtl->in);
    rtl->in[0] = IN_RESET_N;
    for (int i = 0; i < RESET_HIGH; i++)
        step(rtl);
    rtl->in[0] = 0;
    for (int i = 0; i < RESET_LOW; i++)
        step(rtl);
    rtl->in[0] = IN_RESET_N;
    for (int p = 0; p < rtl->layout.ports; p++) {
        struct port *port = &rtl->ports[p];
        axi_memory_reset(port->memory, prov, &port->in);
        axi_monitor_reset(&port->monitor);
        signals_encode_port(&rtl->layout, p, &port->in, rtl->in);
        port->next = axi_memory_next(port->memory);
    }
    step(rtl);
    rtl->released = true;
    observe(rtl);
    const int flush = dev->config->cbuf_banks * dev->config->cbuf_bank_depth / 2;
    for (int i = 0; i < flush + RESET_IDLE; i++)
        step(rtl);
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
        step(rtl);
    }
    return until_interrupt && (rtl->flags & OUT_INTR) ? DEVICE_INTERRUPT : DEVICE_RUNNING;
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
    const struct rtl_device *rtl = rtl_of(dev);
    const struct meter *meter = &rtl->meter;
    *statistics = (struct device_statistics){
        .cycles = rtl->cycle,
        .op_cycles = rtl->op_started && rtl->last_rise > rtl->op_start ? rtl->last_rise - rtl->op_start : 0,
        .vpi_calls = rtl->vpi.calls,
        .quiet_cycles = rtl->quiet_cycles,
        .most_vpi_per_cycle = rtl->most_calls,
        .cpu_seconds = cpu_seconds() - meter->cpu_start,
    };
    for (int p = 0; p < rtl->layout.ports; p++) {
        const struct axi_counts *counts = axi_memory_counts(rtl->ports[p].memory);
        for (int id = 0; id < AXI_IDS; id++) {
            statistics->read_beats[id] += counts->read_beats[id];
            statistics->write_beats[id] += counts->write_beats[id];
        }
        statistics->outside += counts->outside;
    }
    if (meter->samples >= SAMPLES_NEEDED && statistics->cpu_seconds > 0)
        statistics->eval_share =
            1e-9 * meter->eval_ns / (double)meter->samples * (double)rtl->clocks / statistics->cpu_seconds;
    if (statistics->eval_share > 1) /* disturbed by other programs: the samples took longer than the run */
        statistics->eval_share = 0;
}

static void rtl_destroy(struct device *dev) {
    struct rtl_device *rtl = rtl_of(dev);
    if (rtl->waves_open) {
        if (!rtl->waves_dumped) /* a file without a single time cannot be read */
            rtl->simulator.wave_dump(rtl->simulator.context, rtl->wave_base + rtl->cycle * WAVE_CYCLE);
        rtl->simulator.wave_close(rtl->simulator.context);
    }
    if (rtl->coverage_open)
        rtl->simulator.coverage_write(rtl->simulator.context, rtl->options.coverage_path);
    vpi_access_close(&rtl->vpi);
    for (int p = 0; p < rtl->layout.ports; p++)
        axi_memory_free(rtl->ports[p].memory);
    provenance_free(rtl->prov);
    device_release(dev);
    checks_free(rtl->checks);
    free(rtl);
}

static const struct device_ops rtl_ops = {
    .reset = rtl_reset,
    .csb_write = rtl_csb_write,
    .csb_read = rtl_csb_read,
    .advance = rtl_advance,
    .interrupt = rtl_interrupt,
    .at_rest = rtl_at_rest,
    .time = rtl_time,
    .statistics = rtl_statistics,
    .destroy = rtl_destroy,
};

static void meter_start(struct meter *meter, bool enabled) {
    meter->enabled = enabled;
    meter->countdown = SAMPLE_INTERVAL;
    meter->cpu_start = cpu_seconds();
    if (!enabled)
        return;
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 64; i++) {
        const uint64_t start = now_ns();
        for (int k = 0; k < 16; k++)
            now_ns();
        const uint64_t ns = now_ns() - start;
        best = ns < best ? ns : best;
    }
    meter->overhead_ns = (double)best / 17;
}

static void check_failed(void *arg, const char *name, const char *scope) {
    struct rtl_device *rtl = arg;
    checks_failed(rtl->checks, name, scope, rtl->cycle);
}

static void check_layer(void *arg, const char *scope, int event) {
    struct rtl_device *rtl = arg;
    checks_layer(rtl->checks, scope, (enum check_event)event);
}

static bool open_checks(struct rtl_device *rtl, struct error *err) {
    if (!rtl->simulator.checks_connect)
        return error_set(err,
                         "%s: this simulator holds no checks: either it is not the checks variant ('make simulator "
                         "VARIANT=checks'), or its sources have none (rtl/common/nvdla_check.svh)",
                         rtl->base.name);
    rtl->checks = checks_new(&rtl->base);
    rtl->simulator.checks_connect(rtl->simulator.context, check_failed, check_layer, rtl);
    return true;
}

static bool open_parts(struct rtl_device *rtl, struct error *err) {
    struct device *dev = &rtl->base;
    const struct nvdla_config *config = dev->config;
    for (int p = 0; p < rtl->layout.ports; p++) {
        struct port *port = &rtl->ports[p];
        dev->memory[p] = memory_new();
        port->memory = dev->memory[p] ? axi_memory_new(dev, &rtl->options.axi, rtl->layout.port[p].bytes,
                                                       config->mem_atom, p, NULL)
                                      : NULL;
        if (!port->memory)
            return error_set(err, "out of memory");
        axi_monitor_init(&port->monitor, dev, p);
        port->valids = (uint32_t)AXI_VALIDS << (p * PORT_FLAGS);
    }
    for (int u = 0; u < NVDLA_UNIT_COUNT; u++)
        if (nvdla_has_unit(config, (enum nvdla_unit)u))
            dev->units |= 1u << u;
    if (!vpi_access_open(&rtl->vpi, &rtl->layout, err))
        return false;
    uint32_t pins[SIGNAL_PIN_WORDS];
    if (!signals_pins(rtl->options.pins, pins, err))
        return false;
    if (rtl->options.wave_path) {
        if (!rtl->simulator.wave_open)
            return error_set(
                err,
                "this simulator was built without waves; build its wave variant with 'make simulator VARIANT=waves'");
        if (!waves_write_save(rtl->options.wave_path, config, !strcmp(dev->name, "rtl"), rtl->options.wave_from, err))
            return false;
        rtl->simulator.wave_open(rtl->simulator.context, rtl->options.wave_path);
        rtl->waves_open = true;
    }
    if (rtl->options.coverage_path) {
        if (!rtl->simulator.coverage_write)
            return error_set(err, "this simulator was built without coverage; build its coverage variant with 'make "
                                  "simulator VARIANT=coverage'");
        if (!file_write(rtl->options.coverage_path, "", 0, err)) /* better now than when everything was played */
            return false;
        rtl->coverage_open = true;
    }
    if (rtl->options.checks && !open_checks(rtl, err))
        return false;
    vpi_access_put_pins(&rtl->vpi, pins);
    rtl->in[0] = rtl->driven[0] = IN_RESET_N;
    vpi_access_put(&rtl->vpi, rtl->driven);
    rtl->vpi.calls = 0;
    return true;
}

struct device *rtl_device_new(const struct nvdla_config *config, const struct rtl_options *options,
                              const struct simulator *simulator, const char *name, struct error *err) {
    struct rtl_device *rtl = calloc(1, sizeof *rtl);
    if (!rtl) {
        error_set(err, "out of memory");
        return NULL;
    }
    rtl->base.ops = &rtl_ops;
    rtl->base.name = name;
    rtl->base.config = config;
    rtl->simulator = *simulator;
    rtl->options = *options;
    rtl->layout = signal_layout(config);
    meter_start(&rtl->meter, options->measure);
    if (!open_parts(rtl, err)) {
        rtl_destroy(&rtl->base);
        return NULL;
    }
    return &rtl->base;
}
