/* What can have stopped a driver that waits or polls. See log_evidence.h. */
#include <string.h>

#include "doctor/log_evidence.h"

enum { SEVERAL_ROUNDS = 3 }; /* empty ones: more than usual */

/* An operation in flight after which a later one of its unit has completed; LOG_NONE: none. *later: that one. */
static int overtaken(const struct doctor *doctor, int *later) {
    const struct driver_log *log = doctor->log;
    for (size_t i = 0; i < log->count; i++)
        for (size_t k = i + 1; doctor_in_flight(doctor, &log->operations[i]) && k < log->count; k++)
            if (log->operations[k].type == log->operations[i].type && log->operations[k].completed) {
                *later = (int)k;
                return (int)i;
            }
    return LOG_NONE;
}

/* Whether the first operation of a unit after a reset was put into group 1. */
static bool wrong_first_group(const struct driver_log *log, int type) {
    return log_is_fresh(log) && type != LOG_NONE && log->first_type_group[type] == 1;
}

/* ---- a register access that does not return ---- */

/* Whether a read of the log returned anything but 0: a bit of the status, or CONSUMER of a unit with both groups free.
 */
static bool register_was_alive(const struct driver_log *log) {
    for (int type = 0; type < TYPE_COUNT; type++)
        if (log->first_type_group[type] == 1)
            return true;
    return log->events > 0 || log->earlier_events > 0;
}

/* S_CBUF_FLUSH_STATUS is 0 only until the flush after the reset ends. So where a poll has ended before, or no read has
 * returned anything yet, all registers read 0 rather than this one. */
static void blame_zeros(const struct doctor *doctor, int layer, enum certainty certainty) {
    const struct driver_log *log = doctor->log;
    if (log->flushed)
        doctor_blame(doctor, CAUSE_READS_ZERO, certainty,
                     "a poll of this register has ended before, and its flush runs once, after the reset: since then "
                     "all registers read 0 (bridge, clock or power of the window), or the hardware was reset; read "
                     "GLB.S_NVDLA_HW_VERSION with devmem");
    else if (log_is_fresh(log) && !register_was_alive(log))
        doctor_blame(doctor, CAUSE_READS_ZERO, certainty,
                     "nothing in the log shows that a register reads anything but 0 before the poll of operation %d: "
                     "address of the window, clock, reset, power; read GLB.S_NVDLA_HW_VERSION with devmem",
                     layer);
}

void doctor_flush(const struct doctor *doctor, int layer) {
    const struct driver_log *log = doctor->log;
    const bool full_driver = strstr(log->compatible, "os_initial") != NULL;
    const bool small = doctor->config ? doctor->config->map == NVDLA_MAP_SMALL : doctor->small_network;
    const bool worked_before = log->completions > 0 || log->worked;
    const enum certainty certainty = log->last == LAST_ENABLE ? LIKELY : POSSIBLE;
    doctor_set_layer(doctor, layer, "CDMA");
    if (full_driver && small && !worked_before)
        doctor_blame(doctor, CAUSE_CONFIGURATION, certainty,
                     "the driver has compatible %s, the register map of full; on small hardware its flush poll reads "
                     "another unit: change the device tree to nvidia,nv_small",
                     log->compatible);
    blame_zeros(doctor, layer, certainty);
    doctor_blame(doctor, CAUSE_FLUSH, certainty,
                 "the log ends where the driver polls CDMA.S_CBUF_FLUSH_STATUS, without a limit, before it arms "
                 "operation %d; read it with devmem",
                 layer);
    if (log->stall.number)
        doctor_blame_line(doctor, CAUSE_FLUSH, certainty, &log->stall);
    if (!worked_before && full_driver && !doctor->config)
        doctor_blame(doctor, CAUSE_CONFIGURATION, POSSIBLE,
                     "the driver has compatible %s, the register map of full; on small hardware it polls another unit",
                     log->compatible);
    doctor_blame(doctor, CAUSE_READS_ZERO, POSSIBLE, "registers that read 0 leave the same log");
    if (!worked_before)
        doctor_blame(doctor, CAUSE_CONFIGURATION, POSSIBLE, "a driver of another register map polls another unit");
}

void doctor_dead_access(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    doctor_set_layer(doctor, log->current, log->current == LOG_NONE ? NULL : doctor_unit(doctor, log->current));
    doctor_blame(
        doctor, CAUSE_ENVIRONMENT, log->environment.number ? CERTAIN : LIKELY,
        "the log ends where registers are %s: an access that does not return; check bridge, clock, reset and address",
        log->last == LAST_PREPARING ? "read for the first time" : "written");
    if (log->stall.number)
        doctor_blame_line(doctor, CAUSE_ENVIRONMENT, LIKELY, &log->stall);
    doctor_blame(doctor, CAUSE_CONFIGURATION, POSSIBLE,
                 "a register map of another configuration leads to absent units");
}

/* ---- the driver waits ---- */

/* Whether the task has a single operation, which no other feeds: of so few interrupts none is no evidence of the line.
 */
static bool is_single(const struct doctor *doctor) {
    unsigned prepared = 0;
    for (size_t i = 0; i < doctor->log->count; i++)
        prepared += doctor->log->operations[i].prepared;
    return prepared == 1 && doctor->log->begun && doctor->log->layers <= 1;
}

static void diagnose_no_round(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    const char *unit = doctor_unit(doctor, doctor->diagnosis->layer);
    if (log->stall.number || log->unclaimed.number) {
        doctor_blame_line(doctor, CAUSE_INTERRUPT_STUCK, LIKELY, log->unclaimed.number ? &log->unclaimed : &log->stall);
        doctor_blame(doctor, CAUSE_INTERRUPT_STUCK, LIKELY,
                     "a processor does nothing but interrupts: the line stays active");
    }
    if (is_single(doctor)) {
        doctor->diagnosis->engine = unit;
        doctor_blame(doctor, CAUSE_DONE_LOST, LIKELY,
                     "%s is the only unit of this task, and its end the only event: it hangs, or its done bit is lost; "
                     "%s",
                     unit,
                     log->earlier_events ? "interrupts came in the tasks before"
                                         : "read its S_STATUS, and check whether its output is in memory");
    }
    doctor_blame(
        doctor, CAUSE_INTERRUPT_NEVER, LIKELY,
        "no round of events after operation %d was armed; /proc/interrupts shows whether the line counts: number, "
        "polarity, level or edge in the device tree",
        doctor->diagnosis->layer);
    if (log->empty_rounds)
        doctor_blame(doctor, CAUSE_INTERRUPT_NEVER, LIKELY, "the empty rounds are wake-ups of the task before");
    doctor_blame(doctor, CAUSE_ARMING_LOST, POSSIBLE, "%s may not run: read its S_STATUS with devmem", unit);
    doctor_blame(doctor, CAUSE_DONE_LOST, POSSIBLE, "%s may have ended without its done bit", unit);
    doctor_blame(doctor, CAUSE_INTERRUPT_STUCK, POSSIBLE, "a line that stays active can starve the driver");
}

static void diagnose_empty_rounds(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    const unsigned long long rounds = log->empty_at_end;
    if (log->events > 0) {
        doctor_blame(
            doctor, CAUSE_READS_ZERO, LIKELY,
            "the status had bits before; now the driver is woken again and again (%llu empty rounds) and finds "
            "none, and nothing ends: all registers may read 0 since then",
            rounds);
        doctor_blame(doctor, CAUSE_INTERRUPT_STUCK, LIKELY,
                     "another device on the line, or a line that stays active, wakes the driver too; but the bits of "
                     "NVDLA would be seen all the same");
        doctor_blame(doctor, CAUSE_STATUS_ZERO, POSSIBLE, "GLB.S_INTR_STATUS alone may read 0");
        return;
    }
    doctor_blame(doctor, CAUSE_STATUS_ZERO, LIKELY,
                 "GLB.S_INTR_STATUS reads 0 although interrupts come (%llu empty rounds): wrong GLB address, or reads "
                 "that return 0",
                 rounds);
    if (!log->flushed)
        doctor_blame(doctor, CAUSE_READS_ZERO, POSSIBLE, "all registers may read 0");
    doctor_blame(doctor, CAUSE_INTERRUPT_STUCK, POSSIBLE,
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
        if (doctor_in_flight(doctor, &log->operations[i]) && log->operations[i].type != LOG_NONE)
            first[log->operations[i].type] = (int)i;
    for (int type = 0; type < TYPE_COUNT; type++) {
        const struct log_operation *op = doctor_operation(doctor, first[type]),
                                   *feeder = op ? doctor_operation(doctor, op->fed_by) : NULL;
        if (!op || (feeder && doctor_in_flight(doctor, feeder)))
            continue;
        count += type != TYPE_CONV || op->feeds == first[TYPE_SDP] || first[TYPE_SDP] == LOG_NONE ||
                 (!(op->weights && op->data) && log->fetch_events);
    }
    return count;
}

static const char rounds_came[] =
    "%llu rounds came, the next may have been lost: compare /proc/interrupts before and after";

/* Each interrupt wakes the driver for one round, so an empty round shows that more than one came. */
static bool one_round_only(const struct driver_log *log) {
    return log->start_ends && !log->in_round && log->rounds == 1 && !log->earlier_events;
}

/* Fetches and results of a convolution do not come at the same time, so a round that finds both leaves the wake-ups of
 * its later bits behind, and an empty round follows unless the next events take them. */
static bool lacks_wake_up(const struct driver_log *log) {
    return log->whole_convolution && log->empty_at_end == 0 && !log->in_round && log->empty_rounds > 0;
}

static void blame_lost_interrupt(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    const unsigned waiting = independent_in_flight(doctor);
    if (one_round_only(log))
        doctor_blame(doctor, CAUSE_INTERRUPT_LOST, LIKELY,
                     "one interrupt was served, none after it: a level that is configured as edge does that");
    else if (lacks_wake_up(log))
        doctor_blame(doctor, CAUSE_INTERRUPT_LOST, LIKELY,
                     "the last round found the fetches and the end of a convolution, which come by more than one "
                     "interrupt, and no empty round follows, as others do in this log: interrupts have stopped");
    else if (waiting > 1)
        doctor_blame(
            doctor, CAUSE_INTERRUPT_LOST, LIKELY,
            "%u operations that do not depend on each other run, and none of them ends: one lost interrupt explains "
            "that; compare /proc/interrupts before and after",
            waiting);
    else
        doctor_blame(doctor, CAUSE_INTERRUPT_LOST, POSSIBLE, rounds_came, (unsigned long long)log->rounds);
}

static const char one_fetched[] =
    "CDMA has fetched %s only, in the first convolution: a network of small on full hardware does that";

/* The register map of full and a network of small, and only one of CDMA's fetches. */
static void blame_other_configuration(const struct doctor *doctor, const struct log_operation *conv) {
    const struct driver_log *log = doctor->log;
    const bool full_driver = strstr(log->compatible, "os_initial") != NULL;
    if (full_driver && doctor->small_network && conv->weights != conv->data && log->completions == 0 && !log->worked)
        doctor_blame(doctor, CAUSE_CONFIGURATION, LIKELY, one_fetched, conv->weights ? "the weights" : "the data");
}

static void diagnose_convolution(const struct doctor *doctor, int layer) {
    const struct log_operation *conv = doctor_operation(doctor, layer), *sdp = doctor_operation(doctor, conv->feeds);
    const struct driver_log *log = doctor->log;
    if (sdp && sdp->completed) {
        doctor->diagnosis->engine = "CACC";
        doctor_blame(
            doctor, CAUSE_DONE_LOST, LIKELY,
            "SDP %d, which takes the results of Convolution %d on the fly, has ended: only the done bit of CACC is "
            "lost",
            conv->feeds, layer);
        return;
    }
    if (conv->weights && conv->data) {
        const bool operands =
            doctor->task && conv->feeds != LOG_NONE && operation_needs_rdma(&doctor->task->operations[conv->feeds]);
        doctor->diagnosis->engine = operands ? "SDP_RDMA" : "SDP";
        doctor_blame(
            doctor, CAUSE_ARMING_LOST, LIKELY,
            "CDMA has fetched weights and data of operation %d, the convolution does not end: SDP %d does not take "
            "its results; the write of D_OP_ENABLE to SDP or SDP_RDMA had no effect, or SDP's operands do not come",
            layer, conv->feeds);
        blame_lost_interrupt(doctor);
        doctor_blame(doctor, CAUSE_DONE_LOST, POSSIBLE, "the convolution may hang: then SDP does not end either");
        return;
    }
    if (conv->weights || conv->data) {
        doctor->diagnosis->engine = "CDMA";
        if (log->completions == 0 && !log->worked)
            doctor_blame(doctor, CAUSE_CONFIGURATION, LIKELY, one_fetched, conv->weights ? "the weights" : "the data");
        doctor_blame(doctor, CAUSE_ARMING_LOST, LIKELY,
                     "CDMA has fetched %s only: memory does not answer, or %s is not armed",
                     conv->weights ? "the weights" : "the data", sdp ? "CSC" : "a unit");
        return;
    }
    doctor->diagnosis->engine = "CDMA";
    if (log->fetch_events || log->completions == 0)
        doctor_blame(
            doctor, CAUSE_ARMING_LOST, LIKELY,
            "neither weights nor data of operation %d were fetched: the write of D_OP_ENABLE to CDMA or CSC had no "
            "effect, or memory does not answer",
            layer);
    else
        doctor_blame(doctor, CAUSE_ARMING_LOST, POSSIBLE,
                     "the log never shows an event of CDMA; a unit may not be armed");
    blame_lost_interrupt(doctor);
    doctor_blame(doctor, CAUSE_DONE_LOST, POSSIBLE, "the done bits of CDMA and CACC may be lost");
}

static void diagnose_alone(const struct doctor *doctor, int layer) {
    const struct log_operation *op = doctor_operation(doctor, layer), *feeder = doctor_operation(doctor, op->fed_by);
    const char *unit = doctor_unit(doctor, layer);
    doctor->diagnosis->engine = unit;
    const bool fed = feeder && feeder->completed;
    if (!fed && doctor->log->begun && doctor->log->events && !(doctor->log->units_worked >> op->type & 1))
        doctor_blame(
            doctor, CAUSE_ARMING_LOST, LIKELY,
            "no operation of %s has ended in this log, others have: the write of D_OP_ENABLE to it or its RDMA "
            "has no effect, or memory does not answer it",
            unit);
    doctor_blame(doctor, CAUSE_DONE_LOST, LIKELY,
                 "%s %d is armed and does not end: its done bit is lost, or it hangs; read its S_STATUS, and check "
                 "whether its output is in memory",
                 unit, layer);
    if (fed)
        doctor_blame(doctor, CAUSE_DONE_LOST, LIKELY, "%s %d, which feeds it, has ended, so it took all data",
                     doctor_unit(doctor, op->fed_by), op->fed_by);
    else
        doctor_blame(doctor, CAUSE_ARMING_LOST, POSSIBLE,
                     "the write of D_OP_ENABLE to %s or its RDMA may have had no effect", unit);
}

void doctor_blame_early(const struct doctor *doctor) {
    if (!doctor->log->early.number)
        return;
    doctor_blame_line(doctor, CAUSE_STATUS_STICKY, LIKELY, &doctor->log->early);
    doctor_blame(
        doctor, CAUSE_STATUS_STICKY, LIKELY,
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
    const struct log_operation *op = doctor_operation(doctor, layer);
    const char *unit = doctor_unit(doctor, layer);
    const bool misplaced = wrong_first_group(doctor->log, op->type) ||
                           (doctor->log->first_type_group[op->type] == 1 && is_first_of_unit(doctor, layer));
    doctor_set_layer(doctor, layer, unit);
    if (misplaced)
        doctor_blame(
            doctor, CAUSE_POINTER_STUCK, LIKELY,
            "%s %d ended before %s %d, which was armed before it in group %d; after a reset the first operation "
            "belongs to group 0: S_POINTER reads a wrong CONSUMER",
            unit, later, unit, layer, op->group);
    if (!misplaced)
        doctor_blame_early(doctor);
    doctor_blame(doctor, CAUSE_DONE_LOST, misplaced ? POSSIBLE : LIKELY,
                 "the done bit of %s %d is lost: %s %d, a later operation of the same unit, has ended", unit, layer,
                 unit, later);
    if (!misplaced && !log_is_fresh(doctor->log) && op->group == 1)
        doctor_blame(doctor, CAUSE_POINTER_STUCK, POSSIBLE,
                     "its S_POINTER may read a wrong CONSUMER: it was put into group 1");
}

static void blame_first_group(const struct doctor *doctor, int type) {
    if (wrong_first_group(doctor->log, type))
        doctor_blame(
            doctor, CAUSE_POINTER_STUCK, LIKELY,
            "the first operation of %s after a reset was put into group 1: CONSUMER of its S_POINTER does not read 0",
            driver_unit_names[type]);
}

void doctor_waiting(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    int later;
    const int late = overtaken(doctor, &later);
    if (late != LOG_NONE) {
        diagnose_overtaken(doctor, late, later);
        doctor_blame(doctor, CAUSE_INTERRUPT_LOST, POSSIBLE, rounds_came, (unsigned long long)log->rounds);
        return;
    }
    doctor_blame_early(doctor);
    const int layer = doctor_first_in_flight(doctor);
    doctor_set_layer(doctor, layer, layer == LOG_NONE ? NULL : doctor_unit(doctor, layer));
    const struct log_operation *next = doctor_operation(doctor, log->resolved);
    if (layer == LOG_NONE && log->last == LAST_BUSY && next && next->type == TYPE_CONV) {
        doctor_flush(doctor, log->resolved);
        return;
    }
    if (layer == LOG_NONE) {
        if (log->layers && log->done < log->layers && log->begun)
            doctor_blame(
                doctor, CAUSE_LOADABLE, LIKELY,
                "%ld of %ld layers are done and none is armed: the scheduler waits for an edge that never comes",
                log->done, log->layers);
        return;
    }
    const struct log_operation *op = doctor_operation(doctor, layer);
    const bool left_over = !log_is_fresh(log) && !log_has_too_many_rounds(log);
    if (log_is_woken_for_nothing(log) || (log->events == 0 && log->rounds && !left_over)) {
        diagnose_empty_rounds(doctor);
        return;
    }
    blame_first_group(doctor, op->type);
    if (op->feeds != LOG_NONE)
        blame_first_group(doctor, doctor_operation(doctor, op->feeds)->type);
    if (log->events == 0 && (log->begun || log->start_ends)) {
        diagnose_no_round(doctor);
        return;
    }
    if (log->unclaimed.number || log->stall.number)
        doctor_blame_line(doctor, CAUSE_INTERRUPT_STUCK, LIKELY, log->unclaimed.number ? &log->unclaimed : &log->stall);
    if (op->type == TYPE_CONV)
        blame_other_configuration(doctor, op);
    if (one_round_only(log) || lacks_wake_up(log) || independent_in_flight(doctor) > 1)
        blame_lost_interrupt(doctor);
    if (op->type == TYPE_CONV)
        diagnose_convolution(doctor, layer);
    else
        diagnose_alone(doctor, layer);
    blame_lost_interrupt(doctor);
    if (log->empty_at_end >= SEVERAL_ROUNDS)
        doctor_blame(doctor, CAUSE_INTERRUPT_STUCK, POSSIBLE, "the last %llu rounds are empty",
                     (unsigned long long)log->empty_at_end);
}
