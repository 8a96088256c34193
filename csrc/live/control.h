/* Region VFIO_CONTROL of vfio-user, for a client that owns the clock (libnvcosim).
 *
 * Write CONTROL_RUN (struct control_run): lets clocks pass, then replies. Read CONTROL_STATE (struct control_state).
 * Read CONTROL_FINDINGS + n * CONTROL_TEXT: text of finding n, ended by 0. Read CONTROL_FAILURE, CONTROL_TEXT bytes:
 * why the last register access or run failed. */
#pragma once

#include <stdint.h>

enum {
    CONTROL_RUN = 0,
    CONTROL_STATE = 0x100,
    CONTROL_FAILURE = 0x1000,
    CONTROL_FINDINGS = 0x10000,
    CONTROL_TEXT = 1024
};

struct control_run {
    uint64_t clocks;
    uint32_t until_interrupt, reserved;
};

struct control_state {
    uint64_t clock;     /* since it was opened */
    uint32_t interrupt; /* level of the line */
    uint32_t findings;  /* since it was opened; at most 100 have texts */
};
