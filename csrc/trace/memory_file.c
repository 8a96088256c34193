/* Memory files: packets (chapter 80 section 3.4) and plain data lines (section 1.6). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "trace/lex.h"
#include "trace/side_files.h"

/* A cursor over one line. */
struct packet_line {
    const char *at, *end;
};

/* Table of character classes: faster, because each byte of a memory takes several lookups. */
enum { BLANK = 1, COMMA = 2, QUOTE = 4, BRACE = 8, HASH = 16 };

static const uint8_t kinds[256] = {
    [' '] = BLANK, ['\t'] = BLANK, [','] = COMMA, ['\''] = QUOTE,
    ['"'] = QUOTE, ['{'] = BRACE,  ['}'] = BRACE, ['#'] = HASH,
};

static bool is_any(char c, uint8_t some) {
    return kinds[(unsigned char)c] & some;
}

static void skip_any(struct packet_line *p, uint8_t some) {
    while (p->at < p->end && is_any(*p->at, some))
        p->at++;
}

/* Reads `key` (quoted or not) and the colon after it. */
static bool take_key(struct packet_line *p, const char *key) {
    size_t n = strlen(key);
    const char *before = p->at;
    skip_any(p, BLANK | QUOTE);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, key, n)) {
        p->at = before;
        return false;
    }
    p->at += n;
    skip_any(p, BLANK | QUOTE);
    if (p->at == p->end || *p->at != ':') {
        p->at = before;
        return false;
    }
    p->at++;
    return true;
}

static struct span take_word(struct packet_line *p) {
    skip_any(p, BLANK);
    struct span word = {p->at, 0};
    while (p->at < p->end && !is_any(*p->at, BLANK | COMMA | BRACE | HASH))
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

/* Reads one packet; *p is after its opening brace. */
static bool parse_packet(struct packet_line *p, struct blob *blob, const char *path, int line, struct error *err) {
    char shown[SPAN_SHOW];
    uint64_t offset, size;
    if (!take_key(p, "offset"))
        return fail_at(err, path, line, "found %s; expected \"offset:\"", span_show(take_word(p), shown));
    if (!take_number(p, "offset", UINT64_MAX - TRACE_PACKET_LIMIT, &offset, path, line, err))
        return false;
    skip_any(p, BLANK | COMMA);
    if (!take_key(p, "size"))
        return fail_at(err, path, line, "found %s; expected \"size:\"", span_show(take_word(p), shown));
    if (!take_number(p, "size", TRACE_PACKET_LIMIT, &size, path, line, err))
        return false;
    skip_any(p, BLANK | COMMA);
    if (!take_key(p, "payload") && !take_key(p, "value"))
        return fail_at(err, path, line, "found %s; expected \"payload:\"", span_show(take_word(p), shown));
    if (size > TRACE_BLOB_LIMIT - blob->size)
        return fail_at(err, path, line, "more than %zu bytes of content in one file", TRACE_BLOB_LIMIT);

    uint8_t small[64];
    uint8_t *bytes = size <= sizeof small ? small : xmalloc((size_t)size);
    memset(bytes, 0, (size_t)size);
    bool good = true;
    for (uint64_t i = 0;; i++) {
        skip_any(p, BLANK | COMMA);
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

/* A line is a packet line if it opens a brace and mentions an offset; it must then be well-formed. */
static bool is_packet_line(struct span line) {
    return line.n && line.at[0] == '{' && memmem(line.at, line.n, "offset", 6) != NULL;
}

/* Open braces around packets: files of the published releases have one pair, the other dialect none. */
struct braces {
    int open;
    int line; /* line of the outermost open brace */
};

static void count_brace(struct braces *braces, char c, int line) {
    if (c == '{') {
        if (braces->open++ == 0)
            braces->line = line;
    } else if (c == '}' && braces->open > 0) {
        braces->open--;
    }
}

static bool parse_packet_line(struct packet_line *p, struct braces *braces, struct blob *blob, const char *path,
                              int line, struct error *err) {
    for (;;) {
        for (; p->at < p->end && is_any(*p->at, BLANK | COMMA | BRACE); p->at++)
            count_brace(braces, *p->at, line);
        if (p->at == p->end || *p->at == '#')
            return true;
        if (!parse_packet(p, blob, path, line, err))
            return false;
        count_brace(braces, '}', line);
    }
}

struct blob *packets_parse(struct lines *lines, struct error *err) {
    struct span line;
    struct blob *blob = blob_new(lines->path);
    struct braces braces = {0};
    bool good = true;
    while (good && lines_next(lines, &line)) {
        line = span_trim(line);
        struct packet_line p = {line.at, line.at + line.n};
        if (is_packet_line(line))
            good = parse_packet_line(&p, &braces, blob, lines->path, lines->line, err);
        else if (line.n) /* a separate brace, a comment or a header */
            count_brace(&braces, line.at[0], lines->line);
    }
    good = good && !lines->failed;
    if (good && braces.open > 0)
        good = fail_at(
            err, lines->path, lines->line,
            "found the end of the file; expected the \"}\" that closes the \"{\" of line %d: is the file complete?",
            braces.line);
    if (good)
        return blob;
    blob_free(blob);
    return NULL;
}

struct blob *packet_file_read(const char *path, struct error *err) {
    struct lines lines;
    struct blob *blob = lines_open_file(&lines, path, err) ? packets_parse(&lines, err) : NULL;
    lines_close(&lines);
    if (!blob || blob->size > 0)
        return blob;
    error_set(err, "%s: holds no packet with content; expected {offset:..., size:..., payload:...}", path);
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

/* Reads the bytes of a line if its first word is a byte; other lines are headers, footers or comments. *found counts
 * the bytes; only the first `most` are kept. */
static bool parse_data_line(struct span line, struct blob *blob, size_t most, size_t *found, const struct lines *lines,
                            struct error *err) {
    uint8_t bytes[64] = {0};
    size_t n = 0;
    bool first = true;
    for (struct span word = span_token(&line); word.n; word = span_token(&line)) {
        char shown[SPAN_SHOW];
        if (!is_data_byte(word, &bytes[n]))
            return first || fail_at(err, lines->path, lines->line,
                                    "found %s in a data line; expected a byte, 0x00 to 0xff", span_show(word, shown));
        first = false;
        n += ++*found <= most;
        if (n == sizeof bytes) {
            blob_append(blob, blob->size, bytes, n);
            n = 0;
        }
    }
    blob_append(blob, blob->size, bytes, n);
    return true;
}

struct blob *data_lines_parse(struct lines *lines, size_t most, size_t *found, struct error *err) {
    struct span line;
    struct blob *blob = blob_new(lines->path);
    bool good = true;
    *found = 0;
    while (good && lines_next(lines, &line))
        good = parse_data_line(line, blob, most, found, lines, err);
    if (good && !lines->failed)
        return blob;
    blob_free(blob);
    return NULL;
}

struct blob *data_file_read(const char *path, size_t most, size_t *found, struct error *err) {
    struct lines lines;
    struct blob *blob = lines_open_file(&lines, path, err) ? data_lines_parse(&lines, most, found, err) : NULL;
    lines_close(&lines);
    return blob;
}
