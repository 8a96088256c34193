/* From what a log shows to causes. See log_diagnosis.h. */
#include "doctor/log_diagnosis.h"

#include <stdlib.h>
#include <string.h>

#include "doctor/log_evidence.h"
#include "loadable/describe.h"
#include "nvdla/xalloc.h"

/* ---- errors that the driver prints ---- */

static void blame_dead_reads(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    if (log->unarmed.number)
        doctor_blame_line(doctor, CAUSE_READS_ONES, LIKELY, &log->unarmed);
    doctor_blame(
        doctor, CAUSE_READS_ONES, LIKELY,
        "the status of CACC is not idle for a group that is free: a register window that reads ffffffff does that; "
        "check the link, the bridge and the power domain, read GLB.S_NVDLA_HW_VERSION with devmem");
    doctor_blame(doctor, CAUSE_BUSY, POSSIBLE, "CACC is busy in a group whose done bit came, or since a task before");
}

static void diagnose_fault(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    doctor->diagnosis->verdict = log->fault_waits && !log->ended ? VERDICT_HANG : VERDICT_ERROR;
    doctor_set_layer(doctor, log->fault_operation,
                     log->fault_operation == LOG_NONE ? NULL : doctor_unit(doctor, log->fault_operation));
    if (log->wrapped != LOG_NONE) {
        doctor_blame_line(doctor, CAUSE_LOADABLE, LIKELY, &log->unarmed);
        doctor_blame(
            doctor, CAUSE_LOADABLE, LIKELY,
            "a counter of edges wrapped below 0: operations of a task before are programmed again; a file of several "
            "tasks whose last operations link to the next task");
    }
    doctor_blame_line(doctor, log->wrapped == LOG_NONE ? log->fault_cause : CAUSE_LOADABLE,
                      log->fault_is_assertion || log->busy.number ? LIKELY : CERTAIN, &log->fault);
    if (log->fault_cause == CAUSE_READS_ONES)
        blame_dead_reads(doctor);
    else if (log->fault_cause == CAUSE_BUSY && log->fault_is_assertion) {
        doctor_blame(
            doctor, CAUSE_BUSY, LIKELY,
            "a unit is not idle in the group that is to be programmed: a task before hung, or a group did not end "
            "although its done bit came; load the module anew after a reset");
        doctor_blame(doctor, CAUSE_READS_ONES, POSSIBLE, "a unit whose status reads ones looks the same");
    } else if (log->fault_cause == CAUSE_CONFIGURATION)
        doctor_blame(doctor, CAUSE_LOADABLE, POSSIBLE, "a damaged descriptor looks the same");
    else if (log->fault_cause == CAUSE_LOADABLE)
        doctor_blame(doctor, CAUSE_CONFIGURATION, POSSIBLE, "the driver's structures may be those of another version");
    if (doctor->diagnosis->verdict == VERDICT_HANG)
        words_put(&doctor->diagnosis->notes,
                  "the error came in a round of events, where the driver drops it and waits for ever");
}

static void blame_busy(const struct doctor *doctor) {
    if (!doctor->log->busy.number)
        return;
    doctor_blame_line(doctor, CAUSE_BUSY, CERTAIN, &doctor->log->busy);
    doctor_blame(doctor, CAUSE_BUSY, CERTAIN,
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
            doctor_blame_line(doctor, codes[i].cause, codes[i].certainty, &doctor->log->failed);
            doctor_blame(doctor, codes[i].cause, codes[i].certainty, "%s", codes[i].evidence);
        }
}

static void blame_picture(const struct doctor *doctor) {
    if (!doctor->log->picture.number)
        return;
    doctor_blame_line(doctor, CAUSE_LOADABLE, LIKELY, &doctor->log->picture);
    doctor_blame(doctor, CAUSE_LOADABLE, LIKELY, "the picture has other channels than the input of the network");
}

static void blame_environment(const struct doctor *doctor) {
    const struct log_line *line = &doctor->log->environment;
    if (!line->number)
        return;
    doctor_blame_line(doctor, CAUSE_ENVIRONMENT, CERTAIN, line);
    if (strstr(line->text, "drm device") || strstr(line->text, "error -12"))
        doctor_blame(
            doctor, CAUSE_ENVIRONMENT, CERTAIN,
            "the probe declares memory at c0000000, 1 GiB: the device tree must have it; from Linux 4.15 on the "
            "driver's check of the result is wrong and fails always: correct it");
}

static void blame_address(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    if (!log->address.number)
        return;
    const enum certainty certainty = log->address_impossible && !log->ended ? CERTAIN : LIKELY;
    doctor_blame_line(doctor, CAUSE_ENVIRONMENT, certainty, &log->address);
    doctor_blame(doctor, CAUSE_ENVIRONMENT, certainty,
                 log->address_impossible
                     ? "a buffer at an address that is 0 or no multiple of 8: its memory was not allocated or not "
                       "mapped for DMA; check the "
                       "memory-region in the device tree and the DMA mask"
                     : "two buffers of one run have this address: what one engine writes destroys the other; "
                       "check how the port of the driver allocates memory");
}

static void diagnose_crash(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    doctor->diagnosis->verdict = VERDICT_ERROR;
    const bool first_unit = log->round_unit == TYPE_BDMA || log->round_unit == TYPE_CONV;
    const enum cause likely = first_unit ? CAUSE_READS_ONES : CAUSE_STATUS_STICKY;
    doctor_set_layer(doctor, doctor_first_in_flight(doctor), first_unit ? NULL : driver_unit_names[log->round_unit]);
    doctor_blame_line(doctor, likely, LIKELY, &log->null_pointer);
    doctor_blame(doctor, likely, LIKELY, "the event handler met a done bit of a group of %s without an operation: %s",
                 driver_unit_names[log->round_unit],
                 first_unit ? "S_INTR_STATUS reads ones"
                            : "it was not cleared by its write, for the units before have no such bit");
    if (first_unit)
        doctor_blame(doctor, CAUSE_STATUS_STICKY, POSSIBLE,
                     "a done bit that is not cleared, or of another unit, does the same");
    else
        doctor_blame(doctor, CAUSE_READS_ONES, POSSIBLE,
                     "a status that reads ones has bits of operations that do not run");
}

static void diagnose_sticky(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    doctor_set_layer(doctor, log->unarmed_operation, doctor_unit(doctor, log->unarmed_operation));
    doctor_blame_line(doctor, CAUSE_STATUS_STICKY, LIKELY, &log->unarmed);
    doctor_blame(
        doctor, CAUSE_STATUS_STICKY, LIKELY,
        "an operation completed that was not armed: the done bit of one before it was not cleared by its write");
    doctor_blame(doctor, CAUSE_READS_ONES, POSSIBLE, "a status that reads ones has bits of operations that do not run");
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
        doctor_blame_early(doctor);
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
        doctor_blame_line(doctor, CAUSE_INTERRUPT_STUCK, LIKELY, &log->unclaimed);
        doctor_blame(
            doctor, CAUSE_INTERRUPT_STUCK, LIKELY,
            "the task ended, but the line stayed active; if it is NVDLA's (/proc/interrupts), the next task gets no "
            "interrupt");
    }
    if (all_without_fetches(log))
        doctor_blame(doctor, CAUSE_HARMLESS, LIKELY,
                     "the driver never saw a done bit of CDMA; no operation waits for them, so the result is right");
    doctor_blame(doctor, CAUSE_GOOD, doctor->diagnosis->cause_count ? LIKELY : CERTAIN,
                 "the task ended: %ld of %ld layers", log->done, log->layers);
    doctor_blame(
        doctor, CAUSE_DATA, POSSIBLE,
        "a log shows nothing about data: compare the output with that of nvcosim run NET.nvdla --input PICTURE");
    if (log->no_picture)
        words_put(&doctor->diagnosis->notes,
                  "the runtime did not read the picture: it knows only .pgm and .jpg, and ran on what was in memory");
}

/* ---- all ---- */

static void diagnose_open_task(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    const bool many = log_is_woken_for_nothing(log);
    struct log_diagnosis *diagnosis = doctor->diagnosis;
    diagnosis->verdict =
        log->last == LAST_BUSY && !many && !log->blocked && !log->stall.number ? VERDICT_UNKNOWN : VERDICT_HANG;
    if (diagnosis->verdict == VERDICT_UNKNOWN)
        words_put(&diagnosis->notes, "the log is cut while the driver works: it may just as well have ended");
    blame_address(doctor);
    if (log->wrapped != LOG_NONE)
        doctor_blame_line(doctor, CAUSE_LOADABLE, LIKELY, &log->unarmed);
    const struct log_operation *current = doctor_operation(doctor, log->current);
    if (log->unarmed_operation != LOG_NONE)
        diagnose_sticky(doctor);
    else if (log->null_pointer.number && log->in_handler)
        diagnose_crash(doctor);
    else if (log->last == LAST_ENABLE && current && current->type == TYPE_CONV)
        doctor_flush(doctor, log->current);
    else if (log->last == LAST_PREPARING || log->last == LAST_PROGRAM || log->last == LAST_ENABLE)
        doctor_dead_access(doctor);
    else
        doctor_waiting(doctor);
}

static void diagnose_without_task(const struct doctor *doctor) {
    const struct driver_log *log = doctor->log;
    blame_address(doctor);
    struct log_diagnosis *diagnosis = doctor->diagnosis;
    if (diagnosis->cause_count)
        diagnosis->verdict = VERDICT_ERROR;
    else if (log->blocked) {
        diagnosis->verdict = VERDICT_HANG;
        doctor_blame(
            doctor, CAUSE_INTERRUPT_NEVER, POSSIBLE,
            "the runtime waits for an interrupt for more than %ld seconds; the log has no line of the driver that "
            "shows for which",
            log->blocked_seconds);
    } else if (log->passed) {
        diagnosis->verdict = VERDICT_GOOD;
        doctor_blame(doctor, CAUSE_GOOD, LIKELY, "the runtime ended with Test pass");
        doctor_blame(doctor, CAUSE_DATA, POSSIBLE, "Test pass says nothing about data");
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
        if (log_is_armed(&log->operations[i]))
            armed[count++] = &log->operations[i];
    qsort(armed, count, sizeof *armed, by_arming);
    for (size_t i = 0; i < count; i++) {
        const struct log_operation *op = armed[i];
        const int index = (int)(op - log->operations);
        words_add(&diagnosis->armed, "%s %d", doctor_unit(doctor, index), index);
        if (!doctor_in_flight(doctor, op))
            continue;
        if (op->type == TYPE_CONV && !op->weights)
            words_add(&diagnosis->due, "CDMA weights of Convolution %d", index);
        if (op->type == TYPE_CONV && !op->data)
            words_add(&diagnosis->due, "CDMA data of Convolution %d", index);
        words_add(&diagnosis->due, "%s %d", doctor_unit(doctor, index), index);
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
        diagnosis->name = xprintf("%s %d", doctor_unit(doctor, layer), layer);
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
        doctor_set_layer(doctor, log->current, NULL);
        doctor_blame_line(doctor, CAUSE_LOADABLE, POSSIBLE, &log->failed);
        blame_code(doctor);
    } else if (log->ended ||
               (log->layers > 0 && log->done == log->layers && doctor_first_in_flight(doctor) == LOG_NONE))
        diagnose_end(doctor);
    else
        diagnose_open_task(doctor);
    if (doctor->contradiction[0]) {
        doctor_blame(doctor, CAUSE_LOADABLE, POSSIBLE, "the log is not of this network: %s", doctor->contradiction);
        words_add(&doctor->diagnosis->notes, "the log is not of this network: %s", doctor->contradiction);
    }
    if (doctor->diagnosis->verdict == VERDICT_HANG && !doctor->diagnosis->cause_count) {
        doctor->diagnosis->verdict = VERDICT_UNKNOWN;
        words_put(&doctor->diagnosis->notes, "the driver waits; the log does not show for what");
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
