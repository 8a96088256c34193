/* Verifies programs. Chapter 80, sections 3.3, "Illegal or undefined programming", "Corner cases". */
#include "trace/verify.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "trace/lex.h"

enum {
    POSITION = 4200,        /* room for "FILE:LINE" */
    OVERLAP_WARNINGS = 50,  /* reported pairs of overlapping loads */
    OVERLAP_WORK = 5000000, /* chunks searched for such pairs */
};

bool op_is_register(enum op_kind kind) {
    return kind == OP_WRITE || kind == OP_READ || kind == OP_READ_CHECK || kind == OP_POLL;
}

static bool fail_op(const struct program *prog, const struct op *op, struct error *err, const char *text) {
    char at[POSITION];
    return error_set(err, "%s: %s", op_position(prog, op, at, sizeof at), text);
}

/* Events: raiser[event] is the index of the operation that raises it, -1 none. */
static bool verify_events(const struct program *prog, struct error *err) {
    autofree long *raiser = xmalloc(prog->event_count * sizeof *raiser);
    for (size_t i = 0; i < prog->event_count; i++)
        raiser[i] = -1;
    char text[600], first[POSITION];
    bool good = true;
    for (size_t i = 0; good && i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (op->kind != OP_INTR_NOTIFY && op->kind != OP_SYNC_NOTIFY)
            continue;
        if (raiser[op->event] >= 0) {
            op_position(prog, &prog->ops[raiser[op->event]], first, sizeof first);
            snprintf(text, sizeof text, "event %.100s is raised a second time; the first is at %.400s",
                     prog->events[op->event], first);
            good = fail_op(prog, op, err, text);
        }
        raiser[op->event] = (long)i;
    }
    for (size_t i = 0; good && i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        int event = op->kind == OP_SYNC_WAIT ? op->event : op->after;
        if (event < 0)
            continue;
        if (raiser[event] < 0) {
            snprintf(text, sizeof text,
                     "waits for event %.100s, which nothing raises; expected an intr_notify or a "
                     "sync_notify of that name",
                     prog->events[event]);
            good = fail_op(prog, op, err, text);
        } else if (op->kind == OP_SYNC_WAIT) {
            const struct op *from = &prog->ops[raiser[event]];
            if (from->kind == OP_SYNC_NOTIFY && from->stream == op->stream && raiser[event] > (long)i) {
                op_position(prog, from, first, sizeof first);
                snprintf(text, sizeof text, "waits for event %.100s, which its own stream raises only later, at %.400s",
                         prog->events[event], first);
                good = fail_op(prog, op, err, text);
            }
        }
    }
    return good;
}

static bool is_memory(enum op_kind kind) {
    return kind == OP_MEM_LOAD || kind == OP_MEM_FILL || kind == OP_MEM_RESERVE || kind == OP_MEM_RELEASE ||
           kind == OP_MEM_CHECK || kind == OP_MEM_CRC;
}

static bool declares(enum op_kind kind) {
    return kind == OP_MEM_LOAD || kind == OP_MEM_FILL || kind == OP_MEM_RESERVE;
}

/* Bytes from op->base that the operation covers. */
static uint64_t op_size(const struct op *op) {
    if (op->kind == OP_MEM_LOAD || op->kind == OP_MEM_CHECK)
        return op->blob->extent;
    return op->kind == OP_MEM_RELEASE ? 0 : op->size;
}

static bool verify_ranges(const struct program *prog, struct error *err) {
    const struct nvdla_config *config = prog->config;
    uint64_t last = config->addr_bits >= 64 ? UINT64_MAX : ((uint64_t)1 << config->addr_bits) - 1;
    char text[300];
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (!is_memory(op->kind))
            continue;
        uint64_t size = op_size(op);
        if (op->space == SPACE_SECONDARY && !config->secondary_memory) {
            snprintf(text, sizeof text,
                     "secondary memory is named, but configuration %s has none; is that the configuration this trace "
                     "was made for?",
                     config->name);
            return fail_op(prog, op, err, text);
        }
        if (op->base > last || (size && size - 1 > last - op->base)) {
            snprintf(text, sizeof text,
                     "memory 0x%" PRIx64 ", 0x%" PRIx64 " bytes, is out of range; configuration %s has %d "
                     "address bits (last byte 0x%" PRIx64 "); is that the configuration this trace was made for?",
                     op->base, size, config->name, config->addr_bits, last);
            return fail_op(prog, op, err, text);
        }
        if (op->kind == OP_MEM_FILL && size > TRACE_FILL_LIMIT) {
            snprintf(text, sizeof text,
                     "a fill of 0x%" PRIx64 " bytes is too large; at most 0x%" PRIx64 " (4 GiB) are filled", size,
                     TRACE_FILL_LIMIT);
            return fail_op(prog, op, err, text);
        }
    }
    return true;
}

/* A range of memory [start, end], inclusive so that the last byte of the address space can be expressed. */
struct memory_piece {
    uint64_t group; /* only ranges of the same group are related */
    uint64_t start, last;
    size_t op;
};

static int piece_order(const void *left, const void *right) {
    const struct memory_piece *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->op < b->op ? -1 : a->op > b->op;
}

static void piece_add(struct memory_piece **list, size_t *count, uint64_t group, uint64_t start, uint64_t size,
                      size_t op) {
    *xadd(*list, *count) = (struct memory_piece){.group = group, .start = start, .last = start + (size - 1), .op = op};
}

/* Sorts and merges pieces that touch, within a group. Returns the new count. */
static size_t pieces_merge(struct memory_piece *list, size_t count) {
    if (!count)
        return 0;
    qsort(list, count, sizeof *list, piece_order);
    size_t n = 0;
    for (size_t i = 1; i < count; i++) {
        if (list[i].group == list[n].group && (list[n].last == UINT64_MAX || list[i].start <= list[n].last + 1)) {
            if (list[i].last > list[n].last)
                list[n].last = list[i].last;
        } else {
            list[++n] = list[i];
        }
    }
    return n + 1;
}

static int address_order(const void *left, const void *right) {
    const struct memory_piece *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->start < b->start ? -1 : a->start > b->start;
}

/* Checks that every release names the base of a declared region. */
static bool verify_releases(const struct program *prog, struct error *err) {
    autofree struct memory_piece *bases = NULL;
    size_t count = 0;
    bool good = true;
    for (size_t i = 0; i < prog->count; i++)
        if (declares(prog->ops[i].kind))
            piece_add(&bases, &count, prog->ops[i].space, prog->ops[i].base, 1, i);
    if (count)
        qsort(bases, count, sizeof *bases, piece_order);
    for (size_t i = 0; good && i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        struct memory_piece key = {.group = op->space, .start = op->base};
        if (op->kind == OP_MEM_RELEASE && !(count && bsearch(&key, bases, count, sizeof key, address_order))) {
            char text[160];
            snprintf(text, sizeof text,
                     "mem_release of 0x%" PRIx64 ": no mem_load, mem_init or mem_reserve starts at this address",
                     op->base);
            good = fail_op(prog, op, err, text);
        }
    }
    return good;
}

static bool blobs_overlap(const struct op *a, const struct op *b) {
    autofree struct memory_piece *pa = xmalloc(sizeof *pa), *pb = xmalloc(sizeof *pb);
    size_t na = 0, nb = 0;
    for (size_t i = 0; i < a->blob->chunk_count; i++)
        piece_add(&pa, &na, 0, a->base + a->blob->chunks[i].offset, a->blob->chunks[i].size, 0);
    for (size_t i = 0; i < b->blob->chunk_count; i++)
        piece_add(&pb, &nb, 0, b->base + b->blob->chunks[i].offset, b->blob->chunks[i].size, 0);
    na = pieces_merge(pa, na);
    nb = pieces_merge(pb, nb);
    bool overlap = false;
    for (size_t i = 0, j = 0; !overlap && i < na && j < nb;)
        if (pa[i].last < pb[j].start)
            i++;
        else if (pb[j].last < pa[i].start)
            j++;
        else
            overlap = true;
    return overlap;
}

/* Warns about overlapping loads without a defined order. In a program with streams, two loads are compared if they
 * start at the same event (or both at none); in a sequential one, also if no wait and no poll of the interrupt status
 * is between them. */
static void warn_overlaps(struct program *prog) {
    autofree struct memory_piece *loads = NULL;
    size_t count = 0, warned = 0, work = 0;
    uint64_t segment = 0;
    const struct nvdla_register *status = nvdla_register_find(prog->config, NVDLA_GLB, "S_INTR_STATUS");
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (prog->sequential &&
            (op->kind == OP_WAIT || (op->kind == OP_POLL && status && op->address == status->address)))
            segment++;
        uint64_t group = (segment << 32 | (uint32_t)(op->after + 1)) * SPACE_COUNT + op->space;
        if (op->kind != OP_MEM_LOAD || op->at_end || !op->blob->chunk_count)
            continue;
        uint64_t first = UINT64_MAX;
        for (size_t k = 0; k < op->blob->chunk_count; k++)
            if (op->blob->chunks[k].offset < first)
                first = op->blob->chunks[k].offset;
        piece_add(&loads, &count, group, op->base + first, op->blob->extent - first, i);
    }
    if (count)
        qsort(loads, count, sizeof *loads, piece_order);
    bool more = false;
    for (size_t i = 0; i < count && !more; i++) {
        for (size_t j = i + 1; j < count && loads[j].group == loads[i].group && loads[j].start <= loads[i].last; j++) {
            size_t early = loads[i].op < loads[j].op ? loads[i].op : loads[j].op;
            size_t late = early == loads[i].op ? loads[j].op : loads[i].op;
            work += prog->ops[early].blob->chunk_count + prog->ops[late].blob->chunk_count;
            more = work > OVERLAP_WORK || warned == OVERLAP_WARNINGS;
            if (more)
                break;
            if (!blobs_overlap(&prog->ops[early], &prog->ops[late]))
                continue;
            char first[POSITION];
            op_position(prog, &prog->ops[early], first, sizeof first);
            program_warn(prog, prog->files[prog->ops[late].file], prog->ops[late].line,
                         "this mem_load overlaps the one at %.450s; the later wins", first);
            warned++;
        }
    }
    if (more)
        program_warn(prog, prog->files[0], 0, "more mem_loads may overlap; the search was stopped");
}

static void warn_undeclared(struct program *prog) {
    autofree struct memory_piece *regions = xmalloc(sizeof *regions);
    size_t count = 0;
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        if (declares(op->kind) && op_size(op))
            piece_add(&regions, &count, op->space, op->base, op_size(op), i);
    }
    count = pieces_merge(regions, count);
    for (size_t i = 0; i < prog->count; i++) {
        const struct op *op = &prog->ops[i];
        uint64_t size = op_size(op);
        if ((op->kind != OP_MEM_CHECK && op->kind != OP_MEM_CRC) || !size)
            continue;
        size_t low = 0, high = count; /* first region after op->base */
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (regions[middle].group < op->space ||
                (regions[middle].group == op->space && regions[middle].start <= op->base))
                low = middle + 1;
            else
                high = middle;
        }
        const struct memory_piece *region = low ? &regions[low - 1] : NULL;
        if (!region || region->group != op->space || op->base > region->last || size - 1 > region->last - op->base)
            program_warn(prog, prog->files[op->file], op->line,
                         "checks memory 0x%" PRIx64 ", 0x%" PRIx64 " bytes, which is not all declared", op->base, size);
    }
}

bool program_fits(const struct program *prog, const char *path, int line, struct error *err) {
    return prog->count <= TRACE_OPS_LIMIT ||
           fail_at(err, path, line, "more than %zu commands and comments; a longer trace is not read", TRACE_OPS_LIMIT);
}

bool program_verify(struct program *prog, struct error *err) {
    if (!verify_events(prog, err) || !verify_ranges(prog, err) || !verify_releases(prog, err))
        return false;
    warn_overlaps(prog);
    if (!prog->sequential)
        warn_undeclared(prog);
    return true;
}
