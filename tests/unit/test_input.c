/* Pictures in the input tensors of networks: every layout byte for byte, the loadables' samples of traces/, batches,
 * and what does not fit is refused. */
#include <math.h>

#include "loadable/half.h"
#include "loadable/input.h"
#include "memory/file.h"
#include "tests/unit/test.h"

static struct error err;

TEST(halves_round_to_nearest_ties_away) {
    static const struct {
        float value;
        uint16_t half;
    } table[] = {
        {0, 0},
        {-0.0F, 0x8000},
        {1, 0x3c00},
        {-2, 0xc000},
        {65504, 0x7bff},
        {65519, 0x7bff},
        {65520, 0x7c00},
        {1 + 0x1p-11F, 0x3c01},
        {1 + 0x1p-12F, 0x3c00},
        {0x1p-14F, 0x0400},
        {0x1p-24F, 1},
        {0x1p-25F, 1},
        {0x1.8p-24F, 2},
        {0x1p-26F, 0},
        {0x1.ffcp-15F, 0x0400},
        {INFINITY, 0x7c00},
        {-INFINITY, 0xfc00},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_int_equal(float_to_half(table[i].value), table[i].half);
    for (unsigned half = 0; half < 0x10000; half++)
        if ((half & 0x7fff) <= 0x7c00)
            assert_int_equal(float_to_half(half_to_float((uint16_t)half)), half);
    assert_true(isnan(half_to_float(float_to_half(NAN))));
}

/* The samples of traces/loadables: their input tensors, pictures and the bytes that those become. */
TEST(samples) {
    static const struct {
        const char *name;
        unsigned type, format;
        int channels, side;
        uint32_t line, surface;
        uint64_t size;
        float norm;
    } table[] = {
        {"own_concat_small_int8", DATA_INT8, PIXEL_FEATURE_8, 3, 16, 128, 2048, 2048, 1},
        {"own_mix_full_fp16", DATA_HALF, PIXEL_FEATURE, 3, 20, 640, 12800, 12800, 255},
        {"own_res_img", DATA_INT8, PIXEL_A8B8G8R8, 4, 16, 64, 0, 1024, 1},
        {"own_res_large_int8", DATA_INT8, PIXEL_FEATURE, 3, 16, 512, 8192, 8192, 1},
        {"own_tasks_small_int8", DATA_INT8, PIXEL_FEATURE_8, 3, 12, 96, 1152, 1152, 1},
        {"own_wino_w", DATA_HALF, PIXEL_FEATURE, 3, 16, 512, 8192, 8192, 255},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        char path[128];
        struct loadable_tensor tensor = {.name = (char *)table[i].name,
                                         .data_type = table[i].type,
                                         .pixel_format = table[i].format,
                                         .n = 1,
                                         .c = table[i].channels,
                                         .h = table[i].side,
                                         .w = table[i].side,
                                         .stride = {0, table[i].line, table[i].surface}};
        struct loadable_memory memory = {.flags = MEMORY_INPUT, .size = table[i].size};
        struct loadable loadable = {
            .path = "net", .memories = &memory, .memory_count = 1, .tensors = &tensor, .tensor_count = 1};
        struct input_options options = {.norm = table[i].norm};
        words_add(&options.sources, "traces/loadables/%s/input.ppm", table[i].name);
        uint8_t **found = input_fill(&loadable, &options, &err);
        if (!found)
            fail_msg("%s", err.text);
        snprintf(path, sizeof path, "traces/loadables/%s/input_cube.bin", table[i].name);
        char *expected;
        size_t n;
        assert_true(file_read(path, &expected, &n, &err));
        assert_int_equal(n, table[i].size);
        for (size_t k = 0; k < n; k++)
            if (found[0][k] != (uint8_t)expected[k])
                fail_msg("%s: byte %zu: found %u, expected %u", table[i].name, k, found[0][k], (uint8_t)expected[k]);
        free(expected);
        input_free(&loadable, found);
        input_options_free(&options);
    }
}

/* A network with one input, of 2 x 1 pixels. */
struct network {
    struct loadable_tensor tensor;
    struct loadable_memory memory;
    struct loadable loadable;
};

static void network_make(struct network *net, unsigned type, unsigned format, int n, int channels, uint64_t size) {
    *net = (struct network){
        .tensor = {.name = "data",
                   .data_type = type,
                   .pixel_format = format,
                   .n = n,
                   .c = channels,
                   .h = 1,
                   .w = 2,
                   .stride = {1, 64, 64}},
        .memory = {.flags = MEMORY_INPUT, .size = size},
        .loadable = {.path = "net", .memory_count = 1, .tensor_count = 1},
    };
    net->loadable.memories = &net->memory;
    net->loadable.tensors = &net->tensor;
}

static uint8_t **filled(struct network *net, struct input_options *options, const char *first, const char *second) {
    words_free(&options->sources);
    options->sources = (struct words){0};
    if (first)
        words_add(&options->sources, "%s", first);
    if (second)
        words_add(&options->sources, "%s", second);
    err = (struct error){.text = ""};
    return input_fill(&net->loadable, options, &err);
}

static void refused(struct network *net, struct input_options *options, const char *first, const char *second,
                    const char *message) {
    assert_null(filled(net, options, first, second));
    if (!strstr(err.text, message))
        fail_msg("found the message: %s; expected in it: %s", err.text, message);
}

static char folder[] = "/tmp/test_input.XXXXXX";
static char grey[64], saved[64], colour[64], large[64], bytes[64];

static int files_make(void **unused) {
    (void)unused;
    if (!mkdtemp(folder))
        return -1;
    snprintf(grey, sizeof grey, "%s/grey.pgm", folder);
    snprintf(saved, sizeof saved, "%s/saved.ppm", folder);
    snprintf(colour, sizeof colour, "%s/colour.ppm", folder);
    snprintf(large, sizeof large, "%s/large.pgm", folder);
    snprintf(bytes, sizeof bytes, "%s/bytes.bin", folder);
    return file_write(grey, "P5 2 1 255 \x01\xff", 13, &err) &&
                   file_write(saved, "P6 2 1 255 \x01\x01\x01\xff\xff\xff", 17, &err) &&
                   file_write(colour, "P6 2 1 255 \x0a\x14\x1e\x28\x32\x3c", 17, &err) &&
                   file_write(large, "P5 3 1 255 abc", 14, &err) && file_write(bytes, "abcdefgh", 8, &err)
               ? 0
               : -1;
}

static int files_remove(void **unused) {
    (void)unused;
    return remove(grey) || remove(saved) || remove(colour) || remove(large) || remove(bytes) || remove(folder);
}

TEST(batches_orders_and_means) {
    struct network net;
    struct input_options options = {0};
    network_make(&net, DATA_INT8, PIXEL_FEATURE_8, 2, 3, 128);
    uint8_t **found = filled(&net, &options, grey, colour);
    assert_non_null(found);
    assert_memory_equal(found[0], ((uint8_t[]){0, 0, 0, 0, 0, 0, 0, 0, 127}), 9); /* 1 * 127 / 255 is nearer to 0 */
    assert_memory_equal(found[0] + 64, ((uint8_t[]){15, 10, 5, 0, 0, 0, 0, 0, 30, 25, 20}), 11);
    input_free(&net.loadable, found);
    options.rgb = true;
    found = filled(&net, &options, grey, colour);
    assert_memory_equal(found[0] + 64, ((uint8_t[]){5, 10, 15, 0, 0, 0, 0, 0, 20, 25, 30}), 11);
    input_free(&net.loadable, found);
    refused(&net, &options, grey, NULL, "net: found 1 picture for input 0, \"data\"; expected 2, a batch");
    refused(&net, &options, NULL, NULL, "net: nothing for input 0, \"data\"");
    refused(&net, &options, "zero", "zero", "net: found 2 times --input; expected 1: the network has 1 input");
    refused(&net, &options, large, grey, "found a picture of 3 x 1 pixels; expected 2 x 1");
    net.tensor.c = 1;
    refused(&net, &options, colour, grey, "found a picture in colour; expected a grey one");
    found = filled(&net, &options, saved, grey); /* grey, but saved in colour */
    assert_memory_equal(found[0], ((uint8_t[]){0, 0, 0, 0, 0, 0, 0, 0, 127}), 9);
    input_free(&net.loadable, found);

    network_make(&net, DATA_HALF, PIXEL_A16B16G16R16_F, 1, 4, 64);
    assert_true(input_mean_parse("10,20,30,0", "--mean", &options, &err));
    options.norm = 2;
    options.rgb = false;
    found = filled(&net, &options, colour, NULL); /* blue - 10 = 20, green - 20 = 0, red - 30 = -20, each / 2 */
    assert_memory_equal(found[0], ((uint16_t[]){0x4900, 0, 0xc900, 0, 0x4e40, 0x4b80, 0x4500, 0}), 16);
    input_free(&net.loadable, found);
    net.tensor.c = 3;
    refused(&net, &options, colour, NULL, "found 4 means; expected one, or one for each of 3 channels");
    assert_false(input_mean_parse("1,,2", "--mean", &options, &err));
    assert_false(input_mean_parse("1;2", "--mean", &options, &err));
    assert_string_equal(err.text,
                        "--mean: found 1;2; expected a number, or one for each channel with commas between them");
    input_options_free(&options);
}

/* INT8: the range of pictures is that of the tensor, whatever the norm; a mean moves it, a scale sets it. */
TEST(means_and_scales_of_int8) {
    struct network net;
    struct input_options options = {.norm = 255};
    network_make(&net, DATA_INT8, PIXEL_FEATURE_8, 1, 3, 64);
    uint8_t **found = filled(&net, &options, colour, NULL); /* blue 30, green 20, red 10; then 60, 50, 40 */
    assert_memory_equal(found[0], ((uint8_t[]){15, 10, 5, 0, 0, 0, 0, 0, 30, 25, 20}), 11);
    input_free(&net.loadable, found);
    assert_true(input_mean_parse("100,20,55", "--mean", &options, &err)); /* most: 235, of green */
    found = filled(&net, &options, colour, NULL);                         /* (v - mean) * 127 / 235 */
    assert_memory_equal(found[0], ((int8_t[]){-38, 0, -24, 0, 0, 0, 0, 0, -22, 16, -8}), 11);
    input_free(&net.loadable, found);
    options.norm = 2;
    options.scale = 0.25F;
    found = filled(&net, &options, colour, NULL); /* 2 (v - mean) */
    assert_memory_equal(found[0], ((int8_t[]){-128, 0, -90, 0, 0, 0, 0, 0, -80, 60, -30}), 11);
    input_free(&net.loadable, found);
    net.tensor.c = 4; /* three means are those of the colours */
    found = filled(&net, &options, colour, NULL);
    assert_memory_equal(found[0], ((int8_t[]){-128, 0, -90, 0, 0, 0, 0, 0, -80, 60, -30}), 11);
    input_free(&net.loadable, found);
    network_make(&net, DATA_HALF, PIXEL_FEATURE, 1, 3, 64);
    refused(&net, &options, colour, NULL, "found a scale for a tensor of FP16");
    input_options_free(&options);
}

/* Every order of a pixel's components: the colours in the channels that the first layer gets. */
TEST(orders_of_pixels) {
    static const struct {
        unsigned format;
        uint8_t first[4]; /* blue 15, green 10, red 5 */
    } table[] = {
        {PIXEL_A8B8G8R8, {15, 10, 5, 0}}, {PIXEL_X8B8G8R8, {15, 10, 5, 0}}, {PIXEL_A8R8G8B8, {5, 10, 15, 0}},
        {PIXEL_X8R8G8B8, {5, 10, 15, 0}}, {PIXEL_A8Y8U8V8, {5, 10, 15, 0}}, {PIXEL_B8G8R8A8, {0, 15, 10, 5}},
        {PIXEL_B8G8R8X8, {0, 15, 10, 5}}, {PIXEL_V8U8Y8A8, {0, 15, 10, 5}}, {PIXEL_R8G8B8A8, {0, 5, 10, 15}},
        {PIXEL_R8G8B8X8, {0, 5, 10, 15}},
    };
    struct network net;
    struct input_options options = {0};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        network_make(&net, DATA_INT8, table[i].format, 1, 4, 64);
        uint8_t **found = filled(&net, &options, colour, NULL);
        assert_non_null(found);
        assert_memory_equal(found[0], table[i].first, 4);
        input_free(&net.loadable, found);
    }
    network_make(&net, DATA_HALF, PIXEL_A16Y16U16V16_F, 1, 4, 64);
    uint8_t **found = filled(&net, &options, colour, NULL);
    assert_memory_equal(found[0], ((uint16_t[]){0x4900, 0x4d00, 0x4f80, 0, 0x5100, 0x5240, 0x5380}), 14);
    input_free(&net.loadable, found);
    network_make(&net, DATA_HALF, PIXEL_R16_F, 1, 1, 64);
    found = filled(&net, &options, grey, NULL);
    assert_memory_equal(found[0], ((uint16_t[]){0x3c00, 0x5bf8}), 4);
    input_free(&net.loadable, found);
    network_make(&net, DATA_INT8, PIXEL_A16B16G16R16_F, 1, 4, 64);
    refused(&net, &options, colour, NULL, "give the memory's bytes with raw:FILE");
    input_options_free(&options);
}

TEST(other_sources) {
    struct network net;
    struct input_options options = {0};
    char raw[80];
    snprintf(raw, sizeof raw, "raw:%s", bytes);
    network_make(&net, DATA_FLOAT, PIXEL_R8, 1, 1, 8); /* bytes suit any tensor */
    uint8_t **found = filled(&net, &options, raw, NULL);
    assert_memory_equal(found[0], "abcdefgh", 8);
    input_free(&net.loadable, found);
    found = filled(&net, &options, "zero", NULL);
    assert_memory_equal(found[0], "\0\0\0\0\0\0\0\0", 8);
    input_free(&net.loadable, found);
    refused(&net, &options, grey, NULL, "found data type 1, pixel format 0, 1 channels; expected int8");
    net.memory.size = 9;
    refused(&net, &options, raw, NULL, "found 8 bytes; expected 9, the size of the input memory");
    network_make(&net, DATA_INT8, PIXEL_FEATURE_8, 1, 3, 16);
    found = filled(&net, &options, "random:7", NULL);
    assert_int_not_equal(found[0][0] | found[0][1] | found[0][2], 0);
    assert_memory_equal(found[0] + 3, "\0\0\0\0", 5);
    input_free(&net.loadable, found);
    refused(&net, &options, "random:x", NULL, "--input random:x: expected a number after random:");
    net.memory.size = 15;
    refused(&net, &options, "random:7", NULL, "which end at byte 16; expected at most 15");
    net.tensor.c = 0;
    refused(&net, &options, grey, NULL, "found a tensor of n 1, channels 0");
    net.memory.tensor = LOADABLE_NONE;
    refused(&net, &options, grey, NULL, "has no tensor that says how a picture lies in it; expected raw:FILE or zero");
    input_options_free(&options);
}

TEST_GROUP(files_make, files_remove)
