/* The memories of a flow: ports, readers with their latency buffers, writers, and the DRAM behind the primary port. See
 * flow.h. */
#include <math.h>

#include "estimate/flow.h"
#include "nvdla/sizes.h"

enum {
    WRITE_SLACK = 4,   /* beats that wait in a write client */
    CHUNKS_LEAST = 16, /* chunks that a latency buffer holds */
    SHARED_BEATS = 4   /* beats that wait while reads and writes take turns */
};

/* Beats that the read clients may have on their way. Spec: 70-memory-interface section 3. */
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
    reader->head = reader->next = reader->tail = 0;
    reader->held = reader->taken_atoms = 0;
    reader->most = UINT32_MAX;
    reader->latest = 0;
    reader->launch = launch;
    flow_wake(flow, process, flow->now);
}

static struct flow_chunk *chunk_of(struct flow_reader *reader, uint32_t index) {
    return &reader->chunks[index % FLOW_CHUNKS];
}

/* An answer, or with a DRAM its end, is known. */
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
    reader->latest = flow_later(reader->latest, chunk->last);
    flow_wake(flow, reader->consumer, reader->greedy ? chunk->last : chunk->first);
}

/* Frees the places of chunks that are being taken. */
static void free_places(struct flow *flow, struct flow_reader *reader) {
    const double hold = flow->law[LAW_READ_HOLD];
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
    if (flow->system && reader->primary) {
        const uint32_t tag = flow->free_tags[--flow->free_count];
        flow->requests[tag] = (struct flow_request){.reader = reader, .chunk = reader->tail};
        memory_system_submit(flow->system, (uint64_t)flow->now, false, 0, reader->address, atoms * atom, tag);
        flow_wake(flow, FLOW_MEMORY, flow->now);
    } else
        arrived(flow, reader, chunk, flow->now + port->latency);
    reader->tail++;
    reader->left -= atoms;
    reader->address += (uint64_t)atoms * atom;
}

/* Bytes of the lines that a chunk does not cross. A client with a small latency buffer asks a DRAM beat by beat. */
static uint32_t chunk_bytes(const struct flow *flow, const struct flow_reader *reader) {
    const struct flow_port *port = &flow->ports[!reader->primary];
    uint32_t line = port->line;
    while (flow->system && reader->primary && line > port->bytes && line / port->bytes * CHUNKS_LEAST > reader->depth)
        line /= 2;
    return line;
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
    if (reader->held == reader->depth || reader->tail - reader->head >= FLOW_CHUNKS - 1)
        return free_time(flow, reader);
    if (reader->held + beats > reader->depth) {
        beats = reader->depth - reader->held;
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
    if (flow->system && reader->primary && (!flow->free_count || !memory_system_ready(flow->system, false)))
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

static void submit_write(struct flow *flow, struct flow_writer *writer) {
    const uint32_t tag = flow->free_tags[--flow->free_count];
    flow->requests[tag] = (struct flow_request){.writer = writer};
    memory_system_submit(flow->system, (uint64_t)flow->now, true, 0, writer->line - 1, writer->bytes, tag);
    writer->open++;
    writer->line = 0;
    flow_wake(flow, FLOW_MEMORY, flow->now);
}

/* Collects atoms of a line for the DRAM. Returns whether it takes them. */
static void collect(struct flow *flow, struct flow_writer *writer, uint64_t address, uint32_t atom) {
    const bool follows = writer->line && writer->line - 1 + writer->bytes == address && address % FLOW_LINE != 0;
    if (writer->line && !follows && flow->free_count)
        submit_write(flow, writer);
    if (!writer->line) {
        writer->line = address + 1;
        writer->bytes = 0;
    }
    writer->bytes += atom;
}

double flow_write(struct flow *flow, struct flow_writer *writer, uint64_t address, double time) {
    const uint32_t atom = (uint32_t)flow->dev.config->mem_atom;
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
        collect(flow, writer, address, atom);
    if (flow->system && writer->primary && !memory_system_ready(flow->system, true))
        return flow_later(time, flow->now + 1) + port->latency;
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
    struct flow_writer *writer = flow_output_writer(output);
    if (writer->line && flow->free_count)
        submit_write(flow, writer);
    output->ordinal[output->now] = ordinal + 1;
}

double flow_output_step(struct flow *flow, struct flow_output *output, enum nvdla_unit unit) {
    double next = FLOW_NEVER;
    for (int i = 0; i < 2; i++) {
        const int which = output->now ^ !i; /* the older one first */
        struct flow_writer *writer = &output->writers[which];
        if (!output->ordinal[which])
            continue;
        if (writer->line && flow->free_count)
            submit_write(flow, writer);
        const double over = writer->latest + flow->law[LAW_WRITE];
        if (writer->open || writer->line)
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
        if (request->reader)
            arrived(flow, request->reader, chunk_of(request->reader, request->chunk), flow->now);
        else {
            request->writer->open--;
            request->writer->latest = flow->now;
            flow_wake(flow, request->writer->process, flow->now);
        }
    }
    for (int p = FLOW_DATA; any && p < FLOW_PROCESSES; p++)
        if (flow->readers[p].busy)
            flow_wake(flow, (enum flow_process)p, flow->now);
    const uint64_t next = memory_system_next(flow->system, cycle);
    return next == UINT64_MAX ? FLOW_NEVER : (double)next;
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
