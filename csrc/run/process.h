/* Child processes: they end with their parent, obey the signals that end a run whatever the caller had ignored, and
 * are waited for with something to do meanwhile.
 */
#ifndef RUN_PROCESS_H
#define RUN_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "nvdla/error.h"

/* Starts a child that runs body(context) and ends with what that returns; it may exec. The child gets SIGTERM when its
 * parent ends; SIGINT, SIGTERM and SIGPIPE do with it what they do by default and are not blocked. Returns its ID, -1
 * with a message. */
pid_t process_start(int (*body)(void *context), void *context, struct error *err);

/* Signals that end a run do so from now on, also where the caller has them ignored or blocked. */
void process_obey_signals(void);

/* Becomes another program, looked for in PATH if it has no '/'. Returns the exit status of a shell, 126 or 127, with
 * errno set, if that is not possible. */
int process_exec(char *const *words);

/* Waits for a child; calls tick(context) a few times a second meanwhile if it is not NULL. Returns its status as a
 * shell says it: 128 + N if it was ended by signal N. */
int process_wait(pid_t pid, void (*tick)(void *context), void *context);

/* The same of a wait status. */
int process_status(int wait_status);

/* Runs the words in a process group of its own, its output going to the file, so that all that it starts ends with it,
 * and with this process, however that ends. Returns its status like process_wait(). -1 with a message if it cannot be
 * started. */
int process_run_group(char *const *words, int output, void (*tick)(void *context), void *context, struct error *err);

/* Seconds of a clock that only goes forward. */
double process_clock(void);

#endif
