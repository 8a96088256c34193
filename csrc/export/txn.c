/* Writer of input.txn. See txn.h. */
#include "export/txn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/folder.h"
#include "export/same.h"
#include "nvdla/random.h"
#include "nvdla/xalloc.h"
#include "trace/formats.h"
#include "trace/lex.h"
#include "trace/txn.h"

enum { POSITION = 512, NAME = 128, LINE_BYTES = 32, NPOSTED = 0x20000, HIGH = 0xfffd0000 };

/* ---- the form that the format can express ---- */

struct txn_former {
    struct program *out;
    const struct program *prog;
    uint64_t seed;
    size_t changed;
    struct error *err;
    struct op op;      /* the memory operation being split into ranges */
    struct blob *blob; /* of the range */
};

static bool refuse(const struct txn_former *former, const struct op *op, const char *found, const char *fits) {
    char at[POSITION];
    return error_set(former->err, "%s: %s, which input.txn cannot express; %s",
                     op_position(former->prog, op, at, sizeof at), found, fits);
}

/* True if all bytes of the operation are in the window of its memory. */
static bool in_window(const struct txn_former *former, const struct op *op, uint64_t size) {
    const struct txn_window *window = txn_window(former->prog->config, op->space);
    if (window && op->base >= window->base && op->base - window->base < window->size &&
        size <= window->size - (op->base - window->base))
        return true;
    autofree char *found = xprintf("%s memory 0x%" PRIx64 ", 0x%" PRIx64 " bytes, lies outside %s",
                                   memory_space_name(op->space), op->base, size, window ? window->text : "any window");
    refuse(former, op, found, "its addresses select the memory; `nvcosim import --map` moves a trace");
    return false;
}

static void put_range(void *context, uint64_t offset, const uint8_t *bytes, size_t n, bool first) {
    struct txn_former *former = context;
    if (first) {
        struct op op = former->op;
        op.base += offset;
        op.blob = former->blob = program_blob(former->out, blob_new(NULL));
        program_append(former->out, &op);
    }
    blob_append(former->blob, former->blob->extent, bytes, n);
}

static bool form_content(struct txn_former *former, const struct op *op) {
    if (!in_window(former, op, op->blob->extent))
        return false;
    former->op = *op;
    blob_ranges(op->blob, put_range, former);
    return true;
}

static bool form_fill(struct txn_former *former, struct op op) {
    if (!in_window(former, &op, op.size))
        return false;
    if (op.size > TRACE_BLOB_LIMIT)
        return refuse(former, &op, "a fill of more than 1 GiB", "fill only the used part");
    if (op.size == 0)
        return true;
    autofree uint8_t *bytes = xmalloc((size_t)op.size);
    uint64_t state = former->seed ^ op.base, word = 0;
    for (size_t i = 0; i < op.size; i++) {
        if (op.pattern == PATTERN_RANDOM && i % 8 == 0)
            word = random_next(&state);
        bytes[i] = op.pattern == PATTERN_BYTE      ? op.fill
                   : op.pattern == PATTERN_ADDRESS ? (uint8_t)(op.base + i)
                                                   : (uint8_t)(word >> 8 * (i % 8));
    }
    op.kind = OP_MEM_LOAD;
    op.pattern = PATTERN_BYTE;
    op.fill = 0;
    former->op = op;
    put_range(former, 0, bytes, (size_t)op.size, true);
    return true;
}

static void form_read(struct txn_former *former, struct op op) {
    const bool informational = nvdla_register_volatile(former->prog->config, op.address, op.mask);
    former->changed += op.volatile_read != informational;
    if (op.kind == OP_POLL && op.attempts == 1) {
        op.kind = OP_READ_CHECK;
        op.attempts = 0;
    }
    op.value &= op.mask;
    if (op.mask == 0 || (op.kind == OP_READ_CHECK && op.volatile_read && !informational)) {
        struct op read = op_make(OP_READ, op.line);
        read.file = op.file;
        read.address = op.address;
        op = read;
    } else {
        op.volatile_read = informational;
    }
    program_append(former->out, &op);
}

static bool form_op(struct txn_former *former, struct op op) {
    op.at_end = false;
    if (op.kind >= OP_WRITE && op.kind <= OP_POLL && !nvdla_register_at(former->prog->config, op.address))
        return refuse(former, &op, "an access to an address without a register", "the trace player would refuse it");
    switch (op.kind) {
    case OP_READ_CHECK:
    case OP_POLL:
        form_read(former, op);
        return true;
    case OP_MEM_LOAD:
    case OP_MEM_CHECK:
        return form_content(former, &op);
    case OP_MEM_FILL:
        return form_fill(former, op);
    case OP_MEM_CRC:
        return refuse(former, &op, "a CRC", "input.txn compares bytes");
    case OP_MEM_RESERVE:
    case OP_MEM_RELEASE:
        return true;
    default:
        program_append(former->out, &op);
        return true;
    }
}

struct program *txn_form(const struct program *ordered, uint64_t seed, size_t *changed, struct error *err) {
    struct txn_former former = {.out = program_like(ordered), .prog = ordered, .seed = seed, .err = err};
    bool good = true;
    program_stream(former.out, "main");
    former.out->sequential = true;
    for (size_t i = 0; good && i < ordered->count; i++)
        good = form_op(&former, ordered->ops[i]);
    *changed = former.changed;
    if (good)
        return former.out;
    program_free(former.out);
    return NULL;
}

/* ---- the files ---- */

struct txn_writer {
    const struct program *form;
    struct folder folder;
    struct text out;
    unsigned files; /* memory files so far */
    uint32_t attempts;
    struct error *err;
};

static bool put_content(struct txn_writer *writer, const struct op *op) {
    static const char hex[] = "0123456789abcdef";
    autotext struct text text = {0};
    char name[NAME];
    const bool load = op->kind == OP_MEM_LOAD;
    snprintf(name, sizeof name, "%s_%03u.dat", load ? "load" : "golden", writer->files++);
    for (size_t i = 0; i < op->blob->size; i++) {
        char byte[6] = "0xNN ";
        byte[2] = hex[op->blob->bytes[i] >> 4];
        byte[3] = hex[op->blob->bytes[i] & 15];
        byte[4] = i + 1 == op->blob->size || (i + 1) % LINE_BYTES == 0 ? '\n' : ' ';
        text_add(&text, byte, 5);
    }
    const bool good = folder_put(&writer->folder, name, &text, writer->err);
    text_printf(&writer->out, "%s 0x%08" PRIx64 " 0x%zx %s", load ? "load_mem" : "dump_mem", op->base, op->blob->size,
                name);
    return good;
}

/* The address word; shipped traces have all of the high half set, where bit 17 is nposted. */
static uint32_t token_of(const struct op *op) {
    return HIGH | (op->kind != OP_WRITE || op->nposted ? NPOSTED : 0) | op->address / 4;
}

static void put_read(struct txn_writer *writer, const struct op *op) {
    struct text *out = &writer->out;
    const uint32_t attempts = op->kind == OP_READ_CHECK ? 1 : op->attempts;
    text_printf(out, "read_reg 0x%08" PRIx32 " 0x%08" PRIx32, token_of(op), op->mask);
    if (op->relation == RELATION_EQUAL && attempts == writer->attempts)
        text_printf(out, " 0x%08" PRIx32, op->value);
    else
        text_printf(out, " %s 0x%08" PRIx32 " %" PRIu32, relation_text(op->relation), op->value, attempts);
}

static void put_register_name(struct txn_writer *writer, const struct op *op) {
    char name[NAME];
    text_printf(&writer->out, " # %s", nvdla_register_name(writer->form->config, op->address, name, sizeof name));
}

static bool put_op(struct txn_writer *writer, const struct op *op) {
    struct text *out = &writer->out;
    bool good = true;
    switch (op->kind) {
    case OP_NOTE: {
        autofree char *shown = text_shown(op->text);
        text_printf(out, "#%s%s", shown[0] ? " " : "", shown);
        break;
    }
    case OP_WRITE:
        text_printf(out, "write_reg 0x%08" PRIx32 " 0x%08" PRIx32, token_of(op), op->value);
        put_register_name(writer, op);
        break;
    case OP_READ:
        text_printf(out, "read_reg 0x%08" PRIx32 " 0x00000000 0x00000000", token_of(op));
        put_register_name(writer, op);
        break;
    case OP_READ_CHECK:
    case OP_POLL:
        put_read(writer, op);
        put_register_name(writer, op);
        break;
    case OP_WAIT:
        text_printf(out, "%s", op->level ? "wait" : "wait low dla_intr");
        break;
    case OP_MEM_LOAD:
    case OP_MEM_CHECK:
        good = put_content(writer, op);
        break;
    default:
        break;
    }
    text_add(out, "\n", 1);
    return good;
}

/* True for a comment that an earlier export added after an access: it is written anew. */
static bool names_register(const struct program *form, const struct op *note, const struct op *op) {
    char name[NAME];
    return note->kind == OP_NOTE && op->kind >= OP_WRITE && op->kind <= OP_POLL && note->line == op->line &&
           strcmp(note->text, nvdla_register_name(form->config, op->address, name, sizeof name)) == 0;
}

/* The default number of attempts goes to plusargs.txt: that of the first poll. */
static bool put_plusargs(struct txn_writer *writer) {
    const struct program *form = writer->form;
    for (size_t i = 0; i < form->count; i++)
        if (form->ops[i].kind == OP_POLL) {
            writer->attempts = form->ops[i].attempts;
            break;
        }
    if (writer->attempts == TXN_ATTEMPTS)
        return true;
    autotext struct text text = {0};
    text_printf(&text, "+read_reg_poll_retries=%" PRIu32 "\n", writer->attempts);
    return folder_put(&writer->folder, "plusargs.txt", &text, writer->err);
}

/* Checks that reading the file back gives the same program. */
static bool read_again(const struct txn_writer *writer) {
    const struct trace_options options = {.config = writer->form->config};
    autofree char *path = xprintf("%s/input.txn", writer->folder.beside);
    autoprogram struct program *again = trace_read(path, &options, writer->err);
    const bool good = again && program_same(writer->form, again, true, writer->err);
    if (again && !good)
        error_prefix(writer->err, "reading the written file back gives another trace: ");
    return good;
}

bool export_txn(const struct program *form, const char *path, struct error *err) {
    struct txn_writer writer = {.form = form, .err = err, .attempts = TXN_ATTEMPTS};
    if (!folder_open(&writer.folder, path, err))
        return false;
    bool good = put_plusargs(&writer);
    for (size_t i = 0; good && i < form->count; i++)
        if (i == 0 || !names_register(form, &form->ops[i], &form->ops[i - 1]))
            good = put_op(&writer, &form->ops[i]);
    good = good && folder_put(&writer.folder, "input.txn", &writer.out, err) && read_again(&writer);
    free(writer.out.text);
    return folder_close(&writer.folder, good, err);
}
