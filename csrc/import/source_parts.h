/* Common parts of the formats; internal to csrc/import. */
#pragma once

#include "import/access.h"
#include "nvdla/error.h"
#include "trace/lex.h"

struct source;

/* A format: how to recognise it, and how to read it. */
struct source_format {
    /* NULL, or confidence that a file with this beginning has this format: 0 (no) to 100. */
    int (*likely)(const char *text, size_t n);
    /* Called before the first access, or NULL. */
    bool (*open)(struct source *source, struct error *err);
    int (*next)(struct source *source, struct access *access, struct error *err); /* like source_next() */
    void (*close)(struct source *source); /* frees what its state holds; or NULL */
    const char *place;                    /* unit of access.line */
    size_t state_size;
};

extern const struct source_format source_txn, source_samples, source_vcd, source_fst;

struct source {
    const struct source_format *format;
    char *name; /* of the format */
    char *path; /* the current file, one of paths */
    struct words paths;
    size_t file; /* index of the current file */
    struct source_options options;
    struct lines lines;
    struct source_notes notes;
    void *state;         /* of the format, 0 at first */
    uint64_t size, done; /* bytes of all files, and of those before this one; of a log: bytes read */
    uint8_t bytes[ACCESS_BYTES], enabled[ACCESS_BYTES]; /* for accesses to memory */
};

/* The next line; false at the end and if it cannot be read (source->lines.failed). */
bool source_line(struct source *source, struct span *line);

/* Adds "FILE:LINE: ..." to the dropped or guessed remarks. line 0: the file as a whole. */
void source_drop(struct source *source, uint64_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void source_guess(struct source *source, uint64_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* An error in the capture: returns -1 with FILE:LINE and the text; with --force drops it and returns 0, and reading
 * continues. */
int source_object(struct source *source, uint64_t line, struct error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* An error at a line, even with --force. Returns -1. */
int source_fail(struct source *source, uint64_t line, struct error *err, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Of an address in the register window, of a capture that only --base explains: 1 with *offset in it; 0: outside,
 * counts it; -1: there is no base, and the address is no offset of a register. */
int source_offset(struct source *source, uint64_t address, uint64_t *offset, struct error *err);

/* A register access. */
struct access source_register(enum access_kind kind, uint64_t line, uint64_t offset, uint32_t value);

/* Finds a text in a span; NULL if absent. */
const char *span_find(struct span span, const char *text);
