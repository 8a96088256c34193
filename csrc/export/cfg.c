/* Writer of NAME.cfg. See cfg.h. */
#include "export/cfg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/folder.h"
#include "export/same.h"
#include "nvdla/xalloc.h"
#include "trace/formats.h"
#include "trace/lex.h"

enum { POSITION = 512, NAME = 128, PACKET = 32 };

/* ---- the form that the format can express ---- */

struct cfg_former {
    struct program *out;
    const struct program *prog;
    size_t changed;
    struct error *err;
};

static bool refuse(const struct cfg_former *former, const struct op *op, const char *found, const char *fits) {
    char at[POSITION];
    return error_set(former->err, "%s: %s, which a .cfg cannot express; %s",
                     op_position(former->prog, op, at, sizeof at), found, fits);
}

static bool is_unit(const char *stream) {
    return nvdla_unit_find(stream) != NVDLA_UNIT_COUNT;
}

/* True if the stream is the one that the command implies. */
static bool right_stream(const struct cfg_former *former, const struct op *op, const char *wanted) {
    return strcmp(former->prog->streams[op->stream], wanted) == 0 ||
           refuse(former, op, "an operation in a stream that is not that of its kind", "leave stream= out");
}

/* True if the mask covers all bits of the register; others read 0. */
static bool form_value(const struct cfg_former *former, struct op *op) {
    const struct nvdla_register *reg = nvdla_register_at(former->prog->config, op->address);
    uint32_t fields = 0;
    for (size_t i = 0; i < reg->field_count; i++)
        fields |= nvdla_field_mask(&reg->fields[i]);
    if (fields & ~op->mask)
        return refuse(former, op, "a read compared with a mask", "compare the whole register");
    op->value &= op->mask;
    op->mask = UINT32_MAX;
    return true;
}

static bool form_register(struct cfg_former *former, struct op op) {
    const struct nvdla_register *reg = nvdla_register_at(former->prog->config, op.address);
    if (!reg)
        return refuse(former, &op, "an access to an address without a register", "a .cfg has only named registers");
    if (!right_stream(former, &op, nvdla_unit_names[reg->unit]))
        return false;
    if (op.after >= 0)
        return refuse(former, &op, "a register access with after=", "use a sync_wait of its unit before it");
    op.nposted = false;
    if (op.kind == OP_READ_CHECK && op.volatile_read) {
        former->changed++;
        if (op.at_end)
            return true;
        op.kind = OP_READ;
    }
    if (op.at_end && op.kind != OP_READ_CHECK)
        return refuse(former, &op, "a write, a read or a poll at the end", "only checks can be at the end");
    if (op.kind == OP_READ) {
        op.relation = RELATION_EQUAL;
        op.value = 0;
        op.mask = UINT32_MAX;
        op.volatile_read = false;
    }
    if (op.kind == OP_READ_CHECK && op.relation != RELATION_EQUAL)
        return refuse(former, &op, "a check for less or greater", "use a poll_reg_not_less or poll_reg_not_greater");
    if ((op.kind == OP_READ_CHECK || op.kind == OP_POLL) && !form_value(former, &op))
        return false;
    former->changed += op.kind == OP_POLL && op.volatile_read && op.attempts > 0;
    op.attempts = 0;
    op.volatile_read = false;
    program_append(former->out, &op);
    return true;
}

static bool has_name(const struct op *op) {
    return op->pattern != PATTERN_BYTE || op->fill == 0 || op->fill == 0xff || op->fill == 0xa5 || op->fill == 0x5a;
}

static bool form_fill(struct cfg_former *former, struct op op) {
    if (has_name(&op)) {
        program_append(former->out, &op);
        return true;
    }
    if (op.size > TRACE_BLOB_LIMIT || op.size == 0)
        return refuse(former, &op, "a fill of more than 1 GiB with a byte that has no name", "0, ff, a5 and 5a have");
    autofree uint8_t *bytes = xmalloc((size_t)op.size);
    memset(bytes, op.fill, (size_t)op.size);
    op.kind = OP_MEM_LOAD;
    op.fill = 0;
    struct blob *blob = program_blob(former->out, blob_new(NULL));
    blob_append(blob, 0, bytes, (size_t)op.size);
    op.blob = blob;
    program_append(former->out, &op);
    return true;
}

static bool form_memory(struct cfg_former *former, struct op op) {
    const bool check = op.kind == OP_MEM_CHECK || op.kind == OP_MEM_CRC;
    if (!right_stream(former, &op, "memory"))
        return false;
    if (op.at_end && !check)
        return refuse(former, &op, "a memory command other than a check at the end", "use after= with the last event");
    if (op.at_end)
        op.after = -1;
    else if ((check || op.kind == OP_MEM_RELEASE) && op.after < 0)
        return refuse(former, &op, "a check or a release without an event",
                      "use after= with the event that it follows");
    if ((op.kind == OP_MEM_LOAD || op.kind == OP_MEM_CHECK) && op.blob->size == 0)
        return refuse(former, &op, "a file without content", "leave the command out");
    if (op.kind == OP_MEM_FILL)
        return form_fill(former, op);
    program_append(former->out, &op);
    return true;
}

static bool form_op(struct cfg_former *former, struct op op) {
    switch (op.kind) {
    case OP_NOTE:
        program_append(former->out, &op);
        return true;
    case OP_WRITE:
    case OP_READ:
    case OP_READ_CHECK:
    case OP_POLL:
        return form_register(former, op);
    case OP_WAIT:
        return refuse(former, &op, "a wait for a level of the interrupt line", "use intr_notify and sync_wait");
    case OP_INTR_NOTIFY:
        if (op.bit >= 0 && !nvdla_interrupt_name(op.bit))
            return refuse(former, &op, "an interrupt without a name", "name its source");
        if (!right_stream(former, &op, "interrupt"))
            return false;
        break;
    case OP_SYNC_NOTIFY:
    case OP_SYNC_WAIT:
        if (!is_unit(former->prog->streams[op.stream]))
            return refuse(former, &op, "an event of a stream that does not belong to a unit",
                          "in a .cfg each stream belongs to a unit");
        break;
    case OP_CHECK_EVENT:
        if (!right_stream(former, &op, "memory"))
            return false;
        break;
    default:
        return form_memory(former, op);
    }
    if (op.at_end || (op.after >= 0 && op.kind != OP_CHECK_EVENT))
        return refuse(former, &op, "an event operation with after= or at the end", "leave that out");
    program_append(former->out, &op);
    return true;
}

/* Converts names of events to unique identifiers. */
static void form_events(struct cfg_former *former) {
    for (size_t i = 0; i < former->prog->event_count; i++) {
        autofree char *name = xstrdup(former->prog->events[i]);
        for (char *c = name; *c; c++)
            if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_'))
                *c = '_';
        if ((name[0] >= '0' && name[0] <= '9') || name[0] == '\0') {
            char *longer = xprintf("id_%s", name);
            free(name);
            name = longer;
        }
        const size_t before = former->out->event_count;
        program_event(former->out, name);
        while (former->out->event_count == before) { /* another event has that name */
            char *longer = xprintf("%s_%zu", name, i);
            free(name);
            name = longer;
            program_event(former->out, name);
        }
    }
}

static int end_order(const void *left, const void *right) {
    const struct op *a = *(const struct op *const *)left, *b = *(const struct op *const *)right;
    const int left_kind = a->kind == OP_READ_CHECK, right_kind = b->kind == OP_READ_CHECK;
    if (left_kind != right_kind)
        return left_kind - right_kind;
    if (a->kind != b->kind) /* CRCs are now operations with `after`, not `end` */
        return a->kind == OP_MEM_CRC ? -1 : 1;
    if (!left_kind && a->base != b->base)
        return a->base < b->base ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* An event that is raised after all interrupts. -1: there are none. */
static int last_event(struct cfg_former *former) {
    struct program *out = former->out;
    const size_t count = out->count;
    struct op op = op_make(OP_SYNC_WAIT, 0);
    op.stream = (uint16_t)program_stream(out, "GLB");
    for (size_t i = 0; i < count; i++) {
        if (out->ops[i].kind != OP_INTR_NOTIFY)
            continue;
        op.event = out->ops[i].event;
        program_append(out, &op);
    }
    if (out->count == count)
        return -1;
    const size_t events = out->event_count;
    autofree char *name = xstrdup("the_end");
    op.kind = OP_SYNC_NOTIFY;
    while ((op.event = program_event(out, name)) < (int)events) {
        char *longer = xprintf("%s_", name);
        free(name);
        name = longer;
    }
    program_append(out, &op);
    return op.event;
}

/* Moves CRCs at the end to after all interrupts. */
static bool form_last_crcs(struct cfg_former *former, const struct op **end, size_t count) {
    int event = -1;
    for (size_t i = 0; i < count; i++) {
        struct op op = *end[i];
        if (op.kind != OP_MEM_CRC)
            continue;
        if (event < 0 && (event = last_event(former)) < 0)
            return refuse(former, &op, "a CRC at the end of a trace without interrupts", "after= an event fits");
        op.at_end = false;
        op.after = event;
        program_append(former->out, &op);
    }
    return true;
}

/* Moves checks at the end to the end, in the order of reading the files. */
static bool form_end(struct cfg_former *former) {
    struct program *out = former->out;
    const size_t total = out->count;
    autofree struct op *ops = xmalloc(total * sizeof *ops);
    autofree const struct op **end = xmalloc(total * sizeof *end);
    size_t count = 0;
    if (total > 0)
        memcpy(ops, out->ops, total * sizeof *ops);
    out->count = 0;
    for (size_t i = 0; i < total; i++)
        if (ops[i].at_end)
            end[count++] = &ops[i];
        else
            program_append(out, &ops[i]);
    bool good = form_last_crcs(former, end, count);
    if (count > 0)
        qsort(end, count, sizeof *end, end_order);
    for (size_t i = 0; good && i < count; i++) {
        if (end[i]->kind == OP_MEM_CRC)
            continue;
        if (i > 0 && end[i]->kind == OP_MEM_CHECK && end[i - 1]->kind == OP_MEM_CHECK &&
            end[i]->base == end[i - 1]->base)
            good = refuse(former, end[i], "two checks of one address at the end",
                          "use after= with an event for one of them");
        program_append(out, end[i]);
    }
    return good;
}

struct program *cfg_form(const struct program *streams, size_t *changed, struct error *err) {
    struct cfg_former former = {.out = program_like(streams), .prog = streams, .err = err};
    bool good = true;
    for (size_t i = 0; i < streams->stream_count; i++)
        program_stream(former.out, streams->streams[i]);
    form_events(&former);
    for (size_t i = 0; good && i < streams->count; i++)
        good = form_op(&former, streams->ops[i]);
    good = good && form_end(&former);
    *changed = former.changed;
    if (good)
        return former.out;
    program_free(former.out);
    return NULL;
}

/* ---- the files ---- */

struct cfg_writer {
    const struct program *form;
    struct folder folder;
    const char *name; /* of the test */
    struct text out, registers;
    struct text packets; /* of the current file */
    unsigned files;
    int digits; /* of addresses in names of goldens */
    struct error *err;
};

static void put_packets(void *context, uint64_t offset, const uint8_t *bytes, size_t n, bool first) {
    static const char hex[] = "0123456789abcdef";
    struct text *out = context;
    (void)first;
    for (size_t at = 0; at < n; at += PACKET) {
        const size_t size = n - at < PACKET ? n - at : PACKET;
        text_printf(out, "{offset:0x%" PRIx64 ", size:%zu, payload:", offset + at, size);
        for (size_t i = at; i < at + size; i++) {
            const char byte[] = {'0', 'x', hex[bytes[i] >> 4], hex[bytes[i] & 15], ' '};
            text_add(out, byte, i + 1 < at + size ? 5 : 4);
        }
        text_add(out, "},\n", 3);
    }
}

static bool put_file(struct cfg_writer *writer, const char *name, const struct blob *blob) {
    writer->packets.n = 0;
    text_add(&writer->packets, "{\n", 2);
    blob_ranges(blob, put_packets, &writer->packets);
    text_add(&writer->packets, "}\n", 2);
    return folder_put(&writer->folder, name, &writer->packets, writer->err);
}

static const char *register_of(const struct cfg_writer *writer, const struct op *op, char text[NAME]) {
    const struct nvdla_register *reg = nvdla_register_at(writer->form->config, op->address);
    snprintf(text, NAME, "NVDLA_%s.%s_0", nvdla_unit_names[reg->unit], reg->name);
    return text;
}

static const char *space_of(const struct op *op) {
    return op->space == SPACE_PRIMARY ? "pri_mem" : "sec_mem";
}

/* Writes the id as the last operand, and the end of the command. */
static void put_after(struct cfg_writer *writer, const struct op *op) {
    if (op->after >= 0)
        text_printf(&writer->out, ", %s", writer->form->events[op->after]);
    text_add(&writer->out, ");\n", 3);
}

static bool put_load(struct cfg_writer *writer, const struct op *op) {
    char name[NAME];
    snprintf(name, sizeof name, "load_%03u.dat", writer->files++);
    text_printf(&writer->out, "mem_load(%s, 0x%08" PRIx64 ", \"%s\"", space_of(op), op->base, name);
    put_after(writer, op);
    return put_file(writer, name, op->blob);
}

static bool put_check(struct cfg_writer *writer, const struct op *op) {
    autofree char *name = op->at_end ? xprintf("%s_golden_%0*" PRIx64 ".dat", writer->name, writer->digits, op->base)
                                     : xprintf("check_%03u.dat", writer->files++);
    if (!op->at_end)
        text_printf(&writer->out, "check_file(%s, %s, 0x%08" PRIx64 ", 0x%" PRIx64 ", \"%s\");\n",
                    writer->form->events[op->after], space_of(op), op->base, op->blob->extent, name);
    return put_file(writer, name, op->blob);
}

static void put_fill(struct cfg_writer *writer, const struct op *op) {
    const char *pattern = op->pattern == PATTERN_RANDOM    ? "RANDOM"
                          : op->pattern == PATTERN_ADDRESS ? "ADDR"
                          : op->fill == 0                  ? "ALL_ZERO"
                          : op->fill == 0xff               ? "ONES"
                          : op->fill == 0xa5               ? "AFIVE"
                                                           : "FIVEA";
    text_printf(&writer->out, "mem_init(%s, 0x%08" PRIx64 ", 0x%" PRIx64 ", %s", space_of(op), op->base, op->size,
                pattern);
    put_after(writer, op);
}

static void put_check_of_register(struct cfg_writer *writer, const struct op *op) {
    const struct nvdla_register *reg = nvdla_register_at(writer->form->config, op->address);
    char name[NAME];
    if (op->at_end)
        text_printf(&writer->registers, "%s,%s,0x%" PRIx32 "\n", nvdla_unit_names[reg->unit], reg->name, op->value);
    else
        text_printf(&writer->out, "reg_read_check(%s, 0x%" PRIx32 ");\n", register_of(writer, op, name), op->value);
}

static bool put_memory_op(struct cfg_writer *writer, const struct op *op) {
    struct text *out = &writer->out;
    switch (op->kind) {
    case OP_MEM_LOAD:
        return put_load(writer, op);
    case OP_MEM_FILL:
        put_fill(writer, op);
        return true;
    case OP_MEM_RESERVE:
        text_printf(out, "mem_reserve(%s, 0x%08" PRIx64 ", 0x%" PRIx64, space_of(op), op->base, op->size);
        put_after(writer, op);
        return true;
    case OP_MEM_RELEASE:
        text_printf(out, "mem_release(%s, 0x%08" PRIx64, space_of(op), op->base);
        put_after(writer, op);
        return true;
    case OP_MEM_CHECK:
        return put_check(writer, op);
    case OP_MEM_CRC:
        text_printf(out, "check_crc(%s, %s, 0x%08" PRIx64 ", 0x%" PRIx64 ", 0x%08" PRIx32 ");\n",
                    writer->form->events[op->after], space_of(op), op->base, op->size, op->value);
        return true;
    default:
        return true;
    }
}

static bool put_op(struct cfg_writer *writer, const struct op *op) {
    static const char *const polls[] = {"poll_reg_equal", "poll_reg_not_greater", "poll_reg_not_less"};
    struct text *out = &writer->out;
    char *const *events = writer->form->events;
    char name[NAME];
    switch (op->kind) {
    case OP_NOTE: {
        autofree char *shown = text_shown(op->text);
        text_printf(out, "//%s%s\n", shown[0] ? " " : "", shown);
        return true;
    }
    case OP_WRITE:
        text_printf(out, "reg_write(%s, 0x%" PRIx32 ");\n", register_of(writer, op, name), op->value);
        return true;
    case OP_READ:
        text_printf(out, "reg_read(%s, unused);\n", register_of(writer, op, name));
        return true;
    case OP_READ_CHECK:
        put_check_of_register(writer, op);
        return true;
    case OP_POLL:
        text_printf(out, "%s(%s, 0x%" PRIx32 ");\n", polls[op->relation], register_of(writer, op, name), op->value);
        return true;
    case OP_INTR_NOTIFY:
        if (op->bit < 0)
            text_printf(out, "intr_notify(%s);\n", events[op->event]);
        else
            text_printf(out, "intr_notify(%s, %s);\n", nvdla_interrupt_name(op->bit), events[op->event]);
        return true;
    case OP_SYNC_NOTIFY:
    case OP_SYNC_WAIT:
        text_printf(out, "sync_%s(NVDLA_%s, %s);\n", op->kind == OP_SYNC_WAIT ? "wait" : "notify",
                    writer->form->streams[op->stream], events[op->event]);
        return true;
    case OP_MEM_LOAD:
    case OP_MEM_FILL:
    case OP_MEM_RESERVE:
    case OP_MEM_RELEASE:
    case OP_MEM_CHECK:
    case OP_MEM_CRC:
        return put_memory_op(writer, op);
    case OP_CHECK_EVENT:
        text_printf(out, "check_nothing(%s);\n", events[op->after]);
        return true;
    case OP_WAIT:
        break;
    }
    return true;
}

static bool read_again(const struct cfg_writer *writer) {
    const struct trace_options options = {.config = writer->form->config};
    autofree char *path = xprintf("%s/%s.cfg", writer->folder.beside, writer->name);
    autoprogram struct program *again = trace_read(path, &options, writer->err);
    const bool good = again && program_same(writer->form, again, false, writer->err);
    if (again && !good)
        error_prefix(writer->err, "reading the written file back gives another trace: ");
    return good;
}

/* Digits of the largest address among the goldens, at least 8. */
static int golden_digits(const struct program *form) {
    int digits = 8;
    for (size_t i = 0; i < form->count; i++)
        while (form->ops[i].kind == OP_MEM_CHECK && digits < 16 && form->ops[i].base >> 4 * digits)
            digits++;
    return digits;
}

bool export_cfg(const struct program *form, const char *path, struct error *err) {
    struct cfg_writer writer = {.form = form, .err = err, .digits = golden_digits(form)};
    if (!folder_open(&writer.folder, path, err))
        return false;
    const char *slash = strrchr(writer.folder.path, '/');
    writer.name = slash ? slash + 1 : writer.folder.path;
    bool good = true;
    for (size_t i = 0; good && i < form->count; i++)
        good = put_op(&writer, &form->ops[i]);
    if (good && writer.registers.n > 0) {
        autotext struct text table = {0};
        autofree char *name = xprintf("%s_regs.csv", writer.name);
        text_printf(&table, "unit,register,value\n%s", writer.registers.text);
        good = folder_put(&writer.folder, name, &table, err);
    }
    autofree char *name = xprintf("%s.cfg", writer.name);
    good = good && folder_put(&writer.folder, name, &writer.out, err) && read_again(&writer);
    free(writer.out.text);
    free(writer.registers.text);
    free(writer.packets.text);
    return folder_close(&writer.folder, good, err);
}
