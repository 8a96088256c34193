/* Shared by the files that lower nodes: views, constants, operations. */
#pragma once

#include "quantised/fit.h"
#include "quantised/lower.h"

struct lowering {
    struct lowered *out;
    const struct graph *graph;
    const struct nvdla_config *config;
    int atom;      /* bytes, channels */
    size_t node;   /* index of the node being lowered */
    struct part {  /* by tensor */
        int whole; /* concatenation that it is a part of, GRAPH_NONE */
        int place[AXES];
        int home;       /* number of the graph's output whose memory it is in, GRAPH_NONE */
        size_t readers; /* nodes that read it */
    } *parts;
    struct {         /* by node */
        bool folded; /* a PAD that its only reader, a convolution, does itself */
        bool moved;  /* a RESHAPE whose elements move, as its readers need its channels */
    } *nodes;
    struct error *err;
};

static inline int least(int a, int b) {
    return a < b ? a : b;
}

/* Message for the node being lowered. Returns false. */
#define lowering_refuse(at, ...) node_refuse((at)->graph, &(at)->graph->nodes[(at)->node], (at)->err, __VA_ARGS__)
/* Says what became of the node. */
void lowering_note(struct lowering *at, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- views ---- */

/* A new storage with a packed cube. */
struct view view_new(struct lowering *at, int memory, int w, int h, int c);
/* The view of a tensor that is about to be written. */
struct view view_define(struct lowering *at, int tensor);
/* The view of a tensor that is read now; false if its shape in memory is not that of the tensor. */
bool view_use(struct lowering *at, int tensor, struct view *view);
/* A rectangle of a view, all channels; channels from a whole atom on. */
struct view view_part(const struct lowering *at, struct view view, int x, int y, int w, int h);
struct view view_channels(const struct lowering *at, struct view view, int first, int count);
static inline int view_surfaces(const struct lowering *at, const struct view *view) {
    return (view->c + at->atom - 1) / at->atom;
}
/* True for a column of atoms that SDP would take as packed, but that is not (50-sdp sections 3.2 and 8.1). */
bool view_spread(const struct lowering *at, const struct view *view);

/* ---- constants and operations ---- */

/* Appends n bytes of 0 to the constants, aligned as weights and operands have to be. They are to be filled before the
 * next ones are appended. */
void *lowering_constant(struct lowering *at, size_t n, uint32_t *offset);
struct data_cube cube_of(const struct lowering *at, const struct view *view);
struct data_cube cube_of_constant(uint32_t offset, uint32_t size);
struct data_cube cube_flying(const struct lowering *at, int w, int h, int c);
struct operation *lowering_op(struct lowering *at, enum op_type type);

/* A stage's mode: one operand for the layer, or for each kernel, or for each element. */
enum { PER_LAYER, PER_KERNEL, PER_POINT };
/* What it does. */
enum { ALU_MAX, ALU_MIN, ALU_SUM };
enum { STAGE_NONE, STAGE_MUL, STAGE_ADD, STAGE_BOTH };

/* SDP's stages for one layer. */
struct stages {
    struct sdp_unit x1, x2;
    struct cvt_param out;
    struct view operand; /* of a stage with one for each element */
};
struct stages stages_none(void);
/* A stage that adds a register's value, then multiplies by one, then shifts to the right. */
struct sdp_unit stage_registers(int add, int multiply, unsigned shift);
/* A stage that adds an element of a cube of the same size, the operand, shifted to the left. */
struct sdp_unit stage_per_point(unsigned left);

/* One launch of SDP, from a cube to a view of the same size. */
void launch_sdp(struct lowering *at, struct data_cube from, const struct view *to, const struct stages *stages);
void lower_copy(struct lowering *at, struct view from, struct view to);
/* A cube in a larger one, at a place, with a value around it. */
void lower_padding(struct lowering *at, struct view from, struct view to, int x, int y, int value);
/* Applies limits that a layer's stages could not. */
void lower_limits(struct lowering *at, struct view view, struct limits limits, bool low_done);

/* Inputs of the results first .. first + n - 1 along an axis of that size, and the padding that they need. */
struct input_span {
    int begin, size, before, after;
};
struct input_span span_of(const struct axis *axis, int size, int first, int n);
/* Most inputs of n results in a row, from each n-th of all results on. */
int most_inputs(const struct axis *axis, int size, int results, int n);

/* ---- convolutions ---- */

/* An element of a window: row, column, channel from the view's first on. */
struct tap {
    int r, s, c;
};

struct convolution;
typedef int weight_function(const struct convolution *convolution, int k, struct tap tap);

/* A convolution of a view, and SDP after it. */
struct convolution {
    struct view from, to;
    struct axis x, y;
    int pad_value;
    weight_function *weight; /* of a kernel */
    const struct node *node;
    const struct graph *graph;
    const struct kernel_target *targets; /* of the node's kernels: weights of dead ones are 0; NULL: none is */
    int first_kernel, first_channel;     /* of node, for weight() */
    int first_operand;                   /* kernel of node at which operands of the stages begin */
    const struct convolution *whole;     /* that this is some kernels of */
    struct view cube;                    /* whose atoms, in a row, `from` shows */
    int atom;                            /* channels of an atom, for weight() */
    const int *joined;                   /* channels that are joined, for weight() */
    const struct addition_fit *addition; /* whose weights these are, for weight() */
    struct stages stages;
    unsigned launches; /* convolutions like this in a row: room for two inputs pays */
};
/* One with windows of one element, for the node being lowered. */
struct convolution convolution_of(const struct lowering *at, struct view from, struct view to, weight_function *weight);
/* Divides it into as many launches as it takes: by rows, by columns, by kernels. False with a message if CBUF cannot
 * hold the window of one kernel. */
bool lower_convolution(struct lowering *at, struct convolution *c);
/* Whether CBUF holds a group of its kernels, or fewer, beside the input of one row of output. */
bool convolution_fits(const struct lowering *at, const struct convolution *c);
size_t kernel_bytes(const struct convolution *c);
/* Most rows of output whose input fits beside the weights of a group of kernels; 0: not one. */
int most_rows(const struct lowering *at, const struct convolution *c);
/* Its launches, each of at most that many rows. */
void lower_launches(struct lowering *at, struct convolution *c, int most);
/* Clocks by its multipliers, and by SDP after it. Spec: 88-quantised-networks section 4. */
int64_t convolution_clocks(const struct lowering *at, const struct convolution *c);
/* Launches by atoms of output channels, or by groups of whole atoms, from the atoms that they read. A group has so many
 * channels of the input and of the output. */
bool lower_by_atoms(struct lowering *at, const struct convolution *whole, int inputs, int outputs);
/* Fits stages to a node's kernels, and finds those that are dead; limits that remain are applied by the caller. */
bool fit_stages(struct lowering *at, const struct node *node, struct kernel_target *targets, struct convolution *c);

/* Largest window, most padding before and after, and most channels of a cube that a convolution reads. */
enum { KERNEL_MAX = 32, PAD_MAX = 31, PAD_AFTER_MAX = 63, CHANNELS_MAX = 8192 };

/* The pixels of a cube in other sides, if they are packed and there are sides of at most KERNEL_MAX; else the cube. */
struct view window_of_cube(const struct lowering *at, struct view view);
/* Atoms in a row from the first of a view on, as a cube of at most KERNEL_MAX x KERNEL_MAX x CHANNELS_MAX. It may reach
 * beyond them: into memory that has to exist, and whose weights have to be 0. */
struct view window_of_atoms(const struct lowering *at, struct view first, int atoms);
/* The view if its atoms lie in a row, else a copy whose do, with room for some atoms beyond them. */
struct view view_in_a_row(struct lowering *at, struct view view, int beyond);
/* Number of the atom at an element of a window_of_atoms(). */
static inline int atom_of_window(const struct convolution *c, struct tap tap) {
    return tap.c / c->atom * c->x.size * c->y.size + tap.r * c->x.size + tap.s;
}

/* ---- moves ---- */

/* The elements of a packed cube in the order of a tensor with other channels. */
bool lower_reordering(struct lowering *at, struct view from, int tensor);
/* Some numbers of channels without gaps between them; in the first view each of them begins at an atom. */
bool lower_joining(struct lowering *at, struct view wide, const int *channels, struct view to);
/* A view with these sides; where it has sides of 1 instead, they are repeated, in a new one. */
bool lower_repetition(struct lowering *at, struct view *view, int w, int h, int c);

/* Whether each input of a CONCATENATION begins at a whole atom of channels. */
bool concatenates_atoms(const struct lowering *at, const struct node *node);

/* Banks, places in memory, and links of the operations of a whole network. */
void lowered_finish(struct lowered *lowered);

/* Nodes by kind, and the views of their first inputs. False with a message. */
bool lower_conv_node(struct lowering *at, const struct node *node, struct view from);
bool lower_average_node(struct lowering *at, const struct node *node, struct view from);
bool lower_mean_node(struct lowering *at, const struct node *node, struct view from);
bool lower_max_node(struct lowering *at, const struct node *node, struct view from);
bool lower_add_node(struct lowering *at, const struct node *node, struct view from);
bool lower_pad_node(struct lowering *at, const struct node *node, struct view from);
bool lower_concatenation_node(struct lowering *at, const struct node *node, struct view from);
bool lower_rescale_node(struct lowering *at, const struct node *node, struct view from);
bool lower_cpu_node(struct lowering *at, const struct node *node, struct view from);
