/* Many jobs, waited for in one place. See pool.h. */
#include "run/jobs/pool.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "run/simulators/simulators.h"

/* Seconds between two checks of the limits. */
#define CHECK_SECONDS 0.25

/* A process wakes this one when it ends. What it sends before is read periodically (at this interval unless changed),
 * and more often if it is much: a pipe holds 64 KiB. */
#define LISTEN_SECONDS 0.1
#define BUSY_SECONDS 0.001

enum { SERVERS_HEARD = 4 /* jobs of servers that will soon be ready */ };

/* Each job needs two files: allows as many as the system does. */
static void allow_files(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

bool pool_open(struct pool *pool, bool groups, struct error *err) {
    struct sigaction hangup;
    sigset_t set;
    *pool = (struct pool){
        .signals = -1, .groups = groups, .pause = LISTEN_SECONDS, .guard = {.to = -1}, .servers = {.groups = groups}};
    allow_files();
    if (groups && !process_guard_open(&pool->guard, err))
        return false;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGUSR1);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN)
        sigaddset(&set, SIGHUP);
    sigprocmask(SIG_BLOCK, &set, NULL);
    pool->signals = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (pool->signals >= 0)
        return true;
    process_guard_close(&pool->guard);
    return error_set(err, "signalfd: %m");
}

void pool_close(struct pool *pool) {
    struct signalfd_siginfo info;
    while (pool->signals >= 0 && read(pool->signals, &info, sizeof info) == sizeof info)
        continue; /* signals that came too late */
    if (pool->signals >= 0)
        close(pool->signals);
    servers_free(&pool->servers);
    if (pool->groups)
        process_guard_close(&pool->guard);
    free(pool->running);
    *pool = (struct pool){.signals = -1, .guard = {.to = -1}};
}

/* Adds a job to those running. */
static void add(struct pool *pool, struct job *job) {
    if (pool->groups)
        process_guard_add(&pool->guard, job->pid);
    pool->running = xrealloc(pool->running, (pool->count + 1) * sizeof(struct job *));
    pool->running[pool->count++] = job;
}

static struct server *server_for(struct pool *pool, const struct run_options *options,
                                 const struct nvdla_config *config) {
    char simulator[SIMULATOR_PATH];
    struct error err;
    return options->dut != DUT_MODEL && job_simulator(options, config->name, simulator, sizeof simulator, &err)
               ? servers_find(&pool->servers, options, config, simulator)
               : NULL;
}

void pool_expect(struct pool *pool, const struct run_options *options, const struct nvdla_config *config) {
    struct server *server = server_for(pool, options, config);
    if (server)
        server_begin(&pool->servers, server, options, config);
}

bool pool_ready(struct pool *pool, const struct job *job, const struct run_options *options) {
    struct server *server = server_for(pool, options, job->config);
    return !server || !server_coming(server);
}

bool pool_start(struct pool *pool, struct job *job, const struct run_options *options, bool progress,
                struct error *err) {
    struct server *server = server_for(pool, options, job->config);
    if (server && !server_ready(&pool->servers, server, options, job->config, pool->to_come))
        server = NULL;
    job->own_group = pool->groups;
    if (!job_start(job, options, progress, server, err))
        return false;
    add(pool, job);
    return true;
}

void pool_signal(const struct pool *pool, int number) {
    for (size_t i = 0; i < pool->count; i++)
        job_signal(pool->running[i], number);
}

/* ---- waiting ---- */

/* The signal, among those pending, that asks to end everything, or 0; *children: some have ended. */
static int take_signals(const struct pool *pool, bool *children) {
    struct signalfd_siginfo info;
    int number = 0;
    while (read(pool->signals, &info, sizeof info) == sizeof info)
        if (info.ssi_signo == SIGUSR1)
            pool_signal(pool, SIGUSR1);
        else if (info.ssi_signo == SIGCHLD)
            *children = true;
        else
            number = (int)info.ssi_signo;
    return number;
}

static void hear(struct job *job, const struct job_listener *listener) {
    const size_t printed = job_listen(job);
    if (listener->progress)
        listener->progress(listener->context, job, printed);
}

/* Reads what a process left. A child of it may hold the pipes open and continue. */
static void hear_out(struct job *job, const struct job_listener *listener) {
    for (uint64_t before = UINT64_MAX; before != job->said + job->printed && !job->exceeded;) {
        before = job->said + job->printed;
        hear(job, listener);
    }
}

/* Removes jobs whose processes have ended. */
static void let_go(struct pool *pool, const struct job_listener *listener) {
    bool gone = false;
    for (size_t i = 0; i < pool->count;) {
        struct job *job = pool->running[i];
        if (!process_has_ended(job->pid)) {
            i++;
            continue;
        }
        gone = true;
        if (pool->groups)
            process_guard_dismiss(&pool->guard, job->pid);
        hear_out(job, listener);
        memmove(&pool->running[i], &pool->running[i + 1], (--pool->count - i) * sizeof(struct job *));
        listener->ended(listener->context, job);
    }
    const double now = process_clock();
    if (!gone || !pool->groups || now - pool->swept < CHECK_SECONDS) /* pool_close() does it too */
        return;
    pool->swept = now;
    const size_t room = pool->count + pool->servers.count;
    autofree pid_t *leaders = xcalloc(room + 1, sizeof *leaders);
    for (size_t i = 0; i < pool->count; i++)
        leaders[i] = pool->running[i]->pid;
    size_t count = pool->count;
    count += servers_pids(&pool->servers, leaders + count, room - count);
    process_guard_sweep(&pool->guard, leaders, count);
}

static bool has_limits(const struct pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        if (pool->running[i]->max_seconds > 0 || pool->running[i]->max_memory)
            return true;
    return false;
}

static void check_limits(struct pool *pool) {
    const double now = process_clock();
    if (now - pool->checked < CHECK_SECONDS)
        return;
    pool->checked = now;
    for (size_t i = 0; i < pool->count; i++)
        job_check(pool->running[i], job_memory(pool->running[i]));
}

/* Reads what all jobs have sent since the last time. */
static void hear_all(struct pool *pool, const struct job_listener *listener) {
    pool->busy = false;
    for (size_t i = 0; i < pool->count; i++) {
        struct job *job = pool->running[i];
        const uint64_t before = job->said + job->printed;
        hear(job, listener);
        pool->busy = pool->busy || job->said + job->printed - before >= JOB_BUSY;
    }
}

int pool_wait(struct pool *pool, double seconds, const struct job_listener *listener) {
    const double pause = pool->busy ? BUSY_SECONDS : pool->pause;
    struct pollfd files[1 + POOL_ALSO + SERVERS_HEARD] = {{.fd = pool->signals, .events = POLLIN}};
    struct pollfd *const also = &files[1], *const heard = also + pool->also_count;
    int sockets[SERVERS_HEARD];
    const size_t count = servers_sockets(&pool->servers, sockets, SERVERS_HEARD);
    bool children = false;
    for (size_t i = 0; i < pool->also_count; i++)
        also[i] = pool->also[i];
    for (size_t i = 0; i < count; i++)
        heard[i] = (struct pollfd){.fd = sockets[i], .events = POLLIN};
    if (seconds < 0 || seconds > pause)
        seconds = pause;
    if (poll(files, 1 + pool->also_count + count, (int)ceil(1e3 * seconds)) < 0) /* 0: do not wait */
        memset(files, 0, sizeof files);
    for (size_t i = 0; i < pool->also_count; i++)
        pool->also[i].revents = also[i].revents;
    const int number = take_signals(pool, &children); /* before looking for ended processes: no end is missed */
    const double now = process_clock();
    if (children || now - pool->heard >= pause) {
        pool->heard = now;
        hear_all(pool, listener);
    }
    if (children)
        let_go(pool, listener);
    if (has_limits(pool))
        check_limits(pool);
    return number;
}
