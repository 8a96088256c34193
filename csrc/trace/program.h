/* A program: the in-memory form of every trace. A flat array of operations, in file order. Readers build it, the player
 * plays it; only readers and writers know file formats.
 *
 * Streams (chapter 80 section 3.3). A program is either `sequential` (one stream, in file order: input.txn) or has one
 * stream per unit plus one for memory commands. Operations of one stream keep file order; streams run in parallel and
 * synchronise only by events. An operation with `after` >= 0 starts once that event has been raised; one with `at_end`
 * runs after the last command, when the device is idle. Events are sticky. */
#pragma once

#include "memory/memory.h"
#include "memory/space.h"
#include "nvdla/config.h"
#include "nvdla/error.h"
#include "nvdla/registers.h"

enum relation { RELATION_EQUAL, RELATION_LESS_EQUAL, RELATION_GREATER_EQUAL };

enum op_kind {
    OP_NOTE,        /* text: a comment line, kept for conversion */
    OP_WRITE,       /* address, value, nposted */
    OP_READ,        /* address: read, result ignored */
    OP_READ_CHECK,  /* address, mask, value, relation: one read; volatile_read: informational unless strict (chapter 80
                       section 9.3) */
    OP_POLL,        /* address, mask, value, relation, attempts (0: until time-out): read until it holds */
    OP_WAIT,        /* level: wait until the interrupt line has this level (1 or 0) */
    OP_INTR_NOTIFY, /* bit (-1 any), event: raised when the player services that interrupt */
    OP_SYNC_NOTIFY, /* stream, event: raised when everything before it in the stream is done */
    OP_SYNC_WAIT,   /* stream, event */
    OP_MEM_LOAD,    /* space, base, blob, after: chunks of bytes; declares their region */
    OP_MEM_FILL,    /* space, base, size, pattern, after; declares the region */
    OP_MEM_RESERVE, /* space, base, size, after: declares a region without content */
    OP_MEM_RELEASE, /* space, base, after: removes the region declared at base */
    OP_MEM_CHECK,   /* space, blob (golden bytes), after */
    OP_MEM_CRC,     /* space, base, size, value = CRC-32, after */
    OP_CHECK_EVENT, /* after: the program does not end before this event (check_nothing) */
};

enum mem_pattern { PATTERN_BYTE, PATTERN_ADDRESS, PATTERN_RANDOM };

/* Bytes with gaps: chunks in file order (where they overlap, the later one wins). Owned by the program; operations that
 * name the same file share a blob. */
struct blob_chunk {
    uint64_t offset;    /* offset from the operation's base */
    size_t start, size; /* in bytes[] */
};

struct blob {
    char *name; /* file name as written in the trace, NULL if inline */
    uint8_t *bytes;
    size_t size;
    struct blob_chunk *chunks;
    size_t chunk_count;
    uint64_t extent; /* largest offset + size */
};

struct op {
    enum op_kind kind;
    uint16_t stream; /* index into program.streams */
    bool at_end;
    bool nposted;
    bool volatile_read;
    uint8_t level; /* OP_WAIT */
    enum relation relation;
    enum memory_space space;
    enum mem_pattern pattern;
    uint8_t fill;                  /* PATTERN_BYTE */
    int bit;                       /* OP_INTR_NOTIFY */
    int event;                     /* index into program.events, -1 none */
    int after;                     /* index into program.events, -1 none */
    uint32_t address, value, mask; /* registers: byte offset from the NVDLA base */
    uint32_t attempts;
    uint64_t base, size; /* memory */
    const struct blob *blob;
    const char *text; /* OP_NOTE; owned by the program */
    int file;         /* index into program.files */
    int line;         /* from 1; 0 if the operation is not from a line of a file */
};

struct program {
    const struct nvdla_config *config;
    bool sequential;
    struct op *ops;
    size_t count, capacity;
    char **streams; /* names: "SDP", ..., "memory"; sequential: one, "main" */
    size_t stream_count;
    char **events;
    size_t event_count;
    struct blob **blobs;
    size_t blob_count;
    char **files; /* source files, [0] is the trace itself */
    size_t file_count;
    char **texts;
    size_t text_count;
    struct program_warning {
        char *text;       /* "FILE:LINE: what", for the caller to print */
        const char *what; /* text after "FILE:LINE: " */
        char *file;
        int line; /* 0: none */
    } *warnings;
    size_t warning_count;
};

struct program *program_new(const struct nvdla_config *config, const char *path);
void program_free(struct program *prog);
/* A local program that is freed where its block ends; NULL: none. */
#define autoprogram __attribute__((cleanup(program_free_at)))
static inline void program_free_at(struct program **prog) {
    program_free(*prog);
}

/* Appends an operation (copied). Returns it; the pointer is valid until the next append. */
struct op *program_append(struct program *prog, const struct op *op);

/* An operation with every optional member at its neutral value (event and after -1, mask all ones, file 0). */
struct op op_make(enum op_kind kind, int line);

/* Index of the stream / event / file of that name, added if new. */
int program_stream(struct program *prog, const char *name);
int program_event(struct program *prog, const char *name);
int program_file(struct program *prog, const char *path);

/* Takes ownership of a blob. Returns it. */
struct blob *program_blob(struct program *prog, struct blob *blob);
/* Copies text; the program owns the copy. */
const char *program_text(struct program *prog, const char *text, size_t n);
/* Appends a comment (printf text) to the first stream. */
void program_note(struct program *prog, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends the comment of a line of a trace to a stream, without a blank before it and blanks after it. */
void program_comment(struct program *prog, const char *stream, int line, const char *text, size_t n);
/* Bits of S_INTR_STATUS, at address `status`, that a sequential program checks between a wait and the write that clears
 * them; 0: none. */
uint32_t program_wanted_bits(const struct program *prog, size_t wait, uint32_t status);
/* An empty program of the same configuration, whose operations may name the same files. */
struct program *program_like(const struct program *prog);
/* Moves blobs and texts to another program that has none and whose operations refer to them. */
void program_move_content(struct program *to, struct program *from);
/* Adds a warning (printf text) about a file. line 0: about no particular line. */
void program_warn(struct program *prog, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "==", "<=" or ">=". */
const char *relation_text(enum relation relation);

/* "FILE:LINE" of an operation, escaped by text_shown. Returns text. */
char *op_position(const struct program *prog, const struct op *op, char *text, size_t size);

/* Appends bytes to a blob at offset, as a new chunk, or to the last chunk if that ends there. The only way to fill a
 * blob. */
void blob_append(struct blob *blob, uint64_t offset, const void *bytes, size_t n);
/* Visits the content in order of offset, later chunks winning, in pieces of at most 16 MiB. first: the piece does not
 * continue the one before. */
void blob_ranges(const struct blob *blob,
                 void (*each)(void *context, uint64_t offset, const uint8_t *bytes, size_t n, bool first),
                 void *context);
/* Writes the content into a memory at base, by backdoor. */
void blob_write(struct memory *mem, uint64_t base, const struct blob *blob);
struct blob *blob_new(const char *name);
void blob_free(struct blob *blob);
