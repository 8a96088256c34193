/* The files between the runner and its jobs on a cluster. See slurm_files.h. */
#include "regress/engine/slurm_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory/file.h"
#include "nvdla/xalloc.h"
#include "report/json_text.h"

char *slurm_path(const char *folder, const char *what, size_t chunk) {
    return xprintf("%s/slurm/%s/%zu", folder, what, chunk);
}

bool slurm_folders(const char *folder, struct error *err) {
    static const char *const names[] = {"chunks", "results", "logs"};
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof names / sizeof *names; i++) {
        char *path = xprintf("%s/slurm/%s", folder, names[i]);
        ok = directory_make(path, err);
        free(path);
    }
    return ok;
}

size_t slurm_chunk_count(const char *folder) {
    char *path = xprintf("%s/slurm/results", folder);
    size_t count = 0;
    DIR *directory = opendir(path);
    for (const struct dirent *entry; directory && (entry = readdir(directory)) != NULL;) {
        uint64_t number;
        if (text_number(entry->d_name, SIZE_MAX - 1, &number) && number >= count)
            count = (size_t)number + 1;
    }
    if (directory)
        closedir(directory);
    free(path);
    return count;
}

/* ---- chunks ---- */

bool chunk_write(const char *folder, size_t chunk, const struct chunk *content, struct error *err) {
    struct text text = {0};
    text_printf(&text, "end %.0f\n", content->end);
    for (size_t i = 0; i < content->count; i++) {
        char *json = test_json(&content->tests[i]);
        text_printf(&text, "%zu %s\n", content->numbers[i], json);
        free(json);
    }
    char *path = slurm_path(folder, "chunks", chunk), *results = slurm_path(folder, "results", chunk);
    const bool ok = file_write(path, text.text, text.n, err) && file_write(results, "", 0, err);
    free(results);
    free(path);
    free(text.text);
    return ok;
}

static bool read_chunk_line(char *line, struct chunk *content, struct error *err) {
    char *json = strchr(line, ' ');
    uint64_t number;
    if (json)
        *json = '\0';
    if (!json || !text_number(line, SIZE_MAX - 1, &number))
        return error_set(err, "found '%s', expected the number of a test and the test", line);
    content->tests = xgrow(content->tests, content->count, sizeof *content->tests);
    content->numbers = xgrow(content->numbers, content->count, sizeof *content->numbers);
    content->numbers[content->count] = (size_t)number;
    if (!test_parse(json + 1, &content->tests[content->count], err))
        return false;
    content->count++;
    return true;
}

bool chunk_read(const char *folder, size_t chunk, struct chunk *content, struct error *err) {
    char *path = slurm_path(folder, "chunks", chunk), *text = NULL;
    size_t n, number = 1;
    *content = (struct chunk){0};
    bool ok = file_read(path, &text, &n, err);
    char *rest = text, *line = ok ? strsep(&rest, "\n") : NULL;
    if (ok && sscanf(line, "end %lf", &content->end) != 1)
        ok = error_set(err, "%s:1: found '%s', expected the end of the night: 'end SECONDS'", path, line);
    while (ok && (line = strsep(&rest, "\n")) != NULL && line[0]) {
        number++;
        ok = read_chunk_line(line, content, err) || error_prefix(err, "%s:%zu: ", path, number);
    }
    if (ok && (content->count == 0 || !line))
        ok = error_set(err, "%s:%zu: found the end of the file, expected %s", path, number,
                       content->count ? "the end of the line" : "a test");
    free(text);
    free(path);
    if (!ok)
        chunk_free(content);
    return ok;
}

void chunk_give_up(const char *folder, size_t chunk) {
    char *path = slurm_path(folder, "chunks", chunk);
    unlink(path);
    free(path);
}

void chunk_free(struct chunk *content) {
    for (size_t i = 0; i < content->count; i++)
        test_free(&content->tests[i]);
    free(content->tests);
    free(content->numbers);
    *content = (struct chunk){0};
}

struct share {
    double seconds;
    size_t index;
};

static int longest_first(const void *a, const void *b) {
    const struct share *x = a, *y = b;
    if (x->seconds != y->seconds)
        return x->seconds > y->seconds ? -1 : 1;
    return x->index < y->index ? -1 : 1;
}

size_t chunks_cut(const double *seconds, size_t count, double chunk_seconds, size_t processors, size_t *chunk_of) {
    struct share *shares = xcalloc(count, sizeof *shares);
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        shares[i] = (struct share){.seconds = seconds[i], .index = i};
        total += seconds[i];
    }
    qsort(shares, count, sizeof *shares, longest_first);
    const double by_length = ceil(total / chunk_seconds), most = total / CHUNK_SHORTEST;
    const double for_all = (double)processors < most ? (double)processors : most;
    const double wanted = by_length > for_all ? by_length : for_all;
    size_t chunks = wanted < (double)count ? (size_t)wanted : count;
    if (chunks == 0 && count > 0)
        chunks = 1;
    double *loads = xcalloc(chunks, sizeof *loads);
    for (size_t i = 0; i < count; i++) {
        size_t least = 0;
        for (size_t k = 1; k < chunks; k++)
            if (loads[k] < loads[least])
                least = k;
        loads[least] += shares[i].seconds;
        chunk_of[shares[i].index] = least;
    }
    free(loads);
    free(shares);
    return chunks;
}

/* ---- news ---- */

char *news_line(const struct news *news) {
    static const char *const keys[] = {"begun", "started", "progress", "done", "refused", "ended"};
    const char *key = keys[news->kind];
    switch (news->kind) {
    case NEWS_STARTED:
        return xprintf("{\"%s\":%zu}\n", key, news->test);
    case NEWS_PROGRESS:
        return xprintf("{\"%s\":%zu,\"part\":%.4f}\n", key, news->test, news->part);
    case NEWS_DONE: {
        char *result = result_json(&news->result),
             *line = xprintf("{\"%s\":%zu,\"result\":%s}\n", key, news->test, result);
        free(result);
        return line;
    }
    case NEWS_BEGUN:
    case NEWS_REFUSED:
    case NEWS_ENDED:
        break;
    }
    json_t *text = json_text(news->text ? news->text : "");
    char *shown = json_dumps(text, JSON_ENCODE_ANY), *line = xprintf("{\"%s\":%s}\n", key, shown);
    free(shown);
    json_decref(text);
    return line;
}

static bool take_news(const json_t *json, struct news *news) {
    static const struct {
        const char *key;
        enum news_kind kind;
    } texts[] = {{"begun", NEWS_BEGUN}, {"refused", NEWS_REFUSED}, {"ended", NEWS_ENDED}},
      tests[] = {{"started", NEWS_STARTED}, {"progress", NEWS_PROGRESS}, {"done", NEWS_DONE}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const json_t *text = json_object_get(json, texts[i].key);
        if (json_is_string(text)) {
            *news = (struct news){.kind = texts[i].kind, .text = xstrdup(json_string_value(text))};
            return true;
        }
    }
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
        const json_t *test = json_object_get(json, tests[i].key);
        if (!json_is_integer(test) || json_integer_value(test) < 0)
            continue;
        *news = (struct news){.kind = tests[i].kind, .test = (size_t)json_integer_value(test)};
        news->part = json_number_value(json_object_get(json, "part"));
        if (news->kind != NEWS_DONE)
            return true;
        char *result = json_dumps(json_object_get(json, "result"), JSON_COMPACT);
        const bool ok = result && result_parse(result, &news->result);
        free(result);
        return ok;
    }
    return false;
}

bool news_parse(const char *line, struct news *news) {
    json_t *json = json_loads(line, 0, NULL);
    const bool ok = json && take_news(json, news);
    json_decref(json);
    return ok;
}

void news_free(struct news *news) {
    free(news->text);
    if (news->kind == NEWS_DONE)
        result_free(&news->result);
}
