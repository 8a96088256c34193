/* Common parts of the trace readers: lines, tokens, numbers, messages.
 *
 * Text is passed as spans (start, length) without a terminating zero. A file is read line by line, so memory use does
 * not depend on its size, compressed or not. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

/* Limits that protect the machine from wrong or hostile files. */
#define TRACE_TEXT_LIMIT ((uint64_t)1 << 31)    /* bytes of one text file */
#define TRACE_LINE_LIMIT ((size_t)1 << 20)      /* bytes of one line */
#define TRACE_CONTENT_LIMIT ((uint64_t)4 << 30) /* bytes of content of all blobs of one trace */
#define TRACE_BLOB_LIMIT ((size_t)1 << 30)      /* bytes of content of one blob */
#define TRACE_PACKET_LIMIT ((uint64_t)1 << 16)  /* bytes of one packet of a packet file */
#define TRACE_OPS_LIMIT ((size_t)1 << 23)       /* operations and comments of one trace */
#define TRACE_FILL_LIMIT ((uint64_t)4 << 30)    /* bytes that one fill may cover */

struct span {
    const char *at;
    size_t n;
};

/* The lines of a file, or of a text in memory. */
struct lines {
    const char *path;         /* for messages */
    int line;                 /* number of the line returned last, from 1; 0 before the first */
    struct error *err;        /* of lines_next */
    bool cut;                 /* the line returned last has no line end: end of file */
    bool failed;              /* a line could not be read; *err has the reason */
    struct file_reader *file; /* NULL: text in memory */
    const char *at, *end;     /* read but not returned yet */
    char *buffer;             /* of a file: buffer that at and end point into */
    size_t room, piece;       /* size of the buffer; bytes read at a time */
    uint64_t taken;           /* bytes of all lines so far */
};

/* Opens a file, which must be a regular one. False with a message. Close it either way. */
bool lines_open_file(struct lines *lines, const char *path, struct error *err);
/* The same for a text, which must outlive it. */
void lines_open_text(struct lines *lines, const char *path, const char *text, size_t n, struct error *err);
/* Next line, without LF or CR LF, and without a UTF-8 byte order mark at the start of the file; valid until the next
 * call. False after the last line, and on an error (failed is set: unreadable, too long, or with a zero byte). A last
 * line without line end counts. */
bool lines_next(struct lines *lines, struct span *line);
void lines_close(struct lines *lines);

bool span_is(struct span span, const char *text);
bool span_starts(struct span span, const char *text);
struct span span_trim(struct span span);
/* Takes the next token (separated by blanks and tabs) off *rest; an empty span when nothing is left. */
struct span span_token(struct span *rest);
/* The span for a message: quoted, escaped by text_shown, cut after 40 bytes. Returns text. */
enum { SPAN_SHOWN = 40, SPAN_SHOW = 4 * SPAN_SHOWN + 8 };
char *span_show(struct span span, char text[SPAN_SHOW]);

/* Numbers: 0x hexadecimal or decimal; with octal_too a leading 0 means octal. The whole span must be the number and fit
 * 64 bits. */
bool span_number(struct span span, bool octal_too, uint64_t *value);

/* Sets err to "PATH:LINE: text". Returns false. */
bool fail_at(struct error *err, const char *path, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
