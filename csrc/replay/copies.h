/* Copies of the running process, asleep: a run that fails late is looked at again from shortly before the failure, with
 * waves and taps switched on, without being simulated twice. The process forks every so often and keeps the last few
 * children asleep (copy on write); one of them is woken by its parent and plays on from where it was made. That needs
 * nothing from the design or its simulator, so it works for any RTL, and for hangs.
 *
 *   parent                                           copy
 *     copies_consider(): forks ......................  sleeps inside copies_consider()
 *     the run fails at cycle N
 *     copies_wake(copies, N, ...): chooses, sends ...  wakes: options.woken(), returns from copies_consider(), plays on
 *     ... waits ....................................   ends with copies_leave(status)
 *     has its exit status
 *     copies_free(): all others end
 *
 * Nothing sleeps on. A copy ends when its parent does, however that ends: its end of a socket pair is then closed, and
 * the kernel sends it SIGKILL (PR_SET_PDEATHSIG). While it sleeps it holds none of its parent's stdin, stdout, stderr
 * and none of options.descriptors, so that whoever waits for the end of a pipe does not wait for it; one that wakes
 * gets them back from its parent (but stdin). Stdio is flushed before a fork, and a copy that is not woken ends by
 * _exit(): it writes nothing and runs no handler of atexit(). Copies are waited for by their ID only.
 *
 * The process must have one thread when it forks, since the others are not in the copy: where there are more no copy is
 * made (copies_trouble() says so). Files that are being written must not be open: both processes would write to them.
 *
 * Which copies there are depends on the run alone, not on time.
 */
#ifndef REPLAY_COPIES_H
#define REPLAY_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

struct copies;

enum { COPIES_MOST = 8, /* asleep at a time */ COPIES_DESCRIPTORS = 8 };

/* What a copy is told when it is woken: plain data, in cycles of the device. */
struct wake {
    uint64_t made;    /* cycle in which the copy was made: it plays on from here; filled in by copies_wake */
    uint64_t failure; /* the parent's run failed here */
    uint64_t from;    /* what matters begins here, whichever copy there is */
    uint64_t stop;    /* the copy's run is to end here; UINT64_MAX: only with its trace */
    bool waves, taps; /* to be recorded from now on */
};

struct copies_options {
    /* Clocks from one copy to the next, to measure what they cost; 0: as usual. */
    uint64_t every;
    /* Open descriptors beyond 0, 1 and 2 that a sleeping copy must not hold: ends of pipes. */
    int descriptors[COPIES_DESCRIPTORS];
    int descriptor_count;
    /* Called in a copy that wakes, at the place where it was made, before the next clock. */
    void (*woken)(void *context, const struct wake *wake);
    void *context;
};

struct copies *copies_new(const struct copies_options *options);

/* The parent: ends all copies and waits for them. In a copy: frees. */
void copies_free(struct copies *copies);

/* The device tells where it is, between two clocks, and gets a copy made if one is due.
 *
 * cycle   cycles played so far
 * arming  a register write is about to arm a unit: a good place if the last copy is old
 * starts  cycles in which the launches in flight were started, in any order: a copy from before each of them is kept
 *
 * Returns the cycle in which to call again. In a copy that was woken this returns too; the device then sees
 * copies_woken(), and the result is the cycle at which it is to stop.
 */
uint64_t copies_consider(struct copies *copies, uint64_t cycle, bool arming, const uint64_t *starts, size_t count);

/* What this process was woken for; NULL in the parent. */
const struct wake *copies_woken(const struct copies *copies);

/* The copy to look at a failure from: the newest that was made at least `margin` clocks before the failure and not
 * after the start of any launch that was in flight (starts); where there is none the oldest. False if there is no copy
 * at all. *made: its cycle. */
bool copies_choose(const struct copies *copies, uint64_t failure, uint64_t margin, const uint64_t *starts, size_t count,
                   uint64_t *made);

/* Wakes the copy made at wake->made, a cycle that copies_choose gave, ends all others, and waits for it. Its stdout,
 * stderr and options.descriptors are those of this process, which writes nothing meanwhile. *status: its exit status,
 * as a shell says it (128 + N if it was ended by signal N). False with a message if there is no such copy. */
bool copies_wake(struct copies *copies, const struct wake *wake, int *status, struct error *err);

/* Ends a copy that was woken: writes out stdio and leaves without the handlers of atexit(). */
void copies_leave(int status) __attribute__((noreturn));

struct copies_statistics {
    uint64_t made, asleep;        /* copies made so far, and those that sleep now */
    double fork_seconds;          /* CPU time of all forks, of the parent */
    double cost_seconds;          /* with the copies' own; not what copying pages on their next write costs */
    uint64_t cycles[COPIES_MOST]; /* of those asleep, ascending */
};
void copies_statistics(const struct copies *copies, struct copies_statistics *statistics);

/* True if this process has one thread: of others a copy would have none. */
bool copies_one_thread(void);

/* Why no copies are made any more, NULL if they are. */
const char *copies_trouble(const struct copies *copies);

#endif
