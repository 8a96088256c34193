/* What a trace says in comments of the compiled network that it was made of: its layers, by the launches that carry
 * them out, and its outputs, as tensors. traces/FORMAT.md, "Networks".
 */
#ifndef TRACE_NETWORK_H
#define TRACE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "memory/space.h"
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
    char name[NETWORK_NAME]; /* fit for a file: letters, digits, _ . - */
    enum memory_space space;
    uint64_t base, size;
    bool tensor; /* false: nobody knows how its bytes are to be read, and the rest is 0 */
    enum network_type type;
    unsigned format;           /* as the loadable has it: 36 feature, 37 feature with atoms of 8 channels */
    unsigned atom, n, c, h, w; /* all at least 1; atom: channels that lie together, as the configuration has them */
    uint32_t line, surface;    /* bytes */
    double scale;              /* what 1 stands for */
};

struct network_layer {
    unsigned task, operation; /* in the order of submission; in the task */
    char type[16];            /* "CONV", "SDP", ... */
    enum nvdla_unit unit;     /* the launch that carries it out; CACC stands for all of a convolution */
    int ordinal;
};

struct network {
    struct network_output *outputs;
    size_t output_count;
    struct network_layer *layers;
    size_t layer_count;
};

/* Copies a name into network_output.name, with what no file's name should have as '_'. */
void network_name(const char *name, char text[NETWORK_NAME]);

/* True if a file of that name is a compiled network: NAME.nvdla, NAME.nvdla.gz. */
bool is_network(const char *path);

/* Where an element lies in the size bytes of an output with a tensor. */
uint64_t network_place(const struct network_output *output, unsigned n, unsigned c, unsigned y, unsigned x);

/* Whether sizes and strides of a tensor make sense and all its places are inside the output. */
bool network_output_valid(const struct network_output *output);

/* Append the comment to a program. */
void network_note_output(struct program *prog, const struct network_output *output);
void network_note_layer(struct program *prog, const struct network_layer *layer);

/* "0.4 SDP" of a comment that network_note_layer made; false of any other. */
enum { NETWORK_LAYER = 32 };
bool network_layer_name(const char *comment, char name[NETWORK_LAYER]);

/* Reads these comments of a program; one without any has neither layers nor outputs. Every place of a tensor is inside
 * its output. False with a message if a comment that begins like one of them is none. Free it with network_free. */
bool network_read(const struct program *prog, struct network *network, struct error *err);
void network_free(struct network *network);

/* The layer of a launch; NULL if it is of none that the trace names. Of a convolution any unit will do. */
const struct network_layer *network_layer_of(const struct network *network, enum nvdla_unit unit, int ordinal);

#endif
