/* Sleeping copies of the running process. They repeat only the last part of a failed run, with waves and taps, instead
 * of simulating all of it twice. The process forks now and then and keeps the last few children asleep (copy on write);
 * after a failure the parent wakes one, which continues from its fork. This needs no support from the design or its
 * simulator, so it works for any RTL, and for hangs.
 *
 *   parent                                           copy
 *     copies_consider(): forks ......................  sleeps inside copies_consider()
 *     the run fails at cycle N
 *     copies_wake(copies, N, ...): chooses, sends ...  wakes: options.woken(), returns from copies_consider(), plays on
 *     ... waits ....................................   ends with copies_leave(status)
 *     has its exit status
 *     copies_free(): all others end
 *
 * No copy outlives its parent: its end of a socket pair is then closed, and the kernel sends it SIGKILL
 * (PR_SET_PDEATHSIG). A sleeping copy does not hold its parent's stdin, stdout, stderr or options.descriptors open, so
 * it does not delay a process that waits for the end of a pipe; on waking it gets them back from its parent, except
 * stdin. Stdio is flushed before a fork, and a copy that is not woken ends by _exit(): it writes nothing and runs no
 * atexit() handler. Copies are waited for by process ID only.
 *
 * The process must have one thread when it forks, because fork copies only one; with more threads no copies are made
 * (see copies_trouble()). No file may be open for writing: both processes would write to it.
 *
 * Which copies exist depends only on the run, not on time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

struct copies;

enum { COPIES_MOST = 8, /* asleep at a time */ COPIES_DESCRIPTORS = 8 };

/* The message that wakes a copy: plain data, in cycles of the device. */
struct wake {
    uint64_t made;    /* cycle of the fork, from which the copy continues; set by copies_wake */
    uint64_t failure; /* the parent's run failed here */
    uint64_t from;    /* start of the interesting part, whatever the cycle of the copy */
    uint64_t stop;    /* end of the copy's run; UINT64_MAX: the end of its trace */
    bool waves, taps; /* to be recorded from now on */
};

struct copies_options {
    /* Clocks between copies, for measuring their cost; 0: default. */
    uint64_t every;
    /* Open descriptors other than 0, 1 and 2 that a sleeping copy must not hold: ends of pipes. */
    int descriptors[COPIES_DESCRIPTORS];
    int descriptor_count;
    /* Called in a copy when it wakes, before the next clock. */
    void (*woken)(void *context, const struct wake *wake);
    void *context;
};

struct copies *copies_new(const struct copies_options *options);

/* In the parent: ends all copies and waits for them. In a copy: frees. */
void copies_free(struct copies *copies);

/* The device calls this between two clocks; makes a copy if one is due.
 *
 * cycle cycles played so far arming a register write is about to arm a unit: a good point if the last copy is old
 * starts cycles in which the launches in flight were started, in any order: a copy before each of them is kept
 *
 * Returns the cycle in which to call again. Also returns in a copy that was woken; copies_woken() is then set, and the
 * result is the cycle at which to stop. */
uint64_t copies_consider(struct copies *copies, uint64_t cycle, bool arming, const uint64_t *starts, size_t count);

/* The message that woke this process; NULL in the parent. */
const struct wake *copies_woken(const struct copies *copies);

/* Chooses the copy for a failure: the newest made at least `margin` clocks before the failure and not after the start
 * of any launch in flight (starts), else the oldest. False if there is no copy. *made: its cycle. */
bool copies_choose(const struct copies *copies, uint64_t failure, uint64_t margin, const uint64_t *starts, size_t count,
                   uint64_t *made);

/* Wakes the copy made at wake->made, a cycle from copies_choose, ends all others, and waits for it. It uses stdout,
 * stderr and options.descriptors of this process, which writes nothing meanwhile. *status: its exit status as in a
 * shell (128 + N if ended by signal N). False with a message if there is no such copy. */
bool copies_wake(struct copies *copies, const struct wake *wake, int *status, struct error *err);

/* Ends a copy that was woken: flushes stdio and exits without atexit() handlers. */
void copies_leave(int status) __attribute__((noreturn));

struct copies_statistics {
    uint64_t made, asleep;        /* copies made so far, and those asleep now */
    double fork_seconds;          /* CPU time of all forks, of the parent */
    double cost_seconds;          /* including the copies' own; without the cost of copied pages */
    uint64_t cycles[COPIES_MOST]; /* of those asleep, ascending */
};
void copies_statistics(const struct copies *copies, struct copies_statistics *statistics);

/* True if this process has one thread. */
bool copies_one_thread(void);

/* Why no more copies are made, or NULL. */
const char *copies_trouble(const struct copies *copies);
