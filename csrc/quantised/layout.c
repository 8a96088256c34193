/* Transposes without work. See read.h. */
#include "quantised/read.h"

#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

/* How a tensor of the file lies in memory. */
struct tensor_place {
    int stored;      /* tensor whose memory it is */
    int order[AXES]; /* for each of its axes (batch, height, width, channels): that of memory */
    int input;       /* of the graph, from which it came by nodes that any layout suits; GRAPH_NONE */
    int row;         /* cube that it is the elements of, in a row, in an order that is not that of memory; GRAPH_NONE */
};

struct settling {
    struct graph *graph;
    struct error *err;
    struct tensor_place *places;
    bool *changed;
};

static const int in_order[AXES] = {0, 1, 2, 3};

static struct tensor_place place_of(int stored) {
    return (struct tensor_place){.stored = stored, .order = {0, 1, 2, 3}, .input = GRAPH_NONE, .row = GRAPH_NONE};
}

static bool is_plain(const int order[AXES]) {
    return memcmp(order, in_order, sizeof in_order) == 0;
}

static bool refuse(const struct settling *at, const struct node *node) {
    return node_refuse(at->graph, node, at->err,
                       "found its inputs transposed by a node before, expected that only at an input or an output of "
                       "the network, or undone by another: it would have to move elements");
}

/* The node takes height, width and channels as they are: of an input of the graph, its layout is changed, and the nodes
 * are gone through again. */
static bool need_plain(struct settling *at, const struct node *node, const struct tensor_place *place, bool *again) {
    if (is_plain(place->order) && place->row == GRAPH_NONE)
        return true;
    if (place->row != GRAPH_NONE || place->input == GRAPH_NONE || at->changed[place->input])
        return refuse(at, node);
    int order[AXES] = {0};
    for (int i = 0; i < AXES; i++)
        for (int k = 0; k < AXES; k++)
            if (at->graph->orders[place->input][k] == place->order[i])
                order[k] = i;
    memcpy(at->graph->orders[place->input], order, sizeof order);
    at->changed[place->input] = *again = true;
    return true;
}

/* A constant, or weights with a row for each kernel, in another order of its axes. */
static void reorder(struct graph *graph, int index, const int sides[AXES], const int order[AXES]) {
    struct tensor *tensor = &graph->tensors[index];
    struct strided from = {.rank = AXES};
    int64_t stride = 1;
    if ((size_t)sides[0] * (size_t)sides[1] * (size_t)sides[2] * (size_t)sides[3] != tensor->count || !tensor->data)
        return; /* graph_check() refuses it */
    for (int i = AXES; i-- > 0; stride *= sides[i]) {
        from.sides[order[i]] = sides[i];
        from.strides[order[i]] = stride;
    }
    void *to = graph_own(graph, tensor->count);
    strided_copy(&from, tensor->data, 1, to);
    tensor->data = to;
}

/* Elements in a row: in the order of memory, unless more than one side is above 1. */
static struct tensor_place row_of(const struct settling *at, const struct node *node) {
    const struct tensor_place *in = &at->places[node->inputs[0]];
    const struct tensor *cube = node_input(at->graph, node, 0), *out = node_output(at->graph, node);
    struct tensor_place row = place_of(node->output);
    const int wide = (cube->h > 1) + (cube->w > 1) + (cube->c > 1);
    row.row = in->row;
    if (!is_plain(in->order) && wide > 1)
        row.row = out->h * out->w == 1 ? node->inputs[0] : GRAPH_NONE - 1;
    if (in->row >= 0 && memcmp(out->sides, graph_tensor(at->graph, in->row)->sides, sizeof out->sides) == 0) {
        row = at->places[in->row]; /* the cube again */
        row.stored = node->output;
    }
    return row;
}

/* Dimensions that a node took away have sides of 1, and are those that nothing else is. */
static void set_order_of_rest(const struct graph *graph, const struct node *node, const int before[AXES],
                              int order[AXES]) {
    const int rank = node_input(graph, node, 0)->rank, left = node_output(graph, node)->rank;
    unsigned known = 0, used = 0;
    for (int d = 0, next = 0; d < rank && next < left && left > 1; d++) {
        const int axis = graph_axis(graph, rank, d);
        if (node->taken & 1U << axis)
            continue;
        const int now = graph_axis(graph, left, next++);
        order[now] = before[axis];
        known |= 1U << now;
        used |= 1U << before[axis];
    }
    for (int axis = 0; axis < AXES; axis++)
        for (int memory = 0; memory < AXES && !(known & 1U << axis); memory++)
            if (!(used & 1U << memory)) {
                order[axis] = memory;
                known |= 1U << axis;
                used |= 1U << memory;
            }
}

/* Finds the place of a node's output. *again: an input got another layout. False with a message. */
static bool place_node(struct settling *at, const struct node *node, bool *again) {
    struct tensor_place *out = &at->places[node->output];
    const struct tensor_place *in = &at->places[node->inputs[0]];
    *out = place_of(node->output);
    switch (node->kind) {
    case NODE_TRANSPOSE:
        *out = *in;
        for (int i = 0; i < AXES; i++)
            out->order[i] = in->order[node->order[i]];
        return in->row == GRAPH_NONE || refuse(at, node);
    case NODE_FULLY_CONNECTED:
        if (!node_takes_row(at->graph, node))
            return need_plain(at, node, in, again);
        return (is_plain(in->order) && in->row == GRAPH_NONE) || graph_readers(at->graph, node->inputs[1]) == 1 ||
               refuse(at, node);
    case NODE_RESHAPE:
        *out = row_of(at, node);
        return out->row >= GRAPH_NONE || refuse(at, node);
    case NODE_CONV:
    case NODE_DEPTHWISE:
    case NODE_AVERAGE_POOL:
    case NODE_MAX_POOL:
        return need_plain(at, node, in, again);
    default:
        break;
    }
    for (size_t i = 1; i < node->input_count; i++) {
        if (node->inputs[i] == GRAPH_NONE)
            continue;
        const struct tensor_place *other = &at->places[node->inputs[i]];
        const bool constant = node_input(at->graph, node, i)->data, first = node_input(at->graph, node, 0)->data;
        if (first && !constant)
            in = other;
        else if (!constant && (memcmp(in->order, other->order, sizeof in->order) != 0 || in->row != other->row))
            return need_plain(at, node, in, again) && (*again || need_plain(at, node, other, again));
        if (constant &&
            (in->row != GRAPH_NONE || (!is_plain(in->order) && graph_readers(at->graph, node->inputs[i]) > 1)))
            return refuse(at, node);
    }
    if (in->row != GRAPH_NONE &&
        (node->kind == NODE_CONCATENATION || node->kind == NODE_PAD || node->kind == NODE_MEAN))
        return refuse(at, node);
    if (node_output(at->graph, node)->rank < node_input(at->graph, node, 0)->rank)
        set_order_of_rest(at->graph, node, in->order, out->order);
    else
        memcpy(out->order, in->order, sizeof out->order);
    out->input = in->input;
    out->row = in->row;
    return true;
}

/* Goes through the nodes until no input gets another layout. */
static bool place_nodes(struct settling *at) {
    struct graph *graph = at->graph;
    bool again = true;
    while (again) {
        again = false;
        for (size_t t = 0; t < graph->tensor_count; t++)
            at->places[t] = place_of((int)t);
        for (size_t i = 0; i < graph->input_count; i++) {
            struct tensor_place *place = &at->places[graph->inputs[i]];
            memcpy(place->order, at->graph->orders[i], sizeof place->order);
            place->input = (int)i;
        }
        for (size_t n = 0; n < graph->node_count && !again; n++)
            if (!place_node(at, &graph->nodes[n], &again))
                return false;
    }
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->output_count; i++)
            if (graph->nodes[n].output == graph->outputs[i] && at->places[graph->outputs[i]].row != GRAPH_NONE)
                return refuse(at, &graph->nodes[n]);
    return true;
}

/* A node as it is in memory: its windows, its axis, constants beside what is transposed. */
static void settle_node(struct settling *at, struct node *node) {
    struct graph *graph = at->graph;
    const struct tensor_place *in = &at->places[node->inputs[0]];
    if (node->input_count > 1 && graph_tensor(graph, node->inputs[0])->data)
        in = &at->places[node->inputs[1]];
    const int cube = in->row != GRAPH_NONE ? in->row : node->inputs[0];
    const int *order = at->places[cube].order;
    if (node->kind == NODE_FULLY_CONNECTED && !is_plain(order)) {
        const struct tensor *t = graph_tensor(graph, cube);
        reorder(graph, node->inputs[1], (const int[]){node_output(graph, node)->c, t->h, t->w, t->c}, order);
    }
    if (in->row == GRAPH_NONE && node->kind != NODE_FULLY_CONNECTED && node->kind != NODE_RESHAPE) {
        const struct node old = *node;
        for (int i = 0; i < AXES; i++)
            node->axes[in->order[i]] = old.axes[i];
        node->axis = in->order[node->axis];
        for (size_t i = 0; i < node->input_count && (node->kind == NODE_ADD || node->kind == NODE_CONCATENATION); i++) {
            const int index = node->inputs[i];
            const struct tensor *t = graph_tensor(graph, index);
            if (index != GRAPH_NONE && t->data && !is_plain(in->order)) {
                reorder(graph, index, t->sides, in->order);
                memcpy(at->places[index].order, in->order, sizeof in->order);
            }
        }
    }
    if (node->kind == NODE_FULLY_CONNECTED && node_takes_row(graph, node))
        for (int i = HEIGHT; i < AXES; i++)
            node->axes[in->order[i]].size = node_input(graph, node, 0)->sides[i];
}

/* The sides of tensors as they are in memory; a memory that was transposed at the end has the name of that output. */
static void settle_tensors(struct settling *at) {
    struct graph *graph = at->graph;
    for (size_t t = 0; t < graph->tensor_count; t++) {
        const struct tensor old = graph->tensors[t];
        for (int i = 0; i < AXES; i++)
            graph->tensors[t].sides[at->places[t].order[i]] = old.sides[i];
    }
    for (size_t i = 0; i < graph->output_count; i++) {
        const int output = graph->outputs[i], stored = at->places[output].stored;
        memcpy(graph->orders[graph->input_count + i], at->places[output].order, sizeof in_order);
        if (output != stored && at->places[stored].input == GRAPH_NONE) {
            struct tensor *to = &graph->tensors[stored];
            free(to->name);
            to->name = xstrdup(graph_tensor(graph, output)->name);
        }
        graph->outputs[i] = stored;
    }
}

bool layout_settle(struct graph *graph, struct error *err) {
    bool any = false;
    graph->orders = xcalloc(graph->input_count + graph->output_count, sizeof *graph->orders);
    for (size_t i = 0; i < graph->input_count + graph->output_count; i++)
        memcpy(graph->orders[i], in_order, sizeof in_order);
    for (size_t n = 0; n < graph->node_count; n++)
        any |= graph->nodes[n].kind == NODE_TRANSPOSE || graph->nodes[n].kind == NODE_ARG_MAX;
    if (!any)
        return true;
    struct settling at = {.graph = graph, .err = err};
    at.places = xcalloc(graph->tensor_count, sizeof *at.places);
    at.changed = xcalloc(graph->input_count, sizeof *at.changed);
    const bool fine = place_nodes(&at);
    size_t kept = 0;
    for (size_t n = 0; fine && n < graph->node_count; n++) {
        struct node *node = &graph->nodes[n];
        if (node->kind == NODE_TRANSPOSE)
            continue;
        settle_node(&at, node);
        for (size_t i = 0; i < node->input_count; i++)
            if (node->inputs[i] != GRAPH_NONE)
                node->inputs[i] = at.places[node->inputs[i]].stored;
        graph->nodes[kept++] = *node;
    }
    if (fine) {
        graph->node_count = kept;
        settle_tensors(&at);
    }
    free(at.places);
    free(at.changed);
    return fine;
}

struct element_order layout_of_end(const struct graph *graph, size_t end) {
    const int *axes = graph->orders[end];
    int index = end < graph->input_count ? graph->inputs[end] : graph->outputs[end - graph->input_count];
    /* A cube with channels first, made a row: the row in memory has them last. */
    for (const struct node *node; graph->channels_first && graph_tensor(graph, index)->rank == 2 &&
                                  (node = graph_producer(graph, index)) && node->kind == NODE_RESHAPE;)
        index = node->inputs[0];
    const struct tensor *tensor = graph_tensor(graph, index);
    struct element_order order = {.rank = tensor->rank ? (unsigned)tensor->rank : 1, .sides = {{'c', 1}}};
    for (int d = 0; d < tensor->rank; d++) {
        const int axis = axes[graph_axis(graph, tensor->rank, d)];
        order.sides[d] = (struct element_side){"nhwc"[axis], (unsigned)tensor -> sides[axis]};
    }
    return order;
}
