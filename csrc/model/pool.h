/* Threads that share the work of one caller: a loop over independent tasks.
 *
 * The threads are started by the first loop that needs them and wait between loops; pool_rest() and pool_free() join
 * them. The result of a task must not depend on the thread that runs it. */
#pragma once

#include <stddef.h>

struct thread_pool;

/* A pool of `threads` threads, including the caller's, at least 1. */
struct thread_pool *pool_new(size_t threads);
void pool_free(struct thread_pool *pool);

/* Ends the threads until the next loop, so that a process can fork with a single thread. */
void pool_rest(struct thread_pool *pool);

size_t pool_threads(const struct thread_pool *pool);

/* Calls task(context, i) once for every i in 0 .. count-1, in any order and concurrently, and returns when all are
 * done. One loop at a time. If threads cannot be started, the others do their share. */
void pool_run(struct thread_pool *pool, size_t count, void (*task)(void *context, size_t i), void *context);
