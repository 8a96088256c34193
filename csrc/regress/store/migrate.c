/* Versions of a schema. See migrate.h. */
#include "regress/store/migrate.h"

#include <stdio.h>

/* The first column of the first row as a number. */
static int query(sqlite3 *database, const char *sql, int *value) {
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(database, sql, -1, &statement, NULL);
    if (code != SQLITE_OK)
        return code;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *value = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return code == SQLITE_ROW ? SQLITE_OK : code;
}

int schema_look(sqlite3 *database, const struct schema *schema, enum schema_state *state, int *version) {
    int application = 0, tables = 0;
    int code = sqlite3_exec(database, "SAVEPOINT look", NULL, NULL, NULL); /* all of it at one moment */
    if (code == SQLITE_OK)
        code = query(database, "PRAGMA application_id", &application);
    if (code == SQLITE_OK)
        code = query(database, "PRAGMA user_version", version);
    if (code == SQLITE_OK)
        code = query(database, "SELECT count(*) FROM sqlite_schema", &tables);
    if (code == SQLITE_OK)
        code = sqlite3_exec(database, "RELEASE look", NULL, NULL, NULL);
    if (code != SQLITE_OK)
        return code;
    if (application == 0 && *version == 0 && tables == 0)
        *state = SCHEMA_EMPTY;
    else if (application != schema->application || *version < 1)
        *state = SCHEMA_FOREIGN;
    else
        *state = *version < schema->version ? SCHEMA_OLDER : *version > schema->version ? SCHEMA_NEWER : SCHEMA_PRESENT;
    return SQLITE_OK;
}

/* Runs the steps from a version on, or all of the text, and sets the version. */
static int change(sqlite3 *database, const struct schema *schema, enum schema_state state, int version) {
    char mark[80];
    int code = SQLITE_OK;
    if (state == SCHEMA_EMPTY)
        code = sqlite3_exec(database, schema->text, NULL, NULL, NULL);
    for (; state == SCHEMA_OLDER && code == SQLITE_OK && version < schema->version; version++)
        code = sqlite3_exec(database, schema->steps[version - 1], NULL, NULL, NULL);
    snprintf(mark, sizeof mark, "PRAGMA application_id = %d; PRAGMA user_version = %d", schema->application,
             schema->version);
    return code == SQLITE_OK ? sqlite3_exec(database, mark, NULL, NULL, NULL) : code;
}

int schema_bring(sqlite3 *database, const struct schema *schema) {
    enum schema_state state = SCHEMA_PRESENT;
    int version = 0, code = sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = schema_look(database, schema, &state, &version);
    if (code == SQLITE_OK && (state == SCHEMA_EMPTY || state == SCHEMA_OLDER))
        code = change(database, schema, state, version);
    return code == SQLITE_OK ? sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) : code;
}
