/* Compares files of element streams and describes the result. See tap_compare.h. */
#include "observe/tap_compare.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/fp.h"
#include "nvdla/lut.h"
#include "nvdla/xalloc.h"
#include "observe/recorder.h"
#include "observe/tap_file.h"

static bool agree(int a, int b) {
    return a == b || a < 0 || b < 0;
}

/* What CSC hands to CMAC has a mask of its zeros, which then have no sign: zeros of either sign are the same. */
static bool same_value(const struct tap_element *a, const struct tap_element *b) {
    const enum tap tap = a->at.stream.tap;
    const bool masked = a->at.stream.format == TAP_FP16 && (tap == TAP_CSC_DAT || tap == TAP_CSC_WT);
    return a->value == b->value || (masked && ((a->value | b->value) & 0x7fff) == 0);
}

static bool same(const struct tap_element *a, const struct tap_element *b) {
    const struct tap_place *at = &a->at.place, *to = &b->at.place;
    return same_value(a, b) && agree(a->at.stream.ordinal, b->at.stream.ordinal) && agree(at->y, to->y) &&
           agree(at->x, to->x) && agree(at->channel, to->channel) && agree(at->reduction, to->reduction) &&
           at->address == to->address && at->flags == to->flags;
}

/* Reads on to the first block of a launch. Returns the number of launches skipped. */
static int skip_to(struct tap_reader *reader, int ordinal, enum tap_read *read, struct error *err) {
    int skipped = 0, last = -1;
    while (*read == TAP_READ_ELEMENT && tap_reader_ordinal(reader) != ordinal) {
        skipped += tap_reader_ordinal(reader) != last;
        last = tap_reader_ordinal(reader);
        tap_reader_pass(reader);
        *read = tap_reader_reach(reader, err);
    }
    return skipped;
}

/* Skips launches that only one of the files has at its beginning. */
static void align(struct tap_reader *of_a, struct tap_reader *of_b, struct tap_difference *difference,
                  enum tap_read *read_a, enum tap_read *read_b, struct error *err) {
    const int a = tap_reader_ordinal(of_a), b = tap_reader_ordinal(of_b);
    if (*read_a != TAP_READ_ELEMENT || *read_b != TAP_READ_ELEMENT || a < 0 || b < 0)
        return;
    if (a < b)
        difference->skipped_a = skip_to(of_a, b, read_a, err);
    else if (b < a)
        difference->skipped_b = skip_to(of_b, a, read_b, err);
}

/* One or both have ended; if one, the other continues with its next element. */
static bool compare_ends(struct tap_reader *of_a, struct tap_reader *of_b, struct tap_difference *difference,
                         struct error *err) {
    difference->differs = !difference->a_ended || !difference->b_ended;
    if (!difference->differs)
        return true;
    const enum tap_read a =
        difference->a_ended ? tap_reader_last(of_a, &difference->a, err) : tap_reader_next(of_a, &difference->a, err);
    if (a == TAP_READ_FAILED)
        return false;
    const enum tap_read b =
        difference->b_ended ? tap_reader_last(of_b, &difference->b, err) : tap_reader_next(of_b, &difference->b, err);
    return b != TAP_READ_FAILED;
}

static bool compare_streams(struct tap_reader *of_a, struct tap_reader *of_b, struct tap_difference *difference,
                            struct error *err) {
    enum tap_read a = tap_reader_reach(of_a, err), b = a == TAP_READ_FAILED ? a : tap_reader_reach(of_b, err);
    align(of_a, of_b, difference, &a, &b, err);
    while (a == TAP_READ_ELEMENT && b == TAP_READ_ELEMENT) {
        if (tap_reader_same_block(of_a, of_b)) {
            tap_reader_pass(of_b);
            difference->compared += tap_reader_pass(of_a);
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
        a = tap_reader_reach(of_a, err);
        b = a == TAP_READ_FAILED ? a : tap_reader_reach(of_b, err);
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

/* ---- for the user ---- */

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

/* " (LE only)": how the two tables of CDP answered. */
static const char *lut_flags_text(int flags) {
    switch (flags) {
    case 0:
        return " (hybrid)";
    case LUT_BOTH_UNDER:
        return " (both under)";
    case LUT_BOTH_OVER:
        return " (both over)";
    case LUT_LE_ONLY:
        return " (LE only)";
    case LUT_LO_ONLY:
        return " (LO only)";
    default:
        return "";
    }
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
        snprintf(text, TAP_VALUE_TEXT, "%" PRId64 "%s", value,
                 element->at.stream.tap == TAP_LUT_HIT ? lut_flags_text((int)value) : "");
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
        snprintf(text, size, "%" PRIu64 " elements equal, then %s ends; %s continues with %s", difference->compared,
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

/* A stream with a file in one folder or both. */
struct found {
    struct tap_stream stream;
    bool in[2];
};

struct finds {
    struct found *items;
    size_t count;
};

/* The stream with that file name; false if it is not the name of a stream's file. */
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
            found = xadd(finds->items, finds->count);
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
        autofree char *a = found->in[0] ? xprintf("%s/%s", folder_a, name) : NULL;
        autofree char *b = found->in[1] ? xprintf("%s/%s", folder_b, name) : NULL;
        name[strlen(name) - strlen(TAP_FILE_ENDING)] = '\0';
        each(context, &(struct tap_pair){name, a, b});
    }
    free(finds.items);
}
