/* The driver is one thread for each device: what it printed before decides what comes next. See message_order.h. */
#include "doctor/message_order.h"

#include <stddef.h>

static const struct log_operation *operation_at(const struct driver_log *log, long index) {
    return index >= 0 && (size_t)index < log->count ? &log->operations[index] : NULL;
}

static bool is_or_unknown(int value, long expected) {
    return value == LOG_NONE || value == expected;
}

/* Whether an operation of the unit, and of the group, is armed and has not completed. */
static bool runs(const struct driver_log *log, const struct message *message) {
    for (size_t i = 0; i < log->count; i++) {
        const struct log_operation *op = &log->operations[i];
        const bool seen = message->kind == MESSAGE_WEIGHTS ? op->weights : message->kind == MESSAGE_DATA && op->data;
        if (op->type == message->unit && op->armed && !op->completed && !seen &&
            is_or_unknown(op->group, message->numbers[0]))
            return true;
    }
    return !log->begun; /* it may have been armed before the log begins */
}

/* Messages of which each is the only one that can follow the one before. */
static bool continues_pair(const struct driver_log *log, const struct message *message, bool *pair) {
    const struct message *before = &log->previous;
    *pair = true;
    if (before->kind == MESSAGE_PREPARE || message->kind == MESSAGE_PREPARING)
        return before->kind == MESSAGE_PREPARE && message->kind == MESSAGE_PREPARING;
    if (before->kind == MESSAGE_PREPARING || message->kind == MESSAGE_GROUP) {
        const struct log_operation *op = operation_at(log, log->current);
        return before->kind == MESSAGE_PREPARING && message->kind == MESSAGE_GROUP && op && op->type == message->unit;
    }
    if (before->kind == MESSAGE_GROUP || message->kind == MESSAGE_PROGRAM)
        return before->kind == MESSAGE_GROUP && message->kind == MESSAGE_PROGRAM && message->numbers[0] == log->current;
    if (before->kind == MESSAGE_ENABLE || message->kind == MESSAGE_ENABLED)
        return before->kind == MESSAGE_ENABLE && message->kind == MESSAGE_ENABLED;
    if (before->kind == MESSAGE_DONE || message->kind == MESSAGE_COMPLETED) {
        const struct log_operation *op = operation_at(log, message->numbers[0]);
        return before->kind == MESSAGE_DONE && message->kind == MESSAGE_COMPLETED && before->unit == message->unit &&
               (op ? op->type == message->unit && op->armed && !op->completed &&
                         is_or_unknown(op->group, before->numbers[0])
                   : !log->begun);
    }
    *pair = false;
    return false;
}

/* Whether every completed operation was counted: "%d HWLs done". */
static bool counted(const struct driver_log *log) {
    return !log->begun || log->done == (long)log->completions;
}

static bool is_one_of(enum message_kind kind, unsigned kinds) {
    return kind == MESSAGE_OTHER || (kinds >> kind & 1) != 0;
}

#define KIND(kind) (1u << (kind))
#define EDGES_DONE (KIND(MESSAGE_PROGRAM) | KIND(MESSAGE_EDGE) | KIND(MESSAGE_ENABLED_END))

/* Whether the message before, of this task, is one behind which such a message comes. */
static bool fits_before(const struct driver_log *log, const struct message *message) {
    const enum message_kind before = log->previous.kind;
    switch (message->kind) {
    case MESSAGE_PREPARE:
        return log->depth == 0 && counted(log) &&
               is_one_of(before, EDGES_DONE | KIND(MESSAGE_INITIATE) | KIND(MESSAGE_LAYERS)) &&
               (!log->inside || message->unit == log->round_unit);
    case MESSAGE_EDGE:
    case MESSAGE_ENABLE:
        return is_one_of(before, EDGES_DONE | KIND(MESSAGE_ENABLED) | KIND(MESSAGE_COMPLETED));
    case MESSAGE_ENABLED_END:
        return is_one_of(before, KIND(MESSAGE_EDGE) | KIND(MESSAGE_ENABLED_END) | KIND(MESSAGE_ENABLED));
    case MESSAGE_LAYERS:
        return log->depth == 0 &&
               is_one_of(before, KIND(MESSAGE_EDGE) | KIND(MESSAGE_ENABLED_END) | KIND(MESSAGE_COMPLETED));
    case MESSAGE_INITIATED:
        return log->depth == 0 && is_one_of(before, EDGES_DONE | KIND(MESSAGE_INITIATE));
    default:
        return log->depth == 0 && counted(log);
    }
}

static bool operation_may_follow(const struct driver_log *log, const struct message *message) {
    const struct log_operation *op = operation_at(log, message->numbers[0]);
    switch (message->kind) {
    case MESSAGE_PREPARE:
        return !op || (!op->prepared && is_or_unknown(op->type, message->unit) &&
                       (op->edge == LOG_NONE || op->edge == message->numbers[2]));
    case MESSAGE_EDGE:
        return message->numbers[2] > 0 && (!op || op->edge == LOG_NONE || op->edge == message->numbers[2]);
    case MESSAGE_ENABLE:
        return !log->begun || (op && op->programmed && !op->enabling && op->type == message->unit && op->edge <= 0);
    case MESSAGE_ENABLED_END:
        return log->depth > 0;
    case MESSAGE_WEIGHTS:
    case MESSAGE_DATA:
    case MESSAGE_DONE:
        return log->inside && log->round_unit == message->unit && runs(log, message);
    case MESSAGE_LAYERS:
        return log->inside && (!log->layers || log->layers == message->numbers[1]) &&
               message->numbers[0] == (log->begun ? (long)log->completions : log->done + 1) &&
               (!log->begun || log->done < message->numbers[0]);
    default: /* an error */
        return true;
    }
}

bool message_may_follow(const struct driver_log *log, const struct message *message) {
    const bool starts = !log->initiated, waits = log->initiated && !log->in_round;
    bool pair;
    if (log->ended || !driver_log_has_task(log))
        return false;
    if (log->fault.number) /* what follows an error is in no order */
        return message->kind == MESSAGE_TASK_FAILED ? starts || log->initiate_status != 0
                                                    : message->kind != MESSAGE_RESET || waits;
    if (message->kind == MESSAGE_ASSERTION || message->kind == MESSAGE_FAULT)
        return starts || log->inside;
    const bool continues = continues_pair(log, message, &pair);
    if (pair)
        return continues;
    const struct log_operation *resolved = operation_at(log, log->resolved);
    if (resolved && resolved->programmed && !resolved->enabling && log->previous.kind == MESSAGE_EDGE)
        return message->kind == MESSAGE_ENABLE && message->numbers[0] == log->resolved;
    if (!fits_before(log, message))
        return false;
    switch (message->kind) {
    case MESSAGE_INITIATE:
        return starts && log->count == 0 && log->previous.kind == MESSAGE_OTHER;
    case MESSAGE_INITIATED:
        return starts;
    case MESSAGE_ROUND_UNIT:
        return message->unit == TYPE_BDMA ? waits
                                          : log->in_round && !log->inside && message->unit == log->round_unit + 1;
    case MESSAGE_ROUND_LEFT:
        return log->inside && log->depth == 0 && message->numbers[0] == 0;
    case MESSAGE_RESET:
        return waits && log->layers > 0 && log->done == log->layers;
    case MESSAGE_TASK_FAILED:
        return false;
    default:
        return (starts || log->inside) && operation_may_follow(log, message);
    }
}

bool message_breaks_order(const struct driver_log *log, const struct message *message) {
    if (!log->begun) /* its first lines may be of anything, but it counts on */
        return message->kind == MESSAGE_LAYERS && log->done && message->numbers[0] != log->done + 1;
    if (log->fault.number || log->busy.number || log->unarmed.number || log->early.number ||
        message_may_follow(log, message))
        return false;
    switch (message->kind) { /* bits that the device set wrongly */
    case MESSAGE_WEIGHTS:
    case MESSAGE_DATA:
    case MESSAGE_DONE:
        return !log->inside || log->round_unit != message->unit;
    case MESSAGE_COMPLETED:
        return log->previous.kind != MESSAGE_DONE || log->previous.unit != message->unit;
    default:
        return true;
    }
}
