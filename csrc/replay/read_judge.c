/* Compares reads with the journal; see read_judge.h. */
#include "replay/read_judge.h"

#include <stdio.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"

/* True if the order of a client's reads is defined: chapters 50 section 4, 60 and 62. CDMA may begin lines of several
 * surfaces in turns, and compressed weights come with two streams of their own. */
static bool in_order(const struct read_judge *judge, enum nvdla_client client) {
    switch (client) {
    case NVDLA_READ_SDP:
    case NVDLA_READ_SDP_B:
    case NVDLA_READ_SDP_N:
    case NVDLA_READ_SDP_E:
    case NVDLA_READ_PDP:
    case NVDLA_READ_CDP:
        return true;
    case NVDLA_READ_CDMA_WT:
        return !nvdla_has(judge->config, FEATURE_COMPRESSION);
    default:
        return false;
    }
}

void read_judge_open(struct read_judge *judge, const struct nvdla_config *config, const struct journal *journal) {
    *judge = (struct read_judge){.config = config, .journal = journal};
    for (int i = 0; i < NVDLA_CLIENT_COUNT; i++)
        snprintf(judge->clients[i].name, sizeof judge->clients[i].name, "addresses of %s", nvdla_clients[i].name);
}

/* Takes the client's next launch if the last one has read everything. False: the model came to none. */
static bool take_launch(const struct read_judge *judge, enum nvdla_client client, enum memory_space space,
                        struct read_share *share) {
    const size_t atom = (size_t)judge->config->mem_atom;
    uint64_t left;
    if (share->left > 0)
        return true;
    free(share->seen);
    *share = (struct read_share){.next = share->next, .brought = share->brought};
    share->ordinal = journal_next_read(judge->journal, client, space, &share->next, &left);
    if (share->ordinal < 0)
        return false;
    share->left = left;
    share->seen = xcalloc(journal_read_bytes(judge->journal, client, share->ordinal) / atom / 8 + 1, 1);
    return true;
}

static int range_order(const void *key, const void *item) {
    const uint64_t address = *(const uint64_t *)key;
    const struct range *range = item;
    return address < range->start ? -1 : address - range->start >= range->size;
}

/* The first atom that the share's launch reads, and that has not come. */
static bool first_unseen(const struct read_judge *judge, enum nvdla_client client, enum memory_space space,
                         const struct read_share *share, uint64_t *address) {
    const size_t atom = (size_t)judge->config->mem_atom;
    struct journal_walk walk = {0};
    while (journal_walk_read(judge->journal, client, share->ordinal, space, &walk, atom, address)) {
        size_t at = 0;
        journal_look_read(judge->journal, client, share->ordinal, space, *address, &at);
        at /= atom;
        if (!(share->seen && (share->seen[at / 8] >> at % 8 & 1)) &&
            !(share->brought.count &&
              bsearch(address, share->brought.list, share->brought.count, sizeof *share->brought.list, range_order)))
            return true;
    }
    return false;
}

/* True if the launch after that of the share reads an address. */
static bool next_reads(const struct read_judge *judge, enum nvdla_client client, enum memory_space space,
                       const struct read_share *share, uint64_t address) {
    size_t next = share->next, at;
    uint64_t bytes;
    const int ordinal = journal_next_read(judge->journal, client, space, &next, &bytes);
    return ordinal >= 0 && journal_look_read(judge->journal, client, ordinal, space, address, &at) != JOURNAL_NEVER;
}

/* Judges an atom; fills *found but for its beat. False: it belongs to a launch that the model did not reach. */
static bool judge_atom(struct read_judge *judge, enum nvdla_client client, const struct axi_beat *beat,
                       struct wrong_read *found) {
    const size_t atom = (size_t)judge->config->mem_atom;
    const enum memory_space space = (enum memory_space)beat->port;
    struct read_share *share = &judge->clients[client].shares[beat->port];
    size_t at = 0;
    *found = (struct wrong_read){.beat.owner.ordinal = -1};
    if (beat->owner.ordinal < 0 && client != NVDLA_READ_BDMA) { /* whose launches are not counted there */
        found->kind = READ_NOBODY;
        return true;
    }
    if (!take_launch(judge, client, space, share))
        return false;
    found->beat.owner.ordinal = share->ordinal;
    share->left -= atom < share->left ? atom : share->left;
    found->awaited =
        journal_walk_read(judge->journal, client, share->ordinal, space, &share->walk, atom, &found->expected);
    const enum journal_read reads =
        journal_look_read(judge->journal, client, share->ordinal, space, beat->address, &at);
    at /= atom;
    if (reads == JOURNAL_NEVER)
        found->kind = READ_ELSEWHERE;
    else if (reads == JOURNAL_ONCE && (share->seen[at / 8] >> at % 8 & 1))
        found->kind = READ_AGAIN;
    else if (in_order(judge, client) && found->awaited && found->expected != beat->address)
        found->kind = READ_OTHER;
    else
        share->seen[at / 8] |= (uint8_t)(1u << at % 8);
    found->awaited = found->awaited && in_order(judge, client);
    if (found->kind == READ_ELSEWHERE && next_reads(judge, client, space, share, beat->address) &&
        first_unseen(judge, client, space, share, &found->expected)) {
        found->kind = READ_SKIPPED;
        found->awaited = true;
    }
    return true;
}

/* True if a launch of the client reads an atom of a wide beat. */
static bool somebody_reads(const struct read_judge *judge, enum nvdla_client client, const struct axi_beat *beat) {
    bool found = false;
    for (int at = 0; at < beat->bytes && !found; at += judge->config->mem_atom)
        found = journal_reads(judge->journal, client, (enum memory_space)beat->port, beat->address + (uint64_t)at);
    return found;
}

static void keep(struct read_judge *judge, struct client_reads *reads, const struct wrong_read *found) {
    reads->wrong = *found;
    if (judge->first.kind == READ_RIGHT)
        judge->first = *found;
}

void read_judge_take(struct read_judge *judge, const struct axi_beat *beat) {
    const enum nvdla_client client = nvdla_client_find(beat->id, false);
    struct wrong_read found = {.beat.owner.ordinal = -1};
    struct client_reads *reads = &judge->clients[client];
    if (client == NVDLA_CLIENT_COUNT || reads->wrong.kind != READ_RIGHT)
        return;
    if (beat->bytes != judge->config->mem_atom && (judge->requests || !judge->complete))
        return;
    judge->requests = beat->bytes == judge->config->mem_atom;
    if (judge->requests && !judge_atom(judge, client, beat, &found))
        return;
    if (!judge->requests)
        ranges_add(&reads->shares[beat->port].brought, beat->address, (uint64_t)beat->bytes);
    if (!judge->requests && !somebody_reads(judge, client, beat))
        found.kind = READ_NOBODY;
    reads->cycle = beat->cycle;
    reads->lost = reads->lost || (judge->late && found.kind != READ_RIGHT);
    if (found.kind == READ_RIGHT)
        reads->compared++;
    if (found.kind == READ_RIGHT || judge->late)
        return;
    const int ordinal = found.beat.owner.ordinal;
    found.beat = *beat;
    found.beat.data = NULL;
    found.beat.owner.ordinal = ordinal;
    keep(judge, reads, &found);
}

/* Judges what a client has not read of the launches on a port. */
static void judge_rest(struct read_judge *judge, enum nvdla_client client, enum memory_space space, bool all,
                       read_judge_ended ended, void *context) {
    const enum nvdla_unit unit = nvdla_clients[client].unit;
    struct client_reads *reads = &judge->clients[client];
    struct read_share *share = &reads->shares[space];
    uint64_t address;
    ranges_sort(&share->brought);
    do {
        if (share->left > 0 && first_unseen(judge, client, space, share, &address) &&
            ended(context, unit, share->ordinal)) {
            const struct owner owner = {(int16_t)unit, share->ordinal};
            keep(judge, reads,
                 &(struct wrong_read){.kind = READ_MISSING,
                                      .beat = {.port = (int)space,
                                               .id = nvdla_clients[client].id,
                                               .owner = owner,
                                               .cycle = reads->cycle,
                                               .address = address},
                                      .awaited = true,
                                      .expected = address});
            return;
        }
        share->left = 0;
    } while (all && take_launch(judge, client, space, share));
}

void read_judge_end(struct read_judge *judge, bool all, read_judge_ended ended, void *context) {
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        for (int space = 0; space < SPACE_COUNT; space++)
            if (judge->clients[client].wrong.kind == READ_RIGHT && !judge->clients[client].lost)
                judge_rest(judge, (enum nvdla_client)client, (enum memory_space)space, all, ended, context);
}

void read_judge_close(struct read_judge *judge) {
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        for (int space = 0; space < SPACE_COUNT; space++) {
            free(judge->clients[client].shares[space].seen);
            judge->clients[client].shares[space].seen = NULL;
            ranges_free(&judge->clients[client].shares[space].brought);
        }
}
