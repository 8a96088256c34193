/* Writer of .nvt (traces/FORMAT.md). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory/file.h"
#include "memory/space.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "trace/formats.h"
#include "trace/hex.h"
#include "trace/nvt.h"
#include "trace/verify.h"

enum {
    LINE_BYTES = 32,           /* of content */
    RUN_BYTES = 64,            /* minimum length of a run written as BYTE*COUNT */
    SAMPLED_BYTES = 64 * 1024, /* sampled bytes of a blob before compression */
};

const char *nvt_default_stream(const struct program *prog, const struct op *op) {
    if (prog->sequential)
        return "main";
    if (op_is_register(op->kind)) {
        enum nvdla_unit unit = nvdla_unit_at(prog->config, op->address);
        return unit == NVDLA_UNIT_COUNT ? "memory" : nvdla_unit_names[unit];
    }
    return op->kind == OP_INTR_NOTIFY || op->kind == OP_WAIT ? "interrupt" : "memory";
}

static bool is_bare(const char *name) {
    return name[0] &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:+-/") == strlen(name);
}

/* A name, in quotes if it is not made of plain characters. */
static void put_name(struct text *out, const char *name) {
    if (is_bare(name)) {
        text_add(out, name, strlen(name));
        return;
    }
    text_add(out, "\"", 1);
    for (; *name; name++)
        if (*name == '"' || *name == '\\')
            text_printf(out, "\\%c", *name);
        else if ((unsigned char)*name < 0x20 || *name == 0x7f)
            text_printf(out, "\\x%02x", (unsigned)(unsigned char)*name);
        else
            text_add(out, name, 1);
    text_add(out, "\"", 1);
}

/* Writes comment text; a character that would end the line or be changed by reading becomes '?'. */
static void put_note(struct text *out, const char *text) {
    size_t n = strlen(text);
    while (n && strchr(" \t\r\n", text[n - 1]))
        n--;
    text_add(out, "#", 1);
    if (n)
        text_add(out, " ", 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)text[i];
        char shown = (c < 0x20 && c != '\t') || c == 0x7f ? '?' : text[i];
        text_add(out, &shown, 1);
    }
}

/* Output text: written to a file as it grows, or kept in memory. */
struct sink {
    struct text text;         /* not yet written */
    struct file_writer *file; /* NULL: all of it stays in text */
    struct error *err;
    bool failed; /* to write */
};

enum { SINK_BYTES = 64 * 1024 };

static void drain_if(struct sink *sink, size_t least) {
    if (!sink->file || sink->text.n < least)
        return;
    sink->failed = sink->failed || !file_writer_put(sink->file, sink->text.text, sink->text.n, sink->err);
    sink->text.n = 0;
}

static void drain(struct sink *sink) {
    drain_if(sink, SINK_BYTES);
}

/* True if at least RUN_BYTES equal bytes begin here. */
static bool run_begins(const uint8_t *bytes, size_t n) {
    return n >= RUN_BYTES && bytes[0] == bytes[1] && memcmp(bytes, bytes + 1, RUN_BYTES - 1) == 0;
}

/* True if no such run begins in the next LINE_BYTES bytes: it would cover all of the LINE_BYTES after them. */
static bool line_is_plain(const uint8_t *bytes, size_t n) {
    return n >= 2 * LINE_BYTES && memcmp(bytes + LINE_BYTES, bytes + LINE_BYTES + 1, LINE_BYTES - 1) != 0;
}

/* Writes contiguous content, LINE_BYTES a line, long runs of one byte as BYTE*COUNT. */
static void put_bytes(struct sink *sink, const uint8_t *bytes, size_t n) {
    char line[2 + 2 * LINE_BYTES + 1] = "  ";
    for (size_t at = 0; at < n;) {
        size_t taken = line_is_plain(bytes + at, n - at) ? LINE_BYTES : 0;
        while (taken < LINE_BYTES && at + taken < n && !run_begins(bytes + at + taken, n - at - taken))
            taken++;
        if (taken > 0) {
            hex_write(bytes + at, taken, line + 2);
            line[2 + 2 * taken] = '\n';
            text_add(&sink->text, line, 2 + 2 * taken + 1);
            at += taken;
        } else {
            const size_t from = at;
            while (at < n && bytes[at] == bytes[from])
                at++;
            text_printf(&sink->text, "  %02x*%zu\n", (unsigned)bytes[from], at - from);
        }
        drain(sink);
    }
}

/* Passes samples of a large blob to the compressor: start, middle and end, as text. */
static void announce(struct sink *sink, const struct blob *blob) {
    enum { SAMPLES = 3, SAMPLE = 4096 };
    struct sink sample = {.file = NULL};
    for (size_t i = 0; blob && i < SAMPLES; i++)
        put_bytes(&sample, blob->bytes + (blob->size - SAMPLE) / (SAMPLES - 1) * i, SAMPLE);
    drain_if(sink, 0);
    sink->failed = sink->failed || !file_writer_like(sink->file, sample.text.text, sample.text.n, sink->err);
    free(sample.text.text);
}

static void put_blob(struct sink *sink, const struct blob *blob, size_t label) {
    const bool sampled = sink->file && file_writer_packs(sink->file) && blob->size >= SAMPLED_BYTES;
    struct text *out = &sink->text;
    uint64_t offset = 0;
    if (sampled)
        announce(sink, blob);
    text_printf(out, "blob %zu", label);
    if (blob->name) {
        text_add(out, " ", 1);
        put_name(out, blob->name);
    }
    text_add(out, "\n", 1);
    for (size_t i = 0; i < blob->chunk_count; i++) {
        const struct blob_chunk *chunk = &blob->chunks[i];
        if (chunk->offset != offset)
            text_printf(out, "  @0x%" PRIx64 "\n", chunk->offset);
        put_bytes(sink, blob->bytes + chunk->start, chunk->size);
        offset = chunk->offset + chunk->size;
    }
    text_add(out, "end\n", 4);
    if (sampled)
        announce(sink, NULL);
}

/* " 0x..." without leading zeros: what most lines of a long trace end with. */
static void put_hex(struct text *out, uint32_t value) {
    static const char hex[] = "0123456789abcdef";
    char digits[11];
    size_t at = sizeof digits;
    do
        digits[--at] = hex[value & 15];
    while ((value >>= 4) != 0);
    digits[--at] = 'x';
    digits[--at] = '0';
    digits[--at] = ' ';
    text_add(out, digits + at, sizeof digits - at);
}

static void put_word(struct text *out, const char *word) {
    text_add(out, word, strlen(word));
}

static void put_register(struct text *out, const struct program *prog, const struct op *op) {
    const struct nvdla_register *reg = nvdla_register_at(prog->config, op->address);
    if (reg) {
        put_word(out, " ");
        put_word(out, nvdla_unit_names[reg->unit]);
        put_word(out, ".");
        put_word(out, reg->name);
    } else
        text_printf(out, " 0x%05" PRIx32, op->address);
}

static void put_relation(struct text *out, const struct program *prog, const struct op *op) {
    put_register(out, prog, op);
    put_word(out, " ");
    put_word(out, relation_text(op->relation));
    put_hex(out, op->value);
    if (op->mask != 0xffffffffu)
        text_printf(out, " mask=0x%" PRIx32, op->mask);
    if (op->kind == OP_POLL && op->attempts)
        text_printf(out, " attempts=%" PRIu32, op->attempts);
    if (op->volatile_read)
        text_printf(out, " volatile");
}

static void put_memory(struct text *out, const struct op *op) {
    text_printf(out, " %s 0x%08" PRIx64, memory_space_name(op->space), op->base);
}

static void put_two_names(struct text *out, const char *first, const char *second) {
    text_add(out, " ", 1);
    put_name(out, first);
    text_add(out, " ", 1);
    put_name(out, second);
}

static void put_fill(struct text *out, const struct op *op) {
    text_printf(out, " 0x%" PRIx64, op->size);
    if (op->pattern == PATTERN_BYTE)
        text_printf(out, " 0x%02x", (unsigned)op->fill);
    else
        text_printf(out, " %s", op->pattern == PATTERN_ADDRESS ? "address" : "random");
}

static void put_notify(struct text *out, const struct program *prog, const struct op *op) {
    const char *name = op->bit >= 0 ? nvdla_interrupt_name(op->bit) : "any";
    char number[16];
    snprintf(number, sizeof number, "%d", op->bit);
    put_two_names(out, name ? name : number, prog->events[op->event]);
}

static void put_operands(struct text *out, const struct program *prog, const struct op *op, size_t label) {
    switch (op->kind) {
    case OP_WRITE:
        put_register(out, prog, op);
        put_hex(out, op->value);
        put_word(out, op->nposted ? " nposted" : "");
        break;
    case OP_READ:
        put_register(out, prog, op);
        break;
    case OP_READ_CHECK:
    case OP_POLL:
        put_relation(out, prog, op);
        break;
    case OP_WAIT:
        text_printf(out, " %s", op->level ? "high" : "low");
        break;
    case OP_INTR_NOTIFY:
        put_notify(out, prog, op);
        break;
    case OP_SYNC_NOTIFY:
    case OP_SYNC_WAIT:
        put_two_names(out, prog->streams[op->stream], prog->events[op->event]);
        break;
    case OP_MEM_LOAD:
    case OP_MEM_CHECK:
        put_memory(out, op);
        text_printf(out, " blob=%zu", label);
        break;
    case OP_MEM_FILL:
        put_memory(out, op);
        put_fill(out, op);
        break;
    case OP_MEM_RESERVE:
        put_memory(out, op);
        text_printf(out, " 0x%" PRIx64, op->size);
        break;
    case OP_MEM_RELEASE:
        put_memory(out, op);
        break;
    case OP_MEM_CRC:
        put_memory(out, op);
        text_printf(out, " 0x%" PRIx64 " 0x%08" PRIx32, op->size, op->value);
        break;
    case OP_NOTE:
    case OP_CHECK_EVENT:
        break;
    }
}

/* Writes after=, stream= if it differs from the default, and end. */
static void put_options(struct text *out, const struct program *prog, const struct op *op) {
    const char *stream = prog->stream_count ? prog->streams[op->stream] : "main";
    if (op->after >= 0) {
        text_printf(out, " after=");
        put_name(out, prog->events[op->after]);
    }
    if (op->kind != OP_SYNC_NOTIFY && op->kind != OP_SYNC_WAIT && strcmp(stream, nvt_default_stream(prog, op)) != 0) {
        text_printf(out, " stream=");
        put_name(out, stream);
    }
    if (op->at_end)
        text_printf(out, " end");
}

/* Writes the operation's line without the line end. */
static void put_op(struct text *out, const struct program *prog, const struct op *op, size_t label) {
    if (op->kind == OP_NOTE) {
        put_note(out, op->text);
        return;
    }
    put_word(out, nvt_commands[op->kind].name);
    put_operands(out, prog, op, label);
    put_options(out, prog, op);
}

/* A blob and its number; sorted by blob for searching. */
struct label {
    const struct blob *blob;
    size_t index;
    bool written;
};

static int label_order(const void *left, const void *right) {
    const struct label *a = left, *b = right;
    if (a->blob != b->blob)
        return (uintptr_t)a->blob < (uintptr_t)b->blob ? -1 : 1;
    return 0;
}

/* A comment after a command stays on its line. */
static bool on_line_before(const struct op *op, const struct op *before) {
    return op->kind == OP_NOTE && before->kind != OP_NOTE && op->line > 0 && before->line == op->line &&
           before->file == op->file;
}

/* A trace being written. */
struct nvt_writer {
    struct sink sink;
    const struct program *head;
    struct label *labels; /* of head->blobs, sorted */
    size_t next_label;
    struct op before; /* the last operation; line 0 at first */
    bool any;
};

static void writer_begin(struct nvt_writer *writer, const struct program *head) {
    writer->head = head;
    writer->labels = xmalloc(head->blob_count * sizeof *writer->labels);
    for (size_t i = 0; i < head->blob_count; i++)
        writer->labels[i] = (struct label){.blob = head->blobs[i]};
    if (head->blob_count)
        qsort(writer->labels, head->blob_count, sizeof *writer->labels, label_order);
    text_printf(&writer->sink.text, "nvt 1\nconfig %s\nmode %s", head->config->name,
                head->sequential ? "sequential" : "streams");
}

void nvt_writer_put(struct nvt_writer *writer, const struct op *op) {
    struct sink *sink = &writer->sink;
    size_t index = 0;
    text_add(&sink->text, writer->any && on_line_before(op, &writer->before) ? " " : "\n", 1);
    if (op->kind == OP_MEM_LOAD || op->kind == OP_MEM_CHECK) {
        const struct label key = {.blob = op->blob};
        struct label *label = bsearch(&key, writer->labels, writer->head->blob_count, sizeof key, label_order);
        if (!label->written) {
            label->written = true;
            label->index = writer->next_label++;
            put_blob(sink, op->blob, label->index);
        }
        index = label->index;
    }
    put_op(&sink->text, writer->head, op, index);
    drain(sink);
    writer->before = *op;
    writer->any = true;
}

static void writer_end(struct nvt_writer *writer) {
    text_add(&writer->sink.text, "\n", 1);
    free(writer->labels);
}

static void put_program(struct nvt_writer *writer, const struct program *prog) {
    writer_begin(writer, prog);
    for (size_t i = 0; i < prog->count; i++)
        nvt_writer_put(writer, &prog->ops[i]);
    writer_end(writer);
}

char *nvt_text(const struct program *prog, size_t *n) {
    struct nvt_writer writer = {.any = false};
    put_program(&writer, prog);
    *n = writer.sink.text.n;
    return writer.sink.text.text;
}

struct nvt_writer *nvt_writer_open(const struct program *head, const char *path, struct error *err) {
    struct file_writer *file = file_writer_open(path, err);
    if (!file)
        return NULL;
    struct nvt_writer *writer = xcalloc(1, sizeof *writer);
    writer->sink = (struct sink){.file = file, .err = err};
    writer_begin(writer, head);
    return writer;
}

bool nvt_writer_close(struct nvt_writer *writer, bool fine, struct error *err) {
    writer_end(writer);
    struct sink *sink = &writer->sink;
    const bool good = !sink->failed && fine && file_writer_put(sink->file, sink->text.text, sink->text.n, err);
    const bool closed = file_writer_close(sink->file, good, err);
    free(sink->text.text);
    free(writer);
    return closed;
}

bool trace_write(const struct program *prog, const char *path, struct error *err) {
    struct nvt_writer *writer = nvt_writer_open(prog, path, err);
    for (size_t i = 0; writer && i < prog->count; i++)
        nvt_writer_put(writer, &prog->ops[i]);
    return writer && nvt_writer_close(writer, true, err);
}
