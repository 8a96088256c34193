/* The table of planted faults: from scripts/plant.py, into the database and back. See faults.h. */
#include "regress/faults/faults.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/store/query.h"
#include "regress/store/store_sql.h"
#include "run/result/result.h"

const char *const fault_state_names[FAULT_STATES] = {"open", "noticed", "survived", "unreached", "equivalent"};

/* ---- from plant.py ---- */

/* A text, never NULL. */
static char *member(const json_t *json, const char *key) {
    const char *text = json_string_value(json_object_get(json, key));
    return xstrdup(text ? text : "");
}

bool faults_read(const char *path, struct faults *faults, struct error *err) {
    json_error_t error;
    char *text;
    size_t n;
    *faults = (struct faults){0};
    if (!file_read(path, &text, &n, err))
        return false;
    json_t *json = json_loadb(text, n, 0, &error);
    free(text);
    const json_t *list = json_object_get(json, "faults"), *statements = json_object_get(json, "statements");
    if (!json_is_array(list) || !json_is_array(statements)) {
        json_decref(json);
        return error_set(err, "%s:%d: found no table of faults: %s", path, error.line, error.text);
    }
    faults->count = json_array_size(list);
    faults->items = xcalloc(faults->count ? faults->count : 1, sizeof *faults->items);
    for (size_t i = 0; i < faults->count; i++) {
        const json_t *from = json_array_get(list, i);
        faults->items[i] = (struct fault){.folder = member(from, "folder"),
                                          .file = member(from, "file"),
                                          .module = member(from, "module"),
                                          .line = (int)json_integer_value(json_object_get(from, "line")),
                                          .original = member(from, "original"),
                                          .changed = member(from, "changed"),
                                          .statement = member(from, "statement")};
    }
    for (size_t i = 0; i < json_array_size(statements); i++)
        words_add(&faults->statements, "%s", json_string_value(json_array_get(statements, i)));
    faults->broken = json_array_size(json_object_get(json, "broken"));
    faults->gone = (size_t)json_integer_value(json_object_get(json, "gone"));
    json_decref(json);
    return true;
}

void faults_free(struct faults *faults) {
    for (size_t i = 0; i < faults->count; i++) {
        struct fault *fault = &faults->items[i];
        free(fault->folder);
        free(fault->file);
        free(fault->module);
        free(fault->original);
        free(fault->changed);
        free(fault->statement);
        free(fault->reason);
        free(fault->noticed_by);
    }
    free(faults->items);
    words_free(&faults->statements);
    *faults = (struct faults){0};
}

static bool has_place(const struct faults *faults, const struct equivalent *entry) {
    const size_t n = strlen(entry->file);
    for (size_t i = 0; i < faults->statements.count; i++) {
        const char *place = faults->statements.items[i];
        if (strncmp(place, entry->file, n) == 0 && place[n] == '\t' && strcmp(place + n + 1, entry->statement) == 0)
            return true;
    }
    return false;
}

void faults_exempt(struct faults *faults, const struct equivalents *list,
                   void (*stale)(const struct equivalent *entry)) {
    for (size_t i = 0; i < faults->count; i++) {
        struct fault *fault = &faults->items[i];
        const char *reason = equivalents_reason(list, fault->file, fault->statement);
        if (reason) {
            fault->state = FAULT_EQUIVALENT;
            fault->reason = xstrdup(reason);
        }
    }
    for (size_t i = 0; i < list->count; i++)
        if (!has_place(faults, &list->items[i]))
            stale(&list->items[i]);
}

/* ---- the database ---- */

static const char *state_text(const struct fault *fault) {
    return fault->state == FAULT_OPEN ? NULL : fault_state_names[fault->state];
}

bool faults_begin(struct store *store, int64_t night, const struct faults *faults, struct error *err) {
    static const char doing[] = "the faults cannot be kept";
    sqlite3_stmt *statement =
        store_prepare(store,
                      "INSERT INTO fault (night, number, folder, file, line, module, original, changed, statement, "
                      "state, reason) VALUES (:night, :number, :folder, :file, :line, :module, :original, :changed, "
                      ":statement, :state, :reason)",
                      doing, err);
    if (!statement)
        return false;
    bool well = store_transaction(store, doing, err);
    for (size_t i = 0; well && i < faults->count; i++) {
        const struct fault *fault = &faults->items[i];
        set_number(statement, ":night", night);
        set_number(statement, ":number", (int64_t)i + 1);
        set_text(statement, ":folder", fault->folder);
        set_text(statement, ":file", fault->file);
        set_number(statement, ":line", fault->line);
        set_text(statement, ":module", fault->module);
        set_text(statement, ":original", fault->original);
        set_text(statement, ":changed", fault->changed);
        set_text(statement, ":statement", fault->statement);
        set_text(statement, ":state", state_text(fault));
        set_text(statement, ":reason", fault->reason);
        well = store_step(store, statement, doing, err);
    }
    sqlite3_finalize(statement);
    return store_end(store, well, doing, err);
}

bool faults_keep(struct store *store, int64_t night, size_t number, const struct fault *fault, struct error *err) {
    static const char doing[] = "the state of a fault cannot be kept";
    sqlite3_stmt *statement =
        store_prepare(store,
                      "UPDATE fault SET state = :state, noticed_by = :noticed_by, verdict = :verdict, runs = :runs, "
                      "seconds = :seconds WHERE night = :night AND number = :number",
                      doing, err);
    if (!statement)
        return false;
    set_number(statement, ":night", night);
    set_number(statement, ":number", (int64_t)number);
    set_text(statement, ":state", state_text(fault));
    set_text(statement, ":noticed_by", fault->noticed_by);
    set_text(statement, ":verdict", fault->verdict);
    set_number(statement, ":runs", (int64_t)fault->runs);
    set_real(statement, ":seconds", fault->seconds);
    const bool well =
        store_transaction(store, doing, err) && store_end(store, store_step(store, statement, doing, err), doing, err);
    sqlite3_finalize(statement);
    return well;
}

static bool same(struct query *row, const char *column, const char *text) {
    const char *there = query_text(row, column);
    return there && strcmp(there, text) == 0;
}

static void take_state(struct fault *fault, struct query *row) {
    for (int s = FAULT_NOTICED; s < FAULT_STATES; s++)
        if (same(row, "state", fault_state_names[s]))
            fault->state = (enum fault_state)s;
    fault->noticed_by = query_copy(row, "noticed_by");
    const int verdict = verdict_find(query_text(row, "verdict"));
    fault->verdict = verdict < 0 ? NULL : verdict_names[verdict];
    fault->runs = (size_t)query_number(row, "runs");
}

bool faults_resume(struct store *store, int64_t night, struct faults *faults, struct error *err) {
    struct query row = query_begin(store_database(store), err,
                                   "SELECT file, statement, state, noticed_by, verdict, runs FROM fault WHERE night = "
                                   "? ORDER BY number",
                                   "i", night);
    size_t count = 0;
    bool well = true;
    while (query_next(&row)) {
        struct fault *fault = count < faults->count ? &faults->items[count] : NULL;
        well = well && fault && same(&row, "file", fault->file) && same(&row, "statement", fault->statement);
        if (well && fault->state == FAULT_OPEN)
            take_state(fault, &row);
        count++;
    }
    if (!query_end(&row))
        return false;
    if (!well || count != faults->count)
        return error_set(err, "the RTL has other faults now than when the night began: begin a new one");
    return true;
}

/* ---- for a person ---- */

double faults_share(const struct faults *faults) {
    size_t noticed = 0, equivalent = 0;
    for (size_t i = 0; i < faults->count; i++) {
        noticed += faults->items[i].state == FAULT_NOTICED;
        equivalent += faults->items[i].state == FAULT_EQUIVALENT;
    }
    return faults->count > equivalent ? 100.0 * (double)noticed / (double)(faults->count - equivalent) : 100;
}

/* Order of the table: folder, module, file, line. */
static int compare(const void *a, const void *b) {
    const struct fault *left = *(const struct fault *const *)a, *right = *(const struct fault *const *)b;
    const int by[] = {strcmp(left->folder, right->folder), strcmp(left->module, right->module),
                      strcmp(left->file, right->file)};
    for (size_t i = 0; i < sizeof by / sizeof by[0]; i++)
        if (by[i] != 0)
            return by[i];
    return (left->line > right->line) - (left->line < right->line);
}

static void print_row(FILE *out, const char *indent, const char *name, const struct fault *const *faults, size_t n) {
    enum { NAME_WIDTH = 34 };
    size_t counts[FAULT_STATES] = {0};
    char share[16] = "-";
    for (size_t i = 0; i < n; i++)
        counts[faults[i]->state]++;
    const size_t real = n - counts[FAULT_EQUIVALENT];
    if (real > 0)
        snprintf(share, sizeof share, "%.1f %%", 100.0 * (double)counts[FAULT_NOTICED] / (double)real);
    fprintf(out, "%s%-*s %8zu %8zu %9zu %10zu %11zu %8s", indent, NAME_WIDTH - (int)strlen(indent), name, n,
            counts[FAULT_NOTICED], counts[FAULT_SURVIVED], counts[FAULT_UNREACHED], counts[FAULT_EQUIVALENT], share);
    if (counts[FAULT_OPEN])
        fprintf(out, "   %zu not known yet", counts[FAULT_OPEN]);
    fputc('\n', out);
}

/* How many from the first on are of its folder, and of its module if asked. */
static size_t alike(const struct fault *const *faults, size_t n, bool module) {
    size_t same_ones = 1;
    while (same_ones < n && strcmp(faults[same_ones]->folder, faults[0]->folder) == 0 &&
           (!module || strcmp(faults[same_ones]->module, faults[0]->module) == 0))
        same_ones++;
    return same_ones;
}

static void print_some(FILE *out, const struct faults *all, const struct fault *const *faults, enum fault_state state,
                       const char *title) {
    bool any = false;
    for (size_t i = 0; i < all->count; i++) {
        const struct fault *fault = faults[i];
        if (fault->state != state)
            continue;
        if (!any)
            fprintf(out, "\n%s\n", title);
        any = true;
        fprintf(out, "  %s:%d: fault %zu in %s", fault->file, fault->line, (size_t)(fault - all->items) + 1,
                fault->module);
        if (state == FAULT_SURVIVED)
            fprintf(out, ", %zu test%s played", fault->runs, fault->runs == 1 ? "" : "s");
        fprintf(out, "\n    %s\n", fault->statement);
    }
}

void faults_print(FILE *out, const struct faults *faults) {
    const struct fault **order = xcalloc(faults->count ? faults->count : 1, sizeof *order);
    for (size_t i = 0; i < faults->count; i++)
        order[i] = &faults->items[i];
    qsort(order, faults->count, sizeof *order, compare);
    fprintf(out, "%-34s %8s %8s %9s %10s %11s %8s\n", "", "planted", "noticed", "survived", "unreached", "equivalent",
            "share");
    for (size_t i = 0, n; i < faults->count; i += n) {
        n = alike(order + i, faults->count - i, false);
        print_row(out, "", order[i]->folder, order + i, n);
        for (size_t k = i, m; k < i + n; k += m) {
            m = alike(order + k, i + n - k, true);
            print_row(out, "  ", order[k]->module, order + k, m);
        }
    }
    print_row(out, "", "all", order, faults->count);
    print_some(out, faults, order, FAULT_SURVIVED,
               "Survived: the change had an effect on its expression in these tests, and none failed");
    print_some(out, faults, order, FAULT_UNREACHED,
               "Unreached: in no test has the changed expression ever another value than the original");
    free(order);
}
