/* Threads that share loops. See pool.h. */
#include "model/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"

/* How often a thread polls before it sleeps. Loops of a convolution follow each other within some 10 us, less than it
 * takes to wake a thread. */
enum { LOOKS = 40000, LOOKS_WITHOUT_YIELD = 64 };

struct thread_pool {
    size_t threads;
    pthread_t *helpers; /* [started] */
    size_t started;
    bool tried; /* to start them */
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    bool leave;
    atomic_ulong loop;     /* number of the current loop */
    atomic_size_t working; /* helpers that have not finished it */
    void (*task)(void *context, size_t i);
    void *context;
    size_t count;
    atomic_size_t next;
};

struct thread_pool *pool_new(size_t threads) {
    struct thread_pool *pool = xcalloc(1, sizeof *pool);
    pool->threads = threads;
    pool->helpers = xcalloc(threads, sizeof *pool->helpers);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    return pool;
}

void pool_rest(struct thread_pool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->leave = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < pool->started; i++)
        pthread_join(pool->helpers[i], NULL);
    pool->started = 0;
    pool->tried = pool->leave = false;
    atomic_store(&pool->loop, 0); /* number from which new threads count */
}

void pool_free(struct thread_pool *pool) {
    if (!pool)
        return;
    pool_rest(pool);
    pthread_cond_destroy(&pool->begin);
    pthread_cond_destroy(&pool->end);
    pthread_mutex_destroy(&pool->lock);
    free(pool->helpers);
    free(pool);
}

size_t pool_threads(const struct thread_pool *pool) {
    return pool->threads;
}

static void work(struct thread_pool *pool) {
    for (size_t i = atomic_fetch_add(&pool->next, 1); i < pool->count; i = atomic_fetch_add(&pool->next, 1))
        pool->task(pool->context, i);
}

/* Polls for a while whether a loop after number `done` has begun. */
static void look_for_begin(struct thread_pool *pool, unsigned long done) {
    for (int i = 0; i < LOOKS && atomic_load(&pool->loop) == done; i++)
        if (i % LOOKS_WITHOUT_YIELD == LOOKS_WITHOUT_YIELD - 1)
            sched_yield();
}

static void look_for_end(struct thread_pool *pool) {
    for (int i = 0; i < LOOKS && atomic_load(&pool->working) > 0; i++)
        if (i % LOOKS_WITHOUT_YIELD == LOOKS_WITHOUT_YIELD - 1)
            sched_yield();
}

static void *help(void *argument) {
    struct thread_pool *pool = argument;
    for (unsigned long done = 0;; done++) {
        look_for_begin(pool, done);
        pthread_mutex_lock(&pool->lock);
        while (!pool->leave && atomic_load(&pool->loop) == done)
            pthread_cond_wait(&pool->begin, &pool->lock);
        bool leave = pool->leave;
        pthread_mutex_unlock(&pool->lock);
        if (leave)
            return NULL;
        work(pool);
        if (atomic_fetch_sub(&pool->working, 1) == 1) {
            pthread_mutex_lock(&pool->lock);
            pthread_cond_signal(&pool->end);
            pthread_mutex_unlock(&pool->lock);
        }
    }
}

/* Signals stay with the threads that existed before. */
static void start(struct thread_pool *pool) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (pool->started + 1 < pool->threads && pthread_create(&pool->helpers[pool->started], NULL, help, pool) == 0)
        pool->started++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pool->tried = true;
}

void pool_run(struct thread_pool *pool, size_t count, void (*task)(void *context, size_t i), void *context) {
    if (!pool->tried && count > 1)
        start(pool);
    pool->task = task;
    pool->context = context;
    pool->count = count;
    atomic_store(&pool->next, 0);
    if (count < 2 || pool->started == 0) {
        work(pool);
        return;
    }
    atomic_store(&pool->working, pool->started);
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->loop, 1);
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->lock);
    work(pool);
    look_for_end(pool);
    pthread_mutex_lock(&pool->lock);
    while (atomic_load(&pool->working) > 0)
        pthread_cond_wait(&pool->end, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}
