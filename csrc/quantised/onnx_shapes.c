/* ONNX operators that move elements, of constants and of what is computed. See onnx_reading.h. */
#include <inttypes.h>
#include <string.h>

#include "quantised/onnx_reading.h"

/* ---- moves of constants ---- */

/* The node's first input, a constant, with elements in another order. axis: where its scales are then. */
static bool move(struct onnx_reading *at, const struct strided *order, int axis) {
    struct onnx_value as = *onnx_input(at, 0);
    const int type = as.constant->data_type;
    Onnx__Tensor *out = onnx_make(at, type, order->sides, order->rank);
    if (!out)
        return false;
    strided_copy(order, as.constant->raw_data.data, onnx_element_bytes(type), out->raw_data.data);
    as.constant = out;
    as.axis = axis;
    return onnx_define_as(at, &as);
}

/* The order of a constant's own elements. */
static struct strided order_of(const Onnx__Tensor *tensor) {
    struct strided order = {.rank = tensor->n_dims};
    int64_t stride = 1;
    for (size_t d = tensor->n_dims; d-- > 0; stride *= tensor->dims[d]) {
        order.sides[d] = tensor->dims[d];
        order.strides[d] = stride;
    }
    return order;
}

bool onnx_fold_slice(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *from = in->constant;
    int64_t starts[ONNX_DIMS_MAX], ends[ONNX_DIMS_MAX], axes[ONNX_DIMS_MAX], steps[ONNX_DIMS_MAX];
    const size_t count = onnx_list(at, "starts", 1, starts), rank = from->n_dims;
    const size_t listed = onnx_list(at, "axes", 3, axes), stepped = onnx_list(at, "steps", 4, steps);
    if (rank > ONNX_DIMS_MAX || onnx_list(at, "ends", 2, ends) != count || (listed && listed != count) ||
        (stepped && stepped != count) || at->failed || (in->scale && onnx_count(in->scale) > 1))
        return onnx_refuse(at, "found starts, ends, axes and steps of different lengths, or a constant with several "
                               "scales, expected as many of each, and one");
    unsigned seen = 0;
    struct strided order = order_of(from);
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
        order.sides[axis] = length < 0 ? 0 : length / imaxabs(step);
        order.start += first * order.strides[axis];
        order.strides[axis] *= step;
    }
    return move(at, &order, in->axis);
}

/* ---- transpose ---- */

/* Which dimension of the input comes to each place. */
static bool read_order(struct onnx_reading *at, size_t rank, int64_t order[ONNX_DIMS_MAX]) {
    const Onnx__Attribute *perm = onnx_attribute(at, "perm");
    unsigned seen = 0;
    if (rank > ONNX_DIMS_MAX || (perm && perm->n_ints != rank))
        return onnx_refuse(at, "found another number of dimensions in perm than the %zu of its input, expected as many",
                           rank);
    for (size_t i = 0; i < rank; i++) {
        order[i] = perm ? perm->ints[i] : (int64_t)(rank - 1 - i);
        if (order[i] < 0 || order[i] >= (int64_t)rank || seen & 1U << order[i])
            return onnx_refuse(at, "found %" PRId64 " in perm, expected each of 0 to %zu once", order[i], rank - 1);
        seen |= 1U << order[i];
    }
    return true;
}

bool onnx_fold_transpose(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    const Onnx__Tensor *from = in->constant;
    int64_t perm[ONNX_DIMS_MAX];
    int axis = in->axis;
    if (!read_order(at, from->n_dims, perm))
        return false;
    const struct strided old = order_of(from);
    struct strided order = old;
    for (size_t i = 0; i < from->n_dims; i++) {
        order.sides[i] = old.sides[perm[i]];
        order.strides[i] = old.strides[perm[i]];
        axis = in->axis == perm[i] ? (int)i : axis;
    }
    return move(at, &order, axis);
}

bool onnx_read_transpose(struct onnx_reading *at) {
    const struct tensor from = *graph_tensor(at->graph, at->in);
    int64_t perm[ONNX_DIMS_MAX];
    if (!read_order(at, (size_t)from.rank, perm))
        return false;
    struct tensor to = from;
    int order[AXES] = {BATCH, HEIGHT, WIDTH, CHANNELS};
    for (int i = 0; i < from.rank; i++) {
        const int axis = graph_axis(at->graph, from.rank, i);
        order[axis] = graph_axis(at->graph, from.rank, (int)perm[i]);
        to.sides[axis] = from.sides[order[axis]];
    }
    if (order[BATCH] != BATCH)
        return onnx_refuse(at, "found dimension %" PRId64 " at place 0, expected the batch first", perm[0]);
    struct node *node = onnx_node_new(at, NODE_TRANSPOSE, at->in, to.sides, from.rank);
    memcpy(node->order, order, sizeof order);
    return onnx_keep_scale(at, at->in);
}

/* ---- other sides: Flatten, Reshape, Squeeze, Unsqueeze ---- */

static bool new_shape(struct onnx_reading *at, const int64_t *old, size_t rank, size_t elements,
                      int64_t dims[ONNX_DIMS_MAX], size_t *count) {
    int64_t known = 1;
    *count = onnx_list(at, "shape", 1, dims);
    for (size_t i = 0; i < *count; i++) {
        if (i < rank && dims[i] == 0 && !onnx_attribute_or(at, "allowzero", 0))
            dims[i] = old[i];
        known *= dims[i] > 0 && known <= TENSOR_ELEMENTS_MAX ? dims[i] : 1;
    }
    for (size_t i = 0; i < *count; i++)
        dims[i] = dims[i] == -1 ? (int64_t)elements / known : dims[i];
    return !at->failed;
}

/* Sides of 1 at the places of a list: taken away, all of them if there is no list, or put in. */
static bool new_sides(struct onnx_reading *at, const int64_t *old, size_t rank, int64_t dims[ONNX_DIMS_MAX],
                      size_t *count) {
    const bool more = at->node->op_type[0] == 'U';
    int64_t axes[ONNX_DIMS_MAX];
    size_t listed_count = onnx_list(at, "axes", 1, axes), next = 0;
    const size_t all = rank + (more ? listed_count : 0);
    const unsigned listed = onnx_axes(at, all, &listed_count);
    const size_t batch = !onnx_input(at, 0)->constant; /* dimensions that stay */
    *count = 0;
    if (all > ONNX_DIMS_MAX || at->failed)
        return onnx_refuse(at, "found %zu dimensions, expected at most %d", all, ONNX_DIMS_MAX);
    for (size_t i = 0; i < all; i++) {
        const bool here = listed & 1U << i || (!listed_count && !more && old[i] == 1 && i >= batch);
        if (more)
            dims[(*count)++] = here || next >= rank ? 1 : old[next++];
        else if (!here)
            dims[(*count)++] = old[i];
        else if (old[i] != 1)
            return onnx_refuse(at, "found a side of %" PRId64 " to be taken away, expected 1", old[i]);
    }
    return true;
}

/* The dimensions that the node makes of others. */
static bool new_dimensions(struct onnx_reading *at, const int64_t *old, size_t rank, size_t elements,
                           int64_t dims[ONNX_DIMS_MAX], size_t *count) {
    if (at->node->op_type[0] == 'R')
        return new_shape(at, old, rank, elements, dims, count);
    if (at->node->op_type[0] != 'F')
        return new_sides(at, old, rank, dims, count);
    const int64_t axis = onnx_axis(at, 1, rank);
    dims[0] = dims[1] = 1;
    for (size_t i = 0; i < rank; i++)
        dims[(int64_t)i >= axis] *= old[i];
    *count = 2;
    return true;
}

/* The same elements in order with other sides; several scales stay along the side with as many elements before it. */
static bool reshape_constant(struct onnx_reading *at, const int64_t *dims, size_t rank) {
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
    return onnx_define_as(at, &as);
}

bool onnx_fold_sides(struct onnx_reading *at) {
    const Onnx__Tensor *from = onnx_input(at, 0)->constant;
    int64_t dims[ONNX_DIMS_MAX];
    size_t rank;
    return new_dimensions(at, from->dims, from->n_dims, onnx_count(from), dims, &rank) &&
           reshape_constant(at, dims, rank);
}

/* A tensor with the same elements: a row of n, or n x h x w of a row. */
static bool make_reshape(struct onnx_reading *at, const struct tensor *to) {
    const struct tensor from = *graph_tensor(at->graph, at->in);
    struct onnx_tensor cube = at->tensors[at->in];
    if ((size_t)to->h * (size_t)to->w * (size_t)to->c != from.count)
        return onnx_refuse(at, "found %d x %d x %d (h, w, c) elements, expected the %zu of its input", to->h, to->w,
                           to->c, from.count);
    const bool flat = to->rank == 2 && from.rank > 2, same = to->c == from.c || cube.flat;
    const bool plain = to->c == 1 || to->h * to->w == 1;
    const bool back = cube.flat && to->c == cube.c && to->h * to->w == cube.h * cube.w;
    if (!flat && !back && !(same && to->h * to->w == from.h * from.w) && !(from.rank == 2 && !cube.flat && plain))
        return onnx_refuse(at,
                           "found %d x %d x %d (h, w, c) made %d x %d x %d, expected a row of it: another order of "
                           "elements is not supported",
                           from.h, from.w, from.c, to->h, to->w, to->c);
    if (!cube.flat)
        cube = (struct onnx_tensor){.h = from.h, .w = from.w, .c = from.c};
    onnx_node_new(at, NODE_RESHAPE, at->in, to->sides, to->rank);
    if (at->failed)
        return false;
    struct onnx_tensor *about = &at->tensors[onnx_output(at)];
    about->flat = flat || (cube.flat && to->rank == 2);
    about->h = cube.h;
    about->w = cube.w;
    about->c = cube.c;
    return onnx_keep_scale(at, at->in);
}

bool onnx_read_sides(struct onnx_reading *at) {
    const struct tensor *t = graph_tensor(at->graph, at->in);
    int64_t dims[ONNX_DIMS_MAX], old[AXES] = {1};
    size_t rank;
    for (int i = 1; i < t->rank; i++)
        old[i] = t->rank == 2 ? (int64_t)t->count : t->sides[graph_axis(at->graph, t->rank, i)];
    if (!new_dimensions(at, old, (size_t)t->rank, t->count, dims, &rank))
        return false;
    if (rank < 2 || rank > AXES || dims[0] != 1)
        return onnx_refuse(at, "found %zu dimensions of its output and a batch of %" PRId64 ", expected 2 to 4 and 1",
                           rank, rank ? dims[0] : 0);
    struct tensor to = {.sides = {1, 1, 1, 1}, .rank = (int)rank};
    for (size_t i = 1; i < rank; i++) {
        if (dims[i] < 1 || dims[i] > TENSOR_ELEMENTS_MAX)
            return onnx_refuse(at, "found a size of %" PRId64 ", expected -1 or 1 to %d", dims[i], TENSOR_ELEMENTS_MAX);
        to.sides[graph_axis(at->graph, to.rank, (int)i)] = (int)dims[i];
    }
    return make_reshape(at, &to);
}

/* ---- more elements ---- */

bool onnx_read_pad(struct onnx_reading *at) {
    const Onnx__Attribute *mode = onnx_attribute(at, "mode");
    int64_t list[ONNX_DIMS_MAX], axes[ONNX_DIMS_MAX] = {0, 1, 2, 3};
    struct tensor to = *graph_tensor(at->graph, at->in);
    struct axis pads[AXES] = {axis_of(1), axis_of(1), axis_of(1), axis_of(1)};
    const size_t listed = onnx_list(at, "axes", 3, axes), count = listed ? listed : AXES;
    if (to.rank != AXES || onnx_list(at, "pads", 1, list) != 2 * count ||
        (mode && (mode->s.len != 8 || memcmp(mode->s.data, "constant", 8) != 0)))
        return onnx_refuse(at, "found padding of another form, expected constants around 4 dimensions");
    const double value = onnx_number(at, "value", 2, 0);
    if (value != (onnx_input(at, 0)->real ? 0.0 : (double)(to.zero + (at->tensors[at->in].shifted ? 128 : 0))))
        return onnx_refuse(at, "found padding with %g, expected what stands for 0", value);
    for (size_t i = 0; i < count; i++) {
        const int64_t dimension = axes[i] + (axes[i] < 0 ? AXES : 0), before = list[i], after = list[count + i];
        if (dimension < 0 || dimension >= AXES)
            return onnx_refuse(at, "found axis %" PRId64 ", expected one of 4", dimension);
        const int axis = graph_axis(at->graph, AXES, (int)dimension);
        if (before < 0 || before > TENSOR_SIDE_MAX || after < 0 || after > TENSOR_SIDE_MAX ||
            (axis == BATCH && (before || after)))
            return onnx_refuse(at,
                               "found padding of %" PRId64 " and %" PRId64 " in dimension %" PRId64
                               ", expected 0 to %d, 0 in the batch",
                               before, after, dimension, TENSOR_SIDE_MAX);
        pads[axis].before = (int)before;
        pads[axis].after = (int)after;
    }
    for (int i = 0; i < AXES; i++)
        to.sides[i] += pads[i].before + pads[i].after;
    struct node *node = onnx_node_new(at, NODE_PAD, at->in, to.sides, AXES);
    memcpy(node->axes, pads, sizeof pads);
    return onnx_keep_scale(at, at->in);
}

bool onnx_read_concatenation(struct onnx_reading *at) {
    int inputs[NODE_INPUTS_MAX], along = 0;
    struct tensor to = {0};
    for (size_t i = 0; i < at->operand_count; i++) {
        const struct onnx_value *value = onnx_input(at, i);
        inputs[i] = onnx_addend(at, i, UNSCALED, value && value->constant ? (int)value->constant->n_dims : 0);
        if (inputs[i] == GRAPH_NONE)
            return false;
        const struct tensor *t = graph_tensor(at->graph, inputs[i]);
        const int64_t axis = onnx_axis(at, 1, (size_t)t->rank);
        if (axis < 1 || axis >= t->rank)
            return onnx_refuse(at, "found axis %" PRId64 ", expected channels, height or width", axis);
        along = graph_axis(at->graph, t->rank, (int)axis);
        if (i == 0)
            to = *t;
        else
            to.sides[along] += t->sides[along];
    }
    if (at->operand_count == 0)
        return onnx_refuse(at, "found no inputs, expected some");
    struct node *node = onnx_node_new(at, NODE_CONCATENATION, inputs[0], to.sides, to.rank);
    memcpy(node->inputs, inputs, at->operand_count * sizeof *inputs);
    node->input_count = at->operand_count;
    node->axis = along;
    return true;
}
