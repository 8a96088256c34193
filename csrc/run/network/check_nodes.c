/* Each node of a quantised network against the reference interpreter. See open.h. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "nvdla/xalloc.h"
#include "quantised/interpret.h"
#include "run/network/open.h"

enum { RULES = 2, SMALL_TENSOR = 2 };

struct checking {
    FILE *out;
    const struct graph *graph;
    const struct lowered *lowered;
    const struct loadable *loadable;
    int8_t **values;
    int8_t *found;
    size_t wrong; /* nodes that differ by too much */
};

/* How a result differs from the interpreter's. */
struct difference {
    size_t count;
    int greatest;
};

static void read_view(const struct checking *at, const struct view *view, struct memory *const memory[SPACE_COUNT],
                      int8_t *to) {
    const struct storage *storage = &at->lowered->storages[view->storage];
    const struct loadable_memory *where = &at->loadable->memories[storage->memory];
    const int atom = at->lowered->config->mem_atom;
    autofree uint8_t *line = xmalloc((size_t)(view->w * atom));
    for (int surface = 0; surface * atom < view->c; surface++)
        for (int y = 0; y < view->h; y++) {
            memory_read(memory[where->space],
                        where->base + storage->offset + view->offset + (uint64_t)surface * view->surface +
                            (uint64_t)y * view->line,
                        line, (size_t)(view->w * atom));
            for (int x = 0; x < view->w; x++)
                for (int c = surface * atom; c < view->c && c < (surface + 1) * atom; c++)
                    to[((size_t)y * (size_t)view->w + (size_t)x) * (size_t)view->c + (size_t)c] =
                        (int8_t)line[x * atom + c % atom];
        }
}

static struct difference compare(const int8_t *a, const int8_t *b, size_t count) {
    struct difference difference = {0};
    for (size_t i = 0; i < count; i++) {
        const int distance = abs(a[i] - b[i]);
        difference.count += distance > 0;
        difference.greatest = distance > difference.greatest ? distance : difference.greatest;
    }
    return difference;
}

/* Whether a difference from RULE_CPU is within the bars of 88-quantised-networks section 4. */
static bool allowed(const struct node *node, struct difference difference, size_t count) {
    const size_t share = node->kind == NODE_ADD ? count / 1000 : count / 10000;
    switch (node->kind) {
    case NODE_CONV:
    case NODE_DEPTHWISE:
    case NODE_FULLY_CONNECTED:
    case NODE_MEAN:
    case NODE_ADD:
    case NODE_RELU:
    case NODE_RELU6:
    case NODE_CLIP:
    case NODE_QUANTIZE:
    case NODE_CONCATENATION:
        return difference.greatest <= 1 && difference.count <= (share > SMALL_TENSOR ? share : SMALL_TENSOR);
    default:
        return difference.count == 0;
    }
}

/* Inputs of a node as they are in memory. */
static void read_inputs(struct checking *at, const struct node *node, struct memory *const memory[SPACE_COUNT]) {
    for (size_t i = 0; i < node->input_count; i++) {
        const int tensor = node->inputs[i];
        if (tensor == GRAPH_NONE || graph_tensor(at->graph, tensor)->data)
            continue;
        const struct view *view = &at->lowered->views[tensor];
        const struct tensor *t = graph_tensor(at->graph, tensor);
        if ((size_t)view->w * (size_t)view->h * (size_t)view->c == t->count) {
            read_view(at, view, memory, at->values[tensor]);
            continue;
        }
        /* A PAD that this node does itself. */
        for (size_t n = 0; n < at->graph->node_count; n++)
            if (at->graph->nodes[n].output == tensor) {
                read_inputs(at, &at->graph->nodes[n], memory);
                interpret_node(at->graph, &at->graph->nodes[n], RULE_CPU, at->values);
            }
    }
}

static void check_node(struct checking *at, size_t index, struct memory *const memory[SPACE_COUNT]) {
    const struct node *node = &at->graph->nodes[index];
    const size_t count = tensor_bytes(node_output(at->graph, node));
    struct difference differences[RULES];
    read_inputs(at, node, memory);
    read_view(at, &at->lowered->views[node->output], memory, at->found);
    for (int rule = 0; rule < RULES; rule++) {
        interpret_node(at->graph, node, (enum rounding_rule)rule, at->values);
        differences[rule] = compare(at->values[node->output], at->found, count);
    }
    const bool good = allowed(node, differences[RULE_CPU], count);
    at->wrong += !good;
    fprintf(at->out, "%s node %zu %s, tensor \"%s\": %zu of %zu differ from cpu, by at most %d; %zu from micro\n",
            good ? "pass" : "FAIL", node->number, node_name(node), node_output(at->graph, node)->name,
            differences[RULE_CPU].count, count, differences[RULE_CPU].greatest, differences[RULE_MICRO].count);
}

/* A node of the processor: its result is its tensor's; or in steps of CPU_STEP_SCALE, rounded toward zero, from inputs
 * of FP16; then of its tensor's scale, if other nodes read it. */
static void check_cpu_node(struct checking *at, size_t index, struct memory *const memory[SPACE_COUNT]) {
    enum { STEPS = 127, STEPS_MAX = 4 };
    const struct node *node = &at->graph->nodes[index];
    const struct tensor *out = node_output(at->graph, node);
    if (node->kind == NODE_LOG_SOFTMAX || node->kind == NODE_ARG_MAX) {
        check_node(at, index, memory);
        return;
    }
    const bool rescaled = lowered_result_read(at->graph, node->output);
    double greatest = 0;
    read_inputs(at, node, memory);
    read_view(at, &at->lowered->views[node->output], memory, at->found);
    interpret_node(at->graph, node, RULE_CPU, at->values);
    for (size_t i = 0; i < out->count; i++) {
        const double exact = (double)out->scales[0] * (at->values[node->output][i] - out->zero);
        const double found = rescaled ? STEPS * (double)out->scales[0] * (at->found[i] - out->zero) : at->found[i];
        greatest = fmax(greatest, fabs(STEPS * exact - found));
    }
    at->wrong += greatest > STEPS_MAX;
    fprintf(
        at->out, "%s node %zu %s, tensor \"%s\": %zu elements, off by at most %.1f / %d from cpu, on the processor\n",
        greatest > STEPS_MAX ? "FAIL" : "pass", node->number, node_name(node), out->name, out->count, greatest, STEPS);
}

/* After the last layer of a node. */
static void completed(void *context, size_t task, size_t operation, struct memory *const memory[SPACE_COUNT]) {
    struct checking *at = context;
    const struct lowered_step *step = &at->lowered->steps[task];
    if (step->cpu) { /* layers that follow may move its result */
        const bool moved = step->first < at->lowered->op_count && at->lowered->ops[step->first].node == step->node;
        if (!moved && operation + 1 == (size_t)step->pixels)
            check_cpu_node(at, step->node, memory);
        return;
    }
    const size_t op = step->first + operation, node = at->lowered->ops[op].node;
    const bool last = op + 1 == at->lowered->op_count || at->lowered->ops[op + 1].node != node;
    if (!last || node == at->graph->node_count || at->lowered->ops[op].operation.type == TYPE_CONV)
        return;
    if (node_of_processor(&at->graph->nodes[node])) {
        if (task > 0 && step[-1].cpu && step[-1].node == node)
            check_cpu_node(at, node, memory);
    } else {
        check_node(at, node, memory);
    }
}

bool quantised_check(FILE *out, const struct quantised *quantised, const struct compile_options *options,
                     struct error *err) {
    struct checking at = {.out = out, .graph = quantised->graph, .lowered = quantised->lowered};
    struct compile_options own = *options;
    size_t most = 0;
    for (size_t i = 0; i < at.graph->tensor_count; i++)
        most = tensor_bytes(&at.graph->tensors[i]) > most ? tensor_bytes(&at.graph->tensors[i]) : most;
    struct loadable *loadable = quantised_loadable(quantised, err);
    if (!loadable)
        return false;
    own.completed = completed;
    own.context = &at;
    own.no_layer_checks = true;
    at.loadable = loadable;
    at.values = values_new(at.graph);
    at.found = xmalloc(most + 1);
    autoprogram struct program *prog = compile_loadable(loadable, &own, err);
    bool fine = prog != NULL;
    for (size_t i = 0; prog && i < prog->warning_count; i++)
        fprintf(out, "%s\n", prog->warnings[i].text);
    if (fine && at.wrong)
        fine = error_set(err,
                         "%s: found %zu %s that differ from the reference by more than 88-quantised-networks "
                         "section 4 allows, expected none",
                         at.graph->path, at.wrong, text_plural(at.wrong, "node", "nodes"));
    values_free(at.graph, at.values);
    free(at.found);
    loadable_free(loadable);
    return fine;
}
