/* CSC, CMAC and CACC as mathematics: input lines and weights to results (chapter 40). */
#include "naive.h"
#include "naive_fp.h"
#include "naive_parts.h"

enum { FEATURE, IMAGE, WINOGRAD };
enum { MOST_LANES = 128, TILE = 16 };

struct conv {
    int mode;
    enum nvdla_precision precision;
    int atomic_c, group_kernels;                   /* AC and KG */
    int batches, kernels, channels, rows, columns; /* weights: K, C (image: S * Ci), R, S */
    int lines_at_once;                             /* image: N */
    int height_ext, width_ext, components;         /* input lines, their width, elements of an image's pixel step */
    int out_width, out_height;
    int stride_x, stride_y, dilation_x, dilation_y, pad_left, pad_top;
    int32_t pad;
    int pra_truncate, clip_truncate;
    int32_t *weights; /* [k][r][s][c]; Winograd: [k][c][16] */
    const struct naive_slice *lines;
    uint32_t *saturated; /* counts delivered elements */
};

/* ---- CMAC -------------------------------------------------------------------------------------------------------- */

/* FP16 as M * 16^E * 2^-25 (chapter 40 section 9.2 step 1). */
static int exponent16(uint32_t h) {
    return (int)(h >> 12 & 7);
}

static uint32_t mantissa16(uint32_t h) {
    const uint32_t e = h >> 10 & 31, m = h & 1023;
    return (e == 0 ? 2 * m : 1024 + m) << (e & 3);
}

/* The carry-save tree: list of n numbers of w bits to two (chapter 40 section 9.2). */
static void reduce(uint32_t *list, int n, int w) {
    const uint32_t mask = w == 32 ? ~0u : (1u << w) - 1;
    while (n > 2) {
        uint32_t next[8];
        int count = 0, i = 0;
        for (; i + 3 <= n; i += 3) {
            const uint32_t a = list[i], b = list[i + 1], c = list[i + 2];
            next[count++] = (a ^ b ^ c) & mask;
            next[count++] = ((a & b) | (a & c) | (b & c)) << 1 & mask;
        }
        for (; i < n; i++)
            next[count++] = list[i];
        memcpy(list, next, (size_t)count * sizeof *list);
        n = count;
    }
}

/* Term of one lane, shifted right by 4 * distance (chapter 40 section 9.2 step 3). */
static int64_t lane_term(uint32_t weight, uint32_t data, int distance) {
    const uint32_t w = mantissa16(weight), d = mantissa16(data), bias = 0x55550000u;
    const bool negative = (weight ^ data) >> 15 & 1;
    if (distance == 0)
        return negative ? -(int64_t)w * d : (int64_t)w * d;
    if (distance >= 8)
        return 0;
    uint32_t n[8], s[8];
    for (int k = 0; k < 8; k++) {
        unsigned code = (w << 1 >> 2 * k) & 7; /* w[2k+1], w[2k], w[2k-1] */
        if (negative)
            code ^= 7;
        static const int digits[8] = {0, 1, 1, 2, -2, -1, -1, 0};
        const int digit = digits[code];
        n[k] = digit < 0;
        s[k] = (uint32_t)(65536 + digit * (int)d - (int)n[k]);
    }
    uint32_t low[5] = {s[0], 4 * s[1] + n[0], 16 * s[2] + 4 * n[1], 64 * s[3] + 16 * n[2], 64 * n[3]};
    uint32_t high[5] = {s[4], 4 * s[5] + n[4], 16 * s[6] + 4 * n[5], 64 * s[7] + 16 * n[6], 64 * n[7]};
    reduce(low, 5, 24);
    reduce(high, 5, 24);
    uint32_t all[4] = {low[0], low[1], 256 * high[0], 256 * high[1]};
    reduce(all, 4, 32);
    const int shift = 4 * distance;
    return (int64_t)(all[0] >> shift) + (int64_t)(all[1] >> shift) - (int64_t)(bias >> shift);
}

/* Coefficient of the product in row i, column j of the transformed tile in output n (chapter 40 section 3.3). */
static int post_coefficient(int n, int i, int j) {
    static const int rows[2][4] = {{1, 1, 1, 0}, {0, 1, -1, -1}};
    return rows[n / 2][i] * rows[n % 2][j];
}

/* One FP16 atom of one cell: lanes of weights and data; outputs 1, or 4 for Winograd. */
struct naive_float_sum naive_atom_fp16(const int32_t *weights, const int32_t *data, int lanes, bool winograd) {
    struct naive_float_sum sum = {0};
    for (int operand = 0; operand < 2; operand++)
        for (int l = 0; l < lanes; l++) {
            const uint32_t h = (uint32_t)(operand ? data : weights)[l];
            if (naive_fp16_is_nan(h)) {
                sum.exponent = 63;
                for (int n = 0; n < 4; n++)
                    sum.mantissa[n] = naive_sign_extend((uint64_t)((h >> 15 & 1) << 10 | (h & 1023)) << 27, 38);
                return sum;
            }
        }
    int top = 0;
    for (int l = 0; l < lanes; l++)
        if ((weights[l] & 0x7fff) && (data[l] & 0x7fff)) {
            const int e = exponent16((uint32_t)weights[l]) + exponent16((uint32_t)data[l]);
            top = e > top ? e : top;
        }
    for (int l = 0; l < lanes; l++)
        if ((weights[l] & 0x7fff) && (data[l] & 0x7fff)) {
            const uint32_t w = (uint32_t)weights[l], d = (uint32_t)data[l];
            const int64_t term = lane_term(w, d, top - exponent16(w) - exponent16(d));
            for (int n = 0; n < (winograd ? 4 : 1); n++)
                sum.mantissa[n] += winograd ? post_coefficient(n, l / 16, l / 4 % 4) * term : term;
        }
    sum.exponent = 4 * top;
    return sum;
}

/* ---- CACC -------------------------------------------------------------------------------------------------------- */

static int sign_bits(int64_t v, int bits) {
    int count = 0;
    for (int i = bits - 2; i >= 0 && (v >> i & 1) == (v >> (bits - 1) & 1); i--)
        count++;
    return count;
}

/* Chapter 40 section 9.5: addition of one CMAC value of exponent e and 38-bit mantissa. */
struct naive_float_acc naive_accumulate_fp16(struct naive_float_acc acc, int e, int64_t mantissa) {
    if (acc.p == 255)
        return (struct naive_float_acc){255, acc.q & ~((INT64_C(1) << 29) - 1)};
    if (e == 63)
        return (struct naive_float_acc){255, naive_sign_extend((uint64_t)mantissa >> 27 << 29, 40)};
    const int l1 = mantissa == 0 ? 35 : sign_bits(mantissa, 36);
    int64_t a = naive_sign_extend((uint64_t)mantissa << l1, 36) * 16, b = acc.q;
    const int pa = mantissa == 0 ? 0 : e + 47 - l1, pb = acc.q == 0 ? 0 : acc.p;
    const int top = pa > pb ? pa : pb, shift = pa > pb ? pa - pb : pb - pa;
    uint64_t cut = 0;
    if (shift > 0) {
        int64_t *small = pa > pb ? &b : &a;
        /* The number and forty bits behind it; what leaves those is ignored. */
        const wide extended = ((wide)*small * ((wide)1 << 40)) >> (shift < 80 ? shift : 80);
        const uint64_t dropped = (uint64_t)(extended & (((wide)1 << 40) - 1));
        cut = dropped >> 38 << 1 | ((dropped & ((UINT64_C(1) << 38) - 1)) != 0);
        *small = shift >= 40 ? (*small < 0 ? -1 : 0) : *small >> shift;
    }
    const int64_t t = (a + b) * 8 + (int64_t)cut;
    const int l2 = sign_bits(t, 44);
    int p = (top + 1 - l2) & 255;
    const int64_t c = naive_sign_extend((uint64_t)t << l2, 44);
    int64_t q = c >> 4;
    const bool up = (c >> 3 & 1) && (q >= 0 || (c & 7));
    const int64_t most = (INT64_C(1) << 39) - 1, odd = -(INT64_C(1) << 38) - 1;
    if (up && q == most) {
        q = INT64_C(1) << 38;
        p++;
    } else if (up && q == odd) {
        q = -(INT64_C(1) << 39);
        p--;
    } else {
        q += up;
    }
    return q == 0 ? (struct naive_float_acc){0, 0} : (struct naive_float_acc){p & 255, q};
}

int32_t naive_deliver_fp16(struct naive_float_acc acc) {
    const uint32_t sign = acc.q < 0;
    if (acc.p == 255)
        return (int32_t)(sign << 31 | 255u << 23 | (uint32_t)(acc.q >> 29 & 1023));
    if (acc.q == 0)
        return 0;
    uint64_t a = acc.q < 0 ? (uint64_t)-acc.q : (uint64_t)acc.q;
    int exponent = acc.p + 64;
    if (a >> 39) {
        a = 0;
        exponent++;
        return (int32_t)(sign << 31 | (uint32_t)exponent << 23);
    }
    uint64_t significand = (a >> 15) + (a >> 14 & 1);
    if (significand >> 24) {
        significand >>= 1;
        exponent++;
    }
    return (int32_t)(sign << 31 | (uint32_t)exponent << 23 | (uint32_t)(significand & 0x7fffff));
}

/* Chapter 40 section 9.4. */
int32_t naive_deliver_integer(int64_t acc, int truncate, bool *saturated) {
    const int64_t f = acc >> truncate;
    bool up = false;
    if (truncate > 0) {
        const int64_t rest = acc - f * (INT64_C(1) << truncate), half = INT64_C(1) << (truncate - 1);
        up = rest >= half;
        if (acc < 0)
            up = rest >= half && (rest - half) >> (truncate > 16 ? truncate - 16 : 0) > 0;
    }
    *saturated = acc >= 0 ? f + up > INT32_MAX : f < INT32_MIN;
    return (int32_t)naive_saturate(f + up, 32);
}

/* ---- weights --------------------------------------------------------------------------------- */

struct weight_stream {
    struct naive *m;
    const struct naive_cbuf *cbuf;
    bool compressed;
    int bytes;
    enum nvdla_precision precision;
    size_t byte, bit; /* next */
    bool short_of;    /* read past the end */
};

static int32_t next_weight(struct weight_stream *stream) {
    const struct naive_cbuf *cbuf = stream->cbuf;
    if (stream->compressed) {
        if (stream->bit / 8 >= cbuf->mask_bytes) {
            stream->short_of = true;
            return 0;
        }
        const bool present = cbuf->masks[stream->bit / 8] >> stream->bit % 8 & 1;
        stream->bit++;
        if (!present)
            return 0;
    }
    if (stream->byte + (size_t)stream->bytes > cbuf->weight_bytes) {
        stream->short_of = true;
        return 0;
    }
    const int32_t value = naive_get(cbuf->weights + stream->byte, 0, stream->precision);
    stream->byte += (size_t)stream->bytes;
    return value;
}

static size_t weight_index(const struct conv *v, int k, int r, int s, int c) {
    return (((size_t)k * (size_t)v->rows + (size_t)r) * (size_t)v->columns + (size_t)s) * (size_t)v->channels +
           (size_t)c;
}

/* The order of chapter 40 section 4.4. */
static void read_weights(struct conv *v, struct weight_stream *stream) {
    const int block = v->mode == WINOGRAD ? 4 : v->atomic_c;
    for (int g = 0; g < v->kernels; g += v->group_kernels) {
        const int end = g + v->group_kernels < v->kernels ? g + v->group_kernels : v->kernels;
        for (int c0 = 0; c0 < v->channels; c0 += block) {
            const int c1 = c0 + block < v->channels ? c0 + block : v->channels;
            if (v->mode == WINOGRAD) {
                for (int k = g; k < end; k++)
                    for (int tap = 0; tap < TILE; tap++)
                        for (int c = c0; c < c0 + 4; c++)
                            v->weights[((size_t)k * (size_t)v->channels + (size_t)c) * TILE + (size_t)tap] =
                                next_weight(stream);
                continue;
            }
            for (int r = 0; r < v->rows; r += v->lines_at_once)
                for (int s = 0; s < v->columns; s++)
                    for (int k = g; k < end; k++)
                        for (int rr = r; rr < r + v->lines_at_once && rr < v->rows; rr++)
                            for (int c = c0; c < c1; c++)
                                v->weights[weight_index(v, k, rr, s, c)] = next_weight(stream);
        }
    }
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Bits of the accumulator (chapter 40 section 9.4). */
static int accumulator_bits(const struct naive *m, const struct conv *v, int kernel) {
    if (!naive_has_16(m))
        return 34;
    return v->precision == NVDLA_INT8 && kernel % v->group_kernels % 2 ? 34 : 48;
}

/* Running sum of one result. */
struct running {
    int64_t integer;
    struct naive_float_acc real;
};

static void add_atom(const struct conv *v, struct running *acc, int bits, const int32_t *weights, const int32_t *data,
                     int lanes) {
    if (v->precision == NVDLA_FP16) {
        const struct naive_float_sum sum = naive_atom_fp16(weights, data, lanes, false);
        acc->real = naive_accumulate_fp16(acc->real, sum.exponent, sum.mantissa[0]);
        return;
    }
    int64_t sum = 0;
    for (int l = 0; l < lanes; l++)
        sum += (int64_t)weights[l] * data[l];
    acc->integer = (int64_t)naive_saturate((wide)acc->integer + sum, bits);
}

static int32_t deliver(const struct conv *v, const struct running *acc) {
    if (v->precision == NVDLA_FP16)
        return naive_deliver_fp16(acc->real);
    bool saturated;
    const int32_t out = naive_deliver_integer(acc->integer, v->clip_truncate, &saturated);
    *v->saturated += saturated;
    return out;
}

/* D(y, x, c): the c-th of the block's data of one input position. */
static int32_t feature_element(const struct conv *v, int batch, int y, int x, int c) {
    if (y < 0 || y >= v->height_ext || x < 0 || x >= v->width_ext)
        return v->pad;
    const struct naive_slice *line = &v->lines[y];
    return line->elements[(batch * line->width + x) * line->lanes + c];
}

static void feature_result(const struct naive *m, const struct conv *v, int batch, int oy, int ox,
                           struct naive_stream *out) {
    int32_t data[MOST_LANES];
    const int lanes = out->lanes, p = oy * v->out_width + ox;
    autofree struct running *acc = xcalloc((size_t)v->kernels, sizeof *acc);
    for (int c0 = 0; c0 < v->channels; c0 += v->atomic_c) {
        const int n = v->channels - c0 < v->atomic_c ? v->channels - c0 : v->atomic_c;
        for (int r = 0; r < v->rows; r++)
            for (int s = 0; s < v->columns; s++) {
                for (int c = 0; c < n; c++)
                    data[c] = feature_element(v, batch, oy * v->stride_y - v->pad_top + r * v->dilation_y,
                                              ox * v->stride_x - v->pad_left + s * v->dilation_x, c0 + c);
                for (int k = 0; k < v->kernels; k++)
                    add_atom(v, &acc[k], accumulator_bits(m, v, k), &v->weights[weight_index(v, k, r, s, c0)], data, n);
            }
    }
    for (int k = 0; k < v->kernels; k++)
        out->values[((k / lanes * out->batches + batch) * out->positions + p) * lanes + k % lanes] =
            deliver(v, &acc[k]);
}

static void image_result(const struct naive *m, const struct conv *v, int oy, int ox, struct naive_stream *out) {
    int32_t data[MOST_LANES], weights[MOST_LANES];
    const int lanes = out->lanes, p = oy * v->out_width + ox;
    autofree struct running *acc = xcalloc((size_t)v->kernels, sizeof *acc);
    for (int c0 = 0; c0 < v->channels; c0 += v->atomic_c) {
        const int n = v->channels - c0 < v->atomic_c ? v->channels - c0 : v->atomic_c;
        for (int r = 0; r < v->rows; r += v->lines_at_once) {
            const int lines = v->rows - r < v->lines_at_once ? v->rows - r : v->lines_at_once;
            for (int j = 0; j < lines; j++)
                for (int c = 0; c < n; c++) {
                    const int y = oy * v->stride_y - v->pad_top + r + j;
                    const int element = ox * v->stride_x * v->components + c0 + c;
                    data[j * n + c] = y < 0 || y >= v->height_ext ? v->pad : v->lines[y].elements[element];
                }
            for (int k = 0; k < v->kernels; k++) {
                for (int j = 0; j < lines; j++)
                    memcpy(&weights[j * n], &v->weights[weight_index(v, k, r + j, 0, c0)], (size_t)n * sizeof *weights);
                add_atom(v, &acc[k], accumulator_bits(m, v, k), weights, data, lines * n);
            }
        }
    }
    for (int k = 0; k < v->kernels; k++)
        out->values[(k / lanes * out->positions + p) * lanes + k % lanes] = deliver(v, &acc[k]);
}

/* The input transform of one channel's tile, in place, row by row (chapter 40 sections 3.3 and 9.6). */
void naive_input_transform(enum nvdla_precision precision, int truncate, int32_t tile[16]) {
    static const int first[4] = {0, 1, 2, 1}, second[4] = {2, 2, 1, 3}, minus[4] = {1, 0, 1, 1};
    int64_t x[TILE], y[TILE];
    const bool real = precision == NVDLA_FP16;
    for (int i = 0; i < TILE; i++)
        x[i] = real ? (int64_t)naive_pra_from_fp16((uint32_t)tile[i]) : tile[i];
    for (int stage = 0; stage < 2; stage++) {
        const int step = stage ? 1 : 4, other = stage ? 4 : 1; /* rows of each column, then columns of each row */
        for (int line = 0; line < 4; line++)
            for (int i = 0; i < 4; i++) {
                const int64_t a = x[line * other + first[i] * step], b = x[line * other + second[i] * step];
                y[line * other + i * step] =
                    real       ? (int64_t)naive_pra_add((uint32_t)a, (uint32_t)b ^ (minus[i] ? 0x10000u : 0))
                    : minus[i] ? a - b
                               : a + b;
            }
        memcpy(x, y, sizeof x);
    }
    for (int i = 0; i < TILE; i++)
        tile[i] = real ? (int32_t)naive_pra_to_fp16((uint32_t)x[i])
                       : (int32_t)naive_saturate(naive_round_shift(x[i], truncate), precision == NVDLA_INT8 ? 8 : 16);
}

static void winograd_results(const struct naive *m, const struct conv *v, int ty, int tx, struct naive_stream *out) {
    const int lanes = out->lanes;
    struct running(*acc)[4] = xcalloc((size_t)v->kernels, sizeof *acc);
    for (int c0 = 0; c0 < v->channels; c0 += 4) {
        int32_t data[64], weights[64];
        for (int c = 0; c < 4; c++) {
            int32_t tile[TILE];
            for (int i = 0; i < TILE; i++)
                tile[i] = feature_element(v, 0, 2 * ty + i / 4, 2 * tx + i % 4, c0 + c);
            naive_input_transform(v->precision, v->pra_truncate, tile);
            for (int i = 0; i < TILE; i++)
                data[4 * i + c] = tile[i];
        }
        for (int k = 0; k < v->kernels; k++) {
            for (int l = 0; l < 64; l++)
                weights[l] =
                    v->weights[((size_t)k * (size_t)v->channels + (size_t)(c0 + l % 4)) * TILE + (size_t)(l / 4)];
            if (v->precision == NVDLA_FP16) {
                const struct naive_float_sum sum = naive_atom_fp16(weights, data, 64, true);
                for (int n = 0; n < 4; n++)
                    acc[k][n].real = naive_accumulate_fp16(acc[k][n].real, sum.exponent, sum.mantissa[n]);
                continue;
            }
            for (int n = 0; n < 4; n++) {
                int64_t sum = 0;
                for (int l = 0; l < 64; l++)
                    sum += (int64_t)weights[l] * data[l] * post_coefficient(n, l / 16, l / 4 % 4);
                acc[k][n].integer = (int64_t)naive_saturate((wide)acc[k][n].integer + sum, accumulator_bits(m, v, k));
            }
        }
    }
    for (int k = 0; k < v->kernels; k++)
        for (int n = 0; n < 4; n++) {
            const int p = (2 * ty + n / 2) * v->out_width + 2 * tx + n % 2;
            out->values[(k / lanes * out->positions + p) * lanes + k % lanes] = deliver(v, &acc[k][n]);
        }
    free(acc);
}

/* ---- layer ----------------------------------------------------------------------------------- */

static void drop_slices(struct naive_cbuf *cbuf, size_t n) {
    n = n < cbuf->slice_count ? n : cbuf->slice_count;
    if (n == 0)
        return;
    for (size_t i = 0; i < n; i++)
        free(cbuf->slices[i].elements);
    memmove(cbuf->slices, cbuf->slices + n, (cbuf->slice_count - n) * sizeof *cbuf->slices);
    cbuf->slice_count -= n;
}

static void drop_bytes(uint8_t *bytes, size_t *size, size_t n) {
    n = n < *size ? n : *size;
    if (n == 0)
        return;
    memmove(bytes, bytes + n, *size - n);
    *size -= n;
}

/* Bytes of a CBUF entry: chapter 30 section 4.1; two RAM words with 16-bit types, else one. */
static size_t entry_bytes(const struct naive *m) {
    return (size_t)m->config->cbuf_bank_bytes * (naive_has_16(m) ? 2 : 1);
}

static size_t whole_entries(const struct naive *m, size_t n) {
    return (n + entry_bytes(m) - 1) / entry_bytes(m) * entry_bytes(m);
}

static bool read_layer(struct naive *m, struct conv *v) {
    v->mode = NAIVE_FIELD(m, CSC, D_MISC_CFG, CONV_MODE)            ? WINOGRAD
              : NAIVE_FIELD(m, CSC, D_DATAIN_FORMAT, DATAIN_FORMAT) ? IMAGE
                                                                    : FEATURE;
    v->precision = naive_has_16(m) ? (enum nvdla_precision)NAIVE_FIELD(m, CSC, D_MISC_CFG, PROC_PRECISION) : NVDLA_INT8;
    if (naive_has_16(m)) {
        const int precision = (int)v->precision, mode = NAIVE_FIELD(m, CSC, D_MISC_CFG, CONV_MODE);
        if (precision > NVDLA_FP16 || NAIVE_FIELD(m, CMAC_A, D_MISC_CFG, PROC_PRECISION) != precision ||
            NAIVE_FIELD(m, CMAC_B, D_MISC_CFG, PROC_PRECISION) != precision ||
            NAIVE_FIELD(m, CACC, D_MISC_CFG, PROC_PRECISION) != precision ||
            NAIVE_FIELD(m, CMAC_A, D_MISC_CFG, CONV_MODE) != mode ||
            NAIVE_FIELD(m, CMAC_B, D_MISC_CFG, CONV_MODE) != mode ||
            NAIVE_FIELD(m, CACC, D_MISC_CFG, CONV_MODE) != mode)
            return naive_unsupported(m, "convolution units of different precision or mode");
    }
    v->atomic_c = m->config->atomic_c;
    v->group_kernels = m->config->mem_atom / naive_element_bytes(v->precision);
    v->batches = v->mode == FEATURE && m->config->batch_max > 1 ? NAIVE_FIELD(m, CSC, D_BATCH_NUMBER, BATCHES) + 1 : 1;
    v->kernels = NAIVE_FIELD(m, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_KERNEL) + 1;
    v->channels = NAIVE_FIELD(m, CSC, D_WEIGHT_SIZE_EXT_1, WEIGHT_CHANNEL_EXT) + 1;
    v->rows = v->mode == WINOGRAD ? 1 : NAIVE_FIELD(m, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_HEIGHT_EXT) + 1;
    v->columns = v->mode == FEATURE ? NAIVE_FIELD(m, CSC, D_WEIGHT_SIZE_EXT_0, WEIGHT_WIDTH_EXT) + 1 : 1;
    v->width_ext = NAIVE_FIELD(m, CSC, D_DATAIN_SIZE_EXT_0, DATAIN_WIDTH_EXT) + 1;
    v->height_ext = NAIVE_FIELD(m, CSC, D_DATAIN_SIZE_EXT_0, DATAIN_HEIGHT_EXT) + 1;
    const int step = NAIVE_FIELD(m, CSC, D_DATAIN_SIZE_EXT_1, DATAIN_CHANNEL_EXT) & 3;
    v->components = step == 3 ? 4 : step == 2 ? 3 : 1;
    v->stride_x = NAIVE_FIELD(m, CSC, D_CONV_STRIDE_EXT, CONV_X_STRIDE_EXT) + 1;
    v->stride_y = NAIVE_FIELD(m, CSC, D_CONV_STRIDE_EXT, CONV_Y_STRIDE_EXT) + 1;
    v->dilation_x = NAIVE_FIELD(m, CSC, D_DILATION_EXT, X_DILATION_EXT) + 1;
    v->dilation_y = NAIVE_FIELD(m, CSC, D_DILATION_EXT, Y_DILATION_EXT) + 1;
    v->pad_left = NAIVE_FIELD(m, CSC, D_ZERO_PADDING, PAD_LEFT);
    v->pad_top = NAIVE_FIELD(m, CSC, D_ZERO_PADDING, PAD_TOP);
    const int pad = NAIVE_FIELD(m, CSC, D_ZERO_PADDING_VALUE, PAD_VALUE);
    v->pad = v->precision == NVDLA_INT8 ? (int8_t)pad : v->precision == NVDLA_INT16 ? (int16_t)pad : pad;
    v->pra_truncate = NAIVE_FIELD(m, CSC, D_PRA_CFG, PRA_TRUNCATE);
    v->pra_truncate = v->pra_truncate > 2 ? 2 : v->pra_truncate;
    v->clip_truncate = NAIVE_FIELD(m, CACC, D_CLIP_CFG, CLIP_TRUNCATE);
    v->out_width = NAIVE_FIELD(m, CSC, D_DATAOUT_SIZE_0, DATAOUT_WIDTH) + 1;
    v->out_height = NAIVE_FIELD(m, CSC, D_DATAOUT_SIZE_0, DATAOUT_HEIGHT) + 1;
    const int atomics = NAIVE_FIELD(m, CSC, D_ATOMICS, ATOMICS) + 1,
              extension = NAIVE_FIELD(m, CSC, D_POST_Y_EXTENSION, Y_EXTENSION);
    if (v->mode != IMAGE) {
        if (atomics % v->out_width)
            return naive_unsupported(m, "CSC: ATOMICS %d with lines of %d", atomics, v->out_width);
        v->out_height = atomics / v->out_width;
    }
    v->lines_at_once = v->mode == IMAGE ? 1 << extension : 1;
    if (extension == 3 || (v->mode != IMAGE && extension))
        return naive_unsupported(m, "CSC: Y_EXTENSION %d", extension);
    const int part = v->atomic_c / v->lines_at_once;
    if (v->lines_at_once > 1 && (v->channels > part || v->stride_x * v->components > part))
        return naive_unsupported(m, "CSC: post-extension of %d channels, %d a step", v->channels,
                                 v->stride_x * v->components);
    const int depth = m->config->cbuf_bank_depth / (naive_has_16(m) ? 2 : 1);
    const int room = (NAIVE_FIELD(m, CSC, D_BANK, DATA_BANK) + 1) * depth;
    const int entries = NAIVE_FIELD(m, CSC, D_ENTRY_PER_SLICE, ENTRIES) + 1;
    if (v->height_ext * entries * v->batches > room)
        return naive_unsupported(m, "CSC waits for ever: %d lines of %d entries, %d batches, in %d entries",
                                 v->height_ext, entries, v->batches, room);
    if (v->mode == WINOGRAD && (!m->config->winograd || v->channels % 4 || v->out_width % 4 || v->out_height % 4))
        return naive_unsupported(m, "CSC: Winograd of %d channels, output %d x %d", v->channels, v->out_width,
                                 v->out_height);
    return true;
}

/* The lines in CBUF are those that the layer's registers describe. */
static bool lines_fit(struct naive *m, const struct conv *v) {
    for (int y = 0; y < v->height_ext; y++) {
        const struct naive_slice *line = &v->lines[y];
        if (v->mode == IMAGE) {
            const int needed = ((v->out_width - 1) * v->stride_x) * v->components + v->channels;
            if (line->components != v->components || line->width < needed)
                return naive_unsupported(m, "CSC: image lines of %d elements (%d a pixel), the layer needs %d (%d)",
                                         line->width, line->components, needed, v->components);
            continue;
        }
        if (line->components || line->width != v->width_ext || line->lanes < v->channels || line->batches != v->batches)
            return naive_unsupported(m, "CSC: lines of %d x %d, %d batches in CBUF, the layer has %d x %d, %d",
                                     line->width, line->lanes, line->batches, v->width_ext, v->channels, v->batches);
        if (v->mode == WINOGRAD && (v->width_ext < v->out_width + 2 || v->height_ext < v->out_height + 2))
            return naive_unsupported(m, "CSC: Winograd input %d x %d for output %d x %d", v->width_ext, v->height_ext,
                                     v->out_width, v->out_height);
    }
    return true;
}

bool naive_conv(struct naive *m, struct naive_stream *out, bool *ready) {
    struct naive_cbuf *cbuf = &m->cbuf;
    struct conv v = {0};
    *ready = true;
    if (!read_layer(m, &v))
        return false;
    /* Release at the start of a layer (chapter 40 section 6). */
    if (!NAIVE_FIELD(m, CSC, D_MISC_CFG, DATA_REUSE) || (cbuf->csc_mode >= 0 && cbuf->csc_mode != v.mode))
        drop_slices(cbuf, (size_t)cbuf->left);
    cbuf->left = 0;
    if (!NAIVE_FIELD(m, CSC, D_MISC_CFG, WEIGHT_REUSE) && cbuf->weights_kept) {
        drop_bytes(cbuf->weights, &cbuf->weight_bytes, cbuf->kept_bytes);
        drop_bytes(cbuf->masks, &cbuf->mask_bytes, cbuf->kept_masks);
    }
    cbuf->weights_kept = false;
    if ((size_t)v.height_ext > cbuf->slice_count) {
        *ready = false;
        return false;
    }
    v.lines = cbuf->slices;
    if (!lines_fit(m, &v))
        return false;
    struct weight_stream stream = {.m = m,
                                   .cbuf = cbuf,
                                   .compressed = NAIVE_FIELD(m, CSC, D_WEIGHT_FORMAT, WEIGHT_FORMAT),
                                   .bytes = naive_element_bytes(v.precision),
                                   .precision = v.precision};
    if (stream.compressed && !m->config->weight_compression)
        return naive_unsupported(m, "CSC: compressed weights");
    v.weights =
        calloc((size_t)v.kernels * (size_t)v.rows * (size_t)v.columns * (size_t)v.channels * TILE, sizeof(int32_t));
    if (!v.weights)
        abort();
    read_weights(&v, &stream);
    if (stream.short_of) {
        free(v.weights);
        return naive_unsupported(m, "CSC waits for ever: the layer has more weights than CDMA fetched");
    }
    *out = (struct naive_stream){.surfaces = naive_divide_up(v.kernels, v.group_kernels),
                                 .batches = v.batches,
                                 .positions = v.out_width * v.out_height,
                                 .lanes = v.group_kernels};
    out->values = xcalloc((size_t)out->surfaces * (size_t)out->batches * (size_t)out->positions * (size_t)out->lanes,
                          sizeof(int32_t)); /* lanes without a kernel are 0 */
    /* A layer of one atom does not restart the count (chapter 40 section 9.7). */
    v.saturated = &m->counters.cacc_saturation;
    if (out->positions * out->batches > 1 || out->surfaces > 1)
        *v.saturated = 0;
    if (v.mode == WINOGRAD) {
        for (int ty = 0; ty < v.out_height / 2; ty++)
            for (int tx = 0; tx < v.out_width / 2; tx++)
                winograd_results(m, &v, ty, tx, out);
    } else {
        for (int y = 0; y < v.out_height; y++)
            for (int x = 0; x < v.out_width; x++)
                for (int b = 0; b < v.batches; b++)
                    if (v.mode == IMAGE)
                        image_result(m, &v, y, x, out);
                    else
                        feature_result(m, &v, b, y, x, out);
    }
    naive_set_register(m, NVDLA_CACC, CACC_D_OUT_SATURATION, m->counters.cacc_saturation);
    free(v.weights);
    /* Release at its end. */
    const int released = NAIVE_FIELD(m, CSC, D_RELEASE, RLS_SLICES) + 1;
    const bool keep = NAIVE_FIELD(m, CSC, D_MISC_CFG, SKIP_DATA_RLS);
    if (!keep && released > v.height_ext)
        return naive_unsupported(m, "CSC: RLS_SLICES %d of %d lines", released, v.height_ext);
    if (!keep)
        drop_slices(cbuf, (size_t)released);
    cbuf->left = keep ? v.height_ext : v.height_ext - released;
    cbuf->csc_mode = v.mode;
    cbuf->weights_kept = NAIVE_FIELD(m, CSC, D_MISC_CFG, SKIP_WEIGHT_RLS);
    cbuf->kept_bytes = naive_register(m, NVDLA_CSC, CSC_D_WEIGHT_BYTES) / entry_bytes(m) * entry_bytes(m);
    cbuf->kept_masks =
        stream.compressed ? naive_register(m, NVDLA_CSC, CSC_D_WMB_BYTES) / entry_bytes(m) * entry_bytes(m) : 0;
    if (!cbuf->weights_kept) {
        drop_bytes(cbuf->weights, &cbuf->weight_bytes, whole_entries(m, stream.byte));
        drop_bytes(cbuf->masks, &cbuf->mask_bytes, whole_entries(m, (stream.bit + 7) / 8));
    }
    return true;
}
