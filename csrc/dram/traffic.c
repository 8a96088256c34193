/* Streams of requests of other masters. See traffic.h. */
#include "dram/traffic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "nvdla/random.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

enum { FRACTION = 1 << 16, BYTES_MOST = 65536 };

struct traffic_source {
    struct traffic_stream stream;
    uint64_t random, due, interval; /* due and interval in 1/FRACTION of a core clock */
    uint64_t at;                    /* sequential: offset of the next request */
    uint32_t in_burst;
    struct traffic_request *list; /* NULL: none */
    size_t count, next;
    uint64_t shift; /* core clocks added to the list */
};

/* ---- options ---- */

/* A number with K, M or G for powers of 1024. */
static bool parse_size(const char *text, uint64_t *value) {
    autofree char *digits = xstrdup(text);
    const size_t n = strlen(digits);
    static const char letters[] = "KMG";
    int by = 0;
    for (int i = 0; n && i < 3; i++)
        if (digits[n - 1] == letters[i])
            by = 10 * (i + 1);
    if (by)
        digits[n - 1] = '\0';
    const bool good = text_number(digits, UINT64_MAX >> by, value);
    *value <<= by;
    return good;
}

static bool parse_text(const char *text, char *to, size_t size) {
    const size_t n = strlen(text);
    if (n == 0 || n >= size)
        return false;
    memcpy(to, text, n + 1);
    return true;
}

static bool parse_number(const char *text, uint64_t least, uint64_t most, uint32_t *to) {
    uint64_t value;
    if (!text_number(text, most, &value) || value < least)
        return false;
    *to = (uint32_t)value;
    return true;
}

/* Sets what a word says. NULL if it fits; otherwise what was expected. */
static const char *take(struct traffic_stream *stream, const char *key, const char *value) {
    char *end;
    if (strcmp(key, "name") == 0)
        return parse_text(value, stream->name, sizeof stream->name) ? NULL : "a name of less than 24 characters";
    if (strcmp(key, "list") == 0)
        return parse_text(value, stream->list, sizeof stream->list) ? NULL : "a file of less than 256 characters";
    if (strcmp(key, "loop") == 0) {
        stream->loop = strcmp(value, "yes") == 0;
        return stream->loop || strcmp(value, "no") == 0 ? NULL : "yes or no";
    }
    if (strcmp(key, "pattern") == 0) {
        stream->pattern = strcmp(value, "random") == 0 ? TRAFFIC_RANDOM : TRAFFIC_SEQUENTIAL;
        return stream->pattern == TRAFFIC_RANDOM || strcmp(value, "sequential") == 0 ? NULL : "sequential or random";
    }
    if (strcmp(key, "rate") == 0) {
        stream->rate = strtod(value, &end);
        return end != value && !*end && stream->rate >= 0.001 && stream->rate <= 1e6 ? NULL
                                                                                     : "MB/s, from 0.001 to 1000000";
    }
    if (strcmp(key, "base") == 0)
        return parse_size(value, &stream->base) ? NULL : "an address";
    if (strcmp(key, "size") == 0)
        return parse_size(value, &stream->size) && stream->size ? NULL : "bytes, as 65536, 64K, 16M or 1G";
    if (strcmp(key, "bytes") == 0)
        return parse_number(value, 1, BYTES_MOST, &stream->bytes) ? NULL : "1 to 65536 bytes";
    if (strcmp(key, "burst") == 0)
        return parse_number(value, 1, 1000000, &stream->burst) ? NULL : "1 to 1000000 requests";
    if (strcmp(key, "writes") == 0)
        return parse_number(value, 0, 1000, &stream->writes) ? NULL : "0 to 1000 per mille";
    if (strcmp(key, "outstanding") == 0)
        return parse_number(value, 1, TRAFFIC_OUTSTANDING, &stream->outstanding) ? NULL : "1 to 256 requests";
    if (strcmp(key, "weight") == 0)
        return parse_number(value, 1, 1000, &stream->weight) ? NULL : "1 to 1000";
    if (strcmp(key, "priority") == 0)
        return parse_number(value, 0, 1000, &stream->priority) ? NULL : "0 to 1000";
    return "";
}

bool traffic_read(const char *argument, struct traffic_options *options, struct error *err) {
    struct traffic_stream stream = {
        .size = 16 << 20, .bytes = 64, .rate = 100, .burst = 1, .outstanding = 16, .weight = 1};
    char *words = xstrdup(argument), *rest = words;
    bool good = true;
    if (options->count == TRAFFIC_MOST)
        good = error_set(err, "found more than %d streams", TRAFFIC_MOST);
    for (char *word; good && (word = strsep(&rest, ","));) {
        char *value = strchr(word, '=');
        if (value)
            *value++ = '\0';
        const char *wanted = value ? take(&stream, word, value) : "";
        if (wanted && !*wanted)
            good = error_set(err,
                             "found '%s', expected KEY=VALUE with name, pattern, rate, bytes, base, size, burst, "
                             "writes, outstanding, weight, priority, list or loop",
                             word);
        else if (wanted)
            good = error_set(err, "%s: found '%s', expected %s", word, value, wanted);
    }
    if (good && stream.size < stream.bytes)
        good = error_set(err, "size: found %" PRIu64 ", expected at least bytes, %u", stream.size, stream.bytes);
    struct traffic_source *list = good && stream.list[0] ? traffic_source_new(&stream, 1, 0, err) : NULL;
    good = good && (list || !stream.list[0]);
    traffic_source_free(list);
    if (good) {
        if (!stream.name[0])
            snprintf(stream.name, sizeof stream.name, "master%u", options->count + 1);
        options->streams[options->count++] = stream;
    }
    free(words);
    return good;
}

/* ---- requests ---- */

/* A line of a list. */
static bool parse_line(const char *line, struct traffic_request *request) {
    char kind, tail, address[32];
    uint64_t at;
    if (sscanf(line, "%" SCNu64 " %c %31s %" SCNu32 " %c", &request->cycle, &kind, address, &request->bytes, &tail) !=
            4 ||
        (kind != 'r' && kind != 'w') || !text_number(address, UINT64_MAX, &at) || request->bytes < 1 ||
        request->bytes > BYTES_MOST)
        return false;
    request->address = at;
    request->write = kind == 'w';
    return true;
}

static bool read_list(struct traffic_source *source, struct error *err) {
    const char *path = source->stream.list;
    char *text = NULL, *rest;
    size_t n;
    bool good = file_read(path, &text, &n, err);
    rest = text;
    unsigned number = 0;
    for (char *line; good && (line = strsep(&rest, "\n"));) {
        struct traffic_request request;
        number++;
        if (!*line || *line == '#')
            continue;
        if (!parse_line(line, &request))
            good = error_set(err, "%s:%u: found '%.60s', expected CLOCK r|w ADDRESS BYTES, with 1 to 65536 bytes", path,
                             number, line);
        else if (source->count && request.cycle < source->list[source->count - 1].cycle)
            good = error_set(err, "%s:%u: found clock %" PRIu64 ", expected at least that of the line before", path,
                             number, request.cycle);
        else
            *xadd(source->list, source->count) = request;
    }
    if (good && !source->count)
        good = error_set(err, "%s: found no access, expected lines CLOCK r|w ADDRESS BYTES", path);
    free(text);
    return good;
}

struct traffic_source *traffic_source_new(const struct traffic_stream *stream, uint32_t core_khz, uint64_t seed,
                                          struct error *err) {
    struct traffic_source *source = xcalloc(1, sizeof *source);
    source->stream = *stream;
    source->random = seed;
    source->interval = (uint64_t)(stream->bytes * (core_khz * 1e3) / (stream->rate * 1e6) * FRACTION);
    if (!source->interval)
        source->interval = 1;
    if (stream->list[0] && !read_list(source, err)) {
        traffic_source_free(source);
        return NULL;
    }
    return source;
}

void traffic_source_free(struct traffic_source *source) {
    if (source)
        free(source->list);
    free(source);
}

static bool next_of_list(struct traffic_source *source, struct traffic_request *request) {
    if (source->next == source->count) {
        if (!source->stream.loop)
            return false;
        source->shift += source->list[source->count - 1].cycle + 1;
        source->next = 0;
    }
    *request = source->list[source->next++];
    request->cycle += source->shift;
    return true;
}

bool traffic_source_next(struct traffic_source *source, struct traffic_request *request) {
    const struct traffic_stream *stream = &source->stream;
    if (source->list)
        return next_of_list(source, request);
    const uint64_t places = stream->size / stream->bytes;
    if (stream->pattern == TRAFFIC_RANDOM)
        source->at = random_next(&source->random) % places;
    *request =
        (struct traffic_request){.cycle = source->due / FRACTION,
                                 .address = stream->base + source->at * stream->bytes,
                                 .bytes = stream->bytes,
                                 .write = stream->writes && random_below(&source->random, 1000) < stream->writes};
    source->at = (source->at + 1) % places;
    if (++source->in_burst == stream->burst) {
        source->due += source->interval * stream->burst;
        source->in_burst = 0;
    }
    return true;
}
