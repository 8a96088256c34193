/* See nvt_content.h. */
#include "trace/nvt_content.h"

#include <inttypes.h>
#include <string.h>

#include "trace/formats.h"
#include "trace/hex.h"

enum { PLAIN_BYTES = 256 }; /* maximum of a line of digits only, as nearly all lines are */

/* A blob that is read. */
struct content {
    struct lines *lines;
    struct blob *blob;
    uint64_t *all, offset; /* bytes of all blobs; place of the next byte */
    struct error *err;
};

static bool add_bytes(struct content *content, const uint8_t *bytes, size_t n) {
    if (n > TRACE_BLOB_LIMIT - content->blob->size || n > UINT64_MAX - content->offset)
        return fail_at(content->err, content->lines->path, content->lines->line,
                       "more than %zu bytes of content in one blob", TRACE_BLOB_LIMIT);
    *content->all += n;
    if (*content->all > TRACE_CONTENT_LIMIT)
        return fail_at(content->err, content->lines->path, content->lines->line,
                       "more than %" PRIu64 " bytes of content in all blobs", TRACE_CONTENT_LIMIT);
    blob_append(content->blob, content->offset, bytes, n);
    content->offset += n;
    return true;
}

static bool add_run(struct content *content, uint8_t byte, uint64_t count) {
    uint8_t bytes[4096];
    if (count > TRACE_BLOB_LIMIT - content->blob->size) /* before any of it is built */
        return add_bytes(content, NULL, SIZE_MAX);
    memset(bytes, byte, count < sizeof bytes ? (size_t)count : sizeof bytes);
    while (count) {
        size_t n = count < sizeof bytes ? (size_t)count : sizeof bytes;
        if (!add_bytes(content, bytes, n))
            return false;
        count -= n;
    }
    return true;
}

/* One word of a blob: @OFFSET, hex digits (two a byte) or BYTE*COUNT. */
static bool read_content(struct content *content, struct span word) {
    char shown[SPAN_SHOW];
    const char *star = memchr(word.at, '*', word.n);
    if (word.at[0] == '@') {
        if (span_number((struct span){word.at + 1, word.n - 1}, false, &content->offset))
            return true;
    } else if (star) {
        struct span digits = {star + 1, (size_t)(word.at + word.n - star) - 1};
        uint64_t count;
        uint8_t byte;
        if (star == word.at + 2 && hex_read(word.at, 2, &byte) && span_number(digits, false, &count))
            return add_run(content, byte, count);
    } else if (word.n % 2 == 0) {
        uint8_t bytes[PLAIN_BYTES];
        size_t at = 0, n;
        for (; at < word.n; at += n) {
            n = word.n - at < 2 * PLAIN_BYTES ? word.n - at : 2 * PLAIN_BYTES;
            if (!hex_read(word.at + at, n, bytes))
                break;
            if (!add_bytes(content, bytes, n / 2))
                return false;
        }
        if (at == word.n)
            return true;
    }
    return fail_at(content->err, content->lines->path, content->lines->line,
                   "found %s; expected @OFFSET, hex digits (two a byte), BYTE*COUNT, or end", span_show(word, shown));
}

bool nvt_content_read(struct lines *lines, struct blob *blob, uint64_t *all, struct error *err) {
    struct content content = {.lines = lines, .blob = blob, .all = all, .err = err};
    int first = lines->line;
    for (struct span line; lines_next(lines, &line);) {
        uint8_t bytes[PLAIN_BYTES];
        line = span_trim(line);
        if (line.n && line.n <= 2 * PLAIN_BYTES && line.n % 2 == 0 && hex_read(line.at, line.n, bytes)) {
            if (!add_bytes(&content, bytes, line.n / 2))
                return false;
            continue;
        }
        if (span_is(line, "end"))
            return true;
        for (struct span word = span_token(&line); word.n; word = span_token(&line))
            if (!read_content(&content, word))
                return false;
    }
    if (lines->failed)
        return false;
    return fail_at(err, lines->path, lines->line, "found the end of the file; expected the end of the blob of line %d",
                   first);
}
