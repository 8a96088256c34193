/* Asks the simulators for their build settings. See build_info.h. */
#include "run/simulators/build_info.h"

#include <dirent.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/process/process.h"
#include "run/simulators/install_paths.h"

static int is_simulator(const struct dirent *entry) {
    return strncmp(entry->d_name, "nvcosim-", 8) == 0 && !strchr(entry->d_name, '.');
}

/* Output of a program for --version; NULL if it fails. free() it. */
static char *version_of(char *path) {
    char *const words[] = {path, (char[]){"--version"}, NULL};
    struct error err;
    size_t n;
    int status;
    char *text = process_output(words, &n, &status, &err);
    if (text && status == 0)
        return text;
    free(text);
    return NULL;
}

/* The lines "KEY: VALUE" after the first one, as an object; empty if there are none. */
static json_t *facts(char *text) {
    json_t *object = json_object();
    char *rest = text;
    strsep(&rest, "\n");
    for (char *line; rest && (line = strsep(&rest, "\n"));) {
        char *value = strstr(line, ": ");
        if (!value)
            continue;
        *value = '\0';
        json_object_set_new(object, line, json_string(value + 2));
    }
    return object;
}

static void print_one(FILE *out, json_t *list, const char *folder, const char *name) {
    char *path = xprintf("%s/%s", folder, name), *text = NULL;
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0) {
        text = version_of(path);
        json_t *object = text ? facts(text) : json_object();
        if (list) {
            json_object_set_new(object, "simulator", json_string(name));
            json_object_set_new(object, "path", json_string(path));
            json_array_append(list, object);
        } else {
            fprintf(out, "%s%s\n", path,
                    !text                           ? ": it cannot be started"
                    : json_object_size(object) == 0 ? ": it does not report its build settings"
                                                    : "");
            for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at))
                fprintf(out, "    %-10s %s\n", json_object_iter_key(at), json_string_value(json_object_iter_value(at)));
        }
        json_decref(object);
    }
    free(text);
    free(path);
}

static void print_folder(FILE *out, json_t *list, const char *folder) {
    struct dirent **entries;
    const int count = scandir(folder, &entries, is_simulator, alphasort);
    for (int i = 0; i < count; i++) {
        print_one(out, list, folder, entries[i]->d_name);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

bool build_info_print(FILE *out, bool json, struct error *err) {
    struct install_paths paths;
    if (!install_paths_find(&paths, err))
        return false;
    json_t *list = json ? json_array() : NULL;
    print_folder(out, list, paths.ready);
    if (paths.build && strcmp(paths.build, paths.ready) != 0)
        print_folder(out, list, paths.build);
    if (list) {
        json_dumpf(list, out, JSON_INDENT(2));
        fputc('\n', out);
    }
    json_decref(list);
    install_paths_free(&paths);
    return true;
}
