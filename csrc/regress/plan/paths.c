/* Variables, relative paths, patterns. See paths.h. */
#include "regress/plan/paths.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"

/* Length of a variable's name at text. */
static size_t name_length(const char *text) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return text[0] >= '0' && text[0] <= '9' ? 0 : strspn(text, letters);
}

/* Replaces the variable at *at, which points after "${"; moves it after the "}". */
static bool replace(const char **at, struct text *out, struct error *err) {
    const size_t n = name_length(*at);
    const char *behind = *at + n, *end = strchr(*at, '}');
    if (n == 0 || !end || (*behind != '}' && strncmp(behind, ":-", 2) != 0))
        return error_set(err,
                         "found '${%.40s', expected ${NAME} or ${NAME:-TEXT}, the name of a variable of the "
                         "environment of letters, digits and _",
                         *at);
    char *name = xstrndup(*at, n);
    const char *value = getenv(name);
    bool good = true;
    if (value && value[0])
        text_add(out, value, strlen(value));
    else if (*behind == ':')
        text_add(out, behind + 2, (size_t)(end - behind - 2));
    else
        good = error_set(err,
                         "the variable %s of the environment is %s; set it, or give a text for this case: ${%s:-TEXT}",
                         name, value ? "empty" : "not set", name);
    free(name);
    *at = end + 1;
    return good;
}

char *paths_variables(const char *text, struct error *err) {
    struct text out = {0};
    text_add(&out, "", 0);
    while (*text) {
        if (strncmp(text, "${", 2) != 0) {
            text_add(&out, text++, 1);
            continue;
        }
        text += 2;
        if (!replace(&text, &out, err)) {
            free(out.text);
            return NULL;
        }
    }
    return out.text;
}

/* The path as it is seen from a folder. *kept: how much of the folder it begins with. */
static char *join(const char *folder, const char *path, size_t *kept) {
    size_t n = path[0] == '/' ? 0 : strlen(folder);
    while (n > 0 && folder[n - 1] == '/')
        n--;
    *kept = n;
    if (path[0] == '/')
        return xstrdup(path);
    for (;;) {
        if (strncmp(path, "./", 2) == 0)
            path += 2;
        else if (strncmp(path, "../", 3) == 0) {
            path += 3;
            while (n > 0 && folder[n - 1] != '/')
                n--;
            n -= n > 0;
        } else if (path[0] == '/')
            path++;
        else
            break;
    }
    *kept = n;
    return xprintf("%.*s/%s", (int)n, folder, path);
}

char *paths_from(const char *folder, const char *path) {
    size_t kept;
    return join(folder, path, &kept);
}

char *paths_absolute(const char *path) {
    char *here = path[0] == '/' ? NULL : getcwd(NULL, 0), *whole = here ? xprintf("%s/%s", here, path) : xstrdup(path);
    free(here);
    return whole;
}

char *paths_folder(const char *file) {
    const char *slash = strrchr(file, '/');
    char *folder = slash ? xstrndup(file, (size_t)(slash - file) + (slash == file)) : xstrdup(".");
    char *real = realpath(folder, NULL);
    if (!real) { /* the file is a text that was kept, the folder is gone */
        char *here = getcwd(NULL, 0);
        real = paths_from(here ? here : "/", folder);
        free(here);
    }
    free(folder);
    return real;
}

/* The text with a backslash before every character that a pattern gives a meaning to. */
static char *escaped(const char *text, size_t n) {
    struct text out = {0};
    text_add(&out, "", 0);
    for (size_t i = 0; i < n; i++) {
        if (strchr("*?[]{},\\", text[i]))
            text_add(&out, "\\", 1);
        text_add(&out, text + i, 1);
    }
    return out.text;
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* A folder that does not exist has no matches; one that cannot be read may hide traces. */
static int unreadable(const char *path, int reason) {
    (void)path;
    return reason != ENOENT && reason != ENOTDIR;
}

bool paths_match(const char *folder, const char *pattern, struct words *paths, struct error *err) {
    size_t kept;
    char *whole = join(folder, pattern, &kept);
    char *name = escaped(whole, kept), *full = xprintf("%s%s", name, whole + kept);
    glob_t found = {0};
    const int status = glob(full, GLOB_NOSORT | GLOB_BRACE, unreadable, &found);
    bool good = status == 0 || status == GLOB_NOMATCH;
    if (status == GLOB_NOSPACE)
        xexhausted();
    if (!good)
        error_set(err, "%s: a folder on the way cannot be read", whole);
    else if (status == 0) {
        qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, by_bytes);
        for (size_t i = 0; i < found.gl_pathc; i++)
            if (i == 0 || strcmp(found.gl_pathv[i - 1], found.gl_pathv[i]) != 0) /* {a*,*b} */
                words_add(paths, "%s", found.gl_pathv[i]);
    }
    globfree(&found);
    free(full);
    free(name);
    free(whole);
    return good;
}
