/* Child processes: they end with their parent, obey the signals that end a run whatever the caller had ignored, and
 * are waited for with something to do meanwhile. Groups of them end as a whole, also when this process is killed.
 */
#ifndef RUN_PROCESS_PROCESS_H
#define RUN_PROCESS_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "nvdla/error.h"

/* Starts a child that runs body(context) and ends with what that returns; it may exec. The child gets SIGTERM when its
 * parent ends; SIGINT, SIGTERM and SIGPIPE do with it what they do by default and are not blocked. Returns its ID, -1
 * with a message. */
pid_t process_start(int (*body)(void *context), void *context, struct error *err);

/* A program to become a child, which costs less than process_start(): nothing of this process is copied. */
struct process_program {
    char *const *words; /* the first one is looked for in PATH if it has no '/' */
    const int *files;   /* what becomes its descriptors 0, 1, ...: none of them below file_count; the others close */
    int file_count;
    bool own_group;      /* it leads a group of its own */
    bool no_core;        /* it leaves none when it crashes */
    uint64_t data_limit; /* bytes that it can allocate; 0: no limit */
};

/* Starts it; the same holds as for process_start(). If it cannot be executed the child says why to its descriptor 2 and
 * ends with 126 or 127. */
pid_t process_spawn(const struct process_program *program, struct error *err);

/* What the program has of limits and group, for a child that does not become another program. */
void process_confine(const struct process_program *program);

/* Its files become descriptors 0, 1, ..., and all others close. */
void process_take_files(const struct process_program *program);

/* Copies this process as fork() does, but the copy is a child of this one's parent, which waits for it as for all that
 * it has started itself; the same holds for it as for process_start(). Returns 0 in the copy, its ID here, -1 with
 * errno set. The process must have one thread. */
pid_t process_fork_sibling(void);

/* The same, and the copy is a child of this process. */
pid_t process_fork(void);

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

/* True if the child has ended, or is none; it is not waited for. */
bool process_has_ended(pid_t pid);

/* Runs the words in a process group of its own, its output going to the file, so that all that it starts ends with it,
 * and with this process, however that ends. Returns its status like process_wait(). -1 with a message if it cannot be
 * started. */
int process_run_group(char *const *words, int output, void (*tick)(void *context), void *context, struct error *err);

/* The same, with what it printed to stdout and stderr; free() it. NULL with a message if it cannot be started. */
char *process_output(char *const *words, int *status, struct error *err);

/* Bytes resident of a process and of all that it has started and that runs; 0 if it is gone. */
uint64_t process_memory(pid_t pid);

/* The same without the process itself. */
uint64_t process_memory_below(pid_t pid);

/* Processes that lose their parent become children of this one. */
void process_adopt(void);

/* Sends a signal to all that this process has started and that runs, and to what that has started. */
void process_signal_below(int number);

/* Ends all of them, whatever they do, and waits for them. To be called where nobody else is waited for. */
void process_end_below(void);

/* A guard: a small process that ends the groups entrusted to it (SIGKILL) when this process is gone, however that came:
 * what a child has started does not hear of that by itself. */
struct process_guard {
    int to; /* write end of its pipe; -1: there is none */
    pid_t pid;
};

/* Starts one; from now on processes that lose their parent become children of this one. False with a message. */
bool process_guard_open(struct process_guard *guard, struct error *err);
/* Ends it, and all other children of this process, and waits for them. All groups must have been dismissed. */
void process_guard_close(struct process_guard *guard);

/* Makes a child the leader of a group of its own and entrusts that to the guard. The child does the same for itself
 * with setpgid(0, 0). */
void process_guard_add(const struct process_guard *guard, pid_t pid);
/* The leader has ended and is not waited for yet: ends the rest of its group, and lets the guard forget it. */
void process_guard_dismiss(const struct process_guard *guard, pid_t pid);

/* Ends the children of this process that belong to no group of those `count` leaders: they have left the group they
 * were started in and have lost their parent. Those that have not ended at once are waited for the next time. */
void process_guard_sweep(const struct process_guard *guard, const pid_t *leaders, size_t count);

/* Cores that this process may use. */
int process_cores(void);

/* CPU time of all that has been used, user's and system's. */
double process_cpu_seconds(const struct rusage *usage);

/* CPU time that this process has used, user's and system's, with all its threads. */
double process_cpu_clock(void);

/* Seconds of a clock that only goes forward: the same for all processes of this machine. */
double process_clock(void);

/* Takes the lock of a file for this process and all that it starts. The lock of a runner that was killed goes with the
 * last process that it has started: for that this waits, some seconds at most. False if another one has it. */
bool process_lock(int file);

#endif
