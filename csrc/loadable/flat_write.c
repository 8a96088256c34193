/* FlatBuffers, written from front to back. See flat_write.h. */
#include "loadable/flat_write.h"

#include <string.h>

enum { FIELDS_MAX = 32, HEAD = 8, TABLE_ALIGNMENT = 8 };

static void put(struct text *file, size_t at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++)
        file->text[at + i] = (char)(value >> 8 * i);
}

static void add_zeros(struct text *file, size_t n) {
    static const char zeros[64];
    for (; n > sizeof zeros; n -= sizeof zeros)
        text_add(file, zeros, sizeof zeros);
    text_add(file, zeros, n);
}

/* Zeros until n more bytes end at a multiple. */
static void align(struct text *file, size_t n, size_t multiple) {
    add_zeros(file, (multiple - (file->n + n) % multiple) % multiple);
}

static size_t add_number(struct text *file, uint64_t value, size_t bytes) {
    const size_t at = file->n;
    add_zeros(file, bytes);
    put(file, at, value, bytes);
    return at;
}

static size_t write_table(struct text *file, struct flat_record record);

static size_t write_text(struct text *file, const char *text) {
    align(file, 0, 4);
    const size_t at = add_number(file, strlen(text), 4);
    text_add(file, text, strlen(text) + 1);
    return at;
}

/* What a field refers to; returns its place. */
static size_t write_target(struct text *file, const struct flat_field *field) {
    if (field->kind == FLAT_TEXT)
        return write_text(file, field->data);
    align(file, 4, field->kind == FLAT_VECTOR && field->bytes > 4 ? field->bytes : 4);
    const size_t at = add_number(file, field->count, 4);
    if (field->kind == FLAT_VECTOR) {
        text_add(file, field->data, field->count * field->bytes);
        return at;
    }
    add_zeros(file, 4 * field->count);
    for (size_t i = 0; i < field->count; i++) {
        const size_t place = at + 4 + 4 * i;
        const size_t to = field->kind == FLAT_TEXTS ? write_text(file, ((char *const *)field->data)[i])
                                                    : write_table(file, field->records[i]);
        put(file, place, to - place, 4);
    }
    return at;
}

static size_t write_table(struct text *file, struct flat_record record) {
    size_t places[FIELDS_MAX] = {0}, size = 4;
    for (size_t i = 0; i < record.count; i++) {
        const struct flat_field *field = &record.fields[i];
        const size_t n = field->kind == FLAT_NUMBER ? field->bytes : 4;
        if (field->kind == FLAT_ABSENT)
            continue;
        if (n == 2 || n == 4 || n == 8)
            size = (size + n - 1) / n * n;
        places[i] = size;
        size += n;
    }
    /* The table begins at a multiple of 8, its vtable right before it. */
    const size_t vtable = 4 + 2 * record.count;
    align(file, vtable, TABLE_ALIGNMENT);
    add_number(file, vtable, 2);
    add_number(file, size, 2);
    for (size_t i = 0; i < record.count; i++)
        add_number(file, places[i], 2);
    const size_t at = add_number(file, vtable, 4);
    add_zeros(file, size - 4);
    for (size_t i = 0; i < record.count; i++) {
        const struct flat_field *field = &record.fields[i];
        if (field->kind == FLAT_NUMBER)
            put(file, at + places[i], field->number, field->bytes);
        else if (field->kind != FLAT_ABSENT)
            put(file, at + places[i], write_target(file, field) - at - places[i], 4);
    }
    return at;
}

struct text flat_write(struct flat_record root, const char *identifier) {
    struct text file = {0};
    add_zeros(&file, HEAD);
    memcpy(file.text + 4, identifier, 4);
    const size_t at = write_table(&file, root);
    put(&file, 0, at, 4);
    return file;
}
