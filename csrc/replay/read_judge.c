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
    *share = (struct read_share){.next = share->next};
    share->ordinal = journal_next_read(judge->journal, client, space, &share->next, &left);
    if (share->ordinal < 0)
        return false;
    share->left = left;
    share->seen = xcalloc(journal_read_bytes(judge->journal, client, share->ordinal) / atom / 8 + 1, 1);
    return true;
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
    return true;
}

/* True if a launch of the client reads an atom of a wide beat. */
static bool somebody_reads(const struct read_judge *judge, enum nvdla_client client, const struct axi_beat *beat) {
    bool found = false;
    for (int at = 0; at < beat->bytes && !found; at += judge->config->mem_atom)
        found = journal_reads(judge->journal, client, (enum memory_space)beat->port, beat->address + (uint64_t)at);
    return found;
}

void read_judge_take(struct read_judge *judge, const struct axi_beat *beat) {
    const enum nvdla_client client = nvdla_client_find(beat->id, false);
    struct wrong_read found = {.beat.owner.ordinal = -1};
    if (client == NVDLA_CLIENT_COUNT || judge->clients[client].wrong.kind != READ_RIGHT)
        return;
    if (beat->bytes != judge->config->mem_atom && (judge->requests || !judge->complete))
        return;
    judge->requests = beat->bytes == judge->config->mem_atom;
    if (judge->requests && !judge_atom(judge, client, beat, &found))
        return;
    if (!judge->requests && !somebody_reads(judge, client, beat))
        found.kind = READ_NOBODY;
    if (found.kind == READ_RIGHT) {
        judge->clients[client].compared++;
        return;
    }
    const int ordinal = found.beat.owner.ordinal;
    found.beat = *beat;
    found.beat.data = NULL;
    found.beat.owner.ordinal = ordinal;
    judge->clients[client].wrong = found;
    if (judge->first.kind == READ_RIGHT)
        judge->first = found;
}

void read_judge_close(struct read_judge *judge) {
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        for (int space = 0; space < SPACE_COUNT; space++) {
            free(judge->clients[client].shares[space].seen);
            judge->clients[client].shares[space].seen = NULL;
        }
}
