/* Counts a timeline; see timeline.h. */
#include "tb/observers/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "layers/tracker.h"
#include "layers/traffic.h"
#include "nvdla/engines.h"
#include "nvdla/xalloc.h"
#include "tb/signals.h"

/* Addresses of writes with incomplete data: the design has at most 256 bursts in flight. */
enum { BURSTS = 512, LINK_CLOCKS = 255 };

/* A client and its current launch. */
struct client {
    size_t launch;     /* index of the launch being served; SIZE_MAX: none yet */
    unsigned requests; /* bursts that have not been answered */
    uint64_t from;     /* first clock whose waiting has not been added */
};

struct burst {
    enum nvdla_client client;
    int left;
};

/* W beats carry no ID: they come in the order of their addresses. */
struct write_port {
    struct burst bursts[BURSTS];
    unsigned head, count;
    int early; /* beats ahead of their address */
};

/* Launches of a unit, as indices of the timeline's. */
struct unit_launches {
    size_t *index;
    size_t count, done; /* number of finished ones, the first of them */
};

struct timeline_counter {
    const struct nvdla_config *config;
    struct timeline timeline;
    struct timeline_bucket *now; /* the bucket or gap that counts this clock; NULL before the first arming */
    uint64_t end;                /* first clock that is in no bucket */
    struct timeline_bucket gap;  /* clocks from there on, all without movement */
    struct layer_tracker *tracker;
    struct unit_launches units[NVDLA_UNIT_COUNT];
    struct client clients[NVDLA_CLIENT_COUNT];
    uint32_t pending; /* bit per client with requests */
    struct write_port ports[AXI_PORTS];
    uint64_t cycle;
    uint32_t flags; /* outs word 0 of the clock before */
    uint64_t risen; /* clock of the last rise of dla_intr */
    /* Clocks with movement on each link that are not in a bucket yet: a byte for each, at most LINK_CLOCKS in all. */
    uint64_t link_sums[2];
    unsigned link_clocks;
    uint64_t spread[256];                /* the bits of a byte as bytes */
    uint64_t due;                        /* first clock whose waiting must not be added yet */
    uint32_t interrupt_status;           /* address of S_INTR_STATUS */
    enum nvdla_client found[2][AXI_IDS]; /* clients by write and ID */
};

static enum nvdla_client client_of(const struct timeline_counter *counter, int id, bool write) {
    return id >= 0 && id < AXI_IDS ? counter->found[write][id] : NVDLA_CLIENT_COUNT;
}

struct timeline_counter *timeline_counter_new(const struct nvdla_config *config, bool links) {
    struct timeline_counter *counter = xcalloc(1, sizeof *counter);
    counter->config = config;
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0; bit < 8; bit++)
            counter->spread[byte] |= (uint64_t)(byte >> bit & 1) << 8 * bit;
    for (int id = 0; id < AXI_IDS; id++) {
        counter->found[0][id] = nvdla_client_find(id, false);
        counter->found[1][id] = nvdla_client_find(id, true);
    }
    counter->timeline.links = signal_links;
    counter->timeline.link_count = links ? SIGNAL_LINKS : 0;
    counter->timeline.port_bytes[0] = config->dbb_data_bits / 8;
    counter->timeline.port_bytes[1] = config->secondary_memory ? config->cvsram_data_bits / 8 : 0;
    counter->interrupt_status = nvdla_register_find(config, NVDLA_GLB, "S_INTR_STATUS")->address;
    return counter;
}

static void forget(void *context) {
    struct timeline_counter *counter = context;
    struct timeline *timeline = &counter->timeline;
    timeline->cycles = timeline->launch_count = timeline->count = 0;
    timeline->access_count = timeline->interrupt_count = 0;
    timeline->accesses_dropped = timeline->interrupts_dropped = 0;
    timeline->bucket = 1;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        free(counter->units[unit].index);
        counter->units[unit] = (struct unit_launches){0};
    }
    free(timeline->launches);
    free(timeline->accesses);
    free(timeline->interrupts);
    timeline->launches = NULL;
    timeline->accesses = NULL;
    timeline->interrupts = NULL;
    layer_tracker_free(counter->tracker);
    timeline->tracker = counter->tracker = layer_tracker_new(counter->config);
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        counter->clients[client] = (struct client){.launch = SIZE_MAX};
    memset(counter->ports, 0, sizeof counter->ports);
    counter->now = NULL;
    counter->gap = (struct timeline_bucket){0};
    counter->end = 0;
    counter->pending = counter->flags = 0;
    counter->cycle = counter->risen = counter->due = 0;
    counter->link_sums[0] = counter->link_sums[1] = counter->link_clocks = 0;
}

/* ---- buckets ---- */

/* Merges two neighbours. All members of a bucket are uint32_t. */
static void merge(struct timeline_bucket *into, const struct timeline_bucket *a, const struct timeline_bucket *b) {
    uint32_t sums[sizeof *into / sizeof(uint32_t)], right[sizeof *into / sizeof(uint32_t)];
    memcpy(sums, a, sizeof sums);
    memcpy(right, b, sizeof right);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        sums[i] += right[i];
    memcpy(into, sums, sizeof sums);
}

static void next_bucket(struct timeline_counter *counter) {
    struct timeline *timeline = &counter->timeline;
    if (timeline->count == TIMELINE_BUCKETS) {
        for (size_t i = 0; i < TIMELINE_BUCKETS / 2; i++)
            merge(&timeline->buckets[i], &timeline->buckets[2 * i], &timeline->buckets[2 * i + 1]);
        timeline->count /= 2;
        timeline->bucket *= 2;
    }
    counter->now = &timeline->buckets[timeline->count++];
    *counter->now = (struct timeline_bucket){0};
    counter->end = timeline->origin + timeline->count * timeline->bucket;
}

/* Adds to a bucket the share of clocks `from` to `to` in the counts of a gap of `whole` clocks, assumed to be evenly
 * spread. */
static void add_gap(struct timeline_bucket *bucket, const struct timeline_bucket *gap, uint64_t from, uint64_t to,
                    uint64_t whole) {
    uint32_t sums[sizeof *bucket / sizeof(uint32_t)], all[sizeof *bucket / sizeof(uint32_t)];
    memcpy(sums, bucket, sizeof sums);
    memcpy(all, gap, sizeof all);
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        sums[i] += (uint32_t)(all[i] * to / whole - all[i] * from / whole);
    memcpy(bucket, sums, sizeof sums);
}

static void add_waiting(struct timeline_counter *counter);

/* Extends the buckets up to this clock, in which something moves. The counts of the gap before it are spread over its
 * clocks. */
static void extend(struct timeline_counter *counter) {
    const uint64_t from = counter->end, whole = counter->cycle - from;
    add_waiting(counter);
    const struct timeline_bucket gap = counter->gap;
    for (uint64_t start = from; counter->cycle >= counter->end; start = counter->end) {
        next_bucket(counter);
        const uint64_t end = counter->end < counter->cycle ? counter->end : counter->cycle;
        if (end > start)
            add_gap(counter->now, &gap, start - from, end - from, whole);
    }
    counter->gap = (struct timeline_bucket){0};
}

/* Something moves in this clock. */
static inline void moves(struct timeline_counter *counter) {
    if (counter->now == &counter->gap && counter->cycle >= counter->end)
        extend(counter);
}

/* ---- launches ---- */

static struct timeline_launch *launch_of(struct timeline_counter *counter, const struct owner *owner) {
    if (owner->unit < 0 || owner->ordinal < 0 || (size_t)owner->ordinal >= counter->units[owner->unit].count)
        return NULL;
    return &counter->timeline.launches[counter->units[owner->unit].index[owner->ordinal]];
}

/* The traffic of a client for a launch; NULL if there is no room, but no unit has so many clients. */
static struct timeline_traffic *traffic_of(struct timeline_launch *launch, enum nvdla_client client) {
    for (int i = 0; i < launch->traffic_count; i++)
        if (launch->traffic[i].client == client)
            return &launch->traffic[i];
    if (launch->traffic_count == TIMELINE_CLIENTS)
        return NULL;
    struct timeline_traffic *traffic = &launch->traffic[launch->traffic_count++];
    *traffic = (struct timeline_traffic){.client = client};
    return traffic;
}

/* The traffic that a client works for now. If it has moved all of one launch, it continues with the next that needs it.
 */
static struct timeline_traffic *serving(struct timeline_counter *counter, enum nvdla_client client) {
    const struct unit_launches *unit = &counter->units[nvdla_clients[client].unit];
    struct client *state = &counter->clients[client];
    struct timeline_launch *launches = counter->timeline.launches;
    size_t ordinal = state->launch == SIZE_MAX ? 0 : (size_t)launches[state->launch].ordinal;
    for (; ordinal < unit->count; ordinal++) {
        struct timeline_launch *launch = &launches[unit->index[ordinal]];
        const struct timeline_traffic *traffic = timeline_traffic_of(launch, client);
        if (traffic && (traffic->bytes < traffic->expected || traffic->expected == 0)) {
            state->launch = unit->index[ordinal];
            break;
        }
    }
    return state->launch == SIZE_MAX ? NULL : traffic_of(&launches[state->launch], client);
}

/* Adds the clocks before `due` in which a client waited; called before its requests, its launch or the bucket change.
 */
static void add_client_waiting(struct timeline_counter *counter, enum nvdla_client client) {
    struct client *state = &counter->clients[client];
    const uint64_t clocks = counter->due > state->from ? counter->due - state->from : 0;
    state->from = counter->due;
    if (clocks == 0 || state->requests == 0 || !counter->now)
        return;
    struct timeline_traffic *traffic = serving(counter, client);
    counter->now->pending[client] += (uint32_t)clocks;
    counter->now->outstanding[client] += (uint32_t)clocks * state->requests;
    if (traffic)
        traffic->pending += clocks;
}

static void add_links(struct timeline_counter *counter) {
    for (int link = 0; link < TIMELINE_LINKS && counter->link_clocks > 0; link++)
        counter->now->links[link] += counter->link_sums[link / 8] >> 8 * (link % 8) & 0xff;
    counter->link_sums[0] = counter->link_sums[1] = counter->link_clocks = 0;
}

static void add_waiting(struct timeline_counter *counter) {
    add_links(counter);
    for (uint32_t pending = counter->pending; pending; pending &= pending - 1)
        add_client_waiting(counter, (enum nvdla_client)__builtin_ctz(pending));
}

const struct timeline *timeline_counted(struct timeline_counter *counter) {
    add_waiting(counter);
    return &counter->timeline;
}

static void arm(struct timeline_counter *counter, const struct launch *launch, uint64_t cycle) {
    struct timeline *timeline = &counter->timeline;
    struct unit_launches *unit = &counter->units[launch->unit];
    add_waiting(counter);
    if (timeline->launch_count == 0) {
        timeline->origin = counter->end = cycle;
        counter->now = &counter->gap;
    }
    timeline->launches = xgrow(timeline->launches, timeline->launch_count, sizeof *timeline->launches);
    struct timeline_launch *armed = &timeline->launches[timeline->launch_count];
    *armed = (struct timeline_launch){
        .unit = launch->unit, .ordinal = launch->ordinal, .group = launch->group, .armed = cycle};
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++) {
        const uint64_t atoms = nvdla_clients[client].unit == launch->unit
                                   ? launch_atoms(counter->config, launch, (enum nvdla_client)client)
                                   : 0;
        struct timeline_traffic *traffic = atoms > 0 ? traffic_of(armed, (enum nvdla_client)client) : NULL;
        if (traffic)
            traffic->expected = atoms * (uint64_t)counter->config->mem_atom;
    }
    *xadd(unit->index, unit->count) = timeline->launch_count++;
}

/* The trace clears these bits of S_INTR_STATUS: as many launches are done, the oldest first. The group of a bit does
 * not matter, as in tb/provenance.c: the hardware alternates between the groups, whichever was armed first. */
static void cleared(struct timeline_counter *counter, uint32_t bits) {
    struct timeline *timeline = &counter->timeline;
    if (timeline->interrupt_count > 0 && timeline->interrupts_dropped == 0)
        timeline->interrupts[timeline->interrupt_count - 1].bits |= bits;
    for (int i = 0; i < INTERRUPT_COUNT; i++) {
        if (!nvdla_interrupts[i].ends)
            continue;
        struct unit_launches *unit = &counter->units[nvdla_interrupts[i].unit];
        for (int n = __builtin_popcount(bits >> nvdla_interrupts[i].bit & 3); n > 0 && unit->done < unit->count; n--) {
            struct timeline_launch *launch = &counter->timeline.launches[unit->index[unit->done++]];
            launch->done = counter->risen > launch->last ? counter->risen : launch->last;
            if (launch->done < launch->armed) /* only its end was seen */
                launch->done = counter->cycle;
        }
    }
}

/* Keeps an access. A poll repeats a read many times. */
static void note_access(struct timeline_counter *counter, const struct timeline_access *access) {
    struct timeline *timeline = &counter->timeline;
    struct timeline_access *last = timeline->access_count > 0 ? &timeline->accesses[timeline->access_count - 1] : NULL;
    if (last && !last->write && !access->write && last->address == access->address && last->value == access->value) {
        last->count++;
        last->last = access->cycle;
    } else if (timeline->access_count == TIMELINE_EVENTS) {
        timeline->accesses_dropped++;
    } else {
        *xadd(timeline->accesses, timeline->access_count) = *access;
    }
}

static void see_write(void *context, uint32_t address, uint32_t value, uint64_t cycle) {
    struct timeline_counter *counter = context;
    const struct launch *launch = layer_tracker_write(counter->tracker, address, value, (size_t)cycle);
    if (launch)
        arm(counter, launch, cycle);
    if (address == counter->interrupt_status)
        cleared(counter, value);
    if (counter->now)
        counter->now->accesses++;
    note_access(counter, &(struct timeline_access){cycle, cycle, address, value, 1, true});
}

static void see_read(void *context, uint32_t address, uint32_t value, uint64_t cycle) {
    note_access(context, &(struct timeline_access){cycle, cycle, address, value, 1, false});
}

/* dla_intr rises or falls. */
static void turn(struct timeline_counter *counter, bool rises) {
    struct timeline *timeline = &counter->timeline;
    const size_t count = timeline->interrupt_count;
    if (rises)
        counter->risen = counter->cycle;
    if (rises && count == TIMELINE_EVENTS) {
        timeline->interrupts_dropped++;
    } else if (rises) {
        timeline->interrupts = xgrow(timeline->interrupts, count, sizeof *timeline->interrupts);
        timeline->interrupts[timeline->interrupt_count++] = (struct timeline_interrupt){.rise = counter->cycle};
    } else if (count > 0 && timeline->interrupts[count - 1].fall == 0) {
        timeline->interrupts[count - 1].fall = counter->cycle;
    }
}

/* ---- clocks and beats ---- */

static void see_clock(void *context, const struct sampled *now) {
    struct timeline_counter *counter = context;
    const uint32_t flags = now->flags;
    const bool changed = (flags ^ counter->flags) & OUT_INTR;
    counter->cycle = now->cycle;
    counter->timeline.cycles = now->cycle + 1;
    counter->flags = flags;
    if (changed)
        turn(counter, flags & OUT_INTR);
    if (!counter->now)
        return;
    counter->due = now->cycle;
    if (now->cycle >= counter->end && counter->now != &counter->gap) {
        add_waiting(counter);
        counter->now = &counter->gap;
    }
    if (flags >> OUT_LINKS_LSB || changed)
        moves(counter);
    counter->due = now->cycle + 1;
    struct timeline_bucket *bucket = counter->now;
    counter->link_sums[0] += counter->spread[flags >> OUT_LINKS_LSB & 0xff];
    counter->link_sums[1] += counter->spread[flags >> (OUT_LINKS_LSB + 8)];
    if (++counter->link_clocks == LINK_CLOCKS)
        add_links(counter);
    bucket->interrupt += flags & OUT_INTR ? 1 : 0;
    bucket->accesses += flags & OUT_CSB_VALID ? 1 : 0;
}

/* A client makes a request, or a request was answered. */
static void request(struct timeline_counter *counter, enum nvdla_client client, int change) {
    if (client == NVDLA_CLIENT_COUNT)
        return;
    unsigned *requests = &counter->clients[client].requests;
    add_client_waiting(counter, client);
    if (change > 0)
        ++*requests;
    else if (*requests > 0)
        --*requests;
    if (*requests)
        counter->pending |= UINT32_C(1) << client;
    else
        counter->pending &= ~(UINT32_C(1) << client);
}

static void refuse(struct timeline_counter *counter, enum nvdla_client client) {
    if (client == NVDLA_CLIENT_COUNT)
        return;
    struct timeline_traffic *traffic = serving(counter, client);
    counter->now->refused[client]++;
    if (traffic)
        traffic->refused++;
}

static void untaken(struct timeline_counter *counter, enum nvdla_client client) {
    if (client == NVDLA_CLIENT_COUNT)
        return;
    struct timeline_traffic *traffic = serving(counter, client);
    counter->now->untaken[client]++;
    if (traffic)
        traffic->untaken++;
}

/* Takes one beat from the oldest address of a port. */
static void take_data(struct write_port *port) {
    if (port->count == 0) {
        port->early++;
    } else if (--port->bursts[port->head].left == 0) {
        port->head = (port->head + 1) % BURSTS;
        port->count--;
    }
}

static void take_address(struct write_port *port, enum nvdla_client client, int beats) {
    if (port->count == BURSTS)
        return;
    port->bursts[(port->head + port->count++) % BURSTS] = (struct burst){client, beats};
    for (; port->early > 0 && port->count > 0; port->early--)
        take_data(port);
}

static bool see_port(void *context, const struct sampled *now, int p) {
    struct timeline_counter *counter = context;
    const struct axi_outputs *out = now->out[p];
    const struct axi_inputs *in = now->in[p];
    struct write_port *port = &counter->ports[p];
    const enum nvdla_client reader = out->arvalid ? client_of(counter, out->arid, false) : NVDLA_CLIENT_COUNT;
    const enum nvdla_client writer = out->awvalid ? client_of(counter, out->awid, true) : NVDLA_CLIENT_COUNT;
    /* Waiting data belongs to the oldest address, accepted or not; a client counts once a clock. */
    const enum nvdla_client owner = port->count ? port->bursts[port->head].client : writer;
    const bool data_waits = out->wvalid && !in->wready;
    if (!counter->now)
        return false;
    if ((out->arvalid && in->arready) || (out->awvalid && in->awready) || (out->wvalid && in->wready) ||
        (in->rvalid && out->rready) || (in->bvalid && out->bready))
        moves(counter);
    if (out->arvalid && !in->arready)
        refuse(counter, reader);
    if (out->awvalid && !in->awready && !(data_waits && owner == writer))
        refuse(counter, writer);
    if (data_waits)
        refuse(counter, owner);
    if (in->rvalid && !out->rready)
        untaken(counter, client_of(counter, in->rid, false));
    if (in->bvalid && !out->bready)
        untaken(counter, client_of(counter, in->bid, true));
    if (out->arvalid && in->arready)
        request(counter, reader, 1);
    if (out->awvalid && in->awready) {
        request(counter, writer, 1);
        take_address(port, writer, out->awlen + 1);
    }
    if (out->wvalid && in->wready)
        take_data(port);
    if (in->rvalid && out->rready && in->rlast)
        request(counter, client_of(counter, in->rid, false), -1);
    if (in->bvalid && out->bready)
        request(counter, client_of(counter, in->bid, true), -1);
    return false;
}

static void see_beat(void *context, const struct axi_beat *beat) {
    struct timeline_counter *counter = context;
    const enum nvdla_client client = client_of(counter, beat->id, beat->write);
    if (client == NVDLA_CLIENT_COUNT || !counter->now)
        return;
    moves(counter);
    const uint32_t bytes = beat->write ? (uint32_t)__builtin_popcountll(beat->strobe) : (uint32_t)beat->bytes;
    counter->now->beats[client]++;
    counter->now->bytes[client] += bytes;
    struct timeline_launch *launch = launch_of(counter, &beat->owner);
    struct timeline_traffic *traffic = launch ? traffic_of(launch, client) : NULL;
    if (!traffic)
        return;
    add_client_waiting(counter, client);
    counter->clients[client].launch = (size_t)(launch - counter->timeline.launches);
    traffic->beats++;
    traffic->bytes += bytes;
    if (!launch->first)
        launch->first = counter->cycle;
    launch->last = counter->cycle;
}

static void release(void *context) {
    autofree struct timeline_counter *counter = context;
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        free(counter->units[unit].index);
    free(counter->timeline.launches);
    free(counter->timeline.accesses);
    free(counter->timeline.interrupts);
    layer_tracker_free(counter->tracker);
}

struct observer timeline_observer(struct timeline_counter *counter) {
    return (struct observer){.context = counter,
                             .reset = forget,
                             .clock = see_clock,
                             .port = see_port,
                             .write = see_write,
                             .read = see_read,
                             .release = release};
}

struct axi_listener timeline_axi(struct timeline_counter *counter) {
    return (struct axi_listener){.beat = see_beat, .context = counter};
}
