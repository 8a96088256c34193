/* Comments in a trace that describe the compiled network it was made from: layers with their launches, and outputs as
 * tensors. See traces/FORMAT.md, "Networks". */
#pragma once

#include "memory/space.h"
#include "nvdla/element_order.h"
#include "nvdla/registers.h"
#include "trace/program.h"

enum network_type { NETWORK_INT8, NETWORK_INT16, NETWORK_HALF, NETWORK_TYPES };
extern const char *const network_type_names[NETWORK_TYPES]; /* "int8", "int16", "half" */
unsigned network_type_bytes(enum network_type type);

enum { NETWORK_NAME = 128, NETWORK_SIZE_MAX = 8192, NETWORK_FEATURE = 36, NETWORK_FEATURE_8 };
#define NETWORK_OUTPUT_MAX (UINT64_C(1) << 28) /* bytes of an output */

/* An output memory and the tensor in it: element (n, c, y, x) lies at n * (size / n) + c / atom * surface + y * line +
 * (x * atom + c % atom) * bytes of an element. */
struct network_output {
    char name[NETWORK_NAME]; /* usable as a file name: letters, digits, _ . - */
    enum memory_space space;
    uint64_t base, size;
    bool tensor; /* false: the format is unknown, and the rest is 0 */
    enum network_type type;
    unsigned format;            /* from the loadable: 36 feature, 37 feature with atoms of 8 channels */
    unsigned atom, n, c, h, w;  /* all at least 1; atom: channels per atom of the configuration */
    uint32_t line, surface;     /* bytes */
    double scale;               /* value of 1 */
    double real;                /* what 1 stands for in the network's file; 0: not known, or `scale` */
    int zero;                   /* what stands for 0 there */
    struct element_order order; /* of the elements there */
};

struct network_layer {
    unsigned task, operation; /* number of the task in order of submission; of the layer in the task */
    char type[16];            /* "CONV", "SDP", ... */
    enum nvdla_unit unit;     /* its launch; CACC for the whole of a convolution */
    int ordinal;
};

struct network {
    struct network_output *outputs;
    size_t output_count;
    struct network_layer *layers;
    size_t layer_count;
};

/* Copies a name into network_output.name; replaces characters unsuitable for a file name by '_'. */
void network_name(const char *name, char text[NETWORK_NAME]);

/* True if a file of that name is a network: compiled, NAME.nvdla or NAME.nvdla.gz; or quantised, NAME.tflite or
 * NAME.onnx. */
bool is_network(const char *path);

/* Whether an output has indices of an ArgMax: of a quantised network, whose other outputs are INT8. */
static inline bool network_has_indices(const struct network_output *output) {
    return output->order.rank && output->type == NETWORK_INT16;
}

/* Byte offset of an element in an output with a tensor. */
uint64_t network_place(const struct network_output *output, unsigned n, unsigned c, unsigned y, unsigned x);

/* True if sizes and strides of a tensor are valid and every element is inside the output. */
bool network_output_valid(const struct network_output *output);

/* Append the comment to a program. */
void network_note_output(struct program *prog, const struct network_output *output);
void network_note_layer(struct program *prog, const struct network_layer *layer);

/* The part "0.4 SDP" of a comment made by network_note_layer; false for any other comment. */
enum { NETWORK_LAYER = 32 };
bool network_layer_name(const char *comment, char name[NETWORK_LAYER]);

/* Reads these comments of a program; without any, there are no layers and no outputs. Every element of a tensor is
 * inside its output. False with a message if a comment begins like one of them but is malformed. Free with
 * network_free. */
bool network_read(const struct program *prog, struct network *network, struct error *err);
void network_free(struct network *network);

/* The layer of a launch; NULL if the trace does not name it. For a convolution, any of its units works. */
const struct network_layer *network_layer_of(const struct network *network, enum nvdla_unit unit, int ordinal);
