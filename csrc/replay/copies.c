/* Makes, keeps, wakes and ends copies; see copies.h. */
#include "replay/copies.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nvdla/xalloc.h"

/* One copy at the start. Further ones from SECOND on, each after this fraction of the cycles so far, or when a unit is
 * about to be armed in the last eighth of that interval. A copy costs about 3 ms, half of them for pages that are
 * copied after the fork, so that these cost less than 2 % of a run (make bench). */
enum { SECOND = 250000, INTERVAL_PART = 4 };

enum { STANDARD = 3 /* stdin, stdout, stderr */ };

/* A sleeping copy. */
struct copy {
    uint64_t cycle;
    pid_t pid;
    int socket; /* the parent's end */
};

struct wake_message {
    struct wake wake;
    int targets[STANDARD + COPIES_DESCRIPTORS]; /* numbers of these descriptors in the parent */
    int count;
};

struct copies {
    struct copies_options options;
    struct copy item[COPIES_MOST]; /* ascending by cycle */
    int count;
    pid_t leaving[COPIES_MOST]; /* told to end */
    int leaving_count;
    uint64_t made, last; /* copies so far, cycle of the last one */
    double fork_seconds;
    double asleep_seconds; /* CPU time of copies that have ended */
    uint64_t ended;
    int null; /* open on /dev/null: replaces descriptors that a copy must not hold */
    const char *trouble;
    bool woken;
    struct wake wake;
};

static double clock_of(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double seconds_of(const struct timeval *time) {
    return (double)time->tv_sec + 1e-6 * (double)time->tv_usec;
}

struct copies *copies_new(const struct copies_options *options) {
    struct copies *copies = xcalloc(1, sizeof *copies);
    copies->options = *options;
    copies->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    return copies;
}

/* Reaps copies that were ordered to end: those that have ended, or waits for all. */
static void reap(struct copies *copies, bool wait) {
    int kept = 0;
    for (int i = 0; i < copies->leaving_count; i++) {
        const pid_t pid = copies->leaving[i];
        pid_t ended;
        struct rusage usage;
        do
            ended = wait4(pid, NULL, wait ? 0 : WNOHANG, &usage);
        while (ended < 0 && errno == EINTR);
        if (ended == 0)
            copies->leaving[kept++] = pid;
        if (ended <= 0)
            continue;
        copies->ended++;
        copies->asleep_seconds += seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
    }
    copies->leaving_count = kept;
}

/* Ends a sleeping copy by closing its socket. Does not wait, because freeing a whole process takes time. */
static void drop(struct copies *copies, int index) {
    reap(copies, copies->leaving_count == COPIES_MOST);
    close(copies->item[index].socket);
    copies->leaving[copies->leaving_count++] = copies->item[index].pid;
    copies->count--;
    memmove(&copies->item[index], &copies->item[index + 1], (size_t)(copies->count - index) * sizeof copies->item[0]);
}

void copies_free(struct copies *copies) {
    if (!copies)
        return;
    while (copies->count > 0)
        drop(copies, copies->count - 1);
    reap(copies, true);
    if (copies->null >= 0)
        close(copies->null);
    free(copies);
}

/* ---- asleep ---- */

/* Descriptor number i of those that a sleeping copy does not hold. */
static int held(const struct copies_options *options, int i) {
    return i < STANDARD ? i : options->descriptors[i - STANDARD];
}

static int held_count(const struct copies_options *options) {
    return STANDARD + options->descriptor_count;
}

static void let_go(const struct copies *copies) {
    for (int i = 0; i < held_count(&copies->options); i++)
        if (copies->null < 0 || dup2(copies->null, held(&copies->options, i)) < 0)
            _exit(EXIT_FAILURE);
}

/* Receives the message and restores the descriptors that come with it. False if the parent has closed its end. */
static bool receive(int socket, struct wake_message *message) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof message->targets)];
    } control;
    struct iovec part = {.iov_base = message, .iov_len = sizeof *message};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t n;
    do
        n = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof *message)
        return false;
    const struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    if (message->count > 0 && (!first || first->cmsg_len < CMSG_LEN((size_t)message->count * sizeof(int))))
        return false;
    for (int i = 0; i < message->count; i++) {
        int received;
        memcpy(&received, CMSG_DATA(first) + (size_t)i * sizeof received, sizeof received);
        if (dup2(received, message->targets[i]) < 0)
            return false;
        close(received);
    }
    return true;
}

/* Runs in the child. Returns when it is woken. */
static void sleep_until_woken(struct copies *copies, pid_t parent, int socket) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* the parent ended before PR_SET_PDEATHSIG */
        _exit(EXIT_SUCCESS);
    for (int i = 0; i < copies->count; i++)
        close(copies->item[i].socket); /* else the other copies would not see the parent end */
    copies->count = copies->leaving_count = 0;
    let_go(copies);
    struct wake_message message = {.count = 0};
    if (!receive(socket, &message))
        _exit(EXIT_SUCCESS);
    close(socket);
    copies->woken = true;
    copies->wake = message.wake;
    if (copies->options.woken)
        copies->options.woken(copies->options.context, &copies->wake);
}

/* ---- which, and when ---- */

/* The newest copy made in that cycle or before; -1: none. */
static int newest_before(const struct copies *copies, uint64_t cycle) {
    int found = copies->count - 1;
    while (found >= 0 && copies->item[found].cycle > cycle)
        found--;
    return found;
}

/* Makes room for one more. Keeps the first copy, for faults with an old cause, and those from before the launches in
 * flight. Of the others it removes the one whose neighbours have the smallest gap relative to its age, so that recent
 * copies are denser. */
static void thin_out(struct copies *copies, uint64_t now, const uint64_t *starts, size_t count) {
    bool needed[COPIES_MOST] = {true};
    for (size_t i = 0; i < count; i++) {
        const int index = newest_before(copies, starts[i]);
        if (index >= 0)
            needed[index] = true;
    }
    int victim = -1;
    double smallest = 0;
    for (int pass = 0; victim < 0 && pass < 2; pass++) {
        for (int i = 1; i < copies->count; i++) {
            const uint64_t next = i + 1 < copies->count ? copies->item[i + 1].cycle : now;
            const uint64_t from = copies->item[i - 1].cycle;
            const double gap = (double)(next - from) / (double)(now - from + 1);
            if ((pass == 0 && needed[i]) || (victim >= 0 && gap >= smallest))
                continue;
            victim = i;
            smallest = gap;
        }
    }
    drop(copies, victim);
}

bool copies_one_thread(void) {
    struct stat tasks;
    return stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink == 3; /* ., .., and a folder for each */
}

/* CPU time of all copies so far: of the forks, and their own, estimated for those asleep. */
static double spent(const struct copies *copies) {
    const double own = copies->ended ? copies->asleep_seconds / (double)copies->ended : 0;
    return copies->fork_seconds + own * (double)copies->made;
}

static void take(struct copies *copies, uint64_t cycle) {
    int ends[2];
    if (!copies_one_thread()) {
        copies->trouble = "the process has several threads, of which a copy would have one";
        return;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        copies->trouble = strerror(errno);
        return;
    }
    fflush(NULL);
    const pid_t parent = getpid();
    const double start = clock_of(CLOCK_PROCESS_CPUTIME_ID);
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        sleep_until_woken(copies, parent, ends[1]);
        return;
    }
    const double cost = clock_of(CLOCK_PROCESS_CPUTIME_ID) - start;
    close(ends[1]);
    if (pid < 0) {
        copies->trouble = strerror(errno);
        close(ends[0]);
        return;
    }
    copies->item[copies->count++] = (struct copy){.cycle = cycle, .pid = pid, .socket = ends[0]};
    copies->made++;
    copies->last = cycle;
    copies->fork_seconds += cost;
}

/* The cycle in which the next copy is due. */
static uint64_t due_after(const struct copies *copies) {
    if (copies->options.every > 0)
        return copies->last + copies->options.every;
    return copies->last < SECOND - SECOND / 8 ? SECOND : copies->last + copies->last / INTERVAL_PART;
}

uint64_t copies_consider(struct copies *copies, uint64_t cycle, bool arming, const uint64_t *starts, size_t count) {
    if (copies->woken)
        return copies->wake.stop;
    if (copies->trouble)
        return UINT64_MAX;
    const uint64_t due = due_after(copies);
    if (copies->made > 0 && cycle < due && !(arming && due - cycle <= (due - copies->last) / 8))
        return due;
    if (copies->count == COPIES_MOST)
        thin_out(copies, cycle, starts, count);
    take(copies, cycle);
    return copies->woken ? copies->wake.stop : copies->trouble ? UINT64_MAX : due_after(copies);
}

const struct wake *copies_woken(const struct copies *copies) {
    return copies->woken ? &copies->wake : NULL;
}

const char *copies_trouble(const struct copies *copies) {
    return copies->trouble;
}

void copies_statistics(const struct copies *copies, struct copies_statistics *statistics) {
    *statistics = (struct copies_statistics){
        .made = copies->made,
        .asleep = (uint64_t)copies->count,
        .fork_seconds = copies->fork_seconds,
        .cost_seconds = spent(copies),
    };
    for (int i = 0; i < copies->count; i++)
        statistics->cycles[i] = copies->item[i].cycle;
}

/* ---- waking ---- */

bool copies_choose(const struct copies *copies, uint64_t failure, uint64_t margin, const uint64_t *starts, size_t count,
                   uint64_t *made) {
    uint64_t limit = failure > margin ? failure - margin : 0;
    for (size_t i = 0; i < count; i++)
        if (starts[i] < limit)
            limit = starts[i];
    const int index = newest_before(copies, limit);
    if (copies->count == 0)
        return false;
    *made = copies->item[index < 0 ? 0 : index].cycle;
    return true;
}

/* Sends the message with the open ones of stdout, stderr and the further descriptors. */
static bool send_message(int socket, const struct copies_options *options, const struct wake *wake) {
    struct wake_message message = {.wake = *wake};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof message.targets)];
    } control = {.bytes = {0}};
    for (int i = STDOUT_FILENO; i < held_count(options); i++)
        if (fcntl(held(options, i), F_GETFD) >= 0)
            message.targets[message.count++] = held(options, i);
    const size_t size = (size_t)message.count * sizeof message.targets[0];
    struct iovec part = {.iov_base = &message, .iov_len = sizeof message};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    if (message.count > 0) {
        header.msg_control = &control;
        header.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *first = CMSG_FIRSTHDR(&header);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(first), message.targets, size);
    }
    return sendmsg(socket, &header, MSG_NOSIGNAL) == (ssize_t)sizeof message;
}

bool copies_wake(struct copies *copies, const struct wake *wake, int *status, struct error *err) {
    int chosen = -1;
    while (copies->count > 0 && chosen < 0)
        if (copies->item[copies->count - 1].cycle == wake->made)
            chosen = copies->count - 1;
        else
            drop(copies, copies->count - 1);
    if (chosen < 0)
        return error_set(err, "no copy of the run was made at cycle %llu", (unsigned long long)wake->made);
    while (copies->count > 1)
        drop(copies, 0);
    reap(copies, true);
    const struct copy copy = copies->item[0];
    copies->count = 0;
    fflush(NULL);
    const bool sent = send_message(copy.socket, &copies->options, wake);
    const int reason = errno;
    close(copy.socket);
    int wait_status;
    while (waitpid(copy.pid, &wait_status, 0) < 0)
        if (errno != EINTR)
            return error_set(err, "the copy of the run at cycle %llu cannot be waited for: %m",
                             (unsigned long long)wake->made);
    *status = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
    return sent ? true
                : error_set(err, "the copy of the run at cycle %llu cannot be woken: %s",
                            (unsigned long long)wake->made, strerror(reason));
}

void copies_leave(int status) {
    fflush(NULL);
    _exit(status);
}
