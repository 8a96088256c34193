/* Ends of networks that are not INT8. See read.h. */
#include "quantised/read.h"

static void replace(int *list, size_t count, int old, int new, bool *found) {
    for (size_t i = 0; i < count; i++)
        if (list[i] == old) {
            list[i] = new;
            *found = true;
        }
}

/* A QUANTIZE between uint8 and int8. */
static bool changes_nothing(const struct graph *graph, const struct node *node) {
    const struct tensor *in = node_input(graph, node, 0), *out = node_output(graph, node);
    return node->kind == NODE_QUANTIZE && in->type == TENSOR_INT8 && out->type == TENSOR_INT8 &&
           in->scales[0] == out->scales[0] && in->zero == out->zero;
}

/* Takes a node away from the inputs or outputs of the network. */
static bool cut_end(struct graph *graph, const struct node *node) {
    const bool same = changes_nothing(graph, node);
    bool cut = false;
    if (node->kind == NODE_QUANTIZE &&
        (same ? graph_readers(graph, node->inputs[0]) == 1 : node_input(graph, node, 0)->type == TENSOR_FLOAT))
        replace(graph->inputs, graph->input_count, node->inputs[0], node->output, &cut);
    if (cut)
        graph->tensors[node->output].in_file = node_input(graph, node, 0)->in_file;
    if (!cut && (same ? graph_readers(graph, node->output) == 0 : node->kind == NODE_DEQUANTIZE))
        replace(graph->outputs, graph->output_count, node->output, node->inputs[0], &cut);
    return cut;
}

/* The scale of TFLite's results of an operator of the processor, for one that the file leaves float32. */
static void tensor_of_processor(struct tensor *tensor, enum node_kind kind) {
    tensor->type = TENSOR_INT8;
    tensor->scales[0] = kind == NODE_LOG_SOFTMAX ? 1 / 16.0F : 1 / 256.0F;
    tensor->zero = kind == NODE_LOG_SOFTMAX ? INT8_MAX : INT8_MIN;
    tensor->scale_count = 1;
}

/* An operator of the processor on float32, behind a DEQUANTIZE or another one, takes integers. */
static void take_integers(struct graph *graph) {
    for (size_t n = 0; n < graph->node_count; n++) {
        struct node *node = &graph->nodes[n];
        const struct node *before = node_of_processor(node) ? graph_producer(graph, node->inputs[0]) : NULL;
        struct tensor *out = &graph->tensors[node->output];
        if (before && before < node && before->kind == NODE_DEQUANTIZE)
            node->inputs[0] = before->inputs[0];
        if (before && out->type == TENSOR_FLOAT && !out->data && node_input(graph, node, 0)->type == TENSOR_INT8)
            tensor_of_processor(out, node->kind);
    }
}

/* The accelerator's inputs and outputs are INT8: a QUANTIZE of an input, a DEQUANTIZE to an output, a change to or from
 * uint8 are left to who fills and reads them. */
static bool cut_ends(struct graph *graph, struct error *err) {
    size_t kept = 0;
    take_integers(graph);
    for (size_t n = 0; n < graph->node_count; n++) {
        const struct node *node = &graph->nodes[n];
        const bool unread = node->kind == NODE_DEQUANTIZE && graph_readers(graph, node->output) == 0;
        if (cut_end(graph, node) || unread)
            continue;
        if (node->kind == NODE_DEQUANTIZE ||
            (node->kind == NODE_QUANTIZE && node_input(graph, node, 0)->type == TENSOR_FLOAT)) {
            return node_refuse(graph, node, err,
                               "found it inside the network, expected it only at an input or an output: the "
                               "accelerator computes INT8");
        }
        graph->nodes[kept++] = *node;
    }
    graph->node_count = kept;
    return true;
}

static bool check_ends(const struct graph *graph, struct error *err) {
    for (size_t i = 0; i < graph->input_count + graph->output_count; i++) {
        const bool in = i < graph->input_count;
        const struct tensor *tensor =
            graph_tensor(graph, in ? graph->inputs[i] : graph->outputs[i - graph->input_count]);
        if (tensor->data || (tensor->type != TENSOR_INT8 && (in || tensor->type != TENSOR_INDEX)))
            return error_set(err, "%s: found %s \"%s\" to be %s, expected computed int8", graph->path,
                             in ? "input" : "output", tensor->name, tensor->data ? "a constant" : "no int8");
        if (tensor->rank > 1 && tensor->dims[0] > 1)
            return error_set(err, "%s: found a batch of %d in \"%s\", expected 1", graph->path, tensor->dims[0],
                             tensor->name);
        for (size_t k = 0; k < i && k < graph->input_count; k++)
            if (in && graph->inputs[k] == graph->inputs[i])
                return error_set(err, "%s: found input \"%s\" twice, expected each once", graph->path, tensor->name);
    }
    return true;
}

bool ends_settle(struct graph *graph, struct error *err) {
    return cut_ends(graph, err) && check_ends(graph, err);
}
