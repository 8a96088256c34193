/* Moves results of nights whose runner was killed from the ledger into the database. See recover.h. */
#include "regress/night/recover.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "regress/engine/engine.h"
#include "regress/store/query.h"
#include "run/result/ledger.h"

/* The night's host, where the tests ran that have noted their results themselves. free() it; NULL with a message. */
static char *host_of(struct store *store, int64_t night, struct error *err) {
    struct query query = query_begin(store_database(store), err, "SELECT host FROM night WHERE id = ?", "i", night);
    char *host = query_next(&query) ? query_copy(&query, "host") : NULL;
    if (query_end(&query) && !host)
        error_set(err, "the database has no night %" PRId64, night);
    return host;
}

/* The results of a ledger, one for each test at most. */
struct found {
    const struct test_list *tests;
    bool *done; /* tests that have a result */
    struct store_row *rows;
    struct result *results;
    size_t count;
};

static void take(struct found *found, const struct ledger *ledger, bool final, const char *folder, const char *host) {
    for (size_t i = 0; i < ledger->count; i++) {
        const struct ledger_entry *entry = &ledger->entries[i];
        struct result *result = &found->results[found->count];
        if ((entry->host != NULL) != final || entry->test >= found->tests->count || found->done[entry->test] ||
            !(final ? result_parse(entry->result, result)
                    : engine_noted(&found->tests->tests[entry->test], folder, entry->result, result)))
            continue;
        found->done[entry->test] = true;
        found->rows[found->count++] = (struct store_row){
            .number = entry->test, .host = final ? entry->host : host, .at = entry->at, .result = result};
    }
}

bool recover_night(struct store *store, int64_t night, const char *folder, int ledger_file, struct error *err) {
    struct ledger ledger;
    struct test_list tests = {0};
    struct found found = {.tests = &tests};
    if (!ledger_read(ledger_file, &ledger, err))
        return false;
    char *host = host_of(store, night, err);
    bool well = host && (ledger.count == 0 || store_tests(store, night, &tests, &found.done, err));
    if (well && ledger.count > 0) {
        found.rows = xcalloc(ledger.count, sizeof *found.rows);
        found.results = xcalloc(ledger.count, sizeof *found.results);
        take(&found, &ledger, true, folder, host);
        take(&found, &ledger, false, folder, host);
        well = found.count == 0 || store_results(store, night, found.rows, found.count, err);
    }
    if (well && ftruncate(ledger_file, 0) != 0)
        well = error_set(err, "%s/ledger: it cannot be emptied: %s", folder, strerror(errno));
    for (size_t i = 0; i < found.count; i++)
        result_free(&found.results[i]);
    free(found.results);
    free(found.rows);
    free(found.done);
    test_list_free(&tests);
    ledger_free(&ledger);
    free(host);
    return well;
}

/* ---- all nights ---- */

struct left {
    struct left_night {
        int64_t id;
        char *folder;
    } *nights;
    size_t count;
};

static void left_free(struct left *left) {
    for (size_t i = 0; i < left->count; i++)
        free(left->nights[i].folder);
    free(left->nights);
}

/* Nights that are not done, whose runner is gone, and whose folder has a ledger. */
static bool find(struct store *store, struct left *left, struct error *err) {
    struct query query = query_begin(
        store_database(store), err,
        "SELECT id, host, pid, birth, state, folder FROM night WHERE kind = 'regress' AND state <> 'done'", "");
    while (query_next(&query)) {
        char *folder = query_copy(&query, "folder"), *path = xprintf("%s/ledger", folder);
        if (access(path, F_OK) == 0 && (strcmp(query_text(&query, "state"), "running") != 0 ||
                                        store_runner(query_text(&query, "host"), query_number(&query, "pid"),
                                                     query_text(&query, "birth")) == RUNNER_GONE)) {
            left->nights = xgrow(left->nights, left->count, sizeof *left->nights);
            left->nights[left->count++] = (struct left_night){.id = query_number(&query, "id"), .folder = folder};
        } else
            free(folder);
        free(path);
    }
    return query_end(&query);
}

static bool bring(const char *database, const struct left_night *night, struct error *err) {
    const int ledger = ledger_open(night->folder, false, err); /* a runner that resumes the night holds its lock */
    if (ledger < 0)
        return errno == ENOENT;
    struct store *store = store_open(database, false, err);
    struct left still = {0};
    bool well = store && find(store, &still, err);
    for (size_t i = 0; well && i < still.count; i++)
        if (still.nights[i].id == night->id)
            well = recover_night(store, night->id, night->folder, ledger, err);
    left_free(&still);
    store_close(store);
    ledger_close(ledger, night->folder, false);
    return well;
}

bool recover_nights(const char *database, struct error *err) {
    struct left left = {0};
    if (access(database, F_OK) != 0)
        return true;
    struct store *store = store_open_read_only(database, err);
    bool well = store && find(store, &left, err);
    store_close(store);
    for (size_t i = 0; well && i < left.count; i++)
        well = bring(database, &left.nights[i], err);
    left_free(&left);
    return well;
}
