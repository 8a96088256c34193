/* Writes FlatBuffers: what flat.h reads. A table is a list of fields by number; what they refer to follows it. */
#pragma once

#include "nvdla/text.h"

enum flat_kind { FLAT_ABSENT, FLAT_NUMBER, FLAT_TEXT, FLAT_VECTOR, FLAT_TEXTS, FLAT_TABLES };

struct flat_record;

struct flat_field {
    enum flat_kind kind;
    unsigned bytes;                    /* of a number (1 to 8, all in place) or of an element of a vector */
    uint64_t number;                   /* little endian */
    const void *data;                  /* FLAT_TEXT: terminated; FLAT_VECTOR: elements; FLAT_TEXTS: char *const * */
    const struct flat_record *records; /* FLAT_TABLES */
    size_t count;                      /* of elements, texts or tables */
};

struct flat_record {
    const struct flat_field *fields;
    size_t count;
};

/* The file with that root and identifier of four letters; free() its text. */
struct text flat_write(struct flat_record root, const char *identifier);

static inline struct flat_field flat_of_number(unsigned bytes, uint64_t number) {
    return (struct flat_field){.kind = FLAT_NUMBER, .bytes = bytes, .number = number};
}
static inline struct flat_field flat_of_text(const char *text) {
    return (struct flat_field){.kind = FLAT_TEXT, .data = text};
}
static inline struct flat_field flat_of_vector(unsigned bytes, const void *data, size_t count) {
    return (struct flat_field){.kind = FLAT_VECTOR, .bytes = bytes, .data = data, .count = count};
}
static inline struct flat_field flat_of_texts(char *const *texts, size_t count) {
    return (struct flat_field){.kind = FLAT_TEXTS, .data = texts, .count = count};
}
static inline struct flat_field flat_of_tables(const struct flat_record *records, size_t count) {
    return (struct flat_field){.kind = FLAT_TABLES, .records = records, .count = count};
}
