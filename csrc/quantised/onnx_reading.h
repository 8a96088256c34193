/* Shared by the files that read ONNX: names and what they stand for, constants, nodes. See read.h. */
#pragma once

#include "quantised/graph.h"
#include "quantised/onnx.pb-c.h"

/* What a name stands for: a constant, or a tensor of the graph. */
struct onnx_value {
    const char *name;
    const Onnx__Tensor *constant;     /* NULL: computed */
    const Onnx__Tensor *scale, *zero; /* of a constant that was dequantised */
    int axis;                         /* of the constant, along which there are several scales; GRAPH_NONE: kernels */
    bool real;                        /* float32: before QuantizeLinear, behind DequantizeLinear */
    int tensor;                       /* GRAPH_NONE for constants */
};

/* What a tensor of the graph is in the file. */
struct onnx_tensor {
    bool quantised;  /* its scale is known */
    bool integer;    /* an input of the file that is INT8 or UINT8 there */
    bool shifted;    /* UINT8 in the file */
    int h, w, c;     /* of the cube whose elements it has, in the order channels, height, width */
    bool flat;       /* a row of them */
    size_t producer; /* node of the graph + 1; 0: an input */
};

struct onnx_reading {
    const char *path;
    struct error *err;
    struct graph *graph;
    const Onnx__Graph *file;
    int64_t opset;               /* version of the operators */
    struct onnx_tensor *tensors; /* of the graph's */
    void *names;                 /* tsearch() of values */
    struct onnx_value **values;
    size_t value_count;
    Onnx__Tensor **made; /* constants that are not in the file */
    size_t made_count;
    const Onnx__Node *node; /* being read, and its number */
    size_t number;
    /* The node's inputs in one form: of an operator on integers, those of the same operator on real numbers. A name
     * NULL: absent. */
    struct onnx_value operands[NODE_INPUTS_MAX];
    size_t operand_count;
    enum node_kind kind;
    int in;            /* tensor of the first of them, if the operator's row says what it takes */
    uint64_t elements; /* of tensors and copies of constants so far */
    uint64_t bytes;    /* of constants that were made or are in other files, so far */
    bool failed;
    struct node no_node; /* after a failure */
};

enum { ONNX_FLOAT = 1, ONNX_UINT8 = 2, ONNX_INT8 = 3, ONNX_INT32 = 6, ONNX_INT64 = 7, ONNX_DIMS_MAX = 8 };

/* Message for the node that is being read. Returns false. */
bool onnx_refuse(struct onnx_reading *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same where a tensor is returned. */
#define onnx_none(...) (onnx_refuse(__VA_ARGS__), GRAPH_NONE)

/* What a name stands for; NULL: nothing. */
struct onnx_value *onnx_find(const struct onnx_reading *at, const char *name);
/* A new name; NULL with a message if it is known already. */
struct onnx_value *onnx_define(struct onnx_reading *at, const char *name);
/* The same of the node's output. */
struct onnx_value *onnx_result(struct onnx_reading *at);
/* Input i of the node; NULL if it is absent, or nothing computes it. */
const struct onnx_value *onnx_input(const struct onnx_reading *at, size_t i);
/* The same of a constant; NULL with a message if it is none and was not said to be optional. */
const Onnx__Tensor *onnx_constant(struct onnx_reading *at, size_t i, bool optional);

/* Elements of a constant, whose type onnx_check_constant() knows: as integers, or as what they stand for. */
size_t onnx_count(const Onnx__Tensor *tensor);
int64_t onnx_integer(const Onnx__Tensor *tensor, size_t i);
float onnx_float(const Onnx__Tensor *tensor, size_t i);
double onnx_real(const struct onnx_value *value, size_t i);
size_t onnx_element_bytes(int type);
const char *onnx_type_name(int type);
/* Checks a constant and puts its elements into raw_data. */
bool onnx_check_constant(struct onnx_reading *at, Onnx__Tensor *tensor);
/* A new constant of zeros; NULL with a message if there are too many elements. */
Onnx__Tensor *onnx_make(struct onnx_reading *at, int type, const int64_t *dims, size_t rank);

const Onnx__Attribute *onnx_attribute(const struct onnx_reading *at, const char *name);
int64_t onnx_attribute_or(const struct onnx_reading *at, const char *name, int64_t value);
/* A list of whole numbers: an attribute in files of old operators, an input in others. Returns its length, at most
 * ONNX_DIMS_MAX; 0 if there is none. */
size_t onnx_list(struct onnx_reading *at, const char *name, size_t input, int64_t numbers[ONNX_DIMS_MAX]);
/* A limit of Clip, or a value of Pad, in the same way; NAN if the input is not one constant. */
double onnx_number(const struct onnx_reading *at, const char *name, size_t input, double none);

/* A new tensor of the graph; GRAPH_NONE with a message. rank as in the file. */
int onnx_tensor_new(struct onnx_reading *at, const char *name, const int sides[AXES], int rank);
/* A new constant of the graph with room for its elements. */
int onnx_constant_new(struct onnx_reading *at, const char *name, enum tensor_type type, const struct strided *shape,
                      void **elements);
/* The same with the elements of one of int8, or of uint8 less 128. */
int onnx_integers_new(struct onnx_reading *at, const char *name, const Onnx__Tensor *from, const struct strided *order);
/* Sets the scale of a tensor, or compares it with the one it has. */
bool onnx_set_scale(struct onnx_reading *at, int tensor, const Onnx__Tensor *scale, const Onnx__Tensor *zero);
/* A zero point as one of INT8. */
int onnx_zero(const Onnx__Tensor *zero, bool *shifted);

/* Refuses a file with operators that are not supported: all of them, in one message. */
bool onnx_check_operators(struct onnx_reading *at);
/* Reads the node `at->node`. */
bool onnx_read_node(struct onnx_reading *at);

/* What an operator takes as its input: a cube; or a cube made a row; or a cube whose scale is not known yet, as it is
 * that of the result; or any of these. OTHERWISE: it finds out itself. */
enum takes { OTHERWISE, CUBES, ROWS, UNSCALED, ANY };

/* A tensor that an operator reads; GRAPH_NONE with a message. */
int onnx_activation(struct onnx_reading *at, size_t i, enum takes takes);
/* The same of a cube, or of a constant behind DequantizeLinear as one: a tensor with as many dimensions as `rank`. */
int onnx_addend(struct onnx_reading *at, size_t i, enum takes takes, int rank);
/* Defines output 0 as a new tensor that a new node computes. After a message, a node that is not in the graph. */
struct node *onnx_node_new(struct onnx_reading *at, enum node_kind kind, int input, const int sides[AXES], int rank);
/* The same of an output with the sides of the input. */
struct node *onnx_node_like(struct onnx_reading *at, enum node_kind kind, int input);
/* A node before it that pads its input, as the axes say, instead of itself: padding that counts. */
bool onnx_pad_input(struct onnx_reading *at, struct axis axes[AXES]);
/* The tensor that the last node computes. */
int onnx_output(const struct onnx_reading *at);
/* The result has the scale of a tensor. */
bool onnx_keep_scale(struct onnx_reading *at, int from);
/* A new name for a tensor. */
bool onnx_alias(struct onnx_reading *at, int tensor, bool real);
/* Nodes of the file that read a name. */
size_t onnx_readers(const struct onnx_reading *at, const char *name);
/* The node that computes real results which nothing quantised yet, if an operator may change them: nothing else reads
 * them. NULL: none. */
struct node *onnx_unfinished(const struct onnx_reading *at, const struct onnx_value *value);
/* The window of an operator, and the size of what comes out. */
bool onnx_window(struct onnx_reading *at, int tensor, struct axis axes[AXES], int sides[AXES]);
/* Adds a constant to the bias of a convolution: one value for each kernel, or one. */
bool onnx_add_to_bias(struct onnx_reading *at, struct node *node, const struct onnx_value *value);
/* Limits of Clip: infinite where there are none. */
bool onnx_limits(struct onnx_reading *at, double *low, double *high);
/* The attribute `axis`, counted from the first dimension. */
int64_t onnx_axis(const struct onnx_reading *at, int64_t none, size_t rank);
/* The list `axes` as bits, of a tensor with that many dimensions. */
unsigned onnx_axes(struct onnx_reading *at, size_t rank, size_t *count);
/* What the node's output stands for: the same as another value, or elements that stand for themselves. */
bool onnx_define_as(struct onnx_reading *at, const struct onnx_value *as);
bool onnx_define_plain(struct onnx_reading *at, const Onnx__Tensor *tensor);

/* Operators: of the node's operands, one of which is computed, or of constants. */
typedef bool onnx_operator(struct onnx_reading *at);
onnx_operator onnx_read_add, onnx_read_arg_max, onnx_read_clip, onnx_read_concatenation, onnx_read_constant,
    onnx_read_conv, onnx_read_curve, onnx_read_dequantize, onnx_read_global_average, onnx_read_identity, onnx_read_mean,
    onnx_read_normalisation, onnx_read_pad, onnx_read_pool, onnx_read_product, onnx_read_quantize, onnx_read_relu,
    onnx_read_sides, onnx_read_softmax, onnx_read_transpose;
onnx_operator onnx_fold_cast, onnx_fold_clip, onnx_fold_concat, onnx_fold_dequantize, onnx_fold_identity,
    onnx_fold_quantize, onnx_fold_sides, onnx_fold_slice, onnx_fold_transpose;
