/* Timing of a DRAM and its controller; see dram.h. Fixed sizes: nothing is allocated while it runs. */
#include "dram/dram.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

enum { ANSWERS = 4096, NO_ROW = UINT32_MAX, FAW = 4, BANKS_MOST = DRAM_RANKS * 8 * 16 };

struct dram_access {
    uint64_t line, since;
    uint32_t row, column, tag;
    uint16_t bank; /* of the channel: rank, group, bank */
    uint8_t rank, group;
    bool write;
    bool activated, closed_other; /* commands issued for it */
};

struct bank {
    uint64_t act_ok, pre_ok, cas_ok; /* first clock of that command */
    uint32_t row;                    /* NO_ROW: closed */
    uint16_t hits[2];                /* waiting reads and writes of the open row */
    uint64_t scan;                   /* last choice that looked at it */
};

/* What commands of a bank group, and of a rank, allow. */
struct bank_group {
    uint64_t act_ok, read_ok, write_ok;
};

struct rank {
    struct bank_group all, groups[8];
    uint64_t activates[FAW]; /* clocks + 1 of the last ones, a ring */
    unsigned activate;
    uint64_t refresh; /* when the next one is due */
};

struct dram_queue {
    struct dram_access *items; /* oldest first */
    uint32_t count;
};

struct dram_channel {
    struct bank banks[BANKS_MOST];
    struct rank ranks[DRAM_RANKS];
    struct dram_queue queues[2]; /* reads, writes */
    bool draining;               /* writes */
    uint64_t bus_ok;             /* command bus */
    uint64_t next;               /* a command can be issued then, not before */
    uint64_t scan;
};

struct answer {
    uint64_t clock;
    uint32_t tag;
};

struct dram {
    struct dram_config config;
    struct dram_counts counts;
    struct dram_listener listener;
    uint32_t banks, lines_shift;
    uint64_t now;                   /* all clocks before it are over */
    struct answer answers[ANSWERS]; /* ring in order of time */
    uint32_t answer_head, answer_count;
    struct dram_channel channels[];
};

struct dram *dram_new(const struct dram_config *config) {
    struct dram *dram = xcalloc(1, sizeof *dram + config->channels * sizeof(struct dram_channel));
    dram->config = *config;
    dram->banks = config->groups * config->banks;
    dram->lines_shift = (uint32_t)__builtin_ctz(dram_burst_bytes(config));
    for (uint32_t c = 0; c < config->channels; c++) {
        struct dram_channel *channel = &dram->channels[c];
        channel->next = UINT64_MAX;
        for (int q = 0; q < 2; q++)
            channel->queues[q].items = xcalloc(config->queue, sizeof *channel->queues[q].items);
        for (uint32_t b = 0; b < BANKS_MOST; b++)
            channel->banks[b].row = NO_ROW;
        for (uint32_t r = 0; r < config->ranks; r++) /* not all ranks at a time */
            channel->ranks[r].refresh =
                config->refresh ? config->t.tREFI - (uint64_t)r * config->t.tREFI / (2 * config->ranks) : UINT64_MAX;
    }
    return dram;
}

void dram_free(struct dram *dram) {
    if (!dram)
        return;
    for (uint32_t c = 0; c < dram->config.channels; c++)
        for (int q = 0; q < 2; q++)
            free(dram->channels[c].queues[q].items);
    free(dram);
}

void dram_listen(struct dram *dram, struct dram_listener listener) {
    dram->listener = listener;
}

const struct dram_counts *dram_counts(const struct dram *dram) {
    return &dram->counts;
}

/* ---- commands ---- */

static void later(uint64_t *clock, uint64_t least) {
    if (*clock < least)
        *clock = least;
}

/* Reports a command and occupies the command bus. */
static void issue(struct dram *dram, struct dram_channel *channel, uint64_t clock, enum dram_command_kind kind,
                  uint32_t bank, const struct dram_access *access, bool closes) {
    const struct dram_config *config = &dram->config;
    const uint32_t clocks = kind == DRAM_ACT                          ? config->act_clocks
                            : kind == DRAM_READ || kind == DRAM_WRITE ? config->cas_clocks
                                                                      : config->pre_clocks;
    channel->bus_ok = clock + clocks;
    if (!dram->listener.command)
        return;
    const uint32_t in_rank = bank % dram->banks;
    dram->listener.command(dram->listener.context,
                           &(struct dram_command){.clock = clock,
                                                  .kind = kind,
                                                  .channel = (uint32_t)(channel - dram->channels),
                                                  .rank = bank / dram->banks,
                                                  .group = in_rank / config->banks,
                                                  .bank = in_rank % config->banks,
                                                  .row = access ? access->row : 0,
                                                  .column = access ? access->column : 0,
                                                  .closes = closes,
                                                  .tag = access ? access->tag : 0});
}

static void activate(struct dram *dram, struct dram_channel *channel, uint64_t clock, struct dram_access *access) {
    const struct dram_timing *t = &dram->config.t;
    struct bank *bank = &channel->banks[access->bank];
    struct rank *rank = &channel->ranks[access->rank];
    struct bank_group *group = &rank->groups[access->group];
    issue(dram, channel, clock, DRAM_ACT, access->bank, access, false);
    bank->row = access->row;
    bank->cas_ok = clock + t->tRCD;
    later(&bank->pre_ok, clock + t->tRAS);
    later(&bank->act_ok, clock + t->tRC);
    later(&rank->all.act_ok, clock + t->tRRD_S);
    later(&group->act_ok, clock + t->tRRD_L);
    rank->activates[rank->activate++ % FAW] = clock + 1;
    for (int q = 0; q < 2; q++) {
        const struct dram_queue *queue = &channel->queues[q];
        bank->hits[q] = 0;
        for (uint32_t i = 0; i < queue->count; i++)
            if (queue->items[i].bank == access->bank && queue->items[i].row == access->row)
                bank->hits[q]++;
    }
    access->activated = true;
    dram->counts.activates++;
}

static void close_bank(struct dram *dram, struct bank *bank, uint64_t clock) {
    bank->row = NO_ROW;
    bank->hits[0] = bank->hits[1] = 0;
    later(&bank->act_ok, clock + dram->config.t.tRP);
    dram->counts.precharges++;
}

static void answer(struct dram *dram, uint64_t clock, uint32_t tag) {
    uint32_t at = dram->answer_count++;
    if (dram->answer_count > ANSWERS)
        abort(); /* its caller has fewer accesses in flight */
    while (at > 0 && dram->answers[(dram->answer_head + at - 1) % ANSWERS].clock > clock) {
        dram->answers[(dram->answer_head + at) % ANSWERS] = dram->answers[(dram->answer_head + at - 1) % ANSWERS];
        at--;
    }
    dram->answers[(dram->answer_head + at) % ANSWERS] = (struct answer){clock, tag};
}

/* What a column command makes the others of the channel wait for. */
static void hold_others(struct dram *dram, struct dram_channel *channel, uint64_t clock,
                        const struct dram_access *access) {
    const struct dram_timing *t = &dram->config.t;
    const uint64_t data = dram->config.burst / 2;
    struct rank *own = &channel->ranks[access->rank];
    struct bank_group *group = &channel->ranks[access->rank].groups[access->group];
    for (uint32_t r = 0; r < dram->config.ranks; r++) {
        struct rank *rank = &channel->ranks[r];
        if (rank == own) {
            later(&rank->all.read_ok, access->write ? clock + t->tCWL + data + t->tWTR_S : clock + t->tCCD_S);
            later(&rank->all.write_ok, access->write ? clock + t->tCCD_S : clock + t->tRTW);
        } else if (access->write) {
            later(&rank->all.write_ok, clock + data + t->tRTRS);
            later(&rank->all.read_ok,
                  clock + t->tCWL + data + t->tRTRS > t->tCL ? clock + t->tCWL + data + t->tRTRS - t->tCL : 0);
        } else {
            later(&rank->all.read_ok, clock + data + t->tRTRS);
            later(&rank->all.write_ok, clock + t->tCL + data + t->tRTRS - (t->tCWL < t->tCL ? t->tCWL : t->tCL));
        }
    }
    later(&group->read_ok, access->write ? clock + t->tCWL + data + t->tWTR_L : clock + t->tCCD_L);
    later(&group->write_ok, access->write ? clock + t->tCCD_L : clock);
}

/* Issues the read or write, and removes it from its queue. */
static void access_column(struct dram *dram, struct dram_channel *channel, uint64_t clock, uint32_t index) {
    const struct dram_timing *t = &dram->config.t;
    const uint64_t data = dram->config.burst / 2;
    struct dram_queue *queue = &channel->queues[channel->draining];
    const struct dram_access access = queue->items[index];
    struct bank *bank = &channel->banks[access.bank];
    bank->hits[access.write]--;
    const bool closes = dram->config.page == DRAM_CLOSED && !bank->hits[0] && !bank->hits[1];
    issue(dram, channel, clock, access.write ? DRAM_WRITE : DRAM_READ, access.bank, &access, closes);
    hold_others(dram, channel, clock, &access);
    later(&bank->pre_ok, access.write ? clock + t->tCWL + data + t->tWR : clock + t->tRTP);
    if (closes)
        close_bank(dram, bank, bank->pre_ok);
    if (access.write)
        dram->counts.writes++;
    else {
        dram->counts.reads++;
        answer(dram, clock + t->tCL + data, access.tag);
    }
    if (access.closed_other)
        dram->counts.conflicts++;
    else if (access.activated)
        dram->counts.misses++;
    else
        dram->counts.hits++;
    dram->counts.data_clocks += data;
    queue->count--;
    memmove(&queue->items[index], &queue->items[index + 1], (queue->count - index) * sizeof *queue->items);
}

/* ---- the choice ---- */

/* First clock in which the bank's row may be opened. */
static uint64_t act_clock(const struct dram *dram, const struct dram_channel *channel,
                          const struct dram_access *access) {
    const struct rank *rank = &channel->ranks[access->rank];
    const struct bank_group *group = &rank->groups[access->group];
    const uint64_t fourth = rank->activates[rank->activate % FAW];
    uint64_t clock = channel->banks[access->bank].act_ok;
    later(&clock, rank->all.act_ok);
    later(&clock, group->act_ok);
    if (fourth)
        later(&clock, fourth - 1 + dram->config.t.tFAW);
    return clock;
}

static uint64_t cas_clock(const struct dram_channel *channel, const struct dram_access *access) {
    const struct rank *rank = &channel->ranks[access->rank];
    const struct bank_group *group = &rank->groups[access->group];
    const bool write = access->write;
    uint64_t clock = channel->banks[access->bank].cas_ok;
    later(&clock, write ? rank->all.write_ok : rank->all.read_ok);
    later(&clock, write ? group->write_ok : group->read_ok);
    return clock;
}

/* Closes a rank whose refresh is due, then refreshes it. Returns the clock of the next step, `clock` + 1 if one was
 * done. */
static uint64_t refresh(struct dram *dram, struct dram_channel *channel, uint32_t r, uint64_t clock) {
    struct bank *banks = &channel->banks[r * dram->banks];
    uint64_t ready = 0, closed = 0;
    bool open = false;
    for (uint32_t b = 0; b < dram->banks; b++) {
        open = open || banks[b].row != NO_ROW;
        later(&closed, banks[b].pre_ok); /* also of those that close by themselves */
        later(&ready, banks[b].act_ok);
    }
    later(&ready, channel->bus_ok);
    later(&closed, channel->bus_ok);
    if (open && closed > clock)
        return closed;
    if (open) {
        issue(dram, channel, clock, DRAM_PREA, r * dram->banks, NULL, false);
        for (uint32_t b = 0; b < dram->banks; b++)
            if (banks[b].row != NO_ROW)
                close_bank(dram, &banks[b], clock);
        return clock + 1;
    }
    if (ready > clock)
        return ready;
    issue(dram, channel, clock, DRAM_REF, r * dram->banks, NULL, false);
    for (uint32_t b = 0; b < dram->banks; b++)
        later(&banks[b].act_ok, clock + dram->config.t.tRFC);
    channel->ranks[r].refresh += dram->config.t.tREFI;
    dram->counts.refreshes++;
    return clock + 1;
}

static void choose_direction(const struct dram *dram, struct dram_channel *channel) {
    const uint32_t reads = channel->queues[0].count, writes = channel->queues[1].count;
    const uint32_t high = dram->config.queue - dram->config.queue / 4, low = dram->config.queue / 4;
    if (!channel->draining)
        channel->draining = writes && (writes >= high || !reads);
    else if (!writes || (reads && writes <= low))
        channel->draining = false;
}

/* The candidates of a choice: oldest access that can be read or written now, whose bank can be opened now, or closed;
 * -1: none. And the next clocks in which there is another, and in which a bank can be opened. */
struct candidates {
    int column, open, close;
    uint64_t next, next_open;
};

/* Looks at the waiting accesses, oldest first. all: even after one that can be read or written was found. */
static void look(const struct dram *dram, struct dram_channel *channel, uint64_t clock, bool all,
                 struct candidates *found) {
    const struct dram_queue *queue = &channel->queues[channel->draining];
    const bool aged = queue->count && queue->items[0].since + dram->config.age <= clock;
    *found = (struct candidates){-1, -1, -1, UINT64_MAX, UINT64_MAX};
    channel->scan++;
    for (uint32_t i = 0; i < queue->count && (all || found->column < 0); i++) {
        const struct dram_access *access = &queue->items[i];
        struct bank *bank = &channel->banks[access->bank];
        const bool first = bank->scan != channel->scan;
        uint64_t at;
        int *candidate;
        if (channel->ranks[access->rank].refresh <= clock || (aged && i > 0 && access->bank == queue->items[0].bank))
            continue;
        if (bank->row == access->row) {
            at = cas_clock(channel, access);
            candidate = &found->column;
        } else if (!first || (bank->row != NO_ROW && bank->hits[channel->draining] && !(aged && i == 0)))
            continue;
        else {
            bank->scan = channel->scan;
            at = bank->row == NO_ROW ? act_clock(dram, channel, access) : bank->pre_ok;
            candidate = bank->row == NO_ROW ? &found->open : &found->close;
            if (bank->row == NO_ROW && at > clock && at < found->next_open)
                found->next_open = at;
        }
        if (at <= clock && *candidate < 0)
            *candidate = (int)i;
        else if (at > clock && at < found->next)
            found->next = at;
    }
}

/* Issues at most one command for the waiting accesses in this clock. Returns the next clock in which one could be.
 * Where commands take several clocks of the bus, those that open a bank come first: what they lose is not made up for.
 */
static uint64_t choose(struct dram *dram, struct dram_channel *channel, uint64_t clock) {
    const struct dram_config *config = &dram->config;
    struct candidates found;
    choose_direction(dram, channel);
    struct dram_queue *queue = &channel->queues[channel->draining];
    const bool opens_first = config->cas_clocks > 1;
    look(dram, channel, clock, opens_first, &found);
    if (opens_first && found.open < 0 && found.next_open < clock + config->cas_clocks)
        return found.next_open;
    if (found.column >= 0 && !(opens_first && found.open >= 0)) {
        access_column(dram, channel, clock, (uint32_t)found.column);
        return channel->bus_ok;
    }
    if (found.open >= 0)
        activate(dram, channel, clock, &queue->items[found.open]);
    else if (found.close >= 0) {
        struct dram_access *access = &queue->items[found.close];
        issue(dram, channel, clock, DRAM_PRE, access->bank, NULL, false);
        close_bank(dram, &channel->banks[access->bank], clock);
        access->closed_other = true;
    } else
        return found.next;
    return channel->bus_ok;
}

/* One clock of a channel. */
static void step(struct dram *dram, struct dram_channel *channel, uint64_t clock) {
    uint64_t next = UINT64_MAX;
    for (uint32_t r = 0; r < dram->config.ranks; r++) {
        if (channel->ranks[r].refresh <= clock) {
            const uint64_t at = refresh(dram, channel, r, clock);
            if (channel->bus_ok > clock) { /* it issued a command */
                channel->next = channel->bus_ok;
                return;
            }
            next = at < next ? at : next;
        } else if (channel->ranks[r].refresh < next)
            next = channel->ranks[r].refresh;
    }
    const uint64_t chosen = choose(dram, channel, clock);
    next = chosen < next ? chosen : next;
    channel->next = next > clock ? next : clock + 1;
    later(&channel->next, channel->bus_ok);
}

/* ---- time ---- */

/* First clock at which a channel has anything to do; refresh too. */
static uint64_t channel_next(const struct dram *dram, const struct dram_channel *channel) {
    uint64_t next = channel->next;
    if (next == UINT64_MAX)
        for (uint32_t r = 0; r < dram->config.ranks; r++)
            next = channel->ranks[r].refresh < next ? channel->ranks[r].refresh : next;
    return next;
}

void dram_advance(struct dram *dram, uint64_t clock) {
    for (uint32_t c = 0; c < dram->config.channels; c++) {
        struct dram_channel *channel = &dram->channels[c];
        for (uint64_t at; (at = channel_next(dram, channel)) <= clock;)
            step(dram, channel, at);
    }
    later(&dram->now, clock + 1);
}

uint64_t dram_next(const struct dram *dram) {
    uint64_t next = UINT64_MAX;
    for (uint32_t c = 0; c < dram->config.channels; c++) {
        const struct dram_channel *channel = &dram->channels[c];
        if ((channel->queues[0].count || channel->queues[1].count) && channel->next < next)
            next = channel->next;
    }
    return next;
}

uint64_t dram_answer_clock(const struct dram *dram) {
    return dram->answer_count ? dram->answers[dram->answer_head].clock : UINT64_MAX;
}

uint64_t dram_event(const struct dram *dram) {
    uint64_t next = dram_answer_clock(dram);
    for (uint32_t c = 0; c < dram->config.channels; c++) {
        const uint64_t command = channel_next(dram, &dram->channels[c]);
        next = command < next ? command : next;
    }
    return next;
}

bool dram_completion(struct dram *dram, uint64_t clock, uint32_t *tag) {
    if (dram_answer_clock(dram) > clock)
        return false;
    *tag = dram->answers[dram->answer_head].tag;
    dram->answer_head = (dram->answer_head + 1) % ANSWERS;
    dram->answer_count--;
    return true;
}

/* ---- requests ---- */

/* Takes an address apart. Returns the channel. */
static uint32_t decode(const struct dram *dram, uint64_t line, struct dram_access *access) {
    const struct dram_config *config = &dram->config;
    uint32_t fields[DRAM_FIELDS] = {0}, shifts[DRAM_FIELDS] = {0};
    for (uint32_t i = 0; i < config->part_count; i++) {
        const struct dram_part part = config->parts[i];
        fields[part.field] |= (uint32_t)(line & ((UINT64_C(1) << part.bits) - 1)) << shifts[part.field];
        shifts[part.field] += part.bits;
        line >>= part.bits;
    }
    access->row = fields[DRAM_ROW];
    access->column = fields[DRAM_COLUMN];
    access->rank = (uint8_t)fields[DRAM_RANK];
    access->group = (uint8_t)fields[DRAM_GROUP];
    access->bank =
        (uint16_t)((fields[DRAM_RANK] * config->groups + fields[DRAM_GROUP]) * config->banks + fields[DRAM_BANK]);
    return fields[DRAM_CHANNEL];
}

/* The waiting write of a burst; NULL if there is none. */
static const struct dram_access *waiting_write(const struct dram_channel *channel, uint64_t line) {
    const struct dram_queue *queue = &channel->queues[1];
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->items[i].line == line)
            return &queue->items[i];
    return NULL;
}

bool dram_request(struct dram *dram, uint64_t clock, uint64_t address, bool write, uint32_t tag) {
    struct dram_access access = {.line = address >> dram->lines_shift, .since = clock, .tag = tag, .write = write};
    struct dram_channel *channel = &dram->channels[decode(dram, access.line, &access)];
    struct dram_queue *queue = &channel->queues[write];
    if (dram->config.merge && waiting_write(channel, access.line)) {
        dram->counts.joined += write;
        dram->counts.forwarded += !write;
        answer(dram, clock + 1, tag);
        return true;
    }
    if (queue->count == dram->config.queue)
        return false;
    struct bank *bank = &channel->banks[access.bank];
    if (bank->row == access.row)
        bank->hits[write]++;
    queue->items[queue->count++] = access;
    if (write)
        answer(dram, clock + 1, tag);
    uint64_t soonest = clock >= dram->now ? clock : dram->now; /* commands of this clock were issued */
    later(&soonest, channel->bus_ok);
    if (channel->next > soonest)
        channel->next = soonest;
    return true;
}
