/* Child processes. A child ends with its parent, and on SIGINT, SIGTERM and SIGPIPE even if the caller ignored them. A
 * wait can run a callback meanwhile. A process group ends as a whole, also when this process is killed. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "nvdla/error.h"

/* Starts a child that runs body(context), which may exec, and exits with its result. The child gets SIGTERM when its
 * parent ends; its SIGINT, SIGTERM and SIGPIPE have default actions and are not blocked. Returns its ID, or -1 with a
 * message. */
pid_t process_start(int (*body)(void *context), void *context, struct error *err);

/* A program to start. Cheaper than process_start(): no memory of this process is copied. */
struct process_program {
    char *const *words; /* the program and its arguments; searched in PATH if it has no '/' */
    const int *files;   /* become descriptors 0, 1, ...; none may be below file_count; all others are closed */
    int file_count;
    bool own_group;      /* in its own process group */
    bool no_core;        /* no core file on a crash */
    uint64_t data_limit; /* bytes that it can allocate; 0: no limit */
};

/* Starts the program, with signals as for process_start(). If it cannot be executed, the child prints why to its
 * descriptor 2 and exits with 126 or 127. */
pid_t process_spawn(const struct process_program *program, struct error *err);

/* Applies the program's limits and group to this process: for a child that does not exec. */
void process_confine(const struct process_program *program);

/* Makes the program's files descriptors 0, 1, ..., and closes all others. */
void process_take_files(const struct process_program *program);

/* fork(), but the copy is a child of this process's parent, which must wait for it. Signals are as for process_start().
 * Returns 0 in the copy, its ID here, or -1 with errno set. The process must have one thread. */
pid_t process_fork_sibling(void);

/* Restores and unblocks the signals that end a run, whatever the caller had set. */
void process_obey_signals(void);

/* Executes another program, searched in PATH if it has no '/'. Returns only on failure: 126 or 127, as a shell, with
 * errno set. */
int process_exec(char *const *words);

/* Waits for a child, and calls tick(context), unless NULL, a few times a second meanwhile. Returns its exit status, or
 * 128 + N if signal N ended it. */
int process_wait(pid_t pid, void (*tick)(void *context), void *context);

/* The same for a wait status. */
int process_status(int wait_status);

/* True if the child has ended, or is not a child. Does not wait for it. */
bool process_has_ended(pid_t pid);

/* Runs a command in its own process group, with its output in the file. Everything it starts ends with it, and with
 * this process, however that ends. Returns its status as process_wait() does, or -1 with a message if it cannot start.
 */
int process_run_group(char *const *words, int output, void (*tick)(void *context), void *context, struct error *err);

/* The same, but returns the n bytes that it printed to stdout and stderr, with a 0 behind them; free() them. NULL with
 * a message if it cannot start. */
char *process_output(char *const *words, size_t *n, int *status, struct error *err);

/* Resident bytes of a process and its descendants; 0 if it is gone. */
uint64_t process_memory(pid_t pid);

/* A small process that kills (SIGKILL) the groups entrusted to it when this process is gone, for any reason: the
 * descendants of a child do not notice that themselves. */
struct process_guard {
    int to; /* write end of its pipe; -1: no guard */
    pid_t pid;
};

/* Starts a guard. From now on, orphaned descendants become children of this process. False with a message. */
bool process_guard_open(struct process_guard *guard, struct error *err);
/* Ends the guard and all other children of this process, and waits for them. All groups must have been dismissed. */
void process_guard_close(struct process_guard *guard);

/* Makes a child the leader of its own group and entrusts the group to the guard. The child does the same for itself
 * with setpgid(0, 0). */
void process_guard_add(const struct process_guard *guard, pid_t pid);
/* Kills the rest of a group whose leader has ended but has not been waited for, and makes the guard forget it. */
void process_guard_dismiss(const struct process_guard *guard, pid_t pid);

/* Kills the children of this process that are in none of the `count` leaders' groups: they left their group and lost
 * their parent. Any that have not ended immediately are waited for in the next call. */
void process_guard_sweep(const struct process_guard *guard, const pid_t *leaders, size_t count);

/* User and system CPU time of a usage, in seconds. */
double process_cpu_seconds(const struct rusage *usage);

/* User and system CPU time of this process and all its threads, in seconds. */
double process_cpu_clock(void);

/* Seconds of a monotonic clock that all processes of the machine share. */
double process_clock(void);
