/* What the trace readers share: memory that cannot fail, a growing string, lines, tokens, numbers, side files.
 *
 * Everything works on spans (start, length) of a text that stays in memory; nothing here needs a terminating zero.
 */
#ifndef TRACE_LEX_H
#define TRACE_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"
#include "trace/program.h"

/* Bounds that keep a wrong or hostile file from eating the machine. */
#define TRACE_TEXT_LIMIT ((size_t)1 << 31)     /* bytes of one text file */
#define TRACE_BLOB_LIMIT ((size_t)1 << 30)     /* bytes of content of one blob */
#define TRACE_PACKET_LIMIT ((uint64_t)1 << 16) /* bytes of one packet of a packet file */
#define TRACE_FILL_LIMIT ((uint64_t)4 << 30)   /* bytes that one fill may cover */

/* malloc, realloc that abort when memory is exhausted. */
void *trace_alloc(size_t n) __attribute__((returns_nonnull));
void *trace_realloc(void *old, size_t n) __attribute__((returns_nonnull));
char *trace_strndup(const char *text, size_t n) __attribute__((returns_nonnull));

/* Makes room for one more element in an array that holds `count` of them and only ever grew through this function:
 * capacities are powers of two, so the array needs no capacity member. Returns the array, perhaps moved. */
void *trace_grow(void *array, size_t count, size_t element) __attribute__((returns_nonnull));

/* A growing string, always terminated. Zero-initialise; free text. */
struct buffer {
    char *text;
    size_t n, capacity;
};
void buffer_add(struct buffer *buf, const void *bytes, size_t n);
void buffer_printf(struct buffer *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct span {
    const char *at;
    size_t n;
};

/* Lines of a text. path is for messages, line is the number of the line returned last (1-based). */
struct lines {
    const char *path;
    const char *at, *end;
    int line;
};

/* Prepares reading; fails if the text cannot be one of ours (a zero byte in it, too long). */
bool lines_open(struct lines *lines, const char *path, const char *text, size_t n, struct error *err);
/* Next line without its LF or CR LF; false after the last. A last line without line end counts. */
bool lines_next(struct lines *lines, struct span *line);

bool span_is(struct span span, const char *text);
bool span_starts(struct span span, const char *text);
struct span span_trim(struct span span);
/* Takes the next token (separated by blanks and tabs) off *rest; an empty span when nothing is left. */
struct span span_token(struct span *rest);
/* The span for use in a message: quoted, unprintable bytes as '?', cut after 40. Returns text. */
enum { SPAN_SHOW = 64 };
char *span_show(struct span span, char text[SPAN_SHOW]);

/* Numbers: 0x hexadecimal or decimal; with octal_too a leading 0 means octal. The whole span must be the number and fit
 * 64 bits. */
bool span_number(struct span span, bool octal_too, uint64_t *value);

/* Sets err to "PATH:LINE: text". Returns false. */
bool fail_at(struct error *err, const char *path, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* NAME beside PATH: PATH's directory joined with NAME (an absolute NAME as it is). malloc'd. */
char *path_beside(const char *path, struct span name);

/* Reads a side file that a trace names; only regular files. *bytes is malloc'd and zero-terminated. */
bool side_file_read(const char *path, char **bytes, size_t *n, struct error *err);

/* The packet files of one trace, each read once. Zero-initialise; release the lists with packet_files_free. */
struct packet_files {
    char **names;
    struct blob **blobs;
    size_t count;
};
/* The blob of the packet file `name` beside `path`, owned by the program. line: of the command that names it. Warns
 * about a file without a packet. */
const struct blob *packet_files_get(struct packet_files *files, struct program *prog, const char *path, int line,
                                    struct span name, struct error *err);
void packet_files_free(struct packet_files *files);

/* The part of a blob below `size`, as a new blob of that name. */
struct blob *blob_cut(const struct blob *blob, uint64_t size);

#endif
