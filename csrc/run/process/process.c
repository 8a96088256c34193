/* Child processes: all of them, except copies of a simulator (replay/copies.c). See process.h. */
#include "run/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nvdla/xalloc.h"

enum { TICK_MS = 50 };

enum { SPAWN_STACK = 64 << 10 };

enum { CHILDREN_MOST = 512, DEPTH_MOST = 16 }; /* descendants examined */

double process_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double process_cpu_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double process_cpu_seconds(const struct rusage *usage) {
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

int process_status(int wait_status) {
    return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

bool process_has_ended(pid_t pid) {
    siginfo_t info = {.si_pid = 0};
    while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT | WNOHANG) != 0)
        if (errno != EINTR)
            return true;
    return info.si_pid == pid;
}

void process_obey_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGCHLD};
    sigset_t set;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        signal(numbers[i], SIG_DFL);
        sigaddset(&set, numbers[i]);
    }
    sigaddset(&set, SIGHUP); /* if ignored it stays so, as nohup expects */
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* Setup of every child: it ends with that parent, and on the signals that end a run. It may share its parent's memory,
 * so it must not change what the parent has. */
static void begin_child(pid_t parent) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* the parent ended before it could be watched */
        _exit(128 + SIGTERM);
    signal(SIGPIPE, SIG_DFL);
    process_obey_signals();
}

pid_t process_start(int (*body)(void *context), void *context, struct error *err) {
    const pid_t parent = getpid();
    fflush(NULL);
    const pid_t pid = fork();
    if (pid < 0) {
        error_set(err, "a process cannot be started: %m");
        return -1;
    }
    if (pid > 0)
        return pid;
    begin_child(parent);
    const int status = body(context);
    fflush(NULL);
    _exit(status);
}

pid_t process_fork_sibling(void) {
    const pid_t parent = getppid();
    fflush(NULL);
    const pid_t pid = (pid_t)syscall(SYS_clone, (long)(CLONE_PARENT | SIGCHLD), 0L, 0L, 0L, 0L);
    if (pid == 0)
        begin_child(parent);
    return pid;
}

void process_confine(const struct process_program *program) {
    const struct rlimit none = {0, 0}, data = {(rlim_t)program->data_limit, (rlim_t)program->data_limit};
    if (program->own_group)
        setpgid(0, 0);
    if (program->no_core)
        setrlimit(RLIMIT_CORE, &none);
    if (program->data_limit)
        setrlimit(RLIMIT_DATA, &data);
}

void process_take_files(const struct process_program *program) {
    for (int i = 0; i < program->file_count; i++)
        dup2(program->files[i], i);
    close_range((unsigned)program->file_count, ~0U, 0);
}

struct spawn {
    const struct process_program *program;
    pid_t parent;
};

/* The child. Until it executes it shares its parent's memory, with its own stack: nothing here may change what the
 * parent has. Its signal settings are its own. */
static int execute(void *context) {
    const struct spawn *spawn = context;
    const struct process_program *program = spawn->program;
    begin_child(spawn->parent);
    process_confine(program);
    process_take_files(program);
    const int status = process_exec(program->words);
    dprintf(STDERR_FILENO, "%s: %m\n", program->words[0]);
    _exit(status);
}

pid_t process_spawn(const struct process_program *program, struct error *err) {
    _Alignas(16) char stack[SPAWN_STACK];
    struct spawn spawn = {.program = program, .parent = getpid()};
    fflush(NULL);
    const pid_t pid = clone(execute, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &spawn);
    if (pid < 0)
        error_set(err, "a process cannot be started: %m");
    return pid;
}

int process_exec(char *const *words) {
    if (strchr(words[0], '/'))
        execv(words[0], words); /* execvp() would pass a file of a bad format to the shell */
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

/* ---- a command with its descendants ---- */

struct group_command {
    char *const *words;
    int output;
};

static int become(void *context) {
    const struct group_command *group = context;
    const int null = open("/dev/null", O_RDONLY);
    if (null >= 0)
        dup2(null, STDIN_FILENO);
    dup2(group->output, STDOUT_FILENO);
    dup2(group->output, STDERR_FILENO);
    const int status = process_exec(group->words);
    fprintf(stderr, "%s: %m\n", group->words[0]);
    return status;
}

/* Leads the group: passes a signal that ends a run to all of it. */
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
    struct group_command group = {.words = words, .output = output};
    const pid_t pid = process_start(lead, &group, err);
    return pid < 0 ? -1 : process_wait(pid, tick, context);
}

char *process_output(char *const *words, size_t *n, int *status, struct error *err) {
    struct stat printed;
    char *text = NULL;
    const int output = memfd_create("output", MFD_CLOEXEC);
    if (output < 0) {
        error_set(err, "no memory for the output of %s: %m", words[0]);
        return NULL;
    }
    *status = process_run_group(words, output, NULL, NULL, err);
    if (*status >= 0 && fstat(output, &printed) == 0) {
        *n = (size_t)printed.st_size;
        text = xcalloc(*n + 1, 1);
        if (pread(output, text, *n, 0) != printed.st_size) {
            text[0] = '\0';
            *n = 0;
        }
    }
    close(output);
    return text;
}

/* ---- descendants of a process ---- */

/* Reads a short file of /proc; "" if it cannot be read. */
static void read_short(const char *path, char *text, size_t size) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const ssize_t n = file >= 0 ? read(file, text, size - 1) : 0;
    if (file >= 0)
        close(file);
    text[n > 0 ? n : 0] = '\0';
}

/* The children of a process, at most `most`. Returns their number. */
static size_t children_of(pid_t pid, pid_t *children, size_t most) {
    char path[64], text[4096];
    size_t count = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    read_short(path, text, sizeof text);
    for (char *at = text, *end; count < most; at = end) {
        const long child = strtol(at, &end, 10);
        if (end == at)
            break;
        children[count++] = (pid_t)child;
    }
    return count;
}

static uint64_t resident(pid_t pid, int depth) {
    char path[64], text[128];
    unsigned long pages = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    read_short(path, text, sizeof text);
    if (sscanf(text, "%*u %lu", &pages) != 1)
        return 0;
    uint64_t bytes = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    pid_t children[CHILDREN_MOST];
    const size_t count = depth < DEPTH_MOST ? children_of(pid, children, CHILDREN_MOST) : 0;
    for (size_t i = 0; i < count; i++)
        bytes += resident(children[i], depth + 1);
    return bytes;
}

uint64_t process_memory(pid_t pid) {
    return resident(pid, 0);
}

/* ---- groups that end with this process ---- */

/* Notes the leaders that it reads from the pipe, forgets those that are negative, and kills the groups of the rest when
 * the pipe closes. */
static int guard_groups(void *context) {
    const int *pipe = context;
    pid_t *leaders = NULL, said;
    size_t count = 0;
    prctl(PR_SET_PDEATHSIG, 0);
    prctl(PR_SET_NAME, "nvcosim-guard");
    setpgid(0, 0); /* Ctrl-C is not for the guard */
    const int null = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    dup2(pipe[0], STDIN_FILENO);
    close_range(STDERR_FILENO + 1, ~0U, 0);
    for (ssize_t n; (n = read(STDIN_FILENO, &said, sizeof said)) != 0;) {
        if (n != (ssize_t)sizeof said)
            continue;
        if (said > 0) {
            *xadd(leaders, count) = said;
            continue;
        }
        for (size_t i = count; i-- > 0;)
            if (leaders[i] == -said)
                leaders[i] = leaders[--count];
    }
    for (size_t i = 0; i < count; i++)
        kill(-leaders[i], SIGKILL);
    free(leaders);
    return 0;
}

bool process_guard_open(struct process_guard *guard, struct error *err) {
    int ends[2];
    *guard = (struct process_guard){.to = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, "a pipe cannot be made: %m");
    guard->pid = process_start(guard_groups, ends, err);
    close(ends[0]);
    guard->to = ends[1];
    if (guard->pid < 0) {
        close(ends[1]);
        guard->to = -1;
    }
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return guard->pid >= 0;
}

/* options: of waitpid(). Returns the number of children swept. */
static size_t sweep(const struct process_guard *guard, const pid_t *leaders, size_t count, int options) {
    pid_t children[CHILDREN_MOST];
    const size_t all = children_of(getpid(), children, CHILDREN_MOST);
    size_t found = 0;
    for (size_t i = 0; i < all; i++) {
        const pid_t group = getpgid(children[i]);
        bool known = children[i] == guard->pid;
        for (size_t k = 0; k < count; k++)
            known = known || children[i] == leaders[k] || group == leaders[k];
        if (known)
            continue;
        found++;
        kill(children[i], SIGKILL);
        while (waitpid(children[i], NULL, options) < 0 && errno == EINTR)
            continue;
    }
    return found;
}

void process_guard_sweep(const struct process_guard *guard, const pid_t *leaders, size_t count) {
    sweep(guard, leaders, count, WNOHANG);
}

void process_guard_close(struct process_guard *guard) {
    if (guard->to < 0)
        return;
    while (sweep(guard, NULL, 0, 0) > 0)
        continue; /* orphans of those become children of this process when those have ended */
    close(guard->to);
    process_wait(guard->pid, NULL, NULL);
    guard->to = -1;
}

/* Sends a number to the guard. A write of that size to a pipe is atomic. */
static void tell(const struct process_guard *guard, pid_t said) {
    while (write(guard->to, &said, sizeof said) < 0 && errno == EINTR)
        continue;
}

void process_guard_add(const struct process_guard *guard, pid_t pid) {
    setpgid(pid, pid);
    tell(guard, pid);
}

void process_guard_dismiss(const struct process_guard *guard, pid_t pid) {
    kill(-pid, SIGKILL);
    tell(guard, -pid);
}
