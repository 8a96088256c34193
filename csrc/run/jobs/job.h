/* One trace that is played by a process of its own: started, listened to, judged when it has ended. jobs.h plays many.
 */
#ifndef RUN_JOBS_JOB_H
#define RUN_JOBS_JOB_H

#include <stdio.h>
#include <sys/types.h>

#include "nvdla/text.h"
#include "run/options/options.h"
#include "run/result/result.h"
#include "run/serve/servers.h"

/* Bytes over a pipe between two looks at it that make another one urgent: a pipe holds 64 KiB. */
enum { JOB_BUSY = 16 << 10 };

/* The most that job_drain() takes at once. */
enum { JOB_DRAIN = 128 << 10 };

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE };

/* What a job may not exceed. */
enum job_limit {
    LIMIT_NONE,
    LIMIT_SECONDS, /* it is asked to end, and made to end some seconds later */
    LIMIT_MEMORY,
    LIMIT_OUTPUT, /* it prints more than anybody reads */
    LIMIT_RESULT, /* or says more of its result than there can be to say */
};

/* How a process has ended, and what it took. */
struct job_end {
    int wait_status;
    double seconds, cpu_seconds;
    uint64_t memory_peak; /* bytes resident */
};

/* The lane that plays a job (run/jobs/lanes.h). */
struct job_lane {
    pid_t pid;   /* 0: none */
    int signals; /* write end of its pipe of orders */
    uint64_t id; /* of the job there */
};

struct job {
    const char *path;
    char *name;    /* that no other job has */
    char *command; /* that plays it again; NULL: what the options say */
    const struct nvdla_config *config;
    double max_seconds;     /* wall time; 0: no limit */
    uint64_t max_memory;    /* bytes resident, of all its processes; 0: no limit */
    struct run_layer layer; /* the trace is this random layer, which its process writes if it is not there */
    int ledger;     /* file that its process notes its result in as well (run/result/ledger.h), not below 16; 0: none */
    size_t number;  /* that it is noted for */
    bool clean;     /* there is no report of an earlier run in the folder of its own */
    bool own_group; /* its process leads a group, that ends with it (process_guard_add) */
    enum job_state state;
    pid_t pid;                  /* of its process, if this one has started it */
    struct job_lane lane;       /* that plays it */
    bool played;                /* by a lane, */
    struct job_end end;         /* this came of it */
    int result_end, output_end; /* read ends of the pipes; -1: closed */
    double start;               /* process_clock() */
    enum job_limit exceeded;    /* it is being ended for that */
    double ended;               /* process_clock() of that */
    uint64_t memory;            /* the most that was seen resident */
    double heard;               /* process_clock() of the last look at how far it is */
    unsigned garbage;           /* lines over the result's pipe that are neither that nor a result */
    uint64_t said, printed;     /* bytes that came over the result's pipe, and over the other one */
    struct text lines, output;  /* lines: what came over the result's pipe and is not a whole line yet */
    char *record;               /* the last line that was whole and no progress; NULL: it has not come to a verdict */
    double work;                /* clocks that its layers take at least; 0: not known */
    double part;                /* of its work that is done, as it said last */
    double rate;                /* cycles a second, likewise */
    char *at;                   /* the same for a person */
};

/* Who waits for jobs. */
struct job_listener {
    /* The job has said something; printed: bytes at the end of job->output. NULL: nobody is interested. */
    void (*progress)(void *context, struct job *job, size_t printed);
    void (*ended)(void *context, struct job *job); /* job_result() tells what came of it */
    /* Of jobs that were put into a queue, that is job_queue(): a lane plays it now; nothing came of it, and it has to
     * be started otherwise. */
    void (*started)(void *context, struct job *job);
    void (*lost)(void *context, struct job *job);
    void *context;
};

/* Path of the simulator that the options need, there or not. False with a message. */
bool job_simulator(const struct run_options *options, const char *config, char *path, size_t size, struct error *err);

/* Starts the process: a simulator, or a copy of this one for the model alone. With a server (NULL: none) it is a copy
 * of that, if the server can. What an earlier run left in the folder of its report is removed. progress: it is to tell
 * how far it is. False with a message if that is not possible. */
bool job_start(struct job *job, const struct run_options *options, bool progress, struct server *server,
               struct error *err);

/* Starts another program instead (words[0] is its path), of which nothing is known but what it prints and how it ends:
 * its end is taken with job_abandon(). */
bool job_start_program(struct job *job, char *const *words, struct error *err);

/* Puts it into the queue of the server, for a lane to play, as `id`: with what job_start() does before. False if that
 * is not possible now. */
bool job_queue(struct job *job, const struct run_options *options, bool progress, struct server *server, uint64_t id);

/* Takes in what the process has said, some of it if that is much, without waiting. Returns how many bytes it has
 * printed since the last call; they are the last ones of job->output, of which only the end is kept. */
size_t job_listen(struct job *job);

/* Takes in a line that its process has said, or that it has said bytes of one that is not whole yet (line: NULL). */
void job_says(struct job *job, char *line, size_t size);

/* Takes in what its process has printed. */
void job_prints(struct job *job, const char *bytes, size_t size);

/* The lane that played it has told that it has ended. */
void job_has_played(struct job *job, const struct job_end *end);

/* Takes some of what is there to read from a pipe, so that nobody else waits for one that never stops, but no less than
 * an ordinary pipe holds; closes it at its end. Returns the number of bytes. */
size_t job_drain(int *end, struct text *text);

/* Bytes resident of its process and all that this has started; 0 if nobody asks for it. */
uint64_t job_memory(const struct job *job);

/* Ends a job that exceeds a limit, with that many bytes resident; to be called a few times a second while one with
 * limits runs. */
void job_check(struct job *job, uint64_t memory);

/* Sends a signal to the process, or to its whole group if it leads one. */
void job_signal(const struct job *job, int number);

/* Takes leave of a process that has ended and judges what came of it: what it said and was listened to, if that can be
 * believed. With the times, the commands, and a report where it could not write one. */
struct result job_result(struct job *job, const struct run_options *options);

/* What came of a job whose process nobody has waited for, as its line in a ledger has it; false if that is no result.
 * The job was not started. */
bool job_noted(struct job *job, const struct run_options *options, const char *line, struct result *result);

/* Takes leave of a process that has ended whose result, if there is one, is of no interest. Returns its exit status,
 * 128 + N if signal N has ended it. */
int job_abandon(struct job *job);

/* The result of a job that could not be started. */
struct result job_failed(const struct job *job, const struct run_options *options, const char *reason);

/* Frees what a job has kept; it may be called again. */
void job_free(struct job *job);

#endif
