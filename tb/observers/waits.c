/* From tb_top's waits, the links and the memory ports to the state of a stopped device; see waits.h. */
#include "tb/observers/waits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/clients.h"
#include "nvdla/xalloc.h"

/* The pair behind each link of outs; WAIT_COUNT: none. */
static const enum wait_index pair_of_link[SIGNAL_LINKS] = {
    WAIT_CBUF_DAT, WAIT_CBUF_WT, WAIT_ATOMS, WAIT_WEIGHTS, WAIT_SUMS, WAIT_RESULTS, WAIT_FLY, WAIT_COUNT, WAIT_COUNT,
};

/* The pairs of each client of the memory interface. */
static const struct client_pairs {
    enum nvdla_client client;
    enum wait_index asked, moved, acknowledged; /* acknowledged: of writers */
} client_pairs[] = {
#define READING(c, u, e) {NVDLA_READ_##c, WAIT_READ_##c, WAIT_DATA_##c, WAIT_COUNT},
#define WRITING(c, u, e) {NVDLA_WRITE_##c, WAIT_COUNT, WAIT_BEAT_##c, WAIT_ACK_##c},
    FOR_READ_CLIENTS(READING) FOR_WRITE_CLIENTS(WRITING)};

/* The value-th name of a list separated by |; "" if there is none. */
static void name_value(const char *values, uint32_t value, char *name, size_t size) {
    for (; *values && value; values++)
        value -= *values == '|';
    snprintf(name, size, "%.*s", (int)strcspn(values, "|"), values);
}

uint64_t link_beats_of(const struct link_beats *beats, int i) {
    uint64_t count = 0;
    for (int p = 0; p < LINK_PLANES; p++)
        count |= (uint64_t)(beats->planes[p] >> i & 1) << p;
    return count;
}

void waits_begin(struct device_waits *waits, uint64_t cycle) {
    free(waits->bursts);
    *waits = (struct device_waits){.cycle = cycle};
#define PAIR(i, n, f, t) waits->pairs[i] = (struct wait_pair){.index = (i), .name = (n), .from = (f), .to = (t)};
#define STATE(i, e, n, v) waits->states[i] = (struct wait_state){.engine = (e), .name = (n)};
#define COUNTER(i, e, n) waits->counters[i] = (struct wait_counter){.index = (i), .engine = (e), .name = (n)};
    WAIT_PAIRS(PAIR)
    WAIT_STATES(STATE)
    WAIT_COUNTERS(COUNTER)
}

void waits_words(struct device_waits *waits, const uint32_t *words) {
    static const char *const values[] = {
#define VALUES(i, e, n, v) [i] = (v),
        WAIT_STATES(VALUES)};
    const uint32_t now = words[0];
    waits->inside = true;
    for (int i = 0; i < WAIT_COUNT; i++)
        if (!(words[WAITS_PAIRS_AT + 4 * i] & WAITS_PAIR_SEEN))
            waits->inside = false;
    waits->borders = !waits->inside;
    /* The clock that counted n is cycle - 1 - (now - n); 0: before all clocks. */
    for (int i = 0; i < WAIT_COUNT; i++) {
        const uint32_t *word = words + WAITS_PAIRS_AT + 4 * i;
        const uint64_t last = now - word[2], since = now - word[3];
        struct wait_pair *pair = &waits->pairs[i];
        pair->counted = pair->seen = word[0] & WAITS_PAIR_SEEN;
        pair->valid = word[0] & 1;
        pair->ready = word[0] >> 1 & 1;
        pair->moved = word[1];
        pair->last = word[2] && last < waits->cycle ? waits->cycle - 1 - last : 0;
        pair->since = word[3] && since < waits->cycle ? waits->cycle - 1 - since : 0;
        if (pair->last > waits->moved)
            waits->moved = pair->last;
    }
    for (int i = 0; i < WAIT_STATE_COUNT; i++) {
        const uint32_t *word = words + WAITS_STATES_AT + 2 * i;
        const uint64_t since = now - word[1];
        waits->states[i].number = word[0];
        name_value(values[i], word[0], waits->states[i].value, sizeof waits->states[i].value);
        waits->states[i].since = word[1] && since < waits->cycle ? waits->cycle - 1 - since : 0;
    }
    for (int i = 0; i < WAIT_COUNTER_COUNT; i++)
        waits->counters[i].value = words[WAITS_COUNTERS_AT + i];
}

void waits_links(struct device_waits *waits, const struct link_beats *beats, const uint64_t last[SIGNAL_LINKS]) {
    for (int i = 0; i < SIGNAL_LINKS; i++) {
        if (pair_of_link[i] == WAIT_COUNT)
            continue;
        struct wait_pair *pair = &waits->pairs[pair_of_link[i]];
        pair->counted = true;
        pair->moved = link_beats_of(beats, i);
        pair->last = last[i];
        if (last[i] > waits->moved)
            waits->moved = last[i];
    }
}

/* Adds what moved on a port to a pair that is not seen in the design; WAIT_COUNT: none. */
static void add(struct device_waits *waits, enum wait_index index, uint64_t moved) {
    if (index == WAIT_COUNT || waits->pairs[index].seen)
        return;
    waits->pairs[index].counted = true;
    waits->pairs[index].moved += moved;
}

void waits_port(struct device_waits *waits, enum memory_space port, const struct axi_memory *memory, int bytes,
                int atom) {
    const struct axi_counts *counts = axi_memory_counts(memory);
    for (int id = 0; id < AXI_IDS; id++) {
        waits->read_asked[port][id] = counts->read_beats[id];
        waits->read_given[port][id] = counts->given[id];
        waits->written[port][id] = counts->write_beats[id];
        waits->acknowledged[port][id] = counts->acknowledged[id];
    }
    for (size_t i = 0; !waits->inside && i < sizeof client_pairs / sizeof client_pairs[0]; i++) {
        const struct client_pairs *pairs = &client_pairs[i];
        const struct nvdla_client_facts *facts = &nvdla_clients[pairs->client];
        const uint64_t moved = facts->write ? counts->write_beats[facts->id] : counts->given[facts->id];
        add(waits, pairs->moved, moved * (uint64_t)bytes / (uint64_t)atom); /* at most */
        add(waits, pairs->asked, counts->read_beats[facts->id] * (uint64_t)bytes / (uint64_t)atom);
        add(waits, pairs->acknowledged, counts->acknowledged[facts->id]);
    }
    size_t count;
    struct axi_burst *bursts = axi_memory_bursts(memory, &count);
    waits->bursts = xrealloc(waits->bursts, (waits->burst_count + count + 1) * sizeof *waits->bursts);
    for (size_t i = 0; i < count; i++)
        waits->bursts[waits->burst_count++] = (struct wait_burst){.port = port,
                                                                  .write = bursts[i].write,
                                                                  .id = bursts[i].id,
                                                                  .address = bursts[i].address,
                                                                  .beats = bursts[i].beats,
                                                                  .since = bursts[i].since};
    free(bursts);
}
