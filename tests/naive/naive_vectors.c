/* The vectors of the chapters. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "naive_fp.h"
#include "naive_lut.h"
#include "naive_parts.h"

struct tally {
    size_t passed, failed;
};

static void expect(struct tally *tally, const char *what, size_t index, int64_t got, int64_t want) {
    if (got == want) {
        tally->passed++;
        return;
    }
    tally->failed++;
    printf("FAIL %s, vector %zu: 0x%" PRIx64 " (%" PRId64 "), expected 0x%" PRIx64 "\n", what, index, (uint64_t)got,
           got, (uint64_t)want);
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const uint32_t fp17_adds[][3] = {
    {0x07C00, 0x07C00, 0x08000}, {0x07C00, 0x17C00, 0x00000}, {0x17C00, 0x07C00, 0x10000}, {0x10000, 0x00000, 0x10000},
    {0x07C00, 0x05000, 0x07C00}, {0x07C01, 0x05000, 0x07C02}, {0x07C00, 0x05001, 0x07C01}, {0x0FBFF, 0x0FBFF, 0x0FBFF},
    {0x0FC01, 0x07C00, 0x0FC01}, {0x07C00, 0x1FC02, 0x1FC02}, {0x00400, 0x10401, 0x10000}, {0x08414, 0x07902, 0x084B4},
    {0x1606B, 0x082E8, 0x082E4}, {0x18B29, 0x086E4, 0x1876E},
};
static const uint32_t fp17_muls[][3] = {
    {0x08000, 0x07555, 0x07955}, {0x08200, 0x07555, 0x07C00}, {0x0FBFF, 0x0FBFF, 0x0FBFF}, {0x00400, 0x00400, 0x00000},
    {0x07C01, 0x05000, 0x05001}, {0x1809F, 0x00400, 0x1089F}, {0x0C920, 0x036B8, 0x0844E}, {0x005D3, 0x039E2, 0x00000},
};
static const uint32_t fp16_to_fp17[][2] = {
    {0x0001, 0x01C00},
    {0x03FF, 0x043FE},
    {0x7C00, 0x0FBFF},
    {0xFC00, 0x1FBFF},
};
static const uint32_t fp17_to_fp16[][2] = {
    {0x0BC00, 0x7BFF}, {0x043FF, 0x0400}, {0x01800, 0x0000}, {0x01C00, 0x0001}, {0x01E00, 0x0002},
};
static const uint32_t fp32_adds_fp16[][3] = {
    {0x3F800000, 0x3800, 0x3FC00000}, {0x3F800000, 0x0001, 0x3F800000}, {0x3F800000, 0x7C00, 0x7F7FFFFF},
    {0x3F800000, 0x7E01, 0x7F800201}, {0xBF800000, 0x3C00, 0x80000000}, {0x3F800000, 0xBC00, 0x00000000},
    {0x4B800000, 0x3C00, 0x4B800000}, {0x4B800001, 0x3C00, 0x4B800002}, {0x7F7FFFFF, 0x7BFF, 0x7F7FFFFF},
    {0x00000001, 0x0000, 0x00000000}, {0x7F800000, 0x3C00, 0x7F800000},
};
static const uint32_t fp32_adds[][3] = {
    {0x7F800000, 0x3F800000, 0x7F800000}, {0x7F800000, 0x7F000000, 0x7FC00000}, {0x7F800000, 0x7F7FFFFF, 0x7F7FFFFF},
    {0x40490FDB, 0xC0490FDA, 0x34800000}, {0x00800000, 0x80800001, 0x80000000}, {0x3F800000, 0x7FC00000, 0x7FC00000},
};
static const uint32_t fp32_muls_fp16[][3] = {
    {0x0D000000, 0x0001, 0x01000000},
    {0x00800000, 0xB800, 0x80000000},
    {0x7F000000, 0x4400, 0x7F7FFFFF},
    {0xC0490FDB, 0x2E66, 0xBEA0CF6E},
};
static const uint32_t fp32_to_fp16[][2] = {
    {0x3F800000, 0x3C00}, {0x477FE000, 0x7BFF}, {0x477FF000, 0x7BFF}, {0xFF800000, 0xFBFF},
    {0x33800000, 0x0001}, {0x33000000, 0x0000}, {0x33000001, 0x0001}, {0x387FE000, 0x0400},
    {0x387FF000, 0x0400}, {0x7F800201, 0x7E01}, {0x7FC00000, 0x7C00},
};
static const int64_t fp32_to_int16[][2] = {
    {0x40200000, 3},      {0xC0200000, -3}, {0x46FFFE00, 32767}, {0x47000000, 32767}, {0xC7000000, -32768},
    {0x7F800201, -32768}, {0x3F000000, 1},  {0x3EFFE000, 0},     {0x3EFFFFFF, 1},
};
/* Chapter 40 section 11.3: weight and data of lanes, and the 44 bits that CMAC sends. */
static const struct {

    uint16_t weight[64], data[64];
    uint64_t raw;
} cmac_atoms[] = {
    {{[0] = 0x3c00}, {[0] = 0x3c00}, 0x60004000000},
    {{[0] = 0xbc00}, {[0] = 0x3c00}, 0x63ffc000000},
    {{[0] = 0x3e00}, {[0] = 0xc080}, 0x73fff280000},
    {{[0] = 0x7bff}, {[0] = 0x7bff}, 0xe0003ff0010},
    {{[0 ... 63] = 0x7bff}, {[0 ... 63] = 0x7bff}, 0xe00ffc00400},
    {{[0] = 0x0001}, {[0] = 0x0001}, 0x00000000004},
    {{[0] = 0x7c00}, {[0] = 0x3c00}, 0xa0004000000},
    {{[5] = 0x7e01, [1] = 0x3c00}, {[5] = 0x3c00, [1] = 0xfd55}, 0xfd008000000},
    {{[1] = 0x3c00}, {[1] = 0xfd55}, 0xfeaa8000000},
    {{[0] = 0x4c00, [1] = 0x3c01}, {[0] = 0x3c00, [1] = 0x3c01}, 0x70004402004},
    {{[0] = 0x5c00, [1] = 0x3c01}, {[0] = 0x3c00, [1] = 0x3c01}, 0x80004040200},
    {{[0] = 0x5c00, [1] = 0xbc01}, {[0] = 0x3c00, [1] = 0x3c01}, 0x80003fbfdff},
    {{[0] = 0x6c00, [1] = 0x3dc3}, {[0] = 0x4c00, [1] = 0x3f09}, 0xa0004000a22},
    {{[0] = 0x6c00, [1] = 0x3f09}, {[0] = 0x4c00, [1] = 0x3dc3}, 0xa0004000a21},
    {{[0] = 0x7800, [1] = 0xbdc3}, {[0] = 0x6c00, [1] = 0x3f09}, 0xd0001ffffff},
    {{[0] = 0x7800, [1] = 0xbc00}, {[0] = 0x7800, [1] = 0x3c00}, 0xe0001000000},
    {{[0] = 0xdb63, [1] = 0xbbe6, [2] = 0xb008, [3] = 0xa19b},
     {[0] = 0x57ef, [1] = 0x4590, [2] = 0x5ae7, [3] = 0x229e},
     0xa3ffe2aa753},
    {{[0] = 0x5207, [1] = 0x3db5, [2] = 0xd42c, [3] = 0xd9af},
     {[0] = 0x278f, [1] = 0x4c50, [2] = 0xa6cb, [3] = 0xbbd4},
     0x80003371896},
    {{[0] = 0x2a7d, [1] = 0x4a89, [2] = 0xa5be, [3] = 0x5890},
     {[0] = 0xc4fe, [1] = 0x4429, [2] = 0xbcd2, [3] = 0x4805},
     0x9000132f67f},
    {{[0] = 0x2300, [1] = 0xc6a4, [2] = 0x2b1f, [3] = 0xac69},
     {[0] = 0xdb84, [1] = 0x4eb3, [2] = 0xb944, [3] = 0xa893},
     0x83ffd2aeb45},
};
/* Chapter 40 section 11.5: value from CMAC, accumulator before and after, FP32. */
static const uint64_t cacc_steps[][4] = {
    {0x60000100000, 0, 0x394000000000, 0x3c800000},
    {0x63ffff00000, 0, 0x388000000000, 0xbc800000},
    {0xe00ffc00400, 0, 0x647fe0020000, 0x527fc004},
    {0x00000000004, 0, 0x0f4000000000, 0x27800000},
    {0x70123456789, 0x3c5a5a5a5a5a, 0x4948d42cb513, 0x4491a859},
    {0x70123456789, 0x3ca5a5a5a5a5, 0x4948ce870f6d, 0x44919d0e},
    {0x70000000001, 0x464000000000, 0x464000000200, 0x43000000},
    {0x73fffffffff, 0x464000000000, 0x457ffffffc00, 0x43000000},
    {0x70040000000, 0x478000000000, 0x468000000000, 0xc3800000},
    {0x00000000000, 0x467fffffffff, 0x467fffffffff, 0x43800000},
    {0x00000000000, 0x464000004000, 0x464000004000, 0x43000001},
    {0x00000000000, 0x464000003fff, 0x464000003fff, 0x43000000},
    {0x78400000000, 0x47c000000000, 0x4c7e00000000, 0x467c0000},
    {0xfc918000000, 0x464000000000, 0xff2460000000, 0x7f800123},
    {0x70000000001, 0xffb560000000, 0xffb560000000, 0xff8001ab},
};
/* Chapter 40 section 11.4: accumulator bits, last atom, accumulator, CLIP_TRUNCATE, result, saturated. */
static const int64_t cacc_finals[][6] = {
    {34, 5, INT64_C(0), 1, 3, 0},
    {34, -5, INT64_C(0), 1, -3, 0},
    {34, 3, INT64_C(0), 1, 2, 0},
    {34, -3, INT64_C(0), 1, -2, 0},
    {34, 2, INT64_C(0), 2, 1, 0},
    {34, -2, INT64_C(0), 2, -1, 0},
    {34, -6, INT64_C(0), 2, -2, 0},
    {34, -7, INT64_C(0), 2, -2, 0},
    {34, 1000, INT64_C(2147482647), 0, 2147483647, 0},
    {34, 1001, INT64_C(2147482647), 0, 2147483647, 1},
    {34, 0, INT64_C(-2147483648), 0, -2147483648, 0},
    {34, -1, INT64_C(-2147483648), 0, -2147483648, 1},
    {34, 0, INT64_C(-4294967297), 1, -2147483648, 1},
    {34, 0, INT64_C(4294967294), 1, 2147483647, 0},
    {34, 3, INT64_C(-8388610), 24, -1, 0},
    {34, 131071, INT64_C(-8589934590), 18, -32768, 0},
    {34, 2097151, INT64_C(8589934591), 2, 2147483647, 1},
    {34, -2097152, INT64_C(-8589934592), 2, -2147483648, 0},
    {34, 0, INT64_C(8589934591), 31, 4, 0},
    {34, 0, INT64_C(-8589934592), 31, -4, 0},
    {48, 12345678901, INT64_C(98765432109), 10, 108506944, 0},
    {48, 0, INT64_C(549755813759), 8, 2147483647, 0},
    {48, 0, INT64_C(549755813760), 8, 2147483647, 1},
    {48, -1, INT64_C(-549755813888), 8, -2147483648, 1},
    {48, 137438953471, INT64_C(140737488355327), 31, 65536, 0},
};
/* Chapter 40 section 11.6. */
static const struct {
    enum nvdla_precision precision;
    int truncate;
    int32_t in[16], out[16];
} tiles[] = {
    {NVDLA_INT8,
     1,
     {1, 2, 3, 4, 5, 7, 9, 11, -3, 0, 2, 5, 8, 1, -1, -7},
     {2, 2, -1, 2, -5, 9, 2, -5, -1, -7, 0, -1, -7, 8, 2, -6}},
    {NVDLA_INT8,
     2,
     {1, 2, 3, 4, 5, 7, 9, 11, -3, 0, 2, 5, 8, 1, -1, -7},
     {1, 1, 0, 1, -2, 5, 1, -2, 0, -4, 0, 0, -3, 4, 1, -3}},
    {NVDLA_INT8,
     0,
     {127, -128, 127, -128, -128, 127, -128, 127, 127, -128, 127, -128, -128, 127, -128, 127},
     {0, 0, 0, 0, 0, -2, 0, 0, 0, 0, 127, 0, 0, 0, 0, 0}},
    {NVDLA_INT8,
     2,
     {127, -128, 127, -128, -128, 127, -128, 127, 127, -128, 127, -128, -128, 127, -128, 127},
     {0, 0, 0, 0, 0, -1, 0, 0, 0, 0, 127, 0, 0, 0, 0, 0}},
    {NVDLA_INT16,
     0,
     {-2000, 1918, 1835, 1752, 1669, 1586, 1503, 1420, 1337, 1254, 1171, 1088, 1005, 922, 839, 756},
     {-4001, 1328, 0, 0, 332, 5514, -166, 332, 0, -664, 0, 0, 0, 1328, 0, 0}},
    {NVDLA_INT16,
     2,
     {-2000, 1918, 1835, 1752, 1669, 1586, 1503, 1420, 1337, 1254, 1171, 1088, 1005, 922, 839, 756},
     {-1000, 332, 0, 0, 83, 1379, -42, 83, 0, -166, 0, 0, 0, 332, 0, 0}},
    {NVDLA_FP16,
     0,
     {0x3c00, 0x4000, 0x3800, 0xbc00, 0x0001, 0x0400, 0x8001, 0x7bff, 0x7bff, 0x7c00, 0xfbff, 0x3c01, 0x3555, 0xb555,
      0x0200, 0x0000},
     {0xfbff, 0xfbff, 0x7bff, 0xfbff, 0x7bff, 0x7bff, 0xfbff, 0x7bff, 0x7bff, 0x7bff, 0xfbff, 0x7bff, 0xb555, 0x3555,
      0xb555, 0xfbff}},
    {NVDLA_FP16,
     0,
     {0x3c01, 0x1002, 0x2c03, 0x0004, 0x5001, 0x3c05, 0x1406, 0x6807, 0x3408, 0xbc09, 0x1c0a, 0x480b, 0x7e55, 0x3c0d,
      0x240e, 0x000f},
     {0x3986, 0x3c46, 0xbb9c, 0x488c, 0x5009, 0x1430, 0x2086, 0xe80b, 0xcff2, 0xc005, 0x4009, 0x6802, 0xfe55, 0xa5ce,
      0x9f36, 0xe807}},
};
/* Chapter 30 section 6.5: output precision, x, offset, scale, truncate, result. */
static const int64_t conversions[][6] = {
    {NVDLA_INT8, 200, 128, 1, 0, 72},
    {NVDLA_INT8, 10, 128, 1, 0, -118},
    {NVDLA_INT8, 255, 0, 1, 1, 127},
    {NVDLA_INT8, -1, 0, 1, 1, -1},
    {NVDLA_INT8, -3, 0, 1, 1, -2},
    {NVDLA_INT8, 3, 0, 1, 1, 2},
    {NVDLA_INT8, 5, 0, 1, 1, 3},
    {NVDLA_INT8, -5, 0, 1, 1, -3},
    {NVDLA_INT8, 0, -100, 32767, 20, 3},
    {NVDLA_INT8, 100, 0, -32768, 20, -3},
    {NVDLA_INT16, 65535, 0, 1, 1, 32767},
    {NVDLA_INT16, 65535, -32768, 1, 0, 32767},
    {NVDLA_INT16, 255, 123, 0x4000, 13, 264},
    {NVDLA_INT16, 65535, -32768, 32767, 32, 1},
    {NVDLA_INT16, 65535, -32768, 32767, 33, 0},
    {NVDLA_INT16, 65535, -32768, 32767, 34, 0},
    {NVDLA_INT16, 65535, -32768, 32767, 40, 0},
    {NVDLA_INT16, 65535, -32768, 32767, 16, 32767},
    {NVDLA_FP16, 255, 0, 1, 0, 0x5BF8},
    {NVDLA_FP16, 2049, 0, 1, 0, 0x6800},
    {NVDLA_FP16, 2051, 0, 1, 0, 0x6802},
    {NVDLA_FP16, 65519, 0, 1, 0, 0x7BFF},
    {NVDLA_FP16, 65520, 0, 1, 0, 0x7BFF},
    {NVDLA_FP16, 65535, 0, 1, 0, 0x7BFF},
    {NVDLA_FP16, -32768, 32767, 1, 0, 0xFBFF},
    {NVDLA_FP16, 128, 0, 3, 1, 0x5A00},
    {NVDLA_FP16, 127, 255, 256, 9, 0xD400},
};
static void floats(struct tally *tally) {
    const struct naive_format *single = &naive_fp32, *seventeen = &naive_fp17;
    for (size_t i = 0; i < COUNT(fp17_adds); i++)
        expect(tally, "60 section 6, add", i, naive_add(seventeen, fp17_adds[i][0], fp17_adds[i][1]), fp17_adds[i][2]);
    for (size_t i = 0; i < COUNT(fp17_muls); i++)
        expect(tally, "60 section 6, mul", i, naive_mul(seventeen, fp17_muls[i][0], fp17_muls[i][1]), fp17_muls[i][2]);
    for (size_t i = 0; i < COUNT(fp16_to_fp17); i++)
        expect(tally, "60 section 6, FP16 to FP17", i, naive_from_fp16(seventeen, fp16_to_fp17[i][0]),
               fp16_to_fp17[i][1]);
    for (size_t i = 0; i < COUNT(fp17_to_fp16); i++)
        expect(tally, "60 section 6, FP17 to FP16", i, naive_fp17_to_fp16(fp17_to_fp16[i][0]), fp17_to_fp16[i][1]);
    for (size_t i = 0; i < COUNT(fp32_adds_fp16); i++)
        expect(tally, "50 section 13.2, add", i,
               naive_add(single, fp32_adds_fp16[i][0], naive_from_fp16(single, fp32_adds_fp16[i][1])),
               fp32_adds_fp16[i][2]);
    for (size_t i = 0; i < COUNT(fp32_adds); i++)
        expect(tally, "50 sections 6.2 and 13.3, add", i, naive_add(single, fp32_adds[i][0], fp32_adds[i][1]),
               fp32_adds[i][2]);
    for (size_t i = 0; i < COUNT(fp32_muls_fp16); i++)
        expect(tally, "50 section 13.2, mul", i,
               naive_mul(single, fp32_muls_fp16[i][0], naive_from_fp16(single, fp32_muls_fp16[i][1])),
               fp32_muls_fp16[i][2]);
    for (size_t i = 0; i < COUNT(fp32_to_fp16); i++)
        expect(tally, "50 section 13.4, FP32 to FP16", i, naive_fp32_to_fp16(fp32_to_fp16[i][0]), fp32_to_fp16[i][1]);
    for (size_t i = 0; i < COUNT(fp32_to_int16); i++)
        expect(tally, "50 section 13.4, FP32 to INT16", i,
               naive_fp16_to_int16(naive_fp32_to_fp16((uint32_t)fp32_to_int16[i][0])), fp32_to_int16[i][1]);
    expect(tally, "50 section 13.2, max", 0, naive_max32(0x80000000, 0), 0);
    expect(tally, "50 section 13.2, max", 1, naive_max32(0, 0x80000000), 0);
    expect(tally, "50 section 13.2, min", 0, naive_min32(0, 0x80000000), 0x80000000);
}

static void convolution(struct tally *tally) {
    for (size_t i = 0; i < COUNT(cmac_atoms); i++) {
        int32_t weights[64], data[64];
        for (int l = 0; l < 64; l++) {
            weights[l] = cmac_atoms[i].weight[l];
            data[l] = cmac_atoms[i].data[l];
        }
        const struct naive_float_sum sum = naive_atom_fp16(weights, data, 64, false);
        const uint64_t raw = (uint64_t)sum.exponent << 38 | ((uint64_t)sum.mantissa[0] & ((UINT64_C(1) << 38) - 1));
        expect(tally, "40 section 11.3", i, (int64_t)raw, (int64_t)cmac_atoms[i].raw);
    }
    for (size_t i = 0; i < COUNT(cacc_steps); i++) {
        const uint64_t *step = cacc_steps[i], mask = (UINT64_C(1) << 40) - 1;
        struct naive_float_acc acc = {(int)(step[1] >> 40), naive_sign_extend(step[1] & mask, 40)};
        acc = naive_accumulate_fp16(acc, (int)(step[0] >> 38), naive_sign_extend(step[0], 38));
        expect(tally, "40 section 11.5, accumulator", i, (int64_t)((uint64_t)acc.p << 40 | ((uint64_t)acc.q & mask)),
               (int64_t)step[2]);
        expect(tally, "40 section 11.5, FP32", i, (uint32_t)naive_deliver_fp16(acc), (int64_t)step[3]);
    }
    for (size_t i = 0; i < COUNT(cacc_finals); i++) {
        const int64_t *v = cacc_finals[i];
        bool saturated;
        const int64_t acc = (int64_t)naive_saturate((wide)v[1] + v[2], (int)v[0]);
        expect(tally, "40 section 11.4", i, naive_deliver_integer(acc, (int)v[3], &saturated), v[4]);
        expect(tally, "40 section 11.4, saturation", i, saturated, v[5]);
    }
    for (size_t i = 0; i < COUNT(tiles); i++) {
        int32_t tile[16];
        memcpy(tile, tiles[i].in, sizeof tile);
        naive_input_transform(tiles[i].precision, tiles[i].truncate, tile);
        for (size_t j = 0; j < 16; j++)
            expect(tally, "40 section 11.6", 16 * i + j, tile[j], tiles[i].out[j]);
    }
    for (size_t i = 0; i < COUNT(conversions); i++) {
        const int64_t *v = conversions[i];
        const struct naive_convertor cvt = {.enabled = true,
                                            .in = NVDLA_INT16,
                                            .proc = (enum nvdla_precision)v[0],
                                            .offset = {v[2]},
                                            .scale = (int16_t)v[3],
                                            .truncate = (int)v[4]};
        expect(tally, "30 section 6.5", i, naive_convert(&cvt, (int32_t)v[1], 0), v[5]);
    }
}

/* ---- chapter 55 section 10 ------------------------------------------------------------------- */

static void integer_tables(struct naive_tables *tables, int le_start, int le_step, bool square) {
    for (int k = 0; k < NAIVE_LE_ENTRIES; k++)
        tables->le[k] = (uint16_t)(le_start + le_step * k);
    for (int k = 0; k < NAIVE_LO_ENTRIES; k++)
        tables->lo[k] = (uint16_t)(square ? k * k / 4 - 5000 : 100 * k - 10000);
}

struct point {
    int64_t x, result;
};

static void sdp_points(struct tally *tally, const char *what, const struct naive_lut *lut, const struct point *points,
                       size_t count) {
    for (size_t i = 0; i < count; i++)
        expect(tally, what, i, naive_look_up_sdp_integer(lut, (int32_t)points[i].x).value, points[i].result);
}

static void cdp_points(struct tally *tally, const char *what, const struct naive_lut *lut,
                       enum nvdla_precision precision, const struct point *points, size_t count) {
    for (size_t i = 0; i < count; i++)
        expect(tally, what, i, naive_look_up_cdp_integer(lut, points[i].x, precision, false).value, points[i].result);
}

#define SDP_POINTS(what, ...)                                                                                          \
    sdp_points(tally, what, &lut, (const struct point[]){__VA_ARGS__},                                                 \
               sizeof((const struct point[]){__VA_ARGS__}) / sizeof(struct point))
#define CDP_POINTS(what, precision, ...)                                                                               \
    cdp_points(tally, what, &lut, precision, (const struct point[]){__VA_ARGS__},                                      \
               sizeof((const struct point[]){__VA_ARGS__}) / sizeof(struct point))

static void sdp_tables(struct tally *tally) {
    struct naive_tables tables;
    integer_tables(&tables, -32000, 1000, true);
    struct naive_lut lut = {.tables = &tables,
                            .le_linear = true,
                            .over_priority = 1,
                            .select = {5, 8},
                            .start = {-1024, -32768},
                            .end = {1024, 32768},
                            .scale = {{100, (uint16_t)-100}, {7, 9}},
                            .shift = {{3, -2}, {4, 0}}};
    SDP_POINTS("55 section 10.1, set A", {-1024, -1156}, {-1023, -31969}, {0, 0}, {1, 31}, {33, 1031}, {1023, 31969},
               {1024, -644}, {1025, -644}, {-2000, -1389}, {30000, 10029}, {32767, 11384}, {32768, 11384},
               {40000, 76472}, {0x7fffffff, 2147483647}, {-32767, -5000}, {-32768, -428800}, {-40000, -519200},
               {(int32_t)0x80000000, -2147483648LL});
    lut.under_priority = 1;
    lut.over_priority = 0;
    lut.hybrid_priority = 1;
    SDP_POINTS("55 section 10.1, set A, other priorities", {-40000, -8164}, {40000, -15558400}, {0, -904}, {33, -896},
               {(int32_t)0x80000000, -939514760}, {0x7fffffff, -2147451648LL});
    lut.le_linear = false;
    lut.under_priority = lut.hybrid_priority = 0;
    lut.start[0] = 0;
    lut.end[0] = 0x7fffffff;
    lut.scale[0][0] = 16;
    lut.shift[0][0] = 0;
    lut.start[1] = -100;
    lut.end[1] = 156;
    lut.select[1] = 0;
    SDP_POINTS("55 section 10.1, set B", {0, -2500}, {1, -32000}, {2, -31000}, {3, -30500}, {7, -29250}, {100, -25438},
               {155, -24789}, {156, -24781}, {1000, -22047}, {0x7fffffff, -1000}, {-1, -2550}, {-99, -5000},
               {-100, -33616}, {-200, -35216});
    lut.le_offset = 4;
    SDP_POINTS("55 section 10.1, OFFSET 4", {-200, -35456}, {1000, -26047}, {8, -2084}, {15, -1694}, {16, -32000},
               {17, -31938}, {31, -31063}, {0x7fffffff, -5000});
    lut.le_offset = -40;
    SDP_POINTS("55 section 10.1, OFFSET -40", {1, 8000}, {0x7fffff, 31000}, {0x800000, 31000}, {0x1000000, 2147483647});
    lut.le_offset = 2;
    lut.start[1] = -1000;
    lut.end[1] = -968;
    lut.select[1] = -3;
    SDP_POINTS("55 section 10.1, OFFSET 2", {-999, -4984}, {-990, -3400}, {-969, 10376}, {-968, -47552}, {-967, -47536},
               {5, -31750});
}

static void cdp_tables(struct tally *tally) {
    struct naive_tables tables;
    integer_tables(&tables, 30000, -400, false);
    struct naive_lut lut = {.tables = &tables,
                            .hybrid_priority = 1,
                            .select = {0, 10},
                            .end = {INT64_C(1) << 36, 1 << 18},
                            .scale = {{100, (uint16_t)-3}, {0, 5}},
                            .shift = {{2, 8}, {5, 0}}};
    CDP_POINTS("55 section 10.3, INT16", NVDLA_INT16, {0, 29975}, {1, -10000}, {3, -10000}, {1023, -9900},
               {1024, -9900}, {1536, -9850}, {100000, -234}, {262143, 15600}, {262144, 22800}, {262145, 22800},
               {300000, 22742}, {INT64_C(0x1FFFFFFFFF), 15200});
    lut.hybrid_priority = 0;
    CDP_POINTS("55 section 10.3, HYBRID 0", NVDLA_INT16, {1, 30000}, {3, 29400}, {5, 29100}, {1000, 26019},
               {100000, 23390});
    lut.le_offset = 8;
    CDP_POINTS("55 section 10.3, OFFSET 8", NVDLA_INT16, {0, 23600}, {100, -9990}, {255, -9975}, {256, 30000},
               {300, 29931}, {1000, 29219});
    lut.le_offset = 0;
    lut.select[1] = 4;
    lut.end[0] = 0xFFFFF;
    CDP_POINTS("55 section 10.3, INT8", NVDLA_INT8, {0, 29975}, {1, 30000}, {7, 28900}, {100, 27375}, {4095, 25200},
               {4096, 25200}, {5000, 25112}, {0x1FFFFF, 21600});
    lut.le_linear = true;
    lut.start[0] = -100;
    lut.select[0] = 2;
    lut.end[0] = 156;
    CDP_POINTS("55 section 10.3, INT8 linear", NVDLA_INT8, {-1, 20100}, {-100, 30000}, {-99, 29900}, {5, 19500},
               {155, 4500}, {156, -9025}, {200, -8750}, {-256, 26100});
}

void naive_vectors(size_t *passed, size_t *failed) {
    struct tally tally = {0};
    floats(&tally);
    convolution(&tally);
    sdp_tables(&tally);
    cdp_tables(&tally);
    *passed += tally.passed;
    *failed += tally.failed;
}
