/* Memory files: packets (chapter 80 section 3.4) and plain data lines (section 1.6). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "trace/formats.h"
#include "trace/lex.h"

/* A cursor over one line. */
struct packet_line {
    const char *at, *end;
};

static void skip_any(struct packet_line *p, const char *set) {
    while (p->at < p->end && strchr(set, *p->at))
        p->at++;
}

/* Takes `key` (in quotes or not) and the colon behind it. */
static bool take_key(struct packet_line *p, const char *key) {
    size_t n = strlen(key);
    const char *before = p->at;
    skip_any(p, " \t'\"");
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, key, n)) {
        p->at = before;
        return false;
    }
    p->at += n;
    skip_any(p, " \t'\"");
    if (p->at == p->end || *p->at != ':') {
        p->at = before;
        return false;
    }
    p->at++;
    return true;
}

static struct span take_word(struct packet_line *p) {
    skip_any(p, " \t");
    struct span word = {p->at, 0};
    while (p->at < p->end && !strchr(" \t,{}#", *p->at))
        p->at++, word.n++;
    return word;
}

static bool take_number(struct packet_line *p, const char *what, uint64_t limit, uint64_t *value, const char *path,
                        int line, struct error *err) {
    char shown[SPAN_SHOW];
    struct span word = take_word(p);
    if (!span_number(word, true, value))
        return fail_at(err, path, line, "found %s; expected the packet's %s, a number", span_show(word, shown), what);
    if (*value > limit)
        return fail_at(err, path, line, "packet %s %s is too large; at most 0x%" PRIx64 " is read", what,
                       span_show(word, shown), limit);
    return true;
}

/* One packet; *p stands behind its opening brace. */
static bool parse_packet(struct packet_line *p, struct blob *blob, const char *path, int line, struct error *err) {
    char shown[SPAN_SHOW];
    uint64_t offset, size;
    if (!take_key(p, "offset"))
        return fail_at(err, path, line, "found %s; expected \"offset:\"", span_show(take_word(p), shown));
    if (!take_number(p, "offset", UINT64_MAX - TRACE_PACKET_LIMIT, &offset, path, line, err))
        return false;
    skip_any(p, " \t,");
    if (!take_key(p, "size"))
        return fail_at(err, path, line, "found %s; expected \"size:\"", span_show(take_word(p), shown));
    if (!take_number(p, "size", TRACE_PACKET_LIMIT, &size, path, line, err))
        return false;
    skip_any(p, " \t,");
    if (!take_key(p, "payload") && !take_key(p, "value"))
        return fail_at(err, path, line, "found %s; expected \"payload:\"", span_show(take_word(p), shown));
    if (size > TRACE_BLOB_LIMIT - blob->size)
        return fail_at(err, path, line, "more than %zu bytes of content in one file", TRACE_BLOB_LIMIT);

    uint8_t small[64];
    uint8_t *bytes = size <= sizeof small ? small : xmalloc((size_t)size);
    memset(bytes, 0, (size_t)size);
    bool good = true;
    for (uint64_t i = 0;; i++) {
        skip_any(p, " \t,");
        if (p->at == p->end || *p->at == '#' || *p->at == '{') {
            good = fail_at(err, path, line, "found the end of the packet without its \"}\"");
            break;
        }
        if (*p->at == '}') {
            p->at++;
            break;
        }
        struct span word = take_word(p);
        uint64_t value;
        if (!span_number(word, true, &value) || value > 0xff) {
            good = fail_at(err, path, line, "found %s; expected a byte, 0x00 to 0xff", span_show(word, shown));
            break;
        }
        if (i < size)
            bytes[i] = (uint8_t)value;
    }
    if (good)
        blob_append(blob, offset, bytes, (size_t)size);
    if (bytes != small)
        free(bytes);
    return good;
}

/* A line is a packet line if it opens a brace and speaks of an offset; such a line must be right. All other lines
 * (braces, comments, headers) are skipped. */
static bool is_packet_line(struct span line) {
    if (!line.n || line.at[0] != '{')
        return false;
    return memmem(line.at, line.n, "offset", 6) != NULL;
}

struct blob *trace_parse_packets(const char *path, const char *text, size_t n, struct error *err) {
    struct lines lines;
    struct span line;
    if (!lines_open(&lines, path, text, n, err))
        return NULL;
    struct blob *blob = blob_new(path);
    bool good = true;
    while (good && lines_next(&lines, &line)) {
        line = span_trim(line);
        if (!is_packet_line(line))
            continue;
        struct packet_line p = {line.at, line.at + line.n};
        for (;;) {
            skip_any(&p, " \t,{}");
            if (p.at == p.end || *p.at == '#' || !(good = parse_packet(&p, blob, path, lines.line, err)))
                break;
        }
    }
    if (good)
        return blob;
    blob_free(blob);
    return NULL;
}

/* 0xN or 0xNN */
static bool is_data_byte(struct span word, uint8_t *byte) {
    uint64_t value;
    if (word.n < 3 || word.n > 4 || word.at[0] != '0' || (word.at[1] != 'x' && word.at[1] != 'X') ||
        !span_number(word, false, &value))
        return false;
    *byte = (uint8_t)value;
    return true;
}

struct blob *trace_parse_data_lines(const char *path, const char *text, size_t n, struct error *err) {
    struct lines lines;
    struct span line;
    if (!lines_open(&lines, path, text, n, err))
        return NULL;
    struct blob *blob = blob_new(path);
    while (lines_next(&lines, &line)) {
        uint8_t byte;
        struct span rest = line;
        if (!is_data_byte(span_token(&rest), &byte))
            continue; /* header, footer, comment */
        rest = line;
        for (struct span word = span_token(&rest); word.n; word = span_token(&rest)) {
            char shown[SPAN_SHOW];
            if (!is_data_byte(word, &byte))
                fail_at(err, path, lines.line, "found %s in a data line; expected a byte, 0x00 to 0xff",
                        span_show(word, shown));
            else if (blob->size >= TRACE_BLOB_LIMIT)
                fail_at(err, path, lines.line, "more than %zu bytes of content in one file", TRACE_BLOB_LIMIT);
            else {
                blob_append(blob, blob->size, &byte, 1);
                continue;
            }
            blob_free(blob);
            return NULL;
        }
    }
    return blob;
}
