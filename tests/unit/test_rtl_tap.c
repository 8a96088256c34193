/* Taps of an RTL: lanes become elements of a launch with their places, beats become atoms of a client. The cases of
 * rtl_tap.txt, and streams whose elements wait. */
#include "nvdla_offsets.h"
#include "tb/observers/rtl_tap.h"
#include "tests/unit/register_steps.h"
#include "tests/unit/register_text.h"
#include "tests/unit/stream_steps.h"
#include "tests/unit/test.h"

enum { MOST = 320 };

/* Keeps what it hears. */
struct heard {
    size_t count;
    struct tap_position at[MOST];
    int64_t value[MOST];
};

static void keep(void *context, const struct tap_stream *stream, const struct tap_place *place, const void *values,
                 size_t rows, size_t lanes, size_t stride) {
    struct heard *heard = context;
    const size_t bytes = tap_element_bytes(stream->format);
    for (size_t row = 0; row < rows; row++) {
        for (size_t lane = 0; lane < lanes; lane++) {
            const char *from = (const char *)values + (row * stride + lane) * bytes;
            int64_t word = 0; /* of 1, 2, 4 or 8 bytes */
            assert_true(heard->count < MOST);
            memcpy(&word, from, bytes);
            heard->at[heard->count] = (struct tap_position){*stream, *place};
            heard->at[heard->count].place.channel += (int)lane;
            heard->at[heard->count].place.x += (int)row;
            heard->value[heard->count++] = bytes == 1   ? (int8_t)word
                                           : bytes == 2 ? (int16_t)word
                                           : bytes == 4 ? (int32_t)word
                                                        : word;
        }
    }
}

static struct tap_sink open_all(void *context, const struct tap_stream *stream) {
    (void)stream;
    return (struct tap_sink){.elements = keep, .context = context};
}

struct bench {
    struct shown_streams shown;
    int reads; /* how often a stream was looked at */
    struct heard heard;
    struct tap_listeners listeners;
    struct rtl_tap *tap;
    struct observer observer;
    uint64_t cycle;
};

static const uint32_t *read_words(void *context, enum rtl_stream stream, int count) {
    struct bench *b = context;
    assert_int_equal(count, rtl_stream_layout(b->shown.config, stream).words);
    b->reads++;
    return b->shown.words[stream];
}

/* A bench whose streams are recorded or not. */
static struct bench *bench_of(const char *config, bool recorded) {
    struct bench *b = test_new(sizeof *b);
    b->shown.config = nvdla_config_find(config);
    tap_listen(&b->listeners, (struct tap_listener){.context = &b->heard, .open = open_all});
    struct stream_source source = {.context = b, .read = read_words};
    memset(source.has, true, sizeof source.has);
    b->tap = rtl_tap_new(b->shown.config, &b->listeners, &source);
    b->observer = rtl_tap_observer(b->tap);
    test_keep(b->observer.context, b->observer.release);
    b->observer.reset(b->observer.context);
    rtl_tap_record(b->tap, recorded);
    return b;
}

static void write_register(struct bench *b, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    b->observer.write(b->observer.context, nvdla_unit_base(b->shown.config, unit) + offset, value, 0);
}

#define WRITE(b, unit, ...) FOR_ROWS(write_register(b, unit, offset_, value_), __VA_ARGS__)

/* One clock in which one stream moves. */
static void beat_of(struct bench *b, enum rtl_stream stream, bool ends) {
    uint32_t words[2 * MOVE_WORDS] = {0};
    words[stream / 32] = 1u << stream % 32;
    words[MOVE_WORDS + stream / 32] = (uint32_t)ends << stream % 32;
    b->observer.moved(b->observer.context, b->cycle++, words);
}

/* ---- cases of rtl_tap.txt ---- */

static void *begin(const char *title) {
    return bench_of(title_config(title)->name, !strstr(title, " unrecorded,"));
}

static bool beat_step(struct bench *b, const struct step *step) {
    const bool ramp = step_is(step, "ramp"), last = step_is(step, "last");
    if (!ramp && !last && !step_is(step, "beat"))
        return false;
    const enum rtl_stream stream = stream_named(step->word[1]);
    const size_t bits = (size_t)rtl_stream_layout(b->shown.config, stream).bits;
    for (uint32_t i = 0; i < (step->count > 2 ? stream_value(step, 2) : 1); i++) {
        if (ramp) {
            stream_lane(b->shown.words[stream], 0, bits, stream_value(step, 3) + i);
            b->cycle++;
        }
        beat_of(b, stream, last);
    }
    return true;
}

static bool heard_step(struct bench *b, const struct step *step, FILE *found) {
    const size_t n = stream_value(step, 1);
    if (step_is(step, "count"))
        fprintf(found, "%zu", b->heard.count);
    else if (step_is(step, "reads"))
        fprintf(found, "%d", b->reads);
    else if (step_is(step, "at")) {
        const struct tap_stream *stream = &b->heard.at[n].stream;
        const struct tap_place *at = &b->heard.at[n].place;
        assert_true(n < b->heard.count);
        fprintf(found, "%s %d %s %d %s/%d, b%d c%d y%d x%d r%d 0x%" PRIx64 " f%" PRIu32 " @%" PRIu64 ": %" PRId64,
                nvdla_unit_names[stream->unit], stream->ordinal, tap_names[stream->tap], stream->client,
                tap_format_names[stream->format], stream->width, at->batch, at->channel, at->y, at->x, at->reduction,
                at->address, at->flags, at->cycle, b->heard.value[n]);
    } else if (step_is(step, "places")) {
        for (size_t i = n; i < b->heard.count; i++)
            fprintf(found, "%s%d.%d.%d.%d", i > n ? " " : "", b->heard.at[i].place.batch, b->heard.at[i].place.channel,
                    b->heard.at[i].place.y, b->heard.at[i].place.x);
    } else if (step_is(step, "launch")) {
        enum tap tap = 0;
        while (strcmp(tap_names[tap], step->word[2]) != 0)
            assert_true(++tap < TAP_COUNT);
        fprintf(found, "%d", rtl_tap_launch(b->tap, nvdla_unit_find(step->word[1]), tap));
    } else
        return false;
    return true;
}

/* axi read|write ID UNIT ORDINAL ADDRESS BYTES STROBES */
static void axi_beat(struct bench *b, const struct step *step) {
    const struct axi_listener listener = rtl_tap_axi(b->tap);
    uint8_t data[AXI_BYTES];
    for (int i = 0; i < AXI_BYTES; i++)
        data[i] = (uint8_t)i;
    const enum nvdla_unit unit = nvdla_unit_find(step->word[3]);
    const struct axi_beat beat = {.cycle = b->cycle++,
                                  .write = strcmp(step->word[1], "write") == 0,
                                  .id = (uint8_t)step_number(step, 2),
                                  .owner = {unit < NVDLA_UNIT_COUNT ? (int16_t)unit : -1, (int)stream_value(step, 4)},
                                  .address = step_number(step, 5),
                                  .bytes = (int)step_number(step, 6),
                                  .data = data,
                                  .strobe = step_number(step, 7)};
    listener.beat(listener.context, &beat);
}

static bool act(void *context, const struct step *step, FILE *found) {
    struct bench *b = context;
    if (step_is_writes(step))
        FOR_WRITES(b->shown.config, step, write_register(b, write_.unit, write_.offset, write_.value))
    else if (step_is(step, "record"))
        rtl_tap_record(b->tap, step_number(step, 1));
    else if (step_is(step, "axi"))
        axi_beat(b, step);
    else if (step_is(step, "both")) { /* CACC and SDP in one clock */
        uint32_t words[2 * MOVE_WORDS] = {0};
        words[STREAM_CACC_SAT / 32] |= 1u << STREAM_CACC_SAT % 32;
        words[STREAM_SDP_OUT / 32] |= 1u << STREAM_SDP_OUT % 32;
        b->observer.moved(b->observer.context, b->cycle++, words);
    } else
        return beat_step(b, step) || stream_shown_step(&b->shown, step) || heard_step(b, step, found);
    return true;
}

TEST(cases_find_what_they_say) {
    steps_play("tests/unit/rtl_tap.txt", &(struct steps_player){begin, act});
}

/* ---- elements that wait ---- */

/* Entries of three surfaces, which come from the last one of a line to the first, both lines at once, and wrap around
 * the bank: they are passed on line by line and in their order. The fourth atom of an entry has no source. */
TEST(entries_of_data_wait_for_those_before_them) {
    enum { WIDTH = 3, LINES = 2, SURFACES = 3, ATOM = 32, ENTRIES = 256, FIRST = 254 };
    struct bench *b = bench_of("full", true);
    WRITE(b, NVDLA_CDMA, {CDMA_D_MISC_CFG, NVDLA_INT16 << CDMA_D_MISC_CFG__PROC_PRECISION_LSB},
          {CDMA_D_DATAIN_SIZE_0, (LINES - 1) << CDMA_D_DATAIN_SIZE_0__DATAIN_HEIGHT_LSB | (WIDTH - 1)},
          {CDMA_D_DATAIN_SIZE_1, SURFACES * ATOM / 2 - 1}, {CDMA_D_ENTRY_PER_SLICE, WIDTH - 1}, {CDMA_D_OP_ENABLE, 1});
    uint32_t *words = b->shown.words[STREAM_CBUF_DAT_WIDE];
    const struct stream_layout layout = rtl_stream_layout(b->shown.config, STREAM_CBUF_DAT_WIDE);
    for (uint32_t half = 0; half < 2; half++)
        for (uint32_t i = 0; i < WIDTH * LINES; i++) {
            const uint32_t entry = (i == 0 ? FIRST : FIRST + WIDTH * LINES - i) % ENTRIES;
            words[layout.address] = entry * 4 * ATOM;
            words[layout.select] = half ? 12 : 3;
            for (uint32_t atom = 0; atom < 4; atom++)
                words[atom * ATOM / 4] = 4 * entry + atom;
            beat_of(b, STREAM_CBUF_DAT_WIDE, false);
            assert_true(half || b->heard.count == ATOM); /* two atoms of the first entry */
        }
    enum { ATOMS = WIDTH * LINES * SURFACES };
    assert_int_equal(b->heard.count, ATOMS * ATOM / 2);
    for (size_t i = 0; i < ATOMS; i++) {
        const size_t atom = (FIRST * 4 + i / SURFACES * 4 + i % SURFACES) % (ENTRIES * 4);
        assert_int_equal(b->heard.at[i * ATOM / 2].place.address, atom * ATOM);
        assert_int_equal(b->heard.value[i * ATOM / 2], atom);
    }
    assert_int_equal(b->heard.at[2 * ATOM / 2].place.cycle,
                     WIDTH * LINES); /* the third atom came with the second half */
}

/* Lanes of 11 bits stand without gaps, also across words, and keep their signs; PDP's rows skip lines that no window
 * holds. */
TEST_ON(odd_lanes_become_elements, struct bench *b, bench_of("large", true)) {
    const struct stream_layout layout = rtl_stream_layout(b->shown.config, STREAM_PDP_ROW);
    const int lanes = layout.lanes, atom = b->shown.config->mem_atom;
    assert_true(lanes * 11 > 32 && layout.words == (lanes * 11 + 31) / 32);
    /* five lines of one column */
    WRITE(b, NVDLA_PDP, {PDP_D_DATA_CUBE_IN_HEIGHT, 4}, {PDP_D_DATA_CUBE_IN_CHANNEL, (uint32_t)atom - 1},
          {PDP_D_DATA_CUBE_OUT_HEIGHT, 1}, {PDP_D_DATA_CUBE_OUT_CHANNEL, (uint32_t)atom - 1},
          {PDP_D_POOLING_KERNEL_CFG, 2u << PDP_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_HEIGHT_LSB}, {PDP_D_OP_ENABLE, 1});
    for (int beat = 0; beat < 2 * atom / lanes; beat++) {
        memset(b->shown.words[STREAM_PDP_ROW], 0, sizeof b->shown.words[0]);
        for (int lane = 0; lane < lanes; lane++) {
            const uint64_t value = (uint64_t)(lane * 37 - 1024 + beat) & 0x7ff;
            const int at = lane * 11;
            b->shown.words[STREAM_PDP_ROW][at / 32] |= (uint32_t)(value << at % 32);
            if (at % 32 > 21)
                b->shown.words[STREAM_PDP_ROW][at / 32 + 1] |= (uint32_t)(value >> (32 - at % 32));
        }
        beat_of(b, STREAM_PDP_ROW, false);
    }
    assert_int_equal(b->heard.count, 2 * atom);
    for (int i = 0; i < 2 * atom; i++) {
        assert_int_equal(b->heard.value[i], i % lanes * 37 - 1024 + i / lanes);
        assert_int_equal(b->heard.at[i].place.y, i < atom ? 0 : 3);
        assert_int_equal(b->heard.at[i].place.channel, i % atom);
    }
    assert_int_equal(rtl_tap_launch(b->tap, NVDLA_PDP, TAP_PDP_ROW), -1); /* it is over */
}

/* Lanes that go row by row through a block of columns are passed on column by column, each with its clock. */
TEST(rows_of_lanes_wait_for_their_block) {
    enum { COLUMNS = 9, BLOCK = 8, CHANNELS = 11, ATOM = 8 };
    struct bench *b = bench_of("small", true);
    WRITE(b, NVDLA_CDP_RDMA, {CDP_RDMA_D_DATA_CUBE_WIDTH, COLUMNS - 1}, {CDP_RDMA_D_DATA_CUBE_CHANNEL, CHANNELS - 1},
          {CDP_RDMA_D_OP_ENABLE, 1});
    write_register(b, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    for (int left = 0; left < COLUMNS; left += BLOCK)
        for (int channel = 0; channel < 2 * ATOM; channel++)
            for (int x = left; x < COLUMNS && x < left + BLOCK; x++) {
                b->shown.words[STREAM_LUT_OUT_ROWS][0] = (uint32_t)(100 * channel + x);
                b->cycle = (uint64_t)(1000 * channel + x);
                beat_of(b, STREAM_LUT_OUT_ROWS, false);
            }
    assert_int_equal(b->heard.count, COLUMNS * CHANNELS);
    for (size_t i = 0; i < b->heard.count; i++) {
        const struct tap_place *at = &b->heard.at[i].place;
        assert_int_equal(b->heard.at[i].stream.tap, TAP_LUT_OUT);
        assert_int_equal(b->heard.value[i], 100 * at->channel + at->x);
        assert_int_equal(at->cycle, 1000 * at->channel + at->x);
    }
    for (int channel = 0; channel < ATOM; channel++) /* the first column, and the second */
        assert_true(b->heard.at[channel].place.x == 0 && b->heard.at[ATOM + channel].place.x == 1);
}
