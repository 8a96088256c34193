/* Writes the tables of operations and images of a C program; the rest of its text is core.inc, bare.inc and linux.inc.
 * See program_c.h. */
#include "export/program_c.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/bare.embed.h"
#include "export/core.embed.h"
#include "export/linux.embed.h"
#include "layers/tracker.h"
#include "memory/file.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"

enum {
    RUN = 64,         /* minimum length of a run of equal bytes as a separate piece */
    SINK = 64 * 1024, /* bytes of text per write */
    WORDS_A_LINE = 8, /* of the image */
    NAME = 128,
};

/* Output of a program. Images are collected in a separate text, which follows the operations. */
struct writer {
    const struct program *prog;
    struct file_writer *file;
    struct error *err;
    bool failed;
    struct text out, pieces, ops;
    uint32_t piece_count;
    uint32_t words; /* of the image so far */
    unsigned column;
    uint32_t status, mask; /* addresses of S_INTR_STATUS and S_INTR_MASK */
};

static void drain(struct writer *writer, bool all) {
    if (writer->out.n == 0 || (!all && writer->out.n < SINK))
        return;
    writer->failed = writer->failed || !file_writer_put(writer->file, writer->out.text, writer->out.n, writer->err);
    writer->out.n = 0;
}

static void put_words(struct writer *writer, const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        for (size_t b = 0; b < 8 && i + b < n; b++)
            word |= (uint64_t)bytes[i + b] << 8 * b;
        text_printf(&writer->out, "%s0x%" PRIx64 ",", writer->column ? " " : "    ", word);
        writer->column = (writer->column + 1) % WORDS_A_LINE;
        if (writer->column == 0)
            text_add(&writer->out, "\n", 1);
        writer->words++;
        drain(writer, false);
    }
}

static void put_piece(struct writer *writer, uint64_t offset, const uint8_t *bytes, size_t n, int run) {
    text_printf(&writer->pieces, "    {0x%" PRIx64 ", %zu, %" PRIu32 ", %d},\n", offset, n, run < 0 ? writer->words : 0,
                run);
    writer->piece_count++;
    if (run < 0)
        put_words(writer, bytes, n);
}

/* Writes contiguous content as pieces; long runs of one byte are separate pieces. */
static void put_content(void *context, uint64_t offset, const uint8_t *bytes, size_t n, bool range) {
    struct writer *writer = context;
    (void)range;
    size_t from = 0, at = 0;
    while (at < n) {
        size_t end = at + 1;
        while (end < n && bytes[end] == bytes[at])
            end++;
        if (end - at < RUN) {
            at = end;
            continue;
        }
        if (at > from)
            put_piece(writer, offset + from, bytes + from, at - from, -1);
        put_piece(writer, offset + at, bytes + at, end - at, bytes[at]);
        from = at = end;
    }
    if (n > from)
        put_piece(writer, offset + from, bytes + from, n - from, -1);
}

static void put_register_name(struct writer *writer, const struct op *op) {
    char name[NAME];
    text_printf(&writer->ops, " /* %s */\n", nvdla_register_name(writer->prog->config, op->address, name, sizeof name));
}

static void put_relation(struct writer *writer, const struct op *op) {
    static const char *const relations[] = {"NVDLA_EQUAL", "NVDLA_LESS_EQUAL", "NVDLA_GREATER_EQUAL"};
    text_printf(&writer->ops, "0x%" PRIx32 ", %s, 0x%" PRIx32 ", 0x%" PRIx32 ", %d", op->address,
                relations[op->relation], op->value, op->mask, op->volatile_read);
}

static void put_blob_op(struct writer *writer, const struct op *op, const char *name) {
    const uint32_t first = writer->piece_count;
    blob_ranges(op->blob, put_content, writer);
    text_printf(&writer->ops, "NVDLA_%s(%d, %d, %d, 0x%" PRIx64 ", %" PRIu32 ", %" PRIu32 ")\n", name, op->file,
                op->line, op->space, op->base, first, writer->piece_count - first);
}

static void put_fill(struct writer *writer, const struct op *op) {
    static const char *const names[] = {"FILL", "ADDRESS", "RANDOM"};
    struct text *out = &writer->ops;
    text_printf(out, "NVDLA_%s(%d, %d, %d, 0x%" PRIx64 ", 0x%" PRIx64, names[op->pattern], op->file, op->line,
                op->space, op->base, op->size);
    if (op->pattern == PATTERN_BYTE)
        text_printf(out, ", 0x%02x", (unsigned)op->fill);
    text_printf(out, ")\n");
}

/* Text for a comment, without characters that end it or form a trigraph. malloc'd. */
static char *comment_text(const char *text) {
    char *shown = text_shown(text);
    for (char *c = shown; *c; c++)
        if ((c[0] == '*' && c[1] == '/') || (c[0] == '/' && c[1] == '*') || c[0] == '?' || c[0] == '\\')
            *c = '.';
    return shown;
}

static void put_note(struct writer *writer, const struct op *op) {
    if (!op->text[0])
        return;
    autofree char *shown = comment_text(op->text);
    text_printf(&writer->ops, "    /* %s */\n", shown);
}

static void put_op(struct writer *writer, const struct op *op) {
    struct text *out = &writer->ops;
    if (op->kind == OP_NOTE) {
        put_note(writer, op);
        return;
    }
    if (op->kind == OP_MEM_RESERVE || op->kind == OP_MEM_RELEASE)
        return;
    text_add(out, "    ", 4);
    switch (op->kind) {
    case OP_WRITE:
        text_printf(out, "NVDLA_W(%d, %d, 0x%" PRIx32 ", 0x%" PRIx32 ")", op->file, op->line, op->address, op->value);
        put_register_name(writer, op);
        break;
    case OP_READ:
        text_printf(out, "NVDLA_R(%d, %d, 0x%" PRIx32 ")", op->file, op->line, op->address);
        put_register_name(writer, op);
        break;
    case OP_READ_CHECK:
    case OP_POLL:
        text_printf(out, "NVDLA_%s(%d, %d, ", op->kind == OP_POLL ? "P" : "C", op->file, op->line);
        put_relation(writer, op);
        if (op->kind == OP_POLL)
            text_printf(out, ", %" PRIu32, op->attempts);
        text_printf(out, ")");
        put_register_name(writer, op);
        break;
    case OP_WAIT:
        text_printf(out, "NVDLA_WAIT(%d, %d, %d, 0x%" PRIx32 ")\n", op->file, op->line, op->level,
                    op->level ? program_wanted_bits(writer->prog, (size_t)(op - writer->prog->ops), writer->status)
                              : 0);
        break;
    case OP_MEM_LOAD:
        put_blob_op(writer, op, "LOAD");
        break;
    case OP_MEM_CHECK:
        put_blob_op(writer, op, "COMPARE");
        break;
    case OP_MEM_FILL:
        put_fill(writer, op);
        break;
    case OP_MEM_CRC:
        text_printf(out, "NVDLA_CRC(%d, %d, %d, 0x%" PRIx64 ", 0x%" PRIx64 ", 0x%08" PRIx32 ")\n", op->file, op->line,
                    op->space, op->base, op->size, op->value);
        break;
    default:
        break;
    }
}

/* Clears the memory that checks cover. */
static void put_clearing(struct writer *writer) {
    const struct program *prog = writer->prog;
    for (int space = 0; space < SPACE_COUNT; space++) {
        struct memory *covered = memory_new();
        for (size_t i = 0; i < prog->count; i++) {
            const struct op *op = &prog->ops[i];
            if ((int)op->space != space)
                continue;
            if (op->kind == OP_MEM_CRC && op->size)
                memory_declare(covered, op->base, op->size);
            for (size_t k = 0; op->kind == OP_MEM_CHECK && k < op->blob->chunk_count; k++)
                memory_declare(covered, op->base + op->blob->chunks[k].offset, op->blob->chunks[k].size);
        }
        for (size_t i = 0; i < memory_region_count(covered); i++) {
            struct op op = op_make(OP_MEM_FILL, 0);
            memory_region(covered, i, &op.base, &op.size);
            op.space = (enum memory_space)space;
            put_op(writer, &op);
        }
        memory_free(covered);
    }
}

/* The registers that show when the engines used by the program are idle. */
static void put_idles(struct writer *writer) {
    const struct program *prog = writer->prog;
    struct text *out = &writer->out;
    struct layer_tracker *layers = layer_tracker_new(prog->config);
    size_t count = 0;
    for (size_t i = 0; i < prog->count; i++)
        if (prog->ops[i].kind == OP_WRITE)
            layer_tracker_write(layers, prog->ops[i].address, prog->ops[i].value, i);
    text_printf(out, "static const struct nvdla_idle nvdla_idles[] = {\n");
    for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        if (!layer_tracker_find(layers, (enum nvdla_unit)unit, 0))
            continue;
        const bool bdma = unit == NVDLA_BDMA;
        const struct nvdla_register *reg =
            nvdla_register_find(prog->config, (enum nvdla_unit)unit, bdma ? "STATUS" : "S_STATUS");
        if (!reg)
            continue;
        text_printf(out, "    {0x%" PRIx32 ", 0x%x, %d}, /* %s.%s */\n", reg->address, bdma ? 1u : 0x30003u, bdma,
                    nvdla_unit_names[unit], reg->name);
        count++;
    }
    if (count == 0)
        text_printf(out, "    {0x%" PRIx32 ", 0, 0} /* nothing is armed */\n", writer->status);
    text_printf(out, "};\n\n");
    layer_tracker_free(layers);
}

static void put_files(struct writer *writer) {
    struct text *out = &writer->out;
    text_printf(out, "\nstatic const char *const nvdla_files[] = {\n");
    for (size_t i = 0; i < writer->prog->file_count; i++) {
        const char *slash = strrchr(writer->prog->files[i], '/');
        char *shown = text_shown(slash ? slash + 1 : writer->prog->files[i]);
        text_printf(out, "    \"");
        for (const char *c = shown; *c; c++)
            if (*c == '"' || *c == '\\' || *c == '?')
                text_printf(out, "\\%c", *c);
            else
                text_add(out, c, 1);
        text_printf(out, "\",\n");
        free(shown);
    }
    text_printf(out, "};\n\n");
}

static void put_trace(struct writer *writer, uint64_t seed) {
    const struct program *prog = writer->prog;
    struct text *out = &writer->out;
    bool rested = false;
    text_printf(out, "\nenum { NVDLA_STATUS_OFFSET = 0x%" PRIx32 ", NVDLA_MASK_OFFSET = 0x%" PRIx32 " };\n",
                writer->status, writer->mask);
    text_printf(out, "#define NVDLA_SEED 0x%" PRIx64 "u\n", seed);
    put_files(writer);
    put_idles(writer);
    text_printf(out, "static const uint64_t nvdla_image[] = {\n");
    put_clearing(writer);
    for (size_t i = 0; i < prog->count; i++) {
        if (prog->ops[i].at_end && !rested) {
            text_printf(&writer->ops, "    NVDLA_REST\n");
            rested = true;
        }
        put_op(writer, &prog->ops[i]);
    }
    text_printf(out, "%s0};\n\nstatic const struct nvdla_piece nvdla_pieces[] = {\n", writer->column ? " " : "    ");
    drain(writer, true);
    text_add(out, writer->pieces.text ? writer->pieces.text : "", writer->pieces.n);
    text_printf(out, "    {0, 0, 0, 0}\n};\n\nstatic const struct nvdla_op nvdla_ops[] = {\n");
    text_add(out, writer->ops.text, writer->ops.n);
    if (!rested)
        text_printf(out, "    NVDLA_REST\n");
    text_printf(out, "};\n\n");
}

static void put_head(struct writer *writer, enum c_platform platform) {
    const struct program *prog = writer->prog;
    const bool bare = platform == PLATFORM_BARE;
    const char *slash = strrchr(prog->files[0], '/');
    autofree char *name = comment_text(slash ? slash + 1 : prog->files[0]);
    text_printf(
        &writer->out,
        "/* %s, configuration %s: made by nvcosim export --to %s.\n *\n *     %s\n */\n%s#include <stdint.h>\n\n", name,
        prog->config->name, bare ? "c" : "uio",
        bare ? "cc -std=c99 -O2 -ffreestanding -DNVDLA_BASE=0x10200000 FILE.c"
             : "cc -std=c99 -O2 -o PROGRAM FILE.c && ./PROGRAM --help",
        bare ? "" : "#ifndef _POSIX_C_SOURCE\n#define _POSIX_C_SOURCE 200809L\n#endif\n#define _FILE_OFFSET_BITS 64\n");
    text_printf(&writer->out, "%s", bare ? bare_inc : linux_inc);
}

bool export_c(const struct program *ordered, enum c_platform platform, uint64_t seed, const char *path,
              struct error *err) {
    static const char mark[] = "@TRACE@\n";
    struct writer writer = {
        .prog = ordered,
        .file = file_writer_open(path, err),
        .err = err,
        .status = nvdla_register_find(ordered->config, NVDLA_GLB, "S_INTR_STATUS")->address,
        .mask = nvdla_register_find(ordered->config, NVDLA_GLB, "S_INTR_MASK")->address,
    };
    if (!writer.file)
        return false;
    const char *at = strstr(core_inc, mark);
    put_head(&writer, platform);
    text_add(&writer.out, core_inc, (size_t)(at - core_inc));
    put_trace(&writer, seed);
    text_add(&writer.out, at + sizeof mark - 1, strlen(at + sizeof mark - 1));
    drain(&writer, true);
    free(writer.out.text);
    free(writer.pieces.text);
    free(writer.ops.text);
    return file_writer_close(writer.file, !writer.failed, err);
}
