/* Slurm's commands: run in the background, because they hang while the controller is busy or gone, and their output
 * parsed. */
#ifndef REGRESS_ENGINE_SLURM_COMMANDS_H
#define REGRESS_ENGINE_SLURM_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "nvdla/error.h"
#include "nvdla/text.h"

/* A command that runs or has run. Zero-initialise. */
struct command {
    pid_t pid; /* 0: it does not run */
    int out, errors;
    double start; /* process_clock() */
    bool late;    /* it was ended because it took too long */
    /* When it has ended: */
    int status;         /* as a shell says it */
    char *text, *words; /* stdout; what it complained of, as one line */
};

enum { COMMAND_SECONDS = 90 }; /* after which a command is ended */

bool command_start(struct command *command, const struct words *words, struct error *err);

/* True if the command has ended since; then status, text and words are there until the next start. */
bool command_ended(struct command *command);

/* Waits until it has ended, at most that long; then ends it. */
void command_wait(struct command *command, double seconds);
void command_free(struct command *command);

/* True if the error messages of a command mean a passing state of the cluster: the controller does not answer, a limit
 * on the number of jobs is reached. Anything else is an error of the call. */
bool slurm_will_pass(const struct command *command);

/* One task of a job array, as squeue shows it. Its job is named NAME.FIRST, and it runs chunk FIRST + task. */
enum task_state {
    TASK_PENDING,
    TASK_RUNNING,
    TASK_COMPLETING, /* its processes are being ended */
    TASK_ENDED,
};
struct task {
    char job[32]; /* number of the array's job, what scancel takes */
    size_t first, chunk;
    enum task_state state;
    char name[32];    /* of the state, by Slurm: NODE_FAIL, TIMEOUT, ... */
    char reason[128]; /* of waiting or failing, by Slurm; "None" */
    char node[256];   /* "" before it has one */
    int status;       /* wait status, 0 where Slurm knows none */
};

/* Words of the squeue command that shows all tasks of this user. */
void squeue_words(struct words *words);

/* Reads a line of its output; false for the jobs of others and for anything else. name: the beginning of the names of
 * jobs. */
bool task_parse(const char *line, const char *name, struct task *task);

/* Why a task ended, for a person: "NODE_FAIL (NodeDown) on node n1". free() it. */
char *task_end(const struct task *task);

/* Splits text into words as a shell does: blanks, quotes ' and ", backslash. False if a quote is not closed. */
bool words_split(const char *text, struct words *words, struct error *err);

#endif
