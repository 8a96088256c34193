/* What the trace readers share: lines, tokens, numbers, messages.
 *
 * Everything works on spans (start, length) of a text that stays in memory; nothing here needs a terminating zero.
 */
#ifndef TRACE_LEX_H
#define TRACE_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

/* Bounds that keep a wrong or hostile file from eating the machine. */
#define TRACE_TEXT_LIMIT ((size_t)1 << 31)     /* bytes of one text file */
#define TRACE_BLOB_LIMIT ((size_t)1 << 30)     /* bytes of content of one blob */
#define TRACE_PACKET_LIMIT ((uint64_t)1 << 16) /* bytes of one packet of a packet file */
#define TRACE_FILL_LIMIT ((uint64_t)4 << 30)   /* bytes that one fill may cover */

struct span {
    const char *at;
    size_t n;
};

/* Lines of a text; at is behind the byte order mark before the first. path is for messages, line is the number of the
 * line returned last (1-based). */
struct lines {
    const char *path;
    const char *at, *end;
    int line;
};

/* Prepares reading, behind a UTF-8 byte order mark if there is one; fails if the text cannot be one of ours (a zero
 * byte in it, too long). */
bool lines_open(struct lines *lines, const char *path, const char *text, size_t n, struct error *err);
/* Next line without its LF or CR LF; false after the last. A last line without line end counts. */
bool lines_next(struct lines *lines, struct span *line);

bool span_is(struct span span, const char *text);
bool span_starts(struct span span, const char *text);
struct span span_trim(struct span span);
/* Takes the next token (separated by blanks and tabs) off *rest; an empty span when nothing is left. */
struct span span_token(struct span *rest);
/* The span for use in a message: quoted, bytes that are no printable ASCII as \xHH, cut after 40 bytes. Returns text.
 */
enum { SPAN_SHOWN = 40, SPAN_SHOW = 4 * SPAN_SHOWN + 8 };
char *span_show(struct span span, char text[SPAN_SHOW]);

/* Numbers: 0x hexadecimal or decimal; with octal_too a leading 0 means octal. The whole span must be the number and fit
 * 64 bits. */
bool span_number(struct span span, bool octal_too, uint64_t *value);

/* Sets err to "PATH:LINE: text". Returns false. */
bool fail_at(struct error *err, const char *path, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
