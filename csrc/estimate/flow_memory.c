/* The clients of a flow's ports: readers with their latency buffers, and writers. See flow.h. */
#include <math.h>

#include "estimate/flow.h"
#include "nvdla/sizes.h"

enum { WRITE_SLACK = 4 /* beats that wait in a write client */ };

/* Beats that the latency buffers of the read clients hold. Spec: 70-memory-interface section 3. */
static uint32_t depth_of(const struct nvdla_config *config, enum flow_process process) {
    enum { ALL = 256, BDMA = 245, RUBIK = 80, CDP_BLOCKS = 16 };
    const int longest = config->dbb_latency > config->cvsram_latency ? config->dbb_latency : config->cvsram_latency;
    int depth = longest;
    if (process >= FLOW_SDP_MAIN && process <= FLOW_SDP_EW)
        depth = config->dbb_latency * nvdla_sdp_lanes(config) / config->mem_atom * (process == FLOW_SDP_MAIN ? 1 : 2);
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

/* Atoms that engines take before they need them; CDP: flow_pool.c. Spec: 50-sdp section 4. */
static uint32_t ring_of(const struct nvdla_config *config, enum flow_process process) {
    enum { OPERANDS = 8, OPERANDS_16_BITS = 16 };
    if (process >= FLOW_SDP_BS && process <= FLOW_SDP_EW)
        return nvdla_has_16_bits(config) ? OPERANDS_16_BITS : OPERANDS;
    return 0;
}

void flow_clients_init(struct flow *flow) {
    static const struct {
        enum flow_process process, consumer; /* who hears of what it gets */
        enum nvdla_client client;
    } readers[] = {{FLOW_DATA, FLOW_DATA, NVDLA_READ_CDMA_DAT},  {FLOW_WEIGHTS, FLOW_WEIGHTS, NVDLA_READ_CDMA_WT},
                   {FLOW_SDP_MAIN, FLOW_SDP, NVDLA_READ_SDP},    {FLOW_SDP_BS, FLOW_SDP, NVDLA_READ_SDP_B},
                   {FLOW_SDP_BN, FLOW_SDP, NVDLA_READ_SDP_N},    {FLOW_SDP_EW, FLOW_SDP, NVDLA_READ_SDP_E},
                   {FLOW_PDP_READ, FLOW_PDP, NVDLA_READ_PDP},    {FLOW_CDP_READ, FLOW_CDP, NVDLA_READ_CDP},
                   {FLOW_BDMA_READ, FLOW_BDMA, NVDLA_READ_BDMA}, {FLOW_RUBIK_READ, FLOW_RUBIK, NVDLA_READ_RUBIK}};
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        const enum flow_process process = readers[i].process;
        struct flow_reader *reader = &flow->readers[process];
        reader->process = process;
        reader->consumer = readers[i].consumer;
        reader->greedy = reader->consumer == process;
        reader->slot = nvdla_clients[readers[i].client].slot[flow->dev.config->map];
        reader->depth = depth_of(flow->dev.config, process);
        reader->ring = ring_of(flow->dev.config, process);
        reader->atoms_a_clock = process <= FLOW_WEIGHTS ? flow_cbuf_atoms(flow->dev.config) : UINT32_MAX;
    }
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
    reader->primary = reader->next_primary = primary;
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

void flow_known(struct flow *flow, struct flow_reader *reader, double due, double come, double spread) {
    struct flow_chunk *chunk = chunk_of(reader, reader->known++);
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom, beat = flow->ports[!reader->primary].bytes;
    chunk->first = come + flow->law[LAW_READ];
    if (beat / atom > reader->atoms_a_clock) { /* a beat waits until the one before it has been taken */
        chunk->first = flow_later(chunk->first, reader->latest + 1);
        spread = flow_later(spread, (double)ceil_div(chunk->atoms, reader->atoms_a_clock) - 1);
    }
    chunk->last = chunk->first + spread;
    if (reader->launch)
        reader->launch->port += come - due;
    if (reader->greedy)
        chunk->taken = chunk->first;
    if (reader->first == 0)
        reader->first = chunk->first;
    reader->latest = flow_later(reader->latest, chunk->last);
    flow_wake(flow, reader->consumer, reader->greedy ? chunk->last : chunk->first);
    if (chunk->first > flow->now && !flow_port_direct(&flow->ports[!reader->primary]))
        flow_wake(flow, reader->process, chunk->first);
}

/* Counts the chunks that have arrived, and frees the places of those that are being taken. */
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
    const uint32_t bytes = atoms * (uint32_t)flow->dev.config->mem_atom;
    struct flow_port *port = &flow->ports[!reader->primary];
    *chunk_of(reader, reader->tail++) = (struct flow_chunk){.asked = flow->now, .beats = beats, .atoms = atoms};
    port->last = reader->process;
    port->turn = beats;
    port->ask_free = flow->now + (double)ceil_div(beats, port->burst);
    reader->held += beats;
    reader->flying += beats;
    flow_port_read(flow, reader, reader->address, bytes);
    reader->left -= atoms;
    reader->address += bytes;
}

/* Bytes of the lines that a chunk does not cross. Clients whose engines take atoms at a pace of their own ask a DRAM
 * burst by burst, as the hardware does: what comes between two bursts of a row matters. */
static uint32_t chunk_bytes(const struct flow *flow, const struct flow_reader *reader) {
    const struct flow_port *port = &flow->ports[!reader->primary];
    return !reader->greedy ? port->bytes * port->burst : port->line;
}

/* Beats that a reader may ask for at once: no more than the one whose turn was just before, if there is one. */
static uint32_t beats_at_once(const struct flow *flow, const struct flow_reader *reader, uint32_t places) {
    const struct flow_port *port = &flow->ports[!reader->primary];
    const bool contended = port->last != reader->process && port->ask_free >= flow->now;
    const uint32_t turn = port->turn > port->burst ? port->turn : port->burst;
    return contended && turn < places ? turn : places;
}

/* Goes to the memory of the next request. Returns when that is possible: now, or after the beats of the other one. */
static double change_memory(const struct flow *flow, struct flow_reader *reader) {
    if (reader->next_primary != reader->primary && reader->come != reader->tail)
        return reader->come == reader->known ? FLOW_NEVER : chunk_of(reader, reader->tail - 1)->last;
    reader->primary = reader->next_primary;
    return flow->now;
}

/* It is the turn of another client that may ask in this clock: one after the last one and before this one. */
static bool others_turn(const struct flow *flow, const struct flow_reader *reader) {
    const int last = flow->readers[flow->ports[!reader->primary].last].slot;
    for (uint32_t rest = flow->woken; rest; rest &= rest - 1) {
        const struct flow_reader *other = &flow->readers[__builtin_ctz(rest)];
        if (other == reader || !other->busy || other->primary != reader->primary ||
            flow->wake[other->process] > flow->now)
            continue;
        const bool between = other->slot > last ? reader->slot <= last || other->slot < reader->slot
                                                : reader->slot <= last && other->slot < reader->slot;
        if (between)
            return true;
    }
    return false;
}

double flow_read_step(struct flow *flow, struct flow_reader *reader) {
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom;
    free_places(flow, reader);
    if (!reader->busy || !has_request(flow, reader))
        return FLOW_NEVER;
    const double change = change_memory(flow, reader);
    if (change > flow->now)
        return change;
    struct flow_port *port = &flow->ports[!reader->primary];
    const uint32_t line = chunk_bytes(flow, reader);
    const uint32_t room = (uint32_t)(line - reader->address % line) / atom;
    uint32_t atoms = (uint32_t)lesser(lesser(reader->left, room ? room : 1), reader->most);
    uint32_t beats = (uint32_t)ceil_div(reader->address % port->bytes + atoms * atom, port->bytes);
    const uint32_t held = reader->held > reader->ring ? reader->held - reader->ring : 0;
    const uint32_t used = held > reader->flying ? held : reader->flying;
    const uint32_t places = reader->depth > used ? reader->depth - used : 0;
    if (!places || reader->tail - reader->head >= FLOW_CHUNKS - 1)
        return free_time(flow, reader);
    const uint32_t most = beats_at_once(flow, reader, places);
    if (beats > most) {
        beats = most;
        atoms = (uint32_t)lesser(atoms, beats * (port->bytes > atom ? port->bytes / atom : 1));
    }
    if (port->ask_free > flow->now)
        return port->ask_free;
    if (others_turn(flow, reader))
        return flow->now;
    const double free = flow_port_free(flow, port, beats);
    if (free >= FLOW_NEVER)
        port->full |= UINT32_C(1) << reader->process;
    if (free > flow->now)
        return free;
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
    return chunk->first +
           (chunk->beats > 1 ? (chunk->last - chunk->first) * (place / together) / (chunk->beats - 1) : 0);
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

/* The burst that collects atoms is complete. */
static void end_burst(struct flow *flow, struct flow_writer *writer) {
    if (writer->burst.bytes) {
        flow_port_write(flow, &flow->ports[!writer->primary], &writer->burst);
        writer->burst.bytes = 0;
        writer->open++;
    }
}

void flow_command(struct flow *flow, struct flow_writer *writer) {
    end_burst(flow, writer);
    writer->beat = 0;
}

/* Collects the atoms of a burst, or of a beat if the bandwidth is shared. */
static void collect(struct flow *flow, struct flow_writer *writer, uint64_t address, double time) {
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom;
    const struct flow_port *port = &flow->ports[!writer->primary];
    const uint64_t line = (uint64_t)port->bytes * (port->shared ? 1 : port->burst);
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
    if (writer->beat != address / port->bytes + 1) { /* other engines write meanwhile */
        writer->beat = address / port->bytes + 1;
        port->write_free = flow_later(port->write_free, fmin(time, flow->now)) + (port->dram ? port->beat : 1);
    }
    const double goes = flow_later(time, port->write_free);
    writer->last = goes;
    if (!flow_port_direct(port)) {
        collect(flow, writer, address, goes);
        return flow_later(time, flow_port_slack(flow, port));
    }
    writer->latest = flow_later(writer->latest, goes + flow->options.write_latency);
    return flow_later(time, port->write_free - WRITE_SLACK);
}

double flow_write_to(struct flow *flow, struct flow_writer *writer, bool primary) {
    if (writer->primary == primary)
        return flow->now;
    flow_command(flow, writer);
    if (writer->open)
        return FLOW_NEVER;
    if (writer->latest <= flow->now)
        writer->primary = primary;
    return flow_later(writer->latest, flow->now);
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
        flow_end(flow, unit, ordinal, writer->last);
    }
    return next;
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
