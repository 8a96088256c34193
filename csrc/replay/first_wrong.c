/* Judges write beats against the journal; see first_wrong.h. */
#include "replay/first_wrong.h"

#include <string.h>

/* What is wrong with one byte. */
struct verdict {
    enum wrong_kind kind;
    bool known; /* what is expected */
    uint8_t expected;
};

static struct verdict judge_byte(const struct first_wrong *first, const struct axi_beat *beat, uint64_t address,
                                 uint8_t got, bool enabled) {
    const enum nvdla_unit unit = (enum nvdla_unit)beat->owner.unit;
    const enum memory_space space = (enum memory_space)beat->port;
    struct verdict verdict = {.kind = WRONG_NONE};
    if (beat->owner.ordinal < 0) { /* of BDMA */
        if (enabled && !journal_any(first->journal, unit, space, address, got))
            verdict.kind = WRONG_VALUE;
        return verdict;
    }
    switch (journal_look(first->journal, unit, beat->owner.ordinal, space, address, &verdict.expected)) {
    case JOURNAL_OUTSIDE:
        verdict.kind = enabled ? WRONG_OUTSIDE : WRONG_NONE;
        break;
    case JOURNAL_LEAVES:
        verdict.known = true;
        verdict.kind = got == verdict.expected ? WRONG_NONE : enabled ? WRONG_VALUE : WRONG_LEFT_OUT;
        break;
    case JOURNAL_UNWRITTEN:
    case JOURNAL_OVERLAPS:
        break;
    }
    return verdict;
}

/* True if some byte of the atom around byte i is enabled. */
static bool atom_enabled(const struct first_wrong *first, const struct axi_beat *beat, int i) {
    const int atom = first->config->mem_atom < beat->bytes ? first->config->mem_atom : beat->bytes;
    const uint64_t mask = (atom == 64 ? UINT64_MAX : (UINT64_C(1) << atom) - 1) << (i / atom * atom);
    return beat->strobe & mask;
}

static void keep(struct first_wrong *first, const struct axi_beat *beat, int i, const struct verdict *verdict) {
    struct wrong_beat *found = &first->found;
    if (found->kind == WRONG_NONE) {
        found->kind = verdict->kind;
        found->beat = *beat;
        found->address = beat->address + (uint64_t)i;
    }
    found->wrong |= UINT64_C(1) << i;
}

static void judge_beat(void *context, const struct axi_beat *beat) {
    struct first_wrong *first = context;
    if (!beat->write || !first->journal || first->found.kind != WRONG_NONE)
        return;
    first->beats++;
    const bool nobody = beat->owner.unit < 0 || (beat->owner.ordinal < 0 && beat->owner.unit != NVDLA_BDMA);
    uint8_t memory[WRONG_BYTES];
    memory_read(first->dev->memory[beat->port], beat->address, memory, (size_t)beat->bytes);
    for (int i = 0; i < beat->bytes; i++) {
        const bool enabled = beat->strobe >> i & 1;
        const uint8_t got = enabled ? beat->data[i] : memory[i];
        struct verdict verdict = {.kind = enabled && nobody ? WRONG_OWNER : WRONG_NONE};
        if (!nobody && atom_enabled(first, beat, i))
            verdict = judge_byte(first, beat, beat->address + (uint64_t)i, got, enabled);
        first->found.got[i] = got;
        first->found.expected[i] = verdict.expected;
        if (verdict.known)
            first->found.known |= UINT64_C(1) << i;
        if (verdict.kind != WRONG_NONE)
            keep(first, beat, i, &verdict);
    }
    if (first->found.kind == WRONG_NONE) {
        first->found.known = 0;
        return;
    }
    first->found.beat.data = first->found.got;
    first->dev->stop = true;
}

struct axi_listener first_wrong_listener(struct first_wrong *first) {
    return (struct axi_listener){.context = first, .beat = judge_beat};
}
