/* Writing to the database of regressions: transactions, and statements whose parameters have names. For store.c and for
 * those that write tables of their own (buckets, faults); reading is query.h. */
#ifndef REGRESS_STORE_STORE_SQL_H
#define REGRESS_STORE_STORE_SQL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

/* An open database (store.h). */
struct store {
    sqlite3 *database;
    char *path;
    sqlite3_stmt *keep; /* of store_results(), and the night whose results it keeps, with its folder */
    int64_t night;
    char *folder;
};

enum { STORE_PATIENCE_MS = 60000 /* to wait for others that write */ };

/* Sets err to what SQLite reports about its last call on a database, and what to do about it. doing: what failed, "the
 * result of x cannot be kept". Returns false. */
bool sql_error(sqlite3 *database, const char *path, const char *doing, struct error *err);
bool store_error(const struct store *store, const char *doing, struct error *err);

/* Prepares a statement; NULL with a message. `doing` as of sql_error(). */
sqlite3_stmt *store_prepare(const struct store *store, const char *sql, const char *doing, struct error *err);

/* Whether CHECK constraints apply. For each row SQLite builds a table of the allowed words: for many rows whose words
 * come from enumerations that costs more than all the rest. Prepare statements after the call. */
void store_check(const struct store *store, bool check);

/* Runs statements without parameters. */
bool store_run(const struct store *store, const char *sql, const char *doing, struct error *err);

/* A transaction that writes. The end commits it if all is well, else rolls it back; returns whether it is on the disk.
 */
bool store_transaction(const struct store *store, const char *doing, struct error *err);
bool store_end(const struct store *store, bool well, const char *doing, struct error *err);

/* Bind a parameter by its name; a name that the statement does not have aborts. NULL is NULL. The text must live until
 * the statement has run. */
void set_text(sqlite3_stmt *statement, const char *name, const char *text);
void set_number(sqlite3_stmt *statement, const char *name, int64_t number);
void set_real(sqlite3_stmt *statement, const char *name, double number);
void set_blob(sqlite3_stmt *statement, const char *name, const void *bytes, size_t n);

/* Runs a prepared statement and resets it for the next time. */
bool store_step(const struct store *store, sqlite3_stmt *statement, const char *doing, struct error *err);

#endif
