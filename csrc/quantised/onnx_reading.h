/* Shared by the files that read ONNX: names and what they stand for, constants. See onnx.h. */
#ifndef QUANTISED_ONNX_READING_H
#define QUANTISED_ONNX_READING_H

#include "quantised/graph.h"
#include "quantised/onnx.pb-c.h"

/* What a name stands for: a constant, or a tensor of the graph. */
struct onnx_value {
    const char *name;
    const Onnx__Tensor *constant;     /* NULL: computed */
    const Onnx__Tensor *scale, *zero; /* of a constant that was dequantised */
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
    struct onnx_tensor *tensors; /* of the graph's */
    void *names;                 /* tsearch() of values */
    struct onnx_value **values;
    size_t value_count;
    const Onnx__Node *node; /* being read, and its number */
    size_t number;
    uint64_t elements; /* of tensors and copies of constants so far */
    bool failed;
};

enum { ONNX_FLOAT = 1, ONNX_UINT8 = 2, ONNX_INT8 = 3, ONNX_INT32 = 6, ONNX_INT64 = 7 };

/* Message for the node that is being read. Returns false. */
bool onnx_refuse(struct onnx_reading *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A new name; NULL with a message if it is known already. */
struct onnx_value *onnx_define(struct onnx_reading *at, const char *name);
/* Input i of the node; NULL if it is absent, or nothing computes it. */
struct onnx_value *onnx_input(struct onnx_reading *at, size_t i);
/* The same of a constant; NULL with a message if it is none and was not said to be optional. */
const Onnx__Tensor *onnx_constant(struct onnx_reading *at, size_t i, bool optional);

/* Elements, and bytes of them, of a constant; types of onnx_check_constant() only. */
size_t onnx_count(const Onnx__Tensor *tensor);
int64_t onnx_integer(const Onnx__Tensor *tensor, size_t i);
float onnx_float(const Onnx__Tensor *tensor, size_t i);
bool onnx_check_constant(struct onnx_reading *at, const Onnx__Tensor *tensor);

const Onnx__Attribute *onnx_attribute(const struct onnx_reading *at, const char *name);
int64_t onnx_attribute_or(const struct onnx_reading *at, const char *name, int64_t value);

/* A new tensor of the graph; GRAPH_NONE with a message. sides: height, width, channels; rank as in the file. */
int onnx_tensor_new(struct onnx_reading *at, const char *name, const int sides[3], int rank);
/* A new constant of the graph with room for its elements. */
int onnx_constant_new(struct onnx_reading *at, const Onnx__Tensor *from, enum tensor_type type, const int *dims,
                      int rank, void **elements);
/* Sets the scale of a tensor, or compares it with the one it has. */
bool onnx_set_scale(struct onnx_reading *at, int tensor, const Onnx__Tensor *scale, const Onnx__Tensor *zero);
/* A zero point as one of INT8. */
int onnx_zero(const Onnx__Tensor *zero, bool *shifted);

/* Reads the node `at->node`. */
bool onnx_read_node(struct onnx_reading *at);

#endif
