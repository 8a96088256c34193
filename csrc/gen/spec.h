/* The description of a random case: layers with their sizes and settings. The program is built from it (gen/build.h),
 * the trace carries it in comments, and shrinking reduces it (gen/shrink.h).
 *
 * A layer is a chain of engines that run as one: convolution -> SDP [-> PDP], SDP [-> PDP], PDP, CDP, BDMA, RUBIK. All
 * members are int64_t so that one table (gen_fields) names, prints, parses and shrinks them. Sizes are true sizes. A
 * plain layer has the plain values of that table and is zero otherwise; only other values are printed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvdla/config.h"
#include "nvdla/error.h"
#include "trace/program.h"

/* Content of memory, simplest first. Elements of one or two bytes; FP16 differs where it is named. */
enum gen_style {
    STYLE_ZEROS,
    STYLE_ONES,
    STYLE_RAMP,
    STYLE_SMALL,   /* -3 .. 3 */
    STYLE_SPARSE,  /* four of five are zero */
    STYLE_UNIFORM, /* FP16: magnitudes from 2^-6 to 2^7 */
    STYLE_EXTREME, /* both ends of the range, their neighbours, -1, 0, 1; FP16: also denormals and both zeros */
    STYLE_MIXED,   /* runs of 16 elements in the styles above */
    STYLE_SPECIAL, /* FP16: uniform, about every 16th NaN, infinite, denormal, zero or largest; otherwise as extreme */
    STYLE_LOWEST,  /* the lowest number alone; FP16: the lowest finite one */
    STYLE_HIGHEST,
    STYLE_COUNT
};

/* One of the SDP stages BS, BN and EW. */
struct gen_stage {
    int64_t on;                                      /* 0: bypassed */
    int64_t alu, algorithm, alu_memory, alu_operand; /* alu 0: bypassed; _memory: operand from memory, else register */
    int64_t alu_shift;                               /* 0..63, left; not EW */
    int64_t mul, prelu, mul_memory, mul_operand;     /* likewise */
    int64_t mul_shift;                               /* 0..63, EW 0..1023, right */
    int64_t relu;                                    /* 1: on; not EW */
    int64_t element, two_bytes;                      /* memory operands: per element; 16 bits */
    int64_t data, line, surface, space;              /* their memory: style, slack in atoms, secondary */
    int64_t source;                                  /* 1 + layer whose output is the per-element operand, 0: none */
    /* EW: the table, and the convertors of operands from memory; 1: on */
    int64_t lut;
    int64_t alu_cvt, alu_cvt_offset, alu_cvt_scale, alu_cvt_truncate;
    int64_t mul_cvt, mul_cvt_offset, mul_cvt_scale, mul_cvt_truncate;
};

/* Members have the values of registers, unless stated otherwise. "slack": atoms by which a stride exceeds the necessary
 * one. */
struct gen_layer {
    /* the chain: conv 1 feature cube, 2 image, 3 Winograd; rubik 1 contract, 2 split, 3 merge */
    int64_t conv, sdp, pdp, cdp, bdma, rubik;
    int64_t precision; /* of processing, enum nvdla_precision */
    int64_t source;    /* 1 + layer whose output is read, 0: separate memory */
    int64_t w, h,
        c; /* input; image: c is the number of components of the format. With partial reuse h includes all lines */
    int64_t seed; /* of all memory content of the layer */
    int64_t in_data, in_line, in_surface, in_space;
    int64_t in_order; /* 1: lines outside, surfaces inside */
    int64_t out_line, out_surface, out_space, out_order;
    int64_t out_fill; /* byte in the previous output region */
    int64_t in_place; /* SDP and CDP from separate memory: output over input */
    int64_t noise;    /* seed of registers that do not matter, 0: zeros */
    int64_t order;    /* seed of the order of register writes, 0: ascending */
    int64_t arm;      /* seed of the order of D_OP_ENABLE writes, 0: consumer first */
    int64_t perf;     /* enabled counters: bits of SDP.D_PERF_ENABLE; other units use the low ones */
    int64_t status;   /* 1: the layer's counters are read after it, before its units are programmed again */
    int64_t nan_to_zero;
    int64_t serial; /* 1: nothing is armed before the previous layer has ended */

    /* convolution: k kernels of r lines, s columns; pad_*: 0 .. , right and bottom only give the output size */
    int64_t k, r, s, stride_x, stride_y, dilation_x, dilation_y;
    int64_t pad_left, pad_right, pad_top, pad_bottom, pad;
    int64_t cvt, cvt_offset, cvt_scale, cvt_shift;
    int64_t grain;                    /* lines */
    int64_t unpacked;                 /* 1: the packed flags are 0 for any strides */
    int64_t eps_extra;                /* extra entries per slice */
    int64_t data_banks, weight_banks; /* 0: half of the buffer each */
    int64_t batches;                  /* cubes */
    int64_t in_batch, out_batch;      /* slack of the batch strides */
    int64_t weights, weight_space;
    int64_t weight_pad; /* 1: WEIGHT_BYTES is rounded up to 128, otherwise to an entry */
    int64_t keep;       /* slices that stay in CBUF after the layer: H - RLS_SLICES; Winograd: of the extended cube */
    int64_t skip_data, skip_weights, reuse_data, reuse_weights;
    int64_t clip; /* CLIP_TRUNCATE */
    int64_t pra;  /* Winograd: PRA_TRUNCATE */
    /* compressed weights: sixteenths of the elements that are present; every n-th kernel group has none or all, 0: no
     * such group */
    int64_t compressed, density, empty_groups, dense_groups;
    /* FP16: elements of the input and of the weights that become NaN; amount by which exponents of weights are
     * lowered */
    int64_t nans, weight_nans, weight_exponent;
    /* image */
    int64_t format, x_offset, sign, post; /* post: 1, 2, 4 */
    int64_t uv_line;                      /* slack of the second plane's lines */
    int64_t mean, mean_0, mean_1, mean_2, mean_3;

    /* SDP */
    struct gen_stage bs, bn, ew;
    int64_t offset, scale, shift; /* output convertor */
    int64_t in_convert;           /* 1: reads INT16, PROC INT8 */
    int64_t out_convert;          /* 1: PROC INT8 writes INT16, INT16 writes FP16, FP16 writes INT16 */

    /* PDP */
    int64_t method; /* 0 average, 1 max, 2 min */
    int64_t kernel_w, kernel_h, step_x, step_y;
    int64_t pool_left, pool_right, pool_top, pool_bottom;
    int64_t recip_w, recip_h; /* FP16: FP17 patterns, as the pads */
    int64_t pool_pad_1, pool_pad_2, pool_pad_3, pool_pad_4, pool_pad_5, pool_pad_6, pool_pad_7; /* signed 19 bits */
    int64_t splits, first_out, mid_out; /* output columns of the first and of each middle strip */

    /* CDP */
    int64_t sqsum_bypass, mul_bypass, length; /* length 3, 5, 7, 9 */
    int64_t in_offset, in_scale, in_shift, out_offset, out_scale, out_shift;
    /* the tables of SDP or CDP */
    int64_t lut; /* 1: first loads the tables and the S_LUT registers below; 0: uses the current ones */
    int64_t le_data, lo_data;
    int64_t le_linear, under_lo, over_lo, hybrid_lo;
    int64_t le_offset, le_select, lo_select;
    int64_t le_start, le_end, lo_start, lo_end; /* signed 38 bits, SDP 32 bits; FP16: FP32 patterns */
    int64_t le_under_scale, le_over_scale, le_under_shift, le_over_shift;
    int64_t lo_under_scale, lo_over_scale, lo_under_shift, lo_over_shift;

    /* BDMA: w atoms a line, h lines, c surfaces */
    int64_t parts;     /* descriptors that the copy is cut into */
    int64_t join;      /* 1: in one group with the previous layer */
    int64_t replicate; /* source strides: 1 lines repeated, 2 lines an atom apart, 3 surfaces repeated */

    /* deconvolution, for RUBIK contract and for its convolutions */
    int64_t deconv_x, deconv_y; /* strides */
    int64_t full_s, full_r;     /* the deconvolution's kernel, of which the layer's is set (set_x, set_y); 0: none */
    int64_t set_x, set_y;
    int64_t input_of; /* 1 + layer whose input memory is also read, 0: none */
    int64_t into, at; /* 1 + layer into whose output region this one writes, at a surface; 0: a separate region */
    int64_t room;     /* surfaces of the output region, 0: as many as written */
};

/* How shrinking treats a member. */
enum gen_field_kind {
    FIELD_FIXED,   /* not at all */
    FIELD_SETTING, /* its plain value */
    FIELD_AMOUNT,  /* its plain value, else towards it by halves */
};

/* Condition under which a member matters. */
enum gen_part {
    PART_LAYER,
    PART_CONV,
    PART_CVT,  /* with CVT_EN */
    PART_MEAN, /* with MEAN_FORMAT, image */
    PART_IMAGE,
    PART_WINOGRAD,
    PART_BATCH,      /* more than one batch */
    PART_COMPRESSED, /* compressed weights */
    PART_CONV_FP16,
    PART_SDP,
    PART_BS,     /* stage on */
    PART_BS_ALU, /* ALU on */
    PART_BS_MUL,
    PART_BS_ALU_REGISTER,
    PART_BS_MUL_REGISTER,
    PART_BS_MEMORY,
    PART_BN,
    PART_BN_ALU,
    PART_BN_MUL,
    PART_BN_ALU_REGISTER,
    PART_BN_MUL_REGISTER,
    PART_BN_MEMORY,
    PART_EW,
    PART_EW_ALU,
    PART_EW_MUL,
    PART_EW_ALU_REGISTER,
    PART_EW_MUL_REGISTER,
    PART_EW_MEMORY,
    PART_EW_ALU_CVT, /* operand from memory, convertor on */
    PART_EW_MUL_CVT,
    PART_PDP,
    PART_AVERAGE, /* method average */
    PART_SPLIT,   /* more than one strip */
    PART_CDP,
    PART_TABLE, /* CDP, or SDP with the table of EW */
    PART_LUT,   /* tables are loaded */
    PART_BDMA,
    PART_DECONV, /* RUBIK contract, or a set of a deconvolution's kernels */
    PART_SET,    /* a set of a deconvolution's kernels */
    PART_INPUT,  /* input from separate memory */
    PART_OUTPUT, /* in a separate region, not in place */
};

struct gen_field {
    const char *name; /* the member's name, with stage: "bs.alu_shift" */
    size_t offset;    /* in struct gen_layer */
    int64_t plain, lowest, highest;
    enum gen_part part;
    enum gen_field_kind kind;
};

extern const struct gen_field gen_fields[];
extern const size_t gen_field_count;

int64_t *gen_field_of(struct gen_layer *layer, const struct gen_field *field);

/* The member with that name of n characters, NULL if there is none. */
const struct gen_field *gen_field_find(const char *name, size_t n);

enum { GEN_LAYERS = 16, GEN_ENGINES_NAME = 56 };

struct gen_case {
    const struct nvdla_config *config;
    char engines[GEN_ENGINES_NAME]; /* engines it was drawn from, "conv" or "sdp-pdp" or "mix"; for people */
    uint64_t seed;
    uint64_t place;                     /* seed of the places of regions, 0: one after the other */
    bool expect_all;                    /* also waits for the interrupts of CDMA and CACC; otherwise masks them */
    const struct program *described_in; /* a trace whose other comments are kept, or NULL */
    int count;
    struct gen_layer layers[GEN_LAYERS];
};

void gen_layer_plain(struct gen_layer *layer);

/* True if the layer uses tables: CDP always, SDP in EW. */
bool gen_uses_table(const struct gen_layer *layer);

/* Sets every member that does not matter for the layer to its plain value. */
void gen_layer_tidy(struct gen_layer *layer);

/* Inserts the description before the program's other operations, as comments. */
void gen_case_note(const struct gen_case *gen, struct program *prog);

/* Reads it from the comments of a trace. False with a message if it is missing or damaged. */
bool gen_case_read(struct gen_case *gen, const struct program *prog, struct error *err);
