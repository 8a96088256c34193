/* Graphs as python/nvcosim/networks/graph.py describes them. See read.h. */
#include "quantised/read.h"

#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/xalloc.h"

struct reading {
    struct graph *graph;
    struct error *err;
    const uint8_t *parts; /* bytes of scales and constants */
    size_t size;          /* of them */
    size_t next;          /* of them: behind the parts so far */
    uint64_t elements;    /* of tensors that are computed, so far */
};

/* A list of whole numbers of a tensor or a node, which become ints. */
struct list_member {
    const char *name;
    size_t offset, count;
    json_int_t least, most;
    const char *(*word)(int); /* names of values, of which there are `most` + 1; NULL: numbers */
};

static const char *type_word(int type) {
    static const char *const words[] = {"int8", "int32", "float32", "index"};
    return words[type];
}

static const char *file_type_word(int type) {
    static const char *const words[] = {"int8", "uint8", "float"};
    return words[type];
}

static const char *kind_word(int kind) {
    return node_name(&(struct node){.kind = (enum node_kind)kind});
}

#define OF_TENSOR(name, count, least, most) {#name, offsetof(struct tensor, name), count, least, most, NULL}
static const struct list_member tensor_members[] = {
    {"type", offsetof(struct tensor, type), 1, 0, TENSOR_INDEX, type_word},
    {"in_file", offsetof(struct tensor, in_file), 1, 0, FILE_FLOAT, file_type_word},
    OF_TENSOR(rank, 1, 0, AXES),
    OF_TENSOR(sides, AXES, 0, TENSOR_ELEMENTS_MAX),
    OF_TENSOR(dims, AXES, 0, TENSOR_ELEMENTS_MAX),
    OF_TENSOR(sliced, 1, INT32_MIN, INT32_MAX),
    OF_TENSOR(zero, 1, INT8_MIN, INT8_MAX),
};

#define OF_NODE(name, count, least, most) {#name, offsetof(struct node, name), count, least, most, NULL}
enum { WINDOW = sizeof(struct axis) / sizeof(int) };
static_assert(sizeof(enum node_kind) == sizeof(int) && sizeof(enum tensor_type) == sizeof(int), "members are ints");
static const struct list_member node_members[] = {
    {"kind", offsetof(struct node, kind), 1, 0, NODE_KINDS - 1, kind_word},
    OF_NODE(output, 1, 0, TENSORS_MAX - 1),
    OF_NODE(groups, 1, 0, TENSOR_ELEMENTS_MAX),
    OF_NODE(axis, 1, 0, AXES - 1),
    OF_NODE(taken, 1, 0, (1 << AXES) - 1),
    OF_NODE(order, AXES, 0, AXES - 1),
    {"windows", offsetof(struct node, axes), (size_t)AXES *WINDOW, INT32_MIN, INT32_MAX, NULL},
};

/* Message about entry `index` of a list; returns false. */
static bool refuse(const struct reading *at, const char *what, size_t index, const char *name) {
    return error_set(at->err, "%s: found %s %zu of its description with another \"%s\" than expected; see %s",
                     at->graph->path, what, index, name, "python/nvcosim/networks/graph.py");
}

/* One number or word; false: it is none. */
static bool read_one(const struct list_member *member, const json_t *value, int *to) {
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : member->least - 1;
    if (member->word) {
        const char *found = json_string_value(value);
        for (number = 0; found && number <= member->most && strcmp(found, member->word((int)number)) != 0;)
            number++;
        number = found ? number : member->most + 1;
    }
    *to = number < member->least || number > member->most ? 0 : (int)number;
    return number >= member->least && number <= member->most;
}

static bool read_list(const struct list_member *member, const json_t *list, int *to) {
    if (json_array_size(list) != member->count)
        return false;
    for (size_t i = 0; i < member->count; i++)
        if (!read_one(member, json_array_get(list, i), &to[i]))
            return false;
    return true;
}

/* Returns the name of the member that is wrong, NULL if there is none. */
static const char *read_members(const struct list_member *members, size_t count, const json_t *entry, void *to) {
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_object_get(entry, members[i].name);
        int *place = (int *)((char *)to + members[i].offset);
        if (!(members[i].count == 1 ? read_one(&members[i], value, place) : read_list(&members[i], value, place)))
            return members[i].name;
    }
    return NULL;
}

/* ---- tensors ---- */

/* The part that a list says: its place, and how many bytes it has. NULL if that is wrong, or inside a part before. */
static const uint8_t *find_part(struct reading *at, const json_t *list, size_t *n) {
    const struct list_member member = {.count = 2, .most = INT32_MAX};
    int numbers[2];
    if (!read_list(&member, list, numbers) || (size_t)numbers[0] < at->next || (size_t)numbers[0] > at->size ||
        (size_t)numbers[1] > at->size - (size_t)numbers[0])
        return NULL;
    *n = (size_t)numbers[1];
    at->next = (size_t)numbers[0] + *n;
    return at->parts + numbers[0];
}

static bool read_scales(struct reading *at, const json_t *list, struct tensor *tensor) {
    size_t n;
    const uint8_t *part = find_part(at, list, &n);
    if (!part || n == 0 || n % sizeof *tensor->scales)
        return false;
    tensor->scale_count = n / sizeof *tensor->scales;
    tensor->scales = memcpy(xmalloc(n), part, n);
    for (size_t i = 0; i < tensor->scale_count; i++)
        if (!isfinite(tensor->scales[i]) || tensor->scales[i] == 0)
            return false;
    return true;
}

/* Elements of a constant: where they are in the file, or a copy that is aligned. */
static bool read_data(struct reading *at, const json_t *list, struct tensor *tensor) {
    size_t n;
    const uint8_t *part = find_part(at, list, &n);
    if (!part || n != tensor->count * (tensor->type == TENSOR_INT8 ? 1 : sizeof(int32_t)))
        return false;
    tensor->data = tensor->type == TENSOR_INT8 ? part : memcpy(graph_own(at->graph, n), part, n);
    return true;
}

static bool read_tensor(struct reading *at, const json_t *entry) {
    struct graph *graph = at->graph;
    const size_t index = graph->tensor_count;
    const char *name = json_string_value(json_object_get(entry, "name"));
    const json_t *data = json_object_get(entry, "data");
    struct tensor *tensor = &graph->tensors[graph->tensor_count++];
    tensor->name = xstrdup(name ? name : "");
    const char *wrong = read_members(tensor_members, sizeof tensor_members / sizeof *tensor_members, entry, tensor);
    if (!wrong && !read_scales(at, json_object_get(entry, "scales"), tensor))
        wrong = "scales";
    if (!name || wrong)
        return refuse(at, "tensor", index, wrong ? wrong : "name");
    const int *sides = data ? tensor->dims : tensor->sides;
    tensor->count = !data && tensor->rank > 1 && tensor->dims[0] ? (size_t)tensor->dims[0] : 1; /* ends_settle() */
    for (int i = 0; i < (data ? tensor->rank : AXES); i++) {
        if (tensor->count > TENSOR_ELEMENTS_MAX || (!data && sides[i] < 1))
            return refuse(at, "tensor", index, "sides");
        tensor->count *= (size_t)sides[i];
    }
    at->elements += data ? 0 : tensor->count;
    if (tensor->count > TENSOR_ELEMENTS_MAX || at->elements > GRAPH_ELEMENTS_MAX)
        return refuse(at, "tensor", index, "sides");
    return !data || read_data(at, data, tensor) || refuse(at, "tensor", index, "data");
}

/* ---- nodes ---- */

/* A list of tensors that there are, or numbers from `least` on. Returns how many, 0 if a number is wrong or there are
 * more than `most`. */
static size_t read_indices(const struct graph *graph, const json_t *list, int least, size_t most, int *to) {
    const size_t count = json_array_size(list);
    const struct list_member index = {.count = count, .least = least, .most = (json_int_t)graph->tensor_count - 1};
    return count <= most && read_list(&index, list, to) ? count : 0;
}

static double limit(const json_t *entry, const char *name, double none) {
    const json_t *value = json_object_get(entry, name);
    return json_is_number(value) ? json_number_value(value) : none;
}

static bool read_node(struct reading *at, const json_t *entry) {
    struct graph *graph = at->graph;
    const size_t index = graph->node_count;
    struct node *node = &graph->nodes[graph->node_count++];
    const char *wrong = read_members(node_members, sizeof node_members / sizeof *node_members, entry, node);
    if (wrong)
        return refuse(at, "node", index, wrong);
    node->number = (size_t)json_integer_value(json_object_get(entry, "number"));
    node->low = limit(entry, "low", -INFINITY);
    node->high = limit(entry, "high", INFINITY);
    node->beta = (float)limit(entry, "beta", 0);
    node->real_bias = json_is_true(json_object_get(entry, "real_bias"));
    node->input_count =
        read_indices(graph, json_object_get(entry, "inputs"), GRAPH_NONE, NODE_INPUTS_MAX, node->inputs);
    const size_t needed = node->kind == NODE_CONCATENATION ? node->input_count : node->kind <= NODE_ADD ? 2 : 1;
    for (size_t i = 0; i < needed; i++)
        if (i >= node->input_count || node->inputs[i] == GRAPH_NONE)
            wrong = "inputs";
    for (int i = 0; i < AXES; i++)
        if (node->axes[i].before < 0 || node->axes[i].after < 0 || node->axes[i].before > TENSOR_SIDE_MAX ||
            node->axes[i].after > TENSOR_SIDE_MAX)
            wrong = "windows";
    if (wrong || node->input_count == 0 || (node->groups < 1 && node->kind != NODE_CONV))
        return refuse(at, "node", index, wrong ? wrong : node->input_count ? "groups" : "inputs");
    return (size_t)node->output < graph->tensor_count || refuse(at, "node", index, "output");
}

/* ---- the whole ---- */

/* Ends of the graph, of which none may be a constant; *count is 0 after a message. */
static int *read_ends(struct reading *at, const json_t *root, const char *name, size_t *count) {
    enum { ENDS_MAX = 64 };
    int *list = xcalloc(ENDS_MAX, sizeof *list);
    *count = read_indices(at->graph, json_object_get(root, name), 0, ENDS_MAX, list);
    if (*count == 0)
        error_set(at->err, "%s: found no \"%s\" in its description, expected 1 to %d", at->graph->path, name, ENDS_MAX);
    return list;
}

static bool read_graph(struct reading *at, const json_t *root) {
    struct graph *graph = at->graph;
    const json_t *tensors = json_object_get(root, "tensors"), *nodes = json_object_get(root, "nodes");
    const size_t tensor_count = json_array_size(tensors), node_count = json_array_size(nodes);
    if (tensor_count > TENSORS_MAX || node_count > NODES_MAX)
        return error_set(at->err, "%s: found %zu tensors and %zu nodes in its description, expected at most %d and %d",
                         graph->path, tensor_count, node_count, TENSORS_MAX, NODES_MAX);
    graph->channels_first = json_is_true(json_object_get(root, "channels_first"));
    graph->tensors = xcalloc(tensor_count, sizeof *graph->tensors);
    graph->nodes = xcalloc(node_count, sizeof *graph->nodes);
    while (graph->tensor_count < tensor_count)
        if (!read_tensor(at, json_array_get(tensors, graph->tensor_count)))
            return false;
    while (graph->node_count < node_count)
        if (!read_node(at, json_array_get(nodes, graph->node_count)))
            return false;
    graph->inputs = read_ends(at, root, "inputs", &graph->input_count);
    graph->outputs = read_ends(at, root, "outputs", &graph->output_count);
    return graph->input_count && graph->output_count;
}

struct graph *described_parse(const char *path, const void *bytes, size_t n, struct error *err) {
    struct reading at = {.err = err, .graph = xcalloc(1, sizeof *at.graph)};
    json_error_t wrong;
    at.graph->path = text_shown(path);
    json_t *root = json_loadb(bytes, n, JSON_DISABLE_EOF_CHECK, &wrong);
    bool fine = root != NULL;
    if (!root)
        error_set(err, "%s: found no description of its graph, expected JSON: %s", path, wrong.text);
    else {
        const size_t head = (size_t)wrong.position < n ? (size_t)wrong.position + 1 : n; /* and the end of the line */
        at.parts = (const uint8_t *)bytes + head;
        at.size = n - head;
        fine = read_graph(&at, root);
    }
    json_decref(root);
    if (fine && layout_settle(at.graph, err) && ends_settle(at.graph, err) && graph_check(at.graph, err))
        return at.graph;
    graph_free(at.graph);
    return NULL;
}
