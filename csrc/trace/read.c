/* Choice of the reader by name. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "memory/file.h"
#include "trace/alloc.h"
#include "trace/formats.h"
#include "trace/side_files.h"

typedef struct program *(*parse_function)(const char *path, const char *text, size_t n,
                                          const struct trace_options *options, struct error *err);

static bool ends_in(const char *name, size_t n, const char *ending) {
    size_t e = strlen(ending);
    return n > e && !memcmp(name + n - e, ending, e);
}

/* The reader for a file name, with or without .gz behind it; NULL if it is none of a trace. */
static parse_function choose(const char *path) {
    size_t n = strlen(path);
    if (ends_in(path, n, ".gz"))
        n -= 3;
    if (ends_in(path, n, ".cfg"))
        return trace_parse_cfg;
    if (ends_in(path, n, ".txn"))
        return trace_parse_txn;
    return ends_in(path, n, ".nvt") ? trace_parse_nvt : NULL;
}

/* The one trace in a directory: a NAME.cfg or input.txn. malloc'd path, NULL with a message. */
static char *find_in_directory(const char *path, struct error *err) {
    DIR *dir = opendir(path);
    if (!dir) {
        error_set(err, "%s: cannot list the directory", path);
        return NULL;
    }
    char *found = NULL, *second = NULL;
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *name = entry->d_name;
        size_t n = strlen(name);
        if (!ends_in(name, n, ".cfg") && strcmp(name, "input.txn") != 0)
            continue;
        char **slot = found ? &second : &found;
        if (!*slot)
            *slot = trace_strndup(name, n);
    }
    closedir(dir);
    char *joined = NULL;
    if (!found) {
        error_set(err, "%s: found neither a .cfg file nor input.txn in this directory; expected exactly one", path);
    } else if (second) {
        bool swap = strcmp(found, second) > 0;
        error_set(err, "%s: found %s and %s in this directory; expected exactly one trace, name the file", path,
                  swap ? second : found, swap ? found : second);
    } else {
        struct buffer buf = {0};
        size_t n = strlen(path);
        buffer_printf(&buf, "%s%s%s", path, n && path[n - 1] == '/' ? "" : "/", found);
        joined = buf.text;
    }
    free(found);
    free(second);
    return joined;
}

struct program *trace_read(const char *path, const struct trace_options *options, struct error *err) {
    struct stat info;
    char *inside = NULL;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        inside = find_in_directory(path, err);
        if (!inside)
            return NULL;
        path = inside;
    }
    struct program *prog = NULL;
    parse_function parse = choose(path);
    char *bytes = NULL;
    size_t n;
    if (!parse)
        error_set(err, "%s: not the name of a trace; expected NAME.cfg, NAME.txn, NAME.nvt, NAME.nvt.gz or a directory",
                  path);
    else if (side_file_read(path, &bytes, &n, err))
        prog = parse(path, bytes, n, options, err);
    free(bytes);
    free(inside);
    return prog;
}
