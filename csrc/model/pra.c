/* The Winograd input transform, in integers and in FP16. See pra.h. */
#include "model/pra.h"

#include <string.h>

#include "nvdla/fixed.h"
#include "nvdla/fp.h"
#include "nvdla/wide.h"

enum { TILE = PRA_TILE, MOST_TRUNCATE = 2 };

/* One direction of the transform, on numbers that are `step` apart. */
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

/* ---- FP16 ---- */

enum { SOME = 16 }; /* channels transformed together */

/* Numbers of FP17 of `SOME` channels. */
typedef uint32_t numbers[SOME];

/* Signs of the second operands. */
enum { PLUS = 0, MINUS = FP17_SIGN };

static inline void add(const numbers a, const numbers b, uint32_t sign, uint32_t *to) {
    for (size_t c = 0; c < SOME; c++)
        to[c] = fp17_add(a[c], b[c] ^ sign);
}

static inline void combine_fp17(const numbers *d, numbers *to, size_t step) {
    add(d[0], d[2 * step], MINUS, to[0]);
    add(d[step], d[2 * step], PLUS, to[step]);
    add(d[2 * step], d[step], MINUS, to[2 * step]);
    add(d[step], d[3 * step], MINUS, to[3 * step]);
}

WIDE static void transform_fp16(const int16_t *pixels, size_t line, size_t pixel, size_t count, int16_t *out) {
    for (size_t at = 0; at < count; at += SOME) {
        const size_t some = count - at < SOME ? count - at : SOME;
        uint16_t elements[TILE * TILE][SOME] = {{0}};
        numbers d[TILE * TILE], t[TILE * TILE];
        for (size_t e = 0; e < TILE * TILE; e++)
            memcpy(elements[e], pixels + e / TILE * line + e % TILE * pixel + at, some * sizeof *pixels);
        for (size_t e = 0; e < TILE * TILE; e++)
            for (size_t c = 0; c < SOME; c++)
                d[e][c] = fp16_to_fp17(elements[e][c]);
        for (size_t j = 0; j < TILE; j++)
            combine_fp17(d + j, t + j, TILE);
        for (size_t i = 0; i < TILE; i++)
            combine_fp17(t + i * TILE, d + i * TILE, 1);
        for (size_t e = 0; e < TILE * TILE; e++)
            for (size_t c = 0; c < SOME; c++)
                elements[e][c] = fp17_to_fp16(d[e][c]);
        for (size_t e = 0; e < TILE * TILE; e++)
            memcpy(out + e * count + at, elements[e], some * sizeof *out);
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
