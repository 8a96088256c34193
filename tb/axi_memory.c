/* AXI slave memory; see axi_memory.h. Rings have fixed sizes: no allocation while it runs. */
#include "tb/axi_memory.h"

#include <stdlib.h>
#include <string.h>

#include "memory/space.h"
#include "nvdla/random.h"
#include "nvdla/xalloc.h"

/* Capacities: reads and write bursts are limited to 256 by the design (chapter 70 section 3.3); a ready falls when its
 * ring is full. */
enum { READS = 512, WRITES = 512, BEATS = 64, IDS = 256 };

/* DRAM page model: 2-KiB pages, 8 banks, one open page each. */
enum { PAGE_SHIFT = 11, BANKS = 8 };

/* With reorder, each request is delayed by up to this many clocks, so that others can overtake it. */
enum { REORDER_SPREAD = 16 };

/* Reports of one kind for one launch; further ones are only counted. */
enum { REPORTS_PER_LAUNCH = 4 };

struct read {
    struct owner owner;
    uint64_t address; /* of the next beat */
    uint64_t due;     /* first clock in which the design may sample the beat */
    uint64_t since;   /* its AR was taken */
    uint8_t id, left; /* beats not offered yet */
};

struct address {
    uint64_t address; /* of the next beat */
    uint64_t since;   /* its AW was taken */
    uint8_t id, left;
};

struct beat {
    uint64_t strobe;
    uint8_t data[AXI_BYTES];
};

struct response {
    uint64_t due;
    uint64_t since, address;
    uint8_t id;
    bool taken;
};

struct region_reports {
    struct owner owner;
    int id, count;
};

struct axi_memory {
    struct axi_listener listeners[AXI_LISTENERS];
    int listener_count;
    struct device *dev;
    struct memory *content;
    struct axi_options options;
    int bytes, atom, port;
    struct provenance *prov;
    uint64_t random[AXI_STREAMS];

    struct read reads[READS]; /* ring in AR order; left == 0: answered out of order */
    unsigned read_head, read_count;
    struct address writes[WRITES]; /* AW accepted, data not complete */
    unsigned write_head, write_count;
    struct beat beats[BEATS]; /* W accepted before its AW */
    unsigned beat_head, beat_count;
    struct response responses[WRITES]; /* ring in order of completion */
    unsigned response_head, response_count;

    uint64_t open_page[BANKS]; /* page number + 1, 0 closed */
    uint32_t tokens;           /* of the bandwidth bucket, 1000 per data beat */
    uint64_t token_cycle;
    bool write_turn; /* the next token goes to W */
    bool wready_paid;
    bool offering; /* an R beat or a B is on the bus */
    uint64_t next;
    struct region_reports read_reports, write_reports;
    struct axi_counts counts;
};

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

/* Clocks from acceptance to answer of a transfer at an address. */
static uint64_t latency(struct axi_memory *mem, uint64_t address, bool write) {
    const struct axi_options *options = &mem->options;
    uint64_t clocks = write ? options->write_latency : options->read_latency;
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

/* Reports or counts an access outside the declared regions. */
static void outside(struct axi_memory *mem, uint64_t cycle, struct owner owner, int id, bool write, uint64_t address) {
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
    const struct finding finding = {
        .cycle = cycle, .rule = write ? "region-write" : "region-read", .kind = FINDING_ACCESS, .owner = owner};
    const bool named = owner.unit >= 0 && owner.ordinal >= 0;
    char name[64];
    device_report(mem->dev, &finding,
                  "%s%s%s %d bytes at 0x%llx on the %s port (AXI ID %d), outside every declared or loaded region",
                  named ? "" : owner_name(owner, id, name, sizeof name), named ? "" : " ", write ? "writes" : "reads",
                  mem->bytes, (unsigned long long)address, memory_space_name((enum memory_space)mem->port), id);
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
    *read = (struct read){
        .address = address,
        .due = cycle + latency(mem, address, false),
        .since = cycle,
        .id = out->arid,
        .left = (uint8_t)(out->arlen + 1),
    };
    mem->read_count++;
    mem->counts.read_beats[out->arid % AXI_IDS] += read->left;
    struct owner owner =
        provenance_move(mem->prov, mem->port, out->arid, false, (unsigned)(read->left * mem->bytes / mem->atom));
    if (mem->bytes != mem->atom)
        owner.ordinal = -1; /* a beat may include atoms that no one requested: counting them is useless */
    read->owner = owner;
    for (unsigned i = 0; i < read->left; i++) {
        const uint64_t at = address + i * (uint64_t)mem->bytes;
        if (!memory_any_declared(mem->content, at, (size_t)mem->bytes))
            outside(mem, cycle, owner, out->arid, false, at);
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

/* Writes one beat, whose address is known, into memory. */
static void store(struct axi_memory *mem, uint64_t cycle, struct address *write, const struct beat *beat) {
    uint8_t strobe[AXI_BYTES / 8];
    for (int i = 0; i < mem->bytes / 8; i++)
        strobe[i] = (uint8_t)(beat->strobe >> (8 * i));
    const int enabled = __builtin_popcountll(beat->strobe);
    const unsigned atoms = (unsigned)((enabled + mem->atom - 1) / mem->atom);
    const struct owner owner = provenance_move(mem->prov, mem->port, write->id, true, atoms ? atoms : 1);
    const struct memory_origin origin = {cycle, owner.unit, write->id, owner.ordinal};
    if (!write_declared(mem, write->address, beat->strobe))
        outside(mem, cycle, owner, write->id, true, write->address);
    memory_write(mem->content, write->address, beat->data, (size_t)mem->bytes, enabled == mem->bytes ? NULL : strobe,
                 &origin);
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
        struct response *response = &mem->responses[(mem->response_head + mem->response_count++) % WRITES];
        *response = (struct response){
            .due = cycle + latency(mem, write->address - (uint64_t)mem->bytes, true),
            .since = cycle,
            .address = write->address,
            .id = write->id,
        };
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
    const int chosen = memory_held(mem->content) ? -1 : choose(mem, mem->read_count, now, read_at);
    if (chosen < 0 || stalled(mem, STALL_R) || !pay(mem))
        return;
    struct read *read = &mem->reads[(mem->read_head + (unsigned)chosen) % READS];
    memory_read(mem->content, read->address, in->rdata, (size_t)mem->bytes);
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
    while (mem->read_count && !mem->reads[mem->read_head].left) {
        mem->read_head = (mem->read_head + 1) % READS;
        mem->read_count--;
    }
}

/* Offers a write response for clock `now`, if one is due. */
static void offer_response(struct axi_memory *mem, uint64_t now, struct axi_inputs *in) {
    const int chosen = choose(mem, mem->response_count, now, response_at);
    if (chosen < 0 || stalled(mem, STALL_B))
        return;
    struct response *response = &mem->responses[(mem->response_head + (unsigned)chosen) % WRITES];
    in->bvalid = true;
    in->bid = response->id;
    response->taken = true;
    mem->counts.acknowledged[response->id % AXI_IDS]++;
    while (mem->response_count && mem->responses[mem->response_head].taken) {
        mem->response_head = (mem->response_head + 1) % WRITES;
        mem->response_count--;
    }
}

/* The W channel's ready for clock `now`; with a bandwidth cap, its beat is paid for. */
static bool write_ready(struct axi_memory *mem) {
    if (mem->beat_count >= BEATS - 1)
        return false;
    if (!mem->wready_paid && !pay(mem))
        return false;
    mem->wready_paid = true;
    return !stalled(mem, STALL_W);
}

void axi_memory_set(struct axi_memory *mem, const struct axi_options *options) {
    mem->options = *options;
}

void axi_memory_reset(struct axi_memory *mem, struct provenance *prov, struct axi_inputs *in) {
    mem->prov = prov;
    for (int stream = 0; stream < AXI_STREAMS; stream++)
        mem->random[stream] = axi_options_stream(&mem->options, mem->port, stream);
    mem->read_head = mem->read_count = 0;
    mem->write_head = mem->write_count = 0;
    mem->beat_head = mem->beat_count = 0;
    mem->response_head = mem->response_count = 0;
    memset(mem->open_page, 0, sizeof mem->open_page);
    mem->tokens = 1000;
    mem->token_cycle = 0;
    mem->write_turn = false;
    mem->wready_paid = false;
    mem->offering = false;
    mem->next = UINT64_MAX;
    memset(in, 0, sizeof *in);
    in->arready = !stalled(mem, STALL_AR);
    in->awready = !stalled(mem, STALL_AW);
    in->wready = write_ready(mem);
}

/* The next clock in which an answer can start or end. An answer due in clock d is chosen in clock d - 1. */
static uint64_t next_clock(const struct axi_memory *mem, uint64_t cycle) {
    uint64_t next = UINT64_MAX;
    if (mem->offering || (mem->options.reorder && (mem->read_count || mem->response_count)))
        return cycle + 1;
    if (mem->read_count)
        next = mem->reads[mem->read_head].due;
    if (mem->response_count && mem->responses[mem->response_head].due < next)
        next = mem->responses[mem->response_head].due;
    if (next == UINT64_MAX)
        return next;
    return next - 1 > cycle ? next - 1 : cycle + 1;
}

void axi_memory_clock(struct axi_memory *mem, uint64_t cycle, const struct axi_outputs *out, struct axi_inputs *in) {
    const bool ar = out->arvalid && in->arready, aw = out->awvalid && in->awready, w = out->wvalid && in->wready;
    if (in->rvalid && out->rready)
        in->rvalid = false;
    if (in->bvalid && out->bready)
        in->bvalid = false;
    if (ar)
        accept_read(mem, cycle, out);
    if (aw) {
        mem->writes[(mem->write_head + mem->write_count++) % WRITES] = (struct address){
            .address = out->awaddr & ~(uint64_t)(mem->bytes - 1),
            .since = cycle,
            .id = out->awid,
            .left = (uint8_t)(out->awlen + 1),
        };
    }
    if (w) {
        struct beat *beat = &mem->beats[(mem->beat_head + mem->beat_count++) % BEATS];
        beat->strobe = out->wstrb;
        memcpy(beat->data, out->wdata, (size_t)mem->bytes);
        mem->wready_paid = false;
    }
    if (aw || w)
        store_pending(mem, cycle);

    const uint64_t now = cycle + 1;
    const bool capped = mem->options.bandwidth < 1000;
    if (capped)
        refill(mem, now);
    const bool write_first = capped && mem->write_turn; /* R and W alternate in priority */
    if (out->wvalid && write_first)
        in->wready = write_ready(mem);
    if (!in->rvalid && mem->read_count)
        offer_read(mem, now, in);
    if (out->wvalid && !write_first)
        in->wready = write_ready(mem);
    if (capped && (in->rvalid || w))
        mem->write_turn = !mem->write_turn;
    if (!in->bvalid && mem->response_count)
        offer_response(mem, now, in);
    if (out->arvalid)
        in->arready = mem->read_count < READS && !stalled(mem, STALL_AR);
    if (out->awvalid)
        in->awready = mem->write_count + mem->response_count < WRITES && !stalled(mem, STALL_AW);
    mem->offering = in->rvalid || in->bvalid;
    mem->next = next_clock(mem, cycle);
}
