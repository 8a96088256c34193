/* SELECTs over the database of regressions. See query.h. */
#include "regress/store/query.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "regress/store/store_sql.h"

static void fail(struct query *query) {
    const char *name = sqlite3_db_filename(query->db, NULL), *path = name && name[0] ? name : "database";
    if ((sqlite3_errcode(query->db) & 0xff) != SQLITE_ERROR)
        sql_error(query->db, path, "it cannot be read", query->err);
    else
        error_set(query->err,
                  "%s: found '%s', expected a database of nvcosim regress; check it with: PRAGMA integrity_check", path,
                  sqlite3_errmsg(query->db));
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

/* The number of a column. Columns are mostly read in their order, so the one after the last is tried first. */
static int column_of(struct query *query, const char *name) {
    const int count = sqlite3_column_count(query->statement);
    for (int i = 0; i < count; i++) {
        const int column = (query->next + i) % count;
        if (strcmp(sqlite3_column_name(query->statement, column), name) == 0) {
            query->next = column + 1;
            return column;
        }
    }
    abort(); /* the query has no such column */
}

const char *query_text(struct query *query, const char *column) {
    return (const char *)sqlite3_column_text(query->statement, column_of(query, column));
}

char *query_copy(struct query *query, const char *column) {
    const char *text = query_text(query, column);
    return text ? xstrdup(text) : NULL;
}

int64_t query_number(struct query *query, const char *column) {
    return sqlite3_column_int64(query->statement, column_of(query, column));
}

double query_real(struct query *query, const char *column) {
    return sqlite3_column_double(query->statement, column_of(query, column));
}

const void *query_blob(struct query *query, const char *column, size_t *n) {
    const int index = column_of(query, column);
    const void *bytes = sqlite3_column_blob(query->statement, index);
    *n = (size_t)sqlite3_column_bytes(query->statement, index);
    return bytes;
}

bool query_is_null(struct query *query, const char *column) {
    return sqlite3_column_type(query->statement, column_of(query, column)) == SQLITE_NULL;
}

bool query_end(struct query *query) {
    sqlite3_finalize(query->statement);
    query->statement = NULL;
    return !query->failed;
}
