/* ONNX operators on constants are computed when they are read. A dequantised constant stays integers with their scales
 * as long as its elements are only moved. See onnx_reading.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "quantised/onnx_reading.h"

bool onnx_define_as(struct onnx_reading *at, const struct onnx_value *as) {
    struct onnx_value *value = onnx_result(at);
    if (!value)
        return false;
    const char *name = value->name;
    *value = *as;
    value->name = name;
    value->tensor = GRAPH_NONE;
    return true;
}

bool onnx_define_plain(struct onnx_reading *at, const Onnx__Tensor *tensor) {
    const struct onnx_value as = {.constant = tensor, .real = tensor->data_type == ONNX_FLOAT};
    return onnx_define_as(at, &as);
}

static void put(Onnx__Tensor *to, size_t i, double value) {
    uint8_t *at = to->raw_data.data + i * onnx_element_bytes(to->data_type);
    const float real = (float)value;
    const int64_t whole = to->data_type == ONNX_FLOAT ? 0 : (int64_t)value;
    memcpy(at, to->data_type == ONNX_FLOAT ? (const void *)&real : (const void *)&whole,
           onnx_element_bytes(to->data_type));
}

static int64_t zero_of(const struct onnx_value *value, size_t slice) {
    return value->zero ? onnx_integer(value->zero, slice) : 0;
}

/* A number in the range of a type; not a number becomes the least one. */
static double in_range(int type, double value) {
    const double limits[][2] = {[ONNX_UINT8] = {0, UINT8_MAX},
                                [ONNX_INT8] = {INT8_MIN, INT8_MAX},
                                [ONNX_INT32] = {INT32_MIN, INT32_MAX},
                                [ONNX_INT64] = {-0x1p62, 0x1p62}};
    return type == ONNX_FLOAT ? value : fmin(fmax(value, limits[type][0]), limits[type][1]);
}

/* A constant of as many elements; moved ones keep their scales. */
bool onnx_fold_quantize(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *scale = onnx_constant(at, 1, false), *zero = onnx_constant(at, 2, true);
    if (!scale || at->failed)
        return false;
    const size_t rank = in->constant->n_dims, scales = onnx_count(scale);
    const int64_t axis = onnx_axis(at, 1, rank);
    const int type = zero ? zero->data_type : (int)onnx_attribute_or(at, "output_dtype", ONNX_UINT8);
    if (scale->data_type != ONNX_FLOAT || (type != ONNX_INT8 && type != ONNX_UINT8 && type != ONNX_INT32) ||
        (zero && onnx_count(zero) != scales) || onnx_attribute_or(at, "block_size", 0) != 0 ||
        (scales != 1 && (axis < 0 || axis >= (int64_t)rank || in->constant->dims[axis] != (int64_t)scales)))
        return onnx_refuse(at,
                           "found %zu scales of %s along dimension %" PRId64 " of a constant with %zu, expected "
                           "one, or one for each element along it",
                           scales, onnx_type_name(type), axis, rank);
    Onnx__Tensor *out = onnx_make(at, type, in->constant->dims, rank);
    if (!out)
        return false;
    size_t inner = 1;
    for (size_t i = (size_t)axis + 1; scales > 1 && i < rank; i++)
        inner *= (size_t)in->constant->dims[i];
    for (size_t i = 0; i < onnx_count(out); i++) {
        const size_t k = scales == 1 ? 0 : i / inner % scales;
        const float steps = nearbyintf((float)onnx_real(in, i) / onnx_float(scale, k));
        put(out, i, in_range(type, (double)steps + (double)(zero ? onnx_integer(zero, k) : 0)));
    }
    return onnx_define_plain(at, out);
}

bool onnx_fold_dequantize(struct onnx_reading *at) {
    struct onnx_value as = *onnx_input(at, 0);
    const Onnx__Tensor *scale = onnx_constant(at, 1, false), *zero = onnx_constant(at, 2, true);
    if (!scale || at->failed || as.scale || as.constant->data_type == ONNX_FLOAT || scale->data_type != ONNX_FLOAT ||
        onnx_attribute_or(at, "block_size", 0) != 0)
        return onnx_refuse(at, "found no constant of integers with scales of float32, expected one");
    as.scale = scale;
    as.zero = zero;
    as.axis = (int)onnx_axis(at, 1, as.constant->n_dims);
    as.real = true;
    const size_t scales = onnx_count(scale), rank = as.constant->n_dims;
    if ((zero && onnx_count(zero) != scales) ||
        (scales != 1 && (as.axis < 0 || as.axis >= (int)rank || as.constant->dims[as.axis] != (int64_t)scales)))
        return onnx_refuse(at,
                           "found %zu scales along dimension %d of a constant with %zu, expected one, or one for "
                           "each element along it",
                           scales, as.axis, rank);
    return onnx_define_as(at, &as);
}

bool onnx_fold_identity(struct onnx_reading *at) {
    return onnx_define_as(at, onnx_input(at, 0));
}

bool onnx_fold_cast(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const int type = (int)onnx_attribute_or(at, "to", 0);
    if (!onnx_element_bytes(type))
        return onnx_refuse(at, "found a constant made %s, expected float32, uint8, int8, int32 or int64",
                           onnx_type_name(type));
    Onnx__Tensor *out = onnx_make(at, type, in->constant->dims, in->constant->n_dims);
    for (size_t i = 0; out && i < onnx_count(out); i++)
        put(out, i, type == ONNX_FLOAT ? onnx_real(in, i) : in_range(type, trunc(onnx_real(in, i))));
    return out && onnx_define_plain(at, out);
}

bool onnx_fold_clip(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const int type = in->scale ? ONNX_FLOAT : in->constant->data_type;
    double low, high;
    if (!onnx_limits(at, &low, &high))
        return false;
    Onnx__Tensor *out = onnx_make(at, type, in->constant->dims, in->constant->n_dims);
    for (size_t i = 0; out && i < onnx_count(out); i++)
        put(out, i, in_range(type, fmin(fmax(onnx_real(in, i), low), high)));
    return out && onnx_define_plain(at, out);
}

/* The scales of dequantised constants side by side: the one that all have, or one for each element along the axis.
 * False: they have others, and become real numbers. */
static bool join_scales(struct onnx_reading *at, int64_t axis, int64_t side, struct onnx_value *as) {
    bool one = true;
    *as = *onnx_input(at, 0);
    for (size_t i = 0; i < at->operand_count; i++) {
        const struct onnx_value *in = &at->operands[i];
        if (!in->scale || in->constant->data_type != as->constant->data_type ||
            (onnx_count(in->scale) > 1 && in->axis != axis))
            return false;
        one = one && onnx_count(in->scale) == 1 && onnx_float(in->scale, 0) == onnx_float(as->scale, 0) &&
              zero_of(in, 0) == zero_of(as, 0);
    }
    Onnx__Tensor *scales = one ? NULL : onnx_make(at, ONNX_FLOAT, &side, 1);
    Onnx__Tensor *zeros = scales ? onnx_make(at, as->constant->data_type, &side, 1) : NULL;
    size_t place = 0;
    for (size_t i = 0; zeros && i < at->operand_count; i++)
        for (int64_t k = 0; k < at->operands[i].constant->dims[axis]; k++, place++) {
            const struct onnx_value *in = &at->operands[i];
            const size_t slice = onnx_count(in->scale) == 1 ? 0 : (size_t)k;
            put(scales, place, (double)onnx_float(in->scale, slice));
            put(zeros, place, (double)zero_of(in, slice));
        }
    if (zeros)
        *as = (struct onnx_value){.scale = scales, .zero = zeros, .axis = (int)axis, .real = true};
    return one || zeros;
}

bool onnx_fold_concat(struct onnx_reading *at) {
    const struct onnx_value *first = onnx_input(at, 0);
    const size_t rank = first->constant->n_dims;
    const int64_t axis = onnx_axis(at, 1, rank);
    const int type = first->scale ? ONNX_FLOAT : first->constant->data_type;
    int64_t dims[ONNX_DIMS_MAX], outer = 1;
    if (rank > ONNX_DIMS_MAX || axis < 0 || axis >= (int64_t)rank)
        return onnx_refuse(at, "found axis %" PRId64 " of %zu, expected one of them", axis, rank);
    memcpy(dims, first->constant->dims, rank * sizeof *dims);
    for (size_t i = 1; i < at->operand_count; i++) {
        const struct onnx_value *in = onnx_input(at, i);
        bool same = in && in->constant->n_dims == rank && (in->scale ? ONNX_FLOAT : in->constant->data_type) == type;
        for (size_t d = 0; same && d < rank; d++)
            same = (int64_t)d == axis || in->constant->dims[d] == dims[d];
        if (!same)
            return onnx_refuse(at, "found constants of other sides or types, expected the same except along its axis");
        dims[axis] += in->constant->dims[axis];
    }
    struct onnx_value as = {.scale = NULL};
    const bool integers = first->scale && join_scales(at, axis, dims[axis], &as);
    Onnx__Tensor *out = onnx_make(at, integers ? first->constant->data_type : type, dims, rank);
    if (!out)
        return false;
    for (int64_t d = 0; d < axis; d++)
        outer *= dims[d];
    size_t place = 0;
    for (size_t o = 0; o < (size_t)outer; o++)
        for (size_t i = 0; i < at->operand_count; i++) {
            const size_t n = onnx_count(at->operands[i].constant) / (size_t)outer;
            for (size_t k = 0; k < n; k++)
                put(out, place++,
                    integers ? (double)onnx_integer(at->operands[i].constant, o * n + k)
                             : onnx_real(&at->operands[i], o * n + k));
        }
    as.constant = out;
    return integers ? onnx_define_as(at, &as) : onnx_define_plain(at, out);
}
