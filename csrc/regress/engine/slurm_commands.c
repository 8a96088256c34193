/* Slurm's commands and their output. See slurm_commands.h. */
#include "regress/engine/slurm_commands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "run/process/process.h"

/* ---- running ---- */

struct child {
    const struct command *command;
    const struct words *words;
};

static int become(void *context) {
    const struct child *child = context;
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, STDIN_FILENO);
    dup2(child->command->out, STDOUT_FILENO);
    dup2(child->command->errors, STDERR_FILENO);
    unsetenv("SLURM_CPUS_PER_TASK"); /* of a job that this runs in: sbatch would hand it on */
    const int status = process_exec(child->words->items);
    fprintf(stderr, "%s: %s\n", child->words->items[0], strerror(errno));
    return status;
}

bool command_start(struct command *command, const struct words *words, struct error *err) {
    command_free(command);
    command->out = memfd_create("stdout", MFD_CLOEXEC);
    command->errors = memfd_create("stderr", MFD_CLOEXEC);
    command->start = process_clock();
    struct child child = {.command = command, .words = words};
    const pid_t pid = command->out < 0 || command->errors < 0
                          ? (error_set(err, "no memory for the output of %s", words->items[0]), -1)
                          : process_start(become, &child, err);
    if (pid < 0) {
        close(command->out);
        close(command->errors);
        *command = (struct command){0};
        return false;
    }
    command->pid = pid;
    return true;
}

/* What a file in memory holds, closed. */
static char *take_all(int fd) {
    struct stat info = {0};
    fstat(fd, &info);
    char *text = xcalloc((size_t)info.st_size + 1, 1);
    const ssize_t n = pread(fd, text, (size_t)info.st_size, 0);
    text[n < 0 ? 0 : n] = '\0';
    close(fd);
    return text;
}

/* What a command complained of as one line: "sbatch: error: A\nsbatch: error: B\n" as "A; B". free() it. */
static char *one_line(char *text) {
    struct text line = {0};
    text_printf(&line, "%s", "");
    for (char *words; (words = strsep(&text, "\n")) != NULL;) {
        const char *error = strstr(words, "error: ");
        if (words[0])
            text_printf(&line, "%s%s", line.n ? "; " : "", error ? error + strlen("error: ") : words);
    }
    return line.text;
}

static void finish(struct command *command, int wait_status) {
    command->pid = 0;
    command->status = process_status(wait_status);
    command->text = take_all(command->out);
    char *errors = take_all(command->errors);
    command->words = command->late && command->status != 0 ? xprintf("no answer for %d seconds", COMMAND_SECONDS)
                     : errors[0]                           ? one_line(errors)
                                                           : xprintf("it ended with status %d", command->status);
    free(errors);
}

bool command_ended(struct command *command) {
    int status;
    if (command->pid == 0)
        return false;
    if (process_clock() - command->start > COMMAND_SECONDS) {
        kill(command->pid, command->late ? SIGKILL : SIGTERM);
        command->late = true;
    }
    if (waitpid(command->pid, &status, WNOHANG) != command->pid)
        return false;
    finish(command, status);
    return true;
}

void command_wait(struct command *command, double seconds) {
    enum { TICK_MS = 20 };
    const double end = process_clock() + seconds;
    while (command->pid != 0 && !command_ended(command)) {
        if (process_clock() > end)
            kill(command->pid, SIGKILL);
        poll(NULL, 0, TICK_MS);
    }
}

void command_free(struct command *command) {
    free(command->text);
    free(command->words);
    *command = (struct command){0};
}

bool slurm_will_pass(const struct command *command) {
    static const char *const signs[] = {
        "contact slurm controller",
        "not connected",
        "timed out",
        "temporarily",
        "try again",
        "Connection refused",
        "Connection reset",
        "Zero Bytes",
        "standby",
        "submit limit",
        "unavailable",
        "authentication",
        "Unable to resolve",
        "No route to host",
        "Unexpected message",
        "queue is full",
    };
    if (command->late)
        return true;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strcasestr(command->words, signs[i]))
            return true;
    return false;
}

/* ---- squeue ---- */

void squeue_words(struct words *words) {
    words_add(words, "squeue");
    words_add(words, "--me");
    words_add(words, "--noheader");
    words_add(words, "--array");
    words_add(words, "--states=all");
    words_add(words, "--Format=ArrayJobID:|,ArrayTaskID:|,State:|,exit_code:|,Reason:|,Name:|,NodeList:|");
}

/* Takes the next field of a line that fields end in '|'. */
static char *field(char **rest) {
    char *text = strsep(rest, "|");
    return text ? text : (char *)"";
}

static void copy(char *to, size_t size, const char *from) {
    snprintf(to, size, "%s", from);
}

static enum task_state state_of(const char *name) {
    static const char *const ended[] = {"COMPLETED", "FAILED",    "CANCELLED", "TIMEOUT",       "NODE_FAIL",
                                        "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "OUT_OF_MEMORY", "REVOKED"};
    for (size_t i = 0; i < sizeof ended / sizeof *ended; i++)
        if (strcmp(name, ended[i]) == 0)
            return TASK_ENDED;
    return strcmp(name, "PENDING") == 0      ? TASK_PENDING
           : strcmp(name, "COMPLETING") == 0 ? TASK_COMPLETING
                                             : TASK_RUNNING;
}

bool task_parse(const char *line, const char *name, struct task *task) {
    char *text = xstrdup(line), *rest = text;
    uint64_t first = 0, index = 0, status = 0;
    *task = (struct task){0};
    copy(task->job, sizeof task->job, field(&rest));
    const bool indexed = text_number(field(&rest), SIZE_MAX / 2, &index);
    copy(task->name, sizeof task->name, field(&rest));
    text_number(field(&rest), INT32_MAX, &status);
    copy(task->reason, sizeof task->reason, field(&rest));
    const char *job = field(&rest);
    copy(task->node, sizeof task->node, field(&rest));
    const size_t n = strlen(name);
    const bool ours = indexed && task->job[0] && rest && strncmp(job, name, n) == 0 && job[n] == '.' &&
                      text_number(job + n + 1, SIZE_MAX / 2, &first);
    free(text);
    task->state = state_of(task->name);
    task->first = (size_t)first;
    task->chunk = (size_t)(first + index);
    task->status = (int)status;
    return ours;
}

char *task_end(const struct task *task) {
    struct text text = {0};
    text_printf(&text, "%s", task->name[0] ? task->name : "gone from Slurm");
    if (WIFEXITED(task->status) && WEXITSTATUS(task->status) != 0)
        text_printf(&text, ", exit status %d", WEXITSTATUS(task->status));
    else if (WIFSIGNALED(task->status))
        text_printf(&text, ", signal %d", WTERMSIG(task->status));
    if (task->reason[0] && strcmp(task->reason, "None") != 0 && strcmp(task->reason, "NonZeroExitCode") != 0)
        text_printf(&text, " (%s)", task->reason);
    if (task->node[0])
        text_printf(&text, " on node %s", task->node);
    return text.text;
}

bool words_split(const char *text, struct words *words, struct error *err) {
    struct text word = {0};
    bool inside = false; /* of a word, which may be empty: '' */
    char quote = '\0';
    bool ok = true;
    for (const char *at = text; *at; at++) {
        if (!quote && strchr(" \t\n", *at)) {
            if (inside)
                words_add(words, "%s", word.text ? word.text : "");
            word.n = 0;
            if (word.text)
                word.text[0] = '\0';
            inside = false;
            continue;
        }
        inside = true;
        if (*at == quote && quote)
            quote = '\0';
        else if (!quote && (*at == '\'' || *at == '"'))
            quote = *at;
        else {
            if (*at == '\\' && quote != '\'' && at[1])
                at++;
            text_add(&word, at, 1);
        }
    }
    if (quote)
        ok = error_set(err, "%s: the quote %c is not closed", text, quote);
    else if (inside)
        words_add(words, "%s", word.text ? word.text : "");
    free(word.text);
    return ok;
}
