/* What a log shows about the last task of a device: states of its operations, rounds of interrupts, first error.
 * Spec: 86-driver-log sections 2 to 5. Memory is bounded: OPERATIONS_MAX operations, a few lines of text. */
#pragma once

#include "doctor/messages.h"
#include "loadable/dla_task.h"

enum { LOG_NONE = -1, LOG_TEXT = 200, LOG_NESTED = 8, LOG_BUFFERS = 64 };

struct log_operation {
    int type; /* enum op_type; LOG_NONE: the log does not name it */
    bool prepared, programmed, enabling, armed;
    bool weights, data;   /* CDMA's events since it was armed; convolutions */
    unsigned completed;   /* times */
    int group;            /* LOG_NONE: not seen */
    int feeds;            /* the operation that is armed after it because it feeds it on the fly; LOG_NONE: not seen */
    int fed_by;           /* the reverse: the operation that this one takes its input from on the fly */
    long edge;            /* counter that the next released edge prints; LOG_NONE: not seen */
    unsigned long arming; /* ordinal of its arming, from 1 */
    bool inferred;        /* armed by the schedule: the log's beginning is missing */
};

/* A line that is evidence. */
struct log_line {
    uint64_t number; /* 0: none */
    char text[LOG_TEXT];
};

/* What the driver did last, as far as it matters. */
enum log_last {
    LAST_NOTHING,
    LAST_PREPARING, /* registers of an operation are about to be read */
    LAST_PROGRAM,   /* or written */
    LAST_ENABLE,    /* or armed */
    LAST_REST,      /* it waits for interrupts */
    LAST_BUSY,      /* it does something else: the log is cut here */
};

struct driver_log {
    uint64_t messages;     /* of the driver */
    bool runtime, blocked; /* the runtime submitted; a process waits for minutes */
    long blocked_seconds;
    bool passed, no_picture, debug_lines;
    char compatible[64]; /* "" : not seen */
    /* Of the module: since the last probe, if that is in the log. */
    bool probed;
    unsigned tasks;        /* begun so far */
    bool worked;           /* an operation completed in a task before the last one */
    unsigned units_worked; /* bit 1 << enum op_type: an operation of the unit completed */
    bool flushed;          /* a convolution was armed or has fetched: its poll of the flush has ended */
    /* Of the last task. */
    bool begun;            /* its first line is in the log */
    uint64_t line;         /* number of that line */
    bool start_ends;       /* the log shows when the driver began to wait: all rounds are in it */
    bool initiated, ended; /* the driver waits for interrupts; or has finished with the task */
    long initiate_status;  /* once initiated */
    struct log_operation *operations;
    size_t count;
    int resolved;                 /* operation whose last edge was released last, LOG_NONE once it is enabled */
    int current;                  /* operation that is worked on */
    int stack[LOG_NESTED], depth; /* operations whose edges are released */
    long done, layers;            /* as the driver counts them; layers 0: not seen */
    unsigned long armings, completions;
    enum log_last last;
    uint64_t rounds, empty_rounds, empty_at_end; /* of interrupts */
    uint64_t events;                             /* bits that the driver handled */
    uint64_t earlier_rounds, earlier_events;     /* of the tasks before, since the probe */
    bool in_round, round_has_events, round_has_fetches, round_is_whole;
    bool whole_convolution;           /* the last round with events had the fetches and the end of a convolution */
    int round_unit;                   /* whose events are handled; enum op_type */
    bool inside;                      /* they are being handled */
    struct message previous;          /* the last one that counts for the order of messages */
    bool fetch_events;                /* any event of CDMA was seen in the log */
    int first_type_group[TYPE_COUNT]; /* group of the first operation of each unit */
    int wrapped;                      /* operation whose counter wrapped, LOG_NONE */
    /* Errors. */
    struct log_line fault;  /* the first one */
    enum cause fault_cause; /* CAUSE_COUNT: none */
    int fault_operation;    /* LOG_NONE: none */
    bool fault_waits;       /* in a round: the driver drops the error and waits */
    bool fault_is_assertion;
    struct log_line busy, environment, stall, unclaimed, null_pointer, failed, picture, unarmed,
        early; /* unarmed: completed, not armed; early: completed before what feeds it was armed */
    bool in_handler;
    /* Addresses of the run's buffers, as ports print them. */
    long buffers[LOG_BUFFERS];
    size_t buffer_count;
    bool run_over, address_impossible;
    struct log_line address; /* the first one that cannot be right */
    int unarmed_operation;
    char ioctl[64];
    double first_time, last_time, time_of_arming; /* seconds since boot, < 0: unknown */
};

void driver_log_begin(struct driver_log *log);
void driver_log_begin_task(struct driver_log *log, bool begun); /* begun: its first line is in the log */
bool driver_log_has_task(const struct driver_log *log);
bool driver_log_failed(const struct driver_log *log); /* by an error of its own */
void driver_log_message(struct driver_log *log, const struct message *message);
void driver_log_free(struct driver_log *log);
