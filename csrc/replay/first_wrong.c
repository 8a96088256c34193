/* Judges write beats against the journal; see first_wrong.h. */
#include "replay/first_wrong.h"

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

static void judge_beat(void *context, const struct axi_beat *told) {
    struct first_wrong *first = context;
    if (!first->journal)
        return;
    if (!told->write) {
        first->reads.late = first->found.kind != WRONG_NONE;
        read_judge_take(&first->reads, told);
    }
    if (!told->write || first->found.kind != WRONG_NONE)
        return;
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
    read_judge_open(&first->reads, first->config, first->journal);
    return (struct axi_listener){.context = first, .beat = judge_beat};
}

void first_wrong_close(struct first_wrong *first) {
    read_judge_close(&first->reads);
}
