/* Streams of the convolution path: the order of the hardware written out by hand for small layers, and CDMA's data in
 * both orders. The streams of whole layers are compared with those of the RTL (tests/replay/taps.sh). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "layers/conv_order.h"
#include "model/model.h"
#include "observe/tap.h"
#include "replay/player.h"
#include "tests/unit/random.h"
#include "tests/unit/test.h"

/* ---- order ---- */

static struct conv_order order_with(const char *config, uint32_t *words, bool specified) {
    struct registers_view view = {.config = nvdla_config_find(config)};
    view.units[NVDLA_CSC] = (struct view_unit){words, 64};
    return conv_order(&view, specified);
}

static struct conv_order order_of(const char *config, uint32_t *words) {
    return order_with(config, words, false);
}

/* "kernel+kernels first+positions channel+channels row+lines column index", then E for channel end and L for layer end.
 */
static void assert_operations(const struct conv_order *order, const char *const *expected) {
    struct conv_operation operation = conv_order_first(order);
    for (size_t i = 0; expected[i]; i++) {
        char text[128];
        snprintf(text, sizeof text, "%zu+%zu %zu+%zu %zu+%zu %zu+%zu %zu %zu%s%s", operation.kernel, operation.kernels,
                 operation.first, operation.positions, operation.channel, operation.channels, operation.row,
                 operation.lines, operation.column, operation.index, operation.channel_end ? "E" : "",
                 operation.layer_end ? "L" : "");
        assert_string_equal(text, expected[i]);
        assert_int_equal(operation.layer_end, expected[i + 1] == NULL);
        if (!operation.layer_end)
            operation = conv_order_next(order, &operation);
    }
}

/* 10 kernels of 2 columns and 10 channels, 20 positions: two groups, two blocks, stripes of 8 and 12. */
TEST(feature_layer_in_order) {
    uint32_t words[64] = {[CSC_D_WEIGHT_SIZE_EXT_0 / 4] = 1,
                          [CSC_D_WEIGHT_SIZE_EXT_1 / 4] = 9u << 16 | 9,
                          [CSC_D_DATAOUT_SIZE_0 / 4] = 3u << 16 | 4,
                          [CSC_D_ATOMICS / 4] = 19};
    static const char *const expected[] = {
        "0+8 0+8 0+8 0+1 0 0",
        "0+8 0+8 0+8 0+1 1 1",
        "0+8 0+8 8+2 0+1 0 2",
        "0+8 0+8 8+2 0+1 1 3E",
        "0+8 8+12 0+8 0+1 0 0",
        "0+8 8+12 0+8 0+1 1 1",
        "0+8 8+12 8+2 0+1 0 2",
        "0+8 8+12 8+2 0+1 1 3E",
        "8+2 0+8 0+8 0+1 0 0",
        "8+2 0+8 0+8 0+1 1 1",
        "8+2 0+8 8+2 0+1 0 2",
        "8+2 0+8 8+2 0+1 1 3E",
        "8+2 8+12 0+8 0+1 0 0",
        "8+2 8+12 0+8 0+1 1 1",
        "8+2 8+12 8+2 0+1 0 2",
        "8+2 8+12 8+2 0+1 1 3EL",
        NULL,
    };
    const struct conv_order order = order_of("small", words);
    assert_operations(&order, expected);
}

/* 3 kernel rows, two of which stand together; output lines of 9 are stripes of their own. */
TEST(image_layer_in_order) {
    uint32_t words[64] = {[CSC_D_DATAIN_FORMAT / 4] = 1,
                          [CSC_D_POST_Y_EXTENSION / 4] = 1,
                          [CSC_D_WEIGHT_SIZE_EXT_0 / 4] = 2u << 16,
                          [CSC_D_WEIGHT_SIZE_EXT_1 / 4] = 0u << 16 | 3,
                          [CSC_D_DATAOUT_SIZE_0 / 4] = 1u << 16 | 8};
    static const char *const expected[] = {
        "0+1 0+9 0+4 0+2 0 0", "0+1 0+9 0+4 2+1 0 1E", "0+1 9+9 0+4 0+2 0 0", "0+1 9+9 0+4 2+1 0 1EL", NULL,
    };
    struct conv_order order = order_of("small", words);
    assert_operations(&order, expected);
    assert_int_equal(conv_operation_lane(&order, 1), 4);
    words[CSC_D_DATAOUT_SIZE_0 / 4] = 1u << 16 | 6; /* shorter lines are one run: 14 positions */
    static const char *const together[] = {"0+1 0+14 0+4 0+2 0 0", "0+1 0+14 0+4 2+1 0 1EL", NULL};
    order = order_of("small", words);
    assert_operations(&order, together);
}

/* The last stripe has at least as many positions as a group has kernels, if there are as many. */
TEST(stripes_hide_the_loading_of_weights) {
    static const size_t positions[] = {1, 7, 16, 17, 23, 24, 25, 31, 32, 33, 100, 8192};
    for (size_t i = 0; i < sizeof positions / sizeof positions[0]; i++) {
        uint32_t words[64] = {[CSC_D_ATOMICS / 4] = (uint32_t)positions[i] - 1,
                              [CSC_D_DATAOUT_SIZE_0 / 4] = (uint32_t)positions[i] - 1};
        const struct conv_order order = order_of("small", words);
        struct conv_operation operation = conv_order_first(&order);
        size_t covered = operation.positions;
        assert_int_equal(conv_operation_flags(&order, &operation, 0) & CONV_STRIPE_START, CONV_STRIPE_START);
        for (; !operation.layer_end; covered += operation.positions) {
            assert_true(operation.positions >= 8 && operation.positions <= 16);
            operation = conv_order_next(&order, &operation);
        }
        assert_true(operation.positions <= 16 && (operation.positions >= 8 || positions[i] < 8));
        assert_int_equal(covered, positions[i]);
        assert_int_equal(conv_operation_flags(&order, &operation, operation.positions - 1) &
                             ~(unsigned)CONV_STRIPE_START,
                         CONV_STRIPE_END | CONV_CHANNEL_END | CONV_LAYER_END);
    }
}

/* The vectors of chapter 40, section 11.1. */
TEST(specified_stripes) {
    static const struct {
        const char *config;
        uint32_t positions, batches, lines; /* lines: of an image; 0: none */
        const char *stripes;
    } cases[] = {
        {"full", 5, 1, 0, "5"},
        {"full", 31, 1, 0, "31"},
        {"full", 32, 1, 0, "32"},
        {"full", 33, 1, 0, "16 17"},
        {"full", 48, 1, 0, "16 32"},
        {"full", 50, 1, 0, "16 16 18"},
        {"full", 20, 5, 0, "4 4 4 8"},
        {"full", 3, 16, 0, "1 1 1"},
        {"full", 130, 1, 2, "64 64 2 64 64 2"},
        {"small", 17, 1, 0, "8 9"},
        {"small", 31, 1, 0, "8 8 15"},
        {"small", 32, 1, 0, "16 16"},
        {"small", 50, 1, 0, "16 16 8 10"},
        {"small", 40, 1, 2, "16 16 8 16 16 8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t lines = cases[i].lines ? cases[i].lines : 1;
        uint32_t words[64] = {[CSC_D_DATAIN_FORMAT / 4] = cases[i].lines > 0,
                              [CSC_D_BATCH_NUMBER / 4] = cases[i].batches - 1,
                              [CSC_D_ATOMICS / 4] = cases[i].positions * lines - 1,
                              [CSC_D_DATAOUT_SIZE_0 / 4] = (lines - 1) << 16 | (cases[i].positions - 1)};
        const struct conv_order order = order_with(cases[i].config, words, true);
        struct conv_operation operation = conv_order_first(&order);
        char stripes[64];
        int n = snprintf(stripes, sizeof stripes, "%zu", operation.positions);
        while (!operation.layer_end) {
            operation = conv_order_next(&order, &operation);
            n += snprintf(stripes + n, sizeof stripes - (size_t)n, " %zu", operation.positions);
        }
        assert_string_equal(stripes, cases[i].stripes);
    }
}

/* Three batches at INT16: groups of 16 kernels, stripes of 21 positions, at least 6; each position once for a batch. */
TEST(batches_take_turns) {
    uint32_t words[64] = {[CSC_D_MISC_CFG / 4] = NVDLA_INT16 << 12,
                          [CSC_D_BATCH_NUMBER / 4] = 2,
                          [CSC_D_WEIGHT_SIZE_EXT_1 / 4] = 16u << 16 | 64,
                          [CSC_D_DATAOUT_SIZE_0 / 4] = 4u << 16 | 4,
                          [CSC_D_ATOMICS / 4] = 24};
    static const char *const expected[] = {
        "0+16 0+6 0+64 0+1 0 0",   "0+16 0+6 64+1 0+1 0 1E",   "0+16 6+19 0+64 0+1 0 0",
        "0+16 6+19 64+1 0+1 0 1E", "16+1 0+6 0+64 0+1 0 0",    "16+1 0+6 64+1 0+1 0 1E",
        "16+1 6+19 0+64 0+1 0 0",  "16+1 6+19 64+1 0+1 0 1EL", NULL,
    };
    const struct conv_order order = order_of("full", words);
    assert_operations(&order, expected);
    const struct conv_operation operation = conv_order_first(&order);
    assert_int_equal(conv_operation_atoms(&order, &operation), 18);
    const struct conv_place place = conv_operation_place(&order, &operation, 17);
    assert_true(place.batch == 2 && place.y == 1 && place.x == 0);
    assert_int_equal(conv_operation_flags(&order, &operation, 16), 0);
    assert_int_equal(conv_operation_flags(&order, &operation, 17), CONV_STRIPE_END);
}

/* Winograd at INT8: blocks of four channels, 32 kernels, two to a cell; tiles of a band column by column. */
TEST(tiles_go_by_bands) {
    uint32_t words[64] = {[CSC_D_MISC_CFG / 4] = 1,
                          [CSC_D_WEIGHT_SIZE_EXT_0 / 4] = 3u << 16 | 3,
                          [CSC_D_WEIGHT_SIZE_EXT_1 / 4] = 32u << 16 | 7,
                          [CSC_D_DATAOUT_SIZE_0 / 4] = 7u << 16 | 3,
                          [CSC_D_ATOMICS / 4] = 31};
    static const char *const expected[] = {
        "0+32 0+8 0+4 0+1 0 0", "0+32 0+8 4+4 0+1 0 1E", "32+1 0+8 0+4 0+1 0 0", "32+1 0+8 4+4 0+1 0 1EL", NULL,
    };
    static const size_t places[][2] = {{0, 0}, {2, 0}, {0, 2}, {2, 2}, {4, 0}, {6, 0}, {4, 2}, {6, 2}};
    const struct conv_order order = order_of("full", words);
    assert_operations(&order, expected);
    assert_int_equal(order.cell, 2);
    assert_int_equal(conv_operation_lane(&order, 15), 60);
    const struct conv_operation operation = conv_order_first(&order);
    for (size_t i = 0; i < 8; i++) {
        const struct conv_place place = conv_operation_place(&order, &operation, i);
        assert_true(place.y == places[i][0] && place.x == places[i][1] && place.batch == 0);
    }
}

/* ---- CDMA into CBUF ---- */

static int32_t element_at(const struct tap_stream *stream, const void *values, size_t i) {
    if (stream->format == TAP_INT8)
        return ((const int8_t *)values)[i];
    return stream->format == TAP_INT16 ? ((const int16_t *)values)[i] : ((const uint16_t *)values)[i];
}

/* What is written, without its order; how often an atom has a lower address than the one before. */
struct written {
    uint64_t elements, sum, descents, last;
};

static void take_written(void *context, const struct tap_stream *stream, const struct tap_place *place,
                         const void *values, size_t rows, size_t lanes, size_t stride) {
    struct written *written = context;
    assert_true(rows == 1 && lanes <= stride);
    for (size_t i = 0; i < lanes; i++) {
        uint64_t state = place->address << 32 ^ (uint64_t)(uint32_t)place->channel << 16 ^
                         (uint64_t)(uint32_t)place->y << 8 ^ (uint64_t)(uint32_t)place->x;
        state ^= (i << 56) + (uint64_t)(uint32_t)element_at(stream, values, i);
        written->sum += state * UINT64_C(0x9e3779b97f4a7c15) >> 7;
    }
    written->elements += lanes;
    written->descents += place->address < written->last;
    written->last = place->address;
}

static struct tap_sink open_written(void *context, const struct tap_stream *stream) {
    return (struct tap_sink){.elements = stream->tap == TAP_CBUF_DAT ? take_written : NULL, .context = context};
}

static struct written written_by(const struct program *prog, bool specified) {
    struct written written = {0};
    struct model_options options = {.specified_stripes = specified};
    struct play_options play_options;
    struct play_result result;
    tap_listen(&options.taps, (struct tap_listener){.context = &written, .open = open_written});
    play_options_default(&play_options);
    struct device *dev = model_new(prog->config, &options);
    assert_int_equal(play(prog, dev, &play_options, &result), PLAY_PASSED);
    play_result_free(&result);
    dev->ops->destroy(dev);
    return written;
}

/* NVIDIA's full is compared by addresses: the same atoms, which go up within the slices that are there at once. */
TEST(data_by_addresses_are_the_same) {
    for (uint64_t seed = 1; seed <= seeds_of(12); seed++) {
        struct gen_case gen;
        struct error err = {.text = ""};
        gen_draw(&gen, nvdla_config_find("full"), gen_engines(seed % 3 ? "conv" : "img"), seed);
        struct program *prog = gen_build(&gen, "t.nvt", &err);
        assert_non_null(prog);
        const struct written own = written_by(prog, false), specified = written_by(prog, true);
        assert_true(own.elements > 0 && own.elements == specified.elements && own.sum == specified.sum);
        assert_true(specified.descents <= own.descents);
        program_free(prog);
    }
}
