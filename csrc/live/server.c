/* The socket, its clients and the loop; see server.h. */
#include "live/server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "live/function.h"
#include "nvdla/text.h"

/* A socket on which no one listens is what a killed server left; its guard may remove it meanwhile. */
static bool remove_stale(const struct sockaddr_un *address, struct error *err) {
    struct stat status;
    if (lstat(address->sun_path, &status) != 0)
        return true;
    if (!S_ISSOCK(status.st_mode))
        return error_set(err, "%s: found a file that is not a socket; choose another path", address->sun_path);
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool dead = connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 &&
                      (errno == ECONNREFUSED || errno == ENOENT);
    close(probe);
    if (!dead)
        return error_set(err, "%s: another server listens there; choose another path", address->sun_path);
    unlink(address->sun_path);
    return true;
}

/* Returns the listening socket, -1 with a message. */
static int listen_at(const char *path, struct error *err) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path) {
        error_set(err, "--socket: found a path of %zu bytes, expected at most %zu", strlen(path),
                  sizeof address.sun_path - 1);
        return -1;
    }
    strcpy(address.sun_path, path);
    if (!remove_stale(&address, err))
        return -1;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 1) != 0) {
        error_set(err, "%s: %m", path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

/* Starts a process that removes the socket at the path if this one is killed before it does so itself. *end: closes
 * with this process. Returns its ID, or -1: there is none, and a killed server leaves its socket. */
static pid_t guard_socket(const char *path, int *end) {
    struct stat own, there;
    int pipes[2], ready[2];
    char byte;
    if (lstat(path, &own) != 0 || pipe2(ready, O_CLOEXEC) != 0)
        return -1;
    if (pipe2(pipes, O_CLOEXEC) != 0) {
        close(ready[0]);
        close(ready[1]);
        return -1;
    }
    const pid_t pid = fork();
    if (pid != 0) {
        close(pipes[0]);
        close(ready[1]);
        /* Until it has closed what it has inherited: the socket would still listen if this process were killed now. */
        while (read(ready[0], &byte, 1) < 0 && errno == EINTR)
            continue;
        close(ready[0]);
        *end = pipes[1];
        return pid;
    }
    setsid(); /* signals of the terminal are for the server */
    dup2(pipes[0], 0);
    close_range(1, ~0U, 0);
    while (read(0, &byte, 1) < 0 && errno == EINTR)
        continue;
    /* Not the socket of a server that came after it: an inode is used again, but not at the same time. */
    if (lstat(path, &there) == 0 && there.st_dev == own.st_dev && there.st_ino == own.st_ino &&
        there.st_ctim.tv_sec == own.st_ctim.tv_sec && there.st_ctim.tv_nsec == own.st_ctim.tv_nsec)
        unlink(path);
    _exit(0);
}

/* Figures of the device when a session begins, which its summary does not count. */
struct before {
    struct device_statistics statistics;
    uint64_t clocks, layers, reads, writes, findings, judged, wrong, unjudged;
};

static uint64_t findings_of(const struct live_device *live) {
    return live->dev->finding_count + live->dev->findings_dropped;
}

static struct before measure(const struct live_device *live) {
    struct before before = {.clocks = live_device_clocks(live),
                            .layers = live->layers,
                            .reads = live->reads,
                            .writes = live->writes,
                            .findings = findings_of(live)};
    if (live->judge) {
        before.judged = live->judge->judged;
        before.wrong = live->judge->wrong;
        before.unjudged = live->judge->unjudged;
    }
    live->dev->ops->statistics(live->dev, &before.statistics);
    return before;
}

static void print_summary(const struct live_device *live, const struct function *function,
                          const struct before *before) {
    const struct before now = measure(live);
    printf("session: layers=%" PRIu64 " writes=%" PRIu64 " reads=%" PRIu64 " interrupts=%" PRIu64 " cycles=%" PRIu64
           " beats=%" PRIu64 "/%" PRIu64 " findings=%" PRIu64,
           now.layers - before->layers, now.writes - before->writes, now.reads - before->reads, function->interrupts,
           now.clocks - before->clocks,
           device_beats(now.statistics.read_beats) - device_beats(before->statistics.read_beats),
           device_beats(now.statistics.write_beats) - device_beats(before->statistics.write_beats),
           now.findings - before->findings);
    if (live->judge)
        printf(" judged=%" PRIu64 " wrong=%" PRIu64 " unjudged=%" PRIu64, now.judged - before->judged,
               now.wrong - before->wrong, now.unjudged - before->unjudged);
    printf(" (%s, %s)\n", live->dev->config->name, live->dev->name);
    fflush(stdout);
}

/* What can end a hold. */
struct holding {
    int go;     /* signalfd of SIGUSR1 */
    int stop;   /* as in struct channel */
    int socket; /* of the client */
};

/* As in struct live_holder: until SIGUSR1, a signal that ends the program, or the client leaves. */
static void hold(void *context) {
    const struct holding *holding = context;
    struct signalfd_siginfo signal;
    struct pollfd polled[] = {{.fd = holding->go, .events = POLLIN},
                              {.fd = holding->stop, .events = POLLIN},
                              {.fd = holding->socket, .events = POLLRDHUP}};
    while (read(holding->go, &signal, sizeof signal) > 0) /* it came before */
        continue;
    while (poll(polled, sizeof polled / sizeof *polled, -1) <= 0)
        continue;
    while (read(holding->go, &signal, sizeof signal) > 0)
        continue;
}

/* A descriptor from which these signals are read; they do nothing else any longer. */
static int signals_of(int first, int second) {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, first);
    sigaddset(&signals, second);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Seconds without a write after which a driver is not merely slow while a launch waits. */
enum {
    HANG_SECONDS = 5,
    GREETING = 100 /* ms that a second client has for its first message */,
    THOUSAND = 1000,
    MILLION = 1000000
};

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * (int64_t)THOUSAND + now.tv_nsec / MILLION;
}

/* When the driver last wrote a register, or a launch ended. */
struct watch {
    uint64_t writes, layers;
    int64_t since; /* milliseconds() */
};

/* Milliseconds for which a launch may wait, -1: any time; 0: it hangs, or something moves. */
static int watch_launches(struct watch *watch, const struct live_device *live) {
    const int64_t now = milliseconds();
    if (watch->since == 0 || watch->writes != live->writes || watch->layers != live->layers)
        *watch = (struct watch){live->writes, live->layers, now};
    if (live->moving)
        return 0;
    if (!live_device_waits(live) || live->hung)
        return -1;
    const int64_t left = watch->since + HANG_SECONDS * THOUSAND - now;
    return left > 0 ? (int)left : 0;
}

/* A server that runs. */
struct live_server {
    const struct server_options *options;
    struct live_device *live;
    int listener; /* -1: none */
    int stop;     /* as in struct channel */
    bool stopped; /* no further client is served */
};

/* Waits for the client, as long as the device allows. False if the session is to end: a signal came, or the device
 * failed, with a message; *good says which. */
static bool wait_for_client(struct live_server *server, struct function *function, struct watch *watch, bool *good,
                            struct error *err) {
    struct live_device *live = server->live;
    int patience = -1; /* time passes when the client says so */
    if (function->kept)
        patience = 0;
    else if (server->options->path != NULL && !function_waits(function))
        patience = watch_launches(watch, live);
    if (!channel_wait(&function->channel, patience)) {
        server->stopped = true;
        return false;
    }
    if (patience == 0 && !function->kept && !live->moving)
        *good = live_device_hung(live, err);
    return *good;
}

/* A client at the door while another is served gets an error, and has to leave. One that has come because the other is
 * about to leave waits. */
static void refuse_second(int listener, struct channel *channel) {
    struct vfio_header header;
    if (channel_ended(channel))
        return;
    const int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (client < 0)
        return;
    text_print_line(stderr, "nvcosim: refused a second client: the server serves one at a time");
    poll(&(struct pollfd){.fd = client, .events = POLLIN}, 1, GREETING);
    if (recv(client, &header, sizeof header, 0) == (ssize_t)sizeof header) {
        header.size = sizeof header;
        header.flags = VFIO_REPLY | VFIO_ERROR;
        header.error = EBUSY;
        send(client, &header, sizeof header, MSG_NOSIGNAL);
    }
    close(client);
}

/* Serves one client until it leaves. False with a message if the device failed. */
static bool serve_client(struct live_server *server, int socket, struct error *err) {
    struct live_device *live = server->live;
    struct holding holding = {.go = signals_of(SIGUSR1, SIGUSR1), .stop = server->stop, .socket = socket};
    struct function function;
    const struct before before = measure(live);
    struct watch watch = {0};
    bool good = true;
    const bool own_clock = server->options->path == NULL;
    function_open(&function, live, socket, server->stop, own_clock);
    function.channel.door = server->listener;
    live->holder = (struct live_holder){hold, &holding};
    for (;;) {
        live_device_print_findings(live);
        if (!wait_for_client(server, &function, &watch, &good, err))
            break;
        if (function.channel.knocks)
            refuse_second(server->listener, &function.channel);
        if (!function_serve(&function))
            break;
        /* Posted writes come in rows: time does not pass between them. */
        if (function.posted && channel_ready(&function.channel))
            continue;
        if (!own_clock && !function_waits(&function) && !live_device_work(live, err)) {
            good = false;
            break;
        }
        if (!function_show(&function))
            break;
        if (live->stop) {
            server->stopped = true;
            break;
        }
    }
    live_device_print_findings(live);
    if (function.failed && function.err.text[0])
        text_print_line(stderr, "nvcosim: the session ends: %s", function.err.text);
    if (!server->options->quiet)
        print_summary(live, &function, &before);
    live->holder = (struct live_holder){0};
    close(holding.go);
    function_close(&function);
    return good;
}

/* Waits for a client; -1: a signal came. */
static int next_client(int listener, int stop) {
    for (;;) {
        struct pollfd polled[2] = {{.fd = listener, .events = POLLIN}, {.fd = stop, .events = POLLIN}};
        poll(polled, 2, -1);
        if (polled[1].revents)
            return -1;
        const int client = polled[0].revents ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (client >= 0)
            return client;
    }
}

static bool serve_clients(struct live_server *server, bool *found, struct error *err) {
    struct live_device *live = server->live;
    bool good = true;
    while (good && !server->stopped) {
        const int client = next_client(server->listener, server->stop);
        if (client < 0)
            break;
        good = serve_client(server, client, err) && live_device_reset(live, err);
        *found |= live->dev->finding_count > 0 || (live->judge && live->judge->wrong > 0);
        server->stopped |= server->options->once;
    }
    return good;
}

bool server_run(const struct server_options *options, struct live_device *live, bool *found, struct error *err) {
    signal(SIGPIPE, SIG_IGN);
    struct live_server server = {options, live, .listener = -1, .stop = signals_of(SIGINT, SIGTERM)};
    dma_survive_truncation();
    *found = false;
    bool good;
    if (!options->path) {
        good = serve_client(&server, options->connected, err);
    } else {
        server.listener = listen_at(options->path, err);
        int end = -1;
        good = server.listener >= 0;
        const pid_t guard = good ? guard_socket(options->path, &end) : -1;
        if (good && !options->quiet) {
            text_print_line(stdout, "listening on %s (%s, %s)", options->path, live->dev->config->name,
                            live->dev->name);
            fflush(stdout);
        }
        if (good) {
            good = serve_clients(&server, found, err);
            unlink(options->path);
            close(server.listener);
            close(end);
            if (guard > 0)
                waitpid(guard, NULL, 0);
        }
    }
    close(server.stop);
    return good;
}
