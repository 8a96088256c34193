/* Files of element streams; see recorder.h. A file is a line of text that names the stream and its byte order, then one
 * record a batch: in what it is other than the batch before, then its elements without gaps, as the machine has them.
 */
#include "observe/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "nvdla/xalloc.h"

/* What is said of a batch. */
enum {
    ORDINAL,
    FORMAT,
    WIDTH,
    BATCH,
    CHANNEL,
    LINE,
    COLUMN,
    REDUCTION,
    ADDRESS,
    FLAGS,
    CYCLE,
    ROWS,
    LANES,
    RECORD_FIELDS,
};

/* Bytes of a record: the fields that are not those of the batch before, a bit each, then by how much. */
enum { RECORD_MASK = 2, RECORD_BYTES = RECORD_MASK + RECORD_FIELDS * 10 };

enum { MOST_ELEMENTS = 1 << 26 /* of a batch */ };

static const uint32_t byte_order = 0x01020304;

struct file {
    enum nvdla_unit unit;
    enum tap tap;
    int client;
    char *path;
    gzFile gz; /* NULL: could not be opened */
    bool broken;
    int64_t last[RECORD_FIELDS]; /* of the batch before */
    struct recorder *recorder;
    size_t used; /* of the buffer */
    uint8_t buffer[1 << 14];
};

struct recorder {
    char *directory;
    uint32_t units;                  /* whose streams are recorded */
    int first[NVDLA_UNIT_COUNT + 1]; /* launch that is recorded; the last one: of streams without unit */
    struct file **files;
    size_t count;
    struct error err; /* the first that went wrong */
    bool failed;
};

char *recorder_file_name(const struct tap_stream *stream, char *text, size_t size) {
    const bool memory = tap_is_memory(stream->tap);
    char client[16] = "";
    if (memory)
        snprintf(client, sizeof client, ".%d", stream->client);
    snprintf(text, size, "%s.%s%s.tap.gz", stream->unit < NVDLA_UNIT_COUNT ? nvdla_unit_names[stream->unit] : "NO_UNIT",
             tap_names[stream->tap], client);
    return text;
}

/* ---- recording ---- */

static void broken(struct file *file, const char *what) {
    struct recorder *recorder = file->recorder;
    int code = Z_OK;
    const char *text = file->gz ? gzerror(file->gz, &code) : NULL;
    if (!recorder->failed)
        error_set(&recorder->err, "%s: cannot be %s: %s", file->path, what,
                  code == Z_ERRNO || !text || !*text ? strerror(errno) : text);
    recorder->failed = true;
    file->broken = true;
}

static void write_out(struct file *file, const void *bytes, size_t n) {
    while (n > 0 && !file->broken) {
        const unsigned part = n > INT_MAX ? INT_MAX : (unsigned)n;
        if (gzwrite(file->gz, bytes, part) != (int)part)
            broken(file, "written");
        bytes = (const char *)bytes + part;
        n -= part;
    }
}

static void flush(struct file *file) {
    write_out(file, file->buffer, file->used);
    file->used = 0;
}

/* Through a buffer: most batches are a few bytes. */
static void put(struct file *file, const void *bytes, size_t n) {
    if (n > sizeof file->buffer - file->used)
        flush(file);
    if (n > sizeof file->buffer) {
        write_out(file, bytes, n);
        return;
    }
    memcpy(file->buffer + file->used, bytes, n);
    file->used += n;
}

static void start(struct file *file) {
    file->used = 0;
    file->gz = gzopen(file->path, "wb1");
    file->broken = false;
    memset(file->last, 0, sizeof file->last);
    if (!file->gz) {
        broken(file, "made");
        return;
    }
    char line[128];
    const int n =
        snprintf(line, sizeof line, "nvcosim tap 4 %d %d %d\n", (int)file->unit, (int)file->tap, file->client);
    put(file, line, (size_t)n);
    put(file, &byte_order, sizeof byte_order);
}

/* A difference as seven bits a byte, the lowest first, small ones of either sign in few. */
static size_t put_number(uint8_t *to, int64_t number) {
    uint64_t rest = (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
    size_t n = 0;
    for (; rest >= 0x80; rest >>= 7)
        to[n++] = (uint8_t)(rest | 0x80);
    to[n++] = (uint8_t)rest;
    return n;
}

static void put_record(struct file *file, const int64_t record[RECORD_FIELDS]) {
    uint8_t bytes[RECORD_BYTES];
    size_t n = RECORD_MASK;
    unsigned changed = 0;
    for (int i = 0; i < RECORD_FIELDS; i++)
        if (record[i] != file->last[i]) {
            changed |= 1u << i;
            n += put_number(bytes + n, (int64_t)((uint64_t)record[i] - (uint64_t)file->last[i]));
            file->last[i] = record[i];
        }
    bytes[0] = (uint8_t)changed;
    bytes[1] = (uint8_t)(changed >> 8);
    put(file, bytes, n);
}

static void take_elements(void *context, const struct tap_position *at, const void *values, size_t rows, size_t lanes,
                          size_t stride) {
    struct file *file = context;
    const size_t bytes = tap_element_bytes(at->stream.format);
    const size_t rows_at_once = lanes ? MOST_ELEMENTS / lanes : 0;
    for (size_t row = 0; row < rows && lanes > 0;) {
        const size_t n = rows - row < rows_at_once ? rows - row : rows_at_once;
        const int64_t record[RECORD_FIELDS] = {
            [ORDINAL] = at->stream.ordinal,
            [FORMAT] = (int64_t)at->stream.format,
            [WIDTH] = at->stream.width,
            [BATCH] = at->place.batch,
            [CHANNEL] = at->place.channel,
            [LINE] = at->place.y,
            [COLUMN] = at->place.x < 0 ? at->place.x : at->place.x + (int64_t)row,
            [REDUCTION] = at->place.reduction,
            [ADDRESS] = (int64_t)at->place.address,
            [FLAGS] = at->place.flags,
            [CYCLE] = (int64_t)at->place.cycle,
            [ROWS] = (int64_t)n,
            [LANES] = (int64_t)lanes,
        };
        put_record(file, record);
        if (stride == lanes)
            put(file, (const char *)values + row * stride * bytes, n * lanes * bytes);
        for (size_t i = row; i < row + n && stride != lanes; i++)
            put(file, (const char *)values + i * stride * bytes, lanes * bytes);
        row += n;
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
    if (file->gz)
        flush(file);
    if (file->gz && gzclose(file->gz) != Z_OK) {
        file->gz = NULL;
        broken(file, "written");
    }
    file->gz = NULL;
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
        close_file(recorder->files[i]);
        free(recorder->files[i]->path);
        free(recorder->files[i]);
    }
    const bool good = !recorder->failed;
    if (!good)
        error_set(err, "%s", recorder->err.text);
    free(recorder->files);
    free(recorder->directory);
    free(recorder);
    return good;
}

/* ---- reading ---- */

struct tap_reader {
    char *path;
    gzFile gz;
    int64_t last[RECORD_FIELDS];
    struct tap_position at; /* of the batch */
    size_t rows, lanes;     /* of the batch */
    size_t next;            /* element of it */
    uint8_t *values;
};

struct tap_reader *tap_reader_open(const char *path, struct error *err) {
    gzFile gz = gzopen(path, "rb");
    if (!gz) {
        error_set(err, "%s: %s", path, strerror(errno));
        return NULL;
    }
    char line[128];
    int unit, tap, client;
    uint32_t order;
    if (!gzgets(gz, line, sizeof line) || sscanf(line, "nvcosim tap 4 %d %d %d", &unit, &tap, &client) != 3 ||
        unit < 0 || unit > NVDLA_UNIT_COUNT || tap < 0 || tap >= TAP_COUNT ||
        gzread(gz, &order, sizeof order) != (int)sizeof order || order != byte_order) {
        gzclose(gz);
        error_set(err, "%s: is no recorded stream of version 4 made on a machine of this byte order", path);
        return NULL;
    }
    struct tap_reader *reader = xcalloc(1, sizeof *reader);
    reader->path = xstrdup(path);
    reader->gz = gz;
    reader->at.stream = (struct tap_stream){.unit = (enum nvdla_unit)unit, .tap = (enum tap)tap, .client = client};
    return reader;
}

void tap_reader_close(struct tap_reader *reader) {
    gzclose(reader->gz);
    free(reader->path);
    free(reader->values);
    free(reader);
}

static enum tap_read damaged(const struct tap_reader *reader, struct error *err) {
    error_set(err, "%s: is damaged or cut off", reader->path);
    return TAP_READ_FAILED;
}

/* One number of a record. */
static bool get_number(gzFile gz, int64_t *number) {
    uint64_t rest = 0;
    int byte = 0x80;
    for (unsigned shift = 0; byte & 0x80; shift += 7) {
        byte = gzgetc(gz);
        if (byte < 0 || shift > 63)
            return false;
        rest |= (uint64_t)(byte & 0x7f) << shift;
    }
    *number = (int64_t)(rest >> 1 ^ (0 - (rest & 1)));
    return true;
}

static bool in_range(const int64_t record[RECORD_FIELDS]) {
    static const int small[] = {ORDINAL, WIDTH, BATCH, CHANNEL, LINE, COLUMN, REDUCTION};
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        if (record[small[i]] < INT32_MIN || record[small[i]] > INT32_MAX)
            return false;
    return record[ROWS] >= 1 && record[LANES] >= 1 && record[LANES] <= MOST_ELEMENTS &&
           record[ROWS] <= MOST_ELEMENTS / record[LANES] && record[FORMAT] >= 0 && record[FORMAT] < TAP_FORMATS;
}

static enum tap_read next_batch(struct tap_reader *reader, struct error *err) {
    int64_t *record = reader->last;
    const int low = gzgetc(reader->gz);
    int code;
    gzerror(reader->gz, &code);
    if (low < 0 && code == Z_OK && gzeof(reader->gz))
        return TAP_READ_END;
    const int high = low < 0 ? low : gzgetc(reader->gz);
    if (high < 0)
        return damaged(reader, err);
    for (int i = 0; i < RECORD_FIELDS; i++) {
        int64_t change = 0;
        if (((high << 8 | low) >> i & 1) && !get_number(reader->gz, &change))
            return damaged(reader, err);
        record[i] = (int64_t)((uint64_t)record[i] + (uint64_t)change);
    }
    if (!in_range(record))
        return damaged(reader, err);
    reader->at.stream.ordinal = (int)record[ORDINAL];
    reader->at.stream.format = (enum tap_format)record[FORMAT];
    reader->at.stream.width = (int)record[WIDTH];
    reader->at.place = (struct tap_place){
        .batch = (int32_t)record[BATCH],
        .channel = (int32_t)record[CHANNEL],
        .y = (int32_t)record[LINE],
        .x = (int32_t)record[COLUMN],
        .reduction = (int32_t)record[REDUCTION],
        .address = (uint64_t)record[ADDRESS],
        .flags = (uint32_t)record[FLAGS],
        .cycle = (uint64_t)record[CYCLE],
    };
    reader->rows = (size_t)record[ROWS];
    reader->lanes = (size_t)record[LANES];
    reader->next = 0;
    const size_t bytes = reader->rows * reader->lanes * tap_element_bytes(reader->at.stream.format);
    reader->values = xrealloc(reader->values, bytes);
    return gzread(reader->gz, reader->values, (unsigned)bytes) == (int)bytes ? TAP_READ_ELEMENT : damaged(reader, err);
}

static int64_t value_at(const struct tap_reader *reader, size_t i) {
    const enum tap_format format = reader->at.stream.format;
    const uint8_t *from = reader->values + i * tap_element_bytes(format);
    int64_t value = 0;
    memcpy(&value, from, tap_element_bytes(format)); /* little endian; the file is of this machine's order */
    return format == TAP_INT8    ? (int8_t)value
           : format == TAP_INT16 ? (int16_t)value
           : format == TAP_INT32 ? (int32_t)value
                                 : value;
}

enum tap_read tap_reader_next(struct tap_reader *reader, struct tap_element *element, struct error *err) {
    if (reader->next == reader->rows * reader->lanes) {
        const enum tap_read read = next_batch(reader, err);
        if (read != TAP_READ_ELEMENT)
            return read;
    }
    const size_t row = reader->next / reader->lanes, lane = reader->next % reader->lanes;
    element->at = reader->at;
    if (element->at.place.x >= 0)
        element->at.place.x += (int32_t)row;
    if (element->at.place.channel >= 0)
        element->at.place.channel += (int32_t)lane;
    if (tap_has_address(reader->at.stream.tap))
        element->at.place.address += reader->next * tap_element_bytes(reader->at.stream.format);
    element->value = value_at(reader, reader->next++);
    return TAP_READ_ELEMENT;
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

/* Reads on to the first element of a launch. Returns the launches before it. */
static int skip_to(struct tap_reader *reader, int ordinal, struct tap_element *element, enum tap_read *read,
                   struct error *err) {
    int skipped = 0, last = -1;
    while (*read == TAP_READ_ELEMENT && element->at.stream.ordinal != ordinal) {
        skipped += element->at.stream.ordinal != last;
        last = element->at.stream.ordinal;
        *read = tap_reader_next(reader, element, err);
    }
    return skipped;
}

/* Passes over the launches that only one of the files holds at its beginning. */
static void align(struct tap_reader *of_a, struct tap_reader *of_b, struct tap_difference *difference,
                  enum tap_read *read_a, enum tap_read *read_b, struct error *err) {
    const int a = difference->a.at.stream.ordinal, b = difference->b.at.stream.ordinal;
    if (*read_a != TAP_READ_ELEMENT || *read_b != TAP_READ_ELEMENT || a < 0 || b < 0)
        return;
    if (a < b)
        difference->skipped_a = skip_to(of_a, b, &difference->a, read_a, err);
    else if (b < a)
        difference->skipped_b = skip_to(of_b, a, &difference->b, read_b, err);
}

/* Passes over elements behind the present ones that are equal, in the rest of their rows, where places go on alike; the
 * last one stays to be read. Returns their number. */
static size_t skip_equal(struct tap_reader *a, struct tap_reader *b) {
    const size_t size = tap_element_bytes(a->at.stream.format);
    const size_t rest_a = (a->lanes - a->next % a->lanes) % a->lanes,
                 rest_b = (b->lanes - b->next % b->lanes) % b->lanes;
    const size_t rest = rest_a < rest_b ? rest_a : rest_b;
    if (rest < 2 || a->at.stream.format != b->at.stream.format ||
        memcmp(a->values + a->next * size, b->values + b->next * size, (rest - 1) * size) != 0)
        return 0;
    a->next += rest - 1;
    b->next += rest - 1;
    return rest - 1;
}

static bool compare_streams(struct tap_reader *of_a, struct tap_reader *of_b, struct tap_difference *difference,
                            struct error *err) {
    enum tap_read read_a = tap_reader_next(of_a, &difference->a, err);
    enum tap_read read_b = read_a == TAP_READ_FAILED ? read_a : tap_reader_next(of_b, &difference->b, err);
    align(of_a, of_b, difference, &read_a, &read_b, err);
    while (read_a != TAP_READ_FAILED && read_b != TAP_READ_FAILED) {
        difference->a_ended = read_a == TAP_READ_END;
        difference->b_ended = read_b == TAP_READ_END;
        if (difference->a_ended && difference->b_ended)
            return true;
        difference->differs = difference->a_ended || difference->b_ended || !same(&difference->a, &difference->b);
        if (difference->differs)
            return true;
        difference->compared += 1 + skip_equal(of_a, of_b);
        read_a = tap_reader_next(of_a, &difference->a, err);
        read_b = read_a == TAP_READ_FAILED ? read_a : tap_reader_next(of_b, &difference->b, err);
    }
    return false;
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
    } else
        snprintf(text, size, "%" PRIu64 " elements equal, then %s: %s %" PRId64 ", %s %" PRId64, difference->compared,
                 where, name_a, difference->a.value, name_b, difference->b.value);
    return text;
}

/* ---- folders ---- */

void tap_pairs(const char *folder_a, const char *folder_b, void (*each)(void *context, const struct tap_pair *pair),
               void *context) {
    for (enum tap tap = 0; tap < TAP_COUNT; tap++)
        for (int unit = 0; unit <= NVDLA_UNIT_COUNT; unit++)
            for (int client = 0; client < (tap_is_memory(tap) ? AXI_IDS : 1); client++) {
                const struct tap_stream stream = {.unit = (enum nvdla_unit)unit, .tap = tap, .client = client};
                char name[128];
                recorder_file_name(&stream, name, sizeof name);
                char *a = xprintf("%s/%s", folder_a, name), *b = xprintf("%s/%s", folder_b, name);
                const bool has_a = access(a, F_OK) == 0, has_b = access(b, F_OK) == 0;
                name[strlen(name) - strlen(".tap.gz")] = '\0';
                if (has_a || has_b)
                    each(context, &(struct tap_pair){name, has_a ? a : NULL, has_b ? b : NULL});
                free(a);
                free(b);
            }
}
