/* Groups failures into buckets. See buckets.h. */
#include "regress/night/buckets.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/night/discoveries.h"
#include "regress/store/query.h"
#include "regress/store/signature.h"
#include "regress/store/store_sql.h"

/* A test that fails. Texts are owned unless said otherwise. */
struct failure {
    size_t number; /* of the test */
    char *coarse;  /* signature of its result alone */
    char *reason, *command;
    char *known;                   /* why it is known to fail; NULL: it is not */
    bool debuggable;               /* RTL and model were compared */
    bool shrinkable;               /* it would fail again, and soon */
    uint64_t cycles, macs;         /* its size */
    size_t rank;                   /* among those of its coarse signature, by size */
    const char *note;              /* why nvcosim debug could not be asked; NULL: it could. Not owned */
    const struct discovery *found; /* of nvcosim debug; NULL: it was not asked. Of the discoveries */
    const char *signature;         /* of its bucket: the coarse one, or one that nvcosim debug found. Not owned */
    size_t causes;                 /* signatures that nvcosim debug found for those of its coarse signature */
};

/* Failures [first, first + count) in the order of buckets, the smallest first. */
struct bucket {
    size_t first, count;
    const struct discovery *found;  /* of its smallest failure that nvcosim debug has named an engine for; NULL: none */
    const struct discovery *shrunk; /* NULL: not tried */
};

struct buckets {
    const struct triage_job *job;
    struct failure *failures;
    size_t failure_count;
    struct bucket *buckets;
    size_t bucket_count;
    struct discoveries discoveries;
};

/* ---- the failures ---- */

/* Only failures that come back soon are shrunk: one at a limit of time or memory takes all of it at every attempt. */
static bool worth_shrinking(const struct result *result, const char *coarse) {
    return (result->verdict == VERDICT_FAIL || result->verdict == VERDICT_HANG || result->verdict == VERDICT_CRASH) &&
           strncmp(coarse, "limit", strlen("limit")) != 0 && strncmp(coarse, "crash:SIGKILL", 13) != 0;
}

static bool read_failure(const struct buckets *buckets, struct query *row, struct failure *failure, struct error *err) {
    struct result result;
    const int64_t number = query_number(row, "number");
    const char *json = query_text(row, "result");
    if (number < 0 || (size_t)number >= buckets->job->tests->count || !json || !result_parse(json, &result))
        return error_set(err, "night %" PRId64 ": the result of test %" PRId64 " cannot be read", buckets->job->night,
                         number);
    *failure = (struct failure){.number = (size_t)number,
                                .coarse = result_likeness(&result),
                                .reason = query_copy(row, "reason"),
                                .command = query_copy(row, "command"),
                                .known = query_copy(row, "known"),
                                .cycles = (uint64_t)query_number(row, "cycles"),
                                .macs = (uint64_t)query_number(row, "macs")};
    failure->debuggable = !failure->known && !query_is_null(row, "debug_command");
    failure->shrinkable = !failure->known && worth_shrinking(&result, failure->coarse);
    result_free(&result);
    return true;
}

static bool read_failures(struct buckets *buckets, struct error *err) {
    struct query query =
        query_begin(store_database(buckets->job->store), err,
                    "SELECT number, result, reason, command, known, cycles, macs, debug_command FROM result WHERE "
                    "night = ? AND verdict <> 'PASS' ORDER BY number",
                    "i", buckets->job->night);
    bool well = true;
    while (well && query_next(&query)) {
        struct failure failure;
        well = read_failure(buckets, &query, &failure, err);
        if (!well)
            break;
        buckets->failures = xgrow(buckets->failures, buckets->failure_count, sizeof *buckets->failures);
        buckets->failures[buckets->failure_count++] = failure;
    }
    return query_end(&query) && well;
}

/* ---- orders ---- */

static int compare_numbers(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

/* The smallest first: by clocks, by work, by the order of the plan. */
static int compare_sizes(const struct failure *a, const struct failure *b) {
    const int cycles = compare_numbers(a->cycles, b->cycles), macs = compare_numbers(a->macs, b->macs);
    return cycles ? cycles : macs ? macs : compare_numbers(a->number, b->number);
}

/* Known failures apart, after the others, by their reason. */
static int compare_known(const struct failure *a, const struct failure *b) {
    return a->known && b->known ? strcmp(a->known, b->known) : (a->known != NULL) - (b->known != NULL);
}

static int by_coarse(const void *left, const void *right) {
    const struct failure *a = left, *b = right;
    const int known = compare_known(a, b), coarse = strcmp(a->coarse, b->coarse);
    return known ? known : coarse ? coarse : compare_sizes(a, b);
}

static int by_bucket(const void *left, const void *right) {
    const struct failure *a = left, *b = right;
    const int known = compare_known(a, b), signature = strcmp(a->signature, b->signature);
    return known ? known : signature ? signature : compare_sizes(a, b);
}

/* The order of debugging: one of each coarse signature, then a second of each, ...; small ones first. */
static int by_turn(const void *left, const void *right) {
    const struct failure *a = *(struct failure *const *)left, *b = *(struct failure *const *)right;
    const int rank = compare_numbers(a->rank, b->rank);
    return rank ? rank : compare_sizes(a, b);
}

/* The end of the failures that stand together with the first, by known and a signature. */
static size_t end_of(const struct buckets *buckets, size_t first,
                     int (*differ)(const struct failure *, const struct failure *)) {
    size_t end = first + 1;
    while (end < buckets->failure_count && differ(&buckets->failures[first], &buckets->failures[end]) == 0)
        end++;
    return end;
}

static int differ_coarsely(const struct failure *a, const struct failure *b) {
    const int known = compare_known(a, b);
    return known ? known : strcmp(a->coarse, b->coarse);
}

static int differ(const struct failure *a, const struct failure *b) {
    const int known = compare_known(a, b);
    return known ? known : strcmp(a->signature, b->signature);
}

/* ---- debug ---- */

/* The failures that nvcosim debug is to look at, in order; *count: how many. free() them. */
static struct failure **choose(struct buckets *buckets, size_t *count) {
    struct failure **chosen = xcalloc(buckets->failure_count + 1, sizeof(struct failure *));
    *count = 0;
    for (size_t first = 0, end; first < buckets->failure_count; first = end) {
        size_t rank = 0;
        end = end_of(buckets, first, differ_coarsely);
        for (size_t i = first; i < end; i++)
            if (buckets->failures[i].debuggable) {
                buckets->failures[i].rank = rank++;
                chosen[(*count)++] = &buckets->failures[i];
            }
    }
    if (*count > 0)
        qsort(chosen, *count, sizeof(struct failure *), by_turn);
    const size_t most = buckets->job->settings.debug_seconds > 0 ? (size_t)buckets->job->settings.debug_reports : 0;
    *count = *count < most ? *count : most;
    return chosen;
}

static bool debug(struct buckets *buckets, int *signal, struct error *err) {
    const struct triage_job *job = buckets->job;
    size_t count, wanted = 0, before;
    struct failure **chosen = choose(buckets, &count);
    struct triage_target *targets = xcalloc(count + 1, sizeof *targets);
    const bool time_left =
        discoveries_spent(&buckets->discoveries, DISCOVERY_DEBUG, &before) < job->settings.debug_seconds;
    for (size_t i = 0; time_left && i < count; i++) {
        if (discoveries_find(&buckets->discoveries, DISCOVERY_DEBUG, chosen[i]->number, NULL))
            continue;
        chosen[i]->note = builds_debug(job->builds, &job->tests->tests[chosen[i]->number]);
        if (!chosen[i]->note)
            targets[wanted++] = (struct triage_target){.number = chosen[i]->number, .signature = chosen[i]->coarse};
    }
    if (wanted > 0) {
        char *line = xprintf("nvcosim debug looks at %zu of %zu failures", wanted, buckets->failure_count);
        job->report(line);
        free(line);
    }
    const bool well = triage_debug(job, targets, wanted, &buckets->discoveries, signal, err);
    free(targets);
    free(chosen);
    return well;
}

/* ---- which belong together ---- */

/* Gives the failures of a coarse signature the signatures of their buckets. */
static void refine(struct failure *failures, size_t count) {
    const char *one = NULL;
    size_t causes = 0;
    for (size_t i = 0; i < count; i++) {
        const char *signature = failures[i].found ? failures[i].found->signature : NULL;
        bool new = signature != NULL;
        for (size_t k = 0; new && k < i; k++)
            new = !failures[k].found || !failures[k].found->signature ||
                  strcmp(failures[k].found->signature, signature) != 0;
        causes += new;
        one = new ? signature : one;
    }
    for (size_t i = 0; i < count; i++) {
        failures[i].causes = causes;
        failures[i].signature = failures[i].coarse;
        if (failures[i].found && failures[i].found->signature)
            failures[i].signature = failures[i].found->signature;
        else if (causes == 1 && failures[i].debuggable && !failures[i].found)
            failures[i].signature = one;
    }
}

static int by_order(const void *left, const void *right, void *context) {
    const struct buckets *buckets = context;
    const struct bucket *a = left, *b = right;
    const struct failure *first = &buckets->failures[a->first], *second = &buckets->failures[b->first];
    const int known = (first->known != NULL) - (second->known != NULL), count = compare_numbers(b->count, a->count),
              signature = strcmp(first->signature, second->signature);
    return known ? known : count ? count : signature ? signature : compare_known(first, second);
}

static void group(struct buckets *buckets) {
    for (size_t i = 0; i < buckets->failure_count; i++) {
        struct failure *failure = &buckets->failures[i];
        failure->found = failure->debuggable
                             ? discoveries_find(&buckets->discoveries, DISCOVERY_DEBUG, failure->number, NULL)
                             : NULL;
    }
    for (size_t first = 0, end; first < buckets->failure_count; first = end) {
        end = end_of(buckets, first, differ_coarsely);
        refine(&buckets->failures[first], end - first);
    }
    if (buckets->failure_count > 0)
        qsort(buckets->failures, buckets->failure_count, sizeof *buckets->failures, by_bucket);
    for (size_t first = 0, end; first < buckets->failure_count; first = end) {
        end = end_of(buckets, first, differ);
        struct bucket bucket = {.first = first, .count = end - first};
        for (size_t i = first; !bucket.found && i < end; i++)
            if (buckets->failures[i].found && buckets->failures[i].found->signature)
                bucket.found = buckets->failures[i].found;
        buckets->buckets = xgrow(buckets->buckets, buckets->bucket_count, sizeof *buckets->buckets);
        buckets->buckets[buckets->bucket_count++] = bucket;
    }
    if (buckets->bucket_count > 0)
        qsort_r(buckets->buckets, buckets->bucket_count, sizeof *buckets->buckets, by_order, buckets);
}

/* ---- shrink ---- */

/* The smallest cases of the first buckets, which are those that a person looks at. */
static bool shrink(struct buckets *buckets, int *signal, struct error *err) {
    const struct triage_job *job = buckets->job;
    size_t most = job->settings.debug_reports > 0 ? (size_t)job->settings.debug_reports : PLAN_DEBUG, count = 0;
    most = job->settings.shrink_seconds <= 0 ? 0 : most < buckets->bucket_count ? most : buckets->bucket_count;
    struct triage_target *targets = xcalloc(most + 1, sizeof *targets);
    for (size_t i = 0; i < most; i++) {
        const struct failure *smallest = &buckets->failures[buckets->buckets[i].first];
        if (smallest->shrinkable &&
            !discoveries_find(&buckets->discoveries, DISCOVERY_SHRINK, smallest->number, smallest->signature))
            targets[count++] = (struct triage_target){.number = smallest->number,
                                                      .signature = smallest->signature,
                                                      .cycles = smallest->cycles,
                                                      .debugged = buckets->buckets[i].found != NULL};
    }
    if (count > 0) {
        char *line = xprintf("nvcosim shrink tries the smallest of %zu bucket%s, up to %.6g seconds each", count,
                             count == 1 ? "" : "s", job->settings.shrink_seconds);
        job->report(line);
        free(line);
    }
    const bool well = triage_shrink(job, targets, count, &buckets->discoveries, signal, err);
    free(targets);
    return well;
}

static void find_shrunk(struct buckets *buckets) {
    for (size_t i = 0; i < buckets->bucket_count; i++) {
        const struct failure *smallest = &buckets->failures[buckets->buckets[i].first];
        buckets->buckets[i].shrunk =
            discoveries_find(&buckets->discoveries, DISCOVERY_SHRINK, smallest->number, smallest->signature);
    }
}

/* ---- what is written ---- */

static void add_note(struct text *notes, const char *note) {
    if (note)
        text_printf(notes, "%s%s", notes->n ? "; " : "", note);
}

/* What a person should know of a bucket beside its title; NULL: nothing. free() it. */
static char *note_of(const struct buckets *buckets, const struct bucket *bucket) {
    const struct failure *failures = &buckets->failures[bucket->first];
    struct text notes = {0};
    size_t looked = 0;
    for (size_t i = 0; i < bucket->count; i++)
        looked += failures[i].found != NULL;
    if (failures->causes > 1 && !bucket->found && looked == 0)
        text_printf(&notes,
                    "nvcosim debug has not looked at any of them; others that look the same have %zu different causes",
                    failures->causes);
    else if (bucket->found && looked < bucket->count)
        text_printf(&notes, "nvcosim debug has looked at %zu of them, the others look the same", looked);
    add_note(&notes, failures->note);
    if (failures->found)
        add_note(&notes, failures->found->note);
    if (bucket->shrunk)
        add_note(&notes, bucket->shrunk->note);
    return notes.text;
}

/* The beginning of a coarse signature: "hang" of "hang:cdma". free() it. */
static char *kind_of(const char *coarse) {
    return xstrndup(coarse, strcspn(coarse, ": "));
}

/* The engine of "hang:cdma"; NULL: the signature names none. free() it. */
static char *engine_of(const char *coarse) {
    return strncmp(coarse, "hang:", 5) == 0 ? xstrdup(coarse + 5) : NULL;
}

/* The command that plays what was shrunk; NULL: there is nothing. free() it. */
static char *shrunk_command(const struct buckets *buckets, const struct bucket *bucket) {
    if (!bucket->shrunk || !bucket->shrunk->trace)
        return NULL;
    char *path = xprintf("%s/%s", buckets->job->folder, bucket->shrunk->trace);
    struct test test = buckets->job->tests->tests[bucket->shrunk->test];
    test.trace = path;
    test.generator = NULL;
    char *command = test_command(&test);
    free(path);
    return command;
}

static bool write_bucket(const struct buckets *buckets, size_t index, sqlite3_stmt *statement, const char *doing,
                         struct error *err) {
    const struct bucket *bucket = &buckets->buckets[index];
    const struct failure *smallest = &buckets->failures[bucket->first];
    const struct discovery *found = bucket->found, *shrunk = bucket->shrunk;
    const char *sentence = found                                     ? found->sentence
                           : smallest->reason && smallest->reason[0] ? smallest->reason
                                                                     : smallest->coarse;
    char *title = smallest->known ? xprintf("known, %s: %s", smallest->known, sentence) : xstrdup(sentence),
         *engine = found ? NULL : engine_of(smallest->coarse), *kind = found ? NULL : kind_of(smallest->coarse),
         *note = note_of(buckets, bucket), *play = shrunk_command(buckets, bucket);
    set_number(statement, ":night", buckets->job->night);
    set_number(statement, ":number", (int64_t)index + 1);
    set_text(statement, ":signature", smallest->signature);
    set_text(statement, ":title", title);
    set_number(statement, ":count", (int64_t)bucket->count);
    set_text(statement, ":engine", found ? found->engine : engine);
    set_text(statement, ":tap", found ? found->tap : NULL);
    set_text(statement, ":kind", found ? found->what : kind);
    set_number(statement, ":smallest", (int64_t)smallest->number);
    set_text(statement, ":shrunk", shrunk ? shrunk->trace : NULL);
    if (shrunk && shrunk->cycles)
        set_number(statement, ":shrunk_cycles", (int64_t)shrunk->cycles);
    else
        set_text(statement, ":shrunk_cycles", NULL);
    set_text(statement, ":command", smallest->command ? smallest->command : "");
    set_text(statement, ":page", found ? found->page : smallest->found ? smallest->found->page : NULL);
    set_text(statement, ":shrunk_command", play);
    set_text(statement, ":note", note);
    const bool well = store_step(buckets->job->store, statement, doing, err);
    free(title);
    free(engine);
    free(kind);
    free(note);
    free(play);
    return well;
}

static bool write_member(const struct buckets *buckets, size_t index, const struct failure *failure,
                         sqlite3_stmt *statement, const char *doing, struct error *err) {
    set_number(statement, ":night", buckets->job->night);
    set_number(statement, ":number", (int64_t)failure->number);
    set_number(statement, ":bucket", (int64_t)index + 1);
    set_text(statement, ":signature", failure->signature);
    return store_step(buckets->job->store, statement, doing, err);
}

static bool forget(const struct buckets *buckets, const char *doing, struct error *err) {
    sqlite3_stmt *statement = store_prepare(buckets->job->store, "DELETE FROM bucket WHERE night = :night", doing, err);
    if (!statement)
        return false;
    set_number(statement, ":night", buckets->job->night);
    const bool well = store_step(buckets->job->store, statement, doing, err);
    sqlite3_finalize(statement);
    return well;
}

static bool write_rows(const struct buckets *buckets, const char *doing, struct error *err) {
    struct store *store = buckets->job->store;
    sqlite3_stmt *row = store_prepare(
                     store,
                     "INSERT INTO bucket (night, number, signature, title, count, engine, tap, kind, smallest, shrunk, "
                     "shrunk_cycles, command, page, shrunk_command, note) VALUES (:night, :number, :signature, :title, "
                     ":count, :engine, :tap, :kind, :smallest, :shrunk, :shrunk_cycles, :command, :page, "
                     ":shrunk_command, :note)",
                     doing, err),
                 *member = row ? store_prepare(store,
                                               "UPDATE result SET signature = :signature, bucket = :bucket WHERE night "
                                               "= :night AND number = :number",
                                               doing, err)
                               : NULL;
    bool well = member && forget(buckets, doing, err);
    for (size_t i = 0; well && i < buckets->bucket_count; i++) {
        const struct bucket *bucket = &buckets->buckets[i];
        well = write_bucket(buckets, i, row, doing, err);
        for (size_t k = 0; well && k < bucket->count; k++)
            well = write_member(buckets, i, &buckets->failures[bucket->first + k], member, doing, err);
    }
    sqlite3_finalize(row);
    sqlite3_finalize(member);
    return well;
}

static bool write_buckets(const struct buckets *buckets, struct error *err) {
    static const char doing[] = "the buckets cannot be kept";
    return store_transaction(buckets->job->store, doing, err) &&
           store_end(buckets->job->store, write_rows(buckets, doing, err), doing, err);
}

/* ---- all of it ---- */

static void buckets_free(struct buckets *buckets) {
    for (size_t i = 0; i < buckets->failure_count; i++) {
        free(buckets->failures[i].coarse);
        free(buckets->failures[i].reason);
        free(buckets->failures[i].command);
        free(buckets->failures[i].known);
    }
    free(buckets->failures);
    free(buckets->buckets);
    discoveries_free(&buckets->discoveries);
}

bool buckets_make(const struct triage_job *job, bool look, int *signal, struct error *err) {
    struct buckets buckets = {.job = job};
    *signal = 0;
    bool well = read_failures(&buckets, err);
    if (well && buckets.failure_count > 0)
        well = discoveries_open(job->folder, &buckets.discoveries, err);
    if (well && buckets.failure_count > 0)
        qsort(buckets.failures, buckets.failure_count, sizeof *buckets.failures, by_coarse);
    if (well && look)
        well = debug(&buckets, signal, err);
    if (well) {
        group(&buckets);
        if (look && !*signal)
            well = shrink(&buckets, signal, err);
        find_shrunk(&buckets);
    }
    well = well && write_buckets(&buckets, err);
    buckets_free(&buckets);
    return well;
}
