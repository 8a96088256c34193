/* SELECTs over the database of regressions. See query.h. */
#include "regress/store/query.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

static void fail(struct query *query) {
    const char *name = sqlite3_db_filename(query->db, NULL);
    error_set(query->err,
              "%s: found '%s', expected a database of nvcosim regress; check it with: PRAGMA integrity_check",
              name && name[0] ? name : "database", sqlite3_errmsg(query->db));
    query->failed = true;
}

struct query query_begin(sqlite3 *db, struct error *err, const char *sql, const char *types, ...) {
    struct query query = {.db = db, .err = err};
    if (sqlite3_prepare_v2(db, sql, -1, &query.statement, NULL) != SQLITE_OK) {
        fail(&query);
        return query;
    }
    va_list arguments;
    va_start(arguments, types);
    for (int i = 0; types[i]; i++) {
        int status;
        if (types[i] == 'i')
            status = sqlite3_bind_int64(query.statement, i + 1, va_arg(arguments, int64_t));
        else
            status = sqlite3_bind_text(query.statement, i + 1, va_arg(arguments, const char *), -1, SQLITE_TRANSIENT);
        if (status != SQLITE_OK)
            fail(&query);
    }
    va_end(arguments);
    return query;
}

bool query_next(struct query *query) {
    if (query->failed)
        return false;
    const int status = sqlite3_step(query->statement);
    if (status == SQLITE_ROW)
        return true;
    if (status != SQLITE_DONE)
        fail(query);
    return false;
}

const char *query_text(const struct query *query, int column) {
    return (const char *)sqlite3_column_text(query->statement, column);
}

bool query_end(struct query *query) {
    sqlite3_finalize(query->statement);
    query->statement = NULL;
    return !query->failed;
}
