/* The memories of a flow: ports, readers with their latency buffers, writers, and the DRAM behind the primary port. See
 * flow.h. */
#include <math.h>

#include "estimate/flow.h"
#include "nvdla/sizes.h"

enum {
    WRITE_SLACK = 4,  /* beats that wait in a write client */
    SHARED_BEATS = 4, /* beats that wait while reads and writes take turns */
    IN_FLIGHT = 256   /* beats in flight, reads or writes; spec: 70-memory-interface section 3 */
};

/* Beats that the latency buffers of the read clients hold. Spec: 70-memory-interface section 3. */
static uint32_t depth_of(const struct nvdla_config *config, enum flow_process process) {
    enum { ALL = 256, BDMA = 245, RUBIK = 80, CDP_BLOCKS = 16 };
    const int longest = config->dbb_latency > config->cvsram_latency ? config->dbb_latency : config->cvsram_latency;
    int depth = longest;
    if (process >= FLOW_SDP_MAIN && process <= FLOW_SDP_EW)
        depth = config->dbb_latency * config->sdp_bs_throughput / config->mem_atom * (process == FLOW_SDP_MAIN ? 1 : 2);
    else if (process == FLOW_PDP_READ)
        depth = config->dbb_latency * config->pdp_throughput / config->mem_atom;
    else if (process == FLOW_CDP_READ) {
        depth = config->dbb_latency * config->cdp_throughput / config->mem_atom;
        depth = depth > CDP_BLOCKS ? depth : CDP_BLOCKS;
    } else if (process == FLOW_BDMA_READ)
        depth = BDMA;
    else if (process == FLOW_RUBIK_READ)
        depth = RUBIK;
    return depth < 1 ? 1 : depth > ALL ? ALL : (uint32_t)depth;
}

/* Atoms that engines take before they need them. Spec: 50-sdp section 4, 62-cdp section 3. */
static uint32_t ring_of(const struct nvdla_config *config, enum flow_process process) {
    enum { OPERANDS = 8, OPERANDS_16_BITS = 16, CDP = 24 };
    if (process >= FLOW_SDP_BS && process <= FLOW_SDP_EW)
        return nvdla_has_16_bits(config) ? OPERANDS_16_BITS : OPERANDS;
    return process == FLOW_CDP_READ ? CDP : 0;
}

void flow_ports_init(struct flow *flow) {
    const struct nvdla_config *config = flow->dev.config;
    const struct flow_options *options = &flow->options;
    const double beat = options->bandwidth > 0 && options->bandwidth < 1 ? 1 / options->bandwidth : 1;
    for (int p = 0; p < 2; p++) {
        const int bits = p ? config->cvsram_data_bits : config->dbb_data_bits;
        const int burst = p ? config->cvsram_burst_beats : config->dbb_burst_beats;
        flow->ports[p] = (struct flow_port){.bytes = bits ? (uint32_t)bits / 8 : 1,
                                            .burst = burst ? (uint32_t)burst : 1,
                                            .latency = options->latency,
                                            .beat = beat,
                                            .shared = beat > 1};
    }
    if (options->dram.name[0]) {
        const uint32_t width = options->dram.bus_width / 8;
        flow->ports[0].beat = width && width < flow->ports[0].bytes ? (double)flow->ports[0].bytes / width : 1;
        flow->ports[0].shared = false;
    }
    for (int p = 0; p < 2; p++) {
        struct flow_port *port = &flow->ports[p];
        const uint32_t reads = options->dram.name[0] && !p ? options->dram.reads : options->reads;
        const uint32_t most = port->bytes * port->burst * (reads ? reads : FLOW_LINE);
        port->reads = options->dram.name[0] && !p ? 0 : options->reads;
        port->line = most < FLOW_LINE ? most : port->bytes > FLOW_LINE ? port->bytes : FLOW_LINE;
    }
    for (int p = 0; p < FLOW_PROCESSES; p++) {
        flow->readers[p].process = (enum flow_process)p;
        flow->readers[p].depth = depth_of(config, (enum flow_process)p);
        flow->readers[p].ring = ring_of(config, (enum flow_process)p);
    }
    for (uint32_t tag = 0; tag < SYSTEM_TAGS; tag++)
        flow->free_tags[flow->free_count++] = tag;
}

/* ---- requests ---- */

struct flow_walk flow_walk_of(uint64_t base, uint32_t atoms) {
    return (struct flow_walk){.base = base, .atoms = atoms, .count = {1, 1, 1, 1}};
}

void flow_walk_loop(struct flow_walk *walk, int loop, uint32_t count, uint64_t stride) {
    walk->count[loop] = count ? count : 1;
    walk->stride[loop] = stride;
}

/* The next request of a walk. False: it is over. */
static bool walk_next(struct flow_walk *walk, uint64_t *address) {
    if (walk->over || !walk->atoms)
        return false;
    *address = walk->base;
    for (int i = 0; i < 4; i++)
        *address += walk->at[i] * walk->stride[i];
    for (int i = 0; i < 4; i++) {
        if (++walk->at[i] < walk->count[i])
            return true;
        walk->at[i] = 0;
    }
    walk->over = true;
    return true;
}

void flow_read(struct flow *flow, enum flow_process process, const struct flow_walk *walk, bool primary,
               struct flow_launch *launch) {
    struct flow_reader *reader = &flow->readers[process];
    reader->busy = true;
    reader->primary = primary;
    reader->walk = *walk;
    reader->more = NULL;
    reader->more_index = 0;
    reader->left = 0;
    reader->most = UINT32_MAX;
    reader->first = reader->latest = 0;
    reader->launch = launch;
    flow_wake(flow, process, flow->now);
}

static struct flow_chunk *chunk_of(struct flow_reader *reader, uint32_t index) {
    return &reader->chunks[index % FLOW_CHUNKS];
}

/* The clocks of the next chunk's beats are known. */
static void arrived(struct flow *flow, struct flow_reader *reader, struct flow_chunk *chunk, double ready) {
    struct flow_port *port = &flow->ports[!reader->primary];
    const double earliest = ready + flow->law[LAW_READ];
    chunk->first = flow_later(earliest, port->data_free);
    if (port->shared) {
        const double free = flow_later(port->work_free, flow->now);
        chunk->first = flow_later(chunk->first, free);
        port->work_free = free + chunk->beats * port->beat;
    }
    chunk->last = chunk->first + (chunk->beats - 1) * port->beat;
    port->data_free = chunk->first + chunk->beats * port->beat;
    if (reader->launch && chunk->first > earliest)
        reader->launch->port += chunk->first - earliest;
    if (reader->greedy)
        chunk->taken = chunk->first;
    for (uint32_t i = 0; i < chunk->beats; i++)
        port->arrivals[port->asked++ % FLOW_FLIGHT] = chunk->first + i * port->beat;
    reader->known++;
    if (reader->first == 0)
        reader->first = chunk->first;
    reader->latest = flow_later(reader->latest, chunk->last);
    flow_wake(flow, reader->consumer, reader->greedy ? chunk->last : chunk->first);
}

/* Counts the chunks that have come, and frees the places of those that are being taken. */
static void free_places(struct flow *flow, struct flow_reader *reader) {
    const double hold = flow->law[LAW_READ_HOLD];
    for (; reader->come != reader->known && chunk_of(reader, reader->come)->first <= flow->now; reader->come++)
        reader->flying -= chunk_of(reader, reader->come)->beats;
    while (reader->head != reader->tail) {
        const struct flow_chunk *chunk = chunk_of(reader, reader->head);
        if (chunk->taken == 0 || chunk->taken + hold > flow->now)
            return;
        reader->held -= chunk->beats;
        reader->head++;
    }
}

/* When the oldest chunk gives its places back. */
static double free_time(const struct flow *flow, struct flow_reader *reader) {
    const struct flow_chunk *chunk = chunk_of(reader, reader->head);
    if (reader->flying >= reader->depth) {
        chunk = chunk_of(reader, reader->come);
        return reader->come == reader->known ? FLOW_NEVER : chunk->first;
    }
    return chunk->taken == 0 ? FLOW_NEVER : chunk->taken + flow->law[LAW_READ_HOLD];
}

static bool has_request(struct flow *flow, struct flow_reader *reader) {
    if (reader->left)
        return true;
    while (!walk_next(&reader->walk, &reader->address))
        if (!reader->more || !reader->more(flow, reader))
            return false;
    reader->left = reader->walk.atoms;
    return true;
}

/* Asks for the next chunk. */
static void ask(struct flow *flow, struct flow_reader *reader, uint32_t atoms, uint32_t beats) {
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom;
    struct flow_port *port = &flow->ports[!reader->primary];
    struct flow_chunk *chunk = chunk_of(reader, reader->tail);
    port->last = reader->process;
    port->waiting &= ~(UINT32_C(1) << reader->process);
    *chunk = (struct flow_chunk){.beats = beats, .atoms = atoms};
    port->ask_free = flow->now + (double)ceil_div(beats, port->burst) * (port->burst > 1 ? 1 : port->beat);
    reader->held += beats;
    reader->flying += beats;
    reader->tail++;
    if (flow->system && reader->primary) {
        const uint32_t tag = flow->free_tags[--flow->free_count];
        flow->requests[tag] = (struct flow_request){.reader = reader, .chunk = reader->tail - 1, .beats = beats};
        port->reading += beats;
        memory_system_submit(flow->system, (uint64_t)flow->now, false, 0, reader->address, atoms * atom, tag);
        flow_wake(flow, FLOW_MEMORY, flow->now);
    } else
        arrived(flow, reader, chunk, flow->now + port->latency);
    reader->left -= atoms;
    reader->address += (uint64_t)atoms * atom;
}

/* Bytes of the lines that a chunk does not cross. Clients whose engines take atoms at a pace of their own ask a DRAM
 * burst by burst, as the hardware does: what comes between two bursts of a row matters. */
static uint32_t chunk_bytes(const struct flow *flow, const struct flow_reader *reader) {
    const struct flow_port *port = &flow->ports[!reader->primary];
    return flow->system && reader->primary && !reader->greedy ? port->bytes * port->burst : port->line;
}

/* Whether a DRAM takes more. */
static bool takes_more(const struct flow *flow, bool write, uint32_t beats) {
    const struct flow_port *port = &flow->ports[0];
    return flow->free_count && memory_system_ready(flow->system, write) &&
           (write ? port->writing : port->reading) + beats <= IN_FLIGHT;
}

double flow_read_step(struct flow *flow, struct flow_reader *reader) {
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom;
    struct flow_port *port = &flow->ports[!reader->primary];
    free_places(flow, reader);
    if (!reader->busy || !has_request(flow, reader))
        return FLOW_NEVER;
    const uint32_t line = chunk_bytes(flow, reader);
    const uint32_t room = (uint32_t)(line - reader->address % line) / atom;
    uint32_t atoms = (uint32_t)lesser(lesser(reader->left, room ? room : 1), reader->most);
    uint32_t beats = (uint32_t)ceil_div(reader->address % port->bytes + atoms * atom, port->bytes);
    const uint32_t held = reader->held > reader->ring ? reader->held - reader->ring : 0;
    const uint32_t places = reader->depth - (held > reader->flying ? held : reader->flying);
    if (!places || reader->tail - reader->head >= FLOW_CHUNKS - 1)
        return free_time(flow, reader);
    if (beats > places) {
        beats = places;
        atoms = (uint32_t)lesser(atoms, beats * (port->bytes > atom ? port->bytes / atom : 1));
    }
    const uint32_t me = UINT32_C(1) << reader->process;
    if (port->ask_free > flow->now) {
        port->waiting |= me;
        return port->ask_free;
    }
    if (port->last == reader->process && (port->waiting & ~me)) { /* it is the turn of others */
        port->waiting = 0;
        return flow->now;
    }
    if (port->reads && port->asked >= port->reads) {
        const uint32_t more = beats < port->reads ? beats : port->reads;
        const double free = port->arrivals[(port->asked + more - 1 - port->reads) % FLOW_FLIGHT];
        if (free > flow->now)
            return free;
    }
    if (flow->system && reader->primary && !takes_more(flow, false, beats))
        return FLOW_NEVER; /* an answer wakes all */
    ask(flow, reader, atoms, beats);
    return port->ask_free;
}

double flow_atom(const struct flow *flow, const struct flow_reader *reader, uint32_t ahead) {
    const struct flow_port *port = &flow->ports[!reader->primary];
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom, together = port->bytes > atom ? port->bytes / atom : 1;
    uint32_t place = reader->taken_atoms + ahead, next = reader->next;
    for (; next != reader->tail && place >= reader->chunks[next % FLOW_CHUNKS].atoms; next++)
        place -= reader->chunks[next % FLOW_CHUNKS].atoms;
    const struct flow_chunk *chunk = &reader->chunks[next % FLOW_CHUNKS];
    if (next == reader->tail || chunk->first == 0)
        return FLOW_NEVER;
    return chunk->first + (double)(place / together) * port->beat;
}

void flow_take(struct flow *flow, struct flow_reader *reader, double time) {
    struct flow_chunk *chunk = chunk_of(reader, reader->next);
    if (!reader->taken_atoms) {
        chunk->taken = time;
        flow_wake(flow, reader->process, time + flow->law[LAW_READ_HOLD]);
    }
    if (++reader->taken_atoms == chunk->atoms) {
        reader->taken_atoms = 0;
        reader->next++;
    }
}

bool flow_read_over(const struct flow_reader *reader) {
    return !reader->left && (reader->walk.over || !reader->walk.atoms) &&
           (reader->greedy || reader->next == reader->tail);
}

/* ---- writes ---- */

static uint32_t burst_beats(const struct flow *flow, const struct flow_burst *burst) {
    const uint32_t beat = flow->ports[0].bytes;
    return (uint32_t)((burst->address % beat + burst->bytes + beat - 1) / beat);
}

/* Gives the oldest burst to the DRAM. */
static void submit_burst(struct flow *flow) {
    const struct flow_burst *burst = &flow->bursts[flow->first_burst];
    const uint32_t tag = flow->free_tags[--flow->free_count], beats = burst_beats(flow, burst);
    flow->requests[tag] = (struct flow_request){.writer = burst->writer, .beats = beats};
    flow->ports[0].writing += beats;
    memory_system_submit(flow->system, (uint64_t)flow->now, true, 0, burst->address, burst->bytes, tag);
    flow->first_burst = (flow->first_burst + 1) % FLOW_BURSTS;
    flow->burst_count--;
}

/* Gives those to the DRAM whose time has come. Returns the time of the next one. */
static double submit_bursts(struct flow *flow) {
    while (flow->burst_count) {
        const struct flow_burst *burst = &flow->bursts[flow->first_burst];
        if (burst->time > flow->now)
            return burst->time;
        if (!takes_more(flow, true, burst_beats(flow, burst)))
            return FLOW_NEVER; /* an answer wakes the memory */
        submit_burst(flow);
    }
    return FLOW_NEVER;
}

/* The burst that collects atoms is complete. */
static void end_burst(struct flow *flow, struct flow_writer *writer) {
    if (!writer->burst.bytes)
        return;
    if (flow->burst_count == FLOW_BURSTS)
        submit_burst(flow);
    uint32_t at = flow->first_burst + flow->burst_count++;
    for (; at != flow->first_burst && flow->bursts[(at - 1) % FLOW_BURSTS].time > writer->burst.time; at--)
        flow->bursts[at % FLOW_BURSTS] = flow->bursts[(at - 1) % FLOW_BURSTS];
    flow->bursts[at % FLOW_BURSTS] = writer->burst;
    writer->burst.bytes = 0;
    writer->open++;
    flow_wake(flow, FLOW_MEMORY, flow->bursts[flow->first_burst].time);
}

/* Collects the atoms of a burst for the DRAM. */
static void collect(struct flow *flow, struct flow_writer *writer, uint64_t address, double time) {
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom;
    const uint64_t line = (uint64_t)flow->ports[0].bytes * flow->ports[0].burst;
    struct flow_burst *burst = &writer->burst;
    if (burst->address + burst->bytes != address)
        end_burst(flow, writer);
    if (!burst->bytes)
        *burst = (struct flow_burst){.writer = writer, .address = address};
    burst->bytes += atom;
    burst->time = time;
    if ((address + atom) % line == 0)
        end_burst(flow, writer);
}

double flow_write(struct flow *flow, struct flow_writer *writer, uint64_t address, double time) {
    struct flow_port *port = &flow->ports[!writer->primary];
    if (writer->beat != address / port->bytes + 1) {
        writer->beat = address / port->bytes + 1;
        const bool share = port->shared && port->work_free > flow->now + port->latency + SHARED_BEATS * port->beat;
        /* Other engines write meanwhile. With a shared bandwidth reads that wait get every other beat. */
        port->write_free = flow_later(port->write_free, fmin(time, flow->now)) + port->beat * (share ? 2 : 1);
        port->work_free = flow_later(port->work_free, flow->now) + port->beat;
    }
    writer->latest = flow_later(writer->latest, flow_later(time, port->write_free) + flow->options.write_latency);
    if (flow->system && writer->primary)
        collect(flow, writer, address, flow_later(time, port->write_free));
    if (flow->burst_count > FLOW_BURSTS / 2) /* the DRAM takes no more */
        return flow_later(time, flow->now) + FLOW_BURSTS / 2;
    return flow_later(time, port->write_free - WRITE_SLACK * port->beat);
}

bool flow_output_begin(struct flow_output *output, enum flow_process process, bool primary) {
    const int next = !output->now;
    if (output->ordinal[next])
        return false;
    output->now = next;
    output->writers[next] = (struct flow_writer){.process = process, .primary = primary};
    return true;
}

struct flow_writer *flow_output_writer(struct flow_output *output) {
    return &output->writers[output->now];
}

void flow_output_end(struct flow *flow, struct flow_output *output, int ordinal) {
    end_burst(flow, flow_output_writer(output));
    output->ordinal[output->now] = ordinal + 1;
}

double flow_output_step(struct flow *flow, struct flow_output *output, enum nvdla_unit unit) {
    double next = FLOW_NEVER;
    for (int i = 0; i < 2; i++) {
        const int which = output->now ^ !i; /* the older one first */
        struct flow_writer *writer = &output->writers[which];
        if (!output->ordinal[which])
            continue;
        const double over = writer->latest + flow->law[LAW_WRITE];
        if (writer->open)
            return FLOW_NEVER;
        if (over > flow->now)
            return over < next ? over : next;
        const int ordinal = output->ordinal[which] - 1;
        output->ordinal[which] = 0;
        flow_interrupt(flow, nvdla_units[unit].interrupt, unit, ordinal);
        flow_end(flow, unit, ordinal);
    }
    return next;
}

/* ---- the DRAM ---- */

/* The clocks of a reader's beats: answers to one client come in the order of its requests. */
static void deliver(struct flow *flow, struct flow_reader *reader, uint32_t index) {
    chunk_of(reader, index)->answered = true;
    while (reader->known != reader->tail && chunk_of(reader, reader->known)->answered)
        arrived(flow, reader, chunk_of(reader, reader->known), flow->now);
}

double flow_memory_step(struct flow *flow) {
    uint32_t tag;
    bool write, any = false;
    if (!flow->system)
        return FLOW_NEVER;
    const uint64_t cycle = (uint64_t)flow->now;
    memory_system_advance(flow->system, cycle);
    while (memory_system_done(flow->system, cycle, &tag, &write)) {
        const struct flow_request *request = &flow->requests[tag];
        flow->free_tags[flow->free_count++] = tag;
        any = true;
        if (request->reader) {
            flow->ports[0].reading -= request->beats;
            deliver(flow, request->reader, request->chunk);
        } else {
            flow->ports[0].writing -= request->beats;
            request->writer->open--;
            request->writer->latest = flow->now;
            flow_wake(flow, request->writer->process, flow->now);
        }
    }
    for (int p = FLOW_DATA; any && p < FLOW_PROCESSES; p++)
        if (flow->readers[p].busy)
            flow_wake(flow, (enum flow_process)p, flow->now);
    const double burst = submit_bursts(flow);
    const uint64_t next = memory_system_next(flow->system, cycle);
    return next == UINT64_MAX || burst < (double)next ? burst : (double)next;
}

/* ---- accounts ---- */

void flow_account_add(struct flow_account *account, double time, int64_t amount) {
    if (account->count == FLOW_UPDATES) { /* joined with the last one */
        struct flow_update *last = &account->updates[(account->first + account->count - 1) % FLOW_UPDATES];
        last->time = flow_later(last->time, time);
        last->amount += amount;
        return;
    }
    account->updates[(account->first + account->count++) % FLOW_UPDATES] = (struct flow_update){time, amount};
}

int64_t flow_account_at(struct flow_account *account, double time) {
    while (account->count && account->updates[account->first].time <= time) {
        account->amount += account->updates[account->first].amount;
        account->now_known = account->updates[account->first].time;
        account->first = (account->first + 1) % FLOW_UPDATES;
        account->count--;
    }
    return account->amount;
}

double flow_account_next(const struct flow_account *account, double other) {
    const double next = account->count ? account->updates[account->first].time : other;
    return next < other ? next : other;
}
