/* ONNX operators on constants are computed when they are read. A dequantised constant stays integers with their scales
 * as long as its elements are only moved. See onnx.h. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "quantised/onnx_reading.h"

/* The constant that the node makes. */
static bool define(struct onnx_reading *at, const struct onnx_value *as) {
    struct onnx_value *value = onnx_result(at);
    if (!value)
        return false;
    const char *name = value->name;
    *value = *as;
    value->name = name;
    value->tensor = GRAPH_NONE;
    return true;
}

static bool define_plain(struct onnx_reading *at, const Onnx__Tensor *tensor) {
    const struct onnx_value as = {.constant = tensor, .real = tensor->data_type == ONNX_FLOAT};
    return define(at, &as);
}

static void put(Onnx__Tensor *to, size_t i, double value) {
    uint8_t *at = to->raw_data.data + i * onnx_element_bytes(to->data_type);
    const float real = (float)value;
    const int64_t whole = to->data_type == ONNX_FLOAT ? 0 : (int64_t)value;
    memcpy(at, to->data_type == ONNX_FLOAT ? (const void *)&real : (const void *)&whole,
           onnx_element_bytes(to->data_type));
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
static bool fold_quantize(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *scale = onnx_constant(at, 1, false), *zero = onnx_constant(at, 2, true);
    if (!scale || at->failed)
        return false;
    const size_t rank = in->constant->n_dims, scales = onnx_count(scale);
    const int64_t given = onnx_attribute_or(at, "axis", 1), axis = given < 0 ? given + (int64_t)rank : given;
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
    return define_plain(at, out);
}

static bool fold_dequantize(struct onnx_reading *at) {
    struct onnx_value as = *onnx_input(at, 0);
    const int64_t axis = onnx_attribute_or(at, "axis", 1);
    const Onnx__Tensor *scale = onnx_constant(at, 1, false), *zero = onnx_constant(at, 2, true);
    if (!scale || at->failed || as.scale || as.constant->data_type == ONNX_FLOAT || scale->data_type != ONNX_FLOAT ||
        onnx_attribute_or(at, "block_size", 0) != 0)
        return onnx_refuse(at, "found no constant of integers with scales of float32, expected one");
    as.scale = scale;
    as.zero = zero;
    as.axis = (int)(axis < 0 ? axis + (int64_t)as.constant->n_dims : axis);
    as.real = true;
    const size_t scales = onnx_count(scale), rank = as.constant->n_dims;
    if ((zero && onnx_count(zero) != scales) ||
        (scales != 1 && (as.axis < 0 || as.axis >= (int)rank || as.constant->dims[as.axis] != (int64_t)scales)))
        return onnx_refuse(at,
                           "found %zu scales along dimension %d of a constant with %zu, expected one, or one for "
                           "each element along it",
                           scales, as.axis, rank);
    return define(at, &as);
}

static bool fold_identity(struct onnx_reading *at) {
    return define(at, onnx_input(at, 0));
}

static bool fold_cast(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const int type = (int)onnx_attribute_or(at, "to", 0);
    if (!onnx_element_bytes(type))
        return onnx_refuse(at, "found a constant made %s, expected float32, uint8, int8, int32 or int64",
                           onnx_type_name(type));
    Onnx__Tensor *out = onnx_make(at, type, in->constant->dims, in->constant->n_dims);
    for (size_t i = 0; out && i < onnx_count(out); i++)
        put(out, i, type == ONNX_FLOAT ? onnx_real(in, i) : in_range(type, trunc(onnx_real(in, i))));
    return out && define_plain(at, out);
}

static bool fold_clip(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const double low = onnx_number(at, "min", 1, -INFINITY), high = onnx_number(at, "max", 2, INFINITY);
    const int type = in->scale ? ONNX_FLOAT : in->constant->data_type;
    if (isnan(low) || isnan(high))
        return onnx_refuse(at, "found limits that are not one constant each, expected such");
    Onnx__Tensor *out = onnx_make(at, type, in->constant->dims, in->constant->n_dims);
    for (size_t i = 0; out && i < onnx_count(out); i++)
        put(out, i, in_range(type, fmin(fmax(onnx_real(in, i), low), high)));
    return out && define_plain(at, out);
}

/* ---- moves ---- */

/* A constant with these sides, whose element i is element `place` of the node's first input: the start, and a stride
 * for each side. axis: where its scales are then. */
static bool move(struct onnx_reading *at, const int64_t *dims, size_t rank, const int64_t *strides, int64_t start,
                 int axis) {
    struct onnx_value as = *onnx_input(at, 0);
    const size_t bytes = onnx_element_bytes(as.constant->data_type);
    Onnx__Tensor *out = onnx_make(at, as.constant->data_type, dims, rank);
    if (!out)
        return false;
    int64_t counter[ONNX_DIMS_MAX] = {0}, place = start;
    for (size_t i = 0; i < onnx_count(out); i++) {
        memcpy(out->raw_data.data + i * bytes, as.constant->raw_data.data + (size_t)place * bytes, bytes);
        for (size_t d = rank; d-- > 0;) {
            place += strides[d];
            if (++counter[d] < dims[d])
                break;
            place -= strides[d] * dims[d];
            counter[d] = 0;
        }
    }
    as.constant = out;
    as.axis = axis;
    return define(at, &as);
}

static void strides_of(const Onnx__Tensor *tensor, int64_t strides[ONNX_DIMS_MAX]) {
    int64_t stride = 1;
    for (size_t d = tensor->n_dims; d-- > 0;) {
        strides[d] = stride;
        stride *= tensor->dims[d];
    }
}

static bool fold_transpose(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *from = in->constant;
    const Onnx__Attribute *perm = onnx_attribute(at, "perm");
    int64_t strides[ONNX_DIMS_MAX], dims[ONNX_DIMS_MAX], moved[ONNX_DIMS_MAX];
    unsigned seen = 0;
    int axis = in->axis;
    if (from->n_dims > ONNX_DIMS_MAX || (perm && perm->n_ints != from->n_dims))
        return onnx_refuse(at, "found another number of dimensions in perm than the %zu of its input, expected as many",
                           from->n_dims);
    strides_of(from, strides);
    for (size_t i = 0; i < from->n_dims; i++) {
        const int64_t old = perm ? perm->ints[i] : (int64_t)(from->n_dims - 1 - i);
        if (old < 0 || old >= (int64_t)from->n_dims || seen & 1U << old)
            return onnx_refuse(at, "found %" PRId64 " in perm, expected each of 0 to %zu once", old, from->n_dims - 1);
        seen |= 1U << old;
        dims[i] = from->dims[old];
        moved[i] = strides[old];
        axis = in->axis == old ? (int)i : axis;
    }
    return move(at, dims, from->n_dims, moved, 0, axis);
}

/* The same elements in order with other sides; several scales stay along the side with as many elements before it. */
static bool reshape(struct onnx_reading *at, const int64_t *dims, size_t rank) {
    struct onnx_value as = *onnx_input(at, 0);
    Onnx__Tensor *out = onnx_make(at, as.constant->data_type, dims, rank);
    if (!out)
        return false;
    if (onnx_count(out) != onnx_count(as.constant))
        return onnx_refuse(at, "found %zu elements made %zu, expected as many", onnx_count(as.constant),
                           onnx_count(out));
    memcpy(out->raw_data.data, as.constant->raw_data.data, out->raw_data.len);
    if (as.scale && onnx_count(as.scale) > 1) {
        int64_t before = 1, now = 1;
        size_t side = 0;
        for (int i = 0; i < as.axis; i++)
            before *= as.constant->dims[i];
        while (side < rank && (now < before || dims[side] == 1))
            now *= dims[side++];
        if (side == rank || now != before || dims[side] != as.constant->dims[as.axis])
            return onnx_refuse(at, "found a constant with %zu scales in other sides, expected their side to stay",
                               onnx_count(as.scale));
        as.axis = (int)side;
    }
    as.constant = out;
    return define(at, &as);
}

static bool fold_reshape(struct onnx_reading *at) {
    const Onnx__Tensor *from = onnx_input(at, 0)->constant;
    int64_t dims[ONNX_DIMS_MAX], known = 1;
    const size_t rank = onnx_list(at, "shape", 1, dims), count = onnx_count(from);
    for (size_t i = 0; i < rank; i++) {
        if (i < from->n_dims && dims[i] == 0 && !onnx_attribute_or(at, "allowzero", 0))
            dims[i] = from->dims[i];
        known *= dims[i] > 0 && known <= TENSOR_ELEMENTS_MAX ? dims[i] : 1;
    }
    for (size_t i = 0; i < rank; i++)
        dims[i] = dims[i] == -1 ? (int64_t)count / known : dims[i];
    return !at->failed && reshape(at, dims, rank);
}

static bool fold_flatten(struct onnx_reading *at) {
    const Onnx__Tensor *from = onnx_input(at, 0)->constant;
    const int64_t given = onnx_attribute_or(at, "axis", 1), axis = given < 0 ? given + (int64_t)from->n_dims : given;
    int64_t dims[2] = {1, 1};
    for (size_t i = 0; i < from->n_dims; i++)
        dims[(int64_t)i >= axis] *= from->dims[i];
    return reshape(at, dims, 2);
}

/* Sides of 1 at the places of a list: taken away, all of them if there is no list, or put in. */
static bool fold_sides(struct onnx_reading *at) {
    const Onnx__Tensor *from = onnx_input(at, 0)->constant;
    const bool more = at->node->op_type[0] == 'U';
    int64_t axes[ONNX_DIMS_MAX], dims[ONNX_DIMS_MAX];
    const size_t count = onnx_list(at, "axes", 1, axes), all = from->n_dims + (more ? count : 0);
    unsigned listed = 0;
    size_t rank = 0, next = 0;
    if (all > ONNX_DIMS_MAX || at->failed)
        return onnx_refuse(at, "found %zu dimensions, expected at most %d", all, ONNX_DIMS_MAX);
    for (size_t i = 0; i < count; i++)
        listed |= 1U << ((axes[i] < 0 ? axes[i] + (int64_t)all : axes[i]) & 31);
    for (size_t i = 0; i < all; i++) {
        const bool here = listed & 1U << i;
        if (more)
            dims[rank++] = here || next >= from->n_dims ? 1 : from->dims[next++];
        else if (!(here || (!count && from->dims[i] == 1)))
            dims[rank++] = from->dims[i];
    }
    return reshape(at, dims, rank);
}

static bool fold_slice(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *from = in->constant;
    int64_t starts[ONNX_DIMS_MAX], ends[ONNX_DIMS_MAX], axes[ONNX_DIMS_MAX], steps[ONNX_DIMS_MAX];
    int64_t dims[ONNX_DIMS_MAX], strides[ONNX_DIMS_MAX], start = 0;
    const size_t count = onnx_list(at, "starts", 1, starts), rank = from->n_dims;
    const size_t listed = onnx_list(at, "axes", 3, axes), stepped = onnx_list(at, "steps", 4, steps);
    if (rank > ONNX_DIMS_MAX || onnx_list(at, "ends", 2, ends) != count || (listed && listed != count) ||
        (stepped && stepped != count) || at->failed || (in->scale && onnx_count(in->scale) > 1))
        return onnx_refuse(at, "found starts, ends, axes and steps of different lengths, or a constant with several "
                               "scales, expected as many of each, and one");
    unsigned seen = 0;
    strides_of(from, strides);
    memcpy(dims, from->dims, rank * sizeof *dims);
    for (size_t i = 0; i < count; i++) {
        const int64_t axis = listed ? axes[i] + (axes[i] < 0 ? (int64_t)rank : 0) : (int64_t)i;
        const int64_t n = axis >= 0 && axis < (int64_t)rank ? from->dims[axis] : -1, step = stepped ? steps[i] : 1;
        if (n < 0 || seen & 1U << axis || step == 0 || step < -n - 1 || step > n + 1)
            return onnx_refuse(at, "found axis %" PRId64 " with step %" PRId64 ", expected one of %zu", axis, step,
                               rank);
        seen |= 1U << axis;
        const int64_t least = step < 0 ? -1 : 0, most = step < 0 ? n - 1 : n;
        int64_t first = starts[i] < 0 ? starts[i] + n : starts[i], end = ends[i] < 0 ? ends[i] + n : ends[i];
        first = first < 0 ? 0 : first > most ? most : first;
        end = end < least ? least : end > n ? n : end;
        const int64_t length = step > 0 ? end - first + step - 1 : first - end - step - 1;
        dims[axis] = length < 0 ? 0 : length / imaxabs(step);
        start += first * strides[axis];
        strides[axis] *= step;
    }
    return move(at, dims, rank, strides, start, in->axis);
}

static bool fold_concat(struct onnx_reading *at) {
    const struct onnx_value *first = onnx_input(at, 0);
    const size_t rank = first->constant->n_dims;
    const int64_t given = onnx_attribute_or(at, "axis", 1), axis = given < 0 ? given + (int64_t)rank : given;
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
    Onnx__Tensor *out = onnx_make(at, type, dims, rank);
    if (!out)
        return false;
    for (int64_t d = 0; d < axis; d++)
        outer *= dims[d];
    size_t place = 0;
    for (size_t o = 0; o < (size_t)outer; o++)
        for (size_t i = 0; i < at->operand_count; i++) {
            const size_t n = onnx_count(at->operands[i].constant) / (size_t)outer;
            for (size_t k = 0; k < n; k++)
                put(out, place++, onnx_real(&at->operands[i], o * n + k));
        }
    return define_plain(at, out);
}

bool onnx_fold(struct onnx_reading *at, bool *done) {
    static const struct {
        const char *name;
        bool (*fold)(struct onnx_reading *at);
    } operators[] = {
        {"Cast", fold_cast},
        {"Clip", fold_clip},
        {"Concat", fold_concat},
        {"DequantizeLinear", fold_dequantize},
        {"Flatten", fold_flatten},
        {"Identity", fold_identity},
        {"QuantizeLinear", fold_quantize},
        {"Reshape", fold_reshape},
        {"Slice", fold_slice},
        {"Squeeze", fold_sides},
        {"Transpose", fold_transpose},
        {"Unsqueeze", fold_sides},
    };
    *done = false;
    if (!onnx_input(at, 0))
        return true;
    for (size_t i = 0; i < at->operand_count; i++)
        if (onnx_input(at, i) && !onnx_input(at, i)->constant)
            return true;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (strcmp(at->node->op_type, operators[i].name) == 0) {
            *done = true;
            return operators[i].fold(at) && !at->failed;
        }
    return true;
}
