/* Reading the database of regressions: the rows of a SELECT one after the other, their columns by name. */
#ifndef REGRESS_STORE_QUERY_H
#define REGRESS_STORE_QUERY_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

struct query {
    sqlite3 *db;
    sqlite3_stmt *statement;
    struct error *err;
    bool failed;
    int next; /* column after the one that was read last */
};

/* Begins a query. types: of the parameters that follow, one letter each: i (int64_t), s (const char *, NULL: NULL). A
 * query that could not begin has no rows, and query_end() returns false. */
struct query query_begin(sqlite3 *db, struct error *err, const char *sql, const char *types, ...);
/* Steps to the next row; false after the last one, or after an error. */
bool query_next(struct query *query);

/* Columns of the row by their names; a name that the query does not have aborts. Texts and blobs live until
 * query_next() and are NULL where the column is NULL; numbers are 0 then. */
const char *query_text(struct query *query, const char *column);
char *query_copy(struct query *query, const char *column); /* free() it */
int64_t query_number(struct query *query, const char *column);
double query_real(struct query *query, const char *column);
const void *query_blob(struct query *query, const char *column, size_t *n);
bool query_is_null(struct query *query, const char *column);

/* Ends it. False with a message, with the name of the database, if it or its beginning failed. */
bool query_end(struct query *query);

#endif
