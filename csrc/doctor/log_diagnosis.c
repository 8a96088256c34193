/* From what a log shows to causes. See log_diagnosis.h. */
#include "doctor/log_diagnosis.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/align.h"
#include "loadable/describe.h"
#include "nvdla/xalloc.h"

const char *const cause_names[CAUSE_COUNT] = {
    "good",        "data",       "harmless",      "interrupt-never", "interrupt-lost", "interrupt-stuck",
    "arming-lost", "done-lost",  "flush",         "pointer-stuck",   "status-zero",    "status-sticky",
    "reads-ones",  "reads-zero", "configuration", "loadable",        "busy",           "environment",
};

enum { MANY_ROUNDS = 20, SEVERAL_ROUNDS = 3 }; /* empty ones: without end; more than usual */

struct doctor {
    struct driver_log *log;
    struct log_diagnosis *diagnosis;
    const struct nvdla_config *config; /* NULL: unknown */
    const struct dla_task *task;       /* NULL: unknown */
    bool small_network;                /* the loadable is made for atoms of 8 bytes */
    char contradiction[CONTRADICTION];
};

/* Adds a cause, or evidence to one that is there. */
static void blame(const struct doctor *doctor, enum cause cause, enum certainty certainty, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void blame(const struct doctor *doctor, enum cause cause, enum certainty certainty, const char *format, ...) {
    struct log_diagnosis *diagnosis = doctor->diagnosis;
    size_t i = 0;
    while (i < diagnosis->cause_count && diagnosis->causes[i].cause != cause)
        i++;
    if (i == diagnosis->cause_count)
        diagnosis->causes[diagnosis->cause_count++] = (struct likely_cause){.cause = cause, .certainty = certainty};
    va_list arguments;
    va_start(arguments, format);
    char *text = xvprintf(format, arguments);
    va_end(arguments);
    struct words *evidence = &diagnosis->causes[i].evidence;
    if (!evidence->count || strcmp(evidence->items[evidence->count - 1], text) != 0)
        words_put(evidence, text);
    free(text);
}

static void blame_line(const struct doctor *doctor, enum cause cause, enum certainty certainty,
                       const struct log_line *line) {
    blame(doctor, cause, certainty, "line %llu: %s", (unsigned long long)line->number, line->text);
}

static void set_layer(const struct doctor *doctor, int layer, const char *engine) {
    doctor->diagnosis->layer = layer;
    doctor->diagnosis->engine = engine;
}

static const struct log_operation *operation(const struct doctor *doctor, int index) {
    return index >= 0 && (size_t)index < doctor->log->count ? &doctor->log->operations[index] : NULL;
}

static const char *unit_of(const struct doctor *doctor, int index) {
    const struct log_operation *op = operation(doctor, index);
    return op && op->type != LOG_NONE ? driver_unit_names[op->type] : "operation";
}

static bool is_armed(const struct log_operation *op) {
    return op->armed && !op->completed;
}

/* Whether an operation can run: armed, and so is what feeds it on the fly. */
static bool in_flight(const struct doctor *doctor, const struct log_operation *op) {
    const struct log_operation *feeder = operation(doctor, op->fed_by);
    return is_armed(op) && (!feeder || feeder->completed || feeder->armed);
}

/* The lowest operation in flight, LOG_NONE: none. */
static int first_in_flight(const struct doctor *doctor) {
    for (size_t i = 0; i < doctor->log->count; i++)
        if (in_flight(doctor, &doctor->log->operations[i]))
            return (int)i;
    return LOG_NONE;
}

/* An operation in flight after which a later one of its unit has completed; LOG_NONE: none. *later: that one. */
static int overtaken(const struct doctor *doctor, int *later) {
    const struct driver_log *log = doctor->log;
    for (size_t i = 0; i < log->count; i++)
        for (size_t k = i + 1; in_flight(doctor, &log->operations[i]) && k < log->count; k++)
            if (log->operations[k].type == log->operations[i].type && log->operations[k].completed) {
                *later = (int)k;
                return (int)i;
            }
    return LOG_NONE;
}

static bool fresh(const struct driver_log *log) {
    return log->probed && log->begun && log->tasks == 1;
}

/* Whether the first operation of a unit after a reset was put into group 1. */
static bool wrong_first_group(const struct driver_log *log, int type) {
    return fresh(log) && type != LOG_NONE && log->first_type_group[type] == 1;
}

/* Whether there are more rounds than bits explain. A round takes all bits that are there, so as many rounds as bits may
 * be empty because their interrupts were served before, also by the task before. */
static bool too_many_rounds(const struct driver_log *log) {
    return log->earlier_rounds + log->rounds >= log->earlier_events + log->events + MANY_ROUNDS;
}

/* Whether the driver is woken without end. */
static bool woken_for_nothing(const struct driver_log *log) {
    return log->empty_at_end >= MANY_ROUNDS && too_many_rounds(log);
}

/* ---- errors that the driver prints ---- */

static void blame_dead_reads(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    if (log->unarmed.number)
        blame_line(doctor, CAUSE_READS_ONES, LIKELY, &log->unarmed);
    blame(doctor, CAUSE_READS_ONES, LIKELY,
          "the status of CACC is not idle for a group that is free: a register window that reads ffffffff does that; "
          "check the link, the bridge and the power domain, read GLB.S_NVDLA_HW_VERSION with devmem");
    blame(doctor, CAUSE_BUSY, POSSIBLE, "CACC is busy in a group whose done bit came, or since a task before");
}

static void diagnose_fault(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    doctor->diagnosis->verdict = log->fault_waits && !log->ended ? VERDICT_HANG : VERDICT_ERROR;
    set_layer(doctor, log->fault_operation,
              log->fault_operation == LOG_NONE ? NULL : unit_of(doctor, log->fault_operation));
    if (log->wrapped != LOG_NONE) {
        blame_line(doctor, CAUSE_LOADABLE, LIKELY, &log->unarmed);
        blame(doctor, CAUSE_LOADABLE, LIKELY,
              "a counter of edges wrapped below 0: operations of a task before are programmed again; a file of several "
              "tasks whose last operations link to the next task");
    }
    blame_line(doctor, log->wrapped == LOG_NONE ? log->fault_cause : CAUSE_LOADABLE,
               log->fault_is_assertion || log->busy.number ? LIKELY : CERTAIN, &log->fault);
    if (log->fault_cause == CAUSE_READS_ONES)
        blame_dead_reads(doctor);
    else if (log->fault_cause == CAUSE_BUSY && log->fault_is_assertion) {
        blame(doctor, CAUSE_BUSY, LIKELY,
              "a unit is not idle in the group that is to be programmed: a task before hung, or a group did not end "
              "although its done bit came; load the module anew after a reset");
        blame(doctor, CAUSE_READS_ONES, POSSIBLE, "a unit whose status reads ones looks the same");
    } else if (log->fault_cause == CAUSE_CONFIGURATION)
        blame(doctor, CAUSE_LOADABLE, POSSIBLE, "a damaged descriptor looks the same");
    else if (log->fault_cause == CAUSE_LOADABLE)
        blame(doctor, CAUSE_CONFIGURATION, POSSIBLE, "the driver's structures may be those of another version");
    if (doctor->diagnosis->verdict == VERDICT_HANG)
        words_put(&doctor->diagnosis->notes,
                  "the error came in a round of events, where the driver drops it and waits for ever");
}

static void blame_busy(const struct doctor *doctor) {
    if (!doctor->log->busy.number)
        return;
    blame_line(doctor, CAUSE_BUSY, CERTAIN, &doctor->log->busy);
    blame(doctor, CAUSE_BUSY, CERTAIN,
          "a task before has not ended; every submit fails until the module is loaded anew (rmmod, insmod)");
}

/* What the runtime prints of the driver's code, for logs without the driver's own reason. */
static void blame_code(const struct doctor *doctor) {
    static const struct {
        const char *text;
        enum cause cause;
        enum certainty certainty;
        const char *evidence;
    } codes[] = {
        {"Cannot allocate memory", CAUSE_BUSY, LIKELY,
         "the driver's code 12 means that a task is in progress, seldom memory"},
        {"Exec format error", CAUSE_ENVIRONMENT, LIKELY, "the driver's code 8 means that it found no memory"},
        {"No such process", CAUSE_CONFIGURATION, POSSIBLE,
         "the driver's code 3 means that it refused a layer: made for other hardware than the driver's compatible "
         "string says? dmesg has the reason"},
        {"No such process", CAUSE_LOADABLE, POSSIBLE, "or the file is damaged, or of another version of the driver"},
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (strcmp(doctor->log->ioctl, codes[i].text) == 0) {
            blame_line(doctor, codes[i].cause, codes[i].certainty, &doctor->log->failed);
            blame(doctor, codes[i].cause, codes[i].certainty, "%s", codes[i].evidence);
        }
}

static void blame_picture(const struct doctor *doctor) {
    if (!doctor->log->picture.number)
        return;
    blame_line(doctor, CAUSE_LOADABLE, LIKELY, &doctor->log->picture);
    blame(doctor, CAUSE_LOADABLE, LIKELY, "the picture has other channels than the input of the network");
}

static void blame_environment(const struct doctor *doctor) {
    const struct log_line *line = &doctor->log->environment;
    if (!line->number)
        return;
    blame_line(doctor, CAUSE_ENVIRONMENT, CERTAIN, line);
    if (strstr(line->text, "drm device") || strstr(line->text, "error -12"))
        blame(doctor, CAUSE_ENVIRONMENT, CERTAIN,
              "the probe declares memory at c0000000, 1 GiB: the device tree must have it; from Linux 4.15 on the "
              "driver's check of the result is wrong and fails always: correct it");
}

static void blame_address(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    if (!log->address.number)
        return;
    const enum certainty certainty = log->address_zero && !log->ended ? CERTAIN : LIKELY;
    blame_line(doctor, CAUSE_ENVIRONMENT, certainty, &log->address);
    blame(doctor, CAUSE_ENVIRONMENT, certainty,
          log->address_zero ? "a buffer at address 0: its memory was not allocated or not mapped for DMA; check the "
                              "memory-region in the device tree and the DMA mask"
                            : "two buffers of one run have this address: what one engine writes destroys the other; "
                              "check how the port of the driver allocates memory");
}

/* ---- a register access that does not return ---- */

static void diagnose_flush(const struct doctor *doctor, int layer) {
    const struct driver_log *log = doctor->log;
    const bool full_driver = strstr(log->compatible, "os_initial") != NULL;
    const bool small = doctor->config ? doctor->config->map == NVDLA_MAP_SMALL : doctor->small_network;
    const bool worked_before = log->completions > 0 || log->worked;
    const enum certainty certainty = log->last == LAST_ENABLE ? LIKELY : POSSIBLE;
    set_layer(doctor, layer, "CDMA");
    if (full_driver && small && !worked_before)
        blame(doctor, CAUSE_CONFIGURATION, certainty,
              "the driver has compatible %s, the register map of full; on small hardware its flush poll reads another "
              "unit: change the device tree to nvidia,nv_small",
              log->compatible);
    blame(doctor, CAUSE_FLUSH, certainty,
          "the log ends where the driver polls CDMA.S_CBUF_FLUSH_STATUS, without a limit, before it arms operation %d; "
          "read it with devmem",
          layer);
    if (log->stall.number)
        blame_line(doctor, CAUSE_FLUSH, certainty, &log->stall);
    if (!worked_before && full_driver && !doctor->config)
        blame(doctor, CAUSE_CONFIGURATION, POSSIBLE,
              "the driver has compatible %s, the register map of full; on small hardware it polls another unit",
              log->compatible);
    blame(doctor, CAUSE_READS_ZERO, POSSIBLE, "registers that read 0 leave the same log");
    if (!worked_before)
        blame(doctor, CAUSE_CONFIGURATION, POSSIBLE, "a driver of another register map polls another unit");
}

static void diagnose_dead_access(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    set_layer(doctor, log->current, log->current == LOG_NONE ? NULL : unit_of(doctor, log->current));
    blame(doctor, CAUSE_ENVIRONMENT, log->environment.number ? CERTAIN : LIKELY,
          "the log ends where registers are %s: an access that does not return; check bridge, clock, reset and address",
          log->last == LAST_PREPARING ? "read for the first time" : "written");
    if (log->stall.number)
        blame_line(doctor, CAUSE_ENVIRONMENT, LIKELY, &log->stall);
    blame(doctor, CAUSE_CONFIGURATION, POSSIBLE, "a register map of another configuration leads to absent units");
}

/* ---- the driver waits ---- */

static void diagnose_no_round(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    const char *unit = unit_of(doctor, doctor->diagnosis->layer);
    if (log->stall.number || log->unclaimed.number) {
        blame_line(doctor, CAUSE_INTERRUPT_STUCK, LIKELY, log->unclaimed.number ? &log->unclaimed : &log->stall);
        blame(doctor, CAUSE_INTERRUPT_STUCK, LIKELY, "a processor does nothing but interrupts: the line stays active");
    }
    blame(doctor, CAUSE_INTERRUPT_NEVER, LIKELY,
          "no round of events after operation %d was armed; /proc/interrupts shows whether the line counts: number, "
          "polarity, level or edge in the device tree",
          doctor->diagnosis->layer);
    if (log->empty_rounds)
        blame(doctor, CAUSE_INTERRUPT_NEVER, LIKELY, "the empty rounds are wake-ups of the task before");
    blame(doctor, CAUSE_ARMING_LOST, POSSIBLE, "%s may not run: read its S_STATUS with devmem", unit);
    blame(doctor, CAUSE_DONE_LOST, POSSIBLE, "%s may have ended without its done bit", unit);
    blame(doctor, CAUSE_INTERRUPT_STUCK, POSSIBLE, "a line that stays active can starve the driver");
}

/* Whether a convolution was armed: for that, S_CBUF_FLUSH_STATUS must read 1. */
static bool flush_was_seen(const struct driver_log *log) {
    for (size_t i = 0; i < log->count; i++)
        if (log->operations[i].type == TYPE_CONV && log->operations[i].armed)
            return true;
    return false;
}

static void diagnose_empty_rounds(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    const bool worked = log->events > 0;
    const char *evidence = "the driver is woken again and again (%llu empty rounds%s) and finds no bit";
    if (worked)
        blame(doctor, CAUSE_INTERRUPT_STUCK, LIKELY, evidence, (unsigned long long)log->empty_at_end, "");
    blame(doctor, CAUSE_STATUS_ZERO, worked ? POSSIBLE : LIKELY,
          "GLB.S_INTR_STATUS reads 0 although interrupts come (%llu empty rounds): wrong GLB address, or reads that "
          "return 0",
          (unsigned long long)log->empty_at_end);
    if (!flush_was_seen(log))
        blame(doctor, CAUSE_READS_ZERO, POSSIBLE, "all registers may read 0");
    if (!worked)
        blame(doctor, CAUSE_INTERRUPT_STUCK, POSSIBLE,
              "the line is active without NVDLA: stuck, or shared with another device");
}

/* Operations in flight that do not wait for each other: of each unit the first one. A convolution waits for the SDP of
 * one before it, but its weights are fetched all the same. */
static unsigned independent_in_flight(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    unsigned count = 0;
    int first[TYPE_COUNT];
    for (int type = 0; type < TYPE_COUNT; type++)
        first[type] = LOG_NONE;
    for (size_t i = log->count; i-- > 0;)
        if (in_flight(doctor, &log->operations[i]) && log->operations[i].type != LOG_NONE)
            first[log->operations[i].type] = (int)i;
    for (int type = 0; type < TYPE_COUNT; type++) {
        const struct log_operation *op = operation(doctor, first[type]),
                                   *feeder = op ? operation(doctor, op->fed_by) : NULL;
        if (!op || (feeder && in_flight(doctor, feeder)))
            continue;
        count += type != TYPE_CONV || op->feeds == first[TYPE_SDP] || first[TYPE_SDP] == LOG_NONE ||
                 (!op->weights && log->fetch_events);
    }
    return count;
}

static const char rounds_came[] =
    "%llu rounds came, the next may have been lost: compare /proc/interrupts before and after";

static bool one_round_only(const struct driver_log *log) {
    const uint64_t rounds = fresh(log) ? log->rounds : log->rounds - log->empty_rounds; /* else some are old wake-ups */
    return log->start_ends && !log->in_round && rounds == 1;
}

static void blame_lost_interrupt(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    const unsigned waiting = independent_in_flight(doctor);
    if (one_round_only(log))
        blame(doctor, CAUSE_INTERRUPT_LOST, LIKELY,
              "one interrupt was served, none after it: a level that is configured as edge does that");
    else if (waiting > 1)
        blame(doctor, CAUSE_INTERRUPT_LOST, LIKELY,
              "%u operations that do not depend on each other run, and none of them ends: one lost interrupt explains "
              "that; compare /proc/interrupts before and after",
              waiting);
    else
        blame(doctor, CAUSE_INTERRUPT_LOST, POSSIBLE, rounds_came, (unsigned long long)log->rounds);
}

static const char one_fetched[] =
    "CDMA has fetched %s only, in the first convolution: a network of small on full hardware does that";

/* The register map of full and a network of small, and only one of CDMA's fetches. */
static void blame_other_configuration(const struct doctor *doctor, const struct log_operation *conv) {
    const struct driver_log *log = doctor->log;
    const bool full_driver = strstr(log->compatible, "os_initial") != NULL;
    if (full_driver && doctor->small_network && conv->weights != conv->data && log->completions == 0 && !log->worked)
        blame(doctor, CAUSE_CONFIGURATION, LIKELY, one_fetched, conv->weights ? "the weights" : "the data");
}

static void diagnose_convolution(const struct doctor *doctor, int layer) {
    const struct log_operation *conv = operation(doctor, layer), *sdp = operation(doctor, conv->feeds);
    const struct driver_log *log = doctor->log;
    if (sdp && sdp->completed) {
        doctor->diagnosis->engine = "CACC";
        blame(doctor, CAUSE_DONE_LOST, LIKELY,
              "SDP %d, which takes the results of Convolution %d on the fly, has ended: only the done bit of CACC is "
              "lost",
              conv->feeds, layer);
        return;
    }
    if (conv->weights && conv->data) {
        const bool operands =
            doctor->task && conv->feeds != LOG_NONE && operation_needs_rdma(&doctor->task->operations[conv->feeds]);
        doctor->diagnosis->engine = operands ? "SDP_RDMA" : "SDP";
        blame(doctor, CAUSE_ARMING_LOST, LIKELY,
              "CDMA has fetched weights and data of operation %d, the convolution does not end: SDP %d does not take "
              "its results; the write of D_OP_ENABLE to SDP or SDP_RDMA had no effect, or SDP's operands do not come",
              layer, conv->feeds);
        blame_lost_interrupt(doctor);
        blame(doctor, CAUSE_DONE_LOST, POSSIBLE, "the convolution may hang: then SDP does not end either");
        return;
    }
    if (conv->weights || conv->data) {
        doctor->diagnosis->engine = "CDMA";
        if (log->completions == 0 && !log->worked)
            blame(doctor, CAUSE_CONFIGURATION, LIKELY, one_fetched, conv->weights ? "the weights" : "the data");
        blame(doctor, CAUSE_ARMING_LOST, LIKELY, "CDMA has fetched %s only: memory does not answer, or %s is not armed",
              conv->weights ? "the weights" : "the data", sdp ? "CSC" : "a unit");
        return;
    }
    doctor->diagnosis->engine = "CDMA";
    if (log->fetch_events || log->completions == 0)
        blame(doctor, CAUSE_ARMING_LOST, LIKELY,
              "neither weights nor data of operation %d were fetched: the write of D_OP_ENABLE to CDMA or CSC had no "
              "effect, or memory does not answer",
              layer);
    else
        blame(doctor, CAUSE_ARMING_LOST, POSSIBLE, "the log never shows an event of CDMA; a unit may not be armed");
    blame_lost_interrupt(doctor);
    blame(doctor, CAUSE_DONE_LOST, POSSIBLE, "the done bits of CDMA and CACC may be lost");
}

static void diagnose_alone(const struct doctor *doctor, int layer) {
    const struct log_operation *op = operation(doctor, layer), *feeder = operation(doctor, op->fed_by);
    const char *unit = unit_of(doctor, layer);
    doctor->diagnosis->engine = unit;
    blame(
        doctor, CAUSE_DONE_LOST, LIKELY,
        "%s %d is armed and does not end: its done bit is lost, or it hangs; read its S_STATUS, and check whether its "
        "output is in memory",
        unit, layer);
    if (feeder && feeder->completed) {
        blame(doctor, CAUSE_DONE_LOST, LIKELY, "%s %d, which feeds it, has ended, so it took all data",
              unit_of(doctor, op->fed_by), op->fed_by);
        return;
    }
    blame(doctor, CAUSE_ARMING_LOST, POSSIBLE, "the write of D_OP_ENABLE to %s or its RDMA may have had no effect",
          unit);
}

static void blame_early(const struct doctor *doctor) {
    if (!doctor->log->early.number)
        return;
    blame_line(doctor, CAUSE_STATUS_STICKY, LIKELY, &doctor->log->early);
    blame(doctor, CAUSE_STATUS_STICKY, LIKELY,
          "it completed before the operation that feeds it was armed: the done bit of one before it was not cleared by "
          "its write");
}

static bool is_first_of_unit(const struct doctor *doctor, int layer) {
    const struct log_operation *operations = doctor->log->operations;
    int first = 0;
    while (operations[first].type != operations[layer].type)
        first++;
    return first == layer;
}

static void diagnose_overtaken(const struct doctor *doctor, int layer, int later) {
    const struct log_operation *op = operation(doctor, layer);
    const char *unit = unit_of(doctor, layer);
    const bool misplaced = wrong_first_group(doctor->log, op->type) ||
                           (doctor->log->first_type_group[op->type] == 1 && is_first_of_unit(doctor, layer));
    set_layer(doctor, layer, unit);
    if (misplaced)
        blame(doctor, CAUSE_POINTER_STUCK, LIKELY,
              "%s %d ended before %s %d, which was armed before it in group %d; after a reset the first operation "
              "belongs to group 0: S_POINTER reads a wrong CONSUMER",
              unit, later, unit, layer, op->group);
    if (!misplaced)
        blame_early(doctor);
    blame(doctor, CAUSE_DONE_LOST, misplaced ? POSSIBLE : LIKELY,
          "the done bit of %s %d is lost: %s %d, a later operation of the same unit, has ended", unit, layer, unit,
          later);
    if (!misplaced && !fresh(doctor->log) && op->group == 1)
        blame(doctor, CAUSE_POINTER_STUCK, POSSIBLE,
              "its S_POINTER may read a wrong CONSUMER: it was put into group 1");
}

static void blame_first_group(const struct doctor *doctor, int type) {
    if (wrong_first_group(doctor->log, type))
        blame(doctor, CAUSE_POINTER_STUCK, LIKELY,
              "the first operation of %s after a reset was put into group 1: CONSUMER of its S_POINTER does not read 0",
              driver_unit_names[type]);
}

static void diagnose_waiting(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    int later;
    const int late = overtaken(doctor, &later);
    if (late != LOG_NONE) {
        diagnose_overtaken(doctor, late, later);
        blame(doctor, CAUSE_INTERRUPT_LOST, POSSIBLE, rounds_came, (unsigned long long)log->rounds);
        return;
    }
    blame_early(doctor);
    const int layer = first_in_flight(doctor);
    set_layer(doctor, layer, layer == LOG_NONE ? NULL : unit_of(doctor, layer));
    const struct log_operation *next = operation(doctor, log->resolved);
    if (layer == LOG_NONE && log->last == LAST_BUSY && next && next->type == TYPE_CONV) {
        diagnose_flush(doctor, log->resolved);
        return;
    }
    if (layer == LOG_NONE) {
        if (log->layers && log->done < log->layers && log->begun)
            blame(doctor, CAUSE_LOADABLE, LIKELY,
                  "%ld of %ld layers are done and none is armed: the scheduler waits for an edge that never comes",
                  log->done, log->layers);
        return;
    }
    const struct log_operation *op = operation(doctor, layer);
    const bool left_over = !fresh(log) && !too_many_rounds(log);
    if (woken_for_nothing(log) || (log->events == 0 && log->rounds && !left_over)) {
        diagnose_empty_rounds(doctor);
        return;
    }
    blame_first_group(doctor, op->type);
    if (op->feeds != LOG_NONE)
        blame_first_group(doctor, operation(doctor, op->feeds)->type);
    if (log->events == 0 && (log->begun || log->start_ends)) {
        diagnose_no_round(doctor);
        return;
    }
    if (log->unclaimed.number || log->stall.number)
        blame_line(doctor, CAUSE_INTERRUPT_STUCK, LIKELY, log->unclaimed.number ? &log->unclaimed : &log->stall);
    if (op->type == TYPE_CONV)
        blame_other_configuration(doctor, op);
    if (one_round_only(log) || independent_in_flight(doctor) > 1)
        blame_lost_interrupt(doctor);
    if (op->type == TYPE_CONV)
        diagnose_convolution(doctor, layer);
    else
        diagnose_alone(doctor, layer);
    blame_lost_interrupt(doctor);
    if (log->empty_at_end >= SEVERAL_ROUNDS)
        blame(doctor, CAUSE_INTERRUPT_STUCK, POSSIBLE, "the last %llu rounds are empty",
              (unsigned long long)log->empty_at_end);
}

static void diagnose_crash(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    doctor->diagnosis->verdict = VERDICT_ERROR;
    const bool first_unit = log->round_unit == TYPE_BDMA || log->round_unit == TYPE_CONV;
    const enum cause likely = first_unit ? CAUSE_READS_ONES : CAUSE_STATUS_STICKY;
    set_layer(doctor, first_in_flight(doctor), first_unit ? NULL : driver_unit_names[log->round_unit]);
    blame_line(doctor, likely, LIKELY, &log->null_pointer);
    blame(doctor, likely, LIKELY, "the event handler met a done bit of a group of %s without an operation: %s",
          driver_unit_names[log->round_unit],
          first_unit ? "S_INTR_STATUS reads ones"
                     : "it was not cleared by its write, for the units before have no such bit");
    if (first_unit)
        blame(doctor, CAUSE_STATUS_STICKY, POSSIBLE,
              "a done bit that is not cleared, or of another unit, does the same");
    else
        blame(doctor, CAUSE_READS_ONES, POSSIBLE, "a status that reads ones has bits of operations that do not run");
}

static void diagnose_sticky(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    set_layer(doctor, log->unarmed_operation, unit_of(doctor, log->unarmed_operation));
    blame_line(doctor, CAUSE_STATUS_STICKY, LIKELY, &log->unarmed);
    blame(doctor, CAUSE_STATUS_STICKY, LIKELY,
          "an operation completed that was not armed: the done bit of one before it was not cleared by its write");
    blame(doctor, CAUSE_READS_ONES, POSSIBLE, "a status that reads ones has bits of operations that do not run");
}

/* ---- a task that has ended ---- */

static bool all_without_fetches(const struct driver_log *log) {
    bool convolutions = false;
    for (size_t i = 0; i < log->count; i++)
        convolutions = convolutions || (log->operations[i].type == TYPE_CONV && log->operations[i].completed);
    return convolutions && log->events > 0 && !log->fetch_events;
}

static void diagnose_end(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    doctor->diagnosis->verdict = VERDICT_GOOD;
    if (log->unarmed_operation != LOG_NONE || log->early.number) {
        doctor->diagnosis->verdict = VERDICT_DATA;
        blame_early(doctor);
        if (log->unarmed_operation != LOG_NONE)
            diagnose_sticky(doctor);
        return;
    }
    if (log->address.number) {
        doctor->diagnosis->verdict = VERDICT_DATA;
        blame_address(doctor);
    }
    if (log->unclaimed.number) {
        doctor->diagnosis->verdict = VERDICT_ERROR;
        blame_line(doctor, CAUSE_INTERRUPT_STUCK, LIKELY, &log->unclaimed);
        blame(doctor, CAUSE_INTERRUPT_STUCK, LIKELY,
              "the task ended, but the line stayed active; if it is NVDLA's (/proc/interrupts), the next task gets no "
              "interrupt");
    }
    if (all_without_fetches(log))
        blame(doctor, CAUSE_HARMLESS, LIKELY,
              "the driver never saw a done bit of CDMA; no operation waits for them, so the result is right");
    blame(doctor, CAUSE_GOOD, doctor->diagnosis->cause_count ? LIKELY : CERTAIN, "the task ended: %ld of %ld layers",
          log->done, log->layers);
    blame(doctor, CAUSE_DATA, POSSIBLE,
          "a log shows nothing about data: compare the output with that of nvcosim run NET.nvdla --input PICTURE");
    if (log->no_picture)
        words_put(&doctor->diagnosis->notes,
                  "the runtime did not read the picture: it knows only .pgm and .jpg, and ran on what was in memory");
}

/* ---- all ---- */

static void diagnose_open_task(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    const bool many = woken_for_nothing(log);
    struct log_diagnosis *diagnosis = doctor->diagnosis;
    diagnosis->verdict =
        log->last == LAST_BUSY && !many && !log->blocked && !log->stall.number ? VERDICT_UNKNOWN : VERDICT_HANG;
    if (diagnosis->verdict == VERDICT_UNKNOWN)
        words_put(&diagnosis->notes, "the log is cut while the driver works: it may just as well have ended");
    blame_address(doctor);
    if (log->wrapped != LOG_NONE)
        blame_line(doctor, CAUSE_LOADABLE, LIKELY, &log->unarmed);
    const struct log_operation *current = operation(doctor, log->current);
    if (log->unarmed_operation != LOG_NONE)
        diagnose_sticky(doctor);
    else if (log->null_pointer.number && log->in_handler)
        diagnose_crash(doctor);
    else if (log->last == LAST_ENABLE && current && current->type == TYPE_CONV)
        diagnose_flush(doctor, log->current);
    else if (log->last == LAST_PREPARING || log->last == LAST_PROGRAM || log->last == LAST_ENABLE)
        diagnose_dead_access(doctor);
    else
        diagnose_waiting(doctor);
}

static void diagnose_without_task(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    blame_address(doctor);
    struct log_diagnosis *diagnosis = doctor->diagnosis;
    if (diagnosis->cause_count)
        diagnosis->verdict = VERDICT_ERROR;
    else if (log->blocked) {
        diagnosis->verdict = VERDICT_HANG;
        blame(doctor, CAUSE_INTERRUPT_NEVER, POSSIBLE,
              "the runtime waits for an interrupt for more than %ld seconds; the log has no line of the driver that "
              "shows for which",
              log->blocked_seconds);
    } else if (log->passed) {
        diagnosis->verdict = VERDICT_GOOD;
        blame(doctor, CAUSE_GOOD, LIKELY, "the runtime ended with Test pass");
        blame(doctor, CAUSE_DATA, POSSIBLE, "Test pass says nothing about data");
    } else
        words_put(&diagnosis->notes, log->messages ? "the log has lines of the driver, but none of a task"
                                                   : "no line of the driver: its prints may be switched off");
}

static int by_arming(const void *left, const void *right) {
    const struct log_operation *const *a = left, *const *b = right;
    return (*a)->arming != (*b)->arming ? ((*a)->arming > (*b)->arming ? 1 : -1) : (*a > *b) - (*a < *b);
}

/* What is armed, in order of arming, first what the schedule has added; and the events that are due. */
static void list_armed(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    struct log_diagnosis *diagnosis = doctor->diagnosis;
    const struct log_operation **armed = xcalloc(log->count + 1, sizeof *armed);
    size_t count = 0;
    for (size_t i = 0; i < log->count; i++)
        if (is_armed(&log->operations[i]))
            armed[count++] = &log->operations[i];
    qsort(armed, count, sizeof *armed, by_arming);
    for (size_t i = 0; i < count; i++) {
        const struct log_operation *op = armed[i];
        const int index = (int)(op - log->operations);
        words_add(&diagnosis->armed, "%s %d", unit_of(doctor, index), index);
        if (!in_flight(doctor, op))
            continue;
        if (op->type == TYPE_CONV && !op->weights)
            words_add(&diagnosis->due, "CDMA weights of Convolution %d", index);
        if (op->type == TYPE_CONV && !op->data)
            words_add(&diagnosis->due, "CDMA data of Convolution %d", index);
        words_add(&diagnosis->due, "%s %d", unit_of(doctor, index), index);
    }
    free(armed);
}

/* The likeliest first; of equal certainty in the order in which they were named. */
static void sort_causes(struct log_diagnosis *diagnosis) {
    for (size_t i = 1; i < diagnosis->cause_count; i++)
        for (size_t k = i; k > 0 && diagnosis->causes[k].certainty < diagnosis->causes[k - 1].certainty; k--) {
            const struct likely_cause cause = diagnosis->causes[k];
            diagnosis->causes[k] = diagnosis->causes[k - 1];
            diagnosis->causes[k - 1] = cause;
        }
}

static void name_layer(const struct doctor *doctor) {
    struct log_diagnosis *diagnosis = doctor->diagnosis;
    const int layer = diagnosis->layer;
    if (layer == LOG_NONE)
        return;
    if (!doctor->task || (size_t)layer >= doctor->task->count) {
        diagnosis->name = xprintf("%s %d", unit_of(doctor, layer), layer);
        return;
    }
    const struct operation *op = &doctor->task->operations[layer];
    char *what = operation_description(op);
    diagnosis->name = op->type == TYPE_BDMA ? xprintf("%s %s", op_type_names[op->type], what)
                                            : xprintf("%s %s%s%ux%ux%u to %ux%ux%u", op_type_names[op->type], what,
                                                      *what ? ", " : "", op->src.width, op->src.height, op->src.channel,
                                                      op->dst.width, op->dst.height, op->dst.channel);
    free(what);
    if (doctor->config)
        diagnosis->least_clocks = operation_least_clocks(op, doctor->config);
}

static void diagnose_log(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    const bool has_task = log->begun || log->count > 0;
    doctor->diagnosis->verdict = VERDICT_UNKNOWN;
    if (log->fault.number)
        diagnose_fault(doctor);
    blame_environment(doctor);
    blame_busy(doctor);
    if (!has_task && !doctor->diagnosis->cause_count) {
        blame_code(doctor);
        blame_picture(doctor);
    }
    if (doctor->diagnosis->cause_count && (log->fault.number || log->ended || !has_task))
        doctor->diagnosis->verdict = log->fault.number ? doctor->diagnosis->verdict : VERDICT_ERROR;
    else if (!has_task)
        diagnose_without_task(doctor);
    else if (log->ended && log->failed.number) {
        doctor->diagnosis->verdict = VERDICT_ERROR;
        set_layer(doctor, log->current, NULL);
        blame_line(doctor, CAUSE_LOADABLE, POSSIBLE, &log->failed);
        blame_code(doctor);
    } else if (log->ended || (log->layers > 0 && log->done == log->layers && first_in_flight(doctor) == LOG_NONE))
        diagnose_end(doctor);
    else
        diagnose_open_task(doctor);
    if (doctor->contradiction[0]) {
        blame(doctor, CAUSE_LOADABLE, POSSIBLE, "the log is not of this network: %s", doctor->contradiction);
        words_add(&doctor->diagnosis->notes, "the log is not of this network: %s", doctor->contradiction);
    }
    sort_causes(doctor->diagnosis);
    list_armed(doctor);
    name_layer(doctor);
}

bool log_diagnose(struct driver_log *log, struct loadable *loadable, const struct nvdla_config *config,
                  struct log_diagnosis *diagnosis, struct error *err) {
    struct doctor doctor = {.log = log, .diagnosis = diagnosis, .config = config};
    struct dla_task task = {0};
    *diagnosis = (struct log_diagnosis){.layer = LOG_NONE, .task = log->tasks ? (int)log->tasks - 1 : LOG_NONE};
    if (loadable) {
        struct dla_needs needs = {0};
        if (!align(log, loadable, &task, doctor.contradiction, err)) {
            dla_task_free(&task);
            return false;
        }
        dla_task_needs(&task, &needs);
        doctor.small_network = needs.atom_8 && !needs.atom_32;
        if (!doctor.contradiction[0]) {
            doctor.task = &task;
            diagnosis->task = (int)task.number;
        }
    }
    diagnose_log(&doctor);
    dla_task_free(&task);
    return true;
}

void log_diagnosis_free(struct log_diagnosis *diagnosis) {
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        words_free(&diagnosis->causes[i].evidence);
    words_free(&diagnosis->armed);
    words_free(&diagnosis->due);
    words_free(&diagnosis->notes);
    free(diagnosis->name);
}
