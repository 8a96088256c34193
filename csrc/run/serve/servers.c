/* Simulators that wait, reset, for traces to play. See servers.h. */
#include "run/serve/servers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvdla/xalloc.h"

enum {
    RUNNING_MOST = 12, /* servers at a time: each holds a whole design */
    IDLE_LONG = 100,   /* requests since its last one after which another may replace it */
    DEATHS_MOST = 3,   /* no more servers are started after that */
    WORTH_WHILE = 3,   /* remaining jobs that justify one more reset */
    ANSWER_MS = 10000, /* for an answer of an idle server */
};

/* Jobs wait that long for a server started for them. */
#define COMING_SECONDS 10.0

struct server {
    char *key, *simulator;
    pid_t pid;  /* 0: not running */
    int socket; /* if running */
    bool ready;
    bool asked; /* for the first time */
    bool unfit; /* no server of that kind can be used */
    int deaths;
    double until;  /* process_clock() until which jobs wait for it; 0: they do not */
    uint64_t used; /* struct servers: at its last request */
};

/* Ends a server, unless it is dead already. */
static void end(struct server *server) {
    if (server->pid == 0)
        return;
    close(server->socket);
    kill(server->pid, SIGKILL);
    while (waitpid(server->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    server->pid = 0;
    server->ready = false;
}

static void died(struct server *server) {
    server->unfit = server->unfit || !server->ready || ++server->deaths >= DEATHS_MOST;
    end(server);
}

/* ---- starting ---- */

/* A descriptor of at least SERVE_FILES that exec closes. */
static int high(int file) {
    const int moved = file < 0 ? file : fcntl(file, F_DUPFD_CLOEXEC, SERVE_FILES);
    if (file >= 0)
        close(file);
    return moved;
}

static void begin(struct servers *servers, struct server *server, const struct run_options *options,
                  const struct nvdla_config *config) {
    int ends[2];
    struct error err;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        server->unfit = true;
        return;
    }
    const int null = high(open("/dev/null", O_RDONLY | O_CLOEXEC));
    const int printed = high(memfd_create("printed", MFD_CLOEXEC)); /* a copy would not print it again */
    ends[1] = high(ends[1]);
    const int files[] = {null, printed, printed, ends[1]};
    struct words line = {0};
    words_put(&line, server->simulator);
    run_options_pass(options, &line);
    words_add(&line, "--config=%s", config->name);
    words_add(&line, "--serve=%d,%d", SERVE_SOCKET, (int)getpid());
    const struct process_program program = {.words = line.items,
                                            .files = files,
                                            .file_count = sizeof files / sizeof *files,
                                            .own_group = servers->groups,
                                            .no_core = servers->groups};
    const pid_t pid = null < 0 || printed < 0 || ends[1] < 0 ? -1 : process_spawn(&program, &err);
    words_free(&line);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (i != STDERR_FILENO && files[i] >= 0)
            close(files[i]);
    server->unfit = pid < 0;
    if (server->unfit)
        close(ends[0]);
    else {
        server->pid = pid;
        server->socket = ends[0];
    }
}

/* ---- which ---- */

/* If the number of servers is at its limit, ends the one with the oldest last request. False if that one is in use. */
static bool make_room(struct servers *servers) {
    struct server *oldest = NULL;
    size_t running = 0;
    for (size_t i = 0; i < servers->count; i++) {
        struct server *server = servers->items[i];
        running += server->pid != 0;
        if (server->pid != 0 && (!oldest || server->used < oldest->used))
            oldest = server;
    }
    if (running < RUNNING_MOST)
        return true;
    if (servers->used - oldest->used < IDLE_LONG)
        return false;
    end(oldest);
    return true;
}

/* What a server and a job must have in common: simulator, configuration, and what matters for the reset. NULL: no
 * server can play the job. */
static char *key_of(const struct run_options *options, const struct nvdla_config *config, const char *simulator) {
    if (options->fresh || options->dut == DUT_MODEL || options->tap_units || options->debug || options->copies ||
        options->coverage)
        return NULL;
    struct rtl_options rtl = options->rtl;
    rtl.axi.seed = options->seed;
    autofree char *reset = rtl_options_reset_key(&rtl, config->secondary_memory ? 2 : 1);
    return reset ? xprintf("%s\n%s", simulator, reset) : NULL;
}

struct server *servers_find(struct servers *servers, const struct run_options *options,
                            const struct nvdla_config *config, const char *simulator) {
    char *key = key_of(options, config, simulator);
    for (size_t i = 0; key && i < servers->count; i++)
        if (strcmp(servers->items[i]->key, key) == 0) {
            free(key);
            return servers->items[i];
        }
    if (!key)
        return NULL;
    struct server *server = xcalloc(1, sizeof *server);
    *server = (struct server){.key = key, .simulator = xstrdup(simulator)};
    *xadd(servers->items, servers->count) = server;
    return server;
}

/* Checks whether it is ready now. */
static void look(struct server *server) {
    int32_t said;
    const ssize_t n = recv(server->socket, &said, sizeof said, MSG_DONTWAIT);
    if (n == (ssize_t)sizeof said && said == SERVE_READY)
        server->ready = true;
    else if (n >= 0 || (errno != EAGAIN && errno != EINTR))
        died(server);
}

bool server_ready(struct servers *servers, struct server *server, const struct run_options *options,
                  const struct nvdla_config *config, size_t to_come) {
    const bool again = server->asked;
    server->used = ++servers->used;
    server->asked = true;
    if (server->unfit || !again)
        return false;
    if (server->pid == 0) {
        if (to_come >= WORTH_WHILE && make_room(servers))
            begin(servers, server, options, config);
        return false;
    }
    if (!server->ready)
        look(server);
    return server->ready;
}

void server_begin(struct servers *servers, struct server *server, const struct run_options *options,
                  const struct nvdla_config *config) {
    server->used = ++servers->used;
    server->asked = true;
    if (server->unfit || server->pid != 0 || !make_room(servers))
        return;
    begin(servers, server, options, config);
    server->until = process_clock() + COMING_SECONDS;
}

static bool is_coming(const struct server *server) {
    return server->pid != 0 && !server->ready && server->until > 0 && process_clock() < server->until;
}

bool server_coming(struct server *server) {
    if (is_coming(server))
        look(server);
    return is_coming(server);
}

size_t servers_sockets(const struct servers *servers, int *sockets, size_t room) {
    size_t count = 0;
    for (size_t i = 0; i < servers->count && count < room; i++)
        if (is_coming(servers->items[i]))
            sockets[count++] = servers->items[i]->socket;
    return count;
}

/* ---- orders ---- */

/* The words of a program, each with its 0. Returns their number. */
static uint32_t add_words(const struct process_program *program, struct text *words) {
    uint32_t count = 0;
    for (; program->words && program->words[count]; count++)
        text_add(words, program->words[count], strlen(program->words[count]) + 1);
    return count;
}

/* Sends a program as an order. False if it is too long, or the server is gone. */
static bool send_order(int socket, const struct process_program *program) {
    autotext struct text words = {0};
    struct serve_order order = {.words = add_words(program, &words),
                                .file_count = (uint32_t)program->file_count,
                                .data_limit = program->data_limit,
                                .own_group = program->own_group,
                                .no_core = program->no_core};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(SERVE_FILES * sizeof(int))];
    } control = {.bytes = {0}};
    const size_t size = (size_t)program->file_count * sizeof(int);
    struct iovec parts[] = {{&order, sizeof order}, {words.text, words.n}};
    struct msghdr header = {
        .msg_iov = parts, .msg_iovlen = 2, .msg_control = &control, .msg_controllen = CMSG_SPACE(size)};
    bool sent = words.n <= SERVE_WORDS && program->file_count <= SERVE_FILES;
    if (sent) {
        struct cmsghdr *first = CMSG_FIRSTHDR(&header);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(first), program->files, size);
        sent = sendmsg(socket, &header, MSG_NOSIGNAL) == (ssize_t)(sizeof order + words.n);
    }
    return sent;
}

/* The next answer. False if there will be none: the server is gone, and no copy of it has started. */
static bool hear(struct server *server, int32_t *said) {
    struct pollfd fd = {.fd = server->socket, .events = POLLIN};
    ssize_t n;
    if (poll(&fd, 1, ANSWER_MS) == 0)
        kill(server->pid, SIGKILL); /* a copy that it made reports first, then the socket is closed */
    do
        n = recv(server->socket, said, sizeof *said, 0);
    while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof *said;
}

pid_t server_start(struct server *server, const struct process_program *program) {
    int32_t said = SERVE_FAILED;
    errno = 0;
    const bool sent = send_order(server->socket, program);
    if (!sent && errno != EPIPE && errno != ECONNRESET) /* it can continue with others */
        return -1;
    if (!sent || !hear(server, &said)) {
        died(server);
        return -1;
    }
    return said;
}

size_t servers_pids(const struct servers *servers, pid_t *pids, size_t room) {
    size_t count = 0;
    for (size_t i = 0; i < servers->count && count < room; i++)
        if (servers->items[i]->pid != 0)
            pids[count++] = servers->items[i]->pid;
    return count;
}

void servers_dismiss(const struct servers *servers) {
    for (size_t i = 0; i < servers->count; i++)
        if (servers->items[i]->pid != 0)
            kill(servers->items[i]->pid, SIGKILL);
}

void servers_free(struct servers *servers) {
    for (size_t i = 0; i < servers->count; i++) {
        autofree struct server *server = servers->items[i];
        end(server);
        free(server->key);
        free(server->simulator);
    }
    free(servers->items);
    servers->items = NULL;
    servers->count = 0;
}
