/* Child processes. fork() and exec() stand nowhere else. */
#include "run/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 50 };

double process_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int process_status(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

void process_obey_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGCHLD};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        signal(numbers[i], SIG_DFL);
        sigaddset(&set, numbers[i]);
    }
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

pid_t process_start(int (*body)(void *context), void *context, struct error *err) {
    const pid_t parent = getpid();
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) {
        error_set(err, "a process cannot be started: %s", strerror(errno));
        return -1;
    }
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it ended before it could be watched */
        _exit(128 + SIGTERM);
    signal(SIGPIPE, SIG_DFL);
    process_obey_signals();
    const int status = body(context);
    fflush(NULL);
    _exit(status);
}

int process_exec(char *const *words) {
    if (strchr(words[0], '/'))
        execv(words[0], words); /* execvp() would hand a file of a bad format to the shell */
    else
        execvp(words[0], words);
    return errno == ENOENT ? 127 : 126;
}

int process_wait(pid_t pid, void (*tick)(void *context), void *context) {
    for (int status;;) {
        const pid_t ended = waitpid(pid, &status, tick ? WNOHANG : 0);
        if (ended == pid)
            return process_status(status);
        if (ended < 0 && errno != EINTR)
            return 127;
        if (ended == 0 && tick) {
            tick(context);
            poll(NULL, 0, TICK_MS);
        }
    }
}

/* ---- a command with all that it starts ---- */

struct group {
    char *const *words;
    int output;
};

static int become(void *context) {
    const struct group *group = context;
    const int null = open("/dev/null", O_RDONLY);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(group->output, STDOUT_FILENO);
    dup2(group->output, STDERR_FILENO);
    const int status = process_exec(group->words);
    fprintf(stderr, "%s: %s\n", group->words[0], strerror(errno));
    return status;
}

/* Leads the group: hands a signal to end on to all of it. */
static int lead(void *context) {
    sigset_t set;
    struct error err;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    setpgid(0, 0);
    const pid_t pid = process_start(become, context, &err);
    if (pid < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 127;
    }
    for (int number = 0, status; number != SIGTERM && number != SIGINT; number = sigwaitinfo(&set, NULL))
        if (waitpid(pid, &status, WNOHANG) == pid)
            return process_status(status);
    kill(0, SIGTERM); /* blocked here */
    return process_wait(pid, NULL, NULL);
}

int process_run_group(char *const *words, int output, void (*tick)(void *context), void *context, struct error *err) {
    struct group group = {.words = words, .output = output};
    const pid_t pid = process_start(lead, &group, err);
    return pid < 0 ? -1 : process_wait(pid, tick, context);
}
