/* What the trace readers share: lines, tokens, numbers, messages.
 *
 * Everything works on spans (start, length); nothing here needs a terminating zero. A file is read line by line, so
 * what a reader costs is what it keeps, whatever a file holds or unpacks to.
 */
#ifndef TRACE_LEX_H
#define TRACE_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

/* Bounds that keep a wrong or hostile file from eating the machine. */
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
    bool cut;                 /* the line returned last has no line end: the file stops there */
    bool failed;              /* a line could not be read: *err tells why */
    struct file_reader *file; /* NULL: text in memory */
    const char *at, *end;     /* read and not returned yet */
    char *buffer;             /* of a file: what at and end point into */
    size_t room, piece;       /* bytes of it; bytes read at a time */
    uint64_t taken;           /* bytes of all lines so far */
};

/* Opens a file, which must be a regular one. False with a message. Close it either way. */
bool lines_open_file(struct lines *lines, const char *path, struct error *err);
/* The same over a text that outlives it. */
void lines_open_text(struct lines *lines, const char *path, const char *text, size_t n, struct error *err);
/* Next line, without its LF or CR LF and, of the first, a UTF-8 byte order mark; valid until the next call. False after
 * the last, and when one cannot be ours (failed: not readable, too long, with a zero byte in it). A last line without
 * line end counts. */
bool lines_next(struct lines *lines, struct span *line);
void lines_close(struct lines *lines);

bool span_is(struct span span, const char *text);
bool span_starts(struct span span, const char *text);
struct span span_trim(struct span span);
/* Takes the next token (separated by blanks and tabs) off *rest; an empty span when nothing is left. */
struct span span_token(struct span *rest);
/* The span for use in a message: quoted, as text_shown has it, cut after 40 bytes. Returns text. */
enum { SPAN_SHOWN = 40, SPAN_SHOW = 4 * SPAN_SHOWN + 8 };
char *span_show(struct span span, char text[SPAN_SHOW]);

/* Numbers: 0x hexadecimal or decimal; with octal_too a leading 0 means octal. The whole span must be the number and fit
 * 64 bits. */
bool span_number(struct span span, bool octal_too, uint64_t *value);

/* Sets err to "PATH:LINE: text". Returns false. */
bool fail_at(struct error *err, const char *path, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
