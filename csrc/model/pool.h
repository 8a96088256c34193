/* Threads that share the work of one caller: a loop over independent tasks.
 *
 * The threads are started by the first loop that needs them and wait between loops; they are joined when the pool rests
 * or is freed. What a task computes must not depend on which thread runs it.
 */
#ifndef MODEL_POOL_H
#define MODEL_POOL_H

#include <stddef.h>

struct pool;

/* A pool of `threads` threads, the caller's included, at least 1. */
struct pool *pool_new(size_t threads);
void pool_free(struct pool *pool);

/* Ends the threads until the next loop: a process that forks has one thread only. */
void pool_rest(struct pool *pool);

size_t pool_threads(const struct pool *pool);

/* Calls task(context, i) once for every i in 0 .. count-1, in any order and at the same time, and returns when all are
 * done. One loop at a time. Threads that can not be started leave their share to the others. */
void pool_run(struct pool *pool, size_t count, void (*task)(void *context, size_t i), void *context);

#endif
