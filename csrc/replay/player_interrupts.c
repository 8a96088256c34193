/* The player's interrupts: events, the queue of a program with streams, clears and waits of a sequential one. */
#include <string.h>

#include "replay/player.h"
#include "replay/stream.h"

void player_raise(struct player *p, int event) {
    if (event >= 0) {
        p->raised[event] = true;
        player_moved(p);
    }
}

/* Interrupt sources are pairs of bits, one per ping-pong group. */
static int source_of(int bit) {
    return bit / 2;
}

/* Assigns an interrupt to the oldest notification of its source with this bit, among the first two of the source (one
 * swap of groups, chapter 80 section 3.3), else to one that takes any interrupt; else remembers it. */
static void route_interrupt(struct player *p, int bit) {
    const size_t count = p->notify_count;
    size_t found = count;
    int looked = 0;
    for (size_t i = 0; i < count && looked < 2 && found == count; i++) {
        const int other = p->prog->ops[p->notifies[i]].bit;
        if (other < 0 || source_of(other) != source_of(bit))
            continue;
        looked++;
        found = other == bit ? i : count;
    }
    for (size_t i = 0; i < count && found == count; i++)
        found = p->prog->ops[p->notifies[i]].bit < 0 ? i : count;
    if (found == count) {
        p->unclaimed[bit]++;
        return;
    }
    player_raise(p, p->prog->ops[p->notifies[found]].event);
    p->notify_count--;
    memmove(&p->notifies[found], &p->notifies[found + 1], (p->notify_count - found) * sizeof p->notifies[0]);
}

void player_notify(struct player *p, const struct op *op) {
    for (int bit = 0; bit < INTERRUPT_BITS; bit++) {
        if ((op->bit >= 0 && op->bit != bit) || p->unclaimed[bit] == 0)
            continue;
        p->unclaimed[bit]--;
        player_raise(p, op->event);
        return;
    }
    p->notifies[p->notify_count++] = (size_t)(op - p->prog->ops);
}

/* The interrupt queue of chapter 80 section 3.3. *found: there was an unmasked bit. */
bool player_service(struct player *p, bool *found) {
    uint32_t status, mask, after;
    if (!player_read(p, p->glb_status, &status) || !player_read(p, p->glb_mask, &mask))
        return false;
    uint32_t bits = status & ~mask;
    *found = bits != 0;
    if (bits == 0)
        return true;
    for (int bit = 0; bit < INTERRUPT_BITS; bit++) {
        if (bits >> bit & 1u) {
            route_interrupt(p, bit);
            p->result->interrupts++;
        }
    }
    return p->dev->ops->csb_write(p->dev, p->glb_status, bits, true, &p->err) && player_read(p, p->glb_status, &after);
}

/* A write to S_INTR_STATUS of a sequential program. */
bool player_clear(struct player *p, const struct op *op) {
    uint32_t pending;
    if (!player_read(p, p->glb_status, &pending))
        return false;
    uint32_t cleared = pending & op->value;
    if (!p->dev->ops->csb_write(p->dev, op->address, cleared, op->nposted, &p->err))
        return false;
    uint32_t consumed = p->asked;
    if (consumed == 0 && p->waited_since_clear)
        consumed = cleared & (~cleared + 1); /* the trace took an unspecified interrupt */
    if (p->asked != 0 || p->waited_since_clear)
        p->kept |= cleared & ~consumed;
    p->asked = 0;
    p->waited_since_clear = false;
    p->last_cleared = cleared;
    p->cleared_once = true;
    return true;
}

/* A wait of a sequential program for dla_intr = 1. */
enum step player_await(struct player *p, const struct op *op) {
    uint32_t wanted = program_wanted_bits(p->prog, (size_t)(op - p->prog->ops), p->glb_status);
    bool high = p->dev->ops->interrupt(p->dev);
    bool resting = p->rest_clocks >= REST_LONG;
    bool satisfied;
    if (wanted == 0) {
        satisfied = high || (resting && p->kept != 0);
        if (satisfied && !high)
            p->kept &= p->kept - 1;
    } else {
        uint32_t pending = 0;
        if (high && !player_read(p, p->glb_status, &pending))
            return STEP_BROKEN;
        satisfied = (wanted & ~(p->kept | pending)) == 0 || (resting && high);
    }
    if (!satisfied)
        return STEP_BLOCKED;
    p->waited_since_clear = true;
    return STEP_DONE;
}
