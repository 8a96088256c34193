/* Builds and frees programs. See program.h. */
#include "trace/program.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RANGE_PIECE = 1 << 24 /* bytes of content per piece */ };

struct program *program_new(const struct nvdla_config *config, const char *path) {
    struct program *prog = xmalloc(sizeof *prog);
    *prog = (struct program){.config = config};
    program_file(prog, path);
    return prog;
}

static void free_names(char **names, size_t count) {
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free(names);
}

void program_free(struct program *prog) {
    if (!prog)
        return;
    free(prog->ops);
    free_names(prog->streams, prog->stream_count);
    free_names(prog->events, prog->event_count);
    free_names(prog->files, prog->file_count);
    free_names(prog->texts, prog->text_count);
    for (size_t i = 0; i < prog->warning_count; i++) {
        free(prog->warnings[i].text);
        free(prog->warnings[i].file);
    }
    free(prog->warnings);
    for (size_t i = 0; i < prog->blob_count; i++)
        blob_free(prog->blobs[i]);
    free(prog->blobs);
    free(prog);
}

struct op *program_append(struct program *prog, const struct op *op) {
    if (prog->count == prog->capacity) {
        prog->capacity = prog->capacity ? 2 * prog->capacity : 64;
        prog->ops = xrealloc(prog->ops, prog->capacity * sizeof *prog->ops);
    }
    prog->ops[prog->count] = *op;
    return &prog->ops[prog->count++];
}

struct op op_make(enum op_kind kind, int line) {
    return (struct op){.kind = kind, .event = -1, .after = -1, .mask = 0xffffffffu, .line = line};
}

static int find_name(char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (!strcmp(names[i], name))
            return (int)i;
    return -1;
}

static int find_or_add(char ***names, size_t *count, const char *name) {
    int index = find_name(*names, *count, name);
    if (index < 0) {
        index = (int)*count;
        *xadd(*names, *count) = xstrndup(name, strlen(name));
    }
    return index;
}

int program_stream(struct program *prog, const char *name) {
    return find_or_add(&prog->streams, &prog->stream_count, name);
}

int program_event(struct program *prog, const char *name) {
    return find_or_add(&prog->events, &prog->event_count, name);
}

int program_file(struct program *prog, const char *path) {
    return find_or_add(&prog->files, &prog->file_count, path);
}

struct blob *program_blob(struct program *prog, struct blob *blob) {
    *xadd(prog->blobs, prog->blob_count) = blob;
    return blob;
}

const char *program_text(struct program *prog, const char *text, size_t n) {
    return *xadd(prog->texts, prog->text_count) = xstrndup(text, n);
}

void program_note(struct program *prog, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    autofree char *text = xvprintf(format, arguments);
    va_end(arguments);
    struct op op = op_make(OP_NOTE, 0);
    op.text = program_text(prog, text, strlen(text));
    program_append(prog, &op);
}

void program_comment(struct program *prog, const char *stream, int line, const char *text, size_t n) {
    struct op op = op_make(OP_NOTE, line);
    if (n && text[0] == ' ')
        text++, n--;
    while (n && strchr(" \t\r", text[n - 1]))
        n--;
    op.stream = (uint16_t)program_stream(prog, stream);
    op.text = program_text(prog, text, n);
    program_append(prog, &op);
}

uint32_t program_wanted_bits(const struct program *prog, size_t wait, uint32_t status) {
    for (const struct op *op = prog->ops + wait + 1; op < prog->ops + prog->count; op++) {
        if (op->kind == OP_WAIT || (op->kind == OP_WRITE && op->address == status))
            return 0;
        if ((op->kind == OP_READ_CHECK || op->kind == OP_POLL) && op->address == status)
            return op->relation == RELATION_EQUAL ? op->value & op->mask : 0;
    }
    return 0;
}

struct program *program_like(const struct program *prog) {
    struct program *like = program_new(prog->config, prog->files[0]);
    for (size_t i = 1; i < prog->file_count; i++)
        program_file(like, prog->files[i]);
    return like;
}

void program_move_content(struct program *to, struct program *from) {
    to->blobs = from->blobs;
    to->blob_count = from->blob_count;
    to->texts = from->texts;
    to->text_count = from->text_count;
    from->blobs = NULL;
    from->texts = NULL;
    from->blob_count = from->text_count = 0;
}

void program_warn(struct program *prog, const char *file, int line, const char *format, ...) {
    char what[1024], place[1024], shown[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    text_shown_into(file, place, sizeof place);
    if (line > 0)
        snprintf(place + strlen(place), sizeof place - strlen(place), ":%d", line);
    struct program_warning *warning = xadd(prog->warnings, prog->warning_count);
    *warning = (struct program_warning){.text = xprintf("%s: %s", place, text_shown_into(what, shown, sizeof shown)),
                                        .file = xstrdup(file),
                                        .line = line};
    warning->what = warning->text + strlen(place) + strlen(": ");
}

const char *relation_text(enum relation relation) {
    return relation == RELATION_EQUAL ? "==" : relation == RELATION_LESS_EQUAL ? "<=" : ">=";
}

char *op_position(const struct program *prog, const struct op *op, char *text, size_t size) {
    text_shown_into(prog->files[op->file], text, size);
    const size_t n = strlen(text);
    if (op->line > 0)
        snprintf(text + n, size - n, ":%d", op->line);
    return text;
}

struct blob *blob_new(const char *name) {
    struct blob *blob = xmalloc(sizeof *blob);
    *blob = (struct blob){.name = name ? xstrndup(name, strlen(name)) : NULL};
    return blob;
}

void blob_free(struct blob *blob) {
    if (!blob)
        return;
    free(blob->name);
    free(blob->bytes);
    free(blob->chunks);
    free(blob);
}

/* Capacity of a blob of n bytes: smallest power of two >= n, at least 64. */
static size_t blob_room(size_t n) {
    size_t room = 64;
    while (room < n)
        room *= 2;
    return room;
}

void blob_append(struct blob *blob, uint64_t offset, const void *bytes, size_t n) {
    if (!n)
        return;
    if (!blob->bytes || blob_room(blob->size + n) != blob_room(blob->size))
        blob->bytes = xrealloc(blob->bytes, blob_room(blob->size + n));
    memcpy(blob->bytes + blob->size, bytes, n);
    struct blob_chunk *last = blob->chunk_count ? &blob->chunks[blob->chunk_count - 1] : NULL;
    if (last && last->offset + last->size == offset)
        last->size += n;
    else
        *xadd(blob->chunks, blob->chunk_count) = (struct blob_chunk){.offset = offset, .start = blob->size, .size = n};
    blob->size += n;
    if (offset + n > blob->extent)
        blob->extent = offset + n;
}

void blob_ranges(const struct blob *blob,
                 void (*each)(void *context, uint64_t offset, const uint8_t *bytes, size_t n, bool first),
                 void *context) {
    struct memory *content = memory_new();
    autofree uint8_t *bytes = xmalloc(RANGE_PIECE);
    blob_write(content, 0, blob);
    for (size_t i = 0; i < blob->chunk_count; i++)
        memory_declare(content, blob->chunks[i].offset, blob->chunks[i].size);
    for (size_t i = 0; i < memory_region_count(content); i++) {
        uint64_t address, size;
        memory_region(content, i, &address, &size);
        for (uint64_t at = 0; at < size; at += RANGE_PIECE) {
            const size_t n = size - at < RANGE_PIECE ? (size_t)(size - at) : RANGE_PIECE;
            memory_read(content, address + at, bytes, n);
            each(context, address + at, bytes, n, at == 0);
        }
    }
    memory_free(content);
}

void blob_write(struct memory *mem, uint64_t base, const struct blob *blob) {
    for (size_t i = 0; i < blob->chunk_count; i++) {
        const struct blob_chunk *chunk = &blob->chunks[i];
        memory_write(mem, base + chunk->offset, blob->bytes + chunk->start, chunk->size, NULL, NULL);
    }
}
