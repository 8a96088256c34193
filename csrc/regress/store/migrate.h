/* Versions of the schema of a SQLite database: what a file is, and how an older one is brought up to date. */
#ifndef REGRESS_STORE_MIGRATE_H
#define REGRESS_STORE_MIGRATE_H

#include <sqlite3.h>

struct schema {
    int application;  /* PRAGMA application_id: which program a database belongs to */
    int version;      /* PRAGMA user_version, from 1 */
    const char *text; /* SQL that makes an empty database one of this version */
    /* SQL that makes version 2 of version 1, version 3 of 2, ...: version - 1 of them. */
    const char *const *steps;
};

enum schema_state {
    SCHEMA_PRESENT,
    SCHEMA_EMPTY, /* no database yet, or one without tables */
    SCHEMA_OLDER,
    SCHEMA_NEWER,
    SCHEMA_FOREIGN, /* of another program */
};

/* What a database is, and its version, at one moment. Returns SQLITE_OK, or what SQLite says of a file that cannot be
 * read; close it then. */
int schema_look(sqlite3 *database, const struct schema *schema, enum schema_state *state, int *version);

/* Brings an empty or older database up to date, in one transaction. Another process may do the same at the same time;
 * one of them does it. Databases of other states stay as they are. Call it before
 * foreign keys are enforced: a step may replace a table that others refer to. Returns SQLITE_OK, or an error as of
 * sqlite3_errmsg(); the transaction is then still open, ROLLBACK or closing the database takes it back. */
int schema_bring(sqlite3 *database, const struct schema *schema);

#endif
