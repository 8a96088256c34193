/* Puts the streams of a program in order. See order.h. */
#include "export/order.h"

#include <stdlib.h>
#include <string.h>

#include "layers/pairing.h"
#include "layers/tracker.h"
#include "nvdla/engines.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

enum { POSITION = 512, INTERRUPTS = 32 };

/* Operations of one stream, without comments. */
struct order_cursor {
    size_t *ops;
    size_t count, next;
};

struct order {
    const struct program *prog;
    struct program *out;
    struct error *err;
    struct order_cursor *streams;
    size_t *deferred; /* deferred operations, whose streams have continued, in file order */
    size_t deferred_count;
    size_t *notifies; /* issued notifications whose interrupts have not been waited for; oldest first */
    size_t notify_count;
    bool *raised;
    size_t *raiser;            /* operation that raises an event */
    int waited_of[INTERRUPTS]; /* number of interrupts waited for, by bit */
    struct layer_tracker *layers;
    uint32_t status, mask_address; /* addresses of S_INTR_STATUS and S_INTR_MASK */
    uint32_t mask;                 /* S_INTR_MASK after the operations so far */
};

/* ---- output ---- */

/* Comments right before an operation, or after it on its line, move with it. */
static void put_notes(struct order *order, size_t from, size_t end) {
    for (size_t i = from; i < end; i++)
        program_append(order->out, &order->prog->ops[i])->stream = 0;
}

static size_t first_note(const struct program *prog, size_t index) {
    while (index > 0 && prog->ops[index - 1].kind == OP_NOTE)
        index--;
    return index;
}

static bool belongs_behind(const struct program *prog, size_t note) {
    return note < prog->count && prog->ops[note].kind == OP_NOTE && note > 0 && prog->ops[note].line > 0 &&
           prog->ops[note].line == prog->ops[note - 1].line && prog->ops[note].file == prog->ops[note - 1].file;
}

static void put_clear(struct order *order, const struct op *from, uint32_t bits, bool at_end) {
    struct op op = op_make(OP_WRITE, from->line);
    op.file = from->file;
    op.address = order->status;
    op.value = bits;
    op.nposted = true;
    op.at_end = at_end;
    program_append(order->out, &op);
}

/* ---- interrupts ---- */

/* True if the launches that this one needs to end have also been armed. */
static bool is_fed(const struct order *order, const struct launch *launch) {
    static const enum nvdla_unit convolution[] = {NVDLA_CACC, NVDLA_CMAC_A, NVDLA_CMAC_B, NVDLA_CSC, NVDLA_CDMA};
    enum nvdla_unit reader = NVDLA_UNIT_COUNT;
    if (launch->unit == NVDLA_CDP)
        reader = NVDLA_CDP_RDMA;
    else if (launch->unit == NVDLA_SDP &&
             !REGISTER_FIELD(launch_register(launch, SDP_D_FEATURE_MODE_CFG), SDP_D_FEATURE_MODE_CFG__FLYING_MODE))
        reader = NVDLA_SDP_RDMA;
    if (reader != NVDLA_UNIT_COUNT)
        return layer_tracker_feeder(order->layers, launch, reader) != NULL;
    for (size_t i = 0; launch->unit == NVDLA_SDP && i < sizeof convolution / sizeof *convolution; i++)
        if (!layer_tracker_feeder(order->layers, launch, convolution[i]))
            return false;
    return true;
}

/* True if the launch for the next interrupt of that bit, after `earlier` ones, has been armed. */
static bool is_armed(const struct order *order, int bit, int earlier) {
    const enum nvdla_unit unit = nvdla_interrupt_unit(bit);
    const struct launch *launch;
    int seen = order->waited_of[bit] + earlier;
    for (int ordinal = 0; (launch = layer_tracker_find(order->layers, unit, ordinal)) != NULL; ordinal++)
        if (launch->group == bit % 2 && seen-- == 0)
            return is_fed(order, launch);
    return false;
}

static void forget_notify(struct order *order, size_t at) {
    order->notify_count--;
    memmove(&order->notifies[at], &order->notifies[at + 1], (order->notify_count - at) * sizeof *order->notifies);
}

/* Waits for the interrupt of the notification and raises its event. */
static void take_interrupt(struct order *order, size_t at) {
    const struct op *notify = &order->prog->ops[order->notifies[at]];
    struct op op = op_make(notify->bit < 0 ? OP_WAIT : OP_POLL, notify->line);
    op.file = notify->file;
    op.level = notify->bit < 0;
    if (notify->bit >= 0) {
        op.address = order->status;
        op.value = op.mask = UINT32_C(1) << notify->bit;
        order->waited_of[notify->bit]++;
    }
    program_append(order->out, &op);
    put_clear(order, notify, notify->bit < 0 ? UINT32_MAX : op.value, false);
    order->raised[notify->event] = true;
    forget_notify(order, at);
}

/* When a launch is armed: waits for interrupts of earlier launches with the same bit, if their notifications were
 * issued before they were armed. Two interrupts of a bit without a clear in between would merge into one. */
static void take_before(struct order *order, const struct launch *armed) {
    const struct launch *launch, *before = NULL;
    for (int ordinal = 0; ordinal < armed->ordinal; ordinal++)
        if ((launch = layer_tracker_find(order->layers, armed->unit, ordinal)) && launch->group == armed->group)
            before = launch;
    for (size_t i = 0; before && i < order->notify_count;) {
        const int bit = order->prog->ops[order->notifies[i]].bit;
        if (bit >= 0 && bit % 2 == armed->group && nvdla_interrupt_unit(bit) == armed->unit &&
            order->notifies[i] < before->tag)
            take_interrupt(order, i);
        else
            i++;
    }
}

/* Waits for the interrupt that raises an event, after older ones of its engine: an interrupt must be cleared before the
 * next of the same bit. False: its notification has not been issued, or (unless forced) its launch has not been
 * armed. */
static bool wait_for_event(struct order *order, int event, bool force) {
    const struct program *prog = order->prog;
    size_t at = 0;
    int earlier = 0;
    while (at < order->notify_count && prog->ops[order->notifies[at]].event != event)
        at++;
    if (at == order->notify_count)
        return false;
    const int bit = prog->ops[order->notifies[at]].bit;
    for (size_t i = 0; i < at; i++)
        earlier += prog->ops[order->notifies[i]].bit == bit;
    if (!force && bit >= 0 && !is_armed(order, bit, earlier))
        return false;
    for (size_t i = 0; i < at;) {
        const int other = prog->ops[order->notifies[i]].bit;
        if (bit < 0 ? other < 0 : other == bit || (other / 2 == bit / 2 && is_armed(order, other, 0))) {
            take_interrupt(order, i);
            at--;
        } else {
            i++;
        }
    }
    take_interrupt(order, at);
    return true;
}

static void put(struct order *order, size_t index) {
    const struct program *prog = order->prog;
    struct op op = prog->ops[index];
    size_t notes = first_note(prog, index);
    if (notes > 0 && notes < index && belongs_behind(prog, notes))
        notes++;
    if (op.kind == OP_WRITE) {
        const struct launch *armed = layer_tracker_write(order->layers, op.address, op.value, index);
        if (armed)
            take_before(order, armed);
        if (op.address == order->mask_address)
            order->mask = op.value;
    }
    put_notes(order, notes, index);
    op.stream = 0;
    op.after = op.event = -1;
    if (op.kind != OP_INTR_NOTIFY && op.kind != OP_SYNC_NOTIFY && op.kind != OP_SYNC_WAIT && op.kind != OP_CHECK_EVENT)
        program_append(order->out, &op);
    if (belongs_behind(prog, index + 1))
        put_notes(order, index + 1, index + 2);
}

/* ---- the order ---- */

/* Appends operations whose event has been raised. */
static void put_deferred(struct order *order) {
    for (size_t i = 0; i < order->deferred_count;) {
        const size_t index = order->deferred[i];
        if (!order->raised[order->prog->ops[index].after]) {
            i++;
            continue;
        }
        order->deferred_count--;
        memmove(&order->deferred[i], &order->deferred[i + 1], (order->deferred_count - i) * sizeof *order->deferred);
        put(order, index);
    }
}

static void defer(struct order *order, size_t index) {
    size_t at = order->deferred_count++;
    for (; at > 0 && order->deferred[at - 1] > index; at--)
        order->deferred[at] = order->deferred[at - 1];
    order->deferred[at] = index;
}

/* Appends the next operation of a stream if possible. */
static bool go(struct order *order, struct order_cursor *stream) {
    const size_t index = stream->ops[stream->next];
    const struct op *op = &order->prog->ops[index];
    if (op->after >= 0) {
        defer(order, index);
    } else {
        if (op->kind == OP_SYNC_WAIT && !order->raised[op->event] && !wait_for_event(order, op->event, false))
            return false;
        put(order, index);
        if (op->kind == OP_INTR_NOTIFY)
            order->notifies[order->notify_count++] = index;
        if (op->kind == OP_SYNC_NOTIFY)
            order->raised[op->event] = true;
    }
    stream->next++;
    return true;
}

/* The stream whose next operation is first in the file, of those from operation `from` on. NULL: none. */
static struct order_cursor *first_stream(const struct order *order, size_t from) {
    struct order_cursor *first = NULL;
    for (size_t i = 0; i < order->prog->stream_count; i++) {
        struct order_cursor *stream = &order->streams[i];
        if (stream->next < stream->count && stream->ops[stream->next] >= from &&
            (!first || stream->ops[stream->next] < first->ops[first->next]))
            first = stream;
    }
    return first;
}

static bool go_once(struct order *order) {
    struct order_cursor *stream = first_stream(order, 0);
    while (stream && !go(order, stream))
        stream = first_stream(order, stream->ops[stream->next] + 1);
    return stream != NULL;
}

/* No stream can continue: a deferred operation waits for an interrupt, or a stream waits for one without a visible
 * launch. Waits for it anyway. */
static bool wait_once(struct order *order) {
    const struct program *prog = order->prog;
    for (size_t i = 0; i < order->deferred_count; i++)
        if (wait_for_event(order, prog->ops[order->deferred[i]].after, false))
            return true;
    for (struct order_cursor *stream = first_stream(order, 0); stream;
         stream = first_stream(order, stream->ops[stream->next] + 1))
        if (wait_for_event(order, prog->ops[stream->ops[stream->next]].event, true))
            return true;
    for (size_t i = 0; i < order->deferred_count; i++)
        if (wait_for_event(order, prog->ops[order->deferred[i]].after, true))
            return true;
    return false;
}

/* Reports the first waiting operation and the one that it waits for. */
static void explain(const struct order *order) {
    const struct program *prog = order->prog;
    const struct order_cursor *first = first_stream(order, 0);
    const size_t waiting = first ? first->ops[first->next] : order->deferred[0];
    const struct op *op = &prog->ops[waiting];
    const int event = first ? op->event : op->after;
    const struct op *raiser = &prog->ops[order->raiser[event]];
    const struct order_cursor *stream = &order->streams[raiser->stream];
    const struct op *before = stream->next < stream->count ? &prog->ops[stream->ops[stream->next]] : raiser;
    char at[POSITION], from[POSITION], behind[POSITION];
    error_set(order->err,
              "%s: waits for event %s of %s, which follows %s, which waits for event %s: these two wait for each "
              "other, so the streams have no order; remove one of the waits",
              op_position(prog, op, at, sizeof at), prog->events[event], op_position(prog, raiser, from, sizeof from),
              op_position(prog, before, behind, sizeof behind), before->event >= 0 ? prog->events[before->event] : "?");
}

static bool order_streams(struct order *order) {
    for (;;) {
        put_deferred(order);
        if (go_once(order))
            continue;
        if (!first_stream(order, 0) && order->deferred_count == 0)
            break;
        if (!wait_once(order)) {
            explain(order);
            return false;
        }
    }
    while (order->notify_count > 0)
        take_interrupt(order, 0);
    return true;
}

static void put_end(struct order *order) {
    const struct program *prog = order->prog;
    bool cleared = prog->sequential;
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (!op->at_end || op->kind == OP_NOTE)
            continue;
        if (!cleared && (op->kind == OP_READ_CHECK || op->kind == OP_POLL) && op->address == order->status) {
            put_clear(order, op, ~order->mask, true);
            cleared = true;
        }
        put(order, i);
    }
}

static void open_streams(struct order *order) {
    const struct program *prog = order->prog;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < prog->count; i++) {
            struct order_cursor *stream = &order->streams[prog->sequential ? 0 : prog->ops[i].stream];
            if (prog->ops[i].kind == OP_NOTE || prog->ops[i].at_end)
                continue;
            if (pass)
                stream->ops[stream->next++] = i;
            else
                stream->count++;
        }
        for (size_t i = 0; i < prog->stream_count + 1; i++) {
            struct order_cursor *stream = &order->streams[i];
            stream->next = 0;
            if (!pass)
                stream->ops = xcalloc(stream->count + 1, sizeof *stream->ops);
        }
    }
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_INTR_NOTIFY || prog->ops[i].kind == OP_SYNC_NOTIFY)
            order->raiser[prog->ops[i].event] = i;
}

struct program *program_in_order(struct program *prog, struct error *err) {
    const struct nvdla_register *status = nvdla_register_find(prog->config, NVDLA_GLB, "S_INTR_STATUS");
    const struct nvdla_register *mask = nvdla_register_find(prog->config, NVDLA_GLB, "S_INTR_MASK");
    struct order order = {.prog = prog,
                          .out = program_like(prog),
                          .err = err,
                          .streams = xcalloc(prog->stream_count + 1, sizeof *order.streams),
                          .deferred = xcalloc(prog->count + 1, sizeof *order.deferred),
                          .notifies = xcalloc(prog->count + 1, sizeof *order.notifies),
                          .raised = xcalloc(prog->event_count + 1, sizeof *order.raised),
                          .raiser = xcalloc(prog->event_count + 1, sizeof *order.raiser),
                          .layers = layer_tracker_new(prog->config),
                          .status = status->address,
                          .mask_address = mask->address,
                          .mask = mask->reset};
    program_stream(order.out, "main");
    order.out->sequential = true;
    open_streams(&order);
    bool good = order_streams(&order);
    if (good)
        put_end(&order);
    for (size_t i = 0; i < prog->stream_count + 1; i++)
        free(order.streams[i].ops);
    free(order.streams);
    free(order.deferred);
    free(order.notifies);
    free(order.raised);
    free(order.raiser);
    layer_tracker_free(order.layers);
    if (!good) {
        program_free(order.out);
        return NULL;
    }
    program_move_content(order.out, prog);
    return order.out;
}
