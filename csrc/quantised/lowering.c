/* Lowers a network node by node; views of tensors and their place in memory. See lowering.h and lower.h. */
#include "quantised/lowering.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

enum { CONSTANT_ALIGNMENT = 128, CUBE_BYTES_MAX = 1 << 30 };

void lowering_note(struct lowering *at, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    *xadd(at->out->notes, at->out->note_count) = (struct lowered_note){at->node, xvprintf(format, arguments)};
    va_end(arguments);
}

/* ---- views ---- */

static struct view packed_view(const struct lowering *at, int storage, int w, int h, int c) {
    const uint32_t line = (uint32_t)(w * at->atom);
    return (struct view){storage, 0, w, h, c, line, line * (uint32_t)h};
}

struct view view_new(struct lowering *at, int memory, int w, int h, int c) {
    struct lowered *out = at->out;
    const struct view view = packed_view(at, (int)out->storage_count, w, h, c);
    *xadd(out->storages, out->storage_count) =
        (struct storage){.memory = memory,
                         .size = (uint64_t)view.surface * (uint64_t)view_surfaces(at, &view),
                         .first = at->node,
                         .last = at->node};
    return view;
}

struct view view_part(const struct lowering *at, struct view view, int x, int y, int w, int h) {
    view.offset += (uint32_t)y * view.line + (uint32_t)(x * at->atom);
    view.w = w;
    view.h = h;
    return view;
}

struct view view_channels(const struct lowering *at, struct view view, int first, int count) {
    view.offset += (uint32_t)(first / at->atom) * view.surface;
    view.c = count;
    return view;
}

bool view_spread(const struct lowering *at, const struct view *view) {
    return view->w == 1 && view->h == 1 && view->c > at->atom && view->surface != (uint32_t)at->atom;
}

struct view view_define(struct lowering *at, int tensor) {
    const struct tensor *t = graph_tensor(at->graph, tensor);
    const struct part *part = &at->parts[tensor];
    struct view *view = &at->out->views[tensor];
    if (view->storage != GRAPH_NONE)
        return *view;
    if (part->whole != GRAPH_NONE) {
        const struct view whole = view_define(at, part->whole);
        *view = view_channels(at, view_part(at, whole, part->place[WIDTH], part->place[HEIGHT], t->w, t->h),
                              part->place[CHANNELS], t->c);
    } else {
        const int home = at->parts[tensor].home;
        const int memory = home == GRAPH_NONE ? MEMORY_OF_CUBES : MEMORY_OF_ENDS + (int)at->graph->input_count + home;
        *view = view_new(at, memory, t->w, t->h, t->type == TENSOR_INDEX ? (int)sizeof(uint16_t) : t->c);
    }
    return *view;
}

bool view_use(struct lowering *at, int tensor, struct view *view) {
    const struct tensor *t = graph_tensor(at->graph, tensor);
    *view = at->out->views[tensor];
    if (view->w != t->w || view->h != t->h || view->c != t->c)
        return lowering_refuse(
            at,
            "found input \"%s\" as %d x %d x %d reshaped to %d x %d x %d (h, w, c), expected the same "
            "channels: another order of elements is not supported here",
            t->name, view->h, view->w, view->c, t->h, t->w, t->c);
    return true;
}

/* ---- operations ---- */

void *lowering_constant(struct lowering *at, size_t n, uint32_t *offset) {
    struct lowered *out = at->out;
    const size_t start = (out->constant_bytes + CONSTANT_ALIGNMENT - 1) / CONSTANT_ALIGNMENT * CONSTANT_ALIGNMENT;
    out->constants = xrealloc(out->constants, start + n);
    memset(out->constants + out->constant_bytes, 0, start + n - out->constant_bytes);
    out->constant_bytes = start + n;
    *offset = (uint32_t)start;
    return out->constants + start;
}

struct data_cube cube_of(const struct lowering *at, const struct view *view) {
    struct data_cube cube = {.type = CUBE_MEMORY,
                             .position = view->storage,
                             .offset = view->offset,
                             .width = (unsigned)view->w,
                             .height = (unsigned)view->h,
                             .channel = (unsigned)view->c,
                             .line_stride = view->line,
                             .surface_stride = view->surface};
    if (view->w == 1 && view->h == 1)
        cube.line_stride = (uint32_t)at->atom;
    cube.size = (uint32_t)(view_surfaces(at, view) - 1) * view->surface + (uint32_t)(view->h - 1) * view->line +
                (uint32_t)(view->w * at->atom);
    return cube;
}

struct data_cube cube_of_constant(uint32_t offset, uint32_t size) {
    return (struct data_cube){.type = CUBE_MEMORY, .position = GRAPH_NONE, .offset = offset, .size = size};
}

struct data_cube cube_flying(const struct lowering *at, int w, int h, int c) {
    const struct view packed = packed_view(at, GRAPH_NONE, w, h, c);
    struct data_cube cube = cube_of(at, &packed);
    cube.type = CUBE_ON_THE_FLY;
    cube.size = 0;
    return cube;
}

struct operation *lowering_op(struct lowering *at, enum op_type type) {
    struct lowered *out = at->out;
    struct lowered_step *step = out->step_count ? &out->steps[out->step_count - 1] : NULL;
    if (!step || step->cpu) {
        step = xadd(out->steps, out->step_count);
        *step = (struct lowered_step){.first = out->op_count};
    }
    step->count++;
    struct lowered_op *op = xadd(out->ops, out->op_count);
    *op = (struct lowered_op){.node = at->node};
    op->operation.type = type;
    for (int i = 0; i < TYPE_COUNT; i++)
        op->operation.consumers[i] = (struct op_edge){GRAPH_NONE, EVENT_COMPLETED};
    op->operation.fused_parent = (struct op_edge){GRAPH_NONE, EVENT_COMPLETED};
    return &op->operation;
}

/* ---- before the nodes ---- */

static bool moves_nothing(const struct lowering *at, const struct node *node) {
    return node && node->kind == NODE_RESHAPE && !at->nodes[node - at->graph->nodes].moved;
}

bool lowered_result_read(const struct graph *graph, int tensor) {
    for (const struct node *node = NULL; (node = graph_reader(graph, tensor, node));)
        if (node->kind != NODE_RESHAPE || lowered_result_read(graph, node->output))
            return true;
    return false;
}

/* The tensor in whose memory a tensor is: most RESHAPEs move nothing. */
static int root_of(const struct lowering *at, int tensor) {
    for (const struct node *node; moves_nothing(at, node = graph_producer(at->graph, tensor));)
        tensor = node->inputs[0];
    return tensor;
}

static bool is_produced(const struct lowering *at, int tensor) {
    const struct node *node = graph_producer(at->graph, tensor);
    return node && !moves_nothing(at, node);
}

/* The tensor whose sides the cube of a root has: an input that is only reshaped has the shape that it gets. */
static const struct tensor *shape_of_root(const struct lowering *at, int root) {
    const struct node *reader = graph_reader(at->graph, root, NULL);
    const bool reshaped = reader && reader->kind == NODE_RESHAPE && at->parts[root].readers == 1;
    return reshaped && !graph_producer(at->graph, root) ? node_output(at->graph, reader)
                                                        : graph_tensor(at->graph, root);
}

/* Whether a node needs the channels of a RESHAPE's output: FULLY_CONNECTED takes any order, RESHAPE moves itself. */
static bool needs_channels(const struct lowering *at, const struct node *reshape) {
    for (const struct node *reader = NULL; (reader = graph_reader(at->graph, reshape->output, reader));)
        if (reader->kind != NODE_RESHAPE && !node_takes_row(at->graph, reader))
            return true;
    return false;
}

/* Which inputs of a concatenation are computed in place. */
static void plan_concatenation(struct lowering *at, const struct node *node) {
    const struct tensor *out = node_output(at->graph, node);
    const struct limits limits = node_limits(at->graph, node);
    int place[AXES] = {0};
    if (!concatenates_atoms(at, node))
        return;
    for (size_t i = 0; i < node->input_count; i++) {
        const int tensor = node->inputs[i];
        const struct tensor *in = graph_tensor(at->graph, tensor);
        const bool same = in->scales[0] == out->scales[0] && in->zero == out->zero && limits.low == INT8_MIN &&
                          limits.high == INT8_MAX;
        struct part *part = &at->parts[tensor];
        if (same && is_produced(at, tensor) && part->home == GRAPH_NONE && part->whole == GRAPH_NONE) {
            part->whole = node->output;
            memcpy(part->place, place, sizeof place);
        }
        place[node->axis] += in->sides[node->axis];
    }
}

/* Whether windows that also pad that much still have an element inside, and the accelerator has that padding. */
static bool axis_folds(const struct axis *pad, const struct axis *reader) {
    const int reach = (reader->size - 1) * reader->dilation, before = pad->before + reader->before,
              after = pad->after + reader->after;
    return before <= reach && after <= reach && before <= PAD_MAX && after <= PAD_AFTER_MAX;
}

/* Whether the only reader of a PAD's output does the padding itself. */
static bool folds(const struct lowering *at, const struct node *pad) {
    const struct node *reader = graph_reader(at->graph, pad->output, NULL);
    if (!reader || at->parts[pad->output].readers != 1 || (reader->kind != NODE_CONV && reader->kind != NODE_DEPTHWISE))
        return false;
    return pad->c.before == 0 && pad->c.after == 0 && axis_folds(&pad->x, &reader->x) &&
           axis_folds(&pad->y, &reader->y);
}

static void plan(struct lowering *at) {
    const struct graph *graph = at->graph;
    at->parts = xcalloc(graph->tensor_count + 1, sizeof *at->parts);
    at->nodes = xcalloc(graph->node_count + 1, sizeof *at->nodes);
    for (size_t t = 0; t < graph->tensor_count; t++) {
        at->parts[t].whole = at->parts[t].home = GRAPH_NONE;
        at->out->views[t].storage = GRAPH_NONE;
    }
    for (size_t n = 0; n < graph->node_count; n++)
        for (size_t i = 0; i < graph->nodes[n].input_count; i++)
            if (graph->nodes[n].inputs[i] != GRAPH_NONE)
                at->parts[graph->nodes[n].inputs[i]].readers++;
    for (size_t o = 0; o < graph->output_count; o++)
        at->parts[graph->outputs[o]].readers++;
    for (size_t n = 0; n < graph->node_count; n++) {
        const struct node *node = &graph->nodes[n];
        at->nodes[n].moved = node->kind == NODE_RESHAPE && needs_channels(at, node) &&
                             shape_of_root(at, root_of(at, node->inputs[0]))->c != node_output(graph, node)->c;
    }
    for (size_t o = 0; o < graph->output_count; o++) {
        const int root = root_of(at, graph->outputs[o]);
        if (is_produced(at, root) && at->parts[root].home == GRAPH_NONE)
            at->parts[root].home = (int)o;
    }
    for (size_t n = 0; n < graph->node_count; n++) {
        if (graph->nodes[n].kind == NODE_CONCATENATION)
            plan_concatenation(at, &graph->nodes[n]);
        at->nodes[n].folded = graph->nodes[n].kind == NODE_PAD && folds(at, &graph->nodes[n]);
    }
}

static void define_inputs(struct lowering *at) {
    const struct graph *graph = at->graph;
    for (size_t i = 0; i < graph->input_count; i++) {
        const int tensor = graph->inputs[i];
        const struct tensor *shape = shape_of_root(at, tensor);
        at->out->views[tensor] = view_new(at, MEMORY_OF_ENDS + (int)i, shape->w, shape->h, shape->c);
    }
}

/* A constant that a node reads as a cube. */
static void define_constants(struct lowering *at, const struct node *node) {
    if (node->kind != NODE_ADD && node->kind != NODE_CONCATENATION)
        return;
    for (size_t i = 0; i < node->input_count; i++) {
        const struct tensor *t = node_input(at->graph, node, i);
        struct view *view = &at->out->views[node->inputs[i]];
        if (!t->data || view->storage != GRAPH_NONE)
            continue;
        *view = view_new(at, MEMORY_OF_CONSTANTS, t->w, t->h, t->c);
        struct storage *storage = &at->out->storages[view->storage];
        uint32_t offset;
        uint8_t *bytes = lowering_constant(at, (size_t)storage->size, &offset);
        storage->offset = offset;
        for (size_t e = 0; e < t->count; e++) {
            const size_t c = e % (size_t)t->c, place = e / (size_t)t->c;
            bytes[c / (size_t)at->atom * view->surface + place * (size_t)at->atom + c % (size_t)at->atom] =
                ((const uint8_t *)t->data)[e];
        }
    }
}

/* ---- the nodes ---- */

/* A view of the same elements in another shape, if its readers need no other channels. */
static bool lower_reshape(struct lowering *at, const struct node *node, struct view from) {
    const struct tensor *out = node_output(at->graph, node);
    struct view view = at->nodes[at->node].moved || from.c == out->c ? view_in_a_row(at, from, 0) : from;
    if (at->nodes[at->node].moved)
        return lower_reordering(at, view, node->output);
    lowering_note(at, view.storage == from.storage ? "moves nothing" : "a copy whose lines are in a row");
    if (view.c == out->c) {
        view.w = out->w;
        view.h = out->h;
        view.line = (uint32_t)(view.w * at->atom);
    }
    at->out->views[node->output] = view;
    return true;
}

/* Others bring their input to another scale. any_channels: takes an input that was reshaped to other channels. */
static const struct {
    bool (*lower)(struct lowering *at, const struct node *node, struct view from);
    bool any_channels;
} kinds[NODE_KINDS] = {
    [NODE_CONV] = {lower_conv_node, true},
    [NODE_DEPTHWISE] = {lower_conv_node, true},
    [NODE_FULLY_CONNECTED] = {lower_conv_node, true},
    [NODE_ADD] = {lower_add_node, false},
    [NODE_AVERAGE_POOL] = {lower_average_node, false},
    [NODE_MAX_POOL] = {lower_max_node, false},
    [NODE_MEAN] = {lower_mean_node, false},
    [NODE_RESHAPE] = {lower_reshape, true},
    [NODE_PAD] = {lower_pad_node, false},
    [NODE_CONCATENATION] = {lower_concatenation_node, true},
    [NODE_SOFTMAX] = {lower_cpu_node, false},
    [NODE_LOG_SOFTMAX] = {lower_cpu_node, false},
    [NODE_ARG_MAX] = {lower_cpu_node, false},
    [NODE_LOGISTIC] = {lower_cpu_node, false},
};

static bool lower_node(struct lowering *at, const struct node *node) {
    struct view from = at->out->views[node->inputs[0]];
    if (!kinds[node->kind].any_channels && !view_use(at, node->inputs[0], &from))
        return false;
    return (kinds[node->kind].lower ? kinds[node->kind].lower : lower_rescale_node)(at, node, from);
}

/* Extends the life of what a step reads and writes. */
static void touch(struct lowering *at, int storage) {
    if (storage != GRAPH_NONE && at->out->storages[storage].last < at->node)
        at->out->storages[storage].last = at->node;
}

static void touch_cube(void *context, struct data_cube *cube, const char *name) {
    (void)name;
    if (cube->type == CUBE_MEMORY)
        touch(context, cube->position);
}

/* Outputs that are in another memory, or part of another output. */
static bool copy_outputs(struct lowering *at) {
    const struct graph *graph = at->graph;
    for (size_t o = 0; o < graph->output_count; o++) {
        const struct view view = at->out->views[graph->outputs[o]];
        const int memory = MEMORY_OF_ENDS + (int)(graph->input_count + o);
        at->out->outputs[o] = view;
        if (view.storage != GRAPH_NONE && at->out->storages[view.storage].memory == memory)
            continue;
        at->out->outputs[o] = view_new(at, memory, view.w, view.h, view.c);
        lower_copy(at, view, at->out->outputs[o]);
        touch(at, view.storage);
    }
    return true;
}

/* ---- the whole ---- */

/* Registers of the accelerator hold no larger cubes. */
static bool check_sides(struct lowering *at, int tensor) {
    const struct view *view = &at->out->views[tensor];
    const bool fine = view->w <= TENSOR_SIDE_MAX && view->h <= TENSOR_SIDE_MAX && view->c <= TENSOR_SIDE_MAX;
    return fine ||
           error_set(
               at->err, "%s: found tensor \"%s\" of %d x %d x %d (h, w, c); the accelerator has at most %d in each",
               at->graph->path, graph_tensor(at->graph, tensor)->name, view->h, view->w, view->c, TENSOR_SIDE_MAX);
}

static bool lower_all(struct lowering *at) {
    const struct graph *graph = at->graph;
    plan(at);
    define_inputs(at);
    for (size_t i = 0; i < graph->input_count; i++)
        if (!check_sides(at, graph->inputs[i]))
            return false;
    for (at->node = 0; at->node < graph->node_count; at->node++) {
        const struct node *node = &graph->nodes[at->node];
        const size_t first = at->out->op_count;
        define_constants(at, node);
        if (!lower_node(at, node) || !check_sides(at, node->output))
            return false;
        if (at->out->op_count > INT16_MAX)
            return lowering_refuse(at, "found %zu layers up to here; a loadable has at most %d", at->out->op_count,
                                   INT16_MAX);
        for (size_t i = first; i < at->out->op_count; i++)
            operation_cubes(&at->out->ops[i].operation, touch_cube, at);
        for (size_t i = 0; i < node->input_count; i++)
            if (node->inputs[i] != GRAPH_NONE)
                touch(at, at->out->views[node->inputs[i]].storage);
    }
    return copy_outputs(at);
}

struct lowered *lower_graph(const struct graph *graph, const struct nvdla_config *config, struct error *err) {
    struct lowered *lowered = xcalloc(1, sizeof *lowered);
    struct lowering at = {.out = lowered, .graph = graph, .config = config, .atom = config->mem_atom, .err = err};
    lowered->graph = graph;
    lowered->config = config;
    lowered->views = xcalloc(graph->tensor_count + 1, sizeof *lowered->views);
    lowered->outputs = xcalloc(graph->output_count + 1, sizeof *lowered->outputs);
    bool fine = lower_all(&at);
    if (fine)
        lowered_finish(lowered);
    if (fine && lowered->cube_bytes > CUBE_BYTES_MAX)
        fine = error_set(err, "%s: found 0x%" PRIx64 " bytes of cubes at the same time, expected at most 0x%x",
                         graph->path, lowered->cube_bytes, CUBE_BYTES_MAX);
    free(at.parts);
    free(at.nodes);
    if (fine)
        return lowered;
    lowered_free(lowered);
    return NULL;
}

void lowered_free(struct lowered *lowered) {
    if (!lowered)
        return;
    for (size_t i = 0; i < lowered->note_count; i++)
        free(lowered->notes[i].text);
    free(lowered->notes);
    free(lowered->ops);
    free(lowered->steps);
    free(lowered->storages);
    free(lowered->constants);
    free(lowered->views);
    free(lowered->outputs);
    free(lowered);
}
