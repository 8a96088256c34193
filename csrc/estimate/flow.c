/* The device of a flow: registers, interrupts and the order of events. See flow.h. */
#include "estimate/flow.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"

enum {
    SPACE_MASK = 0x3fffc,
    WINDOW_MASK = 0xffc,
    READ_CLOCKS = 10,
    CLEAR_CLOCKS = 9,
    RESET_CLOCKS = 32,
    STILL = 1000000000
};

static struct flow *flow_from(struct device *dev) {
    return (struct flow *)dev; /* dev is its first member */
}

const struct flow *flow_of(const struct device *dev) {
    return (const struct flow *)dev;
}

/* ---- events ---- */

void flow_wake(struct flow *flow, enum flow_process process, double time) {
    const double at = flow_later(time, flow->now);
    if (at < flow->wake[process]) {
        flow->wake[process] = at;
        flow->order[process] = flow->orders++;
        flow->woken |= UINT32_C(1) << process;
    }
}

static double step(struct flow *flow, enum flow_process process) {
    switch (process) {
    case FLOW_MEMORY:
        return flow_memory_step(flow);
    case FLOW_DATA:
        return flow_data_step(flow);
    case FLOW_WEIGHTS:
        return flow_weights_step(flow);
    case FLOW_CSC:
        return flow_csc_step(flow);
    case FLOW_SDP_MAIN:
    case FLOW_SDP_BS:
    case FLOW_SDP_BN:
    case FLOW_SDP_EW:
        return flow_sdp_read_step(flow, process);
    case FLOW_SDP:
        return flow_sdp_step(flow);
    case FLOW_PDP_READ:
        return flow_pdp_read_step(flow);
    case FLOW_PDP:
        return flow_pdp_step(flow);
    case FLOW_CDP_READ:
        return flow_cdp_read_step(flow);
    case FLOW_CDP:
        return flow_cdp_step(flow);
    case FLOW_BDMA_READ:
    case FLOW_RUBIK_READ:
        return flow_move_read_step(flow, process);
    case FLOW_BDMA:
        return flow_bdma_step(flow);
    case FLOW_RUBIK:
        return flow_rubik_step(flow);
    case FLOW_PROCESSES:
        break;
    }
    return FLOW_NEVER;
}

static bool line(const struct flow *flow) {
    return (flow->interrupt_status & ~register_group_value(&flow->units[NVDLA_GLB], GLB_S_INTR_MASK)) != 0;
}

/* The process that is woken first; of several at a time the memory last: it sees reads before writes. */
static enum flow_process first_woken(const struct flow *flow) {
    int first = 0;
    for (uint32_t rest = flow->woken; rest; rest &= rest - 1) {
        const int p = __builtin_ctz(rest);
        if (flow->wake[p] < flow->wake[first] ||
            (flow->wake[p] == flow->wake[first] && (first == FLOW_MEMORY || flow->order[p] < flow->order[first])))
            first = p;
    }
    return (enum flow_process)first;
}

/* Lets everything up to that clock happen, or up to an interrupt. */
static void run(struct flow *flow, double until, bool until_interrupt) {
    while (!until_interrupt || !line(flow)) {
        const enum flow_process first = first_woken(flow);
        if (flow->wake[first] > until)
            break;
        flow->now = flow_later(flow->now, flow->wake[first]);
        flow->wake[first] = FLOW_NEVER;
        flow->woken &= ~(UINT32_C(1) << first);
        const double next = step(flow, first);
        if (next < FLOW_NEVER)
            flow_wake(flow, first, next);
    }
    if (!until_interrupt || !line(flow))
        flow->now = flow_later(flow->now, until);
}

/* ---- launches ---- */

double flow_armed(const struct flow *flow, enum nvdla_unit unit) {
    const struct register_group *group = &flow->units[unit];
    if (!register_group_running(group))
        return FLOW_NEVER;
    return flow->launches[unit].items[register_group_ordinal(group)]->armed + flow->law[LAW_ARM];
}

struct flow_launch *flow_begin(struct flow *flow, enum nvdla_unit unit, int *ordinal) {
    *ordinal = register_group_ordinal(&flow->units[unit]);
    struct flow_launch *launch = flow->launches[unit].items[*ordinal];
    launch->begun = flow->now;
    return launch;
}

struct registers_view flow_view(struct flow *flow, enum nvdla_unit unit, int ordinal) {
    return launch_view(flow->dev.config, layer_tracker_find(flow->tracker, unit, ordinal));
}

void flow_release(struct flow *flow, enum nvdla_unit unit) {
    register_group_done(&flow->units[unit]);
}

void flow_interrupt(struct flow *flow, enum nvdla_interrupt source, enum nvdla_unit unit, int ordinal) {
    const struct launch *launch = layer_tracker_find(flow->tracker, unit, ordinal);
    const bool before = line(flow);
    flow->interrupt_status |= UINT32_C(1) << (nvdla_interrupts[source].bit + (launch ? (unsigned)launch->group : 0));
    if (!before && line(flow))
        flow->risen = flow->now;
}

void flow_end(struct flow *flow, enum nvdla_unit unit, int ordinal, double last) {
    const double end = flow_later(flow->risen, last);
    flow->launches[unit].items[ordinal]->end = end > 0 ? end : flow->now;
}

/* Processes that may begin when a unit is armed. */
static void wake_unit(struct flow *flow, enum nvdla_unit unit) {
    static const struct {
        enum nvdla_unit unit;
        enum flow_process process;
    } woken[] = {{NVDLA_CDMA, FLOW_DATA},         {NVDLA_CSC, FLOW_CSC},   {NVDLA_CMAC_A, FLOW_CSC},
                 {NVDLA_CMAC_B, FLOW_CSC},        {NVDLA_CACC, FLOW_CSC},  {NVDLA_SDP, FLOW_SDP},
                 {NVDLA_SDP_RDMA, FLOW_SDP_MAIN}, {NVDLA_PDP, FLOW_PDP},   {NVDLA_PDP_RDMA, FLOW_PDP_READ},
                 {NVDLA_PDP_RDMA, FLOW_PDP},      {NVDLA_CDP, FLOW_CDP},   {NVDLA_CDP_RDMA, FLOW_CDP_READ},
                 {NVDLA_CDP_RDMA, FLOW_CDP},      {NVDLA_BDMA, FLOW_BDMA}, {NVDLA_RBK, FLOW_RUBIK}};
    for (size_t i = 0; i < sizeof woken / sizeof *woken; i++)
        if (woken[i].unit == unit)
            flow_wake(flow, woken[i].process, flow->now + flow->law[LAW_ARM]);
}

static void armed(struct flow *flow, const struct launch *launch) {
    struct flow_launches *launches = &flow->launches[launch->unit];
    while (launches->count <= (size_t)launch->ordinal) {
        launches->items = xgrow(launches->items, launches->count, sizeof *launches->items);
        launches->items[launches->count] = xcalloc(1, sizeof **launches->items);
        launches->items[launches->count++]->armed = flow->now;
    }
    wake_unit(flow, launch->unit);
}

/* ---- accesses ---- */

static bool flow_csb_write(struct device *dev, uint32_t address, uint32_t value, bool nposted, struct error *err) {
    (void)err;
    struct flow *flow = flow_from(dev);
    const enum nvdla_unit unit = nvdla_unit_at(dev->config, address & SPACE_MASK);
    const uint32_t offset = address & WINDOW_MASK;
    const bool clears = unit == NVDLA_GLB && offset == GLB_S_INTR_STATUS;
    const double end = flow->now + (nposted ? READ_CLOCKS : 1);
    run(flow, clears && nposted ? flow->now + CLEAR_CLOCKS : end, false);
    if (unit == NVDLA_UNIT_COUNT)
        return true;
    const struct launch *launch = layer_tracker_write(flow->tracker, address & SPACE_MASK, value, flow->writes++);
    if (unit == NVDLA_GLB && offset == GLB_S_INTR_SET)
        flow->interrupt_status |= value;
    else if (clears)
        flow->interrupt_status &= ~value;
    else
        register_group_write(&flow->units[unit], offset, value);
    if (launch)
        armed(flow, launch);
    run(flow, end, false);
    return true;
}

static bool flow_csb_read(struct device *dev, uint32_t address, uint32_t *value, struct error *err) {
    (void)err;
    struct flow *flow = flow_from(dev);
    const enum nvdla_unit unit = nvdla_unit_at(dev->config, address & SPACE_MASK);
    const uint32_t offset = address & WINDOW_MASK;
    run(flow, flow->now + READ_CLOCKS, false);
    *value = 0;
    if (unit == NVDLA_GLB && offset == GLB_S_INTR_STATUS)
        *value = flow->interrupt_status;
    else if (unit == NVDLA_CDMA && offset == CDMA_S_CBUF_FLUSH_STATUS)
        *value = 1; /* time begins when it is filled */
    else if (unit != NVDLA_UNIT_COUNT)
        *value = register_group_read(&flow->units[unit], offset);
    return true;
}

static bool is_idle(const struct flow *flow) {
    for (int p = 0; p < FLOW_PROCESSES; p++)
        if (flow->wake[p] < FLOW_NEVER)
            return false;
    return true;
}

static enum device_state flow_advance(struct device *dev, uint64_t cycles, bool until_interrupt, struct error *err) {
    (void)err;
    struct flow *flow = flow_from(dev);
    if (until_interrupt && line(flow))
        return DEVICE_INTERRUPT;
    run(flow, flow->now + (double)cycles, until_interrupt);
    if (until_interrupt && line(flow))
        return DEVICE_INTERRUPT;
    return is_idle(flow) ? DEVICE_IDLE : DEVICE_RUNNING;
}

static bool flow_interrupt_line(struct device *dev) {
    return line(flow_of(dev));
}

static bool flow_at_rest(struct device *dev) {
    return is_idle(flow_of(dev));
}

static uint64_t flow_still(struct device *dev) {
    return is_idle(flow_of(dev)) ? UINT64_MAX : 0;
}

static uint64_t flow_time(struct device *dev) {
    return (uint64_t)flow_of(dev)->now;
}

static void flow_statistics(struct device *dev, struct device_statistics *statistics) {
    *statistics = (struct device_statistics){.cycles = flow_time(dev)};
}

/* ---- life ---- */

static bool flow_reset(struct device *dev, struct error *err) {
    struct flow *flow = flow_from(dev);
    (void)err;
    for (int p = 0; p < FLOW_PROCESSES; p++)
        flow->wake[p] = FLOW_NEVER;
    return true;
}

static void flow_destroy(struct device *dev) {
    autofree struct flow *flow = flow_from(dev);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        register_group_free(&flow->units[unit]);
        for (size_t i = 0; i < flow->launches[unit].count; i++)
            free(flow->launches[unit].items[i]);
        free(flow->launches[unit].items);
    }
    layer_tracker_free(flow->tracker);
    memory_system_free(flow->system);
    device_release(dev);
}

static const struct device_ops flow_ops = {.reset = flow_reset,
                                           .csb_write = flow_csb_write,
                                           .csb_read = flow_csb_read,
                                           .advance = flow_advance,
                                           .interrupt = flow_interrupt_line,
                                           .at_rest = flow_at_rest,
                                           .time = flow_time,
                                           .still = flow_still,
                                           .statistics = flow_statistics,
                                           .destroy = flow_destroy};

/* Time begins when a run's testbench has waited for the zero fill of CBUF, so that a DRAM is refreshed as beside the
 * RTL. */
static double fill_clocks(const struct nvdla_config *config) {
    return (double)config->cbuf_banks * config->cbuf_bank_depth / 2 + RESET_CLOCKS;
}

struct device *flow_new(const struct nvdla_config *config, const struct flow_options *options, struct error *err) {
    struct flow *flow = xcalloc(1, sizeof *flow);
    struct device *dev = &flow->dev;
    dev->ops = &flow_ops;
    dev->name = "estimate";
    dev->config = config;
    dev->timeless = true;
    dev->still_limit = STILL;
    flow->options = *options;
    flow->law = flow->options.laws.clocks;
    flow->tracker = layer_tracker_new(config);
    flow->cdma.first = flow->csc.first = true;
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        if (nvdla_has_unit(config, unit)) {
            dev->units |= UINT32_C(1) << unit;
            register_group_init(&flow->units[unit], config, unit);
        }
    for (int p = 0; p < FLOW_PROCESSES; p++)
        flow->wake[p] = FLOW_NEVER;
    dev->memory[SPACE_PRIMARY] = memory_new();
    if (nvdla_has(config, FEATURE_SECONDARY_MEMORY))
        dev->memory[SPACE_SECONDARY] = memory_new();
    flow->now = fill_clocks(config);
    flow_ports_init(flow);
    flow_clients_init(flow);
    if (options->dram.name[0] &&
        !(flow->system = memory_system_new(&options->dram, &options->traffic, options->seed, err))) {
        flow_destroy(dev);
        return NULL;
    }
    return dev;
}
