/* Judges write beats against the journal; see first_wrong.h. */
#include "replay/first_wrong.h"

#include <stdlib.h>

#include "nvdla/xalloc.h"

/* Judges one byte. */
struct byte_check {
    enum wrong_kind kind;
    bool known; /* what is expected */
    uint8_t expected;
};

static struct byte_check judge_byte(const struct first_wrong *first, const struct axi_beat *beat, uint64_t address,
                                    uint8_t got, bool enabled) {
    struct byte_check check = {.kind = WRONG_NONE};
    switch (journal_look(first->journal, (enum nvdla_unit)beat->owner.unit, beat->owner.ordinal,
                         (enum memory_space)beat->port, address, &check.expected)) {
    case JOURNAL_OUTSIDE:
        check.kind = enabled ? WRONG_OUTSIDE : WRONG_NONE;
        break;
    case JOURNAL_LEAVES:
        check.known = true;
        check.kind = got == check.expected ? WRONG_NONE : enabled ? WRONG_VALUE : WRONG_LEFT_OUT;
        break;
    case JOURNAL_OVERLAPS:
        break;
    }
    return check;
}

/* The bytes of all atoms with an enabled byte. */
static uint64_t whole_atoms(const struct first_wrong *first, const struct axi_beat *beat) {
    const int atom = first->config->mem_atom < beat->bytes ? first->config->mem_atom : beat->bytes;
    const uint64_t ones = atom == 64 ? UINT64_MAX : (UINT64_C(1) << atom) - 1;
    uint64_t bytes = 0;
    for (int at = 0; at < beat->bytes; at += atom)
        if (beat->strobe & ones << at)
            bytes |= ones << at;
    return bytes;
}

/* The launch that the beat belongs to, ordinal -1 if none has anything left to write; counts the beat as written. */
static struct owner owner_of(struct first_wrong *first, const struct axi_beat *beat, uint64_t bytes) {
    const enum nvdla_client client = nvdla_client_find(beat->id, true);
    if (client == NVDLA_CLIENT_COUNT)
        return (struct owner){-1, -1};
    struct wrong_share *share = &first->shares[client][beat->port];
    const enum nvdla_unit unit = nvdla_clients[client].unit;
    uint64_t left;
    if (share->left == 0) {
        share->ordinal = journal_next(first->journal, unit, (enum memory_space)beat->port, &share->next, &left);
        share->left = share->ordinal < 0 ? 0 : left;
    }
    share->left -= bytes < share->left ? bytes : share->left;
    return (struct owner){.unit = (int16_t)unit, .ordinal = share->ordinal};
}

static void keep(struct first_wrong *first, const struct axi_beat *beat, int i, enum wrong_kind kind) {
    struct wrong_beat *found = &first->found;
    if (found->kind == WRONG_NONE) {
        found->kind = kind;
        found->beat = *beat;
        found->beat.data = found->got;
        found->address = beat->address + (uint64_t)i;
    }
    found->wrong |= UINT64_C(1) << i;
}

/* Judges an atom that a client reads; *ordinal: the launch that it belongs to, -1: none. */
static enum wrong_read_kind judge_atom(struct first_wrong *first, enum nvdla_client client, const struct axi_beat *beat,
                                       int *ordinal) {
    const size_t atom = (size_t)first->config->mem_atom;
    const enum memory_space space = (enum memory_space)beat->port;
    struct read_share *share = &first->reads[client][space];
    /* Reads of BDMA launches are not counted there. */
    const bool unowned = beat->owner.ordinal < 0 && client != NVDLA_READ_BDMA;
    if (share->left == 0 && !unowned) {
        uint64_t left;
        share->ordinal = journal_next_read(first->journal, client, space, &share->next, &left);
        share->left = share->ordinal < 0 ? 0 : left;
        free(share->seen);
        share->seen = share->ordinal < 0
                          ? NULL
                          : xcalloc(journal_read_bytes(first->journal, client, share->ordinal) / atom / 8 + 1, 1);
    }
    *ordinal = unowned || share->left == 0 ? -1 : share->ordinal;
    if (*ordinal < 0)
        return unowned ? READ_NOBODY : READ_RIGHT; /* a launch that the model did not reach */
    share->left -= atom < share->left ? atom : share->left;
    size_t at = 0;
    const enum journal_read reads =
        journal_look_read(first->journal, client, share->ordinal, space, beat->address, &at);
    at /= atom;
    if (reads == JOURNAL_NEVER)
        return READ_ELSEWHERE;
    if (reads == JOURNAL_ONCE && (share->seen[at / 8] >> at % 8 & 1))
        return READ_AGAIN;
    share->seen[at / 8] |= (uint8_t)(1u << at % 8);
    return READ_RIGHT;
}

/* Beats wider than an atom may contain atoms that were not requested; these are not judged. */
static void judge_read(struct first_wrong *first, const struct axi_beat *beat) {
    const enum nvdla_client client = nvdla_client_find(beat->id, false);
    if (first->read.kind != READ_RIGHT || client == NVDLA_CLIENT_COUNT || beat->bytes != first->config->mem_atom)
        return;
    int ordinal;
    const enum wrong_read_kind kind = judge_atom(first, client, beat, &ordinal);
    if (kind == READ_RIGHT)
        return;
    first->read = (struct wrong_read){.kind = kind, .beat = *beat};
    first->read.beat.data = NULL;
    first->read.beat.owner.ordinal = ordinal;
}

static void judge_beat(void *context, const struct axi_beat *told) {
    struct first_wrong *first = context;
    if (!first->journal || first->found.kind != WRONG_NONE)
        return;
    if (!told->write) {
        judge_read(first, told);
        return;
    }
    struct axi_beat beat = *told;
    const uint64_t whole = whole_atoms(first, &beat);
    beat.owner = owner_of(first, &beat, (uint64_t)__builtin_popcountll(whole));
    const bool unowned = beat.owner.ordinal < 0;
    if (unowned && beat.owner.unit >= 0 && !first->complete)
        return;
    first->beats++;
    first->found.known = 0;
    uint8_t memory[WRONG_BYTES];
    memory_read(first->dev->memory[beat.port], beat.address, memory, (size_t)beat.bytes);
    for (int i = 0; i < beat.bytes; i++) {
        const bool enabled = beat.strobe >> i & 1;
        const uint8_t got = enabled ? beat.data[i] : memory[i];
        struct byte_check check = {.kind = enabled && unowned ? WRONG_OWNER : WRONG_NONE};
        if (!unowned && (whole >> i & 1))
            check = judge_byte(first, &beat, beat.address + (uint64_t)i, got, enabled);
        first->found.got[i] = got;
        first->found.expected[i] = check.expected;
        if (check.known)
            first->found.known |= UINT64_C(1) << i;
        if (check.kind != WRONG_NONE)
            keep(first, &beat, i, check.kind);
    }
    if (first->found.kind != WRONG_NONE && !first->goes_on)
        first->dev->stop = true;
}

struct axi_listener first_wrong_listener(struct first_wrong *first) {
    return (struct axi_listener){.context = first, .beat = judge_beat};
}

void first_wrong_close(struct first_wrong *first) {
    for (int client = 0; client < NVDLA_CLIENT_COUNT; client++)
        for (int space = 0; space < SPACE_COUNT; space++) {
            free(first->reads[client][space].seen);
            first->reads[client][space].seen = NULL;
        }
}
