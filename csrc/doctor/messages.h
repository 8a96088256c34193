/* Messages of the driver, the runtime and the kernel in a log: finds them in lines of any form. Spec: 86-driver-log
 * sections 1, 2 and 6.
 *
 * A message is searched for anywhere in a line, so time stamps, journal prefixes, quotes and the message before it,
 * which may lack its line end, do no harm. Lines without a message are skipped. Memory is bounded: at most
 * MESSAGE_LINE_MOST bytes of a line are looked at. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "doctor/causes.h"
#include "trace/lex.h"

enum { MESSAGE_LINE_MOST = 4096, MESSAGE_NUMBERS = 3 };

enum message_kind {
    MESSAGE_PROBE,        /* rest: compatible string */
    MESSAGE_NETWORK,      /* a task begins */
    MESSAGE_INITIATE,     /* the heads are about to be submitted */
    MESSAGE_INITIATED,    /* number 0: status */
    MESSAGE_RESET,        /* the engine is reset: probe, or the end of a task */
    MESSAGE_PREPARE,      /* unit, numbers: operation, ROI, dependency counter */
    MESSAGE_PREPARING,    /* registers of the operation are about to be read */
    MESSAGE_GROUP,        /* unit, number 0: group */
    MESSAGE_PROGRAM,      /* unit, number 0: operation */
    MESSAGE_EDGE,         /* number 0: operation, 2: counter before */
    MESSAGE_ENABLE,       /* unit, number 0: operation */
    MESSAGE_ENABLED,      /* the operation enabled last is armed */
    MESSAGE_ENABLED_END,  /* its edges are done */
    MESSAGE_ROUND_UNIT,   /* unit: its events are about to be handled */
    MESSAGE_ROUND_LEFT,   /* number 0: status, as a word */
    MESSAGE_WEIGHTS,      /* unit, number 0: group */
    MESSAGE_DATA,         /* the same */
    MESSAGE_DONE,         /* the same */
    MESSAGE_COMPLETED,    /* unit, number 0: operation */
    MESSAGE_LAYERS,       /* numbers: done, of all */
    MESSAGE_ASSERTION,    /* rest: file, line, condition */
    MESSAGE_TASK_FAILED,  /* */
    MESSAGE_FAULT,        /* cause: what the message stands for */
    MESSAGE_OTHER,        /* a line of the driver that only shows that it runs */
    MESSAGE_BLOCKED,      /* number 0: seconds that a process waits */
    MESSAGE_STALL,        /* a processor runs in a loop */
    MESSAGE_UNCLAIMED,    /* an interrupt that no driver takes */
    MESSAGE_NULL_POINTER, /* */
    MESSAGE_IN_HANDLER,   /* a call trace has the driver's event handler */
    MESSAGE_ADDRESS,      /* number 0: of a buffer, as a port of the driver prints it */
    MESSAGE_RUN,          /* the runtime begins */
    MESSAGE_SUBMIT,       /* it submits */
    MESSAGE_IOCTL,        /* rest: text of the error */
    MESSAGE_PASS,         /* */
    MESSAGE_PICTURE,      /* the picture has other channels than the network's input */
    MESSAGE_NO_PICTURE,   /* the runtime does not know the type of the picture */
};

struct message {
    enum message_kind kind;
    enum cause cause; /* of MESSAGE_FAULT */
    int unit;         /* enum op_type */
    long numbers[MESSAGE_NUMBERS];
    struct span line, rest; /* the line; what follows the message in it */
    uint64_t number;        /* of the line, from 1 */
    double time;            /* seconds since boot, < 0: the line has none */
};

/* Calls `each` for every message in the text of one line. */
void messages_in_line(struct span line, uint64_t number, void (*each)(void *context, const struct message *message),
                      void *context);

/* The same for the lines of a log; path "-": standard input. A log of zero bytes is refused. False with a message. */
bool messages_read(const char *path, void (*each)(void *context, const struct message *message), void *context,
                   struct error *err);

/* Names of units as the driver prints them, by enum op_type. */
extern const char *const driver_unit_names[];
