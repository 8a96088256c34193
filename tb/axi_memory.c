/* AXI slave memory; see axi_memory.h and axi_state.h. Rings have fixed sizes: no allocation while it runs. */
#include "tb/axi_memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/space.h"
#include "nvdla/random.h"
#include "nvdla/sizes.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "tb/axi_state.h"

/* Most clocks by which reorder delays a request, so that others overtake it. Reports of one kind for one launch;
 * further ones are only counted. */
enum { REORDER_SPREAD = 16, REPORTS_PER_LAUNCH = 4 };

static bool stalled(struct axi_memory *mem, int channel) {
    return axi_options_stalled(&mem->options, channel, &mem->random[channel]);
}

struct axi_memory *axi_memory_new(struct device *dev, const struct axi_options *options, int bytes, int atom, int port,
                                  struct provenance *prov) {
    struct axi_memory *mem = xcalloc(1, sizeof *mem);
    mem->dev = dev;
    mem->content = dev->memory[port];
    mem->options = *options;
    mem->bytes = bytes;
    mem->atom = atom;
    mem->port = port;
    mem->prov = prov;
    return mem;
}

void axi_memory_listen(struct axi_memory *mem, struct axi_listener listener) {
    mem->listeners[mem->listener_count++] = listener;
}

void axi_memory_free(struct axi_memory *mem) {
    if (mem) {
        memory_system_free(mem->system);
        free(mem->delayed);
    }
    free(mem);
}

uint64_t axi_memory_next(const struct axi_memory *mem) {
    return mem->next;
}

bool axi_memory_busy(const struct axi_memory *mem) {
    return mem->offering || mem->read_count || mem->write_count || mem->beat_count || mem->response_count;
}

bool axi_memory_owes(const struct axi_memory *mem, const struct axi_inputs *in) {
    return (mem->read_count && !in->rvalid) || (mem->response_count && !in->bvalid);
}

const struct axi_counts *axi_memory_counts(const struct axi_memory *mem) {
    return &mem->counts;
}

const struct memory_statistics *axi_memory_statistics(const struct axi_memory *mem, uint64_t cycle) {
    return mem->system ? memory_system_statistics(mem->system, cycle) : NULL;
}

struct axi_burst *axi_memory_bursts(const struct axi_memory *mem, size_t *count) {
    struct axi_burst *bursts = xcalloc(mem->read_count + mem->write_count + mem->response_count + 1, sizeof *bursts);
    *count = 0;
    for (unsigned i = 0; i < mem->read_count; i++) {
        const struct read *read = &mem->reads[(mem->read_head + i) % READS];
        if (read->left)
            bursts[(*count)++] =
                (struct axi_burst){.id = read->id, .address = read->address, .beats = read->left, .since = read->since};
    }
    for (unsigned i = 0; i < mem->response_count; i++) {
        const struct response *response = &mem->responses[(mem->response_head + i) % WRITES];
        if (!response->taken)
            bursts[(*count)++] = (struct axi_burst){
                .write = true, .id = response->id, .address = response->address, .since = response->since};
    }
    for (unsigned i = 0; i < mem->write_count; i++) {
        const struct address *write = &mem->writes[(mem->write_head + i) % WRITES];
        bursts[(*count)++] = (struct axi_burst){
            .write = true, .id = write->id, .address = write->address, .beats = write->left, .since = write->since};
    }
    return bursts;
}

/* ---- the DRAM ---- */

/* Clocks of the interconnect for one beat. */
static uint64_t beat_clocks(const struct axi_memory *mem) {
    const uint32_t width = mem->options.dram.bus_width, bits = (uint32_t)mem->bytes * 8;
    return mem->system && width && width < bits ? (bits + width - 1) / width : 1;
}

static void count_arrived(struct arrived *arrived, uint8_t id, int by) {
    const int i = id % ORDERED_IDS;
    arrived->counts[i] = (uint16_t)(arrived->counts[i] + by);
    arrived->ids = (arrived->ids & ~(UINT64_C(1) << i)) | (uint64_t)(arrived->counts[i] > 0) << i;
}

/* Takes the answers that can be sampled in clock `now`. */
static void take_answers(struct axi_memory *mem, uint64_t now) {
    uint32_t tag;
    bool write;
    while (memory_system_done(mem->system, now, &tag, &write)) {
        if (write) {
            mem->responses[tag].due = now;
            count_arrived(&mem->write_arrived, mem->responses[tag].id, 1);
        } else {
            mem->reads[tag].due = now;
            count_arrived(&mem->read_arrived, mem->reads[tag].id, 1);
        }
    }
}

/* The first entry of a ring that is the oldest of its ID and due; -1 if there is none. get: as for choose(). */
static int choose_arrived(const struct axi_memory *mem, unsigned count, uint64_t now, uint64_t ids,
                          bool (*get)(const struct axi_memory *mem, unsigned i, uint8_t *id, uint64_t *due)) {
    uint64_t seen = 0, due;
    for (unsigned i = 0; i < count && ids & ~seen; i++) {
        uint8_t id;
        if (!get(mem, i, &id, &due) || seen >> (id % ORDERED_IDS) & 1)
            continue;
        if (due <= now)
            return (int)i;
        seen |= UINT64_C(1) << (id % ORDERED_IDS);
    }
    return -1;
}

/* Clocks from acceptance to answer of a transfer at an address. */
static uint64_t latency(struct axi_memory *mem, uint64_t address, bool write) {
    const struct axi_options *options = &mem->options;
    uint64_t clocks = write ? options->write_latency : options->read_latency;
    if (write && has_fault(mem, BUS_FAULT_EARLY))
        return 1;
    if (options->latency_kind == LATENCY_UNIFORM && !write && options->latency_max > options->read_latency)
        clocks += random_below(&mem->random[STREAM_ORDER], options->latency_max - options->read_latency + 1);
    if (options->latency_kind == LATENCY_PAGE) {
        const uint64_t page = address >> PAGE_SHIFT;
        uint64_t *open = &mem->open_page[page % BANKS];
        clocks += *open == page + 1 ? options->page_hit : options->page_miss;
        *open = page + 1;
    }
    if (options->reorder)
        clocks += random_below(&mem->random[STREAM_ORDER], REORDER_SPREAD);
    return clocks ? clocks : 1;
}

/* The bytes of a beat in no declared region, or of a write in a read-only one; bit i: the byte at address + i. */
static uint64_t undeclared(const struct axi_memory *mem, uint64_t address, uint64_t strobe, bool write) {
    uint64_t bytes = 0;
    for (int i = 0; i < mem->bytes; i++)
        if ((strobe >> i & 1) && (!memory_all_declared(mem->content, address + (uint64_t)i, 1) ||
                                  (write && !memory_writable(mem->content, address + (uint64_t)i))))
            bytes |= UINT64_C(1) << i;
    return bytes;
}

/* Reports or counts an access outside the declared regions. strobe: of its enabled bytes. */
static void outside(struct axi_memory *mem, uint64_t cycle, struct owner owner, int id, bool write, uint64_t address,
                    uint64_t strobe) {
    mem->counts.outside++;
    if (mem->options.allow_outside)
        return;
    struct region_reports *reports = write ? &mem->write_reports : &mem->read_reports;
    if (reports->owner.unit != owner.unit || reports->owner.ordinal != owner.ordinal || reports->id != id)
        *reports = (struct region_reports){.owner = owner, .id = id};
    if (reports->count++ >= REPORTS_PER_LAUNCH) {
        mem->dev->findings_dropped++;
        return;
    }
    const uint64_t bytes = undeclared(mem, address, strobe, write);
    const uint64_t first = address + (bytes ? (uint64_t)__builtin_ctzll(bytes) : 0);
    const int count = __builtin_popcountll(bytes);
    const struct finding finding = {.cycle = cycle,
                                    .rule = write ? "region-write" : "region-read",
                                    .address = first,
                                    .kind = FINDING_ACCESS,
                                    .owner = owner};
    const bool named = owner.unit >= 0 && owner.ordinal >= 0;
    char name[64], beat[64] = "";
    if (count < mem->bytes)
        snprintf(beat, sizeof beat, " (of a beat of %d at 0x%llx)", mem->bytes, (unsigned long long)address);
    device_report(mem->dev, &finding,
                  "%s%s%s %d %s at 0x%llx%s on the %s port (AXI ID %d), outside every declared or loaded region",
                  named ? "" : owner_name(owner, id, name, sizeof name), named ? "" : " ", write ? "writes" : "reads",
                  count, text_plural((uint64_t)count, "byte", "bytes"), (unsigned long long)first, beat,
                  memory_space_name((enum memory_space)mem->port), id);
}

static void tell(const struct axi_memory *mem, struct axi_beat *beat) {
    beat->port = mem->port;
    beat->bytes = mem->bytes;
    for (int i = 0; i < mem->listener_count; i++)
        mem->listeners[i].beat(mem->listeners[i].context, beat);
}

static void accept_read(struct axi_memory *mem, uint64_t cycle, const struct axi_outputs *out) {
    const uint64_t address = out->araddr & ~(uint64_t)(mem->bytes - 1);
    struct read *read = &mem->reads[(mem->read_head + mem->read_count) % READS];
    *read = (struct read){.address = address,
                          .due = mem->system ? UINT64_MAX : cycle + latency(mem, address, false),
                          .since = cycle,
                          .id = out->arid,
                          .left = (uint8_t)(out->arlen + 1),
                          .beats = (uint8_t)(out->arlen + 1)};
    if (mem->system)
        memory_system_submit(mem->system, cycle, false, out->arid, address, read->beats * (uint32_t)mem->bytes,
                             (uint32_t)(read - mem->reads));
    if (has_fault(mem, BUS_FAULT_SAME_ID))
        axi_fault_order(mem, read);
    mem->read_count++;
    mem->counts.read_beats[out->arid % AXI_IDS] += read->left;
    struct owner owner = provenance_move(mem->prov, mem->port, out->arid, false, read->left * (size_t)mem->bytes);
    if (mem->bytes > mem->atom)
        owner.ordinal = -1; /* a beat may include atoms that no one requested: counting them is useless */
    read->owner = owner;
    for (unsigned i = 0; i < read->left; i++) {
        const uint64_t at = address + i * (uint64_t)mem->bytes;
        if (!memory_any_declared(mem->content, at, (size_t)mem->bytes))
            outside(mem, cycle, owner, out->arid, false, at, UINT64_MAX);
    }
}

/* True if every enabled byte lies in a declared region that is not read-only. */
static bool write_declared(const struct axi_memory *mem, uint64_t address, uint64_t strobe) {
    if (!memory_writable(mem->content, address))
        return false;
    const uint64_t all = mem->bytes == 64 ? UINT64_MAX : ((uint64_t)1 << mem->bytes) - 1;
    if (strobe == all)
        return memory_all_declared(mem->content, address, (size_t)mem->bytes);
    for (int i = 0; i < mem->bytes; i++)
        if ((strobe >> i & 1) && !memory_all_declared(mem->content, address + (uint64_t)i, 1))
            return false;
    return true;
}

static const struct response *respond(struct axi_memory *mem, const struct address *write, uint64_t since,
                                      uint64_t due) {
    struct response *response = &mem->responses[(mem->response_head + mem->response_count++) % WRITES];
    *response = (struct response){.due = due, .since = since, .address = write->address, .id = write->id};
    return response;
}

/* Writes one beat, whose address is known, into memory. */
static void store(struct axi_memory *mem, uint64_t cycle, struct address *write, const struct beat *beat) {
    const int enabled = __builtin_popcountll(beat->strobe);
    const size_t part = lesser((size_t)mem->atom, (size_t)mem->bytes), parts = ceil_div((size_t)enabled, part);
    const struct owner owner = provenance_move(mem->prov, mem->port, write->id, true, part * (parts ? parts : 1));
    const struct memory_origin origin = {cycle, owner.unit, write->id, owner.ordinal};
    if (!write_declared(mem, write->address, beat->strobe))
        outside(mem, cycle, owner, write->id, true, write->address, beat->strobe);
    if (mem->options.fault.kind)
        axi_fault_write(mem, cycle, write->address, beat, &origin);
    else
        write_beat(mem, write->address, beat, &origin);
    mem->counts.write_beats[write->id % AXI_IDS]++;
    tell(mem, &(struct axi_beat){.cycle = cycle,
                                 .write = true,
                                 .id = write->id,
                                 .owner = owner,
                                 .address = write->address,
                                 .data = beat->data,
                                 .strobe = beat->strobe});
    write->address += (uint64_t)mem->bytes;
    if (--write->left == 0) {
        if (!has_fault(mem, BUS_FAULT_EARLY)) {
            const uint64_t due =
                mem->system ? UINT64_MAX : cycle + latency(mem, write->address - (uint64_t)mem->bytes, true);
            const struct response *response = respond(mem, write, cycle, due);
            if (mem->system) {
                const uint32_t bytes = write->beats * (uint32_t)mem->bytes;
                memory_system_submit(mem->system, cycle, true, write->id, write->address - bytes, bytes,
                                     (uint32_t)(response - mem->responses));
            }
        }
        mem->write_head = (mem->write_head + 1) % WRITES;
        mem->write_count--;
    }
}

/* Pairs accepted AW and W, and stores them. */
static void store_pending(struct axi_memory *mem, uint64_t cycle) {
    while (mem->write_count && mem->beat_count) {
        const struct beat *beat = &mem->beats[mem->beat_head];
        mem->beat_head = (mem->beat_head + 1) % BEATS;
        mem->beat_count--;
        store(mem, cycle, &mem->writes[mem->write_head], beat);
    }
}

/* Fills the bandwidth bucket up to this clock. */
static void refill(struct axi_memory *mem, uint64_t cycle) {
    const uint64_t clocks = cycle - mem->token_cycle;
    mem->token_cycle = cycle;
    const uint64_t tokens = mem->tokens + clocks * mem->options.bandwidth;
    mem->tokens = tokens > 2000 ? 2000 : (uint32_t)tokens;
}

/* Pays for one data beat, if there is a bandwidth cap. False if the bucket has too little. */
static bool pay(struct axi_memory *mem) {
    if (mem->options.bandwidth >= 1000)
        return true;
    if (mem->tokens < 1000)
        return false;
    mem->tokens -= 1000;
    return true;
}

/* Chooses the entry of a ring to answer at `now`: the oldest, or with reorder one of those that are due and the oldest
 * of their ID, at random. -1 if there is none. get: fills id and due of entry i, false if the entry is already
 * answered. */
static int choose(struct axi_memory *mem, unsigned count, uint64_t now,
                  bool (*get)(const struct axi_memory *mem, unsigned i, uint8_t *id, uint64_t *due)) {
    uint64_t seen[IDS / 64] = {0};
    int chosen = -1;
    uint32_t candidates = 0;
    if (!mem->options.reorder) {
        uint8_t id;
        uint64_t due;
        return get(mem, 0, &id, &due) && due <= now ? 0 : -1;
    }
    for (unsigned i = 0; i < count; i++) {
        uint8_t id;
        uint64_t due;
        if (!get(mem, i, &id, &due) || (seen[id / 64] >> (id % 64) & 1))
            continue;
        seen[id / 64] |= (uint64_t)1 << (id % 64);
        if (due <= now && random_below(&mem->random[STREAM_ORDER], ++candidates) == 0)
            chosen = (int)i;
    }
    return chosen;
}

static bool read_at(const struct axi_memory *mem, unsigned i, uint8_t *id, uint64_t *due) {
    const struct read *read = &mem->reads[(mem->read_head + i) % READS];
    *id = read->id;
    *due = read->due;
    return read->left;
}

static bool response_at(const struct axi_memory *mem, unsigned i, uint8_t *id, uint64_t *due) {
    const struct response *response = &mem->responses[(mem->response_head + i) % WRITES];
    *id = response->id;
    *due = response->due;
    return !response->taken;
}

/* Offers a read beat for clock `now`, if one is due. */
static void offer_read(struct axi_memory *mem, uint64_t now, struct axi_inputs *in) {
    const int chosen = memory_held(mem->content) ? -1
                       : mem->system ? choose_arrived(mem, mem->read_count, now, mem->read_arrived.ids, read_at)
                                     : choose(mem, mem->read_count, now, read_at);
    if (chosen < 0 || stalled(mem, STALL_R) || !pay(mem))
        return;
    struct read *read = &mem->reads[(mem->read_head + (unsigned)chosen) % READS];
    const bool faulty = mem->options.fault.kind != 0;
    const uint64_t address = faulty ? axi_fault_address(mem, read->address, read->id, false) : read->address;
    memory_read(mem->content, address, in->rdata, (size_t)mem->bytes);
    if (faulty)
        axi_fault_read(mem, in->rdata);
    in->rvalid = true;
    in->rid = read->id;
    tell(mem, &(struct axi_beat){.cycle = now,
                                 .id = read->id,
                                 .owner = read->owner,
                                 .address = read->address,
                                 .data = in->rdata,
                                 .strobe = UINT64_MAX});
    mem->counts.given[read->id % AXI_IDS]++;
    read->address += (uint64_t)mem->bytes;
    read->left--;
    in->rlast = read->left == 0;
    mem->read_free = now + beat_clocks(mem);
    if (mem->system && in->rlast)
        count_arrived(&mem->read_arrived, read->id, -1);
    while (mem->read_count && !mem->reads[mem->read_head].left) {
        mem->read_head = (mem->read_head + 1) % READS;
        mem->read_count--;
    }
}

/* Offers a write response for clock `now`, if one is due. */
static void offer_response(struct axi_memory *mem, uint64_t now, struct axi_inputs *in) {
    const int chosen = mem->system ? choose_arrived(mem, mem->response_count, now, mem->write_arrived.ids, response_at)
                                   : choose(mem, mem->response_count, now, response_at);
    if (chosen < 0 || stalled(mem, STALL_B))
        return;
    struct response *response = &mem->responses[(mem->response_head + (unsigned)chosen) % WRITES];
    in->bvalid = true;
    in->bid = response->id;
    response->taken = true;
    if (mem->system)
        count_arrived(&mem->write_arrived, response->id, -1);
    mem->counts.acknowledged[response->id % AXI_IDS]++;
    while (mem->response_count && mem->responses[mem->response_head].taken) {
        mem->response_head = (mem->response_head + 1) % WRITES;
        mem->response_count--;
    }
}

/* The W channel's ready for clock `now`; with a bandwidth cap, its beat is paid for. */
static bool write_ready(struct axi_memory *mem, uint64_t now) {
    if (mem->beat_count >= BEATS - 1 || now < mem->write_free)
        return false;
    mem->wready_paid = mem->wready_paid || pay(mem);
    return mem->wready_paid && !stalled(mem, STALL_W);
}

void axi_memory_set(struct axi_memory *mem, const struct axi_options *options) {
    mem->options = *options;
}

/* Makes the DRAM of the primary port. What it reads was checked with the options. */
static void open_system(struct axi_memory *mem) {
    struct error err;
    memory_system_free(mem->system);
    mem->system = NULL;
    if (!mem->options.dram.name[0] || mem->port != SPACE_PRIMARY)
        return;
    mem->system = memory_system_new(&mem->options.dram, &mem->options.traffic, mem->options.seed, &err);
    if (!mem->system) {
        fprintf(stderr, "nvcosim: --memory or --traffic: %s\n", err.text);
        exit(2);
    }
}

void axi_memory_reset(struct axi_memory *mem, struct provenance *prov, struct axi_inputs *in) {
    mem->prov = prov;
    for (int stream = 0; stream < AXI_STREAMS; stream++)
        mem->random[stream] = axi_options_stream(&mem->options, mem->port, stream);
    memset((char *)mem + offsetof(struct axi_memory, reads), 0, sizeof *mem - offsetof(struct axi_memory, reads));
    open_system(mem);
    mem->limited = mem->system && mem->options.dram.in_flight;
    mem->tokens = 1000;
    mem->next = UINT64_MAX;
    memset(in, 0, sizeof *in);
    in->arready = !mem->limited && !stalled(mem, STALL_AR);
    in->awready = !mem->limited && !stalled(mem, STALL_AW);
    in->wready = write_ready(mem, 0);
}

/* The next clock in which an answer can start or end. An answer due in clock d is chosen in clock d - 1. */
static uint64_t next_clock(const struct axi_memory *mem, uint64_t cycle) {
    uint64_t next = UINT64_MAX;
    if (mem->offering || mem->read_granted || mem->write_granted ||
        (mem->options.reorder && (mem->read_count || mem->response_count)))
        return cycle + 1;
    if (mem->system) {
        next = memory_system_next(mem->system, cycle);
        if (mem->write_arrived.ids || mem->read_arrived.ids || next <= cycle + 1)
            return cycle + 1;
        return next == UINT64_MAX ? next : next - 1;
    }
    if (mem->read_count)
        next = mem->reads[mem->read_head].due;
    if (mem->response_count && mem->responses[mem->response_head].due < next)
        next = mem->responses[mem->response_head].due;
    if (next == UINT64_MAX)
        return next;
    return next - 1 > cycle ? next - 1 : cycle + 1;
}

/* Write bursts that may be on their way. */
static unsigned writes_most(const struct axi_memory *mem) {
    return mem->system && mem->options.dram.writes < WRITES ? mem->options.dram.writes : WRITES;
}

/* Takes places of the interconnect for addresses: for those that wait, if there is one only, in turn; then for those
 * that may follow one at once. A ready is low without a place. */
static void take_places(struct axi_memory *mem, bool waits, bool read, bool write) {
    const bool write_first = mem->write_first;
    for (int turn = 0; turn < 2; turn++) {
        const bool is_write = turn ? !write_first : write_first;
        bool *granted = is_write ? &mem->write_granted : &mem->read_granted;
        const bool fits = is_write ? mem->write_count + mem->response_count < writes_most(mem)
                                   : mem->read_count < READS && memory_system_ready(mem->system, false);
        if (!(is_write ? write : read) || *granted || !fits || !memory_system_may_take(mem->system, waits))
            continue;
        memory_system_take(mem->system);
        *granted = true;
        mem->write_first = !is_write;
    }
}

/* The readies of both addresses for the next clock, if the interconnect has a limit. */
static void share_places(struct axi_memory *mem, const struct axi_outputs *out, struct axi_inputs *in) {
    const bool ar = out->arvalid && in->arready, aw = out->awvalid && in->awready;
    /* a place that was used, or taken in vain */
    mem->read_granted = mem->read_granted && out->arvalid && !ar;
    mem->write_granted = mem->write_granted && out->awvalid && !aw;
    take_places(mem, true, out->arvalid && !ar, out->awvalid && !aw);
    take_places(mem, false, ar, aw);
    in->arready = mem->read_granted && !stalled(mem, STALL_AR);
    in->awready = mem->write_granted && !stalled(mem, STALL_AW);
}

/* Takes a write address and a write beat; stores beats whose address is known. */
static void accept_writes(struct axi_memory *mem, uint64_t cycle, const struct axi_outputs *out, bool aw, bool w) {
    if (aw) {
        struct address *write = &mem->writes[(mem->write_head + mem->write_count++) % WRITES];
        *write = (struct address){.address = out->awaddr & ~(uint64_t)(mem->bytes - 1),
                                  .since = cycle,
                                  .id = out->awid,
                                  .left = (uint8_t)(out->awlen + 1),
                                  .beats = (uint8_t)(out->awlen + 1)};
        if (has_fault(mem, BUS_FAULT_EARLY))
            respond(mem, write, cycle, cycle + 1);
    }
    if (w) {
        struct beat *beat = &mem->beats[(mem->beat_head + mem->beat_count++) % BEATS];
        beat->strobe = out->wstrb;
        memcpy(beat->data, out->wdata, (size_t)mem->bytes);
        mem->wready_paid = false;
        mem->write_free = cycle + beat_clocks(mem);
    }
    if (aw || w)
        store_pending(mem, cycle);
}

void axi_memory_clock(struct axi_memory *mem, uint64_t cycle, const struct axi_outputs *out, struct axi_inputs *in) {
    const bool ar = out->arvalid && in->arready, aw = out->awvalid && in->awready, w = out->wvalid && in->wready;
    const bool last = in->rvalid && out->rready && in->rlast, response = in->bvalid && out->bready;
    if (in->rvalid && out->rready)
        in->rvalid = false;
    if (response)
        in->bvalid = false;
    if (mem->delayed_count)
        axi_fault_store(mem, cycle, false);
    if (mem->system)
        memory_system_advance(mem->system, cycle);
    for (int places = mem->limited ? last + response : 0; places > 0; places--)
        memory_system_give(mem->system);
    if (mem->read_granted && !out->arvalid)
        memory_system_give(mem->system);
    if (mem->write_granted && !out->awvalid)
        memory_system_give(mem->system);
    if (ar)
        accept_read(mem, cycle, out);
    accept_writes(mem, cycle, out, aw, w);

    const uint64_t now = cycle + 1;
    if (mem->system)
        take_answers(mem, now);
    const bool capped = mem->options.bandwidth < 1000;
    if (capped)
        refill(mem, now);
    const bool write_first = capped && mem->write_turn; /* R and W alternate in priority */
    if (out->wvalid && write_first)
        in->wready = write_ready(mem, now);
    if (!in->rvalid && mem->read_count && now >= mem->read_free)
        offer_read(mem, now, in);
    if (out->wvalid && !write_first)
        in->wready = write_ready(mem, now);
    if (capped && (in->rvalid || w))
        mem->write_turn = !mem->write_turn;
    if (!in->bvalid && mem->response_count)
        offer_response(mem, now, in);
    if (mem->limited)
        share_places(mem, out, in);
    else if (out->arvalid)
        in->arready = mem->read_count < READS && (!mem->system || memory_system_ready(mem->system, false)) &&
                      !stalled(mem, STALL_AR);
    if (out->awvalid && !mem->limited)
        in->awready = mem->write_count + mem->response_count < writes_most(mem) && !stalled(mem, STALL_AW);
    mem->offering = in->rvalid || in->bvalid;
    mem->next = next_clock(mem, cycle);
}
