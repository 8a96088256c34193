/* TFLite files: FlatBuffers, read through loadable/flat.h. Here tensors and ends; tflite_nodes.c has the operators. See
 * read.h. */
#include "quantised/read.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"
#include "quantised/tflite_reading.h"

/* Types of elements by their number. */
enum { TYPE_FLOAT32 = 0, TYPE_INT32 = 2, TYPE_UINT8 = 3, TYPE_INT64 = 4, TYPE_INT8 = 9 };
static const char *const type_names[] = {"float32", "float16",  "int32",   "uint8",  "int64",   "text",
                                         "bool",    "int16",    "complex", "int8",   "float64", "complex128",
                                         "uint64",  "resource", "variant", "uint32", "uint16",  "int4"};
enum { TYPE_NAMES = sizeof type_names / sizeof type_names[0] };

/* Values of uint8, as at the ends of many networks, are taken as int8: less this. */
enum { UNSIGNED_ZERO = 128 };

int tflite_number(struct tflite_reading *at, const struct flat_table *table, unsigned k, size_t bytes,
                  const char *field) {
    return (int)(uint32_t)flat_number(&at->flat, table, k, bytes, field);
}

/* ---- tensors ---- */

#define tensor_refuse(at, entry, tensor, format, ...)                                                                  \
    flat_fail(&(at)->flat, (entry)->at, "tensor %zu \"%s\": " format, (entry)->index, (tensor)->name, __VA_ARGS__)

static bool read_shape(struct tflite_reading *at, const struct flat_table *entry, struct tensor *tensor) {
    const struct flat_vector shape = flat_vector(&at->flat, entry, 0, 4, "shape");
    tensor->count = 1;
    tensor->n = tensor->h = tensor->w = tensor->c = 1;
    tensor->rank = (int)shape.count;
    if (shape.count > 4)
        return tensor_refuse(at, entry, tensor, "found %zu dimensions, expected at most 4", shape.count);
    for (size_t i = 0; i < shape.count; i++) {
        const int32_t side = (int32_t)flat_element(&at->flat, &shape, i, 4);
        if (at->flat.failed)
            return false;
        if (side < 1 || (uint64_t)tensor->count * (uint64_t)side > TENSOR_ELEMENTS_MAX)
            return tensor_refuse(at, entry, tensor,
                                 "found a size of %d in dimension %zu, expected 1 or more and at most %d "
                                 "elements in all",
                                 side, i, TENSOR_ELEMENTS_MAX);
        const int axis = graph_axis(at->graph, tensor->rank, (int)i);
        tensor->dims[i] = side;
        tensor->count *= (size_t)side;
        tensor->sides[axis] = axis == BATCH ? 1 : side;
    }
    return true;
}

static void read_quantisation(struct tflite_reading *at, const struct flat_table *entry, int lowered,
                              struct tensor *tensor) {
    const struct flat_table quantisation = flat_table(&at->flat, entry, 4, "quantisation");
    const struct flat_vector scales = flat_vector(&at->flat, &quantisation, 2, 4, "scales");
    const struct flat_vector zeros = flat_vector(&at->flat, &quantisation, 3, 8, "zero points");
    tensor->scale_count = scales.count ? scales.count : 1;
    tensor->scales = xcalloc(tensor->scale_count, sizeof *tensor->scales);
    tensor->scales[0] = 1;
    for (size_t i = 0; i < scales.count && !at->flat.failed; i++) {
        const uint32_t bits = (uint32_t)flat_element(&at->flat, &scales, i, 4);
        memcpy(&tensor->scales[i], &bits, sizeof bits);
        if (tensor->type == TENSOR_INT8 && !(isfinite(tensor->scales[i]) && tensor->scales[i] > 0))
            tensor_refuse(at, entry, tensor, "found scale %g, expected a finite number above 0",
                          (double)tensor->scales[i]);
    }
    tensor->sliced = tflite_number(at, &quantisation, 6, 4, "quantised dimension");
    for (size_t i = 0; i < zeros.count && !at->flat.failed; i++) {
        const int64_t zero = (int64_t)flat_element(&at->flat, &zeros, i, 8), low = INT8_MIN + lowered;
        if (tensor->type == TENSOR_INT8 &&
            (zero < low || zero > INT8_MAX + lowered || (i && zero - lowered != tensor->zero)))
            tensor_refuse(at, entry, tensor,
                          "found zero point %" PRId64 ", expected %" PRId64 " to %d, the same for all slices", zero,
                          low, INT8_MAX + lowered);
        tensor->zero = (int)(zero - lowered);
    }
    if (!zeros.count)
        tensor->zero = -lowered;
}

/* A copy of constants of 32 bits, or of 64 bits that become 32: in the file they may be unaligned. */
static const void *aligned_copy(struct graph *graph, const uint8_t *from, size_t count, size_t bytes) {
    int32_t *copy = graph_own(graph, count * sizeof *copy);
    for (size_t i = 0; i < count; i++)
        memcpy(&copy[i], from + i * bytes, sizeof *copy);
    return copy;
}

/* bytes: of an element. */
static bool read_data(struct tflite_reading *at, const struct flat_table *entry, size_t bytes, struct tensor *tensor) {
    const uint32_t index = (uint32_t)flat_number(&at->flat, entry, 2, 4, "buffer");
    if (at->flat.failed)
        return false;
    if (index >= at->buffers.count)
        return tensor_refuse(at, entry, tensor, "found buffer %u, expected one of the file's %zu", index,
                             at->buffers.count);
    const struct flat_table buffer = flat_entry(&at->flat, &at->buffers, index, "buffer");
    const struct flat_vector data = flat_vector(&at->flat, &buffer, 0, 1, "data");
    if (at->flat.failed)
        return false;
    if (data.count == 0) {
        at->computed += tensor->count;
        return at->computed <= GRAPH_ELEMENTS_MAX ||
               flat_fail(&at->flat, entry->at, "found more than %d elements in all tensors, expected no more",
                         GRAPH_ELEMENTS_MAX);
    }
    if (data.count != tensor->count * bytes)
        return tensor_refuse(at, entry, tensor, "found %zu bytes of data, expected %zu", data.count,
                             tensor->count * bytes);
    const uint8_t *from = at->flat.bytes + data.at;
    tensor->data = bytes == 1 ? from : aligned_copy(at->graph, from, tensor->count, bytes);
    return true;
}

static void read_tensor(struct tflite_reading *at, const struct flat_table *entry, struct tensor *tensor) {
    const struct flat_text name = flat_text(&at->flat, entry, 3, "name");
    char shown[64];
    tensor->name = xstrdup(text_shown_bytes(name.text ? name.text : "", name.n, shown, sizeof shown));
    const int type = tflite_number(at, entry, 1, 1, "type");
    const bool bytes = type == TYPE_INT8 || type == TYPE_UINT8, whole = type == TYPE_INT32 || type == TYPE_INT64;
    tensor->in_file = type == TYPE_UINT8 ? FILE_UINT8 : type == TYPE_FLOAT32 ? FILE_FLOAT : FILE_INT8;
    tensor->type = bytes ? TENSOR_INT8 : whole ? TENSOR_INT32 : TENSOR_FLOAT;
    if (!bytes && !whole && type != TYPE_FLOAT32)
        tensor_refuse(at, entry, tensor,
                      "found %s, expected int8, uint8, int32 or float32: quantise the whole network to "
                      "INT8",
                      type >= 0 && type < TYPE_NAMES ? type_names[type] : "an unknown type");
    if (!read_shape(at, entry, tensor))
        return;
    read_quantisation(at, entry, type == TYPE_UINT8 ? UNSIGNED_ZERO : 0, tensor);
    if (read_data(at, entry, bytes ? 1 : type == TYPE_INT64 ? 8 : 4, tensor) && type == TYPE_UINT8 && tensor->data)
        flat_fail(&at->flat, entry->at, "tensor %zu \"%s\": found constants of uint8, expected int8", entry->index,
                  tensor->name);
}

static void read_tensors(struct tflite_reading *at, const struct flat_table *subgraph) {
    struct graph *graph = at->graph;
    const struct flat_vector list = flat_vector(&at->flat, subgraph, 0, 4, "tensors");
    if (list.count > TENSORS_MAX)
        flat_fail(&at->flat, list.at, "found %zu tensors, expected at most %d", list.count, TENSORS_MAX);
    if (at->flat.failed)
        return;
    graph->tensors = xcalloc(list.count, sizeof *graph->tensors);
    while (graph->tensor_count < list.count && !at->flat.failed) {
        const struct flat_table entry = flat_entry(&at->flat, &list, graph->tensor_count, "tensor");
        read_tensor(at, &entry, &graph->tensors[graph->tensor_count++]);
    }
}

/* ---- ends ---- */

bool tflite_indices(struct tflite_reading *at, const struct flat_table *entry, unsigned k, const char *what, int *list,
                    size_t *count, size_t most) {
    const struct flat_vector indices = flat_vector(&at->flat, entry, k, 4, what);
    if (indices.count > most)
        return flat_fail(&at->flat, entry->at, "node %zu: found %zu %s, expected at most %zu", entry->index,
                         indices.count, what, most);
    for (size_t i = 0; i < indices.count && !at->flat.failed; i++) {
        const int32_t index = (int32_t)flat_element(&at->flat, &indices, i, 4);
        if (index < GRAPH_NONE || (index >= 0 && (size_t)index >= at->graph->tensor_count))
            return flat_fail(&at->flat, entry->at, "%s %zu: found tensor %d in its %s, expected one of the %zu",
                             entry->what, entry->index, index, what, at->graph->tensor_count);
        list[i] = index;
    }
    *count = indices.count;
    return !at->flat.failed;
}

static int *read_ends(struct tflite_reading *at, const struct flat_table *subgraph, unsigned k, const char *what,
                      size_t *count) {
    enum { ENDS_MAX = 64 };
    int *list = xcalloc(ENDS_MAX, sizeof *list);
    if (!tflite_indices(at, subgraph, k, what, list, count, ENDS_MAX))
        return list;
    if (*count == 0)
        flat_fail(&at->flat, subgraph->at, "found no %s of the network, expected at least one", what);
    for (size_t i = 0; i < *count; i++)
        if (list[i] == GRAPH_NONE)
            flat_fail(&at->flat, subgraph->at, "found an absent tensor in the %s of the network", what);
    return list;
}

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
static bool cut_ends(struct tflite_reading *at) {
    struct graph *graph = at->graph;
    size_t kept = 0;
    take_integers(graph);
    for (size_t n = 0; n < graph->node_count; n++) {
        const struct node *node = &graph->nodes[n];
        const bool unread = node->kind == NODE_DEQUANTIZE && graph_readers(graph, node->output) == 0;
        if (cut_end(graph, node) || unread)
            continue;
        if (node->kind == NODE_DEQUANTIZE ||
            (node->kind == NODE_QUANTIZE && node_input(graph, node, 0)->type == TENSOR_FLOAT)) {
            return node_refuse(graph, node, at->flat.err,
                               "found it inside the network, expected it only at an input or an output: the "
                               "accelerator computes INT8");
        }
        graph->nodes[kept++] = *node;
    }
    graph->node_count = kept;
    return true;
}

static bool check_ends(struct tflite_reading *at) {
    struct graph *graph = at->graph;
    for (size_t i = 0; i < graph->input_count + graph->output_count; i++) {
        const bool in = i < graph->input_count;
        const struct tensor *tensor =
            graph_tensor(graph, in ? graph->inputs[i] : graph->outputs[i - graph->input_count]);
        if (tensor->data || (tensor->type != TENSOR_INT8 && (in || tensor->type != TENSOR_INDEX)))
            return error_set(at->flat.err, "%s: found %s \"%s\" to be %s, expected computed int8", graph->path,
                             in ? "input" : "output", tensor->name, tensor->data ? "a constant" : "no int8");
        if (tensor->rank > 1 && tensor->dims[0] != 1)
            return error_set(at->flat.err, "%s: found a batch of %d in \"%s\", expected 1", graph->path,
                             tensor->dims[0], tensor->name);
        for (size_t k = 0; k < i && k < graph->input_count; k++)
            if (in && graph->inputs[k] == graph->inputs[i])
                return error_set(at->flat.err, "%s: found input \"%s\" twice, expected each once", graph->path,
                                 tensor->name);
    }
    return true;
}

static bool read_model(struct tflite_reading *at) {
    enum { FORMAT_VERSION = 3 };
    if (at->flat.n < 8 || memcmp(at->flat.bytes + 4, "TFL3", 4) != 0)
        return flat_fail(&at->flat, 4, "found no identifier TFL3, expected a TFLite file");
    const struct flat_table root = flat_root(&at->flat, "TFLite file");
    const int version = tflite_number(at, &root, 0, 4, "version");
    if (!at->flat.failed && version != FORMAT_VERSION)
        flat_fail(&at->flat, root.at, "found version %d of the format, expected %d", version, FORMAT_VERSION);
    at->codes = flat_vector(&at->flat, &root, 1, 4, "operator codes");
    at->buffers = flat_vector(&at->flat, &root, 4, 4, "buffers");
    const struct flat_vector subgraphs = flat_vector(&at->flat, &root, 2, 4, "subgraphs");
    if (!at->flat.failed && tflite_check_operators(at, &subgraphs) && subgraphs.count != 1)
        flat_fail(&at->flat, root.at, "found %zu subgraphs, expected 1", subgraphs.count);
    if (at->flat.failed)
        return false;
    const struct flat_table subgraph = flat_entry(&at->flat, &subgraphs, 0, "subgraph");
    read_tensors(at, &subgraph);
    at->graph->inputs = read_ends(at, &subgraph, 1, "inputs", &at->graph->input_count);
    at->graph->outputs = read_ends(at, &subgraph, 2, "outputs", &at->graph->output_count);
    return !at->flat.failed && tflite_read_nodes(at, &subgraph);
}

struct graph *tflite_parse(const char *path, const void *bytes, size_t n, struct error *err) {
    struct tflite_reading at = {.flat = flat_open(path, bytes, n, err), .graph = xcalloc(1, sizeof *at.graph)};
    at.graph->path = text_shown(path);
    if (read_model(&at) && layout_settle(at.graph, err) && cut_ends(&at) && check_ends(&at) &&
        graph_check(at.graph, err))
        return at.graph;
    graph_free(at.graph);
    return NULL;
}
