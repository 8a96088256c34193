/* The parts of the runner of nights on a Slurm cluster (slurm.c) share one state, that of the night: what is to be done
 * (slurm_work.c), what jobs say (slurm_news.c), what jobs that have ended leave (slurm_ends.c), what the controller is
 * asked (slurm_ask.c) and given (slurm_submit.c), and how it begins (slurm_begin.c). */
#ifndef REGRESS_ENGINE_SLURM_PARTS_H
#define REGRESS_ENGINE_SLURM_PARTS_H

#include "regress/engine/engine.h"
#include "regress/engine/slurm_commands.h"

enum {
    GIVE_UP_SECONDS = 1800, /* without an answer of the controller */
    QUEUE_SHORTEST = 2,     /* seconds between questions about the queue */
};

enum work_state {
    WORK_WAITING, /* to be submitted */
    WORK_SUBMITTED,
    WORK_RUNNING,
    WORK_ENDED, /* says Slurm: what its job has said may not have been seen yet */
    WORK_OVER,
};

/* A chunk, and the job that runs it. Its place in slurm->work is its number. */
struct work {
    enum work_state state;
    size_t *tests;
    bool *started; /* of each of them */
    size_t count;
    unsigned fruitless; /* jobs that ended before a test started, one after the other, until this one */
    bool followed;      /* it is over, but may still report: Slurm lost its node, which may work all the same */
    bool closed;        /* it reported its end */
    bool any;           /* it said anything of a test */
    size_t reported;    /* results */
    off_t at;           /* place in its file after the last whole line */
    char *node;
    char *refused;     /* why it did not continue, in its own words */
    struct task task;  /* as Slurm showed it last */
    double ended;      /* process_clock() of the end, as Slurm has it */
    double completing; /* since when its processes are being ended, 0: they are not */
};

/* An array of jobs. */
struct submission {
    size_t first, count; /* chunks */
    char job[32];        /* its number, "" where the answer of sbatch got lost */
};

enum asked { ASKED_PROCESSORS, ASKED_QUEUE, ASKED_SUBMIT, ASKED_CANCEL, ASKED_EXCLUDE };

struct slurm {
    const struct engine_job *job;
    struct words options; /* for sbatch, by the user */
    struct text exclude;  /* nodes that get no job, comma between: those of the user and those below */
    struct words bad;     /* nodes on which jobs do not come to a test */
    char *name;           /* of the jobs of the night */
    char *script;         /* of all jobs */
    size_t limit;         /* tests of the night have numbers below */
    bool *wanted, *done;  /* tests that are to run; that have results */
    unsigned *failures;   /* jobs that ended under a test */
    size_t left;          /* tests without a result */
    struct work *work;
    size_t work_count;
    size_t old;       /* chunks below are an earlier runner's */
    size_t submitted; /* chunks below have been submitted */
    size_t written;   /* chunks below have their files */
    struct submission *submissions;
    size_t submission_count;
    size_t processors;
    struct command command;
    enum asked asked;
    size_t batch;      /* chunks of the sbatch that runs, or that failed and may have done its work all the same */
    size_t batch_most; /* of one array */
    bool unsure;       /* whether it has: squeue knows */
    bool leftovers;    /* jobs of an earlier runner may be there */
    bool leftovers_said;
    bool pending_cancelled;             /* the night is over: what has not begun will not */
    struct words to_cancel, to_exclude; /* numbers of jobs: to be cancelled; that are to keep off the bad nodes */
    double start, next_read, next_queue, next_submit, retry;
    double silent;   /* since when the controller has not answered, 0: it does */
    double rejected; /* since when no job is taken, 0: they are */
    char *waiting;   /* reason that all jobs wait for, if it was reported */
    bool broken;     /* the listener could not keep a result */
    bool failed;     /* no more can be submitted: error says why */
    bool gone;       /* the controller is: jobs cannot be asked about */
    struct error error;
    int signals;
};

/* ---- slurm_work.c ---- */

/* A line for a person. */
void slurm_say(const struct slurm *slurm, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Nothing more is submitted. The first failure is the one that is reported. */
void slurm_fail(struct slurm *slurm, const char *format, ...) __attribute__((format(printf, 2, 3)));

bool slurm_night_is_over(const struct slurm *slurm);

/* True if the job of a chunk is with Slurm; if any is. */
bool slurm_is_live(const struct work *work);
bool slurm_any_live(const struct slurm *slurm);

/* True if a test is to run and has no result; how many of a chunk. */
bool slurm_is_open(const struct slurm *slurm, size_t test);
size_t slurm_open_tests(const struct slurm *slurm, const struct work *work);

/* Adds a chunk with room for that many tests, to be submitted. It moves all others. */
struct work *slurm_add_work(struct slurm *slurm, size_t most);

/* Divides the open tests among chunks. */
void slurm_cut(struct slurm *slurm);

/* ---- slurm_news.c ---- */

/* Takes in what the job of a chunk has said since the last look; of all in whose files something may be. */
void slurm_read_news(struct slurm *slurm, size_t number);
void slurm_read_all(struct slurm *slurm);

/* Hands on the result of a test that is open; the first one counts. */
void slurm_keep_result(struct slurm *slurm, size_t test, const char *host, struct result *result);

/* ---- slurm_ends.c ---- */

/* Judges all jobs by what they have said and what Slurm has. */
void slurm_settle(struct slurm *slurm);

/* ---- slurm_ask.c ---- */

/* Starts a command; its answer comes to slurm_take_answer(). Takes the words. */
void slurm_ask(struct slurm *slurm, enum asked asked, struct words *words);
void slurm_ask_processors(struct slurm *slurm);

/* Asks what is to be asked next, if anything. */
void slurm_ask_next(struct slurm *slurm);
void slurm_take_answer(struct slurm *slurm);

/* process_clock() when what was not answered is tried again; *since: the first time that it was not. */
double slurm_try_again(struct slurm *slurm, double *since);

/* True, with a message, if the shell has not found the program. */
bool slurm_is_missing(struct slurm *slurm, const char *program);

/* Cancels every job that may still run or begin, and waits for scancel. */
void slurm_cancel_all(struct slurm *slurm);

/* ---- slurm_submit.c ---- */

/* Submits the next chunks; takes in the answer. */
void slurm_submit(struct slurm *slurm);
void slurm_take_submit(struct slurm *slurm);

/* The sbatch of the first chunks that wait has done its work, as the job of that number. */
void slurm_have_submitted(struct slurm *slurm, const char *job);

/* ---- slurm_begin.c ---- */

/* Fills in what slurm->job says, and makes the files of the night. False with a message. */
bool slurm_prepare(struct slurm *slurm, struct error *err);
void slurm_release(struct slurm *slurm);

#endif
