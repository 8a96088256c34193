/* Chooses the reader of a trace by file name. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "trace/formats.h"
#include "trace/network.h"
#include "trace/nvt.h"

static bool is_called(const char *path, const char *ending, const char *packed) {
    return text_ends_with(path, ending) || text_ends_with(path, packed);
}

/* The reader for a file name, with or without .gz; NULL if it is not the name of a trace. */
static trace_reader *choose(const char *path) {
    if (is_called(path, ".cfg", ".cfg.gz"))
        return trace_read_cfg;
    if (is_called(path, ".txn", ".txn.gz"))
        return trace_read_txn;
    if (is_called(path, ".txn.raw", ".txn.raw.gz"))
        return trace_read_txn_raw;
    return is_called(path, ".nvt", ".nvt.gz") ? trace_read_nvt : NULL;
}

/* Names of traces in a directory. Those of the published releases come first; the others, such as the output of
 * convert, count only in a directory without the first. */
enum rank { RANK_PUBLISHED, RANK_OTHER, RANK_COUNT };

static enum rank rank_of(const char *name) {
    if (text_ends_with(name, ".cfg") || !strcmp(name, "input.txn"))
        return RANK_PUBLISHED;
    return choose(name) ? RANK_OTHER : RANK_COUNT;
}

/* Keeps the two names that sort first, so that messages do not depend on directory order. */
static void keep_name(char *names[2], const char *name) {
    char *copy = xstrndup(name, strlen(name));
    for (int i = 0; i < 2; i++) {
        if (names[i] && strcmp(names[i], copy) < 0)
            continue;
        char *other = names[i];
        names[i] = copy;
        copy = other;
    }
    free(copy);
}

/* The one trace in a directory. malloc'd path, NULL with a message. */
static char *find_in_directory(const char *path, struct error *err) {
    DIR *dir = opendir(path);
    if (!dir) {
        error_set(err, "%s: cannot list the directory", path);
        return NULL;
    }
    char *names[RANK_COUNT][2] = {{NULL}};
    for (struct dirent *entry; (entry = readdir(dir));) {
        enum rank rank = rank_of(entry->d_name);
        if (rank < RANK_COUNT)
            keep_name(names[rank], entry->d_name);
    }
    closedir(dir);
    char **found = names[names[RANK_PUBLISHED][0] ? RANK_PUBLISHED : RANK_OTHER];
    char *joined = NULL;
    if (!found[0]) {
        error_set(err, "%s: found no trace in this directory; expected exactly one .cfg, .txn or .nvt file", path);
    } else if (found[1]) {
        error_set(err, "%s: found %s and %s in this directory; expected exactly one trace, name the file", path,
                  found[0], found[1]);
    } else {
        struct text buf = {0};
        size_t n = strlen(path);
        text_printf(&buf, "%s%s%s", path, n && path[n - 1] == '/' ? "" : "/", found[0]);
        joined = buf.text;
    }
    for (int rank = 0; rank < RANK_COUNT; rank++) {
        free(names[rank][0]);
        free(names[rank][1]);
    }
    return joined;
}

/* True if there are only comments and reservations: playing it would check nothing. */
static bool is_empty(const struct program *prog) {
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind != OP_NOTE && prog->ops[i].kind != OP_MEM_RESERVE)
            return false;
    return true;
}

/* The reader of a trace and its file, opened; *inside: path of that file if `path` is a folder, else NULL. NULL with a
 * message; close lines and free *inside if it is not. */
static trace_reader *open_trace(const char *path, struct lines *lines, char **inside, struct error *err) {
    struct stat info;
    *inside = NULL;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        *inside = find_in_directory(path, err);
        if (!*inside)
            return NULL;
        path = *inside;
    }
    trace_reader *reader = choose(path);
    if (!reader && access(path, F_OK) == 0 && is_network(path))
        error_set(err, "%s: a compiled network; turn it into a trace with nvcosim compile", path);
    else if (!reader)
        error_set(
            err,
            "%s: %s; expected NAME.cfg, NAME.txn, NAME.txn.raw, NAME.nvt, one of them with .gz, a directory, or a "
            "network NAME.nvdla",
            path, path[0] != '\0' && access(path, F_OK) != 0 ? strerror(errno) : "not the name of a trace");
    else if (lines_open_file(lines, path, err))
        return reader;
    free(*inside);
    return NULL;
}

struct program *trace_read(const char *path, const struct trace_options *options, struct error *err) {
    autofree char *inside = NULL;
    struct lines lines;
    trace_reader *reader = open_trace(path, &lines, &inside, err);
    if (!reader)
        return NULL;
    struct program *prog = reader(&lines, options, err);
    lines_close(&lines);
    if (prog && is_empty(prog)) {
        error_set(err, "%s: holds no operations", inside ? inside : path);
        program_free(prog);
        prog = NULL;
    }
    return prog; // cppcheck-suppress returnDanglingLifetime ; a program keeps nothing of its lines
}

const struct nvdla_config *trace_config(const char *path, bool *named, struct error *err) {
    autofree char *inside = NULL;
    struct lines lines;
    trace_reader *reader = open_trace(path, &lines, &inside, err);
    if (!reader)
        return NULL;
    *named = reader == trace_read_nvt;
    const struct nvdla_config *config =
        *named ? nvt_config(&lines, err) : nvdla_config_find(reader == trace_read_cfg ? "small" : "full");
    lines_close(&lines);
    return config;
}

struct program *trace_parse(trace_reader *reader, const char *path, const char *text, size_t n,
                            const struct trace_options *options, struct error *err) {
    struct lines lines;
    lines_open_text(&lines, path, text, n, err);
    struct program *prog = reader(&lines, options, err);
    lines_close(&lines);
    return prog; // cppcheck-suppress returnDanglingLifetime ; a program keeps nothing of its lines
}

char *trace_name(const char *path, char *text, size_t size) {
    static const char *const suffixes[] = {".nvt.gz", ".nvt",     ".cfg.gz",   ".cfg",   ".txn.gz", ".txn.raw.gz",
                                           ".txn",    ".txn.raw", ".nvdla.gz", ".nvdla", ".tflite", ".onnx"};
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    if ((span_is((struct span){path + start, end - start}, "input.txn") ||
         span_is((struct span){path + start, end - start}, "input.txn.raw")) &&
        start > 1) {
        end = start - 1;
        start = end;
        while (start > 0 && path[start - 1] != '/')
            start--;
    }
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        const size_t n = strlen(suffixes[i]);
        if (end - start > n && memcmp(path + end - n, suffixes[i], n) == 0) {
            end -= n;
            break;
        }
    }
    bool dots = end - start <= 2 && strspn(path + start, ".") >= end - start;
    if (dots || end == start)
        snprintf(text, size, "trace");
    else
        snprintf(text, size, "%.*s", (int)(end - start), path + start);
    return text;
}
