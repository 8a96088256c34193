/* input.txn and its dialects from public tools (80-trace-formats sections 1 and 5.1): word tokens or byte addresses,
 * `until`, memory commands anywhere in the address space.
 *
 * Dialects: "until" and "byte" are captures, whose reads record what a driver read; "player" is the trace player's own
 * language, whose reads are polls. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "import/source_parts.h"
#include "nvdla/xalloc.h"
#include "trace/side_files.h"
#include "trace/txn.h"

enum { TOKENS = 8 };

struct txn_state {
    bool bytes, player; /* dialect */
    struct blob *blob;  /* of a memory command passed on in pieces */
    enum access_kind kind;
    uint64_t base, line;
    size_t chunk, at;
};

static int likely(const char *text, size_t n) {
    const struct span head = {text, n};
    return n >= 10 && (memcmp(text, "write_reg ", 10) == 0 || memcmp(text, "read_reg 0x", 10) == 0) ? 95
           : span_find(head, "\nwrite_reg ")                                                        ? 85
                                                                                                    : 0;
}

/* Recognises the dialect from the start of the file: tokens have a high half, and the player has no `until`. */
static bool sniff(struct source *source, struct error *err) {
    struct txn_state *state = source->state;
    struct lines lines;
    struct span line;
    bool high = false, until = false, player = false, any = false;
    if (!lines_open_file(&lines, source->path, err))
        return false;
    while (lines_next(&lines, &line) && lines.line < 20000) {
        struct span rest = line;
        const struct span command = span_token(&rest);
        uint64_t address;
        until = until || span_is(command, "until");
        player = player || span_is(command, "load_mem") || span_is(command, "dump_mem") || span_is(command, "wait");
        if ((span_is(command, "write_reg") || span_is(command, "read_reg")) &&
            span_number(span_token(&rest), false, &address)) {
            high = high || address >> 16 != 0;
            any = true;
        }
    }
    lines_close(&lines);
    state->bytes = any && !high;
    state->player = high && player && !until;
    source_guess(source, 0, "dialect %s", state->bytes ? "byte" : state->player ? "player" : "until");
    return true;
}

static bool open_state(struct source *source, struct error *err) {
    const char *dialect = source->options.dialect;
    struct txn_state *state = source->state;
    if (!dialect)
        return sniff(source, err);
    state->bytes = strcmp(dialect, "byte") == 0;
    state->player = strcmp(dialect, "player") == 0;
    return state->bytes || state->player || strcmp(dialect, "until") == 0 ||
           error_set(err, "--dialect: found '%s', expected until, byte or player", dialect);
}

static void close_state(struct source *source) {
    struct txn_state *state = source->state;
    if (state->blob)
        blob_free(state->blob);
}

/* The next piece of a memory command; 0 after the last. */
static int next_piece(struct source *source, struct access *access) {
    struct txn_state *state = source->state;
    while (state->blob && state->chunk < state->blob->chunk_count) {
        const struct blob_chunk *chunk = &state->blob->chunks[state->chunk];
        if (state->at == chunk->size) {
            state->chunk++;
            state->at = 0;
            continue;
        }
        const size_t left = chunk->size - state->at, n = left < ACCESS_BYTES ? left : ACCESS_BYTES;
        const uint64_t address = state->base + chunk->offset + state->at;
        memcpy(source->bytes, state->blob->bytes + chunk->start + state->at, n);
        *access = (struct access){
            .kind = state->kind,
            .line = state->line,
            .address = address,
            .space = address >> 28 == 5 && source->options.config->secondary_memory ? SPACE_SECONDARY : SPACE_PRIMARY,
            .size = (uint32_t)n,
            .bytes = source->bytes};
        state->at += n;
        return 1;
    }
    if (state->blob)
        blob_free(state->blob);
    state->blob = NULL;
    return 0;
}

/* addr nbytes file */
static int take_memory(struct source *source, const struct span *tokens, int count, enum access_kind kind,
                       struct access *access, struct error *err) {
    struct txn_state *state = source->state;
    const uint64_t line = (uint64_t)source->lines.line;
    uint64_t size;
    size_t found = 0;
    if (count != 4 || !span_number(tokens[1], false, &state->base) || !span_number(tokens[2], false, &size) ||
        size > TRACE_BLOB_LIMIT)
        return source_fail(source, line, err, "expected %.*s ADDRESS BYTES FILE", (int)tokens[0].n, tokens[0].at);
    autofree char *path = path_beside(source->path, tokens[3]);
    state->blob = data_file_read(path, (size_t)size, &found, err);
    if (!state->blob)
        error_prefix(err, "%s:%" PRIu64 ": ", source->path, line);
    else if (found < size) {
        source_fail(source, line, err, "%s holds 0x%zx bytes; expected at least 0x%" PRIx64, path, found, size);
        blob_free(state->blob);
        state->blob = NULL;
    }
    state->kind = kind;
    state->line = line;
    state->chunk = state->at = 0;
    return state->blob ? next_piece(source, access) : -1;
}

/* A register command: tokens[1] is its address. */
static int take_register(struct source *source, const struct span *tokens, int count, struct access *access,
                         struct error *err) {
    const struct txn_state *state = source->state;
    const uint64_t line = (uint64_t)source->lines.line;
    const bool is_read = span_is(tokens[0], "read_reg"), is_until = span_is(tokens[0], "until");
    /* read_reg ADDRESS MASK == EXPECTED [POLLS]: with a single poll an ordinary read */
    const bool is_long = is_read && (count == 5 || count == 6) && span_is(tokens[3], "==");
    uint64_t address, value, mask = UINT32_MAX, polls = 0;
    if ((!is_long && count != (is_read ? 4 : 3)) || !span_number(tokens[1], false, &address) || address > UINT32_MAX ||
        (is_read && (!span_number(tokens[2], false, &mask) || mask > UINT32_MAX)) ||
        !span_number(tokens[is_long   ? 4
                            : is_read ? 3
                                      : 2],
                     false, &value) ||
        value > UINT32_MAX || (count == 6 && !span_number(tokens[5], false, &polls))) {
        if (source->lines.cut) {
            source_drop(source, line, "the file ends inside this line: dropped");
            return 0;
        }
        return source_fail(source, line, err, "expected %s",
                           is_read    ? "read_reg ADDRESS MASK EXPECTED, or read_reg ADDRESS MASK == EXPECTED POLLS"
                           : is_until ? "until ADDRESS VALUE"
                                      : "write_reg ADDRESS VALUE");
    }
    const uint64_t offset = state->bytes ? address : (address & 0xffff) * 4;
    *access = source_register(is_until  ? ACCESS_UNTIL
                              : is_read ? ACCESS_READ
                                        : ACCESS_WRITE,
                              line, offset, (uint32_t)value);
    access->mask = (uint32_t)mask;
    access->checked = is_read && ((state->player && polls != 1) || mask != UINT32_MAX);
    return 1;
}

/* write_mem addr bytemask data: a mask bit for each byte; read_mem addr mask expected: whole bytes of a mask. */
static int take_quads(struct source *source, const struct span *tokens, int count, bool writes, struct access *access,
                      struct error *err) {
    struct txn_state *state = source->state;
    const uint64_t line = (uint64_t)source->lines.line;
    uint8_t mask[TXN_QUAD], data[TXN_QUAD];
    uint64_t bits = 0;
    bool good = count == 4 && span_number(tokens[1], false, &state->base) && txn_quad(tokens[3], data) &&
                (writes ? span_number(tokens[2], false, &bits) && bits <= 0xffff : txn_quad(tokens[2], mask));
    for (int i = 0; good && !writes && i < TXN_QUAD; i++) {
        good = mask[i] == 0 || mask[i] == 0xff;
        bits |= (uint64_t)(mask[i] != 0) << i;
    }
    if (!good)
        return source_fail(source, line, err, "expected %s",
                           writes ? "write_mem ADDRESS BYTEMASK DATA, 16 bytes with a mask bit for each"
                                  : "read_mem ADDRESS MASK EXPECTED, 16 bytes with a mask of whole bytes");
    state->blob = blob_new(NULL);
    for (size_t i = 0; i < TXN_QUAD; i++)
        if (bits >> i & 1)
            blob_append(state->blob, i, &data[i], 1);
    state->kind = writes ? ACCESS_MEMORY_LOAD : ACCESS_MEMORY_CHECK;
    state->line = line;
    state->chunk = state->at = 0;
    return next_piece(source, access);
}

static int take_command(struct source *source, const struct span *tokens, int count, struct access *access,
                        struct error *err) {
    const uint64_t line = (uint64_t)source->lines.line;
    if (span_is(tokens[0], "write_reg") || span_is(tokens[0], "read_reg") || span_is(tokens[0], "until"))
        return take_register(source, tokens, count, access, err);
    if (span_is(tokens[0], "load_mem"))
        return take_memory(source, tokens, count, ACCESS_MEMORY_LOAD, access, err);
    if (span_is(tokens[0], "dump_mem"))
        return take_memory(source, tokens, count, ACCESS_MEMORY_CHECK, access, err);
    if (span_is(tokens[0], "write_mem") || span_is(tokens[0], "read_mem"))
        return take_quads(source, tokens, count, span_is(tokens[0], "write_mem"), access, err);
    if (span_is(tokens[0], "wait")) {
        *access = (struct access){.kind = ACCESS_WAIT, .line = line, .value = count < 2 || !span_is(tokens[1], "low")};
        return 1;
    }
    if (source->lines.cut) {
        source_drop(source, line, "the file ends inside this line: dropped");
        return 0;
    }
    char shown[SPAN_SHOW];
    return source_fail(
        source, line, err,
        "unknown command %s; expected write_reg, read_reg, until, wait, load_mem, dump_mem, write_mem or read_mem",
        span_show(tokens[0], shown));
}

static int next(struct source *source, struct access *access, struct error *err) {
    struct span line, tokens[TOKENS];
    if (next_piece(source, access) == 1)
        return 1;
    while (source_line(source, &line)) {
        const char *hash = line.n ? memchr(line.at, '#', line.n) : NULL;
        struct span rest = {line.at, hash ? (size_t)(hash - line.at) : line.n};
        int count = 0;
        for (struct span token = span_token(&rest); token.n; token = span_token(&rest)) {
            if (count < TOKENS)
                tokens[count] = token;
            count++;
        }
        if (count == 0)
            continue;
        const int status = take_command(source, tokens, count, access, err);
        if (status != 0)
            return status;
    }
    return 0;
}

const struct source_format source_txn = {likely, open_state, next, close_state, "line", sizeof(struct txn_state)};
