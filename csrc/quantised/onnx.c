/* ONNX files: names, constants, tensors and ends. See read.h. */
#include "quantised/read.h"

#include <inttypes.h>
#include <math.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "nvdla/text.h"
#include "nvdla/xalloc.h"
#include "quantised/onnx_reading.h"

bool onnx_refuse(struct onnx_reading *at, const char *format, ...) {
    va_list arguments;
    if (at->failed)
        return false;
    va_start(arguments, format);
    char *what = xvprintf(format, arguments), name[64] = "?", type[64] = "?";
    va_end(arguments);
    at->failed = true;
    if (at->node && at->node->n_output)
        text_shown_bytes(at->node->output[0], strlen(at->node->output[0]), name, sizeof name);
    if (at->node && at->node->op_type)
        text_shown_bytes(at->node->op_type, strlen(at->node->op_type), type, sizeof type);
    if (at->node)
        error_set(at->err, "%s: node %zu, %s, tensor \"%s\": %s", at->path, at->number, type, name, what);
    else
        error_set(at->err, "%s: %s", at->path, what);
    free(what);
    return false;
}

/* ---- names ---- */

static int compare_names(const void *a, const void *b) {
    return strcmp(((const struct onnx_value *)a)->name, ((const struct onnx_value *)b)->name);
}

struct onnx_value *onnx_find(const struct onnx_reading *at, const char *name) {
    const struct onnx_value wanted = {.name = name};
    void *found = tfind(&wanted, &at->names, compare_names);
    return found ? *(struct onnx_value **)found : NULL;
}

struct onnx_value *onnx_define(struct onnx_reading *at, const char *name) {
    if (!name || !*name || onnx_find(at, name)) {
        onnx_refuse(at, "found a name that is %s, expected a new one", name && *name ? "taken" : "empty");
        return NULL;
    }
    struct onnx_value *value = xcalloc(1, sizeof *value);
    value->name = name;
    value->tensor = GRAPH_NONE;
    at->values = xgrow(at->values, at->value_count, sizeof(struct onnx_value *));
    at->values[at->value_count++] = value;
    tsearch(value, &at->names, compare_names);
    return value;
}

struct onnx_value *onnx_result(struct onnx_reading *at) {
    if (at->node->n_output >= 1)
        return onnx_define(at, at->node->output[0]);
    onnx_refuse(at, "found no output, expected one");
    return NULL;
}

const struct onnx_value *onnx_input(const struct onnx_reading *at, size_t i) {
    return i < at->operand_count && at->operands[i].name ? &at->operands[i] : NULL;
}

const Onnx__Attribute *onnx_attribute(const struct onnx_reading *at, const char *name) {
    for (size_t i = 0; i < at->node->n_attribute; i++)
        if (at->node->attribute[i]->name && strcmp(at->node->attribute[i]->name, name) == 0)
            return at->node->attribute[i];
    return NULL;
}

int64_t onnx_attribute_or(const struct onnx_reading *at, const char *name, int64_t value) {
    const Onnx__Attribute *attribute = onnx_attribute(at, name);
    return attribute ? attribute->i : value;
}

size_t onnx_list(struct onnx_reading *at, const char *name, size_t input, int64_t numbers[ONNX_DIMS_MAX]) {
    const Onnx__Attribute *attribute = onnx_attribute(at, name);
    const Onnx__Tensor *list = attribute ? NULL : onnx_constant(at, input, true);
    const size_t count = attribute ? attribute->n_ints : list ? onnx_count(list) : 0;
    if (count > ONNX_DIMS_MAX || (list && list->data_type != ONNX_INT64 && list->data_type != ONNX_INT32)) {
        onnx_refuse(at, "found %zu %s as its %s, expected at most %d of int64", count,
                    onnx_type_name(list ? list->data_type : ONNX_INT64), name, ONNX_DIMS_MAX);
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        numbers[i] = attribute ? attribute->ints[i] : onnx_integer(list, i);
    return count;
}

double onnx_number(const struct onnx_reading *at, const char *name, size_t input, double none) {
    const Onnx__Attribute *attribute = onnx_attribute(at, name);
    const struct onnx_value *value = onnx_input(at, input);
    if (attribute)
        return (double)attribute->f;
    if (!value)
        return none;
    return value->constant && onnx_count(value->constant) == 1 ? onnx_real(value, 0) : NAN;
}

/* ---- tensors ---- */

static struct tensor *add_tensor(struct onnx_reading *at, const char *name, uint64_t count) {
    struct graph *graph = at->graph;
    char shown[64];
    at->elements += count;
    if (graph->tensor_count >= TENSORS_MAX || count > TENSOR_ELEMENTS_MAX || at->elements > GRAPH_ELEMENTS_MAX) {
        onnx_refuse(at, "found %zu tensors with %" PRIu64 " elements, expected at most %d with %d, %d in one",
                    graph->tensor_count + 1, at->elements, TENSORS_MAX, GRAPH_ELEMENTS_MAX, TENSOR_ELEMENTS_MAX);
        return NULL;
    }
    at->tensors = xgrow(at->tensors, graph->tensor_count, sizeof *at->tensors);
    graph->tensors = xgrow(graph->tensors, graph->tensor_count, sizeof *graph->tensors);
    at->tensors[graph->tensor_count] = (struct onnx_tensor){0};
    struct tensor *tensor = &graph->tensors[graph->tensor_count++];
    *tensor = (struct tensor){.n = 1, .h = 1, .w = 1, .c = 1, .scale_count = 1, .count = (size_t)count};
    tensor->name = xstrdup(text_shown_bytes(name, strlen(name), shown, sizeof shown));
    tensor->scales = xcalloc(1, sizeof *tensor->scales);
    tensor->scales[0] = 1;
    return tensor;
}

int onnx_tensor_new(struct onnx_reading *at, const char *name, const int sides[AXES], int rank) {
    struct tensor shape = {.n = 1, .h = sides[HEIGHT], .w = sides[WIDTH], .c = sides[CHANNELS]};
    uint64_t count = 1;
    for (int i = HEIGHT; i < AXES; i++) {
        if (sides[i] < 1 || sides[i] > TENSOR_ELEMENTS_MAX)
            return onnx_none(at, "found a tensor of %d x %d x %d (h, w, c), expected 1 to %d", shape.h, shape.w,
                             shape.c, TENSOR_ELEMENTS_MAX);
        count = count > TENSOR_ELEMENTS_MAX ? count : count * (uint64_t)sides[i];
    }
    struct tensor *tensor = add_tensor(at, name, count);
    if (!tensor)
        return GRAPH_NONE;
    memcpy(tensor->sides, shape.sides, sizeof shape.sides);
    tensor->rank = rank;
    return (int)at->graph->tensor_count - 1;
}

int onnx_constant_new(struct onnx_reading *at, const char *name, enum tensor_type type, const struct strided *shape,
                      void **elements) {
    uint64_t count = 1;
    for (size_t d = 0; d < shape->rank; d++)
        count *= (uint64_t)shape->sides[d];
    struct tensor *tensor = add_tensor(at, name, count);
    if (!tensor)
        return GRAPH_NONE;
    tensor->type = type;
    tensor->rank = (int)shape->rank;
    for (int d = 0; d < tensor->rank; d++)
        tensor->dims[d] = (int)shape->sides[d];
    tensor->data = *elements = graph_own(at->graph, count * (type == TENSOR_INT8 ? 1 : sizeof(int32_t)));
    return (int)at->graph->tensor_count - 1;
}

int onnx_integers_new(struct onnx_reading *at, const char *name, const Onnx__Tensor *from,
                      const struct strided *order) {
    void *elements;
    const int index = onnx_constant_new(at, name, TENSOR_INT8, order, &elements);
    if (index == GRAPH_NONE)
        return GRAPH_NONE;
    strided_copy(order, from->raw_data.data, 1, elements);
    for (size_t i = 0; from->data_type == ONNX_UINT8 && i < onnx_count(from); i++)
        ((uint8_t *)elements)[i] ^= UINT8_C(128);
    return index;
}

int onnx_zero(const Onnx__Tensor *zero, bool *shifted) {
    *shifted = !zero || zero->data_type == ONNX_UINT8;
    const int64_t value = zero && onnx_count(zero) ? onnx_integer(zero, 0) : 0;
    return (int)(*shifted ? value - 128 : value);
}

/* Whether the result of a node has the scale of its input, which may become known later. */
static bool keeps_scale(const struct node *node) {
    return node->kind == NODE_RESHAPE || node->kind == NODE_MAX_POOL || node->kind == NODE_TRANSPOSE;
}

bool onnx_set_scale(struct onnx_reading *at, int index, const Onnx__Tensor *scale, const Onnx__Tensor *zero) {
    struct tensor *tensor = &at->graph->tensors[index];
    struct onnx_tensor *about = &at->tensors[index];
    bool shifted;
    const int point = onnx_zero(zero, &shifted);
    if (scale->data_type != ONNX_FLOAT || onnx_count(scale) != 1 || (zero && onnx_count(zero) != 1) ||
        (zero && zero->data_type != ONNX_INT8 && zero->data_type != ONNX_UINT8))
        return onnx_refuse(at, "found scales and zero points of \"%s\" that are not one float32 and one int8 or uint8",
                           tensor->name);
    const float value = onnx_float(scale, 0);
    if (!(isfinite(value) && value > 0) || point < INT8_MIN || point > INT8_MAX)
        return onnx_refuse(at, "found scale %g and zero point %d of \"%s\", expected a finite number above 0",
                           (double)value, point, tensor->name);
    if (about->quantised && (tensor->scales[0] != value || tensor->zero != point))
        return onnx_refuse(at, "found \"%s\" with scale %g and zero point %d, expected its %g and %d", tensor->name,
                           (double)value, point, (double)tensor->scales[0], tensor->zero);
    tensor->scales[0] = value;
    tensor->zero = point;
    about->quantised = true;
    about->shifted = shifted;
    const struct node *node = about->producer ? &at->graph->nodes[about->producer - 1] : NULL;
    for (size_t i = 0; node && node->kind == NODE_CONCATENATION && i < node->input_count; i++)
        if (!at->tensors[node->inputs[i]].quantised && !onnx_set_scale(at, node->inputs[i], scale, zero))
            return false;
    return !node || !keeps_scale(node) || onnx_set_scale(at, node->inputs[0], scale, zero);
}

/* ---- the whole ---- */

static bool read_initializers(struct onnx_reading *at) {
    for (size_t i = 0; i < at->file->n_initializer && !at->failed; i++) {
        Onnx__Tensor *tensor = at->file->initializer[i];
        struct onnx_value *value = onnx_check_constant(at, tensor) ? onnx_define(at, tensor->name) : NULL;
        if (!value)
            return false;
        value->constant = tensor;
        value->real = tensor->data_type == ONNX_FLOAT;
    }
    return true;
}

static bool read_input(struct onnx_reading *at, const Onnx__Value *input) {
    const Onnx__TensorType *type = input->type ? input->type->tensor_type : NULL;
    const Onnx__Shape *shape = type ? type->shape : NULL;
    int sides[AXES] = {1, 1, 1, 1};
    if (!input->name || !shape || shape->n_dim < 2 || shape->n_dim > 4)
        return onnx_refuse(at, "found an input without a shape of 2 to 4 dimensions, expected one");
    const int rank = (int)shape->n_dim;
    for (int i = 0; i < rank; i++) {
        const int64_t side = i == 0 && !shape->dim[0]->has_dim_value ? 1 : shape->dim[i]->dim_value;
        if (side < 1 || side > (i == 0 ? 1 : TENSOR_ELEMENTS_MAX))
            return onnx_refuse(at, "found a size of %" PRId64 " in dimension %d of input \"%s\", expected %s", side, i,
                               input->name, i == 0 ? "a batch of 1" : "a number above 0");
        sides[graph_axis(at->graph, rank, i)] = (int)side;
    }
    struct onnx_value *value = onnx_define(at, input->name);
    if (!value || (value->tensor = onnx_tensor_new(at, input->name, sides, rank)) == GRAPH_NONE)
        return false;
    value->real = type->elem_type == ONNX_FLOAT;
    at->tensors[value->tensor].integer = !value->real;
    at->tensors[value->tensor].shifted = type->elem_type == ONNX_UINT8;
    at->graph->tensors[value->tensor].in_file = value->real                     ? FILE_FLOAT
                                                : type->elem_type == ONNX_UINT8 ? FILE_UINT8
                                                                                : FILE_INT8;
    if (!value->real && type->elem_type != ONNX_INT8 && type->elem_type != ONNX_UINT8)
        return onnx_refuse(at, "found input \"%s\" of %s, expected float32, uint8 or int8", input->name,
                           onnx_type_name(type->elem_type));
    at->graph->inputs = xgrow(at->graph->inputs, at->graph->input_count, sizeof *at->graph->inputs);
    at->graph->inputs[at->graph->input_count++] = value->tensor;
    return true;
}

static bool read_output(struct onnx_reading *at, const Onnx__Value *output) {
    const struct onnx_value *value = output->name ? onnx_find(at, output->name) : NULL;
    if (!value || value->tensor == GRAPH_NONE)
        return onnx_refuse(at, "found output \"%s\", which no node computes; expected one that does",
                           output->name ? output->name : "");
    const struct onnx_tensor *about = &at->tensors[value->tensor];
    struct tensor *tensor = &at->graph->tensors[value->tensor];
    const enum node_kind kind = about->producer ? at->graph->nodes[about->producer - 1].kind : NODE_KINDS;
    if (!about->quantised && !(kind >= NODE_SOFTMAX && kind <= NODE_LOGISTIC))
        return onnx_refuse(at, "found output \"%s\" as float32, expected it quantised: QuantizeLinear before it",
                           value->name);
    if (!about->quantised)
        tensor_of_processor(tensor, kind);
    at->graph->outputs = xgrow(at->graph->outputs, at->graph->output_count, sizeof *at->graph->outputs);
    at->graph->outputs[at->graph->output_count++] = value->tensor;
    return true;
}

/* Integers that are only moved need no scale. */
static void settle_scales(struct onnx_reading *at) {
    for (size_t i = 0; i < at->graph->input_count; i++)
        at->tensors[at->graph->inputs[i]].quantised |= at->tensors[at->graph->inputs[i]].integer;
    for (size_t n = 0; n < at->graph->node_count; n++) {
        const struct node *node = &at->graph->nodes[n];
        if (keeps_scale(node))
            at->tensors[node->output].quantised |= at->tensors[node->inputs[0]].quantised;
    }
}

static bool read_graph(struct onnx_reading *at) {
    enum { ENDS_MAX = 64 };
    const Onnx__Graph *file = at->file;
    if (file->n_node > NODES_MAX || file->n_input < 1 || file->n_output < 1 || file->n_output > ENDS_MAX)
        return onnx_refuse(at, "found %zu nodes, %zu inputs and %zu outputs, expected at most %d, and 1 to %d each",
                           file->n_node, file->n_input, file->n_output, NODES_MAX, ENDS_MAX);
    if (!onnx_check_operators(at) || !read_initializers(at))
        return false;
    for (size_t i = 0; i < file->n_input; i++) /* old files list constants there too */
        if (!(file->input[i]->name && onnx_find(at, file->input[i]->name)) && !read_input(at, file->input[i]))
            return false;
    if (at->graph->input_count < 1 || at->graph->input_count > ENDS_MAX)
        return onnx_refuse(at, "found %zu inputs, expected 1 to %d", at->graph->input_count, ENDS_MAX);
    for (at->number = 0; at->number < file->n_node; at->number++) {
        at->node = file->node[at->number];
        if (!onnx_read_node(at))
            return false;
    }
    at->node = NULL;
    settle_scales(at);
    for (size_t i = 0; i < at->graph->input_count; i++)
        if (!at->tensors[at->graph->inputs[i]].quantised)
            return onnx_refuse(at, "found input \"%s\" that is not quantised, expected QuantizeLinear behind it",
                               graph_tensor(at->graph, at->graph->inputs[i])->name);
    for (size_t i = 0; i < file->n_output; i++)
        if (!read_output(at, file->output[i]))
            return false;
    return layout_settle(at->graph, at->err) && graph_check(at->graph, at->err);
}

/* Memory of the message: bounded by the size of the file, as a short file can hold many empty messages. */
struct budget {
    size_t left;
};

static void *budget_alloc(void *context, size_t n) {
    struct budget *budget = context;
    if (n > budget->left)
        return NULL;
    budget->left -= n;
    return malloc(n);
}

static void budget_free(void *context, void *pointer) {
    (void)context;
    free(pointer);
}

static void no_free(void *pointer) {
    (void)pointer;
}

/* Version of the standard operators: of a file that does not say it, the newest. */
static int64_t opset_of(const Onnx__Model *model) {
    for (size_t i = 0; i < model->n_opset_import; i++) {
        const Onnx__OperatorSet *set = model->opset_import[i];
        if (!set->domain || !*set->domain || strcmp(set->domain, "ai.onnx") == 0)
            return set->version;
    }
    return INT64_MAX;
}

struct graph *onnx_parse(const char *path, const void *bytes, size_t n, struct error *err) {
    enum { LEAST = 1 << 24, TIMES = 8 };
    struct budget budget = {LEAST + TIMES * n};
    ProtobufCAllocator allocator = {budget_alloc, budget_free, &budget};
    Onnx__Model *model = onnx__model__unpack(&allocator, n, bytes);
    struct onnx_reading at = {.path = path, .err = err, .graph = xcalloc(1, sizeof *at.graph)};
    at.graph->path = text_shown(path);
    at.graph->channels_first = true;
    bool fine = false;
    if (!model || !model->graph)
        error_set(err, "%s: found no ONNX model, or one cut short, expected one with a graph", path);
    else {
        at.file = model->graph;
        at.opset = opset_of(model);
        fine = read_graph(&at);
    }
    tdestroy(at.names, no_free);
    for (size_t i = 0; i < at.value_count; i++)
        free(at.values[i]);
    for (size_t i = 0; i < at.made_count; i++) {
        free(at.made[i]->dims);
        free(at.made[i]->raw_data.data);
        free(at.made[i]);
    }
    free(at.made);
    free(at.values);
    free(at.tensors);
    if (model)
        onnx__model__free_unpacked(model, &allocator);
    if (fine)
        return at.graph;
    graph_free(at.graph);
    return NULL;
}
