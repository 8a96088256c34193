/* Shared by the engine families: the shape of a layer, its cubes, content and lists of registers, and draws that every
 * layer makes. */
#pragma once

#include "gen/rng.h"
#include "gen/spec.h"
#include "nvdla/cube.h"
#include "nvdla/error.h"
#include "nvdla/registers.h"

enum { GEN_BS, GEN_BN, GEN_EW, GEN_STAGES };           /* of SDP */
enum { GEN_FEATURE = 1, GEN_IMAGE, GEN_WINOGRAD };     /* gen_layer.conv */
enum { GEN_CONTRACT = 1, GEN_SPLIT, GEN_MERGE };       /* gen_layer.rubik */
enum { GEN_POOL_LIMIT = 1024, GEN_SIZE_LIMIT = 8192 }; /* split strip width, any size register */

/* Parts of a layer's weights in memory: the weights and, if compressed, the mask bits (WMB) and the size of each kernel
 * group (WGS). */
enum gen_weight_surface { GEN_WEIGHTS, GEN_WEIGHT_MASKS, GEN_WEIGHT_GROUPS, GEN_WEIGHT_SURFACES };

/* Salts of a layer's content. */
enum gen_role {
    GEN_ROLE_INPUT,
    GEN_ROLE_PLANE,
    GEN_ROLE_WEIGHTS,
    GEN_ROLE_OPERAND,
    GEN_ROLE_OPERAND_2,
    GEN_ROLE_OPERAND_3,
    GEN_ROLE_MASKS,
};

/* A layer with its sizes, strides and memory. Bases are 0 until the regions are placed. */
struct gen_shape {
    uint32_t units; /* bit by enum nvdla_unit: armed for this layer */

    /* convolution */
    int previous_conv;  /* layer, -1: none */
    bool fetch;         /* CDMA reads the input; otherwise it is in CBUF */
    bool fetch_weights; /* likewise */
    int64_t lines;      /* bytes that CDMA reads */
    int64_t entries;    /* per slice, ENTRY_PER_SLICE */
    int64_t data_banks, weight_banks;
    uint64_t plane_line[2], plane_size[2], plane_base[2];
    enum nvdla_precision pixel_precision;                                        /* of the components in memory */
    uint64_t weight_size[GEN_WEIGHT_SURFACES], weight_base[GEN_WEIGHT_SURFACES]; /* size 0: absent */
    uint64_t in_batch_stride, out_batch_stride;                                  /* bytes, 0: one batch */
    /* CBUF after the layer */
    int64_t kept;         /* slices */
    int64_t weights_used; /* bytes of weights that CSC reads, rounded up to an entry */
    int64_t stale;        /* entries of weights that were neither used nor released */
    bool unfit;           /* more lines than CSC knows about: the next convolution must change the data banks */

    struct cube in;     /* main input as read from memory; unused: image input, or no fetch */
    struct cube middle; /* sizes only: what SDP processes */
    struct cube operand[GEN_STAGES];
    int components[GEN_STAGES]; /* of a memory operand: 0 none, 1, 2 */
    struct cube out;
    uint64_t out_align; /* bytes, of base and strides; 0: atoms */
    bool out_exists;    /* in memory, for other layers to read */
    int64_t room;       /* surfaces of the output region; more than written: other layers write there, too */
    bool out_planar;    /* planes of RUBIK split; surfaces are then planes */
    enum nvdla_precision out_precision;
    bool in_secondary, out_secondary, operand_secondary[GEN_STAGES];
    int64_t pool_w, pool_h;                      /* PDP output */
    int64_t first_in, mid_in, last_in, last_out; /* PDP split */

    int64_t cycles; /* rough estimate */
};

static inline int64_t cdiv(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

static inline int64_t round_up(int64_t a, int64_t b) {
    return b * cdiv(a, b);
}

/* Precision of the main input and of the output: that of processing, unless SDP converts (50-sdp section 7). */
enum nvdla_precision gen_in_precision(const struct gen_layer *layer);
enum nvdla_precision gen_out_precision(const struct gen_layer *layer);

/* Sets the strides of a cube of known size: `line` and `surface` atoms more than needed; interleaved: lines outside,
 * surfaces inside. */
void gen_strides(struct cube *cube, int64_t line, int64_t surface, bool interleaved);

/* Sets the strides of a cube of one pixel that the hardware packs to those of the packed cube. */
void gen_pack_strides(struct cube *cube);

/* The input cube of a layer that reads w x h x c from memory: its own, or the output of layer->source. */
bool gen_input_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, int64_t h, struct error *err);

/* The same with a number of channels other than layer->c. */
bool gen_read_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, int64_t h, int64_t c,
                    struct error *err);

/* The output cube of a layer that writes w x h x c. */
void gen_output_shape(const struct gen_case *gen, int index, struct gen_shape *shapes, int64_t w, int64_t h, int64_t c,
                      bool packed_1x1);

/* ---- registers ------------------------------------------------------------------------------- */

/* Register values of one unit for one layer. */
struct gen_registers {
    struct {
        uint32_t offset, value;
    } list[64];
    size_t count;
};

/* Fills the lists of a layer's units. */
struct gen_writer {
    const struct gen_case *gen;
    const struct gen_layer *layer;
    const struct gen_shape *shape;
    struct gen_registers units[NVDLA_UNIT_COUNT], *unit; /* the one that is filled */
    struct rng noise;
};
/* Begins an engine, which has noise of its own, with one of its units; another unit of it. */
void gen_engine(struct gen_writer *regs, enum nvdla_unit unit);
void gen_unit(struct gen_writer *regs, enum nvdla_unit unit);
/* The low 32 bits of a value. */
void gen_put(struct gen_writer *regs, uint32_t offset, int64_t value);
/* Low and high half of an address; the high half of 32-bit configurations does not matter. */
void gen_put_address(struct gen_writer *regs, uint32_t low, uint32_t high, uint64_t address);
/* From one offset on: width, height, channels; the address and strides of a cube. In every unit they follow so. */
void gen_put_size(struct gen_writer *regs, uint32_t first, int64_t width, int64_t height, int64_t channels);
void gen_put_cube(struct gen_writer *regs, uint32_t first, const struct cube *cube);
/* A value for a register that does not matter: masked noise, or 0; several such registers. */
uint32_t gen_noise(struct gen_writer *regs, uint32_t mask);
void gen_put_noise(struct gen_writer *regs, uint32_t first, uint32_t last);

/* ---- drawing and content --------------------------------------------------------------------- */

/* Slack of strides, styles of content, spaces, noise, order: drawn for every layer. */
void gen_draw_common(struct rng *rng, const struct nvdla_config *config, struct gen_layer *layer);
/* Slack in atoms, often 0. */
int64_t gen_draw_slack(struct rng *rng);
/* A style for elements of a precision; prefers interesting content. */
int64_t gen_draw_style(struct rng *rng, int64_t precision);
/* Bits of the magnitudes in a style, for elements of `bits` bits without sign. */
int gen_style_bits(int64_t style, int bits);

/* count elements of a precision in a style, little endian. */
void gen_fill(uint8_t *bytes, size_t count, enum nvdla_precision precision, int64_t style, struct rng *rng);

/* Sets some of count FP16 elements to NaN. */
void gen_fill_nans(uint8_t *bytes, size_t count, int64_t nans, struct rng *rng);
