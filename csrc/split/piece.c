/* Writes memory, registers, operations and final checks of a piece. See piece.h. */
#include "split/piece.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layers/tracker.h"
#include "memory/memory.h"
#include "memory/ranges.h"
#include "model/model.h"
#include "model/snapshot.h"
#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "nvdla_offsets.h"
#include "split/cut_program.h"
#include "split/split_names.h"
#include "trace/exchange.h"
#include "trace/network.h"

enum { AROUND = 1 /* extra pages before and after those that a piece touches */ };
#define NOT_FROM_LINE SIZE_MAX

struct piece_access {
    uint32_t address, value;
};

/* One of the two memories. */
struct memory_side {
    struct memory *begin;                /* at the start of the piece */
    struct ranges reads, writes, filled; /* written by the model and by operations that fill memory */
    struct range *regions;               /* declared at the start of the piece */
    size_t region_count;
};

struct piece_maker {
    struct device *model;
    struct memory_side sides[SPACE_COUNT];
    struct piece_access *registers; /* time of its start */
    size_t register_count;
};

/* ---- memory touched by the model ---- */

static void hear_write(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    struct memory_side *side = context;
    (void)origin;
    ranges_add(&side->writes, address, n);
}

static void hear_read(void *context, uint64_t address, size_t n, const struct memory_origin *origin) {
    struct memory_side *side = context;
    (void)origin;
    ranges_add(&side->reads, address, n);
}

/* Copies a range of the model's memory. */
static void copy_range(struct memory *to, const struct memory *from, uint64_t start, uint64_t size) {
    uint8_t page[MEMORY_PAGE];
    while (size > 0) {
        const uint64_t left = MEMORY_PAGE - start % MEMORY_PAGE;
        const size_t n = (size_t)(size < left ? size : left);
        memory_read(from, start, page, n);
        memory_write(to, start, page, n, NULL, NULL);
        start += n;
        size -= n;
    }
}

static void copy_all(struct memory *to, const struct memory *from) {
    uint64_t at = 0;
    while (memory_next_difference(to, from, at, &at)) {
        const uint64_t page = at / MEMORY_PAGE * MEMORY_PAGE;
        copy_range(to, from, page, MEMORY_PAGE);
        if (page > UINT64_MAX - MEMORY_PAGE)
            break;
        at = page + MEMORY_PAGE;
    }
}

struct piece_maker *piece_maker_new(struct device *model) {
    struct piece_maker *maker = xcalloc(1, sizeof *maker);
    maker->model = model;
    for (int space = 0; space < SPACE_COUNT; space++) {
        if (!model->memory[space])
            continue;
        maker->sides[space].begin = memory_new();
        memory_listen(
            model->memory[space],
            (struct memory_listener){.written = hear_write, .read = hear_read, .context = &maker->sides[space]});
    }
    return maker;
}

void piece_maker_free(struct piece_maker *maker) {
    for (int space = 0; space < SPACE_COUNT; space++) {
        struct memory_side *side = &maker->sides[space];
        memory_free(side->begin);
        ranges_free(&side->reads);
        ranges_free(&side->writes);
        ranges_free(&side->filled);
        free(side->regions);
    }
    free(maker->registers);
    free(maker);
}

/* ---- start of a piece ---- */

static void take_register(void *context, uint32_t address, uint32_t value) {
    struct piece_maker *maker = context;
    *xadd(maker->registers, maker->register_count) = (struct piece_access){address, value};
}

static void begin_side(struct memory_side *side, const struct memory *mem) {
    ranges_sort(&side->writes);
    ranges_sort(&side->filled);
    if (!side->regions) /* the first piece */
        copy_all(side->begin, mem);
    for (size_t i = 0; side->regions && i < side->writes.count; i++)
        copy_range(side->begin, mem, side->writes.list[i].start, side->writes.list[i].size);
    for (size_t i = 0; side->regions && i < side->filled.count; i++)
        copy_range(side->begin, mem, side->filled.list[i].start, side->filled.list[i].size);
    ranges_free(&side->reads);
    ranges_free(&side->writes);
    ranges_free(&side->filled);
    side->region_count = memory_region_count(mem);
    side->regions = xrealloc(side->regions, (side->region_count + 1) * sizeof *side->regions);
    for (size_t i = 0; i < side->region_count; i++)
        memory_region(mem, i, &side->regions[i].start, &side->regions[i].size);
}

void piece_begin(struct piece_maker *maker) {
    for (int space = 0; space < SPACE_COUNT; space++)
        if (maker->model->memory[space])
            begin_side(&maker->sides[space], maker->model->memory[space]);
    free(maker->registers);
    maker->registers = NULL;
    maker->register_count = 0;
    model_registers(maker->model, take_register, maker);
}

/* ---- the program ---- */

struct piece_writing {
    struct piece_maker *maker;
    const struct split *split;
    size_t piece;
    struct program *prog;
    size_t *from; /* by operation: the one in the sequence that it is */
};

static void append(struct piece_writing *writing, const struct op *op, size_t from) {
    struct op plain = *op;
    plain.stream = 0;
    plain.file = plain.line = 0;
    writing->from = xgrow(writing->from, writing->prog->count, sizeof *writing->from);
    writing->from[writing->prog->count] = from;
    program_append(writing->prog, &plain);
}

__attribute__((format(printf, 2, 3))) static void note(struct piece_writing *writing, const char *format, ...) {
    va_list args;
    va_start(args, format);
    autofree char *text = xvprintf(format, args);
    va_end(args);
    struct op op = op_make(OP_NOTE, 0);
    op.text = program_text(writing->prog, text, strlen(text));
    append(writing, &op, NOT_FROM_LINE);
}

static void put_write(struct piece_writing *writing, uint32_t address, uint32_t value) {
    struct op op = op_make(OP_WRITE, 0);
    op.address = address;
    op.value = value;
    exchange_groups(writing->prog->config, writing->split->sequence->exchanged[writing->piece], &op);
    append(writing, &op, NOT_FROM_LINE);
}

/* Lists the launches of the piece with their names in the whole program. */
static void put_names(struct piece_writing *writing) {
    const struct split *split = writing->split;
    const struct split_piece *piece = &split->pieces[writing->piece];
    int next[NVDLA_UNIT_COUNT] = {0};
    autofree char *name = split_piece_name(split, writing->piece);
    note(writing, "piece %zu of %zu of %s: %s", writing->piece + 1, split->piece_count, split->name, name);
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
        char *whole;
        while ((whole = split_launch_name(split, writing->piece, unit, next[unit])) != NULL) {
            note(writing, "%s #%d is %s", nvdla_unit_names[unit], next[unit]++, whole);
            free(whole);
        }
    }
    if (piece->deferred)
        note(writing, "armed after the cut; the whole program arms some of it before the previous piece is done");
}

/* ---- memory ---- */

static struct range common(const struct range *a, const struct range *b) {
    const uint64_t start = a->start > b->start ? a->start : b->start;
    const uint64_t a_end = a->start + a->size, b_end = b->start + b->size, end = a_end < b_end ? a_end : b_end;
    return (struct range){start, end > start ? end - start : 0};
}

/* Loads the parts of a range that are not 0. */
static void add_content(struct blob *blob, const struct memory *mem, uint64_t base, const struct range *range) {
    uint8_t page[MEMORY_PAGE];
    uint64_t at = range->start, size = range->size;
    while (size > 0) {
        const uint64_t left = MEMORY_PAGE - at % MEMORY_PAGE;
        const size_t n = (size_t)(size < left ? size : left);
        size_t first = 0, end = n;
        memory_read(mem, at, page, n);
        while (first < n && page[first] == 0)
            first++;
        while (end > first && page[end - 1] == 0)
            end--;
        blob_append(blob, at - base + first, page + first, end - first);
        at += n;
        size -= n;
    }
}

static void put_memory_op(struct piece_writing *writing, enum op_kind kind, enum memory_space space, uint64_t base,
                          uint64_t size, struct blob *blob, bool at_end) {
    struct op op = op_make(kind, 0);
    op.space = space;
    op.base = base;
    op.size = size;
    op.at_end = at_end;
    op.blob = blob ? program_blob(writing->prog, blob) : NULL;
    append(writing, &op, NOT_FROM_LINE);
}

/* Declares the kept parts of a region and loads their content. */
static void put_region(struct piece_writing *writing, enum memory_space space, const struct range *kept) {
    struct blob *blob = blob_new(NULL);
    put_memory_op(writing, OP_MEM_RESERVE, space, kept->start, kept->size, NULL, false);
    add_content(blob, writing->maker->sides[space].begin, kept->start, kept);
    if (blob->size > 0)
        put_memory_op(writing, OP_MEM_LOAD, space, kept->start, 0, blob, false);
    else
        blob_free(blob);
}

static void put_begin_of_side(struct piece_writing *writing, enum memory_space space, const struct ranges *needed,
                              bool whole) {
    const struct memory_side *side = &writing->maker->sides[space];
    struct ranges pages = ranges_pages(needed, AROUND);
    size_t next = 0;
    for (size_t i = 0; i < side->region_count; i++) {
        if (whole)
            put_region(writing, space, &side->regions[i]);
        while (next < pages.count && pages.list[next].start + pages.list[next].size <= side->regions[i].start)
            next++;
        for (size_t p = next; !whole && p < pages.count; p++) {
            const struct range kept = common(&side->regions[i], &pages.list[p]);
            if (kept.size == 0)
                break;
            put_region(writing, space, &kept);
        }
    }
    ranges_free(&pages);
}

/* Memory that operations of the piece check or fill. */
static void find_needs(struct piece_writing *writing, size_t from, size_t end, struct ranges needed[SPACE_COUNT]) {
    const struct program *prog = writing->split->sequence->prog;
    for (size_t i = from; i < end; i++) {
        const struct op *op = &prog->ops[i];
        struct memory_side *side = &writing->maker->sides[op->space];
        if (op->kind == OP_MEM_CRC)
            ranges_add(&needed[op->space], op->base, op->size);
        if (op->kind == OP_MEM_FILL)
            ranges_add(&side->filled, op->base, op->size);
        for (size_t c = 0; (op->kind == OP_MEM_CHECK || op->kind == OP_MEM_LOAD) && c < op->blob->chunk_count; c++)
            ranges_add(op->kind == OP_MEM_CHECK ? &needed[op->space] : &side->filled,
                       op->base + op->blob->chunks[c].offset, op->blob->chunks[c].size);
    }
}

static void add_all(struct ranges *to, const struct ranges *from) {
    for (size_t i = 0; i < from->count; i++)
        ranges_add(to, from->list[i].start, from->list[i].size);
}

/* Declares a region of an earlier piece again, for its release. */
static void put_released(struct piece_writing *writing, size_t from, size_t end) {
    const struct program *prog = writing->split->sequence->prog;
    for (size_t i = from; i < end; i++) {
        const struct op *release = &prog->ops[i];
        size_t d = i;
        if (release->kind != OP_MEM_RELEASE)
            continue;
        while (d-- > 0) {
            const struct op *op = &prog->ops[d];
            const bool declares = op->kind == OP_MEM_FILL || op->kind == OP_MEM_RESERVE || op->kind == OP_MEM_LOAD;
            if (!declares || op->space != release->space || op->base != release->base)
                continue;
            if (d < from)
                put_memory_op(writing, OP_MEM_RESERVE, op->space, op->base,
                              op->kind == OP_MEM_LOAD ? op->blob->extent : op->size, NULL, false);
            break;
        }
    }
}

static void put_memory(struct piece_writing *writing, size_t from, size_t end, bool last, bool whole) {
    const struct split *split = writing->split;
    struct ranges needed[SPACE_COUNT] = {{0}};
    find_needs(writing, from, end, needed);
    for (size_t i = 0; last && i < split->network.output_count; i++)
        ranges_add(&needed[split->network.outputs[i].space], split->network.outputs[i].base,
                   split->network.outputs[i].size);
    for (int space = 0; space < SPACE_COUNT; space++) {
        struct memory_side *side = &writing->maker->sides[space];
        if (side->begin) {
            ranges_sort(&side->writes);
            add_all(&needed[space], &side->reads);
            add_all(&needed[space], &side->writes);
            ranges_sort(&needed[space]);
            put_begin_of_side(writing, (enum memory_space)space, &needed[space], whole);
        }
        ranges_free(&needed[space]);
    }
    put_released(writing, from, end);
}

/* Checks everything that the piece has written, with the content of the model now. */
static void put_goldens(struct piece_writing *writing) {
    for (int space = 0; space < SPACE_COUNT; space++) {
        const struct ranges *writes = &writing->maker->sides[space].writes;
        if (writes->count == 0)
            continue;
        struct blob *blob = blob_new(NULL);
        const uint64_t base = writes->list[0].start;
        for (size_t i = 0; i < writes->count; i++) {
            autofree uint8_t *bytes = xmalloc(writes->list[i].size);
            memory_read(writing->maker->model->memory[space], writes->list[i].start, bytes, writes->list[i].size);
            blob_append(blob, writes->list[i].start - base, bytes, writes->list[i].size);
        }
        put_memory_op(writing, OP_MEM_CHECK, (enum memory_space)space, base, 0, blob, true);
    }
}

/* ---- operations ---- */

static struct blob *copy_blob(const struct blob *blob) {
    struct blob *copy = blob_new(blob->name);
    for (size_t i = 0; i < blob->chunk_count; i++)
        blob_append(copy, blob->chunks[i].offset, blob->bytes + blob->chunks[i].start, blob->chunks[i].size);
    return copy;
}

/* CDMA may be armed as soon as CBUF is filled with zeros. */
static void put_flush(struct piece_writing *writing) {
    struct op op = op_make(OP_POLL, 0);
    op.address = nvdla_unit_base(writing->prog->config, NVDLA_CDMA) + CDMA_S_CBUF_FLUSH_STATUS;
    op.value = op.mask = CDMA_S_CBUF_FLUSH_STATUS__FLUSH_DONE_MASK;
    append(writing, &op, NOT_FROM_LINE);
}

static bool has_convolution(const struct split *split, size_t piece) {
    for (size_t l = split->pieces[piece].first; l < split->pieces[piece].first + split->pieces[piece].count; l++)
        for (size_t i = 0; i < split->layers[l].launch_count; i++)
            if (split->layers[l].launches[i].unit == NVDLA_CDMA)
                return true;
    return false;
}

static void put_op(struct piece_writing *writing, size_t index) {
    const struct split *split = writing->split;
    struct op op = split->sequence->prog->ops[index];
    if (op.kind == OP_NOTE && strncmp(op.text, "network ", strlen("network ")) == 0)
        return;
    if (op.kind == OP_NOTE)
        op.text = program_text(writing->prog, op.text, strlen(op.text));
    if (op.kind == OP_MEM_LOAD || op.kind == OP_MEM_CHECK)
        op.blob = program_blob(writing->prog, copy_blob(op.blob));
    exchange_groups(split->sequence->prog->config, split->sequence->exchanged[writing->piece], &op);
    append(writing, &op, index);
}

/* Comments on the network: layers by their launches in the piece, and outputs. */
static void put_network(struct piece_writing *writing, bool last) {
    const struct split *split = writing->split;
    const struct split_piece *piece = &split->pieces[writing->piece];
    int first[NVDLA_UNIT_COUNT];
    for (enum nvdla_unit unit = 0; unit < NVDLA_UNIT_COUNT; unit++)
        first[unit] = INT32_MAX;
    for (size_t l = piece->first; l < piece->first + piece->count; l++)
        for (size_t i = 0; i < split->layers[l].launch_count; i++) {
            const struct split_launch *launch = &split->layers[l].launches[i];
            if (launch->ordinal < first[launch->unit])
                first[launch->unit] = launch->ordinal;
        }
    for (size_t l = piece->first; l < piece->first + piece->count; l++)
        for (size_t i = 0; i < split->layers[l].launch_count; i++) {
            const struct split_launch *launch = &split->layers[l].launches[i];
            const struct network_layer *of = network_layer_of(&split->network, launch->unit, launch->ordinal);
            if (!of || of->unit != launch->unit)
                continue;
            struct network_layer here = *of;
            here.ordinal -= first[launch->unit];
            network_note_layer(writing->prog, &here);
        }
    for (size_t i = 0; last && i < split->network.output_count; i++)
        network_note_output(writing->prog, &split->network.outputs[i]);
}

/* ---- counters of earlier layers ---- */

static bool is_counter_check(const struct nvdla_config *config, const struct op *op) {
    const struct nvdla_register *reg = op->kind == OP_READ_CHECK ? nvdla_register_at(config, op->address) : NULL;
    return reg && reg->grouped && reg->stored_mask == 0;
}

static bool fails(const struct play_result *result, size_t op) {
    for (size_t i = 0; i < result->failure_count; i++)
        if (result->failures[i].op == op)
            return true;
    return false;
}

/* Turns a check into a comment. */
static void leave_out(struct piece_writing *writing, size_t index) {
    struct op *op = &writing->prog->ops[index];
    char name[128];
    autofree char *text =
        xprintf("left out, because a layer of an earlier piece counted: read_check %s == 0x%x",
                nvdla_register_name(writing->prog->config, op->address, name, sizeof name), op->value);
    *op = op_make(OP_NOTE, 0);
    op->text = program_text(writing->prog, text, strlen(text));
}

/* Drops checks of counters that still show the count of an earlier piece. */
static void try_counters(struct piece_writing *writing, const struct split_options *options,
                         const struct play_result *whole) {
    struct program *prog = writing->prog;
    bool any = false;
    for (size_t i = 0; i < prog->count; i++)
        any = any || is_counter_check(prog->config, &prog->ops[i]);
    if (!any || writing->piece == 0)
        return;
    const struct model_options model_options = {.allow_outside = true,
                                                .allow_undefined = options->allow_undefined,
                                                .errata = options->errata,
                                                .threads = options->threads};
    struct device *model = model_new(prog->config, &model_options);
    struct play_options play_options;
    struct play_result result;
    play_options_default(&play_options);
    play_options.seed = options->seed;
    play(prog, model, &play_options, &result);
    for (size_t i = 0; i < result.failure_count; i++) {
        const size_t op = result.failures[i].op;
        if (is_counter_check(prog->config, &prog->ops[op]) && writing->from[op] != NOT_FROM_LINE &&
            !fails(whole, writing->from[op]))
            leave_out(writing, op);
    }
    play_result_free(&result);
    model->ops->destroy(model);
}

struct program *piece_end(struct piece_maker *maker, const struct split *split, size_t piece,
                          const struct split_options *options, const struct play_result *whole) {
    const struct cut_program *sequence = split->sequence;
    const bool last = piece + 1 == sequence->pieces;
    const size_t from = sequence->marks[piece], end = last ? sequence->prog->count : sequence->marks[piece + 1];
    struct piece_writing writing = {
        .maker = maker, .split = split, .piece = piece, .prog = program_new(sequence->prog->config, split->name)};
    program_stream(writing.prog, "main");
    writing.prog->sequential = true;
    put_names(&writing);
    put_memory(&writing, from, end, last, options->whole_memory);
    for (size_t i = 0; i < maker->register_count; i++)
        put_write(&writing, maker->registers[i].address, maker->registers[i].value);
    if (piece > 0 && has_convolution(split, piece))
        put_flush(&writing);
    for (size_t i = from; i < end; i++)
        put_op(&writing, i);
    put_goldens(&writing);
    put_network(&writing, last);
    try_counters(&writing, options, whole);
    free(writing.from);
    return writing.prog;
}
