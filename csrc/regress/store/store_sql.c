/* Transactions, statements and messages for writing to the database. See store_sql.h. */
#include "regress/store/store_sql.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* ---- messages ---- */

bool sql_error(sqlite3 *database, const char *path, const char *doing, struct error *err) {
    const char *says = sqlite3_errmsg(database);
    const int system = sqlite3_system_errno(database);
    switch (sqlite3_errcode(database) & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return error_set(err,
                         "%s: %s: another process has kept the database locked for %d seconds; fuser %s shows which",
                         path, doing, STORE_PATIENCE_MS / 1000, path);
    case SQLITE_FULL:
        return error_set(err,
                         "%s: %s: no space is left on its disk; what was kept before is whole: make room, and "
                         "continue with --resume",
                         path, doing);
    case SQLITE_READONLY:
        return error_set(err, "%s: %s: it can only be read; writing needs the rights to the file and to its folder",
                         path, doing);
    case SQLITE_NOTADB:
        return error_set(
            err,
            "%s: %s: this is not a SQLite database; expected one of nvcosim regress, or a name that is not "
            "taken",
            path, doing);
    case SQLITE_CORRUPT:
        return error_set(err,
                         "%s: %s: it is damaged (%s); move it away: `sqlite3 DAMAGED .recover | sqlite3 NEW` saves "
                         "what can be read of it",
                         path, doing, says);
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR:
        return error_set(err, "%s: %s: %s%s%s", path, doing, says, system ? ": " : "", system ? strerror(system) : "");
    default:
        return error_set(err, "%s: %s: %s", path, doing, says);
    }
}

bool store_error(const struct store *store, const char *doing, struct error *err) {
    return sql_error(store->database, store->path, doing, err);
}

/* ---- statements ---- */

sqlite3_stmt *store_prepare(const struct store *store, const char *sql, const char *doing, struct error *err) {
    sqlite3_stmt *statement = NULL;
    if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) != SQLITE_OK)
        store_error(store, doing, err);
    return statement;
}

void store_check(const struct store *store, bool check) {
    sqlite3_exec(store->database, check ? "PRAGMA ignore_check_constraints = 0" : "PRAGMA ignore_check_constraints = 1",
                 NULL, NULL, NULL);
}

bool store_run(const struct store *store, const char *sql, const char *doing, struct error *err) {
    return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK || store_error(store, doing, err);
}

bool store_transaction(const struct store *store, const char *doing, struct error *err) {
    return store_run(store, "BEGIN IMMEDIATE", doing, err);
}

bool store_end(const struct store *store, bool well, const char *doing, struct error *err) {
    well = well && store_run(store, "COMMIT", doing, err);
    if (!well && !sqlite3_get_autocommit(store->database))
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    return well;
}

/* The number of a parameter. Callers mostly bind in the order of the statement, so the one after the last is tried
 * first. */
static int parameter(sqlite3_stmt *statement, const char *name) {
    static _Thread_local int last;
    const char *next = sqlite3_bind_parameter_name(statement, ++last);
    if (!next || strcmp(next, name) != 0)
        last = sqlite3_bind_parameter_index(statement, name);
    if (last == 0)
        abort(); /* the statement has no such parameter */
    return last;
}

/* Binding fails only where there is no memory, or beyond 1 GB. */
static void bound(int code) {
    if (code != SQLITE_OK)
        xexhausted();
}

void set_text(sqlite3_stmt *statement, const char *name, const char *text) {
    bound(sqlite3_bind_text(statement, parameter(statement, name), text, -1, SQLITE_STATIC));
}

void set_number(sqlite3_stmt *statement, const char *name, int64_t number) {
    bound(sqlite3_bind_int64(statement, parameter(statement, name), number));
}

void set_real(sqlite3_stmt *statement, const char *name, double number) {
    bound(sqlite3_bind_double(statement, parameter(statement, name), number));
}

void set_blob(sqlite3_stmt *statement, const char *name, const void *bytes, size_t n) {
    bound(sqlite3_bind_blob64(statement, parameter(statement, name), bytes, n, SQLITE_STATIC));
}

bool store_step(const struct store *store, sqlite3_stmt *statement, const char *doing, struct error *err) {
    int code;
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        continue;
    const bool well = code == SQLITE_DONE || store_error(store, doing, err);
    sqlite3_reset(statement);
    return well;
}
