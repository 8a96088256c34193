/* Comparison of programs. See same.h. */
#include "export/same.h"

#include <string.h>

#include "memory/memory.h"

enum { POSITION = 512 };

static bool same_name(char *const *a, int at, char *const *b, int bt) {
    return at < 0 || bt < 0 ? at == bt : strcmp(a[at], b[bt]) == 0;
}

static struct memory *content(const struct blob *blob) {
    struct memory *mem = memory_new();
    blob_write(mem, 0, blob);
    for (size_t i = 0; i < blob->chunk_count; i++)
        if (blob->chunks[i].size)
            memory_declare(mem, blob->chunks[i].offset, blob->chunks[i].size);
    return mem;
}

static bool same_blob(const struct blob *a, const struct blob *b) {
    if (!a || !b || a == b)
        return a == b;
    struct memory *left = content(a), *right = content(b);
    uint64_t address, size, other, other_size;
    bool same =
        memory_region_count(left) == memory_region_count(right) && !memory_next_difference(left, right, 0, &address);
    for (size_t i = 0; same && i < memory_region_count(left); i++) {
        memory_region(left, i, &address, &size);
        memory_region(right, i, &other, &other_size);
        same = address == other && size == other_size;
    }
    memory_free(left);
    memory_free(right);
    return same;
}

static bool same_op(const struct program *a, const struct op *x, const struct program *b, const struct op *y) {
    return x->kind == y->kind && same_name(a->streams, x->stream, b->streams, y->stream) && x->at_end == y->at_end &&
           x->nposted == y->nposted && x->volatile_read == y->volatile_read && x->level == y->level &&
           x->relation == y->relation && x->space == y->space && x->pattern == y->pattern && x->fill == y->fill &&
           x->bit == y->bit && same_name(a->events, x->event, b->events, y->event) &&
           same_name(a->events, x->after, b->events, y->after) && x->address == y->address && x->value == y->value &&
           x->mask == y->mask && x->attempts == y->attempts && x->base == y->base && (x->blob || x->size == y->size) &&
           same_blob(x->blob, y->blob);
}

static const struct op *next_op(const struct program *prog, size_t *at, bool without_reservations) {
    while (*at < prog->count &&
           (prog->ops[*at].kind == OP_NOTE || (without_reservations && prog->ops[*at].kind == OP_MEM_RESERVE)))
        ++*at;
    return *at < prog->count ? &prog->ops[(*at)++] : NULL;
}

bool program_same(const struct program *a, const struct program *b, bool without_reservations, struct error *err) {
    size_t at = 0, bt = 0;
    char first[POSITION] = "the end", second[POSITION] = "the end";
    if (strcmp(a->config->name, b->config->name) != 0 || a->sequential != b->sequential)
        return error_set(err, "configuration or mode differ");
    for (;;) {
        const struct op *x = next_op(a, &at, without_reservations), *y = next_op(b, &bt, without_reservations);
        if (!x && !y)
            return true;
        if (x && y && same_op(a, x, b, y))
            continue;
        if (x)
            op_position(a, x, first, sizeof first);
        if (y)
            op_position(b, y, second, sizeof second);
        return error_set(err, "%s differs from %s", first, second);
    }
}
