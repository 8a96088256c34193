/* The state of the driver, message by message. See driver_log.h. */
#include "doctor/driver_log.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum { WRAPPED_FROM = 200 }; /* counters of edges are bytes; no operation waits for so many */

static void keep_line(struct log_line *line, const struct message *message) {
    if (line->number)
        return;
    line->number = message->number;
    struct span shown = span_trim(message->line);
    const char *close = span_starts(shown, "[") ? memchr(shown.at, ']', shown.n) : NULL;
    if (close && message->time >= 0) {
        shown.n -= (size_t)(close + 1 - shown.at);
        shown.at = close + 1;
        shown = span_trim(shown);
    }
    text_shown_bytes(shown.at, shown.n, line->text, sizeof line->text);
}

/* What came before a task did not stop it. */
static void forget_kernel(struct driver_log *log) {
    log->environment = log->stall = log->unclaimed = log->null_pointer = (struct log_line){0};
    log->in_handler = log->blocked = false;
}

bool driver_log_has_task(const struct driver_log *log) {
    return log->begun || log->count > 0;
}

bool driver_log_failed(const struct driver_log *log) {
    return log->fault.number || log->unarmed_operation != LOG_NONE || log->early.number ||
           (log->failed.number && !log->busy.number);
}

void driver_log_begin_task(struct driver_log *log, bool begun) {
    const unsigned tasks = log->tasks + (begun ? 1 : 0);
    log->worked = log->worked || log->completions > 0;
    free(log->operations);
    log->operations = NULL;
    log->count = 0;
    log->tasks = tasks;
    log->line = 0;
    log->begun = begun;
    log->start_ends = false;
    log->initiated = log->ended = false;
    log->initiate_status = 0;
    log->current = log->resolved = LOG_NONE;
    log->depth = 0;
    log->done = log->layers = 0;
    log->armings = log->completions = 0;
    log->last = LAST_NOTHING;
    log->earlier_rounds += log->rounds;
    log->earlier_events += log->events;
    log->rounds = log->empty_rounds = log->empty_at_end = log->events = 0;
    log->in_round = log->round_has_events = log->round_has_fetches = log->round_is_whole = false;
    log->whole_convolution = log->inside = false;
    log->previous = (struct message){.kind = MESSAGE_OTHER};
    log->wrapped = LOG_NONE;
    log->fault = log->unarmed = log->early = (struct log_line){0};
    log->fault_cause = CAUSE_COUNT;
    log->fault_operation = log->unarmed_operation = LOG_NONE;
    log->fault_waits = log->fault_is_assertion = false;
    log->time_of_arming = -1;
    forget_kernel(log);
    for (int type = 0; type < TYPE_COUNT; type++)
        log->first_type_group[type] = LOG_NONE;
}

void driver_log_begin(struct driver_log *log) {
    *log = (struct driver_log){.first_time = -1, .last_time = -1};
    driver_log_begin_task(log, false);
}

void driver_log_free(struct driver_log *log) {
    free(log->operations);
    log->operations = NULL;
    log->count = 0;
}

/* The operation of that number; NULL if the number is damaged. */
static struct log_operation *operation_at(struct driver_log *log, long index, int type) {
    if (index < 0 || index >= OPERATIONS_MAX)
        return NULL;
    while (log->count <= (size_t)index) {
        log->operations = xgrow(log->operations, log->count, sizeof *log->operations);
        log->operations[log->count++] = (struct log_operation){
            .type = LOG_NONE, .group = LOG_NONE, .feeds = LOG_NONE, .fed_by = LOG_NONE, .edge = LOG_NONE};
    }
    struct log_operation *op = &log->operations[index];
    if (type != LOG_NONE)
        op->type = type;
    return op;
}

static int number_of(const struct driver_log *log, const struct log_operation *op) {
    return op ? (int)(op - log->operations) : LOG_NONE;
}

static void see_fault(struct driver_log *log, const struct message *message, enum cause cause) {
    if (log->fault.number)
        return;
    keep_line(&log->fault, message);
    log->fault_cause = cause;
    log->fault_operation = log->current;
    log->fault_waits = log->initiated;
}

/* What a failed assertion of the driver stands for: 86-driver-log section 4. */
static enum cause cause_of_assertion(const struct driver_log *log, struct span rest) {
    char text[LOG_TEXT];
    const size_t n = rest.n < sizeof text - 1 ? rest.n : sizeof text - 1;
    memcpy(text, rest.at, n);
    text[n] = '\0';
    const char *quote = strchr(text, '"');
    const char *end = quote ? strchr(quote + 1, '"') : NULL;
    const long line = end ? strtol(end + 1, NULL, 10) : 0;
    if (strstr(text, "(reg ==")) {
        const bool first_check = line < 350; /* CACC, the first unit that is asked; the others follow */
        const bool second_group_first = log->current != LOG_NONE && !log->completions &&
                                        log->operations[log->current].group == 1 && log->probed && log->tasks == 1;
        return first_check && (second_group_first || log->completions || log->worked) ? CAUSE_READS_ONES : CAUSE_BUSY;
    }
    if (strstr(text, "weight_compress_support") || strstr(text, "line_stride"))
        return CAUSE_CONFIGURATION;
    return CAUSE_LOADABLE;
}

static void prepare(struct driver_log *log, const struct message *message) {
    struct log_operation *op = operation_at(log, message->numbers[0], message->unit);
    log->current = number_of(log, op);
    if (op) {
        op->prepared = true;
        op->edge = message->numbers[2];
    }
    if (message->numbers[2] >= WRAPPED_FROM && log->wrapped == LOG_NONE) {
        log->wrapped = log->current;
        keep_line(&log->unarmed, message);
    }
}

static void choose_group(struct driver_log *log, const struct message *message) {
    const int group = (int)(message->numbers[0] & 1);
    struct log_operation *op = log->current == LOG_NONE ? NULL : &log->operations[log->current];
    if (op && op->type == message->unit)
        op->group = group;
    if (log->first_type_group[message->unit] == LOG_NONE)
        log->first_type_group[message->unit] = group;
}

static void enable(struct driver_log *log, const struct message *message) {
    struct log_operation *op = operation_at(log, message->numbers[0], message->unit);
    log->current = number_of(log, op);
    log->resolved = LOG_NONE;
    log->last = LAST_ENABLE;
    if (!op)
        return;
    op->enabling = op->prepared = op->programmed = true;
    op->arming = ++log->armings;
    if (message->time >= 0)
        log->time_of_arming = message->time;
}

static void enabled(struct driver_log *log) {
    if (log->current != LOG_NONE && log->operations[log->current].enabling) {
        log->operations[log->current].armed = true;
        log->flushed = log->flushed || log->operations[log->current].type == TYPE_CONV;
    }
    if (log->depth < LOG_NESTED)
        log->stack[log->depth] = log->current;
    log->depth++;
}

/* An edge that is released while an operation's arming is announced: its fused parent waits for it. */
static void release_edge(struct driver_log *log, const struct message *message) {
    struct log_operation *parent = operation_at(log, message->numbers[0], LOG_NONE);
    log->resolved = message->numbers[2] == 1 ? number_of(log, parent) : LOG_NONE;
    if (parent)
        parent->edge = message->numbers[2] - 1;
    if (!parent || log->depth < 1 || log->depth > LOG_NESTED)
        return;
    const int from = log->stack[log->depth - 1];
    if (from == LOG_NONE || from == (int)message->numbers[0])
        return;
    parent->feeds = from;
    log->operations[from].fed_by = (int)message->numbers[0];
}

static void fetched(struct driver_log *log, const struct message *message) {
    log->events++;
    log->round_has_events = log->round_has_fetches = log->fetch_events = log->flushed = true;
    for (size_t i = 0; i < log->count; i++) {
        struct log_operation *op = &log->operations[i];
        if (op->type != TYPE_CONV || !op->armed || op->completed ||
            (op->group != LOG_NONE && op->group != (message->numbers[0] & 1)))
            continue;
        *(message->kind == MESSAGE_WEIGHTS ? &op->weights : &op->data) = true;
        return;
    }
}

static void complete(struct driver_log *log, const struct message *message) {
    struct log_operation *op = operation_at(log, message->numbers[0], message->unit);
    log->current = number_of(log, op);
    log->completions++;
    log->units_worked |= 1u << message->unit;
    log->flushed = log->flushed || message->unit == TYPE_CONV;
    if (!op)
        return;
    const bool seen_before = op->prepared || log->begun;
    if ((op->completed || (!op->armed && seen_before)) && !log->fault.number && log->wrapped == LOG_NONE &&
        log->unarmed_operation == LOG_NONE) {
        keep_line(&log->unarmed, message);
        log->unarmed_operation = log->current;
    }
    const struct log_operation *feeder = op->fed_by == LOG_NONE ? NULL : &log->operations[op->fed_by];
    if (feeder && log->begun && !feeder->enabling && !log->fault.number)
        keep_line(&log->early, message);
    op->completed++;
}

static void begin_round_unit(struct driver_log *log, const struct message *message) {
    log->inside = true;
    if (message->unit == TYPE_BDMA || !log->in_round)
        log->round_has_events = log->round_has_fetches = log->round_is_whole = false;
    log->in_round = true;
    log->initiated = true;
}

static void leave_round_unit(struct driver_log *log, const struct message *message, bool last_unit) {
    log->inside = false;
    if ((int32_t)(uint32_t)(unsigned long)message->numbers[0] < 0 && log->fault.number)
        log->fault_waits = true;
    if (!last_unit)
        return;
    log->in_round = false;
    log->rounds++;
    log->last = LAST_REST;
    if (log->round_has_events) {
        log->empty_at_end = 0;
        log->whole_convolution = log->round_is_whole;
    } else {
        log->empty_rounds++;
        log->empty_at_end++;
    }
}

static void probe(struct driver_log *log, const struct message *message) {
    struct span name = message->rest, word = span_token(&name);
    driver_log_begin_task(log, false);
    log->tasks = 0;
    log->worked = log->flushed = false;
    log->units_worked = 0;
    log->earlier_rounds = log->earlier_events = 0;
    log->probed = true;
    log->busy = log->failed = (struct log_line){0};
    text_shown_bytes(word.at, word.n, log->compatible, sizeof log->compatible);
}

static void see_ioctl(struct driver_log *log, const struct message *message) {
    const char *end = memchr(message->rest.at, ')', message->rest.n);
    text_shown_bytes(message->rest.at, end ? (size_t)(end - message->rest.at) : 0, log->ioctl, sizeof log->ioctl);
    keep_line(&log->failed, message);
}

static void see_named_fault(struct driver_log *log, const struct message *message) {
    if (message->cause == CAUSE_ENVIRONMENT) {
        if (!log->ended)
            keep_line(&log->environment, message);
    } else if (message->cause == CAUSE_BUSY && (log->ended || !log->fault.number))
        keep_line(&log->busy, message);
    else if (message->cause != CAUSE_BUSY)
        see_fault(log, message, message->cause);
}

enum { ALIGNED = 8 }; /* NVDLA's addresses; an error of the DMA mapping, all ones, is not */

/* Buffers of one run live at the same time: none is at 0, and no two are at one address. */
static void see_buffer(struct driver_log *log, const struct message *message) {
    const long address = message->numbers[0];
    if (log->run_over) {
        log->buffer_count = 0;
        log->address = (struct log_line){0};
    }
    log->run_over = false;
    bool wrong = address % ALIGNED != 0 || address == 0;
    for (size_t i = 0; i < log->buffer_count; i++)
        wrong = wrong || log->buffers[i] == address;
    if (wrong && !log->address.number)
        log->address_impossible = address % ALIGNED != 0 || address == 0;
    if (wrong)
        keep_line(&log->address, message);
    if (log->buffer_count < LOG_BUFFERS)
        log->buffers[log->buffer_count++] = address;
}

/* Messages of the kernel and of the runtime. True if it was one. */
static bool other_program(struct driver_log *log, const struct message *message) {
    switch (message->kind) {
    case MESSAGE_BLOCKED:
        log->blocked = true;
        log->blocked_seconds = message->numbers[0];
        return true;
    case MESSAGE_STALL: /* after the end of a task a processor has only the interrupt to serve */
        keep_line(log->ended ? &log->unclaimed : &log->stall, message);
        return true;
    case MESSAGE_UNCLAIMED:
        keep_line(&log->unclaimed, message);
        return true;
    case MESSAGE_NULL_POINTER:
        keep_line(&log->null_pointer, message);
        return true;
    case MESSAGE_IN_HANDLER:
        log->in_handler = true;
        return true;
    case MESSAGE_ADDRESS:
        see_buffer(log, message);
        return true;
    case MESSAGE_RUN:
        log->run_over = true;
        return true;
    case MESSAGE_SUBMIT:
        log->runtime = true;
        return true;
    case MESSAGE_IOCTL:
        see_ioctl(log, message);
        return true;
    case MESSAGE_PASS:
        log->passed = true;
        return true;
    case MESSAGE_PICTURE:
        keep_line(&log->picture, message);
        return true;
    case MESSAGE_NO_PICTURE:
        log->no_picture = true;
        return true;
    case MESSAGE_FAULT:
        see_named_fault(log, message);
        return true;
    case MESSAGE_PROBE:
        probe(log, message);
        return true;
    default:
        return false;
    }
}

/* Messages about operations. */
static void operation_message(struct driver_log *log, const struct message *message) {
    switch (message->kind) {
    case MESSAGE_PREPARE:
        prepare(log, message);
        break;
    case MESSAGE_PREPARING:
        log->last = LAST_PREPARING;
        break;
    case MESSAGE_GROUP:
        choose_group(log, message);
        break;
    case MESSAGE_PROGRAM: {
        struct log_operation *op = operation_at(log, message->numbers[0], message->unit);
        log->current = number_of(log, op);
        log->last = LAST_PROGRAM;
        if (op)
            op->prepared = op->programmed = true;
        break;
    }
    case MESSAGE_EDGE:
        release_edge(log, message);
        break;
    case MESSAGE_ENABLE:
        enable(log, message);
        break;
    case MESSAGE_ENABLED:
        enabled(log);
        break;
    case MESSAGE_ENABLED_END:
        if (log->depth > 0)
            log->depth--;
        break;
    case MESSAGE_COMPLETED:
        complete(log, message);
        break;
    default:
        break;
    }
}

/* Messages about the task and its rounds of interrupts. */
static void task_message(struct driver_log *log, const struct message *message) {
    switch (message->kind) {
    case MESSAGE_NETWORK:
        driver_log_begin_task(log, true);
        log->line = message->number;
        break;
    case MESSAGE_INITIATED:
        log->initiated = log->start_ends = true;
        log->initiate_status = message->numbers[0];
        log->last = LAST_REST;
        log->depth = 0;
        break;
    case MESSAGE_RESET:
        log->ended = log->run_over = driver_log_has_task(log);
        log->last = LAST_NOTHING;
        break;
    case MESSAGE_TASK_FAILED:
        log->ended = log->run_over = true;
        keep_line(&log->failed, message);
        break;
    case MESSAGE_ASSERTION:
        see_fault(log, message, cause_of_assertion(log, message->rest));
        log->fault_is_assertion = true;
        break;
    case MESSAGE_ROUND_UNIT:
        begin_round_unit(log, message);
        log->current = LOG_NONE;
        log->depth = 0;
        break;
    case MESSAGE_DONE:
        log->events++;
        log->round_has_events = true;
        log->round_is_whole = log->round_is_whole || (message->unit == TYPE_CONV && log->round_has_fetches);
        break;
    case MESSAGE_WEIGHTS:
    case MESSAGE_DATA:
        fetched(log, message);
        break;
    case MESSAGE_LAYERS:
        log->done = message->numbers[0];
        log->layers = message->numbers[1];
        break;
    default:
        break;
    }
}

void driver_log_message(struct driver_log *log, const struct message *message) {
    if (message->time >= 0) {
        log->first_time = log->first_time < 0 ? message->time : log->first_time;
        log->last_time = message->time;
    }
    if (other_program(log, message))
        return;
    if (log->messages++ == 0)
        forget_kernel(log);
    /* A task that is refused because the one before it still waits. */
    if (message->kind == MESSAGE_TASK_FAILED && log->busy.number && log->initiated && !log->ended)
        return;
    const bool reset = message->kind == MESSAGE_RESET && !driver_log_has_task(log);
    if (message->kind != MESSAGE_OTHER)
        log->previous = *message;
    if (message->kind == MESSAGE_ROUND_LEFT) {
        leave_round_unit(log, message, log->round_unit == TYPE_RUBIK);
        return;
    }
    if (message->kind == MESSAGE_ROUND_UNIT)
        log->round_unit = message->unit;
    if (!reset)
        log->last = LAST_BUSY;
    log->debug_lines = log->debug_lines || message->kind == MESSAGE_PREPARE || message->kind == MESSAGE_ENABLE;
    operation_message(log, message);
    task_message(log, message);
}
