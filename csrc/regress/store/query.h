/* SELECTs over the database of regressions: rows one after the other, errors with the name of the database. */
#ifndef REGRESS_STORE_QUERY_H
#define REGRESS_STORE_QUERY_H

#include <sqlite3.h>
#include <stdbool.h>

#include "nvdla/error.h"

struct query {
    sqlite3 *db;
    sqlite3_stmt *statement; /* its columns are read with sqlite3_column_... */
    struct error *err;
    bool failed;
};

/* Begins a query. types: of the parameters that follow, one letter each: i (int64_t), s (const char *, NULL: NULL). A
 * query that could not begin has no rows, and query_end tells. */
struct query query_begin(sqlite3 *db, struct error *err, const char *sql, const char *types, ...);
/* Goes on to the next row; false behind the last one, or after an error. */
bool query_next(struct query *query);
/* The column as text, NULL where it is NULL; until query_next. */
const char *query_text(const struct query *query, int column);
/* Ends it. False with a message if it or its beginning failed. */
bool query_end(struct query *query);

#endif
