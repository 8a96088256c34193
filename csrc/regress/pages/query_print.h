/* What a query finds, for a person or a program: aligned columns, values between tabs or commas, JSON. */
#ifndef REGRESS_PAGES_QUERY_PRINT_H
#define REGRESS_PAGES_QUERY_PRINT_H

#include <sqlite3.h>

#include "nvdla/error.h"
#include "regress/pages/table.h"

enum answer_form {
    ANSWER_TABLE, /* NULL as NULL, a BLOB as its size; for a terminal */
    ANSWER_TABS,  /* control characters as \t, \n, \xHH; NULL is nothing, a BLOB hex digits */
    ANSWER_CSV,   /* RFC 4180: NULL is nothing, an empty text "", a BLOB hex digits */
    ANSWER_JSON   /* a list of objects; a BLOB is a string of hex digits */
};

/* Steps through a prepared statement and prints all that it finds, names of the columns first; row by row, so that it
 * does not matter how many there are. Returns the code of SQLite, SQLITE_DONE if all went well. */
int answer_print(sqlite3_stmt *statement, enum answer_form form, const struct table_style *style);

/* From now on the database gives answers and nothing else: nothing is written, nothing attached, no extension loaded.
 */
void answer_only(sqlite3 *database);

/* Prepares one statement that answers a question, as a person gave it. NULL with a message. */
sqlite3_stmt *answer_prepare(sqlite3 *database, const char *sql, struct error *err);

#endif
