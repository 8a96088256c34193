/* The database of regressions: one SQLite file that keeps all nights (schema.sql, docs/database.md). Several processes
 * of one machine may write at a time. Every change is a transaction that is on the disk when the call returns.
 *
 * Anything that is read beyond the functions below is read with query.h from store_database(). */
#ifndef REGRESS_STORE_STORE_H
#define REGRESS_STORE_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "regress/plan/plan.h"
#include "regress/plan/test.h"
#include "run/result/result.h"

/* The folder of nights, and the database in it, if nothing else is given. */
#define NIGHTS_FOLDER "nvcosim-nights"
#define NIGHTS_DATABASE "nights.db"

enum { STORE_VERSION = 2 };

struct store;

/* Opens the database, makes it and its folder where there is none (create), brings an older one up to date in one
 * transaction. NULL with a message: no database, damaged, made by a newer nvcosim, not writable. Waits up to a minute
 * for others that write. Not to be used across fork(). */
struct store *store_open(const char *path, bool create, struct error *err);
/* Nothing can be written through it; an older database is brought up to date first, though. */
struct store *store_open_read_only(const char *path, struct error *err);
void store_close(struct store *store);
sqlite3 *store_database(struct store *store);

struct night_facts {
    const char *kind, *plan, *plan_path, *plan_text, *selected, *version, *engine, *command, *folder;
    uint64_t seed;
    const char *directory; /* of what is tested, for the git revision: that of the RTL; NULL: the working directory, or
                            * that of the plan if only that one is in git */
};
/* Begins a night: its row, and one of each test, in one transaction. Host, cores, git revision and time are filled in;
 * git has ten seconds for each answer. The number of the night; -1 with a message. */
int64_t store_begin(struct store *store, const struct night_facts *facts, const struct test_list *tests,
                    struct error *err);

/* Stores the folder of the night, which is known once it has its number. */
bool store_folder(struct store *store, int64_t night, const char *folder, struct error *err);

/* Changes the state of a night ('interrupted', 'done', or 'running' again: by this process) and adds wall time to it.
 */
bool store_state(struct store *store, int64_t night, const char *state, double seconds, struct error *err);

/* The result of a test, and when it ended. */
struct store_row {
    size_t number;
    const char *host;
    int64_t at; /* seconds since 1970; 0: now */
    const struct result *result;
};
/* Keeps results, each once, all of them or none: false with a message if a test has one already, or they cannot be
 * written. Paths of reports inside the folder of the night are kept relative to it. Costs milliseconds for the disk:
 * worth doing for several at a time. */
bool store_results(struct store *store, int64_t night, const struct store_row *rows, size_t count, struct error *err);

/* The same for one. It survives the end of this process, however that ends, but perhaps not a power cut. */
bool store_result(struct store *store, int64_t night, size_t number, const char *host, const struct result *result,
                  struct error *err);

/* The last night of the plan that is not done and whose runner is gone; 0: none; -1 with a message, also if there are
 * only such whose runner lives, or runs on another host, which cannot be asked. */
int64_t store_unfinished(struct store *store, const char *plan, struct error *err);

/* Whether the runner of a night lives; one on another host cannot be asked. */
enum runner { RUNNER_LIVES, RUNNER_GONE, RUNNER_ELSEWHERE };
enum runner store_runner(const char *host, int64_t pid, const char *birth);

/* The tests of a night, and which of them have results. free() done. */
bool store_tests(struct store *store, int64_t night, struct test_list *tests, bool **done, struct error *err);

/* Wall seconds that each test took in its last nights (the median of up to five in which it was played), into
 * expected_seconds; -1 of one that never was. */
bool store_expect(struct store *store, struct test_list *tests, struct error *err);

#endif
