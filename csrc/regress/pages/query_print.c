/* Prints the rows of a query, and lets a person's query read and nothing else. See query_print.h. */
#include "regress/pages/query_print.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "regress/store/store_sql.h"
#include "report/json_text.h"

enum { MEASURED_ROWS = 500 /* they say how wide the columns of a table are */, LONGEST = 100000000 /* value, bytes */ };

/* ---- a person's query ---- */

/* PRAGMAs that only read: those without an argument, and those whose argument is a name. */
static bool pragma_reads(const char *name, const char *argument) {
    static const char *const plain[] = {"application_id", "user_version",    "database_list", "table_list",
                                        "journal_mode",   "page_count",      "page_size",     "freelist_count",
                                        "encoding",       "compile_options", "function_list"};
    static const char *const named[] = {"table_info",       "table_xinfo",      "table_list",  "index_list",
                                        "index_info",       "index_xinfo",      "quick_check", "integrity_check",
                                        "foreign_key_list", "foreign_key_check"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (!argument && sqlite3_stricmp(name, plain[i]) == 0)
            return true;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (sqlite3_stricmp(name, named[i]) == 0)
            return true;
    return false;
}

static int authorise(void *context, int action, const char *first, const char *second, const char *database,
                     const char *trigger) {
    (void)context;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
        return SQLITE_OK;
    case SQLITE_UPDATE: /* functions that are tables (json_each, pragma_table_info) declare themselves in that way */
        return strcmp(first, "sqlite_master") == 0 ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_FUNCTION: /* first is NULL, second the name */
        return second && sqlite3_stricmp(second, "load_extension") == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_PRAGMA:
        return pragma_reads(first, second) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* From now on the database can only be read. */
static void only_read(sqlite3 *database) {
    sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
    sqlite3_limit(database, SQLITE_LIMIT_ATTACHED, 0); /* VACUUM INTO is not authorised, but attaches */
    sqlite3_limit(database, SQLITE_LIMIT_LENGTH, LONGEST);
    sqlite3_set_authorizer(database, authorise, NULL);
}

/* Prepares one statement that a person gave. NULL with a message. */
static sqlite3_stmt *prepare(sqlite3 *database, const char *sql, struct error *err) {
    sqlite3_stmt *statement = NULL, *more = NULL;
    const char *rest = sql;
    const int code = sqlite3_prepare_v2(database, sql, -1, &statement, &rest);
    if (code == SQLITE_AUTH)
        error_set(err, "--sql: %s; expected a SELECT: the database is only read here", sqlite3_errmsg(database));
    else if (code != SQLITE_OK) {
        const int at = sqlite3_error_offset(database);
        if (at >= 0)
            error_set(err, "--sql: %s, at '%.40s'; docs/database.md lists tables and columns", sqlite3_errmsg(database),
                      sql + at);
        else
            error_set(err, "--sql: %s; docs/database.md lists tables and columns", sqlite3_errmsg(database));
    } else if (!statement)
        error_set(err, "--sql: found '%s', expected a SELECT", sql);
    else if (sqlite3_column_count(statement) == 0 || !sqlite3_stmt_readonly(statement))
        error_set(err, "--sql: this statement returns nothing; expected a SELECT: the database is only read here");
    else if (sqlite3_prepare_v2(database, rest, -1, &more, NULL) != SQLITE_OK || more)
        error_set(err, "--sql: found more after the first statement: '%.40s'; expected one", rest);
    else
        return statement;
    sqlite3_finalize(statement);
    sqlite3_finalize(more);
    return NULL;
}

/* ---- values ---- */

/* The value of a column as text, hex digits of a BLOB; "" of NULL. free() it. */
static char *value_text(sqlite3_stmt *statement, int column) {
    struct text text = {0};
    const unsigned char *bytes = NULL;
    int n;
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_BLOB:
        bytes = sqlite3_column_blob(statement, column);
        n = sqlite3_column_bytes(statement, column);
        for (int i = 0; i < n; i++)
            text_printf(&text, "%02x", bytes[i]);
        break;
    case SQLITE_NULL:
        break;
    default:
        bytes = sqlite3_column_text(statement, column);
        n = sqlite3_column_bytes(statement, column);
        /* a zero inside is shown as any control character */
        for (int i = 0; i < n; i++)
            text_add(&text, bytes[i] ? (const char *)&bytes[i] : "\x01", 1);
        break;
    }
    text_add(&text, "", 0);
    return text.text;
}

static void put_tabs(FILE *out, const char *text) {
    char *shown = text_shown(text);
    fputs(shown, out);
    free(shown);
}

/* A value between commas. Where a person looks on, control characters do not reach the terminal. */
static void put_csv(FILE *out, const char *text, bool person) {
    char *shown = person ? text_shown(text) : xstrdup(text);
    const bool quoted = shown[0] == '\0' || strpbrk(shown, ",\"\r\n") || shown[0] == ' ';
    if (quoted)
        fputc('"', out);
    for (const char *c = shown; *c; c++)
        fprintf(out, *c == '"' ? "\"\"" : "%c", *c);
    if (quoted)
        fputc('"', out);
    free(shown);
}

static json_t *value_json(sqlite3_stmt *statement, int column) {
    const int type = sqlite3_column_type(statement, column);
    if (type == SQLITE_NULL)
        return json_null();
    if (type == SQLITE_INTEGER)
        return json_integer(sqlite3_column_int64(statement, column));
    if (type == SQLITE_FLOAT) {
        json_t *real = json_real(sqlite3_column_double(statement, column));
        return real ? real : json_string(sqlite3_column_double(statement, column) > 0 ? "Infinity" : "-Infinity");
    }
    char *text = value_text(statement, column);
    json_t *json = json_text(text);
    free(text);
    return json;
}

/* ---- rows ---- */

static void put_separated(sqlite3_stmt *statement, enum query_form form, const struct table_style *style, bool names) {
    for (int c = 0; c < sqlite3_column_count(statement); c++) {
        if (c > 0)
            fputc(form == QUERY_CSV ? ',' : '\t', style->out);
        if (!names && sqlite3_column_type(statement, c) == SQLITE_NULL)
            continue;
        char *text = names ? xstrdup(sqlite3_column_name(statement, c)) : value_text(statement, c);
        if (form == QUERY_CSV)
            put_csv(style->out, text, style->width > 0);
        else
            put_tabs(style->out, text);
        free(text);
    }
    fputs(form == QUERY_CSV ? "\r\n" : "\n", style->out);
}

static int print_separated(sqlite3_stmt *statement, enum query_form form, const struct table_style *style) {
    int code;
    put_separated(statement, form, style, true);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        put_separated(statement, form, style, false);
    return code;
}

/* Of two columns of the same name the second is NAME:2. */
static char *unique_name(sqlite3_stmt *statement, int column) {
    const char *name = sqlite3_column_name(statement, column);
    int same = 1;
    for (int c = 0; c < column; c++)
        same += strcmp(sqlite3_column_name(statement, c), name) == 0;
    return same > 1 ? xprintf("%s:%d", name, same) : xstrdup(name);
}

static int print_json(sqlite3_stmt *statement, const struct table_style *style) {
    int code;
    const char *before = "[\n";
    while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
        json_t *row = json_object();
        for (int c = 0; c < sqlite3_column_count(statement); c++) {
            char *name = unique_name(statement, c);
            json_object_set_new(row, name, value_json(statement, c));
            free(name);
        }
        char *line = json_dumps(row, JSON_COMPACT);
        fprintf(style->out, "%s%s", before, line ? line : "{}");
        before = ",\n";
        free(line);
        json_decref(row);
    }
    fputs(before[0] == '[' ? "[]\n" : "\n]\n", style->out);
    return code;
}

static void add_row(struct table *table, sqlite3_stmt *statement) {
    table_row(table);
    for (int c = 0; c < sqlite3_column_count(statement); c++) {
        const int type = sqlite3_column_type(statement, c);
        if (type == SQLITE_NULL)
            table_cell(table, COLOUR_DIM, "NULL");
        else if (type == SQLITE_BLOB)
            table_cell(table, COLOUR_DIM, "%d bytes", sqlite3_column_bytes(statement, c));
        else {
            char *text = value_text(statement, c);
            table_cell(table, COLOUR_NONE, "%s", text);
            free(text);
        }
    }
}

static bool is_number(sqlite3_stmt *statement, int column) {
    const int type = sqlite3_column_type(statement, column);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static int print_table(sqlite3_stmt *statement, const struct table_style *style) {
    enum { LEAST = 12 /* columns of text are not cut further */ };
    struct table *table = table_new(style);
    int code = sqlite3_step(statement);
    for (int c = 0; c < sqlite3_column_count(statement); c++) {
        const bool number = code == SQLITE_ROW && is_number(statement, c);
        table_column(table, sqlite3_column_name(statement, c), number, number ? 0 : LEAST, 0);
    }
    for (size_t rows = 0; code == SQLITE_ROW; code = sqlite3_step(statement)) {
        add_row(table, statement);
        if (++rows % MEASURED_ROWS == 0)
            table_print(table);
    }
    table_print(table);
    table_free(table);
    return code;
}

int query_print(sqlite3_stmt *statement, enum query_form form, const struct table_style *style) {
    switch (form) {
    case QUERY_TABLE:
        return print_table(statement, style);
    case QUERY_TABS:
    case QUERY_CSV:
        return print_separated(statement, form, style);
    case QUERY_JSON:
        break;
    }
    return print_json(statement, style);
}

bool query_print_sql(sqlite3 *database, const char *sql, enum query_form form, const struct table_style *style,
                     struct error *err) {
    only_read(database);
    sqlite3_stmt *statement = prepare(database, sql, err);
    if (!statement)
        return false;
    const bool well = query_print(statement, form, style) == SQLITE_DONE ||
                      sql_error(database, sqlite3_db_filename(database, NULL), "the query ended early", err);
    sqlite3_finalize(statement);
    return well;
}
