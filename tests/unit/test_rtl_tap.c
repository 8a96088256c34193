/* Taps of an RTL: lanes become elements of a launch with their places, beats become atoms of a client. */

#include <string.h>

#include "layers/conv_order.h"
#include "nvdla_offsets.h"
#include "tb/observers/rtl_tap.h"
#include "tests/unit/register_text.h"
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
    const struct nvdla_config *config;
    uint32_t words[STREAM_COUNT][STREAM_WORDS]; /* what each stream shows */
    int reads;                                  /* how often one was looked at */
    struct heard heard;
    struct tap_listeners listeners;
    struct rtl_tap *tap;
    struct observer observer;
    uint64_t cycle;
};

static const uint32_t *read_words(void *context, enum rtl_stream stream, int count) {
    struct bench *b = context;
    assert_int_equal(count, rtl_stream_layout(b->config, stream).words);
    b->reads++;
    return b->words[stream];
}

/* A bench whose streams are recorded or not. */
static struct bench *bench_of(const char *config, bool recorded) {
    struct bench *b = test_new(sizeof *b);
    b->config = nvdla_config_find(config);
    tap_listen(&b->listeners, (struct tap_listener){.context = &b->heard, .open = open_all});
    struct stream_source source = {.context = b, .read = read_words};
    memset(source.has, true, sizeof source.has);
    b->tap = rtl_tap_new(b->config, &b->listeners, &source);
    b->observer = rtl_tap_observer(b->tap);
    test_keep(b->observer.context, b->observer.release);
    b->observer.reset(b->observer.context);
    rtl_tap_record(b->tap, recorded);
    return b;
}

static struct bench *bench_new(const char *config) {
    return bench_of(config, true);
}

static void write_register(struct bench *b, enum nvdla_unit unit, uint32_t offset, uint32_t value) {
    b->observer.write(b->observer.context, nvdla_unit_base(b->config, unit) + offset, value, 0);
}

#define WRITE(b, unit, ...) FOR_ROWS(write_register(b, unit, offset_, value_), __VA_ARGS__)

static void sdp_launch(struct bench *b, uint32_t group, uint32_t width, uint32_t height, uint32_t channels) {
    WRITE(b, NVDLA_SDP, {SDP_S_POINTER, group}, {SDP_D_DATA_CUBE_WIDTH, width - 1},
          {SDP_D_DATA_CUBE_HEIGHT, height - 1}, {SDP_D_DATA_CUBE_CHANNEL, channels - 1}, {SDP_D_OP_ENABLE, 1});
}

enum { CACC_MOVES = 1, SDP_MOVES = 2 };

/* One clock in which CACC hands over `word` in its first lane, and SDP `byte`; moves: which of them does. */
static void clock_with(struct bench *b, int moves, int32_t word, int8_t byte) {
    uint32_t words[2 * MOVE_WORDS] = {0};
    if (moves & CACC_MOVES)
        words[STREAM_CACC_SAT / 32] |= 1u << STREAM_CACC_SAT % 32;
    if (moves & SDP_MOVES)
        words[STREAM_SDP_OUT / 32] |= 1u << STREAM_SDP_OUT % 32;
    b->words[STREAM_CACC_SAT][0] = (uint32_t)word;
    b->words[STREAM_SDP_OUT][0] = (uint8_t)byte;
    if (moves)
        b->observer.moved(b->observer.context, b->cycle, words);
    b->cycle++;
}

TEST_ON(lanes_become_elements_of_their_launch, struct bench *b, bench_new("small")) {
    assert_int_equal(rtl_stream_layout(b->config, STREAM_SDP_OUT).lanes, 1);
    rtl_tap_record(b->tap, true);
    sdp_launch(b, 1, 1, 1, 8);  /* launch 0, but group 0 comes first */
    sdp_launch(b, 0, 2, 1, 11); /* two surfaces, 8 channels and 3 */
    for (int i = 0; i < 2 * 2 * 8; i++) {
        clock_with(b, 0, 99, 99); /* nothing moves */
        clock_with(b, SDP_MOVES, 99, (int8_t)(i - 5));
    }
    assert_int_equal(b->heard.count, 2 * 8 + 2 * 3);
    for (int k = 0; k < 22; k++) {
        const struct tap_position *at = &b->heard.at[k];
        const int surface = k >= 16, lanes = surface ? 3 : 8, in = surface ? k - 16 : k;
        assert_int_equal(at->stream.unit, NVDLA_SDP);
        assert_int_equal(at->stream.tap, TAP_SDP_OUT);
        assert_int_equal(at->stream.ordinal, 1);
        assert_int_equal(at->place.x, in / lanes);
        assert_int_equal(at->place.y, 0);
        assert_int_equal(at->place.channel, surface * 8 + in % lanes);
        assert_int_equal(at->place.cycle, 2 * (surface * 16 + in / lanes * 8 + in % lanes) + 1);
        assert_int_equal(b->heard.value[k], surface * 16 + in / lanes * 8 + in % lanes - 5);
    }
    for (int i = 0; i < 8; i++)
        clock_with(b, SDP_MOVES, 0, (int8_t)i);
    assert_int_equal(b->heard.count, 30);
    assert_int_equal(b->heard.at[29].stream.ordinal, 0);
}

TEST_ON(both_streams_are_heard_in_one_clock, struct bench *b, bench_new("small")) {
    WRITE(b, NVDLA_CACC, {CACC_D_DATAOUT_SIZE_0, 0}, {CACC_D_DATAOUT_SIZE_1, 7}, {CACC_D_OP_ENABLE, 1});
    sdp_launch(b, 0, 1, 1, 8);
    clock_with(b, SDP_MOVES | CACC_MOVES, -1000000, -7);
    assert_int_equal(b->heard.count, 2);
    assert_int_equal(b->heard.at[0].stream.unit, NVDLA_CACC);
    assert_int_equal(b->heard.at[0].stream.tap, TAP_CACC_SAT);
    assert_int_equal(b->heard.value[0], -1000000);
    assert_int_equal(b->heard.value[1], -7);
}

/* ---- convolution ---- */

/* One clock in which one stream moves. */
static void beat_of(struct bench *b, enum rtl_stream stream, bool ends) {
    uint32_t words[2 * MOVE_WORDS] = {0};
    words[stream / 32] = 1u << stream % 32;
    words[MOVE_WORDS + stream / 32] = (uint32_t)ends << stream % 32;
    b->observer.moved(b->observer.context, b->cycle++, words);
}

/* Arms CSC and CMAC_A. */
static void conv_launch(struct bench *b, uint32_t group, uint32_t image, uint32_t rows, uint32_t channels,
                        uint32_t kernels, uint32_t positions) {
    WRITE(b, NVDLA_CSC, {CSC_S_POINTER, group}, {CSC_D_DATAIN_FORMAT, image}, {CSC_D_POST_Y_EXTENSION, image},
          {CSC_D_WEIGHT_SIZE_EXT_0, (rows - 1) << 16}, {CSC_D_WEIGHT_SIZE_EXT_1, (kernels - 1) << 16 | (channels - 1)},
          {CSC_D_DATAOUT_SIZE_0, positions - 1}, {CSC_D_ATOMICS, positions - 1}, {CSC_D_OP_ENABLE, 1});
    WRITE(b, NVDLA_CMAC_A, {CMAC_A_S_POINTER, group}, {CMAC_A_D_OP_ENABLE, 1});
}

static void assert_place(const struct bench *b, size_t element, int channel, int y, int x, int reduction,
                         unsigned flags, int64_t value) {
    const struct tap_place *place = &b->heard.at[element].place;
    assert_true(element < b->heard.count);
    assert_int_equal(place->channel, channel);
    assert_int_equal(place->y, y);
    assert_int_equal(place->x, x);
    assert_int_equal(place->reduction, reduction);
    assert_int_equal(place->flags, flags);
    assert_int_equal(b->heard.value[element], value);
}

/* Two lines of an image in one atom: the second one begins in the middle of the lanes; flags are the design's own. */
TEST_ON(atoms_follow_the_order_of_issue, struct bench *b, bench_new("small")) {
    conv_launch(b, 0, 1, 3, 3, 1, 2);
    conv_launch(b, 1, 0, 1, 9, 1, 1);
    uint32_t *words = b->words[STREAM_CSC_DAT];
    words[0] = 0x04030201;
    words[1] = 0x08070605;
    words[rtl_stream_layout(b->config, STREAM_CSC_DAT).flags] = CONV_STRIPE_START;
    beat_of(b, STREAM_CSC_DAT, false); /* rows 0 and 1 */
    beat_of(b, STREAM_CSC_DAT, false);
    beat_of(b, STREAM_CSC_DAT, false); /* row 2 */
    words[rtl_stream_layout(b->config, STREAM_CSC_DAT).flags] = CONV_STRIPE_END | CONV_LAYER_END;
    beat_of(b, STREAM_CSC_DAT, true);
    assert_int_equal(b->heard.count, 2 * 6 + 2 * 3);
    assert_place(b, 0, 0, 0, 0, 0, CONV_STRIPE_START, 1);
    assert_place(b, 2, 2, 0, 0, 0, CONV_STRIPE_START, 3);
    assert_place(b, 3, 0, 0, 0, 0, CONV_STRIPE_START, 5);
    assert_place(b, 6, 0, 0, 1, 0, CONV_STRIPE_START, 1);
    assert_place(b, 12, 0, 0, 0, 1, CONV_STRIPE_START, 1);
    assert_place(b, 17, 2, 0, 1, 1, CONV_STRIPE_END | CONV_LAYER_END, 3);
    for (int i = 0; i < 3; i++)
        beat_of(b, STREAM_CSC_DAT, false);
    assert_int_equal(b->heard.count, 18 + 8 + 1 + 1);
    assert_int_equal(b->heard.at[18].stream.ordinal, 1);
    assert_int_equal(b->heard.at[26].place.channel, 8);
    assert_int_equal(b->heard.at[27].place.reduction, -1); /* more than the layer has */
}

/* With the lanes outside the kernel's block, which must be 0. */
TEST_ON(weights_belong_to_the_cell_that_is_selected, struct bench *b, bench_new("small")) {
    conv_launch(b, 0, 0, 2, 2, 10, 1);
    uint32_t *words = b->words[STREAM_CSC_WT];
    uint32_t *select = words + rtl_stream_layout(b->config, STREAM_CSC_WT).select;
    words[0] = 0x0000ff07;
    words[1] = 0x05000000;
    static const struct {
        uint32_t select;
        int kernel, row;
    } beats[] = {{1, 0, 0},  {8, 3, 0},  {2, 1, 0},   {4, 2, 0}, {16, 4, 0},
                 {32, 5, 0}, {64, 6, 0}, {128, 7, 0}, {3, 10, 1}};
    for (size_t i = 0; i < sizeof beats / sizeof beats[0]; i++) {
        select[0] = beats[i].select;
        beat_of(b, STREAM_CSC_WT, false);
        assert_int_equal(b->heard.count, 8 * i + 8);
        assert_place(b, 8 * i, beats[i].kernel, beats[i].row, 0, beats[i].row, 0, 7);
        assert_place(b, 8 * i + 1, beats[i].kernel, beats[i].row, 1, beats[i].row, 0, -1);
        assert_place(b, 8 * i + 7, beats[i].kernel, beats[i].row, 7, beats[i].row, 0, 5);
    }
}

/* Sums have 19 bits, those of kernels that do not exist are left out; CMAC's launches are CSC's in their turn. */
TEST_ON(sums_are_those_of_the_kernels, struct bench *b, bench_new("small")) {
    write_register(b, NVDLA_CMAC_A, CMAC_A_S_POINTER, 1); /* armed in another order than CSC */
    write_register(b, NVDLA_CMAC_A, CMAC_A_D_OP_ENABLE, 1);
    conv_launch(b, 0, 0, 1, 1, 2, 1);
    uint32_t *words = b->words[STREAM_CMAC_SUM_A];
    words[0] = 5u | 0x7fffeu << 19; /* 5 and -2 */
    words[1] = 0x7fffeu >> 13;
    beat_of(b, STREAM_CMAC_SUM_A, true);
    assert_int_equal(b->heard.count, 2);
    assert_int_equal(b->heard.at[0].stream.ordinal, 1);
    assert_int_equal(b->heard.at[0].stream.width, 19);
    assert_place(b, 0, 0, 0, 0, 0, 0, 5);
    assert_place(b, 1, 1, 0, 0, 0, 0, -2);
}

/* A layer of CACC in full, one kernel. */
static void cacc_launch(struct bench *b, uint32_t mode, uint32_t columns, uint32_t lines, uint32_t batches) {
    WRITE(b, NVDLA_CACC, {CACC_D_MISC_CFG, mode}, {CACC_D_DATAOUT_SIZE_0, (lines - 1) << 16 | (columns - 1)},
          {CACC_D_DATAOUT_SIZE_1, 0}, {CACC_D_BATCH_NUMBER, batches - 1}, {CACC_D_OP_ENABLE, 1});
}

static void assert_result(const struct bench *b, size_t element, int batch, int y, int x) {
    const struct tap_place *place = &b->heard.at[element].place;
    assert_int_equal(place->batch, batch);
    assert_int_equal(place->channel, 0);
    assert_int_equal(place->y, y);
    assert_int_equal(place->x, x);
}

/* Two columns that share 64 bytes leave together, batch by batch; in FP16 as FP32. */
TEST(results_of_batches_leave_by_pairs_of_columns) {
    static const int order[][2] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 2}, {1, 2}}; /* batch, x */
    struct bench *b = bench_new("full");
    cacc_launch(b, NVDLA_FP16 << 12, 3, 1, 2);
    for (size_t i = 0; i < 6; i++)
        beat_of(b, STREAM_CACC_SAT, false);
    assert_int_equal(b->heard.count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_result(b, i, order[i][0], 0, order[i][1]);
    assert_int_equal(b->heard.at[0].stream.format, TAP_FP32);
    assert_int_equal(b->heard.at[0].stream.width, 0);
}

/* Winograd: the four results of a tile, the tile below it, the next column of tiles. INT8 has two beats for each. */
TEST_ON(results_of_winograd_leave_tile_by_tile, struct bench *b, bench_new("full")) {
    cacc_launch(b, NVDLA_INT8 << 12 | 1, 4, 8, 1);
    for (size_t i = 0; i < 2 * 4 * 8; i++)
        beat_of(b, STREAM_CACC_SAT, false);
    assert_int_equal(b->heard.count, 4 * 8);
    for (size_t i = 0; i < 4 * 8; i++) {
        const int tile = (int)i / 4 % 4, output = (int)i % 4, band = (int)i / 16;
        assert_result(b, i, 0, band * 4 + tile % 2 * 2 + output / 2, tile / 2 * 2 + output % 2);
    }
    assert_int_equal(b->heard.at[0].stream.format, TAP_INT32);
}

/* A layer of SDP in full, one channel. */
static void sdp_layer(struct bench *b, uint32_t mode, uint32_t precisions, uint32_t base, uint32_t columns,
                      uint32_t lines) {
    WRITE(b, NVDLA_SDP, {SDP_D_DATA_CUBE_WIDTH, columns - 1}, {SDP_D_DATA_CUBE_HEIGHT, lines - 1},
          {SDP_D_DATA_CUBE_CHANNEL, 0}, {SDP_D_DST_BASE_ADDR_LOW, base}, {SDP_D_FEATURE_MODE_CFG, mode},
          {SDP_D_DATA_FORMAT, precisions}, {SDP_D_OP_ENABLE, 1});
}

/* Pairs of columns share 64 bytes of the first batch: behind an odd base the first column is alone. */
TEST(sdp_goes_through_batches_by_pairs_of_columns) {
    static const int order[][2] = {{0, 0}, {1, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}}; /* batch, x */
    struct bench *b = bench_new("full");
    sdp_layer(b, 1 | 1 << 8, NVDLA_FP16 | NVDLA_INT16 << 2, 32, 3, 1);
    for (size_t i = 0; i < 6; i++) {
        beat_of(b, STREAM_SDP_OUT, false);
        assert_result(b, i, order[i][0], 0, order[i][1]);
    }
    assert_int_equal(b->heard.at[0].stream.format, TAP_INT16);
    beat_of(b, STREAM_SDP_X1, false);
    assert_int_equal(b->heard.at[6].stream.format, TAP_FP32);
}

/* Winograd: two columns of four lines, then the next two. INT8 has two beats for each; its elements have 16 bits. */
TEST_ON(sdp_goes_through_winograd_by_bands, struct bench *b, bench_new("full")) {
    sdp_layer(b, 1 | 1 << 2, NVDLA_INT8, 0, 4, 8);
    b->words[STREAM_SDP_OUT][0] = 0xfffb;
    for (size_t i = 0; i < 2 * 4 * 8; i++)
        beat_of(b, STREAM_SDP_OUT, false);
    assert_int_equal(b->heard.count, 4 * 8);
    for (size_t i = 0; i < 4 * 8; i++) {
        const int band = (int)i / 16, pair = (int)i / 8 % 2, in_pair = (int)i % 8;
        assert_result(b, i, 0, band * 4 + in_pair / 2, pair * 2 + in_pair % 2);
    }
    assert_int_equal(b->heard.at[0].stream.format, TAP_INT8);
    assert_int_equal(b->heard.value[0], -5);
}

/* The words of a value of 44 bits in the lanes of a vector. */
static void put_value(uint32_t *words, size_t lane, uint64_t value) {
    for (size_t i = 0; i < 44; i++)
        words[(44 * lane + i) / 32] |= (uint32_t)(value >> i & 1) << (44 * lane + i) % 32;
}

/* Cells of full: each has one kernel at 16 bits, of FP16 with an exponent above the mantissa, and two at INT8; four
 * values of a tile. */
TEST(sums_of_full_have_the_form_of_the_precision) {
    static const struct {
        uint32_t mode;
        uint64_t value;  /* of kernel 1's cell, the tile's second result */
        size_t elements; /* of two kernels */
        enum tap_format format;
        int width;
        int64_t expected; /* of kernel 1; Winograd: its second result */
    } cases[] = {
        {NVDLA_INT16 << 12, UINT64_C(0xffffffffffe), 2, TAP_INT64, 38, -2},
        {NVDLA_FP16 << 12, UINT64_C(40) << 38 | 7, 2, TAP_CMAC_FP16, 0, -(INT64_C(24) << 38) + 7},
        {NVDLA_INT8 << 12, UINT64_C(0x3ffffd) << 22 | 5, 2, TAP_INT32, 22, -3},
        {NVDLA_INT8 << 12 | 1, UINT64_C(0x3ffffd) << 22 | 5, 8, TAP_INT32, 22, -3},
        {NVDLA_INT16 << 12 | 1, 9, 8, TAP_INT64, 38, 9},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const bool tile = cases[i].mode & 1, narrow = cases[i].mode >> 12 == NVDLA_INT8;
        struct bench *b = bench_new("full");
        write_register(b, NVDLA_CSC, CSC_D_MISC_CFG, cases[i].mode);
        conv_launch(b, 0, 0, 1, 4, 2, 4);
        put_value(b->words[STREAM_CMAC_SUM_A], (narrow ? 0u : 4u) + tile, cases[i].value);
        beat_of(b, STREAM_CMAC_SUM_A, true);
        assert_int_equal(b->heard.count, cases[i].elements);
        assert_int_equal(b->heard.at[0].stream.format, cases[i].format);
        assert_int_equal(b->heard.at[0].stream.width, cases[i].width);
        assert_place(b, tile ? 3 : 1, 1, 0, tile, 0, 0, cases[i].expected);
    }
}

/* The weights of two kernels of INT8 come together; positions of a Winograd tile are four lanes each. */
TEST_ON(weights_of_full_come_by_cells, struct bench *b, bench_new("full")) {
    write_register(b, NVDLA_CSC, CSC_D_MISC_CFG, NVDLA_INT8 << 12 | 1);
    conv_launch(b, 0, 0, 1, 4, 3, 4);
    uint32_t *words = b->words[STREAM_CSC_WT];
    words[rtl_stream_layout(b->config, STREAM_CSC_WT).select] = 1;
    words[1] = 0x0000fe00; /* kernel 0, position 1, channel 1 */
    words[31] = 7;         /* kernel 1, position 15, channel 0 */
    beat_of(b, STREAM_CSC_WT, false);
    assert_int_equal(b->heard.count, 2 * 64);
    assert_place(b, 5, 0, 1, 1, 0, 0, -2);
    assert_place(b, 64 + 60, 1, 15, 0, 0, 0, 7);
    words[rtl_stream_layout(b->config, STREAM_CSC_WT).select] = 2;
    beat_of(b, STREAM_CSC_WT, false);
    assert_int_equal(b->heard.count, 3 * 64);
    assert_place(b, 2 * 64 + 5, 2, 1, 1, 0, 0, -2);
}

/* A port of full takes two atoms in a clock, or one. */
TEST_ON(atoms_of_a_wide_port_have_places_of_their_own, struct bench *b, bench_new("full")) {
    WRITE(b, NVDLA_CDMA, {CDMA_D_MISC_CFG, NVDLA_INT16 << CDMA_D_MISC_CFG__PROC_PRECISION_LSB},
          {CDMA_D_WEIGHT_BYTES, 128}, {CDMA_D_OP_ENABLE, 1});
    uint32_t *words = b->words[STREAM_CBUF_WT];
    uint32_t *addresses = words + rtl_stream_layout(b->config, STREAM_CBUF_WT).address;
    static const uint32_t written[][2] = {{0x100, 0x200}, {0x300, UINT32_MAX}, {UINT32_MAX, 0x400}};
    words[8] = 0xfffd; /* the second atom's first element */
    for (size_t i = 0; i < 3; i++) {
        addresses[0] = written[i][0];
        addresses[1] = written[i][1];
        beat_of(b, STREAM_CBUF_WT, false);
    }
    assert_int_equal(b->heard.count, 4 * 16);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(b->heard.at[16 * i].place.address, 0x100 * (i + 1));
    assert_int_equal(b->heard.at[0].stream.format, TAP_INT16);
    assert_int_equal(b->heard.value[16], -3);
    assert_int_equal(b->heard.value[48], -3);
    assert_int_equal(rtl_tap_launch(b->tap, NVDLA_CDMA, TAP_CBUF_WT), -1); /* it is over */
}

/* Entries of three surfaces, which come from the last one of a line to the first, both lines at once, and wrap around
 * the bank: they are passed on line by line and in their order. The fourth atom of an entry has no source. */
TEST(entries_of_data_wait_for_those_before_them) {
    enum { WIDTH = 3, LINES = 2, SURFACES = 3, ATOM = 32, ENTRIES = 256, FIRST = 254 };
    struct bench *b = bench_new("full");
    WRITE(b, NVDLA_CDMA, {CDMA_D_MISC_CFG, NVDLA_INT16 << CDMA_D_MISC_CFG__PROC_PRECISION_LSB},
          {CDMA_D_DATAIN_SIZE_0, (LINES - 1) << CDMA_D_DATAIN_SIZE_0__DATAIN_HEIGHT_LSB | (WIDTH - 1)},
          {CDMA_D_DATAIN_SIZE_1, SURFACES * ATOM / 2 - 1}, {CDMA_D_ENTRY_PER_SLICE, WIDTH - 1}, {CDMA_D_OP_ENABLE, 1});
    uint32_t *words = b->words[STREAM_CBUF_DAT_WIDE];
    const struct stream_layout layout = rtl_stream_layout(b->config, STREAM_CBUF_DAT_WIDE);
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

/* A layer that reuses its weights brings none. */
TEST_ON(atoms_of_cbuf_have_its_addresses, struct bench *b, bench_new("small")) {
    for (uint32_t group = 0; group < 3; group++) {
        WRITE(b, NVDLA_CDMA, {CDMA_S_POINTER, group % 2},
              {CDMA_D_MISC_CFG,
               (group == 1 ? CDMA_D_MISC_CFG__WEIGHT_REUSE_MASK : 0) | CDMA_D_MISC_CFG__SKIP_WEIGHT_RLS_MASK},
              {CDMA_D_WEIGHT_BYTES, 128}, {CDMA_D_OP_ENABLE, 1});
    }
    for (uint32_t atom = 0; atom < 17; atom++) {
        b->words[STREAM_CBUF_WT][rtl_stream_layout(b->config, STREAM_CBUF_WT).address] = 0x2000 + 8 * atom;
        beat_of(b, STREAM_CBUF_WT, false);
    }
    assert_int_equal(b->heard.count, 17 * 8);
    assert_int_equal(b->heard.at[0].stream.ordinal, 0);
    assert_int_equal(b->heard.at[15 * 8].place.address, 0x2000 + 15 * 8);
    assert_int_equal(b->heard.at[16 * 8].stream.ordinal, 2);
}

TEST(beats_become_atoms_of_their_client) {
    struct bench *b = bench_new("medium_512"); /* 32 bytes of bus, atoms of 32 */
    const int atom = b->config->mem_atom;
    uint8_t data[AXI_BYTES];
    for (int i = 0; i < AXI_BYTES; i++)
        data[i] = (uint8_t)i;
    const struct axi_listener listener = rtl_tap_axi(b->tap);
    struct axi_beat beat = {.write = true,
                            .id = 1,
                            .owner = {NVDLA_SDP, 3},
                            .address = 0x1000,
                            .bytes = 2 * atom,
                            .data = data,
                            .strobe = ((uint64_t)1 << atom) - 1};
    if (2 * atom > AXI_BYTES)
        beat.bytes = atom;
    listener.beat(listener.context, &beat);
    assert_int_equal(b->heard.count, atom); /* the second atom is not enabled */
    assert_int_equal(b->heard.at[0].stream.tap, TAP_AXI_WRITE);
    assert_int_equal(b->heard.at[0].stream.unit, NVDLA_SDP);
    assert_int_equal(b->heard.at[0].stream.ordinal, 3);
    assert_int_equal(b->heard.at[0].stream.client, 1);
    assert_true(b->heard.at[0].place.address == 0x1000);
    assert_int_equal(b->heard.value[5], 5);
    beat.write = false;
    beat.id = 12;
    beat.owner = (struct owner){-1, -1}; /* no such client */
    listener.beat(listener.context, &beat);
    assert_int_equal(b->heard.count, atom);
}

/* Lanes of 11 bits stand without gaps, also across words, and keep their signs; PDP's rows skip lines that no window
 * holds. */
TEST_ON(odd_lanes_become_elements, struct bench *b, bench_new("large")) {
    const struct stream_layout layout = rtl_stream_layout(b->config, STREAM_PDP_ROW);
    const int lanes = layout.lanes, atom = b->config->mem_atom;
    assert_true(lanes * 11 > 32 && layout.words == (lanes * 11 + 31) / 32);
    write_register(b, NVDLA_PDP, PDP_D_DATA_CUBE_IN_HEIGHT, 4); /* five lines of one column */
    write_register(b, NVDLA_PDP, PDP_D_DATA_CUBE_IN_CHANNEL, (uint32_t)atom - 1);
    write_register(b, NVDLA_PDP, PDP_D_DATA_CUBE_OUT_HEIGHT, 1);
    write_register(b, NVDLA_PDP, PDP_D_DATA_CUBE_OUT_CHANNEL, (uint32_t)atom - 1);
    write_register(b, NVDLA_PDP, PDP_D_POOLING_KERNEL_CFG, 2u << PDP_D_POOLING_KERNEL_CFG__KERNEL_STRIDE_HEIGHT_LSB);
    write_register(b, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
    uint32_t moves[2 * MOVE_WORDS] = {0};
    moves[STREAM_PDP_ROW / 32] = 1u << STREAM_PDP_ROW % 32;
    for (int beat = 0; beat < 2 * atom / lanes; beat++) {
        memset(b->words[STREAM_PDP_ROW], 0, sizeof b->words[0]);
        for (int lane = 0; lane < lanes; lane++) {
            const uint64_t value = (uint64_t)(lane * 37 - 1024 + beat) & 0x7ff;
            const int at = lane * 11;
            b->words[STREAM_PDP_ROW][at / 32] |= (uint32_t)(value << at % 32);
            if (at % 32 > 21)
                b->words[STREAM_PDP_ROW][at / 32 + 1] |= (uint32_t)(value >> (32 - at % 32));
        }
        b->observer.moved(b->observer.context, 5, moves);
    }
    assert_int_equal(b->heard.count, 2 * atom);
    for (int i = 0; i < 2 * atom; i++) {
        assert_int_equal(b->heard.value[i], i % lanes * 37 - 1024 + i / lanes);
        assert_int_equal(b->heard.at[i].place.y, i < atom ? 0 : 3);
        assert_int_equal(b->heard.at[i].place.channel, i % atom);
    }
    assert_int_equal(rtl_tap_launch(b->tap, NVDLA_PDP, TAP_PDP_ROW), -1); /* it is over */
}

/* Elements of 16 bits: the form of a stream follows the layer's precision. From SDP they are whole atoms too. */
TEST(precision_of_the_layer_makes_the_form) {
    static const struct {
        uint32_t precision;
        bool from_memory;
        enum rtl_stream stream;
        int lanes;
        enum tap_format format; /* TAP_FORMATS: it is not wanted */
        int width;
    } cases[] = {
        {NVDLA_INT8, true, STREAM_PDP_IN, 32, TAP_INT8, 8},
        {NVDLA_INT16, true, STREAM_PDP_IN, 16, TAP_INT16, 16},
        {NVDLA_FP16, false, STREAM_PDP_IN, 16, TAP_FP16, 0},
        {NVDLA_FP16, true, STREAM_PDP_OUT, 16, TAP_FP16, 0},
        {NVDLA_INT8, false, STREAM_PDP_IN_SDP, 16, TAP_INT8, 8},
        {NVDLA_INT16, true, STREAM_PDP_ROW, 8, TAP_INT32, 22},
        {NVDLA_FP16, true, STREAM_PDP_ROW, 8, TAP_FORMATS, 0},
        {NVDLA_INT8, true, STREAM_PDP_ROW_LANES, 8, TAP_INT16, 11},
        {NVDLA_INT16, true, STREAM_PDP_ROW_LANES, 4, TAP_INT32, 22},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *b = bench_new("full");
        const int atom = b->config->mem_atom / (cases[i].precision == NVDLA_INT8 ? 1 : 2);
        write_register(b, NVDLA_PDP, PDP_D_DATA_CUBE_IN_CHANNEL, (uint32_t)atom - 1); /* a cube of one atom */
        write_register(b, NVDLA_PDP, PDP_D_DATA_CUBE_OUT_CHANNEL, (uint32_t)atom - 1);
        write_register(b, NVDLA_PDP, PDP_D_DATA_FORMAT, cases[i].precision);
        write_register(b, NVDLA_PDP, PDP_D_OPERATION_MODE_CFG,
                       (uint32_t)cases[i].from_memory << PDP_D_OPERATION_MODE_CFG__FLYING_MODE_LSB);
        write_register(b, NVDLA_PDP, PDP_D_OP_ENABLE, 1);
        uint32_t moves[2 * MOVE_WORDS] = {0};
        moves[cases[i].stream / 32] = 1u << cases[i].stream % 32;
        for (int beat = 0; beat < atom / cases[i].lanes; beat++)
            b->observer.moved(b->observer.context, 5, moves);
        assert_int_equal(b->heard.count, cases[i].format == TAP_FORMATS ? 0 : atom);
        if (b->heard.count > 0) {
            assert_int_equal(b->heard.at[0].stream.format, cases[i].format);
            assert_int_equal(b->heard.at[0].stream.width, cases[i].width);
        }
        assert_int_equal(rtl_tap_launch(b->tap, NVDLA_PDP, TAP_PDP_OUT), cases[i].stream == STREAM_PDP_OUT ? -1 : 0);
    }
}

/* So do those inside CDP, which have formats of their own. */
TEST(precision_of_a_cdp_layer_makes_the_form) {
    static const struct {
        uint32_t precision;
        enum rtl_stream stream;
        int lanes;
        enum tap_format format;
        int width;
    } cases[] = {
        {NVDLA_INT8, STREAM_CDP_IN, 32, TAP_INT8, 8},       {NVDLA_INT16, STREAM_CDP_IN, 16, TAP_INT16, 16},
        {NVDLA_FP16, STREAM_CDP_OUT, 16, TAP_FP16, 0},      {NVDLA_INT8, STREAM_CDP_SUM, 8, TAP_INT64, 22},
        {NVDLA_INT16, STREAM_CDP_SUM, 4, TAP_INT64, 37},    {NVDLA_FP16, STREAM_CDP_SUM, 4, TAP_FP32, 0},
        {NVDLA_INT16, STREAM_LUT_HIT, 4, TAP_INT8, 4},      {NVDLA_INT16, STREAM_LUT_OUT, 4, TAP_INT16, 16},
        {NVDLA_FP16, STREAM_LUT_OUT, 4, TAP_FP32, 0},       {NVDLA_INT8, STREAM_CDP_CVT_IN, 8, TAP_INT64, 25},
        {NVDLA_INT16, STREAM_CDP_CVT_IN, 4, TAP_INT64, 33}, {NVDLA_FP16, STREAM_CDP_CVT_IN, 4, TAP_FP32, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct bench *b = bench_new("full");
        const int atom = b->config->mem_atom / (cases[i].precision == NVDLA_INT8 ? 1 : 2);
        write_register(b, NVDLA_CDP_RDMA, CDP_RDMA_D_DATA_CUBE_CHANNEL, (uint32_t)atom - 1); /* a cube of one atom */
        write_register(b, NVDLA_CDP_RDMA, CDP_RDMA_D_DATA_FORMAT, cases[i].precision);
        write_register(b, NVDLA_CDP, CDP_D_DATA_FORMAT, cases[i].precision);
        write_register(b, NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE, 1);
        write_register(b, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
        /* The last lane holds 1; FP17 has it as 07c00. */
        const struct stream_layout layout = rtl_stream_layout(b->config, cases[i].stream);
        const bool fp17 = cases[i].format == TAP_FP32 && cases[i].stream != STREAM_CDP_SUM;
        const bool wide_place = cases[i].lanes < layout.lanes && cases[i].stream == STREAM_CDP_CVT_IN;
        const bool element = cases[i].format == TAP_INT16 && cases[i].stream == STREAM_CDP_IN;
        const int bits = wide_place ? 2 * layout.bits : element || cases[i].format == TAP_FP16 ? 16 : layout.bits;
        for (int bit = fp17 ? 10 : 0; bit < (fp17 ? 15 : 1); bit++) {
            const int place = (cases[i].lanes - 1) * bits + bit;
            b->words[cases[i].stream][place / 32] |= 1u << place % 32;
        }
        uint32_t moves[2 * MOVE_WORDS] = {0};
        moves[cases[i].stream / 32] = 1u << cases[i].stream % 32;
        for (int beat = 0; beat < atom / cases[i].lanes; beat++)
            b->observer.moved(b->observer.context, 5, moves);
        assert_int_equal(b->heard.count, atom);
        assert_int_equal(b->heard.at[0].stream.format, cases[i].format);
        assert_int_equal(b->heard.at[0].stream.width, cases[i].width);
        assert_int_equal(b->heard.value[0], 0);
        assert_int_equal(b->heard.value[cases[i].lanes - 1], fp17 ? 0x3f800000 : 1);
    }
}

/* Lanes that go row by row through a block of columns are passed on column by column, each with its clock. */
TEST(rows_of_lanes_wait_for_their_block) {
    enum { COLUMNS = 9, BLOCK = 8, CHANNELS = 11, ATOM = 8 };
    struct bench *b = bench_new("small");
    WRITE(b, NVDLA_CDP_RDMA, {CDP_RDMA_D_DATA_CUBE_WIDTH, COLUMNS - 1}, {CDP_RDMA_D_DATA_CUBE_CHANNEL, CHANNELS - 1},
          {CDP_RDMA_D_OP_ENABLE, 1});
    write_register(b, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
    uint32_t moves[2 * MOVE_WORDS] = {0};
    moves[STREAM_LUT_OUT_ROWS / 32] = 1u << STREAM_LUT_OUT_ROWS % 32;
    for (int left = 0; left < COLUMNS; left += BLOCK)
        for (int channel = 0; channel < 2 * ATOM; channel++)
            for (int x = left; x < COLUMNS && x < left + BLOCK; x++) {
                b->words[STREAM_LUT_OUT_ROWS][0] = (uint32_t)(100 * channel + x);
                b->observer.moved(b->observer.context, (uint64_t)(1000 * channel + x), moves);
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

/* Without square sum, CDP_SUM_ROWS has FP17 in the low bits of its lanes, with their sign above; with it, FP32. */
TEST(sums_in_rows_are_widened_without_square_sum) {
    static const struct {
        uint32_t lane, element;
    } cases[] = {
        {0x07c00, 0x3f800000}, {0x0fc12, 0x7f800012}, {0x00000, 0}, {0x00001, 0x30002000}, {0x17e00, 0xbfc00000}};
    for (uint32_t bypass = 0; bypass < 2; bypass++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct bench *b = bench_new("full");
            const uint32_t sign = cases[i].lane >> 16 ? 0xfffe0000 : 0;
            write_register(b, NVDLA_CDP_RDMA, CDP_RDMA_D_DATA_FORMAT, NVDLA_FP16);
            WRITE(b, NVDLA_CDP, {CDP_D_DATA_FORMAT, NVDLA_FP16},
                  {CDP_D_FUNC_BYPASS, bypass << CDP_D_FUNC_BYPASS__SQSUM_BYPASS_LSB});
            write_register(b, NVDLA_CDP_RDMA, CDP_RDMA_D_OP_ENABLE, 1);
            write_register(b, NVDLA_CDP, CDP_D_OP_ENABLE, 1);
            b->words[STREAM_CDP_SUM_ROWS][0] = bypass ? cases[i].lane | sign : cases[i].element;
            uint32_t moves[2 * MOVE_WORDS] = {0};
            moves[STREAM_CDP_SUM_ROWS / 32] = 1u << STREAM_CDP_SUM_ROWS % 32;
            for (int row = 0; row < 4; row++)
                b->observer.moved(b->observer.context, 5, moves);
            assert_int_equal(b->heard.count, 1);
            assert_int_equal(b->heard.at[0].stream.format, TAP_FP32);
            assert_int_equal((uint32_t)b->heard.value[0], cases[i].element);
        }
}

/* What moves before is counted, not read: the stream is heard from the launch on that begins afterwards. */
TEST_ON(recording_begins_with_the_next_launch, struct bench *b, bench_of("small", false)) {
    assert_int_equal(rtl_tap_launch(b->tap, NVDLA_SDP, TAP_SDP_OUT), -1);
    for (uint32_t i = 0; i < 3; i++)
        sdp_launch(b, i % 2, 1, 1, 8);
    assert_int_equal(rtl_tap_launch(b->tap, NVDLA_SDP, TAP_SDP_OUT), 0);
    for (int i = 0; i < 8 + 3; i++)
        clock_with(b, SDP_MOVES, 0, (int8_t)i);
    assert_int_equal(rtl_tap_launch(b->tap, NVDLA_SDP, TAP_SDP_OUT), 1);
    assert_int_equal(b->reads, 0);
    rtl_tap_record(b->tap, true);
    for (int i = 0; i < 5 + 8; i++)
        clock_with(b, SDP_MOVES, 0, (int8_t)i);
    assert_int_equal(b->reads, 8);
    assert_int_equal(b->heard.count, 8);
    assert_int_equal(b->heard.at[0].stream.ordinal, 2);
    assert_int_equal(b->heard.value[0], 5);
    rtl_tap_record(b->tap, false);
    sdp_launch(b, 1, 1, 1, 8);
    clock_with(b, SDP_MOVES, 0, 1);
    assert_int_equal(b->heard.count, 8);
}

/* The same for the atoms of a client: its launch lasts for an unknown number of beats. */
TEST_ON(atoms_are_recorded_from_the_next_launch_on, struct bench *b, bench_of("small", false)) {
    const uint8_t data[8] = {7};
    const struct axi_listener listener = rtl_tap_axi(b->tap);
    struct axi_beat beat = {
        .cycle = 77, .id = 8, .owner = {NVDLA_CDMA, 0}, .bytes = 8, .data = data, .strobe = UINT64_MAX};
    listener.beat(listener.context, &beat);
    rtl_tap_record(b->tap, true);
    listener.beat(listener.context, &beat);
    assert_int_equal(b->heard.count, 0);
    beat.owner.ordinal = 1;
    listener.beat(listener.context, &beat);
    assert_int_equal(b->heard.count, 8);
    assert_int_equal(b->heard.at[0].stream.ordinal, 1);
    assert_int_equal(b->heard.at[0].place.cycle, 77);
}
