/* Copies of a process: when they are made, which ones stay, how one is woken, and that none of them outlives its
 * parent, however that ends. Each run is a process of its own, so that its end can be seen from outside. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nvdla/random.h"
#include "replay/copies.h"
#include "tests/unit/test.h"

enum { SECONDS = 10, CYCLES = 60000, STEP = 100, WOKEN_STATUS = 42 };

/* What a run does after its last cycle, or in a copy that was woken. */
enum ending { ENDS_WELL, LEAVES_COPIES, CRASHES, WAITS, WAKES, WAKES_A_LOOP };

/* A run as the test sees it. */
struct run {
    pid_t pid;
    int output; /* its stdout */
    int alive;  /* nothing is written here: it ends when the last process ends that has inherited it */
    char text[4096];
};

static void told(void *context, const struct wake *wake) {
    *(uint64_t *)context = wake->made;
}

static void say_goodbye(void) {
    printf("goodbye\n");
}

/* The state of a run depends on its cycles alone. */
static uint64_t play(struct copies *copies, uint64_t from, uint64_t to, uint64_t *state) {
    uint64_t cycle = from, due = 0;
    for (; cycle < to; cycle += STEP) {
        random_next(state);
        if (cycle < due)
            continue;
        due = copies_consider(copies, cycle, false, NULL, 0);
        if (copies_woken(copies) && cycle >= due)
            break;
    }
    return cycle;
}

static void run_body(enum ending ending, int output) {
    uint64_t made = 0, state = 1;
    struct copies_options options = {.every = 4000, .woken = told, .context = &made, .descriptors = {output}};
    options.descriptor_count = 1;
    static struct copies *copies; /* reachable at the end of a run that frees none: no leak to be found */
    copies = copies_new(&options);
    atexit(say_goodbye);
    printf("hello\n");
    const uint64_t reached = play(copies, 0, CYCLES, &state);
    if (copies_woken(copies)) {
        printf("woken %llu: made %llu, at %llu, state %llx\n", (unsigned long long)copies_woken(copies)->failure,
               (unsigned long long)made, (unsigned long long)reached, (unsigned long long)state);
        fflush(stdout);
        while (ending == WAKES_A_LOOP)
            pause();
        copies_leave(WOKEN_STATUS);
    }
    printf("played %llu, state %llx\n", (unsigned long long)reached, (unsigned long long)state);
    if (ending == CRASHES) {
        fflush(stdout);
        signal(SIGSEGV, SIG_DFL);
        raise(SIGSEGV);
    }
    if (ending == WAITS) {
        fflush(stdout);
        for (;;)
            pause();
    }
    if (ending == WAKES || ending == WAKES_A_LOOP) {
        struct wake wake = {.failure = reached, .stop = CYCLES};
        struct error err;
        int status = -1;
        uint64_t start = 40000;
        if (!copies_choose(copies, reached, 1000, &start, 1, &wake.made))
            exit(1);
        if (!copies_wake(copies, &wake, &status, &err))
            printf("%s\n", err.text);
        printf("status %d of %llu\n", status, (unsigned long long)wake.made);
    }
    if (ending != LEAVES_COPIES)
        copies_free(copies);
}

static void start(struct run *run, enum ending ending) {
    int output[2], alive[2];
    assert_int_equal(pipe(output), 0);
    assert_int_equal(pipe(alive), 0);
    fflush(NULL);
    run->pid = fork();
    assert_true(run->pid >= 0);
    if (run->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        signal(SIGINT, SIG_DFL); /* a shell that runs the test in the background has it ignored */
        close(output[0]);
        close(alive[0]);
        dup2(output[1], STDOUT_FILENO);
        run_body(ending, output[1]);
        exit(EXIT_SUCCESS);
    }
    close(output[1]);
    close(alive[1]);
    run->output = output[0];
    run->alive = alive[0];
    run->text[0] = '\0';
}

/* True if the other ends of the pipe are all closed within some seconds. */
static bool ends(int fd) {
    struct pollfd entry = {.fd = fd, .events = POLLIN};
    char byte;
    return poll(&entry, 1, SECONDS * 1000) == 1 && read(fd, &byte, 1) == 0;
}

/* Waits until the run has said that. */
static void read_until(struct run *run, const char *word) {
    size_t n = strlen(run->text);
    struct pollfd entry = {.fd = run->output, .events = POLLIN};
    while (!strstr(run->text, word) && poll(&entry, 1, SECONDS * 1000) == 1) {
        const ssize_t got = read(run->output, run->text + n, sizeof run->text - n - 1);
        if (got <= 0)
            break;
        n += (size_t)got;
        run->text[n] = '\0';
    }
    assert_non_null(strstr(run->text, word));
}

/* The run's status; its output ends, and so does every process that it left. A run that does not end is ended. */
static int finish(struct run *run) {
    int status;
    const bool ended = ends(run->alive);
    if (!ended)
        kill(run->pid, SIGKILL);
    assert_int_equal(waitpid(run->pid, &status, 0), run->pid);
    assert_true(ended); /* what it has written fits into the pipe */
    size_t n = strlen(run->text);
    for (ssize_t got; (got = read(run->output, run->text + n, sizeof run->text - n - 1)) > 0; n += (size_t)got)
        run->text[n + (size_t)got] = '\0';
    close(run->output);
    close(run->alive);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int count_of(const char *text, const char *word) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, word)) != NULL; at += strlen(word))
        count++;
    return count;
}

/* What was not written out when a run forked is written once, and so is what exit() writes. A copy that was woken reads
 * from its parent no more: the kernel ends it. */
TEST(test_ends) {
    static const struct {
        enum ending ending;
        const char *until; /* what it says before the signal; NULL: it ends by itself */
        int signal, hellos, goodbyes;
    } cases[] = {
        {ENDS_WELL, NULL, 0, 1, 1},
        {LEAVES_COPIES, NULL, 0, 1, 1},
        {CRASHES, NULL, SIGSEGV, 1, 0},
        {WAITS, "played", SIGKILL, 1, 0},
        {WAITS, "played", SIGINT, 1, 0},
        {WAITS, "played", SIGTERM, 1, 0},
        {WAKES_A_LOOP, "woken", SIGKILL, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run run;
        start(&run, cases[i].ending);
        if (cases[i].until) {
            read_until(&run, cases[i].until);
            kill(run.pid, cases[i].signal);
        }
        assert_int_equal(finish(&run), cases[i].signal ? 128 + cases[i].signal : 0);
        assert_int_equal(count_of(run.text, "hello"), cases[i].hellos);
        assert_int_equal(count_of(run.text, "goodbye"), cases[i].goodbyes);
    }
}

/* How many of the run's copies hold its stdout; *copies: how many there are. */
static int holders(pid_t pid, int *copies) {
    char path[64], link[64], ours[64] = "";
    int found = 0;
    snprintf(path, sizeof path, "/proc/%d/fd/1", (int)pid);
    assert_true(readlink(path, ours, sizeof ours - 1) > 0);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
    FILE *children = fopen(path, "r");
    *copies = 0;
    for (int child; children && fscanf(children, "%d", &child) == 1; ++*copies) {
        for (int fd = 0; fd < 32; fd++) {
            memset(link, 0, sizeof link);
            snprintf(path, sizeof path, "/proc/%d/fd/%d", child, fd);
            if (readlink(path, link, sizeof link - 1) > 0 && strcmp(link, ours) == 0)
                found++;
        }
    }
    if (children)
        fclose(children);
    return found;
}

/* The output of a run that sleeps ends with the run, whatever its copies do: as soon as they have begun to sleep they
 * hold it no more. */
TEST(test_pipes_are_let_go) {
    struct run run;
    int copies = 0, held = 1;
    start(&run, WAITS);
    read_until(&run, "played");
    for (int i = 0; i < SECONDS * 100 && held > 0; i++) {
        held = holders(run.pid, &copies);
        poll(NULL, 0, 10);
    }
    kill(run.pid, SIGKILL);
    finish(&run);
    assert_int_equal(held, 0);
    assert_true(copies > 1);
}

TEST(test_wakes) {
    struct run run;
    start(&run, WAKES);
    assert_int_equal(finish(&run), 0);
    unsigned long long failure, made, at, chosen, played, copy_state, run_state;
    int status;
    const char *woken = strstr(run.text, "woken"), *ended = strstr(run.text, "status");
    const char *first = strstr(run.text, "played");
    assert_true(woken && ended && first);
    assert_int_equal(sscanf(woken, "woken %llu: made %llu, at %llu, state %llx", &failure, &made, &at, &copy_state), 4);
    assert_int_equal(sscanf(first, "played %llu, state %llx", &played, &run_state), 2);
    assert_int_equal(sscanf(ended, "status %d of %llu", &status, &chosen), 2);
    assert_int_equal(status, WOKEN_STATUS);
    assert_int_equal(failure, CYCLES);
    assert_int_equal(made, chosen);
    assert_true(made <= 40000 && made >= 36000); /* not behind the start of the launch, and close to it */
    assert_int_equal(at, played);
    assert_int_equal(copy_state, run_state);          /* it has played what its parent had played */
    assert_int_equal(count_of(run.text, "hello"), 1); /* nor is it written by the copy again */
    assert_int_equal(count_of(run.text, "woken"), 1);
    assert_int_equal(count_of(run.text, "goodbye"), 1);
}

/* ---- which copies there are ---- */

TEST(test_stays_close) {
    const struct copies_options options = {.every = 0};
    struct copies *copies = copies_new(&options);
    uint64_t start = 0;
    for (uint64_t cycle = 0; cycle < 1000000; cycle += 500) {
        if (cycle % 30000 == 0)
            start = cycle;
        const uint64_t starts[] = {start, start > 10000 ? start - 10000 : 0};
        copies_consider(copies, cycle, cycle == start, starts, 2);
        struct copies_statistics now;
        copies_statistics(copies, &now);
        assert_true(now.asleep >= 1 && now.asleep <= COPIES_MOST);
        assert_int_equal(now.cycles[0], 0);
        for (int i = 0; i < 2; i++) {
            uint64_t made;
            assert_true(copies_choose(copies, cycle, 0, &starts[i], 1, &made));
            assert_true(made <= starts[i]);
            /* a quarter of what was played, and what was asked for; of short runs all */
            assert_true(cycle < 270000 || cycle - made <= cycle - starts[i] + cycle / 4);
        }
    }
    copies_free(copies);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
}

TEST(test_early_runs_have_one) {
    const struct copies_options options = {.every = 0};
    struct copies *copies = copies_new(&options);
    for (uint64_t cycle = 0; cycle < 100000; cycle += 500)
        copies_consider(copies, cycle, false, NULL, 0);
    struct copies_statistics now;
    copies_statistics(copies, &now);
    assert_int_equal(now.made, 1);
    uint64_t made = 1;
    assert_true(copies_choose(copies, 50, 1000, NULL, 0, &made));
    assert_int_equal(made, 0);
    const struct wake wake = {.made = 77};
    struct error err;
    int status;
    assert_false(copies_wake(copies, &wake, &status, &err));
    assert_non_null(strstr(err.text, "77"));
    copies_free(copies);
}

static void *sleep_on(void *lock) {
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

TEST(test_threads) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    const struct copies_options options = {.every = 0};
    struct copies *copies = copies_new(&options);
    pthread_mutex_lock(&lock);
    assert_int_equal(pthread_create(&thread, NULL, sleep_on, &lock), 0);
    assert_null(copies_trouble(copies));
    assert_int_equal(copies_consider(copies, 0, false, NULL, 0), UINT64_MAX);
    assert_non_null(copies_trouble(copies));
    uint64_t made;
    assert_false(copies_choose(copies, 0, 0, NULL, 0, &made));
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    copies_free(copies);
}
