/* Classes of causes that a log or a wrong output can have. */
#pragma once

enum cause {
    CAUSE_GOOD,            /* nothing is wrong */
    CAUSE_DATA,            /* the log is good, only the result can be wrong */
    CAUSE_HARMLESS,        /* something is missing that changes nothing */
    CAUSE_INTERRUPT_NEVER, /* no interrupt reaches the driver */
    CAUSE_INTERRUPT_LOST,  /* some do */
    CAUSE_INTERRUPT_STUCK, /* the line stays active, or belongs to another device as well */
    CAUSE_ARMING_LOST,     /* a write of D_OP_ENABLE has no effect, or the unit does not run */
    CAUSE_DONE_LOST,       /* a unit ran, its done bit never appeared; or it hangs */
    CAUSE_FLUSH,           /* CDMA's flush status stays 0 */
    CAUSE_POINTER_STUCK,   /* a CONSUMER field reads wrong */
    CAUSE_STATUS_ZERO,     /* S_INTR_STATUS reads 0 */
    CAUSE_STATUS_STICKY,   /* a done bit is not cleared by its write */
    CAUSE_READS_ONES,      /* registers read ffffffff */
    CAUSE_READS_ZERO,      /* registers read 0 */
    CAUSE_CONFIGURATION,   /* loadable, driver or register map of another configuration */
    CAUSE_LOADABLE,        /* the file: version of its interface, damage, links between tasks */
    CAUSE_BUSY,            /* a task before has not ended */
    CAUSE_ENVIRONMENT,     /* memory, probe, device node, a bus error */
    CAUSE_COUNT
};

/* "interrupt-never", ... */
extern const char *const cause_names[CAUSE_COUNT];
