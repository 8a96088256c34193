/* Elements into and out of SDP's pipe. See sdp_convert.h. */
#include "model/sdp_convert.h"

#include "nvdla/bytes.h"
#include "nvdla/fixed.h"
#include "nvdla/fp.h"
#include "nvdla/wide.h"

/* Elements converted together. */
enum { CHUNK = 256 };

/* ---- input ---- */

WIDE static void load_fp16(const uint8_t *bytes, int32_t *data, size_t count) {
    for (size_t i = 0; i < count; i++)
        data[i] = (int32_t)fp16_to_fp32(load_16(bytes + 2 * i));
}

void sdp_load(enum nvdla_precision in, const uint8_t *bytes, int32_t *data, size_t count) {
    switch (in) {
    case NVDLA_INT8:
        for (size_t i = 0; i < count; i++)
            data[i] = (int8_t)bytes[i];
        break;
    case NVDLA_INT16:
        for (size_t i = 0; i < count; i++)
            data[i] = (int16_t)load_16(bytes + 2 * i);
        break;
    case NVDLA_FP16:
        load_fp16(bytes, data, count);
        break;
    }
}

void sdp_flush_nans(int32_t *data, size_t count) {
    for (size_t i = 0; i < count; i++)
        data[i] = ((uint32_t)data[i] & FP32_MAGNITUDE) > FP32_NAN ? 0 : data[i];
}

/* ---- output ---- */

/* Products outside low .. high-1 raise the flag. */
struct flag_range {
    int64_t low, high;
};

/* Larger shifts leave no product of 49 bits above 17 bits. */
enum { MOST_FLAG_SHIFT = 40 };

static struct flag_range flag_range(const struct sdp_convertor *convertor) {
    unsigned shift = convertor->shift < MOST_FLAG_SHIFT ? convertor->shift : MOST_FLAG_SHIFT;
    int64_t one = INT64_C(1) << shift;
    if (convertor->flags_any_clamp) /* below -65536, or 65535.5 and more: floor or rounded value do not fit */
        return (struct flag_range){-65536 * one, 65536 * one - one / 2};
    return (struct flag_range){-65537 * one, 65537 * one}; /* abs(floor - clamped value) > 1 */
}

/* Offset, scale, shift and clamp to `bits` bits, at most 17, which includes the 17-bit step. Returns the flags. */
static inline uint64_t scale(const struct sdp_convertor *convertor, int bits, const int32_t *data, int32_t *result,
                             size_t count) {
    const struct fixed_rounding rounding = fixed_rounding(convertor->shift);
    const struct flag_range range = flag_range(convertor);
    const int64_t offset = convertor->offset, factor = convertor->scale;
    uint64_t flagged = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t product = (data[i] - offset) * factor;
        flagged += product < range.low || product >= range.high;
        result[i] = (int32_t)fixed_saturate(fixed_round(rounding, product), bits);
    }
    return flagged;
}

WIDE static uint64_t to_int8(const struct sdp_convertor *convertor, const int32_t *data, uint8_t *bytes, size_t count) {
    uint64_t flagged = 0;
    int32_t result[CHUNK];
    for (size_t at = 0; at < count; at += CHUNK) {
        size_t part = count - at < CHUNK ? count - at : CHUNK;
        flagged += scale(convertor, 8, data + at, result, part);
        for (size_t i = 0; i < part; i++)
            bytes[at + i] = (uint8_t)result[i];
    }
    return flagged;
}

WIDE static uint64_t to_int16(const struct sdp_convertor *convertor, const int32_t *data, uint8_t *bytes,
                              size_t count) {
    uint64_t flagged = 0;
    int32_t result[CHUNK];
    for (size_t at = 0; at < count; at += CHUNK) {
        size_t part = count - at < CHUNK ? count - at : CHUNK;
        flagged += scale(convertor, 16, data + at, result, part);
        for (size_t i = 0; i < part; i++)
            store_16(bytes + 2 * (at + i), (uint16_t)result[i]);
    }
    return flagged;
}

/* Results raise the flags, even if exact. */
static inline uint64_t store_all_fp16(const uint16_t *elements, uint8_t *bytes, size_t count) {
    uint32_t flagged = 0;
    for (size_t i = 0; i < count; i++) {
        store_16(bytes + 2 * i, elements[i]);
        flagged += (elements[i] & FP16_MAGNITUDE) == FP16_LARGEST;
    }
    return flagged;
}

WIDE static uint64_t to_fp16(const struct sdp_convertor *convertor, const int32_t *data, uint8_t *bytes, size_t count) {
    uint64_t flagged = 0;
    int32_t result[CHUNK];
    uint16_t elements[CHUNK];
    for (size_t at = 0; at < count; at += CHUNK) {
        size_t part = count - at < CHUNK ? count - at : CHUNK;
        scale(convertor, SDP_INTEGER_BITS, data + at, result, part);
        for (size_t i = 0; i < part; i++)
            elements[i] = fp16_from_integer(result[i]);
        flagged += store_all_fp16(elements, bytes + 2 * at, part);
    }
    return flagged;
}

WIDE static uint64_t from_fp32(enum nvdla_precision out, const int32_t *data, uint8_t *bytes, size_t count) {
    uint64_t flagged = 0;
    uint16_t elements[CHUNK];
    for (size_t at = 0; at < count; at += CHUNK) {
        size_t part = count - at < CHUNK ? count - at : CHUNK;
        for (size_t i = 0; i < part; i++)
            elements[i] = fp32_to_fp16((uint32_t)data[at + i]);
        if (out == NVDLA_FP16)
            flagged += store_all_fp16(elements, bytes + 2 * at, part);
        else
            for (size_t i = 0; i < part; i++)
                store_16(bytes + 2 * (at + i), (uint16_t)fp16_to_int16(elements[i]));
    }
    return flagged;
}

uint64_t sdp_convert(const struct sdp_convertor *convertor, const int32_t *data, uint8_t *bytes, size_t count) {
    if (convertor->proc == NVDLA_FP16)
        return from_fp32(convertor->out, data, bytes, count);
    switch (convertor->out) {
    case NVDLA_INT8:
        return to_int8(convertor, data, bytes, count);
    case NVDLA_INT16:
        return to_int16(convertor, data, bytes, count);
    case NVDLA_FP16:
        break;
    }
    return to_fp16(convertor, data, bytes, count);
}

void sdp_pass_low_bits(enum nvdla_precision out, const int32_t *data, uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (out == NVDLA_INT8)
            bytes[i] = (uint8_t)data[i];
        else
            store_16(bytes + 2 * i, (uint16_t)data[i]);
}
