/* Reads the files of element streams. See tap_reader.h and, for the format, tap_file.h. */
#include "observe/tap_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "observe/tap_file.h"

struct tap_reader {
    char *path;
    FILE *in;
    struct tap_position at;              /* of the launch and its elements */
    uint32_t head[HEAD_WORDS];           /* of the block; 0 elements: no block yet */
    uint8_t *packed;                     /* its data in the file */
    uint8_t *places, *elements, *clocks; /* unpacked, if open */
    bool open;
    size_t next;     /* element of the block */
    size_t size;     /* bytes of an element in the block */
    size_t place_at; /* position in the places: the next rectangle */
    size_t clock_at; /* position in the clocks: the next beats */
    int64_t record[RECORD_FIELDS];
    size_t in_rectangle; /* element of it */
    struct beats beats;  /* remaining beats, including this one */
    uint64_t in_beat;    /* remaining elements of the beat */
};

struct tap_reader *tap_reader_open(const char *path, struct error *err) {
    FILE *in = fopen(path, "rb");
    if (!in) {
        error_set(err, "%s: %m", path);
        return NULL;
    }
    char line[128];
    int unit, tap, client;
    uint32_t order;
    if (!fgets(line, sizeof line, in) || sscanf(line, TAP_FILE_LINE, &unit, &tap, &client) != 3 || unit < 0 ||
        unit > NVDLA_UNIT_COUNT || tap < 0 || tap >= TAP_COUNT || fread(&order, sizeof order, 1, in) != 1 ||
        order != BYTE_ORDER_MARK) {
        fclose(in);
        error_set(err, "%s: not a recorded stream of version 6 made on a machine of this byte order", path);
        return NULL;
    }
    struct tap_reader *reader = xcalloc(1, sizeof *reader);
    reader->path = xstrdup(path);
    reader->in = in;
    reader->at.stream = (struct tap_stream){.unit = (enum nvdla_unit)unit, .tap = (enum tap)tap, .client = client};
    return reader;
}

void tap_reader_close(struct tap_reader *reader) {
    fclose(reader->in);
    free(reader->path);
    free(reader->packed);
    free(reader->places);
    free(reader->elements);
    free(reader->clocks);
    free(reader);
}

static enum tap_read damaged(const struct tap_reader *reader, struct error *err) {
    error_set(err, "%s: is damaged or cut off", reader->path);
    return TAP_READ_FAILED;
}

/* True if a recorder writes blocks of these sizes. */
static bool head_is_good(const uint32_t head[HEAD_WORDS]) {
    const uint32_t elements = head[ELEMENTS], format = head[KIND] & 0xff, size = head[KIND] >> 8 & 0xff;
    if (format >= TAP_FORMATS || size < 1 || elements < 1)
        return false;
    const uint32_t whole = (uint32_t)tap_element_bytes((enum tap_format)format);
    return elements <= BLOCK_BYTES / whole && size <= whole &&
           head[PLACES] <= elements * (RECORD_FIELDS + 1) * NUMBER_BYTES &&
           head[CLOCKS] <= 3 * elements * NUMBER_BYTES && head[PLACES_HELD] <= bound_of(head[PLACES]) &&
           head[ELEMENTS_HELD] <= bound_of(elements * size) && head[CLOCKS_HELD] <= bound_of(head[CLOCKS]);
}

/* Reads the next block and leaves it packed. */
static enum tap_read next_block(struct tap_reader *reader, struct error *err) {
    uint32_t head[HEAD_WORDS];
    const size_t n = fread(head, 1, sizeof head, reader->in);
    if (n == 0 && feof(reader->in))
        return TAP_READ_END;
    if (n != sizeof head || !head_is_good(head))
        return damaged(reader, err);
    const size_t packed = all_held(head);
    reader->packed = xrealloc(reader->packed, packed);
    if (fread(reader->packed, 1, packed, reader->in) != packed)
        return damaged(reader, err);
    memcpy(reader->head, head, sizeof head);
    reader->open = false;
    reader->next = 0;
    reader->size = head[KIND] >> 8 & 0xff;
    reader->at.stream.ordinal = (int)(int32_t)head[ORDINAL];
    reader->at.stream.format = (enum tap_format)(head[KIND] & 0xff);
    reader->at.stream.width = (int)(head[KIND] >> 16);
    return TAP_READ_ELEMENT;
}

static bool unpack(uint8_t **to, size_t size, const uint8_t *from, size_t packed) {
    *to = xrealloc(*to, size);
    return LZ4_decompress_safe((const char *)from, (char *)*to, (int)packed, (int)size) == (int)size;
}

static enum tap_read open_block(struct tap_reader *reader, struct error *err) {
    const uint32_t *head = reader->head;
    const uint8_t *packed = reader->packed;
    if (check_of(head, packed, all_held(head)) != head[CHECK] ||
        !unpack(&reader->places, head[PLACES], packed, head[PLACES_HELD]) ||
        !unpack(&reader->elements, head[ELEMENTS] * reader->size, packed + head[PLACES_HELD], head[ELEMENTS_HELD]) ||
        !unpack(&reader->clocks, head[CLOCKS], packed + content_held(head), head[CLOCKS_HELD]))
        return damaged(reader, err);
    reader->open = true;
    reader->place_at = reader->clock_at = reader->in_rectangle = 0;
    reader->beats = (struct beats){.count = 0};
    reader->in_beat = 0;
    reader->at.place.cycle = 0;
    memset(reader->record, 0, sizeof reader->record);
    return TAP_READ_ELEMENT;
}

/* One number from a part of a block, which has `size` bytes. */
static bool get_number(const uint8_t *bytes, size_t size, size_t *at, uint64_t *number) {
    *number = 0;
    for (unsigned shift = 0; shift < 64 && *at < size; shift += 7) {
        const uint8_t byte = bytes[(*at)++];
        *number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return true;
    }
    return false;
}

static bool next_rectangle(struct tap_reader *reader) {
    int64_t *record = reader->record;
    uint64_t by;
    if (reader->head[PLACES] - reader->place_at < MASK_BYTES)
        return false;
    const uint8_t *mask = reader->places + reader->place_at;
    const unsigned changed = mask[0] | (unsigned)mask[1] << 8;
    reader->place_at += MASK_BYTES;
    for (int i = 0; i < RECORD_FIELDS; i++) {
        if (!(changed >> i & 1))
            continue;
        if (!get_number(reader->places, reader->head[PLACES], &reader->place_at, &by))
            return false;
        record[i] = (int64_t)((uint64_t)record[i] + (by >> 1 ^ (0 - (by & 1))));
    }
    for (int i = 0; i < RECORD_FIELDS; i++)
        if (i != ADDRESS && i != FLAGS && (record[i] < INT32_MIN || record[i] > INT32_MAX))
            return false;
    reader->in_rectangle = 0;
    return record[ROWS] >= 1 && record[LANES] >= 1 &&
           (uint64_t)record[ROWS] * (uint64_t)record[LANES] <= reader->head[ELEMENTS] - reader->next;
}

static bool next_beat(struct tap_reader *reader) {
    struct beats *beats = &reader->beats;
    const size_t size = reader->head[CLOCKS];
    if (beats->count == 0 && (!get_number(reader->clocks, size, &reader->clock_at, &beats->count) ||
                              !get_number(reader->clocks, size, &reader->clock_at, &beats->elements) ||
                              !get_number(reader->clocks, size, &reader->clock_at, &beats->step)))
        return false;
    if (beats->count == 0 || beats->elements == 0)
        return false;
    beats->count--;
    reader->in_beat = beats->elements;
    reader->at.place.cycle += beats->step;
    return true;
}

static int64_t value_at(const struct tap_reader *reader, size_t i) {
    uint64_t value = 0;
    memcpy(&value, reader->elements + i * reader->size, reader->size); /* little endian */
    const unsigned above = 64 - 8 * (unsigned)reader->size;
    return is_integer(reader->at.stream.format) ? (int64_t)(value << above) >> above : (int64_t)value;
}

/* The next element of the block. */
static enum tap_read next_of_block(struct tap_reader *reader, struct tap_element *element, struct error *err) {
    const int64_t *record = reader->record;
    if ((reader->in_rectangle == (size_t)(record[ROWS] * record[LANES]) && !next_rectangle(reader)) ||
        (reader->in_beat == 0 && !next_beat(reader)))
        return damaged(reader, err);
    const size_t row = reader->in_rectangle / (size_t)record[LANES],
                 lane = reader->in_rectangle % (size_t)record[LANES];
    element->at.stream = reader->at.stream;
    element->at.place = (struct tap_place){
        .batch = (int32_t)record[BATCH],
        .channel = (int32_t)(record[CHANNEL] < 0 ? record[CHANNEL] : record[CHANNEL] + (int64_t)lane),
        .y = (int32_t)record[LINE],
        .x = (int32_t)(record[COLUMN] < 0 ? record[COLUMN] : record[COLUMN] + (int64_t)row),
        .reduction = (int32_t)record[REDUCTION],
        .address = (uint64_t)record[ADDRESS],
        .flags = (uint32_t)record[FLAGS],
        .cycle = reader->at.place.cycle,
    };
    if (tap_has_address(reader->at.stream.tap))
        element->at.place.address += reader->in_rectangle * tap_element_bytes(reader->at.stream.format);
    element->value = value_at(reader, reader->next);
    reader->next++;
    reader->in_rectangle++;
    reader->in_beat--;
    return TAP_READ_ELEMENT;
}

enum tap_read tap_reader_reach(struct tap_reader *reader, struct error *err) {
    return reader->next < reader->head[ELEMENTS] ? TAP_READ_ELEMENT : next_block(reader, err);
}

enum tap_read tap_reader_next(struct tap_reader *reader, struct tap_element *element, struct error *err) {
    enum tap_read read = tap_reader_reach(reader, err);
    if (read == TAP_READ_ELEMENT && !reader->open)
        read = open_block(reader, err);
    return read == TAP_READ_ELEMENT ? next_of_block(reader, element, err) : read;
}

int tap_reader_ordinal(const struct tap_reader *reader) {
    return reader->at.stream.ordinal;
}

uint32_t tap_reader_pass(struct tap_reader *reader) {
    reader->next = reader->head[ELEMENTS];
    return reader->head[ELEMENTS];
}

/* The words of the header before CLOCKS do not depend on clocks. */
bool tap_reader_same_block(const struct tap_reader *a, const struct tap_reader *b) {
    return a->next == 0 && b->next == 0 && memcmp(a->head, b->head, CLOCKS * sizeof a->head[0]) == 0 &&
           memcmp(a->packed, b->packed, content_held(a->head)) == 0;
}

/* Its last block may not be open. */
enum tap_read tap_reader_last(struct tap_reader *reader, struct tap_element *element, struct error *err) {
    enum tap_read read = reader->head[ELEMENTS] > 0 && !reader->open ? open_block(reader, err) : TAP_READ_END;
    if (read == TAP_READ_ELEMENT)
        reader->next = 0;
    while (read == TAP_READ_ELEMENT && reader->next < reader->head[ELEMENTS])
        read = next_of_block(reader, element, err);
    return read == TAP_READ_FAILED ? read : TAP_READ_END;
}
