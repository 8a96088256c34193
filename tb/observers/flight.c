/* From register writes and beats to the running launches; see flight.h. */
#include "tb/observers/flight.h"

#include <stdlib.h>

#include "layers/pairing.h"
#include "layers/tracker.h"
#include "layers/traffic.h"
#include "nvdla/clients.h"
#include "nvdla/xalloc.h"

#define NEVER UINT64_MAX

/* A launch of one unit, by ordinal. */
struct launch_run {
    uint64_t read; /* clock of its first beat of read data; NEVER: none yet */
    uint64_t done; /* NEVER: not yet */
    uint64_t left; /* bytes that its layer has to write; NEVER: not yet computed */
    bool reads;    /* it is still to read beats that can be identified as its own */
};

struct unit_runs {
    struct launch_run *runs;
    size_t count;
};

struct flight {
    const struct nvdla_config *config;
    uint64_t read_latency;
    struct layer_tracker *tracker;
    struct unit_runs units[NVDLA_UNIT_COUNT];
};

enum { GROUPS = 2, BUS_BYTES = 64 /* most bytes that a beat writes */ };

static struct launch_run *find_run(const struct flight *flight, int unit, int ordinal) {
    const struct unit_runs *runs = &flight->units[unit];
    return ordinal >= 0 && (size_t)ordinal < runs->count ? &runs->runs[ordinal] : NULL;
}

/* Atoms of all clients of the launch's unit that read, or that write. */
static uint64_t atoms_of(const struct flight *flight, const struct launch *launch, bool write) {
    uint64_t atoms = 0;
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        if (nvdla_clients[client].write == write && nvdla_clients[client].unit == launch->unit)
            atoms += launch_atoms(flight->config, launch, (enum nvdla_client)client);
    return atoms;
}

static void end_run(const struct flight *flight, int unit, int ordinal, uint64_t cycle) {
    struct launch_run *run = find_run(flight, unit, ordinal);
    if (run && run->done == NEVER)
        run->done = cycle;
}

/* The whole layer is in memory: its launches are done. */
static void end_layer(const struct flight *flight, const struct launch *writer, uint64_t cycle) {
    end_run(flight, (int)writer->unit, writer->ordinal, cycle);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        const struct launch *feeder =
            nvdla_unit_reads(unit) ? layer_tracker_feeder(flight->tracker, writer, unit) : NULL;
        if (feeder)
            end_run(flight, (int)feeder->unit, feeder->ordinal, cycle);
    }
}

static void see_write(void *context, uint32_t address, uint32_t value, uint64_t cycle) {
    struct flight *flight = context;
    const struct launch *launch = layer_tracker_write(flight->tracker, address, value, (size_t)cycle);
    if (!launch)
        return;
    struct unit_runs *runs = &flight->units[launch->unit];
    *xadd(runs->runs, runs->count) = (struct launch_run){.read = NEVER, .done = NEVER, .left = NEVER};
    end_run(flight, (int)launch->unit, launch->ordinal - GROUPS, cycle);
    /* CDP reads and writes through the registers of two units, of which either may be armed first. */
    runs->runs[runs->count - 1].reads = launch->unit == NVDLA_CDP_RDMA || atoms_of(flight, launch, false) > 0;
}

/* A write of a launch: its first one, or perhaps its last. */
static void write_of(const struct flight *flight, struct launch_run *run, const struct axi_beat *beat) {
    const struct launch *launch =
        layer_tracker_find(flight->tracker, (enum nvdla_unit)beat->owner.unit, beat->owner.ordinal);
    if (!launch || run->done != NEVER)
        return;
    if (run->left == NEVER)
        run->left = atoms_of(flight, launch, true) * (uint64_t)flight->config->mem_atom;
    const uint64_t bytes = (uint64_t)__builtin_popcountll(beat->strobe);
    run->left -= bytes < run->left ? bytes : run->left;
    if (run->left == 0)
        end_layer(flight, launch, beat->cycle);
}

static void see_beat(void *context, const struct axi_beat *beat) {
    struct flight *flight = context;
    struct launch_run *run = beat->owner.unit >= 0 ? find_run(flight, beat->owner.unit, beat->owner.ordinal) : NULL;
    if (!run)
        return;
    if (!beat->write) {
        if (run->read == NEVER)
            run->read = beat->cycle;
        return;
    }
    if (run->left == NEVER || run->left <= BUS_BYTES)
        write_of(flight, run, beat);
    else
        run->left -= (uint64_t)__builtin_popcountll(beat->strobe);
}

/* The clock in which a launch started to run, NEVER if it has not. If beats have several atoms, the owner of read data
 * is not known: then the launch runs from its arming. */
static uint64_t start_of(const struct flight *flight, const struct launch *launch, const struct launch_run *run) {
    const uint64_t armed = launch->tag;
    const bool counted = flight->config->dbb_data_bits / 8 <= flight->config->mem_atom;
    if (!run->reads || !counted)
        return armed;
    if (run->read == NEVER)
        return NEVER;
    return run->read > armed + flight->read_latency ? run->read - flight->read_latency : armed;
}

size_t flight_at(const struct flight *flight, uint64_t cycle, struct device_launch *launches, size_t room) {
    size_t found = 0;
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        const int count = nvdla_unit_reads(unit) ? (int)flight->units[unit].count : 0;
        for (int ordinal = count > GROUPS ? count - GROUPS : 0; ordinal < count && found < room; ordinal++) {
            const struct launch *launch = layer_tracker_find(flight->tracker, unit, ordinal);
            const struct launch_run *run = find_run(flight, (int)unit, ordinal);
            const uint64_t start = start_of(flight, launch, run);
            if (start <= cycle && run->done >= cycle)
                launches[found++] =
                    (struct device_launch){.unit = unit, .ordinal = ordinal, .armed = launch->tag, .start = start};
        }
    }
    return found;
}

/* ---- life ---- */

static void forget(struct flight *flight) {
    layer_tracker_free(flight->tracker);
    flight->tracker = NULL;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        free(flight->units[unit].runs);
        flight->units[unit] = (struct unit_runs){0};
    }
}

static void reset_flight(void *context) {
    struct flight *flight = context;
    forget(flight);
    flight->tracker = layer_tracker_new(flight->config);
}

static void release_flight(void *context) {
    autofree struct flight *flight = context;
    forget(flight);
}

struct flight *flight_new(const struct nvdla_config *config, uint64_t read_latency) {
    struct flight *flight = xcalloc(1, sizeof *flight);
    flight->config = config;
    flight->read_latency = read_latency;
    reset_flight(flight);
    return flight;
}

struct observer flight_observer(struct flight *flight) {
    return (struct observer){.context = flight, .reset = reset_flight, .write = see_write, .release = release_flight};
}

struct axi_listener flight_axi(struct flight *flight) {
    return (struct axi_listener){.context = flight, .beat = see_beat};
}
