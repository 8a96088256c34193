/* Writes the trace of an import: its head, the content of memory, the operations of the temporary file. See lift.h. */
#include <inttypes.h>
#include <stdlib.h>

#include "import/lift.h"
#include "import/lift_memory.h"
#include "import/lift_state.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "trace/exchange.h"
#include "trace/nvt.h"

/* "SDP_0 CACC_0", malloc'd. */
static char *interrupt_names(uint32_t bits) {
    struct text text = {0};
    for (int bit = 0; bit < 32; bit++)
        if (bits >> bit & 1)
            text_printf(&text, "%s%s", text.n ? " " : "", nvdla_interrupt_name(bit) ? nvdla_interrupt_name(bit) : "?");
    return text.text;
}

/* Comments at the top of the trace: its origin and the guesses. */
static void append_title(const struct lift *lift, struct program *head) {
    const struct lift_summary *summary = lift->summary;
    const struct source_notes *notes = source_notes(lift->source);
    program_note(head, "imported from %s (%s): %" PRIu64 " writes, %" PRIu64 " reads", lift->options->title,
                 source_format(lift->source), summary->writes, summary->reads);
    const struct words *lists[] = {&notes->dropped, &notes->guessed, &summary->guessed};
    static const char *const heads[] = {"dropped: ", "guessed: ", "guessed: "};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l]->count; i++)
            program_note(head, "%s%s", heads[l], lists[l]->items[i]);
}

static bool write_record(const struct lift *lift, struct nvt_writer *writer, const struct record *record,
                         struct text *text) {
    text->n = 0;
    text_add(text, "", 0);
    for (uint32_t left = record->text; left > 0;) {
        char part[256];
        const size_t n = fread(part, 1, left < sizeof part ? left : sizeof part, lift->records);
        if (n == 0)
            return error_set(lift->err, "the temporary file of the operations cannot be read");
        text_add(text, part, n);
        left -= (uint32_t)n;
    }
    if (record->kind == RECORD_LAUNCH) {
        const uint32_t group = record->value ^ (lift->turn_second >> record->address & 1);
        autofree char *line = xprintf("%s group %" PRIu32 "%s", nvdla_unit_names[record->address], group, text->text);
        struct op note = op_make(OP_NOTE, 0);
        note.text = line;
        nvt_writer_put(writer, &note);
        return true;
    }
    if (record->kind == RECORD_SLOT) {
        struct op ops[2];
        const size_t count = lift_memory_slot(lift->memory, (int)record->address, ops);
        for (size_t i = 0; i < count; i++)
            nvt_writer_put(writer, &ops[i]);
        return true;
    }
    struct op op = op_make((enum op_kind)record->kind, record->line);
    op.address = record->address;
    op.value = record->value;
    op.mask = record->mask;
    op.volatile_read = record->volatile_read;
    op.relation = (enum relation)record->relation;
    op.level = op.kind == OP_WAIT ? (uint8_t)record->value : 0;
    op.text = text->text;
    /* Only BDMA's polls compare for other than equality, and it has no S_POINTER. */
    exchange_groups(lift->config, lift->turn_second, &op);
    nvt_writer_put(writer, &op);
    if (op.kind == OP_POLL && is_register(lift, op.address, NVDLA_GLB, GLB_S_INTR_STATUS)) {
        autofree char *names = interrupt_names(op.value);
        struct op note = op_make(OP_NOTE, record->line);
        note.text = names;
        nvt_writer_put(writer, &note);
    }
    return true;
}

bool lift_write(struct lift *lift) {
    autoprogram struct program *blobs = program_new(lift->config, lift->options->title);
    autoprogram struct program *head = program_new(lift->config, lift->options->title);
    blobs->sequential = head->sequential = true;
    program_stream(blobs, "main");
    program_stream(head, "main");
    lift_memory_finish(lift->memory, blobs, lift->summary);
    append_title(lift, head);
    for (size_t i = 0; i < blobs->count; i++)
        program_append(head, &blobs->ops[i]);
    bool good = fflush(lift->records) == 0 && !ferror(lift->records);
    if (!good)
        error_set(lift->err, "the temporary file of the operations cannot be written; is there space in TMPDIR?");
    rewind(lift->records);
    struct nvt_writer *writer = good ? nvt_writer_open(blobs, lift->options->path, lift->err) : NULL;
    if (writer) {
        struct record record;
        autotext struct text text = {0};
        struct op *rest;
        for (size_t i = 0; i < head->count; i++)
            nvt_writer_put(writer, &head->ops[i]);
        while (good && fread(&record, sizeof record, 1, lift->records) == 1)
            good = write_record(lift, writer, &record, &text);
        const size_t count = lift_memory_rest(lift->memory, &rest);
        for (size_t i = 0; i < count; i++)
            nvt_writer_put(writer, &rest[i]);
        good = nvt_writer_close(writer, good, lift->err);
    }
    return writer && good;
}
