/* PRA: the vectors of 40-convolution-core section 11.6, and its layout. */

#include "model/pra.h"
#include "tests/unit/test.h"
#include "tests/vectors.h"

TEST(tiles) {
    static const char *const kinds[] = {"int8", "int16", "fp16"};
    for (size_t precision = 0; precision < sizeof kinds / sizeof kinds[0]; precision++)
        for (struct vectors v = vectors_of("input_tiles", kinds[precision]); vectors_next(&v);) {
            int16_t in[16], out[16];
            for (size_t e = 0; e < 16; e++)
                in[e] = (int16_t)v.number[1 + e];
            pra_transform(in, 4, 1, 1, (enum nvdla_precision)precision, (unsigned)v.number[0], out);
            for (size_t e = 0; e < 16; e++)
                assert_true(vectors_equal(&v, out[e], (int16_t)v.number[17 + e]));
        }
}

/* Channels beside each other, pixels and lines further apart than they need to be. */
TEST(channels_are_transformed_for_themselves) {
    static const int16_t in[][16] = {
        {1, 2, 3, 4, 5, 7, 9, 11, -3, 0, 2, 5, 8, 1, -1, -7},
        {-2000, 1918, 1835, 1752, 1669, 1586, 1503, 1420, 1337, 1254, 1171, 1088, 1005, 922, 839, 756},
        {127, -128, 127, -128, -128, 127, -128, 127, 127, -128, 127, -128, -128, 127, -128, 127},
    };
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
