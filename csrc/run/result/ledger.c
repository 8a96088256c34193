/* The file of results. See ledger.h. */
#include "run/result/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "run/process/process.h"

enum { LOWEST = 16 /* lower descriptors are for child processes */ };

static char *path_of(const char *folder) {
    return xprintf("%s/ledger", folder);
}

int ledger_open(const char *folder, bool create, struct error *err) {
    char *path = path_of(folder);
    const int low = open(path, O_RDWR | O_APPEND | O_CLOEXEC | (create ? O_CREAT : 0), 0666);
    const int file = low < 0 ? -1 : fcntl(low, F_DUPFD_CLOEXEC, LOWEST);
    const int error = errno;
    if (low >= 0)
        close(low);
    if (file < 0)
        error_set(err, "%s: %s", path, strerror(error));
    else
        process_lock(file);
    free(path);
    errno = error;
    return file;
}

void ledger_close(int file, const char *folder, bool remove) {
    char *path = path_of(folder);
    if (remove)
        unlink(path);
    close(file);
    free(path);
}

bool ledger_note(int file, size_t test, const char *host, const char *result) {
    char *head = xprintf("\n{\"test\":%zu,\"at\":%" PRId64 "%s%s%s,\"result\":", test, (int64_t)time(NULL),
                         host ? ",\"host\":\"" : "", host ? host : "", host ? "\"" : "");
    const struct iovec parts[] = {{.iov_base = head, .iov_len = strlen(head)},
                                  {.iov_base = (char *)result, .iov_len = strlen(result)},
                                  {.iov_base = "}\n", .iov_len = 2}};
    const size_t n = parts[0].iov_len + parts[1].iov_len + parts[2].iov_len;
    errno = ENOSPC; /* after a short write */
    const ssize_t written = writev(file, parts, sizeof parts / sizeof *parts);
    free(head);
    return written == (ssize_t)n;
}

/* The whole file, followed by a 0. NULL with errno. */
static char *read_all(int file) {
    struct stat found;
    if (fstat(file, &found) != 0)
        return NULL;
    char *text = xmalloc((size_t)found.st_size + 1);
    size_t n = 0;
    for (ssize_t got; n < (size_t)found.st_size; n += (size_t)got)
        if ((got = pread(file, text + n, (size_t)found.st_size - n, (off_t)n)) <= 0)
            break;
    text[n] = '\0';
    for (char *c = text; (c = memchr(c, '\0', n - (size_t)(c - text))) != NULL;)
        *c = '\n'; /* what a power cut leaves of a line */
    return text;
}

static void take_line(const char *line, struct ledger *ledger) {
    json_t *json = line[0] == '{' ? json_loads(line, 0, NULL) : NULL;
    const json_t *test = json_object_get(json, "test"), *result = json_object_get(json, "result");
    const char *host = json_string_value(json_object_get(json, "host"));
    if (json_is_integer(test) && json_integer_value(test) >= 0 && json_is_object(result)) {
        ledger->entries = xgrow(ledger->entries, ledger->count, sizeof *ledger->entries);
        ledger->entries[ledger->count++] =
            (struct ledger_entry){.test = (size_t)json_integer_value(test),
                                  .at = json_integer_value(json_object_get(json, "at")),
                                  .host = host ? xstrdup(host) : NULL,
                                  .result = json_dumps(result, JSON_COMPACT | JSON_REAL_PRECISION(9))};
    }
    json_decref(json);
}

bool ledger_read(int file, struct ledger *ledger, struct error *err) {
    char *text = read_all(file), *rest = text;
    *ledger = (struct ledger){0};
    if (!text)
        return error_set(err, "the ledger of the night cannot be read: %s", strerror(errno));
    for (char *end; (end = strchr(rest, '\n')) != NULL; rest = end + 1) {
        *end = '\0';
        take_line(rest, ledger);
    }
    free(text);
    return true;
}

void ledger_free(struct ledger *ledger) {
    for (size_t i = 0; i < ledger->count; i++) {
        free(ledger->entries[i].host);
        free(ledger->entries[i].result);
    }
    free(ledger->entries);
    *ledger = (struct ledger){0};
}
