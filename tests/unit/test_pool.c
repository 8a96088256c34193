/* Waiting for jobs: as long as it is told to, and no longer than until one has ended. */
#include <sys/resource.h>

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
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < LOOKS; i++)
        assert_int_equal(pool_wait(&pool, 0, &listener), 0);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_nvcsw - before.ru_nvcsw < LOOKS / 2); /* it does not sleep each time */
    const double begin = process_clock();
    assert_int_equal(pool_wait(&pool, 0.02, &listener), 0);
    assert_true(process_clock() - begin > 0.015);
    assert_null(ended);
    pool_close(&pool);
}

TEST(the_end_of_a_job_ends_it) {
    struct pool pool;
    struct job *ended = NULL, job = {.path = "/no such trace.nvt",
                                     .name = xstrdup("t"),
                                     .config = nvdla_config_find("small"),
                                     .clean = true,
                                     .result_end = -1,
                                     .output_end = -1};
    struct run_options options;
    const struct job_listener listener = {.ended = take, .context = &ended};
    struct error err;
    run_options_init(&options);
    options.dut = DUT_MODEL;
    assert_true(pool_open(&pool, false, &err) && pool_start(&pool, &job, &options, false, &err));
    const double begin = process_clock();
    while (!ended && process_clock() - begin < 10)
        assert_int_equal(pool_wait(&pool, -1, &listener), 0);
    assert_ptr_equal(ended, &job);
    job_abandon(&job);
    job_free(&job);
    run_options_free(&options);
    pool_close(&pool);
}
