/* The parts of store.h: the open database, and statements whose parameters have names. */
#ifndef REGRESS_STORE_STORE_SQL_H
#define REGRESS_STORE_STORE_SQL_H

#include "regress/store/store.h"

struct store {
    sqlite3 *database;
    char *path;
    sqlite3_stmt *keep; /* of store_result(), and the night that it keeps results of, with its folder */
    int64_t night;
    char *folder;
};

/* Prepares a statement; NULL with a message. `doing` as of store_error(). */
sqlite3_stmt *store_prepare(const struct store *store, const char *sql, const char *doing, struct error *err);

/* Whether what is written is CHECKed. For each row SQLite makes a table of the words that are allowed: where many are
 * written whose words are those of enumerations it costs more than all the rest. Statements are made anew after it. */
void store_check(const struct store *store, bool check);

/* Runs statements without parameters. */
bool store_run(const struct store *store, const char *sql, const char *doing, struct error *err);

/* A transaction that writes. The end commits it if all is well, else takes everything back; it returns whether it is on
 * the disk. */
bool store_transaction(const struct store *store, const char *doing, struct error *err);
bool store_end(const struct store *store, bool well, const char *doing, struct error *err);

/* Bind parameters by name; names that the statement does not have are a mistake of the program. NULL is NULL. The text
 * must live until the statement has run. */
void set_text(sqlite3_stmt *statement, const char *name, const char *text);
void set_number(sqlite3_stmt *statement, const char *name, int64_t number);
void set_real(sqlite3_stmt *statement, const char *name, double number);
void set_blob(sqlite3_stmt *statement, const char *name, const void *bytes, size_t n);

/* Runs a prepared statement to its end and makes it ready for the next time. */
bool store_step(const struct store *store, sqlite3_stmt *statement, const char *doing, struct error *err);

#endif
