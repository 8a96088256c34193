/* The rows of a query for a person or a program: aligned columns, values between tabs or commas, JSON. */
#ifndef REGRESS_PAGES_QUERY_PRINT_H
#define REGRESS_PAGES_QUERY_PRINT_H

#include <sqlite3.h>

#include "nvdla/error.h"
#include "regress/pages/table.h"

enum query_form {
    QUERY_TABLE, /* for a terminal: NULL as NULL, a BLOB as its size */
    QUERY_TABS,  /* control characters as \t, \n, \xHH; NULL is empty, a BLOB hex digits */
    QUERY_CSV,   /* RFC 4180: NULL is empty, an empty text "", a BLOB hex digits */
    QUERY_JSON   /* a list of objects; a BLOB is a string of hex digits */
};

/* Steps through a prepared statement and prints the names of its columns and all its rows, one by one, so that their
 * number does not matter. Returns the code of SQLite, SQLITE_DONE if all went well. */
int query_print(sqlite3_stmt *statement, enum query_form form, const struct table_style *style);

/* Prints what a statement finds that a person gave (--sql). The database can only be read from then on: nothing is
 * written or attached, no extension loaded. False with a message. */
bool query_print_sql(sqlite3 *database, const char *sql, enum query_form form, const struct table_style *style,
                     struct error *err);

#endif
