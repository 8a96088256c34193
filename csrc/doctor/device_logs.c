/* See device_logs.h. */
#include "doctor/device_logs.h"

#include <stdlib.h>
#include <string.h>

#include "doctor/message_order.h"
#include "nvdla/xalloc.h"

static struct driver_log *last_log(struct way *way) {
    return &way->logs[way->count - 1];
}

static bool is_open(const struct way *way, size_t i) {
    return !way->closed[i] && driver_log_has_task(&way->logs[i]) && !way->logs[i].ended;
}

static unsigned open_tasks(const struct way *way) {
    unsigned open = 0;
    for (size_t i = 0; i < way->count; i++)
        open += is_open(way, i);
    return open;
}

/* ---- ways ---- */

static void free_way(struct way *way) {
    for (size_t i = 0; i < way->count; i++)
        driver_log_free(&way->logs[i]);
}

static struct way copy_way(const struct way *way) {
    struct way copy = *way;
    for (size_t i = 0; i < copy.count; i++) {
        struct driver_log *log = &copy.logs[i];
        log->operations = NULL;
        for (size_t k = 0; k < log->count; k++) {
            log->operations = xgrow(log->operations, k, sizeof *log->operations);
            log->operations[k] = way->logs[i].operations[k];
        }
    }
    return copy;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

/* Of what decides which messages may follow, and the diagnosis. */
static uint64_t state_of(const struct driver_log *log) {
    const uint64_t empty = log->empty_at_end, full = log->rounds - log->empty_rounds;
    const uint64_t values[] = {
        (uint64_t)log->previous.kind,
        (uint64_t)log->previous.unit,
        (uint64_t)log->previous.numbers[0],
        (uint64_t)log->current,
        (uint64_t)log->resolved,
        (uint64_t)log->depth,
        (uint64_t)log->done,
        (uint64_t)log->last,
        (uint64_t)log->round_unit,
        (uint64_t)log->inside << 5 | (uint64_t)log->in_round << 4 | (uint64_t)log->initiated << 3 |
            (uint64_t)log->ended << 2 | (uint64_t)log->round_has_events << 1 | log->start_ends,
        (uint64_t)log->units_worked << 2 | (uint64_t)log->round_has_fetches << 1 | log->whole_convolution,
        log->fault.number,
        log->unarmed.number,
        log->early.number,
        log->stall.number,
        log->unclaimed.number,
        log->environment.number,
        empty < 4    ? empty
        : empty < 20 ? 4
                     : 5,
        full < 2 ? full : 2};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        hash = mix(hash, values[i]);
    for (int i = 0; i < log->depth && i < LOG_NESTED; i++)
        hash = mix(hash, (uint64_t)log->stack[i]);
    for (size_t i = 0; i < log->count; i++) {
        const struct log_operation *op = &log->operations[i];
        hash = mix(hash, (uint64_t)op->prepared << 6 | (uint64_t)op->programmed << 5 | (uint64_t)op->enabling << 4 |
                             (uint64_t)op->armed << 3 | (uint64_t)op->weights << 2 | (uint64_t)op->data << 1 |
                             (op->completed > 0));
        hash = mix(hash, (uint64_t)op->type << 32 | (uint32_t)op->edge);
        hash = mix(hash, (uint64_t)op->group << 48 ^ (uint64_t)op->feeds << 24 ^ (uint64_t)op->fed_by);
    }
    return hash;
}

/* Equal for ways that differ only in which of two devices is called the first. */
static uint64_t way_key(const struct way *way) {
    uint64_t key = 0;
    for (size_t i = 0; i < way->count; i++)
        key += mix(state_of(&way->logs[i]), 1);
    return key;
}

/* Adds a way unless there is one like it. */
static void add_way(struct device_logs *devices, struct way way) {
    way.key = way_key(&way);
    for (size_t i = 0; i < devices->way_count; i++)
        if (devices->ways[i].key == way.key) {
            free_way(&way);
            return;
        }
    devices->ways = xgrow(devices->ways, devices->way_count, sizeof *devices->ways);
    devices->ways[devices->way_count++] = way;
}

/* ---- messages ---- */

/* Room for one more log; false: all are open. */
static bool make_room(struct way *way) {
    size_t oldest = 0;
    if (way->count < DEVICES_MOST)
        return true;
    while (oldest < way->count && is_open(way, oldest))
        oldest++;
    if (oldest == way->count)
        return false;
    driver_log_free(&way->logs[oldest]);
    way->count--;
    memmove(&way->logs[oldest], &way->logs[oldest + 1], (way->count - oldest) * sizeof *way->logs);
    memmove(&way->closed[oldest], &way->closed[oldest + 1], (way->count - oldest) * sizeof *way->closed);
    return true;
}

/* One more device of the module that the last one belongs to. */
static bool add_log(struct way *way) {
    if (!make_room(way))
        return false;
    const struct driver_log *before = way->count ? last_log(way) : NULL;
    struct driver_log *log = &way->logs[way->count];
    driver_log_begin(log);
    if (before) {
        log->probed = before->probed;
        log->messages = before->messages;
        memcpy(log->compatible, before->compatible, sizeof log->compatible);
    }
    way->closed[way->count++] = false;
    return true;
}

/* A task begins: on a device whose task has ended, or on another one. */
static bool begin_task(struct way *way, const struct message *message) {
    for (size_t i = way->count; i-- > 0;) {
        struct driver_log *log = &way->logs[i];
        if (way->closed[i] || (driver_log_has_task(log) && !(log->ended && !driver_log_failed(log))))
            continue;
        driver_log_message(log, message);
        return true;
    }
    if (!add_log(way))
        return false;
    driver_log_message(last_log(way), message);
    way->strict = way->strict || open_tasks(way) > 1;
    return true;
}

/* What is open when the module is loaded anew does not continue. */
static bool probe(struct way *way, const struct message *message) {
    bool kept = false;
    way->reloaded = way->reloaded || open_tasks(way) > 0;
    for (size_t i = 0; i < way->count; i++)
        way->closed[i] = kept = way->closed[i] || is_open(way, i) || driver_log_failed(&way->logs[i]);
    way->strict = false;
    if (kept && !add_log(way))
        return false;
    driver_log_message(last_log(way), message);
    return true;
}

/* Messages that do not belong to one task: of the kernel, of the runtime. */
static bool is_shared(const struct message *message) {
    return message->kind >= MESSAGE_BLOCKED ||
           (message->kind == MESSAGE_FAULT && (message->cause == CAUSE_BUSY || message->cause == CAUSE_ENVIRONMENT));
}

static void share(struct way *way, const struct message *message) {
    if (message->kind == MESSAGE_ADDRESS && open_tasks(way))
        return; /* of a task that has not begun */
    for (size_t i = 0; i < way->count; i++)
        if (is_open(way, i) || (i + 1 == way->count && !open_tasks(way)))
            driver_log_message(&way->logs[i], message);
}

/* The first task from number `from` on that the message can belong to; the count of logs: none. */
static size_t next_taker(const struct way *way, size_t from, const struct message *message) {
    while (from < way->count && (way->closed[from] || !message_may_follow(&way->logs[from], message)))
        from++;
    return from;
}

static bool is_of_operation(const struct message *message) {
    return message->kind != MESSAGE_NETWORK && message->kind != MESSAGE_RESET && message->kind < MESSAGE_ASSERTION;
}

/* Without another open task. False: the line is of a task that is not open. */
static bool give_to_last(struct way *way, const struct message *message) {
    struct driver_log *log = last_log(way);
    if (message->kind == MESSAGE_RESET && log->begun && !log->initiated && !log->fault.number)
        return true; /* of the probe of another device */
    if (is_of_operation(message) && log->probed && !log->begun)
        way->reloaded = true; /* lines of a run before its begin: another run is open */
    if (is_of_operation(message) && way->reloaded && driver_log_has_task(log) && !message_may_follow(log, message))
        return false;
    if (is_of_operation(message) && log->ended) { /* its beginning is missing */
        if (!add_log(way))
            return false;
        log = last_log(way);
    }
    way->strays += is_of_operation(message) && message_breaks_order(log, message);
    driver_log_message(log, message);
    return true;
}

static void give(struct way *way, size_t i, const struct message *message) {
    driver_log_message(&way->logs[i], message);
    way->strict = open_tasks(way) > 0;
}

/* Adds a way for each task that the message can belong to. The way itself is used up. */
static void branch(struct device_logs *devices, struct way *way, const struct message *message) {
    size_t taker = next_taker(way, 0, message);
    for (size_t next; taker < way->count; taker = next) {
        next = next_taker(way, taker + 1, message);
        struct way other = next < way->count ? copy_way(way) : *way;
        give(&other, taker, message);
        add_way(devices, other);
        if (next == way->count)
            return;
    }
    free_way(way);
}

static bool refused(struct way *way) {
    return last_log(way)->busy.number > 0;
}

/* Whether a run may be open whose beginning is missing: the log begins with lines of one, and shows no end. */
static bool is_headless(const struct way *way) {
    const struct driver_log *log = &way->logs[0];
    return way->count == 1 && driver_log_has_task(log) && !log->probed && !log->begun && !log->ended;
}

/* Whether the message needs no choice; it is taken then. *room: false if there are too many devices. */
static bool take(struct way *way, const struct message *message, bool *room) {
    if (message->kind == MESSAGE_PROBE || message->kind == MESSAGE_NETWORK)
        way->reloaded = way->reloaded || is_headless(way);
    if (message->kind == MESSAGE_PROBE)
        *room = probe(way, message);
    else if (message->kind == MESSAGE_NETWORK)
        *room = begin_task(way, message);
    else if (is_shared(message))
        share(way, message);
    else if (!way->strict)
        *room = give_to_last(way, message);
    else
        return message->kind == MESSAGE_OTHER || (message->kind == MESSAGE_TASK_FAILED && refused(way));
    return true;
}

static void follow_runs(struct device_logs *devices, const struct message *message) {
    if (message->kind == MESSAGE_RUN || (message->kind == MESSAGE_SUBMIT && devices->runs_open == 0)) {
        devices->runs_open++;
        devices->run_line = message->number;
    } else if (message->kind == MESSAGE_PASS || message->kind == MESSAGE_IOCTL)
        devices->runs_open -= devices->runs_open > 0;
    else if (message->kind < MESSAGE_BLOCKED && message->kind != MESSAGE_FAULT)
        devices->runs_open = 0; /* the driver's lines decide */
}

void device_logs_message(void *context, const struct message *message) {
    struct device_logs *devices = context;
    follow_runs(devices, message);
    task_books_message(&devices->books, message);
    if (message->kind == MESSAGE_PROBE)
        devices->probes =
            devices->way_count && driver_log_has_task(last_log(&devices->ways[0])) ? 1 : devices->probes + 1;
    if (devices->mixed)
        return;
    struct way *ways = devices->ways;
    const size_t count = devices->way_count;
    devices->steps += count > WAYS_CHEAP ? count : 0;
    bool room = true;
    if (count == 1 && take(&ways[0], message, &room)) {
        devices->mixed = !room;
    } else {
        devices->ways = NULL;
        devices->way_count = 0;
        for (size_t i = 0; i < count; i++)
            if (count > 1 && take(&ways[i], message, &room))
                add_way(devices, ways[i]);
            else
                branch(devices, &ways[i], message);
        free(ways);
        devices->mixed =
            !room || devices->way_count == 0 || devices->way_count > WAYS_MOST || devices->steps > STEPS_MOST;
    }
    for (size_t i = 0; i < devices->way_count; i++) {
        const unsigned open = open_tasks(&devices->ways[i]);
        devices->open_most = open > devices->open_most ? open : devices->open_most;
    }
}

void device_logs_begin(struct device_logs *devices) {
    *devices = (struct device_logs){0};
    struct way way = {0};
    add_log(&way);
    add_way(devices, way);
    driver_log_begin(&devices->empty);
}

bool device_logs_read(struct device_logs *devices, const char *path, struct error *err) {
    device_logs_begin(devices);
    return messages_read(path, device_logs_message, devices, err);
}

void device_logs_free(struct device_logs *devices) {
    for (size_t i = 0; i < devices->way_count; i++)
        free_way(&devices->ways[i]);
    free(devices->ways);
    devices->ways = NULL;
    devices->way_count = 0;
    task_books_free(&devices->books);
}
