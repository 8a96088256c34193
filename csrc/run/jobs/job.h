/* One trace played by a separate process: started, listened to, judged when it has ended. jobs.h plays many. */
#pragma once

#include <stdio.h>
#include <sys/types.h>

#include "nvdla/text.h"
#include "run/options/options.h"
#include "run/result/result.h"
#include "run/serve/servers.h"

/* Bytes on a pipe between two reads that make another read urgent: a pipe holds 64 KiB. */
enum { JOB_BUSY = 16 << 10 };

enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE };

/* The limits of a job. */
enum job_limit {
    LIMIT_NONE,
    LIMIT_SECONDS, /* asked to end, and killed some seconds later */
    LIMIT_MEMORY,
    LIMIT_OUTPUT, /* it prints more than anyone reads */
    LIMIT_RESULT, /* or sends more than any result needs */
};

/* A job must send less result than this, and print less. */
enum { RESULT_LIMIT = 64 << 20, OUTPUT_LIMIT = 256 << 20 };

/* Lines on the result pipe that are not JSON, after which it is given up. */
enum { GARBAGE_MOST = 16 };

/* Seconds that a job at its time limit has to write its report. */
enum { GRACE = 5 };

struct job {
    const char *path;
    char *name;    /* unique among the jobs */
    char *command; /* to repeat it; NULL: as the options say */
    const struct nvdla_config *config;
    double max_seconds;     /* wall time; 0: no limit */
    uint64_t max_memory;    /* bytes resident in all its processes; 0: no limit */
    struct run_layer layer; /* the trace is this random layer, which its process writes if it does not exist */
    int ledger;     /* file where its process also notes its result (run/result/ledger.h), at least 16; 0: none */
    size_t number;  /* its number in the ledger */
    bool clean;     /* its folder has no report of an earlier run */
    bool own_group; /* its process leads a group that ends with it (process_guard_add) */
    enum job_state state;
    pid_t pid;                  /* of its own process */
    int result_end, output_end; /* read ends of the pipes; -1: closed */
    double start;               /* process_clock() */
    enum job_limit exceeded;    /* limit for which it is being ended */
    double ended;               /* process_clock() of that */
    uint64_t memory;            /* most bytes seen resident */
    double heard;               /* process_clock() of the last look at its progress */
    unsigned garbage;           /* lines on the result pipe that are neither progress nor a result */
    uint64_t said, printed;     /* bytes read from the result pipe, and from the output pipe */
    struct text lines, output;  /* lines: incomplete line from the result pipe */
    char *record;               /* the last complete line that is not progress; NULL: no verdict */
    double work;                /* minimum clocks of its layers; 0: not known */
    double part;                /* share of its work that is done, as last reported */
    double rate;                /* cycles a second, as last reported */
    char *at;                   /* the same as text */
};

/* Callbacks for the owner of jobs. */
struct job_listener {
    /* The job has sent something; printed: bytes at the end of job->output. NULL: not needed. */
    void (*progress)(void *context, struct job *job, size_t printed);
    void (*ended)(void *context, struct job *job); /* call job_result() for its result */
    void *context;
};

/* Path of the simulator that the options need, whether it exists or not. False with a message. */
bool job_simulator(const struct run_options *options, const char *config, char *path, size_t size, struct error *err);

/* Starts the process: a simulator, or a copy of this one if only the model plays. With a server (NULL: none) it is a
 * copy of the server, if possible. Removes the report of an earlier run from its folder. progress: it reports its
 * progress. False with a message if it cannot start. */
bool job_start(struct job *job, const struct run_options *options, bool progress, struct server *server,
               struct error *err);

/* Reads what the process has sent, up to a limit, without waiting. Returns the number of bytes it has printed since the
 * last call: the last ones of job->output, of which only the end is kept. */
size_t job_listen(struct job *job);

/* Resident bytes of its process and descendants; 0 if no limit needs them. */
uint64_t job_memory(const struct job *job);

/* Ends a job that exceeds a limit, with that many bytes resident. Call it a few times a second while one with limits
 * runs. */
void job_check(struct job *job, uint64_t memory);

/* Sends a signal to the process, or to its group if it leads one. */
void job_signal(const struct job *job, int number);

/* Waits for a process that has ended, and judges the job: by what it sent, if that is consistent. Adds times and
 * commands, and a report if the process could not write one. */
struct result job_result(struct job *job, const struct run_options *options);

/* The result of a job from its line in a ledger, when another process waited for it; false if the line is not a result.
 * The job was not started. */
bool job_noted(struct job *job, const struct run_options *options, const char *line, struct result *result);

/* Waits for a process that has ended, and discards its result. Returns its exit status, 128 + N if signal N ended it.
 */
int job_abandon(struct job *job);

/* The result of a job that could not be started. */
struct result job_failed(const struct job *job, const struct run_options *options, const char *reason);

/* Frees what a job keeps. May be called again. */
void job_free(struct job *job);
