/* Pooling arithmetic on whole lines. See pdp_pool.h. */
#include "model/pdp_pool.h"

#include "nvdla/fixed.h"
#include "nvdla/fp.h"
#include "nvdla/wide.h"

/* Widths of the averages: row sum, window sum, first product, results of the first and second multiplication. A total
 * of 14 bits never reaches the width of the product. */
enum { INT8_ROW = 11, INT8_TOTAL = 14, INT8_PRODUCT = 31, INT8_FIRST = 11, INT8_RESULT = 8 };
enum { INT16_ROW = 22, INT16_TOTAL = 22, INT16_FIRST = 19, INT16_RESULT = 16 };
enum { PAD_PRODUCT = 22 };
enum { FP17_MASK = 0x1ffff };

/* fixed_sign_extend() in 32 bits, which allows wider vectors. */
INLINED int32_t wrap(int32_t value, int bits) {
    uint32_t sign = UINT32_C(1) << (bits - 1);
    uint32_t low = (uint32_t)value & (sign | (sign - 1));
    return (int32_t)((low ^ sign) - sign);
}

int64_t pdp_round(int64_t product, int bits) {
    int64_t quotient = product >> 16;
    int64_t fraction = product & 0xffff;
    if (product < 0)
        return fixed_sign_extend(quotient + (fraction > 0x8000), bits);
    return fixed_sign_extend((quotient & ((INT64_C(1) << (bits - 1)) - 1)) + (fraction >> 15), bits);
}

/* pdp_round() for the 32-bit products of INT8, in a form that vectorises. */
INLINED int32_t round_narrow(int32_t product, int bits) {
    int32_t quotient = product >> 16;
    int32_t fraction = product & 0xffff;
    int32_t up = product < 0 ? fraction > 0x8000 : fraction >> 15;
    int32_t kept = product < 0 ? quotient : quotient & ((1 << (bits - 1)) - 1);
    return wrap(kept + up, bits);
}

/* T(n): windows with more pads than the table has entries exist only in illegal programs and use the last entry. */
INLINED int32_t pad_value(const struct pdp_kernel *kernel, int pads) {
    return kernel->pad[pads < PDP_PADS ? pads : PDP_PADS - 1];
}

/* Kernel width as FP17. Spec: 60-pdp section 5.4, "KW". */
INLINED uint32_t width_fp17(const struct pdp_kernel *kernel) {
    static const uint32_t table[] = {0x07c00, 0x08000, 0x08200, 0x08400, 0x08500, 0x08600, 0x08700, 0x08800};
    int last = sizeof table / sizeof table[0];
    return table[(kernel->width < last ? kernel->width : last) - 1];
}

size_t pdp_row_element(enum nvdla_precision precision) {
    return precision == NVDLA_INT8 ? sizeof(int16_t) : sizeof(int32_t);
}

int pdp_row_bits(enum nvdla_precision precision) {
    return precision == NVDLA_INT8 ? INT8_ROW : precision == NVDLA_INT16 ? INT16_ROW : 0;
}

/* ---- along W ---- */

/* Result of a window without valid elements, which only illegal programs have. */
INLINED int32_t empty_value(enum nvdla_precision precision, enum pdp_method method) {
    static const int32_t lowest[] = {[NVDLA_INT8] = INT8_MIN, [NVDLA_INT16] = INT16_MIN, [NVDLA_FP16] = 0xfc00};
    static const int32_t highest[] = {[NVDLA_INT8] = INT8_MAX, [NVDLA_INT16] = INT16_MAX, [NVDLA_FP16] = 0x7c00};
    return method == PDP_AVERAGE ? 0 : method == PDP_MIN ? highest[precision] : lowest[precision];
}

/* One atom of a pooled row without a valid column. */
INLINED void empty_atom(enum pdp_method method, enum nvdla_precision precision, void *row, size_t lanes) {
    int32_t value = empty_value(precision, method);
    for (size_t i = 0; i < lanes; i++)
        if (precision == NVDLA_INT8)
            ((int16_t *)row)[i] = (int16_t)value;
        else
            ((int32_t *)row)[i] = value;
}

/* One atom of a pooled row: the first valid column. */
INLINED void start_atom(enum pdp_method method, enum nvdla_precision precision, void *row, const void *in,
                        size_t lanes) {
    if (precision == NVDLA_INT8) {
        const int8_t *from = in;
        int16_t *to = row;
        for (size_t i = 0; i < lanes; i++)
            to[i] = from[i];
    } else if (precision == NVDLA_INT16) {
        const int16_t *from = in;
        int32_t *to = row;
        for (size_t i = 0; i < lanes; i++)
            to[i] = from[i];
    } else {
        const uint16_t *from = in;
        uint32_t *to = row;
        for (size_t i = 0; i < lanes; i++)
            to[i] = method == PDP_AVERAGE ? fp16_to_fp17(from[i]) : from[i];
    }
}

/* Accumulates one more run of integers into sums, minima or maxima. */
#define FOLD_INTEGERS(name, to_type, from_type)                                                                        \
    INLINED void name(enum pdp_method method, to_type *to, const from_type *from, size_t count) {                      \
        if (method == PDP_AVERAGE)                                                                                     \
            for (size_t i = 0; i < count; i++)                                                                         \
                to[i] = (to_type)(to[i] + from[i]);                                                                    \
        else if (method == PDP_MIN)                                                                                    \
            for (size_t i = 0; i < count; i++)                                                                         \
                to[i] = from[i] < to[i] ? from[i] : to[i];                                                             \
        else                                                                                                           \
            for (size_t i = 0; i < count; i++)                                                                         \
                to[i] = from[i] > to[i] ? from[i] : to[i];                                                             \
    }
FOLD_INTEGERS(fold_int8, int16_t, int8_t)
FOLD_INTEGERS(fold_int16, int32_t, int16_t)
FOLD_INTEGERS(fold_int32, int32_t, int32_t)

/* The accumulator is the first operand, so its NaN wins. */
INLINED void fold_fp16(enum pdp_method method, uint32_t *row, const uint16_t *in, size_t lanes) {
    if (method == PDP_AVERAGE)
        for (size_t i = 0; i < lanes; i++)
            row[i] = fp17_add(row[i], fp16_to_fp17(in[i]));
    else if (method == PDP_MIN)
        for (size_t i = 0; i < lanes; i++)
            row[i] = fp16_extreme(row[i], in[i], true);
    else
        for (size_t i = 0; i < lanes; i++)
            row[i] = fp16_extreme(row[i], in[i], false);
}

/* Accumulates one more valid column into an atom of a pooled row. */
INLINED void fold_atom(enum pdp_method method, enum nvdla_precision precision, void *row, const void *in,
                       size_t lanes) {
    if (precision == NVDLA_INT8)
        fold_int8(method, row, in, lanes);
    else if (precision == NVDLA_INT16)
        fold_int16(method, row, in, lanes);
    else
        fold_fp16(method, row, in, lanes);
}

/* Adds the pads of a window to an atom of averages. */
INLINED void pad_atom(const struct pdp_kernel *kernel, enum nvdla_precision precision, int pads, void *row,
                      size_t lanes) {
    int32_t pad = pad_value(kernel, pads);
    if (precision == NVDLA_INT8) {
        int16_t *to = row;
        for (size_t i = 0; i < lanes; i++)
            to[i] = (int16_t)wrap(to[i] + pad, INT8_ROW);
    } else if (precision == NVDLA_INT16) {
        int32_t *to = row;
        for (size_t i = 0; i < lanes; i++)
            to[i] = wrap(to[i] + pad, INT16_ROW);
    } else {
        uint32_t *to = row;
        for (size_t i = 0; i < lanes; i++)
            to[i] = fp17_add(to[i], (uint32_t)pad & FP17_MASK);
    }
}

/* pdp_pool_width(), inlined with precision and lanes as constants. */
INLINED void pool_width(const struct pdp_kernel *kernel, const uint8_t *in, int width, int pad_left, uint8_t *row,
                        int out_width, enum nvdla_precision precision, size_t lanes) {
    size_t in_atom = lanes * (size_t)nvdla_element_bytes(precision);
    size_t row_atom = lanes * pdp_row_element(precision);
    for (int ox = 0; ox < out_width; ox++) {
        int first = ox * kernel->stride_width - pad_left;
        int end = first + kernel->width < width ? first + kernel->width : width;
        int begin = first > 0 ? first : 0;
        uint8_t *out = row + (size_t)ox * row_atom;
        if (begin < end)
            start_atom(kernel->method, precision, out, in + (size_t)begin * in_atom, lanes);
        else
            empty_atom(kernel->method, precision, out, lanes);
        for (int x = begin + 1; x < end; x++)
            fold_atom(kernel->method, precision, out, in + (size_t)x * in_atom, lanes);
        if (kernel->method == PDP_AVERAGE)
            pad_atom(kernel, precision, kernel->width - (end > begin ? end - begin : 0), out, lanes);
    }
}

WIDE static void pool_width_of_lanes(const struct pdp_kernel *kernel, const void *in, int width, int pad_left,
                                     void *row, int out_width, size_t lanes) {
    if (kernel->precision == NVDLA_INT8 && lanes == 8)
        pool_width(kernel, in, width, pad_left, row, out_width, NVDLA_INT8, 8);
    else if (kernel->precision == NVDLA_INT8 && lanes == 16)
        pool_width(kernel, in, width, pad_left, row, out_width, NVDLA_INT8, 16);
    else if (kernel->precision == NVDLA_INT8)
        pool_width(kernel, in, width, pad_left, row, out_width, NVDLA_INT8, 32);
    else if (kernel->precision == NVDLA_INT16 && lanes == 8)
        pool_width(kernel, in, width, pad_left, row, out_width, NVDLA_INT16, 8);
    else if (kernel->precision == NVDLA_INT16)
        pool_width(kernel, in, width, pad_left, row, out_width, NVDLA_INT16, 16);
    else if (lanes == 8)
        pool_width(kernel, in, width, pad_left, row, out_width, NVDLA_FP16, 8);
    else
        pool_width(kernel, in, width, pad_left, row, out_width, NVDLA_FP16, 16);
}

void pdp_pool_width(const struct pdp_kernel *kernel, const void *in, int width, int pad_left, void *row, int out_width,
                    size_t lanes) {
    pool_width_of_lanes(kernel, in, width, pad_left, row, out_width, lanes);
}

/* ---- along H ---- */

/* The newer row is the first operand: its NaN wins. */
INLINED void fold_row_fp16(enum pdp_method method, uint32_t *total, const uint32_t *row, size_t elements) {
    if (method == PDP_AVERAGE)
        for (size_t i = 0; i < elements; i++)
            total[i] = fp17_add(row[i], total[i]);
    else if (method == PDP_MIN)
        for (size_t i = 0; i < elements; i++)
            total[i] = fp16_extreme(row[i], total[i], true);
    else
        for (size_t i = 0; i < elements; i++)
            total[i] = fp16_extreme(row[i], total[i], false);
}

/* total: sums of the rows; pad: the vertical pad term. A product of 15 and 17 bits fits 32 bits. */
INLINED void mean_int8(const struct pdp_kernel *kernel, int32_t pad, const int32_t *total, size_t elements,
                       int8_t *out) {
    int32_t width = (int32_t)kernel->reciprocal_width, height = (int32_t)kernel->reciprocal_height;
    int32_t pad_before = kernel->wide_total ? 0 : pad, pad_behind = kernel->wide_total ? wrap(pad, INT8_TOTAL) : 0;
    for (size_t i = 0; i < elements; i++) {
        int32_t sum = wrap(total[i] + pad_before, INT8_TOTAL) + pad_behind;
        int32_t mean = round_narrow(wrap(sum * width, INT8_PRODUCT), INT8_FIRST);
        out[i] = (int8_t)round_narrow(mean * height, INT8_RESULT);
    }
}

INLINED void mean_int16(const struct pdp_kernel *kernel, int32_t pad, const int32_t *total, size_t elements,
                        int16_t *out) {
    int64_t width = kernel->reciprocal_width, height = kernel->reciprocal_height;
    for (size_t i = 0; i < elements; i++) {
        int64_t mean = pdp_round(wrap(total[i] + pad, INT16_TOTAL) * width, INT16_FIRST);
        out[i] = (int16_t)pdp_round(mean * height, INT16_RESULT);
    }
}

/* One operation per loop: compilers do not vectorise loops with several. */
INLINED void mean_fp16(const struct pdp_kernel *kernel, int pads, uint32_t *total, size_t elements, uint16_t *out) {
    uint32_t pad = fp17_mul((uint32_t)pad_value(kernel, pads) & FP17_MASK, width_fp17(kernel));
    uint32_t width = kernel->reciprocal_width, height = kernel->reciprocal_height;
    for (size_t i = 0; i < elements; i++)
        total[i] = fp17_add(total[i], pad);
    for (size_t i = 0; i < elements; i++)
        total[i] = fp17_mul(total[i], width);
    for (size_t i = 0; i < elements; i++)
        total[i] = fp17_mul(total[i], height);
    for (size_t i = 0; i < elements; i++)
        out[i] = fp17_to_fp16(total[i]);
}

/* The vertical pad term of averages, INT8 and INT16. */
INLINED int32_t pad_of_rows(const struct pdp_kernel *kernel, int row_count) {
    return wrap(pad_value(kernel, kernel->height - row_count) * kernel->width, PAD_PRODUCT);
}

/* INT8 or INT16, inlined with the precision as a constant. */
INLINED void pool_height_integer(const struct pdp_kernel *kernel, const void *const *rows, int row_count,
                                 size_t elements, int32_t *total, void *out, enum nvdla_precision precision) {
    bool narrow = precision == NVDLA_INT8;
    int32_t start = empty_value(precision, kernel->method);
    for (size_t i = 0; i < elements; i++)
        total[i] = start;
    for (int r = 0; r < row_count; r++)
        if (narrow)
            fold_int16(kernel->method, total, rows[r], elements);
        else
            fold_int32(kernel->method, total, rows[r], elements);
    if (kernel->method == PDP_AVERAGE && narrow) {
        mean_int8(kernel, pad_of_rows(kernel, row_count), total, elements, out);
    } else if (kernel->method == PDP_AVERAGE) {
        mean_int16(kernel, pad_of_rows(kernel, row_count), total, elements, out);
    } else if (narrow) {
        int8_t *to = out;
        for (size_t i = 0; i < elements; i++)
            to[i] = (int8_t)total[i];
    } else {
        int16_t *to = out;
        for (size_t i = 0; i < elements; i++)
            to[i] = (int16_t)total[i];
    }
}

INLINED void pool_height_fp16(const struct pdp_kernel *kernel, const void *const *rows, int row_count, size_t elements,
                              uint32_t *total, uint16_t *out) {
    uint32_t empty = (uint32_t)empty_value(NVDLA_FP16, kernel->method);
    for (size_t i = 0; i < elements; i++)
        total[i] = row_count > 0 ? ((const uint32_t *)rows[0])[i] : empty;
    for (int r = 1; r < row_count; r++)
        fold_row_fp16(kernel->method, total, rows[r], elements);
    if (kernel->method == PDP_AVERAGE) {
        mean_fp16(kernel, kernel->height - row_count, total, elements, out);
        return;
    }
    for (size_t i = 0; i < elements; i++)
        out[i] = (uint16_t)total[i];
}

WIDE static void pool_height(const struct pdp_kernel *kernel, const void *const *rows, int row_count, size_t elements,
                             void *total, void *out) {
    switch (kernel->precision) {
    case NVDLA_INT8:
        pool_height_integer(kernel, rows, row_count, elements, total, out, NVDLA_INT8);
        break;
    case NVDLA_INT16:
        pool_height_integer(kernel, rows, row_count, elements, total, out, NVDLA_INT16);
        break;
    case NVDLA_FP16:
        pool_height_fp16(kernel, rows, row_count, elements, total, out);
        break;
    }
}

void pdp_pool_height(const struct pdp_kernel *kernel, const void *const *rows, int row_count, size_t elements,
                     void *total, void *out) {
    pool_height(kernel, rows, row_count, elements, total, out);
}
