/* Writes the files of element streams. See recorder.h; their format: tap_file.h. */
#include "observe/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nvdla/xalloc.h"
#include "observe/tap_file.h"

enum { PLACE_BYTES = offsetof(struct tap_place, cycle) /* that are compared */ };

/* A rectangle of elements: `rows` rows along x of `lanes` lanes along channels. */
struct rectangle {
    struct tap_place place; /* of the first element, except its clock */
    size_t rows, lanes;
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
    FILE *out;            /* NULL: could not be opened */
    bool broken, written; /* written: it has elements */
    struct recorder *recorder;

    /* The block being filled. */
    struct tap_stream stream;
    size_t size;  /* bytes of an element */
    size_t most;  /* elements of a full block */
    size_t count; /* elements so far */
    uint8_t *elements;
    struct rectangle rows;       /* whole rows; 0 rows: none */
    struct rectangle row;        /* the last row, which may grow; 0 lanes: none */
    struct tap_place next;       /* of the row that follows it along x */
    bool joins;                  /* it follows `rows` and is as wide; false: to be determined */
    int64_t last[RECORD_FIELDS]; /* of the previous rectangle */
    struct bytes places, clocks;
    uint64_t clock, before; /* of the last beat, and of the one before */
    uint64_t beat;          /* elements of the last beat */
    struct beats beats;     /* those before it */
};

struct recorder {
    char *directory;
    uint32_t units;                  /* units whose streams are recorded */
    int first[NVDLA_UNIT_COUNT + 1]; /* launch being recorded; the last entry: of streams without unit */
    struct file **files;
    size_t count;
    struct bytes packed; /* the block being written */
    struct error err;    /* the first error */
    bool failed;
};

char *recorder_file_name(const struct tap_stream *stream, char *text, size_t size) {
    const bool memory = tap_is_memory(stream->tap);
    char client[16] = "";
    if (memory)
        snprintf(client, sizeof client, ".%d", stream->client);
    snprintf(text, size, "%s.%s%s%s", stream->unit < NVDLA_UNIT_COUNT ? nvdla_unit_names[stream->unit] : "NO_UNIT",
             tap_names[stream->tap], client, TAP_FILE_ENDING);
    return text;
}

/* ---- blocks ---- */

static void reserve(struct bytes *bytes, size_t more) {
    if (bytes->used + more <= bytes->room)
        return;
    bytes->room = 2 * (bytes->used + more);
    bytes->at = xrealloc(bytes->at, bytes->room);
}

/* Seven bits per byte, lowest first. Returns the end of it. */
static inline uint8_t *put_number(uint8_t *at, uint64_t number) {
    for (; number >= 0x80; number >>= 7)
        *at++ = (uint8_t)(number | 0x80);
    *at++ = (uint8_t)number;
    return at;
}

static void put_rectangle(struct file *file) {
    const struct tap_place *place = &file->rows.place;
    const int64_t record[RECORD_FIELDS] = {
        [BATCH] = place->batch, [CHANNEL] = place->channel,        [LINE] = place->y,
        [COLUMN] = place->x,    [REDUCTION] = place->reduction,    [ADDRESS] = (int64_t)place->address,
        [FLAGS] = place->flags, [ROWS] = (int64_t)file->rows.rows, [LANES] = (int64_t)file->rows.lanes,
    };
    if (file->rows.rows == 0)
        return;
    reserve(&file->places, MASK_BYTES + RECORD_FIELDS * NUMBER_BYTES);
    uint8_t *const mask = file->places.at + file->places.used, *at = mask + MASK_BYTES;
    unsigned changed = 0;
    for (int i = 0; i < RECORD_FIELDS; i++) {
        const int64_t by = (int64_t)((uint64_t)record[i] - (uint64_t)file->last[i]);
        if (by == 0)
            continue;
        changed |= 1u << i;
        at = put_number(at, (uint64_t)by << 1 ^ (uint64_t)(by >> 63)); /* small numbers of either sign */
        file->last[i] = record[i];
    }
    mask[0] = (uint8_t)changed;
    mask[1] = (uint8_t)(changed >> 8);
    file->places.used = (size_t)(at - file->places.at);
    file->rows.rows = 0;
}

static void put_beats(struct file *file) {
    if (file->beats.count > 0) {
        reserve(&file->clocks, 3 * NUMBER_BYTES);
        uint8_t *at = file->clocks.at + file->clocks.used;
        at = put_number(at, file->beats.count);
        at = put_number(at, file->beats.elements);
        at = put_number(at, file->beats.step);
        file->clocks.used = (size_t)(at - file->clocks.at);
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

/* True if `place` is `at` moved by `rows` rows, `lanes` lanes or `bytes` bytes. */
static bool continues(const struct file *file, const struct tap_place *at, const struct tap_place *place, size_t rows,
                      size_t lanes, size_t elements) {
    return place->x == (at->x < 0 ? at->x : at->x + (int32_t)rows) &&
           place->channel == (at->channel < 0 ? at->channel : at->channel + (int32_t)lanes) && place->y == at->y &&
           place->reduction == at->reduction && place->flags == at->flags && place->batch == at->batch &&
           place->address == at->address + (tap_has_address(file->tap) ? elements * file->size : 0);
}

/* The last row is complete: it joins the rows before it if it follows them; otherwise those are a rectangle. */
static void close_row(struct file *file) {
    struct rectangle *rows = &file->rows;
    if (file->row.lanes == 0)
        return;
    if (file->joins || (rows->rows > 0 && rows->lanes == file->row.lanes &&
                        continues(file, &rows->place, &file->row.place, rows->rows, 0, rows->rows * rows->lanes))) {
        rows->rows++;
    } else {
        put_rectangle(file);
        *rows = file->row;
    }
    file->row.lanes = 0;
    file->joins = false;
}

/* Moves a place by rows. */
static inline void advance(const struct file *file, struct tap_place *place, size_t rows, size_t lanes) {
    place->x += place->x < 0 ? 0 : (int32_t)rows;
    if (tap_has_address(file->tap))
        place->address += rows * lanes * file->size;
}

/* The last row has changed: determines what follows it. Rows without x do not follow one another. */
static inline void expect_next(struct file *file) {
    file->next = file->row.place;
    advance(file, &file->next, 1, file->row.lanes);
    file->next.x = file->next.x < 0 ? INT32_MIN : file->next.x;
    file->joins = false;
}

static void broken(struct file *file, const char *what) {
    struct recorder *recorder = file->recorder;
    if (!recorder->failed)
        error_set(&recorder->err, "%s: cannot be %s: %m", file->path, what);
    recorder->failed = true;
    file->broken = true;
}

static void write_out(struct file *file, const void *bytes, size_t n) {
    if (!file->broken && fwrite(bytes, 1, n, file->out) != n)
        broken(file, "written");
}

enum {
    ACCELERATION = 8, /* of LZ4: a third of its time for files that are 2 % larger */
    COPY = 256,       /* for what does not shrink, such as sums of noise: little more than a copy */
    SAMPLE = 4096     /* bytes that show whether a part shrinks */
};

/* Compresses to recorder->packed, after what it already holds. Returns the bytes added. */
static uint32_t pack(struct recorder *recorder, const uint8_t *from, size_t size) {
    struct bytes *packed = &recorder->packed;
    reserve(packed, bound_of(size));
    char *const to = (char *)packed->at + packed->used;
    const bool noise = size > 2 * SAMPLE &&
                       LZ4_compress_fast((const char *)from, to, SAMPLE, (int)bound_of(SAMPLE), ACCELERATION) >= SAMPLE;
    const int n =
        LZ4_compress_fast((const char *)from, to, (int)size, (int)bound_of(size), noise ? COPY : ACCELERATION);
    packed->used += (size_t)n;
    return (uint32_t)n;
}

/* Bytes of the widest integer in a block. */
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

/* Packs each integer of `from` bytes into its lowest `to` bytes, in place. What is written beyond them is the next
 * one's place. */
static inline void narrow_each(uint8_t *bytes, size_t count, size_t from, size_t to) {
    uint8_t value[sizeof(int64_t)];
    for (size_t i = 0; i < count; i++) {
        memcpy(value, bytes + i * from, from);
        memcpy(bytes + i * to, value, from);
    }
}

static void narrow(struct file *file, size_t size) {
    if (size == file->size)
        return;
    if (file->size == sizeof(int32_t))
        narrow_each(file->elements, file->count, sizeof(int32_t), size);
    else if (file->size == sizeof(int64_t))
        narrow_each(file->elements, file->count, sizeof(int64_t), size);
    else
        narrow_each(file->elements, file->count, sizeof(int16_t), size);
}

/* Writes the block if it is not empty, and begins the next one. */
static void finish_block(struct file *file) {
    if (file->count == 0)
        return;
    file->written = true;
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
    file->broken = file->written = false;
    if (!file->out) {
        broken(file, "made");
        return;
    }
    char line[128];
    const int n = snprintf(line, sizeof line, TAP_FILE_LINE "\n", (int)file->unit, (int)file->tap, file->client);
    write_out(file, line, (size_t)n);
    write_out(file, &(uint32_t){BYTE_ORDER_MARK}, sizeof(uint32_t));
}

/* Copies the elements of a beat: for most, with a constant size. */
static inline void copy_beat(uint8_t *to, const uint8_t *from, size_t bytes) {
    switch (bytes) {
    case 8:
        memcpy(to, from, 8);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, bytes);
        break;
    }
}

/* Rows after the last one, which does not grow; follows: the first one is at file->next. */
static inline void append_rows(struct file *file, const struct tap_place *place, size_t rows, size_t lanes,
                               bool follows) {
    struct rectangle *row = &file->row;
    close_row(file);
    *row = (struct rectangle){.place = *place, .rows = 1, .lanes = lanes};
    if (rows > 1) {
        if (follows) {
            file->rows.rows += rows - 1;
        } else {
            put_rectangle(file);
            file->rows = (struct rectangle){.place = *place, .rows = rows - 1, .lanes = lanes};
        }
        advance(file, &row->place, rows - 1, lanes);
    }
    expect_next(file);
    file->joins = follows || rows > 1;
}

/* Rows of lanes, or a part of a row, without gaps between them, that fit into the block. Several rows are along x. */
static inline void add_rows(struct file *file, const struct tap_place *place, const uint8_t *values, size_t rows,
                            size_t lanes) {
    struct rectangle *row = &file->row;
    const bool follows = row->lanes == lanes && memcmp(place, &file->next, PLACE_BYTES) == 0;
    copy_beat(file->elements + file->count * file->size, values, rows * lanes * file->size);
    file->count += rows * lanes;
    file->beat += rows * lanes;
    if (follows && file->joins && rows == 1) { /* what append_rows() does, for most beats */
        file->rows.rows++;
        advance(file, &row->place, 1, lanes);
        advance(file, &file->next, 1, lanes);
        return;
    }
    if (follows || row->lanes == 0 || !continues(file, &row->place, place, 0, row->lanes, row->lanes)) {
        append_rows(file, place, rows, lanes, follows);
        return;
    }
    row->lanes += lanes;
    expect_next(file);
    if (rows > 1) {
        struct tap_place second = *place;
        advance(file, &second, 1, lanes);
        append_rows(file, &second, rows - 1, lanes, false);
    }
}

static void begin_block(struct file *file, const struct tap_stream *stream) {
    const size_t size = tap_element_bytes(stream->format);
    finish_block(file);
    file->stream = *stream;
    file->size = size;
    file->most = BLOCK_BYTES / size;
    if (!file->elements)
        file->elements = xmalloc(BLOCK_BYTES);
}

/* A row that may be longer than the free room of the block. */
static void take_row(struct file *file, struct tap_place place, const uint8_t *values, size_t lanes) {
    while (lanes > 0) {
        const size_t room = file->most - file->count, n = lanes < room ? lanes : room;
        add_rows(file, &place, values, 1, n);
        if (n == room)
            finish_block(file);
        lanes -= n;
        values += n * file->size;
        place.channel += place.channel < 0 ? 0 : (int32_t)n;
        if (tap_has_address(file->tap))
            place.address += n * file->size;
    }
}

/* Rows one by one. Not inlined: most beats need none of it. */
static __attribute__((noinline)) void take_apart(struct file *file, struct tap_place place, const uint8_t *values,
                                                 size_t rows, size_t lanes, size_t stride) {
    for (; rows > 0; rows--, values += stride * file->size) {
        take_row(file, place, values, lanes);
        advance(file, &place, 1, lanes);
    }
}

static void take_elements(void *context, const struct tap_stream *stream, const struct tap_place *first,
                          const void *values, size_t rows, size_t lanes, size_t stride) {
    struct file *file = context;
    if (!file->elements || stream->ordinal != file->stream.ordinal || stream->format != file->stream.format ||
        stream->width != file->stream.width)
        begin_block(file, stream);
    if (first->cycle != file->clock)
        close_beat(file);
    file->clock = first->cycle;
    const bool together = rows == 1 || (stride == lanes && first->x >= 0);
    if (together && lanes > 0 && rows * lanes < file->most - file->count) { /* most beats */
        add_rows(file, first, values, rows, lanes);
        return;
    }
    take_apart(file, *first, values, rows, lanes, stride);
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
        *xadd(recorder->files, recorder->count) = file;
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

void recorder_rest(struct recorder *recorder) {
    for (size_t i = 0; i < recorder->count; i++) {
        struct file *file = recorder->files[i];
        close_file(file);
        file->broken = true; /* until it is started again */
        if (!file->written)
            unlink(file->path);
    }
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
        autofree struct file *file = recorder->files[i];
        close_file(file);
        free(file->path);
        free(file->elements);
        free(file->places.at);
        free(file->clocks.at);
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
