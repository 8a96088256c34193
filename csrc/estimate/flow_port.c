/* The memories of a flow: a latency, a bandwidth that reads and writes share, or a DRAM, and the ports before them. See
 * flow.h. */

#include <math.h>
#include <string.h>

#include "estimate/flow.h"
#include "nvdla/sizes.h"

enum { WRITE_SLACK = 4 /* beats that wait in a write client */ };

void flow_ports_init(struct flow *flow) {
    const struct nvdla_config *config = flow->dev.config;
    const struct flow_options *options = &flow->options;
    for (int p = 0; p < 2; p++) {
        struct flow_port *port = &flow->ports[p];
        const int bits = p ? config->cvsram_data_bits : config->dbb_data_bits;
        const int burst = p ? config->cvsram_burst_beats : config->dbb_burst_beats;
        port->bytes = bits ? (uint32_t)bits / 8 : 1;
        port->burst = burst ? (uint32_t)burst : 1;
        port->latency = options->latency;
        port->dram = options->dram.name[0] && !p;
        const uint32_t width = options->dram.bus_width / 8;
        if (port->dram)
            port->beat = width && width < port->bytes ? (double)port->bytes / width : 1;
        else
            port->beat = options->bandwidth > 0 && options->bandwidth < 1 ? 1 / options->bandwidth : 1;
        port->shared = !port->dram && port->beat > 1;
        const uint32_t reads = port->dram ? options->dram.reads : options->reads;
        port->limit = port->dram ? options->dram.in_flight : 0;
        /* with few reads in flight, or places for bursts, burst by burst; else not more than a burst of a DRAM has */
        const uint32_t most = port->bytes * port->burst * (reads ? reads : FLOW_LINE);
        port->reads = options->reads && !port->dram ? options->reads : FLOW_FLIGHT;
        port->line = most < FLOW_LINE || port->limit ? port->bytes * port->burst
                     : port->bytes > FLOW_LINE       ? port->bytes
                                                     : FLOW_LINE;
        const uint32_t burst_bytes = port->dram ? dram_burst_bytes(&options->dram) : 0;
        if (burst_bytes >= port->bytes * port->burst && burst_bytes < port->line)
            port->line = burst_bytes;
    }
    for (uint32_t tag = 0; tag < SYSTEM_TAGS; tag++)
        flow->free_tags[flow->free_count++] = tag;
}

/* ---- reads ---- */

/* Beats have been answered: clients that waited for that may ask. */
static void wake_readers(struct flow *flow, struct flow_port *port) {
    for (int p = FLOW_DATA; port->full && p < FLOW_PROCESSES; p++)
        if (port->full & UINT32_C(1) << p)
            flow_wake(flow, (enum flow_process)p, flow->now);
    port->full = 0;
}

/* The place of a transaction that ends at that clock is free one clock later. */
static void leave(struct flow_port *port, double time) {
    if (!port->limit)
        return;
    uint32_t at = port->leaving_count++;
    for (; at > 0 && port->leaving[at - 1] > time + 1; at--)
        port->leaving[at] = port->leaving[at - 1];
    port->leaving[at] = time + 1;
}

/* A chunk's beats can move from that clock on; they were due before. */
static void come(struct flow *flow, struct flow_port *port, struct flow_reader *reader, double time, double due) {
    const uint32_t beats = reader->chunks[reader->known % FLOW_CHUNKS].beats;
    const double first = flow_later(time, port->data_free);
    port->data_free = first + beats * port->beat;
    leave(port, first + (beats - 1) * port->beat);
    flow_known(flow, reader, due, first, (beats - 1) * port->beat);
}

/* Reads and writes that wait for a place have turns. */
static bool burst_is_first(const struct flow *flow, const struct flow_port *port) {
    return port->write_turn && port->burst_count && port->bursts[port->first_burst].time <= flow->now;
}

/* Takes a place of the interconnect for a read or a write. */
static void take_place(struct flow *flow, struct flow_port *port, bool write) {
    if (port->limit)
        memory_system_take(flow->system);
    port->write_turn = !write;
}

/* Beats without answer leave room for so many more. */
static bool has_room(const struct flow *flow, const struct flow_port *port, bool write, uint32_t beats) {
    if (port->dram && (!flow->free_count || !memory_system_ready(flow->system, write)))
        return false;
    if (port->limit && ((!write && burst_is_first(flow, port)) || !memory_system_may_take(flow->system, true)))
        return false;
    const uint32_t open = write ? port->writing : port->reading, most = write ? FLOW_FLIGHT : port->reads;
    return open + beats <= most || open == 0;
}

double flow_port_free(const struct flow *flow, const struct flow_port *port, uint32_t beats) {
    if (!flow_port_direct(port))
        return has_room(flow, port, false, beats) ? flow->now : FLOW_NEVER; /* an answer wakes the readers */
    const uint32_t more = beats < port->reads ? beats : port->reads;
    return port->asked < port->reads ? flow->now : port->arrivals[(port->asked + more - 1 - port->reads) % FLOW_FLIGHT];
}

void flow_port_read(struct flow *flow, struct flow_reader *reader, uint64_t address, uint32_t bytes) {
    struct flow_port *port = &flow->ports[!reader->primary];
    const uint32_t index = reader->tail - 1, beats = reader->chunks[index % FLOW_CHUNKS].beats;
    if (flow_port_direct(port)) {
        come(flow, port, reader, flow->now + port->latency, flow->now + port->latency);
        for (uint32_t i = 0; i < beats; i++)
            port->arrivals[port->asked++ % FLOW_FLIGHT] =
                port->data_free - (beats - i) * port->beat + flow->law[LAW_READ];
        return;
    }
    port->reading += beats;
    if (port->dram) {
        const uint32_t tag = flow->free_tags[--flow->free_count];
        flow->requests[tag] = (struct flow_request){.reader = reader, .chunk = index, .beats = beats};
        take_place(flow, port, false);
        memory_system_advance(flow->system, (uint64_t)flow->now); /* what ends now is not merged with */
        memory_system_submit(flow->system, (uint64_t)flow->now, false, 0, address, bytes, tag);
        flow_wake(flow, FLOW_MEMORY, (double)memory_system_next(flow->system, (uint64_t)flow->now));
    } else {
        const double due = flow->now + port->latency;
        port->queue[(port->queue_head + port->queue_count++) % FLOW_FLIGHT] =
            (struct flow_queued){.reader = reader, .due = due};
        flow_wake(flow, FLOW_MEMORY, due);
    }
}

/* ---- writes ---- */

static uint32_t burst_beats(const struct flow_port *port, const struct flow_burst *burst) {
    return (uint32_t)ceil_div(burst->address % port->bytes + burst->bytes, port->bytes);
}

static struct flow_burst *oldest_burst(struct flow_port *port) {
    return &port->bursts[port->first_burst];
}

static void drop_burst(struct flow_port *port) {
    port->first_burst = (port->first_burst + 1) % FLOW_BURSTS;
    port->burst_count--;
}

static void written(struct flow *flow, struct flow_writer *writer, double time) {
    writer->open--;
    writer->latest = flow_later(writer->latest, time);
    flow_wake(flow, writer->process, time);
}

/* Gives the oldest burst to the DRAM. */
static void submit_burst(struct flow *flow, struct flow_port *port) {
    const struct flow_burst *burst = oldest_burst(port);
    const uint32_t tag = flow->free_tags[--flow->free_count], beats = burst_beats(port, burst);
    flow->requests[tag] = (struct flow_request){.writer = burst->writer, .beats = beats};
    port->writing += beats;
    take_place(flow, port, true);
    memory_system_submit(flow->system, (uint64_t)flow->now, true, 0, burst->address, burst->bytes, tag);
    drop_burst(port);
}

/* With a shared bandwidth: a beat moves. */
static void write_beat(struct flow *flow, struct flow_port *port, double time) {
    written(flow, oldest_burst(port)->writer, time + flow->options.write_latency);
    drop_burst(port);
}

void flow_port_write(struct flow *flow, struct flow_port *port, const struct flow_burst *burst) {
    if (port->burst_count == FLOW_BURSTS && port->dram)
        submit_burst(flow, port);
    else if (port->burst_count == FLOW_BURSTS)
        write_beat(flow, port, flow->now);
    uint32_t at = port->first_burst + port->burst_count++;
    for (; at != port->first_burst && port->bursts[(at - 1) % FLOW_BURSTS].time > burst->time; at--)
        port->bursts[at % FLOW_BURSTS] = port->bursts[(at - 1) % FLOW_BURSTS];
    port->bursts[at % FLOW_BURSTS] = *burst;
    flow_wake(flow, FLOW_MEMORY, oldest_burst(port)->time);
}

double flow_port_slack(const struct flow *flow, const struct flow_port *port) {
    if (port->dram) /* that takes no more: never with the models of this tree */
        return port->burst_count > FLOW_BURSTS / 2 ? flow->now + FLOW_BURSTS / 2 : 0;
    if (port->burst_count <= WRITE_SLACK)
        return 0;
    const uint32_t before = port->burst_count - WRITE_SLACK; /* each in turn with a read */
    const uint32_t reads = port->reading < before ? port->reading : before;
    return flow_later(port->work_free, flow->now) + (before + reads) * port->beat;
}

/* ---- a shared bandwidth ---- */

/* Beats of writes that wait when their turns come, as many as `most`. */
static uint32_t writes_due(const struct flow *flow, const struct flow_port *port, uint32_t most) {
    uint32_t count = 0;
    while (count < most && count < port->burst_count &&
           port->bursts[(port->first_burst + count) % FLOW_BURSTS].time <= flow->now + (2 * count + 1) * port->beat)
        count++;
    return count;
}

/* A chunk that is read, each beat but the last followed by one that is written, if there is one. */
static void serve_read(struct flow *flow, struct flow_port *port) {
    const struct flow_queued read = port->queue[port->queue_head];
    const uint32_t beats = read.reader->chunks[read.reader->known % FLOW_CHUNKS].beats;
    const uint32_t writes = writes_due(flow, port, beats - 1);
    port->queue_head = (port->queue_head + 1) % FLOW_FLIGHT;
    port->queue_count--;
    port->reading -= beats;
    flow_known(flow, read.reader, read.due, flow->now, (beats - 1 + writes) * port->beat);
    for (uint32_t i = 0; i < writes; i++)
        write_beat(flow, port, flow->now + (2 * i + 1) * port->beat);
    port->work_free += (beats + writes) * port->beat;
    wake_readers(flow, port);
}

/* Moves what is due: reads and writes in turn. Returns when there is more. */
static double serve(struct flow *flow, struct flow_port *port) {
    for (;;) {
        const double read = port->queue_count ? port->queue[port->queue_head].due : FLOW_NEVER;
        const double write = port->burst_count ? oldest_burst(port)->time : FLOW_NEVER;
        const double due = read < write ? read : write;
        if (due > flow->now || port->work_free > flow->now)
            return due >= FLOW_NEVER ? FLOW_NEVER : flow_later(due, port->work_free);
        port->work_free = flow_later(port->work_free, flow->now - port->beat); /* two beats may follow each other */
        const bool writes = write <= flow->now && (port->write_turn || read > flow->now);
        port->write_turn = !writes;
        if (writes) {
            write_beat(flow, port, flow->now);
            port->work_free += port->beat;
        } else
            serve_read(flow, port);
    }
}

/* ---- the DRAM ---- */

/* Gives it the bursts whose time has come. Returns the time of the next one. */
static double submit_bursts(struct flow *flow, struct flow_port *port) {
    while (port->burst_count) {
        const struct flow_burst *burst = oldest_burst(port);
        if (burst->time > flow->now)
            return burst->time;
        if (!has_room(flow, port, true, burst_beats(port, burst)))
            return FLOW_NEVER; /* an answer wakes the memory */
        submit_burst(flow, port);
    }
    return FLOW_NEVER;
}

/* A reader whose oldest chunk has been answered. */
static void note_arrived(struct flow_port *port, const struct flow_reader *reader) {
    const uint32_t bit = UINT32_C(1) << reader->process;
    const bool arrived = reader->known != reader->tail && reader->chunks[reader->known % FLOW_CHUNKS].answered > 0;
    port->arrived = arrived ? port->arrived | bit : port->arrived & ~bit;
}

/* Moves the beats of what has been answered, the chunk that was asked for first before the others; those of one client
 * come in the order of its requests. Returns when there is more. */
static double move_answers(struct flow *flow, struct flow_port *port) {
    while (port->arrived && port->data_free <= flow->now) {
        struct flow_reader *first = NULL;
        double asked = FLOW_NEVER, due = 0;
        for (uint32_t rest = port->arrived; rest; rest &= rest - 1) {
            struct flow_reader *reader = &flow->readers[__builtin_ctz(rest)];
            const struct flow_chunk *chunk = &reader->chunks[reader->known % FLOW_CHUNKS];
            if (chunk->asked < asked) {
                first = reader;
                asked = chunk->asked;
                due = chunk->answered;
            }
        }
        come(flow, port, first, flow->now, due);
        note_arrived(port, first);
    }
    return port->arrived ? port->data_free : FLOW_NEVER;
}

static void answer(struct flow *flow, const struct flow_request *request) {
    struct flow_port *port = &flow->ports[0];
    struct flow_reader *reader = request->reader;
    if (!reader) {
        port->writing -= request->beats;
        leave(port, flow->now);
        written(flow, request->writer, flow->now);
        return;
    }
    port->reading -= request->beats;
    reader->chunks[request->chunk % FLOW_CHUNKS].answered = flow->now;
    note_arrived(port, reader);
    wake_readers(flow, port);
}

/* Frees the places of what has ended. Returns when there is the next one. */
static double free_places(struct flow *flow, struct flow_port *port) {
    uint32_t count = 0;
    while (count < port->leaving_count && port->leaving[count] <= flow->now) {
        memory_system_give(flow->system);
        count++;
    }
    port->leaving_count -= count;
    memmove(port->leaving, port->leaving + count, port->leaving_count * sizeof *port->leaving);
    return port->leaving_count ? port->leaving[0] : FLOW_NEVER;
}

/* Writes and reads that wait for places have turns. Returns when there is something to write. */
static double share_places(struct flow *flow, struct flow_port *port) {
    const bool reads = port->full && has_room(flow, port, false, 1);
    if (reads)
        wake_readers(flow, port);
    if (!reads || port->write_turn || port->yielded == flow->now)
        return submit_bursts(flow, port);
    port->yielded = flow->now;
    return flow->now; /* readers come before the memory */
}

static double dram_step(struct flow *flow, struct flow_port *port) {
    uint32_t tag;
    bool write;
    const uint64_t cycle = (uint64_t)flow->now;
    memory_system_advance(flow->system, cycle);
    while (memory_system_done(flow->system, cycle, &tag, &write)) {
        flow->free_tags[flow->free_count++] = tag;
        answer(flow, &flow->requests[tag]);
    }
    const double moves = move_answers(flow, port), leaves = free_places(flow, port),
                 burst = port->limit ? share_places(flow, port) : submit_bursts(flow, port);
    const uint64_t next = memory_system_next(flow->system, cycle);
    const double other = fmin(burst, fmin(moves, leaves));
    return next == UINT64_MAX || other < (double)next ? other : (double)next;
}

double flow_memory_step(struct flow *flow) {
    double next = FLOW_NEVER;
    for (int p = 0; p < 2; p++) {
        struct flow_port *port = &flow->ports[p];
        const double step = port->dram ? dram_step(flow, port) : port->shared ? serve(flow, port) : FLOW_NEVER;
        next = step < next ? step : next;
    }
    return next;
}
