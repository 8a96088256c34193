/* Opens the RTL as a device: its signals, the memories at its ports, its observers. See rtl_open.h. */
#include "tb/rtl_open.h"

#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "tb/observers/timeline.h"
#include "tb/rtl_state.h"

enum { QUEUE_READS = 32 /* reads of a DRAM that one may wait for, each with the longest time */ };
enum { SLOW_READ = 200 /* clocks of a read beyond the latency of the memory */ };

/* Clocks without movement after which a run counts as hung, with visible links between the engines and without. A layer
 * that computes only from CBUF and writes nothing (comparison of outputs, large pooling after a convolution) shows
 * nothing on the ports for long. */
enum { STILL_LINKS = 100000, STILL_PORTS = 2000000 };

/* A stream in this clock; see struct stream_source. */
static const uint32_t *read_stream(void *context, enum rtl_stream stream, int count) {
    struct rtl_device *rtl = context;
    if (rtl->streams[stream])
        return rtl->streams[stream];
    vpi_access_get_stream(&rtl->vpi, stream, rtl->stream, count);
    return rtl->stream;
}

/* The streams that the design shows. */
static struct stream_source stream_source(struct rtl_device *rtl) {
    struct stream_source source = {
        .context = rtl, .read = rtl->vpi.taps ? read_stream : NULL, .specified_stripes = rtl->vpi.specified_stripes};
    for (int i = 0; i < STREAM_COUNT; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%d", i);
        source.has[i] = rtl->vpi.streams[i] != NULL;
        if (source.has[i] && rtl->simulator.signal)
            rtl->streams[i] = rtl->simulator.signal(rtl->simulator.context, name);
    }
    return source;
}

static void hear_layer(void *marks, const char *scope, int event) {
    marks_layer(marks, scope, (enum check_event)event);
}

/* Opens waves and their marks, in every simulator that has them: a recording may begin later. */
static bool open_waves(struct rtl_device *rtl, struct error *err) {
    if (rtl->simulator.wave_open) {
        rtl->marks = marks_new(rtl->base.config, &rtl->prov, rtl->simulator.checks_connect != NULL);
        observers_add(&rtl->observers, marks_observer(rtl->marks));
    }
    waves_init(&rtl->waves, &rtl->simulator, rtl->base.config, rtl->marks, &rtl->statistics.wave_cycles);
    rtl->statistics.activity = &rtl->waves.activity;
    if (rtl->simulator.wave_open)
        observers_add(&rtl->observers, waves_observer(&rtl->waves));
    return !rtl->options.wave.path || waves_begin(&rtl->waves, &rtl->options.wave, err);
}

static void listen_to_ports(struct rtl_device *rtl, struct axi_listener listener) {
    for (int p = 0; p < rtl->layout.ports; p++)
        axi_memory_listen(rtl->ports[p].memory, listener);
}

/* Observers of the pins, in every run. */
static void open_monitors(struct rtl_device *rtl) {
    if (rtl->simulator.four_state) {
        observers_add(&rtl->observers, unknown_observer(&rtl->unknown, &rtl->base, &rtl->layout));
        rtl->now.aval = rtl->aval;
        rtl->now.bval = rtl->bval;
    }
    for (int p = 0; p < rtl->layout.ports; p++) {
        axi_monitor_init(&rtl->monitors[p], &rtl->base, p);
        observers_add(&rtl->observers, axi_monitor_observer(&rtl->monitors[p]));
        axi_answers_init(&rtl->answers[p], &rtl->base, p);
        observers_add(&rtl->observers, axi_answers_observer(&rtl->answers[p]));
        rtl->now.out[p] = &rtl->ports[p].out;
        rtl->now.in[p] = &rtl->ports[p].in;
    }
}

/* Observers of streams inside the design. */
static void open_streams(struct rtl_device *rtl) {
    const struct nvdla_config *config = rtl->base.config;
    const struct rtl_options *options = &rtl->options;
    const struct stream_source source = stream_source(rtl);
    if (options->taps) {
        rtl->tap = rtl_tap_new(config, options->taps, &source);
        rtl_tap_record(rtl->tap, !options->taps_later);
        rtl_tap_requests(rtl->tap, options->beats);
        observers_add(&rtl->observers, rtl_tap_observer(rtl->tap));
        listen_to_ports(rtl, rtl_tap_axi(rtl->tap));
    }
    rtl->board = options->cbuf ? cbuf_board_new(config, &source, options->cbuf) : NULL;
    if (rtl->board) {
        cbuf_board_compare(rtl->board, !options->taps_later);
        observers_add(&rtl->observers, cbuf_board_observer(rtl->board));
    }
    struct account_board *account = options->account ? account_board_new(config, &source, options->account) : NULL;
    if (account)
        observers_add(&rtl->observers, account_board_observer(account));
}

/* The checks inside the design, as findings or, with taps_later, as evidence. */
static bool open_checks(struct rtl_device *rtl, struct error *err) {
    if (rtl->options.checks || (rtl->options.taps_later && rtl->simulator.checks_connect)) {
        rtl->checks = checks_open(&rtl->base, &rtl->simulator, &rtl->cycle, err);
        if (!rtl->checks)
            return false;
        checks_mute(rtl->checks, !rtl->options.checks);
        observers_add(&rtl->observers, checks_observer(rtl->checks));
        if (rtl->marks)
            checks_listen(rtl->checks, hear_layer, rtl->marks);
    } else if (rtl->marks && rtl->simulator.checks_connect) {
        rtl->simulator.checks_connect(rtl->simulator.context, NULL, hear_layer, rtl->marks);
    }
    return true;
}

/* The observers of this run. */
static bool open_observers(struct rtl_device *rtl, struct error *err) {
    const struct nvdla_config *config = rtl->base.config;
    open_monitors(rtl);
    open_streams(rtl);
    if (rtl->options.timeline) {
        rtl->timeline = timeline_counter_new(config, rtl->vpi.links);
        observers_add(&rtl->observers, timeline_observer(rtl->timeline));
        listen_to_ports(rtl, timeline_axi(rtl->timeline));
    }
    if (!open_waves(rtl, err))
        return false;
    if (rtl->options.beats)
        listen_to_ports(rtl, *rtl->options.beats);
    if (rtl->options.copies) {
        const struct axi_options *axi = &rtl->options.axi;
        const uint64_t dram = axi->dram.name[0] ? SLOW_READ + QUEUE_READS * dram_read_clocks(&axi->dram) : 0;
        rtl->flight =
            flight_new(config, SLOW_READ + dram + (uint64_t)axi->read_latency + axi->latency_max + axi->page_miss);
        observers_add(&rtl->observers, flight_observer(rtl->flight));
        listen_to_ports(rtl, flight_axi(rtl->flight));
    }
    if (!open_checks(rtl, err))
        return false;
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
    if (rtl->simulator.signal)
        vpi_access_direct(&rtl->vpi, rtl->simulator.signal(rtl->simulator.context, "ins"),
                          rtl->simulator.signal(rtl->simulator.context, "outs"),
                          (uint8_t *)rtl->simulator.signal(rtl->simulator.context, "put"));
    for (size_t i = 0; i < rtl->options.fault_count; i++)
        if (rtl->options.faults[i] > rtl->simulator.fault_count)
            return rtl->simulator.fault_count
                       ? error_set(err, "--fault: found %u, the faults of this simulator are 1 to %u",
                                   rtl->options.faults[i], rtl->simulator.fault_count)
                       : error_set(
                             err,
                             "--fault: no faults are planted in this simulator; scripts/plant.py makes an RTL that "
                             "has them");
    dev->specified_stripes = rtl->vpi.specified_stripes;
    dev->still_limit = rtl->vpi.links ? STILL_LINKS : STILL_PORTS;
    uint32_t pins[SIGNAL_PIN_WORDS];
    if (!signals_pins(rtl->options.pins, pins, err) || !open_observers(rtl, err))
        return false;
    if (rtl->options.coverage_path) {
        if (!rtl->simulator.coverage_write)
            return error_set(err, "this simulator was built without coverage; build its coverage variant with 'make "
                                  "simulator VARIANT=coverage'");
        if (!file_write(rtl->options.coverage_path, "", 0, err)) /* better now than after the run */
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
        rtl->base.ops->destroy(&rtl->base);
        return NULL;
    }
    return &rtl->base;
}
