/* TFLite operators as nodes of the graph. See read.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "quantised/tflite_reading.h"

#define refuse(at, node, format, ...)                                                                                  \
    flat_fail(&(at)->flat, (at)->entry.at, "node %zu, %s, tensor \"%s\": " format, (at)->entry.index, node_name(node), \
              (node)->output == GRAPH_NONE ? "?" : node_output((at)->graph, node)->name, __VA_ARGS__)

/* The constant int32 values of an input; NULL with a message. */
static const int32_t *constant(struct tflite_reading *at, const struct node *node, size_t i, size_t least,
                               const char *what) {
    const struct tensor *tensor =
        i < node->input_count && node->inputs[i] != GRAPH_NONE ? graph_tensor(at->graph, node->inputs[i]) : NULL;
    if (tensor && tensor->type == TENSOR_INT32 && tensor->data && tensor->count >= least)
        return tensor->data;
    refuse(at, node, "found no constant int32 of at least %zu values as its %s, expected such", least, what);
    return NULL;
}

/* ---- options ---- */

/* Strides, dilation from a field of the options on (0: none), and padding. */
static bool read_steps(struct tflite_reading *at, unsigned dilation, struct node *node) {
    const int padding = tflite_number(at, &at->options, 0, 1, "padding");
    for (unsigned i = 0; i < 2; i++) {
        struct axis *axis = &node->axes[i ? HEIGHT : WIDTH];
        axis->stride = tflite_number(at, &at->options, 1 + i, 4, "stride");
        axis->dilation = dilation && flat_has(&at->flat, &at->options, dilation + i)
                             ? tflite_number(at, &at->options, dilation + i, 4, "dilation")
                             : 1;
        if (padding == 0)
            axis_pad_same(axis, node_input(at->graph, node, 0)->sides[i ? HEIGHT : WIDTH]);
    }
    return padding <= 1 || refuse(at, node, "found padding %d, expected 0 (SAME) or 1 (VALID)", padding);
}

static bool read_pool(struct tflite_reading *at, struct node *node) {
    node->x.size = tflite_number(at, &at->options, 3, 4, "width of windows");
    node->y.size = tflite_number(at, &at->options, 4, 4, "height of windows");
    return read_steps(at, 0, node);
}

static bool read_conv(struct tflite_reading *at, struct node *node) {
    const struct tensor *weights = node_input(at->graph, node, 1);
    if (weights->rank != AXES)
        return refuse(at, node, "found weights of %d dimensions, expected 4", weights->rank);
    node->y.size = weights->dims[1];
    node->x.size = weights->dims[2];
    if (node->kind == NODE_CONV)
        node->groups = node_input(at->graph, node, 0)->c / weights->dims[3];
    return read_steps(at, node->kind == NODE_CONV ? 4 : 5, node);
}

static bool read_fully_connected(struct tflite_reading *at, struct node *node) {
    const struct tensor *in = node_input(at->graph, node, 0), *weights = node_input(at->graph, node, 1);
    const int format = tflite_number(at, &at->options, 1, 1, "format of weights");
    if (format != 0)
        return refuse(at, node, "found format %d of its weights, expected 0 (plain)", format);
    /* With keep_num_dims, and weights for the last dimension: for each pixel. */
    const bool pixels =
        tflite_number(at, &at->options, 2, 1, "keep_num_dims") != 0 && weights->rank == 2 && weights->dims[1] == in->c;
    node->x.size = pixels ? 1 : in->w;
    node->y.size = pixels ? 1 : in->h;
    return true;
}

/* MEAN and ARG_MAX: the axes that become one element. */
static bool read_taken(struct tflite_reading *at, struct node *node) {
    const struct tensor *in = node_input(at->graph, node, 0);
    const int32_t *axes = constant(at, node, 1, 1, "axes");
    for (size_t i = 0; axes && i < node_input(at->graph, node, 1)->count; i++) {
        const int dimension = axes[i] < 0 ? axes[i] + in->rank : axes[i];
        if (dimension < 0 || dimension >= in->rank)
            return refuse(at, node, "found axis %d of %d, expected one of them", axes[i], in->rank);
        node->axis = graph_axis(at->graph, in->rank, dimension);
        node->axes[node->axis].size = in->sides[node->axis];
        node->taken |= 1U << node->axis;
    }
    struct tensor *out = &at->graph->tensors[node->output];
    if (node->kind == NODE_ARG_MAX && out->type == TENSOR_INT32 && !out->data)
        out->type = TENSOR_INDEX;
    return axes != NULL;
}

static bool read_transpose(struct tflite_reading *at, struct node *node) {
    const struct tensor *in = node_input(at->graph, node, 0), *out = node_output(at->graph, node);
    const int32_t *order = constant(at, node, 1, (size_t)in->rank, "order");
    unsigned seen = 0;
    if (!order)
        return false;
    if (in->data)
        return refuse(at, node, "found %s, expected a tensor that is computed", "a constant");
    for (int i = 0; i < AXES; i++)
        node->order[i] = i;
    for (int i = 0; i < in->rank; i++) {
        const bool known = order[i] >= 0 && order[i] < in->rank && !(seen & 1U << order[i]);
        if (!known || (i == 0) != (order[i] == 0) || out->rank != in->rank || out->dims[i] != in->dims[order[i]])
            return refuse(at, node,
                          "found dimension %d at place %d, expected each once, the batch first, and the output's sides",
                          order[i], i);
        seen |= 1U << order[i];
        node->order[graph_axis(at->graph, in->rank, i)] = graph_axis(at->graph, in->rank, order[i]);
    }
    return true;
}

static bool read_pad(struct tflite_reading *at, struct node *node) {
    const int rank = node_input(at->graph, node, 0)->rank;
    const int32_t *pads = constant(at, node, 1, 2 * (size_t)rank, "padding");
    for (int i = 0; pads && i < rank; i++) {
        struct axis *axis = &node->axes[graph_axis(at->graph, rank, i)];
        axis->before = pads[2 * i];
        axis->after = pads[2 * i + 1];
        if (axis->before < 0 || axis->before > TENSOR_SIDE_MAX || axis->after < 0 || axis->after > TENSOR_SIDE_MAX ||
            node->n.before || node->n.after)
            return refuse(at, node, "found padding of %d and %d in dimension %d, expected 0 to %d, 0 in the batch",
                          axis->before, axis->after, i, TENSOR_SIDE_MAX);
    }
    return pads != NULL;
}

static bool read_concatenation(struct tflite_reading *at, struct node *node) {
    const struct tensor *out = node_output(at->graph, node);
    const int given = tflite_number(at, &at->options, 0, 4, "axis"), axis = given < 0 ? given + out->rank : given;
    if (axis < 1 || axis >= out->rank)
        return refuse(at, node, "found axis %d of %d, expected height, width or channels", axis, out->rank);
    node->axis = graph_axis(at->graph, out->rank, axis);
    return true;
}

static bool read_softmax(struct tflite_reading *at, struct node *node) {
    const uint32_t bits = (uint32_t)flat_number(&at->flat, &at->options, 0, 4, "beta");
    memcpy(&node->beta, &bits, sizeof bits);
    return (isfinite(node->beta) && node->beta > 0) ||
           refuse(at, node, "found beta %g, expected a finite number above 0", (double)node->beta);
}

/* ---- operators ---- */

/* Activations by their code, and their limits. */
enum { ACTIVATION_NONE, ACTIVATION_RELU, ACTIVATION_RELU_1, ACTIVATION_RELU6, ACTIVATIONS };
static const double activations[ACTIVATIONS][2] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-1, 1}, {0, 6}};

/* Operators by their code: what they are here, the last version whose INT8 form is the one of chapter 88, the inputs
 * that are needed, the field of the options that has an activation (GRAPH_NONE: the activation that it is), the rest.
 */
struct known_operator {
    int code;
    enum node_kind kind;
    unsigned version;
    size_t inputs;
    int field, activation;
    bool (*read)(struct tflite_reading *at, struct node *node);
};

static const struct known_operator operators[] = {
    {0, NODE_ADD, 3, 2, 0, 0, NULL},
    {1, NODE_AVERAGE_POOL, 3, 1, 5, 0, read_pool},
    {2, NODE_CONCATENATION, 3, 1, 1, 0, read_concatenation},
    {3, NODE_CONV, 6, 2, 3, 0, read_conv},
    {4, NODE_DEPTHWISE, 6, 2, 4, 0, read_conv},
    {6, NODE_DEQUANTIZE, 5, 1, GRAPH_NONE, 0, NULL},
    {9, NODE_FULLY_CONNECTED, 12, 2, 0, 0, read_fully_connected},
    {14, NODE_LOGISTIC, 3, 1, GRAPH_NONE, 0, NULL},
    {17, NODE_MAX_POOL, 3, 1, 5, 0, read_pool},
    {19, NODE_RELU, 3, 1, GRAPH_NONE, ACTIVATION_RELU, NULL},
    {20, NODE_CLIP, 1, 1, GRAPH_NONE, ACTIVATION_RELU_1, NULL},
    {21, NODE_RELU6, 3, 1, GRAPH_NONE, ACTIVATION_RELU6, NULL},
    {22, NODE_RESHAPE, 1, 1, GRAPH_NONE, 0, NULL},
    {25, NODE_SOFTMAX, 3, 1, GRAPH_NONE, 0, read_softmax},
    {34, NODE_PAD, 4, 1, GRAPH_NONE, 0, read_pad},
    {39, NODE_TRANSPOSE, 4, 1, GRAPH_NONE, 0, read_transpose},
    {40, NODE_MEAN, 3, 1, GRAPH_NONE, 0, read_taken},
    {50, NODE_LOG_SOFTMAX, 2, 1, GRAPH_NONE, 0, NULL},
    {56, NODE_ARG_MAX, 3, 1, GRAPH_NONE, 0, read_taken},
    {114, NODE_QUANTIZE, 3, 1, GRAPH_NONE, 0, NULL},
};

/* Names of operators in the order of their codes; of newer ones, messages have the number. */
static const char all_names[] =
    "ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D DEPTH_TO_SPACE DEQUANTIZE EMBEDDING_LOOKUP FLOOR "
    "FULLY_CONNECTED HASHTABLE_LOOKUP L2_NORMALIZATION L2_POOL_2D LOCAL_RESPONSE_NORMALIZATION LOGISTIC "
    "LSH_PROJECTION LSTM MAX_POOL_2D MUL RELU RELU_N1_TO_1 RELU6 RESHAPE RESIZE_BILINEAR RNN SOFTMAX "
    "SPACE_TO_DEPTH SVDF TANH CONCAT_EMBEDDINGS SKIP_GRAM CALL CUSTOM EMBEDDING_LOOKUP_SPARSE PAD "
    "UNIDIRECTIONAL_SEQUENCE_RNN GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB DIV SQUEEZE "
    "UNIDIRECTIONAL_SEQUENCE_LSTM STRIDED_SLICE BIDIRECTIONAL_SEQUENCE_RNN EXP TOPK_V2 SPLIT LOG_SOFTMAX DELEGATE "
    "BIDIRECTIONAL_SEQUENCE_LSTM CAST PRELU MAXIMUM ARG_MAX MINIMUM LESS NEG PADV2 GREATER GREATER_EQUAL "
    "LESS_EQUAL SELECT SLICE SIN TRANSPOSE_CONV SPARSE_TO_DENSE TILE EXPAND_DIMS EQUAL NOT_EQUAL LOG SUM SQRT "
    "RSQRT SHAPE POW ARG_MIN FAKE_QUANT REDUCE_PROD REDUCE_MAX PACK LOGICAL_OR ONE_HOT LOGICAL_AND LOGICAL_NOT "
    "UNPACK REDUCE_MIN FLOOR_DIV REDUCE_ANY SQUARE ZEROS_LIKE FILL FLOOR_MOD RANGE RESIZE_NEAREST_NEIGHBOR "
    "LEAKY_RELU SQUARED_DIFFERENCE MIRROR_PAD ABS SPLIT_V UNIQUE CEIL REVERSE_V2 ADD_N GATHER_ND COS WHERE RANK "
    "ELU REVERSE_SEQUENCE MATRIX_DIAG QUANTIZE MATRIX_SET_DIAG ROUND HARD_SWISH IF WHILE NON_MAX_SUPPRESSION_V4 "
    "NON_MAX_SUPPRESSION_V5 SCATTER_ND SELECT_V2 DENSIFY SEGMENT_SUM BATCH_MATMUL PLACEHOLDER CUMSUM CALL_ONCE "
    "BROADCAST_TO RFFT2D CONV_3D IMAG REAL COMPLEX_ABS HASHTABLE HASHTABLE_FIND HASHTABLE_IMPORT HASHTABLE_SIZE "
    "REDUCE_ALL CONV_3D_TRANSPOSE VAR_HANDLE READ_VARIABLE ASSIGN_VARIABLE BROADCAST_ARGS RANDOM_STANDARD_NORMAL "
    "BUCKETIZE RANDOM_UNIFORM MULTINOMIAL GELU";

/* An operator's code in the file's list. */
struct operator_code {
    int code;
    unsigned version;
    char name[64];
};

static bool read_code(struct tflite_reading *at, const struct flat_table *entry, struct operator_code *operator) {
    const size_t index = (size_t)flat_number(&at->flat, entry, 0, 4, "operator code");
    if (at->flat.failed)
        return false;
    if (index >= at->codes.count)
        return flat_fail(&at->flat, entry->at, "node %zu: found operator code %zu, expected one of the file's %zu",
                         entry->index, index, at->codes.count);
    const struct flat_table code = flat_entry(&at->flat, &at->codes, index, "operator code");
    const int old = (int8_t)flat_number(&at->flat, &code, 0, 1, "code"), new = tflite_number(at, &code, 3, 4, "code");
    const struct flat_text custom = flat_text(&at->flat, &code, 1, "custom code");
    operator->code = old> new ? old : new;
    operator->version = flat_has(&at->flat, &code, 2) ? (unsigned)tflite_number(at, &code, 2, 4, "version") : 1;
    const char *name = operator->code<0 ? NULL : all_names;
    for (int i = 0; name && i < operator->code; i++)
        name = strchr(name, ' ') ? strchr(name, ' ') + 1 : NULL;
    snprintf(operator->name, sizeof operator->name, "operator %d", operator->code);
    if (name)
        snprintf(operator->name, sizeof operator->name, "%.*s", (int)strcspn(name, " "), name);
    if (custom.text && custom.n)
        text_shown_bytes(custom.text, custom.n, operator->name, sizeof operator->name);
    return !at->flat.failed;
}

static const struct known_operator *find_operator(const struct operator_code *code) {
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (operators[i].code == code->code)
            return &operators[i];
    return NULL;
}

/* The name of the tensor that a node computes. */
static const char *output_name(struct tflite_reading *at, const struct flat_table *subgraph,
                               const struct flat_table *entry, char shown[64]) {
    const struct flat_vector tensors = flat_vector(&at->flat, subgraph, 0, 4, "tensors"),
                             outputs = flat_vector(&at->flat, entry, 2, 4, "outputs");
    const size_t output =
        outputs.count && !at->flat.failed ? (size_t)flat_element(&at->flat, &outputs, 0, 4) : SIZE_MAX;
    if (at->flat.failed || output >= tensors.count)
        return "?";
    const struct flat_table tensor = flat_entry(&at->flat, &tensors, output, "tensor");
    const struct flat_text name = flat_text(&at->flat, &tensor, 3, "name");
    return text_shown_bytes(name.text ? name.text : "", name.n, shown, 64);
}

/* What a network with some operators is, for whom its refusal surprises. */
static const char *kind_of_network(const char *all) {
    if (strstr(all, "ethos-u"))
        return ". Vela has compiled this file for an Ethos-U: take the file that it was made from";
    if (strstr(all, "VAR_HANDLE") || strstr(all, "READ_VARIABLE"))
        return ". It is a streaming network, which keeps variables from one call to the next";
    if (strstr(all, "LSTM") || strstr(all, "SVDF") || strstr(all, "RNN"))
        return ". It is a recurrent network, which keeps a state, of int16, from one step to the next";
    return "";
}

bool tflite_check_operators(struct tflite_reading *at, const struct flat_vector *subgraphs) {
    struct strangers strangers = {0};
    size_t all = 0, place = 0;
    char *first = NULL, shown[64];
    struct operator_code code;
    for (size_t g = 0; g < subgraphs->count && !at->flat.failed; g++) {
        const struct flat_table subgraph = flat_entry(&at->flat, subgraphs, g, "subgraph");
        const struct flat_vector list = flat_vector(&at->flat, &subgraph, 3, 4, "operators");
        for (size_t i = 0; i < list.count && !at->flat.failed; i++) {
            const struct flat_table entry = flat_entry(&at->flat, &list, i, "node");
            all++;
            if (!read_code(at, &entry, &code) || find_operator(&code) || !strangers_add(&strangers, code.name))
                continue;
            place = entry.at;
            first = xprintf("node %zu, %s version %u, tensor \"%s\"", i, code.name, code.version,
                            output_name(at, &subgraph, &entry, shown));
        }
    }
    autofree char *text = strangers_text(&strangers, all);
    if (first && !at->flat.failed)
        flat_fail(&at->flat, place, "%s: %s%s", first, text, kind_of_network(text));
    free(first);
    return !at->flat.failed;
}

static bool read_node(struct tflite_reading *at, struct node *node) {
    const struct flat_table *entry = &at->entry;
    int outputs[1] = {GRAPH_NONE};
    at->options = flat_table(&at->flat, entry, 4, "options");
    size_t output_count = 0;
    *node = (struct node){.number = entry->index, .groups = 1, .axis = CHANNELS, .beta = 1};
    for (int i = 0; i < AXES; i++)
        node->axes[i] = axis_of(1);
    if (!tflite_indices(at, entry, 1, "inputs", node->inputs, &node->input_count, NODE_INPUTS_MAX) ||
        !tflite_indices(at, entry, 2, "outputs", outputs, &output_count, 1))
        return false;
    node->output = outputs[0];
    struct operator_code code;
    const struct known_operator *known = read_code(at, entry, &code) ? find_operator(&code) : NULL;
    if (!known)
        return false;
    node->kind = known->kind;
    if (code.version < 1 || code.version > known->version)
        return refuse(at, node, "found version %u, expected 1 to %u", code.version, known->version);
    if (node->output == GRAPH_NONE || node->input_count < known->inputs)
        return refuse(at, node, "found %zu inputs and %zu outputs, expected at least %zu and 1", node->input_count,
                      output_count, known->inputs);
    const size_t all = node->kind == NODE_CONCATENATION ? node->input_count : known->inputs;
    for (size_t i = 0; i < all; i++)
        if (node->inputs[i] == GRAPH_NONE)
            return refuse(at, node, "found input %zu absent, expected a tensor", i);
    for (size_t i = 0; i < all; i++) {
        const struct tensor *in = node_input(at->graph, node, i);
        if (in->rank > 1 && in->dims[0] != 1 && in->data == NULL)
            return refuse(at, node, "found a batch of %d in input \"%s\", expected 1", in->dims[0], in->name);
    }
    if ((known->read && !known->read(at, node)) || at->flat.failed)
        return false;
    if (all == 1) /* what else there is has been read */
        node->input_count = 1;
    const int activation = known->field == GRAPH_NONE
                               ? known->activation
                               : tflite_number(at, &at->options, (unsigned)known->field, 1, "activation");
    if (activation < ACTIVATION_NONE || activation >= ACTIVATIONS)
        return refuse(at, node, "found activation %d, expected 0 (none), 1 (RELU), 2 (RELU_N1_TO_1) or 3 (RELU6)",
                      activation);
    node->low = activations[activation][0];
    node->high = activations[activation][1];
    return !at->flat.failed;
}

bool tflite_read_nodes(struct tflite_reading *at, const struct flat_table *subgraph) {
    struct graph *graph = at->graph;
    const struct flat_vector list = flat_vector(&at->flat, subgraph, 3, 4, "operators");
    if (list.count > NODES_MAX)
        return flat_fail(&at->flat, list.at, "found %zu nodes, expected at most %d", list.count, NODES_MAX);
    graph->nodes = xcalloc(list.count, sizeof *graph->nodes);
    while (graph->node_count < list.count && !at->flat.failed) {
        at->entry = flat_entry(&at->flat, &list, graph->node_count, "node");
        if (!read_node(at, &graph->nodes[graph->node_count++]))
            return false;
    }
    return !at->flat.failed;
}
