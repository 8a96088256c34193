/* Reader of FlatBuffers with every access checked. See flat.h. */
#include "loadable/flat.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct flat flat_open(const char *name, const void *bytes, size_t n, struct error *err) {
    /* Strings may be shared, but a file that refers to the same bytes again and again is damaged. */
    return (struct flat){.bytes = bytes, .n = n, .name = name, .err = err, .budget = 2 * (uint64_t)n};
}

bool flat_fail(struct flat *flat, size_t at, const char *format, ...) {
    if (flat->failed)
        return false;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    flat->failed = true;
    return error_set(flat->err, "%s: offset 0x%zx: %s", flat->name, at, text);
}

/* Whether that many bytes at that offset are in the file. */
static bool inside(const struct flat *flat, size_t at, uint64_t bytes) {
    return at <= flat->n && bytes <= flat->n - at;
}

static uint64_t load(const struct flat *flat, size_t at, size_t bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)flat->bytes[at + i] << 8 * i;
    return value;
}

static bool spend(struct flat *flat, size_t at, uint64_t amount) {
    if (amount > flat->budget)
        return flat_fail(
            flat, at,
            "vectors and strings hold more than twice the %zu bytes of the file; expected them not to overlap",
            flat->n);
    flat->budget -= amount;
    return true;
}

/* The table at that offset: its vtable and its own bytes are in the file. */
static struct flat_table table_at(struct flat *flat, size_t at, const char *what, size_t index) {
    struct flat_table table = {.what = what, .index = index};
    if (flat->failed)
        return table;
    if (!inside(flat, at, 4)) {
        flat_fail(flat, at,
                  "%s %zu: the table begins past the end of the file (0x%zx bytes); the file is cut or damaged", what,
                  index, flat->n);
        return table;
    }
    const int64_t fields = (int64_t)at - (int32_t)load(flat, at, 4);
    if (fields < 0 || (uint64_t)fields > flat->n || !inside(flat, (size_t)fields, 4)) {
        flat_fail(flat, at, "%s %zu: found its vtable at %" PRId64 ", expected an offset inside the file (0x%zx bytes)",
                  what, index, fields, flat->n);
        return table;
    }
    table.fields = (size_t)fields;
    table.vtable_bytes = (unsigned)load(flat, table.fields, 2);
    if (table.vtable_bytes < 4 || !inside(flat, table.fields, table.vtable_bytes))
        flat_fail(flat, table.fields, "%s %zu: found a vtable of %u bytes, expected 4 or more, inside the file", what,
                  index, table.vtable_bytes);
    else
        table.at = at;
    return table;
}

struct flat_table flat_root(struct flat *flat, const char *what) {
    if (!inside(flat, 0, 8)) {
        flat_fail(flat, 0, "found %zu bytes, expected a %s: it is at least 8 bytes long", flat->n, what);
        return (struct flat_table){.what = what};
    }
    const size_t at = (size_t)load(flat, 0, 4);
    if (!inside(flat, at, 4)) {
        flat_fail(flat, 0,
                  "found its first table at 0x%zx, expected it inside the file (0x%zx bytes): it is cut, or no %s", at,
                  flat->n, what);
        return (struct flat_table){.what = what};
    }
    return table_at(flat, at, what, 0);
}

/* Offset in the file of field k, 0 if the table does not have it. */
static size_t field_at(struct flat *flat, const struct flat_table *table, unsigned k, size_t bytes, const char *field) {
    if (flat->failed || table->at == 0 || 4 + 2 * k + 2 > table->vtable_bytes)
        return 0;
    const unsigned offset = (unsigned)load(flat, table->fields + 4 + 2 * (size_t)k, 2);
    if (offset == 0)
        return 0;
    /* The table's own size is not checked: some compilers write a smaller one. */
    if (!inside(flat, table->at, offset + bytes)) {
        flat_fail(flat, table->fields + 4 + 2 * (size_t)k,
                  "%s %zu: found its %s %u bytes into the table, expected it inside the file (0x%zx bytes)",
                  table->what, table->index, field, offset, flat->n);
        return 0;
    }
    return table->at + offset;
}

bool flat_has(const struct flat *flat, const struct flat_table *table, unsigned k) {
    return !flat->failed && table->at && 4 + 2 * k + 2 <= table->vtable_bytes &&
           load(flat, table->fields + 4 + 2 * (size_t)k, 2) != 0;
}

uint64_t flat_number(struct flat *flat, const struct flat_table *table, unsigned k, size_t bytes, const char *field) {
    const size_t at = field_at(flat, table, k, bytes, field);
    return at ? load(flat, at, bytes) : 0;
}

/* The target of an offset at that place: count elements of that many bytes each. */
static struct flat_vector counted(struct flat *flat, size_t at, size_t bytes, const char *what, size_t index,
                                  const char *field) {
    const struct flat_vector none = {0};
    const uint64_t to = at + load(flat, at, 4);
    if (to > flat->n || !inside(flat, (size_t)to, 4)) {
        flat_fail(flat, at, "%s %zu: found its %s at 0x%" PRIx64 ", expected an offset inside the file (0x%zx bytes)",
                  what, index, field, to, flat->n);
        return none;
    }
    const struct flat_vector vector = {.at = (size_t)to + 4, .count = (size_t)load(flat, (size_t)to, 4)};
    if (!inside(flat, vector.at, (uint64_t)vector.count * bytes)) {
        flat_fail(flat, (size_t)to,
                  "%s %zu: found %zu elements of %zu bytes in its %s, expected at most the %zu bytes that the "
                  "file has left",
                  what, index, vector.count, bytes, field, flat->n - vector.at);
        return none;
    }
    return spend(flat, (size_t)to, vector.count) ? vector : none;
}

struct flat_vector flat_vector(struct flat *flat, const struct flat_table *table, unsigned k, size_t bytes,
                               const char *field) {
    const size_t at = field_at(flat, table, k, 4, field);
    return at ? counted(flat, at, bytes, table->what, table->index, field) : (struct flat_vector){0};
}

uint64_t flat_element(const struct flat *flat, const struct flat_vector *vector, size_t i, size_t bytes) {
    return flat->failed ? 0 : load(flat, vector->at + i * bytes, bytes);
}

struct flat_table flat_entry(struct flat *flat, const struct flat_vector *vector, size_t i, const char *what) {
    if (flat->failed)
        return (struct flat_table){.what = what, .index = i};
    const size_t at = vector->at + 4 * i;
    return table_at(flat, at + (size_t)load(flat, at, 4), what, i);
}

struct flat_table flat_table(struct flat *flat, const struct flat_table *table, unsigned k, const char *what) {
    const size_t at = field_at(flat, table, k, 4, what);
    if (!at)
        return (struct flat_table){.what = what, .index = table->index};
    return table_at(flat, at + (size_t)load(flat, at, 4), what, table->index);
}

struct flat_text flat_entry_text(struct flat *flat, const struct flat_vector *vector, size_t i, const char *what) {
    if (flat->failed)
        return (struct flat_text){.text = ""};
    const struct flat_vector text = counted(flat, vector->at + 4 * i, 1, what, i, "text");
    return (struct flat_text){.text = (const char *)flat->bytes + text.at, .n = text.count};
}

struct flat_text flat_text(struct flat *flat, const struct flat_table *table, unsigned k, const char *field) {
    const struct flat_vector text = flat_vector(flat, table, k, 1, field);
    return (struct flat_text){.text = (const char *)flat->bytes + text.at, .n = text.count};
}
