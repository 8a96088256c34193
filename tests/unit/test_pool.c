/* Waiting for jobs: as long as it is told to, and no longer than until one has ended. */

#include "run/jobs/pool.h"
#include "tests/unit/test.h"

static void take(void *context, struct job *job) {
    *(struct job **)context = job;
}

TEST(a_wait_is_as_long_as_it_is_told) {
    struct pool pool;
    struct job *ended = NULL;
    const struct job_listener listener = {.ended = take, .context = &ended};
    struct error err;
    enum { LOOKS = 1000 };
    assert_true(pool_open(&pool, false, &err));
    double begin = process_clock();
    for (int i = 0; i < LOOKS; i++)
        assert_int_equal(pool_wait(&pool, 0, &listener), 0);
    assert_true(process_clock() - begin < 0.5); /* a millisecond each would be a second */
    begin = process_clock();
    assert_int_equal(pool_wait(&pool, 0.02, &listener), 0);
    assert_true(process_clock() - begin > 0.015);
    assert_null(ended);
    pool_close(&pool);
}

TEST(the_end_of_a_job_ends_it) {
    struct pool pool;
    struct job *ended = NULL, job = {.path = "", .result_end = -1, .output_end = -1};
    const struct job_listener listener = {.ended = take, .context = &ended};
    struct error err;
    char *words[] = {(char[]){"true"}, NULL};
    assert_true(pool_open(&pool, false, &err) && pool_start_program(&pool, &job, words, &err));
    const double begin = process_clock();
    while (!ended && process_clock() - begin < 10)
        assert_int_equal(pool_wait(&pool, -1, &listener), 0);
    assert_ptr_equal(ended, &job);
    job_abandon(&job);
    pool_close(&pool);
}
