/* Taps: several listeners hear the same elements; recorded streams are what was heard, and are compared. */
#include <sys/stat.h>
#include <unistd.h>

#include "memory/file.h"
#include "model_run.h"
#include "observe/histogram.h"
#include "observe/recorder.h"
#include "observe/tap_compare.h"
#include "tests/unit/test.h"

static char folder[400];

static int make_folder(void **state) {
    (void)state;
    return directory_temporary(folder, sizeof folder, &(struct error){.text = ""}) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    directory_remove(folder);
    return 0;
}

static char *path_of(const char *name) {
    return kept(xprintf("%s/%s", folder, name));
}

/* ---- two listeners of the model ---- */

/* Counts the elements of a file into the histograms of a set, launch by launch, and checks that places go forward. */
static void count_file(struct histogram_set *set, const char *path) {
    struct error err = {.text = ""};
    struct tap_reader *reader = tap_reader_open(path, &err);
    assert_non_null(reader);
    struct tap_element element;
    enum tap_read read;
    while ((read = tap_reader_next(reader, &element, &err)) == TAP_READ_ELEMENT) {
        const struct tap_stream *stream = &element.at.stream;
        struct histogram *histogram = histogram_of(set, stream->unit, stream->ordinal, stream->tap, stream->width);
        const uint16_t half = (uint16_t)element.value;
        const int32_t pattern = (int32_t)element.value;
        if (stream->format == TAP_FP16)
            histogram_elements(histogram, NVDLA_FP16, (const uint8_t *)&half, 1, 1, 1);
        else if (stream->format == TAP_FP32)
            histogram_fp32(histogram, &pattern, 1, 1, 1);
        else
            histogram_int64(histogram, &element.value, 1, 1, 1);
        assert_true(element.at.place.x >= 0 && element.at.place.y >= 0 && element.at.place.channel >= 0);
    }
    assert_int_equal(read, TAP_READ_END);
    tap_reader_close(reader);
}

static void assert_same_counts(const struct histogram *a, const struct histogram *b) {
    assert_true(a->count == b->count && a->zeros == b->zeros && a->minus_ones == b->minus_ones);
    assert_true(a->nans == b->nans && a->infinities == b->infinities && a->saturated == b->saturated);
    assert_true(a->minimum == b->minimum && a->maximum == b->maximum && a->sum == b->sum && a->squares == b->squares);
    assert_true(a->fp_minimum == b->fp_minimum && a->fp_maximum == b->fp_maximum && a->fp_sum == b->fp_sum);
    assert_memory_equal(a->positive, b->positive, sizeof a->positive);
    assert_memory_equal(a->negative, b->negative, sizeof a->negative);
}

/* histogram_find() relies on launches that follow one another, a set made from files has them tap by tap. */
static const struct histogram *entry_of(const struct histogram_set *set, const struct histogram_entry *like) {
    for (size_t i = 0; i < set->count; i++) {
        const struct histogram_entry *entry = set->entries[i];
        if (entry->unit == like->unit && entry->ordinal == like->ordinal && entry->tap == like->tap)
            return &entry->histogram;
    }
    return NULL;
}

/* Every histogram of the model can be counted again from the recorded elements, and no element is left over. */
TEST(a_second_listener_hears_what_the_histogram_hears) {
    static const char *const configs[] = {"small", "full"};
    static const char *const engines[] = {"conv", "img", "sdp", "pdp", "cdp", "mix"};
    bool seen[TAP_COUNT] = {false};
    size_t entries = 0;
    for (int turn = 0; turn < 48; turn++) {
        struct error err = {.text = ""};
        autoprogram struct program *prog =
            random_program(nvdla_config_find(configs[turn % 2]), engines[turn / 2 % 6], (uint64_t)turn + 1);
        struct histogram_set heard = {0}, again = {0};
        struct recorder *recorder = recorder_new(folder);
        struct model_options options = {.taps = {.count = 0}};
        tap_listen(&options.taps, histogram_listener(&heard));
        tap_listen(&options.taps, recorder_listener(recorder));
        struct device *dev = model_played(prog, &options);
        dev->ops->destroy(dev);
        assert_true(recorder_close(recorder, &err));
        for (int unit = 0; unit < NVDLA_UNIT_COUNT; unit++) {
            for (int tap = 0; tap < TAP_AXI_READ; tap++) {
                const struct tap_stream stream = {.unit = (enum nvdla_unit)unit, .tap = (enum tap)tap};
                char name[128];
                char *path = path_of(recorder_file_name(&stream, name, sizeof name));
                if (access(path, F_OK) == 0) {
                    if (tap_has_statistics((enum tap)tap))
                        count_file(&again, path);
                    unlink(path);
                    seen[tap] = true;
                }
            }
        }
        for (size_t i = 0; i < heard.count; i++) {
            const struct histogram_entry *entry = heard.entries[i];
            const struct histogram *other = entry_of(&again, entry);
            assert_true(other || entry->histogram.count == 0);
            if (other) {
                assert_same_counts(&entry->histogram, other);
                entries++;
            }
        }
        for (size_t i = 0; i < again.count; i++)
            assert_non_null(entry_of(&heard, again.entries[i]));
        histogram_set_free(&heard);
        histogram_set_free(&again);
    }
    assert_true(entries > 100);
    assert_true(seen[TAP_CDMA_CVT] && seen[TAP_CACC_OUT] && seen[TAP_CACC_SAT] && seen[TAP_SDP_OUT]);
    assert_true(seen[TAP_PDP_OUT] && seen[TAP_CDP_CVT_IN] && seen[TAP_EW_ALU_CVT]);
}

/* ---- files ---- */

/* What is recorded in a folder of its own. */
struct recording {
    struct recorder *recorder;
    struct tap_listeners taps;
};

static struct recording record_in(const char *directory) {
    struct recording recording = {.taps = {.count = 0}};
    mkdir(path_of(directory), 0777);
    recording.recorder = recorder_new(path_of(directory));
    tap_listen(&recording.taps, recorder_listener(recording.recorder));
    return recording;
}

/* Ends it; `file` in the folder of the test gets the name. */
static void keep(const struct recording *recording, const char *file, const char *name) {
    struct error err = {.text = ""};
    assert_true(recorder_close(recording->recorder, &err));
    assert_int_equal(rename(path_of(file), path_of(name)), 0);
}

/* Records n elements of 16 bits, value i * i - 100, `lanes` a row, in a file of its own. wrong: the element that is
 * another; -1: none. */
static void record(const char *name, int n, int lanes, int wrong, int ordinal) {
    struct recording recording = record_in("r");
    const struct tap_stream stream = {
        .unit = NVDLA_PDP, .ordinal = ordinal, .tap = TAP_PDP_OUT, .format = TAP_INT16, .width = 16};
    const struct tap_out out = tap_open(&recording.taps, &stream);
    for (int i = 0; i < n; i += 2 * lanes) {
        int16_t values[64] = {0};
        for (int k = 0; k < 2 * lanes; k++) /* the row is longer than its lanes */
            values[k / lanes * 32 + k % lanes] = (int16_t)((i + k) * (i + k) - 100 + (i + k == wrong));
        const struct tap_place place = {.channel = lanes == 4 ? 0 : -1, .y = 5, .x = lanes == 4 ? i / lanes : -1};
        tap_send(&out, place, values, 2, (size_t)lanes, 32);
    }
    keep(&recording, "r/PDP.PDP_OUT.tap", name);
}

/* Compares two files of the folder, and how the result begins; of errors without the folder. */
static void compares(const char *a, const char *b, const char *expected) {
    struct tap_difference difference;
    struct error err = {.text = ""};
    char text[256];
    if (!tap_compare(path_of(a), path_of(b), &difference, &err)) {
        assert_memory_equal(err.text, folder, strlen(folder));
        assert_memory_equal(err.text + strlen(folder) + 1, expected, strlen(expected));
        return;
    }
    tap_difference_text(&difference, a, b, text, sizeof text);
    char *found = kept(xprintf("%s; %d, %d skipped", text, difference.skipped_a, difference.skipped_b));
    if (strncmp(found, expected, strlen(expected)) != 0)
        fail_msg("found '%s', expected '%s'", found, expected);
}

TEST(the_first_difference_is_found) {
    record("a", 64, 4, -1, 2);
    record("b", 64, 16, -1, -1); /* other batches, launch and places not known */
    compares("a", "b", "64 elements equal; 0, 0 skipped");
    record("b", 64, 4, 37, -1);
    compares("a", "b", "37 elements equal, then channel 1, y 5, x 9: a 1269, b 1270; 0, 0 skipped");
    compares("b", "a", "37 elements equal, then launch 2, channel 1, y 5, x 9: b 1270, a 1269; 0, 0 skipped");
    record("b", 56, 4, -1, 2);
    compares("a", "b", "56 elements equal, then b ends; a continues with launch 2, channel 0, y 5, x 14; 0, 0 skipped");
    record("b", 64, 4, -1, 3); /* another launch */
    compares("a", "b", "0 elements equal, then a ends; b continues with launch 3, channel 0, y 5, x 0; 1, 0 skipped");
}

static void send_byte(const struct tap_listeners *taps, const struct tap_stream *stream, struct tap_place place,
                      int8_t value) {
    const struct tap_out out = tap_open(taps, stream);
    tap_send(&out, place, &value, 1, 1, 1);
}

/* Records an element with its place. */
static void record_at(const char *name, struct tap_place place) {
    struct recording recording = record_in("p");
    const struct tap_stream stream = {.unit = NVDLA_CSC, .tap = TAP_CSC_DAT, .format = TAP_INT8, .width = 8};
    send_byte(&recording.taps, &stream, place, 1);
    keep(&recording, "p/CSC.CSC_DAT.tap", name);
}

/* The same value in another place is a difference; clocks, and places that one side does not know, are none. */
TEST(places_are_compared) {
    const struct tap_place at = {.channel = 3, .y = 4, .x = 5, .reduction = 6, .address = 7, .flags = 8, .cycle = 9};
    struct tap_place others[6];
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        others[i] = at;
    others[0].channel = others[1].y = others[2].x = others[3].reduction = 1;
    others[4].address = others[5].flags = 1;
    record_at("a", at);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        record_at("b", others[i]);
        compares("a", "b", "0 elements equal, then one in other places: a launch 0, channel 3, y 4, x 5");
    }
    record_at("b", (struct tap_place){.channel = -1, .y = -1, .x = 5, .reduction = -1, .address = 7, .flags = 8});
    compares("a", "b", "1 elements equal; 0, 0 skipped");
}

/* One element of 8 bits of each launch from `first` on. */
static void record_launches(const char *name, int first, int count, uint64_t cycle) {
    struct recording recording = record_in("l");
    recorder_units(recording.recorder, UINT32_C(1) << NVDLA_CACC);
    for (int ordinal = first; ordinal < first + count; ordinal++) {
        struct tap_stream stream = {
            .unit = NVDLA_CACC, .ordinal = ordinal, .tap = TAP_CACC_SAT, .format = TAP_INT8, .width = 8};
        send_byte(&recording.taps, &stream, (struct tap_place){.y = 4, .x = 2, .cycle = cycle}, (int8_t)ordinal);
        stream.unit = NVDLA_SDP;
        assert_int_equal(tap_open(&recording.taps, &stream).count, 0);
    }
    keep(&recording, "l/CACC.CACC_SAT.tap", name);
}

TEST(files_are_compared_from_the_later_start_on) {
    record_launches("RTL", 2, 3, 77);
    record_launches("model", 0, 5, 0);
    compares("RTL", "model", "3 elements equal; 0, 2 skipped");
    compares("model", "RTL", "3 elements equal; 2, 0 skipped");
    record_launches("model", 0, 4, 0);
    compares(
        "RTL", "model",
        "2 elements equal, then model ends; RTL continues with launch 4, kernel 0, y 4, x 2, cycle 77; 0, 2 skipped");
}

TEST(launches_are_left_out_and_cycles_kept) {
    struct error err = {.text = ""};
    struct recording recording = record_in("f");
    recorder_from(recording.recorder, NVDLA_PDP, 2);
    for (int ordinal = 0; ordinal < 4; ordinal++) {
        const struct tap_stream stream = {
            .unit = NVDLA_PDP, .ordinal = ordinal, .tap = TAP_PDP_OUT, .format = TAP_INT8, .width = 8};
        const struct tap_place place = {.cycle = ((uint64_t)1 << 40) + (uint64_t)ordinal};
        send_byte(&recording.taps, &stream, place, (int8_t)(10 + ordinal));
    }
    assert_true(recorder_close(recording.recorder, &err));
    struct tap_reader *reader = tap_reader_open(path_of("f/PDP.PDP_OUT.tap"), &err);
    assert_non_null(reader);
    struct tap_element element;
    for (int ordinal = 2; ordinal < 4; ordinal++) {
        assert_int_equal(tap_reader_next(reader, &element, &err), TAP_READ_ELEMENT);
        assert_int_equal(element.at.stream.ordinal, ordinal);
        assert_int_equal(element.value, 10 + ordinal);
        assert_true(element.at.place.cycle == ((uint64_t)1 << 40) + (uint64_t)ordinal);
    }
    assert_int_equal(tap_reader_next(reader, &element, &err), TAP_READ_END);
    tap_reader_close(reader);
}

/* ---- batches ---- */

enum { COLUMNS = 61, LINES = 37, CHANNELS = 77, LANES = 8, SURFACES = (CHANNELS + LANES - 1) / LANES };

/* Element number n of a cube of 32 bits, surface by surface, column by column. */
static struct tap_place place_in_cube(size_t n, int32_t *value) {
    const size_t surface = n / ((size_t)COLUMNS * LINES * LANES), first = surface * LANES;
    const size_t lanes = tap_lanes(CHANNELS, LANES, surface), rest = n - (size_t)COLUMNS * LINES * first;
    *value = (int32_t)(n * n % 70001) - 35000;
    return (struct tap_place){.channel = (int32_t)(first + rest % lanes),
                              .y = (int32_t)(rest / lanes / COLUMNS),
                              .x = (int32_t)(rest / lanes % COLUMNS)};
}

static size_t lines_of(int32_t *values, size_t n, size_t rows, size_t lanes, size_t stride, size_t wrong) {
    for (size_t row = 0; row < rows; row++)
        for (size_t lane = 0; lane < lanes; lane++, n++) {
            place_in_cube(n, &values[row * stride + lane]);
            values[row * stride + lane] += n == wrong;
        }
    return n;
}

/* Records the cube by rows of a line, or by single elements with a clock each. */
static void record_cube(const char *name, bool lines, size_t wrong) {
    struct recording recording = record_in("c");
    const struct tap_stream stream = {.unit = NVDLA_SDP, .tap = TAP_SDP_IN, .format = TAP_INT32, .width = 32};
    const struct tap_out out = tap_open(&recording.taps, &stream);
    for (size_t n = 0; n < (size_t)COLUMNS * LINES * CHANNELS;) {
        static int32_t values[COLUMNS * (LANES + 1)];
        struct tap_place place = place_in_cube(n, values);
        const size_t lanes = tap_lanes(CHANNELS, LANES, (size_t)place.channel / LANES);
        if (lines) {
            n = lines_of(values, n, COLUMNS, lanes, LANES + 1, wrong);
            tap_send(&out, place, values, COLUMNS, lanes, LANES + 1);
        } else {
            place.cycle = 3 * n + n / 1000;
            n = lines_of(values, n, 1, 1, 1, wrong);
            tap_send(&out, place, values, 1, 1, 1);
        }
    }
    keep(&recording, "c/SDP.SDP_IN.tap", name);
}

/* A cube of many blocks is the same however it was heard, down to places and clocks, and one wrong element is found in
 * any of them. */
TEST(batches_leave_no_trace) {
    const size_t all = (size_t)COLUMNS * LINES * CHANNELS;
    const size_t wrong[] = {0, 1, 16383, 16384, 16385, 100000, all - 1};
    struct tap_difference difference;
    struct tap_element element;
    struct error err = {.text = ""};
    record_cube("lines", true, SIZE_MAX);
    record_cube("single", false, SIZE_MAX);
    assert_true(tap_compare(path_of("lines"), path_of("single"), &difference, &err));
    assert_false(difference.differs);
    assert_int_equal(difference.compared, all);
    const char *const names[] = {"lines", "single"};
    for (uint64_t k = 0; k < 2; k++) {
        struct tap_reader *reader = tap_reader_open(path_of(names[k]), &err);
        assert_non_null(reader);
        for (size_t n = 0; n < all; n++) {
            int32_t value;
            const struct tap_place at = place_in_cube(n, &value);
            assert_int_equal(tap_reader_next(reader, &element, &err), TAP_READ_ELEMENT);
            assert_int_equal(element.value, value);
            assert_true(element.at.place.channel == at.channel && element.at.place.y == at.y &&
                        element.at.place.x == at.x && element.at.place.cycle == k * (3 * n + n / 1000));
        }
        assert_int_equal(tap_reader_next(reader, &element, &err), TAP_READ_END);
        tap_reader_close(reader);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        int32_t value;
        const struct tap_place at = place_in_cube(wrong[i], &value);
        record_cube("wrong", i % 2 == 0, wrong[i]);
        assert_true(tap_compare(path_of("single"), path_of("wrong"), &difference, &err));
        assert_true(difference.differs && !difference.a_ended && !difference.b_ended);
        assert_int_equal(difference.compared, wrong[i]);
        assert_true(difference.a.value == value && difference.b.value == value + 1);
        assert_true(difference.b.at.place.channel == at.channel && difference.b.at.place.x == at.x);
        assert_true(difference.a.at.place.cycle == 3 * wrong[i] + wrong[i] / 1000);
    }
}

TEST(damaged_and_missing_files_are_told) {
    record("a", 64, 4, -1, 0);
    compares("a", "none", "none: No such file or directory");
    FILE *file = fopen(path_of("other"), "w");
    fputs("something else\n", file);
    fclose(file);
    compares("other", "a", "other: not a recorded stream");
    assert_int_equal(truncate(path_of("a"), 90), 0);
    compares("a", "a", "a: is damaged or cut off");
    record("a", 64, 4, -1, 0);
    record("b", 64, 16, -1, -1);
    for (long at = 22; at < 100; at += 11) { /* a bit of the only block */
        file = fopen(path_of("a"), "r+");
        fseek(file, -at, SEEK_END);
        const int byte = fgetc(file);
        fseek(file, -at, SEEK_END);
        fputc(byte ^ 4, file);
        fclose(file);
        compares("a", "b", "a: is damaged or cut off");
        record("a", 64, 4, -1, 0);
    }
}

TEST(what_cannot_be_written_is_told) {
    struct error err = {.text = ""};
    struct recorder *recorder = recorder_new(path_of("missing"));
    struct tap_listeners taps = {.count = 0};
    tap_listen(&taps, recorder_listener(recorder));
    const struct tap_stream stream = {.unit = NVDLA_SDP, .tap = TAP_SDP_OUT, .format = TAP_INT8, .width = 8};
    const struct tap_out out = tap_open(&taps, &stream);
    assert_int_equal(out.count, 0);
    tap_send(&out, (struct tap_place){.x = 0}, "1", 1, 1, 1);
    assert_false(recorder_close(recorder, &err));
    assert_non_null(strstr(err.text, "missing/SDP.SDP_OUT.tap: cannot be made: No such file"));
    if (access("/dev/full", W_OK) != 0)
        return;
    assert_int_equal(symlink("/dev/full", path_of("SDP.SDP_OUT.tap")), 0);
    recorder = recorder_new(folder);
    taps.count = 0;
    tap_listen(&taps, recorder_listener(recorder));
    const struct tap_out full = tap_open(&taps, &stream);
    assert_int_equal(full.count, 1);
    tap_send(&full, (struct tap_place){.x = 0}, "1", 1, 1, 1);
    assert_false(recorder_close(recorder, &err));
    assert_non_null(strstr(err.text, "SDP.SDP_OUT.tap: cannot be written: No space left"));
}

TEST(values_are_numbers_for_people) {
    static const struct {
        enum tap_format format;
        int64_t value;
        const char *text;
    } cases[] = {
        {TAP_INT8, -3, "-3"},
        {TAP_FP16, 0xb400, "-0.25 (0xb400)"},
        {TAP_FP16, 0x7e01, "nan (0x7e01)"},
        {TAP_FP32, 0x40490fdb, "3.14159274 (0x40490fdb)"},
        {TAP_CMAC_FP16, (INT64_C(40) << 38 | ((INT64_C(1) << 38) - 3)) - (INT64_C(1) << 44),
         "-0.0029296875 (-3 * 2^-10)"},
        {TAP_CMAC_FP16, -(INT64_C(1) << 37), "nan (exponent 63, mantissa -137438953472)"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[TAP_VALUE_TEXT];
        const struct tap_element element = {.at = {.stream = {.format = cases[i].format}}, .value = cases[i].value};
        assert_string_equal(tap_value_text(&element, text), cases[i].text);
    }
}

TEST_GROUP(make_folder, remove_folder)
