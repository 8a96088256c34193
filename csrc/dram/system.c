/* Interconnect, arbiter and DRAM behind NVDLA's port. See system.h. */
#include "dram/system.h"

#include <stdlib.h>
#include <string.h>

#include "dram/library.h"
#include "nvdla/random.h"
#include "nvdla/xalloc.h"

enum { LINES = 2048, BUCKETS = 512, WAITERS = 4096, PENDING = 4096, DONE = 2 * SYSTEM_TAGS, EARLY = 4096 };

/* Tags at the DRAM: a line that NVDLA reads; from WRITE_TAG a write of NVDLA; from MASTER_TAG other masters. */
enum { WRITE_TAG = LINES, MASTER_TAG = 1 << 16, SLOTS = TRAFFIC_OUTSTANDING };

/* A burst of the DRAM that reads of NVDLA wait for. */
struct line {
    uint64_t number;
    int waiter, next; /* first of its waiters; next of the bucket, or of the free ones; -1: none */
    bool begun;       /* its command was issued */
};

struct waiter {
    uint32_t tag;
    int next;
};

struct transaction {
    uint64_t since; /* core clock */
    uint32_t left, bytes;
    uint8_t id;
    bool write;
};

/* A burst that waits for the arbiter. */
struct pending {
    uint64_t ready; /* memory clock */
    uint64_t address;
    uint32_t tag;
    bool write;
};

struct master {
    struct pending *pending; /* ring */
    uint32_t head, count;
    uint32_t credit;
    struct traffic_source *source;  /* NULL: NVDLA */
    struct traffic_request request; /* the next one */
    bool has_request;
    struct transaction slots[SLOTS];
    uint32_t busy; /* slots */
};

struct done {
    uint64_t cycle;
    uint32_t tag;
    bool write;
};

struct memory_system {
    struct dram_config config;
    struct traffic_options traffic;
    struct dram *dram; /* NULL: the library */
    struct dram_library library;
    uint32_t library_waiting; /* accesses */
    struct done early[EARLY]; /* answers of the library, with memory clocks */
    uint32_t early_head, early_count;
    uint32_t line_bytes;
    uint64_t clock;                  /* memory clock up to which everything happened */
    uint64_t retry;                  /* memory clock before which the arbiter has nothing to do */
    uint64_t quiet;                  /* core clock before which nothing happens unless something is submitted */
    uint64_t done_clock, done_cycle; /* of the last access that was done: memory clock, and core clock of its answer */
    struct master masters[1 + TRAFFIC_MOST];
    size_t master_count, last;
    struct line lines[LINES];
    struct waiter waiters[WAITERS];
    int buckets[BUCKETS], free_line, free_waiter;
    struct transaction transactions[2][SYSTEM_TAGS]; /* reads, writes */
    uint32_t in_flight[2];
    uint32_t open;    /* transactions of all masters, with a limit in the config */
    bool asked;       /* NVDLA waits for a place */
    size_t turn;      /* of other masters: the first that gets a place */
    bool others_turn; /* the last place was NVDLA's: the next one is not, if another master waits */
    uint32_t waiting; /* bursts of NVDLA that the DRAM has not begun */
    struct done done[DONE];
    uint32_t done_head, done_count;
    struct memory_statistics statistics;
};

static uint64_t clock_of(const struct memory_system *system, uint64_t cycle) {
    return cycle * system->config.clock_khz / system->config.core_khz;
}

/* The first core clock that is not before a memory clock. */
static uint64_t cycle_of(const struct memory_system *system, uint64_t clock) {
    return (clock * system->config.core_khz + system->config.clock_khz - 1) / system->config.clock_khz;
}

/* Clocks of the interconnect after the controller. */
static uint64_t way_back(const struct memory_system *system) {
    return system->config.latency - system->config.latency / 2;
}

/* ---- the DRAM, or the library ---- */

static bool backend_request(struct memory_system *system, uint64_t clock, const struct pending *pending) {
    if (system->dram)
        return dram_request(system->dram, clock, pending->address, pending->write, pending->tag);
    if (!system->library.request(system->library.memory, pending->address, pending->write, pending->tag))
        return false;
    system->library_waiting++;
    return true;
}

static void backend_advance(struct memory_system *system, uint64_t clock) {
    uint32_t tag;
    if (system->dram) {
        dram_advance(system->dram, clock);
        return;
    }
    for (uint64_t at = system->clock + 1; at <= clock; at++) {
        system->library.tick(system->library.memory);
        while (system->early_count < EARLY && system->library.completion(system->library.memory, &tag))
            system->early[(system->early_head + system->early_count++) % EARLY] =
                (struct done){.cycle = at, .tag = tag};
    }
}

/* The next command, and the next known answer; UINT64_MAX: none. */
static uint64_t backend_next(const struct memory_system *system) {
    return system->dram ? dram_next(system->dram) : system->library_waiting ? system->clock + 1 : UINT64_MAX;
}

static uint64_t backend_answer(const struct memory_system *system) {
    return system->dram          ? dram_answer_clock(system->dram)
           : system->early_count ? system->early[system->early_head].cycle
                                 : UINT64_MAX;
}

static bool backend_completion(struct memory_system *system, uint64_t clock, uint32_t *tag) {
    if (system->dram)
        return dram_completion(system->dram, clock, tag);
    if (backend_answer(system) > clock)
        return false;
    *tag = system->early[system->early_head].tag;
    system->early_head = (system->early_head + 1) % EARLY;
    system->early_count--;
    system->library_waiting--;
    return true;
}

/* ---- who waited for whom ---- */

static void hear_command(void *context, const struct dram_command *command) {
    struct memory_system *system = context;
    if (command->kind == DRAM_REF && system->waiting)
        system->statistics.waited_refresh += system->config.t.tRFC;
    if (command->kind != DRAM_READ && command->kind != DRAM_WRITE)
        return;
    const size_t master = command->tag / MASTER_TAG;
    if (master == 0 && command->kind == DRAM_READ) {
        system->lines[command->tag].begun = true;
        system->waiting--;
    }
    if (system->waiting)
        system->statistics.masters[master].waited += system->config.burst / 2;
}

static void count_latency(struct memory_latency *latency, uint64_t clocks) {
    const int bin = clocks ? 64 - __builtin_clzll(clocks) : 0;
    latency->bins[bin < LATENCY_BINS ? bin : LATENCY_BINS - 1]++;
    latency->count++;
    latency->sum += clocks;
    if (clocks > latency->most)
        latency->most = clocks;
}

/* ---- life ---- */

static bool open_masters(struct memory_system *system, uint64_t seed, struct error *err) {
    for (size_t m = 0; m < system->master_count; m++) {
        struct master *master = &system->masters[m];
        master->pending = xcalloc(PENDING, sizeof *master->pending);
        if (m == 0)
            continue;
        master->source =
            traffic_source_new(&system->traffic.streams[m - 1], system->config.core_khz, random_next(&seed), err);
        if (!master->source)
            return false;
        master->has_request = traffic_source_next(master->source, &master->request);
    }
    return true;
}

static void name_statistics(struct memory_system *system) {
    struct memory_statistics *statistics = &system->statistics;
    memcpy(statistics->name, system->config.name, sizeof statistics->name);
    statistics->core_mhz = system->config.core_khz / 1e3;
    statistics->pin_bandwidth = system->dram ? dram_pin_bandwidth(&system->config) : 0;
    statistics->master_count = system->master_count;
    memcpy(statistics->masters[0].name, "NVDLA", sizeof "NVDLA");
    for (size_t m = 1; m < system->master_count; m++)
        memcpy(statistics->masters[m].name, system->traffic.streams[m - 1].name, TRAFFIC_NAME);
}

struct memory_system *memory_system_new(const struct dram_config *config, const struct traffic_options *traffic,
                                        uint64_t seed, struct error *err) {
    struct memory_system *system = xcalloc(1, sizeof *system);
    system->config = *config;
    system->traffic = *traffic;
    system->line_bytes = config->library[0] && !dram_burst_bytes(config) ? 64 : dram_burst_bytes(config);
    system->master_count = 1 + traffic->count;
    for (int i = 0; i < LINES; i++)
        system->lines[i].next = i + 1 < LINES ? i + 1 : -1;
    for (int i = 0; i < WAITERS; i++)
        system->waiters[i].next = i + 1 < WAITERS ? i + 1 : -1;
    memset(system->buckets, -1, sizeof system->buckets);
    bool good = true;
    if (config->library[0])
        good = dram_library_open(&system->library, config->library, config->library_parameters, err);
    else {
        system->dram = dram_new(config);
        dram_listen(system->dram, (struct dram_listener){hear_command, system});
    }
    if (!good || !open_masters(system, seed, err)) {
        memory_system_free(system);
        return NULL;
    }
    name_statistics(system);
    return system;
}

void memory_system_free(struct memory_system *system) {
    if (!system)
        return;
    for (size_t m = 0; m < system->master_count; m++) {
        free(system->masters[m].pending);
        traffic_source_free(system->masters[m].source);
    }
    dram_free(system->dram);
    dram_library_close(&system->library);
    free(system);
}

/* ---- NVDLA's transactions ---- */

bool memory_system_ready(const struct memory_system *system, bool write) {
    return system->in_flight[write] < (write ? system->config.writes : system->config.reads);
}

static void push(struct master *master, struct pending pending) {
    if (master->count == PENDING)
        abort(); /* more than its transactions have bursts */
    master->pending[(master->head + master->count++) % PENDING] = pending;
}

/* Lets a transaction wait for a burst. True if the burst has to be read. */
static bool wait_for_line(struct memory_system *system, uint64_t number, uint32_t tag, int *index) {
    int *bucket = &system->buckets[number % BUCKETS];
    const int waiter = system->free_waiter;
    system->free_waiter = system->waiters[waiter].next;
    system->waiters[waiter].tag = tag;
    for (int i = *bucket; system->config.merge && i >= 0; i = system->lines[i].next)
        if (system->lines[i].number == number) {
            system->waiters[waiter].next = system->lines[i].waiter;
            system->lines[i].waiter = waiter;
            system->statistics.merged++;
            return false;
        }
    system->waiters[waiter].next = -1;
    *index = system->free_line;
    struct line *line = &system->lines[*index];
    system->free_line = line->next;
    *line = (struct line){.number = number, .waiter = waiter, .next = *bucket};
    *bucket = *index;
    return true;
}

void memory_system_submit(struct memory_system *system, uint64_t cycle, bool write, int id, uint64_t address,
                          uint32_t bytes, uint32_t tag) {
    const uint64_t first = address / system->line_bytes, last = (address + bytes - 1) / system->line_bytes;
    struct memory_master *counts = &system->statistics.masters[0];
    system->transactions[write][tag] = (struct transaction){
        .since = cycle, .left = (uint32_t)(last - first + 1), .bytes = bytes, .id = (uint8_t)(id % 16), .write = write};
    system->in_flight[write]++;
    *(write ? &counts->write_bytes : &counts->read_bytes) += bytes;
    for (uint64_t number = first; number <= last; number++) {
        int line = 0;
        if (!write && !wait_for_line(system, number, tag, &line))
            continue;
        system->waiting += !write;
        const uint64_t ready = clock_of(system, cycle + system->config.latency / 2) + 1;
        push(&system->masters[0], (struct pending){.ready = ready,
                                                   .address = number * system->line_bytes,
                                                   .tag = write ? WRITE_TAG + tag : (uint32_t)line,
                                                   .write = write});
        system->retry = ready < system->retry ? ready : system->retry;
        system->quiet = 0;
    }
}

/* A part of a transaction is done at that memory clock. */
static void finish_part(struct memory_system *system, bool write, uint32_t tag, uint64_t clock) {
    struct transaction *transaction = &system->transactions[write][tag];
    if (--transaction->left)
        return;
    if (system->done_clock != clock) {
        system->done_clock = clock;
        system->done_cycle = cycle_of(system, clock) + way_back(system);
    }
    const uint64_t cycle = system->done_cycle;
    system->done[(system->done_head + system->done_count++) % DONE] =
        (struct done){.cycle = cycle, .tag = tag, .write = write};
    struct memory_master *counts = &system->statistics.masters[0];
    count_latency(write ? &counts->write : &counts->read, cycle - transaction->since);
    count_latency(&system->statistics.clients[transaction->id + 16 * write], cycle - transaction->since);
}

static void finish_line(struct memory_system *system, int index, uint64_t clock) {
    struct line *line = &system->lines[index];
    int *link = &system->buckets[line->number % BUCKETS];
    while (*link != index)
        link = &system->lines[*link].next;
    *link = line->next;
    system->waiting -= !line->begun; /* answered by a waiting write */
    line->next = system->free_line;
    system->free_line = index;
    int first = -1; /* in order of their requests */
    for (int w = line->waiter, next; w >= 0; w = next) {
        next = system->waiters[w].next;
        system->waiters[w].next = first;
        first = w;
    }
    for (int w = first, next; w >= 0; w = next) {
        next = system->waiters[w].next;
        finish_part(system, false, system->waiters[w].tag, clock);
        system->waiters[w].next = system->free_waiter;
        system->free_waiter = w;
    }
}

bool memory_system_done(struct memory_system *system, uint64_t cycle, uint32_t *tag, bool *write) {
    const struct done *done = &system->done[system->done_head];
    if (!system->done_count || done->cycle > cycle)
        return false;
    *tag = done->tag;
    *write = done->write;
    system->done_head = (system->done_head + 1) % DONE;
    system->done_count--;
    system->in_flight[*write]--;
    return true;
}

/* ---- other masters ---- */

/* Cuts the stream's next request into bursts. */
static void submit_request(struct memory_system *system, size_t m) {
    struct master *master = &system->masters[m];
    struct memory_master *counts = &system->statistics.masters[m];
    const struct traffic_request *request = &master->request;
    const uint64_t first = request->address / system->line_bytes,
                   last = (request->address + request->bytes - 1) / system->line_bytes;
    uint32_t slot = 0;
    while (master->slots[slot].left)
        slot++;
    master->slots[slot] = (struct transaction){.since = cycle_of(system, system->clock),
                                               .left = (uint32_t)(last - first + 1),
                                               .bytes = request->bytes,
                                               .write = request->write};
    master->busy++;
    system->open++;
    system->others_turn = false;
    system->turn = system->config.in_flight ? m % (system->master_count - 1) : 0;
    *(request->write ? &counts->write_bytes : &counts->read_bytes) += request->bytes;
    for (uint64_t number = first; number <= last; number++)
        push(master, (struct pending){.ready = system->clock,
                                      .address = number * system->line_bytes,
                                      .tag = (uint32_t)(m * MASTER_TAG) + slot,
                                      .write = request->write});
    master->has_request = traffic_source_next(master->source, &master->request);
}

static uint32_t places(const struct memory_system *system) {
    const uint32_t most = system->config.in_flight ? system->config.in_flight : UINT32_MAX;
    return system->open < most ? most - system->open : 0;
}

static bool may_submit(const struct memory_system *system, size_t m) {
    const struct master *master = &system->masters[m];
    return places(system) > (system->asked && !system->others_turn) && master->has_request &&
           master->busy < system->traffic.streams[m - 1].outstanding && master->count < PENDING / 2;
}

/* The next master in turn that has a request; 0: none. */
static size_t next_due(const struct memory_system *system) {
    const size_t others = system->master_count - 1;
    for (size_t i = 0; i < others; i++) {
        const size_t m = 1 + (system->turn + i) % others;
        if (may_submit(system, m) && clock_of(system, system->masters[m].request.cycle) <= system->clock)
            return m;
    }
    return 0;
}

bool memory_system_may_take(struct memory_system *system, bool waits) {
    const bool may = places(system) > (system->others_turn && next_due(system));
    system->asked = system->asked || (waits && !may);
    return may;
}

void memory_system_take(struct memory_system *system) {
    system->open++;
    system->asked = false;
    system->others_turn = true;
}

void memory_system_give(struct memory_system *system) {
    system->open--;
    system->quiet = 0; /* another master may have waited for the place */
}

static void finish_access(struct memory_system *system, uint32_t tag, uint64_t clock) {
    const size_t m = tag / MASTER_TAG;
    if (m == 0 && tag >= WRITE_TAG)
        finish_part(system, true, tag - WRITE_TAG, clock);
    else if (m == 0)
        finish_line(system, (int)tag, clock);
    else {
        struct transaction *slot = &system->masters[m].slots[tag % MASTER_TAG];
        struct memory_master *counts = &system->statistics.masters[m];
        if (--slot->left)
            return;
        system->masters[m].busy--;
        system->open--;
        count_latency(slot->write ? &counts->write : &counts->read, cycle_of(system, clock) - slot->since);
    }
}

/* ---- the arbiter ---- */

static bool asks(const struct memory_system *system, size_t m) {
    const struct master *master = &system->masters[m];
    return master->count && master->pending[master->head].ready <= system->clock;
}

static uint32_t priority_of(const struct memory_system *system, size_t m) {
    return m ? system->traffic.streams[m - 1].priority : system->config.priority;
}

/* The next master in turn that asks, is not in `refused`, and has the least credit or more; -1: there is none. */
static int next_in_turn(const struct memory_system *system, uint32_t refused, uint32_t credit) {
    for (size_t i = 1; i <= system->master_count; i++) {
        const size_t m = (system->last + i) % system->master_count;
        if (!(refused >> m & 1) && asks(system, m) && system->masters[m].credit >= credit)
            return (int)m;
    }
    return -1;
}

/* The master whose turn it is among those that ask and are not in `refused`; -1: there is none. */
static int winner(struct memory_system *system, uint32_t refused) {
    int best = next_in_turn(system, refused, system->config.arbiter == DRAM_WEIGHT);
    if (system->config.arbiter == DRAM_WEIGHT && best < 0 && next_in_turn(system, refused, 0) >= 0) {
        for (size_t m = 0; m < system->master_count; m++)
            system->masters[m].credit = m ? system->traffic.streams[m - 1].weight : system->config.weight;
        best = next_in_turn(system, refused, 1);
    }
    for (size_t i = 1; system->config.arbiter == DRAM_PRIORITY && best >= 0 && i <= system->master_count; i++) {
        const size_t m = (system->last + i) % system->master_count;
        if (!(refused >> m & 1) && asks(system, m) && priority_of(system, m) > priority_of(system, (size_t)best))
            best = (int)m;
    }
    return best;
}

/* Passes one burst to the DRAM. A master whose burst does not fit into its queue lets the others pass. */
static void arbitrate(struct memory_system *system) {
    uint32_t refused = 0;
    for (int m; (m = winner(system, refused)) >= 0;) {
        struct master *master = &system->masters[m];
        if (!backend_request(system, system->clock, &master->pending[master->head])) {
            refused |= UINT32_C(1) << m;
            continue;
        }
        master->head = (master->head + 1) % PENDING;
        master->count--;
        master->credit -= master->credit > 0;
        if (system->config.arbiter != DRAM_WEIGHT || !master->credit)
            system->last = (size_t)m;
        refused = 0;
        system->retry = system->clock + 1;
        return;
    }
    system->retry = UINT64_MAX;
    if (refused)
        system->retry = backend_next(system) > system->clock ? backend_next(system) + 1 : system->clock + 1;
    for (size_t m = 0; m < system->master_count; m++) {
        const struct master *waiting = &system->masters[m];
        const uint64_t ready = waiting->count ? waiting->pending[waiting->head].ready : UINT64_MAX;
        if (!(refused >> m & 1) && ready < system->retry)
            system->retry = ready;
    }
}

/* ---- time ---- */

/* The next memory clock in which the arbiter or a stream does something. */
static uint64_t next_event(const struct memory_system *system) {
    uint64_t next = system->retry;
    if (system->master_count == 1)
        return next;
    const uint64_t answered = backend_answer(system);
    next = answered < next ? answered : next;
    for (size_t m = 1; m < system->master_count; m++)
        if (may_submit(system, m)) {
            const uint64_t due = clock_of(system, system->masters[m].request.cycle);
            next = due < next ? due : next;
        }
    if (!system->dram && system->library_waiting && system->clock + 1 < next)
        next = system->clock + 1; /* its answers are known only then */
    return next > system->clock ? next : system->clock + 1;
}

static void go_to(struct memory_system *system, uint64_t clock) {
    uint32_t tag;
    backend_advance(system, clock);
    system->clock = clock;
    for (uint64_t at; (at = backend_answer(system)) <= clock && backend_completion(system, clock, &tag);)
        finish_access(system, tag, at);
}

/* The core clock of the next event. */
static uint64_t next_cycle(const struct memory_system *system) {
    if (!system->dram)
        return 0;
    const uint64_t arbiter = next_event(system), dram = dram_event(system->dram);
    const uint64_t next = arbiter < dram ? arbiter : dram;
    return next == UINT64_MAX ? next : cycle_of(system, next);
}

void memory_system_advance(struct memory_system *system, uint64_t cycle) {
    if (cycle < system->quiet)
        return;
    const uint64_t target = clock_of(system, cycle);
    for (uint64_t next; system->clock < target && (next = next_event(system)) <= target;) {
        go_to(system, next);
        for (size_t m; (m = next_due(system)) > 0;)
            submit_request(system, m);
        arbitrate(system);
    }
    if (system->clock < target)
        go_to(system, target);
    system->quiet = next_cycle(system);
}

uint64_t memory_system_next(const struct memory_system *system, uint64_t cycle) {
    uint64_t clock = backend_answer(system);
    uint64_t next = system->done_count ? system->done[system->done_head].cycle : UINT64_MAX;
    const uint64_t command = backend_next(system);
    const uint64_t room = system->asked ? next_cycle(system) : UINT64_MAX;
    if (!system->in_flight[0] && !system->in_flight[1])
        return room > cycle ? room : cycle + 1;
    if (system->masters[0].count && system->retry < clock)
        clock = system->retry + 1; /* a write, or a read that the queue of writes answers */
    if (command != UINT64_MAX) {
        const uint64_t data = system->dram ? command + system->config.t.tCL + system->config.burst / 2 : command;
        clock = data < clock ? data : clock;
    }
    const uint64_t answered = clock == UINT64_MAX ? clock : cycle_of(system, clock) + way_back(system);
    next = answered < next ? answered : next;
    next = room < next ? room : next;
    return next > cycle ? next : cycle + 1;
}

const struct memory_statistics *memory_system_statistics(struct memory_system *system, uint64_t cycle) {
    system->statistics.cycles = cycle;
    if (system->dram)
        system->statistics.dram = *dram_counts(system->dram);
    return &system->statistics;
}
