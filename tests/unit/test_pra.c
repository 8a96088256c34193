/* PRA: the vectors of 40-convolution-core section 11.6, and its layout. */

#include "model/pra.h"
#include "tests/unit/test.h"

#define TILE_A 1, 2, 3, 4, 5, 7, 9, 11, -3, 0, 2, 5, 8, 1, -1, -7
#define TILE_B 127, -128, 127, -128, -128, 127, -128, 127, 127, -128, 127, -128, -128, 127, -128, 127
#define TILE_C -2000, 1918, 1835, 1752, 1669, 1586, 1503, 1420, 1337, 1254, 1171, 1088, 1005, 922, 839, 756

TEST(integer_tiles) {
    static const struct {
        enum nvdla_precision precision;
        unsigned truncate;
        int16_t in[16], out[16];
    } vectors[] = {
        {NVDLA_INT8, 1, {TILE_A}, {2, 2, -1, 2, -5, 9, 2, -5, -1, -7, 0, -1, -7, 8, 2, -6}},
        {NVDLA_INT8, 2, {TILE_A}, {1, 1, 0, 1, -2, 5, 1, -2, 0, -4, 0, 0, -3, 4, 1, -3}},
        {NVDLA_INT8, 3, {TILE_A}, {1, 1, 0, 1, -2, 5, 1, -2, 0, -4, 0, 0, -3, 4, 1, -3}},
        {NVDLA_INT8, 0, {TILE_B}, {0, 0, 0, 0, 0, -2, 0, 0, 0, 0, 127, 0, 0, 0, 0, 0}},
        {NVDLA_INT8, 2, {TILE_B}, {0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 127, 0, 0, 0, 0, 0}},
        {NVDLA_INT16, 0, {TILE_C}, {-4001, 1328, 0, 0, 332, 5514, -166, 332, 0, -664, 0, 0, 0, 1328, 0, 0}},
        {NVDLA_INT16, 2, {TILE_C}, {-1000, 332, 0, 0, 83, 1379, -42, 83, 0, -166, 0, 0, 0, 332, 0, 0}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        int16_t out[16];
        pra_transform(vectors[i].in, 4, 1, 1, vectors[i].precision, vectors[i].truncate, out);
        for (size_t e = 0; e < 16; e++)
            assert_int_equal(out[e], vectors[i].out[e]);
    }
}

/* The second tile shows a NaN whose sign flips because it is a subtrahend. */
TEST(floating_point_tiles) {
    static const struct {
        uint16_t in[16], out[16];
    } vectors[] = {
        {{0x3c00, 0x4000, 0x3800, 0xbc00, 0x0001, 0x0400, 0x8001, 0x7bff, 0x7bff, 0x7c00, 0xfbff, 0x3c01, 0x3555,
          0xb555, 0x0200, 0x0000},
         {0xfbff, 0xfbff, 0x7bff, 0xfbff, 0x7bff, 0x7bff, 0xfbff, 0x7bff, 0x7bff, 0x7bff, 0xfbff, 0x7bff, 0xb555,
          0x3555, 0xb555, 0xfbff}},
        {{0x3c01, 0x1002, 0x2c03, 0x0004, 0x5001, 0x3c05, 0x1406, 0x6807, 0x3408, 0xbc09, 0x1c0a, 0x480b, 0x7e55,
          0x3c0d, 0x240e, 0x000f},
         {0x3986, 0x3c46, 0xbb9c, 0x488c, 0x5009, 0x1430, 0x2086, 0xe80b, 0xcff2, 0xc005, 0x4009, 0x6802, 0xfe55,
          0xa5ce, 0x9f36, 0xe807}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        int16_t in[16], out[16];
        for (size_t e = 0; e < 16; e++)
            in[e] = (int16_t)vectors[i].in[e];
        pra_transform(in, 4, 1, 1, NVDLA_FP16, 1, out);
        for (size_t e = 0; e < 16; e++)
            assert_int_equal((uint16_t)out[e], vectors[i].out[e]);
    }
}

/* Channels beside each other, pixels and lines further apart than they need to be. */
TEST(channels_are_transformed_for_themselves) {
    static const int16_t in[][16] = {{TILE_A}, {TILE_C}, {TILE_B}};
    enum { CHANNELS = 3, PIXEL = 5, LINE = 4 * PIXEL + 2 };
    int16_t pixels[4 * LINE] = {0}, out[16 * CHANNELS];
    for (size_t c = 0; c < CHANNELS; c++)
        for (size_t e = 0; e < 16; e++)
            pixels[e / 4 * LINE + e % 4 * PIXEL + c] = in[c][e];
    pra_transform(pixels, LINE, PIXEL, CHANNELS, NVDLA_INT16, 2, out);
    for (size_t c = 0; c < CHANNELS; c++) {
        int16_t one[16];
        pra_transform(in[c], 4, 1, 1, NVDLA_INT16, 2, one);
        for (size_t e = 0; e < 16; e++)
            assert_int_equal(out[e * CHANNELS + c], one[e]);
    }
}
