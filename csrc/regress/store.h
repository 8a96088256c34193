/* The database of regressions: one SQLite file that keeps all nights (schema.sql, docs/database.md). Several processes
 * of one machine may write at a time. Every change is a transaction that is on the disk when the call returns.
 *
 * Who reads writes SQL: store_database().
 */
#ifndef REGRESS_STORE_H
#define REGRESS_STORE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "regress/plan.h"
#include "regress/test.h"
#include "run/result.h"

enum { STORE_VERSION = 1 };

struct store;

/* Opens the database, makes it where there is none (create), brings an older one up to date in one transaction. NULL
 * with a message: no database, damaged, made by a newer nvcosim, not writable. */
struct store *store_open(const char *path, bool create, struct error *err);
struct store *store_open_read_only(const char *path, struct error *err);
void store_close(struct store *store);
sqlite3 *store_database(struct store *store);

struct night_facts {
    const char *kind, *plan, *plan_path, *plan_text, *selected, *version, *engine, *command, *folder;
    uint64_t seed;
};
/* Begins a night: its row, and one of each test, in one transaction. Host, cores, git revision and time are filled in.
 * The number of the night; -1 with a message. */
int64_t store_begin(struct store *store, const struct night_facts *facts, const struct test_list *tests,
                    struct error *err);

/* Changes the state of a night ('interrupted', 'done', or 'running' again) and adds the wall time of this call. */
bool store_state(struct store *store, int64_t night, const char *state, double seconds, struct error *err);

/* Keeps the result of a test, once: false with a message if it has one already, or it cannot be written. */
bool store_result(struct store *store, int64_t night, size_t number, const char *host, const struct result *result,
                  struct error *err);

/* The last night of the plan that is not done and whose runner is gone, newest first; 0: none; -1 with a message. */
int64_t store_unfinished(struct store *store, const char *plan, struct error *err);

/* The tests of a night, and which of them have results. free() done. */
bool store_tests(struct store *store, int64_t night, struct test_list *tests, bool **done, struct error *err);

/* Wall seconds that each test took in its last nights (the median of up to five), into expected_seconds. */
bool store_expect(struct store *store, struct test_list *tests, struct error *err);

#endif
