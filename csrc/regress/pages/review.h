/* Everything that is reported about a night: its tests and how they compare with the night before, its buckets, faults
 * and trends. Page, JUnit XML and summary are made from one of these, so that they agree. It is read from the database
 * alone, in one read transaction. */
#ifndef REGRESS_PAGES_REVIEW_H
#define REGRESS_PAGES_REVIEW_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "coverage/coverage.h"
#include "nvdla/error.h"
#include "run/result/result.h"

enum {
    REVIEW_PAST = 14,   /* nights that the past of a test goes back, this one included */
    REVIEW_TRENDS = 30, /* nights of a trend */
    REVIEW_TEXT = 4000, /* bytes of any text but the command of the night; the database has all of it */
    REVIEW_NOT_RUN = -1 /* in place of a verdict, and what verdict_find() has for it: the test has no result */
};

/* How a test counts. */
enum review_state { REVIEW_PASSED, REVIEW_FAILED, REVIEW_KNOWN /* failed, as it is known to */, REVIEW_OPEN };

/* A test whose verdict says little: its verdicts differ though nothing else did, or come and go. */
enum review_flaky { REVIEW_STEADY, REVIEW_DIFFERS, REVIEW_ALTERNATES };

/* Strings are owned by the review; NULL where the database has NULL. */
struct review_test {
    int64_t number;
    const char *key, *item, *name; /* name: the key after the item */
    const char *trace, *config, *dut, *memory, *tags, *reason, *signature, *mismatch, *host, *report, *page, *command,
        *debug_command;
    const char *known;                     /* reason of a known failure that has not expired */
    const char *excuse, *excuse_until;     /* of its known failure in the plan, expired or not */
    int64_t seed, layer_seed, memory_peak; /* layer_seed: of a random layer, else 0 */
    bool random;
    int verdict; /* enum verdict, or REVIEW_NOT_RUN */
    enum review_state state;
    int bucket; /* index into buckets, -1: in none */
    int64_t cycles;
    double seconds, cpu_seconds;
    /* Compared with the night before. */
    bool was_there;
    int before;            /* verdict then, or REVIEW_NOT_RUN */
    bool same;             /* the same layer with the same seeds, so that cycles can be compared */
    bool new_failure;      /* fails and is not known to; then it passed or did not run */
    bool new_pass;         /* passes; then it did not */
    int64_t cycles_before; /* 0: none */
    double ratio; /* of the cycles, now to before, of the same work that passed both times; 0: not to be compared */
    /* Over the last nights. */
    enum review_flaky flaky;
    const char *flaky_text;
    char past[REVIEW_PAST + 1]; /* a letter for each night, oldest first: that of the verdict, '.' without one */
};

struct review_bucket {
    int64_t number, count, shrunk_cycles;
    const char *signature, *title, *engine, *tap, *kind, *shrunk, *command, *page, *shrunk_command, *note;
    int smallest;   /* index into tests, -1: none */
    size_t known;   /* of its tests are known failures */
    bool fresh;     /* the night before had none of this signature */
    int64_t first;  /* night of the plan that had the first of this signature */
    int64_t nights; /* of the plan that had one, this one included */
};

struct review_fault {
    int64_t number, line, runs;
    const char *folder, *file, *module, *original, *changed, *statement, *state, *noticed_by, *verdict, *reason;
};

/* A night in a trend. */
struct review_trend {
    int64_t night, tests, passed, failed, known, open, cycles; /* cycles: of tests with an RTL */
    int64_t faults, noticed, equivalent;
    double seconds, cpu_seconds; /* wall time of the night; CPU time of tests with an RTL */
    const char *started, *revision, *folder, *state;
};

/* Simulation speed of a configuration in a night of the trend. */
struct review_speed {
    int trend; /* index */
    const char *config;
    double hertz; /* core clocks a second of CPU time */
};

struct review {
    int64_t night;
    uint64_t seed;
    const char *kind, *plan, *plan_path, *selected, *state, *started, *ended, *host, *version, *revision, *engine,
        *command, *folder;
    double seconds;
    int64_t cores;
    bool dirty, qualify;
    struct review_test *tests; /* in the order of the plan */
    size_t test_count;
    struct review_bucket *buckets; /* new ones first, then those with the most failures; last those that are known */
    size_t bucket_count;
    struct review_fault *faults;
    size_t fault_count;
    /* The night to compare with: the last one before it of the same plan and selection that was done. 0: none. */
    int64_t before;
    const char *before_started, *before_revision, *before_folder;
    size_t gone; /* tests of that night that this one has not */
    /* Counts. */
    size_t passed, failed, known, open, new_failures, new_passes, failed_buckets /* not of known failures alone */,
        fresh_buckets, flaky, expired, excused_pass;
    size_t verdicts[VERDICT_COUNT];
    size_t noticed, survived, unreached, equivalent, fault_open;
    int64_t cycles; /* of all tests */
    double cpu_seconds;
    struct coverage *coverage;   /* functional bins of all tests; NULL: none was asked for */
    size_t covered;              /* tests whose bins are in it */
    struct review_trend *trends; /* oldest first, this one last */
    size_t trend_count;
    struct review_speed *speeds; /* by config, then by night */
    size_t speed_count;
    /* Private. */
    char **strings;
    size_t string_count;
};

/* Reads a night. NULL with a message: there is no such night, or the database is damaged. */
struct review *review_read(sqlite3 *db, int64_t night, struct error *err);
void review_free(struct review *review);

/* "PASS", ..., "not run". */
const char *review_verdict_text(int verdict);

/* How the night went, for colours and for the first word of everything. */
enum review_outcome {
    NIGHT_PASSED,
    NIGHT_SURVIVED /* no test failed, a fault did not make one fail */,
    NIGHT_FAILED,
    NIGHT_UNFINISHED
};
enum review_outcome review_outcome(const struct review *review);
/* "PASSED", "SURVIVORS", "FAILED", "INTERRUPTED", "RUNNING". */
const char *review_outcome_text(const struct review *review);
/* "12 of 523 tests fail in 4 buckets, 2 of them new; 3 known failures; 508 pass." free() it. */
char *review_sentence(const struct review *review);

/* "1 h 12 min", "3 min 20 s", "12.3 s" into text. Returns text. */
enum { REVIEW_DURATION = 32 };
char *review_duration(double seconds, char text[REVIEW_DURATION]);

#endif
