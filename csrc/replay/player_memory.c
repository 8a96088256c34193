/* The player's operations on memory. */
#include "memory/space.h"
#include "nvdla/random.h"
#include "replay/player.h"
#include "replay/stream.h"

enum { POSITION = 512 /* bytes of a "FILE:LINE" */ };

/* Memory of an operation's space; NULL with a message if the configuration has none. */
static struct memory *space_of(struct player *p, const struct op *op) {
    struct memory *mem = p->dev->memory[op->space];
    char position[POSITION];
    if (!mem)
        error_set(&p->err, "%s: %s memory is used, but configuration %s has no such port",
                  op_position(p->prog, op, position, sizeof position), memory_space_name(op->space),
                  p->prog->config->name);
    return mem;
}

static void fill(const struct player *p, struct memory *mem, const struct op *op) {
    memory_declare(mem, op->base, op->size);
    if (op->pattern == PATTERN_BYTE) {
        memory_fill(mem, op->base, op->size, op->fill);
        return;
    }
    uint8_t block[4096];
    uint64_t state = p->options->seed ^ op->base;
    for (uint64_t at = 0; at < op->size; at += sizeof block) {
        size_t n = op->size - at < sizeof block ? (size_t)(op->size - at) : sizeof block;
        for (size_t i = 0; i < n; i += 8) {
            uint64_t word = op->pattern == PATTERN_RANDOM ? random_next(&state) : 0;
            for (size_t b = i; b < i + 8 && b < n; b++)
                block[b] =
                    op->pattern == PATTERN_RANDOM ? (uint8_t)(word >> 8 * (b - i)) : (uint8_t)(op->base + at + b);
        }
        memory_write(mem, op->base + at, block, n, NULL, NULL);
    }
}

/* Extent of the region that an earlier operation declared at this base; 0 if there is none. */
static uint64_t declared_size(const struct program *prog, const struct op *release) {
    for (size_t i = (size_t)(release - prog->ops); i-- > 0;) {
        const struct op *op = &prog->ops[i];
        if (op->space != release->space || op->base != release->base)
            continue;
        if (op->kind == OP_MEM_FILL || op->kind == OP_MEM_RESERVE)
            return op->size;
        if (op->kind == OP_MEM_LOAD)
            return op->blob->extent;
    }
    return 0;
}

static void check_bytes(struct player *p, const struct memory *mem, const struct op *op) {
    /* The golden bytes as an image: later chunks win, and its declared regions are the disjoint ranges covered. */
    struct memory *golden = memory_new();
    blob_write(golden, op->base, op->blob);
    for (size_t i = 0; i < op->blob->chunk_count; i++)
        memory_declare(golden, op->base + op->blob->chunks[i].offset, op->blob->chunks[i].size);
    struct play_failure failure = {.op = (size_t)(op - p->prog->ops)};
    for (size_t i = 0; i < memory_region_count(golden); i++) {
        uint64_t address, n;
        memory_region(golden, i, &address, &n);
        struct memory_difference diff;
        if (memory_compare(golden, mem, address, n, &diff))
            continue;
        if (failure.count == 0)
            failure.first = diff.first;
        failure.count += diff.count;
    }
    memory_free(golden);
    player_check(p, failure.count == 0, &failure);
}

bool player_memory(struct player *p, const struct op *op) {
    struct memory *mem = space_of(p, op);
    if (!mem)
        return false;
    switch (op->kind) {
    case OP_MEM_LOAD:
        blob_write(mem, op->base, op->blob);
        if (op->blob->extent > 0)
            memory_declare(mem, op->base, op->blob->extent);
        return true;
    case OP_MEM_FILL:
        fill(p, mem, op);
        return true;
    case OP_MEM_RESERVE:
        memory_declare(mem, op->base, op->size);
        return true;
    case OP_MEM_RELEASE:
        memory_undeclare(mem, op->base, declared_size(p->prog, op));
        return true;
    case OP_MEM_CHECK:
        check_bytes(p, mem, op);
        return true;
    case OP_MEM_CRC: {
        uint32_t crc = memory_crc32(mem, op->base, op->size);
        const struct play_failure failure = {.op = (size_t)(op - p->prog->ops), .got = crc, .expected = op->value};
        player_check(p, crc == op->value, &failure);
        return true;
    }
    default:
        return true;
    }
}
