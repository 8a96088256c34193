/* ONNX operators that move elements. See onnx.h. */
#include <inttypes.h>
#include <string.h>

#include "quantised/onnx_nodes.h"

/* A tensor with the same elements: a row of n, or n x h x w of a row. */
static bool make_reshape(struct onnx_reading *at, const int sides[3], int rank) {
    const int in = onnx_activation(at, 0, ANY);
    if (in == GRAPH_NONE)
        return false;
    const struct tensor from = *graph_tensor(at->graph, in);
    const struct onnx_tensor before = at->tensors[in];
    if ((size_t)sides[0] * (size_t)sides[1] * (size_t)sides[2] != from.count)
        return onnx_refuse(at, "found %d x %d x %d (h, w, c) elements, expected the %zu of its input", sides[0],
                           sides[1], sides[2], from.count);
    const bool flat = rank == 2 && from.rank > 2, same = sides[2] == from.c || before.flat;
    const bool plain = sides[2] == 1 || sides[0] * sides[1] == 1;
    if (!flat && !(same && sides[0] * sides[1] == from.h * from.w) && !(from.rank == 2 && !before.flat && plain))
        return onnx_refuse(at,
                           "found %d x %d x %d (h, w, c) made %d x %d x %d, expected a row of it: another order of "
                           "elements is not supported",
                           from.h, from.w, from.c, sides[0], sides[1], sides[2]);
    if (!onnx_node_new(at, NODE_RESHAPE, in, sides, rank))
        return false;
    const int out = onnx_output(at);
    at->tensors[out].flat = flat || (before.flat && rank == 2);
    at->tensors[out].h = before.flat ? before.h : from.h;
    at->tensors[out].w = before.flat ? before.w : from.w;
    at->tensors[out].c = before.flat ? before.c : from.c;
    return onnx_keep_scale(at, in);
}

bool onnx_read_transpose(struct onnx_reading *at) {
    const int in = onnx_activation(at, 0, ANY);
    const Onnx__Attribute *perm = onnx_attribute(at, "perm");
    if (in == GRAPH_NONE)
        return false;
    const struct tensor from = *graph_tensor(at->graph, in);
    const int old[] = {1, from.h, from.w, from.c};
    int order[] = {0, 1, 2, 3};
    unsigned seen = 0;
    for (int i = 0; i < from.rank; i++) {
        const int64_t side = !perm ? from.rank - 1 - i : perm->n_ints == (size_t)from.rank ? perm->ints[i] : -1;
        if (side < 0 || side >= from.rank || seen & 1U << side || (i == 0) != (side == 0))
            return onnx_refuse(at, "found dimension %" PRId64 " at place %d, expected each of %d once, the batch first",
                               side, i, from.rank);
        seen |= 1U << side;
        order[onnx_axis(from.rank, i)] = onnx_axis(from.rank, side);
    }
    const int sides[] = {old[order[1]], old[order[2]], old[order[3]]};
    struct node *node = onnx_node_new(at, NODE_TRANSPOSE, in, sides, from.rank);
    if (!node)
        return false;
    memcpy(node->order, order, sizeof order);
    return onnx_keep_scale(at, in);
}

bool onnx_read_flatten(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    if (onnx_attribute_or(at, "axis", 1) != 1)
        return onnx_refuse(at, "found another axis than 1, expected that");
    const int n = in && in->tensor != GRAPH_NONE ? (int)graph_tensor(at->graph, in->tensor)->count : 1;
    return make_reshape(at, (const int[]){1, 1, n}, 2);
}

/* The sides of the file's dimensions, of a batch of 1, with as many elements as the input. */
static bool make_sides(struct onnx_reading *at, const int64_t *dims, size_t rank, int64_t known) {
    const int64_t count = (int64_t)graph_tensor(at->graph, onnx_input(at, 0)->tensor)->count;
    if (dims[0] != 1 || known != count)
        return onnx_refuse(at, "found a batch of %" PRId64 " and %" PRId64 " elements, expected 1 and %" PRId64,
                           dims[0], known, count);
    const int sides[] = {(int)(rank == 4 ? dims[2] : 1), (int)(rank > 2 ? dims[rank - 1] : 1), (int)dims[1]};
    return make_reshape(at, sides, (int)rank);
}

/* The sides of a tensor in the file: batch, channels, height, width. */
static void file_sides(const struct tensor *t, int64_t dims[4]) {
    dims[0] = 1;
    dims[1] = t->rank == 2 ? (int64_t)t->count : t->c;
    dims[2] = t->rank == 3 ? t->w : t->h;
    dims[3] = t->w;
}

bool onnx_read_reshape(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    int64_t dims[ONNX_DIMS_MAX] = {1, 1, 1, 1}, old[4], known = 1;
    if (!in || in->tensor == GRAPH_NONE || !onnx_constant(at, 1, false))
        return onnx_refuse(at, "found no input that a node computes, expected one");
    const size_t rank = onnx_list(at, "shape", 1, dims);
    const struct tensor *t = graph_tensor(at->graph, in->tensor);
    file_sides(t, old);
    if (rank < 2 || rank > 4 || at->failed)
        return onnx_refuse(at, "found a shape of %zu numbers, expected 2 to 4 of int64", rank);
    for (size_t i = 0; i < rank; i++) {
        const int64_t side = dims[i];
        dims[i] = side == 0 ? old[i] : side;
        if (dims[i] < -1 || dims[i] == 0 || dims[i] > TENSOR_ELEMENTS_MAX)
            return onnx_refuse(at, "found a size of %" PRId64 ", expected -1 or 1 to %d", side, TENSOR_ELEMENTS_MAX);
        known = dims[i] > 0 && known <= TENSOR_ELEMENTS_MAX ? known * dims[i] : known;
    }
    for (size_t i = 0; i < rank; i++)
        if (dims[i] == -1) {
            dims[i] = (int64_t)t->count / known;
            known *= dims[i] > 0 ? dims[i] : 1;
        }
    return make_sides(at, dims, rank, known);
}

/* Squeeze and Unsqueeze of sides of 1. */
bool onnx_read_squeeze(struct onnx_reading *at) {
    const struct onnx_value *in = onnx_input(at, 0);
    int64_t axes[ONNX_DIMS_MAX], old[4], dims[ONNX_DIMS_MAX + 4];
    if (!in || in->tensor == GRAPH_NONE)
        return onnx_refuse(at, "found no input that a node computes, expected one");
    const struct tensor *t = graph_tensor(at->graph, in->tensor);
    const bool more = at->node->op_type[0] == 'U';
    const size_t count = onnx_list(at, "axes", 1, axes), before = (size_t)t->rank, all = before + (more ? count : 0);
    size_t rank = 0, next = 0;
    unsigned listed = 0;
    file_sides(t, old);
    for (size_t i = 0; i < count; i++)
        listed |= 1U << ((axes[i] < 0 ? axes[i] + (int64_t)all : axes[i]) & 31);
    for (size_t i = 0; i < all; i++) {
        const bool here = listed & 1U << i || (!count && !more && i > 0 && old[i] == 1);
        if (more)
            dims[rank++] = here || next >= before ? 1 : old[next++];
        else if (!here)
            dims[rank++] = old[i];
        else if (old[i] != 1)
            return onnx_refuse(at, "found a side of %" PRId64 " to be taken away, expected 1", old[i]);
    }
    if (rank < 2 || rank > 4 || at->failed)
        return onnx_refuse(at, "found %zu dimensions of its output, expected 2 to 4", rank);
    return make_sides(at, dims, rank, (int64_t)t->count);
}

bool onnx_read_pad(struct onnx_reading *at) {
    enum { PADS = 8 };
    const int in = onnx_activation(at, 0, CUBES);
    const Onnx__Attribute *mode = onnx_attribute(at, "mode");
    int64_t list[ONNX_DIMS_MAX], axes[ONNX_DIMS_MAX] = {0, 1, 2, 3}, pads[PADS] = {0};
    if (in == GRAPH_NONE)
        return false;
    const struct tensor t = *graph_tensor(at->graph, in);
    const size_t listed = onnx_list(at, "axes", 3, axes), count = listed ? listed : PADS / 2;
    if (t.rank != 4 || onnx_list(at, "pads", 1, list) != 2 * count ||
        (mode && (mode->s.len != 8 || memcmp(mode->s.data, "constant", 8) != 0)))
        return onnx_refuse(at, "found padding of another form, expected constants around 4 dimensions");
    const double value = onnx_number(at, "value", 2, 0);
    if (value != (onnx_input(at, 0)->real ? 0.0 : (double)(t.zero + (at->tensors[in].shifted ? 128 : 0))))
        return onnx_refuse(at, "found padding with %g, expected what stands for 0", value);
    for (size_t i = 0; i < 2 * count; i++) {
        const int64_t axis = axes[i % count] + (axes[i % count] < 0 ? PADS / 2 : 0);
        if (axis < 0 || axis >= PADS / 2)
            return onnx_refuse(at, "found axis %" PRId64 ", expected one of 4", axis);
        pads[axis + (i < count ? 0 : PADS / 2)] = list[i];
    }
    for (int i = 0; i < PADS; i++)
        if (pads[i] < 0 || pads[i] > TENSOR_SIDE_MAX || (i % 4 == 0 && pads[i] != 0))
            return onnx_refuse(at, "found padding of %" PRId64 " in dimension %d, expected 0 to %d, 0 in the batch",
                               pads[i], i % 4, TENSOR_SIDE_MAX);
    const int sides[] = {t.h + (int)(pads[2] + pads[6]), t.w + (int)(pads[3] + pads[7]),
                         t.c + (int)(pads[1] + pads[5])};
    struct node *node = onnx_node_new(at, NODE_PAD, in, sides, 4);
    if (!node)
        return false;
    node->y.before = (int)pads[2];
    node->y.after = (int)pads[6];
    node->x.before = (int)pads[3];
    node->x.after = (int)pads[7];
    node->c.before = (int)pads[1];
    node->c.after = (int)pads[5];
    return onnx_keep_scale(at, in);
}

bool onnx_read_concatenation(struct onnx_reading *at) {
    int inputs[NODE_INPUTS_MAX], sides[3] = {0}, rank = 0, along = 0;
    size_t count = 0;
    for (size_t i = 0; i < at->operand_count; i++) {
        const int in = onnx_activation(at, i, CUBES);
        if (in == GRAPH_NONE)
            return false;
        const struct tensor *t = graph_tensor(at->graph, in);
        const int64_t axis = onnx_attribute_or(at, "axis", 1), from_first = axis < 0 ? axis + t->rank : axis;
        if (from_first < 1 || from_first >= t->rank)
            return onnx_refuse(at, "found axis %" PRId64 ", expected channels, height or width", axis);
        along = onnx_axis(t->rank, from_first);
        if (count == 0) {
            sides[0] = t->h;
            sides[1] = t->w;
            sides[2] = t->c;
            rank = t->rank;
        } else
            sides[along - 1] += along == 1 ? t->h : along == 2 ? t->w : t->c;
        inputs[count++] = in;
    }
    if (count == 0)
        return onnx_refuse(at, "found no inputs, expected some");
    struct node *node = onnx_node_new(at, NODE_CONCATENATION, inputs[0], sides, rank);
    if (!node)
        return false;
    memcpy(node->inputs, inputs, count * sizeof *inputs);
    node->input_count = count;
    node->axis = along;
    return true;
}
