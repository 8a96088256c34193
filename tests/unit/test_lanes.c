/* Lanes: tests that one process of a simulator plays one after the other (run/serve/serve.h). Whatever a test does it
 * gets its verdict, and the others of its lane theirs; what dies is replaced.
 *
 * The simulator is this program: started with --serve it waits for orders, and its copies do what the name of their
 * trace says. */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/engine/builds.h"
#include "regress/engine/engine.h"
#include "run/process/process.h"
#include "run/result/ledger.h"
#include "run/serve/serve.h"
#include "tests/unit/arguments.h"

#include <cmocka.h> /* behind regress/plan/test.h: it has a macro test_free() */

static char folder[] = "/tmp/test_lanes_XXXXXX";

/* ---- the simulator ---- */

static const char pass[] = "{\"verdict\":\"PASS\",\"status\":0,\"config\":\"small\",\"dut\":\"rtl\",\"compared\":true}";

enum { RESULT = 3, EATEN = 300 << 20 };

/* A process that outlives the test, if it may. */
static void leave_behind(const char *name, bool own_group) {
    char *path = xprintf("%s/%s.pid", folder, name);
    const pid_t pid = fork();
    if (pid == 0) {
        if (own_group)
            setsid();
        signal(SIGTERM, SIG_IGN);
        close(RESULT);
        sleep(60);
        _exit(0);
    }
    FILE *file = fopen(path, "w");
    fprintf(file, "%d\n", (int)pid);
    fclose(file);
    free(path);
}

/* The first time only. */
static bool first_time(const char *name) {
    char *path = xprintf("%s/%s.once", folder, name);
    const bool first = mkdir(path, 0777) == 0;
    free(path);
    return first;
}

static void babble(int file, const char *text) {
    for (;;)
        if (write(file, text, strlen(text)) < 0)
            _exit(1);
}

static int play_as_named(const struct words *words) {
    const char *path = words->items[words->count - 1], *name = strrchr(path, '/') + 1;
    int ledger = 0;
    uint64_t number = 0;
    double start;
    for (size_t i = 0; i < words->count; i++)
        sscanf(words->items[i], "--ledger=%d,%" SCNu64 ",%lf", &ledger, &number, &start);
    const bool served = getppid() != atoi(getenv("TEST_LANES_RUNNER"));
    printf("%s plays %s\n", served ? "a lane" : "a process", name);
    fflush(stdout);
    const struct {
        const char *name;
        int signal;
    } signals[] = {{"segv", SIGSEGV}, {"killed", SIGKILL}};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (strcmp(name, signals[i].name) == 0) {
            signal(signals[i].signal, SIG_DFL); /* the address sanitizer catches it */
            kill(getpid(), signals[i].signal);
        }
    if (strcmp(name, "slow") == 0)
        usleep(20000);
    if (strcmp(name, "hang") == 0)
        sleep(60);
    if (strcmp(name, "stubborn") == 0) {
        leave_behind(name, false);
        signal(SIGTERM, SIG_IGN);
        sleep(60);
    }
    if (strcmp(name, "orphan") == 0)
        leave_behind(name, false);
    if (strcmp(name, "daemon") == 0)
        leave_behind(name, true);
    if (strcmp(name, "nothing") == 0)
        return 0;
    if (strcmp(name, "torn") == 0) {
        dprintf(RESULT, "{\"verdict\":\"PASS\",\"sta");
        return 0;
    }
    if (strcmp(name, "garbage") == 0) {
        for (int i = 0; i < 5000; i++)
            dprintf(RESULT, "%c#end %d 0 1 1 1\036%d\036", i * 7 % 256, i, i);
        return 0;
    }
    if (strcmp(name, "flood") == 0)
        babble(STDOUT_FILENO, "a line of something that no one reads\n");
    if (strcmp(name, "torrent") == 0)
        babble(RESULT, "no result\n");
    if (strcmp(name, "endless") == 0)
        babble(RESULT, "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx");
    if (strcmp(name, "eater") == 0 || strcmp(name, "sprinter") == 0)
        explicit_bzero(xmalloc(EATEN), EATEN); /* which no compiler leaves out */
    if (strcmp(name, "eater") == 0)
        sleep(60);
    if (strcmp(name, "slayer") == 0 && first_time(name))
        kill(getppid(), SIGKILL);
    if (strcmp(name, "slayer") == 0)
        sleep(1); /* the lane is gone by then, and with it this process */
    if (ledger)
        ledger_note(ledger, number, NULL, pass);
    dprintf(RESULT, "%s\n", pass);
    return 0;
}

static int simulate(int argc, char **argv) {
    struct words words = {0};
    bool served = false;
    for (int i = 0; i < argc; i++)
        served = served || strncmp(argv[i], "--serve=", strlen("--serve=")) == 0;
    if (served && !serve(SERVE_SOCKET, &words))
        return 0;
    for (int i = 0; !served && i < argc; i++)
        words_add(&words, "%s", argv[i]);
    const int status = play_as_named(&words);
    words_free(&words);
    return status;
}

/* ---- the runner ---- */

enum { TESTS_MOST = 200 };

/* The address sanitizer reserves more than any limit of memory. */
#ifdef __has_feature
enum { LIMITS_MEMORY = !__has_feature(address_sanitizer) };
#else
enum { LIMITS_MEMORY = true };
#endif

struct night {
    struct test tests[TESTS_MOST];
    size_t order[TESTS_MOST], count;
    struct result results[TESTS_MOST];
    unsigned done[TESTS_MOST], started[TESTS_MOST];
    size_t signal_at, all_done; /* signal_at: so many results, then SIGINT; 0: never */
};

static void started(void *context, size_t test, const char *host) {
    struct night *night = context;
    assert_non_null(host);
    night->started[test]++;
}

static bool done(void *context, size_t test, const char *host, struct result *result) {
    struct night *night = context;
    assert_non_null(host);
    night->done[test]++;
    result_free(&night->results[test]);
    night->results[test] = *result;
    *result = (struct result){0};
    if (++night->all_done == night->signal_at)
        raise(SIGINT);
    return true;
}

static void message(void *context, const char *line) {
    (void)context;
    (void)line;
}

static void add(struct night *night, const char *name) {
    assert_true(night->count < TESTS_MOST);
    const bool babbles = strcmp(name, "flood") == 0 || strcmp(name, "endless") == 0; /* which takes its time */
    struct test *test = &night->tests[night->count];
    *test = (struct test){.key = xprintf("t/%zu", night->count),
                          .item = xstrdup("t"),
                          .trace = xprintf("%s/%s", folder, name),
                          .config = xstrdup("small"),
                          .dut = xstrdup("rtl"),
                          .memory = xstrdup(""),
                          .seed = 1,
                          .max_seconds = babbles ? 600 : 2,
                          .max_memory = LIMITS_MEMORY ? 200 << 20 : 0};
    night->order[night->count] = night->count;
    night->count++;
}

static void add_many(struct night *night, const char *name, size_t count) {
    while (count-- > 0)
        add(night, name);
}

static void add_good(struct night *night, size_t count) {
    add_many(night, "good", count);
}

static enum engine_end run(struct night *night, int jobs, int *signal) {
    struct error err;
    const int ledger = ledger_open(folder, true, &err);
    assert_true(ledger >= 0);
    const struct engine_job job = {
        .tests = night->tests,
        .order = night->order,
        .count = night->count,
        .jobs = jobs,
        .folder = folder,
        .ledger = ledger,
        .listener = {.started = started, .ended = done, .message = message, .context = night},
    };
    const enum engine_end end = engine_local(&job, signal, &err);
    struct ledger noted;
    assert_true(ledger_read(ledger, &noted, &err));
    unsigned times[TESTS_MOST] = {0};
    for (size_t i = 0; i < noted.count; i++)
        assert_true(++times[noted.entries[i].test] == 1); /* nothing ends twice */
    ledger_free(&noted);
    ledger_close(ledger, folder, true);
    int status;
    assert_int_equal(waitpid(-1, &status, WNOHANG), -1); /* nothing is left */
    return end;
}

static void night_free(struct night *night) {
    for (size_t i = 0; i < night->count; i++) {
        (test_free)(&night->tests[i]); /* cmocka has a macro of that name */
        result_free(&night->results[i]);
    }
    free(night);
}

static bool is_good(const struct night *night, size_t test) {
    return strstr(night->tests[test].trace, "/good") != NULL;
}

/* Every test has one result, and the good ones pass. */
static void check_good(const struct night *night) {
    for (size_t i = 0; i < night->count; i++) {
        assert_int_equal(night->done[i], 1);
        assert_true(night->started[i] >= 1);
        if (is_good(night, i) && night->results[i].verdict != VERDICT_PASS)
            fail_msg("test %zu: %s", i, night->results[i].reason);
    }
}

static const struct result *result_of(const struct night *night, const char *name) {
    for (size_t i = 0; i < night->count; i++)
        if (strcmp(strrchr(night->tests[i].trace, '/') + 1, name) == 0)
            return &night->results[i];
    fail_msg("there is no %s", name);
    return NULL;
}

static void expect(const struct night *night, const char *name, enum verdict verdict, const char *reason) {
    const struct result *result = result_of(night, name);
    if (result->verdict != verdict || !strstr(result->reason, reason))
        fail_msg("%s: found %s: %s, expected %s: %s", name, verdict_names[result->verdict], result->reason,
                 verdict_names[verdict], reason);
}

/* The process that a test has left is gone. */
static void expect_gone(const char *name) {
    char *path = xprintf("%s/%s.pid", folder, name);
    FILE *file = fopen(path, "r");
    int pid = 0;
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%d", &pid), 1);
    fclose(file);
    free(path);
    assert_int_equal(kill(pid, 0), -1);
}

static void test_faults(void **state) {
    (void)state;
    static const char *const names[] = {"flood",  "segv",    "killed", "hang",    "stubborn", "orphan",
                                        "daemon", "nothing", "torn",   "garbage", "torrent",  "endless"};
    static const char *const large[] = {"eater", "sprinter"};
    struct night *night = xcalloc(1, sizeof *night);
    int signal;
    add_good(night, 12); /* until the server is ready */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        add(night, names[i]);
        add_good(night, 3);
    }
    for (size_t i = 0; LIMITS_MEMORY && i < sizeof large / sizeof *large; i++) {
        add(night, large[i]);
        add_good(night, 3);
    }
    if (!LIMITS_MEMORY)
        print_message("without the tests of the limit of memory, which the address sanitizer cannot have\n");
    assert_int_equal(run(night, 2, &signal), ENGINE_DONE);
    check_good(night);
    expect(night, "segv", VERDICT_CRASH, "ended by signal 11");
    expect(night, "segv", VERDICT_CRASH, "a lane plays segv"); /* the last words are its own */
    expect(night, "killed", VERDICT_CRASH, "ended by signal 9");
    expect(night, "hang", VERDICT_HANG, "not done after 2 seconds, its time limit");
    expect(night, "stubborn", VERDICT_HANG, "it did not obey SIGTERM");
    expect(night, "orphan", VERDICT_PASS, "");
    expect(night, "daemon", VERDICT_PASS, "");
    expect(night, "nothing", VERDICT_CRASH, "ended with status 0 and gave no verdict");
    expect(night, "torn", VERDICT_CRASH, "ended with status 0 and gave no verdict");
    expect(night, "garbage", VERDICT_CRASH, "");
    expect(night, "flood", VERDICT_CRASH, "ended after printing 256 MiB");
    expect(night, "torrent", VERDICT_CRASH, "ended because what it sent is not a result: no result");
    expect(night, "endless", VERDICT_CRASH, "ended because its result is longer than 64 MiB");
    for (size_t i = 0; LIMITS_MEMORY && i < sizeof large / sizeof *large; i++)
        expect(night, large[i], VERDICT_CRASH, "MiB resident, its memory limit is 200 MiB");
    assert_true(result_of(night, "flood")->output != NULL && strstr(result_of(night, "flood")->output, "no one reads"));
    expect_gone("stubborn");
    expect_gone("orphan");
    expect_gone("daemon");
    night_free(night);
}

/* A lane that dies costs no result, and no test is blamed. */
static void test_lane_dies(void **state) {
    (void)state;
    struct night *night = xcalloc(1, sizeof *night);
    int signal;
    add_good(night, 40);
    add(night, "slayer");
    add_good(night, 40);
    assert_int_equal(run(night, 2, &signal), ENGINE_DONE);
    check_good(night);
    expect(night, "slayer", VERDICT_PASS, "");
    assert_int_equal(night->started[40], 2);
    night_free(night);
}

/* Ctrl-C lets the running tests end; those in queues do not start. */
static void test_interrupted(void **state) {
    (void)state;
    struct night *night = xcalloc(1, sizeof *night);
    int signal;
    add_many(night, "slow", 100);
    night->signal_at = 10;
    assert_int_equal(run(night, 2, &signal), ENGINE_INTERRUPTED);
    assert_int_equal(signal, SIGINT);
    size_t all = 0;
    for (size_t i = 0; i < night->count; i++) {
        assert_int_equal(night->started[i], night->done[i]);
        all += night->done[i];
    }
    assert_true(all >= 10 && all < 100);
    night_free(night);
}

int main(void) {
    char self[4096], number[16];
    struct error err;
    if (arguments_count > 1 && getenv("TEST_LANES_FOLDER")) {
        memcpy(folder, getenv("TEST_LANES_FOLDER"), sizeof folder);
        return simulate(arguments_count, arguments);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_lane_dies),
        cmocka_unit_test(test_interrupted),
    };
    const ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0 || !mkdtemp(folder))
        return 1;
    self[n] = '\0';
    snprintf(number, sizeof number, "%d", (int)getpid());
    setenv("TEST_LANES_FOLDER", folder, 1);
    setenv("TEST_LANES_RUNNER", number, 1);
    char *simulators = xprintf("%s/" BUILDS_FOLDER, folder), *program = xprintf("%s/nvcosim-small", simulators);
    if (!directory_make(simulators, &err) || symlink(self, program) != 0)
        return 1;
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    char *command = xprintf("rm -rf %s", folder);
    if (system(command) != 0)
        return 1;
    free(command);
    free(program);
    free(simulators);
    return status;
}
