/* Files of element streams; see recorder.h. A file is a line of text that names the stream, its byte order, then
 * blocks. A block holds elements of one launch, up to a fixed number of bytes, in three parts: where the elements
 * stand, in rectangles as large as they can be; the elements, each in as few bytes as the block's largest needs; the
 * clocks of the beats. Each part is an LZ4 block: what cannot be made smaller, such as sums of noise, must cost hardly
 * more than copying it, and deflate takes ten times as long for that. The first two parts do not depend on the batches
 * in which the elements were heard, so that model and RTL leave the same bytes for the same elements: blocks are
 * compared as they lie in the files, and taken apart only where they differ.
 */
#include "observe/recorder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <lz4.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "nvdla/fp.h"
#include "nvdla/xalloc.h"

enum { BLOCK_BYTES = 1 << 16 /* of a full block's elements, before they are packed */ };

/* The head of a block, a word of 32 bits each. */
enum {
    ELEMENTS,
    ORDINAL,
    KIND,          /* enum tap_format, from bit 8 on the bytes of an element here, from bit 16 on the width */
    PLACES,        /* bytes of the rectangles */
    PLACES_HELD,   /* compressed, as they follow the head */
    ELEMENTS_HELD, /* then the elements */
    CLOCKS,        /* bytes of the clocks */
    CLOCKS_HELD,   /* compressed, at the end */
    CHECK,         /* adler32 of the words above and of all that follows */
    HEAD_WORDS,
};

enum { CONTENT_WORDS = CLOCKS /* words that do not depend on clocks */ };

/* What is said of a rectangle: a number each, given as the difference to the one before in the block, and first which
 * of them are not zero. */
enum { BATCH, CHANNEL, LINE, COLUMN, REDUCTION, ADDRESS, FLAGS, ROWS, LANES, RECORD_FIELDS };

enum { NUMBER_BYTES = 10 /* of a number at most */ };

static const uint32_t byte_order = 0x01020304;

/* Elements side by side: `rows` rows along x of `lanes` lanes along channels. */
struct rectangle {
    struct tap_place place; /* of the first element, its clock aside */
    size_t rows, lanes;
};

/* Beats of `elements` elements each, `step` clocks apart. */
struct beats {
    uint64_t count, elements, step;
};

struct bytes {
    uint8_t *at;
    size_t used, room;
};

struct file {
    enum nvdla_unit unit;
    enum tap tap;
    int client;
    char *path;
    FILE *out; /* NULL: could not be opened */
    bool broken;
    struct recorder *recorder;

    /* The block that is being filled. */
    struct tap_stream stream;
    size_t size;  /* bytes of an element */
    size_t count; /* elements so far */
    uint8_t *elements;
    struct rectangle rows;       /* whole rows; 0 rows: none */
    struct rectangle row;        /* the last row, which may grow; 0 lanes: none */
    int64_t last[RECORD_FIELDS]; /* of the rectangle before */
    struct bytes places, clocks;
    uint64_t clock, before; /* of the last beat, and of the one before */
    uint64_t beat;          /* elements of the last beat */
    struct beats beats;     /* those before it */
};

struct recorder {
    char *directory;
    uint32_t units;                  /* whose streams are recorded */
    int first[NVDLA_UNIT_COUNT + 1]; /* launch that is recorded; the last one: of streams without unit */
    struct file **files;
    size_t count;
    struct bytes packed; /* the block that is written */
    struct error err;    /* the first that went wrong */
    bool failed;
};

static const char ending[] = ".tap";

char *recorder_file_name(const struct tap_stream *stream, char *text, size_t size) {
    const bool memory = tap_is_memory(stream->tap);
    char client[16] = "";
    if (memory)
        snprintf(client, sizeof client, ".%d", stream->client);
    snprintf(text, size, "%s.%s%s%s", stream->unit < NVDLA_UNIT_COUNT ? nvdla_unit_names[stream->unit] : "NO_UNIT",
             tap_names[stream->tap], client, ending);
    return text;
}

/* Integers stand in a block in as many bytes as its largest one needs, other elements in all of theirs. */
static bool is_integer(enum tap_format format) {
    return format != TAP_FP16 && format != TAP_FP32;
}

/* ---- blocks ---- */

static void reserve(struct bytes *bytes, size_t more) {
    if (bytes->used + more <= bytes->room)
        return;
    bytes->room = 2 * (bytes->used + more);
    bytes->at = xrealloc(bytes->at, bytes->room);
}

/* Seven bits a byte, the lowest first. */
static void put_number(struct bytes *to, uint64_t number) {
    reserve(to, NUMBER_BYTES);
    for (; number >= 0x80; number >>= 7)
        to->at[to->used++] = (uint8_t)(number | 0x80);
    to->at[to->used++] = (uint8_t)number;
}

static void put_rectangle(struct file *file) {
    const struct tap_place *place = &file->rows.place;
    const int64_t record[RECORD_FIELDS] = {
        [BATCH] = place->batch, [CHANNEL] = place->channel,        [LINE] = place->y,
        [COLUMN] = place->x,    [REDUCTION] = place->reduction,    [ADDRESS] = (int64_t)place->address,
        [FLAGS] = place->flags, [ROWS] = (int64_t)file->rows.rows, [LANES] = (int64_t)file->rows.lanes,
    };
    unsigned changed = 0;
    if (file->rows.rows == 0)
        return;
    for (int i = 0; i < RECORD_FIELDS; i++)
        changed |= (record[i] != file->last[i] ? 1u : 0u) << i;
    put_number(&file->places, changed);
    for (int i = 0; i < RECORD_FIELDS; i++)
        if (changed >> i & 1) {
            const int64_t by = (int64_t)((uint64_t)record[i] - (uint64_t)file->last[i]);
            put_number(&file->places, (uint64_t)by << 1 ^ (uint64_t)(by >> 63)); /* small ones of either sign */
            file->last[i] = record[i];
        }
    file->rows.rows = 0;
}

static void put_beats(struct file *file) {
    if (file->beats.count > 0) {
        put_number(&file->clocks, file->beats.count);
        put_number(&file->clocks, file->beats.elements);
        put_number(&file->clocks, file->beats.step);
    }
    file->beats.count = 0;
}

static void close_beat(struct file *file) {
    const uint64_t step = file->clock - file->before;
    if (file->beat == 0)
        return;
    if (file->beats.count == 0 || file->beats.elements != file->beat || file->beats.step != step) {
        put_beats(file);
        file->beats = (struct beats){.elements = file->beat, .step = step};
    }
    file->beats.count++;
    file->before = file->clock;
    file->beat = 0;
}

/* True if `place` is where the column of `at` ends up `rows` rows on, `lanes` lanes on, `bytes` bytes on. */
static bool continues(const struct file *file, const struct tap_place *at, const struct tap_place *place, size_t rows,
                      size_t lanes, size_t elements) {
    return place->x == (at->x < 0 ? at->x : at->x + (int32_t)rows) &&
           place->channel == (at->channel < 0 ? at->channel : at->channel + (int32_t)lanes) && place->y == at->y &&
           place->reduction == at->reduction && place->flags == at->flags && place->batch == at->batch &&
           place->address == at->address + (tap_has_address(file->tap) ? elements * file->size : 0);
}

/* The last row is whole: it goes to those before it if it follows them, else those are a rectangle. */
static void close_row(struct file *file) {
    struct rectangle *rows = &file->rows;
    if (file->row.lanes == 0)
        return;
    if (rows->rows > 0 && rows->lanes == file->row.lanes &&
        continues(file, &rows->place, &file->row.place, rows->rows, 0, rows->rows * rows->lanes)) {
        rows->rows++;
    } else {
        put_rectangle(file);
        *rows = file->row;
    }
    file->row.lanes = 0;
}

static void broken(struct file *file, const char *what) {
    struct recorder *recorder = file->recorder;
    if (!recorder->failed)
        error_set(&recorder->err, "%s: cannot be %s: %s", file->path, what, strerror(errno));
    recorder->failed = true;
    file->broken = true;
}

static void write_out(struct file *file, const void *bytes, size_t n) {
    if (!file->broken && fwrite(bytes, 1, n, file->out) != n)
        broken(file, "written");
}

/* Bytes that `size` bytes take at most. */
static size_t bound_of(size_t size) {
    return (size_t)LZ4_COMPRESSBOUND(size);
}

/* Compresses to recorder->packed, behind what is there. Returns the bytes that it adds. */
static uint32_t pack(struct recorder *recorder, const uint8_t *from, size_t size) {
    struct bytes *packed = &recorder->packed;
    reserve(packed, bound_of(size));
    const int n =
        LZ4_compress_default((const char *)from, (char *)packed->at + packed->used, (int)size, (int)bound_of(size));
    packed->used += (size_t)n;
    return (uint32_t)n;
}

static uint32_t check_of(const uint32_t head[HEAD_WORDS], const uint8_t *packed, size_t size) {
    return (uint32_t)adler32(adler32(1, (const Bytef *)head, CHECK * sizeof head[0]), packed, (uInt)size);
}

/* Bytes that the widest of a block's integers needs. */
static size_t narrow_size(const struct file *file) {
    uint64_t bits = 0;
    if (!is_integer(file->stream.format))
        return file->size;
    if (file->size == 1)
        return 1;
    if (file->size == 4) {
        uint32_t all = 0;
        for (size_t i = 0; i < file->count; i++) {
            int32_t value;
            memcpy(&value, file->elements + 4 * i, sizeof value);
            all |= (uint32_t)(value ^ value >> 31);
        }
        bits = all;
    } else {
        for (size_t i = 0; i < file->count; i++) {
            int64_t value = 0;
            if (file->size == 8) {
                memcpy(&value, file->elements + 8 * i, sizeof value);
            } else {
                int16_t half;
                memcpy(&half, file->elements + 2 * i, sizeof half);
                value = half;
            }
            bits |= (uint64_t)(value ^ value >> 63);
        }
    }
    size_t size = 1;
    while (size < file->size && bits >> (8 * size - 1))
        size++;
    return size;
}

/* Puts each integer of the block into its lowest `size` bytes, in place. */
static void narrow(struct file *file, size_t size) {
    uint8_t *bytes = file->elements;
    if (size < file->size)
        for (size_t i = 0; i < file->count; i++)
            for (size_t k = 0; k < size; k++)
                bytes[i * size + k] = bytes[i * file->size + k];
}

/* Writes the block, if there is anything in it, and begins the next one. */
static void finish_block(struct file *file) {
    if (file->count == 0)
        return;
    close_row(file);
    put_rectangle(file);
    close_beat(file);
    put_beats(file);
    const size_t size = narrow_size(file);
    narrow(file, size);
    struct bytes *packed = &file->recorder->packed;
    packed->used = 0;
    uint32_t head[HEAD_WORDS] = {
        [ELEMENTS] = (uint32_t)file->count,
        [ORDINAL] = (uint32_t)file->stream.ordinal,
        [KIND] = (uint32_t)file->stream.format | (uint32_t)size << 8 | (uint32_t)file->stream.width << 16,
        [PLACES] = (uint32_t)file->places.used,
        [CLOCKS] = (uint32_t)file->clocks.used,
    };
    head[PLACES_HELD] = pack(file->recorder, file->places.at, file->places.used);
    head[ELEMENTS_HELD] = pack(file->recorder, file->elements, file->count * size);
    head[CLOCKS_HELD] = pack(file->recorder, file->clocks.at, file->clocks.used);
    head[CHECK] = check_of(head, packed->at, packed->used);
    write_out(file, head, sizeof head);
    write_out(file, packed->at, packed->used);
    file->places.used = file->clocks.used = 0;
    file->count = 0;
    file->before = 0;
    memset(file->last, 0, sizeof file->last);
}

/* ---- recording ---- */

static void start(struct file *file) {
    file->out = fopen(file->path, "wb");
    file->broken = false;
    if (!file->out) {
        broken(file, "made");
        return;
    }
    char line[128];
    const int n =
        snprintf(line, sizeof line, "nvcosim tap 5 %d %d %d\n", (int)file->unit, (int)file->tap, file->client);
    write_out(file, line, (size_t)n);
    write_out(file, &byte_order, sizeof byte_order);
}

/* A row of lanes, or some of them: they fit into the block. */
static void add_row(struct file *file, const struct tap_place *place, const uint8_t *values, size_t lanes) {
    struct rectangle *row = &file->row;
    memcpy(file->elements + file->count * file->size, values, lanes * file->size);
    file->count += lanes;
    if (row->lanes > 0 && continues(file, &row->place, place, 0, row->lanes, row->lanes)) {
        row->lanes += lanes;
        return;
    }
    close_row(file);
    *row = (struct rectangle){.place = *place, .rows = 1, .lanes = lanes};
}

static void begin_block(struct file *file, const struct tap_stream *stream) {
    const size_t size = tap_element_bytes(stream->format);
    finish_block(file);
    file->stream = *stream;
    file->size = size;
    if (!file->elements)
        file->elements = xmalloc(BLOCK_BYTES);
}

/* A row that may be longer than what the block has room for. */
static void take_row(struct file *file, struct tap_place place, const uint8_t *values, size_t lanes) {
    const size_t most = BLOCK_BYTES / file->size;
    while (lanes > 0) {
        const size_t room = most - file->count, n = lanes < room ? lanes : room;
        add_row(file, &place, values, n);
        file->beat += n;
        if (n == room)
            finish_block(file);
        lanes -= n;
        values += n * file->size;
        place.channel += place.channel < 0 ? 0 : (int32_t)n;
        if (tap_has_address(file->tap))
            place.address += n * file->size;
    }
}

/* Rows without gaps between them that follow the last one, which has as many lanes. */
static void take_rows(struct file *file, const uint8_t *values, size_t rows, size_t lanes) {
    close_row(file);
    memcpy(file->elements + file->count * file->size, values, rows * lanes * file->size);
    file->count += rows * lanes;
    file->beat += rows * lanes;
    file->rows.rows += rows;
}

static void take_elements(void *context, const struct tap_position *at, const void *values, size_t rows, size_t lanes,
                          size_t stride) {
    struct file *file = context;
    const struct tap_stream *stream = &at->stream;
    if (!file->elements || stream->ordinal != file->stream.ordinal || stream->format != file->stream.format ||
        stream->width != file->stream.width)
        begin_block(file, stream);
    if (at->place.cycle != file->clock)
        close_beat(file);
    file->clock = at->place.cycle;
    for (size_t row = 0; row < rows; row++) {
        struct tap_place place = at->place;
        place.x += place.x < 0 ? 0 : (int32_t)row;
        if (tap_has_address(file->tap))
            place.address += row * lanes * file->size;
        const uint8_t *from = (const uint8_t *)values + row * stride * file->size;
        const size_t between = rows - 1 - row; /* and the last row */
        take_row(file, place, from, lanes);
        if (between > 1 && stride == lanes && place.x >= 0 && file->row.lanes == lanes &&
            (between - 1) * lanes < BLOCK_BYTES / file->size - file->count) {
            take_rows(file, from + stride * file->size, between - 1, lanes);
            row += between - 1;
        }
    }
}

static struct tap_sink open_stream(void *context, const struct tap_stream *stream) {
    struct recorder *recorder = context;
    struct file *file = NULL;
    if (!(recorder->units >> stream->unit & 1) ||
        (stream->ordinal >= 0 && stream->ordinal < recorder->first[stream->unit]))
        return (struct tap_sink){.elements = NULL};
    for (size_t i = 0; i < recorder->count && !file; i++)
        if (recorder->files[i]->unit == stream->unit && recorder->files[i]->tap == stream->tap &&
            recorder->files[i]->client == stream->client)
            file = recorder->files[i];
    if (!file) {
        char name[128];
        file = xcalloc(1, sizeof *file);
        *file = (struct file){.unit = stream->unit, .tap = stream->tap, .client = stream->client, .recorder = recorder};
        file->path = xprintf("%s/%s", recorder->directory, recorder_file_name(stream, name, sizeof name));
        recorder->files = xgrow(recorder->files, recorder->count, sizeof(struct file *));
        recorder->files[recorder->count++] = file;
        start(file);
    }
    return (struct tap_sink){.elements = file->broken ? NULL : take_elements, .context = file};
}

static void close_file(struct file *file) {
    if (!file->out)
        return;
    finish_block(file);
    if (fclose(file->out) != 0)
        broken(file, "written");
    file->out = NULL;
}

static void forget(void *context) {
    struct recorder *recorder = context;
    for (size_t i = 0; i < recorder->count; i++) {
        close_file(recorder->files[i]);
        start(recorder->files[i]);
    }
}

struct recorder *recorder_new(const char *directory) {
    struct recorder *recorder = xcalloc(1, sizeof *recorder);
    recorder->directory = xstrdup(directory);
    recorder->units = UINT32_MAX;
    return recorder;
}

void recorder_units(struct recorder *recorder, uint32_t units) {
    recorder->units = units;
}

void recorder_from(struct recorder *recorder, enum nvdla_unit unit, int ordinal) {
    recorder->first[unit] = ordinal;
}

struct tap_listener recorder_listener(struct recorder *recorder) {
    return (struct tap_listener){.context = recorder, .open = open_stream, .reset = forget};
}

bool recorder_close(struct recorder *recorder, struct error *err) {
    for (size_t i = 0; i < recorder->count; i++) {
        struct file *file = recorder->files[i];
        close_file(file);
        free(file->path);
        free(file->elements);
        free(file->places.at);
        free(file->clocks.at);
        free(file);
    }
    const bool good = !recorder->failed;
    if (!good)
        error_set(err, "%s", recorder->err.text);
    free(recorder->packed.at);
    free(recorder->files);
    free(recorder->directory);
    free(recorder);
    return good;
}

/* ---- reading ---- */

struct tap_reader {
    char *path;
    FILE *in;
    struct tap_position at;              /* of the launch and its elements */
    uint32_t head[HEAD_WORDS];           /* of the block; none yet: 0 elements */
    uint8_t *packed;                     /* what follows it in the file */
    uint8_t *places, *elements, *clocks; /* unpacked, if it is open */
    bool open;
    size_t next;     /* element of the block */
    size_t size;     /* bytes of an element in the block */
    size_t place_at; /* byte of the places: the next rectangle */
    size_t clock_at; /* byte of the clocks: the next beats */
    int64_t record[RECORD_FIELDS];
    size_t in_rectangle; /* element of it */
    struct beats beats;  /* those that are left, the present one included */
    uint64_t in_beat;    /* elements of it that are left */
};

struct tap_reader *tap_reader_open(const char *path, struct error *err) {
    FILE *in = fopen(path, "rb");
    if (!in) {
        error_set(err, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char line[128];
    int unit, tap, client;
    uint32_t order;
    if (!fgets(line, sizeof line, in) || sscanf(line, "nvcosim tap 5 %d %d %d", &unit, &tap, &client) != 3 ||
        unit < 0 || unit > NVDLA_UNIT_COUNT || tap < 0 || tap >= TAP_COUNT || fread(&order, sizeof order, 1, in) != 1 ||
        order != byte_order) {
        fclose(in);
        error_set(err, "%s: is no recorded stream of version 5 made on a machine of this byte order", path);
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

/* Bytes behind the head that do not depend on clocks, and all. */
static size_t content_held(const uint32_t head[HEAD_WORDS]) {
    return head[PLACES_HELD] + head[ELEMENTS_HELD];
}

static size_t all_held(const uint32_t head[HEAD_WORDS]) {
    return content_held(head) + head[CLOCKS_HELD];
}

/* The sizes of a block are such as a recorder writes. */
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

/* One number of a block's part, which has `size` bytes. */
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
    uint64_t changed, by;
    if (!get_number(reader->places, reader->head[PLACES], &reader->place_at, &changed))
        return false;
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

/* Sees to it that the reader stands before an element. */
static enum tap_read reach(struct tap_reader *reader, struct error *err) {
    return reader->next < reader->head[ELEMENTS] ? TAP_READ_ELEMENT : next_block(reader, err);
}

enum tap_read tap_reader_next(struct tap_reader *reader, struct tap_element *element, struct error *err) {
    enum tap_read read = reach(reader, err);
    if (read == TAP_READ_ELEMENT && !reader->open)
        read = open_block(reader, err);
    return read == TAP_READ_ELEMENT ? next_of_block(reader, element, err) : read;
}

/* ---- comparing ---- */

static bool agree(int a, int b) {
    return a == b || a < 0 || b < 0;
}

static bool same(const struct tap_element *a, const struct tap_element *b) {
    const struct tap_place *at = &a->at.place, *to = &b->at.place;
    return a->value == b->value && agree(a->at.stream.ordinal, b->at.stream.ordinal) && agree(at->y, to->y) &&
           agree(at->x, to->x) && agree(at->channel, to->channel) && agree(at->reduction, to->reduction) &&
           at->address == to->address && at->flags == to->flags;
}

/* Reads on to the first block of a launch. Returns the launches before it. */
static int skip_to(struct tap_reader *reader, int ordinal, enum tap_read *read, struct error *err) {
    int skipped = 0, last = -1;
    while (*read == TAP_READ_ELEMENT && reader->at.stream.ordinal != ordinal) {
        skipped += reader->at.stream.ordinal != last;
        last = reader->at.stream.ordinal;
        reader->next = reader->head[ELEMENTS];
        *read = reach(reader, err);
    }
    return skipped;
}

/* Passes over the launches that only one of the files holds at its beginning. */
static void align(struct tap_reader *of_a, struct tap_reader *of_b, struct tap_difference *difference,
                  enum tap_read *read_a, enum tap_read *read_b, struct error *err) {
    const int a = of_a->at.stream.ordinal, b = of_b->at.stream.ordinal;
    if (*read_a != TAP_READ_ELEMENT || *read_b != TAP_READ_ELEMENT || a < 0 || b < 0)
        return;
    if (a < b)
        difference->skipped_a = skip_to(of_a, b, read_a, err);
    else if (b < a)
        difference->skipped_b = skip_to(of_b, a, read_b, err);
}

/* True if both stand at the beginning of a block, and these hold the same, clocks apart. */
static bool same_block(const struct tap_reader *a, const struct tap_reader *b) {
    return a->next == 0 && b->next == 0 && memcmp(a->head, b->head, CONTENT_WORDS * sizeof a->head[0]) == 0 &&
           memcmp(a->packed, b->packed, content_held(a->head)) == 0;
}

/* The last element of a stream that has ended; its last block may not have been opened. */
static enum tap_read last_element(struct tap_reader *reader, struct tap_element *element, struct error *err) {
    enum tap_read read = reader->head[ELEMENTS] > 0 && !reader->open ? open_block(reader, err) : TAP_READ_END;
    if (read == TAP_READ_ELEMENT)
        reader->next = 0;
    while (read == TAP_READ_ELEMENT && reader->next < reader->head[ELEMENTS])
        read = next_of_block(reader, element, err);
    return read == TAP_READ_FAILED ? read : TAP_READ_END;
}

/* One of them has ended, or both: the other goes on with the element that it stands before. */
static bool compare_ends(struct tap_reader *of_a, struct tap_reader *of_b, struct tap_difference *difference,
                         struct error *err) {
    difference->differs = !difference->a_ended || !difference->b_ended;
    if (!difference->differs)
        return true;
    const enum tap_read a =
        difference->a_ended ? last_element(of_a, &difference->a, err) : tap_reader_next(of_a, &difference->a, err);
    if (a == TAP_READ_FAILED)
        return false;
    const enum tap_read b =
        difference->b_ended ? last_element(of_b, &difference->b, err) : tap_reader_next(of_b, &difference->b, err);
    return b != TAP_READ_FAILED;
}

static bool compare_streams(struct tap_reader *of_a, struct tap_reader *of_b, struct tap_difference *difference,
                            struct error *err) {
    enum tap_read a = reach(of_a, err), b = a == TAP_READ_FAILED ? a : reach(of_b, err);
    align(of_a, of_b, difference, &a, &b, err);
    while (a == TAP_READ_ELEMENT && b == TAP_READ_ELEMENT) {
        if (same_block(of_a, of_b)) {
            difference->compared += of_a->head[ELEMENTS];
            of_a->next = of_b->next = of_a->head[ELEMENTS];
        } else {
            a = tap_reader_next(of_a, &difference->a, err);
            b = a == TAP_READ_FAILED ? a : tap_reader_next(of_b, &difference->b, err);
            if (a == TAP_READ_FAILED || b == TAP_READ_FAILED)
                return false;
            difference->differs = !same(&difference->a, &difference->b);
            if (difference->differs)
                return true;
            difference->compared++;
        }
        a = reach(of_a, err);
        b = a == TAP_READ_FAILED ? a : reach(of_b, err);
    }
    difference->a_ended = a == TAP_READ_END;
    difference->b_ended = b == TAP_READ_END;
    return a != TAP_READ_FAILED && b != TAP_READ_FAILED && compare_ends(of_a, of_b, difference, err);
}

bool tap_compare(const char *a, const char *b, struct tap_difference *difference, struct error *err) {
    *difference = (struct tap_difference){.compared = 0};
    struct tap_reader *of_a = tap_reader_open(a, err), *of_b = of_a ? tap_reader_open(b, err) : NULL;
    const bool good = of_b && compare_streams(of_a, of_b, difference, err);
    if (of_b)
        tap_reader_close(of_b);
    if (of_a)
        tap_reader_close(of_a);
    return good;
}

/* ---- for people ---- */

char *tap_element_text(const struct tap_element *element, char *text, size_t size) {
    const struct tap_place *at = &element->at.place;
    const enum tap tap = element->at.stream.tap;
    const bool kernel = tap >= TAP_CSC_WT && tap <= TAP_CACC_SAT;
    size_t n = 0;
#define ADD(...) (n += (size_t)snprintf(text + n, n < size ? size - n : 0, __VA_ARGS__), n = n < size ? n : size)
    text[0] = '\0';
    if (element->at.stream.ordinal >= 0)
        ADD("launch %d", element->at.stream.ordinal);
    if (at->batch > 0)
        ADD("%sbatch %d", n ? ", " : "", at->batch);
    if (at->channel >= 0)
        ADD("%s%s %d", n ? ", " : "", kernel ? "kernel" : "channel", at->channel);
    if (at->y >= 0)
        ADD("%sy %d", n ? ", " : "", at->y);
    if (at->x >= 0)
        ADD("%sx %d", n ? ", " : "", at->x);
    if (at->reduction > 0)
        ADD("%satomic operation %d", n ? ", " : "", at->reduction);
    if (at->address)
        ADD("%saddress 0x%" PRIx64, n ? ", " : "", at->address);
    if (at->cycle)
        ADD("%scycle %" PRIu64, n ? ", " : "", at->cycle);
#undef ADD
    return text;
}

static double fp32_number(uint32_t pattern) {
    float number;
    memcpy(&number, &pattern, sizeof number);
    return (double)number;
}

char *tap_value_text(const struct tap_element *element, char text[TAP_VALUE_TEXT]) {
    const int64_t value = element->value;
    const int exponent = (int)(value >> 38 & 63);
    const int64_t mantissa = (int64_t)((uint64_t)value << 26) >> 26;
    switch (element->at.stream.format) {
    case TAP_FP16:
        snprintf(text, TAP_VALUE_TEXT, "%.9g (0x%04x)", fp32_number(fp16_to_fp32((uint16_t)value)),
                 (unsigned)value & 0xffff);
        break;
    case TAP_FP32:
        snprintf(text, TAP_VALUE_TEXT, "%.9g (0x%08x)", fp32_number((uint32_t)value), (unsigned)value);
        break;
    case TAP_CMAC_FP16:
        if (exponent == 63)
            snprintf(text, TAP_VALUE_TEXT, "nan (exponent 63, mantissa %" PRId64 ")", mantissa);
        else
            snprintf(text, TAP_VALUE_TEXT, "%.9g (%" PRId64 " * 2^%d)", ldexp((double)mantissa, exponent - 50),
                     mantissa, exponent - 50);
        break;
    default:
        snprintf(text, TAP_VALUE_TEXT, "%" PRId64, value);
        break;
    }
    return text;
}

char *tap_difference_text(const struct tap_difference *difference, const char *name_a, const char *name_b, char *text,
                          size_t size) {
    const bool a_longer = difference->b_ended;
    struct tap_element at = a_longer || difference->b_ended ? difference->a : difference->b;
    char where[256];
    if (!difference->a_ended && !difference->b_ended && !at.at.place.cycle)
        at.at.place.cycle = difference->a.at.place.cycle;
    tap_element_text(&at, where, sizeof where);
    if (!difference->differs)
        snprintf(text, size, "%" PRIu64 " elements equal", difference->compared);
    else if (difference->a_ended || difference->b_ended)
        snprintf(text, size, "%" PRIu64 " elements equal, then %s ends; %s goes on with %s", difference->compared,
                 a_longer ? name_b : name_a, a_longer ? name_a : name_b, where);
    else if (difference->a.value == difference->b.value) {
        char of_a[256];
        snprintf(text, size,
                 "%" PRIu64 " elements equal, then one in other places: %s %s, flags 0x%x; %s %s, flags 0x%x",
                 difference->compared, name_a, tap_element_text(&difference->a, of_a, sizeof of_a),
                 difference->a.at.place.flags, name_b, tap_element_text(&difference->b, where, sizeof where),
                 difference->b.at.place.flags);
    } else {
        char of_a[TAP_VALUE_TEXT], of_b[TAP_VALUE_TEXT];
        snprintf(text, size, "%" PRIu64 " elements equal, then %s: %s %s, %s %s", difference->compared, where, name_a,
                 tap_value_text(&difference->a, of_a), name_b, tap_value_text(&difference->b, of_b));
    }
    return text;
}

/* ---- folders ---- */

/* A stream that has a file in one of the folders, or in both. */
struct found {
    struct tap_stream stream;
    bool in[2];
};

struct finds {
    struct found *items;
    size_t count;
};

/* The stream whose file has this name; false: it is no file of a stream. */
static bool stream_of(const char *name, struct tap_stream *stream) {
    char again[128];
    *stream = (struct tap_stream){.client = 0};
    for (int unit = 0; unit <= NVDLA_UNIT_COUNT; unit++)
        for (int tap = 0; tap < TAP_COUNT; tap++) {
            const char *of_unit = unit < NVDLA_UNIT_COUNT ? nvdla_unit_names[unit] : "NO_UNIT";
            const size_t n = strlen(of_unit), m = strlen(tap_names[tap]);
            if (strncmp(name, of_unit, n) != 0 || name[n] != '.' || strncmp(name + n + 1, tap_names[tap], m) != 0 ||
                name[n + 1 + m] != '.')
                continue;
            stream->unit = (enum nvdla_unit)unit;
            stream->tap = (enum tap)tap;
            if (tap_is_memory(stream->tap))
                stream->client = (int)strtol(name + n + m + 2, NULL, 10);
            if (strcmp(recorder_file_name(stream, again, sizeof again), name) == 0)
                return true;
        }
    return false;
}

static void find_in(struct finds *finds, const char *folder, int side) {
    DIR *directory = opendir(folder);
    for (const struct dirent *entry; directory && (entry = readdir(directory));) {
        struct tap_stream stream;
        struct found *found = NULL;
        if (!stream_of(entry->d_name, &stream))
            continue;
        for (size_t i = 0; i < finds->count && !found; i++)
            if (finds->items[i].stream.unit == stream.unit && finds->items[i].stream.tap == stream.tap &&
                finds->items[i].stream.client == stream.client)
                found = &finds->items[i];
        if (!found) {
            finds->items = xgrow(finds->items, finds->count, sizeof *finds->items);
            found = &finds->items[finds->count++];
            *found = (struct found){.stream = stream};
        }
        found->in[side] = true;
    }
    if (directory)
        closedir(directory);
}

static int by_path(const void *a, const void *b) {
    const struct tap_stream *of_a = &((const struct found *)a)->stream, *of_b = &((const struct found *)b)->stream;
    const int tap = (int)of_a->tap - (int)of_b->tap, unit = (int)of_a->unit - (int)of_b->unit;
    return tap ? tap : unit ? unit : of_a->client - of_b->client;
}

void tap_pairs(const char *folder_a, const char *folder_b, void (*each)(void *context, const struct tap_pair *pair),
               void *context) {
    struct finds finds = {.count = 0};
    find_in(&finds, folder_a, 0);
    find_in(&finds, folder_b, 1);
    if (finds.count > 0)
        qsort(finds.items, finds.count, sizeof finds.items[0], by_path);
    for (size_t i = 0; i < finds.count; i++) {
        const struct found *found = &finds.items[i];
        char name[128];
        recorder_file_name(&found->stream, name, sizeof name);
        char *a = found->in[0] ? xprintf("%s/%s", folder_a, name) : NULL;
        char *b = found->in[1] ? xprintf("%s/%s", folder_b, name) : NULL;
        name[strlen(name) - strlen(ending)] = '\0';
        each(context, &(struct tap_pair){name, a, b});
        free(a);
        free(b);
    }
    free(finds.items);
}
