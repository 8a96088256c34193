/* Runs the user's command at the end of a night. See notify.h. */
#include "regress/night/notify.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/process/process.h"

enum { TICK_MS = 20 };

struct notice {
    const char *command;
    int text;
};

static int become_shell(void *context) {
    const struct notice *notice = context;
    setpgid(0, 0);
    dup2(notice->text, STDIN_FILENO);
    char *words[] = {"/bin/sh", "-c", (char *)notice->command, NULL};
    const int status = process_exec(words);
    fprintf(stderr, "/bin/sh: %s\n", strerror(errno));
    return status;
}

/* Waits for the command; false if it takes too long, it is then ended with all that it has started. */
static bool wait_for(pid_t pid, int *status) {
    const double start = process_clock();
    while (waitpid(pid, status, WNOHANG) != pid) {
        if (process_clock() - start > NOTIFY_SECONDS) {
            kill(-pid, SIGKILL);
            waitpid(pid, status, 0);
            return false;
        }
        poll(NULL, 0, TICK_MS);
    }
    return true;
}

bool notify_run(const char *command, const char *text, struct error *err) {
    struct notice notice = {.command = command, .text = memfd_create("summary", MFD_CLOEXEC)};
    const size_t n = strlen(text);
    if (notice.text < 0 || write(notice.text, text, n) != (ssize_t)n || lseek(notice.text, 0, SEEK_SET) != 0) {
        error_set(err, "no memory for the summary: %s", strerror(errno));
        if (notice.text >= 0)
            close(notice.text);
        return false;
    }
    const pid_t pid = process_start(become_shell, &notice, err);
    close(notice.text);
    int status;
    if (pid < 0)
        return false;
    if (!wait_for(pid, &status))
        return error_set(err, "%s: not done after %d seconds, ended", command, NOTIFY_SECONDS);
    const int code = process_status(status);
    return code == 0 || error_set(err, "%s: ended with status %d", command, code);
}
