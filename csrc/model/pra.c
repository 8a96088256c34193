/* The Winograd input transform, in integers and in FP16. See pra.h. */
#include "model/pra.h"

#include "nvdla/fixed.h"
#include "nvdla/fp.h"

enum { TILE = PRA_TILE, MOST_TRUNCATE = 2 };

/* One direction of the transform, from and to numbers that are `step` apart. */
static inline void combine(const int32_t *d, int32_t *to, size_t step) {
    to[0] = d[0] - d[2 * step];
    to[step] = d[step] + d[2 * step];
    to[2 * step] = d[2 * step] - d[step];
    to[3 * step] = d[step] - d[3 * step];
}

static void transform_integer(const int16_t *pixels, size_t line, size_t pixel, size_t count, int bits,
                              unsigned truncate, int16_t *out) {
    const struct fixed_rounding rounding = fixed_rounding(truncate);
    for (size_t c = 0; c < count; c++) {
        int32_t d[TILE * TILE], t[TILE * TILE];
        for (size_t e = 0; e < TILE * TILE; e++)
            d[e] = pixels[e / TILE * line + e % TILE * pixel + c];
        for (size_t j = 0; j < TILE; j++)
            combine(d + j, t + j, TILE);
        for (size_t i = 0; i < TILE; i++)
            combine(t + i * TILE, d + i * TILE, 1);
        for (size_t e = 0; e < TILE * TILE; e++)
            out[e * count + c] = (int16_t)fixed_saturate(fixed_round(rounding, d[e]), bits);
    }
}

static uint32_t difference(uint32_t a, uint32_t b) {
    return fp17_add(a, b ^ UINT32_C(1) << 16);
}

static void combine_fp17(const uint32_t *d, uint32_t *to, size_t step) {
    to[0] = difference(d[0], d[2 * step]);
    to[step] = fp17_add(d[step], d[2 * step]);
    to[2 * step] = difference(d[2 * step], d[step]);
    to[3 * step] = difference(d[step], d[3 * step]);
}

static void transform_fp16(const int16_t *pixels, size_t line, size_t pixel, size_t count, int16_t *out) {
    for (size_t c = 0; c < count; c++) {
        uint32_t d[TILE * TILE], t[TILE * TILE];
        for (size_t e = 0; e < TILE * TILE; e++)
            d[e] = fp16_to_fp17((uint16_t)pixels[e / TILE * line + e % TILE * pixel + c]);
        for (size_t j = 0; j < TILE; j++)
            combine_fp17(d + j, t + j, TILE);
        for (size_t i = 0; i < TILE; i++)
            combine_fp17(t + i * TILE, d + i * TILE, 1);
        for (size_t e = 0; e < TILE * TILE; e++)
            out[e * count + c] = (int16_t)fp17_to_fp16(d[e]);
    }
}

void pra_transform(const int16_t *pixels, size_t line, size_t pixel, size_t count, enum nvdla_precision precision,
                   unsigned truncate, int16_t *out) {
    if (precision == NVDLA_FP16) {
        transform_fp16(pixels, line, pixel, count, out);
    } else {
        transform_integer(pixels, line, pixel, count, precision == NVDLA_INT8 ? 8 : 16,
                          truncate < MOST_TRUNCATE ? truncate : MOST_TRUNCATE, out);
    }
}
