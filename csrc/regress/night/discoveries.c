/* The file of discoveries. See discoveries.h. */
#include "regress/night/discoveries.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "report/json_text.h"

static const char *const kinds[] = {[DISCOVERY_DEBUG] = "debug", [DISCOVERY_SHRINK] = "shrink"};

/* The texts of a discovery. */
static const struct member {
    const char *name;
    size_t offset;
} members[] = {
    {"signature", offsetof(struct discovery, signature)}, {"note", offsetof(struct discovery, note)},
    {"engine", offsetof(struct discovery, engine)},       {"tap", offsetof(struct discovery, tap)},
    {"what", offsetof(struct discovery, what)},           {"sentence", offsetof(struct discovery, sentence)},
    {"page", offsetof(struct discovery, page)},           {"trace", offsetof(struct discovery, trace)},
};
enum { MEMBERS = sizeof members / sizeof members[0] };

static char **text_of(struct discovery *discovery, size_t member) {
    return (char **)((char *)discovery + members[member].offset);
}

static void discovery_free(struct discovery *discovery) {
    for (size_t i = 0; i < MEMBERS; i++)
        free(*text_of(discovery, i));
    free(discovery);
}

void discoveries_free(struct discoveries *discoveries) {
    for (size_t i = 0; i < discoveries->count; i++)
        discovery_free(discoveries->items[i]);
    free(discoveries->items);
    free(discoveries->path);
    *discoveries = (struct discoveries){0};
}

static void take(struct discoveries *discoveries, const struct discovery *discovery) {
    struct discovery *kept = xmalloc(sizeof *kept);
    *kept = *discovery;
    discoveries->items = xgrow(discoveries->items, discoveries->count, sizeof(struct discovery *));
    discoveries->items[discoveries->count++] = kept;
}

/* Reads a line. One that is not a discovery is skipped: it was cut when the disk was full or the power failed. */
static void read_line(struct discoveries *discoveries, const char *line) {
    struct discovery discovery = {0};
    json_t *json = json_loads(line, 0, NULL);
    const char *kind = json_string_value(json_object_get(json, "kind"));
    const json_t *test = json_object_get(json, "test");
    if (kind && json_is_integer(test)) {
        discovery.kind = strcmp(kind, kinds[DISCOVERY_SHRINK]) == 0 ? DISCOVERY_SHRINK : DISCOVERY_DEBUG;
        discovery.test = (size_t)json_integer_value(test);
        discovery.spent = json_number_value(json_object_get(json, "spent"));
        discovery.cycles = (uint64_t)json_integer_value(json_object_get(json, "cycles"));
        for (size_t i = 0; i < MEMBERS; i++) {
            const char *text = json_string_value(json_object_get(json, members[i].name));
            *text_of(&discovery, i) = text ? xstrdup(text) : NULL;
        }
        take(discoveries, &discovery);
    }
    json_decref(json);
}

bool discoveries_open(const char *folder, struct discoveries *discoveries, struct error *err) {
    char *buckets = xprintf("%s/buckets", folder), *text;
    size_t n;
    *discoveries = (struct discoveries){.path = xprintf("%s/found.jsonl", buckets)};
    bool well = directory_make(buckets, err);
    free(buckets);
    if (!well || access(discoveries->path, F_OK) != 0)
        return well;
    if (!file_read(discoveries->path, &text, &n, err))
        return false;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line; line = strsep(&rest, "\n"))
        read_line(discoveries, line);
    free(text);
    return true;
}

/* The discovery as a line, with a line end before it too: the file may end in a line that was cut. free() it. */
static char *line_of(struct discovery *discovery) {
    json_t *json = json_pack("{s:s, s:I, s:f}", "kind", kinds[discovery->kind], "test", (json_int_t)discovery->test,
                             "spent", discovery->spent);
    if (discovery->cycles)
        json_object_set_new(json, "cycles", json_integer((json_int_t)discovery->cycles));
    for (size_t i = 0; i < MEMBERS; i++)
        if (*text_of(discovery, i))
            json_object_set_new(json, members[i].name, json_text(*text_of(discovery, i)));
    char *text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    if (!text)
        xexhausted();
    char *line = xprintf("\n%s\n", text);
    free(text);
    return line;
}

bool discoveries_add(struct discoveries *discoveries, struct discovery *discovery, struct error *err) {
    const int file = open(discoveries->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    char *line = line_of(discovery);
    const size_t n = strlen(line);
    errno = 0;
    const bool well = file >= 0 && write(file, line, n) == (ssize_t)n && fdatasync(file) == 0;
    if (!well)
        error_set(err, "%s: %s; a night that is resumed will look at test %zu again", discoveries->path,
                  errno ? strerror(errno) : "no space for a whole line", discovery->test);
    if (file >= 0)
        close(file);
    free(line);
    take(discoveries, discovery);
    return well;
}

const struct discovery *discoveries_find(const struct discoveries *discoveries, enum discovery_kind kind, size_t test,
                                         const char *signature) {
    for (size_t i = 0; i < discoveries->count; i++) {
        const struct discovery *discovery = discoveries->items[i];
        if (discovery->kind == kind && discovery->test == test &&
            (!signature || (discovery->signature && strcmp(discovery->signature, signature) == 0)))
            return discovery;
    }
    return NULL;
}

double discoveries_spent(const struct discoveries *discoveries, enum discovery_kind kind, size_t *count) {
    double spent = 0;
    *count = 0;
    for (size_t i = 0; i < discoveries->count; i++)
        if (discoveries->items[i]->kind == kind) {
            (*count)++;
            if (discoveries->items[i]->spent > spent)
                spent = discoveries->items[i]->spent;
        }
    return spent;
}
