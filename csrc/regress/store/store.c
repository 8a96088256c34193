/* Opens the database of regressions, makes it, brings it up to date. See store.h. */
#include "regress/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "regress/store/migrate.h"
#include "regress/store/schema.embed.h"
#include "regress/store/store_sql.h"

enum { RETRY_MS = 20 };

static const char *const steps[] = {
    "ALTER TABLE bucket ADD COLUMN shrunk_command TEXT; ALTER TABLE bucket ADD COLUMN note TEXT;"};
static const struct schema schema = {
    .application = 0x6e76636f /* "nvco" */, .version = STORE_VERSION, .text = schema_sql, .steps = steps};

/* ---- opening ---- */

sqlite3 *store_database(struct store *store) {
    return store->database;
}

void store_close(struct store *store) {
    if (!store)
        return;
    sqlite3_finalize(store->keep);
    sqlite3_close(store->database);
    free(store->folder);
    free(store->path);
    free(store);
}

static const char opening[] = "the database cannot be opened";

/* Looks at the file before SQLite does: a FIFO would make it wait, of a folder it says nothing useful, and of a folder
 * that cannot be written it reports the error of its last attempt, "No such file". */
static bool check_file(const char *path, bool create, struct error *err) {
    struct stat found;
    if (stat(path, &found) == 0)
        return S_ISREG(found.st_mode) || error_set(err, "%s: this is %s; expected the file of a database", path,
                                                   S_ISDIR(found.st_mode) ? "a folder" : "not a regular file");
    if (errno != ENOENT)
        return error_set(err, "%s: %s: %s", path, opening, strerror(errno));
    if (!create)
        return error_set(err, "%s: there is no such database; nvcosim regress makes it, --database names another",
                         path);
    const char *slash = strrchr(path, '/');
    char *folder = slash && slash > path ? xstrndup(path, (size_t)(slash - path)) : NULL;
    bool well = !folder || directory_make(folder, err);
    free(folder);
    if (!well)
        return false;
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    well = file >= 0 || error_set(err, "%s: %s: %s", path, opening, strerror(errno));
    if (file >= 0)
        close(file);
    return well;
}

/* SQLite takes some names for something else: ":memory:". */
static char *plain_name(const char *path) {
    return path[0] == ':' ? xprintf("./%s", path) : xstrdup(path);
}

static struct store *open_file(const char *path, int flags, struct error *err) {
    struct store *store = xcalloc(1, sizeof *store);
    char *name = flags & SQLITE_OPEN_URI ? xstrdup(path) : plain_name(path);
    store->path = xstrdup(path);
    const int code = sqlite3_open_v2(name, &store->database, flags, NULL);
    free(name);
    if (!store->database)
        xexhausted();
    sqlite3_extended_result_codes(store->database, 1);
    sqlite3_busy_timeout(store->database, STORE_PATIENCE_MS);
    if (code == SQLITE_OK)
        return store;
    store_error(store, opening, err);
    store_close(store);
    return NULL;
}

/* Says why a database of this state is not taken. Returns false. */
static bool refuse(const struct store *store, enum schema_state state, int version, struct error *err) {
    if (state == SCHEMA_NEWER)
        return error_set(
            err,
            "%s: made by a newer nvcosim: found version %d of the schema, this one knows up to %d; use the "
            "newer one, or another --database",
            store->path, version, STORE_VERSION);
    if (state == SCHEMA_EMPTY)
        return error_set(err, "%s: the database is empty; nvcosim regress fills it, --database names another",
                         store->path);
    return error_set(err, "%s: a SQLite database, but none of nvcosim regress; --database names another", store->path);
}

static bool look(const struct store *store, enum schema_state *state, int *version, struct error *err) {
    return schema_look(store->database, &schema, state, version) == SQLITE_OK || store_error(store, opening, err);
}

/* The journal that lets others read meanwhile. Changing to it needs exclusive access and does not wait for it. */
static bool use_wal(const struct store *store, struct error *err) {
    for (int waited = 0;; waited += RETRY_MS) {
        const int code = sqlite3_exec(store->database, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            return true;
        if ((code & 0xff) != SQLITE_BUSY || waited > STORE_PATIENCE_MS)
            return store_error(store, opening, err);
        usleep(RETRY_MS * 1000);
    }
}

static bool settle(const struct store *store, bool create, struct error *err) {
    enum schema_state state;
    int version;
    if (sqlite3_db_readonly(store->database, "main"))
        return error_set(err, "%s: the file can only be read; writing needs the rights to it and to its folder",
                         store->path);
    if (!look(store, &state, &version, err))
        return false;
    if (state == SCHEMA_NEWER || state == SCHEMA_FOREIGN || (state == SCHEMA_EMPTY && !create))
        return refuse(store, state, version, err);
    if ((state == SCHEMA_EMPTY && !store_run(store, "PRAGMA page_size = 16384", opening, err)) ||
        !use_wal(store, err) || !store_run(store, "PRAGMA synchronous = FULL", opening, err))
        return false;
    if (state != SCHEMA_PRESENT && schema_bring(store->database, &schema) != SQLITE_OK)
        return store_error(
            store, state == SCHEMA_EMPTY ? "its tables cannot be made" : "it cannot be brought up to date", err);
    if (!look(store, &state, &version, err))
        return false;
    if (state != SCHEMA_PRESENT) /* another program has made its own meanwhile */
        return refuse(store, state, version, err);
    return store_run(store, "PRAGMA foreign_keys = 1; PRAGMA cache_size = -16384; PRAGMA wal_autocheckpoint = 1000",
                     opening, err);
}

struct store *store_open(const char *path, bool create, struct error *err) {
    if (!check_file(path, create, err))
        return NULL;
    struct store *store = open_file(path, SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0), err);
    if (store && !settle(store, create, err)) {
        store_close(store);
        return NULL;
    }
    return store;
}

/* The name of a file for SQLite that says that it does not change: for a disk that can only be read, where SQLite
 * cannot make the files that it needs beside it. */
static char *unchanging(const char *path) {
    struct text text = {0};
    text_printf(&text, "file:%s", path[0] == '/' ? "" : "./");
    for (const char *c = path; *c; c++)
        if (*c == '?' || *c == '#' || *c == '%')
            text_printf(&text, "%%%02x", (unsigned)*c);
        else
            text_add(&text, c, 1);
    text_printf(&text, "?immutable=1");
    return text.text;
}

struct store *store_open_read_only(const char *path, struct error *err) {
    enum schema_state state;
    int version;
    if (!check_file(path, false, err))
        return NULL;
    struct store *store = open_file(path, SQLITE_OPEN_READONLY, err);
    if (!store)
        return NULL;
    int code = schema_look(store->database, &schema, &state, &version);
    char *log = xprintf("%s-wal", path);
    if (((code & 0xff) == SQLITE_CANTOPEN || (code & 0xff) == SQLITE_READONLY) && access(log, F_OK) != 0) {
        char *name = unchanging(path);
        store_close(store);
        store = open_file(name, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
        free(name);
    }
    free(log);
    bool well = store && look(store, &state, &version, err);
    if (well && state == SCHEMA_OLDER) {
        store_close(store);
        store_close(store_open(path, false, err));
        store = open_file(path, SQLITE_OPEN_READONLY, err);
        well = store && look(store, &state, &version, err);
    }
    if (well && state == SCHEMA_OLDER) /* err says why it could not be brought up to date */
        well = false;
    else if (well && state != SCHEMA_PRESENT)
        well = refuse(store, state, version, err);
    if (well)
        return store;
    store_close(store);
    return NULL;
}
