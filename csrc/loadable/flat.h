/* A bounded reader of FlatBuffers, the container of loadables (87-loadables section 2).
 *
 * Every offset, count and size is checked against the file before it is used. The first error is stored as a message
 * with its offset; every later call returns an empty result, so a caller checks once, at the end of a table. The total
 * amount read is bounded by the size of the file: tables that share their vectors without limit are refused. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "nvdla/error.h"

struct flat {
    const uint8_t *bytes;
    size_t n;
    const char *name;  /* of the file, for messages */
    struct error *err; /* receives the first message */
    bool failed;
    uint64_t budget; /* elements and characters that may still be read */
};

/* A table; an absent one has all default values. */
struct flat_table {
    const char *what; /* "memory", for messages */
    size_t index;     /* index in its list */
    size_t at;        /* offset of the table in the file, 0: absent */
    size_t fields;    /* offset of its vtable */
    unsigned vtable_bytes;
};

struct flat_vector {
    size_t at, count; /* at: offset of the first element */
};

struct flat_text {
    const char *text; /* not terminated */
    size_t n;
};

/* Begins to read n bytes. */
struct flat flat_open(const char *name, const void *bytes, size_t n, struct error *err);

/* Stores the message "NAME: offset 0xAT: TEXT", unless there is one. Returns false. */
bool flat_fail(struct flat *flat, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The root table. */
struct flat_table flat_root(struct flat *flat, const char *what);

/* The value of field k, of 1, 2, 4 or 8 bytes; 0 if absent. field: its name, for messages. */
uint64_t flat_number(struct flat *flat, const struct flat_table *table, unsigned k, size_t bytes, const char *field);
bool flat_has(const struct flat *flat, const struct flat_table *table, unsigned k);

/* Field k as a vector of elements of that many bytes; count 0 if absent. */
struct flat_vector flat_vector(struct flat *flat, const struct flat_table *table, unsigned k, size_t bytes,
                               const char *field);
/* Its i-th number. */
uint64_t flat_element(const struct flat *flat, const struct flat_vector *vector, size_t i, size_t bytes);
/* Its i-th element as a table or a string; for vectors of 4-byte elements. */
struct flat_table flat_entry(struct flat *flat, const struct flat_vector *vector, size_t i, const char *what);
struct flat_text flat_entry_text(struct flat *flat, const struct flat_vector *vector, size_t i, const char *what);

/* Field k as a table, absent if the field is. */
struct flat_table flat_table(struct flat *flat, const struct flat_table *table, unsigned k, const char *what);

/* Field k as a string, empty if absent. */
struct flat_text flat_text(struct flat *flat, const struct flat_table *table, unsigned k, const char *field);
